/* networks.c -- the networks of an evaluation, what they cost, and their
 * routings. */
#include "base/mem.h"
#include "design/evaluate.h"
#include "eval/eval.h"
#include "slimfly/ib.h"
#include "slimfly/progress.h"

#include <math.h>
#include <string.h>

/* What a network costs with the smallest switches that have enough ports. */
static enum sf_status
price(const struct sf_topology *topo, const struct sf_prices *prices,
      double *costp, struct sf_error *err)
{
    struct sf_candidate candidate = { .backend = &sf_ib_backend,
                                      .n_host_addresses = 1 };

    *costp = (double)NAN;
    candidate.generation =
        prices ? sf_prices_at_least(prices, sf_topology_ports(topo)) : NULL;
    if (!candidate.generation || strlen(topo->spec) >= sizeof candidate.spec) {
        return SF_OK;
    }
    candidate.ports = candidate.generation->ports;
    snprintf(candidate.spec, sizeof candidate.spec, "%s", topo->spec);
    enum sf_status status = sf_evaluate_cost(&candidate, err);
    *costp = candidate.cost;
    return status;
}

static enum sf_status
build_network(const struct sf_eval_params *params,
              const struct sf_topology *topo, uint32_t n_hosts,
              struct sf_eval_network *network, struct sf_error *err)
{
    struct sf_fabric_params how = { .n_hosts = n_hosts };

    network->is_tree = topo->family->level_coord != SF_NONE;
    network->n_hosts = n_hosts;
    network->n_switches = topo->graph->n_nodes;
    network->n_links = topo->graph->n_links;
    network->name = sf_strdup(topo->spec);
    if (!network->name) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a network");
    }
    enum sf_status status =
        sf_plan_build(topo, &how, NULL, &network->plan, err);
    if (status == SF_OK) {
        status =
            sf_network_build(network->plan->fabric, &network->network, err);
    }
    if (status == SF_OK) {
        status = sf_plan_lengths(network->plan, &network->lengths, err);
    }
    return status == SF_OK ? price(topo, params->prices, &network->cost, err)
                           : status;
}

/* The hosts that each network has: as many as asked for, or as the smallest
 * has. */
static enum sf_status
count_hosts(const struct sf_eval_params *params,
            struct sf_topology *const *topos, uint32_t *n_hostsp,
            struct sf_error *err)
{
    uint32_t fewest = UINT32_MAX;

    for (uint32_t i = 0; i < params->n_networks; i++) {
        if (topos[i]->n_endpoints < fewest) {
            fewest = topos[i]->n_endpoints;
        }
        if (params->n_hosts > topos[i]->n_endpoints) {
            return sf_fail(
                err, SF_EINVAL, "%s: expected at least %u hosts, found %u",
                topos[i]->spec, params->n_hosts, topos[i]->n_endpoints);
        }
    }
    *n_hostsp = params->n_hosts ? params->n_hosts : fewest;
    return *n_hostsp >= 2
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "expected networks with at least 2 hosts, found %u",
                         *n_hostsp);
}

enum sf_status
sf_eval_networks_build(struct sf_evaluation *ev, struct sf_error *err)
{
    const struct sf_eval_params *params = &ev->params;
    struct sf_topology *topos[SF_EVAL_MAX_NETWORKS] = { NULL };
    enum sf_status status = SF_OK;
    uint32_t n_hosts = 0;

    for (uint32_t i = 0; status == SF_OK && i < params->n_networks; i++) {
        status = sf_topology_build(params->networks[i], &topos[i], err);
    }
    if (status == SF_OK) {
        status = count_hosts(params, topos, &n_hosts, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < params->n_networks; i++) {
        ev->n_networks++;
        status =
            build_network(params, topos[i], n_hosts, &ev->networks[i], err);
        if (status == SF_OK && params->equal == SF_EVAL_EQUAL_COST &&
            isnan(ev->networks[i].cost)) {
            status = sf_fail(err, SF_EINVAL,
                             "%s: no price is known for its switches of %u "
                             "ports",
                             topos[i]->spec, sf_topology_ports(topos[i]));
        }
    }
    for (uint32_t i = 0; i < params->n_networks; i++) {
        sf_topology_free(topos[i]);
    }
    return status;
}

/* The scheme of a group; NULL: what 'slimfly route' would choose. */
static const char *
scheme_of(enum sf_eval_group group)
{
    return group == SF_EVAL_MINIMAL ? "minimal"
           : group == SF_EVAL_PAPER ? "paper"
           : group == SF_EVAL_OURS  ? "gates"
                                    : NULL;
}

/* Whether a routing that cannot be is done without, or done otherwise. */
static bool
can_do_without(enum sf_status status)
{
    return status == SF_EINVAL || status == SF_ELANES || status == SF_ELIMIT ||
           status == SF_EUNREACHABLE;
}

/* Routes a network.  Where lanes for any service level leave no shortest
 * paths, those for the service level of each path do; and where there is no
 * 'gates', what 'slimfly route' takes instead. */
static enum sf_status
build_routing(const struct sf_network *network, enum sf_eval_group group,
              struct sf_routing_params *how, struct sf_routing **madep,
              struct sf_error *err)
{
    struct sf_error why;
    enum sf_status status = sf_routing_build(network, how, madep, err);

    if (can_do_without(status) && group == SF_EVAL_MINIMAL) {
        how->guarantee = SF_PATH_SL;
        return sf_routing_build(network, how, madep, err);
    }
    if (can_do_without(status) && group == SF_EVAL_OURS) {
        /* The first failure says more. */
        how->layers.scheme = NULL;
        return sf_routing_build(network, how, madep, &why) == SF_OK ? SF_OK
                                                                    : status;
    }
    return status;
}

static enum sf_status
route(const struct sf_evaluation *ev, struct sf_eval_routing *routing,
      struct sf_error *err)
{
    const struct sf_eval_network *network = &ev->networks[routing->network];
    struct sf_routing_params how = {
        .layers = { .scheme = scheme_of(routing->group),
                    .n_layers = routing->n_layers,
                    .seed = ev->params.seed + routing->seed,
                    .n_threads = ev->params.n_threads },
        .n_addresses =
            sf_backend_host_addresses(&sf_ib_backend, routing->n_layers),
    };
    enum sf_status status = build_routing(network->network, routing->group,
                                          &how, &routing->made, err);

    if (status == SF_OK) {
        status = sf_path_source_of_routes(routing->made->network,
                                          routing->made->routes, SF_SL_OF_PATH,
                                          &routing->source, err);
    }
    if (status == SF_OK) {
        const struct sf_lanes *lanes = routing->made->routes->lanes;
        snprintf(routing->scheme, sizeof routing->scheme, "%s",
                 routing->made->params.layers.scheme);
        snprintf(routing->lanes, sizeof routing->lanes, "%s",
                 lanes ? lanes->scheme->name : "none");
    }
    return status;
}

static enum sf_status
add_routing(struct sf_evaluation *ev, uint32_t network,
            enum sf_eval_group group, uint32_t n_layers, uint32_t seed,
            struct sf_error *err)
{
    struct sf_eval_routing *grown = sf_realloc(
        ev->routings, ev->n_routings + (size_t)1, sizeof *ev->routings);
    struct sf_error why = { 0 };

    if (!grown) {
        return sf_fail(err, SF_ENOMEM, "out of memory for routings");
    }
    ev->routings = grown;
    struct sf_eval_routing *routing = &ev->routings[ev->n_routings++];
    *routing = (struct sf_eval_routing){
        .network = network, .group = group, .n_layers = n_layers, .seed = seed
    };
    enum sf_status status = route(ev, routing, &why);
    if (can_do_without(status) && group != SF_EVAL_DEFAULT &&
        group != SF_EVAL_MINIMAL) {
        snprintf(routing->left_out, sizeof routing->left_out, "%.230s",
                 why.text);
        return SF_OK;
    }
    if (status != SF_OK && err) {
        *err = why;
        sf_error_add_context(err, ev->networks[network].name);
    }
    return status;
}

/* Routes a network that is no tree. */
static enum sf_status
add_routings(struct sf_evaluation *ev, uint32_t network, uint32_t seed,
             struct sf_error *err)
{
    const struct sf_eval_params *params = &ev->params;
    enum sf_status status =
        add_routing(ev, network, SF_EVAL_MINIMAL, 1, seed, err);

    for (uint32_t i = 0; status == SF_OK && i < params->n_layers; i++) {
        uint32_t n = params->layers[i];
        if (params->has_group[SF_EVAL_PAPER]) {
            status = add_routing(ev, network, SF_EVAL_PAPER, n, seed, err);
        }
        if (status == SF_OK && (params->has_group[SF_EVAL_OURS] ||
                                params->has_group[SF_EVAL_JOBS])) {
            status = add_routing(ev, network, SF_EVAL_OURS, n, seed, err);
        }
    }
    return status;
}

enum sf_status
sf_eval_routings_build(struct sf_evaluation *ev, struct sf_error *err)
{
    const struct sf_progress *listener = sf_progress_listen(NULL);
    enum sf_status status = SF_OK;
    uint32_t n = ev->n_networks * ev->params.n_seeds, done = 0;

    for (uint32_t i = 0; status == SF_OK && i < ev->n_networks; i++) {
        for (uint32_t k = 0; status == SF_OK && k < ev->params.n_seeds; k++) {
            if (listener && listener->report) {
                listener->report(listener->aux, "choosing paths", done, n);
            }
            done++;
            status = ev->networks[i].is_tree
                         ? add_routing(ev, i, SF_EVAL_DEFAULT, 1, k, err)
                         : add_routings(ev, i, k, err);
        }
    }
    sf_progress_listen(listener);
    /* They have moved while others were added; sources point to what is
     * made, not to them. */
    return status;
}

const struct sf_eval_routing *
sf_eval_routing_find(const struct sf_evaluation *ev,
                     const struct sf_eval_series *series, uint32_t seed)
{
    enum sf_eval_group group =
        series->group == SF_EVAL_JOBS ? SF_EVAL_OURS : series->group;

    for (uint32_t i = 0; i < ev->n_routings; i++) {
        const struct sf_eval_routing *routing = &ev->routings[i];
        if (routing->network == series->network && routing->group == group &&
            routing->n_layers == series->n_layers && routing->seed == seed) {
            return routing;
        }
    }
    return NULL;
}

/* Makes the routes of a fit, whose lock is held. */
static enum sf_status
make_fit(const struct sf_evaluation *ev, struct sf_eval_fit *fit,
         struct sf_error *err)
{
    const struct sf_eval_routing *base = fit->base;
    char nodes[16];
    struct sf_sim_jobs asked = { .workload = "all-to-all",
                                 .nodes = nodes,
                                 .placement = fit->placement == SF_EVAL_RANDOM
                                                  ? "random"
                                                  : "racks" };
    struct sf_job_routes_params params = { .seed =
                                               ev->params.seed + base->seed };
    struct sf_job_routes result = { 0 };
    struct sf_jobs *jobs;

    snprintf(nodes, sizeof nodes, "%u", fit->n_nodes);
    enum sf_status status = sf_sim_jobs_nodes(
        ev->networks[base->network].network, &asked, params.seed, &jobs, err);
    if (status == SF_OK) {
        status = sf_routing_copy(base->made, &fit->made, err);
    }
    if (status == SF_OK) {
        status = sf_routing_split_sets(fit->made, err);
    }
    if (status == SF_OK) {
        status = sf_routing_fit_jobs(fit->made, jobs, &params, &result, err);
    }
    if (status == SF_OK) {
        status =
            sf_path_source_of_routes(fit->made->network, fit->made->routes,
                                     SF_SL_OF_PATH, &fit->source, err);
    }
    sf_job_routes_clear(&result);
    sf_jobs_free(jobs);
    if (status != SF_OK) {
        sf_routing_free(fit->made);
        fit->made = NULL;
    }
    return status;
}

enum sf_status
sf_eval_fit_source(const struct sf_evaluation *ev, struct sf_eval_fit *fit,
                   const struct sf_path_source **sourcep, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    pthread_mutex_lock(&fit->lock);
    if (!fit->made) {
        status = make_fit(ev, fit, err);
    }
    pthread_mutex_unlock(&fit->lock);
    *sourcep = &fit->source;
    return status;
}
