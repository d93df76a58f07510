/* readings.h -- readings of the counters of a live fabric. */
#ifndef SF_CLI_READINGS_H
#define SF_CLI_READINGS_H

#include "cli.h"

struct cli_readings {
    /* What is wanted. */
    const char *word;         /* What names the fabric, for messages. */
    const char *source;       /* Where questions enter it. */
    struct sf_fabric *fabric; /* Owned. */
    struct sf_counters_params params;
    double interval;    /* Between two readings; 0: there is one only. */
    const char *tables; /* For a prediction of loads between two, */
    bool needs_tables; /* and whether there is no point in going on without. */
    bool probes;       /* Whether to look for silent ports: */
    uint32_t n_silent, n_sweeps; /* see struct sf_silence. */
    /* What was found. */
    struct sf_counters *before, *counters;
    struct sf_growths *growths;
    struct sf_silence *silence;
    double *predicted;
    double read_seconds, read_at; /* Of the last reading. */
};

enum sf_status cli_readings_make(struct cli_readings *readings,
                                 struct sf_error *err);
void cli_readings_clear(struct cli_readings *readings);

#endif
