/* test_progress.c -- what long work says of itself. */
#include "base/child.h"
#include "base/parallel.h"
#include "helpers.h"
#include "slimfly/progress.h"
#include "slimfly/routing.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#define MAX_HEARD 64

/* The works that were heard of, each once, in their order. */
struct heard {
    char what[MAX_HEARD][80];
    uint32_t n;
    uint64_t done, total; /* Of the last one. */
    bool is_wrong;
};

static void
hear(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct heard *heard = aux;
    uint32_t i = 0;

    while (i < heard->n && strcmp(heard->what[i], what) != 0) {
        i++;
    }
    if (i == heard->n && heard->n < MAX_HEARD) {
        snprintf(heard->what[heard->n++], sizeof heard->what[0], "%s", what);
    }
    heard->is_wrong |= total && done > total;
    heard->done = done;
    heard->total = total;
}

/* Whether a work was heard of that begins with 'what'. */
static bool
has_heard(const struct heard *heard, const char *what)
{
    for (uint32_t i = 0; i < heard->n; i++) {
        if (!strncmp(heard->what[i], what, strlen(what))) {
            return true;
        }
    }
    return false;
}

/* Routes 'spec' while 'heard' listens, if it is not NULL. */
static enum sf_status
route(const char *spec, const struct sf_routing_params *params,
      struct heard *heard, struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_progress progress = { hear, heard };
    struct sf_topology *topo = build("%s", spec);
    struct sf_network *network = network_of(topo->graph, topo->n_hosts);

    sf_progress_listen(heard ? &progress : NULL);
    enum sf_status status = sf_routing_build(network, params, routingp, err);
    sf_progress_listen(NULL);
    sf_network_free(network);
    sf_topology_free(topo);
    return status;
}

static void
check_scheme(const char *scheme, const char *lanes)
{
    struct sf_routing_params params = {
        .layers = { .scheme = scheme, .n_layers = 3, .n_threads = 2 },
        .lanes = lanes
    };
    struct heard heard = { 0 };
    struct sf_routing *told, *silent;

    CHECK_EQ(route("ft3:ports=4", &params, &heard, &told, NULL), SF_OK);
    CHECK_EQ(route("ft3:ports=4", &params, NULL, &silent, NULL), SF_OK);
    CHECK_FOR(has_heard(&heard, "choosing paths"), "%s", scheme);
    CHECK_FOR(has_heard(&heard, "making lanes"), "%s", scheme);
    CHECK_EQ(has_heard(&heard, "designing turns"), !lanes);
    CHECK_FOR(!heard.is_wrong, "%s", scheme);
    /* Who listens changes nothing. */
    const struct sf_layers *a = told->routes->sets[0];
    const struct sf_layers *b = silent->routes->sets[0];
    for (uint32_t l = 0; l < a->n_layers; l++) {
        for (uint32_t d = 0; d < a->n_switches; d++) {
            CHECK(!memcmp(sf_layers_tree(a, l, d), sf_layers_tree(b, l, d),
                          a->n_switches * sizeof(uint16_t)));
        }
    }
    sf_routing_free(silent);
    sf_routing_free(told);
}

TEST(every_scheme_says_how_far_it_is)
{
    check_scheme("gates", NULL);
    check_scheme("minimal", NULL);
    check_scheme("gates", "none");
    for (size_t i = 0; sf_layer_schemes[i]; i++) {
        check_scheme(sf_layer_schemes[i]->name, "dfsssp");
    }
}

TEST(path_sets_are_counted)
{
    struct sf_routing_params params = { .layers = { .n_layers = 2 },
                                        .n_path_sets = 2 };
    struct heard heard = { 0 };
    struct sf_routing *routing;

    CHECK_EQ(route("sf:q=3,p=2", &params, &heard, &routing, NULL), SF_OK);
    CHECK(has_heard(&heard, "choosing paths, set 1 of 2"));
    CHECK(has_heard(&heard, "choosing paths, set 2 of 2"));
    sf_routing_free(routing);
}

/* Too few hops are refused before any work is done, with two switches that
 * are too far apart. */
TEST(too_few_hops_are_refused_before_any_work)
{
    static const struct {
        const char *spec;
        uint32_t max_hops;
        const char *says;
    } cases[] = {
        { "sf:q=5", 1, "at most 1 hop do not" },
        { "df:a=4,h=2", 2, "the diameter is 3, as from switch " },
        { "ft3:ports=4", 3, "the diameter is 4, as from switch " },
        { "hx2:3x3", 1, "the diameter is 2, as from switch " },
        { "pf:q=3", 1, "the diameter is 2, as from switch " },
        { "jellyfish:n=60,k=3", 2, "as from switch " },
        { "xpander:k=4,lift=9", 2, "as from switch " },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_routing_params params = {
            .layers = { .n_layers = 4, .max_hops = cases[i].max_hops }
        };
        struct heard heard = { 0 };
        struct sf_error err = { 0 };
        struct sf_routing *routing;

        CHECK_EQ(route(cases[i].spec, &params, &heard, &routing, &err),
                 SF_EUNREACHABLE);
        CHECK_FOR(strstr(err.text, cases[i].says), "%s", err.text);
        CHECK_EQ(heard.n, 0);
    }
}

/* So are networks in parts. */
TEST(parts_are_refused_before_any_work)
{
    struct sf_routing_params params = { .layers = { .n_layers = 4 } };
    struct heard heard = { 0 };
    struct sf_progress progress = { hear, &heard };
    struct sf_error err = { 0 };
    struct sf_routing *routing;
    const struct sf_link links[] = { { 0, 1 }, { 2, 3 } };
    struct sf_graph *graph;
    struct sf_network *network;

    CHECK_EQ(sf_graph_build(4, links, 2, &graph, NULL), SF_OK);
    CHECK_EQ(sf_network_from_graph(graph, NULL, &network, NULL), SF_OK);
    sf_progress_listen(&progress);
    CHECK_EQ(sf_routing_build(network, &params, &routing, &err),
             SF_EUNREACHABLE);
    sf_progress_listen(NULL);
    CHECK(strstr(err.text, "fall into 2 parts") != NULL);
    CHECK_EQ(heard.n, 0);
    sf_network_free(network);
    sf_graph_free(graph);
}

static void
report_task(void *aux, uint32_t task, uint32_t worker)
{
    (void)aux;
    (void)worker;
    sf_progress_report("a task", task, 100);
}

/* Only the thread that listens is heard, so that nobody is called twice at
 * once. */
TEST(other_threads_have_no_listener)
{
    struct heard heard = { 0 };
    struct sf_progress progress = { hear, &heard };

    CHECK(sf_progress_listen(&progress) == NULL);
    sf_parallel_for(4, 100, report_task, NULL);
    CHECK(sf_progress_listen(NULL) == &progress);
    CHECK(heard.n <= 1 && !heard.is_wrong);
}

/* By which the parent tells its child that it was heard. */
static int was_heard[2];

static int
work_until_heard(const void *unused, FILE *stream)
{
    char byte;

    (void)unused;
    (void)stream;
    sf_progress_report("reading tables", 3, 7);
    return read(was_heard[0], &byte, 1) == 1 ? 0 : 1;
}

static void
hear_and_tell(void *aux, const char *what, uint64_t done, uint64_t total)
{
    bool is_new = !has_heard(aux, "live: reading tables");

    hear(aux, what, done, total);
    if (is_new && has_heard(aux, "live: reading tables")) {
        CHECK_EQ(write(was_heard[1], "", 1), 1);
    }
}

static int
find_no_device(const void *unused, FILE *stream)
{
    (void)unused;
    (void)stream;
    fputs("no device\n", stderr);
    return 3;
}

TEST(a_child_is_heard_through_its_parent)
{
    struct heard heard = { 0 };
    struct sf_progress progress = { hear_and_tell, &heard };
    struct sf_child_job job = { work_until_heard, NULL, "live", "reading", 0 };
    struct sf_printed printed = { 0 };

    CHECK_EQ(pipe(was_heard), 0);
    sf_progress_listen(&progress);
    CHECK_EQ(sf_child_run(&job, 1000, &printed, NULL), SF_OK);
    sf_progress_listen(NULL);
    sf_printed_clear(&printed);
    close(was_heard[0]);
    close(was_heard[1]);
    CHECK(has_heard(&heard, "live: reading tables"));
    CHECK_EQ(heard.done, 3);
    CHECK_EQ(heard.total, 7);
}

/* There is no point in trying again without a device. */
TEST(a_child_can_say_that_there_is_no_device)
{
    struct sf_child_job job = { find_no_device, NULL, "live", "reading", 3 };
    struct sf_printed printed = { 0 };
    struct sf_error err = { 0 };

    CHECK_EQ(sf_child_run(&job, 1000, &printed, &err), SF_ENODEVICE);
    CHECK_STR(err.text, "live: reading failed: no device");
    sf_printed_clear(&printed);
    job.no_device_code = 0;
    CHECK_EQ(sf_child_run(&job, 1000, &printed, &err), SF_EIO);
    sf_printed_clear(&printed);
}
