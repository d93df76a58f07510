/* job_search.c -- which columns are grown anew for jobs, when, and how long.
 *
 * First few changes are tried: only columns over links that are loaded most,
 * which like the links that they have.  If links stay overloaded, the same
 * without that liking, and then all columns in rounds, from how they were,
 * some times with other random numbers.
 *
 * The most loaded link limits some jobs.  The others may have more, so the
 * search goes on for them: with their columns, and with those of the first
 * that are in their way.
 *
 * In the end columns that changed in vain are put back. */
#include "routing/job_fitter.h"
#include "slimfly/progress.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FIRST_BETA 4.0
#define LAST_BETA  80.0
#define HOT        0.85   /* Of the most loaded link. */
#define MAX_VAIN   2      /* Tries with all columns that gain nothing. */
#define WORK       100000 /* Columns that tries with all may grow anew. */
#define GOOD       1.1    /* A load that more work is not worth. */
#define MIN_ROUNDS 8
#define SPARE      0.7  /* Enough where all send to all, or nobody knows, */
#define EVEN       1.36 /* and so many times the mean; */
#define LITTLE     0.9  /* at most that, if it can be had. */
#define MAX_LEVELS 6    /* Of jobs that are limited by other links. */

/* What a link costs more for each other layer of a pair that uses it: bench
 * job_packets has more of this for effective bisection bandwidth.  Crowded
 * networks need the shortest ways for other pairs. */
#define OVERLAP_PRICE 0.25

/* What a try may do. */
struct way {
    double old_factor;  /* Times the price of links that a column has. */
    double first, last; /* Heat, from 0 to 1. */
    double floor; /* The most uniform traffic on a link, of what it was. */
    uint32_t patience; /* Rounds that may gain nothing. */
    bool goes_on;      /* From where the try before ended. */
    bool only_hot;     /* Only columns over hot links. */
};

/* The last takes all tries that are left. */
static const struct way ways[] = {
    { 0.5, 0, 1, 1.04, 2, true, true },
    { 0.5, 0, 1, 1.2, 2, true, true },
    { 0.5, 0.3, 1, DBL_MAX, 3, true, true },
    { 1, 0.6, 0.9, DBL_MAX, 6, true, true },
    { 1, 0, 1, DBL_MAX, UINT32_MAX, false, false },
};

/* For jobs that are not limited by the most loaded link. */
static const struct way more_ways[] = {
    { 0.5, 0.6, 1, 1.06, 3, true, true },
    { 1, 0.6, 0.9, 1.1, 4, true, true },
};

#define N_WAYS      (sizeof ways / sizeof *ways)
#define N_MORE_WAYS ((uint32_t)(sizeof more_ways / sizeof *more_ways))

/* The most loaded link that the demands of 'column' meet. */
static double
find_most_of_column(const struct sf_job_fitter *fitter,
                    const struct sf_job_column *column)
{
    const struct sf_graph *graph = fitter->routing->network->graph;
    double most = 0;

    for (uint32_t i = 0; i < column->n_sources; i++) {
        for (uint32_t s = column->sources[i].s;
             column->hops[s] != SF_NO_HOP;) {
            uint32_t arc = graph->first[s] + column->hops[s];
            most = fmax(most, fitter->grower.loads[arc]);
            s = graph->arcs[arc].to;
        }
    }
    return most;
}

/* The most loaded link that columns at hand meet. */
static double
find_most_active(struct sf_job_fitter *fitter)
{
    double most = 0;

    if (fitter->n_active == fitter->n_columns) {
        return sf_job_grower_most(&fitter->grower);
    }
    for (uint32_t i = 0; i < fitter->n_active; i++) {
        most = fmax(most, find_most_of_column(
                              fitter, &fitter->columns[fitter->order[i]]));
    }
    return most;
}

/* Whether no job that is limited already gets less than it had. */
static bool
keeps_others(struct sf_job_fitter *fitter)
{
    if (fitter->n_active == fitter->n_columns) {
        return true;
    }
    sf_job_fitter_measure(fitter);
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        if (fitter->job_most[i] > fitter->job_limits[i] * SF_JOB_FULL) {
            return false;
        }
    }
    return true;
}

/* Keeps the columns if they are the best so far.  Uniform traffic decides
 * between those that are better than all was at first: nothing changes for its
 * sake alone. */
static void
judge(struct sf_job_fitter *fitter, double most)
{
    double uniform = sf_job_find_most(fitter->routing->network->graph,
                                      fitter->grower.uniform);

    if ((most * SF_JOB_FULL < fitter->least ||
         (most <= fitter->least * SF_JOB_FULL &&
          most * SF_JOB_FULL < fitter->first &&
          uniform < fitter->least_uniform)) &&
        keeps_others(fitter)) {
        fitter->least = most;
        fitter->least_uniform = uniform;
        sf_job_fitter_keep(fitter, fitter->best);
    }
}

/* Marks the links that demands of columns at hand meet, in limits[]. */
static void
mark_links(struct sf_job_fitter *fitter)
{
    const struct sf_graph *graph = fitter->routing->network->graph;

    memset(fitter->limits, 0,
           2 * (size_t)graph->n_links * sizeof *fitter->limits);
    for (uint32_t k = 0; k < fitter->n_active; k++) {
        const struct sf_job_column *column =
            &fitter->columns[fitter->order[k]];
        for (uint32_t i = 0; i < column->n_sources; i++) {
            sf_load_path(graph, column->hops, column->sources[i].s, 1,
                         fitter->limits);
        }
    }
}

/* Whether 'column', of a job that has its limit, meets a marked link that is
 * loaded more than 'hot'. */
static bool
is_in_the_way(const struct sf_job_fitter *fitter,
              const struct sf_job_column *column, double hot)
{
    const struct sf_graph *graph = fitter->routing->network->graph;

    for (uint32_t i = 0; i < column->n_sources; i++) {
        for (uint32_t s = column->sources[i].s;
             column->hops[s] != SF_NO_HOP;) {
            uint32_t arc = graph->first[s] + column->hops[s];
            if (fitter->limits[arc] > 0 && fitter->grower.loads[arc] > hot) {
                return true;
            }
            s = graph->arcs[arc].to;
        }
    }
    return false;
}

/* Grows columns of jobs that have their limit anew, where they are in the way
 * of others. */
static void
visit_others(struct sf_job_fitter *fitter, double most)
{
    uint32_t n_others = fitter->n_columns - fitter->n_active;
    double hot = fmax(SF_JOB_FULL, HOT * most);

    if (n_others == 0 || most <= SF_JOB_FULL) {
        return;
    }
    mark_links(fitter);
    sf_random_shuffle(&fitter->grower.random, fitter->order + fitter->n_active,
                      n_others);
    for (uint32_t i = fitter->n_active; i < fitter->n_columns; i++) {
        const struct sf_job_column *column =
            &fitter->columns[fitter->order[i]];
        if (is_in_the_way(fitter, column, hot)) {
            sf_job_grower_regrow(&fitter->grower, column);
        }
    }
}

/* Visits the columns at hand once, or only those over hot links; the load of
 * the most loaded link after that. */
static double
visit(struct sf_job_fitter *fitter, double beta, bool only_hot)
{
    struct sf_job_grower *grower = &fitter->grower;
    bool has_all = fitter->n_active == fitter->n_columns;

    sf_job_grower_heat(grower, beta);
    sf_random_shuffle(&grower->random, fitter->order, fitter->n_active);
    double most = find_most_active(fitter);
    for (uint32_t i = 0; i < fitter->n_active && most > fitter->enough; i++) {
        const struct sf_job_column *column =
            &fitter->columns[fitter->order[i]];
        if (!only_hot || find_most_of_column(fitter, column) >
                             fmax(fitter->enough, HOT * most)) {
            sf_job_grower_regrow(grower, column);
        }
        most = has_all ? sf_job_grower_most(grower) : most;
    }
    visit_others(fitter, most);
    return find_most_active(fitter);
}

/* Starts with the columns as they are in 'kept'. */
static void
start_from(struct sf_job_fitter *fitter, const uint16_t *kept)
{
    sf_job_fitter_put_back(fitter, kept);
    sf_job_fitter_load(fitter, fitter->grower.loads);
    fitter->grower.is_most_stale = true;
}

/* Rounds of visits; whether loads are low enough at the end. */
static bool
try_rounds(struct sf_job_fitter *fitter, const struct way *way,
           uint32_t number, uint32_t n_rounds)
{
    struct sf_job_grower *grower = &fitter->grower;
    uint32_t last_gain = 0;
    double least = DBL_MAX;

    sf_random_init(&grower->random, fitter->params.seed, number);
    grower->floor = way->floor * fmax(1, fitter->most_uniform);
    grower->old_factor = way->old_factor;
    for (uint32_t r = 0; r < n_rounds && least > fitter->enough &&
                         r - last_gain < way->patience;
         r++) {
        double part = n_rounds > 1 ? (double)r / (n_rounds - 1) : 0;
        double heat = way->first + (way->last - way->first) * part;
        double most =
            visit(fitter, FIRST_BETA * pow(LAST_BETA / FIRST_BETA, heat),
                  way->only_hot);
        judge(fitter, most);
        if (most * SF_JOB_FULL < least) {
            least = most;
            last_gain = r;
        }
    }
    return least <= fitter->enough;
}

/* How many rounds a try has; 0 if it is not worth the work after 'done'. */
static uint32_t
count_rounds(const struct sf_job_fitter *fitter, const struct way *way,
             uint64_t done)
{
    uint32_t most = fitter->params.n_rounds;
    uint32_t n = fitter->n_columns > 0 ? fitter->n_columns : 1;

    if (way->goes_on) {
        return most;
    }
    if (fitter->least <= SF_JOB_FULL) {
        return 0; /* To spare more is not worth that. */
    }
    uint32_t affordable = WORK / n > MIN_ROUNDS ? WORK / n : MIN_ROUNDS;
    uint32_t n_rounds = affordable < most ? affordable : most;
    bool is_urgent = done == 0 && fitter->least > GOOD;
    return is_urgent || done + (uint64_t)n_rounds * n <= WORK ? n_rounds : 0;
}

/* What jobs would put on each link if they took shortest paths only and all
 * links evenly: also in layer 0 if that stays as it is, and so has no
 * columns. */
static double
find_mean(const struct sf_job_fitter *fitter)
{
    const struct sf_graph *graph = fitter->routing->network->graph;
    double sum = 0;

    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        const struct sf_job_column *column = &fitter->columns[i];
        for (uint32_t k = 0; k < column->n_sources; k++) {
            uint8_t distance = column->distance[column->sources[k].s];
            sum += distance == UINT8_MAX
                       ? 0
                       : column->sources[k].amount * column->share * distance;
        }
    }
    double stays = fitter->params.keeps_minimal
                       ? sf_layer_share(fitter->routing->routes, 0)
                       : 0;
    return stays < 1 ? sum / (1 - stays) / (2.0 * graph->n_links) : 0;
}

/* Which load is low enough, once columns have to change.  The less of a link
 * all-to-all takes, the fewer pairs share it, which is good for its packets,
 * and for whatever else a job may send.  Loads near their mean take long. */
static double
find_enough(const struct sf_job_fitter *fitter)
{
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        enum sf_pattern_kind kind = fitter->jobs->jobs[i].kind;
        if (kind == SF_PATTERN_UNKNOWN || kind == SF_PATTERN_ALL_TO_ALL) {
            return fmin(fmax(SPARE, EVEN * find_mean(fitter)), LITTLE);
        }
    }
    return SF_JOB_FULL;
}

/* Tries with all columns, until loads are low enough, tries are in vain or
 * there was enough work. */
static void
search_all(struct sf_job_fitter *fitter)
{
    uint32_t n_tries = fitter->params.n_tries, n_vain = 0, n_rounds = 1;
    uint64_t done = 0;
    bool is_done = fitter->least <= SF_JOB_FULL;

    fitter->enough = find_enough(fitter);
    fitter->grower.overlap_price = fitter->enough > SPARE ? 0 : OVERLAP_PRICE;
    fitter->first = fitter->least;
    fitter->n_active = fitter->n_columns;
    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        fitter->order[i] = i;
    }
    for (uint32_t i = 0;
         !is_done && n_rounds > 0 && n_vain < MAX_VAIN && i < n_tries; i++) {
        const struct way *way = &ways[i < N_WAYS ? i : N_WAYS - 1];
        double least = fitter->least;
        sf_progress_report("fitting routes to jobs", i, n_tries);
        n_rounds = count_rounds(fitter, way, done);
        if (i == 0 || !way->goes_on) {
            start_from(fitter, fitter->original);
            done += way->goes_on ? 0 : (uint64_t)n_rounds * fitter->n_columns;
        }
        is_done = try_rounds(fitter, way, i, n_rounds);
        bool has_gained = fitter->least * SF_JOB_FULL < least;
        n_vain = has_gained || way->goes_on ? 0 : n_vain + 1;
    }
}

/* Whether a job of hosts that 'column' leads to has its limit. */
static bool
is_limited(const struct sf_job_fitter *fitter,
           const struct sf_job_column *column)
{
    const uint32_t *first = fitter->routing->network->first_host;

    for (uint32_t h = first[column->d]; h < first[column->d + 1]; h++) {
        uint32_t job = fitter->job_of[h];
        if (fitter->routing->routes->host_sets[h] == column->set &&
            job != SF_NONE && fitter->job_limits[job] < DBL_MAX) {
            return true;
        }
    }
    return false;
}

/* Gives a limit to the jobs without that meet the most loaded link of all of
 * these; false if that is not overloaded. */
static bool
limit_slowest(struct sf_job_fitter *fitter)
{
    double most = 0;

    sf_job_fitter_measure(fitter);
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        if (fitter->job_limits[i] == DBL_MAX) {
            most = fmax(most, fitter->job_most[i]);
        }
    }
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        if (fitter->job_limits[i] == DBL_MAX &&
            fitter->job_most[i] * SF_JOB_FULL >= most) {
            fitter->job_limits[i] = most;
        }
    }
    return most > SF_JOB_FULL;
}

/* Tries with the columns of jobs that have no limit yet; false if there are
 * none, or these have all that they can get. */
static bool
search_more(struct sf_job_fitter *fitter, uint32_t level)
{
    start_from(fitter, fitter->best);
    if (!limit_slowest(fitter)) {
        return false;
    }
    fitter->n_active = 0;
    for (uint32_t i = 0, n_last = fitter->n_columns; i < fitter->n_columns;
         i++) {
        bool is_open = !is_limited(fitter, &fitter->columns[i]);
        fitter->order[is_open ? fitter->n_active++ : --n_last] = i;
    }
    fitter->grower.ceiling = sf_job_grower_most(&fitter->grower) * SF_JOB_FULL;
    fitter->least = find_most_active(fitter);
    fitter->first = 0; /* Only speed counts. */
    if (fitter->n_active == 0 || fitter->least <= SF_JOB_FULL) {
        return fitter->n_active > 0;
    }
    for (uint32_t i = 0; i < N_MORE_WAYS; i++) {
        if (try_rounds(fitter, &more_ways[i],
                       fitter->params.n_tries + level * N_MORE_WAYS + i,
                       fitter->params.n_rounds)) {
            break;
        }
    }
    return true;
}

/* Notes how far each link may be loaded, so that no job on it gets less than
 * it has. */
static void
limit_links(struct sf_job_fitter *fitter)
{
    const struct sf_graph *graph = fitter->routing->network->graph;

    sf_job_fitter_measure(fitter);
    for (uint32_t i = 0; i < 2 * graph->n_links; i++) {
        fitter->limits[i] = DBL_MAX;
    }
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        fitter->job_limits[i] =
            fmax(fitter->enough, fitter->job_most[i]) * SF_JOB_FULL;
        sf_job_fitter_lower(fitter, i, fitter->job_limits[i]);
    }
}

/* The lowest limit of the jobs that 'column' leads to. */
static double
limit_of(const struct sf_job_fitter *fitter,
         const struct sf_job_column *column)
{
    const uint32_t *first = fitter->routing->network->first_host;
    double limit = DBL_MAX;

    for (uint32_t h = first[column->d]; h < first[column->d + 1]; h++) {
        if (fitter->routing->routes->host_sets[h] == column->set &&
            fitter->job_of[h] != SF_NONE) {
            limit = fmin(limit, fitter->job_limits[fitter->job_of[h]]);
        }
    }
    return limit;
}

/* Adds what the demands of 'column' put onto arcs along 'hops', times 'sign'.
 */
static void
load_column(struct sf_job_fitter *fitter, const struct sf_job_column *column,
            const uint16_t *hops, double sign)
{
    for (uint32_t i = 0; i < column->n_sources; i++) {
        sf_load_path(fitter->routing->network->graph, hops,
                     column->sources[i].s,
                     sign * column->sources[i].amount * column->share,
                     fitter->grower.loads);
    }
}

/* Whether arcs along 'hops' are within their limits and 'limit', which is
 * theirs too from now on if 'lowers'. */
static bool
fits(struct sf_job_fitter *fitter, const struct sf_job_column *column,
     const uint16_t *hops, double limit, bool lowers)
{
    const struct sf_graph *graph = fitter->routing->network->graph;

    for (uint32_t i = 0; i < column->n_sources; i++) {
        for (uint32_t s = column->sources[i].s; hops[s] != SF_NO_HOP;) {
            uint32_t arc = graph->first[s] + hops[s];
            if (fitter->grower.loads[arc] > fmin(limit, fitter->limits[arc])) {
                return false;
            }
            fitter->limits[arc] = lowers ? fmin(limit, fitter->limits[arc])
                                         : fitter->limits[arc];
            s = graph->arcs[arc].to;
        }
    }
    return true;
}

/* Puts the original of each changed column back where no job gets less by
 * that. */
static void
undo_needless(struct sf_job_fitter *fitter)
{
    size_t n = fitter->routing->network->graph->n_nodes;

    limit_links(fitter);
    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        const struct sf_job_column *column = &fitter->columns[i];
        const uint16_t *original = fitter->original + i * n;
        double limit = limit_of(fitter, column);
        if (!memcmp(column->hops, original, n * sizeof *original)) {
            continue;
        }
        load_column(fitter, column, column->hops, -1);
        load_column(fitter, column, original, 1);
        if (fits(fitter, column, original, limit, false)) {
            fits(fitter, column, original, limit, true);
            sf_job_fitter_replace(fitter, i, original);
        } else {
            load_column(fitter, column, original, -1);
            load_column(fitter, column, column->hops, 1);
        }
    }
}

void
sf_job_search(struct sf_job_fitter *fitter)
{
    uint32_t level = 0;

    search_all(fitter);
    double enough = fitter->enough;
    fitter->enough = SF_JOB_FULL;
    fitter->grower.overlap_price = 0;
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        fitter->job_limits[i] = DBL_MAX;
    }
    while (level < MAX_LEVELS && search_more(fitter, level)) {
        level++;
    }
    start_from(fitter, fitter->best);
    fitter->enough = enough;
    undo_needless(fitter);
    sf_job_level(fitter);
}
