/* test_collectives.c -- after a collective, each rank has what the collective
 * promises: data is followed block by block, with who contributed to it.  And
 * the bytes that are sent are those of the formulas. */
#include "base/mem.h"
#include "helpers.h"
#include "oracle/oracle.h"
#include "sim/workloads/rules.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define MAX_RANKS 40

static uint32_t hosts[MAX_RANKS];

/* What ranks have: for each rank and block, a set of those whose data is in
 * it. */
struct state {
    uint32_t n_ranks, n_blocks;
    bool is_gossip;   /* Data is only heard of, so nothing counts twice. */
    bool is_mirrored; /* The block of a rank is that of its bits reversed. */
    uint64_t *sets;   /* [n_ranks * n_blocks] */
};

/* A collective that was written down. */
struct recorded {
    struct sf_program program;
    struct sf_script script;
    uint64_t bytes; /* Of all messages. */
};

static void
begin_recording(struct recorded *recorded, uint32_t n)
{
    for (uint32_t i = 0; i < MAX_RANKS; i++) {
        hosts[i] = i;
    }
    *recorded = (struct recorded){ 0 };
    sf_script_init(&recorded->script, &recorded->program, hosts, n);
    recorded->script.takes_notes = true;
}

static void
end_recording(struct recorded *recorded)
{
    struct sf_error err = { 0 };

    CHECK_FOR(sf_script_status(&recorded->script, &err) == SF_OK, "%s",
              err.text);
    CHECK_FOR(sf_program_end(&recorded->program, MAX_RANKS, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(recorded->script.parts.n, recorded->program.messages.n);
    for (size_t i = 0; i < recorded->program.messages.n; i++) {
        recorded->bytes += recorded->program.messages.items[i].bytes;
    }
}

static void
clear_recording(struct recorded *recorded)
{
    sf_script_clear(&recorded->script);
    sf_program_clear(&recorded->program);
}

static struct state *
make_state(uint32_t n_ranks, uint32_t n_blocks)
{
    struct state *state = oracle_calloc(1, sizeof *state);

    *state = (struct state){ .n_ranks = n_ranks, .n_blocks = n_blocks };
    state->sets = oracle_calloc((size_t)n_ranks * n_blocks, sizeof(uint64_t));
    return state;
}

static uint64_t *
set_of(const struct state *state, uint32_t rank, uint32_t block)
{
    return &state->sets[(size_t)rank * state->n_blocks + block];
}

/* Message 'm' comes: blocks are added to those of its receiver, or take their
 * place if they have all of these. */
static void
deliver(const struct state *state, const struct recorded *recorded, uint32_t m,
        const uint64_t *carried)
{
    uint32_t to = recorded->program.messages.items[m].to;
    struct sf_part part = recorded->script.parts.items[m];

    for (uint32_t i = 0; i < part.n; i++) {
        uint64_t *set = set_of(state, to, (part.first + i) % state->n_blocks);
        uint64_t common = *set & carried[i];
        CHECK_FOR(state->is_gossip || common == 0 || common == *set ||
                      common == carried[i],
                  "message %u: block %u of rank %u counts some twice", m,
                  part.first + i, to);
        *set |= carried[i];
    }
}

/* Runs the program: a message carries what its sender has when it starts, and
 * has come only for who waits for it. */
static void
follow(const struct state *state, const struct recorded *recorded)
{
    const struct sf_program *program = &recorded->program;
    uint32_t n = (uint32_t)program->messages.n;
    uint64_t **carried = oracle_calloc(n, sizeof *carried);
    bool *has_come = oracle_calloc(n, sizeof *has_come);

    for (uint32_t m = 0; m < n; m++) {
        uint32_t from = program->messages.items[m].from;
        struct sf_part part = recorded->script.parts.items[m];
        for (size_t i = 0; i < program->waits.n; i++) {
            struct sf_wait wait = program->waits.items[i];
            if (wait.after == m && !wait.is_start) {
                CHECK(wait.before < m);
                if (!has_come[wait.before] &&
                    program->messages.items[wait.before].to == from) {
                    deliver(state, recorded, wait.before,
                            carried[wait.before]);
                    has_come[wait.before] = true;
                }
            }
        }
        carried[m] = oracle_calloc(part.n, sizeof **carried);
        for (uint32_t i = 0; i < part.n; i++) {
            carried[m][i] =
                *set_of(state, from, (part.first + i) % state->n_blocks);
        }
    }
    for (uint32_t m = 0; m < n; m++) {
        if (!has_come[m]) {
            deliver(state, recorded, m, carried[m]);
        }
        free(carried[m]);
    }
    free(carried);
    free(has_come);
}

static uint64_t
all_of(uint32_t n)
{
    return (UINT64_C(1) << n) - 1;
}

/* What ranks have at the beginning. */
static void
fill(const struct state *state, enum sf_collective what)
{
    for (uint32_t r = 0; r < state->n_ranks; r++) {
        for (uint32_t b = 0; b < state->n_blocks; b++) {
            bool has = what == SF_BCAST       ? r == 0
                       : what == SF_ALLGATHER ? r == b
                                              : true;
            *set_of(state, r, b) = has ? UINT64_C(1) << r : 0;
        }
    }
}

/* The block that is for a rank. */
static uint32_t
own_block(const struct state *state, uint32_t rank)
{
    uint32_t block = 0;

    if (!state->is_mirrored) {
        return rank;
    }
    for (uint32_t bit = 1; bit < state->n_ranks; bit *= 2) {
        block = 2 * block + (rank & bit ? 1 : 0);
    }
    return block;
}

/* What they are to have in the end. */
static void
check(const struct state *state, enum sf_collective what, const char *name)
{
    for (uint32_t r = 0; r < state->n_ranks; r++) {
        for (uint32_t b = 0; b < state->n_blocks; b++) {
            uint64_t all = all_of(state->n_ranks);
            uint64_t expected = what == SF_BCAST       ? 1
                                : what == SF_ALLGATHER ? UINT64_C(1) << b
                                                       : all;
            if (what == SF_REDUCE_SCATTER && b != own_block(state, r)) {
                continue;
            }
            CHECK_FOR(*set_of(state, r, b) == expected,
                      "%s of %u: block %u of rank %u is of %llx, expected "
                      "%llx",
                      name, state->n_ranks, b, r,
                      (unsigned long long)*set_of(state, r, b),
                      (unsigned long long)expected);
        }
    }
}

struct a_case {
    enum sf_collective what;
    enum sf_algorithm algorithm;
    const char *name;
    uint64_t segment;
};

static const struct a_case cases[] = {
    { SF_ALLTOALL, SF_LINEAR, "alltoall, linear", 0 },
    { SF_ALLTOALL, SF_PAIRWISE, "alltoall, pairwise", 0 },
    { SF_ALLTOALL, SF_BRUCK, "alltoall, bruck", 0 },
    { SF_ALLREDUCE, SF_RECURSIVE_DOUBLING, "allreduce, doubling", 0 },
    { SF_ALLREDUCE, SF_RING, "allreduce, ring", 0 },
    { SF_ALLREDUCE, SF_SEGMENTED_RING, "allreduce, segmented ring", 1000 },
    { SF_ALLREDUCE, SF_RABENSEIFNER, "allreduce, rabenseifner", 0 },
    { SF_ALLREDUCE, SF_REDUCE_BCAST, "allreduce, reduce and bcast", 0 },
    { SF_BCAST, SF_LINEAR, "bcast, linear", 0 },
    { SF_BCAST, SF_PIPELINE, "bcast, chain", 0 },
    { SF_BCAST, SF_PIPELINE, "bcast, pipeline", 7000 },
    { SF_BCAST, SF_PIPELINE, "bcast, long segments", 20000 },
    { SF_BCAST, SF_SPLIT_BINARY, "bcast, split binary", 7000 },
    { SF_BCAST, SF_SPLIT_BINARY, "bcast, two halves", 0 },
    { SF_BCAST, SF_BINARY, "bcast, binary", 9000 },
    { SF_BCAST, SF_BINOMIAL, "bcast, binomial", 0 },
    { SF_BCAST, SF_KNOMIAL, "bcast, knomial", 0 },
    { SF_BCAST, SF_SCATTER_ALLGATHER, "bcast, scatter and allgather", 0 },
    { SF_ALLGATHER, SF_RING, "allgather, ring", 0 },
    { SF_ALLGATHER, SF_BRUCK, "allgather, bruck", 0 },
    { SF_ALLGATHER, SF_RECURSIVE_DOUBLING, "allgather, doubling", 0 },
    { SF_ALLGATHER, SF_NEIGHBOR, "allgather, neighbor", 0 },
    { SF_REDUCE_SCATTER, SF_LINEAR, "reduce-scatter, linear", 0 },
    { SF_REDUCE_SCATTER, SF_RING, "reduce-scatter, ring", 0 },
    { SF_REDUCE_SCATTER, SF_RECURSIVE_HALVING, "reduce-scatter, halving", 0 },
    { SF_REDUCE_SCATTER, SF_BUTTERFLY, "reduce-scatter, butterfly", 0 },
    { SF_BARRIER, SF_LINEAR, "barrier, linear", 0 },
    { SF_BARRIER, SF_RECURSIVE_DOUBLING, "barrier, doubling", 0 },
    { SF_BARRIER, SF_BRUCK, "barrier, bruck", 0 },
    { SF_BARRIER, SF_TREE, "barrier, tree", 0 },
};

static void
add(const struct sf_group *group, const struct a_case *c, uint64_t bytes)
{
    struct sf_choice choice = { c->algorithm, c->segment };

    if (c->what == SF_ALLTOALL) {
        sf_alltoall(group, bytes, choice);
    } else if (c->what == SF_ALLREDUCE) {
        sf_allreduce(group, bytes, choice);
    } else if (c->what == SF_BCAST) {
        sf_bcast(group, bytes, choice);
    } else if (c->what == SF_ALLGATHER) {
        sf_allgather(group, bytes, choice);
    } else if (c->what == SF_REDUCE_SCATTER) {
        sf_reduce_scatter(group, bytes, choice);
    } else {
        sf_barrier(group, choice);
    }
}

static uint32_t
floor_power(uint32_t n)
{
    uint32_t power = 1;
    while (2 * power <= n) {
        power *= 2;
    }
    return power;
}

static uint32_t
floor_log(uint32_t n)
{
    return n > 1 ? 1 + floor_log(n / 2) : 0;
}

/* In how many blocks the data is cut. */
static uint32_t
count_blocks(const struct a_case *c, uint32_t n, uint64_t bytes)
{
    uint64_t segments = c->segment ? (bytes + c->segment - 1) / c->segment : 1;

    switch (c->what) {
    case SF_ALLREDUCE:
        if (c->algorithm == SF_RING || c->algorithm == SF_SEGMENTED_RING) {
            uint64_t block = (bytes + n - 1) / n;
            return n * (c->segment
                            ? (uint32_t)((block + c->segment - 1) / c->segment)
                            : 1);
        }
        return c->algorithm == SF_RABENSEIFNER ? floor_power(n) : 1;
    case SF_BCAST:
        if (c->algorithm == SF_SCATTER_ALLGATHER) {
            return n;
        }
        return c->algorithm == SF_SPLIT_BINARY && !c->segment
                   ? 2
                   : (uint32_t)segments;
    case SF_ALLGATHER:
    case SF_REDUCE_SCATTER:
        return n;
    case SF_ALLTOALL:
    case SF_BARRIER:
    case SF_N_COLLECTIVES:
        break;
    }
    return 1;
}

/* The bytes of the upper half of 'power' blocks, of which the first ones are
 * larger by one where the bytes are not a multiple. */
static uint64_t
upper_half(uint64_t bytes, uint64_t power)
{
    uint64_t half = power / 2, larger = bytes % power;

    return half * (bytes / power) + (larger > half ? larger - half : 0);
}

/* The bytes that all send together; 0 if there is no formula here. */
static uint64_t
count_bytes(const struct a_case *c, uint32_t n, uint64_t bytes)
{
    uint64_t power = floor_power(n), more = n - power, sum = 0;

    switch (c->what) {
    case SF_ALLTOALL:
        if (c->algorithm != SF_BRUCK) {
            return (uint64_t)n * (n - 1) * bytes;
        }
        for (uint32_t i = 1; i < n; i++) {
            sum += (uint64_t)__builtin_popcount(i);
        }
        return n * sum * bytes;
    case SF_ALLREDUCE:
        if (c->algorithm == SF_RECURSIVE_DOUBLING) {
            return (power * floor_log(n) + 2 * more) * bytes;
        }
        return c->algorithm == SF_RABENSEIFNER
                   ? (2 * (power - 1) + 2 * more) * bytes +
                         more * upper_half(bytes, power)
                   : (uint64_t)2 * (n - 1) * bytes;
    case SF_BCAST:
        return c->algorithm == SF_SCATTER_ALLGATHER ? 0 : (n - 1) * bytes;
    case SF_ALLGATHER:
        return (uint64_t)n * (n - 1) * bytes;
    case SF_REDUCE_SCATTER:
        return c->algorithm == SF_RING ? (uint64_t)n * (n - 1) * bytes : 0;
    case SF_BARRIER:
        return c->algorithm == SF_BRUCK
                   ? (uint64_t)n * (floor_log(n) + (power < n))
               : c->algorithm == SF_RECURSIVE_DOUBLING
                   ? power * floor_log(n) + 2 * more
                   : (uint64_t)2 * (n - 1);
    case SF_N_COLLECTIVES:
        break;
    }
    return 0;
}

/* Each rank sends to each other once. */
static void
check_pairs(const struct recorded *recorded, uint32_t n)
{
    uint32_t counts[MAX_RANKS][MAX_RANKS] = { { 0 } };

    for (size_t i = 0; i < recorded->program.messages.n; i++) {
        const struct sf_message *message =
            &recorded->program.messages.items[i];
        counts[message->from][message->to] += sf_message_is_sent(message);
    }
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++) {
            CHECK_EQ(counts[a][b], a != b);
        }
    }
}

static void
check_case(const struct a_case *c, uint32_t n, uint64_t bytes)
{
    struct recorded recorded;
    struct state *state = make_state(n, count_blocks(c, n, bytes));

    begin_recording(&recorded, n);
    struct sf_group group = sf_group_all(&recorded.script);
    add(&group, c, bytes);
    end_recording(&recorded);
    fill(state, c->what);
    state->is_gossip = c->what == SF_BARRIER || c->what == SF_ALLTOALL;
    state->is_mirrored = c->algorithm == SF_BUTTERFLY && floor_power(n) == n;
    follow(state, &recorded);
    check(state, c->what, c->name);
    uint64_t expected = count_bytes(c, n, bytes);
    CHECK_FOR(expected == 0 || recorded.bytes == expected,
              "%s of %u: %llu bytes, expected %llu", c->name, n,
              (unsigned long long)recorded.bytes,
              (unsigned long long)expected);
    if (c->what == SF_ALLTOALL && c->algorithm != SF_BRUCK) {
        check_pairs(&recorded, n);
    }
    clear_recording(&recorded);
    free(state->sets);
    free(state);
}

TEST(collectives_keep_their_promise)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        for (uint32_t n = 2; n <= 20; n++) {
            check_case(&cases[i], n, 40000 + 7 * n);
        }
    }
}

TEST_LONG(collectives_keep_their_promise_on_more)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        for (uint32_t n = 21; n <= MAX_RANKS; n++) {
            check_case(&cases[i], n, 40000 + 11 * n);
        }
    }
}

/* Data that is less than a byte a rank is not lost. */
TEST(collectives_of_few_bytes)
{
    for (uint32_t n = 2; n <= 9; n++) {
        struct a_case ring = { SF_ALLREDUCE, SF_RECURSIVE_DOUBLING, "tiny",
                               0 };
        check_case(&ring, n, 1);
        for (uint32_t algorithm = 0; algorithm < 2; algorithm++) {
            struct recorded recorded;
            begin_recording(&recorded, n);
            struct sf_group group = sf_group_all(&recorded.script);
            sf_allreduce(&group, 1,
                         (struct sf_choice){
                             algorithm ? SF_RING : SF_RABENSEIFNER, 0 });
            end_recording(&recorded);
            CHECK_EQ(recorded.bytes, count_bytes(&ring, n, 1));
            clear_recording(&recorded);
        }
    }
}

/* Groups are some of the ranks, and the others have no part in it. */
TEST(collectives_of_groups)
{
    struct recorded recorded;

    begin_recording(&recorded, 12);
    struct sf_group group = { &recorded.script, 2, 5, 2 };
    sf_allreduce(&group, 1000, (struct sf_choice){ SF_RING, 0 });
    end_recording(&recorded);
    CHECK_EQ(recorded.program.messages.n, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct sf_message *message = &recorded.program.messages.items[i];
        CHECK(message->from == 2 || message->from == 7);
        CHECK(message->from + message->to == 9);
    }
    clear_recording(&recorded);
}

/* One collective after the other: nobody starts the second before it has all
 * of the first. */
TEST(collectives_follow_each_other)
{
    struct recorded recorded;
    struct state *state = make_state(7, 1);
    uint32_t n_first;

    begin_recording(&recorded, 7);
    struct sf_group group = sf_group_all(&recorded.script);
    sf_barrier(&group, (struct sf_choice){ SF_BRUCK, 0 });
    n_first = (uint32_t)recorded.program.messages.n;
    for (uint32_t r = 0; r < 7; r++) {
        sf_script_send(&recorded.script, r, (r + 1) % 7, 1,
                       (struct sf_part){ 0, 1 });
    }
    end_recording(&recorded);
    fill(state, SF_BARRIER);
    state->is_gossip = true;
    /* What is sent after the barrier is what all know by then. */
    follow(state, &recorded);
    for (uint32_t r = 0; r < 7; r++) {
        CHECK_EQ(*set_of(state, r, 0), all_of(7));
        CHECK(recorded.program.messages.items[n_first + r].n_waits > 0 ||
              recorded.program.messages.items[n_first].bytes == 0);
    }
    clear_recording(&recorded);
    free(state->sets);
    free(state);
}

/* What runs beside a rank ends before what follows the join. */
TEST(scripts_fork_and_join)
{
    struct recorded recorded;
    struct sf_script branch;

    begin_recording(&recorded, 2);
    struct sf_script *script = &recorded.script;
    script->takes_notes = false;
    sf_script_compute(script, 0, 1);
    sf_script_step(script, 0);
    sf_script_fork(script, &branch);
    sf_script_compute(script, 0, 2);
    sf_script_step(script, 0);
    sf_script_send(&branch, 0, 1, 10, (struct sf_part){ 0, 1 });
    sf_script_step(&branch, 0);
    sf_script_step(&branch, 1);
    sf_script_join(script, &branch);
    sf_script_compute(script, 0, 3);
    sf_script_compute(script, 1, 4);
    CHECK_EQ(sf_script_status(script, NULL), SF_OK);
    CHECK_EQ(sf_program_end(&recorded.program, 2, NULL), SF_OK);
    static const struct sf_wait expected[] = {
        { 0, 1, 0 }, { 0, 2, 0 }, { 1, 3, 0 }, { 2, 3, 0 }, { 2, 4, 0 },
    };
    CHECK_EQ(recorded.program.messages.n, 5);
    CHECK_EQ(recorded.program.waits.n, ARRAY_SIZE(expected));
    for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
        CHECK_EQ(recorded.program.waits.items[i].before, expected[i].before);
        CHECK_EQ(recorded.program.waits.items[i].after, expected[i].after);
    }
    clear_recording(&recorded);
}

/* The rules of Open MPI 1.10, said once more. */
static struct sf_choice
choose_as_110(enum sf_collective what, uint32_t n, double bytes)
{
    bool is_power = floor_power(n) == n;
    double all = bytes * n;

    if (what == SF_ALLREDUCE) {
        return bytes < 10000 ? (struct sf_choice){ SF_RECURSIVE_DOUBLING, 0 }
               : floor(bytes / 4) <= n - (fmod(bytes, 4) > 0 ? 1 : 0)
                   ? (struct sf_choice){ SF_REDUCE_BCAST, 0 }
               : n * 1048576.0 >= bytes
                   ? (struct sf_choice){ SF_RING, 0 }
                   : (struct sf_choice){ SF_SEGMENTED_RING, 1048576 };
    }
    if (what == SF_ALLTOALL) {
        return n == 2 ? (struct sf_choice){ SF_PAIRWISE, 0 }
               : bytes < 200 && n > 12
                   ? (struct sf_choice){ SF_BRUCK, 0 }
                   : (struct sf_choice){ bytes < 3000 ? SF_LINEAR
                                                      : SF_PAIRWISE,
                                         0 };
    }
    if (what == SF_ALLGATHER) {
        return n == 2 ? (struct sf_choice){ SF_RING, 0 }
               : all < 50000
                   ? (struct sf_choice){ is_power ? SF_RECURSIVE_DOUBLING
                                                  : SF_BRUCK,
                                         0 }
                   : (struct sf_choice){ n % 2 ? SF_RING : SF_NEIGHBOR, 0 };
    }
    if (what == SF_REDUCE_SCATTER) {
        bool is_halved = all <= 12288 || (all <= 262144 && is_power) ||
                         n >= 0.0012 * all + 8;
        return (struct sf_choice){ is_halved ? SF_RECURSIVE_HALVING : SF_RING,
                                   0 };
    }
    if (what == SF_BARRIER) {
        return (struct sf_choice){ is_power ? SF_RECURSIVE_DOUBLING : SF_BRUCK,
                                   0 };
    }
    if (bytes < 2048) {
        return (struct sf_choice){ SF_BINOMIAL, 0 };
    }
    if (bytes < 370728) {
        return (struct sf_choice){ SF_SPLIT_BINARY, 1024 };
    }
    if (n < 1.6134e-6 * bytes + 2.1102) {
        return (struct sf_choice){ SF_PIPELINE, 131072 };
    }
    if (n < 13) {
        return (struct sf_choice){ SF_SPLIT_BINARY, 8192 };
    }
    return (struct sf_choice){ SF_PIPELINE,
                               n < 2.3679e-6 * bytes + 1.1787   ? 65536
                               : n < 3.2118e-6 * bytes + 8.7936 ? 16384
                                                                : 8192 };
}

TEST(rules_of_open_mpi_1_10)
{
    /* One less than where rules change. */
    static const uint64_t bounds[] = { 199,   1999,  2047,   2999,  9999,
                                       12287, 49999, 262143, 370727 };
    enum {
        N_BOUNDS = ARRAY_SIZE(bounds)
    };
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    CHECK_STR(sf_rules[1].name, "ompi-1.10");
    for (uint32_t i = 0; i < 20000; i++) {
        enum sf_collective what = sf_random_below(&random, SF_N_COLLECTIVES);
        uint32_t n = 2 + sf_random_below(&random, i % 2 ? 30 : 3000);
        uint64_t bytes =
            1 + sf_random_below(&random, 1u << sf_random_below(&random, 30));
        if (i % 3 == 0) {
            uint64_t bound = bounds[sf_random_below(&random, N_BOUNDS)];
            bool is_all = what == SF_ALLGATHER || what == SF_REDUCE_SCATTER;
            bytes = (is_all ? bound / n : bound) + sf_random_below(&random, 3);
        }
        struct sf_choice choice =
            sf_rules_choose(&sf_rules[1], what, n, bytes);
        struct sf_choice expected = choose_as_110(what, n, (double)bytes);
        CHECK_FOR(choice.algorithm == expected.algorithm &&
                      choice.segment == expected.segment,
                  "collective %d of %u ranks and %llu bytes: %d, %llu", what,
                  n, (unsigned long long)bytes, choice.algorithm,
                  (unsigned long long)choice.segment);
    }
}

/* Some that were looked up in 5.0.10 by hand. */
TEST(rules_of_open_mpi_5_0)
{
    static const struct {
        enum sf_collective what;
        uint32_t n;
        uint64_t bytes;
        enum sf_algorithm algorithm;
    } points[] = {
        { SF_ALLREDUCE, 3, 7, SF_RING },
        { SF_ALLREDUCE, 7, 8192, SF_RABENSEIFNER },
        { SF_ALLREDUCE, 31, 63, SF_SEGMENTED_RING },
        { SF_ALLREDUCE, 200, 131071, SF_REDUCE_BCAST },
        { SF_ALLREDUCE, 200, 131072, SF_RECURSIVE_DOUBLING },
        { SF_ALLREDUCE, 5000, 20000, SF_RECURSIVE_DOUBLING },
        { SF_ALLREDUCE, 5000, 1 << 30, SF_RABENSEIFNER },
        { SF_ALLTOALL, 2, 40000, SF_LINEAR },
        { SF_ALLTOALL, 31, 511, SF_BRUCK },
        { SF_ALLTOALL, 31, 512, SF_LINEAR },
        { SF_ALLTOALL, 200, 262143, SF_LINEAR },
        { SF_ALLTOALL, 200, 262144, SF_PAIRWISE },
        { SF_ALLTOALL, 9000, 1 << 20, SF_LINEAR },
        { SF_BCAST, 3, 600, SF_KNOMIAL },
        { SF_BCAST, 31, 1 << 20, SF_SCATTER_ALLGATHER },
        { SF_BCAST, 200, 1, SF_BINOMIAL },
        { SF_BCAST, 200, 20000, SF_LINEAR },
        { SF_BCAST, 1000, 20000, SF_SPLIT_BINARY },
        { SF_ALLGATHER, 2, 9, SF_RING },
        { SF_ALLGATHER, 200, 511, SF_RECURSIVE_DOUBLING },
        { SF_ALLGATHER, 200, 1 << 20, SF_RING },
        { SF_ALLGATHER, 200, 600000, SF_NEIGHBOR },
        { SF_ALLGATHER, 300, 100, SF_BRUCK },
        { SF_REDUCE_SCATTER, 3, 1 << 20, SF_LINEAR },
        { SF_REDUCE_SCATTER, 200, 100, SF_BUTTERFLY },
        { SF_REDUCE_SCATTER, 20, 100, SF_RECURSIVE_HALVING },
        { SF_BARRIER, 5, 1, SF_LINEAR },
        { SF_BARRIER, 300, 1, SF_TREE },
        { SF_BARRIER, 200, 1, SF_BRUCK },
        { SF_BARRIER, 20, 1, SF_RECURSIVE_DOUBLING },
    };

    CHECK_STR(sf_rules[0].name, "ompi-5.0");
    for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
        struct sf_choice choice = sf_rules_choose(
            &sf_rules[0], points[i].what, points[i].n, points[i].bytes);
        CHECK_FOR(choice.algorithm == points[i].algorithm,
                  "point %zu: algorithm %d", i, choice.algorithm);
        CHECK_EQ(choice.segment, 0);
    }
}

/* Collectives of every kind, with an allocation that fails. */
static enum sf_status
add_all(struct sf_error *err)
{
    struct sf_program program = { 0 };
    struct sf_script script, branch;

    sf_script_init(&script, &program, hosts, 5);
    struct sf_group group = sf_group_all(&script);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        add(&group, &cases[i], 9000);
    }
    sf_script_fork(&script, &branch);
    sf_script_compute(&branch, 0, 1);
    sf_script_join(&script, &branch);
    enum sf_status status = sf_script_status(&script, err);
    sf_script_clear(&script);
    sf_program_clear(&program);
    return status;
}

TEST(collectives_without_memory)
{
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_error err = { 0 };
        CHECK(nth < 10000);
        sf_mem_fail_at(nth);
        status = add_all(&err);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || status == SF_ENOMEM);
        CHECK(status == SF_OK || err.status == SF_ENOMEM);
    }
}
