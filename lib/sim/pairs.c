#include "sim/pairs.h"

#include "base/mem.h"

#define MAX_ADDRESSES 128 /* LMC 7. */

static uint32_t
bits_for(uint32_t n)
{
    uint32_t bits = 0;
    while ((uint32_t)1 << bits < n) {
        bits++;
    }
    return bits;
}

static enum sf_status
check_numbers(uint32_t n_pairs, uint32_t n_addresses, struct sf_error *err)
{
    if (n_addresses < 1 || n_addresses > MAX_ADDRESSES) {
        return sf_fail(err, SF_EINVAL,
                       "hosts with %u addresses, expected 1 to %d",
                       n_addresses, MAX_ADDRESSES);
    }
    if ((uint64_t)n_pairs << bits_for(n_addresses) > UINT32_MAX) {
        return sf_fail(err, SF_ELIMIT,
                       "%u pairs of hosts with %u addresses each are more "
                       "than a simulation can number",
                       n_pairs, n_addresses);
    }
    return SF_OK;
}

enum sf_status
sf_pairs_build(const struct sf_carrier *carrier,
               const struct sf_run_setup *setup, uint32_t n_pairs,
               struct sf_pairs *pairs, struct sf_error *err)
{
    enum sf_select select = setup->params->select;
    uint32_t n_addresses =
        select == SF_SELECT_FIRST ? 1 : setup->source->n_addresses;
    size_t n = (size_t)n_pairs * n_addresses;

    *pairs = (struct sf_pairs){ 0 };
    enum sf_status status = check_numbers(n_pairs, n_addresses, err);
    if (status != SF_OK) {
        return status;
    }
    *pairs = (struct sf_pairs){
        .carrier = carrier,
        .setup = setup,
        .n_pairs = n_pairs,
        .n_addresses = n_addresses,
        .address_bits = bits_for(n_addresses),
        .ends = sf_calloc(n_pairs, sizeof *pairs->ends),
        .routes = sf_calloc(n, sizeof *pairs->routes),
        .is_known = sf_calloc(n / 64 + 1, sizeof *pairs->is_known),
        .turns = sf_calloc(n_pairs, sizeof *pairs->turns),
        .under_way = sf_calloc(select == SF_SELECT_ADAPTIVE ? n : 0,
                               sizeof *pairs->under_way),
    };
    if (!pairs->ends || !pairs->routes || !pairs->is_known || !pairs->turns ||
        !pairs->under_way) {
        sf_pairs_clear(pairs);
        return sf_fail(err, SF_ENOMEM,
                       "out of memory for the routes of %u pairs of hosts",
                       n_pairs);
    }
    return SF_OK;
}

void
sf_pairs_clear(struct sf_pairs *pairs)
{
    free(pairs->ends);
    free(pairs->routes);
    free(pairs->is_known);
    free(pairs->turns);
    free(pairs->under_way);
    *pairs = (struct sf_pairs){ 0 };
}

enum sf_status
sf_pairs_find(struct sf_pairs *pairs, uint32_t pair, uint32_t address,
              struct sf_error *err)
{
    const struct sf_path_source *source = pairs->setup->source;
    size_t i = (size_t)pair * pairs->n_addresses + address;
    struct sf_pair ends = pairs->ends[pair];
    struct sf_sim_hop hops[SF_MAX_PATH_LINKS];
    struct sf_path path;

    if (pairs->is_known[i / 64] >> i % 64 & 1) {
        return SF_OK;
    }
    enum sf_status status =
        source->follow(source, ends.from, ends.to, address, &path, err);
    if (status != SF_OK) {
        return status;
    }
    uint32_t n =
        sf_wires_hops(pairs->setup->wires, &path, ends.from, ends.to, hops);
    status = pairs->carrier->ops->encode(pairs->carrier->sim, hops, n,
                                         &pairs->routes[i], err);
    if (status == SF_OK) {
        pairs->is_known[i / 64] |= (uint64_t)1 << i % 64;
    }
    return status;
}

enum sf_status
sf_pairs_find_all(struct sf_pairs *pairs, uint32_t pair, uint32_t n,
                  struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t a = 0; status == SF_OK && a < n; a++) {
        status = sf_pairs_find(pairs, pair, a, err);
    }
    return status;
}

uint32_t
sf_pairs_fewest(const struct sf_pairs *pairs, uint32_t pair, uint32_t vls)
{
    const uint32_t *under_way =
        &pairs->under_way[(size_t)pair * pairs->n_addresses];
    uint32_t best = SF_NONE;
    uint32_t a = pairs->turns[pair];

    for (uint32_t i = 0; i < pairs->n_addresses; i++) {
        if (sf_pairs_is_open(pairs, pair, a, vls) &&
            (best == SF_NONE || under_way[a] < under_way[best])) {
            best = a;
        }
        a = a + 1 < pairs->n_addresses ? a + 1 : 0;
    }
    return best;
}
