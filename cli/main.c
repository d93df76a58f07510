/* main.c -- finds the command, reads its options, runs it. */
#include "shared_work.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

extern const struct cli_command cli_command_topology, cli_command_design,
    cli_command_plan, cli_command_verify, cli_command_watch, cli_command_route,
    cli_command_audit, cli_command_analyze, cli_command_simulate,
    cli_command_evaluate, cli_command_record, cli_command_settings,
    cli_command_status, cli_command_counters, cli_command_drain,
    cli_command_undrain, cli_command_replace, cli_command_diff,
    cli_command_monitor, cli_command_jobs, cli_command_ip, cli_command_lab,
    cli_command_bundle, cli_command_report, cli_command_compare,
    cli_command_help;

const struct cli_command *const cli_commands[] = {
    &cli_command_topology, &cli_command_design,   &cli_command_compare,
    &cli_command_plan,     &cli_command_verify,   &cli_command_watch,
    &cli_command_route,    &cli_command_audit,    &cli_command_analyze,
    &cli_command_simulate, &cli_command_evaluate, &cli_command_record,
    &cli_command_settings, &cli_command_status,   &cli_command_counters,
    &cli_command_drain,    &cli_command_undrain,  &cli_command_replace,
    &cli_command_diff,     &cli_command_monitor,  &cli_command_jobs,
    &cli_command_ip,       &cli_command_lab,      &cli_command_bundle,
    &cli_command_report,   &cli_command_help,     NULL,
};

int
cli_fail(const char *format, ...)
{
    va_list args;

    cli_progress_hide();
    fputs("slimfly: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CLI_ERROR;
}

const struct cli_command *
cli_find_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        if (!strcmp(cli_commands[i]->name, name)) {
            return cli_commands[i];
        }
    }
    return NULL;
}

/* Shows progress as the command line says, or else the environment. */
static bool
begin_progress(const struct cli_args *args)
{
    const char *when = getenv("SLIMFLY_PROGRESS");

    if (!args->values[OPT_PROGRESS].option ||
        !cli_share_shows_progress(args)) {
        return true;
    }
    if (cli_has(args, OPT_PROGRESS) || !when || !*when) {
        when = cli_text(args, OPT_PROGRESS);
    }
    for (size_t i = 0; cli_progress_words[i]; i++) {
        if (!strcmp(when, cli_progress_words[i])) {
            cli_progress_begin(when);
            return true;
        }
    }
    cli_fail("SLIMFLY_PROGRESS is '%s': expected auto, always or never", when);
    return false;
}

static int
run_command(const struct cli_command *command, int argc, char **argv)
{
    struct cli_args args;
    int code = CLI_ERROR;

    if (cli_args_read(command, argc, argv, &args)) {
        code = CLI_FINE;
        if (args.wants_help) {
            cli_help_text(command, stdout);
        } else if (begin_progress(&args)) {
            code = command->run(&args);
            cli_progress_end();
        } else {
            code = CLI_ERROR;
        }
    }
    cli_args_clear(&args);
    return code;
}

/* How many letters must be changed, added or left out to turn 'a' into
 * 'b'. */
static size_t
edit_distance(const char *a, const char *b)
{
    size_t row[32], length = strlen(b);

    if (length >= 32) {
        return length;
    }
    for (size_t j = 0; j <= length; j++) {
        row[j] = j;
    }
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 1; j <= length; j++) {
            size_t best = diagonal + (a[i] != b[j - 1]);
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[length];
}

static int
fail_unknown_command(const char *name)
{
    for (size_t i = 0; cli_commands[i]; i++) {
        if (edit_distance(name, cli_commands[i]->name) <= 2) {
            return cli_fail("unknown command '%s'; did you mean '%s'?", name,
                            cli_commands[i]->name);
        }
    }
    return cli_fail("unknown command '%s'; 'slimfly help' lists them", name);
}

int
main(int argc, char **argv)
{
    int code;

    if (argc < 2) {
        cli_help_text(NULL, stderr);
        return CLI_ERROR;
    }
    cli_read_umask();
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        puts("slimfly " SF_VERSION);
        code = CLI_FINE;
    } else if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
        cli_help_text(NULL, stdout);
        code = CLI_FINE;
    } else if (name[0] == '-') {
        code = cli_fail("unknown option '%s'; expected a command, see "
                        "'slimfly help'",
                        name);
    } else {
        const struct cli_command *command = cli_find_command(name);
        code = command ? run_command(command, argc - 2, argv + 2)
                       : fail_unknown_command(name);
    }
    if (fflush(stdout) == EOF || ferror(stdout)) {
        return cli_fail("standard output could not be written");
    }
    return code;
}
