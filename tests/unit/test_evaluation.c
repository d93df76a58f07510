/* test_evaluation.c -- evaluations: which sizes are simulated, what is kept,
 * how cells and claims follow from runs. */
#include "base/mem.h"
#include "eval/eval.h"
#include "helpers.h"
#include "test.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* Small networks, one kind, whatever else. */
static struct sf_eval_params
small_params(const char *kind)
{
    static const char *const networks[] = { "ft2:ports=8", "sf:q=3" };
    struct sf_eval_params params;

    sf_eval_params_paper(&params);
    params.networks = networks;
    params.n_hosts = 16;
    params.n_seeds = 2;
    params.n_layers = 1;
    params.layers[0] = 2;
    params.n_nodes = 2;
    params.nodes[0] = 8;
    params.nodes[1] = 16;
    params.n_sizes = 2;
    params.sizes[0] = 1024;
    params.sizes[1] = 16384;
    params.n_threads = 1;
    for (uint32_t i = 0; sf_eval_kinds[i].name; i++) {
        params.has_kind[i] = !strcmp(sf_eval_kinds[i].name, kind);
    }
    params.has_group[SF_EVAL_JOBS] = false;
    return params;
}

static struct sf_evaluation *
build_small(const struct sf_eval_params *params)
{
    struct sf_evaluation *ev;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_evaluation_build(params, &ev, &err) == SF_OK, "%s", err.text);
    return ev;
}

static uint32_t
kind_of(const char *name)
{
    uint32_t i = 0;
    while (strcmp(sf_eval_kinds[i].name, name) != 0) {
        i++;
    }
    return i;
}

TEST(claims_are_well_formed)
{
    for (const struct sf_claim *claim = sf_claims_of_paper; claim->id;
         claim++) {
        uint32_t n_kinds = 0;
        CHECK_FOR(claim->line >= 1300 && claim->line <= 2210, "%s", claim->id);
        CHECK_FOR(claim->low < claim->high, "%s", claim->id);
        CHECK_FOR(claim->says && claim->measured && claim->rule, "%s",
                  claim->id);
        for (const struct sf_claim *other = sf_claims_of_paper; other < claim;
             other++) {
            CHECK_FOR(strcmp(claim->id, other->id) != 0, "%s", claim->id);
        }
        for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
            n_kinds += has_word(claim->kinds, sf_eval_kinds[k].name);
        }
        uint32_t n_words = 1;
        for (const char *at = claim->kinds; *at; at++) {
            n_words += *at == ',';
        }
        CHECK_FOR(n_kinds == n_words, "%s", claim->id);
    }
}

TEST(claims_are_judged_by_their_bounds)
{
    struct sf_claim claim = { .low = -0.05, .high = 0.05 };

    CHECK(sf_claim_judge(&claim, 0) == SF_CLAIM_AGREES);
    CHECK(sf_claim_judge(&claim, 0.05) == SF_CLAIM_AGREES);
    CHECK(sf_claim_judge(&claim, 0.0501) == SF_CLAIM_DIFFERS);
    CHECK(sf_claim_judge(&claim, -0.06) == SF_CLAIM_DIFFERS);
    CHECK(sf_claim_judge(&claim, (double)NAN) == SF_CLAIM_NOT_RUN);
    claim.high = (double)INFINITY;
    CHECK(sf_claim_judge(&claim, 1e9) == SF_CLAIM_AGREES);
}

/* Sizes that are reckoned stand on two that are simulated. */
static void
check_sizes(const struct sf_eval_params *params,
            const struct sf_eval_kind *kind, uint32_t n_nodes)
{
    struct sf_eval_sizes sizes;
    uint32_t n_simulated = 0;

    sf_eval_sizes_plan(params, kind, n_nodes, &sizes);
    CHECK(sizes.n > 0 && sizes.sizes[0] == kind->min_size);
    CHECK(sizes.sizes[sizes.n - 1] == kind->max_size);
    for (uint32_t i = 0; i < sizes.n; i++) {
        const uint32_t *from = sizes.from[i];
        bool is_between = sizes.hows[i] == SF_EVAL_BETWEEN;
        CHECK_FOR(sizes.hows[i] != SF_EVAL_NONE, "%s %u %g", kind->name,
                  n_nodes, sizes.sizes[i]);
        n_simulated += sizes.hows[i] == SF_EVAL_EVENTS;
        if (sizes.hows[i] == SF_EVAL_EVENTS) {
            continue;
        }
        CHECK(from[0] < from[1] && from[1] < sizes.n);
        CHECK(sizes.hows[from[0]] == SF_EVAL_EVENTS);
        CHECK(sizes.hows[from[1]] == SF_EVAL_EVENTS);
        CHECK(is_between ? from[0] == i - 1 && from[1] == i + 1 : from[1] < i);
        if (is_between) {
            CHECK(sizes.ways[from[0]] == sizes.ways[i]);
            CHECK(sizes.ways[from[1]] == sizes.ways[i]);
        }
    }
    CHECK(n_simulated >= 2);
}

TEST(sizes_that_are_reckoned_stand_on_two_that_are_not)
{
    struct sf_eval_params params;

    sf_eval_params_paper(&params);
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        const struct sf_eval_kind *kind = &sf_eval_kinds[k];
        for (const uint32_t *n = kind->nodes;
             kind->method == SF_EVAL_BY_SIZE && *n; n++) {
            for (uint64_t most = 1; most < 100000000; most *= 30) {
                params.max_packets = 30 * most + 20000;
                check_sizes(&params, kind, *n);
            }
        }
    }
}

TEST(kinds_without_sizes_say_how_they_are_simulated)
{
    static const enum sf_eval_how hows[] = {
        [SF_EVAL_BY_RATE] = SF_EVAL_SLOTS,
        [SF_EVAL_BY_SCALE] = SF_EVAL_SLOTS,
        [SF_EVAL_BY_FLOW] = SF_EVAL_FLOW,
    };
    struct sf_eval_params params;

    sf_eval_params_paper(&params);
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        const struct sf_eval_kind *kind = &sf_eval_kinds[k];
        struct sf_eval_sizes sizes;
        sf_eval_sizes_plan(&params, kind, kind->nodes[0], &sizes);
        CHECK_FOR(kind->method == SF_EVAL_BY_SIZE ||
                      (sizes.n == 1 && sizes.hows[0] == hows[kind->method]),
                  "%s", kind->name);
    }
}

/* A run with a number of its own in each member. */
static struct sf_eval_run
some_run(double size, double seed)
{
    return (struct sf_eval_run){
        .size = size,
        .time = seed / 3,
        .throughput = seed / 7,
        .host_rate = seed / 11,
        .deadlock_time = seed / 13,
        .n_cycle = 3,
        .n_hosts = 16,
        .buffer = 7,
        .is_finished = true,
        .n_packets = UINT64_MAX - 1,
        .n_switch_hops = 12345678901234567,
        .rate = { 9, seed / 17, 0x1p-1074, 1.0 / 3, 2.0 / 3, 0, 1 },
        .latency = { 0, 0, 0, 0, 0, 0, 0 },
    };
}

static bool
same_run(const struct sf_eval_run *a, const struct sf_eval_run *b)
{
    return a->size == b->size && a->time == b->time &&
           a->throughput == b->throughput && a->host_rate == b->host_rate &&
           a->deadlock_time == b->deadlock_time && a->n_cycle == b->n_cycle &&
           a->n_hosts == b->n_hosts && a->buffer == b->buffer &&
           a->is_finished == b->is_finished && a->n_packets == b->n_packets &&
           a->n_switch_hops == b->n_switch_hops && a->rate.n == b->rate.n &&
           same_numbers(&a->rate.mean, &b->rate.mean, 6) &&
           a->latency.n == b->latency.n &&
           same_numbers(&a->latency.mean, &b->latency.mean, 6);
}

TEST(pieces_are_read_as_they_were_written)
{
    struct sf_eval_run runs[2] = { some_run(1, 1), some_run(64, 0.1) };
    struct sf_eval_run blank[2] = { { .size = 1 }, { .size = 64 } };
    struct sf_eval_piece piece = { .n_runs = 2, .runs = runs };
    struct sf_eval_piece other = { .n_runs = 2, .runs = blank };
    char *text = sf_eval_piece_write(&piece, "some settings");

    CHECK(text && !sf_eval_piece_read(&other, "others", text));
    CHECK(!sf_eval_piece_read(&other, "some setting", text));
    CHECK(sf_eval_piece_read(&other, "some settings", text));
    CHECK(same_run(&runs[0], &blank[0]) && same_run(&runs[1], &blank[1]));
    for (size_t n = strlen(text); n-- > 0;) {
        char *part = sf_strdup(text);
        part[n] = '\0';
        CHECK_FOR(!sf_eval_piece_read(&other, "some settings", part), "%zu",
                  n);
        free(part);
    }
    blank[1].size = 65;
    CHECK(!sf_eval_piece_read(&other, "some settings", text));
    free(text);
}

/* Gives every run the time of its group: 'times' [SF_N_EVAL_GROUPS], twice as
 * long with random placement, and that times its size. */
static void
set_times(struct sf_evaluation *ev, const double *times)
{
    for (uint32_t i = 0; i < ev->n_pieces; i++) {
        struct sf_eval_piece *piece = &ev->pieces[i];
        const struct sf_eval_series *series = &ev->series[piece->series];
        for (uint32_t k = 0; k < piece->n_runs; k++) {
            struct sf_eval_run *run = &piece->runs[k];
            run->is_finished = true;
            run->time = times[series->group] * run->size *
                        (series->placement == SF_EVAL_RANDOM ? 2 : 1);
        }
    }
}

static void
check_near(double a, double b)
{
    CHECK_FOR(fabs(a - b) < 1e-9, "%.12g and %.12g", a, b);
}

TEST(claims_are_measured_from_runs)
{
    static const double times[SF_N_EVAL_GROUPS] = { 1, 2, 1.6, 1.25, 1 };
    struct sf_eval_params params = small_params("alltoall");
    struct sf_evaluation *ev = build_small(&params);
    struct sf_claim claim = { .kinds = "bcast,alltoall",
                              .of = SF_CLAIM_RELATIVE,
                              .over = SF_CLAIM_MEAN,
                              .group = SF_EVAL_PAPER };

    set_times(ev, times);
    check_near(sf_claim_measure(ev, &claim, SF_SIM_FIFO), 1 / 1.6 - 1);
    check_near(sf_claim_measure_ours(ev, &claim, SF_SIM_VOQ), 1 / 1.25 - 1);
    claim.placement = SF_EVAL_RANDOM;
    check_near(sf_claim_measure(ev, &claim, SF_SIM_VOQ), 1 / 3.2 - 1);
    claim.of = SF_CLAIM_GAIN;
    check_near(sf_claim_measure(ev, &claim, SF_SIM_VOQ), 2 / 1.6 - 1);
    claim.group = SF_EVAL_DEFAULT;
    claim.of = SF_CLAIM_RELATIVE;
    check_near(sf_claim_measure(ev, &claim, SF_SIM_VOQ), -0.5);
    CHECK(isnan(sf_claim_measure_ours(ev, &claim, SF_SIM_VOQ)));
    claim.nodes[0] = 9;
    CHECK(isnan(sf_claim_measure(ev, &claim, SF_SIM_VOQ)));
    claim.nodes[0] = 8;
    check_near(sf_claim_measure(ev, &claim, SF_SIM_VOQ), -0.5);
    claim.min_size = 1e6;
    CHECK(isnan(sf_claim_measure(ev, &claim, SF_SIM_VOQ)));
    claim.min_size = 0;
    claim.kinds = "alltoal";
    CHECK(isnan(sf_claim_measure(ev, &claim, SF_SIM_VOQ)));
    sf_evaluation_free(ev);
}

/* One cell stands out: which number a claim takes of several. */
TEST(claims_take_the_least_the_most_or_the_mean)
{
    static const double times[SF_N_EVAL_GROUPS] = { 1, 1, 1, 1, 1 };
    static const double expected[] = { 0.25 / 4 - 0.5 / 4, -0.5, 0.25, -0.5 };
    struct sf_eval_params params = small_params("alltoall");
    struct sf_evaluation *ev = build_small(&params);
    struct sf_claim claim = { .kinds = "alltoall", .group = SF_EVAL_PAPER };

    set_times(ev, times);
    for (uint32_t i = 0; i < ev->n_pieces; i++) {
        struct sf_eval_piece *piece = &ev->pieces[i];
        if (ev->series[piece->series].network == 1) {
            double factor = piece->n_nodes == 8 ? 2 : 0.8;
            piece->runs[piece->n_nodes == 8 ? 0 : 1].time *= factor;
        }
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(expected); i++) {
        claim.over = i;
        check_near(sf_claim_measure(ev, &claim, SF_SIM_VOQ), expected[i]);
    }
    sf_evaluation_free(ev);
}

TEST(cells_on_a_line_follow_from_two_sizes)
{
    struct sf_eval_params params = small_params("alltoall");

    params.n_sizes = 0;
    params.max_packets = 5000;
    struct sf_evaluation *ev = build_small(&params);
    uint32_t kind = kind_of("alltoall");
    for (uint32_t i = 0; i < ev->n_pieces; i++) {
        struct sf_eval_piece *piece = &ev->pieces[i];
        for (uint32_t k = 0; k < piece->n_runs; k++) {
            piece->runs[k].is_finished = true;
            piece->runs[k].time = 3 + 2 * piece->runs[k].size;
        }
    }
    for (uint32_t z = 0; z < sf_evaluation_n_sizes(ev, kind); z++) {
        struct sf_eval_at at = { kind, SF_SIM_VOQ, 1, z };
        struct sf_eval_cell cell = sf_evaluation_cell(ev, 0, at);
        double time = 3 + 2 * sf_evaluation_size(ev, kind, z);
        CHECK_FOR(fabs(cell.time / time - 1) < 1e-9, "size %u", z);
        CHECK_FOR(fabs(cell.mean * time - 1) < 1e-9, "size %u", z);
    }
    /* A run that did not end counts as nothing, and so do those on its line.
     */
    struct sf_eval_at at = { kind, SF_SIM_VOQ, 1, 22 };
    struct sf_eval_piece *piece =
        &ev->pieces[ev->piece_at[sf_eval_piece_slot(ev, 0, at, 0)]];
    piece->runs[piece->n_runs - 1].is_finished = false;
    CHECK(sf_evaluation_cell(ev, 0, at).how == SF_EVAL_BEYOND);
    CHECK(sf_evaluation_cell(ev, 0, at).mean == 0);
    sf_evaluation_free(ev);
}

static const struct sf_claim *
claim_of(const char *id)
{
    const struct sf_claim *claim = sf_claims_of_paper;
    while (strcmp(claim->id, id) != 0) {
        claim++;
    }
    return claim;
}

/* Whether a claim has a reason where two kinds run on 25 nodes. */
static bool
has_reason(const char *id, const char *kind, const char *other, bool has_ours)
{
    struct sf_eval_params params = small_params(kind);

    params.networks =
        (const char *const[]){ "ft2:ports=36,leaf=12", "sf:q=5" };
    params.n_hosts = 200;
    params.nodes[0] = 25;
    params.nodes[1] = 200;
    params.has_kind[kind_of(other)] = true;
    params.has_group[SF_EVAL_OURS] = has_ours;
    struct sf_evaluation *ev = build_small(&params);
    for (uint32_t i = 0; i < ev->n_pieces; i++) {
        struct sf_eval_piece *piece = &ev->pieces[i];
        for (uint32_t k = 0; k < piece->n_runs; k++) {
            piece->runs[k].is_finished = true;
            piece->runs[k].time = 1;
            piece->runs[k].host_rate = 0.5;
        }
    }
    const char *reason = sf_claim_reason(ev, claim_of(id));
    CHECK(!reason || reason == claim_of(id)->reason);
    sf_evaluation_free(ev);
    return reason != NULL;
}

/* "Training loses the most" stood beside a figure of BFS alone. */
TEST(reasons_speak_of_what_was_run)
{
    CHECK(!has_reason("ft-placement-rest", "bfs", "ebb", true));
    CHECK(!has_reason("ft-placement-rest", "bfs", "resnet152", true));
    CHECK(!has_reason("science-minimal", "bfs", "hpl", true));
    CHECK(has_reason("bfs-layers", "bfs", "hpl", true));
    CHECK(!has_reason("hpl-layers", "bfs", "halo", true));
    CHECK(has_reason("ebb-full-linear", "ebb", "bfs", true));
    CHECK(!has_reason("ebb-full-linear", "ebb", "bfs", false));
}

/* Networks other than the paper's are compared under the same placement; the
 * paper's Fat Tree is linear. */
TEST(the_reference_has_the_same_placement)
{
    static const double times[SF_N_EVAL_GROUPS] = { 1, 2, 1, 1, 1 };
    struct sf_eval_params params = small_params("alltoall");
    struct sf_eval_at at = { .kind = kind_of("alltoall") };

    for (int i = 0; i < 2; i++) {
        params.is_paper = i == 1;
        struct sf_evaluation *ev = build_small(&params);
        set_times(ev, times);
        for (uint32_t p = 0; p < SF_N_EVAL_PLACEMENTS; p++) {
            struct sf_eval_cell cell =
                sf_evaluation_best(ev, 1, SF_EVAL_MINIMAL, p, at);
            struct sf_eval_cell than = sf_evaluation_reference(ev, p, at);
            bool is_beside_linear = params.is_paper && p == SF_EVAL_RANDOM;
            check_near(sf_evaluation_gain(ev, &cell, &than),
                       is_beside_linear ? -0.75 : -0.5);
        }
        sf_evaluation_free(ev);
    }
}

TEST(gains_for_the_same_money)
{
    static const double times[SF_N_EVAL_GROUPS] = { 1, 2, 1, 1, 1 };
    struct sf_eval_params params = small_params("alltoall");
    struct sf_prices *prices;
    struct sf_error err = { 0 };

    CHECK(sf_prices_default(&prices, &err) == SF_OK);
    params.equal = SF_EVAL_EQUAL_COST;
    params.prices = prices;
    struct sf_evaluation *ev = build_small(&params);
    double dear = ev->networks[1].cost / ev->networks[0].cost;
    struct sf_eval_at at = { .kind = kind_of("alltoall") };
    set_times(ev, times);
    struct sf_eval_cell cell =
        sf_evaluation_best(ev, 1, SF_EVAL_MINIMAL, SF_EVAL_LINEAR, at);
    struct sf_eval_cell than = sf_evaluation_reference(ev, SF_EVAL_LINEAR, at);
    CHECK(dear > 0 && dear != 1);
    check_near(sf_evaluation_gain(ev, &cell, &than), 0.5 / dear - 1);
    sf_evaluation_free(ev);
    sf_prices_free(prices);
}

/* A store in memory. */
struct store {
    struct sf_evaluation_store ops;
    char *texts[400];
    uint32_t n, n_found;
};

static char *
load(void *aux, const char *settings)
{
    struct store *store = aux;
    size_t length = strlen(settings);

    for (uint32_t i = 0; i < store->n; i++) {
        if (!strncmp(store->texts[i], settings, length)) {
            store->n_found++;
            return sf_strdup(store->texts[i]);
        }
    }
    return NULL;
}

static enum sf_status
save(void *aux, const char *settings, const char *text, struct sf_error *err)
{
    struct store *store = aux;

    (void)settings;
    (void)err;
    CHECK(store->n < ARRAY_SIZE(store->texts));
    store->texts[store->n++] = sf_strdup(text);
    return SF_OK;
}

static void
check_same(const struct sf_evaluation *a, const struct sf_evaluation *b)
{
    CHECK(a->n_pieces == b->n_pieces);
    for (uint32_t i = 0; i < a->n_pieces; i++) {
        for (uint32_t k = 0; k < a->pieces[i].n_runs; k++) {
            CHECK_FOR(same_run(&a->pieces[i].runs[k], &b->pieces[i].runs[k]),
                      "piece %u run %u", i, k);
        }
    }
}

TEST(what_is_kept_is_not_run_again)
{
    struct sf_eval_params params = small_params("alltoall");
    struct store store = { .ops = { load, save, &store, NULL } };
    struct sf_evaluation *first = build_small(&params);
    struct sf_evaluation *second = build_small(&params);
    struct sf_error err = { 0 };

    params.n_threads = 3;
    struct sf_evaluation *third = build_small(&params);
    CHECK(sf_evaluation_run(first, &store.ops, &err) == SF_OK);
    CHECK(store.n == first->n_pieces && store.n_found == 0);
    CHECK(sf_evaluation_run(second, &store.ops, &err) == SF_OK);
    CHECK(store.n == first->n_pieces && store.n_found == store.n);
    CHECK(sf_evaluation_run(third, NULL, &err) == SF_OK);
    check_same(first, second);
    check_same(first, third);
    for (uint32_t i = 0; i < store.n; i++) {
        free(store.texts[i]);
    }
    sf_evaluation_free(first);
    sf_evaluation_free(second);
    sf_evaluation_free(third);
}

/* A store that notes whether two threads save at once. */
struct busy_store {
    struct sf_evaluation_store ops;
    atomic_uint n_saving, n_saved;
    atomic_bool has_met;
};

static char *
load_nothing(void *aux, const char *settings)
{
    (void)aux;
    (void)settings;
    return NULL;
}

static enum sf_status
save_slowly(void *aux, const char *settings, const char *text,
            struct sf_error *err)
{
    struct timespec time = { .tv_nsec = 300000 };
    struct busy_store *store = aux;

    (void)settings;
    (void)text;
    (void)err;
    if (atomic_fetch_add(&store->n_saving, 1) > 0) {
        atomic_store(&store->has_met, true);
    }
    nanosleep(&time, NULL);
    atomic_fetch_sub(&store->n_saving, 1);
    atomic_fetch_add(&store->n_saved, 1);
    return SF_OK;
}

/* Once all threads saved at once, which the store of the CLI does not allow.
 */
TEST(one_thread_saves_at_a_time)
{
    struct sf_eval_params params = small_params("alltoall");
    struct busy_store store = { .ops = { load_nothing, save_slowly, &store,
                                         NULL } };
    struct sf_error err = { 0 };

    params.n_threads = 4;
    struct sf_evaluation *ev = build_small(&params);
    CHECK(sf_evaluation_run(ev, &store.ops, &err) == SF_OK);
    CHECK_EQ(atomic_load(&store.n_saved), ev->n_pieces);
    CHECK(!atomic_load(&store.has_met));
    sf_evaluation_free(ev);
}

TEST(settings_tell_pieces_apart)
{
    struct sf_eval_params params = small_params("ebb");
    struct sf_evaluation *ev = build_small(&params);
    static char texts[400][SF_EVAL_SETTINGS_SIZE];

    CHECK(ev->n_pieces <= ARRAY_SIZE(texts));
    for (uint32_t i = 0; i < ev->n_pieces; i++) {
        sf_eval_piece_describe(ev, &ev->pieces[i], texts[i]);
        for (uint32_t k = 0; k < i; k++) {
            CHECK_FOR(strcmp(texts[i], texts[k]) != 0, "%s", texts[i]);
        }
    }
    sf_evaluation_free(ev);
}

TEST(kinds_that_fit_no_number_of_nodes_are_named)
{
    struct sf_eval_params params = small_params("alltoall");

    params.has_kind[kind_of("gpt3")] = true;
    struct sf_evaluation *ev = build_small(&params);
    CHECK(!*sf_evaluation_kind_left_out(ev, kind_of("alltoall")));
    CHECK(!*sf_evaluation_kind_left_out(ev, kind_of("ebb")));
    CHECK(strstr(sf_evaluation_kind_left_out(ev, kind_of("gpt3")),
                 "8 nodes for gpt3: expected a multiple of 40"));
    sf_evaluation_free(ev);
}

TEST(what_cannot_be_is_refused)
{
    struct sf_eval_params params = small_params("alltoall");
    struct sf_evaluation *ev = UNSET(struct sf_evaluation);
    struct sf_error err = { 0 };

    params.n_hosts = 1000;
    CHECK(sf_evaluation_build(&params, &ev, &err) == SF_EINVAL && !ev);
    CHECK(strstr(err.text, "expected at least 1000 hosts"));
    params = small_params("alltoall");
    params.nodes[1] = 17;
    CHECK(sf_evaluation_build(&params, &ev, &err) == SF_EINVAL && !ev);
    params = small_params("nothing");
    CHECK(sf_evaluation_build(&params, &ev, &err) == SF_EINVAL && !ev);
    params = small_params("gpt3");
    CHECK(sf_evaluation_build(&params, &ev, &err) == SF_EINVAL && !ev);
    CHECK(strstr(err.text, "no benchmark can run"));
    params = small_params("alltoall");
    params.n_networks = 1;
    params.n_layers = 0;
    CHECK(sf_evaluation_build(&params, &ev, &err) == SF_EINVAL && !ev);
    CHECK(strstr(err.text, "expected another network to compare"));
}

static enum sf_status
build_and_run(const struct sf_eval_params *params, struct sf_error *err)
{
    struct sf_evaluation *ev;
    enum sf_status status = sf_evaluation_build(params, &ev, err);

    CHECK((status == SF_OK) == (ev != NULL));
    if (status == SF_OK) {
        status = sf_evaluation_run(ev, NULL, err);
    }
    sf_evaluation_free(ev);
    return status;
}

/* Whether one of the next 'n' allocations fails. */
static bool
has_failure_to_come(unsigned long n)
{
    bool is_there = false;

    for (unsigned long i = 0; !is_there && i < n; i++) {
        void *memory = sf_calloc(1, 1);
        is_there = memory == NULL;
        free(memory);
    }
    return is_there;
}

/* Allocations fail one by one; all would take too long, as routings alone
 * have thousands, which other tests fail. */
TEST(evaluations_run_out_of_memory)
{
    static const char *const networks[] = { "ft2:ports=4", "hx2:2x2,p=1" };
    struct sf_eval_params params = small_params("alltoall");

    params.networks = networks;
    params.n_hosts = 4;
    params.n_nodes = 1;
    params.nodes[0] = 4;
    params.n_sizes = 1;
    params.n_seeds = 1;
    params.has_group[SF_EVAL_PAPER] = false;
    for (unsigned long nth = 1;; nth += 1 + nth / 40) {
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status = build_and_run(&params, &err);
        bool is_still_to_come = has_failure_to_come(nth);
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK_FOR(is_still_to_come, "failure %lu went unnoticed", nth);
            break;
        }
        CHECK_FOR(status == SF_ENOMEM, "%lu: %s", nth, err.text);
    }
}
