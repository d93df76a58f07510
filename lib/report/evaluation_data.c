/* evaluation_data.c -- evaluations for programs: claims and cells as JSON and
 * CSV, and every run as 'slimfly simulate' writes it.  The same command gives
 * the same bytes. */
#include "base/json_values.h"
#include "base/mem.h"
#include "base/origin_json.h"
#include "io/csv.h"
#include "report/evaluation_parts.h"
#include "report/simulation_writers.h"

#include <jansson.h>
#include <math.h>

/* A claim under one kind of queues. */
static json_t *
json_of_judgement(const struct sf_evaluation *ev, const struct sf_claim *claim,
                  enum sf_sim_queues queues)
{
    double figure = sf_claim_measure(ev, claim, queues);
    uint32_t counts[SF_N_EVAL_HOWS];
    json_t *cells = json_object();

    sf_claim_hows(ev, claim, queues, counts);
    for (uint32_t i = 1; i < SF_N_EVAL_HOWS; i++) {
        json_object_set_new(cells, sf_eval_how_name(i),
                            json_integer(counts[i]));
    }
    return json_pack("{s:s, s:o, s:s, s:o, s:o}", "queues",
                     sf_sim_queues_name(queues), "figure",
                     real_or_null(figure), "verdict",
                     sf_claim_verdict_name(sf_claim_judge(claim, figure)),
                     "figure_of_our_layers",
                     real_or_null(sf_claim_measure_ours(ev, claim, queues)),
                     "cells", cells);
}

static json_t *
json_of_claim(const struct sf_evaluation *ev, const struct sf_claim *claim)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    json_t *judged = json_array();

    for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
        if (params->has_queues[q]) {
            json_array_append_new(judged, json_of_judgement(ev, claim, q));
        }
    }
    return json_pack("{s:s, s:i, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "id",
                     claim->id, "line", (int)claim->line, "says", claim->says,
                     "measured", claim->measured, "rule", claim->rule,
                     "at_least", real_or_null(claim->low), "at_most",
                     real_or_null(claim->high), "judged", judged, "reason",
                     text_or_null(sf_claim_reason(ev, claim)));
}

static json_t *
json_of_networks(const struct sf_evaluation *ev)
{
    json_t *networks = json_array();

    for (uint32_t i = 0; i < sf_evaluation_params(ev)->n_networks; i++) {
        const struct sf_eval_network *network = sf_evaluation_network(ev, i);
        json_array_append_new(
            networks,
            json_pack("{s:s, s:i, s:i, s:i, s:o}", "spec", network->name,
                      "hosts", (int)network->n_hosts, "switches",
                      (int)network->n_switches, "links", (int)network->n_links,
                      "cost", real_or_null(network->cost)));
    }
    return networks;
}

/* What gains are over. */
static json_t *
json_of_reference(const struct sf_evaluation *ev)
{
    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES];

    sf_evaluation_lines(ev, lines);
    return json_pack("{s:s, s:s, s:s}", "network",
                     sf_evaluation_network(ev, 0)->name, "routing",
                     sf_eval_group_name(lines[0].group), "placement",
                     sf_evaluation_params(ev)->is_paper ? "linear" : "same");
}

/* Calls 'visit' for each cell that there is. */
static void
visit_cells(const struct sf_evaluation *ev,
            void visit(const struct sf_evaluation *ev, struct sf_eval_at at,
                       const struct sf_eval_cell *cell, void *aux),
            void *aux)
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);

    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        bool is_flow = sf_eval_kinds[k].method == SF_EVAL_BY_FLOW;
        for (uint32_t n = 0; n < sf_evaluation_n_nodes(ev, k); n++) {
            for (uint32_t z = 0; z < sf_evaluation_n_sizes(ev, k); z++) {
                for (uint32_t q = 0; q < SF_N_SIM_QUEUES; q++) {
                    struct sf_eval_at at = { k, q, n, z };
                    bool is_run =
                        is_flow ? q == SF_SIM_VOQ : params->has_queues[q];
                    for (uint32_t s = 0;
                         is_run && s < sf_evaluation_n_series(ev); s++) {
                        struct sf_eval_cell cell =
                            sf_evaluation_cell(ev, s, at);
                        if (cell.n) {
                            visit(ev, at, &cell, aux);
                        }
                    }
                }
            }
        }
    }
}

static const char *
queues_of(struct sf_eval_at at)
{
    return sf_eval_kinds[at.kind].method == SF_EVAL_BY_FLOW
               ? ""
               : sf_sim_queues_name(at.queues);
}

static void
add_cell(const struct sf_evaluation *ev, struct sf_eval_at at,
         const struct sf_eval_cell *cell, void *aux)
{
    const struct sf_eval_series *series =
        sf_evaluation_series(ev, cell->series);
    struct sf_eval_cell than =
        sf_evaluation_reference(ev, series->placement, at);
    double size = sf_evaluation_size(ev, at.kind, at.size);

    json_array_append_new(
        aux,
        json_pack(
            "{s:s, s:s, s:s, s:i, s:s, s:s, s:i, s:o, s:o, s:s, s:i, "
            "s:o, s:o, s:o, s:o}",
            "benchmark", sf_eval_kinds[at.kind].name, "network",
            sf_evaluation_network(ev, series->network)->name, "routing",
            sf_eval_group_name(series->group), "layers", (int)series->n_layers,
            "select", sf_select_name(series->select), "placement",
            sf_eval_placement_name(series->placement), "nodes",
            (int)sf_evaluation_nodes(ev, at.kind, at.node), "size_bytes",
            size > 0 ? json_integer((json_int_t)size) : json_null(), "queues",
            text_or_null(queues_of(at)), "how", sf_eval_how_name(cell->how),
            "seeds", (int)cell->n, "mean", real_or_null(cell->mean), "sd",
            real_or_null(cell->sd), "time_s",
            cell->time > 0 ? real_or_null(cell->time) : json_null(), "gain",
            real_or_null(sf_evaluation_gain(ev, cell, &than))));
}

enum sf_status
sf_evaluation_write_json(const struct sf_evaluation_report *report,
                         FILE *stream, struct sf_error *err)
{
    const struct sf_evaluation *ev = report->ev;
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    json_t *claims = json_array(), *cells = json_array();

    for (const struct sf_claim *claim = sf_claims_of_paper;
         params->is_paper && claim->id; claim++) {
        json_array_append_new(claims, json_of_claim(ev, claim));
    }
    visit_cells(ev, add_cell, cells);
    json_t *top = json_pack("{s:s, s:i}", "schema", "slimfly.evaluation",
                            "schema_version", 1);
    json_t *rest = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "equal",
        params->equal == SF_EVAL_EQUAL_COST ? "cost" : "hosts", "net",
        params->net.name, "overhead_s", real_or_null(params->overhead),
        "networks", json_of_networks(ev), "reference", json_of_reference(ev),
        "claims", claims, "cells", cells);
    bool is_fine =
        top && sf_origin_add_json(top, &report->origin) && rest &&
        json_object_update(top, rest) == 0 &&
        json_dumpf(top, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0;
    json_decref(rest);
    json_decref(top);
    fputc('\n', stream);
    return is_fine ? SF_OK
                   : sf_fail(err, SF_ENOMEM, "out of memory for results");
}

static void
write_cell(const struct sf_evaluation *ev, struct sf_eval_at at,
           const struct sf_eval_cell *cell, void *aux)
{
    const struct sf_eval_series *series =
        sf_evaluation_series(ev, cell->series);
    struct sf_eval_cell than =
        sf_evaluation_reference(ev, series->placement, at);
    double size = sf_evaluation_size(ev, at.kind, at.size);
    double gain = sf_evaluation_gain(ev, cell, &than);
    FILE *stream = aux;

    fprintf(stream, "%s,", sf_eval_kinds[at.kind].name);
    sf_csv_write(sf_evaluation_network(ev, series->network)->name, stream);
    fprintf(stream, ",%s,%u,%s,%s,%u,", sf_eval_group_name(series->group),
            series->n_layers, sf_select_name(series->select),
            sf_eval_placement_name(series->placement),
            sf_evaluation_nodes(ev, at.kind, at.node));
    if (size > 0) {
        fprintf(stream, "%.0f", size);
    }
    fprintf(stream, ",%s,%s,%u,%.9g,%.9g,", queues_of(at),
            sf_eval_how_name(cell->how), cell->n, cell->mean, cell->sd);
    if (cell->time > 0) {
        fprintf(stream, "%.9g", cell->time);
    }
    fputc(',', stream);
    if (isfinite(gain)) {
        fprintf(stream, "%.9g", gain);
    }
    fputc('\n', stream);
}

enum sf_status
sf_evaluation_write_csv(const struct sf_evaluation_report *report,
                        FILE *stream, struct sf_error *err)
{
    (void)err;
    fputs("benchmark,network,routing,layers,select,placement,nodes,size_bytes,"
          "queues,how,seeds,mean,sd,time_s,gain\n",
          stream);
    visit_cells(report->ev, write_cell, stream);
    return SF_OK;
}

static void
fill_row(const struct sf_evaluation *ev, uint32_t i,
         struct sf_simulation_row *row)
{
    /* What routes for jobs give is not kept. */
    static const struct sf_job_speed not_known = { (double)NAN, (double)NAN };
    struct sf_eval_run_facts facts;

    sf_evaluation_run_facts(ev, i, &facts);
    const struct sf_eval_run *run = facts.run;
    *row = (struct sf_simulation_row){
        .name = facts.network->name,
        .routing = facts.routing,
        .lanes = facts.lanes,
        .n_layers = facts.series->n_layers,
        .n_vls = facts.n_vls,
        .job_shares = facts.series->group == SF_EVAL_JOBS ? &not_known : NULL,
        .network = facts.network->network,
        .params = facts.params,
        .result = { .time = run->time,
                    .n_hosts = run->n_hosts,
                    .buffer = run->buffer,
                    .rate = run->rate,
                    .throughput = run->throughput,
                    .host_rate = run->host_rate,
                    .latency = run->latency,
                    .n_packets = run->n_packets,
                    .n_switch_hops = run->n_switch_hops,
                    .deadlock_time = run->deadlock_time,
                    .is_finished = run->is_finished && !run->n_cycle },
        .is_done = true,
    };
}

static enum sf_status
write_runs(const struct sf_evaluation_report *report,
           sf_simulation_writer *write, FILE *stream, struct sf_error *err)
{
    uint32_t n = sf_evaluation_n_runs(report->ev);
    struct sf_simulation_row *rows = sf_calloc(n, sizeof *rows);

    if (!rows) {
        return sf_fail(err, SF_ENOMEM, "out of memory for results");
    }
    for (uint32_t i = 0; i < n; i++) {
        fill_row(report->ev, i, &rows[i]);
    }
    struct sf_simulation_table table = { .program = report->origin.program,
                                         .command = report->origin.command,
                                         .rows = rows,
                                         .n_rows = n };
    enum sf_status status = write(&table, stream, err);
    free(rows);
    return status;
}

enum sf_status
sf_evaluation_write_runs_json(const struct sf_evaluation_report *report,
                              FILE *stream, struct sf_error *err)
{
    return write_runs(report, sf_simulation_write_json, stream, err);
}

enum sf_status
sf_evaluation_write_runs_csv(const struct sf_evaluation_report *report,
                             FILE *stream, struct sf_error *err)
{
    return write_runs(report, sf_simulation_write_csv, stream, err);
}
