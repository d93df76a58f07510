/* routing.c -- from a fabric to all that its switches and senders need. */
#include "slimfly/routing.h"

#include "base/mem.h"
#include "layers/trees.h"
#include "routing/recall.h"

#include <string.h>

/* How many designs of turns are tried if layers cannot live with them, or, in
 * a network of few switches, leave a few pairs poor: up to one in FEW. */
#define N_DESIGNS     8
#define SMALL_NETWORK 64
#define ENOUGH_PATHS  3
#define FEW           100

/* Resolves specs and defaults. */
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
    if (status != SF_OK) {
        return status;
    }
    const struct sf_layer_scheme *layers = layer_spec.scheme;
    status = sf_lane_spec_parse(
        params->lanes ? params->lanes : sf_lane_scheme_for(layers)->name,
        &lane_spec, err);
    if (status != SF_OK) {
        return status;
    }
    const struct sf_lane_scheme *lanes = lane_spec.scheme;
    if (lanes->needs_turns && !layers->takes_turns) {
        return sf_fail(err, SF_ELANES,
                       "the lanes \"%s\" are designed together with the "
                       "layers, which the scheme \"%s\" does not support; the "
                       "lanes dfsssp would do, or another layer scheme",
                       lanes->name, layers->name);
    }
    memcpy(routing->specs.layers, layer_spec.text, sizeof layer_spec.text);
    memcpy(routing->specs.lanes, lane_spec.text, sizeof lane_spec.text);
    settledp->layers.scheme = routing->specs.layers;
    settledp->layers.turns = NULL;
    settledp->lanes = routing->specs.lanes;
    settledp->max_vls = params->max_vls ? params->max_vls : SF_DEFAULT_VLS;
    settledp->max_sls = params->max_sls ? params->max_sls : SF_N_SLS;
    settledp->n_path_sets = layer_spec.n_sets;
    return SF_OK;
}

static uint32_t
largest(const uint32_t *numbers, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        most = numbers[i] > most ? numbers[i] : most;
    }
    return most;
}

/* Builds the layers: a set of them for each variant. */
static enum sf_status
build_variants(const struct sf_routing *routing, const uint32_t *n_hosts,
               uint32_t n_variants, struct sf_layers **variants,
               struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < n_variants; i++) {
        struct sf_layers_params params = routing->params.layers;
        params.variant = i;
        params.n_variants = n_variants;
        params.turns = routing->turns;
        sf_layers_free(variants[i]);
        status = sf_layers_build(routing->graph, n_hosts, &params,
                                 &variants[i], err);
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
build_design(struct sf_routing *routing, uint64_t seed,
             const uint32_t *n_hosts, uint32_t n_variants,
             struct sf_layers **variants, struct sf_error *err)
{
    struct sf_lanes_params lanes = { .scheme = routing->params.lanes,
                                     .max_vls = routing->params.max_vls,
                                     .seed = seed };

    sf_turns_free(routing->turns);
    enum sf_status status =
        sf_turns_design(routing->graph, &lanes,
                        (routing->params.layers.n_layers - 1) * n_variants,
                        &routing->turns, err);
    return status == SF_OK
               ? build_variants(routing, n_hosts, n_variants, variants, err)
               : status;
}

/* Builds layers that obey turns.  A design of turns may by bad luck leave two
 * switches without a shortest path; another one seldom does at the same
 * place.  Small networks can afford to try some more for one that serves all
 * pairs well. */
static enum sf_status
build_with_turns(struct sf_routing *routing, const uint32_t *n_hosts,
                 uint32_t n_variants, struct sf_layers **variants,
                 struct sf_error *err)
{
    uint64_t seed = routing->params.layers.seed, best_seed = seed;
    uint32_t fewest = SF_NONE, n_poor = SF_NONE;
    enum sf_status status = SF_EUNREACHABLE;

    for (uint32_t i = 0; fewest > 0 && i < N_DESIGNS &&
                         (status == SF_OK || status == SF_EUNREACHABLE);
         i++, seed += UINT64_C(1) << 32) {
        status =
            build_design(routing, seed, n_hosts, n_variants, variants, err);
        n_poor = status != SF_OK ? SF_NONE
                 : routing->graph->n_nodes > SMALL_NETWORK || n_variants > 1
                     ? 0
                     : count_poor(routing->graph, variants[0]);
        if (n_poor < fewest) {
            fewest = n_poor;
            best_seed = seed;
        }
    }
    bool is_tried = status == SF_OK || status == SF_EUNREACHABLE;
    return is_tried && fewest < n_poor
               ? build_design(routing, best_seed, n_hosts, n_variants,
                              variants, err)
               : status;
}

/* Builds layers; where the lanes by default do not do, for other lanes. */
static enum sf_status
build_all_variants(struct sf_routing *routing, bool is_default,
                   const uint32_t *n_hosts, uint32_t n_variants,
                   struct sf_layers **variants, struct sf_error *err)
{
    if (!sf_lane_scheme_find(routing->params.lanes)->needs_turns) {
        return build_variants(routing, n_hosts, n_variants, variants, err);
    }
    struct sf_error refusal = { 0 };
    enum sf_status status =
        build_with_turns(routing, n_hosts, n_variants, variants, &refusal);
    if (!is_default || (status != SF_EUNREACHABLE && status != SF_ELANES)) {
        if (err && status != SF_OK) {
            *err = refusal;
        }
        return status;
    }
    routing->refusal = refusal;
    sf_turns_free(routing->turns);
    routing->turns = NULL;
    routing->params.lanes = "dfsssp";
    return build_variants(routing, n_hosts, n_variants, variants, err);
}

/* Notes how many sets of paths there are. */
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
build_tables(struct sf_routing *routing, bool is_default, struct sf_error *err)
{
    uint32_t *n_hosts =
        sf_calloc(routing->fabric->n_switches, sizeof *n_hosts);
    uint32_t n_variants = 0;
    struct sf_layers **variants = NULL;
    enum sf_status status = SF_ENOMEM;

    if (n_hosts) {
        sf_fabric_count_hosts(routing->fabric, n_hosts);
        n_variants = largest(n_hosts, routing->fabric->n_switches);
        if (n_variants > routing->params.n_path_sets) {
            n_variants = routing->params.n_path_sets;
        }
        n_variants = n_variants ? n_variants : 1;
        variants = sf_calloc(n_variants, sizeof *variants);
    }
    if (!variants) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for layers");
        goto done;
    }
    status = settle_sets(routing, n_variants, err);
    if (status != SF_OK) {
        goto done;
    }
    status = build_all_variants(routing, is_default, n_hosts, n_variants,
                                variants, err);
    if (status == SF_OK) {
        routing->max_hops = variants[0]->max_hops;
        status = sf_tables_build(routing->fabric, routing->graph,
                                 routing->link_ports, variants, n_variants,
                                 &routing->tables, err);
    }

done:
    for (uint32_t i = 0; variants && i < n_variants; i++) {
        sf_layers_free(variants[i]);
    }
    free(variants);
    free(n_hosts);
    return status;
}

static enum sf_status
build_lanes(struct sf_routing *routing, struct sf_error *err)
{
    struct sf_lanes_params params = { .scheme = routing->params.lanes,
                                      .max_vls = routing->params.max_vls,
                                      .max_sls = routing->params.max_sls,
                                      .seed = routing->params.layers.seed };
    return sf_lanes_build(routing->fabric, routing->graph, routing->link_ports,
                          routing->tables, routing->turns, &params,
                          &routing->lanes, err);
}

/* Starts a routing: a copy of the fabric and its graph. */
static enum sf_status
begin(const struct sf_fabric *fabric, const struct sf_routing_params *params,
      struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing *routing = sf_calloc(1, sizeof *routing);

    *routingp = routing;
    if (!routing) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a routing");
    }
    enum sf_status status = settle_params(params, routing, err);
    if (status == SF_OK) {
        status = sf_fabric_copy(fabric, &routing->fabric, err);
    }
    if (status == SF_OK) {
        status = sf_fabric_graph(routing->fabric, &routing->graph,
                                 &routing->link_ports, err);
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

static enum sf_status
build(const struct sf_fabric *fabric, const struct sf_routing_params *params,
      struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing *routing;
    enum sf_status status = begin(fabric, params, &routing, err);

    if (status == SF_OK) {
        routing->has_default_lanes = !params->lanes;
        status = build_tables(routing, !params->lanes, err);
    }
    if (status == SF_OK) {
        status = build_lanes(routing, err);
    }
    return end(routing, status, routingp);
}

enum sf_status
sf_routing_build(const struct sf_fabric *fabric,
                 const struct sf_routing_params *params,
                 struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing_params shortest = *params;
    struct sf_error refusal = { 0 };
    enum sf_status status = build(fabric, params, routingp, &refusal);

    if (status == SF_ELANES && !params->lanes && !params->layers.scheme) {
        shortest.layers.scheme = "minimal";
        if (build(fabric, &shortest, routingp, NULL) == SF_OK) {
            (*routingp)->layers_refusal = refusal;
            status = SF_OK;
        }
    }
    if (status != SF_OK && err) {
        *err = refusal;
    }
    return status;
}

enum sf_status
sf_routing_repair(const struct sf_routing *base,
                  const struct sf_fabric *fabric, struct sf_routing **routingp,
                  struct sf_error *err)
{
    const struct sf_layers_params *layers = &base->params.layers;
    struct sf_layer_spec spec;
    struct sf_repair repair;
    struct sf_routing *routing;
    uint32_t usual_hops = 0;
    enum sf_status status = begin(fabric, &base->params, &routing, err);

    if (status == SF_OK) {
        status = sf_layer_spec_parse(layers->scheme, 0, &spec, err);
    }
    if (status == SF_OK && spec.resists_repair) {
        status = sf_fail(err, SF_ELANES,
                         "paths by %s hold together as a whole: the tables "
                         "must be made anew",
                         spec.scheme->name);
    }
    if (status == SF_OK && base->turns) {
        status = sf_turns_carry(base, routing, err);
    }
    if (status == SF_OK) {
        status = sf_layers_limits(routing->graph, layers, &usual_hops,
                                  &routing->max_hops, err);
    }
    if (status == SF_OK) {
        status = sf_tables_repair(base->tables, base->fabric, routing->fabric,
                                  routing->graph, routing->link_ports,
                                  layers->n_layers, usual_hops, routing->turns,
                                  &routing->tables, &repair, err);
    }
    if (status == SF_OK) {
        routing->has_default_lanes = base->has_default_lanes;
        status = build_lanes(routing, err);
    }
    return end(routing, status, routingp);
}

void
sf_routing_free(struct sf_routing *routing)
{
    if (routing) {
        sf_lanes_free(routing->lanes);
        sf_tables_free(routing->tables);
        sf_turns_free(routing->turns);
        free(routing->link_ports);
        sf_graph_free(routing->graph);
        sf_fabric_free(routing->fabric);
        free(routing);
    }
}
