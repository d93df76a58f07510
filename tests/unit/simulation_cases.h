/* simulation_cases.h -- made-up results of simulations, as real ones would
 * look, for tests of reports. */
#ifndef SF_TEST_SIMULATION_CASES_H
#define SF_TEST_SIMULATION_CASES_H

#include "slimfly/simulation_files.h"

#define MAX_CASE_ROWS 120

/* A table and what it points to. */
struct simulation_case {
    struct sf_network *networks[2]; /* A Slim Fly and a Fat Tree. */
    struct sf_simulation_row rows[MAX_CASE_ROWS];
    struct sf_simulation_table table;
};

/* The kinds of tables: */
enum simulation_kind {
    CASE_SWEEP,    /* Eight configurations under ten loads, */
    CASE_MESSAGES, /* the same with messages, */
    CASE_PAIR,     /* two configurations of the flow model, */
    CASE_SINGLE,   /* one run, */
    CASE_DEADLOCK, /* one that stops, beside one that does not, */
    CASE_ODD,      /* names that must be escaped, numbers that are none, */
    CASE_MANY,     /* more configurations than a figure can show. */
    N_SIMULATION_KINDS,
};

extern const char *const simulation_kind_names[N_SIMULATION_KINDS];

/* NULL if out of memory. */
struct simulation_case *simulation_case_make(enum simulation_kind kind);
void simulation_case_free(struct simulation_case *made);

#endif
