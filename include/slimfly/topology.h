/* topology.h -- switches and links, nothing else: what a spec such as
 * "sf:q=5" describes.
 *
 * A spec is FAMILY:KEY=VALUE,KEY=VALUE...; the families stand in
 * sf_families[], and "slimfly topology --list" prints them.  Hosts appear only
 * as a number for each switch; ports, names of hosts, racks and cables belong
 * to the fabric. */
#ifndef SLIMFLY_TOPOLOGY_H
#define SLIMFLY_TOPOLOGY_H

#include "slimfly/error.h"
#include "slimfly/graph.h"
#include "slimfly/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#define SF_MAX_COORDS   3
#define SF_MAX_SWITCHES (UINT32_C(1) << 17) /* LIDs end at 49,151. */
#define SF_MAX_LINKS    (UINT32_C(1) << 24)
#define SF_MAX_NAME     64 /* An InfiniBand node description, with its NUL. */

/* A family of topologies.  'title' and 'example' are for people; 'coords'
 * names the numbers that tell a switch's place (see sf_topology_place());
 * 'level_coord' and 'group_coord' say which of them is the level of a tree
 * and which the part that one would put into a rack, SF_NONE where there is
 * none; 'group_part' is what the parts of a group are called that have links
 * of their own, "subgroup", NULL where groups are all of a piece. */
struct sf_family_ops; /* lib/topology/family.h */
struct sf_family {
    const char *name, *title, *example;
    const char *reference; /* A key of doc/REFERENCES.md. */
    struct sf_param params[SF_MAX_PARAMS];
    const char *coords[SF_MAX_COORDS];
    uint32_t level_coord, group_coord;
    const char *group_part;
    const struct sf_family_ops *ops;
};

/* All families, ended by NULL; the first is the one that others are compared
 * with. */
extern const struct sf_family *const sf_families[];

/* The number of the family that a spec, or its name alone, names; SF_NONE if
 * there is none. */
uint32_t sf_family_find(const char *spec);

struct sf_topology {
    const struct sf_family *family;
    char *spec;             /* As given, keys in the family's order. */
    struct sf_graph *graph; /* The switches and the links between them. */
    uint32_t *n_hosts;      /* [n_switches] Endpoints on each switch. */
    uint32_t n_endpoints;   /* Their sum. */
    uint32_t n_coords;      /* How many of family->coords there are. */
    uint32_t *places;       /* [n_switches * n_coords] */
    char **names;           /* [n_switches], or NULL if they follow from the
                             * places. */
};

/* Builds what 'spec' describes.  On success the caller owns '*topop'; on
 * failure it is NULL and 'err', if nonnull, says what is wrong with the spec
 * and what was expected (SF_EINVAL, SF_ELIMIT), or which line of which file
 * is wrong (SF_EPARSE). */
enum sf_status sf_topology_build(const char *spec, struct sf_topology **topop,
                                 struct sf_error *err);
void sf_topology_free(struct sf_topology *topo);

/* The place of switch 's': a number for each of family->coords. */
static inline const uint32_t *
sf_topology_place(const struct sf_topology *topo, uint32_t s)
{
    return topo->places + (size_t)s * topo->n_coords;
}

/* How far a link between two switches reaches. */
enum sf_reach {
    SF_REACH_NEAR,   /* Their places differ in the last number only. */
    SF_REACH_GROUP,  /* They are in the same group. */
    SF_REACH_BEYOND, /* They are not, or there are no groups. */
    SF_N_REACHES,
};

enum sf_reach sf_topology_reach(const struct sf_topology *topo, uint32_t a,
                                uint32_t b);

/* Which group, the part that one would put into a rack, 's' belongs to;
 * SF_NONE in families without groups and for the core of a tree. */
uint32_t sf_topology_group(const struct sf_topology *topo, uint32_t s);

/* Writes the name of switch 's' into 'name' and returns 'name'. */
char *sf_topology_switch_name(const struct sf_topology *topo, uint32_t s,
                              char name[SF_MAX_NAME]);

/* The concentration p: how many hosts a switch carries that carries the most
 * (in every family, all that carry any). */
uint32_t sf_topology_concentration(const struct sf_topology *topo);

/* The most ports that a switch uses, for links and hosts. */
uint32_t sf_topology_ports(const struct sf_topology *topo);

/* Sets 'n_kept' [n_switches], which may be topo->n_hosts, to the hosts of each
 * switch if 'n_hosts' of all are left, at most n_endpoints.  Those that go are
 * the last ones of switches, evenly spread: none has two less before each has
 * one less. */
void sf_topology_keep_hosts(const struct sf_topology *topo, uint32_t n_hosts,
                            uint32_t *n_kept);

#pragma GCC visibility pop
#endif
