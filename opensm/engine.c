/* engine.c -- see engine.h. */
#define _GNU_SOURCE
#include "engine.h"

#include "base/mem.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct guid_entry {
    uint64_t guid;
    uint32_t s;
};

/* A routing and how to find things in it. */
struct view {
    struct sf_routing *routing; /* May be engine->base. */
    struct guid_entry *guids;   /* [n_switches] Sorted. */
    uint32_t *homes; /* [max_lid + 1] The switch that a LID is on, or it. */
};

/* What was asked for; the texts of 'params' stand in 'specs'. */
struct asked {
    struct sf_routing_params params;
    struct sf_routing_specs specs;
};

struct sf_engine {
    struct asked asked; /* Of what is current. */
    uint32_t n_vls;     /* Likewise. */
    struct sf_routing *base;
    struct asked base_asked;
    struct sf_fabric *recalled; /* To make base of, or NULL. */
    struct view current;
    bool is_fallback;       /* 'current' is. */
    pthread_rwlock_t lock;  /* Of 'current': path_sl() comes from threads. */
    struct guid_entry last; /* What sf_engine_switch() found last. */
};

const char *
sf_outcome_name(enum sf_outcome outcome)
{
    static const char *const names[] = { "kept", "repaired", "anew",
                                         "fallback", "held" };
    return names[outcome];
}

enum sf_status
sf_engine_new(struct sf_engine **enginep, struct sf_error *err)
{
    struct sf_engine *engine = sf_calloc(1, sizeof *engine);

    *enginep = NULL;
    if (!engine || pthread_rwlock_init(&engine->lock, NULL) != 0) {
        free(engine);
        return sf_fail(err, SF_ENOMEM, "out of memory for the engine");
    }
    engine->last.s = SF_NONE;
    *enginep = engine;
    return SF_OK;
}

static void
clear_view(struct view *view)
{
    free(view->homes);
    free(view->guids);
    *view = (struct view){ 0 };
}

void
sf_engine_free(struct sf_engine *engine)
{
    if (engine) {
        if (engine->current.routing != engine->base) {
            sf_routing_free(engine->current.routing);
        }
        clear_view(&engine->current);
        sf_routing_free(engine->base);
        sf_fabric_free(engine->recalled);
        pthread_rwlock_destroy(&engine->lock);
        free(engine);
    }
}

static int
compare_guids(const void *a, const void *b)
{
    uint64_t x = ((const struct guid_entry *)a)->guid;
    uint64_t y = ((const struct guid_entry *)b)->guid;
    return (x > y) - (x < y);
}

static void
set_homes(const struct view *view, uint32_t lid, uint32_t lmc, uint32_t s)
{
    for (uint32_t k = 0; lid && k < 1u << lmc; k++) {
        if (lid + k <= view->routing->tables->max_lid) {
            view->homes[lid + k] = s;
        }
    }
}

static enum sf_status
make_view(struct sf_routing *routing, struct view *view, struct sf_error *err)
{
    const struct sf_fabric *fabric = routing->fabric;
    size_t n_lids = (size_t)routing->tables->max_lid + 1;

    view->routing = routing;
    view->guids = sf_calloc(fabric->n_switches, sizeof *view->guids);
    view->homes = sf_calloc(n_lids, sizeof *view->homes);
    if (!view->guids || !view->homes) {
        clear_view(view);
        return sf_fail(err, SF_ENOMEM, "out of memory for LIDs");
    }
    memset(view->homes, 0xff, n_lids * sizeof *view->homes);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        view->guids[s] = (struct guid_entry){ node->guid, s };
        set_homes(view, node->lid, node->lmc, s);
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = fabric->ports[node->first_port + i].peer;
            if (peer != SF_NONE &&
                fabric->ports[peer].node >= fabric->n_switches) {
                set_homes(view, fabric->ports[peer].lid,
                          fabric->ports[peer].lmc, s);
            }
        }
    }
    qsort(view->guids, fabric->n_switches, sizeof *view->guids, compare_guids);
    return SF_OK;
}

/* Makes 'routing' the current one.  It is base too if 'is_base', and may have
 * been already. */
static enum sf_status
publish(struct sf_engine *engine, struct sf_routing *routing, bool is_base,
        struct sf_error *err)
{
    struct view view;
    enum sf_status status = make_view(routing, &view, err);

    if (status != SF_OK) {
        if (routing != engine->base) {
            sf_routing_free(routing);
        }
        return status;
    }
    pthread_rwlock_wrlock(&engine->lock);
    struct view before = engine->current;
    engine->current = view;
    pthread_rwlock_unlock(&engine->lock);
    engine->last.s = SF_NONE;
    if (before.routing != engine->base) {
        sf_routing_free(before.routing);
    }
    if (is_base && routing != engine->base) {
        sf_routing_free(engine->base);
        engine->base = routing;
    }
    clear_view(&before);
    return SF_OK;
}

static bool
is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Notes what 'params' ask for, in the canonical text of specs, as far as these
 * can be read. */
static void
note_asked(const struct sf_routing_params *params, struct asked *asked)
{
    struct sf_layer_spec layers;
    struct sf_lane_spec lanes;
    bool has_layers =
        params->layers.scheme &&
        sf_layer_spec_parse(params->layers.scheme, params->n_path_sets,
                            &layers, NULL) == SF_OK;
    bool has_lanes = params->lanes &&
                     sf_lane_spec_parse(params->lanes, &lanes, NULL) == SF_OK;

    asked->params = *params;
    asked->params.layers.scheme = has_layers ? asked->specs.layers : NULL;
    asked->params.lanes = has_lanes ? asked->specs.lanes : NULL;
    if (has_layers) {
        asked->params.n_path_sets = layers.n_sets;
        memcpy(asked->specs.layers, layers.text, sizeof layers.text);
    }
    if (has_lanes) {
        memcpy(asked->specs.lanes, lanes.text, sizeof lanes.text);
    }
}

/* Whether 'params' ask for what 'asked' says. */
static bool
is_same_params(const struct sf_routing_params *params,
               const struct asked *asked)
{
    const struct sf_routing_params *b = &asked->params;
    struct asked now;

    note_asked(params, &now);
    const struct sf_routing_params *a = &now.params;
    return is_same_text(a->layers.scheme, b->layers.scheme) &&
           is_same_text(a->lanes, b->lanes) && a->max_vls == b->max_vls &&
           a->layers.n_layers == b->layers.n_layers &&
           a->layers.max_hops == b->layers.max_hops &&
           a->layers.seed == b->layers.seed && a->max_sls == b->max_sls &&
           a->n_path_sets == b->n_path_sets;
}

static bool
is_same_fabric(const struct sf_difference *is)
{
    return !is->n_lost_switches && !is->n_lost_links && !is->n_lost_hosts &&
           !is->n_new_switches && !is->n_new_links && !is->n_new_hosts &&
           !is->n_strangers;
}

/* Whether what is current will do for 'fabric' as well.  Sees on the way
 * whether cables were moved: some links are gone and others are new. */
static bool
can_keep(const struct sf_engine *engine, const struct sf_fabric *fabric,
         uint32_t n_vls, bool *has_movedp)
{
    const struct sf_routing *routing = engine->current.routing;
    struct sf_difference since = { 0 };

    if (!routing ||
        sf_routing_compare(routing, fabric, &since, NULL) != SF_OK) {
        return false;
    }
    *has_movedp = since.n_lost_links > 0 && since.n_new_links > 0;
    return routing->lanes->n_vls <= n_vls &&
           (!engine->is_fallback || engine->n_vls == n_vls) &&
           is_same_fabric(&since);
}

/* Whether base can be repaired to serve 'fabric'; if not, 'reason' says why.
 */
static bool
can_repair(const struct sf_engine *engine, const struct sf_fabric *fabric,
           const struct sf_routing_params *params, uint32_t n_vls,
           struct sf_engine_result *result)
{
    struct sf_difference *is = &result->difference;

    if (!engine->base || !is_same_params(params, &engine->base_asked) ||
        sf_routing_compare(engine->base, fabric, is, NULL) != SF_OK) {
        return false;
    }
    if (engine->base->lanes->n_vls > n_vls) {
        snprintf(result->reason, sizeof result->reason,
                 "there are %u VLs now, not %u", n_vls,
                 engine->base->lanes->n_vls);
        return false;
    }
    if (is->n_new_switches || is->n_new_links || is->n_strangers) {
        snprintf(result->reason, sizeof result->reason,
                 "new: switches: %u, links: %u, switches and host ports that "
                 "have no paths yet: %u",
                 is->n_new_switches, is->n_new_links, is->n_strangers);
        return false;
    }
    return true;
}

/* Makes base serve 'fabric'.  SF_ELANES if its lanes do not allow it. */
static enum sf_status
repair(struct sf_engine *engine, const struct sf_fabric *fabric,
       struct sf_engine_result *result, struct sf_error *err)
{
    struct sf_routing *routing = engine->base;
    enum sf_status status = SF_OK;

    if (!is_same_fabric(&result->difference)) {
        status = sf_routing_repair(engine->base, fabric, &routing, err);
    }
    if (status == SF_OK) {
        status = publish(engine, routing, routing == engine->base, err);
    }
    if (status == SF_OK) {
        result->outcome = SF_OUTCOME_REPAIRED;
        engine->is_fallback = false;
    } else {
        snprintf(result->reason, sizeof result->reason, "%s", err->text);
    }
    return status;
}

/* What is left when nothing else can be done: up and down from one root, for
 * all addresses alike, so that one lane is enough on any fabric.  That it is,
 * dfsssp proves. */
static struct sf_routing_params
fallback_params(const struct sf_routing_params *params)
{
    struct sf_routing_params tree = *params;

    tree.layers.scheme = "updown";
    tree.layers.n_layers = 1;
    tree.layers.max_hops = 0;
    tree.lanes = "dfsssp";
    tree.max_vls = 1;
    tree.n_path_sets = 1;
    return tree;
}

/* What to ask for where links have 'n_vls' lanes. */
static struct sf_routing_params
limit_vls(const struct sf_routing_params *params, uint32_t n_vls)
{
    struct sf_routing_params asked = *params;

    asked.max_vls =
        params->max_vls && params->max_vls < n_vls ? params->max_vls : n_vls;
    return asked;
}

void
sf_engine_recall(struct sf_engine *engine, struct sf_fabric *fabric)
{
    sf_fabric_free(engine->recalled);
    engine->recalled = fabric;
}

/* Makes base of the fabric that it was made for before a restart: the same
 * fabric, seed and options give the same tables.  If that cannot be done,
 * there is none, as without that fabric. */
static void
recall_base(struct sf_engine *engine, const struct sf_routing_params *params,
            uint32_t n_vls)
{
    struct sf_routing_params asked = limit_vls(params, n_vls);
    struct sf_routing *routing = NULL;

    if (!engine->recalled) {
        return;
    }
    if (!engine->base &&
        sf_routing_build(engine->recalled, &asked, &routing, NULL) == SF_OK) {
        engine->base = routing;
        note_asked(params, &engine->base_asked);
    }
    sf_engine_recall(engine, NULL);
}

/* Routes 'fabric' as asked, or else as can be. */
static enum sf_status
build(struct sf_engine *engine, const struct sf_fabric *fabric,
      const struct sf_routing_params *params, uint32_t n_vls,
      struct sf_engine_result *result, struct sf_error *err)
{
    struct sf_routing_params asked = limit_vls(params, n_vls);
    struct sf_routing_params tree = fallback_params(params);
    struct sf_routing *routing = NULL;
    enum sf_status status = sf_routing_build(fabric, &asked, &routing, err);
    if (status == SF_OK) {
        status = publish(engine, routing, true, err);
    }
    if (status == SF_OK) {
        note_asked(params, &engine->base_asked);
        engine->is_fallback = false;
        result->outcome = SF_OUTCOME_ANEW;
        result->difference = (struct sf_difference){ 0 };
        return SF_OK;
    }
    snprintf(result->reason, sizeof result->reason, "%s", err->text);
    status = sf_routing_build(fabric, &tree, &routing, err);
    if (status == SF_OK) {
        status = publish(engine, routing, false, err);
    }
    if (status == SF_OK) {
        engine->is_fallback = true;
        result->outcome = SF_OUTCOME_FALLBACK;
    }
    return status;
}

enum sf_status
sf_engine_route(struct sf_engine *engine, const struct sf_fabric *fabric,
                const struct sf_routing_params *params, uint32_t n_vls,
                struct sf_engine_result *result, struct sf_error *err)
{
    struct sf_error problem = { 0 };
    enum sf_status status = SF_ELANES; /* Nothing to be had from base. */

    *result = (struct sf_engine_result){ .outcome = SF_OUTCOME_KEPT };
    if (can_keep(engine, fabric, n_vls, &result->has_moved) &&
        is_same_params(params, &engine->asked)) {
        status = engine->base ? sf_routing_compare(engine->base, fabric,
                                                   &result->difference, NULL)
                              : SF_OK;
    } else {
        recall_base(engine, params, n_vls);
        if (can_repair(engine, fabric, params, n_vls, result)) {
            status = repair(engine, fabric, result, &problem);
        }
        if (status == SF_ELANES) {
            status = build(engine, fabric, params, n_vls, result, &problem);
        }
    }
    if (status == SF_OK) {
        note_asked(params, &engine->asked);
        engine->n_vls = n_vls;
    } else if (engine->current.routing) {
        snprintf(result->reason, sizeof result->reason, "%s", problem.text);
        result->outcome = SF_OUTCOME_HELD;
        engine->asked.params.layers.n_layers =
            0; /* Try again, whatever is asked. */
        status = SF_OK;
    } else if (err) {
        *err = problem;
    }
    result->is_safe = engine->current.routing &&
                      engine->current.routing->lanes->scheme->is_safe;
    return status;
}

const struct sf_routing *
sf_engine_routing(const struct sf_engine *engine)
{
    return engine->current.routing;
}

uint32_t
sf_engine_switch(struct sf_engine *engine, uint64_t guid)
{
    struct view *view = &engine->current;
    struct guid_entry wanted = { guid, 0 };

    if (!view->routing) {
        return SF_NONE;
    }
    if (engine->last.s == SF_NONE || engine->last.guid != guid) {
        const struct guid_entry *found =
            bsearch(&wanted, view->guids, view->routing->fabric->n_switches,
                    sizeof *view->guids, compare_guids);
        engine->last = (struct guid_entry){ guid, found ? found->s : SF_NONE };
    }
    return engine->last.s;
}

uint8_t
sf_engine_path_sl(struct sf_engine *engine, uint32_t slid, uint32_t dlid)
{
    uint8_t sl = SF_NO_SL;

    pthread_rwlock_rdlock(&engine->lock);
    const struct view *view = &engine->current;
    if (view->routing && slid <= view->routing->tables->max_lid &&
        dlid <= view->routing->tables->max_lid &&
        view->homes[slid] != SF_NONE && view->homes[dlid] != SF_NONE) {
        sl = sf_path_sls_of(view->routing->lanes->path_sls,
                            view->homes[slid])[dlid];
    }
    pthread_rwlock_unlock(&engine->lock);
    return sl;
}
