#include "fabric/host_names.h"

#include "base/mem.h"

#include <string.h>

struct sf_host_name {
    const char *name;
    uint32_t port; /* The number of the port. */
    uint32_t host; /* As the network numbers them. */
};

static int
compare_names(const void *a, const void *b)
{
    const struct sf_host_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->port > y->port) - (x->port < y->port);
}

enum sf_status
sf_host_names_build(const struct sf_network *network,
                    struct sf_host_names *names, struct sf_error *err)
{
    const struct sf_fabric *fabric = network->fabric;
    uint32_t n = sf_network_count_hosts(network);

    names->n_names = n;
    names->names = sf_calloc(n, sizeof *names->names);
    if (!names->names) {
        return sf_fail(err, SF_ENOMEM, "out of memory for names of hosts");
    }
    for (uint32_t h = 0; h < n; h++) {
        const struct sf_port *port = &fabric->ports[network->host_ports[h]];
        names->names[h] =
            (struct sf_host_name){ fabric->nodes[port->node].name,
                                   port->number, h };
    }
    qsort(names->names, n, sizeof *names->names, compare_names);
    return SF_OK;
}

void
sf_host_names_clear(struct sf_host_names *names)
{
    free(names->names);
    *names = (struct sf_host_names){ 0 };
}

uint32_t
sf_host_names_find(const struct sf_host_names *names, const char *name)
{
    uint32_t low = 0, high = names->n_names;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(names->names[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < names->n_names && !strcmp(names->names[low].name, name)
               ? names->names[low].host
               : SF_NONE;
}
