/* stencil.c -- ranks in a grid exchange halos with their neighbours, again and
 * again, and compute in between. */
#include "sim/workloads/collective.h"
#include "sim/workloads/kind.h"

enum {
    DIMENSIONS,
    ITERATIONS,
    COMPUTE,
    EDGES
};

#define MAX_DIMENSIONS 3

/* A grid: rank 0 is in its corner, and the last dimension is the fastest. */
struct grid {
    uint32_t n_dimensions;
    uint32_t sides[MAX_DIMENSIONS];
    bool is_closed; /* Both ends of a dimension are neighbours. */
};

/* The largest divisor of 'n' whose power 'exponent' is not above n. */
static uint32_t
divisor_of(uint32_t n, uint32_t exponent)
{
    uint32_t best = 1;

    for (uint64_t d = 1; (exponent == 2 ? d * d : d * d * d) <= n; d++) {
        best = n % d == 0 ? (uint32_t)d : best;
    }
    return best;
}

/* Sides as alike as divisors allow. */
static struct grid
grid_of(const struct sf_work *work)
{
    struct grid grid = { .n_dimensions =
                             work->values[DIMENSIONS].number == 0 ? 2 : 3,
                         .is_closed = work->values[EDGES].number == 0 };
    uint32_t left = work->n_ranks;

    for (uint32_t i = 0; i + 1 < grid.n_dimensions; i++) {
        grid.sides[i] = divisor_of(left, grid.n_dimensions - i);
        left /= grid.sides[i];
    }
    grid.sides[grid.n_dimensions - 1] = left;
    return grid;
}

/* Rank 'r' sends to its neighbour in one direction of a dimension whose ranks
 * are 'stride' apart. */
static void
send_to_neighbour(struct sf_script *script, const struct grid *grid,
                  uint32_t r, uint32_t dimension, uint32_t stride, bool is_up,
                  uint64_t bytes)
{
    uint32_t side = grid->sides[dimension];
    uint32_t at = r / stride % side;
    bool is_edge = is_up ? at + 1 == side : at == 0;
    uint32_t other = is_up ? (at + 1) % side : (at + side - 1) % side;

    if (side > 1 && (grid->is_closed || !is_edge)) {
        sf_script_send(script, r, r + other * stride - at * stride, bytes,
                       (struct sf_part){ 0, 1 });
    }
}

static void
exchange(struct sf_script *script, const struct grid *grid, uint64_t bytes)
{
    struct sf_group all = sf_group_all(script);

    for (uint32_t r = 0; r < script->n; r++) {
        uint32_t stride = 1;
        for (uint32_t d = grid->n_dimensions; d-- > 0;) {
            send_to_neighbour(script, grid, r, d, stride, true, bytes);
            send_to_neighbour(script, grid, r, d, stride, false, bytes);
            stride *= grid->sides[d];
        }
    }
    sf_group_step(&all);
}

static enum sf_status
send_stencil(const struct sf_work *work, struct sf_program *program,
             struct sf_error *err)
{
    struct grid grid = grid_of(work);
    double seconds = 1e-6 * work->values[COMPUTE].real;
    struct sf_script script;

    sf_script_init(&script, program, work->hosts, work->n_ranks);
    struct sf_group all = sf_group_all(&script);
    for (uint64_t i = 0; i < work->values[ITERATIONS].number; i++) {
        for (uint32_t r = 0; seconds > 0 && r < script.n; r++) {
            sf_script_compute(&script, r, seconds);
        }
        sf_group_step(&all);
        exchange(&script, &grid, sf_work_bytes(work->size));
    }
    enum sf_status status = sf_script_status(&script, err);
    sf_script_clear(&script);
    return status;
}

static const struct sf_workload_ops ops = { .send = send_stencil };

const struct sf_workload_kind sf_workload_stencil = {
    .name = "stencil",
    .title = "ranks in a grid exchange messages with all neighbours",
    .example = "stencil:dimensions=3,iterations=10,compute=100",
    .source = "here; sides as alike as divisors of the nodes allow",
    .has_size = true,
    .params = { { .key = "dimensions",
                  .kind = SF_PARAM_CHOICE,
                  .by_default = "2",
                  .meaning = "of the grid",
                  .words = { "2", "3" } },
                { .key = "iterations",
                  .kind = SF_PARAM_NUMBER,
                  .min = 1,
                  .max = 100000,
                  .by_default = "1",
                  .meaning = "how often" },
                { .key = "compute",
                  .kind = SF_PARAM_REAL,
                  .range = { .min = 0, .max = 1e9 },
                  .by_default = "0",
                  .meaning = "microseconds of computing before each" },
                { .key = "edges",
                  .kind = SF_PARAM_CHOICE,
                  .by_default = "closed",
                  .meaning = "whether both ends of a dimension are neighbours",
                  .words = { "closed", "open" } } },
    .ops = &ops,
};
