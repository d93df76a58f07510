/* test_plugin_jobs.c -- what the plugin for OpenSM makes of a file of jobs,
 * from sweep to sweep, through faults and restarts. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "helpers.h"
#include "job_hops.h"
#include "routed_jobs.h"
#include "slimfly/audit.h"
#include "slimfly/random.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A cluster: a fabric, the plugin's parts, and the files that they share. */
struct cluster {
    struct sf_fabric *whole;
    struct sf_engine *engine;
    struct sf_plugin_jobs jobs;
    struct sf_plugin_options options;
    char folder[64];
    char kept[SF_KEPT_SIZE];
};

static void
write_jobs(const struct cluster *cluster, const char *text)
{
    FILE *file = fopen(cluster->options.jobs, "w");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
}

static void
open_cluster(struct cluster *cluster, const char *spec)
{
    struct sf_topology *topo = build("%s", spec);

    *cluster = (struct cluster){ .options = { .seed = 1 } };
    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &cluster->whole, NULL),
             SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(cluster->whole, 2, NULL, NULL), SF_OK);
    sf_topology_free(topo);
    CHECK_EQ(sf_engine_new(&cluster->engine, NULL), SF_OK);
    snprintf(cluster->folder, sizeof cluster->folder, "/tmp/slimfly-XXXXXX");
    CHECK(mkdtemp(cluster->folder) != NULL);
    snprintf(cluster->options.jobs, sizeof cluster->options.jobs, "%s/jobs",
             cluster->folder);
    snprintf(cluster->options.base, sizeof cluster->options.base, "%s/base",
             cluster->folder);
}

static void
close_cluster(struct cluster *cluster)
{
    char path[SF_OPTION_SIZE + 8];

    sf_plugin_jobs_kept_path(cluster->options.base, path);
    unlink(path);
    unlink(cluster->options.jobs);
    rmdir(cluster->folder);
    sf_plugin_jobs_clear(&cluster->jobs);
    sf_engine_free(cluster->engine);
    sf_fabric_free(cluster->whole);
}

/* OpenSM is started again: nothing is known but what is in files. */
static void
restart(struct cluster *cluster)
{
    sf_plugin_jobs_clear(&cluster->jobs);
    sf_engine_free(cluster->engine);
    CHECK_EQ(sf_engine_new(&cluster->engine, NULL), SF_OK);
}

static bool
is_sound(const struct sf_ib_tables *tables, const struct sf_fabric *fabric)
{
    struct sf_audit_params all = { .sl2vl = tables->sl2vl,
                                   .path_sls = tables->path_sls,
                                   .has_one_sl = true };
    struct sf_audit *audit;

    CHECK_EQ(sf_audit_build(fabric, tables->lfts, &all, &audit, NULL), SF_OK);
    bool sound = audit->is_sound;
    sf_audit_free(audit);
    return sound;
}

/* The tables are sound, unless those without jobs are not either: nothing can
 * lead to what is cut off. */
static void
check_sound(const struct cluster *cluster, const struct sf_fabric *fabric)
{
    struct sf_ib_tables *plain;

    if (!is_sound(sf_engine_tables(cluster->engine), fabric)) {
        CHECK_EQ(sf_ib_encode(sf_engine_plain(cluster->engine), &plain, NULL),
                 SF_OK);
        CHECK(!is_sound(plain, fabric));
        sf_ib_tables_free(plain);
    }
}

/* A sweep that finds 'fabric'. */
static void
sweep(struct cluster *cluster, const struct sf_fabric *fabric,
      enum sf_jobs_state state)
{
    static const struct sf_routing_params params = {
        .layers = { .n_layers = 4, .seed = 1, .within_parts = true },
    };
    struct sf_engine_result result;

    CHECK_EQ(sf_engine_route(cluster->engine, fabric, NULL, &params, 8,
                             &result, NULL),
             SF_OK);
    sf_plugin_jobs_update(&cluster->jobs, cluster->engine, &cluster->options,
                          cluster->kept);
    CHECK_STR(cluster->kept, "");
    CHECK_FOR(cluster->jobs.state == state, "state %d: %s",
              (int)cluster->jobs.state, cluster->jobs.problem);
    CHECK((cluster->jobs.problem[0] != '\0') ==
          (state == SF_JOBS_HELD || state == SF_JOBS_FAILED));
    check_sound(cluster, fabric);
}

/* A short name of all tables. */
static uint64_t
name_of(const struct cluster *cluster)
{
    return sf_job_hops_hash(sf_engine_routing(cluster->engine));
}

TEST(plugin_routes_for_jobs_and_returns)
{
    struct cluster cluster;
    uint64_t first, second;

    open_cluster(&cluster, "sf:q=5");
    write_jobs(&cluster, "");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    first = name_of(&cluster);
    CHECK_EQ(first, sf_job_hops_hash(sf_engine_plain(cluster.engine)));
    write_jobs(&cluster, "a all-to-all node[0000-0031]\n");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK(cluster.jobs.is_new);
    CHECK(cluster.jobs.routes.jobs[0].after > 0.999);
    CHECK(cluster.jobs.routes.jobs[0].before < 0.9);
    second = name_of(&cluster);
    CHECK(first != second);
    /* The same again: nothing is done. */
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK(!cluster.jobs.is_new);
    CHECK_EQ(name_of(&cluster), second);
    write_jobs(&cluster, "# nothing runs\n");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK_EQ(name_of(&cluster), first);
    close_cluster(&cluster);
}

/* Whether layer 0 is the same with and without jobs, for all hosts. */
static bool
keeps_layer_0(const struct cluster *cluster)
{
    const struct sf_routes *fitted =
        sf_engine_routing(cluster->engine)->routes;
    const struct sf_routes *plain = sf_engine_plain(cluster->engine)->routes;
    size_t n = plain->sets[0]->n_switches;
    bool same = true;

    for (uint32_t i = 0; i < fitted->n_sets; i++) {
        const struct sf_layers *set =
            plain->sets[plain->n_sets == fitted->n_sets ? i : 0];
        same &= memcmp(fitted->sets[i]->hops, set->hops,
                       n * n * sizeof *set->hops) == 0;
    }
    return same;
}

TEST(plugin_leaves_layer_0_if_asked_to)
{
    struct cluster cluster;

    open_cluster(&cluster, "sf:q=3");
    write_jobs(&cluster, "a all-to-all node[0000-0031]\n");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK(!keeps_layer_0(&cluster));
    cluster.options.jobs_keep_minimal = true;
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK(keeps_layer_0(&cluster));
    uint64_t kept = name_of(&cluster);
    CHECK(kept != sf_job_hops_hash(sf_engine_plain(cluster.engine)));
    restart(&cluster);
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK_EQ(name_of(&cluster), kept);
    CHECK(!cluster.jobs.is_new);
    /* Not the same as without: the routes begin where they are. */
    cluster.options.jobs_keep_minimal = false;
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK(cluster.jobs.is_new);
    close_cluster(&cluster);
}

TEST(plugin_holds_jobs_if_their_file_is_wrong_or_gone)
{
    static const char *const wrong[] = { "a\n", "a ring node[0000-0031\n",
                                         "a dance node[0000-0031]\n",
                                         "a ring node[0000-0003] x\n" };
    struct cluster cluster;

    open_cluster(&cluster, "sf:q=3");
    write_jobs(&cluster, "a all-to-all node[0000-0031]\n");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    uint64_t fitted = name_of(&cluster);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        write_jobs(&cluster, wrong[i]);
        sweep(&cluster, cluster.whole, SF_JOBS_HELD);
        CHECK(strstr(cluster.jobs.problem, "/jobs:1: expected") != NULL);
        CHECK_EQ(name_of(&cluster), fitted);
        CHECK_EQ(cluster.jobs.jobs->n_jobs, 1);
    }
    unlink(cluster.options.jobs);
    sweep(&cluster, cluster.whole, SF_JOBS_HELD);
    CHECK_EQ(name_of(&cluster), fitted);
    /* Nor does a restart forget them, though it does not know the jobs. */
    restart(&cluster);
    sweep(&cluster, cluster.whole, SF_JOBS_HELD);
    CHECK_EQ(name_of(&cluster), fitted);
    CHECK(!cluster.jobs.jobs);
    /* A host that is elsewhere: others are routed for. */
    write_jobs(&cluster, "b ring nowhere[1-2]\na all-to-all "
                         "node[0000-0031]\nc ring node[0031-0040]\n");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK_EQ(cluster.jobs.jobs->n_jobs, 1);
    CHECK_EQ(cluster.jobs.strays.n, 2);
    /* The option is taken away. */
    cluster.options.jobs[0] = '\0';
    sweep(&cluster, cluster.whole, SF_JOBS_NONE);
    CHECK_EQ(name_of(&cluster),
             sf_job_hops_hash(sf_engine_plain(cluster.engine)));
    snprintf(cluster.options.jobs, sizeof cluster.options.jobs, "%s/jobs",
             cluster.folder);
    close_cluster(&cluster);
}

TEST(plugin_finds_the_same_routes_for_jobs_after_a_restart)
{
    struct cluster cluster;

    open_cluster(&cluster, "sf:q=3");
    write_jobs(&cluster, "a all-to-all node[0000-0031]\n");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    write_jobs(&cluster, "a all-to-all node[0000-0031]\n"
                         "b shift:by=5 node[0032-0053]\n");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    struct sf_job_speed before = cluster.jobs.routes.jobs[1];
    struct sf_job_speed slowest = cluster.jobs.routes.slowest;
    uint64_t fitted = name_of(&cluster);
    restart(&cluster);
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK_EQ(name_of(&cluster), fitted);
    CHECK(!cluster.jobs.is_new);
    /* What is measured there is what fitting said. */
    CHECK_NEAR(cluster.jobs.routes.jobs[1].after, before.after, 1e-6);
    CHECK_NEAR(cluster.jobs.routes.slowest.after, slowest.after, 1e-6);
    close_cluster(&cluster);
}

/* Plugs or unplugs something. */
static void
change_link(const struct sf_fabric *whole, struct sf_fabric *fabric,
            struct sf_random *random)
{
    uint32_t port = (uint32_t)sf_random_below(random, fabric->n_ports);
    uint32_t peer = whole->ports[port].peer;

    if (peer != SF_NONE && fabric->ports[port].peer == SF_NONE) {
        sf_fabric_plug(fabric, port, peer);
    } else if (peer != SF_NONE) {
        sf_fabric_unplug(fabric, port);
    }
}

static void
check_jobs_through_faults(const char *spec, uint32_t n_sweeps, uint64_t seed)
{
    static const char *const texts[] = {
        "",
        "a unknown node[0000-0007]\n",
        "a unknown node[0000-0007]\nb ring node[0008-0017]\n",
        "b ring node[0008-0017]\nwrong\n",
        "c stencil:dims=2x4 node[0004-0011]\n",
    };
    struct cluster cluster;
    struct sf_random random;

    open_cluster(&cluster, spec);
    struct sf_fabric *fabric;
    CHECK_EQ(sf_fabric_copy(cluster.whole, &fabric, NULL), SF_OK);
    sf_random_init(&random, seed, 0);
    write_jobs(&cluster, "");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    for (uint32_t i = 0; i < n_sweeps; i++) {
        uint32_t k = (uint32_t)sf_random_below(&random, ARRAY_SIZE(texts));
        write_jobs(&cluster, texts[k]);
        change_link(cluster.whole, fabric, &random);
        if (sf_random_below(&random, 8) == 0) {
            restart(&cluster);
        }
        sweep(&cluster, fabric, k == 3 ? SF_JOBS_HELD : SF_JOBS_FITTED);
    }
    write_jobs(&cluster, "");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK_EQ(name_of(&cluster),
             sf_job_hops_hash(sf_engine_plain(cluster.engine)));
    sf_fabric_free(fabric);
    close_cluster(&cluster);
}

TEST(plugin_routes_for_jobs_through_faults)
{
    check_jobs_through_faults("sf:q=3", 30, 1);
    check_jobs_through_faults("ft2:leaf=6,core=3,up=3", 10, 2);
    check_jobs_through_faults("hx2:3x3,p=2", 10, 3);
}

TEST_LONG(plugin_routes_for_jobs_through_many_faults)
{
    static const char *const specs[] = {
        "sf:q=4",
        "df:a=4,h=2",
        "hx2:4x4",
        "ft3:ports=4",
        "pf:q=3",
        "xpander:k=4,lift=4",
        "jellyfish:n=20,k=4",
    };

    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        check_jobs_through_faults(specs[i], 20, i);
    }
}

/* The same routes, whatever way a copy is taken. */
static void
check_same(const struct sf_routing *a, const struct sf_routing *b)
{
    struct sf_ib_tables *x, *y;
    struct sf_lanes *lanes = b->routes->lanes;

    CHECK_EQ(sf_job_hops_hash(a), sf_job_hops_hash(b));
    CHECK_EQ(sf_ib_encode(a, &x, NULL), SF_OK);
    CHECK_EQ(sf_ib_encode(b, &y, NULL), SF_OK);
    CHECK_EQ(x->lfts->max_lid, y->lfts->max_lid);
    CHECK(lanes != a->routes->lanes);
    CHECK_EQ(lanes->n_vls, a->routes->lanes->n_vls);
    CHECK_STR(a->params.lanes, b->params.lanes);
    CHECK(b->params.lanes == b->specs.lanes);
    for (uint32_t s = 0; s < a->network->graph->n_nodes; s++) {
        for (uint32_t d = 0; d <= x->lfts->max_lid; d++) {
            CHECK_EQ(sf_path_sls_of(x->path_sls, s)[d],
                     sf_path_sls_of(y->path_sls, s)[d]);
        }
    }
    sf_ib_tables_free(x);
    sf_ib_tables_free(y);
}

TEST(routings_are_copied)
{
    static const struct {
        const char *spec, *scheme, *lanes;
    } cases[] = { { "sf:q=4", NULL, NULL },
                  { "ft2:leaf=6,core=3,up=3", NULL, NULL },
                  { "sf:q=4", "minimal:sets=2", "dfsssp" } };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_routing_params params = {
            .layers = { .scheme = cases[i].scheme, .n_layers = 2, .seed = 1 },
            .lanes = cases[i].lanes,
        };
        struct cluster cluster;
        struct sf_network *network;
        struct sf_routing *routing, *copy;
        open_cluster(&cluster, cases[i].spec);
        CHECK_EQ(sf_network_build(cluster.whole, &network, NULL), SF_OK);
        CHECK_EQ(sf_routing_build(network, &params, &routing, NULL), SF_OK);
        CHECK_EQ(sf_routing_copy(routing, &copy, NULL), SF_OK);
        check_same(routing, copy);
        sf_routing_free(copy);
        for (unsigned long nth = 1;; nth++) {
            sf_mem_fail_at(nth);
            enum sf_status status = sf_routing_copy(routing, &copy, NULL);
            sf_mem_fail_at(0);
            CHECK((status == SF_OK) == (copy != NULL));
            sf_routing_free(copy);
            if (status == SF_OK) {
                CHECK(nth > 10);
                break;
            }
            CHECK_EQ(status, SF_ENOMEM);
        }
        sf_routing_free(routing);
        sf_network_free(network);
        close_cluster(&cluster);
    }
}

TEST(plugin_keeps_the_hops_of_jobs_in_a_file)
{
    struct cluster cluster;
    struct sf_job_hops hops;
    char path[SF_OPTION_SIZE + 8];

    open_cluster(&cluster, "sf:q=3");
    write_jobs(&cluster, "a unknown node[0000-0011]\n");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    CHECK(cluster.jobs.hops.n > 0);
    sf_plugin_jobs_kept_path(cluster.options.base, path);
    CHECK_EQ(sf_job_hops_load(path, &hops, NULL), SF_OK);
    CHECK_EQ(hops.n, cluster.jobs.hops.n);
    CHECK_EQ(hops.plain, cluster.jobs.hops.plain);
    CHECK_EQ(hops.jobs, cluster.jobs.hops.jobs);
    for (size_t i = 0; i < hops.n; i++) {
        const struct sf_job_hop *a = &hops.items[i];
        const struct sf_job_hop *b = &cluster.jobs.hops.items[i];
        CHECK(a->set == b->set && a->layer == b->layer && a->at == b->at &&
              a->port == b->port && a->destination == b->destination);
    }
    sf_job_hops_clear(&hops);
    /* A damaged one is told of, and replaced. */
    FILE *file = fopen(path, "a");
    CHECK(file != NULL);
    fputs("0 0 1\n", file);
    fclose(file);
    restart(&cluster);
    static const struct sf_routing_params params = {
        .layers = { .n_layers = 4, .seed = 1, .within_parts = true },
    };
    struct sf_engine_result result;
    CHECK_EQ(sf_engine_route(cluster.engine, cluster.whole, NULL, &params, 8,
                             &result, NULL),
             SF_OK);
    sf_plugin_jobs_update(&cluster.jobs, cluster.engine, &cluster.options,
                          cluster.kept);
    CHECK(strstr(cluster.kept, ": expected path set, layer") != NULL);
    CHECK_EQ(cluster.jobs.state, SF_JOBS_FITTED);
    CHECK_EQ(sf_job_hops_load(path, &hops, NULL), SF_OK);
    sf_job_hops_clear(&hops);
    close_cluster(&cluster);
}

/* Hops that go round, or take turns that are not allowed, are not taken. */
TEST(plugin_takes_no_hops_that_are_not_sound)
{
    struct cluster cluster;
    struct sf_random random;

    open_cluster(&cluster, "sf:q=3");
    write_jobs(&cluster, "");
    sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
    sf_random_init(&random, 5, 0);
    uint32_t n_taken = 0;
    for (uint32_t i = 0; i < 200; i++) {
        const struct sf_fabric *fabric = cluster.whole;
        struct sf_job_hop hop = {
            .destination =
                fabric->nodes[sf_random_below(&random, fabric->n_switches)]
                    .guid,
            .at = fabric->nodes[sf_random_below(&random, fabric->n_switches)]
                      .guid,
            .layer = (uint32_t)sf_random_below(&random, 5),
            .port = (uint32_t)sf_random_below(&random, 10),
        };
        struct sf_job_hops hops = { .n = 1, .items = &hop };
        CHECK_EQ(sf_engine_restore(cluster.engine, &hops, NULL), SF_OK);
        check_sound(&cluster, cluster.whole);
        n_taken += name_of(&cluster) !=
                   sf_job_hops_hash(sf_engine_plain(cluster.engine));
    }
    CHECK(n_taken > 5 && n_taken < 150);
    close_cluster(&cluster);
}

/* Whatever allocation fails, there are sound tables, and the next sweep has
 * all that was missed. */
TEST(plugin_survives_jobs_if_memory_runs_out)
{
    struct cluster cluster;
    bool is_over = false;

    open_cluster(&cluster, "sf:q=3,p=1");
    for (unsigned long nth = 1; !is_over; nth++) {
        write_jobs(&cluster, "");
        sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
        write_jobs(&cluster, "a unknown node[0000-0007]\n");
        sf_mem_fail_at(nth);
        sf_plugin_jobs_update(&cluster.jobs, cluster.engine, &cluster.options,
                              cluster.kept);
        void *memory = sf_calloc(1, 1);
        is_over = memory == NULL; /* It is still to come. */
        free(memory);
        sf_mem_fail_at(0);
        CHECK_FOR(is_over == (cluster.jobs.state == SF_JOBS_FITTED),
                  "allocation %lu: %s", nth, cluster.jobs.problem);
        sweep(&cluster, cluster.whole, SF_JOBS_FITTED);
        CHECK_EQ(cluster.jobs.jobs->n_jobs, 1);
        CHECK(cluster.jobs.routes.jobs[0].after > 0);
    }
    close_cluster(&cluster);
}

/* What a watcher has called. */
struct calls {
    pthread_mutex_t lock;
    pthread_cond_t called;
    uint32_t n;
};

static void
count_call(void *aux)
{
    struct calls *calls = aux;

    pthread_mutex_lock(&calls->lock);
    calls->n++;
    pthread_cond_signal(&calls->called);
    pthread_mutex_unlock(&calls->lock);
}

static void
wait_for_calls(struct calls *calls, uint32_t n)
{
    pthread_mutex_lock(&calls->lock);
    while (calls->n < n) {
        pthread_cond_wait(&calls->called, &calls->lock);
    }
    pthread_mutex_unlock(&calls->lock);
}

TEST(plugin_sees_that_a_file_has_changed)
{
    struct calls calls = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER,
                           0 };
    struct temporary file = temporary_write("a");
    struct sf_file_stamp known = sf_file_stamp_take(file.name);
    struct sf_watcher *watcher;

    CHECK_EQ(sf_watcher_start(count_call, &calls, &watcher, NULL), SF_OK);
    sf_watcher_set(watcher, file.name, &known);
    temporary_remove(&file);
    wait_for_calls(&calls, 1);
    known = sf_file_stamp_take(file.name);
    CHECK(!known.is_there);
    sf_watcher_set(watcher, file.name, &known);
    FILE *stream = fopen(file.name, "w");
    CHECK(stream != NULL);
    fclose(stream);
    wait_for_calls(&calls, 2);
    sf_watcher_stop(watcher);
    temporary_remove(&file);
}
