#include "design/evaluate.h"

#include "design/permutation.h"

#include <math.h>

/* Larger ones are not planned: seconds and gigabytes for each candidate. */
#define MAX_PLANNED 100000 /* Hosts. */

/* Lengths by rule, in metres. */
#define RULE_NEAR 3.0
#define RULE_FAR  30.0

/* Adds up cables by medium and what they cost. */
struct cable_sum {
    const struct sf_cable_prices *prices; /* NULL: not known. */
    uint32_t n_by[2];
    double cost;
};

static void
add_cables(struct cable_sum *sum, enum sf_medium medium, double length,
           uint32_t n)
{
    sum->n_by[medium] += n;
    if (sum->prices) {
        sum->cost += n * sf_cable_price(sum->prices, medium, length);
    }
}

/* Plans 'topo' with the switches of 'candidate'. */
static enum sf_status
make_plan(const struct sf_topology *topo, const struct sf_candidate *candidate,
          struct sf_plan **planp, struct sf_error *err)
{
    struct sf_fabric_params params = { .switch_ports = candidate->ports };
    struct sf_floor floor = sf_floor_default;

    floor.copper_max = sf_candidate_copper_max(candidate);
    return sf_plan_build(topo, &params, &floor, planp, err);
}

static void
sum_planned(const struct sf_plan *plan, struct cable_sum *links,
            struct cable_sum *host_cables)
{
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        add_cables(cable->step == SF_STEP_HOSTS ? host_cables : links,
                   cable->medium, cable->length, 1);
    }
}

static void
sum_by_rule(const struct sf_topology *topo,
            const struct sf_candidate *candidate, struct cable_sum *links,
            struct cable_sum *host_cables)
{
    bool has_copper = RULE_NEAR <= sf_candidate_copper_max(candidate);
    enum sf_medium near = has_copper ? SF_COPPER : SF_OPTICAL;

    for (uint32_t i = 0; i < topo->graph->n_links; i++) {
        struct sf_link link = topo->graph->links[i];
        if (sf_topology_reach(topo, link.a, link.b) == SF_REACH_BEYOND) {
            add_cables(links, SF_OPTICAL, RULE_FAR, 1);
        } else {
            add_cables(links, near, RULE_NEAR, 1);
        }
    }
    add_cables(host_cables, near, RULE_NEAR, topo->n_endpoints);
}

/* Adds the cables of 'topo', what it costs and the power that it takes. 'plan'
 * says how long they are; NULL: a rule does. */
static void
add_costs(const struct sf_topology *topo, const struct sf_plan *plan,
          struct sf_candidate *candidate)
{
    const struct sf_generation *generation = candidate->generation;
    struct cable_sum links = { generation ? &generation->links : NULL,
                               { 0 },
                               0 };
    struct cable_sum host_cables = {
        generation ? &generation->host_cables : NULL, { 0 }, 0
    };

    if (plan) {
        sum_planned(plan, &links, &host_cables);
    } else {
        sum_by_rule(topo, candidate, &links, &host_cables);
    }
    candidate->lengths = plan ? SF_LENGTHS_PLAN : SF_LENGTHS_RULE;
    for (int medium = 0; medium < 2; medium++) {
        candidate->n_links_by[medium] = links.n_by[medium];
        candidate->n_host_cables_by[medium] = host_cables.n_by[medium];
    }
    candidate->cost = candidate->cost_per_endpoint = candidate->watts =
        (double)NAN;
    if (generation) {
        uint32_t n_optical =
            links.n_by[SF_OPTICAL] + host_cables.n_by[SF_OPTICAL];
        candidate->cost = candidate->n_switches * generation->switch_price +
                          links.cost + host_cables.cost;
        candidate->cost_per_endpoint =
            candidate->cost / candidate->n_endpoints;
        candidate->watts = candidate->n_switches * generation->switch_watts +
                           2.0 * n_optical * generation->optical_end_watts;
    }
}

static void
count_parts(const struct sf_topology *topo, struct sf_candidate *candidate)
{
    uint32_t n = topo->graph->n_nodes;

    candidate->family = topo->family->name;
    candidate->n_switches = n;
    candidate->n_endpoints = topo->n_endpoints;
    candidate->n_links = topo->graph->n_links;
    candidate->concentration = sf_topology_concentration(topo);
    candidate->ports_used =
        2 * (uint64_t)topo->graph->n_links + topo->n_endpoints;
    candidate->ports_free =
        (uint64_t)n * candidate->ports - candidate->ports_used;
    candidate->n_addresses = sf_backend_addresses(
        candidate->backend, topo->n_endpoints, n, candidate->n_host_addresses);
    candidate->most_addresses =
        sf_backend_most_addresses(candidate->backend, topo->n_endpoints, n);
    candidate->is_non_blocking = sf_permutation_is_never_blocked(topo);
    candidate->bisection_at_least = candidate->full_bandwidth_p =
        candidate->uniform_at_most = candidate->permutation_at_most =
            candidate->average_distance = candidate->cost_per_asked =
                (double)NAN;
}

static enum sf_status
measure(const struct sf_topology *topo, struct sf_candidate *candidate,
        struct sf_error *err)
{
    struct sf_properties properties;
    struct bisection bisection;

    enum sf_status status = sf_properties_measure(topo, &properties, err);
    if (status != SF_OK) {
        return status;
    }
    candidate->radix = properties.radix;
    candidate->diameter = properties.hosts.diameter;
    candidate->average_distance = properties.hosts.average;
    candidate->full_bandwidth_p = properties.full_bandwidth_p;
    candidate->uniform_at_most =
        fmin(properties.full_bandwidth_p / properties.concentration, 1);
    sf_properties_clear(&properties);
    status = sf_bisection_bound(topo, &bisection, err);
    if (status != SF_OK) {
        return status;
    }
    candidate->bisection_at_most = bisection.at_most;
    candidate->bisection_at_least = bisection.at_least;
    candidate->n_half = bisection.n_half;
    return sf_permutation_bound(topo, &bisection, candidate->average_distance,
                                &candidate->permutation_at_most, err);
}

static enum sf_status
evaluate_parts(struct sf_candidate *candidate, bool is_all,
               struct sf_error *err)
{
    struct sf_topology *topo;
    struct sf_plan *plan = NULL;

    enum sf_status status = sf_topology_build(candidate->spec, &topo, err);
    if (status != SF_OK) {
        return status;
    }
    if (topo->n_endpoints <= MAX_PLANNED) {
        status = make_plan(topo, candidate, &plan, err);
    }
    if (status == SF_OK) {
        count_parts(topo, candidate);
        add_costs(topo, plan, candidate);
    }
    if (status == SF_OK && is_all) {
        status = measure(topo, candidate, err);
    }
    sf_plan_free(plan);
    sf_topology_free(topo);
    return status;
}

enum sf_status
sf_evaluate_candidate(struct sf_candidate *candidate, struct sf_error *err)
{
    return evaluate_parts(candidate, true, err);
}

enum sf_status
sf_evaluate_cost(struct sf_candidate *candidate, struct sf_error *err)
{
    return evaluate_parts(candidate, false, err);
}

enum sf_status
sf_evaluate_planned(const struct sf_topology *topo, const struct sf_plan *plan,
                    struct sf_candidate *candidate, struct sf_error *err)
{
    count_parts(topo, candidate);
    add_costs(topo, plan, candidate);
    return measure(topo, candidate, err);
}
