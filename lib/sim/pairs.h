/* pairs.h -- the routes from senders to the addresses of receivers, and whose
 * turn an address is.
 *
 * A pair is a sender and a receiver.  Each of its addresses has a route of its
 * own, also where two routes are alike.  Routes are found when they are first
 * needed, so that those which nobody takes cost nothing but room. */
#ifndef SF_SIM_PAIRS_H
#define SF_SIM_PAIRS_H

#include "sim/carrier.h"

/* The sender and the receiver. */
struct sf_pair {
    uint32_t from, to;
};

struct sf_pairs {
    const struct sf_carrier *carrier; /* The caller keeps these two. */
    const struct sf_run_setup *setup;
    uint32_t n_pairs;
    uint32_t n_addresses;        /* That the policy uses: 1 for 'first'. */
    uint32_t address_bits;       /* That hold their numbers. */
    struct sf_pair *ends;        /* [n_pairs] */
    struct sf_sim_route *routes; /* [n_pairs * n_addresses] */
    uint64_t *is_known;          /* Bits: which routes are found. */
    uint8_t *turns;              /* [n_pairs] The address that is next. */
    uint32_t *under_way;         /* [n_pairs * n_addresses] Packets; only if
                                  * the policy is adaptive. */
};

/* Makes room for 'n_pairs' pairs, whose 'ends' the caller fills in.
 * SF_ELIMIT: pairs and addresses have more numbers than tags can tell. */
enum sf_status sf_pairs_build(const struct sf_carrier *carrier,
                              const struct sf_run_setup *setup,
                              uint32_t n_pairs, struct sf_pairs *pairs,
                              struct sf_error *err);
void sf_pairs_clear(struct sf_pairs *pairs);

/* Finds the route to an address, or to the first 'n' addresses, unless it is
 * known.  SF_EUNREACHABLE: there is no path. */
enum sf_status sf_pairs_find(struct sf_pairs *pairs, uint32_t pair,
                             uint32_t address, struct sf_error *err);
enum sf_status sf_pairs_find_all(struct sf_pairs *pairs, uint32_t pair,
                                 uint32_t n, struct sf_error *err);

static inline const struct sf_sim_route *
sf_pairs_route(const struct sf_pairs *pairs, uint32_t pair, uint32_t address)
{
    return &pairs->routes[(size_t)pair * pairs->n_addresses + address];
}

/* Whether the first VL of a route is one of 'vls', a set of bits. */
static inline bool
sf_pairs_is_open(const struct sf_pairs *pairs, uint32_t pair, uint32_t address,
                 uint32_t vls)
{
    return vls >> sf_sim_first_vl(sf_pairs_route(pairs, pair, address)) & 1;
}

/* The address whose turn it is; then it is that of the n-th after it. */
static inline uint32_t
sf_pairs_take_turn(struct sf_pairs *pairs, uint32_t pair, uint32_t n)
{
    uint32_t address = pairs->turns[pair];
    pairs->turns[pair] = (uint8_t)((address + n) % pairs->n_addresses);
    return address;
}

/* Of the addresses whose routes begin on one of 'vls', that with the fewest
 * packets under way; among equals, the first from the turn on.  SF_NONE if
 * there is none.  All routes of the pair are known. */
uint32_t sf_pairs_fewest(const struct sf_pairs *pairs, uint32_t pair,
                         uint32_t vls);

/* A packet leaves for an address: counts it, and the turn goes on. */
static inline void
sf_pairs_note_sent(struct sf_pairs *pairs, uint32_t pair, uint32_t address)
{
    pairs->under_way[(size_t)pair * pairs->n_addresses + address]++;
    pairs->turns[pair] = (uint8_t)((address + 1) % pairs->n_addresses);
}

static inline void
sf_pairs_note_delivered(struct sf_pairs *pairs, uint32_t pair,
                        uint32_t address)
{
    pairs->under_way[(size_t)pair * pairs->n_addresses + address]--;
}

#endif
