/* script.c -- see script.h. */
#include "sim/workloads/script.h"

#include "slimfly/graph.h"

/* Steps with more than so many ends get one that stands for all, so that waits
 * do not multiply. */
#define MAX_ENDS 2

/* Messages and computations that a program may have.  The flow model takes
 * fewer, but computations are cheap. */
#define MAX_MESSAGES (1u << 24)

void
sf_script_init(struct sf_script *script, struct sf_program *program,
               const uint32_t *hosts, uint32_t n)
{
    *script = (struct sf_script){
        .program = program,
        .hosts = hosts,
        .n = n,
        .ranks = sf_calloc(n, sizeof *script->ranks),
    };
    script->has_failed = !script->ranks;
}

void
sf_script_clear(struct sf_script *script)
{
    for (uint32_t i = 0; script->ranks && i < script->n; i++) {
        free(script->ranks[i].now.items);
        free(script->ranks[i].next.items);
    }
    free(script->ranks);
    free(script->parts.items);
    *script = (struct sf_script){ 0 };
}

enum sf_status
sf_script_status(const struct sf_script *script, struct sf_error *err)
{
    if (script->is_too_long) {
        return sf_fail(err, SF_ELIMIT,
                       "a workload of more than %u messages and computations; "
                       "ask for fewer nodes or longer segments",
                       MAX_MESSAGES);
    }
    return script->has_failed
               ? sf_fail(err, SF_ENOMEM, "out of memory for a workload")
               : SF_OK;
}

/* Nothing is done any more after something went wrong. */
static void
require(struct sf_script *script, bool is_fine)
{
    script->is_too_long =
        script->is_too_long || script->program->messages.n > MAX_MESSAGES;
    script->has_failed = script->has_failed || script->is_too_long || !is_fine;
}

/* The number of what is added next. */
static uint32_t
next_number(const struct sf_script *script)
{
    return (uint32_t)script->program->messages.n;
}

/* Notes what the last message carries. */
static void
note_part(struct sf_script *script, struct sf_part part)
{
    while (script->takes_notes && !script->has_failed &&
           script->parts.n < script->program->messages.n) {
        require(script, sf_vec_push(&script->parts, part));
    }
}

/* Adds a computation of 'rank'; returns its number. */
static uint32_t
add_computation(struct sf_script *script, uint32_t rank, double seconds)
{
    uint32_t number = next_number(script);

    require(script, sf_program_compute(script->program, script->hosts[rank],
                                       seconds, seconds > 0 ? 0 : SF_NO_CPU));
    note_part(script, (struct sf_part){ 0, 0 });
    return number;
}

void
sf_script_wait(struct sf_script *script, uint32_t before, uint32_t after,
               bool is_start)
{
    if (before == SF_NONE || script->has_failed) {
        return;
    }
    require(script, is_start
                        ? sf_program_wait_start(script->program, before, after)
                        : sf_program_wait(script->program, before, after));
}

/* Lets one computation of no time stand for all that a step waits for. */
static void
join_now(struct sf_script *script, uint32_t rank)
{
    struct sf_script_rank *at = &script->ranks[rank];
    uint32_t join = add_computation(script, rank, 0);

    for (size_t i = 0; i < at->now.n; i++) {
        sf_script_wait(script, at->now.items[i], join, false);
    }
    at->now.items[0] = join;
    at->now.n = 1;
}

void
sf_script_wait_rank(struct sf_script *script, uint32_t rank, uint32_t after)
{
    if (script->has_failed) {
        return;
    }
    const struct sf_script_rank *at = &script->ranks[rank];
    for (size_t i = 0; i < at->now.n; i++) {
        sf_script_wait(script, at->now.items[i], after, false);
    }
}

/* Sees that a step waits for few things, before it does something. */
static void
prepare(struct sf_script *script, uint32_t rank)
{
    if (!script->has_failed && script->ranks[rank].now.n > MAX_ENDS) {
        join_now(script, rank);
    }
}

uint32_t
sf_script_post(struct sf_script *script, uint32_t from, uint32_t to,
               uint64_t bytes, struct sf_part part)
{
    if (script->has_failed) {
        return SF_NONE;
    }
    prepare(script, from);
    uint32_t number = next_number(script);
    require(script, sf_program_send(script->program, script->hosts[from],
                                    script->hosts[to], bytes ? bytes : 1, 0) &&
                        sf_vec_push(&script->ranks[from].next, number) &&
                        sf_vec_push(&script->ranks[to].next, number));
    note_part(script, part);
    return number;
}

void
sf_script_send(struct sf_script *script, uint32_t from, uint32_t to,
               uint64_t bytes, struct sf_part part)
{
    uint32_t number = sf_script_post(script, from, to, bytes, part);

    if (number != SF_NONE) {
        sf_script_wait_rank(script, from, number);
        script->ranks[from].has_acted = true;
    }
}

void
sf_script_compute(struct sf_script *script, uint32_t rank, double seconds)
{
    if (script->has_failed) {
        return;
    }
    prepare(script, rank);
    uint32_t number = add_computation(script, rank, seconds);
    sf_script_wait_rank(script, rank, number);
    require(script, sf_vec_push(&script->ranks[rank].next, number));
    script->ranks[rank].has_acted = true;
}

void
sf_script_step(struct sf_script *script, uint32_t rank)
{
    if (script->has_failed || script->ranks[rank].next.n == 0) {
        return;
    }
    struct sf_script_rank *at = &script->ranks[rank];
    if (at->has_acted) {
        at->now.n = 0;
    }
    for (size_t i = 0; i < at->next.n; i++) {
        require(script, sf_vec_push(&at->now, at->next.items[i]));
    }
    at->next.n = 0;
    at->has_acted = false;
}

uint32_t
sf_script_isend(struct sf_script *script, uint32_t from, uint32_t to,
                uint64_t bytes)
{
    if (script->has_failed) {
        return SF_NONE;
    }
    prepare(script, from);
    uint32_t number = next_number(script);
    require(script, sf_program_send(script->program, script->hosts[from],
                                    script->hosts[to], bytes ? bytes : 1, 0));
    note_part(script, (struct sf_part){ 0, 0 });
    sf_script_wait_rank(script, from, number);
    return number;
}

void
sf_script_await(struct sf_script *script, uint32_t rank, uint32_t message)
{
    if (!script->has_failed && message != SF_NONE) {
        require(script, sf_vec_push(&script->ranks[rank].next, message));
    }
}

void
sf_script_fork(struct sf_script *script, struct sf_script *branch)
{
    sf_script_init(branch, script->program, script->hosts, script->n);
    for (uint32_t r = 0; !script->has_failed && r < script->n; r++) {
        prepare(script, r);
        const struct sf_script_rank *at = &script->ranks[r];
        for (size_t i = 0; !branch->has_failed && i < at->now.n; i++) {
            require(branch,
                    sf_vec_push(&branch->ranks[r].now, at->now.items[i]));
        }
    }
}

void
sf_script_join(struct sf_script *script, struct sf_script *branch)
{
    script->is_too_long = script->is_too_long || branch->is_too_long;
    require(script, !branch->has_failed);
    for (uint32_t r = 0; !script->has_failed && r < script->n; r++) {
        const struct sf_script_rank *at = &branch->ranks[r];
        for (size_t i = 0; i < at->now.n; i++) {
            require(script,
                    sf_vec_push(&script->ranks[r].now, at->now.items[i]));
        }
    }
    sf_script_clear(branch);
}
