/* lldp_reports.c -- lldpcli has two ways to print JSON.  In json0, each member
 * is an array of objects, and texts are {"value": TEXT}:
 *
 *   {"lldp": [{"interface": [
 *     {"name": "swp1", "via": "LLDP",
 *      "chassis": [{"id": [{"type": "mac", "value": "06:c9:38:11:cc:d1"}],
 *                   "name": [{"value": "leaf2"}]}],
 *      "port": [{"id": [{"type": "ifname", "value": "swp7"}],
 *                "descr": [{"value": "to leaf1"}],
 *                "ttl": [{"value": "120"}]}]}]}]}
 *
 * In json, arrays of one are left out, texts stand alone, and names become
 * keys; so the shape depends on how many neighbours there are:
 *
 *   {"lldp": {"interface": {"swp1": {"via": "LLDP",
 *     "chassis": {"leaf2": {"id": {"type": "mac", "value": "..."}}},
 *     "port": {"id": {"type": "ifname", "value": "swp7"}, ...}}}}}
 *
 * Both are read by the same functions, which look through arrays of one. */
#define _GNU_SOURCE
#include "ip/lldp_reports.h"

#include "base/file.h"
#include "base/json_reader.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_TEXT    (LLDP_NAME_SIZE - 1)
#define MAX_DEPTH   3 /* Of keys and arrays around a report. */
#define DEFAULT_TTL 120

struct reader {
    struct sf_json_reader json;
    struct lldp_reports *reports;
    const char *given; /* The only reporter, or NULL. */
    bool has_current;  /* The last report goes on. */
};

/* What stands in an array of one, or the value itself. */
static json_t *
inner(json_t *value)
{
    return json_is_array(value) ? json_array_get(value, 0) : value;
}

/* The text of "TEXT", {"value": "TEXT"} or an array of one of these; NULL if
 * there is none, or it is empty. */
static const char *
text_of(json_t *value)
{
    value = inner(value);
    if (json_is_object(value)) {
        value = inner(json_object_get(value, "value"));
    }
    const char *text = json_string_value(value);
    return text && *text ? text : NULL;
}

/* A copy of 'text', which may be NULL, as far as LLDP could have sent it. */
static char *
keep(struct reader *reader, const char *text)
{
    char *copy;

    if (!text || reader->json.status != SF_OK) {
        return NULL;
    }
    copy = sf_strdup(text);
    if (!copy) {
        sf_json_fail_memory(&reader->json);
    } else if (strlen(copy) > MAX_TEXT) {
        copy[MAX_TEXT] = '\0';
    }
    return copy;
}

/* "06:c9:38:11:cc:d1" as a number; 0 if it is something else. */
static uint64_t
read_mac(const char *text)
{
    uint64_t mac = 0;

    for (int i = 0; i < 6; i++) {
        if (!isxdigit((unsigned char)text[0]) ||
            !isxdigit((unsigned char)text[1]) ||
            text[2] != (i < 5 ? ':' : '\0')) {
            return 0;
        }
        char byte[3] = { text[0], text[1], '\0' };
        mac = mac << 8 | strtoul(byte, NULL, 16);
        text += 3;
    }
    return mac;
}

/* Whether a capability such as {"type": "Bridge", "enabled": true} says that
 * the system forwards. */
static bool
is_forwarding(json_t *capability)
{
    const char *type = json_string_value(json_object_get(capability, "type"));
    json_t *enabled = json_object_get(capability, "enabled");
    bool is_on =
        json_is_true(enabled) ||
        (json_is_string(enabled) && !strcmp(json_string_value(enabled), "on"));

    return type && is_on &&
           (!strcmp(type, "Bridge") || !strcmp(type, "Router"));
}

static bool
read_capabilities(json_t *capabilities)
{
    json_t *capability;
    size_t i;

    if (json_is_object(capabilities)) {
        return is_forwarding(capabilities);
    }
    json_array_foreach(capabilities, i, capability)
    {
        if (is_forwarding(capability)) {
            return true;
        }
    }
    return false;
}

/* Reads a chassis; 'where' is for messages. */
static void
read_system(struct reader *reader, json_t *value, const char *where,
            struct lldp_system *system)
{
    json_t *chassis = inner(value);
    const char *name = text_of(json_object_get(chassis, "name"));

    if (json_is_object(chassis) && !text_of(json_object_get(chassis, "id")) &&
        json_object_size(chassis) == 1) {
        /* Its name is the key. */
        void *only = json_object_iter(chassis);
        name = json_object_iter_key(only);
        chassis = inner(json_object_iter_value(only));
    }
    json_t *id = inner(json_object_get(chassis, "id"));
    const char *id_text = text_of(id);
    const char *type = text_of(json_object_get(id, "type"));
    if (!id_text && !name) {
        sf_json_refuse(&reader->json,
                       "%s: expected a chassis with an id or a name", where);
        return;
    }
    system->name = keep(reader, name);
    if (id_text) {
        char typed[MAX_TEXT + 40];
        snprintf(typed, sizeof typed, "%.30s %.255s", type ? type : "id",
                 id_text);
        system->id = keep(reader, typed);
        system->mac = type && !strcmp(type, "mac") ? read_mac(id_text) : 0;
    }
    system->forwards =
        read_capabilities(json_object_get(chassis, "capability"));
}

static void
clear_system(struct lldp_system *system)
{
    free(system->name);
    free(system->id);
}

static void
clear_neighbour(struct lldp_neighbour *neighbour)
{
    free(neighbour->local);
    free(neighbour->port);
    free(neighbour->descr);
    clear_system(&neighbour->system);
}

/* Reads the neighbour 'entry' on port 'local'.  Neighbours that another
 * protocol found are not ours, nor those that have said good-bye. */
static void
read_neighbour(struct reader *reader, const char *local, json_t *entry,
               struct lldp_report *report)
{
    const char *via = text_of(json_object_get(entry, "via"));
    json_t *port = inner(json_object_get(entry, "port"));
    json_t *id = inner(json_object_get(port, "id"));
    const char *type = text_of(json_object_get(id, "type"));
    const char *ttl = text_of(json_object_get(port, "ttl"));
    unsigned long seconds = ttl ? strtoul(ttl, NULL, 10) : DEFAULT_TTL;
    struct lldp_neighbour neighbour = { 0 };
    char where[SF_JSON_PLACE_SIZE];

    if ((via && strcmp(via, "LLDP") != 0) || seconds == 0) {
        return;
    }
    snprintf(where, sizeof where, "%.60s: neighbour on %.40s",
             report->given ? report->given : "?", local);
    if (!json_is_object(port)) {
        sf_json_refuse(&reader->json, "%s: expected its port", where);
        return;
    }
    read_system(reader, json_object_get(entry, "chassis"), where,
                &neighbour.system);
    neighbour.local = keep(reader, local);
    neighbour.descr = keep(reader, text_of(json_object_get(port, "descr")));
    if (!type || strcmp(type, "mac") != 0) {
        neighbour.port = keep(reader, text_of(id));
    }
    report->ttl = seconds > report->ttl && seconds <= UINT16_MAX
                      ? (uint32_t)seconds
                      : report->ttl;
    if (reader->json.status == SF_OK &&
        !sf_vec_push(&report->neighbours, neighbour)) {
        sf_json_fail_memory(&reader->json);
    }
    if (reader->json.status != SF_OK) {
        clear_neighbour(&neighbour);
    }
}

/* Reads {"swp1": ENTRY}, {"swp1": [ENTRY, ENTRY]}, or {"name": "swp1", ...}.
 */
static void
read_interface(struct reader *reader, json_t *interface,
               struct lldp_report *report)
{
    const char *name = json_string_value(json_object_get(interface, "name"));
    json_t *value, *entry;
    const char *key;
    size_t i;

    if (name) {
        read_neighbour(reader, name, interface, report);
        return;
    }
    if (!json_is_object(interface)) {
        sf_json_refuse(&reader->json, "expected interfaces as objects");
    }
    json_object_foreach(interface, key, value)
    {
        if (json_is_array(value)) {
            json_array_foreach(value, i, entry)
            {
                read_neighbour(reader, key, entry, report);
            }
        } else {
            read_neighbour(reader, key, value, report);
        }
    }
}

/* Reads what 'show neighbors' prints. */
static void
read_neighbours(struct reader *reader, json_t *value,
                struct lldp_report *report)
{
    json_t *lldp = inner(value);
    json_t *interfaces = json_object_get(lldp, "interface");
    json_t *interface;
    size_t i;

    if (!json_is_object(lldp)) {
        sf_json_refuse(&reader->json, "lldp: expected an object");
    } else if (json_is_array(interfaces)) {
        json_array_foreach(interfaces, i, interface)
        {
            read_interface(reader, interface, report);
        }
    } else if (interfaces) {
        read_interface(reader, interfaces, report);
    }
}

/* Starts a report of 'given', which may be NULL. */
static struct lldp_report *
begin_report(struct reader *reader, const char *given)
{
    struct lldp_report report = { .ttl = 0 };

    if (reader->json.status != SF_OK) {
        return NULL;
    }
    report.place = keep(reader, reader->json.path);
    report.given = keep(reader, given);
    if (reader->json.status != SF_OK ||
        !sf_vec_push(&reader->reports->list, report)) {
        free(report.place);
        free(report.given);
        sf_json_fail_memory(&reader->json);
        return NULL;
    }
    reader->has_current = true;
    return &reader->reports->list.items[reader->reports->list.n - 1];
}

/* The report that 'document' belongs to.  One of 'given' goes on until it has
 * what is in 'document' already; without a name, each chassis starts one. */
static struct lldp_report *
report_of(struct reader *reader, json_t *document, const char *given)
{
    struct lldp_reports *reports = reader->reports;
    bool has_chassis = json_object_get(document, "local-chassis") != NULL;

    if (reader->has_current) {
        struct lldp_report *last = &reports->list.items[reports->list.n - 1];
        if (!has_chassis || (!last->self.id && !last->self.name)) {
            return last;
        }
    }
    if (!given && !has_chassis) {
        sf_json_refuse(&reader->json,
                       "whose neighbours are these? Expected the output of "
                       "'show chassis' before them, or {\"NAME\": {\"lldp\": "
                       "...}}");
        return NULL;
    }
    return begin_report(reader, given);
}

/* Reads a document with "lldp" or "local-chassis" in it. */
static void
read_report(struct reader *reader, json_t *document, const char *given)
{
    json_t *chassis = json_object_get(document, "local-chassis");
    json_t *lldp = json_object_get(document, "lldp");
    struct lldp_report *report = report_of(reader, document, given);

    if (report && chassis) {
        read_system(reader, json_object_get(inner(chassis), "chassis"),
                    "local-chassis", &report->self);
        if (!report->given) {
            report->given = keep(reader, report->self.name ? report->self.name
                                                           : report->self.id);
        }
    }
    if (report && lldp && reader->json.status == SF_OK) {
        read_neighbours(reader, lldp, report);
    }
}

static void
read_document(struct reader *reader, json_t *document, const char *given,
              int depth)
{
    json_t *value;
    const char *key;
    size_t i;

    if (json_object_get(document, "lldp") ||
        json_object_get(document, "local-chassis")) {
        read_report(reader, document, given);
    } else if (json_is_array(document) && depth < MAX_DEPTH) {
        json_array_foreach(document, i, value)
        {
            read_document(reader, value, given, depth + 1);
        }
    } else if (json_is_object(document) && depth < MAX_DEPTH) {
        json_object_foreach(document, key, value)
        {
            reader->has_current = false;
            read_document(reader, value, key, depth + 1);
            reader->has_current = false;
        }
    } else {
        sf_json_refuse(&reader->json,
                       "%s%sexpected what 'lldpcli -f json0 show neighbors' "
                       "prints",
                       given ? given : "", given ? ": " : "");
    }
}

/* Puts '?' in place of bytes that are not UTF-8: LLDP carries any bytes, and
 * lldpcli prints them as they are. */
static void
mend_utf8(char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        size_t n = c < 0x80                ? 1
                   : c >= 0xc2 && c < 0xe0 ? 2
                   : (c & 0xf0) == 0xe0    ? 3
                   : c >= 0xf0 && c < 0xf5 ? 4
                                           : 0;
        bool is_good = n > 0 && i + n <= length;
        for (size_t k = 1; is_good && k < n; k++) {
            is_good = ((unsigned char)text[i + k] & 0xc0) == 0x80;
        }
        if (!is_good) {
            text[i] = '?';
            n = 1;
        }
        i += n;
    }
}

static uint32_t
count_lines(const char *text, size_t length)
{
    uint32_t n = 0;
    for (size_t i = 0; i < length; i++) {
        n += text[i] == '\n';
    }
    return n;
}

/* Reads one document after the other from 'text'. */
static void
read_documents(struct reader *reader, const char *text, size_t length)
{
    size_t used = 0;

    while (reader->json.status == SF_OK) {
        json_error_t problem;
        while (used < length && isspace((unsigned char)text[used])) {
            used++;
        }
        if (used == length) {
            return;
        }
        json_t *document = json_loadb(
            text + used, length - used,
            JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &problem);
        if (!document) {
            reader->json.status =
                sf_fail(reader->json.err, SF_EPARSE,
                        "%s:%u: expected JSON: %s", reader->json.path,
                        count_lines(text, used) + (uint32_t)problem.line,
                        problem.text);
            return;
        }
        used += (size_t)problem.position;
        read_document(reader, document, reader->given, 0);
        json_decref(document);
    }
}

enum sf_status
sf_lldp_reports_parse(struct lldp_reports *reports, const char *text,
                      size_t length, const char *path, const char *given,
                      struct sf_error *err)
{
    struct reader reader = {
        .json = { .path = path, .err = err },
        .reports = reports,
        .given = given,
    };
    char *copy = sf_calloc(length + 1, 1);

    if (!copy) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    memcpy(copy, text, length);
    mend_utf8(copy, length);
    read_documents(&reader, copy, length);
    free(copy);
    return reader.json.status;
}

/* Reads one file. */
static enum sf_status
read_file(struct lldp_reports *reports, const char *path, const char *given,
          struct sf_error *err)
{
    size_t n_before = reports->list.n, length;
    struct stat status;
    char *text;

    enum sf_status result = sf_file_read(path, &text, &length, err);
    if (result == SF_OK) {
        result =
            sf_lldp_reports_parse(reports, text, length, path, given, err);
    }
    free(text);
    if (result == SF_OK && given && stat(path, &status) == 0) {
        for (size_t i = n_before; i < reports->list.n; i++) {
            reports->list.items[i].second = (uint64_t)status.st_mtime;
        }
    }
    return result;
}

static int
is_report(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 5 &&
           !strcmp(entry->d_name + length - 5, ".json");
}

static int
compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum sf_status
read_folder(struct lldp_reports *reports, const char *folder,
            struct sf_error *err)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_report, compare_entries);
    enum sf_status status = SF_OK;

    if (n < 0) {
        return sf_fail(err, SF_EIO, "%s: cannot read this folder", folder);
    }
    if (n == 0) {
        status = sf_fail(err, SF_EPARSE,
                         "%s: expected files NAME.json in this folder, one "
                         "for each switch",
                         folder);
    }
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        if (status == SF_OK &&
            asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0) {
            path = NULL;
            status = sf_fail(err, SF_ENOMEM, "out of memory");
        }
        if (status == SF_OK) {
            entries[i]->d_name[strlen(entries[i]->d_name) - 5] = '\0';
            status = read_file(reports, path, entries[i]->d_name, err);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    return status;
}

enum sf_status
sf_lldp_reports_read(struct lldp_reports *reports, const char *path,
                     struct sf_error *err)
{
    struct stat status;

    if (strcmp(path, "-") != 0 && stat(path, &status) == 0 &&
        S_ISDIR(status.st_mode)) {
        return read_folder(reports, path, err);
    }
    return read_file(reports, path, NULL, err);
}

void
sf_lldp_reports_clear(struct lldp_reports *reports)
{
    for (size_t i = 0; i < reports->list.n; i++) {
        struct lldp_report *report = &reports->list.items[i];
        for (size_t k = 0; k < report->neighbours.n; k++) {
            clear_neighbour(&report->neighbours.items[k]);
        }
        free(report->neighbours.items);
        clear_system(&report->self);
        free(report->given);
        free(report->place);
    }
    free(reports->list.items);
    *reports = (struct lldp_reports){ 0 };
}
