/* calls_own.c -- collectives for which there are no rules, and those whose
 * ranks have different numbers of bytes.  Ranks count from the root.
 *
 *     reduce          binomial tree
 *     gather, scatter the root with each
 *     scan            a chain
 *     allgather       below 50,000 bytes in all Bruck, else a ring
 *     reduce-scatter  a ring */
#include "sim/recorded/calls.h"

#include "slimfly/graph.h"

#define SMALL_ALLGATHER 50000

/* A call under way; nothing more is added after a failure.  It goes by rounds:
 * a round starts when all of the one before is over. */
struct expansion {
    const struct sf_call *call;
    struct sf_call_plan *plan;
    uint32_t before; /* What this round waits for; SF_NONE: nothing. */
    uint32_t first;  /* Its first step. */
    bool is_fine;
};

static void
add(struct expansion *x, enum sf_step_kind kind, uint32_t peer, uint64_t bytes)
{
    x->is_fine = x->is_fine && sf_call_plan_step(x->plan, kind, peer, bytes) &&
                 (x->before == SF_NONE ||
                  sf_call_plan_wait(x->plan, x->before,
                                    (uint32_t)x->plan->steps.n - 1, false));
}

static void
send_to(struct expansion *x, uint32_t peer, uint64_t bytes)
{
    add(x, SF_STEP_SEND, peer, bytes);
}

static void
receive(struct expansion *x, uint32_t peer, uint64_t bytes)
{
    add(x, SF_STEP_RECEIVE, peer, bytes);
}

static void
end_round(struct expansion *x)
{
    uint32_t n = (uint32_t)x->plan->steps.n;

    if (n - x->first > 1) {
        x->is_fine =
            x->is_fine && sf_call_plan_step(x->plan, SF_STEP_JOIN, 0, 0);
        for (uint32_t i = x->first; x->is_fine && i < n; i++) {
            x->is_fine = sf_call_plan_wait(x->plan, i, n, false);
        }
    }
    if (n > x->first) {
        x->before = (uint32_t)x->plan->steps.n - 1;
    }
    x->first = (uint32_t)x->plan->steps.n;
}

/* The rank 'distance' behind this one in a ring, and before it. */
static uint32_t
behind(const struct expansion *x, uint32_t distance)
{
    return (uint32_t)(((uint64_t)x->call->me + distance) % x->call->n);
}

static uint32_t
before(const struct expansion *x, uint32_t distance)
{
    return behind(x, x->call->n - distance);
}

/* The children of a rank in a binomial tree are those that have one bit more,
 * below its lowest. */
static void
from_children(struct expansion *x)
{
    const struct sf_call *call = x->call;
    uint32_t me = call->me, step = 1;

    while (step < call->n && !(me & step)) {
        step *= 2;
    }
    for (step /= 2; step > 0; step /= 2) {
        if (me + step < call->n) {
            receive(x, me + step, call->bytes[0]);
        }
    }
    end_round(x);
}

static void
to_parent(struct expansion *x)
{
    const struct sf_call *call = x->call;
    uint32_t me = call->me, step = me & (~me + 1);

    if (me != 0) {
        send_to(x, me - step, call->bytes[0]);
        end_round(x);
    }
}

/* Gather and scatter: is_outward says that the root sends. */
static void
with_root(struct expansion *x, bool is_outward)
{
    const struct sf_call *call = x->call;

    if (call->me > 0) {
        (is_outward ? receive : send_to)(x, 0, call->bytes[0]);
    }
    for (uint32_t i = 1; call->me == 0 && i < call->n; i++) {
        (is_outward ? send_to : receive)(x, i, call->bytes[0]);
    }
}

/* One way round the ring: in round i a rank passes on the part that it got in
 * the round before, the first time that of 'start' ranks before it. */
static void
go_round(struct expansion *x, uint32_t start)
{
    const struct sf_call *call = x->call;
    uint32_t n = call->n;

    for (uint32_t i = 0; i + 1 < n; i++) {
        send_to(x, behind(x, 1), call->bytes[before(x, (i + start) % n)]);
        receive(x, before(x, 1), call->bytes[before(x, (i + start + 1) % n)]);
        end_round(x);
    }
}

static void
scan(struct expansion *x)
{
    const struct sf_call *call = x->call;

    if (call->me > 0) {
        receive(x, call->me - 1, call->bytes[0]);
        end_round(x);
    }
    if (call->me + 1 < call->n) {
        send_to(x, call->me + 1, call->bytes[0]);
        end_round(x);
    }
}

/* The bytes of 'n' parts from that of rank 'first' on. */
static uint64_t
sum_parts(const struct sf_call *call, uint32_t first, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        sum += call->bytes[((uint64_t)first + i) % call->n];
    }
    return sum;
}

/* Bruck: a rank has the parts of k ranks from itself on, and doubles them. */
static void
double_parts(struct expansion *x)
{
    const struct sf_call *call = x->call;

    for (uint32_t k = 1; k < call->n; k *= 2) {
        uint32_t n = k < call->n - k ? k : call->n - k;
        send_to(x, before(x, k), sum_parts(call, call->me, n));
        receive(x, behind(x, k), sum_parts(call, behind(x, k), n));
        end_round(x);
    }
}

static void
allgather(struct expansion *x)
{
    if (sum_parts(x->call, 0, x->call->n) < SMALL_ALLGATHER) {
        double_parts(x);
    } else {
        go_round(x, 0);
    }
}

bool
sf_call_plan_own(const struct sf_call *call, struct sf_call_plan *plan)
{
    struct expansion x = { call, plan, SF_NONE, 0, true };

    switch (call->kind) {
    case SF_CALL_REDUCE:
        from_children(&x);
        to_parent(&x);
        break;
    case SF_CALL_GATHER:
    case SF_CALL_SCATTER:
        with_root(&x, call->kind == SF_CALL_SCATTER);
        break;
    case SF_CALL_SCAN:
        scan(&x);
        break;
    case SF_CALL_ALLGATHER:
        allgather(&x);
        break;
    case SF_CALL_REDUCE_SCATTER:
        go_round(&x, 1);
        break;
    case SF_CALL_BARRIER:
    case SF_CALL_BCAST:
    case SF_CALL_ALLREDUCE:
    case SF_CALL_ALLTOALL:
    case SF_N_CALLS:
    default:
        break; /* There are rules. */
    }
    return x.is_fine;
}
