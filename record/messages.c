/* messages.c -- messages from one rank to another. */
#include "record.h"

uint32_t record_n_requests;

bool
record_message(enum sf_trace_kind kind, MPI_Comm comm, int peer, int tag,
               uint64_t bytes)
{
    const struct record_comm *known =
        peer == MPI_PROC_NULL ? NULL : record_comm_get(comm);

    /* MPI refuses what it cannot send, but is asked afterwards. */
    if (!known || peer < 0 || peer >= known->n_peers || tag < 0) {
        return false;
    }
    record_start(kind);
    record_number(known->number);
    record_number((uint64_t)peer);
    record_number((uint64_t)tag);
    record_number(bytes);
    record_end();
    record_n_requests += kind == SF_TRACE_ISEND;
    return true;
}

bool
record_posted(MPI_Comm comm, int peer, int tag, uint64_t bytes)
{
    const struct record_comm *known =
        peer == MPI_PROC_NULL ? NULL : record_comm_get(comm);

    if (!known) {
        return false;
    }
    record_start(SF_TRACE_IRECV);
    record_number(known->number);
    record_number(peer == MPI_ANY_SOURCE ? 0 : (uint64_t)peer + 1);
    record_number(tag == MPI_ANY_TAG ? 0 : (uint64_t)tag + 1);
    record_number(bytes);
    record_end();
    record_n_requests++;
    return true;
}

static uint64_t
count_got(const MPI_Status *status)
{
    MPI_Count n = 0;

    PMPI_Get_elements_x(status, MPI_BYTE, &n);
    return n > 0 ? (uint64_t)n : 0;
}

void
record_done(uint32_t number)
{
    record_start(SF_TRACE_DONE);
    record_number(number);
    record_end();
}

void
record_got(uint32_t number, MPI_Status *status)
{
    record_start(SF_TRACE_GOT);
    record_number(number);
    record_number((uint64_t)status->MPI_SOURCE);
    record_number((uint64_t)status->MPI_TAG);
    record_number(count_got(status));
    record_end();
}

/* A send is written before it is made: if it never returns, its receiver may
 * have got it all the same. */
#define SENDS(name)                                                     \
    WRAPPER PMPI_##name(const void *data, int count, MPI_Datatype type, \
                        int peer, int tag, MPI_Comm comm)               \
    {                                                                   \
        if (record_enter()) {                                           \
            record_message(SF_TRACE_SEND, comm, peer, tag,              \
                           record_bytes(count, type));                  \
        }                                                               \
        int code = NEXT(name)(data, count, type, peer, tag, comm);      \
        record_leave();                                                 \
        return code;                                                    \
    }                                                                   \
    BOTH_NAMES(name)

SENDS(Send);
SENDS(Bsend);
SENDS(Ssend);
SENDS(Rsend);

#define STARTS_SEND(name)                                                   \
    WRAPPER PMPI_##name(const void *data, int count, MPI_Datatype type,     \
                        int peer, int tag, MPI_Comm comm,                   \
                        MPI_Request *request)                               \
    {                                                                       \
        bool is_on = record_enter();                                        \
        int code = NEXT(name)(data, count, type, peer, tag, comm, request); \
        if (is_on && code == MPI_SUCCESS &&                                 \
            record_message(SF_TRACE_ISEND, comm, peer, tag,                 \
                           record_bytes(count, type))) {                    \
            record_request_add(*request, false);                            \
        }                                                                   \
        record_leave();                                                     \
        return code;                                                        \
    }                                                                       \
    BOTH_NAMES(name)

STARTS_SEND(Isend);
STARTS_SEND(Ibsend);
STARTS_SEND(Issend);
STARTS_SEND(Irsend);

WRAPPER
PMPI_Recv(void *data, int count, MPI_Datatype type, int peer, int tag,
          MPI_Comm comm, MPI_Status *status)
{
    bool is_on = record_enter();
    MPI_Status own;
    MPI_Status *got = status == MPI_STATUS_IGNORE ? &own : status;
    int code = NEXT(Recv)(data, count, type, peer, tag, comm, got);

    if (is_on && code == MPI_SUCCESS && peer != MPI_PROC_NULL) {
        record_message(SF_TRACE_RECV, comm, got->MPI_SOURCE, got->MPI_TAG,
                       count_got(got));
    }
    record_leave();
    return code;
}
BOTH_NAMES(Recv);

WRAPPER
PMPI_Irecv(void *data, int count, MPI_Datatype type, int peer, int tag,
           MPI_Comm comm, MPI_Request *request)
{
    bool is_on = record_enter();
    int code = NEXT(Irecv)(data, count, type, peer, tag, comm, request);

    if (is_on && code == MPI_SUCCESS &&
        record_posted(comm, peer, tag, record_bytes(count, type))) {
        record_request_add(*request, true);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Irecv);

/* Writes a send and a receive that are under way at once. */
static void
write_both(MPI_Comm comm, int to, int send_tag, uint64_t bytes, int from,
           MPI_Status *got)
{
    uint32_t send = record_n_requests;
    bool is_sent = record_message(SF_TRACE_ISEND, comm, to, send_tag, bytes);
    uint32_t receive = record_n_requests;

    if (from != MPI_PROC_NULL &&
        record_posted(comm, got->MPI_SOURCE, got->MPI_TAG, 0)) {
        record_got(receive, got);
    }
    if (is_sent) {
        record_done(send);
    }
}

WRAPPER
PMPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to,
              int send_tag, void *into, int max, MPI_Datatype into_type,
              int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    bool is_on = record_enter();
    MPI_Status own;
    MPI_Status *got = status == MPI_STATUS_IGNORE ? &own : status;
    int code = NEXT(Sendrecv)(data, count, type, to, send_tag, into, max,
                              into_type, from, tag, comm, got);

    if (is_on && code == MPI_SUCCESS) {
        write_both(comm, to, send_tag, record_bytes(count, type), from, got);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Sendrecv);

WRAPPER
PMPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to,
                      int send_tag, int from, int tag, MPI_Comm comm,
                      MPI_Status *status)
{
    bool is_on = record_enter();
    MPI_Status own;
    MPI_Status *got = status == MPI_STATUS_IGNORE ? &own : status;
    int code = NEXT(Sendrecv_replace)(data, count, type, to, send_tag, from,
                                      tag, comm, got);

    if (is_on && code == MPI_SUCCESS) {
        write_both(comm, to, send_tag, record_bytes(count, type), from, got);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Sendrecv_replace);

/* What these find is written when it is received. */
WRAPPER
PMPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    record_enter();
    int code = NEXT(Probe)(peer, tag, comm, status);
    record_leave();
    return code;
}
BOTH_NAMES(Probe);

WRAPPER
PMPI_Iprobe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    record_enter();
    int code = NEXT(Iprobe)(peer, tag, comm, flag, status);
    record_leave();
    return code;
}
BOTH_NAMES(Iprobe);
