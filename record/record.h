/* record.h -- what the wrappers of MPI's calls share.
 *
 * The library is loaded before MPI (LD_PRELOAD) and defines both names of each
 * call, MPI_X and PMPI_X: the bindings for Fortran call the second, so that
 * one wrapper in C sees all languages.  NEXT(X) is the call behind it.
 *
 * Only one thread is recorded, that of MPI_Init().  What other threads call is
 * counted: without an order of calls there is no program. */
#ifndef RECORD_H
#define RECORD_H

#define _GNU_SOURCE
#include "sim/recorded/format.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Finds a function of MPI behind this library; ends the process, having said
 * why, if there is none. */
void *record_find(const char *name);

#define NEXT(name)                                         \
    __extension__({                                        \
        static __typeof__(&PMPI_##name) next_;             \
        if (!next_) {                                      \
            *(void **)&next_ = record_find("PMPI_" #name); \
        }                                                  \
        next_;                                             \
    })

/* Defines the first name of a call whose second is defined. */
#define BOTH_NAMES(name)                      \
    extern __typeof__(PMPI_##name) MPI_##name \
        __attribute__((alias("PMPI_" #name), visibility("default")))

#define WRAPPER __attribute__((visibility("default"))) int

/* Starts recording, and ends it. */
void record_begin(void);
void record_finish(void);

/* Around each call.  The first returns whether it is to be recorded: if it is
 * not part of another one, and recording has begun. */
bool record_enter(void);
void record_leave(void);

/* Writes a record: its kind, its numbers, its end. */
void record_start(enum sf_trace_kind kind);
void record_number(uint64_t number);
void record_end(void);

/* Writes that a call was skipped. */
void record_skip(enum sf_trace_skip what);

/* What is known of a communicator; NULL: nothing, which is counted. */
struct record_comm {
    uint64_t name;
    uint32_t number;
    uint32_t n_children; /* That were made of it by all its ranks at once. */
    int me, n;           /* This rank, and how many. */
    int n_peers;         /* Ranks that this one can send to. */
    bool is_inter;
};
void record_comms_begin(void);
struct record_comm *record_comm_get(MPI_Comm comm);

/* The same for collectives, of one group only. */
struct record_comm *record_comm_get_intra(MPI_Comm comm);

/* The bytes of 'count' items. */
uint64_t record_bytes(MPI_Count count, MPI_Datatype type);

/* Write a message, of the kinds that have no request and that have one, and a
 * receive; false if there is nothing to write, as with MPI_PROC_NULL or a rank
 * that is not there.  They
 * count requests: the number of the last is one less. */
bool record_message(enum sf_trace_kind kind, MPI_Comm comm, int peer, int tag,
                    uint64_t bytes);
bool record_posted(MPI_Comm comm, int peer, int tag, uint64_t bytes);
extern uint32_t record_n_requests;

/* Write that a request is over; that of a receive, with its status. */
void record_done(uint32_t number);
void record_got(uint32_t number, MPI_Status *status);

/* Notes that 'request' stands for the last one written.  A handle that stands
 * for several, as some MPIs have for what is over at once, keeps the last:
 * such sends are small and are not waited for. */
void record_request_add(MPI_Request request, bool is_receive);
void record_request_add_collective(MPI_Request request);

#endif
