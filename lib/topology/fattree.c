/* fattree.c -- Fat Trees of two and three levels [Leiserson85] [AlFares08].
 *
 * Two levels, ft2 and ft2b: every leaf is joined to every core by 'up'
 * parallel links; p hosts sit on each leaf.  With K-port switches and nothing
 * else said, K leaves with K/2 hosts and K/2 cores; fewer leaves make room
 * for parallel links and need fewer cores, as in the tree of [Blach24]: 36
 * ports, 12 leaves, 6 cores, 3 links each.
 *
 * Three levels, ft3: pods of K/2 edge and K/2 aggregation switches, completely
 * joined; aggregation switch i of every pod is joined to the cores of plane i.
 *
 * A level of a place is 0 for the leaves. */
#include "topology/fattree.h"

#include "topology/family.h"

#include <stdio.h>

#define MAX_PORTS 1024
#define MAX_LEAF  65536

static enum sf_status
draw_two_levels(uint32_t n_leaf, uint32_t n_core, uint32_t n_parallel,
                uint32_t p, struct sf_sketch *sketch, struct sf_error *err)
{
    enum sf_status status =
        sf_sketch_begin(sketch, (uint64_t)n_leaf + n_core,
                        (uint64_t)n_leaf * n_core * n_parallel, err);
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t leaf = 0; leaf < n_leaf; leaf++) {
        sf_sketch_switch(sketch, leaf, (uint32_t[]){ 0, leaf }, p);
        for (uint32_t core = 0; core < n_core; core++) {
            sf_sketch_link(sketch, leaf, n_leaf + core, n_parallel);
        }
    }
    for (uint32_t core = 0; core < n_core; core++) {
        sf_sketch_switch(sketch, n_leaf + core, (uint32_t[]){ 1, core }, 0);
    }
    return SF_OK;
}

/* Refuses a tree that needs more ports than 'ports', if that was given. */
static enum sf_status
check_ports(const struct sf_value *ports, uint32_t leaf_ports,
            uint32_t core_ports, struct sf_error *err)
{
    if (ports->given && leaf_ports > ports->number) {
        return sf_fail(err, SF_EINVAL,
                       "a leaf would need %u ports; the switches have %u",
                       leaf_ports, (uint32_t)ports->number);
    }
    if (ports->given && core_ports > ports->number) {
        return sf_fail(err, SF_EINVAL,
                       "a core would need %u ports; the switches have %u",
                       core_ports, (uint32_t)ports->number);
    }
    return SF_OK;
}

static enum sf_status
draw_ft2(const struct sf_value *values, struct sf_sketch *sketch,
         struct sf_error *err)
{
    const struct sf_value *ports = &values[0], *leaf = &values[1],
                          *core = &values[2], *up = &values[3],
                          *p = &values[4];
    uint32_t n_ports = (uint32_t)ports->number;

    if (!ports->given && !(leaf->given && core->given)) {
        return sf_fail(err, SF_EINVAL,
                       "expected ports, or leaf and core, as in ft2:ports=36 "
                       "and ft2:leaf=12,core=6,up=3");
    }
    uint32_t n_leaf = sf_value_or(leaf, n_ports);
    if (ports->given && n_leaf > n_ports) {
        return sf_fail(err, SF_EINVAL,
                       "leaf = %u: a core of %u ports reaches at most %u "
                       "leaves",
                       n_leaf, n_ports, n_ports);
    }
    /* Half of a leaf's ports go up, unless the hosts leave more or less. */
    uint32_t n_uplinks = n_ports / 2;
    if (ports->given && p->given && p->number < n_ports) {
        uint32_t left = n_ports - (uint32_t)p->number;
        n_uplinks = left < n_uplinks ? left : n_uplinks;
    }
    uint32_t n_core, n_parallel;
    if (core->given) {
        n_core = (uint32_t)core->number;
        n_parallel =
            !ports->given || n_uplinks < n_core ? 1 : n_uplinks / n_core;
        n_parallel = sf_value_or(up, n_parallel);
    } else if (up->given) {
        n_parallel = (uint32_t)up->number;
        n_core = n_uplinks < n_parallel ? 1 : n_uplinks / n_parallel;
    } else {
        n_core = sf_fat_tree_cores(n_uplinks, n_ports, n_leaf);
        n_parallel = n_uplinks / n_core;
    }
    uint64_t uplinks = (uint64_t)n_core * n_parallel;
    if (uplinks > MAX_PORTS) {
        return sf_fail(err, SF_ELIMIT,
                       "%u cores with %u links to each leaf: a leaf would "
                       "need %llu ports up, the limit is %d",
                       n_core, n_parallel, (unsigned long long)uplinks,
                       MAX_PORTS);
    }
    uint32_t n_hosts = sf_value_or(p, (uint32_t)uplinks);
    enum sf_status status = check_ports(ports, n_hosts + (uint32_t)uplinks,
                                        n_leaf * n_parallel, err);
    if (status != SF_OK) {
        return status;
    }
    return draw_two_levels(n_leaf, n_core, n_parallel, n_hosts, sketch, err);
}

static enum sf_status
draw_ft2b(const struct sf_value *values, struct sf_sketch *sketch,
          struct sf_error *err)
{
    uint32_t ports = (uint32_t)values[0].number;
    uint32_t over = (uint32_t)values[1].number;
    uint32_t n_leaf = sf_value_or(&values[2], ports);
    uint32_t n_uplinks = ports / (over + 1);

    if (n_uplinks == 0) {
        return sf_fail(err, SF_EINVAL,
                       "over = %u: %u ports leave no link upwards", over,
                       ports);
    }
    if (n_leaf > ports) {
        return sf_fail(err, SF_EINVAL,
                       "leaf = %u: a core of %u ports reaches at most %u "
                       "leaves",
                       n_leaf, ports, ports);
    }
    uint32_t n_core = sf_fat_tree_cores(n_uplinks, ports, n_leaf);
    uint32_t p = sf_value_or(&values[3], n_uplinks * over);
    enum sf_status status = check_ports(&values[0], p + n_uplinks, 0, err);
    if (status != SF_OK) {
        return status;
    }
    return draw_two_levels(n_leaf, n_core, n_uplinks / n_core, p, sketch, err);
}

static enum sf_status
draw_ft3(const struct sf_value *values, struct sf_sketch *sketch,
         struct sf_error *err)
{
    uint32_t ports = (uint32_t)values[0].number;
    uint32_t half = ports / 2;
    uint32_t n_pods = sf_value_or(&values[1], ports);
    uint32_t p = sf_value_or(&values[2], half);

    if (ports % 2 != 0) {
        return sf_fail(err, SF_EINVAL, "ports = %u: expected an even number",
                       ports);
    }
    if (n_pods > ports) {
        return sf_fail(err, SF_EINVAL,
                       "pods = %u: a core of %u ports reaches at most %u pods",
                       n_pods, ports, ports);
    }
    enum sf_status status = check_ports(&values[0], p + half, 0, err);
    if (status != SF_OK) {
        return status;
    }
    uint32_t n_core =
        sf_fat_tree_cores(half, ports, n_pods); /* In each plane. */
    uint64_t n_edge = (uint64_t)n_pods * half;
    status = sf_sketch_begin(sketch, 2 * n_edge + (uint64_t)half * n_core,
                             2 * n_edge * half, err);
    if (status != SF_OK) {
        return status;
    }

    uint32_t first_aggregation = (uint32_t)n_edge;
    uint32_t first_core = 2 * (uint32_t)n_edge;
    for (uint32_t pod = 0; pod < n_pods; pod++) {
        for (uint32_t i = 0; i < half; i++) {
            uint32_t edge = pod * half + i;
            uint32_t aggregation = first_aggregation + edge;
            sf_sketch_switch(sketch, edge, (uint32_t[]){ 0, pod, i }, p);
            sf_sketch_switch(sketch, aggregation, (uint32_t[]){ 1, pod, i },
                             0);
            for (uint32_t j = 0; j < half; j++) {
                sf_sketch_link(sketch, edge,
                               first_aggregation + pod * half + j, 1);
            }
            for (uint32_t j = 0; j < n_core; j++) {
                sf_sketch_link(sketch, aggregation,
                               first_core + i * n_core + j, half / n_core);
            }
        }
    }
    for (uint32_t plane = 0; plane < half; plane++) {
        for (uint32_t i = 0; i < n_core; i++) {
            sf_sketch_switch(sketch, first_core + plane * n_core + i,
                             (uint32_t[]){ 2, plane, i }, 0);
        }
    }
    return SF_OK;
}

static void
name_two_levels(const uint32_t *place, char name[SF_MAX_NAME])
{
    snprintf(name, SF_MAX_NAME, "%s-%u", place[0] ? "core" : "leaf", place[1]);
}

static void
name_three_levels(const uint32_t *place, char name[SF_MAX_NAME])
{
    static const char *const levels[] = { "edge", "agg", "core" };
    snprintf(name, SF_MAX_NAME, "%s-%u-%u", levels[place[0]], place[1],
             place[2]);
}

static const struct sf_family_ops ft2_ops = { draw_ft2, name_two_levels };
static const struct sf_family_ops ft2b_ops = { draw_ft2b, name_two_levels };
static const struct sf_family_ops ft3_ops = { draw_ft3, name_three_levels };

const struct sf_family sf_family_ft2 = {
    .name = "ft2",
    .title = "two-level Fat Tree, full bandwidth",
    .example = "ft2:ports=36",
    .reference = "Leiserson85",
    .params = {
        { .key = "ports", SF_PARAM_NUMBER, 2, MAX_PORTS, false, "from the others",
          "ports of a switch" },
        { .key = "leaf", SF_PARAM_NUMBER, 1, MAX_LEAF, false, "as many as ports",
          "leaf switches" },
        { .key = "core", SF_PARAM_NUMBER, 1, MAX_LEAF, false,
          "as few as the ports allow", "core switches" },
        { .key = "up", SF_PARAM_NUMBER, 1, MAX_PORTS, false,
          "as many as the ports allow, or 1",
          "parallel links from each leaf to each core" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "a leaf's links up",
          "hosts a leaf" },
    },
    .coords = { "level", "index" },
    .level_coord = 0,
    .group_coord = SF_NONE,
    .ops = &ft2_ops,
};

const struct sf_family sf_family_ft2b = {
    .name = "ft2b",
    .title = "two-level Fat Tree, oversubscribed",
    .example = "ft2b:ports=36,over=3",
    .reference = "Leiserson85",
    .params = {
        { .key = "ports", SF_PARAM_NUMBER, 2, MAX_PORTS, false, NULL,
          "ports of a switch" },
        { .key = "over", SF_PARAM_NUMBER, 1, MAX_PORTS, false, NULL,
          "hosts for each link up" },
        { .key = "leaf", SF_PARAM_NUMBER, 1, MAX_PORTS, false, "as many as ports",
          "leaf switches" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "over times links up",
          "hosts a leaf" },
    },
    .coords = { "level", "index" },
    .level_coord = 0,
    .group_coord = SF_NONE,
    .ops = &ft2b_ops,
};

const struct sf_family sf_family_ft3 = {
    .name = "ft3",
    .title = "three-level Fat Tree, full bandwidth",
    .example = "ft3:ports=8",
    .reference = "AlFares08",
    .params = {
        { .key = "ports", SF_PARAM_NUMBER, 2, MAX_PORTS, false, NULL,
          "ports of a switch, even" },
        { .key = "pods", SF_PARAM_NUMBER, 1, MAX_PORTS, false, "as many as ports",
          "pods" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "half the ports",
          "hosts an edge switch" },
    },
    .coords = { "level", "group", "index" },
    .level_coord = 0,
    .group_coord = 1,
    .ops = &ft3_ops,
};
