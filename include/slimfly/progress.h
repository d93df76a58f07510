/* progress.h -- how long work says how far it is.
 *
 * The library calls back and prints nothing; the caller decides whether
 * anybody is looking. */
#ifndef SLIMFLY_PROGRESS_H
#define SLIMFLY_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

struct sf_progress {
    /* Called now and then with 'done' of 'total' steps of the work 'what'. */
    void (*report)(void *aux, const char *what, uint64_t done, uint64_t total);
    void *aux;
};

/* Reports if there is somebody to report to: 'progress' may be NULL. */
static inline void
sf_progress_report(const struct sf_progress *progress, const char *what,
                   uint64_t done, uint64_t total)
{
    if (progress && progress->report) {
        progress->report(progress->aux, what, done, total);
    }
}

#endif
