/* workload_kinds.c -- all kinds of workloads beside those of traffic. */
#include "sim/workloads/kind.h"

/* clang-format off */
const struct sf_workload_kind *const sf_workload_kinds[] = {
    &sf_workload_allgather,
    &sf_workload_allreduce,
    &sf_workload_alltoall,
    &sf_workload_barrier,
    &sf_workload_bcast,
    &sf_workload_bfs,
    &sf_workload_cosmoflow,
    &sf_workload_ebb,
    &sf_workload_goal,
    &sf_workload_gpt3,
    &sf_workload_hpl,
    &sf_workload_incast,
    &sf_workload_reduce_scatter,
    &sf_workload_resnet152,
    &sf_workload_stencil,
    NULL,
};
/* clang-format on */
