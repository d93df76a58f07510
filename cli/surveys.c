/* surveys.c -- see surveys.h. */
#include "surveys.h"
#include "result_output.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whether nothing has this name: people who begin try "sf" or "HyperX". */
static bool
is_nothing(const char *word)
{
    return !sf_is_live(word) && !sf_is_lldp(word) && strcmp(word, "-") != 0 &&
           access(word, F_OK) != 0 && errno == ENOENT;
}

/* Whether 'word' is the name of a family and of no file. */
static bool
is_bare_family(const char *word)
{
    return !strchr(word, ':') && sf_family_find(word) != SF_NONE &&
           is_nothing(word);
}

static bool
load_network(const struct cli_args *args, struct cli_survey *survey,
             const char *word)
{
    uint32_t number = survey->params.n_subjects++;
    struct sf_survey_subject *subject = &survey->subjects[number];
    bool is_file =
        cli_is_file(word) || cli_is_folder(word) || !strchr(word, ':');

    subject->name = word;
    if (cli_is_plan(word) && !is_file) {
        subject->spec = word;
        return true;
    }
    /* The bare name of a family is a spec to others, which say what it needs;
     * here people may ask for sizes. */
    if (cli_is_plan(word) && !is_bare_family(word)) {
        /* A plan stands for what it was made of. */
        struct sf_plan *plan = cli_load_plan(word);
        survey->plans[number] = plan;
        if (plan) {
            subject->spec = plan->spec;
            subject->n_hosts =
                plan->fabric->n_nodes - plan->fabric->n_switches;
        }
        return plan != NULL;
    }
    if (is_nothing(word)) {
        cli_fail("%s: %s: no such file; expected a spec such as sf:q=5 "
                 "('slimfly topology --list' has the families), a plan or a "
                 "discovered fabric. 'slimfly design --endpoints N --compare' "
                 "finds sizes by itself",
                 args->command->name, word);
        return false;
    }
    survey->fabrics[number] =
        cli_load_discovered(word, cli_number(args, OPT_TIMEOUT));
    subject->fabric = survey->fabrics[number];
    return subject->fabric != NULL;
}

bool
cli_survey_load(const struct cli_args *args, struct cli_survey *survey)
{
    bool is_fine = true;

    survey->params.subjects = survey->subjects;
    for (size_t i = 0; is_fine && i < args->n_words; i++) {
        if (survey->params.n_subjects == SF_SURVEY_MAX_NETWORKS) {
            cli_fail("%s: expected at most %d networks, found %zu",
                     args->command->name, SF_SURVEY_MAX_NETWORKS,
                     args->n_words);
            return false;
        }
        is_fine = load_network(args, survey, args->words[i]);
    }
    return is_fine;
}

static const char *
file_name(size_t i)
{
    return sf_survey_files[i].name;
}

static const char *
file_format(size_t i)
{
    return sf_survey_files[i].format;
}

static bool
has_file(const void *of, size_t i)
{
    const struct sf_survey_file *file = &sf_survey_files[i];
    return !file->has || file->has(of);
}

static enum sf_status
write_file(const void *of, size_t i, FILE *stream, struct sf_error *err)
{
    return sf_survey_files[i].write(of, stream, err);
}

static bool
has_deadlock(const struct sf_survey *survey)
{
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_survey_network *network = &survey->networks[i];
        for (uint32_t k = 0; k < network->n_runs; k++) {
            if (network->runs[k].result.n_cycle) {
                return true;
            }
        }
    }
    return false;
}

/* Opens the folder of results: not before it is known that there will be
 * some. */
static bool
open_folder(void *aux)
{
    struct cli_survey *survey = aux;

    survey->is_said = cli_make_folder(survey->folder) != CLI_FINE ||
                      !cli_kept_open(&survey->kept, survey->folder);
    return !survey->is_said;
}

int
cli_survey_run(const struct cli_args *args, struct cli_survey *survey,
               const char *note)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct sf_survey *made;
    struct sf_error err = { 0 };

    if (folder) {
        survey->folder = folder;
        survey->kept.opened = time(NULL);
        survey->params.begin = open_folder;
        survey->params.aux = survey;
        survey->params.measurements = &survey->kept.store;
        survey->params.simulations = &survey->kept.simulations;
        survey->params.failures = &survey->kept.failures;
    }
    if (sf_survey_build(&survey->params, &made, &err) != SF_OK) {
        return survey->is_said
                   ? CLI_ERROR
                   : cli_fail("%s: %s", args->command->name, err.text);
    }
    struct sf_survey_report report = { .origin = cli_origin(args),
                                       .note = note,
                                       .survey = made };
    struct cli_results results = { &report,
                                   file_name,
                                   file_format,
                                   has_file,
                                   write_file,
                                   &report.figure,
                                   folder ? &survey->kept : NULL };
    int code = cli_write_results(args, &results);
    code = code == CLI_FINE && has_deadlock(made) ? CLI_FINDINGS : code;
    sf_survey_free(made);
    return code;
}

void
cli_survey_clear(struct cli_survey *survey)
{
    cli_kept_clear(&survey->kept);
    for (uint32_t i = 0; i < SF_SURVEY_MAX_NETWORKS; i++) {
        sf_plan_free(survey->plans[i]);
        sf_fabric_free(survey->fabrics[i]);
    }
}
