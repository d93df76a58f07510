/* cmd_settings.c -- slimfly settings: what to tell OpenSM, MPI libraries and
 * Slurm. */
#include "settings_advice.h"
#include "settings_files.h"
#include "settings_places.h"

#include <stdlib.h>

enum {
    OPT_FORCE = CLI_OWN,
    OPT_ADVISE,
    OPT_ONLY,
    OPT_PLAN,
    OPT_STANDBY,
    OPT_JOBS,
};

/* The settings, and what must be freed after. */
struct job {
    struct sf_settings settings;
    struct sf_advice advice;
    struct sf_layer_spec layers;
    struct sf_lane_spec lanes;
    struct sf_routing *routing; /* What the settings come to. */
    struct sf_fabric *fabric;   /* Unless the plan holds it. */
    struct sf_plan *plan;       /* Of FABRIC, or of --plan. */
    char *folder;               /* DIR, absolute. */
    struct cli_settings_places places;
};

static const struct cli_option options[] = {
    { OPT_FORCE, "force", 0, CLI_FLAG,
      .help = "replace files that this command did not write" },
    { OPT_ADVISE, "advise", 0, CLI_FILE, "FILE",
      .help = "advise on addresses for the jobs of FILE, too" },
    { OPT_ONLY, "only", 0, CLI_TEXT, "PARTS",
      .help = "parts to write, separated by commas", .otherwise = "all" },
    { OPT_PLAN, "plan", 'p', CLI_FILE, "PLAN",
      .help = "plan that tells the racks of the switches" },
    { OPT_STANDBY, "standby", 0, CLI_FLAG,
      .help = "write opensm.conf for a machine that stands by" },
    { OPT_JOBS, "jobs", 0, CLI_FILE, "FILE",
      .help = "route for the jobs of FILE ('slimfly help jobs')" },
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

/* Whether the plan of the job holds its fabric. */
static bool
is_planned(const struct job *job)
{
    return job->plan && job->plan->fabric == job->settings.fabric;
}

static void
free_job(struct job *job)
{
    sf_routing_free(job->routing);
    sf_fabric_free(job->fabric);
    sf_plan_free(job->plan);
    cli_settings_places_clear(&job->places);
    free(job->folder);
}

/* Takes over what the route.json at 'path' says. */
static bool
read_route(struct job *job, const char *path)
{
    struct sf_settings *settings = &job->settings;
    struct sf_routing_params params;
    struct sf_routing_specs specs;
    struct sf_error err;

    if (sf_routing_params_read(path, &params, &specs, &err) != SF_OK ||
        sf_layer_spec_parse(specs.layers, 0, &job->layers, &err) != SF_OK ||
        sf_lane_spec_parse(specs.lanes, &job->lanes, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    settings->layers = params.layers.scheme ? &job->layers : NULL;
    settings->lanes = params.lanes ? &job->lanes : NULL;
    settings->guarantee = params.guarantee;
    settings->n_layers = params.layers.n_layers;
    settings->n_path_sets = params.n_path_sets;
    settings->max_hops = params.layers.max_hops;
    settings->seed = params.layers.seed;
    settings->max_vls = params.max_vls;
    settings->max_sls = params.max_sls;
    return true;
}

/* Takes over the scheme and the lanes; those of a route.json go with its
 * scheme alone. */
static bool
read_scheme(struct job *job, const struct cli_args *args)
{
    const char *lanes = cli_text(args, OPT_LANES);
    struct sf_error err;

    if (cli_has(args, OPT_SCHEME)) {
        if (sf_layer_spec_parse(cli_text(args, OPT_SCHEME), 0, &job->layers,
                                &err) != SF_OK) {
            cli_fail("settings: --scheme %s", err.text);
            return false;
        }
        job->settings.layers = &job->layers;
        job->settings.lanes = NULL;
        job->settings.guarantee = SF_DEFAULT_GUARANTEE;
    }
    if (lanes && sf_lane_spec_parse(lanes, &job->lanes, &err) != SF_OK) {
        cli_fail("settings: --lanes %s", err.text);
        return false;
    }
    job->settings.lanes = lanes ? &job->lanes : job->settings.lanes;
    job->settings.guarantee = cli_has(args, OPT_GUARANTEE)
                                  ? cli_guarantee(args)
                              : lanes ? SF_DEFAULT_GUARANTEE
                                      : job->settings.guarantee;
    return true;
}

/* Options go before what a route.json says, and that before defaults. */
static bool
read_options(struct job *job, const struct cli_args *args)
{
    struct sf_settings *settings = &job->settings;
    char *path = cli_find_in_folder(args->words[0], "route.json");
    bool has_route = path != NULL;
    bool is_fine =
        (!has_route || read_route(job, path)) && read_scheme(job, args);

    free(path);
    if (cli_has(args, OPT_LAYERS) || !has_route) {
        settings->n_layers = cli_number(args, OPT_LAYERS);
    }
    if (cli_has(args, OPT_PATH_SETS)) {
        settings->n_path_sets = cli_number(args, OPT_PATH_SETS);
    } else if (settings->layers &&
               (settings->layers->names_sets || !has_route)) {
        settings->n_path_sets = settings->layers->n_sets;
    }
    if (cli_has(args, OPT_MAX_HOPS)) {
        settings->max_hops = cli_number(args, OPT_MAX_HOPS);
    }
    if (cli_has(args, OPT_MAX_VLS) || !has_route) {
        settings->max_vls = cli_number(args, OPT_MAX_VLS);
    }
    if (cli_has(args, OPT_MAX_SLS)) {
        settings->max_sls = cli_number(args, OPT_MAX_SLS);
    }
    if (cli_has(args, OPT_SEED) || !has_route) {
        settings->seed = cli_seed(args, OPT_SEED);
    }
    settings->only = cli_text(args, OPT_ONLY);
    settings->knows_jobs = cli_has(args, OPT_ADVISE);
    settings->is_standby = cli_has(args, OPT_STANDBY);
    return is_fine;
}

/* Names the switches of a fabric that was found as 'path', a GUID map, says.
 * Those of a plan have their names. */
static bool
name_switches(struct job *job, const char *path)
{
    struct sf_guid_map *map = cli_load_guids(path);
    struct sf_error err;
    uint32_t n_named = 0;
    enum sf_status status = SF_OK;

    if (!map) {
        return false;
    }
    if (job->fabric) {
        status = sf_guid_map_name_switches(map, job->fabric, &n_named, &err);
    }
    sf_guid_map_free(map);
    if (status != SF_OK) {
        cli_fail("%s", err.text);
    } else if (job->fabric && !n_named) {
        cli_fail("%s: this map has the GUID of no switch of the fabric", path);
    }
    return status == SF_OK && (!job->fabric || n_named);
}

/* Loads FABRIC, and the plan of --plan. */
static bool
load(struct job *job, const struct cli_args *args)
{
    const char *plan_word = cli_text(args, OPT_PLAN);
    struct sf_plan *own;

    struct sf_fabric *fabric = cli_load_fabric_and_plan(
        args->words[0], cli_number(args, OPT_TIMEOUT), &own);
    job->settings.fabric = fabric;
    job->fabric = own ? NULL : fabric;
    job->plan = own;
    if (fabric && plan_word && own) {
        cli_fail("settings: --plan is for a fabric that is not a plan itself");
        return false;
    }
    if (fabric && plan_word) {
        job->plan = cli_load_plan(plan_word);
    }
    job->settings.plan = job->plan;
    const char *guids = cli_text(args, OPT_GUIDS);
    return fabric && (!plan_word || job->plan) &&
           (!guids || name_switches(job, guids));
}

/* Decides where everything stands. */
static bool
place(struct job *job, const struct cli_args *args)
{
    struct cli_settings_words words = {
        .folder = job->folder,
        .fabric = args->words[0],
        .plan = is_planned(job) ? args->words[0] : cli_text(args, OPT_PLAN),
        .guids = cli_text(args, OPT_GUIDS),
        .jobs = cli_text(args, OPT_JOBS),
    };
    return cli_settings_place(&job->places, &words, &job->settings);
}

/* Writes the files, if there is a folder for them, and then to standard
 * output. */
static int
write_all(const struct job *job, const struct cli_args *args)
{
    bool is_json = cli_is(args, OPT_FORMAT, "json");
    struct sf_error err = { 0 };
    enum sf_status status = SF_OK;

    if (job->folder) {
        int code = cli_write_settings(&job->settings, job->folder,
                                      cli_has(args, OPT_FORCE));
        if (code != CLI_FINE) {
            return code;
        }
    }
    cli_progress_end();
    if (is_json) {
        status = sf_settings_write_json(&job->settings, stdout, &err);
    } else if (job->folder) {
        cli_tell_settings(&job->settings, job->folder);
    } else {
        status = sf_settings_write_text(&job->settings, stdout, &err);
    }
    return status == SF_OK ? CLI_FINE : cli_fail("%s", err.text);
}

/* Routes the fabric as the plugin will, so that nothing is promised which
 * cannot be had. */
static int
route(struct job *job, const struct cli_args *args)
{
    struct sf_settings *settings = &job->settings;
    struct sf_routing_params params = {
        .layers = { .scheme = settings->layers ? settings->layers->text : NULL,
                    .n_layers = settings->n_layers,
                    .max_hops = settings->max_hops,
                    .may_exceed = true,
                    .seed = settings->seed,
                    .n_threads = cli_threads(args),
                    .within_parts = true },
        .n_path_sets = settings->n_path_sets,
        .lanes = settings->lanes ? settings->lanes->text : NULL,
        .guarantee = settings->guarantee,
        .max_vls = settings->max_vls,
        .max_sls = settings->max_sls,
    };
    struct sf_network *network;
    struct sf_error err;
    enum sf_status status = sf_network_build(settings->fabric, &network, &err);

    if (status == SF_OK) {
        status = sf_routing_build(network, &params, &job->routing, &err);
        sf_network_free(network);
    }
    settings->routing = job->routing;
    return status == SF_OK ? CLI_FINE : cli_fail("%s", err.text);
}

static int
run(const struct cli_args *args)
{
    struct job job = { 0 };
    struct sf_error err;
    const char *folder = cli_text(args, OPT_OUTPUT);
    int code = CLI_ERROR;

    if (args->n_words != 1) {
        return cli_fail("settings: expected one fabric: a spec, a plan, a "
                        "folder of 'slimfly route', a file or live; found %zu "
                        "words",
                        args->n_words);
    }
    if (!read_options(&job, args) || !load(&job, args)) {
        free_job(&job);
        return CLI_ERROR;
    }
    job.folder = folder ? cli_make_absolute(folder) : NULL;
    if ((!folder || job.folder) && place(&job, args)) {
        code = sf_settings_check(&job.settings, &err) == SF_OK
                   ? CLI_FINE
                   : cli_fail("%s", err.text);
    }
    if (code == CLI_FINE && sf_settings_want_routing(&job.settings)) {
        code = route(&job, args);
    }
    if (code == CLI_FINE) {
        code = cli_settings_advise(&job.settings, args,
                                   cli_text(args, OPT_ADVISE), &job.advice);
    }
    if (code == CLI_FINE) {
        code = write_all(&job, args);
    }
    free_job(&job);
    return code;
}

const struct cli_command cli_command_settings = {
    .name = "settings",
    .group = CLI_RUN,
    .arguments = "FABRIC [-o DIR]",
    .summary = "what to tell OpenSM, MPI libraries and Slurm",
    .description =
        "Prints the lines for configuration files with which the layers of a "
        "fabric are used and its lanes prevent deadlock, or writes the files "
        "into DIR. A comment gives the reason for each line. The first line "
        "of a file tells that this command wrote it. If DIR holds other files "
        "of these names, the command names them and changes nothing, unless "
        "--force is given.\n"
        "\n" CLI_FABRIC_IS " If FABRIC is a folder with a route.json, the "
        "defaults of the options about layers, paths and lanes are those of "
        "the route.json.\n"
        "\n"
        "The parts for --only are these. opensm is OpenSM with the slimfly "
        "plugin (opensm.conf, slimfly.conf). file is OpenSM's own file "
        "engine, where no plugin may be loaded; it needs a folder with tables "
        "that 'slimfly route' wrote. ucx, openmpi, openib, mvapich2 and nccl "
        "(RCCL too) are environments. addresses is an environment for each "
        "kind of traffic, jobs one for the jobs of --advise. slurm is "
        "topology.conf, topology.yaml and slurm-jobs.conf, which lets OpenSM "
        "route for the jobs of Slurm. hosts is three hostfiles.\n"
        "\n"
        "With --standby, opensm.conf is for a second machine that stands by "
        "and takes over when the first one is killed: it has a lower "
        "sm_priority, and all else is the same.\n"
        "\n"
        "Which addresses a job should use depends on what it does. The "
        "command measures the tables in FABRIC, or else the routes that the "
        "plugin will make: what every host gets if traffic takes the first 1, "
        "2, 4 and so on addresses in turn. It prints a table and advises the "
        "fewest addresses that get within 2 % of the most. The files "
        "job-*.env hold that advice, for a job to read before it starts: "
        "job-alltoall.env, job-small.env, job-pairs.env and job-switches.env. "
        "With --jobs, they use all addresses, since OpenSM then makes routes "
        "for jobs that do. "
        "With --advise FILE, in the form of 'slimfly route --jobs', "
        "job-known.env is for these jobs.\n"
        "\n"
        "The hostfile linear lists hosts by rack, switch and port. random is "
        "a shuffle by --seed. spread takes a host from each rack in turn, and "
        "within a rack from each switch in turn. So neighbours in the list "
        "are in different racks, and the second host of a switch comes after "
        "the first hosts of all switches of its rack. The racks are those of "
        "the plan; for spread, racks that hold one group count as one. The "
        "switches of a plan are known by their names or by a GUID map "
        "(--guids). Without a plan, all switches count as one rack. The name "
        "of a host is the first word of its node description.\n"
        "\n"
        "The command routes the fabric as the plugin will, so that the "
        "settings promise only what was built. With --guarantee path-sl, "
        "traffic is safe only if senders ask for the service level of each "
        "path. UCX, NCCL and some builds of MPI libraries do not. The command "
        "then prints a warning.",
    .examples =
        "slimfly settings tables --plan plan -o settings\tWrite the settings "
        "for what 'slimfly route' wrote, with the racks of a plan.\n"
        "slimfly settings sf:q=5 --only ucx,nccl\tPrint two environments.\n"
        "slimfly settings tables --advise jobs.txt --only "
        "addresses,jobs\tAdvise on addresses for the tables that 'slimfly "
        "route --jobs' wrote.\n",
    .options = { options, cli_scheme_options, cli_lane_options,
                 cli_path_options, cli_thread_options, cli_guid_options,
                 cli_live_options, cli_folder_options, cli_progress_options },
    .run = run,
};
