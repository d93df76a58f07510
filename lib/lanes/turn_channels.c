/* turn_channels.c -- turns by levels of channels: a search for networks in
 * which pairs have few paths.
 *
 * Every channel (a direction of a link, on a VL) has a level of its own, those
 * of VL 0 the lowest one, and every turn a VL of its own.  Levels rise along
 * every path.  A path of three hops over the links e, f, g is allowed if the
 * turn e-f takes a lower channel of f than the turn f-g takes of g.  Each
 * channel and each turn chooses in turn what is best for the moment: a pair
 * gains the more by a path, the fewer it has.
 *
 * That allows no more paths than the levels of arcs in turn_arcs.c do, and
 * takes 4 VLs and many rounds.  But which paths are lost is less tied
 * together, and so loads can be more even: on the 50-switch Slim Fly with 4
 * layers, all-to-all at equal shares has 0.68 instead of 0.66. */
#include "lanes/turn_design.h"

#include "base/mem.h"
#include "routes/turn_table.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#include <string.h>

#define N_LEVELS 64 /* Of channels above VL 0: 1 to 63. */

/* Work in steps over a path; a round is some 4 of them for every path. */
#define WORK       UINT64_C(24000000)
#define MIN_ROUNDS 2
#define MAX_ROUNDS 120

/* A path that no layer would take is worth this much less than others. */
#define UNWANTED 64

#define N_GAINS   64
#define GAIN_BITS 30
#define GAIN      (INT64_C(1) << GAIN_BITS)
#define MAX_HEAT  (1u << (GAIN_BITS - 3))

struct design {
    const struct sf_graph *graph;
    const uint32_t *reverse; /* [2E] Each arc as seen from its other end. */
    struct sf_turns *turns;
    uint8_t *levels;        /* [2E * n_vls] */
    bool *is_wanted;        /* [2E] Arcs by which layers want to arrive. */
    uint32_t *n_paths;      /* [V * V] Wanted paths of up to three hops that
                             * are allowed. */
    int64_t gains[N_GAINS]; /* Of one more path, by how many there are. */
    int64_t gain[N_LEVELS]; /* Of a channel, by the level it takes. */
    uint32_t *order;        /* [2E] */
    uint32_t n_gates;       /* How many arcs of a switch are wanted. */
    uint16_t *by_gate;      /* [V * max_degree] Allowed paths of three hops to
                             * the switch at hand, by the arc they arrive on. */
    uint32_t heat;          /* By how much gains may seem larger. */
    uint32_t round, n_rounds;
    struct sf_random random;
};

static uint32_t
tail(const struct design *design, uint32_t arc)
{
    return design->graph->arcs[design->reverse[arc]].to;
}

static uint32_t
head(const struct design *design, uint32_t arc)
{
    return design->graph->arcs[arc].to;
}

/* The VL that arc 'f' is taken on after arc 'e'. */
static uint8_t *
vl_after(const struct design *design, uint32_t e, uint32_t f)
{
    const struct sf_graph *graph = design->graph;
    uint32_t at = graph->arcs[e].to;
    size_t from = design->reverse[e] - graph->first[at];
    return &design->turns->vls[design->turns->first[at] +
                               from * sf_graph_degree(graph, at) +
                               (f - graph->first[at])];
}

static uint8_t *
level_of(const struct design *design, uint32_t arc, uint32_t vl)
{
    return &design->levels[(size_t)arc * design->turns->n_vls + vl];
}

static uint32_t
level_after(const struct design *design, uint32_t e, uint32_t f)
{
    return *level_of(design, f, *vl_after(design, e, f));
}

static uint32_t *
paths_between(const struct design *design, uint32_t s, uint32_t d)
{
    return &design->n_paths[(size_t)s * design->graph->n_nodes + d];
}

/* What one more path from 's' to 'd' is worth that arrives over 'last'. */
static int64_t
gain_between(const struct design *design, uint32_t s, uint32_t d,
             uint32_t last)
{
    uint32_t n = *paths_between(design, s, d);
    int64_t gain = design->gains[n < N_GAINS ? n : N_GAINS - 1];
    return n == 0 || design->is_wanted[last] ? gain : gain / UNWANTED;
}

/* Adds 'change' to the counts of all allowed paths of three hops that have
 * the turn from 'e' to 'f' at 'level'. */
static void
count_paths(const struct design *design, uint32_t e, uint32_t f,
            uint32_t level, uint32_t change)
{
    const struct sf_graph *graph = design->graph;
    uint32_t a = tail(design, e), b = head(design, e), c = head(design, f);

    for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
        uint32_t d = head(design, g);
        if (d != a && d != b && design->is_wanted[g] &&
            level < level_after(design, f, g)) {
            *paths_between(design, a, d) += change;
        }
    }
    for (uint32_t i = graph->first[a];
         design->is_wanted[f] && i < graph->first[a + 1]; i++) {
        uint32_t z = head(design, i);
        if (z != b && z != c &&
            level_after(design, design->reverse[i], e) < level) {
            *paths_between(design, z, c) += change;
        }
    }
}

/* Adds to design->gain what the paths with the turn from 'e' to 'f' gain or
 * lose from one level of 'f' to the next. */
static void
add_gains(struct design *design, uint32_t e, uint32_t f)
{
    const struct sf_graph *graph = design->graph;
    uint32_t a = tail(design, e), b = head(design, e), c = head(design, f);

    for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
        uint32_t d = head(design, g);
        if (d != a && d != b) {
            int64_t gain = gain_between(design, a, d, g);
            design->gain[0] += gain;
            design->gain[level_after(design, f, g)] -= gain;
        }
    }
    for (uint32_t i = graph->first[a]; i < graph->first[a + 1]; i++) {
        uint32_t z = head(design, i);
        if (z != b && z != c) {
            uint32_t level = level_after(design, design->reverse[i], e);
            if (level + 1 < N_LEVELS) {
                design->gain[level + 1] += gain_between(design, z, c, f);
            }
        }
    }
}

/* Turns steps into sums. */
static void
sum_gains(struct design *design)
{
    for (uint32_t i = 1; i < N_LEVELS; i++) {
        design->gain[i] += design->gain[i - 1];
    }
}

/* The gain at 'level', less exact as long as the design is hot. */
static int64_t
gain_at(struct design *design, uint32_t level)
{
    return design->gain[level] +
           (design->heat ? sf_random_below(&design->random, design->heat) : 0);
}

/* Picks the level of the largest gain, at random among equals. */
static void
pick_level(struct design *design, uint8_t *level)
{
    int64_t best = INT64_MIN;
    uint32_t n_best = 0;

    for (uint32_t i = 1; i < N_LEVELS; i++) {
        int64_t gain = gain_at(design, i);
        n_best = gain > best ? 0 : n_best;
        best = gain > best ? gain : best;
        if (gain == best && sf_random_below(&design->random, ++n_best) == 0) {
            *level = (uint8_t)i;
        }
    }
}

/* Lets the channel of arc 'f' on 'vl' choose its level: the best for all turns
 * that take it, at random among equals. */
static void
choose_level(struct design *design, uint32_t f, uint32_t vl)
{
    const struct sf_graph *graph = design->graph;
    uint32_t b = tail(design, f), c = head(design, f);
    uint8_t *level = level_of(design, f, vl);

    memset(design->gain, 0, sizeof design->gain);
    for (int pass = 0; pass < 3; pass++) {
        if (pass == 2) {
            sum_gains(design);
            pick_level(design, level);
        }
        for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
            uint32_t e = design->reverse[i];
            if (head(design, i) == c || *vl_after(design, e, f) != vl) {
                continue;
            }
            if (pass == 1) {
                add_gains(design, e, f);
            } else {
                count_paths(design, e, f, *level, pass == 0 ? UINT32_MAX : 1);
            }
        }
    }
}

/* Lets the turn from 'e' to 'f' choose its VL. */
static void
choose_vl(struct design *design, uint32_t e, uint32_t f)
{
    uint8_t *vl = vl_after(design, e, f);

    count_paths(design, e, f, *level_of(design, f, *vl), UINT32_MAX);
    memset(design->gain, 0, sizeof design->gain);
    add_gains(design, e, f);
    sum_gains(design);
    int64_t best = gain_at(design, *level_of(design, f, *vl));
    for (uint32_t i = 1; i < design->turns->n_vls; i++) {
        int64_t gain = gain_at(design, *level_of(design, f, i));
        if (gain > best) {
            best = gain;
            *vl = (uint8_t)i;
        }
    }
    count_paths(design, e, f, *level_of(design, f, *vl), 1);
}

/* Reports that 'done' of 'total' steps of half a round are done. */
static void
report(const struct design *design, uint32_t half, uint32_t done,
       uint32_t total)
{
    const uint64_t half_round = 1000;

    sf_progress_report("designing turns",
                       (2 * design->round + half) * half_round +
                           half_round * done / (total ? total : 1),
                       2 * design->n_rounds * half_round);
}

/* Lets everything choose once, in random order. */
static void
run_round(struct design *design)
{
    const struct sf_graph *graph = design->graph;

    sf_random_shuffle(&design->random, design->order, 2 * graph->n_links);
    for (uint32_t k = 0; k < 2 * graph->n_links; k++) {
        uint32_t f = design->order[k], b = tail(design, f);
        if (k % 64 == 0) {
            report(design, 0, k, 2 * graph->n_links);
        }
        for (uint32_t vl = 1; vl < design->turns->n_vls; vl++) {
            choose_level(design, f, vl);
        }
        for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
            if (design->turns->n_vls > 2 &&
                head(design, i) != head(design, f)) {
                choose_vl(design, design->reverse[i], f);
            }
        }
    }
}

/* Counts the allowed paths of three hops to 'd', by source and by the link
 * they arrive on. */
static void
count_by_gate(struct design *design, uint32_t d)
{
    const struct sf_graph *graph = design->graph;
    uint32_t degree = sf_graph_degree(graph, d);

    memset(design->by_gate, 0,
           (size_t)graph->n_nodes * degree * sizeof *design->by_gate);
    for (uint32_t k = 0; k < degree; k++) {
        uint32_t g = design->reverse[graph->first[d] + k], c = tail(design, g);
        for (uint32_t i = graph->first[c]; i < graph->first[c + 1]; i++) {
            uint32_t b = head(design, i), f = design->reverse[i];
            if (b == d) {
                continue;
            }
            uint32_t level = level_after(design, f, g);
            for (uint32_t j = graph->first[b]; j < graph->first[b + 1]; j++) {
                uint32_t a = head(design, j);
                if (a != c && a != d &&
                    level_after(design, design->reverse[j], f) < level) {
                    design->by_gate[(size_t)a * degree + k]++;
                }
            }
        }
    }
}

/* What is gained if switch 's' has 'to' paths instead of 'from'. */
static int64_t
gain_from_to(const struct design *design, uint32_t from, uint32_t to)
{
    int64_t gain = 0;

    for (uint32_t i = from; i < to; i++) {
        gain += design->gains[i < N_GAINS ? i : N_GAINS - 1];
    }
    for (uint32_t i = to; i < from; i++) {
        gain -= design->gains[i < N_GAINS ? i : N_GAINS - 1];
    }
    return gain;
}

/* What is gained if the gate 'in' of 'd' is wanted instead of 'out'. */
static int64_t
gain_of_swap(const struct design *design, uint32_t d, uint32_t out,
             uint32_t in)
{
    uint32_t degree = sf_graph_degree(design->graph, d);
    int64_t gain = 0;

    for (uint32_t s = 0; s < design->graph->n_nodes; s++) {
        const uint16_t *by_gate = design->by_gate + (size_t)s * degree;
        uint32_t n = *paths_between(design, s, d);
        if (by_gate[in] != by_gate[out]) {
            gain += gain_from_to(design, n, n - by_gate[out] + by_gate[in]);
        }
    }
    return gain;
}

/* Lets 'd' exchange the links by which layers arrive for better ones, each
 * once. */
static void
choose_gates(struct design *design, uint32_t d)
{
    const struct sf_graph *graph = design->graph;
    uint32_t degree = sf_graph_degree(graph, d);
    uint16_t *gates = design->turns->gates + graph->first[d];

    count_by_gate(design, d);
    for (uint32_t i = 0; i < design->n_gates && i < degree; i++) {
        uint32_t best = i;
        int64_t best_gain = 0;
        for (uint32_t j = design->n_gates; j < degree; j++) {
            int64_t gain = gain_of_swap(design, d, gates[i], gates[j]);
            if (gain > best_gain) {
                best = j;
                best_gain = gain;
            }
        }
        uint16_t out = gates[i], in = gates[best];
        for (uint32_t s = 0; best != i && s < graph->n_nodes; s++) {
            const uint16_t *by_gate = design->by_gate + (size_t)s * degree;
            *paths_between(design, s, d) += by_gate[in];
            *paths_between(design, s, d) -= by_gate[out];
        }
        gates[best] = out;
        gates[i] = in;
        design->is_wanted[design->reverse[graph->first[d] + out]] = false;
        design->is_wanted[design->reverse[graph->first[d] + in]] = true;
    }
}

/* Draws the links by which layers are to arrive. */
static void
begin_gates(struct design *design)
{
    const struct sf_graph *graph = design->graph;

    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        uint32_t first = graph->first[d];
        uint32_t degree = sf_graph_degree(graph, d);
        for (uint32_t i = 0; i < degree; i++) {
            design->order[i] = i;
        }
        sf_random_shuffle(&design->random, design->order, degree);
        for (uint32_t i = 0; i < degree; i++) {
            uint32_t gate = design->order[i];
            design->turns->gates[first + i] = (uint16_t)gate;
            design->is_wanted[design->reverse[first + gate]] =
                i < design->n_gates;
        }
    }
}

/* Gives every turn a VL and every channel a level to start with. */
static void
begin_design(struct design *design)
{
    const struct sf_graph *graph = design->graph;
    uint32_t n_vls = design->turns->n_vls,
             share = (N_LEVELS - 1) / (n_vls - 1);

    for (uint32_t f = 0; f < 2 * graph->n_links; f++) {
        uint32_t b = tail(design, f);
        design->order[f] = f;
        for (uint32_t vl = 1; vl < n_vls; vl++) {
            *level_of(design, f, vl) =
                (uint8_t)(1 + (vl - 1) * share +
                          sf_random_below(&design->random, share));
        }
        for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
            if (head(design, i) != head(design, f)) {
                *vl_after(design, design->reverse[i], f) =
                    (uint8_t)(1 + sf_random_below(&design->random, n_vls - 1));
            }
        }
    }
}

/* Counts all paths of up to three hops that are allowed. */
static void
count_all(struct design *design)
{
    const struct sf_graph *graph = design->graph;

    for (uint32_t f = 0; f < 2 * graph->n_links; f++) {
        uint32_t b = tail(design, f), c = head(design, f);
        ++*paths_between(design, b, c);
        for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
            uint32_t a = head(design, i), e = design->reverse[i];
            if (a != c) {
                ++*paths_between(design, a, c);
            }
            for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
                uint32_t d = head(design, g);
                if (a != c && d != a && d != b && design->is_wanted[g] &&
                    level_after(design, e, f) < level_after(design, f, g)) {
                    ++*paths_between(design, a, d);
                }
            }
        }
    }
}

static uint32_t
count_rounds(const struct sf_graph *graph)
{
    uint64_t n_paths = 1;

    for (uint32_t i = 0; i < graph->n_links; i++) {
        n_paths += 2 * (uint64_t)sf_graph_degree(graph, graph->links[i].a) *
                   sf_graph_degree(graph, graph->links[i].b);
    }
    uint64_t n_rounds = WORK / (4 * n_paths);
    return n_rounds < MIN_ROUNDS   ? MIN_ROUNDS
           : n_rounds > MAX_ROUNDS ? MAX_ROUNDS
                                   : (uint32_t)n_rounds;
}

/* Runs rounds that grow less and less random. */
static void
run_rounds(struct design *design)
{
    uint32_t n_rounds = count_rounds(design->graph);

    design->n_rounds = n_rounds;
    for (uint32_t i = n_rounds; i > 0; i--) {
        design->round = n_rounds - i;
        design->heat = i > n_rounds / 10 ? MAX_HEAT / n_rounds * i : 0;
        run_round(design);
        for (uint32_t d = 0; d < design->graph->n_nodes; d++) {
            report(design, 1, d, design->graph->n_nodes);
            choose_gates(design, d);
        }
    }
    report(design, 1, design->graph->n_nodes, design->graph->n_nodes);
}

static bool
make_design(struct design *design)
{
    const struct sf_graph *graph = design->graph;
    size_t n = graph->n_nodes, n_arcs = 2 * (size_t)graph->n_links;

    design->levels = sf_calloc(n_arcs, design->turns->n_vls);
    design->is_wanted = sf_calloc(n_arcs, sizeof *design->is_wanted);
    design->n_paths = sf_calloc(n, n * sizeof *design->n_paths);
    design->by_gate =
        sf_calloc(n, sf_graph_max_degree(graph) * sizeof *design->by_gate);
    design->order = sf_calloc(n_arcs, sizeof *design->order);
    design->turns->gates = sf_calloc(n_arcs, sizeof *design->turns->gates);
    return design->levels && design->is_wanted && design->n_paths &&
           design->by_gate && design->order && design->turns->gates;
}

static void
clear_design(struct design *design)
{
    free(design->order);
    free(design->by_gate);
    free(design->n_paths);
    free(design->is_wanted);
    free(design->levels);
    sf_turns_free(design->turns);
}

enum sf_status
sf_turns_by_channels(const struct sf_network *network, uint64_t seed,
                     uint32_t n_gates, struct sf_turns **turnsp,
                     struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    size_t n_channels = 2 * (size_t)graph->n_links * SF_CHANNELS_VLS;
    struct design design = { .graph = graph,
                             .reverse = network->reverse,
                             .n_gates = n_gates };

    *turnsp = NULL;
    enum sf_status status =
        sf_turns_make(graph, SF_CHANNELS_VLS, &design.turns, err);
    if (status != SF_OK) {
        return status;
    }
    if (!make_design(&design)) {
        clear_design(&design);
        return sf_fail(err, SF_ENOMEM, "out of memory for turns");
    }
    for (uint32_t i = 0; i < N_GAINS; i++) {
        design.gains[i] = GAIN >> (2 * i < GAIN_BITS ? 2 * i : GAIN_BITS);
    }
    sf_random_init(&design.random, seed, 0);
    begin_gates(&design);
    begin_design(&design);
    count_all(&design);
    run_rounds(&design);
    for (size_t i = 0; i < n_channels; i++) {
        design.turns->ranks[i] = design.levels[i];
    }
    *turnsp = design.turns;
    design.turns = NULL;
    clear_design(&design);
    return SF_OK;
}
