/* fuzz_trace.c -- any bytes as the trace of a rank: no crash, an error says
 * something, and what was read becomes operations of GOAL in two passes. */
#include "fuzz.h"
#include "sim/recorded/goal_ranks.h"
#include "sim/workloads/rules.h"

#define MAX_RANKS 8
#define MAX_BYTES 100000

/* Whether the trace is small enough to be tried for long. */
static bool
is_small(const struct sf_trace *trace)
{
    for (size_t i = 0; i < trace->values.n; i++) {
        if (trace->values.items[i] > MAX_BYTES) {
            return false;
        }
    }
    return trace->n_ranks <= MAX_RANKS && trace->records.n <= 200;
}

static void
convert(const struct sf_trace *trace)
{
    struct sf_recording_params params = { .compute_scale = 1, .eager = 100 };
    struct sf_recording recording = { 0 };
    struct sf_goal_ranks ranks = { .params = &params,
                                   .recording = &recording };
    struct sf_error err = { 0 };
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    ranks.calls.rules = &sf_rules[trace->records.n % 2];
    for (int i = 0; stream && i < 2; i++) {
        if (sf_goal_ranks_add(&ranks, trace, &err) != SF_OK && !err.text[0]) {
            abort();
        }
        ranks.stream = stream;
    }
    sf_channels_clear(&ranks.channels);
    sf_channels_clear(&ranks.tags);
    sf_calls_clear(&ranks.calls);
    if (stream) {
        fclose(stream);
    }
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_trace trace;
    struct sf_error err = { 0 };
    enum sf_status status = sf_trace_parse(data, size, "fuzz", &trace, &err);

    if (status != SF_OK && !err.text[0]) {
        abort();
    }
    if (status == SF_OK && is_small(&trace)) {
        convert(&trace);
    }
    sf_trace_clear(&trace);
    return 0;
}
