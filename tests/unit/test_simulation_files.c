/* Reports of simulations, with made-up results: every member of the JSON, CSV
 * that is read back, what a table says once and what in columns, results that
 * are kept. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "report/simulation_facts.h"
#include "simulation_cases.h"
#include "slimfly/random.h"
#include "test.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define MAX_ALLOCATIONS 5000
#define MAX_FIELDS      64

static const struct sf_simulation_file *
find_file(const char *name)
{
    const struct sf_simulation_file *file = sf_simulation_files;

    while (file->name && strcmp(file->name, name) != 0) {
        file++;
    }
    CHECK_FOR(file->name, "there is no %s", name);
    return file;
}

/* What the file 'name' says of 'table'; the caller frees it. */
static char *
text_of(const struct sf_simulation_table *table, const char *name)
{
    struct sf_error err = { 0 };
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    enum sf_status status = find_file(name)->write(table, stream, &err);

    fclose(stream);
    CHECK_FOR(status == SF_OK, "%s", err.text);
    CHECK_EQ(strlen(text), size);
    return text;
}

static char *
text_of_kind(enum simulation_kind kind, const char *name)
{
    struct simulation_case *made = simulation_case_make(kind);
    char *text = text_of(&made->table, name);

    simulation_case_free(made);
    return text;
}

static json_t *
json_of(const struct sf_simulation_table *table)
{
    char *text = text_of(table, "simulation.json");
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

    free(text);
    CHECK(root != NULL);
    return root;
}

static json_t *
row_of(json_t *root, size_t i)
{
    json_t *row = json_array_get(json_object_get(root, "rows"), i);
    CHECK(row != NULL);
    return row;
}

static const char *
string_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    CHECK_FOR(text, "%s is no text", key);
    return text;
}

static double
number_of(json_t *object, const char *key)
{
    CHECK_FOR(json_is_number(json_object_get(object, key)), "%s is no number",
              key);
    return json_number_value(json_object_get(object, key));
}

static void
check_null(json_t *object, const char *key)
{
    CHECK_FOR(json_is_null(json_object_get(object, key)), "%s is not null",
              key);
}

TEST(simulation_json_has_every_member)
{
    struct simulation_case *made = simulation_case_make(CASE_MESSAGES);
    json_t *root = json_of(&made->table), *row = row_of(root, 0);

    CHECK_STR(string_of(root, "schema"), "slimfly.simulation");
    CHECK_EQ(number_of(root, "schema_version"), 1);
    CHECK_STR(string_of(root, "program"), made->table.program);
    CHECK_STR(string_of(root, "command"), made->table.command);
    CHECK_EQ(json_array_size(json_object_get(root, "rows")), 8);
    CHECK_STR(string_of(row, "network"), "sf:q=5");
    CHECK_STR(string_of(row, "routing"), "minimal");
    CHECK_EQ(number_of(row, "layers"), 1);
    CHECK_STR(string_of(row, "lanes"), "turns");
    CHECK_EQ(number_of(row, "vls"), 2);
    CHECK_STR(string_of(row, "workload"), "permutation");
    CHECK_EQ(number_of(row, "nodes"), 200);
    CHECK_STR(string_of(row, "placement"), "racks");
    CHECK_STR(string_of(row, "select"), "first");
    CHECK_EQ(number_of(row, "seed"), 1);
    CHECK_STR(string_of(row, "model"), "packet");
    CHECK_STR(string_of(row, "timing"), "slots");
    CHECK_STR(string_of(row, "queues"), "voq");
    CHECK_EQ(number_of(row, "buffer_bytes"), 65536);
    CHECK_EQ(number_of(row, "buffer_packets"), 16);
    CHECK_STR(string_of(row, "net"), "fdr");
    CHECK(json_is_true(json_object_get(row, "finished")));
    CHECK(json_is_false(json_object_get(row, "saturated")));
    check_null(row, "deadlock");
    check_null(row, "offered_load");
    check_null(row, "window");
    check_null(row, "latency_error_s");
    CHECK_EQ(number_of(row, "size_bytes"), 1048576);
    CHECK_NEAR(number_of(row, "time_s"), 1.6e-4 / 0.55, 1e-12);
    CHECK_EQ(number_of(row, "packets"), 1234567);
    CHECK_EQ(number_of(row, "switch_hops"), 3456789);
    CHECK_NEAR(number_of(row, "wall_s"), 0.25, 0);
    CHECK_EQ(json_array_size(json_object_get(row, "jobs")), 1);
    json_decref(root);
    simulation_case_free(made);
}

static void
check_spread(json_t *object, const struct sf_sim_spread *spread)
{
    CHECK_NEAR(number_of(object, "mean"), spread->mean, 1e-8 * spread->mean);
    CHECK_NEAR(number_of(object, "min"), spread->min, 1e-8 * spread->min);
    CHECK_NEAR(number_of(object, "p1"), spread->p1, 1e-8 * spread->p1);
    CHECK_NEAR(number_of(object, "p50"), spread->p50, 1e-8 * spread->p50);
    CHECK_NEAR(number_of(object, "p99"), spread->p99, 1e-8 * spread->p99);
    CHECK_NEAR(number_of(object, "max"), spread->max, 1e-8 * spread->max);
    CHECK_EQ(number_of(object, "n"), spread->n);
}

TEST(simulation_json_has_numbers_of_all_runs)
{
    struct simulation_case *made = simulation_case_make(CASE_SWEEP);
    json_t *root = json_of(&made->table);

    for (uint32_t i = 0; i < made->table.n_rows; i++) {
        const struct sf_simulation_row *row = &made->rows[i];
        json_t *object = row_of(root, i);
        check_spread(json_object_get(object, "rate"), &row->result.rate);
        check_spread(json_object_get(object, "latency_s"),
                     &row->result.latency);
        CHECK_NEAR(number_of(object, "offered_load"), row->params.jobs.load,
                   1e-9);
        CHECK_NEAR(number_of(object, "latency_error_s"),
                   row->result.latency_error, 1e-14);
        CHECK_EQ(json_is_true(json_object_get(object, "finished")),
                 row->result.is_finished);
        CHECK_EQ(json_is_true(json_object_get(object, "saturated")),
                 !row->result.is_finished);
        check_null(object, "size_bytes");
    }
    json_decref(root);
    simulation_case_free(made);
}

TEST(simulation_json_says_null_for_what_flows_do_not_know)
{
    static const char *const keys[] = { "timing",         "queues",
                                        "buffer_bytes",   "buffer_packets",
                                        "latency_s",      "packets",
                                        "switch_hops",    "deadlock",
                                        "latency_error_s" };
    struct simulation_case *made = simulation_case_make(CASE_PAIR);
    json_t *root = json_of(&made->table), *row = row_of(root, 1);

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
        check_null(row, keys[i]);
    }
    CHECK_STR(string_of(row, "model"), "flow");
    CHECK(json_is_object(json_object_get(row, "rate")));
    check_null(json_object_get(row, "link_loads"), "blocked_max");
    json_decref(root);
    simulation_case_free(made);
}

/* Ports are looked for in the fabric itself. */
static uint32_t
find_port(const struct sf_network *network, uint32_t s, uint32_t to,
          uint32_t nth)
{
    const struct sf_fabric *fabric = network->fabric;
    const struct sf_node *node = &fabric->nodes[s];

    for (uint32_t i = 0; i < node->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[node->first_port + i];
        if (port->peer != SF_NONE && fabric->ports[port->peer].node == to &&
            nth-- == 0) {
            return port->number;
        }
    }
    return 0;
}

TEST(simulation_json_names_the_channels_of_a_deadlock)
{
    struct simulation_case *made = simulation_case_make(CASE_DEADLOCK);
    const struct sf_network *network = made->rows[0].network;
    json_t *root = json_of(&made->table), *row = row_of(root, 0);
    json_t *deadlock = json_object_get(row, "deadlock");
    json_t *channels = json_object_get(deadlock, "channels");

    CHECK(json_is_false(json_object_get(row, "finished")));
    CHECK_NEAR(number_of(deadlock, "at_s"), 1.25e-5, 1e-15);
    CHECK_EQ(json_array_size(channels), 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct sf_sim_channel *step = &made->rows[0].result.cycle[i];
        json_t *channel = json_array_get(channels, i);
        CHECK_STR(string_of(channel, "switch"),
                  network->fabric->nodes[step->s].name);
        CHECK_EQ(number_of(channel, "port"),
                 find_port(network, step->s,
                           network->graph->arcs[step->arc].to, 0));
        CHECK_EQ(number_of(channel, "vl"), step->vl);
    }
    check_null(row_of(root, 1), "deadlock");
    json_decref(root);
    simulation_case_free(made);
}

TEST(simulation_json_of_a_bare_graph_has_no_ports)
{
    struct simulation_case *made = simulation_case_make(CASE_DEADLOCK);
    struct sf_network *bare = network_of(made->rows[0].network->graph, NULL);

    for (int i = 0; i < 2; i++) {
        made->rows[0].network = i ? NULL : bare;
        json_t *root = json_of(&made->table);
        json_t *deadlock = json_object_get(row_of(root, 0), "deadlock");
        json_t *channel =
            json_array_get(json_object_get(deadlock, "channels"), 1);
        check_null(channel, "port");
        CHECK(json_is_string(json_object_get(channel, "switch")));
        json_decref(root);
        char *text = text_of(&made->table, "simulation.txt");
        CHECK(strstr(text, " VL 1, which waits for\n"));
        free(text);
    }
    sf_network_free(bare);
    simulation_case_free(made);
}

TEST(simulation_files_never_say_nan_or_infinity)
{
    struct simulation_case *made = simulation_case_make(CASE_ODD);

    for (const struct sf_simulation_file *file = sf_simulation_files;
         file->name; file++) {
        if (file->has && !file->has(&made->table)) {
            continue;
        }
        char *text = text_of(&made->table, file->name);
        CHECK_FOR(!has_word(text, "nan") && !has_word(text, "inf") &&
                      !has_word(text, "infinity") && !has_word(text, "NaN"),
                  "%s", file->name);
        free(text);
    }
    json_t *root = json_of(&made->table), *row = row_of(root, 0);
    check_null(row, "wall_s");
    check_null(row, "routing");
    check_null(row, "lanes");
    CHECK_STR(string_of(row, "network"), "?? k\xc3\xb6");
    CHECK_STR(string_of(row_of(root, 1), "network"), made->rows[1].name);
    CHECK_STR(string_of(row, "seed"), "18446744073709551615");
    json_decref(root);
    simulation_case_free(made);
}

/* Splits a line of 'text' as RFC 4180 has it, written apart from the writer;
 * returns where the next begins. */
static char *
split(char *text, char *fields[MAX_FIELDS], uint32_t *np)
{
    char *to = text;
    bool is_quoted = false;

    *np = 0;
    fields[(*np)++] = to;
    for (; *text && (is_quoted || *text != '\n'); text++) {
        if (is_quoted && text[0] == '"' && text[1] == '"') {
            *to++ = *text++;
        } else if (*text == '"') {
            is_quoted = !is_quoted;
        } else if (*text == ',' && !is_quoted) {
            CHECK(*np < MAX_FIELDS);
            *to++ = '\0';
            fields[(*np)++] = to;
        } else {
            *to++ = *text;
        }
    }
    CHECK_EQ(*text, '\n');
    *to = '\0';
    return text + 1;
}

static const char *
field_of(char *const titles[], char *const fields[], uint32_t n,
         const char *title)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!strcmp(titles[i], title)) {
            return fields[i];
        }
    }
    test_fail(__FILE__, __LINE__, "no column %s", title);
}

static void
check_csv(enum simulation_kind kind)
{
    struct simulation_case *made = simulation_case_make(kind);
    char *text = text_of(&made->table, "simulation.csv");
    char *titles[MAX_FIELDS], *fields[MAX_FIELDS], *at;
    uint32_t n_titles, n;

    at = split(text, titles, &n_titles);
    for (uint32_t i = 0; i < made->table.n_rows; i++) {
        const struct sf_simulation_row *row = &made->rows[i];
        at = split(at, fields, &n);
        CHECK_EQ(n, n_titles);
        CHECK_EQ(atoi(field_of(titles, fields, n, "row")), i + 1);
        CHECK_STR(field_of(titles, fields, n, "network"), row->name);
        CHECK_STR(field_of(titles, fields, n, "workload"),
                  row->params.jobs.workload);
        CHECK_STR(field_of(titles, fields, n, "select"),
                  sf_select_name(row->params.select));
        CHECK_NEAR(atof(field_of(titles, fields, n, "rate_mean")),
                   row->result.rate.mean, 1e-8);
        CHECK_EQ(atoi(field_of(titles, fields, n, "latency_n")),
                 row->result.latency.n);
        CHECK_EQ(*field_of(titles, fields, n, "offered_load") != '\0',
                 row->params.jobs.load > 0);
        CHECK_STR(field_of(titles, fields, n, "deadlock_channels"),
                  row->result.n_cycle ? "3" : "");
    }
    CHECK_EQ(*at, '\0');
    free(text);
    simulation_case_free(made);
}

TEST(simulation_csv_reads_back)
{
    for (int i = 0; i < N_SIMULATION_KINDS; i++) {
        check_csv((enum simulation_kind)i);
    }
}

TEST(simulation_links_are_those_of_the_fabric)
{
    struct simulation_case *made = simulation_case_make(CASE_DEADLOCK);
    const struct sf_simulation_row *row = &made->rows[1];
    const struct sf_network *network = row->network;
    char *text = text_of(&made->table, "links.csv");
    char *fields[MAX_FIELDS], *at;
    uint32_t n;

    at = split(text, fields, &n);
    CHECK_EQ(n, 8);
    for (uint32_t i = 0; i < 2; i++) {
        const struct sf_simulation *result = &made->rows[i].result;
        for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
            uint32_t end = network->graph->first[s + 1];
            for (uint32_t arc = network->graph->first[s]; arc < end; arc++) {
                uint32_t to = network->graph->arcs[arc].to;
                for (uint32_t vl = 0; vl < result->n_vls; vl++) {
                    at = split(at, fields, &n);
                    CHECK_EQ(n, 8);
                    CHECK_EQ(atoi(fields[0]), i + 1);
                    CHECK_STR(fields[1], network->fabric->nodes[s].name);
                    CHECK_EQ(atoi(fields[2]), find_port(network, s, to, 0));
                    CHECK_STR(fields[3], network->fabric->nodes[to].name);
                    CHECK_EQ(atoi(fields[4]), find_port(network, to, s, 0));
                    CHECK_EQ(atoi(fields[5]), vl);
                    CHECK_NEAR(atof(fields[6]),
                               result->loads[arc * result->n_vls + vl], 1e-8);
                    CHECK_NEAR(atof(fields[7]), result->blocked[arc], 1e-8);
                }
            }
        }
    }
    CHECK_EQ(*at, '\0');
    free(text);
    simulation_case_free(made);
}

TEST(simulation_text_says_once_what_all_runs_share)
{
    char *text = text_of_kind(CASE_SINGLE, "simulation.txt");

    CHECK(strstr(text, "sf:q=5, routing minimal, 1 layer, lanes turns, 2 "
                       "VLs\n") == text);
    CHECK(strstr(text, "packet model, timing slots, queues voq, buffer 64 "
                       "KiB a link, 16 packets a VL, net fdr"));
    CHECK(strstr(text, "permutation, messages of 1 MiB, 200 nodes, placement "
                       "racks, select first, seed 1\n"));
    CHECK(!strstr(text, "saturated"));
    free(text);

    text = text_of_kind(CASE_SWEEP, "simulation.txt");
    CHECK(strstr(text, "\nnetwork       routing  layers  lanes  VLs  "
                       "packets/VL  select    load "));
    CHECK(strstr(text, "queues voq, buffer 64 KiB"));
    CHECK(strstr(text, "  saturated\n"));
    CHECK(strstr(text, "\nsaturated: "));
    CHECK(!strstr(text, " \n"));
    free(text);

    text = text_of_kind(CASE_PAIR, "simulation.txt");
    CHECK(strstr(text, "the flow model has no packets, queues or buffers"));
    CHECK(!strstr(text, "latency"));
    free(text);
}

TEST(simulation_text_shows_a_deadlock_as_an_audit_does)
{
    struct simulation_case *made = simulation_case_make(CASE_DEADLOCK);
    const struct sf_network *network = made->rows[0].network;
    char *text = text_of(&made->table, "simulation.txt");
    char line[200];

    CHECK(strstr(text, "  DEADLOCK\n"));
    CHECK(strstr(text, "WRONG deadlock after 12.5 us, 1 layer, first: a "
                       "cycle of 3:\n"));
    for (uint32_t i = 0; i < 3; i++) {
        const struct sf_sim_channel *step = &made->rows[0].result.cycle[i];
        snprintf(line, sizeof line,
                 "\n      %s port %u VL %u, which waits for\n",
                 network->fabric->nodes[step->s].name,
                 sf_network_port(network, step->arc), step->vl);
        CHECK_FOR(strstr(text, line), "%s", line);
    }
    CHECK(strstr(text, "\n      the first again\n"));
    free(text);
    simulation_case_free(made);
}

TEST(simulation_runs_that_are_not_done_are_left_out)
{
    struct simulation_case *made = simulation_case_make(CASE_SWEEP);

    for (uint32_t i = 0; i < made->table.n_rows; i++) {
        made->rows[i].is_done = i == 7;
    }
    json_t *root = json_of(&made->table);
    CHECK_EQ(json_array_size(json_object_get(root, "rows")), 1);
    CHECK_NEAR(number_of(row_of(root, 0), "offered_load"), 0.8, 1e-9);
    json_decref(root);
    char *text = text_of(&made->table, "simulation.txt");
    CHECK(strstr(text, "\n1 of 80 runs are done\n"));
    free(text);

    made->rows[7].is_done = false;
    for (const struct sf_simulation_file *file = sf_simulation_files;
         file->name; file++) {
        CHECK_FOR(!file->has || !file->has(&made->table), "%s", file->name);
        if (!file->has) {
            free(text_of(&made->table, file->name));
        } else if (strstr(file->name, ".svg")) {
            struct sf_error err = { 0 };
            CHECK_EQ(file->write(&made->table, stderr, &err), SF_EINVAL);
            CHECK(err.text[0]);
        }
    }
    simulation_case_free(made);
}

TEST(simulation_figures_are_only_of_what_there_is)
{
    static const struct {
        const char *name;
        enum simulation_kind kind;
        bool has;
    } cases[] = {
        { "latency.svg", CASE_SWEEP, true },
        { "progress.svg", CASE_SWEEP, false },
        { "rates.svg", CASE_SWEEP, true },
        { "load.svg", CASE_SWEEP, true },
        { "latency.svg", CASE_MESSAGES, false },
        { "progress.svg", CASE_MESSAGES, true },
        { "latency.svg", CASE_PAIR, false },
        { "links.csv", CASE_PAIR, true },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct simulation_case *made = simulation_case_make(cases[i].kind);
        CHECK_FOR(find_file(cases[i].name)->has(&made->table) == cases[i].has,
                  "%s of %s", cases[i].name,
                  simulation_kind_names[cases[i].kind]);
        simulation_case_free(made);
    }
}

TEST(simulation_links_need_a_network_that_fits)
{
    struct simulation_case *made = simulation_case_make(CASE_SINGLE);

    CHECK(find_file("links.csv")->has(&made->table));
    made->rows[0].network = made->networks[1];
    CHECK(!find_file("links.csv")->has(&made->table));
    made->rows[0].network = NULL;
    CHECK(!find_file("load.svg")->has(&made->table));
    simulation_case_free(made);
}

/* Two switches with two links; the second carries more in one direction. */
TEST(simulation_map_shows_the_fullest_of_parallel_links)
{
    static const struct sf_link links[] = { { 0, 1 }, { 0, 1 } };
    double loads[] = { 0.625, 0.25, 0.125, 0.375 }, blocked[4] = { 0 };
    struct sf_graph *graph;

    CHECK_EQ(sf_graph_build(2, links, 2, &graph, NULL), SF_OK);
    struct sf_network *network = network_of(graph, NULL);
    struct sf_simulation_row row = { .name = "two",
                                     .network = network,
                                     .is_done = true,
                                     .result = { .n_arcs = 4,
                                                 .n_vls = 1,
                                                 .loads = loads,
                                                 .blocked = blocked } };
    struct sf_simulation_table table = { .rows = &row, .n_rows = 1 };
    char *text = text_of(&table, "load.svg");
    CHECK(strstr(text, "62.5<") && strstr(text, "37.5<"));
    CHECK(!strstr(text, "12.5<") && !strstr(text, "25<"));
    free(text);
    sf_network_free(network);
    sf_graph_free(graph);
}

/* Names of lines differ, and have no word that could be left out of all. */
TEST(simulation_names_tell_configurations_apart)
{
    struct simulation_case *made = simulation_case_make(CASE_SWEEP);
    struct sf_sim_facts facts;
    char names[8][SF_FACT_NAME_SIZE];

    CHECK_EQ(sf_sim_facts_build(&made->table, &facts, NULL), SF_OK);
    CHECK_EQ(facts.n_configs, 8);
    CHECK_EQ(facts.n_rows, 80);
    for (uint32_t i = 0; i < 8; i++) {
        sf_sim_facts_name(&facts, facts.firsts[i], names[i]);
        for (uint32_t k = 0; k < i; k++) {
            CHECK(strcmp(names[i], names[k]) != 0);
        }
    }
    CHECK_STR(names[0], "sf:q=5, 1 layer, first");
    CHECK_STR(names[4], "sf:q=5, 4 layers, adaptive");
    CHECK_STR(names[7], "ft2:ports=36, 1 layer, first");
    for (uint32_t i = 0; i < 80; i++) {
        CHECK_EQ(facts.config_of[i], i / 10);
    }
    sf_sim_facts_clear(&facts);
    simulation_case_free(made);
}

TEST(simulation_names_keep_what_alone_differs)
{
    struct simulation_case *made = simulation_case_make(CASE_MANY);
    struct sf_sim_facts facts;
    char name[SF_FACT_NAME_SIZE];

    CHECK_EQ(sf_sim_facts_build(&made->table, &facts, NULL), SF_OK);
    CHECK_EQ(facts.n_configs, 40);
    sf_sim_facts_name(&facts, 39, name);
    CHECK_STR(name, "ft2:ports=36, 1 layer, first, seed 5");
    sf_sim_facts_clear(&facts);

    struct sf_simulation_row rows[3] = { made->rows[0], made->rows[0],
                                         made->rows[0] };
    struct sf_simulation_table table = { .rows = rows, .n_rows = 3 };
    rows[1].n_vls = 1;
    rows[2].params.net.buffer = 1000;
    CHECK_EQ(sf_sim_facts_build(&table, &facts, NULL), SF_OK);
    CHECK_EQ(facts.n_configs, 3);
    sf_sim_facts_name(&facts, 2, name);
    CHECK_STR(name, "2 VLs, 1000 B a link");
    sf_sim_facts_clear(&facts);
    simulation_case_free(made);
}

/* Any bytes become UTF-8 that is no longer than the room, and what is UTF-8
 * stays. */
TEST(simulation_clean_texts_are_utf8)
{
    struct sf_random random;
    char text[24], clean[24];

    sf_random_init(&random, 7, 0);
    for (int i = 0; i < 20000; i++) {
        uint32_t n = sf_random_below(&random, sizeof text);
        for (uint32_t k = 0; k < n; k++) {
            static const unsigned char likely[] = { 0xe2, 0x82, 0xac, 0xc3,
                                                    0xb6, 0xf0, 0x9f, 0x98 };
            uint32_t byte = 1 + sf_random_below(&random, 255);
            text[k] = (char)(byte & 1 ? likely[byte % 8] : byte);
        }
        text[n] = '\0';
        size_t size = 1 + sf_random_below(&random, sizeof clean);
        sf_sim_clean(text, clean, size);
        CHECK(strlen(clean) < size);
        json_t *value = json_string(clean);
        CHECK_FOR(value, "not UTF-8 in round %d", i);
        json_decref(value);
        for (const char *byte = clean; *byte; byte++) {
            CHECK((unsigned char)*byte >= 0x20);
        }
        value = json_string(text);
        sf_sim_clean(text, clean, sizeof clean);
        if (!value) {
            CHECK(strchr(clean, '?'));
        }
        json_decref(value);
    }
    sf_sim_clean("\xe2\x82\xac 5", clean, sizeof clean);
    CHECK_STR(clean, "\xe2\x82\xac 5");
}

/* Kept results */

static char *
keep(const struct sf_simulation *result, size_t *sizep)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, sizep);

    CHECK_EQ(sf_simulation_write("all \"settings\"", result, stream, NULL),
             SF_OK);
    fclose(stream);
    return text;
}

/* Whether numbers are the same to the last bit. */
static void
check_bits(const void *a, const void *b, size_t size)
{
    CHECK(size == 0 || memcmp(a, b, size) == 0);
}

static void
check_same(const struct sf_simulation *a, const struct sf_simulation *b)
{
    CHECK_EQ(a->is_finished, b->is_finished);
    check_bits(&a->time, &b->time, sizeof a->time);
    CHECK_EQ(a->n_hosts, b->n_hosts);
    CHECK_EQ(a->buffer, b->buffer);
    check_bits(&a->rate, &b->rate, sizeof a->rate);
    check_bits(&a->latency, &b->latency, sizeof a->latency);
    check_bits(&a->latency_error, &b->latency_error, sizeof(double));
    CHECK_EQ(a->n_packets, b->n_packets);
    CHECK_EQ(a->n_switch_hops, b->n_switch_hops);
    check_bits(&a->deadlock_time, &b->deadlock_time, sizeof(double));
    CHECK_EQ(a->n_cycle, b->n_cycle);
    check_bits(a->cycle, b->cycle, a->n_cycle * sizeof *a->cycle);
    CHECK_EQ(a->n_jobs, b->n_jobs);
    for (uint32_t i = 0; i < a->n_jobs; i++) {
        CHECK_EQ(a->jobs[i].n_nodes, b->jobs[i].n_nodes);
        check_bits(&a->jobs[i].time, &b->jobs[i].time, sizeof(double));
        check_bits(&a->jobs[i].rate, &b->jobs[i].rate, sizeof a->rate);
    }
    CHECK_EQ(a->n_arcs, b->n_arcs);
    CHECK_EQ(a->n_vls, b->n_vls);
    check_bits(a->loads, b->loads,
               (size_t)a->n_arcs * a->n_vls * sizeof(double));
    check_bits(a->blocked, b->blocked, a->n_arcs * sizeof(double));
    check_bits(a->rates, b->rates, sizeof a->rates);
    check_bits(a->arrived, b->arrived, sizeof a->arrived);
}

/* Reals of any size. */
static double
any_real(struct sf_random *random)
{
    return ldexp((double)(sf_random_next(random) >> 11),
                 -(int)sf_random_below(random, 120));
}

static void
fill_any(void *reals, size_t size, struct sf_random *random)
{
    double *real = reals;

    for (size_t i = 0; i < size / sizeof *real; i++) {
        real[i] = any_real(random);
    }
}

static void
fill_spread(struct sf_sim_spread *spread, struct sf_random *random)
{
    spread->n = sf_random_next(random) >> 1;
    fill_any(&spread->mean, 6 * sizeof(double), random);
}

/* A result in which every member is something. */
static struct sf_simulation
any_result(struct sf_random *random)
{
    struct sf_simulation result = {
        .is_finished = sf_random_below(random, 2) != 0,
        .time = any_real(random),
        .n_hosts = sf_random_below(random, UINT32_MAX),
        .buffer = sf_random_below(random, UINT32_MAX),
        .latency_error = any_real(random),
        .n_packets = sf_random_next(random) >> 1,
        .n_switch_hops = sf_random_next(random) >> 1,
        .deadlock_time = any_real(random),
        .n_cycle = sf_random_below(random, 5),
        .n_jobs = sf_random_below(random, 4),
        .n_arcs = sf_random_below(random, 30),
        .n_vls = sf_random_below(random, 16),
    };

    fill_spread(&result.rate, random);
    fill_spread(&result.latency, random);
    result.cycle = sf_calloc(result.n_cycle, sizeof *result.cycle);
    for (uint32_t i = 0; i < result.n_cycle; i++) {
        result.cycle[i] =
            (struct sf_sim_channel){ sf_random_below(random, UINT32_MAX),
                                     sf_random_below(random, UINT32_MAX),
                                     sf_random_below(random, 15) };
    }
    result.jobs = sf_calloc(result.n_jobs, sizeof *result.jobs);
    for (uint32_t i = 0; i < result.n_jobs; i++) {
        result.jobs[i].n_nodes = sf_random_below(random, UINT32_MAX);
        result.jobs[i].time = any_real(random);
        fill_spread(&result.jobs[i].rate, random);
    }
    size_t n = (size_t)result.n_arcs * result.n_vls;
    result.loads = sf_calloc(n, sizeof *result.loads);
    result.blocked = sf_calloc(result.n_arcs, sizeof *result.blocked);
    fill_any(result.loads, n * sizeof(double), random);
    fill_any(result.blocked, result.n_arcs * sizeof(double), random);
    for (uint32_t i = 0; i < SF_SIM_N_BINS; i++) {
        result.rates[i] = sf_random_next(random) >> 1;
    }
    fill_any(result.arrived, sizeof result.arrived, random);
    return result;
}

TEST(simulation_results_are_read_as_they_were_written)
{
    struct sf_random random;

    sf_random_init(&random, 5, 0);
    for (int i = 0; i < 100; i++) {
        struct sf_simulation result = any_result(&random), again;
        struct sf_error err = { 0 };
        size_t size;
        char *text = keep(&result, &size);
        enum sf_status status = sf_simulation_parse(
            text, size, "text", "all \"settings\"", &again, &err);
        CHECK_FOR(status == SF_OK, "%s", err.text);
        check_same(&result, &again);
        sf_simulation_clear(&again);
        CHECK_EQ(
            sf_simulation_parse(text, size, "text", "others", &again, &err),
            SF_EPARSE);
        CHECK(!again.loads && !again.jobs);
        free(text);
        sf_simulation_clear(&result);
    }
}

/* Every shorter text is refused, and so is one without any of the members. */
TEST(simulation_results_that_are_wrong_are_refused)
{
    struct sf_random random;
    struct sf_simulation again;
    struct sf_error err;
    size_t size;

    sf_random_init(&random, 5, 1);
    struct sf_simulation result = any_result(&random);
    char *text = keep(&result, &size);
    for (size_t n = 0; n + 1 < size; n += 1 + n / 20) {
        err.text[0] = '\0';
        CHECK_EQ(sf_simulation_parse(text, n, "file", "all \"settings\"",
                                     &again, &err),
                 SF_EPARSE);
        CHECK(strstr(err.text, "file: ") == err.text);
    }
    json_t *root = json_loads(text, 0, NULL);
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value)
    {
        json_t *copy = json_copy(root);
        for (int how = 0; how < 3; how++) {
            if (how == 0) {
                json_object_del(copy, key);
            } else {
                json_object_set_new(copy, key,
                                    how == 1 ? json_string("x")
                                             : json_pack("[s]", "x"));
            }
            char *less = json_dumps(copy, 0);
            CHECK_FOR(sf_simulation_parse(less, strlen(less), "file",
                                          "all \"settings\"", &again,
                                          &err) == SF_EPARSE,
                      "%s, %d", key, how);
            CHECK(!again.loads && !again.jobs && !again.cycle);
            free(less);
        }
        json_decref(copy);
    }
    json_decref(root);
    free(text);
    sf_simulation_clear(&result);
}

/* Loads must be as many as links and VLs say. */
TEST(simulation_results_have_a_load_for_each_link_and_vl)
{
    struct sf_simulation result = { .n_arcs = 2, .n_vls = 2 }, again;
    double loads[4] = { 0.25, 0.5, 0.75, 1 }, blocked[2] = { 0, 0.5 };
    size_t size;

    result.loads = loads;
    result.blocked = blocked;
    char *text = keep(&result, &size);
    char *vls = strstr(text, "\"vls\":2");
    CHECK(vls != NULL);
    for (int n = '1'; n <= '3'; n++) {
        struct sf_error err = { 0 };
        vls[6] = (char)n;
        CHECK_EQ(sf_simulation_parse(text, size, "text", "all \"settings\"",
                                     &again, &err),
                 n == '2' ? SF_OK : SF_EPARSE);
        CHECK(n == '2' || strstr(err.text, "each link and VL"));
        sf_simulation_clear(&again);
    }
    free(text);
}

/* What is infinite comes back so, and what is no number too. */
TEST(simulation_results_may_be_infinite)
{
    struct sf_simulation result = { .time = (double)INFINITY,
                                    .latency_error = (double)NAN };
    struct sf_simulation again;
    size_t size;
    char *text = keep(&result, &size);

    CHECK_EQ(sf_simulation_parse(text, size, "text", "all \"settings\"",
                                 &again, NULL),
             SF_OK);
    CHECK(isinf(again.time) && isinf(again.latency_error));
    sf_simulation_clear(&again);
    free(text);
}

/* Memory */

struct work {
    const struct sf_simulation_table *table;
    const struct sf_simulation_file *file; /* NULL: read 'text'. */
    const char *text;
};

static enum sf_status
do_work(const struct work *work, struct sf_error *err)
{
    struct sf_simulation result;
    char *text = NULL;
    size_t size;

    if (!work->file) {
        enum sf_status status =
            sf_simulation_parse(work->text, strlen(work->text), "text",
                                "all \"settings\"", &result, err);
        sf_simulation_clear(&result);
        return status;
    }
    FILE *stream = open_memstream(&text, &size);
    enum sf_status status = work->file->write(work->table, stream, err);
    fclose(stream);
    free(text);
    return status;
}

/* Returns how many allocations there are. */
static unsigned long
fail_each(const struct work *work)
{
    for (unsigned long nth = 1; nth <= MAX_ALLOCATIONS; nth++) {
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status = do_work(work, &err);
        void *memory = sf_calloc(1, 1);
        bool is_still_to_come = memory == NULL;
        free(memory);
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK_FOR(is_still_to_come, "failure %lu went unnoticed", nth);
            return nth - 1;
        }
        CHECK_EQ(status, SF_ENOMEM);
        CHECK_EQ(err.status, SF_ENOMEM);
    }
    test_fail(__FILE__, __LINE__, "never succeeds");
}

TEST(simulation_files_without_memory)
{
    static const enum simulation_kind kinds[] = { CASE_PAIR, CASE_ODD,
                                                  CASE_MESSAGES };

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct simulation_case *made = simulation_case_make(kinds[i]);
        for (const struct sf_simulation_file *file = sf_simulation_files;
             file->name; file++) {
            if (!file->has || file->has(&made->table)) {
                fail_each(&(struct work){ &made->table, file, NULL });
            }
        }
        simulation_case_free(made);
    }
}

TEST(simulation_results_without_memory)
{
    struct sf_random random;
    size_t size;

    sf_random_init(&random, 5, 2);
    struct sf_simulation result = any_result(&random);
    char *text = keep(&result, &size);
    CHECK_EQ(fail_each(&(struct work){ .text = text }), 4);
    free(text);
    sf_simulation_clear(&result);
}

TEST(simulation_files_are_the_same_every_time)
{
    for (const struct sf_simulation_file *file = sf_simulation_files;
         file->name; file++) {
        if (strcmp(file->name, "progress.svg") != 0) {
            char *first = text_of_kind(CASE_SWEEP, file->name);
            char *second = text_of_kind(CASE_SWEEP, file->name);
            CHECK_STR(first, second);
            free(second);
            free(first);
        }
    }
}
