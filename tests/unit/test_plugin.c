/* test_plugin.c -- the parts of the plugin for OpenSM that know nothing of it:
 * options, the status file, and what it remembers from sweep to sweep. */
#define _GNU_SOURCE
#include "base.h"
#include "base/mem.h"
#include "engine.h"
#include "heartbeat.h"
#include "helpers.h"
#include "lanes_helpers.h"
#include "planned.h"
#include "plugin_options.h"
#include "slimfly/audit.h"
#include "slimfly/manager.h"
#include "slimfly/random.h"
#include "slimfly/route_figures.h"
#include "slimfly/settings.h"
#include "status_file.h"
#include "test.h"
#include "traps.h"
#include "whole_file.h"

#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options. */

static void
check_refused(const char *text, const char *says)
{
    struct sf_plugin_options options;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_plugin_options_load(text, &options, &err) != SF_OK,
              "'%s' is not refused", text);
    CHECK_FOR(strstr(err.text, says), "'%s': \"%s\" does not say \"%s\"", text,
              err.text, says);
}

static void
check_file_refused(const char *content, const char *says)
{
    struct temporary file = temporary_write(content);
    char expected[256];

    snprintf(expected, sizeof expected, "%s%s", file.name, says);
    check_refused(file.name, expected);
    temporary_remove(&file);
}

TEST(plugin_options_are_defaults_if_nothing_is_said)
{
    static const char *const texts[] = { NULL, "", " \t" };

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct sf_plugin_options options;
        CHECK_EQ(sf_plugin_options_load(texts[i], &options, NULL), SF_OK);
        CHECK(!options.scheme.scheme && !options.lanes.scheme);
        CHECK_EQ(options.guarantee, SF_DEFAULT_GUARANTEE);
        CHECK_EQ(options.n_layers, 0);
        CHECK_EQ(options.n_path_sets, 0);
        CHECK_EQ(options.max_vls, 0);
        CHECK_EQ(options.seed, 1);
        CHECK_STR(options.status, "");
        CHECK(!options.jobs_keep_minimal);
    }
}

TEST(plugin_options_are_words)
{
    struct sf_plugin_options options;

    CHECK_EQ(sf_plugin_options_load(" scheme=minimal,layers=8 lanes=turns, "
                                    "path_sets=3 "
                                    "max_vls=4 max_hops=5 "
                                    "seed=18446744073709551615 "
                                    "status=/run/s.json plan=/etc/plan "
                                    "base=/var/b guids=/etc/g "
                                    "jobs=/var/j jobs_keep_minimal=yes",
                                    &options, NULL),
             SF_OK);
    CHECK_STR(options.scheme.text, "minimal");
    CHECK_STR(options.lanes.text, "turns");
    CHECK_EQ(options.n_layers, 8);
    CHECK_EQ(options.n_path_sets, 3);
    CHECK_EQ(options.max_vls, 4);
    CHECK_EQ(options.max_hops, 5);
    CHECK_EQ(options.seed, UINT64_MAX);
    CHECK_STR(options.status, "/run/s.json");
    CHECK_STR(options.plan, "/etc/plan");
    CHECK_STR(options.base, "/var/b");
    CHECK_STR(options.guids, "/etc/g");
    CHECK_STR(options.jobs, "/var/j");
    CHECK(options.jobs_keep_minimal);
}

TEST(plugin_options_of_single_schemes)
{
    struct sf_plugin_options options;

    CHECK_EQ(sf_plugin_options_load("scheme=rues:fraction=0.75 max_sls=3",
                                    &options, NULL),
             SF_OK);
    CHECK_STR(options.scheme.text, "rues:fraction=0.75");
    CHECK_EQ(options.max_sls, 3);
    CHECK_EQ(sf_plugin_options_load("scheme=paper:min-hops=3", &options, NULL),
             SF_OK);
    CHECK_STR(options.scheme.text, "paper:min-hops=3");
    /* Commas are of the spec as long as keys are not of the plugin. */
    CHECK_EQ(sf_plugin_options_load("seed=4,scheme=rues:0.75,sets=2,seed=3 "
                                    "layers=2",
                                    &options, NULL),
             SF_OK);
    CHECK_STR(options.scheme.text, "rues:fraction=0.75,sets=2");
    CHECK_EQ(options.scheme.n_sets, 2);
    CHECK_EQ(options.seed, 3);
    CHECK_EQ(options.n_layers, 2);
}

TEST(plugin_options_are_a_file)
{
    struct temporary file =
        temporary_write("# Ours\r\n\n  layers = 2 # of paths\n"
                        "status = /tmp/a b.json\nscheme=updown");
    struct sf_plugin_options options;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_plugin_options_load(file.name, &options, &err) == SF_OK, "%s",
              err.text);
    CHECK_EQ(options.n_layers, 2);
    CHECK_STR(options.scheme.text, "updown");
    CHECK_STR(options.status, "/tmp/a b.json");
    temporary_remove(&file);
}

TEST(plugin_options_that_cannot_be_are_refused)
{
    check_refused("layers", "event_plugin_options: expected key = value, "
                            "found 'layers'");
    check_refused("colour=red",
                  "expected a key: scheme, layers, "
                  "path_sets, lanes, guarantee, max_vls, max_sls, max_hops, "
                  "seed, "
                  "plan, guids, base, status, jobs, jobs_keep_minimal, "
                  "drained, found 'colour'");
    check_refused("layers=0", "expected a whole number from 1 to 128, found "
                              "'0'");
    check_refused("layers=129", "found '129'");
    check_refused("layers=4x", "found '4x'");
    check_refused("layers=-4", "found '-4'");
    check_refused("layers=", "expected a value after the key, found 'layers'");
    check_refused("path_sets=0", "from 1 to 254");
    check_refused("jobs_keep_minimal=1", "expected yes or no, found '1'");
    check_refused("max_vls=16", "from 1 to 15");
    check_refused("seed=18446744073709551616", "whole number from 0");
    check_refused("max_sls=17", "from 1 to 16");
    check_refused("scheme=rues:fraction=1.1",
                  "event_plugin_options: rues:fraction=1.1: fraction = 1.1: "
                  "expected a number above 0 and up to 1");
    check_refused("scheme=rues:nan", "a number above 0 and up to 1");
    check_refused("scheme=rues:.5x", "a number above 0 and up to 1");
    check_refused("scheme=rues:0.5,sed=3",
                  "'sed' is not a key of rues; it has fraction, sets");
    check_refused("scheme=paper:min-hops=0", "from 1 to 64");
    check_refused(
        "scheme=gates:fraction=0.5",
        "'fraction' is not a key of gates; it has for, robust, sets");
    check_refused("scheme=gates:min-hops=2",
                  "'min-hops' is not a key of gates");
    check_refused("scheme=gates:sets=4 path_sets=3",
                  "the scheme gates:sets=4 and path_sets both say how many "
                  "path sets");
    check_refused("rues_fraction=0.5", "found 'rues_fraction'");
    check_refused("scheme=best", "expected a layer scheme: gates, ");
    check_refused("lanes=many", "expected a lane scheme: turns, ");
    check_refused("status=here.json", "expected an absolute path, found "
                                      "'here.json'");
    check_refused("scheme=updown lanes=turns",
                  "the lanes turns are designed together");
    check_refused("/proc/none/options", "/proc/none/options: No such file");
    check_file_refused("layers = 2\n\nlayers: 4\n", ":3: expected key = "
                                                    "value, found 'layers: "
                                                    "4'");
    check_file_refused("\nmax_hops = many", ":2: expected a whole number from "
                                            "1 to 64, found 'many'");
    check_file_refused("\nscheme = updown:first=last",
                       ":2: updown:first=last: first = last: expected tree or "
                       "minimal");
    check_file_refused("scheme = updown\nlanes = turns\n",
                       ": the lanes turns are designed together");
}

/* So that the status file can tell of it. */
TEST(plugin_options_that_are_refused_still_say_where_the_status_is)
{
    struct temporary file =
        temporary_write("layers = no\nseed = -\nstatus = /run/s.json\n");
    struct sf_plugin_options options;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_plugin_options_load(file.name, &options, &err), SF_EPARSE);
    CHECK(strstr(err.text, ":1: ")); /* The first is told. */
    CHECK_STR(options.status, "/run/s.json");
    temporary_remove(&file);
    CHECK_EQ(
        sf_plugin_options_load("layers=no status=/run/s.json", &options, &err),
        SF_EPARSE);
    CHECK_STR(options.status, "/run/s.json");
}

TEST(plugin_options_must_go_with_those_of_opensm)
{
    struct sf_plugin_options options;
    struct sf_error err = { 0 };

    sf_plugin_options_load("layers=5", &options, NULL);
    CHECK_EQ(sf_plugin_options_check(&options, 3, true, &err), SF_OK);
    CHECK_EQ(sf_plugin_options_check(&options, 2, true, &err), SF_EINVAL);
    CHECK(strstr(err.text, "5 layers need addresses: set lmc 3"));
    CHECK_EQ(sf_plugin_options_check(&options, 3, false, &err), SF_OK);
    sf_plugin_options_load("lanes=turns", &options, NULL);
    CHECK_EQ(sf_plugin_options_check(&options, 3, false, &err), SF_EINVAL);
    CHECK(strstr(err.text, "lanes turns need SL-to-VL tables: set qos TRUE"));
    sf_plugin_options_load("scheme=updown", &options, NULL);
    CHECK_EQ(sf_plugin_options_check(&options, 0, false, &err), SF_OK);
}

TEST(plugin_options_are_what_settings_write)
{
    struct sf_layer_spec layers;
    struct sf_lane_spec lanes;
    CHECK_EQ(sf_layer_spec_parse("minimal:sets=3", 0, &layers, NULL), SF_OK);
    CHECK_EQ(sf_lane_spec_parse("turns", &lanes, NULL), SF_OK);
    struct sf_lanes made = { .scheme = lanes.scheme, .n_vls = 4 };
    struct sf_routes routes = { .lanes = &made };
    struct sf_routing routing = { .routes = &routes,
                                  .params.guarantee = SF_PATH_SL };
    struct sf_settings settings = {
        .routing = &routing,
        .layers = &layers,
        .n_layers = 4,
        .n_path_sets = 3,
        .lanes = &lanes,
        .max_vls = 8,
        .seed = 7,
        .status = "/run/status.json",
        .base = "/var/base",
        .plan_path = "/etc/plan.json",
        .guids = "/etc/guids.map",
    };
    struct sf_plugin_options options;
    struct sf_error err = { 0 };
    char *text = NULL;
    size_t length;

    for (size_t i = 0; sf_settings_files[i].name; i++) {
        if (strcmp(sf_settings_files[i].name, "slimfly.conf") == 0) {
            FILE *stream = open_memstream(&text, &length);
            CHECK_EQ(sf_settings_write_file(&settings, &sf_settings_files[i],
                                            stream, &err),
                     SF_OK);
            fclose(stream);
        }
    }
    CHECK(text != NULL);
    CHECK_FOR(sf_plugin_options_parse(text, length, "slimfly.conf", &options,
                                      &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(options.n_layers, 4);
    CHECK_EQ(options.n_path_sets, 3);
    CHECK_EQ(options.seed, 7);
    CHECK_STR(options.scheme.text, "minimal");
    CHECK_STR(options.lanes.text, "turns");
    CHECK_EQ(options.guarantee, SF_PATH_SL);
    CHECK_STR(options.status, "/run/status.json");
    CHECK_STR(options.base, "/var/base");
    CHECK_STR(options.plan, "/etc/plan.json");
    CHECK_STR(options.guids, "/etc/guids.map");
    free(text);
}

/* The engine. */

/* A fabric with LIDs. */
static struct sf_fabric *
make_fabric(const char *spec, uint32_t lmc)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, lmc, NULL, NULL), SF_OK);
    sf_topology_free(topo);
    return fabric;
}

static struct sf_fabric *
copy_of(const struct sf_fabric *fabric)
{
    struct sf_fabric *copy;
    CHECK_EQ(sf_fabric_copy(fabric, &copy, NULL), SF_OK);
    return copy;
}

static const struct sf_routing_params four_layers = {
    .layers = { .n_layers = 4, .seed = 1, .within_parts = true },
};

/* Routes 'fabric', which must come out as 'outcome' and be sound. */
static void
check_route(struct sf_engine *engine, const struct sf_fabric *fabric,
            const struct sf_routing_params *params, uint32_t n_vls,
            enum sf_outcome outcome)
{
    struct sf_engine_result result;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_engine_route(engine, fabric, NULL, params, n_vls, &result,
                              &err) == SF_OK,
              "%s", err.text);
    CHECK_FOR(result.outcome == outcome, "%s, not %s: %s",
              sf_outcome_name(result.outcome), sf_outcome_name(outcome),
              result.reason);
    const struct sf_ib_tables *tables = sf_engine_tables(engine);
    struct sf_audit_params all = { .sl2vl = tables->sl2vl,
                                   .path_sls = tables->path_sls };
    struct sf_audit *audit;
    CHECK_FOR(sf_audit_build(fabric, tables->lfts, &all, &audit, &err) ==
                  SF_OK,
              "%s", err.text);
    CHECK(audit->is_sound == result.is_safe);
    CHECK(audit->n_vls <= n_vls);
    sf_audit_free(audit);
}

/* A port of switch 's' that leads to another switch. */
static uint32_t
link_at(const struct sf_fabric *fabric, uint32_t s)
{
    const struct sf_node *node = &fabric->nodes[s];
    for (uint32_t i = node->first_port; i < node->first_port + node->n_ports;
         i++) {
        if (fabric->ports[i].peer != SF_NONE &&
            fabric->ports[fabric->ports[i].peer].node < fabric->n_switches) {
            return i;
        }
    }
    test_fail(__FILE__, __LINE__, "no link at switch %u", s);
}

static uint64_t
count_changes(const struct sf_tables *a, const struct sf_tables *b)
{
    uint64_t n = 0;
    CHECK_EQ(a->max_lid, b->max_lid);
    for (size_t i = 0; i < a->n_switches * ((size_t)a->max_lid + 1); i++) {
        n += a->ports[i] != b->ports[i];
    }
    return n;
}

static struct sf_tables *
copy_tables(const struct sf_engine *engine)
{
    const struct sf_tables *tables = sf_engine_tables(engine)->lfts;
    struct sf_tables *copy = calloc(1, sizeof *copy);
    size_t size = tables->n_switches * ((size_t)tables->max_lid + 1);
    *copy = *tables;
    copy->targets = NULL;
    copy->ports = malloc(size);
    memcpy(copy->ports, tables->ports, size);
    return copy;
}

TEST(plugin_repairs_and_comes_back)
{
    struct sf_engine *engine;
    struct sf_fabric *whole = make_fabric("sf:q=5", 2);
    struct sf_fabric *hurt = copy_of(whole);

    sf_fabric_unplug(hurt, link_at(hurt, 7));
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    CHECK(!sf_engine_routing(engine));
    CHECK_EQ(sf_engine_path_sl(engine, 1, 2), SF_NO_SL);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_ANEW);
    struct sf_tables *first = copy_tables(engine);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_KEPT);
    check_route(engine, hurt, &four_layers, 8, SF_OUTCOME_REPAIRED);
    uint64_t n_changed = count_changes(first, sf_engine_tables(engine)->lfts);
    CHECK(n_changed > 0 && n_changed < 42500 / 10);
    check_route(engine, hurt, &four_layers, 8, SF_OUTCOME_KEPT);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_REPAIRED);
    CHECK_EQ(count_changes(first, sf_engine_tables(engine)->lfts), 0);
    check_route(engine, whole, &four_layers, 15, SF_OUTCOME_KEPT);
    sf_tables_free(first);
    sf_engine_free(engine);
    sf_fabric_free(hurt);
    sf_fabric_free(whole);
}

/* The fabric of base goes through a file, from one life to the next. */
/* A switch that was replaced while it was drained: its links came back one by
 * one, and the status said for ever that some were missing. */
TEST(plugin_sees_drained_links_come_back_between_two_steps)
{
    struct sf_engine *engine;
    struct sf_engine_result began, next;
    struct sf_fabric *whole = make_fabric("sf:q=4", 2);
    struct sf_fabric *drained = copy_of(whole);

    sf_fabric_unplug(drained, link_at(drained, 3));
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_ANEW);
    CHECK_EQ(sf_engine_route(engine, drained, drained, &four_layers, 8, &began,
                             NULL),
             SF_OK);
    CHECK_EQ(began.outcome, SF_OUTCOME_REPAIRED);
    CHECK_EQ(began.difference.n_lost_links, 1);
    CHECK_EQ(
        sf_engine_route(engine, drained, whole, &four_layers, 8, &next, NULL),
        SF_OK);
    CHECK_EQ(next.outcome, SF_OUTCOME_KEPT);
    sf_engine_result_go_on(&next, &began);
    CHECK_EQ(next.outcome, SF_OUTCOME_REPAIRED);
    CHECK_EQ(next.difference.n_lost_links, 0);
    sf_engine_free(engine);
    sf_fabric_free(drained);
    sf_fabric_free(whole);
}

TEST(plugin_recalls_its_base)
{
    struct temporary file = temporary_write("");
    struct sf_engine *engine;
    struct sf_fabric *whole = make_fabric("sf:q=5", 2), *kept;
    struct sf_fabric *hurt = copy_of(whole), *other;
    struct sf_routing_params params = four_layers;

    params.n_path_sets = 2;
    sf_fabric_unplug(hurt, link_at(hurt, 7));
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, whole, &params, 8, SF_OUTCOME_ANEW);
    struct sf_tables *first = copy_tables(engine);
    check_route(engine, hurt, &params, 8, SF_OUTCOME_REPAIRED);
    struct sf_tables *second = copy_tables(engine);
    CHECK_EQ(sf_base_save(whole, file.name, NULL), SF_OK);
    sf_engine_free(engine);

    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    CHECK_EQ(sf_base_load(file.name, &kept, NULL), SF_OK);
    sf_engine_set_base_fabric(engine, kept);
    check_route(engine, hurt, &params, 8, SF_OUTCOME_REPAIRED);
    CHECK_EQ(count_changes(second, sf_engine_tables(engine)->lfts), 0);
    check_route(engine, whole, &params, 8, SF_OUTCOME_REPAIRED);
    CHECK_EQ(count_changes(first, sf_engine_tables(engine)->lfts), 0);
    sf_engine_free(engine);

    /* What is kept does not matter where it is of something else. */
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    other = make_fabric("sf:q=4", 2);
    sf_engine_set_base_fabric(engine, other);
    check_route(engine, hurt, &params, 8, SF_OUTCOME_ANEW);
    /* What another manager made base takes the place of what was base here,
     * even if what is current would do. */
    sf_engine_set_base_fabric(engine, copy_of(whole));
    check_route(engine, hurt, &params, 8, SF_OUTCOME_REPAIRED);
    CHECK_EQ(count_changes(second, sf_engine_tables(engine)->lfts), 0);
    check_route(engine, hurt, &params, 8, SF_OUTCOME_KEPT);
    sf_engine_set_base_fabric(engine, copy_of(whole));
    check_route(engine, whole, &params, 8, SF_OUTCOME_REPAIRED);
    CHECK_EQ(count_changes(first, sf_engine_tables(engine)->lfts), 0);
    sf_engine_set_base_fabric(engine,
                              copy_of(whole)); /* Freed with the engine. */
    sf_engine_free(engine);

    temporary_remove(&file);
    CHECK_EQ(sf_base_load(file.name, &kept, NULL), SF_OK);
    CHECK(!kept);
    CHECK_EQ(sf_base_save(whole, "/proc/none/base", NULL), SF_EIO);
    sf_tables_free(second);
    sf_tables_free(first);
    sf_fabric_free(hurt);
    sf_fabric_free(whole);
}

TEST(plugin_routes_anew_what_it_does_not_know)
{
    struct sf_engine *engine;
    struct sf_fabric *whole = make_fabric("sf:q=4", 1);
    struct sf_fabric *hurt = copy_of(whole);
    struct sf_routing_params two_layers = four_layers;

    sf_fabric_unplug(hurt, link_at(hurt, 3));
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, hurt, &four_layers, 8, SF_OUTCOME_ANEW);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_ANEW);
    check_route(engine, hurt, &four_layers, 8, SF_OUTCOME_REPAIRED);
    two_layers.layers.n_layers = 2;
    check_route(engine, hurt, &two_layers, 8, SF_OUTCOME_ANEW);
    check_route(engine, hurt, &four_layers, 8, SF_OUTCOME_ANEW);
    sf_engine_free(engine);
    sf_fabric_free(hurt);
    sf_fabric_free(whole);
}

/* The plugin had layer 0 go up and down, 'slimfly route' had shortest paths
 * there: one name, two routings, and the second needed 8 VLs on sf:q=4. */
TEST(plugin_and_route_have_one_updown_and_it_needs_one_lane)
{
    struct sf_fabric *fabric = make_fabric("sf:q=4", 0);
    struct sf_plugin_options options;
    struct sf_engine *engine;
    struct sf_routing *routing;
    struct sf_routing_params route = {
        .layers = { .scheme = "updown", .n_layers = 1, .seed = 1 },
        .max_vls = 1,
    };

    CHECK_EQ(sf_plugin_options_load("scheme=updown", &options, NULL), SF_OK);
    struct sf_routing_params plugin = {
        .layers = { .scheme = options.scheme.text,
                    .n_layers = 1,
                    .may_exceed = true,
                    .seed = options.seed,
                    .within_parts = true },
    };
    struct sf_network *network;
    struct sf_tables *tables;
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    CHECK_EQ(sf_routing_build(network, &route, &routing, NULL), SF_OK);
    CHECK_EQ(
        sf_ib_encode_lfts(routing->network, routing->routes, &tables, NULL),
        SF_OK);
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, fabric, &plugin, 1, SF_OUTCOME_ANEW);
    CHECK_EQ(count_changes(tables, sf_engine_tables(engine)->lfts), 0);
    CHECK_EQ(routing->routes->lanes->n_vls, 1);
    CHECK_EQ(sf_engine_routing(engine)->routes->lanes->n_vls, 1);
    sf_engine_free(engine);
    sf_tables_free(tables);
    sf_network_free(network);
    sf_routing_free(routing);
    sf_fabric_free(fabric);
}

/* Routes 'fabric' by 'spec' and returns how that came out. */
static enum sf_outcome
route_by(struct sf_engine *engine, const struct sf_fabric *fabric,
         const char *spec, uint32_t n_path_sets)
{
    char text[SF_SCHEME_SIZE]; /* Gone after the call, as a caller's may be. */
    struct sf_routing_params params = {
        .layers = { .scheme = text, .n_layers = 2 }, .n_path_sets = n_path_sets
    };
    struct sf_engine_result result;

    snprintf(text, sizeof text, "%s", spec);
    CHECK_EQ(sf_engine_route(engine, fabric, NULL, &params, 15, &result, NULL),
             SF_OK);
    return result.outcome;
}

/* Other words for the same change nothing; an option of a scheme does. */
TEST(plugin_knows_a_spec_by_what_it_means)
{
    struct sf_fabric *fabric = make_fabric("sf:q=4", 1);
    static const struct {
        const char *spec;
        uint32_t n_path_sets;
        enum sf_outcome outcome;
    } cases[] = {
        { "rues:0.5", 0, SF_OUTCOME_ANEW },
        { "rues:sets=1,fraction=0.50", 0, SF_OUTCOME_KEPT },
        { "rues:0.5", 1, SF_OUTCOME_KEPT },
        { "rues:0.4", 0, SF_OUTCOME_ANEW },
        { "rues:0.4,sets=2", 0, SF_OUTCOME_ANEW },
        { "rues:0.4", 2, SF_OUTCOME_KEPT },
        { "paper", 0, SF_OUTCOME_ANEW },
        { "paper:min-hops=2", 0, SF_OUTCOME_ANEW },
        { "paper:min-hops=02", 0, SF_OUTCOME_KEPT },
        { "updown:first=minimal", 0, SF_OUTCOME_ANEW },
        { "updown", 0, SF_OUTCOME_ANEW },
        { "updown:first=tree", 0, SF_OUTCOME_KEPT },
    };
    struct sf_engine *engine;

    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        CHECK_FOR(route_by(engine, fabric, cases[i].spec,
                           cases[i].n_path_sets) == cases[i].outcome,
                  "%s is not %s", cases[i].spec,
                  sf_outcome_name(cases[i].outcome));
    }
    sf_engine_free(engine);
    sf_fabric_free(fabric);
}

/* Turns for layers by gates need some lanes; without them there are paths
 * within one, and with them again what was before. */
TEST(plugin_falls_back_if_lanes_do_not_do)
{
    struct sf_engine *engine;
    struct sf_fabric *fabric = make_fabric("sf:q=5", 2);
    struct sf_routing_params params = four_layers;

    params.layers.scheme = "gates";
    params.lanes = "turns";
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, fabric, &params, 1, SF_OUTCOME_FALLBACK);
    CHECK_EQ(sf_engine_routing(engine)->routes->lanes->n_vls, 1);
    CHECK_STR(sf_engine_routing(engine)->params.layers.scheme, "ordered");
    check_route(engine, fabric, &params, 1, SF_OUTCOME_KEPT);
    check_route(engine, fabric, &params, 8, SF_OUTCOME_ANEW);
    check_route(engine, fabric, &params, 1, SF_OUTCOME_FALLBACK);
    check_route(engine, fabric, &params, 8, SF_OUTCOME_REPAIRED);
    sf_engine_free(engine);
    sf_fabric_free(fabric);
}

/* A repair of a Fat Tree may need a second lane, which base did without.  If
 * links have one by then, as after QoS was switched off, packets on the second
 * one would be dropped. */
TEST(plugin_repairs_with_the_lanes_that_there_are_now)
{
    struct sf_fabric *whole = make_fabric("ft3:ports=8", 2);
    uint32_t n_repaired = 0, n_anew = 0;

    for (uint64_t seed = 0; seed < 6; seed++) {
        struct sf_engine *engine;
        struct sf_fabric *hurt = copy_of(whole);
        struct sf_random random;
        sf_random_init(&random, seed, 0);
        lanes_unplug(hurt, 8, &random);
        CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
        check_route(engine, whole, &four_layers, 8, SF_OUTCOME_ANEW);
        check_route(engine, hurt, &four_layers, 8, SF_OUTCOME_REPAIRED);
        bool needs_two = sf_engine_routing(engine)->routes->lanes->n_vls == 2;
        check_route(engine, hurt, &four_layers, 1,
                    needs_two ? SF_OUTCOME_ANEW : SF_OUTCOME_KEPT);
        n_anew += needs_two;
        n_repaired += !needs_two;
        sf_engine_free(engine);
        sf_fabric_free(hurt);
    }
    CHECK(n_repaired > 0 && n_anew > 0);
    sf_fabric_free(whole);
}

/* Where nothing was asked for, that is no fallback; and it is left as soon as
 * there are lanes for something better. */
TEST(plugin_takes_the_best_that_lanes_allow)
{
    struct sf_engine *engine;
    struct sf_fabric *fabric = make_fabric("sf:q=5", 2);

    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, fabric, &four_layers, 1, SF_OUTCOME_ANEW);
    CHECK_STR(sf_engine_routing(engine)->params.layers.scheme, "ordered");
    check_route(engine, fabric, &four_layers, 1, SF_OUTCOME_KEPT);
    check_route(engine, fabric, &four_layers, 8, SF_OUTCOME_ANEW);
    CHECK_STR(sf_engine_routing(engine)->params.layers.scheme, "gates");
    sf_engine_free(engine);
    sf_fabric_free(fabric);
}

/* Unplugs a link between switches at random. */
static void
unplug_some_link(struct sf_fabric *fabric, struct sf_random *random)
{
    uint32_t port;

    do {
        uint32_t s = sf_random_below(random, fabric->n_switches);
        port = fabric->nodes[s].first_port +
               sf_random_below(random, fabric->nodes[s].n_ports);
    } while (fabric->ports[port].peer == SF_NONE ||
             fabric->ports[fabric->ports[port].peer].node >=
                 fabric->n_switches);
    sf_fabric_unplug(fabric, port);
}

/* A Dragonfly that had lost three links and a switch got one tree, with 3.26
 * times the mean load on a link, and in a storm of faults lanes that are not
 * safe on any service level. */
TEST(plugin_keeps_layers_and_guarantee_on_a_damaged_dragonfly)
{
    struct sf_engine *engine;
    struct sf_fabric *whole = make_fabric("df:a=4,h=2", 2);
    uint32_t n_others = 0;

    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_ANEW);
    for (uint32_t seed = 0; seed < 8; seed++) {
        struct sf_fabric *damaged = copy_of(whole);
        struct sf_engine_result result;
        struct sf_route_figures figures;
        struct sf_random random;
        sf_random_init(&random, seed, 0);
        const struct sf_node *dead =
            &damaged->nodes[sf_random_below(&random, damaged->n_switches)];
        for (uint32_t i = 0; i < dead->n_ports; i++) {
            if (damaged->ports[dead->first_port + i].peer != SF_NONE) {
                sf_fabric_unplug(damaged, dead->first_port + i);
            }
        }
        for (uint32_t i = 0; i < 3 + seed % 3; i++) {
            unplug_some_link(damaged, &random);
        }
        CHECK_EQ(sf_engine_route(engine, damaged, NULL, &four_layers, 8,
                                 &result, NULL),
                 SF_OK);
        const struct sf_routing *routing = sf_engine_routing(engine);
        CHECK(result.outcome == SF_OUTCOME_REPAIRED ||
              result.outcome == SF_OUTCOME_ANEW);
        CHECK_EQ(routing->params.layers.n_layers, 4);
        CHECK(sf_lanes_ignore_sls(routing->routes->lanes));
        CHECK_EQ(sf_route_figures_measure(routing->network, routing->routes,
                                          &figures, NULL),
                 SF_OK);
        CHECK_FOR((double)figures.max_load < 2.2 * figures.mean_load,
                  "seed %u: %.2f times the mean", seed,
                  (double)figures.max_load / figures.mean_load);
        n_others += result.outcome == SF_OUTCOME_ANEW;
        sf_fabric_free(damaged);
    }
    CHECK(n_others > 0);
    sf_engine_free(engine);
    sf_fabric_free(whole);
}

static void
remove_host(struct sf_fabric *fabric, uint32_t port)
{
    sf_ib_change_port(fabric, fabric->ports[port].peer)->lid = 0;
    sf_fabric_unplug(fabric, port);
}

/* A host that comes goes the way of those beside it; the first on a switch
 * has nobody to follow. */
TEST(plugin_knows_hosts_by_their_lids)
{
    struct sf_engine *engine;
    struct sf_fabric *whole = make_fabric("sf:q=4", 1);
    struct sf_fabric *fewer = copy_of(whole);
    struct sf_fabric *moved = copy_of(whole);
    const struct sf_node *node = &whole->nodes[9];

    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    remove_host(fewer, node->first_port);
    check_route(engine, fewer, &four_layers, 8, SF_OUTCOME_ANEW);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_REPAIRED);
    for (uint32_t i = 1; i < node->n_ports; i++) {
        uint32_t peer = fewer->ports[node->first_port + i].peer;
        if (peer != SF_NONE && fewer->ports[peer].node >= fewer->n_switches) {
            remove_host(fewer, node->first_port + i);
        }
    }
    sf_engine_free(engine);
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, fewer, &four_layers, 8, SF_OUTCOME_ANEW);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_ANEW);

    /* Two hosts of different switches change places. */
    uint32_t a = moved->nodes[1].first_port, b = moved->nodes[2].first_port;
    uint32_t a_peer = moved->ports[a].peer, b_peer = moved->ports[b].peer;
    sf_fabric_unplug(moved, a);
    sf_fabric_unplug(moved, b);
    sf_fabric_plug(moved, a, b_peer);
    sf_fabric_plug(moved, b, a_peer);
    check_route(engine, moved, &four_layers, 8, SF_OUTCOME_ANEW);
    sf_engine_free(engine);
    sf_fabric_free(moved);
    sf_fabric_free(fewer);
    sf_fabric_free(whole);
}

TEST(plugin_counts_differences)
{
    struct sf_routing *routing;
    struct sf_difference is;
    struct sf_fabric *whole = make_fabric("sf:q=4", 1);
    struct sf_fabric *other = copy_of(whole);

    struct sf_network *network;
    CHECK_EQ(sf_network_build(whole, &network, NULL), SF_OK);
    CHECK_EQ(sf_routing_build(network, &four_layers, &routing, NULL), SF_OK);
    sf_network_free(network);
    CHECK_EQ(sf_ib_compare(routing, other, &is, NULL), SF_OK);
    CHECK_EQ(is.n_lost_links + is.n_lost_hosts + is.n_lost_switches, 0);
    CHECK_EQ(is.n_new_links + is.n_new_hosts + is.n_new_switches, 0);
    CHECK_EQ(is.n_without_paths, 0);

    /* A cable that ends in another port is lost, and a new one. */
    uint32_t a = link_at(other, 5), b = other->ports[a].peer;
    uint32_t c = link_at(other, 0);
    sf_fabric_unplug(other, a);
    sf_fabric_unplug(other, c);
    sf_fabric_plug(other, c, b);
    CHECK_EQ(sf_ib_compare(routing, other, &is, NULL), SF_OK);
    CHECK_EQ(is.n_lost_links, 2);
    CHECK_EQ(is.n_new_links, 1);

    /* Another switch in the place of one: all links of it are others. */
    uint32_t degree = 0;
    const struct sf_node *node = &other->nodes[9];
    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t peer = other->ports[node->first_port + i].peer;
        degree += peer != SF_NONE && other->ports[peer].node < 32;
    }
    other->nodes[9].guid ^= 0xff;
    CHECK_EQ(sf_ib_compare(routing, other, &is, NULL), SF_OK);
    CHECK_EQ(is.n_lost_switches, 1);
    CHECK_EQ(is.n_new_switches, 1);
    CHECK_EQ(is.n_new_links, 1 + degree);
    CHECK_EQ(is.n_new_hosts, 3);
    CHECK_EQ(is.n_without_paths, 4); /* They, and the switch. */
    sf_routing_free(routing);
    sf_fabric_free(other);
    sf_fabric_free(whole);
}

/* A hundred sweeps, each after something went or came back: always sound, and
 * in the end as in the beginning.  That nothing leaks is for the sanitizer to
 * say. */
TEST(plugin_survives_a_hundred_sweeps)
{
    struct sf_engine *engine;
    struct sf_fabric *whole = make_fabric("sf:q=4", 1);
    struct sf_random random;
    struct sf_fabric *fabric = copy_of(whole);

    sf_random_init(&random, 1, 0);
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_ANEW);
    struct sf_tables *first = copy_tables(engine);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t port = (uint32_t)sf_random_below(&random, fabric->n_ports);
        uint32_t peer = whole->ports[port].peer;
        struct sf_engine_result result;
        struct sf_error err = { 0 };
        if (peer != SF_NONE && fabric->ports[port].peer == SF_NONE) {
            sf_fabric_plug(fabric, port, peer);
        } else if (peer != SF_NONE) {
            sf_fabric_unplug(fabric, port);
        }
        if (i % 10 == 9) {
            sf_fabric_free(fabric);
            fabric = copy_of(whole);
        }
        CHECK_FOR(sf_engine_route(engine, fabric, NULL, &four_layers, 8,
                                  &result, &err) == SF_OK,
                  "%s", err.text);
        CHECK(result.is_safe);
    }
    CHECK_EQ(count_changes(first, sf_engine_tables(engine)->lfts), 0);
    sf_tables_free(first);
    sf_engine_free(engine);
    sf_fabric_free(fabric);
    sf_fabric_free(whole);
}

/* Whatever allocation fails, there are tables afterwards. */
TEST(plugin_holds_what_it_has_if_memory_runs_out)
{
    struct sf_engine *engine;
    struct sf_fabric *whole = make_fabric("sf:q=3", 1);
    struct sf_fabric *hurt = copy_of(whole);
    uint32_t n_held = 0;

    sf_fabric_unplug(hurt, link_at(hurt, 3));
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_ANEW);
    for (unsigned long nth = 1; nth < 300; nth++) {
        struct sf_engine_result result;
        sf_mem_fail_at(nth);
        CHECK_EQ(sf_engine_route(engine, nth % 2 ? hurt : whole, NULL,
                                 &four_layers, 8, &result, NULL),
                 SF_OK);
        sf_mem_fail_at(0);
        CHECK(sf_engine_routing(engine) != NULL);
        n_held += result.outcome != SF_OUTCOME_REPAIRED;
    }
    CHECK(n_held > 0);
    check_route(engine, whole, &four_layers, 8, SF_OUTCOME_REPAIRED);
    sf_engine_free(engine);

    sf_mem_fail_at(1);
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_ENOMEM);
    sf_mem_fail_at(0);
    CHECK(!engine);
    sf_fabric_free(hurt);
    sf_fabric_free(whole);
}

/* Path SLs are asked for by several threads while another routes. */
struct asking {
    struct sf_engine *engine;
    _Atomic bool is_over;
    uint32_t n_wrong;
};

static void *
ask(void *aux)
{
    struct asking *asking = aux;
    for (uint32_t i = 0; !asking->is_over; i++) {
        uint8_t sl =
            sf_engine_path_sl(asking->engine, 1 + i % 300, 1 + (i / 7) % 300);
        char name[SF_TRAP_NODE_SIZE];
        sf_engine_find_name(asking->engine, i % 300, name, sizeof name);
        __atomic_fetch_add(&asking->n_wrong, sl > 0 && sl != SF_NO_SL,
                           __ATOMIC_RELAXED);
    }
    return NULL;
}

TEST(plugin_answers_while_it_routes)
{
    struct sf_fabric *whole = make_fabric("sf:q=4", 1);
    struct sf_fabric *hurt = copy_of(whole);
    struct asking asking = { 0 };
    pthread_t threads[3];

    sf_fabric_unplug(hurt, link_at(hurt, 3));
    CHECK_EQ(sf_engine_new(&asking.engine, NULL), SF_OK);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, ask, &asking), 0);
    }
    for (uint32_t i = 0; i < 20; i++) {
        struct sf_engine_result result;
        CHECK_EQ(sf_engine_route(asking.engine, i % 2 ? hurt : whole, NULL,
                                 &four_layers, 8, &result, NULL),
                 SF_OK);
    }
    asking.is_over = true;
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK_EQ(asking.n_wrong, 0);
    CHECK_EQ(sf_engine_path_sl(asking.engine, sf_ib_node(whole, 0)->lid,
                               sf_ib_node(whole, 1)->lid),
             0);
    CHECK_EQ(sf_engine_path_sl(asking.engine, 0, 1), SF_NO_SL);
    CHECK_EQ(sf_engine_path_sl(asking.engine, 1, 65535), SF_NO_SL);
    sf_engine_free(asking.engine);
    sf_fabric_free(hurt);
    sf_fabric_free(whole);
}

TEST(plugin_finds_switches_by_guid)
{
    struct sf_engine *engine;
    struct sf_fabric *fabric = make_fabric("sf:q=4", 0);

    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    CHECK_EQ(sf_engine_switch(engine, fabric->nodes[0].guid), SF_NONE);
    check_route(engine, fabric, &four_layers, 8, SF_OUTCOME_ANEW);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        CHECK_EQ(sf_engine_switch(engine, fabric->nodes[s].guid), s);
        CHECK_EQ(sf_engine_switch(engine, fabric->nodes[s].guid), s);
    }
    CHECK_EQ(sf_engine_switch(engine, 12345), SF_NONE);
    CHECK_EQ(sf_engine_switch(engine, 12345), SF_NONE);
    /* Names are found of hosts, too. */
    char name[SF_TRAP_NODE_SIZE] = "none";
    CHECK(!sf_engine_find_name(engine, 0x1234567, name, sizeof name));
    CHECK_STR(name, "none");
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        CHECK(sf_engine_find_name(engine, fabric->nodes[i].guid, name,
                                  sizeof name));
        CHECK_STR(name, fabric->nodes[i].name);
    }
    sf_engine_free(engine);
    sf_fabric_free(fabric);
}

/* The plan in the place of a base. */

/* The node of 'plan' with the least GUID after 'after', both changed by
 * 'mask'; SF_NONE after the last. */
static uint32_t
next_by_guid(const struct sf_fabric *plan, uint64_t mask, uint64_t after)
{
    uint32_t best = SF_NONE;

    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        uint64_t guid = plan->nodes[i].guid ^ mask;
        if (guid > after &&
            (best == SF_NONE || guid < (plan->nodes[best].guid ^ mask))) {
            best = i;
        }
    }
    return best;
}

/* What OpenSM finds of 'plan', whose GUIDs are changed by 'mask', where switch
 * 'lost' and its hosts are missing: nodes by GUID, with the names and LIDs of
 * 'plan'. */
static struct sf_fabric *
find_planned(const struct sf_fabric *plan, uint64_t mask, uint32_t lost)
{
    uint32_t *numbers = sf_calloc(plan->n_nodes, sizeof *numbers);
    struct sf_fabric_builder *builder;
    struct sf_fabric *found;
    uint64_t last = 0;

    CHECK(numbers != NULL);
    CHECK_EQ(sf_fabric_builder_new(&sf_ib_side, &builder, NULL), SF_OK);
    for (uint32_t i; (i = next_by_guid(plan, mask, last)) != SF_NONE;) {
        struct sf_node node = plan->nodes[i];
        uint32_t peer = plan->ports[node.first_port].peer;
        last = node.guid ^= mask;
        numbers[i] = SF_NONE;
        if (i == lost ||
            (i >= plan->n_switches && plan->ports[peer].node == lost)) {
            continue;
        }
        numbers[i] = sf_fabric_builder_node(builder, &node);
        memcpy(sf_fabric_builder_node_side(builder, numbers[i]),
               sf_ib_node(plan, i), sizeof(struct sf_ib_node));
        for (uint32_t j = 0; i >= plan->n_switches && j < node.n_ports; j++) {
            memcpy(sf_fabric_builder_port_side(builder, numbers[i], j + 1),
                   sf_ib_port(plan, node.first_port + j),
                   sizeof(struct sf_ib_port));
        }
    }
    for (uint32_t i = 0; i < plan->n_ports; i++) {
        const struct sf_port *a = &plan->ports[i];
        if (a->peer != SF_NONE && numbers[a->node] != SF_NONE &&
            numbers[plan->ports[a->peer].node] != SF_NONE) {
            const struct sf_port *b = &plan->ports[a->peer];
            sf_fabric_builder_cable(builder, numbers[a->node], a->number,
                                    numbers[b->node], b->number);
        }
    }
    CHECK_EQ(sf_fabric_builder_end(builder, &found, NULL), SF_OK);
    free(numbers);
    return found;
}

/* The GUID map of a fabric. */
static struct sf_guid_map *
map_of(const struct sf_fabric *fabric)
{
    struct sf_guid_map *map;
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);

    CHECK(stream != NULL);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        fprintf(stream, "0x%llx \"%s\"\n",
                (unsigned long long)fabric->nodes[i].guid,
                fabric->nodes[i].name);
    }
    fclose(stream);
    CHECK_EQ(sf_guid_map_parse(text, "map", &map, NULL), SF_OK);
    free(text);
    return map;
}

static struct sf_fabric *
planned_base(const struct sf_fabric *plan, const struct sf_guid_map *map,
             const struct sf_fabric *found)
{
    struct sf_fabric *base;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_planned_base(plan, map, found, &base, &err) == SF_OK, "%s",
              err.text);
    return base;
}

/* A manager that has seen all of the fabric and one that has the plan only
 * agree, whatever is missing. */
static void
check_agreement(const struct sf_fabric *plan, uint64_t mask, uint32_t lost)
{
    struct sf_fabric *whole = find_planned(plan, mask, SF_NONE);
    struct sf_fabric *hurt = find_planned(plan, mask, lost);
    struct sf_guid_map *map = map_of(whole);
    struct sf_engine *leads, *takes_over;
    struct sf_routing_params params = four_layers;

    params.n_path_sets = 2;
    sf_fabric_unplug(hurt, link_at(hurt, 7));
    CHECK_EQ(sf_engine_new(&leads, NULL), SF_OK);
    check_route(leads, whole, &params, 8, SF_OUTCOME_ANEW);
    check_route(leads, hurt, &params, 8, SF_OUTCOME_REPAIRED);
    CHECK_EQ(sf_engine_new(&takes_over, NULL), SF_OK);
    struct sf_fabric *base = planned_base(plan, mask ? map : NULL, hurt);
    CHECK(base != NULL);
    sf_engine_set_base_fabric(takes_over, base);
    check_route(takes_over, hurt, &params, 8, SF_OUTCOME_REPAIRED);
    CHECK_EQ(count_changes(sf_engine_tables(leads)->lfts,
                           sf_engine_tables(takes_over)->lfts),
             0);
    if (mask && lost != SF_NONE) { /* The GUID of what is lost is not known. */
        CHECK(!planned_base(plan, NULL, hurt));
    }
    sf_engine_free(takes_over);
    sf_engine_free(leads);
    sf_guid_map_free(map);
    sf_fabric_free(hurt);
    sf_fabric_free(whole);
}

TEST(plugin_takes_the_plan_for_base)
{
    struct sf_fabric *plan = make_fabric("sf:q=5", 2);

    check_agreement(plan, 0, SF_NONE);
    check_agreement(plan, 0, 11);
    check_agreement(plan, 0x50, SF_NONE);
    check_agreement(plan, 0x50, 11);
    sf_fabric_free(plan);
}

TEST(plugin_takes_no_plan_for_base_that_does_not_fit)
{
    struct sf_fabric *plan = make_fabric("sf:q=5", 2);
    struct sf_fabric *other = make_fabric("sf:q=4", 2);
    struct sf_fabric *moved = copy_of(plan), *young = copy_of(plan);

    /* Nothing is missing; another fabric; a cable that is not planned; the
     * fabric is still being built. */
    CHECK(!planned_base(plan, NULL, plan));
    CHECK(!planned_base(plan, NULL, other));
    uint32_t a = link_at(moved, 3), b = link_at(moved, 4);
    sf_fabric_unplug(moved, a);
    sf_fabric_unplug(moved, b);
    CHECK(!planned_base(other, NULL, moved));
    struct sf_fabric *base = planned_base(plan, NULL, moved);
    CHECK(base != NULL);
    sf_fabric_free(base);
    sf_fabric_plug(moved, a, b);
    CHECK(!planned_base(plan, NULL, moved));
    for (uint32_t s = 0; s < 10; s++) {
        for (uint32_t i = 0; i < 4; i++) {
            sf_fabric_unplug(young, link_at(young, s));
        }
    }
    CHECK(!planned_base(plan, NULL, young));
    sf_fabric_free(young);
    sf_fabric_free(moved);
    sf_fabric_free(other);
    sf_fabric_free(plan);
}

/* The status file. */

static void
write_status(const struct sf_plugin_status *status, const char *path)
{
    json_t *packed = sf_status_pack(status);
    struct sf_error err = { 0 };

    CHECK_FOR(sf_status_write(packed, path, &err) == SF_OK, "%s", err.text);
    json_decref(packed);
}

/* The member 'key' of a status as it is written; NULL if that is null. */
static char *
written_text(const struct sf_plugin_status *status, const char *key)
{
    struct temporary file = temporary_write("");

    write_status(status, file.name);
    json_t *root = json_load_file(file.name, 0, NULL);
    const char *text = json_string_value(json_object_get(root, key));
    char *copy = text ? sf_strdup(text) : NULL;
    json_decref(root);
    temporary_remove(&file);
    return copy;
}

/* A manager that could route nothing ends, or stands by: its status said
 * "kept" then, while there was nothing to keep. */
TEST(plugin_status_is_not_kept_where_nothing_is)
{
    static const enum sf_plugin_state later[] = {
        SF_STATE_STARTED, SF_STATE_ROUTED,  SF_STATE_UP,
        SF_STATE_FAILED,  SF_STATE_STANDBY, SF_STATE_ENDED,
    };
    struct sf_fabric *fabric = make_fabric("sf:q=4", 1);
    struct sf_plugin_status status = { .opensm = "OpenSM 3.3.23",
                                       .n_routings = 1 };
    struct sf_engine *engine;

    sf_plugin_status_fail(&status, "it rains");
    for (size_t i = 0; i < ARRAY_SIZE(later); i++) {
        status.state = later[i];
        CHECK(!written_text(&status, "outcome"));
    }
    /* Nor is what was routed before kept by a routing that failed. */
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    CHECK_EQ(sf_engine_route(engine, fabric, NULL, &four_layers, 8,
                             &status.result, NULL),
             SF_OK);
    status.routing = sf_engine_routing(engine);
    sf_plugin_status_fail(&status, "it rains");
    status.state = SF_STATE_ENDED;
    CHECK(!written_text(&status, "outcome"));
    sf_engine_free(engine);
    sf_fabric_free(fabric);
}

TEST(plugin_status_is_replaced_as_a_whole)
{
    struct temporary file = temporary_write("something else");
    struct sf_fabric *fabric = make_fabric("sf:q=4", 1);
    struct sf_plugin_status status = { .opensm = "OpenSM 3.3.23",
                                       .state = SF_STATE_UP,
                                       .n_routings = 1,
                                       .routed_at = 86400,
                                       .up_at = 86401,
                                       .n_changed = 12 };
    struct sf_engine *engine;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    CHECK_EQ(sf_engine_route(engine, fabric, NULL, &four_layers, 8,
                             &status.result, &err),
             SF_OK);
    status.routing = sf_engine_routing(engine);
    sf_plugin_warn(&status, "%s", "mind\xff the gap");
    sf_plugin_warn(&status, "%s", "mind\xff the gap");
    for (uint32_t i = 0; i < 2 * SF_MAX_WARNINGS; i++) {
        sf_plugin_warn(&status, "warning %u", i);
    }
    CHECK_EQ(status.n_warnings, SF_MAX_WARNINGS);
    write_status(&status, file.name);
    json_t *root = json_load_file(file.name, 0, NULL);
    CHECK(root != NULL);
    CHECK_STR(json_string_value(json_object_get(root, "schema")),
              "slimfly.status");
    CHECK_STR(json_string_value(json_object_get(root, "state")), "up");
    CHECK_STR(json_string_value(json_object_get(root, "routed_at")),
              "1970-01-02T00:00:00Z");
    CHECK_STR(json_string_value(json_object_get(root, "outcome")), "anew");
    CHECK_STR(json_string_value(
                  json_array_get(json_object_get(root, "warnings"), 0)),
              "mind? the gap");
    json_t *routing = json_object_get(root, "routing");
    CHECK_EQ(json_integer_value(json_object_get(routing, "n_switches")), 32);
    CHECK_EQ(json_integer_value(json_object_get(routing, "n_hosts")), 96);
    CHECK_EQ(json_integer_value(json_object_get(routing, "n_links")), 96);
    json_decref(root);

    status.routing = NULL;
    sf_plugin_status_fail(&status, "it rains");
    status.up_at = 0;
    write_status(&status, file.name);
    root = json_load_file(file.name, 0, NULL);
    CHECK(json_is_null(json_object_get(root, "routing")));
    CHECK(json_is_null(json_object_get(root, "up_at")));
    CHECK(json_is_null(json_object_get(root, "outcome")));
    CHECK_STR(json_string_value(json_object_get(root, "state")), "failed");
    CHECK_STR(json_string_value(json_object_get(root, "reason")), "it rains");
    json_decref(root);
    temporary_remove(&file);
    root = sf_status_pack(&status);
    CHECK_EQ(sf_status_write(root, "/proc/none/status", &err), SF_EIO);
    json_decref(root);
    CHECK(strstr(err.text, "/proc/none/status: No such file"));
    sf_engine_free(engine);
    sf_fabric_free(fabric);
}

/* Who writes and how OpenSM does, as a test says. */
static struct sf_pulse
take_pulse(void *aux)
{
    return *(struct sf_pulse *)aux;
}

static json_t *
beat_and_read(struct sf_heartbeat *heartbeat,
              const struct sf_plugin_status *status, const char *path)
{
    struct sf_error err = { 0 };

    CHECK_FOR(sf_heartbeat_write(heartbeat, status, path, &err) == SF_OK, "%s",
              err.text);
    json_t *root = json_load_file(path, 0, NULL);
    CHECK(root != NULL);
    return root;
}

TEST(plugin_status_has_a_heartbeat)
{
    struct temporary file = temporary_write("");
    struct sf_plugin_status status = { .opensm = "OpenSM 3.3.23",
                                       .state = SF_STATE_UP,
                                       .up_at = 86400 };
    struct sf_pulse pulse = { .sweep_seconds = 10 };
    struct sf_heartbeat *heartbeat;
    struct sf_error err = { 0 };
    char host[256] = "";

    CHECK_EQ(gethostname(host, sizeof host - 1), 0);
    CHECK_EQ(sf_heartbeat_start(take_pulse, &pulse, &heartbeat, NULL), SF_OK);
    json_t *root = beat_and_read(heartbeat, &status, file.name);
    CHECK_EQ(json_integer_value(json_object_get(root, "pid")), getpid());
    CHECK_STR(json_string_value(json_object_get(root, "host")), host);
    CHECK_EQ(json_integer_value(json_object_get(root, "sweep_seconds")), 10);
    CHECK_STR(json_string_value(json_object_get(root, "state")), "up");
    CHECK(json_is_string(json_object_get(root, "heartbeat_at")));
    CHECK(json_is_string(json_object_get(root, "active_at")));
    json_decref(root);

    /* OpenSM has handed over, and said nothing. */
    pulse.is_standby = true;
    root = beat_and_read(heartbeat, &status, file.name);
    CHECK_STR(json_string_value(json_object_get(root, "state")), "standby");
    CHECK(json_is_null(json_object_get(root, "up_at")));
    json_decref(root);
    status.state = SF_STATE_ENDED;
    root = beat_and_read(heartbeat, &status, file.name);
    CHECK_STR(json_string_value(json_object_get(root, "state")), "ended");
    json_decref(root);
    CHECK_EQ(sf_heartbeat_write(heartbeat, &status, "/proc/none/status", &err),
             SF_EIO);
    sf_heartbeat_stop(heartbeat);
    sf_heartbeat_stop(NULL);
    temporary_remove(&file);
}

/* The thread writes the file again by itself. */
TEST_LONG(plugin_heartbeat_beats)
{
    struct temporary file = temporary_write("");
    struct sf_plugin_status status = { .opensm = "OpenSM 3.3.23",
                                       .state = SF_STATE_UP };
    struct sf_pulse pulse = { 0 };
    struct timespec nap = { .tv_nsec = 50000000 };
    struct sf_heartbeat *heartbeat;
    uint32_t n_naps = 0;

    CHECK_EQ(sf_heartbeat_start(take_pulse, &pulse, &heartbeat, NULL), SF_OK);
    json_decref(beat_and_read(heartbeat, &status, file.name));
    CHECK_EQ(unlink(file.name), 0);
    while (access(file.name, F_OK) != 0) {
        CHECK(n_naps++ < 100 * SF_HEARTBEAT_SECONDS * 20);
        nanosleep(&nap, NULL);
    }
    sf_heartbeat_stop(heartbeat);
    temporary_remove(&file);
}

/* What the plugin writes, 'slimfly status' reads. */
TEST(plugin_status_can_be_judged)
{
    struct temporary file = temporary_write("");
    struct sf_plugin_status status = { .opensm = "OpenSM 3.3.23" };
    struct sf_pulse pulse = { 0 };
    struct sf_heartbeat *heartbeat;
    struct sf_manager manager;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_heartbeat_start(take_pulse, &pulse, &heartbeat, NULL), SF_OK);
    for (int state = 0; state < SF_MANAGER_N_STATES; state++) {
        status.state = (enum sf_plugin_state)state;
        CHECK_EQ(sf_heartbeat_write(heartbeat, &status, file.name, NULL),
                 SF_OK);
        CHECK_FOR(sf_manager_read(file.name, &manager, &err) == SF_OK, "%s",
                  err.text);
        CHECK_EQ((int)manager.state, state);
        CHECK_EQ(manager.pid, (uint32_t)getpid());
        CHECK_EQ(manager.heartbeat_seconds, SF_HEARTBEAT_SECONDS);
    }
    sf_heartbeat_stop(heartbeat);
    temporary_remove(&file);
}

/* Names a trap, and counts how often that was asked. */
static void
name_trap(void *aux, struct sf_trap *trap)
{
    uint32_t *n_asked = aux;

    ++*n_asked;
    trap->lid = (uint32_t)(trap->guid & 0xff);
    snprintf(trap->node, sizeof trap->node, "sw-%u", trap->lid);
}

TEST(plugin_keeps_the_latest_traps)
{
    struct sf_traps traps;
    struct sf_trap trap = { .number = 128 };
    uint32_t n_asked = 0;

    sf_traps_init(&traps);
    for (uint64_t i = 1; i <= SF_MAX_TRAPS + 5; i++) {
        trap.guid = 0x100 + i;
        sf_traps_add(&traps, &trap, (time_t)i, name_trap, &n_asked);
    }
    CHECK_EQ(traps.n, SF_MAX_TRAPS);
    CHECK_EQ(traps.n_seen, SF_MAX_TRAPS + 5);
    CHECK_EQ(traps.kept[0].trap.guid, 0x100 + SF_MAX_TRAPS + 5);
    CHECK_EQ(traps.kept[SF_MAX_TRAPS - 1].trap.guid, 0x106);
    CHECK_EQ(n_asked, SF_MAX_TRAPS + 5);

    /* The oldest of them comes again: it is the latest then. */
    trap.guid = 0x106;
    sf_traps_add(&traps, &trap, 1000, name_trap, &n_asked);
    CHECK_EQ(traps.kept[0].trap.guid, 0x106);
    CHECK_EQ(traps.kept[0].count, 2);
    CHECK_EQ(traps.kept[0].last, SF_MAX_TRAPS + 6);
    CHECK_EQ(traps.kept[0].first_at, 6);
    CHECK_EQ(traps.kept[0].last_at, 1000);
    CHECK_STR(traps.kept[0].trap.node, "sw-6");
    CHECK_EQ(traps.kept[1].trap.guid, 0x100 + SF_MAX_TRAPS + 5);
    CHECK_EQ(traps.kept[SF_MAX_TRAPS - 1].trap.guid, 0x107);
    CHECK_EQ(traps.n, SF_MAX_TRAPS);
    CHECK_EQ(n_asked, SF_MAX_TRAPS + 5);

    /* What differs in anything is another trap. */
    struct sf_trap others[] = { trap, trap, trap, trap };
    others[0].number = 144;
    others[1].vendor = 0x2c9;
    others[2].changes = 1;
    others[3].device = 4115;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        sf_traps_add(&traps, &others[i], 2000, name_trap, &n_asked);
        CHECK_EQ(traps.kept[0].count, 1);
    }
    sf_traps_clear(&traps);
}

/* What a thread adds while others do, and the status is written. */
#define N_ADDED 2000

static void *
add_traps(void *aux)
{
    struct sf_traps *traps = aux;
    uint32_t n_asked = 0;

    for (uint32_t i = 0; i < N_ADDED; i++) {
        struct sf_trap trap = { .number = 128, .guid = i % 7 };
        sf_traps_add(traps, &trap, i, name_trap, &n_asked);
    }
    return NULL;
}

TEST(plugin_takes_traps_from_threads)
{
    struct sf_traps traps;
    pthread_t threads[3];
    uint64_t n = 0;

    sf_traps_init(&traps);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, add_traps, &traps), 0);
    }
    for (int i = 0; i < 100; i++) {
        json_t *packed = sf_traps_pack(&traps);
        CHECK(json_array_size(json_object_get(packed, "latest")) <= 7);
        json_decref(packed);
    }
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
        pthread_join(threads[i], NULL);
    }
    for (uint32_t i = 0; i < traps.n; i++) {
        n += traps.kept[i].count;
    }
    CHECK_EQ(traps.n, 7);
    CHECK_EQ(traps.n_seen, ARRAY_SIZE(threads) * N_ADDED);
    CHECK_EQ(n, traps.n_seen);
    sf_traps_clear(&traps);
}

/* A storm moves and names nothing, and the list stays as short as it is. */
TEST(plugin_counts_a_storm_of_traps)
{
    struct sf_traps traps;
    struct sf_trap trap = { .number = 128, .guid = 1 };
    uint32_t n_asked = 0;

    sf_traps_init(&traps);
    for (int i = 0; i < 100000; i++) {
        trap.guid = 1 + (i & 1);
        sf_traps_add(&traps, &trap, i, name_trap, &n_asked);
    }
    CHECK_EQ(traps.n, 2);
    CHECK_EQ(traps.kept[0].count, 50000);
    CHECK_EQ(traps.kept[1].count, 50000);
    CHECK_EQ(traps.kept[0].last, 100000);
    CHECK_EQ(n_asked, 2);
    sf_traps_clear(&traps);
}

static struct sf_pulse
take_traps(void *aux)
{
    return (struct sf_pulse){ .traps = sf_traps_pack(aux) };
}

/* What the list has is in the status, and 'slimfly status' reads it. */
TEST(plugin_status_tells_of_traps)
{
    struct temporary file = temporary_write("");
    struct sf_plugin_status status = { .opensm = "OpenSM 3.3.23" };
    struct sf_heartbeat *heartbeat;
    struct sf_traps traps;
    struct sf_trap trap = { .number = 128, .guid = 0x2c90000000011 };
    struct sf_manager manager;
    struct sf_error err = { 0 };
    char text[SF_TRAP_TEXT_SIZE];
    uint32_t n_asked = 0;

    sf_traps_init(&traps);
    sf_traps_add(&traps, &trap, 86400, name_trap, &n_asked);
    sf_traps_add(&traps, &trap, 86460, name_trap, &n_asked);
    trap.number = 257;
    sf_traps_add(&traps, &trap, 86520, name_trap, &n_asked);
    CHECK_EQ(sf_heartbeat_start(take_traps, &traps, &heartbeat, NULL), SF_OK);
    CHECK_EQ(sf_heartbeat_write(heartbeat, &status, file.name, NULL), SF_OK);
    sf_heartbeat_stop(heartbeat);
    CHECK_FOR(sf_manager_read(file.name, &manager, &err) == SF_OK, "%s",
              err.text);
    CHECK_EQ(manager.n_traps_seen, 3);
    CHECK_EQ(manager.n_traps, 2);
    sf_manager_trap_text(&manager.traps[0], text);
    CHECK_STR(text, "packets with a wrong P_Key came at sw-17");
    CHECK(sf_manager_trap_is_bad(&manager.traps[0]));
    sf_manager_trap_text(&manager.traps[1], text);
    CHECK_STR(text, "link state changed at sw-17");
    CHECK(!sf_manager_trap_is_bad(&manager.traps[1]));
    CHECK_EQ(manager.traps[1].count, 2);
    CHECK_EQ(manager.traps[1].last, 2);
    CHECK_EQ(manager.traps[1].lid, 17);
    CHECK_EQ(manager.traps[1].guid, 0x2c90000000011);
    CHECK_EQ(manager.traps[1].first_at, 86400);
    CHECK_EQ(manager.traps[1].last_at, 86460);
    sf_traps_clear(&traps);
    temporary_remove(&file);
}

TEST(traps_have_words)
{
    static const struct {
        struct sf_manager_trap trap;
        const char *text;
    } cases[] = {
        { { .number = 144, .node = "h" }, "capabilities changed at h" },
        { { .number = 144, .changes = 1, .node = "h" },
          "node description changed at h" },
        { { .number = 144, .changes = 8, .node = "h" },
          "priority of the subnet manager changed at h" },
        { { .number = 144, .changes = 3, .node = "h" },
          "node description and enabled link width changed at h" },
        { { .number = 144, .changes = 7, .node = "h" },
          "node description, enabled link width and enabled link speed "
          "changed at h" },
        { { .number = 144, .changes = 0x10, .node = "h" },
          "settings changed at h" },
        { { .number = 144, .changes = 0x8002, .node = "h" },
          "enabled link width and other settings changed at h" },
        { { .number = 145, .guid = 0xabc },
          "system image GUID changed at the port 0x0000000000000abc" },
        { { .number = 128 },
          "link state changed at a port that is not known" },
        { { .number = 7, .node = "h" }, "notice 7 from h" },
        { { .vendor = 0x2c9, .device = 4115, .node = "h" },
          "notice from device 4115 of vendor 0x0002c9 at h" },
    };
    char text[SF_TRAP_TEXT_SIZE];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sf_manager_trap_text(&cases[i].trap, text);
        CHECK_STR(text, cases[i].text);
    }
}

TEST(plugin_removes_what_killed_ones_left)
{
    struct temporary file = temporary_write("");
    /* Old and ours; young; of another file; not six letters or digits. */
    static const char *const ends[] = { ".plugin-a1B2c3", ".plugin-d4E5f6",
                                        "x.plugin-a1B2c3", ".plugin-a1B2c" };
    static const bool is_old[] = { true, false, true, true };
    struct timespec long_ago[2] = { { .tv_sec = 86400 }, { .tv_sec = 86400 } };
    char path[512];

    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        snprintf(path, sizeof path, "%s%s", file.name, ends[i]);
        FILE *stream = fopen(path, "w");
        CHECK(stream != NULL);
        fclose(stream);
        if (is_old[i]) {
            CHECK_EQ(utimensat(AT_FDCWD, path, long_ago, 0), 0);
        }
    }
    sf_whole_file_sweep(file.name);
    sf_whole_file_sweep("/proc/none/status");
    for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
        snprintf(path, sizeof path, "%s%s", file.name, ends[i]);
        CHECK_FOR((unlink(path) == 0) == (i > 0), "%s", path);
    }
    temporary_remove(&file);
}
