/* drain_report.c -- the list of drained links, as text and as JSON;
 * doc/formats.md describes the members. */
#include "slimfly/drain_status.h"

#include <jansson.h>

/* Hosts that the text names one by one. */
#define MOST_HOSTS 8

/* The outcome of line 'i' of the list, or NULL. */
static const struct sf_drain_outcome *
outcome_of(const struct sf_drained *drained, uint32_t line)
{
    for (uint32_t i = 0; drained && i < drained->n_outcomes; i++) {
        if (drained->outcomes[i].line == line) {
            return &drained->outcomes[i];
        }
    }
    return NULL;
}

static void
write_outcome(const struct sf_drain_outcome *outcome,
              const struct sf_fabric *fabric, FILE *stream)
{
    fprintf(stream, ": %s", sf_drain_state_name(outcome->state));
    if (outcome->state == SF_DRAIN_DONE ||
        outcome->state == SF_DRAIN_REFUSED) {
        fprintf(stream, ", %u link%s", outcome->n_links,
                outcome->n_links == 1 ? "" : "s");
    }
    for (uint32_t i = 0; i < outcome->n_cut_off && i < MOST_HOSTS; i++) {
        fprintf(stream, "%s%s",
                i                                    ? ", "
                : outcome->state == SF_DRAIN_REFUSED ? "; it would cut off "
                                                     : "; cut off: ",
                fabric->nodes[outcome->cut_off[i]].name);
    }
    if (outcome->n_cut_off > MOST_HOSTS) {
        fprintf(stream, " and %u more hosts", outcome->n_cut_off - MOST_HOSTS);
    }
}

void
sf_drain_list_write_text(const struct sf_drain_list *list,
                         const struct sf_drained *drained,
                         const struct sf_fabric *fabric, FILE *stream)
{
    char text[SF_DRAIN_TEXT_SIZE];

    if (!list->n_entries) {
        fputs("nothing is drained\n", stream);
    }
    for (uint32_t i = 0; i < list->n_lines; i++) {
        const struct sf_drain_line *line = &list->lines[i];
        const struct sf_drain_outcome *outcome = outcome_of(drained, i);
        if (!line->is_entry) {
            continue;
        }
        fprintf(stream, "%s %s%s", line->entry.is_switch ? "switch" : "link",
                sf_drain_entry_text(&line->entry, text),
                line->entry.with_hosts ? " with its hosts" : "");
        if (outcome) {
            write_outcome(outcome, fabric, stream);
        }
        fprintf(stream, "%s%s\n", *line->comment ? "   # " : "",
                line->comment);
    }
}

/* What the plugin tells of an entry, or that it does not know it. */
static void
write_told(const struct sf_drain_told *told,
           const struct sf_drain_told_entry *entry, FILE *stream)
{
    if (!entry) {
        fputs(told->problem ? ": not in force: OpenSM cannot read the list"
                            : ": not in force yet: OpenSM has not taken it up",
              stream);
        return;
    }
    switch (entry->state) {
    case SF_DRAIN_DONE:
        fprintf(stream, ": drained, %u link%s", entry->n_links,
                entry->n_links == 1 ? "" : "s");
        fputs(told->is_safe ? "; can be unplugged"
                            : "; not to be unplugged yet",
              stream);
        break;
    case SF_DRAIN_ABSENT:
        fputs(": no link is up there", stream);
        break;
    case SF_DRAIN_UNKNOWN:
        fputs(": not in force: there is no such switch or port", stream);
        break;
    case SF_DRAIN_REFUSED:
        fputs(": refused, its links are used", stream);
    }
    if (entry->n_cut_off) {
        fprintf(stream, "; %u host%s %s cut off, such as %s", entry->n_cut_off,
                entry->n_cut_off == 1 ? "" : "s",
                entry->state == SF_DRAIN_REFUSED ? "would be"
                : entry->n_cut_off == 1          ? "is"
                                                 : "are",
                entry->first_cut_off ? entry->first_cut_off : "?");
    }
}

void
sf_drain_told_write_text(const struct sf_drain_list *list,
                         const struct sf_drain_told *told, FILE *stream)
{
    char text[SF_DRAIN_TEXT_SIZE];

    if (!list->n_entries) {
        fputs("nothing is drained\n", stream);
    }
    for (uint32_t i = 0; i < list->n_lines; i++) {
        const struct sf_drain_line *line = &list->lines[i];
        if (!line->is_entry) {
            continue;
        }
        fprintf(stream, "%s %s%s", line->entry.is_switch ? "switch" : "link",
                sf_drain_entry_text(&line->entry, text),
                line->entry.with_hosts ? " with its hosts" : "");
        write_told(told, sf_drain_told_find(told, &line->entry), stream);
        fprintf(stream, "%s%s\n", *line->comment ? "   # " : "",
                line->comment);
    }
    for (uint32_t i = 0; i < told->n; i++) {
        const struct sf_drain_told_entry *entry = &told->entries[i];
        if (!entry->is_on_list && !told->problem) {
            fprintf(stream,
                    "%s %s: not on the list any more; OpenSM has not taken "
                    "that up yet\n",
                    entry->is_switch ? "switch" : "link", entry->name);
        }
    }
}

/* The hosts that an entry cuts off, or would. */
static json_t *
json_of_hosts(const struct sf_drain_outcome *outcome,
              const struct sf_fabric *fabric)
{
    json_t *hosts = json_array();

    for (uint32_t i = 0; i < outcome->n_cut_off; i++) {
        json_array_append_new(
            hosts, json_string(fabric->nodes[outcome->cut_off[i]].name));
    }
    return hosts;
}

static json_t *
json_of_entry(const struct sf_drain_line *line,
              const struct sf_drain_outcome *outcome,
              const struct sf_fabric *fabric)
{
    const struct sf_drain_entry *entry = &line->entry;
    json_t *root =
        entry->is_switch
            ? json_pack("{s:s, s:s, s:b, s:s}", "kind", "switch", "switch",
                        entry->names[0], "with_hosts", (int)entry->with_hosts,
                        "comment", line->comment)
            : json_pack("{s:s, s:[{s:s, s:I}, {s:s, s:I}], s:s}", "kind",
                        "link", "ends", "switch", entry->names[0], "port",
                        (json_int_t)entry->ports[0], "switch", entry->names[1],
                        "port", (json_int_t)entry->ports[1], "comment",
                        line->comment);

    if (root && outcome) {
        json_object_set_new(root, "state",
                            json_string(sf_drain_state_name(outcome->state)));
        json_object_set_new(root, "n_links", json_integer(outcome->n_links));
        json_object_set_new(root, "hosts_cut_off",
                            json_of_hosts(outcome, fabric));
    }
    return root;
}

/* Writes 'entries', which are taken over; NULL if they could not be made. */
static enum sf_status
write_json(json_t *entries, const char *path, FILE *stream,
           struct sf_error *err)
{
    bool made = entries != NULL;
    json_t *root =
        json_pack("{s:s, s:i, s:s, s:o}", "schema", "slimfly.drained",
                  "schema_version", 1, "file", path, "entries", entries);
    if (!made || !root) {
        json_decref(root);
        return sf_fail(err, SF_EINVAL,
                       "cannot make JSON: a name is not UTF-8, or memory ran "
                       "out");
    }
    json_dumpf(root, stream, JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

enum sf_status
sf_drain_list_write_json(const struct sf_drain_list *list, const char *path,
                         const struct sf_drained *drained,
                         const struct sf_fabric *fabric, FILE *stream,
                         struct sf_error *err)
{
    json_t *entries = json_array();
    bool made = entries != NULL;

    for (uint32_t i = 0; made && i < list->n_lines; i++) {
        if (list->lines[i].is_entry) {
            made = json_array_append_new(entries,
                                         json_of_entry(&list->lines[i],
                                                       outcome_of(drained, i),
                                                       fabric)) == 0;
        }
    }
    if (!made) {
        json_decref(entries);
        entries = NULL;
    }
    return write_json(entries, path, stream, err);
}

/* The same with what the plugin tells of it. */
static json_t *
json_of_told(const struct sf_drain_line *line,
             const struct sf_drain_told *told)
{
    const struct sf_drain_told_entry *entry =
        sf_drain_told_find(told, &line->entry);
    json_t *root = json_of_entry(line, NULL, NULL);

    if (!root) {
        return NULL;
    }
    json_object_set_new(
        root, "state",
        json_string(entry ? sf_drain_state_name(entry->state) : "pending"));
    json_object_set_new(root, "can_be_unplugged",
                        json_boolean(entry && told->is_safe &&
                                     entry->state != SF_DRAIN_REFUSED &&
                                     entry->state != SF_DRAIN_UNKNOWN));
    if (entry) {
        json_object_set_new(root, "n_links", json_integer(entry->n_links));
        json_object_set_new(root, "n_hosts_cut_off",
                            json_integer(entry->n_cut_off));
    }
    return root;
}

enum sf_status
sf_drain_told_write_json(const struct sf_drain_list *list, const char *path,
                         const struct sf_drain_told *told, FILE *stream,
                         struct sf_error *err)
{
    json_t *entries = json_array();
    bool made = entries != NULL;

    for (uint32_t i = 0; made && i < list->n_lines; i++) {
        if (list->lines[i].is_entry) {
            made = json_array_append_new(
                       entries, json_of_told(&list->lines[i], told)) == 0;
        }
    }
    if (!made) {
        json_decref(entries);
        entries = NULL;
    }
    return write_json(entries, path, stream, err);
}
