/* timeline.h -- what is wrong now, and what happened when: a state machine
 * without clock, files or network.  It is told what is seen at which time and
 * makes events of it.
 *
 * A *condition* is something that is not as it should be, such as a cable that
 * is missing.  Each *source* tells all its conditions again and again; such a
 * list with its time is an *observation*.  For a condition:
 *
 *  - It begins when 'open_after' observations in a row have it, and ends when
 *    'close_after' in a row do not.
 *  - It flaps if it begins for the 'flap_n'th time within 'flap_window'.  That
 *    is one event; beginnings and ends after it are only counted, until none
 *    came for 'flap_window'.  Then it is steady, or has ended.
 *  - If an observation makes more than 'burst' events of one kind, the others
 *    are one event with their number.
 *
 * A *note* is something that happens at a moment, such as a trap.  If it comes
 * again within 'note_window', it is only counted; a note that was counted is
 * told once more, with the count, when it has not come for so long.
 *
 * All is bounded: conditions by 'max_conditions', events by 'max_events', of
 * which the oldest are forgotten. */
#ifndef SF_MONITOR_TIMELINE_H
#define SF_MONITOR_TIMELINE_H

#include "slimfly/counter_findings.h"

#include <stdbool.h>
#include <stdint.h>

enum sf_monitor_source {
    SF_MONITOR_CABLING,  /* The fabric found, against the plan. */
    SF_MONITOR_COUNTERS, /* Counters of ports. */
    SF_MONITOR_MANAGER,  /* The status file of the subnet manager. */
    SF_MONITOR_SERVICE,  /* The monitor itself. */
    SF_MONITOR_N_SOURCES,
};

/* The name of a source: "cabling". */
const char *sf_monitor_source_name(enum sf_monitor_source source);

struct sf_condition {
    const char *key;    /* Tells it from all others of its source. */
    const char *kind;   /* "missing"; those of one kind can be summed up. */
    const char *text;   /* A sentence without a newline, */
    const char *remedy; /* and what to do about it; NULL: nothing. */
    enum sf_severity severity;
    uint32_t cable, node; /* Of the plan, or SF_NONE. */
};

enum sf_event_type {
    SF_EVENT_BEGAN,
    SF_EVENT_ENDED,
    SF_EVENT_FLAPPING, /* It begins and ends all the time. */
    SF_EVENT_STEADY,   /* It has stopped flapping, and holds. */
    SF_EVENT_NOTED,
    SF_EVENT_REPEATED, /* A note came 'count' times more. */
    SF_N_EVENT_TYPES,
};

/* The name of a type: "began". */
const char *sf_event_type_name(enum sf_event_type type);

struct sf_event {
    uint64_t id;  /* From 1, without gaps. */
    int64_t time; /* Milliseconds since 1970. */
    enum sf_event_type type;
    enum sf_monitor_source source;
    enum sf_severity severity;
    bool is_sum;    /* Stands for 'count' conditions of one kind. */
    uint32_t count; /* Of those, of changes while it flapped, or of
                     * repeated notes; else 1. */
    int64_t since;  /* When the condition began. */
    char *key;      /* Owned; "" for a sum. */
    char *kind;     /* Owned. */
    char *text;     /* Owned. */
    char *remedy;   /* Owned; NULL: nothing. */
    uint32_t cable, node;
};

struct sf_timeline_params {
    uint32_t open_after[SF_MONITOR_N_SOURCES];  /* At least 1. */
    uint32_t close_after[SF_MONITOR_N_SOURCES]; /* At least 1. */
    uint32_t flap_n;                            /* 2 to SF_MAX_FLAPS. */
    int64_t flap_window, note_window;           /* Milliseconds. */
    uint32_t burst;
    uint32_t max_events, max_conditions;
};
#define SF_MAX_FLAPS 8

extern const struct sf_timeline_params sf_timeline_default;

/* A condition that is known: open, or closed not long ago. */
struct sf_known {
    struct sf_condition condition; /* Its texts are owned. */
    enum sf_monitor_source source;
    bool is_note, is_open, is_flapping;
    bool is_seen;      /* In the observation that is being made. */
    uint32_t n_in_row; /* Observations that contradict 'is_open'. */
    uint32_t n_opened; /* Openings, of which the last SF_MAX_FLAPS */
    int64_t opened[SF_MAX_FLAPS]; /* are here, by number modulo that. */
    int64_t changed;    /* When it last opened, closed, or was noted. */
    int64_t since;      /* When it opened, or began to flap. */
    uint32_t n_changes; /* While it flaps; of a note, repetitions. */
};

struct sf_timeline; /* Opaque. */

enum sf_status sf_timeline_new(const struct sf_timeline_params *params,
                               struct sf_timeline **timelinep,
                               struct sf_error *err);
void sf_timeline_free(struct sf_timeline *timeline);

/* An observation: begin, tell all that 'source' sees, end.  Times do not
 * decrease; one that does is taken as the last.  If memory runs out, what was
 * not taken in counts as not told. */
void sf_timeline_begin(struct sf_timeline *timeline,
                       enum sf_monitor_source source, int64_t time);
void sf_timeline_see(struct sf_timeline *timeline,
                     const struct sf_condition *condition);
void sf_timeline_end(struct sf_timeline *timeline);

/* In an observation that cannot tell whether the condition with 'key', or each
 * one whose key starts with 'start', still holds: those that are open stay as
 * they are.  Whether the one with 'key' is open or flaps. */
bool sf_timeline_hold(struct sf_timeline *timeline, const char *key);
void sf_timeline_hold_all(struct sf_timeline *timeline, const char *start);

/* Something that happens at a moment; or has happened 'n' times by then, at
 * least once. */
void sf_timeline_note(struct sf_timeline *timeline,
                      enum sf_monitor_source source,
                      const struct sf_condition *condition, int64_t time);
void sf_timeline_note_times(struct sf_timeline *timeline,
                            enum sf_monitor_source source,
                            const struct sf_condition *condition, uint32_t n,
                            int64_t time);

/* Time goes by: notes that do not come any more are told. */
void sf_timeline_tick(struct sf_timeline *timeline, int64_t time);

/* Whether 'source' has seen a condition come or go that has not been seen
 * often enough, so that a look soon would tell. */
bool sf_timeline_is_unsure(const struct sf_timeline *timeline,
                           enum sf_monitor_source source);

/* Events from sf_timeline_first() to sf_timeline_last() are kept; there are
 * none if the first is greater.  NULL if 'id' is not among them. */
uint64_t sf_timeline_first(const struct sf_timeline *timeline);
uint64_t sf_timeline_last(const struct sf_timeline *timeline);
const struct sf_event *sf_timeline_event(const struct sf_timeline *timeline,
                                         uint64_t id);

/* All that is known, in the order of the first sight; items are good until the
 * next call that changes something. */
uint32_t sf_timeline_n_known(const struct sf_timeline *timeline);
const struct sf_known *sf_timeline_known(const struct sf_timeline *timeline,
                                         uint32_t i);

/* Conditions at least as severe as 'least' that are open or flap; and what
 * there was no room or no memory for so far. */
uint32_t sf_timeline_count_open(const struct sf_timeline *timeline,
                                enum sf_severity least);
uint64_t sf_timeline_count_dropped(const struct sf_timeline *timeline);

/* Goes on from an earlier life: events are numbered on from 'last_id', and
 * 'known' is taken over as it is.  False if memory ran out or there is no
 * room. */
void sf_timeline_continue(struct sf_timeline *timeline, uint64_t last_id,
                          int64_t time);
bool sf_timeline_restore(struct sf_timeline *timeline,
                         const struct sf_known *known);

#endif
