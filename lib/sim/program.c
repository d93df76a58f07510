#include "sim/program.h"

#include <math.h>

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
sf_program_wait(struct sf_program *program, uint32_t before, uint32_t after)
{
    struct sf_wait wait = { before, after };
    return sf_vec_push(&program->waits, wait);
}

static enum sf_status
check_messages(const struct sf_program *program, uint32_t n_hosts,
               struct sf_error *err)
{
    for (size_t i = 0; i < program->messages.n; i++) {
        const struct sf_message *message = &program->messages.items[i];
        if (message->from >= n_hosts || message->to >= n_hosts ||
            message->from == message->to) {
            return sf_fail(err, SF_EINVAL,
                           "message %zu: from host %u to host %u, expected "
                           "two different ones of %u",
                           i, message->from, message->to, n_hosts);
        }
        if (message->bytes == 0 || !(message->delay >= 0) ||
            !isfinite(message->delay)) {
            return sf_fail(err, SF_EINVAL,
                           "message %zu: %llu bytes after %g seconds, "
                           "expected at least 1 byte and 0 seconds",
                           i, (unsigned long long)message->bytes,
                           message->delay);
        }
    }
    for (size_t i = 0; i < program->waits.n; i++) {
        const struct sf_wait *wait = &program->waits.items[i];
        if (wait->before >= program->messages.n ||
            wait->after >= program->messages.n) {
            return sf_fail(err, SF_EINVAL,
                           "message %u waits for message %u, and there are "
                           "%zu",
                           wait->after, wait->before, program->messages.n);
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

/* Whether all messages can run: removes those that wait for none that is
 * left (Kahn). */
static enum sf_status
check_circles(const struct sf_program *program, struct sf_error *err)
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
    for (uint32_t i = 0; status == SF_OK && n_done < n && i < n; i++) {
        if (left[i]) {
            status =
                sf_fail(err, SF_EINVAL,
                        "message %u waits for others that wait for it", i);
        }
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
    if (program->messages.n >= UINT32_MAX - 1 ||
        program->waits.n >= UINT32_MAX) {
        return sf_fail(err, SF_ELIMIT, "more messages than can be numbered");
    }
    enum sf_status status = check_messages(program, n_hosts, err);
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
