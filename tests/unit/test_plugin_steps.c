/* test_plugin_steps.c -- how the plugin writes changes: sweeps write what it
 * says, or only a part of it, and what switches then hold is audited. */
#include "base/mem.h"
#include "changes_helpers.h"
#include "sweep_steps.h"
#include "test.h"

#include <stdlib.h>

/* A fabric whose switches take what is written to them, if they like. */
struct mirror {
    struct sf_fabric *fabric;
    struct sf_tables *lfts; /* What they hold. */
    const struct sf_sl2vl *sl2vl;
    struct sf_changes *changes;
    struct sf_random random;
};

static struct mirror
make_mirror(const char *spec)
{
    struct mirror mirror = { .fabric = lanes_fabric(spec, 4) };

    CHECK_EQ(sf_tables_make(mirror.fabric, &mirror.lfts, NULL), SF_OK);
    CHECK_EQ(sf_changes_new(&mirror.changes, NULL), SF_OK);
    sf_random_init(&mirror.random, 1, 0);
    return mirror;
}

static void
clear_mirror(struct mirror *mirror)
{
    sf_changes_free(mirror->changes);
    sf_tables_free(mirror->lfts);
    sf_fabric_free(mirror->fabric);
}

static bool
is_free_of_deadlock(const struct mirror *mirror)
{
    struct sf_audit_params params = { .sl2vl = mirror->sl2vl };
    struct sf_audit *audit;

    struct sf_error err = { 0 };
    CHECK_FOR(sf_audit_build(mirror->fabric, mirror->lfts, &params, &audit,
                             &err) == SF_OK,
              "%s", err.text);
    bool is_free = audit->deadlock[SF_AUDIT_PATH_SLS].is_free &&
                   !audit->n_faults[SF_AUDIT_LOOP];
    sf_audit_free(audit);
    return is_free;
}

/* A sweep towards 'target', in which a switch takes a block of 64 entries with
 * a chance of 'percent'.  Returns whether another step is to follow, as
 * SF_OK, or SF_EIO if some was not taken. */
static enum sf_status
sweep(struct mirror *mirror, const struct sf_ib_tables *target,
      uint32_t percent, bool *has_morep)
{
    bool is_complete = true;

    sf_changes_begin(mirror->changes, mirror->fabric, target);
    const struct sf_tables *written = sf_changes_lfts(mirror->changes);
    mirror->sl2vl = sf_changes_sl2vl(mirror->changes);
    size_t n = (size_t)written->n_switches * (written->max_lid + 1);
    for (size_t i = 0; i < n; i += 64) {
        size_t length = n - i < 64 ? n - i : 64;
        if (sf_random_below(&mirror->random, 100) < percent) {
            memcpy(mirror->lfts->ports + i, written->ports + i, length);
        } else {
            is_complete &= memcmp(mirror->lfts->ports + i, written->ports + i,
                                  length) == 0;
        }
    }
    if (is_complete) {
        *has_morep = sf_changes_end(mirror->changes);
        mirror->sl2vl = sf_changes_sl2vl(mirror->changes);
        return SF_OK;
    }
    sf_changes_fail(mirror->changes);
    return SF_EIO;
}

/* Sweeps until all of 'target' is there; every state on the way must be safe.
 * Returns how many sweeps were complete. */
static uint32_t
sweep_all(struct mirror *mirror, const struct sf_ib_tables *target,
          uint32_t percent)
{
    uint32_t n_complete = 0;
    bool has_more = true;

    for (uint32_t i = 0; has_more; i++) {
        CHECK(i < 1000);
        n_complete += sweep(mirror, target, i % 7 == 6 ? 100 : percent,
                            &has_more) == SF_OK;
        CHECK(is_free_of_deadlock(mirror));
    }
    CHECK_EQ(
        memcmp(mirror->lfts->ports, target->lfts->ports,
               (size_t)target->lfts->n_switches * (target->lfts->max_lid + 1)),
        0);
    return n_complete;
}

TEST(plugin_steps_survive_sweeps_that_fail)
{
    struct mirror mirror = make_mirror("sf:q=3");
    struct routed *a = changes_route(mirror.fabric, 4, 1, "gates", NULL);
    struct routed *b =
        changes_route(mirror.fabric, 4, 1, "gates:for=uniform", NULL);
    const struct sf_change_state *state = sf_changes_state(mirror.changes);
    bool has_more;

    CHECK_EQ(sweep(&mirror, a->encoded, 100, &has_more), SF_OK);
    CHECK(!has_more && state->kind == SF_CHANGE_UNKNOWN && !state->is_judged);
    CHECK_EQ(sweep(&mirror, a->encoded, 100, &has_more), SF_OK);
    CHECK(!has_more && state->kind == SF_CHANGE_NONE && !state->text[0]);
    for (int i = 0; i < 4; i++) {
        const struct routed *target = i % 2 ? a : b;
        uint32_t n = sweep_all(&mirror, target->encoded, i < 2 ? 100 : 60);
        CHECK(state->kind == SF_CHANGE_STEPS && state->is_safe);
        CHECK(n > 1 && state->n_steps == n && state->step == n);
        CHECK(strstr(state->text, "every mixture safe in"));
    }
    routed_free(b);
    routed_free(a);
    clear_mirror(&mirror);
}

/* Another change, while the first is under way. */
TEST(plugin_steps_change_their_mind)
{
    struct mirror mirror = make_mirror("sf:q=3");
    struct routed *a = changes_route(mirror.fabric, 4, 1, "gates", NULL);
    struct routed *b =
        changes_route(mirror.fabric, 4, 1, "gates:for=uniform", NULL);
    struct routed *c = changes_route(mirror.fabric, 4, 1, "minimal", NULL);
    bool has_more;

    CHECK_EQ(sweep(&mirror, a->encoded, 100, &has_more), SF_OK);
    for (int i = 0; i < 3; i++) {
        sweep(&mirror, b->encoded, 50 + 15u * (uint32_t)i, &has_more);
        CHECK(is_free_of_deadlock(&mirror));
        sweep_all(&mirror, c->encoded, 70);
        sweep_all(&mirror, a->encoded, 100);
    }
    routed_free(c);
    routed_free(b);
    routed_free(a);
    clear_mirror(&mirror);
}

TEST(plugin_steps_do_not_wait_after_faults)
{
    struct mirror mirror = make_mirror("sf:q=3");
    struct routed *base = changes_route(mirror.fabric, 4, 1, NULL, NULL);
    const struct sf_change_state *state = sf_changes_state(mirror.changes);
    struct routed *repaired, *other;
    bool has_more;

    CHECK_EQ(sweep(&mirror, base->encoded, 100, &has_more), SF_OK);
    struct sf_fabric *whole = mirror.fabric;
    CHECK_EQ(sf_fabric_copy(whole, &mirror.fabric, NULL), SF_OK);
    lanes_unplug(mirror.fabric, 1, &mirror.random);
    CHECK_EQ(routed_repair(base, mirror.fabric, &repaired, NULL), SF_OK);
    CHECK_EQ(sweep(&mirror, repaired->encoded, 100, &has_more), SF_OK);
    CHECK(!has_more && state->kind == SF_CHANGE_FAULT && state->is_judged);
    CHECK(strstr(state->text, "fault: all was written at once; "));
    /* What comes back can wait. */
    sf_fabric_free(mirror.fabric);
    mirror.fabric = whole;
    sweep_all(&mirror, base->encoded, 100);
    CHECK(state->kind == SF_CHANGE_STEPS && state->is_safe);
    /* Other lanes: by way of a tree. */
    other = changes_route(mirror.fabric, 4, 9, NULL, NULL);
    CHECK(sweep_all(&mirror, other->encoded, 100) > 3);
    CHECK(state->kind == SF_CHANGE_STEPS && state->is_safe);
    sf_changes_forget(mirror.changes);
    CHECK_EQ(sweep(&mirror, base->encoded, 100, &has_more), SF_OK);
    CHECK(!has_more && state->kind == SF_CHANGE_UNKNOWN);
    routed_free(other);
    routed_free(repaired);
    routed_free(base);
    clear_mirror(&mirror);
}

/* Memory that runs out costs steps, but never safety of what is written. */
TEST(plugin_steps_without_memory)
{
    struct mirror mirror = make_mirror("sf:q=3");
    struct routed *a = changes_route(mirror.fabric, 4, 1, "gates", NULL);
    struct routed *b =
        changes_route(mirror.fabric, 4, 1, "gates:for=uniform", NULL);
    bool has_more;

    for (unsigned long nth = 1; nth < 120; nth++) {
        sf_mem_fail_at(nth);
        for (int i = 0; i < 4; i++) {
            sf_changes_begin(mirror.changes, mirror.fabric,
                             i % 2 ? a->encoded : b->encoded);
            CHECK(sf_changes_lfts(mirror.changes) != NULL);
            CHECK(sf_changes_sl2vl(mirror.changes) != NULL);
            has_more = sf_changes_end(mirror.changes);
        }
        sf_mem_fail_at(0);
    }
    (void)has_more;
    routed_free(b);
    routed_free(a);
    clear_mirror(&mirror);
}
