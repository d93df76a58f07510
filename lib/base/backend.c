/* backend.c -- see slimfly/backend.h. */
#include "slimfly/backend.h"

const struct sf_backend sf_backend_any = {
    .name = "any",
    .title = "no technology",
    .address = "address",
    .max_addresses = UINT32_MAX,
    .max_host_addresses = 128,
    .max_ports = 254,
};

uint32_t
sf_backend_host_addresses(const struct sf_backend *backend, uint32_t n_layers)
{
    uint32_t n = 1;

    while (backend->in_powers_of_two && n < n_layers) {
        n *= 2;
    }
    return n_layers > n ? n_layers : n;
}

uint64_t
sf_backend_addresses(const struct sf_backend *backend, uint32_t n_endpoints,
                     uint32_t n_switches, uint32_t n_layers)
{
    return (uint64_t)n_endpoints *
               sf_backend_host_addresses(backend, n_layers) +
           n_switches;
}

uint32_t
sf_backend_most_addresses(const struct sf_backend *backend,
                          uint32_t n_endpoints, uint32_t n_switches)
{
    uint32_t most = 0;

    for (uint32_t n = 1; n <= backend->max_host_addresses; n++) {
        if (sf_backend_addresses(backend, n_endpoints, n_switches, n) <=
            backend->max_addresses) {
            most = sf_backend_host_addresses(backend, n);
        }
    }
    return most;
}
