/* design.c -- which candidates answer a question, and in what order. */
#include "base/mem.h"
#include "design/evaluate.h"
#include "design/family_sizes.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where nothing else sets a limit. */
#define BOUNDLESS (SF_MAX_DESIGN_ENDPOINTS + 1)

/* Sizes of a chart: each this much larger than the one before. */
#define SERIES_FIRST 40
#define SERIES_STEP  1.26

const char *const sf_design_sorts[SF_N_SORTS] = {
    "cost", "cost-per-endpoint", "endpoints", "switches", "distance", "power",
};

/* What is being designed. */
struct designer {
    const struct sf_design_params *params;
    const struct sf_prices *prices;
    const struct sf_progress *progress;
    uint32_t lmc; /* That the layers need. */
    SF_VEC(struct sf_candidate) candidates;
    network_size_list sizes; /* Of the family at hand. */
};

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for the candidates");
}

static bool
fits_lids(const struct designer *designer, const struct network_size *network,
          uint32_t p)
{
    return !designer->params->n_layers ||
           sf_lids_used(network_size_endpoints(network, p),
                        network->n_switches, designer->lmc) <= SF_MAX_LID;
}

/* The most hosts a switch that the addresses leave, at most p_max. */
static uint32_t
most_hosts(const struct designer *designer, const struct network_size *network)
{
    uint32_t p = network->p_max;
    while (p > 0 && !fits_lids(designer, network, p)) {
        p--;
    }
    return p;
}

/* Hosts a switch that hold 'n' endpoints. */
static uint32_t
hosts_needed(const struct network_size *network, uint32_t n)
{
    return (n + network->n_hosting - 1) / network->n_hosting;
}

/* Whether 'a' is the cheaper way to hold the same endpoints. */
static bool
is_smaller(const struct network_size *a, const struct network_size *b)
{
    if (a->n_switches != b->n_switches) {
        return a->n_switches < b->n_switches;
    }
    return a->n_links < b->n_links;
}

/* Lists the sizes of 'family' next to 'n' endpoints. */
static bool
list_sizes(struct designer *designer, const struct family_sizes *family,
           uint32_t ports, uint32_t n)
{
    struct size_query query = { ports, n, designer->params->overload };
    designer->sizes.n = 0;
    return family_sizes_near(family, &query, &designer->sizes);
}

/* The smallest of the listed networks that holds 'n' endpoints, or NULL. */
static const struct network_size *
smallest_above(const struct designer *designer, uint32_t n)
{
    const struct network_size *best = NULL;

    for (size_t i = 0; i < designer->sizes.n; i++) {
        const struct network_size *network = &designer->sizes.items[i];
        uint32_t p = hosts_needed(network, n);
        if (p <= network->p_max && fits_lids(designer, network, p) &&
            (!best || is_smaller(network, best))) {
            best = network;
        }
    }
    return best;
}

/* The hosts that 'network' carries if it is to be as large as possible, or if
 * it is to carry exactly those that its family recommends; 0 if it cannot. */
static uint32_t
hosts_of(const struct designer *designer, const struct network_size *network,
         bool is_recommended)
{
    uint32_t p = most_hosts(designer, network);
    if (is_recommended) {
        return p >= network->p ? network->p : 0;
    }
    return network_size_is_worthwhile(network, p) ? p : 0;
}

/* The listed network that has the most endpoints, but fewer than 'n', or
 * NULL. */
static const struct network_size *
largest_below(const struct designer *designer, uint32_t n, bool is_recommended)
{
    const struct network_size *best = NULL;
    uint32_t most = 0;

    for (size_t i = 0; i < designer->sizes.n; i++) {
        const struct network_size *network = &designer->sizes.items[i];
        uint32_t p = hosts_of(designer, network, is_recommended);
        uint32_t size = network_size_endpoints(network, p);
        if (size < n && size > 0 &&
            (size > most || (size == most && is_smaller(network, best)))) {
            best = network;
            most = size;
        }
    }
    return best;
}

/* Numbers that only the question knows. */
static void
compare_with_question(const struct designer *designer,
                      struct sf_candidate *candidate)
{
    uint32_t wanted = designer->params->n_endpoints;
    uint32_t has = candidate->n_endpoints;

    candidate->n_missing = has < wanted ? wanted - has : 0;
    candidate->n_left_out =
        candidate->fit == SF_FIT_WANTED && has > wanted ? has - wanted : 0;
}

/* Evaluates 'network' with 'p' hosts a switch and, unless it costs more than
 * the budget, lists it.  Sets '*is_listedp', if nonnull, to whether it did. */
static enum sf_status
consider(struct designer *designer, const struct network_size *network,
         uint32_t p, enum sf_fit fit, bool *is_listedp, struct sf_error *err)
{
    struct sf_candidate candidate = {
        .fit = fit,
        .ports = network->ports,
        .generation = sf_prices_for(designer->prices, network->ports),
        .recommended = network->p,
        .lmc = designer->lmc,
    };

    network->family->write_spec(network, p, candidate.spec);
    enum sf_status status = fit == SF_FIT_SERIES
                                ? evaluate_cost(&candidate, err)
                                : evaluate_candidate(&candidate, err);
    if (status != SF_OK) {
        return status;
    }
    compare_with_question(designer, &candidate);
    bool is_listed = !(designer->params->budget > 0) ||
                     candidate.cost <= designer->params->budget;
    if (is_listedp) {
        *is_listedp = is_listed;
    }
    if (is_listed && !sf_vec_push(&designer->candidates, candidate)) {
        return fail_memory(err);
    }
    return SF_OK;
}

/* The candidates of 'family' for a number of endpoints. */
static enum sf_status
answer_endpoints(struct designer *designer, const struct family_sizes *family,
                 uint32_t ports, struct sf_error *err)
{
    uint32_t n = designer->params->n_endpoints;
    enum sf_status status = SF_OK;

    if (!list_sizes(designer, family, ports, n)) {
        return fail_memory(err);
    }
    const struct network_size *above = smallest_above(designer, n);
    const struct network_size *below = largest_below(designer, n, false);
    if (above) {
        uint32_t p = hosts_needed(above, n);
        uint32_t most = most_hosts(designer, above);
        status = consider(designer, above, p, SF_FIT_WANTED, NULL, err);
        if (status == SF_OK && most > p) {
            status = consider(designer, above, most, SF_FIT_FILLED, NULL, err);
        }
    }
    if (below && status == SF_OK) {
        status = consider(designer, below, hosts_of(designer, below, false),
                          SF_FIT_BELOW, NULL, err);
    }
    return status;
}

/* What 'network' costs at least. */
static double
least_cost(const struct sf_generation *generation,
           const struct network_size *network, uint32_t p)
{
    double link = (double)INFINITY, host_cable = (double)INFINITY;

    for (uint32_t i = 0; i < generation->links.n_classes; i++) {
        link = fmin(link, generation->links.classes[i].price);
    }
    for (uint32_t i = 0; i < generation->host_cables.n_classes; i++) {
        host_cable =
            fmin(host_cable, generation->host_cables.classes[i].price);
    }
    return network->n_switches * generation->switch_price +
           (double)network->n_links * link +
           network_size_endpoints(network, p) * host_cable;
}

static bool
has_candidate(const struct designer *designer, const char *spec,
              uint32_t ports)
{
    for (size_t i = 0; i < designer->candidates.n; i++) {
        const struct sf_candidate *candidate = &designer->candidates.items[i];
        if (candidate->ports == ports && !strcmp(candidate->spec, spec)) {
            return true;
        }
    }
    return false;
}

/* Evaluates 'network' unless it is listed already or costs too much anyway. */
static enum sf_status
consider_once(struct designer *designer, const struct network_size *network,
              uint32_t p, enum sf_fit fit, bool *is_listedp,
              struct sf_error *err)
{
    const struct sf_generation *generation =
        sf_prices_for(designer->prices, network->ports);
    double budget = designer->params->budget;
    char spec[SF_SPEC_SIZE];

    network->family->write_spec(network, p, spec);
    *is_listedp = has_candidate(designer, spec, network->ports);
    if (*is_listedp || (generation && budget > 0 &&
                        least_cost(generation, network, p) > budget)) {
        return SF_OK;
    }
    return consider(designer, network, p, fit, is_listedp, err);
}

/* The largest network of 'family' that ports, layers and budget allow: from
 * the largest downwards. */
static enum sf_status
find_largest(struct designer *designer, const struct family_sizes *family,
             uint32_t ports, enum sf_fit fit, struct sf_error *err)
{
    bool is_recommended = fit == SF_FIT_RECOMMENDED;
    uint32_t limit = designer->params->n_layers
                         ? (SF_MAX_LID >> designer->lmc) + 1
                         : BOUNDLESS;

    for (bool is_listed = false; !is_listed;) {
        if (!list_sizes(designer, family, ports, limit)) {
            return fail_memory(err);
        }
        const struct network_size *network =
            largest_below(designer, limit, is_recommended);
        if (!network) {
            return SF_OK;
        }
        uint32_t p = hosts_of(designer, network, is_recommended);
        limit = network_size_endpoints(network, p);
        enum sf_status status =
            consider_once(designer, network, p, fit, &is_listed, err);
        if (status != SF_OK) {
            return status;
        }
    }
    return SF_OK;
}

static enum sf_status
answer_largest(struct designer *designer, const struct family_sizes *family,
               uint32_t ports, struct sf_error *err)
{
    enum sf_status status =
        find_largest(designer, family, ports, SF_FIT_LARGEST, err);
    return status == SF_OK
               ? find_largest(designer, family, ports, SF_FIT_RECOMMENDED, err)
               : status;
}

/* Sizes of 'family' for a chart, as full as they can be, up to the largest in
 * one subnet. */
static enum sf_status
answer_series(struct designer *designer, const struct family_sizes *family,
              uint32_t ports, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    bool is_last = false;

    for (double n = SERIES_FIRST; !is_last && status == SF_OK;
         n *= SERIES_STEP) {
        uint32_t wanted = n < SF_MAX_LID ? (uint32_t)n : SF_MAX_LID;
        bool is_listed;
        if (!list_sizes(designer, family, ports, wanted)) {
            return fail_memory(err);
        }
        const struct network_size *network = smallest_above(designer, wanted);
        is_last = !network || wanted == SF_MAX_LID ||
                  network_size_endpoints(network, network->p_max) > SF_MAX_LID;
        if (is_last) {
            network = largest_below(designer, SF_MAX_LID, false);
        }
        if (network) {
            status =
                consider_once(designer, network, most_hosts(designer, network),
                              SF_FIT_SERIES, &is_listed, err);
        }
    }
    return status;
}

typedef enum sf_status answer_fn(struct designer *designer,
                                 const struct family_sizes *family,
                                 uint32_t ports, struct sf_error *err);

/* Whether 'name' stands in the list 'families'. */
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

static enum sf_status
answer_ports(struct designer *designer, answer_fn *answer, uint32_t ports,
             struct sf_error *err)
{
    uint32_t n = 0, done = 0;

    while (all_family_sizes[n]) {
        n++;
    }
    for (uint32_t i = 0; i < n; i++) {
        sf_progress_report(designer->progress, "candidates", done++, n);
        if (is_asked_for(designer->params->families,
                         all_family_sizes[i]->name)) {
            enum sf_status status =
                answer(designer, all_family_sizes[i], ports, err);
            if (status != SF_OK) {
                return status;
            }
        }
    }
    sf_progress_report(designer->progress, "candidates", n, n);
    return SF_OK;
}

/* Refuses names that are no family of ours. */
static enum sf_status
check_families(const char *families, struct sf_error *err)
{
    for (const char *at = families; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, ",");
        if (family_sizes_find(at, length)) {
            continue;
        }
        char names[160] = "";
        size_t used = 0;
        for (size_t i = 0; all_family_sizes[i] && used < sizeof names; i++) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     i ? ", " : "", all_family_sizes[i]->name);
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
    if (params->ports && (params->ports < SF_MIN_DESIGN_PORTS ||
                          params->ports > SF_MAX_PORTS)) {
        return sf_fail(err, SF_EINVAL,
                       "%u ports: expected switches of %u to %u ports",
                       params->ports, SF_MIN_DESIGN_PORTS, SF_MAX_PORTS);
    }
    if (params->n_endpoints > SF_MAX_DESIGN_ENDPOINTS) {
        return sf_fail(err, SF_EINVAL, "%u endpoints: expected at most %u",
                       params->n_endpoints, SF_MAX_DESIGN_ENDPOINTS);
    }
    if (params->n_layers > 1u << SF_MAX_LMC) {
        return sf_fail(err, SF_EINVAL,
                       "%u layers: a host has at most %u addresses",
                       params->n_layers, 1u << SF_MAX_LMC);
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
build(const struct sf_design_params *params, const struct sf_prices *prices,
      const struct sf_progress *progress, answer_fn *answer,
      struct sf_design **designp, struct sf_error *err)
{
    struct designer designer = {
        .params = params,
        .prices = prices,
        .progress = progress,
        .lmc = sf_lmc_for_layers(params->n_layers),
    };

    *designp = NULL;
    enum sf_status status = check_params(params, prices, err);
    if (status == SF_OK && params->ports) {
        status = answer_ports(&designer, answer, params->ports, err);
    }
    for (uint32_t i = 0;
         !params->ports && i < prices->n_generations && status == SF_OK; i++) {
        status =
            answer_ports(&designer, answer, prices->generations[i].ports, err);
    }
    struct sf_design *design =
        status == SF_OK ? sf_calloc(1, sizeof *design) : NULL;
    if (design) {
        design->params = *params;
        design->params.families = NULL;
        design->prices = prices;
        design->candidates = designer.candidates.items;
        design->n_candidates = (uint32_t)designer.candidates.n;
        if (answer != answer_series) {
            sort_candidates(design->candidates, design->n_candidates,
                            params->sort);
        }
        *designp = design;
    } else {
        free(designer.candidates.items);
        status = status == SF_OK ? fail_memory(err) : status;
    }
    free(designer.sizes.items);
    return status;
}

enum sf_status
sf_design_build(const struct sf_design_params *params,
                const struct sf_prices *prices,
                const struct sf_progress *progress, struct sf_design **designp,
                struct sf_error *err)
{
    return build(params, prices, progress,
                 params->n_endpoints ? answer_endpoints : answer_largest,
                 designp, err);
}

enum sf_status
sf_design_series(const struct sf_design_params *params,
                 const struct sf_prices *prices,
                 const struct sf_progress *progress,
                 struct sf_design **designp, struct sf_error *err)
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
    return build(&series, prices, progress, answer_series, designp, err);
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

bool
sf_candidate_is_full_bandwidth(const struct sf_candidate *candidate)
{
    return candidate->load <= 1.005;
}
