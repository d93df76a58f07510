/* job_routes.c -- columns for the jobs that run: which are grown anew, when,
 * and how long.
 *
 * First few changes are tried: only columns over links that are loaded most,
 * which like the links that they have.  If links stay overloaded, all columns
 * of jobs are grown anew in rounds, from how they were, some times with other
 * random numbers.  What was best stays, and columns that changed in vain are
 * put back. */
#include "slimfly/job_routes.h"

#include "base/mem.h"
#include "routing/job_columns.h"
#include "routing/job_demands.h"
#include "routing/path_order.h"
#include "slimfly/progress.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DEFAULT_HOPS   4
#define DETOUR         2 /* Hops more than there are between two. */
#define DEFAULT_ROUNDS 60
#define DEFAULT_TRIES  9
#define PATIENCE       3 /* Rounds that may gain nothing. */
#define FIRST_BETA     4.0
#define LAST_BETA      80.0
#define HOT            0.85 /* Of the most loaded link, */
#define FULL           (1 + 1e-9)
#define FEW_COLUMNS    64
#define SPARE          0.7 /* Enough where it is not known what jobs send. */
#define OLD_FACTOR     0.5 /* The price of links that a column has. */

/* What a try may do.  Beyond the last, the last two take turns. */
static const struct way {
    bool is_lazy; /* Only columns over hot links, which like what they have. */
    double floor; /* The most uniform traffic on a link, of what it was. */
} ways[] = {
    { true, 1.02 },    { true, 1.06 }, { true, 1.2 },
    { true, DBL_MAX }, { false, 1.1 }, { false, DBL_MAX },
};

#define N_WAYS (sizeof ways / sizeof *ways)
#define N_LAZY 4 /* The first ones. */

struct fitter {
    struct sf_routing *routing;
    const struct sf_jobs *jobs;
    struct sf_job_routes_params params;
    struct sf_turns *own_turns;     /* Made for a routing without. */
    struct sf_job_demands *demands; /* [n_jobs] */
    struct sf_job_source *sources;  /* [n_sources] Grouped. */
    uint8_t *distances;             /* [V] for each destination of jobs. */
    struct sf_job_column *columns;  /* [n_columns] That may change. */
    uint32_t n_columns;
    uint32_t *order;           /* [n_columns] */
    uint16_t *original, *best; /* [n_columns * V] */
    uint16_t *whole;           /* All columns as they were, with a base. */
    double least;              /* The load of the most loaded link, at best, */
    double least_uniform;      /* and then that of uniform traffic, */
    double most_uniform;       /* which was this at first. */
    double enough;             /* No load needs to be lower than that. */
    struct sf_job_grower grower;
    struct sf_error *err;
};

static enum sf_status
fail_memory(const struct fitter *fitter)
{
    return sf_fail(fitter->err, SF_ENOMEM,
                   "out of memory for the routes of jobs");
}

static uint32_t
count_switches(const struct fitter *fitter)
{
    return fitter->routing->network->graph->n_nodes;
}

static double
find_most(const struct sf_graph *graph, const double *loads)
{
    double most = 0;

    for (uint32_t i = 0; i < 2 * graph->n_links; i++) {
        most = fmax(most, loads[i]);
    }
    return most;
}

static double
speed_of(double most)
{
    return most > FULL ? 1 / most : 1;
}

/* Adds up the loads of all jobs. */
static void
load_jobs(const struct fitter *fitter, double *loads)
{
    const struct sf_routing *routing = fitter->routing;

    memset(loads, 0,
           2 * (size_t)routing->network->graph->n_links * sizeof *loads);
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        sf_demands_load(routing->network, routing->routes,
                        fitter->demands[i].items, fitter->demands[i].n, loads);
    }
}

/* What of 'loads' the demands of a job meet at most. */
static double
find_most_of_job(const struct sf_routing *routing,
                 const struct sf_job_demands *demands, const double *loads)
{
    const struct sf_graph *graph = routing->network->graph;
    const struct sf_routes *routes = routing->routes;
    double most = 0;

    for (uint32_t l = 0; l < sf_routes_n_layers(routes); l++) {
        for (size_t i = 0; sf_layer_share(routes, l) > 0 && i < demands->n;
             i++) {
            const struct sf_demand *demand = &demands->items[i];
            const uint16_t *hops = sf_layers_tree(routes->sets[demand->set], l,
                                                  demand->destination);
            for (uint32_t s = demand->source; hops[s] != SF_NO_HOP;) {
                uint32_t arc = graph->first[s] + hops[s];
                most = fmax(most, loads[arc]);
                s = graph->arcs[arc].to;
            }
        }
    }
    return most;
}

/* Measures what jobs and uniform traffic get; 'is_after' says where to note
 * it. */
static void
measure(struct fitter *fitter, bool is_after, struct sf_job_routes *result)
{
    const struct sf_routing *routing = fitter->routing;
    const struct sf_graph *graph = routing->network->graph;
    double *loads = fitter->grower.loads, *uniform = fitter->grower.uniform;
    double speed;

    load_jobs(fitter, loads);
    sf_uniform_loads(routing->network, routing->routes, uniform);
    for (uint32_t i = 0; i < result->n_jobs; i++) {
        speed =
            speed_of(find_most_of_job(routing, &fitter->demands[i], loads));
        *(is_after ? &result->jobs[i].after : &result->jobs[i].before) = speed;
    }
    speed = speed_of(find_most(graph, loads));
    *(is_after ? &result->slowest.after : &result->slowest.before) = speed;
    speed = speed_of(find_most(graph, uniform));
    *(is_after ? &result->uniform.after : &result->uniform.before) = speed;
}

/* A demand of any job. */
static int
compare_demands(const void *a, const void *b)
{
    const struct sf_demand *x = a, *y = b;

    if (x->destination != y->destination) {
        return x->destination < y->destination ? -1 : 1;
    }
    if (x->set != y->set) {
        return x->set < y->set ? -1 : 1;
    }
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    return (x->amount > y->amount) - (x->amount < y->amount);
}

/* Adds those of 'n' sorted demands up that are between the same; how many are
 * left. */
static size_t
add_up(struct sf_demand *demands, size_t n)
{
    size_t n_left = 0;

    for (size_t i = 0; i < n; i++) {
        struct sf_demand *last = n_left ? &demands[n_left - 1] : NULL;
        if (last && last->destination == demands[i].destination &&
            last->set == demands[i].set && last->source == demands[i].source) {
            last->amount += demands[i].amount;
        } else {
            demands[n_left++] = demands[i];
        }
    }
    return n_left;
}

/* Puts the demands of all jobs into one sorted list, which the caller frees.
 */
static struct sf_demand *
merge_demands(const struct fitter *fitter, size_t *np)
{
    size_t n = 0;

    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        n += fitter->demands[i].n;
    }
    struct sf_demand *all = sf_calloc(n, sizeof *all);
    *np = 0;
    for (uint32_t i = 0; all && i < fitter->jobs->n_jobs; i++) {
        for (size_t k = 0; k < fitter->demands[i].n; k++) {
            all[(*np)++] = fitter->demands[i].items[k];
        }
    }
    if (all) {
        qsort(all, *np, sizeof *all, compare_demands);
        *np = add_up(all, *np);
    }
    return all;
}

/* Fills 'distances' [V] with those to 'root', by a search for as long as
 * something changes: the far ends are few hops away. */
static void
measure_distances(const struct sf_graph *graph, uint32_t root,
                  uint8_t *distances)
{
    bool has_changed = true;

    memset(distances, UINT8_MAX, graph->n_nodes);
    distances[root] = 0;
    for (uint8_t k = 0; has_changed && k < UINT8_MAX - 1; k++) {
        has_changed = false;
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            for (uint32_t i = graph->first[s];
                 distances[s] == k && i < graph->first[s + 1]; i++) {
                uint8_t *to = &distances[graph->arcs[i].to];
                has_changed |= *to == UINT8_MAX;
                *to = *to == UINT8_MAX ? (uint8_t)(k + 1) : *to;
            }
        }
    }
}

/* Adds the columns of one destination and set, in each layer that may
 * change. */
static void
add_columns(struct fitter *fitter, const struct sf_demand *first, uint32_t n,
            struct sf_job_source *sources, const uint8_t *distance)
{
    const struct sf_routes *routes = fitter->routing->routes;

    for (uint32_t i = 0; i < n; i++) {
        sources[i] =
            (struct sf_job_source){ first[i].source, first[i].amount };
    }
    for (uint32_t l = fitter->params.keeps_minimal ? 1 : 0;
         l < sf_routes_n_layers(routes); l++) {
        double share = sf_layer_share(routes, l);
        if (share > 0) {
            fitter->columns[fitter->n_columns++] = (struct sf_job_column){
                .set = first->set,
                .layer = l,
                .d = first->destination,
                .sources = sources,
                .n_sources = n,
                .share = share,
                .uniform_share =
                    share * sf_uniform_amount(fitter->routing->network, routes,
                                              first->set, first->destination),
                .distance = distance,
                .hops = sf_layers_tree(routes->sets[first->set], l,
                                       first->destination),
            };
        }
    }
}

/* Counts groups of demands with the same destination and, unless
 * 'any_set', set. */
static size_t
count_groups(const struct sf_demand *demands, size_t n, bool any_set)
{
    size_t n_groups = 0;

    for (size_t i = 0; i < n; i++) {
        n_groups += i == 0 ||
                    demands[i].destination != demands[i - 1].destination ||
                    (!any_set && demands[i].set != demands[i - 1].set);
    }
    return n_groups;
}

/* Lists the columns that jobs use, group by group. */
static void
list_columns(struct fitter *fitter, const struct sf_demand *demands, size_t n)
{
    const struct sf_graph *graph = fitter->routing->network->graph;
    uint8_t *distances = fitter->distances - graph->n_nodes;

    for (size_t i = 0, end; i < n; i = end) {
        if (i == 0 || demands[i].destination != demands[i - 1].destination) {
            distances += graph->n_nodes;
            measure_distances(graph, demands[i].destination, distances);
        }
        for (end = i + 1;
             end < n && demands[end].destination == demands[i].destination &&
             demands[end].set == demands[i].set;
             end++) {
        }
        add_columns(fitter, &demands[i], (uint32_t)(end - i),
                    fitter->sources + i, distances);
    }
}

/* Keeps the columns as they are in 'kept', or puts them back from there. */
static void
keep(const struct fitter *fitter, uint16_t *kept)
{
    size_t n = count_switches(fitter);

    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        memcpy(kept + i * n, fitter->columns[i].hops, n * sizeof *kept);
    }
}

static void
put_back(const struct fitter *fitter, const uint16_t *kept)
{
    size_t n = count_switches(fitter);

    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        memcpy(fitter->columns[i].hops, kept + i * n, n * sizeof *kept);
    }
}

/* Finds the demands of all jobs and the columns that they use. */
static enum sf_status
prepare_columns(struct fitter *fitter)
{
    const struct sf_routing *routing = fitter->routing;
    size_t n_switches = count_switches(fitter), n;
    uint32_t n_layers = sf_routes_n_layers(routing->routes);
    enum sf_status status = SF_OK;

    fitter->demands = sf_calloc(fitter->jobs->n_jobs, sizeof *fitter->demands);
    if (!fitter->demands) {
        return fail_memory(fitter);
    }
    for (uint32_t i = 0; status == SF_OK && i < fitter->jobs->n_jobs; i++) {
        status = sf_job_demands_build(routing->network, routing->routes,
                                      &fitter->jobs->jobs[i],
                                      &fitter->demands[i], fitter->err);
    }
    if (status != SF_OK) {
        return status;
    }
    struct sf_demand *all = merge_demands(fitter, &n);
    size_t n_most = all ? count_groups(all, n, false) * n_layers : 0;
    fitter->sources = sf_calloc(n, sizeof *fitter->sources);
    fitter->distances =
        sf_calloc(all ? count_groups(all, n, true) : 0, n_switches);
    fitter->columns = sf_calloc(n_most, sizeof *fitter->columns);
    fitter->order = sf_calloc(n_most, sizeof *fitter->order);
    fitter->original = sf_calloc(n_most, n_switches * sizeof(uint16_t));
    fitter->best = sf_calloc(n_most, n_switches * sizeof(uint16_t));
    bool made = all && fitter->sources && fitter->distances &&
                fitter->columns && fitter->order && fitter->original &&
                fitter->best;
    if (made) {
        list_columns(fitter, all, n);
        keep(fitter, fitter->original);
        keep(fitter, fitter->best);
    }
    free(all);
    return made ? SF_OK : fail_memory(fitter);
}

/* Whether the demands of 'column' meet a load above 'limit'. */
static bool
is_hot(const struct fitter *fitter, const struct sf_job_column *column,
       double limit)
{
    const struct sf_graph *graph = fitter->routing->network->graph;

    for (uint32_t i = 0; i < column->n_sources; i++) {
        for (uint32_t s = column->sources[i].s;
             column->hops[s] != SF_NO_HOP;) {
            uint32_t arc = graph->first[s] + column->hops[s];
            if (fitter->grower.loads[arc] > limit) {
                return true;
            }
            s = graph->arcs[arc].to;
        }
    }
    return false;
}

/* Keeps the columns if they are the best so far. */
static void
judge(struct fitter *fitter, double most)
{
    double uniform =
        find_most(fitter->routing->network->graph, fitter->grower.uniform);

    if (most * FULL < fitter->least ||
        (most <= fitter->least * FULL && uniform < fitter->least_uniform)) {
        fitter->least = most;
        fitter->least_uniform = uniform;
        keep(fitter, fitter->best);
    }
}

/* Visits all columns once, or only those over hot links; the load of the most
 * loaded link after that. */
static double
visit(struct fitter *fitter, double beta, bool only_hot)
{
    struct sf_job_grower *grower = &fitter->grower;
    const struct sf_graph *graph = fitter->routing->network->graph;

    sf_job_grower_heat(grower, beta);
    sf_random_shuffle(&grower->random, fitter->order, fitter->n_columns);
    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        const struct sf_job_column *column =
            &fitter->columns[fitter->order[i]];
        double most = find_most(graph, grower->loads);
        if (most <= fitter->enough) {
            break;
        }
        if (!only_hot ||
            is_hot(fitter, column, fmax(fitter->enough, HOT * most))) {
            sf_job_grower_regrow(grower, column);
        }
    }
    return find_most(graph, grower->loads);
}

/* Prepares for a try.  A lazy one goes on where the one before could not, with
 * a lower floor; others start with all as it was. */
static void
prepare_try(struct fitter *fitter, uint32_t number, const struct way *way)
{
    const struct sf_routing *routing = fitter->routing;
    struct sf_job_grower *grower = &fitter->grower;

    if (number == 0 || !way->is_lazy) {
        put_back(fitter, fitter->original);
        load_jobs(fitter, grower->loads);
        sf_uniform_loads(routing->network, routing->routes, grower->uniform);
        for (uint32_t i = 0; i < fitter->n_columns; i++) {
            fitter->order[i] = i;
        }
    }
    sf_random_init(&grower->random, fitter->params.seed, number);
    grower->floor = way->floor * fmax(1, fitter->most_uniform);
    grower->old_factor = way->is_lazy ? OLD_FACTOR : 1;
}

/* Rounds of visits from the original columns; whether no link is overloaded
 * at the end. */
static bool
try_rounds(struct fitter *fitter, uint32_t number)
{
    const struct way *way =
        &ways[number < N_WAYS ? number : N_WAYS - 1 - (number - N_WAYS) % 2];
    uint32_t n_rounds = fitter->params.n_rounds, last_gain = 0;
    double least = DBL_MAX;

    prepare_try(fitter, number, way);
    for (uint32_t r = 0; r < n_rounds && least > fitter->enough &&
                         (!way->is_lazy || r < last_gain + PATIENCE);
         r++) {
        double part = n_rounds > 1 ? (double)r / (n_rounds - 1) : 0;
        sf_progress_report("fitting routes to jobs", number * n_rounds + r,
                           fitter->params.n_tries * n_rounds);
        double most =
            visit(fitter, FIRST_BETA * pow(LAST_BETA / FIRST_BETA, part),
                  way->is_lazy);
        judge(fitter, most);
        if (most < least) {
            least = most;
            last_gain = r;
        }
    }
    return least <= fitter->enough;
}

/* Adds what the demands of 'column' put onto arcs, times 'sign'. */
static void
load_column(struct fitter *fitter, const struct sf_job_column *column,
            const uint16_t *hops, double sign)
{
    for (uint32_t i = 0; i < column->n_sources; i++) {
        sf_load_path(fitter->routing->network->graph, hops,
                     column->sources[i].s,
                     sign * column->sources[i].amount * column->share,
                     fitter->grower.loads);
    }
}

/* Puts the original of each changed column back where no job gets less by
 * that. */
static void
undo_needless(struct fitter *fitter)
{
    const struct sf_graph *graph = fitter->routing->network->graph;
    size_t n = count_switches(fitter);
    double limit = fmax(fitter->least, fitter->enough) * FULL;

    load_jobs(fitter, fitter->grower.loads);
    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        const struct sf_job_column *column = &fitter->columns[i];
        const uint16_t *original = fitter->original + i * n;
        if (!memcmp(column->hops, original, n * sizeof *original)) {
            continue;
        }
        load_column(fitter, column, column->hops, -1);
        load_column(fitter, column, original, 1);
        if (find_most(graph, fitter->grower.loads) <= limit) {
            memcpy(column->hops, original, n * sizeof *original);
        } else {
            load_column(fitter, column, original, -1);
            load_column(fitter, column, column->hops, 1);
        }
    }
}

/* Counts what differs in a column. */
static void
count_column(const uint16_t *now, const uint16_t *before, uint32_t n,
             struct sf_job_routes *result)
{
    uint64_t n_before = result->n_changed;

    for (uint32_t s = 0; s < n; s++) {
        result->n_changed += now[s] != before[s];
    }
    result->n_columns_changed += result->n_changed > n_before;
}

static void
count_changes(const struct fitter *fitter, struct sf_job_routes *result)
{
    const struct sf_routes *routes = fitter->routing->routes;
    uint32_t n = count_switches(fitter);
    uint32_t n_of_set = sf_routes_n_layers(routes) * n;

    result->n_columns = routes->n_sets * n_of_set;
    result->n_entries = (uint64_t)result->n_columns * n;
    for (uint32_t i = 0; !fitter->whole && i < fitter->n_columns; i++) {
        count_column(fitter->columns[i].hops, fitter->original + (size_t)i * n,
                     n, result);
    }
    for (uint32_t i = 0; fitter->whole && i < result->n_columns; i++) {
        count_column(routes->sets[i / n_of_set]->hops +
                         (size_t)(i % n_of_set) * n,
                     fitter->whole + (size_t)i * n, n, result);
    }
}

/* Keeps all columns in fitter->whole, or puts them back from there. */
static void
copy_whole(const struct fitter *fitter, bool puts_back)
{
    const struct sf_routes *routes = fitter->routing->routes;
    size_t n = count_switches(fitter);
    size_t n_of_set = sf_routes_n_layers(routes) * n * n;

    for (uint32_t i = 0; i < routes->n_sets; i++) {
        uint16_t *kept = fitter->whole + i * n_of_set;
        uint16_t *hops = routes->sets[i]->hops;
        memcpy(puts_back ? hops : kept, puts_back ? kept : hops,
               n_of_set * sizeof *hops);
    }
}

/* Makes the columns that no job uses those of the base. */
static void
return_others(const struct fitter *fitter)
{
    const struct sf_routes *routes = fitter->routing->routes;
    const struct sf_routes *base = fitter->params.base;
    size_t n = count_switches(fitter);

    for (uint32_t i = 0; i < routes->n_sets; i++) {
        memcpy(routes->sets[i]->hops, base->sets[i]->hops,
               sf_routes_n_layers(routes) * n * n * sizeof(uint16_t));
    }
    put_back(fitter, fitter->original);
}

/* Prepares for a base, if there is one. */
static enum sf_status
prepare_base(struct fitter *fitter)
{
    const struct sf_routes *routes = fitter->routing->routes;
    const struct sf_routes *base = fitter->params.base;
    size_t n = count_switches(fitter);

    if (!base) {
        return SF_OK;
    }
    if (base->n_sets != routes->n_sets ||
        sf_routes_n_layers(base) != sf_routes_n_layers(routes) ||
        base->sets[0]->n_switches != n) {
        return sf_fail(fitter->err, SF_EINVAL,
                       "expected as many path sets, layers and switches in "
                       "the routes to return to");
    }
    fitter->whole = sf_calloc(routes->n_sets * sf_routes_n_layers(routes),
                              n * n * sizeof *fitter->whole);
    if (!fitter->whole) {
        return fail_memory(fitter);
    }
    copy_whole(fitter, false);
    return SF_OK;
}

/* The most uniform traffic on a link without jobs. */
static double
find_most_at_first(const struct fitter *fitter)
{
    const struct sf_network *network = fitter->routing->network;
    double *loads = fitter->grower.uniform_before; /* Not in use yet. */

    if (!fitter->params.base) {
        return fitter->least_uniform;
    }
    sf_uniform_loads(network, fitter->params.base, loads);
    return find_most(network->graph, loads);
}

/* Which load is low enough, once columns have to change.  The less of a link
 * all-to-all takes, the fewer pairs share it, which is good for whatever else
 * a job may send. */
static double
find_enough(const struct sf_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        if (jobs->jobs[i].kind == SF_PATTERN_UNKNOWN) {
            return SPARE;
        }
    }
    return FULL;
}

/* Whether no link is overloaded, and try 'number' would take too long for what
 * it might gain. */
static bool
is_good(const struct fitter *fitter, uint32_t number)
{
    uint32_t n_worth = N_LAZY + (fitter->n_columns <= FEW_COLUMNS);

    return fitter->least <= FULL && number >= n_worth;
}

/* Chooses the columns, and fills in the result. */
static void
fit(struct fitter *fitter, struct sf_job_routes *result)
{
    measure(fitter, false, result);
    if (fitter->params.base) {
        return_others(fitter);
        sf_uniform_loads(fitter->routing->network, fitter->routing->routes,
                         fitter->grower.uniform);
    }
    fitter->least =
        find_most(fitter->routing->network->graph, fitter->grower.loads);
    fitter->least_uniform =
        find_most(fitter->routing->network->graph, fitter->grower.uniform);
    fitter->most_uniform = find_most_at_first(fitter);
    fitter->enough = find_enough(fitter->jobs);
    bool is_done = fitter->least <= FULL;
    for (uint32_t i = 0; !is_done && i < fitter->params.n_tries; i++) {
        is_done = try_rounds(fitter, i) || is_good(fitter, i + 1);
    }
    put_back(fitter, fitter->best);
    undo_needless(fitter);
    measure(fitter, true, result);
    count_changes(fitter, result);
}

/* Whether all columns, of jobs or not, obey what the lanes rest on. */
static enum sf_status
check(const struct fitter *fitter)
{
    const struct sf_routing *routing = fitter->routing;
    struct sf_layers_claims claims = { .within_parts = true,
                                       .turns = routing->routes->turns };
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < routing->routes->n_sets; i++) {
        status =
            sf_layers_check(routing->routes->sets[i], routing->network->graph,
                            &claims, fitter->err);
    }
    return status;
}

/* Finds what new paths must obey. */
static enum sf_status
prepare_turns(struct fitter *fitter)
{
    const struct sf_routing *routing = fitter->routing;
    const struct sf_lanes *lanes = routing->routes->lanes;
    struct sf_job_grower *grower = &fitter->grower;

    if (routing->routes->turns || !lanes || !lanes->scheme->is_safe) {
        grower->turns = routing->routes->turns;
        return SF_OK;
    }
    if (lanes->n_vls == 1) {
        enum sf_status status = sf_path_order_build(
            routing->network,
            fitter->params.base ? fitter->params.base : routing->routes,
            &fitter->own_turns, fitter->err);
        grower->turns = fitter->own_turns;
        grower->only_hosts = true;
        return status;
    }
    return sf_fail(fitter->err, SF_ELANES,
                   "lanes by %s do not say which new paths are safe: routes "
                   "for jobs need lanes by turns or a single lane",
                   lanes->scheme->name);
}

static void
settle_params(struct fitter *fitter, const struct sf_job_routes_params *params)
{
    uint32_t asked = fitter->routing->params.layers.max_hops;
    struct sf_job_routes_params *settled = &fitter->params;

    *settled = *params;
    settled->n_rounds = params->n_rounds ? params->n_rounds : DEFAULT_ROUNDS;
    settled->n_tries = params->n_tries ? params->n_tries : DEFAULT_TRIES;
    settled->max_hops = params->max_hops ? params->max_hops : asked;
}

static uint32_t
at_most(uint32_t hops, uint32_t most)
{
    return hops < most ? hops : most;
}

/* The hops between the switches of jobs that are furthest apart. */
static uint32_t
find_farthest(const struct fitter *fitter)
{
    uint32_t farthest = 0;

    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        const struct sf_job_column *column = &fitter->columns[i];
        for (uint32_t k = 0; k < column->n_sources; k++) {
            uint32_t hops = column->distance[column->sources[k].s];
            farthest = hops > farthest ? hops : farthest;
        }
    }
    return farthest;
}

/* How long paths may be: as was asked for, else so long that there are ways
 * around what lies between two switches.  Paths that jobs do not use may stay
 * as long as they are. */
static void
settle_hops(struct fitter *fitter)
{
    uint32_t usual = fitter->routing->max_hops;
    uint32_t *most = &fitter->params.max_hops;
    uint32_t around = find_farthest(fitter) + DETOUR;

    around = around > DEFAULT_HOPS ? around : DEFAULT_HOPS;
    fitter->grower.search_hops =
        at_most(*most ? *most : around, SF_JOB_MAX_HOPS);
    *most = *most ? *most : usual > around ? usual : around;
    *most = at_most(*most, SF_JOB_MAX_HOPS);
    fitter->grower.max_hops = *most;
}

/* Notes that paths may be that long now. */
static void
raise_limit(struct sf_routing *routing, uint32_t max_hops)
{
    if (max_hops > routing->max_hops) {
        routing->max_hops = max_hops;
    }
    for (uint32_t i = 0; i < routing->routes->n_sets; i++) {
        struct sf_layers *set = routing->routes->sets[i];
        set->max_hops = max_hops > set->max_hops ? max_hops : set->max_hops;
    }
}

static void
clear(struct fitter *fitter)
{
    for (uint32_t i = 0; fitter->demands && i < fitter->jobs->n_jobs; i++) {
        free(fitter->demands[i].items);
    }
    sf_job_grower_clear(&fitter->grower);
    free(fitter->whole);
    free(fitter->best);
    free(fitter->original);
    free(fitter->order);
    free(fitter->columns);
    free(fitter->distances);
    free(fitter->sources);
    free(fitter->demands);
    sf_turns_free(fitter->own_turns);
}

enum sf_status
sf_routing_fit_jobs(struct sf_routing *routing, const struct sf_jobs *jobs,
                    const struct sf_job_routes_params *params,
                    struct sf_job_routes *result, struct sf_error *err)
{
    struct fitter fitter = { .routing = routing, .jobs = jobs, .err = err };

    *result = (struct sf_job_routes){ .n_jobs = jobs->n_jobs };
    result->jobs = sf_calloc(jobs->n_jobs, sizeof *result->jobs);
    settle_params(&fitter, params);
    enum sf_status status =
        sf_job_grower_make(&fitter.grower, routing->network) && result->jobs
            ? SF_OK
            : fail_memory(&fitter);
    if (status == SF_OK) {
        status = prepare_turns(&fitter);
    }
    if (status == SF_OK) {
        status = prepare_columns(&fitter);
    }
    if (status == SF_OK) {
        status = prepare_base(&fitter);
    }
    if (status == SF_OK) {
        settle_hops(&fitter);
        fit(&fitter, result);
        status = check(&fitter);
        if (status == SF_OK && result->n_changed > 0) {
            raise_limit(routing, fitter.params.max_hops);
        } else if (status != SF_OK && fitter.whole) {
            copy_whole(&fitter, true);
        } else if (status != SF_OK) {
            put_back(&fitter, fitter.original);
        }
    }
    clear(&fitter);
    return status;
}

void
sf_job_routes_clear(struct sf_job_routes *result)
{
    free(result->jobs);
    *result = (struct sf_job_routes){ 0 };
}
