/* timeline.c -- conditions, notes and events (timeline.h has the rules).
 *
 * What is known stands in an array in the order of the first sight, and is
 * found by source and key in a hash table with open addressing, which is built
 * anew whenever something is forgotten: once an observation at most. */
#include "monitor/timeline.h"

#include "base/hash.h"
#include "base/mem.h"
#include "monitor/unconst.h"

#include <string.h>

struct sf_timeline {
    struct sf_timeline_params params;
    int64_t now;
    enum sf_monitor_source source; /* Of the observation. */

    SF_VEC(struct sf_known) known;
    uint32_t n_slots; /* A power of two. */
    uint32_t *slots;  /* [n_slots] Index into 'known' plus 1; 0: free. */
    uint64_t n_dropped;
    uint32_t n_unsure[SF_MONITOR_N_SOURCES];

    struct sf_event *events; /* [max_events] By id, modulo that. */
    uint64_t first_id, last_id;

    /* Events of the observation by type and kind, to be summed up. */
    SF_VEC(struct tally) tallies;
};

/* How often an observation made an event of a type and a kind. */
struct tally {
    enum sf_event_type type;
    char *kind;
    uint32_t n;
    enum sf_severity severity; /* The highest. */
};

const struct sf_timeline_params sf_timeline_default = {
    .open_after = { 2, 1, 1, 1 },
    .close_after = { 2, 3, 2, 1 },
    .flap_n = 3,
    .flap_window = 600000,
    .note_window = 60000,
    .burst = 20,
    .max_events = 2000,
    .max_conditions = 65536,
};

const char *
sf_monitor_source_name(enum sf_monitor_source source)
{
    static const char *const names[SF_MONITOR_N_SOURCES] = {
        "cabling", "counters", "manager", "service"
    };
    return names[source];
}

const char *
sf_event_type_name(enum sf_event_type type)
{
    static const char *const names[SF_N_EVENT_TYPES] = {
        "began", "ended", "flapping", "steady", "noted", "repeated"
    };
    return names[type];
}

enum sf_status
sf_timeline_new(const struct sf_timeline_params *params,
                struct sf_timeline **timelinep, struct sf_error *err)
{
    struct sf_timeline *timeline = sf_calloc(1, sizeof *timeline);

    *timelinep = NULL;
    if (timeline) {
        timeline->params = params ? *params : sf_timeline_default;
        timeline->events =
            sf_calloc(timeline->params.max_events, sizeof *timeline->events);
        timeline->n_slots = 64;
        timeline->slots =
            sf_calloc(timeline->n_slots, sizeof *timeline->slots);
        timeline->first_id = 1;
    }
    if (!timeline || !timeline->events || !timeline->slots) {
        sf_timeline_free(timeline);
        return sf_fail(err, SF_ENOMEM, "out of memory for a time line");
    }
    *timelinep = timeline;
    return SF_OK;
}

/* The texts of a condition that are owned. */
static void
clear_texts(struct sf_condition *condition)
{
    const char *texts[] = { condition->key, condition->kind, condition->text,
                            condition->remedy };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        free(sf_unconst(texts[i]));
    }
}

static void
clear_event(struct sf_event *event)
{
    free(event->key);
    free(event->kind);
    free(event->text);
    free(event->remedy);
    *event = (struct sf_event){ 0 };
}

static void
clear_tallies(struct sf_timeline *timeline)
{
    for (size_t i = 0; i < timeline->tallies.n; i++) {
        free(timeline->tallies.items[i].kind);
    }
    timeline->tallies.n = 0;
}

void
sf_timeline_free(struct sf_timeline *timeline)
{
    if (!timeline) {
        return;
    }
    for (size_t i = 0; i < timeline->known.n; i++) {
        clear_texts(&timeline->known.items[i].condition);
    }
    for (uint32_t i = 0; timeline->events && i < timeline->params.max_events;
         i++) {
        clear_event(&timeline->events[i]);
    }
    clear_tallies(timeline);
    free(timeline->tallies.items);
    free(timeline->known.items);
    free(timeline->slots);
    free(timeline->events);
    free(timeline);
}

/* The place of a condition among the slots, or the free one where it would
 * be. */
static uint32_t
find_slot(const struct sf_timeline *timeline, enum sf_monitor_source source,
          const char *key)
{
    uint64_t hash =
        sf_hash_bytes(SF_HASH_START + (uint64_t)source, key, strlen(key));
    uint32_t mask = timeline->n_slots - 1;

    for (uint32_t slot = (uint32_t)(hash ^ hash >> 32) & mask;;
         slot = (slot + 1) & mask) {
        uint32_t number = timeline->slots[slot];
        if (!number) {
            return slot;
        }
        const struct sf_known *known = &timeline->known.items[number - 1];
        if (known->source == source && !strcmp(known->condition.key, key)) {
            return slot;
        }
    }
}

/* Fills the slots, of which there are enough, from what is known. */
static void
fill_slots(struct sf_timeline *timeline)
{
    memset(timeline->slots, 0, timeline->n_slots * sizeof *timeline->slots);
    for (uint32_t i = 0; i < timeline->known.n; i++) {
        const struct sf_known *known = &timeline->known.items[i];
        timeline
            ->slots[find_slot(timeline, known->source, known->condition.key)] =
            i + 1;
    }
}

/* Sees that half of the slots are free after one more is taken. */
static bool
reserve_slots(struct sf_timeline *timeline)
{
    if (2 * (timeline->known.n + 1) <= timeline->n_slots) {
        return true;
    }
    uint32_t *slots = sf_calloc(2 * (size_t)timeline->n_slots, sizeof *slots);
    if (!slots) {
        return false;
    }
    free(timeline->slots);
    timeline->slots = slots;
    timeline->n_slots *= 2;
    fill_slots(timeline);
    return true;
}

/* Copies the texts of 'from'; false, and nothing done, if memory ran out. */
static bool
copy_condition(const struct sf_condition *from, struct sf_condition *to)
{
    struct sf_condition copy = *from;

    copy.key = sf_strdup(from->key);
    copy.kind = sf_strdup(from->kind);
    copy.text = sf_strdup(from->text);
    copy.remedy = from->remedy ? sf_strdup(from->remedy) : NULL;
    if (!copy.key || !copy.kind || !copy.text ||
        (from->remedy && !copy.remedy)) {
        clear_texts(&copy);
        return false;
    }
    *to = copy;
    return true;
}

/* Adds something that was not known; NULL if there is no room. */
static struct sf_known *
add_known(struct sf_timeline *timeline, enum sf_monitor_source source,
          const struct sf_condition *condition)
{
    struct sf_known known = { .source = source };

    if (timeline->known.n == timeline->params.max_conditions ||
        !reserve_slots(timeline) ||
        !copy_condition(condition, &known.condition)) {
        timeline->n_dropped++;
        return NULL;
    }
    if (!sf_vec_push(&timeline->known, known)) {
        clear_texts(&known.condition);
        timeline->n_dropped++;
        return NULL;
    }
    timeline->slots[find_slot(timeline, source, condition->key)] =
        (uint32_t)timeline->known.n;
    return &timeline->known.items[timeline->known.n - 1];
}

/* Finds or adds a condition. */
static struct sf_known *
get_known(struct sf_timeline *timeline, enum sf_monitor_source source,
          const struct sf_condition *condition)
{
    uint32_t number =
        timeline->slots[find_slot(timeline, source, condition->key)];

    return number ? &timeline->known.items[number - 1]
                  : add_known(timeline, source, condition);
}

/* Takes over what a condition says now, if it says something else. */
static void
renew_texts(struct sf_known *known, const struct sf_condition *condition)
{
    struct sf_condition copy;
    const char *old = known->condition.remedy, *now = condition->remedy;

    if ((strcmp(known->condition.text, condition->text) != 0 || !old != !now ||
         (old && strcmp(old, now) != 0) ||
         known->condition.severity != condition->severity ||
         known->condition.cable != condition->cable ||
         known->condition.node != condition->node) &&
        copy_condition(condition, &copy)) {
        clear_texts(&known->condition);
        known->condition = copy;
    }
}

/* Writes an event; the oldest goes. */
static void
push_event(struct sf_timeline *timeline, struct sf_event event,
           const struct sf_condition *condition)
{
    struct sf_condition copy;

    if (!copy_condition(condition, &copy)) {
        timeline->n_dropped++;
        return;
    }
    event.id = ++timeline->last_id;
    event.time = timeline->now;
    event.severity = condition->severity;
    event.key = sf_unconst(copy.key);
    event.kind = sf_unconst(copy.kind);
    event.text = sf_unconst(copy.text);
    event.remedy = sf_unconst(copy.remedy);
    event.cable = condition->cable;
    event.node = condition->node;

    struct sf_event *place =
        &timeline->events[event.id % timeline->params.max_events];
    clear_event(place);
    *place = event;
    if (timeline->last_id - timeline->first_id >=
        timeline->params.max_events) {
        timeline->first_id =
            timeline->last_id - timeline->params.max_events + 1;
    }
}

/* Counts an event of the observation.  Whether it is to be told by itself. */
static bool
count_event(struct sf_timeline *timeline, enum sf_event_type type,
            const struct sf_condition *condition)
{
    for (size_t i = 0; i < timeline->tallies.n; i++) {
        struct tally *tally = &timeline->tallies.items[i];
        if (tally->type == type && !strcmp(tally->kind, condition->kind)) {
            if (condition->severity > tally->severity) {
                tally->severity = condition->severity;
            }
            return ++tally->n <= timeline->params.burst;
        }
    }
    struct tally tally = { type, sf_strdup(condition->kind), 1,
                           condition->severity };
    if (!tally.kind || !sf_vec_push(&timeline->tallies, tally)) {
        free(tally.kind);
        return true;
    }
    return timeline->params.burst > 0;
}

static void
tell(struct sf_timeline *timeline, enum sf_event_type type,
     const struct sf_known *known, uint32_t count)
{
    if (count_event(timeline, type, &known->condition)) {
        push_event(timeline,
                   (struct sf_event){ .type = type,
                                      .source = known->source,
                                      .count = count,
                                      .since = known->since },
                   &known->condition);
    }
}

/* Tells how many events of the observation were not told by themselves. */
static void
tell_sums(struct sf_timeline *timeline)
{
    static const char *const texts[SF_N_EVENT_TYPES] = {
        [SF_EVENT_BEGAN] = "more of the same kind began at the same time",
        [SF_EVENT_ENDED] = "more of the same kind ended at the same time",
        [SF_EVENT_FLAPPING] = "more of the same kind are flapping",
        [SF_EVENT_STEADY] = "more of the same kind have stopped flapping",
    };

    for (size_t i = 0; i < timeline->tallies.n; i++) {
        const struct tally *tally = &timeline->tallies.items[i];
        uint32_t burst = timeline->params.burst;
        if (tally->n > burst) {
            struct sf_condition sum = {
                "",     tally->kind,     texts[tally->type],
                NULL,   tally->severity, SF_NONE,
                SF_NONE
            };
            push_event(timeline,
                       (struct sf_event){ .type = tally->type,
                                          .source = timeline->source,
                                          .is_sum = true,
                                          .count = tally->n - burst,
                                          .since = timeline->now },
                       &sum);
        }
    }
    clear_tallies(timeline);
}

/* Openings within the window, up to SF_MAX_FLAPS. */
static uint32_t
count_openings(const struct sf_timeline *timeline,
               const struct sf_known *known)
{
    uint32_t n =
        known->n_opened < SF_MAX_FLAPS ? known->n_opened : SF_MAX_FLAPS;
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++) {
        count +=
            known->opened[i] > timeline->now - timeline->params.flap_window;
    }
    return count;
}

static void
open_condition(struct sf_timeline *timeline, struct sf_known *known)
{
    known->is_open = true;
    known->n_in_row = 0;
    known->changed = timeline->now;
    known->opened[known->n_opened++ % SF_MAX_FLAPS] = timeline->now;
    if (known->is_flapping) {
        known->n_changes++;
        return;
    }
    known->since = timeline->now;
    uint32_t n = count_openings(timeline, known);
    if (n >= timeline->params.flap_n) {
        known->is_flapping = true;
        known->n_changes = 0;
        tell(timeline, SF_EVENT_FLAPPING, known, n);
    } else {
        tell(timeline, SF_EVENT_BEGAN, known, 1);
    }
}

static void
close_condition(struct sf_timeline *timeline, struct sf_known *known)
{
    known->is_open = false;
    known->n_in_row = 0;
    known->changed = timeline->now;
    if (known->is_flapping) {
        known->n_changes++;
    } else {
        tell(timeline, SF_EVENT_ENDED, known, 1);
    }
}

/* A condition that flapped and did not change for long. */
static void
settle_flapping(struct sf_timeline *timeline, struct sf_known *known)
{
    if (known->is_flapping &&
        timeline->now - known->changed >= timeline->params.flap_window) {
        known->is_flapping = false;
        tell(timeline, known->is_open ? SF_EVENT_STEADY : SF_EVENT_ENDED,
             known, known->n_changes);
    }
}

/* What the observation that ends means for a condition of its source. */
static void
judge(struct sf_timeline *timeline, struct sf_known *known)
{
    uint32_t source = known->source;

    if (known->is_seen == known->is_open) {
        known->n_in_row = 0;
    } else if (++known->n_in_row >=
               (known->is_seen ? timeline->params.open_after[source]
                               : timeline->params.close_after[source])) {
        if (known->is_seen) {
            open_condition(timeline, known);
        } else {
            close_condition(timeline, known);
        }
    } else {
        timeline->n_unsure[source]++;
    }
    settle_flapping(timeline, known);
    known->is_seen = false;
}

/* Whether nothing of it is needed any more. */
static bool
is_forgettable(const struct sf_timeline *timeline,
               const struct sf_known *known)
{
    if (known->is_note) {
        return timeline->now - known->changed >= timeline->params.note_window;
    }
    return !known->is_open && !known->is_flapping && !known->n_in_row &&
           !known->is_seen && !count_openings(timeline, known);
}

static void
forget(struct sf_timeline *timeline)
{
    size_t n = 0;

    for (size_t i = 0; i < timeline->known.n; i++) {
        struct sf_known *known = &timeline->known.items[i];
        if (is_forgettable(timeline, known)) {
            clear_texts(&known->condition);
        } else {
            timeline->known.items[n++] = *known;
        }
    }
    if (n != timeline->known.n) {
        timeline->known.n = n;
        fill_slots(timeline);
    }
}

static void
set_time(struct sf_timeline *timeline, int64_t time)
{
    if (time > timeline->now) {
        timeline->now = time;
    }
}

void
sf_timeline_begin(struct sf_timeline *timeline, enum sf_monitor_source source,
                  int64_t time)
{
    set_time(timeline, time);
    timeline->source = source;
    timeline->n_unsure[source] = 0;
}

void
sf_timeline_see(struct sf_timeline *timeline,
                const struct sf_condition *condition)
{
    struct sf_known *known = get_known(timeline, timeline->source, condition);

    if (known && !known->is_note) {
        renew_texts(known, condition);
        known->is_seen = true;
    }
}

bool
sf_timeline_hold(struct sf_timeline *timeline, const char *key)
{
    uint32_t number =
        timeline->slots[find_slot(timeline, timeline->source, key)];
    struct sf_known *known =
        number ? &timeline->known.items[number - 1] : NULL;

    if (!known || known->is_note) {
        return false;
    }
    known->is_seen |= known->is_open;
    return known->is_open || known->is_flapping;
}

void
sf_timeline_hold_all(struct sf_timeline *timeline, const char *start)
{
    for (size_t i = 0; i < timeline->known.n; i++) {
        struct sf_known *known = &timeline->known.items[i];
        if (known->source == timeline->source && !known->is_note &&
            !strncmp(known->condition.key, start, strlen(start))) {
            known->is_seen |= known->is_open;
        }
    }
}

void
sf_timeline_end(struct sf_timeline *timeline)
{
    for (size_t i = 0; i < timeline->known.n; i++) {
        struct sf_known *known = &timeline->known.items[i];
        if (known->source == timeline->source && !known->is_note) {
            judge(timeline, known);
        }
    }
    tell_sums(timeline);
    forget(timeline);
}

/* Counts 'n' more repetitions of a note. */
static void
repeat_note(struct sf_known *known, uint32_t n)
{
    known->n_changes +=
        n < UINT32_MAX - known->n_changes ? n : UINT32_MAX - known->n_changes;
}

void
sf_timeline_note_times(struct sf_timeline *timeline,
                       enum sf_monitor_source source,
                       const struct sf_condition *condition, uint32_t n,
                       int64_t time)
{
    sf_timeline_tick(timeline, time);
    struct sf_known *known = get_known(timeline, source, condition);
    if (!known) {
        return;
    }
    if (known->is_note) {
        renew_texts(known, condition);
        repeat_note(known, n);
    } else {
        known->is_note = true;
        repeat_note(known, n - 1);
        known->since = timeline->now;
        push_event(timeline,
                   (struct sf_event){ .type = SF_EVENT_NOTED,
                                      .source = source,
                                      .count = 1,
                                      .since = timeline->now },
                   condition);
    }
    known->changed = timeline->now;
}

void
sf_timeline_note(struct sf_timeline *timeline, enum sf_monitor_source source,
                 const struct sf_condition *condition, int64_t time)
{
    sf_timeline_note_times(timeline, source, condition, 1, time);
}

void
sf_timeline_tick(struct sf_timeline *timeline, int64_t time)
{
    set_time(timeline, time);
    for (size_t i = 0; i < timeline->known.n; i++) {
        const struct sf_known *known = &timeline->known.items[i];
        if (known->is_note && known->n_changes &&
            is_forgettable(timeline, known)) {
            push_event(timeline,
                       (struct sf_event){ .type = SF_EVENT_REPEATED,
                                          .source = known->source,
                                          .count = known->n_changes,
                                          .since = known->since },
                       &known->condition);
        }
    }
    forget(timeline);
}

bool
sf_timeline_is_unsure(const struct sf_timeline *timeline,
                      enum sf_monitor_source source)
{
    return timeline->n_unsure[source] > 0;
}

uint64_t
sf_timeline_first(const struct sf_timeline *timeline)
{
    return timeline->first_id;
}

uint64_t
sf_timeline_last(const struct sf_timeline *timeline)
{
    return timeline->last_id;
}

const struct sf_event *
sf_timeline_event(const struct sf_timeline *timeline, uint64_t id)
{
    return id >= timeline->first_id && id <= timeline->last_id
               ? &timeline->events[id % timeline->params.max_events]
               : NULL;
}

uint32_t
sf_timeline_n_known(const struct sf_timeline *timeline)
{
    return (uint32_t)timeline->known.n;
}

const struct sf_known *
sf_timeline_known(const struct sf_timeline *timeline, uint32_t i)
{
    return &timeline->known.items[i];
}

uint32_t
sf_timeline_count_open(const struct sf_timeline *timeline,
                       enum sf_severity least)
{
    uint32_t n = 0;

    for (size_t i = 0; i < timeline->known.n; i++) {
        const struct sf_known *known = &timeline->known.items[i];
        n += (known->is_open || known->is_flapping) &&
             known->condition.severity >= least;
    }
    return n;
}

uint64_t
sf_timeline_count_dropped(const struct sf_timeline *timeline)
{
    return timeline->n_dropped;
}

void
sf_timeline_continue(struct sf_timeline *timeline, uint64_t last_id,
                     int64_t time)
{
    set_time(timeline, time);
    timeline->last_id = last_id;
    timeline->first_id = last_id + 1;
}

bool
sf_timeline_restore(struct sf_timeline *timeline, const struct sf_known *from)
{
    struct sf_known *known =
        get_known(timeline, from->source, &from->condition);

    if (!known) {
        return false;
    }
    struct sf_condition own = known->condition;
    *known = *from;
    known->condition = own;
    known->is_seen = false;
    return true;
}
