/* test_sweep.c -- many runs at once: the same on any number of threads, kept
 * under a name that says all that they depend on. */
#include "base/mem.h"
#include "helpers.h"
#include "host_cases.h"
#include "lanes_helpers.h"
#include "slimfly/progress.h"
#include "slimfly/simulation.h"
#include "slimfly/topology.h"
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>

#define MAX_TASKS     32
#define SETTINGS_SIZE 2048

/* What a store was asked for and has. */
struct store {
    struct sf_simulation_store ops;
    char settings[MAX_TASKS][SETTINGS_SIZE]; /* In any order. */
    uint32_t n_asked, n_saved;
    const char *known; /* Part of the settings of what it has; "" for all;
                        * NULL: nothing. */
    bool refuses;      /* To save. */
};

static void
keep_text(char to[SETTINGS_SIZE], const char *from)
{
    snprintf(to, SETTINGS_SIZE, "%s", from);
}

#define KEPT_TIME 12345 /* Of results that come from the store. */

static bool
load(void *aux, const char *settings, struct sf_simulation *result)
{
    struct store *store = aux;

    CHECK(store->n_asked < MAX_TASKS && strlen(settings) < SETTINGS_SIZE);
    CHECK(!strchr(settings, '\n'));
    keep_text(store->settings[store->n_asked++], settings);
    if (!store->known || !strstr(settings, store->known)) {
        return false;
    }
    *result = (struct sf_simulation){ .time = KEPT_TIME };
    return true;
}

static enum sf_status
save(void *aux, const char *settings, const struct sf_simulation *result,
     struct sf_error *err)
{
    struct store *store = aux;
    bool is_asked = false;

    for (uint32_t i = 0; i < store->n_asked; i++) {
        is_asked = is_asked || !strcmp(store->settings[i], settings);
    }
    CHECK(is_asked && result->n_jobs > 0);
    store->n_saved++;
    return store->refuses ? sf_fail(err, SF_EIO, "the disk is full") : SF_OK;
}

static struct store *
make_store(const char *known)
{
    struct store *store = calloc(1, sizeof *store);

    CHECK(store);
    store->ops = (struct sf_simulation_store){ load, save, store, NULL };
    store->known = known;
    return store;
}

/* Fills 'tasks' with runs of all kinds on 'c'. */
static uint32_t
make_tasks(const struct host_case *c, struct sf_simulation_task *tasks,
           char (*labels)[16])
{
    static const char *const workloads[] = { "all-to-all:size=700",
                                             "ebb:matchings=3,size=900",
                                             "permutation" };
    uint32_t n = 0;

    for (uint32_t select = 0; select < SF_N_SELECTS; select++) {
        for (uint32_t i = 0; i < 5; i++, n++) {
            struct sf_simulation_params params = c->params;
            params.jobs.workload = workloads[i % 3];
            params.jobs.load = i == 2 ? 0.3 : 0;
            params.jobs.size = 400;
            params.model = i == 0 || i == 4 ? SF_SIM_FLOW : SF_SIM_PACKET;
            params.queues = i == 1 ? SF_SIM_FIFO : SF_SIM_VOQ;
            params.select = select;
            params.seed = n + 1;
            snprintf(labels[n], sizeof labels[n], "run %u", n);
            tasks[n] = (struct sf_simulation_task){ .source = &c->source,
                                                    .params = params,
                                                    .label = labels[n] };
        }
    }
    return n;
}

static void
clear_tasks(struct sf_simulation_task *tasks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        sf_simulation_clear(&tasks[i].result);
    }
}

static bool
is_same_spread(const struct sf_sim_spread *a, const struct sf_sim_spread *b)
{
    return a->n == b->n && a->mean == b->mean && a->min == b->min &&
           a->p1 == b->p1 && a->p50 == b->p50 && a->p99 == b->p99 &&
           a->max == b->max;
}

/* Bit for bit. */
static bool
is_same(const struct sf_simulation *a, const struct sf_simulation *b)
{
    bool is_same_job = a->n_jobs == b->n_jobs;

    for (uint32_t i = 0; is_same_job && i < a->n_jobs; i++) {
        is_same_job = a->jobs[i].n_nodes == b->jobs[i].n_nodes &&
                      a->jobs[i].time == b->jobs[i].time &&
                      is_same_spread(&a->jobs[i].rate, &b->jobs[i].rate);
    }
    return is_same_job && a->is_finished == b->is_finished &&
           a->time == b->time && a->n_hosts == b->n_hosts &&
           a->buffer == b->buffer && is_same_spread(&a->rate, &b->rate) &&
           is_same_spread(&a->latency, &b->latency) &&
           a->latency_error == b->latency_error &&
           a->n_packets == b->n_packets &&
           a->n_switch_hops == b->n_switch_hops && a->n_cycle == b->n_cycle &&
           a->n_arcs == b->n_arcs && a->n_vls == b->n_vls &&
           same_numbers(a->loads, b->loads, (size_t)a->n_arcs * a->n_vls) &&
           same_numbers(a->blocked, b->blocked, a->n_arcs) &&
           !memcmp(a->rates, b->rates, sizeof a->rates) &&
           same_numbers(a->arrived, b->arrived, SF_SIM_N_STEPS);
}

/* Each run alone, then all on 1, 2 and 4 threads. */
TEST(sweep_is_the_same_on_any_threads)
{
    static const uint32_t n_threads[] = { 1, 2, 4 };
    struct host_case *c = detour_case(2, 2, 4);
    struct sf_simulation_task tasks[MAX_TASKS];
    struct sf_simulation alone[MAX_TASKS] = { 0 };
    char labels[MAX_TASKS][16];
    uint32_t n = 0;

    /* Hosts of the middle have no paths to each other. */
    c->params.jobs.nodes = "4";
    for (size_t k = 0; k < ARRAY_SIZE(n_threads); k++) {
        struct sf_error err = { 0 };
        n = make_tasks(c, tasks, labels);
        for (uint32_t i = 0; k == 0 && i < n; i++) {
            CHECK_EQ(sf_simulation_run(&c->source, &tasks[i].params, &alone[i],
                                       NULL),
                     SF_OK);
        }
        CHECK_FOR(sf_simulation_sweep(tasks, n, n_threads[k], NULL, &err) ==
                      SF_OK,
                  "%s", err.text);
        for (uint32_t i = 0; i < n; i++) {
            CHECK_FOR(is_same(&tasks[i].result, &alone[i]),
                      "run %u on %u threads", i, n_threads[k]);
            CHECK(tasks[i].wall > 0);
        }
        clear_tasks(tasks, n);
    }
    for (uint32_t i = 0; i < n; i++) {
        sf_simulation_clear(&alone[i]);
    }
    host_case_free(c);
}

/* What the store has is taken from there, and all else is put there. */
TEST(sweep_on_threads_takes_what_is_kept)
{
    struct host_case *c = detour_case(2, 2, 4);
    struct sf_simulation_task tasks[MAX_TASKS];
    char labels[MAX_TASKS][16];
    uint32_t n_kept = 0;

    c->params.jobs.nodes = "4";
    uint32_t n = make_tasks(c, tasks, labels);
    struct store *store = make_store("select=2");
    CHECK_EQ(sf_simulation_sweep(tasks, n, 4, &store->ops, NULL), SF_OK);
    CHECK_EQ(store->n_asked, n);
    for (uint32_t i = 0; i < n; i++) {
        bool is_kept = tasks[i].params.select == 2;
        CHECK((tasks[i].result.time == KEPT_TIME) == is_kept);
        CHECK((tasks[i].wall == 0) == is_kept);
        n_kept += is_kept;
    }
    CHECK(n_kept > 0);
    CHECK_EQ(store->n_saved, n - n_kept);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++) {
            CHECK(strcmp(store->settings[i], store->settings[k]) != 0);
        }
    }
    clear_tasks(tasks, n);
    free(store);
    host_case_free(c);
}

/* Another process, which has claimed some runs first.  It finishes those of
 * select=1, and is lost with those of select=2. */
struct rival {
    struct sf_simulation_store ops;
    struct sf_claims claims;
    atomic_uint n_claimed, n_released, n_waited;
    uint32_t n_saved;
};

static bool
load_of_rival(void *aux, const char *settings, struct sf_simulation *result)
{
    const struct rival *rival = aux;

    if (!strstr(settings, "select=1") || rival->n_waited == 0) {
        return false;
    }
    *result = (struct sf_simulation){ .time = KEPT_TIME };
    return true;
}

static enum sf_status
save_beside_rival(void *aux, const char *settings,
                  const struct sf_simulation *result, struct sf_error *err)
{
    struct rival *rival = aux;

    (void)result;
    (void)err;
    CHECK(!strstr(settings, "select=1"));
    /* What was put off comes after all else. */
    CHECK(!strstr(settings, "select=2") == (rival->n_waited == 0));
    rival->n_saved++;
    return SF_OK;
}

static bool
claim_beside_rival(void *aux, const char *piece, bool may_wait)
{
    struct rival *rival = aux;
    bool is_taken = strstr(piece, "select=1") || strstr(piece, "select=2");

    if (is_taken && !may_wait) {
        return false;
    }
    rival->n_waited += is_taken;
    rival->n_claimed++;
    return true;
}

static void
release_beside_rival(void *aux, const char *piece)
{
    struct rival *rival = aux;

    (void)piece;
    rival->n_released++;
}

/* What another process is at comes last: it is found if that process has
 * finished it, and run if that process was lost. */
TEST(sweep_on_threads_shares_runs_out)
{
    struct host_case *c = detour_case(2, 2, 4);
    struct sf_simulation_task tasks[MAX_TASKS];
    char labels[MAX_TASKS][16];
    struct rival rival = { .claims = { claim_beside_rival,
                                       release_beside_rival, &rival } };
    uint32_t n_found = 0;

    rival.ops = (struct sf_simulation_store){ load_of_rival, save_beside_rival,
                                              &rival, &rival.claims };
    c->params.jobs.nodes = "4";
    uint32_t n = make_tasks(c, tasks, labels);
    CHECK_EQ(sf_simulation_sweep(tasks, n, 4, &rival.ops, NULL), SF_OK);
    for (uint32_t i = 0; i < n; i++) {
        bool is_found = tasks[i].params.select == 1;
        /* The first that is waited for is found after it was claimed, and
         * others before. */
        CHECK((tasks[i].result.time == KEPT_TIME) == is_found);
        CHECK((tasks[i].wall == 0) == is_found);
        n_found += is_found;
    }
    CHECK(n_found > 0 && rival.n_waited > 0);
    CHECK_EQ(rival.n_saved, n - n_found);
    CHECK_EQ(rival.n_released, rival.n_claimed);
    clear_tasks(tasks, n);
    host_case_free(c);
}

static void
check_failure(struct sf_simulation_task *tasks, uint32_t n, uint32_t n_threads,
              const struct store *store, const char *text)
{
    struct sf_error err = { 0 };
    enum sf_status status = sf_simulation_sweep(
        tasks, n, n_threads, store ? &store->ops : NULL, &err);

    CHECK(status != SF_OK && status == err.status);
    CHECK_FOR(!strncmp(err.text, text, strlen(text)), "'%s' is not '%s...'",
              err.text, text);
    for (uint32_t i = 0; i < n; i++) {
        CHECK(!tasks[i].result.jobs && !tasks[i].result.loads);
    }
}

/* Of two that fail it is always the first by number. */
TEST(sweep_on_threads_says_what_failed)
{
    static const uint32_t n_threads[] = { 1, 2, 4 };
    struct host_case *c = detour_case(2, 2, 4);
    struct sf_simulation_task tasks[MAX_TASKS];
    char labels[MAX_TASKS][16];

    c->params.jobs.nodes = "4";
    uint32_t n = make_tasks(c, tasks, labels);
    for (size_t k = 0; k < ARRAY_SIZE(n_threads); k++) {
        tasks[7].params.jobs.workload = "nonsense";
        tasks[4].params.jobs.nodes = "99";
        check_failure(tasks, n, n_threads[k], NULL, "run 4: 99 nodes");
        struct store *store = make_store(NULL);
        check_failure(tasks, n, n_threads[k], store, "run 4: 99 nodes");
        free(store);
        tasks[4].params.jobs.nodes = "4";
        check_failure(tasks, n, n_threads[k], NULL, "run 7: ");
        tasks[7].params.jobs.workload = NULL;
        store = make_store(NULL);
        check_failure(tasks, n, n_threads[k], store,
                      "run 7: expected a workload");
        free(store);
        store = make_store("");
        check_failure(tasks, n, n_threads[k], store,
                      "run 7: expected a workload");
        free(store);
        tasks[7].params.jobs.workload = "permutation";
    }
    struct store *store = make_store(NULL);
    store->refuses = true;
    check_failure(tasks, n, 2, store, "run 0: the disk is full");
    free(store);
    CHECK_EQ(sf_simulation_sweep(NULL, 0, 2, NULL, NULL), SF_OK);
    host_case_free(c);
}

/* The task that fails first by number may be the last to do so: a long run
 * fails when it is to be saved, another before it starts. */
TEST(sweep_on_threads_says_what_failed_first)
{
    struct host_case *c = detour_case(2, 2, 4);

    for (uint32_t quick = 0; quick < 2; quick++) {
        struct sf_simulation_task tasks[2];
        struct store *store = make_store(NULL);
        store->refuses = true;
        for (uint32_t i = 0; i < 2; i++) {
            tasks[i] = (struct sf_simulation_task){
                .source = &c->source,
                .params = c->params,
                .label = i ? "second" : "first",
            };
            tasks[i].params.model = SF_SIM_PACKET;
            tasks[i].params.jobs = (struct sf_sim_jobs){
                .workload = i == quick ? "nonsense" : "all-to-all:size=1M",
                .nodes = "4",
            };
        }
        check_failure(tasks, 2, 2, store,
                      quick ? "first: the disk is full" : "first: 'nonsense'");
        free(store);
    }
    host_case_free(c);
}

/* A report of progress never goes back. */
struct heard {
    uint64_t done, total;
    uint32_t n;
};

static void
hear(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct heard *heard = aux;

    CHECK(strstr(what, "runs done, now run "));
    CHECK(done >= heard->done && done <= total);
    CHECK(heard->n == 0 || total == heard->total);
    *heard = (struct heard){ done, total, heard->n + 1 };
}

TEST(sweep_on_threads_says_how_far_it_is)
{
    struct host_case *c = detour_case(2, 2, 4);
    struct sf_simulation_task tasks[MAX_TASKS];
    char labels[MAX_TASKS][16];
    struct heard heard = { 0 };
    struct sf_progress progress = { hear, &heard };

    c->params.jobs.nodes = "4";
    uint32_t n = make_tasks(c, tasks, labels);
    const struct sf_progress *before = sf_progress_listen(&progress);
    CHECK_EQ(sf_simulation_sweep(tasks, n, 2, NULL, NULL), SF_OK);
    CHECK(sf_progress_listen(before) == &progress);
    CHECK(heard.n >= n && heard.done == heard.total);
    clear_tasks(tasks, n);
    host_case_free(c);
}

/* The settings of a run, which is not done. */
static const char *
settings_of(const struct sf_path_source *source,
            const struct sf_simulation_params *params)
{
    static char settings[SETTINGS_SIZE];
    struct store *store = make_store("");
    struct sf_simulation_task task = { .source = source,
                                       .params = *params,
                                       .label = "settings" };
    struct sf_error err = { 0 };

    CHECK_FOR(sf_simulation_sweep(&task, 1, 1, &store->ops, &err) == SF_OK,
              "%s", err.text);
    CHECK(store->n_asked == 1 && task.result.time == KEPT_TIME);
    keep_text(settings, store->settings[0]);
    free(store);
    return settings;
}

/* A member of the params: where it is, and bytes to put there. */
struct member {
    const char *name;
    size_t offset, size;
    const void *other;  /* [size] */
    bool is_for_people; /* No result depends on it. */
};

#define MEMBER(member_, ...)                                               \
    {                                                                      \
#member_, offsetof(struct sf_simulation_params, member_),          \
            sizeof((struct sf_simulation_params *)0)->member_, __VA_ARGS__ \
    }

static const char *const other_text = "other";
static const char *const other_workload = "all-to-all";
static const char *const other_nodes = "4";
static const char *const other_placement = "random";
static const double other_real = 0.123;
static const double other_lengths[256] = { 1, 2, 3 };
static const double *const other_length_list = other_lengths;
static const uint32_t other_number = 9;
static const uint64_t other_large = (UINT64_C(1) << 60) + 1;
static const enum sf_sim_model other_model = SF_SIM_PACKET;
static const enum sf_sim_timing other_timing = SF_SIM_EXACT;
static const enum sf_sim_queues other_queues = SF_SIM_FIFO;
static const enum sf_select other_select = SF_SELECT_RANDOM;
static const double other_size = 77;

/* Every member in order. */
static const struct member members[] = {
    MEMBER(jobs.workload, &other_workload, false),
    MEMBER(jobs.nodes, &other_nodes, false),
    MEMBER(jobs.placement, &other_placement, false),
    MEMBER(jobs.size, &other_size, false),
    MEMBER(jobs.load, &other_real, false),
    MEMBER(model, &other_model, false),
    MEMBER(timing, &other_timing, false),
    MEMBER(queues, &other_queues, false),
    MEMBER(select, &other_select, false),
    MEMBER(net.name, &other_text, true),
    MEMBER(net.title, &other_text, true),
    MEMBER(net.rate, &other_real, false),
    MEMBER(net.mtu, &other_number, false),
    MEMBER(net.header, &other_number, false),
    MEMBER(net.buffer, &other_number, false),
    MEMBER(net.switch_delay, &other_real, false),
    MEMBER(net.host_delay, &other_real, false),
    MEMBER(net.cable_delay, &other_real, false),
    MEMBER(net.sources, &other_text, true),
    MEMBER(window, &other_number, false),
    MEMBER(eager, &other_large, false),
    MEMBER(overhead, &other_real, false),
    MEMBER(lengths, &other_length_list, false),
    MEMBER(length, &other_real, false),
    MEMBER(seed, &other_large, false),
};

/* A network whose hosts have names. */
static struct sf_network *
named_network(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;
    struct sf_network *network;

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    CHECK(fabric->n_ports <= ARRAY_SIZE(other_lengths));
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return network;
}

static const struct sf_simulation_params plain = {
    .jobs = { .workload = "permutation" },
    .net = { .rate = 1e9, .mtu = 100, .header = 10, .buffer = 1000 },
};

/* Fails if a member of the struct is not in the table: members follow each
 * other without holes but those that alignment makes. */
TEST(sweep_settings_know_every_member)
{
    size_t end = 0;

    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        size_t align = members[i].size;
        CHECK_FOR(members[i].offset == (end + align - 1) / align * align,
                  "something is before %s", members[i].name);
        end = members[i].offset + members[i].size;
    }
    CHECK_EQ(end, sizeof(struct sf_simulation_params));
}

TEST(sweep_settings_differ_by_member)
{
    struct sf_network *network = named_network("hx2:2x2,p=2");
    struct sf_path_source source = { .network = network,
                                     .n_addresses = 1,
                                     .n_vls = 1,
                                     .one_sl = SF_SL_OF_PATH };
    char first[SETTINGS_SIZE];

    keep_text(first, settings_of(&source, &plain));
    CHECK_STR(settings_of(&source, &plain), first);
    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        struct sf_simulation_params params = plain;
        memcpy((char *)&params + members[i].offset, members[i].other,
               members[i].size);
        bool is_same_text = !strcmp(settings_of(&source, &params), first);
        CHECK_FOR(is_same_text == members[i].is_for_people, "%s",
                  members[i].name);
    }
    /* Numbers that differ in their last bit. */
    struct sf_simulation_params params = plain;
    params.eager = other_large;
    keep_text(first, settings_of(&source, &params));
    params.eager--;
    CHECK(strcmp(settings_of(&source, &params), first) != 0);
    params = plain;
    keep_text(first, settings_of(&source, &params));
    params.net.rate += 1e-7;
    CHECK(params.net.rate != plain.net.rate);
    CHECK(strcmp(settings_of(&source, &params), first) != 0);
    sf_network_free(network);
}

/* One length of a cable differs. */
TEST(sweep_settings_differ_by_length)
{
    struct sf_network *network = named_network("hx2:2x2,p=2");
    struct sf_path_source source = { .network = network, .n_addresses = 1 };
    struct sf_simulation_params params = plain;
    double lengths[ARRAY_SIZE(other_lengths)];
    char first[SETTINGS_SIZE];

    memcpy(lengths, other_lengths, sizeof lengths);
    params.lengths = lengths;
    keep_text(first, settings_of(&source, &params));
    for (uint32_t i = 0; i < network->fabric->n_ports; i++) {
        lengths[i] += 0.5;
        CHECK(strcmp(settings_of(&source, &params), first) != 0);
        lengths[i] -= 0.5;
    }
    CHECK_STR(settings_of(&source, &params), first);
    sf_network_free(network);
}

TEST(sweep_settings_differ_by_source)
{
    struct sf_network *network = named_network("hx2:2x2,p=2");
    struct sf_path_source source = { .network = network,
                                     .n_addresses = 1,
                                     .n_vls = 1,
                                     .one_sl = SF_SL_OF_PATH };
    char first[SETTINGS_SIZE];

    keep_text(first, settings_of(&source, &plain));
    source.identity++;
    CHECK(strcmp(settings_of(&source, &plain), first) != 0);
    source.identity--;
    CHECK_STR(settings_of(&source, &plain), first);
    for (int sl = 0; sl < SF_N_SLS; sl++) {
        source.one_sl = sl;
        CHECK(strcmp(settings_of(&source, &plain), first) != 0);
    }
    sf_network_free(network);
}

/* Long texts that differ at their end, behind what the settings show. */
TEST(sweep_settings_differ_by_the_end_of_texts)
{
    struct sf_network *network = named_network("hx2:2x2,p=8");
    struct sf_path_source source = { .network = network, .n_addresses = 1 };
    struct sf_simulation_params params = plain;
    char workload[1024] = "", first[SETTINGS_SIZE];

    for (int i = 0; i < 15; i++) {
        append(workload, sizeof workload,
               "permutation:size=1000000000000000+");
    }
    append(workload, sizeof workload, "permutation:size=17");
    params.jobs.workload = workload;
    keep_text(first, settings_of(&source, &params));
    workload[strlen(workload) - 1] = '8';
    CHECK(strcmp(settings_of(&source, &params), first) != 0);
    /* The same messages, by another workload. */
    *strstr(workload + strlen(workload) - 19, "permutation") = '\0';
    append(workload, sizeof workload, "all-to-all:size=17");
    CHECK(strcmp(settings_of(&source, &params), first) != 0);
    sf_network_free(network);
}

static void
rewrite(const struct temporary *file, const char *text)
{
    FILE *stream = fopen(file->name, "w");

    CHECK(stream && fputs(text, stream) >= 0 && fclose(stream) == 0);
}

/* A file has the same name and says something else. */
TEST(sweep_settings_differ_by_what_files_say)
{
    static const char *const texts[] = {
        "node0000,node0001,1\n",
        "node0000,node0001,1\nnode0002,node0003,1\n",
        "node0001,node0000,1\n",
        "node0000,node0001,1\nnode0002,node0003,0.5\n",
    };
    struct sf_network *network = named_network("hx2:2x2,p=2");
    struct sf_path_source source = { .network = network, .n_addresses = 1 };
    struct temporary file = temporary_write("");
    char name[80], seen[2 * ARRAY_SIZE(texts)][SETTINGS_SIZE];
    uint32_t n = 0;

    snprintf(name, sizeof name, "file:%s", file.name);
    for (uint32_t i = 0; i < 2 * ARRAY_SIZE(texts); i++) {
        struct sf_simulation_params params = plain;
        params.jobs.workload = name;
        params.jobs.load = i % 2 ? 0.5 : 0;
        rewrite(&file, texts[i / 2]);
        keep_text(seen[n], settings_of(&source, &params));
        for (uint32_t k = 0; k < n; k++) {
            CHECK(strcmp(seen[k], seen[n]) != 0);
        }
        n++;
    }
    temporary_remove(&file);
    sf_network_free(network);
}

/* The same for placements; the third host of "ebb" sits out. */
TEST(sweep_settings_differ_by_where_files_place)
{
    static const char *const texts[] = {
        "node0000\nnode0001\nnode0002\n",
        "node0000\nnode0001\nnode0003\n",
        "node0000\nnode0004\nnode0003\n",
        "node0005\nnode0004\nnode0003\n",
    };
    static const char *const workloads[] = { "permutation", "ebb" };
    struct sf_network *network = named_network("hx2:2x2,p=2");
    struct sf_path_source source = { .network = network, .n_addresses = 1 };
    struct temporary file = temporary_write("");
    char name[80], seen[ARRAY_SIZE(texts)][SETTINGS_SIZE];

    snprintf(name, sizeof name, "file:%s", file.name);
    for (size_t w = 0; w < ARRAY_SIZE(workloads); w++) {
        struct sf_simulation_params params = plain;
        params.jobs.workload = workloads[w];
        params.jobs.nodes = "3";
        params.jobs.placement = name;
        for (uint32_t i = 0; i < ARRAY_SIZE(texts); i++) {
            rewrite(&file, texts[i]);
            keep_text(seen[i], settings_of(&source, &params));
            for (uint32_t k = 0; k < i; k++) {
                CHECK(strcmp(seen[k], seen[i]) != 0);
            }
        }
    }
    temporary_remove(&file);
    sf_network_free(network);
}

static uint64_t
identity_of_routes(const struct sf_routing *routing)
{
    struct sf_path_source source;

    CHECK_EQ(sf_path_source_of_routes(routing->network, routing->routes,
                                      SF_SL_OF_PATH, &source, NULL),
             SF_OK);
    return source.identity;
}

/* Fails unless the identity differs while '*byte' does. */
static void
check_byte(const struct sf_routing *routing, void *byte, uint64_t first,
           const char *what)
{
    uint8_t *at = byte;

    *at ^= 1;
    CHECK_FOR(identity_of_routes(routing) != first, "%s", what);
    *at ^= 1;
}

/* Changes one thing after the other; each is seen. */
static void
check_identity(const struct sf_routing *routing, struct sf_random *random)
{
    struct sf_routes *routes = routing->routes;
    struct sf_lanes *lanes = routes->lanes;
    const struct sf_graph *graph = routing->network->graph;
    uint32_t n = graph->n_nodes;
    uint32_t n_hops = sf_routes_n_layers(routes) * n * n;
    uint64_t first = identity_of_routes(routing);

    CHECK(identity_of_routes(routing) == first);
    for (int i = 0; i < 40; i++) {
        uint32_t set = sf_random_below(random, routes->n_sets);
        uint32_t hop = sf_random_below(random, n_hops);
        uint32_t s = sf_random_below(random, n);
        uint32_t side = sf_graph_degree(graph, s) + 1;
        check_byte(routing, &routes->sets[set]->hops[hop], first, "a hop");
        check_byte(
            routing,
            &lanes->vls[lanes->first[s] +
                        sf_random_below(random, side * side * SF_N_SLS)],
            first, "a lane");
        if (lanes->path_sls) {
            check_byte(routing, &lanes->path_sls[set][hop], first, "an SL");
        }
        uint32_t host =
            sf_random_below(random, sf_network_count_hosts(routing->network));
        check_byte(routing, &routes->host_sets[host], first, "a host set");
    }
    check_byte(routing, &routes->n_addresses, first, "addresses");
    check_byte(routing, &lanes->n_vls, first, "VLs");
    check_byte(routing, &lanes->n_sls, first, "SLs");
    routes->lanes = NULL;
    CHECK(identity_of_routes(routing) != first);
    routes->lanes = lanes;
    CHECK(identity_of_routes(routing) == first);
}

TEST(path_source_identity)
{
    static const char *const schemes[] = { "turns", "dfsssp" };
    struct sf_random random;
    bool has_sls = false;

    sf_random_init(&random, 4, 0);
    for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
        struct sf_network *network = named_network("hx2:3x3,p=2");
        struct sf_routing_params params = {
            .layers = { .n_layers = 2, .seed = 1, .n_threads = 1 },
            .n_path_sets = 2,
            .lanes = schemes[i],
        };
        struct sf_routing *routing;
        struct sf_error err = { 0 };
        CHECK_FOR(sf_routing_build(network, &params, &routing, &err) == SF_OK,
                  "%s", err.text);
        has_sls = has_sls || routing->routes->lanes->path_sls;
        check_identity(routing, &random);
        sf_routing_free(routing);
        sf_network_free(network);
    }
    CHECK(has_sls);
}

static uint64_t
identity_of_tables(const struct routed *routed)
{
    struct sf_ib_held held = { .tables = routed->tables,
                               .sl2vl = routed->lanes->sl2vl,
                               .path_sls = routed->lanes->path_sls };
    struct sf_path_source source;

    CHECK_EQ(sf_ib_path_source(routed->routing->network, &held, SF_SL_OF_PATH,
                               &source, NULL),
             SF_OK);
    return source.identity;
}

/* Two cables of a switch change places: the graph and the tables are the
 * same, and the paths are not. */
TEST(path_source_identity_by_ports)
{
    struct sf_fabric *fabric = lanes_fabric("hx2:3x3,p=2", 2);
    struct sf_routing_params params = {
        .layers = { .n_layers = 2, .seed = 1, .n_threads = 1 },
        .lanes = "dfsssp",
    };
    struct routed *routed;

    CHECK_EQ(routed_build(fabric, &params, &routed, NULL), SF_OK);
    struct sf_network *network = routed->routing->network;
    uint64_t first = identity_of_tables(routed);
    uint64_t routes = identity_of_routes(routed->routing);
    CHECK(identity_of_tables(routed) == first);

    uint32_t a = network->arc_ports[0], b = network->arc_ports[1];
    struct sf_port *ports = network->fabric->ports;
    uint32_t far_a = ports[a].peer, far_b = ports[b].peer;
    ports[a].peer = far_b, ports[far_b].peer = a;
    ports[b].peer = far_a, ports[far_a].peer = b;
    network->arc_ports[0] = b, network->arc_ports[1] = a;
    CHECK(identity_of_tables(routed) != first);
    CHECK(identity_of_routes(routed->routing) != routes);
    ports[a].peer = far_a, ports[far_a].peer = a;
    ports[b].peer = far_b, ports[far_b].peer = b;
    network->arc_ports[0] = a, network->arc_ports[1] = b;
    CHECK(identity_of_tables(routed) == first);

    uint8_t *entry = &sf_tables_of(routed->tables, 3)[2];
    *entry ^= 1;
    CHECK(identity_of_tables(routed) != first);
    *entry ^= 1;
    uint8_t *vl = &sf_sl2vl_of(routed->lanes->sl2vl, 1, 1, 2)[3];
    *vl ^= 1;
    CHECK(identity_of_tables(routed) != first);
    *vl ^= 1;
    uint8_t *sl = &sf_path_sls_of(routed->lanes->path_sls, 2)[3];
    *sl ^= 1;
    CHECK(identity_of_tables(routed) != first);
    *sl ^= 1;
    CHECK(identity_of_tables(routed) == first);
    routed_free(routed);
    sf_fabric_free(fabric);
}

/* On one thread, so that it is known which allocation fails. */
TEST(sweep_without_memory)
{
    struct host_case *c = detour_case(2, 2, 4);
    struct sf_simulation_task tasks[2];

    c->params.jobs = (struct sf_sim_jobs){ .workload = "all-to-all",
                                           .nodes = "4",
                                           .size = 300 };
    for (uint32_t i = 0; i < 2; i++) {
        tasks[i] = (struct sf_simulation_task){ .source = &c->source,
                                                .params = c->params,
                                                .label = "task" };
    }
    tasks[1].params.model = SF_SIM_PACKET;
    for (unsigned long nth = 1;; nth++) {
        struct store *store = make_store(NULL);
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status =
            sf_simulation_sweep(tasks, 2, 1, &store->ops, &err);
        void *memory = sf_calloc(1, 1);
        bool is_still_to_come = memory == NULL;
        free(memory);
        sf_mem_fail_at(0);
        free(store);
        if (status == SF_OK) {
            CHECK_FOR(is_still_to_come, "failure %lu went unnoticed", nth);
            break;
        }
        /* The first is for all tasks. */
        CHECK_FOR(status == SF_ENOMEM &&
                      (nth == 1 || !strncmp(err.text, "task: ", 6)),
                  "failure %lu: %s", nth, err.text);
        CHECK(!tasks[0].result.jobs && !tasks[1].result.jobs);
    }
    clear_tasks(tasks, 2);
    host_case_free(c);
}
