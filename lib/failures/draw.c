/* draw.c -- which parts fail in a run. */
#include "base/mem.h"
#include "failures/study.h"
#include "slimfly/random.h"

#include <math.h>

/* Random streams of a seed, one for each thing that is drawn. */
enum stream {
    STREAM_LINKS,
    STREAM_SWITCHES,
    STREAM_RACKS,
    STREAM_BUNDLES,
};

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory to draw failures");
}

/* Fills 'order' with 0..n-1 in the random order of a stream. */
static void
shuffle(uint64_t seed, enum stream stream, uint32_t *order, uint32_t n)
{
    struct sf_random random;

    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    sf_random_init(&random, seed, stream);
    sf_random_shuffle(&random, order, n);
}

static uint32_t
rack_of(const struct sf_failure_study *study, uint32_t node)
{
    return study->params->plan->fabric->nodes[node].rack;
}

/* The racks at the ends of a link, the lower one first; false if it stays in
 * one rack. */
static bool
racks_of(const struct sf_failure_study *study, uint32_t link,
         struct sf_failure_bundle *bundle)
{
    const struct sf_link *ends = &study->network->graph->links[link];
    uint32_t a = rack_of(study, ends->a), b = rack_of(study, ends->b);

    *bundle = (struct sf_failure_bundle){ { a < b ? a : b, a < b ? b : a } };
    return a != b;
}

static int
compare_bundles(const void *a, const void *b)
{
    const struct sf_failure_bundle *x = a, *y = b;

    for (int i = 0; i < 2; i++) {
        if (x->racks[i] != y->racks[i]) {
            return x->racks[i] < y->racks[i] ? -1 : 1;
        }
    }
    return 0;
}

/* Lists each two racks with links between them once: 'bundles' [n_links];
 * returns their number. */
static uint32_t
list_bundles(const struct sf_failure_study *study,
             struct sf_failure_bundle *bundles)
{
    uint32_t n_found = 0, n = 0;

    for (uint32_t l = 0; l < study->network->graph->n_links; l++) {
        n_found += racks_of(study, l, &bundles[n_found]);
    }
    if (n_found > 0) {
        qsort(bundles, n_found, sizeof *bundles, compare_bundles);
    }
    for (uint32_t i = 0; i < n_found; i++) {
        if (n == 0 || compare_bundles(&bundles[n - 1], &bundles[i]) != 0) {
            bundles[n++] = bundles[i];
        }
    }
    return n;
}

enum sf_status
sf_failure_list_racks(struct sf_failure_study *study, struct sf_error *err)
{
    uint32_t n_links = study->network->graph->n_links;
    struct sf_failures *failures = study->failures;
    /* One more than there can be, to look at a link that stays in a rack. */
    struct sf_failure_bundle *found =
        sf_calloc((size_t)n_links + 1, sizeof *found);
    uint32_t *order = sf_calloc(n_links, sizeof *order);
    enum sf_status status = SF_OK;

    failures->n_racks = study->params->plan->n_racks;
    failures->n_bundles = found ? list_bundles(study, found) : 0;
    study->racks = sf_calloc(failures->n_racks, sizeof *study->racks);
    study->bundles = sf_calloc(failures->n_bundles, sizeof *study->bundles);
    if (!found || !order || !study->racks || !study->bundles) {
        status = fail_memory(err);
        goto done;
    }
    shuffle(study->params->seed, STREAM_RACKS, study->racks,
            failures->n_racks);
    shuffle(study->params->seed, STREAM_BUNDLES, order, failures->n_bundles);
    for (uint32_t i = 0; i < failures->n_bundles; i++) {
        study->bundles[i] = found[order[i]];
    }

done:
    free(order);
    free(found);
    return status;
}

void
sf_failure_order_links(const struct sf_failure_study *study, uint32_t seed,
                       uint32_t *order)
{
    shuffle(study->params->seed + seed, STREAM_LINKS, order,
            study->network->graph->n_links);
}

uint32_t
sf_failure_count(const struct sf_failure_study *study,
                 enum sf_failure_kind kind, double share)
{
    const struct sf_graph *graph = study->network->graph;
    uint32_t n = kind == SF_FAILURE_LINKS ? graph->n_links : graph->n_nodes;

    return (uint32_t)fmin(fmax(round(share * n), 1), n);
}

/* A larger share fails with all that a smaller one does. */
static enum sf_status
draw_share(const struct sf_failure_study *study, enum sf_failure_kind kind,
           double share, uint32_t run, struct sf_failure_dead *dead,
           struct sf_error *err)
{
    bool is_links = kind == SF_FAILURE_LINKS;
    const struct sf_graph *graph = study->network->graph;
    uint32_t n = is_links ? graph->n_links : graph->n_nodes;
    uint32_t n_dead = sf_failure_count(study, kind, share);
    uint32_t *order = sf_calloc(n, sizeof *order);

    if (!order) {
        return fail_memory(err);
    }
    shuffle(study->params->seed + run,
            is_links ? STREAM_LINKS : STREAM_SWITCHES, order, n);
    for (uint32_t i = 0; i < n_dead; i++) {
        (is_links ? dead->links : dead->nodes)[order[i]] = true;
    }
    free(order);
    return SF_OK;
}

static void
take_rack(const struct sf_failure_study *study, uint32_t rack,
          struct sf_failure_dead *dead)
{
    for (uint32_t i = 0; i < study->network->fabric->n_nodes; i++) {
        dead->nodes[i] |= rack_of(study, i) == rack;
    }
}

static void
take_bundle(const struct sf_failure_study *study,
            const struct sf_failure_bundle *bundle,
            struct sf_failure_dead *dead)
{
    for (uint32_t l = 0; l < study->network->graph->n_links; l++) {
        struct sf_failure_bundle of;
        dead->links[l] |=
            racks_of(study, l, &of) && compare_bundles(&of, bundle) == 0;
    }
}

/* Hosts go with the last switch that they are plugged into, links with either
 * end. */
static void
spread(const struct sf_failure_study *study, struct sf_failure_dead *dead)
{
    const struct sf_fabric *fabric = study->network->fabric;
    const struct sf_graph *graph = study->network->graph;

    for (uint32_t l = 0; l < graph->n_links; l++) {
        const struct sf_link *link = &graph->links[l];
        dead->links[l] |= dead->nodes[link->a] || dead->nodes[link->b];
    }
    for (uint32_t i = fabric->n_switches; i < fabric->n_nodes; i++) {
        const struct sf_node *host = &fabric->nodes[i];
        bool is_plugged = false, is_served = false;
        for (uint32_t k = 0; k < host->n_ports; k++) {
            uint32_t peer = fabric->ports[host->first_port + k].peer;
            is_plugged |= peer != SF_NONE;
            is_served |=
                peer != SF_NONE && !dead->nodes[fabric->ports[peer].node];
        }
        dead->nodes[i] |= is_plugged && !is_served;
    }
}

enum sf_status
sf_failure_draw(const struct sf_failure_study *study,
                const struct sf_failure_point *point, uint32_t run,
                struct sf_failure_dead *dead, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    *dead = (struct sf_failure_dead){
        .links = sf_calloc(study->network->graph->n_links, sizeof(bool)),
        .nodes = sf_calloc(study->network->fabric->n_nodes, sizeof(bool)),
    };
    if (!dead->links || !dead->nodes) {
        return fail_memory(err);
    }
    if (point->kind == SF_FAILURE_LINKS ||
        point->kind == SF_FAILURE_SWITCHES) {
        status = draw_share(study, point->kind, point->share, run, dead, err);
    } else if (point->kind == SF_FAILURE_RACK) {
        take_rack(study, study->racks[run], dead);
    } else if (point->kind == SF_FAILURE_BUNDLE) {
        take_bundle(study, &study->bundles[run], dead);
    }
    spread(study, dead);
    return status;
}

void
sf_failure_dead_clear(struct sf_failure_dead *dead)
{
    free(dead->nodes);
    free(dead->links);
    *dead = (struct sf_failure_dead){ 0 };
}
