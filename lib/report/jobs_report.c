/* jobs_report.c -- see slimfly/jobs_report.h; doc/formats.md describes the
 * members. */
#include "slimfly/jobs_report.h"

#include "slimfly/jobs.h"

#include <jansson.h>
#include <string.h>

uint32_t
sf_jobs_file_check(const struct sf_jobs_file *file, const char *path,
                   struct sf_error *err)
{
    uint32_t n_wrong = 0, n_hosts;
    struct sf_error why;

    for (size_t i = 0; i < sf_jobs_file_n_lines(file); i++) {
        struct sf_jobs_line line;
        bool is_job = sf_jobs_file_line(file, i, &line);
        bool is_empty = !line.text[strspn(line.text, " \t\r")] ||
                        line.text[strspn(line.text, " \t\r")] == '#';
        snprintf(why.text, sizeof why.text,
                 "expected NAME PATTERN NODES, found '%.64s'", line.text);
        if (is_job ? sf_job_check(line.name, line.pattern, line.nodes,
                                  &n_hosts, &why) != SF_OK
                   : !is_empty) {
            if (n_wrong++ == 0) {
                sf_fail(err, SF_EPARSE, "%s:%zu: %s", path, i + 1, why.text);
            }
        }
    }
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
