/* drain_list.c -- the administrator's list of what is drained: its file. */
#define _GNU_SOURCE
#include "slimfly/drain.h"

#include "base/file.h"
#include "base/locked_file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLANKS    " \t\r"
#define MAX_NAME  128 /* Bytes of the name of a switch. */
#define MAX_LINES 100000

void
sf_drain_entry_clear(struct sf_drain_entry *entry)
{
    free(entry->names[0]);
    free(entry->names[1]);
    *entry = (struct sf_drain_entry){ 0 };
}

/* Whether end 'i' of 'a' is end 'k' of 'b'. */
static bool
is_same_end(const struct sf_drain_entry *a, int i,
            const struct sf_drain_entry *b, int k)
{
    return a->ports[i] == b->ports[k] && !strcmp(a->names[i], b->names[k]);
}

bool
sf_drain_entry_is_same(const struct sf_drain_entry *a,
                       const struct sf_drain_entry *b)
{
    if (a->is_switch || b->is_switch) {
        return a->is_switch == b->is_switch &&
               !strcmp(a->names[0], b->names[0]);
    }
    return (is_same_end(a, 0, b, 0) && is_same_end(a, 1, b, 1)) ||
           (is_same_end(a, 0, b, 1) && is_same_end(a, 1, b, 0));
}

/* The quotes that 'name' needs. */
static const char *
quotes(const char *name)
{
    return !*name || strpbrk(name, BLANKS "#[]:") ? "\"" : "";
}

char *
sf_drain_entry_text(const struct sf_drain_entry *entry,
                    char text[SF_DRAIN_TEXT_SIZE])
{
    const char *a = entry->names[0], *b = entry->names[1];

    if (entry->is_switch) {
        snprintf(text, SF_DRAIN_TEXT_SIZE, "%s%s%s", quotes(a), a, quotes(a));
    } else {
        snprintf(text, SF_DRAIN_TEXT_SIZE, "%s%s%s[%u] %s%s%s[%u]", quotes(a),
                 a, quotes(a), entry->ports[0], quotes(b), b, quotes(b),
                 entry->ports[1]);
    }
    return text;
}

/* A line that is being read. */
struct reader {
    const char *path;
    uint32_t line;
    const char *at;
    struct sf_error *err;
};

static enum sf_status
refuse(const struct reader *reader, const char *expected)
{
    char found[48];

    snprintf(found, sizeof found, "%.40s", reader->at);
    return sf_fail(reader->err, SF_EPARSE, "%s:%u: expected %s, found %s%s%s",
                   reader->path, reader->line, expected, *found ? "'" : "",
                   *found ? found : "the end of the line", *found ? "'" : "");
}

static void
skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, BLANKS);
}

static bool
is_end(const struct reader *reader)
{
    return *reader->at == '\0' || *reader->at == '#';
}

/* Whether one of 'length' bytes is a control character. */
static bool
has_control(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)text[i] < ' ' || text[i] == 127) {
            return true;
        }
    }
    return false;
}

/* Reads a name, in quotes or without. */
static enum sf_status
read_name(struct reader *reader, char **namep)
{
    bool is_quoted = *reader->at == '"';
    const char *start = reader->at + is_quoted;
    size_t length = strcspn(start, is_quoted ? "\"" : BLANKS "\"#[]");

    if (length == 0 || length > MAX_NAME || has_control(start, length) ||
        (is_quoted && start[length] != '"')) {
        return refuse(reader, "the name of a switch");
    }
    *namep = sf_calloc(length + 1, 1);
    if (!*namep) {
        return sf_fail(reader->err, SF_ENOMEM, "%s: out of memory",
                       reader->path);
    }
    memcpy(*namep, start, length);
    reader->at = start + length + is_quoted;
    return SF_OK;
}

/* Reads "[5]". */
static enum sf_status
read_port(struct reader *reader, uint32_t *portp)
{
    uint32_t port = 0;
    const char *at = reader->at;

    if (*at != '[') {
        return refuse(reader, "a port, such as [5], after the name");
    }
    for (at++; *at >= '0' && *at <= '9' && port <= SF_MAX_PORTS; at++) {
        port = 10 * port + (uint32_t)(*at - '0');
    }
    if (*at != ']' || port < 1 || port > SF_MAX_PORTS) {
        return refuse(reader, "a port from [1] to [254]");
    }
    *portp = port;
    reader->at = at + 1;
    return SF_OK;
}

static enum sf_status
read_link(struct reader *reader, struct sf_drain_entry *entry)
{
    enum sf_status status = SF_OK;

    for (int i = 0; status == SF_OK && i < 2; i++) {
        skip_blanks(reader);
        status = read_name(reader, &entry->names[i]);
        if (status == SF_OK) {
            status = read_port(reader, &entry->ports[i]);
        }
    }
    return status;
}

/* Whether 'word' comes next; passes over it. */
static bool
take_word(struct reader *reader, const char *word)
{
    size_t length = strlen(word);
    const char *at = reader->at;

    if (strncmp(at, word, length) != 0 ||
        (at[length] != '\0' && !strchr(BLANKS "#", at[length]))) {
        return false;
    }
    reader->at += length;
    skip_blanks(reader);
    return true;
}

static enum sf_status
read_entry(struct reader *reader, struct sf_drain_entry *entry)
{
    enum sf_status status;

    if (take_word(reader, "link")) {
        status = read_link(reader, entry);
    } else if (take_word(reader, "switch")) {
        entry->is_switch = true;
        status = read_name(reader, &entry->names[0]);
        skip_blanks(reader);
        entry->with_hosts = status == SF_OK && take_word(reader, "with-hosts");
    } else {
        return refuse(reader, "link NAME[PORT] NAME[PORT] or switch NAME "
                              "[with-hosts]");
    }
    skip_blanks(reader);
    return status == SF_OK && !is_end(reader)
               ? refuse(reader, "the end of the line or a comment")
               : status;
}

static void
clear_line(struct sf_drain_line *line)
{
    sf_drain_entry_clear(&line->entry);
    free(line->text);
}

/* Takes over 'text' as the last line. */
static enum sf_status
push_line(struct sf_drain_list *list, char *text, const char *path,
          struct sf_error *err)
{
    struct reader reader = { path, list->n_lines + 1, text, err };
    struct sf_drain_line line = { .text = text };
    struct sf_drain_line *lines =
        text ? sf_realloc(list->lines, list->n_lines + 1, sizeof *lines)
             : NULL;
    enum sf_status status = SF_OK;

    if (!lines) {
        free(text);
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", path);
    }
    list->lines = lines;
    skip_blanks(&reader);
    line.is_entry = !is_end(&reader);
    if (line.is_entry) {
        status = read_entry(&reader, &line.entry);
        line.comment = reader.at + (*reader.at == '#');
        line.comment += strspn(line.comment, BLANKS);
    }
    if (status != SF_OK) {
        clear_line(&line);
        return status;
    }
    lines[list->n_lines++] = line;
    list->n_entries += line.is_entry;
    return SF_OK;
}

enum sf_status
sf_drain_list_parse(const char *text, size_t length, const char *path,
                    struct sf_drain_list **listp, struct sf_error *err)
{
    struct sf_drain_list *list = sf_calloc(1, sizeof *list);
    const char *end = text + length;
    enum sf_status status =
        list ? SF_OK : sf_fail(err, SF_ENOMEM, "%s: out of memory", path);

    *listp = NULL;
    for (const char *at = text; status == SF_OK && at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((newline ? newline : end) - at);
        char *line = memchr(at, '\0', n) ? NULL : sf_calloc(n + 1, 1);
        if (memchr(at, '\0', n) || list->n_lines >= MAX_LINES) {
            free(line);
            status = sf_fail(err, SF_EPARSE,
                             "%s:%u: expected text, of at most %d lines", path,
                             list->n_lines + 1, MAX_LINES);
            break;
        }
        if (line) {
            memcpy(line, at, n);
        }
        status = push_line(list, line, path, err);
        at += n + 1;
    }
    if (status != SF_OK) {
        sf_drain_list_free(list);
        return status;
    }
    *listp = list;
    return SF_OK;
}

enum sf_status
sf_drain_list_load(const char *path, struct sf_drain_list **listp,
                   struct sf_error *err)
{
    char *text;
    size_t length;

    *listp = NULL;
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return sf_drain_list_parse("", 0, path, listp, err);
    }
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_drain_list_parse(text, length, path, listp, err);
        free(text);
    }
    return status;
}

void
sf_drain_list_free(struct sf_drain_list *list)
{
    if (list) {
        for (uint32_t i = 0; i < list->n_lines; i++) {
            clear_line(&list->lines[i]);
        }
        free(list->lines);
        free(list);
    }
}

/* The line of 'entry', or n_lines. */
static uint32_t
find(const struct sf_drain_list *list, const struct sf_drain_entry *entry)
{
    uint32_t i = 0;

    while (i < list->n_lines &&
           (!list->lines[i].is_entry ||
            !sf_drain_entry_is_same(&list->lines[i].entry, entry))) {
        i++;
    }
    return i;
}

/* The text of a line; NULL if memory ran out. */
static char *
make_text(const struct sf_drain_entry *entry, const char *comment)
{
    char text[SF_DRAIN_TEXT_SIZE];
    size_t size = sizeof text + strlen(comment) + 40;
    char *line = sf_calloc(size, 1);

    if (line) {
        snprintf(line, size, "%s %s%s%s%s",
                 entry->is_switch ? "switch" : "link",
                 sf_drain_entry_text(entry, text),
                 entry->with_hosts ? " with-hosts" : "", *comment ? " # " : "",
                 comment);
        for (char *c = line; *c; c++) {
            if (has_control(c, 1)) {
                *c = ' ';
            }
        }
    }
    return line;
}

static bool
is_good_name(const char *name)
{
    return !name || (*name && strlen(name) <= MAX_NAME && !strchr(name, '"') &&
                     !has_control(name, strlen(name)));
}

enum sf_status
sf_drain_list_add(struct sf_drain_list *list,
                  const struct sf_drain_entry *entry, const char *comment,
                  bool *is_newp, struct sf_error *err)
{
    uint32_t i = find(list, entry);

    *is_newp = false;
    if (!is_good_name(entry->names[0]) || !is_good_name(entry->names[1])) {
        return sf_fail(err, SF_EINVAL,
                       "a list of drained links cannot hold the name '%s'",
                       is_good_name(entry->names[0]) ? entry->names[1]
                                                     : entry->names[0]);
    }
    if (i < list->n_lines &&
        (list->lines[i].entry.with_hosts || !entry->with_hosts)) {
        return SF_OK;
    }
    enum sf_status status =
        push_line(list, make_text(entry, comment), "the list", err);
    if (status == SF_OK && i + 1 < list->n_lines) {
        sf_drain_list_remove(list, entry); /* The first, without hosts. */
    }
    *is_newp = status == SF_OK;
    return status;
}

bool
sf_drain_list_remove(struct sf_drain_list *list,
                     const struct sf_drain_entry *entry)
{
    uint32_t i = find(list, entry);

    if (i == list->n_lines) {
        return false;
    }
    clear_line(&list->lines[i]);
    list->n_lines--;
    list->n_entries--;
    memmove(&list->lines[i], &list->lines[i + 1],
            (list->n_lines - i) * sizeof *list->lines);
    return true;
}

static void
write_lines(const void *aux, FILE *stream)
{
    const struct sf_drain_list *list = aux;

    for (uint32_t i = 0; i < list->n_lines; i++) {
        fprintf(stream, "%s\n", list->lines[i].text);
    }
}

enum sf_status
sf_drain_list_lock(const char *path, int *lockp, struct sf_error *err)
{
    return sf_locked_file_take(path, lockp, err);
}

enum sf_status
sf_drain_list_save(const struct sf_drain_list *list, const char *path,
                   struct sf_error *err)
{
    return sf_locked_file_replace(path, write_lines, list, err);
}
