/* engine.c -- see engine.h. */
#define _GNU_SOURCE
#include "engine.h"

#include "base/ids.h"
#include "base/mem.h"
#include "slimfly/replace.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* A routing, its tables, and how to find things in it. */
struct view {
    struct sf_routing *routing; /* May be engine->plain. */
    struct sf_ib_tables *tables;
    struct sf_ids guids; /* Of the switches. */
    uint32_t *homes; /* [max_lid + 1] The switch that a LID is on, or it. */
};

struct sf_engine {
    struct sf_routing_asked asked; /* Of what is current. */
    uint32_t n_vls;                /* Likewise. */
    struct sf_routing *base;
    struct sf_routing_asked base_asked;
    uint32_t base_n_vls;           /* That there were for base. */
    struct sf_fabric *base_fabric; /* To make base of, or NULL. */
    struct sf_fabric *found;       /* The whole fabric of the last time. */
    uint32_t n_adopted;            /* Since something was routed last. */
    uint32_t n_replaced;
    struct sf_engine_replaced replaced[SF_MAX_REPLACED];
    struct sf_routing *plain; /* Without jobs; may be 'base'. */
    struct view current;
    bool is_fallback;      /* 'current' is. */
    pthread_rwlock_t lock; /* Of 'current': path_sl() comes from threads. */
    struct sf_id last;     /* What sf_engine_switch() found last. */
};

const char *
sf_outcome_name(enum sf_outcome outcome)
{
    static const char *const names[] = { NULL,   "kept",     "repaired",
                                         "anew", "fallback", "held" };
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
    engine->last.number = SF_NONE;
    *enginep = engine;
    return SF_OK;
}

static void
clear_view(struct view *view)
{
    free(view->homes);
    sf_ids_clear(&view->guids);
    sf_ib_tables_free(view->tables);
    *view = (struct view){ 0 };
}

void
sf_engine_free(struct sf_engine *engine)
{
    if (engine) {
        if (engine->current.routing != engine->plain) {
            sf_routing_free(engine->current.routing);
        }
        clear_view(&engine->current);
        if (engine->plain != engine->base) {
            sf_routing_free(engine->plain);
        }
        sf_routing_free(engine->base);
        sf_fabric_free(engine->base_fabric);
        sf_fabric_free(engine->found);
        pthread_rwlock_destroy(&engine->lock);
        free(engine);
    }
}

static void
set_homes(const struct view *view, uint32_t lid, uint32_t lmc, uint32_t s)
{
    for (uint32_t k = 0; lid && k < 1u << lmc; k++) {
        if (lid + k <= view->tables->lfts->max_lid) {
            view->homes[lid + k] = s;
        }
    }
}

static enum sf_status
make_view(struct sf_routing *routing, struct view *view, struct sf_error *err)
{
    const struct sf_fabric *fabric = routing->network->fabric;

    *view = (struct view){ .routing = routing };
    enum sf_status status = sf_ib_encode(routing, &view->tables, err);
    if (status != SF_OK) {
        return status;
    }
    size_t n_lids = (size_t)view->tables->lfts->max_lid + 1;
    view->homes = sf_calloc(n_lids, sizeof *view->homes);
    if (!view->homes || !sf_ids_make(&view->guids, fabric->n_switches)) {
        clear_view(view);
        return sf_fail(err, SF_ENOMEM, "out of memory for LIDs");
    }
    memset(view->homes, 0xff, n_lids * sizeof *view->homes);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        const struct sf_ib_node *own = sf_ib_node(fabric, s);
        sf_ids_add(&view->guids, node->guid, s);
        set_homes(view, own->lid, own->lmc, s);
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = fabric->ports[node->first_port + i].peer;
            if (peer != SF_NONE &&
                fabric->ports[peer].node >= fabric->n_switches) {
                const struct sf_ib_port *host = sf_ib_port(fabric, peer);
                set_homes(view, host->lid, host->lmc, s);
            }
        }
    }
    sf_ids_sort(&view->guids);
    return SF_OK;
}

/* Makes 'routing' the current one, the plain one or fitted to jobs. */
static enum sf_status
show(struct sf_engine *engine, struct sf_routing *routing,
     struct sf_error *err)
{
    struct view view;
    enum sf_status status = make_view(routing, &view, err);

    if (status != SF_OK) {
        return status;
    }
    pthread_rwlock_wrlock(&engine->lock);
    struct view before = engine->current;
    engine->current = view;
    pthread_rwlock_unlock(&engine->lock);
    engine->last.number = SF_NONE;
    if (before.routing != engine->plain) {
        sf_routing_free(before.routing);
    }
    clear_view(&before);
    return SF_OK;
}

/* Frees a routing that is neither in use nor 'other'. */
static void
drop(const struct sf_engine *engine, struct sf_routing *routing,
     const struct sf_routing *other)
{
    if (routing != engine->base && routing != engine->plain &&
        routing != other) {
        sf_routing_free(routing);
    }
}

/* Makes 'routing' the plain and the current one, and 'base', which may be the
 * same or have been already, base; NULL: base stays. */
static enum sf_status
publish(struct sf_engine *engine, struct sf_routing *routing,
        struct sf_routing *base, struct sf_error *err)
{
    enum sf_status status = show(engine, routing, err);

    if (status != SF_OK) {
        drop(engine, base, routing);
        drop(engine, routing, NULL);
        return status;
    }
    if (engine->plain != engine->base && engine->plain != routing) {
        sf_routing_free(engine->plain);
    }
    engine->plain = routing;
    if (base && base != engine->base) {
        if (engine->base != routing) {
            sf_routing_free(engine->base);
        }
        engine->base = base;
    }
    return SF_OK;
}

/* The routes without jobs, with a path set for each host, so that jobs can
 * have more.  The caller frees '*splitp'. */
static enum sf_status
split_plain(const struct sf_engine *engine, struct sf_routing **splitp,
            struct sf_error *err)
{
    enum sf_status status = sf_routing_copy(engine->plain, splitp, err);

    if (status == SF_OK) {
        status = sf_routing_split_sets(*splitp, err);
    }
    if (status != SF_OK) {
        sf_routing_free(*splitp);
        *splitp = NULL;
    }
    return status;
}

enum sf_status
sf_engine_restore(struct sf_engine *engine, const struct sf_job_hops *hops,
                  struct sf_error *err)
{
    struct sf_routing *copy = engine->plain;
    enum sf_status status = SF_OK;

    if (hops->n > 0) {
        status = split_plain(engine, &copy, err);
    }
    if (status == SF_OK && hops->n > 0) {
        status = sf_job_hops_apply(hops, copy, err);
    }
    if (status == SF_OK) {
        status = show(engine, copy, err);
    }
    if (status != SF_OK && copy != engine->plain) {
        sf_routing_free(copy);
    }
    return status;
}

enum sf_status
sf_engine_fit(struct sf_engine *engine, const struct sf_jobs *jobs,
              const struct sf_job_routes_params *params,
              struct sf_job_hops *hops, struct sf_job_routes *result,
              struct sf_error *err)
{
    struct sf_job_routes_params own = *params;
    struct sf_job_hops changed = { 0 };
    struct sf_routing *base = NULL, *copy = NULL;
    enum sf_status status = split_plain(engine, &base, err);

    *result = (struct sf_job_routes){ 0 };
    if (status == SF_OK) {
        own.base = base->routes;
        status = sf_routing_copy(base, &copy, err);
    }
    if (status == SF_OK) {
        status = sf_job_hops_apply(hops, copy, err);
    }
    if (status == SF_OK) {
        status = sf_routing_fit_jobs(copy, jobs, &own, result, err);
    }
    if (status == SF_OK) {
        status = sf_job_hops_list(base, copy, &changed, err);
    }
    sf_routing_free(base);
    if (status == SF_OK) {
        status = show(engine, copy, err);
    }
    if (status != SF_OK) {
        sf_job_hops_clear(&changed);
        sf_routing_free(copy);
        return status;
    }
    sf_job_hops_clear(hops);
    *hops = changed;
    return SF_OK;
}

static bool
is_same_fabric(const struct sf_difference *difference)
{
    return !difference->n_lost_switches && !difference->n_lost_links &&
           !difference->n_lost_hosts && !difference->n_new_switches &&
           !difference->n_new_links && !difference->n_new_hosts &&
           !difference->n_without_paths;
}

/* Whether cables were moved since the last time: some links are gone and
 * others are new. */
static bool
has_moved(const struct sf_engine *engine, const struct sf_fabric *whole)
{
    struct sf_difference since = { 0 };

    return engine->found &&
           sf_ib_compare_fabrics(engine->found, whole, &since, NULL) ==
               SF_OK &&
           since.n_lost_links > 0 && since.n_new_links > 0;
}

/* Whether what is current will do for 'fabric' as well. */
static bool
can_keep(const struct sf_engine *engine, const struct sf_fabric *fabric,
         uint32_t n_vls)
{
    const struct sf_routing *routing = engine->current.routing;
    struct sf_difference since = { 0 };

    if (!routing || sf_ib_compare(routing, fabric, &since, NULL) != SF_OK) {
        return false;
    }
    /* With other VLs, what was not possible may be. */
    bool is_best = !engine->is_fallback && routing->refusal.status == SF_OK;
    return routing->routes->lanes->n_vls <= n_vls &&
           (is_best || engine->n_vls == n_vls) && is_same_fabric(&since);
}

/* Whether base can be repaired to serve a fabric that differs from its own by
 * 'difference'; if not, 'reason' says why. */
static bool
can_repair(const struct sf_engine *engine,
           const struct sf_routing_params *params, uint32_t n_vls,
           const struct sf_difference *difference,
           struct sf_engine_result *result)
{
    if (!sf_routing_is_asked(&engine->base_asked, params)) {
        return false;
    }
    if (engine->base->routes->lanes->n_vls > n_vls ||
        (engine->base->refusal.status != SF_OK &&
         engine->base_n_vls != n_vls)) {
        snprintf(result->reason, sizeof result->reason,
                 "there are %u VLs now, not %u", n_vls, engine->base_n_vls);
        return false;
    }
    if (difference->n_new_switches || difference->n_new_links ||
        difference->n_without_paths) {
        snprintf(result->reason, sizeof result->reason,
                 "new: switches: %u, links: %u, switches and host ports that "
                 "have no paths yet: %u",
                 difference->n_new_switches, difference->n_new_links,
                 difference->n_without_paths);
        return false;
    }
    return true;
}

/* Routes 'fabric', which has LIDs. */
static enum sf_status
route_fabric(const struct sf_fabric *fabric,
             const struct sf_routing_params *params,
             struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_routing_params asked = *params;
    struct sf_network *network;
    enum sf_status status = sf_network_build(fabric, &network, err);

    if (status == SF_OK) {
        sf_ib_count_addresses(fabric, &asked);
        status = sf_routing_build(network, &asked, routingp, err);
        sf_network_free(network);
    }
    return status;
}

static enum sf_status
repair_base(const struct sf_routing *base, const struct sf_fabric *fabric,
            struct sf_routing **routingp, struct sf_error *err)
{
    struct sf_network *network;
    enum sf_status status = sf_network_build(fabric, &network, err);

    if (status == SF_OK) {
        status = sf_routing_repair(base, network, routingp, err);
        sf_network_free(network);
    }
    return status;
}

/* Refuses a repair that takes more VLs than base, if links have no more than
 * 'n_vls' by now. */
static enum sf_status
check_vls(const struct sf_routing *routing, uint32_t n_vls,
          struct sf_error *err)
{
    uint32_t n_needed = routing->routes->lanes->n_vls;

    return n_needed <= n_vls
               ? SF_OK
               : sf_fail(err, SF_ELANES,
                         "a repair takes %u VLs, and links have %u", n_needed,
                         n_vls);
}

/* Makes base serve 'fabric' on 'n_vls' VLs.  SF_ELANES if its lanes do not
 * allow it. */
static enum sf_status
repair(struct sf_engine *engine, const struct sf_fabric *fabric,
       uint32_t n_vls, const struct sf_difference *difference,
       struct sf_engine_result *result, struct sf_error *err)
{
    struct sf_routing *routing = engine->base;
    enum sf_status status = SF_OK;

    if (!is_same_fabric(difference)) {
        status = repair_base(engine->base, fabric, &routing, err);
    }
    if (status == SF_OK) {
        status = check_vls(routing, n_vls, err);
        if (status != SF_OK && routing != engine->base) {
            sf_routing_free(routing);
        }
    }
    if (status == SF_OK) {
        status = publish(engine, routing, NULL, err);
    }
    if (status == SF_OK) {
        result->outcome = SF_OUTCOME_REPAIRED;
        engine->is_fallback = false;
    } else {
        snprintf(result->reason, sizeof result->reason, "%s", err->text);
    }
    return status;
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
sf_engine_set_base_fabric(struct sf_engine *engine, struct sf_fabric *fabric)
{
    sf_fabric_free(engine->base_fabric);
    engine->base_fabric = fabric;
}

/* Makes base of the fabric that it was made for before a restart, or by
 * another manager: the same fabric, seed and options give the same tables.  If
 * that cannot be done, all is as without that fabric. */
static void
restore_base(struct sf_engine *engine, const struct sf_routing_params *params,
             uint32_t n_vls)
{
    struct sf_routing_params asked = limit_vls(params, n_vls);
    struct sf_routing *routing = NULL;

    if (!engine->base_fabric) {
        return;
    }
    if (route_fabric(engine->base_fabric, &asked, &routing, NULL) == SF_OK) {
        if (engine->base != engine->plain) {
            sf_routing_free(engine->base);
        }
        engine->base = routing;
        engine->base_n_vls = n_vls;
        sf_routing_note_asked(&engine->base_asked, params);
    }
    sf_engine_set_base_fabric(engine, NULL);
}

/* Routes the whole fabric for a base, and repairs it where links are drained.
 * If its lanes do not allow that, base is of what is left. */
static enum sf_status
route_base(const struct sf_fabric *fabric, const struct sf_fabric *whole,
           const struct sf_routing_params *params, struct sf_routing **basep,
           struct sf_routing **routingp, struct sf_error *err)
{
    enum sf_status status = route_fabric(whole, params, basep, err);

    *routingp = *basep;
    if (status == SF_OK && whole != fabric) {
        status = repair_base(*basep, fabric, routingp, err);
        if (status != SF_OK) {
            sf_routing_free(*basep);
        }
        if (status == SF_ELANES) {
            status = route_fabric(fabric, params, basep, err);
            *routingp = *basep;
        }
    }
    return status;
}

/* Routes 'fabric' as asked, or else as can be. */
static enum sf_status
build(struct sf_engine *engine, const struct sf_fabric *fabric,
      const struct sf_fabric *whole, const struct sf_routing_params *params,
      uint32_t n_vls, struct sf_engine_result *result, struct sf_error *err)
{
    struct sf_routing_params asked = limit_vls(params, n_vls);
    struct sf_routing_params open = sf_routing_fallback(&asked);
    struct sf_routing *routing = NULL, *base = NULL;
    enum sf_status status =
        route_base(fabric, whole, &asked, &base, &routing, err);
    if (status == SF_OK) {
        status = publish(engine, routing, base, err);
    }
    if (status == SF_OK) {
        sf_routing_note_asked(&engine->base_asked, params);
        engine->base_n_vls = n_vls;
        engine->is_fallback = false;
        result->outcome = SF_OUTCOME_ANEW;
        return SF_OK;
    }
    snprintf(result->reason, sizeof result->reason, "%s", err->text);
    status = route_fabric(fabric, &open, &routing, err);
    if (status == SF_OK) {
        status = publish(engine, routing, NULL, err);
    }
    if (status == SF_OK) {
        engine->is_fallback = true;
        result->outcome = SF_OUTCOME_FALLBACK;
    }
    return status;
}

/* Notes that a node took the place of another of 'known'. */
static void
note_replaced(struct sf_engine *engine, const struct sf_fabric *known,
              const struct sf_replacement *item)
{
    struct sf_engine_replaced *replaced = engine->replaced;

    if (engine->n_replaced == SF_MAX_REPLACED) {
        engine->n_replaced--;
        memmove(replaced, replaced + 1, engine->n_replaced * sizeof *replaced);
    }
    replaced += engine->n_replaced++;
    *replaced = (struct sf_engine_replaced){ .is_switch = item->is_switch,
                                             .old_guid = item->old_guid,
                                             .new_guid = item->new_guid,
                                             .at = time(NULL) };
    snprintf(replaced->name, sizeof replaced->name, "%s",
             known->nodes[item->old_node].name);
    for (uint32_t i = 0; engine->found && i < engine->found->n_nodes; i++) {
        struct sf_node *node = &engine->found->nodes[i];
        node->guid =
            node->guid == item->old_guid ? item->new_guid : node->guid;
    }
}

/* In base, or in what base will be made of. */
void
sf_engine_adopt(struct sf_engine *engine, const struct sf_fabric *found)
{
    struct sf_fabric *known = engine->base_fabric ? engine->base_fabric
                              : engine->base ? engine->base->network->fabric
                                             : NULL;
    struct sf_replacements replacements = { 0 };

    if (!known ||
        sf_replacements_find(known, found, &replacements, NULL) != SF_OK) {
        return;
    }
    for (uint32_t i = 0; i < replacements.n; i++) {
        note_replaced(engine, known, &replacements.items[i]);
    }
    sf_replacements_apply(&replacements, found, known);
    engine->n_adopted += replacements.n;
    sf_replacements_clear(&replacements);
}

/* Finds what serves 'fabric': what there is, base repaired, or something
 * new. */
static enum sf_status
find_routing(struct sf_engine *engine, const struct sf_fabric *fabric,
             const struct sf_fabric *whole,
             const struct sf_routing_params *params, uint32_t n_vls,
             struct sf_engine_result *result, struct sf_error *err)
{
    struct sf_difference difference = { 0 };
    enum sf_status status = SF_ELANES; /* Nothing to be had from base. */

    if (!result->n_replaced && can_keep(engine, fabric, n_vls) &&
        !engine->base_fabric && sf_routing_is_asked(&engine->asked, params)) {
        return SF_OK;
    }
    restore_base(engine, params, n_vls);
    if (engine->base &&
        sf_ib_compare(engine->base, fabric, &difference, err) != SF_OK) {
        return SF_ENOMEM; /* No reason to make a new base. */
    }
    if (engine->base &&
        can_repair(engine, params, n_vls, &difference, result)) {
        status = repair(engine, fabric, n_vls, &difference, result, err);
    }
    return status == SF_ELANES
               ? build(engine, fabric, whole, params, n_vls, result, err)
               : status;
}

/* Keeps a copy of the whole fabric, for the next time. */
static void
keep_found(struct sf_engine *engine, const struct sf_fabric *whole)
{
    sf_fabric_free(engine->found);
    sf_fabric_copy(whole, &engine->found, NULL); /* Or NULL. */
}

enum sf_status
sf_engine_route(struct sf_engine *engine, const struct sf_fabric *fabric,
                const struct sf_fabric *whole,
                const struct sf_routing_params *params, uint32_t n_vls,
                struct sf_engine_result *result, struct sf_error *err)
{
    struct sf_error problem = { 0 };

    whole = whole ? whole : fabric;
    *result = (struct sf_engine_result){ .outcome = SF_OUTCOME_KEPT };
    sf_engine_adopt(engine, whole);
    result->n_replaced = engine->n_adopted;
    engine->n_adopted = 0;
    result->has_moved = has_moved(engine, whole);
    keep_found(engine, whole);
    enum sf_status status =
        find_routing(engine, fabric, whole, params, n_vls, result, &problem);
    if (status == SF_OK && engine->base) {
        status =
            sf_ib_compare(engine->base, whole, &result->difference, &problem);
    }
    if (status == SF_OK) {
        sf_routing_note_asked(&engine->asked, params);
        engine->n_vls = n_vls;
    } else if (engine->current.routing) {
        snprintf(result->reason, sizeof result->reason, "%s", problem.text);
        result->outcome = SF_OUTCOME_HELD;
        engine->asked.params.layers.n_layers =
            0; /* Try again, whatever is asked. */
        status = SF_OK;
    } else {
        result->outcome = SF_OUTCOME_NONE;
        if (err) {
            *err = problem;
        }
    }
    result->is_safe = engine->current.routing &&
                      engine->current.routing->routes->lanes->scheme->is_safe;
    return status;
}

void
sf_engine_result_go_on(struct sf_engine_result *result,
                       const struct sf_engine_result *began)
{
    result->outcome = began->outcome;
    memcpy(result->reason, began->reason, sizeof result->reason);
}

const struct sf_fabric *
sf_engine_base(const struct sf_engine *engine)
{
    return engine->base_fabric ? engine->base_fabric
           : engine->base      ? engine->base->network->fabric
                               : NULL;
}

const struct sf_fabric *
sf_engine_whole(const struct sf_engine *engine)
{
    const struct sf_fabric *routed = engine->current.routing->network->fabric;
    const struct sf_fabric *found = engine->found;

    if (!found || found->n_switches != routed->n_switches ||
        found->n_nodes != routed->n_nodes ||
        found->n_ports != routed->n_ports) {
        return routed;
    }
    for (uint32_t i = 0; i < found->n_nodes; i++) {
        if (found->nodes[i].guid != routed->nodes[i].guid) {
            return routed;
        }
    }
    return found;
}

const struct sf_engine_replaced *
sf_engine_replaced(const struct sf_engine *engine, uint32_t *np)
{
    *np = engine->n_replaced;
    return engine->replaced;
}

const struct sf_routing *
sf_engine_routing(const struct sf_engine *engine)
{
    return engine->current.routing;
}

const struct sf_routing *
sf_engine_plain(const struct sf_engine *engine)
{
    return engine->plain;
}

const struct sf_ib_tables *
sf_engine_tables(const struct sf_engine *engine)
{
    return engine->current.tables;
}

uint32_t
sf_engine_switch(struct sf_engine *engine, uint64_t guid)
{
    struct view *view = &engine->current;

    if (!view->routing) {
        return SF_NONE;
    }
    if (engine->last.number == SF_NONE || engine->last.id != guid) {
        engine->last = (struct sf_id){ guid, sf_ids_find(&view->guids, guid) };
    }
    return engine->last.number;
}

uint8_t
sf_engine_path_sl(struct sf_engine *engine, uint32_t slid, uint32_t dlid)
{
    uint8_t sl = SF_NO_SL;

    pthread_rwlock_rdlock(&engine->lock);
    const struct view *view = &engine->current;
    if (view->routing && slid <= view->tables->lfts->max_lid &&
        dlid <= view->tables->lfts->max_lid && view->homes[slid] != SF_NONE &&
        view->homes[dlid] != SF_NONE) {
        sl = sf_path_sls_of(view->tables->path_sls, view->homes[slid])[dlid];
    }
    pthread_rwlock_unlock(&engine->lock);
    return sl;
}

bool
sf_engine_find_name(struct sf_engine *engine, uint64_t guid, char *name,
                    size_t size)
{
    bool is_found = false;

    pthread_rwlock_rdlock(&engine->lock);
    const struct sf_routing *routing = engine->current.routing;
    const struct sf_fabric *fabric = routing ? routing->network->fabric : NULL;
    for (uint32_t i = 0; fabric && i < fabric->n_nodes && !is_found; i++) {
        if (fabric->nodes[i].guid == guid) {
            snprintf(name, size, "%s", fabric->nodes[i].name);
            is_found = true;
        }
    }
    pthread_rwlock_unlock(&engine->lock);
    return is_found;
}
