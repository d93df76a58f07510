/* untangle.c -- lanes for paths that are there already, safe on any service
 * level: a turn goes on to the next VL where paths would wait in a circle.
 *
 * All turns begin on VL 0.  A search over the channels, which are directions
 * of links on a VL each, follows what waits for what.  Where it comes back to
 * where it was, there is a circle; the turn of it that the fewest paths take
 * moves to the next VL, and the search goes on.  A pass over all channels that
 * meets no circle is the proof.  One VL is tried first, then one more each
 * time.
 *
 * A VL follows from the two links of a turn alone.  So no number of VLs helps
 * where each two turns of a circle that follow each other are of one path:
 * lanes for each path may do there, and this scheme, which is greedy besides,
 * finds nothing.  It is meant for paths of which few turns are in circles, as
 * those of a Fat Tree with a few faults: hosts reach a switch without hosts
 * that has lost a link by going down and up again.
 *
 * Paths that start at switches are not looked at, as in single.c.
 *
 * O(R (P + E D)) time for R passes, P hops of all paths, E links and D links
 * of a switch.  [DallySeitz87] */
#include "lanes/lane_scheme.h"

#include "base/mem.h"
#include "routes/turn_table.h"

#include <string.h>

/* Where the search stands with a channel. */
enum mark {
    UNSEEN,
    OPEN,
    DONE
};

/* A channel on the way that the search has come. */
struct stop {
    uint32_t arc;
    uint8_t vl;
    uint32_t next; /* The arc after it that is to be looked at. */
};

struct untangler {
    const struct sf_lane_job *job;
    uint32_t n_vls; /* That may be used. */
    size_t n_turns;
    size_t *first;      /* [V] Where the turns of a switch start. */
    uint8_t *vls;       /* By turn. */
    uint16_t *arrivals; /* By turn: the VLs, a bit each, on which packets come
                         * that take it. */
    uint64_t *n_taking; /* By turn: paths from hosts that take it. */
    uint32_t *seen;     /* [V] The last column in which a path came by. */
    uint8_t *marks;     /* [2E * n_vls] */
    struct stop *way;   /* [2E * n_vls] The search's, */
    uint32_t n_way;     /* so long. */
};

static size_t
turn_number(const struct untangler *u, uint32_t in, uint32_t out)
{
    return sf_turn_number(u->first, u->job->graph, u->job->network->reverse,
                          in, out);
}

/* Counts the paths from hosts that take each turn. */
static void
count_paths(const struct untangler *u)
{
    const struct sf_lane_job *job = u->job;
    const struct sf_graph *graph = job->graph;

    for (uint32_t c = 0; c < job->columns->n_columns; c++) {
        const uint16_t *hops = job->columns->hops[c];
        for (uint32_t source = 0; source < graph->n_nodes; source++) {
            uint32_t in = SF_NONE, s = source;
            uint64_t weight = job->network->n_hosts[source] *
                              (1 + (uint64_t)job->columns->n_addresses[c]);
            while (weight > 0 && hops[s] != SF_NO_HOP) {
                uint32_t out = graph->first[s] + hops[s];
                if (in != SF_NONE) {
                    u->n_taking[turn_number(u, in, out)] += weight;
                }
                in = out;
                s = graph->arcs[out].to;
            }
        }
    }
}

/* Notes on which VLs the packets from the hosts of 's' come to the turns of
 * column 'c', up to the first after one of an earlier path: from there on both
 * are on the same VLs. */
static void
follow(const struct untangler *u, uint32_t c, uint32_t s)
{
    const struct sf_graph *graph = u->job->graph;
    const uint16_t *hops = u->job->columns->hops[c];
    uint32_t in = SF_NONE;
    uint8_t vl = 0;
    bool is_known = false;

    while (hops[s] != SF_NO_HOP) {
        uint32_t out = graph->first[s] + hops[s];
        if (in != SF_NONE) {
            size_t turn = turn_number(u, in, out);
            u->arrivals[turn] |= (uint16_t)(1U << vl);
            vl = u->vls[turn];
        }
        if (is_known) {
            return;
        }
        is_known = u->seen[s] == c + 1;
        u->seen[s] = c + 1;
        in = out;
        s = graph->arcs[out].to;
    }
}

static void
follow_all(const struct untangler *u)
{
    const struct sf_lane_job *job = u->job;
    uint32_t n = job->graph->n_nodes;

    memset(u->arrivals, 0, u->n_turns * sizeof *u->arrivals);
    memset(u->seen, 0, n * sizeof *u->seen);
    for (uint32_t c = 0; c < job->columns->n_columns; c++) {
        for (uint32_t s = 0; s < n; s++) {
            if (job->network->n_hosts[s] > 0) {
                follow(u, c, s);
            }
        }
    }
}

static uint8_t *
mark_of(const struct untangler *u, uint32_t arc, uint8_t vl)
{
    return &u->marks[(size_t)arc * u->n_vls + vl];
}

static void
go_to(struct untangler *u, uint32_t arc, uint8_t vl)
{
    const struct sf_graph *graph = u->job->graph;

    *mark_of(u, arc, vl) = OPEN;
    u->way[u->n_way++] =
        (struct stop){ arc, vl, graph->first[graph->arcs[arc].to] };
}

/* The turn that the search is looking at behind a stop of its way. */
static size_t
turn_after(const struct untangler *u, const struct stop *stop)
{
    return turn_number(u, stop->arc, stop->next);
}

/* Moves a turn of the circle that starts at the channel (arc, vl) of the way
 * and ends at its last stop, and goes back to before that turn.  False if all
 * are on the last VL. */
static bool
cut_circle(struct untangler *u, uint32_t arc, uint8_t vl)
{
    uint32_t best = SF_NONE, i = u->n_way;
    uint64_t fewest = UINT64_MAX;

    do {
        size_t turn = turn_after(u, &u->way[--i]);
        if (u->vls[turn] + 1U < u->n_vls && u->n_taking[turn] <= fewest) {
            fewest = u->n_taking[turn];
            best = i;
        }
    } while (u->way[i].arc != arc || u->way[i].vl != vl);
    if (best == SF_NONE) {
        return false;
    }
    u->vls[turn_after(u, &u->way[best])]++;
    while (u->n_way > best + 1) {
        const struct stop *stop = &u->way[--u->n_way];
        *mark_of(u, stop->arc, stop->vl) = UNSEEN;
    }
    return true;
}

/* Searches from what the way starts with; adds to '*n_cutp' the turns that it
 * moved.  False if a circle cannot be cut. */
static bool
search(struct untangler *u, uint32_t *n_cutp)
{
    const struct sf_graph *graph = u->job->graph;

    while (u->n_way > 0) {
        struct stop *stop = &u->way[u->n_way - 1];
        uint32_t at = graph->arcs[stop->arc].to;
        if (stop->next == graph->first[at + 1]) {
            *mark_of(u, stop->arc, stop->vl) = DONE;
            u->n_way--;
            continue;
        }
        size_t turn = turn_after(u, stop);
        bool waits = u->arrivals[turn] >> stop->vl & 1;
        uint32_t arc = stop->next;
        uint8_t vl = u->vls[turn];
        enum mark mark = waits ? *mark_of(u, arc, vl) : DONE;
        if (mark == OPEN) {
            if (!cut_circle(u, arc, vl)) {
                return false;
            }
            ++*n_cutp;
        } else if (mark == UNSEEN) {
            go_to(u, arc, vl);
        } else {
            stop->next++;
        }
    }
    return true;
}

/* Moves turns until nothing waits in a circle; false if that takes more VLs.
 */
static bool
untangle(struct untangler *u)
{
    uint32_t n_arcs = 2 * u->job->graph->n_links, n_cut;

    memset(u->vls, 0, u->n_turns);
    do {
        n_cut = 0;
        follow_all(u);
        memset(u->marks, UNSEEN, (size_t)n_arcs * u->n_vls);
        for (uint32_t i = 0; i < n_arcs * u->n_vls; i++) {
            uint32_t arc = i / u->n_vls;
            uint8_t vl = (uint8_t)(i % u->n_vls);
            u->n_way = 0;
            if (*mark_of(u, arc, vl) == UNSEEN) {
                go_to(u, arc, vl);
                if (!search(u, &n_cut)) {
                    return false;
                }
            }
        }
    } while (n_cut > 0);
    return true;
}

/* Hands the VLs of the turns over. */
static void
write_lanes(const struct untangler *u)
{
    const struct sf_graph *graph = u->job->graph;
    struct sf_lanes *lanes = u->job->lanes;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        uint32_t degree = sf_graph_degree(graph, s);
        for (uint32_t i = 0; i < degree * degree; i++) {
            uint8_t vl = u->vls[u->first[s] + i];
            sf_lanes_set_all(u->job, s, i / degree, i % degree, vl);
            lanes->n_vls = vl >= lanes->n_vls ? vl + 1U : lanes->n_vls;
        }
    }
}

static enum sf_status
build(const struct sf_lane_job *job, struct sf_error *err)
{
    const struct sf_graph *graph = job->graph;
    size_t n = graph->n_nodes;
    size_t n_channels = 2 * (size_t)graph->n_links * job->max_vls;
    struct untangler u = { .job = job,
                           .first = sf_calloc(n, sizeof *u.first),
                           .seen = sf_calloc(n, sizeof *u.seen),
                           .marks = sf_calloc(n_channels, sizeof *u.marks),
                           .way = sf_calloc(n_channels, sizeof *u.way) };
    enum sf_status status = SF_OK;
    bool is_done = false;

    for (uint32_t s = 0; u.first && s < n; s++) {
        size_t degree = sf_graph_degree(graph, s);
        u.first[s] = u.n_turns;
        u.n_turns += degree * degree;
    }
    u.vls = sf_calloc(u.n_turns, sizeof *u.vls);
    u.arrivals = sf_calloc(u.n_turns, sizeof *u.arrivals);
    u.n_taking = sf_calloc(u.n_turns, sizeof *u.n_taking);
    if (!u.first || !u.seen || !u.marks || !u.way || !u.vls || !u.arrivals ||
        !u.n_taking) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for lanes");
        goto done;
    }
    count_paths(&u);
    for (u.n_vls = 1; !is_done && u.n_vls <= job->max_vls; u.n_vls++) {
        is_done = untangle(&u);
    }
    if (is_done) {
        write_lanes(&u);
    } else {
        status = sf_fail(err, SF_ELANES,
                         "with %u VL%s, moving turns to other VLs does not "
                         "keep packets from waiting for each other in a "
                         "circle; use the scheme ordered, which needs one VL, "
                         "or the guarantee path-sl with the lanes dfsssp and "
                         "more VLs",
                         job->max_vls, job->max_vls == 1 ? "" : "s");
    }

done:
    free(u.n_taking);
    free(u.arrivals);
    free(u.vls);
    free(u.way);
    free(u.marks);
    free(u.seen);
    free(u.first);
    return status;
}

static const struct sf_lane_ops ops = { .build = build };

const struct sf_lane_scheme sf_lanes_untangle = {
    .name = "untangle",
    .title = "turns that close a circle change lanes",
    .summary = "one VL where that is enough, and another after turns that "
               "would close a circle of waiting; for any layers, and for Fat "
               "Trees with faults",
    .reference = "DallySeitz87",
    .is_safe = true,
    .ignores_sls = true,
    .allows_one_vl = true,
    .only_hosts = true,
    .ops = &ops,
};
