/* changed_entries.c -- entries of forwarding tables that a repair changes.  A
 * column serves many addresses, so each two columns are compared once. */
#include "base/mem.h"
#include "failures/study.h"

#include <string.h>

struct counter {
    const struct sf_failure_left *left;
    const struct sf_routing *before, *after;
    uint64_t *n_changed; /* [sets before * layers * sets after * layers] Of
                          * two columns towards the switch at hand;
                          * UINT64_MAX: not counted yet. */
};

/* The number of the port by which 's' sends on in a column; 0: none. */
static uint32_t
port_of(const struct sf_network *network, const uint16_t *column, uint32_t s)
{
    return column[s] == SF_NO_HOP
               ? 0
               : sf_network_port(network,
                                 network->graph->first[s] + column[s]);
}

/* Counts the switches whose entries differ in two columns towards 'd'. */
static uint64_t
compare(const struct counter *counter, const uint16_t *before,
        const uint16_t *after, uint32_t d)
{
    const struct sf_network *now = counter->after->network;
    uint64_t n_changed = 0;

    for (uint32_t s = 0; s < now->graph->n_nodes; s++) {
        n_changed += s != d && port_of(counter->before->network, before,
                                       counter->left->switches[s]) !=
                                   port_of(now, after, s);
    }
    return n_changed;
}

/* Counts an address that leads over layers of sets before and after. */
static void
count_address(struct counter *counter, uint32_t address, uint32_t set_before,
              uint32_t set_after, uint32_t d,
              struct sf_failure_entries *entries)
{
    const struct sf_routes *before = counter->before->routes;
    const struct sf_routes *after = counter->after->routes;
    uint32_t layer_before = address % sf_routes_n_layers(before);
    uint32_t layer_after = address % sf_routes_n_layers(after);
    size_t cell =
        (size_t)set_before * sf_routes_n_layers(before) + layer_before;

    cell = (cell * after->n_sets + set_after) * sf_routes_n_layers(after) +
           layer_after;
    if (counter->n_changed[cell] == UINT64_MAX) {
        counter->n_changed[cell] =
            compare(counter,
                    sf_layers_tree(before->sets[set_before], layer_before,
                                   counter->left->switches[d]),
                    sf_layers_tree(after->sets[set_after], layer_after, d), d);
    }
    entries->n += counter->after->network->graph->n_nodes;
    entries->n_changed += counter->n_changed[cell];
}

enum sf_status
sf_failure_entries_count(const struct sf_failure_left *left,
                         const struct sf_routing *before,
                         const struct sf_routing *after,
                         struct sf_failure_entries *entries,
                         struct sf_error *err)
{
    const struct sf_network *now = after->network;
    const struct sf_routes *routes = before->routes;
    size_t n_cells = (size_t)routes->n_sets * sf_routes_n_layers(routes) *
                     after->routes->n_sets * sf_routes_n_layers(after->routes);
    struct counter counter = { left, before, after,
                               sf_calloc(n_cells, sizeof(uint64_t)) };

    *entries = (struct sf_failure_entries){ 0 };
    if (!counter.n_changed) {
        return sf_fail(err, SF_ENOMEM, "out of memory to compare routes");
    }
    for (uint32_t d = 0; d < now->graph->n_nodes; d++) {
        memset(counter.n_changed, 0xff, n_cells * sizeof(uint64_t));
        for (uint32_t k = 0; k < routes->n_switch_addresses; k++) {
            count_address(&counter, k, 0, 0, d, entries);
        }
        for (uint32_t host = now->first_host[d]; host < now->first_host[d + 1];
             host++) {
            for (uint32_t k = 0; k < routes->n_addresses; k++) {
                count_address(&counter, k,
                              routes->host_sets[left->hosts[host]],
                              after->routes->host_sets[host], d, entries);
            }
        }
    }
    free(counter.n_changed);
    return SF_OK;
}
