/* routed_jobs.c -- see routed_jobs.h. */
#define _POSIX_C_SOURCE 200809L
#include "routed_jobs.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "status_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Jobs that the status lists one by one. */
#define MOST_LISTED 1000

static void
forget_jobs(struct sf_plugin_jobs *jobs)
{
    sf_job_routes_clear(&jobs->routes);
    sf_jobs_free(jobs->jobs);
    jobs->jobs = NULL;
    free(jobs->text);
    jobs->text = NULL;
    jobs->strays = (struct sf_strays){ 0 };
}

void
sf_plugin_jobs_clear(struct sf_plugin_jobs *jobs)
{
    forget_jobs(jobs);
    sf_job_hops_clear(&jobs->hops);
    *jobs = (struct sf_plugin_jobs){ 0 };
}

void
sf_plugin_jobs_forget(struct sf_plugin_jobs *jobs)
{
    sf_job_hops_clear(&jobs->hops);
    jobs->has_loaded = false;
}

void
sf_plugin_jobs_kept_path(const char *base, char path[SF_OPTION_SIZE + 8])
{
    snprintf(path, SF_OPTION_SIZE + 8, "%s%s", base, base[0] ? ".jobs" : "");
}

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static uint64_t
hash_text(const char *text, size_t length)
{
    uint64_t hash = text ? sf_hash_bytes(SF_HASH_START, text, length) : 0;
    return text && hash == 0 ? 1 : hash;
}

/* A short name of what routes are asked for. */
static uint64_t
hash_asked(const struct sf_plugin_jobs *jobs)
{
    uint64_t hash = hash_text(jobs->text, jobs->length);
    return jobs->keeps_minimal ? sf_hash_bytes(hash, "keep", 4) : hash;
}

/* Finds the jobs of 'text' in the network of 'engine'. */
static enum sf_status
parse(const struct sf_plugin_jobs *jobs, const struct sf_engine *engine,
      const char *text, size_t length, struct sf_strays *strays,
      struct sf_jobs **foundp, struct sf_error *err)
{
    char *copy = sf_calloc(length + 1, 1);

    *foundp = NULL;
    if (!copy) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory for jobs",
                       jobs->path);
    }
    memcpy(copy, text, length);
    *strays = (struct sf_strays){ 0 };
    enum sf_status status = sf_jobs_parse_some(
        copy, length, jobs->path, sf_engine_plain(engine)->network, strays,
        foundp, err);
    free(copy);
    return status;
}

/* Takes over 'text', which is freed if that fails, and its jobs.  If they are
 * the same, in the same network 'plain', all stays as it is. */
static enum sf_status
take_text(struct sf_plugin_jobs *jobs, const struct sf_engine *engine,
          uint64_t plain, char *text, size_t length, struct sf_error *err)
{
    bool is_same_text = jobs->text && length == jobs->length &&
                        !memcmp(text, jobs->text, length);
    struct sf_strays strays;
    struct sf_jobs *found = NULL;
    enum sf_status status = SF_OK;

    if (!is_same_text || plain != jobs->plain) {
        status = parse(jobs, engine, text, length, &strays, &found, err);
    }
    if (!found) {
        free(text);
        return status;
    }
    forget_jobs(jobs);
    jobs->text = text;
    jobs->length = length;
    jobs->jobs = found;
    jobs->plain = plain;
    jobs->strays = strays;
    return SF_OK;
}

/* The jobs before, in the network as it is now. */
static void
take_again(struct sf_plugin_jobs *jobs, const struct sf_engine *engine,
           uint64_t plain)
{
    char *copy = jobs->text ? sf_calloc(jobs->length + 1, 1) : NULL;

    if (copy) {
        memcpy(copy, jobs->text, jobs->length);
        take_text(jobs, engine, plain, copy, jobs->length, NULL);
    }
}

/* Reads the file.  If it cannot be taken, the jobs before are looked for in
 * the network as it is now. */
static enum sf_status
read_jobs(struct sf_plugin_jobs *jobs, const struct sf_engine *engine,
          uint64_t plain, struct sf_error *err)
{
    char *text;
    size_t length;

    jobs->stamp = sf_file_stamp_take(jobs->path); /* Before it is read. */
    enum sf_status status = sf_file_read(jobs->path, &text, &length, err);
    if (status == SF_OK) {
        status = take_text(jobs, engine, plain, text, length, err);
    }
    if (status != SF_OK) {
        take_again(jobs, engine, plain);
    }
    return status;
}

/* Adds what 'loads', with all jobs in 'total', means for one of them. */
static double
speed_of(const double *loads, const double *total, uint32_t n_arcs)
{
    double most = 1;

    for (uint32_t i = 0; i < n_arcs; i++) {
        most = loads[i] > 0 ? fmax(most, total[i]) : most;
    }
    return 1 / most;
}

/* Measures what jobs get of 'routing', and stores it 'before' or after. */
static enum sf_status
measure(struct sf_plugin_jobs *jobs, const struct sf_routing *routing,
        bool is_before, struct sf_error *err)
{
    uint32_t n_arcs = 2 * routing->network->graph->n_links;
    double *loads = sf_calloc(n_arcs, sizeof *loads);
    double *total = sf_calloc(n_arcs, sizeof *total);
    struct sf_job_routes *routes = &jobs->routes;
    enum sf_status status =
        loads && total ? SF_OK
                       : sf_fail(err, SF_ENOMEM, "out of memory for loads");
    double slowest = 1, speed;

    for (uint32_t i = 0; status == SF_OK && i < 2 * jobs->jobs->n_jobs; i++) {
        uint32_t k = i % jobs->jobs->n_jobs;
        status = sf_job_loads(routing->network, routing->routes,
                              &jobs->jobs->jobs[k], loads, err);
        for (uint32_t a = 0; i == k && a < n_arcs; a++) {
            total[a] += loads[a];
        }
        if (status == SF_OK && i != k) {
            speed = speed_of(loads, total, n_arcs);
            slowest = fmin(slowest, speed);
            *(is_before ? &routes->jobs[k].before : &routes->jobs[k].after) =
                speed;
        }
    }
    if (status == SF_OK) {
        sf_uniform_loads(routing->network, routing->routes, loads);
        speed = speed_of(loads, loads, n_arcs);
        *(is_before ? &routes->slowest.before : &routes->slowest.after) =
            slowest;
        *(is_before ? &routes->uniform.before : &routes->uniform.after) =
            speed;
    }
    free(loads);
    free(total);
    return status;
}

/* What jobs get of routes that are as they were before a restart. */
static enum sf_status
measure_kept(struct sf_plugin_jobs *jobs, const struct sf_engine *engine,
             struct sf_error *err)
{
    sf_job_routes_clear(&jobs->routes);
    jobs->routes.n_jobs = jobs->jobs->n_jobs;
    jobs->routes.jobs =
        sf_calloc(jobs->jobs->n_jobs, sizeof *jobs->routes.jobs);
    if (!jobs->routes.jobs) {
        return sf_fail(err, SF_ENOMEM, "out of memory for jobs");
    }
    enum sf_status status = measure(jobs, sf_engine_plain(engine), true, err);
    return status == SF_OK
               ? measure(jobs, sf_engine_routing(engine), false, err)
               : status;
}

/* Makes the routes fit the jobs, unless they do. */
static enum sf_status
fit(struct sf_plugin_jobs *jobs, struct sf_engine *engine, uint64_t seed,
    struct sf_error *err)
{
    struct sf_job_routes_params params = { .seed = seed,
                                           .keeps_minimal =
                                               jobs->keeps_minimal };
    uint64_t text = hash_asked(jobs);
    bool is_kept = jobs->hops.plain == jobs->plain && jobs->hops.jobs == text;
    bool is_current = jobs->hops.n == 0 ||
                      sf_engine_routing(engine) != sf_engine_plain(engine);
    enum sf_status status = SF_OK;

    if (is_kept && is_current && jobs->routes.jobs) {
        return SF_OK;
    }
    if (is_kept) {
        status =
            is_current ? SF_OK : sf_engine_restore(engine, &jobs->hops, err);
        return status == SF_OK ? measure_kept(jobs, engine, err) : status;
    }
    sf_job_routes_clear(&jobs->routes);
    jobs->is_new = true;
    status = sf_engine_fit(engine, jobs->jobs, &params, &jobs->hops,
                           &jobs->routes, err);
    jobs->hops.jobs = status == SF_OK ? text : 0;
    jobs->fitted_at = time(NULL);
    return status;
}

/* The jobs are not known, since the start: what routes they had stay. */
static enum sf_status
hold(struct sf_plugin_jobs *jobs, struct sf_engine *engine,
     struct sf_error *err)
{
    return jobs->hops.n > 0 &&
                   sf_engine_routing(engine) == sf_engine_plain(engine)
               ? sf_engine_restore(engine, &jobs->hops, err)
               : SF_OK;
}

/* Reads once what routes there were before a restart. */
static void
load_kept(struct sf_plugin_jobs *jobs, const char *path,
          char kept[SF_KEPT_SIZE])
{
    struct sf_error err = { 0 };

    if (!jobs->has_loaded && path[0] &&
        sf_job_hops_load(path, &jobs->hops, &err) != SF_OK) {
        snprintf(kept, SF_KEPT_SIZE,
                 "the routes for jobs of before are not known: %s", err.text);
    }
    jobs->has_loaded = true;
}

/* No file is named any more. */
static void
turn_off(struct sf_plugin_jobs *jobs, struct sf_engine *engine)
{
    bool was_on = jobs->state != SF_JOBS_NONE;

    sf_plugin_jobs_clear(jobs);
    if (was_on) {
        sf_engine_restore(engine, &jobs->hops, NULL);
    }
}

void
sf_plugin_jobs_update(struct sf_plugin_jobs *jobs, struct sf_engine *engine,
                      const struct sf_plugin_options *options,
                      char kept[SF_KEPT_SIZE])
{
    char path[SF_OPTION_SIZE + 8];
    struct sf_error err = { 0 }, problem = { 0 };
    double start = now();

    kept[0] = '\0';
    jobs->is_new = false;
    if (!options->jobs[0]) {
        turn_off(jobs, engine);
        return;
    }
    sf_plugin_jobs_kept_path(options->base, path);
    jobs->keeps_minimal = options->jobs_keep_minimal;
    snprintf(jobs->path, sizeof jobs->path, "%s", options->jobs);
    load_kept(jobs, path, kept);
    uint64_t plain = sf_job_hops_hash(sf_engine_plain(engine));
    enum sf_status held = read_jobs(jobs, engine, plain, &problem);
    enum sf_status status = jobs->jobs ? fit(jobs, engine, options->seed, &err)
                                       : hold(jobs, engine, &err);
    jobs->state = status != SF_OK ? SF_JOBS_FAILED
                  : held != SF_OK ? SF_JOBS_HELD
                                  : SF_JOBS_FITTED;
    memcpy(jobs->problem, status != SF_OK ? err.text : problem.text,
           sizeof jobs->problem);
    if (jobs->is_new) {
        jobs->seconds = now() - start;
    }
    if (jobs->is_new && status == SF_OK && path[0] &&
        sf_job_hops_save(&jobs->hops, path, &err) != SF_OK) {
        snprintf(kept, SF_KEPT_SIZE,
                 "a restart will forget the routes for jobs: %s", err.text);
    }
}

static json_t *
pack_speed(const struct sf_job_speed *speed)
{
    return json_pack("{s:f, s:f}", "before", speed->before, "after",
                     speed->after);
}

/* The jobs that are routed for. */
static json_t *
pack_list(const struct sf_plugin_jobs *jobs)
{
    json_t *list = json_array();
    uint32_t n = jobs->jobs && jobs->routes.jobs ? jobs->jobs->n_jobs : 0;

    for (uint32_t i = 0; i < n && i < MOST_LISTED; i++) {
        const struct sf_job *job = &jobs->jobs->jobs[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:I, s:f, s:f}", "name",
                                        sf_status_text(job->name), "pattern",
                                        sf_status_text(job->pattern),
                                        "n_nodes", (json_int_t)job->n_hosts,
                                        "before", jobs->routes.jobs[i].before,
                                        "after", jobs->routes.jobs[i].after));
    }
    return list;
}

json_t *
sf_plugin_jobs_pack(const struct sf_plugin_jobs *jobs)
{
    static const char *const states[] = { "none", "fitted", "held", "failed" };
    const struct sf_job_routes *routes = &jobs->routes;

    if (jobs->state == SF_JOBS_NONE) {
        return json_null();
    }
    return json_pack(
        "{s:o, s:s, s:o, s:I, s:o, s:o, s:o, s:I, s:o, s:I, s:f, s:o}", "file",
        sf_status_text(jobs->path), "state", states[jobs->state], "problem",
        jobs->problem[0] ? sf_status_text(jobs->problem) : json_null(),
        "n_jobs", (json_int_t)(jobs->jobs ? jobs->jobs->n_jobs : 0), "jobs",
        pack_list(jobs), "slowest",
        routes->jobs ? pack_speed(&routes->slowest) : json_null(), "uniform",
        routes->jobs ? pack_speed(&routes->uniform) : json_null(),
        "n_left_out", (json_int_t)jobs->strays.n, "left_out",
        jobs->strays.n ? sf_status_text(jobs->strays.first.text) : json_null(),
        "n_changed_next_hops", (json_int_t)routes->n_changed, "seconds",
        jobs->seconds, "fitted_at", sf_status_time(jobs->fitted_at));
}
