/* journal.h -- the file of events, whole lines of JSON, and the file beside it
 * from which a time line goes on after a restart.
 *
 * What cannot be written, because the disk is full, is written later, as long
 * as the time line has it. */
#ifndef SF_MONITOR_JOURNAL_H
#define SF_MONITOR_JOURNAL_H

#include "monitor/timeline.h"
#include "slimfly/plan.h"

struct sf_journal {
    const char *path;    /* NULL: standard output, and no state is kept. */
    char *state_path;    /* Owned; NULL likewise. */
    int fd;              /* -1: closed. */
    uint64_t written_id; /* The last event that was written. */
    uint64_t saved_id;   /* The last event that the state file knows of. */
    uint64_t n_lost;     /* Events that the time line forgot before they could
                          * be written. */
    bool has_failed;     /* The last time; 'failure' says why. */
    struct sf_error failure;
};

/* Opens the file at 'path', and reads the state beside it into 'timeline',
 * which is new.  SF_EIO also if another monitor has the file; SF_EPARSE if the
 * state is none. */
enum sf_status sf_journal_open(struct sf_journal *journal, const char *path,
                               struct sf_timeline *timeline,
                               struct sf_error *err);

/* Opens the file anew, after somebody has moved it away. */
void sf_journal_reopen(struct sf_journal *journal);

/* Writes the events of 'timeline' that are not written yet, then the state. */
void sf_journal_write(struct sf_journal *journal,
                      const struct sf_timeline *timeline,
                      const struct sf_plan *plan);

/* Writes the state once more and closes. */
void sf_journal_close(struct sf_journal *journal,
                      const struct sf_timeline *timeline);

#endif
