/* plan_names.h -- the plan, by which the nodes of a subnet get their names;
 * read again only when its file has changed. */
#ifndef SF_OPENSM_PLAN_NAMES_H
#define SF_OPENSM_PLAN_NAMES_H

#include "plugin_options.h"
#include "slimfly/plan.h"

#include <time.h>

/* All zeros to begin with. */
struct sf_names {
    struct sf_plan *plan;      /* NULL if there is none. */
    char path[SF_OPTION_SIZE]; /* The one that was read, */
    struct timespec time;      /* and when it was written. */
};

/* Reads the plan at 'path', a plan.json or its folder; "" for none.  If it
 * cannot be read, there is none. */
enum sf_status sf_names_load(struct sf_names *names, const char *path,
                             struct sf_error *err);
void sf_names_clear(struct sf_names *names);

#endif
