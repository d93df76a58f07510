/* test_steps.c -- changes in steps: each step is judged by the audit of
 * mixtures, and by mixtures made at random that the audit and an oracle
 * follow. */
#include "base/mem.h"
#include "changes_helpers.h"
#include "slimfly/job_routes.h"
#include "slimfly/steps.h"
#include "test.h"

#include <stdlib.h>

/* What steps came to, in sum. */
struct sums {
    uint32_t n_changes, n_unsafe, n_as_they_are, n_split, n_dropped, n_steps;
};

static struct sf_tables *
copy_tables(const struct sf_fabric *fabric, const struct sf_tables *tables)
{
    struct sf_tables *copy;

    CHECK_EQ(sf_tables_make(fabric, &copy, NULL), SF_OK);
    CHECK_EQ(copy->max_lid, tables->max_lid);
    memcpy(copy->ports, tables->ports,
           (size_t)tables->n_switches * (tables->max_lid + 1));
    return copy;
}

/* Each entry old or new, as the coin falls: no deadlock for the oracle. */
static void
check_coins(const struct sf_fabric *fabric, const struct sf_tables *before,
            const struct sf_tables *after, const struct sf_sl2vl *sl2vl,
            const struct sf_path_sls *path_sls, struct sf_random *random)
{
    struct sf_tables *mixed = copy_tables(fabric, before);
    size_t n = (size_t)before->n_switches * (before->max_lid + 1);
    struct oracle_traffic traffic = {
        .fabric = fabric, .tables = mixed, .sl2vl = sl2vl, .path_sls = path_sls
    };

    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < n; k++) {
            mixed->ports[k] = sf_random_below(random, 2) ? before->ports[k]
                                                         : after->ports[k];
        }
        struct oracle_verdict verdict = oracle_judge(&traffic);
        CHECK(verdict.is_free);
    }
    sf_tables_free(mixed);
}

/* Judges step 'k', which leads from 'tables' to the tables after it, which
 * 'tables' are then. */
static void
check_step(const struct sf_fabric *fabric, const struct sf_steps *steps,
           uint32_t k, const struct sf_step_side *sides,
           struct sf_tables *tables, struct sf_random *random)
{
    struct sf_tables *before = copy_tables(fabric, tables);
    bool is_early = steps->lanes_step != SF_NONE && k < steps->lanes_step;
    bool is_late = steps->lanes_step == SF_NONE || k > steps->lanes_step;
    struct sf_mixture_side from = { before, sides[is_late].sl2vl,
                                    sides[0].path_sls };
    struct sf_mixture_side to = { tables, sides[!is_early].sl2vl,
                                  sides[1].path_sls };
    struct sf_mixture *mixture;

    sf_steps_apply(steps, k, tables);
    CHECK_EQ(sf_mixture_build(fabric, &from, &to, NULL, &mixture, NULL),
             SF_OK);
    CHECK(mixture->deadlock[SF_AUDIT_PATH_SLS].is_free);
    CHECK_EQ(mixture->n_loops, 0);
    /* Old entries that lead to a dead link may be met on the way. */
    CHECK(steps->n_dropped || mixture->n_faulty_old || !mixture->n_mixed);
    if (random && sides[0].path_sls && steps->lanes_step == SF_NONE) {
        check_coins(fabric, before, tables, from.sl2vl, sides[1].path_sls,
                    random);
    }
    sf_mixture_free(mixture);
    sf_tables_free(before);
}

typedef enum sf_status plan_steps(const struct sf_fabric *fabric,
                                  const struct sf_step_side *before,
                                  const struct sf_step_side *after,
                                  const struct sf_steps_params *params,
                                  struct sf_steps **stepsp,
                                  struct sf_error *err);

/* Splits a change of 'fabric' into steps by 'plan' and judges each. */
static void
check_plan(plan_steps *plan, const struct sf_fabric *fabric,
           const struct sf_step_side *sides, struct sf_random *random,
           struct sums *sums)
{
    struct sf_steps *steps;
    struct sf_error err = { 0 };
    struct sf_tables *tables = copy_tables(fabric, sides[0].tables);

    CHECK_FOR(plan(fabric, &sides[0], &sides[1], NULL, &steps, &err) == SF_OK,
              "%s", err.text);
    for (uint32_t k = 0; k < steps->n_steps; k++) {
        if (steps->is_safe) {
            check_step(fabric, steps, k, sides, tables, random);
        } else {
            sf_steps_apply(steps, k, tables);
        }
    }
    for (uint32_t lid = 1; lid <= tables->max_lid; lid++) {
        for (uint32_t s = 0;
             tables->targets[lid] != SF_NONE && s < tables->n_switches; s++) {
            CHECK_EQ(sf_tables_of(tables, s)[lid],
                     sf_tables_of(sides[1].tables, s)[lid]);
        }
    }
    CHECK(steps->is_safe == !steps->reason[0]);
    CHECK(steps->is_safe || steps->n_steps <= 1 || plan != sf_steps_plan);
    CHECK(steps->n_lost_first <= steps->n_pairs_lost);
    sums->n_changes++;
    sums->n_unsafe += !steps->is_safe;
    sums->n_as_they_are += steps->is_safe && steps->n_steps <= 1;
    sums->n_split += steps->n_split > 0;
    sums->n_dropped += steps->n_dropped > 0;
    sums->n_steps += steps->n_steps;
    sf_tables_free(tables);
    sf_steps_free(steps);
}

/* The same, with all steps planned at once and one after the other. */
static void
check_change(const struct sf_fabric *fabric, const struct sf_step_side *sides,
             struct sf_random *random, struct sums *sums)
{
    struct sums by_sweeps = { 0 };

    check_plan(sf_steps_plan, fabric, sides, random, sums);
    check_plan(sf_steps_plan_sweeps, fabric, sides, NULL, &by_sweeps);
}

static struct sf_step_side
side_of(const struct routed *routed)
{
    return (struct sf_step_side){ routed->tables, routed->lanes->sl2vl,
                                  routed->lanes->path_sls };
}

static void
check_between(const struct sf_fabric *fabric, const struct routed *before,
              const struct routed *after, struct sf_random *random,
              struct sums *sums)
{
    struct sf_step_side sides[2] = { side_of(before), side_of(after) };
    check_change(fabric, sides, random, sums);
}

/* A routing that ends and begins jobs on random hosts. */
static void
check_jobs(const char *spec, uint32_t n_rounds, struct sf_random *random,
           struct sums *sums)
{
    struct sf_fabric *fabric = lanes_fabric(spec, 4);
    struct routed *routed = changes_route(fabric, 4, 1, NULL, NULL);
    const struct sf_network *network = routed->routing->network;
    uint32_t n_hosts = sf_network_count_hosts(network);
    struct sf_ib_tables *before;

    CHECK_EQ(sf_ib_encode(routed->routing, &before, NULL), SF_OK);
    for (uint32_t i = 0; i < n_rounds; i++) {
        char text[8192] = "job all-to-all ";
        size_t length = strlen(text);
        struct sf_jobs *jobs;
        struct sf_job_routes result;
        struct sf_ib_tables *after;
        uint32_t first = sf_random_below(random, n_hosts / 2),
                 n = 2 + sf_random_below(random, n_hosts / 2 - 2);
        for (uint32_t h = first; h < first + n; h++) {
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%snode%04u", h > first ? "," : "", h);
        }
        CHECK_EQ(sf_jobs_parse(text, length, "jobs", network, &jobs, NULL),
                 SF_OK);
        struct sf_job_routes_params params = { .seed = i,
                                               .n_tries = 1,
                                               .n_rounds = 8 };
        CHECK_EQ(
            sf_routing_fit_jobs(routed->routing, jobs, &params, &result, NULL),
            SF_OK);
        sf_job_routes_clear(&result);
        sf_jobs_free(jobs);
        CHECK_EQ(sf_ib_encode(routed->routing, &after, NULL), SF_OK);
        struct sf_step_side sides[2] = {
            { before->lfts, before->sl2vl, before->path_sls },
            { after->lfts, after->sl2vl, after->path_sls },
        };
        check_change(fabric, sides, random, sums);
        sf_ib_tables_free(before);
        before = after;
    }
    sf_ib_tables_free(before);
    routed_free(routed);
    sf_fabric_free(fabric);
}

TEST(steps_of_jobs_are_safe)
{
    struct sf_random random;
    struct sums sums = { 0 };

    sf_random_init(&random, 1, 0);
    check_jobs("sf:q=3", 4, &random, &sums);
    check_jobs("df:p=2,a=4,h=2", 2, &random, &sums);
    check_jobs("hx2:size=3x3", 3, &random, &sums);
    CHECK_EQ(sums.n_unsafe, 0);
    CHECK(sums.n_split > 0);
}

TEST_LONG(steps_of_many_jobs_are_safe)
{
    static const char *const specs[] = { "sf:q=4", "sf:q=5", "df:p=2,a=4,h=2",
                                         "hx2:size=5x5",
                                         "jellyfish:n=20,k=5,p=3,seed=1" };
    struct sf_random random;
    struct sums sums = { 0 };

    sf_random_init(&random, 2, 0);
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        check_jobs(specs[i], 8, &random, &sums);
    }
    CHECK_EQ(sums.n_unsafe, 0);
}

/* A link fails, and comes back. */
static void
check_faults(const char *spec, uint32_t n_rounds, struct sf_random *random,
             struct sums *sums)
{
    struct sf_fabric *fabric = lanes_fabric(spec, 4);
    struct routed *base = changes_route(fabric, 4, 1, NULL, NULL);

    for (uint32_t i = 0; i < n_rounds; i++) {
        struct sf_fabric *less;
        struct routed *repaired;
        struct sf_error err = { 0 };
        CHECK_EQ(sf_fabric_copy(fabric, &less, NULL), SF_OK);
        lanes_unplug(less, 1 + i % 3, random);
        enum sf_status status = routed_repair(base, less, &repaired, &err);
        if (status == SF_OK) {
            check_between(fabric, repaired, base, random, sums);
            check_between(less, base, repaired, NULL, sums);
            routed_free(repaired);
        } else {
            CHECK_EQ(status, SF_ELANES);
        }
        sf_fabric_free(less);
    }
    routed_free(base);
    sf_fabric_free(fabric);
}

TEST(steps_of_restored_links_are_safe)
{
    struct sf_random random;
    struct sums sums = { 0 };

    sf_random_init(&random, 3, 0);
    check_faults("sf:q=3", 4, &random, &sums);
    check_faults("hx2:size=3x3", 3, &random, &sums);
    CHECK_EQ(sums.n_unsafe, 0);
}

/* From one routing to any other, on one lane or more: nothing fits together,
 * and yet each step is safe.  Some must take entries out.  'by_sl' is for
 * lanes by the SL of each path: with old SLs, new tables are not always safe.
 */
static void
check_seeds(uint32_t n_rounds, uint64_t seed, struct sums *sums,
            struct sums *by_sl)
{
    struct sf_random random;

    sf_random_init(&random, seed, 0);
    for (uint32_t i = 0; i < n_rounds; i++) {
        struct sf_fabric *fabric =
            lanes_random_fabric(4 + sf_random_below(&random, 8),
                                3 + sf_random_below(&random, 9), 2, &random);
        struct routed *a = changes_route(fabric, 2, i, "ordered", NULL);
        struct routed *b = changes_route(fabric, 2, i + 100, "ordered", NULL);
        struct routed *c = changes_route(fabric, 2, i, "updown", NULL);
        struct routed *d = changes_route(fabric, 2, i + 7, "gates", "dfsssp");
        struct routed *e = changes_route(fabric, 2, i + 8, "gates", "dfsssp");
        check_between(fabric, a, b, &random, sums);
        check_between(fabric, a, c, &random, by_sl);
        check_between(fabric, c, b, &random, by_sl);
        check_between(fabric, d, e, &random, by_sl);
        routed_free(e);
        routed_free(d);
        routed_free(c);
        routed_free(b);
        routed_free(a);
        sf_fabric_free(fabric);
    }
}

TEST(steps_between_any_two_routings_are_safe)
{
    struct sums sums = { 0 }, by_sl = { 0 };

    check_seeds(12, 4, &sums, &by_sl);
    CHECK(sums.n_split + by_sl.n_split > 0);
    CHECK_EQ(sums.n_unsafe, 0);
}

TEST_LONG(steps_between_many_routings_are_safe)
{
    struct sums sums = { 0 }, by_sl = { 0 };

    check_seeds(300, 5, &sums, &by_sl);
    CHECK(sums.n_dropped + by_sl.n_dropped > 0 && by_sl.n_as_they_are > 0);
    CHECK_EQ(sums.n_unsafe, 0);
}

/* Each allocation fails once. */
TEST(steps_without_memory)
{
    struct sf_random random;
    sf_random_init(&random, 6, 0);
    struct sf_fabric *fabric = lanes_random_fabric(7, 6, 2, &random);
    struct routed *a = changes_route(fabric, 2, 1, "ordered", NULL);
    struct routed *b = changes_route(fabric, 2, 9, "updown", NULL);
    struct sf_step_side sides[2] = { side_of(a), side_of(b) };

    plan_steps *plan = sf_steps_plan;
    for (unsigned long nth = 1;; nth++) {
        struct sf_steps *steps = UNSET(struct sf_steps);
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status =
            plan(fabric, &sides[0], &sides[1], NULL, &steps, &err);
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK(nth > 20);
            sf_steps_free(steps);
            if (plan == sf_steps_plan_sweeps) {
                break;
            }
            plan = sf_steps_plan_sweeps;
            nth = 0;
            continue;
        }
        CHECK_EQ(status, SF_ENOMEM);
        CHECK_EQ(err.status, SF_ENOMEM);
        CHECK(steps == NULL);
    }
    routed_free(b);
    routed_free(a);
    sf_fabric_free(fabric);
}

TEST(nothing_that_changes_takes_no_steps)
{
    struct sf_fabric *fabric = lanes_fabric("sf:q=3", 2);
    struct routed *routed = changes_route(fabric, 2, 1, NULL, NULL);
    struct sf_step_side side = side_of(routed);
    struct sf_steps *steps;

    CHECK_EQ(sf_steps_plan(fabric, &side, &side, NULL, &steps, NULL), SF_OK);
    CHECK(steps->is_safe && steps->n_steps == 0 && steps->n_columns == 0 &&
          steps->lanes_step == SF_NONE);
    sf_steps_free(steps);
    routed_free(routed);
    sf_fabric_free(fabric);
}
