/* tree_losses.c -- what in-trees cost, as a linear program.
 *
 * Let all switches be within two hops of a destination, and the paths of a
 * layer at most three hops long.  The first hop of a switch s that is two hops
 * away leads next to the destination, s is a relay, or to a switch that is two
 * hops away as well.  That one must be a relay in the same layer, as it has
 * only two hops left: in every layer, s is a relay or next to one.
 *
 * Paths that share no link start with different links.  If m links of s lead
 * next to the destination, at most m of the layers in which it is a relay have
 * paths of their own, layer 0 among them.  So with x the share of the L - 1
 * other layers in which a switch is a relay, the losses are at least the
 * optimum of
 *
 *     minimise    the sum of w over all switches s two hops away
 *     such that   x(s) + the sum of x over the neighbours of s >= 1
 *                 w(s) >= (L - 1) x(s) - (m(s) - 1)
 *                 0 <= x <= 1, w >= 0.
 *
 * They are whole, so the next whole number is a bound as well. */
#include "analysis/tree_losses.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "slimfly/random.h"

#include <Clp_C_Interface.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* The switches two hops away from a destination. */
struct around {
    uint32_t n;
    uint32_t *number; /* [V] Of a switch among these; SF_NONE: another. */
    uint32_t *links;  /* [n] That lead next to the destination. */
};

static enum sf_status
look_around(const struct sf_graph *graph, uint32_t d, struct around *around,
            struct sf_error *err)
{
    const struct sf_arc *arcs = graph->arcs;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        around->number[s] = 0;
    }
    around->number[d] = SF_NONE;
    for (uint32_t i = graph->first[d]; i < graph->first[d + 1]; i++) {
        around->number[arcs[i].to] = SF_NONE;
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        if (around->number[s] == SF_NONE) {
            continue;
        }
        uint32_t n_links = 0;
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            n_links += around->number[arcs[i].to] == SF_NONE;
        }
        if (n_links == 0) {
            return sf_fail(err, SF_EINVAL,
                           "what trees lose is known where all switches are "
                           "within two hops of each other; switches %s and "
                           "%s are not",
                           sf_graph_name(graph, s).text,
                           sf_graph_name(graph, d).text);
        }
        around->links[around->n] = n_links;
        around->number[s] = around->n++;
    }
    return SF_OK;
}

/* A row of the program.  Columns: x of all, then w of all. */
struct row {
    int n;
    int *columns;   /* [V] */
    double *values; /* [V] */
};

static void
put(struct row *row, uint32_t column, double value)
{
    row->columns[row->n] = (int)column;
    row->values[row->n++] = value;
}

/* Adds the row, whose sum is to be 'least' at least, and empties it. */
static void
add_row(Clp_Simplex *model, struct row *row, double least)
{
    int starts[] = { 0, row->n };
    double most = DBL_MAX;

    Clp_addRows(model, 1, &least, &most, starts, row->columns, row->values);
    row->n = 0;
}

/* The number of the switch at the other end of 'arc' among those two hops
 * away, SF_NONE if it is none, or counts by another link already. */
static uint32_t
number_over(const struct sf_graph *graph, const struct around *around,
            uint32_t arc)
{
    return sf_graph_is_parallel(graph, graph->arcs[arc].link)
               ? SF_NONE
               : around->number[graph->arcs[arc].to];
}

static void
fill_model(Clp_Simplex *model, const struct sf_graph *graph,
           const struct around *around, uint32_t n_layers, struct row *row)
{
    uint32_t n = around->n;

    Clp_resize(model, 0, 2 * (int)n);
    for (uint32_t i = 0; i < n; i++) {
        Clp_columnUpper(model)[i] = 1;
        Clp_columnUpper(model)[n + i] = DBL_MAX;
        Clp_objective(model)[n + i] = 1;
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t number = around->number[s];
        if (number == SF_NONE) {
            continue;
        }
        put(row, number, 1);
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t other = number_over(graph, around, i);
            if (other != SF_NONE) {
                put(row, other, 1);
            }
        }
        add_row(model, row, 1);
        put(row, n + number, 1);
        put(row, number, -((double)n_layers - 1));
        add_row(model, row, -((double)around->links[number] - 1));
    }
}

/* What the prices that CLP found for the rows prove, whether or not they are
 * the best: taken into their range, they bound the optimum from below. */
static double
bound_by_prices(const double *prices, const struct sf_graph *graph,
                const struct around *around, uint32_t n_layers)
{
    double bound = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t number = around->number[s];
        if (number == SF_NONE) {
            continue;
        }
        double covered = fmax(prices[2 * (size_t)number], 0);
        double lost = fmin(fmax(prices[2 * (size_t)number + 1], 0), 1);
        double reduced = ((double)n_layers - 1) * lost - covered;
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t other = number_over(graph, around, i);
            if (other != SF_NONE) {
                reduced -= fmax(prices[2 * (size_t)other], 0);
            }
        }
        bound += covered - lost * ((double)around->links[number] - 1) +
                 fmin(reduced, 0);
    }
    return bound;
}

enum sf_status
sf_tree_losses_to(const struct sf_graph *graph, uint32_t destination,
                  uint32_t n_layers, uint32_t *n_lostp, struct sf_error *err)
{
    size_t n = graph->n_nodes;
    struct around around = { .number = sf_calloc(n, sizeof *around.number),
                             .links = sf_calloc(n, sizeof *around.links) };
    struct row row = { .columns = sf_calloc(n, sizeof *row.columns),
                       .values = sf_calloc(n, sizeof *row.values) };
    Clp_Simplex *model = Clp_newModel();
    enum sf_status status = SF_OK;

    *n_lostp = 0;
    if (!around.number || !around.links || !row.columns || !row.values ||
        !model) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);
        goto done;
    }
    status = look_around(graph, destination, &around, err);
    if (status == SF_OK && around.n > 0 && n_layers > 1) {
        Clp_setLogLevel(model, 0);
        fill_model(model, graph, &around, n_layers, &row);
        Clp_initialBarrierNoCrossSolve(model);
        double bound = bound_by_prices(Clp_dualRowSolution(model), graph,
                                       &around, n_layers);
        *n_lostp = bound > 0 ? (uint32_t)ceil(bound - 1e-4) : 0;
    }

done:
    if (model) {
        Clp_deleteModel(model);
    }
    free(row.values);
    free(row.columns);
    free(around.links);
    free(around.number);
    return status;
}

/* The losses of all destinations. */
struct dealing {
    const struct sf_graph *graph;
    uint32_t n_layers;
    uint64_t seed;
    bool *is_wanted; /* [V] Destinations. */
    uint16_t *losses;
    enum sf_status *statuses; /* [V] */
    struct sf_error *errors;  /* [V] */
};

/* Deals 'n_lost' out among the switches two hops away from 'd'. */
static void
deal(const struct dealing *dealing, uint32_t d, uint32_t n_lost,
     uint32_t *sources)
{
    const struct sf_graph *graph = dealing->graph;
    size_t n = graph->n_nodes;
    uint32_t n_sources = 0, arc = graph->first[d];
    struct sf_random random;

    for (uint32_t s = 0; s < n; s++) { /* As arcs are ordered. */
        while (arc < graph->first[d + 1] && graph->arcs[arc].to < s) {
            arc++;
        }
        bool is_next = arc < graph->first[d + 1] && graph->arcs[arc].to == s;
        if (s != d && !is_next) {
            sources[n_sources++] = s;
        }
    }
    sf_random_init(&random, dealing->seed, UINT64_C(1) << 62 | d);
    sf_random_shuffle(&random, sources, n_sources);
    for (uint32_t i = 0; i < n_sources; i++) {
        uint32_t share = n_lost / n_sources + (i < n_lost % n_sources);
        dealing->losses[sources[i] * n + d] = (uint16_t)share;
    }
}

static void
deal_destination(void *aux, uint32_t d, uint32_t worker)
{
    struct dealing *dealing = aux;
    struct sf_error *err = &dealing->errors[d];
    uint32_t n_lost;

    (void)worker;
    if (!dealing->is_wanted[d]) {
        return;
    }
    uint32_t *sources = sf_calloc(dealing->graph->n_nodes, sizeof *sources);
    if (!sources) {
        dealing->statuses[d] =
            sf_fail(err, SF_ENOMEM, "out of memory for %u switches",
                    dealing->graph->n_nodes);
        return;
    }
    dealing->statuses[d] =
        sf_tree_losses_to(dealing->graph, d, dealing->n_layers, &n_lost, err);
    if (dealing->statuses[d] == SF_OK && n_lost > 0) {
        deal(dealing, d, n_lost, sources);
    }
    free(sources);
}

enum sf_status
sf_tree_losses(const struct sf_graph *graph, const struct sf_traffic *traffic,
               uint32_t n_layers, uint64_t seed, uint32_t n_threads,
               uint16_t **lossesp, struct sf_error *err)
{
    size_t n = graph->n_nodes;
    enum sf_status status = SF_OK;
    struct dealing dealing = { .graph = graph,
                               .n_layers = n_layers,
                               .seed = seed };

    dealing.is_wanted = sf_calloc(n, sizeof *dealing.is_wanted);
    dealing.losses = sf_calloc(n * n, sizeof *dealing.losses);
    dealing.statuses = sf_calloc(n, sizeof *dealing.statuses);
    dealing.errors = sf_calloc(n, sizeof *dealing.errors);
    if (!dealing.is_wanted || !dealing.losses || !dealing.statuses ||
        !dealing.errors) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);
        goto done;
    }
    for (size_t k = 0; k < traffic->n_demands; k++) {
        dealing.is_wanted[traffic->demands[k].destination] = true;
    }
    sf_parallel_for(sf_parallel_limit(n_threads), graph->n_nodes,
                    deal_destination, &dealing);
    for (uint32_t d = 0; status == SF_OK && d < n; d++) {
        status = dealing.statuses[d];
        if (status != SF_OK && err) {
            *err = dealing.errors[d];
        }
    }
    if (status == SF_OK) {
        *lossesp = dealing.losses;
        dealing.losses = NULL;
    }

done:
    free(dealing.errors);
    free(dealing.statuses);
    free(dealing.losses);
    free(dealing.is_wanted);
    return status;
}
