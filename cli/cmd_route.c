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
    OPT_PER_HOST,
    OPT_PREVIOUS,
    OPT_WITHIN_PARTS,
    OPT_RUES_FRACTION,
    OPT_PAPER_MIN_HOPS,
    OPT_TIMEOUT,
};

/* What is routed, and with what. */
struct job {
    struct sf_layers_params params;
    bool is_per_host;
    struct sf_fabric *fabric;
    struct sf_graph *graph;
    uint32_t *link_ports;
    uint32_t *n_hosts;           /* [n_switches] */
    struct sf_layers **variants; /* [n_variants] */
    uint32_t n_variants;
    struct sf_tables *tables;
    double seconds; /* For the layers. */
    struct sf_fabric *previous_fabric;
    struct sf_tables *previous;
    uint32_t previous_hops; /* Their limit. */
    struct sf_repair repair, recomputation;
    struct sf_route_report report;
};

static const char *
scheme_choice(size_t i)
{
    return sf_layer_schemes[i] ? sf_layer_schemes[i]->name : NULL;
}

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
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
    static const int settled[] = { OPT_SCHEME,        OPT_LAYERS,
                                   OPT_MAX_HOPS,      OPT_SEED,
                                   OPT_PER_HOST,      OPT_RUES_FRACTION,
                                   OPT_PAPER_MIN_HOPS };

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
    struct sf_layers_params *params = &job->params;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);

    params->scheme = args->values[OPT_SCHEME];
    params->n_layers = 4;
    params->seed = 1;
    params->n_threads = n_cores > 1 ? (uint32_t)n_cores : 1;
    params->within_parts = args->values[OPT_WITHIN_PARTS] != NULL;
    const struct sf_layer_scheme *scheme =
        sf_layer_scheme_find(params->scheme);
    job->is_per_host =
        args->values[OPT_PER_HOST] || (scheme && scheme->is_per_host);
    *timeoutp = 60;
    return check_previous(args) && check_scheme(args, scheme) &&
           cli_number(args, OPT_LAYERS, 1, SF_MAX_LAYERS, &params->n_layers) &&
           cli_number(args, OPT_MAX_HOPS, 1, 64, &params->max_hops) &&
           cli_number(args, OPT_THREADS, 1, 1024, &params->n_threads) &&
           cli_number(args, OPT_PAPER_MIN_HOPS, 1, 64,
                      &params->paper_min_hops) &&
           cli_number(args, OPT_TIMEOUT, 1, 86400, timeoutp) &&
           cli_real(args, OPT_RUES_FRACTION, 0.01, 1,
                    &params->rues_fraction) &&
           cli_seed(args, OPT_SEED, &params->seed);
}

/* Counts the hosts on each switch. */
static bool
count_hosts(struct job *job, uint32_t *most_hostsp)
{
    const struct sf_fabric *fabric = job->fabric;

    *most_hostsp = 1;
    job->n_hosts = calloc(fabric->n_switches + 1, sizeof *job->n_hosts);
    for (uint32_t s = 0; job->n_hosts && s < fabric->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = fabric->ports[node->first_port + i].peer;
            job->n_hosts[s] += peer != SF_NONE &&
                               fabric->ports[peer].node >= fabric->n_switches;
        }
        if (job->n_hosts[s] > *most_hostsp) {
            *most_hostsp = job->n_hosts[s];
        }
    }
    return job->n_hosts != NULL;
}

/* Builds the layers: one set, or one for each host of a switch. */
static enum sf_status
build_layers(struct job *job, struct sf_error *err)
{
    uint32_t most_hosts;
    enum sf_status status = SF_OK;
    double start = now();

    if (!count_hosts(job, &most_hosts)) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    job->n_variants = job->is_per_host ? most_hosts : 1;
    job->variants = calloc(job->n_variants, sizeof *job->variants);
    if (!job->variants) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    for (uint32_t i = 0; status == SF_OK && i < job->n_variants; i++) {
        struct sf_layers_params params = job->params;
        params.seed += i;
        params.variant = i;
        params.n_variants = job->is_per_host ? job->n_variants : 0;
        status = sf_layers_build(job->graph, job->n_hosts, &params,
                                 &job->variants[i], err);
    }
    job->seconds = now() - start;
    return status;
}

/* Reads the fabric, the tables and the settings of an earlier run. */
static enum sf_status
load_previous(struct job *job, const char *folder, struct sf_error *err)
{
    struct sf_route_settings settings;
    char *paths[3] = { NULL, NULL, NULL };
    enum sf_status status = SF_ENOMEM;

    if (asprintf(&paths[0], "%s/fabric.ibnetdiscover", folder) >= 0 &&
        asprintf(&paths[1], "%s/opensm-lfts.dump", folder) >= 0 &&
        asprintf(&paths[2], "%s/route.json", folder) >= 0) {
        status = sf_ibnetdiscover_read(paths[0], &job->previous_fabric, err);
    }
    if (status == SF_OK) {
        status = sf_tables_read(paths[1], job->previous_fabric, &job->previous,
                                err);
    }
    if (status == SF_OK) {
        status = sf_route_settings_read(paths[2], &settings, err);
    }
    if (status == SF_OK) {
        job->params.scheme = settings.scheme->name;
        job->params.n_layers = settings.n_layers;
        job->params.seed = settings.seed;
        job->is_per_host = settings.is_per_host;
        job->previous_hops = settings.max_hops;
    }
    for (int i = 0; i < 3; i++) {
        free(paths[i]);
    }
    return status;
}

/* Paths may be as long as they were, or as a fault makes them. */
static uint32_t
repair_limit(const struct job *job)
{
    uint32_t needed = job->variants[0]->max_hops;
    return job->previous_hops > needed ? job->previous_hops : needed;
}

static enum sf_status
make_tables(struct job *job, struct sf_error *err)
{
    enum sf_status status =
        sf_tables_build(job->fabric, job->graph, job->link_ports,
                        job->variants, job->n_variants, &job->tables, err);
    if (status != SF_OK || !job->previous) {
        return status;
    }
    /* What was made anew is only there to be compared with the repair. */
    status =
        sf_tables_compare(job->previous, job->previous_fabric, job->tables,
                          job->fabric, &job->recomputation, err);
    sf_tables_free(job->tables);
    job->tables = NULL;
    if (status == SF_OK) {
        status =
            sf_tables_repair(job->previous, job->previous_fabric, job->fabric,
                             job->graph, job->link_ports, repair_limit(job),
                             &job->tables, &job->repair, err);
    }
    return status;
}

/* Gives LIDs.  Those of the earlier run stay, or those that the fabric has
 * already, as far as they go with the LMC. */
static enum sf_status
assign_lids(struct job *job, uint32_t lmc, struct sf_error *err)
{
    struct sf_fabric *before = NULL;
    enum sf_status status = SF_OK;

    if (!job->previous_fabric) {
        status = sf_fabric_copy(job->fabric, &before, err);
    }
    if (status == SF_OK) {
        status = sf_fabric_assign_lids(
            job->fabric, lmc, before ? before : job->previous_fabric, err);
    }
    sf_fabric_free(before);
    return status;
}

static enum sf_status
route(struct job *job, const char *previous, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    uint32_t lmc = sf_lmc_for_layers(job->params.n_layers);

    if (previous) {
        status = load_previous(job, previous, err);
        lmc = sf_lmc_for_layers(job->params.n_layers);
    }
    if (status == SF_OK) {
        status = assign_lids(job, lmc, err);
    }
    if (status == SF_OK) {
        status =
            sf_fabric_graph(job->fabric, &job->graph, &job->link_ports, err);
    }
    if (status == SF_OK) {
        status = build_layers(job, err);
    }
    return status == SF_OK ? make_tables(job, err) : status;
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
    return sf_tables_write(job->tables, job->fabric, stream, err);
}

/* Fills in the names and numbers of what was done. */
static enum sf_status
make_report(struct job *job, struct sf_error *err)
{
    const struct sf_layer_scheme *scheme =
        sf_layer_scheme_find(job->params.scheme);
    job->report = (struct sf_route_report){
        .scheme = scheme->name,
        .n_layers = job->params.n_layers,
        .max_hops =
            job->previous ? repair_limit(job) : job->variants[0]->max_hops,
        .seed = job->params.seed,
        .is_per_host = job->is_per_host,
        .fabric = job->fabric,
        .graph = job->graph,
        .link_ports = job->link_ports,
        .tables = job->tables,
        .repair = job->previous ? &job->repair : NULL,
        .recomputation = job->previous ? &job->recomputation : NULL,
    };
    return sf_route_measure(&job->report, err);
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
    int code = cli_make_folder(folder);
    if (code == CLI_FINE) {
        code =
            cli_write_file(folder, "fabric.ibnetdiscover", write_fabric, job);
    }
    if (code == CLI_FINE) {
        code = cli_write_file(folder, "opensm-lfts.dump", write_tables, job);
    }
    if (code == CLI_FINE) {
        code = cli_write_file(folder, "guid2lid", write_lids, job);
    }
    if (code == CLI_FINE) {
        code = cli_write_file(folder, "route.json", write_report, job);
    }
    return code;
}

static void
free_job(struct job *job)
{
    sf_tables_free(job->previous);
    sf_fabric_free(job->previous_fabric);
    sf_tables_free(job->tables);
    for (uint32_t i = 0; job->variants && i < job->n_variants; i++) {
        sf_layers_free(job->variants[i]);
    }
    free(job->variants);
    free(job->n_hosts);
    free(job->link_ports);
    sf_graph_free(job->graph);
    sf_fabric_free(job->fabric);
}

static int
run(const struct cli_args *args)
{
    struct job job = { 0 };
    struct sf_error err = { 0 };
    const char *folder = args->values[OPT_OUTPUT];
    uint32_t timeout;
    int code = CLI_ERROR;

    if (args->n_words != 1) {
        return cli_fail(
            "route: expected one fabric: a spec, a plan, a file or "
            "live; found %zu words",
            args->n_words);
    }
    if (!folder) {
        return cli_fail("route: expected a folder for the tables, -o DIR");
    }
    if (!read_options(args, &job, &timeout)) {
        return CLI_ERROR;
    }
    job.fabric = cli_load_fabric(args->words[0], timeout);
    if (!job.fabric) {
        return CLI_ERROR;
    }
    if (route(&job, args->values[OPT_PREVIOUS], &err) != SF_OK ||
        make_report(&job, &err) != SF_OK) {
        code = cli_fail("%s", err.text);
    } else {
        code = write_all(&job, folder);
    }
    if (code == CLI_FINE) {
        sf_route_report_write_text(&job.report, stdout);
        printf("  layers made in %.3f s; written to %s\n", job.seconds,
               folder);
        printf("to load them: opensm -R file -U %s/opensm-lfts.dump -l %u\n",
               folder, sf_lmc_for_layers(job.params.n_layers));
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
        "address chooses the layer. Layer 0 has shortest paths; the others "
        "lead over other links, so that together they share the load and "
        "survive faults.\n"
        "\n"
        "FABRIC is a spec, a folder that 'slimfly plan' or 'slimfly route' "
        "wrote, a plan.json, what ibnetdiscover prints, a cache of it, a "
        "netlist of ibsim, or the word live. Into DIR go fabric.ibnetdiscover "
        "with the LIDs, opensm-lfts.dump, guid2lid and route.json with "
        "figures. LIDs that a fabric has already stay. OpenSM loads the tables "
        "with -R file -U DIR/opensm-lfts.dump -l LMC; it gives the ports these "
        "LIDs if guid2lid is in its cache folder (OSM_CACHE_DIR).\n"
        "\n"
        "The tables do not protect against deadlock by themselves; virtual "
        "lanes are not written yet.\n"
        "\n"
        "With --previous DIR, the tables of an earlier run are repaired after "
        "links or switches have gone or come back: LIDs stay, and as few "
        "entries as possible change.",
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
        [OPT_PER_HOST] = { "per-host", 0, NULL,
                           "paths of its own for each host of a switch",
                           NULL },
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
        [OPT_TIMEOUT] = { "timeout", 't', "SECONDS",
                          "end a live discovery after this long (60)", NULL },
    },
    .run = run,
};
