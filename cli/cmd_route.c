/* cmd_route.c -- slimfly route: layers, forwarding tables, repair.  The work
 * is done in reroute.c. */
#include "cli.h"
#include "reroute.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_PREVIOUS = CLI_OWN,
    OPT_WITHIN_PARTS,
    OPT_RUES_FRACTION,
    OPT_PAPER_MIN_HOPS,
    OPT_LIST,
};

static const struct cli_option options[] = {
    { OPT_PREVIOUS, "previous", 'p', CLI_FOLDER, "DIR",
      .help =
          "repair the tables of an earlier run, which are in the folder DIR" },
    { OPT_WITHIN_PARTS, "within-parts", 0, CLI_FLAG,
      .help = "route each part of a disconnected fabric" },
    { OPT_RUES_FRACTION, "rues-fraction", 0, CLI_REAL, "X",
      .help = "scheme rues: share of the links that a layer keeps",
      .min = 0.01, .max = 1, .otherwise = "0.6" },
    { OPT_PAPER_MIN_HOPS, "paper-min-hops", 0, CLI_NUMBER, "N",
      .help =
          "scheme paper: hops from which on a path counts as almost minimal",
      .min = 1, .max = 64, .otherwise = "the longest path" },
    { OPT_LIST, "list", 0, CLI_FLAG,
      .help = "explain the schemes of layers and lanes" },
    { 0 },
};

/* Refuses an option of one scheme that is given with another. */
static bool
check_scheme(const struct cli_args *args, const struct sf_layer_scheme *scheme)
{
    static const struct {
        int option;
        const char *scheme;
    } belongings[] = {
        { OPT_RUES_FRACTION, "rues" },
        { OPT_PAPER_MIN_HOPS, "paper" },
    };

    for (size_t i = 0; i < sizeof belongings / sizeof *belongings; i++) {
        if (cli_has(args, belongings[i].option) && scheme &&
            strcmp(scheme->name, belongings[i].scheme) != 0) {
            cli_fail("route: --%s is for --scheme %s, not for %s",
                     cli_name(args, belongings[i].option),
                     belongings[i].scheme, scheme->name);
            return false;
        }
    }
    return true;
}

/* A repair keeps what the earlier run was made with. */
static bool
check_previous(const struct cli_args *args)
{
    static const int settled[] = {
        OPT_SCHEME,    OPT_LAYERS,   OPT_MAX_HOPS,      OPT_SEED,
        OPT_PATH_SETS, OPT_PER_HOST, OPT_RUES_FRACTION, OPT_PAPER_MIN_HOPS,
        OPT_LANES,     OPT_MAX_VLS,  OPT_MAX_SLS
    };

    for (size_t i = 0; i < sizeof settled / sizeof *settled; i++) {
        if (cli_has(args, OPT_PREVIOUS) && cli_has(args, settled[i])) {
            cli_fail("route: --%s does not go with --previous, which keeps "
                     "the settings of the earlier run",
                     cli_name(args, settled[i]));
            return false;
        }
    }
    return true;
}

static bool
read_options(const struct cli_args *args, struct cli_routing *job)
{
    struct sf_layers_params *params = &job->params.layers;

    params->scheme = cli_text(args, OPT_SCHEME);
    params->n_layers = cli_number(args, OPT_LAYERS);
    params->max_hops = cli_number(args, OPT_MAX_HOPS);
    params->rues_fraction = cli_real(args, OPT_RUES_FRACTION);
    params->paper_min_hops = cli_number(args, OPT_PAPER_MIN_HOPS);
    params->seed = cli_seed(args, OPT_SEED);
    params->n_threads = cli_threads(args);
    params->within_parts = cli_has(args, OPT_WITHIN_PARTS);
    job->params.lanes = cli_text(args, OPT_LANES);
    job->params.max_vls = cli_number(args, OPT_MAX_VLS);
    job->params.max_sls = cli_number(args, OPT_MAX_SLS);
    return check_previous(args) &&
           check_scheme(args, sf_layer_scheme_find(params->scheme)) &&
           cli_path_sets(args, &job->params.n_path_sets);
}

static enum sf_status
write_lids(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct cli_routing *job = aux;
    (void)err;
    sf_guid2lid_write(job->fabric, stream);
    return SF_OK;
}

static enum sf_status
write_report(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct cli_routing *job = aux;
    return sf_route_report_write_json(&job->report, stream, err);
}

static int
write_all(const struct cli_routing *job, const char *folder)
{
    struct cli_dump dump = { job->fabric, "routed by slimfly",
                             job->routing->tables, job->routing->lanes->sl2vl,
                             job->routing->lanes->path_sls };
    int code = cli_make_folder(folder);

    cli_begin_files();
    if (code == CLI_FINE) {
        code = cli_write_dump(&dump, folder);
    }
    if (code == CLI_FINE) {
        code = cli_write_file(folder, "guid2lid", write_lids, job);
    }
    if (code == CLI_FINE) {
        code = cli_write_file(folder, "route.json", write_report, job);
    }
    return cli_end_files(code);
}

static bool
is_fat_tree(const struct sf_routing *routing)
{
    uint32_t *n_hosts =
        calloc(routing->fabric->n_switches + 1, sizeof *n_hosts);
    bool is_tree = false;

    if (n_hosts) {
        sf_fabric_count_hosts(routing->fabric, n_hosts);
        is_tree = sf_is_fat_tree(routing->graph, n_hosts);
    }
    free(n_hosts);
    return is_tree;
}

/* Says what was done, and how to use it. */
static void
tell(const struct cli_routing *job, const char *folder, bool is_default_scheme)
{
    const struct sf_routing *routing = job->routing;
    uint32_t lmc = sf_lmc_for_layers(routing->params.layers.n_layers);

    sf_route_report_write_text(&job->report, stdout);
    if (job->n_lids_lost) {
        printf("  %u ports have another LID than in the fabric, because the "
               "old ones collide or do not go with LMC %u\n",
               job->n_lids_lost, lmc);
    }
    if (is_default_scheme && is_fat_tree(routing)) {
        printf("  the fabric is a Fat Tree; --scheme ftree is made for it\n");
    }
    printf("  the tables were made in %.3f s and written to %s\n",
           job->seconds, folder);
    if (routing->lanes->n_vls == 1) {
        printf("to load the tables: opensm -R file -U %s/%s -l %u\n", folder,
               CLI_TABLES_FILE, lmc);
    }
}

/* Says what the schemes of layers and lanes do. */
static int
list_schemes(void)
{
    puts("layers, --scheme:");
    for (size_t i = 0; sf_layer_schemes[i]; i++) {
        printf("  %-9s %s\n            %s\n", sf_layer_schemes[i]->name,
               sf_layer_schemes[i]->title, sf_layer_schemes[i]->summary);
    }
    puts("lanes, --lanes:");
    for (size_t i = 0; sf_lane_schemes[i]; i++) {
        printf("  %-9s %s\n            %s\n", sf_lane_schemes[i]->name,
               sf_lane_schemes[i]->title, sf_lane_schemes[i]->summary);
    }
    return CLI_FINE;
}

static int
run(const struct cli_args *args)
{
    struct cli_routing job = { 0 };
    struct sf_error err = { 0 };
    const char *folder = cli_text(args, OPT_OUTPUT);

    if (cli_has(args, OPT_LIST)) {
        return args->n_words ? cli_fail("route: --list takes no fabric")
                             : list_schemes();
    }
    if (args->n_words != 1) {
        return cli_fail(
            "route: expected one fabric: a spec, a plan, a file or "
            "live; found %zu words",
            args->n_words);
    }
    if (!folder || !*folder) {
        return cli_fail("route: expected a folder for the tables, -o DIR");
    }
    if (!read_options(args, &job)) {
        return CLI_ERROR;
    }
    job.fabric =
        cli_load_fabric(args->words[0], cli_number(args, OPT_TIMEOUT));
    if (!job.fabric) {
        return CLI_ERROR;
    }
    int code = cli_route(&job, cli_text(args, OPT_PREVIOUS), &err) == SF_OK
                   ? write_all(&job, folder)
                   : cli_fail("%s", err.text);
    if (code == CLI_FINE) {
        tell(&job, folder,
             !cli_has(args, OPT_SCHEME) && !cli_has(args, OPT_PREVIOUS));
    }
    cli_routing_clear(&job);
    return code;
}

const struct cli_command cli_command_route = {
    .name = "route",
    .arguments = "FABRIC -o DIR",
    .summary = "layers of paths and the forwarding tables of all switches",
    .description =
        "Routes a fabric in layers. Every host has 2^LMC addresses, and the "
        "address chooses the layer. If there are more addresses than layers, "
        "the remaining addresses use the layers from layer 0 on again. Layer "
        "0 has shortest paths. The paths of the other layers take other "
        "links, so that the layers together share the load and survive "
        "faults. The hosts of a switch share its paths. With --path-sets, "
        "they are dealt among several sets of paths. Two sets of 4 layers "
        "carry a fifth to a third more under permutations of switches than "
        "one set, and take twice the time to make.\n"
        "\n" CLI_FABRIC_IS
        " The files fabric.ibnetdiscover with the LIDs, " CLI_TABLES_FILE
        ", opensm-sl2vl.dump, path-sl.csv, guid2lid and "
        "route.json with figures appear in DIR when all are complete. LIDs "
        "that the fabric has already stay if they go with the LMC. OpenSM "
        "gives the ports these LIDs if guid2lid is in its cache folder "
        "(OSM_CACHE_DIR).\n"
        "\n"
        "Virtual lanes keep packets from waiting for each other in a circle. "
        "With --lanes turns, which is for the schemes gates and minimal, the "
        "lane follows from the ports alone. All traffic may then be on one "
        "service level, as with UCX and NCCL. The other lane schemes need the "
        "service level of each path, which path records tell. If the lanes "
        "asked for cannot protect this network, route fails and names lanes "
        "that can. Without --lanes, route takes other lanes where turns "
        "cannot protect it. If no lanes can, and --scheme is not given, the "
        "layers are of shortest paths. OpenSM's file engine knows no lanes: "
        "use it only for a "
        "routing that needs one virtual lane.\n"
        "\n"
        "With --previous DIR, route repairs the tables of an earlier run "
        "after links or switches have gone or come back. LIDs and settings "
        "stay, and as few entries as possible change. Where the limit of hops "
        "no longer reaches a switch from everywhere, paths to that switch may "
        "be longer.",
    .examples =
        "slimfly route sf:q=5 --layers 4 -o tables\tRoute the 50-switch Slim "
        "Fly in four layers.\n"
        "slimfly route live --previous tables -o tables2\tRepair the tables "
        "after a fault.\n",
    .options = { options, cli_scheme_options, cli_path_options,
                 cli_work_options, cli_live_options, cli_folder_options },
    .run = run,
};
