/* recording.h -- programs in GOAL made of what real MPI programs did.
 *
 * A library that is loaded into each process of a program (record/ in the
 * sources; 'slimfly record' does it) writes one trace a rank into a folder.
 * Here these become one program: messages, collectives as messages, computing
 * in between, and what waits for what. */
#ifndef SLIMFLY_RECORDING_H
#define SLIMFLY_RECORDING_H

#include "slimfly/error.h"

#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

/* The variable that tells the library its folder. */
extern const char sf_recording_variable[];

/* Calls that the library sees and does not record. */
enum {
    SF_RECORDING_N_SKIPS = 7
};

struct sf_recording_params {
    const char *folder;   /* With the traces. */
    uint32_t rules;       /* Which rules choose the algorithms of collectives;
                           * a number of sf_recording_rules_name(). */
    double compute_scale; /* Computing takes so many times as long. */
    uint64_t eager;       /* Bytes: nothing waits until messages of at most so
                           * many have come. */
};

/* What a recording is like. */
struct sf_recording {
    uint32_t n_ranks;
    uint64_t n_messages, n_bytes; /* That are sent. */
    double compute;               /* Seconds, of all ranks. */
    uint64_t n_lost;       /* Sends and receives without a counterpart. */
    uint32_t n_unfinished; /* Ranks that did not reach MPI_Finalize(). */
    uint32_t first_unfinished;
    uint64_t n_skipped[SF_RECORDING_N_SKIPS];
};

/* Writes what the traces of 'params' tell as a program in GOAL.  SF_EPARSE: a
 * file is not a trace.  SF_EIO: a rank has none.  SF_EINVAL: several threads
 * of a rank called MPI, and so there is no order of calls. */
enum sf_status
sf_recording_write_goal(const struct sf_recording_params *params, FILE *stream,
                        struct sf_recording *recording, struct sf_error *err);

/* Whose rules there are, "ompi-5.0"; NULL behind the last. */
const char *sf_recording_rules_name(uint32_t i);

/* What was skipped, "one-sided calls"; NULL behind the last. */
const char *sf_recording_skip_name(uint32_t i);

#pragma GCC visibility pop
#endif
