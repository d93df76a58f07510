/* test_jobs.c -- files of jobs, lists of hosts, and the flows of jobs. */
#include "helpers.h"
#include "slimfly/jobs.h"
#include "slimfly/random.h"
#include "test.h"
#include "traffic/hostlist.h"

#include <math.h>
#include <stdlib.h>

#define N_HOSTS 18 /* Of the network of these tests. */

/* Names that are joined. */
struct names {
    char text[512];
};

static enum sf_status
join(void *aux, const char *name, struct sf_error *err)
{
    struct names *names = aux;
    size_t n = strlen(names->text);

    (void)err;
    snprintf(names->text + n, sizeof names->text - n, "%s%s", n ? " " : "",
             name);
    return SF_OK;
}

TEST(hostlists_are_spelled_out)
{
    static const char *const cases[][2] = {
        { "a", "a" },
        { "a,b", "a b" },
        { "n[1-3]", "n1 n2 n3" },
        { "n[09-11,7]", "n09 n10 n11 n7" },
        { "n[9-11]", "n9 n10 n11" },
        { "n[000-001]x,login", "n000x n001x login" },
        { "r[0-1]n[0-1,4]", "r0n0 r0n1 r0n4 r1n0 r1n1 r1n4" },
        { "n[5]", "n5" },
        { "[3-4]", "3 4" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct names names = { "" };
        struct sf_error err = { 0 };
        CHECK_EQ(sf_hostlist_read(cases[i][0], join, &names, &err), SF_OK);
        CHECK_STR(names.text, cases[i][1]);
    }
}

TEST(hostlists_that_are_wrong_are_refused)
{
    static const char *const cases[] = {
        "",
        ",a",
        "a,",
        "a,,b",
        "n[",
        "n[]",
        "n[1",
        "n]",
        "n[1-]",
        "n[-1]",
        "n[2-1]",
        "n[1,]",
        "n[a]",
        "n[1]]",
        "n[[1]]",
        "n[1-2-3]",
        "n[0000000000]",
        "n[1]m[",
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct names names = { "" };
        struct sf_error err = { 0 };
        CHECK_FOR(sf_hostlist_read(cases[i], join, &names, &err) == SF_EPARSE,
                  "'%s' was read as '%s'", cases[i], names.text);
        CHECK(strstr(err.text, "expected") != NULL);
    }
}

static struct sf_network *
make_network(void)
{
    struct sf_topology *topo = build("sf:q=3,p=1");
    struct sf_fabric *fabric;
    struct sf_network *network;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    CHECK_EQ(sf_network_count_hosts(network), N_HOSTS);
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return network;
}

static enum sf_status
parse(const char *text, const struct sf_network *network,
      struct sf_jobs **jobsp, struct sf_error *err)
{
    char copy[1024];
    int n = snprintf(copy, sizeof copy, "%s", text);

    CHECK(n >= 0 && (size_t)n < sizeof copy);
    *jobsp = UNSET(struct sf_jobs);
    enum sf_status status =
        sf_jobs_parse(copy, (size_t)n, "jobs", network, jobsp, err);
    CHECK((status == SF_OK) == (*jobsp != NULL));
    return status;
}

TEST(jobs_are_read_with_their_ranks)
{
    struct sf_network *network = make_network();
    struct sf_error err = { 0 };
    struct sf_jobs *jobs;

    CHECK_EQ(parse("# some jobs\n"
                   "\n"
                   "a all-to-all node[0003-0004,0000] # ranks\r\n"
                   "  b\tstencil:dims=2x3 node[0005-0010]",
                   network, &jobs, &err),
             SF_OK);
    CHECK_EQ(jobs->n_jobs, 2);
    CHECK_STR(jobs->jobs[0].name, "a");
    CHECK_EQ(jobs->jobs[0].line, 3);
    CHECK_EQ(jobs->jobs[0].n_hosts, 3);
    for (uint32_t i = 0; i < 3; i++) {
        static const char *const names[] = { "node0003", "node0004",
                                             "node0000" };
        uint32_t port = network->host_ports[jobs->jobs[0].hosts[i]];
        CHECK_STR(
            network->fabric->nodes[network->fabric->ports[port].node].name,
            names[i]);
    }
    CHECK_EQ(jobs->jobs[1].kind, SF_PATTERN_STENCIL);
    CHECK_EQ(jobs->jobs[1].n_dims, 2);
    sf_jobs_free(jobs);
    CHECK_EQ(parse("", network, &jobs, &err), SF_OK);
    CHECK_EQ(jobs->n_jobs, 0);
    sf_jobs_free(jobs);
    /* The mark that some editors put first, and comments of any bytes. */
    CHECK_EQ(parse("\xef\xbb\xbfj\xc3\xb6"
                   "b ring node[0000-0001] # \xff\r\n# \xff",
                   network, &jobs, &err),
             SF_OK);
    CHECK_EQ(jobs->n_jobs, 1);
    CHECK_STR(jobs->jobs[0].name, "j\xc3\xb6"
                                  "b");
    sf_jobs_free(jobs);
    sf_network_free(network);
}

TEST(jobs_that_are_wrong_are_refused_with_their_line)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "a ring", "jobs:1: expected NAME PATTERN NODES" },
        { "a ring node0000 x", "jobs:1: expected NAME PATTERN NODES" },
        { "\na ring node0099", "jobs:2: expected a host that is plugged in" },
        { "a ring node[0000-0001],node0000",
          "jobs:1: expected each host once" },
        { "a ring node0000\nb ring node[0001,0000]",
          "jobs:2: expected a host that no other job has, found 'node0000', "
          "which job 'a' of line 1 has" },
        { "a ring node0000\nb ring node0001\na ring node0002",
          "jobs:3: expected a name that no other job has, found 'a', as in "
          "line 1" },
        { "\n\xff\xfe"
          "a ring node0000",
          "jobs:2: expected text in UTF-8 without control characters, found "
          "the byte 0xff" },
        { "a\x1b[2J ring node0000", "found the byte 0x1b in 'a?[2J ring" },
        { "a ring node0000\rb ring node0001", "found the byte 0x0d" },
        { "a ring node[0000", "jobs:1: expected a list of numbers" },
        { "a rings node0000", "jobs:1: expected all-to-all, ring" },
        { "a ring:x node0000", "jobs:1: expected all-to-all, ring" },
        { "a shift:by=0 node[0000-0003]", "jobs:1: expected shift:by=" },
        { "a shift:by=8 node[0000-0003]", "no multiple of the 4 nodes" },
        { "a shift:by=x node[0000-0003]", "jobs:1: expected shift:by=" },
        { "a shift:by=99999999999 node[0000-0003]", "expected shift:by=" },
        { "a stencil:dims=2x3 node[0000-0003]", "is the 4 nodes" },
        { "a stencil:dims=2x2x2 node[0000-0003]", "is the 4 nodes" },
        { "a stencil:dims=2x node[0000-0003]", "expected stencil:dims=" },
        { "a stencil:dims=1x1x1x1x1x1x1x1x1 node0000", "at most 8" },
        { "a pairs:file= node[0000-0003]", "expected pairs:file=" },
        { "a pairs:file=/nonexistent/x node[0000-0003]",
          "jobs:1: /nonexistent/x: No such file" },
        { "a ranks:file= node[0000-0003]", "expected ranks:file=" },
        { "a ranks:file=/nonexistent/x node[0000-0003]",
          "jobs:1: /nonexistent/x: No such file" },
    };
    struct sf_network *network = make_network();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_error err = { 0 };
        struct sf_jobs *jobs;
        CHECK_FOR(parse(cases[i].text, network, &jobs, &err) != SF_OK,
                  "'%s' was read", cases[i].text);
        CHECK_FOR(strstr(err.text, cases[i].expected) != NULL, "%s: %s",
                  cases[i].text, err.text);
    }
    sf_network_free(network);
}

/* Those who write the file do not see all: such jobs are left out, and their
 * hosts are free for others. */
TEST(jobs_that_cannot_be_routed_for_are_left_out)
{
    char text[] = "a ring node[0000-0003]\n"
                  "b ring node[0004-0005,0099]\n"
                  "c ring node[0003-0006]\n"
                  "a ring node[0007-0008]\n"
                  "d ring node[0004-0008]\n";
    struct sf_network *network = make_network();
    struct sf_strays strays = { 0 };
    struct sf_error err = { 0 };
    struct sf_jobs *jobs;

    CHECK_EQ(sf_jobs_parse_some(text, strlen(text), "jobs", network, &strays,
                                &jobs, &err),
             SF_OK);
    CHECK_EQ(strays.n, 3);
    CHECK(strstr(strays.first.text, "jobs:2: expected a host that is") !=
          NULL);
    CHECK_EQ(jobs->n_jobs, 2);
    CHECK_STR(jobs->jobs[1].name, "d");
    CHECK_EQ(jobs->jobs[1].n_hosts, 5);
    sf_jobs_free(jobs);
    sf_network_free(network);
}

TEST(jobs_read_pairs_from_a_file)
{
    struct sf_network *network = make_network();
    struct temporary file =
        temporary_write("source,destination,amount\nnode0000,node0002,3\n"
                        "node0001,node0002,1\n");
    struct sf_error err = { 0 };
    struct sf_jobs *jobs;
    char text[256];

    snprintf(text, sizeof text, "a pairs:file=%s node[0000-0002]", file.name);
    CHECK_EQ(parse(text, network, &jobs, &err), SF_OK);
    CHECK_EQ(jobs->jobs[0].n_pairs, 2);
    CHECK_NEAR(jobs->jobs[0].unit, 4, 0);
    sf_jobs_free(jobs);
    snprintf(text, sizeof text, "a pairs:file=%s node[0000-0001]", file.name);
    CHECK_EQ(parse(text, network, &jobs, &err), SF_EPARSE);
    CHECK(strstr(err.text, "jobs:1: expected pairs of nodes of the job, found "
                           "'node0002' in /") != NULL);
    temporary_remove(&file);
    sf_network_free(network);
}

/* The same pairs by rank are those of whatever hosts a job has. */
TEST(jobs_read_pairs_of_ranks_from_a_file)
{
    static const struct {
        const char *line, *expected;
    } wrong[] = {
        { "0,3,1", ":2: expected a rank from 0 to 2, found '3'" },
        { "x,1,1", ":2: expected a rank from 0 to 2, found 'x'" },
        { ",1,1", ":2: expected a rank from 0 to 2, found ''" },
        { "-1,1,1", ":2: expected a rank from 0 to 2, found '-1'" },
        { "4294967296,1,1", "expected a rank from 0 to 2" },
        { "1,1,1", ":2: expected two different ranks, found '1' twice" },
    };
    struct sf_network *network = make_network();
    struct temporary file =
        temporary_write("source,destination,amount\n0,2,3\n1,2,1\n");
    struct sf_error err = { 0 };
    struct sf_jobs *jobs;
    char text[256];

    snprintf(text, sizeof text, "a ranks:file=%s node[0005,0001,0003]",
             file.name);
    CHECK_EQ(parse(text, network, &jobs, &err), SF_OK);
    const struct sf_job *job = &jobs->jobs[0];
    CHECK_EQ(job->n_pairs, 2);
    for (size_t i = 0; i < 2; i++) {
        CHECK_EQ(job->pairs[i].to, job->hosts[2]);
        CHECK_EQ(job->pairs[i].from, job->hosts[job->pairs[i].amount < 2]);
    }
    sf_jobs_free(jobs);
    temporary_remove(&file);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        char lines[64];
        snprintf(lines, sizeof lines, "# ranks\n%s\n", wrong[i].line);
        file = temporary_write(lines);
        snprintf(text, sizeof text, "a ranks:file=%s node[0000-0002]",
                 file.name);
        CHECK_EQ(parse(text, network, &jobs, &err), SF_EPARSE);
        CHECK_FOR(strstr(err.text, wrong[i].expected) != NULL, "%s", err.text);
        temporary_remove(&file);
    }
    sf_network_free(network);
}

/* Flows as a matrix of hosts. */
struct matrix {
    double amounts[N_HOSTS][N_HOSTS];
};

static void
add(void *aux, uint32_t from, uint32_t to, double amount)
{
    struct matrix *matrix = aux;
    matrix->amounts[from][to] += amount;
}

/* Whether ranks 'a' and 'b' are neighbours on the torus of 'dims': they differ
 * by one, round and round, in one dimension alone. */
static bool
are_neighbours(uint32_t a, uint32_t b, const uint32_t *dims, uint32_t n_dims)
{
    uint32_t n_apart = 0, n_next = 0;

    for (uint32_t k = n_dims; k-- > 0; a /= dims[k], b /= dims[k]) {
        uint32_t x = a % dims[k], y = b % dims[k];
        n_apart += x != y;
        n_next += x != y && ((x + 1) % dims[k] == y || (y + 1) % dims[k] == x);
    }
    return n_apart == 1 && n_next == 1;
}

/* Fails the test unless 'job' has a flow where 'is_flow' says so, and its
 * host of most traffic has 1. */
static void
check_flows(const struct sf_job *job,
            bool is_flow(const struct sf_job *, uint32_t a, uint32_t b))
{
    struct matrix matrix = { 0 };
    double most = 0;

    sf_job_each_flow(job, add, &matrix);
    for (uint32_t a = 0; a < job->n_hosts; a++) {
        double sent = 0, received = 0;
        for (uint32_t b = 0; b < job->n_hosts; b++) {
            double amount = matrix.amounts[job->hosts[a]][job->hosts[b]];
            CHECK_FOR((amount > 0) == is_flow(job, a, b), "%s: %u to %u",
                      job->pattern, a, b);
            sent += amount;
            received += matrix.amounts[job->hosts[b]][job->hosts[a]];
        }
        most = fmax(most, fmax(sent, received));
    }
    CHECK_NEAR(most, 1, 1e-12);
}

static bool
is_other(const struct sf_job *job, uint32_t a, uint32_t b)
{
    (void)job;
    return a != b;
}

static bool
is_next(const struct sf_job *job, uint32_t a, uint32_t b)
{
    return (a + 1) % job->n_hosts == b;
}

static bool
is_fourth(const struct sf_job *job, uint32_t a, uint32_t b)
{
    return (a + 4) % job->n_hosts == b;
}

static bool
is_neighbour(const struct sf_job *job, uint32_t a, uint32_t b)
{
    return are_neighbours(a, b, job->dims, job->n_dims);
}

TEST(jobs_have_the_flows_of_their_patterns)
{
    static const struct {
        const char *line;
        bool (*is_flow)(const struct sf_job *, uint32_t a, uint32_t b);
    } cases[] = {
        { "a all-to-all node[0004-0009]", is_other },
        { "a unknown node[0000-0017]", is_other },
        { "a ring node[0002,0001,0007]", is_next },
        { "a ring node[0002,0001]", is_next },
        { "a shift:by=4 node[0000-0008]", is_fourth },
        { "a shift:by=22 node[0000-0008]", is_fourth },
        { "a stencil:dims=2x3x3 node[0000-0017]", is_neighbour },
        { "a stencil:dims=3x1x5 node[0001-0015]", is_neighbour },
        { "a stencil:dims=4x4 node[0015-0017,0000-0012]", is_neighbour },
    };
    struct sf_network *network = make_network();

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_error err = { 0 };
        struct sf_jobs *jobs;
        CHECK_FOR(parse(cases[i].line, network, &jobs, &err) == SF_OK, "%s",
                  err.text);
        check_flows(&jobs->jobs[0], cases[i].is_flow);
        sf_jobs_free(jobs);
    }
    sf_network_free(network);
}

TEST(jobs_of_one_host_send_nothing)
{
    struct sf_network *network = make_network();
    struct matrix matrix = { 0 };
    struct sf_error err = { 0 };
    struct sf_jobs *jobs;

    CHECK_EQ(
        parse("a unknown node0001\nb ring node0002", network, &jobs, &err),
        SF_OK);
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        sf_job_each_flow(&jobs->jobs[i], add, &matrix);
    }
    for (uint32_t i = 0; i < N_HOSTS * N_HOSTS; i++) {
        CHECK_NEAR(matrix.amounts[i / N_HOSTS][i % N_HOSTS], 0, 0);
    }
    sf_jobs_free(jobs);
    sf_network_free(network);
}
