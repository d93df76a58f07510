/* family_sizes.h -- the sizes in which each family comes, by formula: numbers
 * of switches, links and ports.  Thousands of sizes can be looked at before
 * one is built. */
#ifndef SF_DESIGN_FAMILY_SIZES_H
#define SF_DESIGN_FAMILY_SIZES_H

#include "base/mem.h"
#include "slimfly/design.h"

struct family_sizes;

/* One size of a family.  How many hosts its switches carry is decided
 * later. */
struct network_size {
    const struct family_sizes *family;
    uint32_t ports;      /* Of a switch. */
    uint32_t numbers[3]; /* Of the family's spec, such as q. */
    uint32_t n_hosting;  /* Switches that carry hosts: the first ones. */
    uint32_t n_switches;
    uint64_t n_links;
    uint32_t link_ports; /* Links at a switch that carries hosts. */
    uint32_t p;     /* Hosts that the family recommends on such a switch */
    uint32_t p_max; /* and the most that ports and overload allow. */
};

typedef SF_VEC(struct network_size) network_size_list;

/* Which sizes are looked for. */
struct size_query {
    uint32_t ports;         /* Of a switch. */
    uint32_t n_endpoints;   /* Sizes next to this, above and below. */
    double overload;        /* As in struct sf_design_params, */
    bool non_blocking;      /* and this. */
    uint32_t max_addresses; /* Of hosts and switches. */
};

/* How the sizes of a family are found. */
struct family_sizes {
    const char *name; /* As in sf_families[]. */

    /* Appends the sizes that fit 'query': for every choice of the other
     * numbers, the next size that holds the endpoints and the one before it,
     * or the largest if none does.  False if out of memory. */
    bool (*list)(const struct size_query *query, network_size_list *list);

    /* Writes the spec of 'network' with 'p' hosts on each switch. */
    void (*write_spec)(const struct network_size *network, uint32_t p,
                       char spec[SF_SPEC_SIZE]);
};

/* All families that can be sized, ended by NULL. */
extern const struct family_sizes *const sf_all_family_sizes[];

/* Appends the sizes that family->list() finds, with their family.  If they
 * must not block: those of trees, with no more hosts than links up. */
bool sf_family_sizes_near(const struct family_sizes *family,
                          const struct size_query *query,
                          network_size_list *list);

/* The family of that name, or NULL; 'name' need not end after 'length'
 * letters. */
const struct family_sizes *sf_family_sizes_find(const char *name,
                                                size_t length);

/* How many endpoints there are with 'p' hosts a switch. */
static inline uint32_t
network_size_endpoints(const struct network_size *network, uint32_t p)
{
    return network->n_hosting * p;
}

/* Whether 'p' hosts a switch are at least two thirds of what the family
 * recommends; with fewer, links would be wasted. */
static inline bool
network_size_is_worthwhile(const struct network_size *network, uint32_t p)
{
    return 3 * p >= 2 * network->p;
}

#endif
