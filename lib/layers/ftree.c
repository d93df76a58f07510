/* ftree.c -- d-mod-k for Fat Trees [Zahavi10].
 *
 * The levels are read off the graph: switches with hosts are leaves, others
 * stand as high as they are far from the nearest leaf.  Every link must join
 * two neighbouring levels.  The switch at level i that can reach destination
 * number x over k links, all equally short, takes link number x / (k of the
 * levels below) mod k: neighbouring destinations go over different links, and
 * all switches of a level that send to one destination agree.
 *
 * Faults do not disturb that.  k is what most switches of a level have, the
 * number of a link is that which it would have if none were missing.  Where
 * the link for a destination leads nowhere, the path is displaced: in the end
 * it takes the links with the most room.
 *
 * Layer l numbers the destinations from l * step on instead of from 0, where
 * the step spreads the layers of a destination over the links of a leaf.  So
 * each layer by itself uses all links evenly, for senders that know the first
 * address only, and the layers of a destination start on different links.
 * O(L V E) time. */
#include "layers/trees.h"

#include "base/mem.h"

#include <assert.h>
#include <string.h>

#define N_PASSES 3 /* Over the displaced paths. */

/* A next hop that is not the one of d-mod-k. */
struct displaced {
    uint32_t layer, destination, at;
};

struct ftree {
    const struct sf_layer_job *job;
    struct sf_search search;
    uint32_t *level;    /* [V] */
    uint32_t *number;   /* [V] Among the switches of the level. */
    uint32_t *links_up; /* [V] By level: the most that a switch of it has. */
    uint32_t *stride;   /* [V] By level: how many destinations share a link
                         * upwards. */
    uint32_t *slot;  /* [2E] The number of each arc upwards at its switch, if
                      * no link of it were missing. */
    uint32_t step;   /* Between the layers of a destination. */
    uint64_t *loads; /* [2E] Once all layers are there. */
    uint64_t *flows; /* [V] Hosts whose paths go through a switch of the tree
                      * at hand. */
    SF_VEC(struct displaced) displaced;
};

/* Finds the levels: a search from all leaves at once, and then from any switch
 * of each part that has none. */
static void
find_levels(struct ftree *ftree)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t *queue = ftree->search.order, head = 0, tail = 0;

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        ftree->level[s] = SF_NONE;
        if (ftree->job->weights[s] > 0) {
            ftree->level[s] = 0;
            queue[tail++] = s;
        }
    }
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        while (head < tail) {
            uint32_t v = queue[head++];
            for (uint32_t i = graph->first[v]; i < graph->first[v + 1]; i++) {
                uint32_t w = graph->arcs[i].to;
                if (ftree->level[w] == SF_NONE) {
                    ftree->level[w] = ftree->level[v] + 1;
                    queue[tail++] = w;
                }
            }
        }
        if (ftree->level[s] == SF_NONE) {
            ftree->level[s] = 0;
            queue[tail++] = s;
        }
    }
}

static enum sf_status
check_levels(const struct ftree *ftree, struct sf_error *err)
{
    const struct sf_graph *graph = ftree->job->graph;

    for (uint32_t i = 0; i < graph->n_links; i++) {
        const struct sf_link *link = &graph->links[i];
        if (ftree->level[link->a] == ftree->level[link->b]) {
            return sf_fail(err, SF_EINVAL,
                           "not a Fat Tree: a link joins switches %s and %s, "
                           "both at level %u",
                           sf_graph_name(graph, link->a).text,
                           sf_graph_name(graph, link->b).text,
                           ftree->level[link->a]);
        }
    }
    return SF_OK;
}

static uint32_t
count_links_up(const struct ftree *ftree, uint32_t s)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t n = 0;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        n += ftree->level[graph->arcs[i].to] > ftree->level[s];
    }
    return n;
}

/* Numbers the switches of each level. */
static void
number_switches(struct ftree *ftree)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t n_numbered = 0;

    for (uint32_t level = 0; n_numbered < graph->n_nodes; level++) {
        uint32_t number = 0;
        for (uint32_t s = 0; s < graph->n_nodes; s++) {
            if (ftree->level[s] == level) {
                ftree->number[s] = number++;
                n_numbered++;
            }
        }
    }
}

/* Counts the links up of each level, and multiplies them: the stride of a
 * level is that of the one below times its links up. */
static void
find_strides(struct ftree *ftree)
{
    uint32_t n = ftree->job->graph->n_nodes;
    uint64_t stride = 1;

    for (uint32_t s = 0; s < n; s++) {
        uint32_t n_up = count_links_up(ftree, s);
        uint32_t *most = &ftree->links_up[ftree->level[s]];
        *most = n_up > *most ? n_up : *most;
    }
    for (uint32_t level = 0; level < n; level++) {
        ftree->stride[level] = (uint32_t)stride;
        stride *= ftree->links_up[level] > 0 ? ftree->links_up[level] : 1;
        stride = stride > UINT32_MAX ? UINT32_MAX : stride;
    }
}

/* Numbers the arcs upwards of 's' as 'base' [V] says where those to each
 * switch begin, or, where that is not known, one after the other; then notes
 * it there. */
static void
number_arcs(const struct ftree *ftree, uint32_t s, uint32_t *base)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t above = SF_NONE, n_before = 0, n_parallel = 0;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        uint32_t to = graph->arcs[i].to;
        if (ftree->level[to] < ftree->level[s]) {
            continue;
        }
        n_parallel = to == above ? n_parallel + 1 : 0;
        above = to;
        if (base[to] == SF_NONE) {
            base[to] = n_before;
        }
        ftree->slot[i] = base[to] + n_parallel;
        n_before++;
    }
}

/* Numbers all arcs upwards: at switches that have all their links, as these
 * stand; at others as at the former, which are joined to the same switches. */
static void
find_slots(const struct ftree *ftree, uint32_t *base)
{
    uint32_t n = ftree->job->graph->n_nodes;

    memset(base, 0xff, n * sizeof *base);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t s = 0; s < n; s++) {
            bool is_whole =
                count_links_up(ftree, s) == ftree->links_up[ftree->level[s]];
            if (is_whole == (pass == 0)) {
                number_arcs(ftree, s, base);
            }
        }
    }
}

/* Whether arc 'i' of 's' is on a shortest path. */
static bool
is_shortest(const struct ftree *ftree, uint32_t s, uint32_t i)
{
    const uint32_t *distance = ftree->search.distance;
    return distance[ftree->job->graph->arcs[i].to] + 1 == distance[s];
}

/* The arc upwards of 's' with number 'slot', if it is on a shortest path; else
 * SF_NONE. */
static uint32_t
find_slot(const struct ftree *ftree, uint32_t s, uint64_t slot)
{
    const struct sf_graph *graph = ftree->job->graph;

    for (uint32_t i = graph->first[s]; i < graph->first[s + 1]; i++) {
        if (ftree->level[graph->arcs[i].to] > ftree->level[s] &&
            ftree->slot[i] == slot && is_shortest(ftree, s, i)) {
            return i;
        }
    }
    return SF_NONE;
}

/* The arc of 's' on a shortest path to 'd', chosen by the number 'x' of 'd'.
 * On the way down there is a choice among parallel links only, and it is that
 * of the switch below on its way up.
 *
 * A switch without hosts may be reached by going down and up again, after
 * faults.  Then all take the first way, so that few turns lead up again:
 * lanes that untangle these find one VL more to be enough. */
static uint32_t
choose(const struct ftree *ftree, uint32_t s, uint32_t d, uint64_t x,
       bool *is_displacedp)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t n_shortest = 0, next = s, i = graph->first[s];
    uint64_t wanted = 0;

    for (; i < graph->first[s + 1]; i++) {
        if (is_shortest(ftree, s, i)) {
            next = graph->arcs[i].to;
            n_shortest++;
        }
    }
    assert(n_shortest > 0); /* 's' reaches the destination. */
    if (ftree->level[d] == 0) {
        bool goes_up = ftree->level[next] > ftree->level[s];
        uint32_t lower = ftree->level[goes_up ? s : next];
        uint32_t n_links = ftree->links_up[lower];
        uint64_t number = x / ftree->stride[lower];
        uint32_t own =
            goes_up ? find_slot(ftree, s, number % n_links) : SF_NONE;
        if (own != SF_NONE) {
            return own;
        }
        *is_displacedp = goes_up && n_shortest > 1;
        wanted = number % n_shortest;
    }
    for (i = graph->first[s]; !is_shortest(ftree, s, i) || wanted-- > 0; i++) {
    }
    return i;
}

/* How far apart the layers of a destination are: as far as the links up of a
 * leaf allow. */
static uint32_t
find_step(const struct ftree *ftree)
{
    uint32_t n_layers = ftree->job->layers->n_layers;
    uint32_t n_up = ftree->links_up[0];

    return n_up > n_layers ? n_up / n_layers : 1;
}

/* Makes the tree of 'd' in layer 'l'.  False: memory ran out. */
static bool
make_tree(struct ftree *ftree, uint32_t l, uint32_t d)
{
    const struct sf_layer_job *job = ftree->job;
    uint32_t n_sets = job->params->n_sets ? job->params->n_sets : 1;
    uint64_t host = (uint64_t)ftree->number[d] * n_sets + job->params->set;
    uint64_t x = host + (uint64_t)l * ftree->step;
    uint16_t *tree = sf_layers_tree(job->layers, l, d);
    bool is_noted = true;

    for (uint32_t i = 1; is_noted && i < ftree->search.n_reached; i++) {
        uint32_t s = ftree->search.order[i];
        bool is_displaced = false;
        uint32_t arc = choose(ftree, s, d, x, &is_displaced);
        tree[s] = (uint16_t)(arc - job->graph->first[s]);
        if (is_displaced) {
            struct displaced displaced = { l, d, s };
            is_noted = sf_vec_push(&ftree->displaced, displaced);
        }
    }
    return is_noted;
}

static enum sf_status
make_trees(struct ftree *ftree, struct sf_error *err)
{
    const struct sf_layer_job *job = ftree->job;
    bool is_noted = true;

    for (uint32_t d = 0; is_noted && d < job->graph->n_nodes; d++) {
        sf_layers_report(job, d, job->graph->n_nodes);
        sf_search_run(&ftree->search, job->graph, d, NULL);
        for (uint32_t l = 0; is_noted && l < job->layers->n_layers; l++) {
            is_noted = make_tree(ftree, l, d);
        }
    }
    return is_noted ? SF_OK
                    : sf_fail(err, SF_ENOMEM, "out of memory for paths");
}

static uint16_t *
tree_of(const struct ftree *ftree, const struct displaced *displaced)
{
    return sf_layers_tree(ftree->job->layers, displaced->layer,
                          displaced->destination);
}

/* Counts the hosts whose paths go through each switch of the tree of a
 * displaced one, towards the destination that was searched from. */
static void
count_flows(const struct ftree *ftree, const struct displaced *displaced)
{
    const struct sf_layer_job *job = ftree->job;
    const struct sf_graph *graph = job->graph;
    const uint16_t *tree = tree_of(ftree, displaced);

    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        ftree->flows[s] = job->weights[s];
    }
    /* Farthest first: all that comes through a switch is there before it. */
    for (uint32_t i = ftree->search.n_reached; i-- > 1;) {
        uint32_t s = ftree->search.order[i];
        uint32_t next = graph->arcs[graph->first[s] + tree[s]].to;
        ftree->flows[next] += ftree->flows[s];
    }
}

/* Puts 'flow' hosts onto the path from a displaced switch, or takes them off
 * if it is negative. */
static void
add_flow(const struct ftree *ftree, const struct displaced *displaced,
         uint64_t flow)
{
    const struct sf_layer_job *job = ftree->job;
    const uint16_t *tree = tree_of(ftree, displaced);
    uint64_t routes = flow * job->weights[displaced->destination];

    for (uint32_t v = displaced->at; tree[v] != SF_NO_HOP;) {
        uint32_t arc = job->graph->first[v] + tree[v];
        ftree->loads[arc] += routes;
        v = job->graph->arcs[arc].to;
        ftree->flows[v] += flow;
    }
}

/* The most that a link carries on the path from a displaced switch over
 * 'arc'. */
static uint64_t
find_most(const struct ftree *ftree, const struct displaced *displaced,
          uint32_t arc)
{
    const struct sf_graph *graph = ftree->job->graph;
    const uint16_t *tree = tree_of(ftree, displaced);
    uint64_t most = ftree->loads[arc];

    for (uint32_t v = graph->arcs[arc].to; tree[v] != SF_NO_HOP;) {
        uint32_t next = graph->first[v] + tree[v];
        most = ftree->loads[next] > most ? ftree->loads[next] : most;
        v = graph->arcs[next].to;
    }
    return most;
}

/* Lets a displaced path take the links with the most room. */
static void
settle(const struct ftree *ftree, const struct displaced *displaced)
{
    const struct sf_graph *graph = ftree->job->graph;
    uint32_t s = displaced->at, first = graph->first[s], best = SF_NONE;
    uint64_t flow = ftree->flows[s], least = UINT64_MAX;

    if (flow == 0 || ftree->job->weights[displaced->destination] == 0) {
        return;
    }
    add_flow(ftree, displaced, 0 - flow);
    for (uint32_t i = first; i < graph->first[s + 1]; i++) {
        uint64_t most = is_shortest(ftree, s, i)
                            ? find_most(ftree, displaced, i)
                            : UINT64_MAX;
        if (most < least) {
            least = most;
            best = i;
        }
    }
    tree_of(ftree, displaced)[s] = (uint16_t)(best - first);
    add_flow(ftree, displaced, flow);
}

static void
count_loads(const struct sf_layer_job *job, uint64_t *loads)
{
    for (uint32_t l = 0; l < job->layers->n_layers; l++) {
        for (uint32_t d = 0; d < job->graph->n_nodes; d++) {
            sf_tree_count_loads(job, l, d, loads);
        }
    }
}

/* Lets all displaced paths settle, beside those of earlier path sets. */
static void
settle_all(struct ftree *ftree)
{
    const struct sf_layer_job *job = ftree->job;
    const struct displaced *before = NULL;

    for (uint32_t i = 0; job->params->earlier && i < job->params->set; i++) {
        struct sf_layer_job earlier = *job;
        earlier.layers = job->params->earlier[i];
        count_loads(&earlier, ftree->loads);
    }
    count_loads(job, ftree->loads);
    for (int pass = 0; pass < N_PASSES; pass++) {
        for (size_t i = 0; i < ftree->displaced.n; i++) {
            const struct displaced *displaced = &ftree->displaced.items[i];
            bool is_other =
                !before || displaced->destination != before->destination;
            if (is_other) {
                sf_search_run(&ftree->search, job->graph,
                              displaced->destination, NULL);
            }
            if (is_other || displaced->layer != before->layer) {
                count_flows(ftree, displaced);
            }
            settle(ftree, displaced);
            before = displaced;
        }
    }
}

static enum sf_status
build(const struct sf_layer_job *job, struct sf_error *err)
{
    uint32_t n = job->graph->n_nodes;
    enum sf_status status = SF_OK;
    struct ftree ftree = { .job = job };
    bool made = sf_search_init(&ftree.search, n);

    ftree.level = sf_calloc(n, sizeof *ftree.level);
    ftree.number = sf_calloc(n, sizeof *ftree.number);
    ftree.links_up = sf_calloc(n, sizeof *ftree.links_up);
    ftree.stride = sf_calloc(n, sizeof *ftree.stride);
    ftree.slot =
        sf_calloc(2 * (size_t)job->graph->n_links, sizeof *ftree.slot);
    ftree.loads =
        sf_calloc(2 * (size_t)job->graph->n_links, sizeof *ftree.loads);
    ftree.flows = sf_calloc(n, sizeof *ftree.flows);
    if (!made || !ftree.level || !ftree.number || !ftree.links_up ||
        !ftree.stride || !ftree.slot || !ftree.loads || !ftree.flows) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
        goto done;
    }
    find_levels(&ftree);
    status = check_levels(&ftree, err);
    if (status == SF_OK) {
        number_switches(&ftree);
        find_strides(&ftree);
        find_slots(&ftree, ftree.search.order);
        ftree.step = find_step(&ftree);
        status = make_trees(&ftree, err);
    }
    if (status == SF_OK && ftree.displaced.n > 0) {
        settle_all(&ftree);
    }
done:
    free(ftree.displaced.items);
    free(ftree.flows);
    free(ftree.loads);
    free(ftree.slot);
    free(ftree.stride);
    free(ftree.links_up);
    free(ftree.number);
    free(ftree.level);
    sf_search_clear(&ftree.search);
    return status;
}

/* Whether no link joins switches that are equally far from hosts. */
static enum sf_status
is_fat_tree(const struct sf_network *network, bool *is_treep,
            struct sf_error *err)
{
    const struct sf_graph *graph = network->graph;
    struct sf_layer_job job = { .graph = graph, .weights = network->n_hosts };
    struct ftree ftree = { .job = &job };
    bool made = sf_search_init(&ftree.search, graph->n_nodes);
    enum sf_status status = SF_OK;

    ftree.level = sf_calloc(graph->n_nodes, sizeof *ftree.level);
    if (!made || !ftree.level) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for %u switches",
                         graph->n_nodes);
    } else if (graph->n_links > 0) {
        find_levels(&ftree);
        *is_treep = check_levels(&ftree, NULL) == SF_OK;
    }
    free(ftree.level);
    sf_search_clear(&ftree.search);
    return status;
}

static const struct sf_layer_ops ops = { .build = build,
                                         .suits = is_fat_tree };

const struct sf_layer_scheme sf_scheme_ftree = {
    .name = "ftree",
    .title = "d-mod-k for Fat Trees",
    .summary = "up and down a Fat Tree, the links up dealt out by the "
               "destination's number",
    .reference = "Zahavi10",
    .is_per_host = true,
    .minimal_first = true,
    .made_for = "a Fat Tree",
    .ops = &ops,
};
