/* requests.c -- requests, persistent ones and messages that were matched by a
 * probe: what they stand for in the trace, and when they are over. */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#define N_LISTS 4096

struct request {
    struct request *next;
    uint64_t handle;
    bool is_message; /* Handles of messages are others. */
    bool is_receive, is_active, is_persistent, is_collective;
    uint32_t number; /* In the trace, while it is active. */
    MPI_Comm comm;   /* What a persistent one starts. */
    int peer, tag;
    uint64_t bytes;
};

static struct request *lists[N_LISTS];
static struct request *unused;

static uint64_t
handle_of(const void *handle, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, handle, size < sizeof value ? size : sizeof value);
    return value;
}

static struct request **
find(uint64_t handle, bool is_message)
{
    struct request **at = &lists[handle * UINT64_C(0x9e3779b97f4a7c15) >> 52];

    while (*at &&
           ((*at)->handle != handle || (*at)->is_message != is_message)) {
        at = &(*at)->next;
    }
    return at;
}

static struct request *
find_request(MPI_Request request)
{
    return *find(handle_of(&request, sizeof request), false);
}

/* Adds a handle, or makes it new; NULL if memory ran out. */
static struct request *
add(uint64_t handle, bool is_message)
{
    struct request **at = find(handle, is_message);
    struct request *request = *at ? *at : unused;

    if (!request) {
        request = calloc(1, sizeof *request);
    } else if (!*at) {
        unused = request->next;
    }
    if (request) {
        struct request *next = *at ? request->next : NULL;
        *request = (struct request){ .next = next,
                                     .handle = handle,
                                     .is_message = is_message };
        *at = request;
    }
    return request;
}

static void
drop(struct request *request)
{
    *find(request->handle, request->is_message) = request->next;
    request->next = unused;
    unused = request;
}

void
record_request_add(MPI_Request handle, bool is_receive)
{
    struct request *request = add(handle_of(&handle, sizeof handle), false);

    if (request) {
        request->is_active = true;
        request->is_receive = is_receive;
        request->number = record_n_requests - 1;
    }
}

void
record_request_add_collective(MPI_Request handle)
{
    struct request *request = add(handle_of(&handle, sizeof handle), false);

    if (request) {
        request->is_active = true;
        request->is_collective = true;
        request->number = record_n_requests - 1;
    }
}

/* Writes that 'request', which may be NULL, is over. */
static void
write_over(struct request *request, MPI_Status *status)
{
    int is_cancelled = 0;

    if (!request || !request->is_active) {
        return;
    }
    if (!request->is_collective) {
        PMPI_Test_cancelled(status, &is_cancelled);
    }
    if (is_cancelled) {
        record_start(SF_TRACE_CANCEL);
        record_number(request->number);
        record_end();
    } else if (request->is_receive) {
        record_got(request->number, status);
    } else {
        record_done(request->number);
    }
    request->is_active = false;
    if (!request->is_persistent) {
        drop(request);
    }
}

/* Requests that are waited for, looked up before they are gone. */
struct waited {
    int n;
    struct request **requests; /* NULL: they are not of interest. */
    MPI_Status *statuses;      /* The caller's, or own ones. */
    MPI_Status *own;
};

static void
begin_wait(struct waited *waited, bool is_on, int n,
           const MPI_Request *handles, MPI_Status *statuses)
{
    *waited = (struct waited){ .n = n, .statuses = statuses };
    if (!is_on || n <= 0) {
        return;
    }
    if (statuses == MPI_STATUSES_IGNORE) {
        waited->own = calloc((size_t)n, sizeof *waited->own);
        if (!waited->own) {
            return;
        }
        waited->statuses = waited->own;
    }
    waited->requests = calloc((size_t)n, sizeof(struct request *));
    for (int i = 0; waited->requests && i < n; i++) {
        waited->requests[i] =
            handles[i] == MPI_REQUEST_NULL ? NULL : find_request(handles[i]);
    }
}

/* Ends it: the request of status i is that of indices[i], or of i if there are
 * none.  One handle may have stood in several places: its request is over the
 * first time. */
static void
end_wait(struct waited *waited, int code, int n_over, const int *indices)
{
    for (int i = 0; code == MPI_SUCCESS && waited->requests && i < n_over;
         i++) {
        int k = indices ? indices[i] : i;
        write_over(waited->requests[k], &waited->statuses[i]);
    }
    free(waited->requests);
    free(waited->own);
    record_leave();
}

WRAPPER
PMPI_Wait(MPI_Request *handle, MPI_Status *status)
{
    struct waited waited;

    begin_wait(&waited, record_enter(), 1, handle,
               status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    int code = NEXT(Wait)(handle, waited.own ? waited.own : status);
    end_wait(&waited, code, 1, NULL);
    return code;
}
BOTH_NAMES(Wait);

WRAPPER
PMPI_Test(MPI_Request *handle, int *flag, MPI_Status *status)
{
    struct waited waited;

    begin_wait(&waited, record_enter(), 1, handle,
               status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    int code = NEXT(Test)(handle, flag, waited.own ? waited.own : status);
    end_wait(&waited, code, code == MPI_SUCCESS && *flag, NULL);
    return code;
}
BOTH_NAMES(Test);

WRAPPER
PMPI_Waitall(int n, MPI_Request handles[], MPI_Status statuses[])
{
    struct waited waited;

    begin_wait(&waited, record_enter(), n, handles, statuses);
    int code = NEXT(Waitall)(n, handles, waited.statuses);
    end_wait(&waited, code, n, NULL);
    return code;
}
BOTH_NAMES(Waitall);

WRAPPER
PMPI_Testall(int n, MPI_Request handles[], int *flag, MPI_Status statuses[])
{
    struct waited waited;

    begin_wait(&waited, record_enter(), n, handles, statuses);
    int code = NEXT(Testall)(n, handles, flag, waited.statuses);
    end_wait(&waited, code, code == MPI_SUCCESS && *flag ? n : 0, NULL);
    return code;
}
BOTH_NAMES(Testall);

WRAPPER
PMPI_Waitany(int n, MPI_Request handles[], int *index, MPI_Status *status)
{
    struct waited waited;

    begin_wait(&waited, record_enter(), n, handles,
               status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    int code =
        NEXT(Waitany)(n, handles, index, waited.own ? waited.own : status);
    end_wait(&waited, code, code == MPI_SUCCESS && *index != MPI_UNDEFINED,
             index);
    return code;
}
BOTH_NAMES(Waitany);

WRAPPER
PMPI_Testany(int n, MPI_Request handles[], int *index, int *flag,
             MPI_Status *status)
{
    struct waited waited;

    begin_wait(&waited, record_enter(), n, handles,
               status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
    int code = NEXT(Testany)(n, handles, index, flag,
                             waited.own ? waited.own : status);
    end_wait(&waited, code,
             code == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED, index);
    return code;
}
BOTH_NAMES(Testany);

WRAPPER
PMPI_Waitsome(int n, MPI_Request handles[], int *n_over, int indices[],
              MPI_Status statuses[])
{
    struct waited waited;

    begin_wait(&waited, record_enter(), n, handles, statuses);
    int code = NEXT(Waitsome)(n, handles, n_over, indices, waited.statuses);
    end_wait(&waited, code,
             code == MPI_SUCCESS && *n_over != MPI_UNDEFINED ? *n_over : 0,
             indices);
    return code;
}
BOTH_NAMES(Waitsome);

WRAPPER
PMPI_Testsome(int n, MPI_Request handles[], int *n_over, int indices[],
              MPI_Status statuses[])
{
    struct waited waited;

    begin_wait(&waited, record_enter(), n, handles, statuses);
    int code = NEXT(Testsome)(n, handles, n_over, indices, waited.statuses);
    end_wait(&waited, code,
             code == MPI_SUCCESS && *n_over != MPI_UNDEFINED ? *n_over : 0,
             indices);
    return code;
}
BOTH_NAMES(Testsome);

/* Who frees a request does not wait for it. */
WRAPPER
PMPI_Request_free(MPI_Request *handle)
{
    struct request *request = record_enter() ? find_request(*handle) : NULL;
    int code = NEXT(Request_free)(handle);

    if (request && code == MPI_SUCCESS) {
        drop(request);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Request_free);

/* Keeps what a persistent request starts. */
static void
keep(MPI_Request handle, bool is_receive, MPI_Comm comm, int peer, int tag,
     uint64_t bytes)
{
    struct request *request = add(handle_of(&handle, sizeof handle), false);

    if (request) {
        request->is_persistent = true;
        request->is_receive = is_receive;
        request->comm = comm;
        request->peer = peer;
        request->tag = tag;
        request->bytes = bytes;
    }
}

#define KEEPS(name)                                                           \
    WRAPPER PMPI_##name(const void *data, int count, MPI_Datatype type,       \
                        int peer, int tag, MPI_Comm comm,                     \
                        MPI_Request *handle)                                  \
    {                                                                         \
        bool is_on = record_enter();                                          \
        int code = NEXT(name)(data, count, type, peer, tag, comm, handle);    \
        if (is_on && code == MPI_SUCCESS) {                                   \
            keep(*handle, false, comm, peer, tag, record_bytes(count, type)); \
        }                                                                     \
        record_leave();                                                       \
        return code;                                                          \
    }                                                                         \
    BOTH_NAMES(name)

KEEPS(Send_init);
KEEPS(Bsend_init);
KEEPS(Ssend_init);
KEEPS(Rsend_init);

WRAPPER
PMPI_Recv_init(void *data, int count, MPI_Datatype type, int peer, int tag,
               MPI_Comm comm, MPI_Request *handle)
{
    bool is_on = record_enter();
    int code = NEXT(Recv_init)(data, count, type, peer, tag, comm, handle);

    if (is_on && code == MPI_SUCCESS) {
        keep(*handle, true, comm, peer, tag, record_bytes(count, type));
    }
    record_leave();
    return code;
}
BOTH_NAMES(Recv_init);

/* Writes that persistent requests start. */
static void
write_starts(int n, const MPI_Request *handles)
{
    for (int i = 0; i < n; i++) {
        struct request *request = find_request(handles[i]);
        if (!request) { /* Messages would be known. */
            record_skip(SF_SKIP_PERSISTENT);
        } else if (request->is_persistent) {
            request->number = record_n_requests;
            request->is_active =
                request->is_receive
                    ? record_posted(request->comm, request->peer, request->tag,
                                    request->bytes)
                    : record_message(SF_TRACE_ISEND, request->comm,
                                     request->peer, request->tag,
                                     request->bytes);
        }
    }
}

WRAPPER
PMPI_Start(MPI_Request *handle)
{
    bool is_on = record_enter();
    int code = NEXT(Start)(handle);

    if (is_on && code == MPI_SUCCESS) {
        write_starts(1, handle);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Start);

WRAPPER
PMPI_Startall(int n, MPI_Request handles[])
{
    bool is_on = record_enter();
    int code = NEXT(Startall)(n, handles);

    if (is_on && code == MPI_SUCCESS) {
        write_starts(n, handles);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Startall);

/* A probe that takes a message out of the queue is where it is received, as
 * far as the order of messages goes. */
static void
write_match(MPI_Message handle, MPI_Comm comm, const MPI_Status *status)
{
    if (handle == MPI_MESSAGE_NO_PROC ||
        !record_posted(comm, status->MPI_SOURCE, status->MPI_TAG, 0)) {
        return;
    }
    struct request *message = add(handle_of(&handle, sizeof handle), true);
    if (message) {
        message->number = record_n_requests - 1;
        message->is_active = message->is_receive = true;
    }
}

WRAPPER
PMPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message,
            MPI_Status *status)
{
    bool is_on = record_enter();
    MPI_Status own;
    MPI_Status *got = status == MPI_STATUS_IGNORE ? &own : status;
    int code = NEXT(Mprobe)(peer, tag, comm, message, got);

    if (is_on && code == MPI_SUCCESS) {
        write_match(*message, comm, got);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Mprobe);

WRAPPER
PMPI_Improbe(int peer, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
             MPI_Status *status)
{
    bool is_on = record_enter();
    MPI_Status own;
    MPI_Status *got = status == MPI_STATUS_IGNORE ? &own : status;
    int code = NEXT(Improbe)(peer, tag, comm, flag, message, got);

    if (is_on && code == MPI_SUCCESS && *flag) {
        write_match(*message, comm, got);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Improbe);

WRAPPER
PMPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *handle,
           MPI_Status *status)
{
    bool is_on = record_enter();
    MPI_Status own;
    MPI_Status *got = status == MPI_STATUS_IGNORE ? &own : status;
    struct request *message =
        is_on ? *find(handle_of(handle, sizeof *handle), true) : NULL;
    int code = NEXT(Mrecv)(data, count, type, handle, got);

    if (code == MPI_SUCCESS) {
        write_over(message, got);
    }
    record_leave();
    return code;
}
BOTH_NAMES(Mrecv);

WRAPPER
PMPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *handle,
            MPI_Request *request)
{
    bool is_on = record_enter();
    struct request *message =
        is_on ? *find(handle_of(handle, sizeof *handle), true) : NULL;
    int code = NEXT(Imrecv)(data, count, type, handle, request);

    if (message && code == MPI_SUCCESS) {
        uint32_t number = message->number;
        drop(message);
        struct request *made = add(handle_of(request, sizeof *request), false);
        if (made) {
            made->number = number;
            made->is_active = made->is_receive = true;
        }
    }
    record_leave();
    return code;
}
BOTH_NAMES(Imrecv);
