/* random_graphs.c -- random regular graphs: Xpander and Jellyfish.
 *
 * Xpander [Valadarsky16]: a k-regular complete graph on k + 1 metanodes, each
 * blown up to 'lift' switches; two metanodes are joined by a random perfect
 * matching.  Jellyfish [Singla12]: any simple k-regular graph on n switches.
 * Both are made again, with the next stream of the same seed, until they are
 * connected. */
#include "slimfly/random.h"
#include "topology/family.h"

#include <string.h>

/* Connected graphs of degree 3 and more are by far the most, so a failure of
 * this many tries means that there is hardly any. */
#define MAX_TRIES 1000

static uint32_t
find_root(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

/* Whether the links so far join all switches, by union-find in 'parent'. */
static bool
is_connected(const struct sf_sketch *sketch, uint32_t *parent)
{
    uint32_t n_parts = sketch->n_switches;

    for (uint32_t s = 0; s < sketch->n_switches; s++) {
        parent[s] = s;
    }
    for (size_t i = 0; i < sketch->links.n; i++) {
        uint32_t a = find_root(parent, sketch->links.items[i].a);
        uint32_t b = find_root(parent, sketch->links.items[i].b);
        if (a != b) {
            parent[a] = b;
            n_parts--;
        }
    }
    return n_parts == 1;
}

static void
match_metanodes(uint32_t k, uint32_t lift, struct sf_random *random,
                uint32_t *order, struct sf_sketch *sketch)
{
    for (uint32_t i = 0; i <= k; i++) {
        for (uint32_t j = i + 1; j <= k; j++) {
            for (uint32_t s = 0; s < lift; s++) {
                order[s] = s;
            }
            sf_random_shuffle(random, order, lift);
            for (uint32_t s = 0; s < lift; s++) {
                sf_sketch_link(sketch, i * lift + s, j * lift + order[s], 1);
            }
        }
    }
}

static enum sf_status
draw_xpander(const struct sf_value *values, struct sf_sketch *sketch,
             struct sf_error *err)
{
    uint32_t k = (uint32_t)values[0].number;
    uint32_t lift = (uint32_t)values[1].number;
    uint32_t p = sf_value_or(&values[2], (k + 1) / 2);
    uint64_t seed = values[3].number;
    uint64_t n_switches = ((uint64_t)k + 1) * lift;

    enum sf_status status =
        sf_sketch_begin(sketch, n_switches, n_switches * k / 2, err);
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t s = 0; s < sketch->n_switches; s++) {
        sf_sketch_switch(sketch, s, (uint32_t[]){ s / lift, s % lift }, p);
    }
    uint32_t *order = sf_calloc(lift, sizeof *order);
    uint32_t *parent = sf_calloc(n_switches, sizeof *parent);
    if (!order || !parent) {
        status = sf_fail(err, SF_ENOMEM, "out of memory");
        goto done;
    }

    uint64_t try = 0;
    do {
        struct sf_random random;
        sf_random_init(&random, seed, try);
        sketch->links.n = 0;
        match_metanodes(k, lift, &random, order, sketch);
    } while (sketch->status == SF_OK && !is_connected(sketch, parent) &&
             ++try < MAX_TRIES);
    if (try == MAX_TRIES) {
        status = sf_fail(err, SF_EINVAL,
                         "no connected graph found for k = %u and lift = %u",
                         k, lift);
    }

done:
    free(parent);
    free(order);
    return status;
}

/* A simple regular graph under construction: the links, and a hash table that
 * tells whether two switches are joined already. */
struct pairing {
    struct sf_link *links;
    uint32_t n_links;
    uint64_t *slots;  /* Keys of links plus 1; 0 is empty. */
    uint32_t n_slots; /* A power of two. */
};

static uint64_t
key_of(uint32_t a, uint32_t b)
{
    return a < b ? ((uint64_t)a << 32 | b) + 1 : ((uint64_t)b << 32 | a) + 1;
}

/* The slot that holds 'key', or the empty one where it would go. */
static uint32_t
slot_of(const struct pairing *pairing, uint64_t key)
{
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(hash >> 32) & (pairing->n_slots - 1);
    while (pairing->slots[slot] && pairing->slots[slot] != key) {
        slot = (slot + 1) & (pairing->n_slots - 1);
    }
    return slot;
}

static bool
is_joined(const struct pairing *pairing, uint32_t a, uint32_t b)
{
    return pairing->slots[slot_of(pairing, key_of(a, b))] != 0;
}

static void
join(struct pairing *pairing, uint32_t a, uint32_t b)
{
    uint64_t key = key_of(a, b);
    pairing->slots[slot_of(pairing, key)] = key;
}

/* Removes a link from the table, moving later keys of its run up so that no
 * search stops short. */
static void
unjoin(struct pairing *pairing, uint32_t a, uint32_t b)
{
    uint32_t mask = pairing->n_slots - 1;
    uint32_t slot = slot_of(pairing, key_of(a, b));

    pairing->slots[slot] = 0;
    for (uint32_t next = (slot + 1) & mask; pairing->slots[next];
         next = (next + 1) & mask) {
        uint64_t key = pairing->slots[next];
        pairing->slots[next] = 0;
        pairing->slots[slot_of(pairing, key)] = key;
    }
}

/* Draws a k-regular simple graph: pairs the link ends at random, then mends
 * each pair that is a loop or a repetition by exchanging ends with a random
 * good link.  Loops and repetitions are about k^2 / 4 in number whatever n
 * is, so the mending is short.  False if it does not come to an end. */
static bool
pair_at_random(struct pairing *pairing, uint32_t n, uint32_t k, uint32_t *ends,
               struct sf_random *random)
{
    uint32_t n_good = 0;

    memset(pairing->slots, 0, pairing->n_slots * sizeof *pairing->slots);
    for (uint32_t i = 0; i < n * k; i++) {
        ends[i] = i / k;
    }
    sf_random_shuffle(random, ends, n * k);

    /* Good links gather at the front, bad ones at the back. */
    uint32_t n_bad = 0;
    for (uint32_t i = 0; i < pairing->n_links; i++) {
        uint32_t a = ends[2 * i], b = ends[2 * i + 1];
        if (a == b || is_joined(pairing, a, b)) {
            n_bad++;
            pairing->links[pairing->n_links - n_bad] =
                (struct sf_link){ a, b };
        } else {
            pairing->links[n_good++] = (struct sf_link){ a, b };
            join(pairing, a, b);
        }
    }
    uint64_t patience = 1000 + 1000 * (uint64_t)n_bad;
    while (n_good < pairing->n_links && n_good > 0 && patience-- > 0) {
        struct sf_link *bad = &pairing->links[n_good];
        struct sf_link *good =
            &pairing->links[sf_random_below(random, n_good)];
        uint32_t a = bad->a, b = bad->b, c = good->a, d = good->b;
        if (sf_random_next(random) >> 63) {
            c = good->b;
            d = good->a;
        }
        /* a-b and c-d become a-c and b-d. */
        if (a == c || b == d || is_joined(pairing, a, c) ||
            is_joined(pairing, b, d) || key_of(a, c) == key_of(b, d)) {
            continue;
        }
        unjoin(pairing, c, d);
        *good = (struct sf_link){ a, c };
        *bad = (struct sf_link){ b, d };
        join(pairing, a, c);
        join(pairing, b, d);
        n_good++;
    }
    return n_good == pairing->n_links;
}

/* Links the switches that are joined in 'pairing' or, if 'complement', those
 * that are not. */
static void
link_pairs(const struct pairing *pairing, uint32_t n, bool complement,
           struct sf_sketch *sketch)
{
    if (!complement) {
        for (uint32_t i = 0; i < pairing->n_links; i++) {
            sf_sketch_link(sketch, pairing->links[i].a, pairing->links[i].b,
                           1);
        }
        return;
    }
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            if (!is_joined(pairing, a, b)) {
                sf_sketch_link(sketch, a, b, 1);
            }
        }
    }
}

static enum sf_status
draw_jellyfish(const struct sf_value *values, struct sf_sketch *sketch,
               struct sf_error *err)
{
    uint32_t n = (uint32_t)values[0].number, k = (uint32_t)values[1].number;
    uint32_t p = sf_value_or(&values[2], (k + 1) / 2);
    uint64_t seed = values[3].number;

    if (k >= n) {
        return sf_fail(err, SF_EINVAL,
                       "k = %u: %u switches have at most %u neighbours each",
                       k, n, n - 1);
    }
    if ((uint64_t)n * k % 2 != 0) {
        return sf_fail(err, SF_EINVAL,
                       "n = %u and k = %u: n times k must be even, as every "
                       "link has two ends",
                       n, k);
    }
    if (k == 1 && n > 2) {
        return sf_fail(err, SF_EINVAL,
                       "k = 1: %u switches with one link each are not "
                       "connected",
                       n);
    }
    enum sf_status status =
        sf_sketch_begin(sketch, n, (uint64_t)n * k / 2, err);
    if (status != SF_OK) {
        return status;
    }

    /* A dense graph is the complement of a sparse one, which is easy. */
    bool is_dense = 2 * (uint64_t)k > n - 1;
    uint32_t drawn_k = is_dense ? n - 1 - k : k;
    struct pairing pairing = { .n_links = n * drawn_k / 2, .n_slots = 16 };
    while (pairing.n_slots < 3 * pairing.n_links) {
        pairing.n_slots *= 2;
    }
    pairing.links = sf_calloc(pairing.n_links, sizeof *pairing.links);
    pairing.slots = sf_calloc(pairing.n_slots, sizeof *pairing.slots);
    uint32_t *ends = sf_calloc((size_t)n * (drawn_k + 1), sizeof *ends);
    if (!pairing.links || !pairing.slots || !ends) {
        status = sf_fail(err, SF_ENOMEM, "out of memory");
        goto done;
    }
    for (uint32_t s = 0; s < n; s++) {
        sf_sketch_switch(sketch, s, &s, p);
    }
    uint64_t try = 0;
    for (; try < MAX_TRIES && sketch->status == SF_OK; try++) {
        struct sf_random random;
        sf_random_init(&random, seed, try);
        if (!pair_at_random(&pairing, n, drawn_k, ends, &random)) {
            continue;
        }
        sketch->links.n = 0;
        link_pairs(&pairing, n, is_dense, sketch);
        if (sketch->status == SF_OK && is_connected(sketch, ends)) {
            break;
        }
    }
    if (try == MAX_TRIES) {
        status =
            sf_fail(err, SF_EINVAL,
                    "no connected graph found for n = %u and k = %u", n, k);
    }

done:
    free(ends);
    free(pairing.slots);
    free(pairing.links);
    return status;
}

static const struct sf_family_ops xpander_ops = { .draw = draw_xpander };
static const struct sf_family_ops jellyfish_ops = { .draw = draw_jellyfish };

const struct sf_family sf_family_xpander = {
    .name = "xpander",
    .title = "Xpander, a random lift of a complete graph",
    .example = "xpander:k=7,lift=6,seed=1",
    .reference = "Valadarsky16",
    .params = {
        { .key = "k", SF_PARAM_NUMBER, 2, 1024, false, NULL,
          "links a switch; k + 1 metanodes" },
        { .key = "lift", SF_PARAM_NUMBER, 1, SF_MAX_SWITCHES, false, NULL,
          "switches a metanode" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "half the degree, up",
          "hosts a switch" },
        { .key = "seed", SF_PARAM_SEED, 0, 0, false, "1", "of the random numbers" },
    },
    .coords = { "metanode", "index" },
    .level_coord = SF_NONE,
    .group_coord = 0,
    .ops = &xpander_ops,
};

const struct sf_family sf_family_jellyfish = {
    .name = "jellyfish",
    .title = "Jellyfish, a random regular graph",
    .example = "jellyfish:n=50,k=7,seed=1",
    .reference = "Singla12",
    .params = {
        { .key = "n", SF_PARAM_NUMBER, 2, SF_MAX_SWITCHES, false, NULL, "switches" },
        { .key = "k", SF_PARAM_NUMBER, 1, 1024, false, NULL, "links a switch" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "half the degree, up",
          "hosts a switch" },
        { .key = "seed", SF_PARAM_SEED, 0, 0, false, "1", "of the random numbers" },
    },
    .coords = { "index" },
    .level_coord = SF_NONE,
    .group_coord = SF_NONE,
    .ops = &jellyfish_ops,
};
