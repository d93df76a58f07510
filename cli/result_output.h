/* result_output.h -- results that go to the files of a folder, and one of
 * these to standard output. */
#ifndef SF_CLI_RESULT_OUTPUT_H
#define SF_CLI_RESULT_OUTPUT_H

#include "cli.h"
#include "kept.h"

struct cli_results {
    const void *of; /* For the functions. */

    /* The name of file number 'i', NULL at the end; the word with which
     * --format asks for it, NULL: none; whether it belongs to these. */
    const char *(*name)(size_t i);
    const char *(*format)(size_t i);
    bool (*has)(const void *of, size_t i);
    enum sf_status (*write)(const void *of, size_t i, FILE *stream,
                            struct sf_error *err);

    /* Where write() finds the form of figures, which are the files whose names
     * end in ".svg". */
    const struct sf_figure **figurep;

    /* What is kept in the folder of --output; NULL without. */
    struct cli_kept *kept;
};

/* Writes NAME.pdf or NAME.svg, by the format of 'figure', and NAME.csv into
 * 'folder', where 'name' is NAME.svg, each with '*figurep' set to the form;
 * says so if the text had to become smaller.  Returns an exit code. */
int cli_write_figure(const char *folder, const char *name,
                     const struct sf_figure *figure,
                     const struct sf_figure **figurep, cli_writer *write,
                     const void *aux);

/* Writes the files, if --output names a folder, and what --format asks for to
 * standard output; returns an exit code.  Of processes that were started
 * together, one does that. */
int cli_write_results(const struct cli_args *args,
                      const struct cli_results *results);

#endif
