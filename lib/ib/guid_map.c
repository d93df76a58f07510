/* guid_map.c -- GUID maps in the format of infiniband-diags. */
#include "base/file.h"
#include "base/mem.h"
#include "slimfly/verify.h"

#include <string.h>

struct reader {
    const char *path;
    uint32_t line;
    SF_VEC(struct sf_guid_name) entries;
};

static const char *
skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r') {
        at++;
    }
    return at;
}

static bool
is_end(const char *at)
{
    return *at == '\0' || *at == '\n' || *at == '#';
}

/* The value of a hexadecimal digit, or -1. */
static int
digit_of(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Reads "0x" and up to 16 digits; NULL if that is not what stands there. */
static const char *
read_guid(const char *at, uint64_t *guidp)
{
    int n_digits = 0;

    *guidp = 0;
    if (at[0] != '0' || (at[1] != 'x' && at[1] != 'X')) {
        return NULL;
    }
    for (at += 2; digit_of(*at) >= 0; at++, n_digits++) {
        if (n_digits == 16) {
            return NULL;
        }
        *guidp = *guidp << 4 | (uint64_t)digit_of(*at);
    }
    return n_digits ? at : NULL;
}

static enum sf_status
add_entry(struct reader *reader, uint64_t guid, const char *name,
          size_t length, struct sf_error *err)
{
    struct sf_guid_name entry = { guid, sf_calloc(length + 1, 1) };

    if (!entry.name) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", reader->path);
    }
    memcpy(entry.name, name, length);
    if (!sf_vec_push(&reader->entries, entry)) {
        free(entry.name);
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", reader->path);
    }
    return SF_OK;
}

/* Reads the line at 'at', which is neither empty nor a comment. */
static enum sf_status
read_line(struct reader *reader, const char *at, struct sf_error *err)
{
    uint64_t guid;
    const char *name, *end;

    at = read_guid(at, &guid);
    if (!at || (*at != ' ' && *at != '\t')) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected 0xGUID \"name\", found no GUID of up "
                       "to 16 hexadecimal digits",
                       reader->path, reader->line);
    }
    name = skip_blanks(at);
    if (*name == '"') {
        name++;
        end = name + strcspn(name, "\"\n");
        if (*end != '"') {
            return sf_fail(err, SF_EPARSE,
                           "%s:%u: expected a quote after the name",
                           reader->path, reader->line);
        }
        at = skip_blanks(end + 1);
    } else {
        end = name + strcspn(name, " \t\r\n#");
        at = skip_blanks(end);
    }
    if (end == name) {
        return sf_fail(err, SF_EPARSE, "%s:%u: expected a name after the GUID",
                       reader->path, reader->line);
    }
    if (!is_end(at)) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected nothing after the name", reader->path,
                       reader->line);
    }
    return add_entry(reader, guid, name, (size_t)(end - name), err);
}

static int
compare_entries(const void *a, const void *b)
{
    const struct sf_guid_name *x = a, *y = b;
    return (x->guid > y->guid) - (x->guid < y->guid);
}

/* Hands the entries over, sorted. */
static enum sf_status
finish(struct reader *reader, struct sf_guid_map **mapp, struct sf_error *err)
{
    struct sf_guid_name *entries = reader->entries.items;
    size_t n = reader->entries.n;

    if (n) {
        qsort(entries, n, sizeof *entries, compare_entries);
    }
    for (size_t i = 1; i < n; i++) {
        if (entries[i].guid == entries[i - 1].guid) {
            return sf_fail(err, SF_EPARSE,
                           "%s: expected each GUID once, found 0x%016llx for "
                           "\"%.64s\" and \"%.64s\"",
                           reader->path, (unsigned long long)entries[i].guid,
                           entries[i - 1].name, entries[i].name);
        }
    }
    struct sf_guid_map *map = sf_calloc(1, sizeof *map);
    if (!map) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", reader->path);
    }
    map->entries = entries;
    map->n_entries = (uint32_t)n;
    reader->entries.items = NULL;
    reader->entries.n = 0;
    *mapp = map;
    return SF_OK;
}

enum sf_status
sf_guid_map_parse(const char *text, const char *path,
                  struct sf_guid_map **mapp, struct sf_error *err)
{
    struct reader reader = { .path = path };
    enum sf_status status = SF_OK;

    *mapp = NULL;
    while (*text && status == SF_OK) {
        const char *at = skip_blanks(text);
        reader.line++;
        if (!is_end(at)) {
            status = read_line(&reader, at, err);
        }
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (status == SF_OK) {
        status = finish(&reader, mapp, err);
    }
    for (size_t i = 0; i < reader.entries.n; i++) {
        free(reader.entries.items[i].name);
    }
    free(reader.entries.items);
    return status;
}

enum sf_status
sf_guid_map_load(const char *path, struct sf_guid_map **mapp,
                 struct sf_error *err)
{
    char *text;
    size_t length;

    *mapp = NULL;
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK && strlen(text) != length) {
        status =
            sf_fail(err, SF_EPARSE, "%s: expected text, found a NUL", path);
    }
    if (status == SF_OK) {
        status = sf_guid_map_parse(text, path, mapp, err);
    }
    free(text);
    return status;
}

void
sf_guid_map_free(struct sf_guid_map *map)
{
    if (map) {
        for (uint32_t i = 0; i < map->n_entries; i++) {
            free(map->entries[i].name);
        }
        free(map->entries);
        free(map);
    }
}

enum sf_status
sf_guid_map_name_switches(const struct sf_guid_map *map,
                          struct sf_fabric *fabric, uint32_t *n_namedp,
                          struct sf_error *err)
{
    *n_namedp = 0;
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        struct sf_node *node = &fabric->nodes[s];
        const struct sf_guid_name *entry = sf_guid_map_find(map, node->guid);
        if (!entry) {
            continue;
        }
        char *name = sf_strdup(entry->name);
        if (!name) {
            return sf_fail(err, SF_ENOMEM, "out of memory for names");
        }
        free(node->name);
        node->name = name;
        ++*n_namedp;
    }
    return SF_OK;
}
