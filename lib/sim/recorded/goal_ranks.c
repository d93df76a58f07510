/* goal_ranks.c -- see goal_ranks.h.
 *
 * What a rank does next waits for one operation at most: for its end, or, if
 * the call returned before that, for its start.  What was waited for beside
 * that, with MPI_Waitall() for example, is kept until the next operation and
 * joined there.  Receives that were only posted are in nobody's way, so
 * nothing waits for their start. */
#include "sim/recorded/goal_ranks.h"

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
    struct point round;      /* What this round waits for, */
    SF_VEC(uint32_t) next;   /* and the next one. */
    struct point last_send;  /* If the next one has nothing else. */
    SF_VEC(uint32_t) labels; /* Of its steps. */
    struct sf_error *err;
};

static enum sf_status
fail_memory(struct sf_error *err, uint32_t rank)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for rank %" PRIu32, rank);
}

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

/* Joins what the collective did last. */
static void
end_round(struct rank *rank)
{
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

/* Writes the steps of 'plan', whose ranks count from 'root'. */
static bool
write_steps(struct rank *rank, const struct sf_call_plan *plan, uint32_t root)
{
    const struct sf_trace_comm *comm = &rank->trace->comms.items[rank->comm];
    bool is_fine = true;

    rank->labels.n = 0;
    for (size_t i = 0; is_fine && i < plan->steps.n; i++) {
        const struct sf_call_step *step = &plan->steps.items[i];
        uint32_t peer = (uint32_t)(((uint64_t)step->peer + root) % comm->n);
        struct point after = step->waits ? nothing : rank->round;
        uint32_t label;
        if (step->kind == SF_STEP_JOIN) {
            label = write_calc(rank, 0);
            write_wait(rank, label, after);
        } else {
            is_fine = write_end(rank, step->kind == SF_STEP_SEND, rank->comm,
                                rank->trace->ranks.items[comm->first + peer],
                                rank->tag, step->bytes, after, &label);
        }
        is_fine = is_fine && sf_vec_push(&rank->labels, label);
    }
    return is_fine;
}

/* What waits for step 'i' of 'plan' waits for.  One that has no other end is
 * over when the collective starts. */
static struct point
after_step(const struct rank *rank, const struct sf_call_plan *plan, size_t i)
{
    const struct sf_call_step *step = &plan->steps.items[i];
    uint32_t label = rank->labels.items[i];

    return label == SF_NONE             ? rank->round
           : step->kind == SF_STEP_SEND ? after_send(rank, label, step->bytes)
                                        : (struct point){ label, false };
}

static void
write_plan_waits(const struct rank *rank, const struct sf_call_plan *plan)
{
    for (size_t i = 0; i < plan->waits.n; i++) {
        const struct sf_wait *wait = &plan->waits.items[i];
        struct point before = after_step(rank, plan, wait->before);
        uint32_t label = rank->labels.items[wait->after];
        before.is_start = before.is_start || wait->is_start;
        if (label != SF_NONE) {
            write_wait(rank, label, before);
        }
    }
}

/* Notes what no step waits for: these are the last ones. */
static bool
find_last(struct rank *rank, const struct sf_call_plan *plan)
{
    bool is_fine = true;

    for (size_t i = 0; is_fine && i < plan->steps.n; i++) {
        struct point point = after_step(rank, plan, i);
        if (plan->steps.items[i].is_awaited ||
            rank->labels.items[i] == SF_NONE) {
            continue;
        }
        if (point.is_start) {
            rank->last_send = point;
        } else {
            is_fine = sf_vec_push(&rank->next, point.label);
        }
    }
    return is_fine;
}

/* The numbers of a record; NULL if it has none. */
static const uint64_t *
find_values(const struct rank *rank, const struct sf_trace_record *record)
{
    return record->n + record->n_inward > 0
               ? rank->trace->values.items + record->first
               : NULL;
}

static bool
add_collective(struct rank *rank, const struct sf_trace_record *record)
{
    const struct sf_trace_comm *comm = &rank->trace->comms.items[record->comm];
    uint32_t root = record->peer;
    struct sf_call call = {
        .kind = (enum sf_call_kind)record->collective,
        .me = comm->me >= root ? comm->me - root : comm->me + comm->n - root,
        .n = comm->n,
        .bytes = find_values(rank, record),
    };
    const struct sf_call_plan *plan;

    if (sf_calls_plan(&rank->all->calls, &call, &plan, rank->err) != SF_OK) {
        return false;
    }
    begin_together(rank, record, SF_TAG_COLLECTIVE);
    if (!write_steps(rank, plan, root)) {
        return false;
    }
    if (rank->labels.items) { /* There are steps. */
        write_plan_waits(rank, plan);
        if (!find_last(rank, plan)) {
            return false;
        }
    }
    end_round(rank);
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
    const uint64_t *pairs = find_values(rank, record);

    begin_together(rank, record, SF_TAG_EXCHANGE);
    if (pairs && (!add_pairs(rank, true, pairs, record->n) ||
                  !add_pairs(rank, false, pairs + 2 * (size_t)record->n,
                             record->n_inward))) {
        return false;
    }
    end_round(rank);
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

enum sf_status
sf_goal_ranks_add(struct sf_goal_ranks *ranks, const struct sf_trace *trace,
                  struct sf_error *err)
{
    struct sf_error own = { 0 };
    struct rank rank = {
        .all = ranks, .trace = trace, .now = nothing, .err = &own
    };
    bool is_fine = true;

    rank.requests = sf_calloc(trace->requests.n, sizeof *rank.requests);
    if (!rank.requests) {
        return fail_memory(err, trace->rank);
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
    free(rank.labels.items);
    return is_fine ? SF_OK
           : own.status != SF_OK
               ? sf_fail(err, own.status, "rank %" PRIu32 ": %s", trace->rank,
                         own.text)
               : fail_memory(err, trace->rank);
}
