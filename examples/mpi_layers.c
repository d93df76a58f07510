/* mpi_layers.c -- how fast MPI moves data between two groups of hosts, for
 * mpi_layers.sh.  The first half of the ranks exchanges messages with the
 * second half; then all exchange with all.  Prints MB/s for each rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES  (4 * PART)   /* Exchanged with one. */
#define PART   (256 * 1024) /* Sent from each to each. */
#define ROUNDS 8

int
main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = calloc((size_t)size, BYTES), *in = calloc((size_t)size, BYTES);
    if (!out || !in) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int partner = (rank + size / 2) % size;
    double times[2];
    for (int kind = 0; kind < 2; kind++) {
        double start = 0;
        /* The first round, which connects, does not count. */
        for (int i = 0; i <= ROUNDS; i++) {
            if (i == 1) {
                MPI_Barrier(MPI_COMM_WORLD);
                start = MPI_Wtime();
            }
            if (kind == 0) {
                MPI_Sendrecv(out, BYTES, MPI_BYTE, partner, 0, in, BYTES,
                             MPI_BYTE, partner, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
            } else {
                MPI_Alltoall(out, PART, MPI_BYTE, in, PART, MPI_BYTE,
                             MPI_COMM_WORLD);
            }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        times[kind] = MPI_Wtime() - start;
    }
    if (rank == 0) {
        printf("sendrecv %.3f MB/s, alltoall %.3f MB/s\n",
               1e-6 * ROUNDS * BYTES / times[0],
               1e-6 * ROUNDS * PART * (size - 1) / times[1]);
    }
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
