/* test_goal.c -- programs in GOAL: what they do, against a slow interpreter on
 * an ideal network; that they are written as they are read; what is refused.
 */
#include "base/mem.h"
#include "helpers.h"
#include "host_cases.h"
#include "sim/workloads/goal.h"
#include "slimfly/random.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define MAX_RANKS 6
#define MAX_OPS   120
#define MAX_DEPS  3
#define LATENCY   1000 /* Nanoseconds that a message takes. */

static const uint32_t plain_hosts[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

enum kind {
    CALC,
    SEND,
    RECV
};

/* An operation, and how far the interpreter is with it. */
struct op {
    enum kind kind;
    uint32_t rank, peer, tag, cpu;
    uint32_t partner;         /* Of a receive: the send that it gets. */
    uint64_t amount;          /* Nanoseconds or bytes. */
    bool any_source, any_tag; /* Of a receive. */
    uint32_t deps[MAX_DEPS], n_deps;
    bool for_start[MAX_DEPS];
    bool is_ready, is_started, is_done;
    int64_t ready, start, end;
};

struct ops {
    struct op ops[MAX_OPS];
    uint32_t n, n_ranks;
};

/* Lets op 'i' wait for earlier ones of its rank. */
static void
draw_deps(struct ops *ops, uint32_t i, struct sf_random *random)
{
    struct op *op = &ops->ops[i];
    uint32_t n_tries = sf_random_below(random, 2 * MAX_DEPS);

    while (i > 0 && n_tries-- > 0 && op->n_deps < MAX_DEPS) {
        uint32_t before = sf_random_below(random, i);
        if (ops->ops[before].rank == op->rank) {
            op->for_start[op->n_deps] = sf_random_below(random, 3) == 0;
            op->deps[op->n_deps++] = before;
        }
    }
}

static void
draw_calc(struct ops *ops, struct sf_random *random)
{
    uint32_t is_none = sf_random_below(random, 6) == 0;

    ops->ops[ops->n] = (struct op){
        .kind = CALC,
        .rank = sf_random_below(random, ops->n_ranks),
        .cpu = sf_random_below(random, 2),
        .amount = is_none ? 0 : 1 + sf_random_below(random, 20000),
    };
    draw_deps(ops, ops->n, random);
    ops->n++;
}

/* A send and its receive; sometimes to its own rank. */
static void
draw_pair(struct ops *ops, struct sf_random *random)
{
    uint32_t from = sf_random_below(random, ops->n_ranks);
    uint32_t to = sf_random_below(random, ops->n_ranks);
    struct op op = {
        .kind = SEND,
        .rank = from,
        .peer = to,
        .tag = sf_random_below(random, 2),
        .amount = sf_random_below(random, 100),
    };

    ops->ops[ops->n] = op;
    draw_deps(ops, ops->n, random);
    op.kind = RECV;
    op.rank = to;
    op.peer = from;
    op.partner = ops->n;
    ops->ops[ops->n + 1] = op;
    draw_deps(ops, ops->n + 1, random);
    ops->n += 2;
}

static void
draw_ops(struct ops *ops, struct sf_random *random)
{
    uint32_t n = 1 + sf_random_below(random, MAX_OPS - 2);

    *ops =
        (struct ops){ .n_ranks = 2 + sf_random_below(random, MAX_RANKS - 1) };
    while (ops->n < n) {
        if (sf_random_below(random, 2)) {
            draw_calc(ops, random);
        } else {
            draw_pair(ops, random);
        }
    }
}

static void
write_op(FILE *stream, const struct ops *ops, uint32_t i,
         struct sf_random *random)
{
    const struct op *op = &ops->ops[i];
    unsigned long long amount = op->amount;

    fprintf(stream, "x_%u:", i);
    if (op->kind == CALC) {
        fprintf(stream, " calc %llu", amount);
    } else {
        fprintf(stream, "\t%s %llub %s ", op->kind == SEND ? "send" : "recv",
                amount, op->kind == SEND ? "to" : "from");
        fprintf(stream, op->any_source ? "-1" : "%u", op->peer);
    }
    if (op->any_tag) {
        fputs(" tag -1", stream);
    } else if (op->kind != CALC && (op->tag || sf_random_below(random, 2))) {
        fprintf(stream, " tag %u", op->tag);
    }
    if (op->cpu || sf_random_below(random, 2)) {
        fprintf(stream, " cpu %u", op->cpu);
    }
    if (op->kind != CALC && sf_random_below(random, 2)) {
        fputs(" nic 1", stream);
    }
    fputs(sf_random_below(random, 3) ? "\n" : " ; // x\n", stream);
}

static void
write_deps(FILE *stream, const struct ops *ops, uint32_t i,
           struct sf_random *random)
{
    static const char *const ends[] = { "\n", ";", "; /* }\n { */", "\r\n" };
    const struct op *op = &ops->ops[i];

    for (uint32_t k = 0; k < op->n_deps; k++) {
        fprintf(stream, "x_%u %s x_%u%s", i,
                op->for_start[k] ? "irequires" : "requires", op->deps[k],
                ends[sf_random_below(random, 4)]);
    }
}

/* Writes ops as GOAL, waits at once or at the end of a rank. */
static char *
write_text(const struct ops *ops, struct sf_random *random)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bool is_late = sf_random_below(random, 2);

    CHECK(stream);
    fprintf(stream, "// made up\nnum_ranks %u\n", ops->n_ranks);
    for (uint32_t r = 0; r < ops->n_ranks; r++) {
        fprintf(stream, "rank %u {%s", r,
                sf_random_below(random, 2) ? "\n" : " ");
        for (uint32_t i = 0; i < ops->n; i++) {
            if (ops->ops[i].rank == r) {
                write_op(stream, ops, i, random);
                if (!is_late) {
                    write_deps(stream, ops, i, random);
                }
            }
        }
        for (uint32_t i = 0; is_late && i < ops->n; i++) {
            if (ops->ops[i].rank == r) {
                write_deps(stream, ops, i, random);
            }
        }
        fputs(sf_random_below(random, 2) ? "}\n" : "\n} ", stream);
    }
    CHECK(fclose(stream) == 0);
    return text;
}

/* Whether all that 'op' waits for has come by now. */
static bool
is_free(const struct ops *ops, const struct op *op)
{
    for (uint32_t k = 0; k < op->n_deps; k++) {
        const struct op *before = &ops->ops[op->deps[k]];
        if (op->for_start[k] ? !before->is_started : !before->is_done) {
            return false;
        }
    }
    return true;
}

static bool
is_cpu_free(const struct ops *ops, const struct op *op)
{
    for (uint32_t i = 0; i < ops->n; i++) {
        const struct op *other = &ops->ops[i];
        if (other->kind == CALC && other->amount > 0 &&
            other->rank == op->rank && other->cpu == op->cpu &&
            other->is_started && !other->is_done) {
            return false;
        }
    }
    return true;
}

static void
start_op(struct op *op, int64_t now, int64_t duration)
{
    op->is_started = true;
    op->start = now;
    op->end = now + duration;
}

/* The ready computation that is to start next; NULL if none can. */
static struct op *
next_calc(struct ops *ops)
{
    struct op *best = NULL;

    for (uint32_t i = 0; i < ops->n; i++) {
        struct op *op = &ops->ops[i];
        if (op->kind == CALC && op->is_ready && !op->is_started &&
            is_cpu_free(ops, op) && (!best || op->ready < best->ready)) {
            best = op;
        }
    }
    return best;
}

/* One look at all ops at time 'now'; whether something changed. */
static bool
look(struct ops *ops, int64_t now)
{
    bool is_changed = false;

    for (uint32_t i = 0; i < ops->n; i++) {
        struct op *op = &ops->ops[i];
        if (!op->is_ready && is_free(ops, op)) {
            op->is_ready = is_changed = true;
            op->ready = now;
            if (op->kind == SEND) {
                start_op(op, now, op->rank == op->peer ? 0 : LATENCY);
            } else if (op->kind == RECV || op->amount == 0) {
                start_op(op, now, 0);
            }
        }
        bool has_come = op->kind != RECV || ops->ops[op->partner].is_done;
        if (op->is_started && !op->is_done && op->end <= now && has_come) {
            op->is_done = is_changed = true;
            op->end = now;
        }
    }
    return is_changed;
}

/* Runs all ops from moment to moment; returns when the last ended. */
static int64_t
interpret(struct ops *ops)
{
    int64_t now = 0;

    for (;;) {
        struct op *calc;
        while (look(ops, now)) {
        }
        while ((calc = next_calc(ops))) {
            start_op(calc, now, (int64_t)calc->amount);
            while (look(ops, now)) {
            }
        }
        int64_t next = INT64_MAX;
        for (uint32_t i = 0; i < ops->n; i++) {
            const struct op *op = &ops->ops[i];
            if (op->is_started && !op->is_done && op->end > now) {
                next = op->end < next ? op->end : next;
            }
        }
        if (next == INT64_MAX) {
            return now;
        }
        now = next;
    }
}

/* Whether two computations of a CPU become ready at nearly the same time:
 * which is first depends on the nanoseconds that packets take. */
static bool
has_ties(const struct ops *ops)
{
    for (uint32_t i = 0; i < ops->n; i++) {
        const struct op *a = &ops->ops[i];
        for (uint32_t k = 0; k < i && a->kind == CALC && a->amount; k++) {
            const struct op *b = &ops->ops[k];
            if (b->kind == CALC && b->amount && a->rank == b->rank &&
                a->cpu == b->cpu && llabs(a->ready - b->ready) < 50) {
                return true;
            }
        }
    }
    return false;
}

/* Reads 'text' into the program of a star whose messages take LATENCY. */
static struct host_case *
case_of(const char *text, uint32_t n_ranks, bool is_exact)
{
    struct host_case *c = star_case(n_ranks, 1, 1, 1000);
    struct sf_error err = { 0 };
    char *copy = strdup(text);

    CHECK(copy);
    CHECK_FOR(sf_goal_parse(copy, strlen(copy), "text", plain_hosts, n_ranks,
                            &c->program, &err) == SF_OK,
              "%s\n%s", err.text, text);
    free(copy);
    c->params.timing = is_exact ? SF_SIM_EXACT : SF_SIM_SLOTS;
    c->params.net.rate = is_exact ? 1e12 : 1e30;
    c->params.net.host_delay = LATENCY * 0.5e-9;
    return c;
}

static void
check_run(const struct ops *ops, const struct sf_run *run, double time,
          const char *text)
{
    uint32_t m = 0;

    CHECK(run->is_finished);
    for (uint32_t r = 0; r < ops->n_ranks; r++) {
        for (uint32_t i = 0; i < ops->n; i++) {
            const struct op *op = &ops->ops[i];
            if (op->rank != r || op->kind == RECV) {
                continue;
            }
            CHECK_FOR(fabs(run->starts[m] * 1e9 - (double)op->start) < 20 &&
                          fabs(run->ends[m] * 1e9 - (double)op->end) < 20,
                      "op %u is from %g to %g, expected %g to %g\n%s", i,
                      run->starts[m] * 1e9, run->ends[m] * 1e9,
                      (double)op->start, (double)op->end, text);
            m++;
        }
    }
    CHECK(fabs(run->time * 1e9 - time) < 20);
}

static struct sf_run
run_flows(struct host_case *c)
{
    struct sf_run run;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_run_flows(&c->setup, &c->program, &run, &err) == SF_OK, "%s",
              err.text);
    return run;
}

/* The flow model and packets by events do what a slow interpreter does. */
static void
check_programs(uint32_t n, uint64_t seed)
{
    static struct ops ops;
    struct sf_random random;
    uint32_t n_exact = 0;

    sf_random_init(&random, seed, 0);
    for (uint32_t i = 0; i < n; i++) {
        draw_ops(&ops, &random);
        char *text = write_text(&ops, &random);
        double time = (double)interpret(&ops);
        n_exact += !has_ties(&ops);
        for (uint32_t exact = 0; exact < (has_ties(&ops) ? 1u : 2u); exact++) {
            struct host_case *c = case_of(text, ops.n_ranks, exact);
            struct sf_run run;
            if (exact) {
                run = run_case(c);
            } else {
                CHECK_EQ(sf_program_end(&c->program, ops.n_ranks, NULL),
                         SF_OK);
                run = run_flows(c);
            }
            check_run(&ops, &run, time, text);
            sf_run_clear(&run);
            host_case_free(c);
        }
        free(text);
    }
    CHECK(n_exact > n / 8);
}

TEST(goal_does_what_it_says)
{
    check_programs(300, 1);
}

TEST_LONG(goal_does_what_it_says_often)
{
    check_programs(10000, 2);
}

/* The text of a program on hosts 0, 1, ... */
static char *
text_of(const struct sf_program *program, uint32_t n_ranks)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct sf_error err = { 0 };

    CHECK(stream);
    CHECK_FOR(sf_goal_write(program, plain_hosts, n_ranks, stream, &err) ==
                  SF_OK,
              "%s", err.text);
    CHECK(fclose(stream) == 0);
    return text;
}

static struct sf_program
program_of(const char *text, uint32_t n_ranks)
{
    struct sf_program program = { 0 };
    struct sf_error err = { 0 };
    char *copy = strdup(text);

    CHECK(copy);
    CHECK_FOR(sf_goal_parse(copy, strlen(copy), "text", plain_hosts, n_ranks,
                            &program, &err) == SF_OK,
              "%s", err.text);
    CHECK_EQ(sf_program_end(&program, n_ranks, NULL), SF_OK);
    free(copy);
    return program;
}

/* Programs that were written are read as they are, up to the numbers of
 * messages, and take the same time. */
TEST(goal_is_read_as_written)
{
    static struct ops ops;
    struct sf_random random;

    sf_random_init(&random, 3, 0);
    for (uint32_t i = 0; i < 300; i++) {
        draw_ops(&ops, &random);
        char *text = write_text(&ops, &random);
        struct sf_program first = program_of(text, ops.n_ranks);
        char *once = text_of(&first, ops.n_ranks);
        struct sf_program second = program_of(once, ops.n_ranks);
        char *twice = text_of(&second, ops.n_ranks);
        struct sf_program third = program_of(twice, ops.n_ranks);
        char *thrice = text_of(&third, ops.n_ranks);
        CHECK_EQ(second.messages.n, first.messages.n);
        CHECK_EQ(second.waits.n, first.waits.n);
        CHECK_STR(thrice, twice);

        double time = (double)interpret(&ops);
        struct host_case *c = case_of(twice, ops.n_ranks, false);
        CHECK_EQ(sf_program_end(&c->program, ops.n_ranks, NULL), SF_OK);
        struct sf_run run = run_flows(c);
        CHECK(fabs(run.time * 1e9 - time) < 20);
        sf_run_clear(&run);
        host_case_free(c);
        sf_program_clear(&first);
        sf_program_clear(&second);
        sf_program_clear(&third);
        free(text);
        free(once);
        free(twice);
        free(thrice);
    }
}

/* Of operations that can run, that which is ready first; of these, sends and
 * computations first, and as the file has them.  NULL if there is none. */
static struct op *
next_open(struct ops *ops)
{
    struct op *best = NULL;

    for (uint32_t phase = 0; phase < 2; phase++) {
        for (uint32_t r = 0; r < ops->n_ranks; r++) {
            for (uint32_t i = 0; i < ops->n; i++) {
                struct op *op = &ops->ops[i];
                bool is_now = op->rank == r && (op->kind == RECV) == phase &&
                              !op->is_started && is_free(ops, op);
                op->ready = is_now ? 0 : op->ready;
                for (uint32_t k = 0; is_now && k < op->n_deps; k++) {
                    const struct op *before = &ops->ops[op->deps[k]];
                    int64_t time =
                        op->for_start[k] ? before->start : before->end;
                    op->ready = time > op->ready ? time : op->ready;
                }
                if (is_now && (!best || op->ready < best->ready)) {
                    best = op;
                }
            }
        }
    }
    return best;
}

/* Gives open receives what comes first if messages take no time; false if some
 * find nothing. */
static bool
match_open(struct ops *ops)
{
    uint32_t order[MAX_OPS], n_order = 0, n_left = 0;
    struct op *op;

    while ((op = next_open(ops))) {
        op->is_started = true;
        op->start = op->ready;
        op->end = op->start + (op->kind == CALC ? (int64_t)op->amount : 0);
        op->is_done = op->kind != RECV;
        order[n_order++] = (uint32_t)(op - ops->ops);
        /* The first receive, in the order of posts, that has a message, takes
         * the first of these. */
        for (uint32_t a = 0; a < n_order; a++) {
            struct op *receive = &ops->ops[order[a]];
            for (uint32_t b = 0; b < n_order; b++) {
                struct op *send = &ops->ops[order[b]];
                if (receive->kind == RECV && !receive->is_done &&
                    send->kind == SEND && !send->is_ready &&
                    send->peer == receive->rank &&
                    (receive->any_source || receive->peer == send->rank) &&
                    (receive->any_tag || receive->tag == send->tag)) {
                    send->is_ready = receive->is_done = true; /* Taken. */
                    receive->partner = order[b];
                    receive->end = op->start;
                }
            }
        }
    }
    for (uint32_t i = 0; i < ops->n; i++) {
        n_left += ops->ops[i].kind == SEND ? !ops->ops[i].is_ready
                                           : !ops->ops[i].is_done;
    }
    return n_left == 0;
}

/* Open receives get what a slow replay gives them. */
TEST(goal_finds_any_source)
{
    static struct ops ops, named;
    struct sf_random random;
    uint32_t n_fine = 0, n_failed = 0;

    sf_random_init(&random, 4, 0);
    for (uint32_t i = 0; i < 600; i++) {
        draw_ops(&ops, &random);
        ops.n = ops.n > 40 && i % 2 ? 40 : ops.n;
        if (ops.ops[ops.n - 1].kind == SEND) {
            ops.n--; /* Its receive was cut off. */
        }
        for (uint32_t k = 0; k < ops.n; k++) {
            bool is_receive = ops.ops[k].kind == RECV;
            ops.ops[k].any_source =
                is_receive && sf_random_below(&random, 4) == 0;
            ops.ops[k].any_tag =
                is_receive && sf_random_below(&random, 4) == 0;
        }
        struct sf_random layout = random;
        char *text = write_text(&ops, &random);
        bool is_open = strstr(text, "-1") != NULL;
        named = ops;
        bool is_fine = match_open(&named);
        struct sf_program program = { 0 };
        struct sf_error err = { 0 };
        char *copy = strdup(text);
        CHECK(copy);
        enum sf_status status =
            sf_goal_parse(copy, strlen(copy), "text", plain_hosts, ops.n_ranks,
                          &program, &err);
        CHECK_FOR(!is_open || (status == SF_OK) == is_fine, "%s\n%s", err.text,
                  text);
        if (status == SF_OK && is_open) {
            /* The same with a tag of its own for each message. */
            for (uint32_t k = 0; k < ops.n; k++) {
                struct op *op = &named.ops[k];
                op->any_source = op->any_tag = false;
                op->tag = op->kind == RECV ? op->partner : k;
                op->peer =
                    op->kind == RECV ? named.ops[op->partner].rank : op->peer;
            }
            char *exact = write_text(&named, &layout);
            struct sf_program other = program_of(exact, ops.n_ranks);
            CHECK_EQ(sf_program_end(&program, ops.n_ranks, &err), SF_OK);
            char *a = text_of(&program, ops.n_ranks);
            char *b = text_of(&other, ops.n_ranks);
            CHECK_STR(a, b);
            sf_program_clear(&other);
            free(exact);
            free(a);
            free(b);
        }
        n_fine += status == SF_OK && is_open;
        n_failed += status != SF_OK;
        sf_program_clear(&program);
        free(copy);
        free(text);
    }
    CHECK(n_fine > 100 && n_failed > 10);
}

/* Messages go to the hosts of their ranks, behind what is there. */
TEST(goal_is_placed)
{
    static const uint32_t hosts[] = { 7, 4 };
    char text[] = "num_ranks 2\nrank 1 {\na: send 5b to 0 cpu 3\n"
                  "b: calc 2000 cpu 1\nb irequires a\n}\n"
                  "rank 0 {\nrecv 5b from 1\n}\n";
    struct sf_program program = { 0 };

    CHECK(sf_program_send(&program, 0, 1, 1, 0));
    CHECK_EQ(
        sf_goal_parse(text, strlen(text), "text", hosts, 2, &program, NULL),
        SF_OK);
    CHECK_EQ(sf_program_end(&program, 8, NULL), SF_OK);
    CHECK_EQ(program.messages.n, 3);
    const struct sf_message *send = &program.messages.items[1];
    CHECK(send->from == 4 && send->to == 7 && send->bytes == 5);
    CHECK_EQ(send->cpu, 3);
    CHECK_EQ(program.n_cpus, 4);
    const struct sf_message *calc = &program.messages.items[2];
    CHECK(calc->from == 4 && calc->bytes == 0 && calc->cpu == 1);
    CHECK(fabs(calc->delay - 2e-6) < 1e-15);
    CHECK(program.waits.n == 1 && program.waits.items[0].is_start);
    sf_program_clear(&program);
}

/* What ranks send is added up by node, whatever fails to be allocated. */
TEST(goal_tells_what_nodes_send)
{
    struct temporary file = temporary_write(
        "num_ranks 5\nrank 0 {\nsend 3b to 1\nsend 4b to 2\nsend 5b to 3\n"
        "calc 7\n}\nrank 1 {\nrecv 3b from 0\nsend 9b to 4\n}\nrank 2 {\n"
        "recv 4b from 0\n}\nrank 3 {\nrecv 5b from 0\n}\nrank 4 {\n"
        "recv 9b from 1\n}\n");
    enum sf_status status = SF_ENOMEM;
    struct sf_error err = { 0 };

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        char *text = NULL;
        size_t size = 0;
        uint32_t n_nodes;
        CHECK(nth < 1000);
        FILE *stream = open_memstream(&text, &size);
        sf_mem_fail_at(nth);
        status = sf_goal_write_ranks(file.name, 2, stream, &n_nodes, &err);
        sf_mem_fail_at(0);
        fclose(stream);
        CHECK(status == SF_OK || (status == SF_ENOMEM && err.text[0]));
        if (status == SF_OK) {
            CHECK_EQ(n_nodes, 3);
            CHECK_STR(text, "source,destination,amount\n0,1,9\n0,2,9\n");
        }
        free(text);
    }
    temporary_remove(&file);
}

#define HEAD "num_ranks 2\nrank 0 {\n"

TEST(goal_refuses)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "", "text:1: expected num_ranks, found the end of the file" },
        { "rank 0 {", "text:1: expected num_ranks, found 'rank'" },
        { "num_ranks", "text:1: expected a number of ranks" },
        { "num_ranks 0",
          "text:1: expected a number of ranks from 1 to 16777216, found '0'" },
        { "num_ranks x",
          "text:1: expected a number of ranks from 1 to 16777216, found 'x'" },
        { "num_ranks 3", "text:1: expected 2 ranks, found '3'" },
        { "num_ranks 2\nnum_ranks 2", "text:2: expected num_ranks once" },
        { "num_ranks 2 ranks", "text:1: expected rank, found 'ranks'" },
        { HEAD, "text:2: expected '}' for rank 0" },
        { HEAD "}\nrank 0 {\n}", "text:4: expected each rank once" },
        { "num_ranks 2\nrank 2 {", "text:2: expected a rank from 0 to 1" },
        { "num_ranks 2\nrank 1\n{", "text:2: expected '{', found the end of" },
        { HEAD "!\n}", "text:3: expected a label, calc, send, recv or '}'" },
        { HEAD "a b", "text:3: expected ':', requires or irequires" },
        { HEAD "a: b", "text:3: expected calc, send or recv, found 'b'" },
        { HEAD "a: calc", "text:3: expected nanoseconds from 0 to" },
        { HEAD "a: calc 1 nic 1", "text:3: expected cpu or the end of the" },
        { HEAD "send 5b to 1 nic", "text:3: expected a NIC from 0 to 255" },
        { HEAD "send 5b to 1 nic 1 tag 2", "tag, cpu and nic in this order" },
        { HEAD "send 5b to 1 cpu 1 tag 2", "tag, cpu and nic in this order" },
        { HEAD "send 5b to 1 tag 1 tag 2", "tag, cpu and nic in this order" },
        { HEAD "recv 5b from 1 nic 1 cpu 2", "tag, cpu and nic in this" },
        { HEAD "a: calc 1 tag 3", "text:3: expected cpu or the end of the" },
        { HEAD "a: calc 1 cpu 256", "text:3: expected a CPU from 0 to 255" },
        { HEAD "a: calc 1\na: calc 1",
          "text:4: expected a label that is not" },
        { HEAD "send 5 to 1", "text:3: expected 'b' behind the number" },
        { HEAD "send 5b from 1", "text:3: expected 'to', found 'from'" },
        { HEAD "recv 5b to 1", "text:3: expected 'from', found 'to'" },
        { HEAD "send 5b to 2", "text:3: expected a rank from 0 to 1" },
        { HEAD "send 5b to -1", "text:3: expected a rank from 0 to 1" },
        { HEAD "send 5b to 1 tag -1", "text:3: expected a tag from 0 to" },
        { HEAD "send 5b to 1 to 1", "text:3: expected tag, cpu and nic in" },
        { HEAD "send 2000000000000000b to 1", "expected a number of bytes" },
        { HEAD "a requires b", "text:3: expected a label that stands above" },
        { HEAD "a: calc 1\na requires b", "expected a label that stands" },
        { HEAD "a: calc 1\na requires", "found the end of the line" },
        { HEAD "a: calc 1\na requires a a",
          "text:4: expected the end of the" },
        { HEAD "}\nrank 1 {\na: calc 1\n}\na: calc 2",
          "text:7: expected rank" },
        { HEAD "send 5b to 1 tag 9\n}",
          "text:3: expected a recv in rank 1 for this send from rank 0 with "
          "tag 9" },
        { HEAD "recv 5b from 1\n}",
          "text:3: expected a send in rank 1 for this recv in rank 0" },
        { HEAD "send 5b to 1 tag 1\n}\nrank 1 {\nrecv 5b from 0 tag 2\n}",
          "text:3: expected a recv" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_program program = { 0 };
        struct sf_error err = { 0 };
        char *copy = strdup(cases[i].text);
        CHECK(copy);
        CHECK_FOR(sf_goal_parse(copy, strlen(copy), "text", plain_hosts, 2,
                                &program, &err) == SF_EPARSE,
                  "'%s' is fine", cases[i].text);
        CHECK_FOR(strstr(err.text, cases[i].expected), "'%s' is not in '%s'",
                  cases[i].expected, err.text);
        sf_program_clear(&program);
        free(copy);
    }
}

/* GOAL cannot say everything. */
TEST(goal_cannot_be_written)
{
    struct sf_program program = { 0 };
    struct sf_error err = { 0 };

    CHECK(sf_program_send(&program, 0, 1, 1, 0.5));
    CHECK_EQ(sf_program_end(&program, 4, NULL), SF_OK);
    CHECK_EQ(sf_goal_write(&program, plain_hosts, 4, stderr, &err), SF_EINVAL);
    CHECK(strstr(err.text, "GOAL has no messages with a delay"));
    sf_program_clear(&program);

    CHECK(sf_program_compute(&program, 0, 0.5, SF_NO_CPU));
    CHECK_EQ(sf_program_end(&program, 4, NULL), SF_OK);
    CHECK_EQ(sf_goal_write(&program, plain_hosts, 4, stderr, &err), SF_EINVAL);
    CHECK(strstr(err.text, "GOAL has no time without a CPU"));
    sf_program_clear(&program);

    CHECK(sf_program_send(&program, 0, 1, 1, 0));
    CHECK(sf_program_send(&program, 2, 3, 1, 0));
    CHECK(sf_program_wait(&program, 0, 1));
    CHECK_EQ(sf_program_end(&program, 4, NULL), SF_OK);
    CHECK_EQ(sf_goal_write(&program, plain_hosts, 4, stderr, &err), SF_EINVAL);
    CHECK(strstr(err.text, "waits for message 0 of others"));
    sf_program_clear(&program);
}

/* Chains are as long as programs: calls do not nest along them. */
TEST(goal_has_long_chains)
{
    enum {
        N = 200000
    };
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    CHECK(stream);
    fputs("num_ranks 2\nrank 0 {\n", stream);
    for (uint32_t i = 0; i < N; i++) {
        fprintf(stream, "l%u: calc %d\n", i, i % 2);
        if (i) {
            fprintf(stream, "l%u requires l%u\n", i, i - 1);
        }
    }
    fprintf(stream, "s: send 1b to 1\ns irequires l%u\n}\n", N - 1);
    fputs("rank 1 {\nrecv 1b from 0\n}\n", stream);
    CHECK(fclose(stream) == 0);
    for (uint32_t exact = 0; exact < 2; exact++) {
        struct host_case *c = case_of(text, 2, exact);
        CHECK_EQ(sf_program_end(&c->program, 2, NULL), SF_OK);
        struct sf_run run = { 0 };
        if (exact) {
            CHECK_EQ(sf_run_packets(&c->setup, &c->program, &run, NULL),
                     SF_OK);
        } else {
            run = run_flows(c);
        }
        CHECK(fabs(run.time * 1e9 - (N * 0.5 - 1 + LATENCY)) < 20);
        sf_run_clear(&run);
        host_case_free(c);
    }
    free(text);
}

/* Hosts that need time for each message take it from its CPU. */
TEST(goal_shares_cpus_with_overhead)
{
    struct host_case *c = case_of("num_ranks 2\nrank 0 {\n"
                                  "a: calc 5000\nb: send 1b to 1\n"
                                  "c: send 1b to 1 cpu 1\n}\nrank 1 {\n"
                                  "recv 1b from 0\nrecv 1b from 0\n}\n",
                                  2, false);

    c->params.overhead = 200e-9;
    c->params.net.rate = 1e12;
    CHECK_EQ(sf_program_end(&c->program, 2, NULL), SF_OK);
    struct sf_run run = run_flows(c), other = { 0 };
    CHECK_EQ(sf_run_packets(&c->setup, &c->program, &other, NULL), SF_OK);
    CHECK(fabs(run.starts[1] - 5200e-9) < 1e-12);
    CHECK(fabs(run.starts[2] - 200e-9) < 1e-12);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK(fabs(run.starts[i] - other.starts[i]) < 1e-12);
    }
    sf_run_clear(&run);
    sf_run_clear(&other);
    host_case_free(c);
}

static const char *const memory_text =
    "num_ranks 2\nrank 0 {\na: calc 10\nb: recv 1b from -1\nb requires a\n"
    "c: calc 3\nc irequires b\nd: calc 4\nd requires b\n}\n"
    "rank 1 {\na: send 1b to 0\nb: send 3b to 1\nc: recv 3b from 1\n}\n";

/* Reads, ends and writes, with the n-th allocation failing. */
static enum sf_status
do_all(struct sf_error *err)
{
    struct sf_program program = { 0 };
    char copy[400];
    static char written[4000];
    FILE *stream = fmemopen(written, sizeof written, "w");

    CHECK(stream);
    snprintf(copy, sizeof copy, "%s", memory_text);
    enum sf_status status = sf_goal_parse(copy, strlen(copy), "text",
                                          plain_hosts, 2, &program, err);
    if (status == SF_OK) {
        status = sf_program_end(&program, 2, err);
    }
    if (status == SF_OK) {
        status = sf_goal_write(&program, plain_hosts, 2, stream, err);
    }
    sf_program_clear(&program);
    fclose(stream);
    return status;
}

TEST(goal_without_memory)
{
    enum sf_status status = SF_ENOMEM;

    for (unsigned long nth = 1; status != SF_OK; nth++) {
        struct sf_error err = { 0 };
        CHECK(nth < 1000);
        sf_mem_fail_at(nth);
        status = do_all(&err);
        sf_mem_fail_at(0);
        CHECK(status == SF_OK || status == SF_ENOMEM);
        CHECK(status == SF_OK || err.status == SF_ENOMEM);
    }
}

/* Computations and waits for starts, with the n-th allocation failing. */
TEST(goal_runs_without_memory)
{
    for (uint32_t exact = 0; exact < 2; exact++) {
        struct host_case *c = case_of(memory_text, 2, exact);
        enum sf_status status = SF_ENOMEM;
        CHECK_EQ(sf_program_end(&c->program, 2, NULL), SF_OK);
        for (unsigned long nth = 1; status != SF_OK; nth++) {
            struct sf_error err = { 0 };
            struct sf_run run = { 0 };
            CHECK(nth < 1000);
            sf_mem_fail_at(nth);
            status = exact ? sf_run_packets(&c->setup, &c->program, &run, &err)
                           : sf_run_flows(&c->setup, &c->program, &run, &err);
            sf_mem_fail_at(0);
            CHECK(status == SF_OK || status == SF_ENOMEM);
            CHECK((status == SF_OK) == (run.ends != NULL));
            sf_run_clear(&run);
        }
        host_case_free(c);
    }
}
