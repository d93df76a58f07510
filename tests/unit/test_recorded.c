/* test_recorded.c -- traces become programs: random ones, whose messages are
 * counted apart; collectives, by who knows of whom in the end; what is
 * refused; each allocation that fails. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "sim/recorded/calls.h"
#include "sim/recorded/trace.h"
#include "sim/workloads/goal.h"
#include "sim/workloads/rules.h"
#include "slimfly/random.h"
#include "slimfly/recording.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_RANKS       6
#define MAX_MEMBERS     33
#define MAX_ALLOCATIONS 5000

/* The trace of a rank while it is made. */
struct made {
    SF_VEC(uint8_t) bytes;
    uint32_t n_requests;
};

static void
put(struct made *made, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) {
        CHECK(sf_vec_push(&made->bytes, (uint8_t)(number | 0x80)));
    }
    CHECK(sf_vec_push(&made->bytes, (uint8_t)number));
}

#define PUT(made, ...)                                        \
    do {                                                      \
        const uint64_t numbers_[] = { __VA_ARGS__ };          \
        for (size_t i_ = 0; i_ < sizeof numbers_ / 8; i_++) { \
            put((made), numbers_[i_]);                        \
        }                                                     \
    } while (0)

/* Begins the trace of 'rank', with the world and the world in reverse. */
static void
begin_trace(struct made *made, uint32_t rank, uint32_t n)
{
    for (const char *at = SF_TRACE_MAGIC; *at; at++) {
        CHECK(sf_vec_push(&made->bytes, (uint8_t)*at));
    }
    PUT(made, rank, n);
    for (uint32_t k = 0; k < 2; k++) {
        PUT(made, SF_TRACE_COMM, 77 + k, n);
        for (uint32_t i = 0; i < n; i++) {
            put(made, k ? n - 1 - i : i);
        }
        put(made, 0);
    }
}

/* Writes traces into a new folder, whose name is in 'folder', and clears
 * them. */
static void
save_traces(struct made *made, uint32_t n, char folder[64])
{
    snprintf(folder, 64, "/tmp/slimfly-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    for (uint32_t i = 0; i < n; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/" SF_TRACE_NAME, folder, i);
        FILE *stream = fopen(path, "w");
        CHECK(stream != NULL);
        fwrite(made[i].bytes.items, 1, made[i].bytes.n, stream);
        fclose(stream);
        free(made[i].bytes.items);
    }
}

static void
remove_traces(const char *folder, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/" SF_TRACE_NAME, folder, i);
        unlink(path);
    }
    rmdir(folder);
}

/* Bytes that each rank sends to each. */
struct matrix {
    uint64_t bytes[MAX_RANKS][MAX_RANKS];
};

/* Draws messages, one after the other, so that no order can deadlock: sends
 * and receives that block or not, of known and unknown senders. */
static void
draw_messages(struct made *made, uint32_t n, uint32_t n_messages,
              struct sf_random *random, struct matrix *sent)
{
    for (uint32_t i = 0; i < n_messages; i++) {
        uint32_t from = sf_random_below(random, n);
        uint32_t to = sf_random_below(random, n);
        uint32_t comm = sf_random_below(random, 2);
        uint32_t tag = sf_random_below(random, 3);
        uint32_t bytes = 1 + sf_random_below(random, 9000);
        uint32_t to_in_comm = comm ? n - 1 - to : to;
        uint32_t from_in_comm = comm ? n - 1 - from : from;
        uint32_t way = sf_random_below(random, 4);
        PUT(&made[from], SF_TRACE_COMPUTE, sf_random_below(random, 1000));
        PUT(&made[from], way & 1 ? SF_TRACE_SEND : SF_TRACE_ISEND, comm,
            to_in_comm, tag, bytes);
        if (!(way & 1)) {
            PUT(&made[from], SF_TRACE_DONE, made[from].n_requests++);
        }
        if (way & 2) {
            PUT(&made[to], SF_TRACE_RECV, comm, from_in_comm, tag, bytes);
        } else {
            PUT(&made[to], SF_TRACE_IRECV, comm,
                way & 1 ? 0 : from_in_comm + 1, way & 1 ? 0 : tag + 1, 9999);
            PUT(&made[to], SF_TRACE_GOT, made[to].n_requests++, from_in_comm,
                tag, bytes);
        }
        sent->bytes[from][to] += bytes;
    }
}

/* Converts the traces in 'folder' and reads the result. */
static enum sf_status
convert(const char *folder, uint32_t n, uint64_t eager,
        struct sf_recording *recording, struct sf_program *program,
        struct sf_error *err)
{
    struct sf_recording_params params = { .folder = folder,
                                          .compute_scale = 1,
                                          .eager = eager };
    uint32_t hosts[MAX_RANKS] = { 0, 1, 2, 3, 4, 5 };
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    enum sf_status status =
        sf_recording_write_goal(&params, stream, recording, err);

    fclose(stream);
    if (status == SF_OK) {
        status = sf_goal_parse(text, length, "goal", hosts, n, program, err);
    }
    if (status == SF_OK) {
        status = sf_program_end(program, n, err);
    }
    free(text);
    return status;
}

TEST(recorded_messages_are_those_of_the_traces)
{
    for (uint32_t seed = 0; seed < 200; seed++) {
        struct sf_random random;
        struct made made[MAX_RANKS] = { 0 };
        struct matrix sent = { 0 }, found = { 0 };
        struct sf_recording recording;
        struct sf_program program = { 0 };
        struct sf_error err = { 0 };
        char folder[64];

        sf_random_init(&random, seed, 0);
        uint32_t n = 1 + sf_random_below(&random, MAX_RANKS);
        for (uint32_t i = 0; i < n; i++) {
            begin_trace(&made[i], i, n);
        }
        draw_messages(made, n, sf_random_below(&random, 60), &random, &sent);
        for (uint32_t i = 0; i < n; i++) {
            put(&made[i], SF_TRACE_FINISH);
        }
        save_traces(made, n, folder);
        CHECK_EQ(
            convert(folder, n, seed % 3 * 4096, &recording, &program, &err),
            SF_OK);
        CHECK_STR(err.text, "");
        CHECK_EQ(recording.n_ranks, n);
        CHECK_EQ(recording.n_lost, 0u);
        CHECK_EQ(recording.n_unfinished, 0u);
        for (size_t i = 0; i < program.messages.n; i++) {
            const struct sf_message *m = &program.messages.items[i];
            found.bytes[m->from][m->to] += m->bytes;
        }
        for (uint32_t i = 0; i < n; i++) {
            sent.bytes[i][i] = 0; /* Which takes no time. */
        }
        CHECK(memcmp(&sent, &found, sizeof sent) == 0);
        sf_program_clear(&program);
        remove_traces(folder, n);
    }
}

/* Two ranks: a message, a send that nobody gets and a receive that gets
 * nothing. */
TEST(recorded_programs_that_break_off)
{
    struct made made[2] = { 0 };
    struct sf_recording recording;
    struct sf_program program = { 0 };
    struct sf_error err = { 0 };
    char folder[64];

    begin_trace(&made[0], 0, 2);
    begin_trace(&made[1], 1, 2);
    PUT(&made[0], SF_TRACE_SEND, 0, 1, 5, 100);
    PUT(&made[0], SF_TRACE_SEND, 0, 1, 5, 200);
    PUT(&made[0], SF_TRACE_SKIP, SF_SKIP_ONE_SIDED);
    PUT(&made[0], SF_TRACE_COLLECTIVE, SF_CALL_BARRIER, 0, 0, 0, 0);
    PUT(&made[1], SF_TRACE_RECV, 0, 0, 5, 100);
    PUT(&made[1], SF_TRACE_IRECV, 0, 1, 7, 10); /* Tag 6 of rank 0. */
    PUT(&made[1], SF_TRACE_IRECV, 0, 0, 0, 10);
    put(&made[1], SF_TRACE_END);
    put(&made[1], 99); /* Behind the end. */
    save_traces(made, 2, folder);
    CHECK_EQ(convert(folder, 2, 0, &recording, &program, &err), SF_OK);
    CHECK_EQ(recording.n_messages, 1u);
    CHECK_EQ(recording.n_bytes, 100u);
    CHECK_EQ(recording.n_unfinished, 2u);
    CHECK_EQ(recording.n_skipped[SF_SKIP_ONE_SIDED], 1u);
    CHECK_EQ(recording.n_lost, 4u); /* Two, and both ends of the barrier. */
    sf_program_clear(&program);
    remove_traces(folder, 2);
}

/* What a step of a plan knows: of which ranks something came there. */
struct knowledge {
    struct sf_call_plan plan;
    uint64_t *knows;
    bool *is_done;
};

/* The k-th receive of 'plan' from 'peer', or send to it; SF_NONE: none. */
static uint32_t
find_step(const struct sf_call_plan *plan, enum sf_step_kind kind,
          uint32_t peer, uint32_t k)
{
    for (uint32_t i = 0; i < plan->steps.n; i++) {
        if (plan->steps.items[i].kind == kind &&
            plan->steps.items[i].peer == peer && k-- == 0) {
            return i;
        }
    }
    return SF_NONE;
}

/* How many steps like step 'i' are before it. */
static uint32_t
count_before(const struct sf_call_plan *plan, uint32_t i)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < i; k++) {
        n += plan->steps.items[k].kind == plan->steps.items[i].kind &&
             plan->steps.items[k].peer == plan->steps.items[i].peer;
    }
    return n;
}

/* Does step 'i' of rank 'r' if all that it waits for is done. */
static bool
try_step(struct knowledge *all, uint32_t r, uint32_t i)
{
    struct knowledge *own = &all[r];
    const struct sf_call_step *step = &own->plan.steps.items[i];
    uint64_t knows = UINT64_C(1) << r;

    for (size_t w = 0; w < own->plan.waits.n; w++) {
        const struct sf_wait *wait = &own->plan.waits.items[w];
        if (wait->after == i && !own->is_done[wait->before]) {
            return false;
        }
        if (wait->after == i) {
            knows |= own->knows[wait->before];
        }
    }
    if (step->kind == SF_STEP_RECEIVE) {
        struct knowledge *other = &all[step->peer];
        uint32_t sent = find_step(&other->plan, SF_STEP_SEND, r,
                                  count_before(&own->plan, i));
        CHECK(sent != SF_NONE);
        CHECK_EQ(other->plan.steps.items[sent].bytes, step->bytes);
        if (!other->is_done[sent]) {
            return false;
        }
        knows |= other->knows[sent];
    }
    own->knows[i] = knows;
    own->is_done[i] = true;
    return true;
}

/* Runs the plans of all 'n' ranks; sets knows[r] to what each knows in the
 * end, and returns how many bytes were sent. */
static uint64_t
run_plans(struct knowledge *all, uint32_t n, uint64_t *knows)
{
    uint64_t bytes = 0;
    bool has_more = true;

    while (has_more) {
        has_more = false;
        for (uint32_t r = 0; r < n; r++) {
            for (uint32_t i = 0; i < all[r].plan.steps.n; i++) {
                has_more |= !all[r].is_done[i] && try_step(all, r, i);
            }
        }
    }
    for (uint32_t r = 0; r < n; r++) {
        knows[r] = UINT64_C(1) << r;
        for (uint32_t i = 0; i < all[r].plan.steps.n; i++) {
            const struct sf_call_step *step = &all[r].plan.steps.items[i];
            CHECK(all[r].is_done[i]);
            knows[r] |= all[r].knows[i];
            bytes += step->kind == SF_STEP_SEND ? step->bytes : 0;
            if (step->kind == SF_STEP_SEND) {
                CHECK(find_step(&all[step->peer].plan, SF_STEP_RECEIVE, r,
                                count_before(&all[r].plan, i)) != SF_NONE);
            }
        }
    }
    return bytes;
}

/* Takes a copy, as a plan holds until the next. */
static void
copy_plan(const struct sf_call_plan *plan, struct knowledge *own)
{
    for (size_t i = 0; i < plan->steps.n; i++) {
        CHECK(sf_vec_push(&own->plan.steps, plan->steps.items[i]));
    }
    for (size_t i = 0; i < plan->waits.n; i++) {
        CHECK(sf_vec_push(&own->plan.waits, plan->waits.items[i]));
    }
    own->knows = sf_calloc(plan->steps.n, sizeof *own->knows);
    own->is_done = sf_calloc(plan->steps.n, sizeof *own->is_done);
}

/* What rank 'r' of 'n' must know of in the end. */
static uint64_t
must_know(enum sf_call_kind kind, uint32_t r, uint32_t n)
{
    uint64_t all = (UINT64_C(1) << n) - 1;

    switch (kind) {
    case SF_CALL_REDUCE:
    case SF_CALL_GATHER:
        return r == 0 ? all : 1u << r;
    case SF_CALL_BCAST:
    case SF_CALL_SCATTER:
        return 1;
    case SF_CALL_SCAN:
        return (UINT64_C(1) << r) - 1;
    case SF_CALL_BARRIER:
    case SF_CALL_ALLREDUCE:
    case SF_CALL_ALLTOALL:
    case SF_CALL_ALLGATHER:
    case SF_CALL_REDUCE_SCATTER:
    case SF_N_CALLS:
    default:
        return all;
    }
}

/* The bytes that a call without rules sends, by its definition; 0: it is not
 * one. */
static uint64_t
must_send(enum sf_call_kind kind, uint32_t n, const uint64_t *bytes,
          uint64_t sum)
{
    return kind == SF_CALL_REDUCE || kind == SF_CALL_GATHER ||
                   kind == SF_CALL_SCATTER || kind == SF_CALL_SCAN
               ? (n - 1) * bytes[0]
           : kind == SF_CALL_ALLGATHER || kind == SF_CALL_REDUCE_SCATTER
               ? (n - 1) * sum
               : 0;
}

static void
check_call(enum sf_call_kind kind, uint32_t n, uint64_t *bytes,
           bool is_different, struct sf_calls *calls)
{
    static struct knowledge all[MAX_MEMBERS];
    uint64_t knows[MAX_MEMBERS], sum = 0;

    memset(all, 0, sizeof all);
    for (uint32_t r = 0; r < n; r++) {
        struct sf_call call = { kind, r, n, bytes };
        const struct sf_call_plan *plan;
        struct sf_error err = { 0 };
        CHECK_EQ(sf_calls_plan(calls, &call, &plan, &err), SF_OK);
        copy_plan(plan, &all[r]);
        sum += bytes[r];
    }
    uint64_t sent = run_plans(all, n, knows);
    uint64_t expected = must_send(kind, n, bytes, sum);
    CHECK(expected == 0 || sent == expected ||
          (!is_different && kind >= SF_CALL_ALLGATHER));
    for (uint32_t r = 0; r < n; r++) {
        uint64_t must = must_know(kind, r, n);
        CHECK_FOR((knows[r] & must) == must, "call %d, rank %u of %u", kind, r,
                  n);
        free(all[r].plan.steps.items);
        free(all[r].plan.waits.items);
        free(all[r].knows);
        free(all[r].is_done);
    }
}

TEST(recorded_collectives_tell_who_must_know)
{
    for (size_t k = 0; sf_rules[k].name; k++) {
        struct sf_calls calls = { .rules = &sf_rules[k] };
        for (uint32_t n = 2; n <= 9; n++) {
            for (uint32_t i = 0; i < SF_N_CALLS * 3; i++) {
                uint64_t bytes[MAX_MEMBERS];
                static const uint64_t sizes[] = { 7, 900, 40000 };
                bool is_different = n % 2 == 0;
                for (uint32_t r = 0; r < n; r++) {
                    bytes[r] = sizes[i % 3] + (is_different ? r * 100 : 0);
                }
                check_call((enum sf_call_kind)(i / 3), n, bytes, is_different,
                           &calls);
            }
        }
        sf_calls_clear(&calls);
    }
}

static enum sf_status
parse(const uint8_t *bytes, size_t n, struct sf_error *err)
{
    struct sf_trace trace;
    enum sf_status status = sf_trace_parse(bytes, n, "trace", &trace, err);

    sf_trace_clear(&trace);
    return status;
}

TEST(recorded_bad_traces_are_refused)
{
    static const struct {
        uint8_t bytes[12];
        size_t n;
        const char *says;
    } cases[] = {
        { { 60 }, 1, "expected a kind of record before this byte" },
        { { SF_TRACE_COMPUTE }, 1, "expected nanoseconds" },
        { { SF_TRACE_SEND, 5, 0, 0, 1 }, 5, "expected a communicator that" },
        { { SF_TRACE_SEND, 0, 3, 0, 1 }, 5, "expected a rank of the comm" },
        { { SF_TRACE_DONE, 0 }, 2, "expected a request that is under way" },
        { { SF_TRACE_ISEND, 0, 0, 0, 1, SF_TRACE_GOT, 0, 0, 0, 0 },
          10,
          "expected the request of a receive" },
        { { SF_TRACE_ISEND, 0, 0, 0, 1, SF_TRACE_DONE, 0, SF_TRACE_DONE, 0 },
          9,
          "expected a request that is under way" },
        { { SF_TRACE_COMM, 9, 1, 2, 0 }, 5, "expected a rank of the world" },
        { { SF_TRACE_COMM, 9, 1, 1, 0 }, 5, "a communicator of this rank" },
        { { SF_TRACE_COLLECTIVE, 99, 0, 0, 0, 0 }, 6, "a collective" },
        { { SF_TRACE_COLLECTIVE, SF_CALL_BCAST, 0, 0, 0, 2, 1, 1 },
          8,
          "as many numbers as the collective has" },
        { { SF_TRACE_COMPUTE, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 },
          11,
          "expected nanoseconds" },
        { { SF_TRACE_SKIP, 60 }, 2, "expected a kind of call" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made made = { 0 };
        struct sf_error err = { 0 };
        begin_trace(&made, 0, 2);
        CHECK_EQ(parse(made.bytes.items, made.bytes.n, &err), SF_OK);
        for (size_t k = 0; k < cases[i].n; k++) {
            CHECK(sf_vec_push(&made.bytes, cases[i].bytes[k]));
        }
        CHECK_EQ(parse(made.bytes.items, made.bytes.n, &err), SF_EPARSE);
        CHECK_FOR(strstr(err.text, cases[i].says) != NULL, "'%s' for '%s'",
                  err.text, cases[i].says);
        CHECK(strncmp(err.text, "trace: byte ", 12) == 0);
        free(made.bytes.items);
    }
}

TEST(recorded_threads_are_refused)
{
    struct made made = { 0 };
    struct sf_recording recording;
    struct sf_program program = { 0 };
    struct sf_error err = { 0 };
    char folder[64];

    begin_trace(&made, 0, 1);
    PUT(&made, SF_TRACE_SKIP, SF_SKIP_THREAD);
    save_traces(&made, 1, folder);
    CHECK_EQ(convert(folder, 1, 0, &recording, &program, &err), SF_EINVAL);
    CHECK(strstr(err.text, "from a second thread") != NULL);
    remove_traces(folder, 1);
}

TEST(recorded_without_memory)
{
    struct made made[3] = { 0 };
    struct sf_random random;
    struct matrix sent = { 0 };
    char folder[64];

    sf_random_init(&random, 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        begin_trace(&made[i], i, 3);
    }
    draw_messages(made, 3, 20, &random, &sent);
    for (uint32_t i = 0; i < 3; i++) {
        PUT(&made[i], SF_TRACE_COLLECTIVE, SF_CALL_ALLREDUCE, 1, 0, 0, 1, 50);
        PUT(&made[i], SF_TRACE_COLLECTIVE, SF_CALL_SCAN, 0, 1, 0, 1, 50);
        PUT(&made[i], SF_TRACE_EXCHANGE, 0, 0, 1, (i + 1) % 3, 9, 1,
            (i + 2) % 3, 9);
        PUT(&made[i], SF_TRACE_DONE, made[i].n_requests++);
        put(&made[i], SF_TRACE_FINISH);
    }
    save_traces(made, 3, folder);
    unsigned long nth = 1;
    for (; nth <= MAX_ALLOCATIONS; nth++) {
        struct sf_recording_params params = { .folder = folder,
                                              .compute_scale = 1 };
        struct sf_recording recording;
        struct sf_error err = { 0 };
        char *text = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);
        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_recording_write_goal(&params, stream, &recording, &err);
        void *memory = sf_calloc(1, 1);
        bool is_still_to_come = memory == NULL;
        free(memory);
        sf_mem_fail_at(0);
        fclose(stream);
        free(text);
        if (status == SF_OK) {
            CHECK_FOR(is_still_to_come, "failure %lu went unnoticed", nth);
            break;
        }
        CHECK_EQ(status, SF_ENOMEM);
        CHECK_EQ(err.status, SF_ENOMEM);
    }
    CHECK(nth > 10 && nth <= MAX_ALLOCATIONS);
    remove_traces(folder, 3);
}
