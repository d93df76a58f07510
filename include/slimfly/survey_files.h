/* survey_files.h -- the files that a survey is written to, for people and for
 * programs. */
#ifndef SLIMFLY_SURVEY_FILES_H
#define SLIMFLY_SURVEY_FILES_H

#include "slimfly/figure.h"
#include "slimfly/origin.h"
#include "slimfly/survey.h"

#include <stdio.h>

#pragma GCC visibility push(default)

struct sf_survey_report {
    struct sf_origin origin;
    const char *note; /* What people should know besides; NULL: nothing. */
    const struct sf_survey *survey;
    const struct sf_figure *figure; /* The form of figures; NULL: screens. */
};

struct sf_survey_file {
    const char *name;    /* Of the file. */
    const char *format;  /* What --format calls it; NULL: only a file. */
    const char *summary; /* For people. */

    /* Whether there is something to write; NULL: always. */
    bool (*has)(const struct sf_survey_report *report);
    enum sf_status (*write)(const struct sf_survey_report *report,
                            FILE *stream, struct sf_error *err);
};

/* All files, ended by one without a name. */
extern const struct sf_survey_file sf_survey_files[];

#pragma GCC visibility pop
#endif
