/* csv_tables.c -- compares the tables for people with what switches and hosts
 * load: addresses.csv with the batches, lanes.csv with the rules of nftables.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "ip/audit/held.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_COLUMNS 6

/* Lines as they are compared: without what only people need. */
struct lines {
    char **items;
    size_t n, capacity;
    uint32_t n_columns; /* Of the file; */
    int passed_over;    /* one of them that does not count; -1: none. */
};

static void
clear(struct lines *lines)
{
    for (size_t i = 0; i < lines->n; i++) {
        free(lines->items[i]);
    }
    free(lines->items);
}

/* Takes over 'text', which is NULL if memory ran out. */
static bool
push(struct lines *lines, char *text)
{
    if (text && sf_vec_push(lines, text)) {
        return true;
    }
    free(text);
    return false;
}

static int
compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
sort(struct lines *lines)
{
    if (lines->n) {
        qsort(lines->items, lines->n, sizeof *lines->items, compare);
    }
}

static enum sf_status
take_line(void *aux, uint32_t line, char *text)
{
    struct lines *lines = aux;
    char *copy = line > 1 ? sf_calloc(strlen(text) + 1, 1) : NULL;
    char *rest = text;
    size_t used = 0; /* Of 'copy', which is as long as the line. */

    if (line == 1) { /* The names of the columns. */
        return SF_OK;
    }
    for (uint32_t i = 0; copy && rest; i++) {
        const char *column = strsep(&rest, ",");
        if (i < lines->n_columns && (int)i != lines->passed_over) {
            size_t length = strlen(column);
            if (used > 0) {
                copy[used++] = ',';
            }
            memcpy(copy + used, column, length);
            used += length;
        }
    }
    return push(lines, copy) ? SF_OK : SF_ENOMEM;
}

/* A port of a node as its files call it. */
static const char *
name_port(const struct sf_ip_held *held, uint32_t node, uint32_t port,
          char name[SF_PORT_NAME_SIZE])
{
    return port == 0 ? "lo"
                     : sf_port_name(node < held->fabric->n_switches
                                        ? &held->switch_ports
                                        : &held->host_ports,
                                    port, name);
}

/* Addresses of one node; the k-th of an interface is of layer k. */
static bool
add_addresses(const struct sf_ip_held *held, uint32_t node,
              struct lines *lines)
{
    const struct sf_ip_owns *owns = &held->owns[node];
    bool is_fine = true;

    for (size_t i = 0; is_fine && i < owns->n; i++) {
        const struct sf_ip_own *own = &owns->items[i];
        char name[SF_PORT_NAME_SIZE], *text = NULL;
        uint32_t layer = 0;
        for (size_t k = 0; k < i; k++) {
            layer += owns->items[k].port == own->port;
        }
        if (own->address.is_v6 && own->address.bytes[0] == 0xfe) {
            continue; /* Of the link, not of the node. */
        }
        is_fine = asprintf(&text, "%s,%s,%u,%s", held->names->names[node],
                           name_port(held, node, own->port, name), layer,
                           sf_ip_address_text(own->address).text) >= 0 &&
                  push(lines, text);
    }
    return is_fine;
}

static bool
add_lanes(const struct sf_ip_held *held, uint32_t s, struct lines *lines)
{
    uint32_t n_ports = held->fabric->nodes[s].n_ports;
    bool is_fine = true;

    for (uint32_t in = 1; is_fine && in <= n_ports; in++) {
        for (uint32_t out = 1; is_fine && out <= n_ports; out++) {
            uint8_t mark = held->marks[s].marks[in * (n_ports + 1) + out];
            char from[SF_PORT_NAME_SIZE], to[SF_PORT_NAME_SIZE], *text = NULL;
            if (mark != SF_IP_NO_MARK) {
                is_fine = asprintf(&text, "%s,%s,%s,%u", held->names->names[s],
                                   name_port(held, s, in, from),
                                   name_port(held, s, out, to), mark) >= 0 &&
                          push(lines, text);
            }
        }
    }
    return is_fine;
}

/* Tells the first line that only one of the two has. */
static void
tell_difference(const struct sf_ip_held *held, const char *name,
                const char *others, const struct lines *found,
                const struct lines *expected)
{
    size_t i = 0;

    while (i < found->n && i < expected->n &&
           strcmp(found->items[i], expected->items[i]) == 0) {
        i++;
    }
    int order = i == found->n ? 1
                : i == expected->n
                    ? -1
                    : strcmp(found->items[i], expected->items[i]);
    if (i < found->n && order < 0) {
        sf_ip_find_fault(held->audit, "%s: has %.120s, which %s have not",
                         name, found->items[i], others);
    } else if (i < expected->n) {
        sf_ip_find_fault(held->audit, "%s: has not %.120s, which %s have",
                         name, expected->items[i], others);
    }
}

/* Compares the file 'name', if it is there, with 'expected'. */
static enum sf_status
compare_file(const struct sf_ip_held *held, const char *folder,
             const char *name, const char *others, struct lines *expected,
             struct sf_error *err)
{
    struct lines found = { .n_columns = expected->n_columns,
                           .passed_over = expected->passed_over };
    char path[4096], *text = NULL;
    size_t length;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, F_OK)) {
        return SF_OK;
    }
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        held->audit->n_files++;
        status = sf_text_lines(text, length, path, take_line, &found, err);
        if (status == SF_ENOMEM) {
            status = sf_fail(err, SF_ENOMEM, "out of memory for %s", path);
        }
    }
    if (status == SF_OK) {
        sort(&found);
        sort(expected);
        tell_difference(held, name, others, &found, expected);
    }
    free(text);
    clear(&found);
    return status;
}

enum sf_status
sf_ip_compare_csv(const struct sf_ip_held *held, const char *folder,
                  struct sf_error *err)
{
    struct lines addresses = { .n_columns = 4, .passed_over = -1 };
    struct lines lanes = { .n_columns = 5, .passed_over = 3 };
    bool is_fine = true;

    for (uint32_t i = 0; is_fine && i < held->fabric->n_nodes; i++) {
        is_fine =
            add_addresses(held, i, &addresses) &&
            (i >= held->fabric->n_switches || add_lanes(held, i, &lanes));
    }
    enum sf_status status =
        is_fine ? compare_file(held, folder, "addresses.csv", "the batches",
                               &addresses, err)
                : sf_fail(err, SF_ENOMEM, "out of memory for addresses");
    if (status == SF_OK) {
        status = compare_file(held, folder, "lanes.csv",
                              "the rules of nftables", &lanes, err);
    }
    clear(&addresses);
    clear(&lanes);
    return status;
}
