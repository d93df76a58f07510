#include "monitor/plugin_status.h"

#include "base/file.h"
#include "base/mem.h"

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
