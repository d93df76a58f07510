/* test_throughput.c -- throughput by hand, by linear programs and by bounds,
 * held against each other.  tests/oracle/throughput.py has a further judge. */
#include "analysis/bounds.h"
#include "analysis/pricing.h"
#include "analysis/solvers.h"
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/progress.h"
#include "test.h"
#include "throughput_cases.h"

#include <math.h>

#define N_CASES 1000

/* A network of a graph with as many hosts on each switch. */
static struct sf_network *
place_of(uint32_t n, const struct sf_link *links, uint32_t n_links,
         uint32_t n_hosts)
{
    struct sf_graph *graph;
    uint32_t *all_hosts = calloc(n, sizeof *all_hosts);

    CHECK(sf_graph_build(n, links, n_links, &graph, NULL) == SF_OK);
    CHECK(all_hosts != NULL);
    for (uint32_t s = 0; s < n; s++) {
        all_hosts[s] = n_hosts;
    }
    struct sf_network *place = network_of(graph, all_hosts);
    free(all_hosts);
    sf_graph_free(graph);
    return place;
}

static struct sf_network *
ring_of(uint32_t n, uint32_t n_hosts)
{
    struct sf_link links[64];
    for (uint32_t s = 0; s < n; s++) {
        links[s] = (struct sf_link){ s, (s + 1) % n };
    }
    return place_of(n, links, n, n_hosts);
}

static struct sf_network *
complete_of(uint32_t n, uint32_t n_hosts)
{
    struct sf_link links[256];
    uint32_t n_links = 0;
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < a; b++) {
            links[n_links++] = (struct sf_link){ a, b };
        }
    }
    return place_of(n, links, n_links, n_hosts);
}

/* The network of a topology. */
static struct sf_network *
network_by(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);

    sf_topology_free(topo);
    return network;
}

/* Routes of one path set, made as 'params' says. */
static struct sf_routes *
routes_of(const struct sf_network *network,
          const struct sf_layers_params *params)
{
    struct sf_routes *routes;

    CHECK(sf_routes_make(network, 1, &routes, NULL) == SF_OK);
    CHECK(sf_layers_build(network, params, &routes->sets[0], NULL) == SF_OK);
    return routes;
}

static struct sf_traffic *
traffic_of(const struct sf_network *network, const char *text)
{
    struct sf_traffic_params params = { .network = network };
    struct sf_traffic *traffic;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_traffic_build(text, &params, &traffic, &err) == SF_OK,
              "%s: %s", text, err.text);
    return traffic;
}

static struct sf_throughput
measure(const struct sf_graph *graph, const struct sf_traffic *traffic,
        struct sf_throughput_params params)
{
    struct sf_throughput result;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_throughput_measure(graph, traffic, &params, &result, &err) ==
                  SF_OK,
              "%s", err.text);
    CHECK_FOR(result.lower <= result.upper, "%.17g above %.17g", result.lower,
              result.upper);
    CHECK(result.net_lower <= result.net_upper);
    CHECK(result.lower == fmin(result.net_lower, result.host));
    return result;
}

/* Measures 'text' on 'place' in a mode that needs no layers, exactly and by
 * bounds, and expects 'expected' of the links between switches. */
static void
expect(const struct sf_network *place, const char *text,
       enum sf_throughput_mode mode, uint32_t max_hops, double expected)
{
    struct sf_traffic *traffic = traffic_of(place, text);
    struct sf_throughput_params params = { .mode = mode,
                                           .max_hops = max_hops,
                                           .n_paths = 100 };

    struct sf_throughput found = measure(place->graph, traffic, params);
    if (mode == SF_THROUGHPUT_ANY) {
        CHECK(found.net_lower <= expected * (1 + 1e-9));
        CHECK(found.net_upper >= expected * (1 - 1e-9));
    } else {
        CHECK_NEAR(found.net_lower, expected, 1e-6);
        CHECK(found.net_lower == found.net_upper);
    }
    params.effort = SF_EFFORT_APPROXIMATE;
    params.gap = 1e-4;
    found = measure(place->graph, traffic, params);
    CHECK_NEAR(found.net_lower, expected, 2e-4 * expected);
    CHECK_NEAR(found.net_upper, expected, 2e-4 * expected);
    CHECK_NEAR(found.lower, fmin(expected, 1), 2e-4 * expected);
    sf_traffic_free(traffic);
}

/* An odd ring: all shortest paths are unique and every arc carries those of
 * 1..m hops, 1 + ... + m of them, each 1 / (n - 1). */
TEST(throughput_ring)
{
    struct sf_network *place = ring_of(7, 1);
    expect(place, "all-to-all", SF_THROUGHPUT_HOPS, 3, 6.0 / 6);
    expect(place, "all-to-all", SF_THROUGHPUT_ANY, 0, 6.0 / 6);
    sf_network_free(place);

    place = ring_of(5, 1);
    expect(place, "all-to-all", SF_THROUGHPUT_HOPS, 2, 4.0 / 3);
    expect(place, "all-to-all", SF_THROUGHPUT_FREE, 2, 4.0 / 3);
    expect(place, "all-to-all", SF_THROUGHPUT_ANY, 0, 4.0 / 3);
    sf_network_free(place);
}

/* Each of n switches with p hosts sends p^2 / (np - 1) to each other.  Under a
 * permutation, direct links carry 1 and each of n - 2 detours 1/2. */
TEST(throughput_complete_graph)
{
    struct sf_network *place = complete_of(6, 3);
    expect(place, "all-to-all", SF_THROUGHPUT_HOPS, 1, 17.0 / 9);
    expect(place, "all-to-all", SF_THROUGHPUT_ANY, 0, 17.0 / 9);
    expect(place, "switch-permutation:distance=1", SF_THROUGHPUT_HOPS, 1,
           1.0 / 3);
    expect(place, "switch-permutation:distance=1", SF_THROUGHPUT_HOPS, 2,
           3.0 / 3);
    expect(place, "switch-permutation:distance=1", SF_THROUGHPUT_FREE, 2,
           3.0 / 3);
    expect(place, "switch-permutation:distance=1", SF_THROUGHPUT_ANY, 0,
           3.0 / 3);
    sf_network_free(place);
}

/* Three links between two switches carry three times as much; two switches
 * with two hosts each send 2 to each other. */
TEST(throughput_parallel_links)
{
    static const struct sf_link links[] = { { 0, 1 }, { 0, 1 }, { 0, 1 } };
    struct sf_network *place = place_of(2, links, 3, 2);

    expect(place, "switch-permutation:distance=1", SF_THROUGHPUT_HOPS, 1, 1.5);
    expect(place, "switch-permutation:distance=1", SF_THROUGHPUT_FREE, 1, 1.5);
    expect(place, "switch-permutation:distance=1", SF_THROUGHPUT_ANY, 0, 1.5);
    sf_network_free(place);
}

/* Every pair of the 50 switches has one shortest path, and every link carries
 * the same: 91 hops from each switch over 7 links are 13 pairs, each with
 * 16 / 199 of a host. */
TEST(throughput_50_switches)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_layers_params minimal = { .scheme = "minimal", .n_layers = 3 };
    struct sf_routes *routes = routes_of(network, &minimal);
    struct sf_traffic *traffic = traffic_of(network, "all-to-all");
    double expected = 199.0 / (16 * 13);

    struct sf_throughput_params params = { .routes = routes };
    struct sf_throughput found = measure(network->graph, traffic, params);
    CHECK_EQ(found.method, SF_METHOD_CLOSED_FORM);
    CHECK_EQ(found.n_paths, 2450);
    CHECK_NEAR(found.lower, expected, 1e-12);
    params.mode = SF_THROUGHPUT_EQUAL;
    found = measure(network->graph, traffic, params);
    CHECK_EQ(found.method, SF_METHOD_CLOSED_FORM);
    CHECK_NEAR(found.lower, expected, 1e-12);
    CHECK_NEAR(found.upper, expected, 1e-12);
    sf_routes_free(routes);

    /* No other paths help: shortest ones fill every link evenly. */
    struct sf_layers_params gates = { .n_layers = 8, .seed = 1 };
    routes = routes_of(network, &gates);
    params.routes = routes;
    params.mode = SF_THROUGHPUT_LAYERS;
    found = measure(network->graph, traffic, params);
    CHECK_EQ(found.method, SF_METHOD_BARRIER);
    CHECK_NEAR(found.lower, expected, 1e-7);
    CHECK(found.lower == found.upper);
    sf_routes_free(routes);
    params.mode = SF_THROUGHPUT_ANY;
    found = measure(network->graph, traffic, params);
    CHECK_EQ(found.method, SF_METHOD_APPROXIMATION);
    CHECK(found.lower <= expected + 1e-9 && found.upper >= expected - 1e-9);
    CHECK(found.upper <= 1.0051 * found.lower);
    sf_traffic_free(traffic);
    sf_network_free(network);
}

TEST(throughput_host_links)
{
    /* All hosts on one switch: nothing goes between switches. */
    static const struct sf_link links[] = { { 0, 1 } };
    static const uint32_t n_hosts[] = { 4, 0 };
    struct sf_graph *graph;
    CHECK(sf_graph_build(2, links, 1, &graph, NULL) == SF_OK);
    struct sf_network *place = network_of(graph, n_hosts);
    struct sf_traffic *traffic = traffic_of(place, "permutation");
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_ANY };

    struct sf_throughput found = measure(place->graph, traffic, params);
    CHECK(found.lower == 1 && found.upper == 1);
    CHECK(found.net_lower == HUGE_VAL && found.net_upper == HUGE_VAL);
    params.without_host_links = true;
    found = measure(place->graph, traffic, params);
    CHECK(found.lower == HUGE_VAL && found.host == HUGE_VAL);
    sf_traffic_free(traffic);
    sf_network_free(place);
    sf_graph_free(graph);

    /* More links than hosts can fill. */
    place = complete_of(6, 1);
    traffic = traffic_of(place, "all-to-all");
    params.mode = SF_THROUGHPUT_HOPS;
    params.max_hops = 1;
    params.without_host_links = false;
    found = measure(place->graph, traffic, params);
    CHECK(found.lower == 1 && found.upper == 1);
    CHECK_NEAR(found.net_lower, 5, 1e-6);
    params.without_host_links = true;
    found = measure(place->graph, traffic, params);
    CHECK_NEAR(found.lower, 5, 1e-6);
    sf_traffic_free(traffic);
    sf_network_free(place);
}

/* Bounds enclose the optimum, are as close as asked, and more freedom never
 * gives less. */
static void
compare_methods(const struct throughput_case *made, uint64_t number)
{
    static const double gaps[] = { 0.02, 0.005, 1e-4 };
    struct sf_throughput_params params = {
        .routes = made->routes,
        .effort = SF_EFFORT_EXACT,
    };
    const struct sf_graph *graph = made->network->graph;
    double gap = gaps[number % ARRAY_SIZE(gaps)];

    params.mode = SF_THROUGHPUT_EQUAL;
    double equal = measure(graph, made->traffic, params).net_upper;
    params.mode = SF_THROUGHPUT_LAYERS;
    struct sf_throughput exact = measure(graph, made->traffic, params);
    CHECK_FOR(exact.net_lower == exact.net_upper, "case %llu: %.12g to %.12g",
              (unsigned long long)number, exact.net_lower, exact.net_upper);
    CHECK(equal <= exact.net_upper * (1 + 1e-6));

    params.effort = SF_EFFORT_APPROXIMATE;
    params.gap = gap;
    struct sf_throughput bounds = measure(graph, made->traffic, params);
    CHECK_FOR(bounds.net_lower <= exact.net_upper * (1 + 1e-6) &&
                  bounds.net_upper >= exact.net_lower * (1 - 1e-6),
              "case %llu, %s: %.12g is not from %.12g to %.12g",
              (unsigned long long)number, made->text, exact.net_lower,
              bounds.net_lower, bounds.net_upper);
    CHECK_FOR(bounds.net_upper <= (1 + gap) * bounds.net_lower + 1e-9 ||
                  bounds.net_lower == HUGE_VAL,
              "case %llu, %s: gap %g not closed: %.12g to %.12g in %u rounds",
              (unsigned long long)number, made->text, gap, bounds.net_lower,
              bounds.net_upper, bounds.n_rounds);

    params.mode = SF_THROUGHPUT_ANY;
    struct sf_throughput any = measure(graph, made->traffic, params);
    CHECK(any.net_upper >= exact.net_lower * (1 - 1e-6));
    CHECK_FOR(any.net_upper <= (1 + gap) * any.net_lower + 1e-9 ||
                  any.net_lower == HUGE_VAL,
              "case %llu, %s, any path: gap %g not closed: %.12g to %.12g in "
              "%u rounds",
              (unsigned long long)number, made->text, gap, any.net_lower,
              any.net_upper, any.n_rounds);

    params.mode = SF_THROUGHPUT_HOPS;
    params.max_hops = graph->n_nodes - 1;
    params.effort = SF_EFFORT_EXACT;
    if (graph->n_nodes <= 7) {
        struct sf_throughput hops = measure(graph, made->traffic, params);
        CHECK_FOR(any.net_lower <= hops.net_upper * (1 + 1e-6) &&
                      any.net_upper >= hops.net_lower * (1 - 1e-6),
                  "case %llu: all paths %.12g, any %.12g to %.12g",
                  (unsigned long long)number, hops.net_lower, any.net_lower,
                  any.net_upper);
        params.mode = SF_THROUGHPUT_FREE;
        params.n_paths = 3;
        params.seed = number;
        CHECK(measure(graph, made->traffic, params).net_lower <=
              hops.net_upper * (1 + 1e-6));
    }
}

TEST(throughput_methods_agree)
{
    uint32_t n_compared = 0;

    for (uint64_t number = 0; number < N_CASES; number++) {
        struct throughput_case made;
        if (throughput_case_make(&made, number)) {
            compare_methods(&made, number);
            n_compared++;
        }
        throughput_case_clear(&made);
    }
    CHECK_FOR(n_compared > N_CASES / 2, "only %u cases", n_compared);
}

/* Where there are too many paths to list, they are found as they are needed,
 * and none that is too long. */
static void
compare_growth(const struct throughput_case *made, uint64_t number)
{
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_HOPS,
                                           .effort = SF_EFFORT_EXACT,
                                           .gap = 1e-3 };
    struct sf_throughput exact, grown = { 0 };
    const struct sf_graph *graph = made->network->graph;
    struct sf_net net;
    struct sf_paths paths = { 0 };
    struct sf_error err = { 0 };

    /* Only as far as some demand: the others have a hop or two to spare. */
    for (params.max_hops = 1;
         sf_throughput_measure(graph, made->traffic, &params, &exact, NULL) ==
         SF_EUNREACHABLE;
         params.max_hops++) {
    }
    CHECK(sf_net_build(&net, graph, true, NULL) == SF_OK);
    CHECK(sf_paths_enumerate(&paths, &net, made->traffic, 0, true, NULL) ==
          SF_OK);
    CHECK_FOR(sf_throughput_approximate(&net, &paths, true, params.max_hops,
                                        &params, &grown, &err) == SF_OK,
              "case %llu: %s", (unsigned long long)number, err.text);
    CHECK_FOR(grown.net_lower <= exact.net_upper * (1 + 1e-6) &&
                  grown.net_upper >= exact.net_lower * (1 - 1e-6) &&
                  grown.net_upper <= 1.0011 * grown.net_lower,
              "case %llu: %.12g with %u hops is not from %.12g to %.12g",
              (unsigned long long)number, exact.net_lower, params.max_hops,
              grown.net_lower, grown.net_upper);
    CHECK(sf_paths_count(&paths) <= exact.n_paths);
    sf_paths_clear(&paths);
    sf_net_clear(&net);
}

TEST(throughput_growth_within_hops)
{
    for (uint64_t number = 0; number < 300; number++) {
        struct throughput_case made;
        if (throughput_case_make(&made, number) &&
            made.traffic->n_demands > 0) {
            compare_growth(&made, number);
        }
        throughput_case_clear(&made);
    }
}

/* Whether theta of 'found' is what 'exact', both bounds of the net the same,
 * says of it, and as close as was asked for. */
static void
expect_theta(const struct sf_throughput *found,
             const struct sf_throughput *exact, double gap, const char *what,
             uint64_t number)
{
    CHECK_FOR(found->lower <= exact->upper * (1 + 1e-6) &&
                  found->upper >= exact->lower * (1 - 1e-6) &&
                  (found->upper <= (1 + gap) * found->lower * (1 + 1e-9) ||
                   found->lower == HUGE_VAL),
              "%s %llu: %.12g to %.12g is not from %.12g to %.12g", what,
              (unsigned long long)number, exact->lower, exact->upper,
              found->lower, found->upper);
    CHECK(found->net_lower <= exact->net_upper * (1 + 1e-6));
    CHECK(found->net_upper >= exact->net_lower * (1 - 1e-6));
}

/* Who asks for theta alone gets the same, whatever the solver and the paths,
 * and exactly so where hosts have room to spare in the net. */
static uint32_t
compare_stops(const struct throughput_case *made, uint64_t number)
{
    static const enum sf_throughput_mode modes[] = { SF_THROUGHPUT_LAYERS,
                                                     SF_THROUGHPUT_FREE,
                                                     SF_THROUGHPUT_HOPS };
    const struct sf_graph *graph = made->network->graph;
    uint32_t n_hosts_limit = 0;

    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        struct sf_throughput_params params = { .mode = modes[i],
                                               .routes = made->routes,
                                               .n_paths = 3,
                                               .gap = 1e-3,
                                               .effort = SF_EFFORT_EXACT };
        if (modes[i] == SF_THROUGHPUT_HOPS && graph->n_nodes > 7) {
            continue;
        }
        struct sf_throughput exact = measure(graph, made->traffic, params);
        params.stop_at_host = true;
        for (int effort = SF_EFFORT_AUTO; effort <= SF_EFFORT_APPROXIMATE;
             effort++) {
            params.effort = (enum sf_throughput_effort)effort;
            struct sf_throughput found = measure(graph, made->traffic, params);
            expect_theta(&found, &exact, params.gap,
                         sf_throughput_mode_name(modes[i]), number);
            if (exact.net_lower > 1.01 * exact.host) {
                CHECK(found.lower == exact.host && found.upper == exact.host);
                n_hosts_limit++;
            }
        }
    }
    return n_hosts_limit;
}

TEST(throughput_stops_where_hosts_are_the_limit)
{
    uint32_t n_hosts_limit = 0;

    for (uint64_t number = 0; number < 300; number++) {
        struct throughput_case made;
        if (throughput_case_make(&made, number)) {
            n_hosts_limit += compare_stops(&made, number);
        }
        throughput_case_clear(&made);
    }
    CHECK_FOR(n_hosts_limit > 300, "only %u", n_hosts_limit);
}

/* The same on every family: bounds of the net itself, without regard to hosts,
 * are the judge. */
TEST(throughput_stops_on_every_family)
{
    static const char *const specs[] = {
        "sf:q=5",  "sf:q=4",         "ft2:ports=8", "ft3:ports=6",
        "hx2:4x4", "df:a=4,h=2,p=2", "pf:q=4",      "jellyfish:n=20,k=5",
    };
    static const char *const texts[] = { "all-to-all", "permutation",
                                         "switch-permutation",
                                         "adversarial:load=0.5" };

    for (size_t i = 0; i < ARRAY_SIZE(specs) * ARRAY_SIZE(texts); i++) {
        const char *text = texts[i % ARRAY_SIZE(texts)];
        struct sf_network *network = network_by(specs[i / ARRAY_SIZE(texts)]);
        struct sf_traffic *traffic = traffic_of(network, text);
        for (int mode = SF_THROUGHPUT_HOPS; mode <= SF_THROUGHPUT_ANY;
             mode++) {
            struct sf_throughput_params params = {
                .mode = (enum sf_throughput_mode)mode,
                .effort = SF_EFFORT_APPROXIMATE,
                .gap = 1e-3,
            };
            struct sf_throughput net =
                measure(network->graph, traffic, params);
            params.stop_at_host = true;
            params.gap = 0.01;
            struct sf_throughput found =
                measure(network->graph, traffic, params);
            expect_theta(&found, &net, params.gap, text, i);
            if (net.net_lower > 1.01 * net.host) {
                CHECK(found.lower == net.host && found.upper == net.host);
            }
        }
        sf_traffic_free(traffic);
        sf_network_free(network);
    }
}

/* Even shares of shortest paths, against a list of them; parallel links are
 * paths of their own there. */
static void
compare_even_shares(const struct throughput_case *made)
{
    struct sf_net net;
    struct sf_paths paths = { 0 };
    struct sf_bounds bounds, listed;
    uint32_t longest, most = 0;
    uint64_t n_pairs;

    for (int bundled = 0; bundled < 2; bundled++) {
        CHECK(sf_net_build(&net, made->network->graph, bundled, NULL) ==
              SF_OK);
        CHECK(sf_bounds_of_net(&net, made->traffic, &bounds, &longest,
                               &n_pairs, NULL) == SF_OK);
        sf_net_clear(&net);
        CHECK(sf_net_build(&net, made->network->graph, false, NULL) == SF_OK);
        CHECK(sf_paths_enumerate(&paths, &net, made->traffic, 0, true, NULL) ==
              SF_OK);
        size_t n_paths = sf_paths_count(&paths);
        double *shares = calloc(n_paths + 1, sizeof *shares);
        double *loads = calloc(net.n_edges, sizeof *loads);
        CHECK(shares != NULL && loads != NULL);
        for (size_t k = 0; k < paths.demands.n; k++) {
            uint32_t first = paths.first_path.items[k];
            uint32_t end = paths.first_path.items[k + 1];
            for (uint32_t p = first; p < end; p++) {
                shares[p] = 1.0 / (end - first);
                uint32_t n_hops =
                    paths.first_hop.items[p + 1] - paths.first_hop.items[p];
                most = n_hops > most ? n_hops : most;
            }
        }
        sf_paths_loads(&paths, &net, shares, loads);
        CHECK_NEAR(sf_net_congestion(&net, loads), bounds.suffices,
                   1e-9 * bounds.suffices);
        CHECK(bounds.needed <= bounds.suffices * (1 + 1e-9));
        CHECK_EQ(longest, most);
        CHECK_EQ(n_pairs, paths.demands.n);
        CHECK(sf_bounds_of_paths(&paths, &net, false, &listed, shares, NULL) ==
              SF_OK);
        CHECK_NEAR(listed.suffices, bounds.suffices, 1e-9 * bounds.suffices);
        CHECK_NEAR(listed.needed, bounds.needed, 1e-9 * bounds.needed);
        free(loads);
        free(shares);
        sf_paths_clear(&paths);
        sf_net_clear(&net);
    }
}

/* What demands pay on their cheapest paths of so many hops, against all such
 * paths. */
static void
compare_prices(const struct throughput_case *made, uint64_t number)
{
    struct sf_net net;
    struct sf_paths all = { 0 }, shortest = { 0 };
    struct sf_random random;
    double prices[256], costs[2];

    sf_random_init(&random, number, 0);
    CHECK(sf_net_build(&net, made->network->graph, true, NULL) == SF_OK);
    CHECK(net.n_edges <= ARRAY_SIZE(prices));
    for (uint32_t e = 0; e < net.n_edges; e++) {
        prices[e] = 1 + sf_random_below(&random, 1000);
    }
    CHECK(sf_paths_enumerate(&shortest, &net, made->traffic, 0, true, NULL) ==
          SF_OK);
    uint32_t max_hops = net.n_nodes < 6 ? net.n_nodes : 6;
    enum sf_status status =
        sf_paths_enumerate(&all, &net, made->traffic, max_hops, false, NULL);
    for (uint32_t i = 0; status == SF_OK && i < 2; i++) {
        struct sf_paths more = { 0 };
        CHECK(sf_paths_price(&shortest, &net, max_hops, prices, 0, 1 + 2 * i,
                             i ? &more : NULL, &costs[i], NULL) == SF_OK);
        CHECK_NEAR(costs[i], sf_paths_cost(&all, prices), 1e-9 * costs[i]);
        if (i == 1) {
            CHECK(costs[0] == costs[1]);
            CHECK_NEAR(sf_paths_cost(&more, prices), costs[1],
                       1e-9 * costs[1]);
        }
        sf_paths_clear(&more);
    }
    sf_paths_clear(&shortest);
    sf_paths_clear(&all);
    sf_net_clear(&net);
}

TEST(throughput_bounds_and_prices_against_lists_of_paths)
{
    for (uint64_t number = 0; number < 500; number++) {
        struct throughput_case made;
        if (throughput_case_make(&made, number) &&
            made.traffic->n_demands > 0) {
            compare_even_shares(&made);
            compare_prices(&made, number);
        }
        throughput_case_clear(&made);
    }
}

/* Paths that share no link: as many as asked or as there are, none longer than
 * allowed.  With all of them, a switch of the 50 reaches one at distance 2
 * over its minimal path and 6 detours. */
TEST(throughput_free_paths)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_traffic *traffic = traffic_of(network, "switch-permutation");
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_FREE };
    double before = 0;

    for (params.n_paths = 1; params.n_paths <= 8; params.n_paths++) {
        struct sf_throughput found = measure(network->graph, traffic, params);
        CHECK_EQ(found.n_paths,
                 50 * (params.n_paths < 7 ? params.n_paths : 7));
        CHECK(found.lower >= before - 1e-9);
        before = found.lower;
    }
    params.mode = SF_THROUGHPUT_HOPS;
    params.max_hops = 3;
    CHECK_NEAR(measure(network->graph, traffic, params).lower, before, 1e-6);
    params.mode = SF_THROUGHPUT_FREE;
    params.n_paths = 3;
    params.seed = 1;
    double one = measure(network->graph, traffic, params).lower;
    CHECK(one == measure(network->graph, traffic, params).lower);
    params.seed = 2;
    CHECK(one != measure(network->graph, traffic, params).lower);
    sf_traffic_free(traffic);
    sf_network_free(network);
}

static void
check_any_threads(uint32_t q, uint32_t n_layers)
{
    static const uint32_t n_threads[] = { 0, 2, 5 };
    char spec[16];
    snprintf(spec, sizeof spec, "sf:q=%u", q);
    struct sf_network *network = network_by(spec);
    struct sf_layers_params gates = { .n_layers = n_layers, .seed = 1 };
    struct sf_routes *routes = routes_of(network, &gates);
    struct sf_traffic *traffic = traffic_of(network, "adversarial:load=0.1");

    for (int mode = 0; mode < 2; mode++) {
        struct sf_throughput first = { 0 };
        for (size_t i = 0; i < ARRAY_SIZE(n_threads); i++) {
            struct sf_throughput_params params = {
                .mode = mode ? SF_THROUGHPUT_ANY : SF_THROUGHPUT_LAYERS,
                .routes = routes,
                .n_threads = n_threads[i],
            };
            struct sf_throughput found =
                measure(network->graph, traffic, params);
            CHECK_EQ(found.method, SF_METHOD_APPROXIMATION);
            if (i == 0) {
                first = found;
            }
            CHECK(found.lower == first.lower && found.upper == first.upper);
            CHECK(found.net_lower == first.net_lower);
            CHECK(found.net_upper == first.net_upper);
            CHECK_EQ(found.n_rounds, first.n_rounds);
        }
    }
    sf_routes_free(routes);
    sf_traffic_free(traffic);
    sf_network_free(network);
}

TEST(throughput_same_with_any_threads_at_q_7)
{
    check_any_threads(7, 8);
}

TEST_LONG(throughput_same_with_any_threads_at_q_9)
{
    check_any_threads(9, 8);
}

static void
count_report(void *aux, const char *what, uint64_t done, uint64_t total)
{
    uint64_t *reports = aux;
    CHECK(what != NULL && done <= total);
    reports[0]++;
    reports[1] = total - done;
}

TEST(throughput_reports_progress)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_traffic *traffic = traffic_of(network, "switch-permutation");
    uint64_t reports[2] = { 0, 1 };
    struct sf_progress progress = { count_report, reports };
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_ANY };

    sf_progress_listen(&progress);
    measure(network->graph, traffic, params);
    sf_progress_listen(NULL);
    CHECK(reports[0] > 1);
    CHECK_EQ(reports[1], 0);
    /* Rounds that are used up leave bounds that hold, but far apart. */
    params.max_rounds = 3;
    struct sf_throughput found = measure(network->graph, traffic, params);
    CHECK_EQ(found.n_rounds, 3);
    CHECK(found.lower < 0.628 && found.upper > 0.628);
    sf_traffic_free(traffic);
    sf_network_free(network);
}

TEST(linear_programs_that_clp_gives_up_are_no_optimum)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_traffic *traffic = traffic_of(network, "switch-permutation");
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_FREE,
                                           .n_paths = 4 };
    struct sf_throughput result;
    struct sf_error err = { 0 };

    struct sf_throughput best = measure(network->graph, traffic, params);
    CHECK_EQ(best.method, SF_METHOD_SIMPLEX);
    /* Too few iterations: the approximation goes on. */
    params.max_rounds = 3;
    struct sf_throughput found = measure(network->graph, traffic, params);
    CHECK_EQ(found.method, SF_METHOD_APPROXIMATION);
    CHECK(found.lower <= best.upper && best.lower <= found.upper);
    params.effort = SF_EFFORT_EXACT;
    CHECK_EQ(
        sf_throughput_measure(network->graph, traffic, &params, &result, &err),
        SF_ELIMIT);
    CHECK(strstr(err.text, "CLP did not solve") != NULL);
    sf_traffic_free(traffic);
    sf_network_free(network);
}

static void
expect_refusal(const struct sf_graph *graph, const struct sf_traffic *traffic,
               struct sf_throughput_params params, enum sf_status status,
               const char *word)
{
    struct sf_throughput result;
    struct sf_error err = { 0 };
    CHECK_EQ(sf_throughput_measure(graph, traffic, &params, &result, &err),
             status);
    CHECK_FOR(strstr(err.text, word), "'%s' does not say %s", err.text, word);
}

TEST(throughput_refuses)
{
    static const struct sf_link links[] = { { 0, 1 }, { 2, 3 } };
    struct sf_network *apart = place_of(4, links, 2, 1);
    struct sf_network *ring = ring_of(5, 1);
    struct sf_traffic *traffic = traffic_of(apart, "all-to-all");
    struct sf_layers_params layer_params = { .n_layers = 2,
                                             .within_parts = true };
    struct sf_routes *routes = routes_of(apart, &layer_params), *two_sets;
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_ANY };

    expect_refusal(apart->graph, traffic, params, SF_EUNREACHABLE,
                   "switch 0 sends to switch 2");
    expect_refusal(ring->graph, traffic, params, SF_EINVAL, "4");
    params = (struct sf_throughput_params){ .routes = routes };
    expect_refusal(apart->graph, traffic, params, SF_EUNREACHABLE, "switch 2");
    params.mode = SF_THROUGHPUT_EQUAL;
    expect_refusal(apart->graph, traffic, params, SF_EUNREACHABLE, "switch 2");
    CHECK(sf_routes_make(apart, 2, &two_sets, NULL) == SF_OK);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(sf_layers_build(apart, &layer_params, &two_sets->sets[i],
                              NULL) == SF_OK);
    }
    params.routes = two_sets;
    expect_refusal(apart->graph, traffic, params, SF_EINVAL, "path sets");
    sf_routes_free(two_sets);
    params = (struct sf_throughput_params){ 0 };
    expect_refusal(apart->graph, traffic, params, SF_EINVAL, "routes");
    params.mode = SF_THROUGHPUT_FREE;
    expect_refusal(apart->graph, traffic, params, SF_EINVAL, "path");
    sf_traffic_free(traffic);

    traffic = traffic_of(ring, "all-to-all");
    params = (struct sf_throughput_params){ .mode = SF_THROUGHPUT_HOPS,
                                            .max_hops = 1 };
    expect_refusal(ring->graph, traffic, params, SF_EUNREACHABLE,
                   "at most 1 hops");
    params = (struct sf_throughput_params){ .routes = routes };
    expect_refusal(ring->graph, traffic, params, SF_EINVAL, "5 switches");
    sf_traffic_free(traffic);
    sf_routes_free(routes);
    sf_network_free(ring);
    sf_network_free(apart);
}

/* A case that 'mode' takes: not all are of diameter 2. */
static struct throughput_case
case_for(enum sf_throughput_mode mode)
{
    for (uint64_t number = 2;; number++) {
        struct throughput_case made;
        CHECK(throughput_case_make(&made, number));
        struct sf_throughput_params params = { .mode = mode,
                                               .routes = made.routes,
                                               .n_paths = 2 };
        struct sf_throughput result;
        if (sf_throughput_measure(made.network->graph, made.traffic, &params,
                                  &result, NULL) == SF_OK &&
            made.traffic->n_demands > 0) {
            return made;
        }
        throughput_case_clear(&made);
    }
}

/* Every allocation fails once. */
TEST(throughput_nomem)
{
    for (int mode = 0; mode <= SF_THROUGHPUT_ANY; mode++) {
        struct throughput_case made = case_for((enum sf_throughput_mode)mode);
        for (int effort = SF_EFFORT_EXACT; effort <= SF_EFFORT_APPROXIMATE;
             effort++) {
            struct sf_throughput_params params = {
                .mode = (enum sf_throughput_mode)mode,
                .effort = (enum sf_throughput_effort)effort,
                .routes = made.routes,
                .n_paths = 2,
            };
            enum sf_status status = SF_ENOMEM;
            for (unsigned long nth = 1; status != SF_OK; nth++) {
                struct sf_throughput result;
                struct sf_error err = { 0 };
                sf_mem_fail_at(nth);
                status = sf_throughput_measure(
                    made.network->graph, made.traffic, &params, &result, &err);
                void *memory = sf_calloc(1, 1);
                bool is_to_come = memory == NULL;
                free(memory);
                sf_mem_fail_at(0);
                CHECK_FOR(status == SF_OK ? is_to_come : !is_to_come,
                          "mode %d: allocation %lu went unnoticed", mode, nth);
                CHECK(status == SF_OK || status == SF_ENOMEM);
                CHECK(status == SF_OK || err.text[0] != '\0');
                CHECK(nth < 5000);
            }
        }
        throughput_case_clear(&made);
    }
}
