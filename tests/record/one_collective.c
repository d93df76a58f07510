/* one_collective.c -- does one collective, so that what Open MPI counts is
 * what that one sent.
 *
 * Arguments: its name, as workloads have it, or nothing; its bytes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENT 4

static void
run(const char *name, int bytes, void *in, void *out)
{
    if (!strcmp(name, "allreduce")) {
        MPI_Allreduce(in, out, bytes / ELEMENT, MPI_INT, MPI_SUM,
                      MPI_COMM_WORLD);
    } else if (!strcmp(name, "bcast")) {
        MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else if (!strcmp(name, "alltoall")) {
        MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE,
                     MPI_COMM_WORLD);
    } else if (!strcmp(name, "allgather")) {
        MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE,
                      MPI_COMM_WORLD);
    } else if (!strcmp(name, "reduce-scatter")) {
        MPI_Reduce_scatter_block(in, out, bytes / ELEMENT, MPI_INT, MPI_SUM,
                                 MPI_COMM_WORLD);
    } else if (!strcmp(name, "barrier")) {
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (*name) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

int
main(int argc, char **argv)
{
    int n_ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    int bytes = argc > 2 ? atoi(argv[2]) : 0;
    void *in = calloc((size_t)n_ranks, (size_t)bytes + 1);
    void *out = calloc((size_t)n_ranks, (size_t)bytes + 1);
    if (!in || !out) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    run(argc > 1 ? argv[1] : "", bytes, in, out);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
