/* cmd_lab.c -- slimfly lab: a network of namespaces with real packets.  The
 * verbs are in lab_*.c. */
#include "lab.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
    { OPT_LAB_NAME, "name", 'n', CLI_TEXT, "NAME", .help = "name of the lab",
      .otherwise = "what SLIMFLY_LAB says, else " SF_LAB_NAME },
    { OPT_LAB_FOLDER, "folder", 0, CLI_FOLDER, "DIR",
      .help = "where labs note what they made", .value = SF_LAB_FOLDER },
    { OPT_LAB_RATE, "rate", 'r', CLI_REAL, "MBITS",
      .help = "up: Mbit/s that a link carries in each direction", .min = 0.01,
      .max = 1e6, .otherwise = "as fast as it goes" },
    { OPT_LAB_HOST_RATE, "host-rate", 0, CLI_REAL, "MBITS",
      .help = "up: the same for the links of hosts", .min = 0.01, .max = 1e6,
      .otherwise = "as --rate" },
    { OPT_LAB_PREFIX, "prefix", 0, CLI_TEXT, "PREFIX",
      .help = "up: prefix that all addresses share",
      .otherwise = SF_IP_PREFIX ", or with --ipv6 " SF_IP6_PREFIX },
    { OPT_LAB_IPV6, "ipv6", '6', CLI_FLAG, .help = "up: use IPv6" },
    { OPT_LAB_PORTS, "ports", 0, CLI_TEXT, "RULE",
      .help = "up: what the interfaces of switches are called, such as "
              "Ethernet%d:first=0,step=4",
      .value = SF_IP_SWITCH_PORTS },
    { OPT_LAB_HOST_PORTS, "host-ports", 0, CLI_TEXT, "RULE",
      .help = "up: what the interfaces of hosts are called",
      .value = SF_IP_HOST_PORTS },
    { OPT_LAB_NO_ALTERNATES, "no-alternates", 0, CLI_FLAG,
      .help = "up: no second routes for links that are down" },
    { OPT_LAB_WITHOUT_LANES, "without-lanes", 0, CLI_FLAG,
      .help = "up: choose paths without regard to virtual lanes, which TCP "
              "does not need" },
    { OPT_LAB_TRAFFIC, "traffic", 0, CLI_TEXT, "TRAFFIC",
      .help = "measure: which hosts send to which, as for 'slimfly analyze'",
      .value = "switch-permutation:distance=2" },
    { OPT_LAB_MODES, "modes", 'm', CLI_WORDS, "LIST",
      .help = "measure: one connection (single), one a layer (layers), or "
              "MPTCP (mptcp)",
      .choice = sf_lab_mode_name, .value = "single,layers,mptcp" },
    { OPT_LAB_WARMUP, "warmup", 0, CLI_REAL, "SECONDS",
      .help = "measure: how long flows run before bytes count", .min = 0,
      .max = 3600, .value = "3" },
    { OPT_LAB_SECONDS, "seconds", 0, CLI_REAL, "SECONDS",
      .help = "measure: how long bytes count", .min = 0.1, .max = 86400,
      .value = "10" },
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

static const struct verb {
    const char *name, *words; /* What follows, for messages. */
    size_t least, most;
    int (*run)(const struct cli_lab *lab);
} verbs[] = {
    { "up", "FABRIC", 1, 1, cli_lab_up },
    { "check", "nothing more", 0, 0, cli_lab_check },
    { "measure", "nothing more", 0, 0, cli_lab_measure },
    { "exec", "NODE -- COMMAND...", 2, SIZE_MAX, cli_lab_exec },
    { "fail", "LINK...", 1, SIZE_MAX, cli_lab_fail },
    { "restore", "LINK...", 0, SIZE_MAX, cli_lab_restore },
    { "status", "nothing more", 0, 0, cli_lab_status },
    { "list", "nothing more", 0, 0, cli_lab_list },
    { "down", "nothing more", 0, 0, cli_lab_down },
};

#define N_VERBS (sizeof verbs / sizeof *verbs)

int
cli_lab_told(enum sf_status status, const struct sf_error *err)
{
    return status == SF_OK ? CLI_FINE : cli_fail("%s", err->text);
}

struct sf_lab *
cli_lab_open(const struct cli_lab *lab, enum sf_lab_use use)
{
    struct sf_lab *opened = NULL;
    struct sf_error err;

    if (sf_lab_open(lab->folder, lab->name, use, &opened, &err) != SF_OK) {
        cli_fail("%s", err.text);
    }
    return opened;
}

static const struct verb *
find_verb(const struct cli_args *args)
{
    for (size_t i = 0; args->n_words && i < N_VERBS; i++) {
        const struct verb *verb = &verbs[i];
        size_t n = args->n_words - 1;
        if (strcmp(verb->name, args->words[0]) != 0) {
            continue;
        }
        if (n < verb->least || n > verb->most) {
            cli_fail("lab %s: expected %s, found %zu word%s", verb->name,
                     verb->words, n, n == 1 ? "" : "s");
            return NULL;
        }
        return verb;
    }
    cli_fail("lab: expected up, list or down, found %s%s%s",
             args->n_words ? "'" : "", args->n_words ? args->words[0] : "none",
             args->n_words ? "'" : "");
    return NULL;
}

static int
run(const struct cli_args *args)
{
    const char *home = getenv("SLIMFLY_LAB");
    const struct verb *verb = find_verb(args);
    struct cli_lab lab = { .args = args,
                           .name = cli_has(args, OPT_LAB_NAME)
                                       ? cli_text(args, OPT_LAB_NAME)
                                   : home && *home ? home
                                                   : SF_LAB_NAME,
                           .folder = cli_text(args, OPT_LAB_FOLDER),
                           .words = args->words + 1,
                           .n_words = args->n_words - 1 };

    return verb ? verb->run(&lab) : CLI_ERROR;
}

const struct cli_command cli_command_lab = {
    .name = "lab",
    .arguments = "up|list|down [WORD...]",
    .summary = "a network of namespaces on this machine, with real packets",
    .words = "up list down",
    .description = "TODO",
    .examples = "slimfly lab up sf:q=5\tBring up the 50-switch Slim Fly.\n",
    .options = { options, cli_scheme_options, cli_lane_options,
                 cli_path_options, cli_thread_options, cli_live_options,
                 cli_progress_options },
    .run = run,
};
