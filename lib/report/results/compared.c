/* compared.c -- what a comparison of networks says. */
#include "report/results/parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many answers of a comparison the summary has. */
#define MAX_ANSWERS 16

/* Smaller gaps of bounds are not told by their number. */
#define LEAST_GAP 0.001

void
sf_results_tell_comparison(struct results_page *page,
                           const struct result *result)
{
    const json_t *answers = json_object_get(result->root, "answers"), *answer;
    size_t i;

    sf_results_array(page, result->root, "networks");
    if (!json_is_array(answers)) {
        sf_json_refuse(&page->reader, "answers: expected an array");
        return;
    }
    json_array_foreach(answers, i, answer)
    {
        const char *text = json_string_value(answer);
        if (text && *text && i < MAX_ANSWERS) {
            sf_results_say(page, RESULTS_COMPARED, RESULTS_FACT, "%s", text);
        }
    }
}

/* How figures are called and written.  Others go by the words of their keys.
 */
static const struct results_column known_figures[] = {
    RESULTS_COLUMN("hosts", "hosts", RESULTS_COUNT),
    RESULTS_COLUMN("switches", "switches", RESULTS_COUNT),
    RESULTS_COLUMN("ports of a switch", "switch_ports", RESULTS_COUNT),
    RESULTS_COLUMN("rate of a link", "rate", RESULTS_PLAIN),
    RESULTS_COLUMN("ports used of a switch, most", "ports_used",
                   RESULTS_COUNT),
    RESULTS_COLUMN("links between switches", "links", RESULTS_COUNT),
    RESULTS_COLUMN("cables, also of hosts", "cables", RESULTS_COUNT),
    RESULTS_COLUMN("optical cables", "optical_cables", RESULTS_COUNT),
    RESULTS_COLUMN("length of all cables, m", "cable_metres", RESULTS_COUNT),
    RESULTS_COLUMN("racks", "racks", RESULTS_COUNT),
    RESULTS_COLUMN("cost", "cost", RESULTS_COUNT),
    RESULTS_COLUMN("cost for each host", "cost_per_host", RESULTS_COUNT),
    RESULTS_COLUMN("power, W", "watts", RESULTS_COUNT),
    RESULTS_COLUMN("routing", "routing", RESULTS_PLAIN),
    RESULTS_COLUMN("virtual lanes by", "lanes", RESULTS_PLAIN),
    RESULTS_COLUMN("virtual lanes", "vls", RESULTS_COUNT),
    RESULTS_COLUMN("hops of shortest paths, mean", "mean_distance",
                   RESULTS_PLAIN),
    RESULTS_COLUMN("hops of paths, mean", "mean_hops", RESULTS_PLAIN),
    RESULTS_COLUMN("hops of paths, most", "longest_path", RESULTS_COUNT),
    RESULTS_COLUMN("disjoint paths of a pair of switches, mean",
                   "disjoint_paths", RESULTS_PLAIN),
    RESULTS_COLUMN("bisection in links for each host, upper bound",
                   "bisection_at_most", RESULTS_PLAIN),
    RESULTS_COLUMN("bisection in links for each host, lower bound",
                   "bisection_at_least", RESULTS_PLAIN),
    RESULTS_COLUMN("latency at 10 % uniform load, mean", "latency_s",
                   RESULTS_SECONDS),
    RESULTS_COLUMN("latency at 10 % uniform load, 99th percentile",
                   "latency_p99_s", RESULTS_SECONDS),
    RESULTS_COLUMN("highest uniform load that it takes in full", "load_taken",
                   RESULTS_PERCENT),
    RESULTS_COLUMN("lowest uniform load that is too much", "load_refused",
                   RESULTS_PERCENT),
    RESULTS_COLUMN("what arrives of a uniform load of 100 %",
                   "accepted_at_full_load", RESULTS_PERCENT),
    RESULTS_COLUMN(
        "uniform load that it takes, in hosts at full rate for each "
        "million of cost",
        "load_taken_per_million", RESULTS_COUNT),
    RESULTS_COLUMN(
        "links that fail at random until two hosts are cut off, mean",
        "links_until_cut", RESULTS_PLAIN),
    RESULTS_COLUMN("fewest links whose failure cuts two hosts off",
                   "least_links_of_cut", RESULTS_COUNT),
    RESULTS_COLUMN("fewest switches whose failure cuts two hosts off",
                   "least_switches_of_cut", RESULTS_COUNT),
    { 0 },
};

static const struct results_column *
find_figure(const char *key)
{
    const struct results_column *figure = known_figures;

    while (figure->title && strcmp(figure->member, key) != 0) {
        figure++;
    }
    return figure->title ? figure : NULL;
}

/* What the figure 'key' is called; a cost has the currency. */
static json_t *
make_title(const char *key, const struct results_column *figure,
           const char *currency)
{
    char title[128];

    snprintf(title, sizeof title, "%s", figure ? figure->title : key);
    for (char *at = strchr(title, '_'); !figure && at; at = strchr(at, '_')) {
        *at = ' ';
    }
    if (currency && !strncmp(key, "cost", strlen("cost"))) {
        size_t length = strlen(title);
        snprintf(title + length, sizeof title - length, ", %s", currency);
    }
    return json_string(title);
}

/* The value of a figure for a table whose rows have units of their own. */
static json_t *
make_value(json_t *value, const struct results_column *figure)
{
    char text[RESULTS_VALUE_SIZE];

    if (json_is_number(value) && figure &&
        (figure->unit == RESULTS_PERCENT || figure->unit == RESULTS_SECONDS)) {
        return json_string(
            sf_results_format(json_number_value(value), figure->unit, text));
    }
    return json_incref(value);
}

/* The figures of all networks, a row each, with a column for each network. */
static json_t *
make_figures(const json_t *networks, const char *currency)
{
    json_t *rows = json_array(), *value;
    json_t *first = json_object_get(json_array_get(networks, 0), "figures");
    const char *key;

    json_object_foreach(first, key, value)
    {
        const struct results_column *figure = find_figure(key);
        json_t *row =
            json_pack("{s:o}", "figure", make_title(key, figure, currency));
        for (size_t k = 0; k < json_array_size(networks); k++) {
            const json_t *network = json_array_get(networks, k);
            json_t *mine =
                json_object_get(json_object_get(network, "figures"), key);
            char member[24];
            snprintf(member, sizeof member, "n%zu", k);
            json_object_set_new(row, member, make_value(mine, figure));
        }
        json_array_append_new(rows, row);
    }
    return json_pack("{s:o}", "rows", rows);
}

static const struct results_column carried_columns[] = {
    RESULTS_COLUMN("network", "name", RESULTS_PLAIN),
    RESULTS_SETTING("traffic", "traffic", RESULTS_PLAIN),
    { "split", "split", RESULTS_PLAIN, true,
      "How senders share traffic over the layers" },
    { "throughput", "mean", RESULTS_PERCENT,
      .hint = "Of what hosts can send, the mean of all seeds" },
    RESULTS_COLUMN("least", "min", RESULTS_PERCENT),
    RESULTS_COLUMN("most", "max", RESULTS_PERCENT),
    { "gap", "gap", RESULTS_PERCENT, .hint = "How far the bounds are apart" },
    { 0 },
};

static const struct results_column failure_columns[] = {
    RESULTS_COLUMN("network", "network", RESULTS_PLAIN),
    RESULTS_SETTING("what failed", "kind", RESULTS_PLAIN),
    { "part", "share", RESULTS_PERCENT, true, "Of all links or switches" },
    RESULTS_SETTING("runs", "runs", RESULTS_COUNT),
    { "cut apart", "disconnected", RESULTS_COUNT, true,
      "Runs in which some hosts that are left cannot reach others" },
    { "made anew", "made_anew", RESULTS_COUNT, true,
      "Runs in which the routing could not be repaired within its lanes" },
    { "another routing", "fallback", RESULTS_COUNT, true,
      "Runs in which the routing asked for was impossible, and the default "
      "routing was used" },
    RESULTS_SETTING("traffic", "traffic", RESULTS_PLAIN),
    RESULTS_SETTING("split", "split", RESULTS_PLAIN),
    { "throughput", "carried.mean", RESULTS_PERCENT,
      .hint =
          "Of what hosts that are left can send, and of traffic that still "
          "has a path; the mean of all runs" },
    RESULTS_COLUMN("least", "carried.min", RESULTS_PERCENT),
    { "without a path", "left_out.mean", RESULTS_PERCENT, true,
      "Of the traffic between hosts that are left" },
    RESULTS_COLUMN("pairs that reach each other", "figures.reached.mean",
                   RESULTS_PERCENT),
    RESULTS_COLUMN("hops, most", "figures.longest_path.mean", RESULTS_PLAIN),
    { "busiest link", "figures.busiest_link.mean", RESULTS_PLAIN,
      .hint = "Under all-to-all, in rates of a host" },
    RESULTS_COLUMN("entries that change", "figures.entries_changed_share.mean",
                   RESULTS_PERCENT),
    { "CPU time of a repair", "figures.repair_seconds.mean", RESULTS_SECONDS,
      .hint = "Of one core" },
    { 0 },
};

/* What is left of each network after failures: a row for each traffic. */
static json_t *
make_failures(const json_t *networks)
{
    json_t *rows = json_array(), *traffic, *point;
    const json_t *network;
    size_t i, k, n;

    json_array_foreach(networks, i, network)
    {
        json_t *failures = json_object_get(network, "failures");
        json_array_foreach(json_object_get(failures, "points"), k, point)
        {
            json_array_foreach(json_object_get(point, "throughput"), n,
                               traffic)
            {
                json_t *row = json_copy(traffic);
                json_object_update_missing(row, point);
                json_object_set(row, "network",
                                json_object_get(network, "name"));
                if (!(json_number_value(json_object_get(point, "share")) >
                      0)) {
                    json_object_set_new(row, "share", json_null());
                }
                json_array_append_new(rows, row);
            }
        }
    }
    return json_pack("{s:o}", "rows", rows);
}

static void
show_failures(struct results_page *page, const json_t *networks)
{
    static const struct results_table table = { "After failures, repaired",
                                                "rows",
                                                .columns = failure_columns,
                                                .is_silent = true };
    json_t *root = make_failures(networks);

    if (root) {
        sf_results_write_table(page, root, &table);
    } else {
        sf_json_fail_memory(&page->reader);
    }
    json_decref(root);
}

/* The largest number at 'member' of the objects in 'items'; 'most' if none is
 * larger. */
static double
find_most(const json_t *items, const char *member, double most)
{
    const json_t *item;
    size_t i;

    json_array_foreach(items, i, item)
    {
        most = fmax(most, sf_results_number(item, member));
    }
    return most;
}

/* Says what the figures rest on, as far as the file knows. */
static void
show_assumptions(struct results_page *page, const json_t *networks)
{
    double gap = -1, n_draws = 0;
    bool has_load = false;
    char text[RESULTS_VALUE_SIZE];
    const json_t *network;
    size_t i;

    json_array_foreach(networks, i, network)
    {
        gap = find_most(json_object_get(network, "throughput"), "gap", gap);
        n_draws = find_most(sf_results_find(network, "failures.points"),
                            "runs", n_draws);
        has_load |= isfinite(sf_results_number(network, "figures.latency_s"));
    }
    fputs("<h3>What the figures assume</h3>\n<ul>\n"
          "<li>Equal shares: each layer carries the same part of a demand, as "
          "hosts do that take addresses in turn.</li>\n"
          "<li>Best shares: each layer carries what the traffic needs, which "
          "no routing of these paths exceeds.</li>\n",
          page->stream);
    if (gap >= 0) {
        bool is_tiny = gap < LEAST_GAP;
        fprintf(page->stream,
                "<li>Throughput lies between two bounds, which are %s %s "
                "apart.</li>\n",
                is_tiny ? "less than" : "at most",
                sf_results_format(is_tiny ? LEAST_GAP : gap, RESULTS_PERCENT,
                                  text));
    }
    if (has_load) {
        fputs("<li>Uniform load is simulated packet by packet: every host "
              "sends to every other, with equal shares.</li>\n",
              page->stream);
    }
    if (n_draws > 0) {
        fprintf(
            page->stream,
            "<li>Figures after failures are means of %s of failures and of "
            "traffic, with equal shares. Throughput is that of hosts that "
            "are left and of traffic that still has a path.</li>\n",
            sf_results_things(n_draws, "draw", "draws", text));
    }
    fputs("</ul>\n", page->stream);
}

static const struct results_table carried = { "Throughput", "networks",
                                              "throughput",
                                              .columns = carried_columns,
                                              .is_silent = true };

void
sf_results_show_comparison(struct results_page *page,
                           const struct result *result)
{
    enum {
        MAX = 16
    };
    const json_t *networks = sf_results_array(page, result->root, "networks");
    struct results_column columns[MAX + 2] = {
        RESULTS_COLUMN("figure", "figure", RESULTS_PLAIN),
    };
    char members[MAX][8];
    struct results_table table = { "Side by side", "rows",
                                   .file = "comparison.csv",
                                   .columns = columns, .is_fixed = true };
    json_t *root = make_figures(
        networks, sf_results_text(result->root, "currency", NULL));

    for (size_t k = 0; k < json_array_size(networks) && k < MAX; k++) {
        snprintf(members[k], sizeof members[k], "n%zu", k);
        columns[k + 1].title =
            sf_results_text(json_array_get(networks, k), "name", "?");
        columns[k + 1].member = members[k];
        columns[k + 1].unit = RESULTS_MIXED;
    }
    show_assumptions(page, networks);
    if (root) {
        sf_results_write_table(page, root, &table);
    } else {
        sf_json_fail_memory(&page->reader);
    }
    json_decref(root);
    sf_results_write_table(page, result->root, &carried);
    show_failures(page, networks);
}
