/* test_lanes_repair.c -- lanes after parts of the fabric are lost and come
 * back: safe all the time, and little changes. */
#include "base/mem.h"
#include "lanes_helpers.h"
#include "test.h"

#include <stdlib.h>

/* 'fabric' after a loss: of links, or of a switch. */
static struct sf_fabric *
damage(const struct sf_fabric *fabric, struct sf_random *random)
{
    struct sf_fabric *damaged;

    for (uint32_t i = 0; i < 20 && sf_random_below(random, 4) == 0; i++) {
        damaged =
            lanes_without(fabric, sf_random_below(random, fabric->n_switches));
        if (lanes_is_connected(damaged)) {
            return damaged;
        }
        sf_fabric_free(damaged);
    }
    CHECK_EQ(sf_fabric_copy(fabric, &damaged, NULL), SF_OK);
    lanes_unplug(damaged, 1 + sf_random_below(random, 4), random);
    return damaged;
}

/* The switch of 'fabric' with a GUID; SF_NONE if it has none. */
static uint32_t
switch_with(const struct sf_fabric *fabric, uint64_t guid)
{
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        if (fabric->nodes[s].guid == guid) {
            return s;
        }
    }
    return SF_NONE;
}

/* Whether port 'number' of switch 's' leads to a switch. */
static bool
leads_to_switch(const struct sf_fabric *fabric, uint32_t s, uint32_t number)
{
    uint32_t peer = fabric->ports[sf_fabric_port(fabric, s, number)].peer;
    return peer != SF_NONE && fabric->ports[peer].node < fabric->n_switches;
}

/* Fails unless all that was there before keeps the VLs of its turns. */
static void
check_stable_vls(const struct routed *base, const struct routed *routing,
                 const char *what)
{
    const struct sf_fabric *fabric = routing->fabric;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        uint32_t t = switch_with(base->fabric, fabric->nodes[s].guid);
        uint32_t n_ports = fabric->nodes[s].n_ports;
        for (uint32_t in = 0; in <= n_ports; in++) {
            for (uint32_t out = 1; out <= n_ports; out++) {
                if (leads_to_switch(fabric, s, out) &&
                    (in == 0 ||
                     fabric->ports[sf_fabric_port(fabric, s, in)].peer !=
                         SF_NONE)) {
                    CHECK_FOR(
                        memcmp(sf_sl2vl_of(base->lanes->sl2vl, t, in, out),
                               sf_sl2vl_of(routing->lanes->sl2vl, s, in, out),
                               SF_N_SLS) == 0,
                        "%s: the turn from %u to %u at switch %u "
                        "changed its VL",
                        what, in, out, s);
                }
            }
        }
    }
}

/* Whether the path of 'base' from its switch 's' to 'lid' still works on
 * 'fabric'. */
static bool
still_works(const struct routed *base, const struct sf_fabric *fabric,
            uint32_t s, uint32_t lid)
{
    uint32_t ports[64];
    CHECK(base->fabric->n_switches <= ARRAY_SIZE(ports));
    uint32_t n = oracle_follow(base->fabric, base->tables, s, lid, ports);

    CHECK(n != SF_NONE);
    for (uint32_t i = 0; i < n; i++) {
        const struct sf_port *port = &base->fabric->ports[ports[i]];
        uint32_t t = switch_with(fabric, base->fabric->nodes[port->node].guid);
        if (t == SF_NONE || !leads_to_switch(fabric, t, port->number)) {
            return false;
        }
    }
    return true;
}

/* Counts the entries that differ from those of the base, and the paths of the
 * base that are broken. */
static void
count_changes(const struct routed *base, const struct routed *routing,
              uint64_t *n_changedp, uint64_t *n_brokenp)
{
    for (uint32_t s = 0; s < routing->fabric->n_switches; s++) {
        uint32_t t = switch_with(base->fabric, routing->fabric->nodes[s].guid);
        for (uint32_t lid = 1; lid <= routing->tables->max_lid; lid++) {
            if (routing->tables->targets[lid] == SF_NONE) {
                continue;
            }
            *n_changedp += sf_tables_of(routing->tables, s)[lid] !=
                           sf_tables_of(base->tables, t)[lid];
            *n_brokenp += !still_works(base, routing->fabric, t, lid);
        }
    }
}

static const char *const specs[] = {
    "sf:q=4,p=1",
    "hx2:4x3,p=1",
    "hx2:3x3,links=2",
    "jellyfish:n=16,k=4,p=1,seed=3",
    "ft2:leaf=6,core=3,up=2,p=2",
    "df:a=4,h=2,p=1",
};

TEST(lanes_repaired_are_safe_and_come_back)
{
    struct sf_random random;
    uint64_t n_changed[3] = { 0 }, n_broken[3] = { 0 };
    uint32_t n_repaired = 0, n_refused = 0;

    for (size_t i = 0; i < 3 * ARRAY_SIZE(specs); i++) {
        static const char *const lanes[] = { "turns", "dfsssp", "hops" };
        const char *spec = specs[i / 3];
        struct sf_fabric *fabric = lanes_fabric(spec, 4);
        struct sf_routing_params params = {
            .layers = { .n_layers = 4, .seed = i },
            .lanes = lanes[i % 3],
        };
        struct routed *base = NULL;
        struct sf_error err = { 0 };
        sf_random_init(&random, 4, i);
        enum sf_status status = routed_build(fabric, &params, &base, &err);
        CHECK_FOR(status == SF_OK || status == SF_ELANES ||
                      (i % 3 == 0 && status == SF_EUNREACHABLE),
                  "%s, %s: %s", spec, params.lanes, err.text);
        for (uint32_t trial = 0; base && trial < 6; trial++) {
            char what[128];
            struct sf_fabric *damaged = damage(fabric, &random);
            struct routed *routing = UNSET(struct routed), *anew;
            snprintf(what, sizeof what, "%s, %s, damage %u", spec,
                     params.lanes, trial);
            status = routed_repair(base, damaged, &routing, &err);
            CHECK_FOR(status == SF_OK || (status == SF_ELANES && !routing),
                      "%s: %s", what, err.text);
            if (status == SF_OK) {
                n_repaired++;
                lanes_check(routing, what);
                count_changes(base, routing, &n_changed[i % 3],
                              &n_broken[i % 3]);
                if (i % 3 == 0) {
                    check_stable_vls(base, routing, what);
                }
                routed_free(routing);
            } else {
                n_refused++;
                /* Hops may be too many however it is built. */
                struct sf_routing_params other = params;
                other.lanes = i % 3 == 2 ? "dfsssp" : params.lanes;
                status = routed_build(damaged, &other, &anew, &err);
                CHECK_FOR(status == SF_OK ||
                              (i % 3 == 0 && status == SF_EUNREACHABLE),
                          "%s: neither repaired nor built anew: %s", what,
                          err.text);
                routed_free(status == SF_OK ? anew : NULL);
            }
            sf_fabric_free(damaged);
        }
        if (base) {
            struct routed *back;
            CHECK_EQ(routed_repair(base, fabric, &back, NULL), SF_OK);
            lanes_check_same(base, back, spec);
            routed_free(back);
        }
        routed_free(base);
        sf_fabric_free(fabric);
    }
    CHECK_FOR(n_repaired > 2 * n_refused, "%u repaired, %u refused",
              n_repaired, n_refused);
    for (int i = 0; i < 3; i++) {
        CHECK_FOR(n_broken[i] > 0 && 2 * n_changed[i] <= 3 * n_broken[i],
                  "%llu entries changed, %llu broken",
                  (unsigned long long)n_changed[i],
                  (unsigned long long)n_broken[i]);
    }
}

/* Parts that the base did not have, a link and a switch that come later, are
 * routed too, or it says that it cannot be done. */
TEST(lanes_repaired_for_more_than_there_was)
{
    struct sf_random random;
    uint32_t n_repaired = 0;

    for (uint32_t i = 0; i < 12; i++) {
        static const char *const lanes[] = { "turns", "dfsssp" };
        struct sf_fabric *whole = lanes_fabric(specs[i % 3], 2);
        sf_random_init(&random, 5, i);
        struct sf_fabric *fabric = damage(whole, &random);
        struct sf_routing_params params = { .layers = { .n_layers = 2 },
                                            .lanes = lanes[i / 6] };
        struct routed *base, *more;
        struct sf_error err = { 0 };
        char what[128];
        snprintf(what, sizeof what, "%s, %s", specs[i % 3], params.lanes);
        CHECK_FOR(routed_build(fabric, &params, &base, &err) == SF_OK,
                  "%s: %s", what, err.text);
        enum sf_status status = routed_repair(base, whole, &more, &err);
        CHECK_FOR(status == SF_OK || status == SF_ELANES, "%s: %s", what,
                  err.text);
        if (status == SF_OK) {
            n_repaired++;
            lanes_check(more, what);
            routed_free(more);
        }
        routed_free(base);
        sf_fabric_free(fabric);
        sf_fabric_free(whole);
    }
    CHECK(n_repaired >= 4);
}

/* Cut off a part: what is left of each is still safe, and reached as far as
 * it can be. */
TEST(lanes_repaired_in_two_parts)
{
    for (uint32_t i = 0; i < 2 * ARRAY_SIZE(specs); i++) {
        static const char *const lanes[] = { "turns", "dfsssp" };
        struct sf_fabric *fabric = lanes_fabric(specs[i / 2], 2), *cut;
        struct sf_routing_params params = {
            .layers = { .n_layers = 2, .within_parts = true },
            .lanes = lanes[i % 2],
        };
        struct routed *base, *routing;
        struct sf_error err = { 0 };
        if (routed_build(fabric, &params, &base, &err) != SF_OK) {
            CHECK_FOR(i % 2 == 0, "%s: %s", specs[i / 2], err.text);
            sf_fabric_free(fabric);
            continue;
        }
        CHECK_EQ(sf_fabric_copy(fabric, &cut, NULL), SF_OK);
        for (uint32_t j = 0; j < cut->n_ports; j++) {
            uint32_t peer = cut->ports[j].peer;
            if (peer != SF_NONE && cut->ports[j].node == 0 &&
                cut->ports[peer].node < cut->n_switches) {
                sf_fabric_unplug(cut, j);
            }
        }
        enum sf_status status = routed_repair(base, cut, &routing, &err);
        if (status == SF_ELANES) {
            status = routed_build(cut, &params, &routing, &err);
        }
        CHECK_FOR(status == SF_OK || (i % 2 == 0 && status == SF_EUNREACHABLE),
                  "%s, %s: %s", specs[i / 2], params.lanes, err.text);
        if (status == SF_OK) {
            struct oracle_traffic traffic = {
                .fabric = cut,
                .tables = routing->tables,
                .sl2vl = routing->lanes->sl2vl,
                .path_sls = routing->lanes->path_sls,
                .with_switches = true,
            };
            struct oracle_verdict verdict = oracle_judge(&traffic);
            uint64_t n_inside = 0, n_outside = 0;
            for (uint32_t lid = 1; lid <= routing->tables->max_lid; lid++) {
                uint32_t home = oracle_lid_home(cut, lid);
                n_inside += home == 0;
                n_outside += home != 0 && home != SF_NONE;
            }
            CHECK(verdict.is_free && verdict.n_dropped == 0);
            CHECK_EQ(verdict.n_lost,
                     n_inside * (cut->n_switches - 1) + n_outside);
            routed_free(routing);
        }
        routed_free(base);
        sf_fabric_free(cut);
        sf_fabric_free(fabric);
    }
}

/* The most that hosts put on a link from switch to switch, if each sends 1 to
 * each address of hosts on other switches. */
static uint64_t
find_most_load(const struct routed *routing)
{
    const struct sf_fabric *fabric = routing->fabric;
    uint64_t *loads = calloc(fabric->n_ports, sizeof *loads), most = 0;
    uint32_t ports[128], n_hosts[128];

    CHECK(loads && fabric->n_switches <= ARRAY_SIZE(ports));
    sf_fabric_count_hosts(fabric, n_hosts);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        for (uint32_t lid = 1; lid <= routing->tables->max_lid; lid++) {
            uint32_t target = routing->tables->targets[lid];
            if (n_hosts[s] == 0 || target == SF_NONE ||
                target < fabric->n_switches) {
                continue;
            }
            uint32_t n = oracle_follow(fabric, routing->tables, s, lid, ports);
            CHECK(n != SF_NONE);
            for (uint32_t i = 0; i < n; i++) {
                loads[ports[i]] += n_hosts[s];
                most = loads[ports[i]] > most ? loads[ports[i]] : most;
            }
        }
    }
    free(loads);
    return most;
}

/* Unplugs each link of a Fat Tree in turn: the repair keeps the single lane,
 * and no link carries more than 'most' times what the busiest did. */
static void
check_trees_spread(const char *spec, uint32_t n_expected, double most)
{
    struct sf_fabric *fabric = lanes_fabric(spec, 4), *damaged;
    struct sf_routing_params params = { .layers = { .n_layers = 4 } };
    struct routed *base, *repaired;
    struct sf_error err = { 0 };
    uint32_t n_links = 0;

    CHECK_FOR(routed_build(fabric, &params, &base, &err) == SF_OK, "%s",
              err.text);
    double before = (double)find_most_load(base);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t peer = fabric->ports[i].peer;
        if (peer == SF_NONE || peer < i ||
            fabric->ports[i].node >= fabric->n_switches ||
            fabric->ports[peer].node >= fabric->n_switches) {
            continue;
        }
        CHECK_EQ(sf_fabric_copy(fabric, &damaged, NULL), SF_OK);
        sf_fabric_unplug(damaged, i);
        CHECK_FOR(routed_repair(base, damaged, &repaired, &err) == SF_OK,
                  "%s: %s", spec, err.text);
        double after = (double)find_most_load(repaired);
        CHECK_FOR(after <= most * before, "%s, link %u: %g times", spec,
                  n_links, after / before);
        n_links++;
        routed_free(repaired);
        sf_fabric_free(damaged);
    }
    CHECK_EQ(n_links, n_expected);
    routed_free(base);
    sf_fabric_free(fabric);
}

/* What went over a dead link spreads over all that stand in for it.  A leaf
 * with four links that loses one must have a third more on the others; once,
 * the first of them took all.  In trees of three levels, paths of two hops
 * once became detours of four, down and up again, which one lane does not
 * allow. */
TEST(lanes_repairs_of_fat_trees_spread)
{
    check_trees_spread("ft2:ports=8", 32, 1.37);
    check_trees_spread("ft3:ports=6", 108, 1.63);
}

/* A switch of a Slim Fly that has lost a link sends all over the others, and
 * so do its neighbours: once, one of these then carried half as much again as
 * any had before, and all traffic waited for it.  Paths over other links leave
 * it now. */
TEST(lanes_repairs_leave_no_link_crowded)
{
    static const struct {
        const char *spec;
        uint32_t n_dead;
        double most; /* Times what the busiest link carried before. */
    } cases[] = {
        { "sf:q=5", 1, 1.02 },     { "sf:q=7", 3, 1.04 },
        { "sf:q=5,p=3", 2, 1.06 }, { "hx2:6x6", 2, 1.04 },
        { "pf:q=5", 1, 1.05 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sf_fabric *fabric = lanes_fabric(cases[i].spec, 4), *damaged;
        struct sf_routing_params params = { .layers = { .n_layers = 4 } };
        struct routed *base, *repaired;
        struct sf_error err = { 0 };
        CHECK_EQ(routed_build(fabric, &params, &base, &err), SF_OK);
        double before = (double)find_most_load(base);
        for (uint32_t seed = 0; seed < 5; seed++) {
            struct sf_random random;
            sf_random_init(&random, seed, i);
            CHECK_EQ(sf_fabric_copy(fabric, &damaged, NULL), SF_OK);
            lanes_unplug(damaged, cases[i].n_dead, &random);
            CHECK_FOR(routed_repair(base, damaged, &repaired, &err) == SF_OK,
                      "%s: %s", cases[i].spec, err.text);
            double after = (double)find_most_load(repaired);
            CHECK_FOR(after <= cases[i].most * before, "%s, seed %u: %g times",
                      cases[i].spec, seed, after / before);
            lanes_check(repaired, cases[i].spec);
            routed_free(repaired);
            sf_fabric_free(damaged);
        }
        routed_free(base);
        sf_fabric_free(fabric);
    }
}

TEST(lanes_repairs_survive_failed_allocations)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3,p=1", 2), *damaged;
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    CHECK_EQ(sf_fabric_copy(fabric, &damaged, NULL), SF_OK);
    lanes_unplug(damaged, 1, &random);
    for (size_t i = 0; sf_lane_schemes[i]; i++) {
        struct sf_routing_params params = {
            .layers = { .scheme = "minimal", .n_layers = 2 },
            .lanes = sf_lane_schemes[i]->name,
        };
        if (sf_lane_schemes[i]->only_proves) {
            continue;
        }
        enum sf_status status = SF_ENOMEM;
        unsigned long nth = 0;
        struct routed *base;
        CHECK_EQ(routed_build(fabric, &params, &base, NULL), SF_OK);
        while (status == SF_ENOMEM) {
            struct routed *routing = UNSET(struct routed);
            sf_mem_fail_at(++nth);
            status = routed_repair(base, damaged, &routing, NULL);
            sf_mem_fail_at(0);
            CHECK_FOR(status == SF_OK || !routing, "%s, allocation %lu",
                      params.lanes, nth);
            CHECK_FOR(status == SF_OK || status == SF_ENOMEM ||
                          status == SF_ELANES,
                      "%s, allocation %lu: status %d", params.lanes, nth,
                      (int)status);
            routed_free(status == SF_OK ? routing : NULL);
        }
        CHECK(nth > 5);
        routed_free(base);
    }
    sf_fabric_free(damaged);
    sf_fabric_free(fabric);
}
