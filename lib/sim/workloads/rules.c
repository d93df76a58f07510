/* rules.c -- rules of Open MPI, read in its fixed decision functions
 * (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of 5.0.10 and 1.10.7), for
 * operations that commute.
 *
 * What is the same here has one name: posting all at once with and without a
 * bound on requests, which is off by default; an exchange of two ranks and
 * pairwise, or a ring, of two; a chain and a pipeline.  Segments are not cut
 * by the rules of 5.0.  Reduce-scatter by recursive doubling, which 5.0 wants
 * below 8 ranks and 32 bytes, is done by halving.  For elements, of which
 * rules of 1.10 want more than ranks, 4 bytes are assumed. */
#include "sim/workloads/rules.h"

static const struct sf_rule alltoall_50[] = {
    { .ranks = 3, .bytes = 32768, .algorithm = SF_PAIRWISE },
    { .ranks = 3, .bytes = 262144, .algorithm = SF_LINEAR },
    { .ranks = 3, .algorithm = SF_PAIRWISE },
    { .ranks = 8, .bytes = 524288, .algorithm = SF_LINEAR },
    { .ranks = 8, .bytes = 1048576, .algorithm = SF_PAIRWISE },
    { .ranks = 8, .algorithm = SF_LINEAR },
    { .ranks = 16, .algorithm = SF_LINEAR },
    { .ranks = 32, .bytes = 4, .algorithm = SF_LINEAR },
    { .ranks = 32, .bytes = 512, .algorithm = SF_BRUCK },
    { .ranks = 32, .algorithm = SF_LINEAR },
    { .ranks = 64, .bytes = 512, .algorithm = SF_BRUCK },
    { .ranks = 64, .algorithm = SF_LINEAR },
    { .ranks = 128, .bytes = 1024, .algorithm = SF_BRUCK },
    { .ranks = 128, .bytes = 262144, .algorithm = SF_LINEAR },
    { .ranks = 128, .algorithm = SF_PAIRWISE },
    { .ranks = 256, .bytes = 1024, .algorithm = SF_BRUCK },
    { .ranks = 256, .bytes = 262144, .algorithm = SF_LINEAR },
    { .ranks = 256, .algorithm = SF_PAIRWISE },
    { .ranks = 512, .bytes = 1024, .algorithm = SF_BRUCK },
    { .ranks = 512, .bytes = 32768, .algorithm = SF_LINEAR },
    { .ranks = 512, .algorithm = SF_PAIRWISE },
    { .ranks = 1024, .bytes = 512, .algorithm = SF_BRUCK },
    { .ranks = 1024, .bytes = 262144, .algorithm = SF_LINEAR },
    { .ranks = 1024, .algorithm = SF_PAIRWISE },
    { .ranks = 2048, .bytes = 512, .algorithm = SF_BRUCK },
    { .ranks = 2048, .algorithm = SF_LINEAR },
    { .ranks = 4096, .bytes = 1024, .algorithm = SF_BRUCK },
    { .ranks = 4096, .algorithm = SF_LINEAR },
    { .bytes = 2048, .algorithm = SF_BRUCK },
    { .algorithm = SF_LINEAR },
};

static const struct sf_rule allreduce_50[] = {
    { .ranks = 4, .bytes = 8, .algorithm = SF_RING },
    { .ranks = 4, .bytes = 4096, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 4, .bytes = 8192, .algorithm = SF_RING },
    { .ranks = 4, .bytes = 16384, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 4, .bytes = 65536, .algorithm = SF_RING },
    { .ranks = 4, .bytes = 262144, .algorithm = SF_SEGMENTED_RING },
    { .ranks = 4, .algorithm = SF_RABENSEIFNER },
    { .ranks = 8, .bytes = 16, .algorithm = SF_RING },
    { .ranks = 8, .bytes = 8192, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 8, .algorithm = SF_RABENSEIFNER },
    { .ranks = 16, .bytes = 8192, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 16, .algorithm = SF_RABENSEIFNER },
    { .ranks = 32, .bytes = 64, .algorithm = SF_SEGMENTED_RING },
    { .ranks = 32, .bytes = 4096, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 32, .algorithm = SF_RABENSEIFNER },
    { .ranks = 64, .bytes = 128, .algorithm = SF_SEGMENTED_RING },
    { .ranks = 64, .algorithm = SF_RABENSEIFNER },
    { .ranks = 128, .bytes = 262144, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 128, .algorithm = SF_RABENSEIFNER },
    { .ranks = 256, .bytes = 131072, .algorithm = SF_REDUCE_BCAST },
    { .ranks = 256, .bytes = 262144, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 256, .algorithm = SF_RABENSEIFNER },
    { .ranks = 512, .bytes = 4096, .algorithm = SF_REDUCE_BCAST },
    { .ranks = 512, .algorithm = SF_RABENSEIFNER },
    { .ranks = 2048, .bytes = 2048, .algorithm = SF_REDUCE_BCAST },
    { .ranks = 2048, .bytes = 16384, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 2048, .algorithm = SF_RABENSEIFNER },
    { .ranks = 4096, .bytes = 2048, .algorithm = SF_REDUCE_BCAST },
    { .ranks = 4096, .bytes = 4096, .algorithm = SF_SEGMENTED_RING },
    { .ranks = 4096, .bytes = 16384, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 4096, .algorithm = SF_RABENSEIFNER },
    { .bytes = 2048, .algorithm = SF_REDUCE_BCAST },
    { .bytes = 16384, .algorithm = SF_SEGMENTED_RING },
    { .bytes = 32768, .algorithm = SF_RECURSIVE_DOUBLING },
    { .algorithm = SF_RABENSEIFNER },
};

static const struct sf_rule bcast_50[] = {
    { .ranks = 4, .bytes = 32, .algorithm = SF_PIPELINE },
    { .ranks = 4, .bytes = 256, .algorithm = SF_BINARY },
    { .ranks = 4, .bytes = 512, .algorithm = SF_PIPELINE },
    { .ranks = 4, .bytes = 1024, .algorithm = SF_KNOMIAL },
    { .ranks = 4, .bytes = 32768, .algorithm = SF_LINEAR },
    { .ranks = 4, .bytes = 131072, .algorithm = SF_BINARY },
    { .ranks = 4, .bytes = 262144, .algorithm = SF_PIPELINE },
    { .ranks = 4, .bytes = 524288, .algorithm = SF_LINEAR },
    { .ranks = 4, .bytes = 1048576, .algorithm = SF_BINOMIAL },
    { .ranks = 4, .algorithm = SF_BINARY },
    { .ranks = 8, .bytes = 64, .algorithm = SF_BINARY },
    { .ranks = 8, .bytes = 128, .algorithm = SF_BINOMIAL },
    { .ranks = 8, .bytes = 2048, .algorithm = SF_BINARY },
    { .ranks = 8, .bytes = 8192, .algorithm = SF_BINOMIAL },
    { .ranks = 8, .bytes = 1048576, .algorithm = SF_LINEAR },
    { .ranks = 8, .algorithm = SF_PIPELINE },
    { .ranks = 16, .bytes = 8, .algorithm = SF_KNOMIAL },
    { .ranks = 16, .bytes = 64, .algorithm = SF_BINARY },
    { .ranks = 16, .bytes = 4096, .algorithm = SF_KNOMIAL },
    { .ranks = 16, .bytes = 16384, .algorithm = SF_BINARY },
    { .ranks = 16, .bytes = 32768, .algorithm = SF_BINOMIAL },
    { .ranks = 16, .algorithm = SF_LINEAR },
    { .ranks = 32, .bytes = 4096, .algorithm = SF_KNOMIAL },
    { .ranks = 32, .bytes = 1048576, .algorithm = SF_BINOMIAL },
    { .ranks = 32, .algorithm = SF_SCATTER_ALLGATHER },
    { .ranks = 64, .bytes = 2048, .algorithm = SF_BINOMIAL },
    { .ranks = 64, .algorithm = SF_KNOMIAL },
    { .ranks = 128, .algorithm = SF_KNOMIAL },
    { .ranks = 256, .bytes = 2, .algorithm = SF_BINOMIAL },
    { .ranks = 256, .bytes = 16384, .algorithm = SF_BINARY },
    { .ranks = 256, .bytes = 32768, .algorithm = SF_LINEAR },
    { .ranks = 256, .bytes = 65536, .algorithm = SF_BINARY },
    { .ranks = 256, .algorithm = SF_KNOMIAL },
    { .ranks = 1024, .bytes = 16384, .algorithm = SF_KNOMIAL },
    { .ranks = 1024, .bytes = 32768, .algorithm = SF_SPLIT_BINARY },
    { .ranks = 1024, .algorithm = SF_KNOMIAL },
    { .ranks = 2048, .bytes = 524288, .algorithm = SF_KNOMIAL },
    { .ranks = 2048, .algorithm = SF_SCATTER_ALLGATHER },
    { .ranks = 4096, .bytes = 262144, .algorithm = SF_KNOMIAL },
    { .ranks = 4096, .algorithm = SF_SCATTER_ALLGATHER },
    { .bytes = 8192, .algorithm = SF_KNOMIAL },
    { .bytes = 16384, .algorithm = SF_BINARY },
    { .bytes = 262144, .algorithm = SF_KNOMIAL },
    { .algorithm = SF_SCATTER_ALLGATHER },
};

static const struct sf_rule allgather_50[] = {
    { .ranks = 3, .algorithm = SF_RING },
    { .ranks = 32, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 64, .bytes = 1024, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 64, .bytes = 65536, .algorithm = SF_NEIGHBOR },
    { .ranks = 64, .algorithm = SF_RING },
    { .ranks = 128, .bytes = 512, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 128, .bytes = 65536, .algorithm = SF_NEIGHBOR },
    { .ranks = 128, .algorithm = SF_RING },
    { .ranks = 256, .bytes = 512, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 256, .bytes = 131072, .algorithm = SF_NEIGHBOR },
    { .ranks = 256, .bytes = 524288, .algorithm = SF_RING },
    { .ranks = 256, .bytes = 1048576, .algorithm = SF_NEIGHBOR },
    { .ranks = 256, .algorithm = SF_RING },
    { .ranks = 512, .bytes = 32, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 512, .bytes = 128, .algorithm = SF_BRUCK },
    { .ranks = 512, .bytes = 1024, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 512, .bytes = 131072, .algorithm = SF_NEIGHBOR },
    { .ranks = 512, .bytes = 524288, .algorithm = SF_RING },
    { .ranks = 512, .bytes = 1048576, .algorithm = SF_NEIGHBOR },
    { .ranks = 512, .algorithm = SF_RING },
    { .ranks = 1024, .bytes = 64, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 1024, .bytes = 256, .algorithm = SF_BRUCK },
    { .ranks = 1024, .bytes = 2048, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 1024, .algorithm = SF_NEIGHBOR },
    { .ranks = 2048, .bytes = 4, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 2048, .bytes = 8, .algorithm = SF_BRUCK },
    { .ranks = 2048, .bytes = 16, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 2048, .bytes = 32, .algorithm = SF_BRUCK },
    { .ranks = 2048, .bytes = 256, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 2048, .bytes = 512, .algorithm = SF_BRUCK },
    { .ranks = 2048, .bytes = 4096, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 2048, .algorithm = SF_NEIGHBOR },
    { .ranks = 4096, .bytes = 32, .algorithm = SF_BRUCK },
    { .ranks = 4096, .bytes = 128, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 4096, .bytes = 512, .algorithm = SF_BRUCK },
    { .ranks = 4096, .bytes = 4096, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 4096, .algorithm = SF_NEIGHBOR },
    { .bytes = 2, .algorithm = SF_RECURSIVE_DOUBLING },
    { .bytes = 8, .algorithm = SF_BRUCK },
    { .bytes = 16, .algorithm = SF_RECURSIVE_DOUBLING },
    { .bytes = 512, .algorithm = SF_BRUCK },
    { .bytes = 4096, .algorithm = SF_RECURSIVE_DOUBLING },
    { .algorithm = SF_NEIGHBOR },
};

static const struct sf_rule reduce_scatter_50[] = {
    { .ranks = 4, .bytes = 4, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 4, .bytes = 8, .algorithm = SF_BUTTERFLY },
    { .ranks = 4, .bytes = 16, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 4, .bytes = 128, .algorithm = SF_BUTTERFLY },
    { .ranks = 4, .bytes = 256, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 4, .bytes = 4096, .algorithm = SF_BUTTERFLY },
    { .ranks = 4, .bytes = 8192, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 4, .bytes = 131072, .algorithm = SF_BUTTERFLY },
    { .ranks = 4, .algorithm = SF_LINEAR },
    { .ranks = 8, .bytes = 32, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 8, .bytes = 256, .algorithm = SF_BUTTERFLY },
    { .ranks = 8, .bytes = 8192, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 8, .bytes = 16384, .algorithm = SF_BUTTERFLY },
    { .ranks = 8, .bytes = 1048576, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 8, .algorithm = SF_LINEAR },
    { .ranks = 16, .bytes = 4, .algorithm = SF_LINEAR },
    { .ranks = 16, .bytes = 32, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 16, .bytes = 128, .algorithm = SF_BUTTERFLY },
    { .ranks = 16, .bytes = 524288, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 16, .bytes = 4194304, .algorithm = SF_LINEAR },
    { .ranks = 16, .algorithm = SF_BUTTERFLY },
    { .ranks = 32, .bytes = 32, .algorithm = SF_LINEAR },
    { .ranks = 32, .bytes = 524288, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 32, .bytes = 2097152, .algorithm = SF_LINEAR },
    { .ranks = 32, .bytes = 4194304, .algorithm = SF_RECURSIVE_HALVING },
    { .ranks = 32, .algorithm = SF_BUTTERFLY },
    { .bytes = 4, .algorithm = SF_RECURSIVE_HALVING },
    { .bytes = 16, .algorithm = SF_LINEAR },
    { .bytes = 65536, .algorithm = SF_BUTTERFLY },
    { .bytes = 262144, .algorithm = SF_LINEAR },
    { .algorithm = SF_BUTTERFLY },
};
static const struct sf_rule barrier_50[] = {
    { .ranks = 4, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 8, .algorithm = SF_LINEAR },
    { .ranks = 64, .algorithm = SF_RECURSIVE_DOUBLING },
    { .ranks = 256, .algorithm = SF_BRUCK },
    { .ranks = 512, .algorithm = SF_TREE },
    { .ranks = 1024, .algorithm = SF_BRUCK },
    { .ranks = 4096, .algorithm = SF_TREE },
    { .algorithm = SF_BRUCK },
};

static const struct sf_rule alltoall_110[] = {
    { .ranks = 3, .algorithm = SF_PAIRWISE },
    { .ranks = 13, .bytes = 3000, .algorithm = SF_LINEAR },
    { .bytes = 200, .algorithm = SF_BRUCK },
    { .bytes = 3000, .algorithm = SF_LINEAR },
    { .algorithm = SF_PAIRWISE },
};

static const struct sf_rule allreduce_110[] = {
    { .bytes = 10000, .algorithm = SF_RECURSIVE_DOUBLING },
    { .per_byte = 1.0 / (1 << 20),
      .algorithm = SF_SEGMENTED_RING,
      .segment = 1 << 20 },
    { .per_byte = 0.25, .algorithm = SF_RING },
    { .algorithm = SF_REDUCE_BCAST },
};

static const struct sf_rule bcast_110[] = {
    { .bytes = 2048, .algorithm = SF_BINOMIAL },
    { .bytes = 370728, .algorithm = SF_SPLIT_BINARY, .segment = 1 << 10 },
    { .per_byte = 1.6134e-6,
      .plus = 2.1102,
      .algorithm = SF_PIPELINE,
      .segment = 128 << 10 },
    { .ranks = 13, .algorithm = SF_SPLIT_BINARY, .segment = 8 << 10 },
    { .per_byte = 2.3679e-6,
      .plus = 1.1787,
      .algorithm = SF_PIPELINE,
      .segment = 64 << 10 },
    { .per_byte = 3.2118e-6,
      .plus = 8.7936,
      .algorithm = SF_PIPELINE,
      .segment = 16 << 10 },
    { .algorithm = SF_PIPELINE, .segment = 8 << 10 },
};

static const struct sf_rule allgather_110[] = {
    { .ranks = 3, .algorithm = SF_RING },
    { .bytes = 50000,
      .counts_all = true,
      .only = SF_POWER_RANKS,
      .algorithm = SF_RECURSIVE_DOUBLING },
    { .bytes = 50000, .counts_all = true, .algorithm = SF_BRUCK },
    { .only = SF_EVEN_RANKS, .algorithm = SF_NEIGHBOR },
    { .algorithm = SF_RING },
};

static const struct sf_rule reduce_scatter_110[] = {
    { .bytes = (12 << 10) + 1,
      .counts_all = true,
      .algorithm = SF_RECURSIVE_HALVING },
    { .bytes = (256 << 10) + 1,
      .counts_all = true,
      .only = SF_POWER_RANKS,
      .algorithm = SF_RECURSIVE_HALVING },
    { .per_byte = 0.0012,
      .plus = 8,
      .counts_all = true,
      .algorithm = SF_RING },
    { .algorithm = SF_RECURSIVE_HALVING },
};

static const struct sf_rule barrier_110[] = {
    { .only = SF_POWER_RANKS, .algorithm = SF_RECURSIVE_DOUBLING },
    { .algorithm = SF_BRUCK },
};

const struct sf_rules sf_rules[] = {
    {
        .name = "ompi-5.0",
        .source = "Open MPI 5.0.10, coll_tuned_decision_fixed.c",
        .of = { alltoall_50, allreduce_50, bcast_50, allgather_50,
                reduce_scatter_50, barrier_50 },
    },
    {
        .name = "ompi-1.10",
        .source = "Open MPI 1.10.7, coll_tuned_decision_fixed.c",
        .of = { alltoall_110, allreduce_110, bcast_110, allgather_110,
                reduce_scatter_110, barrier_110 },
    },
    { 0 },
};

static bool
is_for(enum sf_rule_ranks only, uint32_t n_ranks)
{
    return only == SF_POWER_RANKS  ? sf_power_below(n_ranks) == n_ranks
           : only == SF_EVEN_RANKS ? n_ranks % 2 == 0
                                   : true;
}

static bool
holds(const struct sf_rule *rule, uint32_t n_ranks, uint64_t bytes)
{
    uint64_t counted = rule->counts_all ? bytes * n_ranks : bytes;
    bool is_bound = rule->per_byte > 0;

    return (!rule->ranks || n_ranks < rule->ranks) &&
           (!rule->bytes || counted < rule->bytes) &&
           (!is_bound ||
            n_ranks < rule->per_byte * (double)counted + rule->plus) &&
           is_for(rule->only, n_ranks);
}

struct sf_choice
sf_rules_choose(const struct sf_rules *rules, enum sf_collective collective,
                uint32_t n_ranks, uint64_t bytes)
{
    const struct sf_rule *rule = rules->of[collective];

    while (!holds(rule, n_ranks, bytes)) {
        rule++;
    }
    return (struct sf_choice){ rule->algorithm, rule->segment };
}
