/* disjoint.c -- the largest independent set of a small graph of conflicts, by
 * branch and bound.
 *
 * Paths over one link are in conflict with each other, so that at most one of
 * them can be taken: a cover of the paths left by such cliques bounds what can
 * still be had.  Paths with at most one conflict left are taken at once; else
 * the path with most conflicts is left or taken.  Paths of one pair all start
 * over few links, so the first bound is mostly reached by the first try. */
#include "analysis/disjoint.h"

#define N_WORDS (SF_MAX_LAYERS / 64)

struct search {
    const struct sf_path_set *conflicts;
    uint32_t most;  /* The largest set so far, */
    uint32_t bound; /* and what no set can be larger than. */
};

static uint32_t
count(const struct sf_path_set *set)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < N_WORDS; i++) {
        n += (uint32_t)__builtin_popcountll(set->words[i]);
    }
    return n;
}

/* The lowest path in 'set'; SF_NONE if it is empty. */
static uint32_t
lowest(const struct sf_path_set *set)
{
    for (uint32_t i = 0; i < N_WORDS; i++) {
        if (set->words[i]) {
            return 64 * i + (uint32_t)__builtin_ctzll(set->words[i]);
        }
    }
    return SF_NONE;
}

static void
drop(struct sf_path_set *set, uint32_t path)
{
    set->words[path / 64] &= ~(UINT64_C(1) << path % 64);
}

static struct sf_path_set
common(const struct sf_path_set *a, const struct sf_path_set *b)
{
    struct sf_path_set both;

    for (uint32_t i = 0; i < N_WORDS; i++) {
        both.words[i] = a->words[i] & b->words[i];
    }
    return both;
}

static void
drop_all(struct sf_path_set *set, const struct sf_path_set *others)
{
    for (uint32_t i = 0; i < N_WORDS; i++) {
        set->words[i] &= ~others->words[i];
    }
}

/* Covers 'set' by cliques of conflicts, one after another; at most one path
 * of each can be taken. */
static uint32_t
cover(const struct search *search, struct sf_path_set set)
{
    uint32_t n_cliques = 0;

    for (uint32_t v = lowest(&set); v != SF_NONE; v = lowest(&set)) {
        drop(&set, v);
        struct sf_path_set clique = common(&set, &search->conflicts[v]);
        for (uint32_t u = lowest(&clique); u != SF_NONE; u = lowest(&clique)) {
            drop(&set, u);
            drop(&clique, u);
            clique = common(&clique, &search->conflicts[u]);
        }
        n_cliques++;
    }
    return n_cliques;
}

/* The path to decide on next: one with at most one conflict in 'set', else
 * one with most of them. */
static uint32_t
choose(const struct search *search, const struct sf_path_set *set,
       uint32_t *n_conflictsp)
{
    struct sf_path_set left = *set;
    uint32_t chosen = SF_NONE;

    for (uint32_t v = lowest(&left); v != SF_NONE; v = lowest(&left)) {
        drop(&left, v);
        struct sf_path_set others = common(set, &search->conflicts[v]);
        drop(&others, v);
        uint32_t n = count(&others);
        if (chosen == SF_NONE || n <= 1 || n > *n_conflictsp) {
            chosen = v;
            *n_conflictsp = n;
        }
        if (n <= 1) {
            break;
        }
    }
    return chosen;
}

static void
decide(struct search *search, struct sf_path_set set, uint32_t n_taken)
{
    while (search->most < search->bound &&
           n_taken + cover(search, set) > search->most) {
        uint32_t n_conflicts = 0;
        uint32_t v = choose(search, &set, &n_conflicts);
        if (v == SF_NONE) {
            search->most = n_taken;
            return;
        }
        drop(&set, v);
        if (n_conflicts > 1) {
            decide(search, set, n_taken);
        }
        drop_all(&set, &search->conflicts[v]);
        n_taken++;
    }
}

uint32_t
sf_disjoint_most(const struct sf_path_set *conflicts, uint32_t n_paths)
{
    struct search search = { .conflicts = conflicts };
    struct sf_path_set all = { { 0 } };

    for (uint32_t i = 0; i < n_paths; i++) {
        all.words[i / 64] |= UINT64_C(1) << i % 64;
    }
    search.bound = cover(&search, all);
    decide(&search, all, 0);
    return search.most;
}
