/* plan_writers.h -- the writers behind the table of a plan's files. */
#ifndef SF_IO_PLAN_WRITERS_H
#define SF_IO_PLAN_WRITERS_H

#include "slimfly/plan_files.h"

#define SF_PLAN_WRITER(name)                                      \
    enum sf_status name(const struct sf_plan *plan, FILE *stream, \
                        struct sf_error *err)

SF_PLAN_WRITER(sf_plan_write_json);
SF_PLAN_WRITER(sf_plan_write_ibnetdiscover);
SF_PLAN_WRITER(sf_plan_write_ibsim);
SF_PLAN_WRITER(sf_plan_write_guids);
SF_PLAN_WRITER(sf_plan_write_cables);
SF_PLAN_WRITER(sf_plan_write_labels);
SF_PLAN_WRITER(sf_plan_write_netbox);
SF_PLAN_WRITER(sf_plan_write_omnipath);
SF_PLAN_WRITER(sf_plan_write_topo);
SF_PLAN_WRITER(sf_plan_write_ptm_dot);
SF_PLAN_WRITER(sf_plan_write_materials);

#endif
