/* sharing.c -- how long the flow model takes: rates and ends of an all-to-all
 * of 200 hosts, and of a permutation of 7,514 hosts in 4 stripes; then whole
 * runs of workloads on the routes of Slim Flies, from following paths to the
 * end of the last message, without the making of the routes.
 *
 * sharing FILE -- writes an all-to-all of 100 hosts and its ends, for
 * simgrid.cpp to compare with.
 *
 * The first two draw paths at random over as many links as a Slim Fly of that
 * size has: what counts here is how many flows share how many links. */
#define _GNU_SOURCE
#include "sim/fair_share.h"
#include "sim/fluid.h"
#include "sim/run.h"
#include "sim/workload.h"
#include "slimfly/random.h"
#include "slimfly/slimfly.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_RUNS 9
#define CAPACITY 1e9
#define BYTES    1000000

/* Hosts have a link out and a link in; between them are links of switches. */
struct network {
    uint32_t n_hosts, n_inner;
};

struct flows {
    uint32_t n_links, n_flows, n_hops;
    double *capacities;
    uint32_t *first, *links;
};

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void *
get_memory(size_t n_items, size_t item_size)
{
    void *memory = calloc(n_items, item_size);
    if (!memory) {
        exit(EXIT_FAILURE);
    }
    return memory;
}

static void
must(enum sf_status status, const struct sf_error *err)
{
    if (status != SF_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(EXIT_FAILURE);
    }
}

static struct flows
begin_flows(struct network network, uint32_t n_flows, uint32_t n_hops)
{
    struct flows flows = {
        .n_links = 2 * network.n_hosts + network.n_inner,
        .n_hops = n_hops,
    };

    flows.capacities = get_memory(flows.n_links, sizeof *flows.capacities);
    flows.first = get_memory(n_flows + 1, sizeof *flows.first);
    flows.links = get_memory((size_t)n_flows * n_hops, sizeof *flows.links);
    for (uint32_t l = 0; l < flows.n_links; l++) {
        flows.capacities[l] = CAPACITY;
    }
    return flows;
}

/* Adds a flow over the links of two hosts and different ones between. */
static void
add_flow(struct flows *flows, struct network network, uint32_t source,
         uint32_t destination, struct sf_random *random)
{
    uint32_t *links = flows->links + (size_t)flows->n_flows * flows->n_hops;
    uint32_t part = network.n_inner / (flows->n_hops - 2);

    links[0] = source;
    links[1] = network.n_hosts + destination;
    for (uint32_t i = 2; i < flows->n_hops; i++) {
        links[i] = 2 * network.n_hosts + (i - 2) * part +
                   sf_random_below(random, part);
    }
    flows->n_flows++;
    flows->first[flows->n_flows] = flows->n_flows * flows->n_hops;
}

static struct flows
draw_all_to_all(struct network network)
{
    uint32_t n = network.n_hosts;
    struct flows flows = begin_flows(network, n * (n - 1), 4);
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (uint32_t i = 0; i < n * n; i++) {
        if (i / n != i % n) {
            add_flow(&flows, network, i / n, i % n, &random);
        }
    }
    return flows;
}

static struct flows
draw_stripes(struct network network, uint32_t n_stripes)
{
    uint32_t n = network.n_hosts;
    struct flows flows = begin_flows(network, n * n_stripes, 5);
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (uint32_t i = 0; i < n * n_stripes; i++) {
        uint32_t source = i / n_stripes;
        add_flow(&flows, network, source, (source + n / 2) % n, &random);
    }
    return flows;
}

static void
free_flows(struct flows *flows)
{
    free(flows->links);
    free(flows->first);
    free(flows->capacities);
}

static void
share(const struct flows *flows, double *rates)
{
    struct sf_fair_share problem = {
        .n_links = flows->n_links,
        .n_flows = flows->n_flows,
        .capacities = flows->capacities,
        .first = flows->first,
        .links = flows->links,
    };
    struct sf_error err;
    must(sf_fair_share_solve(&problem, rates, &err), &err);
}

/* Sends a message over each flow, all at once; sets how many moments there are
 * at which some end.  Release the result with sf_fluid_free(). */
static struct sf_fluid *
send(const struct flows *flows, uint32_t *n_momentsp)
{
    struct sf_fluid *fluid;
    struct sf_fluid_ended ended;
    struct sf_error err;

    *n_momentsp = 0;

    must(sf_fluid_build(flows->n_links, flows->capacities, &fluid, &err),
         &err);
    for (uint32_t f = 0; f < flows->n_flows; f++) {
        struct sf_fluid_flow flow = {
            .links = flows->links + flows->first[f],
            .n_links = flows->n_hops,
            .bytes = BYTES,
        };
        must(sf_fluid_add(fluid, 0, &flow, 1, NULL, &err), &err);
    }
    do {
        must(sf_fluid_next(fluid, &ended, &err), &err);
        *n_momentsp += ended.n > 0;
    } while (ended.n > 0);
    return fluid;
}

static int
compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints the median of the times of rates, and one time of the ends. */
static void
measure(const char *what, struct flows flows)
{
    double *rates = get_memory(flows.n_flows, sizeof *rates);
    double times[MAX_RUNS];

    for (int i = 0; i < MAX_RUNS; i++) {
        double start = now();
        share(&flows, rates);
        times[i] = now() - start;
    }
    qsort(times, MAX_RUNS, sizeof *times, compare_doubles);
    uint32_t n_moments;
    double start = now();
    sf_fluid_free(send(&flows, &n_moments));
    printf("%-36s %8u flows %10.2f ms rates %10.2f ms ends, %u moments\n",
           what, flows.n_flows, 1e3 * times[MAX_RUNS / 2],
           1e3 * (now() - start), n_moments);
    free(rates);
    free_flows(&flows);
}

/* Writes sizes, our time, and the hosts, links and end of each flow. */
static void
write_case(FILE *stream, struct network network)
{
    struct flows flows = draw_all_to_all(network);
    uint32_t n_moments;
    double start = now();
    struct sf_fluid *fluid = send(&flows, &n_moments);

    fprintf(stream, "%u %u %u %u %.17g %d %.9f\n", network.n_hosts,
            flows.n_links, flows.n_flows, flows.n_hops, CAPACITY, BYTES,
            now() - start);
    for (uint32_t f = 0; f < flows.n_flows; f++) {
        const uint32_t *links = flows.links + flows.first[f];
        fprintf(stream, "%u %u", links[0], links[1] - network.n_hosts);
        for (uint32_t i = 0; i < flows.n_hops; i++) {
            fprintf(stream, " %u", links[i]);
        }
        fprintf(stream, " %.17g\n", sf_fluid_end_of(fluid, f));
    }
    sf_fluid_free(fluid);
    free_flows(&flows);
}

/* A network with its routes. */
struct routed {
    struct sf_network *network;
    struct sf_routing *routing;
    struct sf_path_source source;
};

static struct routed
route(const char *spec, const char *layers, uint32_t n_layers)
{
    struct sf_routing_params params = {
        .layers = { .scheme = layers, .n_layers = n_layers, .seed = 1 },
        .without_lanes = true,
    };
    struct sf_topology *topo;
    struct routed routed;
    struct sf_error err;

    must(sf_topology_build(spec, &topo, &err), &err);
    must(sf_network_from_graph(topo->graph, topo->n_hosts, &routed.network,
                               &err),
         &err);
    must(sf_routing_build(routed.network, &params, &routed.routing, &err),
         &err);
    must(sf_path_source_of_routes(routed.network, routed.routing->routes,
                                  SF_SL_OF_PATH, &routed.source, &err),
         &err);
    sf_topology_free(topo);
    return routed;
}

static void
free_routed(struct routed *routed)
{
    sf_routing_free(routed->routing);
    sf_network_free(routed->network);
}

/* Runs one round; returns the sum of the rates of its messages, as parts of a
 * link, and adds up how many there are. */
static double
run_round(const struct sf_run_setup *setup, const struct sf_workload *workload,
          uint32_t round, uint64_t *n_messagesp)
{
    struct sf_program program;
    struct sf_run run;
    struct sf_error err;
    uint32_t *job_of;
    double sum = 0;

    must(sf_workload_program(workload, round, &program, &job_of, &err), &err);
    must(sf_run_flows(setup, &program, &run, &err), &err);
    for (size_t i = 0; i < program.messages.n; i++) {
        sum += (double)program.messages.items[i].bytes /
               (run.ends[i] - run.starts[i]) / CAPACITY;
    }
    *n_messagesp += program.messages.n;
    sf_run_clear(&run);
    sf_program_clear(&program);
    free(job_of);
    return sum;
}

/* Prints how long all rounds of 'workload' take, and the mean rate. */
static void
measure_run(const char *what, const struct routed *routed,
            const char *workload_text, enum sf_select select)
{
    struct sf_simulation_params params = {
        .jobs = { .workload = workload_text, .size = BYTES },
        .select = select,
        .net = { .rate = CAPACITY, .mtu = 1 },
    };
    struct sf_workload *workload;
    struct sf_wires *wires;
    struct sf_error err;
    uint64_t n_messages = 0;
    double sum = 0, start = now();

    must(sf_workload_build(routed->network, &params.jobs, 1, &workload, &err),
         &err);
    must(sf_wires_build(routed->network, &wires, &err), &err);
    for (uint32_t i = 0; i < workload->n_rounds; i++) {
        struct sf_run_setup setup = { &routed->source, wires, &params, i };
        sum += run_round(&setup, workload, i, &n_messages);
    }
    sf_wires_free(wires);
    sf_workload_free(workload);
    printf("%-36s %8llu messages %10.2f ms, mean rate %.3f\n", what,
           (unsigned long long)n_messages, 1e3 * (now() - start),
           sum / (double)n_messages);
}

static void
measure_runs(void)
{
    struct routed small = route("sf:q=5", NULL, 4);

    measure_run("q=5 eBB, 100 matchings, first", &small, "ebb",
                SF_SELECT_FIRST);
    measure_run("q=5 eBB, 100 matchings, stripe", &small, "ebb",
                SF_SELECT_STRIPE);
    measure_run("q=5 eBB, 10 matchings, adaptive", &small, "ebb:matchings=10",
                SF_SELECT_ADAPTIVE);
    measure_run("q=5 all-to-all, first", &small, "all-to-all",
                SF_SELECT_FIRST);
    measure_run("q=5 all-to-all, stripe", &small, "all-to-all",
                SF_SELECT_STRIPE);
    free_routed(&small);

    struct routed large = route("sf:q=17", "rues", 4);
    measure_run("q=17 permutation, stripe", &large, "permutation",
                SF_SELECT_STRIPE);
    free_routed(&large);
}

int
main(int argc, char **argv)
{
    /* Few links between hosts, so that ends differ. */
    struct network tiny = { .n_hosts = 100, .n_inner = 100 };
    struct network small = { .n_hosts = 200, .n_inner = 350 };
    struct network large = { .n_hosts = 7514, .n_inner = 578 * 25 };

    if (argc > 1) {
        FILE *stream = fopen(argv[1], "w");
        if (!stream) {
            perror(argv[1]);
            return EXIT_FAILURE;
        }
        write_case(stream, tiny);
        return fclose(stream) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    measure("all-to-all of 200 hosts", draw_all_to_all(small));
    measure("7,514 messages in 4 stripes", draw_stripes(large, 4));
    measure_runs();
    return EXIT_SUCCESS;
}
