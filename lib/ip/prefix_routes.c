/* prefix_routes.c -- routes as those of IP switches. */
#include "ip/switch_routes.h"
#include "slimfly/progress.h"

#include <string.h>

/* The tables under construction. */
struct encoder {
    const struct sf_network *network;
    const struct sf_routes *routes;
    struct sf_ip_tables *tables;
    struct sf_ip_chooser chooser;
    struct sf_ip_grove grove;
    uint32_t *tree_of_set;             /* [n_sets] SF_NONE: not of this one. */
    const struct sf_ip_tree **sharing; /* [n_sets] */
    struct sf_ip_choice *choices;      /* [n_sets] By tree, for hosts. */
    SF_VEC(struct sf_ip_route) * lists; /* [V] */
    bool failed;                        /* Memory ran out. */
};

static void
push(struct encoder *encoder, uint32_t s, struct sf_ip_route route)
{
    if (!sf_vec_push(&encoder->lists[s], route)) {
        encoder->failed = true;
    }
}

/* Completes 'route' of switch 's' by its arc 'hop' and adds it. */
static void
push_hop(struct encoder *encoder, uint32_t s, struct sf_ip_route route,
         uint32_t hop, enum sf_ip_kind kind)
{
    uint32_t arc = encoder->network->graph->first[s] + hop;

    route.kind = (uint8_t)kind;
    route.neighbour = encoder->network->graph->arcs[arc].to;
    route.out = (uint8_t)sf_network_port(encoder->network, arc);
    push(encoder, s, route);
}

/* Adds the route over 'hop' and its alternate. */
static void
push_both(struct encoder *encoder, uint32_t s, struct sf_ip_route route,
          uint32_t hop, struct sf_ip_choice choice)
{
    push_hop(encoder, s, route, hop, SF_IP_ROUTE);
    if (choice.hop != SF_NO_HOP) {
        push_hop(encoder, s, route, choice.hop, choice.kind);
        encoder->chooser
            .loads[encoder->network->graph->first[s] + choice.hop]++;
    } else {
        encoder->tables->n_without_alternate++;
    }
}

/* The routes of the destination itself: its hosts, and nothing else. */
static void
encode_local(struct encoder *encoder, struct sf_ip_route route)
{
    const struct sf_network *network = encoder->network;
    uint32_t d = route.destination;

    route.neighbour = SF_NONE;
    route.kind = SF_IP_UNREACHABLE;
    push(encoder, d, route);
    route.kind = SF_IP_LOCAL;
    for (uint32_t host = network->first_host[d];
         host < network->first_host[d + 1]; host++) {
        route.port = route.out = (uint8_t)sf_ip_host_place(network, host).port;
        push(encoder, d, route);
    }
}

/* Whether a host on 'tree' needs a route of its own at 's', given what the
 * prefix of its switch has there; 'own' is the alternate it would have. */
static bool
needs_own(const struct encoder *encoder, const struct sf_ip_tree *tree,
          uint32_t s, struct sf_ip_choice prefix, struct sf_ip_choice own)
{
    if (tree->hops[s] != encoder->grove.trees[0].hops[s]) {
        return true;
    }
    return prefix.hop == SF_NO_HOP
               ? own.hop != SF_NO_HOP
               : sf_ip_judge(&encoder->chooser, tree, s, prefix.hop) ==
                     SF_IP_UNREACHABLE;
}

/* The routes of switch 's' to hosts that the prefix of their switch does not
 * serve. */
static void
encode_hosts(struct encoder *encoder, uint32_t s, struct sf_ip_route route,
             struct sf_ip_choice prefix)
{
    const struct sf_network *network = encoder->network;
    uint32_t d = route.destination;

    for (uint32_t i = 1; i < encoder->grove.n_trees; i++) {
        const struct sf_ip_tree *tree = &encoder->grove.trees[i];
        encoder->choices[i] = (struct sf_ip_choice){ .hop = SF_NO_HOP };
        if (tree->hops[s] != SF_NO_HOP) {
            encoder->choices[i] = sf_ip_choose(&encoder->chooser, &tree, 1, s);
        }
    }
    for (uint32_t host = network->first_host[d];
         host < network->first_host[d + 1]; host++) {
        uint32_t i = encoder->tree_of_set[encoder->routes->host_sets[host]];
        const struct sf_ip_tree *tree = &encoder->grove.trees[i];
        struct sf_ip_choice own = encoder->choices[i];
        if (i == 0 || tree->hops[s] == SF_NO_HOP ||
            !needs_own(encoder, tree, s, prefix, own)) {
            continue;
        }
        route.port = (uint8_t)sf_ip_host_place(network, host).port;
        push_both(encoder, s, route, tree->hops[s], own);
        if (own.hop == SF_NO_HOP || own.kind != SF_IP_ALTERNATE_SWITCH) {
            struct sf_ip_route stop = route;
            stop.kind = SF_IP_UNREACHABLE;
            stop.neighbour = SF_NONE;
            push(encoder, s, stop);
        }
    }
}

/* The routes of switch 's' to another one. */
static void
encode_far(struct encoder *encoder, uint32_t s, struct sf_ip_route route)
{
    const struct sf_ip_tree *trees = encoder->grove.trees;
    struct sf_ip_choice choice = { .hop = SF_NO_HOP };
    uint32_t n_sharing = 0;

    for (uint32_t i = 0; i < encoder->grove.n_trees; i++) {
        if (trees[i].hops[s] == trees[0].hops[s]) {
            encoder->sharing[n_sharing++] = &trees[i];
        }
    }
    if (trees[0].hops[s] != SF_NO_HOP) {
        choice =
            sf_ip_choose(&encoder->chooser, encoder->sharing, n_sharing, s);
        push_both(encoder, s, route, trees[0].hops[s], choice);
    }
    encode_hosts(encoder, s, route, choice);
}

/* Makes the trees of all path sets that lead to 'd'; the first is that of path
 * set 0, to which the switch itself belongs. */
static void
grow_trees(struct encoder *encoder, uint32_t layer, uint32_t d)
{
    const struct sf_network *network = encoder->network;
    const struct sf_routes *routes = encoder->routes;
    uint32_t column = layer % sf_routes_n_layers(routes);

    encoder->grove.n_trees = 0;
    for (uint32_t i = 0; i < routes->n_sets; i++) {
        encoder->tree_of_set[i] = SF_NONE;
    }
    for (uint32_t i = network->first_host[d]; i <= network->first_host[d + 1];
         i++) {
        uint32_t set =
            i == network->first_host[d] ? 0 : routes->host_sets[i - 1];
        if (encoder->tree_of_set[set] == SF_NONE) {
            encoder->tree_of_set[set] = sf_ip_grove_add(
                &encoder->grove, sf_layers_tree(routes->sets[set], column, d),
                d);
            sf_ip_chooser_learn(&encoder->chooser, &encoder->grove,
                                encoder->tree_of_set[set]);
        }
    }
}

static void
encode_all(struct encoder *encoder)
{
    const struct sf_ip_tables *tables = encoder->tables;
    uint32_t n = tables->n_switches, n_layers = tables->addresses.n_layers;

    for (uint32_t i = 0; i < n * n_layers && !encoder->failed; i++) {
        struct sf_ip_route route = {
            .layer = (uint16_t)(i / n),
            .destination = i % n,
        };
        sf_progress_report("making routes of switches", i, n * n_layers);
        grow_trees(encoder, route.layer, route.destination);
        for (uint32_t s = 0; s < n; s++) {
            if (s == route.destination) {
                encode_local(encoder, route);
            } else {
                encode_far(encoder, s, route);
            }
        }
    }
}

/* Puts the lists of all switches behind each other. */
static void
join_lists(struct encoder *encoder)
{
    struct sf_ip_tables *tables = encoder->tables;
    size_t n = 0;

    for (uint32_t s = 0; s < tables->n_switches; s++) {
        tables->first[s] = n;
        n += encoder->lists[s].n;
    }
    tables->first[tables->n_switches] = n;
    tables->routes = sf_calloc(n, sizeof *tables->routes);
    encoder->failed |= !tables->routes;
    for (uint32_t s = 0; tables->routes && s < tables->n_switches; s++) {
        if (encoder->lists[s].n > 0) {
            memcpy(tables->routes + tables->first[s], encoder->lists[s].items,
                   encoder->lists[s].n * sizeof *tables->routes);
        }
        free(encoder->lists[s].items);
        encoder->lists[s].items = NULL;
    }
}

static bool
begin(struct encoder *encoder, const struct sf_ip_addresses *addresses)
{
    const struct sf_graph *graph = encoder->network->graph;
    uint32_t n_sets = encoder->routes->n_sets;
    struct sf_ip_tables *tables = sf_calloc(1, sizeof *tables);

    encoder->tables = tables;
    encoder->tree_of_set = sf_calloc(n_sets, sizeof *encoder->tree_of_set);
    encoder->sharing = sf_calloc(n_sets, sizeof *encoder->sharing);
    encoder->choices = sf_calloc(n_sets, sizeof *encoder->choices);
    encoder->lists = sf_calloc(graph->n_nodes, sizeof *encoder->lists);
    if (tables) {
        tables->addresses = *addresses;
        tables->n_switches = graph->n_nodes;
        tables->first =
            sf_calloc((size_t)graph->n_nodes + 1, sizeof *tables->first);
    }
    return tables && tables->first && encoder->tree_of_set &&
           encoder->sharing && encoder->choices && encoder->lists &&
           sf_ip_grove_make(&encoder->grove, graph, n_sets);
}

static void
release(struct encoder *encoder)
{
    for (uint32_t s = 0;
         encoder->lists && s < encoder->network->graph->n_nodes; s++) {
        free(encoder->lists[s].items);
    }
    free(encoder->lists);
    free(encoder->choices);
    free(encoder->sharing);
    free(encoder->tree_of_set);
    sf_ip_chooser_clear(&encoder->chooser);
    sf_ip_grove_clear(&encoder->grove);
    sf_ip_tables_free(encoder->tables);
}

/* Whether the plan is one for these routes. */
static enum sf_status
check(const struct sf_network *network, const struct sf_routes *routes,
      const struct sf_ip_addresses *addresses, struct sf_error *err)
{
    if (!network->fabric) {
        return sf_fail(err, SF_EINVAL,
                       "a network without ports cannot have "
                       "routes of IP");
    }
    if (addresses->n_switches != network->graph->n_nodes ||
        addresses->n_layers != routes->n_addresses) {
        return sf_fail(err, SF_EINVAL,
                       "the address plan is for %u switches and %u layers, "
                       "the network has %u switches and the routing %u "
                       "addresses a host",
                       addresses->n_switches, addresses->n_layers,
                       network->graph->n_nodes, routes->n_addresses);
    }
    return SF_OK;
}

enum sf_status
sf_ip_encode(const struct sf_network *network, const struct sf_routes *routes,
             const struct sf_ip_addresses *addresses,
             enum sf_ip_alternates alternates, struct sf_ip_tables **tablesp,
             struct sf_error *err)
{
    struct encoder encoder = {
        .network = network,
        .routes = routes,
        .chooser = { .network = network,
                     .routes = routes,
                     .wanted = alternates },
    };

    *tablesp = NULL;
    enum sf_status status = check(network, routes, addresses, err);
    if (status == SF_OK) {
        status = sf_ip_chooser_make(&encoder.chooser, routes->n_sets, err);
    }
    if (status == SF_OK) {
        encoder.failed = !begin(&encoder, addresses);
    }
    if (status == SF_OK && !encoder.failed) {
        encode_all(&encoder);
    }
    if (status == SF_OK && !encoder.failed) {
        join_lists(&encoder);
    }
    if (encoder.failed) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for routes of IP");
    } else if (status == SF_OK && routes->lanes) {
        status = sf_ip_encode_lanes(network, routes, encoder.tables, err);
    }
    if (status == SF_OK) {
        *tablesp = encoder.tables;
        encoder.tables = NULL;
    }
    release(&encoder);
    return status;
}
