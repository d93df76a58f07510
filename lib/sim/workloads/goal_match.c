/* goal_match.c -- see goal_match.h. */
#include "sim/workloads/goal_match.h"

/* A send or a receive by what it is matched by. */
struct key {
    uint64_t pair; /* From and to. */
    uint32_t tag, index;
};

static int
compare_keys(const void *x, const void *y)
{
    const struct key *a = x, *b = y;

    if (a->pair != b->pair) {
        return a->pair < b->pair ? -1 : 1;
    }
    if (a->tag != b->tag) {
        return a->tag < b->tag ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

/* Sorts all by ranks and tags, and then as the file has them. */
static struct key *
sort_keys(const struct sf_goal_ends *ends)
{
    struct key *keys = sf_calloc(ends->n, sizeof *keys);

    for (size_t i = 0; keys && i < ends->n; i++) {
        const struct sf_goal_end *end = &ends->items[i];
        keys[i] = (struct key){ (uint64_t)end->from << 32 | end->to, end->tag,
                                (uint32_t)i };
    }
    if (keys) {
        qsort(keys, ends->n, sizeof *keys, compare_keys);
    }
    return keys;
}

static enum sf_status
fail_alone(const struct sf_goal_end *end, bool is_send, const char *path,
           struct sf_error *err)
{
    return is_send
               ? sf_fail(
                     err, SF_EPARSE,
                     "%s:%u: expected a recv in rank %u for this send from "
                     "rank %u with tag %u, found none",
                     path, end->line, end->to, end->from, end->tag)
               : sf_fail(err, SF_EPARSE,
                         "%s:%u: expected a send in rank %u for this recv in "
                         "rank %u with tag %u, found none",
                         path, end->line, end->from, end->to, end->tag);
}

/* Goes through both lists at once. */
static enum sf_status
match_keys(const struct sf_goal_ends *sends, const struct key *send_keys,
           struct sf_goal_ends *receives, const struct key *receive_keys,
           const char *path, struct sf_error *err)
{
    for (size_t i = 0; i < sends->n || i < receives->n; i++) {
        bool has_send = i < sends->n, has_receive = i < receives->n;
        int order = !has_send ? 1 : !has_receive ? -1 : 0;
        if (order == 0) {
            struct key key = receive_keys[i];
            key.index = send_keys[i].index;
            order = compare_keys(&send_keys[i], &key);
        }
        if (order < 0) {
            return fail_alone(&sends->items[send_keys[i].index], true, path,
                              err);
        }
        if (order > 0) {
            return fail_alone(&receives->items[receive_keys[i].index], false,
                              path, err);
        }
        receives->items[receive_keys[i].index].message =
            sends->items[send_keys[i].index].message;
    }
    return SF_OK;
}

enum sf_status
sf_goal_match(const struct sf_goal_ends *sends, struct sf_goal_ends *receives,
              const char *path, struct sf_error *err)
{
    struct key *send_keys = sort_keys(sends);
    struct key *receive_keys = sort_keys(receives);
    enum sf_status status =
        send_keys && receive_keys
            ? match_keys(sends, send_keys, receives, receive_keys, path, err)
            : sf_fail(err, SF_ENOMEM, "%s: out of memory for messages", path);

    free(send_keys);
    free(receive_keys);
    return status;
}
