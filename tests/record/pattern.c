/* pattern.c -- a program whose messages are known: one part of it for each
 * kind of call.  The arguments say which parts, with a barrier behind each;
 * test_record.py knows what they send.  For 4 ranks. */
/* The checker knows neither persistent requests nor pointers to calls.
 * NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */
#define _GNU_SOURCE
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h> /* Persistent collectives, before MPI had them. */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define N 4

static char out[1 << 16], in[N][1 << 16];
static int me;

/* Rank i sends 100 * (i + 1) bytes to the next, by each blocking call. */
static void
blocking(void)
{
    int to = (me + 1) % N, from = (me + N - 1) % N;
    static char buffer[1 << 16];

    if (me % 2 == 0) {
        MPI_Send(out, 100 * (me + 1), MPI_BYTE, to, 1, MPI_COMM_WORLD);
        MPI_Recv(in[0], 1000, MPI_BYTE, from, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Ssend(out, 100 * (me + 1), MPI_BYTE, to, 2, MPI_COMM_WORLD);
        MPI_Recv(in[0], 1000, MPI_BYTE, from, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in[0], 1000, MPI_BYTE, from, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Send(out, 100 * (me + 1), MPI_BYTE, to, 1, MPI_COMM_WORLD);
        MPI_Recv(in[0], 1000, MPI_BYTE, from, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Ssend(out, 100 * (me + 1), MPI_BYTE, to, 2, MPI_COMM_WORLD);
    }
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend(out, 100 * (me + 1), MPI_BYTE, to, 3, MPI_COMM_WORLD);
    MPI_Recv(in[0], 1000, MPI_BYTE, from, 3, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 100 * (me + 1), MPI_BYTE, to, 4, in[0], 1000, MPI_BYTE,
                 from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 500, MPI_BYTE, to, 5, from, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Send(out, 9, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    void *detached;
    int size;
    MPI_Buffer_detach(&detached, &size);
}

/* Each rank sends 10 * (i + 1) + j bytes to each other rank j, by each call
 * that starts and each that waits. */
static void
nonblocking(void)
{
    for (int way = 0; way < 8; way++) {
        MPI_Request requests[2 * N];
        MPI_Status statuses[2 * N];
        int n = 0, n_over = 0, index, flag, indices[2 * N];
        for (int i = 0; i < N; i++) {
            if (i != me) {
                MPI_Irecv(in[i], 1000, MPI_BYTE, i, way, MPI_COMM_WORLD,
                          &requests[n++]);
            }
        }
        for (int i = 0; i < N; i++) {
            int bytes = 10 * (me + 1) + i;
            if (i != me) {
                (way % 3 == 0   ? MPI_Isend
                 : way % 3 == 1 ? MPI_Issend
                                : MPI_Ibsend)(out, way % 3 == 2 ? 0 : bytes,
                                              MPI_BYTE, i, way, MPI_COMM_WORLD,
                                              &requests[n++]);
            }
        }
        if (way == 0) {
            MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        } else if (way == 1) {
            for (int i = n - 1; i >= 0; i--) {
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            }
        } else if (way == 2) {
            for (int i = 0; i < n; i++) {
                MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
            }
        } else if (way == 3) {
            for (int left = n; left > 0; left -= n_over) {
                MPI_Waitsome(n, requests, &n_over, indices, statuses);
            }
        } else if (way == 4) {
            for (int i = 0; i < n; i++) {
                for (flag = 0; !flag;) {
                    MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
                }
            }
        } else if (way == 5) {
            for (flag = 0; !flag;) {
                MPI_Testall(n, requests, &flag, statuses);
            }
        } else if (way == 6) {
            for (int left = n; left > 0; left -= flag) {
                MPI_Testany(n, requests, &index, &flag, &statuses[0]);
            }
        } else {
            for (int left = n; left > 0; left -= n_over) {
                MPI_Testsome(n, requests, &n_over, indices,
                             MPI_STATUSES_IGNORE);
            }
        }
    }
}

/* Rank i sends 1000 bytes to the next three times over one request, and 2000
 * by the other kinds once. */
static void
persistent(void)
{
    MPI_Request requests[2], other;
    int to = (me + 1) % N, from = (me + N - 1) % N;

    MPI_Send_init(out, 1000, MPI_BYTE, to, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in[0], 4000, MPI_BYTE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD,
                  &requests[1]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Ssend_init(out, 2000, MPI_BYTE, to, 7, MPI_COMM_WORLD, &other);
    MPI_Start(&requests[1]);
    MPI_Start(&other);
    MPI_Wait(&other, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[1]);
    MPI_Request_free(&other);
    (void)from;
}

/* Ranks send 1, 2, 3 kilobytes to rank 0, each twice with different tags;
 * which of them comes first is not known. */
static void
wildcards(void)
{
    if (me > 0) {
        MPI_Send(out, 1000 * me, MPI_BYTE, 0, me, MPI_COMM_WORLD);
        MPI_Send(out, 1000 * me, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
        return;
    }
    MPI_Request requests[N];
    for (int i = 1; i < N; i++) {
        MPI_Irecv(in[i], 5000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                  MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(N - 1, requests + 1, MPI_STATUSES_IGNORE);
    for (int i = 1; i < N; i++) {
        MPI_Recv(in[i], 5000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Rank i > 0 sends 30 * i bytes to rank 0 four times, which looks at them
 * first, in four ways. */
static void
probes(void)
{
    for (int way = 0; way < 4 && me > 0; way++) {
        MPI_Send(out, 30 * me, MPI_BYTE, 0, way, MPI_COMM_WORLD);
    }
    for (int i = 0; me == 0 && i < 4 * (N - 1); i++) {
        int way = i % 4, flag = 0, bytes;
        MPI_Status status;
        MPI_Message message;
        MPI_Request request;
        if (way == 0) {
            MPI_Probe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &status);
        }
        while (way == 1 && !flag) {
            MPI_Iprobe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &flag, &status);
        }
        if (way == 2) {
            MPI_Mprobe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &message, &status);
        }
        while (way == 3 && !flag) {
            MPI_Improbe(MPI_ANY_SOURCE, way, MPI_COMM_WORLD, &flag, &message,
                        &status);
        }
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        if (way < 2) {
            MPI_Recv(in[0], bytes, MPI_BYTE, status.MPI_SOURCE, way,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (way == 2) {
            MPI_Mrecv(in[0], bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Imrecv(in[0], bytes, MPI_BYTE, &message, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
}

/* Rank 0 sends 10 items of 3 doubles out of 5 to rank 1; 240 bytes. */
static void
types(void)
{
    MPI_Datatype type;

    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    if (me == 0) {
        MPI_Send(out, 10, type, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(in[0], 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&type);
}

/* In each communicator, rank 0 sends to the last: 11 bytes in a copy of the
 * world, 22 in each half of it (0-2, 1-3), 33 in the world in reverse (3-0),
 * 44 in a column of a grid (0-2, 1-3), 55 in a group of ranks 1 and 3, 66 in
 * ranks 0 and 2 alone, 77 on one machine; 88 from ranks 0 and 2 to 1 and 3
 * over two groups (0-3), and 99 in both of them merged (0-3).  All have the
 * same tag, and the receives are posted in reverse. */
static void
comms(void)
{
    MPI_Comm made[9];
    MPI_Group world, group;
    int n[9], rank[9];

    MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &made[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &made[2]);
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){ 2, 2 }, (int[]){ 0, 0 }, 0,
                    &grid);
    MPI_Cart_sub(grid, (int[]){ 1, 0 }, &made[3]);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, (int[]){ 1, 3 }, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &made[4]);
    MPI_Group_free(&group);
    MPI_Group_incl(world, 2, (int[]){ 0, 2 }, &group);
    made[5] = MPI_COMM_NULL;
    if (me % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &made[5]);
    }
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &made[6]);
    MPI_Intercomm_create(made[1], 0, MPI_COMM_WORLD, 1 - me % 2, 3, &made[7]);
    MPI_Intercomm_merge(made[7], me % 2, &made[8]);
    MPI_Request requests[9];
    for (int i = 8; i >= 0; i--) {
        requests[i] = MPI_REQUEST_NULL;
        if (made[i] == MPI_COMM_NULL) {
            continue;
        }
        MPI_Comm_rank(made[i], &rank[i]);
        MPI_Comm_size(made[i], &n[i]);
        if (rank[i] == n[i] - 1 && (i != 7 || me % 2 == 1)) {
            MPI_Irecv(in[0] + 100 * i, 100, MPI_BYTE, 0, 1, made[i],
                      &requests[i]);
        }
    }
    for (int i = 0; i < 9; i++) {
        if (made[i] != MPI_COMM_NULL && rank[i] == 0 &&
            (i != 7 || me % 2 == 0)) {
            MPI_Send(out, 11 * (i + 1), MPI_BYTE, n[i] - 1, 1, made[i]);
        }
    }
    MPI_Waitall(9, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 9; i++) {
        if (made[i] != MPI_COMM_NULL) {
            MPI_Comm_free(&made[i]);
        }
    }
    MPI_Comm_free(&grid);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

/* Each collective, in the world or in the ranks 1, 2, 3, with 'is_started' by
 * the call that only starts. */
static void
collectives(int is_started)
{
    MPI_Comm comm;
    MPI_Request r[16];
    int counts[N] = { 10, 20, 30, 40 }, places[N] = { 0, 100, 200, 300 };
    int n = 0;
    MPI_Comm all = MPI_COMM_WORLD;

/* The name of a call, of the one that only starts it, and its arguments. */
#define DO(call, start, ...) \
    (is_started ? start(__VA_ARGS__, &r[n++]) : call(__VA_ARGS__))
    MPI_Comm_split(MPI_COMM_WORLD, me > 0, me, &comm);
    DO(MPI_Barrier, MPI_Ibarrier, all);
    DO(MPI_Bcast, MPI_Ibcast, out, 1000, MPI_BYTE, 2, all);
    DO(MPI_Reduce, MPI_Ireduce, out, in[0], 100, MPI_DOUBLE, MPI_SUM, 1, all);
    DO(MPI_Allreduce, MPI_Iallreduce, out, in[1], 100, MPI_INT, MPI_SUM, all);
    DO(MPI_Gather, MPI_Igather, out, 300, MPI_BYTE, in[2], 300, MPI_BYTE, 3,
       all);
    DO(MPI_Scatter, MPI_Iscatter, out, 300, MPI_BYTE, in[3], 300, MPI_BYTE, 0,
       all);
    DO(MPI_Allgather, MPI_Iallgather, out, 50, MPI_BYTE, in[0] + 1000, 50,
       MPI_BYTE, all);
    DO(MPI_Alltoall, MPI_Ialltoall, out, 70, MPI_BYTE, in[1] + 1000, 70,
       MPI_BYTE, all);
    DO(MPI_Scan, MPI_Iscan, out, in[2] + 2000, 10, MPI_INT, MPI_SUM, all);
    DO(MPI_Exscan, MPI_Iexscan, out, in[2] + 3000, 10, MPI_INT, MPI_SUM, all);
    DO(MPI_Reduce_scatter, MPI_Ireduce_scatter, out, in[3] + 1000, counts,
       MPI_INT, MPI_SUM, all);
    DO(MPI_Gatherv, MPI_Igatherv, out, counts[me], MPI_BYTE, in[0] + 4000,
       counts, places, MPI_BYTE, 0, all);
    DO(MPI_Scatterv, MPI_Iscatterv, out, counts, places, MPI_BYTE,
       in[0] + 6000, counts[me], MPI_BYTE, 3, all);
    DO(MPI_Allgatherv, MPI_Iallgatherv, out, counts[me], MPI_BYTE,
       in[0] + 8000, counts, places, MPI_BYTE, all);
    if (me > 0) {
        DO(MPI_Bcast, MPI_Ibcast, out + 2000, 77, MPI_BYTE, 2, comm);
    }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&comm);
}

/* Rank i has 1 + 10 * i + j bytes for rank j, but none for itself and none
 * from 2 to 0; then 5 bytes for each neighbour of a ring. */
static void
vectors(void)
{
    int out_counts[N], in_counts[N], places[N];
    MPI_Comm ring;

    for (int i = 0; i < N; i++) {
        out_counts[i] = me == 2 && i == 0 ? 0 : 1 + 10 * me + i;
        in_counts[i] = i == 2 && me == 0 ? 0 : 1 + 10 * i + me;
        places[i] = 100 * i;
    }
    MPI_Alltoallv(out, out_counts, places, MPI_BYTE, in[0], in_counts, places,
                  MPI_BYTE, MPI_COMM_WORLD);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){ N }, (int[]){ 1 }, 0, &ring);
    MPI_Neighbor_alltoall(out, 5, MPI_BYTE, in[1], 5, MPI_BYTE, ring);
    MPI_Comm_free(&ring);
}

/* What never happens, and what the recording does not have: rank 0 takes a
 * receive back, puts 8 bytes into rank 1, and then sends 123 to it. */
static void
others(void)
{
    MPI_Request request;
    MPI_Win win;

    MPI_Irecv(in[0], 10, MPI_BYTE, (me + 1) % N, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_create(in[1], 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 0) {
        MPI_Put(out, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
    MPIX_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#elif MPI_VERSION >= 4
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#endif
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    /* Nothing is sent, and nothing is missing. */
    MPI_Send_init(out, 8, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                  &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (me == 0) {
        MPI_Send(out, 123, MPI_BYTE, 1, 99, MPI_COMM_WORLD);
    } else if (me == 1) {
        MPI_Recv(in[0], 123, MPI_BYTE, 0, 99, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

/* Rank 0 computes for at least 0.2 seconds of CPU time, then sends 1 byte to
 * rank 1. */
static void
compute(void)
{
    volatile double x = 1;

    if (me == 0) {
        clock_t end = clock() + CLOCKS_PER_SEC / 5;
        while (clock() < end) {
            x = x * 1.0000001;
        }
        MPI_Send(out, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (me == 1) {
        usleep(100000); /* Is not computing. */
        MPI_Recv(in[0], 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void
blocking_collectives(void)
{
    collectives(0);
}

static void
started_collectives(void)
{
    collectives(1);
}

static void
break_off(void)
{
    types();
    if (me == 2) {
        abort();
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Sends to ranks that are not there, and goes on. */
static void
refused(void)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Send(out, 5, MPI_BYTE, N, 0, MPI_COMM_WORLD) == MPI_SUCCESS ||
        MPI_Ssend(out, 5, MPI_BYTE, -77, 0, MPI_COMM_WORLD) == MPI_SUCCESS ||
        MPI_Send(out, 5, MPI_BYTE, me, -77, MPI_COMM_WORLD) == MPI_SUCCESS) {
        exit(8);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    types();
}

static void
fail(void)
{
    MPI_Finalize();
    exit(7);
}

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    { "blocking", blocking },
    { "nonblocking", nonblocking },
    { "persistent", persistent },
    { "wildcards", wildcards },
    { "probes", probes },
    { "types", types },
    { "comms", comms },
    { "collectives", blocking_collectives },
    { "started", started_collectives },
    { "vectors", vectors },
    { "others", others },
    { "compute", compute },
    { "abort", break_off },
    { "refused", refused },
    { "code", fail },
};

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    for (int i = 1; i < argc; i++) {
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            if (!strcmp(argv[i], parts[k].name)) {
                parts[k].run();
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */
