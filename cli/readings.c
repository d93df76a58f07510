/* readings.c -- reads counters of a live fabric once or twice, and in between
 * what else is to be known. */
#define _GNU_SOURCE
#include "readings.h"

#include "held_tables.h"

#include <stdlib.h>
#include <time.h>

#define STEP 0.2 /* Seconds between two looks at the clock. */

void
cli_readings_clear(struct cli_readings *readings)
{
    free(readings->predicted);
    sf_silence_free(readings->silence);
    sf_growths_free(readings->growths);
    sf_counters_free(readings->counters);
    sf_counters_free(readings->before);
    sf_fabric_free(readings->fabric);
}

static double
seconds_since_1970(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Waits until 'end', on the clock of cli_seconds(). */
static void
wait_until(double start, double end)
{
    for (double left; (left = end - cli_seconds()) > 0;) {
        double step = left < STEP ? left : STEP;
        struct timespec pause = { 0, (long)(step * 1e9) };
        sf_progress_report("waiting for the second reading",
                           (uint64_t)((end - start - left) * 10),
                           (uint64_t)((end - start) * 10) + 1);
        nanosleep(&pause, NULL);
    }
}

/* Looks through ports until it is known of each silent one whether it stays
 * so: only those that were silent are asked again. */
static enum sf_status
probe(struct cli_readings *readings, struct sf_error *err)
{
    enum sf_status status = sf_silence_new(
        readings->n_silent, readings->n_sweeps, &readings->silence, err);
    bool *is_silent = calloc(readings->fabric->n_ports + 1, sizeof *is_silent);
    uint32_t n_silent = 1;

    if (!is_silent && status == SF_OK) {
        status = sf_fail(err, SF_ENOMEM, "out of memory");
    }
    for (uint32_t sweep = 0;
         status == SF_OK && n_silent && sweep < readings->n_sweeps; sweep++) {
        struct sf_probes *probes = NULL;
        status = sf_live_probe(readings->source, readings->fabric,
                               sweep ? is_silent : NULL, &readings->params,
                               &probes, err);
        if (status == SF_OK) {
            status = sf_silence_update(readings->silence, probes, err);
        }
        n_silent = 0;
        for (uint32_t i = 0; status == SF_OK && i < probes->n_ports; i++) {
            is_silent[i] =
                is_silent[i] || probes->ports[i].probe == SF_PROBE_SILENT;
            n_silent += is_silent[i];
        }
        sf_probes_free(probes);
    }
    free(is_silent);
    return status;
}

/* What the tables that 'word' names lead over each link. */
static enum sf_status
predict(struct cli_readings *readings, struct sf_error *err)
{
    const char *word = readings->tables;
    uint32_t timeout = readings->params.timeout;
    struct cli_held held = { 0 };
    enum sf_status status =
        sf_is_live(word)
            ? sf_live_tables(word, readings->fabric, timeout, &held.tables,
                             NULL, err)
            : cli_held_load(&held, word, readings->fabric, timeout, err);
    double *loads = calloc(readings->fabric->n_ports + 1, sizeof *loads);

    if (status == SF_OK) {
        status =
            loads ? sf_table_loads(readings->fabric, held.tables, loads, err)
                  : sf_fail(err, SF_ENOMEM, "out of memory for loads");
    }
    if (status == SF_OK) {
        readings->predicted = loads;
    } else {
        free(loads);
    }
    cli_held_clear(&held);
    return status;
}

/* The same; only tables that somebody asked for are needed. */
static enum sf_status
try_to_predict(struct cli_readings *readings, struct sf_error *err)
{
    enum sf_status status = predict(readings, err);

    if (status == SF_OK || readings->needs_tables) {
        return status;
    }
    cli_progress_hide();
    fprintf(stderr, "slimfly: no prediction of loads: %s\n", err->text);
    return SF_OK;
}

/* Reads once, or twice with all else in between. */
enum sf_status
cli_readings_make(struct cli_readings *readings, struct sf_error *err)
{
    bool is_twice = readings->interval > 0;
    double start = cli_seconds();
    enum sf_status status = SF_OK;

    if (is_twice) {
        status = sf_counters_read(readings->source, readings->fabric,
                                  &readings->params, &readings->before, err);
    }
    if (status == SF_OK && readings->probes) {
        status = probe(readings, err);
    }
    if (status == SF_OK && is_twice) {
        status = try_to_predict(readings, err);
    }
    if (status == SF_OK && is_twice) {
        wait_until(start, start + readings->interval);
    }
    double second = cli_seconds();
    if (status == SF_OK) {
        status = sf_counters_read(readings->source, readings->fabric,
                                  &readings->params, &readings->counters, err);
    }
    readings->read_seconds = cli_seconds() - second;
    readings->read_at = seconds_since_1970();
    if (status == SF_OK &&
        readings->counters->n_by_answer[SF_ANSWER_NOT_ASKED] ==
            readings->counters->n_ports) {
        status = sf_fail(err, SF_EINVAL,
                         "counters: nothing in '%s' has a LID; expected a "
                         "fabric whose subnet is up",
                         readings->word);
    }
    if (status == SF_OK && is_twice) {
        status = sf_counters_compare(readings->before, readings->counters,
                                     &readings->growths, err);
    }
    return status;
}
