/* test_design.c -- sizes by formula against networks that are built, choices
 * against looking at everything, bounds against trying every cut. */
#include "base/mem.h"
#include "design/bisection.h"
#include "design/family_sizes.h"
#include "design/permutation.h"
#include "design/swaps.h"
#include "helpers.h"
#include "oracle/oracle.h"
#include "slimfly/design.h"
#include "slimfly/lids.h"
#include "slimfly/throughput.h"
#include "test.h"

#include <math.h>

static struct sf_prices *
shipped(void)
{
    struct sf_prices *prices;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_prices_default(&prices, &err) == SF_OK, "%s", err.text);
    return prices;
}

static struct sf_prices *
fitted(void)
{
    struct sf_prices *prices;
    struct sf_error err = { 0 };
    CHECK_FOR(sf_prices_paper(&prices, &err) == SF_OK, "%s", err.text);
    return prices;
}

static struct sf_design *
design(const struct sf_design_params *params, const struct sf_prices *prices)
{
    struct sf_design_params asked = *params;
    struct sf_design *answer;
    struct sf_error err = { 0 };
    asked.backend = &sf_ib_backend;
    CHECK_FOR(sf_design_build(&asked, prices, &answer, &err) == SF_OK, "%s",
              err.text);
    return answer;
}

static bool
is_prime_power(uint32_t q)
{
    uint32_t p, k;
    return oracle_is_prime_power(q, &p, &k);
}

/* Endpoints of the Slim Fly of q, from q = 4w + delta; 0 if there is none. */
static uint32_t
oracle_endpoints(uint32_t q)
{
    for (int delta = -1; delta <= 1; delta++) {
        if (is_prime_power(q) && q >= 3 && ((int)q - delta) % 4 == 0) {
            uint32_t degree = (uint32_t)(3 * (int)q - delta) / 2;
            return 2 * q * q * (degree / 2 + degree % 2);
        }
    }
    return 0;
}

TEST(design_nearest_slimfly_for_every_n_from_10_to_100000)
{
    uint32_t sizes[128] = { 0 };

    for (uint32_t q = 1; q < 128; q++) {
        sizes[q] = oracle_endpoints(q);
    }
    for (uint32_t n = 10; n <= 100000; n++) {
        uint32_t best = 0;
        for (uint32_t q = 1; q < 128; q++) {
            long off = labs((long)sizes[q] - (long)n);
            if (sizes[q] &&
                (!best || off <= labs((long)sizes[best] - (long)n))) {
                best = q; /* Of two equally near ones the larger. */
            }
        }
        struct sf_slimfly_size found = sf_slimfly_nearest(n);
        CHECK_FOR(found.q == best, "N = %u: q = %u, expected %u", n, found.q,
                  best);
        CHECK_EQ(found.n_endpoints, sizes[best]);
        CHECK_EQ(found.n_switches, 2 * best * best);
    }
}

TEST(design_sizes_of_slimflies_that_exist_are_those_built)
{
    for (uint32_t q = 3; q <= 27; q++) {
        if (!is_prime_power(q)) {
            continue;
        }
        struct sf_slimfly_size size = sf_slimfly_size(q);
        struct sf_topology *topo = build("sf:q=%u", q);
        CHECK_EQ(topo->graph->n_nodes, size.n_switches);
        CHECK_EQ(topo->n_endpoints, size.n_endpoints);
        CHECK_EQ(sf_graph_degree(topo->graph, 0), size.network_radix);
        sf_topology_free(topo);
    }
}

static void
check_size(const struct network_size *network, uint32_t p)
{
    char spec[SF_SPEC_SIZE];
    network->family->write_spec(network, p, spec);
    struct sf_topology *topo = build("%s", spec);
    uint32_t n_hosting = 0, link_ports = 0, most = 0;

    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        uint32_t degree = sf_graph_degree(topo->graph, s);
        uint32_t ports = degree + topo->n_hosts[s];
        most = ports > most ? ports : most;
        if (topo->n_hosts[s]) {
            CHECK_FOR(s == n_hosting, "%s: hosts are not on the first", spec);
            CHECK_EQ(topo->n_hosts[s], p);
            n_hosting++;
            link_ports = degree > link_ports ? degree : link_ports;
        }
    }
    CHECK_FOR(topo->graph->n_nodes == network->n_switches &&
                  topo->graph->n_links == network->n_links &&
                  n_hosting == network->n_hosting &&
                  topo->n_endpoints == network_size_endpoints(network, p),
              "%s: %u switches, %u links, %u with hosts; by formula %u, %llu, "
              "%u",
              spec, topo->graph->n_nodes, topo->graph->n_links, n_hosting,
              network->n_switches, (unsigned long long)network->n_links,
              network->n_hosting);
    CHECK_FOR(most <= network->ports, "%s needs %u ports of %u", spec, most,
              network->ports);
    CHECK_FOR(link_ports <= network->link_ports, "%s: %u links at a switch",
              spec, link_ports);
    sf_topology_free(topo);
}

TEST(design_sizes_are_what_their_specs_build)
{
    static const uint32_t ports[] = { 4, 5, 8, 11, 16, 24 };
    static const uint32_t sizes[] = { 1, 10, 47, 100, 300, 1000, 4000 };
    uint32_t n_checked = 0;

    for (size_t i = 0; i < ARRAY_SIZE(ports) * ARRAY_SIZE(sizes); i++) {
        struct size_query query = {
            .ports = ports[i % ARRAY_SIZE(ports)],
            .n_endpoints = sizes[i / ARRAY_SIZE(ports)],
            .overload = i % 3 ? 1 : 1.5,
            .max_addresses = SF_MAX_LID,
        };
        network_size_list list = { 0 };
        for (size_t f = 0; sf_all_family_sizes[f]; f++) {
            CHECK(sf_family_sizes_near(sf_all_family_sizes[f], &query, &list));
        }
        for (size_t j = 0; j < list.n; j++) {
            if (list.items[j].n_switches <= 3000) {
                check_size(&list.items[j], list.items[j].p_max);
                check_size(&list.items[j], 1);
                n_checked++;
            }
        }
        free(list.items);
    }
    CHECK(n_checked > 1000);
}

TEST(design_addresses)
{
    CHECK_EQ(sf_backend_addresses(&sf_ib_backend, 6144, 512, 4),
             6144 * 4 + 512);
    CHECK_EQ(sf_backend_most_addresses(&sf_ib_backend, 6144, 512), 4);
    CHECK_EQ(sf_backend_most_addresses(&sf_ib_backend, 23750, 1250),
             2); /* 48,750 of 49,151. */
    CHECK_EQ(sf_backend_most_addresses(&sf_ib_backend, 48639, 512),
             1); /* Exactly all. */
    CHECK_EQ(sf_backend_most_addresses(&sf_ib_backend, 48640, 512), 0);
    CHECK_EQ(sf_backend_most_addresses(&sf_ib_backend, 1, 1), 128);
    CHECK_EQ(sf_lmc_for_layers(0), 0);
    CHECK_EQ(sf_lmc_for_layers(1), 0);
    CHECK_EQ(sf_lmc_for_layers(5), 3);
    CHECK_EQ(sf_lmc_for_layers(8), 3);
    CHECK_EQ(sf_lmc_for_layers(128), 7);
}

/* Links across the cut where bit i of 'half' tells the side of the i'th
 * switch with hosts, and each other switch is where it costs least; those are
 * joined to switches with hosts only. */
static uint32_t
oracle_cut(const struct sf_topology *topo, uint32_t half)
{
    const struct sf_graph *graph = topo->graph;
    uint32_t cut = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t n_near[2] = { 0 };
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            n_near[half >> graph->arcs[i].to & 1]++;
        }
        if (!topo->n_hosts[s]) {
            cut += n_near[0] < n_near[1] ? n_near[0] : n_near[1];
        }
    }
    for (uint32_t i = 0; i < graph->n_links; i++) {
        struct sf_link link = graph->links[i];
        cut += topo->n_hosts[link.a] && topo->n_hosts[link.b] &&
               (half >> link.a & 1) != (half >> link.b & 1);
    }
    return cut;
}

TEST(design_bisection_bounds_every_fair_cut)
{
    static const char *const specs[] = {
        "sf:q=3",
        "pf:q=2",
        "pf:q=3",
        "hx2:3x4",
        "hx2:3x3,links=2",
        "hx2:4x4",
        "df:a=4,h=2,g=4",
        "jellyfish:n=14,k=4",
        "xpander:k=4,lift=3",
        "ft2:ports=8",
        "ft2:ports=8,leaf=5",
        "ft2b:ports=8,over=3,leaf=7",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build("%s", specs[i]);
        uint32_t n = topo->n_endpoints / sf_topology_concentration(topo);
        uint32_t best = SF_NONE;
        for (uint32_t half = 0; half < 1u << n; half++) {
            if (__builtin_popcount(half) == (int)(n / 2)) {
                uint32_t cut = oracle_cut(topo, half);
                best = cut < best ? cut : best;
            }
        }
        struct bisection bound;
        CHECK(sf_bisection_bound(topo, &bound, NULL) == SF_OK);
        CHECK_FOR(best <= bound.at_most && best + 1e-6 >= bound.at_least &&
                      bound.at_least > 0,
                  "%s: bisection %u is not from %g to %u", specs[i], best,
                  bound.at_least, bound.at_most);
        sf_topology_free(topo);
    }
}

/* The Laplacian of a HyperX has eigenvalues 0, rows, columns and their sum;
 * that of the Hoffman-Singleton graph 0, 5 and 10. */
TEST(design_bisection_has_the_known_spectra)
{
    static const struct {
        const char *spec;
        double eigenvalue, n;
    } cases[] = {
        { "hx2:6x8", 6, 48 },
        { "hx2:9x7", 7, 63 },
        { "sf:q=5", 5, 50 },
        { "hx2:20x20", 20, 400 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        struct bisection bound;
        CHECK(sf_bisection_bound(topo, &bound, NULL) == SF_OK);
        double half = floor(cases[i].n / 2);
        CHECK_NEAR(bound.at_least,
                   cases[i].eigenvalue * half * (cases[i].n - half) /
                       cases[i].n,
                   1e-6);
        sf_topology_free(topo);
    }
}

/* The traffic of 'permutation' on 'topo'. */
static struct sf_traffic
traffic_of(const struct sf_topology *topo,
           const struct permutation *permutation)
{
    struct sf_traffic traffic = {
        .n_switches = topo->graph->n_nodes,
        .n_sets = 1,
        .n_demands = permutation->n,
        .demands = sf_calloc(permutation->n, sizeof *traffic.demands),
        .max_host = 1,
        .unit = 1,
    };

    CHECK(traffic.demands != NULL);
    for (uint32_t i = 0; i < permutation->n; i++) {
        traffic.demands[i] =
            (struct sf_demand){ permutation->pairs[i].from,
                                permutation->pairs[i].to, 0,
                                sf_topology_concentration(topo) };
    }
    return traffic;
}

/* What the best routing reaches under the permutation that was looked at. */
static double
measure_permutation(const struct sf_topology *topo,
                    const struct permutation *permutation)
{
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_ANY };
    struct sf_traffic traffic = traffic_of(topo, permutation);
    struct sf_throughput result;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_throughput_measure(topo->graph, &traffic, &params, &result,
                                    &err) == SF_OK,
              "%s: %s", topo->spec, err.text);
    free(traffic.demands);
    return result.lower;
}

static void
check_permutation(const struct sf_topology *topo,
                  const struct permutation *permutation)
{
    bool is_reached[128] = { false };

    for (uint32_t i = 0; i < permutation->n; i++) {
        const struct switch_pair *pair = &permutation->pairs[i];
        CHECK(pair->from != pair->to && pair->to < 128);
        CHECK(topo->n_hosts[pair->from] && topo->n_hosts[pair->to]);
        CHECK(!is_reached[pair->to]);
        is_reached[pair->to] = true;
    }
}

/* What linear programs reach is no more than the bound, and mostly not much
 * less. */
TEST(design_no_routing_passes_the_bound_of_permutations)
{
    static const struct {
        const char *spec;
        double tight; /* Of the bound is reached, at least. */
    } cases[] = {
        { "sf:q=3", 0.7 },
        { "sf:q=5", 0.9 },
        { "sf:q=4,p=2", 0.7 },
        { "sf:q=5,p=7", 0.7 },
        { "pf:q=3", 0.7 },
        { "pf:q=5", 0.7 },
        { "hx2:3x4", 0.7 },
        { "hx2:5x5,links=2", 0.7 },
        { "df:a=4,h=2", 0.7 },
        { "jellyfish:n=30,k=6", 0.7 },
        { "xpander:k=4,lift=5", 0.6 },
        { "ft2:ports=8", 1 },
        { "ft2b:ports=8,over=3", 1 },
        { "ft3:ports=4", 1 },
        { "ft2:ports=8,leaf=2", 1 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        struct permutation permutation;
        CHECK(sf_permutation_make(topo, &permutation, NULL) == SF_OK);
        check_permutation(topo, &permutation);
        double bound = sf_permutation_share(topo, &permutation);
        double reached = measure_permutation(topo, &permutation);
        CHECK_FOR(reached <= bound + 1e-6 &&
                      reached >= cases[i].tight * bound - 1e-6,
                  "%s: %g is reached, the bound is %g", cases[i].spec, reached,
                  bound);
        sf_permutation_clear(&permutation);
        sf_topology_free(topo);
    }
}

/* Every pair of a Slim Fly at distance 2 has one common neighbour:
 * (k' + 1) / (3 p). */
TEST(design_permutations_have_known_bounds)
{
    static const struct {
        const char *spec;
        double share;
    } cases[] = {
        { "sf:q=5", 8 / 12.0 },      { "sf:q=11,p=7", 18 / 21.0 },
        { "ft2:ports=36", 1 },       { "ft2b:ports=36,over=3", 1 / 3.0 },
        { "ft3:ports=8,pods=3", 1 }, { "hx2:12x12", 24 / 33.0 },
        { "sf:q=5,p=1", 1 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        struct permutation permutation;
        CHECK(sf_permutation_make(topo, &permutation, NULL) == SF_OK);
        CHECK_NEAR(sf_permutation_share(topo, &permutation), cases[i].share,
                   1e-6);
        sf_permutation_clear(&permutation);
        sf_topology_free(topo);
    }
}

TEST(design_non_blocking_trees_carry_random_permutations)
{
    static const struct {
        const char *spec;
        bool is_free;
    } cases[] = {
        { "ft2:ports=8", true },
        { "ft2:ports=8,leaf=5", true },
        { "ft2:ports=8,leaf=2,p=3", true },
        { "ft3:ports=4", true },
        { "ft3:ports=6,pods=3", true },
        { "ft2:leaf=6,core=2,up=1,p=2", true },
        { "ft2:leaf=6,core=2,up=1,p=3", false },
        { "ft2b:ports=8,over=3", false },
        { "ft3:ports=4,p=1", true },
        { "hx2:3x3", false },
        { "sf:q=3,p=1", false },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        struct sf_network *network;
        CHECK_FOR(sf_permutation_is_never_blocked(topo) == cases[i].is_free,
                  "%s", cases[i].spec);
        CHECK(sf_network_from_graph(topo->graph, topo->n_hosts, &network,
                                    NULL) == SF_OK);
        for (uint64_t seed = 1; cases[i].is_free && seed <= 3; seed++) {
            struct sf_traffic_params params = { .network = network,
                                                .seed = seed };
            struct sf_throughput_params any = { .mode = SF_THROUGHPUT_ANY,
                                                .effort = SF_EFFORT_EXACT };
            struct sf_throughput result;
            struct sf_traffic *traffic;
            CHECK(sf_traffic_build("permutation", &params, &traffic, NULL) ==
                  SF_OK);
            CHECK(sf_throughput_measure(topo->graph, traffic, &any, &result,
                                        NULL) == SF_OK);
            CHECK_NEAR(result.lower, 1, 1e-6);
            sf_traffic_free(traffic);
        }
        sf_network_free(network);
        sf_topology_free(topo);
    }
}

/* Swaps find the cut between two cliques, however they are mixed. */
TEST(design_swaps_find_an_obvious_cut)
{
    enum {
        N = 20
    };
    struct sf_link links[N * N];
    int8_t side[2 * N];
    uint32_t n_links = 0, n_left = 0;
    struct sf_graph *graph;

    for (uint32_t a = 0; a < 2 * N; a++) {
        for (uint32_t b = a + 2; b < 2 * N; b += 2) {
            links[n_links++] = (struct sf_link){ a, b };
        }
        side[a] = a < N ? -1 : 1;
    }
    links[n_links++] = (struct sf_link){ 0, 1 };
    CHECK(sf_graph_build(2 * N, links, n_links, &graph, NULL) == SF_OK);
    CHECK(sf_swaps_improve(graph, side, NULL) == SF_OK);
    for (uint32_t v = 0; v < 2 * N; v++) {
        CHECK_EQ(side[v], side[v % 2]);
        n_left += side[v] < 0;
    }
    CHECK_EQ(n_left, N);
    sf_graph_free(graph);
}

/* The smallest Slim Fly for n endpoints, by looking at every q. */
static uint32_t
oracle_smallest(uint32_t n, uint32_t ports, uint32_t *pp)
{
    for (uint32_t q = 3; q < 128; q++) {
        uint32_t size = oracle_endpoints(q);
        uint32_t p = size / (2 * q * q);
        uint32_t degree = 3 * q / 2 + (q % 4 == 3);
        uint32_t needed = (n + 2 * q * q - 1) / (2 * q * q);
        if (size && needed <= p && degree + needed <= ports) {
            *pp = needed;
            return q;
        }
    }
    return 0;
}

TEST(design_chooses_the_smallest_slimfly_that_holds_the_hosts)
{
    struct sf_prices *prices = shipped();

    for (uint32_t n = 1; n < 2300; n += 37) {
        struct sf_design_params params = { .n_endpoints = n,
                                           .ports = 36,
                                           .families = "sf" };
        struct sf_design *answer = design(&params, prices);
        uint32_t p = 0, q = oracle_smallest(n, 36, &p);
        const struct sf_candidate *first = &answer->candidates[0];
        char start[32];
        snprintf(start, sizeof start, "sf:q=%u", q);
        CHECK_FOR(!strncmp(first->spec, start, strlen(start)) &&
                      first->concentration == p,
                  "N = %u: %s, expected %s,p=%u", n, first->spec, start, p);
        CHECK_EQ(first->fit, SF_FIT_WANTED);
        CHECK_EQ(first->n_endpoints - first->n_left_out, n);
        sf_design_free(answer);
    }
    sf_prices_free(prices);
}

TEST(design_candidates_are_consistent)
{
    static const struct sf_design_params questions[] = {
        { .n_endpoints = 300 },
        { .n_endpoints = 2000, .ports = 36, .n_layers = 8 },
        { .n_endpoints = 700, .ports = 24 },
        { .ports = 16 },
        { .ports = 36, .n_layers = 16, .sort = SF_SORT_POWER },
        { .budget = 1e6, .sort = SF_SORT_ENDPOINTS },
        { .n_endpoints = 500, .budget = 2e6, .sort = SF_SORT_SWITCHES },
        { .n_endpoints = 400, .overload = 2, .ports = 40 },
    };
    struct sf_prices *prices = shipped();

    for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
        struct sf_design *answer = design(&questions[i], prices);
        CHECK(answer->n_candidates > 5);
        for (uint32_t j = 0; j < answer->n_candidates; j++) {
            const struct sf_candidate *candidate = &answer->candidates[j];
            CHECK_EQ(candidate->ports_used + candidate->ports_free,
                     (uint64_t)candidate->n_switches * candidate->ports);
            CHECK_EQ(candidate->ports_used,
                     2ull * candidate->n_links + candidate->n_endpoints);
            CHECK_EQ(candidate->n_links_by[0] + candidate->n_links_by[1],
                     candidate->n_links);
            CHECK_EQ(candidate->n_host_cables_by[0] +
                         candidate->n_host_cables_by[1],
                     candidate->n_endpoints);
            CHECK(candidate->radix <= candidate->ports);
            CHECK(!(candidate->bisection_at_least >
                    candidate->bisection_at_most + 1e-6));
            CHECK(!questions[i].n_layers ||
                  candidate->n_addresses <= SF_MAX_LID);
            CHECK(!(questions[i].budget > 0) ||
                  candidate->cost <= questions[i].budget);
            CHECK((candidate->fit == SF_FIT_BELOW) ==
                  (candidate->n_missing > 0));
            CHECK(candidate->n_missing ||
                  candidate->n_endpoints >= questions[i].n_endpoints);
            CHECK((candidate->generation == NULL) == isnan(candidate->cost));
            CHECK(candidate->uniform_at_most > 0 &&
                  candidate->uniform_at_most <= 1);
            CHECK(candidate->permutation_at_most > 0 &&
                  candidate->permutation_at_most <= 1);
            CHECK(candidate->permutation_at_most <=
                  sf_candidate_bisection_at_most(candidate));
            CHECK(!candidate->is_non_blocking ||
                  !(candidate->permutation_at_most < 1));
        }
        sf_design_free(answer);
    }
    sf_prices_free(prices);
}

TEST(design_leaves_out_hosts_evenly)
{
    static const uint32_t wanted[] = { 2048, 1937, 2177, 2178 };

    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        struct sf_candidate candidate = { .n_endpoints = 2178,
                                          .concentration = 9,
                                          .n_left_out = 2178 - wanted[i] };
        uint32_t n_in_group[22] = { 0 }, before = SF_NONE;
        for (uint32_t j = 0; j < candidate.n_left_out; j++) {
            uint32_t host = sf_candidate_left_out(&candidate, j);
            CHECK(host < 2178 && (before == SF_NONE || host > before));
            CHECK_EQ(host % 9, 8); /* The last of its switch. */
            n_in_group[host / 9 / 11]++;
            before = host;
        }
        uint32_t even = candidate.n_left_out / 22;
        for (uint32_t j = 0; j < 22; j++) {
            CHECK(n_in_group[j] >= even && n_in_group[j] <= even + 1);
        }
    }
}

/* cost = a switches + b links + c host cables, worst off by 2.1 %. */
TEST(design_fitted_prices_reproduce_the_papers_costs)
{
    static const struct {
        const char *spec;
        uint32_t ports;
        double a, b, c, paper;
    } cases[] = {
        { "ft2:ports=36", 36, 13.17, 0.934, 0.234, 1.5 },
        { "sf:q=16", 36, 13.17, 0.934, 0.234, 13.8 },
        { "sf:q=17", 40, 23.52, 1.153, 0.066, 22.4 },
        { "hx2:22x22,p=22", 64, 28.80, 2.183, 0.871, 45.5 },
    };
    struct sf_prices *prices = fitted();
    struct sf_paper *paper;

    CHECK(sf_paper_build(prices, &sf_ib_backend, &paper, NULL) == SF_OK);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        double cost = (cases[i].a * topo->graph->n_nodes +
                       cases[i].b * topo->graph->n_links +
                       cases[i].c * topo->n_endpoints) /
                      1e3;
        bool is_found = false;
        CHECK_NEAR(cost, cases[i].paper, 0.022 * cases[i].paper);
        for (uint32_t j = 0; j < paper->n_rows && !is_found; j++) {
            const struct sf_paper_row *row = &paper->rows[j];
            is_found = !strcmp(row->spec, cases[i].spec) && row->n_cells == 5;
            if (is_found) {
                CHECK_NEAR(row->cells[3].ours, cost, 1e-6);
                CHECK(row->cells[3].agrees);
            }
        }
        CHECK(is_found);
        sf_topology_free(topo);
    }
    sf_paper_free(paper);
    sf_prices_free(prices);
}

static struct sf_prices *
by_length(void)
{
    static const char text[] =
        "{\"schema\": \"slimfly.prices\", \"schema_version\": 1,"
        "\"currency\": \"EUR\", \"year\": 2025, \"source\": \"test\","
        "\"generations\": [{\"name\": \"X\", \"rate\": \"4xEDR\","
        "\"ports\": 16, \"switch\": {\"price\": 1000, \"watts\": 100},"
        "\"optical_end_watts\": 3,"
        "\"links\": [{\"medium\": \"copper\", \"up_to\": 1, \"price\": 10},"
        "{\"medium\": \"optical\", \"up_to\": 7, \"price\": 50},"
        "{\"medium\": \"copper\", \"up_to\": null, \"price\": 20},"
        "{\"medium\": \"optical\", \"price\": 70, \"per_metre\": 2}],"
        "\"host_cables\": [{\"medium\": \"copper\", \"price\": 5},"
        "{\"medium\": \"optical\", \"price\": 30}]}]}";
    struct sf_prices *prices;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_prices_parse(text, strlen(text), "test", &prices, &err) ==
                  SF_OK,
              "%s", err.text);
    return prices;
}

/* The bill of a plan, cable by cable. */
TEST(design_pays_by_medium_and_length)
{
    struct sf_prices *prices = by_length();
    struct sf_design_params params = { .n_endpoints = 200,
                                       .families = "sf",
                                       .ports = 16 };
    struct sf_design *answer = design(&params, prices);
    const struct sf_candidate *candidate = &answer->candidates[0];
    struct sf_topology *topo = build("%s", candidate->spec);
    struct sf_fabric_params ports = { .switch_ports = 16 };
    struct sf_plan *plan;
    double cost = 1000.0 * topo->graph->n_nodes;
    double watts = 100.0 * topo->graph->n_nodes;

    CHECK(sf_plan_build(topo, &ports, NULL, &plan, NULL) == SF_OK);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        bool is_copper = cable->medium == SF_COPPER;
        if (cable->step == SF_STEP_HOSTS) {
            cost += is_copper ? 5 : 30;
        } else if (is_copper) {
            cost += cable->length <= 1 ? 10 : 20;
        } else {
            cost += cable->length <= 7 ? 50 : 70 + 2 * cable->length;
        }
        watts += is_copper ? 0 : 6;
    }
    CHECK_EQ(candidate->lengths, SF_LENGTHS_PLAN);
    CHECK_NEAR(candidate->cost, cost, 1e-6);
    CHECK_NEAR(candidate->watts, watts, 1e-6);
    CHECK_NEAR(candidate->cost_per_endpoint, cost / 200, 1e-6);
    sf_plan_free(plan);
    sf_topology_free(topo);
    sf_design_free(answer);
    sf_prices_free(prices);
}

TEST(design_prices_classes_end_in_one_without_limit)
{
    struct sf_prices *prices = by_length();
    const struct sf_cable_prices *links = &prices->generations[0].links;

    CHECK_NEAR(sf_cable_price(links, SF_COPPER, 0.5), 10, 0);
    CHECK_NEAR(sf_cable_price(links, SF_COPPER, 1), 10, 0);
    CHECK_NEAR(sf_cable_price(links, SF_COPPER, 1.5), 20, 0);
    CHECK_NEAR(sf_cable_price(links, SF_OPTICAL, 7), 50, 0);
    CHECK_NEAR(sf_cable_price(links, SF_OPTICAL, 1e6), 70 + 2e6, 0);
    CHECK(sf_prices_for(prices, 36) == NULL);
    sf_prices_free(prices);
}

/* Every number of the two tables is there, and what differs says why. */
TEST(design_paper_tables_are_complete)
{
    struct sf_prices *prices = fitted();
    struct sf_paper *paper;
    uint32_t n_cells = 0;

    CHECK(sf_paper_build(prices, &sf_ib_backend, &paper, NULL) == SF_OK);
    CHECK_EQ(paper->n_rows, 3 * 8 + 4 * 5);
    for (uint32_t i = 0; i < paper->n_rows; i++) {
        const struct sf_paper_row *row = &paper->rows[i];
        n_cells += row->n_cells;
        for (uint32_t j = 0; j < row->n_cells; j++) {
            const struct sf_paper_cell *cell = &row->cells[j];
            CHECK_FOR(cell->agrees || cell->why[0],
                      "%s, %s: %s of %s has no "
                      "reason",
                      row->table, row->column, cell->item, row->network);
        }
    }
    CHECK_EQ(n_cells, 3 * 8 * 4 + 4 * 5 * 5);
    CHECK_EQ(paper->n_cells, n_cells);
    sf_paper_free(paper);
    sf_prices_free(prices);
}

TEST(design_series_is_of_growing_sizes)
{
    struct sf_prices *prices = shipped();
    struct sf_design_params params = { .ports = 36, .families = "sf,ft2,df" };
    struct sf_design *answer;

    CHECK(sf_design_series(&params, prices, &answer, NULL) == SF_OK);
    CHECK(answer->n_candidates > 20);
    for (uint32_t i = 1; i < answer->n_candidates; i++) {
        const struct sf_candidate *one = &answer->candidates[i - 1];
        const struct sf_candidate *two = &answer->candidates[i];
        CHECK(strcmp(one->family, two->family) != 0 ||
              one->n_endpoints < two->n_endpoints);
    }
    sf_design_free(answer);
    params.ports = 48;
    CHECK_EQ(sf_design_series(&params, prices, &answer, NULL), SF_EINVAL);
    sf_prices_free(prices);
}

TEST(design_refuses_bad_questions)
{
    static const struct sf_design_params questions[] = {
        { .ports = 3 },
        { .ports = 255 },
        { .n_endpoints = SF_MAX_DESIGN_ENDPOINTS + 1 },
        { .n_endpoints = 10, .n_layers = 129 },
        { .n_endpoints = 10, .families = "sf,nosuch" },
        { .n_endpoints = 10, .families = "" },
        { .n_endpoints = 10, .families = "sf," },
        { .n_endpoints = 10, .families = "edges" },
        { .n_endpoints = 10, .ports = 48, .budget = 1 },
    };
    struct sf_prices *prices = shipped();

    for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
        struct sf_design *answer = UNSET(struct sf_design);
        struct sf_error err = { 0 };
        CHECK_EQ(sf_design_build(&questions[i], prices, &answer, &err),
                 SF_EINVAL);
        CHECK(answer == NULL && err.text[0]);
    }
    sf_prices_free(prices);
}

TEST(design_survives_want_of_memory)
{
    struct sf_design_params params = { .n_endpoints = 20, .ports = 8 };
    unsigned long n_failed = 0;

    for (size_t i = 0; sf_all_family_sizes[i]; i++) {
        enum sf_status status = SF_ENOMEM;
        params.families = sf_all_family_sizes[i]->name;
        for (unsigned long nth = 1; status != SF_OK; nth++) {
            struct sf_prices *prices = by_length();
            struct sf_design *answer = UNSET(struct sf_design);
            sf_mem_fail_at(nth);
            status = sf_design_build(&params, prices, &answer, NULL);
            sf_mem_fail_at(0);
            CHECK(status == SF_OK || status == SF_ENOMEM);
            CHECK((answer != NULL) == (status == SF_OK));
            n_failed += status != SF_OK;
            sf_design_free(answer);
            sf_prices_free(prices);
        }
    }
    CHECK(n_failed > 100);
}

TEST(design_prices_and_paper_survive_want_of_memory)
{
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_prices *prices = UNSET(struct sf_prices);
        sf_mem_fail_at(nth);
        status = sf_prices_default(&prices, NULL);
        sf_mem_fail_at(0);
        CHECK((prices != NULL) == (status == SF_OK));
        sf_prices_free(prices);
    }
    struct sf_prices *prices = fitted();
    for (unsigned long nth = 1; nth < 40; nth++) {
        struct sf_paper *paper = UNSET(struct sf_paper);
        sf_mem_fail_at(nth);
        CHECK_EQ(sf_paper_build(prices, &sf_ib_backend, &paper, NULL),
                 SF_ENOMEM);
        sf_mem_fail_at(0);
        CHECK(paper == NULL);
    }
    sf_prices_free(prices);
}
