/* run.h -- runs what is to be sent, by one of the models.  All tell what they
 * saw in the same struct, so that what is made of it is written once
 * (simulation.c). */
#ifndef SF_SIM_RUN_H
#define SF_SIM_RUN_H

#include "sim/program.h"
#include "sim/samples.h"
#include "sim/wires.h"
#include "slimfly/traffic.h"

/* What runs where. */
struct sf_run_setup {
    const struct sf_path_source *source;
    const struct sf_wires *wires; /* Of source->network. */
    const struct sf_simulation_params *params;
    uint64_t seed; /* In place of that of the params: rounds of a workload
                    * differ. */
};

struct sf_run {
    bool is_finished; /* All messages came; with a load: latencies settled and
                       * hosts send what they get. */
    double time;      /* Simulated seconds; with a load, of what was measured
                       * after the warm-up. */

    /* Of each message; HUGE_VAL if it did not start or come.  A start counts
     * from when the message could be sent: waits, delay and overhead over. */
    double *starts, *ends; /* [messages]; NULL with a load. */

    double *sent, *received; /* [hosts] With a load: parts of the data rate of
                              * a link; else NULL. */
    struct sf_samples latency; /* Of packets, in seconds; none in the flow
                                * model. */
    double latency_error;      /* As in simulation.h. */
    uint64_t n_packets, n_switch_hops;

    uint32_t n_links, n_vls;
    double *loads;   /* [n_links * n_vls] Part of 'time' in which the link
                      * carried packets on the VL. */
    double *blocked; /* [n_links] Part of 'time' in which packets waited for
                      * the link and none of their VLs had room. */

    double deadlock_time;
    uint32_t n_cycle;
    struct sf_sim_hop *cycle; /* [n_cycle] Links between switches; each waits
                               * for the next. */
};

/* Runs 'program' by max-min fair sharing, by packets in slots, and by packets
 * as events.  On failure 'run' is empty.  SF_EUNREACHABLE: a pair of hosts has
 * no path. */
enum sf_status sf_run_flows(const struct sf_run_setup *setup,
                            const struct sf_program *program,
                            struct sf_run *run, struct sf_error *err);
enum sf_status sf_run_packets(const struct sf_run_setup *setup,
                              const struct sf_program *program,
                              struct sf_run *run, struct sf_error *err);

/* Offers 'flows' between hosts of the network to it, 'load' times the data
 * rate of a link for the host that sends the most, until latencies have
 * settled or it is clear that they will not; as params->timing says. */
enum sf_status sf_run_load(const struct sf_run_setup *setup,
                           const struct sf_flow *flows, size_t n_flows,
                           double load, struct sf_run *run,
                           struct sf_error *err);

/* Frees what 'run' holds; accepts zeros. */
void sf_run_clear(struct sf_run *run);

/* How large packets and buffers are. */
struct sf_run_sizes {
    uint32_t packet_bytes; /* A full packet on the wire. */
    uint32_t buffer;       /* Full packets that each VL of a link has room
                            * for. */
    double slot;           /* Seconds that a full packet takes. */
};

/* What net and VLs amount to: the buffer of a link is shared out among the VLs
 * in use.  SF_EINVAL if a VL would not have room for a packet. */
enum sf_status sf_run_sizes(const struct sf_run_setup *setup,
                            struct sf_run_sizes *sizes, struct sf_error *err);

#endif
