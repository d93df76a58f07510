#include "sim/fluid_rates.h"

#include "sim/fair_share.h"
#include "slimfly/graph.h"

#include <math.h>

/* How far below the level of the first difference flows are taken along: more
 * than rounding can do. */
#define MARGIN 1e-9

/* A search for the flows that matter gives up at this part of all. */
#define MOST_SEARCHED 16

/* Each time a lower bound on the level of a link is improved, from below. */
#define N_IMPROVEMENTS 6

enum sf_status
sf_fluid_rates_init(struct sf_fluid_rates *rates, uint32_t n_links,
                    const double *capacities, struct sf_error *err)
{
    *rates = (struct sf_fluid_rates){ .n_links = n_links, .least = HUGE_VAL };
    for (uint32_t l = 0; l < n_links; l++) {
        if (!(capacities[l] >= 0 && capacities[l] < HUGE_VAL)) {
            return sf_fail(err, SF_EINVAL,
                           "link %u has capacity %g; it must be at least 0 "
                           "and finite",
                           l, capacities[l]);
        }
    }
    rates->links = sf_calloc(n_links, sizeof *rates->links);
    if (!rates->links) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u links", n_links);
    }
    for (uint32_t l = 0; l < n_links; l++) {
        rates->links[l].capacity = capacities[l];
    }
    return SF_OK;
}

void
sf_fluid_rates_clear(struct sf_fluid_rates *rates)
{
    for (uint32_t l = 0; rates->links && l < rates->n_links; l++) {
        free(rates->links[l].crossed.items);
    }
    for (size_t f = 0; f < rates->flows.n; f++) {
        free(rates->flows.items[f].crossings);
    }
    free(rates->links);
    free(rates->flows.items);
    free(rates->changed.items);
    free(rates->affected.items);
    free(rates->part_links.items);
    free(rates->capacities.items);
    free(rates->first.items);
    free(rates->crossings.items);
    free(rates->weights.items);
    free(rates->bounds.items);
    free(rates->solution.items);
    *rates = (struct sf_fluid_rates){ 0 };
}

static bool
mark_changed(struct sf_fluid_rates *rates, uint32_t l)
{
    struct sf_fluid_link *link = &rates->links[l];

    if (link->is_changed) {
        return true;
    }
    link->is_changed = true;
    return sf_vec_push(&rates->changed, l);
}

bool
sf_fluid_rates_join(struct sf_fluid_rates *rates, uint32_t f)
{
    struct sf_fluid_running *flow = &rates->flows.items[f];

    flow->rate = 0;
    flow->level = HUGE_VAL;
    flow->round = 0;
    flow->is_running = true;
    rates->n_running++;
    for (uint32_t i = 0; i < flow->n_crossings; i++) {
        struct sf_fluid_link *link = &rates->links[flow->crossings[i].link];
        struct sf_crossed crossed = { .flow = f, .index = i };
        flow->crossings[i].place = (uint32_t)link->crossed.n;
        link->has_new = true;
        if (!sf_vec_push(&link->crossed, crossed) ||
            !mark_changed(rates, flow->crossings[i].link)) {
            return false;
        }
    }
    return true;
}

bool
sf_fluid_rates_leave(struct sf_fluid_rates *rates, uint32_t f)
{
    struct sf_fluid_running *flow = &rates->flows.items[f];

    flow->is_running = false;
    rates->n_running--;
    rates->least = fmin(rates->least, flow->level);
    for (uint32_t i = 0; i < flow->n_crossings; i++) {
        struct sf_fluid_link *link = &rates->links[flow->crossings[i].link];
        struct sf_crossed last = link->crossed.items[--link->crossed.n];
        uint32_t place = flow->crossings[i].place;
        if (place < link->crossed.n) {
            link->crossed.items[place] = last;
            rates->flows.items[last.flow].crossings[last.index].place = place;
        }
        if (!mark_changed(rates, flow->crossings[i].link)) {
            return false;
        }
    }
    return true;
}

/* The level at which a link would be full if the flows on it stopped at the
 * level 'stop' if theirs is below that, and went on to rise otherwise. */
static double
full_level(const struct sf_fluid_rates *rates,
           const struct sf_fluid_link *link, double stop)
{
    double left = link->capacity, weight = 0;

    for (size_t i = 0; i < link->crossed.n; i++) {
        const struct sf_fluid_running *flow =
            &rates->flows.items[link->crossed.items[i].flow];
        if (flow->level < stop) {
            left -= flow->rate;
        } else {
            weight += flow->weight;
        }
    }
    return weight > 0 && left > 0 ? left / weight : 0;
}

/* A level below which a link with new flows is not full.  If all flows rose
 * without end, it would be full at a level that is too low.  Flows below that
 * stop, so the true level is higher, and so on. */
static double
lower_bound(const struct sf_fluid_rates *rates,
            const struct sf_fluid_link *link)
{
    double level = 0;

    for (int i = 0; i < N_IMPROVEMENTS; i++) {
        double higher = full_level(rates, link, level);
        if (!(higher > level)) {
            break;
        }
        level = higher;
    }
    return level;
}

/* The level below which all is as it was. */
static double
first_difference(const struct sf_fluid_rates *rates)
{
    double level = rates->least;

    for (size_t i = 0; i < rates->changed.n; i++) {
        const struct sf_fluid_link *link =
            &rates->links[rates->changed.items[i]];
        if (link->has_new) {
            level = fmin(level, lower_bound(rates, link));
        }
    }
    return level * (1 - MARGIN);
}

/* Makes link 'l' part of the problem unless it is. */
static bool
include_link(struct sf_fluid_rates *rates, uint32_t l)
{
    struct sf_fluid_link *link = &rates->links[l];

    if (link->round == rates->round) {
        return true;
    }
    link->round = rates->round;
    link->local = (uint32_t)rates->part_links.n;
    return sf_vec_push(&rates->part_links, l);
}

/* Makes flow 'f' part of the problem, and its links. */
static bool
include_flow(struct sf_fluid_rates *rates, uint32_t f)
{
    struct sf_fluid_running *flow = &rates->flows.items[f];

    flow->round = rates->round;
    rates->is_bounded = rates->is_bounded || flow->bound < HUGE_VAL;
    for (uint32_t i = 0; i < flow->n_crossings; i++) {
        uint32_t l = flow->crossings[i].link;
        if (!include_link(rates, l) ||
            !sf_vec_push(&rates->crossings, rates->links[l].local)) {
            return false;
        }
    }
    return sf_vec_push(&rates->affected, f) &&
           sf_vec_push(&rates->weights, flow->weight) &&
           sf_vec_push(&rates->bounds, flow->bound) &&
           sf_vec_push(&rates->solution, 0) &&
           sf_vec_push(&rates->first, (uint32_t)rates->crossings.n);
}

/* Includes what crosses link 'l' at 'level' or above; the others leave the
 * rest of its capacity. */
static bool
include_crossed(struct sf_fluid_rates *rates, uint32_t l, double level)
{
    const struct sf_fluid_link *link = &rates->links[l];
    double left = link->capacity;

    for (size_t i = 0; i < link->crossed.n; i++) {
        uint32_t f = link->crossed.items[i].flow;
        const struct sf_fluid_running *flow = &rates->flows.items[f];
        if (flow->level < level) {
            left -= flow->rate;
        } else if (flow->round != rates->round && !include_flow(rates, f)) {
            return false;
        }
    }
    return sf_vec_push(&rates->capacities, fmax(left, 0));
}

/* Starts with an empty problem. */
static bool
begin_part(struct sf_fluid_rates *rates)
{
    rates->round++;
    rates->affected.n = rates->part_links.n = rates->capacities.n = 0;
    rates->crossings.n = rates->weights.n = rates->bounds.n = 0;
    rates->first.n = rates->solution.n = 0;
    rates->is_bounded = false;
    return sf_vec_push(&rates->first, 0);
}

/* Sets up the problem: a search from the changed links.  It gives up when it
 * has come to more than 'most' flows. */
static bool
search_part(struct sf_fluid_rates *rates, double level, size_t most)
{
    if (!begin_part(rates)) {
        return false;
    }
    for (size_t i = 0; i < rates->changed.n; i++) {
        if (!include_link(rates, rates->changed.items[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < rates->part_links.n && rates->affected.n <= most;
         i++) {
        if (!include_crossed(rates, rates->part_links.items[i], level)) {
            return false;
        }
    }
    return true;
}

/* Sets up the problem of all flows at 'level' or above, by their numbers:
 * memory is then read in order, which is several times as fast as a search
 * that comes to most of them. */
static bool
take_all(struct sf_fluid_rates *rates, double level)
{
    if (!begin_part(rates)) {
        return false;
    }
    for (uint32_t f = 0; f < rates->flows.n; f++) {
        struct sf_fluid_running *flow = &rates->flows.items[f];
        if (flow->is_running && flow->level >= level &&
            !include_flow(rates, f)) {
            return false;
        }
    }
    for (size_t i = 0; i < rates->part_links.n; i++) {
        double capacity = rates->links[rates->part_links.items[i]].capacity;
        if (!sf_vec_push(&rates->capacities, capacity)) {
            return false;
        }
    }
    return true;
}

/* Takes off the capacities of the problem what flows below 'level' have. */
static void
take_off_others(struct sf_fluid_rates *rates, double level)
{
    for (uint32_t f = 0; f < rates->flows.n; f++) {
        const struct sf_fluid_running *flow = &rates->flows.items[f];
        if (!flow->is_running || flow->level >= level) {
            continue;
        }
        for (uint32_t i = 0; i < flow->n_crossings; i++) {
            const struct sf_fluid_link *link =
                &rates->links[flow->crossings[i].link];
            if (link->round == rates->round) {
                double *left = &rates->capacities.items[link->local];
                *left = fmax(*left - flow->rate, 0);
            }
        }
    }
}

/* Sets up the problem. */
static bool
collect(struct sf_fluid_rates *rates, double level)
{
    size_t most = rates->n_running / MOST_SEARCHED;

    if (!search_part(rates, level, most)) {
        return false;
    }
    if (rates->affected.n <= most) {
        return true;
    }
    if (!take_all(rates, level)) {
        return false;
    }
    take_off_others(rates, level);
    return true;
}

static void
forget_changes(struct sf_fluid_rates *rates)
{
    for (size_t i = 0; i < rates->changed.n; i++) {
        struct sf_fluid_link *link = &rates->links[rates->changed.items[i]];
        link->is_changed = link->has_new = false;
    }
    rates->changed.n = 0;
    rates->least = HUGE_VAL;
}

enum sf_status
sf_fluid_rates_solve(struct sf_fluid_rates *rates, struct sf_error *err)
{
    if (!collect(rates, first_difference(rates))) {
        return sf_fail(err, SF_ENOMEM, "out of memory for rates of flows");
    }
    forget_changes(rates);
    struct sf_fair_share problem = {
        .n_links = (uint32_t)rates->part_links.n,
        .n_flows = (uint32_t)rates->affected.n,
        .capacities = rates->capacities.items,
        .first = rates->first.items,
        .links = rates->crossings.items,
        .weights = rates->weights.items,
        .bounds = rates->is_bounded ? rates->bounds.items : NULL,
    };
    return problem.n_flows == 0
               ? SF_OK
               : sf_fair_share_solve(&problem, rates->solution.items, err);
}

void
sf_fluid_rates_set(struct sf_fluid_rates *rates, uint32_t f, double rate)
{
    struct sf_fluid_running *flow = &rates->flows.items[f];

    flow->rate = rate;
    flow->level = rate / flow->weight;
}
