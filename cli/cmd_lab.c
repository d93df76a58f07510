/* cmd_lab.c -- slimfly lab: a network of namespaces with real packets.  The
 * verbs are in lab_*.c. */
#include "lab_verbs.h"
#include "verbs.h"

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
      .help = "measure: which hosts send to which, as for 'slimfly analyze', "
              "except "
              "paper",
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
    struct cli_verb is;
    int (*run)(const struct cli_lab *lab);
} verbs[] = {
    { { "up", "FABRIC", 1, 1 }, cli_lab_up },
    { { "check", "nothing more", 0, 0 }, cli_lab_check },
    { { "measure", "nothing more", 0, 0 }, cli_lab_measure },
    { { "exec", "NODE -- COMMAND...", 2, SIZE_MAX }, cli_lab_exec },
    { { "fail", "LINK...", 1, SIZE_MAX }, cli_lab_fail },
    { { "restore", "LINK...", 0, SIZE_MAX }, cli_lab_restore },
    { { "status", "nothing more", 0, 0 }, cli_lab_status },
    { { "list", "nothing more", 0, 0 }, cli_lab_list },
    { { "down", "nothing more", 0, 0 }, cli_lab_down },
};

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

/* Whether the options are of the verb: of 'up' are those that say how to
 * route, too. */
static bool
check_options(const struct cli_args *args, const struct cli_verb *verb)
{
    static const struct cli_verb_option own[] = {
        { OPT_LAB_RATE, "up" },
        { OPT_LAB_HOST_RATE, "up" },
        { OPT_LAB_PREFIX, "up" },
        { OPT_LAB_IPV6, "up" },
        { OPT_LAB_PORTS, "up" },
        { OPT_LAB_HOST_PORTS, "up" },
        { OPT_LAB_NO_ALTERNATES, "up" },
        { OPT_LAB_WITHOUT_LANES, "up" },
        { OPT_LAB_TRAFFIC, "measure" },
        { OPT_LAB_MODES, "measure" },
        { OPT_LAB_WARMUP, "measure" },
        { OPT_LAB_SECONDS, "measure" },
        { OPT_SCHEME, "up" },
        { OPT_LAYERS, "up" },
        { OPT_PATH_SETS, "up" },
        { OPT_PER_HOST, "up" },
        { OPT_MAX_HOPS, "up" },
        { OPT_LANES, "up" },
        { OPT_GUARANTEE, "up" },
        { OPT_MAX_VLS, "up" },
        { OPT_MAX_SLS, "up" },
        { OPT_THREADS, "up" },
        { OPT_TIMEOUT, "up" },
    };

    if (!cli_check_verb_options(args, verb, own, sizeof own / sizeof *own)) {
        return false;
    }
    if (cli_has(args, OPT_LAB_HOST_RATE) && !cli_has(args, OPT_LAB_RATE)) {
        cli_fail("lab up: --host-rate needs --rate as well");
        return false;
    }
    return true;
}

static int
run(const struct cli_args *args)
{
    const char *home = getenv("SLIMFLY_LAB");
    size_t verb = cli_find_verb(args, verbs, sizeof verbs / sizeof *verbs,
                                sizeof *verbs);
    struct cli_lab lab = { .args = args,
                           .name = cli_has(args, OPT_LAB_NAME)
                                       ? cli_text(args, OPT_LAB_NAME)
                                   : home && *home ? home
                                                   : SF_LAB_NAME,
                           .folder = cli_text(args, OPT_LAB_FOLDER),
                           .words = args->words + 1,
                           .n_words = args->n_words - 1 };

    return verb != SIZE_MAX && check_options(args, &verbs[verb].is)
               ? verbs[verb].run(&lab)
               : CLI_ERROR;
}

const struct cli_command cli_command_lab = {
    .name = "lab",
    .group = CLI_STUDY,
    .arguments = "up|check|measure|exec|fail|restore|status|list|down "
                 "[WORD...]",
    .summary = "a network of namespaces on this machine, with real packets",
    .words = "up check measure exec fail restore status list down",
    .description =
        "Brings up a network on this machine, to try routes with real "
        "packets. Each switch and each host is a network namespace of Linux, "
        "and each cable a pair of interfaces. All traffic stays inside. "
        "Nothing runs in a lab but the kernel, and it stays until it is taken "
        "down. There may be several labs, which --name tells apart. A lab "
        "needs root.\n"
        "\n"
        "With up FABRIC it routes a fabric in layers and brings it "
        "up. " CLI_FABRIC_IS
        " A folder of 'slimfly route' is taken with its routes. "
        "Every host has an address for each layer, as 'slimfly ip' plans "
        "them, and switches have the routes that 'slimfly ip' writes. "
        "Node N is the namespace LAB.N, so that 'ip -n lab.sf-0-0-0 route' "
        "shows the routes of a switch. --rate limits what links carry. After "
        "an interrupt, and if something fails, what was made is removed.\n"
        "\n"
        "With check it sends packets over every path of every layer and "
        "compares each hop with the tables. Links that are down count as the "
        "tables treat them: where there is an alternate, packets must take "
        "it. If a path is wrong or cut, the command names switch, layer and "
        "destination, and the exit code is 1.\n"
        "\n"
        "With measure it sends TCP flows of --traffic through a lab with "
        "--rate, all at once, and shows what they get beside what the flow "
        "model of 'slimfly simulate' predicts for the same paths. Traffic is "
        "as for 'slimfly analyze', except paper, but every flow takes what it "
        "gets. Choose "
        "rates that this machine can carry: 2 Mbit/s for the 50-switch Slim "
        "Fly on two cores.\n"
        "\n"
        "With exec NODE -- COMMAND it runs a command in a node. There, "
        "/etc/hosts has the names of all nodes, and NODE.lL is the address of "
        "a host in layer L. With fail LINK... it takes links down at both "
        "ends, and with restore it brings them back with their routes: all "
        "that are down, or those that are named. LINK is NODE:PORT, "
        "NODE--NODE, or NODE for all links of a switch or host. With status "
        "it shows the links that are down, and with list all labs.\n"
        "\n"
        "With down it ends what runs in the lab and removes it, also after a "
        "crash, and if the folder of the lab was deleted. What the lab did "
        "not make is not touched.",
    .examples =
        "slimfly lab up sf:q=5 --rate 2\tBring up the 50-switch Slim Fly.\n"
        "slimfly lab check\tSend packets over all of its paths.\n"
        "slimfly lab exec node0000 -- ping node0100.l2\tPing a host in layer "
        "2.\n"
        "slimfly lab measure --modes single,layers\tMeasure a permutation, "
        "with one path and with all.\n"
        "slimfly lab fail sf-0-0-0:5\tCut a cable.\n"
        "slimfly lab down\tRemove the lab.\n",
    .options = { options, cli_scheme_options, cli_lane_options,
                 cli_path_options, cli_work_options, cli_thread_options,
                 cli_live_options, cli_progress_options },
    .run = run,
};
