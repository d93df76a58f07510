/* simulation_json.c -- simulations as JSON.  Only wall_s depends on more than
 * the command and its input. */
#include "base/json_values.h"
#include "base/mem.h"
#include "report/simulation_facts.h"
#include "report/simulation_writers.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* Bytes are whole numbers, unless someone asked for parts. */
static json_t *
json_of_bytes(double bytes)
{
    return bytes < 0x1p53 && floor(bytes) == bytes
               ? json_integer((json_int_t)bytes)
               : real_or_null(bytes);
}

/* Numbers of JSON end at 2^63 here; larger ones are texts. */
static json_t *
json_of_count(uint64_t count)
{
    char text[32];

    if (count <= INT64_MAX) {
        return json_integer((json_int_t)count);
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    return json_string(text);
}

/* JSON is UTF-8, but names and commands may be any bytes. */
static json_t *
json_of_text(const char *text)
{
    if (!text || !*text) {
        return json_null();
    }
    json_t *value = json_string(text);
    if (value) {
        return value;
    }
    size_t size = strlen(text) + 1;
    char *clean = sf_calloc(size, 1);
    if (clean) {
        sf_sim_clean(text, clean, size);
        value = json_string(clean);
    }
    free(clean);
    return value;
}

/* The first 'n' bytes of 'text', or null. */
static json_t *
json_of_part(const char *text, size_t n)
{
    char *part = sf_calloc(n + 1, 1);
    json_t *value = NULL;

    if (part) {
        memcpy(part, text, n);
        value = json_of_text(part);
    }
    free(part);
    return value;
}

/* What a row has of a fact, as text or null. */
static json_t *
json_of_fact(const struct sf_simulation_row *row, enum sf_sim_fact fact)
{
    char cell[SF_FACT_SIZE_OF_CELL];

    return json_of_text(sf_fact_of(row, fact, cell));
}

static json_t *
json_if(bool is_known, json_t *value)
{
    if (is_known) {
        return value;
    }
    json_decref(value);
    return json_null();
}

static json_t *
json_of_spread(const struct sf_sim_spread *spread)
{
    return !spread->n ? json_null()
                      : json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                                  "mean", real_or_null(spread->mean), "min",
                                  real_or_null(spread->min), "p1",
                                  real_or_null(spread->p1), "p50",
                                  real_or_null(spread->p50), "p99",
                                  real_or_null(spread->p99), "max",
                                  real_or_null(spread->max), "n",
                                  json_of_count(spread->n));
}

/* A channel as the switch and the port that it leaves by. */
static json_t *
json_of_channel(const struct sf_simulation_row *row, uint32_t s, uint32_t arc)
{
    char scratch[SF_SIM_NAME_SIZE];
    uint32_t port = sf_simulation_port(row, arc);

    return json_pack("{s:o, s:o}", "switch",
                     json_of_text(sf_simulation_switch(row, s, scratch)),
                     "port", port ? json_integer(port) : json_null());
}

static json_t *
json_of_deadlock(const struct sf_simulation_row *row)
{
    const struct sf_simulation *result = &row->result;

    if (!result->n_cycle) {
        return json_null();
    }
    json_t *channels = json_array();
    for (uint32_t i = 0; i < result->n_cycle; i++) {
        const struct sf_sim_channel *step = &result->cycle[i];
        json_t *channel = json_of_channel(row, step->s, step->arc);
        json_object_set_new(channel, "vl", json_integer(step->vl));
        json_array_append_new(channels, channel);
    }
    return json_pack("{s:o, s:o}", "at_s", real_or_null(result->deadlock_time),
                     "channels", channels);
}

static json_t *
json_of_job(const struct sf_simulation_row *row, uint32_t i)
{
    const struct sf_sim_job_result *job = &row->result.jobs[i];
    const char *name;
    size_t length = sf_sim_jobs_part(&row->params.jobs, i, &name);

    return json_pack("{s:o, s:I, s:o, s:o}", "workload",
                     json_of_part(name, length), "nodes",
                     (json_int_t)job->n_nodes, "time_s",
                     json_if(job->time > 0, real_or_null(job->time)), "rate",
                     json_of_spread(&job->rate));
}

static json_t *
json_of_jobs(const struct sf_simulation_row *row)
{
    json_t *jobs = json_array();

    for (uint32_t i = 0; i < row->result.n_jobs; i++) {
        if (json_array_append_new(jobs, json_of_job(row, i)) != 0) {
            json_decref(jobs);
            return NULL;
        }
    }
    return jobs;
}

static json_t *
json_of_links(const struct sf_simulation_row *row)
{
    struct sf_simulation_links links = sf_simulation_links_of(&row->result);
    bool has_packets = row->params.model == SF_SIM_PACKET;

    if (links.busiest == SF_NONE) {
        return json_null();
    }
    return json_pack(
        "{s:I, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)row->result.n_arcs,
        "load_mean", real_or_null(links.mean), "load_max",
        real_or_null(links.max), "blocked_mean",
        json_if(has_packets, real_or_null(links.blocked_mean)), "blocked_max",
        json_if(has_packets, real_or_null(links.blocked_max)), "busiest",
        row->network
            ? json_of_channel(row, sf_simulation_from(row, links.busiest),
                              links.busiest)
            : json_null());
}

/* What the slowest job gets by routes for jobs, and by those for all. */
static json_t *
json_of_shares(const struct sf_job_speed *shares)
{
    return shares ? json_pack("{s:o, s:o}", "before",
                              real_or_null(shares->before), "after",
                              real_or_null(shares->after))
                  : json_null();
}

/* What was run. */
static json_t *
json_of_settings(const struct sf_simulation_row *row)
{
    const struct sf_simulation_params *params = &row->params;
    const struct sf_sim_jobs *jobs = &params->jobs;
    bool has_packets = params->model == SF_SIM_PACKET;
    char cell[SF_FACT_SIZE_OF_CELL];

    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "network", json_of_fact(row, SF_FACT_NETWORK), "routing",
        json_of_fact(row, SF_FACT_ROUTING), "layers",
        json_if(row->n_layers, json_integer(row->n_layers)), "lanes",
        json_of_fact(row, SF_FACT_LANES), "vls",
        json_if(row->n_vls, json_integer(row->n_vls)), "workload",
        json_of_fact(row, SF_FACT_WORKLOAD), "nodes",
        (json_int_t)row->result.n_hosts, "placement",
        json_of_fact(row, SF_FACT_PLACEMENT), "select",
        json_of_fact(row, SF_FACT_SELECT), "seed", json_of_count(params->seed),
        "model", json_of_fact(row, SF_FACT_MODEL), "timing",
        json_of_fact(row, SF_FACT_TIMING), "queues",
        json_of_fact(row, SF_FACT_QUEUES), "buffer_bytes",
        json_if(has_packets, json_integer(params->net.buffer)),
        "buffer_packets",
        json_if(has_packets, json_integer(row->result.buffer)), "net",
        json_of_fact(row, SF_FACT_NET), "offered_load",
        json_if(jobs->load > 0, real_or_null(jobs->load)), "size_bytes",
        json_if(!(jobs->load > 0) && sf_sim_jobs_has_size(jobs),
                json_of_bytes(sf_sim_jobs_size(jobs))),
        "sl", json_of_fact(row, SF_FACT_SL), "window",
        json_if(params->window, json_integer(params->window)), "eager_bytes",
        json_if(*sf_fact_of(row, SF_FACT_EAGER, cell),
                json_of_count(params->eager)),
        "routes_for", json_of_fact(row, SF_FACT_FOR), "job_shares",
        json_of_shares(row->job_shares));
}

/* What links and adapters were taken to be like. */
static json_t *
json_of_hardware(const struct sf_simulation_row *row)
{
    const struct sf_simulation_params *params = &row->params;
    const struct sf_sim_net *net = &params->net;

    return json_pack("{s:o, s:{s:o, s:o, s:I, s:I, s:o, s:o, s:o}, s:o}",
                     "overhead_s", real_or_null(params->overhead), "hardware",
                     "rate", real_or_null(net->rate), "data_rate",
                     real_or_null(sf_sim_net_data_rate(net)), "mtu",
                     (json_int_t)net->mtu, "header", (json_int_t)net->header,
                     "switch_delay_s", real_or_null(net->switch_delay),
                     "host_delay_s", real_or_null(net->host_delay),
                     "cable_delay_s_per_m", real_or_null(net->cable_delay),
                     "cable_m",
                     json_if(!params->lengths, real_or_null(params->length)));
}

/* What came out. */
static json_t *
json_of_result(const struct sf_simulation_row *row)
{
    const struct sf_simulation *result = &row->result;
    bool has_packets = row->params.model == SF_SIM_PACKET;

    return json_pack(
        "{s:b, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "finished", (int)(result->is_finished && !result->n_cycle), "deadlock",
        json_of_deadlock(row), "saturated",
        (int)sf_simulation_is_saturated(row), "time_s",
        real_or_null(result->time), "rate", json_of_spread(&result->rate),
        "throughput", real_or_null(result->throughput), "host_rate",
        json_if(result->host_rate > 0, real_or_null(result->host_rate)),
        "latency_s", json_of_spread(&result->latency), "latency_error_s",
        json_if(result->latency.n && row->params.jobs.load > 0,
                real_or_null(result->latency_error)),
        "packets", json_if(has_packets, json_of_count(result->n_packets)),
        "switch_hops",
        json_if(has_packets, json_of_count(result->n_switch_hops)),
        "link_loads", json_of_links(row), "jobs", json_of_jobs(row), "wall_s",
        real_or_null(row->wall));
}

static json_t *
json_of_row(const struct sf_simulation_row *row)
{
    json_t *root = json_of_settings(row);
    json_t *parts[] = { json_of_hardware(row), json_of_result(row) };

    for (int i = 0; i < 2; i++) {
        if (root && (!parts[i] || json_object_update(root, parts[i]) != 0)) {
            json_decref(root);
            root = NULL;
        }
        json_decref(parts[i]);
    }
    return root;
}

enum sf_status
sf_simulation_write_json(const struct sf_simulation_table *table, FILE *stream,
                         struct sf_error *err)
{
    json_t *rows = json_array();
    bool is_complete = rows != NULL;

    for (uint32_t i = 0; i < table->n_rows; i++) {
        if (table->rows[i].is_done) {
            is_complete = json_array_append_new(
                              rows, json_of_row(&table->rows[i])) == 0 &&
                          is_complete;
        }
    }
    json_t *root =
        json_pack("{s:s, s:i, s:o, s:o, s:o}", "schema", "slimfly.simulation",
                  "schema_version", 1, "program", json_of_text(table->program),
                  "command", json_of_text(table->command), "rows", rows);
    if (!root || !is_complete) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
