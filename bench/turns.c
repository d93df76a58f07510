/* turns.c -- lanes by turns of Slim Flies: how many paths they allow, and how
 * long their design takes beside the layers that obey them.
 *
 * Takes the sizes q to measure (default: all up to 19, and 37), of 4 and 16
 * layers. */
#include "base/mem.h"
#include "routes/turn_table.h"
#include "slimfly/slimfly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_DEGREE  64 /* Of switches whose links are told apart. */
#define MOST_COUNTED 19 /* The largest q whose disjoint paths are counted. */
#define MOST_LAYERED 19 /* The largest with 16 layers. */

struct subject {
    uint32_t q, n_layers;
    struct sf_topology *topo;
    struct sf_network *network;
    struct sf_turns *turns;
};

/* By which links allowed paths between two switches leave and arrive: may[i]
 * has a bit for each last link of a path with first link i. */
struct ends {
    uint64_t may[MOST_DEGREE];
};

/* Of pairs that are two hops apart, over paths of up to three hops, and of
 * neighbours, over those of four. */
struct pairs {
    uint64_t n, n_disjoint, n_few;
    uint32_t fewest, wanted;
};

struct counts {
    uint64_t n_paths, n_allowed; /* Of three hops. */
    struct pairs apart, neighbours;
};

static void
check(enum sf_status status, const struct sf_error *err)
{
    if (status != SF_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(EXIT_FAILURE);
    }
}

static double
seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The rank of the channel that a path takes on 'out' after 'in'. */
static uint32_t
rank_after(const struct subject *is, uint32_t in, uint32_t out)
{
    const struct sf_turns *turns = is->turns;
    uint8_t vl = turns->vls[sf_turn_number(turns->first, is->network->graph,
                                           is->network->reverse, in, out)];
    return vl < turns->n_vls ? turns->ranks[(size_t)out * turns->n_vls + vl]
                             : 0;
}

/* A path under way: its first link and its last arc, with that one's rank. */
struct walk {
    uint32_t source, first, arc, rank, n_hops;
};

/* Follows all allowed paths of up to 'most' hops that 'walk' begins; notes
 * those of at most three hops in ends[0], those of four in ends[1]. */
static void
follow(const struct subject *is, struct walk walk, uint32_t most,
       struct ends *ends[2], struct counts *counts)
{
    const struct sf_graph *graph = is->network->graph;
    uint32_t to = graph->arcs[walk.arc].to;
    uint32_t back = is->network->reverse[walk.arc];
    struct ends *at = &ends[walk.n_hops > 3][to];

    at->may[walk.first] |= UINT64_C(1) << (back - graph->first[to]);
    counts->n_allowed += walk.n_hops == 3;
    for (uint32_t out = graph->first[to];
         walk.n_hops < most && out < graph->first[to + 1]; out++) {
        uint32_t next = graph->arcs[out].to;
        uint32_t rank = out == back || next == walk.source
                            ? 0
                            : rank_after(is, walk.arc, out);
        counts->n_paths +=
            walk.n_hops == 2 && out != back && next != walk.source;
        if (rank > walk.rank) {
            follow(is,
                   (struct walk){ walk.source, walk.first, out, rank,
                                  walk.n_hops + 1 },
                   most, ends, counts);
        }
    }
}

/* Finds a last link for first link 'i', moving others if need be. */
static bool
match(const struct ends *ends, uint32_t i, uint32_t *owners, uint64_t *seen)
{
    uint64_t open = ends->may[i] & ~*seen;

    while (open) {
        uint32_t j = (uint32_t)__builtin_ctzll(open);
        *seen |= UINT64_C(1) << j;
        if (owners[j] == SF_NONE || match(ends, owners[j], owners, seen)) {
            owners[j] = i;
            return true;
        }
        open = ends->may[i] & ~*seen;
    }
    return false;
}

/* The most paths of which no two share their first or last link. */
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

static void
note(struct pairs *pairs, const struct ends *ends)
{
    uint32_t n = count_disjoint(ends);

    pairs->fewest = pairs->n == 0 || n < pairs->fewest ? n : pairs->fewest;
    pairs->n++;
    pairs->n_disjoint += n;
    pairs->n_few += n < pairs->wanted;
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

/* Counts the paths by following all of them. */
static struct counts
count(const struct subject *is)
{
    const struct sf_graph *graph = is->network->graph;
    uint32_t n = graph->n_nodes, most = is->q <= MOST_COUNTED ? 4 : 3;
    struct counts counts = { .apart.wanted = is->q <= 5 ? 4 : 5,
                             .neighbours.wanted = 1 };
    struct ends *both = sf_calloc(2 * (size_t)n, sizeof *both);
    struct ends *ends[2] = { both, both + n };

    for (uint32_t s = 0; both && s < n; s++) {
        memset(both, 0, 2 * n * sizeof *both);
        for (uint32_t e = graph->first[s]; e < graph->first[s + 1]; e++) {
            uint32_t rank = is->turns->ranks[(size_t)e * is->turns->n_vls];
            follow(is, (struct walk){ s, e - graph->first[s], e, rank, 1 },
                   most, ends, &counts);
        }
        for (uint32_t d = 0; most == 4 && d < n; d++) {
            if (are_neighbours(graph, s, d)) {
                note(&counts.neighbours, &ends[1][d]);
            } else if (d != s) {
                note(&counts.apart, &ends[0][d]);
            }
        }
    }
    free(both);
    return counts;
}

static void
print(const struct subject *is, const struct counts *counts, double turns,
      double layers)
{
    printf("%3u %7u %4u %8.3f", is->q, is->n_layers, is->turns->n_vls,
           (double)counts->n_allowed / (double)counts->n_paths);
    if (counts->apart.n) {
        printf(" %9u %9llu %10u %9.1f", counts->apart.fewest,
               (unsigned long long)counts->apart.n_few,
               counts->neighbours.fewest,
               (double)counts->neighbours.n_disjoint /
                   (double)counts->neighbours.n);
    } else {
        printf(" %9s %9s %10s %9s", "", "", "", "");
    }
    printf(" %9.3f %9.3f %9.3f\n", turns, layers, turns + layers);
    fflush(stdout);
}

static void
measure(uint32_t q, uint32_t n_layers)
{
    struct subject is = { .q = q, .n_layers = n_layers };
    struct sf_lanes_params lanes = { .seed = 1 };
    struct sf_layers_params params = { .n_layers = n_layers, .seed = 1 };
    struct sf_layers *layers;
    struct sf_error err;
    char spec[16];

    snprintf(spec, sizeof spec, "sf:q=%u", q);
    check(sf_topology_build(spec, &is.topo, &err), &err);
    check(sf_network_from_graph(is.topo->graph, NULL, &is.network, &err),
          &err);
    double start = seconds();
    check(sf_turns_design(is.network, &lanes, n_layers - 1, &is.turns, &err),
          &err);
    double designed = seconds();
    params.turns = is.turns;
    check(sf_layers_build(is.network, &params, &layers, &err), &err);
    double made = seconds();
    struct counts counts = count(&is);
    print(&is, &counts, designed - start, made - designed);
    sf_layers_free(layers);
    sf_turns_free(is.turns);
    sf_network_free(is.network);
    sf_topology_free(is.topo);
}

int
main(int argc, char **argv)
{
    static const uint32_t sizes[] = { 5, 7, 8, 9, 11, 13, 16, 17, 19, 37 };

    printf("  q  layers  VLs    share  disjoint  too few  neighbours      mean"
           "   turns,s  layers,s     sum,s\n");
    for (size_t i = 0; argc == 1 && i < sizeof sizes / sizeof *sizes; i++) {
        measure(sizes[i], 4);
        if (sizes[i] < MOST_LAYERED) {
            measure(sizes[i], 16);
        }
    }
    for (int i = 1; i < argc; i++) {
        measure((uint32_t)strtoul(argv[i], NULL, 10), 4);
        measure((uint32_t)strtoul(argv[i], NULL, 10), 16);
    }
    return EXIT_SUCCESS;
}
