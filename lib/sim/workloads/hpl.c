/* hpl.c -- what High-Performance Linpack sends, as a proxy.
 *
 * The ranks are a grid of P rows and Q columns, P the largest divisor that is
 * not above Q, row by row.  A matrix of order n is cut into panels of nb
 * columns.  For each panel:
 *
 *   factor   The column that owns it finds its pivots.  HPL does so one by
 * one, each an allreduce of a row; here the rows of a panel are one allreduce,
 * by recursive doubling. panel    In each row, it goes to the next, and on,
 * once around ("1ring"). rows     In each column, the nb rows of the pivots
 * are spread out: all gather them in a ring, as the long variant of HPL rolls
 * them. update   All compute: 2 nb flops for each element that is left.
 *
 * Nothing is computed ahead (depth 0).  Swaps within a rank and the solution
 * in the end are left out. */
#include "sim/workloads/collective.h"
#include "sim/workloads/kind.h"

enum {
    ORDER,
    BLOCK,
    GFLOPS
};

struct linpack {
    struct sf_script script;
    uint32_t n_rows, n_columns; /* Of the grid. */
    double order, block, flops; /* Flops a second of a rank. */
};

/* The largest divisor of 'n' that is not above its other one. */
static uint32_t
find_rows(uint32_t n)
{
    uint32_t rows = 1;

    for (uint32_t d = 1; (uint64_t)d * d <= n; d++) {
        rows = n % d == 0 ? d : rows;
    }
    return rows;
}

static void
factor(struct linpack *linpack, uint32_t column, double n_left)
{
    struct sf_script *script = &linpack->script;
    struct sf_group owners = { script, column, linpack->n_columns,
                               linpack->n_rows };
    double nb = linpack->block;
    double flops = nb * nb * n_left / linpack->n_rows;

    for (uint32_t p = 0; p < linpack->n_rows; p++) {
        sf_script_compute(script, p * linpack->n_columns + column,
                          flops / linpack->flops);
    }
    sf_group_step(&owners);
    if (owners.n > 1) {
        sf_allreduce(&owners, sf_work_bytes(8 * nb * (2 * nb + 4)),
                     (struct sf_choice){ SF_RECURSIVE_DOUBLING, 0 });
    }
}

/* In each row, from 'column' on to the column before it. */
static void
pass_panel(struct linpack *linpack, uint32_t column, double n_left)
{
    struct sf_script *script = &linpack->script;
    uint32_t n = linpack->n_columns;
    uint64_t bytes =
        sf_work_bytes(8 * linpack->block * n_left / linpack->n_rows);

    for (uint32_t p = 0; p < linpack->n_rows; p++) {
        for (uint32_t i = 0; i + 1 < n; i++) {
            uint32_t from = p * n + (column + i) % n;
            uint32_t to = p * n + (column + i + 1) % n;
            sf_script_send(script, from, to, bytes, (struct sf_part){ 0, 1 });
            sf_script_step(script, from);
            sf_script_step(script, to);
        }
    }
}

static void
spread_rows(struct linpack *linpack, double n_left)
{
    struct sf_script *script = &linpack->script;
    uint64_t bytes = sf_work_bytes(8 * linpack->block * n_left /
                                   linpack->n_columns / linpack->n_rows);

    for (uint32_t q = 0; linpack->n_rows > 1 && q < linpack->n_columns; q++) {
        struct sf_group column = { script, q, linpack->n_columns,
                                   linpack->n_rows };
        sf_allgather(&column, bytes, (struct sf_choice){ SF_RING, 0 });
    }
}

static void
update(struct linpack *linpack, double n_left)
{
    struct sf_group all = sf_group_all(&linpack->script);
    double flops = 2 * linpack->block * n_left * n_left / linpack->script.n;

    for (uint32_t r = 0; r < linpack->script.n; r++) {
        sf_script_compute(&linpack->script, r, flops / linpack->flops);
    }
    sf_group_step(&all);
}

static enum sf_status
send_hpl(const struct sf_work *work, struct sf_program *program,
         struct sf_error *err)
{
    uint32_t n_rows = find_rows(work->n_ranks);
    struct linpack linpack = {
        .n_rows = n_rows,
        .n_columns = work->n_ranks / n_rows,
        .order = (double)work->values[ORDER].number,
        .block = (double)work->values[BLOCK].number,
        .flops = 1e9 * work->values[GFLOPS].real,
    };
    uint32_t column = 0;

    sf_script_init(&linpack.script, program, work->hosts, work->n_ranks);
    for (uint32_t i = 0; linpack.order - i * linpack.block >= 1; i++) {
        double n = linpack.order - i * linpack.block;
        factor(&linpack, column, n);
        pass_panel(&linpack, column, n);
        spread_rows(&linpack, n);
        update(&linpack, n);
        column = (column + 1) % linpack.n_columns;
    }
    enum sf_status status = sf_script_status(&linpack.script, err);
    sf_script_clear(&linpack.script);
    return status;
}

static const struct sf_workload_ops ops = { .send = send_hpl };

const struct sf_workload_kind sf_workload_hpl = {
    .name = "hpl",
    .title = "proxy of Linpack: panels go along rows of a grid, pivots along "
             "columns",
    .example = "hpl:n=40000,nb=192,gflops=1000",
    .source = "the description of HPL 2.3; simplified, see doc/simulation.md",
    .params = { { .key = "n",
                  .kind = SF_PARAM_NUMBER,
                  .min = 1,
                  .max = 100000000,
                  .by_default = "20000",
                  .meaning = "order of the matrix" },
                { .key = "nb",
                  .kind = SF_PARAM_NUMBER,
                  .min = 1,
                  .max = 100000,
                  .by_default = "192",
                  .meaning = "columns of a panel" },
                { .key = "gflops",
                  .kind = SF_PARAM_REAL,
                  .range = { .min = 0, .max = 1e9, .above_min = true },
                  .by_default = "1000",
                  .meaning = "what a node computes, in Gflop/s" } },
    .ops = &ops,
};
