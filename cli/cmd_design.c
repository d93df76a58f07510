/* cmd_design.c -- slimfly design: what to build, and for how much. */
#include "cli.h"
#include "design_figure.h"
#include "shared_work.h"
#include "surveys.h"

#include <string.h>

enum {
    OPT_ENDPOINTS = CLI_OWN,
    OPT_PORTS,
    OPT_FAMILIES,
    OPT_BUDGET,
    OPT_OVERLOAD,
    OPT_NON_BLOCKING,
    OPT_SORT,
    OPT_LIMIT,
    OPT_WIDE,
    OPT_PRICES,
    OPT_PAPER_TABLES,
    OPT_BACKEND,
    OPT_COMPARE,
};

#define MAX_BUDGET   1e15
#define MAX_OVERLOAD 16
#define TEXT_LIMIT   24 /* Rows that people like to read. */

static const char *
format_choice(size_t i)
{
    return sf_design_formats[i].name;
}

static const char *
sort_choice(size_t i)
{
    return i < SF_N_SORTS ? sf_design_sorts[i] : NULL;
}

static const struct sf_backend *const backends[] = { &sf_ib_backend,
                                                     &sf_backend_any };

static const char *
backend_choice(size_t i)
{
    return i < sizeof backends / sizeof *backends ? backends[i]->name : NULL;
}

static const struct cli_option options[] = {
    { OPT_ENDPOINTS, "endpoints", 'n', CLI_NUMBER, "N",
      .help = "number of hosts to be connected", .min = 1,
      .max = SF_MAX_DESIGN_ENDPOINTS },
    { OPT_PORTS, "ports", 'k', CLI_NUMBER, "K",
      .help = "number of ports of a switch", .min = SF_MIN_DESIGN_PORTS,
      .max = SF_MAX_PORTS, .otherwise = "each number that has a price" },
    { OPT_LAYERS, "layers", 0, CLI_NUMBER, "L",
      .help = "number of layers that must have addresses", .min = 1,
      .max = 1 << SF_MAX_LMC },
    { OPT_BACKEND, "backend", 0, CLI_CHOICE, "NAME",
      .help = "technology whose limits of addresses and ports hold",
      .choice = backend_choice, .value = "ib" },
    { OPT_FAMILIES, "families", 0, CLI_TEXT, "LIST",
      .help = "families, separated by commas", .otherwise = "all" },
    { OPT_BUDGET, "budget", 0, CLI_REAL, "AMOUNT",
      .help = "highest cost, in the currency of the prices", .min = 1,
      .max = MAX_BUDGET },
    { OPT_OVERLOAD, "overload", 0, CLI_REAL, "X",
      .help = "allow X times the hosts a switch that a family recommends",
      .min = 1, .max = MAX_OVERLOAD, .value = "1" },
    { OPT_NON_BLOCKING, "non-blocking", 0, CLI_FLAG,
      .help = "only networks in which every permutation of hosts gets full "
              "rate: ft2 and ft3 with no more hosts than links up" },
    { OPT_SORT, "sort", 0, CLI_CHOICE, "KEY", .help = "order of the list",
      .choice = sort_choice,
      .otherwise = "cost with --endpoints, endpoints without" },
    { OPT_LIMIT, "limit", 0, CLI_NUMBER, "N",
      .help = "number of candidates to list, 0 for all", .min = 0,
      .max = 1000000,
      .otherwise = CLI_TEXT_OF(TEXT_LIMIT) " as text, all in other formats" },
    { OPT_WIDE, "wide", 0, CLI_FLAG,
      .help = "print all columns of the table, however long its lines" },
    { OPT_PRICES, "prices", 0, CLI_FILE, "FILE", .help = "prices and power",
      .otherwise = "prices.json; paper-prices.json with --paper-tables" },
    { OPT_PAPER_TABLES, "paper-tables", 0, CLI_FLAG,
      .help = "print the paper's tables of sizes and costs beside ours" },
    { OPT_COMPARE, "compare", 0, CLI_FLAG,
      .help = "compare the best candidate of each family, as 'slimfly "
              "compare' does; --output names a folder then" },
    CLI_FORMAT(format_choice),
    { 0 },
};

static const struct sf_design_format *
find_format(const char *name)
{
    const struct sf_design_format *format = sf_design_formats;
    while (strcmp(format->name, name) != 0) {
        format++;
    }
    return format;
}

static void
read_options(const struct cli_args *args, struct sf_design_params *params,
             struct sf_design_view *view)
{
    for (size_t i = 0; backend_choice(i); i++) {
        if (cli_is(args, OPT_BACKEND, backends[i]->name)) {
            params->backend = backends[i];
        }
    }
    params->families = cli_text(args, OPT_FAMILIES);
    params->sort =
        cli_has(args, OPT_ENDPOINTS) ? SF_SORT_COST : SF_SORT_ENDPOINTS;
    for (int i = 0; i < SF_N_SORTS; i++) {
        if (cli_is(args, OPT_SORT, sf_design_sorts[i])) {
            params->sort = (enum sf_design_sort)i;
        }
    }
    params->n_endpoints = cli_number(args, OPT_ENDPOINTS);
    params->ports = cli_number(args, OPT_PORTS);
    params->n_layers = cli_number(args, OPT_LAYERS);
    params->budget = cli_real(args, OPT_BUDGET);
    params->overload = cli_real(args, OPT_OVERLOAD);
    params->non_blocking = cli_has(args, OPT_NON_BLOCKING);
    view->origin = cli_origin(args);
    view->limit = cli_number(args, OPT_LIMIT);
    view->is_wide = cli_has(args, OPT_WIDE);
    if (!cli_has(args, OPT_LIMIT) && cli_is(args, OPT_FORMAT, "text")) {
        view->limit = TEXT_LIMIT;
    }
}

/* Options of comparisons are for --compare, and others are not. */
static bool
check_compare(const struct cli_args *args,
              const struct sf_design_format *format)
{
    static const int of_lists[] = { OPT_PAPER_TABLES, OPT_LIMIT, OPT_WIDE };
    static const int of_work[] = { OPT_THREADS, OPT_SHARE, OPT_ALONE };
    const char *given = cli_survey_given(args);

    if (!cli_has(args, OPT_COMPARE)) {
        for (size_t i = 0; i < sizeof of_work / sizeof *of_work; i++) {
            given =
                cli_has(args, of_work[i]) ? cli_name(args, of_work[i]) : given;
        }
        if (given) {
            cli_fail("design: --%s is for comparisons: expected --compare too",
                     given);
        }
        return !given;
    }
    for (size_t i = 0; i < sizeof of_lists / sizeof *of_lists; i++) {
        if (cli_has(args, of_lists[i])) {
            cli_fail("design: --%s is for lists: expected no --compare",
                     cli_name(args, of_lists[i]));
            return false;
        }
    }
    if (format->is_chart) {
        cli_fail("design: --compare has --format text, json and csv; figures "
                 "are in the folder of --output");
        return false;
    }
    return cli_share_check(args);
}

/* Says what does not go together; true if all does. */
static bool
check_options(const struct cli_args *args,
              const struct sf_design_format *format,
              const struct sf_design_params *params)
{
    bool is_question =
        params->n_endpoints || params->ports || params->n_layers ||
        params->families || params->budget > 0 || params->non_blocking ||
        cli_has(args, OPT_OVERLOAD) || cli_has(args, OPT_SORT) ||
        cli_has(args, OPT_LIMIT) || cli_has(args, OPT_WIDE);

    if (args->n_words) {
        cli_fail("design: unexpected '%s'; design takes only options, see "
                 "'slimfly help design'",
                 args->words[0]);
        return false;
    }
    if (cli_has(args, OPT_PAPER_TABLES) && (is_question || format->is_chart)) {
        cli_fail("design: --paper-tables takes --prices, --output and "
                 "--format text, json or csv only");
        return false;
    }
    if (!cli_has(args, OPT_PAPER_TABLES) && !params->n_endpoints &&
        !params->ports && !params->n_layers && !(params->budget > 0)) {
        cli_fail("design: expected a question: --endpoints N, --ports K, "
                 "--layers L or --budget AMOUNT");
        return false;
    }
    if (cli_has(args, OPT_WIDE) && !cli_is(args, OPT_FORMAT, "text")) {
        cli_fail("design: --wide is for --format text; %s has all columns",
                 format->name);
        return false;
    }
    if (!check_compare(args, format)) {
        return false;
    }
    if (format->is_chart && (!params->ports || params->n_endpoints ||
                             params->budget > 0 || cli_has(args, OPT_LIMIT))) {
        cli_fail("design: --%s is a chart over endpoints: expected "
                 "--ports K, and neither --endpoints, --budget nor --limit",
                 cli_has(args, OPT_FIGURE) ? "figure" : "format svg");
        return false;
    }
    return true;
}

static int
write_design(const struct cli_args *args,
             const struct sf_design_format *format,
             const struct sf_design_params *params,
             const struct sf_design_view *view, const struct sf_prices *prices)
{
    struct sf_design *design;
    struct cli_output output;
    struct sf_error err = { 0 };

    enum sf_status status =
        format->is_chart ? sf_design_series(params, prices, &design, &err)
                         : sf_design_build(params, prices, &design, &err);
    if (status != SF_OK) {
        return cli_fail("design: %s", err.text);
    }
    int code = CLI_ERROR;
    if (cli_has(args, OPT_COMPARE)) {
        code = cli_survey_design(args, design);
    } else if (cli_has(args, OPT_FIGURE)) {
        code = cli_write_design_figure(args, format, design, view);
    } else if (cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        status = format->write(design, view, output.stream, &err);
        code = cli_output_close(&output, status, &err);
    }
    /* A script wants to know that nothing was found. */
    if (code == CLI_FINE && design->n_candidates == 0) {
        code = CLI_FINDINGS;
    }
    sf_design_free(design);
    return code;
}

static int
write_paper(const struct cli_args *args, const struct sf_design_format *format,
            const struct sf_prices *prices)
{
    struct sf_paper *paper;
    struct cli_output output;
    struct sf_error err = { 0 };

    if (sf_paper_build(prices, &sf_ib_backend, &paper, &err) != SF_OK) {
        return cli_fail("design: %s", err.text);
    }
    int code = CLI_ERROR;
    if (cli_output_open(&output, cli_text(args, OPT_OUTPUT))) {
        enum sf_status status =
            format->write_paper(paper, output.stream, &err);
        code = cli_output_close(&output, status, &err);
    }
    sf_paper_free(paper);
    return code;
}

static int
run(const struct cli_args *args)
{
    bool is_figure = cli_has(args, OPT_FIGURE) && !cli_has(args, OPT_COMPARE);
    const struct sf_design_format *format =
        find_format(is_figure ? "svg" : cli_text(args, OPT_FORMAT));
    struct sf_design_params params = { 0 };
    struct sf_design_view view = { 0 };
    const char *file = cli_text(args, OPT_PRICES);
    struct sf_prices *prices;
    struct sf_error err = { 0 };
    struct sf_figure figure;

    read_options(args, &params, &view);
    if (is_figure && cli_has(args, OPT_FORMAT) &&
        !cli_is(args, OPT_FORMAT, "svg")) {
        return cli_fail("design: --figure is the chart of --format svg: "
                        "expected no other --format");
    }
    if (!cli_read_figure(args, &figure) ||
        !check_options(args, format, &params)) {
        return CLI_ERROR;
    }
    enum sf_status status = file ? sf_prices_read(file, &prices, &err)
                            : cli_has(args, OPT_PAPER_TABLES)
                                ? sf_prices_paper(&prices, &err)
                                : sf_prices_default(&prices, &err);
    if (status != SF_OK) {
        return cli_fail("%s", err.text);
    }
    int code = cli_has(args, OPT_PAPER_TABLES)
                   ? write_paper(args, format, prices)
                   : write_design(args, format, &params, &view, prices);
    sf_prices_free(prices);
    return code;
}

const struct cli_command cli_command_design = {
    .name = "design",
    .group = CLI_DESIGN,
    .arguments = "--endpoints N | --ports K | --layers L | --budget AMOUNT | "
                 "--paper-tables",
    .summary = "what to build: sizes, cost and limits of every family",
    .description =
        "Finds networks of every family for a number of endpoints, for "
        "switches with a number of ports, or for a budget. It prints for each "
        "network the numbers of switches, hosts, cables and free ports, the "
        "hops between switches, how much bandwidth hosts get at most, the "
        "cost and the power. --wide also prints links, media, LIDs and the "
        "number of layers that addresses allow. 'slimfly topology', 'slimfly "
        "plan' and 'slimfly route' take the specs that it prints. The exit "
        "code is 1 if no network is listed.\n"
        "\n"
        "With --endpoints, each family gives three networks: the smallest "
        "that holds the endpoints, with as few hosts a switch as possible, "
        "the same network with all hosts, and the largest that is too small. "
        "If the smallest still has too many hosts, the list says how many to "
        "leave out. Without --ports, this is done for each generation of "
        "switches in the price file. Without --endpoints, each family gives "
        "the largest network that ports, layers and budget allow.\n"
        "\n"
        "Three columns bound from above what share of their rate all hosts "
        "get at once. A routing may reach less; 'slimfly analyze SPEC "
        "--traffic all-to-all,longest-matching' measures what it does. "
        "uniform is for traffic from all hosts to all others on shortest "
        "paths that share the links perfectly. bisect is the number of links "
        "across the smallest cut found that halves the hosts, for each host "
        "of a half. permut is for traffic in which each host sends to one "
        "other, on any paths. It is the worst that was found: all hosts of a "
        "switch send to those of a far switch, or all hosts of a half send to "
        "the other half. With a = sign, every permutation is known to get "
        "full rate: the network is non-blocking (rearrangeably, with traffic "
        "spread over all paths). That holds for Fat Trees in which no switch "
        "has more hosts and links down than links up. --non-blocking lists "
        "those of the families ft2 and ft3 alone.\n"
        "\n"
        "The cost is that of all switches and cables, with all hosts of the "
        "topology. The cost of a host comes twice: for each host of the "
        "topology (built), and for each host asked for (asked). used/free are "
        "the ports of the switch that uses the most.\n"
        "\n"
        "The format svg is a chart of the cost of each endpoint built over "
        "the number of endpoints, for switches of --ports K. Families that "
        "are non-blocking are named so; others carry less. With --figure pdf "
        "or svg, the chart has the form of a paper: --output is a folder, "
        "which gets cost.pdf or cost.svg, and cost.csv with its points.\n"
        "\n"
        "--compare builds the best candidate of each family that answers the "
        "question, by --sort, with the hosts asked for, and compares them as "
        "'slimfly compare' does, which explains the options from --traffic to "
        "--without-times. It says which candidates are left out and why. With "
        "--output, the folder DIR gets all files, and processes of the same "
        "command share the work out.\n"
        "\n"
        "The lengths of cables, and so copper or optical, come from the plan "
        "on the default floor. --layers L keeps networks that have addresses "
        "for L layers: each host needs 2^LMC addresses and each switch one, "
        "and there are 49151.\n"
        "\n"
        "Prices and power come from the file of --prices. The default file is "
        "data/prices.json in the sources of slimfly, and "
        "share/slimfly/prices.json where it is installed. Copper and optical "
        "cables have prices of their own, with a part for each metre; the "
        "file says for each generation how far copper reaches. --paper-tables "
        "takes paper-prices.json beside it, which is fitted to the paper.",
    .examples =
        "slimfly design --endpoints 2048\tFind networks for 2048 hosts.\n"
        "slimfly design --endpoints 2000 --ports 36 --layers 8 --families "
        "sf,ft3\tCompare two families with addresses for 8 layers.\n"
        "slimfly design --endpoints 2000 --non-blocking\tFind networks in "
        "which every permutation of hosts gets full rate.\n"
        "slimfly design --ports 64\tFind the largest networks of 64-port "
        "switches.\n"
        "slimfly design --ports 36 --format svg -o cost.svg\tDraw the cost "
        "per endpoint.\n"
        "slimfly design --ports 36 --figure pdf -o cost\tDraw the same for a "
        "paper, as cost/cost.pdf.\n"
        "slimfly design --paper-tables\tCompute the tables of the Slim Fly "
        "paper anew.\n",
    .options = { options, cli_survey_options, cli_thread_options,
                 cli_share_options, cli_file_options, cli_figure_options,
                 cli_progress_options },
    .run = run,
};
