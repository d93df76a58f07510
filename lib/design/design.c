/* design.c -- answers a question: asks every family for candidates and puts
 * these in order. */
#include "base/mem.h"
#include "design/candidates.h"
#include "slimfly/progress.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of hosts and switches, where no back end has fewer: random networks and
 * charts end there. */
#define MOST_ADDRESSES UINT32_C(200000)

const char *const sf_design_sorts[SF_N_SORTS] = {
    "cost", "cost-per-endpoint", "endpoints", "switches", "distance", "power",
};

/* Whether 'name' stands in the list 'families', which is NULL for all. */
static bool
is_asked_for(const char *families, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = families; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (!strncmp(at, name, length) &&
            (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return !families;
}

/* Adds the candidates of all families that are asked for. */
static enum sf_status
search_families(struct candidate_search *search, candidates_fn *find,
                uint32_t ports, struct sf_error *err)
{
    for (uint32_t i = 0; sf_all_family_sizes[i]; i++, search->n_searched++) {
        if (is_asked_for(search->params->families,
                         sf_all_family_sizes[i]->name)) {
            enum sf_status status =
                find(search, sf_all_family_sizes[i], ports, err);
            if (status != SF_OK) {
                return status;
            }
        }
    }
    return SF_OK;
}

/* How often families will be searched: each for all numbers of ports. */
static uint32_t
count_searches(const struct sf_design_params *params,
               const struct sf_prices *prices)
{
    uint32_t n = 0;

    while (sf_all_family_sizes[n]) {
        n++;
    }
    return params->ports ? n : n * prices->n_generations;
}

/* Refuses names of families that cannot be sized. */
static enum sf_status
check_families(const char *families, struct sf_error *err)
{
    for (const char *at = families; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, ",");
        if (sf_family_sizes_find(at, length)) {
            continue;
        }
        char names[160] = "";
        size_t used = 0;
        for (size_t i = 0; sf_all_family_sizes[i] && used < sizeof names;
             i++) {
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 i ? ", " : "", sf_all_family_sizes[i]->name);
        }
        return sf_fail(err, SF_EINVAL,
                       "'%.*s' is not a family that can be sized; there are "
                       "%s",
                       length > 40 ? 40 : (int)length, at, names);
    }
    return SF_OK;
}

static enum sf_status
check_params(const struct sf_design_params *params,
             const struct sf_prices *prices, struct sf_error *err)
{
    const struct sf_backend *backend = params->backend;

    if (params->ports && (params->ports < SF_MIN_DESIGN_PORTS ||
                          params->ports > backend->max_ports)) {
        return sf_fail(err, SF_EINVAL,
                       "%u ports: expected switches of %u to %u ports",
                       params->ports, SF_MIN_DESIGN_PORTS, backend->max_ports);
    }
    if (params->n_endpoints > SF_MAX_DESIGN_ENDPOINTS) {
        return sf_fail(err, SF_EINVAL, "%u endpoints: expected at most %u",
                       params->n_endpoints, SF_MAX_DESIGN_ENDPOINTS);
    }
    if (params->n_layers > backend->max_host_addresses) {
        return sf_fail(err, SF_EINVAL,
                       "%u layers: a host has at most %u addresses",
                       params->n_layers, backend->max_host_addresses);
    }
    if (params->budget > 0 && params->ports &&
        !sf_prices_for(prices, params->ports)) {
        return sf_fail(err, SF_EINVAL,
                       "a budget needs prices, and there are none for "
                       "switches of %u ports",
                       params->ports);
    }
    return check_families(params->families, err);
}

static double
sort_value(const struct sf_candidate *candidate, enum sf_design_sort sort)
{
    switch (sort) {
    case SF_SORT_COST:
        return candidate->cost;
    case SF_SORT_COST_PER_ENDPOINT:
        return candidate->cost_per_endpoint;
    case SF_SORT_ENDPOINTS:
        return -(double)candidate->n_endpoints;
    case SF_SORT_SWITCHES:
        return candidate->n_switches;
    case SF_SORT_DISTANCE:
        return candidate->average_distance;
    case SF_SORT_POWER:
        return candidate->watts;
    case SF_N_SORTS:
        break;
    }
    return 0;
}

/* Below 0 if 'x' comes before 'y'.  What answers the question comes first;
 * what has no price, last. */
static int
compare_candidates(const struct sf_candidate *x, const struct sf_candidate *y,
                   enum sf_design_sort sort)
{
    double a = sort_value(x, sort), b = sort_value(y, sort);

    if ((x->n_missing > 0) != (y->n_missing > 0)) {
        return x->n_missing > 0 ? 1 : -1;
    }
    if (isnan(a) != isnan(b)) {
        return isnan(a) ? 1 : -1;
    }
    if (a < b || b < a) {
        return a < b ? -1 : 1;
    }
    if (x->n_switches != y->n_switches) {
        return x->n_switches < y->n_switches ? -1 : 1;
    }
    return strcmp(x->spec, y->spec);
}

/* Insertion sort: there are some dozens, and equal ones keep their order. */
static void
sort_candidates(struct sf_candidate *candidates, size_t n,
                enum sf_design_sort sort)
{
    for (size_t i = 1; i < n; i++) {
        struct sf_candidate candidate = candidates[i];
        size_t j = i;
        while (j > 0 &&
               compare_candidates(&candidate, &candidates[j - 1], sort) < 0) {
            candidates[j] = candidates[j - 1];
            j--;
        }
        candidates[j] = candidate;
    }
}

static enum sf_status
build(const struct sf_design_params *asked, const struct sf_prices *prices,
      candidates_fn *find, struct sf_design **designp, struct sf_error *err)
{
    struct sf_design_params settled = *asked, *params = &settled;

    settled.backend = asked->backend ? asked->backend : &sf_backend_any;
    uint64_t most = settled.backend->max_addresses;
    struct candidate_search search = {
        .params = params,
        .prices = prices,
        .n_searches = count_searches(params, prices),
        .n_host_addresses =
            sf_backend_host_addresses(settled.backend, params->n_layers),
        .max_addresses =
            most < MOST_ADDRESSES ? (uint32_t)most : MOST_ADDRESSES,
    };

    *designp = NULL;
    enum sf_status status = check_params(params, prices, err);
    if (status == SF_OK && params->ports) {
        status = search_families(&search, find, params->ports, err);
    }
    for (uint32_t i = 0;
         !params->ports && i < prices->n_generations && status == SF_OK; i++) {
        status =
            search_families(&search, find, prices->generations[i].ports, err);
    }
    sf_progress_report("measuring candidates", search.n_searches,
                       search.n_searches);
    struct sf_design *design =
        status == SF_OK ? sf_calloc(1, sizeof *design) : NULL;
    if (design) {
        design->params = *params;
        design->params.families = NULL;
        design->prices = prices;
        design->candidates = search.candidates.items;
        design->n_candidates = (uint32_t)search.candidates.n;
        if (find != sf_candidates_in_series) {
            sort_candidates(design->candidates, design->n_candidates,
                            params->sort);
        }
        *designp = design;
    } else {
        free(search.candidates.items);
        status = status == SF_OK ? sf_candidates_fail_memory(err) : status;
    }
    free(search.sizes.items);
    return status;
}

enum sf_status
sf_design_build(const struct sf_design_params *params,
                const struct sf_prices *prices, struct sf_design **designp,
                struct sf_error *err)
{
    return build(params, prices,
                 params->n_endpoints ? sf_candidates_for_endpoints
                                     : sf_candidates_largest,
                 designp, err);
}

enum sf_status
sf_design_series(const struct sf_design_params *params,
                 const struct sf_prices *prices, struct sf_design **designp,
                 struct sf_error *err)
{
    struct sf_design_params series = *params;

    *designp = NULL;
    if (!params->ports || !sf_prices_for(prices, params->ports)) {
        return sf_fail(err, SF_EINVAL,
                       "a chart needs a number of ports for which there are "
                       "prices");
    }
    series.budget = 0;
    series.n_endpoints = 0;
    return build(&series, prices, sf_candidates_in_series, designp, err);
}

void
sf_design_free(struct sf_design *design)
{
    if (design) {
        free(design->candidates);
        free(design);
    }
}

uint32_t
sf_candidate_left_out(const struct sf_candidate *candidate, uint32_t i)
{
    assert(i < candidate->n_left_out && candidate->concentration > 0);
    uint64_t n_hosting = candidate->n_endpoints / candidate->concentration;
    /* In the middle of the i'th of n_left_out equal parts. */
    uint64_t s = (2 * (uint64_t)i + 1) * n_hosting /
                 (2 * (uint64_t)candidate->n_left_out);
    return (uint32_t)((s + 1) * candidate->concentration - 1);
}

double
sf_candidate_copper_max(const struct sf_candidate *candidate)
{
    return candidate->generation ? candidate->generation->copper_max
                                 : sf_floor_default.copper_max;
}

double
sf_candidate_bisection_at_most(const struct sf_candidate *candidate)
{
    return candidate->n_half
               ? (double)candidate->bisection_at_most / candidate->n_half
               : (double)NAN;
}

double
sf_candidate_bisection_at_least(const struct sf_candidate *candidate)
{
    return candidate->n_half
               ? candidate->bisection_at_least / candidate->n_half
               : (double)NAN;
}
