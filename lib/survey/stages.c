/* stages.c -- how far a survey is. */
#include "survey/survey_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS 100000 /* Of all stages, to be reported. */

static void
tell(const struct survey_stages *stages, const char *what)
{
    double done = stages->done + stages->weight * stages->share;
    bool is_named = stages->name && !strstr(what, stages->name);
    char text[640];

    if (stages->listener && stages->listener->report) {
        snprintf(text, sizeof text, "%.100s%s%.500s",
                 is_named ? stages->name : "", is_named ? ", " : "", what);
        stages->listener->report(stages->listener->aux, text,
                                 (uint64_t)(STEPS * done / stages->total),
                                 STEPS);
    }
}

static void
hear(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct survey_stages *stages = aux;
    double part = total ? (double)done / (double)total : 0;
    double now = stages->from + (1 - stages->from) * part / 2;

    if (now < stages->share) {
        stages->from = stages->share;
        now = stages->from + (1 - stages->from) * part / 2;
    }
    stages->share = fmin(now, 1);
    tell(stages, what);
}

void
sf_survey_stages_begin(struct survey_stages *stages,
                       const struct sf_survey_params *params)
{
    double each = SURVEY_PLAN + SURVEY_ROUTE + SURVEY_THROUGHPUT;

    each += params->without_simulation ? 0 : SURVEY_SIMULATION;
    each += params->without_failures ? 0 : SURVEY_FAILURES;
    *stages = (struct survey_stages){ .total = each * params->n_subjects };
    stages->progress = (struct sf_progress){ hear, stages };
    stages->listener = sf_progress_listen(NULL);
    if (stages->listener) {
        sf_progress_listen(&stages->progress);
    }
}

void
sf_survey_stages_end(struct survey_stages *stages)
{
    sf_progress_listen(stages->listener);
}

void
sf_survey_stage(struct survey_stages *stages, const char *name, double weight)
{
    stages->done += stages->weight;
    stages->weight = weight;
    stages->name = name;
    stages->from = stages->share = 0;
}
