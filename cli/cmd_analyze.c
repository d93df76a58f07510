/* cmd_analyze.c -- slimfly analyze: what the paths of routings are like, and
 * what throughput they allow. */
#define _GNU_SOURCE
#include "cli.h"
#include "kept.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPT_SCHEMES,
    OPT_LAYERS,
    OPT_TRAFFIC,
    OPT_SEEDS,
    OPT_SEED,
    OPT_REFERENCES,
    OPT_EQUAL_SPLIT,
    OPT_PATH_SETS,
    OPT_PER_HOST,
    OPT_MAX_HOPS,
    OPT_GAP,
    OPT_EXACT,
    OPT_WITHOUT_HOST_LINKS,
    OPT_FORMAT,
    OPT_OUTPUT,
    OPT_THREADS,
    OPT_TIMEOUT,
};

#define MAX_ROWS  400
#define MAX_WORDS 64

/* A list on the command line. */
struct words {
    char *text; /* The list with its commas replaced. */
    const char *items[MAX_WORDS];
    uint32_t n;
};

/* The whole question. */
struct job {
    struct sf_comparison_params params;
    struct sf_fabric *fabric;
    struct sf_graph *graph;
    uint32_t *link_ports, *n_hosts;
    struct sf_layers **given; /* Of tables. */
    uint32_t n_given;
    struct words schemes, traffics;
    uint32_t layers[MAX_WORDS], n_layer_counts;
    uint32_t n_path_sets;
    struct sf_comparison_row *rows; /* [MAX_ROWS] */
    struct cli_kept kept;           /* What is finished. */
};

static const char *
format_choice(size_t i)
{
    return sf_comparison_files[i].format;
}

/* The traffic of the paper: three loads. */
static const char *const paper_traffics[] = { "adversarial:load=0.1",
                                              "adversarial:load=0.5",
                                              "adversarial:load=0.9" };

static bool
add_word(struct words *words, const char *word, const char *option)
{
    if (words->n == MAX_WORDS) {
        cli_fail("analyze: --%s: expected at most %d", option, MAX_WORDS);
        return false;
    }
    if (!*word) {
        cli_fail("analyze: --%s: expected words with a comma between, found "
                 "an empty one",
                 option);
        return false;
    }
    words->items[words->n++] = word;
    return true;
}

/* Splits a list at its commas.  With 'has_keys', KEY=VALUE goes on with the
 * word before: "adversarial:load=0.5,ratio=10,permutation" are two. */
static bool
split(const char *list, bool has_keys, const char *option, struct words *words)
{
    words->text = strdup(list);
    if (!words->text) {
        cli_fail("out of memory");
        return false;
    }
    for (char *word = words->text; word;) {
        char *end = strchr(word, ',');
        while (end && has_keys && strchr(word, ':')) {
            size_t length = strcspn(end + 1, ",:=");
            if (end[1 + length] != '=') {
                break;
            }
            end = strchr(end + 1, ',');
        }
        if (end) {
            *end = '\0';
        }
        if (!add_word(words, word, option)) {
            return false;
        }
        word = end ? end + 1 : NULL;
    }
    return true;
}

static bool
read_layers(const char *list, struct job *job)
{
    struct words words = { 0 };
    bool is_fine = split(list, false, "layers", &words);

    for (uint32_t i = 0; is_fine && i < words.n; i++) {
        char *end;
        unsigned long n = strtoul(words.items[i], &end, 10);
        is_fine = words.items[i][0] >= '0' && words.items[i][0] <= '9' &&
                  !*end && n >= 1 && n <= SF_MAX_LAYERS;
        if (!is_fine) {
            cli_fail("analyze: --layers '%s': expected whole numbers from 1 "
                     "to %d, as in 1,2,4,8",
                     words.items[i], SF_MAX_LAYERS);
        }
        job->layers[job->n_layer_counts++] = (uint32_t)n;
    }
    free(words.text);
    return is_fine;
}

/* Puts the traffics of the paper where that word stands. */
static bool
read_traffics(const char *list, struct job *job)
{
    struct words words = { 0 };
    bool is_fine = split(list, true, "traffic", &words);

    for (uint32_t i = 0; is_fine && i < words.n; i++) {
        bool is_paper = !strcmp(words.items[i], "paper");
        for (uint32_t k = 0; is_fine && k < (is_paper ? 3 : 1); k++) {
            is_fine = add_word(&job->traffics,
                               is_paper ? paper_traffics[k] : words.items[i],
                               "traffic");
        }
    }
    job->traffics.text = words.text;
    return is_fine;
}

static bool
read_options(const struct cli_args *args, struct job *job, uint32_t *timeoutp)
{
    struct sf_comparison_params *params = &job->params;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    const char *layers = args->values[OPT_LAYERS];

    params->n_seeds = 1;
    params->seed = 1;
    params->n_threads = n_cores > 1 ? (uint32_t)n_cores : 1;
    params->equal_split = args->values[OPT_EQUAL_SPLIT] != NULL;
    params->without_host_links = args->values[OPT_WITHOUT_HOST_LINKS] != NULL;
    params->effort =
        args->values[OPT_EXACT] ? SF_EFFORT_EXACT : SF_EFFORT_AUTO;
    *timeoutp = 60;
    if (!args->values[OPT_TRAFFIC] &&
        (args->values[OPT_REFERENCES] || args->values[OPT_EQUAL_SPLIT] ||
         args->values[OPT_EXACT] || args->values[OPT_GAP] ||
         args->values[OPT_WITHOUT_HOST_LINKS])) {
        cli_fail("analyze: --references, --equal-split, --exact, --gap and "
                 "--without-host-links are about throughput: expected "
                 "--traffic LIST too");
        return false;
    }
    return (!args->values[OPT_SCHEMES] ||
            split(args->values[OPT_SCHEMES], false, "schemes",
                  &job->schemes)) &&
           read_layers(layers ? layers : "4", job) &&
           (!args->values[OPT_TRAFFIC] ||
            read_traffics(args->values[OPT_TRAFFIC], job)) &&
           cli_number(args, OPT_SEEDS, 1, 10000, &params->n_seeds) &&
           cli_number(args, OPT_MAX_HOPS, 1, 64, &params->max_hops) &&
           cli_path_sets(args, OPT_PATH_SETS, OPT_PER_HOST,
                         &job->n_path_sets) &&
           cli_number(args, OPT_THREADS, 1, 1024, &params->n_threads) &&
           cli_number(args, OPT_TIMEOUT, 1, 86400, timeoutp) &&
           cli_real(args, OPT_GAP, 1e-6, 1, &params->gap) &&
           cli_seed(args, OPT_SEED, &params->seed);
}

/* Reads the tables that 'word' names; '*tablesp' is NULL if it names none. */
static enum sf_status
read_tables(const struct job *job, const char *word, unsigned timeout,
            struct sf_tables **tablesp, struct sf_error *err)
{
    struct sf_sl2vl *sl2vl = NULL;
    enum sf_status status = SF_OK;

    *tablesp = NULL;
    if (sf_is_live(word)) {
        status =
            sf_live_tables(word, job->fabric, timeout, tablesp, &sl2vl, err);
        sf_sl2vl_free(sl2vl);
    } else if (cli_is_file(word)) {
        status = sf_tables_read(word, job->fabric, tablesp, err);
    } else {
        char *path = cli_find_in_folder(word, CLI_TABLES_FILE);
        if (path) {
            status = sf_tables_read(path, job->fabric, tablesp, err);
        }
        free(path);
    }
    return status;
}

/* Reads tables, if there are some, and turns them back into layers. */
static bool
load_tables(const struct cli_args *args, struct job *job, unsigned timeout)
{
    const char *word = args->words[args->n_words - 1];
    struct sf_tables *tables = NULL;
    struct sf_error err = { 0 };
    enum sf_status status = SF_OK;

    /* A file that is alone is the fabric. */
    if (args->n_words == 2 || !cli_is_file(word)) {
        status = read_tables(job, word, timeout, &tables, &err);
    }
    if (status == SF_OK && tables) {
        status =
            sf_layers_from_tables(job->fabric, job->graph, job->link_ports,
                                  tables, &job->given, &job->n_given, &err);
        if (status != SF_OK) {
            sf_error_add_context(&err, word);
        }
    }
    sf_tables_free(tables);
    if (status != SF_OK) {
        cli_fail("%s", err.text);
    } else if (args->n_words == 2 && !job->given) {
        cli_fail("analyze: '%s': expected tables, a file or a folder with %s",
                 word, CLI_TABLES_FILE);
        return false;
    }
    return status == SF_OK;
}

static bool
add_row(struct job *job, const struct sf_comparison_row *row)
{
    if (job->params.n_rows == MAX_ROWS) {
        cli_fail("analyze: more than %d routings at once", MAX_ROWS);
        return false;
    }
    job->rows[job->params.n_rows++] = *row;
    return true;
}

/* The rows of schemes, by scheme and then by layers. */
static bool
add_schemes(struct job *job)
{
    struct sf_error err;
    bool is_fine = true;

    for (uint32_t i = 0; is_fine && i < job->schemes.n; i++) {
        for (uint32_t k = 0; is_fine && k < job->n_layer_counts; k++) {
            struct sf_comparison_row row;
            if (sf_comparison_row_parse(job->schemes.items[i], job->layers[k],
                                        &row, &err) != SF_OK) {
                cli_fail("analyze: --schemes: %s", err.text);
                return false;
            }
            if (row.n_path_sets == 0) {
                row.n_path_sets = job->n_path_sets;
            }
            row.layers.max_hops = job->params.max_hops;
            is_fine = add_row(job, &row);
        }
    }
    return is_fine;
}

static const struct {
    const char *name;
    enum sf_throughput_mode mode;
} references[] = {
    { "free", SF_THROUGHPUT_FREE },
    { "trees", SF_THROUGHPUT_TREES },
    { "hops", SF_THROUGHPUT_HOPS },
    { "any", SF_THROUGHPUT_ANY },
};

/* Adds a row, or one for each number of layers. */
static bool
add_reference(struct job *job, const char *word)
{
    struct sf_comparison_row row;
    size_t i = 0;

    while (i < sizeof references / sizeof *references &&
           strcmp(references[i].name, word) != 0) {
        i++;
    }
    if (i == sizeof references / sizeof *references) {
        cli_fail("analyze: --references '%s': expected free, trees, hops, any "
                 "or none",
                 word);
        return false;
    }
    if (references[i].mode == SF_THROUGHPUT_TREES &&
        job->params.max_hops != 3) {
        cli_fail("analyze: --references trees: known for diameter 2 and paths "
                 "of at most 3 hops, not %u",
                 job->params.max_hops);
        return false;
    }
    bool by_layers = sf_throughput_counts_paths(references[i].mode);
    bool is_fine = true;
    for (uint32_t k = 0; is_fine && k < (by_layers ? job->n_layer_counts : 1);
         k++) {
        sf_comparison_row_reference(references[i].mode, job->layers[k],
                                    job->params.max_hops, &row);
        is_fine = add_row(job, &row);
    }
    return is_fine;
}

static bool
add_references(const struct cli_args *args, struct job *job)
{
    const char *list = args->values[OPT_REFERENCES];
    struct words words = { 0 };
    struct sf_error err;

    if (!job->traffics.n || (list && !strcmp(list, "none"))) {
        return true;
    }
    if (!job->params.max_hops &&
        sf_comparison_hops(job->graph, &job->params.max_hops, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    bool is_fine =
        split(list ? list : "hops,any", false, "references", &words);
    for (uint32_t i = 0; is_fine && i < words.n; i++) {
        is_fine = add_reference(job, words.items[i]);
    }
    free(words.text);
    return is_fine;
}

/* Makes the rows: the tables if there are some, the schemes that are asked
 * for, the default if there is neither, and what to compare with. */
static bool
make_rows(const struct cli_args *args, struct job *job)
{
    job->rows = calloc(MAX_ROWS, sizeof *job->rows);
    if (!job->rows) {
        cli_fail("out of memory");
        return false;
    }
    job->params.rows = job->rows;
    if (job->given && !job->schemes.n && job->n_path_sets > 1) {
        cli_fail("analyze: --path-sets and --per-host are for --schemes; "
                 "tables have the paths that they have");
        return false;
    }
    if (job->given) {
        struct sf_comparison_row row = { .label = "tables",
                                         .n_layers = job->given[0]->n_layers,
                                         .given = job->given,
                                         .n_given = job->n_given };
        add_row(job, &row);
    } else if (!job->schemes.n) {
        job->schemes.items[job->schemes.n++] = sf_layer_schemes[0]->name;
        if (sf_is_fat_tree(job->graph, job->n_hosts)) {
            job->schemes.items[job->schemes.n++] = "ftree";
        }
    }
    return add_schemes(job) && add_references(args, job);
}

/* Loads the fabric and, if there are, the tables. */
static bool
load(const struct cli_args *args, struct job *job, unsigned timeout)
{
    struct sf_error err;

    job->fabric = cli_load_fabric(args->words[0], timeout);
    if (!job->fabric) {
        return false;
    }
    if (sf_fabric_graph(job->fabric, &job->graph, &job->link_ports, &err) !=
        SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    job->n_hosts = calloc(job->fabric->n_switches + 1, sizeof *job->n_hosts);
    if (!job->n_hosts) {
        cli_fail("out of memory");
        return false;
    }
    sf_fabric_count_hosts(job->fabric, job->n_hosts);
    return load_tables(args, job, timeout);
}

/* A file of the table and what is to go into it. */
struct writing {
    const struct sf_comparison_file *file;
    const struct sf_comparison *comparison;
};

static enum sf_status
write_one(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct writing *writing = aux;
    return writing->file->write(writing->comparison, stream, err);
}

/* Writes the files, if there is a folder, and what was asked for to standard
 * output. */
static int
write_all(const struct cli_args *args, const struct sf_comparison *comparison)
{
    const char *folder = args->values[OPT_OUTPUT];
    const char *format = args->values[OPT_FORMAT];
    struct sf_error err;
    int code = CLI_FINE;

    cli_begin_files();
    for (size_t i = 0;
         folder && code == CLI_FINE && sf_comparison_files[i].name; i++) {
        struct writing writing = { &sf_comparison_files[i], comparison };
        if (comparison->params.n_traffics || !writing.file->needs_throughput) {
            code = cli_write_file(folder, writing.file->name, write_one,
                                  &writing);
        }
    }
    code = cli_end_files(code);
    for (size_t i = 0; code == CLI_FINE && sf_comparison_files[i].format;
         i++) {
        const struct sf_comparison_file *file = &sf_comparison_files[i];
        if (!strcmp(file->format, format ? format : "text") &&
            file->write(comparison, stdout, &err) != SF_OK) {
            code = cli_fail("%s", err.text);
        }
    }
    return code;
}

static int
compare(const struct cli_args *args, struct job *job)
{
    struct sf_comparison *comparison;
    struct sf_error err = { 0 };

    job->params.name = args->words[0];
    job->params.fabric = job->fabric;
    job->params.graph = job->graph;
    job->params.n_hosts = job->n_hosts;
    job->params.n_traffics = job->traffics.n;
    job->params.traffics = job->traffics.items;
    job->params.progress = cli_progress();
    if (sf_comparison_build(&job->params, &comparison, &err) != SF_OK) {
        return cli_fail("analyze: %s", err.text);
    }
    int code = write_all(args, comparison);
    for (uint32_t i = 0; code == CLI_FINE && i < job->params.n_rows; i++) {
        const struct sf_path_metrics *metrics = comparison->results[i].metrics;
        if (metrics && metrics->n_incomplete) {
            code = CLI_FINDINGS;
        }
    }
    sf_comparison_free(comparison);
    return code;
}

static void
free_job(struct job *job)
{
    cli_kept_clear(&job->kept);
    free(job->rows);
    free(job->traffics.text);
    free(job->schemes.text);
    sf_layers_free_variants(job->given, job->n_given);
    free(job->n_hosts);
    free(job->link_ports);
    sf_graph_free(job->graph);
    sf_fabric_free(job->fabric);
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
    struct job job = { 0 };
    uint32_t timeout;
    int code = CLI_ERROR;

    if (args->n_words < 1 || args->n_words > 2) {
        return cli_fail("analyze: expected a fabric and perhaps its tables; "
                        "found %zu words",
                        args->n_words);
    }
    if (read_options(args, &job, &timeout) && load(args, &job, timeout) &&
        make_rows(args, &job) &&
        (!args->values[OPT_OUTPUT] ||
         open_folder(args->values[OPT_OUTPUT], &job))) {
        code = compare(args, &job);
    }
    free_job(&job);
    return code;
}

const struct cli_command cli_command_analyze = {
    .name = "analyze",
    .arguments = "FABRIC [TABLES]",
    .summary = "path lengths, link loads, disjoint paths and throughput of "
               "routings",
    .description =
        "Measures routings of a fabric and sets them side by side: how long "
        "their paths are, how evenly these share the links, how many "
        "different paths a pair of switches has and how many of these share "
        "no link; and, with --traffic, the maximum achievable throughput: "
        "the largest factor that all demands of a traffic can have at once.\n"
        "\n"
        "FABRIC is what 'slimfly route' takes. TABLES is a folder with " CLI_TABLES_FILE
        ", a file like it, or the word live (or live:DEVICE:PORT), which reads them back from the "
        "switches; a FABRIC that is such a folder, or live, brings its own. "
        "Tables are one routing; others are made by --schemes, with each "
        "number of --layers. A scheme is gates, paper, minimal, rues with the "
        "share of links that a layer keeps, as in rues:0.6, or another one "
        "that 'slimfly help route' names. Without tables and --schemes, it is "
        "the scheme that 'slimfly route' uses, and ftree for a Fat Tree. Schemes "
        "are taken by "
        "themselves, free of what virtual lanes ask for: what 'slimfly route' "
        "makes with these is in its folder.\n"
        "\n"
        "A traffic is all-to-all, permutation, switch-permutation:distance=2, "
        "longest-matching, adversarial:load=0.5,elephants=1,ratio=10, or "
        "file:PATH with lines SOURCE,DESTINATION,AMOUNT of host names; the "
        "word paper stands for adversarial traffic of three loads. Demands "
        "are scaled so that 1 is what the links of hosts carry, but those of "
        "a file, where 1 is the rate of a link. Shares over the layers are "
        "chosen best; --equal-split adds what round robin over the layers "
        "reaches. --references says what to compare with: free, as many "
        "disjoint paths as there are layers, chosen for each pair by itself; "
        "trees, the same with no more paths than layers can have at best, for "
        "being trees; hops, all paths of at most the diameter and one more hops, or "
        "--max-hops; any, all paths; none.\n"
        "\n"
        "Linear programs are solved exactly where that takes seconds. Beyond, "
        "throughput is given as a lower bound that is reached, with the gap "
        "to an upper bound.\n"
        "\n"
        "With -o DIR, the tables go to DIR as text, JSON and CSV, with the "
        "figures path-lengths.svg, paths-per-link.svg, disjoint-paths.svg and "
        "throughput.svg. What is finished is kept in DIR/" CLI_KEPT_FOLDER
        ": the same command goes on where it was interrupted.\n"
        "\n"
        "The exit code is 1 if some paths do not arrive.",
    .examples =
        "slimfly analyze sf:q=5 --traffic all-to-all\tFour layers of the "
        "usual scheme.\n"
        "slimfly analyze sf:q=5 -s minimal,paper,rues:0.6,fatpaths,gates -l "
        "1,2,4,8 -t paper -n 10 -o out\tThe analysis of the Slim Fly "
        "paper.\n"
        "slimfly analyze tables --traffic permutation\tWhat 'slimfly route' "
        "wrote.\n",
    .options = {
        [OPT_SCHEMES] = { "schemes", 's', "LIST",
                          "routings to make, separated by commas", NULL },
        [OPT_LAYERS] = { "layers", 'l', "LIST",
                         "numbers of layers, separated by commas (4)", NULL },
        [OPT_TRAFFIC] = { "traffic", 't', "LIST",
                          "traffics, separated by commas (none)", NULL },
        [OPT_SEEDS] = { "seeds", 'n', "N",
                        "so many seeds, for layers and traffic (1)", NULL },
        [OPT_SEED] = { "seed", 0, "N", "the first of them (1)", NULL },
        [OPT_REFERENCES] = { "references", 0, "LIST",
                             "what to compare throughput with: free, trees, "
                             "hops, any; none (hops,any)",
                             NULL },
        [OPT_EQUAL_SPLIT] = { "equal-split", 0, NULL,
                              "also with the same share on every layer",
                              NULL },
        [OPT_PATH_SETS] = { "path-sets", 0, "N",
                            "sets of paths, among which the hosts of a switch "
                            "are dealt (1)",
                            NULL },
        [OPT_PER_HOST] = { "per-host", 0, NULL,
                           "as many: each host has paths of its own", NULL },
        [OPT_MAX_HOPS] = { "max-hops", 0, "N",
                           "longest path of schemes and references (by "
                           "scheme; diameter and one)",
                           NULL },
        [OPT_GAP] = { "gap", 0, "X",
                      "where bounds are found, how far they may be apart "
                      "(0.005)",
                      NULL },
        [OPT_EXACT] = { "exact", 0, NULL,
                        "no bounds, however long that takes", NULL },
        [OPT_WITHOUT_HOST_LINKS] = { "without-host-links", 0, NULL,
                                     "let hosts send as fast as they like",
                                     NULL },
        [OPT_FORMAT] = { "format", 'f', "FORMAT",
                         "how to write it to standard output (text)",
                         format_choice },
        [OPT_OUTPUT] = { "output", 'o', "DIR",
                         "write tables and figures into DIR, and go on from "
                         "what is there",
                         NULL },
        [OPT_THREADS] = { "threads", 0, "N", "threads (one a core)", NULL },
        [OPT_TIMEOUT] = { "timeout", 0, "SECONDS",
                          "end a live discovery after this long (60)", NULL },
    },
    .run = run,
};
