/* planned.c -- see planned.h. */
#define _GNU_SOURCE
#include "planned.h"

#include "base/mem.h"
#include "slimfly/ib_addresses.h"

#include <stdlib.h>
#include <string.h>

/* A planned switch, for sorting. */
struct place {
    uint64_t guid;
    uint32_t planned; /* In the plan, */
    uint32_t found;   /* in what was found, or SF_NONE, */
    uint32_t number;  /* and in the builder. */
};

struct job {
    const struct sf_fabric *plan, *found;
    const struct sf_guid_map *map;
    uint32_t *planned_of; /* [switches found] Each one's switch of the plan. */
    struct place *places; /* [planned switches] By switch of the plan, */
    struct place **by_guid; /* and by GUID. */
    struct sf_fabric_builder *builder;
};

static bool
make_job(struct job *job)
{
    uint32_t n = job->plan->n_switches;

    job->planned_of =
        sf_calloc(job->found->n_switches, sizeof *job->planned_of);
    job->places = sf_calloc(n, sizeof *job->places);
    job->by_guid = sf_calloc(n, sizeof *job->by_guid);
    if (!job->planned_of || !job->places || !job->by_guid) {
        return false;
    }
    for (uint32_t s = 0; s < n; s++) {
        job->places[s] = (struct place){ .planned = s, .found = SF_NONE };
        job->by_guid[s] = &job->places[s];
    }
    return true;
}

static void
clear_job(struct job *job)
{
    sf_fabric_builder_free(job->builder);
    free(job->planned_of);
    free(job->places);
    free(job->by_guid);
}

/* Finds the switch of the plan that each one found is, by name: the subnet has
 * given it that of the map or of the plan.  False if one is not planned. */
static bool
identify(struct job *job)
{
    for (uint32_t s = 0; s < job->found->n_switches; s++) {
        const struct sf_node *node = &job->found->nodes[s];
        uint32_t planned = sf_fabric_find(job->plan, node->name);
        if (planned >= job->plan->n_switches ||
            job->places[planned].found != SF_NONE) {
            return false;
        }
        job->planned_of[s] = planned;
        job->places[planned].found = s;
        job->places[planned].guid = node->guid;
    }
    return true;
}

static uint64_t
guid_in_map(const struct sf_guid_map *map, const char *name)
{
    for (uint32_t i = 0; i < map->n_entries; i++) {
        if (!strcmp(map->entries[i].name, name)) {
            return map->entries[i].guid;
        }
    }
    return 0;
}

/* Whether the GUIDs of the plan are real ones. */
static bool
has_real_guids(const struct job *job)
{
    for (uint32_t s = 0; s < job->found->n_switches; s++) {
        if (job->found->nodes[s].guid !=
            job->plan->nodes[job->planned_of[s]].guid) {
            return false;
        }
    }
    return true;
}

static int
compare_places(const void *a, const void *b)
{
    uint64_t x = (*(struct place *const *)a)->guid;
    uint64_t y = (*(struct place *const *)b)->guid;
    return (x > y) - (x < y);
}

/* Finds the GUIDs of switches that are missing, and sorts all by GUID.  False
 * if one is not known, or is somebody else's. */
static bool
sort_switches(struct job *job)
{
    bool is_real = has_real_guids(job);
    uint32_t n = job->plan->n_switches;

    for (uint32_t s = 0; s < n; s++) {
        struct place *place = &job->places[s];
        const struct sf_node *node = &job->plan->nodes[s];
        if (place->found == SF_NONE && job->map) {
            place->guid = guid_in_map(job->map, node->name);
        }
        if (!place->guid && is_real) {
            place->guid = node->guid;
        }
        if (!place->guid) {
            return false;
        }
    }
    qsort(job->by_guid, n, sizeof(struct place *), compare_places);
    for (uint32_t i = 1; i < n; i++) {
        if (job->by_guid[i]->guid == job->by_guid[i - 1]->guid) {
            return false;
        }
    }
    return true;
}

static bool
is_link(const struct sf_fabric *fabric, uint32_t port)
{
    uint32_t peer = fabric->ports[port].peer;
    return peer != SF_NONE && fabric->ports[port].node < fabric->n_switches &&
           fabric->ports[peer].node < fabric->n_switches;
}

/* Counts the ends of links between switches. */
static uint64_t
count_link_ends(const struct sf_fabric *fabric)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        n += is_link(fabric, i);
    }
    return n;
}

/* The port of the plan that is 'port' of a switch that was found. */
static uint32_t
planned_port(const struct job *job, uint32_t port)
{
    const struct sf_port *found = &job->found->ports[port];
    return sf_fabric_port(job->plan, job->planned_of[found->node],
                          found->number);
}

/* Whether all links that were found are planned. */
static bool
has_planned_links(const struct job *job)
{
    for (uint32_t i = 0; i < job->found->n_ports; i++) {
        if (!is_link(job->found, i)) {
            continue;
        }
        uint32_t a = planned_port(job, i);
        uint32_t b = planned_port(job, job->found->ports[i].peer);
        if (a == SF_NONE || b == SF_NONE || job->plan->ports[a].peer != b) {
            return false;
        }
    }
    return true;
}

/* Adds a switch, with its LIDs if it was found. */
static void
add_switch(struct job *job, struct place *place)
{
    bool is_there = place->found != SF_NONE;
    struct sf_node node = is_there ? job->found->nodes[place->found]
                                   : job->plan->nodes[place->planned];

    node.guid = place->guid;
    place->number = sf_fabric_builder_node(job->builder, &node);
    struct sf_ib_node *side =
        sf_fabric_builder_node_side(job->builder, place->number);
    if (is_there && side) {
        *side = *sf_ib_node(job->found, place->found);
    }
}

static void
add_links(struct job *job)
{
    const struct sf_fabric *plan = job->plan;

    for (uint32_t i = 0; i < plan->n_ports; i++) {
        if (is_link(plan, i)) {
            const struct sf_port *a = &plan->ports[i];
            const struct sf_port *b = &plan->ports[a->peer];
            sf_fabric_builder_cable(job->builder, job->places[a->node].number,
                                    a->number, job->places[b->node].number,
                                    b->number);
        }
    }
}

/* Adds a host that was found, with its LIDs. */
static void
add_found_host(struct job *job, uint32_t host)
{
    const struct sf_fabric *found = job->found;
    const struct sf_node *node = &found->nodes[host];
    uint32_t number = sf_fabric_builder_node(job->builder, node);

    for (uint32_t i = node->first_port; i < node->first_port + node->n_ports;
         i++) {
        const struct sf_port *port = &found->ports[i];
        struct sf_port *copy =
            sf_fabric_builder_port(job->builder, number, port->number);
        struct sf_ib_port *side =
            sf_fabric_builder_port_side(job->builder, number, port->number);
        if (copy && side) {
            copy->guid = port->guid;
            *side = *sf_ib_port(found, i);
        }
        if (port->peer != SF_NONE &&
            found->ports[port->peer].node < found->n_switches) {
            const struct sf_port *peer = &found->ports[port->peer];
            sf_fabric_builder_cable(
                job->builder, number, port->number,
                job->places[job->planned_of[peer->node]].number, peer->number);
        }
    }
}

/* Adds a planned host where nothing is plugged in: it counts where traffic is
 * spread. */
static void
add_missing_host(struct job *job, uint32_t host)
{
    const struct sf_fabric *plan = job->plan;
    const struct sf_node *node = &plan->nodes[host];
    uint32_t number = SF_NONE;

    for (uint32_t i = node->first_port; i < node->first_port + node->n_ports;
         i++) {
        uint32_t peer = plan->ports[i].peer;
        if (peer == SF_NONE) {
            continue;
        }
        const struct sf_port *there = &plan->ports[peer];
        const struct place *place = &job->places[there->node];
        uint32_t own =
            place->found == SF_NONE
                ? SF_NONE
                : sf_fabric_port(job->found, place->found, there->number);
        if (own != SF_NONE && job->found->ports[own].peer != SF_NONE) {
            continue;
        }
        if (number == SF_NONE) {
            number = sf_fabric_builder_node(job->builder, node);
        }
        sf_fabric_builder_cable(job->builder, number, plan->ports[i].number,
                                place->number, there->number);
    }
}

static enum sf_status
build(struct job *job, struct sf_fabric **fabricp, struct sf_error *err)
{
    enum sf_status status =
        sf_fabric_builder_new(&sf_ib_side, &job->builder, err);

    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; i < job->plan->n_switches; i++) {
        add_switch(job, job->by_guid[i]);
    }
    for (uint32_t i = job->found->n_switches; i < job->found->n_nodes; i++) {
        add_found_host(job, i);
    }
    for (uint32_t i = job->plan->n_switches; i < job->plan->n_nodes; i++) {
        add_missing_host(job, i);
    }
    add_links(job);
    status = sf_fabric_builder_end(job->builder, fabricp, err);
    job->builder = NULL;
    return status;
}

enum sf_status
sf_planned_base(const struct sf_fabric *plan, const struct sf_guid_map *map,
                const struct sf_fabric *found, struct sf_fabric **fabricp,
                struct sf_error *err)
{
    struct job job = { .plan = plan, .found = found, .map = map };
    uint64_t n_planned = count_link_ends(plan);
    uint64_t n_found = count_link_ends(found);

    *fabricp = NULL;
    if (n_found >= n_planned || 5 * n_found < 4 * n_planned) {
        return SF_OK;
    }
    enum sf_status status = SF_OK;
    if (!make_job(&job)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for the plan");
    } else if (identify(&job) && has_planned_links(&job) &&
               sort_switches(&job)) {
        status = build(&job, fabricp, err);
    }
    clear_job(&job);
    return status;
}
