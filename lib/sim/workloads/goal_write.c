/* goal_write.c -- writes a program as GOAL, rank by rank.
 *
 * Message i is "si" where it is sent and "ri" where it is received, and a
 * computation is "ci".  The tag counts the messages of a pair, so that any
 * reader matches them as they are meant. */
#include "sim/workloads/goal.h"
#include "slimfly/graph.h"
#include "slimfly/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What is to be written, by ranks. */
struct writer {
    const struct sf_program *program;
    FILE *stream;
    uint32_t n_ranks;
    uint32_t *rank_of;    /* [hosts that occur] SF_NONE: none. */
    uint32_t *tags;       /* [messages] */
    uint32_t *operations; /* [n_operations] Twice the message, and 1 more for
                           * its receive; by rank, then number. */
    size_t *first;        /* [n_ranks + 1] Into these. */
    uint32_t *first_wait; /* [messages + 1] Waits by who waits. */
    uint32_t *waits;      /* [waits] */
};

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for a program");
}

/* The rank of message 'm' as sender, or as receiver. */
static uint32_t
rank_of(const struct writer *writer, uint32_t m, bool is_receive)
{
    const struct sf_message *message = &writer->program->messages.items[m];
    return writer->rank_of[is_receive ? message->to : message->from];
}

static bool
number_ranks(struct writer *writer, const uint32_t *hosts)
{
    uint32_t n_hosts = 0;

    for (uint32_t i = 0; i < writer->n_ranks; i++) {
        n_hosts = hosts[i] >= n_hosts ? hosts[i] + 1 : n_hosts;
    }
    writer->rank_of = sf_calloc(n_hosts, sizeof *writer->rank_of);
    for (uint32_t i = 0; writer->rank_of && i < writer->n_ranks; i++) {
        writer->rank_of[hosts[i]] = i;
    }
    return writer->rank_of != NULL;
}

/* Sorts operations by ranks. */
static bool
sort_operations(struct writer *writer)
{
    const struct sf_program *program = writer->program;
    size_t n = program->messages.n;

    writer->first =
        sf_calloc((size_t)writer->n_ranks + 2, sizeof *writer->first);
    writer->operations = sf_calloc(2 * n, sizeof *writer->operations);
    if (!writer->first || !writer->operations) {
        return false;
    }
    size_t *next = writer->first + 1;
    for (uint32_t k = 0; k < 2 * n; k++) {
        if (k % 2 == 0 ||
            sf_message_is_sent(&program->messages.items[k / 2])) {
            next[rank_of(writer, k / 2, k % 2) + 1]++;
        }
    }
    for (uint32_t i = 0; i < writer->n_ranks; i++) {
        next[i + 1] += next[i];
    }
    for (uint32_t k = 0; k < 2 * n; k++) {
        if (k % 2 == 0 ||
            sf_message_is_sent(&program->messages.items[k / 2])) {
            writer->operations[next[rank_of(writer, k / 2, k % 2)]++] = k;
        }
    }
    return true;
}

/* Sorts waits by who waits. */
static bool
sort_waits(struct writer *writer)
{
    const struct sf_program *program = writer->program;
    size_t n = program->messages.n;

    writer->first_wait = sf_calloc(n + 2, sizeof *writer->first_wait);
    writer->waits = sf_calloc(program->waits.n, sizeof *writer->waits);
    if (!writer->first_wait || !writer->waits) {
        return false;
    }
    uint32_t *next = writer->first_wait + 1;
    for (size_t i = 0; i < program->waits.n; i++) {
        next[program->waits.items[i].after + 1]++;
    }
    for (size_t i = 0; i < n; i++) {
        next[i + 1] += next[i];
    }
    for (uint32_t i = 0; i < program->waits.n; i++) {
        writer->waits[next[program->waits.items[i].after]++] = i;
    }
    return true;
}

static int
compare_pairs(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1)
                        : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Counts the messages of each pair. */
static bool
find_tags(struct writer *writer)
{
    const struct sf_program *program = writer->program;
    size_t n = program->messages.n;
    uint64_t(*keys)[2] = sf_calloc(n, sizeof *keys);

    writer->tags = sf_calloc(n, sizeof *writer->tags);
    if (!keys || !writer->tags) {
        free(keys);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const struct sf_message *message = &program->messages.items[i];
        keys[i][0] = (uint64_t)message->from << 32 | message->to;
        keys[i][1] = i;
    }
    qsort(keys, n, sizeof *keys, compare_pairs);
    for (size_t i = 1; i < n; i++) {
        writer->tags[keys[i][1]] = keys[i][0] == keys[i - 1][0]
                                       ? writer->tags[keys[i - 1][1]] + 1
                                       : 0;
    }
    free(keys);
    return true;
}

/* Whether GOAL can say what message 'm' is. */
static enum sf_status
check_message(const struct sf_message *message, size_t m, struct sf_error *err)
{
    bool is_sent = sf_message_is_sent(message);

    return message->delay == 0 || (!is_sent && message->cpu != SF_NO_CPU)
               ? SF_OK
               : sf_fail(err, SF_EINVAL, "message %zu: GOAL has no %s", m,
                         is_sent ? "messages with a delay"
                                 : "time without a CPU");
}

/* Whether who waits takes part in what it waits for. */
static enum sf_status
check_wait(const struct sf_program *program, const struct sf_wait *wait,
           struct sf_error *err)
{
    const struct sf_message *before = &program->messages.items[wait->before];
    uint32_t host = program->messages.items[wait->after].from;

    return host == before->from || host == before->to
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "message %u waits for message %u of others, which "
                         "GOAL cannot say",
                         wait->after, wait->before);
}

static enum sf_status
check(const struct sf_program *program, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (size_t i = 0; status == SF_OK && i < program->messages.n; i++) {
        status = check_message(&program->messages.items[i], i, err);
    }
    for (size_t i = 0; status == SF_OK && i < program->waits.n; i++) {
        status = check_wait(program, &program->waits.items[i], err);
    }
    return status;
}

static void
write_operation(const struct writer *writer, uint32_t m, bool is_receive)
{
    const struct sf_message *message = &writer->program->messages.items[m];
    FILE *stream = writer->stream;

    if (!sf_message_is_sent(message)) {
        fprintf(stream, "c%u: calc %.0f", m, round(message->delay * 1e9));
    } else if (is_receive) {
        fprintf(stream, "r%u: recv %" PRIu64 "b from %u tag %u", m,
                message->bytes, rank_of(writer, m, false), writer->tags[m]);
    } else {
        fprintf(stream, "s%u: send %" PRIu64 "b to %u tag %u", m,
                message->bytes, rank_of(writer, m, true), writer->tags[m]);
    }
    if (!is_receive && message->cpu != SF_NO_CPU && message->cpu > 0) {
        fprintf(stream, " cpu %u", message->cpu);
    }
    fputc('\n', stream);
}

/* Writes what 'm' waits for. */
static void
write_waits(const struct writer *writer, uint32_t m)
{
    const struct sf_message *messages = writer->program->messages.items;
    char own = sf_message_is_sent(&messages[m]) ? 's' : 'c';

    for (uint32_t i = writer->first_wait[m]; i < writer->first_wait[m + 1];
         i++) {
        const struct sf_wait *wait =
            &writer->program->waits.items[writer->waits[i]];
        const struct sf_message *before = &messages[wait->before];
        bool is_own = before->from == messages[m].from;
        int other = !sf_message_is_sent(before) ? 'c' : is_own ? 's' : 'r';
        fprintf(writer->stream, "%c%u %s %c%u\n", own, m,
                wait->is_start ? "irequires" : "requires", other,
                wait->before);
    }
}

/* Operations first: labels stand above those who wait for them. */
static void
write_rank(const struct writer *writer, uint32_t rank)
{
    fprintf(writer->stream, "\nrank %u {\n", rank);
    for (size_t i = writer->first[rank]; i < writer->first[rank + 1]; i++) {
        uint32_t k = writer->operations[i];
        write_operation(writer, k / 2, k % 2);
    }
    for (size_t i = writer->first[rank]; i < writer->first[rank + 1]; i++) {
        uint32_t k = writer->operations[i];
        if (k % 2 == 0) {
            write_waits(writer, k / 2);
        }
    }
    fprintf(writer->stream, "}\n");
}

enum sf_status
sf_goal_write(const struct sf_program *program, const uint32_t *hosts,
              uint32_t n_ranks, FILE *stream, struct sf_error *err)
{
    struct writer writer = { .program = program,
                             .stream = stream,
                             .n_ranks = n_ranks };
    enum sf_status status = check(program, err);

    if (status == SF_OK &&
        (!number_ranks(&writer, hosts) || !sort_operations(&writer) ||
         !sort_waits(&writer) || !find_tags(&writer))) {
        status = fail_memory(err);
    }
    if (status == SF_OK) {
        fprintf(stream, "num_ranks %u\n", n_ranks);
    }
    for (uint32_t i = 0; status == SF_OK && i < n_ranks; i++) {
        sf_progress_report("writing a program", i, n_ranks);
        write_rank(&writer, i);
    }
    if (status == SF_OK && ferror(stream)) {
        status = sf_fail(err, SF_EIO, "a program cannot be written: %s",
                         strerror(errno));
    }
    free(writer.rank_of);
    free(writer.tags);
    free(writer.operations);
    free(writer.first);
    free(writer.first_wait);
    free(writer.waits);
    return status;
}
