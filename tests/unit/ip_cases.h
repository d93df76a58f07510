/* ip_cases.h -- routed networks for the suites of IP. */
#ifndef SF_IP_CASES_H
#define SF_IP_CASES_H

#include "slimfly/ip.h"

struct ip_case {
    const char *spec;
    uint32_t n_layers, n_sets;
    bool is_v6;
};

/* Small ones of all families. */
extern const struct ip_case ip_cases[];
extern const size_t n_ip_cases;

struct ip_routed {
    struct sf_fabric *fabric;
    struct sf_routing *routing;
    const struct sf_network *network; /* Of the routing. */
    struct sf_ip_addresses addresses;
    struct sf_ip_tables *tables;
};

/* The fabric of a spec, or fails the test. */
struct sf_fabric *ip_fabric(const char *spec);

/* Routes and encodes a case, or fails the test. */
struct ip_routed ip_route(const struct ip_case *from,
                          enum sf_ip_alternates alternates);
void ip_routed_clear(struct ip_routed *routed);

#endif
