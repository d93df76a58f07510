/* surveys.h -- surveys of several networks, for 'slimfly compare' and for
 * 'slimfly design --compare': their options, networks and results. */
#ifndef SF_CLI_SURVEYS_H
#define SF_CLI_SURVEYS_H

#include "kept.h"

struct cli_survey {
    struct sf_survey_params params;
    struct sf_survey_subject subjects[SF_SURVEY_MAX_NETWORKS];
    struct sf_plan *plans[SF_SURVEY_MAX_NETWORKS];     /* Of these, NULL */
    struct sf_fabric *fabrics[SF_SURVEY_MAX_NETWORKS]; /* where not needed. */
    double shares[CLI_MAX_LIST];
    struct cli_kept kept;
    const char *folder; /* Of results; NULL: none. */
    bool is_said;       /* That the folder cannot be opened. */
};

/* The options of surveys, a group. */
extern const struct cli_option cli_survey_options[];

/* Whether an option of surveys was given; its name, else NULL. */
const char *cli_survey_given(const struct cli_args *args);

/* Reads these options, but for routing, hosts and prices.  On failure says so
 * and returns false, as does the next. */
bool cli_survey_read(const struct cli_args *args, struct cli_survey *survey);

/* Adds the networks that the words of a command name: specs, plans, and all
 * that 'slimfly verify' takes as discovered. */
bool cli_survey_load(const struct cli_args *args, struct cli_survey *survey);

/* Runs it and writes the results; 'note' is for people, or NULL.  Returns an
 * exit code. */
int cli_survey_run(const struct cli_args *args, struct cli_survey *survey,
                   const char *note);
void cli_survey_clear(struct cli_survey *survey);

/* Compares the best candidates of 'design', one of each family; returns an
 * exit code. */
int cli_survey_design(const struct cli_args *args,
                      const struct sf_design *design);

#endif
