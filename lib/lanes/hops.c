/* hops.c -- lanes by hop, for paths of at most three [Blach24].
 *
 * The first, second and third hop of every path are on VLs of their own, so
 * that VLs only rise.  A switch knows a first hop by its in port.  It tells a
 * second hop from a third by the SL: switch b has a set of SLs that mean "this
 * is the second hop", and a path s-b-c-d has an SL that is in the set of b and
 * not in that of c.
 *
 * Only links that are really a middle hop need sets that differ.  Sets of
 * equal size differ both ways, so the switches are coloured such that those
 * joined by a middle hop have different colours, and S SLs serve as many
 * colours as there are sets of S/2 of them: 6 SLs serve 20.
 *
 * A reply that takes the same links back needs the opposite of what its
 * request needed, so replies must have the SL of their own path. */
#include "lanes/lane_scheme.h"

#include "base/mem.h"
#include "slimfly/progress.h"

#include <string.h>

#define MAX_PATH_HOPS 3

/* Colours, of which a switch of at most 254 ports needs no more than 255. */
struct colour_set {
    bool has[SF_MAX_PORTS + 2];
};

struct hop_lanes {
    const struct sf_lane_job *job;
    bool *is_middle;   /* [E] Links that are the middle hop of some path. */
    uint32_t *colours; /* [V] */
    uint32_t n_colours;
    struct colour_set *around; /* [V] Colours of the neighbours, */
    uint32_t *n_around;        /* [V] and how many. */
    uint32_t n_sls;
    uint32_t *sets; /* [V] SLs that mean "second hop", a bit each. */
    uint64_t n_by_hop[MAX_PATH_HOPS]; /* Paths that have such a hop. */
    uint32_t first_vl[MAX_PATH_HOPS + 1];
};

/* The arcs of the path of a column from 's'; how many there are, or
 * MAX_PATH_HOPS + 1 if they are too many. */
static uint32_t
follow(const struct sf_graph *graph, const uint16_t *hops, uint32_t s,
       uint32_t *arcs)
{
    uint32_t n = 0;

    while (hops[s] != SF_NO_HOP && n <= MAX_PATH_HOPS) {
        uint32_t arc = graph->first[s] + hops[s];
        if (n < MAX_PATH_HOPS) {
            arcs[n] = arc;
        }
        n++;
        s = graph->arcs[arc].to;
    }
    return n;
}

/* Looks at all paths. */
static enum sf_status
survey(struct hop_lanes *lanes, struct sf_error *err)
{
    const struct sf_lane_job *job = lanes->job;
    const struct sf_graph *graph = job->graph;

    for (uint32_t c = 0; c < job->columns->n_columns; c++) {
        const uint16_t *hops = job->columns->hops[c];
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            uint32_t arcs[MAX_PATH_HOPS];
            uint32_t n = follow(graph, hops, s, arcs);
            if (n > MAX_PATH_HOPS) {
                return sf_fail(err, SF_ELANES,
                               "lanes by hops are for paths of at most %u "
                               "hops, and a path from %s has more; use the "
                               "lanes turns or dfsssp",
                               MAX_PATH_HOPS, sf_graph_name(graph, s).text);
            }
            for (uint32_t i = 0; i < n; i++) {
                lanes->n_by_hop[i]++;
            }
            if (n == MAX_PATH_HOPS) {
                lanes->is_middle[graph->arcs[arcs[1]].link] = true;
            }
        }
    }
    return SF_OK;
}

/* The next switch to colour: the one whose neighbours have the most colours
 * already [Brelaz79]. */
static uint32_t
next_to_colour(const struct hop_lanes *lanes)
{
    uint32_t next = SF_NONE;

    for (uint32_t s = 0; s < lanes->job->graph->n_nodes; s++) {
        if (lanes->colours[s] == SF_NONE &&
            (next == SF_NONE || lanes->n_around[s] > lanes->n_around[next])) {
            next = s;
        }
    }
    return next;
}

/* Colours the switches such that those joined by a middle hop differ.
 * O(V^2). */
static void
colour_switches(struct hop_lanes *lanes)
{
    const struct sf_graph *graph = lanes->job->graph;

    memset(lanes->colours, 0xff, graph->n_nodes * sizeof *lanes->colours);
    for (uint32_t s; (s = next_to_colour(lanes)) != SF_NONE;) {
        uint32_t colour = 0;
        while (lanes->around[s].has[colour]) {
            colour++;
        }
        lanes->colours[s] = colour;
        if (colour >= lanes->n_colours) {
            lanes->n_colours = colour + 1;
        }
        for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
            uint32_t to = graph->arcs[i].to;
            if (lanes->is_middle[graph->arcs[i].link]) {
                lanes->n_around[to] += !lanes->around[to].has[colour];
                lanes->around[to].has[colour] = true;
            }
        }
    }
}

static uint32_t
count_bits(uint32_t set)
{
    return (uint32_t)__builtin_popcount(set);
}

/* Chooses how many SLs there are, and which of them mean "second hop" at each
 * switch. */
static void
choose_sets(struct hop_lanes *lanes)
{
    uint32_t n_sets, n_sls = 0;

    do {
        n_sls++;
        n_sets = 0;
        for (uint32_t set = 0; set < 1u << n_sls; set++) {
            n_sets += count_bits(set) == n_sls / 2;
        }
    } while (n_sets < lanes->n_colours);
    lanes->n_sls = n_sls;
    uint32_t colour = 0;
    for (uint32_t set = 0; set < 1u << n_sls; set++) {
        if (count_bits(set) != n_sls / 2) {
            continue;
        }
        for (uint32_t s = 0; s < lanes->job->graph->n_nodes; s++) {
            if (lanes->colours[s] == colour) {
                lanes->sets[s] = set;
            }
        }
        colour++;
    }
}

/* Shares the VLs out over the hops, by how many paths have them.  False if
 * they are too few. */
static bool
share_vls(struct hop_lanes *lanes)
{
    uint32_t sizes[MAX_PATH_HOPS], n_vls = 0;

    for (uint32_t i = 0; i < MAX_PATH_HOPS; i++) {
        sizes[i] = lanes->n_by_hop[i] > 0 || i == 0;
        n_vls += sizes[i];
    }
    if (n_vls > lanes->job->max_vls) {
        return false;
    }
    for (; n_vls < lanes->job->max_vls; n_vls++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < MAX_PATH_HOPS; i++) {
            if (lanes->n_by_hop[i] * sizes[most] >
                lanes->n_by_hop[most] * sizes[i]) {
                most = i;
            }
        }
        sizes[most]++;
    }
    for (uint32_t i = 0; i < MAX_PATH_HOPS; i++) {
        lanes->first_vl[i + 1] = lanes->first_vl[i] + sizes[i];
    }
    return true;
}

/* A VL for a hop, the more ports the more even. */
static uint8_t
pick_vl(const struct hop_lanes *lanes, uint32_t hop, uint32_t mix)
{
    uint32_t size = lanes->first_vl[hop + 1] - lanes->first_vl[hop];
    return (uint8_t)(lanes->first_vl[hop] + (size ? mix % size : 0));
}

/* Fills the rows of switch 's' from its arc 'in', or from its hosts. */
static void
fill_rows(const struct hop_lanes *lanes, uint32_t s, uint32_t in)
{
    const struct sf_graph *graph = lanes->job->graph;
    uint32_t degree = sf_graph_degree(graph, s);
    bool has_third = lanes->n_by_hop[2] > 0;
    bool is_first = in == degree || lanes->n_by_hop[1] == 0;

    for (uint32_t out = 0; out <= degree; out++) {
        uint8_t *vls = sf_lanes_of(lanes->job->lanes, graph, s, in, out);
        for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
            bool is_second =
                !has_third || lanes->sets[s] >> sl % lanes->n_sls & 1;
            uint32_t hop = is_first ? 0 : is_second ? 1 : 2;
            vls[sl] = pick_vl(lanes, hop, in + out);
        }
    }
}

static void
fill_tables(const struct hop_lanes *lanes)
{
    const struct sf_graph *graph = lanes->job->graph;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        for (uint32_t in = 0; in <= sf_graph_degree(graph, s); in++) {
            fill_rows(lanes, s, in);
        }
    }
}

/* The SLs, a bit each, that the path of a column from 's' may have. */
static uint32_t
allowed_sls(const struct hop_lanes *lanes, const uint16_t *hops, uint32_t s)
{
    const struct sf_graph *graph = lanes->job->graph;
    uint32_t arcs[MAX_PATH_HOPS], all = (1u << lanes->n_sls) - 1;

    if (follow(graph, hops, s, arcs) < MAX_PATH_HOPS) {
        return all;
    }
    uint32_t b = graph->arcs[arcs[0]].to, c = graph->arcs[arcs[1]].to;
    return lanes->sets[b] & ~lanes->sets[c];
}

/* Gives every path the least used of the SLs that it may have. */
static enum sf_status
choose_sls(const struct hop_lanes *lanes, struct sf_error *err)
{
    const struct sf_lane_job *job = lanes->job;
    size_t n = job->graph->n_nodes;
    uint64_t used[SF_N_SLS] = { 0 };
    uint8_t *sls = sf_calloc(job->columns->n_columns, n);

    if (!sls) {
        return sf_fail(err, SF_ENOMEM, "out of memory for service levels");
    }
    for (uint32_t s = 0; s < n; s++) {
        sf_progress_report("giving service levels to paths", s, n);
        for (uint32_t c = 0; c < job->columns->n_columns; c++) {
            uint32_t allowed = allowed_sls(lanes, job->columns->hops[c], s);
            uint8_t best = (uint8_t)__builtin_ctz(allowed);
            for (uint8_t sl = best; sl < lanes->n_sls; sl++) {
                if (allowed >> sl & 1 && used[sl] < used[best]) {
                    best = sl;
                }
            }
            sls[c * n + s] = best;
            used[best] += (1 + (uint64_t)job->columns->n_addresses[c]) *
                          (1 + job->network->n_hosts[s]);
        }
    }
    enum sf_status status = sf_lanes_set_path_sls(job, sls, err);
    free(sls);
    return status;
}

static enum sf_status
make_lanes(struct hop_lanes *lanes, struct sf_error *err)
{
    const struct sf_lane_job *job = lanes->job;
    enum sf_status status = survey(lanes, err);

    if (status != SF_OK) {
        return status;
    }
    if (!share_vls(lanes)) {
        return sf_fail(err, SF_ELANES,
                       "lanes by hops take a VL for each hop, %u, and there "
                       "%s %u; the lanes turns, with layers that obey them, "
                       "need 2",
                       lanes->n_by_hop[2] ? 3u : 2u,
                       job->max_vls == 1 ? "is" : "are", job->max_vls);
    }
    colour_switches(lanes);
    choose_sets(lanes);
    if (lanes->n_sls > SF_N_SLS) {
        return sf_fail(err, SF_ELANES,
                       "lanes by hops take %u SLs here, and there are %u; use "
                       "the lanes turns or dfsssp",
                       lanes->n_sls, SF_N_SLS);
    }
    fill_tables(lanes);
    job->lanes->n_vls = lanes->first_vl[MAX_PATH_HOPS];
    job->lanes->n_sls = job->lanes->n_host_sls = lanes->n_sls;
    return choose_sls(lanes, err);
}

static enum sf_status
build(const struct sf_lane_job *job, struct sf_error *err)
{
    size_t n = job->graph->n_nodes;
    struct hop_lanes lanes = {
        .job = job,
        .is_middle = sf_calloc(job->graph->n_links, sizeof(bool)),
        .colours = sf_calloc(n, sizeof(uint32_t)),
        .around = sf_calloc(n, sizeof(struct colour_set)),
        .n_around = sf_calloc(n, sizeof(uint32_t)),
        .sets = sf_calloc(n, sizeof(uint32_t)),
    };
    enum sf_status status =
        lanes.is_middle && lanes.colours && lanes.around && lanes.n_around &&
                lanes.sets
            ? make_lanes(&lanes, err)
            : sf_fail(err, SF_ENOMEM, "out of memory for lanes");

    free(lanes.sets);
    free(lanes.n_around);
    free(lanes.around);
    free(lanes.colours);
    free(lanes.is_middle);
    return status;
}

static const struct sf_lane_ops ops = { .build = build };

const struct sf_lane_scheme sf_lanes_hops = {
    .name = "hops",
    .title = "lanes by hop",
    .summary = "VLs of their own for the first, second and third hop, told by "
               "in port and SL",
    .reference = "Blach24",
    .is_safe = true,
    .ops = &ops,
};
