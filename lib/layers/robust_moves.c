/* robust_moves.c -- changes of trees that can be undone, whether they are
 * sound, and what they cost. */
#include "layers/robust_parts.h"
#include "layers/share.h"
#include "layers/trees.h"

void
sf_robust_set_hop(struct sf_robust *robust, uint32_t layer, uint32_t d,
                  uint32_t s, uint32_t hop)
{
    uint16_t *hops = sf_layers_tree(robust->job->layers, layer, d);

    robust->moves[robust->n_moves++] =
        (struct sf_tree_move){ layer, d, s, hops[s] };
    hops[s] = (uint16_t)hop;
}

void
sf_robust_undo(struct sf_robust *robust, uint32_t mark)
{
    for (uint32_t i = robust->n_moves; i-- > mark;) {
        struct sf_tree_move *move = &robust->moves[i];
        uint16_t *hops =
            sf_layers_tree(robust->job->layers, move->layer, move->d);
        uint16_t now = hops[move->s];
        hops[move->s] = move->hop;
        move->hop = now;
    }
    robust->n_moves = mark;
}

static void
redo(struct sf_robust *robust, uint32_t end)
{
    while (robust->n_moves < end) {
        struct sf_tree_move *move = &robust->moves[robust->n_moves++];
        uint16_t *hops =
            sf_layers_tree(robust->job->layers, move->layer, move->d);
        uint16_t before = hops[move->s];
        hops[move->s] = move->hop;
        move->hop = before;
    }
}

void
sf_robust_list_branch(struct sf_robust *robust, uint32_t layer, uint32_t d,
                      uint32_t s)
{
    const struct sf_layer_job *job = robust->job;
    const struct sf_graph *graph = job->graph;
    const uint16_t *hops = sf_layers_tree(job->layers, layer, d);

    robust->branch[0] = s;
    robust->n_branch = 1;
    for (uint32_t k = 0; k < robust->n_branch; k++) {
        uint32_t v = robust->branch[k];
        for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
            uint32_t c = graph->arcs[i].to;
            if (c != d && c != s && hops[c] != SF_NO_HOP &&
                graph->first[c] + hops[c] == job->reverse[i]) {
                robust->branch[robust->n_branch++] = c;
            }
        }
    }
}

bool
sf_robust_is_sound(const struct sf_robust *robust, uint32_t layer, uint32_t d,
                   uint32_t s)
{
    const struct sf_layer_job *job = robust->job;
    uint32_t path[SF_ROBUST_HOPS];
    uint32_t limit = job->limits[d];
    uint32_t n =
        sf_tree_follow(job, layer, s, d,
                       limit < SF_ROBUST_HOPS ? limit : SF_ROBUST_HOPS, path);

    return n != SF_NONE && sf_path_is_allowed(job, path, n);
}

bool
sf_robust_is_branch_sound(struct sf_robust *robust, uint32_t layer, uint32_t d,
                          uint32_t s)
{
    if (!sf_robust_is_sound(robust, layer, d, s)) {
        return false;
    }
    sf_robust_list_branch(robust, layer, d, s);
    for (uint32_t i = 1; i < robust->n_branch; i++) {
        if (!sf_robust_is_sound(robust, layer, d, robust->branch[i])) {
            return false;
        }
    }
    return true;
}

/* Notes whose paths the moves from 'mark' on changed, all in one tree. */
static void
list_affected(struct sf_robust *robust, uint32_t mark)
{
    robust->n_affected = 0;
    for (uint32_t i = mark; i < robust->n_moves; i++) {
        const struct sf_tree_move *move = &robust->moves[i];
        sf_robust_list_branch(robust, move->layer, move->d, move->s);
        for (uint32_t k = 0; k < robust->n_branch; k++) {
            uint32_t v = robust->branch[k];
            if (!robust->is_affected[v]) {
                robust->is_affected[v] = true;
                robust->affected[robust->n_affected++] = v;
            }
        }
    }
    for (uint32_t i = 0; i < robust->n_affected; i++) {
        robust->is_affected[robust->affected[i]] = false;
    }
}

/* Adds the paths of all that are affected to the change of loads, or takes
 * them off; returns what they lack. */
static int64_t
count_affected(struct sf_robust *robust, uint32_t layer, uint32_t d,
               int64_t sign)
{
    const struct sf_layer_job *job = robust->job;
    int64_t lack = 0;

    for (uint32_t i = 0; i < robust->n_affected; i++) {
        uint32_t v = robust->affected[i];
        int64_t routes =
            (int64_t)((uint64_t)robust->weights[v] * robust->weights[d]);
        lack += sf_robust_lack(job, v, d);
        while (v != d) {
            uint32_t arc = sf_layers_arc(job->layers, job->graph, layer, v, d);
            if (!robust->is_touched[arc]) {
                robust->is_touched[arc] = true;
                robust->touched[robust->n_touched++] = arc;
            }
            robust->change[arc] += sign * routes;
            v = job->graph->arcs[arc].to;
        }
    }
    return lack;
}

/* What the change of loads costs; takes it over if 'is_kept', and forgets
 * it. */
static int64_t
settle_loads(struct sf_robust *robust, bool is_kept)
{
    int64_t cost = 0;

    while (robust->n_touched > 0) {
        uint32_t arc = robust->touched[--robust->n_touched];
        uint64_t before = robust->loads[arc];
        uint64_t now = before + (uint64_t)robust->change[arc];
        cost +=
            (int64_t)sf_share_cost(now, robust->target, SF_ROBUST_POWER) -
            (int64_t)sf_share_cost(before, robust->target, SF_ROBUST_POWER);
        robust->loads[arc] = is_kept ? now : before;
        robust->change[arc] = 0;
        robust->is_touched[arc] = false;
    }
    return cost;
}

struct sf_price
sf_robust_judge(struct sf_robust *robust, uint32_t mark, uint32_t layer,
                uint32_t d, bool is_kept)
{
    uint32_t end = robust->n_moves;

    list_affected(robust, mark);
    int64_t after = count_affected(robust, layer, d, 1);
    sf_robust_undo(robust, mark);
    int64_t before = count_affected(robust, layer, d, -1);
    if (is_kept) {
        redo(robust, end);
    }
    return (struct sf_price){ after - before, settle_loads(robust, is_kept) };
}

void
sf_robust_take_back(struct sf_robust *robust, uint32_t mark, uint32_t layer,
                    uint32_t d)
{
    list_affected(robust, mark);
    count_affected(robust, layer, d, -1);
    sf_robust_undo(robust, mark);
    count_affected(robust, layer, d, 1);
    settle_loads(robust, true);
}

bool
sf_robust_leads_over(const struct sf_robust *robust, uint32_t layer,
                     uint32_t d, uint32_t from, uint32_t v)
{
    const struct sf_layer_job *job = robust->job;

    for (uint32_t n = 0; from != d && from != v && n <= SF_ROBUST_HOPS; n++) {
        uint32_t arc = sf_layers_arc(job->layers, job->graph, layer, from, d);
        if (arc == SF_NONE) {
            return true; /* It is of no use. */
        }
        from = job->graph->arcs[arc].to;
    }
    return from != d;
}

bool
sf_robust_leads_over_moving(const struct sf_robust *robust, uint32_t layer,
                            uint32_t d, uint32_t from, uint32_t v)
{
    for (uint32_t i = 0; i < robust->n_moving; i++) {
        if (sf_robust_leads_over(robust, layer, d, from, robust->moving[i])) {
            return true;
        }
    }
    return sf_robust_leads_over(robust, layer, d, from, v);
}
