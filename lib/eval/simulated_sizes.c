/* simulated_sizes.c -- which sizes of messages are simulated, and which are
 * reckoned from others.
 *
 * Time grows along a straight line with the size where messages are sent in
 * the same way: a start, and so many bytes at a steady rate.  So every second
 * power of two is taken from its neighbours, and sizes with too many packets
 * from the two largest that are simulated (tests/unit/test_evaluation.c and
 * tests/cli/test_evaluate.py compare both with simulations). */
#include "eval/eval.h"

#include <math.h>

/* A size that is sent in its own way alone may have so many times the packets
 * of others before it is given up. */
#define PATIENCE 5

static void
list_sizes(const struct sf_eval_params *params,
           const struct sf_eval_kind *kind, struct sf_eval_sizes *sizes)
{
    sizes->n = 0;
    if (!(kind->max_size > 0)) {
        sizes->sizes[sizes->n++] = 0;
        return;
    }
    for (uint32_t i = 0; i < params->n_sizes; i++) {
        if (params->sizes[i] >= kind->min_size &&
            params->sizes[i] <= kind->max_size) {
            sizes->sizes[sizes->n++] = params->sizes[i];
        }
    }
    for (double size = kind->min_size;
         !params->n_sizes && size <= kind->max_size; size *= 2) {
        sizes->sizes[sizes->n++] = size;
    }
}

/* Whether size number 'i' is sent in the same way as 'k'. */
static bool
are_alike(const struct sf_eval_sizes *sizes, uint32_t i, uint32_t k)
{
    return sizes->ways[i] == sizes->ways[k];
}

/* The two largest simulated sizes below number 'i', if 'is_strict' such that
 * are sent alike; false if there are not two. */
static bool
find_below(const struct sf_eval_sizes *sizes, uint32_t i, bool is_strict,
           uint32_t from[2])
{
    uint32_t n = 0;

    for (uint32_t k = i; n < 2 && k-- > 0;) {
        if (sizes->hows[k] == SF_EVAL_EVENTS &&
            (!is_strict || are_alike(sizes, i, k))) {
            from[1 - n++] = k;
        }
    }
    return n == 2;
}

/* What is too large to be simulated is reckoned, if it can be. */
static void
plan_beyond(const struct sf_eval_params *params,
            const struct sf_eval_kind *kind, uint32_t n_nodes,
            struct sf_eval_sizes *sizes)
{
    double most = kind->ops->part * (double)params->max_packets;

    for (uint32_t i = 0; i < sizes->n; i++) {
        double size = sizes->sizes[i];
        double n_packets = kind->ops->packets(n_nodes, size, params->net.mtu);
        uint32_t *from = sizes->from[i];
        sizes->ways[i] = kind->ops->way(n_nodes, size, params->eager);
        if (n_packets > most && find_below(sizes, i, true, from)) {
            sizes->hows[i] = SF_EVAL_BEYOND;
        } else if (n_packets <= PATIENCE * most) {
            sizes->hows[i] = SF_EVAL_EVENTS;
        } else {
            sizes->hows[i] = find_below(sizes, i, false, from) ? SF_EVAL_BEYOND
                                                               : SF_EVAL_NONE;
        }
    }
}

static bool
is_used(const struct sf_eval_sizes *sizes, uint32_t i)
{
    for (uint32_t k = i + 1; k < sizes->n; k++) {
        if (sizes->hows[k] == SF_EVAL_BEYOND &&
            (sizes->from[k][0] == i || sizes->from[k][1] == i)) {
            return true;
        }
    }
    return false;
}

/* Every second power of two is between its neighbours. */
static void
plan_between(struct sf_eval_sizes *sizes)
{
    for (uint32_t i = 1; i + 1 < sizes->n; i++) {
        bool is_odd = (uint32_t)lround(log2(sizes->sizes[i])) % 2 == 1;
        if (is_odd && sizes->hows[i - 1] == SF_EVAL_EVENTS &&
            sizes->hows[i] == SF_EVAL_EVENTS &&
            sizes->hows[i + 1] == SF_EVAL_EVENTS &&
            are_alike(sizes, i, i - 1) && are_alike(sizes, i, i + 1) &&
            !is_used(sizes, i)) {
            sizes->hows[i] = SF_EVAL_BETWEEN;
            sizes->from[i][0] = i - 1;
            sizes->from[i][1] = i + 1;
        }
    }
}

void
sf_eval_sizes_plan(const struct sf_eval_params *params,
                   const struct sf_eval_kind *kind, uint32_t n_nodes,
                   struct sf_eval_sizes *sizes)
{
    *sizes = (struct sf_eval_sizes){ 0 };
    list_sizes(params, kind, sizes);
    if (kind->method == SF_EVAL_BY_SIZE) {
        plan_beyond(params, kind, n_nodes, sizes);
        if (!params->n_sizes) {
            plan_between(sizes);
        }
    } else {
        sizes->hows[0] =
            kind->method == SF_EVAL_BY_FLOW ? SF_EVAL_FLOW : SF_EVAL_SLOTS;
    }
}
