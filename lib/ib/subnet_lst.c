/* subnet_lst.c -- the links of a subnet as OpenSM always dumps them, each from
 * both sides (opensm-subnet.lst); one line each, broken here:
 *
 *     { SW Ports:08 SystemGUID:02534c4600000000 NodeGUID:02534c4600000000
 *       PortGUID:02534c4600000000 VenID:000000 DevID:0000 Rev:000000A1
 *       {sf-0-0-0} LID:0001 PN:01 } { CA Ports:01 ... LID:0004 PN:01 }
 *       PHY=4x LOG=ACT SPD=25
 *
 * All numbers are hexadecimal.  "SW-SM" is a switch with the subnet manager.
 * The LMC is not said, but the tables that OpenSM dumps beside it name the
 * port of every LID. */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/mem.h"
#include "slimfly/discovery.h"
#include "slimfly/ib_addresses.h"
#include "slimfly/lids.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One side of a link. */
struct end {
    struct sf_node node; /* All but the name. */
    struct sf_ib_node ib;
    char name[SF_MAX_NAME + 1];
    uint64_t port_guid;
    uint32_t lid, port;
    char rate[SF_RATE_SIZE];
    uint32_t line;
    uint32_t index; /* Of the node in the builder. */
};

struct reader {
    const char *path;
    uint32_t line;
    SF_VEC(struct end) ends; /* Two for each line. */
    struct sf_error *err;
};

static enum sf_status
fail_line(const struct reader *reader, const char *expected, const char *found)
{
    return sf_fail(reader->err, SF_EPARSE, "%s:%u: expected %s, found '%.60s'",
                   reader->path, reader->line, expected, found);
}

/* Takes 'word' and blanks after it off '*textp'. */
static bool
take_word(char **textp, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*textp, word, length) != 0) {
        return false;
    }
    *textp += length + strspn(*textp + length, " \t\r");
    return true;
}

/* Takes "KEY:1234ABCD" and blanks after it off '*textp'. */
static bool
take_member(char **textp, const char *key, uint64_t max, uint64_t *numberp)
{
    char *text = *textp, *end;

    if (!take_word(&text, key) || !take_word(&text, ":") ||
        strspn(text, "0123456789abcdefABCDEF") == 0) {
        return false;
    }
    *numberp = strtoull(text, &end, 16);
    *textp = end + strspn(end, " \t\r");
    return *numberp <= max;
}

/* "SW", "CA" or "Rt", perhaps with "-SM". */
static bool
take_kind(char **textp, enum sf_node_kind *kindp)
{
    *kindp = take_word(textp, "SW") ? SF_NODE_SWITCH : SF_NODE_HOST;
    return (*kindp == SF_NODE_SWITCH || take_word(textp, "CA") ||
            take_word(textp, "Rt")) &&
           (take_word(textp, "-SM") || true);
}

/* "{name}", which may hold anything. */
static bool
take_name(char **textp, char name[SF_MAX_NAME + 1])
{
    char *end = strstr(*textp, "} LID:");

    if (**textp != '{' || !end) {
        return false;
    }
    snprintf(name, SF_MAX_NAME + 1, "%.*s", (int)(end - *textp - 1),
             *textp + 1);
    *textp = end + 2;
    return true;
}

/* "{ SW ... }". */
static enum sf_status
take_end(struct reader *reader, char **textp, struct end *end)
{
    const char *start = *textp;
    struct sf_node *node = &end->node;
    uint64_t n_ports, vendor, device, unused, lid, port;

    *end = (struct end){ .line = reader->line };
    if (!take_word(textp, "{") || !take_kind(textp, &node->kind)) {
        return fail_line(reader, "'{ SW', '{ CA' or '{ Rt'", start);
    }
    if (!take_member(textp, "Ports", UINT32_MAX, &n_ports) ||
        !take_member(textp, "SystemGUID", UINT64_MAX, &end->ib.system_guid) ||
        !take_member(textp, "NodeGUID", UINT64_MAX, &node->guid) ||
        !take_member(textp, "PortGUID", UINT64_MAX, &end->port_guid) ||
        !take_member(textp, "VenID", UINT32_MAX, &vendor) ||
        !take_member(textp, "DevID", UINT32_MAX, &device) ||
        !take_member(textp, "Rev", UINT32_MAX, &unused)) {
        return fail_line(reader,
                         "Ports, SystemGUID, NodeGUID, PortGUID, VenID, DevID "
                         "and Rev, each with ':' and a hexadecimal number",
                         *textp);
    }
    if (!take_name(textp, end->name)) {
        return fail_line(reader, "a name in braces and LID after it", *textp);
    }
    if (!take_member(textp, "LID", UINT16_MAX, &lid) ||
        !take_member(textp, "PN", UINT32_MAX, &port) ||
        !take_word(textp, "}")) {
        return fail_line(reader, "LID and PN with hexadecimal numbers and '}'",
                         *textp);
    }
    if (n_ports < 1 || n_ports > SF_MAX_PORTS || port < 1 || port > n_ports) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected 1 to %d ports and PN one of them, "
                       "found %" PRIu64 " and %" PRIu64,
                       reader->path, reader->line, SF_MAX_PORTS, n_ports,
                       port);
    }
    node->n_ports = (uint32_t)n_ports;
    end->ib.vendor = (uint32_t)vendor;
    /* OpenSM shifts that of the second node of a line by 16 bits. */
    end->ib.device = (uint32_t)(device > UINT16_MAX ? device >> 16 : device);
    end->ib.lid = node->kind == SF_NODE_SWITCH ? (uint16_t)lid : 0;
    node->origin = node->rack = node->unit = SF_NONE;
    end->lid = (uint32_t)lid;
    end->port = (uint32_t)port;
    return SF_OK;
}

/* "PHY=4x LOG=ACT SPD=25" as the rate "4xEDR"; "" if that is not known. */
static bool
take_rate(char *text, char rate[SF_RATE_SIZE])
{
    static const struct {
        const char *number, *name;
    } speeds[] = {
        { "2.5", "SDR" },     { "5", "DDR" },   { "10", "QDR" },
        { "FDR10", "FDR10" }, { "14", "FDR" },  { "25", "EDR" },
        { "50", "HDR" },      { "100", "NDR" },
    };
    char *save, *width = strtok_r(text, " \t\r", &save);
    char *state = strtok_r(NULL, " \t\r", &save);
    char *speed = strtok_r(NULL, " \t\r", &save);

    if (!speed || strncmp(width, "PHY=", 4) != 0 ||
        strncmp(state, "LOG=", 4) != 0 || strncmp(speed, "SPD=", 4) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        if (!strcmp(speed + 4, speeds[i].number)) {
            snprintf(rate, SF_RATE_SIZE, "%s%s", width + 4, speeds[i].name);
        }
    }
    return true;
}

static enum sf_status
read_line(void *aux, uint32_t line, char *text)
{
    struct reader *reader = aux;
    struct end ends[2];

    reader->line = line;
    text += strspn(text, " \t\r");
    if (!*text) {
        return SF_OK;
    }
    for (int i = 0; i < 2; i++) {
        enum sf_status status = take_end(reader, &text, &ends[i]);
        if (status != SF_OK) {
            return status;
        }
    }
    if (!take_rate(text, ends[0].rate)) {
        return fail_line(reader, "PHY=, LOG= and SPD= at the end", text);
    }
    memcpy(ends[1].rate, ends[0].rate, SF_RATE_SIZE);
    if (!sf_vec_push(&reader->ends, ends[0]) ||
        !sf_vec_push(&reader->ends, ends[1])) {
        return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory",
                       reader->path);
    }
    return SF_OK;
}

static int
compare_ends(const void *a, const void *b)
{
    const struct end *x = *(struct end *const *)a,
                     *y = *(struct end *const *)b;
    if (x->node.guid != y->node.guid) {
        return x->node.guid < y->node.guid ? -1 : 1;
    }
    return (x > y) - (x < y);
}

/* Adds the node of each end once, the nodes in the order of their GUIDs. */
static enum sf_status
add_nodes(struct reader *reader, struct sf_fabric_builder *builder)
{
    size_t n = reader->ends.n;
    struct end **sorted = sf_calloc(n, sizeof *sorted);
    enum sf_status status = SF_OK;

    if (!sorted) {
        return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory",
                       reader->path);
    }
    for (size_t i = 0; i < n; i++) {
        sorted[i] = &reader->ends.items[i];
    }
    qsort(sorted, n, sizeof *sorted, compare_ends);
    const struct end *first = NULL;
    for (size_t i = 0; status == SF_OK && i < n; i++) {
        struct end *end = sorted[i];
        if (!first || first->node.guid != end->node.guid) {
            end->node.name = end->name;
            end->index = sf_fabric_builder_node(builder, &end->node);
            first = end;
            struct sf_ib_node *ib =
                sf_fabric_builder_node_side(builder, end->index);
            if (ib) {
                *ib = end->ib;
            }
        }
        end->index = first->index;
        if (end->node.kind != first->node.kind ||
            end->node.n_ports != first->node.n_ports ||
            end->ib.lid != first->ib.lid) {
            status =
                sf_fail(reader->err, SF_EPARSE,
                        "%s:%u: expected node %016" PRIx64
                        " with the same kind, ports and LID as in line "
                        "%u, found others",
                        reader->path, end->line, end->node.guid, first->line);
        }
    }
    free(sorted);
    return status;
}

static void
set_port(struct sf_fabric_builder *builder, const struct end *end)
{
    struct sf_port *port =
        sf_fabric_builder_port(builder, end->index, end->port);
    struct sf_ib_port *ib =
        sf_fabric_builder_port_side(builder, end->index, end->port);

    if (port && ib) {
        bool is_host = end->node.kind == SF_NODE_HOST;
        port->guid = is_host ? end->port_guid : 0;
        ib->lid = (uint16_t)(is_host ? end->lid : 0);
        memcpy(port->rate, end->rate, sizeof port->rate);
    }
}

static enum sf_status
add_links(struct reader *reader, struct sf_fabric_builder *builder)
{
    for (size_t i = 0; i < reader->ends.n; i += 2) {
        const struct end *a = &reader->ends.items[i];
        const struct end *b = &reader->ends.items[i + 1];
        set_port(builder, a);
        set_port(builder, b);
        if (!sf_fabric_builder_cable(builder, a->index, a->port, b->index,
                                     b->port)) {
            return sf_fail(reader->err, SF_EPARSE,
                           "%s:%u: port %u of %s and port %u of %s cannot be "
                           "joined: one is the other, or joined to another "
                           "port elsewhere in the file",
                           reader->path, a->line, a->port, a->name, b->port,
                           b->name);
        }
    }
    return SF_OK;
}

enum sf_status
sf_subnet_lst_parse(char *text, size_t length, const char *path,
                    struct sf_fabric **fabricp, struct sf_error *err)
{
    struct reader reader = { .path = path, .err = err };
    struct sf_fabric_builder *builder = NULL;

    *fabricp = NULL;
    enum sf_status status =
        sf_text_lines(text, length, path, read_line, &reader, err);
    if (status == SF_OK && reader.ends.n == 0) {
        status = sf_fail(err, SF_EPARSE,
                         "%s:%u: expected at least one link; found none", path,
                         reader.line ? reader.line : 1);
    }
    if (status == SF_OK) {
        status = sf_fabric_builder_new(&sf_ib_side, &builder, err);
    }
    if (status == SF_OK) {
        status = add_nodes(&reader, builder);
    }
    if (status == SF_OK) {
        status = add_links(&reader, builder);
    }
    if (status == SF_OK) {
        status = sf_fabric_builder_end(builder, fabricp, err);
    } else {
        sf_fabric_builder_free(builder);
    }
    free(reader.ends.items);
    return status;
}

/* LIDs in a row that belong to one port. */
struct run {
    bool is_host;
    uint64_t guid;
    uint32_t lid, n_lids;
};

/* At the end of a run: its length tells the LMC. */
static void
end_run(struct sf_fabric *fabric, const struct run *run, uint8_t *host_lmcp)
{
    uint8_t lmc = 0;

    while (lmc < SF_MAX_LMC && 1u << lmc < run->n_lids) {
        lmc++;
    }
    if (run->is_host) {
        *host_lmcp = lmc > *host_lmcp ? lmc : *host_lmcp;
    }
    for (uint32_t s = 0; !run->is_host && lmc && s < fabric->n_switches; s++) {
        if (fabric->nodes[s].guid == run->guid) {
            sf_ib_change_node(fabric, s)->lmc = lmc;
        }
    }
}

/* Takes the LMC from the first table of 'stream', opensm-lfts.dump: all host
 * ports have the same, and switches with an enhanced port 0 may have one. */
static void
read_lmc(struct sf_fabric *fabric, FILE *stream)
{
    char line[512], kind[8];
    struct run run = { 0 };
    unsigned lid;
    uint64_t guid;
    uint8_t lmc = 0;

    for (int n_tables = 0; n_tables < 2 && fgets(line, sizeof line, stream);) {
        n_tables += !strncmp(line, "Unicast lids", 12);
        if (sscanf(line, "0x%x %*u # %7s", &lid, kind) != 2) {
            continue;
        }
        const char *text = strstr(line, "portguid 0x");
        guid = text ? strtoull(text + strlen("portguid "), NULL, 16) : 0;
        if (guid != run.guid || lid != run.lid + run.n_lids) {
            end_run(fabric, &run, &lmc);
            run = (struct run){ strcmp(kind, "Switch") != 0, guid, lid, 0 };
        }
        run.n_lids++;
    }
    end_run(fabric, &run, &lmc);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        struct sf_ib_port *port = sf_ib_change_port(fabric, i);
        if (fabric->ports[i].node >= fabric->n_switches && port->lid) {
            port->lmc = lmc;
        }
    }
}

/* Looks for the tables that OpenSM dumps into the same folder. */
static enum sf_status
find_lmc(struct sf_fabric *fabric, const char *path, struct sf_error *err)
{
    const char *slash = strrchr(path, '/');
    char *dump;

    if (asprintf(&dump, "%.*sopensm-lfts.dump",
                 slash ? (int)(slash + 1 - path) : 0, path) < 0) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", path);
    }
    FILE *stream = fopen(dump, "rb");
    free(dump);
    if (stream) {
        read_lmc(fabric, stream);
        fclose(stream);
    }
    return SF_OK;
}

enum sf_status
sf_subnet_lst_read(const char *path, struct sf_fabric **fabricp,
                   struct sf_error *err)
{
    char *text;
    size_t length;

    *fabricp = NULL;
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_subnet_lst_parse(text, length, path, fabricp, err);
    }
    free(text);
    if (status == SF_OK) {
        status = find_lmc(*fabricp, path, err);
    }
    if (status != SF_OK) {
        sf_fabric_free(*fabricp);
        *fabricp = NULL;
    }
    return status;
}
