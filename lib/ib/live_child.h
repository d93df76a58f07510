/* live_child.h -- what live.c has a child process do: ask, and write answers
 * to memory that both share.  The functions are those of a struct
 * sf_child_job: they return an exit code, and what went wrong stands on
 * standard error. */
#ifndef SF_IB_LIVE_CHILD_H
#define SF_IB_LIVE_CHILD_H

#include "ib/live_port.h"

/* Tables of 'fabric' that say nothing yet. */
struct sf_live_tables_job {
    const struct sf_live_port *port;
    const struct sf_fabric *fabric;
    const struct sf_tables *tables;
    const struct sf_sl2vl *sl2vl; /* NULL: not wanted. */
};
int sf_live_read_tables(const void *tables_job, FILE *unused);

/* Path SLs that say nothing yet, and the LIDs that are asked for. */
struct sf_live_sls_job {
    const struct sf_live_port *port;
    const struct sf_fabric *fabric;
    const struct sf_path_sls *path_sls;
    const uint16_t *sources; /* [n_switches] LIDs; 0 if it has none. */
    const uint32_t *homes;   /* [max_lid + 1] Switches. */
    const uint16_t *models;  /* [max_lid + 1] The LID that is asked for in
                              * place of this one; 0 if nothing has it. */
};
int sf_live_read_path_sls(const void *sls_job, FILE *unused);

#endif
