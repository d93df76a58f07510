/* calls.h -- what one rank does in a collective.  Collectives that rules.h
 * knows are done by its rules, others by the one algorithm of calls_own.c. */
#ifndef SF_SIM_RECORDED_CALLS_H
#define SF_SIM_RECORDED_CALLS_H

#include "sim/program.h"
#include "sim/recorded/format.h"

#include <stdint.h>

struct sf_rules;

struct sf_call {
    enum sf_call_kind kind;
    uint32_t me, n;        /* Ranks of the communicator, from the root on. */
    const uint64_t *bytes; /* As the kind has them. */
};

enum sf_step_kind {
    SF_STEP_JOIN, /* Takes no time. */
    SF_STEP_SEND,
    SF_STEP_RECEIVE,
};

struct sf_call_step {
    enum sf_step_kind kind;
    uint32_t peer;
    uint64_t bytes;
    bool waits, is_awaited; /* For other steps, and by them. */
};

/* What a rank does: steps, and which of them wait for each other.  The k-th
 * send of a rank to another is what the k-th receive there gets. */
struct sf_call_plan {
    SF_VEC(struct sf_call_step) steps;
    SF_VEC(struct sf_wait) waits; /* By numbers of steps. */
};

/* Plans, of which some are kept; zeros and rules to begin with. */
struct sf_calls {
    const struct sf_rules *rules;
    struct sf_kept_call *kept; /* [n] */
    size_t n, next;            /* The next one to be forgotten. */
    struct sf_call_plan own;   /* The last one that is not kept. */
};

/* Sets '*planp' to what 'call' has its rank do; it holds until the next
 * call. */
enum sf_status sf_calls_plan(struct sf_calls *calls,
                             const struct sf_call *call,
                             const struct sf_call_plan **planp,
                             struct sf_error *err);
void sf_calls_clear(struct sf_calls *calls);

/* Adds to an empty plan what is done without rules; false if out of
 * memory. */
bool sf_call_plan_own(const struct sf_call *call, struct sf_call_plan *plan);

/* These add a step, and that 'after' waits for 'before'. */
bool sf_call_plan_step(struct sf_call_plan *plan, enum sf_step_kind kind,
                       uint32_t peer, uint64_t bytes);
bool sf_call_plan_wait(struct sf_call_plan *plan, uint32_t before,
                       uint32_t after, bool is_start);

#endif
