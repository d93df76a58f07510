/* backend.h -- what the technology of a network limits: how many addresses
 * there are, how many a host may have, how many ports a switch. */
#ifndef SLIMFLY_BACKEND_H
#define SLIMFLY_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct sf_backend {
    const char *name, *title;    /* "ib", "InfiniBand" */
    const char *address;         /* What an address is called: "LID". */
    uint64_t max_addresses;      /* In one network. */
    uint32_t max_host_addresses; /* One a layer. */
    uint32_t max_ports;          /* Of a switch. */
    bool in_powers_of_two; /* Whether a host has 1, 2, 4, ... addresses. */
};

/* No technology: the limits are those of the program. */
extern const struct sf_backend sf_backend_any;

/* Addresses that a host has for 'n_layers' layers, at least one; and that a
 * network uses, those of hosts and one for each switch. */
uint32_t sf_backend_host_addresses(const struct sf_backend *backend,
                                   uint32_t n_layers);
uint64_t sf_backend_addresses(const struct sf_backend *backend,
                              uint32_t n_endpoints, uint32_t n_switches,
                              uint32_t n_layers);

/* The most addresses that each host of a network can have, as far as the
 * backend has them; 0 if not even one. */
uint32_t sf_backend_most_addresses(const struct sf_backend *backend,
                                   uint32_t n_endpoints, uint32_t n_switches);

#pragma GCC visibility pop
#endif
