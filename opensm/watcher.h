/* watcher.h -- a thread that sees that a file has changed.  It looks twice a
 * second, which also works where the file is on another machine's disk. */
#ifndef SF_OPENSM_WATCHER_H
#define SF_OPENSM_WATCHER_H

#include "slimfly/error.h"

#include <stdbool.h>
#include <stdint.h>

/* What tells a file from what it was before. */
struct sf_file_stamp {
    bool is_there;
    uint64_t device, number, size;
    int64_t written[2], changed[2]; /* Seconds and nanoseconds. */
};

struct sf_file_stamp sf_file_stamp_take(const char *path);

struct sf_watcher; /* Opaque. */

/* Called from the thread of the watcher when the file is another than the one
 * that sf_watcher_set() told of; again some seconds later if that stays so. */
typedef void sf_watcher_act(void *aux);

enum sf_status sf_watcher_start(sf_watcher_act *act, void *aux,
                                struct sf_watcher **watcherp,
                                struct sf_error *err);

/* Ends the thread; NULL is fine. */
void sf_watcher_stop(struct sf_watcher *watcher);

/* What is to be watched, "" for nothing, and the stamp of it that is known. */
void sf_watcher_set(struct sf_watcher *watcher, const char *path,
                    const struct sf_file_stamp *known);

#endif
