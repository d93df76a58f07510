/* trace.c -- see trace.h. */
#include "sim/recorded/trace.h"

#include "base/file.h"
#include "slimfly/graph.h"

#include <inttypes.h>
#include <string.h>

#define MAX_AMOUNT UINT64_C(1000000000000000) /* Of bytes of a message. */
#define MAX_TIME   UINT64_C(1000000000000000000)
#define MAX_TAG    (UINT32_MAX - 2) /* There are two tags more. */

/* Reads numbers until the first failure, which stays. */
struct reader {
    const uint8_t *bytes;
    size_t n, at;
    const char *path;
    struct sf_trace *trace;
    SF_VEC(bool) is_over; /* [requests] */
    enum sf_status status;
    struct sf_error *err;
};

static void
fail_here(struct reader *reader, const char *expected)
{
    if (reader->status == SF_OK) {
        reader->status =
            sf_fail(reader->err, SF_EPARSE, "%s: byte %zu: expected %s",
                    reader->path, reader->at, expected);
    }
}

static void
fail_memory(struct reader *reader)
{
    if (reader->status == SF_OK) {
        reader->status =
            sf_fail(reader->err, SF_ENOMEM, "%s: out of memory for a trace",
                    reader->path);
    }
}

/* Takes a number of at most 'max', called 'what'; 0 after a failure. */
static uint64_t
take(struct reader *reader, const char *what, uint64_t max)
{
    uint64_t value = 0;
    unsigned shift = 0;
    bool has_more = true;

    while (reader->status == SF_OK && has_more) {
        if (reader->at == reader->n || shift > 63 ||
            (shift == 63 && reader->bytes[reader->at] > 1)) {
            fail_here(reader, what);
            return 0;
        }
        uint8_t byte = reader->bytes[reader->at++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        has_more = byte & 0x80;
    }
    if (reader->status == SF_OK && value > max) {
        fail_here(reader, what);
    }
    return reader->status == SF_OK ? value : 0;
}

static const struct sf_trace_comm *
take_comm(struct reader *reader, uint32_t *commp)
{
    size_t n = reader->trace->comms.n;

    *commp = (uint32_t)take(reader, "a communicator that was met before",
                            n ? n - 1 : 0);
    if (n == 0) {
        fail_here(reader, "a communicator first");
    }
    return reader->status == SF_OK ? &reader->trace->comms.items[*commp]
                                   : NULL;
}

/* How many ranks messages of 'comm' can go to. */
static uint32_t
count_peers(const struct sf_trace_comm *comm)
{
    return comm->n_remote ? comm->n_remote : comm->n;
}

/* The rank in the world of what 'comm' calls 'peer'. */
static uint32_t
find_peer(const struct reader *reader, const struct sf_trace_comm *comm,
          uint32_t peer)
{
    size_t skipped = comm->n_remote ? comm->n : 0;
    return reader->trace->ranks.items[comm->first + skipped + peer];
}

static uint32_t
take_peer(struct reader *reader, const struct sf_trace_comm *comm)
{
    if (!comm) {
        return 0;
    }
    uint32_t peer = (uint32_t)take(reader, "a rank of the communicator",
                                   count_peers(comm) - 1);
    return reader->status == SF_OK ? find_peer(reader, comm, peer) : 0;
}

/* Takes the ranks of a group; returns how many there are. */
static uint32_t
take_group(struct reader *reader, uint32_t *mep)
{
    struct sf_trace *trace = reader->trace;
    uint32_t n = (uint32_t)take(reader, "a number of ranks", trace->n_ranks);

    *mep = SF_NONE;
    for (uint32_t i = 0; reader->status == SF_OK && i < n; i++) {
        uint32_t rank =
            (uint32_t)take(reader, "a rank of the world", trace->n_ranks - 1);
        if (rank == trace->rank) {
            *mep = i;
        }
        if (!sf_vec_push(&trace->ranks, rank)) {
            fail_memory(reader);
        }
    }
    return n;
}

static void
take_communicator(struct reader *reader)
{
    struct sf_trace *trace = reader->trace;
    struct sf_trace_comm comm = { .first = trace->ranks.n };
    uint32_t ignored;

    comm.name = take(reader, "the name of a communicator", UINT64_MAX);
    comm.n = take_group(reader, &comm.me);
    comm.n_remote = take_group(reader, &ignored);
    if (comm.me == SF_NONE) {
        fail_here(reader, "a communicator of this rank");
    }
    if (trace->comms.n >= UINT32_MAX - 1) {
        fail_here(reader, "fewer communicators");
    }
    if (reader->status == SF_OK && !sf_vec_push(&trace->comms, comm)) {
        fail_memory(reader);
    }
}

/* Adds a record, with a request if it is one. */
static void
add(struct reader *reader, struct sf_trace_record record, bool is_request)
{
    struct sf_trace *trace = reader->trace;

    if (reader->status != SF_OK) {
        return;
    }
    if (is_request) {
        record.request = (uint32_t)trace->requests.n;
        if (record.request == SF_NONE - 1) {
            fail_here(reader, "fewer requests");
        } else if (!sf_vec_push(&trace->requests, trace->records.n) ||
                   !sf_vec_push(&reader->is_over, false)) {
            fail_memory(reader);
        }
    }
    if (reader->status == SF_OK && !sf_vec_push(&trace->records, record)) {
        fail_memory(reader);
    }
}

static void
take_message(struct reader *reader, enum sf_trace_kind kind)
{
    struct sf_trace_record record = { .kind = (uint8_t)kind };
    const struct sf_trace_comm *comm = take_comm(reader, &record.comm);

    record.peer = take_peer(reader, comm);
    record.tag = (uint32_t)take(reader, "a tag", MAX_TAG);
    record.amount = take(reader, "a number of bytes", MAX_AMOUNT);
    add(reader, record, kind == SF_TRACE_ISEND);
}

/* Takes a receive, which takes nothing until it is known from whom. */
static void
take_posted(struct reader *reader)
{
    struct sf_trace_record record = { .kind = SF_TRACE_IRECV };
    const struct sf_trace_comm *comm = take_comm(reader, &record.comm);
    if (!comm) {
        return;
    }
    uint32_t peer = (uint32_t)take(reader, "a rank of the communicator, or 0",
                                   count_peers(comm));
    uint32_t tag = (uint32_t)take(reader, "a tag, or 0", MAX_TAG);
    record.amount = take(reader, "a number of bytes", MAX_AMOUNT);
    record.is_void = peer == 0 || tag == 0;
    if (reader->status == SF_OK && !record.is_void) {
        record.peer = find_peer(reader, comm, peer - 1);
        record.tag = tag - 1;
    }
    add(reader, record, true);
}

/* Takes the end of a request; NULL after a failure. */
static struct sf_trace_record *
take_request(struct reader *reader, uint32_t *requestp)
{
    struct sf_trace *trace = reader->trace;
    size_t n = trace->requests.n;

    *requestp =
        (uint32_t)take(reader, "a request that was met before", n ? n - 1 : 0);
    if (n == 0 ||
        (reader->status == SF_OK && reader->is_over.items[*requestp])) {
        fail_here(reader, "a request that is under way");
    }
    if (reader->status != SF_OK) {
        return NULL;
    }
    reader->is_over.items[*requestp] = true;
    return &trace->records.items[trace->requests.items[*requestp]];
}

static void
take_done(struct reader *reader, enum sf_trace_kind kind)
{
    struct sf_trace_record record = { .kind = SF_TRACE_DONE };
    struct sf_trace_record *started = take_request(reader, &record.request);

    if (!started) {
        return;
    }
    if (kind == SF_TRACE_CANCEL) {
        started->is_void = true;
        return;
    }
    if (kind == SF_TRACE_GOT) {
        if (started->kind != SF_TRACE_IRECV) {
            fail_here(reader, "the request of a receive");
            return;
        }
        started->peer =
            take_peer(reader, &reader->trace->comms.items[started->comm]);
        started->tag = (uint32_t)take(reader, "a tag", MAX_TAG);
        started->amount = take(reader, "a number of bytes", MAX_AMOUNT);
        started->is_void = false;
    }
    add(reader, record, false);
}

static void
take_value(struct reader *reader, uint64_t value)
{
    if (reader->status == SF_OK &&
        !sf_vec_push(&reader->trace->values, value)) {
        fail_memory(reader);
    }
}

/* How many numbers of bytes a collective of 'n' ranks has. */
static uint32_t
count_values(enum sf_call_kind kind, uint32_t n)
{
    return kind == SF_CALL_BARRIER                                       ? 0
           : kind == SF_CALL_ALLGATHER || kind == SF_CALL_REDUCE_SCATTER ? n
                                                                         : 1;
}

static void
take_collective(struct reader *reader)
{
    struct sf_trace_record record = { .kind = SF_TRACE_COLLECTIVE,
                                      .first = reader->trace->values.n };

    record.collective = (uint8_t)take(reader, "a collective", SF_N_CALLS - 1);
    record.is_request = take(reader, "0 or 1", 1);
    const struct sf_trace_comm *comm = take_comm(reader, &record.comm);
    if (!comm) {
        return;
    }
    record.peer = (uint32_t)take(reader, "a root", comm->n - 1);
    record.n = (uint32_t)take(reader, "how many numbers there are",
                              SF_TRACE_MAX_RANKS);
    if (comm->n_remote ||
        record.n != count_values(record.collective, comm->n)) {
        fail_here(reader, "as many numbers as the collective has");
    }
    for (uint32_t i = 0; reader->status == SF_OK && i < record.n; i++) {
        take_value(reader, take(reader, "a number of bytes", MAX_AMOUNT));
    }
    add(reader, record, record.is_request);
}

/* Takes pairs of a rank and bytes; returns how many. */
static uint32_t
take_pairs(struct reader *reader, const struct sf_trace_comm *comm)
{
    uint32_t n =
        (uint32_t)take(reader, "a number of messages", SF_TRACE_MAX_RANKS);

    for (uint32_t i = 0; reader->status == SF_OK && i < n; i++) {
        take_value(reader, take_peer(reader, comm));
        take_value(reader, take(reader, "a number of bytes", MAX_AMOUNT));
    }
    return n;
}

static void
take_exchange(struct reader *reader)
{
    struct sf_trace_record record = { .kind = SF_TRACE_EXCHANGE,
                                      .first = reader->trace->values.n };

    record.is_request = take(reader, "0 or 1", 1);
    const struct sf_trace_comm *comm = take_comm(reader, &record.comm);
    record.n = take_pairs(reader, comm);
    record.n_inward = take_pairs(reader, comm);
    add(reader, record, record.is_request);
}

static void
take_compute(struct reader *reader)
{
    struct sf_trace_record record = { .kind = SF_TRACE_COMPUTE };

    struct sf_trace *trace = reader->trace;

    record.amount = take(reader, "nanoseconds", MAX_TIME);
    struct sf_trace_record *last =
        trace->records.n ? &trace->records.items[trace->records.n - 1] : NULL;
    if (last && last->kind == SF_TRACE_COMPUTE &&
        last->amount <= MAX_TIME - record.amount) {
        last->amount += record.amount; /* What is between them is no call. */
    } else {
        add(reader, record, false);
    }
}

/* Takes a record; false if it was the last. */
static bool
take_record(struct reader *reader)
{
    struct sf_trace *trace = reader->trace;
    enum sf_trace_kind kind = reader->bytes[reader->at++];

    switch (kind) {
    case SF_TRACE_END:
        return false;
    case SF_TRACE_COMPUTE:
        take_compute(reader);
        break;
    case SF_TRACE_COMM:
        take_communicator(reader);
        break;
    case SF_TRACE_SEND:
    case SF_TRACE_RECV:
    case SF_TRACE_ISEND:
        take_message(reader, kind);
        break;
    case SF_TRACE_IRECV:
        take_posted(reader);
        break;
    case SF_TRACE_DONE:
    case SF_TRACE_GOT:
    case SF_TRACE_CANCEL:
        take_done(reader, kind);
        break;
    case SF_TRACE_COLLECTIVE:
        take_collective(reader);
        break;
    case SF_TRACE_EXCHANGE:
        take_exchange(reader);
        break;
    case SF_TRACE_SKIP:
        trace->n_skipped[take(reader, "a kind of call", SF_N_SKIPS - 1)]++;
        break;
    case SF_TRACE_FINISH:
        trace->is_finished = true;
        break;
    case SF_N_TRACE_KINDS:
    default:
        fail_here(reader, "a kind of record before this byte");
    }
    return reader->status == SF_OK;
}

enum sf_status
sf_trace_parse(const uint8_t *bytes, size_t n, const char *path,
               struct sf_trace *trace, struct sf_error *err)
{
    struct reader reader = {
        .bytes = bytes, .n = n, .path = path, .trace = trace, .err = err
    };
    size_t length = strlen(SF_TRACE_MAGIC);

    *trace = (struct sf_trace){ 0 };
    if (n < length || memcmp(bytes, SF_TRACE_MAGIC, length) != 0) {
        return sf_fail(err, SF_EPARSE,
                       "%s: expected a trace of slimfly record", path);
    }
    reader.at = length;
    trace->rank = (uint32_t)take(&reader, "a rank", SF_TRACE_MAX_RANKS - 1);
    trace->n_ranks =
        (uint32_t)take(&reader, "a number of ranks", SF_TRACE_MAX_RANKS);
    if (trace->rank >= trace->n_ranks) {
        fail_here(&reader, "more ranks than that");
    }
    while (reader.status == SF_OK && reader.at < n && take_record(&reader)) {
    }
    free(reader.is_over.items);
    return reader.status;
}

enum sf_status
sf_trace_read(const char *path, struct sf_trace *trace, struct sf_error *err)
{
    char *text = NULL;
    size_t n = 0;
    enum sf_status status = sf_file_read(path, &text, &n, err);

    *trace = (struct sf_trace){ 0 };
    if (status == SF_OK) {
        status = sf_trace_parse((const uint8_t *)text, n, path, trace, err);
        free(text);
    }
    return status;
}

void
sf_trace_clear(struct sf_trace *trace)
{
    free(trace->comms.items);
    free(trace->ranks.items);
    free(trace->records.items);
    free(trace->values.items);
    free(trace->requests.items);
    *trace = (struct sf_trace){ 0 };
}
