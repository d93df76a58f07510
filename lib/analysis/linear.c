/* linear.c -- the throughput over given paths as a linear program, in one of
 * two forms:
 *
 *  - the flow f_p on each path and theta, which is to be largest: flows on an
 *    edge add up to its capacity at most, those of a demand to theta times
 *    the demand.  The column of theta is as long as there are demands.
 *  - the share x_p of each path and the congestion, to be smallest: shares of
 *    a demand add up to 1, demands times shares on an edge to the congestion
 *    times its capacity at most.  The column of the congestion is as long as
 *    there are edges.
 *
 * A long dense column fills the factors, so the form with the shorter one is
 * orders of magnitude faster; few demands suit the dual simplex, many the
 * barrier, because uniform traffic is degenerate. */
#include "analysis/solvers.h"

#include "slimfly/progress.h"

#include <Clp_C_Interface.h>
#include <float.h>
#include <math.h>

/* A linear program in columns, as CLP wants it. */
struct program {
    bool by_theta; /* The first of the two forms. */
    int n_columns, n_rows;
    CoinBigIndex *starts; /* [n_columns + 1] */
    int *rows;            /* Rows: edges first, then demands. */
    double *values;
    double *column_lower, *column_upper, *objective; /* [n_columns] */
    double *row_lower, *row_upper;                   /* [n_rows] */
};

static void
clear_program(struct program *program)
{
    free(program->row_upper);
    free(program->row_lower);
    free(program->objective);
    free(program->column_upper);
    free(program->column_lower);
    free(program->values);
    free(program->rows);
    free(program->starts);
}

static bool
reserve_program(struct program *program, const struct sf_net *net,
                const struct sf_paths *paths)
{
    size_t n_paths = sf_paths_count(paths);
    size_t n_rows = net->n_edges + paths->demands.n;
    size_t n_values = paths->hops.n + n_paths + n_rows;

    program->n_columns = (int)n_paths + 1;
    program->n_rows = (int)n_rows;
    program->starts = sf_calloc(n_paths + 2, sizeof *program->starts);
    program->rows = sf_calloc(n_values, sizeof *program->rows);
    program->values = sf_calloc(n_values, sizeof *program->values);
    program->column_lower = sf_calloc(n_paths + 1, sizeof(double));
    program->column_upper = sf_calloc(n_paths + 1, sizeof(double));
    program->objective = sf_calloc(n_paths + 1, sizeof(double));
    program->row_lower = sf_calloc(n_rows, sizeof(double));
    program->row_upper = sf_calloc(n_rows, sizeof(double));
    return program->starts && program->rows && program->values &&
           program->column_lower && program->column_upper &&
           program->objective && program->row_lower && program->row_upper;
}

/* Adds an entry to the column that is being filled. */
static void
put(struct program *program, int *np, size_t row, double value)
{
    program->rows[*np] = (int)row;
    program->values[(*np)++] = value;
}

static void
fill_program(struct program *program, const struct sf_net *net,
             const struct sf_paths *paths)
{
    int n = 0, column = 0, last = program->n_columns - 1;
    const uint32_t *first_hop = paths->first_hop.items;

    for (size_t k = 0; k < paths->demands.n; k++) {
        double amount = paths->demands.items[k].amount;
        for (uint32_t p = paths->first_path.items[k];
             p < paths->first_path.items[k + 1]; p++) {
            program->starts[column++] = n;
            for (uint32_t i = first_hop[p]; i < first_hop[p + 1]; i++) {
                put(program, &n, paths->hops.items[i],
                    program->by_theta ? 1 : amount);
            }
            put(program, &n, net->n_edges + k, 1);
        }
        size_t row = net->n_edges + k;
        program->row_lower[row] = program->by_theta ? 0 : 1;
        program->row_upper[row] = program->by_theta ? 0 : 1;
    }
    program->starts[last] = n;
    for (size_t k = 0; program->by_theta && k < paths->demands.n; k++) {
        put(program, &n, net->n_edges + k, -paths->demands.items[k].amount);
    }
    for (uint32_t e = 0; e < net->n_edges; e++) {
        program->row_lower[e] = -DBL_MAX;
        program->row_upper[e] = program->by_theta ? net->capacities[e] : 0;
        if (!program->by_theta) {
            put(program, &n, e, -net->capacities[e]);
        }
    }
    program->starts[last + 1] = n;
    program->objective[last] = program->by_theta ? -1 : 1;
    for (int i = 0; i <= last; i++) {
        program->column_upper[i] = DBL_MAX;
    }
}

/* Turns what CLP found into shares that add up to 1 and prices that are not
 * negative, and the bounds that follow from these. */
static void
certify(const struct sf_net *net, const struct sf_paths *paths, double *shares,
        double *prices, double *loads, struct sf_throughput *result)
{
    double worth = 0;

    for (size_t k = 0; k < paths->demands.n; k++) {
        uint32_t first = paths->first_path.items[k];
        uint32_t end = paths->first_path.items[k + 1];
        double sum = 0;
        for (uint32_t p = first; p < end; p++) {
            shares[p] = shares[p] > 0 ? shares[p] : 0;
            sum += shares[p];
        }
        for (uint32_t p = first; p < end; p++) {
            shares[p] = sum > 0 ? shares[p] / sum : 1.0 / (end - first);
        }
    }
    sf_paths_loads(paths, net, shares, loads);
    for (uint32_t e = 0; e < net->n_edges; e++) {
        prices[e] = fabs(prices[e]);
        worth += prices[e] * net->capacities[e];
    }
    result->net_lower = 1 / sf_net_congestion(net, loads);
    /* Without prices, as CLP has none at its start, nothing is proved. */
    double cost = sf_paths_cost(paths, prices);
    result->net_upper = cost > 0 ? worth / cost : HUGE_VAL;
    if (result->net_upper <= result->net_lower * (1 + 1e-7)) {
        result->net_upper = result->net_lower;
    }
}

/* What Clp_C_Interface.h leaves to ClpSolve.hpp, which C cannot include. */
enum {
    USE_DUAL = 0,
    USE_BARRIER_WITHOUT_CROSSOVER = 4
};
enum {
    OPTION_INTERRUPTS = 2,
    INTERRUPTS_LEFT_ALONE = 1
};

/* Lets CLP solve; false if memory ran out.  By itself, CLP catches SIGINT
 * while it solves and returns what it has as if nothing had happened.  It does
 * so with global variables, so that with several threads its handler stays for
 * ever.  What a signal does is for the program to say. */
static bool
run_clp(Clp_Simplex *model, bool by_simplex)
{
    Clp_Solve *how = ClpSolve_new();

    if (!how) {
        return false;
    }
    ClpSolve_setSolveType(
        how, by_simplex ? USE_DUAL : USE_BARRIER_WITHOUT_CROSSOVER, -1);
    ClpSolve_setSpecialOption(how, OPTION_INTERRUPTS, INTERRUPTS_LEFT_ALONE,
                              -1);
    Clp_initialSolveWithOptions(model, how);
    ClpSolve_delete(how);
    return true;
}

static enum sf_status
solve(const struct program *program, const struct sf_net *net,
      const struct sf_paths *paths, uint32_t max_rounds,
      struct sf_throughput *result, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    size_t n_paths = sf_paths_count(paths);
    double *shares = sf_calloc(n_paths, sizeof *shares);
    double *prices = sf_calloc(net->n_edges, sizeof *prices);
    double *loads = sf_calloc(net->n_edges, sizeof *loads);
    Clp_Simplex *model = Clp_newModel();

    if (!shares || !prices || !loads || !model) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a linear program");
        goto done;
    }
    Clp_setLogLevel(model, 0);
    Clp_setPrimalTolerance(model, 1e-9);
    Clp_setDualTolerance(model, 1e-9);
    if (max_rounds) {
        Clp_setMaximumIterations(model, (int)max_rounds);
    }
    Clp_loadProblem(model, program->n_columns, program->n_rows,
                    program->starts, program->rows, program->values,
                    program->column_lower, program->column_upper,
                    program->objective, program->row_lower,
                    program->row_upper);
    /* CLP does not say how far it is. */
    sf_progress_report("a linear program", 0, 0);
    if (!run_clp(model, program->by_theta)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a linear program");
        goto done;
    }
    const double *found = Clp_primalColumnSolution(model);
    const double *duals = Clp_dualRowSolution(model);
    for (size_t p = 0; p < n_paths; p++) {
        shares[p] = found[p];
    }
    for (uint32_t e = 0; e < net->n_edges; e++) {
        prices[e] = duals[e];
    }
    certify(net, paths, shares, prices, loads, result);

done:
    if (model) {
        Clp_deleteModel(model);
    }
    free(loads);
    free(prices);
    free(shares);
    return status;
}

enum sf_status
sf_throughput_linear(const struct sf_net *net, const struct sf_paths *paths,
                     uint32_t max_rounds, struct sf_throughput *result,
                     struct sf_error *err)
{
    struct program program = { .by_theta = paths->demands.n <= net->n_nodes };
    size_t n_paths = sf_paths_count(paths);
    enum sf_status status;

    /* CLP counts in int; see reserve_program(). */
    if (paths->hops.n + n_paths + net->n_edges + paths->demands.n >
        INT32_MAX) {
        return sf_fail(err, SF_ELIMIT,
                       "a linear program of %zu paths is too large", n_paths);
    }
    if (reserve_program(&program, net, paths)) {
        fill_program(&program, net, paths);
        status = solve(&program, net, paths, max_rounds, result, err);
        result->method =
            program.by_theta ? SF_METHOD_SIMPLEX : SF_METHOD_BARRIER;
        result->n_paths = n_paths;
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a linear program");
    }
    clear_program(&program);
    return status;
}
