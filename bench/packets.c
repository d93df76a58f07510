/* packets.c -- how many switch hops a second of CPU time the packet
 * simulations do, in slots and by events: saturated permutations of hosts on
 * Slim Flies, shortest paths, 8 packets of buffer for each of 4 VLs.  First
 * hops use two of them and second hops the other two, by sender.  Events have
 * the packets and delays of FDR with cables of 1 to 10 m.
 *
 * Takes the seconds for each line (default 2). */
#include "base/mem.h"
#include "sim/events.h"
#include "sim/messages.h"
#include "slimfly/slimfly.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define N_VLS     4
#define RATE      UINT64_C(6820000000) /* Bytes a second. */
#define PACKET    2074                 /* Bytes. */
#define MAX_LINKS 4 /* Of a route: one in, two between switches, one out. */

/* A Slim Fly as links of a simulation.  Hosts come first; the links of a
 * switch are those to its neighbours, then those to its hosts. */
struct net {
    struct sf_topology *topo;
    uint32_t n_hosts, n_links;
    struct sf_sim_link *links;
    uint32_t *first_link; /* [switches] */
    uint32_t *first_host; /* [switches + 1] */
    uint32_t *home;       /* [hosts] The switch. */
    struct sf_sim_route *routes;
    struct sf_message *messages;
    struct sf_packet_sim *sim;
    struct sf_messages *feeder;
    struct sf_event_sim *events;
    uint64_t n_delivered; /* By events. */
};

static void *
allocate(size_t n, size_t size)
{
    void *memory = sf_calloc(n, size);
    if (!memory) {
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void
check(enum sf_status status, const struct sf_error *err)
{
    if (status != SF_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(EXIT_FAILURE);
    }
}

static void
count_hosts(struct net *net)
{
    uint32_t n_switches = net->topo->graph->n_nodes;

    net->first_host = allocate(n_switches + 1, sizeof *net->first_host);
    for (uint32_t i = 0; i < n_switches; i++) {
        net->first_host[i + 1] = net->first_host[i] + net->topo->n_hosts[i];
    }
    net->n_hosts = net->first_host[n_switches];
    net->home = allocate(net->n_hosts, sizeof *net->home);
    for (uint32_t i = 0; i < n_switches; i++) {
        for (uint32_t j = net->first_host[i]; j < net->first_host[i + 1];
             j++) {
            net->home[j] = i;
        }
    }
}

static void
add_link(struct net *net, uint32_t from, uint32_t to)
{
    net->links[net->n_links++] = (struct sf_sim_link){ from, to };
}

static void
make_links(struct net *net)
{
    const struct sf_graph *graph = net->topo->graph;
    size_t n = 2 * (size_t)net->n_hosts + 2 * (size_t)graph->n_links;

    net->links = allocate(n, sizeof *net->links);
    net->first_link = allocate(graph->n_nodes, sizeof *net->first_link);
    for (uint32_t i = 0; i < net->n_hosts; i++) {
        add_link(net, i, net->n_hosts + net->home[i]);
    }
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        net->first_link[i] = net->n_links;
        for (uint32_t j = graph->first[i]; j < graph->first[i + 1]; j++) {
            add_link(net, net->n_hosts + i, net->n_hosts + graph->arcs[j].to);
        }
        for (uint32_t j = net->first_host[i]; j < net->first_host[i + 1];
             j++) {
            add_link(net, net->n_hosts + i, j);
        }
    }
}

/* The link between two switches; SF_NONE if there is none. */
static uint32_t
link_between(const struct net *net, uint32_t from, uint32_t to)
{
    const struct sf_graph *graph = net->topo->graph;

    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        if (graph->arcs[i].to == to) {
            return net->first_link[from] + i - graph->first[from];
        }
    }
    return SF_NONE;
}

/* Fills in the hops from one switch to another that is at most 2 away, the
 * first on lane 'lane' and the second two lanes above; returns their number.
 */
static uint32_t
find_path(const struct net *net, uint32_t from, uint32_t to, uint32_t lane,
          struct sf_sim_hop *hops)
{
    const struct sf_graph *graph = net->topo->graph;

    if (from == to) {
        return 0;
    }
    hops[0] = (struct sf_sim_hop){ link_between(net, from, to), lane };
    if (hops[0].link != SF_NONE) {
        return 1;
    }
    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        uint32_t last = link_between(net, graph->arcs[i].to, to);
        if (last != SF_NONE) {
            hops[0].link = net->first_link[from] + i - graph->first[from];
            hops[1] = (struct sf_sim_hop){ last, lane + 2 };
            return 2;
        }
    }
    exit(EXIT_FAILURE); /* Not of diameter 2. */
}

static struct sf_sim_route
make_route(const struct net *net, uint32_t from, uint32_t to)
{
    struct sf_sim_hop hops[MAX_LINKS] = { { from, from % N_VLS } };
    struct sf_sim_route route;
    struct sf_error err;
    uint32_t home = net->home[to], i = to - net->first_host[home];
    uint32_t n = 1 + find_path(net, net->home[from], home, from % 2, &hops[1]);

    hops[n].link =
        net->first_link[home] + sf_graph_degree(net->topo->graph, home) + i;
    hops[n].vl = 0;
    check(sf_packet_sim_encode(net->sim, hops, n + 1, &route, &err), &err);
    return route;
}

/* Each host sends to another without end. */
static void
make_messages(struct net *net)
{
    uint32_t *order = allocate(net->n_hosts, sizeof *order);
    struct sf_random random;
    struct sf_error err;

    net->routes = allocate(net->n_hosts, sizeof *net->routes);
    net->messages = allocate(net->n_hosts, sizeof *net->messages);
    for (uint32_t i = 0; i < net->n_hosts; i++) {
        order[i] = i;
    }
    sf_random_init(&random, 1, 0);
    sf_random_shuffle(&random, order, net->n_hosts);
    for (uint32_t i = 0; i < net->n_hosts; i++) {
        uint32_t from = order[i], to = order[(i + 1) % net->n_hosts];
        net->routes[from] = make_route(net, from, to);
        net->messages[from] = (struct sf_message){
            .host = from,
            .n_routes = 1,
            .routes = &net->routes[from],
            .n_packets = SF_SIM_ENDLESS,
            .window = SF_NONE,
        };
    }
    check(sf_messages_build(net->sim, net->messages, net->n_hosts,
                            &net->feeder, &err),
          &err);
    free(order);
}

static void
make_net(struct net *net, const char *spec, enum sf_sim_queues queues)
{
    struct sf_error err;

    *net = (struct net){ 0 };
    check(sf_topology_build(spec, &net->topo, &err), &err);
    count_hosts(net);
    make_links(net);
    struct sf_packet_params params = {
        .n_nodes = net->n_hosts + net->topo->graph->n_nodes,
        .n_hosts = net->n_hosts,
        .n_links = net->n_links,
        .links = net->links,
        .n_vls = N_VLS,
        .buffer = 8,
        .queues = queues,
    };
    check(sf_packet_sim_build(&params, &net->sim, &err), &err);
    make_messages(net);
}

/* The next packet of a host for events: it always has one. */
static bool
next_packet(void *context, uint32_t host, uint64_t now, uint32_t vls,
            struct sf_sim_offer *offer)
{
    const struct net *net = context;

    if (!(vls >> sf_sim_first_vl(&net->routes[host]) & 1)) {
        return false;
    }
    offer->route = net->routes[host];
    offer->born = now;
    offer->tag = host;
    return true;
}

static void
count_delivery(void *context, uint32_t tag, uint64_t latency)
{
    struct net *net = context;

    (void)tag;
    (void)latency;
    net->n_delivered++;
}

/* The same network and routes for events. */
static void
add_events(struct net *net, enum sf_sim_queues queues)
{
    uint32_t *delays = allocate(net->n_links, sizeof *delays);
    struct sf_sim_feeder feeder = { net, next_packet, count_delivery };
    struct sf_random random;
    struct sf_error err;

    sf_random_init(&random, 2, 0);
    for (uint32_t i = 0; i < net->n_links; i++) {
        delays[i] = 5000 * (1 + sf_random_below(&random, 10));
    }
    struct sf_event_params params = {
        .n_nodes = net->n_hosts + net->topo->graph->n_nodes,
        .n_hosts = net->n_hosts,
        .n_links = net->n_links,
        .links = net->links,
        .n_vls = N_VLS,
        .delays = delays,
        .switch_delay = 170000,
        .rate = RATE,
        .packet_bytes = PACKET,
        .buffer = 8 * PACKET,
        .queues = queues,
    };
    check(sf_event_sim_build(&params, &net->events, &err), &err);
    check(sf_event_sim_feed(net->events, &feeder, &err), &err);
    free(delays);
}

static void
free_net(struct net *net)
{
    sf_event_sim_free(net->events);
    sf_packet_sim_free(net->sim);
    sf_messages_free(net->feeder);
    free(net->messages);
    free(net->routes);
    free(net->home);
    free(net->first_host);
    free(net->first_link);
    free(net->links);
    sf_topology_free(net->topo);
}

/* Seconds of CPU time that this program has used. */
static double
used(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec +
           (double)usage.ru_utime.tv_usec * 1e-6;
}

static void
print_line(const char *spec, enum sf_sim_queues queues, const char *timing,
           double speed, double rate, uint32_t n_in_flight)
{
    printf("%-8s %s %-6s %8.1f million hops/s   rate %.3f   %6u packets in "
           "flight\n",
           spec, queues == SF_SIM_FIFO ? "fifo" : "voq ", timing, speed * 1e-6,
           rate, n_in_flight);
    fflush(stdout);
}

static void
measure_slots(const char *spec, enum sf_sim_queues queues, double seconds)
{
    struct net net;
    struct sf_error err;
    uint64_t n_delivered = 0;

    make_net(&net, spec, queues);
    check(sf_packet_sim_run(net.sim, 1000, &err), &err); /* Fill up. */
    uint64_t before = sf_packet_sim_n_switch_hops(net.sim);
    double start = used(), time;
    do {
        check(sf_packet_sim_run(net.sim, 500, &err), &err);
        time = used() - start;
    } while (time < seconds);
    uint64_t n_hops = sf_packet_sim_n_switch_hops(net.sim) - before;
    for (uint32_t i = 0; i < net.n_hosts; i++) {
        n_delivered += sf_messages_state(net.feeder, i).n_delivered;
    }
    print_line(spec, queues, "slots", (double)n_hops / time,
               (double)n_delivered / sf_packet_sim_slot(net.sim) / net.n_hosts,
               sf_packet_sim_n_in_flight(net.sim));
    free_net(&net);
}

static void
measure_events(const char *spec, enum sf_sim_queues queues, double seconds)
{
    const uint64_t packet = PACKET * UINT64_C(1000000000000) / RATE;
    struct net net;
    struct sf_error err;
    uint64_t until = 1000 * packet;

    make_net(&net, spec, queues);
    add_events(&net, queues);
    check(sf_event_sim_run(net.events, until, &err), &err); /* Fill up. */
    uint64_t before = sf_event_sim_n_switch_hops(net.events);
    double start = used(), time;
    do {
        until += 500 * packet;
        check(sf_event_sim_run(net.events, until, &err), &err);
        time = used() - start;
    } while (time < seconds);
    uint64_t n_hops = sf_event_sim_n_switch_hops(net.events) - before;
    print_line(spec, queues, "events", (double)n_hops / time,
               (double)net.n_delivered * (double)packet / (double)until /
                   net.n_hosts,
               sf_event_sim_n_in_flight(net.events));
    free_net(&net);
}

int
main(int argc, char **argv)
{
    static const char *const specs[] = { "sf:q=5", "sf:q=11", "sf:q=19" };
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 2;

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        measure_slots(specs[i], SF_SIM_VOQ, seconds);
        measure_events(specs[i], SF_SIM_VOQ, seconds);
        measure_slots(specs[i], SF_SIM_FIFO, seconds);
        measure_events(specs[i], SF_SIM_FIFO, seconds);
    }
    return EXIT_SUCCESS;
}
