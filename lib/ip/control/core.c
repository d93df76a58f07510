#include "ip/control/core.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sf_status
sf_core_init(struct sf_core *core, const struct sf_routing *base,
             const struct sf_ip_addresses *addresses,
             enum sf_ip_alternates alternates, struct sf_error *err)
{
    *core =
        (struct sf_core){ .addresses = *addresses, .alternates = alternates };
    enum sf_status status = sf_routing_copy(base, &core->base, err);

    if (status == SF_OK) {
        core->fabric = core->base->network->fabric;
        status = sf_ip_encode(core->base->network, core->base->routes,
                              addresses, alternates, &core->base_tables, err);
    }
    if (status != SF_OK) {
        return status;
    }
    core->runs = sf_calloc(core->fabric->n_ports, sizeof *core->runs);
    core->held = sf_calloc(core->fabric->n_switches, sizeof *core->held);
    if (!core->runs || !core->held) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u switches",
                       core->fabric->n_switches);
    }
    for (uint32_t i = 0; i < core->fabric->n_ports; i++) {
        core->runs[i] = true;
    }
    return SF_OK;
}

void
sf_core_clear(struct sf_core *core)
{
    for (uint32_t s = 0; core->held && s < core->fabric->n_switches; s++) {
        free(core->held[s].routes);
    }
    free(core->held);
    free(core->runs);
    sf_ip_tables_free(core->repaired_tables);
    sf_routing_free(core->repaired);
    sf_ip_tables_free(core->base_tables);
    sf_routing_free(core->base);
}

bool
sf_core_runs(const struct sf_core *core, uint32_t port)
{
    uint32_t peer = core->fabric->ports[port].peer;
    return peer != SF_NONE && core->runs[port] && core->runs[peer];
}

bool
sf_core_note_port(struct sf_core *core, uint32_t port, bool runs)
{
    bool before = sf_core_runs(core, port);

    core->runs[port] = runs;
    bool has_changed = sf_core_runs(core, port) != before;
    core->is_stale |= has_changed;
    return has_changed;
}

uint32_t
sf_core_count_down(const struct sf_core *core)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < core->fabric->n_ports; i++) {
        uint32_t peer = core->fabric->ports[i].peer;
        n += peer != SF_NONE && peer > i && !sf_core_runs(core, i);
    }
    return n;
}

/* The network without the links that do not run. */
static enum sf_status
make_network(const struct sf_core *core, struct sf_network **networkp,
             struct sf_error *err)
{
    struct sf_fabric *fabric;
    enum sf_status status = sf_fabric_copy(core->fabric, &fabric, err);

    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        if (fabric->ports[i].peer != SF_NONE && !sf_core_runs(core, i)) {
            sf_fabric_unplug(fabric, i);
        }
    }
    status = sf_network_build(fabric, networkp, err);
    sf_fabric_free(fabric);
    return status;
}

/* Routes 'network' by the settings of the base. */
static enum sf_status
make_anew(const struct sf_core *core, const struct sf_network *network,
          struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing_params params = core->base->params;

    params.layers.within_parts = true;
    params.layers.may_exceed = true;
    return sf_routing_build(network, &params, routingp, err);
}

/* Makes routing and tables for the links of now. */
static enum sf_status
repair(const struct sf_core *core, char *why_anew,
       struct sf_routing **routingp, struct sf_ip_tables **tablesp,
       struct sf_error *err)
{
    struct sf_network *network;
    struct sf_error refusal = { 0 };
    enum sf_status status = make_network(core, &network, err);

    if (status != SF_OK) {
        return status;
    }
    why_anew[0] = '\0';
    status = sf_routing_repair(core->base, network, routingp, &refusal);
    if (status == SF_ELANES) {
        snprintf(why_anew, SF_ERROR_TEXT_SIZE, "%s", refusal.text);
        status = make_anew(core, network, routingp, err);
    } else if (status != SF_OK && err) {
        *err = refusal;
    }
    if (status == SF_OK) {
        status =
            sf_ip_encode((*routingp)->network, (*routingp)->routes,
                         &core->addresses, core->alternates, tablesp, err);
    }
    sf_network_free(network);
    return status;
}

enum sf_status
sf_core_settle(struct sf_core *core, struct sf_error *err)
{
    struct sf_routing *routing = NULL;
    struct sf_ip_tables *tables = NULL;
    char why_anew[SF_ERROR_TEXT_SIZE] = "";
    enum sf_status status = SF_OK;

    if (!core->is_stale) {
        return SF_OK;
    }
    if (sf_core_count_down(core) > 0) {
        status = repair(core, why_anew, &routing, &tables, err);
    }
    if (status != SF_OK) {
        sf_routing_free(routing);
        return status;
    }
    sf_routing_free(core->repaired);
    sf_ip_tables_free(core->repaired_tables);
    core->repaired = routing;
    core->repaired_tables = tables;
    memcpy(core->why_anew, why_anew, sizeof why_anew);
    core->is_stale = false;
    return SF_OK;
}

const struct sf_ip_tables *
sf_core_tables(const struct sf_core *core)
{
    return core->repaired_tables ? core->repaired_tables : core->base_tables;
}

const struct sf_routing *
sf_core_routing(const struct sf_core *core)
{
    return core->repaired ? core->repaired : core->base;
}

void
sf_core_forget(struct sf_core *core, uint32_t s)
{
    struct sf_held *held = &core->held[s];

    free(held->routes);
    *held = (struct sf_held){ 0 };
}

static enum sf_status
keep(struct sf_core *core, uint32_t s, const struct sf_ip_route *routes,
     size_t n, struct sf_error *err)
{
    struct sf_ip_route *copy = sf_calloc(n, sizeof *copy);

    sf_core_forget(core, s);
    if (!copy) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu routes", n);
    }
    if (n > 0) {
        memcpy(copy, routes, n * sizeof *copy);
    }
    core->held[s] = (struct sf_held){ true, n, copy };
    return SF_OK;
}

enum sf_status
sf_core_note_held(struct sf_core *core, uint32_t s,
                  const struct sf_ip_route *routes, size_t n,
                  struct sf_error *err)
{
    enum sf_status status = keep(core, s, routes, n, err);
    struct sf_held *held = &core->held[s];

    if (status == SF_OK && n > 0) {
        qsort(held->routes, n, sizeof *held->routes, sf_push_compare_routes);
    }
    return status;
}

enum sf_status
sf_core_note_written(struct sf_core *core, uint32_t s, struct sf_error *err)
{
    const struct sf_ip_tables *tables = sf_core_tables(core);

    return keep(core, s, tables->routes + tables->first[s],
                tables->first[s + 1] - tables->first[s], err);
}

/* What switches hold as tables; those of which nobody knows hold what they
 * are to. */
static enum sf_status
make_held_tables(const struct sf_core *core, struct sf_ip_tables *held,
                 struct sf_error *err)
{
    const struct sf_ip_tables *target = sf_core_tables(core);
    size_t n = 0;

    *held = (struct sf_ip_tables){ .addresses = core->addresses,
                                   .n_switches = target->n_switches };
    held->first = sf_calloc((size_t)held->n_switches + 1, sizeof *held->first);
    for (uint32_t s = 0; held->first && s < held->n_switches; s++) {
        n += core->held[s].is_known ? core->held[s].n
                                    : target->first[s + 1] - target->first[s];
        held->first[s + 1] = n;
    }
    held->routes = sf_calloc(n, sizeof *held->routes);
    if (!held->first || !held->routes) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu routes", n);
    }
    for (uint32_t s = 0; s < held->n_switches; s++) {
        const struct sf_ip_route *from =
            core->held[s].is_known ? core->held[s].routes
                                   : target->routes + target->first[s];
        size_t count = held->first[s + 1] - held->first[s];
        if (count > 0) {
            memcpy(held->routes + held->first[s], from, count * sizeof *from);
        }
    }
    return SF_OK;
}

enum sf_status
sf_core_plan(const struct sf_core *core, struct sf_push *push,
             struct sf_error *err)
{
    struct sf_ip_tables held;
    enum sf_status status = make_held_tables(core, &held, err);

    *push = (struct sf_push){ 0 };
    if (status == SF_OK) {
        status =
            sf_push_make(core->fabric, &held, sf_core_tables(core), push, err);
    }
    free(held.routes);
    free(held.first);
    return status;
}
