/* sources.h -- the files that the plugin goes by: its options, the plan and
 * the GUID map for names, and what base is made of.  Knows nothing of OpenSM.
 */
#ifndef SF_OPENSM_SOURCES_H
#define SF_OPENSM_SOURCES_H

#include "engine.h"
#include "plan_names.h"
#include "plugin_options.h"
#include "slimfly/verify.h"
#include "status_file.h"

/* All zeros to begin with, but for 'option_text'. */
struct sf_sources {
    char *option_text; /* What event_plugin_options says; owned. */
    struct sf_plugin_options options;
    char complaint[SF_ERROR_TEXT_SIZE]; /* About the options, or "". */
    struct sf_names names;
    struct sf_guid_map *map; /* NULL if there is none. */
};

void sf_sources_clear(struct sf_sources *sources);

/* Reads the options, which must go with OpenSM's 'lmc' and 'qos'; the ones
 * before stay if these cannot be had, and 'complaint' says why. */
void sf_sources_load_options(struct sf_sources *sources, uint32_t lmc,
                             bool qos);

/* Reads plan and GUID map, as far as they have changed.  A warning in 'status'
 * says what cannot be read. */
void sf_sources_load_names(struct sf_sources *sources,
                           struct sf_plugin_status *status);

/* The fabric to make base of where none is known: that of the base file, or
 * else the planned one, of which 'found' is all that is there; NULL if neither
 * will do.  Warns likewise.  The caller frees it. */
struct sf_fabric *sf_sources_find_base(const struct sf_sources *sources,
                                       const struct sf_fabric *found,
                                       struct sf_plugin_status *status);

/* Gives switches of 'fabric' that took the place of others, and that neither
 * plan nor map know yet, the names that base has for them. */
void sf_sources_name_replaced(const struct sf_sources *sources,
                              const struct sf_engine *engine,
                              struct sf_fabric *fabric);

/* Keeps the fabric 'base' of a base that was made anew, or in which nodes were
 * replaced; warns likewise. */
void sf_sources_keep_base(const struct sf_sources *sources,
                          const struct sf_fabric *base,
                          struct sf_plugin_status *status);

/* Removes what those left who were killed while they wrote status or base. */
void sf_sources_sweep(const struct sf_sources *sources);

#endif
