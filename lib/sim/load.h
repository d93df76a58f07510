/* load.h -- feeds a packet simulation (carrier.h) with an offered load, for
 * curves of latency over throughput.
 *
 * In each packet time a host gets a new full packet with a probability, its
 * rate: 'load' times what the host sends over what the host that sends the
 * most does.  The receiver is drawn by the amounts of the host's flows, each
 * packet anew.  Packets wait in the host, in one queue without end, of which
 * only the first may be sent.  Latency counts from birth.
 *
 * Each packet is a message of its own: with 'stripe' and 'message' it takes
 * the next address of its pair, with 'random' any, with 'adaptive' that with
 * the fewest packets of the pair under way when it is sent.
 *
 * Where ticks are shorter than packets, each host has births at an offset of
 * its own, drawn once, so that hosts do not march in step; two births of a
 * host are a packet time apart at least.
 *
 * The queue takes no memory: a birth is drawn when the packet before it has
 * been sent, from random numbers of the host's own. */
#ifndef SF_SIM_LOAD_H
#define SF_SIM_LOAD_H

#include "sim/carrier.h"

struct sf_load; /* Opaque. */

/* Sets up to feed 'carrier' from now on.  The caller keeps 'carrier' and
 * 'setup' until '*loadp' is freed, and that until 'carrier' runs no more.
 * SF_EINVAL: a load that is not above 0 and at most 1, a flow that is none, no
 * flow at all. */
enum sf_status sf_load_build(const struct sf_carrier *carrier,
                             const struct sf_run_setup *setup,
                             const struct sf_flow *flows, size_t n_flows,
                             double load, struct sf_load **loadp,
                             struct sf_error *err);
void sf_load_free(struct sf_load *load);

/* What went wrong while the carrier ran, as that a pair has no path. */
enum sf_status sf_load_status(const struct sf_load *load,
                              struct sf_error *err);

/* What was counted since the last call of sf_load_reset(). */
struct sf_load_tally {
    uint64_t n_sent, n_delivered;
    double latency;                  /* Seconds, of all that came. */
    const uint64_t *sent, *received; /* [hosts] Packets. */
};
struct sf_load_tally sf_load_tally(const struct sf_load *load);

/* Counts from zero, and puts latencies from now on into 'latencies', which may
 * be NULL. */
void sf_load_reset(struct sf_load *load, struct sf_samples *latencies);

/* How many packets all hosts get in a packet time, on average. */
double sf_load_offered(const struct sf_load *load);

/* About how many packets wait in hosts: the age of the first in each times the
 * rate of the host.  O(hosts). */
double sf_load_backlog(struct sf_load *load);

/* How many packets were born in 'host' until now and are not sent.  O(packet
 * times since the birth of the oldest). */
uint32_t sf_load_n_waiting(const struct sf_load *load, uint32_t host);

#endif
