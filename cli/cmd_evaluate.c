/* cmd_evaluate.c -- slimfly evaluate: the benchmarks of the paper on several
 * networks, and what it says beside what comes out. */
#include "cli.h"
#include "kept.h"
#include "result_output.h"
#include "shared_work.h"

#include <string.h>

enum {
    OPT_PAPER = CLI_OWN,
    OPT_NETWORKS,
    OPT_EQUAL,
    OPT_HOSTS,
    OPT_WORKLOAD,
    OPT_NODES,
    OPT_SIZES,
    OPT_ROUTINGS,
    OPT_QUEUES,
    OPT_SEEDS,
    OPT_PACKETS,
    OPT_NET,
    OPT_OVERHEAD,
    OPT_PRICES,
    OPT_QUICK,
};

static const char *
format_choice(size_t i)
{
    return sf_evaluation_files[i].format;
}

static const char *
equal_choice(size_t i)
{
    static const char *const words[] = { "hosts", "cost", NULL };
    return words[i];
}

static const char *
workload_choice(size_t i)
{
    return sf_eval_kinds[i].name;
}

static const char *
routing_choice(size_t i)
{
    return sf_eval_group_name(SF_EVAL_MINIMAL + (uint32_t)i);
}

static const char *
queues_choice(size_t i)
{
    return sf_sim_queues_name((uint32_t)i);
}

static const char *
net_choice(size_t i)
{
    return sf_sim_nets[i].name;
}

static const struct cli_option options[] = {
    { OPT_PAPER, "paper", 0, CLI_FLAG,
      .help = "the paper's evaluation: sf:q=5 against ft2:ports=36,leaf=12, "
              "200 hosts each" },
    { OPT_NETWORKS, "networks", 0, CLI_SPECS, "LIST",
      .help = "networks to compare, separated by commas; the first is the "
              "one that others are compared with" },
    { OPT_EQUAL, "equal", 0, CLI_CHOICE, "WHAT",
      .help = "what networks have in common: as many hosts; with cost, speeds "
              "are divided by cost as well",
      .choice = equal_choice, .value = "hosts" },
    { OPT_HOSTS, "hosts", 0, CLI_NUMBER, "N",
      .help = "number of hosts of each network", .min = 2, .max = 1e6,
      .otherwise = "200 with --paper, else those of the smallest network" },
    { OPT_WORKLOAD, "workload", 'w', CLI_WORDS, "LIST",
      .help = "benchmarks, separated by commas", .choice = workload_choice,
      .otherwise = "all with --paper, else alltoall,ebb" },
    { OPT_NODES, "nodes", 'n', CLI_NUMBERS, "LIST",
      .help = "numbers of nodes of jobs, separated by commas", .min = 2,
      .max = 1e6, .otherwise = "those of the paper" },
    { OPT_SIZES, "sizes", 0, CLI_SPECS, "LIST",
      .help = "bytes of messages, separated by commas; K and M stand for KiB "
              "and MiB",
      .otherwise = "powers of 2 in the range of the paper" },
    { OPT_ROUTINGS, "routings", 0, CLI_WORDS, "LIST",
      .help = "routings, separated by commas; Fat Trees have their own",
      .choice = routing_choice,
      .otherwise = "all with --paper, else minimal,gates" },
    { OPT_LAYERS, "layers", 'l', CLI_NUMBERS, "LIST",
      .help = "numbers of layers beside 1, separated by commas", .min = 2,
      .max = SF_MAX_LAYERS, .otherwise = "2,4,8 with --paper, else 4" },
    { OPT_QUEUES, "queues", 0, CLI_WORDS, "LIST",
      .help = "how packets wait in a switch, separated by commas",
      .choice = queues_choice, .otherwise = "voq,fifo" },
    { OPT_SEEDS, "seeds", 0, CLI_NUMBER, "N",
      .help = "number of seeds, from --seed on", .min = 1,
      .max = SF_EVAL_MAX_SEEDS, .otherwise = "3 with --paper, else 1" },
    { OPT_SEED, "seed", 0, CLI_SEED, "N", .help = "seed of the random numbers",
      .value = "1" },
    { OPT_PACKETS, "packets", 0, CLI_NUMBER, "N",
      .help = "most packets of a run; larger sizes are reckoned from smaller "
              "ones",
      .min = 1, .max = 1e9, .value = "200000" },
    { OPT_NET, "net", 0, CLI_CHOICE, "NET",
      .help = "rates, packets and delays of", .choice = net_choice,
      .value = "fdr" },
    { OPT_OVERHEAD, "overhead", 0, CLI_REAL, "US",
      .help = "microseconds that a host needs for each message", .min = 0,
      .max = 1e6, .value = "0.4" },
    { OPT_PRICES, "prices", 0, CLI_FILE, "FILE", .help = "prices",
      .otherwise = "prices.json" },
    { OPT_QUICK, "quick", 0, CLI_FLAG,
      .help =
          "a small part, in seconds: alltoall and ebb on 8 and 32 nodes, "
          "1 KiB and 64 KiB, 4 layers, one seed; other options add to it" },
    CLI_FORMAT(format_choice),
    { 0 },
};

/* Fills 'has' with which words of choice() the list of 'id' has. */
static void
read_words(const struct cli_args *args, int id, const char *(*choice)(size_t),
           bool *has)
{
    const struct cli_list *list = cli_list(args, id);

    for (size_t i = 0; list && choice(i); i++) {
        has[i] = false;
        for (uint32_t k = 0; k < list->n; k++) {
            has[i] = has[i] || !strcmp(list->items[k], choice(i));
        }
    }
}

/* Sets 'has' to the words of 'list', as if the user had given these. */
static void
set_words(const char *list, const char *(*choice)(size_t), bool *has)
{
    for (size_t i = 0; choice(i); i++) {
        has[i] = strstr(list, choice(i)) != NULL;
    }
}

static bool
read_sizes(const struct cli_args *args, struct sf_eval_params *params)
{
    const struct cli_list *list = cli_list(args, OPT_SIZES);

    params->n_sizes = list ? list->n : params->n_sizes;
    for (uint32_t i = 0; list && i < list->n; i++) {
        params->sizes[i] = sf_sim_size_read(list->items[i], NULL);
        if (params->sizes[i] == 0 ||
            (i > 0 && params->sizes[i] <= params->sizes[i - 1])) {
            cli_fail("evaluate: --sizes: expected growing numbers of bytes, "
                     "as 1,4K,1M, found '%s'",
                     list->items[i]);
            return false;
        }
    }
    return true;
}

static bool
read_numbers(const struct cli_args *args, int id, uint32_t max,
             uint32_t *numbers, uint32_t *np)
{
    const struct cli_list *list = cli_list(args, id);

    if (list && list->n > max) {
        cli_fail("evaluate: --%s: expected at most %u numbers, found %u",
                 cli_name(args, id), max, list->n);
        return false;
    }
    *np = list ? list->n : *np;
    for (uint32_t i = 0; list && i < list->n; i++) {
        numbers[i] = list->numbers[i];
        if (i > 0 && numbers[i] <= numbers[i - 1]) {
            cli_fail("evaluate: --%s: expected growing numbers, found %u "
                     "behind %u",
                     cli_name(args, id), numbers[i], numbers[i - 1]);
            return false;
        }
    }
    return true;
}

/* Less than the paper's, for other networks, which may be large. */
static void
set_smaller(const struct cli_args *args, struct sf_eval_params *params)
{
    const struct cli_list *list = cli_list(args, OPT_NETWORKS);

    if (list) {
        params->networks = list->items;
        params->n_networks = list->n;
        params->n_hosts = 0;
        params->is_paper = false;
    }
    if (list || cli_has(args, OPT_QUICK)) {
        params->n_seeds = 1;
        params->layers[0] = 4;
        params->n_layers = 1;
        set_words("alltoall,ebb", workload_choice, params->has_kind);
    }
    if (list) {
        set_words("minimal,gates", routing_choice,
                  params->has_group + SF_EVAL_MINIMAL);
    }
    if (cli_has(args, OPT_QUICK)) {
        params->nodes[0] = 8;
        params->nodes[1] = 32;
        params->n_nodes = 2;
        params->sizes[0] = 1024;
        params->sizes[1] = 65536;
        params->n_sizes = 2;
    }
}

static bool
read_params(const struct cli_args *args, struct sf_eval_params *params)
{
    sf_eval_params_paper(params);
    set_smaller(args, params);
    read_words(args, OPT_WORKLOAD, workload_choice, params->has_kind);
    read_words(args, OPT_ROUTINGS, routing_choice,
               params->has_group + SF_EVAL_MINIMAL);
    read_words(args, OPT_QUEUES, queues_choice, params->has_queues);
    params->seed = cli_seed(args, OPT_SEED);
    params->max_packets = cli_number(args, OPT_PACKETS);
    params->overhead = 1e-6 * cli_real(args, OPT_OVERHEAD);
    params->n_threads = cli_threads(args);
    params->equal = cli_is(args, OPT_EQUAL, "cost") ? SF_EVAL_EQUAL_COST
                                                    : SF_EVAL_EQUAL_HOSTS;
    if (cli_has(args, OPT_HOSTS)) {
        params->n_hosts = cli_number(args, OPT_HOSTS);
    }
    if (cli_has(args, OPT_SEEDS)) {
        params->n_seeds = cli_number(args, OPT_SEEDS);
    }
    for (size_t i = 0; sf_sim_nets[i].name; i++) {
        if (cli_is(args, OPT_NET, sf_sim_nets[i].name)) {
            params->net = sf_sim_nets[i];
        }
    }
    return read_sizes(args, params) &&
           read_numbers(args, OPT_NODES, SF_EVAL_MAX_NODES, params->nodes,
                        &params->n_nodes) &&
           read_numbers(args, OPT_LAYERS, SF_EVAL_MAX_LAYERS, params->layers,
                        &params->n_layers);
}

static bool
check_use(const struct cli_args *args)
{
    if (args->n_words) {
        cli_fail("evaluate: expected options only, found '%s'",
                 args->words[0]);
        return false;
    }
    if (cli_has(args, OPT_PAPER) == cli_has(args, OPT_NETWORKS)) {
        cli_fail("evaluate: expected either --paper or --networks, found %s",
                 cli_has(args, OPT_PAPER) ? "both" : "neither");
        return false;
    }
    return cli_share_check(args) && cli_read_figure(args, NULL);
}

static const char *
file_name(size_t i)
{
    return sf_evaluation_files[i].name;
}

static bool
has_file(const void *of, size_t i)
{
    const struct sf_evaluation_file *file = &sf_evaluation_files[i];
    return !file->has || file->has(of);
}

static enum sf_status
write_file(const void *of, size_t i, FILE *stream, struct sf_error *err)
{
    return sf_evaluation_files[i].write(of, stream, err);
}

static int
evaluate(const struct cli_args *args, const struct sf_eval_params *params)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct cli_kept kept = { 0 };
    struct sf_evaluation *ev;
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (sf_evaluation_build(params, &ev, &err) != SF_OK) {
        return cli_fail("evaluate: %s", err.text);
    }
    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        cli_share_note(args, sf_evaluation_kind_left_out(ev, k));
    }
    if (!folder || (cli_make_folder(folder) == CLI_FINE &&
                    cli_kept_open(&kept, folder))) {
        if (sf_evaluation_run(ev, folder ? &kept.evaluations : NULL, &err) !=
            SF_OK) {
            code = cli_fail("evaluate: %s", err.text);
        } else {
            struct sf_evaluation_report report = { cli_origin(args), ev,
                                                   NULL };
            struct cli_results results = {
                &report,    file_name,      format_choice,        has_file,
                write_file, &report.figure, folder ? &kept : NULL
            };
            code = cli_write_results(args, &results);
            code = code == CLI_FINE && sf_evaluation_n_deadlocks(ev)
                       ? CLI_FINDINGS
                       : code;
        }
    }
    cli_kept_clear(&kept);
    sf_evaluation_free(ev);
    return code;
}

static int
run(const struct cli_args *args)
{
    struct sf_eval_params params;
    struct sf_prices *prices;
    struct sf_error err = { 0 };
    const char *file = cli_text(args, OPT_PRICES);

    if (!check_use(args) || !read_params(args, &params)) {
        return CLI_ERROR;
    }
    enum sf_status status = file ? sf_prices_read(file, &prices, &err)
                                 : sf_prices_default(&prices, &err);
    if (status != SF_OK) {
        return cli_fail("%s", err.text);
    }
    params.prices = prices;
    int code = evaluate(args, &params);
    sf_prices_free(prices);
    return code;
}

const struct cli_command cli_command_evaluate = {
    .name = "evaluate",
    .group = CLI_STUDY,
    .arguments = "--paper | --networks LIST",
    .summary = "the paper's benchmarks on several networks, beside what it "
               "says",
    .description =
        "With --paper, runs the evaluation of the paper: a Slim Fly of 50 "
        "switches against a Fat Tree of 12 leaves and 6 cores, 200 hosts "
        "each. Jobs have 2 to 200 nodes, and are placed by racks and at "
        "random. They run on minimal paths, on the paper's layers, on those "
        "of slimfly and on routes for the job, with both kinds of queues. A "
        "table sets what the paper says beside what comes out, and says "
        "whether that agrees.\n"
        "\n"
        "With --networks, runs the same benchmarks on other networks, all "
        "with the same number of hosts, spread evenly. Gains are over the "
        "first network under the same placement; with --paper, over the Fat "
        "Tree placed by racks. With --equal cost, speeds are divided by the "
        "cost of the networks: what one gets for the same money.\n"
        "\n"
        "Collectives are simulated packet by packet with exact delays. Sizes "
        "whose runs would have more packets than --packets are not simulated: "
        "they are on a straight line through the two largest sizes that were. "
        "Every second power of two is on a line between its neighbours. eBB "
        "is simulated with messages of 512 KiB. Training, Linpack, Graph500 "
        "and the halo exchange are flows with fair shares. Each figure says "
        "which it was.\n"
        "\n"
        "With --output, the folder DIR gets evaluation.html, one page with "
        "all figures. It gets tables as text, Markdown, JSON and CSV, figures "
        "as SVG, and every run in simulation.json and simulation.csv. What is "
        "finished is kept there too, so that the same command goes on where "
        "it was interrupted. Several processes of the same command share the "
        "work out. Of those that mpirun or srun starts together, one prints "
        "the results. " CLI_FIGURE_IS " The page keeps those for screens. The "
        "exit code is 1 if packets of a run waited for each other for ever.",
    .examples =
        "slimfly evaluate --paper -o out\tRun the whole evaluation of the "
        "paper.\n"
        "slimfly evaluate --paper --quick\tRun a small part of it.\n"
        "slimfly evaluate --paper -w ebb -n 8,16,32 --queues voq\tRun eBB "
        "only, on three sizes of jobs.\n"
        "slimfly evaluate --networks ft3:ports=12,sf:q=7,df:a=6,h=3,p=3 -o "
        "out --equal cost\tCompare what networks give for the same money.\n",
    .options = { options, cli_thread_options, cli_share_options,
                 cli_folder_options, cli_figure_options,
                 cli_progress_options },
    .run = run,
};
