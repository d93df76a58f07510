/* choices.c -- see choices.h. */
#include "routing/choices.h"

struct chooser {
    struct sf_choice *choices;
    uint32_t n_choices;
    bool may_need_path_sls; /* The guarantee allows it. */
};

static void
add(struct chooser *chooser, const char *layers, const char *lanes)
{
    chooser->choices[chooser->n_choices++] =
        (struct sf_choice){ .layers = layers, .lanes = lanes };
}

/* Lanes for layers that were asked for. */
static void
add_lanes(struct chooser *chooser, const char *layers,
          const struct sf_layer_scheme *scheme)
{
    if (scheme->takes_turns || scheme->makes_turns) {
        add(chooser, layers, "turns");
    }
    if (!scheme->makes_turns) {
        add(chooser, layers, "single");
        chooser->choices[chooser->n_choices - 1].is_a_hope = true;
    }
    if (scheme->made_for) {
        add(chooser, layers, "untangle");
    }
    if (chooser->may_need_path_sls) {
        add(chooser, layers, "dfsssp");
    }
}

/* Layers for lanes that were asked for. */
static void
add_layers(struct chooser *chooser, const char *lanes,
           const struct sf_lane_scheme *scheme, const char *best,
           const char *made_for)
{
    if (scheme->needs_turns) {
        add(chooser, best, lanes);
        add(chooser, "ordered", lanes);
    } else {
        add(chooser, made_for ? made_for : best, lanes);
    }
}

/* Both, where nothing was asked for.  Fewer or longer paths that are safe on
 * any service level come before more paths that are not, unless the user
 * prefers these. */
static void
add_all(struct chooser *chooser, const char *best, const char *made_for)
{
    if (made_for) {
        add(chooser, made_for, "single");
        chooser->choices[0].is_a_hope = true;
        add(chooser, made_for, "untangle");
    }
    add(chooser, best, "turns");
    if (chooser->may_need_path_sls) {
        add(chooser, best, "dfsssp");
        add(chooser, "minimal", "dfsssp");
    }
    add(chooser, "ordered", "turns");
}

const char *
sf_routing_lanes_after(const char *lanes)
{
    const struct sf_lane_scheme *scheme = sf_lane_scheme_find(lanes);
    return scheme && scheme->only_proves ? "untangle" : NULL;
}

/* Whether what was asked for can be safe on any service level.  Who asks for
 * what cannot has chosen to do without. */
static bool
can_ignore_sls(const struct sf_layer_scheme *layers,
               const struct sf_lane_scheme *lanes)
{
    return (!layers || layers->takes_turns || layers->makes_turns ||
            layers->made_for) &&
           (!lanes || lanes->ignores_sls);
}

enum sf_status
sf_routing_choices(const struct sf_network *network,
                   const struct sf_routing_params *params,
                   struct sf_choice choices[SF_MAX_CHOICES],
                   uint32_t *n_choicesp, enum sf_guarantee *guaranteep,
                   struct sf_error *err)
{
    const char *asked = params->layers.scheme, *lanes = params->lanes;
    struct chooser chooser = { .choices = choices };
    struct sf_layer_spec layer_spec = { 0 };
    struct sf_lane_spec lane_spec = { 0 };
    const struct sf_layer_scheme *made_for = NULL;
    enum sf_status status = sf_layer_spec_parse(asked, 0, &layer_spec, err);

    *n_choicesp = 0;
    if (status == SF_OK && lanes) {
        status = sf_lane_spec_parse(lanes, &lane_spec, err);
    }
    if (status == SF_OK) {
        status = sf_layer_scheme_made_for(network, &made_for, err);
    }
    if (status != SF_OK) {
        return status;
    }
    const char *best = layer_spec.scheme->name;
    const char *made_for_name = made_for ? made_for->name : NULL;
    bool is_unsafe = lanes && !lane_spec.scheme->is_safe;
    *guaranteep =
        params->guarantee ? params->guarantee
        : can_ignore_sls(asked ? layer_spec.scheme : NULL, lane_spec.scheme)
            ? SF_ANY_SL
        : is_unsafe ? SF_DEFAULT_GUARANTEE
                    : SF_PATH_SL;
    chooser.may_need_path_sls = *guaranteep != SF_ANY_SL;
    if (asked && lanes) {
        add(&chooser, asked, lanes);
    } else if (asked) {
        add_lanes(&chooser, asked, layer_spec.scheme);
    } else if (lanes) {
        add_layers(&chooser, lanes, lane_spec.scheme, best, made_for_name);
    } else {
        add_all(&chooser, best, made_for_name);
    }
    *n_choicesp = chooser.n_choices;
    return SF_OK;
}
