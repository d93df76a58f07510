/* lids.h -- the addresses of a subnet: how many there are, how many a network
 * needs, and which its ports get. */
#ifndef SLIMFLY_LIDS_H
#define SLIMFLY_LIDS_H

#include "slimfly/backend.h"
#include "slimfly/fabric.h"

#pragma GCC visibility push(default)

#define SF_MAX_LID UINT32_C(0xbfff) /* Unicast LIDs: 1 to 49,151. */
#define SF_MAX_LMC 7                /* Three bits. */

/* The limits of a subnet: N 2^LMC + N_r LIDs for N hosts on N_r switches. */
extern const struct sf_backend sf_ib_backend;

/* The LMC that 'n_layers' layers need: one address a layer. */
uint32_t sf_lmc_for_layers(uint32_t n_layers);

/* Gives every switch and every host port of 'fabric' a LID, host ports with
 * 'lmc'.  Those of 'previous', if nonnull, are kept for the nodes that were
 * there (by GUID).  The LIDs stand in the side table of InfiniBand
 * (ib_addresses.h), which 'fabric' gets if it has none.  SF_ELIMIT says how
 * many layers would fit. */
enum sf_status sf_fabric_assign_lids(struct sf_fabric *fabric, uint32_t lmc,
                                     const struct sf_fabric *previous,
                                     struct sf_error *err);

/* Whether nodes that 'from' and 'to' both have, by GUID, have the same LIDs in
 * both, as in two states of one subnet; SF_EINVAL names one that has not. */
enum sf_status sf_lids_check_same(const struct sf_fabric *from,
                                  const struct sf_fabric *to,
                                  struct sf_error *err);

#pragma GCC visibility pop
#endif
