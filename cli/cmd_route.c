/* cmd_route.c -- slimfly route: layers, forwarding tables, repair.  The work
 * is done in reroute.c. */
#include "cli.h"
#include "reroute.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPT_PREVIOUS = CLI_OWN,
    OPT_REPAIR_ONLY,
    OPT_WITHIN_PARTS,
    OPT_JOBS,
    OPT_KEEP_MINIMAL,
    OPT_DRAINED,
    OPT_DRY_RUN,
    OPT_LIST,
};

static const struct cli_option options[] = {
    { OPT_PREVIOUS, "previous", 'p', CLI_FOLDER, "DIR",
      .help =
          "repair the tables of an earlier run, which are in the folder DIR" },
    { OPT_REPAIR_ONLY, "repair-only", 0, CLI_FLAG,
      .help =
          "with --previous, do not compare the repair with tables that "
          "are made anew, which takes most of the time; paths for jobs that "
          "have ended then stay" },
    { OPT_WITHIN_PARTS, "within-parts", 0, CLI_FLAG,
      .help = "route each part of a disconnected fabric" },
    { OPT_JOBS, "jobs", 0, CLI_FILE, "FILE",
      .help = "fit the routes to the jobs of FILE, lines of NAME PATTERN "
              "NODES" },
    { OPT_KEEP_MINIMAL, "keep-minimal", 0, CLI_FLAG,
      .help = "with --jobs, leave layer 0 as it is" },
    { OPT_DRAINED, "drained", 0, CLI_FILE, "FILE",
      .help = "route around the links that FILE lists ('slimfly drain')" },
    { OPT_DRY_RUN, "dry-run", 'n', CLI_FLAG,
      .help = "write nothing; with --previous or --jobs, say what changes" },
    { OPT_LIST, "list", 0, CLI_FLAG,
      .help = "explain the schemes of layers and lanes" },
    { 0 },
};

/* Refuses specs that cannot be, before a fabric is loaded. */
static bool
check_specs(const struct cli_args *args)
{
    struct sf_layer_spec layers;
    struct sf_lane_spec lanes;
    struct sf_error err;
    const char *lanes_text = cli_text(args, OPT_LANES);
    int other = cli_has(args, OPT_PER_HOST) ? OPT_PER_HOST : OPT_PATH_SETS;

    if (sf_layer_spec_parse(cli_text(args, OPT_SCHEME), 0, &layers, &err) !=
        SF_OK) {
        cli_fail("route: --scheme %s", err.text);
        return false;
    }
    if (lanes_text && sf_lane_spec_parse(lanes_text, &lanes, &err) != SF_OK) {
        cli_fail("route: --lanes %s", err.text);
        return false;
    }
    if (layers.names_sets && cli_has(args, other)) {
        cli_fail("route: --scheme %s and --%s both say how many path sets "
                 "there are; expected one of them",
                 layers.text, cli_name(args, other));
        return false;
    }
    return true;
}

/* A repair keeps what the earlier run was made with. */
static bool
check_previous(const struct cli_args *args)
{
    static const int settled[] = { OPT_SCHEME,   OPT_LAYERS,    OPT_MAX_HOPS,
                                   OPT_SEED,     OPT_PATH_SETS, OPT_PER_HOST,
                                   OPT_LANES,    OPT_MAX_VLS,   OPT_MAX_SLS,
                                   OPT_GUARANTEE };

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
    params->seed = cli_seed(args, OPT_SEED);
    params->n_threads = cli_threads(args);
    params->within_parts = cli_has(args, OPT_WITHIN_PARTS);
    job->params.lanes = cli_text(args, OPT_LANES);
    job->params.guarantee = cli_guarantee(args);
    job->params.max_vls = cli_number(args, OPT_MAX_VLS);
    job->params.max_sls = cli_number(args, OPT_MAX_SLS);
    job->jobs_path = cli_text(args, OPT_JOBS);
    job->drained_path = cli_text(args, OPT_DRAINED);
    job->wants_diff = cli_has(args, OPT_DRY_RUN);
    job->job_params.seed = params->seed;
    job->job_params.keeps_minimal = cli_has(args, OPT_KEEP_MINIMAL);
    if (job->job_params.keeps_minimal && !job->jobs_path) {
        cli_fail("route: --keep-minimal is for --jobs FILE");
        return false;
    }
    job->repairs_only = cli_has(args, OPT_REPAIR_ONLY);
    if (job->repairs_only && !cli_has(args, OPT_PREVIOUS)) {
        cli_fail("route: --repair-only is for --previous DIR");
        return false;
    }
    return check_previous(args) && check_specs(args) &&
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
                             job->tables->lfts, job->tables->sl2vl,
                             job->tables->path_sls };
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

/* Says what was done, and how to use it. */
static void
tell(const struct cli_routing *job, const char *folder)
{
    const struct sf_routing *routing = job->routing;
    uint32_t lmc = sf_lmc_for_layers(routing->params.layers.n_layers);

    cli_progress_end();
    sf_route_report_write_text(&job->report, stdout);
    if (job->n_lids_lost) {
        printf("  %u ports have another LID than in the fabric, because the "
               "old ones collide or do not go with LMC %u\n",
               job->n_lids_lost, lmc);
    }
    if (job->drained.n_links) {
        printf("  links that are drained: %u\n", job->drained.n_links);
    }
    printf("  the tables were made in %.3f s%s%s\n", job->seconds,
           folder ? " and written to " : "", folder ? folder : "");
    if (job->jobs) {
        printf("  the routes were fitted to the jobs in %.3f s\n",
               job->job_seconds);
    }
    if (folder && routing->routes->lanes->n_vls == 1) {
        printf("to load the tables: opensm -R file -U %s/%s -l %u\n", folder,
               CLI_TABLES_FILE, lmc);
    }
}

/* Says what would change, as 'slimfly diff' does. */
static void
tell_diff(const struct cli_routing *job)
{
    struct sf_diff_report report = { job->diff,    job->before_fabric,
                                     job->fabric,  NULL,
                                     job->mixture, job->steps };

    if (job->diff) {
        printf("%s and these tables are ", job->previous
                                               ? "the tables of before"
                                               : "the tables without jobs");
        sf_diff_write_text(&report, stdout);
    }
    puts("nothing was written (--dry-run)");
}

static void
list_scheme(const char *name, const char *title, const char *summary,
            const struct sf_param *params)
{
    printf("  %-9s %s\n            %s\n", name, title, summary);
    for (uint32_t i = 0; i < sf_params_count(params); i++) {
        printf("            %s=VALUE  ", params[i].key);
        sf_param_write_text(&params[i], stdout);
    }
}

/* Says what the schemes of layers and lanes do. */
static int
list_schemes(void)
{
    puts("layers, --scheme NAME or NAME:KEY=VALUE,KEY=VALUE...:");
    for (size_t i = 0; sf_layer_schemes[i]; i++) {
        const struct sf_layer_scheme *scheme = sf_layer_schemes[i];
        list_scheme(scheme->name, scheme->title, scheme->summary,
                    scheme->params);
    }
    puts("lanes, --lanes, likewise:");
    for (size_t i = 0; sf_lane_schemes[i]; i++) {
        const struct sf_lane_scheme *scheme = sf_lane_schemes[i];
        list_scheme(scheme->name, scheme->title, scheme->summary,
                    scheme->params);
    }
    return CLI_FINE;
}

/* Says why 'job' cannot be routed, and the way out if that is for its parts.
 */
static int
refuse(const struct cli_routing *job, const char *word,
       const struct sf_error *err)
{
    bool is_apart = err->status == SF_EUNREACHABLE &&
                    !job->params.layers.within_parts && job->network &&
                    !sf_graph_is_connected(job->network->graph);

    return is_apart ? cli_fail("%s: %s; --within-parts routes each of them",
                               word, err->text)
                    : cli_fail("%s", err->text);
}

static int
run(const struct cli_args *args)
{
    struct cli_routing job = { .report.origin = cli_origin(args) };
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
    bool is_dry = cli_has(args, OPT_DRY_RUN);
    if (is_dry && folder) {
        return cli_fail("route: expected -o DIR or --dry-run, found both");
    }
    if (!is_dry && (!folder || !*folder)) {
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
    int code = cli_route(&job, cli_text(args, OPT_PREVIOUS), &err) != SF_OK
                   ? refuse(&job, args->words[0], &err)
               : is_dry ? CLI_FINE
                        : write_all(&job, folder);
    if (code == CLI_FINE) {
        tell(&job, folder);
    }
    if (code == CLI_FINE && is_dry) {
        tell_diff(&job);
    }
    cli_routing_clear(&job);
    return code;
}

const struct cli_command cli_command_route = {
    .name = "route",
    .group = CLI_RUN,
    .arguments = "FABRIC -o DIR",
    .summary = "layers of paths and the forwarding tables of all switches",
    .description =
        "Routes a fabric in layers. Every host has 2^LMC addresses, and the "
        "address chooses the layer. If there are more addresses than layers, "
        "the remaining addresses use the layers from layer 0 on again. Layer "
        "0 has shortest paths, unless the scheme says otherwise. The paths of "
        "the other layers take other links, so that the layers together share "
        "the load and survive faults. The hosts of a switch are dealt among "
        "--path-sets path sets, and those of a set share its paths. At equal "
        "shares over 4 addresses, two sets carry up to a fifth more than one "
        "under permutations of switches. They take up to twice the time to "
        "make.\n"
        "\n" CLI_FABRIC_IS
        " The files fabric.ibnetdiscover with the LIDs, " CLI_TABLES_FILE
        ", opensm-sl2vl.dump, path-sl.csv, guid2lid and "
        "route.json with figures appear in DIR when all are complete. LIDs "
        "that the fabric already has stay if they fit the LMC. OpenSM gives "
        "the ports these LIDs if guid2lid is in its cache folder "
        "(OSM_CACHE_DIR).\n"
        "\n"
        "Virtual lanes keep packets from waiting for each other in a circle. "
        "With --lanes turns, which is for the schemes gates, minimal and "
        "ordered, the lane follows from the ports alone. With --lanes single, "
        "there is one lane, if that is proved to be enough. --lanes untangle "
        "takes paths of any scheme and changes the lane at turns that would "
        "close a circle, if there are enough lanes: a Fat Tree with faults "
        "needs two. With these three, all traffic may be on any service "
        "level, as with UCX and NCCL. The other lane schemes need the service "
        "level of each path, which path records tell. --guarantee says which "
        "of these may be chosen. If the lanes asked for cannot protect this "
        "network, route fails. Without --scheme and --lanes, route takes the "
        "best that keeps the guarantee; where gates and ftree cannot, that is "
        "ordered, whose paths may be longer, also in layer 0. OpenSM's file "
        "engine knows no lanes: use it only for a routing that needs one "
        "virtual lane.\n"
        "\n"
        "With --previous DIR, route repairs the tables of an earlier run "
        "after links or switches have gone or come back. LIDs and settings "
        "stay, and few entries change: those of broken paths, and of paths "
        "over links that would then carry more than any did before. Where the "
        "limit of hops no longer reaches a switch from everywhere, paths to "
        "that switch may be longer. route also makes all tables anew, says "
        "how many entries that would change, and takes them if these are "
        "fewer, as when everything is back. --repair-only leaves that out, "
        "unless a repair is not possible; tables then return to what they "
        "were only if DIR has those of the whole fabric.\n"
        "\n"
        "With --jobs FILE, route changes paths to the nodes of the jobs that "
        "run, for hosts that use their addresses in equal shares. Each line "
        "of FILE is NAME PATTERN NODES. NODES is a list as Slurm writes it, "
        "node[0000-0031,0040]. PATTERN is all-to-all, ring, shift:by=40, "
        "stencil:dims=4x4x2, pairs:file=PATH, ranks:file=PATH or unknown. "
        "Lanes stay as they are, so only forwarding tables change. Paths of "
        "jobs may have "
        "four hops, or two more than there are between the switches of a job, "
        "also in layer 0, unless --keep-minimal or --max-hops says otherwise. "
        "The lanes must be turns, untangle or single. With --previous DIR as "
        "well, paths for jobs that still run stay where they are good, and "
        "paths for jobs that have ended become what they would be without "
        "jobs.\n"
        "\n"
        "With --drained FILE, route does without the links that 'slimfly "
        "drain' put on the list, as if they were gone: the whole fabric is "
        "routed, and repaired. The files in DIR have the whole fabric.\n"
        "\n"
        "With --dry-run, nothing is written. With --previous or --jobs, it "
        "says what changes in the words of 'slimfly diff'.\n"
        "\n"
        "With --previous or --jobs, route also judges the change under "
        "traffic: whether a mixture of old and new entries can deadlock, and "
        "in how many steps it is safe. 'slimfly audit OLD NEW' says more.",
    .examples =
        "slimfly route sf:q=5 --layers 4 -o tables\tRoute the 50-switch Slim "
        "Fly in four layers.\n"
        "slimfly route live --previous tables -o tables2\tRepair the tables "
        "after a fault.\n"
        "slimfly route sf:q=5 --jobs jobs.txt -o tables\tRoute for the jobs "
        "of a file.\n",
    .options = { options, cli_scheme_options, cli_lane_options,
                 cli_path_options, cli_work_options, cli_thread_options,
                 cli_live_options, cli_folder_options, cli_progress_options },
    .run = run,
};
