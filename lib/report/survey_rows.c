/* survey_rows.c -- the figures of a survey as a table: a row a figure, a
 * column a network.  Here are the rows of the networks as they are. */
#include "report/survey_rows.h"

#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void
sf_survey_begin_section(struct sf_survey_table *table, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(table->section, sizeof table->section, format, args);
    va_end(args);
}

struct sf_survey_row *
sf_survey_add_row(struct sf_survey_table *table, const char *key,
                  const char *of, const char *title, double scale, int digits)
{
    struct sf_survey_rows *rows = table->rows;
    struct sf_survey_row row = { .scale = scale, .digits = digits };

    snprintf(row.section, sizeof row.section, "%s", table->section);
    snprintf(row.title, sizeof row.title, "%s", title);
    snprintf(row.key, sizeof row.key, "%s", key);
    snprintf(row.of, sizeof row.of, "%.*s", (int)sizeof row.of - 1, of);
    for (uint32_t i = 0; i < SF_SURVEY_MAX_NETWORKS; i++) {
        row.values[i] = (double)NAN;
    }
    if (!sf_vec_push(rows, row)) {
        rows->is_out_of_memory = true;
        return NULL;
    }
    return &rows->items[rows->n - 1];
}

struct sf_survey_row *
sf_survey_add_values(struct sf_survey_table *table, const char *key,
                     const char *title, double scale, int digits,
                     sf_survey_value *value)
{
    struct sf_survey_row *row =
        sf_survey_add_row(table, key, "", title, scale, digits);

    for (uint32_t i = 0; row && i < table->survey->n_networks; i++) {
        row->values[i] = value(&table->survey->networks[i]);
    }
    return row;
}

static double
n_hosts(const struct sf_survey_network *network)
{
    return network->n_hosts;
}

static double
n_switches(const struct sf_survey_network *network)
{
    return network->n_switches;
}

static double
n_links(const struct sf_survey_network *network)
{
    return network->n_links;
}

static double
if_planned(const struct sf_survey_network *network, double value)
{
    return network->is_planned ? value : (double)NAN;
}

static double
ports(const struct sf_survey_network *network)
{
    return if_planned(network, network->figures.ports);
}

static double
radix(const struct sf_survey_network *network)
{
    return if_planned(network, network->figures.radix);
}

static double
n_cables(const struct sf_survey_network *network)
{
    return (double)network->n_links + network->n_hosts;
}

static double
n_optical(const struct sf_survey_network *network)
{
    const struct sf_candidate *figures = &network->figures;
    return if_planned(network, (double)figures->n_links_by[SF_OPTICAL] +
                                   figures->n_host_cables_by[SF_OPTICAL]);
}

static double
metres(const struct sf_survey_network *network)
{
    return if_planned(network, network->cable_metres);
}

static double
n_racks(const struct sf_survey_network *network)
{
    return network->plan ? network->plan->n_racks : (double)NAN;
}

static double
cost(const struct sf_survey_network *network)
{
    return network->is_priced ? network->figures.cost : (double)NAN;
}

static double
cost_per_host(const struct sf_survey_network *network)
{
    return cost(network) / network->n_hosts;
}

static double
watts(const struct sf_survey_network *network)
{
    return network->is_priced ? network->figures.watts : (double)NAN;
}

void
sf_survey_hosts_text(const struct sf_survey *survey,
                     char text[SF_SURVEY_TEXT_SIZE])
{
    uint32_t least = UINT32_MAX, most = 0;

    for (uint32_t i = 0; i < survey->n_networks; i++) {
        uint32_t n = survey->networks[i].n_hosts;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least < most) {
        snprintf(text, SF_SURVEY_TEXT_SIZE, "%u to %u hosts", least, most);
    } else {
        snprintf(text, SF_SURVEY_TEXT_SIZE, "%u hosts%s", most,
                 survey->n_networks > 1 ? " each" : "");
    }
}

const char *
sf_survey_rate(const struct sf_survey_network *network)
{
    return network->is_priced ? network->figures.generation->rate : NULL;
}

/* Adds what a network is called by a word. */
static void
add_words(struct sf_survey_table *table, const char *key, const char *title,
          const char *(*word)(const struct sf_survey_network *network))
{
    struct sf_survey_row *row = sf_survey_add_row(table, key, "", title, 1, 0);

    for (uint32_t i = 0; row && i < table->survey->n_networks; i++) {
        row->texts[i] = word(&table->survey->networks[i]);
    }
}

static const char *
scheme(const struct sf_survey_network *network)
{
    return network->scheme;
}

static const char *
lanes(const struct sf_survey_network *network)
{
    return network->lanes;
}

static void
add_parts(struct sf_survey_table *table)
{
    const struct sf_prices *prices = table->survey->params.prices;
    char title[SF_SURVEY_TEXT_SIZE];

    sf_survey_begin_section(table, "parts, cost and power");
    struct sf_survey_row *row =
        sf_survey_add_values(table, "hosts", "hosts", 1, 0, n_hosts);
    if (row) {
        row->is_detail = table->survey->n_hosts > 0; /* The head has them. */
    }
    sf_survey_add_values(table, "switches", "switches", 1, 0, n_switches);
    sf_survey_add_values(table, "switch_ports", "ports of a switch", 1, 0,
                         ports);
    if (prices) {
        add_words(table, "rate", "rate of a link", sf_survey_rate);
    }
    sf_survey_add_values(table, "ports_used", "ports used, most", 1, 0, radix);
    sf_survey_add_values(table, "links", "links between switches", 1, 0,
                         n_links);
    sf_survey_add_values(table, "cables", "cables, also of hosts", 1, 0,
                         n_cables);
    sf_survey_add_values(table, "optical_cables", "optical cables", 1, 0,
                         n_optical);
    sf_survey_add_values(table, "cable_metres", "length of all cables, km",
                         1e-3, 2, metres);
    sf_survey_add_values(table, "racks", "racks", 1, 0, n_racks);
    if (prices) {
        snprintf(title, sizeof title, "cost, k%.20s", prices->currency);
        sf_survey_add_values(table, "cost", title, 1e-3, 0, cost);
        snprintf(title, sizeof title, "cost for each host, %.20s",
                 prices->currency);
        sf_survey_add_values(table, "cost_per_host", title, 1, 0,
                             cost_per_host);
        sf_survey_add_values(table, "watts", "power, kW", 1e-3, 1, watts);
    }
}

static const struct sf_path_metrics *
metrics_of(const struct sf_survey_network *network)
{
    return network->comparison->results[0].metrics;
}

static double
mean_hops(const struct sf_survey_network *network)
{
    return sf_histogram_mean(&metrics_of(network)->by[SF_PATH_HOPS]);
}

static double
longest(const struct sf_survey_network *network)
{
    return (double)sf_histogram_max(&metrics_of(network)->by[SF_PATH_HOPS]);
}

static double
disjoint(const struct sf_survey_network *network)
{
    return sf_histogram_mean(&metrics_of(network)->by[SF_PATH_DISJOINT]);
}

static double
shortest(const struct sf_survey_network *network)
{
    return network->figures.average_distance;
}

static double
bisection_at_most(const struct sf_survey_network *network)
{
    return sf_candidate_bisection_at_most(&network->figures);
}

static double
bisection_at_least(const struct sf_survey_network *network)
{
    return sf_candidate_bisection_at_least(&network->figures);
}

static double
n_vls(const struct sf_survey_network *network)
{
    return network->n_vls;
}

static void
add_paths(struct sf_survey_table *table)
{
    sf_survey_begin_section(table, "paths");
    add_words(table, "routing", "routing", scheme);
    add_words(table, "lanes", "virtual lanes by", lanes);
    sf_survey_add_values(table, "vls", "virtual lanes", 1, 0, n_vls);
    sf_survey_add_values(table, "mean_distance",
                         "hops of shortest paths, mean", 1, 2, shortest);
    sf_survey_add_values(table, "mean_hops", "hops of paths, mean", 1, 2,
                         mean_hops);
    sf_survey_add_values(table, "longest_path", "hops of paths, most", 1, 0,
                         longest);
    sf_survey_add_values(table, "disjoint_paths",
                         "disjoint paths of a pair, mean", 1, 2, disjoint);
    sf_survey_add_values(table, "bisection_at_most",
                         "bisection, links for a host, at most", 1, 2,
                         bisection_at_most);
    struct sf_survey_row *row = sf_survey_add_values(
        table, "bisection_at_least", "bisection, links for a host, at least",
        1, 2, bisection_at_least);
    if (row) {
        row->is_detail = true;
    }
}

static void
add_throughputs(struct sf_survey_table *table)
{
    const struct sf_survey *survey = table->survey;
    bool by_cost = survey->params.equal == SF_SURVEY_EQUAL_COST;
    char title[SF_SURVEY_TEXT_SIZE];

    for (uint32_t worth = 0; worth < (by_cost ? 2 : 1); worth++) {
        if (worth) {
            sf_survey_begin_section(
                table, "throughput: hosts at full rate for each million %.20s",
                survey->params.prices->currency);
        } else {
            sf_survey_begin_section(table,
                                    "throughput: %% of the hosts' rate");
        }
        for (uint32_t k = 0; k < survey->params.n_traffics; k++) {
            for (uint32_t s = SF_N_SPLITS; s-- > 0;) {
                const char *traffic = survey->params.traffics[k];
                char key[SF_SURVEY_TEXT_SIZE];
                snprintf(key, sizeof key, "throughput_%s%s",
                         sf_comparison_split_name(s),
                         worth ? "_per_million" : "");
                snprintf(title, sizeof title, "%.24s, %s", traffic,
                         s == SF_SPLIT_EQUAL ? "equal" : "best");
                struct sf_survey_row *row =
                    sf_survey_add_row(table, key, traffic, title,
                                      worth ? 1 : 100, worth ? 0 : 1);
                for (uint32_t i = 0; row && i < survey->n_networks; i++) {
                    const struct sf_survey_network *network =
                        &survey->networks[i];
                    double carried = sf_survey_throughput(network, s, k);
                    row->values[i] =
                        worth ? sf_survey_worth(survey, network, carried)
                              : carried;
                }
            }
        }
    }
}

static double
low_latency(const struct sf_survey_network *network)
{
    return network->slow.result.latency.mean;
}

static double
low_latency_p99(const struct sf_survey_network *network)
{
    return network->slow.result.latency.p99;
}

static double
taken(const struct sf_survey_network *network)
{
    return sf_survey_saturation(network).taken;
}

static double
refused(const struct sf_survey_network *network)
{
    return sf_survey_saturation(network).refused;
}

static double
accepted(const struct sf_survey_network *network)
{
    return sf_survey_saturation(network).accepted;
}

static void
add_simulations(struct sf_survey_table *table)
{
    const struct sf_survey *survey = table->survey;
    struct sf_survey_row *row;

    if (survey->params.without_simulation) {
        return;
    }
    sf_survey_begin_section(table, "uniform load, packet by packet");
    sf_survey_add_values(table, "latency_s",
                         "latency at 10 %, with all delays, us", 1e6, 2,
                         low_latency);
    sf_survey_add_values(table, "latency_p99_s",
                         "99 % of packets at 10 % within, us", 1e6, 2,
                         low_latency_p99);
    sf_survey_add_values(table, "load_taken", "load that it takes in full, %",
                         100, 0, taken);
    row = sf_survey_add_values(table, "load_refused",
                               "load that is too much, %", 100, 0, refused);
    if (row) {
        row->is_detail = true;
    }
    sf_survey_add_values(table, "accepted_at_full_load",
                         "what arrives at full load, %", 100, 0, accepted);
    if (survey->params.equal == SF_SURVEY_EQUAL_COST) {
        row = sf_survey_add_row(table, "load_taken_per_million", "",
                                "hosts at that load for a million", 1, 0);
        for (uint32_t i = 0; row && i < survey->n_networks; i++) {
            row->values[i] = sf_survey_worth(survey, &survey->networks[i],
                                             taken(&survey->networks[i]));
        }
    }
}

enum sf_status
sf_survey_rows_make(const struct sf_survey *survey,
                    struct sf_survey_rows *rows, struct sf_error *err)
{
    struct sf_survey_table table = { .survey = survey, .rows = rows };

    *rows = (struct sf_survey_rows){ 0 };
    add_parts(&table);
    add_paths(&table);
    add_throughputs(&table);
    add_simulations(&table);
    sf_survey_add_failures(&table);
    return rows->is_out_of_memory
               ? sf_fail(err, SF_ENOMEM, "out of memory for a table")
               : SF_OK;
}
