/* cmd_record.c -- slimfly record: GOAL of programs that run. */
#define _GNU_SOURCE
#include "cli.h"
#include "traced.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_COMPUTE_SCALE = CLI_OWN,
    OPT_EAGER,
    OPT_RULES,
    OPT_TRACES,
};

static const char *
rules_choice(size_t i)
{
    return sf_recording_rules_name((uint32_t)i);
}

/* The number of the rules that are asked for. */
static uint32_t
find_rules(const struct cli_args *args)
{
    uint32_t i = 0;

    while (sf_recording_rules_name(i) &&
           !cli_is(args, OPT_RULES, sf_recording_rules_name(i))) {
        i++;
    }
    return i;
}

static const struct cli_option options[] = {
    { OPT_OUTPUT, "output", 'o', CLI_FILE, "FILE",
      .help = "write the program in GOAL to FILE" },
    { OPT_COMPUTE_SCALE, "compute-scale", 0, CLI_REAL, "X",
      .help = "computing takes X times as long as here", .min = 0, .max = 1e6,
      .value = "1" },
    { OPT_EAGER, "eager", 0, CLI_TEXT, "BYTES",
      .help = "nothing waits until messages of at most so many bytes have "
              "come; with K, M or G",
      .value = "4096" },
    { OPT_RULES, "rules", 0, CLI_CHOICE, "LIBRARY",
      .help = "whose rules choose the algorithms of collectives",
      .choice = rules_choice, .value = "ompi-5.0" },
    { OPT_TRACES, "traces", 0, CLI_FOLDER, "DIR",
      .help = "keep the traces in DIR; without COMMAND, take those that are "
              "there",
      .otherwise = "a temporary folder" },
    { 0 },
};

/* Says what is missing in a recording. */
static void
warn(const struct sf_recording *recording)
{
    for (uint32_t i = 0; sf_recording_skip_name(i); i++) {
        if (recording->n_skipped[i]) {
            cli_fail("record: %" PRIu64 " %s are not in the recording",
                     recording->n_skipped[i], sf_recording_skip_name(i));
        }
    }
    if (recording->n_unfinished) {
        cli_fail("record: %" PRIu32 " of %" PRIu32 " ranks, the first of them "
                 "rank %" PRIu32 ", did not call MPI_Finalize: the recording "
                 "ends where they did",
                 recording->n_unfinished, recording->n_ranks,
                 recording->first_unfinished);
    }
    if (recording->n_lost) {
        cli_fail("record: %" PRIu64 " sends and receives have no counterpart "
                 "and are not in the recording",
                 recording->n_lost);
    }
}

/* Makes GOAL of the traces in 'folder'; returns an exit code. */
static int
write_goal(const struct cli_args *args, const char *folder)
{
    struct sf_recording_params params = {
        .folder = folder,
        .rules = find_rules(args),
        .compute_scale = cli_real(args, OPT_COMPUTE_SCALE),
        .eager = (uint64_t)sf_sim_size_read(cli_text(args, OPT_EAGER), NULL),
    };
    struct sf_recording recording;
    struct cli_output output;
    struct sf_error err;

    if (!cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        return CLI_ERROR;
    }
    enum sf_status status =
        sf_recording_write_goal(&params, output.stream, &recording, &err);
    int code = cli_output_close(&output, status, &err);
    if (code == CLI_FINE) {
        warn(&recording);
        cli_progress_end();
        fprintf(stderr,
                "recorded %" PRIu32 " ranks: %" PRIu64 " messages of %" PRIu64
                " bytes in all, %.6g seconds of computing\n",
                recording.n_ranks, recording.n_messages, recording.n_bytes,
                recording.compute);
    }
    return code;
}

/* Runs the command and makes GOAL of what it did; returns its exit code. */
static int
record(const struct cli_args *args, const char *library, const char *folder,
       struct cli_ended *ended)
{
    char **words = calloc(args->n_words + 1, sizeof *words);
    bool is_run = false;

    if (!words) {
        return cli_fail("record: out of memory");
    }
    for (size_t i = 0; i < args->n_words; i++) {
        words[i] = strdup(args->words[i]);
    }
    is_run = cli_run_traced(words, library, folder, ended);
    for (size_t i = 0; i < args->n_words; i++) {
        free(words[i]);
    }
    free(words);
    if (!is_run) {
        return CLI_ERROR;
    }
    cli_progress_restart();
    char *first = cli_find_in_folder(folder, "rank-0.trace");
    int code = first ? write_goal(args, folder) : CLI_ERROR;
    if (!first && ended->code != 127) {
        cli_fail("record: %s left no trace: expected a program that calls "
                 "MPI_Init of the MPI that slimfly was built with",
                 args->words[0]);
    }
    free(first);
    return ended->code ? ended->code : code;
}

/* The same with a folder that goes when all is done. */
static int
record_once(const struct cli_args *args, const char *library,
            struct cli_ended *ended)
{
    char *folder = cli_make_traces();

    if (!folder) {
        return CLI_ERROR;
    }
    int code = record(args, library, folder, ended);
    cli_remove_traces(folder);
    free(folder);
    return code;
}

/* The same with a folder that stays, from the root on: the command may change
 * where it works. */
static int
record_into(const struct cli_args *args, const char *library,
            struct cli_ended *ended)
{
    const char *folder = cli_text(args, OPT_TRACES);

    if (cli_make_folder(folder) != CLI_FINE) {
        return CLI_ERROR;
    }
    char *found = cli_find_in_folder(folder, "rank-0.trace");
    if (found) {
        int code = cli_fail("record: %s is there already: expected --traces "
                            "with a folder without traces",
                            found);
        free(found);
        return code;
    }
    char *path = cli_make_absolute(folder);
    int code = path ? record(args, library, path, ended) : CLI_ERROR;
    free(path);
    return code;
}

static int
run(const struct cli_args *args)
{
    const char *eager = cli_text(args, OPT_EAGER);

    if (args->n_words == 0 && !cli_has(args, OPT_TRACES)) {
        return cli_fail("record: expected a command, as in 'slimfly record -o "
                        "run.goal -- mpirun -np 64 program'");
    }
    if (!cli_has(args, OPT_OUTPUT)) {
        return cli_fail("record: expected --output FILE: standard output is "
                        "that of the command");
    }
    if (strcmp(eager, "0") != 0 && sf_sim_size_read(eager, NULL) < 1) {
        return cli_fail("--eager '%s': expected a number of bytes, 4096 or "
                        "64K",
                        eager);
    }
    if (args->n_words == 0) {
        return write_goal(args, cli_text(args, OPT_TRACES));
    }
    char *library = cli_output_check(cli_text(args, OPT_OUTPUT))
                        ? cli_find_recorder()
                        : NULL;
    if (!library) {
        return CLI_ERROR;
    }
    struct cli_ended ended = { 0 };
    int code = cli_has(args, OPT_TRACES) ? record_into(args, library, &ended)
                                         : record_once(args, library, &ended);
    free(library);
    if (ended.signal) {
        cli_die_of(ended.signal);
    }
    return code;
}

const struct cli_command cli_command_record = {
    .name = "record",
    .group = CLI_STUDY,
    .arguments = "-o FILE -- COMMAND ...",
    .summary = "make a workload of an MPI program that runs",
    .description =
        "Runs COMMAND, such as mpirun with a program, and writes what its "
        "ranks did as a program in GOAL, which 'slimfly simulate --workload "
        "goal:FILE' takes. The MPI program need not be changed: a library is "
        "loaded into it (LD_PRELOAD), which writes a trace for each rank. "
        "Programs in C, C++ and Fortran are recorded.\n"
        "\n"
        "The recording has all messages, collectives as messages, what waits "
        "for what, and the CPU time of the calling thread between calls, so "
        "that more ranks than cores do no harm. Not in it are one-sided "
        "calls, collectives of intercommunicators, communicators of "
        "MPI_Comm_idup, and programs that are started later; these "
        "are counted and named. A rank that calls MPI from several threads "
        "cannot be recorded. Synchronous sends are recorded as others are. "
        "Messages of MPI-IO are recorded only if the library sends them by "
        "calls of MPI.\n"
        "\n"
        "The exit code is that of COMMAND, or 2 if COMMAND succeeded and the "
        "recording failed. A program that breaks off is recorded up to that "
        "point. On several machines, --traces must name a folder that all of "
        "them have, and COMMAND must pass LD_PRELOAD and SLIMFLY_RECORD_DIR "
        "on: mpirun -x LD_PRELOAD -x SLIMFLY_RECORD_DIR.",
    .examples =
        "slimfly record -o run.goal -- mpirun -np 64 program\tRecord 64 "
        "ranks.\n"
        "slimfly simulate sf:q=5 --workload goal:run.goal\tSimulate "
        "them.\n"
        "slimfly record -o fast.goal --traces DIR --compute-scale 0.1\tMake "
        "another program of the same traces.\n",
    .options = { options, cli_progress_options },
    .run = run,
};
