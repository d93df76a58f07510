/* routing.c -- from a network to routes with lanes. */
#include "slimfly/routing.h"

#include "base/mem.h"
#include "layers/robust.h"
#include "layers/trees.h"
#include "routing/choices.h"
#include "routing/repair.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* How many designs of turns are tried if layers cannot live with them; or, in
 * a network of few switches, if they leave a few pairs poor, up to one in FEW;
 * or if one link is in all layers of a pair and is not to be. */
#define N_DESIGNS     8
#define N_ROBUST      4
#define SMALL_NETWORK 64
#define ENOUGH_PATHS  3
#define FEW           100

const char *
sf_guarantee_name(enum sf_guarantee guarantee)
{
    return guarantee == SF_ANY_SL    ? "any-sl"
           : guarantee == SF_PATH_SL ? "path-sl"
                                     : NULL;
}

enum sf_guarantee
sf_guarantee_find(const char *name)
{
    return !strcmp(name, "any-sl")    ? SF_ANY_SL
           : !strcmp(name, "path-sl") ? SF_PATH_SL
                                      : SF_DEFAULT_GUARANTEE;
}

/* Resolves specs, both of which are given, and defaults. */
static enum sf_status
settle_params(const struct sf_routing_params *params,
              struct sf_routing *routing, struct sf_error *err)
{
    struct sf_routing_params *settledp = &routing->params;
    struct sf_layer_spec layer_spec;
    struct sf_lane_spec lane_spec;

    *settledp = *params;
    enum sf_status status = sf_layer_spec_parse(
        params->layers.scheme, params->n_path_sets, &layer_spec, err);
    if (status == SF_OK) {
        status = sf_lane_spec_parse(params->lanes, &lane_spec, err);
    }
    if (status != SF_OK) {
        return status;
    }
    const struct sf_layer_scheme *layers = layer_spec.scheme;
    const struct sf_lane_scheme *lanes = lane_spec.scheme;
    if (lanes->needs_turns && !layers->takes_turns && !layers->makes_turns &&
        !params->without_lanes) {
        return sf_fail(err, SF_ELANES,
                       "the lanes \"%s\" are designed together with the "
                       "layers, which the scheme \"%s\" does not support; "
                       "use the lanes turns with gates, minimal or ordered, "
                       "or dfsssp",
                       lanes->name, layers->name);
    }
    memcpy(routing->specs.layers, layer_spec.text, sizeof layer_spec.text);
    memcpy(routing->specs.lanes, lane_spec.text, sizeof lane_spec.text);
    settledp->layers.scheme = routing->specs.layers;
    settledp->layers.turns = NULL;
    settledp->layers.turnsp = NULL;
    settledp->lanes = routing->specs.lanes;
    settledp->max_vls = params->max_vls ? params->max_vls : SF_DEFAULT_VLS;
    settledp->max_sls = params->max_sls ? params->max_sls : SF_N_SLS;
    settledp->n_addresses =
        params->n_addresses ? params->n_addresses : params->layers.n_layers;
    settledp->n_switch_addresses =
        params->n_switch_addresses ? params->n_switch_addresses : 1;
    settledp->n_path_sets = layer_spec.n_sets;
    return SF_OK;
}

/* As many path sets as asked for, but not more than the switch of most hosts
 * has hosts. */
static uint32_t
limit_sets(const struct sf_network *network, uint32_t asked)
{
    uint32_t most = 1;

    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        most = network->n_hosts[s] > most ? network->n_hosts[s] : most;
    }
    return most < asked ? most : asked;
}

enum sf_status
sf_routing_count_sets(const struct sf_network *network,
                      const struct sf_routing_params *params,
                      uint32_t *n_setsp, struct sf_error *err)
{
    struct sf_choice choices[SF_MAX_CHOICES];
    struct sf_layer_spec spec;
    enum sf_guarantee guarantee;
    uint32_t n_choices;
    enum sf_status status = sf_routing_choices(network, params, choices,
                                               &n_choices, &guarantee, err);

    if (status == SF_OK) {
        status = sf_layer_spec_parse(choices[0].layers, params->n_path_sets,
                                     &spec, err);
    }
    *n_setsp = status == SF_OK ? limit_sets(network, spec.n_sets) : 1;
    return status;
}

/* Builds the layers of each path set; a scheme that makes turns has one set.
 */
static enum sf_status
build_sets(const struct sf_routing *routing, struct sf_error *err)
{
    struct sf_routes *routes = routing->routes;
    bool makes_turns = !routes->turns && !routing->params.without_lanes &&
                       sf_lane_scheme_find(routing->params.lanes)->needs_turns;
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < routes->n_sets; i++) {
        struct sf_layers_params params = routing->params.layers;
        params.set = i;
        params.n_sets = routes->n_sets;
        params.earlier = routes->sets;
        params.turns = routes->turns;
        params.n_vls = routing->params.max_vls;
        params.turnsp = makes_turns ? &routes->turns : NULL;
        sf_layers_free(routes->sets[i]);
        status =
            sf_layers_build(routing->network, &params, &routes->sets[i], err);
    }
    return status;
}

/* Counts pairs of switches, more than a hop apart, that have fewer separate
 * paths than there are layers, or than is enough.  0 if they are so many that
 * the network must be to blame. */
static uint32_t
count_poor(const struct sf_graph *graph, const struct sf_layers *layers)
{
    uint32_t enough =
        layers->n_layers < ENOUGH_PATHS ? layers->n_layers : ENOUGH_PATHS;
    uint32_t n_poor = 0;
    struct sf_ends ends[SF_MAX_LAYERS];

    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            uint32_t arc = sf_layers_arc(layers, graph, 0, s, d);
            if (arc != SF_NONE && graph->arcs[arc].to != d) {
                sf_layers_find_ends(layers, graph, s, d, ends);
                n_poor += sf_ends_count_separate(ends, layers->n_layers,
                                                 enough) < enough;
            }
        }
    }
    return n_poor <= graph->n_nodes * graph->n_nodes / FEW ? n_poor : 0;
}

/* Designs turns with 'seed' and builds layers that obey them. */
static enum sf_status
build_design(struct sf_routing *routing, uint64_t seed, struct sf_error *err)
{
    struct sf_routes *routes = routing->routes;
    struct sf_lanes_params lanes = { .scheme = routing->params.lanes,
                                     .max_vls = routing->params.max_vls,
                                     .seed = seed };

    sf_turns_free(routes->turns);
    enum sf_status status =
        sf_turns_design(routing->network, &lanes,
                        (routing->params.layers.n_layers - 1) * routes->n_sets,
                        &routes->turns, err);
    return status == SF_OK ? build_sets(routing, err) : status;
}

/* Counts the pairs that routes serve badly, as far as another design of turns
 * is worth a try. */
static uint64_t
count_bad(const struct sf_routing *routing, bool is_robust)
{
    const struct sf_network *network = routing->network;
    const struct sf_routes *routes = routing->routes;
    bool is_picky =
        network->graph->n_nodes <= SMALL_NETWORK && routes->n_sets == 1;

    return is_robust  ? sf_robust_count(network, routes->sets, routes->n_sets)
           : is_picky ? count_poor(network->graph, routes->sets[0])
                      : 0;
}

/* Builds layers that obey turns.  A design of turns may by bad luck leave two
 * switches without a shortest path; another one seldom does at the same
 * place.  Some more may be tried for one that serves all pairs well. */
static enum sf_status
build_with_turns(struct sf_routing *routing, bool is_robust,
                 struct sf_error *err)
{
    uint64_t seed = routing->params.layers.seed, best_seed = seed;
    uint64_t fewest = UINT64_MAX, n_bad = UINT64_MAX;
    uint32_t n_built = 0, most = is_robust ? N_ROBUST : N_DESIGNS;
    enum sf_status status = SF_EUNREACHABLE;

    for (uint32_t i = 0; fewest > 0 && i < N_DESIGNS && n_built < most &&
                         (status == SF_OK || status == SF_EUNREACHABLE);
         i++, seed += UINT64_C(1) << 32) {
        status = build_design(routing, seed, err);
        n_built += status == SF_OK;
        n_bad = status == SF_OK ? count_bad(routing, is_robust) : UINT64_MAX;
        if (n_bad < fewest) {
            fewest = n_bad;
            best_seed = seed;
        }
    }
    bool is_tried = status == SF_OK || status == SF_EUNREACHABLE;
    return is_tried && fewest < n_bad ? build_design(routing, best_seed, err)
                                      : status;
}

/* Builds layers, after turns where the lanes need such that do not come with
 * the layers. */
static enum sf_status
build_all_sets(struct sf_routing *routing, struct sf_error *err)
{
    const struct sf_routing_params *params = &routing->params;
    bool is_designed =
        !params->without_lanes &&
        sf_lane_scheme_find(params->lanes)->needs_turns &&
        !sf_layer_scheme_find(params->layers.scheme)->makes_turns;

    struct sf_layer_spec spec;
    enum sf_status status =
        sf_layer_spec_parse(params->layers.scheme, 0, &spec, err);

    if (status != SF_OK) {
        return status;
    }
    return is_designed ? build_with_turns(routing, spec.is_robust, err)
                       : build_sets(routing, err);
}

/* Notes how many path sets there are. */
static enum sf_status
settle_sets(struct sf_routing *routing, uint32_t n_sets, struct sf_error *err)
{
    struct sf_layer_spec spec;
    enum sf_status status =
        sf_layer_spec_parse(routing->specs.layers, n_sets, &spec, err);

    if (status == SF_OK) {
        memcpy(routing->specs.layers, spec.text, sizeof spec.text);
        routing->params.n_path_sets = n_sets;
    }
    return status;
}

static enum sf_status
build_routes(struct sf_routing *routing, struct sf_error *err)
{
    struct sf_routing_params *params = &routing->params;

    enum sf_status status = settle_sets(
        routing, limit_sets(routing->network, params->n_path_sets), err);
    if (status == SF_OK) {
        status = sf_routes_make(routing->network, params->n_path_sets,
                                &routing->routes, err);
    }
    if (status == SF_OK) {
        routing->routes->n_addresses = params->n_addresses;
        routing->routes->n_switch_addresses = params->n_switch_addresses;
        status = sf_layers_check_reach(routing->network, &params->layers, err);
    }
    if (status == SF_OK) {
        status = build_all_sets(routing, err);
    }
    if (status == SF_OK) {
        routing->max_hops = routing->routes->sets[0]->max_hops;
    }
    return status;
}

enum sf_status
sf_routing_add_lanes(struct sf_routing *routing, struct sf_error *err)
{
    struct sf_lanes_params params = { .scheme = routing->params.lanes,
                                      .max_vls = routing->params.max_vls,
                                      .max_sls = routing->params.max_sls,
                                      .seed = routing->params.layers.seed };
    if (routing->params.without_lanes) {
        return SF_OK;
    }
    enum sf_status status =
        sf_lanes_build(routing->network, &params, routing->routes, err);
    const struct sf_lane_scheme *scheme =
        status == SF_OK ? routing->routes->lanes->scheme : NULL;
    if (scheme && routing->params.guarantee && !scheme->is_safe) {
        return sf_fail(err, SF_ELANES,
                       "lanes by %s protect nothing: expected no guarantee "
                       "or other lanes",
                       routing->params.lanes);
    }
    if (scheme && routing->params.guarantee == SF_ANY_SL &&
        !sf_lanes_ignore_sls(routing->routes->lanes)) {
        status = sf_fail(err, SF_ELANES,
                         "lanes by %s are safe only if senders use the "
                         "service level of each path, and the guarantee is "
                         "to be safe on any",
                         routing->params.lanes);
    }
    return status;
}

/* Starts a routing of a copy of 'network'. */
static enum sf_status
begin(const struct sf_network *network, const struct sf_routing_params *params,
      struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing *routing = sf_calloc(1, sizeof *routing);

    *routingp = routing;
    if (!routing) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a routing");
    }
    enum sf_status status = settle_params(params, routing, err);
    if (status == SF_OK) {
        status = sf_network_copy(network, &routing->network, err);
    }
    return status;
}

/* Hands a routing over, or frees it. */
static enum sf_status
end(struct sf_routing *routing, enum sf_status status,
    struct sf_routing **routingp)
{
    *routingp = status == SF_OK ? routing : NULL;
    if (status != SF_OK) {
        sf_routing_free(routing);
    }
    return status;
}

/* Routes 'network' by 'choice'. */
static enum sf_status
build(const struct sf_network *network, const struct sf_routing_params *params,
      const struct sf_choice *choice, struct sf_routing **routingp,
      struct sf_error *err)
{
    struct sf_routing_params chosen = *params;
    struct sf_routing *routing;

    chosen.layers.scheme = choice->layers;
    chosen.lanes = choice->lanes;
    enum sf_status status = begin(network, &chosen, &routing, err);
    if (status == SF_OK) {
        routing->has_default_layers = !params->layers.scheme;
        routing->has_default_lanes = !params->lanes;
        status = build_routes(routing, err);
    }
    if (status == SF_OK) {
        status = sf_routing_add_lanes(routing, err);
    }
    return end(routing, status, routingp);
}

/* Notes in 'routing' that 'choice' would have been better. */
static void
note_refusal(struct sf_routing *routing, const struct sf_choice *choice,
             const struct sf_error *refusal)
{
    snprintf(routing->refused.layers, sizeof routing->refused.layers, "%s",
             choice->layers);
    snprintf(routing->refused.lanes, sizeof routing->refused.lanes, "%s",
             choice->lanes);
    routing->refusal = *refusal;
}

enum sf_status
sf_routing_build(const struct sf_network *network,
                 const struct sf_routing_params *params,
                 struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing_params settled = *params;
    struct sf_choice choices[SF_MAX_CHOICES];
    const struct sf_choice *refused = NULL; /* The first of note. */
    struct sf_error refusal = { 0 }, now;
    uint32_t n_choices;
    enum sf_status status = sf_routing_choices(
        network, params, choices, &n_choices, &settled.guarantee, err);

    *routingp = NULL;
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; i < n_choices; i++) {
        status = build(network, &settled, &choices[i], routingp, &now);
        if (status != SF_ELANES && status != SF_EUNREACHABLE) {
            break;
        }
        if (!refused || refused->is_a_hope) {
            refused = &choices[i];
            refusal = now;
        }
        now = refusal; /* If nothing is possible, that is to be known. */
        status = refusal.status;
    }
    if (status == SF_OK && refused && !refused->is_a_hope) {
        assert(*routingp);
        note_refusal(*routingp, refused, &refusal);
    } else if (status != SF_OK && err) {
        *err = now;
    }
    return status;
}

/* Repairs the routes of 'base' for the network of 'routing'. */
static enum sf_status
repair_routes(const struct sf_routing *base, struct sf_routing *routing,
              struct sf_error *err)
{
    struct sf_earlier earlier = { 0 };
    uint32_t usual_hops = 0;
    enum sf_status status =
        sf_earlier_build(routing->network, base->network, &earlier, err);

    if (status == SF_OK) {
        status = sf_layers_limits(routing->network, &base->params.layers,
                                  &usual_hops, &routing->max_hops, err);
    }
    if (status == SF_OK) {
        earlier.is_fitted = base->is_fitted;
        if (base->is_fitted && base->max_hops > usual_hops) {
            usual_hops = base->max_hops;
        }
        if (usual_hops > routing->max_hops) {
            routing->max_hops = usual_hops;
        }
        status = sf_routes_repair(&earlier, base->routes, usual_hops, true,
                                  &routing->routes, err);
    }
    if (status == SF_OK) {
        /* Tables may tell fewer path sets apart than were asked for. */
        status = settle_sets(routing, base->params.n_path_sets, err);
    }
    sf_earlier_clear(&earlier);
    return status;
}

/* Adds lanes to repaired routes.  Where nobody asked for certain ones, others
 * may take the place of those that do not allow the repair. */
static enum sf_status
add_lanes_again(struct sf_routing *routing, struct sf_error *err)
{
    const char *others = routing->has_default_lanes
                             ? sf_routing_lanes_after(routing->specs.lanes)
                             : NULL;
    enum sf_status status = sf_routing_add_lanes(routing, err);

    if (status == SF_ELANES && others) {
        snprintf(routing->specs.lanes, sizeof routing->specs.lanes, "%s",
                 others);
        status = sf_routing_add_lanes(routing, err);
    }
    return status;
}

enum sf_status
sf_routing_repair(const struct sf_routing *base,
                  const struct sf_network *network,
                  struct sf_routing **routingp, struct sf_error *err)
{
    const struct sf_layers_params *layers = &base->params.layers;
    struct sf_layer_spec spec;
    struct sf_routing *routing;
    enum sf_status status = begin(network, &base->params, &routing, err);

    if (status == SF_OK) {
        status = sf_layer_spec_parse(layers->scheme, 0, &spec, err);
    }
    if (status == SF_OK && spec.resists_repair) {
        status = sf_fail(err, SF_ELANES,
                         "paths by %s cannot be repaired one by one: all "
                         "routes must be new",
                         spec.scheme->name);
    }
    if (status == SF_OK) {
        routing->has_default_layers = base->has_default_layers;
        routing->has_default_lanes = base->has_default_lanes;
        routing->is_fitted = base->is_fitted;
        status = repair_routes(base, routing, err);
    }
    if (status == SF_OK) {
        status = add_lanes_again(routing, err);
    }
    return end(routing, status, routingp);
}

enum sf_status
sf_routing_copy(const struct sf_routing *routing, struct sf_routing **copyp,
                struct sf_error *err)
{
    struct sf_routing *copy = sf_calloc(1, sizeof *copy);

    *copyp = NULL;
    if (!copy) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a routing");
    }
    *copy = *routing;
    copy->params.layers.scheme = copy->specs.layers;
    copy->params.lanes = copy->specs.lanes;
    copy->network = NULL;
    copy->routes = NULL;
    enum sf_status status =
        sf_network_copy(routing->network, &copy->network, err);
    if (status == SF_OK) {
        status =
            sf_routes_copy(copy->network, routing->routes, &copy->routes, err);
    }
    return end(copy, status, copyp);
}

void
sf_routing_free(struct sf_routing *routing)
{
    if (routing) {
        sf_routes_free(routing->routes);
        sf_network_free(routing->network);
        free(routing);
    }
}
