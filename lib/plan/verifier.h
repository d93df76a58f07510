/* verifier.h -- a verification in the making. */
#ifndef SF_PLAN_VERIFIER_H
#define SF_PLAN_VERIFIER_H

#include "plan/moves.h"

/* Everything that sf_verify() holds until it is done. */
struct verifier {
    struct sf_verification *verification;
    struct sf_wiring wiring;
    struct sf_draft draft;
    uint32_t *exchange_with; /* [planned switches] The switch that most cables
                              * of this one are meant for, or SF_NONE. */
    bool is_out_of_memory;
};

/* The planned fabric. */
static inline const struct sf_fabric *
verifier_planned(const struct verifier *verifier)
{
    return verifier->verification->plan->fabric;
}

/* The slot of a port that was found. */
uint32_t sf_verifier_slot(const struct verifier *verifier,
                          uint32_t found_port);

/* Whether a planned node was not found. */
bool sf_verifier_is_missing(const struct verifier *verifier, uint32_t node);

/* Whether the planned cable at 'slot' cannot be there because a node that it
 * joins was not found.  The only cable of a host may still be all that is
 * missing. */
bool sf_verifier_lacks_node(const struct verifier *verifier, uint32_t slot);

/* Finds the switches that have changed places. */
enum sf_status sf_verifier_find_exchanges(struct verifier *verifier,
                                          struct sf_error *err);

/* Finds the nodes whose name says something else than their GUID. */
enum sf_status sf_verifier_find_misnamed(struct verifier *verifier,
                                         unsigned sources,
                                         struct sf_error *err);

/* Finds the planned nodes that were not found, switches before hosts, so that
 * a host can name its switch as the cause. */
void sf_verifier_find_missing_nodes(struct verifier *verifier);

/* Finds the nodes that are not planned and hang on one that is. */
enum sf_status sf_verifier_find_unknown_nodes(struct verifier *verifier,
                                              struct sf_error *err);

/* Finds the planned cables that are missing because a node is. */
void sf_verifier_find_cables_of_missing_nodes(struct verifier *verifier);

/* Counts the right cables and, if 'rates_matter', finds the different ones. */
void sf_verifier_find_right_cables(struct verifier *verifier,
                                   bool rates_matter);

#endif
