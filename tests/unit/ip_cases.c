/* ip_cases.c -- see ip_cases.h. */
#include "ip_cases.h"

#include "helpers.h"
#include "test.h"

const struct ip_case ip_cases[] = {
    { "sf:q=3", 3, 1, false },
    { "sf:q=4", 4, 2, false },
    { "sf:q=5", 4, 1, true },
    { "ft2:ports=8", 2, 1, false },
    { "ft3:ports=4", 2, 2, false },
    { "hx2:4x3,p=3,links=2", 3, 3, false },
    { "df:a=4,h=2,p=2", 2, 1, false },
    { "xpander:k=5,lift=4,seed=2", 3, 2, true },
    { "jellyfish:n=16,k=4,p=2,seed=3", 4, 2, false },
    { "pf:q=4", 3, 1, false },
};
const size_t n_ip_cases = ARRAY_SIZE(ip_cases);

struct sf_fabric *
ip_fabric(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_fabric *fabric;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_fabric_from_topology(topo, NULL, &fabric, &err) == SF_OK,
              "%s", err.text);
    sf_topology_free(topo);
    return fabric;
}

struct ip_routed
ip_route(const struct ip_case *from, enum sf_ip_alternates alternates)
{
    struct ip_routed routed = { .fabric = ip_fabric(from->spec) };
    struct sf_routing_params params = { .layers = { .n_layers = from->n_layers,
                                                    .seed = 1 },
                                        .n_path_sets = from->n_sets };
    struct sf_ip_params plan = { .is_v6 = from->is_v6 };
    struct sf_network *network;
    struct sf_error err = { 0 };

    CHECK_FOR(sf_network_build(routed.fabric, &network, &err) == SF_OK, "%s",
              err.text);
    CHECK_FOR(sf_routing_build(network, &params, &routed.routing, &err) ==
                  SF_OK,
              "%s: %s", from->spec, err.text);
    sf_network_free(network);
    routed.network = routed.routing->network;
    plan.n_layers = routed.routing->routes->n_addresses;
    CHECK_FOR(sf_ip_plan_addresses(routed.fabric, &plan, &routed.addresses,
                                   &err) == SF_OK,
              "%s: %s", from->spec, err.text);
    CHECK_FOR(sf_ip_encode(routed.network, routed.routing->routes,
                           &routed.addresses, alternates, &routed.tables,
                           &err) == SF_OK,
              "%s: %s", from->spec, err.text);
    return routed;
}

void
ip_routed_clear(struct ip_routed *routed)
{
    sf_ip_tables_free(routed->tables);
    sf_routing_free(routed->routing);
    sf_fabric_free(routed->fabric);
}
