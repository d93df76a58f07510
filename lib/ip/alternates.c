/* alternates.c -- where packets go while a link is down: see sf_ip_encode() in
 * slimfly/ip.h for what an alternate is and what it gives.
 *
 * Why it arrives: let the link from s to n be down, and let s send to m, whose
 * path to the destination does not lead through s.  No switch on that path but
 * s sends towards n over this link, and only n sends over it the other way, to
 * s, which is not on the path.  So the path does not use the link, no switch
 * on it takes an alternate, and it is the path that the routing has.  If it
 * does not lead through n either, it does not use any link of n. */
#include "ip/tables.h"

enum sf_ip_kind
sf_ip_judge(const struct sf_ip_chooser *chooser, const struct sf_ip_tree *tree,
            uint32_t s, uint32_t hop)
{
    const struct sf_graph *graph = chooser->network->graph;
    const struct sf_arc *arcs = graph->arcs + graph->first[s];
    uint32_t m = arcs[hop].to, n = arcs[tree->hops[s]].to;

    if (hop == tree->hops[s] || !sf_ip_tree_avoids(tree, m, s)) {
        return SF_IP_UNREACHABLE;
    }
    return tree->depth[n] > 0 && sf_ip_tree_avoids(tree, m, n)
               ? SF_IP_ALTERNATE_SWITCH
               : SF_IP_ALTERNATE;
}

/* How good an arc is as an alternate: less is better, in this order. */
struct merit {
    uint32_t n_unserved, is_other, is_unsafe, depth, load;
};

static bool
is_better(const struct merit *a, const struct merit *b)
{
    return a->n_unserved != b->n_unserved ? a->n_unserved < b->n_unserved
           : a->is_other != b->is_other   ? a->is_other < b->is_other
           : a->is_unsafe != b->is_unsafe ? a->is_unsafe < b->is_unsafe
           : a->depth != b->depth         ? a->depth < b->depth
                                          : a->load < b->load;
}

/* Judges arc 'hop' of 's' for all trees; false if it does not serve the
 * first.  The kind is that which holds for all that it serves. */
static bool
weigh(const struct sf_ip_chooser *chooser,
      const struct sf_ip_tree *const *trees, uint32_t n_trees, uint32_t s,
      uint32_t hop, struct merit *merit)
{
    const struct sf_graph *graph = chooser->network->graph;
    uint32_t arc = graph->first[s] + hop;
    uint32_t n = graph->arcs[graph->first[s] + trees[0]->hops[s]].to;

    if (sf_ip_judge(chooser, trees[0], s, hop) == SF_IP_UNREACHABLE) {
        return false;
    }
    *merit = (struct merit){
        .is_other = graph->arcs[arc].to != n,
        .depth = trees[0]->depth[graph->arcs[arc].to],
        .load = chooser->loads[arc],
    };
    for (uint32_t i = 0; i < n_trees; i++) {
        enum sf_ip_kind kind = sf_ip_judge(chooser, trees[i], s, hop);
        merit->n_unserved += kind == SF_IP_UNREACHABLE;
        merit->is_unsafe |= kind == SF_IP_ALTERNATE;
    }
    return true;
}

struct sf_ip_choice
sf_ip_choose(struct sf_ip_chooser *chooser,
             const struct sf_ip_tree *const *trees, uint32_t n_trees,
             uint32_t s)
{
    const struct sf_graph *graph = chooser->network->graph;
    struct sf_ip_choice choice = { .hop = SF_NO_HOP };
    struct merit best = { 0 }, merit;

    if (chooser->wanted == SF_IP_ALTERNATES_NONE) {
        return choice;
    }
    for (uint32_t hop = 0; hop < sf_graph_degree(graph, s); hop++) {
        if (weigh(chooser, trees, n_trees, s, hop, &merit) &&
            (choice.hop == SF_NO_HOP || is_better(&merit, &best))) {
            best = merit;
            choice.hop = (uint16_t)hop;
            choice.kind =
                merit.is_unsafe ? SF_IP_ALTERNATE : SF_IP_ALTERNATE_SWITCH;
        }
    }
    return choice;
}
