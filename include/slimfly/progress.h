/* progress.h -- how long work says how far it is.
 *
 * The library calls back and prints nothing; the caller decides whether
 * anybody is looking.  Each thread has a listener of its own, or none, so that
 * no function needs a parameter for it.  Threads that the library starts have
 * none: the thread that waits for them reports their work.  Comparisons,
 * evaluations and studies of failures alone report from any of their threads,
 * one at a time. */
#ifndef SLIMFLY_PROGRESS_H
#define SLIMFLY_PROGRESS_H

#include <stdint.h>

#pragma GCC visibility push(default)

struct sf_progress {
    /* Called now and then with 'done' of 'total' steps of the work 'what',
     * such as "choosing paths".  That holds until the next report.  A 'total'
     * of 0 says that nobody knows how many steps there are.  'what' is gone
     * after the call. */
    void (*report)(void *aux, const char *what, uint64_t done, uint64_t total);
    void *aux;
};

/* Makes 'progress' the listener of the calling thread, NULL for none, and
 * returns the one before.  It must live until another takes its place. */
const struct sf_progress *
sf_progress_listen(const struct sf_progress *progress);

/* Reports to the listener of the calling thread, if it has one. */
void sf_progress_report(const char *what, uint64_t done, uint64_t total);

#pragma GCC visibility pop
#endif
