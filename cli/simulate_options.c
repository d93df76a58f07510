/* simulate_options.c -- see simulate_options.h. */
#include "simulate_options.h"

#include <string.h>

enum {
    OPT_WORKLOAD = OPT_OF_SIMULATION,
    OPT_NODES,
    OPT_PLACEMENT,
    OPT_SIZE,
    OPT_LOAD,
    OPT_MODEL,
    OPT_TIMING,
    OPT_QUEUES,
    OPT_BUFFER,
    OPT_NET,
    OPT_SELECT,
    OPT_WINDOW,
    OPT_OVERHEAD,
    OPT_EAGER,
    OPT_CABLES,
    OPT_ALL_ON_SL,
    OPT_SCHEMES,
    OPT_WITHOUT_LANES,
    OPT_COMPARE,
    OPT_SEEDS,
    OPT_FOR_JOBS,
};

const char *
cli_simulation_format(size_t i)
{
    return sf_simulation_files[i].format;
}

static const char *
model_choice(size_t i)
{
    return sf_sim_model_name((uint32_t)i);
}

static const char *
timing_choice(size_t i)
{
    return sf_sim_timing_name((uint32_t)i);
}

static const char *
queues_choice(size_t i)
{
    return sf_sim_queues_name((uint32_t)i);
}

static const char *
select_choice(size_t i)
{
    return sf_select_name((uint32_t)i);
}

static const char *
net_choice(size_t i)
{
    return sf_sim_nets[i].name;
}

const struct cli_option cli_simulate_options[] = {
    { OPT_WORKLOAD, "workload", 'w', CLI_SPECS, "LIST",
      .help = "what hosts send, separated by commas; A+B runs both at once",
      .value = "permutation" },
    { OPT_NODES, "nodes", 'n', CLI_SPECS, "LIST",
      .help = "numbers of hosts that take part, separated by commas; 32+64 "
              "for two workloads at once",
      .otherwise = "all, or those of the file of --placement" },
    { OPT_PLACEMENT, "placement", 'p', CLI_SPECS, "LIST",
      .help = "which hosts take part: racks, switches, random or file:PATH, "
              "separated by commas",
      .value = "switches" },
    { OPT_SIZE, "size", 0, CLI_SPECS, "LIST",
      .help = "bytes of the largest message, separated by commas; K, M and G "
              "stand for KiB, MiB and GiB",
      .value = "1M" },
    { OPT_LOAD, "load", 0, CLI_SPECS, "LIST",
      .help = "offer packets without end at this part of the rate of host "
              "links; 0.05..1 is every twentieth",
      .otherwise = "messages are sent once" },
    { OPT_SELECT, "select", 0, CLI_WORDS, "LIST",
      .help = "how hosts choose among addresses, separated by commas",
      .choice = select_choice, .value = "stripe" },
    { OPT_MODEL, "model", 'm', CLI_WORDS, "LIST",
      .help = "fair shares of flows, or packets with credits and buffers",
      .choice = model_choice, .value = "packet" },
    { OPT_TIMING, "timing", 0, CLI_CHOICE, "TIMING",
      .help = "packets in steps of one packet time, or with exact delays",
      .choice = timing_choice, .value = "slots" },
    { OPT_QUEUES, "queues", 0, CLI_WORDS, "LIST",
      .help = "how packets wait in a switch, separated by commas",
      .choice = queues_choice, .value = "voq" },
    { OPT_BUFFER, "buffer", 0, CLI_TEXT, "BYTES",
      .help = "buffer at the end of each link, shared by its virtual lanes",
      .otherwise = "that of the preset" },
    { OPT_NET, "net", 0, CLI_CHOICE, "NET",
      .help = "rates, packets and delays of", .choice = net_choice,
      .otherwise = "as the links of the fabric are, or edr" },
    { OPT_WINDOW, "window", 0, CLI_NUMBER, "N",
      .help = "packets of a message that may be under way", .min = 1,
      .max = 1e9, .otherwise = "no limit" },
    { OPT_OVERHEAD, "overhead", 0, CLI_REAL, "US",
      .help = "microseconds that a host needs for each message before the "
              "next can start",
      .min = 0, .max = 1e6, .value = "0" },
    { OPT_EAGER, "eager", 0, CLI_TEXT, "BYTES",
      .help = "with --select stripe, messages up to this size go to the first "
              "address as a whole",
      .otherwise = "none" },
    { OPT_CABLES, "cable-length", 0, CLI_REAL, "METRES",
      .help = "length of cables where there is no plan", .min = 0, .max = 1e5,
      .value = "5" },
    { OPT_ALL_ON_SL, "all-on-sl", 0, CLI_NUMBER, "SL",
      .help = "all packets use service level SL", .min = 0,
      .max = SF_N_SLS - 1, .otherwise = "that of each path" },
    { OPT_COMPARE, "compare", 0, CLI_SPECS, "LIST",
      .help = "more fabrics to run the same on, separated by commas" },
    { OPT_SCHEMES, "schemes", 's', CLI_SPECS, "LIST",
      .help = "schemes that route the fabrics, separated by commas",
      .otherwise = "the tables, or what 'slimfly route' would choose" },
    { OPT_LAYERS, "layers", 'l', CLI_NUMBERS, "LIST",
      .help = "numbers of layers, separated by commas", .min = 1,
      .max = SF_MAX_LAYERS, .value = "4" },
    { OPT_FOR_JOBS, "for-jobs", 0, CLI_FLAG,
      .help = "fit the routes to the hosts that take part, as 'slimfly route "
              "--jobs' does" },
    { OPT_WITHOUT_LANES, "without-lanes", 0, CLI_FLAG,
      .help = "route without virtual lanes, all on lane 0" },
    { OPT_SEEDS, "seeds", 0, CLI_NUMBER, "N",
      .help = "number of seeds, from --seed on", .min = 1, .max = 10000,
      .value = "1" },
    { OPT_GOAL, "goal", 0, CLI_TEXT, "FILE",
      .help = "do not simulate: write what the workload does as a program in "
              "GOAL to FILE, - for standard output" },
    { OPT_LIST_WORKLOADS, "list", 0, CLI_FLAG,
      .help = "explain the workloads" },
    CLI_FORMAT(cli_simulation_format),
    CLI_TIMEOUT("600"),
    { 0 },
};

static bool
check_sizes(const struct cli_args *args)
{
    const struct cli_list *list = cli_list(args, OPT_SIZE);

    for (uint32_t i = 0; i < list->n; i++) {
        if (sf_sim_size_read(list->items[i], NULL) == 0) {
            cli_fail("simulate: --size: expected bytes, as 4096, 64K or 1M, "
                     "found '%s'",
                     list->items[i]);
            return false;
        }
    }
    if (cli_has(args, OPT_SIZE) && cli_has(args, OPT_LOAD)) {
        cli_fail("simulate: expected --size for messages, or --load for "
                 "packets without end, found both");
        return false;
    }
    return true;
}

/* Reads how routings are made. */
static bool
read_routing(const struct cli_args *args, struct cli_subject_params *how)
{
    struct sf_routing_params *routing = &how->routing;

    how->others = cli_list(args, OPT_COMPARE);
    how->schemes = cli_list(args, OPT_SCHEMES);
    how->layers = cli_list(args, OPT_LAYERS);
    how->n_seeds = cli_number(args, OPT_SEEDS);
    how->seed = cli_seed(args, OPT_SEED);
    how->n_threads = cli_threads(args);
    how->one_sl = cli_has(args, OPT_ALL_ON_SL)
                      ? (int)cli_number(args, OPT_ALL_ON_SL)
                      : SF_SL_OF_PATH;
    routing->layers.max_hops = cli_number(args, OPT_MAX_HOPS);
    return cli_read_lanes(args, cli_has(args, OPT_WITHOUT_LANES), routing) &&
           cli_path_sets(args, &routing->n_path_sets);
}

/* Whether 'word' is in the list of option 'id', and nothing else. */
static bool
is_only(const struct cli_args *args, int id, const char *word)
{
    const struct cli_list *list = cli_list(args, id);
    bool is = true;

    for (uint32_t i = 0; is && i < list->n; i++) {
        is = !strcmp(list->items[i], word);
    }
    return is;
}

static bool
is_among(const struct cli_args *args, int id, const char *word)
{
    const struct cli_list *list = cli_list(args, id);
    bool is = false;

    for (uint32_t i = 0; !is && i < list->n; i++) {
        is = !strcmp(list->items[i], word);
    }
    return is;
}

/* Refuses the first of 'ids', ended by 0, that was given. */
static bool
refuse(const struct cli_args *args, const int *ids, const char *why)
{
    for (; *ids; ids++) {
        if (cli_has(args, *ids)) {
            cli_fail("simulate: --%s: %s", cli_name(args, *ids), why);
            return false;
        }
    }
    return true;
}

/* Whether a workload says the size of its messages, as "ebb:size=64K". */
static bool
has_size(const char *workload)
{
    return strstr(workload, ":size=") || strstr(workload, ",size=");
}

/* Refuses what could not change any result. */
static bool
check_use(const struct cli_args *args)
{
    static const int of_packets[] = { OPT_TIMING, OPT_QUEUES, OPT_BUFFER,
                                      OPT_WINDOW, 0 };
    static const int of_messages[] = { OPT_WINDOW, OPT_OVERHEAD, OPT_EAGER,
                                       0 };
    static const int of_stripes[] = { OPT_EAGER, 0 };
    const struct cli_list *workloads = cli_list(args, OPT_WORKLOAD);

    if (is_only(args, OPT_MODEL, sf_sim_model_name(SF_SIM_FLOW)) &&
        !refuse(args, of_packets,
                "it is for the packet model, and --model says flow only")) {
        return false;
    }
    if (!is_among(args, OPT_SELECT, sf_select_name(SF_SELECT_STRIPE)) &&
        !refuse(args, of_stripes,
                "it is for --select stripe, which is not asked for")) {
        return false;
    }
    if (!cli_has(args, OPT_LOAD)) {
        return true;
    }
    for (uint32_t i = 0; i < workloads->n; i++) {
        if (has_size(workloads->items[i])) {
            cli_fail("simulate: expected messages of a size, as in '%s', or "
                     "--load for packets without end, found both",
                     workloads->items[i]);
            return false;
        }
    }
    return refuse(args, of_messages,
                  "it is for messages, and --load offers packets without end");
}

/* Reads what all runs share. */
static bool
read_common(const struct cli_args *args, struct sf_simulation_params *common)
{
    common->timing = cli_is(args, OPT_TIMING, sf_sim_timing_name(SF_SIM_EXACT))
                         ? SF_SIM_EXACT
                         : SF_SIM_SLOTS;
    common->window = cli_number(args, OPT_WINDOW);
    common->overhead = 1e-6 * cli_real(args, OPT_OVERHEAD);
    common->length = cli_real(args, OPT_CABLES);
    const char *eager = cli_text(args, OPT_EAGER);
    common->eager = eager ? (uint64_t)sf_sim_size_read(eager, NULL) : 0;
    if (eager && common->eager == 0) {
        cli_fail("simulate: --eager: expected bytes, as 4096 or 8K, found "
                 "'%s'",
                 eager);
        return false;
    }
    return true;
}

/* Reads what runs go over. */
static bool
read_runs(const struct cli_args *args, struct cli_runs_params *params)
{
    static const int lists[CLI_N_AXES] = {
        [CLI_AXIS_PLACEMENT] = OPT_PLACEMENT, [CLI_AXIS_NODES] = OPT_NODES,
        [CLI_AXIS_WORKLOAD] = OPT_WORKLOAD,   [CLI_AXIS_SIZE] = OPT_SIZE,
        [CLI_AXIS_MODEL] = OPT_MODEL,         [CLI_AXIS_QUEUES] = OPT_QUEUES,
        [CLI_AXIS_SELECT] = OPT_SELECT,
    };

    for (uint32_t i = 0; i < CLI_N_AXES; i++) {
        params->axes[i] = cli_list(args, lists[i]);
    }
    params->net = (struct cli_net_params){ cli_text(args, OPT_NET),
                                           cli_text(args, OPT_BUFFER) };
    params->one_sl = cli_text(args, OPT_ALL_ON_SL);
    params->seed = cli_seed(args, OPT_SEED);
    params->is_for_jobs = cli_has(args, OPT_FOR_JOBS);
    return read_common(args, &params->common) &&
           cli_runs_read_loads(cli_list(args, OPT_LOAD), params);
}

bool
cli_simulate_read(const struct cli_args *args, struct cli_subject_params *how,
                  struct cli_runs_params *params)
{
    return check_sizes(args) && check_use(args) && read_runs(args, params) &&
           read_routing(args, how);
}
