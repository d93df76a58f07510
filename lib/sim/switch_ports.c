#include "sim/switch_ports.h"

#include "base/mem.h"

#include <string.h>

/* How many bits hold the numbers below 'n'. */
static uint32_t
bits_for(uint32_t n)
{
    uint32_t bits = 0;
    while (bits < 32 && (uint64_t)1 << bits < n) {
        bits++;
    }
    return bits;
}

static enum sf_status
check_sizes(const struct sf_ports *ports, struct sf_error *err)
{
    if (ports->n_vls < 1 || ports->n_vls > SF_SIM_MAX_VLS) {
        return sf_fail(err, SF_EINVAL, "%u virtual lanes; 1 to %d can be",
                       ports->n_vls, SF_SIM_MAX_VLS);
    }
    if (ports->n_hosts > ports->n_nodes) {
        return sf_fail(err, SF_EINVAL, "%u hosts among %u nodes",
                       ports->n_hosts, ports->n_nodes);
    }
    /* Numbers of channels leave two bits free, which events use. */
    if (ports->n_links >> (32 - 2 - bits_for(ports->n_vls))) {
        return sf_fail(err, SF_ELIMIT, "%u links with %u virtual lanes",
                       ports->n_links, ports->n_vls);
    }
    return SF_OK;
}

/* 'n_in' counts the links into each host. */
static enum sf_status
check_links(const struct sf_ports *ports, const struct sf_sim_link *links,
            uint32_t *n_in, struct sf_error *err)
{
    for (uint32_t i = 0; i < ports->n_links; i++) {
        uint32_t from = links[i].from, to = links[i].to;
        if (from >= ports->n_nodes || to >= ports->n_nodes || from == to) {
            return sf_fail(err, SF_EINVAL,
                           "link %u from node %u to node %u of %u", i, from,
                           to, ports->n_nodes);
        }
        if (i > 0 && from < links[i - 1].from) {
            return sf_fail(err, SF_EINVAL,
                           "link %u from node %u after one from node %u", i,
                           from, links[i - 1].from);
        }
        if ((i < ports->n_hosts) != (from < ports->n_hosts) ||
            (i < ports->n_hosts && from != i)) {
            return sf_fail(err, SF_EINVAL,
                           "link %u from node %u: each of the %u hosts has "
                           "exactly one link out",
                           i, from, ports->n_hosts);
        }
        if (to < ports->n_hosts && n_in[to]++) {
            return sf_fail(err, SF_EINVAL, "two links into host %u", to);
        }
    }
    return ports->n_links >= ports->n_hosts
               ? SF_OK
               : sf_fail(err, SF_EINVAL, "%u links for %u hosts",
                         ports->n_links, ports->n_hosts);
}

/* Counts the links out of each node, and finds how many bits tell them
 * apart. */
static void
count_ports(struct sf_ports *ports)
{
    uint32_t most = 1;

    for (uint32_t i = 0; i < ports->n_links; i++) {
        ports->first[ports->ends[i].from + 1]++;
    }
    for (uint32_t i = 0; i < ports->n_nodes; i++) {
        uint32_t n = ports->first[i + 1];
        most = n > most ? n : most;
        ports->first[i + 1] += ports->first[i];
    }
    ports->hop_bits = bits_for(most) + ports->vl_bits;
}

/* 'first' is free to count the links into hosts before it is filled in. */
static enum sf_status
fill(struct sf_ports *ports, const struct sf_sim_link *links,
     struct sf_error *err)
{
    ports->ends = sf_calloc(ports->n_links, sizeof *ports->ends);
    ports->first = sf_calloc((size_t)ports->n_nodes + 1, sizeof *ports->first);
    if (!ports->ends || !ports->first) {
        return sf_fail(err, SF_ENOMEM, "simulation of %u links",
                       ports->n_links);
    }
    enum sf_status status = check_links(ports, links, ports->first, err);
    if (status != SF_OK) {
        return status;
    }
    memset(ports->first, 0,
           ((size_t)ports->n_nodes + 1) * sizeof *ports->first);
    if (ports->n_links > 0) {
        memcpy(ports->ends, links, ports->n_links * sizeof *ports->ends);
    }
    count_ports(ports);
    return SF_OK;
}

enum sf_status
sf_ports_build(struct sf_ports *ports, uint32_t n_nodes, uint32_t n_hosts,
               const struct sf_sim_link *links, uint32_t n_links,
               uint32_t n_vls, struct sf_error *err)
{
    *ports = (struct sf_ports){
        .n_nodes = n_nodes,
        .n_hosts = n_hosts,
        .n_links = n_links,
        .n_vls = n_vls,
        .vl_bits = bits_for(n_vls),
        .n_channels = n_links << bits_for(n_vls),
    };
    enum sf_status status = check_sizes(ports, err);
    if (status == SF_OK) {
        status = fill(ports, links, err);
    }
    if (status != SF_OK) {
        sf_ports_clear(ports);
    }
    return status;
}

void
sf_ports_clear(struct sf_ports *ports)
{
    free(ports->first);
    free(ports->ends);
    *ports = (struct sf_ports){ 0 };
}

/* Of a route's 128 bits, those of the first VL. */
#define FIRST_VL_BITS 4
#define ROUTE_BITS    128

static enum sf_status
check_hop(const struct sf_ports *ports, const struct sf_sim_hop *hops,
          uint32_t i, uint32_t n_hops, struct sf_error *err)
{
    if (hops[i].link >= ports->n_links || hops[i].vl >= ports->n_vls) {
        return sf_fail(err, SF_EINVAL, "a route over link %u on lane %u",
                       hops[i].link, hops[i].vl);
    }
    bool starts_at_host = hops[i].link < ports->n_hosts;
    uint32_t from = ports->ends[hops[i].link].from;
    if (starts_at_host != (i == 0) ||
        sf_ports_to_host(ports, hops[i].link) != (i == n_hops - 1) ||
        (i > 0 && ports->ends[hops[i - 1].link].to != from)) {
        return sf_fail(err, SF_EINVAL,
                       "a route does not lead from host to host: link %u from "
                       "node %u to node %u is number %u of %u",
                       hops[i].link, from, ports->ends[hops[i].link].to, i + 1,
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
sf_ports_encode(const struct sf_ports *ports, const struct sf_sim_hop *hops,
                uint32_t n_hops, struct sf_sim_route *route,
                struct sf_error *err)
{
    uint32_t max_hops =
        ports->hop_bits ? 1 + (ROUTE_BITS - FIRST_VL_BITS) / ports->hop_bits
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
        enum sf_status status = check_hop(ports, hops, i, n_hops, err);
        if (status != SF_OK) {
            return status;
        }
        if (i == 0) {
            put_bits(route, 0, hops[i].vl);
            continue;
        }
        uint32_t channel = hops[i].link << ports->vl_bits | hops[i].vl;
        put_bits(route, FIRST_VL_BITS + (i - 1) * ports->hop_bits,
                 channel - sf_ports_base(ports, hops[i - 1].link));
    }
    return SF_OK;
}
