/* cmd_route.c -- slimfly route: layers, forwarding tables, repair.  The work
 * is done in reroute.c. */
#include "cli.h"
#include "reroute.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPT_OUTPUT,
    OPT_SCHEME,
    OPT_LAYERS,
    OPT_MAX_HOPS,
    OPT_SEED,
    OPT_THREADS,
    OPT_PATH_SETS,
    OPT_PER_HOST,
    OPT_PREVIOUS,
    OPT_WITHIN_PARTS,
    OPT_RUES_FRACTION,
    OPT_PAPER_MIN_HOPS,
    OPT_TIMEOUT,
    OPT_LANES,
    OPT_MAX_VLS,
    OPT_MAX_SLS,
    OPT_LIST,
};

static const char *
scheme_choice(size_t i)
{
    return sf_layer_schemes[i] ? sf_layer_schemes[i]->name : NULL;
}

static const char *
lanes_choice(size_t i)
{
    return sf_lane_schemes[i] ? sf_lane_schemes[i]->name : NULL;
}

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
        if (args->values[belongings[i].option] && scheme &&
            strcmp(scheme->name, belongings[i].scheme) != 0) {
            cli_fail("route: --%s is for --scheme %s, not for %s",
                     args->command->options[belongings[i].option].name,
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
        if (args->values[OPT_PREVIOUS] && args->values[settled[i]]) {
            cli_fail("route: --%s does not go with --previous, which keeps "
                     "the settings of the earlier run",
                     args->command->options[settled[i]].name);
            return false;
        }
    }
    return true;
}

static bool
read_options(const struct cli_args *args, struct cli_routing *job,
             uint32_t *timeoutp)
{
    struct sf_layers_params *params = &job->params.layers;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);

    params->scheme = args->values[OPT_SCHEME];
    params->n_layers = 4;
    params->seed = 1;
    params->n_threads = n_cores > 1 ? (uint32_t)n_cores : 1;
    params->within_parts = args->values[OPT_WITHIN_PARTS] != NULL;
    const struct sf_layer_scheme *scheme =
        sf_layer_scheme_find(params->scheme);
    job->params.lanes = args->values[OPT_LANES];
    *timeoutp = 60;
    return check_previous(args) && check_scheme(args, scheme) &&
           cli_number(args, OPT_LAYERS, 1, SF_MAX_LAYERS, &params->n_layers) &&
           cli_number(args, OPT_MAX_HOPS, 1, 64, &params->max_hops) &&
           cli_path_sets(args, OPT_PATH_SETS, OPT_PER_HOST,
                         &job->params.n_path_sets) &&
           cli_number(args, OPT_THREADS, 1, 1024, &params->n_threads) &&
           cli_number(args, OPT_PAPER_MIN_HOPS, 1, 64,
                      &params->paper_min_hops) &&
           cli_number(args, OPT_TIMEOUT, 1, 86400, timeoutp) &&
           cli_number(args, OPT_MAX_SLS, 1, SF_N_SLS, &job->params.max_sls) &&
           cli_number(args, OPT_MAX_VLS, 1, SF_MAX_VLS,
                      &job->params.max_vls) &&
           cli_real(args, OPT_RUES_FRACTION, 0.01, 1,
                    &params->rues_fraction) &&
           cli_seed(args, OPT_SEED, &params->seed);
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

    sf_route_report_write_text(&job->report, stdout);
    if (job->n_lids_lost) {
        printf("  %u ports have another LID than in the fabric: theirs "
               "collide, or do not go with LMC %u\n",
               job->n_lids_lost,
               sf_lmc_for_layers(routing->params.layers.n_layers));
    }
    if (is_default_scheme && is_fat_tree(routing)) {
        printf("  a Fat Tree: --scheme ftree is made for it\n");
    }
    printf("  made in %.3f s; written to %s\n", job->seconds, folder);
    if (routing->lanes->n_vls == 1) {
        printf("to load them: opensm -R file -U %s/opensm-lfts.dump -l %u\n",
               folder, sf_lmc_for_layers(routing->params.layers.n_layers));
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
    const char *folder = args->values[OPT_OUTPUT];
    uint32_t timeout;
    int code = CLI_ERROR;

    if (args->values[OPT_LIST]) {
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
    if (!read_options(args, &job, &timeout)) {
        return CLI_ERROR;
    }
    job.fabric = cli_load_fabric(args->words[0], timeout);
    if (!job.fabric) {
        return CLI_ERROR;
    }
    code = cli_route(&job, args->values[OPT_PREVIOUS], &err) == SF_OK
               ? write_all(&job, folder)
               : cli_fail("%s", err.text);
    if (code == CLI_FINE) {
        tell(&job, folder,
             !args->values[OPT_SCHEME] && !args->values[OPT_PREVIOUS]);
    }
    cli_routing_clear(&job);
    return code;
}

const struct cli_command cli_command_route = {
    .name = "route",
    .arguments = "FABRIC -o DIR",
    .summary = "layers of paths and the forwarding tables of all switches",
    .description =
        "Routes a fabric in layers: every host has 2^LMC addresses, and the "
        "address chooses the layer; addresses that are left over start again "
        "with layer 0. Layer 0 has shortest paths; the others "
        "lead over other links, so that together they share the load and "
        "survive faults. The hosts of a switch share its paths; with "
        "--path-sets they are dealt among several sets of them: two sets of "
        "4 layers carry a fifth to a third more under permutations of "
        "switches, and take twice the time to make.\n"
        "\n"
        "FABRIC is a spec, a folder that 'slimfly plan' or 'slimfly route' "
        "wrote, a plan.json, what ibnetdiscover prints, a cache of it, a "
        "netlist of ibsim, or the word live (live:DEVICE:PORT, such "
        "as live:mlx5_0:1, where this machine has several ports). Into DIR go fabric.ibnetdiscover "
        "with the LIDs, opensm-lfts.dump, opensm-sl2vl.dump, path-sl.csv, "
        "guid2lid and route.json with figures, when all are complete. LIDs "
        "that a fabric has already stay if they go with the LMC. OpenSM gives "
        "the ports these LIDs if guid2lid is in its cache "
        "folder (OSM_CACHE_DIR).\n"
        "\n"
        "Virtual lanes keep packets from waiting for each other in a circle. "
        "With --lanes turns, which is for layers by gates and minimal, the "
        "lane follows from the ports alone: all traffic may be on one service "
        "level, as UCX and NCCL have it. The others need the service level of "
        "each path, as path records tell it. Lanes that were asked for and do "
        "not do are an error that says what would; without --lanes, others "
        "take their place, and if none do, without --scheme, layers of shortest "
        "paths. OpenSM's file engine knows nothing "
        "of lanes: it is for routings that need one only.\n"
        "\n"
        "With --previous DIR, the tables of an earlier run are repaired after "
        "links or switches have gone or come back: LIDs and settings stay, and "
        "as few entries as possible change. Only towards a switch that the "
        "limit of hops does not reach from everywhere any more, paths may be "
        "longer.",
    .examples =
        "slimfly route sf:q=5 --layers 4 -o tables\tFour layers for the "
        "50-switch Slim Fly.\n"
        "slimfly route live --previous tables -o tables2\tMend the tables "
        "after a fault.\n",
    .options = {
        [OPT_OUTPUT] = { "output", 'o', "DIR", "folder for the tables", NULL },
        [OPT_SCHEME] = { "scheme", 's', "SCHEME",
                         "how to choose paths (the first)", scheme_choice },
        [OPT_LAYERS] = { "layers", 'l', "N", "layers, 1 to 128 (4)", NULL },
        [OPT_MAX_HOPS] = { "max-hops", 0, "N",
                           "longest path (as the scheme says)", NULL },
        [OPT_SEED] = { "seed", 0, "N", "of the random numbers (1)", NULL },
        [OPT_THREADS] = { "threads", 'j', "N",
                          "threads, which do not change the result (all "
                          "cores)",
                          NULL },
        [OPT_PATH_SETS] = { "path-sets", 0, "N",
                            "sets of paths, among which the hosts of a switch "
                            "are dealt (1)",
                            NULL },
        [OPT_PER_HOST] = { "per-host", 0, NULL,
                           "as many: each host has paths of its own", NULL },
        [OPT_PREVIOUS] = { "previous", 'p', "DIR",
                           "repair the tables of an earlier run", NULL },
        [OPT_WITHIN_PARTS] = { "within-parts", 0, NULL,
                               "route the parts of a disconnected fabric",
                               NULL },
        [OPT_RUES_FRACTION] = { "rues-fraction", 0, "X",
                                "rues: share of links in a layer (0.6)",
                                NULL },
        [OPT_PAPER_MIN_HOPS] = { "paper-min-hops", 0, "N",
                                 "paper: shortest path that counts as almost "
                                 "minimal (the longest)",
                                 NULL },
        [OPT_LANES] = { "lanes", 0, "SCHEME",
                        "how to keep deadlock away (turns, else dfsssp)",
                        lanes_choice },
        [OPT_MAX_VLS] = { "max-vls", 0, "N",
                          "virtual lanes that there are, 1 to 15 (8)", NULL },
        [OPT_MAX_SLS] = { "max-sls", 0, "N",
                          "service levels to use at most, 1 to 16 (16)",
                          NULL },
        [OPT_TIMEOUT] = { "timeout", 't', "SECONDS",
                          "end a live discovery after this long (60)", NULL },
        [OPT_LIST] = { "list", 0, NULL, "say what the schemes do", NULL },
    },
    .run = run,
};
