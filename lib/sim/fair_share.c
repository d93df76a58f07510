#include "sim/fair_share.h"

#include "base/mem.h"
#include "sim/heap.h"
#include "slimfly/graph.h"

#include <math.h>

/* A link while the level rises. */
struct link {
    double left;   /* What flows that have stopped leave of it. */
    double weight; /* Of the flows that still rise. */
    double summed; /* What 'weight' was when it was last summed up. */
    uint32_t n_rising;
    uint32_t *flows; /* Those that rise are among them. */
    uint32_t n_flows;
};

struct filling {
    const struct sf_fair_share *problem;
    double *rates;
    struct link *links;  /* [n_links] */
    uint32_t *crossings; /* Room for the 'flows' of all links. */
    bool *has_stopped;   /* [n_flows] */
    uint32_t n_rising;   /* Flows that have not stopped. */
    struct sf_heap heap; /* Item l is a link, n_links + f the bound of a flow:
                            by the level at which it stops flows. */
    double level;
};

static double
weight_of(const struct sf_fair_share *problem, uint32_t f)
{
    return problem->weights ? problem->weights[f] : 1;
}

static double
bound_of(const struct sf_fair_share *problem, uint32_t f)
{
    return problem->bounds ? problem->bounds[f] : HUGE_VAL;
}

static enum sf_status
check_numbers(const struct sf_fair_share *problem, struct sf_error *err)
{
    for (uint32_t l = 0; l < problem->n_links; l++) {
        double capacity = problem->capacities[l];
        if (!(capacity >= 0 && capacity < HUGE_VAL)) {
            return sf_fail(err, SF_EINVAL,
                           "link %u has capacity %g; it must be at least 0 "
                           "and finite",
                           l, capacity);
        }
    }
    for (uint32_t f = 0; f < problem->n_flows; f++) {
        double weight = weight_of(problem, f), bound = bound_of(problem, f);
        if (!(weight > 0 && weight < HUGE_VAL)) {
            return sf_fail(err, SF_EINVAL,
                           "flow %u has weight %g; it must be above 0 and "
                           "finite",
                           f, weight);
        }
        if (!(bound >= 0)) {
            return sf_fail(err, SF_EINVAL,
                           "flow %u has bound %g; it must be at least 0", f,
                           bound);
        }
    }
    return SF_OK;
}

/* Counts the flows of each link, and refuses those that cross a link twice:
 * meanwhile 'summed' is the number of the flow that came last, from 1 on. */
static enum sf_status
count_flows(struct filling *filling, struct sf_error *err)
{
    const struct sf_fair_share *problem = filling->problem;

    for (uint32_t f = 0; f < problem->n_flows; f++) {
        for (uint32_t i = problem->first[f]; i < problem->first[f + 1]; i++) {
            uint32_t l = problem->links[i];
            if (l >= problem->n_links) {
                return sf_fail(err, SF_EINVAL, "flow %u crosses link %u of %u",
                               f, l, problem->n_links);
            }
            struct link *link = &filling->links[l];
            if (link->summed == f + 1.0) {
                return sf_fail(err, SF_EINVAL,
                               "flow %u crosses link %u more than once", f, l);
            }
            link->summed = f + 1.0;
            link->n_rising++;
        }
    }
    return SF_OK;
}

static void
list_flows(struct filling *filling)
{
    const struct sf_fair_share *problem = filling->problem;
    uint32_t *room = filling->crossings;

    for (uint32_t l = 0; l < problem->n_links; l++) {
        struct link *link = &filling->links[l];
        link->left = problem->capacities[l];
        link->flows = room;
        room += link->n_rising;
    }
    for (uint32_t f = 0; f < problem->n_flows; f++) {
        for (uint32_t i = problem->first[f]; i < problem->first[f + 1]; i++) {
            struct link *link = &filling->links[problem->links[i]];
            link->flows[link->n_flows++] = f;
            link->weight += weight_of(problem, f);
        }
    }
}

/* The level at which a link is full if no flow stops before. */
static double
full_level(const struct link *link)
{
    return link->left > 0 ? link->left / link->weight : 0;
}

static void
fill_heap(struct filling *filling)
{
    const struct sf_fair_share *problem = filling->problem;

    for (uint32_t l = 0; l < problem->n_links; l++) {
        struct link *link = &filling->links[l];
        link->summed = link->weight;
        if (link->n_rising > 0) {
            sf_heap_set(&filling->heap, l, full_level(link));
        }
    }
    for (uint32_t f = 0; f < problem->n_flows; f++) {
        double bound = bound_of(problem, f);
        if (problem->first[f] == problem->first[f + 1]) {
            filling->rates[f] = bound;
            filling->has_stopped[f] = true;
            filling->n_rising--;
        } else if (bound < HUGE_VAL) {
            sf_heap_set(&filling->heap, problem->n_links + f,
                        bound / weight_of(problem, f));
        }
    }
}

/* Forgets flows that have stopped and sums up the weights of the others. */
static void
sum_up(struct filling *filling, struct link *link)
{
    uint32_t n_kept = 0;

    link->weight = 0;
    for (uint32_t i = 0; i < link->n_flows; i++) {
        uint32_t f = link->flows[i];
        if (!filling->has_stopped[f]) {
            link->flows[n_kept++] = f;
            link->weight += weight_of(filling->problem, f);
        }
    }
    link->n_flows = n_kept;
    link->summed = link->weight;
}

/* Flow 'f' rises no more.  A link sums its weights up again whenever half of
 * them are gone, so that what remains of large weights never hides small
 * ones. */
static void
stop(struct filling *filling, uint32_t f, double rate)
{
    const struct sf_fair_share *problem = filling->problem;

    filling->rates[f] = rate;
    filling->has_stopped[f] = true;
    filling->n_rising--;
    for (uint32_t i = problem->first[f]; i < problem->first[f + 1]; i++) {
        struct link *link = &filling->links[problem->links[i]];
        link->n_rising--;
        link->left -= rate;
        link->weight -= weight_of(problem, f);
        if (link->weight < link->summed / 2) {
            sum_up(filling, link);
        }
    }
}

/* Stops all that rises on link 'l', which is full. */
static void
stop_link(struct filling *filling, uint32_t l)
{
    struct link *link = &filling->links[l];
    const uint32_t *flows = link->flows;
    uint32_t n_flows = link->n_flows;

    /* Nobody sums this link up while its flows are gone through. */
    link->summed = -HUGE_VAL;
    for (uint32_t i = 0; i < n_flows; i++) {
        uint32_t f = flows[i];
        if (!filling->has_stopped[f]) {
            double rate = filling->level * weight_of(filling->problem, f);
            stop(filling, f, fmin(rate, bound_of(filling->problem, f)));
        }
    }
}

/* Raises the level to 'level', unless that is as good as reached. */
static void
raise_level(struct filling *filling, double level)
{
    if (level > filling->level * (1 + SF_SHARE_TIE)) {
        filling->level = level;
    }
}

/* The first in the heap is link 'l'. */
static void
look_at_link(struct filling *filling, uint32_t l)
{
    struct link *link = &filling->links[l];
    double waited_for = sf_heap_least(&filling->heap);

    if (link->n_rising > 0) {
        double level = full_level(link);
        double reached = fmax(waited_for, filling->level);
        if (level > reached * (1 + SF_SHARE_TIE)) {
            sf_heap_set(&filling->heap, l, level);
            return;
        }
        raise_level(filling, level);
        stop_link(filling, l);
    }
    sf_heap_remove(&filling->heap, l);
}

/* The first in the heap is the bound of flow 'f'. */
static void
look_at_bound(struct filling *filling, uint32_t f)
{
    if (!filling->has_stopped[f]) {
        raise_level(filling, sf_heap_least(&filling->heap));
        stop(filling, f, filling->problem->bounds[f]);
    }
    sf_heap_remove(&filling->heap, filling->problem->n_links + f);
}

static void
fill(struct filling *filling)
{
    uint32_t n_links = filling->problem->n_links;

    list_flows(filling);
    filling->n_rising = filling->problem->n_flows;
    fill_heap(filling);

    /* Most links are never full, and stay in the heap. */
    while (filling->n_rising > 0 && filling->heap.n > 0) {
        uint32_t item = sf_heap_first(&filling->heap);
        if (item < n_links) {
            look_at_link(filling, item);
        } else {
            look_at_bound(filling, item - n_links);
        }
    }
}

enum sf_status
sf_fair_share_solve(const struct sf_fair_share *problem, double *rates,
                    struct sf_error *err)
{
    struct filling filling = { .problem = problem, .rates = rates };
    uint32_t n_items =
        problem->n_links + (problem->bounds ? problem->n_flows : 0);
    enum sf_status status = check_numbers(problem, err);

    if (status != SF_OK) {
        return status;
    }
    filling.links = sf_calloc(problem->n_links, sizeof *filling.links);
    filling.crossings =
        sf_calloc(problem->first[problem->n_flows], sizeof *filling.crossings);
    filling.has_stopped =
        sf_calloc(problem->n_flows, sizeof *filling.has_stopped);
    if (!filling.links || !filling.crossings || !filling.has_stopped ||
        !sf_heap_reserve(&filling.heap, n_items)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u flows",
                         problem->n_flows);
        goto done;
    }
    status = count_flows(&filling, err);
    if (status == SF_OK) {
        fill(&filling);
    }
done:
    sf_heap_clear(&filling.heap);
    free(filling.has_stopped);
    free(filling.crossings);
    free(filling.links);
    return status;
}
