/* simulation_files.c -- the table of the files of simulations, and what their
 * writers share. */
#include "report/simulation_writers.h"

#include <math.h>

typedef bool row_fn(const struct sf_simulation_row *row);

/* Whether a row that is done has it. */
static bool
any_row(const struct sf_simulation_table *table, row_fn *has)
{
    for (uint32_t i = 0; i < table->n_rows; i++) {
        if (table->rows[i].is_done && has(&table->rows[i])) {
            return true;
        }
    }
    return false;
}

bool
sf_simulation_has_links(const struct sf_simulation_row *row)
{
    const struct sf_simulation *result = &row->result;

    return row->network && result->n_arcs && result->loads &&
           result->n_arcs == 2 * row->network->graph->n_links;
}

bool
sf_simulation_has_latency(const struct sf_simulation_row *row)
{
    return row->params.jobs.load > 0 && row->result.latency.n;
}

bool
sf_simulation_has_rates(const struct sf_simulation_row *row)
{
    for (uint32_t i = 0; i < SF_SIM_N_BINS; i++) {
        if (row->result.rates[i]) {
            return true;
        }
    }
    return false;
}

bool
sf_simulation_has_progress(const struct sf_simulation_row *row)
{
    return !(row->params.jobs.load > 0) && row->result.time > 0 &&
           row->result.arrived[SF_SIM_N_STEPS - 1] > 0;
}

static bool
has_links(const struct sf_simulation_table *table)
{
    return any_row(table, sf_simulation_has_links);
}

static bool
has_latency(const struct sf_simulation_table *table)
{
    return any_row(table, sf_simulation_has_latency);
}

static bool
has_rates(const struct sf_simulation_table *table)
{
    return any_row(table, sf_simulation_has_rates);
}

static bool
has_progress(const struct sf_simulation_table *table)
{
    return any_row(table, sf_simulation_has_progress);
}

const struct sf_simulation_file sf_simulation_files[] = {
    { "simulation.txt", "text", "a table for people", NULL,
      sf_simulation_write_text },
    { "simulation.json", "json", "everything, for programs", NULL,
      sf_simulation_write_json },
    { "simulation.csv", "csv", "one line a run", NULL,
      sf_simulation_write_csv },
    { "links.csv", NULL, "one line a run, link and VL", has_links,
      sf_simulation_write_links },
    { "latency.svg", NULL, "latency over offered load", has_latency,
      sf_simulation_draw_latency },
    { "rates.svg", NULL, "how rates are distributed", has_rates,
      sf_simulation_draw_rates },
    { "load.svg", NULL, "loads of the links between switches", has_links,
      sf_simulation_draw_load },
    { "progress.svg", NULL, "what has arrived over time", has_progress,
      sf_simulation_draw_progress },
    { NULL, NULL, NULL, NULL, NULL },
};

double
sf_simulation_load_of(const struct sf_simulation *result, uint32_t arc)
{
    double load = 0;

    for (uint32_t vl = 0; vl < result->n_vls; vl++) {
        load += result->loads[(size_t)arc * result->n_vls + vl];
    }
    return load;
}

static double
finite(double number)
{
    return isfinite(number) ? number : 0;
}

struct sf_simulation_links
sf_simulation_links_of(const struct sf_simulation *result)
{
    struct sf_simulation_links links = { .busiest = SF_NONE };
    uint32_t n = result->loads ? result->n_arcs : 0;

    for (uint32_t arc = 0; arc < n; arc++) {
        double load = finite(sf_simulation_load_of(result, arc));
        double blocked = finite(result->blocked ? result->blocked[arc] : 0);
        if (links.busiest == SF_NONE || load > links.max) {
            links.max = load;
            links.busiest = arc;
        }
        links.mean += load / n;
        links.blocked_mean += blocked / n;
        links.blocked_max = fmax(links.blocked_max, blocked);
    }
    return links;
}

uint32_t
sf_simulation_from(const struct sf_simulation_row *row, uint32_t arc)
{
    const struct sf_network *network = row->network;

    return network && arc < 2 * network->graph->n_links
               ? network->graph->arcs[network->reverse[arc]].to
               : SF_NONE;
}

uint32_t
sf_simulation_port(const struct sf_simulation_row *row, uint32_t arc)
{
    const struct sf_network *network = row->network;

    return network && network->fabric && arc < 2 * network->graph->n_links
               ? sf_network_port(network, arc)
               : 0;
}

const char *
sf_simulation_switch(const struct sf_simulation_row *row, uint32_t s,
                     char scratch[SF_SIM_NAME_SIZE])
{
    const struct sf_network *network = row->network;

    if (network && network->fabric && s < network->fabric->n_switches) {
        return network->fabric->nodes[s].name;
    }
    if (network && s < network->graph->n_nodes && network->graph->names) {
        return network->graph->names[s];
    }
    snprintf(scratch, SF_SIM_NAME_SIZE, "%u", s);
    return scratch;
}
