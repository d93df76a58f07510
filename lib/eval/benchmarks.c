/* benchmarks.c -- the benchmarks of [Blach24] (tab:config), and what stands
 * for those that cannot be run here. */
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

/* Up to 256 bytes hosts hold messages up, and links do when they are large.
 * In between that changes, and each size is for itself. */
static uint64_t
way_alltoall(uint32_t n_nodes, double size, uint64_t eager)
{
    (void)n_nodes;
    return size > (double)eager ? 1 : size > 256 ? (uint64_t)size : 0;
}

static const struct sf_eval_kind_ops ops_alltoall = { .spec = spec_alltoall,
                                                      .packets =
                                                          packets_alltoall,
                                                      .way = way_alltoall,
                                                      .part = 1 };

static struct sf_choice
choose(enum sf_collective collective, uint32_t n_nodes, double size)
{
    return sf_rules_choose(&sf_rules[RULES_INDEX], collective, n_nodes,
                           (uint64_t)size);
}

static bool
is_ring(struct sf_choice choice)
{
    return choice.algorithm == SF_RING ||
           choice.algorithm == SF_SEGMENTED_RING;
}

/* A number for what the rules choose, and whether messages are split. */
static uint64_t
way_of(struct sf_choice choice, double message, uint64_t eager)
{
    return (uint64_t)choice.algorithm << 48 | choice.segment << 1 |
           (message > (double)eager);
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
way_bcast(uint32_t n_nodes, double size, uint64_t eager)
{
    struct sf_choice choice = choose(SF_BCAST, n_nodes, size);

    return way_of(choice, choice.segment ? (double)choice.segment : size,
                  eager);
}

static const struct sf_eval_kind_ops ops_bcast = {
    .spec = spec_bcast, .packets = packets_bcast, .way = way_bcast, .part = 0.5
};

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
    struct sf_choice choice = choose(SF_ALLREDUCE, n_nodes, size);

    return is_ring(choice)
               ? 2.0 * (n_nodes - 1) * n_nodes *
                     packets_of(size / n_nodes, mtu)
               : n_nodes * ceil(log2(n_nodes)) * packets_of(size, mtu);
}

static uint64_t
way_allreduce(uint32_t n_nodes, double size, uint64_t eager)
{
    struct sf_choice choice = choose(SF_ALLREDUCE, n_nodes, size);

    return way_of(choice, is_ring(choice) ? size / n_nodes : size, eager);
}

static const struct sf_eval_kind_ops ops_allreduce = { .spec = spec_allreduce,
                                                       .packets =
                                                           packets_allreduce,
                                                       .way = way_allreduce,
                                                       .part = 0.5 };

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

static const struct sf_eval_kind_ops ops_resnet152 = { .spec = spec_resnet152,
                                                       .seconds = 0.15 };

static void
spec_cosmoflow(uint32_t n_nodes, uint64_t max_packets,
               char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "cosmoflow");
}

static const struct sf_eval_kind_ops ops_cosmoflow = { .spec = spec_cosmoflow,
                                                       .seconds = 0.08 };

static void
spec_gpt3(uint32_t n_nodes, uint64_t max_packets, char text[SF_EVAL_SPEC_SIZE])
{
    (void)n_nodes;
    (void)max_packets;
    snprintf(text, SF_EVAL_SPEC_SIZE, "gpt3");
}

static const struct sf_eval_kind_ops ops_gpt3 = { .spec = spec_gpt3,
                                                  .seconds = 1.4 };

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

static const struct sf_eval_kind_ops ops_hpl = { .spec = spec_hpl,
                                                 .seconds = 0.8 };

/* 2^23 vertices for 25 nodes, and twice as many for twice the nodes. */
static uint32_t
scale_of(uint32_t n_nodes)
{
    uint32_t scale = 23;

    for (uint32_t n = 25; 2 * n <= n_nodes; n *= 2) {
        scale++;
    }
    return scale;
}

/* By how many powers of two the graph is made smaller, so that a run has few
 * enough packets of 2 KiB: each node sends 256 bytes for each vertex. */
static uint32_t
reduction_of(uint32_t n_nodes, uint64_t max_packets)
{
    double n_packets = 256 * exp2(scale_of(n_nodes)) / 2048;
    uint32_t n = 0;

    while (n_packets > 2 * (double)max_packets && n + 1 < scale_of(n_nodes)) {
        n_packets /= 2;
        n++;
    }
    return n;
}

static void
spec_bfs(uint32_t n_nodes, uint64_t max_packets, char text[SF_EVAL_SPEC_SIZE])
{
    snprintf(text, SF_EVAL_SPEC_SIZE, "bfs:scale=%u,rules=%s",
             scale_of(n_nodes) - reduction_of(n_nodes, max_packets), RULES);
}

static double
multiple_bfs(uint32_t n_nodes, uint64_t max_packets)
{
    return exp2(reduction_of(n_nodes, max_packets));
}

static const struct sf_eval_kind_ops ops_bfs = { .spec = spec_bfs,
                                                 .multiple = multiple_bfs };

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

static const struct sf_eval_kind_ops ops_halo = { .spec = spec_halo,
                                                  .seconds = 0.03 };

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
      .max_seeds = 2,
      .ops = &ops_alltoall },
    { .name = "bcast",
      .title = "Bcast",
      .means = "MPI_Bcast with the algorithms of Open MPI 1.10",
      .lines = "1307",
      .method = SF_EVAL_BY_SIZE,
      .min_size = 1,
      .max_size = 32 * MIB,
      .nodes = nodes_micro,
      .max_seeds = 2,
      .ops = &ops_bcast },
    { .name = "allreduce",
      .title = "Allreduce",
      .means = "MPI_Allreduce with the algorithms of Open MPI 1.10",
      .lines = "1307",
      .method = SF_EVAL_BY_SIZE,
      .min_size = 1,
      .max_size = 32 * MIB,
      .nodes = nodes_micro,
      .max_seeds = 2,
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
    { .name = "bfs",
      .title = "BFS",
      .means =
          "a proxy of Graph500's search: all to all in each of six levels "
          "(assumed), 1 ns an edge (assumed), on a smaller graph, whose "
          "time is multiplied. The degrees 16, 128 and 1024 of the paper "
          "differ by such a multiple only",
      .lines = "1314-1316",
      .method = SF_EVAL_BY_SCALE,
      .nodes = nodes_science,
      .max_seeds = 1,
      .has_one_count = true,
      .is_proxy = true,
      .ops = &ops_bfs },
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
