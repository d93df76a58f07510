/* carrier.c -- simulations behind one table, and when to look for deadlock. */
#include "sim/carrier.h"

#include "base/mem.h"

/* A search looks at each buffer and packet once.  Moving a packet costs more
 * than looking at it, so searching after so many moves for each thing to look
 * at takes less than 1 % of the time. */
#define MOVES_A_LOOK 16

/* What a packet time costs even if nothing moves, in moves. */
#define MOVES_A_PACKET_TIME 16

static enum sf_status
build_slots(const struct sf_run_setup *setup, const struct sf_run_sizes *sizes,
            void **simp, struct sf_error *err)
{
    struct sf_packet_sim *sim;
    struct sf_packet_params params = {
        .n_nodes = setup->wires->n_nodes,
        .n_hosts = setup->wires->n_hosts,
        .links = setup->wires->links,
        .n_links = setup->wires->n_links,
        .n_vls = setup->source->n_vls,
        .buffer = sizes->buffer,
        .queues = setup->params->queues,
    };
    enum sf_status status = sf_packet_sim_build(&params, &sim, err);
    *simp = sim;
    return status;
}

static void
free_slots(void *sim)
{
    sf_packet_sim_free(sim);
}

static enum sf_status
encode_slots(const void *sim, const struct sf_sim_hop *hops, uint32_t n_hops,
             struct sf_sim_route *route, struct sf_error *err)
{
    return sf_packet_sim_encode(sim, hops, n_hops, route, err);
}

static enum sf_status
feed_slots(void *sim, const struct sf_sim_feeder *feeder, struct sf_error *err)
{
    return sf_packet_sim_feed(sim, feeder, err);
}

static void
wake_slots(void *sim, uint32_t host)
{
    sf_packet_sim_wake(sim, host);
}

static enum sf_status
run_slots(void *sim, uint64_t n_ticks, struct sf_error *err)
{
    return sf_packet_sim_run(
        sim, n_ticks < SF_NONE ? (uint32_t)n_ticks : SF_NONE, err);
}

static uint64_t
now_slots(const void *sim)
{
    return sf_packet_sim_slot(sim);
}

/* A packet that crosses its last link in a slot has come at its end. */
static uint64_t
arrived_slots(const void *sim)
{
    return (uint64_t)sf_packet_sim_slot(sim) + 1;
}

static uint32_t
n_in_flight_slots(const void *sim)
{
    return sf_packet_sim_n_in_flight(sim);
}

static uint64_t
n_switch_hops_slots(const void *sim)
{
    return sf_packet_sim_n_switch_hops(sim);
}

static double
busy_slots(const void *sim, uint32_t link, uint32_t vl)
{
    return sf_packet_sim_n_carried(sim, link, vl);
}

static double
blocked_slots(const void *sim, uint32_t link)
{
    return (double)sf_packet_sim_n_blocked(sim, link);
}

static enum sf_status
find_deadlock_slots(const void *sim, struct sf_sim_deadlock *deadlock,
                    struct sf_error *err)
{
    return sf_packet_sim_find_deadlock(sim, deadlock, err);
}

static double
tick_slots(const struct sf_run_sizes *sizes)
{
    return sizes->slot;
}

static uint64_t
packet_ticks_slots(const struct sf_run_sizes *sizes)
{
    (void)sizes;
    return 1;
}

static const struct sf_carrier_ops carrier_slots = {
    .name = "slots",
    .build = build_slots,
    .free = free_slots,
    .encode = encode_slots,
    .feed = feed_slots,
    .wake = wake_slots,
    .run = run_slots,
    .now = now_slots,
    .arrived = arrived_slots,
    .n_in_flight = n_in_flight_slots,
    .n_switch_hops = n_switch_hops_slots,
    .busy = busy_slots,
    .blocked = blocked_slots,
    .find_deadlock = find_deadlock_slots,
    .tick = tick_slots,
    .packet_ticks = packet_ticks_slots,
};

static const struct sf_carrier_ops *const carriers[SF_N_SIM_TIMINGS] = {
    [SF_SIM_SLOTS] = &carrier_slots,
    [SF_SIM_EXACT] = &sf_carrier_events,
};

enum sf_status
sf_carrier_build(const struct sf_run_setup *setup, struct sf_carrier *carrier,
                 struct sf_error *err)
{
    const struct sf_carrier_ops *ops = carriers[setup->params->timing];

    *carrier = (struct sf_carrier){ 0 };
    struct sf_run_sizes sizes;
    enum sf_status status = sf_run_sizes(setup, &sizes, err);
    void *sim = NULL;
    if (status == SF_OK) {
        status = ops->build(setup, &sizes, &sim, err);
    }
    if (status != SF_OK) {
        return status;
    }
    *carrier = (struct sf_carrier){
        .ops = ops,
        .sim = sim,
        .sizes = sizes,
        .tick = ops->tick(&sizes),
        .packet_ticks = ops->packet_ticks(&sizes),
        .n_links = setup->wires->n_links,
        .n_vls = setup->source->n_vls,
    };
    return SF_OK;
}

void
sf_carrier_clear(struct sf_carrier *carrier)
{
    if (carrier->sim) {
        carrier->ops->free(carrier->sim);
    }
    *carrier = (struct sf_carrier){ 0 };
}

static enum sf_status
look_for_deadlock(const struct sf_carrier *carrier, struct sf_run *run,
                  struct sf_error *err)
{
    struct sf_sim_deadlock deadlock;
    enum sf_status status =
        carrier->ops->find_deadlock(carrier->sim, &deadlock, err);

    if (status == SF_OK && deadlock.n_cycle > 0) {
        run->deadlock_time =
            (double)carrier->ops->now(carrier->sim) * carrier->tick;
        run->n_cycle = deadlock.n_cycle;
        run->cycle = deadlock.cycle;
        deadlock.cycle = NULL;
    }
    sf_sim_deadlock_clear(&deadlock);
    return status;
}

enum sf_status
sf_carrier_advance(struct sf_carrier *carrier, uint64_t n_packets,
                   struct sf_run *run, struct sf_error *err)
{
    const struct sf_carrier_ops *ops = carrier->ops;
    uint64_t before = ops->n_switch_hops(carrier->sim);
    enum sf_status status =
        ops->run(carrier->sim, n_packets * carrier->packet_ticks, err);

    if (status != SF_OK) {
        return status;
    }
    uint64_t n_moves = ops->n_switch_hops(carrier->sim) - before;
    uint64_t n_packets_there = ops->n_in_flight(carrier->sim);
    uint64_t n_looks =
        (uint64_t)carrier->n_links * carrier->n_vls + n_packets_there;
    carrier->work += n_moves + MOVES_A_PACKET_TIME * n_packets;
    if (n_packets_there == 0 ||
        (n_moves > 0 && carrier->work < MOVES_A_LOOK * n_looks)) {
        return SF_OK;
    }
    carrier->work = 0;
    return look_for_deadlock(carrier, run, err);
}

void
sf_carrier_count(const struct sf_carrier *carrier, double *busy,
                 double *blocked)
{
    for (uint32_t l = 0; l < carrier->n_links; l++) {
        for (uint32_t vl = 0; vl < carrier->n_vls; vl++) {
            busy[(size_t)l * carrier->n_vls + vl] =
                carrier->ops->busy(carrier->sim, l, vl);
        }
        blocked[l] = carrier->ops->blocked(carrier->sim, l);
    }
}
