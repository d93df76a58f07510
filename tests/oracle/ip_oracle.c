/* ip_oracle.c -- see ip_oracle.h. */
#include "oracle/ip_oracle.h"

#include <assert.h>
#include <stdlib.h>

/* Addresses as two halves, to be quick. */
struct halves {
    uint64_t high, low;
};

struct ip_oracle_prefix {
    struct halves value, mask;
    uint32_t length;
};

static struct halves
halves_of(struct sf_ip_address address)
{
    struct halves halves = { 0, 0 };

    for (uint32_t i = 0; i < 8; i++) {
        halves.high = halves.high << 8 | address.bytes[i];
        halves.low = halves.low << 8 | address.bytes[i + 8];
    }
    return halves;
}

static struct ip_oracle_prefix
prefix_of(struct sf_ip_prefix from)
{
    struct ip_oracle_prefix prefix = { .value = halves_of(from.address),
                                       .length = from.length };

    for (uint32_t i = 0; i < from.length; i++) {
        *(i < 64 ? &prefix.mask.high : &prefix.mask.low) |= UINT64_C(1)
                                                            << (63 - i % 64);
    }
    return prefix;
}

struct ip_oracle
ip_oracle_make(const struct sf_network *network,
               const struct sf_ip_tables *tables)
{
    struct ip_oracle oracle = { network, tables, NULL };
    size_t n = tables->first[tables->n_switches];

    oracle.prefixes = calloc(n + 1, sizeof *oracle.prefixes);
    assert(oracle.prefixes);
    for (size_t i = 0; i < n; i++) {
        oracle.prefixes[i] =
            prefix_of(sf_ip_destination(tables, &tables->routes[i]));
    }
    return oracle;
}

void
ip_oracle_clear(struct ip_oracle *oracle)
{
    free(oracle->prefixes);
}

static bool
holds(const struct ip_oracle_prefix *prefix, struct halves address)
{
    return (address.high & prefix->mask.high) == prefix->value.high &&
           (address.low & prefix->mask.low) == prefix->value.low;
}

/* The arc of 's' that leaves by port 'number'; SF_NONE if none does. */
static uint32_t
arc_at(const struct sf_network *network, uint32_t s, uint32_t number)
{
    for (uint32_t i = network->graph->first[s];
         i < network->graph->first[s + 1]; i++) {
        if (sf_network_port(network, i) == number) {
            return i;
        }
    }
    return SF_NONE;
}

static bool
is_up(const struct sf_network *network, uint32_t s, uint32_t port,
      struct broken broken)
{
    uint32_t arc = arc_at(network, s, port);

    return arc == SF_NONE ||
           (network->graph->arcs[arc].link != broken.link &&
            network->graph->arcs[arc].to != broken.s && s != broken.s);
}

/* The route of 's' that counts: of those whose ports are up, the one with the
 * longest prefix, and of these the one with the least metric. */
static const struct sf_ip_route *
best_route(const struct ip_oracle *oracle, uint32_t s, struct halves to,
           struct broken broken)
{
    const struct sf_ip_tables *tables = oracle->tables;
    const struct sf_ip_route *best = NULL;
    uint32_t longest = 0;

    for (size_t i = tables->first[s]; i < tables->first[s + 1]; i++) {
        const struct sf_ip_route *route = &tables->routes[i];
        uint32_t length = oracle->prefixes[i].length;
        if (!holds(&oracle->prefixes[i], to) ||
            (route->out && !is_up(oracle->network, s, route->out, broken))) {
            continue;
        }
        if (!best || length > longest ||
            (length == longest &&
             sf_ip_metric(route->kind) < sf_ip_metric(best->kind))) {
            best = route;
            longest = length;
        }
    }
    return best;
}

struct trace
ip_oracle_send(const struct ip_oracle *oracle, uint32_t s,
               struct sf_ip_place to, struct broken broken)
{
    const struct sf_network *network = oracle->network;
    struct halves address = halves_of(sf_ip_port_address(
        &oracle->tables->addresses, to.layer, to.s, to.port));
    struct trace trace = { .fate = CIRCLED };

    while (trace.n_hops < 64) {
        trace.end = s;
        if (s == to.s && to.port == 0) {
            trace.fate = ARRIVED;
            return trace;
        }
        const struct sf_ip_route *route =
            best_route(oracle, s, address, broken);
        if (!route || route->kind == SF_IP_UNREACHABLE) {
            trace.fate = DROPPED;
            return trace;
        }
        uint32_t arc = arc_at(network, s, route->out);
        if (arc == SF_NONE) {
            trace.fate = s == to.s && route->out == to.port ? ARRIVED : LOST;
            return trace;
        }
        trace.took_alternate |= sf_ip_is_alternate(route);
        trace.took_unsafe |= route->kind == SF_IP_ALTERNATE;
        trace.arcs[trace.n_hops++] = arc;
        s = network->graph->arcs[arc].to;
        if (s != route->neighbour) {
            trace.fate = LOST;
            return trace;
        }
    }
    return trace;
}
