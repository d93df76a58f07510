/* goal_flows.c -- who sends how much to whom in a program in GOAL. */
#include "base/mem.h"
#include "sim/workloads/goal.h"
#include "slimfly/simulation.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* What a node sends to another. */
struct amount {
    uint32_t from, to;
    uint64_t bytes;
};

static int
compare_amounts(const void *a, const void *b)
{
    const struct amount *x = a, *y = b;

    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    return (x->to > y->to) - (x->to < y->to);
}

/* Lists the messages of 'program' between nodes in 'amounts', those of a pair
 * added up; how many pairs there are. */
static size_t
add_up(const struct sf_program *program, uint32_t per_node,
       struct amount *amounts)
{
    size_t n = 0, n_pairs = 0;

    for (size_t i = 0; i < program->messages.n; i++) {
        const struct sf_message *message = &program->messages.items[i];
        uint32_t from = message->from / per_node, to = message->to / per_node;
        if (from != to && sf_message_is_sent(message)) {
            amounts[n++] = (struct amount){ from, to, message->bytes };
        }
    }
    qsort(amounts, n, sizeof *amounts, compare_amounts);
    for (size_t i = 0; i < n; i++) {
        struct amount *last = n_pairs ? &amounts[n_pairs - 1] : NULL;
        if (last && !compare_amounts(last, &amounts[i])) {
            last->bytes += amounts[i].bytes;
        } else {
            amounts[n_pairs++] = amounts[i];
        }
    }
    return n_pairs;
}

static enum sf_status
write_amounts(const struct amount *amounts, size_t n, FILE *stream,
              struct sf_error *err)
{
    fputs("source,destination,amount\n", stream);
    for (size_t i = 0; i < n; i++) {
        fprintf(stream, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 "\n",
                amounts[i].from, amounts[i].to, amounts[i].bytes);
    }
    return ferror(stream)
               ? sf_fail(err, SF_EIO, "cannot write: %s", strerror(errno))
               : SF_OK;
}

/* Reads the program of 'n_ranks' ranks; rank i runs on host i. */
static enum sf_status
read_program(const char *path, uint32_t n_ranks, struct sf_program *program,
             struct sf_error *err)
{
    uint32_t *hosts = sf_calloc(n_ranks, sizeof *hosts);

    if (!hosts) {
        return sf_fail(err, SF_ENOMEM, "%s: out of memory", path);
    }
    for (uint32_t i = 0; i < n_ranks; i++) {
        hosts[i] = i;
    }
    enum sf_status status = sf_goal_read(path, hosts, n_ranks, program, err);
    free(hosts);
    return status;
}

enum sf_status
sf_goal_write_ranks(const char *path, uint32_t per_node, FILE *stream,
                    uint32_t *n_nodesp, struct sf_error *err)
{
    struct sf_program program = { 0 };
    struct amount *amounts = NULL;
    uint32_t n_ranks;
    enum sf_status status = sf_goal_count(path, &n_ranks, err);

    per_node = per_node ? per_node : 1;
    *n_nodesp = 0;
    if (status == SF_OK) {
        status = read_program(path, n_ranks, &program, err);
    }
    if (status == SF_OK) {
        amounts = sf_calloc(program.messages.n, sizeof *amounts);
        status = amounts ? SF_OK
                         : sf_fail(err, SF_ENOMEM, "%s: out of memory", path);
    }
    if (status == SF_OK) {
        size_t n = add_up(&program, per_node, amounts);
        *n_nodesp = (n_ranks - 1) / per_node + 1;
        status = n ? write_amounts(amounts, n, stream, err)
                   : sf_fail(err, SF_EINVAL,
                             "%s: nothing is sent between nodes of %u rank%s",
                             path, per_node, per_node == 1 ? "" : "s");
    }
    free(amounts);
    sf_program_clear(&program);
    return status;
}
