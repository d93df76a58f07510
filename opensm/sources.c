/* sources.c -- see sources.h. */
#include "sources.h"

#include "base.h"
#include "base/mem.h"
#include "planned.h"
#include "whole_file.h"

#include <stdlib.h>
#include <string.h>

void
sf_sources_clear(struct sf_sources *sources)
{
    sf_names_clear(&sources->names);
    sf_guid_map_free(sources->map);
    free(sources->option_text);
    *sources = (struct sf_sources){ 0 };
}

void
sf_sources_load_options(struct sf_sources *sources, uint32_t lmc, bool qos)
{
    struct sf_plugin_options options;
    struct sf_error err = { 0 };
    enum sf_status status =
        sf_plugin_options_load(sources->option_text, &options, &err);

    if (status == SF_OK) {
        status = sf_plugin_options_check(&options, lmc, qos, &err);
    }
    if (status == SF_OK) {
        sources->options = options;
    } else if (!sources->options.status[0]) { /* So that it can be told. */
        memcpy(sources->options.status, options.status, sizeof options.status);
    }
    memcpy(sources->complaint, err.text, sizeof sources->complaint);
}

void
sf_sources_load_names(struct sf_sources *sources,
                      struct sf_plugin_status *status)
{
    struct sf_error err;

    if (sf_names_load(&sources->names, sources->options.plan, &err) != SF_OK) {
        sf_plugin_warn(status, "no names from the plan: %s", err.text);
    }
    /* The map is small: it is read each time. */
    sf_guid_map_free(sources->map);
    sources->map = NULL;
    if (sources->options.guids[0] &&
        sf_guid_map_load(sources->options.guids, &sources->map, &err) !=
            SF_OK) {
        sf_plugin_warn(status, "no names from the GUID map: %s", err.text);
    }
}

struct sf_fabric *
sf_sources_find_base(const struct sf_sources *sources,
                     const struct sf_fabric *found,
                     struct sf_plugin_status *status)
{
    const struct sf_plan *plan = sources->names.plan;
    struct sf_fabric *fabric = NULL;
    struct sf_error err;

    if (sources->options.base[0] &&
        sf_base_load(sources->options.base, &fabric, &err) != SF_OK) {
        sf_plugin_warn(status, "the base of before is not known: %s",
                       err.text);
    }
    if (!fabric && plan &&
        sf_planned_base(plan->fabric, sources->map, found, &fabric, &err) !=
            SF_OK) {
        sf_plugin_warn(status, "the plan cannot be base: %s", err.text);
    }
    return fabric;
}

/* Whether plan or map know a switch with that GUID. */
static bool
is_named(const struct sf_sources *sources, uint64_t guid)
{
    const struct sf_plan *plan = sources->names.plan;

    if (sources->map && sf_guid_map_find(sources->map, guid)) {
        return true;
    }
    for (uint32_t i = 0; plan && i < plan->fabric->n_switches; i++) {
        if (plan->fabric->nodes[i].guid == guid) {
            return true;
        }
    }
    return false;
}

/* The name of what the switch with 'guid' took the place of, or NULL.  With
 * plan or map, base has planned names; else, what switches call themselves. */
static const char *
former_name(const struct sf_sources *sources, const struct sf_engine *engine,
            uint64_t guid)
{
    const struct sf_fabric *base = sf_engine_base(engine);
    uint32_t n_replaced;
    const struct sf_engine_replaced *replaced =
        sf_engine_replaced(engine, &n_replaced);

    for (uint32_t i = n_replaced; i > 0; i--) {
        if (replaced[i - 1].new_guid == guid) {
            return replaced[i - 1].name;
        }
    }
    for (uint32_t i = 0;
         base && (sources->map || sources->names.plan) && i < base->n_switches;
         i++) {
        if (base->nodes[i].guid == guid) {
            return base->nodes[i].name;
        }
    }
    return NULL;
}

void
sf_sources_name_replaced(const struct sf_sources *sources,
                         const struct sf_engine *engine,
                         struct sf_fabric *fabric)
{
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        struct sf_node *node = &fabric->nodes[s];
        const char *name = is_named(sources, node->guid)
                               ? NULL
                               : former_name(sources, engine, node->guid);
        char *copy = name ? sf_strdup(name) : NULL;
        if (copy) {
            free(node->name);
            node->name = copy;
        }
    }
}

void
sf_sources_keep_base(const struct sf_sources *sources,
                     const struct sf_fabric *base,
                     struct sf_plugin_status *status)
{
    struct sf_error err;

    if (sources->options.base[0] && base &&
        (status->result.outcome == SF_OUTCOME_ANEW ||
         status->result.n_replaced) &&
        sf_base_save(base, sources->options.base, &err) != SF_OK) {
        sf_plugin_warn(status, "a restart will forget the base: %s", err.text);
    }
}

void
sf_sources_sweep(const struct sf_sources *sources)
{
    char jobs[SF_OPTION_SIZE + 8];
    const char *const paths[] = { sources->options.status,
                                  sources->options.base, jobs };

    sf_plugin_jobs_kept_path(sources->options.base, jobs);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i][0]) {
            sf_whole_file_sweep(paths[i]);
        }
    }
}
