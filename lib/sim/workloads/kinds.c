/* kinds.c -- all kinds of workloads beside those of traffic. */
#include "sim/workloads/kind.h"

const struct sf_workload_kind *const sf_workload_kinds[] = {
    &sf_workload_ebb,
    &sf_workload_goal,
    NULL,
};
