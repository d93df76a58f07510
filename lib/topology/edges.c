/* edges.c -- a graph from an edge list, and back.
 *
 * A line joins two nodes, "A B"; the same line again is a parallel link.  '#'
 * starts a comment.  A third word "{}", which NetworkX writes, is ignored.
 * Names are any printable words; nodes are numbered in the order of their
 * names, numbers counted as numbers (sw2 before sw10).
 *
 * A comment "# Nodes: N", as in the SNAP collection, announces that the nodes
 * are 0..N-1: then any other name is an error, and nodes without links
 * exist.  sf_edges_write() writes it. */
#define _GNU_SOURCE
#include "topology/edges.h"

#include "base/file.h"

#include <string.h>

/* One line of the list. */
struct edge {
    const char *a, *b; /* Names, inside the text. */
    uint32_t line;
};

struct edge_list {
    const char *path;
    SF_VEC(struct edge) edges;
    uint32_t n_announced;    /* 0 if there is no "# Nodes:" line. */
    uint32_t announced_line; /* Where that is. */
};

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts the next word off '*restp'; NULL if there is none. */
static char *
next_word(char **restp)
{
    char *word = *restp;
    while (is_blank(*word)) {
        word++;
    }
    if (!*word) {
        return NULL;
    }
    char *end = word;
    while (*end && !is_blank(*end)) {
        end++;
    }
    *restp = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

/* A whole number below SF_MAX_SWITCHES + 1 without leading zeros, else
 * SF_NONE. */
static uint32_t
parse_index(const char *word)
{
    uint32_t number = 0;

    if (!*word || (word[0] == '0' && word[1])) {
        return SF_NONE;
    }
    for (; *word; word++) {
        if (*word < '0' || *word > '9' || number > SF_MAX_SWITCHES) {
            return SF_NONE;
        }
        number = number * 10 + (uint32_t)(*word - '0');
    }
    return number <= SF_MAX_SWITCHES ? number : SF_NONE;
}

static enum sf_status
check_name(const struct edge_list *list, uint32_t line, const char *name,
           struct sf_error *err)
{
    size_t length = strlen(name);
    if (length >= SF_MAX_NAME) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected node names of at most %d characters, "
                       "found one of %zu",
                       list->path, line, SF_MAX_NAME - 1, length);
    }
    for (const char *c = name; *c; c++) {
        if (*c < 0x21 || *c > 0x7e) {
            return sf_fail(err, SF_EPARSE,
                           "%s:%u: expected node names of printable ASCII, "
                           "found byte 0x%02x",
                           list->path, line, (unsigned)(unsigned char)*c);
        }
    }
    if (list->n_announced && parse_index(name) >= list->n_announced) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: unknown node '%s'; line %u announces the nodes "
                       "0 to %u",
                       list->path, line, name, list->announced_line,
                       list->n_announced - 1);
    }
    return SF_OK;
}

/* Takes "# Nodes: N" out of a comment; other comments say nothing. */
static enum sf_status
read_comment(struct edge_list *list, uint32_t line, char *comment,
             struct sf_error *err)
{
    char *key = next_word(&comment);
    if (!key || strcmp(key, "Nodes:") != 0) {
        return SF_OK;
    }
    if (list->n_announced || list->edges.n) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected '# Nodes:' once and before the links",
                       list->path, line);
    }
    char *word = next_word(&comment);
    uint32_t n = word ? parse_index(word) : SF_NONE;
    if (n == SF_NONE || n == 0) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected a number of nodes from 1 to %u after "
                       "'# Nodes:', found '%.40s'",
                       list->path, line, SF_MAX_SWITCHES, word ? word : "");
    }
    list->n_announced = n;
    list->announced_line = line;
    return SF_OK;
}

static enum sf_status
read_line(struct edge_list *list, uint32_t line, char *text,
          struct sf_error *err)
{
    char *comment = strchr(text, '#');
    if (comment) {
        *comment = '\0';
        enum sf_status status = read_comment(list, line, comment + 1, err);
        if (status != SF_OK) {
            return status;
        }
    }
    char *a = next_word(&text);
    if (!a) {
        return SF_OK;
    }
    char *b = next_word(&text);
    char *third = b ? next_word(&text) : NULL;
    if (!b) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected two nodes, found only '%.40s'",
                       list->path, line, a);
    }
    if (third && (strcmp(third, "{}") != 0 || next_word(&text))) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected two nodes, found '%.40s' after them",
                       list->path, line, third);
    }
    enum sf_status status = check_name(list, line, a, err);
    if (status == SF_OK) {
        status = check_name(list, line, b, err);
    }
    if (status != SF_OK) {
        return status;
    }
    if (!strcmp(a, b)) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected two different nodes, found a link "
                       "from '%s' to itself",
                       list->path, line, a);
    }
    if (list->edges.n == SF_MAX_LINKS) {
        return sf_fail(err, SF_ELIMIT, "%s:%u: more than %u links", list->path,
                       line, SF_MAX_LINKS);
    }
    if (!sf_vec_push(&list->edges, ((struct edge){ a, b, line }))) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", list->path);
    }
    return SF_OK;
}

static enum sf_status
read_lines(struct edge_list *list, char *text, size_t length,
           struct sf_error *err)
{
    uint32_t line = 0;

    for (char *end = text + length; text < end;) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *line_end = newline ? newline : end;
        line++;
        if (memchr(text, '\0', (size_t)(line_end - text))) {
            return sf_fail(err, SF_EPARSE,
                           "%s:%u: expected text, found a zero byte",
                           list->path, line);
        }
        *line_end = '\0';
        enum sf_status status = read_line(list, line, text, err);
        if (status != SF_OK) {
            return status;
        }
        text = line_end + 1;
    }
    if (list->edges.n == 0 && !list->n_announced) {
        return sf_fail(err, SF_EPARSE,
                       "%s:%u: expected at least one link, a line of two "
                       "nodes; found none",
                       list->path, line ? line : 1);
    }
    return SF_OK;
}

static int
compare_names(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Draws a list of announced nodes, whose names are their numbers. */
static enum sf_status
draw_announced(const struct edge_list *list, struct sf_sketch *sketch,
               struct sf_error *err)
{
    enum sf_status status =
        sf_sketch_begin(sketch, list->n_announced, list->edges.n, err);
    for (size_t i = 0; status == SF_OK && i < list->edges.n; i++) {
        const struct edge *edge = &list->edges.items[i];
        sf_sketch_link(sketch, parse_index(edge->a), parse_index(edge->b), 1);
    }
    return status;
}

/* Draws a list whose nodes are known by their names only. */
static enum sf_status
draw_named(const struct edge_list *list, struct sf_sketch *sketch,
           struct sf_error *err)
{
    size_t n_names = 0, n_ends = 2 * list->edges.n;
    enum sf_status status;

    const char **names = sf_calloc(n_ends, sizeof *names);
    if (!names) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", list->path);
    }
    for (size_t i = 0; i < list->edges.n; i++) {
        names[2 * i] = list->edges.items[i].a;
        names[2 * i + 1] = list->edges.items[i].b;
    }
    qsort(names, n_ends, sizeof *names, compare_names);
    for (size_t i = 0; i < n_ends; i++) {
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0) {
            names[n_names++] = names[i];
        }
    }

    status = sf_sketch_begin(sketch, n_names, list->edges.n, err);
    if (status != SF_OK) {
        sf_error_add_context(err, list->path);
        goto done;
    }
    sketch->names = sf_calloc(n_names, sizeof *sketch->names);
    for (size_t i = 0; i < n_names; i++) {
        if (sketch->names) {
            sketch->names[i] = sf_strdup(names[i]);
        }
        if (!sketch->names || !sketch->names[i]) {
            status = sf_fail(err, SF_ENOMEM, "%s: out of memory", list->path);
            goto done;
        }
    }
    for (size_t i = 0; i < list->edges.n; i++) {
        const struct edge *edge = &list->edges.items[i];
        const char **a =
            bsearch(&edge->a, names, n_names, sizeof *names, compare_names);
        const char **b =
            bsearch(&edge->b, names, n_names, sizeof *names, compare_names);
        sf_sketch_link(sketch, (uint32_t)(a - names), (uint32_t)(b - names),
                       1);
    }

done:
    free(names);
    return status;
}

enum sf_status
sf_edges_read(char *text, size_t length, const char *path, uint32_t p,
              struct sf_sketch *sketch, struct sf_error *err)
{
    struct edge_list list = { .path = strcmp(path, "-") ? path
                                                        : "standard input" };

    enum sf_status status = read_lines(&list, text, length, err);
    if (status == SF_OK) {
        status = list.n_announced ? draw_announced(&list, sketch, err)
                                  : draw_named(&list, sketch, err);
    }
    for (uint32_t s = 0; status == SF_OK && s < sketch->n_switches; s++) {
        sf_sketch_switch(sketch, s, &s, p);
    }
    free(list.edges.items);
    return status;
}

void
sf_edges_write(const struct sf_topology *topo, FILE *stream)
{
    const struct sf_graph *graph = topo->graph;

    fprintf(stream, "# %s\n# Nodes: %u Edges: %u\n", topo->spec,
            graph->n_nodes, graph->n_links);
    for (uint32_t i = 0; i < graph->n_links; i++) {
        fprintf(stream, "%u %u\n", graph->links[i].a, graph->links[i].b);
    }
}

static enum sf_status
draw(const struct sf_value *values, struct sf_sketch *sketch,
     struct sf_error *err)
{
    const char *path = values[0].text;
    char *text;
    size_t length;

    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_edges_read(text, length, path, sf_value_or(&values[1], 1),
                               sketch, err);
    }
    free(text);
    return status;
}

static void
name_by_number(const uint32_t *place, char name[SF_MAX_NAME])
{
    snprintf(name, SF_MAX_NAME, "%u", place[0]);
}

static const struct sf_family_ops ops = { draw, name_by_number };

const struct sf_family sf_family_edges = {
    .name = "edges",
    .title = "any graph, from an edge list",
    .example = "edges:FILE",
    .reference = NULL,
    .params = {
        { .key = "file", SF_PARAM_FILE, 0, 0, true, NULL,
          "one line a link; - reads standard input" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "1", "hosts a switch" },
    },
    .coords = { "index" },
    .level_coord = SF_NONE,
    .group_coord = SF_NONE,
    .ops = &ops,
};
