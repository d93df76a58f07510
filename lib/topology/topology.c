#include "slimfly/topology.h"

#include "slimfly/progress.h"
#include "topology/family.h"

#include <stdio.h>
#include <string.h>

static uint32_t
count_coords(const struct sf_family *family)
{
    uint32_t n = 0;
    while (n < SF_MAX_COORDS && family->coords[n]) {
        n++;
    }
    return n;
}

static void
note_no_memory(struct sf_sketch *sketch)
{
    if (sketch->status == SF_OK) {
        sketch->status =
            sf_fail(&sketch->error, SF_ENOMEM, "out of memory for %u switches",
                    sketch->n_switches);
    }
}

enum sf_status
sf_sketch_begin(struct sf_sketch *sketch, uint64_t n_switches,
                uint64_t n_links, struct sf_error *err)
{
    if (n_switches > SF_MAX_SWITCHES || n_links > SF_MAX_LINKS) {
        return sf_fail(err, SF_ELIMIT,
                       "%llu switches and %llu links are too many; the limits "
                       "are %u and %u",
                       (unsigned long long)n_switches,
                       (unsigned long long)n_links, SF_MAX_SWITCHES,
                       SF_MAX_LINKS);
    }
    sketch->n_switches = (uint32_t)n_switches;
    sketch->n_hosts = sf_calloc(n_switches, sizeof *sketch->n_hosts);
    sketch->places =
        sf_calloc(n_switches * sketch->n_coords, sizeof *sketch->places);
    if (!sketch->n_hosts || !sketch->places) {
        note_no_memory(sketch);
        return sf_fail(err, SF_ENOMEM, "%s", sketch->error.text);
    }
    return SF_OK;
}

void
sf_sketch_switch(struct sf_sketch *sketch, uint32_t s, const uint32_t *place,
                 uint32_t n_hosts)
{
    if (sketch->n_coords) {
        memcpy(sketch->places + (size_t)s * sketch->n_coords, place,
               sketch->n_coords * sizeof *place);
    }
    sketch->n_hosts[s] = n_hosts;
}

void
sf_sketch_link(struct sf_sketch *sketch, uint32_t a, uint32_t b,
               uint32_t n_parallel)
{
    struct sf_link link = { a, b };

    for (uint32_t i = 0; i < n_parallel; i++) {
        if (!sf_vec_push(&sketch->links, link)) {
            note_no_memory(sketch);
            return;
        }
    }
}

static void
clear_sketch(struct sf_sketch *sketch)
{
    for (uint32_t s = 0; sketch->names && s < sketch->n_switches; s++) {
        free(sketch->names[s]);
    }
    free(sketch->names);
    free(sketch->places);
    free(sketch->n_hosts);
    free(sketch->links.items);
}

/* Turns a finished sketch into a topology, which takes over its arrays. */
static enum sf_status
finish(struct sf_sketch *sketch, struct sf_spec *parsed,
       struct sf_topology **topop, struct sf_error *err)
{
    if (sketch->status != SF_OK) {
        return sf_fail(err, sketch->status, "%s", sketch->error.text);
    }
    struct sf_topology *topo = sf_calloc(1, sizeof *topo);
    if (!topo) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    enum sf_status status =
        sf_graph_build(sketch->n_switches, sketch->links.items,
                       (uint32_t)sketch->links.n, &topo->graph, err);
    if (status != SF_OK) {
        free(topo);
        return status;
    }

    topo->family = sf_families[parsed->index];
    topo->spec = parsed->canonical;
    parsed->canonical = NULL;
    topo->n_coords = sketch->n_coords;
    topo->n_hosts = sketch->n_hosts;
    topo->places = sketch->places;
    topo->names = sketch->names;
    sketch->n_hosts = NULL;
    sketch->places = NULL;
    sketch->names = NULL;
    for (uint32_t s = 0; s < sketch->n_switches; s++) {
        topo->n_endpoints += topo->n_hosts[s];
    }
    *topop = topo;
    return SF_OK;
}

enum sf_status
sf_topology_build(const char *spec, struct sf_topology **topop,
                  struct sf_error *err)
{
    struct sf_error local = { 0 };
    struct sf_sketch sketch = { 0 };
    struct sf_spec parsed;

    *topop = NULL;
    enum sf_status status =
        sf_spec_parse(&sf_family_specs, spec, &parsed, &local);
    if (status == SF_OK) {
        const struct sf_family *family = sf_families[parsed.index];
        char what[128];
        snprintf(what, sizeof what, "building %s", spec);
        sf_progress_report(what, 0, 0);
        sketch.n_coords = count_coords(family);
        status = family->ops->draw(parsed.values, &sketch, &local);
    }
    if (status == SF_OK) {
        status = finish(&sketch, &parsed, topop, &local);
    }
    clear_sketch(&sketch);
    sf_spec_clear(&parsed);

    if (status != SF_OK) {
        if (status == SF_EINVAL || status == SF_ELIMIT) {
            sf_error_add_context(&local, spec);
        }
        if (err) {
            *err = local;
        }
    }
    return status;
}

void
sf_topology_free(struct sf_topology *topo)
{
    if (topo) {
        for (uint32_t s = 0; topo->names && s < topo->graph->n_nodes; s++) {
            free(topo->names[s]);
        }
        free(topo->names);
        free(topo->places);
        free(topo->n_hosts);
        sf_graph_free(topo->graph);
        free(topo->spec);
        free(topo);
    }
}

uint32_t
sf_topology_group(const struct sf_topology *topo, uint32_t s)
{
    const struct sf_family *family = topo->family;
    const uint32_t *place = sf_topology_place(topo, s);

    if (family->group_coord == SF_NONE ||
        (family->level_coord != SF_NONE && place[family->level_coord] > 1)) {
        return SF_NONE;
    }
    return place[family->group_coord];
}

enum sf_reach
sf_topology_reach(const struct sf_topology *topo, uint32_t a, uint32_t b)
{
    uint32_t group = sf_topology_group(topo, a);

    if (group == SF_NONE || group != sf_topology_group(topo, b)) {
        return SF_REACH_BEYOND;
    }
    return memcmp(sf_topology_place(topo, a), sf_topology_place(topo, b),
                  (topo->n_coords - 1) * sizeof(uint32_t)) == 0
               ? SF_REACH_NEAR
               : SF_REACH_GROUP;
}

char *
sf_topology_switch_name(const struct sf_topology *topo, uint32_t s,
                        char name[SF_MAX_NAME])
{
    if (topo->names) {
        snprintf(name, SF_MAX_NAME, "%s", topo->names[s]);
        return name;
    }

    const uint32_t *place = sf_topology_place(topo, s);
    if (topo->family->ops->name) {
        topo->family->ops->name(place, name);
        return name;
    }
    int used = snprintf(name, SF_MAX_NAME, "%s", topo->family->name);
    for (uint32_t i = 0; i < topo->n_coords; i++) {
        used +=
            snprintf(name + used, SF_MAX_NAME - (size_t)used, "-%u", place[i]);
    }
    return name;
}

uint32_t
sf_topology_concentration(const struct sf_topology *topo)
{
    uint32_t most = 0;

    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        most = topo->n_hosts[s] > most ? topo->n_hosts[s] : most;
    }
    return most;
}

uint32_t
sf_topology_ports(const struct sf_topology *topo)
{
    uint32_t most = 0;

    for (uint32_t s = 0; s < topo->graph->n_nodes; s++) {
        uint32_t n = sf_graph_degree(topo->graph, s) + topo->n_hosts[s];
        most = n > most ? n : most;
    }
    return most;
}
