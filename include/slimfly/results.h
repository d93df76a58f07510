/* results.h -- what commands wrote, found again in folders and told on one
 * page: in words, tables and figures, for people who did not run the commands.
 * Nothing is computed anew; what a file does not say, the page does not. */
#ifndef SLIMFLY_RESULTS_H
#define SLIMFLY_RESULTS_H

#include "slimfly/error.h"
#include "slimfly/origin.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

/* A kind of result that is known. */
struct sf_result_kind {
    const char *title;  /* For people. */
    const char *schema; /* By which its JSON file is recognized. */
    const char *source; /* The command that writes it, so that it is found. */
};

/* All kinds; NULL after the last. */
const struct sf_result_kind *sf_result_kind(size_t i);

struct sf_results; /* Opaque. */

enum sf_status sf_results_new(struct sf_results **resultsp,
                              struct sf_error *err);
void sf_results_free(struct sf_results *results);

/* Adds what is at 'path': a JSON file, or a folder with such files and their
 * figures, in it or in folders below.  What was added before is not added
 * again.  SF_EINVAL: there is no result; SF_EPARSE says which file is damaged
 * where; SF_EIO: a file or folder cannot be read; SF_ENOMEM. */
enum sf_status sf_results_add(struct sf_results *results, const char *path,
                              struct sf_error *err);

/* Whether 'path' is one of the files that were read: the page must not take
 * their place. */
bool sf_results_have_read(const struct sf_results *results, const char *path);

/* How many results and figures there are. */
uint32_t sf_results_count(const struct sf_results *results);
uint32_t sf_results_count_figures(const struct sf_results *results);

/* Writes the page, one HTML file that needs no other; nothing is written
 * before all of it is made.  'origin' says what makes the page. */
enum sf_status sf_results_write_html(const struct sf_results *results,
                                     const struct sf_origin *origin,
                                     FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
