#include "sharing_cases.h"

#include "oracle/oracle.h"
#include "slimfly/random.h"

#include <math.h>
#include <string.h>

static struct sharing_case *
begin(uint32_t n_links)
{
    struct sharing_case *sharing = oracle_calloc(1, sizeof *sharing);

    sharing->n_links = n_links;
    return sharing;
}

/* Adds a flow over the links that are set in sharing->crosses for it. */
static void
add_flow(struct sharing_case *sharing, double weight, double bound)
{
    uint32_t f = sharing->n_flows++, end = sharing->first[f];

    for (uint32_t l = 0; l < sharing->n_links; l++) {
        if (sharing->crosses[f][l]) {
            sharing->links[end++] = l;
        }
    }
    sharing->first[f + 1] = end;
    sharing->weights[f] = weight;
    sharing->bounds[f] = bound;
    sharing->flows[f] = (struct oracle_flow){ .crosses = sharing->crosses[f],
                                              .weight = weight,
                                              .bound = bound };
}

/* A number above 0: one of three, or any within four decades. */
static double
draw_number(struct sf_random *random, bool with_ties)
{
    if (with_ties) {
        return 1 + sf_random_below(random, 3);
    }
    return pow(10, sf_random_below(random, 4000) / 1000.0 - 2);
}

static void
draw_links(struct sharing_case *sharing, bool is_local,
           struct sf_random *random)
{
    uint32_t f = sharing->n_flows;

    if (is_local) {
        uint32_t l = sf_random_below(random, sharing->n_links);
        sharing->crosses[f][l] = true;
        if ((l ^ 1) < sharing->n_links && sf_random_below(random, 2)) {
            sharing->crosses[f][l ^ 1] = true;
        }
        return;
    }
    if (f > 0 && sf_random_below(random, 5) == 0) {
        uint32_t other = sf_random_below(random, f);
        memcpy(sharing->crosses[f], sharing->crosses[other],
               sizeof *sharing->crosses);
        return;
    }
    for (uint32_t i = sf_random_below(random, 6); i > 0; i--) {
        uint32_t l = sf_random_below(random, sharing->n_links);
        sharing->crosses[f][l] = true;
    }
}

struct sharing_case *
sharing_draw(uint64_t seed, const struct sharing_limits *limits)
{
    struct sf_random random;

    sf_random_init(&random, seed, 0);
    struct sharing_case *sharing =
        begin(1 + sf_random_below(&random, limits->n_links));
    uint32_t n_flows = 1 + sf_random_below(&random, limits->n_flows);
    for (uint32_t l = 0; l < sharing->n_links; l++) {
        bool is_empty = sf_random_below(&random, 12) == 0;
        sharing->capacities[l] =
            is_empty ? 0 : draw_number(&random, limits->with_ties);
    }
    while (sharing->n_flows < n_flows) {
        bool is_bound = limits->with_bounds && sf_random_below(&random, 3) > 0;
        double weight =
            limits->with_weights ? draw_number(&random, limits->with_ties) : 1;
        double bound =
            is_bound ? draw_number(&random, limits->with_ties) / 4 : HUGE_VAL;
        draw_links(sharing, limits->is_local, &random);
        add_flow(sharing, weight, bound);
    }
    return sharing;
}

struct sharing_case *
sharing_all_to_all(uint32_t n_hosts)
{
    struct sharing_case *sharing = begin(2 * n_hosts);

    for (uint32_t l = 0; l < 2 * n_hosts; l++) {
        sharing->capacities[l] = 1;
    }
    for (uint32_t i = 0; i < n_hosts * n_hosts; i++) {
        uint32_t source = i / n_hosts, destination = i % n_hosts;
        if (source != destination) {
            bool *crosses = sharing->crosses[sharing->n_flows];
            crosses[source] = crosses[n_hosts + destination] = true;
            add_flow(sharing, 1, HUGE_VAL);
        }
    }
    return sharing;
}

struct sf_fair_share
sharing_problem(const struct sharing_case *sharing)
{
    return (struct sf_fair_share){
        .n_links = sharing->n_links,
        .n_flows = sharing->n_flows,
        .capacities = sharing->capacities,
        .first = sharing->first,
        .links = sharing->links,
        .weights = sharing->weights,
        .bounds = sharing->bounds,
    };
}
