/* collective.h -- collectives as MPI libraries do them, as steps of a script.
 *
 * A file for each collective has its algorithms; rules.h chooses among them.
 * The data of a collective is a vector of blocks, and a message carries some
 * of them, in a circle. */
#ifndef SF_SIM_WORKLOADS_COLLECTIVE_H
#define SF_SIM_WORKLOADS_COLLECTIVE_H

#include "sim/workloads/script.h"

enum sf_collective {
    SF_ALLTOALL,
    SF_ALLREDUCE,
    SF_BCAST,
    SF_ALLGATHER,
    SF_REDUCE_SCATTER,
    SF_BARRIER,
    SF_N_COLLECTIVES,
};

enum sf_algorithm {
    SF_LINEAR,
    SF_PAIRWISE,
    SF_BRUCK,
    SF_RECURSIVE_DOUBLING,
    SF_RECURSIVE_HALVING,
    SF_RING,
    SF_SEGMENTED_RING,
    SF_RABENSEIFNER,
    SF_REDUCE_BCAST,
    SF_NEIGHBOR,
    SF_BINOMIAL,
    SF_KNOMIAL,
    SF_BINARY,
    SF_SPLIT_BINARY,
    SF_PIPELINE,
    SF_SCATTER_ALLGATHER,
    SF_BUTTERFLY,
    SF_TREE,
    SF_N_ALGORITHMS,
};

/* How a collective is done. */
struct sf_choice {
    enum sf_algorithm algorithm;
    uint64_t segment; /* Bytes of a segment; 0: it is not cut. */
};

/* Which ranks of a script take part: first, first + stride, ... */
struct sf_group {
    struct sf_script *script;
    uint32_t first, stride, n;
};

/* All ranks of a script. */
static inline struct sf_group
sf_group_all(struct sf_script *script)
{
    return (struct sf_group){ script, 0, 1, script->n };
}

/* Data in 'n' blocks: of 'segment' bytes but for the last, or, if that is 0,
 * as even as can be. */
struct sf_vector {
    uint64_t bytes;
    uint32_t n;
    uint64_t segment;
};

/* 'bytes' in segments; or as one block if 'segment' is 0. */
struct sf_vector sf_vector_cut(uint64_t bytes, uint64_t segment);

/* The bytes of some blocks. */
uint64_t sf_vector_bytes(const struct sf_vector *vector, struct sf_part part);

/* Member 'from' sends blocks to member 'to'; both know how large they are. */
void sf_group_send(const struct sf_group *group, uint32_t from, uint32_t to,
                   const struct sf_vector *vector, struct sf_part part);

/* All members go on. */
void sf_group_step(const struct sf_group *group);

/* The largest power of two that is not larger than n. */
uint32_t sf_power_below(uint32_t n);

/* These add a collective.  'bytes' are those that a member sends to each
 * other (alltoall), gives (allreduce, allgather), has in the end
 * (reduce-scatter), or that member 0 sends (bcast). */
void sf_alltoall(const struct sf_group *group, uint64_t bytes,
                 struct sf_choice choice);
void sf_allreduce(const struct sf_group *group, uint64_t bytes,
                  struct sf_choice choice);
void sf_bcast(const struct sf_group *group, uint64_t bytes,
              struct sf_choice choice);
void sf_allgather(const struct sf_group *group, uint64_t bytes,
                  struct sf_choice choice);
void sf_reduce_scatter(const struct sf_group *group, uint64_t bytes,
                       struct sf_choice choice);
void sf_barrier(const struct sf_group *group, struct sf_choice choice);

/* Parts of others: all vectors are added up at member 0; each member has its
 * own block and gets those of the others. */
void sf_reduce_binomial(const struct sf_group *group,
                        const struct sf_vector *vector);
void sf_allgather_blocks(const struct sf_group *group,
                         const struct sf_vector *vector,
                         enum sf_algorithm algorithm);

/* Ranks beyond a power of two leave what they have to others: of the first
 * 2 * n_more ranks, even ones to odd ones.  The others are numbered anew. */
struct sf_fold {
    uint32_t power, n_more;
};

static inline struct sf_fold
sf_fold_of(uint32_t n)
{
    uint32_t power = sf_power_below(n);
    return (struct sf_fold){ power, n - power };
}

/* The member that has number 'i'. */
static inline uint32_t
sf_fold_member(const struct sf_fold *fold, uint32_t i)
{
    return i < fold->n_more ? 2 * i + 1 : i + fold->n_more;
}

#endif
