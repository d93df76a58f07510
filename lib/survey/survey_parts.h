/* survey_parts.h -- what the parts of a survey share: survey_networks.c builds
 * and routes the networks, uniform.c simulates them, stages.c tells how far
 * all is, survey.c does the rest. */
#ifndef SF_SURVEY_PARTS_H
#define SF_SURVEY_PARTS_H

#include "slimfly/progress.h"
#include "slimfly/survey.h"

/* Work that reports its own progress is a stage of the whole.  Nobody knows
 * how many steps such work has, so each one that begins anew counts for half
 * of what is left of the stage. */
struct survey_stages {
    const struct sf_progress *listener; /* Of the caller; may be NULL. */
    struct sf_progress progress;        /* What stages report to. */
    const char *name;                   /* Of the network; NULL: all. */
    double done, weight, total;         /* Stages before, this one, all. */
    double from, share;                 /* Of this one: when its present step
                                         * began, and what that has done. */
};

/* How much of the time a stage takes, about, for each network.  Simulation
 * takes twice as long as failures with 200 hosts, forty times with 1500. */
#define SURVEY_PLAN       1
#define SURVEY_ROUTE      2
#define SURVEY_THROUGHPUT 3
#define SURVEY_SIMULATION 300
#define SURVEY_FAILURES   40

/* Begins to listen to what the calling thread does, and ends. */
void sf_survey_stages_begin(struct survey_stages *stages,
                            const struct sf_survey_params *params);
void sf_survey_stages_end(struct survey_stages *stages);

/* The next stage. */
void sf_survey_stage(struct survey_stages *stages, const char *name,
                     double weight);

/* Builds and plans the networks with the same number of hosts; routes one. */
enum sf_status sf_survey_networks(struct sf_survey *survey,
                                  struct survey_stages *stages,
                                  struct sf_error *err);
enum sf_status sf_survey_route(const struct sf_survey_params *params,
                               struct sf_survey_network *network,
                               struct sf_error *err);

/* Simulates uniform load on all networks. */
enum sf_status sf_survey_simulate(struct sf_survey *survey,
                                  struct sf_error *err);

#endif
