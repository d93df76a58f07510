/* model.c -- what flows of a lab should get: the flow model of simulations.
 *
 * A direction of a link is named by the port that sends into it.  Each subflow
 * is one of the model, and a flow has the sum of what its subflows get. */
#include "ip/lab/measure.h"

#include "base/mem.h"
#include "sim/fair_share.h"

struct problem {
    uint32_t n_ports;
    double *capacities; /* [n_ports] */
    uint32_t *first;    /* [subflows + 1] */
    SF_VEC(uint32_t) links;
    double *rates; /* [subflows] */
    bool failed;   /* Memory ran out. */
};

static void
fill_capacities(const struct sf_lab *lab, double *capacities)
{
    const struct sf_fabric *fabric = lab->network->fabric;

    for (uint32_t p = 0; p < fabric->n_ports; p++) {
        const struct sf_port *port = &fabric->ports[p];
        bool is_link = port->peer != SF_NONE &&
                       port->node < fabric->n_switches &&
                       fabric->ports[port->peer].node < fabric->n_switches;
        capacities[p] = is_link ? lab->link_rate : lab->host_rate;
    }
}

/* Adds the links of a subflow. */
static enum sf_status
add_subflow(const struct sf_lab *lab, const struct sf_lab_down *down,
            const struct sf_lab_flows *flows, uint32_t i,
            struct problem *problem, struct sf_error *err)
{
    uint32_t from = flows->from[i / flows->n_layers];
    uint32_t to = flows->to[i / flows->n_layers];
    const struct sf_network *network = lab->network;
    struct sf_lab_way way;

    problem->first[i] = (uint32_t)problem->links.n;
    sf_lab_follow(lab, down, from, to, i % flows->n_layers, &way);
    if (!way.arrives) {
        const struct sf_port *ports = network->fabric->ports;
        return sf_fail(err, SF_EINVAL,
                       "no way leads from %s to %s in layer %u: 'slimfly lab "
                       "check' says more",
                       sf_lab_node(lab, ports[network->host_ports[from]].node),
                       sf_lab_node(lab, ports[network->host_ports[to]].node),
                       i % flows->n_layers);
    }
    problem->failed |=
        !sf_vec_push(&problem->links, network->host_ports[from]);
    for (uint32_t k = 0; k < way.n; k++) {
        problem->failed |= !sf_vec_push(&problem->links, way.ports[k]);
    }
    return SF_OK;
}

static enum sf_status
solve(const struct sf_lab *lab, const struct sf_lab_down *down,
      const struct sf_lab_flows *flows, struct problem *problem,
      struct sf_error *err)
{
    uint32_t n = flows->n * flows->n_layers;
    enum sf_status status = SF_OK;

    fill_capacities(lab, problem->capacities);
    for (uint32_t i = 0; status == SF_OK && i < n; i++) {
        status = add_subflow(lab, down, flows, i, problem, err);
    }
    if (status == SF_OK && problem->failed) {
        status = sf_fail(err, SF_ENOMEM, "a model of %u flows", n);
    }
    problem->first[n] = (uint32_t)problem->links.n;
    struct sf_fair_share share = { .n_links = problem->n_ports,
                                   .n_flows = n,
                                   .capacities = problem->capacities,
                                   .first = problem->first,
                                   .links = problem->links.items };
    return status == SF_OK ? sf_fair_share_solve(&share, problem->rates, err)
                           : status;
}

enum sf_status
sf_lab_predict(const struct sf_lab *lab, const struct sf_lab_down *down,
               const struct sf_lab_flows *flows, double *rates,
               struct sf_error *err)
{
    size_t n = (size_t)flows->n * flows->n_layers;
    uint32_t n_ports = lab->network->fabric->n_ports;
    struct problem problem = {
        .n_ports = n_ports,
        .capacities = sf_calloc(n_ports, sizeof *problem.capacities),
        .first = sf_calloc(n + 1, sizeof *problem.first),
        .rates = sf_calloc(n, sizeof *problem.rates),
    };
    enum sf_status status =
        problem.capacities && problem.first && problem.rates
            ? solve(lab, down, flows, &problem, err)
            : sf_fail(err, SF_ENOMEM, "a model of %zu flows", n);

    for (uint32_t f = 0; status == SF_OK && f < flows->n; f++) {
        rates[f] = 0;
        for (uint32_t l = 0; l < flows->n_layers; l++) {
            rates[f] += problem.rates[(size_t)f * flows->n_layers + l];
        }
    }
    free(problem.rates);
    free(problem.links.items);
    free(problem.first);
    free(problem.capacities);
    return status;
}
