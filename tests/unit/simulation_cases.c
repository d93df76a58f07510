#include "simulation_cases.h"

#include "base/mem.h"
#include "slimfly/random.h"

#include <math.h>
#include <string.h>

const char *const simulation_kind_names[] = {
    "sweep", "messages", "pair", "single", "deadlock", "odd", "many",
};

/* What a configuration is, and the load that it can take. */
struct config {
    const char *network, *routing, *lanes;
    uint32_t which, n_layers, n_vls;
    enum sf_select select;
    double most;
};

static const struct config configs[] = {
    { "sf:q=5", "minimal", "turns", 0, 1, 2, SF_SELECT_FIRST, 0.55 },
    { "sf:q=5", "gates", "turns", 0, 4, 4, SF_SELECT_STRIPE, 0.62 },
    { "sf:q=5", "gates", "turns", 0, 4, 4, SF_SELECT_MESSAGE, 0.6 },
    { "sf:q=5", "gates", "turns", 0, 4, 4, SF_SELECT_RANDOM, 0.58 },
    { "sf:q=5", "gates", "turns", 0, 4, 4, SF_SELECT_ADAPTIVE, 0.84 },
    { "sf:q=5", "gates", "turns", 0, 8, 4, SF_SELECT_STRIPE, 0.66 },
    { "sf:q=5", "gates", "turns", 0, 8, 4, SF_SELECT_ADAPTIVE, 0.88 },
    { "ft2:ports=36", "ftree", "none", 1, 1, 1, SF_SELECT_FIRST, 0.93 },
};

#define N_CONFIGS (sizeof configs / sizeof *configs)

static struct sf_network *
make_network(const char *spec)
{
    struct sf_topology *topo = NULL;
    struct sf_fabric *fabric = NULL;
    struct sf_network *network = NULL;

    if (sf_topology_build(spec, &topo, NULL) == SF_OK &&
        sf_fabric_from_topology(topo, NULL, &fabric, NULL) == SF_OK) {
        sf_network_build(fabric, &network, NULL);
    }
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return network;
}

/* A number from 0 to 1. */
static double
draw(struct sf_random *random)
{
    return (double)(sf_random_next(random) >> 11) * 0x1p-53;
}

static struct sf_sim_spread
spread_around(double mean, double width, uint64_t n)
{
    return (struct sf_sim_spread){
        .n = n,
        .mean = mean,
        .min = mean / (1 + 2 * width),
        .p1 = mean / (1 + 1.5 * width),
        .p50 = mean * (1 - 0.1 * width),
        .p99 = mean * (1 + 2.5 * width),
        .max = mean * (1 + 4.1 * width),
    };
}

/* The settings of the configuration 'config'. */
static void
set_row(struct simulation_case *made, struct sf_simulation_row *row,
        const struct config *config)
{
    *row = (struct sf_simulation_row){
        .name = config->network,
        .routing = config->routing,
        .lanes = config->lanes,
        .n_layers = config->n_layers,
        .n_vls = config->n_vls,
        .network = made->networks[config->which],
        .wall = 0.25,
        .is_done = true,
        .params = {
            .jobs = { .workload = "permutation", .placement = "racks" },
            .model = SF_SIM_PACKET,
            .select = config->select,
            .net = { .name = "fdr", .rate = 6.82e9, .mtu = 2048,
                     .header = 30, .buffer = 65536, .switch_delay = 2e-7,
                     .host_delay = 6e-7, .cable_delay = 5e-9 },
            .seed = 1,
        },
    };
}

static void
fill_links(struct sf_simulation_row *row, double load,
           struct sf_random *random)
{
    struct sf_simulation *result = &row->result;
    bool is_flow = row->params.model == SF_SIM_FLOW;

    result->n_arcs = 2 * row->network->graph->n_links;
    result->n_vls = is_flow ? 1 : row->n_vls;
    result->loads = sf_calloc((size_t)result->n_arcs * result->n_vls,
                              sizeof *result->loads);
    result->blocked = sf_calloc(result->n_arcs, sizeof *result->blocked);
    for (uint32_t arc = 0; arc < result->n_arcs; arc++) {
        double all = load * (0.3 + 1.0 * draw(random));
        for (uint32_t vl = 0; vl < result->n_vls; vl++) {
            result->loads[arc * result->n_vls + vl] =
                fmin(all, 1) / result->n_vls;
        }
        result->blocked[arc] = is_flow ? 0 : load * load * 0.2 * draw(random);
    }
}

/* Rates around 'mean', with the spread of what was drawn. */
static void
fill_rates(struct sf_simulation *result, double mean, uint32_t n,
           struct sf_random *random)
{
    for (uint32_t i = 0; i < n; i++) {
        double rate = mean * (0.5 + 0.5 * draw(random) + 0.5 * draw(random));
        uint32_t bin = (uint32_t)(rate * SF_SIM_N_BINS);
        result->rates[bin < SF_SIM_N_BINS ? bin : SF_SIM_N_BINS - 1]++;
    }
    result->rate = spread_around(mean, 0.1, n);
}

static void
fill_common(struct sf_simulation_row *row, double load,
            struct sf_random *random)
{
    struct sf_simulation *result = &row->result;

    result->n_hosts = 200;
    result->is_finished = true;
    result->n_jobs = 1;
    result->jobs = sf_calloc(1, sizeof *result->jobs);
    result->jobs[0].n_nodes = 200;
    if (row->params.model == SF_SIM_PACKET) {
        result->buffer = 32 / row->n_vls;
        result->n_packets = 1234567;
        result->n_switch_hops = 3456789;
        result->latency = spread_around(2e-6, 0.15, 1234567);
    }
    fill_links(row, load, random);
}

/* A run under a load: latencies grow towards what the network takes. */
static void
fill_loaded(struct sf_simulation_row *row, double load, double most,
            struct sf_random *random)
{
    struct sf_simulation *result = &row->result;
    bool is_saturated = load >= most;
    double mean = 1.9e-6 + 8e-7 * (load / fmax(most - load, 0.01));

    row->params.jobs.load = load;
    fill_common(row, fmin(load, most), random);
    result->is_finished = !is_saturated;
    result->time = 1e-3;
    fill_rates(result, is_saturated ? most - 0.1 * (load - most) : load, 200,
               random);
    result->latency = spread_around(mean, 0.3 + load, 100000);
    result->latency_error = 0.02 * mean;
}

/* A run of messages. */
static void
fill_sent(struct sf_simulation_row *row, double most, struct sf_random *random)
{
    struct sf_simulation *result = &row->result;

    fill_common(row, most, random);
    result->time = 1.6e-4 / most;
    fill_rates(result, most, 20000, random);
    result->jobs[0].time = result->time;
    result->jobs[0].rate = result->rate;
    for (uint32_t i = 0; i < SF_SIM_N_STEPS; i++) {
        double part = (i + 1) / (double)SF_SIM_N_STEPS;
        result->arrived[i] = 1 - pow(1 - part, 1 + most);
    }
}

static void
make_sweep(struct simulation_case *made, struct sf_random *random)
{
    for (uint32_t i = 0; i < N_CONFIGS; i++) {
        for (uint32_t k = 0; k < 10; k++) {
            struct sf_simulation_row *row = &made->rows[made->table.n_rows++];
            set_row(made, row, &configs[i]);
            fill_loaded(row, 0.1 * (k + 1), configs[i].most, random);
        }
    }
}

static void
make_messages(struct simulation_case *made, uint32_t n,
              enum sf_sim_model model, struct sf_random *random)
{
    for (uint32_t i = 0; i < n; i++) {
        struct sf_simulation_row *row = &made->rows[made->table.n_rows++];
        set_row(made, row, &configs[(i * 4 + i / 2) % N_CONFIGS]);
        row->params.model = model;
        fill_sent(row, configs[(i * 4 + i / 2) % N_CONFIGS].most, random);
    }
}

/* The first run stops in a circle of three switches' links. */
static void
make_deadlock(struct simulation_case *made, struct sf_random *random)
{
    make_messages(made, 2, SF_SIM_PACKET, random);
    struct sf_simulation_row *row = &made->rows[0];
    const struct sf_graph *graph = row->network->graph;
    struct sf_simulation *result = &row->result;

    result->is_finished = false;
    result->deadlock_time = 1.25e-5;
    result->n_cycle = 3;
    result->cycle = sf_calloc(3, sizeof *result->cycle);
    for (uint32_t i = 0; i < 3; i++) {
        result->cycle[i] =
            (struct sf_sim_channel){ i, graph->first[i] + i, i % 2 };
    }
}

static void
make_odd(struct simulation_case *made, struct sf_random *random)
{
    make_deadlock(made, random);
    for (uint32_t i = 0; i < 2; i++) {
        struct sf_simulation_row *row = &made->rows[i];
        row->name = i ? "a \"net\", <&> 'x'\nnew line" : "\xff\xc3 k\xc3\xb6";
        row->routing = NULL;
        row->lanes = "";
        row->params.jobs.workload = "file:p,\"q\".csv+ebb";
        row->params.jobs.nodes = "10+20";
        row->params.jobs.load = i ? 0.5 : 0;
        row->params.seed = UINT64_MAX;
        row->wall = (double)INFINITY;
        row->result.n_jobs = 2;
        free(row->result.jobs);
        row->result.jobs = sf_calloc(2, sizeof *row->result.jobs);
        row->result.time = i ? (double)INFINITY : 1;
        row->result.latency.max = (double)NAN;
        row->result.latency.mean = i ? (double)NAN : 1e-6;
        row->result.latency_error = (double)NAN;
        row->result.rate.p99 = (double)INFINITY;
        row->result.loads[0] = (double)NAN;
        row->result.blocked[1] = (double)INFINITY;
        row->result.arrived[3] = (double)NAN;
    }
    made->rows[0].result.cycle[2] =
        (struct sf_sim_channel){ 4000000000u, 4000000000u, 14 };
}

static void
make_many(struct simulation_case *made, struct sf_random *random)
{
    for (uint32_t i = 0; i < 40; i++) {
        struct sf_simulation_row *row = &made->rows[made->table.n_rows++];
        set_row(made, row, &configs[i % N_CONFIGS]);
        row->params.seed = 1 + i / N_CONFIGS;
        fill_sent(row, configs[i % N_CONFIGS].most, random);
    }
}

struct simulation_case *
simulation_case_make(enum simulation_kind kind)
{
    struct simulation_case *made = sf_calloc(1, sizeof *made);
    struct sf_random random;

    sf_random_init(&random, 1, kind);
    made->networks[0] = make_network("sf:q=5");
    made->networks[1] = make_network("ft2:ports=36");
    made->table = (struct sf_simulation_table){
        .program = "slimfly 0.1.0",
        .command = "slimfly simulate sf:q=5 --workload permutation",
        .rows = made->rows,
    };
    switch (kind) {
    case CASE_SWEEP:
        make_sweep(made, &random);
        break;
    case CASE_MESSAGES:
        make_messages(made, N_CONFIGS, SF_SIM_PACKET, &random);
        break;
    case CASE_PAIR:
        make_messages(made, 2, SF_SIM_FLOW, &random);
        break;
    case CASE_SINGLE:
        make_messages(made, 1, SF_SIM_PACKET, &random);
        break;
    case CASE_DEADLOCK:
        make_deadlock(made, &random);
        break;
    case CASE_ODD:
        make_odd(made, &random);
        break;
    case CASE_MANY:
    case N_SIMULATION_KINDS:
        make_many(made, &random);
    }
    return made;
}

void
simulation_case_free(struct simulation_case *made)
{
    for (uint32_t i = 0; i < made->table.n_rows; i++) {
        sf_simulation_clear(&made->rows[i].result);
    }
    sf_network_free(made->networks[0]);
    sf_network_free(made->networks[1]);
    free(made);
}
