/* fits.c -- see fits.h. */
#include "fits.h"

#include <stdlib.h>
#include <string.h>

struct cli_fit {
    const struct cli_subject_routing *base;
    struct sf_jobs *jobs;
    struct cli_subject_routing routing;
};

bool
cli_fits_check(const struct cli_subjects *subjects)
{
    for (uint32_t i = 0; i < subjects->n_subjects; i++) {
        if (subjects->subjects[i].held.tables) {
            cli_fail("simulate: %s: --for-jobs: expected a fabric without "
                     "tables, which is routed here; 'slimfly route --jobs' "
                     "makes tables for jobs",
                     subjects->subjects[i].name);
            return false;
        }
    }
    return true;
}

static bool
are_same(const struct sf_jobs *a, const struct sf_jobs *b)
{
    bool are = a->n_jobs == b->n_jobs;

    for (uint32_t i = 0; are && i < a->n_jobs; i++) {
        const struct sf_job *x = &a->jobs[i], *y = &b->jobs[i];
        are = x->n_hosts == y->n_hosts &&
              !memcmp(x->hosts, y->hosts, x->n_hosts * sizeof *x->hosts);
    }
    return are;
}

/* Fits a copy of the routing 'base' to the jobs. */
static enum sf_status
make(struct cli_fit *fit, struct sf_error *err)
{
    const struct cli_subject_routing *base = fit->base;
    struct cli_subject_routing *routing = &fit->routing;
    struct sf_job_routes_params params = { .seed = base->seed };
    struct sf_job_routes result = { 0 };

    *routing = *base;
    routing->made = NULL;
    enum sf_status status = sf_routing_copy(base->made, &routing->made, err);
    if (status == SF_OK) {
        status = sf_routing_split_sets(routing->made, err);
    }
    if (status == SF_OK) {
        status = sf_routing_fit_jobs(routing->made, fit->jobs, &params,
                                     &result, err);
    }
    if (status == SF_OK) {
        status = sf_path_source_of_routes(
            routing->made->network, routing->made->routes, base->source.one_sl,
            &routing->source, err);
    }
    routing->is_for_jobs = true;
    routing->job_shares = result.slowest;
    sf_job_routes_clear(&result);
    return status;
}

static void
free_fit(struct cli_fit *fit)
{
    if (fit) {
        sf_jobs_free(fit->jobs);
        sf_routing_free(fit->routing.made);
        free(fit);
    }
}

/* Keeps 'fit', which is ready. */
static bool
keep(struct cli_fits *fits, struct cli_fit *fit)
{
    struct cli_fit **items =
        realloc(fits->items, (fits->n + (size_t)1) * sizeof(struct cli_fit *));

    if (items) {
        fits->items = items;
        fits->items[fits->n++] = fit;
    }
    return items != NULL;
}

static const struct cli_subject_routing *
add(struct cli_fits *fits, const struct cli_subject_routing *base,
    struct sf_jobs *jobs)
{
    struct cli_fit *fit = calloc(1, sizeof *fit);
    struct sf_error err = { 0 };

    if (!fit) {
        sf_jobs_free(jobs);
        cli_fail("out of memory");
        return NULL;
    }
    fit->base = base;
    fit->jobs = jobs;
    if (make(fit, &err) != SF_OK) {
        cli_fail("simulate: %s: %s", base->subject->name, err.text);
    } else if (!keep(fits, fit)) {
        cli_fail("out of memory");
    } else {
        return &fit->routing;
    }
    free_fit(fit);
    return NULL;
}

const struct cli_subject_routing *
cli_fits_find(struct cli_fits *fits, const struct cli_subject_routing *base,
              const struct sf_sim_jobs *asked)
{
    struct sf_error err = { 0 };
    struct sf_jobs *jobs;

    if (sf_sim_jobs_nodes(base->subject->network, asked, base->seed, &jobs,
                          &err) != SF_OK) {
        cli_fail("simulate: %s: %s", base->subject->name, err.text);
        return NULL;
    }
    for (uint32_t i = 0; i < fits->n; i++) {
        const struct cli_fit *fit = fits->items[i];
        if (fit->base == base && are_same(fit->jobs, jobs)) {
            sf_jobs_free(jobs);
            return &fit->routing;
        }
    }
    return add(fits, base, jobs);
}

void
cli_fits_clear(struct cli_fits *fits)
{
    for (uint32_t i = 0; i < fits->n; i++) {
        free_fit(fits->items[i]);
    }
    free(fits->items);
    *fits = (struct cli_fits){ 0 };
}
