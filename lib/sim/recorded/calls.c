/* calls.c -- see calls.h.
 *
 * A collective with rules is made once for all its ranks, as a program, and
 * kept: each rank in turn looks for what it does.  So programs with few kinds
 * of calls, which is what programs have, are done in little time. */
#include "sim/recorded/calls.h"

#include "sim/workloads/rules.h"
#include "slimfly/graph.h"

#include <string.h>

#define MAX_KEPT 64

struct sf_kept_call {
    enum sf_collective collective;
    uint32_t n;
    uint64_t bytes;
    struct sf_program program; /* Of all ranks, on hosts 0, 1, ... */
    uint32_t me;               /* Whose plan is kept; SF_NONE: nobody's. */
    struct sf_call_plan plan;
};

bool
sf_call_plan_step(struct sf_call_plan *plan, enum sf_step_kind kind,
                  uint32_t peer, uint64_t bytes)
{
    struct sf_call_step step = { .kind = kind, .peer = peer, .bytes = bytes };
    return sf_vec_push(&plan->steps, step);
}

bool
sf_call_plan_wait(struct sf_call_plan *plan, uint32_t before, uint32_t after,
                  bool is_start)
{
    struct sf_wait wait = { before, after & (UINT32_MAX >> 1), is_start };

    plan->steps.items[before].is_awaited = true;
    plan->steps.items[after].waits = true;
    return sf_vec_push(&plan->waits, wait);
}

static void
empty(struct sf_call_plan *plan)
{
    plan->steps.n = plan->waits.n = 0;
}

static void
clear_plan(struct sf_call_plan *plan)
{
    free(plan->steps.items);
    free(plan->waits.items);
    *plan = (struct sf_call_plan){ 0 };
}

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for a collective");
}

/* Whether all 'n' numbers are the same. */
static bool
are_equal(const uint64_t *bytes, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        if (bytes[i] != bytes[0]) {
            return false;
        }
    }
    return true;
}

/* Whether 'call' has no data: MPI libraries then send nothing. */
static bool
is_empty(const struct sf_call *call)
{
    bool has_each = call->kind == SF_CALL_ALLGATHER ||
                    call->kind == SF_CALL_REDUCE_SCATTER;

    return call->bytes[0] == 0 &&
           (!has_each || are_equal(call->bytes, call->n));
}

/* Whether there are rules for 'call', and what it is for them. */
static bool
has_rules(const struct sf_call *call, enum sf_collective *collectivep)
{
    static const struct {
        enum sf_call_kind kind;
        enum sf_collective collective;
        bool has_each; /* A number of bytes for each rank. */
    } known[] = {
        { SF_CALL_BARRIER, SF_BARRIER, false },
        { SF_CALL_BCAST, SF_BCAST, false },
        { SF_CALL_ALLREDUCE, SF_ALLREDUCE, false },
        { SF_CALL_ALLTOALL, SF_ALLTOALL, false },
        { SF_CALL_ALLGATHER, SF_ALLGATHER, true },
        { SF_CALL_REDUCE_SCATTER, SF_REDUCE_SCATTER, true },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].kind == call->kind) {
            *collectivep = known[i].collective;
            return !known[i].has_each || are_equal(call->bytes, call->n);
        }
    }
    return false;
}

static void
add_collective(const struct sf_group *group, const struct sf_kept_call *kept,
               struct sf_choice choice)
{
    switch (kept->collective) {
    case SF_ALLTOALL:
        sf_alltoall(group, kept->bytes, choice);
        break;
    case SF_ALLREDUCE:
        sf_allreduce(group, kept->bytes, choice);
        break;
    case SF_BCAST:
        sf_bcast(group, kept->bytes, choice);
        break;
    case SF_ALLGATHER:
        sf_allgather(group, kept->bytes, choice);
        break;
    case SF_REDUCE_SCATTER:
        sf_reduce_scatter(group, kept->bytes, choice);
        break;
    case SF_BARRIER:
    case SF_N_COLLECTIVES:
        sf_barrier(group, choice);
        break;
    }
}

/* Makes the program of all ranks. */
static enum sf_status
make_program(const struct sf_rules *rules, struct sf_kept_call *kept,
             struct sf_error *err)
{
    uint32_t *hosts = sf_calloc(kept->n, sizeof *hosts);
    struct sf_script script;

    if (!hosts) {
        return fail_memory(err);
    }
    for (uint32_t i = 0; i < kept->n; i++) {
        hosts[i] = i;
    }
    sf_script_init(&script, &kept->program, hosts, kept->n);
    struct sf_group group = sf_group_all(&script);
    add_collective(
        &group, kept,
        sf_rules_choose(rules, kept->collective, kept->n, kept->bytes));
    enum sf_status status = sf_script_status(&script, err);
    sf_script_clear(&script);
    free(hosts);
    return status;
}

/* Adds what 'me' does of message 'm'; a message to oneself is not one. */
static bool
add_message(struct sf_call_plan *plan, const struct sf_message *message,
            uint32_t me, uint32_t *stepp)
{
    *stepp = SF_NONE;
    if (message->from != me && message->to != me) {
        return true;
    }
    *stepp = (uint32_t)plan->steps.n;
    return !sf_message_is_sent(message)
               ? sf_call_plan_step(plan, SF_STEP_JOIN, 0, 0)
           : message->from == me
               ? sf_call_plan_step(plan, SF_STEP_SEND, message->to,
                                   message->bytes)
               : sf_call_plan_step(plan, SF_STEP_RECEIVE, message->from,
                                   message->bytes);
}

/* Fills the plan of 'me'.  What is sent to 'me' waits for others. */
static bool
make_plan(struct sf_kept_call *kept, uint32_t me)
{
    const struct sf_program *program = &kept->program;
    uint32_t *steps = sf_calloc(program->messages.n, sizeof *steps);
    bool is_fine = steps != NULL;

    empty(&kept->plan);
    kept->me = SF_NONE;
    for (size_t i = 0; is_fine && i < program->messages.n; i++) {
        is_fine = add_message(&kept->plan, &program->messages.items[i], me,
                              &steps[i]);
    }
    for (size_t i = 0; is_fine && i < program->waits.n; i++) {
        const struct sf_wait *wait = &program->waits.items[i];
        if (program->messages.items[wait->after].from == me &&
            steps[wait->before] != SF_NONE) {
            is_fine = sf_call_plan_wait(&kept->plan, steps[wait->before],
                                        steps[wait->after], wait->is_start);
        }
    }
    free(steps);
    if (is_fine) {
        kept->me = me;
    }
    return is_fine;
}

static void
clear_kept(struct sf_kept_call *kept)
{
    sf_program_clear(&kept->program);
    clear_plan(&kept->plan);
    *kept = (struct sf_kept_call){ .me = SF_NONE };
}

/* Finds a call that is kept; NULL if there is none. */
static struct sf_kept_call *
find_kept(const struct sf_calls *calls, enum sf_collective collective,
          uint32_t n, uint64_t bytes)
{
    for (size_t i = 0; i < calls->n; i++) {
        struct sf_kept_call *kept = &calls->kept[i];
        if (kept->collective == collective && kept->n == n &&
            kept->bytes == bytes) {
            return kept;
        }
    }
    return NULL;
}

/* Keeps another call, perhaps in the place of the oldest. */
static enum sf_status
keep(struct sf_calls *calls, enum sf_collective collective, uint32_t n,
     uint64_t bytes, struct sf_kept_call **keptp, struct sf_error *err)
{
    struct sf_kept_call made = {
        .collective = collective, .n = n, .bytes = bytes, .me = SF_NONE
    };

    if (!calls->kept) {
        calls->kept = sf_calloc(MAX_KEPT, sizeof *calls->kept);
    }
    if (!calls->kept) {
        return fail_memory(err);
    }
    enum sf_status status = make_program(calls->rules, &made, err);
    if (status != SF_OK) {
        clear_kept(&made);
        return status;
    }
    *keptp = &calls->kept[calls->next];
    clear_kept(*keptp);
    **keptp = made;
    calls->next = (calls->next + 1) % MAX_KEPT;
    calls->n += calls->n < MAX_KEPT;
    return SF_OK;
}

enum sf_status
sf_calls_plan(struct sf_calls *calls, const struct sf_call *call,
              const struct sf_call_plan **planp, struct sf_error *err)
{
    enum sf_collective collective;

    *planp = &calls->own;
    empty(&calls->own);
    if (call->n < 2 || (call->kind != SF_CALL_BARRIER && is_empty(call))) {
        return SF_OK;
    }
    if (!has_rules(call, &collective)) {
        return sf_call_plan_own(call, &calls->own) ? SF_OK : fail_memory(err);
    }
    uint64_t bytes = collective == SF_BARRIER ? 0 : call->bytes[0];
    struct sf_kept_call *kept = find_kept(calls, collective, call->n, bytes);
    if (!kept) {
        enum sf_status status =
            keep(calls, collective, call->n, bytes, &kept, err);
        if (status != SF_OK) {
            return status;
        }
    }
    if (kept->me != call->me && !make_plan(kept, call->me)) {
        return fail_memory(err);
    }
    *planp = &kept->plan;
    return SF_OK;
}

void
sf_calls_clear(struct sf_calls *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        clear_kept(&calls->kept[i]);
    }
    free(calls->kept);
    clear_plan(&calls->own);
    *calls = (struct sf_calls){ 0 };
}
