/* drained_links.c -- see drained_links.h. */
#define _POSIX_C_SOURCE 200809L
#include "drained_links.h"

#include "base/mem.h"
#include "status_file.h"

#include <stdio.h>
#include <string.h>

/* Links, entries and hosts that the status lists one by one. */
#define MOST_LISTED 1000
#define MOST_HOSTS  16

void
sf_plugin_drained_clear(struct sf_plugin_drained *drained)
{
    sf_fabric_free(drained->whole);
    sf_drained_clear(&drained->drained);
    sf_drain_list_free(drained->list);
    *drained = (struct sf_plugin_drained){ 0 };
}

/* Reads the file, if that is possible. */
static void
read_list(struct sf_plugin_drained *drained)
{
    struct sf_drain_list *list;
    struct sf_error err = { 0 };

    drained->stamp = sf_file_stamp_take(drained->path); /* Before reading. */
    if (sf_drain_list_load(drained->path, &list, &err) == SF_OK) {
        sf_drain_list_free(drained->list);
        drained->list = list;
    }
    memcpy(drained->problem, err.text, sizeof drained->problem);
}

enum sf_status
sf_plugin_drained_update(struct sf_plugin_drained *drained, const char *path,
                         struct sf_fabric *fabric, struct sf_error *err)
{
    if (!path[0]) {
        sf_plugin_drained_clear(drained);
        return SF_OK;
    }
    snprintf(drained->path, sizeof drained->path, "%s", path);
    read_list(drained);
    sf_drained_clear(&drained->drained);
    sf_fabric_free(drained->whole);
    drained->whole = NULL;
    if (!drained->list || !drained->list->n_entries) {
        return SF_OK;
    }
    enum sf_status status = sf_fabric_copy(fabric, &drained->whole, err);
    if (status == SF_OK) {
        status = sf_drain_apply(drained->list, fabric, &drained->drained, err);
    }
    return status;
}

const struct sf_fabric *
sf_plugin_drained_whole(const struct sf_plugin_drained *drained)
{
    return drained->drained.n_links ? drained->whole : NULL;
}

static json_t *
pack_end(const struct sf_fabric *fabric, uint32_t port)
{
    const struct sf_port *of = &fabric->ports[port];
    return json_pack("{s:o, s:I}", "switch",
                     sf_status_text(fabric->nodes[of->node].name), "port",
                     (json_int_t)of->number);
}

static json_t *
pack_links(const struct sf_plugin_drained *drained)
{
    const struct sf_fabric *fabric = drained->whole;
    json_t *links = json_array();

    for (uint32_t i = 0; i < drained->drained.n_links && i < MOST_LISTED;
         i++) {
        uint32_t port = drained->drained.ports[i];
        json_array_append_new(
            links, json_pack("[o, o]", pack_end(fabric, port),
                             pack_end(fabric, fabric->ports[port].peer)));
    }
    return links;
}

static json_t *
pack_hosts(const struct sf_plugin_drained *drained,
           const struct sf_drain_outcome *outcome)
{
    json_t *hosts = json_array();

    for (uint32_t i = 0; i < outcome->n_cut_off && i < MOST_HOSTS; i++) {
        json_array_append_new(
            hosts,
            sf_status_text(drained->whole->nodes[outcome->cut_off[i]].name));
    }
    return hosts;
}

static json_t *
pack_entries(const struct sf_plugin_drained *drained)
{
    json_t *entries = json_array();

    for (uint32_t i = 0; i < drained->drained.n_outcomes && i < MOST_LISTED;
         i++) {
        const struct sf_drain_outcome *outcome = &drained->drained.outcomes[i];
        const struct sf_drain_line *line =
            &drained->list->lines[outcome->line];
        char text[SF_DRAIN_TEXT_SIZE];
        json_array_append_new(
            entries,
            json_pack("{s:s, s:o, s:o, s:s, s:I, s:I, s:o}", "kind",
                      line->entry.is_switch ? "switch" : "link", "name",
                      sf_status_text(sf_drain_entry_text(&line->entry, text)),
                      "comment", sf_status_text(line->comment), "state",
                      sf_drain_state_name(outcome->state), "n_links",
                      (json_int_t)outcome->n_links, "n_hosts_cut_off",
                      (json_int_t)outcome->n_cut_off, "hosts_cut_off",
                      pack_hosts(drained, outcome)));
    }
    return entries;
}

json_t *
sf_plugin_drained_pack(const struct sf_plugin_drained *drained,
                       bool is_written)
{
    if (!drained->path[0]) {
        return json_null();
    }
    return json_pack(
        "{s:o, s:o, s:I, s:b, s:o, s:o}", "file",
        sf_status_text(drained->path), "problem",
        drained->problem[0] ? sf_status_text(drained->problem) : json_null(),
        "n_links", (json_int_t)drained->drained.n_links, "safe_to_unplug",
        (int)(is_written && !drained->problem[0]), "entries",
        pack_entries(drained), "links", pack_links(drained));
}
