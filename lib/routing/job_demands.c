/* job_demands.c -- see job_demands.h. */
#include "routing/job_demands.h"

#include "base/mem.h"

#include <math.h>

/* Flows of a job that are added up, in a matrix of the switches of the job. */
struct demand_sum {
    const struct sf_routes *routes;
    uint32_t *switch_of; /* [hosts] Of hosts of the job. */
    uint32_t *places;    /* [V] Of the switches of the job among them. */
    uint32_t *switches;  /* [n] The switches of the job. */
    uint32_t n, n_sets;
    double *amounts; /* [n * n_sets * n] By destination, set, source. */
};

static void
add_flow(void *aux, uint32_t from, uint32_t to, double amount)
{
    struct demand_sum *sum = aux;
    uint32_t s = sum->switch_of[from], d = sum->switch_of[to];
    size_t row =
        (size_t)sum->places[d] * sum->n_sets + sum->routes->host_sets[to];

    sum->amounts[row * sum->n + sum->places[s]] += s == d ? 0 : amount;
}

/* Numbers the switches of 'job' in their order. */
static void
number_switches(struct demand_sum *sum, const struct sf_network *network,
                const struct sf_job *job)
{
    uint32_t n_switches = network->graph->n_nodes;

    for (uint32_t s = 0; s < n_switches; s++) {
        for (uint32_t h = network->first_host[s];
             h < network->first_host[s + 1]; h++) {
            sum->switch_of[h] = s;
        }
    }
    for (uint32_t i = 0; i < job->n_hosts; i++) {
        sum->places[sum->switch_of[job->hosts[i]]] = 1;
    }
    for (uint32_t s = 0; s < n_switches; s++) {
        if (sum->places[s]) {
            sum->places[s] = sum->n;
            sum->switches[sum->n++] = s;
        }
    }
}

/* Lists what is not zero. */
static bool
list_demands(const struct demand_sum *sum, struct sf_job_demands *demands)
{
    SF_VEC(struct sf_demand) list = { 0 };
    bool made = true;

    for (size_t i = 0; made && i < (size_t)sum->n * sum->n_sets * sum->n;
         i++) {
        struct sf_demand demand = {
            .source = sum->switches[i % sum->n],
            .destination = sum->switches[i / sum->n / sum->n_sets],
            .set = (uint32_t)(i / sum->n % sum->n_sets),
            .amount = sum->amounts[i],
        };
        made = !(demand.amount > 0) || sf_vec_push(&list, demand);
    }
    demands->items = list.items;
    demands->n = list.n;
    return made;
}

enum sf_status
sf_job_demands_build(const struct sf_network *network,
                     const struct sf_routes *routes, const struct sf_job *job,
                     struct sf_job_demands *demands, struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(network);
    uint32_t n_switches = network->graph->n_nodes;
    struct demand_sum sum = {
        .routes = routes,
        .n_sets = routes->n_sets,
        .switch_of = sf_calloc(n_hosts, sizeof *sum.switch_of),
        .places = sf_calloc(n_switches, sizeof *sum.places),
        .switches = sf_calloc(n_switches, sizeof *sum.switches),
    };
    bool made = sum.switch_of && sum.places && sum.switches;

    *demands = (struct sf_job_demands){ 0 };
    if (made) {
        number_switches(&sum, network, job);
        sum.amounts =
            sf_calloc((size_t)sum.n * sum.n_sets * sum.n, sizeof *sum.amounts);
        made = sum.amounts != NULL;
    }
    if (made) {
        sf_job_each_flow(job, add_flow, &sum);
        made = list_demands(&sum, demands);
    }
    free(sum.amounts);
    free(sum.switches);
    free(sum.places);
    free(sum.switch_of);
    if (!made) {
        free(demands->items);
        *demands = (struct sf_job_demands){ 0 };
        return sf_fail(err, SF_ENOMEM,
                       "out of memory for the traffic of jobs");
    }
    return SF_OK;
}

double
sf_layer_share(const struct sf_routes *routes, uint32_t layer)
{
    uint32_t n_layers = sf_routes_n_layers(routes), n = 0;

    for (uint32_t k = layer; k < routes->n_addresses; k += n_layers) {
        n++;
    }
    return (double)n / routes->n_addresses;
}

void
sf_demands_load(const struct sf_network *network,
                const struct sf_routes *routes,
                const struct sf_demand *demands, size_t n_demands,
                double *loads)
{
    for (uint32_t l = 0; l < sf_routes_n_layers(routes); l++) {
        double share = sf_layer_share(routes, l);
        for (size_t i = 0; share > 0 && i < n_demands; i++) {
            const struct sf_demand *demand = &demands[i];
            sf_load_path(network->graph,
                         sf_layers_tree(routes->sets[demand->set], l,
                                        demand->destination),
                         demand->source, demand->amount * share, loads);
        }
    }
}

enum sf_status
sf_job_loads(const struct sf_network *network, const struct sf_routes *routes,
             const struct sf_job *job, double *loads, struct sf_error *err)
{
    struct sf_job_demands demands;
    enum sf_status status =
        sf_job_demands_build(network, routes, job, &demands, err);

    for (uint32_t i = 0; i < 2 * network->graph->n_links; i++) {
        loads[i] = 0;
    }
    if (status == SF_OK) {
        sf_demands_load(network, routes, demands.items, demands.n, loads);
    }
    free(demands.items);
    return status;
}

double
sf_uniform_amount(const struct sf_network *network,
                  const struct sf_routes *routes, uint32_t set, uint32_t d)
{
    double n_receivers = 0;

    for (uint32_t h = network->first_host[d]; h < network->first_host[d + 1];
         h++) {
        n_receivers += routes->host_sets[h] == set;
    }
    return n_receivers / fmax(1, sf_network_count_hosts(network) - 1.0);
}

void
sf_column_load(const struct sf_network *network, const uint16_t *hops,
               double amount, double *loads)
{
    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        if (network->n_hosts[s] > 0) {
            sf_load_path(network->graph, hops, s, amount * network->n_hosts[s],
                         loads);
        }
    }
}

/* Adds what all hosts send in total to the hosts of 'set' on switch 'd', over
 * 'layer'. */
static void
load_column_uniformly(const struct sf_network *network,
                      const struct sf_routes *routes, uint32_t set,
                      uint32_t layer, uint32_t d, double *loads)
{
    double amount = sf_uniform_amount(network, routes, set, d) *
                    sf_layer_share(routes, layer);

    if (amount > 0) {
        sf_column_load(network, sf_layers_tree(routes->sets[set], layer, d),
                       amount, loads);
    }
}

void
sf_uniform_loads(const struct sf_network *network,
                 const struct sf_routes *routes, double *loads)
{
    for (uint32_t i = 0; i < 2 * network->graph->n_links; i++) {
        loads[i] = 0;
    }
    for (uint32_t set = 0; set < routes->n_sets; set++) {
        for (uint32_t l = 0; l < sf_routes_n_layers(routes); l++) {
            for (uint32_t d = 0; d < network->graph->n_nodes; d++) {
                load_column_uniformly(network, routes, set, l, d, loads);
            }
        }
    }
}
