/* identify.h -- which node of a plan each node of a fabric found is. */
#ifndef SF_PLAN_IDENTIFY_H
#define SF_PLAN_IDENTIFY_H

#include "plan/name_index.h"
#include "slimfly/verify.h"

/* Fills 'identities' [found->n_nodes], 'found_of' [plan->fabric->n_nodes] and
 * n_labellings of 'verification', whose plan, found and arrays are set. */
enum sf_status sf_identify(struct sf_verification *verification,
                           const struct sf_verify_params *params,
                           struct sf_error *err);

#endif
