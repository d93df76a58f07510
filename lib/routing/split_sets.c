/* split_sets.c -- a path set for each host of a switch, with paths as before.
 *
 * Set 0 is also that of the switches' own addresses.  So it stays what it was:
 * of each switch, the first host that was in it stays there. */
#include "slimfly/job_routes.h"

#include "base/mem.h"

#include <string.h>

/* Deals the hosts among sets, and says where the columns of each come from. */
struct splitter {
    const struct sf_network *network;
    const struct sf_routes *routes;
    uint32_t *host_sets;     /* [hosts] */
    uint32_t n_sets;         /* The most that a switch needs. */
    struct sf_layers **sets; /* [n_sets] */
};

/* Numbers the hosts of switch 's'. */
static void
deal(struct splitter *splitter, uint32_t s)
{
    const uint32_t *first = splitter->network->first_host;
    uint32_t next = 1;
    bool has_first = false;

    for (uint32_t h = first[s]; h < first[s + 1]; h++) {
        bool is_first = !has_first && splitter->routes->host_sets[h] == 0;
        splitter->host_sets[h] = is_first ? 0 : next++;
        has_first |= is_first;
    }
    splitter->n_sets = next > splitter->n_sets ? next : splitter->n_sets;
}

/* Copies what leads to switch 'd', from set 'from' to set 'to'. */
static void
copy_columns(const struct splitter *splitter, uint32_t d, uint32_t from,
             uint32_t to)
{
    const struct sf_layers *before = splitter->routes->sets[from];

    for (uint32_t l = 0; l < before->n_layers; l++) {
        memcpy(sf_layers_tree(splitter->sets[to], l, d),
               sf_layers_tree(before, l, d),
               before->n_switches * sizeof *before->hops);
    }
}

/* Fills the sets.  What no host of a switch has is as in set 0. */
static void
fill(const struct splitter *splitter)
{
    const uint32_t *first = splitter->network->first_host;

    for (uint32_t d = 0; d < splitter->network->graph->n_nodes; d++) {
        for (uint32_t k = 0; k < splitter->n_sets; k++) {
            copy_columns(splitter, d, 0, k);
        }
        for (uint32_t h = first[d]; h < first[d + 1]; h++) {
            copy_columns(splitter, d, splitter->routes->host_sets[h],
                         splitter->host_sets[h]);
        }
    }
}

static void
free_sets(struct sf_layers **sets, uint32_t n_sets)
{
    for (uint32_t i = 0; sets && i < n_sets; i++) {
        sf_layers_free(sets[i]);
    }
    free(sets);
}

static enum sf_status
make_sets(struct splitter *splitter, struct sf_error *err)
{
    const struct sf_layers *before = splitter->routes->sets[0];
    enum sf_status status = SF_OK;

    splitter->sets = sf_calloc(splitter->n_sets, sizeof *splitter->sets);
    if (!splitter->sets) {
        return sf_fail(err, SF_ENOMEM, "out of memory for path sets");
    }
    for (uint32_t i = 0; status == SF_OK && i < splitter->n_sets; i++) {
        status = sf_layers_make(before->n_layers, before->n_switches,
                                &splitter->sets[i], err);
        if (status == SF_OK) {
            splitter->sets[i]->max_hops = before->max_hops;
        }
    }
    return status;
}

enum sf_status
sf_routing_split_sets(struct sf_routing *routing, struct sf_error *err)
{
    struct sf_routes *routes = routing->routes;
    struct splitter splitter = {
        .network = routing->network,
        .routes = routes,
        .n_sets = 1,
        .host_sets = sf_calloc(sf_network_count_hosts(routing->network),
                               sizeof *splitter.host_sets),
    };
    enum sf_status status = SF_OK;

    if (!splitter.host_sets) {
        return sf_fail(err, SF_ENOMEM, "out of memory for path sets");
    }
    for (uint32_t s = 0; s < routing->network->graph->n_nodes; s++) {
        deal(&splitter, s);
    }
    if (routes->lanes && routes->lanes->path_sls) {
        free(splitter.host_sets);
        return SF_OK;
    }
    status = make_sets(&splitter, err);
    if (status != SF_OK) {
        free_sets(splitter.sets, splitter.n_sets);
        free(splitter.host_sets);
        return status;
    }
    fill(&splitter);
    free_sets(routes->sets, routes->n_sets);
    free(routes->host_sets);
    routes->sets = splitter.sets;
    routes->host_sets = splitter.host_sets;
    routes->n_sets = splitter.n_sets;
    return SF_OK;
}
