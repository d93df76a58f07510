/* sweep_steps.h -- how a change of tables is written: in steps that are safe,
 * one a sweep, or at once.  Knows nothing of OpenSM.
 *
 * While tables are sent, each switch holds old or new entries.  A change that
 * no fault forces is split so that no mixture within a step can deadlock
 * (slimfly/steps.h).  After a fault, packets are lost until the new tables are
 * there, so all is written at once; what could have happened meanwhile is
 * judged afterwards (slimfly/mixture.h).
 *
 * What switches hold is what was written last.  OpenSM's own copy does not
 * tell: after an answer that failed, it holds what stood in that. */
#ifndef SF_OPENSM_SWEEP_STEPS_H
#define SF_OPENSM_SWEEP_STEPS_H

#include "slimfly/ib.h"

struct sf_changes; /* Opaque. */

enum sf_change_kind {
    SF_CHANGE_NONE,    /* Nothing changes. */
    SF_CHANGE_UNKNOWN, /* What switches held before is not known. */
    SF_CHANGE_STEPS,   /* In steps, one or more. */
    SF_CHANGE_FAULT,   /* At once: the old tables lead into faults. */
    SF_CHANGE_AT_ONCE, /* At once: no steps were found. */
};

/* What is told of a change. */
struct sf_change_state {
    enum sf_change_kind kind;
    uint32_t step, n_steps; /* This step, from 1, of how many. */
    bool is_judged;         /* Whether is_safe means anything. */
    bool is_safe;           /* No mixture can deadlock. */
    uint64_t n_pairs_lost;  /* Pairs of switch and LID without a path for a
                             * step, on purpose. */
    double seconds;         /* That it took to plan or judge. */
    char text[SF_ERROR_TEXT_SIZE]; /* A sentence, or "". */
};

/* "none", "unknown", "steps", "fault", "at once" */
const char *sf_change_kind_name(enum sf_change_kind kind);

enum sf_status sf_changes_new(struct sf_changes **changesp,
                              struct sf_error *err);
void sf_changes_free(struct sf_changes *changes);

/* Forgets what switches hold: another manager led. */
void sf_changes_forget(struct sf_changes *changes);

/* Decides what is written in this sweep.  'target' is what switches are to
 * hold in the end, for 'fabric'; both must stay until sf_changes_end() or
 * sf_changes_fail(). */
void sf_changes_begin(struct sf_changes *changes,
                      const struct sf_fabric *fabric,
                      const struct sf_ib_tables *target);

/* What is written in this sweep; after sf_changes_begin().  SL-to-VL tables
 * may be asked for until the next one. */
const struct sf_tables *sf_changes_lfts(const struct sf_changes *changes);
const struct sf_sl2vl *sf_changes_sl2vl(const struct sf_changes *changes);

/* The sweep has written all.  Judges what is to be judged.  Returns whether
 * another step is to follow. */
bool sf_changes_end(struct sf_changes *changes);

/* The sweep could not write all, so that switches hold what was there before
 * or what was to be written.  The next sweep will write the same again, unless
 * there is a fault. */
void sf_changes_fail(struct sf_changes *changes);

const struct sf_change_state *
sf_changes_state(const struct sf_changes *changes);

#endif
