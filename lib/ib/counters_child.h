/* counters_child.h -- what live_counters.c has child processes do: ask for
 * counters, or look through ports, and write answers to memory that both
 * share. The functions are those of a struct sf_child_job. */
#ifndef SF_IB_COUNTERS_CHILD_H
#define SF_IB_COUNTERS_CHILD_H

#include "ib/live_port.h"
#include "slimfly/counters.h"

#include <stdio.h>

struct sf_counters_job {
    const struct sf_live_port *port;
    const struct sf_fabric *fabric;
    struct sf_counters_params params;  /* Without zeros. */
    struct sf_port_counters *counters; /* [n_ports] */
};
int sf_counters_child(const void *counters_job, FILE *unused);

struct sf_probe_job {
    const struct sf_live_port *port;
    const struct sf_fabric *fabric;
    struct sf_counters_params params;
    const bool *is_wanted;       /* [n_ports] NULL: all. */
    struct sf_port_probe *ports; /* [ports of switches] */
};
int sf_probe_child(const void *probe_job, FILE *unused);

#endif
