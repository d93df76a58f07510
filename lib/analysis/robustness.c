/* robustness.c -- what one dead link does to the addresses of hosts, pair by
 * pair.  Hosts of a switch that have the same path set have the same paths, so
 * pairs of such groups are looked at.
 *
 * For a pair, each link has a set of layers: those whose paths, there or back,
 * lead over it.  One dead link hits all if that set is full.  Two layers share
 * no link if no set has both.
 *
 * A bridge is a link whose loss disconnects its ends; pairs of hosts that one
 * separates cannot do without it [Tarjan74]. */
#include "slimfly/robustness.h"

#include "base/mem.h"
#include "slimfly/progress.h"

#include <string.h>

/* A set of layers. */
struct layer_set {
    uint64_t bits[(SF_MAX_LAYERS + 63) / 64];
};

struct meter {
    const struct sf_network *network;
    const struct sf_routes *routes;
    uint32_t n_layers;      /* That addresses lead over. */
    uint32_t *block;        /* [V] The part that no bridge is in. */
    uint32_t *group_hosts;  /* [V * sets] Hosts of a switch in a set, */
    uint32_t *group_first;  /* [V * sets] and the first of them. */
    struct layer_set *over; /* [E] Layers that lead over a link, */
    uint32_t *links;        /* [E] where there are any: */
    uint32_t n_links;       /* these. */
    struct sf_robustness *result;
};

static bool
is_full(const struct layer_set *set, uint32_t n)
{
    for (uint32_t l = 0; l < n; l++) {
        if (!(set->bits[l / 64] >> l % 64 & 1)) {
            return false;
        }
    }
    return true;
}

/* Depth-first search for bridges: a link down the tree is one if nothing
 * below it leads back above it.  'low' is how far back, 'stack' and 'next' are
 * the search. */
struct bridges {
    const struct sf_graph *graph;
    uint32_t *number, *low, *stack, *next, *via; /* [V] */
    uint32_t n_seen;
};

static void
enter(struct bridges *search, uint32_t v, uint32_t via)
{
    search->number[v] = search->low[v] = search->n_seen++;
    search->next[v] = search->graph->first[v];
    search->via[v] = via;
}

/* Searches from 'root'. */
static void
search_from(struct bridges *search, uint32_t root)
{
    const struct sf_graph *graph = search->graph;
    uint32_t depth = 1;

    enter(search, root, SF_NONE);
    search->stack[0] = root;
    while (depth > 0) {
        uint32_t v = search->stack[depth - 1];
        if (search->next[v] < graph->first[v + 1]) {
            const struct sf_arc *arc = &graph->arcs[search->next[v]++];
            if (search->number[arc->to] == SF_NONE) {
                enter(search, arc->to, arc->link);
                search->stack[depth++] = arc->to;
            } else if (arc->link != search->via[v] &&
                       search->number[arc->to] < search->low[v]) {
                search->low[v] = search->number[arc->to];
            }
        } else if (--depth > 0) {
            uint32_t up = search->stack[depth - 1];
            if (search->low[v] < search->low[up]) {
                search->low[up] = search->low[v];
            }
        }
    }
}

/* Gives each switch the number of the first switch of its block: that of its
 * parent unless the link up is a bridge.  Parents have smaller numbers. */
static void
name_blocks(const struct bridges *search, const uint32_t *by_number,
            uint32_t *block)
{
    for (uint32_t i = 0; i < search->graph->n_nodes; i++) {
        uint32_t v = by_number[i];
        block[v] = v;
        if (search->via[v] != SF_NONE && search->low[v] < search->number[v]) {
            const struct sf_link *link = &search->graph->links[search->via[v]];
            block[v] = block[link->a == v ? link->b : link->a];
        }
    }
}

static enum sf_status
find_blocks(const struct sf_graph *graph, uint32_t *block,
            struct sf_error *err)
{
    size_t n = graph->n_nodes;
    uint32_t *space = sf_calloc(6 * n, sizeof *space);

    if (!space) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);
    }
    struct bridges search = {
        graph, space, space + n, space + 2 * n, space + 3 * n, space + 4 * n, 0
    };
    uint32_t *by_number = space + 5 * n;
    memset(search.number, 0xff, n * sizeof *search.number); /* SF_NONE */
    for (uint32_t v = 0; v < n; v++) {
        if (search.number[v] == SF_NONE) {
            search_from(&search, v);
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        by_number[search.number[v]] = v;
    }
    name_blocks(&search, by_number, block);
    free(space);
    return SF_OK;
}

static void
note_link(struct meter *meter, uint32_t link, uint32_t layer)
{
    struct layer_set *set = &meter->over[link];
    bool is_new = true;

    for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++) {
        is_new &= set->bits[i] == 0;
    }
    if (is_new) {
        meter->links[meter->n_links++] = link;
    }
    set->bits[layer / 64] |= UINT64_C(1) << layer % 64;
}

/* Whether 'column' leads from 's' to 'd'. */
static bool
leads(const struct sf_graph *graph, const uint16_t *column, uint32_t s,
      uint32_t d)
{
    for (uint32_t n = 0; s != d && n <= graph->n_nodes; n++) {
        if (column[s] == SF_NO_HOP) {
            return false;
        }
        s = graph->arcs[graph->first[s] + column[s]].to;
    }
    return s == d;
}

static void
note_path(struct meter *meter, const uint16_t *column, uint32_t s, uint32_t d,
          uint32_t layer)
{
    const struct sf_graph *graph = meter->network->graph;

    while (s != d) {
        const struct sf_arc *arc = &graph->arcs[graph->first[s] + column[s]];
        note_link(meter, arc->link, layer);
        s = arc->to;
    }
}

/* Notes the ways of all layers that join the two, numbered from 0; returns
 * how many these are. */
static uint32_t
note_ways(struct meter *meter, uint32_t s, uint32_t s_set, uint32_t d,
          uint32_t d_set)
{
    const struct sf_routes *routes = meter->routes;
    uint32_t n = 0;

    for (uint32_t l = 0; l < meter->n_layers; l++) {
        const uint16_t *there = sf_layers_tree(routes->sets[d_set], l, d);
        const uint16_t *back = sf_layers_tree(routes->sets[s_set], l, s);
        if (leads(meter->network->graph, there, s, d) &&
            leads(meter->network->graph, back, d, s)) {
            note_path(meter, there, s, d, n);
            note_path(meter, back, d, s, n);
            n++;
        }
    }
    return n;
}

/* Whether two of 'n' layers share no link. */
static bool
are_two_apart(const struct meter *meter, uint32_t n)
{
    struct layer_set met[SF_MAX_LAYERS] = { 0 };

    for (uint32_t i = 0; i < meter->n_links; i++) {
        const struct layer_set *set = &meter->over[meter->links[i]];
        for (uint32_t l = 0; l < n; l++) {
            if (set->bits[l / 64] >> l % 64 & 1) {
                met[l].bits[0] |= set->bits[0];
                met[l].bits[1] |= set->bits[1];
            }
        }
    }
    for (uint32_t l = 0; l < n; l++) {
        if (!is_full(&met[l], n)) {
            return true;
        }
    }
    return false;
}

/* A link that all of 'n' layers lead over; SF_NONE if there is none. */
static uint32_t
find_common(const struct meter *meter, uint32_t n)
{
    for (uint32_t i = 0; i < meter->n_links; i++) {
        if (is_full(&meter->over[meter->links[i]], n)) {
            return meter->links[i];
        }
    }
    return SF_NONE;
}

/* Whether a link joins the two switches. */
static bool
are_neighbours(const struct sf_graph *graph, uint32_t s, uint32_t d)
{
    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        if (graph->arcs[i].to == d) {
            return true;
        }
    }
    return false;
}

/* Counts 'n_pairs' pairs of hosts that 'link' cuts off. */
static void
count_hit(struct meter *meter, uint32_t s_group, uint32_t d_group,
          uint32_t link, uint64_t n_pairs)
{
    struct sf_robustness *result = meter->result;
    uint32_t s = s_group / meter->routes->n_sets;
    uint32_t d = d_group / meter->routes->n_sets;
    bool is_bridged = meter->block[s] != meter->block[d];

    if (result->n_hit == 0 ||
        (!is_bridged && result->n_hit == result->n_bridged)) {
        result->hosts[0] = meter->group_first[s_group];
        result->hosts[1] = meter->group_first[d_group];
        result->link = link;
    }
    result->n_hit += n_pairs;
    result->n_bridged += is_bridged ? n_pairs : 0;
    result->n_neighbours_hit +=
        !is_bridged && are_neighbours(meter->network->graph, s, d) ? n_pairs
                                                                   : 0;
}

static void
measure_pair(struct meter *meter, uint32_t s_group, uint32_t d_group)
{
    struct sf_robustness *result = meter->result;
    uint32_t n_sets = meter->routes->n_sets;
    uint64_t n_pairs =
        (uint64_t)meter->group_hosts[s_group] * meter->group_hosts[d_group];
    uint32_t n = note_ways(meter, s_group / n_sets, s_group % n_sets,
                           d_group / n_sets, d_group % n_sets);

    if (n > 0) {
        uint32_t common = find_common(meter, n);
        result->n_pairs += n_pairs;
        if (common != SF_NONE) {
            count_hit(meter, s_group, d_group, common, n_pairs);
        } else if (are_two_apart(meter, n)) {
            result->n_apart += n_pairs;
        } else {
            result->n_covered += n_pairs;
        }
    }
    while (meter->n_links > 0) {
        meter->over[meter->links[--meter->n_links]] = (struct layer_set){ 0 };
    }
}

static void
group_hosts(struct meter *meter)
{
    const struct sf_network *network = meter->network;

    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        for (uint32_t host = network->first_host[s];
             host < network->first_host[s + 1]; host++) {
            uint32_t group =
                s * meter->routes->n_sets + meter->routes->host_sets[host];
            if (meter->group_hosts[group]++ == 0) {
                meter->group_first[group] = host;
            }
        }
    }
}

static void
measure_all(struct meter *meter)
{
    uint32_t n_sets = meter->routes->n_sets;
    uint32_t n_groups = meter->network->graph->n_nodes * n_sets;

    group_hosts(meter);
    for (uint32_t i = 0; i < n_groups; i++) {
        sf_progress_report("failing links", i, n_groups);
        for (uint32_t k = i + 1; meter->group_hosts[i] > 0 && k < n_groups;
             k++) {
            if (meter->group_hosts[k] > 0 && i / n_sets != k / n_sets) {
                measure_pair(meter, i, k);
            }
        }
    }
}

enum sf_status
sf_robustness_measure(const struct sf_network *network,
                      const struct sf_routes *routes,
                      struct sf_robustness *robustness, struct sf_error *err)
{
    size_t n = network->graph->n_nodes, n_links = network->graph->n_links;
    size_t n_groups = n * routes->n_sets;
    uint32_t n_layers = sf_routes_n_layers(routes);
    struct meter meter = {
        .network = network,
        .routes = routes,
        .n_layers =
            routes->n_addresses < n_layers ? routes->n_addresses : n_layers,
        .block = sf_calloc(n, sizeof *meter.block),
        .group_hosts = sf_calloc(n_groups, sizeof *meter.group_hosts),
        .group_first = sf_calloc(n_groups, sizeof *meter.group_first),
        .over = sf_calloc(n_links, sizeof *meter.over),
        .links = sf_calloc(n_links, sizeof *meter.links),
        .result = robustness
    };
    enum sf_status status =
        meter.block && meter.group_hosts && meter.group_first && meter.over &&
                meter.links
            ? find_blocks(network->graph, meter.block, err)
            : sf_fail(err, SF_ENOMEM, "out of memory for %zu links", n_links);

    *robustness = (struct sf_robustness){ .hosts = { SF_NONE, SF_NONE },
                                          .link = SF_NONE };
    if (status == SF_OK) {
        measure_all(&meter);
    }
    free(meter.links);
    free(meter.over);
    free(meter.group_first);
    free(meter.group_hosts);
    free(meter.block);
    return status;
}
