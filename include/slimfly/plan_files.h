/* plan_files.h -- the files that a plan is written to, for people and for the
 * tools of the field; and a plan read back. */
#ifndef SLIMFLY_PLAN_FILES_H
#define SLIMFLY_PLAN_FILES_H

#include "slimfly/plan.h"

#include <stdio.h>

#pragma GCC visibility push(default)

struct sf_plan_file {
    const char *name;    /* Of the file. */
    const char *summary; /* For people. */
    enum sf_status (*write)(const struct sf_plan *plan, FILE *stream,
                            struct sf_error *err);
};

/* All files but the diagrams (guide.h), ended by one without a name. */
extern const struct sf_plan_file sf_plan_files[];

/* Reads the plan.json at 'path'.  SF_EPARSE says what is wrong where; the
 * plan's topology need not be of a family that is known. */
enum sf_status sf_plan_read(const char *path, struct sf_plan **planp,
                            struct sf_error *err);

/* The same from 'length' bytes of 'text'; 'path' is for messages. */
enum sf_status sf_plan_parse(const char *text, size_t length, const char *path,
                             struct sf_plan **planp, struct sf_error *err);

#pragma GCC visibility pop
#endif
