/* cmd_monitor.c -- slimfly monitor: a service that watches the fabric. */
#define _GNU_SOURCE
#include "cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPT_INTERVAL = CLI_OWN,
    OPT_COUNTERS,
    OPT_THRESHOLDS,
    OPT_EXEC,
    OPT_STATUS,
    OPT_EVENTS,
    OPT_LISTEN,
    OPT_TLS_CERT,
    OPT_TLS_KEY,
    OPT_TOKEN,
};

#define DEFAULT_LISTEN "127.0.0.1:" CLI_TEXT_OF(SF_MONITOR_PORT)

static volatile sig_atomic_t is_interrupted;

/* Ends what is under way.  What is just about to begin would not notice, so
 * the signal comes again. */
static void
interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
    alarm(1);
}

static bool
is_cancelled(void)
{
    return is_interrupted != 0;
}

/* SIGHUP is blocked, so that it ends no discovery; it is asked for. */
static bool
take_hangup(void)
{
    sigset_t pending;
    int number;

    sigpending(&pending);
    if (!sigismember(&pending, SIGHUP)) {
        return false;
    }
    sigemptyset(&pending);
    sigaddset(&pending, SIGHUP);
    sigwait(&pending, &number);
    return true;
}

static void
catch_signals(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGALRM };
    struct sigaction action = { .sa_handler = interrupt };
    sigset_t hangup;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    sigprocmask(SIG_BLOCK, &hangup, NULL);
}

static const struct cli_option options[] = {
    { OPT_INTERVAL, "interval", 'n', CLI_REAL, "SECONDS",
      .help = "time between discoveries", .min = 0.1, .max = 86400,
      .value = "5" },
    { OPT_COUNTERS, "counters", 'c', CLI_REAL, "SECONDS",
      .help = "time between readings of all counters; 0: never", .min = 0,
      .max = 86400, .value = "30" },
    { OPT_THRESHOLDS, "thresholds", 0, CLI_FILE, "FILE",
      .help = "thresholds for counters, as thresholds.json",
      .otherwise = "those that are shipped" },
    { OPT_EXEC, "exec", 'e', CLI_TEXT, "COMMAND",
      .help = "discover by what COMMAND prints" },
    { OPT_STATUS, "status", 0, CLI_FILE, "FILE",
      .help = "status file of the plugin for OpenSM, or none",
      .otherwise = CLI_STATUS_FILE ", if it is there" },
    { OPT_EVENTS, "events", 0, CLI_FILE, "FILE",
      .help = "add the events to FILE, and keep the state in FILE.state",
      .otherwise = "standard output" },
    { OPT_LISTEN, "listen", 'l', CLI_TEXT, "ADDRESS:PORT",
      .help = "where the page is served, or none", .value = DEFAULT_LISTEN },
    { OPT_TLS_CERT, "tls-cert", 0, CLI_FILE, "FILE",
      .help = "certificate for TLS, in PEM" },
    { OPT_TLS_KEY, "tls-key", 0, CLI_FILE, "FILE", .help = "its key, in PEM" },
    { OPT_TOKEN, "token", 0, CLI_FILE, "FILE",
      .help = "file with a token that whoever asks has to know" },
    { 0 },
};

/* What the calls of the service need. */
struct service {
    const struct sf_plan *plan;
    struct cli_discovery discovery;
};

static enum sf_status
discover(void *aux, struct sf_fabric **foundp, uint32_t *n_unansweredp,
         struct sf_error *err)
{
    struct service *service = aux;
    return cli_discover(&service->discovery, service->plan, foundp,
                        n_unansweredp, err);
}

static void
say(void *aux, const char *text)
{
    (void)aux;
    fprintf(stderr, "slimfly: monitor: %s\n", text);
}

/* The status file: as given, or the usual one if it is there. */
static const char *
find_status(const struct cli_args *args)
{
    const char *path = cli_text(args, OPT_STATUS);

    if (path) {
        return strcmp(path, "none") != 0 ? path : NULL;
    }
    return cli_is_file(CLI_STATUS_FILE) ? CLI_STATUS_FILE : NULL;
}

static int
watch_over(const struct cli_args *args, struct sf_plan *plan,
           const struct sf_verify_params *verify)
{
    struct service service = { plan, cli_discovery_of(args, OPT_EXEC) };
    const struct cli_discovery *discovery = &service.discovery;
    bool is_live = !discovery->command && sf_is_live(discovery->source);
    const char *word = cli_text(args, OPT_LISTEN);
    struct sf_monitor_listen listen = { 0 };
    struct sf_error err;
    struct sf_monitor_params params = {
        .verify = *verify,
        .discover = discover,
        .aux = &service,
        .live = is_live ? discovery->source : NULL,
        .status = find_status(args),
        .events = cli_text(args, OPT_EVENTS),
        .interval = cli_real(args, OPT_INTERVAL),
        .counters = cli_real(args, OPT_COUNTERS),
        .thresholds = cli_text(args, OPT_THRESHOLDS),
        .timeout = discovery->timeout,
        .listen = strcmp(word, "none") != 0 ? &listen : NULL,
        .certificate = cli_text(args, OPT_TLS_CERT),
        .key = cli_text(args, OPT_TLS_KEY),
        .token = cli_text(args, OPT_TOKEN),
        .is_cancelled = is_cancelled,
        .is_hung_up = take_hangup,
        .say = say,
    };

    if (params.listen &&
        sf_monitor_listen_parse(word, &listen, &err) != SF_OK) {
        return cli_fail("monitor: --listen %s", err.text);
    }
    catch_signals();
    return sf_monitor_run(plan, &params, &err) == SF_OK
               ? CLI_FINE
               : cli_fail("monitor: %s", err.text);
}

static int
run(const struct cli_args *args)
{
    struct sf_verify_params verify = { 0 };
    struct sf_guid_map *map = NULL;
    int code = CLI_ERROR;

    if (!cli_check_discovery(args, OPT_EXEC) ||
        !cli_verify_params(args, &verify, &map)) {
        return CLI_ERROR;
    }
    struct sf_plan *plan = cli_load_plan(args->words[0]);
    if (plan && cli_port_names(args, plan->fabric->port_names)) {
        if (cli_has(args, OPT_SKIP_HOSTS)) {
            sf_plan_drop_hosts(plan);
        }
        code = watch_over(args, plan, &verify);
    }
    sf_plan_free(plan);
    sf_guid_map_free(map);
    return code;
}

const struct cli_command cli_command_monitor = {
    .name = "monitor",
    .group = CLI_RUN,
    .arguments = "PLAN [live:DEVICE:PORT | lldp:DIR]",
    .summary = "watch a fabric for years: events, metrics, a web page",
    .description =
        "A service that discovers the fabric again and again, compares it "
        "with the plan, reads the counters of all ports and the status of "
        "OpenSM's plugin, and makes events of what changes. It only looks. "
        "It runs until SIGTERM or Ctrl-C.\n"
        "\n"
        "Events are lines of JSON. A condition, such as a missing cable, "
        "begins when two discoveries in a row see it, and ends when two in a "
        "row do not. If it begins three times in ten minutes, it flaps: that "
        "is one event, and what follows is counted until it stays the same "
        "for ten minutes. If more than 20 of a kind begin or end together, "
        "the others are one event with their number. With --events FILE, a "
        "restart goes on where the last run ended; SIGHUP opens FILE anew, "
        "for logrotate. If the disk is full, events are written later.\n"
        "\n"
        "The page shows the racks and the network by state, load or errors, "
        "what is wrong with the move that mends it, the time line, and how "
        "far the wiring is. Its search finds switches, hosts and cables, and "
        "'job NODES', with a list as Slurm writes it, shows which links a job "
        "uses. /metrics is for Prometheus. The page is for this machine "
        "alone, unless --listen names another address. That needs TLS and a "
        "token of at least 16 characters; a program sends it as "
        "'Authorization: Bearer TOKEN'.\n"
        "\n" CLI_PLAN_IS " The fabric is discovered as 'slimfly watch' does "
        "it. Counters and tables are read only if this machine is part of "
        "the fabric.",
    .examples =
        "slimfly monitor plan\tServe the page at "
        "http://" DEFAULT_LISTEN "/.\n"
        "slimfly monitor plan --events /var/log/slimfly/events.jsonl\tKeep "
        "the time line in a file.\n"
        "slimfly monitor plan --exec 'ssh node0000 ibnetdiscover'\tWatch from "
        "another machine.\n"
        "slimfly monitor plan --listen 10.0.0.1:9681 --tls-cert cert.pem "
        "--tls-key key.pem --token token\tFor the tablets in the hall.\n",
    .options = { options, cli_guid_options, cli_node_options, cli_port_options,
                 cli_live_options },
    .run = run,
};
