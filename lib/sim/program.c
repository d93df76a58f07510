#include "sim/program.h"

#include "slimfly/graph.h"

#include <math.h>

#define MAX_NUMBER (UINT32_MAX >> 1) /* Of a message. */

bool
sf_program_send(struct sf_program *program, uint32_t from, uint32_t to,
                uint64_t bytes, double delay)
{
    struct sf_message message = {
        .from = from, .to = to, .bytes = bytes, .delay = delay
    };
    return sf_vec_push(&program->messages, message);
}

bool
sf_program_compute(struct sf_program *program, uint32_t host, double seconds,
                   uint32_t cpu)
{
    struct sf_message message = {
        .from = host, .to = host, .delay = seconds, .cpu = (uint16_t)cpu
    };
    return sf_vec_push(&program->messages, message);
}

bool
sf_program_wait(struct sf_program *program, uint32_t before, uint32_t after)
{
    struct sf_wait wait = { before, after & MAX_NUMBER, false };
    return sf_vec_push(&program->waits, wait);
}

bool
sf_program_wait_start(struct sf_program *program, uint32_t before,
                      uint32_t after)
{
    struct sf_wait wait = { before, after & MAX_NUMBER, true };
    return sf_vec_push(&program->waits, wait);
}

static enum sf_status
check_sent(const struct sf_message *message, size_t number, uint32_t n_hosts,
           struct sf_error *err)
{
    if (message->from >= n_hosts || message->to >= n_hosts ||
        message->from == message->to) {
        return sf_fail(err, SF_EINVAL,
                       "message %zu: from host %u to host %u, expected "
                       "two different ones of %u",
                       number, message->from, message->to, n_hosts);
    }
    if (message->bytes == 0 || !(message->delay >= 0) ||
        !isfinite(message->delay)) {
        return sf_fail(err, SF_EINVAL,
                       "message %zu: %llu bytes after %g seconds, "
                       "expected at least 1 byte and 0 seconds",
                       number, (unsigned long long)message->bytes,
                       message->delay);
    }
    return SF_OK;
}

static enum sf_status
check_computed(const struct sf_message *message, size_t number,
               uint32_t n_hosts, struct sf_error *err)
{
    return message->from < n_hosts && message->delay >= 0 &&
                   isfinite(message->delay) && message->cpu <= SF_NO_CPU
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "computation %zu: %g seconds on CPU %u of host %u, "
                         "expected at least 0 seconds, a CPU below %d and a "
                         "host below %u",
                         number, message->delay, message->cpu, message->from,
                         SF_MAX_CPUS, n_hosts);
}

/* Checks all messages and finds how many CPUs hosts have. */
static enum sf_status
check_messages(struct sf_program *program, uint32_t n_hosts,
               struct sf_error *err)
{
    enum sf_status status = SF_OK;

    program->n_cpus = 1;
    for (size_t i = 0; status == SF_OK && i < program->messages.n; i++) {
        const struct sf_message *message = &program->messages.items[i];
        bool is_computed = message->bytes == 0 && message->from == message->to;
        status = is_computed ? check_computed(message, i, n_hosts, err)
                             : check_sent(message, i, n_hosts, err);
        if (message->cpu != SF_NO_CPU && message->cpu >= program->n_cpus) {
            program->n_cpus = message->cpu + 1u;
        }
    }
    return status;
}

/* Checks all waits; messages are fine. */
static enum sf_status
check_waits(const struct sf_program *program, struct sf_error *err)
{
    const struct sf_message *messages = program->messages.items;

    for (size_t i = 0; i < program->waits.n; i++) {
        const struct sf_wait *wait = &program->waits.items[i];
        if (wait->before >= program->messages.n ||
            wait->after >= program->messages.n) {
            return sf_fail(err, SF_EINVAL,
                           "message %u waits for message %u, and there are "
                           "%zu",
                           wait->after, wait->before, program->messages.n);
        }
        const struct sf_message *before = &messages[wait->before];
        bool is_local = wait->is_start || !sf_message_is_sent(before);
        if (is_local && messages[wait->after].from != before->from) {
            return sf_fail(err, SF_EINVAL,
                           "message %u of host %u waits for what host %u "
                           "does, expected a message from it",
                           wait->after, messages[wait->after].from,
                           before->from);
        }
    }
    return SF_OK;
}

/* Counting sort by 'before', which keeps the order otherwise. */
static bool
sort_waits(struct sf_program *program)
{
    size_t n = program->messages.n, n_waits = program->waits.n;
    struct sf_wait *sorted = sf_calloc(n_waits, sizeof *sorted);

    free(program->first);
    program->first = sf_calloc(n + 2, sizeof *program->first);
    if (!sorted || !program->first) {
        free(sorted);
        return false;
    }
    uint32_t *next = program->first + 1; /* Where to put the next one. */
    for (size_t i = 0; i < n_waits; i++) {
        next[program->waits.items[i].before + 1]++;
        program->messages.items[program->waits.items[i].after].n_waits++;
    }
    for (size_t i = 0; i < n; i++) {
        next[i + 1] += next[i];
    }
    for (size_t i = 0; i < n_waits; i++) {
        sorted[next[program->waits.items[i].before]++] =
            program->waits.items[i];
    }
    free(program->waits.items);
    program->waits.items = sorted;
    program->waits.capacity = n_waits;
    return true;
}

/* A message of a circle, where 'left' [messages] says how many each waits for
 * that cannot run: goes from one that cannot to one that it waits for, until
 * it must be in a circle.  SF_NONE: out of memory. */
static uint32_t
find_in_circle(const struct sf_program *program, const uint32_t *left)
{
    size_t n = program->messages.n;
    uint32_t *before = sf_calloc(n, sizeof *before);
    uint32_t m = SF_NONE;

    for (size_t i = 0; before && i < program->waits.n; i++) {
        const struct sf_wait *wait = &program->waits.items[i];
        if (left[wait->before] && left[wait->after]) {
            before[wait->after] = wait->before;
            m = wait->after;
        }
    }
    for (size_t i = 0; before && i < n; i++) {
        m = before[m];
    }
    free(before);
    return m;
}

/* Whether all messages can run: removes those that wait for none that is
 * left (Kahn). */
static enum sf_status
check_circles(struct sf_program *program, struct sf_error *err)
{
    size_t n = program->messages.n, n_done = 0, n_ready = 0;
    uint32_t *left = sf_calloc(n, sizeof *left);
    uint32_t *ready = sf_calloc(n, sizeof *ready);
    enum sf_status status = SF_OK;

    if (!left || !ready) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for messages");
        goto done;
    }
    for (uint32_t i = 0; i < n; i++) {
        left[i] = program->messages.items[i].n_waits;
        if (!left[i]) {
            ready[n_ready++] = i;
        }
    }
    while (n_done < n_ready) {
        uint32_t m = ready[n_done++];
        for (uint32_t i = program->first[m]; i < program->first[m + 1]; i++) {
            uint32_t after = program->waits.items[i].after;
            if (--left[after] == 0) {
                ready[n_ready++] = after;
            }
        }
    }
    if (n_done < n) {
        uint32_t m = find_in_circle(program, left);
        program->has_circle = m != SF_NONE;
        program->in_circle = m;
        status =
            m == SF_NONE
                ? sf_fail(err, SF_ENOMEM, "out of memory for messages")
                : sf_fail(err, SF_EINVAL,
                          "message %u waits for others that wait for it", m);
    }
done:
    free(ready);
    free(left);
    return status;
}

enum sf_status
sf_program_end(struct sf_program *program, uint32_t n_hosts,
               struct sf_error *err)
{
    if (program->messages.n >= MAX_NUMBER || program->waits.n >= UINT32_MAX) {
        return sf_fail(err, SF_ELIMIT, "more messages than can be numbered");
    }
    enum sf_status status = check_messages(program, n_hosts, err);
    if (status == SF_OK) {
        status = check_waits(program, err);
    }
    if (status == SF_OK && !sort_waits(program)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for messages");
    }
    if (status == SF_OK) {
        status = check_circles(program, err);
    }
    return status;
}

void
sf_program_clear(struct sf_program *program)
{
    free(program->messages.items);
    free(program->waits.items);
    free(program->first);
    *program = (struct sf_program){ 0 };
}
