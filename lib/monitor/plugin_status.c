#include "monitor/plugin_status.h"

#include "base/file.h"
#include "base/mem.h"
#include "slimfly/drain.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* The planned cable at {"switch": NAME, "port": NUMBER}, or SF_NONE. */
static uint32_t
find_cable(const struct sf_plan *plan, const json_t *end)
{
    const char *name = json_string_value(json_object_get(end, "switch"));
    json_int_t number = json_integer_value(json_object_get(end, "port"));
    uint32_t node = name ? sf_fabric_find(plan->fabric, name) : SF_NONE;

    if (node == SF_NONE || number < 1 || number > SF_MAX_PORTS) {
        return SF_NONE;
    }
    uint32_t port = sf_fabric_port(plan->fabric, node, (uint32_t)number);
    return port == SF_NONE ? SF_NONE : plan->cable_of_port[port];
}

/* Marks the cables of the list of drained links. */
static void
mark_drained(const json_t *links, const struct sf_plan *plan, bool *is_drained)
{
    for (size_t i = 0; i < json_array_size(links); i++) {
        const json_t *link = json_array_get(links, i);
        for (size_t side = 0; side < 2; side++) {
            uint32_t cable = find_cable(plan, json_array_get(link, side));
            if (cable != SF_NONE) {
                is_drained[cable] = true;
            }
        }
    }
}

/* Marks the cables of an entry that has no link that is up: it was unplugged,
 * and is drained as before. */
static void
mark_entry(const struct sf_drain_entry *entry, const struct sf_plan *plan,
           bool *is_drained)
{
    uint32_t s = sf_fabric_find(plan->fabric, entry->names[0]);
    const struct sf_node *node =
        s < plan->fabric->n_switches ? &plan->fabric->nodes[s] : NULL;

    for (uint32_t i = 0; node && i < node->n_ports; i++) {
        uint32_t port = node->first_port + i;
        uint32_t peer = plan->fabric->ports[port].peer;
        bool is_meant =
            peer != SF_NONE &&
            plan->fabric->ports[peer].node < plan->fabric->n_switches &&
            (entry->is_switch ||
             plan->fabric->ports[port].number == entry->ports[0]);
        if (is_meant) {
            is_drained[plan->cable_of_port[port]] = true;
        }
    }
}

static void
mark_absent(const json_t *entries, const struct sf_plan *plan,
            bool *is_drained)
{
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        const char *kind = json_string_value(json_object_get(entry, "kind"));
        const char *name = json_string_value(json_object_get(entry, "name"));
        const char *state = json_string_value(json_object_get(entry, "state"));
        char line[SF_DRAIN_TEXT_SIZE + 16];
        struct sf_drain_list *list;
        if (!kind || !name || !state || strcmp(state, "absent") != 0) {
            continue;
        }
        snprintf(line, sizeof line, "%s %s", kind, name);
        if (sf_drain_list_parse(line, strlen(line), "status", &list, NULL) ==
            SF_OK) {
            if (list->n_entries) {
                mark_entry(&list->lines[0].entry, plan, is_drained);
            }
            sf_drain_list_free(list);
        }
    }
}

void
sf_status_parse_more(const char *text, size_t length,
                     const struct sf_plan *plan, bool *is_drained,
                     struct sf_status_more *more)
{
    json_t *root = json_loadb(text, length, 0, NULL);
    const char *routed = json_string_value(json_object_get(root, "routed_at"));
    const json_t *drained = json_object_get(root, "drained");
    bool *now = sf_calloc(plan->n_cables, sizeof *now);

    *more = (struct sf_status_more){ 0 };
    snprintf(more->routed_at, sizeof more->routed_at, "%s",
             routed ? routed : "");
    if (root && now) {
        mark_drained(json_object_get(drained, "links"), plan, now);
        mark_absent(json_object_get(drained, "entries"), plan, now);
        more->is_safe =
            json_is_true(json_object_get(drained, "safe_to_unplug"));
        size_t size = plan->n_cables * sizeof *now;
        more->is_changed = memcmp(now, is_drained, size) != 0;
        memcpy(is_drained, now, size);
    }
    free(now);
    json_decref(root);
}

void
sf_status_read_more(const char *path, const struct sf_plan *plan,
                    bool *is_drained, struct sf_status_more *more)
{
    char *text = NULL;
    size_t length = 0;

    *more = (struct sf_status_more){ 0 };
    if (sf_file_read(path, &text, &length, NULL) == SF_OK) {
        sf_status_parse_more(text, length, plan, is_drained, more);
    }
    free(text);
}
