#include "sim/fluid.h"

#include "base/mem.h"
#include "sim/fluid_rates.h"
#include "sim/heap.h"
#include "slimfly/graph.h"

#include <float.h>
#include <math.h>

/* What a flow has done; its links and its rate are in struct sf_fluid_rates,
 * under the same number.  Numbers of flows that ended are used again.
 *
 * A flow of a pool has the bytes of the whole message: it never gets to the
 * end of them alone. */
struct progress {
    uint32_t message;
    uint32_t pool; /* That of the message. */
    uint32_t next; /* Flow of the message, or the next number that is free. */
    double bytes, began;
    double left, since; /* What was left when it got its rate. */
};

struct message {
    double end;
    uint32_t n_flows; /* Those that have not ended. */
    uint32_t pool;    /* SF_NONE: each flow has bytes of its own. */
};

/* What the flows of a message have left together. */
struct pool {
    uint32_t first; /* The first of them stands for all in 'ends'. */
    bool is_changed;
    double left, since, rate;
};

struct sf_fluid {
    double now;
    struct sf_fluid_rates rates;
    SF_VEC(struct progress) flows;
    uint32_t first_free;
    SF_VEC(struct message) messages;
    SF_VEC(struct pool) pools;
    SF_VEC(uint32_t) changed; /* Pools with flows that have another rate. */
    uint32_t n_open;          /* Messages that have not ended. */
    struct sf_heap starts;    /* First flows of messages, by their start. */
    struct sf_heap ends;      /* Flows that run, by their end; of a pool, the
                               * first. */
    SF_VEC(uint32_t) ended;   /* Messages, at this moment. */
    double *carried;          /* [n_links] By flows that ended. */
};

static enum sf_status
out_of_memory(const struct sf_fluid *fluid, struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for %zu flows",
                   fluid->flows.n);
}

enum sf_status
sf_fluid_build(uint32_t n_links, const double *capacities,
               struct sf_fluid **fluidp, struct sf_error *err)
{
    struct sf_fluid *fluid = sf_calloc(1, sizeof *fluid);
    double *carried = sf_calloc(n_links, sizeof *carried);
    enum sf_status status = SF_OK;

    *fluidp = NULL;
    if (!fluid || !carried) {
        free(carried);
        free(fluid);
        return sf_fail(err, SF_ENOMEM, "out of memory for %u links", n_links);
    }
    fluid->first_free = SF_NONE;
    fluid->carried = carried;
    status = sf_fluid_rates_init(&fluid->rates, n_links, capacities, err);
    if (status != SF_OK) {
        sf_fluid_free(fluid);
        return status;
    }
    *fluidp = fluid;
    return SF_OK;
}

void
sf_fluid_free(struct sf_fluid *fluid)
{
    if (!fluid) {
        return;
    }
    sf_fluid_rates_clear(&fluid->rates);
    sf_heap_clear(&fluid->starts);
    sf_heap_clear(&fluid->ends);
    free(fluid->flows.items);
    free(fluid->messages.items);
    free(fluid->pools.items);
    free(fluid->changed.items);
    free(fluid->ended.items);
    free(fluid->carried);
    free(fluid);
}

static enum sf_status
check_links(const struct sf_fluid *fluid, const struct sf_fluid_flow *flow,
            struct sf_error *err)
{
    for (uint32_t i = 0; i < flow->n_links; i++) {
        if (flow->links[i] >= fluid->rates.n_links) {
            return sf_fail(err, SF_EINVAL, "a flow crosses link %u of %u",
                           flow->links[i], fluid->rates.n_links);
        }
        for (uint32_t j = 0; j < i; j++) {
            if (flow->links[i] == flow->links[j]) {
                return sf_fail(err, SF_EINVAL,
                               "a flow crosses link %u more than once",
                               flow->links[i]);
            }
        }
    }
    return SF_OK;
}

static bool
is_amount(double number)
{
    return number >= 0 && number < HUGE_VAL;
}

static enum sf_status
check_flow(const struct sf_fluid *fluid, const struct sf_fluid_flow *flow,
           struct sf_error *err)
{
    if (!is_amount(flow->bytes) || !is_amount(flow->weight) ||
        !is_amount(flow->max_rate)) {
        return sf_fail(err, SF_EINVAL,
                       "a flow has %g bytes, weight %g and largest rate %g; "
                       "they must be at least 0 and finite",
                       flow->bytes, flow->weight, flow->max_rate);
    }
    return check_links(fluid, flow, err);
}

/* Finds a number for a flow; SF_NONE if out of memory. */
static uint32_t
take_number(struct sf_fluid *fluid)
{
    struct sf_fluid_rates *rates = &fluid->rates;
    uint32_t f = fluid->first_free;

    if (f != SF_NONE) {
        fluid->first_free = fluid->flows.items[f].next;
        return f;
    }
    f = (uint32_t)fluid->flows.n;
    if (!sf_vec_push(&rates->flows, (struct sf_fluid_running){ 0 }) ||
        !sf_vec_push(&fluid->flows, (struct progress){ 0 })) {
        return SF_NONE;
    }
    uint32_t max = (uint32_t)fluid->flows.capacity;
    return sf_heap_reserve(&fluid->starts, max) &&
                   sf_heap_reserve(&fluid->ends, max)
               ? f
               : SF_NONE;
}

/* Copies the links of a flow to number 'f'. */
static bool
copy_links(struct sf_fluid *fluid, uint32_t f,
           const struct sf_fluid_flow *flow)
{
    struct sf_fluid_running *running = &fluid->rates.flows.items[f];

    if (flow->n_links > running->max_crossings) {
        struct sf_crossing *crossings =
            sf_realloc(running->crossings, flow->n_links, sizeof *crossings);
        if (!crossings) {
            return false;
        }
        running->crossings = crossings;
        running->max_crossings = flow->n_links;
    }
    running->n_crossings = flow->n_links;
    for (uint32_t i = 0; i < flow->n_links; i++) {
        running->crossings[i].link = flow->links[i];
    }
    return true;
}

/* Adds a flow of 'message' before its flow '*firstp'; false if out of
 * memory. */
static bool
add_flow(struct sf_fluid *fluid, uint32_t message,
         const struct sf_fluid_flow *flow, uint32_t *firstp)
{
    uint32_t f = take_number(fluid);

    if (f == SF_NONE || !copy_links(fluid, f, flow)) {
        return false;
    }
    struct sf_fluid_running *running = &fluid->rates.flows.items[f];
    running->weight = flow->weight > 0 ? flow->weight : 1;
    running->bound = flow->max_rate > 0 ? flow->max_rate : HUGE_VAL;
    fluid->flows.items[f] = (struct progress){
        .message = message,
        .pool = fluid->messages.items[message].pool,
        .next = *firstp,
        .bytes = flow->bytes,
        .left = flow->bytes,
    };
    *firstp = f;
    return true;
}

static enum sf_status
check_message(const struct sf_fluid *fluid, double start,
              const struct sf_fluid_flow *flows, uint32_t n_flows,
              struct sf_error *err)
{
    enum sf_status status = SF_OK;

    if (!(start >= fluid->now && start < HUGE_VAL) || n_flows == 0) {
        return sf_fail(err, SF_EINVAL,
                       "a message of %u flows starts at %g; there must be a "
                       "flow, and it is %g now",
                       n_flows, start, fluid->now);
    }
    for (uint32_t i = 0; status == SF_OK && i < n_flows; i++) {
        status = check_flow(fluid, &flows[i], err);
    }
    return status;
}

/* Adds 'message' with its flows; '*firstp' is the first of these. */
static enum sf_status
add_message(struct sf_fluid *fluid, double start, struct message message,
            const struct sf_fluid_flow *flows, uint32_t *firstp,
            uint32_t *messagep, struct sf_error *err)
{
    uint32_t number = (uint32_t)fluid->messages.n;

    *firstp = SF_NONE;
    if (!sf_vec_push(&fluid->messages, message)) {
        return out_of_memory(fluid, err);
    }
    for (uint32_t i = message.n_flows; i > 0; i--) {
        if (!add_flow(fluid, number, &flows[i - 1], firstp)) {
            return out_of_memory(fluid, err);
        }
    }
    sf_heap_set(&fluid->starts, *firstp, start);
    fluid->n_open++;
    if (messagep) {
        *messagep = number;
    }
    return SF_OK;
}

enum sf_status
sf_fluid_add(struct sf_fluid *fluid, double start,
             const struct sf_fluid_flow *flows, uint32_t n_flows,
             uint32_t *messagep, struct sf_error *err)
{
    struct message message = { HUGE_VAL, n_flows, SF_NONE };
    enum sf_status status = check_message(fluid, start, flows, n_flows, err);
    uint32_t first;

    return status == SF_OK ? add_message(fluid, start, message, flows, &first,
                                         messagep, err)
                           : status;
}

/* SF_EINVAL unless all flows have the same bytes and cross links. */
static enum sf_status
check_pool(const struct sf_fluid_flow *flows, uint32_t n_flows,
           struct sf_error *err)
{
    for (uint32_t i = 0; i < n_flows; i++) {
        if (flows[i].n_links == 0 || flows[i].bytes != flows[0].bytes) {
            return sf_fail(err, SF_EINVAL,
                           "flows that share %g bytes: flow %u has %g and "
                           "crosses %u links",
                           flows[0].bytes, i, flows[i].bytes,
                           flows[i].n_links);
        }
    }
    return SF_OK;
}

enum sf_status
sf_fluid_add_pooled(struct sf_fluid *fluid, double start,
                    const struct sf_fluid_flow *flows, uint32_t n_flows,
                    uint32_t *messagep, struct sf_error *err)
{
    uint32_t number = (uint32_t)fluid->pools.n;
    struct message message = { HUGE_VAL, n_flows, number };
    enum sf_status status = check_message(fluid, start, flows, n_flows, err);

    if (status == SF_OK) {
        status = check_pool(flows, n_flows, err);
    }
    if (status != SF_OK) {
        return status;
    }
    struct pool pool = { .left = flows[0].bytes };
    return sf_vec_push(&fluid->pools, pool)
               ? add_message(fluid, start, message, flows,
                             &fluid->pools.items[number].first, messagep, err)
               : out_of_memory(fluid, err);
}

/* What flow 'f' has left now. */
static double
left_now(const struct sf_fluid *fluid, uint32_t f)
{
    const struct progress *flow = &fluid->flows.items[f];
    double rate = fluid->rates.flows.items[f].rate;

    return fmax(flow->left - rate * (fluid->now - flow->since), 0);
}

/* The pool of flow 'f'; NULL if its bytes are its own. */
static struct pool *
pool_of(const struct sf_fluid *fluid, uint32_t f)
{
    uint32_t pool = fluid->flows.items[f].pool;

    return pool == SF_NONE ? NULL : &fluid->pools.items[pool];
}

/* Whether flow 'f' shares links while it runs: it has links, and bytes. */
static bool
is_shared(const struct sf_fluid *fluid, uint32_t f)
{
    return fluid->flows.items[f].bytes > 0 &&
           fluid->rates.flows.items[f].n_crossings > 0;
}

/* Flow 'f' begins.  What shares no links ends by itself; the others wait for a
 * rate. */
static bool
start_flow(struct sf_fluid *fluid, uint32_t f)
{
    struct progress *flow = &fluid->flows.items[f];
    struct sf_fluid_running *running = &fluid->rates.flows.items[f];

    struct pool *pool = pool_of(fluid, f);

    flow->began = flow->since = fluid->now;
    if (pool) {
        pool->since = fluid->now;
    }
    if (is_shared(fluid, f)) {
        return sf_fluid_rates_join(&fluid->rates, f);
    }
    running->rate = 0;
    sf_heap_set(&fluid->ends, f, fluid->now + flow->bytes / running->bound);
    return true;
}

/* Starts the messages whose time has come. */
static bool
start_messages(struct sf_fluid *fluid)
{
    while (sf_heap_least(&fluid->starts) <= fluid->now) {
        uint32_t f = sf_heap_first(&fluid->starts);
        sf_heap_remove(&fluid->starts, f);
        for (; f != SF_NONE; f = fluid->flows.items[f].next) {
            if (!start_flow(fluid, f)) {
                return false;
            }
        }
    }
    return true;
}

/* Flows of 'pool' are about to get other rates; false if out of memory. */
static bool
settle_pool(struct sf_fluid *fluid, struct pool *pool)
{
    if (pool->is_changed) {
        return true;
    }
    double sent = pool->rate * (fluid->now - pool->since);
    pool->left = fmax(pool->left - sent, 0);
    pool->since = fluid->now;
    pool->is_changed = true;
    return sf_vec_push(&fluid->changed, (uint32_t)(pool - fluid->pools.items));
}

/* When 'f', which has 'left' bytes and 'rate' for them, ends. */
static void
set_end(struct sf_fluid *fluid, uint32_t f, double left, double rate)
{
    if (rate > 0) {
        sf_heap_set(&fluid->ends, f, fluid->now + left / rate);
    } else {
        sf_heap_remove(&fluid->ends, f);
    }
}

/* Gives flow 'f' another rate from now on; false if out of memory. */
static bool
change_rate(struct sf_fluid *fluid, uint32_t f, double rate)
{
    struct progress *flow = &fluid->flows.items[f];
    struct pool *pool = pool_of(fluid, f);

    flow->left = left_now(fluid, f);
    flow->since = fluid->now;
    if (pool) {
        return settle_pool(fluid, pool);
    }
    set_end(fluid, f, flow->left, rate);
    return true;
}

/* Adds up the rates of pools with flows that got others. */
static void
update_pools(struct sf_fluid *fluid)
{
    for (size_t i = 0; i < fluid->changed.n; i++) {
        struct pool *pool = &fluid->pools.items[fluid->changed.items[i]];
        pool->rate = 0;
        for (uint32_t f = pool->first; f != SF_NONE;
             f = fluid->flows.items[f].next) {
            pool->rate += fluid->rates.flows.items[f].rate;
        }
        pool->is_changed = false;
        set_end(fluid, pool->first, pool->left, pool->rate);
    }
    fluid->changed.n = 0;
}

/* Computes the rates after flows have started and ended.  Ends of flows whose
 * rate is the same stay as they are, to the last bit. */
static enum sf_status
update_rates(struct sf_fluid *fluid, struct sf_error *err)
{
    struct sf_fluid_rates *rates = &fluid->rates;

    if (rates->changed.n == 0) {
        return SF_OK;
    }
    enum sf_status status = sf_fluid_rates_solve(rates, err);
    for (size_t i = 0; status == SF_OK && i < rates->affected.n; i++) {
        uint32_t f = rates->affected.items[i];
        double rate = rates->solution.items[i];
        if (rate != rates->flows.items[f].rate &&
            !change_rate(fluid, f, rate)) {
            return out_of_memory(fluid, err);
        }
        sf_fluid_rates_set(rates, f, rate);
    }
    update_pools(fluid);
    return status;
}

/* Flow 'f' is through; so is its message if it was the last. */
static bool
end_flow(struct sf_fluid *fluid, uint32_t f)
{
    const struct sf_fluid_running *running = &fluid->rates.flows.items[f];
    struct progress *flow = &fluid->flows.items[f];
    struct message *message = &fluid->messages.items[flow->message];
    double sent = flow->bytes;

    if (message->pool != SF_NONE) {
        sent -= left_now(fluid, f);
    }
    for (uint32_t i = 0; i < running->n_crossings; i++) {
        fluid->carried[running->crossings[i].link] += sent;
    }
    if (is_shared(fluid, f) && !sf_fluid_rates_leave(&fluid->rates, f)) {
        return false;
    }
    flow->next = fluid->first_free;
    fluid->first_free = f;
    if (--message->n_flows > 0) {
        return true;
    }
    message->end = fluid->now;
    fluid->n_open--;
    return sf_vec_push(&fluid->ended, flow->message);
}

/* Ends flow 'f', or all of the pool that it stands for. */
static bool
end_first(struct sf_fluid *fluid, uint32_t f)
{
    if (!pool_of(fluid, f) || !is_shared(fluid, f)) {
        return end_flow(fluid, f);
    }
    while (f != SF_NONE) {
        uint32_t next = fluid->flows.items[f].next;
        if (!end_flow(fluid, f)) {
            return false;
        }
        f = next;
    }
    return true;
}

/* Ends the flows whose ends are now or as good as that. */
static bool
end_flows(struct sf_fluid *fluid)
{
    while (fluid->ends.n > 0) {
        uint32_t f = sf_heap_first(&fluid->ends);
        double duration = fluid->now - fluid->flows.items[f].began;
        double tie = SF_FLUID_TIE * duration + 8 * DBL_EPSILON * fluid->now;
        if (sf_heap_least(&fluid->ends) > fluid->now + tie) {
            break;
        }
        sf_heap_remove(&fluid->ends, f);
        if (!end_first(fluid, f)) {
            return false;
        }
    }
    return true;
}

/* Goes on to the next moment at which flows start or end; '*isp' says whether
 * there is one. */
static enum sf_status
step(struct sf_fluid *fluid, bool *isp, struct sf_error *err)
{
    if (!start_messages(fluid)) {
        return out_of_memory(fluid, err);
    }
    enum sf_status status = update_rates(fluid, err);
    if (status != SF_OK) {
        return status;
    }
    double next =
        fmin(sf_heap_least(&fluid->starts), sf_heap_least(&fluid->ends));
    *isp = next < HUGE_VAL;
    if (*isp) {
        fluid->now = next;
        if (!end_flows(fluid)) {
            return out_of_memory(fluid, err);
        }
    } else if (fluid->n_open > 0) {
        return sf_fail(err, SF_EUNREACHABLE,
                       "messages that wait for links without capacity: %u",
                       fluid->n_open);
    }
    return SF_OK;
}

static int
compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

enum sf_status
sf_fluid_next(struct sf_fluid *fluid, struct sf_fluid_ended *ended,
              struct sf_error *err)
{
    enum sf_status status = SF_OK;
    bool is_more = true;

    fluid->ended.n = 0;
    while (status == SF_OK && is_more && fluid->ended.n == 0) {
        status = step(fluid, &is_more, err);
    }
    if (fluid->ended.n > 1) {
        qsort(fluid->ended.items, fluid->ended.n, sizeof *fluid->ended.items,
              compare_numbers);
    }
    *ended = (struct sf_fluid_ended){
        .time = fluid->now,
        .messages = fluid->ended.items,
        .n = (uint32_t)fluid->ended.n,
    };
    return status;
}

enum sf_status
sf_fluid_run(struct sf_fluid *fluid, sf_fluid_listener *listener,
             void *context, struct sf_error *err)
{
    for (;;) {
        struct sf_fluid_ended ended;
        enum sf_status status = sf_fluid_next(fluid, &ended, err);
        if (status == SF_OK && ended.n > 0 && listener) {
            status = listener(context, fluid, &ended, err);
        }
        if (status != SF_OK || ended.n == 0) {
            return status;
        }
    }
}

double
sf_fluid_now(const struct sf_fluid *fluid)
{
    return fluid->now;
}

double
sf_fluid_end_of(const struct sf_fluid *fluid, uint32_t message)
{
    return fluid->messages.items[message].end;
}

double
sf_fluid_carried(const struct sf_fluid *fluid, uint32_t l)
{
    const struct sf_fluid_link *link = &fluid->rates.links[l];
    double bytes = fluid->carried[l];

    for (size_t i = 0; i < link->crossed.n; i++) {
        uint32_t f = link->crossed.items[i].flow;
        bytes += fluid->flows.items[f].bytes - left_now(fluid, f);
    }
    return bytes;
}
