/* survey_answers.c -- a few sentences that answer the question of a survey,
 * made of its figures. */
#include "report/survey_writers.h"

#include <math.h>
#include <string.h>

#define TELLING_SHARE 0.05 /* Of links: what people ask about. */
#define TIE           0.01 /* As good as the best. */

/* The network with the largest value, the first of equals; SF_NONE: no value
 * is known. */
static uint32_t
best_of(const double *values, uint32_t n)
{
    uint32_t best = SF_NONE;

    for (uint32_t i = 0; i < n; i++) {
        if (!isnan(values[i]) &&
            (best == SF_NONE || values[i] > values[best])) {
            best = i;
        }
    }
    return best;
}

/* Writes the name of a network, and of its family if that has one that people
 * know: "hx2:5x5 (two-dimensional HyperX)". */
static void
write_network(const struct sf_survey_network *network, FILE *stream)
{
    uint32_t k = network->spec ? sf_family_find(network->spec) : SF_NONE;

    fputs(network->name, stream);
    if (k != SF_NONE && sf_families[k]->reference) {
        const char *title = sf_families[k]->title;
        const char *end = strstr(title, " (");
        size_t length = end ? (size_t)(end - title) : strcspn(title, ",");
        fprintf(stream, " (%.*s)", (int)length, title);
    }
}

/* Writes for how many hosts a network costs what it costs, where networks
 * differ in that. */
static void
write_own_hosts(const struct sf_survey *survey, uint32_t number, FILE *stream)
{
    if (!survey->n_hosts) {
        fprintf(stream, " for %u hosts", survey->networks[number].n_hosts);
    }
}

/* Tells what the cheapest network costs, and how much more the others do. */
static void
tell_costs(const struct sf_survey *survey, FILE *stream)
{
    double saved[SF_SURVEY_MAX_NETWORKS];
    const struct sf_survey_network *networks = survey->networks;
    uint32_t n_others = 0;

    for (uint32_t i = 0; i < survey->n_networks; i++) {
        saved[i] =
            networks[i].is_priced ? -networks[i].figures.cost : (double)NAN;
    }
    uint32_t first = best_of(saved, survey->n_networks);
    if (first == SF_NONE) {
        return;
    }
    double cost = -saved[first];
    saved[first] = (double)NAN;
    uint32_t next = best_of(saved, survey->n_networks);
    write_network(&networks[first], stream);
    fprintf(stream, " costs %s%.2f million %s for %u hosts.",
            next == SF_NONE ? "" : "least: ", cost / 1e6,
            survey->params.prices->currency, networks[first].n_hosts);
    for (; next != SF_NONE; next = best_of(saved, survey->n_networks)) {
        fputs(n_others ? ", " : " ", stream);
        write_network(&networks[next], stream);
        fprintf(stream, "%s %.0f %% more", n_others++ ? "" : " costs",
                100 * (-saved[next] / cost - 1));
        write_own_hosts(survey, next, stream);
        saved[next] = (double)NAN;
    }
    fputs(n_others ? ".\n" : "\n", stream);
}

/* Tells the rates of links if networks differ in them: what they carry is told
 * in shares of the rate of each. */
static void
tell_rates(const struct sf_survey *survey, FILE *stream)
{
    const char *first = NULL;
    bool is_mixed = false;
    uint32_t n_told = 0;

    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const char *rate = sf_survey_rate(&survey->networks[i]);
        is_mixed = is_mixed || (rate && first && strcmp(rate, first) != 0);
        first = first ? first : rate;
    }
    for (uint32_t i = 0; is_mixed && i < survey->n_networks; i++) {
        const char *rate = sf_survey_rate(&survey->networks[i]);
        if (rate) {
            fprintf(stream, "%s%s has %s",
                    n_told++ ? ", " : "Links differ in rate: ",
                    survey->networks[i].name, rate);
        }
    }
    if (n_told) {
        fputs(". What is carried is a share of the rate of each.\n", stream);
    }
}

/* How well networks do in something. */
struct contest {
    const struct sf_survey *survey;
    const char *verbs[2];                  /* "carries", "carry"; */
    const char *most;                      /* what the best do, "most". */
    double tie;                            /* As good as the best: not further
                                            * below it than this part of it. */
    double values[SF_SURVEY_MAX_NETWORKS]; /* Above 0; NAN: not known. */
};

/* Writes who is best, or as good as that, behind 'before': "For each million
 * USD, sf:q=5 and hx2:5x5 carry the most ". */
static void
write_best(const struct contest *contest, const char *before, FILE *stream)
{
    const struct sf_survey *survey = contest->survey;
    double least =
        contest->values[best_of(contest->values, survey->n_networks)] *
        (1 - contest->tie);
    uint32_t n = 0, n_written = 0;

    for (uint32_t i = 0; i < survey->n_networks; i++) {
        n += contest->values[i] >= least;
    }
    fputs(before, stream);
    if (n > 2 && n == survey->n_networks) {
        fprintf(stream, "%s networks %s about the same ",
                *before ? "all" : "All", contest->verbs[1]);
        return;
    }
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        if (contest->values[i] >= least) {
            n_written++;
            fprintf(stream, "%s%s",
                    n_written == 1   ? ""
                    : n_written == n ? " and "
                                     : ", ",
                    survey->networks[i].name);
        }
    }
    fprintf(stream, " %s the %s ", contest->verbs[n > 1], contest->most);
}

/* Tells who carries the most of which traffic with equal or the best shares
 * over the layers, for the money if 'by_cost'. */
static void
tell_carried(const struct sf_survey *survey, enum sf_comparison_split split,
             bool by_cost, FILE *stream)
{
    const struct sf_survey_params *params = &survey->params;
    uint32_t n_told = 0, n_priced = 0;
    char start[64];

    snprintf(start, sizeof start, "With %s shares over the layers, ",
             split == SF_SPLIT_EQUAL ? "equal" : "the best");
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        n_priced += survey->networks[i].is_priced;
    }
    if (by_cost && n_priced < 2) {
        return; /* One alone is not the best of anything. */
    }
    if (by_cost) {
        snprintf(start, sizeof start, "For each million %.20s, ",
                 params->prices->currency);
    }
    for (uint32_t k = 0; k < params->n_traffics; k++) {
        struct contest contest = { .survey = survey,
                                   .verbs = { "carries", "carry" },
                                   .most = "most",
                                   .tie = TIE };
        for (uint32_t i = 0; i < survey->n_networks; i++) {
            const struct sf_survey_network *network = &survey->networks[i];
            double carried = sf_survey_throughput(network, split, k);
            contest.values[i] =
                !by_cost ? carried
                : network->is_priced
                    ? 1e6 * carried * network->n_hosts / network->figures.cost
                    : (double)NAN;
        }
        uint32_t best = best_of(contest.values, survey->n_networks);
        if (best == SF_NONE) {
            continue;
        }
        if (n_told) {
            fputc(' ', stream);
        }
        write_best(&contest, n_told ? "" : start, stream);
        fprintf(stream, "%s traffic%s: ", params->traffics[k],
                by_cost || survey->n_hosts ? "" : " for each host");
        if (by_cost) {
            fprintf(stream, "%.0f%s.", contest.values[best],
                    n_told ? "" : " hosts at full rate");
        } else {
            fprintf(stream, "%.0f %%%s.", 100 * contest.values[best],
                    n_told ? "" : " of the hosts' rate");
        }
        n_told++;
    }
    if (n_told) {
        fputc('\n', stream);
    }
}

/* Latencies that look the same in the table are a tie. */
static void
tell_latency(const struct sf_survey *survey, FILE *stream)
{
    struct contest loads = { .survey = survey,
                             .verbs = { "takes", "take" },
                             .most = "highest",
                             .tie = TIE };
    struct contest speeds = { .survey = survey,
                              .verbs = { "has", "have" },
                              .most = "shortest",
                              .tie = 1e-9 };

    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_survey_network *network = &survey->networks[i];
        loads.values[i] = sf_survey_saturation(network).taken;
        speeds.values[i] = 1 / round(1e8 * network->slow.result.latency.mean);
    }
    uint32_t most = best_of(loads.values, survey->n_networks);
    uint32_t fastest = best_of(speeds.values, survey->n_networks);
    if (most == SF_NONE || fastest == SF_NONE) {
        return;
    }
    write_best(&loads, "", stream);
    fprintf(stream, "uniform load: %.0f %%. ", 100 * loads.values[most]);
    write_best(&speeds, "At low load, ", stream);
    fprintf(stream, "latency: %.2f us with all delays.\n",
            1e6 * survey->networks[fastest].slow.result.latency.mean);
}

/* The share of links that is nearest to what people ask about; 0: none. */
static double
telling_share(const struct sf_survey *survey)
{
    double best = 0;

    for (uint32_t i = 0; i < survey->params.n_shares; i++) {
        double share = survey->params.shares[i];
        if (best <= 0 ||
            fabs(share - TELLING_SHARE) < fabs(best - TELLING_SHARE)) {
            best = share;
        }
    }
    return best;
}

/* A failure that is told. */
struct failure {
    enum sf_failure_kind kind;
    double share;
};

/* What a failure makes of a network, over all draws. */
enum fate {
    NOT_ASKED,    /* It was discovered, or has no such part. */
    KEEPS_SOME,   /* Some draws leave it traffic. */
    CUT_APART,    /* No path is left between switches with hosts. */
    ONE_SWITCH,   /* The hosts that are left are on one switch. */
    NOTHING_LEFT, /* All its hosts were in what failed. */
};

static enum fate
find_fate(const struct sf_survey_network *network,
          const struct sf_failure_point *point)
{
    double whole = sf_survey_left(
        network, sf_survey_point(network, SF_FAILURE_NONE, 0), 0);
    bool is_gone = true;

    if (!point || !(whole > 0)) {
        return NOT_ASKED;
    }
    if (!isnan(sf_survey_left(network, point, 0))) {
        return KEEPS_SOME;
    }
    for (uint32_t i = 0; i < point->n_runs; i++) {
        is_gone = is_gone && point->runs[i].figures[SF_FAILURE_DEAD_HOSTS] >=
                                 network->n_hosts;
    }
    return is_gone                 ? NOTHING_LEFT
           : point->n_disconnected ? CUT_APART
                                   : ONE_SWITCH;
}

/* Tells what a network keeps of the first traffic after a failure. */
static void
tell_share(const struct sf_survey_network *network,
           const struct sf_failure_point *point, FILE *stream)
{
    const struct sf_failure_range *left =
        sf_failure_throughput(network->failures, point, 0, 0);
    double whole = sf_survey_left(
        network, sf_survey_point(network, SF_FAILURE_NONE, 0), 0);

    fprintf(stream, "%s keeps %.0f %%", network->name,
            100 * left->mean / whole);
    if (left->n < point->n_runs) {
        fprintf(stream, " in the %u of %u draws that leave it some", left->n,
                point->n_runs);
    }
}

/* Tells in brackets how many hosts are gone with what failed, and how many
 * pairs of hosts reach each other if some are cut off. */
static void
tell_losses(const struct sf_survey_network *network,
            const struct sf_failure_point *point, FILE *stream)
{
    double gone = sf_survey_failed(point, SF_FAILURE_DEAD_HOSTS);
    double reached = 100 * sf_survey_failed(point, SF_FAILURE_REACHED);
    const char *before = " (";

    if (gone > 0) {
        fprintf(stream, "%s%.3g %% of its hosts gone", before,
                100 * gone / network->n_hosts);
        before = ", ";
    }
    if (point->n_disconnected && !isnan(reached)) {
        fprintf(stream,
                "%sonly %.3g %% of the pairs of hosts still reach each other",
                before, reached);
        before = ", ";
    }
    if (*before == ',') {
        fputc(')', stream);
    }
}

/* Tells what is left of a network after a failure. */
static void
tell_fate(const struct sf_survey_network *network,
          const struct sf_failure_point *point, enum fate fate, FILE *stream)
{
    switch (fate) {
    case NOT_ASKED:
        return;
    case KEEPS_SOME:
        tell_share(network, point, stream);
        break;
    case CUT_APART:
        fprintf(stream, "%s is cut apart", network->name);
        break;
    case ONE_SWITCH:
        fprintf(stream, "the hosts that are left of %s are on one switch",
                network->name);
        break;
    case NOTHING_LEFT:
        fprintf(stream,
                "nothing is left of %s: all its hosts were in what failed",
                network->name);
        return;
    }
    tell_losses(network, point, stream);
}

/* Tells of the networks that carry something after a failure, or else of those
 * that do not; 'before' stands before the first.  Returns how many these
 * are. */
static uint32_t
tell_left(const struct sf_survey *survey, const struct failure *failure,
          bool is_kept, const char *before, FILE *stream)
{
    uint32_t n_told = 0;

    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_survey_network *network = &survey->networks[i];
        const struct sf_failure_point *point =
            sf_survey_point(network, failure->kind, failure->share);
        enum fate fate = find_fate(network, point);
        if (fate != NOT_ASKED && is_kept == (fate == KEEPS_SOME)) {
            fputs(n_told++ ? is_kept ? ", " : "; " : before, stream);
            tell_fate(network, point, fate, stream);
        }
    }
    return n_told;
}

/* Whether the failure cut hosts of some network off. */
static bool
cuts_hosts_off(const struct sf_survey *survey, const struct failure *failure)
{
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_failure_point *point = sf_survey_point(
            &survey->networks[i], failure->kind, failure->share);
        if (point && point->n_disconnected) {
            return true;
        }
    }
    return false;
}

/* Tells what a failure does to all networks. */
static void
tell_failure(const struct sf_survey *survey, const struct failure *failure,
             FILE *stream)
{
    bool takes_hosts = failure->kind == SF_FAILURE_SWITCHES ||
                       failure->kind == SF_FAILURE_RACK;
    char what[SF_SURVEY_TEXT_SIZE];
    char before[SF_SURVEY_TEXT_SIZE + 64];

    sf_survey_point_text(failure->kind, failure->share, what);
    snprintf(before, sizeof before, "With %s gone and routes repaired, ",
             what);
    uint32_t n_kept = tell_left(survey, failure, true, before, stream);
    if (n_kept) {
        fprintf(stream, " of what it carries of %s%s",
                sf_survey_failed_traffic(survey),
                takes_hosts ? " for each host that is left" : "");
    }
    uint32_t n_other =
        tell_left(survey, failure, false, n_kept ? "; " : before, stream);
    if (!n_kept && !n_other) {
        return;
    }
    if (!n_other && !cuts_hosts_off(survey, failure)) {
        fputs(takes_hosts ? "; all hosts that are left reach each other"
                          : "; no host was cut off",
              stream);
    }
    fputs(".\n", stream);
}

/* Tells what each kind of failures does that was asked for. */
static void
tell_failures(const struct sf_survey *survey, FILE *stream)
{
    for (enum sf_failure_kind kind = SF_FAILURE_NONE + 1;
         kind < SF_N_FAILURE_KINDS; kind++) {
        bool has_shares =
            kind == SF_FAILURE_LINKS || kind == SF_FAILURE_SWITCHES;
        struct failure failure = { kind,
                                   has_shares ? telling_share(survey) : 0 };
        if (sf_survey_has_kind(survey, kind)) {
            tell_failure(survey, &failure, stream);
        }
    }
}

/* Tells of networks that could not be routed as asked after some failures. */
static void
tell_fallbacks(const struct sf_survey *survey, FILE *stream)
{
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_failures *failures = survey->networks[i].failures;
        uint32_t n_fallback = 0, n_runs = 0;
        for (uint32_t k = 0; failures && k < failures->n_points; k++) {
            if (failures->points[k].kind != SF_FAILURE_NONE) {
                n_fallback += failures->points[k].n_fallback;
                n_runs += failures->points[k].n_runs;
            }
        }
        if (n_fallback) {
            fprintf(stream,
                    "After %u of %u failures, %s cannot be routed as asked; "
                    "the default routing is used then.\n",
                    n_fallback, n_runs, survey->networks[i].name);
        }
    }
}

void
sf_survey_write_answers(const struct sf_survey *survey, FILE *stream)
{
    tell_costs(survey, stream);
    tell_rates(survey, stream);
    if (survey->n_networks > 1) {
        tell_carried(survey, SF_SPLIT_EQUAL, true, stream);
        tell_carried(survey, SF_SPLIT_EQUAL, false, stream);
        tell_carried(survey, SF_SPLIT_BEST, false, stream);
        if (!survey->params.without_simulation) {
            tell_latency(survey, stream);
        }
    }
    tell_failures(survey, stream);
    tell_fallbacks(survey, stream);
}
