/* pieces.c -- what is run as a whole, and kept. */
#define _POSIX_C_SOURCE 200809L
#include "base/hash.h"
#include "base/mem.h"
#include "base/results_number.h"
#include "eval/eval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *
placement_word(enum sf_eval_placement placement)
{
    return placement == SF_EVAL_RANDOM ? "random" : "racks";
}

size_t
sf_eval_piece_slot(const struct sf_evaluation *ev, uint32_t series,
                   struct sf_eval_at at, uint32_t seed)
{
    size_t slot = series;

    slot = slot * SF_EVAL_MAX_KINDS + at.kind;
    slot = slot * SF_EVAL_MAX_NODES + at.node;
    slot = slot * SF_N_SIM_QUEUES + at.queues;
    return slot * ev->params.n_seeds + seed;
}

/* Whether seed number 'seed' of a series makes a difference to a kind. */
static bool
has_effect(const struct sf_evaluation *ev, const struct sf_eval_series *series,
           const struct sf_eval_kind *kind, uint32_t seed)
{
    const struct sf_eval_routing *first = sf_eval_routing_find(ev, series, 0);
    const struct sf_eval_routing *this =
        sf_eval_routing_find(ev, series, seed);

    return seed == 0 || kind->is_random ||
           series->placement == SF_EVAL_RANDOM ||
           series->select == SF_SELECT_RANDOM ||
           series->group == SF_EVAL_JOBS ||
           first->source.identity != this->source.identity;
}

static bool
is_wanted(const struct sf_evaluation *ev, const struct sf_eval_series *series,
          const struct sf_eval_kind *kind, uint32_t seed)
{
    const struct sf_eval_params *params = &ev->params;
    uint32_t only = params->layers[0];

    for (uint32_t i = 0; i < params->n_layers; i++) {
        only = params->layers[i] == 4 ? 4 : only;
    }
    if (*series->left_out || (kind->max_seeds && seed >= kind->max_seeds) ||
        (kind->has_one_count && series->n_layers > 1 &&
         series->n_layers != only)) {
        return false;
    }
    return has_effect(ev, series, kind, seed);
}

static struct sf_eval_fit *
find_fit(struct sf_evaluation *ev, const struct sf_eval_routing *base,
         enum sf_eval_placement placement, uint32_t n_nodes)
{
    for (uint32_t i = 0; i < ev->n_fits; i++) {
        struct sf_eval_fit *fit = &ev->fits[i];
        if (fit->base == base && fit->placement == placement &&
            fit->n_nodes == n_nodes) {
            return fit;
        }
    }
    struct sf_eval_fit *fit = &ev->fits[ev->n_fits++];
    *fit = (struct sf_eval_fit){ .base = base,
                                 .placement = placement,
                                 .n_nodes = n_nodes };
    pthread_mutex_init(&fit->lock, NULL);
    return fit;
}

/* How long a piece takes, in packets by events on one core. */
#define PACKETS_A_SECOND 600000.0
static uint64_t
weigh(const struct sf_evaluation *ev, const struct sf_eval_piece *piece)
{
    const struct sf_eval_kind *kind = &sf_eval_kinds[piece->kind];
    const struct sf_eval_series *series = &ev->series[piece->series];
    const struct sf_eval_sizes *sizes = &ev->sizes[piece->kind][piece->node];
    double n = 2000, per_queue = piece->queues == SF_SIM_FIFO ? 1.5 : 1;
    double parts = series->select == SF_SELECT_STRIPE ? series->n_layers : 1;

    if (kind->method == SF_EVAL_BY_FLOW) {
        n += PACKETS_A_SECOND * kind->ops->seconds * (0.3 + parts) *
             pow(piece->n_nodes / 200.0, 2);
    } else if (kind->method == SF_EVAL_BY_RATE) {
        n += (double)piece->n_nodes * 256 * 8 * per_queue;
    } else if (kind->method == SF_EVAL_BY_SCALE) {
        n += 1.2 * (double)ev->params.max_packets * per_queue;
    }
    for (uint32_t i = 0; i < sizes->n; i++) {
        if (sizes->hows[i] == SF_EVAL_EVENTS) {
            n +=
                per_queue * kind->ops->packets(piece->n_nodes, sizes->sizes[i],
                                               ev->params.net.mtu);
        }
    }
    return (uint64_t)n;
}

static bool
is_simulated(enum sf_eval_how how)
{
    return how == SF_EVAL_EVENTS || how == SF_EVAL_SLOTS ||
           how == SF_EVAL_FLOW;
}

static enum sf_status
add_piece(struct sf_evaluation *ev, uint32_t series_number,
          struct sf_eval_at at, uint32_t seed, struct sf_error *err)
{
    const struct sf_eval_series *series = &ev->series[series_number];
    const struct sf_eval_kind *kind = &sf_eval_kinds[at.kind];
    const struct sf_eval_sizes *sizes = &ev->sizes[at.kind][at.node];
    struct sf_eval_piece *piece = &ev->pieces[ev->n_pieces];

    *piece = (struct sf_eval_piece){
        .series = series_number,
        .kind = at.kind,
        .seed = seed,
        .node = at.node,
        .queues = at.queues,
        .n_nodes = ev->nodes[at.kind][at.node],
        .routing = sf_eval_routing_find(ev, series, seed),
    };
    snprintf(piece->nodes_text, sizeof piece->nodes_text, "%u",
             piece->n_nodes);
    kind->ops->spec(piece->n_nodes, ev->params.max_packets, piece->spec);
    if (series->group == SF_EVAL_JOBS) {
        piece->fit =
            find_fit(ev, piece->routing, series->placement, piece->n_nodes);
    }
    for (uint32_t i = 0; i < sizes->n; i++) {
        piece->n_runs += is_simulated(sizes->hows[i]);
    }
    piece->runs = sf_calloc(piece->n_runs, sizeof *piece->runs);
    if (!piece->runs) {
        return sf_fail(err, SF_ENOMEM, "out of memory for an evaluation");
    }
    for (uint32_t i = 0, n = 0; i < sizes->n; i++) {
        if (is_simulated(sizes->hows[i])) {
            piece->runs[n++].size = sizes->sizes[i];
        }
    }
    piece->multiple =
        kind->ops->multiple
            ? kind->ops->multiple(piece->n_nodes, ev->params.max_packets)
            : 1;
    piece->weight = weigh(ev, piece);
    ev->piece_at[sf_eval_piece_slot(ev, series_number, at, seed)] =
        ev->n_pieces++;
    return SF_OK;
}

/* Flows know no queues: they are run once. */
static bool
has_queues(const struct sf_evaluation *ev, const struct sf_eval_kind *kind,
           uint32_t queues)
{
    return kind->method == SF_EVAL_BY_FLOW ? queues == SF_SIM_VOQ
                                           : ev->params.has_queues[queues];
}

static enum sf_status
add_series(struct sf_evaluation *ev, uint32_t series, uint32_t seed,
           struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        const struct sf_eval_kind *kind = &sf_eval_kinds[k];
        if (!is_wanted(ev, &ev->series[series], kind, seed)) {
            continue;
        }
        for (uint32_t i = 0; i < ev->n_nodes[k]; i++) {
            for (uint32_t q = 0; status == SF_OK && q < SF_N_SIM_QUEUES; q++) {
                struct sf_eval_at at = { k, q, i, 0 };
                if (has_queues(ev, kind, q)) {
                    status = add_piece(ev, series, at, seed, err);
                }
            }
        }
    }
    return status;
}

static enum sf_status
make_room(struct sf_evaluation *ev, struct sf_error *err)
{
    size_t n = (size_t)ev->n_series * SF_EVAL_MAX_KINDS * SF_EVAL_MAX_NODES *
               SF_N_SIM_QUEUES * ev->params.n_seeds;

    ev->piece_at = sf_calloc(n, sizeof *ev->piece_at);
    ev->pieces = sf_calloc(n, sizeof *ev->pieces);
    ev->fits = sf_calloc(n, sizeof *ev->fits);
    if (!ev->piece_at || !ev->pieces || !ev->fits) {
        return sf_fail(err, SF_ENOMEM, "out of memory for an evaluation");
    }
    for (size_t i = 0; i < n; i++) {
        ev->piece_at[i] = SF_NONE;
    }
    return SF_OK;
}

enum sf_status
sf_eval_pieces_build(struct sf_evaluation *ev, struct sf_error *err)
{
    enum sf_status status = make_room(ev, err);

    for (uint32_t i = 0; status == SF_OK && i < ev->n_series; i++) {
        for (uint32_t k = 0; status == SF_OK && k < ev->params.n_seeds; k++) {
            status = add_series(ev, i, k, err);
        }
    }
    return status;
}

void
sf_eval_piece_params(const struct sf_evaluation *ev,
                     const struct sf_eval_piece *piece, uint32_t i,
                     struct sf_simulation_params *params)
{
    const struct sf_eval_params *common = &ev->params;
    const struct sf_eval_kind *kind = &sf_eval_kinds[piece->kind];
    const struct sf_eval_series *series = &ev->series[piece->series];

    *params = (struct sf_simulation_params){
        .jobs = { .workload = piece->spec,
                  .nodes = piece->nodes_text,
                  .placement = placement_word(series->placement),
                  .size = piece->runs[i].size },
        .model = kind->method == SF_EVAL_BY_FLOW ? SF_SIM_FLOW : SF_SIM_PACKET,
        .timing =
            kind->method == SF_EVAL_BY_SIZE ? SF_SIM_EXACT : SF_SIM_SLOTS,
        .queues = piece->queues,
        .select = series->select,
        .net = common->net,
        .eager = series->select == SF_SELECT_STRIPE ? common->eager : 0,
        .overhead = kind->method == SF_EVAL_BY_SCALE ? 0 : common->overhead,
        .lengths = ev->networks[series->network].lengths,
        .seed = common->seed + piece->seed,
    };
}

/* Hashes the lengths of cables and the sizes of runs. */
static uint64_t
hash_numbers(const struct sf_evaluation *ev, const struct sf_eval_piece *piece)
{
    const struct sf_eval_network *network =
        &ev->networks[ev->series[piece->series].network];
    uint64_t hash = SF_HASH_START;

    hash = sf_hash_bytes(hash, network->lengths,
                         network->plan->fabric->n_ports *
                             sizeof *network->lengths);
    for (uint32_t i = 0; i < piece->n_runs; i++) {
        hash = sf_hash_bytes(hash, &piece->runs[i].size,
                             sizeof piece->runs[i].size);
    }
    return hash;
}

void
sf_eval_piece_describe(const struct sf_evaluation *ev,
                       const struct sf_eval_piece *piece,
                       char text[SF_EVAL_SETTINGS_SIZE])
{
    struct sf_simulation_params params;

    sf_eval_piece_params(ev, piece, 0, &params);
    const struct sf_sim_net *net = &params.net;
    snprintf(text, SF_EVAL_SETTINGS_SIZE,
             "%s evaluation paths=%016" PRIx64 " jobs=%d runs=%u "
             "numbers=%016" PRIx64 " model=%d timing=%d queues=%d select=%d "
             "rate=%.17g mtu=%u header=%u buffer=%u switch=%.17g host=%.17g "
             "cable=%.17g eager=%" PRIu64 " overhead=%.17g seed=%" PRIu64
             " nodes=%s placement=%s workload=%s",
             SF_RESULTS_OF, piece->routing->source.identity,
             piece->fit != NULL, piece->n_runs, hash_numbers(ev, piece),
             (int)params.model, (int)params.timing, (int)params.queues,
             (int)params.select, net->rate, net->mtu, net->header, net->buffer,
             net->switch_delay, net->host_delay, net->cable_delay,
             params.eager, params.overhead, params.seed, params.jobs.nodes,
             params.jobs.placement, params.jobs.workload);
}

static void
take(struct sf_eval_run *run, const struct sf_simulation *result)
{
    run->time = result->time;
    run->throughput = result->throughput;
    run->host_rate = result->host_rate;
    run->deadlock_time = result->deadlock_time;
    run->n_cycle = result->n_cycle;
    run->n_hosts = result->n_hosts;
    run->buffer = result->buffer;
    run->is_finished = result->is_finished;
    run->n_packets = result->n_packets;
    run->n_switch_hops = result->n_switch_hops;
    run->rate = result->rate;
    run->latency = result->latency;
}

enum sf_status
sf_eval_piece_run(const struct sf_evaluation *ev, struct sf_eval_piece *piece,
                  struct sf_error *err)
{
    const struct sf_path_source *source = &piece->routing->source;
    enum sf_status status =
        piece->fit ? sf_eval_fit_source(ev, piece->fit, &source, err) : SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < piece->n_runs; i++) {
        struct sf_simulation_params params;
        struct sf_simulation result;

        sf_eval_piece_params(ev, piece, i, &params);
        status = sf_simulation_run(source, &params, &result, err);
        if (status == SF_OK) {
            take(&piece->runs[i], &result);
            sf_simulation_clear(&result);
        }
    }
    return status;
}

/* Hexadecimal floats, so that they are read back as they were. */
#define SPREAD_OUT " %" PRIu64 " %a %a %a %a %a %a"
#define SPREAD_IN  " %" SCNu64 " %la %la %la %la %la %la"
#define N_FIELDS   25
#define LINE_SIZE  800

static void
write_run(const struct sf_eval_run *run, FILE *stream)
{
    const struct sf_sim_spread *r = &run->rate, *l = &run->latency;

    fprintf(stream,
            "%a %a %a %a %a %u %u %u %d %" PRIu64
            " %" PRIu64 SPREAD_OUT SPREAD_OUT "\n",
            run->size, run->time, run->throughput, run->host_rate,
            run->deadlock_time, run->n_cycle, run->n_hosts, run->buffer,
            (int)run->is_finished, run->n_packets, run->n_switch_hops, r->n,
            r->mean, r->min, r->p1, r->p50, r->p99, r->max, l->n, l->mean,
            l->min, l->p1, l->p50, l->p99, l->max);
}

static bool
read_run(const char *line, struct sf_eval_run *run)
{
    struct sf_sim_spread *r = &run->rate, *l = &run->latency;
    int is_finished = 0;
    int n =
        sscanf(line,
               "%la %la %la %la %la %u %u %u %d %" SCNu64
               " %" SCNu64 SPREAD_IN SPREAD_IN,
               &run->size, &run->time, &run->throughput, &run->host_rate,
               &run->deadlock_time, &run->n_cycle, &run->n_hosts, &run->buffer,
               &is_finished, &run->n_packets, &run->n_switch_hops, &r->n,
               &r->mean, &r->min, &r->p1, &r->p50, &r->p99, &r->max, &l->n,
               &l->mean, &l->min, &l->p1, &l->p50, &l->p99, &l->max);

    run->is_finished = is_finished != 0;
    return n == N_FIELDS && isfinite(run->time) && run->time >= 0 &&
           isfinite(run->host_rate) && run->host_rate >= 0;
}

char *
sf_eval_piece_write(const struct sf_eval_piece *piece, const char *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (!stream) {
        return NULL;
    }
    fprintf(stream, "%s\n", settings);
    for (uint32_t i = 0; i < piece->n_runs; i++) {
        write_run(&piece->runs[i], stream);
    }
    fputs("end\n", stream);
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

bool
sf_eval_piece_read(struct sf_eval_piece *piece, const char *settings,
                   const char *text)
{
    size_t length = strlen(settings);

    if (strncmp(text, settings, length) != 0 || text[length] != '\n') {
        return false;
    }
    const char *line = text + length + 1;
    for (uint32_t i = 0; i < piece->n_runs; i++) {
        struct sf_eval_run run = { 0 };
        char copy[LINE_SIZE];
        const char *end = strchr(line, '\n');
        if (!end || end - line >= LINE_SIZE) {
            return false;
        }
        memcpy(copy, line, (size_t)(end - line));
        copy[end - line] = '\0';
        if (!read_run(copy, &run) || run.size != piece->runs[i].size) {
            return false;
        }
        piece->runs[i] = run;
        line = end + 1;
    }
    return !strcmp(line, "end\n");
}
