/* bfs.c -- what a breadth-first search of Graph500 sends, as a proxy.
 *
 * The vertices are dealt out to ranks.  In each level, ranks send the edges
 * that leave the front to the owners of their other ends, 8 bytes each, all to
 * all at once, and then add up how large the next front is.  Edges are dealt
 * out evenly, as the random numbers of vertices see to.
 *
 * How many edges a level has is assumed, in the way of such graphs: few levels
 * have nearly all. */
#include "sim/workloads/kind.h"
#include "sim/workloads/rules.h"

enum {
    SCALE,
    NANOSECONDS,
    RULES,
    EDGE_FACTOR
};

#define EDGE_BYTES 8 /* Each edge is seen from both ends. */

static const double levels[] = { 1e-6, 1e-3, 0.2, 0.7, 0.098, 0.000999 };

static enum sf_status
send_bfs(const struct sf_work *work, struct sf_program *program,
         struct sf_error *err)
{
    const struct sf_value *values = work->values;
    const struct sf_rules *rules = &sf_rules[values[RULES].number];
    double n_edges = 2.0 * (double)values[EDGE_FACTOR].number *
                     (double)(UINT64_C(1) << values[SCALE].number);
    double n_own = n_edges / work->n_ranks;
    struct sf_script script;

    sf_script_init(&script, program, work->hosts, work->n_ranks);
    struct sf_group all = sf_group_all(&script);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        double seconds = 1e-9 * values[NANOSECONDS].real * n_own * levels[i];
        for (uint32_t r = 0; seconds > 0 && r < script.n; r++) {
            sf_script_compute(&script, r, seconds);
        }
        sf_group_step(&all);
        sf_alltoall(
            &all,
            sf_work_bytes(EDGE_BYTES * n_own * levels[i] / work->n_ranks),
            (struct sf_choice){ SF_LINEAR, 0 });
        sf_allreduce(&all, 8,
                     sf_rules_choose(rules, SF_ALLREDUCE, work->n_ranks, 8));
    }
    enum sf_status status = sf_script_status(&script, err);
    sf_script_clear(&script);
    return status;
}

static const struct sf_workload_ops ops = { .send = send_bfs };

const struct sf_workload_kind sf_workload_bfs = {
    .name = "bfs",
    .title = "proxy of Graph500's search: all to all in each level, and how "
             "large the next is",
    .example = "bfs:scale=24",
    .source = "Graph500; edges of levels are assumed, see doc/simulation.md",
    .params = { { .key = "scale",
                  .kind = SF_PARAM_NUMBER,
                  .min = 1,
                  .max = 48,
                  .by_default = "24",
                  .meaning = "the graph has 2^scale vertices" },
                { .key = "edge-time",
                  .kind = SF_PARAM_REAL,
                  .range = { .min = 0, .max = 1e6 },
                  .by_default = "1",
                  .meaning = "nanoseconds of computing for each edge" },
                { .key = "rules",
                  .kind = SF_PARAM_CHOICE,
                  .by_default = "ompi-5.0",
                  .meaning = "whose rules choose the algorithm of allreduce",
                  .words = { "ompi-5.0", "ompi-1.10" } },
                { .key = "edge-factor",
                  .kind = SF_PARAM_NUMBER,
                  .min = 1,
                  .max = 1000000,
                  .by_default = "16",
                  .meaning = "edges a vertex" } },
    .ops = &ops,
};
