/* jobs_report.c -- see slimfly/jobs_report.h; doc/formats.md describes the
 * members. */
#include "slimfly/jobs_report.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "slimfly/jobs.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A job and its line, from 0 on. */
struct named {
    const char *name;
    size_t i;
};

static int
compare_names(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->i > y->i) - (x->i < y->i);
}

/* For each line the number of one above that has a job of the same name, or 0;
 * NULL if memory runs out.  The caller frees it. */
static size_t *
find_doubles(const struct sf_jobs_file *file)
{
    size_t n_lines = sf_jobs_file_n_lines(file), n = 0;
    struct named *names = sf_calloc(n_lines + 1, sizeof *names);
    size_t *others = sf_calloc(n_lines + 1, sizeof *others);

    for (size_t i = 0; names && others && i < n_lines; i++) {
        struct sf_jobs_line line;
        if (sf_jobs_file_line(file, i, &line)) {
            names[n++] = (struct named){ line.name, i };
        }
    }
    if (n > 0) {
        qsort(names, n, sizeof *names, compare_names);
    }
    for (size_t k = 1; k < n; k++) {
        if (!strcmp(names[k].name, names[k - 1].name)) {
            size_t before = others[names[k - 1].i];
            others[names[k].i] = before ? before : names[k - 1].i + 1;
        }
    }
    free(names);
    return others;
}

/* Why line 'i' is no job though it should be; SF_OK if it is one, or empty. */
static enum sf_status
check_line(const struct sf_jobs_file *file, size_t i, size_t other,
           struct sf_error *why)
{
    struct sf_jobs_line line;
    bool is_job = sf_jobs_file_line(file, i, &line);
    const char *start = line.text + strspn(line.text, " \t\r");
    const char *unseen = sf_utf8_find_unseen(line.text);
    uint32_t n_hosts;

    if (is_job && other > 0) {
        return sf_fail(why, SF_EPARSE,
                       "expected a name that no other job has, found "
                       "'%.64s', as in line %zu",
                       line.name, other);
    }
    if (is_job) {
        return sf_job_check(line.name, line.pattern, line.nodes, &n_hosts,
                            why);
    }
    if (!*start || *start == '#') {
        return SF_OK;
    }
    if (unseen && *unseen != '\r') {
        return sf_fail(why, SF_EPARSE,
                       "expected text in UTF-8 without control characters, "
                       "found the byte 0x%02x in '%.64s'",
                       (unsigned)(unsigned char)*unseen, line.text);
    }
    return sf_fail(why, SF_EPARSE,
                   "expected NAME PATTERN NODES, found '%.64s'", line.text);
}

uint32_t
sf_jobs_file_check(const struct sf_jobs_file *file, const char *path,
                   struct sf_error *err)
{
    size_t *others = find_doubles(file);
    uint32_t n_wrong = 0;

    for (size_t i = 0; i < sf_jobs_file_n_lines(file); i++) {
        struct sf_error why;
        if (check_line(file, i, others ? others[i] : 0, &why) != SF_OK &&
            n_wrong++ == 0) {
            sf_fail(err, SF_EPARSE, "%s:%zu: %s", path, i + 1, why.text);
        }
    }
    free(others);
    return n_wrong;
}

/* How many hosts a line names; 0 if that cannot be told. */
static uint32_t
count_hosts(const struct sf_jobs_line *line)
{
    uint32_t n_hosts = 0;

    return sf_job_check(line->name, "unknown", line->nodes, &n_hosts, NULL) ==
                   SF_OK
               ? n_hosts
               : 0;
}

void
sf_jobs_file_write_text(const struct sf_jobs_file *file, FILE *stream)
{
    struct sf_jobs_line line;

    for (size_t i = 0; i < sf_jobs_file_n_lines(file); i++) {
        if (sf_jobs_file_line(file, i, &line)) {
            fprintf(stream, "%-12s %-20s %5u  %s\n", line.name, line.pattern,
                    count_hosts(&line), line.nodes);
        }
    }
}

/* Writes 'root', which is released. */
static enum sf_status
dump(json_t *root, FILE *stream, struct sf_error *err)
{
    int code = root ? json_dumpf(root, stream,
                                 JSON_INDENT(2) | JSON_REAL_PRECISION(6))
                    : -1;

    json_decref(root);
    if (code != 0) {
        return sf_fail(err, SF_ENOMEM, "out of memory for JSON");
    }
    fputc('\n', stream);
    return SF_OK;
}

enum sf_status
sf_jobs_file_write_json(const struct sf_jobs_file *file, const char *path,
                        FILE *stream, struct sf_error *err)
{
    json_t *list = json_array();
    struct sf_jobs_line line;

    for (size_t i = 0; i < sf_jobs_file_n_lines(file); i++) {
        if (sf_jobs_file_line(file, i, &line)) {
            json_array_append_new(
                list, json_pack("{s:I, s:s, s:s, s:s, s:I}", "line",
                                (json_int_t)i + 1, "name", line.name,
                                "pattern", line.pattern, "nodes", line.nodes,
                                "n_nodes", (json_int_t)count_hosts(&line)));
        }
    }
    return dump(json_pack("{s:s, s:i, s:s, s:o}", "schema", "slimfly.jobs",
                          "schema_version", 1, "file", path, "jobs", list),
                stream, err);
}

void
sf_jobs_report_write_text(const struct sf_jobs_report *report, FILE *stream)
{
    const struct sf_job_routes *routes = report->routes;

    fprintf(stream, "%-12s %-20s %5s  %7s  %7s\n", "job", "pattern", "nodes",
            "before", "fitted");
    for (uint32_t i = 0; i < report->jobs->n_jobs; i++) {
        const struct sf_job *job = &report->jobs->jobs[i];
        fprintf(stream, "%-12s %-20s %5u  %7.3f  %7.3f\n", job->name,
                job->pattern, job->n_hosts, routes->jobs[i].before,
                routes->jobs[i].after);
    }
    fprintf(stream, "%-39s  %7.3f  %7.3f\n", "uniform traffic of all hosts",
            routes->uniform.before, routes->uniform.after);
    fprintf(stream,
            "(of the rate of a host, if all jobs send at once at equal shares "
            "over the addresses)\n"
            "%llu of %llu next hops change, in %.3f s\n",
            (unsigned long long)routes->n_changed,
            (unsigned long long)routes->n_entries, report->seconds);
    if (report->strays->n) {
        fprintf(stream, "left out: %u job%s; the first: %s\n",
                report->strays->n, report->strays->n == 1 ? "" : "s",
                report->strays->first.text);
    }
}

static json_t *
pack_speed(const struct sf_job_speed *speed)
{
    return json_pack("{s:f, s:f}", "before", speed->before, "after",
                     speed->after);
}

enum sf_status
sf_jobs_report_write_json(const struct sf_jobs_report *report, FILE *stream,
                          struct sf_error *err)
{
    const struct sf_job_routes *routes = report->routes;
    json_t *list = json_array();

    for (uint32_t i = 0; i < report->jobs->n_jobs; i++) {
        const struct sf_job *job = &report->jobs->jobs[i];
        json_array_append_new(list,
                              json_pack("{s:I, s:s, s:s, s:I, s:f, s:f}",
                                        "line", (json_int_t)job->line, "name",
                                        job->name, "pattern", job->pattern,
                                        "n_nodes", (json_int_t)job->n_hosts,
                                        "before", routes->jobs[i].before,
                                        "after", routes->jobs[i].after));
    }
    return dump(
        json_pack("{s:s, s:i, s:s, s:o, s:o, s:o, s:I, s:s?, s:I, s:I, s:f}",
                  "schema", "slimfly.jobs", "schema_version", 1, "file",
                  report->path, "jobs", list, "slowest",
                  pack_speed(&routes->slowest), "uniform",
                  pack_speed(&routes->uniform), "n_left_out",
                  (json_int_t)report->strays->n, "left_out",
                  report->strays->n ? report->strays->first.text : NULL,
                  "next_hops", (json_int_t)routes->n_entries,
                  "next_hops_changed", (json_int_t)routes->n_changed,
                  "seconds", report->seconds),
        stream, err);
}
