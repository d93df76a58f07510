/* from_tables.c -- the layers that forwarding tables amount to. */
#include "base/mem.h"
#include "slimfly/tables.h"

#include <string.h>

/* Where a host's addresses are. */
struct target {
    uint32_t d;      /* Its switch, */
    uint32_t number; /* which host of that it is, */
    uint32_t lid, n; /* and its first address of so many. */
    const char *name;
};

typedef SF_VEC(struct target) target_vec;

/* Gathers the hosts, those of a switch next to each other and in the order of
 * its ports. */
static enum sf_status
find_targets(const struct sf_fabric *fabric, target_vec *targets,
             struct sf_error *err)
{
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        uint32_t n_hosts = 0;
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = fabric->ports[node->first_port + i].peer;
            if (peer == SF_NONE ||
                fabric->ports[peer].node < fabric->n_switches) {
                continue;
            }
            const struct sf_port *port = &fabric->ports[peer];
            struct target target = { s, n_hosts++, port->lid,
                                     UINT32_C(1) << port->lmc,
                                     fabric->nodes[port->node].name };
            if (!sf_vec_push(targets, target)) {
                return sf_fail(err, SF_ENOMEM, "out of memory for layers");
            }
        }
    }
    return SF_OK;
}

static enum sf_status
check(const struct sf_fabric *fabric, const struct sf_tables *tables,
      const target_vec *targets, struct sf_error *err)
{
    if (tables->n_switches != fabric->n_switches) {
        return sf_fail(err, SF_EINVAL,
                       "the tables are not of this fabric: they have %u "
                       "switches, and it has %u",
                       tables->n_switches, fabric->n_switches);
    }
    if (targets->n == 0) {
        return sf_fail(err, SF_EINVAL,
                       "no host is plugged into a switch of this fabric");
    }
    for (size_t i = 0; i < targets->n; i++) {
        const struct target *target = &targets->items[i];
        if (!target->lid) {
            return sf_fail(err, SF_EINVAL,
                           "host '%s' has no LID, so that the tables cannot "
                           "say where its packets go",
                           target->name);
        }
        if (target->n > SF_MAX_LAYERS ||
            target->lid + target->n - 1 > tables->max_lid) {
            return sf_fail(err, SF_EINVAL,
                           "the tables are not of this fabric: host '%s' has "
                           "LIDs %u to %u, and the tables end at %u",
                           target->name, target->lid,
                           target->lid + target->n - 1, tables->max_lid);
        }
    }
    return SF_OK;
}

/* Whether the switches treat the addresses of two hosts of one switch
 * alike. */
static bool
is_alike(const struct sf_tables *tables, const struct target *a,
         const struct target *b)
{
    bool is_same = a->n == b->n;

    for (uint32_t s = 0; is_same && s < tables->n_switches; s++) {
        const uint8_t *ports = sf_tables_of(tables, s);
        is_same = s == a->d || !memcmp(ports + a->lid, ports + b->lid, a->n);
    }
    return is_same;
}

/* Whether all hosts go the way of the host 'n' before them on their switch. */
static bool
repeats_after(const struct sf_tables *tables, const target_vec *targets,
              uint32_t n)
{
    for (size_t i = 0; i < targets->n; i++) {
        const struct target *target = &targets->items[i];
        if (target->number >= n && !is_alike(tables, target - n, target)) {
            return false;
        }
    }
    return true;
}

/* How many variants of layers there are: among so many, the hosts of each
 * switch are dealt. */
static uint32_t
count_variants(const struct sf_tables *tables, const target_vec *targets)
{
    uint32_t n = 1;

    while (!repeats_after(tables, targets, n)) {
        n++;
    }
    return n;
}

static struct sf_layers *
make_layers(uint32_t n_layers, uint32_t n_switches)
{
    struct sf_layers *layers = sf_calloc(1, sizeof *layers);
    size_t n_hops = (size_t)n_layers * n_switches * n_switches;

    if (layers) {
        layers->n_layers = n_layers;
        layers->n_switches = n_switches;
        layers->max_hops = n_switches - 1;
        layers->hops = sf_calloc(n_hops, sizeof *layers->hops);
        if (!layers->hops) {
            free(layers);
            return NULL;
        }
        memset(layers->hops, 0xff, n_hops * sizeof *layers->hops);
    }
    return layers;
}

/* The number of each port's arc among those of its switch; SF_NO_HOP for
 * ports without one. */
static uint16_t *
number_arcs(const struct sf_fabric *fabric, const struct sf_graph *graph,
            const uint32_t *link_ports)
{
    uint16_t *hop_of = sf_calloc(fabric->n_ports, sizeof *hop_of);

    for (uint32_t i = 0; hop_of && i < fabric->n_ports; i++) {
        hop_of[i] = SF_NO_HOP;
    }
    for (uint32_t s = 0; hop_of && s < graph->n_nodes; s++) {
        for (uint32_t a = graph->first[s]; a < graph->first[s + 1]; a++) {
            uint32_t link = graph->arcs[a].link;
            uint32_t port = link_ports[2 * link + (graph->links[link].b == s)];
            hop_of[port] = (uint16_t)(a - graph->first[s]);
        }
    }
    return hop_of;
}

/* Writes down where the switches send what is for 'target'. */
static void
fill_trees(const struct sf_fabric *fabric, const struct sf_tables *tables,
           const uint16_t *hop_of, const struct target *target,
           struct sf_layers *layers)
{
    for (uint32_t l = 0; l < layers->n_layers; l++) {
        uint16_t *tree = sf_layers_tree(layers, l, target->d);
        for (uint32_t s = 0; s < fabric->n_switches; s++) {
            uint32_t number =
                sf_tables_of(tables, s)[target->lid + l % target->n];
            uint32_t port = sf_fabric_port(fabric, s, number);
            if (s != target->d && port != SF_NONE) {
                tree[s] = hop_of[port];
            }
        }
    }
}

void
sf_layers_free_variants(struct sf_layers **variants, uint32_t n_variants)
{
    for (uint32_t i = 0; variants && i < n_variants; i++) {
        sf_layers_free(variants[i]);
    }
    free(variants);
}

enum sf_status
sf_layers_from_tables(const struct sf_fabric *fabric,
                      const struct sf_graph *graph, const uint32_t *link_ports,
                      const struct sf_tables *tables,
                      struct sf_layers ***variantsp, uint32_t *n_variantsp,
                      struct sf_error *err)
{
    target_vec targets = { 0 };
    struct sf_layers **variants = NULL;
    uint16_t *hop_of = NULL;
    uint32_t n_variants = 0, n_layers = 1;

    *variantsp = NULL;
    *n_variantsp = 0;
    enum sf_status status = find_targets(fabric, &targets, err);
    if (status == SF_OK) {
        status = check(fabric, tables, &targets, err);
    }
    if (status != SF_OK) {
        goto done;
    }
    n_variants = count_variants(tables, &targets);
    for (size_t i = 0; i < targets.n; i++) {
        n_layers =
            targets.items[i].n > n_layers ? targets.items[i].n : n_layers;
    }
    hop_of = number_arcs(fabric, graph, link_ports);
    variants = sf_calloc(n_variants, sizeof *variants);
    bool is_ready = hop_of && variants;
    for (uint32_t i = 0; is_ready && i < n_variants; i++) {
        variants[i] = make_layers(n_layers, fabric->n_switches);
        is_ready = variants[i] != NULL;
    }
    if (!is_ready) {
        sf_layers_free_variants(variants, n_variants);
        status = sf_fail(err, SF_ENOMEM, "out of memory for layers");
        goto done;
    }
    for (size_t i = 0; i < targets.n; i++) {
        const struct target *target = &targets.items[i];
        if (target->number < n_variants) {
            fill_trees(fabric, tables, hop_of, target,
                       variants[target->number]);
        }
    }
    *variantsp = variants;
    *n_variantsp = n_variants;

done:
    free(hop_of);
    free(targets.items);
    return status;
}
