/* simulation_kept.c -- single results of simulations as JSON, written and read
 * back with the same numbers to the last bit. */
#include "base/json_reader.h"
#include "base/json_values.h"
#include "base/mem.h"
#include "slimfly/service.h"
#include "slimfly/simulation_files.h"

#include <math.h>
#include <string.h>

#define REALS JSON_REAL_PRECISION(17) /* So that they are read as such. */

#define MAX_SETTINGS 65536

static json_t *
json_of_reals(const double *reals, size_t n)
{
    json_t *array = json_array();

    for (size_t i = 0; array && i < n; i++) {
        if (json_array_append_new(array, real_or_null(reals[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

/* The count and the reals of a spread, in the order of the struct. */
static json_t *
json_of_spread(const struct sf_sim_spread *spread)
{
    return json_pack("[I, o, o, o, o, o, o]", (json_int_t)spread->n,
                     real_or_null(spread->mean), real_or_null(spread->min),
                     real_or_null(spread->p1), real_or_null(spread->p50),
                     real_or_null(spread->p99), real_or_null(spread->max));
}

/* Appends 'item' to 'array'; frees it and makes it NULL if that fails. */
static json_t *
append(json_t *array, json_t *item)
{
    if (json_array_append_new(array, item) != 0) {
        json_decref(array);
        return NULL;
    }
    return array;
}

static json_t *
json_of_cycle(const struct sf_simulation *result)
{
    json_t *cycle = json_array();

    for (uint32_t i = 0; i < result->n_cycle; i++) {
        const struct sf_sim_channel *channel = &result->cycle[i];
        cycle = append(cycle, json_pack("[I, I, I]", (json_int_t)channel->s,
                                        (json_int_t)channel->arc,
                                        (json_int_t)channel->vl));
    }
    return cycle;
}

static json_t *
json_of_jobs(const struct sf_simulation *result)
{
    json_t *jobs = json_array();

    for (uint32_t i = 0; i < result->n_jobs; i++) {
        const struct sf_sim_job_result *job = &result->jobs[i];
        jobs = append(jobs, json_pack("{s:I, s:o, s:o}", "nodes",
                                      (json_int_t)job->n_nodes, "time",
                                      real_or_null(job->time), "rate",
                                      json_of_spread(&job->rate)));
    }
    return jobs;
}

static json_t *
json_of_bins(const struct sf_simulation *result)
{
    json_t *bins = json_array();

    for (uint32_t i = 0; i < SF_SIM_N_BINS; i++) {
        bins = append(bins, json_integer((json_int_t)result->rates[i]));
    }
    return bins;
}

enum sf_status
sf_simulation_write(const char *settings, const struct sf_simulation *result,
                    FILE *stream, struct sf_error *err)
{
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:b, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:I, "
        "s:I, "
        "s:o, "
        "s:o, s:o, s:I, s:o, s:o, s:o, s:o}",
        "schema", "slimfly.simulated", "schema_version", 1, "settings",
        settings, "finished", (int)result->is_finished, "time",
        real_or_null(result->time), "hosts", (json_int_t)result->n_hosts,
        "buffer", (json_int_t)result->buffer, "rate",
        json_of_spread(&result->rate), "throughput",
        real_or_null(result->throughput), "host_rate",
        real_or_null(result->host_rate), "latency",
        json_of_spread(&result->latency), "latency_error",
        real_or_null(result->latency_error), "packets",
        (json_int_t)result->n_packets, "switch_hops",
        (json_int_t)result->n_switch_hops, "deadlock_time",
        real_or_null(result->deadlock_time), "cycle", json_of_cycle(result),
        "jobs", json_of_jobs(result), "vls", (json_int_t)result->n_vls,
        "loads",
        json_of_reals(result->loads, (size_t)result->n_arcs * result->n_vls),
        "blocked", json_of_reals(result->blocked, result->n_arcs), "rates",
        json_of_bins(result), "arrived",
        json_of_reals(result->arrived, SF_SIM_N_STEPS));

    if (!root) {
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_COMPACT | REALS);
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

static uint64_t
read_count(struct sf_json_reader *reader, const json_t *value,
           const char *what, uint64_t max)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (uint64_t)json_integer_value(value) > max) {
        sf_json_refuse(reader, "%s: expected a count", what);
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

static uint32_t
read_number(struct sf_json_reader *reader, const json_t *value,
            const char *what)
{
    return (uint32_t)read_count(reader, value, what, UINT32_MAX);
}

static double
read_real(struct sf_json_reader *reader, const json_t *value, const char *what)
{
    if (!json_is_number(value) && !json_is_null(value)) {
        sf_json_refuse(reader, "%s: expected a number or null", what);
    }
    return json_is_null(value) ? (double)INFINITY : json_number_value(value);
}

static bool
read_flag(struct sf_json_reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_boolean(value)) {
        sf_json_refuse(reader, "%s: expected true or false", key);
    }
    return json_is_true(value);
}

/* Reads exactly 'n' reals. */
static void
read_reals(struct sf_json_reader *reader, const json_t *object,
           const char *key, size_t n, double *reals)
{
    const json_t *array = sf_json_array(reader, object, key);

    if (json_array_size(array) != n) {
        sf_json_refuse(reader, "%s: expected %zu numbers", key, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        reals[i] = read_real(reader, json_array_get(array, i), key);
    }
}

static void
read_spread(struct sf_json_reader *reader, const json_t *array,
            const char *what, struct sf_sim_spread *spread)
{
    double *const reals[] = { &spread->mean, &spread->min, &spread->p1,
                              &spread->p50,  &spread->p99, &spread->max };

    if (json_array_size(array) != 1 + sizeof reals / sizeof *reals) {
        sf_json_refuse(reader, "%s: expected a count and 6 numbers", what);
        return;
    }
    spread->n = read_count(reader, json_array_get(array, 0), what, INT64_MAX);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        *reals[i] = read_real(reader, json_array_get(array, i + 1), what);
    }
}

/* An array as long as member 'key', whose length it also says. */
static void *
make_room(struct sf_json_reader *reader, const json_t *object, const char *key,
          size_t item_size, uint32_t *np)
{
    size_t n = json_array_size(sf_json_array(reader, object, key));
    void *items = NULL;

    if (n > UINT32_MAX) {
        sf_json_refuse(reader, "%s: too many", key);
    } else if (!reader->status) {
        items = sf_calloc(n, item_size);
        *np = (uint32_t)n;
    }
    if (!items) {
        *np = 0;
        sf_json_fail_memory(reader);
    }
    return items;
}

static void
read_links(struct sf_json_reader *reader, const json_t *root,
           struct sf_simulation *result)
{
    uint32_t n_loads;

    result->n_vls = sf_json_number(reader, root, "", "vls", 0, SF_MAX_VLS + 1);
    result->blocked = make_room(reader, root, "blocked",
                                sizeof *result->blocked, &result->n_arcs);
    result->loads =
        make_room(reader, root, "loads", sizeof *result->loads, &n_loads);
    if (reader->status) {
        return;
    }
    if (n_loads != (uint64_t)result->n_arcs * result->n_vls) {
        sf_json_refuse(reader, "loads: expected one for each link and VL");
        return;
    }
    read_reals(reader, root, "blocked", result->n_arcs, result->blocked);
    read_reals(reader, root, "loads", n_loads, result->loads);
}

static void
read_cycle(struct sf_json_reader *reader, const json_t *root,
           struct sf_simulation *result)
{
    const json_t *array = json_object_get(root, "cycle");

    result->cycle = make_room(reader, root, "cycle", sizeof *result->cycle,
                              &result->n_cycle);
    for (uint32_t i = 0; i < result->n_cycle; i++) {
        const json_t *item = json_array_get(array, i);
        struct sf_sim_channel *channel = &result->cycle[i];
        channel->s = read_number(reader, json_array_get(item, 0), "cycle");
        channel->arc = read_number(reader, json_array_get(item, 1), "cycle");
        channel->vl = read_number(reader, json_array_get(item, 2), "cycle");
    }
}

static void
read_jobs(struct sf_json_reader *reader, const json_t *root,
          struct sf_simulation *result)
{
    const json_t *array = json_object_get(root, "jobs");

    result->jobs =
        make_room(reader, root, "jobs", sizeof *result->jobs, &result->n_jobs);
    for (uint32_t i = 0; i < result->n_jobs; i++) {
        const json_t *item = json_array_get(array, i);
        struct sf_sim_job_result *job = &result->jobs[i];
        job->n_nodes =
            read_number(reader, json_object_get(item, "nodes"), "jobs.nodes");
        job->time =
            read_real(reader, json_object_get(item, "time"), "jobs.time");
        read_spread(reader, json_object_get(item, "rate"), "jobs.rate",
                    &job->rate);
    }
}

static void
read_bins(struct sf_json_reader *reader, const json_t *root,
          struct sf_simulation *result)
{
    const json_t *array = sf_json_array(reader, root, "rates");

    if (json_array_size(array) != SF_SIM_N_BINS) {
        sf_json_refuse(reader, "rates: expected %d counts", SF_SIM_N_BINS);
        return;
    }
    for (uint32_t i = 0; i < SF_SIM_N_BINS; i++) {
        result->rates[i] =
            read_count(reader, json_array_get(array, i), "rates", INT64_MAX);
    }
}

static void
read_numbers(struct sf_json_reader *reader, const json_t *root,
             struct sf_simulation *result)
{
    result->is_finished = read_flag(reader, root, "finished");
    result->time = read_real(reader, json_object_get(root, "time"), "time");
    result->n_hosts =
        read_number(reader, json_object_get(root, "hosts"), "hosts");
    result->buffer =
        read_number(reader, json_object_get(root, "buffer"), "buffer");
    read_spread(reader, json_object_get(root, "rate"), "rate", &result->rate);
    result->host_rate =
        read_real(reader, json_object_get(root, "host_rate"), "host_rate");
    result->throughput =
        read_real(reader, json_object_get(root, "throughput"), "throughput");
    read_spread(reader, json_object_get(root, "latency"), "latency",
                &result->latency);
    result->latency_error = read_real(
        reader, json_object_get(root, "latency_error"), "latency_error");
    result->n_packets = read_count(reader, json_object_get(root, "packets"),
                                   "packets", INT64_MAX);
    result->n_switch_hops =
        read_count(reader, json_object_get(root, "switch_hops"), "switch_hops",
                   INT64_MAX);
    result->deadlock_time = read_real(
        reader, json_object_get(root, "deadlock_time"), "deadlock_time");
}

static void
read_result(struct sf_json_reader *reader, const json_t *root,
            const char *settings, struct sf_simulation *result)
{
    if (strcmp(sf_json_text(reader, root, "", "schema", 40),
               "slimfly.simulated") != 0) {
        sf_json_refuse(reader, "schema: expected \"slimfly.simulated\"");
        return;
    }
    sf_json_number(reader, root, "", "schema_version", 1, 1);
    if (strcmp(sf_json_text(reader, root, "", "settings", MAX_SETTINGS),
               settings) != 0) {
        sf_json_refuse(reader, "settings: those of something else");
        return;
    }
    read_numbers(reader, root, result);
    read_cycle(reader, root, result);
    read_jobs(reader, root, result);
    read_links(reader, root, result);
    read_bins(reader, root, result);
    read_reals(reader, root, "arrived", SF_SIM_N_STEPS, result->arrived);
}

enum sf_status
sf_simulation_parse(const char *text, size_t length, const char *path,
                    const char *settings, struct sf_simulation *result,
                    struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    *result = (struct sf_simulation){ 0 };
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s: %s", path, problem.text);
    }
    read_result(&reader, root, settings, result);
    json_decref(root);
    if (reader.status != SF_OK) {
        sf_simulation_clear(result);
    }
    return reader.status;
}
