/* failures.c -- from the question to the answer: the healthy network, the
 * points, all runs, and what they come to. */
#include "base/mem.h"
#include "failures/study.h"

#include <math.h>
#include <string.h>

const char *
sf_failure_kind_name(enum sf_failure_kind kind)
{
    static const char *const names[] = {
        [SF_FAILURE_NONE] = "none",         [SF_FAILURE_LINKS] = "links",
        [SF_FAILURE_SWITCHES] = "switches", [SF_FAILURE_RACK] = "rack",
        [SF_FAILURE_BUNDLE] = "bundle",
    };
    return names[kind];
}

const char *
sf_failure_figure_name(enum sf_failure_figure figure)
{
    static const char *const names[] = {
        [SF_FAILURE_DEAD_LINKS] = "dead_links",
        [SF_FAILURE_DEAD_SWITCHES] = "dead_switches",
        [SF_FAILURE_DEAD_HOSTS] = "dead_hosts",
        [SF_FAILURE_REACHED] = "reached",
        [SF_FAILURE_REACHED_ALL] = "reached_all",
        [SF_FAILURE_LONGEST] = "longest_path",
        [SF_FAILURE_MEAN_HOPS] = "mean_hops",
        [SF_FAILURE_LOAD] = "busiest_link",
        [SF_FAILURE_CHANGED] = "entries_changed",
        [SF_FAILURE_CHANGED_SHARE] = "entries_changed_share",
        [SF_FAILURE_SECONDS] = "repair_seconds",
    };
    return names[figure];
}

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for a study of failures");
}

static enum sf_status
check(const struct sf_failures_params *params, struct sf_error *err)
{
    if (!params->plan) {
        return sf_fail(err, SF_EINVAL, "expected a plan");
    }
    for (uint32_t i = 0; i < params->n_shares; i++) {
        if (!(params->shares[i] > 0 && params->shares[i] <= 1)) {
            return sf_fail(err, SF_EINVAL,
                           "expected shares above 0 and up to 1, found %g",
                           params->shares[i]);
        }
    }
    for (uint32_t i = 0; i < params->n_traffics; i++) {
        if (sf_traffic_takes_path(params->traffics[i])) {
            return sf_fail(err, SF_EINVAL,
                           "traffic '%s' names hosts that may fail: expected "
                           "another kind",
                           params->traffics[i]);
        }
    }
    if (params->n_traffics > 0 && params->without_splits[SF_SPLIT_BEST] &&
        params->without_splits[SF_SPLIT_EQUAL]) {
        return sf_fail(err, SF_EINVAL,
                       "expected a split of the traffic, found all left out");
    }
    return SF_OK;
}

/* Notes which ports are those of which links and hosts. */
static enum sf_status
list_ports(struct sf_failure_study *study, struct sf_error *err)
{
    const struct sf_network *network = study->network;
    const struct sf_graph *graph = network->graph;
    size_t n_ports = network->fabric->n_ports;

    study->link_of_port = sf_calloc(n_ports, sizeof *study->link_of_port);
    study->host_of_port = sf_calloc(n_ports, sizeof *study->host_of_port);
    if (!study->link_of_port || !study->host_of_port) {
        return fail_memory(err);
    }
    memset(study->link_of_port, 0xff, n_ports * sizeof(uint32_t));
    memset(study->host_of_port, 0xff, n_ports * sizeof(uint32_t));
    for (uint32_t i = 0; i < 2 * graph->n_links; i++) {
        study->link_of_port[network->arc_ports[i]] = graph->arcs[i].link;
    }
    for (uint32_t h = 0; h < sf_network_count_hosts(network); h++) {
        study->host_of_port[network->host_ports[h]] = h;
    }
    return SF_OK;
}

/* Routes the healthy network.  Faults may take it apart and lengthen paths, as
 * with the plugin. */
static enum sf_status
prepare(struct sf_failure_study *study, struct sf_error *err)
{
    struct sf_failures *failures = study->failures;
    enum sf_status status =
        sf_network_build(study->params->plan->fabric, &study->network, err);

    study->asked = study->params->routing;
    study->asked.layers.may_exceed = true;
    study->asked.layers.within_parts = true;
    if (status == SF_OK) {
        failures->n_switches = study->network->graph->n_nodes;
        failures->n_links = study->network->graph->n_links;
        failures->n_hosts = sf_network_count_hosts(study->network);
        status = failures->n_hosts >= 2
                     ? SF_OK
                     : sf_fail(err, SF_EINVAL,
                               "expected two hosts or more, found %u",
                               failures->n_hosts);
    }
    if (status == SF_OK) {
        status = list_ports(study, err);
    }
    if (status == SF_OK) {
        status = sf_failure_list_racks(study, err);
    }
    if (status == SF_OK) {
        struct sf_routing_params first = study->asked;
        first.layers.n_threads = study->params->n_threads;
        status = sf_routing_build(study->network, &first, &study->base, err);
    }
    if (status == SF_OK) {
        /* Each run has one core. */
        study->asked.layers.n_threads = 1;
        study->base->params.layers.n_threads = 1;
        study->key = sf_failure_key(study);
    }
    return status;
}

/* How many runs a kind has. */
static uint32_t
count_runs(const struct sf_failures *failures, enum sf_failure_kind kind)
{
    uint32_t most = kind == SF_FAILURE_RACK     ? failures->n_racks
                    : kind == SF_FAILURE_BUNDLE ? failures->n_bundles
                    : kind == SF_FAILURE_LINKS  ? failures->n_links
                                                : 1;

    if (kind == SF_FAILURE_RACK || kind == SF_FAILURE_BUNDLE) {
        return most < failures->params.n_seeds ? most
                                               : failures->params.n_seeds;
    }
    return most > 0 ? failures->params.n_seeds : 0;
}

static enum sf_status
add_point(struct sf_failures *failures, enum sf_failure_kind kind,
          double share, struct sf_error *err)
{
    struct sf_failure_point *point = &failures->points[failures->n_points++];
    size_t n_traffics = failures->params.n_traffics;
    size_t n_throughputs = failures->n_splits * n_traffics;

    point->kind = kind;
    point->share = share;
    point->runs = sf_calloc(count_runs(failures, kind), sizeof *point->runs);
    point->throughputs = sf_calloc(n_throughputs, sizeof *point->throughputs);
    point->left_out = sf_calloc(n_traffics, sizeof *point->left_out);
    if (!point->runs || !point->throughputs || !point->left_out) {
        return fail_memory(err);
    }
    point->n_runs = count_runs(failures, kind);
    for (uint32_t i = 0; i < point->n_runs; i++) {
        struct sf_failure_run *run = &point->runs[i];
        run->throughputs = sf_calloc(n_throughputs, sizeof(double));
        run->left_out = sf_calloc(n_traffics, sizeof(double));
        if (!run->throughputs || !run->left_out) {
            return fail_memory(err);
        }
    }
    return SF_OK;
}

static enum sf_status
add_points(struct sf_failures *failures, struct sf_error *err)
{
    const struct sf_failures_params *params = &failures->params;
    size_t most = SF_N_FAILURE_KINDS + 2 * (size_t)params->n_shares;
    enum sf_status status = SF_OK;

    failures->points = sf_calloc(most, sizeof *failures->points);
    struct sf_failure_cuts *cuts = &failures->cuts;
    cuts->n_orders = params->n_seeds > SF_FAILURE_LEAST_ORDERS
                         ? params->n_seeds
                         : SF_FAILURE_LEAST_ORDERS;
    cuts->until_cut = sf_calloc(cuts->n_orders, sizeof *cuts->until_cut);
    if (!failures->points || !cuts->until_cut) {
        return fail_memory(err);
    }
    for (int i = 0; status == SF_OK && i < SF_N_FAILURE_KINDS; i++) {
        enum sf_failure_kind kind = (enum sf_failure_kind)i;
        bool has_shares =
            kind == SF_FAILURE_LINKS || kind == SF_FAILURE_SWITCHES;
        if (params->without_kinds[kind] && kind != SF_FAILURE_NONE) {
            continue;
        }
        if (!has_shares) {
            status = add_point(failures, kind, 0, err);
        }
        for (uint32_t k = 0;
             has_shares && status == SF_OK && k < params->n_shares; k++) {
            status = add_point(failures, kind, params->shares[k], err);
        }
    }
    return status;
}

/* Adds a value to a range whose 'mean' is the sum so far. */
static void
add_value(struct sf_failure_range *range, double value)
{
    if (isnan(value)) {
        return;
    }
    range->min = range->n == 0 ? value : fmin(range->min, value);
    range->max = range->n == 0 ? value : fmax(range->max, value);
    range->mean += value;
    range->n++;
}

static void
end_range(struct sf_failure_range *range)
{
    if (range->n > 0) {
        /* Rounding must not put it outside. */
        range->mean =
            fmin(fmax(range->mean / range->n, range->min), range->max);
    }
}

static void
add_values(struct sf_failure_range *ranges, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        add_value(&ranges[i], values[i]);
    }
}

static void
end_ranges(struct sf_failure_range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        end_range(&ranges[i]);
    }
}

static void
summarize(const struct sf_failures *failures, struct sf_failure_point *point)
{
    size_t n_traffics = failures->params.n_traffics;
    size_t n_throughputs = failures->n_splits * n_traffics;

    for (uint32_t i = 0; i < point->n_runs; i++) {
        const struct sf_failure_run *run = &point->runs[i];
        point->n_made_anew += run->is_made_anew;
        point->n_fallback += run->is_fallback;
        point->n_disconnected += run->is_disconnected;
        add_values(point->figures, run->figures, SF_N_FAILURE_FIGURES);
        add_values(point->throughputs, run->throughputs, n_throughputs);
        add_values(point->left_out, run->left_out, n_traffics);
    }
    end_ranges(point->figures, SF_N_FAILURE_FIGURES);
    end_ranges(point->throughputs, n_throughputs);
    end_ranges(point->left_out, n_traffics);
}

static void
summarize_all(struct sf_failures *failures)
{
    struct sf_failure_cuts *cuts = &failures->cuts;

    for (uint32_t i = 0; i < failures->n_points; i++) {
        summarize(failures, &failures->points[i]);
    }
    for (uint32_t i = 0; cuts->has_pairs && i < cuts->n_orders; i++) {
        add_value(&cuts->links, cuts->until_cut[i]);
    }
    end_range(&cuts->links);
}

static enum sf_status
begin(const struct sf_failures_params *params, struct sf_failures **failuresp,
      struct sf_error *err)
{
    struct sf_failures *failures = sf_calloc(1, sizeof *failures);

    *failuresp = failures;
    if (!failures) {
        return fail_memory(err);
    }
    failures->params = *params;
    failures->params.n_seeds = params->n_seeds ? params->n_seeds : 1;
    failures->has_cuts = !params->without_cuts;
    for (int i = 0; i < SF_N_SPLITS; i++) {
        if (!params->without_splits[i]) {
            failures->splits[failures->n_splits++] =
                (enum sf_comparison_split)i;
        }
    }
    return SF_OK;
}

static void
clear_study(struct sf_failure_study *study)
{
    free(study->bundles);
    free(study->racks);
    free(study->link_of_port);
    free(study->host_of_port);
    sf_routing_free(study->base);
    sf_network_free(study->network);
}

enum sf_status
sf_failures_build(const struct sf_failures_params *params,
                  struct sf_failures **failuresp, struct sf_error *err)
{
    struct sf_failure_study study = { 0 };
    struct sf_failures *failures = NULL;
    enum sf_status status = check(params, err);

    if (status == SF_OK) {
        status = begin(params, &failures, err);
    }
    if (status == SF_OK) {
        study.failures = failures;
        study.params = &failures->params;
        status = prepare(&study, err);
    }
    if (status == SF_OK) {
        status = add_points(failures, err);
    }
    if (status == SF_OK) {
        status = sf_failure_sweep(&study, err);
    }
    if (status == SF_OK) {
        summarize_all(failures);
    } else {
        sf_error_add_context(err, params->name   ? params->name
                                  : params->plan ? params->plan->spec
                                                 : "failures");
        sf_failures_free(failures);
        failures = NULL;
    }
    clear_study(&study);
    *failuresp = failures;
    return status;
}

static void
clear_point(struct sf_failure_point *point)
{
    for (uint32_t i = 0; i < point->n_runs; i++) {
        free(point->runs[i].throughputs);
        free(point->runs[i].left_out);
    }
    free(point->runs);
    free(point->throughputs);
    free(point->left_out);
}

void
sf_failures_free(struct sf_failures *failures)
{
    if (failures) {
        for (uint32_t i = 0; failures->points && i < failures->n_points; i++) {
            clear_point(&failures->points[i]);
        }
        free(failures->points);
        free(failures->cuts.until_cut);
        free(failures);
    }
}
