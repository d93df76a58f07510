/* drained_links.h -- links that an administrator has drained: a file that
 * 'slimfly drain' writes, and what it means for the fabric.  Knows nothing of
 * OpenSM.
 *
 * A file that is wrong changes nothing: what was drained stays so.  A file
 * that is gone drains nothing.  Hosts are never cut off, unless the file says
 * that they may be (slimfly/drain.h). */
#ifndef SF_OPENSM_DRAINED_LINKS_H
#define SF_OPENSM_DRAINED_LINKS_H

#include "plugin_options.h"
#include "slimfly/drain.h"
#include "watcher.h"

#include <jansson.h>

/* All zeros to begin with. */
struct sf_plugin_drained {
    char path[SF_OPTION_SIZE];        /* Of the file; "": none is named. */
    char problem[SF_ERROR_TEXT_SIZE]; /* Why it was not read, or "". */
    struct sf_file_stamp stamp;       /* Of the file when it was read. */
    struct sf_drain_list *list;       /* NULL if none was ever read. */
    struct sf_drained drained;        /* On this fabric: */
    struct sf_fabric *whole;          /* as it was found; or NULL. */
};

void sf_plugin_drained_clear(struct sf_plugin_drained *drained);

/* Reads the file at 'path', "" for none, and takes what it drains out of
 * 'fabric'.  Fails only if memory runs out. */
enum sf_status sf_plugin_drained_update(struct sf_plugin_drained *drained,
                                        const char *path,
                                        struct sf_fabric *fabric,
                                        struct sf_error *err);

/* The fabric with the links that are drained; NULL if none are. */
const struct sf_fabric *
sf_plugin_drained_whole(const struct sf_plugin_drained *drained);

/* All of it as JSON; null if no file is named.  'is_written': the switches
 * hold tables that do without these links. */
json_t *sf_plugin_drained_pack(const struct sf_plugin_drained *drained,
                               bool is_written);

#endif
