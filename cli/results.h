/* results.h -- results that go to the files of a folder, and one of these to
 * standard output. */
#ifndef SF_CLI_RESULTS_H
#define SF_CLI_RESULTS_H

#include "cli.h"

struct cli_results {
    const void *of; /* For the functions. */

    /* The name of file number 'i', NULL at the end; the word with which
     * --format asks for it, NULL: none; whether it belongs to these. */
    const char *(*name)(size_t i);
    const char *(*format)(size_t i);
    bool (*has)(const void *of, size_t i);
    enum sf_status (*write)(const void *of, size_t i, FILE *stream,
                            struct sf_error *err);
};

/* Writes the files, if --output names a folder, and what --format asks for to
 * standard output; returns an exit code. */
int cli_write_results(const struct cli_args *args,
                      const struct cli_results *results);

#endif
