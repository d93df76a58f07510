/* approximate.c -- bounds of the throughput by a first-order method.
 *
 * The smallest congestion is the value of a game: shares x of the paths, in a
 * simplex for each demand, against prices y of the edges, in one simplex.  The
 * primal-dual hybrid gradient method [ChambollePock11] moves x down the prices
 * and y up the loads; averages and restarts make it fast [Applegate21].  Any x
 * shows a congestion that suffices (the largest load), any y one that is
 * needed (what all demands pay on their cheapest paths): the gap is known at
 * any time.
 *
 * Steps are taken in the norm in which x_k weighs as much as demand k, so that
 * elephants and mice move alike. */
#include "analysis/bounds.h"
#include "analysis/pricing.h"
#include "analysis/solvers.h"
#include "base/parallel.h"
#include "slimfly/progress.h"

#include <math.h>
#include <string.h>

#define DEFAULT_ROUNDS   20000
#define CHECK_EVERY      16 /* Rounds between looks at the averages. */
#define MAX_CHUNKS       16 /* Parts of the demands, whatever the threads. */
#define CHUNK_HOPS       100000
#define MORE_NORM_ROUNDS 8 /* After a growth. */
#define NORM_ROUNDS      24
#define MORE_ROUNDS      32 /* Where the links of hosts are all but reached. */
#define REPORT_STEPS     1000

/* A pass over some of the demands. */
struct chunk {
    size_t first, end; /* Demands. */
    double *loads;     /* [n_edges] */
    double cost;       /* Demands times their cheapest paths. */
};

struct game {
    const struct sf_net *net;
    struct sf_paths *paths;
    uint32_t n_threads, n_chunks;
    struct chunk *chunks; /* [n_chunks] */
    double *chunk_loads;  /* [n_chunks * n_edges] */
    double *lengths;      /* [n_chunks * max_paths] */
    uint32_t max_paths;   /* Of a demand. */

    double *x, *x_sum, *x_start; /* [n_paths] Shares, their sum since the last
                                  * restart, and there. */
    double *y, *y_sum, *y_start; /* [n_edges] Prices of all of an edge; their
                                  * sum is 1. */
    double *loads, *loads_sum;   /* [n_edges] Of x. */
    double *new_loads;           /* [n_edges] Of the pass. */
    double *prices;              /* [n_edges] y over capacity, for the pass. */
    double *y_best;              /* [n_edges] Prices of the largest cost over
                                  * the paths so far, */
    double *y_stable;            /* and over all that are allowed. */
    double stable_cost;          /* What these cost, 0 before the first. */
    uint32_t part;               /* Which mixture of the two was best. */
    double *y_mean;              /* [n_edges] */
    double *vector;              /* [n_edges] Of the largest norm. */
    uint32_t n_summed;
    uint32_t n_rounds, max_rounds; /* Over all restarts. */
    double norm;                   /* Of the matrix between x and y. */
    double weight;                 /* Of steps in y against those in x. */
    double step;                   /* Of x, for the pass. */
    double start_gap;              /* At the last restart. */
    double congestion;             /* The smallest that is known to suffice. */
    double cost;   /* The largest that is known to be needed over the
                    * paths so far, */
    double needed; /* and over all that are allowed. */
    bool grow;     /* There are more than those so far. */
    double enough; /* There is no use in less, as hosts send no faster; 0:
                    * there is. */
    uint32_t n_rounds_close; /* Rounds until 'enough' was as close as the gap;
                              * 0: it is not yet. */
    double wanted_gap;       /* Of these two; */
    double first_gap;        /* at first, 0 before; */
    double n_closed;         /* how far it is closed, of REPORT_STEPS. */
};

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for throughput bounds");
}

/* Puts 'v' onto the simplex, the nearest point with sum 1 and none negative
 * [Michelot86]: takes the same off all, drops what falls below 0, again. */
static void
project(double *v, uint32_t n)
{
    double threshold = 0;
    uint32_t n_active = n, n_before;
    double sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += v[i];
    }
    do {
        n_before = n_active;
        threshold = (sum - 1) / n_active;
        sum = 0;
        n_active = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (v[i] > threshold) {
                sum += v[i];
                n_active++;
            }
        }
    } while (n_active < n_before);
    for (uint32_t i = 0; i < n; i++) {
        v[i] = v[i] > threshold ? v[i] - threshold : 0;
    }
}

/* What a pass does with each demand, given the lengths of its paths. */
typedef void pass(struct game *game, struct chunk *chunk, size_t k,
                  double *lengths);

/* Adds 'flow' to the load of each edge of path 'p'. */
static void
load_path(const struct sf_paths *paths, uint32_t p, double flow, double *loads)
{
    const uint32_t *first_hop = paths->first_hop.items;
    for (uint32_t i = first_hop[p]; i < first_hop[p + 1]; i++) {
        loads[paths->hops.items[i]] += flow;
    }
}

static double
smallest(const double *lengths, uint32_t n)
{
    double least = lengths[0];
    for (uint32_t i = 1; i < n; i++) {
        least = lengths[i] < least ? lengths[i] : least;
    }
    return least;
}

/* Only adds up what the demand pays. */
static void
pass_cost(struct game *game, struct chunk *chunk, size_t k, double *lengths)
{
    const uint32_t *first_path = game->paths->first_path.items;
    chunk->cost += game->paths->demands.items[k].amount *
                   smallest(lengths, first_path[k + 1] - first_path[k]);
}

/* Moves shares down the prices. */
static void
pass_move(struct game *game, struct chunk *chunk, size_t k, double *lengths)
{
    const struct sf_paths *paths = game->paths;
    uint32_t first = paths->first_path.items[k];
    uint32_t n = paths->first_path.items[k + 1] - first;
    double amount = paths->demands.items[k].amount;
    double *x = game->x + first;

    chunk->cost += amount * smallest(lengths, n);
    for (uint32_t i = 0; i < n; i++) {
        lengths[i] = x[i] - game->step * lengths[i];
    }
    project(lengths, n);
    for (uint32_t i = 0; i < n; i++) {
        x[i] = lengths[i];
        game->x_sum[first + i] += x[i];
        if (x[i] > 0) {
            load_path(paths, first + i, amount * x[i], chunk->loads);
        }
    }
}

/* Loads paths with how much longer they are than the mean: one step of the
 * power iteration. */
static void
pass_norm(struct game *game, struct chunk *chunk, size_t k, double *lengths)
{
    const struct sf_paths *paths = game->paths;
    uint32_t first = paths->first_path.items[k];
    uint32_t n = paths->first_path.items[k + 1] - first;
    double mean = 0;

    for (uint32_t i = 0; i < n; i++) {
        mean += lengths[i] / n;
    }
    for (uint32_t i = 0; i < n; i++) {
        load_path(paths, first + i,
                  paths->demands.items[k].amount * (lengths[i] - mean),
                  chunk->loads);
    }
}

struct pass_job {
    struct game *game;
    pass *run;
};

static void
run_chunk(void *aux, uint32_t task, uint32_t worker)
{
    const struct pass_job *job = aux;
    struct game *game = job->game;
    struct chunk *chunk = &game->chunks[task];
    const uint32_t *first_path = game->paths->first_path.items;
    const uint32_t *first_hop = game->paths->first_hop.items;
    const uint32_t *hops = game->paths->hops.items;
    double *lengths = game->lengths + (size_t)task * game->max_paths;
    (void)worker;

    memset(chunk->loads, 0, game->net->n_edges * sizeof *chunk->loads);
    chunk->cost = 0;
    for (size_t k = chunk->first; k < chunk->end; k++) {
        for (uint32_t p = first_path[k]; p < first_path[k + 1]; p++) {
            double length = 0;
            for (uint32_t i = first_hop[p]; i < first_hop[p + 1]; i++) {
                length += game->prices[hops[i]];
            }
            lengths[p - first_path[k]] = length;
        }
        job->run(game, chunk, k, lengths);
    }
}

/* Runs a pass over all demands under the prices of 'y', adds the loads up in
 * 'new_loads' and returns the cost.  Sums go by chunks, so that they do not
 * depend on threads. */
static double
run_pass(struct game *game, pass *run, const double *y)
{
    const struct sf_net *net = game->net;
    struct pass_job job = { game, run };
    double cost = 0;

    for (uint32_t e = 0; e < net->n_edges; e++) {
        game->prices[e] = y[e] / net->capacities[e];
    }
    sf_parallel_for(game->n_threads, game->n_chunks, run_chunk, &job);
    memset(game->new_loads, 0, net->n_edges * sizeof *game->new_loads);
    for (uint32_t c = 0; c < game->n_chunks; c++) {
        cost += game->chunks[c].cost;
        for (uint32_t e = 0; e < net->n_edges; e++) {
            game->new_loads[e] += game->chunks[c].loads[e];
        }
    }
    return cost;
}

/* Takes notes of bounds of the congestion. */
static void
note_congestion(struct game *game, double congestion)
{
    game->congestion = fmin(game->congestion, congestion);
}

static void
note_cost(struct game *game, double cost, const double *y)
{
    if (cost > game->cost) {
        game->cost = cost;
        memcpy(game->y_best, y, game->net->n_edges * sizeof *y);
    }
    if (!game->grow) {
        game->needed = fmax(game->needed, cost);
    }
}

/* The norm of the matrix between movements of x and of y, by power iteration.
 * Shares of a demand and prices keep their sums, so that only movements of
 * sum 0 count: the norm is far smaller than that of the matrix itself, and
 * steps are longer. */
static void
find_norm(struct game *game, int n_rounds)
{
    uint32_t n = game->net->n_edges;
    double *w = game->vector;
    double norm = 0;

    /* Starts where it ended last, and a little in all directions. */
    for (uint32_t e = 0; e < n; e++) {
        w[e] += ((double)(e * UINT32_C(2654435769)) * 0x1p-32 - 0.5) / n;
    }
    for (int round = 0; round < n_rounds; round++) {
        double mean = 0, square = 0;
        for (uint32_t e = 0; e < n; e++) {
            mean += w[e] / n;
        }
        for (uint32_t e = 0; e < n; e++) {
            square += (w[e] - mean) * (w[e] - mean);
        }
        norm = sqrt(square);
        if (!(norm > 0)) {
            break;
        }
        for (uint32_t e = 0; e < n; e++) {
            w[e] = (w[e] - mean) / norm;
        }
        run_pass(game, pass_norm, w);
        for (uint32_t e = 0; e < n; e++) {
            w[e] = game->new_loads[e] / game->net->capacities[e];
        }
    }
    game->norm = norm > 0 ? sqrt(norm) : 1;
}

/* Forgets the sums: averages start here. */
static void
start_averages(struct game *game)
{
    size_t n_paths = sf_paths_count(game->paths), n = game->net->n_edges;

    memcpy(game->x_start, game->x, n_paths * sizeof *game->x);
    memcpy(game->y_start, game->y, n * sizeof *game->y);
    memset(game->x_sum, 0, n_paths * sizeof *game->x);
    memset(game->y_sum, 0, n * sizeof *game->y);
    memset(game->loads_sum, 0, n * sizeof *game->y);
    game->n_summed = 0;
}

/* The distance between two points of y, or of x in its norm. */
static double
distance_y(const struct game *game)
{
    double square = 0;
    for (uint32_t e = 0; e < game->net->n_edges; e++) {
        double d = game->y[e] - game->y_start[e];
        square += d * d;
    }
    return sqrt(square);
}

static double
distance_x(const struct game *game)
{
    const struct sf_paths *paths = game->paths;
    double square = 0;
    for (size_t k = 0; k < paths->demands.n; k++) {
        for (uint32_t p = paths->first_path.items[k];
             p < paths->first_path.items[k + 1]; p++) {
            double d = game->x[p] - game->x_start[p];
            square += paths->demands.items[k].amount * d * d;
        }
    }
    return sqrt(square);
}

/* Restarts, from the averages if 'from_average': steps become longer in x or
 * in y, whichever moved farther. */
static void
restart(struct game *game, bool from_average, double gap)
{
    if (from_average) {
        for (size_t p = 0; p < sf_paths_count(game->paths); p++) {
            game->x[p] = game->x_sum[p] / game->n_summed;
        }
        for (uint32_t e = 0; e < game->net->n_edges; e++) {
            game->y[e] = game->y_sum[e] / game->n_summed;
            game->loads[e] = game->loads_sum[e] / game->n_summed;
        }
    }
    double dx = distance_x(game), dy = distance_y(game);
    if (dx > 1e-12 && dy > 1e-12) {
        game->weight = exp(0.5 * log(dy / dx) + 0.5 * log(game->weight));
    }
    game->start_gap = gap;
    start_averages(game);
}

/* One step of x and one of y; returns the gap between the two. */
static double
step(struct game *game)
{
    const struct sf_net *net = game->net;
    double length = 0.9 / game->norm;

    game->step = length / game->weight;
    double cost = run_pass(game, pass_move, game->y);
    note_cost(game, cost, game->y);
    for (uint32_t e = 0; e < net->n_edges; e++) {
        game->y[e] += length * game->weight *
                      (2 * game->new_loads[e] - game->loads[e]) /
                      net->capacities[e];
        game->loads[e] = game->new_loads[e];
        game->loads_sum[e] += game->new_loads[e];
    }
    project(game->y, net->n_edges);
    for (uint32_t e = 0; e < net->n_edges; e++) {
        game->y_sum[e] += game->y[e];
    }
    game->n_summed++;
    double congestion = sf_net_congestion(net, game->loads);
    note_congestion(game, congestion);
    return congestion - cost;
}

/* Looks at the averages and restarts if it is time; 'gap' is that of the
 * current point. */
static void
look_at_averages(struct game *game, double gap)
{
    const struct sf_net *net = game->net;
    double congestion = 0;

    for (uint32_t e = 0; e < net->n_edges; e++) {
        congestion = fmax(congestion, game->loads_sum[e] / net->capacities[e]);
        game->y_mean[e] = game->y_sum[e] / game->n_summed;
    }
    congestion /= game->n_summed;
    double cost = run_pass(game, pass_cost, game->y_mean);
    note_congestion(game, congestion);
    note_cost(game, cost, game->y_mean);
    bool from_average = congestion - cost < gap;
    gap = fmin(gap, congestion - cost);
    if (gap <= 0.4 * game->start_gap ||
        (game->n_summed >= 0.4 * game->n_rounds &&
         gap <= 0.8 * game->start_gap) ||
        game->n_summed >= 0.6 * game->n_rounds + 200) {
        restart(game, from_average, gap);
    }
}

/* Reports how far the gap is closed, going by its logarithm, which falls about
 * evenly.  A gap that widens with new paths is no step back. */
static void
report(struct game *game)
{
    double gap = game->congestion / game->cost - 1;

    if (game->first_gap <= game->wanted_gap && isfinite(gap)) {
        game->first_gap = gap;
    }
    if (gap > 0 && game->first_gap > game->wanted_gap) {
        game->n_closed =
            fmax(game->n_closed, REPORT_STEPS * log(game->first_gap / gap) /
                                     log(game->first_gap / game->wanted_gap));
    }
    sf_progress_report("throughput",
                       (uint64_t)fmin(game->n_closed, REPORT_STEPS - 1),
                       REPORT_STEPS);
}

/* Whether the bounds are as close as asked for, or hosts are known to be the
 * limit.  What is as close to that as the gap gets some more rounds to reach
 * it: then the answer is one number. */
static bool
is_settled(struct game *game)
{
    double most = 1 + game->wanted_gap;

    if (game->congestion <= most * game->needed ||
        game->congestion <= game->enough) {
        return true;
    }
    if (game->congestion > most * game->enough) {
        return false;
    }
    if (game->n_rounds_close == 0) {
        game->n_rounds_close = game->n_rounds + 1;
    }
    return game->n_rounds >=
           game->n_rounds_close + game->n_rounds_close / 4 + MORE_ROUNDS;
}

/* Moves until the gap is at most 'gap' or 'max_rounds' have been played. */
static void
play(struct game *game, double gap, uint32_t max_rounds)
{
    while (game->congestion > (1 + gap) * game->cost && !is_settled(game) &&
           game->n_rounds < max_rounds) {
        double here = step(game);
        game->n_rounds++;
        if (game->n_summed % CHECK_EVERY == 0) {
            look_at_averages(game, here);
            report(game);
        }
    }
}

/* Parts the demands into chunks of about as many hops. */
static void
part_demands(struct game *game)
{
    const struct sf_paths *paths = game->paths;
    size_t k = 0;

    game->max_paths = 0;
    for (uint32_t c = 0; c < game->n_chunks; c++) {
        size_t goal = paths->hops.n / game->n_chunks * (c + 1);
        game->chunks[c].first = k;
        game->chunks[c].loads =
            game->chunk_loads + (size_t)c * game->net->n_edges;
        while (k < paths->demands.n &&
               (c + 1 == game->n_chunks ||
                paths->first_hop.items[paths->first_path.items[k]] < goal)) {
            uint32_t n =
                paths->first_path.items[k + 1] - paths->first_path.items[k];
            game->max_paths = n > game->max_paths ? n : game->max_paths;
            k++;
        }
        game->chunks[c].end = k;
    }
}

static void
clear_game(struct game *game)
{
    free(game->vector);
    free(game->y_stable);
    free(game->y_best);
    free(game->y_mean);
    free(game->prices);
    free(game->new_loads);
    free(game->loads_sum);
    free(game->loads);
    free(game->y_start);
    free(game->y_sum);
    free(game->y);
    free(game->x_start);
    free(game->x_sum);
    free(game->x);
    free(game->lengths);
    free(game->chunk_loads);
    free(game->chunks);
    *game = (struct game){ 0 };
}

static enum sf_status
reserve_game(struct game *game, struct sf_error *err)
{
    size_t n_paths = sf_paths_count(game->paths), n = game->net->n_edges;
    size_t n_chunks = game->paths->hops.n / CHUNK_HOPS + 1;

    game->n_chunks = (uint32_t)(n_chunks < MAX_CHUNKS ? n_chunks : MAX_CHUNKS);
    game->chunks = sf_calloc(game->n_chunks, sizeof *game->chunks);
    game->chunk_loads = sf_calloc(game->n_chunks * n, sizeof(double));
    game->x = sf_calloc(n_paths, sizeof(double));
    game->x_sum = sf_calloc(n_paths, sizeof(double));
    game->x_start = sf_calloc(n_paths, sizeof(double));
    game->y = sf_calloc(n, sizeof(double));
    game->y_sum = sf_calloc(n, sizeof(double));
    game->y_start = sf_calloc(n, sizeof(double));
    game->y_mean = sf_calloc(n, sizeof(double));
    game->y_best = sf_calloc(n, sizeof(double));
    game->y_stable = sf_calloc(n, sizeof(double));
    game->vector = sf_calloc(n, sizeof(double));
    game->loads = sf_calloc(n, sizeof(double));
    game->loads_sum = sf_calloc(n, sizeof(double));
    game->new_loads = sf_calloc(n, sizeof(double));
    game->prices = sf_calloc(n, sizeof(double));
    if (!game->chunks || !game->chunk_loads || !game->x || !game->x_sum ||
        !game->x_start || !game->y || !game->y_sum || !game->y_start ||
        !game->y_mean || !game->y_best || !game->y_stable || !game->vector ||
        !game->loads || !game->loads_sum || !game->new_loads ||
        !game->prices) {
        return fail_memory(err);
    }
    part_demands(game);
    game->lengths =
        sf_calloc((size_t)game->n_chunks * game->max_paths, sizeof(double));
    return game->lengths ? SF_OK : fail_memory(err);
}

/* Even shares and prices. */
static enum sf_status
start_game(struct game *game, struct sf_error *err)
{
    const struct sf_paths *paths = game->paths;
    struct sf_bounds bounds;
    double demand = 0;
    uint32_t n = game->net->n_edges;

    for (size_t k = 0; k < paths->demands.n; k++) {
        demand += paths->demands.items[k].amount;
    }
    enum sf_status status = sf_bounds_of_paths(paths, game->net, game->grow,
                                               &bounds, game->x, err);
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t e = 0; e < n; e++) {
        game->y[e] = game->y_stable[e] = 1.0 / n;
    }
    sf_paths_loads(paths, game->net, game->x, game->loads);
    game->congestion = bounds.suffices;
    game->needed = bounds.needed;
    game->cost = 0;
    if (is_settled(game)) {
        return SF_OK;
    }
    find_norm(game, NORM_ROUNDS);
    note_cost(game, run_pass(game, pass_cost, game->y), game->y);
    game->weight = 1 / sqrt(n * demand);
    game->start_gap = game->congestion - game->cost;
    start_averages(game);
    return SF_OK;
}

/* Goes on with 'more' in place of the paths so far: new ones have no share
 * yet. */
static enum sf_status
take_paths(struct game *game, struct sf_paths *more, struct sf_error *err)
{
    struct game next = {
        .net = game->net,
        .paths = game->paths,
        .n_threads = game->n_threads,
    };
    struct sf_paths before = *game->paths;

    next.n_rounds = game->n_rounds;
    next.max_rounds = game->max_rounds;
    next.wanted_gap = game->wanted_gap;
    next.first_gap = game->first_gap;
    next.n_closed = game->n_closed;
    next.needed = game->needed;
    next.stable_cost = game->stable_cost;
    next.part = game->part;
    next.grow = game->grow;
    next.enough = game->enough;
    next.n_rounds_close = game->n_rounds_close;
    *game->paths = *more;
    *more = before;
    enum sf_status status = reserve_game(&next, err);
    if (status != SF_OK) {
        clear_game(&next);
        return status;
    }
    for (size_t k = 0; k < before.demands.n; k++) {
        uint32_t first = before.first_path.items[k];
        memcpy(next.x + next.paths->first_path.items[k], game->x + first,
               (before.first_path.items[k + 1] - first) * sizeof *next.x);
    }
    memcpy(next.y, game->y, game->net->n_edges * sizeof *next.y);
    memcpy(next.y_stable, game->y_stable, game->net->n_edges * sizeof *next.y);
    memcpy(next.loads, game->loads, game->net->n_edges * sizeof *next.y);
    memcpy(next.vector, game->vector, game->net->n_edges * sizeof *next.y);
    find_norm(&next, MORE_NORM_ROUNDS);
    next.weight = game->weight;
    next.congestion = game->congestion;
    note_cost(&next, run_pass(&next, pass_cost, next.y), next.y);
    next.start_gap = sf_net_congestion(next.net, next.loads) - next.cost;
    start_averages(&next);
    clear_game(game);
    *game = next;
    return SF_OK;
}

/* Mixes the best prices over the paths so far with those that are best over
 * all, 'part' of the former, and finds what all demands pay on their cheapest
 * paths; those that are missed go to 'more', if nonnull.  Edges that cost
 * nothing would make paths endless, so that all cost a little. */
static enum sf_status
price_mixture(struct game *game, uint32_t max_hops, double part,
              struct sf_paths *more, double *costp, struct sf_error *err)
{
    const struct sf_net *net = game->net;
    double little = fmin(game->wanted_gap / 10, 3e-4);

    for (uint32_t e = 0; e < net->n_edges; e++) {
        double y = part * game->y_best[e] + (1 - part) * game->y_stable[e];
        game->y_mean[e] = (1 - little) * y + little / net->n_edges;
        game->prices[e] = game->y_mean[e] / net->capacities[e];
    }
    return sf_paths_price(game->paths, net, max_hops, game->prices,
                          game->wanted_gap / 10, game->n_threads, more, costp,
                          err);
}

/* Keeps the prices of the last mixture if they prove most. */
static void
note_stable(struct game *game, double cost)
{
    if (cost >= game->stable_cost) {
        game->stable_cost = cost;
        memcpy(game->y_stable, game->y_mean,
               game->net->n_edges * sizeof *game->y_stable);
    }
}

/* Looks for the cheapest of all paths: what they cost, all paths together
 * need, and those that are missed go to 'more'.
 *
 * Prices that are best over few paths leave other edges cheap, and the paths
 * there are all but free: so they prove little, and paths that are found
 * under them wind through the net.  Between these prices and the best ones
 * over all paths there are better ones [Wentges97]. */
static enum sf_status
price(struct game *game, uint32_t max_hops, struct sf_paths *more,
      struct sf_error *err)
{
    static const double parts[] = { 1, 0.5, 0.2, 0.05 };
    uint32_t best = game->part;
    double cost = 0, other = 0;
    enum sf_status status = SF_OK;

    if (game->stable_cost == 0) { /* Where they are the same on every edge. */
        status =
            price_mixture(game, max_hops, 0, NULL, &game->stable_cost, err);
    }
    if (status == SF_OK) {
        status = price_mixture(game, max_hops, parts[best], NULL, &cost, err);
    }
    /* What was best is seldom far from what is. */
    if (status == SF_OK && best > 0) {
        status =
            price_mixture(game, max_hops, parts[best - 1], NULL, &other, err);
        game->part -= other > cost;
    }
    if (status == SF_OK && game->part == best &&
        best + 1 < sizeof parts / sizeof *parts) {
        status =
            price_mixture(game, max_hops, parts[best + 1], NULL, &other, err);
        game->part += other > cost;
    }
    best = game->part;
    if (status == SF_OK) {
        status = price_mixture(game, max_hops, parts[best], more, &cost, err);
    }
    if (status == SF_OK) {
        note_stable(game, cost);
    }
    if (status == SF_OK && best > 0 &&
        sf_paths_count(more) == sf_paths_count(game->paths)) {
        sf_paths_clear(more);
        status = price_mixture(game, max_hops, 1, more, &cost, err);
        if (status == SF_OK) {
            note_stable(game, cost);
        }
    }
    game->needed = fmax(game->needed, game->stable_cost);
    return status;
}

/* Plays over the paths so far, looks for those that are missed, and so on
 * until the gap to what all paths need is closed. */
static enum sf_status
play_growing(struct game *game, uint32_t max_hops, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    double gap = game->wanted_gap;
    /* With few demands a pass is cheap and the paths that are missed matter
     * more; with many, every growth costs as much as many passes. */
    bool few = game->paths->demands.n <= (size_t)32 * game->net->n_nodes;
    uint32_t n_between = few ? 16 : 32;

    while (status == SF_OK && !is_settled(game) &&
           game->n_rounds < game->max_rounds) {
        struct sf_paths more = { 0 };
        uint32_t before = game->n_rounds;
        uint32_t left = game->max_rounds - before;
        play(game, gap / 2,
             game->n_rounds + (left < n_between ? left : n_between));
        if (is_settled(game)) {
            break;
        }
        status = price(game, max_hops, &more, err);
        if (status == SF_OK) {
            if (sf_paths_count(&more) > sf_paths_count(game->paths)) {
                status = take_paths(game, &more, err);
            } else if (game->n_rounds == before) {
                /* As close as numbers of this precision come. */
                sf_paths_clear(&more);
                break;
            }
        }
        sf_paths_clear(&more);
    }
    return status;
}

enum sf_status
sf_throughput_approximate(const struct sf_net *net, struct sf_paths *paths,
                          bool grow, uint32_t max_hops,
                          const struct sf_throughput_params *params,
                          struct sf_throughput *result, struct sf_error *err)
{
    struct game game = {
        .net = net,
        .paths = paths,
        .n_threads = sf_parallel_limit(params->n_threads),
        .max_rounds = params->max_rounds ? params->max_rounds : DEFAULT_ROUNDS,
        .wanted_gap = params->gap > 0 ? params->gap : SF_DEFAULT_GAP,
        .grow = grow,
        .part = 1,
        .enough = params->stop_at_host ? (1 + 1e-9) / result->host : 0,
    };

    enum sf_status status = reserve_game(&game, err);
    if (status == SF_OK) {
        status = start_game(&game, err);
    }
    if (status == SF_OK) {
        if (grow) {
            status = play_growing(&game, max_hops, err);
        } else {
            play(&game, game.wanted_gap, game.max_rounds);
        }
        sf_progress_report("throughput", REPORT_STEPS, REPORT_STEPS);
        result->method = SF_METHOD_APPROXIMATION;
        result->n_paths = sf_paths_count(paths);
        result->n_rounds = game.n_rounds;
        result->net_lower = 1 / game.congestion;
        result->net_upper = fmax(1 / game.needed, result->net_lower);
    }
    clear_game(&game);
    return status;
}
