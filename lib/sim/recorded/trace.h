/* trace.h -- what one rank of a recorded program did. */
#ifndef SF_SIM_RECORDED_TRACE_H
#define SF_SIM_RECORDED_TRACE_H

#include "base/mem.h"
#include "sim/recorded/format.h"
#include "slimfly/error.h"

#include <stdint.h>

#define SF_TRACE_MAX_RANKS (1u << 24)

struct sf_trace_comm {
    uint64_t name;     /* The same for all its ranks. */
    size_t first;      /* Of its ranks, in 'ranks'. */
    uint32_t n;        /* The remote group stands behind it. */
    uint32_t n_remote; /* 0: it has one group only. */
    uint32_t me;       /* This rank in it; SF_NONE if it is no member. */
};

/* What a call did.  Ranks are those of the world. */
struct sf_trace_record {
    uint8_t kind;       /* enum sf_trace_kind */
    uint8_t collective; /* enum sf_call_kind */
    bool is_request;    /* A collective or an exchange that starts only. */
    bool is_void;       /* A request that never happened, or a receive that
                         * took nothing. */
    uint32_t comm;
    uint32_t peer; /* Or the root, in the communicator. */
    uint32_t tag;
    uint32_t request;     /* Of those that have one. */
    uint64_t amount;      /* Bytes or nanoseconds. */
    size_t first;         /* In 'values'. */
    uint32_t n, n_inward; /* Numbers of bytes; pairs sent and received. */
};

struct sf_trace {
    uint32_t rank, n_ranks;
    bool is_finished; /* It came to MPI_Finalize(). */
    uint64_t n_skipped[SF_N_SKIPS];
    SF_VEC(struct sf_trace_comm) comms;
    SF_VEC(uint32_t) ranks; /* Of communicators, in the world. */
    SF_VEC(struct sf_trace_record) records;
    SF_VEC(uint64_t) values;
    SF_VEC(size_t) requests; /* The record that started each. */
};

/* Reads 'n' bytes.  SF_EPARSE: 'path', the place and what was expected.  The
 * caller calls sf_trace_clear() in any case. */
enum sf_status sf_trace_parse(const uint8_t *bytes, size_t n, const char *path,
                              struct sf_trace *trace, struct sf_error *err);

/* The same for a file. */
enum sf_status sf_trace_read(const char *path, struct sf_trace *trace,
                             struct sf_error *err);
void sf_trace_clear(struct sf_trace *trace);

#endif
