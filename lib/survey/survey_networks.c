/* survey_networks.c -- the networks of a survey: built with as many hosts as
 * all have, planned, priced and routed. */
#include "analysis/comparison_key.h"
#include "base/mem.h"
#include "design/evaluate.h"
#include "slimfly/ib.h"
#include "survey/survey_parts.h"

#include <math.h>
#include <string.h>

/* The topologies, NULL where there is none. */
struct topologies {
    struct sf_topology *of[SF_SURVEY_MAX_NETWORKS];
};

/* How many hosts a network can have. */
static uint32_t
most_hosts(const struct sf_survey_subject *subject,
           const struct sf_topology *topo)
{
    if (!topo) {
        return subject->fabric->n_nodes - subject->fabric->n_switches;
    }
    return subject->n_hosts && subject->n_hosts < topo->n_endpoints
               ? subject->n_hosts
               : topo->n_endpoints;
}

/* Finds the number of hosts of all networks. */
static enum sf_status
count_hosts(struct sf_survey *survey, const struct topologies *topologies,
            struct sf_error *err)
{
    const struct sf_survey_params *params = &survey->params;
    uint32_t fewest = UINT32_MAX;

    for (uint32_t i = 0; i < params->n_subjects; i++) {
        uint32_t most = most_hosts(&params->subjects[i], topologies->of[i]);
        fewest = most < fewest ? most : fewest;
        if (params->n_hosts > most) {
            return sf_fail(err, SF_EINVAL,
                           "%s: expected a network with at least %u hosts, "
                           "found %u",
                           params->subjects[i].name, params->n_hosts, most);
        }
    }
    survey->n_hosts = params->n_hosts ? params->n_hosts : fewest;
    for (uint32_t i = 0; i < params->n_subjects; i++) {
        uint32_t most = most_hosts(&params->subjects[i], topologies->of[i]);
        if (!topologies->of[i] && most != survey->n_hosts) {
            return sf_fail(err, SF_EINVAL,
                           "%s: was discovered and keeps its %u hosts, but "
                           "all networks are to have %u",
                           params->subjects[i].name, most, survey->n_hosts);
        }
    }
    return survey->n_hosts >= 2
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "expected networks with at least 2 hosts, found %u",
                         survey->n_hosts);
}

/* Chooses the switches that 'topo' is built of: those asked for, or the
 * smallest for sale. */
static enum sf_status
choose_switches(const struct sf_survey_params *params, uint32_t asked,
                const struct sf_topology *topo, struct sf_candidate *figures,
                struct sf_error *err)
{
    const struct sf_prices *prices = params->prices;
    uint32_t ports = sf_topology_ports(topo);

    asked = asked ? asked : params->ports;
    if (asked && asked < ports) {
        return sf_fail(err, SF_EINVAL,
                       "expected switches of at least %u ports, found %u",
                       ports, asked);
    }
    if (prices) {
        figures->generation = asked ? sf_prices_for(prices, asked)
                                    : sf_prices_at_least(prices, ports);
    }
    figures->ports = figures->generation ? figures->generation->ports
                     : asked             ? asked
                                         : ports;
    if (params->equal == SF_SURVEY_EQUAL_COST && !figures->generation) {
        return sf_fail(err, SF_EINVAL,
                       "no price is known for its switches of %u ports",
                       figures->ports);
    }
    return SF_OK;
}

/* Plans a network and finds its figures; 'topo' loses the hosts that are not
 * needed. */
static enum sf_status
plan_network(const struct sf_survey *survey, uint32_t ports,
             struct sf_topology *topo, struct sf_survey_network *network,
             struct sf_error *err)
{
    struct sf_candidate *figures = &network->figures;
    struct sf_floor floor = sf_floor_default;

    figures->backend = &sf_ib_backend;
    figures->n_host_addresses = sf_backend_host_addresses(
        &sf_ib_backend, survey->params.routing.layers.n_layers);
    snprintf(figures->spec, sizeof figures->spec, "%.*s",
             (int)sizeof figures->spec - 1, topo->spec);
    enum sf_status status =
        choose_switches(&survey->params, ports, topo, figures, err);
    if (status != SF_OK) {
        return status;
    }
    struct sf_fabric_params how = { .switch_ports = figures->ports,
                                    .n_hosts = survey->n_hosts };
    floor.copper_max = sf_candidate_copper_max(figures);
    status = sf_plan_build(topo, &how, &floor, &network->plan, err);
    if (status == SF_OK) {
        status = sf_plan_lengths(network->plan, &network->lengths, err);
    }
    if (status != SF_OK) {
        return status;
    }
    network->fabric = network->plan->fabric;
    for (uint32_t i = 0; i < network->plan->n_cables; i++) {
        network->cable_metres += network->plan->cables[i].length;
    }
    sf_topology_keep_hosts(topo, survey->n_hosts, topo->n_hosts);
    topo->n_endpoints = survey->n_hosts;
    network->is_planned = true;
    network->is_priced = figures->generation != NULL;
    return sf_evaluate_planned(topo, network->plan, figures, err);
}

/* Two networks that are the same are a mistake. */
static enum sf_status
check_different(const struct sf_survey *survey, struct sf_error *err)
{
    const struct sf_survey_network *networks = survey->networks;

    for (uint32_t i = 1; i < survey->n_networks; i++) {
        uint64_t key = sf_key_of_network(networks[i].network);
        for (uint32_t k = 0; k < i; k++) {
            if (key == sf_key_of_network(networks[k].network)) {
                return sf_fail(err, SF_EINVAL,
                               "%.120s and %.120s are the same network with "
                               "%u hosts",
                               networks[k].name, networks[i].name,
                               survey->n_hosts);
            }
        }
    }
    return SF_OK;
}

/* Finds what the links of a network are like in simulations. */
static enum sf_status
find_net(const struct sf_survey_params *params,
         struct sf_survey_network *network, struct sf_error *err)
{
    const struct sf_generation *generation = network->figures.generation;
    const struct sf_sim_net *net = &params->net;
    enum sf_status status = SF_OK;

    if (params->without_simulation) {
        return SF_OK;
    }
    if (!net->name) {
        status = generation ? sf_sim_net_find(generation->rate, &net, err)
                            : sf_sim_net_of_fabric(network->fabric, &net, err);
    }
    if (status == SF_OK) {
        network->net = *net;
    }
    return status;
}

static enum sf_status
build_network(const struct sf_survey *survey, uint32_t ports,
              struct sf_topology *topo, struct sf_survey_network *network,
              struct sf_error *err)
{
    enum sf_status status =
        topo ? plan_network(survey, ports, topo, network, err) : SF_OK;

    if (status == SF_OK && !topo &&
        survey->params.equal == SF_SURVEY_EQUAL_COST) {
        status = sf_fail(err, SF_EINVAL,
                         "was discovered, and its cost is not known");
    }
    if (status == SF_OK) {
        status = find_net(&survey->params, network, err);
    }
    if (status == SF_OK) {
        status = sf_network_build(network->fabric, &network->network, err);
    }
    if (status == SF_OK) {
        network->n_hosts = survey->n_hosts;
        network->n_switches = network->network->graph->n_nodes;
        network->n_links = network->network->graph->n_links;
    }
    return status;
}

enum sf_status
survey_networks(struct sf_survey *survey, struct survey_stages *stages,
                struct sf_error *err)
{
    const struct sf_survey_params *params = &survey->params;
    struct topologies topologies = { { NULL } };
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; status == SF_OK && i < params->n_subjects; i++) {
        const char *spec = params->subjects[i].spec;
        status =
            spec ? sf_topology_build(spec, &topologies.of[i], err) : SF_OK;
    }
    if (status == SF_OK) {
        status = count_hosts(survey, &topologies, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < params->n_subjects; i++) {
        const struct sf_survey_subject *subject = &params->subjects[i];
        struct sf_survey_network *network = &survey->networks[i];
        survey_stage(stages, subject->name, SURVEY_PLAN);
        survey->n_networks++;
        network->name = subject->name;
        network->spec = subject->spec;
        network->fabric = subject->fabric;
        status = build_network(survey, subject->ports, topologies.of[i],
                               network, err);
        if (status != SF_OK) {
            sf_error_add_context(err, subject->name);
        }
    }
    for (uint32_t i = 0; i < params->n_subjects; i++) {
        sf_topology_free(topologies.of[i]);
    }
    return status == SF_OK ? check_different(survey, err) : status;
}

enum sf_status
survey_route(const struct sf_survey_params *params,
             struct sf_survey_network *network, struct sf_error *err)
{
    struct sf_routing_params how = params->routing;

    how.layers.seed = params->seed;
    how.layers.n_threads = params->n_threads;
    how.n_addresses =
        sf_backend_host_addresses(&sf_ib_backend, how.layers.n_layers);
    enum sf_status status =
        sf_routing_build(network->network, &how, &network->routing, err);
    if (status != SF_OK) {
        return status;
    }
    const struct sf_routes *routes = network->routing->routes;
    snprintf(network->scheme, sizeof network->scheme, "%s",
             network->routing->params.layers.scheme);
    snprintf(network->lanes, sizeof network->lanes, "%s",
             routes->lanes ? routes->lanes->scheme->name : "none");
    network->n_layers = sf_routes_n_layers(routes);
    network->n_vls = routes->lanes ? routes->lanes->n_vls : 1;
    return SF_OK;
}
