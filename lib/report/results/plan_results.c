/* plan_results.c -- what a plan, a design and a topology say. */
#define _GNU_SOURCE
#include "report/diagram.h"
#include "report/results/parts.h"
#include "report/summary.h"

#include <math.h>
#include <string.h>

/* What a network costs, if a design or an evaluation on the page says so: the
 * file that does, or NULL. */
static const char *
find_cost(const struct results_page *page, const char *spec, double *costp,
          const char **currencyp)
{
    static const char *const lists[] = { "candidates", "networks" };

    for (uint32_t i = 0; i < page->n_results; i++) {
        const struct result *result = page->results[i];
        for (int k = 0; k < 2; k++) {
            const json_t *item;
            size_t n;
            json_array_foreach(json_object_get(result->root, lists[k]), n,
                               item)
            {
                double cost = sf_results_number(item, "cost");
                if (isfinite(cost) &&
                    !strcmp(sf_results_text(item, "spec", ""), spec)) {
                    *costp = cost;
                    *currencyp = sf_results_text(result->root,
                                                 "prices.currency", "USD");
                    return result->path;
                }
            }
        }
    }
    return NULL;
}

void
sf_results_tell_plan(struct results_page *page, const struct result *result)
{
    const struct sf_plan *plan = result->plan;
    uint32_t n_switches = plan->fabric->n_switches;
    uint32_t n_hosts = plan->fabric->n_nodes - n_switches, n_optical = 0;
    double metres = 0, cost;
    const char *currency;
    char text[3][RESULTS_VALUE_SIZE];

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        n_optical += plan->cables[i].medium == SF_OPTICAL;
        metres += plan->cables[i].length;
    }
    sf_results_say(page, RESULTS_PLANNED, RESULTS_FACT,
                   "%s (%s) is planned: %s switches and %s hosts in %u racks, "
                   "%s cables of %.0f m together, %u of them optical.",
                   plan->spec, plan->title,
                   sf_results_format(n_switches, RESULTS_COUNT, text[0]),
                   sf_results_format(n_hosts, RESULTS_COUNT, text[1]),
                   plan->n_racks,
                   sf_results_format(plan->n_cables, RESULTS_COUNT, text[2]),
                   metres, n_optical);
    const char *path = find_cost(page, plan->spec, &cost, &currency);
    if (path && n_hosts) {
        sf_results_say(
            page, RESULTS_PLANNED, RESULTS_FACT,
            "%s costs %s %s by the prices of %s: %s %s a host.", plan->spec,
            sf_results_format(cost, RESULTS_COUNT, text[0]), currency, path,
            sf_results_format(cost / n_hosts, RESULTS_COUNT, text[1]),
            currency);
    }
}

/* Cables that are alike. */
struct alike {
    enum sf_step step;
    enum sf_medium medium;
    double length;
    uint32_t n;
    double metres;
};

static int
compare_alike(const void *a, const void *b)
{
    const struct alike *x = a, *y = b;

    if (x->step != y->step) {
        return x->step < y->step ? -1 : 1;
    }
    if (x->medium != y->medium) {
        return x->medium < y->medium ? -1 : 1;
    }
    return (x->length > y->length) - (x->length < y->length);
}

/* Cables by step, medium and length; NULL if memory ran out. */
static json_t *
count_cables(const struct sf_plan *plan)
{
    json_t *kinds = json_array();
    SF_VEC(struct alike) all = { 0 };

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        struct alike new = { cable->step, cable->medium, cable->length, 1,
                             cable->length };
        size_t k = 0;
        while (k < all.n && compare_alike(&all.items[k], &new) != 0) {
            k++;
        }
        if (k < all.n) {
            all.items[k].n++;
            all.items[k].metres += cable->length;
        } else if (!sf_vec_push(&all, new)) {
            json_decref(kinds);
            kinds = NULL;
            break;
        }
    }
    if (all.n) {
        qsort(all.items, all.n, sizeof *all.items, compare_alike);
    }
    for (size_t k = 0; kinds && k < all.n; k++) {
        const struct alike *kind = &all.items[k];
        char title[SF_STEP_TITLE_SIZE];
        json_array_append_new(
            kinds,
            json_pack("{s:i, s:s, s:s, s:f, s:I, s:f}", "step",
                      (int)kind->step, "title",
                      sf_plan_step_title(plan, kind->step, title), "medium",
                      sf_medium_name(kind->medium), "length", kind->length,
                      "cables", (json_int_t)kind->n, "metres", kind->metres));
    }
    free(all.items);
    return kinds;
}

/* What stands in each rack, and the ends of cables in it. */
static json_t *
count_racks(const struct sf_plan *plan)
{
    uint32_t(*counts)[3] = sf_calloc(plan->n_racks, sizeof *counts);
    json_t *racks = counts ? json_array() : NULL;

    for (uint32_t i = 0; counts && i < plan->fabric->n_nodes; i++) {
        uint32_t rack = plan->fabric->nodes[i].rack;
        counts[rack][i >= plan->fabric->n_switches]++;
    }
    for (uint32_t i = 0; counts && i < plan->n_cables; i++) {
        const uint32_t ends[] = { plan->cables[i].a, plan->cables[i].b };
        for (int k = 0; k < 2; k++) {
            uint32_t node = plan->fabric->ports[ends[k]].node;
            counts[plan->fabric->nodes[node].rack][2]++;
        }
    }
    for (uint32_t i = 0; counts && i < plan->n_racks; i++) {
        const struct sf_rack *rack = &plan->racks[i];
        json_array_append_new(
            racks, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "rack",
                             rack->name, "row", (json_int_t)rack->row,
                             "column", (json_int_t)rack->column, "switches",
                             (json_int_t)counts[i][0], "hosts",
                             (json_int_t)counts[i][1], "ends",
                             (json_int_t)counts[i][2]));
    }
    free(counts);
    return racks;
}

static const struct results_column cable_columns[] = {
    { "step", "step", RESULTS_LABEL, .hint = "The step of wiring" },
    RESULTS_COLUMN("where", "title", RESULTS_PLAIN),
    RESULTS_COLUMN("medium", "medium", RESULTS_PLAIN),
    RESULTS_COLUMN("length, m", "length", RESULTS_PLAIN),
    RESULTS_COLUMN("cables", "cables", RESULTS_COUNT),
    RESULTS_COLUMN("together, m", "metres", RESULTS_PLAIN),
    { 0 },
};

static const struct results_column rack_columns[] = {
    RESULTS_COLUMN("rack", "rack", RESULTS_PLAIN),
    RESULTS_COLUMN("row", "row", RESULTS_LABEL),
    RESULTS_COLUMN("column", "column", RESULTS_LABEL),
    RESULTS_COLUMN("switches", "switches", RESULTS_COUNT),
    RESULTS_COLUMN("hosts", "hosts", RESULTS_COUNT),
    RESULTS_COLUMN("ends of cables", "ends", RESULTS_COUNT),
    { 0 },
};

/* Draws the hall as a figure of the page. */
static void
show_hall(struct results_page *page, const struct result *result)
{
    char *text = NULL;
    size_t length;
    FILE *file = page->stream, *stream = open_memstream(&text, &length);

    if (!stream) {
        sf_json_fail_memory(&page->reader);
        return;
    }
    enum sf_status status =
        sf_summary_write_hall(result->plan, stream, page->reader.err);
    if (fclose(stream) != 0) {
        sf_json_fail_memory(&page->reader);
    } else if (status != SF_OK) {
        page->reader.status = status;
    } else {
        fprintf(file,
                "<h3>The hall</h3>\n<figure><div class=\"figure hall\">\n"
                "<style>%s</style>\n%s</div>\n<figcaption>",
                sf_diagram_style, text);
        sf_results_write_origin(result->root, result->path, file);
        fputs("</figcaption></figure>\n", file);
    }
    free(text);
}

void
sf_results_show_plan(struct results_page *page, const struct result *result)
{
    static const struct results_table tables[] = {
        { "Cables", "cables", .columns = cable_columns, .file = "cables.csv" },
        { "Racks", "racks", .columns = rack_columns },
    };
    json_t *root =
        json_pack("{s:o, s:o}", "cables", count_cables(result->plan), "racks",
                  count_racks(result->plan));

    if (!root) {
        sf_json_fail_memory(&page->reader);
        return;
    }
    for (int i = 0; i < 2; i++) {
        sf_results_write_table(page, root, &tables[i]);
    }
    json_decref(root);
    show_hall(page, result);
}

/* Says what is known of a candidate, which 'what' it is. */
static void
tell_candidate(struct results_page *page, enum results_topic topic,
               const char *what, const json_t *candidate, const char *currency)
{
    char text[5][RESULTS_VALUE_SIZE];

    sf_results_say(
        page, topic, RESULTS_FACT,
        "%s is %s: %s hosts, %s switches, %s %s. It carries at most %s under "
        "uniform traffic and %s under the worst permutation.",
        what, sf_results_text(candidate, "spec", "?"),
        sf_results_format(sf_results_number(candidate, "n_endpoints"),
                          RESULTS_COUNT, text[0]),
        sf_results_format(sf_results_number(candidate, "n_switches"),
                          RESULTS_COUNT, text[1]),
        sf_results_format(sf_results_number(candidate, "cost"), RESULTS_COUNT,
                          text[2]),
        currency,
        sf_results_format(sf_results_number(candidate, "uniform_at_most"),
                          RESULTS_PERCENT, text[3]),
        sf_results_format(sf_results_number(candidate, "permutation_at_most"),
                          RESULTS_PERCENT, text[4]));
}

void
sf_results_tell_design(struct results_page *page, const struct result *result)
{
    const json_t *candidates =
        sf_results_array(page, result->root, "candidates");
    const json_t *best = json_array_get(candidates, 0), *item;
    const json_t *slim_fly = NULL, *non_blocking = NULL;
    const char *currency =
        sf_results_text(result->root, "prices.currency", "USD");
    char what[128];
    size_t i;

    if (!best) {
        sf_results_say(page, RESULTS_PLANNED, RESULTS_BAD,
                       "No network fits what design was asked for.");
        return;
    }
    json_array_foreach(candidates, i, item)
    {
        if (!slim_fly && !strcmp(sf_results_text(item, "family", ""), "sf")) {
            slim_fly = item;
        }
        if (!non_blocking && sf_results_truth(item, "non_blocking")) {
            non_blocking = item;
        }
    }
    snprintf(what, sizeof what,
             "Of %zu networks that design looked at, the first by %.32s",
             json_array_size(candidates),
             sf_results_text(result->root, "question.sort", "its order"));
    tell_candidate(page, RESULTS_PLANNED, what, best, currency);
    if (slim_fly && slim_fly != best) {
        tell_candidate(page, RESULTS_COMPARED, "The first Slim Fly", slim_fly,
                       currency);
    }
    if (non_blocking && non_blocking != best) {
        tell_candidate(page, RESULTS_COMPARED,
                       "The first network that is non-blocking", non_blocking,
                       currency);
    }
}

void
sf_results_tell_topology(struct results_page *page,
                         const struct result *result)
{
    const json_t *root = result->root;
    char text[3][RESULTS_VALUE_SIZE];

    sf_results_say(
        page, RESULTS_PLANNED,
        sf_results_truth(root, "connected") ? RESULTS_FACT : RESULTS_BAD,
        "%s has %s switches, %s hosts and %s links between switches%s.",
        sf_results_text(root, "spec", "The network"),
        sf_results_format(sf_results_number(root, "n_switches"), RESULTS_COUNT,
                          text[0]),
        sf_results_format(sf_results_number(root, "n_endpoints"),
                          RESULTS_COUNT, text[1]),
        sf_results_format(sf_results_number(root, "n_links"), RESULTS_COUNT,
                          text[2]),
        sf_results_truth(root, "connected") ? "" : ", and is not connected");
}
