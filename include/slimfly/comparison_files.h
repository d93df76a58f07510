/* comparison_files.h -- the files that a comparison is written to, for people
 * and for programs; and single measurements, written and read back. */
#ifndef SLIMFLY_COMPARISON_FILES_H
#define SLIMFLY_COMPARISON_FILES_H

#include "slimfly/comparison.h"

#include <stdio.h>

#pragma GCC visibility push(default)

struct sf_comparison_file {
    const char *name;      /* Of the file. */
    const char *format;    /* What --format calls it; NULL: only a file. */
    const char *summary;   /* For people. */
    bool needs_throughput; /* Empty without. */
    enum sf_status (*write)(const struct sf_comparison *comparison,
                            FILE *stream, struct sf_error *err);
};

/* All files, ended by one without a name. */
extern const struct sf_comparison_file sf_comparison_files[];

/* Writes a measurement and what it depends on as JSON. */
enum sf_status sf_measurement_write(const char *settings,
                                    const struct sf_measurement *measurement,
                                    FILE *stream, struct sf_error *err);

/* Reads it back from 'length' bytes of 'text'; the caller frees its metrics.
 * SF_EPARSE: it is something else, or not of these settings. */
enum sf_status sf_measurement_parse(const char *text, size_t length,
                                    const char *path, const char *settings,
                                    struct sf_measurement *measurement,
                                    struct sf_error *err);

#pragma GCC visibility pop
#endif
