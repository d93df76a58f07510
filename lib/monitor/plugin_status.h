/* plugin_status.h -- what else a page shows of the status file of the plugin
 * for OpenSM: when it routed last, and which cables are drained. */
#ifndef SF_MONITOR_PLUGIN_STATUS_H
#define SF_MONITOR_PLUGIN_STATUS_H

#include "slimfly/plan.h"

struct sf_status_more {
    char routed_at[64]; /* "" if it does not say. */
    bool is_changed;    /* Other cables are drained than before. */
    bool is_safe;       /* Those that are can be unplugged. */
};

/* Reads the file at 'path' again, and sets 'is_drained' [n_cables].  What it
 * does not say, or says in another way, is not there. */
void sf_status_read_more(const char *path, const struct sf_plan *plan,
                         bool *is_drained, struct sf_status_more *more);

/* The same from 'length' bytes of 'text'. */
void sf_status_parse_more(const char *text, size_t length,
                          const struct sf_plan *plan, bool *is_drained,
                          struct sf_status_more *more);

#endif
