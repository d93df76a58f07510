/* cmd_route.c -- slimfly route: layers, forwarding tables, repair. */
#define _GNU_SOURCE
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
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
    OPT_TIMEOUT,
    OPT_LANES,
    OPT_MAX_VLS,
    OPT_MAX_SLS,
    OPT_LIST,
};

/* What is routed, and with what. */
struct job {
    struct sf_routing_params params;
    bool is_default_scheme;
    struct sf_fabric *fabric;
    struct sf_network *network;        /* Of the fabric with its LIDs. */
    struct sf_routing *previous;       /* NULL unless it is to be repaired, */
    struct sf_tables *previous_tables; /* and what it was encoded as. */
    struct sf_routing *routing;
    struct sf_ib_tables *tables;
    double seconds;     /* For the routing. */
    char why_anew[640]; /* Why a repair was not possible, or "", */
    char why_not[SF_ERROR_TEXT_SIZE]; /* and why it could not be made anew. */
    uint32_t n_lids_lost; /* LIDs that the fabric had and has not now. */
    struct sf_repair repair, recomputation;
    struct sf_route_report report;
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

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Refuses specs that cannot be, before a fabric is loaded. */
static bool
check_specs(const struct cli_args *args)
{
    struct sf_layer_spec layers;
    struct sf_lane_spec lanes;
    struct sf_error err;
    const char *lanes_text = args->values[OPT_LANES];

    if (sf_layer_spec_parse(args->values[OPT_SCHEME], 0, &layers, &err) !=
        SF_OK) {
        cli_fail("route: --scheme %s", err.text);
        return false;
    }
    if (lanes_text && sf_lane_spec_parse(lanes_text, &lanes, &err) != SF_OK) {
        cli_fail("route: --lanes %s", err.text);
        return false;
    }
    if (layers.names_sets &&
        (args->values[OPT_PATH_SETS] || args->values[OPT_PER_HOST])) {
        cli_fail("route: --scheme %s and --%s both say how many sets of "
                 "paths; expected one of them",
                 layers.text,
                 args->command
                     ->options[args->values[OPT_PER_HOST] ? OPT_PER_HOST
                                                          : OPT_PATH_SETS]
                     .name);
        return false;
    }
    return true;
}

/* A repair keeps what the earlier run was made with. */
static bool
check_previous(const struct cli_args *args)
{
    static const int settled[] = { OPT_SCHEME, OPT_LAYERS,    OPT_MAX_HOPS,
                                   OPT_SEED,   OPT_PATH_SETS, OPT_PER_HOST,
                                   OPT_LANES,  OPT_MAX_VLS,   OPT_MAX_SLS };

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
read_options(const struct cli_args *args, struct job *job, uint32_t *timeoutp)
{
    struct sf_layers_params *params = &job->params.layers;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);

    params->scheme = args->values[OPT_SCHEME];
    job->is_default_scheme = !params->scheme && !args->values[OPT_PREVIOUS];
    params->n_layers = 4;
    params->seed = 1;
    params->n_threads = n_cores > 1 ? (uint32_t)n_cores : 1;
    params->within_parts = args->values[OPT_WITHIN_PARTS] != NULL;
    job->params.lanes = args->values[OPT_LANES];
    *timeoutp = 60;
    return check_previous(args) && check_specs(args) &&
           cli_number(args, OPT_LAYERS, 1, SF_MAX_LAYERS, &params->n_layers) &&
           cli_number(args, OPT_MAX_HOPS, 1, 64, &params->max_hops) &&
           cli_path_sets(args, OPT_PATH_SETS, OPT_PER_HOST,
                         &job->params.n_path_sets) &&
           cli_number(args, OPT_THREADS, 1, 1024, &params->n_threads) &&
           cli_number(args, OPT_TIMEOUT, 1, 86400, timeoutp) &&
           cli_number(args, OPT_MAX_SLS, 1, SF_N_SLS, &job->params.max_sls) &&
           cli_number(args, OPT_MAX_VLS, 1, SF_MAX_VLS,
                      &job->params.max_vls) &&
           cli_seed(args, OPT_SEED, &params->seed);
}

/* Encodes 'routing' and, where there is an earlier one, counts what changed.
 */
static enum sf_status
encode(const struct job *job, const struct sf_routing *routing,
       struct sf_ib_tables **tablesp, struct sf_repair *repair,
       struct sf_error *err)
{
    enum sf_status status = sf_ib_encode(routing, tablesp, err);

    return status == SF_OK && job->previous
               ? sf_tables_compare(job->previous_tables,
                                   job->previous->network->fabric,
                                   (*tablesp)->lfts, job->fabric, repair, err)
               : status;
}

/* Repairs the earlier routing, unless its lanes do not allow that. */
static enum sf_status
repair(struct job *job, struct sf_error *err)
{
    const struct sf_routing *previous = job->previous;
    enum sf_status status =
        sf_routing_repair(previous, job->network, &job->routing, err);

    if (status == SF_ELANES) {
        snprintf(job->why_anew, sizeof job->why_anew, "%s", err->text);
        return SF_OK;
    }
    return status == SF_OK
               ? encode(job, job->routing, &job->tables, &job->repair, err)
               : status;
}

/* Whether what was made anew is to be used, and not the repair. */
static bool
is_better_anew(struct job *job)
{
    if (!job->routing) {
        return true;
    }
    if (job->recomputation.n_changed >= job->repair.n_changed) {
        return false;
    }
    /* As when all is back: it is what there was at first. */
    snprintf(job->why_anew, sizeof job->why_anew,
             "a repair would have changed %llu",
             (unsigned long long)job->repair.n_changed);
    return true;
}

/* Makes all anew.  After a repair that is there to be compared with, and need
 * not be possible. */
static enum sf_status
make_anew(struct job *job, struct sf_error *err)
{
    struct sf_ib_tables *tables = NULL;
    struct sf_routing *anew;
    enum sf_status status =
        sf_routing_build(job->network, &job->params, &anew, err);

    if (job->routing && (status == SF_ELANES || status == SF_EUNREACHABLE)) {
        snprintf(job->why_not, sizeof job->why_not, "%s", err->text);
        return SF_OK;
    }
    if (status != SF_OK) {
        return status;
    }
    status = encode(job, anew, &tables, &job->recomputation, err);
    if (status == SF_OK && is_better_anew(job)) {
        sf_routing_free(job->routing);
        sf_ib_tables_free(job->tables);
        job->routing = anew;
        job->tables = tables;
        job->repair = job->recomputation;
    } else {
        sf_routing_free(anew);
        sf_ib_tables_free(tables);
    }
    return status;
}

/* Counts what had a LID in 'before', another state of 'fabric', and has not
 * the same now. */
static uint32_t
count_lids_lost(const struct sf_fabric *before, const struct sf_fabric *fabric)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        uint16_t lid = sf_ib_node(before, i)->lid;
        n += lid && lid != sf_ib_node(fabric, i)->lid;
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint16_t lid = sf_ib_port(before, i)->lid;
        n += lid && lid != sf_ib_port(fabric, i)->lid;
    }
    return n;
}

/* Gives LIDs.  Those of the earlier run stay, or those that the fabric has
 * already, as far as they go with the LMC. */
static enum sf_status
assign_lids(struct job *job, struct sf_error *err)
{
    struct sf_fabric *before = NULL;
    uint32_t lmc = sf_lmc_for_layers(job->params.layers.n_layers);
    const struct sf_fabric *source =
        job->previous ? job->previous->network->fabric : NULL;
    enum sf_status status = SF_OK;

    if (!source) {
        status = sf_fabric_copy(job->fabric, &before, err);
        source = before;
    }
    if (status == SF_OK) {
        status = sf_fabric_assign_lids(job->fabric, lmc, source, err);
    }
    if (before && status == SF_ELIMIT) {
        /* With some kept, what is free may be in too small pieces. */
        status = sf_fabric_assign_lids(job->fabric, lmc, NULL, err);
    }
    if (before && status == SF_OK) {
        job->n_lids_lost = count_lids_lost(before, job->fabric);
    }
    sf_fabric_free(before);
    return status;
}

static enum sf_status
route(struct job *job, const char *previous, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    if (previous) {
        status = sf_ib_read_routing(previous, &job->previous, err);
    }
    if (status == SF_OK && job->previous) {
        status =
            sf_ib_encode_lfts(job->previous->network, job->previous->routes,
                              &job->previous_tables, err);
    }
    if (status == SF_OK && job->previous) {
        struct sf_routing_params *params = &job->previous->params;
        params->layers.n_threads = job->params.layers.n_threads;
        params->layers.within_parts = job->params.layers.within_parts;
        params->layers.may_exceed = true;
        job->params = *params;
        if (job->previous->has_default_lanes) {
            job->params.lanes = NULL;
        }
    }
    if (status == SF_OK) {
        status = assign_lids(job, err);
    }
    if (status == SF_OK) {
        sf_ib_count_addresses(job->fabric, &job->params);
        status = sf_network_build(job->fabric, &job->network, err);
    }
    double start = now();
    if (status == SF_OK && job->previous) {
        status = repair(job, err);
        job->seconds = now() - start;
    }
    if (status == SF_OK) {
        status = make_anew(job, err);
    }
    if (job->why_anew[0] || !job->previous) {
        job->seconds = now() - start;
    }
    return status;
}

static enum sf_status
write_fabric(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    (void)err;
    sf_ibnetdiscover_write(job->fabric, "routed by slimfly", stream);
    return SF_OK;
}

static enum sf_status
write_lids(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    (void)err;
    sf_guid2lid_write(job->fabric, stream);
    return SF_OK;
}

static enum sf_status
write_tables(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    return sf_tables_write(job->tables->lfts, job->fabric, stream, err);
}

static enum sf_status
write_sl2vl(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    (void)err;
    sf_sl2vl_write(job->tables->sl2vl, job->fabric, stream);
    return SF_OK;
}

static enum sf_status
write_path_sls(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    (void)err;
    sf_path_sls_write(job->tables->path_sls, job->fabric, stream);
    return SF_OK;
}

static enum sf_status
write_report(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct job *job = aux;
    return sf_route_report_write_json(&job->report, stream, err);
}

static int
write_all(const struct job *job, const char *folder)
{
    static const struct {
        const char *name;
        enum sf_status (*write)(const void *aux, FILE *stream,
                                struct sf_error *err);
    } files[] = {
        { "fabric.ibnetdiscover", write_fabric },
        { "opensm-lfts.dump", write_tables },
        { "opensm-sl2vl.dump", write_sl2vl },
        { "path-sl.csv", write_path_sls },
        { "guid2lid", write_lids },
        { "route.json", write_report },
    };
    int code = cli_make_folder(folder);

    cli_begin_files();
    for (size_t i = 0; code == CLI_FINE && i < sizeof files / sizeof *files;
         i++) {
        code = cli_write_file(folder, files[i].name, files[i].write, job);
    }
    return cli_end_files(code);
}

/* Says what was done, and how to use it. */
static void
tell(const struct job *job, const char *folder)
{
    const struct sf_routing *routing = job->routing;
    const struct sf_layer_scheme *made_for =
        job->is_default_scheme ? sf_layer_scheme_made_for(routing->network)
                               : NULL;

    sf_route_report_write_text(&job->report, stdout);
    if (job->n_lids_lost) {
        printf("  %u ports have another LID than in the fabric: theirs "
               "collide, or do not go with LMC %u\n",
               job->n_lids_lost,
               sf_lmc_for_layers(routing->params.layers.n_layers));
    }
    if (made_for) {
        printf("  %s: --scheme %s is made for it\n", made_for->made_for,
               made_for->name);
    }
    printf("  made in %.3f s; written to %s\n", job->seconds, folder);
    if (routing->routes->lanes->n_vls == 1) {
        printf("to load them: opensm -R file -U %s/opensm-lfts.dump -l %u\n",
               folder, sf_lmc_for_layers(routing->params.layers.n_layers));
    }
}

static void
free_job(struct job *job)
{
    sf_ib_tables_free(job->tables);
    sf_routing_free(job->routing);
    sf_tables_free(job->previous_tables);
    sf_routing_free(job->previous);
    sf_network_free(job->network);
    sf_fabric_free(job->fabric);
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
        const struct sf_layer_scheme *is = sf_layer_schemes[i];
        list_scheme(is->name, is->title, is->summary, is->params);
    }
    puts("lanes, --lanes, likewise:");
    for (size_t i = 0; sf_lane_schemes[i]; i++) {
        const struct sf_lane_scheme *is = sf_lane_schemes[i];
        list_scheme(is->name, is->title, is->summary, is->params);
    }
    return CLI_FINE;
}

static int
run(const struct cli_args *args)
{
    struct job job = { 0 };
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
    enum sf_status status = route(&job, args->values[OPT_PREVIOUS], &err);
    if (status == SF_OK) {
        job.report.routing = job.routing;
        job.report.tables = job.tables->lfts;
        job.report.repair = job.previous ? &job.repair : NULL;
        job.report.recomputation =
            job.previous && !job.why_not[0] ? &job.recomputation : NULL;
        job.report.why_anew = job.why_anew[0] ? job.why_anew : NULL;
        job.report.why_not_anew = job.why_not;
        status =
            sf_route_figures_measure(job.routing->network, job.routing->routes,
                                     &job.report.figures, &err);
    }
    if (status == SF_OK && job.report.figures.n_broken > 0 &&
        !job.params.layers.within_parts) {
        status = SF_EUNREACHABLE; /* A repair does not mind parts. */
        snprintf(err.text, sizeof err.text, "%s", job.why_not);
    }
    code =
        status == SF_OK ? write_all(&job, folder) : cli_fail("%s", err.text);
    if (code == CLI_FINE) {
        tell(&job, folder);
    }
    free_job(&job);
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
                         "how to choose paths (the first); settings may "
                         "follow, as in rues:fraction=0.5: see --list",
                         scheme_choice, .is_spec = true },
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
                            "are dealt (1); the same as SCHEME:sets=N",
                            NULL },
        [OPT_PER_HOST] = { "per-host", 0, NULL,
                           "as many: each host has paths of its own", NULL },
        [OPT_PREVIOUS] = { "previous", 'p', "DIR",
                           "repair the tables of an earlier run", NULL },
        [OPT_WITHIN_PARTS] = { "within-parts", 0, NULL,
                               "route the parts of a disconnected fabric",
                               NULL },
        [OPT_LANES] = { "lanes", 0, "SCHEME",
                        "how to keep deadlock away (turns, else dfsssp)",
                        lanes_choice, .is_spec = true },
        [OPT_MAX_VLS] = { "max-vls", 0, "N",
                          "virtual lanes that there are, 1 to 15 (8)", NULL },
        [OPT_MAX_SLS] = { "max-sls", 0, "N",
                          "service levels to use at most, 1 to 16 (16)",
                          NULL },
        [OPT_TIMEOUT] = { "timeout", 't', "SECONDS",
                          "end a live discovery after this long (60)", NULL },
        [OPT_LIST] = { "list", 0, NULL,
                       "say what the schemes do and which settings they have",
                       NULL },
    },
    .run = run,
};
