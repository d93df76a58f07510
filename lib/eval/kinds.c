/* kinds.c -- the benchmarks of [Blach24] (tab:config), and what stands for
 * those that cannot be run here. */
#include "eval/eval.h"
#include "sim/workloads/rules.h"

#include <math.h>
#include <string.h>

static const uint32_t nodes_micro[] = { 2, 4, 8, 16, 32, 64, 128, 200, 0 };
static const uint32_t nodes_science[] = { 25, 50, 100, 200, 0 };
static const uint32_t nodes_training[] = { 40, 80, 120, 160, 200, 0 };

#define RULES       "ompi-1.10"
#define RULES_INDEX 1 /* Of sf_rules[]. */

static double
packets_of(double bytes, uint32_t mtu)
{
    return fmax(ceil(bytes / mtu), 1);
}

static void
spec_alltoall(uint32_t n_nodes, uint64_t max_packets,
              char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "alltoall:algorithm=linear");
}

static double
packets_alltoall(uint32_t n_nodes, double size, uint32_t mtu)
{
    return (double)n_nodes * (n_nodes - 1) * packets_of(size, mtu);
}

static uint64_t
way_alltoall(uint32_t n_nodes, double size)
{
    (void)n_nodes;
    (void)size;
    return 0;
}

static const struct sf_eval_kind_ops ops_alltoall = { spec_alltoall,
                                                      packets_alltoall,
                                                      way_alltoall };

/* A number for what the rules choose. */
static uint64_t
way_of(enum sf_collective collective, uint32_t n_nodes, double size)
{
    struct sf_choice choice = sf_rules_choose(
        &sf_rules[RULES_INDEX], collective, n_nodes, (uint64_t)size);
    return (uint64_t)choice.algorithm << 48 | choice.segment;
}

static void
spec_bcast(uint32_t n_nodes, uint64_t max_packets,
           char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "bcast:rules=" RULES);
}

static double
packets_bcast(uint32_t n_nodes, double size, uint32_t mtu)
{
    struct sf_choice choice = sf_rules_choose(&sf_rules[RULES_INDEX], SF_BCAST,
                                              n_nodes, (uint64_t)size);
    double segment =
        choice.segment ? fmin((double)choice.segment, size) : size;

    return (n_nodes - 1) * ceil(size / segment) * packets_of(segment, mtu);
}

static uint64_t
way_bcast(uint32_t n_nodes, double size)
{
    return way_of(SF_BCAST, n_nodes, size);
}

static const struct sf_eval_kind_ops ops_bcast = { spec_bcast, packets_bcast,
                                                   way_bcast };

static void
spec_allreduce(uint32_t n_nodes, uint64_t max_packets,
               char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "allreduce:rules=" RULES);
}

static double
packets_allreduce(uint32_t n_nodes, double size, uint32_t mtu)
{
    struct sf_choice choice = sf_rules_choose(
        &sf_rules[RULES_INDEX], SF_ALLREDUCE, n_nodes, (uint64_t)size);

    return choice.algorithm == SF_RING || choice.algorithm == SF_SEGMENTED_RING
               ? 2.0 * (n_nodes - 1) * n_nodes *
                     packets_of(size / n_nodes, mtu)
               : n_nodes * ceil(log2(n_nodes)) * packets_of(size, mtu);
}

static uint64_t
way_allreduce(uint32_t n_nodes, double size)
{
    return way_of(SF_ALLREDUCE, n_nodes, size);
}

static const struct sf_eval_kind_ops ops_allreduce = { spec_allreduce,
                                                       packets_allreduce,
                                                       way_allreduce };

/* Pairs are drawn so often that the packets suffice, 8 times at least. */
static void
spec_ebb(uint32_t n_nodes, uint64_t max_packets, char text[SF_EVAL_SPEC_SIZE])
{
    double n = (double)max_packets / (n_nodes * 256.0);

    snprintf(text, SF_EVAL_SPEC_SIZE, "ebb:size=512K,matchings=%.0f",
             floor(fmin(fmax(n, 8), 40)));
}

static const struct sf_eval_kind_ops ops_ebb = { .spec = spec_ebb };

static void
spec_resnet152(uint32_t n_nodes, uint64_t max_packets,
               char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "resnet152");
}

static const struct sf_eval_kind_ops ops_resnet152 = { .spec =
                                                           spec_resnet152 };

static void
spec_cosmoflow(uint32_t n_nodes, uint64_t max_packets,
               char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "cosmoflow");
}

static const struct sf_eval_kind_ops ops_cosmoflow = { .spec =
                                                           spec_cosmoflow };

static void
spec_gpt3(uint32_t n_nodes, uint64_t max_packets, char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "gpt3");
}

static const struct sf_eval_kind_ops ops_gpt3 = { .spec = spec_gpt3 };

/* A matrix of 1 GiB a node, and of a quarter with more than 100 nodes; a node
 * computes 160 Gflop/s, which is assumed. */
static void
spec_hpl(uint32_t n_nodes, uint64_t max_packets, char text[SF_EVAL_SPEC_SIZE])
{
    double bytes = n_nodes > 100 ? 0x1p28 : 0x1p30;

    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "hpl:n=%.0f,nb=512,gflops=160",
             floor(sqrt(n_nodes * bytes / 8)));
}

static const struct sf_eval_kind_ops ops_hpl = { .spec = spec_hpl };

/* 2^23 vertices for 25 nodes, and twice as many for twice the nodes. */
static void
write_bfs(uint32_t n_nodes, uint32_t degree, char text[SF_EVAL_SPEC_SIZE])
{
    uint32_t scale = 23;

    for (uint32_t n = 25; 2 * n <= n_nodes; n *= 2) {
        scale++;
    }
    snprintf(text, SF_EVAL_SPEC_SIZE, "bfs:scale=%u,edge-factor=%u,rules=%s",
             scale, degree, RULES);
}

static void
spec_bfs16(uint32_t n_nodes, uint64_t max_packets,
           char text[SF_EVAL_SPEC_SIZE])
{
    (void)max_packets;
    write_bfs(n_nodes, 16, text);
}

static void
spec_bfs128(uint32_t n_nodes, uint64_t max_packets,
            char text[SF_EVAL_SPEC_SIZE])
{
    (void)max_packets;
    write_bfs(n_nodes, 128, text);
}

static void
spec_bfs1024(uint32_t n_nodes, uint64_t max_packets,
             char text[SF_EVAL_SPEC_SIZE])
{
    (void)max_packets;
    write_bfs(n_nodes, 1024, text);
}

static const struct sf_eval_kind_ops ops_bfs16 = { .spec = spec_bfs16 };
static const struct sf_eval_kind_ops ops_bfs128 = { .spec = spec_bfs128 };
static const struct sf_eval_kind_ops ops_bfs1024 = { .spec = spec_bfs1024 };

/* 128^3 points a node, one layer of 8 bytes each to each of six neighbours
 * after 50 ms of computing: both are assumed. */
static void
spec_halo(uint32_t n_nodes, uint64_t max_packets, char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE,
             "stencil:size=128K,dimensions=3,iterations=5,compute=50000");
}

static const struct sf_eval_kind_ops ops_halo = { .spec = spec_halo };

#define MIB 0x1p20

const struct sf_eval_kind sf_eval_kinds[] = {
    { .name = "alltoall",
      .title = "Alltoall",
      .means = "each node sends to each other, all posted at once",
      .lines = "1306, 2019",
      .method = SF_EVAL_BY_SIZE,
      .min_size = 1,
      .max_size = 4 * MIB,
      .nodes = nodes_micro,
      .ops = &ops_alltoall },
    { .name = "bcast",
      .title = "Bcast",
      .means = "MPI_Bcast with the algorithms of Open MPI 1.10",
      .lines = "1307",
      .method = SF_EVAL_BY_SIZE,
      .min_size = 1,
      .max_size = 32 * MIB,
      .nodes = nodes_micro,
      .ops = &ops_bcast },
    { .name = "allreduce",
      .title = "Allreduce",
      .means = "MPI_Allreduce with the algorithms of Open MPI 1.10",
      .lines = "1307",
      .method = SF_EVAL_BY_SIZE,
      .min_size = 1,
      .max_size = 32 * MIB,
      .nodes = nodes_micro,
      .ops = &ops_allreduce },
    { .name = "ebb",
      .title = "eBB",
      .means = "effective bisection bandwidth as Netgauge has it; messages of "
               "512 KiB, whose rate stands for that of 128 MiB",
      .lines = "1308",
      .method = SF_EVAL_BY_RATE,
      .nodes = nodes_micro,
      .is_random = true,
      .ops = &ops_ebb },
    { .name = "resnet152",
      .title = "ResNet-152",
      .means = "a step of training as spcl/DNN-cpp-proxies has it; "
               "collectives by the rules of Open MPI 5.0",
      .lines = "1318",
      .method = SF_EVAL_BY_FLOW,
      .nodes = nodes_training,
      .max_seeds = 1,
      .is_proxy = true,
      .ops = &ops_resnet152 },
    { .name = "cosmoflow",
      .title = "CosmoFlow",
      .means = "likewise, models on 4 nodes each",
      .lines = "1319",
      .method = SF_EVAL_BY_FLOW,
      .nodes = nodes_training,
      .max_seeds = 1,
      .is_proxy = true,
      .ops = &ops_cosmoflow },
    { .name = "gpt3",
      .title = "GPT-3",
      .means = "likewise, 10 stages of 4 nodes each",
      .lines = "1320, 1612",
      .method = SF_EVAL_BY_FLOW,
      .nodes = nodes_training,
      .max_seeds = 1,
      .is_proxy = true,
      .ops = &ops_gpt3 },
    { .name = "hpl",
      .title = "HPL",
      .means = "a proxy of Linpack: panels of 512 columns, 160 Gflop/s a node "
               "(assumed), 1 GiB a node, 0.25 GiB at 200",
      .lines = "1317",
      .method = SF_EVAL_BY_FLOW,
      .nodes = nodes_science,
      .max_seeds = 1,
      .has_one_count = true,
      .is_proxy = true,
      .ops = &ops_hpl },
    { .name = "bfs16",
      .title = "BFS, degree 16",
      .means =
          "a proxy of Graph500's search: all to all in each of six levels "
          "(assumed), 1 ns an edge (assumed)",
      .lines = "1314",
      .method = SF_EVAL_BY_FLOW,
      .nodes = nodes_science,
      .max_seeds = 1,
      .has_one_count = true,
      .is_proxy = true,
      .ops = &ops_bfs16 },
    { .name = "bfs128",
      .title = "BFS, degree 128",
      .means = "likewise",
      .lines = "1315",
      .method = SF_EVAL_BY_FLOW,
      .nodes = nodes_science,
      .max_seeds = 1,
      .has_one_count = true,
      .is_proxy = true,
      .ops = &ops_bfs128 },
    { .name = "bfs1024",
      .title = "BFS, degree 1024",
      .means = "likewise",
      .lines = "1316",
      .method = SF_EVAL_BY_FLOW,
      .nodes = nodes_science,
      .max_seeds = 1,
      .has_one_count = true,
      .is_proxy = true,
      .ops = &ops_bfs1024 },
    { .name = "halo",
      .title = "Halo exchange",
      .means = "stands for the scientific codes (CoMD, FFVC, mVMC, MILC, "
               "NTChem, AMG, MiniFE), which are not available here: 128 KiB "
               "to each of six neighbours after 50 ms of computing (assumed)",
      .lines = "1309-1313, 2175",
      .method = SF_EVAL_BY_FLOW,
      .nodes = nodes_science,
      .max_seeds = 1,
      .has_one_count = true,
      .is_proxy = true,
      .ops = &ops_halo },
    { 0 },
};

const char *
sf_eval_how_name(enum sf_eval_how how)
{
    static const char *const names[SF_N_EVAL_HOWS] = { "",        "events",
                                                       "slots",   "flow",
                                                       "between", "beyond" };
    return names[how];
}

const char *
sf_eval_group_name(uint32_t group)
{
    static const char *const names[] = { "default", "minimal", "paper",
                                         "gates",   "jobs",    NULL };
    return names[group];
}

const char *
sf_eval_placement_name(uint32_t placement)
{
    static const char *const names[] = { "linear", "random", NULL };
    return names[placement];
}
