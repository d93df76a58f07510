/* packets.c -- how many switch hops a second of CPU time the packet
 * simulations do, in slots and by events: saturated permutations of hosts on
 * Slim Flies, shortest paths with 4 lanes by hops, 8 packets of buffer for
 * each VL, packets and delays of FDR with cables of 5 m.
 *
 * Takes the seconds for each line (default 2). */
#include "base/mem.h"
#include "sim/hosts.h"
#include "slimfly/slimfly.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define STEP  512 /* Packet times. */
#define N_VLS 4

/* A Slim Fly with its routes. */
struct net {
    struct sf_routing *routing;
    struct sf_path_source source;
    struct sf_wires *wires;
    struct sf_program program;
};

static void
check(enum sf_status status, const struct sf_error *err)
{
    if (status != SF_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(EXIT_FAILURE);
    }
}

/* Each host sends to another, for ever. */
static void
make_program(struct net *net)
{
    uint32_t n = net->wires->n_hosts;
    uint32_t *order = sf_calloc(n, sizeof *order);
    struct sf_random random;
    struct sf_error err;

    if (!order) {
        exit(EXIT_FAILURE);
    }
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    sf_random_init(&random, 1, 0);
    sf_random_shuffle(&random, order, n);
    for (uint32_t i = 0; i < n; i++) {
        if (!sf_program_send(&net->program, order[i], order[(i + 1) % n],
                             UINT64_C(1) << 42, 0)) {
            exit(EXIT_FAILURE);
        }
    }
    check(sf_program_end(&net->program, n, &err), &err);
    free(order);
}

static void
make_net(struct net *net, const char *spec)
{
    struct sf_topology *topo;
    struct sf_network *network;
    struct sf_error err;
    struct sf_routing_params params = {
        .layers = { .scheme = "minimal", .n_layers = 1 },
        .lanes = "hops",
        .max_vls = N_VLS,
    };

    *net = (struct net){ 0 };
    check(sf_topology_build(spec, &topo, &err), &err);
    check(sf_network_from_graph(topo->graph, topo->n_hosts, &network, &err),
          &err);
    check(sf_routing_build(network, &params, &net->routing, &err), &err);
    check(sf_path_source_of_routes(net->routing->network, net->routing->routes,
                                   SF_SL_OF_PATH, &net->source, &err),
          &err);
    check(sf_wires_build(net->routing->network, &net->wires, &err), &err);
    make_program(net);
    sf_network_free(network);
    sf_topology_free(topo);
}

static void
free_net(struct net *net)
{
    sf_program_clear(&net->program);
    sf_wires_free(net->wires);
    sf_routing_free(net->routing);
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
advance(struct sf_carrier *carrier, uint64_t n_packets)
{
    struct sf_run run = { 0 };
    struct sf_error err;

    check(sf_carrier_advance(carrier, n_packets, &run, &err), &err);
    if (run.n_cycle > 0) {
        fprintf(stderr, "a deadlock of %u buffers\n", run.n_cycle);
        exit(EXIT_FAILURE);
    }
}

static void
measure(const char *spec, const struct net *net,
        const struct sf_simulation_params *params, double seconds)
{
    struct sf_run_setup setup = { &net->source, net->wires, params, 1 };
    struct sf_carrier carrier;
    struct sf_hosts *hosts;
    struct sf_error err;

    check(sf_carrier_build(&setup, &carrier, &err), &err);
    check(sf_hosts_build(&carrier, &setup, &net->program, &hosts, &err), &err);
    advance(&carrier, 2 * STEP); /* Fill up. */
    uint64_t before = carrier.ops->n_switch_hops(carrier.sim);
    double start = used(), time;
    do {
        advance(&carrier, STEP);
        time = used() - start;
    } while (time < seconds);
    uint64_t n_hops = carrier.ops->n_switch_hops(carrier.sim) - before;
    double packet_times =
        (double)carrier.ops->now(carrier.sim) / (double)carrier.packet_ticks;
    printf("%-8s %-4s %-6s %8.1f million hops/s   rate %.3f   %6u packets in "
           "flight   %u VLs\n",
           spec, sf_sim_queues_name(params->queues), carrier.ops->name,
           (double)n_hops / time * 1e-6,
           (double)sf_hosts_state(hosts).n_delivered / packet_times /
               net->wires->n_hosts,
           carrier.ops->n_in_flight(carrier.sim), carrier.n_vls);
    fflush(stdout);
    sf_hosts_free(hosts);
    sf_carrier_clear(&carrier);
}

static void
measure_all(const char *spec, double seconds)
{
    struct net net;

    make_net(&net, spec);
    for (uint32_t queues = 0; queues < SF_N_SIM_QUEUES; queues++) {
        for (uint32_t timing = 0; timing < SF_N_SIM_TIMINGS; timing++) {
            struct sf_simulation_params params = {
                .timing = (enum sf_sim_timing)timing,
                .queues = (enum sf_sim_queues)queues,
                .net = sf_sim_nets[0],
                .length = 5,
            };
            params.net.buffer =
                8 * (params.net.mtu + params.net.header) * net.source.n_vls;
            measure(spec, &net, &params, seconds);
        }
    }
    free_net(&net);
}

int
main(int argc, char **argv)
{
    static const char *const specs[] = { "sf:q=5", "sf:q=11", "sf:q=19" };
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 2;

    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        measure_all(specs[i], seconds);
    }
    return EXIT_SUCCESS;
}
