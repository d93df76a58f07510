/* speed.c -- what an analysis, simulations and an evaluation say: what
 * networks carry, and how they compare. */
#include "report/results/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many rows of one result the summary tells. */
#define MAX_TOLD 4

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

static void
tell_traffic(struct results_page *page, const struct result *result,
             const struct extremes *found)
{
    char most[RESULTS_VALUE_SIZE], least[RESULTS_VALUE_SIZE];
    char best[RESULTS_VALUE_SIZE], worst[RESULTS_VALUE_SIZE];
    const char *network =
        sf_results_text(result->root, "network", "The network");

    if (!found->n) {
        return;
    }
    sf_results_format(found->most, RESULTS_PERCENT, most);
    sf_results_format(found->least, RESULTS_PERCENT, least);
    name_routing(found->best, best);
    name_routing(found->worst, worst);
    if (!strcmp(most, least)) {
        sf_results_say(
            page, RESULTS_CARRIES, RESULTS_FACT,
            "Under traffic %s, %s carries %s of what hosts can send, "
            "with %s%s.",
            found->traffic, network, most,
            found->n > 1 ? "any routing that was tried, such as " : "", best);
    } else {
        sf_results_say(
            page, RESULTS_CARRIES, RESULTS_FACT,
            "Under traffic %s, %s carries %s of what hosts can send "
            "with %s, the best of %u routings, and %s with %s, the "
            "worst.",
            found->traffic, network, most, best, found->n, least, worst);
    }
}

/* Finds the best and worst routing under a traffic among 'rows', with the
 * split that comes first. */
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
        sf_results_say(page, RESULTS_CARRIES, RESULTS_FACT,
                       "There are %zu more routings in %s.", n_told - MAX_TOLD,
                       result->path);
    }
    items = json_object_get(json_array_get(rows, 0), "throughput");
    json_array_foreach(items, i, item)
    {
        struct extremes found = { .traffic =
                                      sf_results_text(item, "traffic", ""),
                                  .split =
                                      sf_results_text(item, "split", "") };
        if (!is_told(items, i)) {
            find_extremes(rows, &found);
            tell_traffic(page, result, &found);
        }
    }
}

static void
tell_run(struct results_page *page, const json_t *row)
{
    char throughput[RESULTS_VALUE_SIZE], other[RESULTS_VALUE_SIZE];
    char layers[RESULTS_VALUE_SIZE];
    bool is_load = isfinite(sf_results_number(row, "offered_load"));

    sf_results_format(sf_results_number(row, "throughput"), RESULTS_PERCENT,
                      throughput);
    sf_results_format(
        sf_results_number(row, is_load ? "offered_load" : "time_s"),
        is_load ? RESULTS_PERCENT : RESULTS_SECONDS, other);
    sf_results_format(sf_results_number(row, "layers"), RESULTS_LABEL, layers);
    sf_results_say(
        page, RESULTS_CARRIES, RESULTS_FACT,
        is_load ? "%s on %s with routing %s (layers: %s): of a load of "
                  "%s of what hosts can send, %s arrives."
                : "%s on %s with routing %s (layers: %s): all has come "
                  "after %s; throughput is %s of what hosts can send.",
        sf_results_text(row, "workload", "?"),
        sf_results_text(row, "network", "?"),
        sf_results_text(row, "routing", "?"), layers, other, throughput);
}

void
sf_results_tell_simulation(struct results_page *page,
                           const struct result *result)
{
    const json_t *rows = sf_results_array(page, result->root, "rows"), *row;
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
            tell_run(page, row);
            n_told++;
        }
    }
    if (json_array_size(rows) - n_dead - n_unfinished > n_told) {
        sf_results_say(page, RESULTS_CARRIES, RESULTS_FACT,
                       "There are %zu more simulations in %s.",
                       json_array_size(rows) - n_dead - n_unfinished - n_told,
                       result->path);
    }
    if (n_dead) {
        sf_results_say(page, RESULTS_WRONG, RESULTS_BAD,
                       "%zu of %zu simulations ended in a deadlock.", n_dead,
                       json_array_size(rows));
    }
    if (n_unfinished) {
        sf_results_say(page, RESULTS_WRONG, RESULTS_BAD,
                       "%zu of %zu simulations did not finish.", n_unfinished,
                       json_array_size(rows));
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
    char text[3][RESULTS_VALUE_SIZE];

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
            "%s against %s%s: faster by more than 1 %% in %zu of %zu "
            "measurements, slower in %zu; on average %s. The best is "
            "%s (%s), the worst %s (%s).",
            network, reference, is_for_money ? ", for the same money" : "",
            n_ahead, n, n_behind,
            sf_results_format(sum / (double)n, RESULTS_SIGNED, text[0]),
            sf_results_format(most, RESULTS_SIGNED, text[1]), best,
            sf_results_format(least, RESULTS_SIGNED, text[2]), worst);
    }
}

static void
tell_claims(struct results_page *page, const json_t *claims)
{
    const json_t *claim, *judged;
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
            "Of %zu judgements of what the paper says, %zu agree and "
            "%zu differ; the others were not run.",
            n, n_agree, n_differ);
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
