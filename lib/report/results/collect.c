/* collect.c -- finds results and their figures in folders. */
#define _GNU_SOURCE
#include "base/file.h"
#include "report/results/parts.h"
#include "slimfly/plan_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

/* How deep folders are searched below the one that was named. */
#define MAX_DEPTH 3

/* Folders of commands that hold no results: what was measured for them, and
 * the figures of a plan, which belong to the folder above. */
#define MEASURED "measured"
#define DIAGRAMS "diagrams"

enum sf_status
sf_results_new(struct sf_results **resultsp, struct sf_error *err)
{
    *resultsp = sf_calloc(1, sizeof **resultsp);
    return *resultsp ? SF_OK : sf_fail(err, SF_ENOMEM, "out of memory");
}

static void
free_result(struct result *result)
{
    if (result) {
        for (size_t i = 0; i < result->figures.n; i++) {
            free(result->figures.items[i].path);
        }
        free(result->figures.items);
        sf_plan_free(result->plan);
        json_decref(result->root);
        free(result->folder);
        free(result->path);
        free(result);
    }
}

void
sf_results_free(struct sf_results *results)
{
    if (results) {
        for (size_t i = 0; i < results->list.n; i++) {
            free_result(results->list.items[i]);
        }
        free(results->list.items);
        free(results);
    }
}

uint32_t
sf_results_count(const struct sf_results *results)
{
    return (uint32_t)results->list.n;
}

uint32_t
sf_results_count_figures(const struct sf_results *results)
{
    size_t n = 0;

    for (size_t i = 0; i < results->list.n; i++) {
        n += results->list.items[i]->figures.n;
    }
    return (uint32_t)n;
}

static const struct results_kind *
find_kind(const json_t *root)
{
    const char *schema = json_string_value(json_object_get(root, "schema"));

    for (const struct results_kind *kind = sf_results_kinds;
         schema && kind->about.schema; kind++) {
        if (!strcmp(schema, kind->about.schema)) {
            return kind;
        }
    }
    return NULL;
}

/* Whether two paths lead to the same file. */
static bool
is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

/* "FOLDER/NAME"; the caller frees it. */
static char *
join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    bool has_slash = length && folder[length - 1] == '/';
    size_t size = length + strlen(name) + 2;
    char *path = sf_calloc(size, 1);

    if (path) {
        snprintf(path, size, "%s%s%s", folder, has_slash ? "" : "/", name);
    }
    return path;
}

/* Keeps what the file 'path' holds; takes 'root' over. */
static enum sf_status
keep(struct sf_results *results, const struct results_kind *kind,
     const char *path, const char *folder, json_t *root, struct sf_plan *plan,
     struct sf_error *err)
{
    struct result *result = sf_calloc(1, sizeof *result);

    if (!result) {
        json_decref(root);
        sf_plan_free(plan);
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    *result = (struct result){ .kind = kind,
                               .path = sf_strdup(path),
                               .folder = folder ? sf_strdup(folder) : NULL,
                               .root = root,
                               .plan = plan };
    if (!result->path || (folder && !result->folder) ||
        !sf_vec_push(&results->list, result)) {
        free_result(result);
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    return SF_OK;
}

/* Says that the file 'path' is nothing that the page knows. */
static enum sf_status
refuse(const char *path, struct sf_error *err)
{
    char known[SF_ERROR_TEXT_SIZE] = "";

    for (const struct results_kind *kind = sf_results_kinds;
         kind->about.schema; kind++) {
        size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s",
                 length ? ", " : "", kind->about.schema + sizeof "slimfly");
    }
    return sf_fail(err, SF_EINVAL,
                   "%s: expected results of slimfly, a folder or a JSON file "
                   "with one of the schemas %s",
                   path, known);
}

/* Adds the JSON file 'path'; in a folder, other JSON is passed over. */
static enum sf_status
add_file(struct sf_results *results, const char *path, const char *folder,
         struct sf_error *err)
{
    char *text;
    size_t length;
    json_error_t problem;
    struct sf_plan *plan = NULL;

    for (size_t i = 0; i < results->list.n; i++) {
        if (is_same(path, results->list.items[i]->path)) {
            return SF_OK;
        }
    }
    enum sf_status status = sf_file_read(path, &text, &length, err);
    if (status != SF_OK) {
        return status;
    }
    json_t *root = json_loadb(
        text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem);
    const struct results_kind *kind = root ? find_kind(root) : NULL;
    if (!root) {
        status = sf_fail(err, SF_EPARSE, "%s:%d: expected JSON: %s", path,
                         problem.line, problem.text);
    } else if (!kind && !folder) {
        status = refuse(path, err);
    } else if (kind && kind->show == sf_results_show_plan) {
        status = sf_plan_parse(text, length, path, &plan, err);
    }
    free(text);
    if (status != SF_OK || !kind) {
        json_decref(root);
        return status;
    }
    return keep(results, kind, path, folder, root, plan, err);
}

static bool
ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), size = strlen(end);
    return length > size && !strcmp(name + length - size, end);
}

/* Which pattern of 'kind' has the figure 'name', from 0; SIZE_MAX: none. */
static size_t
find_pattern(const struct results_kind *kind, const char *name)
{
    for (size_t i = 0; kind->figures && kind->figures[i]; i++) {
        if (fnmatch(kind->figures[i], name, FNM_PATHNAME) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Whether the figure 'name' is named as the JSON file 'path': "a.svg" goes
 * with "a.json". */
static bool
is_namesake(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const char *file = slash ? slash + 1 : path;
    size_t length = strlen(name) - strlen(".svg");

    return strlen(file) == length + strlen(".json") &&
           !strncmp(file, name, length);
}

/* Gives the figure 'name' to one of the results of 'folder', which begin at
 * 'first': its namesake, else the first that claims it, else the first. */
static enum sf_status
add_figure(struct sf_results *results, size_t first, const char *folder,
           const char *name, struct sf_error *err)
{
    size_t owner = first;
    enum {
        STRAY,
        CLAIMED,
        NAMESAKE
    } best = STRAY, fit;

    for (size_t i = first; i < results->list.n; i++) {
        const struct result *result = results->list.items[i];
        fit = is_namesake(result->path, name)                ? NAMESAKE
              : find_pattern(result->kind, name) != SIZE_MAX ? CLAIMED
                                                             : STRAY;
        if (fit > best) {
            best = fit;
            owner = i;
        }
    }
    struct result *result = results->list.items[owner];
    struct results_figure figure = { join(folder, name),
                                     find_pattern(result->kind, name),
                                     best == STRAY };
    if (!figure.path || !sf_vec_push(&result->figures, figure)) {
        free(figure.path);
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    /* They come by name, and stay so among those of a pattern. */
    for (size_t i = result->figures.n - 1;
         i > 0 && result->figures.items[i - 1].pattern > figure.pattern; i--) {
        result->figures.items[i] = result->figures.items[i - 1];
        result->figures.items[i - 1] = figure;
    }
    return SF_OK;
}

/* Takes out those results from 'first' on that others only repeat. */
static void
absorb(struct sf_results *results, size_t first)
{
    size_t n = first;

    for (size_t i = first; i < results->list.n; i++) {
        const char *schema = results->list.items[i]->kind->about.schema;
        bool is_absorbed = false;
        for (size_t k = first; k < results->list.n; k++) {
            const struct result *other = results->list.items[k];
            is_absorbed |= other && other->kind->absorbs &&
                           !strcmp(schema, other->kind->absorbs);
        }
        if (is_absorbed) {
            free_result(results->list.items[i]);
            results->list.items[i] = NULL;
            /* It absorbs nobody, so those after it need not see it. */
        }
    }
    for (size_t i = first; i < results->list.n; i++) {
        if (results->list.items[i]) {
            results->list.items[n++] = results->list.items[i];
        }
    }
    results->list.n = n;
}

/* The names in 'folder' that do not begin with a point, sorted. */
static int
is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static enum sf_status
list(const char *folder, struct dirent ***entriesp, int *np,
     struct sf_error *err)
{
    *np = scandir(folder, entriesp, is_shown, versionsort);
    return *np >= 0 ? SF_OK
                    : sf_fail(err, errno == ENOMEM ? SF_ENOMEM : SF_EIO,
                              "%s: %s", folder, strerror(errno));
}

static void
free_list(struct dirent **entries, int n)
{
    for (int i = 0; i < n; i++) {
        free(entries[i]);
    }
    free(entries);
}

/* Adds the figures in 'below', which is 'folder' or its folder 'prefix'. */
static enum sf_status
add_figures(struct sf_results *results, size_t first, const char *folder,
            const char *prefix, struct sf_error *err)
{
    struct dirent **entries = NULL;
    int n = 0;
    struct stat about;
    enum sf_status status = SF_OK;
    char *below = *prefix ? join(folder, prefix) : sf_strdup(folder);

    if (!below) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    if (stat(below, &about) == 0 && S_ISDIR(about.st_mode)) {
        status = list(below, &entries, &n, err);
    }
    for (int i = 0; status == SF_OK && i < n; i++) {
        if (ends_with(entries[i]->d_name, ".svg")) {
            char *name = *prefix ? join(prefix, entries[i]->d_name)
                                 : sf_strdup(entries[i]->d_name);
            status = name ? add_figure(results, first, folder, name, err)
                          : sf_fail(err, SF_ENOMEM, "out of memory");
            free(name);
        }
    }
    free_list(entries, n);
    free(below);
    return status;
}

static enum sf_status add_folder(struct sf_results *results,
                                 const char *folder, uint32_t depth,
                                 struct sf_error *err);

/* Adds what the entry 'name' of 'folder' is: a file now, a folder if
 * 'are_folders'. */
static enum sf_status
add_entry(struct sf_results *results, const char *folder, const char *name,
          uint32_t depth, bool are_folders, struct sf_error *err)
{
    struct stat about;
    enum sf_status status = SF_OK;
    char *path = join(folder, name);

    if (!path) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    if (stat(path, &about) != 0) {
        free(path);
        return SF_OK; /* A link that leads nowhere, or gone. */
    }
    if (!are_folders && S_ISREG(about.st_mode) && ends_with(name, ".json")) {
        status = add_file(results, path, folder, err);
    } else if (are_folders && S_ISDIR(about.st_mode) && depth < MAX_DEPTH &&
               strcmp(name, MEASURED) != 0 && strcmp(name, DIAGRAMS) != 0) {
        status = add_folder(results, path, depth + 1, err);
    }
    free(path);
    return status;
}

static enum sf_status
add_folder(struct sf_results *results, const char *folder, uint32_t depth,
           struct sf_error *err)
{
    size_t first = results->list.n;
    struct dirent **entries = NULL;
    int n = 0;
    enum sf_status status = list(folder, &entries, &n, err);

    for (int i = 0; status == SF_OK && i < n; i++) {
        status =
            add_entry(results, folder, entries[i]->d_name, depth, false, err);
    }
    if (status == SF_OK) {
        absorb(results, first);
    }
    if (status == SF_OK && results->list.n > first) {
        status = add_figures(results, first, folder, "", err);
    }
    if (status == SF_OK && results->list.n > first) {
        status = add_figures(results, first, folder, DIAGRAMS, err);
    }
    for (int i = 0; status == SF_OK && i < n; i++) {
        status =
            add_entry(results, folder, entries[i]->d_name, depth, true, err);
    }
    free_list(entries, n);
    return status;
}

enum sf_status
sf_results_add(struct sf_results *results, const char *path,
               struct sf_error *err)
{
    size_t before = results->list.n;
    struct stat about;

    if (stat(path, &about) != 0) {
        return sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(about.st_mode)) {
        return add_file(results, path, NULL, err);
    }
    enum sf_status status = add_folder(results, path, 0, err);
    if (status == SF_OK && results->list.n == before) {
        bool is_known = false;
        for (size_t i = 0; i < before; i++) {
            const char *folder = results->list.items[i]->folder;
            is_known |= folder && is_same(folder, path);
        }
        status = is_known ? SF_OK : refuse(path, err);
    }
    return status;
}
