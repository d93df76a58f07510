/* family.h -- what a family of topologies provides.  One family a file, one
 * line in families.c; see ARCHITECTURE.md, "How to add a topology". */
#ifndef SF_TOPOLOGY_FAMILY_H
#define SF_TOPOLOGY_FAMILY_H

#include "base/mem.h"
#include "base/spec.h"
#include "slimfly/topology.h"

/* A topology while it is being drawn.  The calls below only take notes: an
 * error is kept until the family is done, so it need not check each. */
struct sf_sketch {
    uint32_t n_switches, n_coords;
    uint32_t *n_hosts;
    uint32_t *places;
    char **names;
    SF_VEC(struct sf_link) links;
    enum sf_status status;
    struct sf_error error;
};

/* Starts a sketch of 'n_switches' switches and, so that a spec for something
 * huge is refused before any work, 'n_links' links at most. */
enum sf_status sf_sketch_begin(struct sf_sketch *sketch, uint64_t n_switches,
                               uint64_t n_links, struct sf_error *err);

/* Puts switch 's' at a place (one number for each of the family's coords)
 * with 'n_hosts' hosts. */
void sf_sketch_switch(struct sf_sketch *sketch, uint32_t s,
                      const uint32_t *place, uint32_t n_hosts);

/* Joins switches 'a' and 'b' by 'n_parallel' links. */
void sf_sketch_link(struct sf_sketch *sketch, uint32_t a, uint32_t b,
                    uint32_t n_parallel);

struct sf_family_ops {
    /* Draws the topology for 'values', which stand in the order of the
     * family's params and are each within their limits.  What is left to
     * check is what depends on several. */
    enum sf_status (*draw)(const struct sf_value *values,
                           struct sf_sketch *sketch, struct sf_error *err);

    /* Writes the name of the switch at 'place'.  NULL: FAMILY-PLACE, the
     * numbers of the place joined by "-". */
    void (*name)(const uint32_t *place, char name[SF_MAX_NAME]);
};

/* Refuses a 'q' that is not a prime power, naming the nearest that are. */
enum sf_status sf_check_prime_power(uint32_t q, struct sf_error *err);

/* The specs of families, "sf:q=5". */
extern const struct sf_spec_sort sf_family_specs;

/* Shared limits: hosts a switch. */
#define SF_MAX_P 4096

#endif
