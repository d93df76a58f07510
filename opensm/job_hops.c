/* job_hops.c -- see job_hops.h. */
#define _POSIX_C_SOURCE 200809L
#include "job_hops.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/mem.h"
#include "whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for the hops of jobs");
}

void
sf_job_hops_clear(struct sf_job_hops *hops)
{
    free(hops->items);
    *hops = (struct sf_job_hops){ 0 };
}

/* Adds the columns of all layers towards switch 'd'. */
static uint64_t
hash_columns(uint64_t hash, const struct sf_layers *set, uint32_t d)
{
    size_t n = set->n_switches;

    for (uint32_t k = 0; k < set->n_layers; k++) {
        hash = sf_hash_bytes(hash, set->hops + (k * n + d) * n,
                             n * sizeof *set->hops);
    }
    return hash;
}

uint64_t
sf_job_hops_hash(const struct sf_routing *routing)
{
    const struct sf_network *network = routing->network;
    const struct sf_fabric *fabric = network->fabric;
    const struct sf_routes *routes = routing->routes;
    uint64_t hash = SF_HASH_START;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        hash = sf_hash_bytes(hash, &fabric->nodes[s].guid, sizeof(uint64_t));
    }
    for (uint32_t h = 0; h < sf_network_count_hosts(network); h++) {
        const struct sf_port *port = &fabric->ports[network->host_ports[h]];
        hash = sf_hash_bytes(hash, &fabric->nodes[port->node].guid,
                             sizeof(uint64_t));
    }
    for (uint32_t d = 0; d < fabric->n_switches; d++) {
        for (uint32_t h = network->first_host[d];
             h < network->first_host[d + 1]; h++) {
            hash = hash_columns(hash, routes->sets[routes->host_sets[h]], d);
        }
    }
    return hash;
}

/* What lists hops, or puts them back. */
struct lister {
    const struct sf_routing *routing; /* One of 'network'. */
    SF_VEC(struct sf_job_hop) found;
};

/* Lists where two columns differ. */
static bool
list_column(struct lister *lister, const uint16_t *before,
            const uint16_t *after, struct sf_job_hop hop)
{
    const struct sf_network *network = lister->routing->network;

    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        if (before[s] != after[s] && after[s] != SF_NO_HOP) {
            hop.at = network->fabric->nodes[s].guid;
            hop.port =
                sf_network_port(network, network->graph->first[s] + after[s]);
            if (!sf_vec_push(&lister->found, hop)) {
                return false;
            }
        }
    }
    return true;
}

enum sf_status
sf_job_hops_list(const struct sf_routing *plain,
                 const struct sf_routing *fitted, struct sf_job_hops *hops,
                 struct sf_error *err)
{
    const struct sf_routes *before = plain->routes, *after = fitted->routes;
    struct lister lister = { .routing = fitted };
    uint32_t n = fitted->network->graph->n_nodes;
    bool made = true;

    for (uint32_t i = 0; i < before->n_sets; i++) {
        for (uint32_t k = 0; k < sf_routes_n_layers(before) * n; k++) {
            struct sf_job_hop hop = {
                .set = i,
                .layer = k / n,
                .destination = fitted->network->fabric->nodes[k % n].guid
            };
            made = made &&
                   list_column(&lister, before->sets[i]->hops + (size_t)k * n,
                               after->sets[i]->hops + (size_t)k * n, hop);
        }
    }
    *hops = (struct sf_job_hops){ .plain = sf_job_hops_hash(plain),
                                  .n = lister.found.n,
                                  .items = lister.found.items };
    if (!made) {
        sf_job_hops_clear(hops);
    }
    return made ? SF_OK : fail_memory(err);
}

/* The VL on which what came over arc 'in' leaves over arc 'out'. */
static uint8_t
vl_of_turn(const struct sf_routing *routing, uint32_t in, uint32_t out)
{
    const struct sf_graph *graph = routing->network->graph;
    const struct sf_turns *turns = routing->routes->turns;
    uint32_t at = graph->arcs[in].to;
    size_t from = routing->network->reverse[in] - graph->first[at];

    return turns->vls[turns->first[at] + from * sf_graph_degree(graph, at) +
                      (out - graph->first[at])];
}

/* Whether the path of 's' ends at 'destination', and takes turns that are
 * allowed: ranks rise all along. */
static bool
is_path_sound(const struct sf_routing *routing, const uint16_t *hops,
              uint32_t s, uint32_t destination)
{
    const struct sf_graph *graph = routing->network->graph;
    const struct sf_turns *turns = routing->routes->turns;
    uint32_t at = s, in = SF_NONE, rank = 0, n_hops = 0;

    while (hops[at] != SF_NO_HOP) {
        uint32_t out = graph->first[at] + hops[at], before = rank;
        uint8_t vl = turns && in != SF_NONE ? vl_of_turn(routing, in, out) : 0;
        if (vl == SF_NO_TURN || n_hops++ == graph->n_nodes) {
            return false;
        }
        rank = turns ? turns->ranks[(size_t)out * turns->n_vls + vl] : 0;
        if (turns && in != SF_NONE && rank <= before) {
            return false;
        }
        in = out;
        at = graph->arcs[out].to;
    }
    return at == destination || hops[s] == SF_NO_HOP;
}

/* Whether all paths of the column towards 'destination' are sound. */
static bool
is_sound(const struct sf_routing *routing, const uint16_t *hops,
         uint32_t destination)
{
    for (uint32_t s = 0; s < routing->network->graph->n_nodes; s++) {
        if (!is_path_sound(routing, hops, s, destination)) {
            return false;
        }
    }
    return true;
}

/* What finds GUIDs and ports in a network. */
struct finder {
    struct sf_routing *routing;
    struct sf_ids guids;
    uint16_t *kept; /* [V] A column as it was. */
};

/* Which arc of switch 's' leaves by 'port'; SF_NO_HOP if none does. */
static uint16_t
find_hop(const struct finder *finder, uint32_t s, uint32_t port)
{
    const struct sf_network *network = finder->routing->network;
    const uint32_t *first = network->graph->first;

    for (uint32_t arc = first[s]; arc < first[s + 1]; arc++) {
        if (sf_network_port(network, arc) == port) {
            return (uint16_t)(arc - first[s]);
        }
    }
    return SF_NO_HOP;
}

static bool
is_same_column(const struct sf_job_hop *a, const struct sf_job_hop *b)
{
    return a->set == b->set && a->layer == b->layer &&
           a->destination == b->destination;
}

/* Puts the 'n' hops of one column into their places. */
static bool
put_hops(const struct finder *finder, const struct sf_job_hop *hops, size_t n,
         uint16_t *column)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t s = sf_ids_find(&finder->guids, hops[i].at);
        uint16_t hop =
            s == SF_NONE ? SF_NO_HOP : find_hop(finder, s, hops[i].port);
        /* The destination itself has none. */
        if (hop == SF_NO_HOP || column[s] == SF_NO_HOP) {
            return false;
        }
        column[s] = hop;
    }
    return true;
}

static void
apply_column(const struct finder *finder, const struct sf_job_hop *hops,
             size_t n)
{
    const struct sf_routes *routes = finder->routing->routes;
    uint32_t d = sf_ids_find(&finder->guids, hops->destination);

    if (d == SF_NONE || hops->set >= routes->n_sets ||
        hops->layer >= sf_routes_n_layers(routes)) {
        return;
    }
    const struct sf_layers *set = routes->sets[hops->set];
    uint16_t *column = sf_layers_tree(set, hops->layer, d);
    memcpy(finder->kept, column, set->n_switches * sizeof *column);
    if (!put_hops(finder, hops, n, column) ||
        !is_sound(finder->routing, column, d)) {
        memcpy(column, finder->kept, set->n_switches * sizeof *column);
    }
}

static bool
make_finder(struct sf_routing *routing, struct finder *finder)
{
    const struct sf_fabric *fabric = routing->network->fabric;

    *finder = (struct finder){ .routing = routing };
    finder->kept = sf_calloc(fabric->n_switches, sizeof *finder->kept);
    if (!finder->kept || !sf_ids_make(&finder->guids, fabric->n_switches)) {
        return false;
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        sf_ids_add(&finder->guids, fabric->nodes[s].guid, s);
    }
    sf_ids_sort(&finder->guids);
    return true;
}

enum sf_status
sf_job_hops_apply(const struct sf_job_hops *hops, struct sf_routing *routing,
                  struct sf_error *err)
{
    struct finder finder;

    if (!routing->routes->turns && hops->n > 0 &&
        hops->plain != sf_job_hops_hash(routing)) {
        return SF_OK;
    }
    bool made = make_finder(routing, &finder);
    for (size_t i = 0, n; made && i < hops->n; i += n) {
        for (n = 1; i + n < hops->n &&
                    is_same_column(&hops->items[i], &hops->items[i + n]);
             n++) {
        }
        apply_column(&finder, &hops->items[i], n);
    }
    sf_ids_clear(&finder.guids);
    free(finder.kept);
    return made ? SF_OK : fail_memory(err);
}

static void
write_hops(const void *aux, FILE *stream)
{
    const struct sf_job_hops *hops = aux;

    fprintf(stream,
            "# Next hops for jobs: path set, layer, destination, switch, "
            "port.\nroutes %016" PRIx64 " jobs %016" PRIx64 "\n",
            hops->plain, hops->jobs);
    for (size_t i = 0; i < hops->n; i++) {
        const struct sf_job_hop *hop = &hops->items[i];
        fprintf(stream, "%u %u %016" PRIx64 " %016" PRIx64 " %u\n", hop->set,
                hop->layer, hop->destination, hop->at, hop->port);
    }
}

enum sf_status
sf_job_hops_save(const struct sf_job_hops *hops, const char *path,
                 struct sf_error *err)
{
    return sf_whole_file_write(path, write_hops, hops, err);
}

/* What is read from a file. */
struct reader {
    const char *path;
    struct sf_job_hops *hops;
    bool has_head;
    SF_VEC(struct sf_job_hop) items;
    struct sf_error *err;
};

static enum sf_status
take_line(void *aux, uint32_t line, char *text)
{
    struct reader *reader = aux;
    struct sf_job_hop hop;
    char more;

    if (text[0] == '#' || !text[0]) {
        return SF_OK;
    }
    if (!reader->has_head &&
        sscanf(text, "routes %16" SCNx64 " jobs %16" SCNx64 "%c",
               &reader->hops->plain, &reader->hops->jobs, &more) == 2) {
        reader->has_head = true;
        return SF_OK;
    }
    if (!reader->has_head ||
        sscanf(text, "%6u %6u %16" SCNx64 " %16" SCNx64 " %6u%c", &hop.set,
               &hop.layer, &hop.destination, &hop.at, &hop.port, &more) != 5) {
        return sf_fail(
            reader->err, SF_EPARSE, "%s:%u: expected %s", reader->path, line,
            reader->has_head ? "path set, layer, destination, switch and port"
                             : "'routes HASH jobs HASH'");
    }
    return sf_vec_push(&reader->items, hop) ? SF_OK : fail_memory(reader->err);
}

/* Hands over what was read. */
static enum sf_status
finish(struct reader *reader, enum sf_status status)
{
    if (status == SF_OK && !reader->has_head) {
        status = sf_fail(reader->err, SF_EPARSE,
                         "%s: expected 'routes HASH jobs HASH'", reader->path);
    }
    reader->hops->n = reader->items.n;
    reader->hops->items = reader->items.items;
    if (status != SF_OK) {
        sf_job_hops_clear(reader->hops);
    }
    return status;
}

enum sf_status
sf_job_hops_parse(char *text, size_t length, const char *path,
                  struct sf_job_hops *hops, struct sf_error *err)
{
    struct reader reader = { .path = path, .hops = hops, .err = err };

    *hops = (struct sf_job_hops){ 0 };
    return finish(&reader,
                  sf_text_lines(text, length, path, take_line, &reader, err));
}

enum sf_status
sf_job_hops_load(const char *path, struct sf_job_hops *hops,
                 struct sf_error *err)
{
    struct reader reader = { .path = path, .hops = hops, .err = err };

    *hops = (struct sf_job_hops){ 0 };
    if (access(path, F_OK) != 0) {
        return SF_OK;
    }
    return finish(&reader, sf_file_lines(path, take_line, &reader, err));
}
