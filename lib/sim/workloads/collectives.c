/* collectives.c -- collectives as workloads. */
#include "sim/workloads/kind.h"
#include "sim/workloads/rules.h"

/* Values of the params. */
enum {
    ALGORITHM,
    RULES,
    SEGMENT
};

/* A collective, and the algorithms that its words stand for. */
struct collective {
    enum sf_collective collective;
    enum sf_algorithm algorithms[SF_MAX_WORDS];
};

/* Segments of algorithms that are asked for without saying how long. */
static uint64_t
usual_segment(enum sf_algorithm algorithm)
{
    return algorithm == SF_SEGMENTED_RING ? 1 << 20
           : algorithm == SF_PIPELINE     ? 64 << 10
           : algorithm == SF_SPLIT_BINARY ? 8 << 10
                                          : 0;
}

/* How 'work' asks for a collective to be done. */
static struct sf_choice
choose(const struct sf_work *work, const struct collective *what)
{
    const struct sf_value *values = work->values;
    struct sf_choice choice =
        sf_rules_choose(&sf_rules[values[RULES].number], what->collective,
                        work->n_ranks, sf_work_bytes(work->size));

    if (values[ALGORITHM].given) {
        choice.algorithm = what->algorithms[values[ALGORITHM].number];
        choice.segment = usual_segment(choice.algorithm);
    }
    if (what->collective != SF_BARRIER && values[SEGMENT].given) {
        choice.segment = values[SEGMENT].number;
    }
    return choice;
}

static void
add_collective(const struct sf_group *group, enum sf_collective collective,
               uint64_t bytes, struct sf_choice choice)
{
    switch (collective) {
    case SF_ALLTOALL:
        sf_alltoall(group, bytes, choice);
        break;
    case SF_ALLREDUCE:
        sf_allreduce(group, bytes, choice);
        break;
    case SF_BCAST:
        sf_bcast(group, bytes, choice);
        break;
    case SF_ALLGATHER:
        sf_allgather(group, bytes, choice);
        break;
    case SF_REDUCE_SCATTER:
        sf_reduce_scatter(group, bytes, choice);
        break;
    case SF_BARRIER:
    case SF_N_COLLECTIVES:
        sf_barrier(group, choice);
        break;
    }
}

static enum sf_status
send_collective(const struct sf_work *work, const struct collective *what,
                struct sf_program *program, struct sf_error *err)
{
    struct sf_script script;

    sf_script_init(&script, program, work->hosts, work->n_ranks);
    struct sf_group group = sf_group_all(&script);
    add_collective(&group, what->collective, sf_work_bytes(work->size),
                   choose(work, what));
    enum sf_status status = sf_script_status(&script, err);
    sf_script_clear(&script);
    return status;
}

#define SOURCE "Open MPI 5.0.10 and 1.10.7, coll_base_*.c and coll_tuned"

#define PARAM_ALGORITHM(...)                                           \
    {                                                                  \
        .key = "algorithm", .kind = SF_PARAM_CHOICE,                   \
        .by_default = "as the rules say", .meaning = "how it is done", \
        .words = {                                                     \
            __VA_ARGS__                                                \
        }                                                              \
    }
#define PARAM_RULES                                                        \
    {                                                                      \
        .key = "rules", .kind = SF_PARAM_CHOICE, .by_default = "ompi-5.0", \
        .meaning = "whose rules choose the algorithm", .words = {          \
            "ompi-5.0",                                                    \
            "ompi-1.10"                                                    \
        }                                                                  \
    }
#define PARAM_SEGMENT                                                         \
    {                                                                         \
        .key = "segment", .kind = SF_PARAM_NUMBER, .min = 0, .max = 1u << 30, \
        .by_default = "as the rules say",                                     \
        .meaning = "bytes of a segment, 0 for whole messages"                 \
    }

/* Each collective has its words, functions and entry. */
#define COLLECTIVE(name_, number_, ...)                                  \
    static const struct collective name_ = { number_, { __VA_ARGS__ } }; \
    static enum sf_status send_##name_(const struct sf_work *work,       \
                                       struct sf_program *program,       \
                                       struct sf_error *err)             \
    {                                                                    \
        return send_collective(work, &name_, program, err);              \
    }                                                                    \
    static const struct sf_workload_ops ops_##name_ = { .send = send_##name_ }

COLLECTIVE(alltoall, SF_ALLTOALL, SF_LINEAR, SF_PAIRWISE, SF_BRUCK);
const struct sf_workload_kind sf_workload_alltoall = {
    .name = "alltoall",
    .title = "each rank sends a block of the size to each other",
    .example = "alltoall:size=64K,algorithm=pairwise",
    .source = SOURCE,
    .has_size = true,
    .params = { PARAM_ALGORITHM("linear", "pairwise", "bruck"), PARAM_RULES },
    .ops = &ops_alltoall,
};

COLLECTIVE(allreduce, SF_ALLREDUCE, SF_RECURSIVE_DOUBLING, SF_RING,
           SF_SEGMENTED_RING, SF_RABENSEIFNER, SF_REDUCE_BCAST);
const struct sf_workload_kind sf_workload_allreduce = {
    .name = "allreduce",
    .title = "vectors of the size are added up, for all ranks",
    .example = "allreduce:size=1M,algorithm=ring",
    .source = SOURCE,
    .has_size = true,
    .params = { PARAM_ALGORITHM("recursive-doubling", "ring", "segmented-ring",
                                "rabenseifner", "reduce-bcast"),
                PARAM_RULES, PARAM_SEGMENT },
    .ops = &ops_allreduce,
};

COLLECTIVE(bcast, SF_BCAST, SF_LINEAR, SF_PIPELINE, SF_SPLIT_BINARY, SF_BINARY,
           SF_BINOMIAL, SF_KNOMIAL, SF_SCATTER_ALLGATHER);
const struct sf_workload_kind sf_workload_bcast = {
    .name = "bcast",
    .title = "data of the size from rank 0 to all",
    .example = "bcast:size=1M,algorithm=pipeline,segment=65536",
    .source = SOURCE,
    .has_size = true,
    .params = { PARAM_ALGORITHM("linear", "pipeline", "split-binary", "binary",
                                "binomial", "knomial", "scatter-allgather"),
                PARAM_RULES, PARAM_SEGMENT },
    .ops = &ops_bcast,
};

COLLECTIVE(allgather, SF_ALLGATHER, SF_RING, SF_BRUCK, SF_RECURSIVE_DOUBLING,
           SF_NEIGHBOR);
const struct sf_workload_kind sf_workload_allgather = {
    .name = "allgather",
    .title = "the blocks of all ranks, each of the size, for all",
    .example = "allgather:size=64K,algorithm=ring",
    .source = SOURCE,
    .has_size = true,
    .params = { PARAM_ALGORITHM("ring", "bruck", "recursive-doubling",
                                "neighbor"),
                PARAM_RULES },
    .ops = &ops_allgather,
};

COLLECTIVE(reduce_scatter, SF_REDUCE_SCATTER, SF_LINEAR, SF_RECURSIVE_HALVING,
           SF_BUTTERFLY, SF_RING);
const struct sf_workload_kind sf_workload_reduce_scatter = {
    .name = "reduce-scatter",
    .title = "vectors are added up, and each rank gets a block of the size",
    .example = "reduce-scatter:size=64K,algorithm=ring",
    .source = SOURCE,
    .has_size = true,
    .params = { PARAM_ALGORITHM("linear", "recursive-halving", "butterfly",
                                "ring"),
                PARAM_RULES },
    .ops = &ops_reduce_scatter,
};

COLLECTIVE(barrier, SF_BARRIER, SF_LINEAR, SF_RECURSIVE_DOUBLING, SF_BRUCK,
           SF_TREE);
const struct sf_workload_kind sf_workload_barrier = {
    .name = "barrier",
    .title = "no rank goes on before all are there",
    .example = "barrier:algorithm=bruck",
    .source = SOURCE,
    .params = { PARAM_ALGORITHM("linear", "recursive-doubling", "bruck",
                                "tree"),
                PARAM_RULES },
    .ops = &ops_barrier,
};
