/* subjects.h -- the networks that 'slimfly simulate' sets side by side, and
 * their routings: tables that switches hold, or what 'slimfly route' would
 * make. */
#ifndef SF_CLI_SUBJECTS_H
#define SF_CLI_SUBJECTS_H

#include "held_tables.h"

/* A network. */
struct cli_subject {
    const char *name; /* As the user wrote it. */
    struct sf_plan *plan;
    struct sf_fabric *fabric; /* Its own, or that of the plan. */
    struct sf_network *network;
    double *lengths; /* [fabric->n_ports] Of cables; NULL: not known. */
    struct cli_held held;
    struct sf_ib_held tables; /* Of these; for the source of paths. */
};

/* A routing of a network. */
struct cli_subject_routing {
    const struct cli_subject *subject;
    uint64_t seed;
    uint32_t n_layers;
    struct sf_routing *made; /* NULL: the tables. */
    struct sf_path_source source;
    bool is_for_jobs;               /* Fitted to those that run; then */
    struct sf_job_speed job_shares; /* what the slowest gets by that. */
    char scheme[SF_SCHEME_SIZE], lanes[SF_SCHEME_SIZE]; /* For people. */
};

struct cli_subjects {
    struct cli_subject *subjects;
    uint32_t n_subjects;
    struct cli_subject_routing *routings;
    uint32_t n_routings;
};

/* How routings are made. */
struct cli_subject_params {
    const struct cli_list *others;  /* More networks; NULL: none. */
    const struct cli_list *schemes; /* NULL: the tables, or else the default
                                     * scheme of 'slimfly route'. */
    const struct cli_list *layers;
    struct sf_routing_params routing; /* All but scheme, layers and seed. */
    uint32_t n_seeds;
    uint64_t seed;
    uint32_t n_threads;
    int one_sl; /* As in path_source.h. */
};

/* Loads the networks that the words of the command and 'params' name, with
 * their tables; on failure says so and returns false.  The caller calls
 * cli_subjects_clear() in any case. */
bool cli_subjects_load(struct cli_subjects *subjects,
                       const struct cli_args *args,
                       const struct cli_subject_params *params);

/* Finds or makes their routings; likewise. */
bool cli_subjects_route(struct cli_subjects *subjects,
                        const struct cli_subject_params *params);
void cli_subjects_clear(struct cli_subjects *subjects);

#endif
