/* ip_plan.c -- see ip_plan.h. */
#define _GNU_SOURCE
#include "ip_plan.h"
#include "routed.h"

#include <stdlib.h>
#include <string.h>

/* Says which option an error of addresses is about. */
static void
name_option(const struct cli_ip_params *params, struct sf_error *err)
{
    if (params->addresses.prefix) {
        sf_error_add_context(err, "--prefix");
    }
}

/* Whether addresses and names fit what is about to be routed. */
static bool
check_network(const void *aux, const struct sf_network *network,
              uint32_t n_layers)
{
    const struct cli_ip_params *params = aux;
    struct sf_ip_params addresses = params->addresses;
    struct sf_ip_tables tables = { .n_switches = network->fabric->n_switches };
    struct sf_ip_plan plan = { network,
                               &tables,
                               NULL,
                               &sf_ip_default_classes,
                               params->switch_ports,
                               params->host_ports };
    struct sf_error err;

    addresses.n_layers = n_layers;
    if (sf_ip_plan_addresses(network->fabric, &addresses, &tables.addresses,
                             &err) != SF_OK) {
        name_option(params, &err);
        cli_fail("%s", err.text);
        return false;
    }
    if (sf_ip_plan_check(&plan, &err) != SF_OK) {
        cli_fail("%s", err.text);
        return false;
    }
    return true;
}

bool
cli_ip_load(struct cli_ip *ip, const struct cli_args *args, const char *word,
            const struct cli_ip_params *params)
{
    struct sf_ip_params addresses = params->addresses;
    struct sf_error err = { 0 };

    *ip = (struct cli_ip){ 0 };
    double start = cli_seconds();
    ip->routing = cli_load_routing_if(
        args, word, (struct sf_routing_params){ 0 }, check_network, params);
    if (!ip->routing) {
        return false;
    }
    const struct sf_network *network = ip->routing->network;
    addresses.n_layers = ip->routing->routes->n_addresses;
    enum sf_status status = sf_ip_plan_addresses(network->fabric, &addresses,
                                                 &ip->addresses, &err);
    if (status != SF_OK) {
        name_option(params, &err);
    }
    if (status == SF_OK) {
        status = sf_ip_encode(network, ip->routing->routes, &ip->addresses,
                              params->alternates, &ip->tables, &err);
    }
    if (status == SF_OK) {
        status = sf_ip_names_build(network->fabric, &ip->names, &err);
    }
    ip->seconds = cli_seconds() - start;
    if (status != SF_OK) {
        cli_fail("%s", err.text);
    }
    return status == SF_OK;
}

void
cli_ip_clear(struct cli_ip *ip)
{
    sf_ip_names_free(ip->names);
    sf_ip_tables_free(ip->tables);
    sf_routing_free(ip->routing);
}
