/* goal_ranks.h -- makes operations of GOAL of a trace. */
#ifndef SF_SIM_RECORDED_GOAL_RANKS_H
#define SF_SIM_RECORDED_GOAL_RANKS_H

#include "sim/recorded/calls.h"
#include "sim/recorded/channels.h"
#include "sim/recorded/trace.h"
#include "slimfly/recording.h"

/* All ranks of a program.  They are passed through twice, in the same order:
 * first to count what each channel has at both ends, then to write what has a
 * counterpart. */
struct sf_goal_ranks {
    const struct sf_recording_params *params;
    FILE *stream; /* NULL in the first pass. */
    struct sf_channels channels;
    struct sf_channels tags; /* The same without the ranks. */
    struct sf_calls calls;
    struct sf_recording *recording;
};

/* Tags that no program has: those of messages of collectives whose algorithm
 * is chosen here, and of others. */
#define SF_TAG_COLLECTIVE UINT32_MAX
#define SF_TAG_EXCHANGE   (UINT32_MAX - 1)

/* Passes through the next rank. */
enum sf_status sf_goal_ranks_add(struct sf_goal_ranks *ranks,
                                 const struct sf_trace *trace,
                                 struct sf_error *err);

#endif
