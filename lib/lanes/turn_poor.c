/* turn_poor.c -- more paths for pairs of switches that levels of arcs
 * (turn_arcs.c) leave with too few.
 *
 * A pair is poor if it has fewer disjoint paths of up to three hops than it
 * should, or fewer of those that layers can take: shortest paths, and such as
 * arrive by a gate.  A path of three hops is lost if its middle arc is a
 * valley, and one arc can mend that: the middle one if it rises above the
 * lower end, or an end if it falls below the middle.  Of all such changes the
 * one is made that all pairs together gain most by, or lose least: what mends
 * one pair at the cost of others may lead on.  In the end the best levels that
 * were met are taken.
 *
 * If pairs lack disjoint paths even then, it goes on for these alone, from the
 * best levels on and several times: paths of layers then matter only between
 * changes that are as good otherwise, and arcs that have changed rest for a
 * while, as in a tabu search.  Larger networks have few such pairs and need
 * only that. */
#include "lanes/turn_design.h"

#include "base/mem.h"
#include "slimfly/random.h"

#include <string.h>

#define MOST_DEGREE 64
#define MANY        8 /* Tries for each poor pair, at most. */
#define ODDS        4 /* One of so many changes for the worse is made. */

/* Where pairs lack disjoint paths in the end: how many times in a row to start
 * again in vain, how many paths are too many, as then the network is to blame,
 * with how many tries to start, for how many changes at least an arc
 * that has changed then stays, so that no change is undone by the next, and
 * what such a path counts as, beside one that layers can take. */
#define VAIN_STARTS  8
#define TOO_MANY     16
#define MORE_TRIES   400
#define REST         8
#define FIRST_OF_ALL (1u << 20)

/* Where pairs can expect so many times as many as they should have, those who
 * lack disjoint paths alone are helped, or none is poor. */
#define PLENTY 3
#define RICHES 6

struct pair {
    uint32_t s, d;
};

/* A pair that has some paths at one of two levels of an arc only: at the new
 * one, or at the old one, if it 'loses' them. */
struct meeting {
    struct pair pair;
    bool loses;
};

/* Disjoint paths of a pair, and those that layers can take, both up to one
 * more than is enough; ANY of neighbours. */
struct has {
    uint8_t paths, by_gates;
};

#define ANY UINT8_MAX

/* By which links allowed paths between two switches leave and arrive: may[i]
 * has a bit for each last link of a path with first link i. */
struct ends {
    uint64_t may[MOST_DEGREE];
    uint64_t shortest; /* Last links of paths of two hops. */
};

struct change {
    uint32_t arc, level;
};

struct helper {
    const struct sf_graph *graph;
    const uint32_t *reverse; /* [2E] */
    uint8_t *levels;         /* [2E] */
    uint32_t n_levels;       /* Levels are 1 to this, less 1. */
    uint32_t enough;         /* Disjoint paths for a pair, */
    uint32_t enough_gates;   /* and those that layers can take. */
    uint32_t path_lack;      /* What the lack of one of the former counts, */
    uint32_t least_lack;     /* and what a pair must lack to be helped. */
    const uint64_t *gates;   /* [V] Bits of the links that are gates. */
    uint32_t *into;          /* [V] Of neighbours of a switch, the arc to it,
                              * plus 1; 0 of all others. */
    struct has *has;         /* [V * V] What pairs have, by 'levels'. */
    uint32_t *rests;         /* [2E] Until when an arc stays as it is, */
    uint32_t now;            /* in changes. */
    bool is_simple;          /* No two links are parallel. */
    uint32_t *stamps;        /* [V * V] Pairs that stand in 'met'. */
    uint32_t stamp;
    SF_VEC(struct meeting) met; /* Pairs that a change concerns. */
    SF_VEC(struct pair) poor;   /* Pairs that are or were poor. */
    bool out_of_memory;
    struct sf_random random;
};

static uint32_t
head(const struct helper *helper, uint32_t arc)
{
    return helper->graph->arcs[arc].to;
}

static uint32_t
tail(const struct helper *helper, uint32_t arc)
{
    return head(helper, helper->reverse[arc]);
}

static bool
is_allowed(const struct helper *helper, uint32_t e, uint32_t f, uint32_t g)
{
    const uint8_t *levels = helper->levels;
    return levels[e] < levels[f] || levels[g] < levels[f];
}

/* Notes in 'into' who is beside 'd', or forgets it. */
static void
mark(struct helper *helper, uint32_t d, bool is_set)
{
    const struct sf_graph *graph = helper->graph;

    for (uint32_t k = graph->first[d]; k < graph->first[d + 1]; k++) {
        helper->into[head(helper, k)] = is_set ? helper->reverse[k] + 1 : 0;
    }
}

/* Finds a last link for first link 'i', moving others if need be. */
static bool
match(const struct ends *ends, uint32_t i, uint32_t *owners, uint64_t *seen)
{
    for (uint64_t open; (open = ends->may[i] & ~*seen) != 0;) {
        uint32_t j = (uint32_t)__builtin_ctzll(open);
        *seen |= UINT64_C(1) << j;
        if (owners[j] == SF_NONE || match(ends, owners[j], owners, seen)) {
            owners[j] = i;
            return true;
        }
    }
    return false;
}

/* How many disjoint paths there are, 'most' at most. */
static uint32_t
count_disjoint(const struct ends *ends, uint32_t degree, uint32_t most)
{
    uint32_t owners[MOST_DEGREE], n = 0;

    memset(owners, 0xff, sizeof owners);
    for (uint32_t i = 0; n < most && i < degree; i++) {
        uint64_t seen = 0;
        n += match(ends, i, owners, &seen);
    }
    return n;
}

/* Counts the disjoint paths to 'd'. */
static struct has
count_paths(const struct helper *helper, const struct ends *ends,
            uint32_t degree, uint32_t d)
{
    uint64_t wanted = helper->gates[d] | ends->shortest;
    struct has has = {
        .paths = (uint8_t)count_disjoint(ends, degree, helper->enough + 1),
        .by_gates = ANY,
    };
    struct ends taken;

    if (helper->enough_gates > 0) {
        for (uint32_t i = 0; i < degree; i++) {
            taken.may[i] = ends->may[i] & wanted;
        }
        has.by_gates =
            (uint8_t)count_disjoint(&taken, degree, helper->enough_gates + 1);
    }
    return has;
}

/* What is lacking to those who have that. */
static uint32_t
count_lack(const struct helper *helper, struct has has)
{
    uint32_t paths = has.paths, by_gates = has.by_gates;

    return (paths < helper->enough ? helper->enough - paths : 0) *
               helper->path_lack +
           (by_gates < helper->enough_gates ? helper->enough_gates - by_gates
                                            : 0);
}

/* What the pair has.  Switches beside 'd' are marked. */
static struct has
find_paths(const struct helper *helper, uint32_t s, uint32_t d)
{
    const struct sf_graph *graph = helper->graph;
    struct ends ends = { 0 };
    uint32_t first = graph->first[s], degree = sf_graph_degree(graph, s);

    for (uint32_t i = 0; i < degree; i++) {
        uint32_t b = head(helper, first + i);
        for (uint32_t f = graph->first[b]; f < graph->first[b + 1]; f++) {
            uint32_t c = head(helper, f);
            uint32_t g = helper->into[c] - 1;
            bool is_path = c == d || (c != s && helper->into[c] &&
                                      is_allowed(helper, first + i, f, g));
            uint32_t last = c == d ? f : g;
            uint64_t bit =
                is_path
                    ? UINT64_C(1) << (helper->reverse[last] - graph->first[d])
                    : 0;
            ends.may[i] |= bit;
            ends.shortest |= c == d ? bit : 0;
        }
    }
    return count_paths(helper, &ends, degree, d);
}

static struct has *
has_of(const struct helper *helper, const struct pair *pair)
{
    return &helper->has[(size_t)pair->s * helper->graph->n_nodes + pair->d];
}

static uint32_t
lack_of(const struct helper *helper, const struct pair *pair)
{
    return count_lack(helper, *has_of(helper, pair));
}

/* What a pair that is met has now. */
static struct has
find_paths_now(struct helper *helper, const struct meeting *meeting)
{
    const struct pair *pair = &meeting->pair;
    struct has has = *has_of(helper, pair);

    if (has.paths != ANY) {
        mark(helper, pair->d, true);
        has = find_paths(helper, pair->s, pair->d);
        mark(helper, pair->d, false);
    }
    return has;
}

/* The same as far as it makes a difference to what it lacks.  One arc makes a
 * difference of one disjoint path at most: all its paths share that link, or
 * it is a single path. */
static struct has
find_change_of(struct helper *helper, const struct meeting *meeting)
{
    struct has has = *has_of(helper, &meeting->pair);

    if (has.paths == ANY ||
        (meeting->loses ? helper->is_simple && has.paths > helper->enough &&
                              has.by_gates > helper->enough_gates
                        : count_lack(helper, has) == 0)) {
        return has;
    }
    return find_paths_now(helper, meeting);
}

static void
meet(struct helper *helper, uint32_t s, uint32_t d, bool loses)
{
    size_t place = (size_t)s * helper->graph->n_nodes + d;

    if (s != d && helper->stamps[place] != helper->stamp) {
        struct meeting meeting = { { s, d }, loses };
        helper->stamps[place] = helper->stamp;
        helper->out_of_memory |= !sf_vec_push(&helper->met, meeting);
    }
}

/* Lists the pairs that have a path with arc 'f' in its middle, or at its ends,
 * which is allowed at one of two levels of 'f' only: now and at 'level'. */
static void
meet_all(struct helper *helper, uint32_t f, uint32_t level)
{
    const struct sf_graph *graph = helper->graph;
    const uint8_t *levels = helper->levels;
    uint32_t b = tail(helper, f), c = head(helper, f);
    bool rises = level > levels[f];
    uint32_t low = rises ? levels[f] : level;
    uint32_t high = rises ? level : levels[f];

    helper->stamp++;
    helper->met.n = 0;
    for (uint32_t i = graph->first[b]; i < graph->first[b + 1]; i++) {
        uint32_t a = head(helper, i), e = helper->reverse[i];
        for (uint32_t g = graph->first[c]; a != c && g < graph->first[c + 1];
             g++) {
            uint32_t lower = levels[e] < levels[g] ? levels[e] : levels[g];
            if (lower >= low && lower < high && head(helper, g) != b) {
                meet(helper, a, head(helper, g), !rises);
            }
        }
        for (uint32_t j = graph->first[a];
             a != c && levels[e] > low && levels[e] <= high &&
             j < graph->first[a + 1];
             j++) {
            if (levels[helper->reverse[j]] >= levels[e]) {
                meet(helper, head(helper, j), c, rises);
            }
        }
    }
    for (uint32_t g = graph->first[c]; g < graph->first[c + 1]; g++) {
        uint32_t d = head(helper, g);
        for (uint32_t h = graph->first[d];
             d != b && levels[g] > low && levels[g] <= high &&
             h < graph->first[d + 1];
             h++) {
            if (levels[h] >= levels[g]) {
                meet(helper, b, head(helper, h), rises);
            }
        }
    }
}

/* What pairs gain by a change; if that is less than 'least', something that is
 * less, too. */
static int64_t
gain_of(struct helper *helper, struct change change, int64_t least)
{
    uint8_t before = helper->levels[change.arc];
    int64_t lack = 0, gain = 0;

    meet_all(helper, change.arc, change.level);
    for (size_t i = 0; i < helper->met.n; i++) {
        lack += lack_of(helper, &helper->met.items[i].pair);
    }
    helper->levels[change.arc] = (uint8_t)change.level;
    for (size_t i = 0; i < helper->met.n && gain + lack >= least; i++) {
        const struct meeting *meeting = &helper->met.items[i];
        uint32_t lacked = lack_of(helper, &meeting->pair);
        lack -= lacked;
        gain += (int64_t)lacked -
                count_lack(helper, find_change_of(helper, meeting));
    }
    helper->levels[change.arc] = before;
    return gain + lack;
}

/* The best change so far, and how many are as good. */
struct choice {
    struct change change;
    int64_t gain;
    uint32_t n_equal;
};

static void
try_change(struct helper *helper, uint32_t arc, uint32_t level,
           struct choice *best)
{
    struct change change = { arc, level };

    if (level < 1 || level >= helper->n_levels ||
        helper->rests[arc] > helper->now) {
        return;
    }
    int64_t gain = gain_of(helper, change, best->gain);
    best->n_equal = gain > best->gain ? 0 : best->n_equal;
    if (gain >= best->gain &&
        sf_random_below(&helper->random, ++best->n_equal) == 0) {
        best->change = change;
        best->gain = gain;
    }
}

/* Tries what can mend the lost paths of a pair. */
static struct choice
find_change(struct helper *helper, const struct pair *pair)
{
    const struct sf_graph *graph = helper->graph;
    const uint8_t *levels = helper->levels;
    struct choice best = { .gain = INT64_MIN };
    uint32_t s = pair->s, d = pair->d;

    for (uint32_t k = graph->first[d]; k < graph->first[d + 1]; k++) {
        uint32_t c = head(helper, k), g = helper->reverse[k];
        for (uint32_t j = graph->first[c]; j < graph->first[c + 1]; j++) {
            uint32_t b = head(helper, j), f = helper->reverse[j];
            for (uint32_t i = graph->first[b];
                 b != d && b != s && i < graph->first[b + 1]; i++) {
                uint32_t e = helper->reverse[i];
                if (head(helper, i) != s || is_allowed(helper, e, f, g)) {
                    continue;
                }
                uint32_t lower = levels[e] < levels[g] ? levels[e] : levels[g];
                try_change(helper, f, lower + 1, &best);
                try_change(helper, e, levels[f] - 1u, &best);
                try_change(helper, g, levels[f] - 1u, &best);
            }
        }
    }
    return best;
}

/* Makes a change.  Pairs that lack something then join the poor. */
static void
make_change(struct helper *helper, struct change change)
{
    meet_all(helper, change.arc, change.level);
    helper->levels[change.arc] = (uint8_t)change.level;
    for (size_t i = 0; i < helper->met.n; i++) {
        const struct meeting *meeting = &helper->met.items[i];
        struct has has = find_paths_now(helper, meeting);
        *has_of(helper, &meeting->pair) = has;
        if (count_lack(helper, has) > 0 &&
            !sf_vec_push(&helper->poor, meeting->pair)) {
            helper->out_of_memory = true;
        }
    }
}

/* What all pairs lack that are listed; each stands there once. */
static int64_t
sum_listed(const struct helper *helper)
{
    int64_t sum = 0;

    for (size_t i = 0; i < helper->poor.n; i++) {
        sum += lack_of(helper, &helper->poor.items[i]);
    }
    return sum;
}

/* Notes all allowed paths of up to three hops that start with arc 'e', which
 * is link 'i' of its switch, in 'ends' [V]. */
static void
note_paths(const struct helper *helper, uint32_t e, uint32_t i,
           struct ends *ends)
{
    const struct sf_graph *graph = helper->graph;
    const uint32_t *first = graph->first, *reverse = helper->reverse;
    uint32_t b = head(helper, e);

    for (uint32_t f = first[b]; f < first[b + 1]; f++) {
        uint32_t c = head(helper, f);
        ends[c].may[i] |= UINT64_C(1) << (reverse[f] - first[c]);
        ends[c].shortest |= UINT64_C(1) << (reverse[f] - first[c]);
        for (uint32_t g = first[c]; f != reverse[e] && g < first[c + 1]; g++) {
            uint32_t d = head(helper, g);
            uint64_t bit = UINT64_C(1) << (reverse[g] - first[d]);
            bool is_path = is_allowed(helper, e, f, g) && d != b;
            ends[d].may[i] |= bit & -(uint64_t)is_path;
        }
    }
}

/* Finds what all pairs have, and lists those that are poor. */
static void
list_poor(struct helper *helper, struct ends *ends)
{
    const struct sf_graph *graph = helper->graph;
    uint32_t n = graph->n_nodes;

    helper->poor.n = 0;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t first = graph->first[s], degree = sf_graph_degree(graph, s);
        memset(ends, 0, n * sizeof *ends);
        for (uint32_t i = 0; i < degree; i++) {
            note_paths(helper, first + i, i, ends);
        }
        mark(helper, s, true);
        for (uint32_t d = 0; d < n; d++) {
            struct pair pair = { s, d };
            struct has has = { ANY, ANY };
            if (s != d && !helper->into[d]) {
                has = count_paths(helper, &ends[d], degree, d);
            }
            *has_of(helper, &pair) = has;
            if (count_lack(helper, has) > 0 &&
                !sf_vec_push(&helper->poor, pair)) {
                helper->out_of_memory = true;
            }
        }
        mark(helper, s, false);
    }
}

/* Makes a change for 'pair', or puts that off; what all pairs gain by it. */
static int64_t
help_pair(struct helper *helper, struct pair pair)
{
    struct choice choice = find_change(helper, &pair);

    if (choice.n_equal == 0) {
        return 0;
    }
    if (choice.gain <= -(int64_t)helper->path_lack &&
        sf_random_below(&helper->random, ODDS) > 0) {
        helper->out_of_memory |= !sf_vec_push(&helper->poor, pair);
        return 0;
    }
    make_change(helper, choice.change);
    if (helper->path_lack == FIRST_OF_ALL) {
        helper->rests[choice.change.arc] =
            ++helper->now + REST + sf_random_below(&helper->random, REST);
    }
    return choice.gain;
}

/* Changes levels pair by pair, so many times at most, and keeps the best in
 * 'best' [2E]; what all pairs lack then. */
static int64_t
help(struct helper *helper, size_t n_tries, uint8_t *best)
{
    size_t n_arcs = 2 * (size_t)helper->graph->n_links;
    int64_t lack = sum_listed(helper), least = lack;

    memcpy(best, helper->levels, n_arcs);
    for (size_t i = 0;
         least >= helper->least_lack && n_tries > 0 && i < helper->poor.n;
         i++) {
        struct pair pair = helper->poor.items[i];
        if (helper->out_of_memory ||
            lack_of(helper, &pair) < helper->least_lack) {
            continue;
        }
        n_tries--;
        lack -= help_pair(helper, pair);
        if (lack < least) {
            least = lack;
            memcpy(best, helper->levels, n_arcs);
        }
    }
    memcpy(helper->levels, best, n_arcs);
    return least;
}

/* Whether pairs can expect fewer than 'n' paths. */
static bool
expects_less(const struct sf_graph *graph, uint64_t n)
{
    uint64_t degree = sf_graph_max_degree(graph);

    return 3 * degree * degree * degree < 4 * graph->n_nodes * n;
}

/* Helps all that are poor, and then those again that lack disjoint paths. */
static void
help_all(struct helper *helper, struct ends *ends, uint8_t *best)
{
    int64_t lack = 1;

    if (expects_less(helper->graph, PLENTY * helper->enough)) {
        helper->path_lack = helper->least_lack = 1;
        list_poor(helper, ends);
        lack = help(helper, MANY * helper->poor.n, best);
    }
    helper->path_lack = helper->least_lack = FIRST_OF_ALL;
    uint32_t n_vain = 0;
    while (lack > 0 && n_vain < VAIN_STARTS) {
        list_poor(helper, ends);
        int64_t before = sum_listed(helper);
        if (before >= (int64_t)TOO_MANY * FIRST_OF_ALL) {
            return;
        }
        lack = help(helper, MORE_TRIES, best);
        n_vain = lack < before ? 0 : n_vain + 1;
        lack = lack < FIRST_OF_ALL ? 0 : lack;
    }
}

enum sf_status
sf_levels_help_poor(const struct sf_network *network, uint64_t seed,
                    const struct sf_levels_wanted *wanted, uint8_t *levels,
                    struct sf_error *err)
{
    size_t n = network->graph->n_nodes;
    struct ends *ends;
    uint8_t *best;
    struct helper helper = { .graph = network->graph,
                             .reverse = network->reverse,
                             .levels = levels,
                             .is_simple = true,
                             .n_levels = wanted->n_levels,
                             .enough = wanted->n_paths,
                             .enough_gates = wanted->n_by_gates,
                             .gates = wanted->gates };

    if (sf_graph_max_degree(network->graph) > MOST_DEGREE ||
        !expects_less(network->graph, RICHES * wanted->n_paths)) {
        return SF_OK;
    }
    helper.into = sf_calloc(n, sizeof *helper.into);
    helper.has = sf_calloc(n, n * sizeof *helper.has);
    helper.rests =
        sf_calloc(2 * (size_t)network->graph->n_links, sizeof *helper.rests);
    helper.stamps = sf_calloc(n, n * sizeof *helper.stamps);
    ends = sf_calloc(n, sizeof *ends);
    best = sf_calloc(2 * (size_t)network->graph->n_links, sizeof *best);
    bool made = helper.into && helper.has && helper.rests && helper.stamps &&
                ends && best;
    for (uint32_t i = 0; i < network->graph->n_links; i++) {
        helper.is_simple &= !sf_graph_is_parallel(network->graph, i);
    }
    sf_random_init(&helper.random, seed, 1);
    if (made) {
        help_all(&helper, ends, best);
    }
    free(helper.met.items);
    free(helper.poor.items);
    free(best);
    free(ends);
    free(helper.stamps);
    free(helper.rests);
    free(helper.has);
    free(helper.into);
    return made && !helper.out_of_memory
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for turns");
}
