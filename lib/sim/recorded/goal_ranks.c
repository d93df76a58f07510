/* goal_ranks.c -- see goal_ranks.h.
 *
 * What a rank does next waits for one operation at most: for its end, or, if
 * the call returned before that, for its start.  What was waited for beside
 * that, with MPI_Waitall() for example, is kept until the next operation and
 * joined there.  Receives that were only posted are in nobody's way, so
 * nothing waits for their start. */
#include "sim/recorded/goal_ranks.h"

#include "sim/recorded/collectives.h"
#include "slimfly/graph.h"

#include <inttypes.h>

/* What something waits for. */
struct point {
    uint32_t label; /* SF_NONE: nothing. */
    bool is_start;
};

static const struct point nothing = { SF_NONE, false };

struct rank {
    struct sf_goal_ranks *all;
    const struct sf_trace *trace;
    uint32_t n_labels;
    struct point now;       /* What the next operation waits for, */
    SF_VEC(uint32_t) also;  /* and what besides. */
    struct point *requests; /* [requests] What who waits for them waits for. */

    /* Of the collective under way: */
    uint32_t comm, tag;
    struct point round;     /* What this round waits for, */
    SF_VEC(uint32_t) next;  /* and the next one. */
    struct point last_send; /* If the next one has nothing else. */
};

static void
write_wait(const struct rank *rank, uint32_t label, struct point point)
{
    if (rank->all->stream && point.label != SF_NONE) {
        fprintf(rank->all->stream, "l%" PRIu32 " %s l%" PRIu32 "\n", label,
                point.is_start ? "irequires" : "requires", point.label);
    }
}

/* Writes that 'label' waits for 'point' and all of 'labels'. */
static void
write_waits(const struct rank *rank, uint32_t label, struct point point,
            const uint32_t *labels, size_t n)
{
    write_wait(rank, label, point);
    for (size_t i = 0; i < n; i++) {
        write_wait(rank, label, (struct point){ labels[i], false });
    }
}

static uint32_t
write_calc(struct rank *rank, uint64_t nanoseconds)
{
    uint32_t label = rank->n_labels++;

    if (rank->all->stream) {
        fprintf(rank->all->stream, "l%" PRIu32 ": calc %" PRIu64 "\n", label,
                nanoseconds);
    }
    return label;
}

/* Lets 'label' wait for all that the rank has to wait for. */
static void
write_after(struct rank *rank, uint32_t label)
{
    write_waits(rank, label, rank->now, rank->also.items, rank->also.n);
    rank->also.n = 0;
}

/* What the next operation waits for, as one point. */
static struct point
settle(struct rank *rank)
{
    if (rank->also.n == 1 && rank->now.label == SF_NONE) {
        rank->now = (struct point){ rank->also.items[0], false };
        rank->also.n = 0;
    } else if (rank->also.n > 0) {
        uint32_t label = write_calc(rank, 0);
        write_after(rank, label);
        rank->now = (struct point){ label, false };
    }
    return rank->now;
}

/* The number that stands for the communicator and tag of 'key'. */
static struct sf_channel *
find_tag(struct rank *rank, struct sf_channel_key key)
{
    key.from = key.to = 0;
    return sf_channels_get(&rank->all->tags, &key);
}

/* Counts an end of a message; sets '*is_keptp' to whether it has another. */
static bool
pass_channel(struct rank *rank, struct sf_channel_key key, bool is_send,
             bool *is_keptp)
{
    struct sf_channel *channel = sf_channels_get(&rank->all->channels, &key);

    if (!channel) {
        return false;
    }
    if (rank->all->stream) {
        uint64_t k = channel->n_passed[is_send]++;
        *is_keptp = k < channel->n_ends[0] && k < channel->n_ends[1];
        rank->all->recording->n_lost += !*is_keptp;
    } else {
        channel->n_ends[is_send]++;
        *is_keptp = true;
    }
    return true;
}

static void
count_send(struct rank *rank, uint64_t bytes)
{
    if (rank->all->stream) {
        rank->all->recording->n_messages++;
        rank->all->recording->n_bytes += bytes;
    }
}

/* Writes one end of a message, which waits for 'after'; its label, SF_NONE if
 * it has no other end, in '*labelp'. */
static bool
write_end(struct rank *rank, bool is_send, uint32_t comm, uint32_t peer,
          uint32_t tag, uint64_t bytes, struct point after, uint32_t *labelp)
{
    uint32_t me = rank->trace->rank;
    struct sf_channel_key key = { rank->trace->comms.items[comm].name, tag,
                                  is_send ? me : peer, is_send ? peer : me };
    bool is_kept;

    *labelp = SF_NONE;
    if (!pass_channel(rank, key, is_send, &is_kept)) {
        return false;
    }
    const struct sf_channel *known = find_tag(rank, key);
    if (!known || !is_kept) {
        return known != NULL;
    }
    *labelp = rank->n_labels++;
    if (is_send) {
        count_send(rank, bytes);
    }
    if (rank->all->stream) {
        fprintf(rank->all->stream,
                "l%" PRIu32 ": %s %" PRIu64 "b %s %" PRIu32 " tag %" PRIu32
                "\n",
                *labelp, is_send ? "send" : "recv", bytes,
                is_send ? "to" : "from", peer, known->number);
    }
    write_wait(rank, *labelp, after);
    return true;
}

/* What waits for a send of 'bytes' waits for. */
static struct point
after_send(const struct rank *rank, uint32_t label, uint64_t bytes)
{
    return (struct point){ label, bytes <= rank->all->params->eager };
}

static bool
add_message(struct rank *rank, const struct sf_trace_record *record)
{
    bool is_send =
        record->kind == SF_TRACE_SEND || record->kind == SF_TRACE_ISEND;
    bool is_request =
        record->kind == SF_TRACE_ISEND || record->kind == SF_TRACE_IRECV;
    uint32_t label;

    if (record->is_void) {
        return true;
    }
    if (!write_end(rank, is_send, record->comm, record->peer, record->tag,
                   record->amount, settle(rank), &label)) {
        return false;
    }
    if (label == SF_NONE) {
        return true;
    }
    struct point end = is_send ? after_send(rank, label, record->amount)
                               : (struct point){ label, false };
    if (is_request) {
        rank->requests[record->request] = end;
        rank->now = is_send ? (struct point){ label, true } : rank->now;
    } else {
        rank->now = end;
    }
    return true;
}

/* Waits for 'point' from now on.  A start that is waited for was before. */
static bool
wait_for(struct rank *rank, struct point point)
{
    return point.label == SF_NONE || point.is_start ||
           sf_vec_push(&rank->also, point.label);
}

static bool
add_compute(struct rank *rank, const struct sf_trace_record *record)
{
    double scaled =
        (double)record->amount * rank->all->params->compute_scale + 0.5;

    if (scaled < 1) {
        return true;
    }
    uint64_t nanoseconds =
        scaled < 1e18 ? (uint64_t)scaled : UINT64_C(1000000000000000000);
    uint32_t label = write_calc(rank, nanoseconds);
    write_after(rank, label);
    rank->now = (struct point){ label, false };
    if (rank->all->stream) {
        rank->all->recording->compute += (double)nanoseconds * 1e-9;
    }
    return true;
}

/* Takes a message of the collective under way; 'peer' is of the world. */
static bool
add_part(struct rank *rank, bool is_send, uint32_t peer, uint64_t bytes)
{
    uint32_t label;

    if (!write_end(rank, is_send, rank->comm, peer, rank->tag, bytes,
                   rank->round, &label)) {
        return false;
    }
    if (label == SF_NONE) {
        return true;
    }
    struct point end = is_send ? after_send(rank, label, bytes)
                               : (struct point){ label, false };
    if (end.is_start) {
        rank->last_send = end;
        return true;
    }
    return sf_vec_push(&rank->next, label);
}

static bool
take_part(void *aux, bool is_send, uint32_t peer, uint64_t bytes)
{
    struct rank *rank = aux;
    const struct sf_trace_comm *comm = &rank->trace->comms.items[rank->comm];

    return add_part(rank, is_send,
                    rank->trace->ranks.items[comm->first + peer], bytes);
}

static bool
end_round(void *aux)
{
    struct rank *rank = aux;

    if (rank->next.n == 1) {
        rank->round = (struct point){ rank->next.items[0], false };
    } else if (rank->next.n > 1) {
        uint32_t label = write_calc(rank, 0);
        write_waits(rank, label, nothing, rank->next.items, rank->next.n);
        rank->round = (struct point){ label, false };
    } else if (rank->last_send.label != SF_NONE) {
        rank->round = rank->last_send;
    }
    rank->next.n = 0;
    rank->last_send = nothing;
    return true;
}

/* Ends a collective or an exchange, whose last round is over. */
static void
end_together(struct rank *rank, const struct sf_trace_record *record)
{
    if (record->is_request) {
        rank->requests[record->request] = rank->round;
    } else {
        rank->now = rank->round;
    }
}

static void
begin_together(struct rank *rank, const struct sf_trace_record *record,
               uint32_t tag)
{
    rank->comm = record->comm;
    rank->tag = tag;
    rank->round = settle(rank);
    rank->last_send = nothing;
}

static bool
add_collective(struct rank *rank, const struct sf_trace_record *record)
{
    const struct sf_trace_comm *comm = &rank->trace->comms.items[record->comm];
    struct sf_collective call = {
        .kind = (enum sf_collective_kind)record->collective,
        .me = comm->me,
        .n = comm->n,
        .root = record->peer,
        .bytes = rank->trace->values.items + record->first,
    };
    struct sf_collective_sink sink = { take_part, end_round, rank };

    begin_together(rank, record, SF_TAG_COLLECTIVE);
    if (!sf_collective_expand(&call, &sink)) {
        return false;
    }
    end_together(rank, record);
    return true;
}

/* Takes 'n' messages to or from the ranks that 'pairs' name. */
static bool
add_pairs(struct rank *rank, bool is_send, const uint64_t *pairs, uint32_t n)
{
    bool is_fine = true;

    for (uint32_t i = 0; is_fine && i < n; i++) {
        is_fine = add_part(rank, is_send, (uint32_t)pairs[2 * (size_t)i],
                           pairs[2 * (size_t)i + 1]);
    }
    return is_fine;
}

static bool
add_exchange(struct rank *rank, const struct sf_trace_record *record)
{
    const uint64_t *pairs = rank->trace->values.items + record->first;

    begin_together(rank, record, SF_TAG_EXCHANGE);
    if (!add_pairs(rank, true, pairs, record->n) ||
        !add_pairs(rank, false, pairs + 2 * (size_t)record->n,
                   record->n_inward) ||
        !end_round(rank)) {
        return false;
    }
    end_together(rank, record);
    return true;
}

static bool
add_record(struct rank *rank, const struct sf_trace_record *record)
{
    switch ((enum sf_trace_kind)record->kind) {
    case SF_TRACE_COMPUTE:
        return add_compute(rank, record);
    case SF_TRACE_SEND:
    case SF_TRACE_RECV:
    case SF_TRACE_ISEND:
    case SF_TRACE_IRECV:
        return add_message(rank, record);
    case SF_TRACE_DONE:
        return wait_for(rank, rank->requests[record->request]);
    case SF_TRACE_COLLECTIVE:
        return add_collective(rank, record);
    case SF_TRACE_EXCHANGE:
        return add_exchange(rank, record);
    case SF_TRACE_END:
    case SF_TRACE_COMM:
    case SF_TRACE_GOT:
    case SF_TRACE_CANCEL:
    case SF_TRACE_SKIP:
    case SF_TRACE_FINISH:
    case SF_N_TRACE_KINDS:
    default:
        return true;
    }
}

bool
sf_goal_ranks_add(struct sf_goal_ranks *ranks, const struct sf_trace *trace)
{
    struct rank rank = { .all = ranks, .trace = trace, .now = nothing };
    bool is_fine = true;

    rank.requests = sf_calloc(trace->requests.n, sizeof *rank.requests);
    if (!rank.requests) {
        return false;
    }
    for (size_t i = 0; i < trace->requests.n; i++) {
        rank.requests[i] = nothing;
    }
    if (ranks->stream) {
        fprintf(ranks->stream, "\nrank %" PRIu32 " {\n", trace->rank);
    }
    for (size_t i = 0; is_fine && i < trace->records.n; i++) {
        is_fine = add_record(&rank, &trace->records.items[i]);
    }
    if (ranks->stream) {
        fputs("}\n", ranks->stream);
    }
    free(rank.requests);
    free(rank.also.items);
    free(rank.next.items);
    return is_fine;
}
