/* lldp.c -- a fabric of the systems and cables that LLDP found. */
#include "slimfly/lldp.h"

#include "ip/lldp_reader.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "lldp:"

/* Reports that are so many seconds older than what they may be believed for,
 * seen from the newest report, get a note. */
#define GRACE 30

/* What a port calls itself. */
struct port_side {
    char name[SF_PORT_NAME_SIZE];
};

const struct sf_side_kind sf_lldp_side = {
    .name = "LLDP",
    .node_size = 1, /* Nothing to say of nodes. */
    .port_size = sizeof(struct port_side),
};

bool
sf_is_lldp(const char *source)
{
    return !strncmp(source, PREFIX, strlen(PREFIX));
}

const char *
sf_lldp_port_name(const struct sf_fabric *fabric, uint32_t node,
                  uint32_t number)
{
    uint32_t port = sf_fabric_port(fabric, node, number);

    if (fabric->side.kind != &sf_lldp_side || port == SF_NONE) {
        return NULL;
    }
    const struct port_side *side =
        (const struct port_side *)fabric->side.ports + port;
    return side->name[0] ? side->name : NULL;
}

/* Notes which planned switches did not report. */
static enum sf_status
note_silent(struct lldp_reader *reader, struct sf_error *err)
{
    const struct sf_fabric *planned = reader->planned;
    bool *has_reported = sf_calloc(planned->n_nodes, sizeof *has_reported);
    char list[400] = "";

    if (!has_reported) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    for (size_t i = 0; i < reader->entities.n; i++) {
        const struct lldp_entity *entity = &reader->entities.items[i];
        if (entity->planned != SF_NONE && entity->n_reports) {
            has_reported[entity->planned] = true;
        }
    }
    for (uint32_t i = 0; i < planned->n_switches; i++) {
        size_t used = strlen(list);
        if (has_reported[i]) {
            continue;
        }
        if (reader->n_silent++ < 5) {
            snprintf(list + used, sizeof list - used, "%s%.60s",
                     used ? ", " : "", planned->nodes[i].name);
        }
    }
    free(has_reported);
    if (reader->n_silent) {
        sf_lldp_note(
            reader, "silent",
            "%u of %u switches did not report: %s%s. Cables that only "
            "these could see count as missing.",
            reader->n_silent, planned->n_switches, list,
            reader->n_silent > 5 ? " and others" : "");
    }
    return SF_OK;
}

/* Notes reports that are much older than the newest one. */
static void
note_old(struct lldp_reader *reader)
{
    uint64_t newest = 0;

    for (size_t i = 0; i < reader->reports.list.n; i++) {
        uint64_t second = reader->reports.list.items[i].second;
        newest = second > newest ? second : newest;
    }
    for (size_t i = 0; i < reader->reports.list.n; i++) {
        const struct lldp_report *report = &reader->reports.list.items[i];
        if (report->second && report->neighbours.n &&
            newest - report->second > report->ttl + GRACE) {
            sf_lldp_note(
                reader, "old",
                "%s is %llu seconds older than the newest report, and "
                "what it says was good for %u; it may be out of date.",
                report->place, (unsigned long long)(newest - report->second),
                report->ttl);
        }
    }
}

/* Whether an entity takes part in the fabric: planned ones do, and strangers
 * that a cable leads to. */
static bool
is_in_fabric(const struct lldp_reader *reader,
             const struct lldp_entity *entity)
{
    bool is_in = entity->planned != SF_NONE;

    for (uint32_t i = 0; !is_in && i < entity->n_ports; i++) {
        is_in = reader->ports.items[entity->first_port + i].peer != SF_NONE;
    }
    return is_in;
}

static enum sf_node_kind
kind_of(const struct lldp_reader *reader, const struct lldp_entity *entity)
{
    if (entity->planned != SF_NONE) {
        return reader->planned->nodes[entity->planned].kind;
    }
    return entity->forwards || entity->n_ports > 1 ? SF_NODE_SWITCH
                                                   : SF_NODE_HOST;
}

/* The number of 'port' on the host 'entity' if the plan has a cable between
 * the two ends: which of its ports a host means is known by that only.  Else
 * 0. */
static uint32_t
planned_number(const struct lldp_reader *reader,
               const struct lldp_entity *entity, const struct lldp_port *port)
{
    const struct sf_fabric *planned = reader->planned;
    const struct sf_node *host = &planned->nodes[entity->planned];

    if (port->peer == SF_NONE) {
        return 0;
    }
    const struct lldp_socket *peer = &reader->ports.items[port->peer].socket;
    uint32_t node = reader->entities.items[peer->entity].planned;
    for (uint32_t i = 0; node != SF_NONE && i < host->n_ports; i++) {
        uint32_t far = planned->ports[host->first_port + i].peer;
        if (far != SF_NONE && planned->ports[far].node == node &&
            planned->ports[far].number == peer->number) {
            return i + 1;
        }
    }
    return 0;
}

/* The lowest number that is free; 0 if there is none. */
static uint32_t
take_free(bool is_taken[SF_MAX_PORTS + 1])
{
    for (uint32_t i = 1; i <= SF_MAX_PORTS; i++) {
        if (!is_taken[i]) {
            is_taken[i] = true;
            return i;
        }
    }
    return 0;
}

/* Whether the numbers of its ports by the rule can be those of 'entity': those
 * of a stranger only if the rule makes all of its names. */
static bool
follows_rule(const struct lldp_reader *reader,
             const struct lldp_entity *entity)
{
    bool follows = true;

    for (uint32_t i = 0; entity->planned == SF_NONE && i < entity->n_ports;
         i++) {
        follows &=
            reader->ports.items[entity->first_port + i].socket.number > 0;
    }
    return follows;
}

/* Gives numbers to the ports of 'entity' that have a text: 'numbers' are those
 * of its ports; 0 for one too many.  Ports with numbers keep them, unless they
 * are those of a stranger that does not follow the rule. */
static void
number_ports(const struct lldp_reader *reader,
             const struct lldp_entity *entity, uint32_t *numbers)
{
    bool is_taken[SF_MAX_PORTS + 1] = { false };
    bool has_numbers = follows_rule(reader, entity);

    if (entity->n_ports == 0) {
        return;
    }
    const struct lldp_port *ports = reader->ports.items + entity->first_port;
    for (uint32_t i = 0; i < entity->n_ports; i++) {
        numbers[i] = has_numbers ? ports[i].socket.number : 0;
        is_taken[numbers[i]] = true;
    }
    for (uint32_t i = 0; entity->planned != SF_NONE && i < entity->n_ports;
         i++) {
        uint32_t number =
            numbers[i] ? 0 : planned_number(reader, entity, &ports[i]);
        if (number && !is_taken[number]) {
            numbers[i] = number;
            is_taken[number] = true;
        }
    }
    for (uint32_t i = 0; i < entity->n_ports; i++) {
        numbers[i] = numbers[i] ? numbers[i] : take_free(is_taken);
    }
}

static uint32_t
count_ports(const struct lldp_reader *reader, const struct lldp_entity *entity,
            const uint32_t *numbers)
{
    uint32_t n = entity->planned == SF_NONE
                     ? 1
                     : reader->planned->nodes[entity->planned].n_ports;

    for (uint32_t i = 0; i < entity->n_ports; i++) {
        n = numbers[i] > n ? numbers[i] : n;
    }
    return n;
}

/* Sets the names of the ports of a node that was added. */
static void
name_ports(const struct lldp_reader *reader, const struct lldp_entity *entity,
           const uint32_t *numbers, struct sf_fabric_builder *builder)
{
    enum sf_node_kind kind = kind_of(reader, entity);

    for (uint32_t i = 0; i < entity->n_ports; i++) {
        const struct lldp_socket *socket =
            &reader->ports.items[entity->first_port + i].socket;
        struct port_side *side =
            sf_fabric_builder_port_side(builder, entity->node, numbers[i]);
        if (side && socket->text) {
            snprintf(side->name, sizeof side->name, "%s", socket->text);
        } else if (side) {
            /* Strangers' numbers are by the rule of switches. */
            sf_port_name(
                &reader->planned
                     ->port_names[entity->planned == SF_NONE ? SF_NODE_SWITCH
                                                             : kind],
                socket->number, side->name);
        }
    }
}

static void
add_node(const struct lldp_reader *reader, struct lldp_entity *entity,
         uint32_t *numbers, struct sf_fabric_builder *builder)
{
    char name[LLDP_NAME_SIZE];

    snprintf(name, sizeof name, "%s", entity->called);
    number_ports(reader, entity, numbers + entity->first_port);
    struct sf_node node = {
        .kind = kind_of(reader, entity),
        .name = name,
        .guid = entity->mac,
        .n_ports = count_ports(reader, entity, numbers + entity->first_port),
        .origin = SF_NONE,
        .rack = SF_NONE,
        .unit = SF_NONE,
    };
    entity->node = sf_fabric_builder_node(builder, &node);
    name_ports(reader, entity, numbers + entity->first_port, builder);
}

static int
compare_entities(const void *a, const void *b)
{
    const struct lldp_entity *x = *(struct lldp_entity *const *)a;
    const struct lldp_entity *y = *(struct lldp_entity *const *)b;

    if (x->planned != y->planned) {
        return x->planned < y->planned ? -1 : 1; /* Strangers come last. */
    }
    return (x > y) - (x < y);
}

/* Adds the nodes in the order of the plan, then strangers. */
static bool
add_nodes(struct lldp_reader *reader, uint32_t *numbers,
          struct sf_fabric_builder *builder)
{
    size_t n = reader->entities.n;
    struct lldp_entity **sorted = sf_calloc(n, sizeof *sorted);

    if (!sorted) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        sorted[i] = &reader->entities.items[i];
    }
    qsort(sorted, n, sizeof *sorted, compare_entities);
    for (size_t i = 0; i < n; i++) {
        if (is_in_fabric(reader, sorted[i])) {
            add_node(reader, sorted[i], numbers, builder);
        }
    }
    free(sorted);
    return true;
}

static void
add_cables(const struct lldp_reader *reader, const uint32_t *numbers,
           struct sf_fabric_builder *builder)
{
    for (uint32_t i = 0; i < reader->ports.n; i++) {
        const struct lldp_port *port = &reader->ports.items[i];
        if (port->peer == SF_NONE || port->peer < i) {
            continue;
        }
        const struct lldp_port *peer = &reader->ports.items[port->peer];
        sf_fabric_builder_cable(
            builder, reader->entities.items[port->socket.entity].node,
            numbers[i], reader->entities.items[peer->socket.entity].node,
            numbers[port->peer]);
    }
}

static enum sf_status
build(struct lldp_reader *reader, struct sf_fabric **fabricp,
      struct sf_error *err)
{
    struct sf_fabric_builder *builder = NULL;
    uint32_t *numbers = sf_calloc(reader->ports.n, sizeof *numbers);
    enum sf_status status = SF_ENOMEM;

    if (!numbers ||
        sf_fabric_builder_new(&sf_lldp_side, &builder, err) != SF_OK ||
        !add_nodes(reader, numbers, builder)) {
        sf_fabric_builder_free(builder);
        free(numbers);
        return sf_fail(err, SF_ENOMEM, "out of memory for a fabric");
    }
    add_cables(reader, numbers, builder);
    status = sf_fabric_builder_end(builder, fabricp, err);
    free(numbers);
    if (status == SF_OK) {
        struct sf_fabric *fabric = *fabricp;
        memcpy(fabric->port_names, reader->planned->port_names,
               sizeof fabric->port_names);
        fabric->notes = reader->notes.items;
        fabric->n_notes = (uint32_t)reader->notes.n;
        reader->notes.items = NULL;
        reader->notes.n = 0;
    }
    return status;
}

static void
clear(struct lldp_reader *reader)
{
    for (size_t i = 0; i < reader->notes.n; i++) {
        free(reader->notes.items[i].text);
    }
    free(reader->notes.items);
    free(reader->ins);
    free(reader->ports.items);
    free(reader->claims.items);
    free(reader->entities.items);
    free(reader->mentions.items);
    sf_name_index_free(reader->index);
    sf_lldp_reports_clear(&reader->reports);
}

/* Everything from the systems to the fabric. */
static enum sf_status
make(struct lldp_reader *reader, struct sf_fabric **fabricp,
     struct sf_error *err)
{
    const struct sf_port_names *names =
        &reader->planned->port_names[SF_NODE_SWITCH];

    enum sf_status status =
        sf_name_index_build(reader->planned, &reader->index, err);
    if (status != SF_OK) {
        return status;
    }
    sf_lldp_find_systems(reader);
    if (!reader->is_out_of_memory) {
        status = note_silent(reader, err);
        note_old(reader);
        sf_lldp_list_claims(reader);
    }
    if (!reader->is_out_of_memory && !reader->n_named && reader->n_odd) {
        return sf_fail(err, SF_EINVAL,
                       "the switches report neighbours on ports such as %s, "
                       "and none that the rule %s makes; --port-names gives "
                       "another",
                       reader->odd, names->rule);
    }
    if (!reader->is_out_of_memory) {
        sf_lldp_join_ports(reader);
    }
    if (reader->is_out_of_memory) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for reports of LLDP");
    }
    return status == SF_OK ? build(reader, fabricp, err) : status;
}

enum sf_status
sf_lldp_make_fabric(struct lldp_reports *reports,
                    const struct sf_fabric *planned,
                    struct sf_fabric **fabricp, uint32_t *n_silentp,
                    struct sf_error *err)
{
    struct lldp_reader reader = { .planned = planned, .reports = *reports };

    *reports = (struct lldp_reports){ 0 };
    *fabricp = NULL;
    enum sf_status status = make(&reader, fabricp, err);
    if (n_silentp) {
        *n_silentp = reader.n_silent;
    }
    clear(&reader);
    return status;
}

enum sf_status
sf_lldp_check_names(const struct sf_fabric *planned, struct sf_error *err)
{
    return sf_port_names_exist(&planned->port_names[SF_NODE_SWITCH])
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "the plan has no names of ports, by which LLDP tells "
                         "them; --port-names RULE gives them, such as swp%%d");
}

enum sf_status
sf_lldp_parse(const char *text, size_t length, const char *path,
              const struct sf_fabric *planned, struct sf_fabric **fabricp,
              uint32_t *n_silentp, struct sf_error *err)
{
    struct lldp_reports reports = { 0 };

    *fabricp = NULL;
    enum sf_status status = sf_lldp_check_names(planned, err);
    if (status == SF_OK) {
        status =
            sf_lldp_reports_parse(&reports, text, length, path, NULL, err);
    }
    if (status == SF_OK) {
        return sf_lldp_make_fabric(&reports, planned, fabricp, n_silentp, err);
    }
    sf_lldp_reports_clear(&reports);
    return status;
}

enum sf_status
sf_lldp_read(const char *source, const struct sf_fabric *planned,
             struct sf_fabric **fabricp, uint32_t *n_silentp,
             struct sf_error *err)
{
    const char *path = sf_is_lldp(source) ? source + strlen(PREFIX) : source;
    struct lldp_reports reports = { 0 };

    *fabricp = NULL;
    enum sf_status status = sf_lldp_check_names(planned, err);
    if (status == SF_OK && !*path) {
        status =
            sf_fail(err, SF_EINVAL,
                    "%s: expected a folder or a file after lldp:", source);
    }
    if (status == SF_OK) {
        status = sf_lldp_reports_read(&reports, path, err);
    }
    if (status == SF_OK) {
        return sf_lldp_make_fabric(&reports, planned, fabricp, n_silentp, err);
    }
    sf_lldp_reports_clear(&reports);
    return status;
}
