/* evaluation_files.h -- the files that an evaluation is written to, for people
 * and for programs. */
#ifndef SLIMFLY_EVALUATION_FILES_H
#define SLIMFLY_EVALUATION_FILES_H

#include "slimfly/evaluation.h"
#include "slimfly/figure.h"
#include "slimfly/origin.h"

#include <stdio.h>

#pragma GCC visibility push(default)

struct sf_evaluation_report {
    struct sf_origin origin;
    const struct sf_evaluation *ev;
    const struct sf_figure *figure; /* The form of figures. */
};

struct sf_evaluation_file {
    const char *name;    /* Of the file. */
    const char *format;  /* What --format calls it; NULL: only a file. */
    const char *summary; /* For people. */

    /* Whether there is something to write; NULL: always. */
    bool (*has)(const struct sf_evaluation_report *report);
    enum sf_status (*write)(const struct sf_evaluation_report *report,
                            FILE *stream, struct sf_error *err);
};

/* All files, ended by one without a name. */
extern const struct sf_evaluation_file sf_evaluation_files[];

#pragma GCC visibility pop
#endif
