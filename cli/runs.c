/* runs.c -- see runs.h. */
#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS   100000
#define LABEL_SIZE sizeof *((struct cli_runs *)NULL)->labels

/* Adds the loads of "0.3" or "0.05..1" or "0.1..1/0.1". */
static bool
add_loads(const char *text, struct cli_runs_params *params)
{
    char *end;
    double first = strtod(text, &end), last = first, step = 0.05;

    if (end != text && !strncmp(end, "..", 2)) {
        const char *rest = end + 2;
        last = strtod(rest, &end);
        if (end != rest && *end == '/') {
            rest = end + 1;
            step = strtod(rest, &end);
        }
    }
    if (end == text || *end || !(first > 0 && last <= 1 && first <= last) ||
        !(step >= 0.001 && step <= 1)) {
        cli_fail("simulate: --load: expected numbers above 0 and up to 1, or "
                 "ranges such as 0.05..1 or 0.1..1/0.1, found '%s'",
                 text);
        return false;
    }
    for (uint32_t i = 0; first + i * step <= last + 1e-9; i++) {
        if (params->n_loads == CLI_MAX_LOADS) {
            cli_fail("simulate: --load: expected at most %d loads",
                     CLI_MAX_LOADS);
            return false;
        }
        /* Rounded, so that 0.15 is not 0.15000000000000002; but not to 0,
         * which stands for messages. */
        double load = round((first + i * step) * 1e6) / 1e6;
        params->loads[params->n_loads++] = load > 0 ? load : first;
    }
    return true;
}

bool
cli_runs_read_loads(const struct cli_list *list,
                    struct cli_runs_params *params)
{
    bool is_fine = true;

    if (!list) {
        params->loads[params->n_loads++] = 0;
    }
    for (uint32_t i = 0; list && is_fine && i < list->n; i++) {
        is_fine = add_loads(list->items[i], params);
    }
    return is_fine;
}

/* The number of the word 'word' among those of an option. */
static uint32_t
number_of(const char *(*name)(uint32_t), const char *word)
{
    uint32_t i = 0;
    while (name(i) && strcmp(name(i), word) != 0) {
        i++;
    }
    return i;
}

/* The words of a run; NULL where a list is missing. */
struct words {
    const char *of[CLI_N_AXES];
};

/* Word number at[i] of each axis i. */
static struct words
words_at(const struct cli_runs_params *params, const uint32_t at[CLI_N_AXES])
{
    struct words words;

    for (uint32_t i = 0; i < CLI_N_AXES; i++) {
        const struct cli_list *list = params->axes[i];
        words.of[i] = list ? list->items[at[i]] : NULL;
    }
    return words;
}

/* How many words an axis has. */
static uint32_t
axis_size(const struct cli_runs_params *params, uint32_t axis)
{
    return params->axes[axis] ? params->axes[axis]->n : 1;
}

/* Goes on to the next word of the last axis that has one; false at the end. */
static bool
advance(const struct cli_runs_params *params, uint32_t at[CLI_N_AXES])
{
    for (uint32_t i = CLI_N_AXES; i-- > 0;) {
        if (++at[i] < axis_size(params, i)) {
            return true;
        }
        at[i] = 0;
    }
    return false;
}

static struct sf_sim_jobs
jobs_of(const struct words *words, double load)
{
    return (struct sf_sim_jobs){
        .workload = words->of[CLI_AXIS_WORKLOAD],
        .nodes = words->of[CLI_AXIS_NODES],
        .placement = words->of[CLI_AXIS_PLACEMENT],
        .size = sf_sim_size_read(words->of[CLI_AXIS_SIZE], NULL),
        .load = load,
    };
}

static bool
check_subject(const struct cli_runs_params *params,
              const struct cli_subject *subject)
{
    uint32_t at[CLI_N_AXES] = { 0 };
    struct sf_error err = { 0 };
    struct sf_sim_net net;

    do {
        struct words words = words_at(params, at);
        struct sf_sim_jobs jobs = jobs_of(&words, params->loads[0]);
        if (sf_sim_jobs_check(subject->network, &jobs, params->seed, &err) !=
            SF_OK) {
            cli_fail("simulate: %s: %s", subject->name, err.text);
            return false;
        }
        /* The axes behind the sizes do not matter here. */
        for (uint32_t i = CLI_AXIS_MODEL; i < CLI_N_AXES; i++) {
            at[i] = axis_size(params, i) - 1;
        }
    } while (advance(params, at));
    return cli_net_find(subject, &params->net, &net);
}

bool
cli_runs_check(const struct cli_runs_params *params,
               const struct cli_subjects *subjects)
{
    bool is_fine = !params->is_for_jobs || cli_fits_check(subjects);

    for (uint32_t i = 0; is_fine && i < subjects->n_subjects; i++) {
        is_fine = check_subject(params, &subjects->subjects[i]);
    }
    return is_fine;
}

/* Sets up the run of 'routing' with these words and a load. */
static bool
set_up_run(struct cli_runs *runs, const struct cli_runs_params *params,
           const struct cli_subject_routing *routing,
           const struct words *words, double load)
{
    uint32_t number = runs->n++;
    struct sf_simulation_task *task = &runs->tasks[number];
    struct sf_simulation_params *of = &task->params;
    const char *const *word = words->of;

    *of = params->common;
    of->jobs = jobs_of(words, load);
    of->model = number_of(sf_sim_model_name, word[CLI_AXIS_MODEL]);
    of->queues = number_of(sf_sim_queues_name, word[CLI_AXIS_QUEUES]);
    of->select = number_of(sf_select_name, word[CLI_AXIS_SELECT]);
    of->lengths = routing->subject->lengths;
    of->seed = routing->seed;
    task->source = &routing->source;
    task->label = runs->labels[number];
    snprintf(runs->labels[number], LABEL_SIZE, "%.120s, %.60s, %.120s",
             routing->subject->name, routing->scheme, word[CLI_AXIS_WORKLOAD]);
    runs->rows[number] = (struct sf_simulation_row){
        .name = routing->subject->name,
        .routing = routing->scheme,
        .lanes = routing->lanes,
        .n_layers = routing->n_layers,
        .n_vls = routing->source.n_vls,
        .job_shares = routing->is_for_jobs ? &routing->job_shares : NULL,
        .one_sl = params->one_sl,
        .network = routing->source.network,
        .is_done = true,
    };
    return cli_net_find(routing->subject, &params->net, &of->net);
}

static bool
make_room(struct cli_runs *runs, const struct cli_runs_params *params,
          const struct cli_subjects *subjects)
{
    double n = (double)subjects->n_routings * params->n_loads;

    for (uint32_t i = 0; i < CLI_N_AXES; i++) {
        n *= axis_size(params, i);
    }
    if (n > MAX_RUNS) {
        cli_fail("simulate: expected at most %d runs, found %.0f", MAX_RUNS,
                 n);
        return false;
    }
    runs->tasks = calloc((size_t)n, sizeof *runs->tasks);
    runs->rows = calloc((size_t)n, sizeof *runs->rows);
    runs->labels = calloc((size_t)n, sizeof *runs->labels);
    if (!runs->tasks || !runs->rows || !runs->labels) {
        cli_fail("out of memory");
        return false;
    }
    return true;
}

/* The routing for a run with these words: 'base', or that for its jobs. */
static const struct cli_subject_routing *
routing_for(struct cli_runs *runs, const struct cli_runs_params *params,
            const struct cli_subject_routing *base, const struct words *words)
{
    struct sf_sim_jobs jobs = jobs_of(words, params->loads[0]);

    return params->is_for_jobs ? cli_fits_find(&runs->fits, base, &jobs)
                               : base;
}

bool
cli_runs_make(struct cli_runs *runs, const struct cli_runs_params *params,
              const struct cli_subjects *subjects)
{
    bool is_fine = make_room(runs, params, subjects);

    for (uint32_t i = 0; is_fine && i < subjects->n_routings; i++) {
        uint32_t at[CLI_N_AXES] = { 0 };
        do {
            struct words words = words_at(params, at);
            const struct cli_subject_routing *routing =
                routing_for(runs, params, &subjects->routings[i], &words);
            is_fine = routing != NULL;
            for (uint32_t k = 0; is_fine && k < params->n_loads; k++) {
                is_fine = set_up_run(runs, params, routing, &words,
                                     params->loads[k]);
            }
        } while (is_fine && advance(params, at));
    }
    return is_fine;
}

void
cli_runs_clear(struct cli_runs *runs)
{
    for (uint32_t i = 0; i < runs->n; i++) {
        sf_simulation_clear(&runs->tasks[i].result);
    }
    cli_fits_clear(&runs->fits);
    free(runs->labels);
    free(runs->rows);
    free(runs->tasks);
}
