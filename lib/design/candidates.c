/* candidates.c -- which sizes of a family answer a question.  Sizes are
 * compared by formula; only those that become candidates are built. */
#include "design/candidates.h"

#include "design/evaluate.h"
#include "slimfly/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A limit above all numbers of endpoints. */
#define BOUNDLESS (SF_MAX_DESIGN_ENDPOINTS + 1)

/* Sizes of a chart: each this much larger than the one before. */
#define SERIES_FIRST 40
#define SERIES_STEP  1.26

enum sf_status
sf_candidates_fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for the candidates");
}

static bool
has_addresses(const struct candidate_search *search,
              const struct network_size *network, uint32_t p)
{
    const struct sf_backend *backend = search->params->backend;

    return !search->params->n_layers ||
           sf_backend_addresses(backend, network_size_endpoints(network, p),
                                network->n_switches,
                                search->n_host_addresses) <=
               backend->max_addresses;
}

/* The most hosts a switch for which there are addresses, at most p_max. */
static uint32_t
most_hosts(const struct candidate_search *search,
           const struct network_size *network)
{
    uint32_t p = network->p_max;
    while (p > 0 && !has_addresses(search, network, p)) {
        p--;
    }
    return p;
}

/* How many hosts each switch must carry for 'n' endpoints. */
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
list_sizes(struct candidate_search *search, const struct family_sizes *family,
           uint32_t ports, uint32_t n)
{
    struct size_query query = {
        .ports = ports,
        .n_endpoints = n,
        .overload = search->params->overload,
        .non_blocking = search->params->non_blocking,
        .max_addresses = search->max_addresses,
    };
    search->sizes.n = 0;
    return sf_family_sizes_near(family, &query, &search->sizes);
}

/* The smallest of the listed networks that holds 'n' endpoints, or NULL. */
static const struct network_size *
smallest_above(const struct candidate_search *search, uint32_t n)
{
    const struct network_size *best = NULL;

    for (size_t i = 0; i < search->sizes.n; i++) {
        const struct network_size *network = &search->sizes.items[i];
        uint32_t p = hosts_needed(network, n);
        if (p <= network->p_max && has_addresses(search, network, p) &&
            (!best || is_smaller(network, best))) {
            best = network;
        }
    }
    return best;
}

/* The hosts that 'network' carries if it is to be as large as possible, or if
 * it is to carry exactly those that its family recommends; 0 if it cannot. */
static uint32_t
hosts_of(const struct candidate_search *search,
         const struct network_size *network, bool is_recommended)
{
    uint32_t p = most_hosts(search, network);
    if (is_recommended) {
        return p >= network->p ? network->p : 0;
    }
    return network_size_is_worthwhile(network, p) ? p : 0;
}

/* The listed network that has the most endpoints, but fewer than 'n', or
 * NULL. */
static const struct network_size *
largest_below(const struct candidate_search *search, uint32_t n,
              bool is_recommended)
{
    const struct network_size *best = NULL;
    uint32_t most = 0;

    for (size_t i = 0; i < search->sizes.n; i++) {
        const struct network_size *network = &search->sizes.items[i];
        uint32_t p = hosts_of(search, network, is_recommended);
        uint32_t size = network_size_endpoints(network, p);
        if (size < n && size > 0 &&
            (size > most || (size == most && is_smaller(network, best)))) {
            best = network;
            most = size;
        }
    }
    return best;
}

/* Sets how many hosts are too few or too many for the question. */
static void
compare_with_question(const struct candidate_search *search,
                      struct sf_candidate *candidate)
{
    uint32_t wanted = search->params->n_endpoints;
    uint32_t has = candidate->n_endpoints;

    candidate->n_missing = has < wanted ? wanted - has : 0;
    candidate->n_left_out =
        candidate->fit == SF_FIT_WANTED && has > wanted ? has - wanted : 0;
    if (wanted && has >= wanted) {
        candidate->cost_per_asked = candidate->cost / wanted;
    }
}

/* Evaluates 'candidate', unless its cost shows that it is beyond the budget
 * and so not to be listed.  That may take seconds: it says how many candidates
 * there are before and after it instead of how far it is itself. */
static enum sf_status
evaluate(const struct candidate_search *search, struct sf_candidate *candidate,
         bool *is_listedp, struct sf_error *err)
{
    double budget = search->params->budget;
    bool is_series = candidate->fit == SF_FIT_SERIES;
    enum sf_status status = SF_OK;
    char what[SF_SPEC_SIZE + 32];

    snprintf(what, sizeof what, "measuring %s", candidate->spec);
    sf_progress_report(what, search->n_searched, search->n_searches);
    const struct sf_progress *listener = sf_progress_listen(NULL);
    if (budget > 0 || is_series) {
        status = sf_evaluate_cost(candidate, err);
        *is_listedp = budget <= 0 || candidate->cost <= budget;
    }
    if (status == SF_OK && *is_listedp && !is_series) {
        status = sf_evaluate_candidate(candidate, err);
    }
    sf_progress_listen(listener);
    return status;
}

/* Evaluates 'network' with 'p' hosts a switch and, unless it costs more than
 * the budget, lists it.  Sets '*is_listedp', if nonnull, to whether it did. */
static enum sf_status
consider(struct candidate_search *search, const struct network_size *network,
         uint32_t p, enum sf_fit fit, bool *is_listedp, struct sf_error *err)
{
    struct sf_candidate candidate = {
        .fit = fit,
        .ports = network->ports,
        .generation = sf_prices_for(search->prices, network->ports),
        .recommended = network->p,
        .backend = search->params->backend,
        .n_host_addresses = search->n_host_addresses,
    };

    network->family->write_spec(network, p, candidate.spec);
    bool is_listed = true;
    enum sf_status status = evaluate(search, &candidate, &is_listed, err);
    if (status != SF_OK) {
        return status;
    }
    compare_with_question(search, &candidate);
    if (is_listedp) {
        *is_listedp = is_listed;
    }
    if (is_listed && !sf_vec_push(&search->candidates, candidate)) {
        return sf_candidates_fail_memory(err);
    }
    return SF_OK;
}

enum sf_status
sf_candidates_for_endpoints(struct candidate_search *search,
                            const struct family_sizes *family, uint32_t ports,
                            struct sf_error *err)
{
    uint32_t n = search->params->n_endpoints;
    enum sf_status status = SF_OK;

    if (!list_sizes(search, family, ports, n)) {
        return sf_candidates_fail_memory(err);
    }
    const struct network_size *above = smallest_above(search, n);
    const struct network_size *below = largest_below(search, n, false);
    if (above) {
        uint32_t p = hosts_needed(above, n);
        uint32_t most = most_hosts(search, above);
        status = consider(search, above, p, SF_FIT_WANTED, NULL, err);
        if (status == SF_OK && most > p) {
            status = consider(search, above, most, SF_FIT_FILLED, NULL, err);
        }
    }
    if (below && status == SF_OK) {
        status = consider(search, below, hosts_of(search, below, false),
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
has_candidate(const struct candidate_search *search, const char *spec,
              uint32_t ports)
{
    for (size_t i = 0; i < search->candidates.n; i++) {
        const struct sf_candidate *candidate = &search->candidates.items[i];
        if (candidate->ports == ports && !strcmp(candidate->spec, spec)) {
            return true;
        }
    }
    return false;
}

/* Evaluates 'network' unless it is listed already or costs too much anyway. */
static enum sf_status
consider_once(struct candidate_search *search,
              const struct network_size *network, uint32_t p, enum sf_fit fit,
              bool *is_listedp, struct sf_error *err)
{
    const struct sf_generation *generation =
        sf_prices_for(search->prices, network->ports);
    double budget = search->params->budget;
    char spec[SF_SPEC_SIZE];

    network->family->write_spec(network, p, spec);
    *is_listedp = has_candidate(search, spec, network->ports);
    if (*is_listedp || (generation && budget > 0 &&
                        least_cost(generation, network, p) > budget)) {
        return SF_OK;
    }
    return consider(search, network, p, fit, is_listedp, err);
}

/* The largest network of 'family' that ports, layers and budget allow: from
 * the largest downwards. */
static enum sf_status
find_largest(struct candidate_search *search,
             const struct family_sizes *family, uint32_t ports,
             enum sf_fit fit, struct sf_error *err)
{
    bool is_recommended = fit == SF_FIT_RECOMMENDED;
    uint32_t limit = search->params->n_layers
                         ? search->max_addresses / search->n_host_addresses + 1
                         : BOUNDLESS;

    for (bool is_listed = false; !is_listed;) {
        if (!list_sizes(search, family, ports, limit)) {
            return sf_candidates_fail_memory(err);
        }
        const struct network_size *network =
            largest_below(search, limit, is_recommended);
        if (!network) {
            return SF_OK;
        }
        uint32_t p = hosts_of(search, network, is_recommended);
        limit = network_size_endpoints(network, p);
        enum sf_status status =
            consider_once(search, network, p, fit, &is_listed, err);
        if (status != SF_OK) {
            return status;
        }
    }
    return SF_OK;
}

enum sf_status
sf_candidates_largest(struct candidate_search *search,
                      const struct family_sizes *family, uint32_t ports,
                      struct sf_error *err)
{
    enum sf_status status =
        find_largest(search, family, ports, SF_FIT_LARGEST, err);
    return status == SF_OK
               ? find_largest(search, family, ports, SF_FIT_RECOMMENDED, err)
               : status;
}

enum sf_status
sf_candidates_in_series(struct candidate_search *search,
                        const struct family_sizes *family, uint32_t ports,
                        struct sf_error *err)
{
    enum sf_status status = SF_OK;
    uint32_t most = search->max_addresses;
    bool is_last = false;

    for (double n = SERIES_FIRST; !is_last && status == SF_OK;
         n *= SERIES_STEP) {
        uint32_t wanted = n < most ? (uint32_t)n : most;
        bool is_listed;
        if (!list_sizes(search, family, ports, wanted)) {
            return sf_candidates_fail_memory(err);
        }
        const struct network_size *network = smallest_above(search, wanted);
        is_last = !network || wanted == most ||
                  network_size_endpoints(network, network->p_max) > most;
        if (is_last) {
            network = largest_below(search, most, false);
        }
        if (network) {
            status =
                consider_once(search, network, most_hosts(search, network),
                              SF_FIT_SERIES, &is_listed, err);
        }
    }
    return status;
}
