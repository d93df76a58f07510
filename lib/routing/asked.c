/* asked.c -- what a routing was asked for: see slimfly/routing.h. */
#include "slimfly/routing.h"

#include <string.h>

static bool
is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

void
sf_routing_note_asked(struct sf_routing_asked *asked,
                      const struct sf_routing_params *params)
{
    struct sf_layer_spec layers;
    struct sf_lane_spec lanes;
    bool has_layers =
        params->layers.scheme &&
        sf_layer_spec_parse(params->layers.scheme, params->n_path_sets,
                            &layers, NULL) == SF_OK;
    bool has_lanes = params->lanes &&
                     sf_lane_spec_parse(params->lanes, &lanes, NULL) == SF_OK;

    asked->params = *params;
    asked->params.layers.scheme = has_layers ? asked->specs.layers : NULL;
    asked->params.lanes = has_lanes ? asked->specs.lanes : NULL;
    if (has_layers) {
        asked->params.n_path_sets = layers.n_sets;
        memcpy(asked->specs.layers, layers.text, sizeof layers.text);
    }
    if (has_lanes) {
        memcpy(asked->specs.lanes, lanes.text, sizeof lanes.text);
    }
}

static bool
is_same_layers(const struct sf_layers_params *a,
               const struct sf_layers_params *b)
{
    return is_same_text(a->scheme, b->scheme) && a->n_layers == b->n_layers &&
           a->max_hops == b->max_hops && a->may_exceed == b->may_exceed &&
           a->seed == b->seed && a->within_parts == b->within_parts;
}

/* A test changes each byte of the params, so no member is forgotten here. */
bool
sf_routing_is_asked(const struct sf_routing_asked *asked,
                    const struct sf_routing_params *params)
{
    const struct sf_routing_params *a = &asked->params;
    struct sf_routing_asked now;

    sf_routing_note_asked(&now, params);
    const struct sf_routing_params *b = &now.params;
    return is_same_layers(&a->layers, &b->layers) &&
           a->n_path_sets == b->n_path_sets &&
           a->n_addresses == b->n_addresses &&
           a->n_switch_addresses == b->n_switch_addresses &&
           a->without_lanes == b->without_lanes &&
           is_same_text(a->lanes, b->lanes) && a->guarantee == b->guarantee &&
           a->max_vls == b->max_vls && a->max_sls == b->max_sls;
}
