/* test_workload.c -- programs of workloads against the definitions of these,
 * and what is refused. */
#include "helpers.h"
#include "sim/workload.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define MAX_HOSTS 200

static struct sf_network *
network_by(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);

    sf_topology_free(topo);
    return network;
}

/* A network whose hosts have names. */
static struct sf_network *
named_network_by(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;
    struct sf_network *network;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return network;
}

static struct sf_workload *
workload_of(const struct sf_network *network, const struct sf_sim_jobs *asked,
            uint64_t seed)
{
    struct sf_workload *workload = UNSET(struct sf_workload);
    struct sf_error err = { 0 };

    CHECK_FOR(sf_workload_build(network, asked, seed, &workload, &err) ==
                  SF_OK,
              "%s: %s", asked->workload, err.text);
    return workload;
}

/* A round of a workload; clear it with clear_round(). */
struct round {
    struct sf_program program;
    uint32_t *job_of;
    uint32_t n; /* Messages. */
};

static struct round
round_of(const struct sf_workload *workload, uint32_t number)
{
    struct round round = { 0 };
    struct sf_error err = { 0 };

    CHECK_FOR(sf_workload_program(workload, number, &round.program,
                                  &round.job_of, &err) == SF_OK,
              "%s", err.text);
    round.n = (uint32_t)round.program.messages.n;
    return round;
}

static void
clear_round(struct round *round)
{
    sf_program_clear(&round->program);
    free(round->job_of);
}

/* How many bytes each host sends to each other. */
struct sums {
    double bytes[MAX_HOSTS][MAX_HOSTS];
    uint32_t n_sent[MAX_HOSTS], n_received[MAX_HOSTS];
};

static struct sums *
sum_up(const struct round *round)
{
    struct sums *sums = calloc(1, sizeof *sums);

    CHECK(sums);
    for (uint32_t i = 0; i < round->n; i++) {
        const struct sf_message *message = &round->program.messages.items[i];
        CHECK(message->from < MAX_HOSTS && message->to < MAX_HOSTS);
        CHECK(message->from != message->to && message->bytes >= 1);
        CHECK(message->delay == 0 && message->n_waits == 0);
        sums->bytes[message->from][message->to] += (double)message->bytes;
        sums->n_sent[message->from]++;
        sums->n_received[message->to]++;
    }
    return sums;
}

static bool
runs_on(const struct sf_sim_job *job, uint32_t host)
{
    for (uint32_t i = 0; i < job->n_hosts; i++) {
        if (job->hosts[i] == host) {
            return true;
        }
    }
    return false;
}

/* No host has two jobs, and each message stays within its own. */
static void
check_jobs(const struct sf_workload *workload, const struct round *round)
{
    bool is_taken[MAX_HOSTS] = { false };

    for (uint32_t j = 0; j < workload->n_jobs; j++) {
        for (uint32_t i = 0; i < workload->jobs[j].n_hosts; i++) {
            uint32_t host = workload->jobs[j].hosts[i];
            CHECK(host < sf_network_count_hosts(workload->network));
            CHECK(!is_taken[host]);
            is_taken[host] = true;
        }
    }
    for (uint32_t i = 0; i < round->n; i++) {
        const struct sf_message *message = &round->program.messages.items[i];
        CHECK(round->job_of[i] < workload->n_jobs);
        CHECK(runs_on(&workload->jobs[round->job_of[i]], message->from));
        CHECK(runs_on(&workload->jobs[round->job_of[i]], message->to));
    }
}

/* Every ordered pair once, 1 MiB each by default. */
TEST(workload_all_to_all)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_sim_jobs asked = { .workload = "all-to-all" };
    struct sf_workload *workload = workload_of(network, &asked, 1);
    struct round round = round_of(workload, 0);
    struct sums *sums = sum_up(&round);

    CHECK_EQ(workload->n_rounds, 1);
    CHECK_EQ(round.n, 39800);
    for (uint32_t i = 0; i < MAX_HOSTS; i++) {
        for (uint32_t j = 0; j < MAX_HOSTS; j++) {
            CHECK(sums->bytes[i][j] == (i == j ? 0 : 1 << 20));
        }
    }
    check_jobs(workload, &round);
    free(sums);
    clear_round(&round);
    sf_workload_free(workload);
    sf_network_free(network);
}

/* Each of 33 hosts of the job sends once and receives once, whatever the
 * placement; others do not. */
TEST(workload_permutation_of_a_part)
{
    static const char *const placements[] = { "switches", "random", NULL };
    struct sf_network *network = network_by("sf:q=5");

    for (size_t p = 0; p < ARRAY_SIZE(placements); p++) {
        struct sf_sim_jobs asked = { .workload = "permutation",
                                     .nodes = "33",
                                     .placement = placements[p],
                                     .size = 1000 };
        struct sf_workload *workload = workload_of(network, &asked, 7);
        struct round round = round_of(workload, 0);
        struct sums *sums = sum_up(&round);
        CHECK_EQ(round.n, 33);
        CHECK_EQ(workload->jobs[0].n_hosts, 33);
        for (uint32_t h = 0; h < MAX_HOSTS; h++) {
            bool runs = runs_on(&workload->jobs[0], h);
            CHECK_EQ(sums->n_sent[h], runs);
            CHECK_EQ(sums->n_received[h], runs);
        }
        check_jobs(workload, &round);
        free(sums);
        clear_round(&round);
        sf_workload_free(workload);
    }
    sf_network_free(network);
}

/* Messages are the flows of the traffic, by their amounts. */
TEST(workload_has_the_flows_of_traffic)
{
    static const char *const kinds[] = {
        "permutation", "switch-permutation:distance=1",
        "longest-matching:elephants=0.3,ratio=1000",
        "adversarial:load=0.1,elephants=0.5,ratio=7.5"
    };
    struct sf_network *network = network_by("sf:q=5");

    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        struct sf_sim_jobs asked = { .workload = kinds[k], .size = 500 };
        struct sf_workload *workload = workload_of(network, &asked, 3);
        struct round round = round_of(workload, 0);
        struct sf_flows *flows;
        double largest = 0;
        CHECK_EQ(sf_flows_build(kinds[k], network, 3, &flows, NULL), SF_OK);
        for (size_t i = 0; i < flows->n_flows; i++) {
            largest = fmax(largest, flows->flows[i].amount);
        }
        CHECK_EQ(round.n, flows->n_flows);
        for (uint32_t i = 0; i < round.n; i++) {
            const struct sf_message *message =
                &round.program.messages.items[i];
            double bytes = 500 * flows->flows[i].amount / largest;
            CHECK_EQ(message->from, flows->flows[i].from);
            CHECK_EQ(message->to, flows->flows[i].to);
            CHECK_NEAR((double)message->bytes, fmax(bytes, 1), 0.5 + 1e-9);
        }
        sf_flows_free(flows);
        clear_round(&round);
        sf_workload_free(workload);
    }
    sf_network_free(network);
}

/* Each sends to all behind it first, then to all before it. */
TEST(workload_all_to_all_begins_behind_the_sender)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_sim_jobs asked = { .workload = "all-to-all",
                                 .nodes = "7",
                                 .size = 500 };
    struct sf_workload *workload = workload_of(network, &asked, 1);
    struct round round = round_of(workload, 0);

    CHECK_EQ(round.n, 7 * 6);
    for (uint32_t i = 0; i < round.n; i++) {
        const struct sf_message *message = &round.program.messages.items[i];
        CHECK_EQ(message->from, i / 6);
        CHECK_EQ(message->to, (i / 6 + i % 6 + 1) % 7);
        CHECK_EQ(message->bytes, 500);
    }
    clear_round(&round);
    sf_workload_free(workload);
    sf_network_free(network);
}

/* Makes lists of hosts out of 'asked' with each allocation failing in turn. */
static struct sf_jobs *
nodes_of(const struct sf_network *network, const struct sf_sim_jobs *asked)
{
    struct sf_jobs *jobs = NULL;
    unsigned long nth = 0;
    enum sf_status status;

    do {
        sf_mem_fail_at(++nth);
        status = sf_sim_jobs_nodes(network, asked, 5, &jobs, NULL);
        sf_mem_fail_at(0);
        CHECK(nth < 200);
        CHECK(status == SF_OK || (status == SF_ENOMEM && !jobs));
    } while (status != SF_OK);
    CHECK(nth > 5);
    return jobs;
}

/* Routes for jobs are for the hosts on which these run. */
TEST(workload_tells_the_hosts_of_jobs)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_sim_jobs asked = { .workload = "all-to-all+ebb",
                                 .nodes = "16+9",
                                 .placement = "random" };
    struct sf_workload *workload = workload_of(network, &asked, 5);
    struct sf_jobs *jobs = nodes_of(network, &asked);

    CHECK_EQ(jobs->n_jobs, 2);
    for (uint32_t i = 0; i < 2; i++) {
        const struct sf_job *job = &jobs->jobs[i];
        CHECK_EQ(job->n_hosts, workload->jobs[i].n_hosts);
        CHECK_EQ(job->kind, SF_PATTERN_UNKNOWN);
        CHECK(job->unit == job->n_hosts - 1);
        for (uint32_t k = 0; k < job->n_hosts; k++) {
            CHECK_EQ(job->hosts[k], workload->jobs[i].hosts[k]);
        }
    }
    sf_jobs_free(jobs);
    asked.nodes = "16+900";
    CHECK_EQ(sf_sim_jobs_nodes(network, &asked, 5, &jobs, NULL), SF_EINVAL);
    CHECK(!jobs);
    sf_workload_free(workload);
    sf_network_free(network);
}

/* The switches of a part have only its hosts: those of one send to those of
 * one other that has some. */
TEST(workload_of_a_part_knows_its_switches)
{
    static const char *const placements[] = { "switches", "random" };
    struct sf_network *network = network_by("sf:q=5");

    for (size_t p = 0; p < ARRAY_SIZE(placements); p++) {
        struct sf_sim_jobs asked = { .workload = "switch-permutation",
                                     .nodes = "82",
                                     .placement = placements[p] };
        struct sf_workload *workload = workload_of(network, &asked, 1);
        struct round round = round_of(workload, 0);
        uint32_t to[MAX_HOSTS / 4];
        memset(to, 0xff, sizeof to);
        CHECK_EQ(round.n, 82);
        check_jobs(workload, &round);
        for (uint32_t i = 0; i < round.n; i++) {
            const struct sf_message *message =
                &round.program.messages.items[i];
            uint32_t s = message->from / 4, d = message->to / 4;
            CHECK(s != d && (to[s] == SF_NONE || to[s] == d));
            to[s] = d;
        }
        clear_round(&round);
        sf_workload_free(workload);
    }
    sf_network_free(network);
}

/* Each host but one of an odd number sends to its partner and receives from
 * it. */
static void
check_matching(const struct sf_workload *workload, const struct round *round)
{
    struct sums *sums = sum_up(round);
    uint32_t n = workload->jobs[0].n_hosts, n_matched = 0;

    for (uint32_t i = 0; i < MAX_HOSTS; i++) {
        n_matched += sums->n_sent[i];
        CHECK(sums->n_sent[i] <= 1);
        CHECK_EQ(sums->n_sent[i], sums->n_received[i]);
        for (uint32_t j = 0; j < MAX_HOSTS; j++) {
            CHECK(sums->bytes[i][j] == sums->bytes[j][i]);
            CHECK(sums->bytes[i][j] == 0 || sums->bytes[i][j] == 4096);
        }
    }
    CHECK_EQ(n_matched, n / 2 * 2);
    CHECK_EQ(round->n, n_matched);
    check_jobs(workload, round);
    free(sums);
}

static bool
are_same(const struct round *a, const struct round *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (a->program.messages.items[i].from !=
                b->program.messages.items[i].from ||
            a->program.messages.items[i].to !=
                b->program.messages.items[i].to) {
            return false;
        }
    }
    return a->n == b->n;
}

TEST(workload_ebb_is_perfect_matchings)
{
    static const char *const nodes[] = { NULL, "2", "3", "31", "128" };
    struct sf_network *network = network_by("sf:q=5");

    for (size_t k = 0; k < ARRAY_SIZE(nodes); k++) {
        struct sf_sim_jobs asked = { .workload = "ebb:matchings=5",
                                     .nodes = nodes[k],
                                     .placement = "random",
                                     .size = 4096 };
        struct sf_workload *workload = workload_of(network, &asked, 11);
        struct sf_workload *again = workload_of(network, &asked, 11);
        CHECK_EQ(workload->n_rounds, 5);
        for (uint32_t i = 0; i < 5; i++) {
            struct round one = round_of(workload, i);
            struct round same = round_of(again, i);
            struct round next = round_of(workload, (i + 1) % 5);
            check_matching(workload, &one);
            CHECK(are_same(&one, &same));
            CHECK(one.n < 8 || !are_same(&one, &next));
            clear_round(&one);
            clear_round(&same);
            clear_round(&next);
        }
        sf_workload_free(again);
        sf_workload_free(workload);
    }
    sf_network_free(network);
}

/* All pairs are as likely: of 3,000 matchings of 4 hosts, each of the 3 that
 * there are is a third. */
TEST(workload_ebb_draws_evenly)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_sim_jobs asked = { .workload = "ebb:matchings=3000",
                                 .nodes = "4" };
    struct sf_workload *workload = workload_of(network, &asked, 5);
    uint32_t counts[4] = { 0 };

    for (uint32_t i = 0; i < workload->n_rounds; i++) {
        struct round round = round_of(workload, i);
        for (uint32_t k = 0; k < round.n; k++) {
            if (round.program.messages.items[k].from == 0) {
                counts[round.program.messages.items[k].to]++;
            }
        }
        clear_round(&round);
    }
    for (uint32_t i = 1; i < 4; i++) {
        CHECK_NEAR(counts[i], 1000, 110); /* Four standard deviations. */
    }
    sf_workload_free(workload);
    sf_network_free(network);
}

TEST(workload_several_jobs)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_sim_jobs asked = {
        .workload = "ebb:matchings=3+adversarial:load=1,ratio=1e+1+all-to-all"
                    "+ebb:matchings=2",
        .nodes = "32+64+5+7",
        .placement = "random",
    };
    struct sf_workload *workload = workload_of(network, &asked, 2);

    CHECK_EQ(workload->n_jobs, 4);
    CHECK_EQ(workload->n_rounds, 3);
    CHECK_STR(workload->jobs[1].workload, "adversarial:load=1,ratio=1e+1");
    CHECK_EQ(workload->jobs[1].n_hosts, 64);
    struct round rounds[3];
    uint32_t counts[4] = { 0 };
    for (uint32_t i = 0; i < 3; i++) {
        rounds[i] = round_of(workload, i);
        check_jobs(workload, &rounds[i]);
    }
    for (uint32_t i = 0; i < rounds[0].n; i++) {
        counts[rounds[0].job_of[i]]++;
    }
    CHECK_EQ(counts[0], 32);
    CHECK_EQ(counts[2], 20);
    CHECK_EQ(counts[3], 6);

    /* The last job has two rounds and starts again. */
    CHECK_EQ(rounds[0].n, rounds[2].n);
    for (uint32_t i = rounds[0].n - 6; i < rounds[0].n; i++) {
        CHECK_EQ(rounds[0].program.messages.items[i].from,
                 rounds[2].program.messages.items[i].from);
    }
    for (uint32_t i = 0; i < 3; i++) {
        clear_round(&rounds[i]);
    }
    sf_workload_free(workload);

    /* Equal parts, and two permutations that are not alike. */
    asked = (struct sf_sim_jobs){ .workload = "permutation+permutation" };
    workload = workload_of(network, &asked, 2);
    rounds[0] = round_of(workload, 0);
    uint32_t n_alike = 0;
    for (uint32_t i = 0; i < 100; i++) {
        CHECK_EQ(workload->jobs[1].hosts[i], 100 + i);
        n_alike += rounds[0].program.messages.items[i].to + 100 ==
                   rounds[0].program.messages.items[100 + i].to;
    }
    CHECK(n_alike < 20);
    clear_round(&rounds[0]);
    sf_workload_free(workload);

    /* One number for all. */
    asked.nodes = "9";
    workload = workload_of(network, &asked, 2);
    CHECK_EQ(workload->jobs[0].n_hosts, 9);
    CHECK_EQ(workload->jobs[1].n_hosts, 9);
    sf_workload_free(workload);
    sf_network_free(network);
}

/* What stands for each job, up to the plus before the next. */
TEST(workload_names_jobs)
{
    static const char text[] = "ebb:size=2K+adversarial:ratio=1e+1+file:a+b";
    static const char *const parts[] = { "ebb:size=2K",
                                         "adversarial:ratio=1e+1",
                                         "file:a+b" };
    struct sf_sim_jobs jobs = { .workload = text };
    const char *from;

    for (uint32_t i = 0; i < 3; i++) {
        CHECK_EQ(sf_sim_jobs_part(&jobs, i, &from), strlen(parts[i]));
        CHECK(strncmp(from, parts[i], strlen(parts[i])) == 0);
    }
    CHECK_EQ(sf_sim_jobs_part(&jobs, 3, &from), 0);
    jobs.workload = NULL;
    CHECK_EQ(sf_sim_jobs_part(&jobs, 0, &from), 0);
}

/* For a load, flows as they are; each job is scaled on its own. */
TEST(workload_flows_of_jobs)
{
    struct sf_network *network = network_by("sf:q=5");
    struct sf_sim_jobs asked = { .workload = "permutation+all-to-all",
                                 .nodes = "10+5",
                                 .load = 0.5 };
    struct sf_workload *workload = workload_of(network, &asked, 4);
    struct sf_flow *flows;
    size_t n_flows;

    CHECK_EQ(sf_workload_flows(workload, &flows, &n_flows, NULL), SF_OK);
    CHECK_EQ(n_flows, 10 + 5 * 4);
    for (size_t i = 0; i < n_flows; i++) {
        const struct sf_sim_job *job = &workload->jobs[i >= 10];
        CHECK(runs_on(job, flows[i].from) && runs_on(job, flows[i].to));
        CHECK_NEAR(flows[i].amount, i < 10 ? 1 : 0.25, 1e-12);
    }
    free(flows);
    sf_workload_free(workload);
    sf_network_free(network);
}

TEST(workload_from_a_file_names_its_hosts)
{
    struct sf_network *network = named_network_by("sf:q=5");
    struct temporary file = temporary_write("node0003,node0001,2\n"
                                            "node0001,node0007,1\n");
    char text[80];
    snprintf(text, sizeof text, "file:%s", file.name);
    struct sf_sim_jobs asked = { .workload = text, .size = 100 };
    struct sf_workload *workload = workload_of(network, &asked, 1);
    struct round round = round_of(workload, 0);
    struct sf_error err = { 0 };

    CHECK_EQ(workload->jobs[0].n_hosts, 3);
    CHECK_EQ(workload->jobs[0].hosts[1], 3);
    CHECK_EQ(round.n, 2);
    for (uint32_t i = 0; i < round.n; i++) {
        const struct sf_message *message = &round.program.messages.items[i];
        CHECK_EQ(message->bytes, message->from == 3 ? 100 : 50);
        CHECK_EQ(message->to, message->from == 3 ? 1 : 7);
    }
    check_jobs(workload, &round);
    clear_round(&round);
    sf_workload_free(workload);

    asked.nodes = "5";
    CHECK_EQ(sf_workload_build(network, &asked, 1, &workload, &err),
             SF_EINVAL);
    CHECK_FOR(strstr(err.text, "names its hosts itself"), "%s", err.text);
    temporary_remove(&file);
    sf_network_free(network);
}

/* Without numbers of nodes, a file of hosts is there as a whole. */
TEST(workload_takes_all_hosts_of_a_placement)
{
    struct sf_network *network = named_network_by("sf:q=5");
    struct temporary file = temporary_write("node0009\n# x\nnode0100\n"
                                            "node0002\n\nnode0007\n");
    struct temporary bad = temporary_write("node0009\nnode9999\n");
    char text[80], bad_text[80];
    struct sf_sim_jobs asked = { .workload = "all-to-all", .placement = text };
    struct sf_error err = { 0 };

    snprintf(text, sizeof text, "file:%s", file.name);
    snprintf(bad_text, sizeof bad_text, "file:%s", bad.name);
    struct sf_workload *workload = workload_of(network, &asked, 1);
    CHECK_EQ(workload->jobs[0].n_hosts, 4);
    CHECK_EQ(workload->jobs[0].hosts[1], 100);
    sf_workload_free(workload);

    asked.workload = "all-to-all+ebb";
    workload = workload_of(network, &asked, 1);
    CHECK(workload->jobs[0].n_hosts == 2 && workload->jobs[1].n_hosts == 2);
    CHECK(workload->jobs[1].hosts[0] == 2 && workload->jobs[1].hosts[1] == 7);
    sf_workload_free(workload);

    asked.nodes = "3";
    asked.workload = "all-to-all";
    workload = workload_of(network, &asked, 1);
    CHECK_EQ(workload->jobs[0].n_hosts, 3);
    sf_workload_free(workload);

    asked.nodes = NULL;
    asked.placement = bad_text;
    CHECK_EQ(sf_workload_build(network, &asked, 1, &workload, &err),
             SF_EPARSE);
    CHECK_FOR(strstr(err.text, ":2: 'node9999'"), "%s", err.text);
    temporary_remove(&file);
    temporary_remove(&bad);
    sf_network_free(network);
}

TEST(workload_refuses)
{
    static const struct {
        struct sf_sim_jobs asked;
        const char *text;
    } cases[] = {
        { { .workload = "alltoal" }, "is not a workload; there are all" },
        { { .workload = "alltoal" }, "ebb" },
        { { .workload = NULL }, "expected a workload" },
        { { .workload = "" }, "is not a workload" },
        { { .workload = "ebb+" }, "is not a workload" },
        { { .workload = "+ebb" }, "is not a workload" },
        { { .workload = "ebb:matchings=0" }, "from 1 to 1000000" },
        { { .workload = "ebb:rounds=3" }, "it has matchings" },
        { { .workload = "permutation", .nodes = "201" },
          "201 nodes: this network has 200 hosts" },
        { { .workload = "ebb+ebb", .nodes = "101" },
          "202 nodes in 2 jobs: this network has 200 hosts" },
        { { .workload = "ebb+ebb", .nodes = "99999999999+2" },
          "nodes '99999999999+2': expected a number" },
        { { .workload = "ebb", .nodes = "" }, "expected a number" },
        { { .workload = "ebb", .nodes = "-3" }, "expected a number" },
        { { .workload = "ebb", .nodes = "3 " }, "expected a number" },
        { { .workload = "ebb", .nodes = "3+" }, "expected a number" },
        { { .workload = "ebb", .nodes = "1" }, "a job needs 2 or more" },
        { { .workload = "ebb+ebb", .nodes = "2+0" }, "a job needs 2 or more" },
        { { .workload = "ebb", .nodes = "3+4" },
          "are for 2 jobs, and there are 1" },
        { { .workload = "ebb+ebb+ebb", .nodes = "3+4" },
          "are for 2 jobs, and there are 3" },
        { { .workload = "ebb", .load = 0.5 }, "loads are for kinds" },
        { { .workload = "ebb", .size = -1 }, "expected 1 to" },
        { { .workload = "ebb", .size = 1e30 }, "expected 1 to" },
        { { .workload = "ebb+file:x" }, "it runs alone" },
        { { .workload = "ebb", .placement = "nowhere" }, "nowhere" },
    };
    struct sf_network *network = network_by("sf:q=5");

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_workload *workload = UNSET(struct sf_workload);
        struct sf_error err = { 0 };
        CHECK_EQ(
            sf_workload_build(network, &cases[i].asked, 1, &workload, &err),
            SF_EINVAL);
        CHECK_FOR(strstr(err.text, cases[i].text), "expected '%s' in '%s'",
                  cases[i].text, err.text);
        CHECK(workload == NULL);
    }
    sf_network_free(network);
}

/* 7,514 hosts have 56 million pairs: refused before they are listed. */
TEST(workload_refuses_more_messages_than_fit)
{
    struct sf_network *network = network_by("sf:q=17");
    struct sf_sim_jobs asked = { .workload = "all-to-all" };
    struct sf_workload *workload = UNSET(struct sf_workload);
    struct sf_error err = { 0 };

    CHECK_EQ(sf_workload_build(network, &asked, 1, &workload, &err),
             SF_ELIMIT);
    CHECK_FOR(strstr(err.text, "all-to-all of 7514 hosts: 56452682 messages"),
              "%s", err.text);
    CHECK(workload == NULL);
    asked.load = 0.5;
    CHECK_EQ(sf_sim_jobs_check(network, &asked, 1, &err), SF_ELIMIT);
    CHECK_FOR(strstr(err.text, "56452682 pairs"), "%s", err.text);
    asked.nodes = "5000";
    CHECK_EQ(sf_sim_jobs_check(network, &asked, 1, &err), SF_OK);
    sf_network_free(network);
}

/* Texts that are put together at random are read or refused with a sentence;
 * what is read has as many jobs as parts. */
TEST(workload_reads_any_text)
{
    static const char *const pieces[] = {
        "+",
        "ebb",
        "permutation",
        ":",
        "matchings=2",
        "1",
        "e",
        "2",
        "file:",
        "adversarial:ratio=1e+2,load=0.1",
        "all-to-all",
        "33",
        "",
        "x",
        "=",
    };
    struct sf_network *network = network_by("sf:q=4");
    uint32_t n_fine = 0;

    for (uint64_t seed = 0; seed < 4000; seed++) {
        char texts[2][256] = { "", "" };
        struct sf_random random;
        struct sf_workload *workload;
        struct sf_error err = { 0 };

        sf_random_init(&random, seed, 0);
        for (uint32_t i = 0; i < 2; i++) {
            for (uint32_t n = sf_random_below(&random, 6); n > 0; n--) {
                size_t length = strlen(texts[i]);
                snprintf(texts[i] + length, sizeof texts[i] - length, "%s",
                         pieces[sf_random_below(&random, ARRAY_SIZE(pieces))]);
            }
        }
        bool has_nodes = sf_random_below(&random, 4) == 0;
        struct sf_sim_jobs asked = { .workload = texts[0],
                                     .nodes = has_nodes ? texts[1] : NULL };
        enum sf_status status =
            sf_workload_build(network, &asked, seed, &workload, &err);
        CHECK((status == SF_OK) == (workload != NULL));
        if (status != SF_OK) {
            CHECK(err.text[0] != '\0');
            continue;
        }
        struct round round = round_of(workload, 0);
        n_fine++;
        check_jobs(workload, &round);
        clear_round(&round);
        sf_workload_free(workload);
    }
    CHECK(n_fine > 50);
    sf_network_free(network);
}
