/* test_traffic.c -- kinds of traffic against their definitions, and the reader
 * of CSV files. */
#include "base/mem.h"
#include "helpers.h"
#include "oracle/routing_oracle.h"
#include "slimfly/routes.h"
#include "slimfly/traffic.h"
#include "test.h"
#include "traffic/matching.h"

#include <math.h>
#include <stdlib.h>

static struct sf_traffic *
traffic_of(const struct sf_traffic_params *params, const char *text)
{
    struct sf_traffic *traffic = UNSET(struct sf_traffic);
    struct sf_error err = { 0 };

    CHECK_FOR(sf_traffic_build(text, params, &traffic, &err) == SF_OK,
              "%s: %s", text, err.text);
    return traffic;
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

static struct sf_traffic_params
params_of(const struct sf_network *network, uint64_t seed)
{
    return (struct sf_traffic_params){ .network = network, .seed = seed };
}

/* What holds for all: demands in order, none twice, none to itself, and what
 * the hosts of a switch send is no more than each can. */
static void
check_sound(const struct sf_traffic *traffic,
            const struct sf_traffic_params *params)
{
    uint32_t n = params->network->graph->n_nodes;
    double *sent = calloc(n, sizeof *sent);
    double *received = calloc(n, sizeof *received);

    CHECK(sent && received);
    CHECK_EQ(traffic->n_switches, n);
    for (size_t k = 0; k < traffic->n_demands; k++) {
        const struct sf_demand *demand = &traffic->demands[k];
        const struct sf_demand *before = k ? demand - 1 : NULL;
        CHECK(demand->source < n && demand->destination < n);
        CHECK(demand->source != demand->destination);
        CHECK(demand->set < traffic->n_sets);
        CHECK(demand->amount > 0);
        CHECK(!before || before->source < demand->source ||
              (before->source == demand->source &&
               (before->destination < demand->destination ||
                (before->destination == demand->destination &&
                 before->set < demand->set))));
        sent[demand->source] += demand->amount;
        received[demand->destination] += demand->amount;
    }
    for (uint32_t s = 0; s < n; s++) {
        double most =
            traffic->max_host * params->network->n_hosts[s] * (1 + 1e-12);
        CHECK(sent[s] <= most && received[s] <= most);
    }
    free(received);
    free(sent);
}

TEST(traffic_all_to_all)
{
    struct sf_network *network = network_by("ft2:leaf=4,core=2,up=1,p=3");
    struct sf_traffic_params params = params_of(network, 0);

    /* 12 hosts, each 1/11 to each other: 9 pairs between two leaves. */
    struct sf_traffic *traffic = traffic_of(&params, "all-to-all");
    check_sound(traffic, &params);
    CHECK_EQ(traffic->n_demands, 12);
    CHECK_NEAR(traffic->unit, 11, 0);
    CHECK_NEAR(traffic->max_host, 1, 1e-15);
    for (size_t k = 0; k < traffic->n_demands; k++) {
        CHECK_NEAR(traffic->demands[k].amount, 9.0 / 11, 1e-15);
    }
    sf_traffic_free(traffic);

    /* Two path sets: two of three receivers have the first. */
    uint32_t host_sets[12];
    sf_routes_deal(network, 2, host_sets);
    params.host_sets = host_sets;
    params.n_sets = 2;
    traffic = traffic_of(&params, "all-to-all");
    check_sound(traffic, &params);
    CHECK_EQ(traffic->n_demands, 24);
    for (size_t k = 0; k < traffic->n_demands; k++) {
        CHECK_NEAR(traffic->demands[k].amount,
                   (traffic->demands[k].set ? 3.0 : 6.0) / 11, 1e-15);
    }
    sf_traffic_free(traffic);
    sf_network_free(network);
}

/* The sum of demands between switches. */
static double
sum_of(const struct sf_traffic *traffic)
{
    double sum = 0;
    for (size_t k = 0; k < traffic->n_demands; k++) {
        sum += traffic->demands[k].amount;
    }
    return sum;
}

TEST(traffic_permutation)
{
    struct sf_network *network = network_by("jellyfish:n=20,k=4,p=1,seed=3");
    struct sf_network *tiny = network_by("hx2:1x2,p=1");

    for (uint64_t seed = 0; seed < 50; seed++) {
        struct sf_traffic_params params = params_of(network, seed);
        struct sf_traffic *traffic = traffic_of(&params, "permutation");
        check_sound(traffic, &params);
        /* One host a switch and no fixed point: 20 demands of 1. */
        CHECK_EQ(traffic->n_demands, 20);
        CHECK_NEAR(sum_of(traffic), 20, 0);
        sf_traffic_free(traffic);

        params = params_of(tiny, seed);
        traffic = traffic_of(&params, "permutation");
        CHECK_EQ(traffic->n_demands, 2);
        sf_traffic_free(traffic);
    }
    sf_network_free(tiny);
    sf_network_free(network);
}

/* Checks a permutation of the switches with hosts and returns how many pairs
 * are 'distance' apart, and the sum of distances. */
static uint32_t
check_matching(const struct sf_traffic *traffic,
               const struct sf_traffic_params *params, uint32_t distance,
               uint32_t *sump)
{
    const struct sf_graph *graph = params->network->graph;
    uint32_t n = graph->n_nodes, n_exact = 0, n_carriers = 0;
    uint32_t *distances = oracle_route_distances(graph);
    bool *is_source = calloc(n, sizeof *is_source);
    bool *is_destination = calloc(n, sizeof *is_destination);

    check_sound(traffic, params);
    CHECK(distances && is_source && is_destination);
    *sump = 0;
    for (size_t k = 0; k < traffic->n_demands; k++) {
        const struct sf_demand *demand = &traffic->demands[k];
        uint32_t d = distances[demand->source * n + demand->destination];
        CHECK(!is_source[demand->source]);
        CHECK(!is_destination[demand->destination]);
        is_source[demand->source] = true;
        is_destination[demand->destination] = true;
        n_exact += d == distance;
        *sump += d;
    }
    for (uint32_t s = 0; s < n; s++) {
        CHECK(is_source[s] == (params->network->n_hosts[s] > 0));
        n_carriers += is_source[s];
    }
    CHECK_EQ(traffic->n_demands, n_carriers);
    free(is_destination);
    free(is_source);
    free(distances);
    return n_exact;
}

TEST(traffic_switch_permutation)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_network *tree = network_by("ft2:leaf=5,core=2,up=1,p=3");
    uint32_t sum;

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct sf_traffic_params params = params_of(network, seed);
        struct sf_traffic *traffic = traffic_of(&params, "switch-permutation");
        CHECK_EQ(check_matching(traffic, &params, 2, &sum), 50);
        CHECK_NEAR(traffic->demands[7].amount, 4, 0);
        sf_traffic_free(traffic);
        traffic = traffic_of(&params, "switch-permutation:distance=1");
        CHECK_EQ(check_matching(traffic, &params, 1, &sum), 50);
        sf_traffic_free(traffic);
        /* None is so far: any will do. */
        traffic = traffic_of(&params, "switch-permutation:distance=3");
        CHECK_EQ(check_matching(traffic, &params, 3, &sum), 0);
        sf_traffic_free(traffic);
        /* Leaves are two hops apart, and only they have hosts. */
        params = params_of(tree, seed);
        traffic = traffic_of(&params, "switch-permutation:distance=2");
        CHECK_EQ(check_matching(traffic, &params, 2, &sum), 5);
        sf_traffic_free(traffic);
    }
    sf_network_free(tree);
    sf_network_free(network);
}

/* The cheapest permutation by trying all. */
static int32_t
try_all(const int16_t *costs, uint32_t n, uint32_t row, uint32_t taken)
{
    int32_t best = INT32_MAX;
    if (row == n) {
        return 0;
    }
    for (uint32_t j = 0; j < n; j++) {
        if (!(taken >> j & 1)) {
            int32_t cost = costs[row * n + j] +
                           try_all(costs, n, row + 1, taken | 1u << j);
            best = cost < best ? cost : best;
        }
    }
    return best;
}

TEST(traffic_matching_is_cheapest)
{
    struct sf_random random;
    sf_random_init(&random, 5, 0);

    for (int round = 0; round < 300; round++) {
        int16_t costs[49] = { 0 };
        uint32_t n = 1 + sf_random_below(&random, 7), to[7], taken = 0;
        uint32_t spread = 1 + sf_random_below(&random, 30);
        int32_t cost = 0;
        for (uint32_t i = 0; i < n * n; i++) {
            costs[i] =
                (int16_t)((int32_t)sf_random_below(&random, spread) - 9);
        }
        CHECK(sf_matching_find(costs, n, &random, to, NULL) == SF_OK);
        for (uint32_t i = 0; i < n; i++) {
            CHECK(to[i] < n && !(taken >> to[i] & 1));
            taken |= 1u << to[i];
            cost += costs[i * n + to[i]];
        }
        CHECK_EQ(cost, try_all(costs, n, 0, 0));
    }
}

TEST(traffic_longest_matching)
{
    /* A ring of 8: all opposite each other, four hops. */
    struct sf_link links[8];
    uint32_t n_hosts[8], sum;
    struct sf_graph *graph;
    for (uint32_t s = 0; s < 8; s++) {
        links[s] = (struct sf_link){ s, (s + 1) % 8 };
        n_hosts[s] = 2;
    }
    CHECK(sf_graph_build(8, links, 8, &graph, NULL) == SF_OK);
    struct sf_network *network = network_of(graph, n_hosts);
    struct sf_traffic_params params = params_of(network, 0);
    struct sf_traffic *traffic = traffic_of(&params, "longest-matching");
    check_matching(traffic, &params, 4, &sum);
    CHECK_EQ(sum, 32);
    CHECK_NEAR(sum_of(traffic), 16, 0);
    sf_traffic_free(traffic);

    /* Half of the 16 flows with 5 times as much, scaled to these. */
    traffic = traffic_of(&params, "longest-matching:elephants=0.5,ratio=5");
    check_matching(traffic, &params, 4, &sum);
    CHECK_EQ(sum, 32);
    CHECK_NEAR(traffic->unit, 5, 0);
    CHECK_NEAR(sum_of(traffic), (8 * 5 + 8) / 5.0, 1e-12);
    sf_traffic_free(traffic);
    sf_network_free(network);
    sf_graph_free(graph);
}

/* The sum of demands says how many pairs talk: exactly as many as asked. */
TEST(traffic_adversarial)
{
    static const double loads[] = { 0, 0.1, 0.5, 0.9, 1 };
    struct sf_network *network = network_by("sf:q=5");
    double n_pairs = 200.0 * 196;

    for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct sf_traffic_params params = params_of(network, seed);
            char text[80];
            snprintf(text, sizeof text,
                     "adversarial:load=%g,elephants=0.25,ratio=7", loads[i]);
            struct sf_traffic *traffic = traffic_of(&params, text);
            check_sound(traffic, &params);
            CHECK_NEAR(traffic->max_host, 1, 1e-12);
            CHECK_NEAR(sum_of(traffic) * traffic->unit,
                       round(loads[i] * n_pairs) + 50 * 7, 1e-6);
            sf_traffic_free(traffic);
        }
    }
    /* All pairs and all elephants: 196 small ones and a large one each. */
    struct sf_traffic_params params = params_of(network, 1);
    struct sf_traffic *traffic = traffic_of(&params, "adversarial:load=1");
    CHECK_NEAR(traffic->unit, 206, 1e-9);
    uint32_t n_large = 0;
    uint32_t *distances = oracle_route_distances(network->graph);
    for (size_t k = 0; k < traffic->n_demands; k++) {
        const struct sf_demand *demand = &traffic->demands[k];
        if (demand->amount * 206 > 17) {
            n_large++;
            CHECK_NEAR(demand->amount * 206, 16 + 40, 1e-9);
            CHECK_EQ(distances[demand->source * 50 + demand->destination], 2);
        }
    }
    CHECK_EQ(n_large, 50);
    free(distances);
    sf_traffic_free(traffic);
    sf_network_free(network);
}

TEST(traffic_same_seed_same_bytes)
{
    struct sf_network *network = network_by("sf:q=4");

    for (const struct sf_traffic_kind *kind = sf_traffic_kinds; kind->name;
         kind++) {
        if (kind->takes_path) {
            continue;
        }
        struct sf_traffic_params params = params_of(network, 1);
        struct sf_traffic *one = traffic_of(&params, kind->example);
        struct sf_traffic *two = traffic_of(&params, kind->name);
        sf_traffic_free(two);
        two = traffic_of(&params, kind->example);
        CHECK_EQ(one->n_demands, two->n_demands);
        for (size_t k = 0; k < one->n_demands; k++) {
            const struct sf_demand *a = &one->demands[k];
            const struct sf_demand *b = &two->demands[k];
            CHECK(a->source == b->source && a->destination == b->destination &&
                  a->amount == b->amount);
        }
        sf_traffic_free(two);
        params.seed = 2;
        two = traffic_of(&params, kind->example);
        bool same = one->n_demands == two->n_demands;
        for (size_t k = 0; same && k < one->n_demands; k++) {
            same =
                one->demands[k].destination == two->demands[k].destination &&
                one->demands[k].amount == two->demands[k].amount;
        }
        CHECK_FOR(same == !kind->is_random, "%s", kind->name);
        sf_traffic_free(two);
        sf_traffic_free(one);
    }
    sf_network_free(network);
}

TEST(traffic_refuses_texts)
{
    static const struct {
        const char *text, *word;
        enum sf_status status;
    } cases[] = {
        { "", "kind of traffic", SF_EINVAL },
        { "all", "all-to-all, permutation", SF_EINVAL },
        { "all-to-all:", "all-to-all takes no settings", SF_EINVAL },
        { "all-to-all:x=1", "all-to-all takes no settings", SF_EINVAL },
        { "switch-permutation:distance", "expected KEY=VALUE, as in",
          SF_EINVAL },
        { "switch-permutation:distance=", "whole number from 1", SF_EINVAL },
        { "switch-permutation:distance=0", "whole number", SF_EINVAL },
        { "switch-permutation:distance=1.5", "whole number", SF_EINVAL },
        { "switch-permutation:distance=2 ", "whole number", SF_EINVAL },
        { "switch-permutation:distance= 2", "whole number", SF_EINVAL },
        { "switch-permutation:distance=0x2", "whole number", SF_EINVAL },
        { "adversarial:load=1.1", "from 0 to 1", SF_EINVAL },
        { "adversarial:load=-0.1", "from 0 to 1", SF_EINVAL },
        { "adversarial:load=nan", "from 0 to 1", SF_EINVAL },
        { "adversarial:load=inf", "from 0 to 1", SF_EINVAL },
        { "adversarial:load=0.5,", "expected KEY=VALUE, as in", SF_EINVAL },
        { "adversarial:load=0.5,load=0.6", "load is given twice", SF_EINVAL },
        { "adversarial:load=0,elephants=0", "no demand", SF_EINVAL },
        { "adversarial:loads=0.5",
          "'loads' is not a key of adversarial; it has load, elephants, ratio",
          SF_EINVAL },
        { "file:", "path has no value: expected the name of a file",
          SF_EINVAL },
        { "file", "file:traffic.csv", SF_EINVAL },
        { "file:/nonexistent/traffic.csv", "needs a fabric", SF_EINVAL },
    };
    struct sf_network *network = network_by("sf:q=4");
    struct sf_traffic_params params = params_of(network, 1);

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_traffic *traffic = UNSET(struct sf_traffic);
        struct sf_error err = { 0 };
        CHECK_FOR(sf_traffic_build(cases[i].text, &params, &traffic, &err) ==
                      cases[i].status,
                  "%s: status %d", cases[i].text, (int)err.status);
        CHECK_FOR(strstr(err.text, cases[i].word), "%s: '%s' does not say %s",
                  cases[i].text, err.text, cases[i].word);
        CHECK(traffic == NULL);
    }
    sf_network_free(network);

    /* Too few hosts, or all on one switch. */
    static const struct sf_link link = { 0, 1 };
    static const uint32_t too_few[] = { 1, 0 }, on_one[] = { 2, 0 };
    struct sf_graph *graph;
    CHECK(sf_graph_build(2, &link, 1, &graph, NULL) == SF_OK);
    struct sf_network *small = network_of(graph, too_few);
    params = params_of(small, 1);
    struct sf_traffic *traffic;
    CHECK_EQ(sf_traffic_build("all-to-all", &params, &traffic, NULL),
             SF_EINVAL);
    sf_network_free(small);
    small = network_of(graph, on_one);
    params = params_of(small, 1);
    CHECK_EQ(sf_traffic_build("longest-matching", &params, &traffic, NULL),
             SF_EINVAL);
    CHECK_EQ(sf_traffic_build("all-to-all", &params, &traffic, NULL), SF_OK);
    CHECK_EQ(traffic->n_demands, 0);
    sf_traffic_free(traffic);
    sf_network_free(small);
    sf_graph_free(graph);
}

/* A fabric of two switches with two hosts each, node0000 to node0003. */
struct place {
    struct sf_network *network;
    struct sf_traffic_params params;
};

static struct place
make_place(void)
{
    struct sf_topology *topo = build("hx2:1x2,p=2");
    struct sf_fabric *fabric;
    struct place place;

    CHECK(sf_fabric_from_topology(topo, NULL, &fabric, NULL) == SF_OK);
    CHECK(sf_network_build(fabric, &place.network, NULL) == SF_OK);
    place.params = params_of(place.network, 0);
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return place;
}

static void
clear_place(struct place *place)
{
    sf_network_free(place->network);
}

static enum sf_status
parse(const struct place *place, const char *text,
      struct sf_traffic **trafficp, struct sf_error *err)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    return sf_traffic_parse(copy, strlen(copy), "t.csv", &place->params,
                            trafficp, err);
}

/* Kinds that read a file are known by their text, also by a wrong one. */
TEST(traffic_that_takes_a_path)
{
    CHECK(sf_traffic_takes_path("file:/some/where.csv"));
    CHECK(sf_traffic_takes_path("file:"));
    CHECK(sf_traffic_takes_path("file"));
    CHECK(!sf_traffic_takes_path("files:/some/where.csv"));
    CHECK(!sf_traffic_takes_path("fil"));
    CHECK(!sf_traffic_takes_path("all-to-all"));
    CHECK(!sf_traffic_takes_path("switch-permutation:distance=2"));
    CHECK(!sf_traffic_takes_path(""));
}

TEST(traffic_from_csv)
{
    struct place place = make_place();
    struct sf_traffic *traffic;
    struct sf_error err = { 0 };
    const uint32_t *n_hosts = place.network->n_hosts;

    CHECK(n_hosts[0] == 2 && n_hosts[1] == 2);
    CHECK_FOR(parse(&place,
                    "source,destination,amount\n"
                    "# within a switch\n"
                    "node0000,node0001,0.25\n"
                    "\n"
                    " node0003 , node0000 , 5e-1 \r\n"
                    "node0000,node0002,1\n"
                    "node0001,node0002,0.5\n"
                    "node0000,node0002,1\n"
                    "node0001,node0003,0",
                    &traffic, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(traffic->n_demands, 2);
    CHECK_EQ(traffic->demands[0].source, 0);
    CHECK_EQ(traffic->demands[0].destination, 1);
    CHECK_NEAR(traffic->demands[0].amount, 2.5, 0);
    CHECK_EQ(traffic->demands[1].source, 1);
    CHECK_NEAR(traffic->demands[1].amount, 0.5, 0);
    /* node0002 receives 2.5, node0000 sends 2.25. */
    CHECK_NEAR(traffic->max_host, 2.5, 0);
    CHECK_NEAR(traffic->unit, 1, 0);
    sf_traffic_free(traffic);

    /* Path sets are those of the receivers. */
    static const uint32_t host_sets[] = { 0, 1, 0, 1 };
    place.params.host_sets = host_sets;
    place.params.n_sets = 2;
    CHECK(parse(&place, "node0000,node0002,1\nnode0000,node0003,2\n", &traffic,
                NULL) == SF_OK);
    CHECK_EQ(traffic->n_demands, 2);
    CHECK_EQ(traffic->demands[0].set, 0);
    CHECK_EQ(traffic->demands[1].set, 1);
    CHECK_NEAR(traffic->demands[1].amount, 2, 0);
    sf_traffic_free(traffic);

    struct temporary file = temporary_write("node0000,node0002,1\n");
    char text[128];
    snprintf(text, sizeof text, "file:%s", file.name);
    traffic = traffic_of(&place.params, text);
    CHECK_EQ(traffic->n_demands, 1);
    sf_traffic_free(traffic);
    temporary_remove(&file);
    CHECK_EQ(sf_traffic_build(text, &place.params, &traffic, NULL), SF_EIO);
    clear_place(&place);
}

TEST(traffic_refuses_csv)
{
    static const struct {
        const char *text, *word;
    } cases[] = {
        { "", "t.csv: expected source,destination,amount" },
        { "# nothing\n", "t.csv: expected source" },
        { "source,destination,amount\n", "t.csv: expected source" },
        { "node0000,node0001\n", "t.csv:1: expected source" },
        { "node0000,node0002,1,2\n", "t.csv:1: expected source" },
        { "node0000,node0002,1\nx,node0001,1\n",
          "t.csv:2: expected the name" },
        { "node0000,S0,1\n", "found 'S0'" },
        { ",node0002,1\n", "found ''" },
        { "node0000,node0000,1\n", "two different hosts" },
        { "node0000,node0002,-1\n", "0 or more, found '-1'" },
        { "node0000,node0002,nan\n", "found 'nan'" },
        { "node0000,node0002,inf\n", "found 'inf'" },
        { "node0000,node0002,1e999\n", "found '1e999'" },
        { "node0000,node0002,\n", "found ''" },
        { "node0000,node0002,1x\n", "found '1x'" },
        { "node0000,node0002,0x1\n", "found '0x1'" },
        { "node0000,node0002,1 2\n", "found '1 2'" },
        { "\nsource,destination,amount\n", "t.csv:2: expected the name" },
        { "node0000,node0002,0\n", "no demand above 0" },
        { "node0000,node0002,1e308\nnode0000,node0002,1e308\n", "added up" },
    };
    struct place place = make_place();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_traffic *traffic = UNSET(struct sf_traffic);
        struct sf_error err = { 0 };
        enum sf_status status = parse(&place, cases[i].text, &traffic, &err);
        CHECK_FOR(status == SF_EPARSE || status == SF_EINVAL,
                  "'%s': status %d", cases[i].text, (int)status);
        CHECK_FOR(strstr(err.text, cases[i].word), "'%s': '%s' lacks '%s'",
                  cases[i].text, err.text, cases[i].word);
        CHECK(traffic == NULL);
    }
    /* A network without a fabric, in which hosts have no names. */
    struct place nameless;
    struct sf_traffic *traffic = UNSET(struct sf_traffic);
    struct sf_error err = { 0 };
    nameless.network =
        network_of(place.network->graph, place.network->n_hosts);
    nameless.params = params_of(nameless.network, 0);
    CHECK_EQ(parse(&nameless, "node0000,node0002,1\n", &traffic, &err),
             SF_EINVAL);
    CHECK(strstr(err.text, "needs a fabric"));
    CHECK(traffic == NULL);
    clear_place(&nameless);
    clear_place(&place);
}

TEST(traffic_nomem)
{
    static const char *const texts[] = {
        "all-to-all",       "permutation", "switch-permutation",
        "longest-matching", "adversarial",
    };
    struct place place = make_place();

    for (size_t i = 0; i <= ARRAY_SIZE(texts); i++) {
        enum sf_status status = SF_ENOMEM;
        for (unsigned long nth = 1; status != SF_OK; nth++) {
            struct sf_traffic *traffic = UNSET(struct sf_traffic);
            struct sf_error err = { 0 };
            sf_mem_fail_at(nth);
            status =
                i < ARRAY_SIZE(texts)
                    ? sf_traffic_build(texts[i], &place.params, &traffic, &err)
                    : parse(&place, "node0000,node0002,1\n", &traffic, &err);
            void *memory = sf_calloc(1, 1);
            bool is_to_come = memory == NULL;
            free(memory);
            sf_mem_fail_at(0);
            CHECK(status == SF_OK || status == SF_ENOMEM);
            CHECK_FOR(is_to_come == (status == SF_OK),
                      "case %zu: allocation %lu went unnoticed", i, nth);
            CHECK((traffic != NULL) == (status == SF_OK));
            CHECK((err.text[0] == '\0') == (status == SF_OK));
            sf_traffic_free(traffic);
        }
    }
    clear_place(&place);
}
