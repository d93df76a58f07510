/* script.h -- programs as ranks run them, step by step.
 *
 * In a step a rank sends, receives and computes; what it does in a step starts
 * when all of its own step before is over.  So a step is what a program posts
 * at once and then waits for.  Ranks do not wait for each other but by
 * messages: a message that comes before its receiver is ready for it is kept
 * there.
 *
 * Running out of memory is remembered until the end, so there is nothing to
 * check in between.  So are more messages than can be simulated. */
#ifndef SF_SIM_WORKLOADS_SCRIPT_H
#define SF_SIM_WORKLOADS_SCRIPT_H

#include "sim/program.h"

/* What a message carries: 'n' blocks of some data, from block 'first' on, in a
 * circle.  For tests. */
struct sf_part {
    uint32_t first, n;
};

struct sf_script_rank {
    SF_VEC(uint32_t) now;  /* What this step waits for, */
    SF_VEC(uint32_t) next; /* and what this step does. */
    bool has_acted;        /* So that 'next' implies 'now'. */
};

struct sf_script {
    struct sf_program *program;
    const uint32_t *hosts;        /* [n] */
    struct sf_script_rank *ranks; /* [n] */
    SF_VEC(struct sf_part)
    parts; /* [messages of the program], if it takes
            * notes. */
    uint32_t n;
    bool has_failed;  /* Nothing is added any more: out of memory, */
    bool is_too_long; /* or too long. */
    bool takes_notes;
};

/* Begins a script of 'n' ranks on 'hosts', which the caller keeps, that adds
 * to 'program'.  sf_script_clear() is due in any case. */
void sf_script_init(struct sf_script *script, struct sf_program *program,
                    const uint32_t *hosts, uint32_t n);
void sf_script_clear(struct sf_script *script);

/* What went wrong. */
enum sf_status sf_script_status(const struct sf_script *script,
                                struct sf_error *err);

/* In this step, 'from' sends to 'to', which receives; the message has at least
 * one byte.  Or 'rank' computes on CPU 0. */
void sf_script_send(struct sf_script *script, uint32_t from, uint32_t to,
                    uint64_t bytes, struct sf_part part);
void sf_script_compute(struct sf_script *script, uint32_t rank,
                       double seconds);

/* 'rank' goes on to its next step, if it did anything in this one. */
void sf_script_step(struct sf_script *script, uint32_t rank);

/* A message that waits for nothing but what the caller says; the steps of both
 * ends end after it.  Returns its number, or SF_NONE. */
uint32_t sf_script_post(struct sf_script *script, uint32_t from, uint32_t to,
                        uint64_t bytes, struct sf_part part);

/* 'after' waits for the end or the start of 'before', or for the step of
 * 'rank' before this one; SF_NONE is nothing. */
void sf_script_wait(struct sf_script *script, uint32_t before, uint32_t after,
                    bool is_start);
void sf_script_wait_rank(struct sf_script *script, uint32_t rank,
                         uint32_t after);

/* 'from' starts to send to 'to' after its step before this one, and neither
 * waits for it.  Returns its number, or SF_NONE. */
uint32_t sf_script_isend(struct sf_script *script, uint32_t from, uint32_t to,
                         uint64_t bytes);

/* In this step, 'rank' waits for a message that it sent or receives; SF_NONE
 * is nothing. */
void sf_script_await(struct sf_script *script, uint32_t rank,
                     uint32_t message);

/* Makes 'branch' start where 'script' is, of the same ranks and program; what
 * it does goes on beside 'script' until the two are joined, which clears
 * 'branch'. */
void sf_script_fork(struct sf_script *script, struct sf_script *branch);
void sf_script_join(struct sf_script *script, struct sf_script *branch);

#endif
