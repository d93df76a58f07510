/* jobs_report.h -- a file of jobs, and what its jobs get, told to people and
 * to programs. */
#ifndef SLIMFLY_JOBS_REPORT_H
#define SLIMFLY_JOBS_REPORT_H

#include "slimfly/job_routes.h"
#include "slimfly/jobs_file.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* Counts the lines of 'file' that are no jobs though they should be; 'err' has
 * the first, with 'path' and line. */
uint32_t sf_jobs_file_check(const struct sf_jobs_file *file, const char *path,
                            struct sf_error *err);

/* The jobs of a file, one a line; and for programs, schema "slimfly.jobs". */
void sf_jobs_file_write_text(const struct sf_jobs_file *file, FILE *stream);
enum sf_status sf_jobs_file_write_json(const struct sf_jobs_file *file,
                                       const char *path, FILE *stream,
                                       struct sf_error *err);

/* What jobs get; nothing is owned. */
struct sf_jobs_report {
    const char *path;
    const struct sf_jobs *jobs;
    const struct sf_job_routes *routes;
    const struct sf_strays *strays;
    double seconds; /* That it took to fit the routes. */
};

void sf_jobs_report_write_text(const struct sf_jobs_report *report,
                               FILE *stream);
enum sf_status sf_jobs_report_write_json(const struct sf_jobs_report *report,
                                         FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
