#include "slimfly/progress.h"

#include <stddef.h>

static _Thread_local const struct sf_progress *listener;

const struct sf_progress *
sf_progress_listen(const struct sf_progress *progress)
{
    const struct sf_progress *before = listener;

    listener = progress;
    return before;
}

void
sf_progress_report(const char *what, uint64_t done, uint64_t total)
{
    if (listener && listener->report) {
        listener->report(listener->aux, what, done, total);
    }
}
