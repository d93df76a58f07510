/* packet_route.c -- routes as packets carry them.  A hop is the number of its
 * channel, counted from the first one out of its switch. */
#include "sim/packet_state.h"

/* Of a route's 128 bits, those of the first VL. */
#define FIRST_VL_BITS 4
#define ROUTE_BITS    128

static enum sf_status
check_hop(const struct sf_packet_sim *sim, const struct sf_sim_hop *hops,
          uint32_t i, uint32_t n_hops, struct sf_error *err)
{
    const struct sf_packet_params *params = &sim->params;

    if (hops[i].link >= params->n_links || hops[i].vl >= params->n_vls) {
        return sf_fail(err, SF_EINVAL, "a route over link %u on lane %u",
                       hops[i].link, hops[i].vl);
    }
    bool starts_at_host = hops[i].link < params->n_hosts;
    uint32_t from = sim->ends[hops[i].link].from;
    if (starts_at_host != (i == 0) ||
        sim->links[hops[i].link].to_host != (i == n_hops - 1) ||
        (i > 0 && sim->ends[hops[i - 1].link].to != from)) {
        return sf_fail(err, SF_EINVAL,
                       "a route does not lead from host to host: link %u from "
                       "node %u to node %u is number %u of %u",
                       hops[i].link, from, sim->ends[hops[i].link].to, i + 1,
                       n_hops);
    }
    return SF_OK;
}

/* Puts 'value' at bit 'shift' of a route. */
static void
put_bits(struct sf_sim_route *route, uint32_t shift, uint64_t value)
{
    if (shift < 64) {
        route->words[0] |= value << shift;
    } else {
        route->words[1] |= value << (shift - 64);
    }
    if (shift < 64 && shift > 0) {
        route->words[1] |= value >> (64 - shift);
    }
}

enum sf_status
sf_packet_sim_encode(const struct sf_packet_sim *sim,
                     const struct sf_sim_hop *hops, uint32_t n_hops,
                     struct sf_sim_route *route, struct sf_error *err)
{
    uint32_t max_hops = sim->hop_bits
                            ? 1 + (ROUTE_BITS - FIRST_VL_BITS) / sim->hop_bits
                            : SF_NONE;

    *route = (struct sf_sim_route){ { 0, 0 } };
    if (n_hops == 0) {
        return sf_fail(err, SF_EINVAL, "a route without links");
    }
    if (n_hops > max_hops) {
        return sf_fail(err, SF_ELIMIT,
                       "a route of %u links; packets of this network hold %u",
                       n_hops, max_hops);
    }
    for (uint32_t i = 0; i < n_hops; i++) {
        enum sf_status status = check_hop(sim, hops, i, n_hops, err);
        if (status != SF_OK) {
            return status;
        }
        if (i == 0) {
            put_bits(route, 0, hops[i].vl);
            continue;
        }
        uint32_t channel = hops[i].link << sim->vl_bits | hops[i].vl;
        put_bits(route, FIRST_VL_BITS + (i - 1) * sim->hop_bits,
                 channel - sim->links[hops[i - 1].link].base);
    }
    return SF_OK;
}
