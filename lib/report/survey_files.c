/* survey_files.c -- the files of a survey. */
#include "report/survey_writers.h"

static bool
has_prices(const struct sf_survey_report *report)
{
    bool is_priced = false;

    for (uint32_t i = 0; i < report->survey->n_networks; i++) {
        is_priced = is_priced || report->survey->networks[i].is_priced;
    }
    return is_priced;
}

static bool
has_traffics(const struct sf_survey_report *report)
{
    return report->survey->params.n_traffics > 0;
}

static bool
has_runs(const struct sf_survey_report *report)
{
    return !report->survey->params.without_simulation;
}

static bool
has_links(const struct sf_survey_report *report)
{
    return sf_survey_has_kind(report->survey, SF_FAILURE_LINKS);
}

static bool
has_switches(const struct sf_survey_report *report)
{
    return sf_survey_has_kind(report->survey, SF_FAILURE_SWITCHES);
}

static bool
has_parts(const struct sf_survey_report *report)
{
    return sf_survey_has_kind(report->survey, SF_FAILURE_RACK) ||
           sf_survey_has_kind(report->survey, SF_FAILURE_BUNDLE);
}

const struct sf_survey_file sf_survey_files[] = {
    { "comparison.txt", "text", "the table", NULL, sf_survey_write_text },
    { "comparison.json", "json", "all figures", NULL, sf_survey_write_json },
    { "comparison.csv", "csv", "all figures", NULL, sf_survey_write_csv },
    { "simulation.json", NULL, "every simulated run", has_runs,
      sf_survey_write_runs_json },
    { "cost.svg", NULL, "cost, power and cables", has_prices,
      sf_survey_draw_costs },
    { "throughput.svg", NULL, "throughput", has_traffics,
      sf_survey_draw_throughput },
    { "latency.svg", NULL, "latency over load", has_runs,
      sf_survey_draw_latency },
    { "failed-links.svg", NULL, "what is left with links gone", has_links,
      sf_survey_draw_links },
    { "failed-switches.svg", NULL, "what is left with switches gone",
      has_switches, sf_survey_draw_switches },
    { "failed-parts.svg", NULL, "what is left without a rack or a bundle",
      has_parts, sf_survey_draw_parts },
    { 0 },
};
