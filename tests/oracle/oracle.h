/* oracle.h -- slow, obvious answers to hold the library against.
 *
 * Nothing here calls the library: graphs are lists of neighbours, searches
 * are plain, fields multiply polynomials digit by digit, and the topologies
 * test the defining equation for each pair of switches.  Out of memory ends
 * the program. */
#ifndef SF_ORACLE_H
#define SF_ORACLE_H

#include "slimfly/topology.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Like calloc(), but never NULL. */
void *oracle_calloc(size_t n_items, size_t item_size);

/* A graph: the links in any order, and each node's neighbours, one entry a
 * parallel link. */
struct oracle_graph {
    uint32_t n, n_links;
    struct sf_link *links; /* [n_links] */
    uint32_t *degree;      /* [n] */
    uint32_t **near;       /* [n][degree] */
};

struct oracle_graph *oracle_graph_make(uint32_t n, const struct sf_link *links,
                                       uint32_t n_links);

/* The same from what the library built, by its list of links only. */
struct oracle_graph *oracle_graph_of(const struct sf_graph *graph);
void oracle_graph_free(struct oracle_graph *graph);

/* How many links join each two nodes: [n * n]. */
uint32_t *oracle_matrix(const struct oracle_graph *graph);

/* Distances from one node, SF_NONE where it does not reach: [n]. */
void oracle_bfs(const struct oracle_graph *graph, uint32_t from,
                uint32_t *distance);

/* Distances between all nodes, found without any search: [n * n]. */
uint32_t *oracle_floyd_warshall(const struct oracle_graph *graph);

/* How far apart the ordered pairs of two nodes are. */
struct oracle_distances {
    uint32_t n_members;   /* Nodes that count. */
    uint32_t diameter;    /* SF_NONE if not connected. */
    uint64_t sum;         /* Of all finite distances. */
    double average;       /* NAN if not connected, or if there is no pair. */
    uint32_t n_distances; /* Longest finite distance + 1. */
    uint64_t *n_pairs;    /* [n_distances] */
};

/* Between the nodes of which 'member' is true, or all if it is NULL. */
struct oracle_distances *oracle_distances(const struct oracle_graph *graph,
                                          const bool *member);
void oracle_distances_free(struct oracle_distances *distances);

/* The longest distance, SF_NONE if not connected. */
uint32_t oracle_diameter(const struct oracle_graph *graph);

/* For every link: the way between its ends without it, plus one. */
uint32_t oracle_girth(const struct oracle_graph *graph);

uint32_t oracle_n_parts(const struct oracle_graph *graph);

/* Whether the nodes of 'a' can be renumbered so that it becomes 'b'; for
 * graphs without parallel links. */
bool oracle_isomorphic(const struct oracle_graph *a,
                       const struct oracle_graph *b);

/* Whether n = p^k, by trying all p and k. */
bool oracle_is_prime_power(uint32_t n, uint32_t *pp, uint32_t *kp);

/* GF(p^k) as field.h defines it: digits base p are the coefficients of a
 * polynomial modulo x^k - t. */
struct oracle_field {
    uint32_t q, p, k;
    uint32_t t;         /* 0 if k = 1. */
    uint32_t primitive; /* The smallest element that generates the others. */
};

/* False if 'q' is not a prime power. */
bool oracle_field_make(uint32_t q, struct oracle_field *field);
uint32_t oracle_add(const struct oracle_field *field, uint32_t a, uint32_t b);
uint32_t oracle_sub(const struct oracle_field *field, uint32_t a, uint32_t b);
uint32_t oracle_mul(const struct oracle_field *field, uint32_t a, uint32_t b);

/* The McKay-Miller-Siran graph of q = 4w + delta; switch (s, r, i) is node
 * s q^2 + r q + i. */
struct oracle_graph *oracle_mms(uint32_t q);

/* The Erdos-Renyi polarity graph: the points of the projective plane over
 * GF(q), joined where their product is 0. */
struct oracle_graph *oracle_polarfly(uint32_t q);

/* Checks of structure, by the places of the switches.  They return NULL, or
 * what is wrong. */

/* Switches in one row or one column are joined by 'n_parallel' links, others
 * by none. */
const char *oracle_check_hyperx(const struct sf_topology *topo, uint32_t rows,
                                uint32_t columns, uint32_t n_parallel);

/* 'n_leaf' switches with 'p' hosts each, 'n_core' with none; each leaf has
 * 'up' links to each core. */
const char *oracle_check_fat_tree2(const struct sf_topology *topo,
                                   uint32_t n_leaf, uint32_t n_core,
                                   uint32_t up, uint32_t p);

/* As many pods as ports; in a pod each edge switch is joined to each
 * aggregation switch, and each core switch is joined to each pod once. */
const char *oracle_check_fat_tree3(const struct sf_topology *topo,
                                   uint32_t ports);

/* 'g' complete groups of 'a' switches; a switch has 'h' links to other groups,
 * where one port a group may be free if their number is odd; any two groups
 * share the same number of links, or one more. */
const char *oracle_check_dragonfly(const struct sf_topology *topo, uint32_t a,
                                   uint32_t h, uint32_t g);

/* k + 1 metanodes of 'lift' switches, a perfect matching between any two. */
const char *oracle_check_xpander(const struct sf_topology *topo, uint32_t k,
                                 uint32_t lift);

#endif
