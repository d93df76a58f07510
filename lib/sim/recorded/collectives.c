/* collectives.c -- see collectives.h.
 *
 * The algorithms are those that MPI libraries choose most often, with the
 * limits of size of Open MPI's fixed rules where there are two:
 *
 *     barrier         dissemination
 *     bcast, reduce   binomial tree
 *     gather, scatter the root with each
 *     allreduce       below 10,000 bytes recursive doubling, else a ring
 *     alltoall        below 3,000 bytes all at once, else pairwise
 *     scan            a chain
 *     allgather       below 50,000 bytes in all Bruck, else a ring
 *     reduce_scatter  a ring */
#include "sim/recorded/collectives.h"

#define SMALL_ALLREDUCE 10000
#define SMALL_ALLTOALL  3000
#define SMALL_ALLGATHER 50000

/* A call under way; nothing more is told after a failure. */
struct expansion {
    const struct sf_collective *call;
    const struct sf_collective_sink *sink;
    bool is_fine;
};

static void
send_to(struct expansion *x, uint32_t peer, uint64_t bytes)
{
    x->is_fine =
        x->is_fine && x->sink->message(x->sink->aux, true, peer, bytes);
}

static void
receive(struct expansion *x, uint32_t peer, uint64_t bytes)
{
    x->is_fine =
        x->is_fine && x->sink->message(x->sink->aux, false, peer, bytes);
}

static void
end_round(struct expansion *x)
{
    x->is_fine = x->is_fine && x->sink->end_round(x->sink->aux);
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

static void
barrier(struct expansion *x)
{
    for (uint32_t k = 1; k < x->call->n; k *= 2) {
        send_to(x, behind(x, k), 0);
        receive(x, before(x, k), 0);
        end_round(x);
    }
}

/* The children of a rank in a binomial tree are those that have one bit more,
 * below its lowest; ranks count from the root. */
static void
with_children(struct expansion *x, bool is_send)
{
    const struct sf_collective *call = x->call;
    uint32_t me = before(x, call->root), step = 1;

    while (step < call->n && !(me & step)) {
        step *= 2;
    }
    for (step /= 2; step > 0; step /= 2) {
        if (me + step < call->n) {
            (is_send ? send_to : receive)(x, behind(x, step), call->bytes[0]);
        }
    }
    end_round(x);
}

static void
with_parent(struct expansion *x, bool is_send)
{
    const struct sf_collective *call = x->call;
    uint32_t me = before(x, call->root), step = me & (~me + 1);

    if (me != 0) {
        (is_send ? send_to : receive)(x, before(x, step), call->bytes[0]);
        end_round(x);
    }
}

/* Gather and scatter: is_outward says that the root sends. */
static void
with_root(struct expansion *x, bool is_outward)
{
    const struct sf_collective *call = x->call;

    if (call->me != call->root) {
        (is_outward ? receive : send_to)(x, call->root, call->bytes[0]);
    }
    for (uint32_t i = 0; call->me == call->root && i < call->n; i++) {
        if (i != call->root) {
            (is_outward ? send_to : receive)(x, i, call->bytes[0]);
        }
    }
    end_round(x);
}

static void
exchange_with(struct expansion *x, uint32_t peer, uint64_t bytes)
{
    send_to(x, peer, bytes);
    receive(x, peer, bytes);
    end_round(x);
}

/* Ranks beyond the largest power of two give what they have to a neighbour
 * first, and get the result from it last: the first 2 * (n - power) ranks are
 * such pairs, the even one of which stands aside. */
static void
double_recursively(struct expansion *x)
{
    const struct sf_collective *call = x->call;
    uint32_t power = 1, me = call->me;
    uint64_t bytes = call->bytes[0];

    while (power <= call->n / 2) {
        power *= 2;
    }
    uint32_t n_pairs = call->n - power;
    if (me < 2 * n_pairs && me % 2 == 0) {
        send_to(x, me + 1, bytes);
        end_round(x);
        receive(x, me + 1, bytes);
        end_round(x);
        return;
    }
    if (me < 2 * n_pairs) {
        receive(x, me - 1, bytes);
        end_round(x);
    }
    uint32_t place = me < 2 * n_pairs ? me / 2 : me - n_pairs;
    for (uint32_t k = 1; k < power; k *= 2) {
        uint32_t other = place ^ k;
        exchange_with(x, other < n_pairs ? 2 * other + 1 : other + n_pairs,
                      bytes);
    }
    if (me < 2 * n_pairs) {
        send_to(x, me - 1, bytes);
        end_round(x);
    }
}

/* The bytes of part 'i' of 'bytes' in 'n' parts that differ by one at most. */
static uint64_t
part_of(uint64_t bytes, uint32_t n, uint32_t i)
{
    return bytes / n + (i < bytes % n);
}

/* One way round the ring: in round i a rank passes on the part that it got in
 * the round before, the first time that 'start' ranks before it. */
static void
go_round(struct expansion *x, uint32_t start, bool is_split)
{
    const struct sf_collective *call = x->call;
    uint32_t n = call->n;

    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t mine = before(x, (i + start) % n);
        uint32_t next = before(x, (i + start + 1) % n);
        send_to(x, behind(x, 1),
                is_split ? part_of(call->bytes[0], n, mine)
                         : call->bytes[mine]);
        receive(x, before(x, 1),
                is_split ? part_of(call->bytes[0], n, next)
                         : call->bytes[next]);
        end_round(x);
    }
}

static void
allreduce(struct expansion *x)
{
    if (x->call->bytes[0] < SMALL_ALLREDUCE) {
        double_recursively(x);
    } else {
        go_round(x, 1, true);
        go_round(x, 0, true);
    }
}

static void
alltoall(struct expansion *x)
{
    uint64_t bytes = x->call->bytes[0];

    for (uint32_t k = 1; k < x->call->n; k++) {
        send_to(x, behind(x, k), bytes);
        receive(x, before(x, k), bytes);
        if (bytes >= SMALL_ALLTOALL) {
            end_round(x);
        }
    }
    end_round(x);
}

static void
scan(struct expansion *x)
{
    const struct sf_collective *call = x->call;

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
sum_parts(const struct sf_collective *call, uint32_t first, uint32_t n)
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
    const struct sf_collective *call = x->call;

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
        go_round(x, 0, false);
    }
}

bool
sf_collective_expand(const struct sf_collective *call,
                     const struct sf_collective_sink *sink)
{
    struct expansion x = { call, sink, true };

    switch (call->kind) {
    case SF_BARRIER:
        barrier(&x);
        break;
    case SF_BCAST:
        with_parent(&x, false);
        with_children(&x, true);
        break;
    case SF_REDUCE:
        with_children(&x, false);
        with_parent(&x, true);
        break;
    case SF_GATHER:
    case SF_SCATTER:
        with_root(&x, call->kind == SF_SCATTER);
        break;
    case SF_ALLREDUCE:
        allreduce(&x);
        break;
    case SF_ALLTOALL:
        alltoall(&x);
        break;
    case SF_SCAN:
        scan(&x);
        break;
    case SF_ALLGATHER:
        allgather(&x);
        break;
    case SF_REDUCE_SCATTER:
        go_round(&x, 1, false);
        break;
    case SF_N_COLLECTIVES:
    default:
        break;
    }
    return x.is_fine;
}
