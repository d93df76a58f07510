/* program.h -- what is sent: messages between hosts, some of which wait for
 * others.  Workloads make programs; models run them. */
#ifndef SF_SIM_PROGRAM_H
#define SF_SIM_PROGRAM_H

#include "base/mem.h"
#include "slimfly/error.h"

#include <stdint.h>

/* A message starts 'delay' seconds after the last of those that it waits for
 * has come; if there are none, after the start of the run.  The delay stands
 * for computing. */
struct sf_message {
    uint32_t from, to; /* Hosts of the network, not the same. */
    uint64_t bytes;    /* At least 1. */
    double delay;
    uint32_t n_waits; /* How many messages it waits for. */
};

/* 'after' waits for 'before'. */
struct sf_wait {
    uint32_t before, after;
};

struct sf_program {
    SF_VEC(struct sf_message) messages;
    SF_VEC(struct sf_wait)
    waits;           /* In any order until it is ended; then by
                      * 'before'. */
    uint32_t *first; /* [messages + 1] Where the waits for a message start. */
};

/* These add to a program that starts as zeros; false if out of memory.
 * sf_program_wait() takes numbers of messages that were added. */
bool sf_program_send(struct sf_program *program, uint32_t from, uint32_t to,
                     uint64_t bytes, double delay);
bool sf_program_wait(struct sf_program *program, uint32_t before,
                     uint32_t after);

/* Sorts the waits and fills in 'first' and 'n_waits'.  SF_EINVAL: messages
 * wait for each other in a circle, or a message is to its sender, is empty or
 * names a host that is not below 'n_hosts'. */
enum sf_status sf_program_end(struct sf_program *program, uint32_t n_hosts,
                              struct sf_error *err);
void sf_program_clear(struct sf_program *program);

#endif
