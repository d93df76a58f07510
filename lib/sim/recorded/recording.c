/* recording.c -- see recording.h. */
#include "slimfly/recording.h"

#include "sim/recorded/goal_ranks.h"
#include "sim/workloads/rules.h"
#include "slimfly/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define PATH_SIZE 4096

_Static_assert((int)SF_RECORDING_N_SKIPS == (int)SF_N_SKIPS,
               "the public header counts the same");

const char sf_recording_variable[] = SF_TRACE_VARIABLE;

const char *
sf_recording_rules_name(uint32_t i)
{
    return sf_rules[i].name;
}

const char *
sf_recording_skip_name(uint32_t i)
{
    static const char *const names[] = {
        [SF_SKIP_ONE_SIDED] = "one-sided calls",
        [SF_SKIP_INTER] = "collectives of intercommunicators",
        [SF_SKIP_UNKNOWN_COMM] = "calls on communicators of unknown origin",
        [SF_SKIP_SPAWN] = "calls that start or join other programs",
        [SF_SKIP_THREAD] = "calls by a second thread",
        [SF_SKIP_FULL] = "calls after a disk was full",
        [SF_SKIP_PERSISTENT] = "persistent collectives",
        [SF_N_SKIPS] = NULL,
    };
    return i < SF_N_SKIPS ? names[i] : NULL;
}

/* Reads the trace of 'rank', which must be one of 'n_ranks'; 0: of any
 * number. */
static enum sf_status
read_rank(const char *folder, uint32_t rank, uint32_t n_ranks,
          struct sf_trace *trace, struct sf_error *err)
{
    char path[PATH_SIZE];
    int length =
        snprintf(path, sizeof path, "%s/" SF_TRACE_NAME, folder, rank);

    *trace = (struct sf_trace){ 0 };
    if (length < 0 || (size_t)length >= sizeof path) {
        return sf_fail(err, SF_ELIMIT, "%s: the path is too long", folder);
    }
    enum sf_status status = sf_trace_read(path, trace, err);
    if (status == SF_OK &&
        (trace->rank != rank || (n_ranks && trace->n_ranks != n_ranks))) {
        status = sf_fail(err, SF_EPARSE,
                         "%s: expected the trace of rank %" PRIu32
                         " of %" PRIu32 ", found rank %" PRIu32 " of %" PRIu32,
                         path, rank, n_ranks ? n_ranks : trace->n_ranks,
                         trace->rank, trace->n_ranks);
    }
    return status;
}

/* Notes what a trace tells of the program as a whole. */
static enum sf_status
note(const struct sf_trace *trace, struct sf_recording *recording,
     struct sf_error *err)
{
    recording->n_ranks = trace->n_ranks;
    if (!trace->is_finished && recording->n_unfinished++ == 0) {
        recording->first_unfinished = trace->rank;
    }
    for (uint32_t i = 0; i < SF_N_SKIPS; i++) {
        recording->n_skipped[i] += trace->n_skipped[i];
    }
    return trace->n_skipped[SF_SKIP_THREAD]
               ? sf_fail(err, SF_EINVAL,
                         "rank %" PRIu32 " called MPI from a second thread, "
                         "expected all calls of a rank from the thread that "
                         "called MPI_Init",
                         trace->rank)
               : SF_OK;
}

/* Passes through all ranks: the first time if 'ranks' has no stream. */
static enum sf_status
pass(struct sf_goal_ranks *ranks, struct sf_error *err)
{
    struct sf_recording *recording = ranks->recording;
    enum sf_status status = SF_OK;
    uint32_t n_ranks = recording->n_ranks;

    for (uint32_t i = 0; status == SF_OK && (i < n_ranks || !n_ranks); i++) {
        struct sf_trace trace;
        sf_progress_report(ranks->stream ? "writing ranks" : "reading ranks",
                           i, n_ranks);
        status = read_rank(ranks->params->folder, i, n_ranks, &trace, err);
        if (status == SF_OK && !ranks->stream) {
            status = note(&trace, recording, err);
            n_ranks = recording->n_ranks;
        }
        if (status == SF_OK) {
            status = sf_goal_ranks_add(ranks, &trace, err);
        }
        sf_trace_clear(&trace);
    }
    return status;
}

/* Writes what a tag stands for, as a comment. */
static void
write_tag(const struct sf_channel *tag, uint32_t comm, FILE *stream)
{
    fprintf(stream, "// tag %" PRIu32 ": communicator %" PRIu32 ", ",
            tag->number, comm);
    if (tag->key.tag == SF_TAG_COLLECTIVE || tag->key.tag == SF_TAG_EXCHANGE) {
        fputs("collectives\n", stream);
    } else {
        fprintf(stream, "tag %" PRIu32 "\n", tag->key.tag);
    }
}

/* Writes what all tags stand for, in the order of their numbers. */
static bool
write_tags(const struct sf_channels *tags, FILE *stream)
{
    const struct sf_channel **sorted = sf_calloc(tags->n, sizeof *sorted);
    struct sf_channels comms = { 0 };
    bool is_fine = sorted != NULL;

    for (size_t i = 0; sorted && i < tags->n_places; i++) {
        if (tags->places[i].is_used) {
            sorted[tags->places[i].number] = &tags->places[i];
        }
    }
    for (uint32_t i = 0; is_fine && i < tags->n; i++) {
        struct sf_channel_key key = { .comm = sorted[i]->key.comm };
        const struct sf_channel *comm = sf_channels_get(&comms, &key);
        is_fine = comm != NULL;
        if (comm) {
            write_tag(sorted[i], comm->number, stream);
        }
    }
    sf_channels_clear(&comms);
    free(sorted);
    return is_fine;
}

/* Writes what stands before the ranks, which were passed through once. */
static enum sf_status
write_head(const struct sf_goal_ranks *ranks, struct sf_error *err)
{
    fprintf(ranks->stream, "num_ranks %" PRIu32 "\n",
            ranks->recording->n_ranks);
    return write_tags(&ranks->tags, ranks->stream)
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for tags");
}

enum sf_status
sf_recording_write_goal(const struct sf_recording_params *params, FILE *stream,
                        struct sf_recording *recording, struct sf_error *err)
{
    struct sf_goal_ranks ranks = { .params = params, .recording = recording };

    *recording = (struct sf_recording){ 0 };
    ranks.calls.rules = &sf_rules[params->rules];
    enum sf_status status = pass(&ranks, err);
    if (status == SF_OK) {
        ranks.stream = stream;
        status = write_head(&ranks, err);
    }
    if (status == SF_OK) {
        status = pass(&ranks, err);
    }
    sf_channels_clear(&ranks.channels);
    sf_channels_clear(&ranks.tags);
    sf_calls_clear(&ranks.calls);
    if (status == SF_OK && (fflush(stream) != 0 || ferror(stream))) {
        status = sf_fail(err, SF_EIO, "the program could not be written: %s",
                         strerror(errno));
    }
    return status;
}
