/* survey_options.c -- the options of surveys. */
#include "surveys.h"

#include <stdlib.h>
#include <string.h>

static const char *
equal_choice(size_t i)
{
    return sf_survey_equal_name((uint32_t)i);
}

/* What may fail, and "none" for no failures. */
static const char *
failure_choice(size_t i)
{
    return i < SF_N_FAILURE_KINDS
               ? sf_failure_kind_name((enum sf_failure_kind)i)
               : NULL;
}

static const char *
net_choice(size_t i)
{
    return sf_sim_nets[i].name;
}

const struct cli_option cli_survey_options[] = {
    { OPT_SURVEY_TRAFFIC, "traffic", 't', CLI_SPECS, "LIST",
      .help = "traffics whose throughput is measured, separated by commas",
      .value = "all-to-all,permutation,adversarial:load=0.5" },
    { OPT_SURVEY_SEEDS, "seeds", 0, CLI_NUMBER, "N",
      .help = "number of seeds of traffic", .min = 1, .max = 10000,
      .value = "1" },
    { OPT_SURVEY_GAP, "gap", 0, CLI_REAL, "X",
      .help = "how far bounds of throughput may be apart", .min = 1e-6,
      .max = 1, .value = "0.01" },
    { OPT_SURVEY_EQUAL, "equal", 0, CLI_CHOICE, "WHAT",
      .help = "what networks have in common: hosts, each has as many; cost, "
              "each has its own hosts, and what these carry is told for each "
              "million",
      .choice = equal_choice, .value = "hosts" },
    { OPT_SURVEY_FAILURES, "failures", 0, CLI_WORDS, "LIST",
      .help = "what fails, separated by commas; none: nothing",
      .choice = failure_choice, .value = "links" },
    { OPT_SURVEY_SHARES, "shares", 0, CLI_SPECS, "LIST",
      .help = "percentages of links and switches that fail, separated by "
              "commas",
      .value = "1,2,5,10" },
    { OPT_SURVEY_DRAWS, "draws", 0, CLI_NUMBER, "N",
      .help = "how often failures are drawn for each percentage", .min = 1,
      .max = 10000, .value = "3" },
    { OPT_SURVEY_NET, "net", 0, CLI_CHOICE, "NET",
      .help = "simulation: rates, packets and delays of", .choice = net_choice,
      .otherwise = "as the links of each network are, or edr" },
    { OPT_SURVEY_NO_SIMULATION, "without-simulation", 0, CLI_FLAG,
      .help = "leave latency and the load that networks take out, on which "
              "most of the time is spent" },
    { OPT_SURVEY_NO_TIMES, "without-times", 0, CLI_FLAG,
      .help = "leave seconds of repairs out, the only figures that are not "
              "the same each time" },
    { 0 },
};

const char *
cli_survey_given(const struct cli_args *args)
{
    for (const struct cli_option *option = cli_survey_options; option->name;
         option++) {
        if (cli_has(args, option->id)) {
            return option->name;
        }
    }
    return NULL;
}

static bool
read_shares(const struct cli_args *args, struct cli_survey *survey)
{
    const struct cli_list *list = cli_list(args, OPT_SURVEY_SHARES);

    for (uint32_t i = 0; i < list->n; i++) {
        char *end;
        double percent = strtod(list->items[i], &end);
        if (end == list->items[i] || *end ||
            !(percent > 0 && percent <= 100)) {
            cli_fail("%s: --shares: expected percentages above 0 and up to "
                     "100, found '%s'",
                     args->command->name, list->items[i]);
            return false;
        }
        survey->shares[i] = percent / 100;
        if (i > 0 && survey->shares[i] <= survey->shares[i - 1]) {
            cli_fail("%s: --shares: expected growing percentages, found %s "
                     "behind %s",
                     args->command->name, list->items[i], list->items[i - 1]);
            return false;
        }
    }
    survey->params.shares = survey->shares;
    survey->params.n_shares = list->n;
    return true;
}

static bool
read_failures(const struct cli_args *args, struct cli_survey *survey)
{
    const struct cli_list *list = cli_list(args, OPT_SURVEY_FAILURES);
    struct sf_survey_params *params = &survey->params;
    bool has_none = false;

    for (enum sf_failure_kind kind = 0; kind < SF_N_FAILURE_KINDS; kind++) {
        bool is_there = false;
        for (uint32_t i = 0; i < list->n; i++) {
            is_there = is_there ||
                       !strcmp(list->items[i], sf_failure_kind_name(kind));
        }
        params->without_kinds[kind] = !is_there;
        has_none = has_none || (is_there && kind == SF_FAILURE_NONE);
    }
    params->without_failures = has_none;
    if (has_none && list->n > 1) {
        cli_fail("%s: --failures: expected 'none' alone, or no 'none'",
                 args->command->name);
        return false;
    }
    if (has_none && (cli_has(args, OPT_SURVEY_SHARES) ||
                     cli_has(args, OPT_SURVEY_DRAWS))) {
        cli_fail("%s: --shares and --draws are for failures, and --failures "
                 "says none",
                 args->command->name);
        return false;
    }
    return read_shares(args, survey);
}

bool
cli_survey_read(const struct cli_args *args, struct cli_survey *survey)
{
    const struct cli_list *traffics = cli_list(args, OPT_SURVEY_TRAFFIC);
    struct sf_survey_params *params = &survey->params;

    params->traffics = traffics->items;
    params->n_traffics = traffics->n;
    params->n_seeds = cli_number(args, OPT_SURVEY_SEEDS);
    params->gap = cli_real(args, OPT_SURVEY_GAP);
    params->equal = cli_is(args, OPT_SURVEY_EQUAL,
                           sf_survey_equal_name(SF_SURVEY_EQUAL_COST))
                        ? SF_SURVEY_EQUAL_COST
                        : SF_SURVEY_EQUAL_HOSTS;
    params->n_draws = cli_number(args, OPT_SURVEY_DRAWS);
    params->without_simulation = cli_has(args, OPT_SURVEY_NO_SIMULATION);
    params->without_times = cli_has(args, OPT_SURVEY_NO_TIMES);
    params->n_threads = cli_threads(args);
    for (size_t i = 0; sf_sim_nets[i].name; i++) {
        if (cli_is(args, OPT_SURVEY_NET, sf_sim_nets[i].name)) {
            params->net = sf_sim_nets[i];
        }
    }
    return read_failures(args, survey);
}
