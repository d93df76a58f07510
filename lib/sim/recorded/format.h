/* format.h -- traces, as the preloaded library (record/) writes them and
 * trace.h reads them: one file a rank.
 *
 * SF_TRACE_MAGIC, then numbers: the rank, how many ranks there are, and
 * records until one of kind SF_TRACE_END or the end of the file.  A record is
 * a byte, its kind, and the numbers that are listed below.  A number has seven
 * bits a byte, the lowest first; bit 7 says that there are more.  Zeros behind
 * the last record are no harm, since the file grows ahead of what is written:
 * so a trace is whole at any moment, however the program ends.
 *
 * Communicators are numbered as they are met, and so are requests.  Ranks are
 * those of the communicator: of the remote group, if it has one. */
#ifndef SF_SIM_RECORDED_FORMAT_H
#define SF_SIM_RECORDED_FORMAT_H

#define SF_TRACE_MAGIC "slimfly trace 1\n"

/* Names a trace in its folder, by its rank. */
#define SF_TRACE_NAME "rank-%u.trace"

/* Tells the preloaded library the folder for traces. */
#define SF_TRACE_VARIABLE "SLIMFLY_RECORD_DIR"

enum sf_trace_kind {
    SF_TRACE_END,
    SF_TRACE_COMPUTE,    /* nanoseconds */
    SF_TRACE_COMM,       /* name, n, n ranks of the world, m, m of the remote
                          * group.  Equal names: the same communicator. */
    SF_TRACE_SEND,       /* comm, rank, tag, bytes */
    SF_TRACE_RECV,       /* the same */
    SF_TRACE_ISEND,      /* the same; a new request */
    SF_TRACE_IRECV,      /* comm, rank + 1 or 0 for any, tag + 1 or 0 for any,
                          * bytes at most; a new request */
    SF_TRACE_DONE,       /* request: it is over, and was waited for */
    SF_TRACE_GOT,        /* request, rank, tag, bytes: so is this receive */
    SF_TRACE_CANCEL,     /* request: it never happened */
    SF_TRACE_COLLECTIVE, /* enum sf_call_kind, whether it is a new
                          * request, comm, root, n, n numbers of bytes */
    SF_TRACE_EXCHANGE,   /* whether it is a new request, comm, n, n times rank
                          * and bytes that are sent, m, m times the same that
                          * are received */
    SF_TRACE_SKIP,       /* enum sf_trace_skip: a call that is not recorded */
    SF_TRACE_FINISH,     /* MPI_Finalize() was called. */
    SF_N_TRACE_KINDS,
};

/* Collectives; how many bytes there are, and what they are. */
enum sf_call_kind {
    SF_CALL_BARRIER,        /* none */
    SF_CALL_BCAST,          /* 1 */
    SF_CALL_REDUCE,         /* 1 */
    SF_CALL_GATHER,         /* 1: of each rank */
    SF_CALL_SCATTER,        /* 1: of each rank */
    SF_CALL_ALLREDUCE,      /* 1 */
    SF_CALL_ALLTOALL,       /* 1: of each pair */
    SF_CALL_SCAN,           /* 1; MPI_Exscan() too */
    SF_CALL_ALLGATHER,      /* [ranks] */
    SF_CALL_REDUCE_SCATTER, /* [ranks] */
    SF_N_CALLS,
};

/* What is not recorded. */
enum sf_trace_skip {
    SF_SKIP_ONE_SIDED,    /* MPI_Put() and the like. */
    SF_SKIP_INTER,        /* Collectives of two groups. */
    SF_SKIP_UNKNOWN_COMM, /* Communicators of unknown origin. */
    SF_SKIP_SPAWN,        /* Processes that were not there at the start. */
    SF_SKIP_THREAD,       /* Calls of a second thread. */
    SF_SKIP_FULL,         /* No room for the trace from here on. */
    SF_SKIP_PERSISTENT,   /* Collectives that start again and again. */
    SF_N_SKIPS,
};

#endif
