/* single.c -- one lane for all: everything on VL 0, whatever its service
 * level.  Refused unless the paths that start at hosts can wait for each other
 * in no circle, as on trees.
 *
 * Paths between switches are not looked at: nothing but answers of their
 * agents to hosts starts there, and in a Fat Tree a path from core to core
 * goes down and up again. */
#include "lanes/lane_scheme.h"

#include "base/mem.h"
#include "routes/turn_table.h"

struct waits {
    const struct sf_lane_job *job;
    size_t *first;      /* [V] Where the turns of a switch start. */
    bool *is_taken;     /* By turn: whether a path takes it. */
    uint32_t *seen;     /* [V] The last column in which a path came by. */
    uint32_t *n_before; /* [2E] Arcs that wait for one and are not sorted. */
    uint32_t *sorted;   /* [2E] */
};

static size_t
turn_number(const struct waits *waits, uint32_t in, uint32_t out)
{
    return sf_turn_number(waits->first, waits->job->graph,
                          waits->job->network->reverse, in, out);
}

/* Notes the turns of the path from 's' in column 'c', up to where one of an
 * earlier path goes on. */
static void
follow(const struct waits *waits, uint32_t c, uint32_t s)
{
    const struct sf_graph *graph = waits->job->graph;
    const uint16_t *hops = waits->job->columns->hops[c];
    uint32_t in = SF_NONE;

    while (hops[s] != SF_NO_HOP) {
        uint32_t out = graph->first[s] + hops[s];
        if (in != SF_NONE) {
            waits->is_taken[turn_number(waits, in, out)] = true;
        }
        if (waits->seen[s] == c + 1) {
            return;
        }
        waits->seen[s] = c + 1;
        in = out;
        s = graph->arcs[out].to;
    }
}

static void
follow_all(const struct waits *waits)
{
    const struct sf_lane_job *job = waits->job;

    for (uint32_t c = 0; c < job->columns->n_columns; c++) {
        for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
            if (job->network->n_hosts[s] > 0) {
                follow(waits, c, s);
            }
        }
    }
}

/* Adds 'change' to what stands before each arc that packets on 'arc' wait for;
 * arcs before which nothing is left are sorted. */
static void
count_next(const struct waits *waits, uint32_t arc, uint32_t change,
           uint32_t *n_sortedp)
{
    const struct sf_graph *graph = waits->job->graph;
    uint32_t at = graph->arcs[arc].to;

    for (uint32_t i = graph->first[at]; i < graph->first[at + 1]; i++) {
        if (waits->is_taken[turn_number(waits, arc, i)]) {
            waits->n_before[i] += change;
            if (waits->n_before[i] == 0) {
                waits->sorted[(*n_sortedp)++] = i;
            }
        }
    }
}

/* Whether the arcs can be sorted such that each comes after those on which
 * packets wait for it. */
static bool
can_be_sorted(const struct waits *waits)
{
    uint32_t n_arcs = 2 * waits->job->graph->n_links, n_sorted = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        count_next(waits, i, 1, &n_sorted);
    }
    for (uint32_t i = 0; i < n_arcs; i++) {
        if (waits->n_before[i] == 0) {
            waits->sorted[n_sorted++] = i;
        }
    }
    for (uint32_t k = 0; k < n_sorted; k++) {
        count_next(waits, waits->sorted[k], UINT32_MAX, &n_sorted);
    }
    return n_sorted == n_arcs;
}

static enum sf_status
build(const struct sf_lane_job *job, struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    size_t n = graph->n_nodes, n_arcs = 2 * (size_t)graph->n_links;
    size_t n_turns = 0;
    struct waits waits = { .job = job,
                           .first = sf_calloc(n, sizeof *waits.first),
                           .seen = sf_calloc(n, sizeof *waits.seen),
                           .n_before =
                               sf_calloc(n_arcs, sizeof *waits.n_before),
                           .sorted = sf_calloc(n_arcs, sizeof *waits.sorted) };
    enum sf_status status = SF_OK;

    for (uint32_t s = 0; waits.first && s < n; s++) {
        size_t degree = sf_graph_degree(graph, s);
        waits.first[s] = n_turns;
        n_turns += degree * degree;
    }
    waits.is_taken = sf_calloc(n_turns, sizeof *waits.is_taken);
    if (!waits.first || !waits.seen || !waits.n_before || !waits.sorted ||
        !waits.is_taken) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for lanes");
        goto done;
    }
    follow_all(&waits);
    if (!can_be_sorted(&waits)) {
        status =
            sf_fail(err, SF_ELANES,
                    "packets can wait for each other in a circle if all "
                    "are on one lane; use the scheme ordered, which needs "
                    "one VL, or the guarantee path-sl with the lanes "
                    "dfsssp and more VLs");
    }

done:
    free(waits.is_taken);
    free(waits.sorted);
    free(waits.n_before);
    free(waits.seen);
    free(waits.first);
    return status;
}

static const struct sf_lane_ops ops = { .build = build };

const struct sf_lane_scheme sf_lanes_single = {
    .name = "single",
    .title = "a single lane, proved to be enough",
    .summary = "one VL for all, where the paths of hosts cannot deadlock on "
               "it, as on trees",
    .is_safe = true,
    .ignores_sls = true,
    .allows_one_vl = true,
    .only_hosts = true,
    .only_proves = true,
    .ops = &ops,
};
