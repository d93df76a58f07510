/* kind.h -- what a kind of workload is for those who make programs of it. Each
 * kind is a file of this folder; workload_kinds.c lists them. */
#ifndef SF_SIM_WORKLOADS_KIND_H
#define SF_SIM_WORKLOADS_KIND_H

#include "base/spec.h"
#include "sim/program.h"
#include "slimfly/simulation.h"

/* A job that is to become a program. */
struct sf_work {
    const uint32_t *hosts;         /* [n_ranks] Rank i runs on hosts[i]. */
    uint32_t n_ranks;              /* At least 2. */
    double size;                   /* Bytes. */
    const struct sf_value *values; /* Of the params of the kind. */
    uint64_t seed;
    uint32_t round;
};

struct sf_workload_ops {
    /* Adds what 'work' does to 'program'. */
    enum sf_status (*send)(const struct sf_work *work,
                           struct sf_program *program, struct sf_error *err);

    /* How many ranks it has, if that is not for users to say; else NULL. */
    enum sf_status (*count)(const struct sf_value *values, uint32_t *n_ranksp,
                            struct sf_error *err);

    /* Whether it can be, before anything is made; NULL: always. */
    enum sf_status (*check)(const struct sf_work *work, struct sf_error *err);

    /* Fails and says where message 'number' of those that send() adds comes
     * from, which waits for itself.  NULL: programs of the kind have no
     * circles. */
    enum sf_status (*fail_circle)(const struct sf_work *work, uint32_t number,
                                  struct sf_error *err);

    /* How many rounds it has; NULL: one. */
    uint32_t (*n_rounds)(const struct sf_value *values);
};

extern const struct sf_workload_kind sf_workload_allgather,
    sf_workload_allreduce, sf_workload_alltoall, sf_workload_barrier,
    sf_workload_bcast, sf_workload_bfs, sf_workload_cosmoflow, sf_workload_ebb,
    sf_workload_goal, sf_workload_gpt3, sf_workload_hpl, sf_workload_incast,
    sf_workload_reduce_scatter, sf_workload_resnet152, sf_workload_stencil;

/* The bytes of a message of 'size'. */
static inline uint64_t
sf_work_bytes(double size)
{
    return size > 1 ? (uint64_t)(size + 0.5) : 1;
}

#endif
