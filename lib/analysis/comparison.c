/* comparison.c -- routings side by side, many at once.
 *
 * A task is a routing with one seed, or a reference with one seed and one
 * traffic.  Every measurement of a task is looked up before it is made, and
 * the routes are made only if something is missing.  A measurement is known by
 * all that it depends on, written out; large things stand in there by a hash.
 */
#include "slimfly/comparison.h"

#include "analysis/comparison_key.h"
#include "analysis/kept_traffics.h"
#include "analysis/solvers.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/results_number.h"
#include "slimfly/progress.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define SETTINGS_SIZE 4096
#define STEPS         UINT64_C(1000) /* Of a measurement, to be reported. */

struct task {
    uint32_t row, run;
    uint32_t traffic; /* SF_NONE: the paths and all traffics. */
};

/* What all tasks share. */
struct comparing {
    struct sf_comparison *comparison;
    struct task *tasks;
    uint32_t n_tasks;
    struct sf_path_metrics **metrics; /* [n_rows * n_seeds] */
    uint64_t network;                 /* Hash of graph and hosts. */
    struct sf_kept_traffics traffics;
    uint32_t n_threads;
    atomic_uint n_left; /* Tasks that are not done. */
    bool *is_put_off;   /* [n_tasks] Another process was at it. */
    bool is_last;       /* What was put off is to be done. */
    const struct sf_progress *listener; /* Of the caller; may be NULL. */
    pthread_mutex_t lock;               /* Of all that follows. */
    uint64_t n_done, n_measurements;
    uint64_t n_partly;     /* Thousandths of those under way that are done. */
    struct sf_error error; /* The first that came. */
    atomic_bool has_failed;
};

/* How far a measurement is that says so itself, in steps of STEPS. */
struct part {
    const char *traffic; /* NULL: the paths are measured. */
    char stage[64];      /* What it is at, */
    uint64_t from;       /* the steps when that began, */
    uint64_t done;       /* and now. */
};

/* What one task has at hand. */
struct working {
    struct comparing *all;
    struct part part;
    const struct sf_comparison_row *row;
    uint64_t seed;
    const struct sf_routes *routes;  /* NULL until made. */
    struct sf_routing *made;         /* To be freed. */
    uint32_t *host_sets;             /* [hosts] The path sets of the routes, */
    uint32_t n_sets;                 /* also before they are made. */
    char routing[SETTINGS_SIZE / 4]; /* The settings of the routes. */
};

/* How many threads a task may have: once fewer tasks are left than threads,
 * they share them out. */
static uint32_t
count_inner_threads(const struct comparing *all)
{
    uint32_t n_left = atomic_load(&all->n_left);
    return n_left > 0 && n_left < all->n_threads ? all->n_threads / n_left : 1;
}

/* Finds out which hosts have which path sets. */
static enum sf_status
find_sets(struct working *working, struct sf_error *err)
{
    const struct sf_network *network =
        working->all->comparison->params.network;
    const struct sf_comparison_row *row = working->row;
    size_t n_hosts = sf_network_count_hosts(network);

    working->host_sets = sf_calloc(n_hosts, sizeof *working->host_sets);
    if (!working->host_sets) {
        return sf_fail(err, SF_ENOMEM, "out of memory for path sets");
    }
    working->n_sets = row->given ? row->given->n_sets : 1;
    if (!row->given && row->mode == SF_THROUGHPUT_LAYERS) {
        enum sf_status status = sf_routing_count_sets(network, &row->routing,
                                                      &working->n_sets, err);
        if (status != SF_OK) {
            return status;
        }
    }
    if (row->given) {
        memcpy(working->host_sets, row->given->host_sets,
               n_hosts * sizeof *working->host_sets);
    } else {
        sf_routes_deal(network, working->n_sets, working->host_sets);
    }
    return SF_OK;
}

/* Makes the routes, as they would run. */
static enum sf_status
make_routes(struct working *working, struct sf_error *err)
{
    const struct sf_comparison_params *params =
        &working->all->comparison->params;

    if (working->routes) {
        return SF_OK;
    }
    struct sf_routing_params routing = working->row->routing;
    routing.layers.n_layers = working->row->n_layers;
    routing.layers.seed = working->seed;
    routing.layers.n_threads = count_inner_threads(working->all);
    enum sf_status status =
        sf_routing_build(params->network, &routing, &working->made, err);
    working->routes = status == SF_OK ? working->made->routes : NULL;
    return status;
}

/* What to say of the lanes of the routes. */
static struct sf_lanes_summary
summarize_lanes(const struct working *working)
{
    struct sf_lanes_summary summary = { 0 };
    const struct sf_lanes *lanes = working->routes->lanes;

    if (lanes) {
        snprintf(summary.scheme, sizeof summary.scheme, "%s",
                 lanes->scheme->name);
        summary.n_vls = lanes->n_vls;
    }
    if (working->made && working->made->refusal.status != SF_OK &&
        working->made->has_default_layers) {
        snprintf(summary.instead, sizeof summary.instead, "%.*s",
                 (int)sizeof summary.instead - 1,
                 working->made->params.layers.scheme);
    }
    return summary;
}

static bool
look_up(struct comparing *all, const char *settings,
        struct sf_measurement *measurement)
{
    const struct sf_measurement_store *store = all->comparison->params.store;

    *measurement = (struct sf_measurement){ 0 };
    if (!store) {
        return false;
    }
    pthread_mutex_lock(&all->lock);
    bool is_known = store->load(store->aux, settings, measurement);
    pthread_mutex_unlock(&all->lock);
    return is_known;
}

/* Whether a throughput is measured as well as was asked for. */
static bool
is_done(const struct comparing *all, const struct sf_throughput *throughput)
{
    return sf_bounds_are_close(throughput->lower, throughput->upper,
                               all->comparison->params.gap);
}

/* Looks up a throughput.  What is something else, or was not finished, is not
 * what should have been kept here. */
static bool
look_up_throughput(struct comparing *all, const char *settings,
                   struct sf_measurement *measurement)
{
    bool is_known = look_up(all, settings, measurement);

    if (is_known && measurement->metrics) {
        sf_path_metrics_free(measurement->metrics);
        measurement->metrics = NULL;
        return false;
    }
    return is_known && is_done(all, &measurement->throughput);
}

/* Says how far all are, and what 'working' is at; the lock is held. */
static void
tell(const struct working *working)
{
    const struct comparing *all = working->all;
    const struct sf_comparison_row *row = working->row;
    const struct part *part = &working->part;
    uint64_t n = all->n_measurements;
    char what[SF_COMPARISON_LABEL_SIZE + 512], layers[32] = "";

    if (!all->listener || !all->listener->report) {
        return;
    }
    if (row->n_layers) {
        snprintf(layers, sizeof layers, ", %u layer%s", row->n_layers,
                 row->n_layers > 1 ? "s" : "");
    }
    snprintf(what, sizeof what,
             "%" PRIu64 " of %" PRIu64 " measurements done, now %s%s, "
             "seed %" PRIu64 ", %.200s%s%s",
             all->n_done, n, row->label, layers, working->seed,
             part->traffic ? part->traffic : "paths", *part->stage ? ": " : "",
             part->stage);
    all->listener->report(all->listener->aux, what,
                          STEPS * all->n_done + all->n_partly, STEPS * n);
}

/* Hears how far a stage of a measurement is.  Throughput is the last stage.
 * Of others nobody knows how many follow: each counts for half of what is
 * left. */
static void
advance(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct working *working = aux;
    struct part *part = &working->part;
    struct comparing *all = working->all;

    if (strncmp(part->stage, what, sizeof part->stage - 1) != 0) {
        snprintf(part->stage, sizeof part->stage, "%s", what);
        part->from = part->done;
    }
    uint64_t room = STEPS - 1 - part->from;
    room = strcmp(what, "throughput") != 0 ? room / 2 : room;
    uint64_t now = part->from + (total ? room * done / total : 0);

    pthread_mutex_lock(&all->lock);
    all->n_partly += now - part->done;
    part->done = now;
    tell(working);
    pthread_mutex_unlock(&all->lock);
}

/* Begins a measurement, of paths if 'traffic' is NULL. */
static void
begin_part(struct working *working, const char *traffic)
{
    working->part = (struct part){ .traffic = traffic };
}

/* Keeps a measurement, if it is to be kept, and tells how far we are. */
static enum sf_status
note(struct working *working, const char *settings,
     const struct sf_measurement *measurement, bool keep, struct sf_error *err)
{
    struct comparing *all = working->all;
    const struct sf_measurement_store *store = all->comparison->params.store;
    enum sf_status status = SF_OK;

    pthread_mutex_lock(&all->lock);
    if (store && keep) {
        /* Who saves may report what it writes, and advance() would wait for
         * the lock that is held here. */
        const struct sf_progress *listener = sf_progress_listen(NULL);
        status = store->save(store->aux, settings, measurement, err);
        sf_progress_listen(listener);
    }
    all->n_partly -= working->part.done;
    all->n_done++;
    if (all->n_done == all->n_measurements) {
        tell(working);
    }
    pthread_mutex_unlock(&all->lock);
    return status;
}

static enum sf_status
find_metrics(struct working *working, struct sf_path_metrics **metricsp,
             struct sf_lanes_summary *lanes, struct sf_error *err)
{
    struct comparing *all = working->all;
    const struct sf_comparison_params *params = &all->comparison->params;
    char settings[SETTINGS_SIZE];
    struct sf_measurement measurement;
    enum sf_status status = SF_OK;

    snprintf(settings, sizeof settings, "%s network=%016llx %s paths",
             SF_RESULTS_OF, (unsigned long long)all->network,
             working->routing);
    begin_part(working, NULL);
    bool is_known = look_up(all, settings, &measurement);
    if (is_known && !measurement.metrics) {
        is_known = false; /* A throughput: not what was kept here. */
    }
    if (!is_known) {
        status = make_routes(working, err);
        if (status == SF_OK) {
            measurement.lanes = summarize_lanes(working);
            status = sf_path_metrics_build(params->network, working->routes,
                                           count_inner_threads(all),
                                           &measurement.metrics, err);
        }
    }
    if (status == SF_OK) {
        *metricsp = measurement.metrics;
        *lanes = measurement.lanes;
        status = note(working, settings, &measurement, !is_known, err);
    }
    return status;
}

static enum sf_status
find_throughput(struct working *working, const struct sf_traffic *traffic,
                const char *text, enum sf_throughput_mode mode,
                struct sf_throughput *throughput, struct sf_error *err)
{
    struct comparing *all = working->all;
    const struct sf_comparison_params *params = &all->comparison->params;
    bool has_layers =
        mode == SF_THROUGHPUT_LAYERS || mode == SF_THROUGHPUT_EQUAL;
    struct sf_throughput_params how = {
        .mode = mode,
        .n_paths = working->row->n_layers,
        .max_hops = params->max_hops,
        .seed = working->seed,
        .without_host_links = params->without_host_links,
        .stop_at_host = true,
        .effort = params->effort,
        .gap = params->gap,
        .n_threads = count_inner_threads(all),
    };
    char settings[SETTINGS_SIZE];
    struct sf_measurement measurement;
    enum sf_status status = SF_OK;

    snprintf(settings, sizeof settings,
             "%s network=%016llx %s mode=%s hops=%u hosts=%d effort=%d "
             "gap=%.17g demands=%016llx traffic=%.400s",
             SF_RESULTS_OF, (unsigned long long)all->network, working->routing,
             sf_throughput_mode_name(mode), params->max_hops,
             !params->without_host_links, (int)params->effort, params->gap,
             (unsigned long long)sf_key_of_traffic(traffic), text);
    begin_part(working, text);
    bool is_known = look_up_throughput(all, settings, &measurement);
    if (!is_known && has_layers) {
        status = make_routes(working, err);
        how.routes = working->routes;
    }
    if (!is_known && status == SF_OK) {
        status = sf_throughput_measure(params->network->graph, traffic, &how,
                                       &measurement.throughput, err);
    }
    if (status == SF_OK) {
        *throughput = measurement.throughput;
        status = note(working, settings, &measurement,
                      !is_known && is_done(all, throughput), err);
    }
    return status;
}

/* All throughputs of a task with traffic number 'number'. */
static enum sf_status
find_throughputs(struct working *working, const struct task *task,
                 uint32_t number, struct sf_error *err)
{
    const struct sf_comparison *comparison = working->all->comparison;
    const struct sf_comparison_params *params = &comparison->params;
    const struct sf_comparison_result *result =
        &comparison->results[task->row];
    struct sf_kept_traffics *traffics = &working->all->traffics;
    struct sf_traffic *traffic;

    enum sf_status status =
        sf_kept_traffics_take(traffics, number, task->run, working->host_sets,
                              working->n_sets, &traffic, err);
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t split = 0; status == SF_OK && split < result->n_splits;
         split++) {
        size_t at =
            ((size_t)split * params->n_traffics + number) * params->n_seeds;
        status = find_throughput(working, traffic, params->traffics[number],
                                 result->splits[split] == SF_SPLIT_EQUAL
                                     ? SF_THROUGHPUT_EQUAL
                                     : working->row->mode,
                                 &result->runs[at + task->run], err);
    }
    sf_kept_traffics_give_back(traffics, number, task->run, traffic);
    return status;
}

static enum sf_status
work_on(struct working *working, const struct task *task, struct sf_error *err)
{
    struct comparing *all = working->all;
    const struct sf_comparison_params *params = &all->comparison->params;
    struct sf_path_metrics **metricsp =
        &all->metrics[(size_t)task->row * params->n_seeds + task->run];

    if (task->traffic != SF_NONE) {
        return find_throughputs(working, task, task->traffic, err);
    }
    struct sf_lanes_summary lanes = { 0 };
    enum sf_status status = find_metrics(working, metricsp, &lanes, err);
    if (task->run == 0) {
        all->comparison->results[task->row].lanes = lanes;
    }
    if (status == SF_OK && params->n_traffics && (*metricsp)->n_incomplete) {
        return sf_fail(err, SF_EUNREACHABLE,
                       "%llu pairs have paths that do not arrive, so that "
                       "there is no throughput",
                       (unsigned long long)(*metricsp)->n_incomplete);
    }
    for (uint32_t i = 0; status == SF_OK && i < params->n_traffics; i++) {
        status = find_throughputs(working, task, i, err);
    }
    return status;
}

/* Works on a task, or puts it off if another process is at it. */
static enum sf_status
claim_and_work(struct working *working, uint32_t number, struct sf_error *err)
{
    struct comparing *all = working->all;
    const struct task *task = &all->tasks[number];
    const struct sf_measurement_store *store = all->comparison->params.store;
    const struct sf_claims *claims = store ? store->claims : NULL;
    char piece[SETTINGS_SIZE];

    if (!claims) {
        return work_on(working, task, err);
    }
    snprintf(piece, sizeof piece, "network=%016llx %s traffic=%u",
             (unsigned long long)all->network, working->routing,
             task->traffic);
    if (!claims->claim(claims->aux, piece, all->is_last)) {
        all->is_put_off[number] = true;
        return SF_OK;
    }
    enum sf_status status = work_on(working, task, err);
    claims->release(claims->aux, piece);
    return status;
}

static void
run_task(void *aux, uint32_t number, uint32_t worker)
{
    struct comparing *all = aux;
    const struct sf_comparison_params *params = &all->comparison->params;
    const struct task *task = &all->tasks[number];
    const struct sf_comparison_row *row = &params->rows[task->row];
    struct sf_error err = { 0 };

    (void)worker;
    if (atomic_load(&all->has_failed) ||
        all->is_last != all->is_put_off[number]) {
        return;
    }
    struct working working = {
        .all = all,
        .row = row,
        .seed = params->seed + task->run,
        .routes = row->given,
    };
    struct sf_progress progress = { advance, &working };
    const struct sf_progress *before =
        sf_progress_listen(all->listener ? &progress : NULL);
    enum sf_status status = find_sets(&working, &err);
    if (status == SF_OK) {
        status = sf_key_of_routing(row, params->network, working.n_sets,
                                   working.seed, working.routing,
                                   sizeof working.routing, &err);
    }
    if (status == SF_OK) {
        status = claim_and_work(&working, number, &err);
    }
    sf_progress_listen(before);
    free(working.host_sets);
    sf_routing_free(working.made);
    if (all->is_last || !all->is_put_off[number]) {
        atomic_fetch_sub(&all->n_left, 1);
    }
    if (status != SF_OK) {
        sf_error_add_context(&err, row->label);
        pthread_mutex_lock(&all->lock);
        if (!atomic_exchange(&all->has_failed, true)) {
            all->error = err;
        }
        pthread_mutex_unlock(&all->lock);
    }
}

/* A routing from elsewhere has the same paths with every seed. */
static bool
is_drawn(const struct sf_comparison_row *row)
{
    return row->given == NULL;
}

/* Lists the tasks; with tasks NULL counts them and the measurements only. */
static uint32_t
list_tasks(struct comparing *all, struct task *tasks)
{
    const struct sf_comparison_params *params = &all->comparison->params;
    uint32_t n = 0;

    all->n_measurements = 0;
    for (uint32_t row = 0; row < params->n_rows; row++) {
        bool is_routing = params->rows[row].mode == SF_THROUGHPUT_LAYERS;
        uint32_t n_each = is_routing ? 1 : params->n_traffics;
        uint32_t n_splits = all->comparison->results[row].n_splits;
        for (uint32_t i = 0; i < n_each * params->n_seeds; i++, n++) {
            if (tasks) {
                tasks[n] = (struct task){ row, i % params->n_seeds,
                                          is_routing ? SF_NONE
                                                     : i / params->n_seeds };
            }
            all->n_measurements +=
                is_routing ? 1 + (uint64_t)n_splits * params->n_traffics : 1;
        }
    }
    return n;
}

/* Adds up the metrics of all seeds of each row. */
static enum sf_status
gather_metrics(struct comparing *all, struct sf_error *err)
{
    struct sf_comparison *comparison = all->comparison;
    uint32_t n_seeds = comparison->params.n_seeds;
    enum sf_status status = SF_OK;

    for (uint32_t row = 0; row < comparison->params.n_rows; row++) {
        struct sf_path_metrics **metrics =
            all->metrics + (size_t)row * n_seeds;
        comparison->results[row].metrics = metrics[0];
        metrics[0] = NULL;
        for (uint32_t i = 1; comparison->results[row].metrics &&
                             is_drawn(&comparison->params.rows[row]) &&
                             status == SF_OK && i < n_seeds;
             i++) {
            status = sf_path_metrics_add(comparison->results[row].metrics,
                                         metrics[i], err);
        }
    }
    return status;
}

/* What some paths carry, all paths carry: lifts the lower bounds of 'row',
 * which may use any path, to those of the others. */
static void
lift_bounds(const struct sf_comparison *comparison, uint32_t row)
{
    const struct sf_comparison_params *params = &comparison->params;
    uint32_t n_runs = params->n_traffics * params->n_seeds;

    for (uint32_t other = 0; other < params->n_rows; other++) {
        for (uint32_t i = 0; i < n_runs; i++) {
            const struct sf_throughput *from =
                &comparison->results[other].runs[i];
            struct sf_throughput *to = &comparison->results[row].runs[i];
            to->lower = fmin(fmax(to->lower, from->lower), to->upper);
            to->net_lower =
                fmin(fmax(to->net_lower, from->net_lower), to->net_upper);
        }
    }
}

/* What equal shares carry, the best shares carry. */
static void
lift_best(const struct sf_comparison *comparison, uint32_t row)
{
    const struct sf_comparison_params *params = &comparison->params;
    uint32_t n_runs = params->n_traffics * params->n_seeds;
    struct sf_throughput *best = comparison->results[row].runs;

    for (uint32_t i = 0;
         comparison->results[row].n_splits == SF_N_SPLITS && i < n_runs; i++) {
        const struct sf_throughput *equal = &best[n_runs + i];
        best[i].lower = fmin(fmax(best[i].lower, equal->lower), best[i].upper);
        best[i].net_lower =
            fmin(fmax(best[i].net_lower, equal->net_lower), best[i].net_upper);
    }
}

/* Whether all traffics can be made, before any work is done.  Those of the
 * first seed are kept for it. */
static enum sf_status
check_traffics(struct sf_kept_traffics *all, struct sf_error *err)
{
    const struct sf_comparison_params *params = all->params;
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < params->n_traffics; i++) {
        struct sf_traffic *traffic;
        status = sf_kept_traffics_take(all, i, 0, NULL, 1, &traffic, err);
        if (status == SF_OK) {
            sf_kept_traffics_give_back(all, i, 0, traffic);
        } else if (status == SF_EINVAL) { /* Others name file and line. */
            sf_error_add_context(err, params->traffics[i]);
        }
    }
    return status;
}

/* Notes which splits of a row are to be measured. */
static void
choose_splits(const struct sf_comparison_params *params,
              const struct sf_comparison_row *row,
              struct sf_comparison_result *result)
{
    bool is_routing = row->mode == SF_THROUGHPUT_LAYERS;

    for (int i = 0; i < SF_N_SPLITS; i++) {
        if (is_routing ? !params->without[i] : i == SF_SPLIT_BEST) {
            result->splits[result->n_splits++] = (enum sf_comparison_split)i;
        }
    }
}

/* Makes room for the answer. */
static struct sf_comparison *
prepare(const struct sf_comparison_params *params)
{
    struct sf_comparison *comparison = sf_calloc(1, sizeof *comparison);

    if (!comparison) {
        return NULL;
    }
    comparison->params = *params;
    comparison->params.n_seeds = params->n_seeds ? params->n_seeds : 1;
    comparison->results =
        sf_calloc(params->n_rows, sizeof *comparison->results);
    bool is_ready = comparison->results != NULL;
    for (uint32_t i = 0; is_ready && i < params->n_rows; i++) {
        struct sf_comparison_result *result = &comparison->results[i];
        choose_splits(params, &params->rows[i], result);
        result->runs =
            sf_calloc((size_t)result->n_splits * params->n_traffics *
                          comparison->params.n_seeds,
                      sizeof *result->runs);
        is_ready = result->runs != NULL;
    }
    if (!is_ready) {
        sf_comparison_free(comparison);
        return NULL;
    }
    return comparison;
}

enum sf_status
sf_comparison_build(const struct sf_comparison_params *params,
                    struct sf_comparison **comparisonp, struct sf_error *err)
{
    *comparisonp = NULL;
    if (params->without[SF_SPLIT_BEST] && params->without[SF_SPLIT_EQUAL]) {
        return sf_fail(err, SF_EINVAL,
                       "expected the best split or the equal "
                       "one, found neither");
    }
    struct comparing all = { .comparison = prepare(params),
                             .network = sf_key_of_network(params->network),
                             .lock = PTHREAD_MUTEX_INITIALIZER };
    if (!all.comparison) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a comparison");
    }
    size_t n_metrics = (size_t)params->n_rows * all.comparison->params.n_seeds;
    enum sf_status status = SF_OK;
    all.n_tasks = list_tasks(&all, NULL);
    all.tasks = sf_calloc(all.n_tasks, sizeof *all.tasks);
    all.metrics = sf_calloc(n_metrics, sizeof *all.metrics);
    all.is_put_off = sf_calloc(all.n_tasks, sizeof *all.is_put_off);
    if (!all.tasks || !all.metrics || !all.is_put_off ||
        !sf_kept_traffics_begin(&all.traffics, &all.comparison->params)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a comparison");
        goto done;
    }
    status = check_traffics(&all.traffics, err);
    if (status != SF_OK) {
        goto done;
    }
    list_tasks(&all, all.tasks);
    all.n_threads = sf_parallel_limit(params->n_threads);
    atomic_store(&all.n_left, all.n_tasks);
    all.listener = sf_progress_listen(NULL);
    for (int i = 0; i < 2; i++) {
        all.is_last = i == 1;
        sf_parallel_for(all.n_threads, all.n_tasks, run_task, &all);
    }
    sf_progress_listen(all.listener);
    status = all.error.status;
    if (status != SF_OK) {
        sf_fail(err, status, "%s", all.error.text);
        goto done;
    }
    status = gather_metrics(&all, err);
    for (uint32_t i = 0; i < params->n_rows; i++) {
        lift_best(all.comparison, i);
    }
    for (uint32_t i = 0; i < params->n_rows; i++) {
        if (params->rows[i].mode == SF_THROUGHPUT_ANY) {
            lift_bounds(all.comparison, i);
        }
    }

done:
    for (size_t i = 0; all.metrics && i < n_metrics; i++) {
        sf_path_metrics_free(all.metrics[i]);
    }
    sf_kept_traffics_clear(&all.traffics);
    free(all.metrics);
    free(all.is_put_off);
    free(all.tasks);
    if (status == SF_OK) {
        *comparisonp = all.comparison;
    } else {
        sf_comparison_free(all.comparison);
    }
    return status;
}

void
sf_comparison_free(struct sf_comparison *comparison)
{
    if (!comparison) {
        return;
    }
    for (uint32_t i = 0; comparison->results && i < comparison->params.n_rows;
         i++) {
        sf_path_metrics_free(comparison->results[i].metrics);
        free(comparison->results[i].runs);
    }
    free(comparison->results);
    free(comparison);
}

const char *
sf_comparison_split_name(enum sf_comparison_split split)
{
    static const char *const names[SF_N_SPLITS] = { "best", "equal" };
    return names[split];
}

struct sf_comparison_summary
sf_comparison_summarize(const struct sf_comparison *comparison, uint32_t row,
                        uint32_t split, uint32_t traffic)
{
    struct sf_comparison_summary summary = { 0, (double)INFINITY, 0, 0 };
    uint32_t n_seeds = comparison->params.n_seeds;

    for (uint32_t i = 0; i < n_seeds; i++) {
        const struct sf_throughput *run =
            sf_comparison_run(comparison, row, split, traffic, i);
        double gap = run->upper > run->lower && run->lower > 0
                         ? run->upper / run->lower - 1
                         : 0;
        summary.mean += run->lower / n_seeds;
        summary.min = fmin(summary.min, run->lower);
        summary.max = fmax(summary.max, run->lower);
        summary.gap = fmax(summary.gap, gap);
    }
    return summary;
}
