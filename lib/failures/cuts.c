/* cuts.c -- how many faults until two switches with hosts are cut off from
 * each other: at random, and at least.
 *
 * At random: links that failed last come back first, and are put back until
 * all switches with hosts are joined; the one that joins them had cut them.
 *
 * At least, links: what cuts any two apart cuts the first one from another, so
 * that its pairs are enough.  At least, switches: what cuts any two apart has
 * 'k' switches, so that of k + 1 with hosts one stays and is cut from
 * another: as many of them are looked at [Even75]. */
#include "base/mem.h"
#include "failures/study.h"
#include "slimfly/progress.h"

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory to look for cuts");
}

/* The part of 's', which stands for itself where parents[] is it. */
static uint32_t
find(uint32_t *parents, uint32_t s)
{
    while (parents[s] != s) {
        parents[s] = parents[parents[s]];
        s = parents[s];
    }
    return s;
}

/* How many links in 'order' fail until two of the 'n_carriers' switches with
 * hosts are apart; 'parents' and 'weights' [V] are workspace. */
static uint32_t
count_until_cut(const struct sf_network *network, const uint32_t *order,
                uint32_t n_carriers, uint32_t *parents, uint32_t *weights)
{
    const struct sf_graph *graph = network->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        parents[s] = s;
        weights[s] = network->n_hosts[s] > 0;
    }
    for (uint32_t i = graph->n_links; i > 0; i--) {
        const struct sf_link *link = &graph->links[order[i - 1]];
        uint32_t a = find(parents, link->a), b = find(parents, link->b);
        if (a != b) {
            parents[b] = a;
            weights[a] += weights[b];
        }
        if (weights[a] == n_carriers) {
            return i;
        }
    }
    return 0;
}

static enum sf_status
draw_cuts(const struct sf_failure_study *study, uint32_t n_carriers,
          struct sf_failure_cuts *cuts, struct sf_error *err)
{
    const struct sf_graph *graph = study->network->graph;
    uint32_t *order = sf_calloc(graph->n_links, sizeof *order);
    uint32_t *parents = sf_calloc(graph->n_nodes, sizeof *parents);
    uint32_t *weights = sf_calloc(graph->n_nodes, sizeof *weights);
    bool made = order && parents && weights;

    for (uint32_t i = 0; made && i < cuts->n_orders; i++) {
        sf_failure_order_links(study, i, order);
        cuts->until_cut[i] = count_until_cut(study->network, order, n_carriers,
                                             parents, weights);
    }
    free(weights);
    free(parents);
    free(order);
    return made ? SF_OK : fail_memory(err);
}

/* Looks for the fewest links that cut carriers[0] from another. */
static enum sf_status
bound_links(const struct sf_graph *graph, const uint32_t *carriers, uint32_t n,
            struct sf_failure_cuts *cuts, struct sf_error *err)
{
    struct sf_flow_net *net;
    enum sf_status status = sf_flow_net_build(graph, false, &net, err);

    cuts->least_links = SF_NONE;
    for (uint32_t i = 1; status == SF_OK && i < n; i++) {
        sf_progress_report("looking for cuts", i, n);
        uint32_t n_paths = sf_flow_net_count(net, carriers[0], carriers[i],
                                             cuts->least_links);
        if (n_paths < cuts->least_links) {
            cuts->least_links = n_paths;
            cuts->link_ends[0] = carriers[0];
            cuts->link_ends[1] = carriers[i];
        }
    }
    sf_flow_net_free(net);
    return status;
}

static bool
are_neighbours(const struct sf_graph *graph, uint32_t a, uint32_t b)
{
    for (uint32_t i = graph->first[a]; i < graph->first[a + 1]; i++) {
        if (graph->arcs[i].to == b) {
            return true;
        }
    }
    return false;
}

/* Looks for the fewest other switches that cut two of the 'carriers' apart. */
static enum sf_status
bound_switches(const struct sf_graph *graph, const uint32_t *carriers,
               uint32_t n, struct sf_failure_cuts *cuts, struct sf_error *err)
{
    struct sf_flow_net *net;
    enum sf_status status = sf_flow_net_build(graph, true, &net, err);

    cuts->least_switches = SF_NONE;
    cuts->switch_ends[0] = cuts->switch_ends[1] = SF_NONE;
    /* All before carriers[i] may be among those that fail. */
    for (uint32_t i = 0; status == SF_OK && i < n && i <= cuts->least_switches;
         i++) {
        sf_progress_report("looking for cuts", i, n);
        for (uint32_t k = i + 1; k < n; k++) {
            if (are_neighbours(graph, carriers[i], carriers[k])) {
                continue;
            }
            uint32_t n_paths = sf_flow_net_count(net, carriers[i], carriers[k],
                                                 cuts->least_switches);
            if (n_paths < cuts->least_switches) {
                cuts->least_switches = n_paths;
                cuts->switch_ends[0] = carriers[i];
                cuts->switch_ends[1] = carriers[k];
            }
        }
    }
    sf_flow_net_free(net);
    return status;
}

enum sf_status
sf_failure_cuts_measure(const struct sf_failure_study *study,
                        struct sf_failure_cuts *cuts, struct sf_error *err)
{
    const struct sf_network *network = study->network;
    const struct sf_graph *graph = network->graph;
    uint32_t *carriers = sf_calloc(graph->n_nodes, sizeof *carriers);
    uint32_t n = 0;

    if (!carriers) {
        return fail_memory(err);
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        if (network->n_hosts[s]) {
            carriers[n++] = s;
        }
    }
    cuts->has_pairs = n > 1;
    enum sf_status status = SF_OK;
    if (cuts->has_pairs) {
        status = draw_cuts(study, n, cuts, err);
    }
    if (cuts->has_pairs && status == SF_OK) {
        status = bound_links(graph, carriers, n, cuts, err);
    }
    if (cuts->has_pairs && status == SF_OK) {
        status = bound_switches(graph, carriers, n, cuts, err);
    }
    free(carriers);
    return status;
}
