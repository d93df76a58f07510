/* wheel.h -- events in the order of their times: a calendar queue whose
 * year is longer than any event is ahead.
 *
 * Time is cut into days, and each event ahead stands in the list of its day
 * and class, in no order.  The events of the open day, and what is added to it
 * or before, are 'due' and sorted when they are looked at.  With about one
 * event a day, all of it is O(1). */
#ifndef SF_SIM_WHEEL_H
#define SF_SIM_WHEEL_H

#include "slimfly/graph.h"

#include <stdbool.h>
#include <stddef.h>

/* Of equal times, the lower 'order' comes first.  The highest bits of it are
 * the class of an event. */
struct sf_event {
    uint64_t time;
    uint32_t order;
    uint32_t argument; /* Whatever it means to who added it. */
};
#define SF_WHEEL_CLASSES    4
#define SF_WHEEL_CLASS_BITS 30 /* Those below the class. */

static inline uint32_t
sf_event_class(const struct sf_event *event)
{
    return event->order >> SF_WHEEL_CLASS_BITS;
}

struct sf_wheel_node {
    struct sf_event event;
    uint32_t next; /* Of the same day, or of those that are free. */
};

struct sf_wheel {
    uint32_t day_bits;                  /* Of the time within a day. */
    uint32_t n_days;                    /* Of a year, a power of 2. */
    uint64_t day;                       /* The open one. */
    uint32_t (*days)[SF_WHEEL_CLASSES]; /* [n_days] The first nodes. */
    uint32_t unordered; /* Bits: classes whose order does not matter. */
    uint64_t *is_used;  /* [n_days] bits: who has a node. */
    uint32_t n_ahead;   /* Nodes in use. */
    uint32_t max, n;    /* Events there is room for; those that are in. */
    uint32_t first_free;
    struct sf_wheel_node *nodes; /* [max] */
    struct sf_event *due;        /* [max] Those from 'head' to 'end' count. */
    uint32_t head, end;
    bool is_sorted;
};

/* An empty wheel at time 0 for events that are at most 'ahead' in the future.
 * 'n_days' should be a few times as many as there are events.  Events of one
 * time and one of the classes 'unordered', a set of bits, may come in any
 * order, which is yet the same whenever the same is done.  False if out of
 * memory. */
bool sf_wheel_build(struct sf_wheel *wheel, uint64_t ahead, uint32_t n_days,
                    uint32_t unordered);
void sf_wheel_clear(struct sf_wheel *wheel);

/* Makes room for 'n' more events; false if out of memory. */
bool sf_wheel_grow(struct sf_wheel *wheel, uint32_t n);

static inline bool
sf_wheel_reserve(struct sf_wheel *wheel, uint32_t n)
{
    return wheel->max - wheel->n >= n || sf_wheel_grow(wheel, n);
}

/* Adds an event for which there is room. */
static inline void
sf_wheel_add(struct sf_wheel *wheel, uint64_t time, uint32_t order,
             uint32_t argument)
{
    uint64_t day = time >> wheel->day_bits;
    struct sf_event event = { time, order, argument };

    wheel->n++;
    if (day <= wheel->day) {
        wheel->due[wheel->end++] = event;
        wheel->is_sorted = false;
        return;
    }
    uint32_t place = (uint32_t)day & (wheel->n_days - 1);
    uint32_t number = wheel->first_free;
    struct sf_wheel_node *node = &wheel->nodes[number];
    wheel->first_free = node->next;
    node->event = event;
    uint32_t *first = &wheel->days[place][order >> SF_WHEEL_CLASS_BITS];
    node->next = *first;
    *first = number;
    wheel->is_used[place / 64] |= (uint64_t)1 << place % 64;
    wheel->n_ahead++;
}

/* Sorts what is due, and opens the next day if nothing is.  False if there are
 * no events. */
bool sf_wheel_open(struct sf_wheel *wheel);

/* The first event; NULL if there is none. */
static inline const struct sf_event *
sf_wheel_first(struct sf_wheel *wheel)
{
    if ((wheel->head == wheel->end || !wheel->is_sorted) &&
        !sf_wheel_open(wheel)) {
        return NULL;
    }
    return &wheel->due[wheel->head];
}

/* Takes the first 'n' events out, which must be due. */
static inline void
sf_wheel_take(struct sf_wheel *wheel, uint32_t n)
{
    wheel->head += n;
    wheel->n -= n;
}

/* It is 'time' now, and no event is earlier. */
static inline void
sf_wheel_advance(struct sf_wheel *wheel, uint64_t time)
{
    uint64_t day = time >> wheel->day_bits;
    if (day > wheel->day) {
        wheel->day = day - 1;
    }
}

#endif
