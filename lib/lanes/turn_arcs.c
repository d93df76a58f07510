/* turn_arcs.c -- turns by levels of arcs: paths rise, then fall, on two VLs.
 *
 * Every arc (a direction of a link) has a level.  A turn to a higher level
 * goes on VL 0, any other on VL 1.  The channels of VL 0 rank by level, those
 * of VL 1 above them and the other way round.  So a path may rise, on VL 0,
 * and then fall, on VL 1, and its ranks rise all along.  All paths of two hops
 * are allowed.  A path of three hops is lost only if its middle arc is a
 * valley: not higher than the first, nor than the last.  Where that leaves
 * pairs of switches without a path, some turns rise late, on VL 2, which ranks
 * above both others: a path may fall before such a turn, and afterwards only
 * rise late again.
 *
 * Levels at random would lose a third of the paths of three hops.  If switches
 * have heights and an arc has the sum of those of its ends, a quarter is lost:
 * a-b-c-d is lost if a is not lower than c, and d not lower than b.  That is
 * where the search starts; but then pairs of high switches have hardly a path.
 * In rounds, each arc takes the level that is best for the moment.  A pair
 * gains the more by a path, the fewer it has, and from round to round that
 * matters more.
 *
 * At most four of five paths can be had on graphs whose paths of three hops
 * lie on cycles of five, as those of Slim Flies do: along such a cycle some
 * arc is lowest, and the path around it is lost.
 *
 * Gates, the links by which layers arrive, are drawn and chosen anew from time
 * to time, and paths over them count more. */
#include "lanes/turn_design.h"

#include "base/mem.h"
#include "routes/turn_table.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#include <string.h>

/* VLs by what turns do. */
enum {
    RISE,
    FALL,
    LATE
};

/* Each turn chooses as often whether it is late. */
#define LATE_ROUNDS 3

#define N_LEVELS 255 /* Of arcs: 1 to 254. */

/* The square of the number of rounds, times the number of paths, is at most
 * this for each layer: so the design takes less time than the layers, which
 * have more to do in large networks. */
#define WORK        UINT64_C(20000000)
#define MIN_ROUNDS  2
#define MAX_ROUNDS  14
#define MORE_ROUNDS 4 /* As long as pairs have no path. */

/* What one more path is worth to a pair that has none.  It halves so many
 * times until the pair has what it can expect, in the first round and in the
 * last of many. */
#define MOST_WORTH     ((1u << 14) - 1)
#define FIRST_HALVINGS 1
#define FEW_HALVINGS   3 /* The first, if there are so few rounds that */
#define FEW_ROUNDS     8 /* they could not become fair step by step. */
#define STEEP_HALVINGS 3 /* With each path, in sparse networks. */
#define MORE_HALVINGS  2 /* At most, from round to round. */
#define LAST_HALVINGS  13

/* A path over a gate counts as two others: its worth is shifted by 1. */
#define GATE_SHIFT 1

/* Where pairs three hops apart can expect fewer, each has to have one first.
 */
#define SPARSE 8

/* Disjoint paths of up to three hops that pairs two hops apart are to have, if
 * they can expect as many. */
#define ENOUGH       5
#define ENOUGH_GATES 2 /* Of paths that layers can take. */

/* Gates are chosen in one of so many rounds.  What one more is worth to a
 * switch is a quarter of the one before, as many times at most. */
#define GATE_ROUNDS   4
#define GATE_HALVINGS 6

/* Fixed point: how much the worth of paths changes with one more or less. */
#define ONE 65536u

/* An arc by which a path goes on. */
struct exit {
    uint32_t slot, level;
    uint32_t worth; /* Of paths of which it is the lower end. */
};

struct design {
    const struct sf_graph *graph;
    const uint32_t *reverse; /* [2E] Each arc as seen from its other end. */
    struct sf_turns *turns;
    uint8_t *levels;      /* [2E] */
    uint8_t *arriving;    /* [2E] The level of the arc's reverse. */
    bool *is_gate;        /* [2E] Whether layers want to arrive by this arc. */
    uint32_t *heads;      /* [2E] Where arcs lead to. */
    uint32_t *slots;      /* [2E] Where arcs lead to, times 2, and whether they
                           * are gates. */
    uint16_t *worths;     /* [V * V] Of one more path, by source and
                           * destination. */
    uint16_t *worths_to;  /* [V * V] The same by destination, then by source:
                           * what is read together is together. */
    uint32_t fade[2];     /* What the worth is multiplied by if there is one */
    uint32_t grow[2];     /* more or less, and whether over a gate. */
    uint32_t gate_paths;  /* What paths over gates count as, and how often */
    uint32_t gate_shift;  /* that doubles their worth. */
    uint32_t n_gates;     /* Of a switch. */
    uint64_t n_gate_arcs; /* Of all. */
    uint64_t *bits;       /* [2E] Of each arc, one among those that arrive at
                           * the same switch; beyond 64, some share one. */
    uint64_t *gate_bits;  /* [V] Those of gates. */
    uint64_t expected;    /* Paths of a pair, times 256. */
    bool is_far;          /* Some pairs are more than two hops apart. */
    bool is_sparse;       /* Pairs three hops apart have few paths. */
    uint64_t n_all_paths; /* Of three hops. */
    int64_t gain[N_LEVELS + 1]; /* Of an arc, by the level that it takes. */
    uint32_t *needs;    /* [2E] Shortest paths that need it in their middle. */
    struct exit *exits; /* [max_degree] */
    uint32_t *order;    /* [V] */
    uint64_t *last;     /* [V] By which links allowed paths of a */
    uint32_t *n_first;  /* [V] source arrive and how many leave it; */
    uint8_t *is_met;    /* [V] who is reached by one of these. */
    uint32_t *stamps;   /* [V] */
    struct sf_random random;
};

static uint32_t
head(const struct design *design, uint32_t arc)
{
    return design->heads[arc];
}

static uint32_t
tail(const struct design *design, uint32_t arc)
{
    return head(design, design->reverse[arc]);
}

static uint32_t
lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* 'value' if 'condition' holds, else 0: without a branch, since no processor
 * can foresee levels. */
static uint32_t
if_so(bool condition, uint32_t value)
{
    return value & -(uint32_t)condition;
}

/* 'most' halved as many times as 'halvings' / 256 says; between whole numbers
 * along a line. */
static uint32_t
halve(uint32_t most, uint64_t halvings)
{
    uint64_t whole = halvings / 256, part = halvings % 256;
    return whole > 30 ? 0 : (uint32_t)((most >> whole) * (512 - part) / 512);
}

static void
set_worth(const struct design *design, uint32_t s, uint32_t d, uint32_t worth)
{
    size_t n = design->graph->n_nodes;

    worth = worth < 1 ? 1 : worth > MOST_WORTH ? MOST_WORTH : worth;
    design->worths[s * n + d] = (uint16_t)worth;
    design->worths_to[d * n + s] = (uint16_t)worth;
}

static uint32_t
change_by(uint64_t worth, uint32_t factor)
{
    return (uint32_t)((worth * factor + ONE / 2) / ONE);
}

static void
change_worth(const struct design *design, uint32_t s, uint32_t d,
             uint32_t factor)
{
    size_t place = (size_t)s * design->graph->n_nodes + d;
    set_worth(design, s, d, change_by(design->worths[place], factor));
}

/* The worth of paths that end with the arc of 'slot', from the source whose
 * worths are 'row'; 'shift' is gate_shift. */
static uint32_t
worth_at(const uint16_t *row, uint32_t slot, uint32_t shift)
{
    return (uint32_t)row[slot / 2] << (slot & shift);
}

/* What paths are worth that are allowed already: as if they were not. */
static int64_t
regrow(uint64_t worth, uint32_t factor)
{
    return (int64_t)(worth * factor / ONE);
}

/* Lists the arcs of 'c' by which paths that come from 'b' go on. */
static uint32_t
list_exits(struct design *design, uint32_t b, uint32_t c)
{
    const struct sf_graph *graph = design->graph;
    uint32_t n = 0;

    for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
        if (head(design, g) != b) {
            design->exits[n++] = (struct exit){ .slot = design->slots[g],
                                                .level = design->levels[g] };
        }
    }
    return n;
}

/* Adds to design->gain what paths gain whose middle arc is 'f': they are
 * allowed if it is higher than the one of their ends that is at 'level'. */
static void
add_gain_as_middle(struct design *design, uint32_t f, uint32_t level,
                   uint64_t worth)
{
    design->gain[level + 1] += level < design->levels[f]
                                   ? regrow(worth, design->grow[1])
                                   : (int64_t)worth;
}

static void
add_gains_as_middle(struct design *design, uint32_t f)
{
    const struct sf_graph *graph = design->graph;
    uint32_t b = tail(design, f), c = head(design, f);
    uint32_t n_exits = list_exits(design, b, c);
    uint32_t shift = design->gate_shift;
    struct exit *exits = design->exits;

    for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
        uint32_t a = head(design, i), first = design->arriving[i];
        const uint16_t *row = design->worths + (size_t)a * graph->n_nodes;
        uint64_t by_first = 0;
        for (uint32_t k = 0; a != c && k < n_exits; k++) {
            uint32_t worth = worth_at(row, exits[k].slot, shift);
            uint32_t by_last = if_so(exits[k].level < first, worth);
            exits[k].worth += by_last;
            by_first += worth - by_last;
        }
        add_gain_as_middle(design, f, first, by_first);
    }
    for (uint32_t k = 0; k < n_exits; k++) {
        add_gain_as_middle(design, f, exits[k].level, exits[k].worth);
    }
}

/* The same where 'f' is an end of paths whose middle arc is at 'level', and
 * lies not above the other end: they are allowed if 'f' is below it. */
static void
add_gain_as_end(struct design *design, uint32_t f, uint32_t level,
                uint64_t worth, uint32_t factor)
{
    int64_t gain =
        design->levels[f] < level ? regrow(worth, factor) : (int64_t)worth;
    design->gain[0] += gain;
    design->gain[level] -= gain;
}

/* The worth of all paths over the arcs from 'begin' to 'end' whose level is
 * not below 'level'; each stands in 'row' at the slot of its arc. */
static inline uint64_t
add_worths(const uint8_t *levels, const uint32_t *slots, uint32_t begin,
           uint32_t end, uint32_t level, const uint16_t *row, uint32_t shift)
{
    uint32_t worth = 0;

    for (uint32_t i = begin; i < end; i++) {
        worth += if_so(levels[i] >= level, worth_at(row, slots[i], shift));
    }
    return worth;
}

static void
add_gains_as_first(struct design *design, uint32_t f)
{
    const struct sf_graph *graph = design->graph;
    uint32_t b = tail(design, f), c = head(design, f);
    uint16_t *row = design->worths + (size_t)b * graph->n_nodes;
    uint16_t kept = row[c];

    row[c] = 0; /* No path leads to 'c' again. */
    for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
        uint32_t d = head(design, g), level = design->levels[g];
        if (d != b) {
            uint64_t worth = add_worths(design->levels, design->slots,
                                        graph->first[d], graph->first[d + 1],
                                        level, row, design->gate_shift);
            add_gain_as_end(design, f, level, worth, design->grow[1]);
        }
    }
    row[c] = kept;
}

static void
add_gains_as_last(struct design *design, uint32_t f)
{
    const struct sf_graph *graph = design->graph;
    uint32_t b = tail(design, f), c = head(design, f);
    uint16_t *row = design->worths_to + (size_t)c * graph->n_nodes;
    uint16_t kept = row[b];
    bool is_gate = design->is_gate[f];

    row[b] = 0; /* No path comes from 'b' to 'b'. */
    for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
        uint32_t a = head(design, i), level = design->arriving[i];
        if (a != c) {
            uint64_t worth =
                add_worths(design->arriving, design->slots, graph->first[a],
                           graph->first[a + 1], level, row, 0);
            add_gain_as_end(design, f, level,
                            worth * (is_gate ? design->gate_paths : 1),
                            design->grow[is_gate]);
        }
    }
    row[b] = kept;
}

/* The level of the largest gain; of equals, the next one after a level that is
 * drawn, so that arcs wander where nothing holds them. */
static uint32_t
pick_level(struct design *design)
{
    uint32_t drawn = 1 + sf_random_below(&design->random, N_LEVELS - 1);
    int64_t gain = design->gain[0], most = INT64_MIN;
    uint32_t best = 1;

    for (uint32_t i = 1; i < N_LEVELS; i++) {
        gain += design->gain[i];
        if (gain > most || (gain == most && best < drawn && i >= drawn)) {
            most = gain;
            best = i;
        }
    }
    return best;
}

/* Notes that arc 'f' goes from 'low' to 'high', or back, for the paths that
 * have it in their middle and gain or lose by it. */
static void
change_middle(const struct design *design, uint32_t f, uint32_t low,
              uint32_t high, const uint32_t *factors)
{
    const struct sf_graph *graph = design->graph;
    uint32_t b = tail(design, f), c = head(design, f);

    for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
        uint32_t a = head(design, i), first = design->arriving[i];
        for (uint32_t g = graph->first[c];
             a != c && first >= low && g < graph->first[c + 1]; g++) {
            uint32_t d = head(design, g);
            uint32_t level = lower(first, design->levels[g]);
            if (level >= low && level < high && d != a && d != b) {
                change_worth(design, a, d, factors[design->is_gate[g]]);
            }
        }
    }
}

/* The same for the paths that start or end with it. */
static void
change_ends(const struct design *design, uint32_t f, uint32_t low,
            uint32_t high, const uint32_t *factors)
{
    const struct sf_graph *graph = design->graph;
    uint32_t b = tail(design, f), c = head(design, f);
    const uint16_t *row = design->worths_to + (size_t)c * graph->n_nodes;
    uint32_t factor = factors[design->is_gate[f]];

    for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
        uint32_t d = head(design, g), level = design->levels[g];
        for (uint32_t h = graph->first[d];
             d != b && level > low && level <= high && h < graph->first[d + 1];
             h++) {
            uint32_t x = head(design, h);
            if (design->levels[h] >= level && x != b && x != c) {
                change_worth(design, b, x, factors[design->is_gate[h]]);
            }
        }
    }
    for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
        uint32_t a = head(design, i), level = design->arriving[i];
        for (uint32_t j = graph->first[a];
             a != c && level > low && level <= high && j < graph->first[a + 1];
             j++) {
            uint32_t z = head(design, j);
            if (design->arriving[j] >= level && z != b && z != c) {
                set_worth(design, z, c, change_by(row[z], factor));
            }
        }
    }
}

/* Lets arc 'f' choose its level. */
static void
choose_level(struct design *design, uint32_t f)
{
    uint32_t before = design->levels[f];

    memset(design->gain, 0, sizeof design->gain);
    add_gains_as_middle(design, f);
    add_gains_as_first(design, f);
    add_gains_as_last(design, f);
    uint32_t now = pick_level(design);
    if (now > before) {
        change_middle(design, f, before, now, design->fade);
        change_ends(design, f, before, now, design->grow);
    } else if (now < before) {
        change_middle(design, f, now, before, design->grow);
        change_ends(design, f, now, before, design->fade);
    }
    design->levels[f] = design->arriving[design->reverse[f]] = (uint8_t)now;
}

/* Notes a path that ends with 'arc', if it 'is_allowed'. */
static void
note_path(struct design *design, uint32_t arc, bool is_allowed)
{
    uint32_t d = head(design, arc);

    design->last[d] |= design->bits[arc] & -(uint64_t)is_allowed;
    design->is_met[d] |= is_allowed;
}

/* Notes all allowed paths of up to three hops that start with arc 'e'. */
static void
note_paths(struct design *design, uint32_t e)
{
    const struct sf_graph *graph = design->graph;
    uint32_t a = tail(design, e), b = head(design, e);

    note_path(design, e, true);
    for (uint32_t f = graph->first[b]; f < graph->first[b + 1]; f++) {
        uint32_t c = head(design, f), level = design->levels[f];
        bool rises = design->levels[e] < level;
        if (c == a) {
            continue;
        }
        note_path(design, f, true);
        for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
            note_path(design, g,
                      (rises | (design->levels[g] < level)) &
                          (head(design, g) != b));
        }
    }
    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        design->n_first[d] += design->is_met[d];
        design->is_met[d] = 0;
    }
}

/* What one more path from the source at hand to 'd' is worth.  Paths that
 * leave or arrive by the same link count once. */
static uint32_t
find_worth(const struct design *design, uint32_t d, uint32_t halvings)
{
    uint64_t last = design->last[d], gates = last & design->gate_bits[d];
    uint32_t n =
        lower((uint32_t)__builtin_popcountll(last), design->n_first[d]);
    uint64_t n_paths =
        n + (uint64_t)__builtin_popcountll(gates) * (design->gate_paths - 1);
    return n == 0 ? MOST_WORTH
                  : halve(MOST_WORTH,
                          n_paths * halvings * ONE / design->expected);
}

/* Finds what paths are worth, if that halves 'halvings' times until a pair has
 * as many as it can expect.  Returns whether some pair has none. */
static bool
find_worths(struct design *design, uint32_t halvings)
{
    const struct sf_graph *graph = design->graph;
    uint32_t n = graph->n_nodes;
    bool lacks_some = false;

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t n_paths = i ? design->gate_paths : 1;
        design->fade[i] =
            halve(ONE, n_paths * (uint64_t)halvings * ONE / design->expected);
        design->fade[i] = design->fade[i] ? design->fade[i] : 1;
        design->grow[i] = (uint32_t)((uint64_t)ONE * ONE / design->fade[i]);
    }
    for (uint32_t s = 0; s < n; s++) {
        memset(design->last, 0, n * sizeof *design->last);
        memset(design->n_first, 0, n * sizeof *design->n_first);
        for (uint32_t e = graph->first[s]; e < graph->first[s + 1]; e++) {
            note_paths(design, e);
        }
        for (uint32_t d = 0; d < n; d++) {
            set_worth(design, s, d, find_worth(design, d, halvings));
            lacks_some |= d != s && !design->last[d];
        }
        /* No path leads back. */
        design->worths[(size_t)s * n + s] = 0;
        design->worths_to[(size_t)s * n + s] = 0;
    }
    return lacks_some;
}

static uint32_t
count_rounds(const struct design *design)
{
    uint32_t n = MIN_ROUNDS;

    while (n < MAX_ROUNDS && (n + 1) * (n + 1) * design->n_all_paths <=
                                 WORK * (design->n_gates + 1)) {
        n++;
    }
    return n;
}

/* Notes which links of 'd' are gates: the first of its order. */
static void
mark_gates(struct design *design, uint32_t d)
{
    uint32_t first = design->graph->first[d];

    design->gate_bits[d] = 0;
    for (uint32_t i = 0; i < sf_graph_degree(design->graph, d); i++) {
        uint32_t arc =
            design->reverse[first + design->turns->gates[first + i]];
        bool is_gate = i < design->n_gates;
        design->is_gate[arc] = is_gate;
        design->slots[arc] = 2 * d + is_gate;
        design->gate_bits[d] |= is_gate ? design->bits[arc] : 0;
    }
}

/* Draws the links by which layers are to arrive. */
static void
draw_gates(struct design *design)
{
    const struct sf_graph *graph = design->graph;

    for (uint32_t d = 0; d < graph->n_nodes; d++) {
        uint32_t first = graph->first[d], degree = sf_graph_degree(graph, d);
        for (uint32_t i = 0; i < degree; i++) {
            design->order[i] = i;
            design->bits[design->reverse[first + i]] = UINT64_C(1) << i % 64;
        }
        sf_random_shuffle(&design->random, design->order, degree);
        for (uint32_t i = 0; i < degree; i++) {
            design->turns->gates[first + i] = (uint16_t)design->order[i];
        }
        mark_gates(design, d);
        design->n_gate_arcs += lower(degree, design->n_gates);
    }
}

/* Notes by which links allowed paths from each switch arrive at 'd'. */
static void
note_arrivals(struct design *design, uint32_t d)
{
    const struct sf_graph *graph = design->graph;

    memset(design->last, 0, graph->n_nodes * sizeof *design->last);
    for (uint32_t k = graph->first[d]; k < graph->first[d + 1]; k++) {
        uint32_t c = head(design, k), g = design->arriving[k];
        uint64_t bit = design->bits[design->reverse[k]];
        for (uint32_t i = graph->first[c]; i < graph->first[c + 1]; i++) {
            uint32_t b = head(design, i), level = design->arriving[i];
            design->last[b] |= bit;
            for (uint32_t j = graph->first[b];
                 b != d && j < graph->first[b + 1]; j++) {
                bool is_allowed =
                    ((design->arriving[j] < level) | (g < level)) &
                    (head(design, j) != c);
                design->last[head(design, j)] |= bit & -(uint64_t)is_allowed;
            }
        }
    }
}

/* What switches gain if they can arrive by each of the links that have a bit,
 * too. */
static void
find_gains_of_gates(const struct design *design, uint64_t gains[64])
{
    memset(gains, 0, 64 * sizeof *gains);
    for (uint32_t s = 0; s < design->graph->n_nodes; s++) {
        uint32_t worth = MOST_WORTH >> 2 * design->stamps[s];
        for (uint64_t rest = design->last[s]; rest; rest &= rest - 1) {
            gains[__builtin_ctzll(rest)] += worth;
        }
    }
}

/* Lets 'd' choose its gates one by one: each the best for switches that have
 * few so far. */
static void
choose_gates(struct design *design, uint32_t d)
{
    const struct sf_graph *graph = design->graph;
    uint32_t first = graph->first[d], degree = sf_graph_degree(graph, d);
    uint16_t *gates = design->turns->gates + first;

    note_arrivals(design, d);
    memset(design->stamps, 0, graph->n_nodes * sizeof *design->stamps);
    for (uint32_t i = 0; i < design->n_gates && i < degree; i++) {
        uint32_t best = i;
        uint64_t most = 0, gains[64];
        find_gains_of_gates(design, gains);
        for (uint32_t j = i; j < degree; j++) {
            uint64_t gain = gains[gates[j] % 64];
            best = gain > most ? j : best;
            most = gain > most ? gain : most;
        }
        uint16_t gate = gates[best];
        gates[best] = gates[i];
        gates[i] = gate;
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            design->stamps[s] +=
                (design->last[s] &
                 design->bits[design->reverse[first + gate]]) &&
                design->stamps[s] < GATE_HALVINGS;
        }
    }
    mark_gates(design, d);
}

/* Lets every arc choose, those of a switch together. */
static void
run_round(struct design *design, uint32_t round, uint32_t n_rounds)
{
    const struct sf_graph *graph = design->graph;
    uint64_t n = graph->n_nodes;

    sf_random_shuffle(&design->random, design->order, graph->n_nodes);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = design->order[k];
        sf_progress_report("designing turns", round * n + k, n_rounds * n);
        for (uint32_t f = graph->first[b]; f < graph->first[b + 1]; f++) {
            choose_level(design, f);
        }
    }
}

/* Runs rounds that are fairer and fairer, and some more for pairs that are
 * left without a path.  Returns whether there are such. */
static bool
run_rounds(struct design *design)
{
    uint32_t n_rounds = count_rounds(design), n_all = n_rounds + MORE_ROUNDS;
    uint32_t first = n_rounds < FEW_ROUNDS ? FEW_HALVINGS : FIRST_HALVINGS;
    uint32_t n_halvings =
        lower(LAST_HALVINGS - first, MORE_HALVINGS * (n_rounds - 1));
    uint32_t steep = (uint32_t)(STEEP_HALVINGS * design->expected / 256);
    bool lacks_some = design->is_far; /* Perhaps. */

    for (uint32_t i = 0; i < n_rounds; i++) {
        for (uint32_t d = 0; i % GATE_ROUNDS == 1 && design->gate_paths > 1 &&
                             d < design->graph->n_nodes;
             d++) {
            choose_gates(design, d);
        }
        find_worths(design, design->is_sparse
                                ? steep
                                : first + n_halvings * i / (n_rounds - 1));
        run_round(design, i, n_all);
    }
    for (uint32_t i = 0; lacks_some && i <= MORE_ROUNDS; i++) {
        lacks_some = find_worths(design, steep);
        if (lacks_some && i < MORE_ROUNDS) {
            run_round(design, n_rounds + i, n_all);
        }
    }
    sf_progress_report("designing turns", n_all, n_all);
    return lacks_some;
}

/* Counts the shortest paths of three hops that have each arc in their middle.
 * Returns the most. */
static uint32_t
count_needs(struct design *design)
{
    const struct sf_graph *graph = design->graph;
    uint32_t most = 0, *needs = design->needs;

    for (uint32_t a = 0; a < graph->n_nodes; a++) {
        uint32_t begin = graph->first[a], end = graph->first[a + 1];
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t e = begin; e < end; e++) {
                uint32_t b = head(design, e);
                design->stamps[b] = a + 1;
                for (uint32_t f = graph->first[b]; f < graph->first[b + 1];
                     f++) {
                    uint32_t c = head(design, f);
                    for (uint32_t g = graph->first[c];
                         pass == 1 && g < graph->first[c + 1]; g++) {
                        needs[f] += design->stamps[head(design, g)] != a + 1;
                    }
                    design->stamps[c] = a + 1;
                    most = needs[f] > most ? needs[f] : most;
                }
            }
        }
    }
    return most;
}

/* Gives every arc the sum of the heights of its ends, and more to those that
 * shortest paths have in their middle. */
static void
begin_levels(struct design *design)
{
    const struct sf_graph *graph = design->graph;
    uint32_t n = graph->n_nodes, *heights = design->order;
    uint64_t most = design->is_far ? count_needs(design) : 0;

    for (uint32_t s = 0; s < n; s++) {
        heights[s] = s;
    }
    sf_random_shuffle(&design->random, heights, n);
    for (uint32_t f = 0; f < 2 * graph->n_links; f++) {
        uint64_t sum = heights[tail(design, f)] + heights[head(design, f)];
        sum =
            most ? (sum + 2 * (uint64_t)n * design->needs[f] / most) / 2 : sum;
        uint64_t level = 1 + sum * (N_LEVELS - 1) / (2 * (uint64_t)n + 1);
        design->levels[f] = (uint8_t)level;
        design->arriving[design->reverse[f]] = (uint8_t)level;
    }
}

/* Finds how many paths there are, and how many a pair can expect. */
static void
count_paths(struct design *design)
{
    const struct sf_graph *graph = design->graph;
    uint64_t n_pairs = (uint64_t)graph->n_nodes * graph->n_nodes, n_paths = 0;
    uint64_t n_arcs = 2 * (uint64_t)graph->n_links;

    for (uint32_t i = 0; i < graph->n_links; i++) {
        n_paths += 2 *
                   (uint64_t)(sf_graph_degree(graph, graph->links[i].a) - 1) *
                   (sf_graph_degree(graph, graph->links[i].b) - 1);
    }
    /* Gates are no better than other arcs if all are gates. */
    design->gate_shift = design->n_gate_arcs < n_arcs ? GATE_SHIFT : 0;
    design->gate_paths = 1u << design->gate_shift;
    design->n_all_paths = n_paths;
    design->expected = 256;
    if (n_arcs > 0) {
        uint64_t most = n_paths * 192 / n_pairs; /* Three of four. */
        design->is_sparse = design->is_far && most < SPARSE * UINT64_C(256);
        design->expected += most + most * (design->gate_paths - 1) *
                                       design->n_gate_arcs / n_arcs;
    }
}

static uint8_t *
vl_after(const struct design *design, uint32_t in, uint32_t out)
{
    return &design->turns->vls[sf_turn_number(
        design->turns->first, design->graph, design->reverse, in, out)];
}

/* Gives turns that rise and turns that fall their VLs. */
static void
set_vls(const struct design *design)
{
    const struct sf_graph *graph = design->graph;

    for (uint32_t f = 0; f < 2 * graph->n_links; f++) {
        uint32_t b = tail(design, f);
        for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
            if (head(design, i) != head(design, f)) {
                *vl_after(design, design->reverse[i], f) =
                    design->arriving[i] < design->levels[f] ? RISE : FALL;
            }
        }
    }
}

/* What is gained if the turn from 'f' to 'g', which rises, is late and was
 * not, or the other way round: paths that fell before are allowed, and those
 * that go on otherwise are not. */
static int64_t
gain_of_late(const struct design *design, uint32_t f, uint32_t g, bool is_late)
{
    const struct sf_graph *graph = design->graph;
    uint32_t b = tail(design, f), c = head(design, f), d = head(design, g);
    const uint16_t *row = design->worths + (size_t)b * graph->n_nodes;
    int64_t gain = 0;

    for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
        uint32_t a = head(design, i);
        uint64_t worth = worth_at(design->worths + (size_t)a * graph->n_nodes,
                                  design->slots[g], design->gate_shift);
        if (a != c && *vl_after(design, design->reverse[i], f) != RISE) {
            gain += regrow(worth,
                           is_late ? design->grow[design->is_gate[g]] : ONE);
        }
    }
    for (uint32_t h = graph->first[d]; h < graph->first[d + 1]; h++) {
        if (head(design, h) != c && *vl_after(design, g, h) != LATE) {
            gain -= regrow(worth_at(row, design->slots[h], design->gate_shift),
                           is_late ? ONE : design->grow[design->is_gate[h]]);
        }
    }
    return gain;
}

/* Makes the turn from 'f' to 'g' late, or rise as others do if it was. */
static void
change_late(const struct design *design, uint32_t f, uint32_t g, bool is_late)
{
    const struct sf_graph *graph = design->graph;
    uint32_t b = tail(design, f), c = head(design, f), d = head(design, g);
    const uint32_t *before = is_late ? design->grow : design->fade;
    const uint32_t *behind = is_late ? design->fade : design->grow;

    for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
        uint32_t a = head(design, i);
        if (a != c && a != d &&
            *vl_after(design, design->reverse[i], f) != RISE) {
            change_worth(design, a, d, before[design->is_gate[g]]);
        }
    }
    for (uint32_t h = graph->first[d]; h < graph->first[d + 1]; h++) {
        uint32_t x = head(design, h);
        if (x != c && x != b && *vl_after(design, g, h) != LATE) {
            change_worth(design, b, x, behind[design->is_gate[h]]);
        }
    }
    *vl_after(design, f, g) = is_late ? RISE : LATE;
}

/* Lets turns that rise choose whether they are late. */
static void
choose_late(struct design *design)
{
    const struct sf_graph *graph = design->graph;

    for (uint32_t f = 0; f < 2 * graph->n_links; f++) {
        uint32_t b = tail(design, f), c = head(design, f);
        for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
            if (head(design, g) == b || *vl_after(design, f, g) == FALL) {
                continue;
            }
            bool is_late = *vl_after(design, f, g) == LATE;
            int64_t gain = gain_of_late(design, f, g, is_late);
            if (is_late ? gain < 0 : gain > 0) {
                change_late(design, f, g, is_late);
            }
        }
    }
}

/* Helps pairs that have few paths. */
static enum sf_status
help_poor(const struct design *design, const struct sf_network *network,
          uint64_t seed, struct sf_error *err)
{
    uint64_t n = design->graph->n_nodes;
    uint64_t n_usual = 1 + design->n_all_paths * 3 / 4 / (n * n);
    bool has_few_gates = design->gate_paths > 1;
    struct sf_levels_wanted wanted = {
        .n_paths = n_usual < ENOUGH ? (uint32_t)n_usual : ENOUGH,
        .n_by_gates = has_few_gates ? lower(design->n_gates, ENOUGH_GATES) : 0,
        .gates = design->gate_bits,
        .n_levels = N_LEVELS,
    };
    enum sf_status status =
        sf_levels_help_poor(network, seed, &wanted, design->levels, err);

    for (uint32_t f = 0; f < 2 * design->graph->n_links; f++) {
        design->arriving[design->reverse[f]] = design->levels[f];
    }
    return status;
}

/* Turns levels into VLs of turns and ranks of channels.  A third VL is taken
 * only if some pair of switches has no path without it. */
static void
finish_turns(struct design *design, bool is_third_vl)
{
    struct sf_turns *turns = design->turns;

    set_vls(design);
    for (uint32_t i = 0; is_third_vl && i < LATE_ROUNDS; i++) {
        choose_late(design);
    }
    turns->n_vls = is_third_vl ? LATE + 1 : FALL + 1;
    for (size_t f = 0; f < 2 * (size_t)design->graph->n_links; f++) {
        uint32_t level = design->levels[f];
        uint32_t *ranks = turns->ranks + f * turns->n_vls;
        ranks[RISE] = level;
        ranks[FALL] = 2 * N_LEVELS - level;
        if (is_third_vl) {
            ranks[LATE] = 2 * N_LEVELS + level;
        }
    }
}

static bool
make_design(struct design *design)
{
    const struct sf_graph *graph = design->graph;
    size_t n = graph->n_nodes, n_arcs = 2 * (size_t)graph->n_links;
    size_t most = sf_graph_max_degree(graph);

    design->levels = sf_calloc(n_arcs, sizeof *design->levels);
    design->arriving = sf_calloc(n_arcs, sizeof *design->arriving);
    design->is_gate = sf_calloc(n_arcs, sizeof *design->is_gate);
    design->heads = sf_calloc(n_arcs, sizeof *design->heads);
    design->slots = sf_calloc(n_arcs, sizeof *design->slots);
    design->worths = sf_calloc(n, n * sizeof *design->worths);
    design->worths_to = sf_calloc(n, n * sizeof *design->worths_to);
    design->needs = sf_calloc(n_arcs, sizeof *design->needs);
    design->exits = sf_calloc(most, sizeof *design->exits);
    design->order = sf_calloc(n > most ? n : most, sizeof *design->order);
    design->bits = sf_calloc(n_arcs, sizeof *design->bits);
    design->gate_bits = sf_calloc(n, sizeof *design->gate_bits);
    design->last = sf_calloc(n, sizeof *design->last);
    design->n_first = sf_calloc(n, sizeof *design->n_first);
    design->is_met = sf_calloc(n, sizeof *design->is_met);
    design->stamps = sf_calloc(n, sizeof *design->stamps);
    design->turns->gates = sf_calloc(n_arcs, sizeof *design->turns->gates);
    return design->levels && design->arriving && design->is_gate &&
           design->heads && design->slots && design->worths &&
           design->worths_to && design->needs && design->exits &&
           design->order && design->bits && design->gate_bits &&
           design->last && design->n_first && design->is_met &&
           design->stamps && design->turns->gates;
}

static void
clear_design(struct design *design)
{
    free(design->stamps);
    free(design->is_met);
    free(design->n_first);
    free(design->last);
    free(design->gate_bits);
    free(design->bits);
    free(design->order);
    free(design->exits);
    free(design->needs);
    free(design->worths_to);
    free(design->worths);
    free(design->slots);
    free(design->heads);
    free(design->is_gate);
    free(design->arriving);
    free(design->levels);
    sf_turns_free(design->turns);
}

enum sf_status
sf_turns_by_arcs(const struct sf_network *network, uint64_t seed,
                 uint32_t n_gates, uint32_t max_vls, bool is_far,
                 struct sf_turns **turnsp, struct sf_error *err)
{
    struct design design = { .graph = network->graph,
                             .reverse = network->reverse,
                             .is_far = is_far,
                             .n_gates = n_gates };

    *turnsp = NULL;
    enum sf_status status =
        sf_turns_make(network->graph, LATE + 1, &design.turns, err);
    if (status != SF_OK) {
        return status;
    }
    if (!make_design(&design)) {
        clear_design(&design);
        return sf_fail(err, SF_ENOMEM, "out of memory for turns");
    }
    for (uint32_t i = 0; i < 2 * network->graph->n_links; i++) {
        design.heads[i] = network->graph->arcs[i].to;
    }
    sf_random_init(&design.random, seed, 0);
    draw_gates(&design);
    begin_levels(&design);
    count_paths(&design);
    bool lacks_some = run_rounds(&design);
    if (!is_far) {
        status = help_poor(&design, network, seed, err);
    }
    if (status == SF_OK) {
        finish_turns(&design, lacks_some && max_vls > LATE);
        *turnsp = design.turns;
        design.turns = NULL;
    }
    clear_design(&design);
    return status;
}
