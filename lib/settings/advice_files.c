/* advice_files.c -- the advice about addresses as a table, as JSON and as
 * environments for jobs.
 *
 * Names and limits are those of stacks.c.  No variable of NCCL and RCCL
 * chooses addresses: they use the first. */
#include "settings/settings_writers.h"

#include <inttypes.h>

/* What jobs of a pattern do, for their environments. */
static const char *const doings[SF_N_ADVICES] = {
    [SF_ADVICE_ALL_TO_ALL] = "Environment for jobs on most of the machine in "
                             "which every process sends to every other: "
                             "MPI_Alltoall, transposes of FFTs.",
    [SF_ADVICE_SMALL] = "Environment for jobs on a few switches next to each "
                        "other in which every process sends to every other. "
                        "Measured with the machine full of jobs of 32 hosts.",
    [SF_ADVICE_PAIRS] = "Environment for jobs in which a process sends to few "
                        "others at a time, at places that chance decides.",
    [SF_ADVICE_SWITCHES] = "Environment for jobs in which all hosts of a "
                           "switch send to the same other switch: rings, "
                           "shifts, pipelines, neighbours on a grid.",
    [SF_ADVICE_JOBS] =
        "Environment for the jobs of --advise. Measured with all "
        "of them at once.",
};

static const struct sf_advice_row *
row_of(const struct sf_settings *settings, enum sf_advice_pattern pattern)
{
    const struct sf_advice *advice = settings->advice;
    const struct sf_advice_row *row = advice ? &advice->rows[pattern] : NULL;

    return row && row->n_addresses ? row : NULL;
}

/* A row of the table. */
static void
write_row(const struct sf_advice *advice, enum sf_advice_pattern pattern,
          FILE *stream)
{
    const struct sf_advice_row *row = &advice->rows[pattern];

    fprintf(stream, "  %-40s", sf_advice_kinds[pattern].summary);
    for (uint32_t i = 0; i < advice->n_steps; i++) {
        fprintf(stream, " %6.3f", row->speeds[i]);
    }
    fprintf(stream, "  %3" PRIu32, row->n_addresses);
    if (advice->steps[advice->n_steps - 1] > SF_ADVICE_FEW) {
        fprintf(stream, "  %3" PRIu32, row->n_few);
    }
    fprintf(stream, "  %s\n", sf_advice_kinds[pattern].file);
}

void
sf_settings_write_advice(const struct sf_settings *settings, FILE *stream)
{
    const struct sf_advice *advice = settings->advice;

    if (!advice) {
        return;
    }
    fputs("\naddresses for jobs: what every host gets, as a part of the rate "
          "of its link, if traffic takes\nthe first addresses of its receiver "
          "in turn\n",
          stream);
    fprintf(stream, "  %-40s", "addresses used");
    for (uint32_t i = 0; i < advice->n_steps; i++) {
        fprintf(stream, " %6" PRIu32, advice->steps[i]);
    }
    fputs(advice->steps[advice->n_steps - 1] > SF_ADVICE_FEW
              ? "  use  UCX  environment\n"
              : "  use  environment\n",
          stream);
    for (enum sf_advice_pattern i = 0; i < SF_N_ADVICES; i++) {
        if (row_of(settings, i)) {
            write_row(advice, i, stream);
        }
    }
    if (settings->has_jobs) {
        fputs("  OpenSM makes other routes for the jobs that run, for equal "
              "shares over all addresses\n",
              stream);
    }
    fputs("  NCCL and RCCL use the first address whatever is set\n", stream);
    if (advice->reason.text[0]) {
        fprintf(stream, "  not all was measured: %s\n", advice->reason.text);
    }
}

static json_t *
speeds_to_json(const struct sf_advice *advice, const struct sf_advice_row *row)
{
    json_t *speeds = json_array();

    for (uint32_t i = 0; i < advice->n_steps; i++) {
        json_array_append_new(speeds, json_pack("{s:I, s:f}", "n_addresses",
                                                (json_int_t)advice->steps[i],
                                                "throughput", row->speeds[i]));
    }
    return speeds;
}

json_t *
sf_settings_advice_to_json(const struct sf_settings *settings)
{
    json_t *list = json_array();

    for (enum sf_advice_pattern i = 0; i < SF_N_ADVICES; i++) {
        const struct sf_advice_row *row = row_of(settings, i);
        if (row) {
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:I, s:I, s:o}", "pattern",
                                sf_advice_kinds[i].name, "summary",
                                sf_advice_kinds[i].summary, "file",
                                sf_advice_kinds[i].file, "n_addresses",
                                (json_int_t)row->n_addresses, "n_few",
                                (json_int_t)row->n_few, "measured",
                                speeds_to_json(settings->advice, row)));
        }
    }
    return list;
}

/* What was measured, as a comment. */
static void
write_figures(const struct sf_settings *settings,
              enum sf_advice_pattern pattern, FILE *stream)
{
    const struct sf_advice_row *row = row_of(settings, pattern);

    fputs("#\n", stream);
    if (!row) {
        sf_settings_comment("It was not measured on this fabric, so all "
                            "addresses are used.",
                            stream);
        return;
    }
    sf_settings_comment("What every host gets, as a part of the rate of its "
                        "link, by the number of addresses used in turn, from "
                        "the first on:",
                        stream);
    for (uint32_t i = 0; i < settings->advice->n_steps; i++) {
        uint32_t n = settings->advice->steps[i];
        const char *user = n == row->n_few         ? "  (used below)"
                           : n == row->n_addresses ? "  (used by openib below)"
                                                   : "";
        fprintf(stream, "#   %3" PRIu32 "  %.3f%s\n", n, row->speeds[i], user);
    }
    if (settings->has_jobs) {
        sf_settings_comment("These are routes without jobs. OpenSM makes "
                            "others for the jobs that run, for equal shares "
                            "over all addresses.",
                            stream);
    }
    sf_settings_comment("NCCL and RCCL use the first address whatever is set.",
                        stream);
}

static void
write_ucx(uint32_t n, FILE *stream)
{
    sf_settings_comment(n > 1 ? "UCX: the addresses of a port that are used."
                              : "UCX: the first address of a port alone.",
                        stream);
    if (n > 1) {
        fprintf(stream, "UCX_IB_LID_PATH_BITS=0-%" PRIu32 "\n\n", n - 1);
    } else {
        fputs("UCX_IB_LID_PATH_BITS=0\n\n", stream);
    }
    sf_settings_comment(n > 1 ? "UCX: paths that share a large message. It "
                                "takes no more than 4 at once."
                              : "UCX: its own default. There is one path for "
                                "each device.",
                        stream);
    fprintf(stream, "UCX_MAX_RNDV_RAILS=%" PRIu32 "\n", n > 1 ? n : 2);
}

static void
write_openib(uint32_t n, FILE *stream)
{
    fputc('\n', stream);
    sf_settings_comment("Open MPI up to 4.1 over openib: LIDs of a port that "
                        "are used.",
                        stream);
    fprintf(stream, "OMPI_MCA_btl_openib_max_lmc=%" PRIu32 "\n", n);
}

static void
write_mvapich2(uint32_t n, FILE *stream)
{
    fputc('\n', stream);
    sf_settings_comment("MVAPICH2: whether connections of a pair go to "
                        "different addresses.",
                        stream);
    fprintf(stream, "MV2_USE_HSAM=%d\n\n", n > 1);
    sf_settings_comment("MVAPICH2: connections of a pair of processes, 4 at "
                        "most.",
                        stream);
    fprintf(stream, "MV2_NUM_QP_PER_PORT=%" PRIu32 "\n", n);
}

/* The environment for jobs of a pattern. */
static enum sf_status
write_environment(const struct sf_settings *settings,
                  enum sf_advice_pattern pattern, FILE *stream)
{
    const struct sf_advice_row *row = row_of(settings, pattern);
    uint32_t n = row ? row->n_addresses : settings->n_layers;
    uint32_t n_few = row ? row->n_few : n < SF_ADVICE_FEW ? n : SF_ADVICE_FEW;

    sf_settings_write_head(doings[pattern], sf_advice_kinds[pattern].file,
                           stream);
    write_figures(settings, pattern, stream);
    fputc('\n', stream);
    write_ucx(n_few, stream);
    write_openib(n, stream);
    write_mvapich2(n_few, stream);
    return SF_OK;
}

enum sf_status
sf_settings_write_all_to_all(const struct sf_settings *settings, FILE *stream,
                             struct sf_error *err)
{
    (void)err;
    return write_environment(settings, SF_ADVICE_ALL_TO_ALL, stream);
}

enum sf_status
sf_settings_write_small(const struct sf_settings *settings, FILE *stream,
                        struct sf_error *err)
{
    (void)err;
    return write_environment(settings, SF_ADVICE_SMALL, stream);
}

enum sf_status
sf_settings_write_pairs(const struct sf_settings *settings, FILE *stream,
                        struct sf_error *err)
{
    (void)err;
    return write_environment(settings, SF_ADVICE_PAIRS, stream);
}

enum sf_status
sf_settings_write_switches(const struct sf_settings *settings, FILE *stream,
                           struct sf_error *err)
{
    (void)err;
    return write_environment(settings, SF_ADVICE_SWITCHES, stream);
}

enum sf_status
sf_settings_write_jobs(const struct sf_settings *settings, FILE *stream,
                       struct sf_error *err)
{
    (void)err;
    return write_environment(settings, SF_ADVICE_JOBS, stream);
}
