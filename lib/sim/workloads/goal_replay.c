/* goal_replay.c -- see goal_replay.h. */
#include "sim/workloads/goal_replay.h"

#include "sim/heap.h"
#include "slimfly/graph.h"

#include <math.h>

/* An operation waits for another. */
struct edge {
    uint32_t after;
    bool is_start;
};

/* Those who wait, in their order; SF_NONE. */
struct queue {
    uint32_t first, last;
};

/* Operations are the messages and computations, then the receives. */
struct replay {
    const struct sf_goal_read *read;
    struct sf_goal_ends *receives;
    uint32_t n_steps, n; /* Without and with the receives. */
    uint32_t *first;     /* [n + 1] Edges of each operation. */
    struct edge *edges;
    uint32_t *n_waits;    /* [n] */
    double *ready;        /* [n] */
    uint32_t *send_of;    /* [n_steps] Index of a send; SF_NONE: none. */
    struct sf_heap heap;  /* Operations that will be ready, by time. */
    struct queue *posted; /* [n_ranks] Receives that wait for a message, */
    struct queue *came;   /* [n_ranks] and messages for a receive. */
    uint32_t *next_receive, *next_send; /* [receives], [sends] */
    bool *is_matched;                   /* [receives] */
};

bool
sf_goal_is_open(const struct sf_goal_ends *receives)
{
    for (size_t i = 0; i < receives->n; i++) {
        if (receives->items[i].from == SF_GOAL_ANY ||
            receives->items[i].tag == SF_GOAL_ANY) {
            return true;
        }
    }
    return false;
}

static void
clear(struct replay *replay)
{
    free(replay->first);
    free(replay->edges);
    free(replay->n_waits);
    free(replay->ready);
    free(replay->send_of);
    sf_heap_clear(&replay->heap);
    free(replay->posted);
    free(replay->came);
    free(replay->next_receive);
    free(replay->next_send);
    free(replay->is_matched);
}

static uint32_t *
none(size_t n)
{
    uint32_t *numbers = sf_calloc(n, sizeof *numbers);

    for (size_t i = 0; numbers && i < n; i++) {
        numbers[i] = SF_NONE;
    }
    return numbers;
}

/* The number here of what a wait names. */
static uint32_t
number_of(const struct replay *replay, uint32_t named)
{
    return named & SF_GOAL_RECEIVE
               ? replay->n_steps + (named & ~SF_GOAL_RECEIVE)
               : named - replay->read->base;
}

/* Wait number 'i' of all. */
static struct sf_goal_wait
wait_at(const struct replay *replay, size_t i)
{
    const struct sf_program *program = replay->read->program;
    size_t n = program->waits.n - replay->read->first_wait;

    if (i >= n) {
        return replay->read->waits->items[i - n];
    }
    const struct sf_wait *wait =
        &program->waits.items[replay->read->first_wait + i];
    return (struct sf_goal_wait){ wait->before, wait->after, wait->is_start };
}

/* Sorts waits by what they wait for. */
static bool
sort_edges(struct replay *replay)
{
    const struct sf_goal_read *read = replay->read;
    size_t n = read->program->waits.n - read->first_wait + read->waits->n;

    replay->first = sf_calloc((size_t)replay->n + 2, sizeof *replay->first);
    replay->edges = sf_calloc(n, sizeof *replay->edges);
    if (!replay->first || !replay->edges) {
        return false;
    }
    uint32_t *next = replay->first + 1;
    for (size_t i = 0; i < n; i++) {
        struct sf_goal_wait wait = wait_at(replay, i);
        next[number_of(replay, wait.before) + 1]++;
        replay->n_waits[number_of(replay, wait.after)]++;
    }
    for (uint32_t i = 0; i < replay->n; i++) {
        next[i + 1] += next[i];
    }
    for (size_t i = 0; i < n; i++) {
        struct sf_goal_wait wait = wait_at(replay, i);
        replay->edges[next[number_of(replay, wait.before)]++] =
            (struct edge){ number_of(replay, wait.after), wait.is_start };
    }
    return true;
}

static bool
set_up(struct replay *replay)
{
    const struct sf_goal_read *read = replay->read;

    replay->n_steps = (uint32_t)(read->program->messages.n - read->base);
    replay->n = replay->n_steps + (uint32_t)replay->receives->n;
    replay->n_waits = sf_calloc(replay->n, sizeof *replay->n_waits);
    replay->ready = sf_calloc(replay->n, sizeof *replay->ready);
    replay->send_of = none(replay->n_steps);
    replay->posted = sf_calloc(read->n_ranks, sizeof *replay->posted);
    replay->came = sf_calloc(read->n_ranks, sizeof *replay->came);
    replay->next_receive = none(replay->receives->n);
    replay->next_send = none(read->sends->n);
    replay->is_matched =
        sf_calloc(replay->receives->n, sizeof *replay->is_matched);
    if (!replay->n_waits || !replay->ready || !replay->send_of ||
        !replay->posted || !replay->came || !replay->next_receive ||
        !replay->next_send || !replay->is_matched || !sort_edges(replay) ||
        !sf_heap_reserve(&replay->heap, replay->n)) {
        return false;
    }
    for (uint32_t r = 0; r < read->n_ranks; r++) {
        replay->posted[r] = replay->came[r] =
            (struct queue){ SF_NONE, SF_NONE };
    }
    for (uint32_t i = 0; i < read->sends->n; i++) {
        replay->send_of[read->sends->items[i].message - read->base] = i;
    }
    return true;
}

/* Those who wait for the start or the end of 'op' need not after 'time'. */
static void
let_go(struct replay *replay, uint32_t op, bool is_start, double time)
{
    for (uint32_t i = replay->first[op]; i < replay->first[op + 1]; i++) {
        uint32_t after = replay->edges[i].after;
        if (replay->edges[i].is_start == is_start) {
            replay->ready[after] = fmax(replay->ready[after], time);
            if (--replay->n_waits[after] == 0) {
                sf_heap_set(&replay->heap, after, replay->ready[after]);
            }
        }
    }
}

static bool
is_match(const struct sf_goal_end *send, const struct sf_goal_end *receive)
{
    return (receive->from == SF_GOAL_ANY || receive->from == send->from) &&
           (receive->tag == SF_GOAL_ANY || receive->tag == send->tag);
}

static void
match(struct replay *replay, uint32_t send, uint32_t receive, double time)
{
    replay->receives->items[receive].message =
        replay->read->sends->items[send].message;
    replay->is_matched[receive] = true;
    let_go(replay, replay->n_steps + receive, false, time);
}

static void
append(struct queue *queue, uint32_t *next, uint32_t i)
{
    if (queue->first == SF_NONE) {
        queue->first = i;
    } else {
        next[queue->last] = i;
    }
    queue->last = i;
}

/* Takes out the number after 'before', or the first if that is SF_NONE. */
static void
take_out(struct queue *queue, uint32_t *next, uint32_t before, uint32_t i)
{
    if (before == SF_NONE) {
        queue->first = next[i];
    } else {
        next[before] = next[i];
    }
    if (queue->last == i) {
        queue->last = before;
    }
}

/* A message has come: finds a receive, or waits for one. */
static void
come(struct replay *replay, uint32_t send, double time)
{
    const struct sf_goal_end *end = &replay->read->sends->items[send];
    struct queue *posted = &replay->posted[end->to];
    uint32_t *next = replay->next_receive;
    uint32_t before = SF_NONE, i = posted->first;

    while (i != SF_NONE && !is_match(end, &replay->receives->items[i])) {
        before = i;
        i = next[i];
    }
    if (i == SF_NONE) {
        append(&replay->came[end->to], replay->next_send, send);
    } else {
        take_out(posted, next, before, i);
        match(replay, send, i, time);
    }
}

/* A receive is posted: finds a message, or waits for one. */
static void
post(struct replay *replay, uint32_t receive, double time)
{
    const struct sf_goal_end *end = &replay->receives->items[receive];
    struct queue *came = &replay->came[end->to];
    uint32_t *next = replay->next_send;
    uint32_t before = SF_NONE, i = came->first;

    while (i != SF_NONE && !is_match(&replay->read->sends->items[i], end)) {
        before = i;
        i = next[i];
    }
    if (i == SF_NONE) {
        append(&replay->posted[end->to], replay->next_receive, receive);
    } else {
        take_out(came, next, before, i);
        match(replay, i, receive, time);
    }
}

static void
run_operation(struct replay *replay, uint32_t op)
{
    double time = replay->ready[op];

    let_go(replay, op, true, time);
    if (op >= replay->n_steps) {
        post(replay, op - replay->n_steps, time);
        return;
    }
    const struct sf_message *message =
        &replay->read->program->messages.items[replay->read->base + op];
    if (replay->send_of[op] != SF_NONE) {
        come(replay, replay->send_of[op], time);
    } else {
        time += message->delay;
    }
    let_go(replay, op, false, time);
}

static void
run_all(struct replay *replay)
{
    for (uint32_t i = 0; i < replay->n; i++) {
        if (replay->n_waits[i] == 0) {
            sf_heap_set(&replay->heap, i, 0);
        }
    }
    while (replay->heap.n > 0) {
        uint32_t op = sf_heap_first(&replay->heap);
        sf_heap_remove(&replay->heap, op);
        run_operation(replay, op);
    }
}

/* Whether all found each other. */
static enum sf_status
check(const struct replay *replay, struct sf_error *err)
{
    const struct sf_goal_ends *receives = replay->receives;

    for (size_t i = 0; i < receives->n; i++) {
        if (!replay->is_matched[i]) {
            return sf_fail(err, SF_EPARSE,
                           "%s:%u: expected a send for this recv in rank %u, "
                           "found none that comes to it",
                           replay->read->path, receives->items[i].line,
                           receives->items[i].to);
        }
    }
    for (uint32_t r = 0; r < replay->read->n_ranks; r++) {
        if (replay->came[r].first != SF_NONE) {
            const struct sf_goal_end *end =
                &replay->read->sends->items[replay->came[r].first];
            return sf_fail(err, SF_EPARSE,
                           "%s:%u: expected a recv in rank %u for this send "
                           "from rank %u with tag %u, found none",
                           replay->read->path, end->line, r, end->from,
                           end->tag);
        }
    }
    return SF_OK;
}

enum sf_status
sf_goal_replay(const struct sf_goal_read *read, struct sf_goal_ends *receives,
               struct sf_error *err)
{
    struct replay replay = { .read = read, .receives = receives };
    enum sf_status status;

    if (set_up(&replay)) {
        run_all(&replay);
        status = check(&replay, err);
    } else {
        status = sf_fail(err, SF_ENOMEM, "%s: out of memory for messages",
                         read->path);
    }
    clear(&replay);
    return status;
}
