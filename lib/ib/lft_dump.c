/* lft_dump.c -- forwarding tables as OpenSM dumps them and its 'file' engine
 * loads them:
 *
 *     Unicast lids [0-465] of switch Lid 1 guid 0x02534c4600000000 ('sf-0-0'):
 *     0x0001 000 # Switch portguid 0x02534c4600000000: 'sf-0-0'
 *     0x0006 001 # Channel Adapter portguid 0x02534c4680000001: 'node0000'
 *     465 lids dumped
 *
 * What ibroute prints has ": (...)" in place of the comments and a line of
 * titles; both are read. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "ib/table_reader.h"
#include "ib/tables.h"
#include "slimfly/ib_addresses.h"
#include "slimfly/lids.h"
#include "slimfly/progress.h"

#include <inttypes.h>
#include <string.h>

/* The port of the host that has 'lid'. */
static const struct sf_port *
port_with_lid(const struct sf_fabric *fabric, const struct sf_node *node,
              uint32_t lid)
{
    uint32_t port = node->first_port;
    for (uint32_t i = 1; i < node->n_ports; i++) {
        const struct sf_ib_port *other =
            sf_ib_port(fabric, node->first_port + i);
        if (lid >= other->lid && lid < other->lid + (1u << other->lmc)) {
            port = node->first_port + i;
        }
    }
    return &fabric->ports[port];
}

/* The lines of a LID are the same in every switch but for the port. */
struct line {
    size_t start;    /* In the text of all lines. */
    uint32_t length; /* 0 if nothing has the LID. */
};

#define PORT_OFFSET 7 /* Of the three digits in "0x0001 000 # ...". */

static void
write_line(const struct sf_fabric *fabric, const struct sf_node *node,
           uint32_t lid, FILE *stream)
{
    bool is_switch = node->kind == SF_NODE_SWITCH;

    fprintf(stream, "0x%04x 000 # %s portguid 0x%016" PRIx64 ": '%s'\n", lid,
            is_switch ? "Switch" : "Channel Adapter",
            is_switch ? node->guid : port_with_lid(fabric, node, lid)->guid,
            node->name);
}

/* Writes the table of switch 's' from lines that are made once and stand one
 * after the other: with tens of millions of entries, formatting each would
 * take most of the time, and writing each by itself much of the rest. */
static void
write_switch(const struct sf_tables *tables, uint32_t s, char *text,
             const struct line *lines, FILE *stream)
{
    const uint8_t *ports = sf_tables_of(tables, s);
    size_t start = 0, end = 0; /* Of the lines that are to be written. */

    for (uint32_t lid = 1; lid <= tables->max_lid; lid++) {
        if (lines[lid].length == 0) {
            continue;
        }
        if (ports[lid] == SF_NO_PORT) {
            fwrite(text + start, 1, end - start, stream);
            start = lines[lid].start + lines[lid].length;
        } else {
            char *line = text + lines[lid].start;
            line[PORT_OFFSET] = (char)('0' + ports[lid] / 100);
            line[PORT_OFFSET + 1] = (char)('0' + ports[lid] / 10 % 10);
            line[PORT_OFFSET + 2] = (char)('0' + ports[lid] % 10);
        }
        end = lines[lid].start + lines[lid].length;
    }
    fwrite(text + start, 1, end - start, stream);
}

enum sf_status
sf_tables_write(const struct sf_tables *tables, const struct sf_fabric *fabric,
                FILE *stream, struct sf_error *err)
{
    struct line *lines = sf_calloc((size_t)tables->max_lid + 1, sizeof *lines);
    char *text = NULL;
    size_t length = 0;
    FILE *buffer = open_memstream(&text, &length);
    enum sf_status status = SF_OK;

    for (uint32_t lid = 1; lines && buffer && lid <= tables->max_lid; lid++) {
        if (tables->targets[lid] != SF_NONE) {
            fflush(buffer);
            lines[lid].start = length;
            write_line(fabric, &fabric->nodes[tables->targets[lid]], lid,
                       buffer);
            fflush(buffer);
            lines[lid].length = (uint32_t)(length - lines[lid].start);
        }
    }
    if (!lines || !buffer || fclose(buffer) != 0) {
        status = sf_fail(err, SF_ENOMEM, "out of memory to write tables");
        goto done;
    }
    for (uint32_t s = 0; s < tables->n_switches; s++) {
        const struct sf_node *at = &fabric->nodes[s];
        sf_progress_report("writing forwarding tables", s, tables->n_switches);
        fprintf(stream,
                "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64
                " ('%s'):\n",
                tables->max_lid, sf_ib_node(fabric, s)->lid, at->guid,
                at->name);
        write_switch(tables, s, text, lines, stream);
        /* OpenSM counts all LIDs here, those without a path too. */
        fprintf(stream, "%u lids dumped\n", tables->max_lid);
    }
    sf_progress_report("writing forwarding tables", tables->n_switches,
                       tables->n_switches);

done:
    free(text);
    free(lines);
    return status;
}

void
sf_guid2lid_write(const struct sf_fabric *fabric, FILE *stream)
{
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        if (node->kind == SF_NODE_SWITCH) {
            uint32_t lid = sf_ib_node(fabric, i)->lid;
            fprintf(stream, "0x%016" PRIx64 " 0x%04x 0x%04x\n\n", node->guid,
                    lid, lid);
            continue;
        }
        for (uint32_t j = 0; j < node->n_ports; j++) {
            uint32_t index = node->first_port + j;
            const struct sf_ib_port *port = sf_ib_port(fabric, index);
            if (port->lid) {
                fprintf(stream, "0x%016" PRIx64 " 0x%04x 0x%04x\n\n",
                        fabric->ports[index].guid, port->lid,
                        port->lid + (1u << port->lmc) - 1);
            }
        }
    }
}

/* What is read into. */
struct tables_text {
    struct sf_tables *tables;
    bool is_open; /* The table at hand has no end yet. */
};

static enum sf_status
expect_end(struct sf_table_reader *reader, const char *text)
{
    const struct tables_text *into = reader->aux;
    return into->is_open
               ? sf_table_reader_fail(
                     reader, "'lids dumped', the end of a table", text)
               : SF_OK;
}

/* "Unicast lids [...] of switch Lid 1 guid 0x... (...)". */
static enum sf_status
read_switch(struct sf_table_reader *reader, char *text)
{
    struct tables_text *into = reader->aux;
    char *guid = strstr(text, " guid 0x");

    if (expect_end(reader, text) != SF_OK) {
        return SF_EPARSE;
    }
    into->is_open = true;
    if (!guid) {
        return sf_table_reader_fail(reader, "the GUID of a switch", text);
    }
    guid += strlen(" guid ");
    return sf_table_reader_switch(reader, &guid);
}

/* "0x0001 000 ...". */
static enum sf_status
read_entry(struct sf_table_reader *reader, const char *text)
{
    const struct tables_text *into = reader->aux;
    const struct sf_tables *tables = into->tables;
    char *rest;
    unsigned long lid = strtoul(text, &rest, 16);

    if (reader->s == SF_NONE) {
        return sf_table_reader_fail(reader, "'Unicast lids' of a switch first",
                                    text);
    }
    if (lid < 1 || lid > SF_MAX_LID) {
        return sf_table_reader_fail(reader, "a LID from 0x0001 to 0xbfff",
                                    text);
    }
    const char *port_text = rest + strspn(rest, " \t");
    unsigned long port = strtoul(port_text, &rest, 10);
    if (rest == port_text || port > SF_NO_PORT) {
        return sf_table_reader_fail(
            reader, "a port from 0 to 255 after the LID", text);
    }
    if (lid > tables->max_lid || tables->targets[lid] == SF_NONE) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: the fabric has nothing with LID 0x%04lx",
                       reader->path, reader->line, lid);
    }
    sf_tables_of(tables, reader->s)[lid] = (uint8_t)port;
    return SF_OK;
}

static enum sf_status
read_line(struct sf_table_reader *reader, char *text)
{
    if (!strncmp(text, "Unicast lids", 12)) {
        return read_switch(reader, text);
    }
    if (!strncmp(text, "0x", 2)) {
        return read_entry(reader, text);
    }
    if (strstr(text, "lids dumped")) {
        ((struct tables_text *)reader->aux)->is_open = false;
        return SF_OK;
    }
    /* Empty lines, the titles of ibroute, comments. */
    if (!*text || *text == '#' || !strncmp(text, "Lid", 3) ||
        !strncmp(text, "Port", 4) || !strncmp(text, "Info", 4) ||
        !strncmp(text, "dump", 4)) {
        return SF_OK;
    }
    return sf_table_reader_fail(
        reader, "'Unicast lids' or a LID such as 0x0001", text);
}

enum sf_status
sf_tables_parse(char *text, size_t length, const char *path,
                const struct sf_fabric *fabric, struct sf_tables **tablesp,
                struct sf_error *err)
{
    struct sf_table_reader reader = {
        .path = path,
        .fabric = fabric,
        .take = read_line,
        .first = "'Unicast lids' of at least one switch",
        .err = err,
    };

    struct tables_text into = { 0 };

    enum sf_status status = sf_tables_make(fabric, tablesp, err);
    if (status == SF_OK) {
        into.tables = *tablesp;
        reader.aux = &into;
        status = sf_table_reader_run(&reader, text, length);
    }
    if (status == SF_OK) {
        status = expect_end(&reader, "the end of the file");
    }
    if (status != SF_OK) {
        sf_tables_free(*tablesp);
        *tablesp = NULL;
    }
    return status;
}

enum sf_status
sf_tables_read(const char *path, const struct sf_fabric *fabric,
               struct sf_tables **tablesp, struct sf_error *err)
{
    return sf_tables_parse(NULL, 0, path, fabric, tablesp, err);
}
