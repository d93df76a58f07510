/* moves.h -- from two wirings of the same ports to the moves between them. */
#ifndef SF_PLAN_MOVES_H
#define SF_PLAN_MOVES_H

#include "base/mem.h"
#include "slimfly/verify.h"

/* Slots are the ports of the plan, followed by a place for each port found
 * (slot n_planned + port), which is used only if the plan does not have that
 * port. */
struct sf_wiring {
    const struct sf_verification *verification; /* For the identities. */
    uint32_t n_planned, n_slots;
    uint32_t *want; /* [n_slots] The slot that the plan joins this one with. */
    uint32_t *have; /* [n_slots] The slot that it was found joined with. */
};

/* What a verification has found so far.  Findings and moves become those of
 * struct sf_verification. */
struct sf_draft {
    SF_VEC(struct sf_finding) findings;
    SF_VEC(struct sf_move) moves;
    uint32_t n_moves_besides; /* So many moves, the first, concern no switch
                               * that was exchanged. */
    /* [n_planned] For ports of switches that were exchanged: the port of the
     * same number on the other switch; else SF_NONE. */
    uint32_t *exchanged_slot;
    uint32_t *exchange_of; /* [planned nodes] The finding that it was
                            * exchanged, or SF_NONE. */
    uint32_t *missing_of;  /* [planned nodes] The finding that it is missing,
                            * or SF_NONE. */
};

/* The port that 'slot' stands for. */
struct sf_end sf_wiring_end(const struct sf_wiring *wiring, uint32_t slot);

/* Appends the moves from what 'wiring' has to what it wants, each with its
 * finding.  False if out of memory. */
bool sf_list_moves(const struct sf_wiring *wiring, struct sf_draft *draft);

#endif
