/* ibnetdiscover.c -- the text that ibnetdiscover prints and ibsim loads:
 *
 *     vendid=0x2c9
 *     devid=0xd2f0
 *     sysimgguid=0x2c90200000010
 *     switchguid=0x2c90200000010(2c90200000010)
 *     Switch  8 "S-0002c90200000010"  # "leaf 0" base port 0 lid 1 lmc 0
 *     [1]     "H-0002c90300000100"[1](2c90300000101)  # "n1" lid 5 4xEDR
 *     [5]     "S-0002c90200000020"[5]                 # "leaf 1" lid 2 4xEDR
 *
 *     Ca      1 "H-0002c90300000100"  # "n1"
 *     [1](2c90300000101)  "S-0002c90200000010"[1]  # lid 5 lmc 0 "leaf 0" ...
 *
 * Everything after '#' may be missing, and so may one of the two lines of a
 * cable.  Nodes are known by the word in quotes. */
#include "base/file.h"
#include "base/mem.h"
#include "slimfly/discovery.h"

#include <inttypes.h>
#include <string.h>

/* A node line, and what stood before it. */
struct found_node {
    const char *id; /* The word in quotes. */
    struct sf_node node;
    uint32_t line;
};

/* A port line. */
struct found_port {
    uint32_t node;   /* Into the nodes. */
    uint32_t number; /* Of the port. */
    const char *peer_id;
    uint32_t peer_number;
    uint64_t guid; /* Of the port, hosts only. */
    uint16_t lid;
    uint8_t lmc;
    const char *rate; /* "" if not said. */
    uint32_t line;
};

struct reader {
    const char *path;
    uint32_t line;
    struct sf_node next; /* What is known of the next node. */
    SF_VEC(struct found_node) nodes;
    SF_VEC(struct found_port) ports;
    struct sf_error *err;
};

static enum sf_status
fail_line(struct reader *reader, const char *expected, const char *found)
{
    return sf_fail(reader->err, SF_EPARSE, "%s:%u: expected %s, found '%.60s'",
                   reader->path, reader->line, expected, found);
}

static const char *
skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r");
}

/* Takes a number off '*textp'; false if there is none or it exceeds 'max'. */
static bool
take_number(const char **textp, int base, uint64_t max, uint64_t *numberp)
{
    const char *text = *textp;
    uint64_t number = 0;
    uint64_t radix = (uint64_t)base;

    if (base == 16 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        text += 2;
    }
    const char *start = text;
    for (;; text++) {
        uint64_t digit;
        if (*text >= '0' && *text <= '9') {
            digit = (uint64_t)(*text - '0');
        } else if (base == 16 && *text >= 'a' && *text <= 'f') {
            digit = (uint64_t)(*text - 'a') + 10;
        } else if (base == 16 && *text >= 'A' && *text <= 'F') {
            digit = (uint64_t)(*text - 'A') + 10;
        } else {
            break;
        }
        if (number > (max - digit) / radix) {
            return false;
        }
        number = number * radix + digit;
    }
    *textp = text;
    *numberp = number;
    return text > start;
}

static bool
take_char(const char **textp, char c)
{
    if (**textp != c) {
        return false;
    }
    ++*textp;
    return true;
}

/* Takes the number after 'key' in a comment, such as "lid 5"; leaves
 * '*numberp' alone if it is not there.  Looks from the end, since names may
 * hold anything. */
static void
find_number(const char *comment, const char *key, uint64_t max,
            uint64_t *numberp)
{
    size_t length = strlen(key);

    for (const char *c = comment + strlen(comment); c > comment; c--) {
        if (c[-1] == ' ' && !strncmp(c, key, length) && c[length] == ' ') {
            const char *text = c + length + 1;
            uint64_t number;
            if (take_number(&text, 10, max, &number)) {
                *numberp = number;
                return;
            }
        }
    }
}

/* The last word of a comment if it looks like a rate, such as 4xEDR. */
static const char *
find_rate(char *comment)
{
    size_t length = strlen(comment);
    while (length > 0 && strchr(" \t\r", comment[length - 1])) {
        comment[--length] = '\0';
    }
    char *word = comment + length;
    while (word > comment && word[-1] != ' ') {
        word--;
    }
    size_t n_digits = strspn(word, "0123456789");
    return n_digits > 0 && word[n_digits] == 'x' && strlen(word) < SF_RATE_SIZE
               ? word
               : "";
}

static bool
is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && !strncmp(text, word, length);
}

/* "vendid=0x2c9" and the like, which stand before a node.  Unknown keys are
 * passed over. */
static enum sf_status
read_setting(struct reader *reader, const char *text, const char *equals)
{
    const char *value = equals + 1;
    size_t length = (size_t)(equals - text);
    uint64_t number;

    if (!take_number(&value, 16, UINT64_MAX, &number)) {
        return fail_line(reader, "a hexadecimal number after '='", equals + 1);
    }
    if (is_word(text, length, "vendid")) {
        reader->next.vendor = (uint32_t)number;
    } else if (is_word(text, length, "devid")) {
        reader->next.device = (uint32_t)number;
    } else if (is_word(text, length, "sysimgguid")) {
        reader->next.system_guid = number;
    } else if (is_word(text, length, "switchguid") ||
               is_word(text, length, "caguid") ||
               is_word(text, length, "rtguid")) {
        reader->next.guid = number;
    }
    return SF_OK;
}

/* Cuts a word in quotes off '*textp'. */
static char *
take_quoted(char **textp)
{
    char *start = *textp;
    if (*start != '"') {
        return NULL;
    }
    char *end = strchr(start + 1, '"');
    if (!end) {
        return NULL;
    }
    *end = '\0';
    *textp = end + 1;
    return start + 1;
}

/* Takes the name out of the comment of a node line: everything up to the last
 * quote, since a name may hold quotes itself. */
static const char *
find_name(char *comment)
{
    char *start = strchr(comment, '"');
    char *end = start ? strrchr(comment, '"') : NULL;
    if (!start || end == start) {
        return NULL;
    }
    *end = '\0';
    return start + 1;
}

/* The part of the line after '#', which is cut off; "" if there is none.  A
 * '#' inside the first pair of quotes belongs to a node's id. */
static char *
cut_comment(char *line)
{
    bool is_quoted = false;
    for (char *c = line; *c; c++) {
        if (*c == '"') {
            is_quoted = !is_quoted;
        } else if (*c == '#' && !is_quoted) {
            *c = '\0';
            return c + 1;
        }
    }
    return line + strlen(line);
}

/* 'Switch 8 "S-..."' or 'Ca 1 "H-..."'; 'text' stands after the first word. */
static enum sf_status
read_node(struct reader *reader, enum sf_node_kind kind, char *text,
          char *comment)
{
    struct sf_node *node = &reader->next;
    const char *rest = skip_blanks(text);
    uint64_t n_ports, lid = 0, lmc = 0;

    if (!take_number(&rest, 10, UINT32_MAX, &n_ports)) {
        return fail_line(reader, "a number of ports", rest);
    }
    if (n_ports < 1 || n_ports > SF_MAX_PORTS) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected 1 to %d ports, found %" PRIu64,
                       reader->path, reader->line, SF_MAX_PORTS, n_ports);
    }
    char *quoted = text + (skip_blanks(rest) - text);
    char *id = take_quoted(&quoted);
    if (!id || !*id) {
        return fail_line(reader, "a node in quotes",
                         text + (skip_blanks(rest) - text));
    }
    if (*skip_blanks(quoted)) {
        return fail_line(reader, "nothing after the node",
                         skip_blanks(quoted));
    }
    node->kind = kind;
    node->n_ports = (uint32_t)n_ports;
    node->enhanced_port0 = strstr(comment, "\" enhanced port 0") != NULL;
    find_number(comment, "lid", UINT16_MAX, &lid);
    find_number(comment, "lmc", 7, &lmc);
    node->lid = (uint16_t)lid;
    node->lmc = (uint8_t)lmc;
    const char *name = find_name(comment);
    struct found_node found = { id, *node, reader->line };
    if (!node->guid && (id[0] == 'S' || id[0] == 'H') && id[1] == '-') {
        const char *digits = id + 2;
        uint64_t guid;
        if (take_number(&digits, 16, UINT64_MAX, &guid) && !*digits) {
            found.node.guid = guid;
        }
    }
    /* The name is copied at the end; until then it points into the text, and
     * nothing writes through it. */
    found.node.name = name ? id + (name - id) : id;
    found.node.origin = SF_NONE;
    found.node.rack = SF_NONE;
    found.node.unit = SF_NONE;
    *node = (struct sf_node){ 0 };
    if (reader->nodes.n > UINT16_MAX * 4u) {
        return sf_fail(reader->err, SF_ELIMIT, "%s:%u: too many nodes",
                       reader->path, reader->line);
    }
    if (!sf_vec_push(&reader->nodes, found)) {
        return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory",
                       reader->path);
    }
    return SF_OK;
}

/* Passes over "[ext 3]", which switches in a chassis print after a port. */
static const char *
skip_external(const char *text)
{
    if (!strncmp(text, "[ext ", 5)) {
        const char *end = strchr(text, ']');
        return end ? end + 1 : text;
    }
    return text;
}

/* '[1](guid) "S-..."[5](guid)'. */
static enum sf_status
read_port(struct reader *reader, char *text, char *comment)
{
    struct found_port port = { .line = reader->line };
    uint64_t number, peer_number, lid = 0, lmc = 0;
    const char *rest = text;

    if (reader->nodes.n == 0) {
        return fail_line(reader, "a Switch or Ca line before its ports", text);
    }
    port.node = (uint32_t)reader->nodes.n - 1;
    const struct sf_node *node = &reader->nodes.items[port.node].node;
    if (!take_char(&rest, '[') ||
        !take_number(&rest, 10, UINT32_MAX, &number) ||
        !take_char(&rest, ']')) {
        return fail_line(reader, "a port such as [1]", text);
    }
    if (number < 1 || number > node->n_ports) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected a port from 1 to %u, found %" PRIu64,
                       reader->path, reader->line, node->n_ports, number);
    }
    rest = skip_external(rest);
    if (take_char(&rest, '(') &&
        (!take_number(&rest, 16, UINT64_MAX, &port.guid) ||
         !take_char(&rest, ')'))) {
        return fail_line(reader, "a port GUID in parentheses", rest);
    }
    char *quoted = text + (skip_blanks(rest) - text);
    const char *peer = quoted;
    port.peer_id = take_quoted(&quoted);
    if (!port.peer_id) {
        return fail_line(reader, "the other end in quotes", peer);
    }
    rest = quoted;
    if (!take_char(&rest, '[') ||
        !take_number(&rest, 10, SF_MAX_PORTS, &peer_number) ||
        !take_char(&rest, ']')) {
        return fail_line(reader, "the other end's port such as [1]", quoted);
    }
    /* The peer's GUID, and what ibsim may read after it, are passed over. */
    port.number = (uint32_t)number;
    port.peer_number = (uint32_t)peer_number;
    port.rate = find_rate(comment);
    if (node->kind == SF_NODE_HOST) {
        const char *own = skip_blanks(comment);
        if (!strncmp(own, "lid ", 4)) {
            own += 4;
            take_number(&own, 10, UINT16_MAX, &lid);
            own = skip_blanks(own);
            if (!strncmp(own, "lmc ", 4)) {
                own += 4;
                take_number(&own, 10, 7, &lmc);
            }
        }
    }
    port.lid = (uint16_t)lid;
    port.lmc = (uint8_t)lmc;
    if (!sf_vec_push(&reader->ports, port)) {
        return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory",
                       reader->path);
    }
    return SF_OK;
}

/* Whether 'line' starts with 'word' and a blank; if so, what follows. */
static char *
after_word(char *line, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(line, word, length) &&
                   (line[length] == ' ' || line[length] == '\t')
               ? line + length
               : NULL;
}

static enum sf_status
read_line(struct reader *reader, char *line)
{
    char *text = line + strspn(line, " \t\r");
    char *comment = cut_comment(text);
    char *rest;

    if (!*skip_blanks(text)) {
        return SF_OK;
    }
    if ((rest = after_word(text, "Switch"))) {
        return read_node(reader, SF_NODE_SWITCH, rest, comment);
    }
    if ((rest = after_word(text, "Ca")) || (rest = after_word(text, "Hca")) ||
        (rest = after_word(text, "Rt")) ||
        (rest = after_word(text, "Router"))) {
        return read_node(reader, SF_NODE_HOST, rest, comment);
    }
    if (text[0] == '[') {
        return read_port(reader, text, comment);
    }
    const char *equals = strchr(text, '=');
    if (equals && (size_t)(equals - text) == strcspn(text, " \t\"={:")) {
        return read_setting(reader, text, equals);
    }
    return fail_line(
        reader, "a Switch or Ca line, a port such as [1], or KEY=VALUE", text);
}

static enum sf_status
read_lines(struct reader *reader, char *text, size_t length)
{
    for (char *end = text + length; text < end;) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *line_end = newline ? newline : end;
        reader->line++;
        if (memchr(text, '\0', (size_t)(line_end - text))) {
            return sf_fail(reader->err, SF_EPARSE,
                           "%s:%u: expected text, found a zero byte",
                           reader->path, reader->line);
        }
        *line_end = '\0';
        enum sf_status status = read_line(reader, text);
        if (status != SF_OK) {
            return status;
        }
        text = line_end + 1;
    }
    if (reader->nodes.n == 0) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected at least one Switch or Ca line; "
                       "found none",
                       reader->path, reader->line ? reader->line : 1);
    }
    return SF_OK;
}

/* An id and the node that has it, for sorting and searching. */
struct id_entry {
    const char *id;
    uint32_t node;
};

static int
compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct id_entry *)a)->id,
                  ((const struct id_entry *)b)->id);
}

static enum sf_status
sort_ids(struct reader *reader, struct id_entry *entries)
{
    for (uint32_t i = 0; i < reader->nodes.n; i++) {
        entries[i] = (struct id_entry){ reader->nodes.items[i].id, i };
    }
    qsort(entries, reader->nodes.n, sizeof *entries, compare_ids);
    for (size_t i = 1; i < reader->nodes.n; i++) {
        if (!strcmp(entries[i].id, entries[i - 1].id)) {
            uint32_t a = reader->nodes.items[entries[i].node].line;
            uint32_t b = reader->nodes.items[entries[i - 1].node].line;
            return sf_fail(reader->err, SF_EPARSE,
                           "%s:%u: expected each node once, but \"%.60s\" "
                           "stands in line %u too",
                           reader->path, a > b ? a : b, entries[i].id,
                           a > b ? b : a);
        }
    }
    return SF_OK;
}

static int
compare_node_guids(const void *a, const void *b)
{
    const struct found_node *x = *(const struct found_node *const *)a;
    const struct found_node *y = *(const struct found_node *const *)b;
    return x->node.guid != y->node.guid
               ? (x->node.guid > y->node.guid ? 1 : -1)
               : (x->line > y->line) - (x->line < y->line);
}

/* Refuses two nodes with the same GUID: tables know them by it. */
static enum sf_status
check_guids(const struct reader *reader)
{
    const struct found_node **sorted =
        sf_calloc(reader->nodes.n, sizeof *sorted);
    enum sf_status status = SF_OK;

    if (!sorted) {
        return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory",
                       reader->path);
    }
    for (size_t i = 0; i < reader->nodes.n; i++) {
        sorted[i] = &reader->nodes.items[i];
    }
    qsort(sorted, reader->nodes.n, sizeof *sorted, compare_node_guids);
    for (size_t i = 1; i < reader->nodes.n && status == SF_OK; i++) {
        uint64_t guid = sorted[i]->node.guid;
        if (guid && guid == sorted[i - 1]->node.guid) {
            status = sf_fail(reader->err, SF_EPARSE,
                             "%s:%u: expected each GUID once, but the node of "
                             "line %u has 0x%016" PRIx64 " too",
                             reader->path, sorted[i]->line,
                             sorted[i - 1]->line, guid);
        }
    }
    free(sorted);
    return status;
}

/* Joins the two ends of a port line. */
static enum sf_status
join(struct reader *reader, const struct id_entry *entries,
     const struct found_port *port, struct sf_fabric_builder *builder)
{
    struct id_entry wanted = { port->peer_id, 0 };
    const struct id_entry *peer = bsearch(&wanted, entries, reader->nodes.n,
                                          sizeof *entries, compare_ids);

    if (!peer) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: unknown node \"%.60s\"; expected one that has "
                       "a Switch or Ca line",
                       reader->path, port->line, port->peer_id);
    }
    struct sf_port *own =
        sf_fabric_builder_port(builder, port->node, port->number);
    if (own) {
        own->guid = port->guid;
        own->lid = port->lid;
        own->lmc = port->lmc;
        snprintf(own->rate, sizeof own->rate, "%s", port->rate);
    }
    /* Port 0 is the switch itself: a cable never ends there. */
    if (!sf_fabric_builder_cable(builder, port->node, port->number, peer->node,
                                 port->peer_number)) {
        return sf_fail(
            reader->err, SF_EPARSE,
            "%s:%u: port %u cannot be joined to port %u of \"%.60s\", which "
            "%s",
            reader->path, port->line, port->number, port->peer_number,
            port->peer_id,
            port->peer_number < 1 ||
                    port->peer_number >
                        reader->nodes.items[peer->node].node.n_ports
                ? "does not exist"
                : "is itself or joined to another port elsewhere in the file");
    }
    return SF_OK;
}

/* A rate may be said at one end only. */
static void
share_rates(struct sf_fabric *fabric)
{
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        struct sf_port *port = &fabric->ports[i];
        if (!port->rate[0] && port->peer != SF_NONE) {
            memcpy(port->rate, fabric->ports[port->peer].rate,
                   sizeof port->rate);
        }
    }
}

static enum sf_status
build(struct reader *reader, struct sf_fabric **fabricp)
{
    struct sf_fabric_builder *builder = NULL;
    struct id_entry *entries = sf_calloc(reader->nodes.n, sizeof *entries);
    enum sf_status status;

    if (!entries) {
        return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory",
                       reader->path);
    }
    status = sort_ids(reader, entries);
    if (status == SF_OK) {
        status = check_guids(reader);
    }
    if (status == SF_OK) {
        status = sf_fabric_builder_new(&builder, reader->err);
    }
    if (status != SF_OK) {
        goto done;
    }
    for (size_t i = 0; i < reader->nodes.n; i++) {
        sf_fabric_builder_node(builder, &reader->nodes.items[i].node);
    }
    for (size_t i = 0; status == SF_OK && i < reader->ports.n; i++) {
        status = join(reader, entries, &reader->ports.items[i], builder);
    }
    if (status != SF_OK) {
        sf_fabric_builder_free(builder);
        goto done;
    }
    status = sf_fabric_builder_end(builder, fabricp, reader->err);
    if (status == SF_OK) {
        share_rates(*fabricp);
    }

done:
    free(entries);
    return status;
}

enum sf_status
sf_ibnetdiscover_parse(char *text, size_t length, const char *path,
                       struct sf_fabric **fabricp, struct sf_error *err)
{
    struct reader reader = {
        .path = strcmp(path, "-") ? path : "standard input",
        .err = err,
    };

    *fabricp = NULL;
    enum sf_status status = read_lines(&reader, text, length);
    if (status == SF_OK) {
        status = build(&reader, fabricp);
    }
    free(reader.ports.items);
    free(reader.nodes.items);
    return status;
}

enum sf_status
sf_ibnetdiscover_read(const char *path, struct sf_fabric **fabricp,
                      struct sf_error *err)
{
    char *text;
    size_t length;

    *fabricp = NULL;
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_ibnetdiscover_parse(text, length, path, fabricp, err);
    }
    free(text);
    return status;
}

static char
letter_of(const struct sf_node *node)
{
    return node->kind == SF_NODE_SWITCH ? 'S' : 'H';
}

/* The LID of the node or host port at 'port'. */
static unsigned
lid_of(const struct sf_fabric *fabric, const struct sf_port *port)
{
    const struct sf_node *node = &fabric->nodes[port->node];
    return node->kind == SF_NODE_SWITCH ? node->lid : port->lid;
}

static void
write_port(const struct sf_fabric *fabric, const struct sf_port *port,
           FILE *stream)
{
    const struct sf_node *node = &fabric->nodes[port->node];
    const struct sf_port *peer = &fabric->ports[port->peer];
    const struct sf_node *to = &fabric->nodes[peer->node];

    fprintf(stream, "[%u]", port->number);
    if (node->kind == SF_NODE_HOST) {
        fprintf(stream, "(%" PRIx64 ") ", port->guid);
    }
    fprintf(stream, "\t\"%c-%016" PRIx64 "\"[%u]", letter_of(to), to->guid,
            peer->number);
    if (to->kind == SF_NODE_HOST) {
        /* Two hosts back to back get one more blank. */
        fprintf(stream, "%s(%" PRIx64 ") ",
                node->kind == SF_NODE_HOST ? " " : "", peer->guid);
    }
    fputs("\t\t# ", stream);
    if (node->kind == SF_NODE_HOST) {
        fprintf(stream, "lid %u lmc %u ", port->lid, port->lmc);
    }
    fprintf(stream, "\"%s\" lid %u", to->name, lid_of(fabric, peer));
    if (port->rate[0]) {
        fprintf(stream, " %s", port->rate);
    }
    fputc('\n', stream);
}

static void
write_node(const struct sf_fabric *fabric, const struct sf_node *node,
           FILE *stream)
{
    bool is_switch = node->kind == SF_NODE_SWITCH;

    fprintf(stream, "\nvendid=0x%x\ndevid=0x%x\n", node->vendor, node->device);
    if (node->system_guid) {
        fprintf(stream, "sysimgguid=0x%" PRIx64 "\n", node->system_guid);
    }
    if (is_switch) {
        fprintf(stream, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", node->guid,
                node->guid);
        fprintf(stream,
                "Switch\t%u \"S-%016" PRIx64 "\"\t\t# \"%s\" %s port 0 lid %u "
                "lmc %u\n",
                node->n_ports, node->guid, node->name,
                node->enhanced_port0 ? "enhanced" : "base", node->lid,
                node->lmc);
    } else {
        fprintf(stream, "caguid=0x%" PRIx64 "\n", node->guid);
        fprintf(stream, "Ca\t%u \"H-%016" PRIx64 "\"\t\t# \"%s\"\n",
                node->n_ports, node->guid, node->name);
    }
    for (uint32_t i = 0; i < node->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[node->first_port + i];
        if (port->peer != SF_NONE) {
            write_port(fabric, port, stream);
        }
    }
}

void
sf_ibnetdiscover_write(const struct sf_fabric *fabric, const char *comment,
                       FILE *stream)
{
    fprintf(stream, "#\n# Topology file: %s\n#\n", comment);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        write_node(fabric, &fabric->nodes[i], stream);
    }
}
