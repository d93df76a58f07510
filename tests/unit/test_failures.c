/* Studies of failing parts: what is drawn, what is left of it, what a repair
 * changes, how many faults cut hosts off, what is kept. */
#define _GNU_SOURCE
#include "analysis/comparison_key.h"
#include "base/mem.h"
#include "failures/study.h"
#include "helpers.h"
#include "oracle/failures_oracle.h"
#include "slimfly/ib.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MAX_KEPT 256

/* The first N_QUICK are routed in no time. */
#define N_QUICK 6
static const char *const small[] = {
    "sf:q=3",
    "ft2:ports=6",
    "ft3:ports=4",
    "hx2:3x4",
    "pf:q=3",
    "jellyfish:n=12,k=4,seed=3",
    "df:a=4,h=2,p=2,g=5",
    "xpander:k=4,lift=3,seed=2",
};

static const char *const usual[] = {
    "sf:q=5",  "ft2:ports=12",   "ft3:ports=8",
    "hx2:4x4", "df:a=4,h=2,p=2", "jellyfish:n=20,k=5,seed=3",
    "pf:q=5",
};

static struct sf_plan *
plan_of(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_plan *plan = NULL;
    struct sf_error err;
    struct sf_fabric_params params = { 0 };

    CHECK_FOR(sf_plan_build(topo, &params, NULL, &plan, &err) == SF_OK,
              "%s: %s", spec, err.text);
    sf_topology_free(topo);
    return plan;
}

static const double shares[] = { 0.02, 0.1, 0.4 };
static const char *const traffics[] = { "all-to-all", "switch-permutation" };

/* What most tests ask. */
static struct sf_failures_params
question(const struct sf_plan *plan)
{
    return (struct sf_failures_params){
        .plan = plan,
        .routing = { .layers = { .n_layers = 2 } },
        .n_shares = ARRAY_SIZE(shares),
        .shares = shares,
        .n_traffics = ARRAY_SIZE(traffics),
        .traffics = traffics,
        .without_splits = { [SF_SPLIT_BEST] = true },
        .without_times = true,
        .n_seeds = 3,
        .seed = 5,
    };
}

static struct sf_failures *
answer(const struct sf_failures_params *params)
{
    struct sf_failures *failures = NULL;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_failures_build(params, &failures, &err) == SF_OK, "%s",
              err.text);
    return failures;
}

/* A study of which nothing is done yet. */
struct bench {
    struct sf_plan *plan;
    struct sf_failures failures;
    struct sf_failure_study study;
};

static void
bench_clear(struct bench *bench)
{
    free(bench->study.racks);
    free(bench->study.bundles);
    free(bench->study.host_of_port);
    free(bench->study.link_of_port);
    sf_routing_free(bench->study.base);
    sf_network_free(bench->study.network);
    sf_plan_free(bench->plan);
}

/* Fills what sf_failures_build() would; "minimal" is without lanes, which take
 * longest. */
static void
bench_build(struct bench *bench, const char *spec, const char *scheme)
{
    struct sf_failure_study *study = &bench->study;
    struct sf_error err = { 0 };

    *bench = (struct bench){ .plan = plan_of(spec) };
    CHECK_EQ(sf_fabric_assign_lids(bench->plan->fabric, 1, NULL, NULL), SF_OK);
    bench->failures.params = question(bench->plan);
    bench->failures.splits[bench->failures.n_splits++] = SF_SPLIT_EQUAL;
    study->failures = &bench->failures;
    study->params = &bench->failures.params;
    study->asked = study->params->routing;
    study->asked.layers.scheme = scheme;
    study->asked.without_lanes = scheme && !strcmp(scheme, "minimal");
    study->asked.layers.may_exceed = study->asked.layers.within_parts = true;
    CHECK_EQ(sf_network_build(bench->plan->fabric, &study->network, NULL),
             SF_OK);
    const struct sf_network *network = study->network;
    const struct sf_fabric *fabric = network->fabric;
    study->link_of_port = calloc(fabric->n_ports, sizeof(uint32_t));
    study->host_of_port = calloc(fabric->n_ports, sizeof(uint32_t));
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        study->link_of_port[i] = study->host_of_port[i] = SF_NONE;
    }
    for (uint32_t k = 0; k < 2 * network->graph->n_links; k++) {
        study->link_of_port[network->arc_ports[k]] =
            network->graph->arcs[k].link;
    }
    for (uint32_t h = 0; h < sf_network_count_hosts(network); h++) {
        study->host_of_port[network->host_ports[h]] = h;
    }
    bench->failures.n_hosts = sf_network_count_hosts(network);
    CHECK_EQ(sf_failure_list_racks(study, NULL), SF_OK);
    CHECK_FOR(sf_routing_build(network, &study->asked, &study->base, &err) ==
                  SF_OK,
              "%s: %s", spec, err.text);
}

static struct sf_failure_dead
draw(const struct bench *bench, enum sf_failure_kind kind, double share,
     uint32_t run)
{
    struct sf_failure_point point = { .kind = kind, .share = share };
    struct sf_failure_dead dead;

    CHECK_EQ(sf_failure_draw(&bench->study, &point, run, &dead, NULL), SF_OK);
    return dead;
}

static uint32_t
count(const bool *flags, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += flags[i];
    }
    return sum;
}

/* A larger share holds a smaller one, and each is as large as it says. */
TEST(failures_draws_shares)
{
    struct bench bench;

    bench_build(&bench, "sf:q=5", "minimal");
    for (uint32_t run = 0; run < 5; run++) {
        struct sf_failure_dead few =
            draw(&bench, SF_FAILURE_LINKS, 0.001, run);
        struct sf_failure_dead some = draw(&bench, SF_FAILURE_LINKS, 0.1, run);
        struct sf_failure_dead all = draw(&bench, SF_FAILURE_LINKS, 1, run);
        CHECK_EQ(count(few.links, 175), 1);
        CHECK_EQ(count(some.links, 175), 18);
        CHECK_EQ(count(all.links, 175), 175);
        CHECK_EQ(count(all.nodes, 250), 0);
        for (uint32_t i = 0; i < 175; i++) {
            CHECK(!few.links[i] || some.links[i]);
        }
        sf_failure_dead_clear(&few);
        sf_failure_dead_clear(&some);
        sf_failure_dead_clear(&all);
    }
    struct sf_failure_dead tenth = draw(&bench, SF_FAILURE_SWITCHES, 0.1, 0);
    CHECK_EQ(count(tenth.nodes, 50), 5);
    CHECK_EQ(count(tenth.nodes + 50, 200), 20);
    sf_failure_dead_clear(&tenth);
    bench_clear(&bench);
}

/* Racks and bundles against the plan's list of cables; no two runs have the
 * same. */
TEST(failures_draws_racks_and_bundles)
{
    for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
        struct bench bench;
        bench_build(&bench, usual[i], "minimal");
        const struct sf_plan *plan = bench.plan;
        const struct sf_fabric *fabric = plan->fabric;
        uint32_t n_racks = bench.failures.n_racks;
        uint32_t n_between = 0, n_drawn = 0, n_nodes = 0;
        for (uint32_t c = 0; c < plan->n_cables; c++) {
            n_between +=
                plan->cables[c].step != SF_STEP_HOSTS &&
                fabric->nodes[fabric->ports[plan->cables[c].a].node].rack !=
                    fabric->nodes[fabric->ports[plan->cables[c].b].node].rack;
        }
        for (uint32_t run = 0; run < bench.failures.n_bundles; run++) {
            struct sf_failure_dead dead =
                draw(&bench, SF_FAILURE_BUNDLE, 0, run);
            CHECK(count(dead.links, bench.study.network->graph->n_links) > 0);
            CHECK_EQ(count(dead.nodes, fabric->n_nodes), 0);
            n_drawn += count(dead.links, bench.study.network->graph->n_links);
            sf_failure_dead_clear(&dead);
        }
        CHECK_EQ(n_drawn, n_between); /* Each cable in one bundle. */
        CHECK_EQ(n_racks, plan->n_racks);
        for (uint32_t run = 0; run < n_racks; run++) {
            struct sf_failure_dead dead =
                draw(&bench, SF_FAILURE_RACK, 0, run);
            n_nodes += count(dead.nodes, fabric->n_nodes);
            sf_failure_dead_clear(&dead);
        }
        CHECK_EQ(n_nodes, fabric->n_nodes);
        bench_clear(&bench);
    }
}

/* What is left is what can be found: no dead node, and each cable once. */
static void
check_left(const struct bench *bench, const struct sf_failure_dead *dead,
           const struct sf_failure_left *left)
{
    const struct sf_network *before = bench->study.network;
    const struct sf_network *now = left->network;
    uint32_t n_links = before->graph->n_links;

    CHECK_EQ(now->graph->n_links, n_links - count(dead->links, n_links));
    for (uint32_t s = 0; s < now->graph->n_nodes; s++) {
        uint32_t old = left->switches[s];
        CHECK(!dead->nodes[old]);
        CHECK_STR(now->fabric->nodes[s].name, before->fabric->nodes[old].name);
        CHECK(now->fabric->nodes[s].guid == before->fabric->nodes[old].guid);
        CHECK_EQ(now->n_hosts[s], before->n_hosts[old]);
    }
    for (uint32_t h = 0; h < left->n_hosts; h++) {
        CHECK(now->fabric->ports[now->host_ports[h]].guid ==
              before->fabric->ports[before->host_ports[left->hosts[h]]].guid);
    }
}

/* Repairs what is left, or makes it anew, or as nothing else can be; the
 * routes for it. */
static struct sf_routing *
reroute(const struct bench *bench, const struct sf_failure_left *left)
{
    struct sf_routing_params asked = bench->study.asked;
    struct sf_routing *routing;
    struct sf_error err;
    enum sf_status status =
        sf_routing_repair(bench->study.base, left->network, &routing, &err);

    if (status == SF_ELANES) {
        status = sf_routing_build(left->network, &asked, &routing, &err);
    }
    if (status == SF_ELANES || status == SF_EUNREACHABLE) {
        asked.layers.scheme = NULL;
        asked.n_path_sets = 1;
        asked.guarantee = SF_ANY_SL;
        status = sf_routing_build(left->network, &asked, &routing, &err);
    }
    CHECK_FOR(status == SF_OK, "%s", err.text);
    return routing;
}

/* The entries that change against those of InfiniBand's forwarding tables. */
static void
check_entries(const struct bench *bench, const struct sf_failure_left *left,
              const struct sf_routing *after)
{
    const struct sf_routing *before = bench->study.base;
    struct sf_tables *old, *new;
    struct sf_repair repair;
    struct sf_failure_entries entries;

    CHECK_EQ(sf_ib_encode_lfts(before->network, before->routes, &old, NULL),
             SF_OK);
    CHECK_EQ(sf_ib_encode_lfts(after->network, after->routes, &new, NULL),
             SF_OK);
    CHECK_EQ(sf_tables_compare(old, before->network->fabric, new,
                               after->network->fabric, &repair, NULL),
             SF_OK);
    CHECK_EQ(sf_failure_entries_count(left, before, after, &entries, NULL),
             SF_OK);
    CHECK_EQ(entries.n, repair.n_entries);
    CHECK_EQ(entries.n_changed, repair.n_changed);
    sf_tables_free(new);
    sf_tables_free(old);
}

/* All hosts that a way is left for reach each other, and no others. */
static void
check_reach(const struct bench *bench, const struct sf_failure_dead *dead,
            const struct sf_failure_left *left,
            const struct sf_routing *routing)
{
    struct oracle_graph *graph = oracle_graph_of(bench->study.network->graph);
    struct sf_failure_reach reach;

    CHECK_EQ(
        sf_failure_reach_build(left->network, routing->routes, &reach, NULL),
        SF_OK);
    CHECK_EQ(reach.n_pairs,
             oracle_joined_pairs(graph, bench->study.network->n_hosts,
                                 dead->links, dead->nodes));
    sf_failure_reach_clear(&reach);
    oracle_graph_free(graph);
}

/* The loads of all to all, path by path, with what cannot arrive left out. */
static double
busiest(const struct sf_network *network, const struct sf_routes *routes)
{
    const struct sf_graph *graph = network->graph;
    uint32_t n_hosts = sf_network_count_hosts(network);
    uint32_t n_layers = sf_routes_n_layers(routes);
    double *loads = calloc(2 * (size_t)graph->n_links, sizeof *loads);
    double most = 0;

    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        for (uint32_t h = network->first_host[d];
             h < network->first_host[d + 1]; h++) {
            for (uint32_t l = 0; l < n_layers; l++) {
                const uint16_t *column = sf_routes_column(routes, h, l, d);
                for (uint32_t s = 0; s < graph->n_nodes; s++) {
                    for (uint32_t at = s; at != d && column[s] != SF_NO_HOP;) {
                        uint32_t arc = graph->first[at] + column[at];
                        loads[arc] += (double)network->n_hosts[s] / n_layers /
                                      (n_hosts - 1);
                        most = fmax(most, loads[arc]);
                        at = graph->arcs[arc].to;
                    }
                }
            }
        }
    }
    free(loads);
    return most;
}

/* All that is measured of one run against its oracles. */
static void
check_run(const struct bench *bench, enum sf_failure_kind kind, double share,
          uint32_t number)
{
    struct sf_failure_point point = { .kind = kind, .share = share };
    struct sf_failure_dead dead = draw(bench, kind, share, number);
    struct sf_failure_left left;
    double left_out[ARRAY_SIZE(traffics)];
    double throughputs[ARRAY_SIZE(traffics) * SF_N_SPLITS];
    struct sf_failure_run run = { .left_out = left_out,
                                  .throughputs = throughputs };

    CHECK_EQ(sf_failure_left_build(&bench->study, &dead, &left, NULL), SF_OK);
    CHECK_EQ(sf_failure_run(&bench->study, &point, &dead, number, &run, NULL),
             SF_OK);
    CHECK_NEAR(run.figures[SF_FAILURE_DEAD_HOSTS],
               bench->failures.n_hosts - left.n_hosts, 0);
    if (left.network) {
        check_left(bench, &dead, &left);
    }
    if (left.n_carriers > 1) {
        struct sf_routing *routing = reroute(bench, &left);
        check_reach(bench, &dead, &left, routing);
        check_entries(bench, &left, routing);
        double most = busiest(left.network, routing->routes);
        CHECK(most > 0 ? fabs(run.figures[SF_FAILURE_LOAD] - most) < 1e-9
                       : isnan(run.figures[SF_FAILURE_LOAD]));
        sf_routing_free(routing);
    } else {
        CHECK(isnan(run.figures[SF_FAILURE_LOAD]));
    }
    sf_failure_left_clear(&left);
    sf_failure_dead_clear(&dead);
}

static void
check_runs(const char *spec, const char *scheme, uint32_t n_runs)
{
    static const double much[] = { 0.05, 0.3, 0.6, 1 };
    struct bench bench;

    bench_build(&bench, spec, scheme);
    for (uint32_t i = 0; i < n_runs; i++) {
        for (size_t k = 0; k < ARRAY_SIZE(much); k++) {
            check_run(&bench, SF_FAILURE_LINKS, much[k], i);
            check_run(&bench, SF_FAILURE_SWITCHES, much[k], i);
        }
        if (i < bench.failures.n_racks) {
            check_run(&bench, SF_FAILURE_RACK, 0, i);
        }
        if (i < bench.failures.n_bundles) {
            check_run(&bench, SF_FAILURE_BUNDLE, 0, i);
        }
    }
    bench_clear(&bench);
}

TEST(failures_runs_agree_with_oracles)
{
    for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
        check_runs(small[i], "minimal", 2);
        check_runs(small[i], NULL, i < N_QUICK);
    }
}

TEST_LONG(failures_runs_of_usual_networks_agree_with_oracles)
{
    for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
        check_runs(usual[i], NULL, 2);
        check_runs(usual[i], "rues", 2);
    }
}

/* A path that ends or goes round in one layer is none, whatever others do. */
TEST(failures_reach_needs_all_layers)
{
    struct bench bench;
    struct sf_failure_reach reach;

    bench_build(&bench, "hx2:3x4", NULL);
    const struct sf_network *network = bench.study.network;
    struct sf_routes *routes = bench.study.base->routes;
    uint64_t n = sf_network_count_hosts(network);
    for (uint32_t layer = 0; layer < 2; layer++) {
        /* Switch 0 has a link to switch 1; both send to each other what is for
         * 11, or nowhere. */
        uint16_t *tree = sf_layers_tree(routes->sets[0], layer, 11);
        uint16_t hops[2] = { tree[0], tree[1] };
        uint64_t n_here = 0;
        for (uint32_t h = network->first_host[11]; h < n; h++) {
            n_here += routes->host_sets[h] == 0;
        }
        for (uint32_t loops = 0; loops < 2; loops++) {
            uint32_t s = 0, first = network->graph->first[0];
            while (network->graph->arcs[first + s].to != 1) {
                s++;
            }
            tree[0] = loops ? (uint16_t)s : SF_NO_HOP;
            tree[1] = loops ? (uint16_t)(network->reverse[first + s] -
                                         network->graph->first[1])
                            : SF_NO_HOP;
            CHECK_EQ(sf_failure_reach_build(network, routes, &reach, NULL),
                     SF_OK);
            CHECK(!sf_failure_leads(&reach, 0, 0, 11));
            CHECK(!sf_failure_leads(&reach, 0, 1, 11));
            /* Others may lead through the two. */
            CHECK(n * (n - 1) - reach.n_pairs >=
                  n_here * (network->n_hosts[0] + network->n_hosts[1]));
            CHECK(reach.n_pairs > n * (n - 1) / 2);
            sf_failure_reach_clear(&reach);
        }
        tree[0] = hops[0];
        tree[1] = hops[1];
        CHECK_EQ(sf_failure_reach_build(network, routes, &reach, NULL), SF_OK);
        CHECK_EQ(reach.n_pairs, n * (n - 1));
        sf_failure_reach_clear(&reach);
    }
    bench_clear(&bench);
}

/* A small graph with parallel links and switches without hosts, which may be
 * in parts. */
static struct sf_graph *
random_graph(struct sf_random *random, uint32_t *n_hosts)
{
    uint32_t n = 2 + sf_random_below(random, 6);
    uint32_t n_links = sf_random_below(random, 13);
    struct sf_link links[12];
    struct sf_graph *graph;

    for (uint32_t i = 0; i < n_links; i++) {
        links[i].a = sf_random_below(random, n);
        links[i].b = (links[i].a + 1 + sf_random_below(random, n - 1)) % n;
    }
    for (uint32_t s = 0; s < n; s++) {
        n_hosts[s] = sf_random_below(random, 3);
    }
    CHECK_EQ(sf_graph_build(n, links, n_links, &graph, NULL), SF_OK);
    return graph;
}

/* Whether so many links, or other switches, do cut the pair that is named. */
static void
check_ends(const struct sf_graph *graph, const uint32_t *n_hosts,
           const struct sf_failure_cuts *cuts)
{
    uint32_t pair[8] = { 0 };
    struct oracle_graph *plain = oracle_graph_of(graph);

    CHECK(n_hosts[cuts->link_ends[0]] && n_hosts[cuts->link_ends[1]]);
    pair[cuts->link_ends[0]] = pair[cuts->link_ends[1]] = 1;
    CHECK_EQ(oracle_least_links(plain, pair), cuts->least_links);
    if (cuts->least_switches != SF_NONE) {
        memset(pair, 0, sizeof pair);
        CHECK(n_hosts[cuts->switch_ends[0]] && n_hosts[cuts->switch_ends[1]]);
        pair[cuts->switch_ends[0]] = pair[cuts->switch_ends[1]] = 1;
        CHECK_EQ(oracle_least_switches(plain, pair), cuts->least_switches);
    }
    oracle_graph_free(plain);
}

TEST(failures_cuts_agree_with_trying_all)
{
    struct sf_random random;
    uint32_t n_without_pairs = 0, n_neighbours = 0;

    sf_random_init(&random, 11, 0);
    for (uint32_t round = 0; round < 150; round++) {
        uint32_t n_hosts[8] = { 0 }, order[12], until_cut[4] = { 0 };
        uint32_t n_carriers = 0;
        struct sf_graph *graph = random_graph(&random, n_hosts);
        struct oracle_graph *plain = oracle_graph_of(graph);
        struct sf_failures_params params = { .seed = round };
        struct sf_failure_study study = { .params = &params,
                                          .network =
                                              network_of(graph, n_hosts) };
        struct sf_failure_cuts cuts = { .n_orders = 4,
                                        .until_cut = until_cut };
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            n_carriers += n_hosts[s] > 0;
        }
        CHECK_EQ(sf_failure_cuts_measure(&study, &cuts, NULL), SF_OK);
        CHECK_EQ(cuts.has_pairs, n_carriers > 1);
        for (uint32_t i = 0; cuts.has_pairs && i < 4; i++) {
            sf_failure_order_links(&study, i, order);
            CHECK_EQ(until_cut[i], oracle_until_cut(plain, n_hosts, order));
            CHECK(until_cut[i] >= cuts.least_links);
        }
        if (cuts.has_pairs) {
            CHECK_EQ(cuts.least_links, oracle_least_links(plain, n_hosts));
            CHECK_EQ(cuts.least_switches,
                     oracle_least_switches(plain, n_hosts));
            check_ends(graph, n_hosts, &cuts);
        }
        n_without_pairs += !cuts.has_pairs;
        n_neighbours += cuts.has_pairs && cuts.least_switches == SF_NONE;
        sf_network_free(study.network);
        oracle_graph_free(plain);
        sf_graph_free(graph);
    }
    CHECK(n_without_pairs > 0);
    CHECK(n_neighbours > 0);
}

/* The shortest path between the hosts, 0 - 1 - 2 - 3, must be taken back to
 * find the two that go together. */
TEST(failures_cuts_take_paths_back)
{
    static const struct sf_link links[] = { { 0, 1 }, { 1, 2 }, { 2, 3 },
                                            { 0, 4 }, { 4, 5 }, { 5, 2 },
                                            { 1, 6 }, { 6, 7 }, { 7, 3 } };
    static const uint32_t n_hosts[8] = { 1, 0, 0, 1 };
    struct sf_graph *graph;
    uint32_t until_cut[1];
    struct sf_failures_params params = { .seed = 0 };
    struct sf_failure_cuts cuts = { .n_orders = 1, .until_cut = until_cut };

    CHECK_EQ(sf_graph_build(8, links, ARRAY_SIZE(links), &graph, NULL), SF_OK);
    struct sf_failure_study study = { .params = &params,
                                      .network = network_of(graph, n_hosts) };
    CHECK_EQ(sf_failure_cuts_measure(&study, &cuts, NULL), SF_OK);
    CHECK_EQ(cuts.least_links, 2);
    CHECK_EQ(cuts.least_switches, 2);
    check_ends(graph, n_hosts, &cuts);
    sf_network_free(study.network);
    sf_graph_free(graph);
}

/* What is known of these networks. */
TEST(failures_cuts_of_known_networks)
{
    static const struct {
        const char *spec;
        uint32_t links, switches;
    } known[] = {
        { "sf:q=5", 7, 7 },         /* Its degree. */
        { "ft2:ports=12", 6, 6 },   /* Links up from a leaf. */
        { "hx2:4x4", 6, 6 },        /* Its degree. */
        { "df:a=4,h=2,p=2", 5, 5 }, /* Its degree. */
        { "ft3:ports=8", 4, 4 },    /* Links up from an edge switch. */
        { "pf:q=5", 5, 5 },         /* The smaller degree. */
    };

    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        struct sf_plan *plan = plan_of(known[i].spec);
        struct sf_network *network;
        uint32_t until_cut[1];
        struct sf_failures_params params = { .seed = 0 };
        struct sf_failure_cuts cuts = { .n_orders = 1,
                                        .until_cut = until_cut };
        CHECK_EQ(sf_network_build(plan->fabric, &network, NULL), SF_OK);
        struct sf_failure_study study = { .params = &params,
                                          .network = network };
        CHECK_EQ(sf_failure_cuts_measure(&study, &cuts, NULL), SF_OK);
        CHECK_FOR(cuts.least_links == known[i].links &&
                      cuts.least_switches == known[i].switches,
                  "%s: %u links, %u switches", known[i].spec, cuts.least_links,
                  cuts.least_switches);
        sf_network_free(network);
        sf_plan_free(plan);
    }
}

/* A range against its values, taken again. */
static void
check_range(const struct sf_failure_range *range, const double *values,
            size_t stride, uint32_t n_runs)
{
    double sum = 0, min = HUGE_VAL, max = -HUGE_VAL;
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_runs; i++) {
        double value = values[i * stride];
        if (value == value) {
            sum += value;
            min = value < min ? value : min;
            max = value > max ? value : max;
            n++;
        }
    }
    CHECK_EQ(range->n, n);
    CHECK_NEAR(range->mean, n ? sum / n : 0, 1e-9 * (1 + fabs(sum)));
    CHECK_NEAR(range->min, n ? min : 0, 0);
    CHECK_NEAR(range->max, n ? max : 0, 0);
}

static void
check_point(const struct sf_failures *failures,
            const struct sf_failure_point *point)
{
    uint32_t n_disconnected = 0;
    double values[64];

    CHECK(point->n_runs <= 64);
    for (int f = 0; f < SF_N_FAILURE_FIGURES; f++) {
        for (uint32_t i = 0; i < point->n_runs; i++) {
            values[i] = point->runs[i].figures[f];
        }
        check_range(&point->figures[f], values, 1, point->n_runs);
    }
    for (uint32_t k = 0; k < failures->n_splits * 2; k++) {
        for (uint32_t i = 0; i < point->n_runs; i++) {
            values[i] = point->runs[i].throughputs[k];
        }
        check_range(&point->throughputs[k], values, 1, point->n_runs);
    }
    for (uint32_t i = 0; i < point->n_runs; i++) {
        const double *figures = point->runs[i].figures;
        const double *left_out = point->runs[i].left_out;
        bool is_apart = figures[SF_FAILURE_REACHED] < 1;
        CHECK_EQ(point->runs[i].is_disconnected, is_apart);
        n_disconnected += is_apart;
        CHECK(
            !(figures[SF_FAILURE_REACHED] < figures[SF_FAILURE_REACHED_ALL]));
        CHECK(!(left_out[0] < 0) && !(left_out[0] > 1));
        CHECK(isnan(left_out[0]) || (left_out[0] > 0) == is_apart ||
              figures[SF_FAILURE_REACHED] > 0);
    }
    CHECK_EQ(point->n_disconnected, n_disconnected);
}

/* All that a study says, as a text. */
static char *
print(const struct sf_failures *failures)
{
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    for (uint32_t p = 0; p < failures->n_points; p++) {
        const struct sf_failure_point *point = &failures->points[p];
        fprintf(stream, "%s %a %u %u %u %u\n",
                sf_failure_kind_name(point->kind), point->share, point->n_runs,
                point->n_made_anew, point->n_fallback, point->n_disconnected);
        for (uint32_t i = 0; i < point->n_runs; i++) {
            for (int f = 0; f < SF_N_FAILURE_FIGURES; f++) {
                fprintf(stream, "%s %a\n",
                        sf_failure_figure_name((enum sf_failure_figure)f),
                        point->runs[i].figures[f]);
            }
            for (uint32_t k = 0;
                 k < failures->n_splits * failures->params.n_traffics; k++) {
                fprintf(stream, "%a\n", point->runs[i].throughputs[k]);
            }
            for (uint32_t k = 0; k < failures->params.n_traffics; k++) {
                fprintf(stream, "%a\n", point->runs[i].left_out[k]);
            }
        }
    }
    for (uint32_t i = 0; failures->has_cuts && i < failures->cuts.n_orders;
         i++) {
        fprintf(stream, "%u\n", failures->cuts.until_cut[i]);
    }
    fprintf(stream, "%a %u %u\n", failures->cuts.links.mean,
            failures->cuts.least_links, failures->cuts.least_switches);
    fclose(stream);
    return text;
}

/* The answer to a question on some threads, as a text. */
static char *
answer_text(const struct sf_failures_params *params, uint32_t n_threads)
{
    struct sf_failures_params asked = *params;

    asked.n_threads = n_threads;
    struct sf_failures *failures = answer(&asked);
    char *text = print(failures);
    sf_failures_free(failures);
    return text;
}

/* All families: the answer adds up, and is the same on any number of
 * threads. */
TEST(failures_answers_add_up)
{
    for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
        struct sf_plan *plan = plan_of(small[i]);
        struct sf_failures_params params = question(plan);
        params.routing.without_lanes = i >= N_QUICK;
        struct sf_failures *failures = answer(&params);
        char *one = print(failures), *three = answer_text(&params, 3);
        const struct sf_failure_point *none = &failures->points[0];
        CHECK_EQ(failures->n_points, 1 + 2 * ARRAY_SIZE(shares) + 2);
        CHECK_EQ(none->kind, SF_FAILURE_NONE);
        CHECK_NEAR(none->figures[SF_FAILURE_REACHED_ALL].min, 1, 0);
        CHECK_NEAR(none->figures[SF_FAILURE_CHANGED].max, 0, 0);
        CHECK_EQ(none->n_made_anew, 0);
        for (uint32_t p = 0; p < failures->n_points; p++) {
            check_point(failures, &failures->points[p]);
            CHECK_EQ(failures->points[p].figures[SF_FAILURE_SECONDS].n, 0);
        }
        CHECK_STR(one, three);
        free(three);
        free(one);
        sf_failures_free(failures);
        sf_plan_free(plan);
    }
}

/* Usual networks with all that is asked of them. */
TEST_LONG(failures_answers_of_usual_networks_add_up)
{
    for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
        struct sf_plan *plan = plan_of(usual[i]);
        struct sf_failures_params params = question(plan);
        params.routing.layers.n_layers = 4;
        params.without_splits[SF_SPLIT_BEST] = false;
        params.without_times = false;
        params.n_threads = 2;
        struct sf_failures *failures = answer(&params);
        for (uint32_t p = 0; p < failures->n_points; p++) {
            const struct sf_failure_point *point = &failures->points[p];
            check_point(failures, point);
            CHECK_EQ(point->figures[SF_FAILURE_SECONDS].n,
                     point->kind == SF_FAILURE_NONE
                         ? 0
                         : point->figures[SF_FAILURE_CHANGED].n);
            for (uint32_t t = 0; t < 2; t++) {
                /* Shares at will are never worse. */
                CHECK(sf_failure_throughput(failures, point, 0, t)->mean >=
                      sf_failure_throughput(failures, point, 1, t)->mean *
                          0.99);
            }
        }
        sf_failures_free(failures);
        sf_plan_free(plan);
    }
}

/* In a network that falls apart, what is left out of all-to-all is the share
 * of pairs on different switches that no path joins. */
TEST(failures_leave_traffic_out)
{
    struct bench bench;
    uint32_t n_apart = 0, n_alone = 0;

    bench_build(&bench, "hx2:3x4", NULL);
    const struct sf_network *before = bench.study.network;
    struct oracle_graph *graph = oracle_graph_of(before->graph);
    bool *all_dead = calloc(graph->n_links, sizeof *all_dead);
    memset(all_dead, true, graph->n_links);
    for (uint32_t number = 0; number < 12; number++) {
        struct sf_failure_point point = { .kind = SF_FAILURE_LINKS,
                                          .share = 0.6 + 0.03 * number };
        struct sf_failure_dead dead =
            draw(&bench, point.kind, point.share, number);
        double throughputs[2], left_out[2];
        struct sf_failure_run run = { .throughputs = throughputs,
                                      .left_out = left_out };
        CHECK_EQ(
            sf_failure_run(&bench.study, &point, &dead, number, &run, NULL),
            SF_OK);
        double n_local = (double)oracle_joined_pairs(graph, before->n_hosts,
                                                     all_dead, dead.nodes);
        double n_joined = (double)oracle_joined_pairs(graph, before->n_hosts,
                                                      dead.links, dead.nodes);
        double n = bench.failures.n_hosts * (bench.failures.n_hosts - 1.0);
        CHECK_NEAR(left_out[0], 1 - (n_joined - n_local) / (n - n_local),
                   1e-9);
        CHECK(n_joined == n_local || throughputs[0] > 0);
        n_apart += left_out[0] > 0;
        n_alone += left_out[1] > 0;
        sf_failure_dead_clear(&dead);
    }
    CHECK(n_apart > 3);
    CHECK(n_alone > 3);
    free(all_dead);
    oracle_graph_free(graph);
    bench_clear(&bench);
}

/* A repair that the lanes do not allow is counted. */
TEST(failures_count_what_is_made_anew)
{
    struct sf_plan *plan = plan_of("df:a=4,h=2,p=2,g=5");
    struct sf_failures_params params = question(plan);

    params.routing.layers.scheme = "ordered";
    params.without_kinds[SF_FAILURE_RACK] = true;
    params.without_kinds[SF_FAILURE_BUNDLE] = true;
    params.without_kinds[SF_FAILURE_SWITCHES] = true;
    params.n_traffics = 0;
    params.n_shares = 1;
    params.shares = &shares[1];
    params.n_seeds = 6;
    struct sf_failures *failures = answer(&params);
    const struct sf_failure_point *point = &failures->points[1];
    struct bench bench;
    uint32_t n_refused = 0;

    bench_build(&bench, "df:a=4,h=2,p=2,g=5", "ordered");
    for (uint32_t i = 0; i < 6; i++) {
        struct sf_failure_dead dead =
            draw(&bench, point->kind, point->share, i);
        struct sf_failure_left left;
        struct sf_routing *routing;
        CHECK_EQ(sf_failure_left_build(&bench.study, &dead, &left, NULL),
                 SF_OK);
        bool is_refused = sf_routing_repair(bench.study.base, left.network,
                                            &routing, NULL) == SF_ELANES;
        CHECK_EQ(point->runs[i].is_made_anew, is_refused);
        n_refused += is_refused;
        sf_routing_free(routing);
        sf_failure_left_clear(&left);
        sf_failure_dead_clear(&dead);
    }
    CHECK_EQ(point->n_made_anew, n_refused);
    CHECK(n_refused > 0);
    CHECK_EQ(point->n_fallback, 0);
    bench_clear(&bench);
    sf_failures_free(failures);
    sf_plan_free(plan);
}

/* What was asked for need not be possible after faults: then there are other
 * routes. */
TEST(failures_count_fallbacks)
{
    struct sf_plan *plan = plan_of("ft3:ports=4");
    struct sf_failures_params params = question(plan);

    params.routing.layers.scheme = "minimal";
    params.routing.layers.n_layers = 4;
    params.routing.lanes = "single";
    params.n_shares = 2; /* Of 2 % and 10 %. */
    for (int kind = SF_FAILURE_SWITCHES; kind < SF_N_FAILURE_KINDS; kind++) {
        params.without_kinds[kind] = true;
    }
    struct sf_failures *failures = answer(&params);
    uint32_t n_fallback = 0;
    for (uint32_t p = 0; p < failures->n_points; p++) {
        const struct sf_failure_point *point = &failures->points[p];
        check_point(failures, point);
        for (uint32_t i = 0; i < point->n_runs; i++) {
            CHECK(!point->runs[i].is_fallback || point->runs[i].is_made_anew);
        }
        n_fallback += point->n_fallback;
    }
    CHECK(n_fallback > 0);
    sf_failures_free(failures);
    sf_plan_free(plan);
}

/* What is measured of routes depends on all of them: each part changes the
 * key by which it is kept. */
TEST(failures_are_kept_by_all_of_the_routes)
{
    struct bench bench;

    bench_build(&bench, "sf:q=3", NULL);
    const struct sf_network *network = bench.study.network;
    struct sf_routes *routes = bench.study.base->routes;
    struct sf_layers *layers = routes->sets[0];
    uint64_t key = sf_key_of_routes(network, routes);
    uint64_t whole = sf_failure_key(&bench.study);
    CHECK(routes->turns && routes->lanes);
    uint32_t *const numbers[] = {
        &routes->n_addresses,  &routes->n_switch_addresses,
        &routes->host_sets[1], &routes->turns->ranks[1],
        &routes->lanes->n_vls,
    };
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        ++*numbers[i];
        CHECK_FOR(sf_key_of_routes(network, routes) != key, "number %zu", i);
        CHECK_FOR(sf_failure_key(&bench.study) != whole, "number %zu", i);
        --*numbers[i];
    }
    layers->hops[1]++;
    CHECK(sf_key_of_routes(network, routes) != key);
    layers->hops[1]--;
    routes->turns->vls[1]++;
    CHECK(sf_key_of_routes(network, routes) != key);
    routes->turns->vls[1]--;
    CHECK_EQ(sf_key_of_routes(network, routes), key);
    CHECK_EQ(sf_failure_key(&bench.study), whole);
    bench_clear(&bench);
}

/* A store in memory, and what another process has claimed. */
struct memory {
    pthread_mutex_t lock;
    uint32_t n, n_found, n_claimed, n_waits;
    char *settings[MAX_KEPT], *texts[MAX_KEPT];
    bool refuses; /* Claims that need not be waited for. */
    enum sf_status refusal;
};

static char *
load(void *aux, const char *settings)
{
    struct memory *memory = aux;
    char *text = NULL;

    pthread_mutex_lock(&memory->lock);
    for (uint32_t i = 0; i < memory->n; i++) {
        if (!strcmp(memory->settings[i], settings)) {
            memory->n_found++;
            free(text);
            text = strdup(memory->texts[i]); /* The last one. */
        }
    }
    pthread_mutex_unlock(&memory->lock);
    return text;
}

static enum sf_status
save(void *aux, const char *settings, const char *text, struct sf_error *err)
{
    struct memory *memory = aux;

    if (memory->refusal) {
        return sf_fail(err, memory->refusal, "no room");
    }
    pthread_mutex_lock(&memory->lock);
    CHECK(memory->n < MAX_KEPT && !strchr(settings, '\n'));
    memory->settings[memory->n] = strdup(settings);
    memory->texts[memory->n++] = strdup(text);
    pthread_mutex_unlock(&memory->lock);
    return SF_OK;
}

static bool
claim(void *aux, const char *piece, bool may_wait)
{
    struct memory *memory = aux;

    (void)piece;
    pthread_mutex_lock(&memory->lock);
    bool is_ours = may_wait || !memory->refuses;
    memory->n_claimed += is_ours;
    memory->n_waits += may_wait;
    pthread_mutex_unlock(&memory->lock);
    return is_ours;
}

static void
release(void *aux, const char *piece)
{
    struct memory *memory = aux;

    (void)piece;
    pthread_mutex_lock(&memory->lock);
    memory->n_claimed--;
    pthread_mutex_unlock(&memory->lock);
}

static void
memory_clear(struct memory *memory)
{
    for (uint32_t i = 0; i < memory->n; i++) {
        free(memory->settings[i]);
        free(memory->texts[i]);
    }
}

/* What is kept is found again; what is damaged is done again; what another
 * process claims is waited for. */
TEST(failures_are_kept)
{
    struct memory memory = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct sf_claims claims = { claim, release, &memory };
    struct sf_failure_store store = { load, save, &memory, &claims };
    struct sf_plan *plan = plan_of("hx2:3x4");
    struct sf_failures_params params = question(plan);
    char *plain = answer_text(&params, 1);

    params.store = &store;
    char *first = answer_text(&params, 2);
    uint32_t n = memory.n;
    CHECK_STR(first, plain);
    CHECK_EQ(memory.n_found, 0);
    CHECK_EQ(memory.n_claimed, 0);
    CHECK_EQ(memory.n_waits, 0);
    char *second = answer_text(&params, 1);
    CHECK_STR(second, plain);
    CHECK_EQ(memory.n, n);
    CHECK_EQ(memory.n_found, n);
    /* Cut off, at another place in each. */
    for (uint32_t i = 0; i < n; i++) {
        memory.texts[i][strlen(memory.texts[i]) * (i + 1) / (n + 2)] = '\0';
    }
    char *third = answer_text(&params, 1);
    CHECK_STR(third, plain);
    CHECK_EQ(memory.n, 2 * n);
    /* Without its last line, a text may be one that is being written. */
    char *last = memory.texts[2 * n - 1];
    last[strlen(last) - strlen("end\n")] = '\0';
    char *again = answer_text(&params, 1);
    CHECK_STR(again, plain);
    CHECK_EQ(memory.n, 2 * n + 1);
    free(again);
    memory_clear(&memory);
    memory.n = 0;
    memory.refuses = true;
    char *fourth = answer_text(&params, 2);
    CHECK_STR(fourth, plain);
    CHECK_EQ(memory.n_waits, n);
    CHECK_EQ(memory.n, n);
    /* Another question has other names. */
    params.seed++;
    memory.n_found = 0;
    char *fifth = answer_text(&params, 1);
    CHECK(strcmp(fifth, plain) != 0);
    memory_clear(&memory);
    memory.n = 0;
    memory.refusal = SF_EIO;
    struct sf_failures *failures = UNSET(struct sf_failures);
    CHECK_EQ(sf_failures_build(&params, &failures, NULL), SF_EIO);
    CHECK(failures == NULL);
    free(fifth);
    free(fourth);
    free(third);
    free(second);
    free(first);
    free(plain);
    sf_plan_free(plan);
}

/* A store that cannot take two threads at once. */
struct simple {
    atomic_bool is_busy;
    uint32_t n; /* Not atomic, so that the thread sanitizer looks, too. */
};

static char *
load_nothing(void *aux, const char *settings)
{
    (void)aux;
    (void)settings;
    return NULL;
}

/* Also reports what it does, as a writer of files may. */
static enum sf_status
save_alone(void *aux, const char *settings, const char *text,
           struct sf_error *err)
{
    struct simple *simple = aux;

    (void)err;
    CHECK(!atomic_exchange(&simple->is_busy, true));
    CHECK(*settings && *text);
    sf_progress_report("keeping a result", 0, 0);
    simple->n++;
    sched_yield();
    atomic_store(&simple->is_busy, false);
    return SF_OK;
}

/* One thread at a time saves, on any number of threads. */
TEST(failures_are_saved_by_one_thread_at_a_time)
{
    struct simple simple = { 0 };
    struct sf_failure_store store = { load_nothing, save_alone, &simple,
                                      NULL };
    struct sf_plan *plan = plan_of("hx2:3x4");
    struct sf_failures_params params = question(plan);

    params.store = &store;
    params.n_seeds = 20;
    char *one = answer_text(&params, 1);
    uint32_t n = simple.n;
    CHECK(n > 40);
    char *many = answer_text(&params, 8);
    CHECK_STR(many, one);
    CHECK_EQ(simple.n, 2 * n);
    free(many);
    free(one);
    sf_plan_free(plan);
}

/* Fails the test unless a question is refused with a sentence that has
 * 'word'. */
static void
check_refused(const struct sf_failures_params *params, enum sf_status status,
              const char *word)
{
    struct sf_failures *failures = UNSET(struct sf_failures);
    struct sf_error err = { 0 };

    CHECK_EQ(sf_failures_build(params, &failures, &err), status);
    CHECK(failures == NULL);
    CHECK_FOR(strstr(err.text, word) != NULL, "\"%s\" is not in \"%s\"", word,
              err.text);
}

TEST(failures_refuse_what_cannot_be)
{
    static const double bad[] = { 0, -0.1, 1.01, (double)NAN };
    static const char *const file[] = { "all-to-all", "file:traffic.csv" };
    static const char *const unknown[] = { "nosuch", "all-to-all" };
    struct sf_plan *plan = plan_of("hx2:3x3");
    struct sf_failures_params good = question(plan), params;

    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        params = good;
        params.shares = &bad[i];
        params.n_shares = 1;
        check_refused(&params, SF_EINVAL, "expected shares");
    }
    params = good;
    params.traffics = file;
    check_refused(&params, SF_EINVAL, "file:traffic.csv");
    params.traffics = unknown;
    check_refused(&params, SF_EINVAL, "nosuch");
    params = good;
    params.without_splits[SF_SPLIT_EQUAL] = true;
    check_refused(&params, SF_EINVAL, "split");
    params = good;
    params.plan = NULL;
    check_refused(&params, SF_EINVAL, "plan");
    params = good;
    params.name = "this one";
    params.routing.layers.scheme = "nosuch";
    check_refused(&params, SF_EINVAL, "this one: ");
    params = good;
    params.routing.layers.n_layers = 0;
    check_refused(&params, SF_EINVAL, "layers");
    sf_plan_drop_hosts(plan);
    check_refused(&good, SF_EINVAL, "two hosts");
    sf_plan_free(plan);
}

/* Shares that come to as many links are one, and told of each. */
TEST(failures_of_the_same_parts)
{
    static const double same[] = { 0.01, 0.03, 0.1 };
    struct sf_plan *plan = plan_of("hx2:3x4");
    struct sf_failures_params params = question(plan);
    uint32_t n_runs = 0;

    params.shares = same;
    struct sf_failures *failures = answer(&params);
    const struct sf_failure_point *points = &failures->points[1];
    for (uint32_t i = 0; i < points[0].n_runs; i++) {
        const struct sf_failure_run *a = &points[0].runs[i];
        const struct sf_failure_run *b = &points[1].runs[i];
        const struct sf_failure_run *c = &points[2].runs[i];
        CHECK_NEAR(a->figures[SF_FAILURE_DEAD_LINKS], 1, 0);
        CHECK_NEAR(b->figures[SF_FAILURE_DEAD_LINKS], 1, 0);
        CHECK_NEAR(c->figures[SF_FAILURE_DEAD_LINKS], 3, 0);
        CHECK_NEAR(a->figures[SF_FAILURE_LOAD], b->figures[SF_FAILURE_LOAD],
                   0);
        CHECK(same_numbers(a->throughputs, b->throughputs, 2));
        CHECK(same_numbers(a->left_out, b->left_out, 2));
        CHECK(b->throughputs[0] > 0);
        n_runs++;
    }
    CHECK_EQ(n_runs, 3);
    sf_failures_free(failures);
    sf_plan_free(plan);
}

/* One rack holds it all: nothing is left, and there is no bundle. */
TEST(failures_of_a_network_in_one_rack)
{
    struct sf_plan *plan = plan_of("jellyfish:n=4,k=3,p=2");
    struct sf_failures_params params = question(plan);
    struct sf_failures *failures = answer(&params);

    CHECK_EQ(failures->n_racks, 1);
    CHECK_EQ(failures->n_bundles, 0);
    const struct sf_failure_point *rack =
        &failures->points[failures->n_points - 2];
    const struct sf_failure_point *bundle = rack + 1;
    CHECK_EQ(rack->kind, SF_FAILURE_RACK);
    CHECK_EQ(rack->n_runs, 1);
    CHECK_EQ(rack->figures[SF_FAILURE_REACHED].n, 0);
    CHECK_NEAR(rack->figures[SF_FAILURE_REACHED_ALL].max, 0, 0);
    CHECK_EQ(rack->throughputs[0].n, 0);
    CHECK_EQ(rack->n_disconnected, 0);
    CHECK_EQ(bundle->n_runs, 0);
    /* All are neighbours. */
    CHECK_EQ(failures->cuts.least_links, 3);
    CHECK_EQ(failures->cuts.least_switches, SF_NONE);
    sf_failures_free(failures);
    sf_plan_free(plan);
}

/* The last report that a listener got. */
struct heard {
    uint32_t n;
    uint64_t done, total;
};

static void
hear(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct heard *heard = aux;

    if (!strncmp(what, "failing parts of ", 17)) {
        CHECK_EQ(done, heard->done + 1);
        CHECK(!strstr(what, "none"));
        *heard = (struct heard){ heard->n + 1, done, total };
    }
}

TEST(failures_report_progress)
{
    struct heard heard = { 0 };
    struct sf_progress progress = { hear, &heard };
    struct sf_plan *plan = plan_of("hx2:3x3");
    struct sf_failures_params params = question(plan);

    params.n_threads = 2;
    sf_progress_listen(&progress);
    struct sf_failures *failures = answer(&params);
    sf_progress_listen(NULL);
    CHECK(heard.n > 20);
    CHECK_EQ(heard.done, heard.total);
    CHECK_EQ(heard.n, heard.total);
    sf_failures_free(failures);
    sf_plan_free(plan);
}

/* Every allocation of a study fails once. */
static void
fail_each(const struct sf_failures_params *params)
{
    for (unsigned long nth = 1;; nth++) {
        struct sf_failures *failures = UNSET(struct sf_failures);
        struct sf_error err = { 0 };

        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_failures_build(params, &failures, nth % 2 ? &err : NULL);
        if (status == SF_OK) {
            void *memory = sf_calloc(1, 1);
            bool failed = memory == NULL;
            free(memory);
            sf_mem_fail_at(0);
            sf_failures_free(failures);
            CHECK_FOR(failed, "failure of allocation %lu went unnoticed", nth);
            CHECK(nth > 100);
            return;
        }
        sf_mem_fail_at(0);
        CHECK_FOR(status == SF_ENOMEM, "status %d at allocation %lu: %s",
                  (int)status, nth, err.text);
        CHECK(failures == NULL);
    }
}

static void
fail_kinds(const char *spec, const char *scheme, double share)
{
    struct memory memory = { .lock = PTHREAD_MUTEX_INITIALIZER };
    struct sf_failure_store store = { load, save, &memory, NULL };
    struct sf_plan *plan = plan_of(spec);
    struct sf_failures_params params = question(plan);

    params.routing.layers.scheme = scheme;
    params.routing.layers.n_layers = 1;
    params.shares = &share;
    params.n_shares = 1;
    params.n_seeds = 1;
    for (int kind = 1; kind < SF_N_FAILURE_KINDS; kind++) {
        for (int i = 1; i < SF_N_FAILURE_KINDS; i++) {
            params.without_kinds[i] = i != kind;
        }
        params.without_cuts = kind != SF_FAILURE_BUNDLE;
        params.store = NULL;
        fail_each(&params);
    }
    params.store = &store;
    memory.refusal = SF_OK;
    struct sf_failures *failures = answer(&params);
    sf_failures_free(failures);
    fail_each(&params); /* All is found. */
    memory_clear(&memory);
    sf_plan_free(plan);
}

TEST(failures_out_of_memory)
{
    fail_kinds("hx2:2x3,p=1", "minimal", 0.2);
}

TEST_LONG(failures_out_of_memory_in_parts)
{
    fail_kinds("hx2:2x3,p=1", "minimal", 0.8);
    fail_kinds("ft2:ports=4", NULL, 0.3);
}

/* Memory that runs out while another routing is made than the one asked for
 * was taken for a routing that cannot be. */
TEST(failures_out_of_memory_in_fallbacks)
{
    struct sf_plan *plan = plan_of("ft3:ports=4");
    struct sf_failures_params params = question(plan);
    bool is_found = false;

    params.routing.layers.scheme = "minimal";
    params.routing.layers.n_layers = 4;
    params.routing.lanes = "single";
    params.without_cuts = true;
    params.n_shares = 1;
    params.shares = &shares[1];
    params.n_traffics = 0;
    params.n_seeds = 1;
    for (int kind = SF_FAILURE_SWITCHES; kind < SF_N_FAILURE_KINDS; kind++) {
        params.without_kinds[kind] = true;
    }
    while (!is_found) {
        params.seed++;
        struct sf_failures *failures = answer(&params);
        is_found = failures->points[1].n_fallback > 0;
        sf_failures_free(failures);
    }
    fail_each(&params);
    sf_plan_free(plan);
}
