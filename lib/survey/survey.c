/* survey.c -- a survey as a whole. */
#include "base/mem.h"
#include "survey/survey_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP 0.01

const char *
sf_survey_equal_name(uint32_t equal)
{
    static const char *const names[SF_N_SURVEY_EQUALS] = { "hosts", "cost" };
    return equal < SF_N_SURVEY_EQUALS ? names[equal] : NULL;
}

/* Measures the paths of a network and what they carry. */
static enum sf_status
compare(const struct sf_survey_params *params,
        struct sf_survey_network *network, struct sf_error *err)
{
    network->row = (struct sf_comparison_row){
        .mode = SF_THROUGHPUT_LAYERS,
        .n_layers = network->n_layers,
        .given = network->routing->routes,
    };
    snprintf(network->row.label, sizeof network->row.label, "%.*s",
             (int)sizeof network->row.label - 1, network->scheme);
    struct sf_comparison_params how = {
        .name = network->name,
        .network = network->network,
        .n_rows = 1,
        .rows = &network->row,
        .n_traffics = params->n_traffics,
        .traffics = params->traffics,
        .n_seeds = params->n_seeds,
        .seed = params->seed,
        .gap = params->gap > 0 ? params->gap : GAP,
        .n_threads = params->n_threads,
        .store = params->measurements,
    };
    return sf_comparison_build(&how, &network->comparison, err);
}

/* Takes parts out of a network.  Hosts may be gone with them, so that files of
 * traffic, which name hosts, are left out; and what equal shares carry is
 * measured alone, as hosts do not know of failures. */
static enum sf_status
fail_parts(const struct sf_survey_params *params,
           struct sf_survey_network *network, struct sf_error *err)
{
    const char **traffics =
        sf_calloc(params->n_traffics, sizeof(const char *));
    struct sf_failures_params how = {
        .name = network->name,
        .plan = network->plan,
        .routing = params->routing,
        .n_shares = params->n_shares,
        .shares = params->shares,
        .without_splits = { [SF_SPLIT_BEST] = true },
        .gap = params->gap > 0 ? params->gap : GAP,
        .without_times = params->without_times,
        .n_seeds = params->n_draws,
        .seed = params->seed,
        .n_threads = params->n_threads,
        .store = params->failures,
    };

    if (!traffics) {
        return sf_fail(err, SF_ENOMEM, "out of memory for traffic");
    }
    how.routing.layers.seed = params->seed;
    how.routing.n_addresses = network->routing->params.n_addresses;
    memcpy(how.without_kinds, params->without_kinds, sizeof how.without_kinds);
    for (uint32_t i = 0; i < params->n_traffics; i++) {
        if (!sf_traffic_takes_path(params->traffics[i])) {
            traffics[how.n_traffics++] = params->traffics[i];
        }
    }
    network->failed_traffics = traffics;
    how.traffics = traffics;
    return sf_failures_build(&how, &network->failures, err);
}

static enum sf_status
check_params(const struct sf_survey_params *params, struct sf_error *err)
{
    if (params->n_subjects < 1 ||
        params->n_subjects > SF_SURVEY_MAX_NETWORKS) {
        return sf_fail(err, SF_EINVAL, "expected 1 to %d networks, found %u",
                       SF_SURVEY_MAX_NETWORKS, params->n_subjects);
    }
    for (uint32_t i = 0; i < params->n_subjects; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (!strcmp(params->subjects[i].name, params->subjects[k].name)) {
                return sf_fail(err, SF_EINVAL,
                               "expected different networks, found %s twice",
                               params->subjects[i].name);
            }
        }
    }
    return SF_OK;
}

/* Adds the name of a network to an error that does not begin with it. */
static void
name_network(struct sf_error *err, const struct sf_survey_network *network)
{
    size_t length = strlen(network->name);

    if (err && (strncmp(err->text, network->name, length) != 0 ||
                err->text[length] != ':')) {
        sf_error_add_context(err, network->name);
    }
}

/* Finds out whether the traffics can be: those that name hosts in each
 * network, others in the smallest. */
static enum sf_status
check_traffics(const struct sf_survey *survey, struct sf_error *err)
{
    const struct sf_survey_params *params = &survey->params;
    enum sf_status status = SF_OK;
    uint32_t smallest = 0;

    for (uint32_t i = 1; i < survey->n_networks; i++) {
        if (survey->networks[i].n_hosts < survey->networks[smallest].n_hosts) {
            smallest = i;
        }
    }
    for (uint32_t i = 0; status == SF_OK && i < survey->n_networks; i++) {
        const struct sf_survey_network *network = &survey->networks[i];
        struct sf_traffic_params how = { .network = network->network,
                                         .seed = params->seed };
        for (uint32_t k = 0; status == SF_OK && k < params->n_traffics; k++) {
            const char *text = params->traffics[k];
            struct sf_traffic *traffic;
            if (i == smallest || sf_traffic_takes_path(text)) {
                status = sf_traffic_build(text, &how, &traffic, err);
                sf_traffic_free(traffic);
            }
        }
        if (status != SF_OK) {
            name_network(err, network);
        }
    }
    return status;
}

/* Builds and routes all networks: what cannot be is known then. */
static enum sf_status
prepare(struct sf_survey *survey, struct survey_stages *stages,
        struct sf_error *err)
{
    const struct sf_survey_params *params = &survey->params;
    enum sf_status status = sf_survey_networks(survey, stages, err);

    if (status == SF_OK) {
        status = check_traffics(survey, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < survey->n_networks; i++) {
        struct sf_survey_network *network = &survey->networks[i];
        sf_survey_stage(stages, network->name, SURVEY_ROUTE);
        status = sf_survey_route(params, network, err);
        if (status != SF_OK) {
            name_network(err, network);
        }
    }
    if (status == SF_OK && params->begin && !params->begin(params->aux)) {
        status = sf_fail(err, SF_EIO, "the survey was ended");
    }
    return status;
}

/* All that is asked of network number 'i', but for simulations. */
static enum sf_status
survey_network(struct sf_survey *survey, struct survey_stages *stages,
               uint32_t i, struct sf_error *err)
{
    const struct sf_survey_params *params = &survey->params;
    struct sf_survey_network *network = &survey->networks[i];

    sf_survey_stage(stages, network->name, SURVEY_THROUGHPUT);
    enum sf_status status = compare(params, network, err);
    if (status == SF_OK && !params->without_failures && network->is_planned) {
        sf_survey_stage(stages, network->name, SURVEY_FAILURES);
        status = fail_parts(params, network, err);
    }
    if (status != SF_OK) {
        name_network(err, network);
    }
    return status;
}

enum sf_status
sf_survey_build(const struct sf_survey_params *params,
                struct sf_survey **surveyp, struct sf_error *err)
{
    struct survey_stages stages;

    *surveyp = NULL;
    enum sf_status status = check_params(params, err);
    if (status != SF_OK) {
        return status;
    }
    struct sf_survey *survey = sf_calloc(1, sizeof *survey);
    if (survey) {
        survey->params = *params;
        survey->networks =
            sf_calloc(params->n_subjects, sizeof *survey->networks);
    }
    if (!survey || !survey->networks) {
        free(survey);
        return sf_fail(err, SF_ENOMEM, "out of memory for a survey");
    }
    sf_survey_stages_begin(&stages, params);
    status = prepare(survey, &stages, err);
    for (uint32_t i = 0; status == SF_OK && i < survey->n_networks; i++) {
        status = survey_network(survey, &stages, i, err);
    }
    if (status == SF_OK && !params->without_simulation) {
        sf_survey_stage(&stages, NULL,
                        SURVEY_SIMULATION * (double)survey->n_networks);
        status = sf_survey_simulate(survey, err);
    }
    sf_survey_stages_end(&stages);
    if (status == SF_OK) {
        *surveyp = survey;
    } else {
        sf_survey_free(survey);
    }
    return status;
}

void
sf_survey_free(struct sf_survey *survey)
{
    if (!survey) {
        return;
    }
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        struct sf_survey_network *network = &survey->networks[i];
        for (uint32_t k = 0; k < network->n_runs; k++) {
            sf_simulation_clear(&network->runs[k].result);
        }
        sf_simulation_clear(&network->slow.result);
        sf_failures_free(network->failures);
        free(network->failed_traffics);
        sf_comparison_free(network->comparison);
        sf_routing_free(network->routing);
        sf_network_free(network->network);
        free(network->lengths);
        sf_plan_free(network->plan);
    }
    free(survey->networks);
    free(survey);
}

double
sf_survey_throughput(const struct sf_survey_network *network,
                     enum sf_comparison_split split, uint32_t traffic)
{
    const struct sf_comparison_result *result =
        &network->comparison->results[0];

    for (uint32_t i = 0; i < result->n_splits; i++) {
        if (result->splits[i] == split) {
            return sf_comparison_summarize(network->comparison, 0, i, traffic)
                .mean;
        }
    }
    return (double)NAN;
}

struct sf_survey_saturation
sf_survey_saturation(const struct sf_survey_network *network)
{
    struct sf_survey_saturation known = { 0, (double)NAN, (double)NAN };

    for (uint32_t i = 0; i < network->n_runs; i++) {
        const struct sf_survey_run *run = &network->runs[i];
        known.accepted = run->result.throughput;
        if (!run->result.is_finished || run->result.n_cycle) {
            known.refused = isnan(known.refused) ? run->load : known.refused;
        } else if (isnan(known.refused)) {
            known.taken = run->load;
        }
    }
    return known;
}

double
sf_survey_worth(const struct sf_survey *survey,
                const struct sf_survey_network *network, double carried)
{
    return survey->params.equal == SF_SURVEY_EQUAL_COST
               ? 1e6 * carried * network->n_hosts / network->figures.cost
               : carried;
}
