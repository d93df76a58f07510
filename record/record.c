/* record.c -- the trace of this process, and when it is written.
 *
 * The trace is a file in memory that others see at once.  The kind of a record
 * is written last, so that what is there is whole whenever the process ends,
 * and however. */
#include "record.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define FIRST_SIZE ((size_t)1 << 16)
#define MAX_STEP   ((size_t)1 << 26)

static struct {
    bool is_on;
    pthread_t thread;
    int fd;
    uint8_t *bytes; /* [size] The file. */
    size_t size, n;
    size_t start; /* Of the record that is being written. */
    enum sf_trace_kind kind;
    uint64_t left;     /* When this thread left MPI last; its own clock. */
    uint64_t computed; /* Nanoseconds that are not written yet. */
} trace;

static __thread unsigned depth;
static _Atomic unsigned n_of_others;

void *
record_find(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);

    if (!found) {
        fprintf(stderr, "slimfly record: the MPI of this program has no %s\n",
                name);
        abort();
    }
    return found;
}

/* Nanoseconds that this thread has run. */
static uint64_t
read_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Makes room; false if there is none. */
static bool
grow(void)
{
    size_t size = trace.size == 0         ? FIRST_SIZE
                  : trace.size < MAX_STEP ? 2 * trace.size
                                          : trace.size + MAX_STEP;

    if (posix_fallocate(trace.fd, 0, (off_t)size) != 0) {
        return false;
    }
    void *bytes = trace.bytes
                      ? mremap(trace.bytes, trace.size, size, MREMAP_MAYMOVE)
                      : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                             trace.fd, 0);
    if (bytes == MAP_FAILED) {
        return false;
    }
    trace.bytes = bytes;
    trace.size = size;
    return true;
}

/* Two bytes stay free, for a record that says that there is no more room. */
static void
put(uint8_t byte)
{
    if (!trace.is_on) {
        return;
    }
    if (trace.n + 3 > trace.size && !grow()) {
        trace.is_on = false;
        memset(trace.bytes + trace.start, 0, trace.n - trace.start);
        trace.bytes[trace.start + 1] = SF_SKIP_FULL;
        trace.bytes[trace.start] = SF_TRACE_SKIP;
        return;
    }
    trace.bytes[trace.n++] = byte;
}

void
record_number(uint64_t number)
{
    while (number >= 0x80) {
        put((uint8_t)(number | 0x80));
        number >>= 7;
    }
    put((uint8_t)number);
}

static void
start(enum sf_trace_kind kind)
{
    trace.start = trace.n;
    trace.kind = kind;
    put(SF_TRACE_END);
}

void
record_end(void)
{
    if (trace.is_on) {
        atomic_signal_fence(memory_order_seq_cst);
        trace.bytes[trace.start] = (uint8_t)trace.kind;
    }
}

void
record_start(enum sf_trace_kind kind)
{
    if (trace.computed > 0) {
        start(SF_TRACE_COMPUTE);
        record_number(trace.computed);
        record_end();
        trace.computed = 0;
    }
    start(kind);
}

void
record_skip(enum sf_trace_skip what)
{
    record_start(SF_TRACE_SKIP);
    record_number(what);
    record_end();
}

/* Opens the trace of 'rank' in 'folder'. */
static bool
open_trace(const char *folder, int rank)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/" SF_TRACE_NAME, folder,
                     (unsigned)rank);

    if (n < 0 || (size_t)n >= sizeof path) {
        return false;
    }
    trace.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return trace.fd >= 0 && grow();
}

void
record_begin(void)
{
    const char *folder = getenv(SF_TRACE_VARIABLE);
    int rank, n_ranks;

    if (!folder || trace.is_on) {
        return;
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (!open_trace(folder, rank)) {
        fprintf(stderr, "slimfly record: rank %d cannot write to %s\n", rank,
                folder);
        return;
    }
    trace.is_on = true;
    trace.thread = pthread_self();
    for (const char *at = SF_TRACE_MAGIC; *at; at++) {
        put((uint8_t)*at);
    }
    record_number((uint64_t)rank);
    record_number((uint64_t)n_ranks);
    record_comms_begin();
    trace.left = read_clock();
}

/* Writes, once, that other threads called. */
static void
note_others(void)
{
    static bool is_noted;

    if (n_of_others > 0 && !is_noted) {
        is_noted = true;
        record_skip(SF_SKIP_THREAD);
    }
}

void
record_finish(void)
{
    if (trace.is_on) {
        note_others();
        record_start(SF_TRACE_FINISH);
        record_end();
        if (ftruncate(trace.fd, (off_t)trace.n) != 0) {
            /* Zeros at its end are no harm. */
        }
        trace.is_on = false;
    }
}

bool
record_enter(void)
{
    bool is_first = depth++ == 0;

    if (!trace.is_on || !is_first) {
        return false;
    }
    if (!pthread_equal(pthread_self(), trace.thread)) {
        n_of_others++;
        return false;
    }
    uint64_t now = read_clock();
    trace.computed += now - trace.left;
    trace.left = now;
    note_others();
    return true;
}

void
record_leave(void)
{
    if (--depth == 0 && trace.is_on &&
        pthread_equal(pthread_self(), trace.thread)) {
        trace.left = read_clock();
    }
}

uint64_t
record_bytes(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;

    PMPI_Type_size_x(type, &size);
    return count > 0 && size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

WRAPPER
PMPI_Init(int *argc, char ***argv)
{
    depth++;
    int code = NEXT(Init)(argc, argv);
    depth--;
    if (code == MPI_SUCCESS) {
        record_begin();
    }
    return code;
}
BOTH_NAMES(Init);

WRAPPER
PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    depth++;
    int code = NEXT(Init_thread)(argc, argv, required, provided);
    depth--;
    if (code == MPI_SUCCESS) {
        record_begin();
    }
    return code;
}
BOTH_NAMES(Init_thread);

WRAPPER
PMPI_Finalize(void)
{
    if (record_enter()) {
        record_finish();
    }
    int code = NEXT(Finalize)();
    record_leave();
    return code;
}
BOTH_NAMES(Finalize);
