/* series.c -- which networks, routings and placements are run. */
#include "base/mem.h"
#include "eval/eval.h"

/* How hosts choose addresses in a group.  Open MPI takes the next address of
 * the receiver for each message, so that over many messages each has one at
 * random; UCX splits messages. */
static enum sf_select
select_of(enum sf_eval_group group)
{
    return group == SF_EVAL_PAPER                           ? SF_SELECT_RANDOM
           : group == SF_EVAL_OURS || group == SF_EVAL_JOBS ? SF_SELECT_STRIPE
                                                            : SF_SELECT_FIRST;
}

static enum sf_status
add_series(struct sf_evaluation *ev, uint32_t network,
           enum sf_eval_group group, uint32_t n_layers,
           enum sf_eval_placement placement, struct sf_error *err)
{
    struct sf_eval_series *grown =
        sf_realloc(ev->series, ev->n_series + (size_t)1, sizeof *ev->series);

    if (!grown) {
        return sf_fail(err, SF_ENOMEM, "out of memory for series");
    }
    ev->series = grown;
    struct sf_eval_series *series = &ev->series[ev->n_series++];
    *series = (struct sf_eval_series){ .network = network,
                                       .group = group,
                                       .n_layers = n_layers,
                                       .select = select_of(group),
                                       .placement = placement };
    snprintf(series->label, sizeof series->label, "%.40s %s %u, %s",
             ev->networks[network].name, sf_eval_group_name(group), n_layers,
             sf_eval_placement_name(placement));
    for (uint32_t i = 0; i < ev->params.n_seeds; i++) {
        const struct sf_eval_routing *routing =
            sf_eval_routing_find(ev, series, i);
        if (routing && *routing->left_out) {
            snprintf(series->left_out, sizeof series->left_out, "%s",
                     routing->left_out);
        }
    }
    return SF_OK;
}

/* Routes for jobs have so many layers. */
static uint32_t
layers_of_jobs(const struct sf_eval_params *params)
{
    uint32_t n = params->layers[0];

    for (uint32_t i = 0; i < params->n_layers; i++) {
        n = params->layers[i] == 4 ? 4 : n;
    }
    return n;
}

static enum sf_status
add_group(struct sf_evaluation *ev, uint32_t network, enum sf_eval_group group,
          enum sf_eval_placement placement, struct sf_error *err)
{
    const struct sf_eval_params *params = &ev->params;
    enum sf_status status = SF_OK;

    if (!params->has_group[group] || !params->n_layers) {
        return SF_OK;
    }
    if (group == SF_EVAL_JOBS) {
        return add_series(ev, network, group, layers_of_jobs(params),
                          placement, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < params->n_layers; i++) {
        status =
            add_series(ev, network, group, params->layers[i], placement, err);
    }
    return status;
}

static enum sf_status
add_network(struct sf_evaluation *ev, uint32_t network,
            enum sf_eval_placement placement, struct sf_error *err)
{
    bool is_tree = ev->networks[network].is_tree;
    enum sf_status status =
        add_series(ev, network, is_tree ? SF_EVAL_DEFAULT : SF_EVAL_MINIMAL, 1,
                   placement, err);

    for (uint32_t g = SF_EVAL_PAPER;
         status == SF_OK && !is_tree && g < SF_N_EVAL_GROUPS; g++) {
        status = add_group(ev, network, g, placement, err);
    }
    return status;
}

enum sf_status
sf_eval_series_build(struct sf_evaluation *ev, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < ev->n_networks; i++) {
        for (uint32_t p = 0; status == SF_OK && p < SF_N_EVAL_PLACEMENTS;
             p++) {
            status = add_network(ev, i, p, err);
        }
    }
    return status;
}
