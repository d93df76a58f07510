/* survey_failures.c -- the rows of a survey of what is left when parts fail,
 * and what its other writers ask of failures. */
#include "report/survey_rows.h"

#include <math.h>
#include <string.h>

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
add_made_anew(struct sf_survey_table *table, enum sf_failure_kind kind,
              double share, const char *of)
{
    const struct sf_survey *survey = table->survey;
    struct sf_survey_row *anew =
        sf_survey_add_row(table, "failed_made_anew", of,
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
add_fallbacks(struct sf_survey_table *table, enum sf_failure_kind kind,
              double share, const char *of)
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
        has_some
            ? sf_survey_add_row(table, "failed_fallback", of,
                                "repairs that use another routing, %", 100, 0)
            : NULL;
    if (row) {
        memcpy(row->values, values, survey->n_networks * sizeof *values);
    }
}

/* Adds the figures from 'first' to before 'end'. */
static void
add_shown(struct sf_survey_table *table, enum sf_failure_kind kind,
          double share, const char *of, size_t first, size_t end)
{
    const struct sf_survey *survey = table->survey;

    for (size_t k = first; k < end; k++) {
        char key[SF_SURVEY_TEXT_SIZE];
        snprintf(key, sizeof key, "failed_%s",
                 sf_failure_figure_name(shown[k].figure));
        struct sf_survey_row *row = sf_survey_add_row(
            table, key, of, shown[k].title, shown[k].scale, shown[k].digits);
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
add_point(struct sf_survey_table *table, enum sf_failure_kind kind,
          double share)
{
    const struct sf_survey *survey = table->survey;
    char of[SF_SURVEY_TEXT_SIZE];
    const struct sf_failures *any = NULL;

    for (uint32_t i = 0; i < survey->n_networks && !any; i++) {
        any = survey->networks[i].failures;
    }
    sf_survey_point_text(kind, share, of);
    sf_survey_begin_section(table,
                            kind == SF_FAILURE_NONE
                                ? "%.60s gone, the same draws"
                                : "%.60s gone, after repair",
                            of);
    add_shown(table, kind, share, of, 0, N_DEAD);
    for (uint32_t k = 0; any && k < any->params.n_traffics; k++) {
        char key[2 * SF_SURVEY_TEXT_SIZE], title[SF_SURVEY_TEXT_SIZE];
        snprintf(key, SF_SURVEY_TEXT_SIZE, "failed_throughput %.60s",
                 any->params.traffics[k]);
        snprintf(title, sizeof title, "%.24s, equal, %%",
                 any->params.traffics[k]);
        struct sf_survey_row *row =
            sf_survey_add_row(table, key, of, title, 100, 1);
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

void
sf_survey_add_failures(struct sf_survey_table *table)
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
    sf_survey_begin_section(table, "faults until two hosts are cut off");
    sf_survey_add_values(table, "links_until_cut", "links at random, mean", 1,
                         0, until_cut);
    sf_survey_add_values(table, "least_links_of_cut", "links, at least", 1, 0,
                         least_links);
    sf_survey_add_values(table, "least_switches_of_cut", "switches, at least",
                         1, 0, least_switches);
}
