/* job_routes.c -- finds the columns that jobs use, has them changed
 * (job_search.c), and says what came of it. */
#include "slimfly/job_routes.h"

#include "base/mem.h"
#include "routing/job_fitter.h"
#include "routing/path_order.h"

#include <math.h>
#include <string.h>

#define DEFAULT_HOPS   4
#define DETOUR         2 /* Hops more than there are between two. */
#define DEFAULT_ROUNDS 24
#define DEFAULT_TRIES  9

static enum sf_status
fail_memory(const struct sf_job_fitter *fitter)
{
    return sf_fail(fitter->err, SF_ENOMEM,
                   "out of memory for the routes of jobs");
}

static uint32_t
count_switches(const struct sf_job_fitter *fitter)
{
    return fitter->routing->network->graph->n_nodes;
}

double
sf_job_find_most(const struct sf_graph *graph, const double *loads)
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
    return most > SF_JOB_FULL ? 1 / most : 1;
}

void
sf_job_fitter_load(const struct sf_job_fitter *fitter, double *loads)
{
    const struct sf_routing *routing = fitter->routing;

    memset(loads, 0,
           2 * (size_t)routing->network->graph->n_links * sizeof *loads);
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        sf_demands_load(routing->network, routing->routes,
                        fitter->demands[i].items, fitter->demands[i].n, loads);
    }
}

/* Goes along all paths of job number 'i': the most of grower.loads there.
 * Makes 'limits' [2E], unless it is NULL, no higher than 'limit' there. */
static double
walk(const struct sf_job_fitter *fitter, uint32_t i, double *limits,
     double limit)
{
    const struct sf_graph *graph = fitter->routing->network->graph;
    const struct sf_routes *routes = fitter->routing->routes;
    const struct sf_job_demands *demands = &fitter->demands[i];
    double most = 0;

    for (uint32_t l = 0; l < sf_routes_n_layers(routes); l++) {
        for (size_t k = 0; sf_layer_share(routes, l) > 0 && k < demands->n;
             k++) {
            const struct sf_demand *demand = &demands->items[k];
            const uint16_t *hops = sf_layers_tree(routes->sets[demand->set], l,
                                                  demand->destination);
            for (uint32_t s = demand->source; hops[s] != SF_NO_HOP;) {
                uint32_t arc = graph->first[s] + hops[s];
                most = fmax(most, fitter->grower.loads[arc]);
                if (limits) {
                    limits[arc] = fmin(limits[arc], limit);
                }
                s = graph->arcs[arc].to;
            }
        }
    }
    return most;
}

void
sf_job_fitter_measure(struct sf_job_fitter *fitter)
{
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        fitter->job_most[i] = walk(fitter, i, NULL, 0);
    }
}

void
sf_job_fitter_lower(struct sf_job_fitter *fitter, uint32_t i, double limit)
{
    walk(fitter, i, fitter->limits, limit);
}

/* Measures what jobs and uniform traffic get; 'is_after' says where to note
 * it. */
static void
measure(struct sf_job_fitter *fitter, bool is_after,
        struct sf_job_routes *result)
{
    const struct sf_routing *routing = fitter->routing;
    const struct sf_graph *graph = routing->network->graph;
    double *loads = fitter->grower.loads, *uniform = fitter->grower.uniform;
    double speed;

    sf_job_fitter_load(fitter, loads);
    sf_job_fitter_measure(fitter);
    sf_uniform_loads(routing->network, routing->routes, uniform);
    for (uint32_t i = 0; i < result->n_jobs; i++) {
        speed = speed_of(fitter->job_most[i]);
        *(is_after ? &result->jobs[i].after : &result->jobs[i].before) = speed;
    }
    speed = speed_of(sf_job_find_most(graph, loads));
    *(is_after ? &result->slowest.after : &result->slowest.before) = speed;
    speed = speed_of(sf_job_find_most(graph, uniform));
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
merge_demands(const struct sf_job_fitter *fitter, size_t *np)
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
add_columns(struct sf_job_fitter *fitter, const struct sf_demand *first,
            uint32_t n, struct sf_job_source *sources, const uint8_t *distance,
            const uint32_t *first_near)
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
                .first_near = first_near,
                .near = fitter->near,
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

/* How many arcs lead to switch 'd' or beside it. */
static size_t
count_near(const struct sf_graph *graph, uint32_t d)
{
    size_t n = sf_graph_degree(graph, d);

    for (uint32_t i = graph->first[d]; i < graph->first[d + 1]; i++) {
        n += sf_graph_degree(graph, graph->arcs[i].to);
    }
    return n;
}

/* Lists them from near[n] on; where that ends. */
static uint32_t
list_near(const struct sf_job_fitter *fitter, const uint8_t *distances,
          uint32_t *first_near, uint32_t n)
{
    const struct sf_graph *graph = fitter->routing->network->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        first_near[s] = n;
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            if (distances[graph->arcs[i].to] <= 1) {
                fitter->near[n++] = i;
            }
        }
    }
    first_near[graph->n_nodes] = n;
    return n;
}

/* Lists the columns that jobs use, group by group. */
static void
list_columns(struct sf_job_fitter *fitter, const struct sf_demand *demands,
             size_t n)
{
    const struct sf_graph *graph = fitter->routing->network->graph;
    size_t n_switches = graph->n_nodes, k = 0;
    uint32_t n_near = 0;

    for (size_t i = 0, end; i < n; i = end) {
        bool is_same =
            i > 0 && demands[i].destination == demands[i - 1].destination;
        k += i > 0 && !is_same;
        uint8_t *distances = fitter->distances + k * n_switches;
        uint32_t *first_near = fitter->first_near + k * (n_switches + 1);
        if (!is_same) {
            measure_distances(graph, demands[i].destination, distances);
            n_near = list_near(fitter, distances, first_near, n_near);
        }
        for (end = i + 1;
             end < n && demands[end].destination == demands[i].destination &&
             demands[end].set == demands[i].set;
             end++) {
        }
        add_columns(fitter, &demands[i], (uint32_t)(end - i),
                    fitter->sources + i, distances, first_near);
    }
}

/* How many arcs lead to or beside a destination, for each. */
static size_t
count_all_near(const struct sf_graph *graph, const struct sf_demand *demands,
               size_t n)
{
    size_t n_near = 0;

    for (size_t i = 0; i < n; i++) {
        if (i == 0 || demands[i].destination != demands[i - 1].destination) {
            n_near += count_near(graph, demands[i].destination);
        }
    }
    return n_near;
}

void
sf_job_fitter_keep(const struct sf_job_fitter *fitter, uint16_t *kept)
{
    size_t n = count_switches(fitter);

    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        memcpy(kept + i * n, fitter->columns[i].hops, n * sizeof *kept);
    }
}

void
sf_job_fitter_replace(struct sf_job_fitter *fitter, uint32_t i,
                      const uint16_t *hops)
{
    const struct sf_job_column *column = &fitter->columns[i];
    const struct sf_network *network = fitter->routing->network;
    size_t size = count_switches(fitter) * sizeof *hops;
    double *uniform = fitter->grower.uniform;

    if (memcmp(column->hops, hops, size) != 0) {
        sf_column_load(network, column->hops, -column->uniform_share, uniform);
        memcpy(column->hops, hops, size);
        sf_column_load(network, column->hops, column->uniform_share, uniform);
    }
}

void
sf_job_fitter_put_back(struct sf_job_fitter *fitter, const uint16_t *kept)
{
    size_t n = count_switches(fitter);

    for (uint32_t i = 0; i < fitter->n_columns; i++) {
        sf_job_fitter_replace(fitter, i, kept + i * n);
    }
}

/* Finds the demands of all jobs and the columns that they use. */
static enum sf_status
prepare_columns(struct sf_job_fitter *fitter)
{
    const struct sf_routing *routing = fitter->routing;
    size_t n_switches = count_switches(fitter), n;
    uint32_t n_layers = sf_routes_n_layers(routing->routes);
    enum sf_status status = SF_OK;

    uint32_t n_jobs = fitter->jobs->n_jobs;
    fitter->demands = sf_calloc(n_jobs, sizeof *fitter->demands);
    fitter->job_of = sf_calloc(sf_network_count_hosts(routing->network),
                               sizeof *fitter->job_of);
    fitter->job_most = sf_calloc(n_jobs, sizeof *fitter->job_most);
    fitter->job_limits = sf_calloc(n_jobs, sizeof *fitter->job_limits);
    fitter->limits = sf_calloc(2 * (size_t)routing->network->graph->n_links,
                               sizeof *fitter->limits);
    if (!fitter->demands || !fitter->job_of || !fitter->job_most ||
        !fitter->job_limits || !fitter->limits) {
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
    for (uint32_t i = 0; i < sf_network_count_hosts(routing->network); i++) {
        fitter->job_of[i] = SF_NONE;
    }
    for (uint32_t i = 0; i < fitter->jobs->n_jobs; i++) {
        const struct sf_job *job = &fitter->jobs->jobs[i];
        for (uint32_t k = 0; k < job->n_hosts; k++) {
            fitter->job_of[job->hosts[k]] = i;
        }
    }
    struct sf_demand *all = merge_demands(fitter, &n);
    size_t n_most = all ? count_groups(all, n, false) * n_layers : 0;
    fitter->sources = sf_calloc(n, sizeof *fitter->sources);
    fitter->distances =
        sf_calloc(all ? count_groups(all, n, true) : 0, n_switches);
    fitter->first_near =
        sf_calloc(all ? count_groups(all, n, true) : 0,
                  (n_switches + 1) * sizeof *fitter->first_near);
    fitter->near =
        sf_calloc(all ? count_all_near(routing->network->graph, all, n) : 0,
                  sizeof *fitter->near);
    fitter->columns = sf_calloc(n_most, sizeof *fitter->columns);
    fitter->order = sf_calloc(n_most, sizeof *fitter->order);
    fitter->original = sf_calloc(n_most, n_switches * sizeof(uint16_t));
    fitter->best = sf_calloc(n_most, n_switches * sizeof(uint16_t));
    bool made = all && fitter->sources && fitter->distances &&
                fitter->first_near && fitter->near && fitter->columns &&
                fitter->order && fitter->original && fitter->best;
    if (made) {
        list_columns(fitter, all, n);
        sf_job_fitter_keep(fitter, fitter->original);
        sf_job_fitter_keep(fitter, fitter->best);
    }
    free(all);
    return made ? SF_OK : fail_memory(fitter);
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
count_changes(const struct sf_job_fitter *fitter, struct sf_job_routes *result)
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
copy_whole(const struct sf_job_fitter *fitter, bool puts_back)
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

/* Makes all columns those of the base, and keeps grower.uniform true. */
static void
return_all(struct sf_job_fitter *fitter)
{
    const struct sf_network *network = fitter->routing->network;
    const struct sf_routes *routes = fitter->routing->routes;
    const struct sf_routes *base = fitter->params.base;
    uint32_t n = count_switches(fitter), n_layers = sf_routes_n_layers(routes);

    for (uint32_t i = 0; i < routes->n_sets * n_layers * n; i++) {
        uint32_t set = i / n / n_layers, l = i / n % n_layers, d = i % n;
        uint16_t *hops = sf_layers_tree(routes->sets[set], l, d);
        const uint16_t *to = sf_layers_tree(base->sets[set], l, d);
        double amount = sf_uniform_amount(network, routes, set, d) *
                        sf_layer_share(routes, l);
        if (memcmp(hops, to, n * sizeof *hops) != 0) {
            sf_column_load(network, hops, -amount, fitter->grower.uniform);
            sf_column_load(network, to, amount, fitter->grower.uniform);
            memcpy(hops, to, n * sizeof *hops);
        }
    }
}

/* Prepares for a base, if there is one. */
static enum sf_status
prepare_base(struct sf_job_fitter *fitter)
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

/* Chooses the columns, and fills in the result. */
static void
fit(struct sf_job_fitter *fitter, struct sf_job_routes *result)
{
    const struct sf_graph *graph = fitter->routing->network->graph;

    measure(fitter, false, result);
    fitter->least = sf_job_find_most(graph, fitter->grower.loads);
    if (fitter->params.base) {
        return_all(fitter);
    }
    fitter->most_uniform = sf_job_find_most(graph, fitter->grower.uniform);
    sf_job_fitter_put_back(fitter, fitter->original);
    fitter->least_uniform = sf_job_find_most(graph, fitter->grower.uniform);
    sf_job_search(fitter);
    measure(fitter, true, result);
    count_changes(fitter, result);
}

/* Whether all columns, of jobs or not, obey what the lanes rest on. */
static enum sf_status
check(const struct sf_job_fitter *fitter)
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
prepare_turns(struct sf_job_fitter *fitter)
{
    const struct sf_routing *routing = fitter->routing;
    const struct sf_lanes *lanes = routing->routes->lanes;
    struct sf_job_grower *grower = &fitter->grower;

    grower->routes = routing->routes;
    if (routing->routes->turns || !lanes || !lanes->scheme->is_safe) {
        grower->turns = routing->routes->turns;
        return SF_OK;
    }
    if (sf_lanes_ignore_sls(lanes)) {
        enum sf_status status = sf_path_order_build(
            routing->network, lanes,
            fitter->params.base ? fitter->params.base : routing->routes,
            &fitter->own_turns, fitter->err);
        grower->turns = fitter->own_turns;
        grower->only_hosts = true;
        return status;
    }
    return sf_fail(fitter->err, SF_ELANES,
                   "lanes by %s do not say which new paths are safe: routes "
                   "for jobs need lanes by turns, untangle or single",
                   lanes->scheme->name);
}

static void
settle_params(struct sf_job_fitter *fitter,
              const struct sf_job_routes_params *params)
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
find_farthest(const struct sf_job_fitter *fitter)
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
settle_hops(struct sf_job_fitter *fitter)
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

/* Notes what routes are like now: how long paths may be, if some have changed.
 */
static void
note_fit(const struct sf_job_fitter *fitter, bool has_changed)
{
    struct sf_routing *routing = fitter->routing;
    uint32_t max_hops = has_changed ? fitter->params.max_hops : 0;

    routing->is_fitted = fitter->jobs->n_jobs > 0 ||
                         (routing->is_fitted && !fitter->params.base);
    if (max_hops > routing->max_hops) {
        routing->max_hops = max_hops;
    }
    for (uint32_t i = 0; i < routing->routes->n_sets; i++) {
        struct sf_layers *set = routing->routes->sets[i];
        set->max_hops = max_hops > set->max_hops ? max_hops : set->max_hops;
    }
}

static void
clear(struct sf_job_fitter *fitter)
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
    free(fitter->near);
    free(fitter->first_near);
    free(fitter->distances);
    free(fitter->sources);
    free(fitter->limits);
    free(fitter->job_limits);
    free(fitter->job_most);
    free(fitter->job_of);
    free(fitter->demands);
    sf_turns_free(fitter->own_turns);
}

enum sf_status
sf_routing_fit_jobs(struct sf_routing *routing, const struct sf_jobs *jobs,
                    const struct sf_job_routes_params *params,
                    struct sf_job_routes *result, struct sf_error *err)
{
    struct sf_job_fitter fitter = { .routing = routing,
                                    .jobs = jobs,
                                    .err = err };

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
        if (status == SF_OK) {
            note_fit(&fitter, result->n_changed > 0);
        } else if (status != SF_OK && fitter.whole) {
            copy_whole(&fitter, true);
        } else if (status != SF_OK) {
            sf_job_fitter_put_back(&fitter, fitter.original);
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
