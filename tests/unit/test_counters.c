/* Counters: readings compared with devices that count event by event, silent
 * ports with their whole past, loads with every pair of hosts; and findings.
 */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "oracle/counters_oracle.h"
#include "slimfly/ib.h"
#include "slimfly/random.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct sf_fabric *
fabric_of(const char *spec, uint32_t lmc)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;
    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, lmc, NULL, NULL), SF_OK);
    sf_topology_free(topo);
    return fabric;
}

static struct sf_counters *
counters_of(const struct sf_fabric *fabric, double at)
{
    struct sf_counters *counters;
    CHECK_EQ(sf_counters_make(fabric, &counters, NULL), SF_OK);
    for (uint32_t i = 0; i < counters->n_ports; i++) {
        counters->ports[i].answer = SF_ANSWER_GIVEN;
        counters->ports[i].at = at;
        counters->ports[i].known = (1u << SF_N_COUNTERS) - 1;
    }
    sf_counters_tally(counters);
    return counters;
}

/* What is read of a device. */
static void
read_device(const struct oracle_device *device, struct sf_port_counters *port,
            uint32_t c)
{
    port->values[c] = device->value;
    if (device->value == device->limit) {
        port->saturated |= 1u << c;
    }
}

TEST(counters_growth_never_exceeds_what_happened)
{
    struct sf_fabric *fabric = fabric_of("hx2:3x3,p=1", 0);
    struct sf_random random;
    uint32_t n_exact = 0, n_at_least = 0, n_resets = 0;

    sf_random_init(&random, 1, 0);
    for (uint32_t round = 0; round < 50; round++) {
        struct sf_counters *before = counters_of(fabric, 10);
        struct sf_counters *after = counters_of(fabric, 12.5);
        uint64_t *truth =
            calloc((size_t)fabric->n_ports * SF_N_COUNTERS, sizeof *truth);
        bool *was_cleared = calloc((size_t)fabric->n_ports * SF_N_COUNTERS,
                                   sizeof *was_cleared);
        CHECK(truth && was_cleared);
        for (uint32_t i = 0; i < fabric->n_ports * SF_N_COUNTERS; i++) {
            uint32_t port = i / SF_N_COUNTERS, c = i % SF_N_COUNTERS;
            struct oracle_device device = { .limit = 15 };
            oracle_count(&device, sf_random_below(&random, 20));
            read_device(&device, &before->ports[port], c);
            uint64_t start = device.n_events;
            oracle_count(&device, sf_random_below(&random, 8));
            was_cleared[i] = sf_random_below(&random, 4) == 0;
            if (was_cleared[i]) {
                oracle_clear(&device);
            }
            oracle_count(&device, sf_random_below(&random, 8));
            read_device(&device, &after->ports[port], c);
            truth[i] = device.n_events - start;
        }
        struct sf_growths *growths;
        CHECK_EQ(sf_counters_compare(before, after, &growths, NULL), SF_OK);
        for (uint32_t i = 0; i < fabric->n_ports * SF_N_COUNTERS; i++) {
            uint32_t c = i % SF_N_COUNTERS;
            const struct sf_port_growth *growth =
                &growths->ports[i / SF_N_COUNTERS];
            CHECK(growth->known >> c & 1);
            CHECK(growth->grown[c] <= truth[i]);
            CHECK(!(growth->reset >> c & 1) || was_cleared[i]);
            CHECK(!(growth->reset >> c & 1) || growth->at_least >> c & 1);
            if (!(growth->at_least >> c & 1) && !was_cleared[i]) {
                CHECK_EQ(growth->grown[c], truth[i]);
                CHECK_NEAR(sf_growth_rate(growth, (enum sf_counter)c),
                           (double)truth[i] / 2.5, 1e-9);
                n_exact++;
            }
            n_at_least += growth->at_least >> c & 1;
            n_resets += growth->reset >> c & 1;
        }
        free(was_cleared);
        free(truth);
        sf_growths_free(growths);
        sf_counters_free(after);
        sf_counters_free(before);
    }
    CHECK(n_exact > 1000 && n_at_least > 1000 && n_resets > 1000);
    sf_fabric_free(fabric);
}

TEST(counters_ports_are_known_by_guid_and_number)
{
    struct sf_fabric *fabric = fabric_of("sf:q=3", 0);
    struct sf_counters *before = counters_of(fabric, 1);
    struct sf_counters *after = counters_of(fabric, 2);
    struct sf_growths *growths;
    uint32_t n = before->n_ports;

    /* The later discovery found them in another order, and two are new or
     * gone. */
    for (uint32_t i = 0; i < n; i++) {
        before->ports[i].values[0] = 100 + i;
        after->ports[n - 1 - i] = before->ports[i];
        after->ports[n - 1 - i].at = 2;
        after->ports[n - 1 - i].values[0] += i;
    }
    after->ports[3].guid = 0x1234;
    after->ports[5].answer = SF_ANSWER_NONE;
    CHECK_EQ(sf_counters_compare(before, after, &growths, NULL), SF_OK);
    for (uint32_t i = 0; i < n; i++) {
        const struct sf_port_growth *growth = &growths->ports[i];
        bool is_known = i != 3 && i != 5;
        CHECK_EQ(growth->known, is_known ? before->ports[0].known : 0);
        CHECK_NEAR(growth->seconds, is_known ? 1 : 0, 0);
        CHECK_EQ(growth->grown[0], is_known ? n - 1 - i : 0);
    }
    CHECK_EQ(growths->n_resets, 0);
    sf_growths_free(growths);
    sf_counters_free(after);
    sf_counters_free(before);
    sf_fabric_free(fabric);
}

TEST(counters_rates_of_links)
{
    CHECK_NEAR(sf_rate_bytes("4xEDR"), 12.5e9, 1);
    CHECK_NEAR(sf_rate_bytes("4xNDR"), 50e9, 1);
    CHECK_NEAR(sf_rate_bytes("1xSDR"), 0.25e9, 1);
    CHECK_NEAR(sf_rate_bytes("12xQDR"), 12e9, 1);
    static const char *const wrong[] = { "",     "EDR",  "xEDR",   "4x",
                                         "4xZZ", "4EDR", "-1xEDR", "999xEDR" };
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        CHECK_NEAR(sf_rate_bytes(wrong[i]), 0, 0);
    }
}

TEST(counters_have_names)
{
    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        CHECK_EQ(sf_counter_find(sf_counter_kinds[c].name), c);
    }
    CHECK_EQ(sf_counter_find("Symbol"), SF_N_COUNTERS);
}

TEST(silence_is_as_its_whole_past_says)
{
    static const char letters[] = "?DAS";
    struct sf_fabric *fabric = fabric_of("sf:q=3", 0);
    struct sf_random random;
    uint32_t n_by_state[3] = { 0 };

    sf_random_init(&random, 2, 0);
    for (uint32_t n_sweeps = 1; n_sweeps <= 32; n_sweeps += n_sweeps / 3 + 1) {
        uint32_t n_silent = 1 + sf_random_below(&random, n_sweeps);
        char past[256][128] = { "" };
        struct sf_silence *silence;
        struct sf_probes *probes;
        CHECK_EQ(sf_silence_new(n_silent, n_sweeps, &silence, NULL), SF_OK);
        CHECK_EQ(sf_probes_make(fabric, &probes, NULL), SF_OK);
        CHECK(probes->n_ports < ARRAY_SIZE(past));
        for (uint32_t sweep = 0; sweep < 100; sweep++) {
            uint32_t n_holes = 0;
            for (uint32_t i = 0; i < probes->n_ports; i++) {
                /* Some ports are mostly silent, others seldom. */
                uint32_t kind = sf_random_below(&random, 40) < 2
                                    ? sf_random_below(&random, 2)
                                    : 2 + (sf_random_below(&random, 10) <
                                           (i + sweep / 25) % 11);
                probes->ports[i].probe = (enum sf_probe)kind;
                past[i][sweep] = letters[kind];
            }
            CHECK_EQ(sf_silence_update(silence, probes, NULL), SF_OK);
            for (uint32_t i = 0; i < probes->n_ports; i++) {
                const struct sf_silence_port *port = sf_silence_find(
                    silence, probes->ports[i].guid, probes->ports[i].number);
                enum sf_silence_state expected =
                    oracle_silence(past[i], n_silent, n_sweeps);
                CHECK_EQ(port ? port->state : SF_SILENCE_FINE, expected);
                n_by_state[expected]++;
                n_holes += expected == SF_SILENCE_BLACK_HOLE;
            }
            CHECK_EQ(silence->n_black_holes, n_holes);
        }
        sf_probes_free(probes);
        sf_silence_free(silence);
    }
    CHECK(n_by_state[0] > 1000 && n_by_state[1] > 1000 &&
          n_by_state[2] > 1000);
    sf_fabric_free(fabric);
}

TEST(silence_refuses_numbers_that_cannot_be)
{
    static const uint32_t wrong[][2] = {
        { 0, 7 }, { 8, 7 }, { 1, 33 }, { 0, 0 }
    };

    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct sf_silence *silence = UNSET(struct sf_silence);
        CHECK_EQ(sf_silence_new(wrong[i][0], wrong[i][1], &silence, NULL),
                 SF_EINVAL);
        CHECK(silence == NULL);
    }
}

/* Minimal tables of 'fabric' in 'n_layers' layers. */
static struct sf_tables *
tables_of(const struct sf_fabric *fabric, uint32_t n_layers)
{
    struct sf_layers_params params = { .scheme = "rues",
                                       .n_layers = n_layers,
                                       .seed = 1 };
    struct sf_network *network;
    struct sf_routes *routes;
    struct sf_tables *tables;
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    CHECK_EQ(sf_routes_make(network, 1, &routes, NULL), SF_OK);
    CHECK_EQ(
        build_layers(network->graph, NULL, &params, &routes->sets[0], NULL),
        SF_OK);
    CHECK_EQ(sf_ib_encode_lfts(network, routes, &tables, NULL), SF_OK);
    sf_routes_free(routes);
    sf_network_free(network);
    return tables;
}

TEST(loads_are_those_of_every_pair)
{
    static const char *const specs[] = {
        "sf:q=3",
        "ft2:ports=8",
        "hx2:3x4,p=2",
        "df:a=4,h=2,p=2",
        "xpander:k=5,lift=6",
        "pf:q=4",
        "jellyfish:n=20,k=5,seed=3",
    };
    struct sf_random random;

    sf_random_init(&random, 3, 0);
    for (size_t k = 0; k < ARRAY_SIZE(specs); k++) {
        struct sf_fabric *fabric = fabric_of(specs[k], 1);
        struct sf_tables *tables = tables_of(fabric, 2);
        double *loads = calloc(fabric->n_ports, sizeof *loads);
        double *expected = calloc(fabric->n_ports, sizeof *expected);
        CHECK(loads && expected);
        /* Wrong entries must not hang it. */
        for (uint32_t wrong = 0; wrong < 2; wrong++) {
            CHECK_EQ(sf_table_loads(fabric, tables, loads, NULL), SF_OK);
            oracle_loads(fabric, tables, expected);
            for (uint32_t i = 0; i < fabric->n_ports; i++) {
                CHECK_NEAR(loads[i], expected[i], 1e-9);
            }
            for (uint32_t i = 0; i < 50; i++) {
                uint32_t s = sf_random_below(&random, fabric->n_switches);
                uint32_t lid = sf_random_below(&random, tables->max_lid + 1);
                sf_tables_of(tables, s)[lid] =
                    (uint8_t)sf_random_below(&random, 256);
            }
        }
        free(expected);
        free(loads);
        sf_tables_free(tables);
        sf_fabric_free(fabric);
    }
}

TEST(thresholds_that_are_shipped)
{
    struct sf_thresholds thresholds;
    struct sf_error err;

    CHECK_EQ(sf_thresholds_default(&thresholds, &err), SF_OK);
    CHECK_EQ(thresholds.counters[SF_COUNTER_SYMBOL_ERRORS].total, 10);
    CHECK_EQ(thresholds.counters[SF_COUNTER_XMIT_DATA].total, SF_NO_THRESHOLD);
    CHECK_EQ(thresholds.n_silent, 5);
    CHECK_EQ(thresholds.n_sweeps, 7);
}

/* Puts 'counters', 'load' and 'silent' together and reads it. */
static enum sf_status
parse(const char *counters, const char *load, const char *silent,
      struct sf_error *err)
{
    struct sf_thresholds thresholds;
    char *text;

    CHECK(asprintf(&text,
                   "{\"schema\": \"slimfly.thresholds\", \"schema_version\": "
                   "1,\n\"counters\": %s, \"load\": %s, \"silent\": %s}",
                   counters, load, silent) > 0);
    enum sf_status status =
        sf_thresholds_parse(text, strlen(text), "file", &thresholds, err);
    free(text);
    return status;
}

TEST(thresholds_that_are_wrong)
{
    static const char load[] =
        "{\"busy\": 0.5, \"hot_times\": 2, \"hot_least\": 0}";
    static const char silent[] = "{\"sweeps\": 7, \"silent\": 5}";
    static const struct {
        const char *counters, *load, *silent, *says;
    } cases[] = {
        { "{\"Nothing\": {}}", load, silent, "counters.Nothing" },
        { "[]", load, silent, "counters: expected an object" },
        { "{\"VL15Dropped\": {\"total\": -1, \"severity\": \"note\"}}", load,
          silent, "counters.VL15Dropped.total: expected a whole number" },
        { "{\"VL15Dropped\": {\"total\": 1, \"severity\": \"bad\"}}", load,
          silent, "severity: expected note, warning or critical" },
        { "{}", "{}", silent, "load.busy" },
        { "{}", "{\"busy\": 7}", silent, "load.busy" },
        { "{}",
          "{\"busy\": 0, \"hot_times\": 2, \"hot_least\": 0, "
          "\"hot_traffic\": 2}",
          silent, "load.hot_traffic" },
        { "{}", load, "{\"sweeps\": 3, \"silent\": 5}", "silent.silent" },
        { "{}", load, "{\"sweeps\": 33, \"silent\": 5}", "silent.sweeps" },
        { "{", load, silent, "expected JSON" },
    };
    struct sf_error err;

    CHECK_EQ(parse("{}", load, silent, &err), SF_OK);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK_EQ(
            parse(cases[i].counters, cases[i].load, cases[i].silent, &err),
            SF_EPARSE);
        CHECK_FOR(strstr(err.text, cases[i].says) && strstr(err.text, "file"),
                  "%s", err.text);
    }
}

/* A planned fabric as found, read twice. */
struct scene {
    struct sf_plan *plan;
    struct sf_fabric *fabric;
    struct sf_verification *verification;
    struct sf_counters *before, *after;
    struct sf_growths *growths;
    struct sf_silence *silence;
    struct sf_thresholds thresholds;
    struct sf_counters_view view;
    struct sf_counter_findings *findings;
};

static void
set_scene(struct scene *scene, const char *spec)
{
    struct sf_topology *topo = build("%s", spec);

    *scene = (struct scene){ 0 };
    CHECK_EQ(sf_plan_build(topo, NULL, NULL, &scene->plan, NULL), SF_OK);
    CHECK_EQ(sf_fabric_copy(scene->plan->fabric, &scene->fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(scene->fabric, 0, NULL, NULL), SF_OK);
    CHECK_EQ(sf_thresholds_default(&scene->thresholds, NULL), SF_OK);
    CHECK_EQ(sf_silence_new(2, 3, &scene->silence, NULL), SF_OK);
    scene->before = counters_of(scene->fabric, 100);
    scene->after = counters_of(scene->fabric, 110);
    sf_topology_free(topo);
}

static void
judge(struct scene *scene, bool is_twice)
{
    CHECK_EQ(sf_verify(scene->plan, scene->fabric, NULL, &scene->verification,
                       NULL),
             SF_OK);
    if (is_twice) {
        CHECK_EQ(sf_counters_compare(scene->before, scene->after,
                                     &scene->growths, NULL),
                 SF_OK);
    }
    sf_counters_tally(scene->after);
    scene->view = (struct sf_counters_view){
        .fabric = scene->fabric,
        .counters = scene->after,
        .growths = scene->growths,
        .verification = scene->verification,
        .silence = scene->silence,
    };
    CHECK_EQ(sf_counter_findings_build(&scene->view, &scene->thresholds,
                                       &scene->findings, NULL),
             SF_OK);
}

static void
clear_scene(struct scene *scene)
{
    sf_counter_findings_free(scene->findings);
    sf_silence_free(scene->silence);
    sf_growths_free(scene->growths);
    sf_counters_free(scene->after);
    sf_counters_free(scene->before);
    sf_verification_free(scene->verification);
    sf_fabric_free(scene->fabric);
    sf_plan_free(scene->plan);
}

typedef void write_sentence(const struct sf_counters_view *view,
                            const struct sf_counter_finding *finding,
                            FILE *stream);

/* Whether the sentence about finding 'i' contains 'text'. */
static void
check_says(const struct scene *scene, uint32_t i, write_sentence *write,
           const char *text)
{
    char *said = NULL;
    size_t length;
    FILE *stream = open_memstream(&said, &length);

    CHECK(stream && i < scene->findings->n_findings);
    write(&scene->view, &scene->findings->findings[i], stream);
    fclose(stream);
    bool is_said = strstr(said, text) && !strchr(said, '\n');
    CHECK_FOR(is_said, "\"%s\" is not in \"%s\"", text, said);
    free(said);
}

TEST(findings_of_one_reading)
{
    struct scene scene;

    set_scene(&scene, "sf:q=5");
    uint32_t port = sf_fabric_port(scene.fabric, 0, 5);
    struct sf_port_counters *counters = &scene.after->ports[port];
    counters->values[SF_COUNTER_SYMBOL_ERRORS] = 65535;
    counters->saturated = 1u << SF_COUNTER_SYMBOL_ERRORS;
    counters->values[SF_COUNTER_LINK_DOWNED] = 11;
    counters->values[SF_COUNTER_VL15_DROPPED] = 100; /* Just allowed. */
    scene.after->ports[port + 1].values[SF_COUNTER_SYMBOL_ERRORS] = 99;
    scene.after->ports[port + 1].answer = SF_ANSWER_NOT_ASKED;
    judge(&scene, false);
    CHECK_EQ(scene.findings->n_findings, 2);
    const struct sf_counter_finding *finding = scene.findings->findings;
    CHECK_EQ(finding[0].severity, SF_SEVERITY_CRITICAL);
    CHECK_EQ(finding[0].counter, SF_COUNTER_LINK_DOWNED);
    CHECK_EQ(finding[1].counter, SF_COUNTER_SYMBOL_ERRORS);
    CHECK(finding[1].is_at_least && !finding[1].is_growth);
    CHECK_EQ(finding[1].cable, scene.plan->cable_of_port[port]);
    check_says(&scene, 1, sf_counter_finding_write,
               "sf-0-0-0 port 5 (R0 U42) to sf-0-0-1 port 6 (R0 U41), cable "
               "C00201: SymbolErrorCounter is at least 65535, more than 10");
    check_says(&scene, 1, sf_counter_finding_write_remedy,
               "Clean and reseat both ends");
    CHECK_EQ(scene.findings->n_loads, 0);
    clear_scene(&scene);
}

TEST(findings_of_growth)
{
    struct scene scene;

    set_scene(&scene, "sf:q=5");
    for (uint32_t i = 0; i < 3; i++) {
        scene.before->ports[i].values[SF_COUNTER_SYMBOL_ERRORS] = 1000;
        scene.after->ports[i].values[SF_COUNTER_SYMBOL_ERRORS] = 1000;
    }
    scene.after->ports[1].values[SF_COUNTER_SYMBOL_ERRORS] = 1011;
    scene.after->ports[2].values[SF_COUNTER_SYMBOL_ERRORS] = 7;
    judge(&scene, true);
    /* Grown; old; and cleared, with less since than is allowed. */
    CHECK_EQ(scene.findings->n_findings, 3);
    CHECK_EQ(scene.findings->findings[0].kind, SF_FINDING_COUNTER);
    CHECK_EQ(scene.findings->findings[0].value, 11);
    check_says(&scene, 0, sf_counter_finding_write,
               "grew by 11 in 10.0 s, more than 10");
    CHECK_EQ(scene.findings->findings[1].kind, SF_FINDING_OLD_COUNTER);
    CHECK_EQ(scene.findings->findings[1].severity, SF_SEVERITY_NOTE);
    CHECK_EQ(scene.findings->findings[2].kind, SF_FINDING_RESET);
    CHECK_EQ(scene.findings->findings[2].n, 1);
    clear_scene(&scene);
}

/* It was said not to grow. */
TEST(findings_of_a_counter_that_grows_slowly)
{
    struct scene scene;

    set_scene(&scene, "sf:q=5");
    scene.before->ports[1].values[SF_COUNTER_SYMBOL_ERRORS] = 1000;
    scene.after->ports[1].values[SF_COUNTER_SYMBOL_ERRORS] = 1003;
    scene.before->ports[2].values[SF_COUNTER_SYMBOL_ERRORS] = 1000;
    scene.after->ports[2].values[SF_COUNTER_SYMBOL_ERRORS] = 1000;
    judge(&scene, true);
    CHECK_EQ(scene.findings->n_findings, 2);
    CHECK_EQ(scene.findings->findings[0].kind, SF_FINDING_OLD_COUNTER);
    CHECK_EQ(scene.findings->findings[0].grown, 3);
    check_says(&scene, 0, sf_counter_finding_write,
               "it grows slowly, by 3 in 10.0 s");
    check_says(&scene, 0, sf_counter_finding_write_remedy,
               "less than the threshold");
    check_says(&scene, 1, sf_counter_finding_write, "it does not grow now");
    clear_scene(&scene);
}

TEST(findings_of_a_saturated_counter_that_seems_to_rest)
{
    struct scene scene;

    set_scene(&scene, "sf:q=5");
    scene.before->ports[4].values[SF_COUNTER_LINK_DOWNED] = 255;
    scene.after->ports[4].values[SF_COUNTER_LINK_DOWNED] = 255;
    scene.before->ports[4].saturated = 1u << SF_COUNTER_LINK_DOWNED;
    scene.after->ports[4].saturated = 1u << SF_COUNTER_LINK_DOWNED;
    judge(&scene, true);
    CHECK_EQ(scene.findings->n_findings, 1);
    CHECK_EQ(scene.findings->findings[0].kind, SF_FINDING_COUNTER);
    check_says(&scene, 0, sf_counter_finding_write, "is at least 255");
    clear_scene(&scene);
}

TEST(findings_about_loads)
{
    struct scene scene;
    double *predicted;

    set_scene(&scene, "sf:q=5");
    uint32_t n = scene.fabric->n_ports;
    uint32_t hot = sf_fabric_port(scene.fabric, 0, 5);
    uint32_t busy = sf_fabric_port(scene.fabric, 1, 1); /* To a host. */
    predicted = calloc(n, sizeof *predicted);
    CHECK(predicted);
    for (uint32_t i = 0; i < n; i++) {
        /* Every host sends a tenth of what its link carries. */
        predicted[i] = 1;
        scene.after->ports[i].values[SF_COUNTER_XMIT_DATA] = 12500000000;
    }
    scene.after->ports[hot].values[SF_COUNTER_XMIT_DATA] *= 3;
    scene.after->ports[hot + 1].values[SF_COUNTER_XMIT_DATA] *= 2;
    scene.after->ports[busy].values[SF_COUNTER_XMIT_DATA] *= 9;
    judge(&scene, true);
    CHECK_EQ(scene.findings->n_loads, 2 * scene.fabric->n_cables);
    CHECK_EQ(scene.findings->n_by_kind[SF_FINDING_HOT], 0);
    sf_counter_findings_free(scene.findings);
    scene.view.predicted = predicted;
    CHECK_EQ(sf_counter_findings_build(&scene.view, &scene.thresholds,
                                       &scene.findings, NULL),
             SF_OK);
    CHECK_EQ(scene.findings->n_findings, 2);
    CHECK_EQ(scene.findings->findings[0].kind, SF_FINDING_HOT);
    CHECK_NEAR(scene.findings->findings[0].share, 0.3, 1e-9);
    CHECK_NEAR(scene.findings->findings[0].times, 3, 1e-9);
    CHECK_EQ(scene.findings->findings[1].kind, SF_FINDING_BUSY);
    CHECK_EQ(scene.findings->findings[1].severity, SF_SEVERITY_NOTE);
    CHECK_EQ(scene.findings->loads[0].port, busy);
    CHECK_NEAR(scene.findings->host_bytes, 1.25e9, 1);
    /* A host that does not answer: the switch knows what it sends. */
    uint32_t host = scene.fabric->ports[busy].peer;
    scene.growths->ports[host].known = 0;
    scene.growths->ports[busy].grown[SF_COUNTER_RCV_DATA] = 25000000000;
    sf_counter_findings_free(scene.findings);
    CHECK_EQ(sf_counter_findings_build(&scene.view, &scene.thresholds,
                                       &scene.findings, NULL),
             SF_OK);
    CHECK_NEAR(scene.findings->host_bytes, 1.25e9 * 201 / 200, 1);
    free(predicted);
    clear_scene(&scene);
}

static void
judge_again(struct scene *scene)
{
    sf_counter_findings_free(scene->findings);
    CHECK_EQ(sf_counter_findings_build(&scene->view, &scene->thresholds,
                                       &scene->findings, NULL),
             SF_OK);
}

/* Whether the whole text contains 'text'. */
static void
check_text(const struct scene *scene, const char *text)
{
    char *said = NULL;
    size_t length;
    FILE *stream = open_memstream(&said, &length);

    CHECK(stream);
    sf_counters_write_text(&scene->view, scene->findings, stream);
    fclose(stream);
    CHECK_FOR(strstr(said, text), "\"%s\" is not in \"%s\"", text, said);
    free(said);
}

/* One pair of hosts sends on a fabric that is idle otherwise: its links carry
 * far more than uniform traffic of all hosts would bring there, and nothing is
 * wrong. */
TEST(findings_about_loads_of_an_idle_fabric)
{
    struct scene scene;

    set_scene(&scene, "sf:q=5");
    uint32_t n = scene.fabric->n_ports;
    uint32_t link = sf_fabric_port(scene.fabric, 0, 5);
    double *predicted = calloc(n, sizeof *predicted);
    CHECK(predicted);
    for (uint32_t i = 0; i < n; i++) {
        predicted[i] = 1;
        /* 4.9 %. */
        scene.after->ports[i].values[SF_COUNTER_XMIT_DATA] = 6125000000;
    }
    scene.after->ports[link].values[SF_COUNTER_XMIT_DATA] = 50000000000;
    judge(&scene, true);
    scene.view.predicted = predicted;
    judge_again(&scene);
    CHECK_NEAR(scene.findings->host_share, 0.049, 1e-9);
    CHECK_EQ(scene.findings->n_findings, 0);

    /* With the floor a little lower, the same link is hot. */
    scene.thresholds.hot_traffic = 0.048;
    judge_again(&scene);
    CHECK_EQ(scene.findings->n_by_kind[SF_FINDING_HOT], 1);

    /* A link that is almost full is told in any case. */
    scene.thresholds.hot_traffic = 0.05;
    scene.growths->ports[link].grown[SF_COUNTER_XMIT_DATA] = 110000000000;
    judge_again(&scene);
    CHECK_EQ(scene.findings->n_findings, 1);
    CHECK_EQ(scene.findings->findings[0].kind, SF_FINDING_BUSY);
    CHECK_NEAR(scene.findings->findings[0].times, 0, 0);
    check_says(&scene, 0, sf_counter_finding_write_remedy, "place them apart");
    check_text(&scene, "No link is called hot while hosts send less than 5 % "
                       "of what they can in the mean.\n");

    /* That of a host is its own matter. */
    scene.growths->ports[link].grown[SF_COUNTER_XMIT_DATA] = 0;
    uint32_t host = sf_fabric_port(scene.fabric, 1, 1);
    scene.growths->ports[host].grown[SF_COUNTER_XMIT_DATA] = 110000000000;
    judge_again(&scene);
    CHECK_EQ(scene.findings->n_findings, 1);
    check_says(&scene, 0, sf_counter_finding_write_remedy,
               "the host uses all of its adapter");
    free(predicted);
    clear_scene(&scene);
}

/* One sweep in which port 'silent' of the fabric and its peer are silent. */
static void
sweep(struct scene *scene, uint32_t silent, uint32_t peer)
{
    struct sf_probes *probes;

    CHECK_EQ(sf_probes_make(scene->fabric, &probes, NULL), SF_OK);
    for (uint32_t i = 0; i < probes->n_ports; i++) {
        probes->ports[i].probe =
            i == silent || i == peer ? SF_PROBE_SILENT : SF_PROBE_ANSWERS;
    }
    CHECK_EQ(sf_silence_update(scene->silence, probes, NULL), SF_OK);
    sf_probes_free(probes);
}

TEST(findings_of_black_holes)
{
    struct scene scene;

    set_scene(&scene, "sf:q=5");
    uint32_t port = sf_fabric_port(scene.fabric, 7, 9);
    uint32_t peer = scene.fabric->ports[port].peer;
    /* What discovery cannot see through is not a cable for it. */
    sf_fabric_unplug(scene.fabric, port);
    sweep(&scene, port, peer);
    judge(&scene, false);
    CHECK_EQ(scene.findings->n_findings, 0);
    sweep(&scene, port, peer);
    sf_counter_findings_free(scene.findings);
    CHECK_EQ(sf_counter_findings_build(&scene.view, &scene.thresholds,
                                       &scene.findings, NULL),
             SF_OK);
    /* Both ends are silent, and it is one cable. */
    CHECK_EQ(scene.silence->n_black_holes, 2);
    CHECK_EQ(scene.findings->n_findings, 1);
    CHECK_EQ(scene.findings->findings[0].severity, SF_SEVERITY_CRITICAL);
    CHECK_EQ(scene.findings->findings[0].cable,
             scene.plan->cable_of_port[port]);
    check_says(&scene, 0, sf_counter_finding_write,
               "nobody behind it answered in 2 of 2 sweeps");
    check_says(&scene, 0, sf_counter_finding_write_remedy,
               "slimfly drain sf-0-1-2:9");
    clear_scene(&scene);
}

/* It was critical, and said to be drained, after it had been. */
TEST(findings_of_black_holes_that_are_drained_are_notes)
{
    static const struct {
        const char *list;
        enum sf_severity severity;
    } cases[] = { { "", SF_SEVERITY_CRITICAL },
                  { "link sf-0-1-2[8] sf-0-0-0[8]\n", SF_SEVERITY_CRITICAL },
                  { "# why\nlink sf-0-1-2[9] PEER\n", SF_SEVERITY_NOTE },
                  { "switch sf-0-1-2\n", SF_SEVERITY_NOTE } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        struct sf_drain_list *list;
        char text[200];

        set_scene(&scene, "sf:q=5");
        uint32_t port = sf_fabric_port(scene.fabric, 7, 9);
        const struct sf_port *peer =
            &scene.fabric->ports[scene.fabric->ports[port].peer];
        const char *rest = strstr(cases[i].list, "PEER");
        int n =
            rest ? (int)(rest - cases[i].list) : (int)strlen(cases[i].list);
        (void)snprintf(text, sizeof text, "%.*s", n, cases[i].list);
        if (rest) {
            (void)snprintf(text + n, sizeof text - (size_t)n, "%s[%u]\n",
                           scene.fabric->nodes[peer->node].name, peer->number);
        }
        CHECK_EQ(sf_drain_list_parse(text, strlen(text), "list", &list, NULL),
                 SF_OK);
        sweep(&scene, port, SF_NONE);
        sweep(&scene, port, SF_NONE);
        judge(&scene, false);
        scene.view.drained = list;
        judge_again(&scene);
        CHECK_EQ(scene.findings->n_findings, 1);
        CHECK_EQ(scene.findings->findings[0].severity, cases[i].severity);
        check_says(&scene, 0, sf_counter_finding_write_remedy,
                   cases[i].severity == SF_SEVERITY_NOTE ? "slimfly undrain"
                                                         : "slimfly drain");
        sf_drain_list_free(list);
        clear_scene(&scene);
    }
}

TEST(findings_of_a_silent_host_name_no_drain)
{
    struct scene scene;

    set_scene(&scene, "sf:q=5");
    uint32_t port = sf_fabric_port(scene.fabric, 7, 1);
    sweep(&scene, port, SF_NONE);
    sweep(&scene, port, SF_NONE);
    judge(&scene, false);
    CHECK_EQ(scene.findings->n_findings, 1);
    check_says(&scene, 0, sf_counter_finding_write_remedy,
               "Packets for the host are lost");
    clear_scene(&scene);
}

TEST(findings_name_who_does_not_answer)
{
    struct scene scene;

    set_scene(&scene, "sf:q=5");
    const struct sf_node *node = &scene.fabric->nodes[3];
    for (uint32_t i = 0; i < node->n_ports; i++) {
        scene.after->ports[node->first_port + i].answer = SF_ANSWER_NONE;
    }
    /* A host on it, and another one elsewhere. */
    uint32_t own = scene.fabric->ports[node->first_port].peer;
    scene.after->ports[own].answer = SF_ANSWER_NONE;
    scene.after->ports[scene.fabric->n_ports - 1].answer = SF_ANSWER_REFUSED;
    judge(&scene, false);
    CHECK_EQ(scene.findings->n_findings, 2);
    CHECK_EQ(scene.findings->n_by_kind[SF_FINDING_NO_ANSWER], 2);
    check_says(&scene, 0, sf_counter_finding_write,
               "sf-0-0-3 (R0 U39): 11 ports do not tell their counters, nor "
               "does 1 host on it");
    check_says(&scene, 1, sf_counter_finding_write,
               "node0199 port 1 (R4 U1) to sf-1-4-4 port 4");
    CHECK_EQ(scene.after->n_by_answer[SF_ANSWER_NONE], 12);
    clear_scene(&scene);
}

TEST(metrics_are_written_once_and_escaped)
{
    struct scene scene;
    char *text = NULL;
    size_t length;

    set_scene(&scene, "ft2:leaf=2,core=1,up=1,p=1");
    free(scene.fabric->nodes[0].name);
    scene.fabric->nodes[0].name = strdup("a\"b\\c\n\xff");
    CHECK(scene.fabric->nodes[0].name != NULL);
    judge(&scene, true);
    scene.view.verification = NULL;
    CHECK_EQ(sf_counters_metrics_text(&scene.view, scene.findings, &text,
                                      &length, NULL),
             SF_OK);
    CHECK_EQ(length, strlen(text));
    CHECK(strstr(text, "switch=\"a\\\"b\\\\c??\""));
    CHECK(strstr(text, "infiniband_hca_port_symbol_error_total{guid=\"0x"));
    for (char *line = text; (line = strstr(line, "# TYPE ")); line++) {
        char name[128];
        CHECK_EQ(sscanf(line, "# TYPE %120s", name), 1);
        char again[160];
        snprintf(again, sizeof again, "# TYPE %s ", name);
        CHECK_FOR(!strstr(line + 1, again), "%s twice", name);
    }
    free(text);
    clear_scene(&scene);
}

/* All that allocates, with allocation 'nth' failing. */
static enum sf_status
make_all(const struct scene *scene, const struct sf_tables *tables,
         double *loads, unsigned long nth)
{
    struct sf_counters *counters = NULL;
    struct sf_growths *growths = NULL;
    struct sf_silence *silence = NULL;
    struct sf_probes *probes = NULL;
    struct sf_counter_findings *findings = NULL;
    struct sf_counters_view view = scene->view;

    sf_mem_fail_at(nth);
    enum sf_status status = sf_counters_make(scene->fabric, &counters, NULL);
    if (status == SF_OK) {
        status =
            sf_counters_compare(scene->before, scene->after, &growths, NULL);
    }
    if (status == SF_OK) {
        status = sf_silence_new(1, 1, &silence, NULL);
    }
    if (status == SF_OK) {
        status = sf_probes_make(scene->fabric, &probes, NULL);
    }
    if (status == SF_OK) {
        probes->ports[0].probe = SF_PROBE_SILENT;
        status = sf_silence_update(silence, probes, NULL);
    }
    if (status == SF_OK) {
        status = sf_table_loads(scene->fabric, tables, loads, NULL);
    }
    if (status == SF_OK) {
        view.silence = silence;
        view.growths = growths;
        status = sf_counter_findings_build(&view, &scene->thresholds,
                                           &findings, NULL);
    }
    sf_counter_findings_free(findings);
    sf_probes_free(probes);
    sf_silence_free(silence);
    sf_growths_free(growths);
    sf_counters_free(counters);
    return status;
}

TEST(counters_nomem)
{
    struct scene scene;
    enum sf_status status = SF_ENOMEM;
    unsigned long nth = 1;

    set_scene(&scene, "sf:q=3");
    scene.after->ports[0].values[SF_COUNTER_LINK_DOWNED] = 3;
    judge(&scene, false);
    struct sf_tables *tables = tables_of(scene.fabric, 1);
    double *loads = calloc(scene.fabric->n_ports, sizeof *loads);
    CHECK(loads);
    while (status != SF_OK) {
        status = make_all(&scene, tables, loads, nth++);
        /* What is left to fail, if all went well. */
        void *memory = sf_calloc(1, 1);
        CHECK(status != SF_OK || !memory);
        free(memory);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || status == SF_ENOMEM);
        CHECK(nth < 100);
    }
    CHECK(nth > 10);
    free(loads);
    sf_tables_free(tables);
    clear_scene(&scene);
}
