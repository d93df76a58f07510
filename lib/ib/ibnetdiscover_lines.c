/* ibnetdiscover_lines.c -- the lines of what ibnetdiscover prints.  The format
 * is told in ibnetdiscover.c. */
#include "ib/ibnetdiscover_lines.h"

#include <inttypes.h>
#include <string.h>

static enum sf_status
fail_line(struct sf_ibnetdiscover_lines *lines, const char *expected,
          const char *found)
{
    return sf_fail(lines->err, SF_EPARSE, "%s:%u: expected %s, found '%.60s'",
                   lines->path, lines->line, expected, found);
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
read_setting(struct sf_ibnetdiscover_lines *lines, const char *text,
             const char *equals)
{
    const char *value = equals + 1;
    size_t length = (size_t)(equals - text);
    uint64_t number;

    if (!take_number(&value, 16, UINT64_MAX, &number)) {
        return fail_line(lines, "a hexadecimal number after '='", equals + 1);
    }
    if (is_word(text, length, "vendid")) {
        lines->next.ib.vendor = (uint32_t)number;
    } else if (is_word(text, length, "devid")) {
        lines->next.ib.device = (uint32_t)number;
    } else if (is_word(text, length, "sysimgguid")) {
        lines->next.ib.system_guid = number;
    } else if (is_word(text, length, "switchguid") ||
               is_word(text, length, "caguid") ||
               is_word(text, length, "rtguid")) {
        lines->next.node.guid = number;
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
read_node(struct sf_ibnetdiscover_lines *lines, enum sf_node_kind kind,
          char *text, char *comment)
{
    struct found_node found = lines->next;
    const char *rest = skip_blanks(text);
    uint64_t n_ports, lid = 0, lmc = 0;

    if (!take_number(&rest, 10, UINT32_MAX, &n_ports)) {
        return fail_line(lines, "a number of ports", rest);
    }
    if (n_ports < 1 || n_ports > SF_MAX_PORTS) {
        return sf_fail(lines->err, SF_EPARSE,
                       "%s:%u: expected 1 to %d ports, found %" PRIu64,
                       lines->path, lines->line, SF_MAX_PORTS, n_ports);
    }
    char *quoted = text + (skip_blanks(rest) - text);
    char *id = take_quoted(&quoted);
    if (!id || !*id) {
        return fail_line(lines, "a node in quotes",
                         text + (skip_blanks(rest) - text));
    }
    if (*skip_blanks(quoted)) {
        return fail_line(lines, "nothing after the node", skip_blanks(quoted));
    }
    lines->next = (struct found_node){ 0 };
    found.id = id;
    found.line = lines->line;
    found.node.kind = kind;
    found.node.n_ports = (uint32_t)n_ports;
    found.ib.enhanced_port0 = strstr(comment, "\" enhanced port 0") != NULL;
    find_number(comment, "lid", UINT16_MAX, &lid);
    find_number(comment, "lmc", 7, &lmc);
    found.ib.lid = (uint16_t)lid;
    found.ib.lmc = (uint8_t)lmc;
    const char *name = find_name(comment);
    if (!found.node.guid && (id[0] == 'S' || id[0] == 'H') && id[1] == '-') {
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
    if (lines->nodes.n > UINT16_MAX * 4u) {
        return sf_fail(lines->err, SF_ELIMIT, "%s:%u: too many nodes",
                       lines->path, lines->line);
    }
    if (!sf_vec_push(&lines->nodes, found)) {
        return sf_fail(lines->err, SF_ENOMEM, "%s: out of memory",
                       lines->path);
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
read_port(struct sf_ibnetdiscover_lines *lines, char *text, char *comment)
{
    struct found_port port = { .line = lines->line };
    uint64_t number, peer_number, lid = 0, lmc = 0;
    const char *rest = text;

    if (lines->nodes.n == 0) {
        return fail_line(lines, "a Switch or Ca line before its ports", text);
    }
    port.node = (uint32_t)lines->nodes.n - 1;
    const struct sf_node *node = &lines->nodes.items[port.node].node;
    if (!take_char(&rest, '[') ||
        !take_number(&rest, 10, UINT32_MAX, &number) ||
        !take_char(&rest, ']')) {
        return fail_line(lines, "a port such as [1]", text);
    }
    if (number < 1 || number > node->n_ports) {
        return sf_fail(lines->err, SF_EPARSE,
                       "%s:%u: expected a port from 1 to %u, found %" PRIu64,
                       lines->path, lines->line, node->n_ports, number);
    }
    rest = skip_external(rest);
    if (take_char(&rest, '(') &&
        (!take_number(&rest, 16, UINT64_MAX, &port.guid) ||
         !take_char(&rest, ')'))) {
        return fail_line(lines, "a port GUID in parentheses", rest);
    }
    char *quoted = text + (skip_blanks(rest) - text);
    const char *peer = quoted;
    port.peer_id = take_quoted(&quoted);
    if (!port.peer_id) {
        return fail_line(lines, "the other end in quotes", peer);
    }
    rest = quoted;
    if (!take_char(&rest, '[') ||
        !take_number(&rest, 10, SF_MAX_PORTS, &peer_number) ||
        !take_char(&rest, ']')) {
        return fail_line(lines, "the other end's port such as [1]", quoted);
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
    port.ib = (struct sf_ib_port){ (uint16_t)lid, (uint8_t)lmc };
    if (!sf_vec_push(&lines->ports, port)) {
        return sf_fail(lines->err, SF_ENOMEM, "%s: out of memory",
                       lines->path);
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

/* Whether 'text' is like a line of an edge list: two words, nothing else. */
static bool
is_edge(const char *text)
{
    static const char blanks[] = " \t\r";
    size_t first = strcspn(text, blanks);
    const char *second = text + first + strspn(text + first, blanks);
    size_t length = strcspn(second, blanks);

    return first && length &&
           !second[length + strspn(second + length, blanks)];
}

static enum sf_status
read_line(struct sf_ibnetdiscover_lines *lines, char *line)
{
    char *text = line + strspn(line, " \t\r");
    char *comment = cut_comment(text);
    char *rest;

    if (!*skip_blanks(text)) {
        return SF_OK;
    }
    if ((rest = after_word(text, "Switch"))) {
        return read_node(lines, SF_NODE_SWITCH, rest, comment);
    }
    if ((rest = after_word(text, "Ca")) || (rest = after_word(text, "Hca")) ||
        (rest = after_word(text, "Rt")) ||
        (rest = after_word(text, "Router"))) {
        return read_node(lines, SF_NODE_HOST, rest, comment);
    }
    if (text[0] == '[') {
        return read_port(lines, text, comment);
    }
    const char *equals = strchr(text, '=');
    if (equals && (size_t)(equals - text) == strcspn(text, " \t\"={:")) {
        return read_setting(lines, text, equals);
    }
    if (!lines->nodes.n && is_edge(text)) {
        return sf_fail(lines->err, SF_EPARSE,
                       "%s:%u: expected a Switch or Ca line, found '%.60s'; "
                       "if this is an edge list, say edges:%s",
                       lines->path, lines->line, text, lines->path);
    }
    return fail_line(
        lines, "a Switch or Ca line, a port such as [1], or KEY=VALUE", text);
}

enum sf_status
sf_ibnetdiscover_read_lines(struct sf_ibnetdiscover_lines *lines, char *text,
                            size_t length)
{
    for (char *end = text + length; text < end;) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *line_end = newline ? newline : end;
        lines->line++;
        if (memchr(text, '\0', (size_t)(line_end - text))) {
            return sf_fail(lines->err, SF_EPARSE,
                           "%s:%u: expected text, found a zero byte",
                           lines->path, lines->line);
        }
        *line_end = '\0';
        enum sf_status status = read_line(lines, text);
        if (status != SF_OK) {
            return status;
        }
        text = line_end + 1;
    }
    if (lines->nodes.n == 0) {
        return sf_fail(lines->err, SF_EPARSE,
                       "%s:%u: expected at least one Switch or Ca line; "
                       "found none",
                       lines->path, lines->line ? lines->line : 1);
    }
    return SF_OK;
}
