#include "fabric/host_names.h"

#include "base/mem.h"

#include <string.h>

#define BLANKS " \t\r"

struct sf_host_name {
    const char *name;
    size_t length; /* Of its first word. */
    uint32_t port; /* The number of the port. */
    uint32_t host; /* As the network numbers them. */
};

static int
compare_words(const char *a, size_t n_a, const char *b, size_t n_b)
{
    int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
    return order ? order : (n_a > n_b) - (n_a < n_b);
}

static int
compare_names(const void *a, const void *b)
{
    const struct sf_host_name *x = a, *y = b;
    int order = compare_words(x->name, x->length, y->name, y->length);
    order = order ? order : strcmp(x->name, y->name);
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
        const char *name = fabric->nodes[port->node].name;
        names->names[h] = (struct sf_host_name){ name, strcspn(name, BLANKS),
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
    size_t length = strcspn(name, BLANKS);
    bool is_word = !name[length];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct sf_host_name *at = &names->names[middle];
        if (compare_words(at->name, at->length, name, length) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < names->n_names; low++) {
        const struct sf_host_name *at = &names->names[low];
        if (compare_words(at->name, at->length, name, length) != 0) {
            break;
        }
        if (is_word || !strcmp(at->name, name)) {
            return at->host;
        }
    }
    return SF_NONE;
}
