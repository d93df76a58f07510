/* job_level.c -- evens out uniform traffic over columns that jobs have
 * changed.
 *
 * A link with uniform traffic x costs exp(STEEP x / most), most being what
 * there was without jobs.  Switches over which nobody else goes, and that send
 * nothing for a job to the column's destination, go another way where that
 * costs less.  So the paths of jobs stay. */
#include "routes/turn_table.h"
#include "routing/job_fitter.h"

#include <math.h>
#include <string.h>

#define STEEP    50.0
#define N_PASSES 3
#define LOW      1.0

struct leveller {
    struct sf_job_fitter *fitter;
    const struct sf_graph *graph;
    double *uniform; /* [2E] */
    double most;
    const struct sf_job_column *column;
    uint32_t *depths; /* [V] Hops to go. */
    uint32_t *ranks;  /* [V] Of the channel after the first turn. */
    bool *is_inner;   /* [V] Others go over it, or a job starts there. */
};

/* What 'amount' more on the path from 's' over its arc number 'hop' costs. */
static double
cost_of(const struct leveller *leveller, uint32_t s, uint16_t hop,
        double amount)
{
    const uint16_t *hops = leveller->column->hops;
    double sum = 0;

    while (hop != SF_NO_HOP) {
        uint32_t arc = leveller->graph->first[s] + hop;
        double x = leveller->uniform[arc];
        sum += exp(STEEP * ((x + amount) / leveller->most - 1)) -
               exp(STEEP * (x / leveller->most - 1));
        s = leveller->graph->arcs[arc].to;
        hop = hops[s];
    }
    return sum;
}

/* Finds depths and ranks, from the destination up.  Depths that cannot be
 * right mark switches that are not reached. */
static void
measure_from(struct leveller *leveller, uint32_t s)
{
    const struct sf_job_column *column = leveller->column;
    const struct sf_graph *graph = leveller->graph;
    const struct sf_job_grower *grower = &leveller->fitter->grower;

    if (leveller->depths[s] != SF_NONE || column->hops[s] == SF_NO_HOP) {
        return;
    }
    uint32_t arc = graph->first[s] + column->hops[s];
    uint32_t to = graph->arcs[arc].to;
    measure_from(leveller, to);
    leveller->depths[s] = leveller->depths[to] + 1;
    leveller->ranks[s] =
        to == column->d
            ? SF_ANY_RANK
            : sf_turns_rank(grower->turns, graph, grower->network->reverse,
                            arc, column->hops[to], leveller->ranks[to]);
    leveller->is_inner[to] = true;
}

static void
measure_column(struct leveller *leveller, const struct sf_job_column *column)
{
    uint32_t n = leveller->graph->n_nodes;

    leveller->column = column;
    memset(leveller->is_inner, 0, n * sizeof *leveller->is_inner);
    memset(leveller->depths, 0xff, n * sizeof *leveller->depths);
    leveller->depths[column->d] = 0;
    for (uint32_t s = 0; s < n; s++) {
        measure_from(leveller, s);
    }
    for (uint32_t i = 0; i < column->n_sources; i++) {
        leveller->is_inner[column->sources[i].s] = true;
    }
}

/* Whether 's' may go over its arc number 'hop': the rank after its turn. */
static uint32_t
rank_over(const struct leveller *leveller, uint32_t s, uint16_t hop)
{
    const struct sf_job_grower *grower = &leveller->fitter->grower;
    const struct sf_job_column *column = leveller->column;
    uint32_t arc = leveller->graph->first[s] + hop;
    uint32_t to = leveller->graph->arcs[arc].to;

    if (leveller->depths[to] >= grower->max_hops || to == s ||
        (to != column->d &&
         (column->hops[to] == SF_NO_HOP || leveller->ranks[to] == 0))) {
        return 0;
    }
    return to == column->d
               ? SF_ANY_RANK
               : sf_turns_rank(grower->turns, leveller->graph,
                               grower->network->reverse, arc, column->hops[to],
                               leveller->ranks[to]);
}

/* The most uniform traffic on the path of 's'. */
static double
find_most_from(const struct leveller *leveller, uint32_t s)
{
    const uint16_t *hops = leveller->column->hops;
    double most = 0;

    while (hops[s] != SF_NO_HOP) {
        uint32_t arc = leveller->graph->first[s] + hops[s];
        most = fmax(most, leveller->uniform[arc]);
        s = leveller->graph->arcs[arc].to;
    }
    return most;
}

/* Lets leaf 's' go another way if that costs less. */
static void
move(struct leveller *leveller, uint32_t s)
{
    const struct sf_job_column *column = leveller->column;
    const struct sf_graph *graph = leveller->graph;
    double amount =
        leveller->fitter->grower.network->n_hosts[s] * column->uniform_share;
    uint16_t best = column->hops[s];

    sf_load_path(graph, column->hops, s, -amount, leveller->uniform);
    double least = cost_of(leveller, s, best, amount) * (1 - 1e-9);
    for (uint32_t i = 0; i < sf_graph_degree(graph, s); i++) {
        uint16_t hop = (uint16_t)i;
        double cost = rank_over(leveller, s, hop) == 0
                          ? HUGE_VAL
                          : cost_of(leveller, s, hop, amount);
        if (cost < least) {
            least = cost;
            best = hop;
        }
    }
    uint32_t to = graph->arcs[graph->first[s] + best].to;
    leveller->ranks[s] = rank_over(leveller, s, best);
    leveller->depths[s] = leveller->depths[to] + 1;
    leveller->is_inner[to] = true;
    column->hops[s] = best;
    sf_load_path(graph, column->hops, s, amount, leveller->uniform);
}

static void
level_column(struct leveller *leveller, const struct sf_job_column *column)
{
    const struct sf_network *network = leveller->fitter->grower.network;
    bool is_measured = false;

    leveller->column = column;
    for (uint32_t s = 0; s < leveller->graph->n_nodes; s++) {
        if (network->n_hosts[s] == 0 ||
            find_most_from(leveller, s) <= LOW * leveller->most) {
            continue;
        }
        if (!is_measured) {
            measure_column(leveller, column);
            is_measured = true;
        }
        if (!leveller->is_inner[s] && leveller->ranks[s] != 0) {
            move(leveller, s);
        }
    }
}

void
sf_job_level(struct sf_job_fitter *fitter)
{
    struct sf_job_grower *grower = &fitter->grower;
    const struct sf_network *network = grower->network;
    size_t n = network->graph->n_nodes;
    struct leveller leveller = {
        .fitter = fitter,
        .graph = network->graph,
        .uniform = grower->uniform,
        .most = fitter->most_uniform,
        .depths = grower->depths,
        .ranks = grower->ranks,
        .is_inner = grower->is_passed, /* All false between searches. */
    };

    for (uint32_t i = 0; i < N_PASSES; i++) {
        for (uint32_t k = 0; k < fitter->n_columns; k++) {
            const struct sf_job_column *column = &fitter->columns[k];
            if (memcmp(column->hops, fitter->original + k * n,
                       n * sizeof *column->hops) != 0) {
                level_column(&leveller, column);
            }
        }
    }
    memset(grower->is_passed, 0, n * sizeof *grower->is_passed);
}
