/* shapes.h -- the sizes of networks by formula, so that thousands of them can
 * be looked at before one is built. */
#ifndef SF_DESIGN_SHAPES_H
#define SF_DESIGN_SHAPES_H

#include "base/mem.h"
#include "slimfly/design.h"

struct shape_family;

/* A network without its hosts; how many there are is decided later. */
struct shape {
    const struct shape_family *family;
    uint32_t ports;     /* Of a switch. */
    uint32_t size[3];   /* What the family's spec is made of. */
    uint32_t n_hosting; /* Switches that carry hosts: the first ones. */
    uint32_t n_switches;
    uint64_t n_links;
    uint32_t link_ports; /* Links at a switch that carries hosts. */
    uint32_t p;          /* Hosts that the family recommends on it */
    uint32_t p_max;      /* and the most that ports and overload allow. */
};

typedef SF_VEC(struct shape) shape_list;

/* What sizes are looked for. */
struct shape_query {
    uint32_t ports;
    uint32_t n_endpoints; /* Sizes next to this, above and below. */
    double overload;      /* As in struct sf_design_params. */
};

struct shape_family {
    const char *name; /* As in sf_families[]. */

    /* Appends the shapes that fit 'query': for every choice of the other
     * numbers, the next size that holds the endpoints and the one before it,
     * or the largest if none does.  False if out of memory. */
    bool (*list)(const struct shape_query *query, shape_list *list);

    /* Writes the spec of 'shape' with 'p' hosts on each switch. */
    void (*spell)(const struct shape *shape, uint32_t p,
                  char spec[SF_SPEC_SIZE]);
};

/* All of them, ended by NULL. */
extern const struct shape_family *const shape_families[];

/* family->list(), and says in each shape which family it is of. */
bool shape_list_near(const struct shape_family *family,
                     const struct shape_query *query, shape_list *list);

const struct shape_family *shape_family_find(const char *name, size_t length);

static inline uint32_t
shape_endpoints(const struct shape *shape, uint32_t p)
{
    return shape->n_hosting * p;
}

/* Whether 'p' hosts a switch are enough that its links are not a waste. */
static inline bool
shape_is_worthwhile(const struct shape *shape, uint32_t p)
{
    return 3 * p >= 2 * shape->p;
}

#endif
