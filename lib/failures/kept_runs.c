/* kept_runs.c -- runs and cuts as texts that are kept, and the lines that they
 * are known by. */
#define _POSIX_C_SOURCE 200809L
#include "analysis/comparison_key.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/results_number.h"
#include "failures/study.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Goes on with 'n' numbers and how many they are. */
static uint64_t
hash_numbers(uint64_t hash, const void *numbers, size_t n, size_t size)
{
    return sf_hash_bytes(sf_hash_bytes(hash, &n, sizeof n), numbers, n * size);
}

static uint64_t
hash_text(uint64_t hash, const char *text)
{
    return text ? hash_numbers(hash, text, strlen(text), 1)
                : hash_numbers(hash, "", 0, 1);
}

uint64_t
sf_failure_key(const struct sf_failure_study *study)
{
    const struct sf_network *network = study->network;
    uint64_t hash = sf_key_of_network(network);
    uint64_t routes = sf_key_of_routes(network, study->base->routes);

    for (uint32_t i = 0; i < 2 * network->graph->n_links; i++) {
        uint32_t port = sf_network_port(network, i);
        hash = sf_hash_bytes(hash, &port, sizeof port);
    }
    return sf_hash_bytes(hash, &routes, sizeof routes);
}

/* What decides how routes are made anew. */
static uint64_t
hash_asked(const struct sf_failure_study *study)
{
    const struct sf_routing_params *asked = &study->asked;
    uint32_t numbers[] = {
        asked->layers.n_layers,
        asked->layers.max_hops,
        asked->n_path_sets,
        asked->n_addresses,
        asked->n_switch_addresses,
        asked->without_lanes,
        asked->guarantee,
        asked->max_vls,
        asked->max_sls,
    };
    uint64_t hash = hash_text(SF_HASH_START, asked->layers.scheme);

    hash = hash_text(hash, asked->lanes);
    hash = hash_numbers(hash, &asked->layers.seed, 1, sizeof(uint64_t));
    return hash_numbers(hash, numbers, sizeof numbers / sizeof *numbers,
                        sizeof *numbers);
}

static uint64_t
hash_traffics(const struct sf_failures_params *params)
{
    uint64_t hash = SF_HASH_START;

    for (uint32_t i = 0; i < params->n_traffics; i++) {
        hash = hash_text(hash, params->traffics[i]);
    }
    return hash;
}

void
sf_failure_describe(const struct sf_failure_study *study,
                    const struct sf_failure_point *point,
                    const struct sf_failure_dead *dead, uint32_t run,
                    char text[SF_FAILURE_SETTINGS_SIZE])
{
    const struct sf_failures_params *params = study->params;
    uint64_t hash = hash_numbers(SF_HASH_START, dead->links,
                                 study->network->graph->n_links, 1);

    hash = hash_numbers(hash, dead->nodes, study->network->fabric->n_nodes, 1);
    snprintf(text, SF_FAILURE_SETTINGS_SIZE,
             "%s failures routes=%016" PRIx64 " asked=%016" PRIx64
             " kind=%s dead=%016" PRIx64 " traffics=%u:%016" PRIx64
             " best=%d equal=%d host_links=%d effort=%d gap=%.17g times=%d "
             "seed=%" PRIu64,
             SF_RESULTS_OF, study->key, hash_asked(study),
             sf_failure_kind_name(point->kind), hash, params->n_traffics,
             hash_traffics(params), !params->without_splits[SF_SPLIT_BEST],
             !params->without_splits[SF_SPLIT_EQUAL],
             !params->without_host_links, (int)params->effort, params->gap,
             !params->without_times, params->seed + run);
}

void
sf_failure_describe_cuts(const struct sf_failure_study *study,
                         char text[SF_FAILURE_SETTINGS_SIZE])
{
    snprintf(text, SF_FAILURE_SETTINGS_SIZE,
             "%s failures cuts network=%016" PRIx64 " seed=%" PRIu64
             " seeds=%u",
             SF_RESULTS_OF, sf_key_of_network(study->network),
             study->params->seed, study->failures->cuts.n_orders);
}

/* Writes 'n' numbers, one a line, in hexadecimal, so that they are read back
 * as they were. */
static void
put(FILE *stream, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fprintf(stream, "%a\n", values[i]);
    }
}

/* Reads 'n' such lines at '*atp' and goes on behind them. */
static bool
take(const char **atp, double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *end;
        values[i] = strtod(*atp, &end);
        if (end == *atp || *end != '\n') {
            return false;
        }
        *atp = end + 1;
    }
    return true;
}

/* The settings are the first line of a text. */
static bool
take_settings(const char **atp, const char *settings)
{
    size_t length = strlen(settings);

    if (strncmp(*atp, settings, length) != 0 || (*atp)[length] != '\n') {
        return false;
    }
    *atp += length + 1;
    return true;
}

static bool
take_end(const char *at)
{
    return !strcmp(at, "end\n");
}

static FILE *
begin(const char *settings, char **textp, size_t *sizep)
{
    *textp = NULL;
    FILE *stream = open_memstream(textp, sizep);

    if (stream) {
        fprintf(stream, "%s\n", settings);
    }
    return stream;
}

static char *
end(FILE *stream, char **textp)
{
    fputs("end\n", stream);
    if (fclose(stream) != 0) {
        free(*textp);
        return NULL;
    }
    return *textp;
}

#define N_FLAGS 3

char *
sf_failure_write(const struct sf_failure_study *study,
                 const struct sf_failure_run *run, const char *settings)
{
    size_t n_traffics = study->params->n_traffics, size = 0;
    double flags[N_FLAGS] = { run->is_made_anew, run->is_fallback,
                              run->is_disconnected };
    char *text;
    FILE *stream = begin(settings, &text, &size);

    if (!stream) {
        return NULL;
    }
    put(stream, flags, N_FLAGS);
    put(stream, run->figures, SF_N_FAILURE_FIGURES);
    put(stream, run->throughputs, study->failures->n_splits * n_traffics);
    put(stream, run->left_out, n_traffics);
    return end(stream, &text);
}

bool
sf_failure_read(const struct sf_failure_study *study,
                struct sf_failure_run *run, const char *settings,
                const char *text)
{
    size_t n_traffics = study->params->n_traffics;
    double flags[N_FLAGS];
    const char *at = text;

    if (!take_settings(&at, settings) || !take(&at, flags, N_FLAGS) ||
        !take(&at, run->figures, SF_N_FAILURE_FIGURES) ||
        !take(&at, run->throughputs, study->failures->n_splits * n_traffics) ||
        !take(&at, run->left_out, n_traffics) || !take_end(at)) {
        return false;
    }
    run->is_made_anew = flags[0] > 0;
    run->is_fallback = flags[1] > 0;
    run->is_disconnected = flags[2] > 0;
    return true;
}

/* Numbers of 32 bits are exact as reals; SF_NONE is one of them. */
#define N_CUTS 7

char *
sf_failure_write_cuts(const struct sf_failure_cuts *cuts, const char *settings)
{
    double values[N_CUTS] = {
        cuts->has_pairs,      cuts->least_links,    cuts->link_ends[0],
        cuts->link_ends[1],   cuts->least_switches, cuts->switch_ends[0],
        cuts->switch_ends[1],
    };
    size_t size = 0;
    char *text;
    FILE *stream = begin(settings, &text, &size);

    if (!stream) {
        return NULL;
    }
    put(stream, values, N_CUTS);
    for (uint32_t i = 0; i < cuts->n_orders; i++) {
        double value = cuts->until_cut[i];
        put(stream, &value, 1);
    }
    return end(stream, &text);
}

/* A number that was written as a real; false if it was none of 32 bits. */
static bool
to_number(double value, uint32_t *numberp)
{
    if (!(value >= 0 && value <= UINT32_MAX)) {
        return false;
    }
    *numberp = (uint32_t)value;
    return true;
}

bool
sf_failure_read_cuts(struct sf_failure_cuts *cuts, const char *settings,
                     const char *text)
{
    uint32_t has_pairs = 0;
    uint32_t *const numbers[N_CUTS] = {
        &has_pairs,
        &cuts->least_links,
        &cuts->link_ends[0],
        &cuts->link_ends[1],
        &cuts->least_switches,
        &cuts->switch_ends[0],
        &cuts->switch_ends[1],
    };
    const char *at = text;
    bool is_good = take_settings(&at, settings);
    double value;

    for (uint32_t i = 0; is_good && i < N_CUTS; i++) {
        is_good = take(&at, &value, 1) && to_number(value, numbers[i]);
    }
    for (uint32_t i = 0; is_good && i < cuts->n_orders; i++) {
        is_good =
            take(&at, &value, 1) && to_number(value, &cuts->until_cut[i]);
    }
    is_good = is_good && take_end(at);
    cuts->has_pairs = is_good && has_pairs;
    return is_good;
}
