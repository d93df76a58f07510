/* cmd_simulate.c -- slimfly simulate: what workloads get of a network. */
#define _GNU_SOURCE
#include "cli.h"
#include "kept.h"
#include "subjects.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS   100000
#define MAX_LOADS  200
#define LABEL_SIZE 512

enum {
    OPT_WORKLOAD = CLI_OWN,
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
};

/* The whole question. */
struct job {
    struct cli_subject_params how;
    struct cli_subjects subjects;
    double loads[MAX_LOADS]; /* 0: messages. */
    uint32_t n_loads;
    struct sf_simulation_params common; /* What all runs share. */
    struct sf_simulation_task *tasks;
    struct sf_simulation_row *rows; /* [n_tasks] */
    uint32_t n_tasks;
    char (*labels)[LABEL_SIZE]; /* [n_tasks] */
    struct cli_kept kept;
};

static const char *
format_choice(size_t i)
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

static const struct cli_option options[] = {
    { OPT_WORKLOAD, "workload", 'w', CLI_SPECS, "LIST",
      .help = "what hosts send, separated by commas; A+B runs both at once",
      .value = "permutation" },
    { OPT_NODES, "nodes", 'n', CLI_SPECS, "LIST",
      .help = "numbers of hosts that take part, separated by commas; 32+64 "
              "for two workloads at once",
      .otherwise = "all" },
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
    { OPT_WITHOUT_LANES, "without-lanes", 0, CLI_FLAG,
      .help = "route without virtual lanes, all on lane 0" },
    { OPT_SEEDS, "seeds", 0, CLI_NUMBER, "N",
      .help = "number of seeds, from --seed on", .min = 1, .max = 10000,
      .value = "1" },
    CLI_FORMAT(format_choice),
    CLI_TIMEOUT("600"),
    { 0 },
};

/* Adds the loads of "0.3" or "0.05..1" or "0.1..1/0.1". */
static bool
add_loads(const char *text, struct job *job)
{
    char *end;
    double first = strtod(text, &end), last = first, step = 0.05;

    if (end != text && !strncmp(end, "..", 2)) {
        const char *rest = end + 2;
        last = strtod(rest, &end);
        if (end != rest && *end == '/') {
            rest = end + 1;
            step = strtod(rest, &end);
        }
    }
    if (end == text || *end || !(first > 0 && last <= 1 && first <= last) ||
        !(step >= 0.001 && step <= 1)) {
        cli_fail("simulate: --load: expected numbers above 0 and up to 1, or "
                 "ranges such as 0.05..1 or 0.1..1/0.1, found '%s'",
                 text);
        return false;
    }
    for (uint32_t i = 0; first + i * step <= last + 1e-9; i++) {
        if (job->n_loads == MAX_LOADS) {
            cli_fail("simulate: --load: expected at most %d loads", MAX_LOADS);
            return false;
        }
        /* Rounded, so that 0.15 is not 0.15000000000000002; but not to 0,
         * which stands for messages. */
        double load = round((first + i * step) * 1e6) / 1e6;
        job->loads[job->n_loads++] = load > 0 ? load : first;
    }
    return true;
}

static bool
read_loads(const struct cli_args *args, struct job *job)
{
    const struct cli_list *list = cli_list(args, OPT_LOAD);
    bool is_fine = true;

    if (!list) {
        job->loads[job->n_loads++] = 0;
    }
    for (uint32_t i = 0; list && is_fine && i < list->n; i++) {
        is_fine = add_loads(list->items[i], job);
    }
    return is_fine;
}

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

/* The preset for links of 'rate', as "4xFDR"; NULL if there is none. */
static const struct sf_sim_net *
net_of_rate(const char *rate)
{
    for (size_t i = 0; sf_sim_nets[i].name; i++) {
        if (!strncmp(rate, "4x", 2) &&
            !strcasecmp(rate + 2, sf_sim_nets[i].name)) {
            return &sf_sim_nets[i];
        }
    }
    return NULL;
}

static const struct sf_sim_net *
net_of_name(const char *name)
{
    size_t i = 0;
    while (strcmp(sf_sim_nets[i].name, name) != 0) {
        i++;
    }
    return &sf_sim_nets[i];
}

/* The preset that the links of 'subject' have in common; that of edr if
 * nothing is known of them.  NULL, having said why, if there is none: all
 * links of a simulation have one rate. */
static const struct sf_sim_net *
find_common(const struct cli_subject *subject)
{
    const struct sf_fabric *fabric = subject->fabric;
    const char *first = "";

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->peer == SF_NONE || !*port->rate) {
            continue;
        }
        if (*first && strcmp(first, port->rate) != 0) {
            cli_fail("simulate: %s: links of %s and of %s, and all links of a "
                     "simulation have one rate: expected --net",
                     subject->name, first, port->rate);
            return NULL;
        }
        first = port->rate;
    }
    const struct sf_sim_net *net =
        *first ? net_of_rate(first) : net_of_name("edr");
    if (!net) {
        cli_fail("simulate: %s: links of %s, for which there is no preset: "
                 "expected --net",
                 subject->name, first);
    }
    return net;
}

/* What the links of 'subject' are like. */
static bool
find_net(const struct cli_args *args, const struct cli_subject *subject,
         struct sf_sim_net *net)
{
    const char *text = cli_text(args, OPT_BUFFER);
    const struct sf_sim_net *found = cli_has(args, OPT_NET)
                                         ? net_of_name(cli_text(args, OPT_NET))
                                         : find_common(subject);

    if (!found) {
        return false;
    }
    *net = *found;
    double buffer = text ? sf_sim_size_read(text, NULL) : net->buffer;
    if (!(buffer >= 1 && buffer <= 1e9)) {
        cli_fail("simulate: --buffer: expected bytes, as 65536 or 64K, found "
                 "'%s'",
                 text);
        return false;
    }
    net->buffer = (uint32_t)buffer;
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
    routing->lanes = cli_text(args, OPT_LANES);
    routing->guarantee = cli_guarantee(args);
    routing->max_vls = cli_number(args, OPT_MAX_VLS);
    routing->max_sls = cli_number(args, OPT_MAX_SLS);
    routing->without_lanes = cli_has(args, OPT_WITHOUT_LANES);
    if (routing->without_lanes && cli_has(args, OPT_LANES)) {
        cli_fail("simulate: expected --lanes or --without-lanes, found both");
        return false;
    }
    return cli_path_sets(args, &routing->n_path_sets);
}

static bool
read_options(const struct cli_args *args, struct job *job)
{
    struct sf_simulation_params *common = &job->common;

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
    return check_sizes(args) && read_loads(args, job) &&
           read_routing(args, &job->how);
}

/* The number of the word 'word' among those of an option. */
static uint32_t
number_of(const char *(*name)(uint32_t), const char *word)
{
    uint32_t i = 0;
    while (name(i) && strcmp(name(i), word) != 0) {
        i++;
    }
    return i;
}

/* Lists over which runs go, the last the fastest. */
enum axis {
    AXIS_PLACEMENT,
    AXIS_NODES,
    AXIS_WORKLOAD,
    AXIS_SIZE,
    AXIS_MODEL,
    AXIS_QUEUES,
    AXIS_SELECT,
    N_AXES,
};

static const int axis_options[N_AXES] = {
    OPT_PLACEMENT, OPT_NODES,  OPT_WORKLOAD, OPT_SIZE,
    OPT_MODEL,     OPT_QUEUES, OPT_SELECT,
};

/* Word number 'i' of an axis; NULL if the option has no words. */
static const char *
axis_word(const struct cli_args *args, enum axis axis, uint32_t i)
{
    const struct cli_list *list = cli_list(args, axis_options[axis]);
    return list ? list->items[i] : NULL;
}

static struct sf_sim_jobs
jobs_of(const char *const words[N_AXES], double load)
{
    return (struct sf_sim_jobs){
        .workload = words[AXIS_WORKLOAD],
        .nodes = words[AXIS_NODES],
        .placement = words[AXIS_PLACEMENT],
        .size = sf_sim_size_read(words[AXIS_SIZE], NULL),
        .load = load,
    };
}

/* Sets up the run of 'routing' with word number at[i] of each axis i, and a
 * load. */
static bool
set_up_run(const struct cli_args *args, struct job *job,
           const struct cli_subject_routing *routing,
           const uint32_t at[N_AXES], double load)
{
    uint32_t number = job->n_tasks++;
    struct sf_simulation_task *task = &job->tasks[number];
    struct sf_simulation_params *params = &task->params;
    const char *words[N_AXES];

    for (uint32_t i = 0; i < N_AXES; i++) {
        words[i] = axis_word(args, i, at[i]);
    }
    *params = job->common;
    params->jobs = jobs_of(words, load);
    params->model = number_of(sf_sim_model_name, words[AXIS_MODEL]);
    params->queues = number_of(sf_sim_queues_name, words[AXIS_QUEUES]);
    params->select = number_of(sf_select_name, words[AXIS_SELECT]);
    params->lengths = routing->subject->lengths;
    params->seed = routing->seed;
    task->source = &routing->source;
    task->label = job->labels[number];
    snprintf(job->labels[number], LABEL_SIZE, "%.120s, %.60s, %.120s",
             routing->subject->name, routing->scheme, words[AXIS_WORKLOAD]);
    job->rows[number] = (struct sf_simulation_row){
        .name = routing->subject->name,
        .routing = routing->scheme,
        .lanes = routing->lanes,
        .n_layers = routing->n_layers,
        .n_vls = routing->source.n_vls,
        .one_sl = cli_text(args, OPT_ALL_ON_SL),
        .network = routing->source.network,
        .is_done = true,
    };
    return find_net(args, routing->subject, &params->net);
}

/* Goes on to the next word of the last axis that has one; false at the end. */
static bool
advance(const struct cli_args *args, uint32_t at[N_AXES])
{
    for (uint32_t i = N_AXES; i-- > 0;) {
        const struct cli_list *list = cli_list(args, axis_options[i]);
        if (list && at[i] + 1 < list->n) {
            at[i]++;
            return true;
        }
        at[i] = 0;
    }
    return false;
}

/* Refuses what cannot be on a network, before routings take their time. */
static bool
check_runs(const struct cli_args *args, const struct job *job,
           const struct cli_subject *subject)
{
    uint32_t at[N_AXES] = { 0 };
    struct sf_error err = { 0 };
    struct sf_sim_net net;

    do {
        const char *words[N_AXES];
        for (uint32_t i = 0; i < N_AXES; i++) {
            words[i] = axis_word(args, i, at[i]);
        }
        struct sf_sim_jobs jobs = jobs_of(words, job->loads[0]);
        if (sf_sim_jobs_check(subject->network, &jobs, job->how.seed, &err) !=
            SF_OK) {
            cli_fail("simulate: %s: %s", subject->name, err.text);
            return false;
        }
        /* The axes behind the sizes do not matter here. */
        for (uint32_t i = AXIS_MODEL; i < N_AXES; i++) {
            const struct cli_list *list = cli_list(args, axis_options[i]);
            at[i] = list ? list->n - 1 : 0;
        }
    } while (advance(args, at));
    return find_net(args, subject, &net);
}

static bool
check_all(const struct cli_args *args, const struct job *job)
{
    bool is_fine = true;

    for (uint32_t i = 0; is_fine && i < job->subjects.n_subjects; i++) {
        is_fine = check_runs(args, job, &job->subjects.subjects[i]);
    }
    return is_fine;
}

static bool
make_room(const struct cli_args *args, struct job *job)
{
    double n = (double)job->subjects.n_routings * job->n_loads;

    for (uint32_t i = 0; i < N_AXES; i++) {
        const struct cli_list *list = cli_list(args, axis_options[i]);
        n *= list ? list->n : 1;
    }
    if (n > MAX_RUNS) {
        cli_fail("simulate: expected at most %d runs, found %.0f", MAX_RUNS,
                 n);
        return false;
    }
    job->tasks = calloc((size_t)n, sizeof *job->tasks);
    job->rows = calloc((size_t)n, sizeof *job->rows);
    job->labels = calloc((size_t)n, sizeof *job->labels);
    if (!job->tasks || !job->rows || !job->labels) {
        cli_fail("out of memory");
        return false;
    }
    return true;
}

static bool
make_runs(const struct cli_args *args, struct job *job)
{
    if (!make_room(args, job)) {
        return false;
    }
    for (uint32_t i = 0; i < job->subjects.n_routings; i++) {
        uint32_t at[N_AXES] = { 0 };
        do {
            for (uint32_t k = 0; k < job->n_loads; k++) {
                if (!set_up_run(args, job, &job->subjects.routings[i], at,
                                job->loads[k])) {
                    return false;
                }
            }
        } while (advance(args, at));
    }
    return true;
}

/* A file of the results and what is to go into it. */
struct writing {
    const struct sf_simulation_file *file;
    const struct sf_simulation_table *table;
};

static enum sf_status
write_one(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct writing *writing = aux;
    return writing->file->write(writing->table, stream, err);
}

/* Writes the files, if there is a folder, and what was asked for to standard
 * output. */
static int
write_all(const struct cli_args *args, const struct sf_simulation_table *table)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct sf_error err;
    int code = CLI_FINE;

    cli_begin_files();
    for (size_t i = 0;
         folder && code == CLI_FINE && sf_simulation_files[i].name; i++) {
        struct writing writing = { &sf_simulation_files[i], table };
        if (!writing.file->has || writing.file->has(table)) {
            code = cli_write_file(folder, writing.file->name, write_one,
                                  &writing);
        }
    }
    code = cli_end_files(code);
    cli_progress_end();
    for (size_t i = 0; code == CLI_FINE && sf_simulation_files[i].name; i++) {
        const struct sf_simulation_file *file = &sf_simulation_files[i];
        if (file->format && cli_is(args, OPT_FORMAT, file->format) &&
            file->write(table, stdout, &err) != SF_OK) {
            code = cli_fail("%s", err.text);
        }
    }
    return code;
}

static int
simulate(const struct cli_args *args, struct job *job)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct sf_error err = { 0 };

    if (sf_simulation_sweep(job->tasks, job->n_tasks, job->how.n_threads,
                            folder ? &job->kept.simulations : NULL,
                            &err) != SF_OK) {
        return cli_fail("simulate: %s", err.text);
    }
    bool has_deadlock = false;
    for (uint32_t i = 0; i < job->n_tasks; i++) {
        struct sf_simulation_row *row = &job->rows[i];
        row->params = job->tasks[i].params;
        row->result = job->tasks[i].result;
        row->wall = job->tasks[i].wall;
        has_deadlock = has_deadlock || row->result.n_cycle > 0;
    }
    struct sf_simulation_table table = { .program = "slimfly " SF_VERSION,
                                         .command =
                                             args->line ? args->line : "",
                                         .rows = job->rows,
                                         .n_rows = job->n_tasks };
    int code = write_all(args, &table);
    for (uint32_t i = 0; i < job->n_tasks; i++) {
        sf_simulation_clear(&job->tasks[i].result);
    }
    return code == CLI_FINE && has_deadlock ? CLI_FINDINGS : code;
}

static int
run(const struct cli_args *args)
{
    const char *folder = cli_text(args, OPT_OUTPUT);
    struct job job = { 0 };
    int code = CLI_ERROR;

    if (args->n_words < 1 || args->n_words > 2) {
        return cli_fail("simulate: expected a fabric and perhaps its tables; "
                        "found %zu words",
                        args->n_words);
    }
    if (read_options(args, &job) &&
        cli_subjects_load(&job.subjects, args, &job.how) &&
        check_all(args, &job) && cli_subjects_route(&job.subjects, &job.how) &&
        make_runs(args, &job) &&
        (!folder || (cli_make_folder(folder) == CLI_FINE &&
                     cli_kept_open(&job.kept, folder)))) {
        code = simulate(args, &job);
    }
    cli_kept_clear(&job.kept);
    free(job.labels);
    free(job.rows);
    free(job.tasks);
    cli_subjects_clear(&job.subjects);
    return code;
}

const struct cli_command cli_command_simulate = {
    .name = "simulate",
    .arguments = "FABRIC [TABLES]",
    .summary = "what workloads get of a network, packet by packet or flow by "
               "flow",
    .description =
        "Runs workloads over a network with its forwarding tables, SL-to-VL "
        "tables and hosts that choose among addresses. It tells the rates of "
        "messages, the latencies of packets, the time until all has come and "
        "the loads of links. A deadlock, packets that wait for each other in "
        "a circle, ends a run and is named.\n"
        "\n" CLI_FABRIC_IS " TABLES is a folder with " CLI_TABLES_FILE ", a "
        "file like it, or live. If FABRIC is such a folder, or live, TABLES "
        "may be left out. Without tables, and with --schemes, the fabric is "
        "routed as 'slimfly route' would. --compare runs the same on other "
        "fabrics. Options that take a LIST make a run for each combination. "
        "All cores work, and the number of threads does not change the "
        "result.\n"
        "\n"
        "A workload is a traffic, as 'slimfly analyze' knows it: all-to-all, "
        "permutation, switch-permutation:distance=2, longest-matching, "
        "adversarial:load=0.5 or file:CSV. Each of its flows is a message; "
        "the largest has the bytes of --size, and all start at once. With "
        "--load, hosts offer packets without end instead, until latencies "
        "have settled. Or a workload is ebb, effective bisection bandwidth: "
        "hosts are paired at random, many times. A+B runs two workloads at "
        "once on different hosts.\n"
        "\n"
        "--select says how hosts choose the address of the receiver, and with "
        "it the layer: first takes the first only, stripe all in turn packet "
        "by packet, message all in turn message by message, random one at "
        "random for each message, adaptive the one with the fewest packets "
        "under way.\n"
        "\n"
        "The model flow gives each flow its max-min fair share. The model "
        "packet has virtual cut-through, credits for each virtual lane and "
        "finite buffers. Queues decide much: voq keeps packets for each "
        "output apart, fifo has one queue for each input and lane. --timing "
        "exact adds the delays of switches, hosts and cables.\n"
        "\n"
        "With --output, the folder DIR gets tables, figures and finished "
        "runs, "
        "so that the same command goes on where it was interrupted. The exit "
        "code is 1 if packets of a run waited for each other for ever.",
    .examples =
        "slimfly simulate sf:q=5 -w all-to-all --size 64K\tSend 64 KiB from "
        "each host to each other.\n"
        "slimfly simulate sf:q=5 -w ebb -n 16,64 -p racks,random --compare "
        "ft2:ports=36,leaf=12 -o out\tCompare the effective bisection "
        "bandwidth of jobs on two networks.\n"
        "slimfly simulate sf:q=5 -w permutation --load 0.05..1 --select "
        "first,stripe,adaptive -o out\tDraw latency against load for three "
        "ways to choose addresses.\n"
        "slimfly simulate tables -w permutation --all-on-sl 0\tRun on the "
        "tables that 'slimfly route' wrote, with hosts that know no service "
        "levels.\n",
    .options = { options, cli_lane_options, cli_path_options, cli_work_options,
                 cli_thread_options, cli_folder_options,
                 cli_progress_options },
    .run = run,
};
