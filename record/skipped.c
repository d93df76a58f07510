/* skipped.c -- calls that are counted, so that nobody takes the recording for
 * complete. */
#include "record.h"

#define LIST(...) __VA_ARGS__

#define SKIPS(name, what, params, args)   \
    WRAPPER PMPI_##name(LIST params)      \
    {                                     \
        bool is_on = record_enter();      \
        int code = NEXT(name)(LIST args); \
        if (is_on) {                      \
            record_skip(what);            \
        }                                 \
        record_leave();                   \
        return code;                      \
    }                                     \
    BOTH_NAMES(name)

/* One-sided calls: what all their parameters start with, and end with. */
#define DATA  const void *data, int count, MPI_Datatype type
#define PLACE int peer, MPI_Aint at, int at_count, MPI_Datatype at_type
#define ONE_SIDED(name, params, args) \
    SKIPS(name, SF_SKIP_ONE_SIDED, params, args)

ONE_SIDED(Put, (DATA, PLACE, MPI_Win win),
          (data, count, type, peer, at, at_count, at_type, win));
ONE_SIDED(Rput, (DATA, PLACE, MPI_Win win, MPI_Request *request),
          (data, count, type, peer, at, at_count, at_type, win, request));
ONE_SIDED(Get, (void *data, int count, MPI_Datatype type, PLACE, MPI_Win win),
          (data, count, type, peer, at, at_count, at_type, win));
ONE_SIDED(Rget,
          (void *data, int count, MPI_Datatype type, PLACE, MPI_Win win,
           MPI_Request *request),
          (data, count, type, peer, at, at_count, at_type, win, request));
ONE_SIDED(Accumulate, (DATA, PLACE, MPI_Op op, MPI_Win win),
          (data, count, type, peer, at, at_count, at_type, op, win));
ONE_SIDED(Raccumulate,
          (DATA, PLACE, MPI_Op op, MPI_Win win, MPI_Request *request),
          (data, count, type, peer, at, at_count, at_type, op, win, request));
ONE_SIDED(Get_accumulate,
          (DATA, void *into, int max, MPI_Datatype into_type, PLACE, MPI_Op op,
           MPI_Win win),
          (data, count, type, into, max, into_type, peer, at, at_count,
           at_type, op, win));
ONE_SIDED(Rget_accumulate,
          (DATA, void *into, int max, MPI_Datatype into_type, PLACE, MPI_Op op,
           MPI_Win win, MPI_Request *request),
          (data, count, type, into, max, into_type, peer, at, at_count,
           at_type, op, win, request));
ONE_SIDED(Fetch_and_op,
          (const void *data, void *into, MPI_Datatype type, int peer,
           MPI_Aint at, MPI_Op op, MPI_Win win),
          (data, into, type, peer, at, op, win));
ONE_SIDED(Compare_and_swap,
          (const void *data, const void *compared, void *into,
           MPI_Datatype type, int peer, MPI_Aint at, MPI_Win win),
          (data, compared, into, type, peer, at, win));

SKIPS(Comm_spawn, SF_SKIP_SPAWN,
      (const char *command, char *argv[], int n, MPI_Info info, int root,
       MPI_Comm comm, MPI_Comm *made, int codes[]),
      (command, argv, n, info, root, comm, made, codes));
SKIPS(Comm_spawn_multiple, SF_SKIP_SPAWN,
      (int count, char *commands[], char **argvs[], const int ns[],
       const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *made,
       int codes[]),
      (count, commands, argvs, ns, infos, root, comm, made, codes));
SKIPS(Comm_connect, SF_SKIP_SPAWN,
      (const char *port, MPI_Info info, int root, MPI_Comm comm,
       MPI_Comm *made),
      (port, info, root, comm, made));
SKIPS(Comm_accept, SF_SKIP_SPAWN,
      (const char *port, MPI_Info info, int root, MPI_Comm comm,
       MPI_Comm *made),
      (port, info, root, comm, made));
SKIPS(Comm_join, SF_SKIP_SPAWN, (int fd, MPI_Comm *made), (fd, made));
