/* simulation_csv.c -- simulations as lines of values: one a run, and one a
 * link and VL of each.  What is not known is empty. */
#include "io/csv.h"
#include "report/simulation_facts.h"
#include "report/simulation_writers.h"

#include <math.h>

/* Writes "X,", or "," for what is not finite. */
static void
write_real(double number, FILE *stream)
{
    if (isfinite(number)) {
        fprintf(stream, "%.9g", number);
    }
    fputc(',', stream);
}

static void
write_if(bool is_known, double number, FILE *stream)
{
    write_real(is_known ? number : (double)NAN, stream);
}

static void
write_count_if(bool is_known, uint64_t count, FILE *stream)
{
    if (is_known) {
        fprintf(stream, "%llu", (unsigned long long)count);
    }
    fputc(',', stream);
}

static void
write_fact(const struct sf_simulation_row *row, enum sf_sim_fact fact,
           FILE *stream)
{
    char cell[SF_FACT_SIZE_OF_CELL];

    sf_csv_write(sf_fact_of(row, fact, cell), stream);
    fputc(',', stream);
}

static void
write_spread(const struct sf_sim_spread *spread, FILE *stream)
{
    const double values[] = { spread->mean, spread->min, spread->p1,
                              spread->p50,  spread->p99, spread->max };

    fprintf(stream, "%llu,", (unsigned long long)spread->n);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        write_if(spread->n, values[i], stream);
    }
}

static void
write_settings(const struct sf_simulation_row *row, FILE *stream)
{
    static const enum sf_sim_fact texts[] = {
        SF_FACT_NETWORK, SF_FACT_ROUTING,  SF_FACT_LAYERS,    SF_FACT_LANES,
        SF_FACT_VLS,     SF_FACT_SL,       SF_FACT_MODEL,     SF_FACT_TIMING,
        SF_FACT_QUEUES,  SF_FACT_NET,      SF_FACT_SELECT,    SF_FACT_SEED,
        SF_FACT_WINDOW,  SF_FACT_WORKLOAD, SF_FACT_PLACEMENT,
    };
    const struct sf_simulation_params *params = &row->params;
    const struct sf_sim_jobs *jobs = &params->jobs;
    bool has_packets = params->model == SF_SIM_PACKET;
    char cell[SF_FACT_SIZE_OF_CELL];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_fact(row, texts[i], stream);
    }
    write_count_if(true, row->result.n_hosts, stream);
    write_if(!(jobs->load > 0) && sf_sim_jobs_has_size(jobs),
             sf_sim_jobs_size(jobs), stream);
    write_if(jobs->load > 0, jobs->load, stream);
    write_real(params->overhead, stream);
    write_count_if(*sf_fact_of(row, SF_FACT_EAGER, cell), params->eager,
                   stream);
    write_count_if(has_packets, params->net.buffer, stream);
    write_count_if(has_packets, row->result.buffer, stream);
}

static void
write_result(const struct sf_simulation_row *row, FILE *stream)
{
    const struct sf_simulation *result = &row->result;
    struct sf_simulation_links links = sf_simulation_links_of(result);
    bool has_packets = row->params.model == SF_SIM_PACKET;
    bool has_links = links.busiest != SF_NONE;

    fputs(result->is_finished && !result->n_cycle ? "true," : "false,",
          stream);
    fputs(sf_simulation_is_saturated(row) ? "true," : "false,", stream);
    write_if(result->n_cycle, result->deadlock_time, stream);
    write_count_if(result->n_cycle, result->n_cycle, stream);
    write_real(result->time, stream);
    write_real(result->throughput, stream);
    write_spread(&result->rate, stream);
    write_spread(&result->latency, stream);
    write_if(result->latency.n && row->params.jobs.load > 0,
             result->latency_error, stream);
    write_count_if(has_packets, result->n_packets, stream);
    write_count_if(has_packets, result->n_switch_hops, stream);
    write_if(has_links, links.mean, stream);
    write_if(has_links, links.max, stream);
    write_if(has_links && has_packets, links.blocked_mean, stream);
    write_if(has_links && has_packets, links.blocked_max, stream);
    if (result->host_rate > 0 && isfinite(result->host_rate)) {
        fprintf(stream, "%.9g", result->host_rate);
    }
}

/* Of routes for jobs, behind what stands there. */
static void
write_shares(const struct sf_simulation_row *row, FILE *stream)
{
    const struct sf_job_speed *shares = row->job_shares;

    fputc(',', stream);
    write_fact(row, SF_FACT_FOR, stream);
    write_if(shares, shares ? shares->before : 0, stream);
    if (shares && isfinite(shares->after)) {
        fprintf(stream, "%.9g", shares->after);
    }
}

/* The number of a run is that of its line, from 1. */
enum sf_status
sf_simulation_write_csv(const struct sf_simulation_table *table, FILE *stream,
                        struct sf_error *err)
{
    uint32_t number = 0;

    (void)err;
    fputs("row,network,routing,layers,lanes,vls,sl,model,timing,queues,net,"
          "select,"
          "seed,window,workload,placement,nodes,size_bytes,offered_load,"
          "overhead_s,eager_bytes,buffer_bytes,buffer_packets,finished,"
          "saturated,"
          "deadlock_s,deadlock_channels,time_s,throughput,rate_n,rate_mean,"
          "rate_min,"
          "rate_p1,rate_p50,rate_p99,rate_max,latency_n,latency_mean_s,"
          "latency_min_s,latency_p1_s,latency_p50_s,latency_p99_s,"
          "latency_max_s,latency_error_s,packets,switch_hops,link_load_mean,"
          "link_load_max,link_blocked_mean,link_blocked_max,host_rate,"
          "routes_for,job_share_before,job_share_after\n",
          stream);
    for (uint32_t i = 0; i < table->n_rows; i++) {
        if (table->rows[i].is_done) {
            fprintf(stream, "%u,", ++number);
            write_settings(&table->rows[i], stream);
            write_result(&table->rows[i], stream);
            write_shares(&table->rows[i], stream);
            fputc('\n', stream);
        }
    }
    return SF_OK;
}

/* Writes "SWITCH,PORT," of the end that 'arc' leaves by. */
static void
write_end(const struct sf_simulation_row *row, uint32_t arc, FILE *stream)
{
    char scratch[SF_SIM_NAME_SIZE];
    uint32_t port = sf_simulation_port(row, arc);

    sf_csv_write(
        sf_simulation_switch(row, sf_simulation_from(row, arc), scratch),
        stream);
    fputc(',', stream);
    write_count_if(port, port, stream);
}

static void
write_links(const struct sf_simulation_row *row, uint32_t number, FILE *stream)
{
    const struct sf_simulation *result = &row->result;

    for (uint32_t arc = 0; arc < result->n_arcs; arc++) {
        for (uint32_t vl = 0; vl < result->n_vls; vl++) {
            fprintf(stream, "%u,", number);
            write_end(row, arc, stream);
            write_end(row, row->network->reverse[arc], stream);
            fprintf(stream, "%u,", vl);
            write_real(result->loads[(size_t)arc * result->n_vls + vl],
                       stream);
            if (row->params.model == SF_SIM_PACKET && result->blocked &&
                isfinite(result->blocked[arc])) {
                fprintf(stream, "%.9g", result->blocked[arc]);
            }
            fputc('\n', stream);
        }
    }
}

enum sf_status
sf_simulation_write_links(const struct sf_simulation_table *table,
                          FILE *stream, struct sf_error *err)
{
    uint32_t number = 0;

    (void)err;
    fputs("row,switch,port,peer,peer_port,vl,load,blocked\n", stream);
    for (uint32_t i = 0; i < table->n_rows; i++) {
        number += table->rows[i].is_done;
        if (table->rows[i].is_done &&
            sf_simulation_has_links(&table->rows[i])) {
            write_links(&table->rows[i], number, stream);
        }
    }
    return SF_OK;
}
