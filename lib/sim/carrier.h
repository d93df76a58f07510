/* carrier.h -- a packet simulation, whichever it is.  Hosts and loads ask
 * nothing else of it, so that slots (packet.h) and events (events.h) differ in
 * one const table each. */
#ifndef SF_SIM_CARRIER_H
#define SF_SIM_CARRIER_H

#include "sim/run.h"

/* What a simulation does.  'sim' is what build() made. */
struct sf_carrier_ops {
    const char *name; /* For messages. */

    /* Makes the network of setup->wires, empty, at tick 0. */
    enum sf_status (*build)(const struct sf_run_setup *setup,
                            const struct sf_run_sizes *sizes, void **simp,
                            struct sf_error *err);
    void (*free)(void *sim);

    enum sf_status (*encode)(const void *sim, const struct sf_sim_hop *hops,
                             uint32_t n_hops, struct sf_sim_route *route,
                             struct sf_error *err);
    enum sf_status (*feed)(void *sim, const struct sf_sim_feeder *feeder,
                           struct sf_error *err);
    void (*wake)(void *sim, uint32_t host);

    /* Runs 'n_ticks' ticks more. */
    enum sf_status (*run)(void *sim, uint64_t n_ticks, struct sf_error *err);

    /* The ticks that are done; while a packet is delivered, the tick by which
     * it has come. */
    uint64_t (*now)(const void *sim);
    uint64_t (*arrived)(const void *sim);

    uint32_t (*n_in_flight)(const void *sim);
    uint64_t (*n_switch_hops)(const void *sim);

    /* Ticks in which a link carried packets on a VL, and in which packets
     * waited for it and none of their VLs had room. */
    double (*busy)(const void *sim, uint32_t link, uint32_t vl);
    double (*blocked)(const void *sim, uint32_t link);

    enum sf_status (*find_deadlock)(const void *sim,
                                    struct sf_sim_deadlock *deadlock,
                                    struct sf_error *err);

    /* Seconds of a tick, and ticks of a full packet. */
    double (*tick)(const struct sf_run_sizes *sizes);
    uint64_t (*packet_ticks)(const struct sf_run_sizes *sizes);
};

extern const struct sf_carrier_ops sf_carrier_events;

/* A simulation that is set up.  Starts as zeros. */
struct sf_carrier {
    const struct sf_carrier_ops *ops;
    void *sim;
    struct sf_run_sizes sizes;
    double tick;           /* Seconds. */
    uint64_t packet_ticks; /* Of a full packet. */
    uint32_t n_links, n_vls;
    uint64_t work; /* Done since the last search for deadlock. */
};

/* Sets up the simulation that the params ask for.  SF_EINVAL: buffers are too
 * small, or delays too long. */
enum sf_status sf_carrier_build(const struct sf_run_setup *setup,
                                struct sf_carrier *carrier,
                                struct sf_error *err);
void sf_carrier_clear(struct sf_carrier *carrier);

/* Runs for 'n_packets' packet times, then looks for a deadlock if nothing
 * moved, or if so much was done since the last search that this one costs
 * little beside it.  If there is one, 'run' gets its time and cycle. */
enum sf_status sf_carrier_advance(struct sf_carrier *carrier,
                                  uint64_t n_packets, struct sf_run *run,
                                  struct sf_error *err);

/* What links did until now, in ticks: [n_links * n_vls] and [n_links]. */
void sf_carrier_count(const struct sf_carrier *carrier, double *busy,
                      double *blocked);

#endif
