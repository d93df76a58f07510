/* workload.h -- programs from what users call workloads: several jobs, where
 * their hosts are, and what each sends. */
#ifndef SF_SIM_WORKLOAD_H
#define SF_SIM_WORKLOAD_H

#include "sim/program.h"
#include "slimfly/simulation.h"
#include "slimfly/traffic.h"

/* One job. */
struct sf_sim_job {
    char *workload; /* As its text says, without the size. */
    double size;    /* Bytes of its largest message. */
    uint32_t n_hosts;
    uint32_t *hosts; /* [n_hosts] Rank i runs on hosts[i] of the network. */
};

struct sf_workload {
    const struct sf_network *network; /* The caller keeps it. */
    const struct sf_sim_jobs *asked;  /* And these. */
    uint64_t seed;
    uint32_t n_jobs;
    struct sf_sim_job *jobs;
    uint32_t n_rounds; /* Programs to run one after the other, each in an empty
                        * network; results are pooled. */
};

/* Reads what is 'asked' and places the jobs.  SF_EINVAL: a workload, placement
 * or number of nodes that cannot be, more nodes than hosts, a host that does
 * not exist or comes twice (file and line), a load with what has none. */
enum sf_status sf_workload_build(const struct sf_network *network,
                                 const struct sf_sim_jobs *asked,
                                 uint64_t seed, struct sf_workload **workloadp,
                                 struct sf_error *err);
void sf_workload_free(struct sf_workload *workload);

/* The messages of round 'round'.  'job_of' [messages] says which job each
 * belongs to; the caller frees it and clears the program. */
enum sf_status sf_workload_program(const struct sf_workload *workload,
                                   uint32_t round, struct sf_program *program,
                                   uint32_t **job_ofp, struct sf_error *err);

/* The flows of all jobs, between hosts of the network, for a load. */
enum sf_status sf_workload_flows(const struct sf_workload *workload,
                                 struct sf_flow **flowsp, size_t *n_flowsp,
                                 struct sf_error *err);

/* The kinds of workloads beside those of traffic, for help, ended by one
 * without a name. */
struct sf_workload_kind {
    const char *name, *title, *example;
    struct sf_param params[SF_MAX_PARAMS];
};
extern const struct sf_workload_kind sf_workload_kinds[];

/* Chooses 'n_hosts' hosts of 'network' as 'placement' says, without those that
 * 'is_taken' [hosts], and marks them as taken. */
enum sf_status sf_placement_take(const struct sf_network *network,
                                 const char *placement, uint32_t n_hosts,
                                 uint64_t seed, bool *is_taken,
                                 uint32_t *hosts, struct sf_error *err);

#endif
