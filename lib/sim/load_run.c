/* load_run.c -- an offered load until its latencies have settled.
 *
 * After a warm-up, time is cut into batches.  Their mean latencies are nearly
 * independent, if batches are long, so their spread tells how sure the mean of
 * all is.  There are MIN_BATCHES to MAX_BATCHES of them: when there are too
 * many, every two become one, so that batches grow with the run.
 *
 * The network does not take the load if packets pile up in hosts: by more than
 * SATURATED of what was offered since the warm-up.  That is looked for in what
 * waits, not in what came, since chance makes births fewer or more but does
 * not make queues grow. */
#include "sim/carrier.h"
#include "sim/load.h"

#include "base/mem.h"
#include "slimfly/progress.h"

#include <math.h>

#define WARM_UP     2048   /* Packet times. */
#define BATCH       512    /* Packet times of a batch at first. */
#define STRIDE      256    /* Packet times between two looks for deadlock. */
#define MAX_TIMES   131072 /* Packet times that are measured at most, */
#define MAX_PACKETS 30e6   /* or packets. */
#define MIN_BATCHES 20
#define MAX_BATCHES 40
#define PRECISION   0.05 /* Of the mean latency, with 95 % confidence. */
#define SATURATED   0.02

_Static_assert(WARM_UP % STRIDE == 0 && BATCH % STRIDE == 0, "whole strides");

/* A part of the time that is measured. */
struct batch {
    double n, latency; /* Packets that came, and their seconds. */
};

struct measurement {
    struct sf_carrier carrier;
    struct sf_load *load;
    struct sf_run *run;
    struct batch batches[MAX_BATCHES];
    uint32_t n_batches;
    uint64_t batch_times; /* Packet times of a batch, */
    uint64_t times;       /* and of all. */
    double backlog;       /* When it began. */
    double *busy;         /* Of links by then. */
    double *blocked;
};

static enum sf_status
advance(struct measurement *m, uint64_t n_times, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint64_t i = 0;
         status == SF_OK && i < n_times && m->run->n_cycle == 0; i += STRIDE) {
        status = sf_carrier_advance(&m->carrier, STRIDE, m->run, err);
        if (status == SF_OK) {
            status = sf_load_status(m->load, err);
        }
    }
    return status;
}

/* Half of the 95 % interval of the mean of all batches; HUGE_VAL if a batch is
 * empty. */
static double
find_error(const struct measurement *m)
{
    double sum = 0, squares = 0, n = m->n_batches;

    for (uint32_t i = 0; i < m->n_batches; i++) {
        if (m->batches[i].n == 0) {
            return HUGE_VAL;
        }
        sum += m->batches[i].latency / m->batches[i].n;
    }
    for (uint32_t i = 0; i < m->n_batches; i++) {
        double mean = m->batches[i].latency / m->batches[i].n;
        squares += (mean - sum / n) * (mean - sum / n);
    }
    /* Student's t for that many, to three digits. */
    double t = 1.96 + 2.5 / (n - 1);
    return t * sqrt(squares / (n - 1) / n);
}

static void
join_batches(struct measurement *m)
{
    for (uint32_t i = 0; i < MAX_BATCHES / 2; i++) {
        const struct batch *two = &m->batches[2 * i];
        m->batches[i] = (struct batch){ two[0].n + two[1].n,
                                        two[0].latency + two[1].latency };
    }
    m->n_batches = MAX_BATCHES / 2;
    m->batch_times *= 2;
}

static enum sf_status
run_batch(struct measurement *m, struct sf_error *err)
{
    struct sf_load_tally before = sf_load_tally(m->load);

    if (m->n_batches == MAX_BATCHES) {
        join_batches(m);
    }
    sf_progress_report("simulating packets", m->times, MAX_TIMES);
    enum sf_status status = advance(m, m->batch_times, err);
    struct sf_load_tally now = sf_load_tally(m->load);
    m->batches[m->n_batches++] =
        (struct batch){ (double)(now.n_delivered - before.n_delivered),
                        now.latency - before.latency };
    m->times += m->batch_times;
    return status;
}

static bool
is_saturated(const struct measurement *m)
{
    double growth = sf_load_backlog(m->load) - m->backlog;
    return growth > SATURATED * sf_load_offered(m->load) * (double)m->times;
}

/* Whether the mean latency is known well enough. */
static bool
has_settled(const struct measurement *m)
{
    struct sf_load_tally tally = sf_load_tally(m->load);
    double mean = tally.latency / (double)tally.n_delivered;

    return tally.n_delivered > 0 && m->run->latency_error <= PRECISION * mean;
}

static enum sf_status
measure(struct measurement *m, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    bool is_over = false;

    while (status == SF_OK && m->run->n_cycle == 0 && !is_over) {
        status = run_batch(m, err);
        if (m->n_batches < MIN_BATCHES) {
            continue;
        }
        m->run->latency_error = find_error(m);
        m->run->is_finished = has_settled(m) && !is_saturated(m);
        is_over = m->run->is_finished || is_saturated(m) ||
                  m->times >= MAX_TIMES ||
                  (double)sf_load_tally(m->load).n_delivered >= MAX_PACKETS;
    }
    if (m->run->n_cycle > 0) {
        m->run->is_finished = false;
    }
    if (!isfinite(m->run->latency_error)) {
        m->run->latency_error = 0; /* Too few came to say. */
    }
    return status;
}

static enum sf_status
reserve(struct measurement *m, uint32_t n_hosts, struct sf_error *err)
{
    struct sf_run *run = m->run;
    size_t n_links = m->carrier.n_links;
    size_t n_channels = n_links * m->carrier.n_vls;

    m->busy = sf_calloc(n_channels, sizeof *m->busy);
    m->blocked = sf_calloc(n_links, sizeof *m->blocked);
    run->n_links = m->carrier.n_links;
    run->n_vls = m->carrier.n_vls;
    run->loads = sf_calloc(n_channels, sizeof *run->loads);
    run->blocked = sf_calloc(n_links, sizeof *run->blocked);
    run->sent = sf_calloc(n_hosts, sizeof *run->sent);
    run->received = sf_calloc(n_hosts, sizeof *run->received);
    if (!m->busy || !m->blocked || !run->loads || !run->blocked ||
        !run->sent || !run->received) {
        return sf_fail(err, SF_ENOMEM, "out of memory for the loads of links");
    }
    return SF_OK;
}

/* Begins to count. */
static void
begin(struct measurement *m)
{
    m->batch_times = BATCH;
    m->backlog = sf_load_backlog(m->load);
    sf_load_reset(m->load, &m->run->latency);
    sf_carrier_count(&m->carrier, m->busy, m->blocked);
    m->run->n_switch_hops = m->carrier.ops->n_switch_hops(m->carrier.sim);
}

static void
collect(struct measurement *m, uint64_t first_tick, uint32_t n_hosts)
{
    struct sf_run *run = m->run;
    const struct sf_carrier *carrier = &m->carrier;
    struct sf_load_tally tally = sf_load_tally(m->load);
    double ticks = (double)(carrier->ops->now(carrier->sim) - first_tick);
    double scale = ticks > 0 ? 1 / ticks : 0;

    run->time = ticks * carrier->tick;
    run->n_packets = tally.n_delivered;
    run->n_switch_hops =
        carrier->ops->n_switch_hops(carrier->sim) - run->n_switch_hops;
    for (uint32_t h = 0; h < n_hosts; h++) {
        double part = (double)carrier->packet_ticks * scale;
        run->sent[h] = (double)tally.sent[h] * part;
        run->received[h] = (double)tally.received[h] * part;
    }
    sf_carrier_count(carrier, run->loads, run->blocked);
    for (size_t i = 0; i < (size_t)carrier->n_links * carrier->n_vls; i++) {
        run->loads[i] = (run->loads[i] - m->busy[i]) * scale;
    }
    for (uint32_t i = 0; i < carrier->n_links; i++) {
        run->blocked[i] = (run->blocked[i] - m->blocked[i]) * scale;
    }
}

static enum sf_status
run_load(struct measurement *m, uint32_t n_hosts, struct sf_error *err)
{
    enum sf_status status = reserve(m, n_hosts, err);

    if (status == SF_OK) {
        status = advance(m, WARM_UP, err);
    }
    if (status != SF_OK) {
        return status;
    }
    uint64_t first_tick = m->carrier.ops->now(m->carrier.sim);
    begin(m);
    status = measure(m, err);
    if (status == SF_OK) {
        collect(m, first_tick, n_hosts);
    }
    return status;
}

enum sf_status
sf_run_load(const struct sf_run_setup *setup, const struct sf_flow *flows,
            size_t n_flows, double load, struct sf_run *run,
            struct sf_error *err)
{
    struct measurement m = { .run = run };

    *run = (struct sf_run){ 0 };
    enum sf_status status = sf_carrier_build(setup, &m.carrier, err);
    if (status == SF_OK) {
        status = sf_load_build(&m.carrier, setup, flows, n_flows, load,
                               &m.load, err);
    }
    if (status == SF_OK) {
        status = run_load(&m, setup->wires->n_hosts, err);
    }
    sf_load_free(m.load);
    sf_carrier_clear(&m.carrier);
    free(m.busy);
    free(m.blocked);
    if (status != SF_OK) {
        sf_run_clear(run);
    }
    return status;
}
