/* reroute.c -- routes a fabric, or repairs the routing of an earlier run. */
#include "reroute.h"

#include "held_tables.h"

#include <stdio.h>

/* Encodes 'routing' and, where there is an earlier one, counts what
 * changed. */
static enum sf_status
encode(const struct cli_routing *job, const struct sf_routing *routing,
       struct sf_ib_tables **tablesp, struct sf_repair *repair,
       struct sf_error *err)
{
    enum sf_status status = sf_ib_encode(routing, tablesp, err);

    return status == SF_OK && job->previous
               ? sf_tables_compare(job->previous_tables,
                                   job->previous->network->fabric,
                                   (*tablesp)->lfts, job->fabric, repair, err)
               : status;
}

/* Repairs the earlier routing, unless its lanes do not allow that. */
static enum sf_status
repair(struct cli_routing *job, struct sf_error *err)
{
    enum sf_status status =
        sf_routing_repair(job->previous, job->network, &job->routing, err);

    if (status == SF_ELANES) {
        snprintf(job->why_anew, sizeof job->why_anew, "%s", err->text);
        return SF_OK;
    }
    return status == SF_OK
               ? encode(job, job->routing, &job->tables, &job->repair, err)
               : status;
}

/* Whether what was made anew is to be used, and not the repair. */
static bool
is_better_anew(struct cli_routing *job)
{
    if (!job->routing) {
        return true;
    }
    if (job->recomputation.n_changed >= job->repair.n_changed) {
        return false;
    }
    /* As when all is back: it is what there was at first. */
    snprintf(job->why_anew, sizeof job->why_anew,
             "a repair would have changed %llu",
             (unsigned long long)job->repair.n_changed);
    return true;
}

/* Routes the whole fabric, and repairs that where links are drained, as the
 * plugin does: what is drained no more is then routed as before. */
static enum sf_status
build(const struct cli_routing *job, struct sf_routing **routingp,
      struct sf_error *err)
{
    struct sf_network *network = NULL;
    struct sf_routing *whole = NULL;

    if (!job->left) {
        return sf_routing_build(job->network, &job->params, routingp, err);
    }
    enum sf_status status = sf_network_build(job->fabric, &network, err);
    if (status == SF_OK) {
        status = sf_routing_build(network, &job->params, &whole, err);
    }
    if (status == SF_OK) {
        status = sf_routing_repair(whole, job->network, routingp, err);
    }
    sf_routing_free(whole);
    sf_network_free(network);
    return status == SF_ELANES
               ? sf_routing_build(job->network, &job->params, routingp, err)
               : status;
}

/* Makes all anew.  After a repair that is there to be compared with, and need
 * not be possible. */
static enum sf_status
make_anew(struct cli_routing *job, struct sf_error *err)
{
    struct sf_ib_tables *tables = NULL;
    struct sf_routing *anew;
    enum sf_status status = build(job, &anew, err);

    if (job->routing && (status == SF_ELANES || status == SF_EUNREACHABLE)) {
        snprintf(job->why_not, sizeof job->why_not, "%s", err->text);
        return SF_OK;
    }
    if (status != SF_OK) {
        return status;
    }
    status = encode(job, anew, &tables, &job->recomputation, err);
    if (status == SF_OK && is_better_anew(job)) {
        sf_routing_free(job->routing);
        sf_ib_tables_free(job->tables);
        job->routing = anew;
        job->tables = tables;
        job->repair = job->recomputation;
    } else {
        job->anew = anew;
        sf_ib_tables_free(tables);
    }
    return status;
}

/* Counts what had a LID in 'before', another state of 'fabric', and has not
 * the same now. */
static uint32_t
count_lids_lost(const struct sf_fabric *before, const struct sf_fabric *fabric)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        uint16_t lid = sf_ib_node(before, i)->lid;
        n += lid && lid != sf_ib_node(fabric, i)->lid;
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint16_t lid = sf_ib_port(before, i)->lid;
        n += lid && lid != sf_ib_port(fabric, i)->lid;
    }
    return n;
}

/* Gives LIDs.  Those of the earlier run stay, or those that the fabric has
 * already, as far as they go with the LMC. */
static enum sf_status
assign_lids(struct cli_routing *job, struct sf_error *err)
{
    struct sf_fabric *before = NULL;
    uint32_t lmc = sf_lmc_for_layers(job->params.layers.n_layers);
    const struct sf_fabric *source =
        job->previous ? job->previous->network->fabric : NULL;
    enum sf_status status = SF_OK;

    if (!source) {
        status = sf_fabric_copy(job->fabric, &before, err);
        source = before;
    }
    if (status == SF_OK) {
        status = sf_fabric_assign_lids(job->fabric, lmc, source, err);
    }
    if (before && status == SF_ELIMIT) {
        /* With some kept, what is free may be in too small pieces. */
        status = sf_fabric_assign_lids(job->fabric, lmc, NULL, err);
    }
    if (before && status == SF_OK) {
        job->n_lids_lost = count_lids_lost(before, job->fabric);
    }
    sf_fabric_free(before);
    return status;
}

/* Whether the paths of what was made anew could stand beside those that were
 * repaired: they obey the same turns.  Tables tell the order of channels only
 * as far as their own paths need it.  So that of the new ones is taken if it
 * can be: paths that obey another order would have to stay when their jobs
 * have ended. */
static bool
has_base(const struct cli_routing *job)
{
    return job->anew && job->anew->routes->turns &&
           (sf_routing_take_order(job->routing, job->anew) ||
            sf_routing_allows(job->routing, job->anew->routes));
}

/* Gives each host paths of its own.  What jobs that have ended changed returns
 * to what it would be without. */
static enum sf_status
prepare_fit(struct cli_routing *job, struct sf_error *err)
{
    enum sf_status status = sf_routing_split_sets(job->routing, err);

    if (status == SF_OK && has_base(job)) {
        status = sf_routing_split_sets(job->anew, err);
        if (status == SF_OK &&
            job->anew->routes->n_sets == job->routing->routes->n_sets) {
            job->job_params.base = job->anew->routes;
        }
    }
    return status;
}

/* Fits the routing that was chosen to the jobs, and encodes it again. */
static enum sf_status
fit_jobs(struct cli_routing *job, struct sf_error *err)
{
    double start = cli_seconds();
    enum sf_status status = prepare_fit(job, err);

    if (status == SF_OK) {
        status = sf_routing_fit_jobs(job->routing, job->jobs, &job->job_params,
                                     &job->job_routes, err);
    }
    job->job_seconds = cli_seconds() - start;
    if (status != SF_OK) {
        return status;
    }
    if (job->before) {
        sf_ib_tables_free(job->tables);
    } else {
        job->before = job->tables;
        job->before_fabric = job->fabric;
    }
    job->tables = NULL;
    return encode(job, job->routing, &job->tables, &job->repair, err);
}

/* Names an entry of the list of drained links that cannot be drained. */
static enum sf_status
check_drained(const struct cli_routing *job, const struct sf_drain_list *list,
              struct sf_error *err)
{
    char text[SF_DRAIN_TEXT_SIZE];

    for (uint32_t i = 0; i < job->drained.n_outcomes; i++) {
        const struct sf_drain_outcome *outcome = &job->drained.outcomes[i];
        sf_drain_entry_text(&list->lines[outcome->line].entry, text);
        if (outcome->state == SF_DRAIN_UNKNOWN) {
            return sf_fail(err, SF_EINVAL, "%s:%u: there is no %s here",
                           job->drained_path, outcome->line + 1, text);
        }
        if (outcome->state == SF_DRAIN_REFUSED) {
            return sf_fail(err, SF_EINVAL,
                           "%s:%u: without %s, hosts are cut off, %u of them, "
                           "such as %s",
                           job->drained_path, outcome->line + 1, text,
                           outcome->n_cut_off,
                           job->fabric->nodes[outcome->cut_off[0]].name);
        }
    }
    return SF_OK;
}

/* Builds the network, without links that are drained. */
static enum sf_status
build_network(struct cli_routing *job, struct sf_error *err)
{
    struct sf_drain_list *list = NULL;

    if (!job->drained_path) {
        return sf_network_build(job->fabric, &job->network, err);
    }
    enum sf_status status = sf_drain_list_load(job->drained_path, &list, err);
    if (status == SF_OK) {
        status = sf_fabric_copy(job->fabric, &job->left, err);
    }
    if (status == SF_OK) {
        status = sf_drain_apply(list, job->left, &job->drained, err);
    }
    if (status == SF_OK) {
        status = check_drained(job, list, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < list->n_lines; i++) {
        job->params.layers.within_parts |= list->lines[i].entry.with_hosts;
    }
    sf_drain_list_free(list);
    return status == SF_OK ? sf_network_build(job->left, &job->network, err)
                           : status;
}

/* Compares the tables of before with those of now. */
static enum sf_status
compare(struct cli_routing *job, struct sf_error *err)
{
    const struct sf_ib_tables *a = job->before, *b = job->tables;
    struct sf_diff_side before = { job->before_fabric, a->lfts, a->sl2vl,
                                   a->path_sls };
    struct sf_diff_side after = { job->fabric, b->lfts, b->sl2vl,
                                  b->path_sls };

    return sf_table_diff_build(&before, &after, &job->diff, err);
}

/* Judges the change from the tables of before to those of now. */
static enum sf_status
judge_change(struct cli_routing *job, struct sf_error *err)
{
    const struct sf_ib_tables *now = job->tables;
    struct cli_held held = { job->before->lfts, job->before->sl2vl,
                             job->before->path_sls };
    *job->before = (struct sf_ib_tables){ 0 };
    enum sf_status status =
        cli_held_carry(&held, job->before_fabric, job->fabric, err);

    if (status == SF_OK) {
        status = sf_mixture_build(
            job->fabric,
            &(struct sf_mixture_side){ held.tables, held.sl2vl,
                                       held.path_sls },
            &(struct sf_mixture_side){ now->lfts, now->sl2vl, now->path_sls },
            NULL, &job->mixture, err);
    }
    if (status == SF_OK) {
        status = sf_steps_plan(
            job->fabric,
            &(struct sf_step_side){ held.tables, held.sl2vl, held.path_sls },
            &(struct sf_step_side){ now->lfts, now->sl2vl, now->path_sls },
            /* A way over a tree takes long to find. */
            &(struct sf_steps_params){ .stays_direct = true }, &job->steps,
            err);
    }
    cli_held_clear(&held);
    return status;
}

/* Whether there is nothing to compare a repair with. */
static bool
is_repair_alone(const struct cli_routing *job)
{
    return job->repairs_only && !job->why_anew[0];
}

/* Fills job->routing, by way of a repair if there is an earlier run. */
static enum sf_status
route(struct cli_routing *job, const char *previous, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    if (previous) {
        status = sf_ib_read_routing(previous, &job->previous, err);
    }
    if (status == SF_OK && job->previous) {
        status =
            sf_ib_encode_lfts(job->previous->network, job->previous->routes,
                              &job->previous_tables, err);
    }
    if (status == SF_OK && job->previous) {
        job->before_fabric = job->previous->network->fabric;
        status = sf_ib_encode(job->previous, &job->before, err);
    }
    if (status == SF_OK && job->previous) {
        struct sf_routing_params *params = &job->previous->params;
        params->layers.n_threads = job->params.layers.n_threads;
        params->layers.within_parts = job->params.layers.within_parts;
        params->layers.may_exceed = true;
        job->previous->is_fitted = job->jobs_path != NULL;
        job->params = *params;
        if (job->previous->has_default_layers) {
            job->params.layers.scheme = NULL;
        }
        if (job->previous->has_default_lanes) {
            job->params.lanes = NULL;
        }
    }
    if (status == SF_OK) {
        status = assign_lids(job, err);
    }
    if (status == SF_OK) {
        sf_ib_count_addresses(job->fabric, &job->params);
        status = build_network(job, err);
    }
    if (status == SF_OK && job->jobs_path) {
        status = sf_jobs_load(job->jobs_path, job->network, &job->jobs, err);
    }
    double start = cli_seconds();
    if (status == SF_OK && job->previous) {
        status = repair(job, err);
        job->seconds = cli_seconds() - start;
    }
    if (status == SF_OK && !(job->repairs_only && job->routing)) {
        status = make_anew(job, err);
    }
    if (job->why_anew[0] || !job->previous) {
        job->seconds = cli_seconds() - start;
    }
    return status == SF_OK && job->jobs ? fit_jobs(job, err) : status;
}

/* Counts what one dead link does, where the layers are to be robust. */
static enum sf_status
measure_robustness(struct cli_routing *job, struct sf_error *err)
{
    struct sf_layer_spec spec;
    enum sf_status status =
        sf_layer_spec_parse(job->routing->params.layers.scheme, 0, &spec, err);

    if (status == SF_OK && spec.is_robust) {
        status =
            sf_robustness_measure(job->routing->network, job->routing->routes,
                                  &job->robustness, err);
        job->report.robustness = &job->robustness;
    }
    return status;
}

enum sf_status
cli_route(struct cli_routing *job, const char *previous, struct sf_error *err)
{
    enum sf_status status = route(job, previous, err);

    if (status == SF_OK && job->before && job->wants_diff) {
        status = compare(job, err);
    }
    if (status == SF_OK && job->before) {
        status = judge_change(job, err);
    }
    if (status == SF_OK) {
        job->report.mixture = job->mixture;
        job->report.steps = job->steps;
        job->report.routing = job->routing;
        job->report.tables = job->tables->lfts;
        job->report.repair = job->previous ? &job->repair : NULL;
        job->report.recomputation =
            job->previous && !job->why_not[0] && !is_repair_alone(job)
                ? &job->recomputation
                : NULL;
        job->report.why_anew = job->why_anew[0] ? job->why_anew : NULL;
        job->report.why_not_anew = job->why_not;
        job->report.jobs = job->jobs;
        job->report.job_routes = &job->job_routes;
        status = sf_route_figures_measure(job->routing->network,
                                          job->routing->routes,
                                          &job->report.figures, err);
    }
    if (status == SF_OK) {
        status = measure_robustness(job, err);
    }
    if (status == SF_OK && job->report.figures.n_broken > 0 &&
        !job->params.layers.within_parts) {
        status = SF_EUNREACHABLE; /* A repair does not mind parts. */
        snprintf(err->text, sizeof err->text, "%s",
                 job->why_not[0] ? job->why_not
                                 : "the fabric has parts that no link joins");
    }
    return status;
}

void
cli_routing_clear(struct cli_routing *job)
{
    sf_table_diff_free(job->diff);
    sf_drained_clear(&job->drained);
    sf_fabric_free(job->left);
    sf_steps_free(job->steps);
    sf_mixture_free(job->mixture);
    sf_ib_tables_free(job->before);
    sf_job_routes_clear(&job->job_routes);
    sf_jobs_free(job->jobs);
    sf_ib_tables_free(job->tables);
    sf_routing_free(job->anew);
    sf_routing_free(job->routing);
    sf_tables_free(job->previous_tables);
    sf_routing_free(job->previous);
    sf_network_free(job->network);
    sf_fabric_free(job->fabric);
}
