/* program.h -- what is sent: messages between hosts, some of which wait for
 * others, and what hosts compute in between.  Workloads make programs; models
 * run them. */
#ifndef SF_SIM_PROGRAM_H
#define SF_SIM_PROGRAM_H

#include "base/mem.h"
#include "slimfly/error.h"

#include <stdint.h>

#define SF_MAX_CPUS 256         /* Of a host. */
#define SF_NO_CPU   SF_MAX_CPUS /* For what only takes time, or none. */

/* A message starts 'delay' seconds after the last of those that it waits for
 * has come; if there are none, after the start of the run.  The delay stands
 * for computing that nothing else depends on.
 *
 * Without bytes it is a computation: it starts when all that it waits for is
 * over and its CPU is free, and ends 'delay' seconds later.  A CPU does one
 * computation after the other in the order in which they became ready; among
 * equals, by their numbers.  If hosts need time for each message, that is time
 * of the CPU of the message. */
struct sf_message {
    uint32_t from, to; /* Hosts of the network, not the same; of a computation
                        * its host, twice. */
    uint64_t bytes;    /* At least 1; 0: a computation. */
    double delay;
    uint32_t n_waits; /* How many it waits for. */
    uint16_t cpu;     /* Of 'from'; SF_NO_CPU. */
};

static inline bool
sf_message_is_sent(const struct sf_message *message)
{
    return message->bytes > 0;
}

/* 'after' waits for 'before': until it has come, or only until it starts. */
struct sf_wait {
    uint32_t before;
    uint32_t after : 31, is_start : 1;
};

struct sf_program {
    SF_VEC(struct sf_message) messages;
    SF_VEC(struct sf_wait)
    waits;           /* In any order until it is ended; then by
                      * 'before'. */
    uint32_t *first; /* [messages + 1] Where the waits for a message start. */
    uint32_t n_cpus; /* That a host has at most; at least 1. */
    bool has_circle; /* Why it could not be ended: */
    uint32_t in_circle; /* this message waits for itself. */
};

/* These add to a program that starts as zeros; false if out of memory.  Waits
 * take numbers of messages that were added; computations count as such. */
bool sf_program_send(struct sf_program *program, uint32_t from, uint32_t to,
                     uint64_t bytes, double delay);
bool sf_program_wait(struct sf_program *program, uint32_t before,
                     uint32_t after);

bool sf_program_compute(struct sf_program *program, uint32_t host,
                        double seconds, uint32_t cpu);
bool sf_program_wait_start(struct sf_program *program, uint32_t before,
                           uint32_t after);

/* Sorts the waits and fills in what depends on all.  SF_EINVAL: messages
 * wait for each other in a circle, or a message is to its sender, is empty or
 * names a host that is not below 'n_hosts'.  What is not sent is known to its
 * host alone: starts and computations are waited for on their host only.
 * Messages in a circle also set 'has_circle'. */
enum sf_status sf_program_end(struct sf_program *program, uint32_t n_hosts,
                              struct sf_error *err);
void sf_program_clear(struct sf_program *program);

#endif
