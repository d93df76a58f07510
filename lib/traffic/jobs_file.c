/* jobs_file.c -- see slimfly/jobs_file.h. */
#define _GNU_SOURCE
#include "slimfly/jobs_file.h"

#include "base/file.h"
#include "base/locked_file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "slimfly/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLANKS       " \t\r"
#define MARK         "slimfly:"
#define PATTERN_SIZE 256 /* Of a comment's pattern. */

/* A line: its text, and its words where it has a job. */
struct line {
    char *text;
    char *words; /* A copy, cut into words; NULL if there is no job. */
    struct sf_jobs_line job;
};

struct sf_jobs_file {
    char *path;
    int lock; /* A descriptor. */
    bool has_changed;
    SF_VEC(struct line) lines;
};

static enum sf_status
fail_memory(const char *path, struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "%s: out of memory for jobs", path);
}

static void
clear_line(struct line *line)
{
    free(line->words);
    free(line->text);
}

/* Cuts the next word off; NULL if there is none. */
static char *
cut_word(char **restp)
{
    char *word = *restp + strspn(*restp, BLANKS);
    char *end = word + strcspn(word, BLANKS);

    *restp = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

/* Whether a word has bytes that cannot be shown. */
static bool
has_unseen(const struct line *line)
{
    return sf_utf8_find_unseen(line->job.name) ||
           sf_utf8_find_unseen(line->job.pattern) ||
           sf_utf8_find_unseen(line->job.nodes);
}

/* Finds the words of the job of a line, if it has one. */
static bool
read_words(struct line *line)
{
    char *rest = line->words = sf_strdup(line->text);

    if (!rest) {
        return false;
    }
    rest[strcspn(rest, "#")] = '\0';
    line->job.name = cut_word(&rest);
    line->job.pattern = cut_word(&rest);
    line->job.nodes = cut_word(&rest);
    if (!line->job.nodes || cut_word(&rest) || has_unseen(line)) {
        free(line->words);
        line->words = NULL;
    }
    return true;
}

/* Takes over 'text' as line 'i', or as the last. */
static bool
put_line(struct sf_jobs_file *file, size_t i, char *text)
{
    struct line line = { .text = text };

    if (!text || !read_words(&line) ||
        (i == file->lines.n &&
         !sf_vec_push(&file->lines, (struct line){ 0 })) ||
        !file->lines.items) {
        clear_line(&line);
        return false;
    }
    clear_line(&file->lines.items[i]);
    file->lines.items[i] = line;
    return true;
}

/* Reads the lines of the file, if it is there. */
static enum sf_status
read_lines(struct sf_jobs_file *file, bool may_miss, struct sf_error *err)
{
    char *text;
    size_t length;
    bool made = true;

    if (may_miss && access(file->path, F_OK) != 0 && errno == ENOENT) {
        return SF_OK;
    }
    enum sf_status status = sf_file_read(file->path, &text, &length, err);
    if (status != SF_OK) {
        return status;
    }
    size_t n_mark = strlen(SF_UTF8_MARK);
    size_t skipped = strncmp(text, SF_UTF8_MARK, n_mark) ? 0 : n_mark;
    for (char *at = text + skipped, *end = text + length; made && at < end;) {
        char *newline = memchr(at, '\n', (size_t)(end - at));
        char *line_end = newline ? newline : end;
        *line_end = '\0';
        made = put_line(file, file->lines.n, sf_strdup(at));
        at = line_end + 1;
    }
    free(text);
    return made ? SF_OK : fail_memory(file->path, err);
}

enum sf_status
sf_jobs_file_open(const char *path, bool changes, struct sf_jobs_file **filep,
                  struct sf_error *err)
{
    struct sf_jobs_file *file = sf_calloc(1, sizeof *file);

    *filep = NULL;
    if (!file) {
        return fail_memory(path, err);
    }
    file->lock = -1;
    file->path = sf_strdup(path);
    enum sf_status status = !file->path ? fail_memory(path, err)
                            : changes
                                ? sf_locked_file_take(path, &file->lock, err)
                                : SF_OK;
    if (status == SF_OK) {
        status = read_lines(file, changes, err);
    }
    if (status != SF_OK) {
        sf_jobs_file_close(file);
        return status;
    }
    *filep = file;
    return SF_OK;
}

void
sf_jobs_file_close(struct sf_jobs_file *file)
{
    if (file) {
        for (size_t i = 0; i < file->lines.n; i++) {
            clear_line(&file->lines.items[i]);
        }
        free(file->lines.items);
        free(file->path);
        if (file->lock >= 0) {
            close(file->lock);
        }
        free(file);
    }
}

/* The line of the job 'name', or their number. */
static size_t
find(const struct sf_jobs_file *file, const char *name)
{
    for (size_t i = 0; i < file->lines.n; i++) {
        const struct line *line = &file->lines.items[i];
        if (line->words && !strcmp(line->job.name, name)) {
            return i;
        }
    }
    return file->lines.n;
}

enum sf_status
sf_jobs_file_add(struct sf_jobs_file *file, const char *name,
                 const char *pattern, const char *nodes, bool *is_leftp,
                 struct sf_error *err)
{
    uint32_t n_hosts;
    enum sf_status status = sf_job_check(name, pattern, nodes, &n_hosts, err);
    size_t i = find(file, name);

    *is_leftp = status == SF_OK && n_hosts < 2;
    if (status != SF_OK) {
        return status;
    }
    if (*is_leftp) {
        sf_jobs_file_remove(file, name);
        return SF_OK;
    }
    size_t size = strlen(name) + strlen(pattern) + strlen(nodes) + 3;
    char *text = sf_calloc(size, 1);
    if (text) {
        snprintf(text, size, "%s %s %s", name, pattern, nodes);
    }
    if (text && i < file->lines.n &&
        !strcmp(text, file->lines.items[i].text)) {
        free(text);
        return SF_OK;
    }
    if (!put_line(file, i, text)) {
        return fail_memory(file->path, err);
    }
    file->has_changed = true;
    return SF_OK;
}

bool
sf_jobs_file_remove(struct sf_jobs_file *file, const char *name)
{
    bool is_there = false;

    for (size_t i; (i = find(file, name)) < file->lines.n;) {
        clear_line(&file->lines.items[i]);
        file->lines.n--;
        memmove(&file->lines.items[i], &file->lines.items[i + 1],
                (file->lines.n - i) * sizeof *file->lines.items);
        file->has_changed = is_there = true;
    }
    return is_there;
}

size_t
sf_jobs_file_n_lines(const struct sf_jobs_file *file)
{
    return file->lines.n;
}

bool
sf_jobs_file_line(const struct sf_jobs_file *file, size_t i,
                  struct sf_jobs_line *line)
{
    *line = file->lines.items[i].job;
    line->text = file->lines.items[i].text;
    return file->lines.items[i].words != NULL;
}

static void
write_lines(const void *aux, FILE *stream)
{
    const struct sf_jobs_file *file = aux;

    for (size_t i = 0; i < file->lines.n; i++) {
        fprintf(stream, "%s\n", file->lines.items[i].text);
    }
}

enum sf_status
sf_jobs_file_save(struct sf_jobs_file *file, struct sf_error *err)
{
    if (!file->has_changed) {
        return SF_OK;
    }
    enum sf_status status =
        sf_locked_file_replace(file->path, write_lines, file, err);
    if (status != SF_OK) {
        return status;
    }
    file->has_changed = false;
    return SF_OK;
}

/* Whether a pattern names a file, which only administrators may. */
static bool
has_file(const char *pattern)
{
    return !strncmp(pattern, "pairs", 5) || !strncmp(pattern, "ranks", 5);
}

bool
sf_pattern_of_comment(const char *comment, char *pattern, size_t size)
{
    static const char ends[] = BLANKS ",;\n";

    for (const char *at = strstr(comment, MARK); at;
         at = strstr(at + 1, MARK)) {
        const char *value = at + sizeof MARK - 1;
        size_t n = strcspn(value, ends);
        bool is_word = at == comment || strchr(ends, at[-1]);
        if (is_word && n > 0 && n < size && !memchr(value, '#', n) &&
            !has_file(value)) {
            memcpy(pattern, value, n);
            pattern[n] = '\0';
            return true;
        }
    }
    return false;
}

/* Adds the job of a line that squeue wrote. */
static enum sf_status
add_listed(struct sf_jobs_file *file, char *text, struct sf_error *err)
{
    char *name = cut_word(&text), *nodes = cut_word(&text);
    char pattern[PATTERN_SIZE];
    bool is_left;

    if (!name || !nodes || !strcmp(nodes, "(null)")) {
        return SF_OK;
    }
    if (sf_pattern_of_comment(text, pattern, sizeof pattern) &&
        sf_jobs_file_add(file, name, pattern, nodes, &is_left, NULL) ==
            SF_OK) {
        return SF_OK;
    }
    return sf_jobs_file_add(file, name, "unknown", nodes, &is_left, err);
}

/* Whether both hold the same lines. */
static bool
is_same(const struct sf_jobs_file *a, const struct sf_jobs_file *b)
{
    if (a->lines.n != b->lines.n) {
        return false;
    }
    for (size_t i = 0; i < a->lines.n; i++) {
        if (strcmp(a->lines.items[i].text, b->lines.items[i].text) != 0) {
            return false;
        }
    }
    return true;
}

/* Fills 'fresh' with the comments of 'file' and the jobs of 'text'. */
static enum sf_status
list_jobs(const struct sf_jobs_file *file, struct sf_jobs_file *fresh,
          char *text, size_t length, const char *path, struct sf_error *err)
{
    struct sf_error why = { 0 };
    char *end = text + length;
    enum sf_status status = SF_OK;

    for (size_t i = 0; i < file->lines.n; i++) {
        const char *line = file->lines.items[i].text;
        if (line[strspn(line, BLANKS)] == '#' &&
            !put_line(fresh, fresh->lines.n, sf_strdup(line))) {
            return fail_memory(file->path, err);
        }
    }
    for (uint32_t line = 1; status == SF_OK && text < end; line++) {
        char *newline = memchr(text, '\n', (size_t)(end - text));
        char *line_end = newline ? newline : end;
        *line_end = '\0';
        status = add_listed(fresh, text, &why);
        text = line_end + 1;
        if (status != SF_OK) {
            sf_fail(err, status, "%s:%u: %s", path, line, why.text);
        }
    }
    return status;
}

enum sf_status
sf_jobs_file_sync(struct sf_jobs_file *file, char *text, size_t length,
                  const char *path, struct sf_error *err)
{
    struct sf_jobs_file fresh = { .path = file->path, .lock = -1 };
    enum sf_status status = list_jobs(file, &fresh, text, length, path, err);

    if (status == SF_OK && !is_same(file, &fresh)) {
        struct sf_jobs_file before = *file;
        file->lines.items = fresh.lines.items;
        file->lines.n = fresh.lines.n;
        file->lines.capacity = fresh.lines.capacity;
        file->has_changed = true;
        fresh.lines.items = before.lines.items;
        fresh.lines.n = before.lines.n;
    }
    for (size_t i = 0; fresh.lines.items && i < fresh.lines.n; i++) {
        clear_line(&fresh.lines.items[i]);
    }
    free(fresh.lines.items);
    return status;
}
