/* Comparisons: rows from words, measurements kept and found again, errors. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/comparison_files.h"
#include "slimfly/ib.h"
#include "slimfly/progress.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define MAX_KEPT 64

/* A store in memory: what was written, by settings. */
struct memory {
    char *settings[MAX_KEPT], *texts[MAX_KEPT];
    size_t sizes[MAX_KEPT];
    uint32_t n, n_loads, n_found;
    enum sf_status refusal;
};

static bool
load(void *aux, const char *settings, struct sf_measurement *measurement)
{
    struct memory *memory = aux;

    memory->n_loads++;
    for (uint32_t i = 0; i < memory->n; i++) {
        if (!strcmp(memory->settings[i], settings)) {
            memory->n_found++;
            return sf_measurement_parse(memory->texts[i], memory->sizes[i],
                                        "memory", settings, measurement,
                                        NULL) == SF_OK;
        }
    }
    return false;
}

static enum sf_status
save(void *aux, const char *settings, const struct sf_measurement *measurement,
     struct sf_error *err)
{
    struct memory *memory = aux;

    if (memory->refusal) {
        return sf_fail(err, memory->refusal, "no room");
    }
    CHECK(memory->n < MAX_KEPT);
    memory->settings[memory->n] = strdup(settings);
    FILE *stream =
        open_memstream(&memory->texts[memory->n], &memory->sizes[memory->n]);
    CHECK_EQ(sf_measurement_write(settings, measurement, stream, err), SF_OK);
    fclose(stream);
    memory->n++;
    return SF_OK;
}

static void
clear(struct memory *memory)
{
    for (uint32_t i = 0; i < memory->n; i++) {
        free(memory->settings[i]);
        free(memory->texts[i]);
    }
}

/* A small question about sf:q=3. */
struct question {
    struct sf_fabric *fabric;
    struct sf_network *network;
    struct sf_routes *given;
    struct sf_comparison_row rows[3];
    const char *traffics[2];
    struct memory memory;
    struct sf_measurement_store store;
    struct sf_comparison_params params;
};

static void
ask(struct question *question)
{
    struct sf_topology *topo = build("sf:q=3,p=2");

    *question = (struct question){
        .traffics = { "all-to-all", "permutation" },
        .store = { load, save, &question->memory, NULL },
    };
    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &question->fabric, NULL),
             SF_OK);
    CHECK_EQ(sf_network_build(question->fabric, &question->network, NULL),
             SF_OK);
    CHECK_EQ(sf_comparison_row_parse("gates", 2, &question->rows[0], NULL),
             SF_OK);
    CHECK_EQ(sf_comparison_row_parse("rues:0.5", 3, &question->rows[1], NULL),
             SF_OK);
    sf_comparison_row_reference(SF_THROUGHPUT_HOPS, 0, 3, &question->rows[2]);
    question->params = (struct sf_comparison_params){
        .name = "sf:q=3,p=2",
        .network = question->network,
        .n_rows = 3,
        .rows = question->rows,
        .n_traffics = 2,
        .traffics = question->traffics,
        .without = { [SF_SPLIT_EQUAL] = true },
        .n_seeds = 2,
        .seed = 1,
        .max_hops = 3,
        .n_threads = 2,
        .store = &question->store,
    };
    sf_topology_free(topo);
}

static void
forget(struct question *question)
{
    clear(&question->memory);
    sf_routes_free(question->given);
    sf_network_free(question->network);
    sf_fabric_free(question->fabric);
}

/* The comparison as JSON, which the caller frees. */
static char *
answer(const struct sf_comparison_params *params)
{
    struct sf_comparison *comparison;
    struct sf_error err = { 0 };
    char *text;
    size_t size;

    enum sf_status status = sf_comparison_build(params, &comparison, &err);
    CHECK_FOR(status == SF_OK, "%s", err.text);
    FILE *stream = open_memstream(&text, &size);
    CHECK_EQ(sf_comparison_files[1].write(comparison, stream, NULL), SF_OK);
    fclose(stream);
    sf_comparison_free(comparison);
    return text;
}

TEST(comparison_finds_again_what_was_kept)
{
    struct question question;

    ask(&question);
    struct memory *memory = &question.memory;
    char *first = answer(&question.params);
    /* Paths and two traffics of two routings, the permutation of the
     * reference, for two seeds each; all-to-all once. */
    CHECK_EQ(memory->n_loads, 16);
    CHECK_EQ(memory->n + memory->n_found, 16);
    CHECK(memory->n >= 15);
    uint32_t n_kept = memory->n, n_found = memory->n_found;
    char *second = answer(&question.params);
    CHECK_STR(second, first);
    CHECK_EQ(memory->n, n_kept);
    CHECK_EQ(memory->n_found, n_found + 16);
    question.params.store = NULL;
    question.params.n_threads = 1;
    char *third = answer(&question.params);
    CHECK_STR(third, first);
    free(third);
    free(second);
    free(first);
    forget(&question);
}

/* Takes the host at the first port of the first switch away. */
static void
unplug_host(struct question *question)
{
    sf_fabric_unplug(question->fabric, sf_fabric_port(question->fabric, 0, 1));
    sf_network_free(question->network);
    CHECK_EQ(sf_network_build(question->fabric, &question->network, NULL),
             SF_OK);
    CHECK_EQ(question->network->n_hosts[0], 1);
    question->params.network = question->network;
}

/* Makes the first row one of routes from elsewhere. */
static void
give_routes(struct question *question)
{
    struct sf_layers_params params = { .n_layers = 2, .seed = 1 };
    const struct sf_network *network = question->network;

    CHECK_EQ(sf_routes_make(network, 1, &question->given, NULL), SF_OK);
    CHECK_EQ(
        sf_layers_build(network, &params, &question->given->sets[0], NULL),
        SF_OK);
    question->rows[0].given = question->given;
}

/* Changes one thing that measurements depend on; false if there is no such
 * number. */
static bool
change(struct question *question, int number)
{
    switch (number) {
    case 0:
        question->params.gap = 0.1;
        return true;
    case 1:
        question->params.without_host_links = true;
        return true;
    case 2:
        question->params.seed = 10;
        return true;
    case 3:
        question->params.max_hops = 4;
        return true;
    case 4:
        unplug_host(question);
        return true;
    case 5:
        question->rows[1].routing.layers.scheme = "rues:fraction=0.7";
        return true;
    case 6:
        question->rows[0].n_layers = 3;
        return true;
    case 7:
        question->rows[0].routing.n_path_sets = 2;
        return true;
    case 8:
        question->traffics[1] = "adversarial";
        return true;
    case 9:
        question->rows[0].routing.without_lanes = true;
        return true;
    case 10:
        question->rows[0].routing.lanes = "dfsssp";
        return true;
    case 11:
        question->rows[0].routing.max_vls = 4;
        return true;
    case 12:
        question->rows[0].routing.layers.max_hops = 4;
        return true;
    case 13:
        give_routes(question);
        return true;
    default:
        return false;
    }
}

/* Also of routes that have no lanes: given ones and such that are free. */
TEST(comparison_finds_again_routes_without_lanes)
{
    for (int number = 0; number < 2; number++) {
        struct question question;
        ask(&question);
        if (number) {
            give_routes(&question);
        } else {
            question.rows[0].routing.without_lanes = true;
        }
        char *first = answer(&question.params);
        uint32_t n_kept = question.memory.n;
        char *second = answer(&question.params);
        CHECK_STR(second, first);
        CHECK_EQ(question.memory.n, n_kept);
        free(second);
        free(first);
        forget(&question);
    }
}

/* Given routes count by what they are: their hops and the path sets of their
 * hosts. */
TEST(comparison_keeps_given_routes_apart)
{
    struct question question;
    uint32_t n_kept[4];

    ask(&question);
    question.params.n_seeds = 1;
    CHECK_EQ(sf_routes_make(question.network, 2, &question.given, NULL),
             SF_OK);
    for (uint32_t i = 0; i < 2; i++) {
        struct sf_layers_params params = { .n_layers = 2, .seed = i };
        CHECK_EQ(sf_layers_build(question.network, &params,
                                 &question.given->sets[i], NULL),
                 SF_OK);
    }
    question.rows[0].given = question.given;
    for (int number = 0; number < 4; number++) {
        if (number == 1) {
            question.given->host_sets[0] = 1;
        } else if (number == 2) { /* The last layer becomes the first. */
            size_t n = question.network->graph->n_nodes;
            memcpy(sf_layers_tree(question.given->sets[1], 1, 0),
                   sf_layers_tree(question.given->sets[1], 0, 0),
                   n * n * sizeof *question.given->sets[1]->hops);
        }
        free(answer(&question.params));
        n_kept[number] = question.memory.n;
    }
    CHECK(n_kept[1] > n_kept[0]);
    CHECK(n_kept[2] > n_kept[1]);
    CHECK_EQ(n_kept[3], n_kept[2]);
    forget(&question);
}

TEST(comparison_keeps_everything_apart)
{
    bool is_change = true;

    for (int number = 0; is_change; number++) {
        struct question question;
        ask(&question);
        free(answer(&question.params));
        uint32_t n_before = question.memory.n;
        is_change = change(&question, number);
        free(answer(&question.params));
        CHECK_FOR(is_change == (question.memory.n > n_before), "change %d",
                  number);
        forget(&question);
    }
}

TEST(comparison_summarizes)
{
    struct sf_throughput runs[2] = { { .lower = 0.5, .upper = 0.5 },
                                     { .lower = 1, .upper = 1.25 } };
    struct sf_comparison_result result = { .n_splits = 1, .runs = runs };
    struct sf_comparison comparison = {
        .params = { .n_rows = 1, .n_traffics = 1, .n_seeds = 2 },
        .results = &result,
    };

    struct sf_comparison_summary is =
        sf_comparison_summarize(&comparison, 0, 0, 0);
    CHECK_NEAR(is.mean, 0.75, 1e-12);
    CHECK_NEAR(is.min, 0.5, 0);
    CHECK_NEAR(is.max, 1, 0);
    CHECK_NEAR(is.gap, 0.25, 1e-12);
}

/* What is kept is known by what a spec means, not by its words. */
TEST(comparison_finds_what_other_words_for_a_spec_have_kept)
{
    struct question question;

    ask(&question);
    free(answer(&question.params));
    uint32_t n_kept = question.memory.n;
    question.rows[1].routing.layers.scheme = "rues:sets=1,fraction=0.50";
    free(answer(&question.params));
    CHECK_EQ(question.memory.n, n_kept);
    forget(&question);
}

static uint32_t
count_sets(const struct sf_network *network,
           const struct sf_routing_params *params)
{
    uint32_t n_sets;
    CHECK_EQ(sf_routing_count_sets(network, params, &n_sets, NULL), SF_OK);
    return n_sets;
}

TEST(comparison_rows_from_words)
{
    struct sf_comparison_row row;
    struct sf_error err;

    CHECK_EQ(sf_comparison_row_parse("rues:0.25", 8, &row, NULL), SF_OK);
    CHECK_STR(row.label, "rues:0.25");
    CHECK_STR(row.routing.layers.scheme, "rues:0.25");
    CHECK_EQ(row.n_layers, 8);
    CHECK(!row.routing.without_lanes);
    CHECK(row.given == NULL);
    struct sf_topology *topo = build("ft2:leaf=4,core=2,up=1,p=3");
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);
    CHECK_EQ(count_sets(network, &row.routing), 1);
    CHECK_EQ(sf_comparison_row_parse("ftree", 8, &row, NULL), SF_OK);
    CHECK_EQ(count_sets(network, &row.routing), 3);
    CHECK_EQ(sf_comparison_row_parse("gates:sets=2", 8, &row, NULL), SF_OK);
    CHECK_EQ(count_sets(network, &row.routing), 2);
    sf_network_free(network);
    sf_topology_free(topo);
    CHECK_EQ(sf_comparison_row_parse("", 8, &row, &err), SF_EINVAL);
    CHECK_EQ(sf_comparison_row_parse("rues:0", 8, &row, &err), SF_EINVAL);
    CHECK_EQ(sf_comparison_row_parse("rues:nan", 8, &row, &err), SF_EINVAL);
    CHECK_EQ(sf_comparison_row_parse("rues:0.1x", 8, &row, &err), SF_EINVAL);
    CHECK_EQ(
        sf_comparison_row_parse(
            "gates-with-a-name-that-is-much-longer-than-any", 8, &row, &err),
        SF_EINVAL);
    sf_comparison_row_reference(SF_THROUGHPUT_FREE, 4, 3, &row);
    CHECK_EQ(row.n_layers, 4);
    sf_comparison_row_reference(SF_THROUGHPUT_HOPS, 4, 3, &row);
    CHECK_EQ(row.n_layers, 0);
    CHECK_STR(row.label, "all paths to 3 hops");
}

TEST(comparison_hops_are_the_diameter_and_one)
{
    static const struct {
        const char *spec;
        uint32_t hops;
    } cases[] = {
        { "sf:q=5", 3 },
        { "ft3:ports=4", 5 },
        { "hx2:3x4", 3 },
        { "df:a=4,h=2,p=2", 4 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_topology *topo = build("%s", cases[i].spec);
        uint32_t hops;
        CHECK_EQ(sf_comparison_hops(topo->graph, &hops, NULL), SF_OK);
        CHECK_EQ(hops, cases[i].hops);
        sf_topology_free(topo);
    }
}

TEST(comparison_says_what_fails)
{
    struct question question;
    struct sf_comparison *comparison = UNSET(struct sf_comparison);
    struct sf_error err = { 0 };

    ask(&question);
    question.memory.refusal = SF_EIO;
    CHECK_EQ(sf_comparison_build(&question.params, &comparison, &err), SF_EIO);
    CHECK(comparison == NULL);
    CHECK(strstr(err.text, "no room"));
    question.memory.refusal = SF_OK;
    question.traffics[1] = "nosuch";
    CHECK_EQ(sf_comparison_build(&question.params, &comparison, &err),
             SF_EINVAL);
    CHECK(strstr(err.text, "nosuch"));
    question.traffics[1] = "permutation";
    question.rows[1].routing.layers.scheme = "ftree";
    CHECK_EQ(sf_comparison_build(&question.params, &comparison, &err),
             SF_EINVAL);
    CHECK(strstr(err.text, "rues:0.5: "));
    forget(&question);
}

static void
check_same(const struct sf_measurement *measurement)
{
    struct sf_measurement again;
    char *text;
    size_t size;

    FILE *stream = open_memstream(&text, &size);
    CHECK_EQ(sf_measurement_write("all", measurement, stream, NULL), SF_OK);
    fclose(stream);
    CHECK_EQ(sf_measurement_parse(text, size, "text", "all", &again, NULL),
             SF_OK);
    CHECK_EQ(again.metrics != NULL, measurement->metrics != NULL);
    if (again.metrics) {
        for (int i = 0; i < SF_N_PATH_METRICS; i++) {
            const struct sf_histogram *a = &again.metrics->by[i];
            const struct sf_histogram *b = &measurement->metrics->by[i];
            CHECK_EQ(a->n_bins, b->n_bins);
            CHECK(!memcmp(a->bins, b->bins, a->n_bins * sizeof *a->bins));
        }
        CHECK_EQ(again.metrics->n_pairs, measurement->metrics->n_pairs);
        CHECK_EQ(again.metrics->n_layers, measurement->metrics->n_layers);
        CHECK_STR(again.lanes.scheme, measurement->lanes.scheme);
        CHECK_EQ(again.lanes.n_vls, measurement->lanes.n_vls);
    } else {
        CHECK_NEAR(again.throughput.lower, measurement->throughput.lower, 0);
        CHECK(again.throughput.upper >= measurement->throughput.upper);
        CHECK_NEAR(again.throughput.net_lower,
                   measurement->throughput.net_lower, 0);
        CHECK_NEAR(again.throughput.net_upper,
                   measurement->throughput.net_upper, 0);
        CHECK_NEAR(again.throughput.host, measurement->throughput.host, 0);
        CHECK_NEAR(again.throughput.even, measurement->throughput.even, 0);
        CHECK_EQ(again.throughput.n_paths, measurement->throughput.n_paths);
        CHECK_EQ(again.throughput.n_rounds, measurement->throughput.n_rounds);
        CHECK_EQ(again.throughput.method, measurement->throughput.method);
    }
    sf_path_metrics_free(again.metrics);
    CHECK_EQ(sf_measurement_parse(text, size, "text", "other", &again, NULL),
             SF_EPARSE);
    CHECK_EQ(sf_measurement_parse(text, size / 2, "text", "all", &again, NULL),
             SF_EPARSE);
    free(text);
}

TEST(measurements_are_read_as_they_were_written)
{
    struct sf_topology *topo = build("sf:q=5");
    struct sf_network *network = network_of(topo->graph, NULL);
    struct sf_layers_params params = { .n_layers = 4, .seed = 1 };
    struct sf_routes *routes;
    struct sf_measurement paths = { .lanes = { .scheme = "turns",
                                               .n_vls = 3 } };
    struct sf_measurement throughput = { .throughput = {
                                             .lower = 1.0 / 3,
                                             .upper = (double)INFINITY,
                                             .net_lower = 0.1,
                                             .net_upper = 0.7,
                                             .host = 1.0 / 7,
                                             .even = 1.0 / 9,
                                             .method = SF_METHOD_APPROXIMATION,
                                             .n_paths = UINT64_C(5000000000),
                                             .n_rounds = 12 } };

    CHECK_EQ(sf_routes_make(network, 1, &routes, NULL), SF_OK);
    CHECK_EQ(sf_layers_build(network, &params, &routes->sets[0], NULL), SF_OK);
    CHECK_EQ(sf_path_metrics_build(network, routes, 1, &paths.metrics, NULL),
             SF_OK);
    check_same(&paths);
    /* Free of lanes, or of lanes that nobody knows. */
    paths.lanes = (struct sf_lanes_summary){ 0 };
    check_same(&paths);
    check_same(&throughput);
    sf_path_metrics_free(paths.metrics);
    sf_routes_free(routes);
    sf_network_free(network);
    sf_topology_free(topo);
}

#define MEASUREMENT                                                 \
    "{\"schema\": \"slimfly.measurement\", \"schema_version\": 1, " \
    "\"settings\": \"s\""
#define PATHS                                                           \
    "{\"n_layers\": 1, \"per_host\": false, \"n_pairs\": 2, "           \
    "\"n_incomplete\": 0, \"paths_by_hops\": [[1, 2]], "                \
    "\"links_by_paths\": [[1, 2]], \"pairs_by_total_hops\": [[1, 2]], " \
    "\"pairs_by_longest\": [[1, 2]], \"pairs_by_distinct\": [[1, 2]], " \
    "\"pairs_by_disjoint\": [[1, 2]]}"

/* As many bytes as there is room for, and no end. */
#define TEN       "ten-bytes-"
#define LONG_NAME TEN TEN TEN TEN TEN TEN TEN TEN

TEST(measurements_that_are_wrong_are_refused)
{
    static const char *const texts[] = {
        "",
        "[]",
        "{}",
        "{\"schema\": 1}",
        "{\"schema\": \"slimfly.measurement\", \"schema_version\": 1, "
        "\"settings\": \"s\"}",
        "{\"schema\": \"slimfly.measurement\", \"schema_version\": 1, "
        "\"settings\": \"s\", \"throughput\": {\"method\": \"simplex\"}}",
        "{\"schema\": \"slimfly.measurement\", \"schema_version\": 1, "
        "\"settings\": \"s\", \"throughput\": {\"lower\": 1, \"upper\": 1, "
        "\"net_lower\": 1, \"net_upper\": 1, \"host\": 1, \"method\": "
        "\"guess\", \"n_paths\": 1, \"n_rounds\": 0}}",
        MEASUREMENT
        ", \"lanes\": \"turns\", \"vls\": 2, \"instead\": \"\", \"paths\": "
        "{\"n_layers\": 1, \"n_pairs\": 1, \"n_incomplete\": 0, "
        "\"paths_by_hops\": [[2, 1], [1, 1]]}}",
        MEASUREMENT
        ", \"lanes\": \"turns\", \"vls\": 2, \"instead\": \"\", \"paths\": "
        "{\"n_layers\": 1, \"n_pairs\": -1}}",
        MEASUREMENT ", \"paths\": " PATHS "}",
        MEASUREMENT ", \"vls\": 2, \"instead\": \"\", \"paths\": " PATHS "}",
        MEASUREMENT ", \"lanes\": \"turns\", \"paths\": " PATHS "}",
        MEASUREMENT
        ", \"lanes\": 1, \"vls\": 2, \"instead\": \"\", \"paths\": " PATHS "}",
        MEASUREMENT ", \"lanes\": \"turns\", \"vls\": 16, \"instead\": \"\", "
                    "\"paths\": " PATHS "}",
        MEASUREMENT ", \"lanes\": \"turns\", \"vls\": -1, \"paths\": " PATHS
                    "}",
        MEASUREMENT ", \"lanes\": \"" LONG_NAME "\", "
                    "\"vls\": 2, \"instead\": \"\", \"paths\": " PATHS "}",
    };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct sf_measurement measurement;
        struct sf_error err = { 0 };
        CHECK_EQ(sf_measurement_parse(texts[i], strlen(texts[i]), "file", "s",
                                      &measurement, &err),
                 SF_EPARSE);
        CHECK(measurement.metrics == NULL);
        CHECK(!strncmp(err.text, "file: ", 6));
    }
    /* But for the lanes, these paths are fine. */
    static const char fine[] =
        MEASUREMENT ", \"lanes\": \"turns\", \"vls\": 2, \"instead\": \"\", "
                    "\"paths\": " PATHS "}";
    struct sf_measurement measurement;
    CHECK_EQ(sf_measurement_parse(fine, strlen(fine), "file", "s",
                                  &measurement, NULL),
             SF_OK);
    CHECK_EQ(measurement.lanes.n_vls, 2);
    sf_path_metrics_free(measurement.metrics);
}

/* Progress never passes its total, and ends there. */
struct heard {
    uint64_t done, total, n_calls;
    bool is_named; /* Whether a routing was, with layers and seed. */
};

static void
hear(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct heard *heard = aux;
    uint32_t number;

    CHECK_FOR(sscanf(what, "%u of 16 measurements done, now ", &number) == 1,
              "%s", what);
    CHECK(number <= 16);
    CHECK(done <= total && done >= heard->done);
    heard->is_named |= strstr(what, " now gates, 2 layers, seed 1, ") != NULL;
    heard->done = done;
    heard->total = total;
    heard->n_calls++;
}

TEST(comparison_tells_how_far_it_is)
{
    struct question question;
    struct heard heard = { 0 };
    struct sf_progress progress = { hear, &heard };

    ask(&question);
    question.params.n_threads = 1;
    question.params.effort = SF_EFFORT_APPROXIMATE;
    sf_progress_listen(&progress);
    free(answer(&question.params));
    CHECK(sf_progress_listen(NULL) == &progress);
    CHECK_EQ(heard.done, 16000);
    CHECK_EQ(heard.total, 16000);
    CHECK(heard.n_calls > 16);
    CHECK(heard.is_named);
    forget(&question);
}

/* A fabric with addresses for 4 layers, routed and put into tables as 'slimfly
 * route' does it; what the tables amount to. */
struct deployed {
    struct sf_network *network;
    struct sf_routes *routes;
};

static struct deployed
deploy(const char *spec, uint32_t n_path_sets, uint64_t seed)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_routing_params params = {
        .layers = { .scheme = "gates", .n_layers = 4, .seed = seed },
        .n_path_sets = n_path_sets
    };
    struct deployed deployed;
    struct sf_fabric *fabric;
    struct sf_routing *routing;
    struct sf_tables *tables;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, 2, NULL, NULL), SF_OK);
    CHECK_EQ(sf_network_build(fabric, &deployed.network, NULL), SF_OK);
    sf_ib_count_addresses(fabric, &params);
    CHECK_EQ(sf_routing_build(deployed.network, &params, &routing, NULL),
             SF_OK);
    CHECK(routing->routes->lanes != NULL);
    CHECK_EQ(
        sf_ib_encode_lfts(deployed.network, routing->routes, &tables, NULL),
        SF_OK);
    CHECK_EQ(sf_ib_decode(deployed.network, tables, 0, &deployed.routes, NULL),
             SF_OK);
    CHECK_EQ(deployed.routes->n_sets, n_path_sets);
    sf_tables_free(tables);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return deployed;
}

/* The throughput of what is deployed, without a comparison. */
static struct sf_throughput
measure_deployed(const struct deployed *deployed, const char *text,
                 bool equal_split, uint64_t seed)
{
    struct sf_traffic_params where = { .network = deployed->network,
                                       .host_sets =
                                           deployed->routes->host_sets,
                                       .n_sets = deployed->routes->n_sets,
                                       .seed = seed };
    struct sf_throughput_params params = {
        .mode = equal_split ? SF_THROUGHPUT_EQUAL : SF_THROUGHPUT_LAYERS,
        .routes = deployed->routes,
    };
    struct sf_traffic *traffic;
    struct sf_throughput found;

    CHECK_EQ(sf_traffic_build(text, &where, &traffic, NULL), SF_OK);
    CHECK_EQ(sf_throughput_measure(deployed->network->graph, traffic, &params,
                                   &found, NULL),
             SF_OK);
    sf_traffic_free(traffic);
    return found;
}

static void
check_same_throughput(const struct sf_throughput *a,
                      const struct sf_throughput *b)
{
    CHECK(a->lower == b->lower && a->upper == b->upper);
    CHECK(a->net_lower == b->net_lower && a->net_upper == b->net_upper);
    CHECK(a->host == b->host && a->even == b->even);
    CHECK_EQ(a->method, b->method);
    CHECK_EQ(a->n_paths, b->n_paths);
    CHECK_EQ(a->n_rounds, b->n_rounds);
}

static bool
has_same_metrics(const struct sf_path_metrics *a,
                 const struct sf_path_metrics *b)
{
    bool is_same = a->n_pairs == b->n_pairs && a->n_layers == b->n_layers &&
                   a->is_per_host == b->is_per_host;

    for (int i = 0; i < SF_N_PATH_METRICS; i++) {
        is_same = is_same && a->by[i].n_bins == b->by[i].n_bins &&
                  !memcmp(a->by[i].bins, b->by[i].bins,
                          a->by[i].n_bins * sizeof *a->by[i].bins);
    }
    return is_same;
}

/* The row of a scheme is what the switches would run, with paths that obey
 * lanes: to the last bit the same as the tables, and not what a routing free
 * of lanes can do. */
static void
check_deployed(const char *spec, uint32_t n_path_sets)
{
    static const char *const traffics[] = { "switch-permutation:distance=2",
                                            "permutation" };
    uint64_t seed = 7;
    struct deployed deployed = deploy(spec, n_path_sets, seed);
    struct sf_comparison_row rows[3];
    struct sf_comparison_params params = {
        .name = spec,
        .network = deployed.network,
        .n_rows = 3,
        .rows = rows,
        .n_traffics = 2,
        .traffics = traffics,
        .seed = seed,
    };
    struct sf_comparison *comparison;

    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQ(sf_comparison_row_parse("gates", 4, &rows[i], NULL), SF_OK);
        rows[i].routing.n_path_sets = n_path_sets;
    }
    rows[1].routing.without_lanes = true;
    rows[2].given = deployed.routes;
    CHECK_EQ(sf_comparison_build(&params, &comparison, NULL), SF_OK);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t split = i / 2, traffic = i % 2;
        struct sf_throughput expected =
            measure_deployed(&deployed, traffics[traffic], split, seed);
        const struct sf_throughput *with =
            sf_comparison_run(comparison, 0, split, traffic, 0);
        check_same_throughput(with, &expected);
        check_same_throughput(
            sf_comparison_run(comparison, 2, split, traffic, 0), &expected);
        /* Equal shares may come to the same by chance: they are fractions
         * of small numbers. */
        CHECK(split ||
              with->lower !=
                  sf_comparison_run(comparison, 1, split, traffic, 0)->lower);
    }
    const struct sf_comparison_result *results = comparison->results;
    CHECK(has_same_metrics(results[0].metrics, results[2].metrics));
    CHECK(!has_same_metrics(results[0].metrics, results[1].metrics));
    CHECK_STR(results[0].lanes.scheme, "turns");
    CHECK(results[0].lanes.n_vls > 1);
    CHECK_STR(results[1].lanes.scheme, "");
    CHECK_EQ(results[1].lanes.n_vls, 0);
    CHECK_STR(results[2].lanes.scheme, "");
    sf_comparison_free(comparison);
    sf_routes_free(deployed.routes);
    sf_network_free(deployed.network);
}

TEST(comparison_measures_what_is_deployed)
{
    check_deployed("sf:q=5", 1);
    check_deployed("sf:q=5", 2);
}

/* Both splits are measured unless one is left out, and the best is best: also
 * where it is found to a gap only. */
TEST(comparison_of_equal_and_best_shares)
{
    struct question question;

    ask(&question);
    for (int i = 0; i < 6; i++) {
        bool *without = question.params.without;
        struct sf_comparison *comparison;
        without[SF_SPLIT_BEST] = i % 3 == 1;
        without[SF_SPLIT_EQUAL] = i % 3 == 2;
        question.params.effort =
            i < 3 ? SF_EFFORT_EXACT : SF_EFFORT_APPROXIMATE;
        question.params.gap = i < 3 ? 0 : 0.5;
        CHECK_EQ(sf_comparison_build(&question.params, &comparison, NULL),
                 SF_OK);
        const struct sf_comparison_result *results = comparison->results;
        CHECK_EQ(results[0].n_splits, i % 3 ? 1 : 2);
        CHECK_EQ(results[0].splits[0],
                 i % 3 == 1 ? SF_SPLIT_EQUAL : SF_SPLIT_BEST);
        CHECK_EQ(results[2].n_splits, 1);
        CHECK_EQ(results[2].splits[0], SF_SPLIT_BEST);
        for (uint32_t k = 0; i % 3 == 0 && k < 8; k++) {
            uint32_t row = k / 4, traffic = k / 2 % 2, seed = k % 2;
            const struct sf_throughput *best =
                sf_comparison_run(comparison, row, 0, traffic, seed);
            const struct sf_throughput *equal =
                sf_comparison_run(comparison, row, 1, traffic, seed);
            CHECK(equal->lower <= best->lower && best->lower <= best->upper);
            CHECK(equal->lower == equal->upper);
            CHECK(equal->net_lower <= equal->even * (1 + 1e-12));
            CHECK(isinf(best->even));
            CHECK_EQ(equal->method, SF_METHOD_CLOSED_FORM);
        }
        sf_comparison_free(comparison);
    }
    forget(&question);
}

TEST(comparison_needs_a_split)
{
    struct question question;
    struct sf_comparison *comparison = UNSET(struct sf_comparison);
    struct sf_error err = { 0 };

    ask(&question);
    question.params.without[SF_SPLIT_BEST] = true;
    CHECK_EQ(sf_comparison_build(&question.params, &comparison, &err),
             SF_EINVAL);
    CHECK(comparison == NULL);
    CHECK_FOR(strstr(err.text, "found neither"), "%s", err.text);
    forget(&question);
}

/* Every so many allocations fail. */
static void
check_nomem(unsigned long step)
{
    struct question question;
    struct sf_comparison *comparison = NULL;
    struct sf_error err;
    unsigned long nth = 0;

    ask(&question);
    question.rows[0].routing.without_lanes = true; /* The other has some. */
    question.params.n_traffics = 0;
    question.params.n_threads = 1;
    question.params.store = NULL;
    do {
        sf_mem_fail_at(nth += step);
    } while (sf_comparison_build(&question.params, &comparison, &err) ==
                 SF_ENOMEM &&
             !comparison);
    sf_mem_fail_at(0);
    CHECK(comparison != NULL);
    CHECK(nth > 50);
    sf_comparison_free(comparison);
    forget(&question);
}

TEST(comparison_nomem)
{
    check_nomem(7);
}

TEST_LONG(comparison_nomem_at_each_allocation)
{
    check_nomem(1);
}
