/* cmd_watch.c -- slimfly watch: the wiring while it goes on. */
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OPT_INTERVAL = CLI_OWN,
    OPT_EXEC,
};

/* Failures in a row after which there is no point in going on. */
#define MAX_FAILURES 10

static volatile sig_atomic_t is_interrupted;

/* Ends a discovery or a pause that is under way.  One that is just about to
 * begin would not notice, so the signal comes again. */
static void
interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
    alarm(1);
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

static const char *
format_choice(size_t i)
{
    static const char *const formats[] = { "text", "jsonl", NULL };
    return formats[i];
}

static const struct cli_option options[] = {
    { OPT_INTERVAL, "interval", 'n', CLI_REAL, "SECONDS",
      .help = "time between discoveries", .min = 0, .max = 86400,
      .value = "2" },
    { OPT_EXEC, "exec", 'e', CLI_TEXT, "COMMAND",
      .help = "discover by what COMMAND prints" },
    CLI_FORMAT(format_choice),
    { 0 },
};

/* How the state is shown. */
struct view {
    bool is_json;
    bool is_terminal;
    char *last; /* What was shown last; NULL before. */
};

/* Shows the state after a discovery, or why there was none.  A terminal shows
 * the last state only; elsewhere, a state like the last is not repeated. */
static void
show(struct view *view, const struct sf_watch *watch, const char *failure)
{
    if (view->is_json) {
        struct sf_error err;
        if (sf_watch_write_json(watch, failure, stdout, &err) != SF_OK) {
            cli_fail("%s", err.text);
        }
    } else if (failure) {
        printf("the discovery failed and is tried again: %s\n", failure);
    } else {
        char *text = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);
        if (!stream) {
            return;
        }
        sf_watch_write_text(watch, stream);
        fclose(stream);
        if (view->is_terminal) {
            printf("\033[H\033[J%s", text);
        } else if (!view->last || strcmp(view->last, text) != 0) {
            fputs(text, stdout);
        }
        free(view->last);
        view->last = text;
    }
    fflush(stdout);
}

/* Sleeps, unless interrupted. */
static void
pause_for(double seconds)
{
    struct timespec left = {
        (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)
    };
    while (!is_interrupted && nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

/* Discovers again and again until all is wired or somebody interrupts. */
static int
watch_wiring(const struct cli_args *args, struct sf_watch *watch,
             struct view *view)
{
    uint32_t n_failures = 0;
    struct cli_discovery discovery = cli_discovery_of(args, OPT_EXEC);

    while (!is_interrupted) {
        struct sf_fabric *found = NULL;
        struct sf_error err = { 0 };
        uint32_t n_unanswered = 0;
        enum sf_status status =
            cli_discover(&discovery, watch->plan, &found, &n_unanswered, &err);
        if (is_interrupted) {
            sf_fabric_free(found);
            break;
        }
        if (status == SF_OK) {
            status = sf_watch_update(watch, found, n_unanswered, &err);
        }
        if (status == SF_EINVAL && watch->n_updates == 0) {
            return cli_fail("watch: %s", err.text); /* It stays wrong. */
        }
        if (status == SF_ENODEVICE) {
            return cli_fail("watch: %s; --exec COMMAND can discover from "
                            "another machine",
                            err.text);
        }
        n_failures = status == SF_OK ? 0 : n_failures + 1;
        show(view, watch, status == SF_OK ? NULL : err.text);
        if (status == SF_OK && watch->verification->matches) {
            if (!view->is_json) {
                puts("all is wired as planned");
            }
            return CLI_FINE;
        }
        if (n_failures == MAX_FAILURES) {
            return cli_fail("watch: discovery failed %d times in a row: %s",
                            MAX_FAILURES, err.text);
        }
        pause_for(cli_real(args, OPT_INTERVAL));
    }
    if (!view->is_json) {
        printf("\nstopped with %u of %u cables right\n", watch->all.n_right,
               watch->all.n_planned);
    }
    return CLI_FINDINGS;
}

static int
run(const struct cli_args *args)
{
    struct sf_verify_params params = { 0 };
    struct sf_guid_map *map = NULL;
    struct sf_watch *watch = NULL;
    struct sf_error err;
    int code = CLI_ERROR;

    if (!cli_check_discovery(args, OPT_EXEC) ||
        !cli_verify_params(args, &params, &map)) {
        return CLI_ERROR;
    }
    struct sf_plan *plan = cli_load_plan(args->words[0]);
    if (!plan || !cli_port_names(args, plan->fabric->port_names)) {
        goto done;
    }
    if (cli_has(args, OPT_SKIP_HOSTS)) {
        sf_plan_drop_hosts(plan);
    }
    if (sf_watch_new(plan, &params, &watch, &err) != SF_OK) {
        cli_fail("%s", err.text);
        goto done;
    }
    catch_signals();
    struct view view = {
        .is_json = cli_is(args, OPT_FORMAT, "jsonl"),
        .is_terminal = isatty(STDOUT_FILENO),
    };
    code = watch_wiring(args, watch, &view);
    free(view.last);

done:
    sf_watch_free(watch);
    sf_plan_free(plan);
    sf_guid_map_free(map);
    return code;
}

const struct cli_command cli_command_watch = {
    .name = "watch",
    .group = CLI_BUILD,
    .arguments = "PLAN [live:DEVICE:PORT | lldp:DIR]",
    .summary = "follow the wiring and name each mistake as it is made",
    .description =
        "Discovers the fabric again and again. After each discovery it shows "
        "how far the wiring is, by step and by rack, which cables were just "
        "plugged right, and for each mistake the move that mends it. It ends "
        "with exit code 0 when all is wired as planned, and with 1 on Ctrl-C "
        "before that. It goes on after a discovery that failed, and gives up "
        "at once if this machine has no InfiniBand device, or "
        "after " CLI_TEXT_OF(
            MAX_FAILURES) " failures in a row.\n"
                          "\n" CLI_PLAN_IS " The fabric is discovered from "
                          "the first port of this "
                          "machine, from the port that is named "
                          "(live:mlx5_0:1), or by a "
                          "command given with --exec, such as ibnetdiscover "
                          "on another machine.\n"
                          "\n"
                          "On Ethernet, the plan has names of ports "
                          "('slimfly plan --port-names'). lldp:DIR reads the "
                          "reports of LLDP in the folder DIR again and "
                          "again, as 'slimfly verify' reads them; something "
                          "else keeps them fresh. A command given with "
                          "--exec prints the reports of all switches. If it "
                          "has {} in it, it is run for each switch, several "
                          "at a time, with the name of the switch in place "
                          "of {}. It then prints what 'lldpcli -f json0 show "
                          "neighbors' prints there. If hosts do not run "
                          "LLDP, --skip-hosts leaves them out.",
    .examples = "slimfly watch plan\tWatch on a machine that is part of the "
                "fabric.\n"
                "slimfly watch plan --exec 'ssh node0000 ibnetdiscover'\t"
                "Watch from another machine.\n"
                "slimfly watch plan --exec 'ssh {} lldpcli -f json0 show "
                "neighbors' --skip-hosts\tWatch an Ethernet.\n",
    .options = { options, cli_guid_options, cli_node_options, cli_port_options,
                 cli_live_options },
    .run = run,
};
