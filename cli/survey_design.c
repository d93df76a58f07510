/* survey_design.c -- the candidates of a design that are compared. */
#define _GNU_SOURCE
#include "surveys.h"

#include <stdlib.h>
#include <string.h>

/* What becomes of a candidate. */
enum fate {
    TAKEN,
    BEHIND,    /* Another of its family comes first. */
    TOO_SMALL, /* For the hosts. */
    TOO_MANY,  /* Networks. */
    N_FATES,
};

/* A design is sorted: the first candidate of a family is the best. */
static enum fate
judge(const struct cli_survey *survey, const struct sf_design *design,
      uint32_t number)
{
    const struct sf_candidate *candidate = &design->candidates[number];

    if (candidate->n_missing) {
        return TOO_SMALL;
    }
    for (uint32_t i = 0; i < number; i++) {
        if (!strcmp(design->candidates[i].family, candidate->family) &&
            !design->candidates[i].n_missing) {
            return BEHIND;
        }
    }
    return survey->params.n_subjects < SF_SURVEY_MAX_NETWORKS ? TAKEN
                                                              : TOO_MANY;
}

static void
take(struct cli_survey *survey, const struct sf_candidate *candidate)
{
    survey->subjects[survey->params.n_subjects++] =
        (struct sf_survey_subject){ .name = candidate->spec,
                                    .spec = candidate->spec,
                                    .ports = candidate->ports };
}

/* Whether candidates differ in their switches, and so in the rate of links. */
static bool
has_rates(const struct sf_design *design)
{
    for (uint32_t i = 1; i < design->n_candidates; i++) {
        if (design->candidates[i].generation !=
            design->candidates[0].generation) {
            return true;
        }
    }
    return false;
}

/* Says which candidates had a fate. */
static void
write_fate(const struct sf_design *design, const enum fate *fates,
           enum fate fate, enum sf_survey_equal equal, FILE *stream)
{
    bool has_rate = has_rates(design);
    uint32_t n = 0;

    for (uint32_t i = 0; i < design->n_candidates; i++) {
        if (fates[i] != fate) {
            continue;
        }
        if (n++ == 0) {
            fputs(fate == TAKEN ? "Compared: the first of each family by "
                  : fate == BEHIND
                      ? "Left out, behind another of their family: "
                  : fate == TOO_SMALL ? "Left out, too small: "
                                      : "Left out, too many families: ",
                  stream);
            if (fate == TAKEN) {
                fprintf(stream, "%s: ", sf_design_sorts[design->params.sort]);
            }
        } else {
            fputs(", ", stream);
        }
        fputs(design->candidates[i].spec, stream);
        if (has_rate && design->candidates[i].generation) {
            fprintf(stream, " (%s)", design->candidates[i].generation->rate);
        }
    }
    if (n) {
        fputs(".", stream);
        if (fate == TAKEN && !design->params.n_endpoints) {
            fputs(equal == SF_SURVEY_EQUAL_COST
                      ? " Each has all its hosts."
                      : " Each has as many hosts as the smallest has, "
                        "whatever larger ones could have; with --equal cost "
                        "each has its own.",
                  stream);
        }
        fputs("\n", stream);
    }
}

/* Adds the best candidates, one of each family, and writes which were taken
 * and which not into '*notep', which the caller frees; false, having said why,
 * if there are none. */
static bool
take_best(struct cli_survey *survey, const struct sf_design *design,
          char **notep)
{
    size_t size;
    FILE *stream = open_memstream(notep, &size);
    enum fate *fates = calloc(design->n_candidates + 1, sizeof *fates);
    bool is_fine = stream && fates;

    survey->params.subjects = survey->subjects;
    for (uint32_t i = 0; is_fine && i < design->n_candidates; i++) {
        fates[i] = judge(survey, design, i);
        if (fates[i] == TAKEN) {
            take(survey, &design->candidates[i]);
        }
    }
    for (enum fate fate = 0; is_fine && fate < N_FATES; fate++) {
        write_fate(design, fates, fate, survey->params.equal, stream);
    }
    free(fates);
    if (stream && fclose(stream) != 0) {
        is_fine = false;
    }
    if (!is_fine) {
        cli_fail("out of memory");
    } else if (!survey->params.n_subjects) {
        cli_fail("design: --compare: no network answers the question");
        is_fine = false;
    }
    return is_fine;
}

int
cli_survey_design(const struct cli_args *args, const struct sf_design *design)
{
    struct cli_survey survey = { .params = {
                                     .prices = design->prices,
                                     .n_hosts = design->params.n_endpoints,
                                     .seed = 1,
                                 } };
    char *note = NULL;
    int code = CLI_ERROR;

    survey.params.routing.layers.n_layers =
        design->params.n_layers ? design->params.n_layers : 4;
    if (cli_survey_read(args, &survey) && take_best(&survey, design, &note)) {
        code = cli_survey_run(args, &survey, note);
    }
    cli_survey_clear(&survey);
    free(note);
    return code;
}
