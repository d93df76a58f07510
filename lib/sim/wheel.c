#include "sim/wheel.h"

#include "base/mem.h"

#include <string.h>

#define MIN_DAYS 64u
#define MAX_DAYS (1u << 18)

bool
sf_wheel_build(struct sf_wheel *wheel, uint64_t ahead, uint32_t n_days,
               uint32_t unordered)
{
    *wheel = (struct sf_wheel){
        .n_days = MIN_DAYS,
        .unordered = unordered,
        .first_free = SF_NONE,
        .is_sorted = true,
    };
    while (wheel->n_days < n_days && wheel->n_days < MAX_DAYS) {
        wheel->n_days *= 2;
    }
    /* The open day is one more. */
    while (ahead >> wheel->day_bits >= wheel->n_days - 1) {
        wheel->day_bits++;
    }
    wheel->days = sf_calloc(wheel->n_days, sizeof *wheel->days);
    wheel->is_used = sf_calloc(wheel->n_days / 64, sizeof *wheel->is_used);
    if (!wheel->days || !wheel->is_used) {
        sf_wheel_clear(wheel);
        return false;
    }
    /* All bytes of SF_NONE are alike. */
    memset(wheel->days, 0xff, wheel->n_days * sizeof *wheel->days);
    return true;
}

void
sf_wheel_clear(struct sf_wheel *wheel)
{
    free(wheel->due);
    free(wheel->nodes);
    free(wheel->is_used);
    free(wheel->days);
    *wheel = (struct sf_wheel){ 0 };
}

bool
sf_wheel_grow(struct sf_wheel *wheel, uint32_t n)
{
    uint64_t max = (uint64_t)wheel->n + n + wheel->max / 2 + 64;
    if (max >= SF_NONE) {
        return false;
    }
    struct sf_wheel_node *nodes = sf_realloc(wheel->nodes, max, sizeof *nodes);
    if (!nodes) {
        return false;
    }
    wheel->nodes = nodes;
    /* What was taken since the last sort still stands before 'head'. */
    struct sf_event *due = sf_realloc(wheel->due, 2 * max, sizeof *due);
    if (!due) {
        return false;
    }
    wheel->due = due;
    for (uint32_t i = (uint32_t)max; i-- > wheel->max;) {
        nodes[i].next = wheel->first_free;
        wheel->first_free = i;
    }
    wheel->max = (uint32_t)max;
    return true;
}

static bool
is_before(const struct sf_event *a, const struct sf_event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

/* Sorts what is 'gap' apart by insertion. */
static inline void
sort_by_gap(struct sf_event *events, uint32_t n, uint32_t gap)
{
    for (uint32_t i = gap; i < n; i++) {
        struct sf_event event = events[i];
        uint32_t j = i;
        for (; j >= gap && is_before(&event, &events[j - gap]); j -= gap) {
            events[j] = events[j - gap];
        }
        events[j] = event;
    }
}

/* Shell's sort with Ciura's gaps; most days are short. */
static void
sort(struct sf_event *events, uint32_t n)
{
    static const uint32_t gaps[] = { 1750, 701, 301, 132, 57, 23, 10, 4 };

    for (uint32_t k = 0; n > 10 && k < sizeof gaps / sizeof *gaps; k++) {
        sort_by_gap(events, n, gaps[k]);
    }
    sort_by_gap(events, n, 1);
}

/* The first place in use from 'place' on, around; there is one. */
static uint32_t
find_place(const struct sf_wheel *wheel, uint32_t place)
{
    uint32_t word = place / 64, n_words = wheel->n_days / 64;
    uint64_t bits = wheel->is_used[word] >> place % 64 << place % 64;

    while (!bits) {
        word = (word + 1) & (n_words - 1);
        bits = wheel->is_used[word];
    }
    return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* Moves the events of a list to those that are due; returns whether one has
 * another time than 'time'. */
static bool
move_list(struct sf_wheel *wheel, uint32_t i, uint64_t time)
{
    bool differs = false;

    while (i != SF_NONE) {
        struct sf_wheel_node *node = &wheel->nodes[i];
        uint32_t next = node->next;
        wheel->due[wheel->end++] = node->event;
        differs |= node->event.time != time;
        node->next = wheel->first_free;
        wheel->first_free = i;
        wheel->n_ahead--;
        i = next;
    }
    return differs;
}

static uint64_t
time_of_place(const struct sf_wheel *wheel, uint32_t place)
{
    uint32_t class = 0;
    while (wheel->days[place][class] == SF_NONE) {
        class ++;
    }
    return wheel->nodes[wheel->days[place][class]].event.time;
}

/* Opens the next day that has events.  Mostly all have one time, and then
 * classes are sorted on their own. */
static void
open_day(struct sf_wheel *wheel)
{
    uint32_t mask = wheel->n_days - 1;
    uint32_t place = find_place(wheel, (uint32_t)(wheel->day + 1) & mask);
    uint64_t time = time_of_place(wheel, place);
    bool differs = false;

    for (uint32_t class = 0; class < SF_WHEEL_CLASSES; class ++) {
        uint32_t from = wheel->end;
        differs |= move_list(wheel, wheel->days[place][class], time);
        wheel->days[place][class] = SF_NONE;
        if (!(wheel->unordered >> class & 1)) {
            sort(wheel->due + from, wheel->end - from);
        }
    }
    if (differs) {
        sort(wheel->due, wheel->end);
    }
    wheel->is_used[place / 64] &= ~((uint64_t)1 << place % 64);
    wheel->day = time >> wheel->day_bits;
    wheel->is_sorted = true;
}

bool
sf_wheel_open(struct sf_wheel *wheel)
{
    if (wheel->head == wheel->end) {
        wheel->head = wheel->end = 0;
        if (wheel->n_ahead == 0) {
            return false;
        }
        open_day(wheel);
        return true;
    }
    wheel->end -= wheel->head;
    memmove(wheel->due, wheel->due + wheel->head,
            wheel->end * sizeof *wheel->due);
    wheel->head = 0;
    sort(wheel->due, wheel->end);
    wheel->is_sorted = true;
    return true;
}
