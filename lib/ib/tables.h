/* tables.h -- what encoders and readers of forwarding tables share. */
#ifndef SF_IB_TABLES_H
#define SF_IB_TABLES_H

#include "slimfly/tables.h"

/* Makes tables without paths for the LIDs of 'fabric'. */
enum sf_status sf_tables_make(const struct sf_fabric *fabric,
                              struct sf_tables **tablesp,
                              struct sf_error *err);

#endif
