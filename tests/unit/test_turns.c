/* test_turns.c -- the design of turns: which paths it allows, counted from its
 * VLs and ranks alone. */
#include "base/mem.h"
#include "helpers.h"
#include "routes/turn_table.h"
#include "slimfly/lanes.h"
#include "slimfly/topology.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

struct designed {
    struct sf_topology *topo;
    struct sf_network *network;
    struct sf_turns *turns;
};

static struct designed
design(const char *spec, uint32_t n_gates, uint32_t max_vls, uint64_t seed)
{
    struct sf_lanes_params params = { .max_vls = max_vls, .seed = seed };
    struct designed is = { 0 };

    CHECK_EQ(sf_topology_build(spec, &is.topo, NULL), SF_OK);
    is.network = network_of(is.topo->graph, NULL);
    CHECK_EQ(sf_turns_design(is.network, &params, n_gates, &is.turns, NULL),
             SF_OK);
    return is;
}

static void
end(struct designed *is)
{
    sf_turns_free(is->turns);
    sf_network_free(is->network);
    sf_topology_free(is->topo);
}

/* The rank of the channel that a path takes on 'out' after 'in'. */
static uint32_t
rank_after(const struct designed *is, uint32_t in, uint32_t out)
{
    const struct sf_turns *turns = is->turns;
    uint8_t vl = turns->vls[sf_turn_number(turns->first, is->network->graph,
                                           is->network->reverse, in, out)];

    CHECK(vl < turns->n_vls);
    return turns->ranks[(size_t)out * turns->n_vls + vl];
}

/* Fewer than this is not told apart. */
#define MOST_DEGREE 64

/* The links by which paths between two switches leave and arrive: may[i] has
 * a bit for each last link of a path with first link i. */
struct ends {
    uint64_t may[MOST_DEGREE];
};

/* Finds a last link for first link 'i', moving others if need be. */
static bool
match(const struct ends *ends, uint32_t i, uint32_t *owners, uint64_t *seen)
{
    for (uint32_t j = 0; j < MOST_DEGREE; j++) {
        uint64_t bit = UINT64_C(1) << j;
        if (!(ends->may[i] & bit) || (*seen & bit)) {
            continue;
        }
        *seen |= bit;
        if (owners[j] == SF_NONE || match(ends, owners[j], owners, seen)) {
            owners[j] = i;
            return true;
        }
    }
    return false;
}

/* The most paths that share neither their first nor their last link.  In
 * graphs without triangles no other link can be common to two of them. */
static uint32_t
count_disjoint(const struct ends *ends)
{
    uint32_t owners[MOST_DEGREE], n = 0;

    memset(owners, 0xff, sizeof owners);
    for (uint32_t i = 0; i < MOST_DEGREE; i++) {
        uint64_t seen = 0;
        n += match(ends, i, owners, &seen);
    }
    return n;
}

struct counts {
    uint64_t n_paths, n_allowed; /* Of three hops. */
    uint32_t fewest_disjoint;    /* Of pairs that are no neighbours. */
    uint32_t n_unserved;         /* Pairs without a path of up to three. */
};

/* Counts the paths from 's' by following all of them. */
static void
count_from(const struct designed *is, uint32_t s, struct ends *ends,
           struct counts *counts)
{
    const struct sf_graph *graph = is->network->graph;
    const uint32_t *reverse = is->network->reverse, *first = graph->first;

    for (uint32_t e = first[s]; e < first[s + 1]; e++) {
        uint32_t b = graph->arcs[e].to, i = e - first[s];
        ends[b].may[i] |= UINT64_C(1) << (reverse[e] - first[b]);
        for (uint32_t f = first[b]; f < first[b + 1]; f++) {
            uint32_t c = graph->arcs[f].to;
            if (c == s) {
                continue;
            }
            /* All paths of two hops are allowed. */
            CHECK(is->turns->ranks[(size_t)e * is->turns->n_vls] <
                  rank_after(is, e, f));
            ends[c].may[i] |= UINT64_C(1) << (reverse[f] - first[c]);
            for (uint32_t g = first[c]; g < first[c + 1]; g++) {
                uint32_t d = graph->arcs[g].to;
                if (d == b || d == s) {
                    continue;
                }
                counts->n_paths++;
                if (rank_after(is, e, f) < rank_after(is, f, g)) {
                    counts->n_allowed++;
                    ends[d].may[i] |= UINT64_C(1) << (reverse[g] - first[d]);
                }
            }
        }
    }
}

static bool
are_neighbours(const struct sf_graph *graph, uint32_t s, uint32_t d)
{
    for (uint32_t e = graph->first[s]; e < graph->first[s + 1]; e++) {
        if (graph->arcs[e].to == d) {
            return true;
        }
    }
    return false;
}

static struct counts
count(const struct designed *is)
{
    const struct sf_graph *graph = is->network->graph;
    uint32_t n = graph->n_nodes;
    struct counts counts = { .fewest_disjoint = SF_NONE };
    struct ends *ends = sf_calloc(n, sizeof *ends);

    CHECK(ends != NULL);
    for (uint32_t s = 0; s < n; s++) {
        memset(ends, 0, n * sizeof *ends);
        count_from(is, s, ends, &counts);
        for (uint32_t d = 0; d < n; d++) {
            if (d == s || are_neighbours(graph, s, d)) {
                continue;
            }
            uint32_t n_disjoint = count_disjoint(&ends[d]);
            counts.n_unserved += n_disjoint == 0;
            counts.fewest_disjoint = n_disjoint < counts.fewest_disjoint
                                         ? n_disjoint
                                         : counts.fewest_disjoint;
        }
    }
    free(ends);
    return counts;
}

/* At least 73 % of the paths of three hops, on two VLs. */
static void
check_slim_fly(uint32_t q, uint32_t n_gates, uint64_t seed, uint32_t fewest)
{
    char spec[32];
    snprintf(spec, sizeof spec, "sf:q=%u", q);
    struct designed is = design(spec, n_gates, 2, seed);
    struct counts counts = count(&is);

    CHECK_EQ(is.turns->n_vls, 2);
    CHECK_FOR(100 * counts.n_allowed >= 73 * counts.n_paths,
              "q = %u, %u gates, seed %llu: %llu of %llu paths", q, n_gates,
              (unsigned long long)seed, (unsigned long long)counts.n_allowed,
              (unsigned long long)counts.n_paths);
    CHECK_FOR(counts.fewest_disjoint >= fewest,
              "q = %u, %u gates, seed %llu: a pair has %u disjoint paths", q,
              n_gates, (unsigned long long)seed, counts.fewest_disjoint);
    end(&is);
}

/* Pairs that are not neighbours have at least five disjoint paths, and at
 * q = 5, where there are six of three hops, four. */
TEST(turns_of_slim_flies_allow_most_paths)
{
    static const struct {
        uint32_t q, fewest;
    } cases[] = { { 5, 4 }, { 7, 5 }, { 8, 5 }, { 9, 5 } };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        check_slim_fly(cases[i].q, 3, 1, cases[i].fewest);
        check_slim_fly(cases[i].q, 15, 1, cases[i].fewest);
    }
}

TEST_LONG(turns_of_large_slim_flies_allow_most_paths)
{
    static const uint32_t sizes[] = { 11, 13, 16, 17, 19 };

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        check_slim_fly(sizes[i], 3, 1, 5);
        check_slim_fly(sizes[i], 15, 1, 5);
    }
}

/* So it is with every seed of these. */
#define FIRST_SEED 101
#define N_SEEDS    40

TEST(turns_of_every_seed_leave_four_disjoint_paths_at_q_5)
{
    for (uint64_t seed = FIRST_SEED; seed < FIRST_SEED + N_SEEDS; seed++) {
        check_slim_fly(5, 3, seed, 4);
    }
}

TEST_LONG(turns_of_every_seed_leave_five_disjoint_paths)
{
    static const uint32_t sizes[] = { 7, 8, 9, 11 };

    for (uint32_t i = 0; i < N_SEEDS * ARRAY_SIZE(sizes); i++) {
        check_slim_fly(sizes[i % ARRAY_SIZE(sizes)], 3,
                       FIRST_SEED + i / ARRAY_SIZE(sizes), 5);
    }
}

/* Where shortest paths have three hops, none may be lost for good. */
TEST(turns_of_dragonflies_serve_every_pair)
{
    for (uint32_t max_vls = 3; max_vls <= 4; max_vls++) {
        struct designed is = design("df:a=4,h=2,p=2", 3, max_vls, 1);
        CHECK_EQ(count(&is).n_unserved, 0);
        CHECK(is.turns->n_vls <= max_vls);
        end(&is);
    }
}

/* Ranks rise over all turns of two hops, whatever the graph and the VLs. */
TEST(turns_of_all_kinds_of_graphs)
{
    static const char *const specs[] = {
        "hx2:3x3,links=2", "jellyfish:n=30,k=4,seed=1",
        "df:a=3,h=1",      "xpander:k=5,lift=4",
        "hx2:1x2",         "hx2:1x1",
    };

    for (uint32_t i = 0; i < 3 * ARRAY_SIZE(specs); i++) {
        struct designed is = design(specs[i / 3], i % 3 * 4, 2 + i % 2, i);
        count(&is);
        CHECK(is.turns->n_vls <= 2 + i % 2);
        end(&is);
    }
}

/* Four VLs hold the same paths as two, and all of them are in use. */
TEST(turns_are_spread_over_the_lanes_that_there_are)
{
    struct designed few = design("sf:q=7", 3, 2, 1);
    struct designed more = design("sf:q=7", 3, 0, 1);
    uint64_t used = 0;
    size_t n_turns = 0;

    for (uint32_t s = 0; s < few.network->graph->n_nodes; s++) {
        uint32_t degree = sf_graph_degree(few.network->graph, s);
        n_turns += (size_t)degree * degree;
    }
    CHECK_EQ(few.turns->n_vls, 2);
    CHECK_EQ(more.turns->n_vls, 4);
    for (size_t i = 0; i < n_turns; i++) {
        uint8_t vl = more.turns->vls[i];
        CHECK_EQ(few.turns->vls[i], vl == SF_NO_TURN ? vl : vl % 2);
        used |= vl == SF_NO_TURN ? 0 : UINT64_C(1) << vl;
    }
    CHECK_EQ(used, 0xe); /* VL 0 is that of first links. */
    CHECK_EQ(count(&few).n_allowed, count(&more).n_allowed);
    end(&few);
    end(&more);
}

/* By levels of arcs with 7 gates, by search with 3. */
TEST(turns_are_the_same_for_a_seed)
{
    for (uint32_t n_gates = 3; n_gates <= 7; n_gates += 4) {
        struct designed one = design("sf:q=5", n_gates, 0, 7);
        struct designed two = design("sf:q=5", n_gates, 0, 7);
        struct designed other = design("sf:q=5", n_gates, 0, 8);
        size_t size = 2 * (size_t)one.network->graph->n_links *
                      one.turns->n_vls * sizeof *one.turns->ranks;

        CHECK_EQ(one.turns->n_vls, 4);
        CHECK(memcmp(one.turns->ranks, two.turns->ranks, size) == 0);
        CHECK(memcmp(one.turns->ranks, other.turns->ranks, size) != 0);
        end(&one);
        end(&two);
        end(&other);
    }
}

/* Fails each allocation of a design in turn. */
static void
check_failures(const struct sf_network *network, uint32_t n_gates)
{
    struct sf_lanes_params params = { .seed = 1 };
    enum sf_status status = SF_ENOMEM;
    unsigned long nth = 0;

    while (status == SF_ENOMEM) {
        struct sf_turns *turns = NULL;
        sf_mem_fail_at(++nth);
        status = sf_turns_design(network, &params, n_gates, &turns, NULL);
        sf_mem_fail_at(0);
        CHECK((status == SF_OK) == (turns != NULL));
        sf_turns_free(turns);
    }
    CHECK_EQ(status, SF_OK);
    CHECK(nth > 10);
}

TEST(turns_survive_failed_allocations)
{
    struct designed is = design("sf:q=3", 3, 0, 1);

    check_failures(is.network, 3);
    check_failures(is.network, 5);
    end(&is);
}
