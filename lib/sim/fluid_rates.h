/* fluid_rates.h -- the flows that run, the links that they share, and their
 * rates whenever some have come or gone. */
#ifndef SF_SIM_FLUID_RATES_H
#define SF_SIM_FLUID_RATES_H

#include "base/mem.h"
#include "slimfly/error.h"

#include <stdint.h>

/* Where a flow crosses a link. */
struct sf_crossing {
    uint32_t link;
    uint32_t place; /* Among the crossings of the link. */
};

struct sf_fluid_running {
    struct sf_crossing *crossings;
    uint32_t n_crossings, max_crossings;
    double weight, bound; /* As in fair_share.h. */
    double rate;
    double level;   /* rate / weight; HUGE_VAL if there is no rate yet. */
    uint32_t round; /* The last one in which the rate was computed. */
    bool is_running;
};

/* Where a link is crossed. */
struct sf_crossed {
    uint32_t flow;
    uint32_t index; /* Among the crossings of the flow. */
};

struct sf_fluid_link {
    double capacity;
    SF_VEC(struct sf_crossed) crossed;
    uint32_t round; /* The last one in which it was part of the problem, */
    uint32_t local; /* and its number there. */
    bool is_changed;
    bool has_new; /* Flows without a rate yet. */
};

/* Flows are numbered by who uses this, in 'flows'. */
struct sf_fluid_rates {
    uint32_t n_links, round;
    struct sf_fluid_link *links;
    SF_VEC(struct sf_fluid_running) flows;
    uint32_t n_running;
    SF_VEC(uint32_t) changed; /* Links where flows came or went. */
    double least;             /* The least level of those that went. */

    /* The part of the last problem that was solved: its flows have new
     * rates. */
    SF_VEC(uint32_t) affected;
    SF_VEC(uint32_t) part_links; /* Its links, by their numbers here. */
    SF_VEC(double) capacities;   /* What other flows leave of these. */
    SF_VEC(uint32_t) first;
    SF_VEC(uint32_t) crossings;
    SF_VEC(double) weights;
    SF_VEC(double) bounds;
    bool is_bounded; /* One of these is finite. */
    SF_VEC(double) solution;
};

enum sf_status sf_fluid_rates_init(struct sf_fluid_rates *rates,
                                   uint32_t n_links, const double *capacities,
                                   struct sf_error *err);
void sf_fluid_rates_clear(struct sf_fluid_rates *rates);

/* Flow 'f', whose crossings name their links, begins to run; false if out of
 * memory. */
bool sf_fluid_rates_join(struct sf_fluid_rates *rates, uint32_t f);

/* Flow 'f' runs no more; false if out of memory. */
bool sf_fluid_rates_leave(struct sf_fluid_rates *rates, uint32_t f);

/* Computes rates->solution for rates->affected, the flows whose rates can
 * change since flows have joined and left, and leaves it to the caller to hand
 * them over to sf_fluid_rates_set().
 *
 * The level of progressive filling rises as before until the first change
 * makes a difference: no link of a flow that left was full below the level of
 * that flow, and a link with new flows is not full below the level that
 * follows from the levels of the others.  So flows below the least of these
 * levels keep their rates, and among the others only those matter that are
 * joined to a changed link by flows of that kind.  Their rates are max-min
 * fair on what the rest leaves.  In a collective of equal messages the
 * quickest end first, and few are above them. */
enum sf_status sf_fluid_rates_solve(struct sf_fluid_rates *rates,
                                    struct sf_error *err);

void sf_fluid_rates_set(struct sf_fluid_rates *rates, uint32_t f, double rate);

#endif
