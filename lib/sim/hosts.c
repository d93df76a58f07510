/* hosts.c -- messages on their way through hosts.
 *
 * A message waits for others, then in a heap until it is ready, then in a
 * queue until its first packet may leave, then takes its turn in the ring of
 * its host.  Each message is in one of these at most, so all are reserved
 * beforehand and nothing can fail while packets move, but for samples. */
#include "sim/hosts.h"

#include "base/mem.h"
#include "sim/pairs.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#include <math.h>

/* Ticks that rounding may add to a time that is a whole number of them. */
#define ROUNDING 1e-6

/* A message, or a computation, which has no packets. */
struct flow {
    double ready;  /* When the last that it waits for came, in ticks. */
    uint32_t pair; /* SF_NONE: a computation. */
    uint32_t n_packets, n_left; /* All of them; those that are not sent. */
    uint32_t n_under_way;
    uint32_t n_waits; /* For how many messages it still waits. */
    uint32_t next;    /* In the queue or the ring of its host, or of joins. */
    uint8_t address;  /* The one it takes; the next to try of a stripe. */
    bool is_striped;
};

/* A message that will be ready. */
struct entry {
    double time; /* Ticks. */
    uint32_t message;
};

struct host {
    struct entry *heap; /* [messages of this host] By time, then number. */
    uint32_t n_heap;
    uint32_t first_queued, last_queued; /* Started; SF_NONE. */
    uint32_t last; /* Of the ring, whose next is the first; SF_NONE. */
    uint64_t due;  /* When heap or queue have something; SF_NEVER. */
};

struct sf_hosts {
    const struct sf_carrier *carrier;
    const struct sf_run_setup *setup;
    const struct sf_program *program;
    struct sf_pairs pairs;
    uint32_t window;
    uint32_t tag_bits;           /* Of the address in tags. */
    double overhead, host_delay; /* Ticks. */
    struct host *hosts;          /* [hosts] */
    uint32_t joins;  /* The first computation without a CPU that is ready and
                      * of which others are not told yet; SF_NONE. */
    double *free_at; /* [hosts * n_cpus] When a CPU can start another message
                      * or computation, in ticks. */
    struct entry *entries; /* [messages] The heaps. */
    struct flow *flows;    /* [messages] */
    uint32_t *parts; /* [messages * addresses] Packets of a stripe that are
                      * left for each address; empty if there are none. */
    double *starts, *ends; /* [messages] Ticks; HUGE_VAL. */
    struct sf_samples latency;
    struct sf_hosts_state state;
    bool is_out_of_memory;
};

static bool
is_before(const struct entry *a, const struct entry *b)
{
    return a->time < b->time ||
           (a->time == b->time && a->message < b->message);
}

static void
heap_push(struct host *host, struct entry entry)
{
    uint32_t i = host->n_heap++;

    while (i > 0 && is_before(&entry, &host->heap[(i - 1) / 2])) {
        host->heap[i] = host->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    host->heap[i] = entry;
}

static struct entry
heap_pop(struct host *host)
{
    struct entry first = host->heap[0], entry = host->heap[--host->n_heap];
    uint32_t i = 0, n = host->n_heap;

    while (2 * (size_t)i + 1 < n) {
        uint32_t child = 2 * i + 1;
        if (child + 1 < n &&
            is_before(&host->heap[child + 1], &host->heap[child])) {
            child++;
        }
        if (!is_before(&host->heap[child], &entry)) {
            break;
        }
        host->heap[i] = host->heap[child];
        i = child;
    }
    host->heap[i] = entry;
    return first;
}

/* The first tick that is not before 'time'. */
static uint64_t
tick_from(double time)
{
    return (uint64_t)ceil(time - ROUNDING);
}

/* When the first packet of a message that has started may leave. */
static uint64_t
leaves_at(const struct sf_hosts *hosts, uint32_t message)
{
    return tick_from(hosts->starts[message] + hosts->host_delay);
}

static void
set_due(const struct sf_hosts *hosts, struct host *host)
{
    host->due = SF_NEVER;
    if (host->n_heap > 0) {
        host->due = tick_from(host->heap[0].time);
    }
    if (host->first_queued != SF_NONE) {
        uint64_t leaves = leaves_at(hosts, host->first_queued);
        host->due = leaves < host->due ? leaves : host->due;
    }
}

static void
ring_append(struct sf_hosts *hosts, struct host *host, uint32_t message)
{
    struct flow *flow = &hosts->flows[message];

    if (host->last == SF_NONE) {
        flow->next = message;
    } else {
        flow->next = hosts->flows[host->last].next;
        hosts->flows[host->last].next = message;
    }
    host->last = message;
}

/* Takes the message after 'before' out of its ring. */
static void
ring_remove_after(struct sf_hosts *hosts, struct host *host, uint32_t before)
{
    uint32_t message = hosts->flows[before].next;

    hosts->flows[before].next = hosts->flows[message].next;
    if (host->last == message) {
        host->last = message == before ? SF_NONE : before;
    }
}

/* Takes 'duration' of the CPU of 'message' from 'ready' on; returns the
 * start. */
static double
take_cpu(struct sf_hosts *hosts, const struct sf_message *message,
         double ready, double duration)
{
    double *cpu =
        &hosts->free_at[(size_t)message->from * hosts->program->n_cpus +
                        message->cpu];
    double start = ready > *cpu ? ready : *cpu;
    *cpu = start + duration;
    return start;
}

/* A message waits for no other any more.  What takes no CPU has no turn to
 * wait for. */
static void
become_ready(struct sf_hosts *hosts, uint32_t message)
{
    const struct sf_message *given = &hosts->program->messages.items[message];
    struct flow *flow = &hosts->flows[message];
    struct host *host = &hosts->hosts[given->from];

    hosts->state.n_active++;
    if (sf_message_is_sent(given)) {
        double delay = given->delay / hosts->carrier->tick;
        heap_push(host, (struct entry){ flow->ready + delay, message });
    } else if (given->cpu != SF_NO_CPU) {
        heap_push(host, (struct entry){ flow->ready, message });
    } else {
        flow->next = hosts->joins;
        hosts->joins = message;
    }
}

/* What waits for the start of 'message', or for its end, need not do so after
 * 'time'.  Hosts of what is ready then are woken, if 'wakes'. */
static void
let_go(struct sf_hosts *hosts, uint32_t message, bool is_start, double time,
       bool wakes)
{
    const struct sf_program *program = hosts->program;
    const struct sf_carrier *carrier = hosts->carrier;

    for (uint32_t i = program->first[message]; i < program->first[message + 1];
         i++) {
        const struct sf_wait *wait = &program->waits.items[i];
        struct flow *flow = &hosts->flows[wait->after];
        if (wait->is_start != is_start) {
            continue;
        }
        flow->ready = fmax(flow->ready, time);
        if (--flow->n_waits > 0) {
            continue;
        }
        become_ready(hosts, wait->after);
        if (wakes) {
            uint32_t from = program->messages.items[wait->after].from;
            set_due(hosts, &hosts->hosts[from]);
            carrier->ops->wake(carrier->sim, from);
        }
    }
}

/* A computation starts.  Nothing happens at its end but what others do, who
 * hear of it now. */
static void
compute(struct sf_hosts *hosts, uint32_t message, double start, bool wakes)
{
    double duration =
        hosts->program->messages.items[message].delay / hosts->carrier->tick;

    hosts->starts[message] = start;
    hosts->ends[message] = start + duration;
    hosts->state.n_left--;
    hosts->state.n_active--;
    let_go(hosts, message, true, start, wakes);
    let_go(hosts, message, false, start + duration, wakes);
}

/* Does the computations without a CPU that became ready. */
static void
do_joins(struct sf_hosts *hosts, bool wakes)
{
    while (hosts->joins != SF_NONE) {
        uint32_t message = hosts->joins;
        hosts->joins = hosts->flows[message].next;
        compute(hosts, message, hosts->flows[message].ready, wakes);
    }
}

/* The host takes a ready message on, as soon as it has time. */
static void
start(struct sf_hosts *hosts, struct host *host, struct entry ready)
{
    const struct sf_message *message =
        &hosts->program->messages.items[ready.message];
    double time = ready.time;

    if (hosts->overhead > 0 && message->cpu != SF_NO_CPU) {
        time =
            take_cpu(hosts, message, time, hosts->overhead) + hosts->overhead;
    }
    hosts->starts[ready.message] = time;
    hosts->flows[ready.message].next = SF_NONE;
    if (host->first_queued == SF_NONE) {
        host->first_queued = ready.message;
    } else {
        hosts->flows[host->last_queued].next = ready.message;
    }
    host->last_queued = ready.message;
    let_go(hosts, ready.message, true, time, false);
}

/* The host computes, as soon as the CPU has time. */
static void
start_computing(struct sf_hosts *hosts, struct entry ready)
{
    const struct sf_message *message =
        &hosts->program->messages.items[ready.message];
    double duration = message->delay / hosts->carrier->tick;

    compute(hosts, ready.message,
            take_cpu(hosts, message, ready.time, duration), false);
}

/* Deals the packets of a message out to all addresses. */
static void
deal_parts(struct sf_hosts *hosts, uint32_t message)
{
    struct flow *flow = &hosts->flows[message];
    uint32_t n = hosts->pairs.n_addresses;
    uint32_t n_more = flow->n_packets % n;
    uint32_t first = sf_pairs_take_turn(&hosts->pairs, flow->pair, n_more);

    for (uint32_t i = 0; i < n; i++) {
        hosts->parts[(size_t)message * n + (first + i) % n] =
            flow->n_packets / n + (i < n_more);
    }
    flow->address = (uint8_t)first;
}

/* The first packet of a message may leave. */
static void
let_send(struct sf_hosts *hosts, struct host *host, uint32_t message)
{
    struct flow *flow = &hosts->flows[message];

    if (flow->is_striped) {
        deal_parts(hosts, message);
    } else if (hosts->setup->params->select == SF_SELECT_MESSAGE) {
        flow->address =
            (uint8_t)sf_pairs_take_turn(&hosts->pairs, flow->pair, 1);
    }
    ring_append(hosts, host, message);
}

/* Moves on all whose time has come. */
static void
catch_up(struct sf_hosts *hosts, struct host *host, uint64_t now)
{
    while (host->n_heap > 0 && tick_from(host->heap[0].time) <= now) {
        struct entry ready = heap_pop(host);
        if (hosts->flows[ready.message].pair == SF_NONE) {
            start_computing(hosts, ready);
        } else {
            start(hosts, host, ready);
        }
        do_joins(hosts, false);
    }
    while (host->first_queued != SF_NONE &&
           leaves_at(hosts, host->first_queued) <= now) {
        uint32_t message = host->first_queued;
        host->first_queued = hosts->flows[message].next;
        let_send(hosts, host, message);
    }
    set_due(hosts, host);
}

/* The next address of a stripe that has packets left and room. */
static uint32_t
choose_part(struct sf_hosts *hosts, uint32_t message, uint32_t vls)
{
    struct flow *flow = &hosts->flows[message];
    uint32_t n = hosts->pairs.n_addresses;
    const uint32_t *parts = &hosts->parts[(size_t)message * n];
    uint32_t a = flow->address;

    for (uint32_t i = 0; i < n; i++) {
        if (parts[a] > 0 &&
            sf_pairs_is_open(&hosts->pairs, flow->pair, a, vls)) {
            return a;
        }
        a = a + 1 < n ? a + 1 : 0;
    }
    return SF_NONE;
}

/* The address that the next packet of a message takes; SF_NONE if none has
 * room. */
static inline uint32_t
choose_address(struct sf_hosts *hosts, uint32_t message, uint32_t vls)
{
    const struct flow *flow = &hosts->flows[message];

    if (flow->is_striped) {
        return choose_part(hosts, message, vls);
    }
    if (hosts->tag_bits > 0) {
        return sf_pairs_fewest(&hosts->pairs, flow->pair, vls);
    }
    return sf_pairs_is_open(&hosts->pairs, flow->pair, flow->address, vls)
               ? flow->address
               : SF_NONE;
}

/* The bytes on the wire of the next packet; 0: it is full. */
static uint32_t
wire_bytes(const struct sf_hosts *hosts, uint32_t message)
{
    const struct sf_sim_net *net = &hosts->setup->params->net;
    uint64_t bytes = hosts->program->messages.items[message].bytes;
    const struct flow *flow = &hosts->flows[message];
    uint64_t before = (uint64_t)(flow->n_packets - 1) * net->mtu;

    return flow->n_left > 1 || bytes - before == net->mtu
               ? 0
               : (uint32_t)(bytes - before) + net->header;
}

static inline void
fill_offer(struct sf_hosts *hosts, uint32_t message, uint32_t address,
           uint64_t now, struct sf_sim_offer *offer)
{
    struct flow *flow = &hosts->flows[message];

    offer->route = *sf_pairs_route(&hosts->pairs, flow->pair, address);
    offer->born = now;
    offer->tag = message << hosts->tag_bits;
    offer->bytes = wire_bytes(hosts, message);
    if (hosts->tag_bits > 0) {
        offer->tag |= address;
        sf_pairs_note_sent(&hosts->pairs, flow->pair, address);
    }
    if (flow->is_striped) {
        uint32_t n = hosts->pairs.n_addresses;
        hosts->parts[(size_t)message * n + address]--;
        flow->address = (uint8_t)(address + 1 < n ? address + 1 : 0);
    }
    flow->n_left--;
    flow->n_under_way++;
    hosts->state.n_sent++;
}

/* The feeder's next(): feeder.h. */
static bool
next_packet(void *context, uint32_t number, uint64_t now, uint32_t vls,
            struct sf_sim_offer *offer)
{
    struct sf_hosts *hosts = context;
    struct host *host = &hosts->hosts[number];

    if (host->due <= now) {
        catch_up(hosts, host, now);
    }
    offer->wake = host->due;
    uint32_t last = host->last, before = last;
    if (last == SF_NONE) {
        return false;
    }
    do {
        uint32_t message = hosts->flows[before].next;
        uint32_t address = choose_address(hosts, message, vls);
        if (address != SF_NONE) {
            const struct flow *flow = &hosts->flows[message];
            fill_offer(hosts, message, address, now, offer);
            ring_remove_after(hosts, host, before);
            if (flow->n_left > 0 && flow->n_under_way < hosts->window) {
                ring_append(hosts, host, message);
            }
            return true;
        }
        before = message;
    } while (before != last);
    return false;
}

/* The last packet of a message has come. */
static void
end_message(struct sf_hosts *hosts, uint32_t message)
{
    const struct sf_carrier *carrier = hosts->carrier;
    double time =
        (double)carrier->ops->arrived(carrier->sim) + hosts->host_delay;

    hosts->ends[message] = time;
    hosts->state.n_left--;
    hosts->state.n_active--;
    let_go(hosts, message, false, time, true);
    do_joins(hosts, true);
}

/* The feeder's delivered(): feeder.h. */
static void
note_delivery(void *context, uint32_t tag, uint64_t latency)
{
    struct sf_hosts *hosts = context;
    const struct sf_carrier *carrier = hosts->carrier;
    uint32_t message = tag >> hosts->tag_bits;
    struct flow *flow = &hosts->flows[message];
    double ticks = (double)latency + 2 * hosts->host_delay;

    hosts->state.n_delivered++;
    if (!sf_samples_add(&hosts->latency, ticks * carrier->tick, 1)) {
        hosts->is_out_of_memory = true;
    }
    if (hosts->tag_bits > 0) {
        sf_pairs_note_delivered(&hosts->pairs, flow->pair,
                                tag & ((1u << hosts->tag_bits) - 1));
    }
    flow->n_under_way--;
    if (flow->n_left == 0 && flow->n_under_way == 0) {
        end_message(hosts, message);
    } else if (flow->n_left > 0 && flow->n_under_way + 1 == hosts->window) {
        uint32_t from = hosts->program->messages.items[message].from;
        ring_append(hosts, &hosts->hosts[from], message);
        carrier->ops->wake(carrier->sim, from);
    }
}

/* Sets up. */

static enum sf_status
check_sizes(const struct sf_hosts *hosts, struct sf_error *err)
{
    const struct sf_program *program = hosts->program;
    uint32_t mtu = hosts->setup->params->net.mtu;

    if (hosts->tag_bits > 0 &&
        (uint64_t)program->messages.n << hosts->tag_bits > UINT32_MAX) {
        return sf_fail(err, SF_ELIMIT,
                       "%zu messages to hosts with %u addresses are more than "
                       "adaptive hosts can number",
                       program->messages.n, hosts->pairs.n_addresses);
    }
    for (size_t i = 0; i < program->messages.n; i++) {
        if (program->messages.items[i].bytes / mtu >= UINT32_MAX) {
            return sf_fail(
                err, SF_ELIMIT,
                "message %zu of %llu bytes, expected fewer than "
                "2^32 packets of %u",
                i, (unsigned long long)program->messages.items[i].bytes, mtu);
        }
    }
    return SF_OK;
}

/* Sorts 'order', numbers of 'n' messages, by one end of them; 'next' has room
 * for a number a host and one more. */
static void
sort_by_end(const struct sf_program *program, bool by_sender,
            const uint32_t *order, size_t n, uint32_t *sorted, uint32_t *next,
            uint32_t n_hosts)
{
    const struct sf_message *messages = program->messages.items;

    for (uint32_t i = 0; i <= n_hosts; i++) {
        next[i] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        const struct sf_message *message = &messages[order[i]];
        next[(by_sender ? message->from : message->to) + 1]++;
    }
    for (uint32_t i = 0; i < n_hosts; i++) {
        next[i + 1] += next[i];
    }
    for (size_t i = 0; i < n; i++) {
        const struct sf_message *message = &messages[order[i]];
        sorted[next[by_sender ? message->from : message->to]++] = order[i];
    }
}

/* Whether two messages are of one pair. */
static bool
is_same_pair(const struct sf_message *a, const struct sf_message *b)
{
    return a->from == b->from && a->to == b->to;
}

/* Numbers the pairs of 'n' messages in the order of senders and receivers, and
 * tells each message its own.  Returns how many there are. */
static uint32_t
number_pairs(struct sf_hosts *hosts, const uint32_t *order, size_t n)
{
    const struct sf_message *messages = hosts->program->messages.items;
    uint32_t n_pairs = 0;

    for (size_t i = 0; i < n; i++) {
        n_pairs += i == 0 ||
                   !is_same_pair(&messages[order[i]], &messages[order[i - 1]]);
        hosts->flows[order[i]].pair = n_pairs - 1;
    }
    return n_pairs;
}

static enum sf_status
set_up_pairs(struct sf_hosts *hosts, struct sf_error *err)
{
    const struct sf_message *messages = hosts->program->messages.items;
    size_t n = hosts->program->messages.n, n_sent = 0;
    uint32_t n_hosts = hosts->setup->wires->n_hosts;
    uint32_t *order = sf_calloc(n, sizeof *order);
    uint32_t *sorted = sf_calloc(n, sizeof *sorted);
    uint32_t *next = sf_calloc((size_t)n_hosts + 1, sizeof *next);
    enum sf_status status;

    if (!order || !sorted || !next) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %zu messages", n);
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        hosts->flows[i].pair = SF_NONE;
        if (sf_message_is_sent(&messages[i])) {
            order[n_sent++] = (uint32_t)i;
        }
    }
    sort_by_end(hosts->program, false, order, n_sent, sorted, next, n_hosts);
    sort_by_end(hosts->program, true, sorted, n_sent, order, next, n_hosts);
    status =
        sf_pairs_build(hosts->carrier, hosts->setup,
                       number_pairs(hosts, order, n_sent), &hosts->pairs, err);
    for (size_t i = 0; status == SF_OK && i < n_sent; i++) {
        const struct sf_message *message = &messages[order[i]];
        hosts->pairs.ends[hosts->flows[order[i]].pair] =
            (struct sf_pair){ message->from, message->to };
    }
done:
    free(order);
    free(sorted);
    free(next);
    return status;
}

static void
set_up_flows(struct sf_hosts *hosts)
{
    const struct sf_simulation_params *params = hosts->setup->params;
    struct sf_random random;

    sf_random_init(&random, hosts->setup->seed, 0);
    for (size_t i = 0; i < hosts->program->messages.n; i++) {
        const struct sf_message *message = &hosts->program->messages.items[i];
        struct flow *flow = &hosts->flows[i];
        flow->n_waits = message->n_waits;
        hosts->starts[i] = hosts->ends[i] = HUGE_VAL;
        if (!sf_message_is_sent(message)) {
            continue;
        }
        flow->n_packets =
            (uint32_t)((message->bytes - 1) / params->net.mtu + 1);
        flow->n_left = flow->n_packets;
        flow->is_striped = params->select == SF_SELECT_STRIPE &&
                           message->bytes > params->eager;
        if (params->select == SF_SELECT_RANDOM) {
            flow->address =
                (uint8_t)sf_random_below(&random, hosts->pairs.n_addresses);
        }
        hosts->state.n_packets += flow->n_packets;
    }
    hosts->state.n_left = (uint32_t)hosts->program->messages.n;
}

/* Gives each host room for all its messages, and those that wait for none. */
static void
set_up_hosts(struct sf_hosts *hosts)
{
    const struct sf_program *program = hosts->program;
    uint32_t n_hosts = hosts->setup->wires->n_hosts;
    double now = (double)hosts->carrier->ops->now(hosts->carrier->sim);
    struct entry *heap = hosts->entries;

    for (size_t i = 0; i < program->messages.n; i++) {
        hosts->hosts[program->messages.items[i].from].n_heap++;
    }
    for (uint32_t i = 0; i < n_hosts; i++) {
        struct host *host = &hosts->hosts[i];
        uint32_t n = host->n_heap;
        *host = (struct host){
            .heap = heap,
            .first_queued = SF_NONE,
            .last = SF_NONE,
            .due = SF_NEVER,
        };
        heap += n;
    }
    hosts->joins = SF_NONE;
    for (size_t i = 0; i < program->messages.n; i++) {
        hosts->flows[i].ready = now;
    }
    for (size_t i = 0; i < program->messages.n; i++) {
        if (hosts->flows[i].n_waits == 0) {
            become_ready(hosts, (uint32_t)i);
        }
    }
    do_joins(hosts, false);
    for (uint32_t i = 0; i < n_hosts; i++) {
        set_due(hosts, &hosts->hosts[i]);
    }
}

/* Finds the routes that messages are sure to take one day, which those of one
 * pair share: 'n_used' [pairs] says how many addresses do, from the first. */
static enum sf_status
find_in_turn(struct sf_hosts *hosts, uint32_t *n_used, struct sf_error *err)
{
    uint32_t n = hosts->pairs.n_addresses;
    enum sf_status status = SF_OK;

    for (size_t i = 0; i < hosts->program->messages.n; i++) {
        const struct flow *flow = &hosts->flows[i];
        if (flow->pair == SF_NONE) {
            continue;
        }
        uint32_t more = flow->is_striped ? flow->n_packets : 1;
        uint32_t left = n - n_used[flow->pair];
        n_used[flow->pair] += more < left ? more : left;
    }
    for (uint32_t p = 0; status == SF_OK && p < hosts->pairs.n_pairs; p++) {
        bool is_all = hosts->setup->params->select == SF_SELECT_ADAPTIVE;
        status =
            sf_pairs_find_all(&hosts->pairs, p, is_all ? n : n_used[p], err);
        if (p % 4096 == 0) {
            sf_progress_report("finding paths", p, hosts->pairs.n_pairs);
        }
    }
    return status;
}

static enum sf_status
find_routes(struct sf_hosts *hosts, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    if (hosts->setup->params->select == SF_SELECT_RANDOM) {
        for (size_t i = 0; status == SF_OK && i < hosts->program->messages.n;
             i++) {
            const struct flow *flow = &hosts->flows[i];
            if (flow->pair != SF_NONE) {
                status = sf_pairs_find(&hosts->pairs, flow->pair,
                                       flow->address, err);
            }
        }
        return status;
    }
    uint32_t *n_used = sf_calloc(hosts->pairs.n_pairs, sizeof *n_used);
    status = n_used ? find_in_turn(hosts, n_used, err)
                    : sf_fail(err, SF_ENOMEM, "out of memory for routes");
    free(n_used);
    return status;
}

static bool
allocate(struct sf_hosts *hosts)
{
    size_t n = hosts->program->messages.n;

    hosts->hosts =
        sf_calloc(hosts->setup->wires->n_hosts, sizeof *hosts->hosts);
    hosts->free_at = sf_calloc((size_t)hosts->setup->wires->n_hosts *
                                   hosts->program->n_cpus,
                               sizeof *hosts->free_at);
    hosts->entries = sf_calloc(n, sizeof *hosts->entries);
    hosts->flows = sf_calloc(n, sizeof *hosts->flows);
    hosts->starts = sf_calloc(n, sizeof *hosts->starts);
    hosts->ends = sf_calloc(n, sizeof *hosts->ends);
    return hosts->hosts && hosts->free_at && hosts->entries && hosts->flows &&
           hosts->starts && hosts->ends;
}

/* All that depends on the number of addresses. */
static enum sf_status
set_up_addresses(struct sf_hosts *hosts, struct sf_error *err)
{
    enum sf_select select = hosts->setup->params->select;
    size_t n = hosts->program->messages.n * hosts->pairs.n_addresses;

    if (select == SF_SELECT_ADAPTIVE) {
        /* One bit is enough to tell that packets choose for themselves. */
        hosts->tag_bits =
            hosts->pairs.address_bits ? hosts->pairs.address_bits : 1;
    }
    hosts->parts =
        sf_calloc(select == SF_SELECT_STRIPE ? n : 0, sizeof *hosts->parts);
    if (!hosts->parts) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu messages",
                       hosts->program->messages.n);
    }
    return check_sizes(hosts, err);
}

static enum sf_status
set_up(struct sf_hosts *hosts, struct sf_error *err)
{
    if (!allocate(hosts)) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu messages",
                       hosts->program->messages.n);
    }
    enum sf_status status = set_up_pairs(hosts, err);
    if (status == SF_OK) {
        status = set_up_addresses(hosts, err);
    }
    if (status != SF_OK) {
        return status;
    }
    set_up_flows(hosts);
    set_up_hosts(hosts);
    status = find_routes(hosts, err);
    if (status != SF_OK) {
        return status;
    }
    struct sf_sim_feeder feeder = { hosts, next_packet, note_delivery };
    return hosts->carrier->ops->feed(hosts->carrier->sim, &feeder, err);
}

enum sf_status
sf_hosts_build(const struct sf_carrier *carrier,
               const struct sf_run_setup *setup,
               const struct sf_program *program, struct sf_hosts **hostsp,
               struct sf_error *err)
{
    const struct sf_simulation_params *params = setup->params;

    *hostsp = NULL;
    struct sf_hosts *hosts = sf_calloc(1, sizeof *hosts);
    if (!hosts) {
        return sf_fail(err, SF_ENOMEM, "out of memory for hosts");
    }
    hosts->carrier = carrier;
    hosts->setup = setup;
    hosts->program = program;
    hosts->window = params->window ? params->window : UINT32_MAX;
    hosts->overhead = params->overhead / carrier->tick;
    hosts->host_delay = params->net.host_delay / carrier->tick;
    enum sf_status status = set_up(hosts, err);
    if (status != SF_OK) {
        sf_hosts_free(hosts);
        return status;
    }
    *hostsp = hosts;
    return SF_OK;
}

void
sf_hosts_free(struct sf_hosts *hosts)
{
    if (!hosts) {
        return;
    }
    sf_pairs_clear(&hosts->pairs);
    sf_samples_clear(&hosts->latency);
    free(hosts->hosts);
    free(hosts->free_at);
    free(hosts->entries);
    free(hosts->flows);
    free(hosts->parts);
    free(hosts->starts);
    free(hosts->ends);
    free(hosts);
}

struct sf_hosts_state
sf_hosts_state(const struct sf_hosts *hosts)
{
    return hosts->state;
}

enum sf_status
sf_hosts_status(const struct sf_hosts *hosts, struct sf_error *err)
{
    return hosts->is_out_of_memory
               ? sf_fail(err, SF_ENOMEM, "out of memory for latencies")
               : SF_OK;
}

struct sf_message_state
sf_hosts_message(const struct sf_hosts *hosts, uint32_t message)
{
    const struct flow *flow = &hosts->flows[message];
    uint32_t n_sent = flow->n_packets - flow->n_left;

    return (struct sf_message_state){
        .n_packets = flow->n_packets,
        .n_sent = n_sent,
        .n_delivered = n_sent - flow->n_under_way,
        .start = hosts->starts[message] * hosts->carrier->tick,
        .end = hosts->ends[message] * hosts->carrier->tick,
    };
}

void
sf_hosts_finish(struct sf_hosts *hosts, struct sf_run *run)
{
    for (size_t i = 0; i < hosts->program->messages.n; i++) {
        hosts->starts[i] *= hosts->carrier->tick;
        hosts->ends[i] *= hosts->carrier->tick;
    }
    run->starts = hosts->starts;
    run->ends = hosts->ends;
    run->latency = hosts->latency;
    run->n_packets = hosts->state.n_delivered;
    hosts->starts = hosts->ends = NULL;
    hosts->latency = (struct sf_samples){ 0 };
}
