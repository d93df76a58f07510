/* job.h -- which links a job uses: those on the paths between its hosts, in
 * both directions, as the forwarding tables lead, or, where nobody has read
 * these, on shortest paths. */
#ifndef SF_MONITOR_JOB_H
#define SF_MONITOR_JOB_H

#include "slimfly/ib.h"
#include "slimfly/verify.h"

/* What is known of paths. */
struct sf_job_paths {
    const struct sf_plan *plan;
    bool *is_right; /* [n_cables] Cables that are as planned. */
    /* From tables; NULL: shortest paths over right cables. */
    struct sf_network *network;
    struct sf_tables *tables;
    struct sf_sl2vl *sl2vl;
    struct sf_path_source source; /* Of these. */
    struct sf_ib_held held;
    uint32_t *planned_port; /* [ports of the network] Or SF_NONE. */
    uint32_t *host_of_node; /* [n_nodes of the plan] Or SF_NONE. */
};

/* Paths over the cables that are right in 'is_right' [n_cables], which is
 * copied. */
enum sf_status sf_job_paths_new(const struct sf_plan *plan,
                                const bool *is_right,
                                struct sf_job_paths **pathsp,
                                struct sf_error *err);
void sf_job_paths_free(struct sf_job_paths *paths);

/* From now on as 'tables' and 'sl2vl' lead, which it takes over, also if it
 * fails: they were read from the fabric of 'verification'. */
enum sf_status sf_job_paths_use_tables(
    struct sf_job_paths *paths, const struct sf_verification *verification,
    struct sf_tables *tables, struct sf_sl2vl *sl2vl, struct sf_error *err);

/* What the job on 'nodes', a list as Slurm writes it, uses: JSON, schema
 * "slimfly.job"; NULL if memory ran out. */
char *sf_job_find(const struct sf_job_paths *paths, const char *nodes);

#endif
