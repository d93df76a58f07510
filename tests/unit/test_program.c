/* test_program.c -- what simulations start from: programs, the numbers of
 * links, sizes of messages. */
#include "base/mem.h"
#include "helpers.h"
#include "sim/program.h"
#include "sim/wires.h"
#include "sim/workload.h"
#include "slimfly/random.h"
#include "slimfly/topology.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

#define MAX_MESSAGES 24
#define MAX_WAITS    60

/* What a random program was given. */
struct given {
    uint32_t n, n_waits;
    struct sf_wait waits[MAX_WAITS];
};

/* Adds messages and waits; 'is_sound': only for messages with lower
 * numbers. */
static struct given
draw_program(struct sf_program *program, bool is_sound,
             struct sf_random *random)
{
    struct given given = { .n = 2 + sf_random_below(random, MAX_MESSAGES - 1),
                           .n_waits = sf_random_below(random, MAX_WAITS) };

    for (uint32_t i = 0; i < given.n; i++) {
        CHECK(sf_program_send(program, i % 5, 5 + i % 3, i + 1, i / 4.0));
    }
    /* Programs with circles have fewer waits, so that some have none. */
    given.n_waits = is_sound ? given.n_waits : given.n_waits / 6;
    for (uint32_t i = 0; i < given.n_waits; i++) {
        uint32_t after = 1 + sf_random_below(random, given.n - 1);
        uint32_t before = sf_random_below(random, is_sound ? after : given.n);
        given.waits[i] = (struct sf_wait){ before, after & 0x7fffffffu, 0 };
        CHECK(sf_program_wait(program, before, after));
    }
    return given;
}

/* How often 'after' waits for 'before', or for anything if that is
 * SF_NONE. */
static uint32_t
count_waits(const struct sf_wait *waits, size_t n, uint32_t before,
            uint32_t after)
{
    uint32_t count = 0;

    for (size_t i = 0; i < n; i++) {
        count += waits[i].after == after &&
                 (before == SF_NONE || waits[i].before == before);
    }
    return count;
}

static void
check_waits(const struct sf_program *program, const struct given *given)
{
    CHECK_EQ(program->messages.n, given->n);
    CHECK_EQ(program->waits.n, given->n_waits);
    CHECK_EQ(program->first[0], 0);
    CHECK_EQ(program->first[given->n], given->n_waits);
    for (uint32_t m = 0; m < given->n; m++) {
        const struct sf_message *message = &program->messages.items[m];
        uint32_t first = program->first[m], end = program->first[m + 1];
        CHECK_EQ(message->n_waits,
                 count_waits(given->waits, given->n_waits, SF_NONE, m));
        CHECK(message->from == m % 5 && message->to == 5 + m % 3 &&
              message->bytes == m + 1 && message->delay == m / 4.0);
        CHECK(first <= end);
        for (uint32_t after = 0; after < given->n; after++) {
            CHECK_EQ(count_waits(program->waits.items + first, end - first, m,
                                 after),
                     count_waits(given->waits, given->n_waits, m, after));
        }
    }
}

TEST(program_sorts_its_waits)
{
    struct sf_random random;

    sf_random_init(&random, 1, 0);
    for (uint32_t i = 0; i < 300; i++) {
        struct sf_program program = { 0 };
        struct given given = draw_program(&program, true, &random);
        CHECK_EQ(sf_program_end(&program, 8, NULL), SF_OK);
        check_waits(&program, &given);
        sf_program_clear(&program);
        CHECK(!program.messages.items && !program.first);
    }
}

/* Whether some message waits for itself, by the closure of all waits; fills
 * 'is_in' [n] with which. */
static bool
find_circles(const struct given *given, bool *is_in)
{
    bool has_circle = false;

    bool waits[MAX_MESSAGES][MAX_MESSAGES] = { 0 };

    for (uint32_t i = 0; i < given->n_waits; i++) {
        waits[given->waits[i].after][given->waits[i].before] = true;
    }
    for (uint32_t k = 0; k < given->n; k++) {
        for (uint32_t i = 0; i < given->n; i++) {
            for (uint32_t j = 0; j < given->n; j++) {
                waits[i][j] |= waits[i][k] && waits[k][j];
            }
        }
    }
    for (uint32_t i = 0; i < given->n; i++) {
        is_in[i] = waits[i][i];
        has_circle = has_circle || is_in[i];
    }
    return has_circle;
}

TEST(program_finds_circles)
{
    uint32_t n_circles = 0, n = 600;
    struct sf_random random;

    sf_random_init(&random, 2, 0);
    for (uint32_t i = 0; i < n; i++) {
        struct sf_program program = { 0 };
        struct sf_error err = { 0 };
        struct given given = draw_program(&program, false, &random);
        bool is_in[MAX_MESSAGES];
        bool expected = find_circles(&given, is_in);
        enum sf_status status = sf_program_end(&program, 8, &err);
        CHECK_FOR(status == (expected ? SF_EINVAL : SF_OK), "case %u: %s", i,
                  err.text);
        if (expected) { /* One of a circle is named, not one behind it. */
            unsigned m = MAX_MESSAGES;
            CHECK(sscanf(err.text, "message %u waits for others", &m) == 1);
            CHECK(m < given.n && is_in[m]);
        }
        n_circles += expected;
        sf_program_clear(&program);
    }
    CHECK(n_circles > n / 10 && n_circles < n - n / 10);
}

TEST(program_refuses)
{
    static const struct {
        struct sf_message message;
        struct sf_wait wait;
        const char *text;
    } cases[] = {
        { { 3, 3, 1, 0, 0, 0 },
          { 0, 1, 0 },
          "message 1: from host 3 to host 3" },
        { { 4, 0, 1, 0, 0, 0 }, { 0, 1, 0 }, "from host 4 to host 0" },
        { { 0, 4, 1, 0, 0, 0 }, { 0, 1, 0 }, "two different ones of 4" },
        { { 0, 1, 0, 0, 0, 0 }, { 0, 1, 0 }, "message 1: 0 bytes" },
        { { 0, 1, 1, -1, 0, 0 }, { 0, 1, 0 }, "after -1 seconds" },
        { { 0, 1, 1, HUGE_VAL, 0, 0 }, { 0, 1, 0 }, "after inf seconds" },
        { { 0, 1, 1, (double)NAN, 0, 0 }, { 0, 1, 0 }, "nan seconds" },
        { { 1, 1, 0, -1, 0, 0 }, { 0, 1, 0 }, "-1 seconds on CPU 0 of host" },
        { { 4, 4, 0, 1, 0, 0 }, { 0, 1, 0 }, "of host 4" },
        { { 1, 1, 0, 1, 0, 257 }, { 0, 1, 0 }, "CPU 257" },
        { { 1, 1, 0, 1, 0, 0 }, { 1, 0, 0 }, "of host 0 waits for what" },
        { { 1, 2, 1, 0, 0, 0 }, { 0, 1, 1 }, "of host 1 waits for what" },
        { { 0, 1, 1, 0, 0, 0 }, { 0, 2, 0 }, "message 2 waits for message 0" },
        { { 0, 1, 1, 0, 0, 0 }, { 2, 0, 0 }, "there are 2" },
        { { 0, 1, 1, 0, 0, 0 }, { 1, 1, 0 }, "message 1 waits for" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct sf_message *message = &cases[i].message;
        struct sf_program program = { 0 };
        struct sf_error err = { 0 };
        CHECK(sf_program_send(&program, 0, 3, 10, 0));
        CHECK(sf_vec_push(&program.messages, *message));
        CHECK(sf_vec_push(&program.waits, cases[i].wait));
        CHECK_EQ(sf_program_end(&program, 4, &err), SF_EINVAL);
        CHECK_FOR(strstr(err.text, cases[i].text), "'%s' is not in '%s'",
                  cases[i].text, err.text);
        sf_program_clear(&program);
    }
}

TEST(program_of_nothing)
{
    struct sf_program program = { 0 };

    CHECK_EQ(sf_program_end(&program, 0, NULL), SF_OK);
    CHECK(program.messages.n == 0 && program.first[0] == 0);
    sf_program_clear(&program);
    sf_program_clear(&program);
}

static enum sf_status
make_program(struct sf_error *err)
{
    struct sf_program program = { 0 };
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < 20; i++) {
        if (!sf_program_send(&program, i % 4, 4, 1, 0) ||
            (i && !sf_program_wait(&program, i - 1, i))) {
            status = sf_fail(err, SF_ENOMEM, "adding");
        }
    }
    if (status == SF_OK) {
        status = sf_program_end(&program, 5, err);
    }
    sf_program_clear(&program);
    return status;
}

TEST(program_without_memory)
{
    for (unsigned long nth = 1;; nth++) {
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status = make_program(&err);
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK(nth > 4);
            return;
        }
        CHECK(status == SF_ENOMEM && err.status == SF_ENOMEM);
    }
}

/* The links as wires.h says that they are numbered. */
static uint32_t
list_links(const struct sf_network *network, struct sf_sim_link *links)
{
    const struct sf_graph *graph = network->graph;
    uint32_t n_hosts = sf_network_count_hosts(network), n = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        for (uint32_t i = 0; i < network->n_hosts[s]; i++) {
            links[n] = (struct sf_sim_link){ n, n_hosts + s };
            n++;
        }
    }
    CHECK_EQ(n, n_hosts);
    uint32_t host = 0;
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        for (uint32_t i = 0; i < sf_graph_degree(graph, s); i++) {
            links[n++] = (struct sf_sim_link){
                n_hosts + s, n_hosts + graph->arcs[graph->first[s] + i].to
            };
        }
        for (uint32_t i = 0; i < network->n_hosts[s]; i++) {
            links[n++] = (struct sf_sim_link){ n_hosts + s, host++ };
        }
    }
    return n;
}

static void
check_wires(const struct sf_network *network, const struct sf_wires *wires)
{
    const struct sf_graph *graph = network->graph;
    struct sf_sim_link links[2000];
    uint32_t n = list_links(network, links);
    uint32_t n_seen = 0;

    CHECK_EQ(wires->n_links, n);
    CHECK_EQ(wires->n_hosts, sf_network_count_hosts(network));
    CHECK_EQ(wires->n_nodes, wires->n_hosts + graph->n_nodes);
    for (uint32_t l = 0; l < n; l++) {
        CHECK_EQ(wires->links[l].from, links[l].from);
        CHECK_EQ(wires->links[l].to, links[l].to);
        CHECK(l == 0 || links[l - 1].from <= links[l].from);
        uint32_t arc = sf_wires_arc_of(wires, l);
        bool is_between =
            links[l].from >= wires->n_hosts && links[l].to >= wires->n_hosts;
        CHECK((arc != SF_NONE) == is_between);
        CHECK(arc == SF_NONE || sf_wires_of_arc(wires, arc) == l);
        n_seen += is_between;
    }
    CHECK_EQ(n_seen, 2 * graph->n_links);
    for (uint32_t h = 0; h < wires->n_hosts; h++) {
        uint32_t s = sf_wires_switch_of(wires, h);
        CHECK(network->first_host[s] <= h && h < network->first_host[s + 1]);
        uint32_t l = sf_wires_to_host(wires, s, h);
        CHECK(links[l].from == wires->n_hosts + s && links[l].to == h);
    }
}

/* A random walk of up to 'n' arcs from switch 's'. */
static uint32_t
walk(const struct sf_graph *graph, uint32_t s, uint32_t n,
     struct sf_path *path, struct sf_random *random)
{
    *path = (struct sf_path){ .first_vl = 3, .last_vl = 5 };
    for (uint32_t i = 0; i < n && sf_graph_degree(graph, s); i++) {
        uint32_t arc = graph->first[s] +
                       sf_random_below(random, sf_graph_degree(graph, s));
        path->arcs[path->n_arcs] = arc;
        path->vls[path->n_arcs++] = (uint8_t)(i % 15);
        s = graph->arcs[arc].to;
    }
    return s;
}

/* Links of walks join host to host, with the VLs of the walk. */
static void
check_hops(const struct sf_network *network, const struct sf_wires *wires,
           struct sf_random *random)
{
    for (uint32_t i = 0; i < 50; i++) {
        struct sf_sim_hop hops[SF_MAX_PATH_LINKS];
        struct sf_path path;
        uint32_t from = sf_random_below(random, wires->n_hosts);
        uint32_t length =
            i == 0 ? SF_MAX_PATH_ARCS : sf_random_below(random, 8);
        uint32_t d = walk(network->graph, sf_wires_switch_of(wires, from),
                          length, &path, random);
        if (network->n_hosts[d] == 0) {
            continue;
        }
        uint32_t to = network->first_host[d] +
                      sf_random_below(random, network->n_hosts[d]);
        uint32_t n = sf_wires_hops(wires, &path, from, to, hops);
        CHECK_EQ(n, path.n_arcs + 2);
        CHECK(hops[0].vl == 3 && hops[n - 1].vl == 5);
        CHECK_EQ(wires->links[hops[0].link].from, from);
        CHECK_EQ(wires->links[hops[n - 1].link].to, to);
        for (uint32_t k = 1; k < n; k++) {
            CHECK_EQ(wires->links[hops[k - 1].link].to,
                     wires->links[hops[k].link].from);
        }
        for (uint32_t k = 0; k < path.n_arcs; k++) {
            CHECK_EQ(hops[k + 1].vl, path.vls[k]);
            CHECK_EQ(sf_wires_arc_of(wires, hops[k + 1].link), path.arcs[k]);
        }
    }
}

/* Switches without hosts and parallel links are among them. */
TEST(wires_are_the_links_of_a_network)
{
    static const char *const specs[] = { "sf:q=5", "ft2:ports=8",
                                         "hx2:3x3,p=2,links=3",
                                         "df:a=4,h=2,p=2", "ft3:ports=4" };
    struct sf_random random;

    sf_random_init(&random, 3, 0);
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_topology *topo = build("%s", specs[i]);
        struct sf_network *network = network_of(topo->graph, topo->n_hosts);
        struct sf_wires *wires;
        CHECK_EQ(sf_wires_build(network, &wires, NULL), SF_OK);
        check_wires(network, wires);
        check_hops(network, wires, &random);
        sf_wires_free(wires);
        for (unsigned long nth = 1; nth <= 2; nth++) {
            wires = UNSET(struct sf_wires);
            sf_mem_fail_at(nth);
            CHECK_EQ(sf_wires_build(network, &wires, NULL), SF_ENOMEM);
            sf_mem_fail_at(0);
            CHECK(!wires);
        }
        sf_network_free(network);
        sf_topology_free(topo);
    }
    sf_wires_free(NULL);
}

TEST(sizes_are_read)
{
    static const struct {
        const char *text;
        double size;
    } cases[] = {
        { "4096", 4096 },
        { "1", 1 },
        { "64K", 65536 },
        { "1M", 1048576 },
        { "2G", 2147483648.0 },
        { "1.5K", 1536 },
        { "1000000000000000", 1e15 },
        { "0.5K", 512 },
        { "1000000000000001", 0 },
        { "1000000G", 0 },
        { "0", 0 },
        { "0.5", 0 },
        { "", 0 },
        { "K", 0 },
        { ".5K", 0 },
        { "-1", 0 },
        { "+1", 0 },
        { " 1", 0 },
        { "1 ", 0 },
        { "1k", 0 },
        { "1KB", 0 },
        { "1KK", 0 },
        { "1T", 0 },
        { "1e3", 0 },
        { "1.5.0", 0 },
        { "0x10", 0 },
        { "nan", 0 },
        { "inf", 0 },
        { "99999999999999999999999999999999999999999999", 0 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        double size = sf_sim_size_read(cases[i].text, NULL);
        CHECK_FOR(size == cases[i].size, "'%s' is %g", cases[i].text, size);
        char longer[80];
        snprintf(longer, sizeof longer, "%s7K", cases[i].text);
        CHECK_FOR(sf_sim_size_read(longer, longer + strlen(cases[i].text)) ==
                      size,
                  "'%s' does not end", cases[i].text);
    }
    /* More digits than a number has. */
    char digits[500];
    memset(digits, '0', sizeof digits);
    memcpy(digits, "1.", 2);
    digits[sizeof digits - 1] = '\0';
    double size = sf_sim_size_read(digits, NULL);
    CHECK(size == 0 || size == 1);
}

TEST(sizes_of_jobs)
{
    static const struct {
        const char *workload;
        double size, expected;
    } cases[] = {
        { "ebb", 0, 1048576 },
        { "ebb", 100, 100 },
        { NULL, 100, 100 },
        { "ebb:size=64K", 0, 65536 },
        { "ebb:size=64K", 100, 65536 },
        { "ebb:size=64K,matchings=3", 100, 65536 },
        { "ebb:matchings=3,size=64K", 100, 65536 },
        { "ebb:matchings=3", 100, 100 },
        { "ebb:size=1K+permutation:size=2M", 100, 1024 },
        { "ebb+permutation:size=2M", 100, 100 },
        { "ebb:resize=2M", 100, 100 },
        { "file:size=2M", 100, 100 },
        { "adversarial:load=1e+0,size=2K", 100, 2048 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_sim_jobs jobs = { .workload = cases[i].workload,
                                    .size = cases[i].size };
        double size = sf_sim_jobs_size(&jobs);
        CHECK_FOR(size == cases[i].expected, "%s: %g", cases[i].workload,
                  size);
    }
}

/* A workload that says its size has messages of that size, whatever else is
 * asked for. */
TEST(sizes_inside_workloads)
{
    static const struct {
        const char *workload;
        double sizes[2];
        uint32_t n_rounds;
    } cases[] = {
        { "ebb:size=64K", { 65536 }, 100 },
        { "ebb:size=3,matchings=7", { 3 }, 7 },
        { "ebb:matchings=7,size=3", { 3 }, 7 },
        { "permutation+ebb:matchings=2,size=5K", { 100, 5120 }, 2 },
        { "all-to-all:size=1K+permutation:size=2M", { 1024, 2097152 }, 1 },
        { "adversarial:load=1e+0,size=2K", { 2048 }, 1 },
    };
    struct sf_topology *topo = build("sf:q=5");
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_sim_jobs jobs = { .workload = cases[i].workload,
                                    .size = 100 };
        struct sf_workload *workload;
        struct sf_program program;
        struct sf_error err = { 0 };
        uint32_t *job_of;
        double largest[2] = { 0 };
        CHECK_FOR(sf_workload_build(network, &jobs, 1, &workload, &err) ==
                      SF_OK,
                  "%s: %s", cases[i].workload, err.text);
        CHECK_EQ(workload->n_rounds, cases[i].n_rounds);
        CHECK_EQ(sf_workload_program(workload, 0, &program, &job_of, NULL),
                 SF_OK);
        for (size_t m = 0; m < program.messages.n; m++) {
            double bytes = (double)program.messages.items[m].bytes;
            largest[job_of[m]] = fmax(largest[job_of[m]], bytes);
        }
        CHECK_FOR(same_numbers(largest, cases[i].sizes, 2), "%s: %g and %g",
                  cases[i].workload, largest[0], largest[1]);
        CHECK(sf_sim_jobs_size(&jobs) == largest[0]);
        free(job_of);
        sf_program_clear(&program);
        sf_workload_free(workload);
    }
    sf_network_free(network);
    sf_topology_free(topo);
}

TEST(sizes_that_are_none)
{
    static const char *const texts[] = {
        "ebb:size=",           "ebb:size=0",  "ebb:size=x",
        "ebb:size=1K,size=2K", "ebb:size=-1", "ebb+permutation:size=1T",
        "ebb:size=2e15",       "ebb:size",
    };
    struct sf_topology *topo = build("sf:q=5");
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct sf_sim_jobs jobs = { .workload = texts[i] };
        struct sf_workload *workload = UNSET(struct sf_workload);
        struct sf_error err = { 0 };
        CHECK_FOR(sf_workload_build(network, &jobs, 1, &workload, &err) ==
                      SF_EINVAL,
                  "%s", texts[i]);
        CHECK_FOR(!workload && strstr(err.text, "size"), "%s: %s", texts[i],
                  err.text);
    }
    sf_network_free(network);
    sf_topology_free(topo);
}
