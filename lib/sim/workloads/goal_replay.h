/* goal_replay.h -- which messages receives get that name no source or no tag.
 *
 * That depends on what comes first, and so on the network.  Here it is decided
 * once, on a network where messages take no time and CPUs are always free, so
 * that a program is the same under every model.  As in LogGOPSim, a message
 * takes the first receive of its rank that was posted for it, and a receive
 * the first message that came for it; what happens at the same time has the
 * order of the file, computations and sends before receives. */
#ifndef SF_SIM_WORKLOADS_GOAL_REPLAY_H
#define SF_SIM_WORKLOADS_GOAL_REPLAY_H

#include "sim/program.h"
#include "sim/workloads/goal_match.h"

#define SF_GOAL_RECEIVE (UINT32_C(1) << 31)

/* A wait in which a receive takes part.  Numbers are those of messages, or of
 * receives and SF_GOAL_RECEIVE. */
struct sf_goal_wait {
    uint32_t before, after;
    bool is_start;
};

struct sf_goal_waits {
    struct sf_goal_wait *items;
    size_t n, capacity;
};

/* What was read: the messages and waits of 'program' from 'base' and
 * 'first_wait' on, and the rest. */
struct sf_goal_read {
    const struct sf_program *program;
    uint32_t base;
    size_t first_wait;
    const struct sf_goal_ends *sends;
    const struct sf_goal_waits *waits;
    uint32_t n_ranks;
    const char *path;
};

/* Whether a receive leaves something open. */
bool sf_goal_is_open(const struct sf_goal_ends *receives);

/* Tells each receive its message.  SF_EPARSE: a send or a receive has no
 * counterpart, or comes never to it. */
enum sf_status sf_goal_replay(const struct sf_goal_read *read,
                              struct sf_goal_ends *receives,
                              struct sf_error *err);

#endif
