/* comms.c -- communicators: a name that all their ranks find without asking
 * each other, and their ranks in the world.
 *
 * All ranks of a communicator make others of it in the same order.  So the
 * name of the old one, how many were made of it before, and the rank in the
 * world that leads the new one, tell the new one from all others.  Where only
 * some ranks take part, these ranks and how often they met count instead. */
#include "record.h"

#include <stdio.h>
#include <stdlib.h>

static MPI_Group world;
static int key = MPI_KEYVAL_INVALID;
static uint32_t n_comms;

/* How often ranks that took part alone have met. */
static struct {
    struct meeting {
        uint64_t name, n;
    } * items;
    size_t n, capacity;
} meetings;

static uint64_t
mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* The ranks of 'group' in the world; NULL if that cannot be. */
static int *
find_ranks(MPI_Group group, int n)
{
    int *ranks = calloc((size_t)n + 1, 2 * sizeof *ranks);

    if (!ranks) {
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        ranks[n + i] = i;
    }
    PMPI_Group_translate_ranks(group, n, ranks + n, world, ranks);
    for (int i = 0; i < n; i++) {
        if (ranks[i] == MPI_UNDEFINED) { /* Of another program. */
            free(ranks);
            return NULL;
        }
    }
    return ranks;
}

struct groups {
    int n, n_remote;
    int *ranks, *remote;
};

static bool
find_groups(MPI_Comm comm, struct groups *groups)
{
    MPI_Group group;
    int is_inter;

    *groups = (struct groups){ 0 };
    PMPI_Comm_group(comm, &group);
    PMPI_Group_size(group, &groups->n);
    groups->ranks = find_ranks(group, groups->n);
    PMPI_Group_free(&group);
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter) {
        PMPI_Comm_remote_group(comm, &group);
        PMPI_Group_size(group, &groups->n_remote);
        groups->remote = find_ranks(group, groups->n_remote);
        PMPI_Group_free(&group);
    }
    return groups->ranks && (!is_inter || groups->remote);
}

static void
write_ranks(const int *ranks, int n)
{
    record_number((uint64_t)n);
    for (int i = 0; i < n; i++) {
        record_number((uint64_t)ranks[i]);
    }
}

/* Makes 'comm' known by 'name'. */
static void
introduce(MPI_Comm comm, uint64_t name, const struct groups *groups)
{
    struct record_comm *known = calloc(1, sizeof *known);

    if (!known) {
        return;
    }
    known->name = name;
    known->number = n_comms++;
    known->is_inter = groups->n_remote > 0;
    PMPI_Comm_rank(comm, &known->me);
    known->n = groups->n;
    known->n_peers = known->is_inter ? groups->n_remote : groups->n;
    record_start(SF_TRACE_COMM);
    record_number(name);
    write_ranks(groups->ranks, groups->n);
    write_ranks(groups->remote, groups->n_remote);
    record_end();
    PMPI_Comm_set_attr(comm, key, known);
}

/* The least rank that leads one of the groups: the same on both sides. */
static uint64_t
find_leader(const struct groups *groups)
{
    int leader = groups->ranks[0];

    if (groups->n_remote > 0 && groups->remote[0] < leader) {
        leader = groups->remote[0];
    }
    return (uint64_t)leader;
}

/* Names 'made', which 'old' and the numbers tell from others. */
static void
name_comm(MPI_Comm made, uint64_t old, uint64_t number)
{
    struct groups groups = { 0 };

    if (made != MPI_COMM_NULL && find_groups(made, &groups)) {
        introduce(made, mix(mix(old, number), find_leader(&groups)), &groups);
    }
    free(groups.ranks);
    free(groups.remote);
}

/* Takes part in making 'made', if any, of 'old' with all its ranks. */
static void
add_child(MPI_Comm old, MPI_Comm made)
{
    struct record_comm *known = record_comm_get(old);

    if (known) {
        name_comm(made, known->name, known->n_children++);
    }
}

/* Counts how often 'name' was met before. */
static uint64_t
meet(uint64_t name)
{
    for (size_t i = 0; i < meetings.n; i++) {
        if (meetings.items[i].name == name) {
            return ++meetings.items[i].n;
        }
    }
    if (meetings.n == meetings.capacity) {
        size_t capacity = 2 * meetings.capacity + 16;
        void *items =
            realloc(meetings.items, capacity * sizeof *meetings.items);
        if (!items) {
            return 0;
        }
        meetings.items = items;
        meetings.capacity = capacity;
    }
    meetings.items[meetings.n++] = (struct meeting){ name, 0 };
    return 0;
}

/* The hash of all ranks of both groups, whichever is one's own. */
static uint64_t
hash_groups(const struct groups *groups)
{
    uint64_t sum = 0;

    for (int i = 0; i < groups->n; i++) {
        sum += mix(1, (uint64_t)groups->ranks[i]);
    }
    for (int i = 0; i < groups->n_remote; i++) {
        sum += mix(1, (uint64_t)groups->remote[i]);
    }
    return mix(sum, groups->n_remote > 0);
}

/* Names 'made' by its ranks and 'tag'. */
static void
name_by_ranks(MPI_Comm made, int tag)
{
    struct groups groups = { 0 };

    if (made != MPI_COMM_NULL && find_groups(made, &groups)) {
        uint64_t name = mix(hash_groups(&groups), (uint64_t)tag);
        introduce(made, mix(name, meet(name)), &groups);
    }
    free(groups.ranks);
    free(groups.remote);
}

static int
forget(MPI_Comm comm, int keyval, void *known, void *aux)
{
    (void)comm;
    (void)keyval;
    (void)aux;
    free(known);
    return MPI_SUCCESS;
}

void
record_comms_begin(void)
{
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    name_comm(MPI_COMM_WORLD, 1, 0);
    name_comm(MPI_COMM_SELF, 2, 0);
}

struct record_comm *
record_comm_get(MPI_Comm comm)
{
    void *known = NULL;
    int is_known = 0;

    if (comm != MPI_COMM_NULL) {
        PMPI_Comm_get_attr(comm, key, &known, &is_known);
    }
    if (!is_known) {
        record_skip(SF_SKIP_UNKNOWN_COMM);
        return NULL;
    }
    return known;
}

struct record_comm *
record_comm_get_intra(MPI_Comm comm)
{
    struct record_comm *known = record_comm_get(comm);

    if (known && known->is_inter) {
        record_skip(SF_SKIP_INTER);
        return NULL;
    }
    return known;
}

#define LIST(...) __VA_ARGS__

/* Calls of all ranks of 'comm' that make another of it. */
#define MAKES(name, params, args)                    \
    WRAPPER PMPI_##name(LIST params, MPI_Comm *made) \
    {                                                \
        bool is_on = record_enter();                 \
        int code = NEXT(name)(LIST args, made);      \
        if (is_on && code == MPI_SUCCESS) {          \
            add_child(comm, *made);                  \
        }                                            \
        record_leave();                              \
        return code;                                 \
    }                                                \
    BOTH_NAMES(name)

MAKES(Comm_dup, (MPI_Comm comm), (comm));
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (comm, info));
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group), (comm, group));
MAKES(Comm_split, (MPI_Comm comm, int color, int order), (comm, color, order));
MAKES(Comm_split_type, (MPI_Comm comm, int type, int order, MPI_Info info),
      (comm, type, order, info));
MAKES(Cart_create,
      (MPI_Comm comm, int n, const int dims[], const int periods[],
       int reorder),
      (comm, n, dims, periods, reorder));
MAKES(Cart_sub, (MPI_Comm comm, const int remain[]), (comm, remain));
MAKES(Graph_create,
      (MPI_Comm comm, int n, const int index[], const int edges[],
       int reorder),
      (comm, n, index, edges, reorder));
MAKES(Dist_graph_create,
      (MPI_Comm comm, int n, const int sources[], const int degrees[],
       const int targets[], const int weights[], MPI_Info info, int reorder),
      (comm, n, sources, degrees, targets, weights, info, reorder));
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int n_in, const int sources[], const int in_weights[],
       int n_out, const int targets[], const int out_weights[], MPI_Info info,
       int reorder),
      (comm, n_in, sources, in_weights, n_out, targets, out_weights, info,
       reorder));
MAKES(Intercomm_merge, (MPI_Comm comm, int high), (comm, high));

/* Calls of some ranks. */
#define MAKES_BY_RANKS(name, params, args)           \
    WRAPPER PMPI_##name(LIST params, MPI_Comm *made) \
    {                                                \
        bool is_on = record_enter();                 \
        int code = NEXT(name)(LIST args, made);      \
        if (is_on && code == MPI_SUCCESS) {          \
            name_by_ranks(*made, tag);               \
        }                                            \
        record_leave();                              \
        return code;                                 \
    }                                                \
    BOTH_NAMES(name)

MAKES_BY_RANKS(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag),
               (comm, group, tag));
MAKES_BY_RANKS(Intercomm_create,
               (MPI_Comm comm, int leader, MPI_Comm peers, int remote,
                int tag),
               (comm, leader, peers, remote, tag));
