/* robust.c -- layers of which one dead link does not hit all.
 *
 * A connection over address k of two hosts takes the paths of layer k in both
 * directions.  It is hit by a dead link on either.  So a pair of switches is
 * safe from any one link if two of its layers, there and back, have no link in
 * common.  Neighbours are the difficult ones: where nothing shorter than a
 * circle of five leads around a link, all layers take the link itself unless
 * one of them goes four hops.
 *
 * Each pair that lacks such layers is looked at by itself.  For each layer l
 * above 0 and another layer m, the paths of l are led around the links of m,
 * in each direction where need be, and if nothing else helps those of m, too:
 * - the source goes over a neighbour as that goes on,
 * - or over a neighbour that changes its own way for it.
 * Who comes over a switch that changes comes along where that is allowed, and
 * goes elsewhere where it is not.  Nobody may lack more by it.  Of all ways
 * that do, the one that costs least by the loads of links is taken.
 *
 * O(L^2 k^2 B) for each pair that lacks something, B the size of branches that
 * move.  All costs are integers: machines change nothing. */
#include "layers/robust_parts.h"

#include "base/mem.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#define ROUNDS 16
#define STRICT                                                 \
    2 /* Rounds in which less must be lacking after each step; \
       * later, others may come to lack as much. */

/* The links of one layer between 's' and 'd', there or both ways. */
static struct sf_way
way_of(const struct sf_robust *robust, uint32_t layer, uint32_t s, uint32_t d,
       bool is_there_only)
{
    const struct sf_layer_job *job = robust->job;
    struct sf_way way = { 0 };

    (void)sf_way_add(job->layers, job->graph, layer, s, d, &way);
    if (!is_there_only) {
        (void)sf_way_add(job->layers, job->graph, layer, d, s, &way);
    }
    return way;
}

/* Where the moves of each step of lead_apart() begin. */
struct marks {
    uint32_t back, other;
};

/* Leads the paths between 's' and 'd' in layer 'l' off those in layer 'm',
 * there and back; or, with the last effort, off the path of 'm' there alone,
 * and then that of 'm' back off those of 'l'.  False if less would not be
 * lacking then.  The moves stay, and the caller takes them back by
 * give_up(). */
static bool
lead_apart(struct sf_robust *robust, uint32_t l, uint32_t m, uint32_t s,
           uint32_t d, struct marks *marks, struct sf_price *sum)
{
    bool moves_both = robust->effort == SF_ROBUST_EFFORTS - 1 && m > 0;
    struct sf_way avoid = way_of(robust, m, s, d, moves_both);

    *sum = (struct sf_price){ 0 };
    robust->n_moves = 0;
    bool is_done = sf_robust_lead_off(robust, l, s, d, &avoid, sum);
    marks->back = robust->n_moves;
    is_done = is_done && sf_robust_lead_off(robust, l, d, s, &avoid, sum);
    marks->other = robust->n_moves;
    if (is_done && moves_both) {
        avoid = way_of(robust, l, s, d, false);
        is_done = sf_robust_lead_off(robust, m, d, s, &avoid, sum);
    }
    return is_done && sum->lack <= robust->allowed;
}

static void
give_up(struct sf_robust *robust, uint32_t l, uint32_t m, uint32_t s,
        uint32_t d, const struct marks *marks)
{
    sf_robust_take_back(robust, marks->other, m, s);
    sf_robust_take_back(robust, marks->back, l, s);
    sf_robust_take_back(robust, 0, l, d);
}

/* Orders the layers from the one with the shortest ways on. */
static bool
order_ways(const struct sf_layer_job *job, uint32_t s, uint32_t d,
           uint32_t *order)
{
    struct sf_way ways[SF_MAX_LAYERS];
    uint32_t n = job->layers->n_layers;
    bool all = sf_ways_find(job->graph, job->layers, job->layers, s, d, ways);

    for (uint32_t l = 0; all && l < n; l++) {
        uint32_t i = l;
        for (; i > 0 && ways[order[i - 1]].n > ways[l].n; i--) {
            order[i] = order[i - 1];
        }
        order[i] = l;
    }
    return all;
}

/* The best way to serve a pair: lead layer 'l' off layer 'm'. */
struct remedy {
    uint32_t l, m;
    struct sf_price price;
};

/* Looks for the best remedy in layer 'l'. */
static void
try_layer(struct sf_robust *robust, uint32_t s, uint32_t d, uint32_t l,
          const uint32_t *order, struct remedy *remedy)
{
    for (uint32_t i = 0; i < robust->job->layers->n_layers; i++) {
        uint32_t m = order[i];
        struct marks marks;
        struct sf_price price;
        if (m == l) {
            continue;
        }
        bool is_done = lead_apart(robust, l, m, s, d, &marks, &price);
        give_up(robust, l, m, s, d, &marks);
        if (is_done) {
            if (remedy->l == SF_NONE ||
                sf_price_is_less(price, remedy->price)) {
                *remedy = (struct remedy){ l, m, price };
            }
            return;
        }
    }
}

/* Gives 's' and 'd' two layers that share no link, if that can be. */
static bool
serve(struct sf_robust *robust, uint32_t s, uint32_t d)
{
    uint32_t order[SF_MAX_LAYERS];
    struct marks marks;
    struct remedy remedy = { SF_NONE, SF_NONE, { 0, 0 } };

    if (!order_ways(robust->job, s, d, order)) {
        return false;
    }
    for (robust->effort = 0; robust->effort < robust->n_efforts;
         robust->effort++) {
        for (uint32_t l = 1; l < robust->job->layers->n_layers; l++) {
            try_layer(robust, s, d, l, order, &remedy);
        }
        if (remedy.l != SF_NONE) {
            return lead_apart(robust, remedy.l, remedy.m, s, d, &marks,
                              &remedy.price);
        }
    }
    return false;
}

/* What hosts of the two switches lack, whatever path sets they are of. */
static uint32_t
lack_of_pair(const struct sf_robust *robust, uint32_t s, uint32_t d)
{
    return sf_robust_lack(robust->job, s, d) +
           (robust->job->params->set > sf_robust_first_set(robust->job)
                ? sf_robust_lack(robust->job, d, s)
                : 0);
}

/* Serves all pairs that lack something, in random order; returns how many
 * were helped. */
static uint32_t
serve_round(struct sf_robust *robust, uint32_t round, uint32_t *order)
{
    const struct sf_layer_job *job = robust->job;
    uint32_t n = job->graph->n_nodes, n_served = 0;
    struct sf_random random;

    sf_random_init(&random, job->seed, UINT64_C(5) << 61 | round);
    sf_random_shuffle(&random, order, n);
    for (uint32_t i = 0; i < n; i++) {
        sf_progress_report("keeping layers apart", (uint64_t)round * n + i,
                           (uint64_t)ROUNDS * n);
        for (uint32_t k = 0; k < i; k++) {
            n_served += lack_of_pair(robust, order[i], order[k]) > 0 &&
                        serve(robust, order[i], order[k]);
        }
    }
    return n_served;
}

static uint64_t
mean_load(const struct sf_robust *robust)
{
    uint32_t n_arcs = 2 * robust->job->graph->n_links;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_arcs; i++) {
        sum += robust->loads[i];
    }
    return 1 + sum / (n_arcs ? n_arcs : 1);
}

enum sf_status
sf_layers_make_robust(const struct sf_layer_job *job, const uint32_t *weights,
                      uint64_t *loads, struct sf_error *err)
{
    size_t n = job->graph->n_nodes, n_arcs = 2 * (size_t)job->graph->n_links;
    struct sf_robust robust = { .job = job,
                                .weights = weights,
                                .loads = loads };
    enum sf_status status = SF_OK;
    uint32_t n_served = SF_NONE;

    uint32_t *order = sf_calloc(n, sizeof *order);
    robust.branch = sf_calloc(n, sizeof *robust.branch);
    robust.affected = sf_calloc(n, sizeof *robust.affected);
    robust.is_affected = sf_calloc(n, sizeof *robust.is_affected);
    robust.change = sf_calloc(n_arcs, sizeof *robust.change);
    robust.touched = sf_calloc(n_arcs, sizeof *robust.touched);
    robust.is_touched = sf_calloc(n_arcs, sizeof *robust.is_touched);
    if (order && robust.branch && robust.affected && robust.is_affected &&
        robust.change && robust.touched && robust.is_touched) {
        for (uint32_t i = 0; i < n; i++) {
            order[i] = i;
        }
        for (uint32_t round = 0;
             round < ROUNDS && (n_served > 0 || round <= STRICT); round++) {
            robust.target = mean_load(&robust);
            robust.allowed = round < STRICT ? -1 : 0;
            robust.n_efforts =
                round < STRICT ? SF_ROBUST_EFFORTS - 1 : SF_ROBUST_EFFORTS;
            n_served = serve_round(&robust, round, order);
        }
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %zu switches", n);
    }
    free(robust.is_touched);
    free(robust.touched);
    free(robust.change);
    free(robust.is_affected);
    free(robust.affected);
    free(robust.branch);
    free(order);
    return status;
}
