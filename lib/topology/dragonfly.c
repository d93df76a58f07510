/* dragonfly.c -- Dragonfly [Kim08]: g groups of 'a' switches; inside a group
 * all are joined, and each has h links to other groups.
 *
 * With all g = a h + 1 groups there is one link between any two groups.  With
 * fewer, the a h global links of a group go around the other groups again and
 * again, which gives parallel links where they meet the same two switches;
 * what is left after the last full round is shared out evenly on both sides,
 * and at most one port a group stays free.
 *
 * Global link j of a group belongs to switch j / h.  Link j of group i and
 * link j' of group i' are the same cable if j goes from i to i' and j' back:
 * in a round, offset o leads to group i + 1 + o, from where offset g - 2 - o
 * leads back. */
#include "topology/family.h"

#include <assert.h>

#define MAX_SIDE 4096

/* Which offset the global link 'j' of every group has in its round, or
 * SF_NONE if the link stays free.  In the last, partial round of 'n_left'
 * links the offsets are taken in pairs o, g - 2 - o from both ends; an odd
 * one in the middle exists only if g is even. */
static uint32_t
offset_of(uint32_t j, uint32_t n_offsets, uint32_t n_global)
{
    assert(n_offsets > 0); /* There are at least two groups. */
    uint32_t n_left = n_global % n_offsets;
    uint32_t i = j % n_offsets;

    if (j < n_global - n_left) {
        return i;
    }
    if (n_left % 2 == 1 && i == n_left - 1) {
        return n_offsets % 2 == 1 ? n_offsets / 2 : SF_NONE;
    }
    return i % 2 == 0 ? i / 2 : n_offsets - 1 - i / 2;
}

/* The global link of the round of 'j' with 'offset'. */
static uint32_t
link_with_offset(uint32_t j, uint32_t offset, uint32_t n_offsets,
                 uint32_t n_global)
{
    uint32_t first = j - j % n_offsets;
    for (uint32_t k = first; k < n_global && k < first + n_offsets; k++) {
        if (offset_of(k, n_offsets, n_global) == offset) {
            return k;
        }
    }
    return SF_NONE; /* Not reached: offsets come in pairs. */
}

static enum sf_status
draw(const struct sf_value *values, struct sf_sketch *sketch,
     struct sf_error *err)
{
    uint32_t a = (uint32_t)values[0].number, h = (uint32_t)values[1].number;
    uint64_t most_groups = (uint64_t)a * h + 1;
    uint64_t g = values[3].given ? values[3].number : most_groups;
    uint32_t p = sf_value_or(&values[2], h);

    if (g > most_groups) {
        return sf_fail(err, SF_EINVAL,
                       "g = %u: with a = %u and h = %u there are at most "
                       "%llu groups",
                       (uint32_t)g, a, h, (unsigned long long)most_groups);
    }
    enum sf_status status =
        sf_sketch_begin(sketch, g * a, g * a * ((uint64_t)a - 1 + h) / 2, err);
    if (status != SF_OK) {
        return status;
    }

    uint32_t n_groups = (uint32_t)g, n_global = a * h;
    uint32_t n_offsets = n_groups - 1;
    for (uint32_t group = 0; group < n_groups; group++) {
        for (uint32_t i = 0; i < a; i++) {
            sf_sketch_switch(sketch, group * a + i, (uint32_t[]){ group, i },
                             p);
            for (uint32_t j = i + 1; j < a; j++) {
                sf_sketch_link(sketch, group * a + i, group * a + j, 1);
            }
        }
    }
    for (uint32_t j = 0; j < n_global; j++) {
        uint32_t offset = offset_of(j, n_offsets, n_global);
        if (offset == SF_NONE) {
            continue;
        }
        uint32_t back =
            link_with_offset(j, n_offsets - 1 - offset, n_offsets, n_global);
        for (uint32_t group = 0; group < n_groups; group++) {
            uint32_t other = (group + 1 + offset) % n_groups;
            if (group < other) {
                sf_sketch_link(sketch, group * a + j / h, other * a + back / h,
                               1);
            }
        }
    }
    return SF_OK;
}

static const struct sf_family_ops ops = { .draw = draw };

const struct sf_family sf_family_dragonfly = {
    .name = "df",
    .title = "Dragonfly, diameter 3",
    .example = "df:a=4,h=2,p=2",
    .reference = "Kim08",
    .params = {
        { .key = "a", SF_PARAM_NUMBER, 1, MAX_SIDE, false, NULL,
          "switches a group" },
        { .key = "h", SF_PARAM_NUMBER, 1, MAX_SIDE, false, NULL,
          "links of a switch to other groups" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "h", "hosts a switch" },
        { .key = "g", SF_PARAM_NUMBER, 2, SF_MAX_SWITCHES, false, "a h + 1",
          "groups" },
    },
    .coords = { "group", "index" },
    .level_coord = SF_NONE,
    .group_coord = 0,
    .ops = &ops,
};
