/* load_run.c -- an offered load until its latencies have settled.
 *
 * After a warm-up, time is cut into batches.  What they have is nearly
 * independent, if batches are long, so their spread tells how sure the mean of
 * all is.  There are MIN_BATCHES to MAX_BATCHES of them: when there are too
 * many, every two become one, so that batches grow with the run.
 *
 * The network does not take the load if packets pile up in hosts.  That is
 * looked for in what waits, not in what came, since chance makes births fewer
 * or more.  Chance also makes queues longer and shorter: births in t packet
 * times have a standard deviation of at most sqrt(births), and a queue that is
 * served as fast as it grows, or faster, strays no further.  So growth is
 * counted in these deviations.  It is that of all hosts together, or of those
 * that pile up alone, so that a full link of a large network is seen.
 *
 * A run that did not settle is finished, too, unless its queues grow: its
 * latency_error says how sure it is. */
#include "sim/carrier.h"
#include "sim/load.h"

#include "base/mem.h"
#include "slimfly/progress.h"

#include <math.h>
#include <string.h>

#define WARM_UP     2048     /* Packet times. */
#define BATCH       512      /* Packet times of a batch at first. */
#define STRIDE      256      /* Packet times between two looks for deadlock. */
#define LONG_TIMES  131072   /* Packet times that are measured at most, */
#define FEW_PACKETS 1000000  /* unless fewer packets came; then it is up to */
#define MAX_TIMES   2097152  /* so many packet times. */
#define MAX_PACKETS 30000000 /* It ends with so many packets at any time. */
#define MIN_PACKETS 100      /* Fewer say nothing of latencies. */
#define MIN_BATCHES 20
#define MAX_BATCHES 40
#define PRECISION   0.05 /* Of the mean latency, with 95 % confidence. */
/* Growth of queues, in standard deviations: what is no chance any more, and
 * what is to be watched for longer. */
#define SATURATED  5.0
#define SUSPICIOUS 0.5

_Static_assert(WARM_UP % STRIDE == 0 && BATCH % STRIDE == 0, "whole strides");

/* A part of the time that is measured. */
struct batch {
    double n, latency; /* Packets that came, and their seconds. */
};

struct measurement {
    struct sf_carrier carrier;
    struct sf_load *load;
    struct sf_run *run;
    uint32_t n_hosts;
    struct batch batches[MAX_BATCHES];
    uint32_t n_batches;
    uint64_t batch_times;   /* Packet times of a batch, */
    uint64_t times;         /* and of all. */
    double *backlog;        /* [hosts] When it began, and */
    double *waiting;        /* [hosts] now. */
    double *busy;           /* Of links when it began, */
    double *blocked;        /* as well. */
    uint64_t first_tick;    /* When it began. */
    struct sf_samples warm; /* Latencies until then. */
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

/* Half of the 95 % interval of the mean of all packets, a ratio of two sums
 * over batches.  Batches may have few packets or none. */
static double
find_error(const struct measurement *m)
{
    double packets = 0, latency = 0, squares = 0, n = m->n_batches;

    for (uint32_t i = 0; i < m->n_batches; i++) {
        packets += m->batches[i].n;
        latency += m->batches[i].latency;
    }
    if (packets == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < m->n_batches; i++) {
        const struct batch *batch = &m->batches[i];
        double more = batch->latency - batch->n * latency / packets;
        squares += more * more;
    }
    /* Student's t for that many, to three digits. */
    double t = 1.96 + 2.5 / (n - 1);
    return t * sqrt(squares * n / (n - 1)) / packets;
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
    sf_progress_report("simulating packets",
                       m->times < LONG_TIMES ? m->times : LONG_TIMES,
                       LONG_TIMES);
    enum sf_status status = advance(m, m->batch_times, err);
    struct sf_load_tally now = sf_load_tally(m->load);
    m->batches[m->n_batches++] =
        (struct batch){ (double)(now.n_delivered - before.n_delivered),
                        now.latency - before.latency };
    m->times += m->batch_times;
    return status;
}

/* How much more waits in hosts than when it began, in standard deviations of
 * births: of all hosts, or of those with more than one of their own. */
static double
find_growth(const struct measurement *m)
{
    double all = 0, piled = 0, born = 0, born_there = 0;

    sf_load_backlog(m->load, m->waiting);
    for (uint32_t h = 0; h < m->n_hosts; h++) {
        double growth = m->waiting[h] - m->backlog[h];
        double births = sf_load_rate(m->load, h) * (double)m->times;
        bool is_there = growth > sqrt(births);
        all += growth;
        born += births;
        piled += is_there ? growth : 0;
        born_there += is_there ? births : 0;
    }
    return fmax(all / sqrt(born), piled > 0 ? piled / sqrt(born_there) : 0);
}

/* Whether the mean latency is known well enough. */
static bool
has_settled(const struct measurement *m)
{
    struct sf_load_tally tally = sf_load_tally(m->load);
    double mean = tally.latency / (double)tally.n_delivered;

    return tally.n_delivered >= MIN_PACKETS &&
           m->run->latency_error <= PRECISION * mean;
}

/* Whether it has taken long enough, whatever is known by then. */
static bool
is_long(const struct measurement *m)
{
    uint64_t n_packets = sf_load_tally(m->load).n_delivered;

    return n_packets >= MAX_PACKETS || m->times >= MAX_TIMES ||
           (n_packets >= FEW_PACKETS && m->times >= LONG_TIMES);
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
        double growth = find_growth(m);
        m->run->latency_error = find_error(m);
        m->run->is_finished = growth <= SATURATED;
        is_over = growth > SATURATED || is_long(m) ||
                  (has_settled(m) && growth <= SUSPICIOUS);
    }
    if (m->run->n_cycle > 0) {
        m->run->is_finished = false;
    }
    return status;
}

static enum sf_status
reserve(struct measurement *m, struct sf_error *err)
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
    m->backlog = sf_calloc(m->n_hosts, sizeof *m->backlog);
    m->waiting = sf_calloc(m->n_hosts, sizeof *m->waiting);
    run->sent = sf_calloc(m->n_hosts, sizeof *run->sent);
    run->received = sf_calloc(m->n_hosts, sizeof *run->received);
    if (!m->backlog || !m->waiting || !m->busy || !m->blocked || !run->loads ||
        !run->blocked || !run->sent || !run->received) {
        return sf_fail(err, SF_ENOMEM, "out of memory for the loads of links");
    }
    return SF_OK;
}

/* Begins to count anew.  What was sent and received until now is kept for the
 * case of a deadlock. */
static void
begin(struct measurement *m)
{
    struct sf_load_tally tally = sf_load_tally(m->load);

    for (uint32_t h = 0; h < m->n_hosts; h++) {
        m->run->sent[h] = (double)tally.sent[h];
        m->run->received[h] = (double)tally.received[h];
    }
    m->run->n_packets = tally.n_delivered;
    m->first_tick = m->carrier.ops->now(m->carrier.sim);
    m->batch_times = BATCH;
    sf_load_backlog(m->load, m->backlog);
    sf_load_reset(m->load, &m->run->latency);
    sf_carrier_count(&m->carrier, m->busy, m->blocked);
    m->run->n_switch_hops = m->carrier.ops->n_switch_hops(m->carrier.sim);
}

/* Forgets that there was a warm-up, or what was seen in it. */
static bool
end_warm_up(struct measurement *m)
{
    struct sf_run *run = m->run;
    size_t n_channels = (size_t)m->carrier.n_links * m->carrier.n_vls;

    if (run->n_cycle > 0) {
        m->first_tick = run->n_switch_hops = 0;
        memset(m->busy, 0, n_channels * sizeof *m->busy);
        memset(m->blocked, 0, m->carrier.n_links * sizeof *m->blocked);
        return sf_samples_merge(&run->latency, &m->warm);
    }
    run->n_packets = 0;
    memset(run->sent, 0, m->n_hosts * sizeof *run->sent);
    memset(run->received, 0, m->n_hosts * sizeof *run->received);
    return true;
}

/* What was measured; until a deadlock, all that was. */
static enum sf_status
collect(struct measurement *m, struct sf_error *err)
{
    struct sf_run *run = m->run;
    const struct sf_carrier *carrier = &m->carrier;
    struct sf_load_tally tally = sf_load_tally(m->load);

    if (!end_warm_up(m)) {
        return sf_fail(err, SF_ENOMEM, "out of memory for latencies");
    }
    double ticks = (double)(carrier->ops->now(carrier->sim) - m->first_tick);
    double scale = ticks > 0 ? 1 / ticks : 0;
    double part = (double)carrier->packet_ticks * scale;
    run->time = ticks * carrier->tick;
    run->n_packets += tally.n_delivered;
    run->n_switch_hops =
        carrier->ops->n_switch_hops(carrier->sim) - run->n_switch_hops;
    for (uint32_t h = 0; h < m->n_hosts; h++) {
        run->sent[h] = (run->sent[h] + (double)tally.sent[h]) * part;
        run->received[h] =
            (run->received[h] + (double)tally.received[h]) * part;
    }
    sf_carrier_count(carrier, run->loads, run->blocked);
    for (size_t i = 0; i < (size_t)carrier->n_links * carrier->n_vls; i++) {
        run->loads[i] = (run->loads[i] - m->busy[i]) * scale;
    }
    for (uint32_t i = 0; i < carrier->n_links; i++) {
        run->blocked[i] = (run->blocked[i] - m->blocked[i]) * scale;
    }
    return SF_OK;
}

static enum sf_status
run_load(struct measurement *m, struct sf_error *err)
{
    enum sf_status status = reserve(m, err);

    if (status == SF_OK) {
        sf_load_reset(m->load, &m->warm);
        status = advance(m, WARM_UP, err);
    }
    if (status == SF_OK) {
        begin(m);
        status = measure(m, err);
    }
    return status == SF_OK ? collect(m, err) : status;
}

enum sf_status
sf_run_load(const struct sf_run_setup *setup, const struct sf_flow *flows,
            size_t n_flows, double load, struct sf_run *run,
            struct sf_error *err)
{
    struct measurement m = { .run = run, .n_hosts = setup->wires->n_hosts };

    *run = (struct sf_run){ 0 };
    enum sf_status status = sf_carrier_build(setup, &m.carrier, err);
    if (status == SF_OK) {
        status = sf_load_build(&m.carrier, setup, flows, n_flows, load,
                               &m.load, err);
    }
    if (status == SF_OK) {
        status = run_load(&m, err);
    }
    sf_load_free(m.load);
    sf_carrier_clear(&m.carrier);
    free(m.backlog);
    free(m.waiting);
    sf_samples_clear(&m.warm);
    free(m.busy);
    free(m.blocked);
    if (status != SF_OK) {
        sf_run_clear(run);
    }
    return status;
}
