/* ip_run.c -- slimfly ip run: watches links and repairs routes. */
#define _GNU_SOURCE
#include "ip_run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct cli_option cli_ip_run_options[] = {
    { OPT_RUN_LAB, "lab", 0, CLI_TEXT, "NAME",
      .help = "run: the switches are those of the lab NAME" },
    { OPT_RUN_LAB_FOLDER, "lab-folder", 0, CLI_FOLDER, "DIR",
      .help = "run: where labs note what they made", .value = SF_LAB_FOLDER },
    { OPT_RUN_EXEC, "exec", 'e', CLI_TEXT, "COMMAND",
      .help = "run: switches are reached by COMMAND, in which {switch} is the "
              "name of one, such as 'ssh {switch}'" },
    { OPT_RUN_STATE, "state", 0, CLI_FOLDER, "DIR",
      .help = "run: folder of the lock and of what outlives a restart",
      .otherwise = SF_CONTROLLER_FOLDER "/NAME with --lab" },
    { OPT_RUN_STANDBY, "standby", 0, CLI_FLAG,
      .help = "run: wait while another controller holds the lock" },
    { OPT_RUN_INTERVAL, "interval", 'n', CLI_REAL, "SECONDS",
      .help = "run: time between two looks at links with --exec", .min = 0.01,
      .max = 86400, .value = "1" },
    { OPT_RUN_CHECK, "check", 0, CLI_REAL, "SECONDS",
      .help = "run: time between two comparisons with what all switches "
              "hold; 0: never",
      .min = 0, .max = 86400, .value = "30" },
    { OPT_RUN_ONCE, "once", 0, CLI_FLAG,
      .help = "run: end when all switches hold what they are to; exit code 1 "
              "if some did not answer" },
    { OPT_RUN_AT_ONCE, "at-once", 0, CLI_NUMBER, "N",
      .help = "run: commands of --exec at once", .min = 1, .max = 256,
      .value = "16" },
    { OPT_RUN_LIMIT, "limit", 0, CLI_REAL, "SECONDS",
      .help = "run: time for a command of --exec", .min = 0.1, .max = 3600,
      .value = "10" },
    { 0 },
};

static volatile sig_atomic_t interrupted;

static void
interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
    alarm(1); /* A wait that is just about to begin would not notice. */
}

static bool
is_interrupted(void)
{
    return interrupted;
}

static void
catch_signals(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
    struct sigaction action = { .sa_handler = interrupt };

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &action, NULL);
    }
}

/* What is told, and how it ended. */
struct teller {
    const struct cli_args *args;
    bool is_incomplete;
};

static void
tell(void *aux, const struct sf_control_event *event)
{
    struct teller *teller = aux;

    teller->is_incomplete |= event->is_incomplete;
    cli_progress_end();
    if (cli_is(teller->args, OPT_FORMAT, "json")) {
        (void)sf_control_event_write_json(event, stdout, NULL);
    } else {
        sf_control_event_write_text(event, stdout);
    }
    fflush(stdout);
}

/* Says what does not go together. */
static bool
check_options(const struct cli_args *args)
{
    bool has_lab = cli_has(args, OPT_RUN_LAB);

    if (has_lab == cli_has(args, OPT_RUN_EXEC)) {
        cli_fail("ip run: expected one of --lab NAME and --exec COMMAND, "
                 "which say how switches are reached");
        return false;
    }
    if (!has_lab && !cli_has(args, OPT_RUN_STATE)) {
        cli_fail("ip run: expected a folder for lock and state, --state DIR, "
                 "with --exec");
        return false;
    }
    if (cli_has(args, OPT_RUN_STATE) && !*cli_text(args, OPT_RUN_STATE)) {
        cli_fail("ip run: --state: expected the name of a folder, found an "
                 "empty one");
        return false;
    }
    if (!has_lab && args->n_words != 2) {
        cli_fail("ip run: expected one fabric with --exec: the folder of "
                 "'slimfly route', or what 'ip plan' was called with; found "
                 "%zu words",
                 args->n_words - 1);
        return false;
    }
    return true;
}

/* The folder of the state; the caller frees it. */
static char *
find_folder(const struct cli_args *args)
{
    char *path = NULL;

    if (cli_has(args, OPT_RUN_STATE)) {
        return strdup(cli_text(args, OPT_RUN_STATE));
    }
    return asprintf(&path, "%s/%s", SF_CONTROLLER_FOLDER,
                    cli_text(args, OPT_RUN_LAB)) < 0
               ? NULL
               : path;
}

/* Runs on the lab, or by commands. */
static enum sf_status
control(const struct cli_args *args, const struct cli_ip_params *params,
        const struct cli_ip *ip, const struct sf_control_params *how,
        struct sf_error *err)
{
    struct sf_control_exec exec = {
        .command = cli_text(args, OPT_RUN_EXEC),
        .ports = params->switch_ports,
        .n_at_once = cli_number(args, OPT_RUN_AT_ONCE),
        .timeout = cli_real(args, OPT_RUN_LIMIT),
    };

    return cli_has(args, OPT_RUN_LAB)
               ? sf_control_lab(cli_text(args, OPT_RUN_LAB_FOLDER),
                                cli_text(args, OPT_RUN_LAB), ip->routing, how,
                                err)
               : sf_control_exec(&exec, ip->routing, &ip->addresses,
                                 params->alternates, how, err);
}

int
cli_ip_run(const struct cli_args *args, const struct cli_ip_params *params)
{
    struct cli_ip ip = { 0 };
    struct sf_error err;
    struct teller teller = { .args = args };

    if (!check_options(args)) {
        return CLI_ERROR;
    }
    char *folder = find_folder(args);
    if (!folder) {
        return cli_fail("out of memory");
    }
    struct sf_control_params how = {
        .folder = folder,
        .stands_by = cli_has(args, OPT_RUN_STANDBY),
        .interval = cli_real(args, OPT_RUN_INTERVAL),
        .check = cli_real(args, OPT_RUN_CHECK),
        .once = cli_has(args, OPT_RUN_ONCE),
        .is_cancelled = is_interrupted,
        .tell = tell,
        .aux = &teller,
    };
    int code = CLI_ERROR;
    if (args->n_words < 2 || cli_ip_load(&ip, args, args->words[1], params)) {
        catch_signals();
        enum sf_status status = control(args, params, &ip, &how, &err);
        code = status != SF_OK && !interrupted ? cli_fail("%s", err.text)
               : teller.is_incomplete          ? CLI_FINDINGS
                                               : CLI_FINE;
    }
    cli_ip_clear(&ip);
    free(folder);
    return code;
}
