/* dfsssp.c -- a lane for each path: SL = VL all the way [Domke11].
 *
 * Paths that would close a cycle of waiting in a lane move to the next one.
 * The original looks for cycles one by one; here a lane has an order of links,
 * and the paths along which it rises stay.  The order is found by letting
 * every link in turn take the best place among the others, so that few paths
 * have to move, and many fewer lanes do than with cycles broken one by one.
 * Where the paths that start at hosts wait in no circle at all, as on trees,
 * the order is exact and there is one lane for them.
 *
 * In the end every path takes the least used of the lanes in which it rises;
 * lanes that were not needed have the same orders once more. */
#include "lanes/lane_scheme.h"

#include "base/mem.h"
#include "routes/turn_table.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#include <string.h>

#define N_PLACES 256
#define N_ROUNDS 12

/* To tell how many lanes would do, more are tried than there can be. */
#define MOST_LANES 64
#define NO_LANE    UINT8_MAX

struct lane_maker {
    const struct sf_lane_job *job;
    uint8_t *lanes;        /* [columns * V] Of the path from each switch. */
    uint32_t *places;      /* [MOST_LANES * 2E] Of the links in each lane. */
    size_t *first;         /* [V] Where the turns of a switch start. */
    uint32_t *n_taking;    /* By turn: paths without a lane that take it. */
    uint32_t *n_before;    /* [2E] Links before one that have no place yet. */
    uint32_t *order;       /* [2E] */
    uint64_t n_left;       /* Paths without a lane. */
    uint32_t n_host_lanes; /* Lanes that paths from hosts have. */
    struct sf_random random;
};

static uint32_t *
places_of(const struct lane_maker *maker, uint32_t lane)
{
    return maker->places + (size_t)lane * 2 * maker->job->graph->n_links;
}

/* The arc after 'arc' on the paths of a column, or SF_NONE. */
static uint32_t
next_arc(const struct sf_graph *graph, const uint16_t *hops, uint32_t arc)
{
    uint32_t at = graph->arcs[arc].to;
    return hops[at] == SF_NO_HOP ? SF_NONE : graph->first[at] + hops[at];
}

static size_t
turn_number(const struct lane_maker *maker, uint32_t in, uint32_t out)
{
    return sf_turn_number(maker->first, maker->job->graph,
                          maker->job->network->reverse, in, out);
}

/* Counts the turns of the paths without a lane: of all, or of those only that
 * start at hosts.  How many paths these are. */
static uint64_t
count_turns(struct lane_maker *maker, bool only_hosts)
{
    const struct sf_lane_job *job = maker->job;
    const struct sf_graph *graph = job->graph;
    uint32_t n = graph->n_nodes;
    uint64_t n_paths = 0;

    for (uint32_t c = 0; c < job->columns->n_columns; c++) {
        const uint16_t *hops = job->columns->hops[c];
        for (uint32_t s = 0; s < n; s++) {
            if (hops[s] == SF_NO_HOP ||
                (only_hosts && !job->network->n_hosts[s]) ||
                maker->lanes[(size_t)c * n + s] != NO_LANE) {
                continue;
            }
            n_paths++;
            uint32_t arc = graph->first[s] + hops[s], next;
            while ((next = next_arc(graph, hops, arc)) != SF_NONE) {
                maker->n_taking[turn_number(maker, arc, next)]++;
                arc = next;
            }
        }
    }
    return n_paths;
}

/* Puts 'arc' where most turns rise. */
static void
place_arc(struct lane_maker *maker, uint32_t *places, uint32_t arc)
{
    const struct sf_graph *graph = maker->job->graph;
    uint32_t from = graph->arcs[maker->job->network->reverse[arc]].to;
    uint32_t to = graph->arcs[arc].to, n_best = 0;
    int64_t gains[N_PLACES + 1] = { 0 }, gain = 0, best = -1;

    for (uint32_t i = graph->first[from]; i < graph->first[from + 1]; i++) {
        uint32_t in = maker->job->network->reverse[i];
        gains[places[in] + 1] += maker->n_taking[turn_number(maker, in, arc)];
    }
    for (uint32_t out = graph->first[to]; out < graph->first[to + 1]; out++) {
        uint32_t n = maker->n_taking[turn_number(maker, arc, out)];
        gains[0] += n;
        gains[places[out]] -= n;
    }
    for (uint32_t i = 0; i < N_PLACES; i++) {
        gain += gains[i];
        n_best = gain > best ? 0 : n_best;
        best = gain > best ? gain : best;
        if (gain == best && sf_random_below(&maker->random, ++n_best) == 0) {
            places[arc] = i;
        }
    }
}

/* Whether the path over 'arc' rises all the way. */
static bool
rises(const struct lane_maker *maker, const uint32_t *places,
      const uint16_t *hops, uint32_t arc)
{
    uint32_t next;

    while ((next = next_arc(maker->job->graph, hops, arc)) != SF_NONE) {
        if (places[arc] >= places[next]) {
            return false;
        }
        arc = next;
    }
    return true;
}

/* Finds places along which all turns that were counted rise.  False if there
 * are none. */
static bool
find_exact_places(struct lane_maker *maker, uint32_t *places)
{
    const struct sf_graph *graph = maker->job->graph;
    uint32_t n_arcs = 2 * graph->n_links, n_placed = 0;

    memset(maker->n_before, 0, n_arcs * sizeof *maker->n_before);
    for (uint32_t arc = 0; arc < n_arcs; arc++) {
        uint32_t to = graph->arcs[arc].to;
        for (uint32_t i = graph->first[to]; i < graph->first[to + 1]; i++) {
            maker->n_before[i] +=
                maker->n_taking[turn_number(maker, arc, i)] > 0;
        }
    }
    for (uint32_t arc = 0; arc < n_arcs; arc++) {
        if (maker->n_before[arc] == 0) {
            maker->order[n_placed++] = arc;
        }
    }
    for (uint32_t k = 0; k < n_placed; k++) {
        uint32_t arc = maker->order[k], to = graph->arcs[arc].to;
        places[arc] = k;
        for (uint32_t i = graph->first[to]; i < graph->first[to + 1]; i++) {
            if (maker->n_taking[turn_number(maker, arc, i)] > 0 &&
                --maker->n_before[i] == 0) {
                maker->order[n_placed++] = i;
            }
        }
    }
    return n_placed == n_arcs;
}

/* Finds places along which many paths without a lane rise. */
static void
find_places(struct lane_maker *maker, uint32_t *places, size_t n_turns)
{
    uint32_t n_arcs = 2 * maker->job->graph->n_links;

    for (int pass = 0; pass < 2; pass++) {
        memset(maker->n_taking, 0, n_turns * sizeof *maker->n_taking);
        uint64_t n_paths = count_turns(maker, pass == 0);
        if (n_paths > 0 && find_exact_places(maker, places)) {
            return;
        }
    }
    for (uint32_t i = 0; i < n_arcs; i++) {
        maker->order[i] = i;
        places[i] = sf_random_below(&maker->random, N_PLACES);
    }
    for (uint32_t i = 0; i < N_ROUNDS; i++) {
        sf_random_shuffle(&maker->random, maker->order, n_arcs);
        for (uint32_t k = 0; k < n_arcs; k++) {
            place_arc(maker, places, maker->order[k]);
        }
    }
}

/* Gives 'lane' to the paths that rise along an order of links. */
static void
fill_lane(struct lane_maker *maker, uint32_t lane, size_t n_turns)
{
    const struct sf_lane_job *job = maker->job;
    const struct sf_graph *graph = job->graph;
    uint32_t n = graph->n_nodes;
    uint32_t *places = places_of(maker, lane);

    find_places(maker, places, n_turns);
    for (uint32_t c = 0; c < job->columns->n_columns; c++) {
        const uint16_t *hops = job->columns->hops[c];
        for (uint32_t s = 0; s < n; s++) {
            uint8_t *of_path = &maker->lanes[(size_t)c * n + s];
            if (hops[s] != SF_NO_HOP && *of_path == NO_LANE &&
                rises(maker, places, hops, graph->first[s] + hops[s])) {
                *of_path = (uint8_t)lane;
                maker->n_left--;
                if (job->network->n_hosts[s] > 0) {
                    maker->n_host_lanes = lane + 1;
                }
            }
        }
    }
}

/* Gives every path the least used of the lanes in which it rises. */
static void
balance(struct lane_maker *maker, uint32_t n_lanes)
{
    const struct sf_lane_job *job = maker->job;
    const struct sf_graph *graph = job->graph;
    uint32_t n = graph->n_nodes;
    uint64_t used[SF_MAX_VLS] = { 0 };

    for (uint32_t c = 0; c < job->columns->n_columns; c++) {
        const uint16_t *hops = job->columns->hops[c];
        uint64_t n_addresses = 1 + (uint64_t)job->columns->n_addresses[c];
        for (uint32_t s = 0; s < n; s++) {
            uint8_t *lane = &maker->lanes[(size_t)c * n + s];
            for (uint32_t i = 0; hops[s] != SF_NO_HOP && i < n_lanes; i++) {
                if (used[i] < used[*lane] &&
                    rises(maker, places_of(maker, i), hops,
                          graph->first[s] + hops[s])) {
                    *lane = (uint8_t)i;
                }
            }
            if (hops[s] != SF_NO_HOP) {
                used[*lane] += n_addresses * (1 + job->network->n_hosts[s]);
            }
        }
    }
}

/* Fills lanes until all paths have one; how many that takes. */
static uint32_t
fill_lanes(struct lane_maker *maker, size_t n_turns)
{
    uint32_t n_lanes = 0;
    uint64_t n_paths = maker->n_left;

    while (maker->n_left > 0 && n_lanes < MOST_LANES) {
        sf_progress_report("giving lanes to paths", n_paths - maker->n_left,
                           n_paths);
        fill_lane(maker, n_lanes++, n_turns);
    }
    return n_lanes > 0 ? n_lanes : 1;
}

/* SL = VL everywhere, and the lane of each path as its SL. */
static enum sf_status
write_lanes(const struct lane_maker *maker, struct sf_error *err)
{
    const struct sf_lane_job *job = maker->job;
    const struct sf_graph *graph = job->graph;
    struct sf_lanes *lanes = job->lanes;
    size_t n_paths = (size_t)job->columns->n_columns * graph->n_nodes;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        size_t n_rows = sf_graph_degree(graph, s) + 1;
        uint8_t *vls = sf_lanes_of(lanes, graph, s, 0, 0);
        for (size_t i = 0; i < n_rows * n_rows * SF_N_SLS; i++) {
            uint8_t sl = i % SF_N_SLS;
            vls[i] = sl < lanes->n_vls ? sl : 0;
        }
    }
    for (size_t i = 0; i < n_paths; i++) {
        if (maker->lanes[i] == NO_LANE) { /* There is no path. */
            maker->lanes[i] = 0;
        }
    }
    return sf_lanes_set_path_sls(job, maker->lanes, err);
}

static enum sf_status
make_lanes(struct lane_maker *maker, size_t n_turns, struct sf_error *err)
{
    const struct sf_lane_job *job = maker->job;
    size_t n_arcs = 2 * (size_t)job->graph->n_links;
    size_t n_paths = (size_t)job->columns->n_columns * job->graph->n_nodes;

    memset(maker->lanes, NO_LANE, n_paths);
    for (uint32_t c = 0; c < job->columns->n_columns; c++) {
        for (uint32_t s = 0; s < job->graph->n_nodes; s++) {
            maker->n_left += job->columns->hops[c][s] != SF_NO_HOP;
        }
    }
    uint32_t n_lanes = fill_lanes(maker, n_turns);
    if (n_lanes > job->max_vls) {
        return sf_fail(
            err, SF_ELANES,
            "a lane for each path takes %s%u VLs, and there %s %u; "
            "fewer layers, or those of the scheme minimal, take fewer",
            maker->n_left ? "more than " : "", n_lanes,
            job->max_vls == 1 ? "is" : "are", job->max_vls);
    }
    uint32_t n_spread =
        job->max_vls < job->max_sls ? job->max_vls : job->max_sls;
    for (uint32_t i = n_lanes; i < n_spread; i++) {
        memcpy(places_of(maker, i), places_of(maker, i % n_lanes),
               n_arcs * sizeof *maker->places);
    }
    /* If hosts need one lane only, all their traffic may be on SL 0. */
    if (n_lanes > 1 && maker->n_host_lanes > 1) {
        n_lanes = n_spread > n_lanes ? n_spread : n_lanes;
        maker->n_host_lanes = n_lanes;
        balance(maker, n_lanes);
    }
    job->lanes->n_vls = job->lanes->n_sls = n_lanes;
    job->lanes->n_host_sls = maker->n_host_lanes;
    return write_lanes(maker, err);
}

static enum sf_status
build(const struct sf_lane_job *job, struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    size_t n = graph->n_nodes, n_arcs = 2 * (size_t)graph->n_links;
    size_t n_turns = 0;
    struct lane_maker maker = {
        .job = job,
        .lanes = sf_calloc(job->columns->n_columns, n),
        .places = sf_calloc(MOST_LANES, n_arcs * sizeof *maker.places),
        .n_before = sf_calloc(n_arcs, sizeof *maker.n_before),
        .first = sf_calloc(n, sizeof *maker.first),
        .order = sf_calloc(n_arcs, sizeof *maker.order),
    };
    enum sf_status status;

    for (uint32_t s = 0; maker.first && s < n; s++) {
        size_t degree = sf_graph_degree(graph, s);
        maker.first[s] = n_turns;
        n_turns += degree * degree;
    }
    maker.n_taking = sf_calloc(n_turns, sizeof *maker.n_taking);
    sf_random_init(&maker.random, job->seed, 0);
    if (maker.lanes && maker.places && maker.first && maker.n_before &&
        maker.order && maker.n_taking) {
        status = make_lanes(&maker, n_turns, err);
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for lanes");
    }
    free(maker.n_taking);
    free(maker.order);
    free(maker.n_before);
    free(maker.first);
    free(maker.places);
    free(maker.lanes);
    return status;
}

static const struct sf_lane_ops ops = { .build = build };

const struct sf_lane_scheme sf_lanes_dfsssp = {
    .name = "dfsssp",
    .title = "a lane for each path",
    .summary = "the SL of a path is its VL all the way; for any layers",
    .reference = "Domke11",
    .is_safe = true,
    .allows_one_vl = true,
    .ops = &ops,
};
