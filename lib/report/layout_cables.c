/* layout_cables.c -- where the cables of a drawing go: the heights of their
 * ends, styles by which neighbours are told apart, and lanes for those inside
 * a part. */
#include "report/layout_parts.h"

#include "base/mem.h"

#include <math.h>

/* An end, to sort by box, side and port. */
struct end_key {
    uint32_t box, side, number;
    uint32_t end;
};

static int
compare_ends(const void *a, const void *b)
{
    const struct end_key *x = a, *y = b;

    if (x->box != y->box) {
        return x->box < y->box ? -1 : 1;
    }
    if (x->side != y->side) {
        return x->side < y->side ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

/* How much cables of styles 'a' and 'b' side by side would mislead. */
static uint32_t
similarity(uint32_t a, uint32_t b)
{
    return a == b ? 3 : a % SF_LAYOUT_N_COLORS == b % SF_LAYOUT_N_COLORS;
}

/* Gives cable 'i' the next style in turn that its neighbours do not have:
 * cables up to two rows away at either end.  'keys' are all ends in their
 * order, and places[end] says where in it an end is. */
static void
choose_style(struct sf_layout *layout, uint32_t i, const struct end_key *keys,
             size_t n_keys, const uint32_t *places)
{
    uint32_t costs[SF_LAYOUT_N_STYLES] = { 0 };
    uint32_t best = i % SF_LAYOUT_N_STYLES;

    for (uint32_t end = 2 * i; end < 2 * i + 2; end++) {
        size_t from = places[end] < 2 ? 0 : places[end] - 2;
        for (size_t k = from; k <= places[end] + 2 && k < n_keys; k++) {
            uint32_t other = keys[k].end / 2;
            for (uint32_t s = 0; other < i && s < SF_LAYOUT_N_STYLES; s++) {
                costs[s] += similarity(layout->styles[other], s);
            }
        }
    }
    for (uint32_t k = 0; k < SF_LAYOUT_N_STYLES; k++) {
        uint32_t style = (i + k) % SF_LAYOUT_N_STYLES;
        best = costs[style] < costs[best] ? style : best;
    }
    layout->styles[i] = best;
}

static bool
choose_styles(const struct sf_drawing *drawing, struct sf_layout *layout,
              const struct end_key *keys)
{
    size_t n_keys = (size_t)2 * drawing->n_cables;
    uint32_t *places = sf_calloc(n_keys, sizeof *places);

    if (!places) {
        return false;
    }
    for (uint32_t i = 0; i < n_keys; i++) {
        places[keys[i].end] = i;
    }
    for (uint32_t i = 0; i < drawing->n_cables; i++) {
        choose_style(layout, i, keys, n_keys, places);
    }
    free(places);
    return true;
}

bool
sf_layout_place_ends(const struct sf_drawing *drawing,
                     struct sf_layout *layout)
{
    size_t n = (size_t)2 * drawing->n_cables;
    struct end_key *keys = sf_calloc(n, sizeof *keys);

    if (!keys) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct sf_layout_end *end = &layout->ends[i];
        keys[i] =
            (struct end_key){ end->box, end->side,
                              drawing->plan->fabric->ports[end->port].number,
                              i };
    }
    qsort(keys, n, sizeof *keys, compare_ends);
    uint32_t row = 0;
    for (size_t i = 0; i < n; i++) {
        const struct sf_layout_box *box = &layout->boxes[keys[i].box];
        bool is_next = i > 0 && keys[i].box == keys[i - 1].box &&
                       keys[i].side == keys[i - 1].side;
        row = is_next ? row + 1 : 0;
        layout->ends[keys[i].end].y =
            box->y +
            (box->height - box->n_ends[keys[i].side] * SF_LAYOUT_ROW) / 2 +
            (row + 0.5) * SF_LAYOUT_ROW;
    }
    bool is_ok = choose_styles(drawing, layout, keys);
    free(keys);
    return is_ok;
}

/* A bracket, to be put into a lane. */
struct bracket {
    double low, high;
    enum sf_side side;
    uint32_t cable, lane;
};

static int
compare_brackets(const void *a, const void *b)
{
    const struct bracket *x = a, *y = b;
    double span_x = x->high - x->low, span_y = y->high - y->low;

    if (span_x < span_y || span_x > span_y) {
        return span_x < span_y ? -1 : 1;
    }
    return x->cable < y->cable ? -1 : x->cable > y->cable;
}

/* Puts brackets[i] into the innermost lane in which it meets none of those
 * before it.  'taken' is scratch. */
static void
choose_lane(struct bracket *brackets, uint32_t i, uint32_t *taken)
{
    struct bracket *one = &brackets[i];

    for (uint32_t j = 0; j < i; j++) {
        const struct bracket *other = &brackets[j];
        if (other->side == one->side && other->low < one->high &&
            one->low < other->high) {
            taken[other->lane] = i + 1; /* A mark that no other round left. */
        }
    }
    while (taken[one->lane] == i + 1) {
        one->lane++;
    }
}

bool
sf_layout_choose_lanes(const struct sf_drawing *drawing,
                       struct sf_layout *layout, uint32_t n_lanes[SF_N_SIDES])
{
    uint32_t n = drawing->n_cables;
    struct bracket *brackets = sf_calloc(n, sizeof *brackets);
    uint32_t *taken = sf_calloc((size_t)n + 1, sizeof *taken);
    bool is_ok = brackets && taken;

    for (uint32_t i = 0; is_ok && i < n; i++) {
        const struct sf_layout_end *ends = &layout->ends[(size_t)2 * i];
        brackets[i] =
            (struct bracket){ fmin(ends[0].y, ends[1].y),
                              fmax(ends[0].y, ends[1].y), ends[0].side, i, 0 };
    }
    if (is_ok) {
        qsort(brackets, n, sizeof *brackets, compare_brackets);
    }
    for (uint32_t i = 0; is_ok && i < n; i++) {
        choose_lane(brackets, i, taken);
        uint32_t lane = brackets[i].lane;
        enum sf_side side = brackets[i].side;
        layout->lanes[brackets[i].cable] = lane;
        n_lanes[side] = lane >= n_lanes[side] ? lane + 1 : n_lanes[side];
    }
    free(taken);
    free(brackets);
    return is_ok;
}
