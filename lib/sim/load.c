#include "sim/load.h"

#include "base/mem.h"
#include "sim/pairs.h"
#include "slimfly/random.h"

#include <math.h>

/* How far ahead births are drawn, in packet times. */
#define HORIZON 256

/* A choice among flows by the alias method (A. J. Walker, 1977): draw one of
 * them evenly; it stays with a probability, else its alias takes its place. */
struct choice {
    uint64_t stays; /* 53 random bits are below: it stays. */
    uint32_t alias;
};

/* A host: the packets that it gets, one after another. */
struct births {
    struct sf_random random;
    uint64_t threshold; /* A packet is born if 53 random bits are below. */
    double rate;        /* Packets a packet time. */
    uint64_t time;      /* The first packet time that is not drawn. */
    uint64_t offset;    /* Ticks of a birth after the start of its time. */
    bool has_packet;    /* Born in the packet time before that one. */
    uint32_t pair;      /* Of that packet. */
    uint32_t address;   /* Its address, unless it is adaptive. */
};

struct sf_load {
    const struct sf_carrier *carrier;
    const struct sf_run_setup *setup;
    struct sf_pairs pairs; /* One for each flow. */
    enum sf_select select;
    uint32_t n_hosts;
    uint32_t *first;        /* [hosts + 1] Where the pairs of a host begin. */
    struct choice *choices; /* [pairs] */
    struct births *births;  /* [hosts] */
    double offered, host_delay; /* Packets a packet time; seconds. */

    struct sf_load_tally tally;
    uint64_t *sent, *received; /* [hosts] */
    struct sf_samples *latencies;
    enum sf_status status;
    struct sf_error err;
};

static uint64_t
bits_below(double p)
{
    return (uint64_t)(p * 0x1p53);
}

/* Draws the flow of a new packet of 'host', and its address. */
static void
draw_packet(const struct sf_load *load, uint32_t host, struct births *births)
{
    uint32_t first = load->first[host];
    uint32_t n = load->first[host + 1] - first;
    uint32_t i = sf_random_below(&births->random, n);
    const struct choice *choice = &load->choices[first + i];

    births->has_packet = true;
    births->pair = sf_random_next(&births->random) >> 11 < choice->stays
                       ? first + i
                       : choice->alias;
    births->address = 0;
    if (load->select == SF_SELECT_RANDOM) {
        births->address =
            sf_random_below(&births->random, load->pairs.n_addresses);
    }
}

/* Draws packet times before 'end' until a packet is born. */
static void
draw(const struct sf_load *load, uint32_t host, struct births *births,
     uint64_t end)
{
    while (!births->has_packet && births->time < end) {
        births->time++;
        if (sf_random_next(&births->random) >> 11 < births->threshold) {
            draw_packet(load, host, births);
        }
    }
}

/* When the packet was born. */
static uint64_t
born(const struct sf_load *load, const struct births *births)
{
    return (births->time - 1) * load->carrier->packet_ticks + births->offset;
}

static bool
takes_turns(const struct sf_load *load)
{
    return load->select == SF_SELECT_STRIPE ||
           load->select == SF_SELECT_MESSAGE;
}

/* Finds the routes that a packet may take; false if that failed. */
static bool
find_routes(struct sf_load *load, const struct births *births)
{
    if (load->select == SF_SELECT_ADAPTIVE) {
        load->status = sf_pairs_find_all(&load->pairs, births->pair,
                                         load->pairs.n_addresses, &load->err);
    } else {
        load->status = sf_pairs_find(&load->pairs, births->pair,
                                     births->address, &load->err);
    }
    return load->status == SF_OK;
}

/* The address of the packet, if it has room; else SF_NONE. */
static uint32_t
choose_address(struct sf_load *load, struct births *births, uint32_t vls)
{
    if (takes_turns(load)) {
        births->address = load->pairs.turns[births->pair];
    }
    if (!find_routes(load, births)) {
        return SF_NONE;
    }
    if (load->select == SF_SELECT_ADAPTIVE) {
        return sf_pairs_fewest(&load->pairs, births->pair, vls);
    }
    return sf_pairs_is_open(&load->pairs, births->pair, births->address, vls)
               ? births->address
               : SF_NONE;
}

static void
send(struct sf_load *load, uint32_t host, struct births *births,
     uint32_t address, struct sf_sim_offer *offer)
{
    offer->route = *sf_pairs_route(&load->pairs, births->pair, address);
    offer->born = born(load, births);
    offer->tag = births->pair << load->pairs.address_bits | address;
    offer->bytes = 0;
    if (load->select == SF_SELECT_ADAPTIVE) {
        sf_pairs_note_sent(&load->pairs, births->pair, address);
    } else if (takes_turns(load)) {
        sf_pairs_take_turn(&load->pairs, births->pair, 1);
    }
    births->has_packet = false;
    load->tally.n_sent++;
    load->sent[host]++;
}

/* The feeder's next(): feeder.h. */
static bool
next_packet(void *context, uint32_t host, uint64_t now, uint32_t vls,
            struct sf_sim_offer *offer)
{
    struct sf_load *load = context;
    struct births *births = &load->births[host];

    if (births->threshold == 0 || load->status != SF_OK) {
        return false;
    }
    draw(load, host, births, now / load->carrier->packet_ticks + HORIZON);
    if (!births->has_packet) {
        offer->wake = births->time * load->carrier->packet_ticks;
        return false;
    }
    if (born(load, births) > now) {
        offer->wake = born(load, births);
        return false;
    }
    uint32_t address = choose_address(load, births, vls);
    if (address == SF_NONE) {
        return false;
    }
    send(load, host, births, address, offer);
    return true;
}

/* The feeder's delivered(): feeder.h. */
static void
note_delivery(void *context, uint32_t tag, uint64_t latency)
{
    struct sf_load *load = context;
    uint32_t pair = tag >> load->pairs.address_bits;
    double seconds =
        (double)latency * load->carrier->tick + 2 * load->host_delay;

    load->tally.n_delivered++;
    load->tally.latency += seconds;
    load->received[load->pairs.ends[pair].to]++;
    if (load->select == SF_SELECT_ADAPTIVE) {
        uint32_t mask = (1u << load->pairs.address_bits) - 1;
        sf_pairs_note_delivered(&load->pairs, pair, tag & mask);
    }
    if (load->latencies && !sf_samples_add(load->latencies, seconds, 1)) {
        load->status =
            sf_fail(&load->err, SF_ENOMEM, "out of memory for latencies");
    }
}

/* Sets up. */

static enum sf_status
check_flows(const struct sf_flow *flows, size_t n_flows, uint32_t n_hosts,
            double load, struct sf_error *err)
{
    if (!(load > 0 && load <= 1)) {
        return sf_fail(err, SF_EINVAL,
                       "an offered load of %g, expected above 0 and at most "
                       "1",
                       load);
    }
    if (n_flows >= UINT32_MAX) {
        return sf_fail(err, SF_ELIMIT, "%zu flows are more than fit", n_flows);
    }
    for (size_t i = 0; i < n_flows; i++) {
        if (flows[i].from >= n_hosts || flows[i].to >= n_hosts ||
            flows[i].from == flows[i].to || !(flows[i].amount >= 0) ||
            !isfinite(flows[i].amount)) {
            return sf_fail(
                err, SF_EINVAL, "a flow of %g from host %u to host %u of %u",
                flows[i].amount, flows[i].from, flows[i].to, n_hosts);
        }
    }
    return SF_OK;
}

/* Puts the flows in the order of their senders; '*amountsp' [flows] are theirs
 * in that order. */
static enum sf_status
sort_flows(struct sf_load *load, const struct sf_flow *flows, size_t n_flows,
           double **amountsp, struct sf_error *err)
{
    double *amounts = sf_calloc(n_flows, sizeof *amounts);
    uint32_t *next = sf_calloc((size_t)load->n_hosts + 1, sizeof *next);

    if (!amounts || !next) {
        free(amounts);
        free(next);
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu flows", n_flows);
    }
    for (size_t i = 0; i < n_flows; i++) {
        load->first[flows[i].from + 1]++;
    }
    for (uint32_t h = 0; h < load->n_hosts; h++) {
        load->first[h + 1] += load->first[h];
        next[h] = load->first[h];
    }
    for (size_t i = 0; i < n_flows; i++) {
        uint32_t place = next[flows[i].from]++;
        load->pairs.ends[place] =
            (struct sf_pair){ flows[i].from, flows[i].to };
        amounts[place] = flows[i].amount;
    }
    free(next);
    *amountsp = amounts;
    return SF_OK;
}

/* Fills in 'choices' [n] for 'weights' [n], whose mean becomes 1.  Those below
 * it get one above as alias, which gives away what they lack.  'work' [n]. */
static void
make_choices(double *weights, uint32_t first, uint32_t n, double sum,
             struct choice *choices, uint32_t *work)
{
    uint32_t n_small = 0, n_large = 0; /* From both ends of 'work'. */

    for (uint32_t i = 0; i < n; i++) {
        weights[i] *= n / sum;
        choices[i] = (struct choice){ bits_below(1), first + i };
        work[weights[i] < 1 ? n_small++ : n - ++n_large] = i;
    }
    while (n_small > 0 && n_large > 0) {
        uint32_t small = work[--n_small], large = work[n - n_large];
        choices[small] =
            (struct choice){ bits_below(weights[small]), first + large };
        weights[large] -= 1 - weights[small];
        if (weights[large] < 1) {
            n_large--;
            work[n_small++] = large;
        }
    }
}

/* Gives each host its rate and choices. */
static enum sf_status
set_rates(struct sf_load *load, double *amounts, double part,
          struct sf_error *err)
{
    uint32_t n_pairs = load->first[load->n_hosts];
    uint32_t *work = sf_calloc(n_pairs, sizeof *work);
    double most = 0;

    if (!work) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u flows", n_pairs);
    }
    for (uint32_t h = 0; h < load->n_hosts; h++) {
        struct births *births = &load->births[h];
        uint32_t first = load->first[h], n = load->first[h + 1] - first;
        for (uint32_t i = 0; i < n; i++) {
            births->rate += amounts[first + i];
        }
        if (births->rate > 0) {
            make_choices(amounts + first, first, n, births->rate,
                         load->choices + first, work);
        }
        most = births->rate > most ? births->rate : most;
    }
    free(work);
    for (uint32_t h = 0; h < load->n_hosts; h++) {
        struct births *births = &load->births[h];
        births->rate = most > 0 ? part * births->rate / most : 0;
        births->threshold = bits_below(births->rate);
        load->offered += births->rate;
    }
    return most > 0 ? SF_OK
                    : sf_fail(err, SF_EINVAL,
                              "no host sends anything, so no load can be "
                              "offered");
}

static void
start_births(struct sf_load *load)
{
    const struct sf_carrier *carrier = load->carrier;
    uint64_t ticks = carrier->packet_ticks;

    for (uint32_t h = 0; h < load->n_hosts; h++) {
        struct births *births = &load->births[h];
        sf_random_init(&births->random, load->setup->seed, h);
        births->time = carrier->ops->now(carrier->sim) / ticks;
        births->offset =
            ticks > 1 && ticks < UINT32_MAX
                ? sf_random_below(&births->random, (uint32_t)ticks)
                : 0;
    }
}

static bool
allocate(struct sf_load *load, size_t n_flows)
{
    load->first = sf_calloc((size_t)load->n_hosts + 1, sizeof *load->first);
    load->choices = sf_calloc(n_flows, sizeof *load->choices);
    load->births = sf_calloc(load->n_hosts, sizeof *load->births);
    load->sent = sf_calloc(load->n_hosts, sizeof *load->sent);
    load->received = sf_calloc(load->n_hosts, sizeof *load->received);
    return load->first && load->choices && load->births && load->sent &&
           load->received;
}

static enum sf_status
set_up(struct sf_load *load, const struct sf_flow *flows, size_t n_flows,
       double part, struct sf_error *err)
{
    double *amounts = NULL;

    if (!allocate(load, n_flows)) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu flows", n_flows);
    }
    enum sf_status status = sf_pairs_build(
        load->carrier, load->setup, (uint32_t)n_flows, &load->pairs, err);
    if (status == SF_OK) {
        status = sort_flows(load, flows, n_flows, &amounts, err);
    }
    if (status == SF_OK) {
        status = set_rates(load, amounts, part, err);
    }
    free(amounts);
    if (status != SF_OK) {
        return status;
    }
    start_births(load);
    struct sf_sim_feeder feeder = { load, next_packet, note_delivery };
    return load->carrier->ops->feed(load->carrier->sim, &feeder, err);
}

enum sf_status
sf_load_build(const struct sf_carrier *carrier,
              const struct sf_run_setup *setup, const struct sf_flow *flows,
              size_t n_flows, double part, struct sf_load **loadp,
              struct sf_error *err)
{
    uint32_t n_hosts = setup->wires->n_hosts;

    *loadp = NULL;
    enum sf_status status = check_flows(flows, n_flows, n_hosts, part, err);
    if (status != SF_OK) {
        return status;
    }
    struct sf_load *load = sf_calloc(1, sizeof *load);
    if (!load) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a load");
    }
    load->carrier = carrier;
    load->setup = setup;
    load->select = setup->params->select;
    load->n_hosts = n_hosts;
    load->host_delay = setup->params->net.host_delay;
    status = set_up(load, flows, n_flows, part, err);
    if (status != SF_OK) {
        sf_load_free(load);
        return status;
    }
    *loadp = load;
    return SF_OK;
}

void
sf_load_free(struct sf_load *load)
{
    if (!load) {
        return;
    }
    sf_pairs_clear(&load->pairs);
    free(load->first);
    free(load->choices);
    free(load->births);
    free(load->sent);
    free(load->received);
    free(load);
}

enum sf_status
sf_load_status(const struct sf_load *load, struct sf_error *err)
{
    if (load->status != SF_OK && err) {
        *err = load->err;
    }
    return load->status;
}

struct sf_load_tally
sf_load_tally(const struct sf_load *load)
{
    struct sf_load_tally tally = load->tally;

    tally.sent = load->sent;
    tally.received = load->received;
    return tally;
}

void
sf_load_reset(struct sf_load *load, struct sf_samples *latencies)
{
    load->tally = (struct sf_load_tally){ 0 };
    load->latencies = latencies;
    for (uint32_t h = 0; h < load->n_hosts; h++) {
        load->sent[h] = load->received[h] = 0;
    }
}

double
sf_load_offered(const struct sf_load *load)
{
    return load->offered;
}

double
sf_load_backlog(struct sf_load *load)
{
    const struct sf_carrier *carrier = load->carrier;
    uint64_t now = carrier->ops->now(carrier->sim);
    double backlog = 0;

    for (uint32_t h = 0; h < load->n_hosts; h++) {
        struct births *births = &load->births[h];
        if (births->threshold > 0) {
            draw(load, h, births, now / carrier->packet_ticks + 1);
        }
        if (births->has_packet && born(load, births) < now) {
            backlog += births->rate * (double)(now - born(load, births)) /
                       (double)carrier->packet_ticks;
        }
    }
    return backlog;
}

uint32_t
sf_load_n_waiting(const struct sf_load *load, uint32_t host)
{
    struct births births = load->births[host]; /* Drawn ahead, on a copy. */
    const struct sf_carrier *carrier = load->carrier;
    uint64_t now = carrier->ops->now(carrier->sim);
    uint32_t n = 0;

    if (births.threshold == 0) {
        return 0;
    }
    while (true) {
        draw(load, host, &births, now / carrier->packet_ticks + 1);
        if (!births.has_packet || born(load, &births) >= now) {
            return n;
        }
        births.has_packet = false;
        n++;
    }
}
