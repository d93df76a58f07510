/* test_proxies.c -- workloads made of steps: what they take on a network that
 * costs nothing is what they compute, and what they send is counted. */
#include "base/mem.h"
#include "helpers.h"
#include "host_cases.h"
#include "oracle/oracle.h"
#include "sim/workload.h"
#include "sim/workloads/goal.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

/* A workload on a star, as a program. */
struct made {
    struct host_case *star;
    struct sf_sim_jobs jobs;
    struct sf_workload *workload;
    struct sf_program program;
    uint32_t *job_of;
};

static struct made *
make(const char *text, uint32_t n, double size)
{
    struct made *made = oracle_calloc(1, sizeof *made);
    struct sf_error err = { 0 };

    made->star = star_case(n, 1, 1, 1000);
    made->jobs = (struct sf_sim_jobs){ .workload = text, .size = size };
    CHECK_FOR(sf_workload_build(made->star->network, &made->jobs, 1,
                                &made->workload, &err) == SF_OK,
              "%s: %s", text, err.text);
    CHECK_FOR(sf_workload_program(made->workload, 0, &made->program,
                                  &made->job_of, &err) == SF_OK,
              "%s: %s", text, err.text);
    return made;
}

static void
unmake(struct made *made)
{
    sf_program_clear(&made->program);
    free(made->job_of);
    sf_workload_free(made->workload);
    host_case_free(made->star);
    free(made);
}

/* The seconds that a program takes if links carry so much. */
static double
time_of(struct made *made, const struct sf_program *program, double rate)
{
    struct sf_run run;
    struct sf_error err = { 0 };

    made->star->params.net.rate = rate;
    CHECK_FOR(sf_run_flows(&made->star->setup, program, &run, &err) == SF_OK,
              "%s", err.text);
    double time = run.time;
    sf_run_clear(&run);
    return time;
}

static double
free_time(const char *text, uint32_t n)
{
    struct made *made = make(text, n, 0);
    double time = time_of(made, &made->program, 1e30);

    unmake(made);
    return time;
}

static bool
is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* The sums of what the programs sleep for. */
TEST(proxies_compute_as_long_as_their_originals)
{
    static const double cosmoflow[] = { 6567, 13135, 6567,  3283, 1641, 5,
                                        3,    1,     2,     6,    10,   3283,
                                        6567, 13135, 26270, 13135 };
    double sum = 0;

    for (size_t i = 0; i < ARRAY_SIZE(cosmoflow); i++) {
        sum += 1e-6 * cosmoflow[i];
    }
    CHECK(is_near(free_time("resnet152", 6), 0.119 + 10 * 0.0238));
    CHECK(is_near(free_time("resnet152:compute=2,iterations=3", 6),
                  6 * (0.119 + 10 * 0.0238)));
    CHECK(is_near(free_time("cosmoflow", 8), sum));
    CHECK(free_time("cosmoflow:compute=0", 8) < 1e-12);

    /* Batches fill the stages one after the other, twice. */
    CHECK(is_near(free_time("gpt3", 40), 29 * (0.015915 + 0.03183)));
    CHECK(is_near(free_time("gpt3:stages=3,batches=5", 24),
                  7 * (0.015915 + 0.03183)));
    CHECK(is_near(free_time("stencil:iterations=7,compute=30", 12), 210e-6));
}

/* What rank 'r' sends and computes. */
struct sums {
    double bytes, seconds;
    uint32_t n_messages;
};

static struct sums
sums_of(const struct made *made, uint32_t host)
{
    struct sums sums = { 0 };

    for (size_t i = 0; i < made->program.messages.n; i++) {
        const struct sf_message *message = &made->program.messages.items[i];
        if (host == SF_NONE || message->from == host) {
            sums.bytes += (double)message->bytes;
            sums.seconds += message->delay;
            sums.n_messages += sf_message_is_sent(message);
        }
    }
    return sums;
}

TEST(proxies_of_training_send_what_they_say)
{
    struct made *made = make("resnet152:rules=ompi-1.10", 5, 0);
    /* Rings: 2 (n - 1) times all gradients. */
    CHECK(sums_of(made, SF_NONE).bytes == 8 * 4.0 * 60192808);
    unmake(made);

    made = make("gpt3:stages=2,batches=1,rules=ompi-1.10", 16, 0);
    /* To the next stage and back; 8 stages of 4 shards with 2 allreduces each
     * way; gradients of 8 ranks between 2 models. */
    double passed = 2 * 4.0 * 25165824 * 8;
    double added = 4 * 2 * 2 * 6 * 4.0 * 25165824;
    double gradients = 8 * 2 * 4.0 * 452984832;
    CHECK(sums_of(made, SF_NONE).bytes == passed + added + gradients);
    unmake(made);

    made = make("cosmoflow:rules=ompi-1.10", 4, 0);
    struct sums sums = sums_of(made, 0);
    double halos = 2 * 4.0 *
                   (2097152 + 1048576 + 524288 + 262144 + 131072 + 262144 +
                    524288 + 1048576);
    CHECK(sums.bytes > halos && sums.bytes < halos + 4.0 * 2 * 6000000);
    unmake(made);
}

TEST(stencils_have_neighbours)
{
    static const struct {
        const char *text;
        uint32_t n, n_messages;
    } cases[] = {
        { "stencil", 12, 48 }, /* 3 x 4 */
        { "stencil:edges=open", 12, 2 * (2 * 4 + 3 * 3) },
        { "stencil:dimensions=3", 24, 144 }, /* 2 x 3 x 4 */
        { "stencil:dimensions=3,edges=open", 24,
          2 * (1 * 12 + 2 * 8 + 3 * 6) },
        { "stencil", 7, 14 }, /* 1 x 7 */
        { "stencil:iterations=3", 16, 3 * 64 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct made *made = make(cases[i].text, cases[i].n, 100);
        CHECK_EQ(sums_of(made, SF_NONE).n_messages, cases[i].n_messages);
        CHECK(sums_of(made, SF_NONE).bytes == 100.0 * cases[i].n_messages);
        unmake(made);
    }
}

TEST(incast_goes_to_few)
{
    struct made *made = make("incast:receivers=3,size=50", 11, 0);
    uint32_t counts[3] = { 0 };

    CHECK_EQ(made->program.messages.n, 8);
    for (size_t i = 0; i < 8; i++) {
        const struct sf_message *message = &made->program.messages.items[i];
        CHECK(message->from >= 3 && message->to < 3 && message->bytes == 50);
        counts[message->to]++;
    }
    CHECK(counts[0] == 3 && counts[1] == 3 && counts[2] == 2);
    unmake(made);
}

/* Linpack computes 2/3 of the cube of its order, and somewhat more for the
 * panels. */
TEST(hpl_computes_a_cube)
{
    struct made *made = make("hpl:n=2000,nb=10,gflops=1", 6, 0);
    double expected = 2.0 / 3 * 2000.0 * 2000 * 2000 * 1e-9;
    double seconds = sums_of(made, SF_NONE).seconds;

    CHECK(seconds > expected && seconds < 1.05 * expected);
    /* Panels: half of the matrix goes along the rows, once to each of the
     * columns but the first; and along columns likewise. */
    double bytes = sums_of(made, SF_NONE).bytes, half = 8 * 2000.0 * 2000 / 2;
    CHECK(bytes > (2 + 1) * half && bytes < 1.1 * (2 + 1) * half);
    unmake(made);
}

TEST(bfs_sends_all_edges)
{
    struct made *made = make("bfs:scale=20", 8, 0);
    double bytes = sums_of(made, SF_NONE).bytes;
    double edges = 2 * 16 * 1048576.0 * 8 * 7 / 8;

    CHECK(bytes > 0.99 * edges && bytes < 1.01 * edges);
    unmake(made);
}

/* Every kind, as its example has it or small. */
static const char *const examples[] = {
    "alltoall",    "allreduce",      "bcast:rules=ompi-1.10",
    "allgather",   "reduce-scatter", "barrier",
    "ebb",         "stencil",        "incast",
    "resnet152",   "cosmoflow",      "gpt3:stages=2,batches=2",
    "hpl:n=500",   "bfs:scale=12",   "alltoall+ebb",
    "permutation",
};

/* What is written as GOAL is read as the same, but for the numbers, and takes
 * as long. */
TEST(workloads_are_written_as_goal)
{
    for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
        struct made *made = make(examples[i], 16, 50000);
        struct sf_program again = { 0 };
        struct sf_error err = { 0 };
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        CHECK(stream);
        CHECK_FOR(sf_sim_jobs_write_goal(made->star->network, &made->jobs, 1,
                                         stream, &err) == SF_OK,
                  "%s: %s", examples[i], err.text);
        CHECK(fclose(stream) == 0);
        uint32_t hosts[16];
        for (uint32_t h = 0; h < 16; h++) {
            uint32_t n = made->workload->jobs[0].n_hosts;
            hosts[h] = made->workload->jobs[h / n].hosts[h % n];
        }
        CHECK_FOR(sf_goal_parse(text, size, "text", hosts, 16, &again, &err) ==
                      SF_OK,
                  "%s: %s", examples[i], err.text);
        CHECK_EQ(sf_program_end(&again, 16, NULL), SF_OK);
        CHECK_EQ(again.messages.n, made->program.messages.n);
        CHECK_EQ(again.waits.n, made->program.waits.n);
        double time = time_of(made, &made->program, 1e10);
        double other = time_of(made, &again, 1e10);
        CHECK_FOR(fabs(time - other) < 1e-5 * time + 1e-8, "%s: %g and %g",
                  examples[i], time, other);
        sf_program_clear(&again);
        free(text);
        unmake(made);
    }
}

/* All kinds are among the examples, and have a source. */
TEST(workloads_have_sources)
{
    for (size_t i = 0; sf_workload_kinds[i]; i++) {
        const struct sf_workload_kind *kind = sf_workload_kinds[i];
        bool is_there = strcmp(kind->name, "goal") == 0;
        for (size_t k = 0; k < ARRAY_SIZE(examples); k++) {
            is_there = is_there || strncmp(examples[k], kind->name,
                                           strlen(kind->name)) == 0;
        }
        CHECK_FOR(is_there, "no example of %s", kind->name);
        CHECK(kind->title && kind->example && kind->source && kind->ops);
    }
}

TEST(workloads_refuse_numbers_of_nodes)
{
    static const struct {
        const char *text;
        uint32_t n;
        const char *expected;
    } cases[] = {
        { "gpt3", 50, "50 nodes for gpt3: expected a multiple of 40" },
        { "cosmoflow", 10,
          "10 nodes for cosmoflow: expected a multiple of 4" },
        { "incast:receivers=9", 9, "fewer receivers than nodes" },
        { "resnet152:size=4", 9, "resnet152 has no size" },
        { "allreduce:algorithm=bruck", 9, "algorithm = bruck: expected" },
        { "goal:no such file", 9, "no such file: No such file" },
        { "goal:-", 9, "expected the name of a file" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct host_case *star = star_case(cases[i].n, 1, 1, 1000);
        struct sf_sim_jobs jobs = { .workload = cases[i].text };
        struct sf_error err = { 0 };
        CHECK_FOR(sf_sim_jobs_check(star->network, &jobs, 1, &err) != SF_OK,
                  "%s of %u is fine", cases[i].text, cases[i].n);
        CHECK_FOR(strstr(err.text, cases[i].expected), "'%s' is not in '%s'",
                  cases[i].expected, err.text);
        host_case_free(star);
    }
}

/* Everything that allocates fails once; cases are small. */
TEST(workloads_without_memory)
{
    struct host_case *star = star_case(8, 1, 1, 1000);

    for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
        enum sf_status status = SF_ENOMEM;
        struct sf_sim_jobs jobs = { .workload = examples[i], .size = 9000 };
        /* Not each one of the longer programs, but to their end. */
        for (unsigned long nth = 1; status != SF_OK; nth += 1 + nth / 10) {
            struct sf_workload *workload = NULL;
            struct sf_program program = { 0 };
            uint32_t *job_of = NULL;
            struct sf_error err = { 0 };
            CHECK(nth < 1000000);
            sf_mem_fail_at(nth);
            status =
                sf_workload_build(star->network, &jobs, 1, &workload, &err);
            if (status == SF_OK) {
                status =
                    sf_workload_program(workload, 0, &program, &job_of, &err);
            }
            sf_mem_fail_at(0);
            CHECK_FOR(status == SF_OK || status == SF_ENOMEM, "%s: %s",
                      examples[i], err.text);
            sf_program_clear(&program);
            free(job_of);
            sf_workload_free(workload);
        }
    }
    host_case_free(star);
}
