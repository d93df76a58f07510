/* cmd_analyze.c -- slimfly analyze: what the paths of routings are like, and
 * what throughput they allow. */
#include "cli.h"
#include "kept.h"
#include "result_output.h"
#include "routed.h"
#include "rows.h"
#include "shared_work.h"

#include <string.h>

enum {
    OPT_SCHEMES = CLI_OWN,
    OPT_TRAFFIC,
    OPT_SEEDS,
    OPT_REFERENCES,
    OPT_SPLIT,
    OPT_GAP,
    OPT_EXACT,
    OPT_WITHOUT_HOST_LINKS,
    OPT_WITHOUT_LANES,
};

/* The whole question. */
struct job {
    struct sf_comparison_params params;
    struct cli_routed routed;
    const char *traffics[CLI_MAX_LIST];
    struct cli_rows rows;
    struct cli_kept kept; /* What is finished. */
};

static const char *
format_choice(size_t i)
{
    return sf_comparison_files[i].format;
}

static const char *
split_choice(size_t i)
{
    return i < SF_N_SPLITS
               ? sf_comparison_split_name((enum sf_comparison_split)i)
               : NULL;
}

static const struct cli_option options[] = {
    { OPT_SCHEMES, "schemes", 's', CLI_SPECS, "LIST",
      .help = "schemes to compare, separated by commas",
      .otherwise = "the tables, or what 'slimfly route' would choose" },
    { OPT_LAYERS, "layers", 'l', CLI_NUMBERS, "LIST",
      .help = "numbers of layers, separated by commas", .min = 1,
      .max = SF_MAX_LAYERS, .value = "4" },
    { OPT_TRAFFIC, "traffic", 't', CLI_SPECS, "LIST",
      .help = "traffics, separated by commas", .otherwise = "none" },
    { OPT_REFERENCES, "references", 0, CLI_WORDS, "LIST",
      .help = "paths to compare throughput with, separated by commas",
      .choice = cli_reference_choice, .value = "hops,any" },
    { OPT_SEEDS, "seeds", 'n', CLI_NUMBER, "N",
      .help = "number of seeds for layers and traffic, from --seed on",
      .min = 1, .max = 10000, .value = "1" },
    { OPT_SPLIT, "split", 0, CLI_WORDS, "LIST",
      .help = "how demands are shared out over the layers, separated by "
              "commas",
      .choice = split_choice, .value = "best,equal" },
    { OPT_GAP, "gap", 0, CLI_REAL, "X",
      .help = "how far bounds of throughput may be apart", .min = 1e-6,
      .max = 1, .otherwise = "0.005" },
    { OPT_EXACT, "exact", 0, CLI_FLAG,
      .help = "compute exactly, however long that takes" },
    { OPT_WITHOUT_HOST_LINKS, "without-host-links", 0, CLI_FLAG,
      .help = "let hosts send as fast as they like" },
    { OPT_WITHOUT_LANES, "without-lanes", 0, CLI_FLAG,
      .help = "measure paths that obey no lanes" },
    CLI_FORMAT(format_choice),
    { 0 },
};

/* Puts three loads where the word "paper" stands. */
static bool
read_traffics(const struct cli_list *list, struct job *job)
{
    static const char *const paper[] = { "adversarial:load=0.1",
                                         "adversarial:load=0.5",
                                         "adversarial:load=0.9" };

    for (uint32_t i = 0; list && i < list->n; i++) {
        bool is_paper = !strcmp(list->items[i], "paper");
        for (uint32_t k = 0; k < (is_paper ? 3 : 1); k++) {
            if (job->params.n_traffics == CLI_MAX_LIST) {
                cli_fail("analyze: --traffic: expected at most %d",
                         CLI_MAX_LIST);
                return false;
            }
            job->traffics[job->params.n_traffics++] =
                is_paper ? paper[k] : list->items[i];
        }
    }
    return true;
}

/* Options about throughput need traffic. */
static bool
check_options(const struct cli_args *args)
{
    static const int about_throughput[] = { OPT_REFERENCES, OPT_SPLIT,
                                            OPT_EXACT, OPT_GAP,
                                            OPT_WITHOUT_HOST_LINKS };

    for (size_t i = 0; i < sizeof about_throughput / sizeof *about_throughput;
         i++) {
        int id = about_throughput[i];
        if (cli_has(args, id) && !cli_has(args, OPT_TRAFFIC)) {
            cli_fail("analyze: --%s is about throughput: expected --traffic "
                     "LIST too",
                     cli_name(args, id));
            return false;
        }
    }
    return true;
}

/* Leaves out the splits that are not asked for. */
static void
read_splits(const struct cli_list *list, bool without[SF_N_SPLITS])
{
    for (int i = 0; i < SF_N_SPLITS; i++) {
        without[i] = true;
        for (uint32_t k = 0; k < list->n; k++) {
            if (!strcmp(list->items[k], split_choice((size_t)i))) {
                without[i] = false;
            }
        }
    }
}

static bool
read_options(const struct cli_args *args, struct job *job)
{
    struct sf_comparison_params *params = &job->params;

    params->origin = cli_origin(args);
    params->n_seeds = cli_number(args, OPT_SEEDS);
    params->seed = cli_seed(args, OPT_SEED);
    params->n_threads = cli_threads(args);
    params->max_hops = cli_number(args, OPT_MAX_HOPS);
    params->gap = cli_real(args, OPT_GAP);
    read_splits(cli_list(args, OPT_SPLIT), params->without);
    params->without_host_links = cli_has(args, OPT_WITHOUT_HOST_LINKS);
    params->effort =
        cli_has(args, OPT_EXACT) ? SF_EFFORT_EXACT : SF_EFFORT_AUTO;
    job->rows.layers = cli_list(args, OPT_LAYERS);
    return check_options(args) &&
           read_traffics(cli_list(args, OPT_TRAFFIC), job) &&
           cli_read_lanes(args, cli_has(args, OPT_WITHOUT_LANES),
                          &job->rows.routing) &&
           cli_path_sets(args, &job->rows.routing.n_path_sets);
}

static bool
add_references(const struct cli_args *args, struct job *job)
{
    const struct cli_list *list = cli_list(args, OPT_REFERENCES);
    struct sf_error err;
    bool is_fine = true;

    if (!job->params.n_traffics || cli_is(args, OPT_REFERENCES, "none")) {
        return true;
    }
    if (!job->params.max_hops &&
        sf_comparison_hops(job->routed.network->graph, &job->params.max_hops,
                           &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    for (uint32_t i = 0; is_fine && i < list->n; i++) {
        is_fine = cli_rows_add_reference(&job->rows, list->items[i],
                                         job->params.max_hops);
    }
    return is_fine;
}

/* Adds the schemes that are asked for; the default, if there are neither such
 * nor tables. */
static bool
add_schemes(const struct cli_args *args, struct job *job)
{
    const struct cli_list *list = cli_list(args, OPT_SCHEMES);
    uint32_t max_hops = job->params.max_hops;
    bool is_fine = true;

    if (!list && !job->routed.given) {
        const struct sf_layer_scheme *made_for;
        struct sf_error err;
        if (sf_layer_scheme_made_for(job->routed.network, &made_for, &err) !=
            SF_OK) {
            cli_fail("%s", err.text);
            return false;
        }
        return cli_rows_add_scheme(
            &job->rows, (made_for ? made_for : sf_layer_schemes[0])->name,
            true, max_hops);
    }
    for (uint32_t i = 0; list && is_fine && i < list->n; i++) {
        is_fine =
            cli_rows_add_scheme(&job->rows, list->items[i], false, max_hops);
    }
    return is_fine;
}

/* Makes the rows: the tables if there are some, schemes, and references. */
static bool
make_rows(const struct cli_args *args, struct job *job)
{
    if (job->routed.given && !cli_has(args, OPT_SCHEMES) &&
        job->rows.routing.n_path_sets > 1) {
        cli_fail("analyze: --path-sets and --per-host are for --schemes; the "
                 "paths of tables are given");
        return false;
    }
    bool is_fine = (!job->routed.given ||
                    cli_rows_add_tables(&job->rows, job->routed.given)) &&
                   add_schemes(args, job) && add_references(args, job);
    job->params.rows = job->rows.rows;
    job->params.n_rows = job->rows.n;
    return is_fine;
}

static const char *
file_name(size_t i)
{
    return sf_comparison_files[i].name;
}

static bool
has_file(const void *of, size_t i)
{
    const struct sf_comparison *comparison = of;
    return comparison->params.n_traffics ||
           !sf_comparison_files[i].needs_throughput;
}

static enum sf_status
write_file(const void *of, size_t i, FILE *stream, struct sf_error *err)
{
    return sf_comparison_files[i].write(of, stream, err);
}

static int
compare(const struct cli_args *args, struct job *job)
{
    struct sf_comparison *comparison;
    struct sf_error err = { 0 };

    job->params.name = args->words[0];
    job->params.network = job->routed.network;
    job->params.traffics = job->traffics;
    enum sf_status status =
        sf_comparison_build(&job->params, &comparison, &err);
    if (status != SF_OK) {
        bool is_for_lanes =
            status == SF_ELANES ||
            (status == SF_EUNREACHABLE &&
             sf_graph_is_connected(job->params.network->graph));
        return cli_fail("analyze: %s%s", err.text,
                        is_for_lanes
                            ? "; --without-lanes measures its paths all the "
                              "same"
                            : "");
    }
    struct cli_results results = { comparison,
                                   file_name,
                                   format_choice,
                                   has_file,
                                   write_file,
                                   &comparison->params.figure,
                                   job->params.store ? &job->kept : NULL };
    int code = cli_write_results(args, &results);
    for (uint32_t i = 0; code == CLI_FINE && i < job->params.n_rows; i++) {
        const struct sf_path_metrics *metrics = comparison->results[i].metrics;
        if (metrics && metrics->n_incomplete) {
            code = CLI_FINDINGS;
        }
    }
    sf_comparison_free(comparison);
    return code;
}

/* Makes the folder of --output and finds again what an earlier run has
 * finished. */
static bool
open_folder(const char *folder, struct job *job)
{
    job->params.store = &job->kept.store;
    return cli_make_folder(folder) == CLI_FINE &&
           cli_kept_open(&job->kept, folder);
}

static int
run(const struct cli_args *args)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct job job = { 0 };
    int code = CLI_ERROR;

    if (args->n_words < 1 || args->n_words > 2) {
        return cli_fail("analyze: expected a fabric and perhaps its tables; "
                        "found %zu words",
                        args->n_words);
    }
    if (cli_share_check(args) && cli_read_figure(args, NULL) &&
        read_options(args, &job) && cli_routed_load(&job.routed, args) &&
        make_rows(args, &job) && (!folder || open_folder(folder, &job))) {
        code = compare(args, &job);
    }
    cli_kept_clear(&job.kept);
    cli_rows_clear(&job.rows);
    cli_routed_clear(&job.routed);
    return code;
}

const struct cli_command cli_command_analyze = {
    .name = "analyze",
    .group = CLI_STUDY,
    .arguments = "FABRIC [TABLES]",
    .summary = "path lengths, link loads, disjoint paths and throughput of "
               "routings",
    .description =
        "Measures routings of a fabric and sets them side by side: how long "
        "their paths are, and how evenly the paths share the links. It also "
        "counts the different paths of each pair of switches, and how many of "
        "these share no link. With --traffic, it also computes the maximum "
        "achievable throughput: the largest factor that all demands of a "
        "traffic can have at once.\n"
        "\n" CLI_FABRIC_IS " TABLES is a folder with " CLI_TABLES_FILE
        ", a file like it, or live. With live, the tables are read back from "
        "the switches. If FABRIC is such a folder, or live, TABLES may be "
        "left out. Tables are one routing. --schemes makes others, each with "
        "every number of --layers. A scheme is one that 'slimfly route "
        "--list' explains, perhaps with settings, as in rues:0.6. Without "
        "tables and --schemes, the default scheme of 'slimfly route' is "
        "measured: ftree for Fat Trees, else gates. Schemes are routed as "
        "'slimfly route' would route them, with virtual lanes that prevent "
        "deadlock. --without-lanes measures paths that obey no lanes: no "
        "network can run them safely. The column of lanes says which holds.\n"
        "\n"
        "A traffic is all-to-all, permutation, switch-permutation:distance=2, "
        "longest-matching, adversarial:load=0.5,elephants=1,ratio=10, or "
        "file:PATH with lines SOURCE,DESTINATION,AMOUNT of host names. The "
        "word paper stands for adversarial traffic of three loads. Demands "
        "are scaled so that 1 is what the links of hosts carry. In a file, 1 "
        "is the rate of a link. Throughput is measured twice. With equal "
        "shares, every layer carries the same part of a demand: that is what "
        "hosts do that take their addresses in turn. With the best shares, "
        "each demand is shared out as the traffic needs it: no routing of "
        "these paths can do more. --split leaves one of them out.\n"
        "\n"
        "--references names paths to compare with. free is as many disjoint "
        "paths as there are layers, chosen for each pair by itself. trees is "
        "free with no more paths than layers can have at best, because the "
        "paths of a layer to a destination form a tree. hops is all paths of "
        "at most --max-hops hops, or, without --max-hops, one more than the "
        "diameter. any is all paths. none adds nothing to compare with.\n"
        "\n"
        "Linear programs are solved exactly where that takes seconds. For "
        "larger ones, throughput is a lower bound that is reached, with the "
        "gap to an upper bound.\n"
        "\n"
        "With --output DIR, the results go to DIR as text, JSON and CSV, with "
        "the figures path-lengths.svg, paths-per-link.svg, disjoint-paths.svg "
        "and throughput.svg. " CLI_FIGURE_IS " Finished measurements are kept "
        "in DIR/" CLI_KEPT_FOLDER ", and the same command goes on where it "
        "was interrupted. Several processes of the same command share the "
        "measurements out, on one machine or on many that see DIR. Of those "
        "that mpirun or srun "
        "starts together, one prints the results.\n"
        "\n"
        "The exit code is 1 if some paths do not arrive.",
    .examples =
        "slimfly analyze sf:q=5 --traffic all-to-all\tMeasure four layers of "
        "the default scheme.\n"
        "slimfly analyze sf:q=5 -s minimal,paper,rues:0.6,fatpaths,gates -l "
        "1,2,4,8 -t paper -n 10 -o out\tRun the analysis of the Slim Fly "
        "paper.\n"
        "slimfly analyze tables --traffic permutation\tMeasure what 'slimfly "
        "route' wrote.\n",
    .options = { options, cli_lane_options, cli_path_options, cli_work_options,
                 cli_thread_options, cli_share_options, cli_live_options,
                 cli_folder_options, cli_figure_options,
                 cli_progress_options },
    .run = run,
};
