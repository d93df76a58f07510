/* parse_sonic.c -- reading STATIC_ROUTE of SONiC's config_db. */
#define _GNU_SOURCE
#include "ip/audit/held.h"

#include <jansson.h>
#include <string.h>

/* Cuts the first item of a list with commas off; NULL after the last. */
static char *
cut(char **rest)
{
    return strsep(rest, ",");
}

/* The four lists of one destination. */
static enum sf_status
take_lists(struct sf_ip_reader *reader, const char *key,
           struct sf_ip_prefix to, char *lists[4])
{
    char *ats[4] = { lists[0], lists[1], lists[2], lists[3] };
    enum sf_status status = SF_OK;

    while (status == SF_OK && ats[0]) {
        struct sf_ip_entry entry = { .to = to };
        char *words[4];
        for (int i = 0; i < 4; i++) {
            words[i] = cut(&ats[i]);
            if (!words[i]) {
                return sf_fail(reader->err, SF_EPARSE,
                               "%s: %s: expected lists of equal length",
                               reader->path, key);
            }
        }
        bool is_hole = strcmp(words[3], "true") == 0;
        status = sf_ip_read_address(reader, 0, words[0], &entry.via);
        entry.has_via = status == SF_OK && strcmp(words[0], "0.0.0.0") != 0 &&
                        strcmp(words[0], "::") != 0;
        if (status == SF_OK && !is_hole) {
            entry.out = sf_ip_read_port(reader, 0, words[1]);
            status = entry.out ? SF_OK : SF_EPARSE;
        }
        if (status == SF_OK) {
            status = sf_ip_read_number(reader, 0, words[2], &entry.metric);
        }
        if (status == SF_OK) {
            status = sf_ip_entries_add(reader->aux, &entry, reader->err);
        }
    }
    return status;
}

static enum sf_status
take_destination(struct sf_ip_reader *reader, const char *key, json_t *value)
{
    static const char *const names[] = { "nexthop", "ifname", "distance",
                                         "blackhole" };
    struct sf_ip_prefix to = { 0 };
    char *lists[4] = { NULL };
    enum sf_status status = SF_OK;

    if (strncmp(key, "default|", 8) != 0) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s: expected 'default|PREFIX', found '%.60s'",
                       reader->path, key);
    }
    status = sf_ip_read_prefix(reader, 0, key + 8, &to);
    for (int i = 0; status == SF_OK && i < 4; i++) {
        const char *text = json_string_value(json_object_get(value, names[i]));
        lists[i] = text ? sf_strdup(text) : NULL;
        if (!lists[i]) {
            status = sf_fail(reader->err, text ? SF_ENOMEM : SF_EPARSE,
                             "%s: %.60s: expected a text %s", reader->path,
                             key, names[i]);
        }
    }
    if (status == SF_OK) {
        status = take_lists(reader, key, to, lists);
    }
    for (int i = 0; i < 4; i++) {
        free(lists[i]);
    }
    return status;
}

enum sf_status
sf_ip_parse_sonic(struct sf_ip_reader *reader, char *text, size_t length)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    json_t *routes = json_object_get(root, "STATIC_ROUTE"), *value;
    enum sf_status status = SF_OK;
    const char *key;

    if (!json_is_object(routes)) {
        status =
            sf_fail(reader->err, SF_EPARSE, "%s:%d: %s", reader->path,
                    root ? 1 : error.line,
                    root ? "expected an object STATIC_ROUTE" : error.text);
    } else {
        json_object_foreach(routes, key, value)
        {
            if (status == SF_OK) {
                status = take_destination(reader, key, value);
            }
        }
    }
    json_decref(root);
    return status;
}
