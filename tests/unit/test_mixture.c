/* test_mixture.c -- mixtures of old and new tables: compared with an oracle
 * that makes every one of them. */
#include "../oracle/mixture_oracle.h"
#include "base/mem.h"
#include "changes_helpers.h"
#include "test.h"

#include <stdlib.h>

/* Tables and lanes that somebody threw dice for: entries lead anywhere, some
 * nowhere. */
struct dice {
    struct sf_fabric *fabric;
    struct sf_tables *tables[2];
    struct sf_sl2vl *sl2vl[2];
    struct sf_path_sls *path_sls[2];
};

/* Sends LIDs over a random tree towards their homes. */
static void
throw_column(struct dice *dice, struct sf_random *random, uint32_t lid,
             struct sf_tables *tables)
{
    const struct sf_fabric *fabric = dice->fabric;
    uint32_t home = oracle_lid_home(fabric, lid), n = fabric->n_switches;
    bool *is_joined = calloc(n, sizeof *is_joined);

    CHECK(is_joined);
    is_joined[home] = true;
    for (uint32_t p = 1; p <= fabric->nodes[home].n_ports; p++) {
        uint32_t peer = fabric->ports[sf_fabric_port(fabric, home, p)].peer;
        if (peer != SF_NONE &&
            fabric->ports[peer].node == tables->targets[lid]) {
            sf_tables_of(tables, home)[lid] = (uint8_t)p;
        }
    }
    if (tables->targets[lid] == home) {
        sf_tables_of(tables, home)[lid] = 0;
    }
    for (uint32_t n_joined = 1; n_joined < n;) {
        uint32_t s = sf_random_below(random, n);
        uint32_t p = 1 + sf_random_below(random, fabric->nodes[s].n_ports);
        uint32_t peer = fabric->ports[sf_fabric_port(fabric, s, p)].peer;
        if (!is_joined[s] && oracle_is_link(fabric, s, p) &&
            is_joined[fabric->ports[peer].node]) {
            sf_tables_of(tables, s)[lid] = (uint8_t)p;
            is_joined[s] = true;
            n_joined++;
        }
    }
    free(is_joined);
}

static void
throw_lanes(struct dice *dice, struct sf_random *random, uint32_t n_vls)
{
    for (int side = 0; side < 2; side++) {
        struct sf_sl2vl *sl2vl;
        CHECK_EQ(sf_sl2vl_make(dice->fabric, &sl2vl, NULL), SF_OK);
        for (uint32_t s = 0; s < dice->fabric->n_switches; s++) {
            uint32_t n = sl2vl->n_ports[s] + 1;
            for (uint32_t i = 0; i < n * n * SF_N_SLS; i++) {
                uint8_t vl = (uint8_t)sf_random_below(random, n_vls);
                sl2vl->vls[sl2vl->first[s] + i] =
                    sf_random_below(random, 60) ? vl : SF_DROP_VL;
            }
        }
        dice->sl2vl[side] = sl2vl;
    }
    if (sf_random_below(random, 2)) { /* Lanes often stay. */
        for (uint32_t s = 0; s < dice->fabric->n_switches; s++) {
            uint32_t n = dice->sl2vl[0]->n_ports[s] + 1;
            memcpy(dice->sl2vl[1]->vls + dice->sl2vl[1]->first[s],
                   dice->sl2vl[0]->vls + dice->sl2vl[0]->first[s],
                   (size_t)n * n * SF_N_SLS);
        }
    }
}

static void
throw_sls(struct dice *dice, struct sf_random *random)
{
    for (int side = 0; side < 2; side++) {
        struct sf_path_sls *sls;
        CHECK_EQ(sf_path_sls_make(dice->fabric, dice->tables[0]->max_lid, &sls,
                                  NULL),
                 SF_OK);
        size_t n = (size_t)sls->n_switches * (sls->max_lid + 1);
        for (size_t i = 0; i < n; i++) {
            sls->sls[i] = (uint8_t)sf_random_below(random, 3);
        }
        dice->path_sls[side] = sls;
    }
}

static struct dice
throw_dice(struct sf_random *random)
{
    uint32_t n_switches = 3 + sf_random_below(random, 4);
    struct dice dice = { .fabric = lanes_random_fabric(
                             n_switches, 1 + sf_random_below(random, 4), 1,
                             random) };

    for (int side = 0; side < 2; side++) {
        CHECK_EQ(sf_tables_make(dice.fabric, &dice.tables[side], NULL), SF_OK);
        for (uint32_t lid = 1; lid <= dice.tables[side]->max_lid; lid++) {
            if (oracle_lid_home(dice.fabric, lid) != SF_NONE) {
                throw_column(&dice, random, lid, dice.tables[side]);
            }
        }
        /* Some entries are wrong. */
        for (uint32_t i = sf_random_below(random, 3); i > 0; i--) {
            uint32_t s = sf_random_below(random, n_switches);
            uint32_t lid =
                1 + sf_random_below(random, dice.tables[side]->max_lid);
            sf_tables_of(dice.tables[side], s)[lid] =
                sf_random_below(random, 3)
                    ? (uint8_t)sf_random_below(random, 8)
                    : SF_NO_PORT;
        }
    }
    if (sf_random_below(random, 3)) {
        throw_lanes(&dice, random, 1 + sf_random_below(random, 3));
    }
    if (sf_random_below(random, 3)) {
        throw_sls(&dice, random);
    }
    return dice;
}

static void
clear_dice(struct dice *dice)
{
    for (int side = 0; side < 2; side++) {
        sf_path_sls_free(dice->path_sls[side]);
        sf_sl2vl_free(dice->sl2vl[side]);
        sf_tables_free(dice->tables[side]);
    }
    sf_fabric_free(dice->fabric);
}

/* Fails the test unless switches really send a packet on along 'path'. */
static void
check_path(const struct dice *dice, const struct sf_mixture_path *path)
{
    uint32_t s = path->source, in = 0;

    for (uint32_t i = 0; i < path->n_hops; i++) {
        const struct sf_mixture_hop *hop = &path->hops[i];
        CHECK_EQ(hop->at, s);
        for (int side = 0; side < 2; side++) {
            bool is_held =
                sf_tables_of(dice->tables[side], s)[path->lid] == hop->port;
            bool is_said = hop->entry == SF_MIXTURE_SAME ||
                           (hop->entry == SF_MIXTURE_NEW) == (side == 1);
            CHECK(is_held == is_said);
            uint8_t vl = dice->sl2vl[side] && hop->vl != SF_NO_VL
                             ? sf_sl2vl_of(dice->sl2vl[side], s, in,
                                           hop->port)[path->sl]
                             : 0;
            bool is_said_vl = hop->lane == SF_MIXTURE_SAME ||
                              (hop->lane == SF_MIXTURE_NEW) == (side == 1);
            CHECK(i == 0 || hop->vl == SF_NO_VL ||
                  (vl == hop->vl) == is_said_vl);
        }
        if (oracle_is_link(dice->fabric, s, hop->port)) {
            uint32_t peer =
                dice->fabric->ports[sf_fabric_port(dice->fabric, s, hop->port)]
                    .peer;
            s = dice->fabric->ports[peer].node;
            in = dice->fabric->ports[peer].number;
        }
    }
}

static void
check_cycle(const struct dice *dice,
            const struct sf_mixture_deadlock *deadlock)
{
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        const struct sf_mixture_step *step = &deadlock->steps[i];
        const struct sf_mixture_step *next =
            &deadlock->steps[(i + 1) % deadlock->n_steps];
        const struct sf_mixture_path *path = &step->path;
        CHECK(path->n_hops >= 2);
        const struct sf_mixture_hop *hop = &path->hops[path->n_hops - 2];
        CHECK(hop->at == step->at && hop->port == step->port &&
              hop->vl == step->vl);
        CHECK(hop[1].at == next->at && hop[1].port == next->port &&
              hop[1].vl == next->vl);
        check_path(dice, path);
    }
}

static void
check_deadlock(const struct dice *dice,
               const struct sf_mixture_deadlock *deadlock,
               const struct oracle_mixtures *oracle)
{
    CHECK(deadlock->is_checked);
    CHECK_EQ(deadlock->n_channels, oracle->n_channels);
    CHECK_EQ(deadlock->n_dependencies, oracle->n_waits);
    CHECK_EQ(deadlock->n_steps, oracle->n_shortest);
    CHECK_EQ(deadlock->is_free, oracle->n_shortest == 0);
    check_cycle(dice, deadlock);
}

/* Compares the judgement of 'dice' with that of the oracle; returns whether
 * no mixture can deadlock. */
static bool
check_dice(const struct dice *dice)
{
    struct oracle_change change = {
        .fabric = dice->fabric,
        .tables = { dice->tables[0], dice->tables[1] },
        .sl2vl = { dice->sl2vl[0], dice->sl2vl[1] },
        .path_sls = { dice->path_sls[0], dice->path_sls[1] },
        .one_sl = -1,
    };
    struct sf_mixture_params params = { .has_one_sl = true, .one_sl = 1 };
    struct sf_mixture *mixture;
    struct sf_error err = { 0 };
    struct oracle_mixtures oracle = oracle_mix(&change);

    CHECK_FOR(sf_mixture_build(
                  dice->fabric,
                  &(struct sf_mixture_side){ dice->tables[0], dice->sl2vl[0],
                                             dice->path_sls[0] },
                  &(struct sf_mixture_side){ dice->tables[1], dice->sl2vl[1],
                                             dice->path_sls[1] },
                  &params, &mixture, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(mixture->n_loops, oracle.n_loops);
    CHECK_EQ(mixture->n_dead_ends, oracle.n_dead_ends);
    CHECK_EQ(mixture->n_faulty, oracle.n_faulty);
    CHECK_EQ(mixture->n_faulty_old, oracle.n_faulty_old);
    CHECK_EQ(mixture->n_faulty_new, oracle.n_faulty_new);
    CHECK_EQ(mixture->n_mixed, oracle.n_mixed);
    for (uint32_t i = 0; i < mixture->n_examples; i++) {
        check_path(dice, &mixture->examples[i].path);
    }
    CHECK(mixture->n_examples || !mixture->n_mixed);
    check_deadlock(dice, &mixture->deadlock[SF_AUDIT_PATH_SLS], &oracle);
    change.one_sl = 1;
    oracle = oracle_mix(&change);
    check_deadlock(dice, &mixture->deadlock[SF_AUDIT_ONE_SL], &oracle);
    bool is_free = mixture->deadlock[SF_AUDIT_PATH_SLS].is_free;
    sf_mixture_free(mixture);
    return is_free;
}

static void
check_many_dice(uint32_t n, uint64_t seed)
{
    struct sf_random random;
    uint32_t n_free = 0;

    sf_random_init(&random, seed, 0);
    for (uint32_t i = 0; i < n; i++) {
        struct dice dice = throw_dice(&random);
        n_free += check_dice(&dice);
        clear_dice(&dice);
    }
    CHECK(n_free > 0 && n_free < n); /* Both happen. */
}

TEST(mixtures_agree_with_every_one_made)
{
    check_many_dice(40, 1);
}

TEST_LONG(mixtures_agree_with_every_one_made_often)
{
    check_many_dice(1500, 2);
}

/* A mixture of tables with themselves is what an audit judges. */
TEST(mixture_of_the_same_is_an_audit)
{
    static const char *const specs[] = { "sf:q=3", "df:p=2,a=4,h=2",
                                         "hx2:size=3x4",
                                         "ft2:leaf=6,core=3,up=3" };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_fabric *fabric = lanes_fabric(specs[i], 2);
        struct routed *routed = changes_route(fabric, 2, 1, NULL, NULL);
        struct sf_mixture *mixture = changes_mix(fabric, routed, routed);
        struct sf_audit *audit;
        struct sf_audit_params params = { .sl2vl = routed->lanes->sl2vl,
                                          .path_sls =
                                              routed->lanes->path_sls };
        CHECK_EQ(sf_audit_build(fabric, routed->tables, &params, &audit, NULL),
                 SF_OK);
        for (int k = 0; k < SF_AUDIT_ONE_SL; k++) {
            const struct sf_mixture_deadlock *a = &mixture->deadlock[k];
            CHECK_EQ(a->is_free, audit->deadlock[k].is_free);
            CHECK_EQ(a->n_channels, audit->deadlock[k].n_channels);
            CHECK_EQ(a->n_dependencies, audit->deadlock[k].n_dependencies);
        }
        CHECK(mixture->is_safe && !mixture->n_changed);
        sf_audit_free(audit);
        sf_mixture_free(mixture);
        routed_free(routed);
        sf_fabric_free(fabric);
    }
}

/* Each allocation fails once. */
TEST(mixture_without_memory)
{
    struct sf_random random;
    sf_random_init(&random, 5, 0);
    struct dice dice = throw_dice(&random);

    for (unsigned long nth = 1;; nth++) {
        struct sf_mixture *mixture = UNSET(struct sf_mixture);
        struct sf_error err = { 0 };
        struct sf_mixture_side sides[2] = {
            { dice.tables[0], dice.sl2vl[0], dice.path_sls[0] },
            { dice.tables[1], dice.sl2vl[1], dice.path_sls[1] },
        };
        sf_mem_fail_at(nth);
        enum sf_status status = sf_mixture_build(
            dice.fabric, &sides[0], &sides[1], NULL, &mixture, &err);
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK(nth > 20);
            sf_mixture_free(mixture);
            break;
        }
        CHECK_EQ(status, SF_ENOMEM);
        CHECK_EQ(err.status, SF_ENOMEM);
        CHECK(mixture == NULL);
    }
    clear_dice(&dice);
}

TEST(mixture_refuses_tables_of_others)
{
    struct sf_fabric *a = lanes_fabric("sf:q=3", 2);
    struct sf_fabric *b = lanes_fabric("sf:q=3", 4);
    struct routed *x = changes_route(a, 2, 1, NULL, NULL);
    struct routed *y = changes_route(b, 4, 1, NULL, NULL);
    struct sf_mixture_side before = { x->tables, x->lanes->sl2vl, NULL };
    struct sf_mixture_side after = { y->tables, y->lanes->sl2vl, NULL };
    struct sf_mixture *mixture;
    struct sf_error err = { 0 };

    CHECK_EQ(sf_mixture_build(a, &before, &after, NULL, &mixture, &err),
             SF_EINVAL);
    CHECK(mixture == NULL && strstr(err.text, "not of one fabric"));
    routed_free(y);
    routed_free(x);
    sf_fabric_free(b);
    sf_fabric_free(a);
}
