/* manager_drained.c -- see slimfly/drain_status.h. */
#include "slimfly/drain_status.h"

#include "base/file.h"
#include "base/json_reader.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The entries of the list that a status file has at most. */
#define MOST_LISTED 1000

void
sf_drain_told_clear(struct sf_drain_told *told)
{
    for (uint32_t i = 0; i < told->n; i++) {
        free(told->entries[i].name);
        free(told->entries[i].first_cut_off);
    }
    free(told->entries);
    free(told->problem);
    free(told->file);
    *told = (struct sf_drain_told){ 0 };
}

/* Copies 'text', with a '?' for all that cannot be printed; NULL for NULL. */
static char *
copy_text(const char *text)
{
    char *copy = text ? sf_strdup(text) : NULL;

    for (char *c = copy; c && *c; c++) {
        if (*c < ' ' || *c > '~') {
            *c = '?';
        }
    }
    return copy;
}

static enum sf_drain_state
read_state(struct sf_json_reader *reader, const json_t *entry)
{
    const char *text =
        sf_json_text(reader, entry, "drained.entries[]", "state", 32);

    for (int i = SF_DRAIN_DONE; i <= SF_DRAIN_REFUSED; i++) {
        if (!strcmp(text, sf_drain_state_name((enum sf_drain_state)i))) {
            return (enum sf_drain_state)i;
        }
    }
    sf_json_refuse(reader, "drained.entries[].state: expected drained, "
                           "absent, unknown or refused");
    return SF_DRAIN_UNKNOWN;
}

static void
read_entry(struct sf_json_reader *reader, const json_t *object,
           struct sf_drain_told_entry *entry)
{
    static const char where[] = "drained.entries[]";
    const json_t *hosts = json_object_get(object, "hosts_cut_off");

    entry->is_switch =
        !strcmp(sf_json_text(reader, object, where, "kind", 32), "switch");
    entry->name = copy_text(
        sf_json_text(reader, object, where, "name", SF_DRAIN_TEXT_SIZE));
    entry->state = read_state(reader, object);
    entry->n_links =
        sf_json_number(reader, object, where, "n_links", 0, UINT32_MAX);
    entry->n_cut_off = sf_json_number(reader, object, where, "n_hosts_cut_off",
                                      0, UINT32_MAX);
    entry->first_cut_off =
        copy_text(json_string_value(json_array_get(hosts, 0)));
}

static void
read_drained(struct sf_json_reader *reader, const json_t *drained,
             struct sf_drain_told *told)
{
    const json_t *entries = json_object_get(drained, "entries");
    uint32_t n = (uint32_t)json_array_size(entries);

    told->file =
        copy_text(json_string_value(json_object_get(drained, "file")));
    told->problem =
        copy_text(json_string_value(json_object_get(drained, "problem")));
    told->is_safe = json_is_true(json_object_get(drained, "safe_to_unplug"));
    told->entries = sf_calloc(n, sizeof *told->entries);
    if (!told->entries || !told->file) {
        sf_json_refuse(reader, told->entries ? "drained.file: expected a text"
                                             : "out of memory");
        return;
    }
    for (told->n = 0; told->n < n; told->n++) {
        read_entry(reader, json_array_get(entries, told->n),
                   &told->entries[told->n]);
    }
}

enum sf_status
sf_drain_told_parse(const char *text, size_t length, const char *path,
                    struct sf_drain_told *told, struct sf_error *err)
{
    struct sf_json_reader reader = { .path = path, .err = err };
    json_error_t problem;

    *told = (struct sf_drain_told){ 0 };
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (!root) {
        return sf_fail(err, SF_EPARSE, "%s:%d: expected JSON: %s", path,
                       problem.line, problem.text);
    }
    const json_t *drained = json_object_get(root, "drained");
    if (json_is_object(drained)) {
        read_drained(&reader, drained, told);
    }
    json_decref(root);
    if (reader.status != SF_OK) {
        sf_drain_told_clear(told);
    }
    return reader.status;
}

enum sf_status
sf_drain_told_read(const char *path, struct sf_drain_told *told,
                   struct sf_error *err)
{
    char *text = NULL;
    size_t length;
    enum sf_status status = sf_file_read(path, &text, &length, err);

    *told = (struct sf_drain_told){ 0 };
    if (status == SF_OK) {
        status = sf_drain_told_parse(text, length, path, told, err);
    }
    free(text);
    return status;
}

/* The number of the entry that is told, or told->n. */
static uint32_t
find(const struct sf_drain_told *told, const struct sf_drain_entry *entry)
{
    char text[SF_DRAIN_TEXT_SIZE];
    uint32_t i = 0;

    sf_drain_entry_text(entry, text);
    for (char *c = text; *c; c++) {
        if (*c < ' ' || *c > '~') {
            *c = '?';
        }
    }
    while (i < told->n && (told->entries[i].is_switch != entry->is_switch ||
                           !told->entries[i].name ||
                           strcmp(told->entries[i].name, text) != 0)) {
        i++;
    }
    return i;
}

const struct sf_drain_told_entry *
sf_drain_told_find(const struct sf_drain_told *told,
                   const struct sf_drain_entry *entry)
{
    uint32_t i = find(told, entry);
    return i < told->n ? &told->entries[i] : NULL;
}

uint32_t
sf_drain_told_compare(struct sf_drain_told *told,
                      const struct sf_drain_list *list)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < told->n; i++) {
        told->entries[i].is_on_list = false;
    }
    for (uint32_t i = 0; i < list->n_lines; i++) {
        uint32_t at =
            list->lines[i].is_entry ? find(told, &list->lines[i].entry) : 0;
        if (list->lines[i].is_entry && at < told->n) {
            told->entries[at].is_on_list = true;
        } else if (list->lines[i].is_entry && told->n < MOST_LISTED) {
            n++;
        }
    }
    for (uint32_t i = 0; i < told->n; i++) {
        n += !told->entries[i].is_on_list;
    }
    return n;
}
