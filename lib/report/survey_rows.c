/* survey_rows.c -- the figures of a survey as a table: a row a figure, a
 * column a network. */
#include "base/mem.h"
#include "report/survey_writers.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Rows in the making. */
struct table {
    const struct sf_survey *survey;
    struct sf_survey_rows *rows;
    char section[SF_SURVEY_TEXT_SIZE];
};

static void begin_section(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void
begin_section(struct table *table, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(table->section, sizeof table->section, format, args);
    va_end(args);
}

/* A row without values; NULL if memory ran out. */
static struct sf_survey_row *
add(struct table *table, const char *key, const char *of, const char *title,
    double scale, int digits)
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

/* What is known of each network by itself. */
typedef double value_fn(const struct sf_survey_network *network);

static struct sf_survey_row *
add_values(struct table *table, const char *key, const char *title,
           double scale, int digits, value_fn *value)
{
    struct sf_survey_row *row = add(table, key, "", title, scale, digits);

    for (uint32_t i = 0; row && i < table->survey->n_networks; i++) {
        row->values[i] = value(&table->survey->networks[i]);
    }
    return row;
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

const char *
sf_survey_rate(const struct sf_survey_network *network)
{
    return network->is_priced ? network->figures.generation->rate : NULL;
}

/* Adds what a network is called by a word. */
static void
add_words(struct table *table, const char *key, const char *title,
          const char *(*word)(const struct sf_survey_network *network))
{
    struct sf_survey_row *row = add(table, key, "", title, 1, 0);

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
add_parts(struct table *table)
{
    const struct sf_prices *prices = table->survey->params.prices;
    char title[SF_SURVEY_TEXT_SIZE];

    begin_section(table, "parts, cost and power");
    add_values(table, "switches", "switches", 1, 0, n_switches);
    add_values(table, "switch_ports", "ports of a switch", 1, 0, ports);
    if (prices) {
        add_words(table, "rate", "rate of a link", sf_survey_rate);
    }
    add_values(table, "ports_used", "ports used, most", 1, 0, radix);
    add_values(table, "links", "links between switches", 1, 0, n_links);
    add_values(table, "cables", "cables, also of hosts", 1, 0, n_cables);
    add_values(table, "optical_cables", "optical cables", 1, 0, n_optical);
    add_values(table, "cable_metres", "length of all cables, km", 1e-3, 2,
               metres);
    add_values(table, "racks", "racks", 1, 0, n_racks);
    if (prices) {
        snprintf(title, sizeof title, "cost, k%.20s", prices->currency);
        add_values(table, "cost", title, 1e-3, 0, cost);
        snprintf(title, sizeof title, "cost for each host, %.20s",
                 prices->currency);
        add_values(table, "cost_per_host", title, 1, 0, cost_per_host);
        add_values(table, "watts", "power, kW", 1e-3, 1, watts);
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
    return if_planned(network, network->figures.average_distance);
}

static double
bisection_at_most(const struct sf_survey_network *network)
{
    return if_planned(network,
                      sf_candidate_bisection_at_most(&network->figures));
}

static double
bisection_at_least(const struct sf_survey_network *network)
{
    return if_planned(network,
                      sf_candidate_bisection_at_least(&network->figures));
}

static double
n_vls(const struct sf_survey_network *network)
{
    return network->n_vls;
}

static void
add_paths(struct table *table)
{
    begin_section(table, "paths");
    add_words(table, "routing", "routing", scheme);
    add_words(table, "lanes", "virtual lanes by", lanes);
    add_values(table, "vls", "virtual lanes", 1, 0, n_vls);
    add_values(table, "mean_distance", "hops of shortest paths, mean", 1, 2,
               shortest);
    add_values(table, "mean_hops", "hops of paths, mean", 1, 2, mean_hops);
    add_values(table, "longest_path", "hops of paths, most", 1, 0, longest);
    add_values(table, "disjoint_paths", "disjoint paths of a pair, mean", 1, 2,
               disjoint);
    add_values(table, "bisection_at_most",
               "bisection, links for a host, at most", 1, 2,
               bisection_at_most);
    struct sf_survey_row *row = add_values(
        table, "bisection_at_least", "bisection, links for a host, at least",
        1, 2, bisection_at_least);
    if (row) {
        row->is_detail = true;
    }
}

static void
add_throughputs(struct table *table)
{
    const struct sf_survey *survey = table->survey;
    bool by_cost = survey->params.equal == SF_SURVEY_EQUAL_COST;
    char title[SF_SURVEY_TEXT_SIZE];

    for (uint32_t worth = 0; worth < (by_cost ? 2 : 1); worth++) {
        if (worth) {
            begin_section(
                table, "throughput: hosts at full rate for each million %.20s",
                survey->params.prices->currency);
        } else {
            begin_section(table, "throughput: %% of the hosts' rate");
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
                    add(table, key, traffic, title, worth ? 1 : 100,
                        worth ? 0 : 1);
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
add_simulations(struct table *table)
{
    const struct sf_survey *survey = table->survey;
    struct sf_survey_row *row;

    if (survey->params.without_simulation) {
        return;
    }
    begin_section(table, "uniform load, packet by packet");
    add_values(table, "latency_s", "latency at 10 % load, us", 1e6, 2,
               low_latency);
    add_values(table, "latency_p99_s", "99 % of packets within, us", 1e6, 2,
               low_latency_p99);
    add_values(table, "load_taken", "load that it takes in full, %", 100, 0,
               taken);
    row = add_values(table, "load_refused", "load that is too much, %", 100, 0,
                     refused);
    if (row) {
        row->is_detail = true;
    }
    add_values(table, "accepted_at_full_load", "what arrives at full load, %",
               100, 0, accepted);
    if (survey->params.equal == SF_SURVEY_EQUAL_COST) {
        row = add(table, "load_taken_per_million", "",
                  "hosts at that load for a million", 1, 0);
        for (uint32_t i = 0; row && i < survey->n_networks; i++) {
            row->values[i] = sf_survey_worth(survey, &survey->networks[i],
                                             taken(&survey->networks[i]));
        }
    }
}

const struct sf_failure_point *
sf_survey_point(const struct sf_survey_network *network,
                enum sf_failure_kind kind, double share)
{
    const struct sf_failures *failures = network->failures;

    for (uint32_t i = 0; failures && i < failures->n_points; i++) {
        const struct sf_failure_point *point = &failures->points[i];
        if (point->kind == kind && fabs(point->share - share) < 1e-12) {
            return point->n_runs ? point : NULL;
        }
    }
    return NULL;
}

bool
sf_survey_has_kind(const struct sf_survey *survey, enum sf_failure_kind kind)
{
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_failures *failures = survey->networks[i].failures;
        for (uint32_t k = 0; failures && k < failures->n_points; k++) {
            if (failures->points[k].kind == kind &&
                failures->points[k].n_runs) {
                return true;
            }
        }
    }
    return false;
}

const char *
sf_survey_failed_traffic(const struct sf_survey *survey)
{
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_failures *failures = survey->networks[i].failures;
        if (failures && failures->params.n_traffics) {
            return failures->params.traffics[0];
        }
    }
    return NULL;
}

void
sf_survey_point_text(enum sf_failure_kind kind, double share,
                     char text[SF_SURVEY_TEXT_SIZE])
{
    switch (kind) {
    case SF_FAILURE_LINKS:
    case SF_FAILURE_SWITCHES:
        snprintf(text, SF_SURVEY_TEXT_SIZE, "%.4g %% of %s", 100 * share,
                 sf_failure_kind_name(kind));
        break;
    case SF_FAILURE_RACK:
        snprintf(text, SF_SURVEY_TEXT_SIZE, "a rack");
        break;
    case SF_FAILURE_BUNDLE:
        snprintf(text, SF_SURVEY_TEXT_SIZE, "a bundle of cables");
        break;
    case SF_FAILURE_NONE:
    case SF_N_FAILURE_KINDS:
        snprintf(text, SF_SURVEY_TEXT_SIZE, "nothing");
        break;
    }
}

double
sf_survey_failed(const struct sf_failure_point *point,
                 enum sf_failure_figure figure)
{
    return point && point->figures[figure].n ? point->figures[figure].mean
                                             : (double)NAN;
}

double
sf_survey_left(const struct sf_survey_network *network,
               const struct sf_failure_point *point, uint32_t traffic)
{
    const struct sf_failures *failures = network->failures;

    if (!point || traffic >= failures->params.n_traffics) {
        return (double)NAN;
    }
    const struct sf_failure_range *range =
        sf_failure_throughput(failures, point, 0, traffic);
    return range->n ? range->mean : (double)NAN;
}

/* The figures of a failure that are shown; SF_N_FAILURE_FIGURES stands for
 * throughput. */
static const struct {
    enum sf_failure_figure figure;
    const char *title;
    double scale;
    int digits;
    bool is_detail;
} shown[] = {
    { SF_FAILURE_DEAD_LINKS, "links gone", 1, 1, true },
    { SF_FAILURE_DEAD_SWITCHES, "switches gone", 1, 1, true },
    { SF_FAILURE_DEAD_HOSTS, "hosts gone", 1, 1, true },
    { SF_FAILURE_REACHED, "pairs that reach each other, %", 100, 2, false },
    { SF_FAILURE_REACHED_ALL, "of all pairs, %", 100, 2, true },
    { SF_FAILURE_LONGEST, "hops of paths, most", 1, 1, false },
    { SF_FAILURE_MEAN_HOPS, "hops of paths, mean", 1, 3, true },
    { SF_FAILURE_LOAD, "busiest link, in rates of a host", 1, 2, false },
    { SF_FAILURE_CHANGED, "entries that change", 1, 0, true },
    { SF_FAILURE_CHANGED_SHARE, "entries that change, %", 100, 1, false },
    { SF_FAILURE_SECONDS, "CPU milliseconds of a repair", 1e3, 1, false },
};
#define N_SHOWN (sizeof shown / sizeof *shown)
#define N_DEAD  3 /* Of these, the parts that are gone. */

/* Whether people see a row: parts that are gone where some are, nothing that
 * is not known, and of the healthy networks only what the rest is compared
 * with. */
static bool
is_shown(const struct sf_survey *survey, const struct sf_survey_row *row,
         enum sf_failure_kind kind, size_t k)
{
    bool has_values = false, has_some = false;

    for (uint32_t i = 0; i < survey->n_networks; i++) {
        has_values = has_values || !isnan(row->values[i]);
        has_some = has_some || row->values[i] > 0;
    }
    if (k < N_DEAD) {
        return has_some;
    }
    if (kind == SF_FAILURE_NONE) {
        return has_values && shown[k].figure == SF_FAILURE_LOAD;
    }
    return has_values && !shown[k].is_detail;
}

/* Adds how often a routing could not be repaired within its lanes. */
static void
add_made_anew(struct table *table, enum sf_failure_kind kind, double share,
              const char *of)
{
    const struct sf_survey *survey = table->survey;
    struct sf_survey_row *anew =
        add(table, "failed_made_anew", of,
            "repairs that make all routes anew, %", 100, 0);
    for (uint32_t i = 0; anew && i < survey->n_networks; i++) {
        const struct sf_failure_point *point =
            sf_survey_point(&survey->networks[i], kind, share);
        if (point) {
            anew->values[i] = (double)point->n_made_anew / point->n_runs;
        }
    }
    if (anew) {
        anew->is_detail = kind == SF_FAILURE_NONE;
    }
}

/* Adds how often a routing that was asked for was impossible, if that
 * happened. */
static void
add_fallbacks(struct table *table, enum sf_failure_kind kind, double share,
              const char *of)
{
    const struct sf_survey *survey = table->survey;
    double values[SF_SURVEY_MAX_NETWORKS];
    bool has_some = false;

    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_failure_point *point =
            sf_survey_point(&survey->networks[i], kind, share);
        values[i] =
            point ? (double)point->n_fallback / point->n_runs : (double)NAN;
        has_some = has_some || values[i] > 0;
    }
    struct sf_survey_row *row =
        has_some ? add(table, "failed_fallback", of,
                       "repairs that use another routing, %", 100, 0)
                 : NULL;
    if (row) {
        memcpy(row->values, values, survey->n_networks * sizeof *values);
    }
}

/* Adds the figures from 'first' to before 'end'. */
static void
add_shown(struct table *table, enum sf_failure_kind kind, double share,
          const char *of, size_t first, size_t end)
{
    const struct sf_survey *survey = table->survey;

    for (size_t k = first; k < end; k++) {
        char key[SF_SURVEY_TEXT_SIZE];
        snprintf(key, sizeof key, "failed_%s",
                 sf_failure_figure_name(shown[k].figure));
        struct sf_survey_row *row = add(table, key, of, shown[k].title,
                                        shown[k].scale, shown[k].digits);
        for (uint32_t i = 0; row && i < survey->n_networks; i++) {
            row->values[i] = sf_survey_failed(
                sf_survey_point(&survey->networks[i], kind, share),
                shown[k].figure);
        }
        if (row) {
            row->is_detail = !is_shown(survey, row, kind, k);
        }
    }
}

/* Adds what is left after one kind of failure with one share. */
static void
add_point(struct table *table, enum sf_failure_kind kind, double share)
{
    const struct sf_survey *survey = table->survey;
    char of[SF_SURVEY_TEXT_SIZE];
    const struct sf_failures *any = NULL;

    for (uint32_t i = 0; i < survey->n_networks && !any; i++) {
        any = survey->networks[i].failures;
    }
    sf_survey_point_text(kind, share, of);
    begin_section(table,
                  kind == SF_FAILURE_NONE ? "%.60s gone, the same draws"
                                          : "%.60s gone, after repair",
                  of);
    add_shown(table, kind, share, of, 0, N_DEAD);
    for (uint32_t k = 0; any && k < any->params.n_traffics; k++) {
        char key[2 * SF_SURVEY_TEXT_SIZE], title[SF_SURVEY_TEXT_SIZE];
        snprintf(key, SF_SURVEY_TEXT_SIZE, "failed_throughput %.60s",
                 any->params.traffics[k]);
        snprintf(title, sizeof title, "%.24s, equal, %%",
                 any->params.traffics[k]);
        struct sf_survey_row *row = add(table, key, of, title, 100, 1);
        for (uint32_t i = 0; row && i < survey->n_networks; i++) {
            const struct sf_survey_network *network = &survey->networks[i];
            row->values[i] = sf_survey_left(
                network, sf_survey_point(network, kind, share), k);
        }
    }
    add_made_anew(table, kind, share, of);
    add_fallbacks(table, kind, share, of);
    add_shown(table, kind, share, of, N_DEAD, N_SHOWN);
}

static double
until_cut(const struct sf_survey_network *network)
{
    const struct sf_failures *failures = network->failures;
    return failures && failures->has_cuts && failures->cuts.links.n
               ? failures->cuts.links.mean
               : (double)NAN;
}

static double
least_links(const struct sf_survey_network *network)
{
    const struct sf_failures *failures = network->failures;
    return failures && failures->has_cuts && failures->cuts.has_pairs
               ? failures->cuts.least_links
               : (double)NAN;
}

static double
least_switches(const struct sf_survey_network *network)
{
    const struct sf_failures *failures = network->failures;
    return failures && failures->has_cuts && failures->cuts.has_pairs &&
                   failures->cuts.least_switches != SF_NONE
               ? failures->cuts.least_switches
               : (double)NAN;
}

static void
add_failures(struct table *table)
{
    const struct sf_survey_params *params = &table->survey->params;

    for (enum sf_failure_kind kind = SF_FAILURE_NONE;
         kind < SF_N_FAILURE_KINDS; kind++) {
        bool has_shares =
            kind == SF_FAILURE_LINKS || kind == SF_FAILURE_SWITCHES;
        if (!sf_survey_has_kind(table->survey, kind)) {
            continue;
        }
        for (uint32_t i = 0; i < (has_shares ? params->n_shares : 1); i++) {
            add_point(table, kind, has_shares ? params->shares[i] : 0);
        }
    }
    if (params->without_failures) {
        return;
    }
    begin_section(table, "faults until two hosts are cut off");
    add_values(table, "links_until_cut", "links at random, mean", 1, 0,
               until_cut);
    add_values(table, "least_links_of_cut", "links, at least", 1, 0,
               least_links);
    add_values(table, "least_switches_of_cut", "switches, at least", 1, 0,
               least_switches);
}

enum sf_status
sf_survey_rows_make(const struct sf_survey *survey,
                    struct sf_survey_rows *rows, struct sf_error *err)
{
    struct table table = { .survey = survey, .rows = rows };

    *rows = (struct sf_survey_rows){ 0 };
    add_parts(&table);
    add_paths(&table);
    add_throughputs(&table);
    add_simulations(&table);
    add_failures(&table);
    return rows->is_out_of_memory
               ? sf_fail(err, SF_ENOMEM, "out of memory for a table")
               : SF_OK;
}
