/* evaluation.c -- an evaluation as a whole. */
#include "base/mem.h"
#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

void
sf_eval_params_paper(struct sf_eval_params *params)
{
    static const char *const networks[] = { "ft2:ports=36,leaf=12", "sf:q=5" };
    static const uint32_t layers[] = { 2, 4, 8 };

    *params = (struct sf_eval_params){
        .networks = networks,
        .n_networks = 2,
        .n_hosts = 200,
        .is_paper = true,
        .n_layers = 3,
        .n_seeds = 3,
        .seed = 1,
        .max_packets = 200000,
        .overhead = 0.4e-6,
        .eager = 4096,
        .net = sf_sim_nets[0],
    };
    memcpy(params->layers, layers, sizeof layers);
    for (uint32_t i = 0; sf_eval_kinds[i].name; i++) {
        params->has_kind[i] = true;
    }
    for (uint32_t i = 0; i < SF_N_EVAL_GROUPS; i++) {
        params->has_group[i] = true;
    }
    for (uint32_t i = 0; i < SF_N_SIM_QUEUES; i++) {
        params->has_queues[i] = true;
    }
}

static enum sf_status
check_params(const struct sf_eval_params *params, struct sf_error *err)
{
    bool has_kind = false;

    for (uint32_t i = 0; sf_eval_kinds[i].name; i++) {
        has_kind = has_kind || params->has_kind[i];
    }
    if (params->n_networks < 1 || params->n_networks > SF_EVAL_MAX_NETWORKS) {
        return sf_fail(err, SF_EINVAL, "expected 1 to %d networks, found %u",
                       SF_EVAL_MAX_NETWORKS, params->n_networks);
    }
    if (!has_kind || (!params->has_queues[0] && !params->has_queues[1]) ||
        params->n_seeds < 1 || params->n_seeds > SF_EVAL_MAX_SEEDS ||
        params->n_nodes > SF_EVAL_MAX_NODES ||
        params->n_sizes > SF_EVAL_MAX_SIZES ||
        params->n_layers > SF_EVAL_MAX_LAYERS || !params->max_packets) {
        return sf_fail(err, SF_EINVAL, "expected something to run");
    }
    return SF_OK;
}

/* Whether the network can run a kind with so many nodes. */
static enum sf_status
check_nodes(const struct sf_evaluation *ev, uint32_t kind, uint32_t n_nodes,
            struct sf_error *err)
{
    char spec[SF_EVAL_SPEC_SIZE], nodes[16];
    struct sf_sim_jobs jobs = { .workload = spec, .nodes = nodes, .size = 1 };

    sf_eval_kinds[kind].ops->spec(n_nodes, ev->params.max_packets, spec);
    snprintf(nodes, sizeof nodes, "%u", n_nodes);
    return sf_sim_jobs_check(ev->networks[0].network, &jobs, ev->params.seed,
                             err);
}

/* Lists nodes and sizes of a kind: those of the user, or its own as far as
 * the networks have hosts. */
static enum sf_status
list_nodes(struct sf_evaluation *ev, uint32_t k, struct sf_error *err)
{
    const struct sf_eval_params *params = &ev->params;
    const struct sf_eval_kind *kind = &sf_eval_kinds[k];
    const uint32_t *nodes = params->n_nodes ? params->nodes : kind->nodes;
    enum sf_status status = SF_OK;

    for (uint32_t i = 0;
         status == SF_OK &&
         (params->n_nodes ? i < params->n_nodes : nodes[i] != 0);
         i++) {
        struct sf_error why = { 0 };
        enum sf_status can = check_nodes(ev, k, nodes[i], &why);
        if (can == SF_OK) {
            uint32_t n = ev->n_nodes[k]++;
            ev->nodes[k][n] = nodes[i];
            sf_eval_sizes_plan(params, kind, nodes[i], &ev->sizes[k][n]);
        } else if (can != SF_EINVAL ||
                   (params->n_nodes && nodes[i] > ev->networks[0].n_hosts)) {
            status = can;
            if (err) {
                *err = why;
            }
        } else if (!*ev->left_out[k]) {
            snprintf(ev->left_out[k], sizeof ev->left_out[k],
                     "%s is left out: no number of nodes fits it: %.180s",
                     kind->name, why.text);
        }
    }
    return status;
}

static enum sf_status
list_all_nodes(struct sf_evaluation *ev, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    uint32_t n = 0;

    for (uint32_t k = 0; status == SF_OK && sf_eval_kinds[k].name; k++) {
        if (ev->params.has_kind[k]) {
            status = list_nodes(ev, k, err);
            n += ev->n_nodes[k];
        }
    }
    return status == SF_OK && !n
               ? sf_fail(err, SF_EINVAL,
                         "no benchmark can run with these numbers of nodes")
               : status;
}

/* Whether there is more to say than the gains of one series over itself. */
static enum sf_status
check_compared(const struct sf_evaluation *ev, struct sf_error *err)
{
    const char *left_out = "";
    bool has_other = false;

    for (uint32_t i = 0; i < ev->n_series; i++) {
        const struct sf_eval_series *series = &ev->series[i];
        has_other = has_other ||
                    (!*series->left_out &&
                     (series->network > 0 || series->group > SF_EVAL_MINIMAL));
        left_out = *series->left_out ? series->left_out : left_out;
    }
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        has_other = has_other || (ev->n_nodes[k] &&
                                  sf_eval_kinds[k].method != SF_EVAL_BY_SIZE);
    }
    return has_other ? SF_OK
                     : sf_fail(err, SF_EINVAL,
                               "expected another network%s to compare %s "
                               "with, found none%s%s",
                               ev->networks[0].is_tree ? "" : " or routing",
                               ev->networks[0].name, *left_out ? ": " : "",
                               left_out);
}

enum sf_status
sf_evaluation_build(const struct sf_eval_params *params,
                    struct sf_evaluation **evp, struct sf_error *err)
{
    enum sf_status status = check_params(params, err);

    *evp = NULL;
    if (status != SF_OK) {
        return status;
    }
    struct sf_evaluation *ev = sf_calloc(1, sizeof *ev);
    if (!ev) {
        return sf_fail(err, SF_ENOMEM, "out of memory for an evaluation");
    }
    ev->params = *params;
    status = sf_eval_networks_build(ev, err);
    if (status == SF_OK) {
        status = list_all_nodes(ev, err);
    }
    if (status == SF_OK) {
        status = sf_eval_routings_build(ev, err);
    }
    if (status == SF_OK) {
        status = sf_eval_series_build(ev, err);
    }
    if (status == SF_OK) {
        status = check_compared(ev, err);
    }
    if (status == SF_OK) {
        status = sf_eval_pieces_build(ev, err);
    }
    if (status != SF_OK) {
        sf_evaluation_free(ev);
        return status;
    }
    *evp = ev;
    return SF_OK;
}

void
sf_evaluation_free(struct sf_evaluation *ev)
{
    if (!ev) {
        return;
    }
    for (uint32_t i = 0; i < ev->n_pieces; i++) {
        free(ev->pieces[i].runs);
    }
    for (uint32_t i = 0; i < ev->n_fits; i++) {
        sf_routing_free(ev->fits[i].made);
        pthread_mutex_destroy(&ev->fits[i].lock);
    }
    for (uint32_t i = 0; i < ev->n_routings; i++) {
        sf_routing_free(ev->routings[i].made);
    }
    for (uint32_t i = 0; i < ev->n_networks; i++) {
        struct sf_eval_network *network = &ev->networks[i];
        free(network->name);
        free(network->lengths);
        sf_network_free(network->network);
        sf_plan_free(network->plan);
    }
    free(ev->pieces);
    free(ev->piece_at);
    free(ev->fits);
    free(ev->series);
    free(ev->routings);
    free(ev);
}
