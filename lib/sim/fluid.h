/* fluid.h -- when messages end that share links by max-min fairness.
 *
 * A message is one flow or several, as stripes over several paths, and has
 * ended when all of them have.  Or its flows share its bytes as a pool, each
 * carrying what it can: then it has ended when they have carried all together.
 * Between two moments at which something starts
 * or ends, rates are constant (fair_share.h), so the moments are exact: there
 * are no steps of time.  Bytes, seconds and bytes a second are any units that
 * fit together.
 *
 *     while (sf_fluid_next(fluid, &ended, err) == SF_OK && ended.n > 0) {
 *         // add what waited for ended.messages[]
 *     }
 *
 * Flows end together if their ends are apart by no more than the part
 * SF_FLUID_TIE of their own duration: rounding splits what ends at one moment
 * into many.  The moment is that of the first, so a message is early by that
 * part of its duration at most, and a chain of messages by that part of the
 * whole: it does not add up. */
#ifndef SF_SIM_FLUID_H
#define SF_SIM_FLUID_H

#include "slimfly/error.h"

#include <stdint.h>

#define SF_FLUID_TIE 1e-9

struct sf_fluid; /* Opaque. */

struct sf_fluid_flow {
    const uint32_t *links; /* [n_links] Each once; none: only 'max_rate'. */
    uint32_t n_links;
    double bytes;    /* At least 0. */
    double weight;   /* 0: 1. */
    double max_rate; /* 0: no bound. */
};

/* Messages that ended at one moment. */
struct sf_fluid_ended {
    double time;
    const uint32_t *messages; /* [n] Ascending; until the next call. */
    uint32_t n;               /* 0: nothing is left to end. */
};

/* Called with messages that have ended; may add others.  Anything but SF_OK
 * stops the run. */
typedef enum sf_status sf_fluid_listener(void *context, struct sf_fluid *fluid,
                                         const struct sf_fluid_ended *ended,
                                         struct sf_error *err);

/* A network of 'n_links' links with 'capacities', at time 0.  A link is in one
 * direction; what limits a host is a link too. */
enum sf_status sf_fluid_build(uint32_t n_links, const double *capacities,
                              struct sf_fluid **fluidp, struct sf_error *err);
void sf_fluid_free(struct sf_fluid *fluid);

/* Adds a message of 'n_flows' flows, at least 1, that starts at 'start', now
 * or later.  Messages are numbered from 0 on; '*messagep', if nonnull, is the
 * number of this one. */
enum sf_status sf_fluid_add(struct sf_fluid *fluid, double start,
                            const struct sf_fluid_flow *flows,
                            uint32_t n_flows, uint32_t *messagep,
                            struct sf_error *err);

/* The same, of flows that share their bytes: each has all bytes of the message
 * in 'bytes', and crosses links. */
enum sf_status sf_fluid_add_pooled(struct sf_fluid *fluid, double start,
                                   const struct sf_fluid_flow *flows,
                                   uint32_t n_flows, uint32_t *messagep,
                                   struct sf_error *err);

/* Goes on to the next moment at which messages end.  SF_EUNREACHABLE means
 * that those which are left wait for links without capacity.  After any
 * failure only sf_fluid_free() may follow.
 *
 * Only rates that can change are computed anew (fluid_rates.h); the rest is
 * O(log F) for each of the F flows that run and change. */
enum sf_status sf_fluid_next(struct sf_fluid *fluid,
                             struct sf_fluid_ended *ended,
                             struct sf_error *err);

/* Goes on until all messages have ended; 'listener' may be NULL. */
enum sf_status sf_fluid_run(struct sf_fluid *fluid,
                            sf_fluid_listener *listener, void *context,
                            struct sf_error *err);

double sf_fluid_now(const struct sf_fluid *fluid);

/* When 'message' ended; HUGE_VAL if it has not yet. */
double sf_fluid_end_of(const struct sf_fluid *fluid, uint32_t message);

/* The bytes that have crossed link 'l' until now. */
double sf_fluid_carried(const struct sf_fluid *fluid, uint32_t l);

#endif
