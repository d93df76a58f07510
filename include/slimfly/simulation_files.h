/* simulation_files.h -- the files that simulations are written to, for people
 * and for programs; and single results, written and read back. */
#ifndef SLIMFLY_SIMULATION_FILES_H
#define SLIMFLY_SIMULATION_FILES_H

#include "slimfly/figure.h"
#include "slimfly/job_routes.h"
#include "slimfly/simulation.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* One run, and what it ran on. */
struct sf_simulation_row {
    const char *name;    /* Of the network, "sf:q=5". */
    const char *routing; /* "gates"; NULL if not known, */
    const char *lanes;   /* "turns"; as well. */
    uint32_t n_layers, n_vls;
    const struct sf_job_speed *job_shares; /* What the routes, which are for
                                            * the hosts of the jobs, give the
                                            * slowest at equal shares; NULL:
                                            * they are for all. */
    const char *one_sl; /* That all packets have; NULL: each that of its
                         * path. */
    const struct sf_network *network; /* For the names of switches and ports;
                                       * NULL, or one of a bare graph. */
    struct sf_simulation_params params;
    struct sf_simulation result;
    double wall;  /* Seconds that the run took. */
    bool is_done; /* Else there is no result, and files leave it out. */
};

struct sf_simulation_table {
    const char *program; /* With its version, "slimfly 0.1.0"; */
    const char *command; /* as it was called. */
    const struct sf_simulation_row *rows; /* [n_rows] */
    uint32_t n_rows;
    const struct sf_figure *figure; /* The form of figures. */
};

struct sf_simulation_file {
    const char *name;    /* Of the file. */
    const char *format;  /* What --format calls it; NULL: only a file. */
    const char *summary; /* For people. */

    /* Whether there is something to write; NULL: always. */
    bool (*has)(const struct sf_simulation_table *table);

    /* SF_EINVAL: a figure that would show nothing. */
    enum sf_status (*write)(const struct sf_simulation_table *table,
                            FILE *stream, struct sf_error *err);
};

/* All files, ended by one without a name. */
extern const struct sf_simulation_file sf_simulation_files[];

/* Writes a result and what it depends on as JSON. */
enum sf_status sf_simulation_write(const char *settings,
                                   const struct sf_simulation *result,
                                   FILE *stream, struct sf_error *err);

/* Reads it back from 'length' bytes of 'text', with the same numbers to the
 * last bit; the caller calls sf_simulation_clear().  SF_EPARSE: it is
 * something else, or not of these settings.  On failure the result is
 * empty. */
enum sf_status sf_simulation_parse(const char *text, size_t length,
                                   const char *path, const char *settings,
                                   struct sf_simulation *result,
                                   struct sf_error *err);

#pragma GCC visibility pop
#endif
