/* Comparisons: rows from words, measurements kept and found again, errors. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "slimfly/comparison_files.h"
#include "slimfly/tables.h"
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
    struct sf_graph *graph;
    uint32_t n_hosts[18];
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
        .store = { load, save, &question->memory },
    };
    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &question->fabric, NULL),
             SF_OK);
    CHECK_EQ(sf_fabric_graph(question->fabric, &question->graph, NULL, NULL),
             SF_OK);
    sf_fabric_count_hosts(question->fabric, question->n_hosts);
    CHECK_EQ(sf_comparison_row_parse("gates", 2, &question->rows[0], NULL),
             SF_OK);
    CHECK_EQ(sf_comparison_row_parse("rues:0.5", 3, &question->rows[1], NULL),
             SF_OK);
    sf_comparison_row_reference(SF_THROUGHPUT_HOPS, 0, 3, &question->rows[2]);
    question->params = (struct sf_comparison_params){
        .name = "sf:q=3,p=2",
        .fabric = question->fabric,
        .graph = question->graph,
        .n_hosts = question->n_hosts,
        .n_rows = 3,
        .rows = question->rows,
        .n_traffics = 2,
        .traffics = question->traffics,
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
    sf_graph_free(question->graph);
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
        question->n_hosts[0] = 1;
        return true;
    case 5:
        question->rows[1].layers.scheme = "rues:fraction=0.7";
        return true;
    case 6:
        question->rows[0].n_layers = 3;
        return true;
    case 7:
        question->rows[0].n_path_sets = 2;
        return true;
    case 8:
        question->traffics[1] = "adversarial";
        return true;
    default:
        return false;
    }
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
    question.rows[1].layers.scheme = "rues:sets=1,fraction=0.50";
    free(answer(&question.params));
    CHECK_EQ(question.memory.n, n_kept);
    forget(&question);
}

TEST(comparison_rows_from_words)
{
    struct sf_comparison_row row;
    struct sf_error err;

    CHECK_EQ(sf_comparison_row_parse("rues:0.25", 8, &row, NULL), SF_OK);
    CHECK_STR(row.label, "rues:0.25");
    CHECK_STR(row.layers.scheme, "rues:0.25");
    CHECK_EQ(row.n_path_sets, 0);
    CHECK_EQ(row.n_layers, 8);
    CHECK_EQ(sf_comparison_row_parse("ftree", 8, &row, NULL), SF_OK);
    CHECK_EQ(row.n_path_sets, SF_NONE);
    CHECK_EQ(sf_comparison_row_parse("gates:sets=3", 8, &row, NULL), SF_OK);
    CHECK_EQ(row.n_path_sets, 3);
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
    question.rows[1].layers.scheme = "ftree";
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
    } else {
        CHECK_NEAR(again.throughput.lower, measurement->throughput.lower, 0);
        CHECK(again.throughput.upper >= measurement->throughput.upper);
        CHECK_NEAR(again.throughput.net_lower,
                   measurement->throughput.net_lower, 0);
        CHECK_NEAR(again.throughput.net_upper,
                   measurement->throughput.net_upper, 0);
        CHECK_NEAR(again.throughput.host, measurement->throughput.host, 0);
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
    struct sf_layers_params params = { .n_layers = 4, .seed = 1 };
    struct sf_layers *layers;
    struct sf_measurement paths = { 0 };
    struct sf_measurement throughput = { .throughput = {
                                             .lower = 1.0 / 3,
                                             .upper = (double)INFINITY,
                                             .net_lower = 0.1,
                                             .net_upper = 0.7,
                                             .host = 1.0 / 7,
                                             .method = SF_METHOD_APPROXIMATION,
                                             .n_paths = UINT64_C(5000000000),
                                             .n_rounds = 12 } };

    CHECK_EQ(sf_layers_build(topo->graph, NULL, &params, &layers, NULL),
             SF_OK);
    CHECK_EQ(sf_path_metrics_build(topo->graph, NULL, &layers, 1, 1,
                                   &paths.metrics, NULL),
             SF_OK);
    check_same(&paths);
    check_same(&throughput);
    sf_path_metrics_free(paths.metrics);
    sf_layers_free(layers);
    sf_topology_free(topo);
}

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
        "{\"schema\": \"slimfly.measurement\", \"schema_version\": 1, "
        "\"settings\": \"s\", \"paths\": {\"n_layers\": 1, \"n_pairs\": 1, "
        "\"n_incomplete\": 0, \"paths_by_hops\": [[2, 1], [1, 1]]}}",
        "{\"schema\": \"slimfly.measurement\", \"schema_version\": 1, "
        "\"settings\": \"s\", \"paths\": {\"n_layers\": 1, \"n_pairs\": -1}}",
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
}

/* Progress never passes its total, and ends there. */
struct heard {
    uint64_t done, total, n_calls;
};

static void
hear(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct heard *heard = aux;

    CHECK_STR(what, "comparing");
    CHECK(done <= total);
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
    question.params.progress = &progress;
    free(answer(&question.params));
    CHECK_EQ(heard.done, 16000);
    CHECK_EQ(heard.total, 16000);
    CHECK(heard.n_calls > 16);
    forget(&question);
}

TEST(comparison_nomem)
{
    struct question question;
    struct sf_comparison *comparison = NULL;
    struct sf_error err;
    unsigned long nth = 0;

    ask(&question);
    question.params.n_traffics = 0;
    question.params.n_threads = 1;
    question.params.store = NULL;
    do {
        sf_mem_fail_at(++nth);
    } while (sf_comparison_build(&question.params, &comparison, &err) ==
                 SF_ENOMEM &&
             !comparison);
    sf_mem_fail_at(0);
    CHECK(comparison != NULL);
    CHECK(nth > 50);
    sf_comparison_free(comparison);
    forget(&question);
}
