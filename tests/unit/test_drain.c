/* Links that are drained: the list, what it means on a fabric, and what the
 * plugin makes of it. */
#include "base/mem.h"
#include "drained_links.h"
#include "engine.h"
#include "helpers.h"
#include "slimfly/audit.h"
#include "slimfly/drain.h"
#include "slimfly/lids.h"
#include "slimfly/random.h"
#include "slimfly/route_figures.h"
#include "slimfly/verify.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const families[] = {
    "sf:q=3",
    "ft2:leaf=4,core=2,up=2,p=2",
    "ft3:ports=4",
    "hx2:size=3x3,p=2",
    "df:a=4,h=2,p=2",
    "xpander:k=4,lift=4",
    "jellyfish:n=14,k=4",
    "pf:q=3",
};

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

static struct sf_drain_list *
parse(const char *text)
{
    struct sf_drain_list *list;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_drain_list_parse(text, strlen(text), "list", &list, &err) ==
                  SF_OK,
              "%s", err.text);
    return list;
}

TEST(drain_list_keeps_what_people_wrote)
{
    struct sf_drain_list *list =
        parse("# what is drained\n\n"
              "link sf-0-0-1[5] \"a name\"[254]# flaps\n"
              "  switch \"x\" with-hosts  \n"
              "switch y#no blank\n");
    char name[] = "y";
    struct sf_drain_entry third = { .is_switch = true, .names = { name } };
    bool is_new;

    CHECK_EQ(list->n_lines, 5);
    CHECK_EQ(list->n_entries, 3);
    CHECK(!list->lines[0].is_entry && !list->lines[1].is_entry);
    CHECK_STR(list->lines[2].entry.names[1], "a name");
    CHECK_EQ(list->lines[2].entry.ports[0], 5);
    CHECK_EQ(list->lines[2].entry.ports[1], 254);
    CHECK_STR(list->lines[2].comment, "flaps");
    CHECK(list->lines[3].entry.is_switch && list->lines[3].entry.with_hosts);
    CHECK_STR(list->lines[4].comment, "no blank");

    /* What is there stays as it is; hosts may be added to it. */
    CHECK_EQ(sf_drain_list_add(list, &third, "again", &is_new, NULL), SF_OK);
    CHECK(!is_new && list->n_lines == 5);
    third.with_hosts = true;
    CHECK_EQ(sf_drain_list_add(list, &third, "two\nlines", &is_new, NULL),
             SF_OK);
    CHECK(is_new && list->n_lines == 5 && list->n_entries == 3);
    CHECK_STR(list->lines[4].text, "switch y with-hosts # two lines");

    /* A file has all of it, comments too. */
    struct temporary file = temporary_write("");
    struct sf_drain_list *again;
    CHECK_EQ(sf_drain_list_save(list, file.name, NULL), SF_OK);
    CHECK_EQ(sf_drain_list_load(file.name, &again, NULL), SF_OK);
    CHECK_EQ(again->n_lines, 5);
    for (uint32_t i = 0; i < 5; i++) {
        CHECK_STR(again->lines[i].text, list->lines[i].text);
    }
    CHECK(sf_drain_list_remove(again, &third));
    CHECK(!sf_drain_list_remove(again, &third));
    CHECK_EQ(again->n_entries, 2);
    sf_drain_list_free(again);
    temporary_remove(&file);
    CHECK_EQ(sf_drain_list_load("/nowhere/list", &again, NULL), SF_OK);
    CHECK_EQ(again->n_lines, 0);
    sf_drain_list_free(again);
    sf_drain_list_free(list);
}

TEST(drain_lists_that_cannot_be_are_refused)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "link\n", "list:1: expected the name of a switch, found the end" },
        { "\nlink a b[1]\n", "list:2: expected a port, such as [5]" },
        { "link a[0] b[1]", "list:1: expected a port from [1] to [254]" },
        { "link a[255] b[1]", "expected a port from [1] to [254]" },
        { "link a[1] b[1", "expected a port from [1] to [254]" },
        { "link a[1]", "expected the name of a switch" },
        { "link a[1] b[1] c[1]", "expected the end of the line" },
        { "switch", "expected the name of a switch" },
        { "switch a b",
          "expected the end of the line or a comment, found 'b" },
        { "switch \"a", "expected the name of a switch" },
        { "rack R3", "expected link NAME[PORT] NAME[PORT] or switch NAME" },
    };
    struct sf_drain_list *list;
    struct sf_error err;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        list = UNSET(struct sf_drain_list);
        CHECK_EQ(sf_drain_list_parse(cases[i].text, strlen(cases[i].text),
                                     "list", &list, &err),
                 SF_EPARSE);
        CHECK(!list);
        CHECK_FOR(strstr(err.text, cases[i].says), "'%s': \"%s\"",
                  cases[i].text, err.text);
    }
    CHECK_EQ(sf_drain_list_parse("a\0b", 3, "list", &list, &err), SF_EPARSE);
}

/* Which switches reach each other over links, by marking until nothing is new:
 * written apart from what is tested. */
static void
mark_parts(const struct sf_fabric *fabric, uint32_t *parts)
{
    bool has_changed = true;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        parts[s] = s;
    }
    while (has_changed) {
        has_changed = false;
        for (uint32_t i = 0; i < fabric->n_ports; i++) {
            const struct sf_port *port = &fabric->ports[i];
            if (port->peer == SF_NONE || port->node >= fabric->n_switches ||
                fabric->ports[port->peer].node >= fabric->n_switches) {
                continue;
            }
            uint32_t *a = &parts[port->node];
            uint32_t *b = &parts[fabric->ports[port->peer].node];
            if (*a != *b) {
                *a = *b = *a < *b ? *a : *b;
                has_changed = true;
            }
        }
    }
}

/* Whether hosts that reach each other in 'whole' do so in 'left', but for
 * those of switches that may lose theirs. */
static bool
joins_hosts(const struct sf_fabric *whole, const struct sf_fabric *left,
            const bool *may_lose)
{
    uint32_t n = whole->n_switches;
    uint32_t *before = sf_calloc(n, sizeof *before);
    uint32_t *after = sf_calloc(n, sizeof *after);
    uint32_t *n_hosts = sf_calloc(n, sizeof *n_hosts);
    bool is_fine = true;

    mark_parts(whole, before);
    mark_parts(left, after);
    sf_fabric_count_hosts(whole, n_hosts);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < a; b++) {
            is_fine &= !n_hosts[a] || !n_hosts[b] || may_lose[a] ||
                       may_lose[b] || before[a] != before[b] ||
                       after[a] == after[b];
        }
    }
    free(n_hosts);
    free(after);
    free(before);
    return is_fine;
}

/* A random list for 'fabric'; 'may_lose' gets the switches with hosts. */
static struct sf_drain_list *
make_list(const struct sf_fabric *fabric, struct sf_random *random, uint32_t n,
          bool *may_lose)
{
    struct sf_drain_list *list = parse("");
    struct sf_drain_words words = { 0 };
    struct sf_error err;
    bool is_new;

    for (uint32_t i = 0; i < n; i++) {
        char word[80];
        uint32_t s = sf_random_below(random, fabric->n_switches);
        const struct sf_node *node = &fabric->nodes[s];
        uint32_t port = sf_random_below(random, node->n_ports) + 1;
        bool is_switch = sf_random_below(random, 8) == 0;
        bool with_hosts = is_switch && sf_random_below(random, 2);
        if (is_switch) {
            snprintf(word, sizeof word, "%s", node->name);
        } else {
            snprintf(word, sizeof word, i % 2 ? "%s[%u]" : "%s:%u", node->name,
                     port);
        }
        enum sf_status status =
            sf_drain_find(fabric, NULL, word, with_hosts, &words, &err);
        CHECK(status == SF_OK || status == SF_EINVAL);
    }
    for (uint32_t i = 0; i < words.n; i++) {
        const struct sf_drain_entry *entry = &words.entries[i];
        CHECK_EQ(sf_drain_list_add(list, entry, "", &is_new, &err), SF_OK);
        if (entry->with_hosts) {
            may_lose[sf_fabric_find(fabric, entry->names[0])] = true;
        }
    }
    sf_drain_words_clear(&words);
    return list;
}

/* No list cuts hosts off that it must not; what is refused would have. */
TEST(drained_links_cut_nobody_off)
{
    struct sf_random random;

    sf_random_init(&random, 5, 0);
    for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
        struct sf_fabric *whole = make_fabric(families[f], 0);
        for (int round = 0; round < 20; round++) {
            bool *may_lose = sf_calloc(whole->n_switches, sizeof *may_lose);
            struct sf_drain_list *list =
                make_list(whole, &random, 2 + 6 * (uint32_t)round, may_lose);
            struct sf_fabric *left;
            struct sf_drained drained;
            CHECK_EQ(sf_fabric_copy(whole, &left, NULL), SF_OK);
            CHECK_EQ(sf_drain_apply(list, left, &drained, NULL), SF_OK);
            CHECK(joins_hosts(whole, left, may_lose));
            CHECK_EQ(drained.n_outcomes, list->n_entries);
            CHECK_EQ(left->n_cables, whole->n_cables - drained.n_links);
            for (uint32_t i = 0; i < drained.n_outcomes; i++) {
                const struct sf_drain_outcome *outcome = &drained.outcomes[i];
                CHECK(outcome->state != SF_DRAIN_UNKNOWN);
                CHECK((outcome->state == SF_DRAIN_REFUSED) <=
                      (outcome->n_cut_off > 0));
            }
            /* One that was refused, on top of all others, is too much. */
            for (uint32_t i = 0; i < drained.n_outcomes; i++) {
                const struct sf_drain_entry *entry =
                    &list->lines[drained.outcomes[i].line].entry;
                if (drained.outcomes[i].state != SF_DRAIN_REFUSED ||
                    entry->is_switch) {
                    continue;
                }
                uint32_t s = sf_fabric_find(left, entry->names[0]);
                uint32_t port = sf_fabric_port(left, s, entry->ports[0]);
                uint32_t peer = left->ports[port].peer;
                if (peer != SF_NONE) { /* No switch drained it since. */
                    sf_fabric_unplug(left, port);
                    CHECK(!joins_hosts(whole, left, may_lose));
                    sf_fabric_plug(left, port, peer);
                }
            }
            sf_drained_clear(&drained);
            sf_fabric_free(left);
            sf_drain_list_free(list);
            free(may_lose);
        }
        sf_fabric_free(whole);
    }
}

/* Whether an entry of 'tables' leads over a link that only 'whole' has. */
static bool
uses(const struct sf_tables *tables, const struct sf_fabric *whole,
     const struct sf_fabric *left)
{
    for (uint32_t s = 0; s < whole->n_switches; s++) {
        for (uint32_t lid = 1; lid <= tables->max_lid; lid++) {
            uint32_t port =
                sf_fabric_port(whole, s, sf_tables_of(tables, s)[lid]);
            if (port != SF_NONE && whole->ports[port].peer != SF_NONE &&
                left->ports[port].peer == SF_NONE) {
                return true;
            }
        }
    }
    return false;
}

static bool
is_same_tables(const struct sf_tables *a, const struct sf_tables *b)
{
    return a->n_switches == b->n_switches && a->max_lid == b->max_lid &&
           !memcmp(a->ports, b->ports,
                   (size_t)a->n_switches * (a->max_lid + 1));
}

static const struct sf_routing_params four_layers = {
    .layers = { .n_layers = 4, .seed = 1, .within_parts = true },
};

/* Takes the tables of 'engine' away, for comparing. */
static struct sf_tables *
copy_tables(const struct sf_engine *engine)
{
    const struct sf_fabric *fabric =
        sf_engine_routing(engine)->network->fabric;
    struct sf_tables *copy;

    CHECK_EQ(sf_tables_carry(sf_engine_tables(engine)->lfts, fabric, fabric,
                             &copy, NULL),
             SF_OK);
    return copy;
}

/* What is drained is used by nobody; all else is reached, without deadlock;
 * and what is drained no more is as before, whether it was drained from the
 * start or not. */
static void
check_engine(const char *spec, uint64_t seed)
{
    struct sf_fabric *whole = make_fabric(spec, 2), *left;
    bool *may_lose = sf_calloc(whole->n_switches, sizeof *may_lose);
    struct sf_random random;
    struct sf_engine *engine, *fresh;
    struct sf_engine_result result;
    struct sf_drained drained;
    struct sf_error err = { 0 };

    sf_random_init(&random, seed, 0);
    struct sf_drain_list *list = make_list(whole, &random, 3, may_lose);
    CHECK_EQ(sf_fabric_copy(whole, &left, NULL), SF_OK);
    CHECK_EQ(sf_drain_apply(list, left, &drained, NULL), SF_OK);
    CHECK_EQ(sf_engine_new(&engine, NULL), SF_OK);
    CHECK_EQ(sf_engine_new(&fresh, NULL), SF_OK);
    CHECK_EQ(
        sf_engine_route(engine, whole, NULL, &four_layers, 8, &result, &err),
        SF_OK);
    struct sf_tables *before = copy_tables(engine);
    CHECK_EQ(
        sf_engine_route(engine, left, whole, &four_layers, 8, &result, &err),
        SF_OK);
    CHECK_EQ(result.difference.n_lost_links, 0);
    CHECK(!result.has_moved);
    bool is_repaired = result.outcome == SF_OUTCOME_REPAIRED;
    CHECK(is_repaired || result.outcome == SF_OUTCOME_KEPT ||
          result.outcome == SF_OUTCOME_ANEW);
    const struct sf_ib_tables *tables = sf_engine_tables(engine);
    CHECK_FOR(!uses(tables->lfts, whole, left), "%s", spec);
    CHECK(sf_engine_whole(engine)->n_cables == whole->n_cables ||
          drained.n_links == 0);
    struct sf_audit_params params = { .sl2vl = tables->sl2vl,
                                      .path_sls = tables->path_sls };
    struct sf_audit *audit;
    CHECK_EQ(sf_audit_build(left, tables->lfts, &params, &audit, NULL), SF_OK);
    CHECK(audit->deadlock[SF_AUDIT_PATH_SLS].is_free);
    struct sf_route_figures figures;
    CHECK_EQ(sf_route_figures_measure(sf_engine_routing(engine)->network,
                                      sf_engine_routing(engine)->routes,
                                      &figures, NULL),
             SF_OK);
    CHECK_FOR(figures.n_broken == 0 ||
                  memchr(may_lose, true, whole->n_switches),
              "%s: hosts are not reached", spec);
    sf_audit_free(audit);

    /* From the start, it is the same, unless base is of what is left. */
    CHECK_EQ(sf_engine_route(fresh, left, drained.n_links ? whole : NULL,
                             &four_layers, 8, &result, &err),
             SF_OK);
    CHECK_EQ(result.outcome, SF_OUTCOME_ANEW);
    CHECK_FOR(is_same_tables(tables->lfts, sf_engine_tables(fresh)->lfts) ||
                  !is_repaired,
              "%s: other tables from the start", spec);
    for (int i = 0; is_repaired && i < 2; i++) {
        struct sf_engine *one = i ? fresh : engine;
        CHECK_EQ(
            sf_engine_route(one, whole, NULL, &four_layers, 8, &result, &err),
            SF_OK);
        CHECK_FOR(is_same_tables(before, sf_engine_tables(one)->lfts),
                  "%s: other tables after all", spec);
    }
    sf_tables_free(before);
    sf_engine_free(fresh);
    sf_engine_free(engine);
    sf_drained_clear(&drained);
    sf_drain_list_free(list);
    free(may_lose);
    sf_fabric_free(left);
    sf_fabric_free(whole);
}

TEST(drained_links_are_used_by_nobody_and_come_back_as_before)
{
    for (size_t f = 0; f < ARRAY_SIZE(families); f++) {
        check_engine(families[f], 3 * f + 1);
        check_engine(families[f], 3 * f + 2);
    }
}

TEST_LONG(drained_links_on_larger_networks)
{
    static const char *const specs[] = {
        "sf:q=5",
        "ft2:leaf=12,core=6,up=3",
        "ft3:ports=8",
        "hx2:size=5x5",
        "df:a=4,h=2,p=2",
        "xpander:k=7,lift=6",
        "jellyfish:n=50,k=7",
        "pf:q=5",
    };

    for (size_t f = 0; f < ARRAY_SIZE(specs); f++) {
        for (uint64_t seed = 0; seed < 4; seed++) {
            check_engine(specs[f], seed);
        }
    }
}

/* "rack 3" took four racks, and "R3" was no word. */
TEST(drain_words_name_one_rack_of_several)
{
    struct sf_topology *topo = build("sf:q=11");
    struct sf_plan *plan;
    struct sf_error err;
    uint32_t n_switches[4] = { 0 };
    CHECK_EQ(sf_plan_build(topo, NULL, NULL, &plan, NULL), SF_OK);
    const struct sf_fabric *fabric = plan->fabric;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const char *name = plan->racks[fabric->nodes[s].rack].name;
        n_switches[0] += !strcmp(name, "R3.1");
        n_switches[1] += !strncmp(name, "R3.", 3);
    }
    CHECK(n_switches[0] && n_switches[0] < n_switches[1]);
    static const struct {
        const char *word;
        uint32_t which;
    } words[] = { { "R3.1", 0 },     { "r3.1", 0 },    { "rack R3.1", 0 },
                  { "rack 3.1", 0 }, { "group 3", 1 }, { "Group 3", 1 } };
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        struct sf_drain_words found = { 0 };
        CHECK_FOR(sf_drain_find(fabric, plan, words[i].word, true, &found,
                                &err) == SF_OK,
                  "%s", err.text);
        CHECK_EQ(found.n, n_switches[words[i].which]);
        sf_drain_words_clear(&found);
    }
    static const char *const wrong[] = { "R3", "rack 3", "rack R3" };
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        struct sf_drain_words found = { 0 };
        CHECK_EQ(sf_drain_find(fabric, plan, wrong[i], true, &found, &err),
                 SF_EINVAL);
        CHECK_FOR(strstr(err.text, "are several racks: R3.1, R3.2") &&
                      strstr(err.text, "'group 3' for all"),
                  "%s", err.text);
        CHECK_EQ(found.n, 0);
    }
    static const char *const nothing[] = { "R3.99", "group R3", "group 99",
                                           "rack",  "R",        "group 3.1" };
    for (size_t i = 0; i < ARRAY_SIZE(nothing); i++) {
        struct sf_drain_words found = { 0 };
        CHECK_EQ(sf_drain_find(fabric, plan, nothing[i], true, &found, &err),
                 SF_EINVAL);
        CHECK_FOR(strstr(err.text, "is nothing in the fabric"), "%s: %s",
                  nothing[i], err.text);
    }
    sf_plan_free(plan);
    sf_topology_free(topo);
}

TEST(drain_words_name_links_switches_and_racks)
{
    struct sf_topology *topo = build("sf:q=5");
    struct sf_plan *plan;
    struct sf_drain_words found = { 0 };
    struct sf_error err;
    CHECK_EQ(sf_plan_build(topo, NULL, NULL, &plan, NULL), SF_OK);
    const struct sf_fabric *fabric = plan->fabric;

    static const char *const same[] = { "sf-0-0-0[5]", "sf-0-0-0:5",
                                        "sf-0-0-1[6]", "sf-0-0-1--sf-0-0-0",
                                        "0x02534c4600000000[5]" };
    for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
        CHECK_FOR(sf_drain_find(fabric, NULL, same[i], false, &found, &err) ==
                      SF_OK,
                  "%s", err.text);
        CHECK_EQ(found.n, 1);
    }
    uint32_t cable = plan->cable_of_port[sf_fabric_port(fabric, 0, 5)];
    CHECK_EQ(sf_drain_find(fabric, plan, plan->cables[cable].label, false,
                           &found, &err),
             SF_OK);
    CHECK_EQ(found.n, 1);
    CHECK_EQ(sf_drain_find(fabric, plan, "rack 3", true, &found, &err), SF_OK);
    CHECK_EQ(found.n, 11);
    CHECK_EQ(sf_drain_find(fabric, plan, "R3", true, &found, &err), SF_OK);
    CHECK_EQ(found.n, 11);
    CHECK(found.entries[10].is_switch && found.entries[10].with_hosts);
    CHECK(sf_drain_entry_goes_by(&found.entries[0], "sf-0-0-1[6]"));
    CHECK(sf_drain_entry_goes_by(&found.entries[0], "sf-0-0-0--sf-0-0-1"));
    CHECK(!sf_drain_entry_goes_by(&found.entries[0], "sf-0-0-0[6]"));
    CHECK(!sf_drain_entry_goes_by(&found.entries[0], "sf-0-0-0"));

    static const struct {
        const char *word, *says;
    } wrong[] = {
        { "sf-9",
          "'sf-9' is nothing in the fabric; expected a switch, a link" },
        { "sf-0-0-0[99]", "has no port 99; expected 1 to 11" },
        { "sf-0-0-0[1]", "is the link of a host" },
        { "node0000", "'node0000' is a host" },
        { "nobody[3]", "there is no switch 'nobody'" },
        { "sf-0-0-0--sf-0-0-2", "there is no link between" },
        { "sf-0-0-0--x", "expected two switches" },
        { "", "is nothing in the fabric" },
        { "[5]", "is nothing in the fabric" },
        { "R77", "is nothing in the fabric" },
    };
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        CHECK_EQ(
            sf_drain_find(fabric, plan, wrong[i].word, false, &found, &err),
            SF_EINVAL);
        CHECK_FOR(strstr(err.text, wrong[i].says), "'%s': \"%s\"",
                  wrong[i].word, err.text);
    }
    CHECK_EQ(found.n, 11);
    sf_drain_words_clear(&found);
    sf_plan_free(plan);
    sf_topology_free(topo);
}

/* A file that is wrong changes nothing. */
TEST(drained_links_stay_while_their_list_is_wrong)
{
    struct sf_fabric *fabric = make_fabric("hx2:size=3x3,p=1", 0);
    struct temporary file = temporary_write("switch nowhere\n");
    struct sf_plugin_drained drained = { 0 };
    struct sf_fabric *copy;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_fabric_copy(fabric, &copy, NULL), SF_OK);
    CHECK_EQ(sf_plugin_drained_update(&drained, file.name, copy, &err), SF_OK);
    CHECK(!sf_plugin_drained_whole(&drained));
    CHECK_EQ(drained.drained.outcomes[0].state, SF_DRAIN_UNKNOWN);
    FILE *stream = fopen(file.name, "w");
    fprintf(stream, "link \"%s\"[2] \"%s\"[%u]\n", fabric->nodes[0].name,
            fabric->nodes[fabric->ports[fabric->ports[1].peer].node].name,
            fabric->ports[fabric->ports[1].peer].number);
    fclose(stream);
    CHECK_EQ(sf_plugin_drained_update(&drained, file.name, copy, &err), SF_OK);
    CHECK_EQ(drained.drained.n_links, 1);
    CHECK_EQ(sf_plugin_drained_whole(&drained)->n_cables, fabric->n_cables);
    sf_fabric_free(copy);

    stream = fopen(file.name, "w");
    fputs("what?\n", stream);
    fclose(stream);
    CHECK_EQ(sf_fabric_copy(fabric, &copy, NULL), SF_OK);
    CHECK_EQ(sf_plugin_drained_update(&drained, file.name, copy, &err), SF_OK);
    CHECK(strstr(drained.problem, ":1: expected"));
    CHECK_EQ(drained.drained.n_links, 1);
    sf_fabric_free(copy);
    temporary_remove(&file);
    CHECK_EQ(sf_fabric_copy(fabric, &copy, NULL), SF_OK);
    CHECK_EQ(sf_plugin_drained_update(&drained, file.name, copy, &err), SF_OK);
    CHECK(!drained.problem[0] && drained.drained.n_links == 0);
    sf_fabric_free(copy);
    sf_plugin_drained_clear(&drained);
    sf_fabric_free(fabric);
}

TEST(drain_says_that_memory_runs_out)
{
    struct sf_fabric *fabric = make_fabric("sf:q=3", 0);
    static const char text[] = "link sf-0-0-0[3] sf-0-0-1[4]\n"
                               "switch sf-1-0-0 with-hosts # x\n";
    bool is_done = false;
    char name[] = "sf-1-1-1";

    for (unsigned long nth = 1; !is_done; nth++) {
        struct sf_drain_list *list = NULL;
        struct sf_drained drained = { 0 };
        struct sf_drain_words words = { 0 };
        struct sf_drain_entry entry = { .is_switch = true, .names = { name } };
        uint32_t n_cables = fabric->n_cables;
        bool is_new;
        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_drain_list_parse(text, sizeof text - 1, "list", &list, NULL);
        if (status == SF_OK) {
            status = sf_drain_list_add(list, &entry, "", &is_new, NULL);
        }
        if (status == SF_OK) {
            status = sf_drain_find(fabric, NULL, "sf-0-0-0--sf-0-0-1", false,
                                   &words, NULL);
        }
        if (status == SF_OK) {
            status = sf_drain_apply(list, fabric, &drained, NULL);
        }
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || status == SF_ENOMEM || status == SF_EINVAL);
        is_done = status == SF_OK || status == SF_EINVAL;
        CHECK(is_done || fabric->n_cables == n_cables);
        sf_drain_words_clear(&words);
        sf_drained_clear(&drained);
        sf_drain_list_free(list);
        CHECK(nth < 1000);
    }
    sf_fabric_free(fabric);
}

TEST(plans_say_names_and_links_that_are_not_seen)
{
    struct sf_fabric *planned = make_fabric("sf:q=3", 0);
    struct sf_fabric *fabric = make_fabric("sf:q=3", 0);
    struct sf_plan plan = { .fabric = planned };
    char mapped[] = "mapped";
    struct sf_guid_name entry = { planned->nodes[2].guid, mapped };
    struct sf_guid_map map = { 1, &entry };
    uint32_t end =
        planned->nodes[0].first_port + planned->nodes[0].n_ports - 1;
    uint32_t *hidden = NULL, n_hidden;
    enum sf_status status = SF_ENOMEM;

    fabric->nodes[1].name[0] = 'x';
    for (unsigned long nth = 1; status != SF_OK; nth++) {
        sf_mem_fail_at(nth);
        status = sf_drain_name(fabric, &plan, NULL, NULL);
        sf_mem_fail_at(0);
        CHECK(nth < 1000);
    }
    CHECK_STR(fabric->nodes[1].name, planned->nodes[1].name);

    /* Links of hosts, and those with an end that is taken, stay out. */
    uint32_t n_cables = fabric->n_cables;
    sf_fabric_unplug(fabric, end);
    sf_fabric_unplug(fabric, fabric->nodes[fabric->n_switches].first_port);
    status = SF_ENOMEM;
    for (unsigned long nth = 1; status != SF_OK; nth++) {
        sf_mem_fail_at(nth);
        status = sf_drain_plug(fabric, &plan, &hidden, &n_hidden, NULL);
        sf_mem_fail_at(0);
        CHECK((hidden != NULL) == (status == SF_OK));
        CHECK(nth < 1000);
    }
    CHECK_EQ(n_hidden, 1);
    CHECK_EQ(hidden[0], end);
    CHECK_EQ(fabric->ports[end].peer, planned->ports[end].peer);
    CHECK_EQ(fabric->n_cables, n_cables - 1);
    free(hidden);

    CHECK_EQ(sf_drain_name(fabric, &plan, &map, NULL), SF_OK);
    CHECK_STR(fabric->nodes[2].name, mapped);
    CHECK_STR(fabric->nodes[3].name, planned->nodes[3].name);
    sf_fabric_free(fabric);
    sf_fabric_free(planned);
}
