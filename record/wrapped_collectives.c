/* wrapped_collectives.c -- calls of all ranks of a communicator, that return
 * when they are over and that only start. */
#include "record.h"

#include <stdlib.h>

/* Notes a request, if the call has one, for the record just written. */
static void
end_call(MPI_Request *request)
{
    record_end();
    if (request) {
        record_n_requests++;
        record_request_add_collective(*request);
    }
}

static void
start_collective(enum sf_call_kind kind, const struct record_comm *comm,
                 const MPI_Request *request, int root, int n)
{
    record_start(SF_TRACE_COLLECTIVE);
    record_number(kind);
    record_number(request != NULL);
    record_number(comm->number);
    record_number((uint64_t)root);
    record_number((uint64_t)n);
}

/* A collective with one number of bytes. */
static void
write_one(enum sf_call_kind kind, MPI_Comm handle, MPI_Request *request,
          int root, uint64_t bytes)
{
    const struct record_comm *comm = record_comm_get_intra(handle);

    if (comm) {
        start_collective(kind, comm, request, root, kind != SF_CALL_BARRIER);
        if (kind != SF_CALL_BARRIER) {
            record_number(bytes);
        }
        end_call(request);
    }
}

/* A collective with one for each rank: counts[i] items, or 'count' for each.
 */
static void
write_each(enum sf_call_kind kind, MPI_Comm handle, MPI_Request *request,
           const int *counts, int count, MPI_Datatype type)
{
    const struct record_comm *comm = record_comm_get_intra(handle);

    if (comm) {
        start_collective(kind, comm, request, 0, comm->n);
        for (int i = 0; i < comm->n; i++) {
            record_number(record_bytes(counts ? counts[i] : count, type));
        }
        end_call(request);
    }
}

/* One direction of an exchange: counts[i] items of types[i], or of 'type', or
 * 'count' of them, for peers[i], or for all ranks but this one. */
struct part {
    const int *peers;
    int n; /* Peers. */
    const int *counts;
    int count;
    const MPI_Datatype *types;
    MPI_Datatype type;
};

static uint64_t
part_bytes(const struct part *part, int i)
{
    return record_bytes(part->counts ? part->counts[i] : part->count,
                        part->types ? part->types[i] : part->type);
}

static bool
is_message(const struct part *part, const struct record_comm *comm, int i)
{
    int peer = part->peers ? part->peers[i] : i;

    return peer != MPI_PROC_NULL && (part->peers || peer != comm->me) &&
           part_bytes(part, i) > 0;
}

/* Messages without bytes are not sent. */
static void
write_part(const struct part *part, const struct record_comm *comm)
{
    uint64_t n = 0;

    for (int i = 0; i < part->n; i++) {
        n += is_message(part, comm, i);
    }
    record_number(n);
    for (int i = 0; i < part->n; i++) {
        if (is_message(part, comm, i)) {
            record_number((uint64_t)(part->peers ? part->peers[i] : i));
            record_number(part_bytes(part, i));
        }
    }
}

static void
write_exchange(const struct record_comm *comm, MPI_Request *request,
               const struct part *out, const struct part *in)
{
    record_start(SF_TRACE_EXCHANGE);
    record_number(request != NULL);
    record_number(comm->number);
    write_part(out, comm);
    write_part(in, comm);
    end_call(request);
}

/* The root, which has the counts, and each other rank. */
static void
write_rooted(MPI_Comm handle, MPI_Request *request, int root, bool is_gather,
             const int *counts, MPI_Datatype counted, int count,
             MPI_Datatype type)
{
    const struct record_comm *comm = record_comm_get_intra(handle);
    struct part none = { 0 };

    if (!comm) {
        return;
    }
    struct part all = { .n = comm->n, .counts = counts, .type = counted };
    struct part own = { .peers = &root, .n = 1, .count = count, .type = type };
    const struct part *part = comm->me == root ? &all : &own;
    bool is_out = is_gather == (comm->me != root);
    write_exchange(comm, request, is_out ? part : &none,
                   is_out ? &none : part);
}

static void
write_all_to_all(MPI_Comm handle, MPI_Request *request, bool is_in_place,
                 struct part out, struct part in)
{
    const struct record_comm *comm = record_comm_get_intra(handle);

    if (comm) {
        out.n = in.n = comm->n;
        write_exchange(comm, request, is_in_place ? &in : &out, &in);
    }
}

/* The neighbours of a rank: those that it receives from, then those that it
 * sends to. */
struct neighbours {
    int n_in, n_out;
    int *ranks; /* NULL: out of memory, or there are none. */
};

static void
find_on_grid(MPI_Comm comm, struct neighbours *found)
{
    int n;

    PMPI_Cartdim_get(comm, &n);
    found->n_in = found->n_out = 2 * n;
    found->ranks = calloc(4 * (size_t)n + 1, sizeof *found->ranks);
    for (int i = 0; found->ranks && i < n; i++) {
        PMPI_Cart_shift(comm, i, 1, &found->ranks[2 * i],
                        &found->ranks[2 * i + 1]);
        found->ranks[2 * n + 2 * i] = found->ranks[2 * i];
        found->ranks[2 * n + 2 * i + 1] = found->ranks[2 * i + 1];
    }
}

static void
find_on_graph(MPI_Comm comm, int me, struct neighbours *found)
{
    int n;

    PMPI_Graph_neighbors_count(comm, me, &n);
    found->n_in = found->n_out = n;
    found->ranks = calloc(2 * (size_t)n + 1, sizeof *found->ranks);
    if (found->ranks) {
        PMPI_Graph_neighbors(comm, me, n, found->ranks);
        PMPI_Graph_neighbors(comm, me, n, found->ranks + n);
    }
}

static void
find_on_dist_graph(MPI_Comm comm, struct neighbours *found)
{
    int is_weighted;

    PMPI_Dist_graph_neighbors_count(comm, &found->n_in, &found->n_out,
                                    &is_weighted);
    size_t n = (size_t)found->n_in + (size_t)found->n_out + 1;
    found->ranks = calloc(2 * n, sizeof *found->ranks);
    if (found->ranks) {
        PMPI_Dist_graph_neighbors(
            comm, found->n_in, found->ranks, found->ranks + n, found->n_out,
            found->ranks + found->n_in, found->ranks + n + found->n_in);
    }
}

static void
write_neighbours(MPI_Comm handle, MPI_Request *request, struct part out,
                 struct part in)
{
    const struct record_comm *comm = record_comm_get_intra(handle);
    struct neighbours found = { 0 };
    int topology = MPI_UNDEFINED;

    if (!comm) {
        return;
    }
    PMPI_Topo_test(handle, &topology);
    if (topology == MPI_CART) {
        find_on_grid(handle, &found);
    } else if (topology == MPI_GRAPH) {
        find_on_graph(handle, comm->me, &found);
    } else if (topology == MPI_DIST_GRAPH) {
        find_on_dist_graph(handle, &found);
    }
    if (found.ranks) {
        in.peers = found.ranks;
        in.n = found.n_in;
        out.peers = found.ranks + found.n_in;
        out.n = found.n_out;
        write_exchange(comm, request, &out, &in);
    }
    free(found.ranks);
}

#define LIST(...) __VA_ARGS__

/* Defines a call and the one that only starts it, which are written by
 * 'write'. */
#define COLLECTIVE(name, iname, params, args, write)        \
    WRAPPER PMPI_##name(LIST params)                        \
    {                                                       \
        bool is_on = record_enter();                        \
        MPI_Request *request = NULL;                        \
        int code = NEXT(name)(LIST args);                   \
        if (is_on && code == MPI_SUCCESS) {                 \
            write;                                          \
        }                                                   \
        record_leave();                                     \
        return code;                                        \
    }                                                       \
    BOTH_NAMES(name);                                       \
    WRAPPER PMPI_##iname(LIST params, MPI_Request *request) \
    {                                                       \
        bool is_on = record_enter();                        \
        int code = NEXT(iname)(LIST args, request);         \
        if (is_on && code == MPI_SUCCESS) {                 \
            write;                                          \
        }                                                   \
        record_leave();                                     \
        return code;                                        \
    }                                                       \
    BOTH_NAMES(iname)

static bool
is_root(MPI_Comm comm, int root)
{
    int me;

    PMPI_Comm_rank(comm, &me);
    return me == root;
}

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (comm),
           write_one(SF_CALL_BARRIER, comm, request, 0, 0));

COLLECTIVE(Bcast, Ibcast,
           (void *data, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (data, count, type, root, comm),
           write_one(SF_CALL_BCAST, comm, request, root,
                     record_bytes(count, type)));

COLLECTIVE(Reduce, Ireduce,
           (const void *data, void *into, int count, MPI_Datatype type,
            MPI_Op op, int root, MPI_Comm comm),
           (data, into, count, type, op, root, comm),
           write_one(SF_CALL_REDUCE, comm, request, root,
                     record_bytes(count, type)));

COLLECTIVE(Allreduce, Iallreduce,
           (const void *data, void *into, int count, MPI_Datatype type,
            MPI_Op op, MPI_Comm comm),
           (data, into, count, type, op, comm),
           write_one(SF_CALL_ALLREDUCE, comm, request, 0,
                     record_bytes(count, type)));

COLLECTIVE(Scan, Iscan,
           (const void *data, void *into, int count, MPI_Datatype type,
            MPI_Op op, MPI_Comm comm),
           (data, into, count, type, op, comm),
           write_one(SF_CALL_SCAN, comm, request, 0,
                     record_bytes(count, type)));

COLLECTIVE(Exscan, Iexscan,
           (const void *data, void *into, int count, MPI_Datatype type,
            MPI_Op op, MPI_Comm comm),
           (data, into, count, type, op, comm),
           write_one(SF_CALL_SCAN, comm, request, 0,
                     record_bytes(count, type)));

/* Only the root knows the bytes by what it receives, or sends: others may give
 * anything there. */
COLLECTIVE(Gather, Igather,
           (const void *data, int count, MPI_Datatype type, void *into,
            int max, MPI_Datatype into_type, int root, MPI_Comm comm),
           (data, count, type, into, max, into_type, root, comm),
           write_one(SF_CALL_GATHER, comm, request, root,
                     is_root(comm, root) ? record_bytes(max, into_type)
                                         : record_bytes(count, type)));

COLLECTIVE(Scatter, Iscatter,
           (const void *data, int count, MPI_Datatype type, void *into,
            int max, MPI_Datatype into_type, int root, MPI_Comm comm),
           (data, count, type, into, max, into_type, root, comm),
           write_one(SF_CALL_SCATTER, comm, request, root,
                     is_root(comm, root) ? record_bytes(count, type)
                                         : record_bytes(max, into_type)));

COLLECTIVE(Gatherv, Igatherv,
           (const void *data, int count, MPI_Datatype type, void *into,
            const int counts[], const int places[], MPI_Datatype into_type,
            int root, MPI_Comm comm),
           (data, count, type, into, counts, places, into_type, root, comm),
           write_rooted(comm, request, root, true, counts, into_type, count,
                        type));

COLLECTIVE(Scatterv, Iscatterv,
           (const void *data, const int counts[], const int places[],
            MPI_Datatype type, void *into, int count, MPI_Datatype into_type,
            int root, MPI_Comm comm),
           (data, counts, places, type, into, count, into_type, root, comm),
           write_rooted(comm, request, root, false, counts, type, count,
                        into_type));

/* What is received is right even where data are in place. */
COLLECTIVE(Allgather, Iallgather,
           (const void *data, int count, MPI_Datatype type, void *into,
            int max, MPI_Datatype into_type, MPI_Comm comm),
           (data, count, type, into, max, into_type, comm),
           write_each(SF_CALL_ALLGATHER, comm, request, NULL, max, into_type));

COLLECTIVE(Allgatherv, Iallgatherv,
           (const void *data, int count, MPI_Datatype type, void *into,
            const int counts[], const int places[], MPI_Datatype into_type,
            MPI_Comm comm),
           (data, count, type, into, counts, places, into_type, comm),
           write_each(SF_CALL_ALLGATHER, comm, request, counts, 0, into_type));

COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *data, void *into, const int counts[],
            MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (data, into, counts, type, op, comm),
           write_each(SF_CALL_REDUCE_SCATTER, comm, request, counts, 0, type));

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *data, void *into, int count, MPI_Datatype type,
            MPI_Op op, MPI_Comm comm),
           (data, into, count, type, op, comm),
           write_each(SF_CALL_REDUCE_SCATTER, comm, request, NULL, count,
                      type));

COLLECTIVE(Alltoall, Ialltoall,
           (const void *data, int count, MPI_Datatype type, void *into,
            int max, MPI_Datatype into_type, MPI_Comm comm),
           (data, count, type, into, max, into_type, comm),
           write_one(SF_CALL_ALLTOALL, comm, request, 0,
                     record_bytes(max, into_type)));

COLLECTIVE(
    Alltoallv, Ialltoallv,
    (const void *data, const int counts[], const int places[],
     MPI_Datatype type, void *into, const int in_counts[],
     const int in_places[], MPI_Datatype into_type, MPI_Comm comm),
    (data, counts, places, type, into, in_counts, in_places, into_type, comm),
    write_all_to_all(comm, request, data == MPI_IN_PLACE,
                     (struct part){ .counts = counts, .type = type },
                     (struct part){ .counts = in_counts, .type = into_type }));

COLLECTIVE(
    Alltoallw, Ialltoallw,
    (const void *data, const int counts[], const int places[],
     const MPI_Datatype types[], void *into, const int in_counts[],
     const int in_places[], const MPI_Datatype in_types[], MPI_Comm comm),
    (data, counts, places, types, into, in_counts, in_places, in_types, comm),
    write_all_to_all(comm, request, data == MPI_IN_PLACE,
                     (struct part){ .counts = counts, .types = types },
                     (struct part){ .counts = in_counts, .types = in_types }));

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
           (const void *data, int count, MPI_Datatype type, void *into,
            int max, MPI_Datatype into_type, MPI_Comm comm),
           (data, count, type, into, max, into_type, comm),
           write_neighbours(comm, request,
                            (struct part){ .count = count, .type = type },
                            (struct part){ .count = max, .type = into_type }));

COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
           (const void *data, int count, MPI_Datatype type, void *into,
            const int counts[], const int places[], MPI_Datatype into_type,
            MPI_Comm comm),
           (data, count, type, into, counts, places, into_type, comm),
           write_neighbours(comm, request,
                            (struct part){ .count = count, .type = type },
                            (struct part){ .counts = counts,
                                           .type = into_type }));

COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
           (const void *data, int count, MPI_Datatype type, void *into,
            int max, MPI_Datatype into_type, MPI_Comm comm),
           (data, count, type, into, max, into_type, comm),
           write_neighbours(comm, request,
                            (struct part){ .count = count, .type = type },
                            (struct part){ .count = max, .type = into_type }));

COLLECTIVE(
    Neighbor_alltoallv, Ineighbor_alltoallv,
    (const void *data, const int counts[], const int places[],
     MPI_Datatype type, void *into, const int in_counts[],
     const int in_places[], MPI_Datatype into_type, MPI_Comm comm),
    (data, counts, places, type, into, in_counts, in_places, into_type, comm),
    write_neighbours(comm, request,
                     (struct part){ .counts = counts, .type = type },
                     (struct part){ .counts = in_counts, .type = into_type }));

COLLECTIVE(
    Neighbor_alltoallw, Ineighbor_alltoallw,
    (const void *data, const int counts[], const MPI_Aint places[],
     const MPI_Datatype types[], void *into, const int in_counts[],
     const MPI_Aint in_places[], const MPI_Datatype in_types[], MPI_Comm comm),
    (data, counts, places, types, into, in_counts, in_places, in_types, comm),
    write_neighbours(comm, request,
                     (struct part){ .counts = counts, .types = types },
                     (struct part){ .counts = in_counts, .types = in_types }));
