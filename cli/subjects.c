/* subjects.c -- loads networks and makes or finds their routings. */
#include "subjects.h"

#include <stdlib.h>
#include <string.h>

/* Whether 'word' alone names a network with its tables. */
static bool
has_tables(const char *word)
{
    if (sf_is_live(word)) {
        return true;
    }
    char *path =
        cli_is_folder(word) ? cli_find_in_folder(word, CLI_TABLES_FILE) : NULL;
    bool is_there = path != NULL;
    free(path);
    return is_there;
}

/* Loads the network 'word', with the tables 'tables' or, if that is NULL, its
 * own if it has some. */
static bool
load_subject(struct cli_subject *subject, const char *word, const char *tables,
             uint32_t timeout)
{
    struct sf_error err = { 0 };

    subject->name = word;
    subject->fabric = cli_load_fabric_and_plan(word, timeout, &subject->plan);
    if (!subject->fabric) {
        return false;
    }
    tables = !tables && has_tables(word) ? word : tables;
    if (sf_network_build(subject->fabric, &subject->network, &err) != SF_OK ||
        (tables && cli_held_load(&subject->held, tables, subject->fabric,
                                 timeout, &err) != SF_OK)) {
        cli_fail("%s", err.text);
        return false;
    }
    subject->tables = (struct sf_ib_held){
        .tables = subject->held.tables,
        .sl2vl = subject->held.sl2vl,
        .path_sls = subject->held.path_sls,
    };
    if (subject->plan &&
        sf_plan_lengths(subject->plan, &subject->lengths, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return true;
}

/* The routing that the tables of a subject hold. */
static bool
add_tables(struct cli_subjects *subjects, struct cli_subject *subject,
           const struct cli_subject_params *params, uint64_t seed)
{
    struct cli_subject_routing *routing =
        &subjects->routings[subjects->n_routings++];
    struct sf_error err = { 0 };

    routing->subject = subject;
    routing->seed = seed;
    snprintf(routing->scheme, sizeof routing->scheme, "tables");
    snprintf(routing->lanes, sizeof routing->lanes, "%s",
             subject->held.sl2vl ? "tables" : "none");
    if (sf_ib_path_source(subject->network, &subject->tables, params->one_sl,
                          &routing->source, &err) != SF_OK) {
        cli_fail("%s: %s", subject->name, err.text);
        return false;
    }
    routing->n_layers = routing->source.n_addresses;
    return true;
}

/* Routes a subject as 'slimfly route' would. */
static bool
add_scheme(struct cli_subjects *subjects, const struct cli_subject *subject,
           const struct cli_subject_params *params, const char *scheme,
           uint32_t n_layers, uint64_t seed)
{
    struct cli_subject_routing *routing =
        &subjects->routings[subjects->n_routings++];
    struct sf_routing_params how = params->routing;
    struct sf_error err = { 0 };

    how.layers.scheme = scheme;
    how.layers.n_layers = n_layers;
    how.layers.seed = seed;
    how.layers.n_threads = params->n_threads;
    how.n_addresses = sf_backend_host_addresses(&sf_ib_backend, n_layers);
    routing->subject = subject;
    routing->seed = seed;
    routing->n_layers = n_layers;
    if (sf_routing_build(subject->network, &how, &routing->made, &err) !=
            SF_OK ||
        sf_path_source_of_routes(routing->made->network, routing->made->routes,
                                 params->one_sl, &routing->source,
                                 &err) != SF_OK) {
        cli_fail("simulate: %s: %s", subject->name, err.text);
        return false;
    }
    const struct sf_lanes *lanes = routing->made->routes->lanes;
    snprintf(routing->scheme, sizeof routing->scheme, "%s",
             routing->made->params.layers.scheme);
    snprintf(routing->lanes, sizeof routing->lanes, "%s",
             lanes ? lanes->scheme->name : "none");
    return true;
}

/* Adds the routings of a subject with one seed. */
static bool
add_routings(struct cli_subjects *subjects, struct cli_subject *subject,
             const struct cli_subject_params *params, uint64_t seed)
{
    uint32_t n_schemes = params->schemes ? params->schemes->n : 1;
    bool is_fine = true;

    if (subject->held.tables) {
        is_fine = add_tables(subjects, subject, params, seed);
        if (!params->schemes) {
            return is_fine;
        }
    }
    for (uint32_t i = 0; is_fine && i < n_schemes; i++) {
        for (uint32_t k = 0; is_fine && k < params->layers->n; k++) {
            is_fine =
                add_scheme(subjects, subject, params,
                           params->schemes ? params->schemes->items[i] : NULL,
                           params->layers->numbers[k], seed);
        }
    }
    return is_fine;
}

bool
cli_subjects_load(struct cli_subjects *subjects, const struct cli_args *args,
                  const struct cli_subject_params *params)
{
    uint32_t timeout = cli_number(args, OPT_TIMEOUT);
    uint32_t n_others = params->others ? params->others->n : 0;

    subjects->subjects = calloc(1 + n_others, sizeof *subjects->subjects);
    if (!subjects->subjects) {
        cli_fail("out of memory");
        return false;
    }
    subjects->n_subjects = 1 + n_others;
    bool is_fine =
        load_subject(&subjects->subjects[0], args->words[0],
                     args->n_words == 2 ? args->words[1] : NULL, timeout);
    for (uint32_t i = 0; is_fine && i < n_others; i++) {
        is_fine = load_subject(&subjects->subjects[1 + i],
                               params->others->items[i], NULL, timeout);
    }
    return is_fine;
}

bool
cli_subjects_route(struct cli_subjects *subjects,
                   const struct cli_subject_params *params)
{
    uint32_t n_schemes = params->schemes ? params->schemes->n : 1;
    size_t n_each = 1 + (size_t)n_schemes * params->layers->n;

    subjects->routings =
        calloc(subjects->n_subjects * n_each * params->n_seeds,
               sizeof *subjects->routings);
    if (!subjects->routings) {
        cli_fail("out of memory");
        return false;
    }
    bool is_fine = true;
    for (uint32_t i = 0; is_fine && i < subjects->n_subjects; i++) {
        for (uint32_t k = 0; is_fine && k < params->n_seeds; k++) {
            is_fine = add_routings(subjects, &subjects->subjects[i], params,
                                   params->seed + k);
        }
    }
    return is_fine;
}

void
cli_subjects_clear(struct cli_subjects *subjects)
{
    for (uint32_t i = 0; i < subjects->n_routings; i++) {
        sf_routing_free(subjects->routings[i].made);
    }
    for (uint32_t i = 0; i < subjects->n_subjects; i++) {
        struct cli_subject *subject = &subjects->subjects[i];
        cli_held_clear(&subject->held);
        free(subject->lengths);
        sf_network_free(subject->network);
        if (subject->plan) {
            sf_plan_free(subject->plan);
        } else {
            sf_fabric_free(subject->fabric);
        }
    }
    free(subjects->routings);
    free(subjects->subjects);
    *subjects = (struct cli_subjects){ 0 };
}
