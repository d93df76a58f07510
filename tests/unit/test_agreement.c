/* test_agreement.c -- what the audit says of deadlock is what happens to
 * packets.
 *
 * Each pair is a random topology with a random routing and random lanes.
 * Where the audit proves that nothing can wait in a circle, hosts send to all
 * others at once into buffers of one or two packets: nothing may get stuck,
 * and when they stop, everything must arrive.  Where the audit shows a cycle,
 * hosts send along the very paths that it names, until packets wait for each
 * other in a circle. */
#include "base/mem.h"
#include "ib/tables.h"
#include "lanes_helpers.h"
#include "sim/packet.h"
#include "sim/wires.h"
#include "test.h"

#include <stdlib.h>

static const char *const queues_names[] = { "voq", "fifo" };

/* A network and what its switches hold. */
struct pair {
    char what[160];
    struct sf_fabric *fabric;
    struct sf_network *network;
    struct sf_ib_tables *tables;
    uint8_t one_sl;
};

/* A path that some host can use, as links and VLs. */
struct flow {
    uint32_t from, to, lid;
    uint32_t n_hops;
    uint8_t sl;
    struct sf_sim_hop hops[24];
};

struct flows {
    struct sf_wires *wires;
    uint32_t n_vls;
    uint32_t n;
    struct flow *items;
};

/* What came of many pairs. */
struct tally {
    uint32_t n_pairs, n_free, n_cyclic;
    uint32_t n_drives;    /* Cycles that were driven, times queues. */
    uint32_t n_by_steps;  /* Deadlocks by the paths that the audit names. */
    uint32_t n_by_others; /* By others that cause the same dependencies. */
    uint32_t n_by_all;    /* By all paths at once. */
    uint32_t n_unreached;
    uint32_t n_same_cycle; /* Of all deadlocks: on the audit's channels. */
};

/* ---- random topologies ------------------------------------------------ */

/* The fabric of an edge list. */
static struct sf_fabric *
fabric_of_edges(const char *text, uint32_t p, uint32_t n_addresses)
{
    struct temporary file = temporary_write(text);
    char spec[96];

    snprintf(spec, sizeof spec, "edges:%s,p=%u", file.name, p);
    struct sf_fabric *fabric = lanes_fabric(spec, n_addresses);
    temporary_remove(&file);
    return fabric;
}

/* A torus of a times b; a ring if b is 1. */
static struct sf_fabric *
make_torus(uint32_t a, uint32_t b, uint32_t p, uint32_t n_addresses)
{
    char text[2048];
    size_t length = 0;

    for (uint32_t i = 0; i < a * b; i++) {
        uint32_t right = i / a * a + (i + 1) % a, down = (i + a) % (a * b);
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "%u %u\n", i, right);
        if (b > 1) {
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%u %u\n", i, down);
        }
    }
    return fabric_of_edges(text, p, n_addresses);
}

static struct sf_fabric *
make_family(struct sf_random *random, uint32_t p, uint32_t n_addresses,
            char *what, size_t size)
{
    static const char *const specs[] = {
        "sf:q=3",     "df:a=2,h=1",  "df:a=3,h=1",
        "df:a=2,h=2", "hx2:3x3",     "hx2:2x4",
        "pf:q=2",     "ft3:ports=4", "ft2:leaf=4,core=2,up=1",
    };
    uint32_t i = sf_random_below(random, ARRAY_SIZE(specs) + 3);

    if (i == 7) { /* Its ports say how many hosts there are. */
        snprintf(what, size, "%s", specs[i]);
    } else if (i < ARRAY_SIZE(specs)) {
        snprintf(what, size, "%s,p=%u", specs[i], p);
    } else {
        uint32_t n = 6 + 2 * sf_random_below(random, 4);
        snprintf(what, size, "jellyfish:n=%u,k=3,p=%u,seed=%u", n, p,
                 sf_random_below(random, 100));
    }
    return lanes_fabric(what, n_addresses);
}

static struct sf_fabric *
make_fabric(struct sf_random *random, uint32_t n_addresses, char *what,
            size_t size)
{
    uint32_t n = 3 + sf_random_below(random, 6);
    uint32_t m = 3 + sf_random_below(random, 2);
    uint32_t p = 1 + sf_random_below(random, 3);

    switch (sf_random_below(random, 5)) {
    case 0:
        snprintf(what, size, "ring of %u, p=%u", n, p);
        return make_torus(n, 1, p, n_addresses);
    case 1:
        snprintf(what, size, "torus of 3 times %u, p=%u", m, p);
        return make_torus(3, m, p, n_addresses);
    case 2:
        snprintf(what, size, "random graph of %u", n + 2);
        return lanes_random_fabric(n + 2, sf_random_below(random, n + 2),
                                   n_addresses, random);
    default:
        return make_family(random, p, n_addresses, what, size);
    }
}

/* ---- random routings -------------------------------------------------- */

/* Fills the entries of 'lid', which lives behind 'port' of switch 'd', with a
 * random in-tree: of shortest paths, or of any. */
static void
grow_tree(const struct pair *pair, uint32_t lid, uint32_t d, uint32_t port,
          bool is_shortest, struct sf_random *random)
{
    const struct sf_graph *graph = pair->network->graph;
    uint32_t distances[64], n_reached = 1;

    CHECK(graph->n_nodes <= ARRAY_SIZE(distances));
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        distances[s] = s == d ? 0 : SF_NONE;
    }
    sf_tables_of(pair->tables->lfts, d)[lid] = (uint8_t)port;
    for (uint32_t level = 0; n_reached < graph->n_nodes;) {
        uint32_t chosen = SF_NONE, n_seen = 0;
        for (uint32_t arc = 0; arc < 2 * graph->n_links; arc++) {
            uint32_t to = graph->arcs[arc].to;
            uint32_t s = graph->arcs[pair->network->reverse[arc]].to;
            if (distances[s] == SF_NONE && distances[to] != SF_NONE &&
                (!is_shortest || distances[to] == level) &&
                sf_random_below(random, ++n_seen) == 0) {
                chosen = arc;
            }
        }
        if (chosen == SF_NONE) {
            level++;
            CHECK(level < graph->n_nodes);
            continue;
        }
        uint32_t to = graph->arcs[chosen].to;
        uint32_t s = graph->arcs[pair->network->reverse[chosen]].to;
        distances[s] = distances[to] + 1;
        sf_tables_of(pair->tables->lfts, s)[lid] =
            (uint8_t)sf_network_port(pair->network, chosen);
        n_reached++;
    }
}

/* VLs by SL, by ports, by both, or one for all. */
static void
fill_vls(struct sf_sl2vl *sl2vl, uint32_t kind, uint32_t n_vls,
         struct sf_random *random)
{
    for (uint32_t s = 0; s < sl2vl->n_switches; s++) {
        uint32_t n = sl2vl->n_ports[s] + 1;
        for (uint32_t i = 0; i < n * n; i++) {
            uint8_t *vls = sf_sl2vl_of(sl2vl, s, i / n, i % n);
            uint32_t vl = sf_random_below(random, n_vls);
            for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
                vls[sl] =
                    (uint8_t)(kind == 0   ? 0
                              : kind == 1 ? sl % n_vls
                              : kind == 2 ? vl
                                          : sf_random_below(random, n_vls));
            }
        }
    }
}

/* Tables that no scheme would make. */
static void
make_tables(struct pair *pair, struct sf_random *random)
{
    const struct sf_fabric *fabric = pair->fabric;
    const struct sf_network *network = pair->network;
    struct sf_ib_tables *tables = sf_calloc(1, sizeof *tables);
    bool is_shortest = sf_random_below(random, 2);
    uint32_t kind = sf_random_below(random, 4);
    uint32_t n_vls = 1 + sf_random_below(random, 3);

    CHECK(tables != NULL);
    pair->tables = tables;
    CHECK_EQ(sf_tables_make(fabric, &tables->lfts, NULL), SF_OK);
    CHECK_EQ(sf_sl2vl_make(fabric, &tables->sl2vl, NULL), SF_OK);
    CHECK_EQ(sf_path_sls_make(fabric, tables->lfts->max_lid, &tables->path_sls,
                              NULL),
             SF_OK);
    for (uint32_t h = 0; h < sf_network_count_hosts(network); h++) {
        uint32_t own = network->host_ports[h];
        const struct sf_port *home = &fabric->ports[fabric->ports[own].peer];
        const struct sf_ib_port *port = sf_ib_port(fabric, own);
        for (uint32_t k = 0; k < 1u << port->lmc; k++) {
            grow_tree(pair, port->lid + k, home->node, home->number,
                      is_shortest, random);
        }
    }
    fill_vls(tables->sl2vl, kind, n_vls, random);
    size_t n_sls =
        (size_t)tables->path_sls->n_switches * (tables->path_sls->max_lid + 1);
    for (size_t i = 0; i < n_sls; i++) {
        tables->path_sls->sls[i] =
            (uint8_t)(sf_random_below(random, 9)
                          ? sf_random_below(random, n_vls)
                          : SF_NO_SL);
    }
    size_t length = strlen(pair->what);
    snprintf(pair->what + length, sizeof pair->what - length,
             ", %s trees, VLs of kind %u, %u of them",
             is_shortest ? "shortest" : "any", kind, n_vls);
}

/* Tables of the library; false if these layers and lanes cannot be. */
static bool
route(struct pair *pair, struct sf_random *random)
{
    static const char *const layers[] = { "minimal", "minimal",  "rues",
                                          "updown",  "fatpaths", "paper" };
    static const char *const lanes[] = { "none", "none",   "dfsssp", "dfsssp",
                                         "hops", "single", "turns" };
    struct sf_routing_params params = { 0 };
    /* One after the other: compilers order initializers as they like. */
    uint32_t layer = sf_random_below(random, ARRAY_SIZE(layers));
    params.layers.scheme = layers[layer];
    params.layers.n_layers = 1 + sf_random_below(random, 2);
    params.layers.seed = sf_random_next(random);
    params.n_path_sets = 1 + sf_random_below(random, 2);
    params.lanes = lanes[sf_random_below(random, ARRAY_SIZE(lanes))];
    struct sf_routing *routing;

    if (!strcmp(params.lanes, "turns")) {
        params.layers.scheme = "ordered";
    }
    sf_ib_count_addresses(pair->fabric, &params);
    if (sf_routing_build(pair->network, &params, &routing, NULL) != SF_OK) {
        return false;
    }
    size_t length = strlen(pair->what);
    snprintf(pair->what + length, sizeof pair->what - length, ", %s, %s",
             params.layers.scheme, params.lanes);
    CHECK_EQ(sf_ib_encode(routing, &pair->tables, NULL), SF_OK);
    sf_routing_free(routing);
    return true;
}

static void
make_pair(struct pair *pair, struct sf_random *random)
{
    *pair = (struct pair){ 0 };
    pair->fabric = make_fabric(random, 1 + sf_random_below(random, 2),
                               pair->what, sizeof pair->what);
    /* All that is sent is for hosts. */
    for (uint32_t s = 0; s < pair->fabric->n_switches; s++) {
        sf_ib_change_node(pair->fabric, s)->lid = 0;
    }
    CHECK_EQ(sf_network_build(pair->fabric, &pair->network, NULL), SF_OK);
    pair->one_sl = (uint8_t)sf_random_below(random, 4);
    if (sf_random_below(random, 2) || !route(pair, random)) {
        make_tables(pair, random);
    }
}

static void
free_pair(struct pair *pair)
{
    sf_ib_tables_free(pair->tables);
    sf_network_free(pair->network);
    sf_fabric_free(pair->fabric);
}

/* ---- what hosts can send ---------------------------------------------- */

static void
add_flow(const struct sf_path_source *source, struct flows *flows,
         uint32_t from, uint32_t to, uint32_t address)
{
    const struct sf_network *network = source->network;
    struct flow *flow = &flows->items[flows->n++];
    struct sf_sim_hop hops[SF_MAX_PATH_LINKS];
    struct sf_path path;
    struct sf_error err = { 0 };

    CHECK_FOR(source->follow(source, from, to, address, &path, &err) == SF_OK,
              "%s", err.text);
    *flow = (struct flow){
        .from = from,
        .to = to,
        .lid = sf_ib_port(network->fabric, network->host_ports[to])->lid +
               address,
        .n_hops = sf_wires_hops(flows->wires, &path, from, to, hops),
        .sl = path.sl,
    };
    CHECK(flow->n_hops <= ARRAY_SIZE(flow->hops));
    memcpy(flow->hops, hops, flow->n_hops * sizeof *hops);
}

static struct flows
find_flows(const struct pair *pair, int one_sl)
{
    struct sf_ib_held held = { .tables = pair->tables->lfts,
                               .sl2vl = pair->tables->sl2vl,
                               .path_sls = pair->tables->path_sls };
    uint32_t n_hosts = sf_network_count_hosts(pair->network);
    struct sf_path_source source;
    struct flows flows = { 0 };

    CHECK_EQ(sf_ib_path_source(pair->network, &held, one_sl, &source, NULL),
             SF_OK);
    CHECK_EQ(sf_wires_build(pair->network, &flows.wires, NULL), SF_OK);
    flows.n_vls = source.n_vls;
    flows.items = calloc((size_t)n_hosts * n_hosts * source.n_addresses,
                         sizeof *flows.items);
    CHECK(flows.items != NULL);
    for (uint32_t from = 0; from < n_hosts; from++) {
        for (uint32_t to = 0; to < n_hosts; to++) {
            for (uint32_t k = 0; from != to && k < source.n_addresses; k++) {
                add_flow(&source, &flows, from, to, k);
            }
        }
    }
    return flows;
}

static void
free_flows(struct flows *flows)
{
    free(flows->items);
    sf_wires_free(flows->wires);
}

/* Whether packets of 'flow' hold 'here' while they wait for 'next'. */
static bool
causes(const struct flow *flow, struct sf_sim_hop here, struct sf_sim_hop next)
{
    for (uint32_t i = 0; i + 1 < flow->n_hops; i++) {
        if (flow->hops[i].link == here.link && flow->hops[i].vl == here.vl &&
            flow->hops[i + 1].link == next.link &&
            flow->hops[i + 1].vl == next.vl) {
            return true;
        }
    }
    return false;
}

/* ---- packets ---------------------------------------------------------- */

/* Hosts that send along some of the flows, each time a random one. */
struct crowd {
    struct sf_packet_sim *sim;
    struct sf_random random;
    uint32_t rate; /* How often a host sends that could, of 16. */
    bool is_stopped;
    uint32_t *first;             /* [hosts + 1] */
    const struct flow **flows;   /* By host. */
    struct sf_sim_route *routes; /* Alike. */
};

static bool
crowd_next(void *context, uint32_t host, uint64_t now, uint32_t vls,
           struct sf_sim_offer *offer)
{
    struct crowd *crowd = context;
    uint32_t n = crowd->first[host + 1] - crowd->first[host];

    offer->wake = crowd->is_stopped || n == 0 ? SF_NEVER : now + 1;
    if (crowd->is_stopped || n == 0 ||
        sf_random_below(&crowd->random, 16) >= crowd->rate) {
        return false;
    }
    uint32_t i = crowd->first[host] + sf_random_below(&crowd->random, n);
    if (!(vls >> crowd->flows[i]->hops[0].vl & 1)) {
        return false;
    }
    *offer = (struct sf_sim_offer){ .route = crowd->routes[i], .born = now };
    return true;
}

/* 'is_in' [flows->n] says which take part; NULL: all. */
static struct crowd
make_crowd(const struct flows *flows, const bool *is_in, uint64_t buffer,
           enum sf_sim_queues queues, uint64_t seed)
{
    const struct sf_wires *wires = flows->wires;
    struct sf_packet_params params = {
        .n_nodes = wires->n_nodes,
        .n_hosts = wires->n_hosts,
        .links = wires->links,
        .n_links = wires->n_links,
        .n_vls = flows->n_vls,
        .buffer = (uint32_t)buffer,
        .queues = queues,
    };
    struct crowd crowd = {
        .rate = 16,
        .first = calloc((size_t)wires->n_hosts + 1, sizeof *crowd.first),
        .flows = calloc(flows->n, sizeof *crowd.flows),
        .routes = calloc(flows->n, sizeof *crowd.routes),
    };
    struct sf_error err = { 0 };
    uint32_t n = 0;

    CHECK(crowd.first && crowd.flows && crowd.routes);
    CHECK_FOR(sf_packet_sim_build(&params, &crowd.sim, &err) == SF_OK, "%s",
              err.text);
    sf_random_init(&crowd.random, seed, 0);
    for (uint32_t i = 0; i < flows->n; i++) {
        const struct flow *flow = &flows->items[i];
        if (is_in && !is_in[i]) {
            continue;
        }
        CHECK_FOR(sf_packet_sim_encode(crowd.sim, flow->hops, flow->n_hops,
                                       &crowd.routes[n], &err) == SF_OK,
                  "%s", err.text);
        crowd.flows[n++] = flow;
        crowd.first[flow->from + 1] = n;
    }
    for (uint32_t h = 0; h < wires->n_hosts; h++) {
        if (crowd.first[h + 1] < crowd.first[h]) {
            crowd.first[h + 1] = crowd.first[h];
        }
    }
    return crowd;
}

static void
start(struct crowd *crowd)
{
    struct sf_sim_feeder feeder = { crowd, crowd_next, NULL };
    CHECK_EQ(sf_packet_sim_feed(crowd->sim, &feeder, NULL), SF_OK);
}

static void
free_crowd(struct crowd *crowd)
{
    sf_packet_sim_free(crowd->sim);
    free(crowd->routes);
    free(crowd->flows);
    free(crowd->first);
}

static struct sf_sim_deadlock
run(struct crowd *crowd, uint32_t n_slots)
{
    struct sf_sim_deadlock deadlock;

    CHECK_EQ(sf_packet_sim_run(crowd->sim, n_slots, NULL), SF_OK);
    CHECK_EQ(sf_packet_sim_find_deadlock(crowd->sim, &deadlock, NULL), SF_OK);
    return deadlock;
}

/* ---- free: nothing gets stuck ----------------------------------------- */

static void
stress(const struct flows *flows, enum sf_sim_queues queues, uint64_t seed,
       const char *what)
{
    struct crowd crowd = make_crowd(flows, NULL, 1 + seed % 2, queues, seed);

    start(&crowd);
    for (uint32_t i = 0; i < 160; i++) {
        crowd.is_stopped = i >= 4;
        struct sf_sim_deadlock deadlock = run(&crowd, 40);
        CHECK_FOR(deadlock.n_stuck == 0,
                  "%s, %s queues: free, says the audit; %u buffers are stuck",
                  what, queues_names[queues], deadlock.n_stuck);
        if (sf_packet_sim_n_in_flight(crowd.sim) == 0) {
            break;
        }
    }
    CHECK_FOR(sf_packet_sim_n_in_flight(crowd.sim) == 0,
              "%s: packets do not arrive", what);
    CHECK(sf_packet_sim_n_switch_hops(crowd.sim) > 0);
    free_crowd(&crowd);
}

/* ---- cycles: packets get stuck ---------------------------------------- */

/* The channel of a step of the audit's cycle. */
static struct sf_sim_hop
channel_of(const struct pair *pair, const struct flows *flows,
           const struct sf_audit_step *step)
{
    const struct sf_network *network = pair->network;
    uint32_t port = sf_fabric_port(pair->fabric, step->at, step->port);

    for (uint32_t arc = 0; arc < 2 * network->graph->n_links; arc++) {
        if (network->arc_ports[arc] == port) {
            return (struct sf_sim_hop){ sf_wires_of_arc(flows->wires, arc),
                                        step->vl };
        }
    }
    test_fail(__FILE__, __LINE__, "%s: a channel that is none", pair->what);
}

/* A cycle of the audit, and the flows that cause it: by the very paths that
 * it names, or by any. */
struct cycle {
    uint32_t n;
    struct sf_sim_hop channels[64];
    bool *is_named, *is_cause; /* [flows->n] */
};

static struct cycle
read_cycle(const struct pair *pair, const struct flows *flows,
           const struct sf_audit_deadlock *verdict)
{
    struct cycle cycle = {
        .n = verdict->n_steps,
        .is_named = calloc(flows->n, sizeof *cycle.is_named),
        .is_cause = calloc(flows->n, sizeof *cycle.is_cause),
    };

    CHECK(cycle.is_named && cycle.is_cause);
    CHECK(cycle.n > 0 && cycle.n <= ARRAY_SIZE(cycle.channels));
    for (uint32_t i = 0; i < cycle.n; i++) {
        cycle.channels[i] = channel_of(pair, flows, &verdict->steps[i]);
    }
    for (uint32_t i = 0; i < cycle.n; i++) {
        const struct sf_audit_step *step = &verdict->steps[i];
        uint32_t n_named = 0;
        for (uint32_t f = 0; f < flows->n; f++) {
            const struct flow *flow = &flows->items[f];
            if (!causes(flow, cycle.channels[i],
                        cycle.channels[(i + 1) % cycle.n])) {
                continue;
            }
            cycle.is_cause[f] = true;
            if (flow->lid == step->lid && flow->sl == step->sl &&
                sf_wires_switch_of(flows->wires, flow->from) == step->source) {
                cycle.is_named[f] = true;
                n_named++;
            }
        }
        CHECK_FOR(n_named > 0, "%s: step %u: no host sends so", pair->what, i);
    }
    return cycle;
}

/* A deadlock that was found is one that the paths can cause; whether it is on
 * channels of the audit's cycle alone. */
static bool
check_deadlock(const struct flows *flows, const struct cycle *cycle,
               const struct sf_sim_deadlock *deadlock)
{
    bool is_same = true;

    CHECK(deadlock->n_cycle > 0 && deadlock->n_cycle <= deadlock->n_stuck);
    for (uint32_t i = 0; i < deadlock->n_cycle; i++) {
        struct sf_sim_hop here = deadlock->cycle[i];
        struct sf_sim_hop next = deadlock->cycle[(i + 1) % deadlock->n_cycle];
        uint32_t f = 0, k = 0;
        while (f < flows->n && !causes(&flows->items[f], here, next)) {
            f++;
        }
        CHECK(f < flows->n);
        while (k < cycle->n && (cycle->channels[k].link != here.link ||
                                cycle->channels[k].vl != here.vl)) {
            k++;
        }
        is_same = is_same && k < cycle->n;
    }
    return is_same;
}

/* Sends along 'is_in', in several ways one after the other; whether packets
 * got stuck. */
static bool
drive(const struct flows *flows, const bool *is_in, const struct cycle *cycle,
      enum sf_sim_queues queues, uint64_t seed, struct tally *tally)
{
    static const uint32_t rates[] = { 16, 8, 4, 12, 2, 14, 6, 10 };

    for (uint32_t try = 0; try < ARRAY_SIZE(rates); try++) {
        struct crowd crowd =
            make_crowd(flows, is_in, 1 + (seed + try) % 2, queues, seed + try);
        bool is_stuck = false;
        crowd.rate = rates[try];
        start(&crowd);
        for (uint32_t i = 0; i < 30 && !is_stuck; i++) {
            struct sf_sim_deadlock deadlock = run(&crowd, 10 + 2 * i);
            is_stuck = deadlock.n_stuck > 0;
            if (is_stuck) {
                tally->n_same_cycle += check_deadlock(flows, cycle, &deadlock);
            }
            sf_sim_deadlock_clear(&deadlock);
        }
        free_crowd(&crowd);
        if (is_stuck) {
            return true;
        }
    }
    return false;
}

static void
force(const struct pair *pair, const struct flows *flows,
      const struct sf_audit_deadlock *verdict, enum sf_sim_queues queues,
      uint64_t seed, struct tally *tally)
{
    struct cycle cycle = read_cycle(pair, flows, verdict);

    tally->n_drives++;
    if (drive(flows, cycle.is_named, &cycle, queues, seed, tally)) {
        tally->n_by_steps++;
    } else if (drive(flows, cycle.is_cause, &cycle, queues, seed, tally)) {
        tally->n_by_others++;
    } else if (drive(flows, NULL, &cycle, queues, seed, tally)) {
        tally->n_by_all++;
    } else {
        tally->n_unreached++;
        printf("# %s: %s queues, SL %d: no deadlock with the cycle of %u\n",
               pair->what, queues_names[queues], verdict->sl, cycle.n);
    }
    free(cycle.is_cause);
    free(cycle.is_named);
}

/* ---- pairs ------------------------------------------------------------ */

static void
compare_verdict(const struct pair *pair, int one_sl,
                const struct sf_audit_deadlock *verdict, uint64_t seed,
                struct tally *tally)
{
    struct flows flows = find_flows(pair, one_sl);

    CHECK(verdict->is_checked && verdict->n_dropped == 0);
    tally->n_free += verdict->is_free;
    tally->n_cyclic += !verdict->is_free;
    for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
        if (verdict->is_free) {
            stress(&flows, (enum sf_sim_queues)q, seed, pair->what);
        } else {
            force(pair, &flows, verdict, (enum sf_sim_queues)q, seed, tally);
        }
    }
    free_flows(&flows);
}

static void
compare_pair(uint64_t seed, struct tally *tally)
{
    struct sf_random random;
    struct pair pair;
    struct sf_audit *audit;
    struct sf_error err = { 0 };

    sf_random_init(&random, seed, 0);
    make_pair(&pair, &random);
    struct sf_audit_params params = { .sl2vl = pair.tables->sl2vl,
                                      .path_sls = pair.tables->path_sls,
                                      .has_one_sl = true,
                                      .one_sl = pair.one_sl };
    CHECK_FOR(sf_audit_build(pair.fabric, pair.tables->lfts, &params, &audit,
                             &err) == SF_OK,
              "%s: %s", pair.what, err.text);
    compare_verdict(&pair, SF_SL_OF_PATH, &audit->deadlock[SF_AUDIT_PATH_SLS],
                    seed, tally);
    compare_verdict(&pair, pair.one_sl, &audit->deadlock[SF_AUDIT_ONE_SL],
                    seed, tally);
    tally->n_pairs++;
    sf_audit_free(audit);
    free_pair(&pair);
}

static struct tally
compare_pairs(uint64_t first, uint32_t n)
{
    struct tally tally = { 0 };

    for (uint32_t i = 0; i < n; i++) {
        compare_pair(first + i, &tally);
    }
    printf("# %u pairs: %u verdicts free, %u with a cycle; %u drives: "
           "deadlock by the named paths %u, by all that cause the cycle %u, "
           "by all paths %u, never %u; %u on the audit's cycle\n",
           tally.n_pairs, tally.n_free, tally.n_cyclic, tally.n_drives,
           tally.n_by_steps, tally.n_by_others, tally.n_by_all,
           tally.n_unreached, tally.n_same_cycle);
    return tally;
}

/* The paths that the audit names nearly always do.  Where they do not, some of
 * them start at one host, which cannot fill all channels of the cycle at the
 * same time; then other hosts have paths that cause the same dependencies. */
static void
check_tally(const struct tally *tally)
{
    CHECK(tally->n_free > tally->n_pairs / 2);
    CHECK(tally->n_cyclic > tally->n_pairs / 2);
    CHECK_EQ(tally->n_unreached, 0);
    CHECK_EQ(tally->n_by_all, 0);
    CHECK(tally->n_by_others < tally->n_drives / 100);
}

TEST(audit_and_packets_agree_on_deadlock)
{
    struct tally tally = compare_pairs(1, 1000);

    check_tally(&tally);
}

TEST_LONG(audit_and_packets_agree_on_deadlock_often)
{
    struct tally tally = compare_pairs(100000, 12000);

    check_tally(&tally);
}
