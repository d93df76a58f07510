/* speed.c -- what an analysis, simulations and an evaluation say: what
 * networks carry, and how they compare. */
#include "report/results/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many rows of one result the summary tells. */
#define MAX_TOLD 4

/* How senders share traffic over the layers: first as hosts do, then as the
 * traffic needs it, which is a bound for every routing of these paths. */
static const char *const splits[] = { "equal", "best" };

/* The rows of an analysis with the most and the least for a traffic. */
struct extremes {
    const char *traffic, *split;
    const json_t *best, *worst;
    double most, least;
    uint32_t n;
};

/* Whether 'row' is of a routing, and not of a reference. */
static bool
is_routing(const json_t *row)
{
    return !strcmp(sf_results_text(row, "kind", ""), "layers");
}

/* "gates in 4 layers". */
static const char *
name_routing(const json_t *row, char text[RESULTS_VALUE_SIZE])
{
    double n = sf_results_number(row, "n_layers");
    snprintf(text, RESULTS_VALUE_SIZE, "%.40s in %.0f layer%s",
             sf_results_text(row, "label", "?"), n, n > 1 ? "s" : "");
    return text;
}

/* Says what is carried with the shares of 'found', then the most that 'other'
 * has, which are other shares. */
static void
say_traffic(struct results_page *page, const struct result *result,
            const struct extremes *found, const struct extremes *other)
{
    char most[RESULTS_VALUE_SIZE], least[RESULTS_VALUE_SIZE];
    char best[RESULTS_VALUE_SIZE], worst[RESULTS_VALUE_SIZE];
    char rest[256] = "";
    const char *network =
        sf_results_text(result->root, "network", "The network");

    if (other && other->n) {
        snprintf(rest, sizeof rest,
                 " With the %s shares, the most is %s, with %s.", other->split,
                 sf_results_format(other->most, RESULTS_PERCENT, most),
                 name_routing(other->best, best));
    }
    sf_results_format(found->most, RESULTS_PERCENT, most);
    sf_results_format(found->least, RESULTS_PERCENT, least);
    const char *article = strcmp(found->split, "best") != 0 ? "" : "the ";
    name_routing(found->best, best);
    name_routing(found->worst, worst);
    if (!strcmp(most, least)) {
        sf_results_say(
            page, RESULTS_CARRIES, RESULTS_FACT,
            "Under traffic %s, with %s%s shares over the layers, %s "
            "carries %s of what hosts can send, with %s%s.%s",
            found->traffic, article, found->split, network, most,
            found->n > 1 ? "any routing that was tried, such as " : "", best,
            rest);
    } else {
        sf_results_say(
            page, RESULTS_CARRIES, RESULTS_FACT,
            "Under traffic %s, with %s%s shares over the layers, %s "
            "carries %s of what hosts can send with %s, the best of "
            "%u routings, and %s with %s, the worst.%s",
            found->traffic, article, found->split, network, most, best,
            found->n, least, worst, rest);
    }
}

/* Finds the best and worst routing under a traffic and a split among 'rows'.
 */
static void
find_extremes(const json_t *rows, struct extremes *found)
{
    const json_t *row, *item;
    size_t i, k;

    json_array_foreach(rows, i, row)
    {
        json_array_foreach(json_object_get(row, "throughput"), k, item)
        {
            double mean = sf_results_number(item, "mean");
            if (!is_routing(row) || !isfinite(mean) ||
                strcmp(sf_results_text(item, "traffic", ""), found->traffic) !=
                    0 ||
                strcmp(sf_results_text(item, "split", ""), found->split) !=
                    0) {
                continue;
            }
            if (!found->n || mean > found->most) {
                found->most = mean;
                found->best = row;
            }
            if (!found->n || mean < found->least) {
                found->least = mean;
                found->worst = row;
            }
            found->n++;
        }
    }
}

/* Says what is carried under a traffic: with equal shares if they were
 * measured, and with the best shares. */
static void
tell_traffic(struct results_page *page, const struct result *result,
             const json_t *rows, const char *traffic)
{
    struct extremes found[] = {
        { .traffic = traffic, .split = splits[0] },
        { .traffic = traffic, .split = splits[1] },
    };

    find_extremes(rows, &found[0]);
    find_extremes(rows, &found[1]);
    if (found[0].n) {
        say_traffic(page, result, &found[0], &found[1]);
    } else if (found[1].n) {
        say_traffic(page, result, &found[1], NULL);
    }
}

/* Whether the traffic of the item 'k' stands in 'items' before it. */
static bool
is_told(const json_t *items, size_t k)
{
    const char *traffic =
        sf_results_text(json_array_get(items, k), "traffic", "");

    for (size_t i = 0; i < k; i++) {
        if (!strcmp(sf_results_text(json_array_get(items, i), "traffic", ""),
                    traffic)) {
            return true;
        }
    }
    return false;
}

void
sf_results_tell_analysis(struct results_page *page,
                         const struct result *result)
{
    const json_t *rows = sf_results_array(page, result->root, "rows"), *row;
    const json_t *item, *items;
    const char *network =
        sf_results_text(result->root, "network", "The network");
    char text[3][RESULTS_VALUE_SIZE];
    size_t i, n_told = 0;

    json_array_foreach(rows, i, row)
    {
        const json_t *paths = json_object_get(row, "paths");
        if (is_routing(row) && json_is_object(paths) && n_told++ < MAX_TOLD) {
            sf_results_say(
                page, RESULTS_CARRIES, RESULTS_FACT,
                "On %s, routing %s has paths of %s hops on average; "
                "of the paths between two switches, %s share no link "
                "on average.",
                network, name_routing(row, text[0]),
                sf_results_format(sf_results_number(paths, "mean_hops"),
                                  RESULTS_PLAIN, text[1]),
                sf_results_format(sf_results_number(paths, "mean_disjoint"),
                                  RESULTS_PLAIN, text[2]));
        }
    }
    if (n_told > MAX_TOLD) {
        sf_results_say(page, RESULTS_CARRIES, RESULTS_FACT, "%s in %s.",
                       sf_results_things((double)(n_told - MAX_TOLD),
                                         "more routing is",
                                         "more routings are", text[0]),
                       result->path);
    }
    items = json_object_get(json_array_get(rows, 0), "throughput");
    json_array_foreach(items, i, item)
    {
        if (!is_told(items, i)) {
            tell_traffic(page, result, rows,
                         sf_results_text(item, "traffic", ""));
        }
    }
}

/* What the sentence of a run always says. */
static const char *const said_of_runs[] = { "network",      "routing",
                                            "layers",       "workload",
                                            "offered_load", NULL };

/* Whether both rows have the same at 'member'. */
static bool
are_alike(const json_t *a, const json_t *b, const char *member)
{
    const json_t *x = sf_results_find(a, member),
                 *y = sf_results_find(b, member);

    return x == y || (x && y && json_equal(x, y));
}

/* Whether there is a run that only 'member', or what else is not said, tells
 * from the run 'row'. */
static bool
must_say(const json_t *rows, const json_t *row, const char *member)
{
    const json_t *other;
    size_t i;

    json_array_foreach(rows, i, other)
    {
        bool is_needed = !are_alike(row, other, member);
        for (size_t k = 0; is_needed && said_of_runs[k]; k++) {
            is_needed = are_alike(row, other, said_of_runs[k]);
        }
        if (is_needed) {
            return true;
        }
    }
    return false;
}

/* Writes ", placement: racks" and what else tells the run 'row' from others
 * of which the same would be said. */
static void
name_settings(const struct result *result, const json_t *rows,
              const json_t *row, char *text, size_t size)
{
    size_t n = 0;

    text[0] = '\0';
    for (const struct results_column *column = result->kind->tables->columns;
         column->title && n < size; column++) {
        const json_t *value = sf_results_find(row, column->member);
        char number[RESULTS_VALUE_SIZE] = "none";
        if (!column->is_setting || json_is_boolean(value) ||
            !must_say(rows, row, column->member)) {
            continue;
        }
        if (json_is_number(value)) {
            sf_results_format(json_number_value(value), column->unit, number);
        }
        int length = snprintf(text + n, size - n, ", %s: %s", column->title,
                              json_is_string(value) ? json_string_value(value)
                                                    : number);
        n += length > 0 ? (size_t)length : 0;
    }
}

static void
tell_run(struct results_page *page, const struct result *result,
         const json_t *rows, const json_t *row)
{
    char settings[512];
    char throughput[RESULTS_VALUE_SIZE], other[RESULTS_VALUE_SIZE];
    char layers[RESULTS_VALUE_SIZE];
    bool is_load = isfinite(sf_results_number(row, "offered_load"));

    sf_results_format(sf_results_number(row, "throughput"), RESULTS_PERCENT,
                      throughput);
    sf_results_format(
        sf_results_number(row, is_load ? "offered_load" : "time_s"),
        is_load ? RESULTS_PERCENT : RESULTS_SECONDS, other);
    sf_results_format(sf_results_number(row, "layers"), RESULTS_LABEL, layers);
    name_settings(result, rows, row, settings, sizeof settings);
    sf_results_say(
        page, RESULTS_CARRIES, RESULTS_FACT,
        is_load ? "%s on %s with routing %s (layers: %s%s): of a load of "
                  "%s of what hosts can send, %s arrives."
                : "%s on %s with routing %s (layers: %s%s): all has come "
                  "after %s; throughput is %s of what hosts can send.",
        sf_results_text(row, "workload", "?"),
        sf_results_text(row, "network", "?"),
        sf_results_text(row, "routing", "?"), layers, settings, other,
        throughput);
}

void
sf_results_tell_simulation(struct results_page *page,
                           const struct result *result)
{
    const json_t *rows = sf_results_array(page, result->root, "rows"), *row;
    char text[RESULTS_VALUE_SIZE];
    size_t i, n_dead = 0, n_unfinished = 0, n_told = 0;

    json_array_foreach(rows, i, row)
    {
        const json_t *dead = json_object_get(row, "deadlock");
        bool is_dead = dead && !json_is_null(dead);
        /* A load that is too much has an answer, too: what arrives of it. */
        bool is_done = sf_results_truth(row, "finished") ||
                       sf_results_truth(row, "saturated");
        n_dead += is_dead;
        n_unfinished += !is_dead && !is_done;
        if (is_done && n_told < MAX_TOLD) {
            tell_run(page, result, rows, row);
            n_told++;
        }
    }
    size_t n_rows = json_array_size(rows);
    if (n_rows - n_dead - n_unfinished > n_told) {
        sf_results_say(page, RESULTS_CARRIES, RESULTS_FACT, "%s in %s.",
                       sf_results_things(
                           (double)(n_rows - n_dead - n_unfinished - n_told),
                           "more simulation is", "more simulations are", text),
                       result->path);
    }
    if (n_dead) {
        sf_results_say(page, RESULTS_WRONG, RESULTS_BAD,
                       "%zu of %s ended in a deadlock.", n_dead,
                       sf_results_things((double)n_rows, "simulation",
                                         "simulations", text));
    }
    if (n_unfinished) {
        sf_results_say(page, RESULTS_WRONG, RESULTS_BAD,
                       "%zu of %s did not finish.", n_unfinished,
                       sf_results_things((double)n_rows, "simulation",
                                         "simulations", text));
    }
}

/* How a network fares against the first. */
static void
tell_network(struct results_page *page, const json_t *cells,
             const char *network, const char *reference, bool is_for_money)
{
    size_t i, n = 0, n_ahead = 0, n_behind = 0;
    double sum = 0, most = 0, least = 0;
    const char *best = "?", *worst = "?";
    const json_t *cell;
    char text[4][RESULTS_VALUE_SIZE];

    json_array_foreach(cells, i, cell)
    {
        double gain = sf_results_number(cell, "gain");
        if (!isfinite(gain) ||
            strcmp(sf_results_text(cell, "network", ""), network) != 0) {
            continue;
        }
        if (!n || gain > most) {
            most = gain;
            best = sf_results_text(cell, "benchmark", "?");
        }
        if (!n || gain < least) {
            least = gain;
            worst = sf_results_text(cell, "benchmark", "?");
        }
        sum += gain;
        n_ahead += gain > 0.01;
        n_behind += gain < -0.01;
        n++;
    }
    if (n) {
        sf_results_say(
            page, RESULTS_COMPARED, RESULTS_FACT,
            "%s against %s%s: faster by more than 1 %% in %zu of %s, "
            "slower in %zu; on average %s. The best is "
            "%s (%s), the worst %s (%s).",
            network, reference, is_for_money ? ", for the same money" : "",
            n_ahead,
            sf_results_things((double)n, "measurement", "measurements",
                              text[3]),
            n_behind,
            sf_results_format(sum / (double)n, RESULTS_SIGNED, text[0]),
            sf_results_format(most, RESULTS_SIGNED, text[1]), best,
            sf_results_format(least, RESULTS_SIGNED, text[2]), worst);
    }
}

static void
tell_claims(struct results_page *page, const json_t *claims)
{
    const json_t *claim, *judged;
    char text[RESULTS_VALUE_SIZE];
    size_t i, k, n = 0, n_agree = 0, n_differ = 0;

    json_array_foreach(claims, i, claim)
    {
        json_array_foreach(json_object_get(claim, "judged"), k, judged)
        {
            const char *verdict = sf_results_text(judged, "verdict", "");
            n_agree += !strcmp(verdict, "agrees");
            n_differ += !strcmp(verdict, "differs");
            n++;
        }
    }
    if (n) {
        sf_results_say(
            page, RESULTS_COMPARED, RESULTS_FACT,
            "Of %s of what the paper says, agreeing: %zu, differing: "
            "%zu; the others were not run.",
            sf_results_things((double)n, "judgement", "judgements", text),
            n_agree, n_differ);
    }
}

void
sf_results_tell_evaluation(struct results_page *page,
                           const struct result *result)
{
    const json_t *networks = sf_results_array(page, result->root, "networks");
    const json_t *cells = sf_results_array(page, result->root, "cells");
    const json_t *claims = sf_results_array(page, result->root, "claims");
    const char *first =
        sf_results_text(json_array_get(networks, 0), "spec", "the first");
    bool is_for_money =
        !strcmp(sf_results_text(result->root, "equal", ""), "cost");

    for (size_t i = 1; i < json_array_size(networks); i++) {
        tell_network(page, cells,
                     sf_results_text(json_array_get(networks, i), "spec", ""),
                     first, is_for_money);
    }
    tell_claims(page, claims);
}
