/* test_wheel.c -- events in the order of their times, against a list that is
 * searched. */
#include "helpers.h"
#include "sim/wheel.h"
#include "slimfly/random.h"
#include "test.h"

#define MAX_LIST 500

/* Events in any order. */
struct list {
    uint32_t n;
    struct sf_event events[MAX_LIST];
};

static bool
is_before(const struct sf_event *a, const struct sf_event *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

/* Takes one out that is before all others; if its class is unordered, of equal
 * ones that with 'argument'. */
static struct sf_event
take_least(struct list *list, uint32_t unordered, uint32_t argument)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < list->n; i++) {
        if (is_before(&list->events[i], &list->events[least])) {
            least = i;
        }
    }
    uint32_t class = sf_event_class(&list->events[least]);
    uint64_t time = list->events[least].time;
    for (uint32_t i = 0; unordered >> class & 1 && i < list->n; i++) {
        if (list->events[i].time == time &&
            sf_event_class(&list->events[i]) == class &&
            list->events[i].argument == argument) {
            least = i;
        }
    }
    struct sf_event event = list->events[least];
    list->events[least] = list->events[--list->n];
    return event;
}

static void
add(struct sf_wheel *wheel, struct list *list, struct sf_event event)
{
    CHECK(sf_wheel_reserve(wheel, 1));
    sf_wheel_add(wheel, event.time, event.order, event.argument);
    list->events[list->n++] = event;
}

/* Takes the first event of both and returns its time. */
static uint64_t
take(struct sf_wheel *wheel, struct list *list)
{
    const struct sf_event *event = sf_wheel_first(wheel);

    CHECK(event != NULL);
    struct sf_event expected =
        take_least(list, wheel->unordered, event->argument);
    CHECK_EQ(event->time, expected.time);
    CHECK_EQ(event->order, expected.order);
    CHECK_EQ(event->argument, expected.argument);
    sf_wheel_take(wheel, 1);
    sf_wheel_advance(wheel, expected.time);
    return expected.time;
}

static void
compare_with_list(uint32_t seed)
{
    static struct list list;
    struct sf_wheel wheel;
    struct sf_random random;
    uint64_t now = 0;

    sf_random_init(&random, seed, 0);
    uint32_t ahead = 1u << sf_random_below(&random, 20);
    CHECK(sf_wheel_build(&wheel, ahead, 1u << sf_random_below(&random, 12),
                         sf_random_below(&random, 16)));
    list.n = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        bool grows =
            sf_random_below(&random, 100) < (i % 1000 < 500 ? 60 : 40);
        if (grows && list.n < MAX_LIST) {
            uint32_t delay = sf_random_below(&random, ahead + 1);
            delay = sf_random_below(&random, 4) ? delay : 0;
            uint32_t order = (uint32_t)sf_random_next(&random);
            add(&wheel, &list, (struct sf_event){ now + delay, order, i });
        } else if (list.n > 0) {
            now = take(&wheel, &list);
        } else {
            now += sf_random_below(&random, 3 * ahead);
            sf_wheel_advance(&wheel, now);
        }
        CHECK_EQ(wheel.n, list.n);
    }
    while (list.n > 0) {
        take(&wheel, &list);
    }
    CHECK(sf_wheel_first(&wheel) == NULL);
    sf_wheel_clear(&wheel);
}

TEST(wheel_gives_events_in_order)
{
    for (uint32_t seed = 0; seed < 60; seed++) {
        compare_with_list(seed);
    }
}
