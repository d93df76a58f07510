/* cmd_compare.c -- slimfly compare: networks side by side. */
#include "cli.h"
#include "shared_work.h"
#include "surveys.h"

enum {
    OPT_HOSTS = CLI_OWN,
    OPT_PORTS,
    OPT_PRICES,
};

static const char *
format_choice(size_t i)
{
    static const char *const formats[] = { "text", "json", "csv", NULL };
    return formats[i];
}

static const struct cli_option options[] = {
    { OPT_HOSTS, "hosts", 0, CLI_NUMBER, "N",
      .help = "number of hosts of each network, evenly spread", .min = 2,
      .max = SF_MAX_DESIGN_ENDPOINTS,
      .otherwise = "those of the network that has the fewest; with --equal "
                   "cost all that each has" },
    { OPT_PORTS, "ports", 'k', CLI_NUMBER, "K",
      .help = "number of ports of a switch", .min = SF_MIN_DESIGN_PORTS,
      .max = SF_MAX_PORTS,
      .otherwise = "for each network the smallest that has a price" },
    { OPT_PRICES, "prices", 0, CLI_FILE, "FILE", .help = "prices and power",
      .otherwise = "prices.json" },
    { OPT_LAYERS, "layers", 'l', CLI_NUMBER, "N", .help = "number of layers",
      .min = 1, .max = SF_MAX_LAYERS, .value = "4" },
    CLI_FORMAT(format_choice),
    { 0 },
};

static bool
read_options(const struct cli_args *args, struct cli_survey *survey)
{
    struct sf_survey_params *params = &survey->params;

    params->n_hosts = cli_number(args, OPT_HOSTS);
    params->ports = cli_number(args, OPT_PORTS);
    params->seed = cli_seed(args, OPT_SEED);
    params->routing.layers.n_layers = cli_number(args, OPT_LAYERS);
    params->routing.layers.max_hops = cli_number(args, OPT_MAX_HOPS);
    return cli_survey_read(args, survey) &&
           cli_read_lanes(args, false, &params->routing) &&
           cli_path_sets(args, &params->routing.n_path_sets);
}

static int
run(const struct cli_args *args)
{
    const char *file = cli_text(args, OPT_PRICES);
    struct cli_survey survey = { 0 };
    struct sf_prices *prices = NULL;
    struct sf_error err = { 0 };
    int code = CLI_ERROR;

    if (args->n_words < 1) {
        return cli_fail("compare: expected one or more networks, found none");
    }
    enum sf_status status = file ? sf_prices_read(file, &prices, &err)
                                 : sf_prices_default(&prices, &err);
    if (status != SF_OK) {
        return cli_fail("%s", err.text);
    }
    survey.params.prices = prices;
    if (cli_share_check(args) && cli_read_figure(args, NULL) &&
        read_options(args, &survey) && cli_survey_load(args, &survey)) {
        code = cli_survey_run(args, &survey, NULL);
    }
    cli_survey_clear(&survey);
    sf_prices_free(prices);
    return code;
}

const struct cli_command cli_command_compare = {
    .name = "compare",
    .group = CLI_DESIGN,
    .arguments = "NETWORK...",
    .summary = "networks side by side: cost, paths, throughput, latency, and "
               "what is left when parts fail",
    .description =
        "Sets networks side by side, all with the same number of hosts, "
        "evenly spread, or with --equal cost each with its own, and each with "
        "the routing that 'slimfly route' would "
        "deploy. A few sentences say which network is cheapest, which carries "
        "most and what failures do; a table has the figures.\n"
        "\n"
        "NETWORK is a spec, a plan of 'slimfly plan', or a fabric that was "
        "discovered, as 'slimfly verify' takes it. A plan stands for the spec "
        "that it was made of. A discovered fabric keeps its hosts, and has "
        "neither costs nor failures.\n"
        "\n"
        "Cost and power are those of 'slimfly design', for the hosts that are "
        "there. Paths and throughput are those of 'slimfly analyze'. "
        "Throughput is measured with equal shares over the layers, as hosts "
        "send that take their addresses in turn, and with the best shares. "
        "Latency and the load that a network takes are those of 'slimfly "
        "simulate' under uniform traffic. Latency is measured at a load of 10 "
        "%, with the delays of switches, hosts and cables. The load that a "
        "network takes is the highest at which no queue grows. With --equal "
        "cost, each network keeps its own number of hosts, and what these "
        "carry together is also told for each million of the currency.\n"
        "\n"
        "--failures says what fails: links, switches (a percentage of "
        "--shares, drawn at random), a rack with all that stands in it, or a "
        "bundle, all cables between two racks. The routing is repaired as the "
        "plugin for OpenSM does. Then throughput, reach, the longest path and "
        "the busiest link are measured, and how many entries of forwarding "
        "tables change. Each repair is timed on one core. It is also counted "
        "how many links fail at random until two hosts are cut off, beside "
        "the fewest that can do it.\n"
        "\n"
        "With --output, the folder DIR gets the table as text, JSON and CSV, "
        "figures, every simulated run, and what is finished in "
        "DIR/" CLI_KEPT_FOLDER
        ", so that the same command goes on where it was "
        "interrupted. Several processes of the same command share the work "
        "out. Of those that mpirun or srun starts together, one prints the "
        "results. The exit code is 1 if packets of a simulation waited for "
        "each other for ever.",
    .examples =
        "slimfly compare sf:q=5 ft2:ports=16 hx2:5x5 -o out\tCompare three "
        "networks.\n"
        "slimfly compare sf:q=5 df:a=4,h=2,p=2 --equal cost "
        "--failures links,switches,rack\tCompare what two networks give for "
        "the same money, and what is left when parts fail.\n"
        "slimfly compare sf:q=5 --without-simulation --failures none -t "
        "permutation\tMeasure one network quickly.\n",
    .options = { options, cli_survey_options, cli_lane_options,
                 cli_path_options, cli_work_options, cli_thread_options,
                 cli_share_options, cli_live_options, cli_folder_options,
                 cli_figure_options, cli_progress_options },
    .run = run,
};
