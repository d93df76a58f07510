/* groups.c -- options that several commands share, and what these make of
 * them. */
#define _GNU_SOURCE
#include "cli.h"
#include "shared_work.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

const char *
cli_text_or_json(size_t i)
{
    static const char *const formats[] = { "text", "json", NULL };
    return formats[i];
}

const struct cli_option cli_file_options[] = {
    { OPT_OUTPUT, "output", 'o', CLI_FILE, "FILE",
      .help = "write the output to FILE", .otherwise = "standard output" },
    { 0 },
};

const struct cli_option cli_folder_options[] = {
    { OPT_OUTPUT, "output", 'o', CLI_FOLDER, "DIR",
      .help = "write the files into the folder DIR" },
    { 0 },
};

const struct cli_option cli_live_options[] = {
    CLI_TIMEOUT("60"),
    { 0 },
};

const struct cli_option cli_guid_options[] = {
    { OPT_GUIDS, "guids", 'g', CLI_FILE, "FILE",
      .help = "map of real GUIDs to planned names, as in guids.map" },
    { 0 },
};

const struct cli_option cli_port_options[] = {
    { OPT_PORT_NAMES, "port-names", 0, CLI_TEXT, "RULE",
      .help = "names of the ports of switches, such as swp%d or "
              "Ethernet%d:first=0,step=4; others that a port also goes by "
              "follow after '|'" },
    { OPT_HOST_PORT_NAMES, "host-port-names", 0, CLI_TEXT, "RULE",
      .help = "names of the ports of hosts, such as eth%d:first=0" },
    { 0 },
};

bool
cli_port_names(const struct cli_args *args,
               struct sf_port_names names[SF_N_NODE_KINDS])
{
    static const int ids[SF_N_NODE_KINDS] = {
        [SF_NODE_SWITCH] = OPT_PORT_NAMES,
        [SF_NODE_HOST] = OPT_HOST_PORT_NAMES,
    };
    struct sf_error err;

    for (int kind = 0; kind < SF_N_NODE_KINDS; kind++) {
        const char *rule = cli_text(args, ids[kind]);
        if (rule && sf_port_names_parse(rule, &names[kind], &err) != SF_OK) {
            cli_fail("%s: --%s: %s", args->command->name,
                     cli_name(args, ids[kind]), err.text);
            return false;
        }
    }
    return true;
}

static const struct {
    const char *name;
    unsigned sources;
} identities[] = {
    { "auto", 0 },
    { "map", SF_IDENTITY_MAP },
    { "guid", SF_IDENTITY_MAP | SF_IDENTITY_GUID },
    { "name", SF_IDENTITY_NAME },
    { "structure", SF_IDENTITY_STRUCTURE },
};

static const char *
identity_choice(size_t i)
{
    return i < sizeof identities / sizeof *identities ? identities[i].name
                                                      : NULL;
}

const struct cli_option cli_node_options[] = {
    { OPT_IDENTITY, "identity", 'i', CLI_CHOICE, "HOW",
      .help = "how switches and hosts are recognized",
      .choice = identity_choice, .value = "auto" },
    { OPT_IGNORE_RATES, "ignore-rates", 0, CLI_FLAG,
      .help = "do not compare the width and speed of links" },
    { OPT_SKIP_HOSTS, "skip-hosts", 0, CLI_FLAG,
      .help = "leave hosts and their cables out" },
    { 0 },
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

static const char *
guarantee_choice(size_t i)
{
    return i == 0   ? sf_guarantee_name(SF_ANY_SL)
           : i == 1 ? sf_guarantee_name(SF_PATH_SL)
                    : NULL;
}

enum sf_guarantee
cli_guarantee(const struct cli_args *args)
{
    const char *name = cli_text(args, OPT_GUARANTEE);
    return name ? sf_guarantee_find(name) : SF_DEFAULT_GUARANTEE;
}

const struct cli_option cli_scheme_options[] = {
    { OPT_SCHEME, "scheme", 's', CLI_SPEC, "SCHEME",
      .help = "how paths are chosen", .choice = scheme_choice,
      .otherwise = "ftree for Fat Trees, else gates; where lanes are too "
                   "few, ordered" },
    { OPT_LAYERS, "layers", 'l', CLI_NUMBER, "N", .help = "number of layers",
      .min = 1, .max = SF_MAX_LAYERS, .value = "4" },
    { 0 },
};

const struct cli_option cli_lane_options[] = {
    { OPT_LANES, "lanes", 0, CLI_SPEC, "SCHEME",
      .help = "how virtual lanes prevent deadlock", .choice = lanes_choice,
      .otherwise = "single for Fat Trees, untangle where faults need more, "
                   "else turns" },
    { OPT_GUARANTEE, "guarantee", 0, CLI_CHOICE, "GUARANTEE",
      .help = "nothing deadlocks on any service level (any-sl), or only if "
              "senders use that of each path (path-sl), which UCX and NCCL do "
              "not",
      .choice = guarantee_choice,
      .otherwise = "any-sl, unless SCHEME cannot give it" },
    { OPT_MAX_VLS, "max-vls", 0, CLI_NUMBER, "N",
      .help = "number of virtual lanes that may be used", .min = 1,
      .max = SF_MAX_VLS, .value = CLI_TEXT_OF(SF_DEFAULT_VLS) },
    { OPT_MAX_SLS, "max-sls", 0, CLI_NUMBER, "N",
      .help = "number of service levels that may be used", .min = 1,
      .max = SF_N_SLS, .value = CLI_TEXT_OF(SF_N_SLS) },
    { 0 },
};

const struct cli_option cli_path_options[] = {
    { OPT_PATH_SETS, "path-sets", 0, CLI_NUMBER, "N",
      .help = "number of path sets that the hosts of a switch are dealt among",
      .min = 1, .max = SF_MAX_PORTS, .otherwise = "1" },
    { OPT_MAX_HOPS, "max-hops", 0, CLI_NUMBER, "N",
      .help = "number of hops that a path may have", .min = 1, .max = 64,
      .otherwise = "as the scheme has it" },
    { OPT_SEED, "seed", 0, CLI_SEED, "N", .help = "seed of the random numbers",
      .value = "1" },
    { 0 },
};

const struct cli_option cli_work_options[] = {
    { OPT_PER_HOST, "per-host", 0, CLI_FLAG,
      .help = "give each host of a switch a path set of its own" },
    { 0 },
};

const struct cli_option cli_thread_options[] = {
    { OPT_THREADS, "threads", 'j', CLI_NUMBER, "N",
      .help = "number of threads; it does not change the result", .min = 1,
      .max = 1024, .otherwise = "one for each core" },
    { 0 },
};

const struct cli_option cli_share_options[] = {
    { OPT_SHARE, "share", 0, CLI_FLAG,
      .help = "for scripts of earlier versions: processes that mpirun or "
              "srun started share the work without it" },
    { OPT_ALONE, "alone", 0, CLI_FLAG,
      .help = "work for itself, also if mpirun or srun started several "
              "processes: each prints its results" },
    { 0 },
};

const char *const cli_progress_words[] = { "auto", "always", "never", NULL };

static const char *
progress_choice(size_t i)
{
    return cli_progress_words[i];
}

const struct cli_option cli_progress_options[] = {
    { OPT_PROGRESS, "progress", 0, CLI_CHOICE, "WHEN",
      .help = "say on standard error what is being done and how much time "
              "is left; auto: after 1 s on a terminal, after 10 s elsewhere",
      .choice = progress_choice, .value = "auto",
      .otherwise = "auto, or what SLIMFLY_PROGRESS says" },
    { 0 },
};

static const char *
figure_choice(size_t i)
{
    return i < SF_FIGURE_CSV ? sf_figure_format_name((unsigned)i) : NULL;
}

const struct cli_option cli_figure_options[] = {
    { OPT_FIGURE, "figure", 0, CLI_CHOICE, "FORM",
      .help = "draw figures for a paper, in place of those for screens, and "
              "write what they show as CSV beside them",
      .choice = figure_choice },
    { OPT_FIGURE_WIDTH, "figure-width", 0, CLI_REAL, "MM",
      .help = "width of a figure in millimetres: a column has about 84, a "
              "page 174",
      .min = SF_FIGURE_MIN_WIDTH, .max = SF_FIGURE_MAX_WIDTH,
      .value = CLI_TEXT_OF(SF_FIGURE_WIDTH) },
    { OPT_FIGURE_SIZE, "figure-size", 0, CLI_REAL, "POINTS",
      .help = "size of its text", .min = SF_FIGURE_MIN_SIZE,
      .max = SF_FIGURE_MAX_SIZE, .value = CLI_TEXT_OF(SF_FIGURE_SIZE) },
    { OPT_FIGURE_FONT, "figure-font", 0, CLI_TEXT, "LIST",
      .help = "fonts of its text, separated by commas; the first that is "
              "installed is taken",
      .value = SF_FIGURE_FONT },
    { 0 },
};

bool
cli_read_figure(const struct cli_args *args, struct sf_figure *figurep)
{
    static const int details[] = { OPT_FIGURE_WIDTH, OPT_FIGURE_SIZE,
                                   OPT_FIGURE_FONT };
    struct sf_error err;
    struct sf_figure figure = { .format = SF_N_FIGURE_FORMATS,
                                .width = cli_real(args, OPT_FIGURE_WIDTH),
                                .text_size = cli_real(args, OPT_FIGURE_SIZE),
                                .font = cli_text(args, OPT_FIGURE_FONT) };
    for (size_t i = 0; i < sizeof details / sizeof *details; i++) {
        if (cli_has(args, details[i]) && !cli_has(args, OPT_FIGURE)) {
            cli_fail("%s: --%s is about figures for a paper: expected "
                     "--figure pdf or svg too",
                     args->command->name, cli_name(args, details[i]));
            return false;
        }
    }
    for (unsigned i = 0; i < SF_FIGURE_CSV; i++) {
        if (cli_is(args, OPT_FIGURE, sf_figure_format_name(i))) {
            figure.format = i;
        }
    }
    if (figurep) {
        *figurep = figure;
    }
    if (!cli_has(args, OPT_FIGURE)) {
        return true;
    }
    if (!cli_text(args, OPT_OUTPUT) ||
        !strcmp(cli_text(args, OPT_OUTPUT), "-")) {
        cli_fail("%s: --figure writes several files: expected a folder for "
                 "them, --output DIR",
                 args->command->name);
        return false;
    }
    if (sf_figure_check(&figure, &err) != SF_OK) {
        cli_fail("%s: --figure %s: %s", args->command->name,
                 sf_figure_format_name(figure.format), err.text);
        return false;
    }
    return true;
}

bool
cli_path_sets(const struct cli_args *args, uint32_t *n_setsp)
{
    bool is_per_host = cli_has(args, OPT_PER_HOST);

    if (is_per_host && cli_has(args, OPT_PATH_SETS)) {
        cli_fail("%s: expected --path-sets or --per-host, found both",
                 args->command->name);
        return false;
    }
    *n_setsp = is_per_host ? SF_NONE : cli_number(args, OPT_PATH_SETS);
    return true;
}

bool
cli_read_lanes(const struct cli_args *args, bool is_without,
               struct sf_routing_params *routing)
{
    routing->lanes = cli_text(args, OPT_LANES);
    routing->guarantee = cli_guarantee(args);
    routing->max_vls = cli_number(args, OPT_MAX_VLS);
    routing->max_sls = cli_number(args, OPT_MAX_SLS);
    routing->without_lanes = is_without;
    if (is_without && cli_has(args, OPT_LANES)) {
        cli_fail("%s: expected --lanes or --without-lanes, found both",
                 args->command->name);
        return false;
    }
    return true;
}

uint32_t
cli_threads(const struct cli_args *args)
{
    if (cli_has(args, OPT_THREADS)) {
        return cli_number(args, OPT_THREADS);
    }
    /* Processes that were started together share the cores of a machine, and
     * each may be bound to some of them. */
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN) / (long)cli_share_n_here();
    cpu_set_t bound;
    if (sched_getaffinity(0, sizeof bound, &bound) == 0 &&
        CPU_COUNT(&bound) < n_cores) {
        n_cores = CPU_COUNT(&bound);
    }
    return n_cores > 1 ? (uint32_t)n_cores : 1;
}

bool
cli_verify_params(const struct cli_args *args, struct sf_verify_params *params,
                  struct sf_guid_map **mapp)
{
    const char *path = cli_text(args, OPT_GUIDS);

    *mapp = NULL;
    params->ignores_rates = cli_has(args, OPT_IGNORE_RATES);
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
        if (cli_is(args, OPT_IDENTITY, identities[i].name)) {
            params->sources = identities[i].sources;
        }
    }
    if (cli_is(args, OPT_IDENTITY, "map") && !path) {
        cli_fail("%s: --identity map needs a map, --guids FILE",
                 args->command->name);
        return false;
    }
    *mapp = path ? cli_load_guids(path) : NULL;
    params->map = *mapp;
    return !path || *mapp;
}
