/* paper_tables.c -- the tables of sizes and costs of [Blach24] (tab:uff and
 * tab:costs) beside what is computed here.
 *
 * The paper's numbers are copied from it; ours come from building the network
 * and paying for it.  A number that differs gets its reason from what can be
 * checked: whether q is a prime power, whether the links add up, whether the
 * same network costs something else in another column. */
#include "base/mem.h"
#include "design/evaluate.h"
#include "slimfly/field.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The fitted prices miss the cells that they were fitted to by up to this. */
#define FIT_ERROR 0.025

#define N_PAPER_LMCS 8 /* 1, 2, 4, ... 128 addresses a host. */

/* A cell of tab:uff: the largest Slim Fly for some ports and LMC. */
struct paper_size {
    uint32_t n_switches, n_endpoints, network_radix, concentration;
};

static const uint32_t size_ports[] = { 36, 48, 64 };

static const struct paper_size paper_sizes[N_PAPER_LMCS][3] = {
    { { 512, 6144, 24, 12 }, { 882, 14112, 31, 16 }, { 1568, 32928, 42, 21 } },
    { { 512, 6144, 24, 12 }, { 882, 14112, 31, 16 }, { 1250, 23750, 37, 19 } },
    { { 512, 6144, 24, 12 }, { 800, 12000, 30, 15 }, { 800, 12000, 30, 15 } },
    { { 450, 5400, 23, 12 }, { 450, 5400, 23, 12 }, { 450, 5400, 23, 12 } },
    { { 288, 2592, 18, 9 }, { 288, 2592, 18, 9 }, { 288, 2592, 18, 9 } },
    { { 162, 1134, 13, 7 }, { 162, 1134, 13, 7 }, { 162, 1134, 13, 7 } },
    { { 98, 588, 11, 6 }, { 98, 588, 11, 6 }, { 98, 588, 11, 6 } },
    { { 72, 360, 9, 5 }, { 72, 360, 9, 5 }, { 72, 360, 9, 5 } },
};

/* A column of tab:costs, and the spec that it describes or, where there is no
 * such network, the nearest that there is. */
struct paper_cost {
    const char *column, *network, *spec;
    uint32_t ports;
    double n_endpoints, n_switches, n_links;
    double cost, cost_per_endpoint; /* M$ and k$. */
};

#define FIXED           "2048 nodes"
#define FIXED_ENDPOINTS 2048u

static const struct paper_cost paper_costs[] = {
    { "36-port switches", "FT2", "ft2:ports=36", 36, 648, 54, 648, 1.5, 2.2 },
    { "36-port switches", "FT2-B", "ft2b:ports=36,over=3", 36, 972, 45, 324,
      1.1, 1.2 },
    { "36-port switches", "FT3", "ft3:ports=36", 36, 11664, 1620, 23328, 45,
      3.8 },
    { "36-port switches", "HX2", "hx2:13x13,p=12", 36, 2028, 169, 2028, 4.5,
      2.2 },
    { "36-port switches", "SF", "sf:q=16", 36, 6144, 512, 6144, 13.8, 2.2 },
    { "40-port switches", "FT2", "ft2:ports=40", 40, 800, 60, 800, 2.4, 3 },
    { "40-port switches", "FT2-B", "ft2b:ports=40,over=3", 40, 1200, 50, 400,
      1.7, 1.5 },
    { "40-port switches", "FT3", "ft3:ports=40", 40, 16000, 2000, 32000, 84.2,
      5.2 },
    { "40-port switches", "HX2", "hx2:14x14,p=14", 40, 2744, 196, 2548, 7.8,
      2.8 },
    { "40-port switches", "SF", "sf:q=17", 40, 7514, 578, 7225, 22.4, 2.9 },
    { "64-port switches", "FT2", "ft2:ports=64", 64, 2048, 96, 2048, 9, 4.4 },
    { "64-port switches", "FT2-B", "ft2b:ports=64,over=3", 64, 3072, 80, 1024,
      7.2, 2.3 },
    { "64-port switches", "FT3", "ft3:ports=64", 64, 65536, 5120, 131072, 491,
      7.5 },
    { "64-port switches", "HX2", "hx2:22x22,p=22", 64, 10648, 484, 10164, 45.5,
      4.3 },
    { "64-port switches", "SF", "sf:q=27", 64, 32928, 1568, 32928, 146, 4.4 },
    { FIXED, "FT2", "ft2:ports=64", 64, 2048, 96, 2048, 7.5, 3.6 },
    { FIXED, "FT2-B", "ft2b:ports=64,over=3,leaf=43", 64, 2048, 59, 344, 2.7,
      1.3 },
    { FIXED, "FT3", "ft3:ports=36,pods=7", 36, 2048, 303, 4320, 8.3, 4 },
    { FIXED, "HX2", "hx2:13x13,p=13", 40, 2197, 169, 2028, 6.4, 3.1 },
    { FIXED, "SF", "sf:q=11", 36, 2178, 242, 2057, 5.8, 2.8 },
};

#define N_COSTS (sizeof paper_costs / sizeof *paper_costs)

/* Appends a cell and returns it, for its reason. */
static struct sf_paper_cell *
add_cell(struct sf_paper_row *row, const char *item, double paper, double ours)
{
    struct sf_paper_cell *cell = &row->cells[row->n_cells++];

    snprintf(cell->item, sizeof cell->item, "%s", item);
    cell->paper = paper;
    cell->ours = ours;
    cell->agrees = fabs(paper - ours) < 1e-9;
    return cell;
}

__attribute__((format(printf, 2, 3))) static void
explain(struct sf_paper_cell *cell, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(cell->why, sizeof cell->why, format, args);
    va_end(args);
}

/* The q of the paper's network, by 2 q^2 switches. */
static uint32_t
paper_q(double n_switches)
{
    return (uint32_t)lround(sqrt(n_switches / 2));
}

/* What a Slim Fly must fit into. */
struct limits {
    uint32_t ports, n_layers;
    const struct sf_backend *backend;
};

/* Whether the Slim Fly of 'size' fits into 'limits' with p hosts a switch. */
static bool
fits(struct sf_slimfly_size size, uint32_t p, const struct limits *limits)
{
    return p > 0 && size.network_radix + p <= limits->ports &&
           sf_backend_addresses(limits->backend, size.n_switches * p,
                                size.n_switches, limits->n_layers) <=
               limits->backend->max_addresses;
}

/* The largest Slim Fly within 'limits' with all the hosts that it should
 * carry. */
static struct sf_slimfly_size
largest_full(const struct limits *limits)
{
    struct sf_slimfly_size best = { 0 };

    for (uint32_t q = 3; q < limits->ports; q = sf_prime_power_above(q)) {
        struct sf_slimfly_size size = sf_slimfly_size(q);
        if (fits(size, size.concentration, limits)) {
            best = size;
        }
    }
    return best;
}

/* A Slim Fly with more endpoints than 'best', on a larger q with fewer hosts a
 * switch, which full bandwidth allows and the paper leaves out. */
static void
find_larger(struct sf_slimfly_size best, const struct limits *limits,
            struct sf_paper_row *row)
{
    row->n_larger = 0;
    for (uint32_t q = 3; q < limits->ports; q = sf_prime_power_above(q)) {
        struct sf_slimfly_size size = sf_slimfly_size(q);
        uint32_t p = size.concentration;
        while (p > 0 && !fits(size, p, limits)) {
            p--;
        }
        uint32_t n = size.n_switches * p;
        /* With much fewer it would be a waste of switches. */
        if (3 * p >= 2 * size.concentration && n > best.n_endpoints &&
            n > row->n_larger) {
            row->n_larger = n;
            snprintf(row->larger, sizeof row->larger, "sf:q=%u,p=%u", q, p);
        }
    }
}

static void
fill_size(const struct sf_backend *backend, uint32_t lmc, uint32_t column,
          struct sf_paper_row *row)
{
    const struct paper_size *paper = &paper_sizes[lmc][column];
    uint32_t q = paper_q(paper->n_switches);
    struct limits limits = { size_ports[column], 1u << lmc, backend };
    struct sf_slimfly_size ours = largest_full(&limits);

    row->table = "sizes";
    snprintf(row->column, sizeof row->column, "%u-port switches, LMC %u",
             limits.ports, lmc);
    snprintf(row->network, sizeof row->network, "SF");
    snprintf(row->spec, sizeof row->spec, "sf:q=%u", ours.q);
    find_larger(ours, &limits, row);
    add_cell(row, "N_r", paper->n_switches, ours.n_switches);
    add_cell(row, "N", paper->n_endpoints, ours.n_endpoints);
    add_cell(row, "k'", paper->network_radix, ours.network_radix);
    add_cell(row, "p", paper->concentration, ours.concentration);
    for (uint32_t i = 0; i < row->n_cells; i++) {
        if (!row->cells[i].agrees && !sf_is_prime_power(q, NULL, NULL)) {
            explain(&row->cells[i],
                    "q = %u is not a prime power, so that Slim Fly does not "
                    "exist; the largest that does has q = %u",
                    q, ours.q);
        }
    }
}

/* The column that has the same network at another cost, or NULL. */
static const struct paper_cost *
find_twin(const struct paper_cost *paper)
{
    for (size_t i = 0; i < N_COSTS; i++) {
        const struct paper_cost *other = &paper_costs[i];
        if (other != paper && !strcmp(other->spec, paper->spec) &&
            fabs(other->cost - paper->cost) > 0.01) {
            return other;
        }
    }
    return NULL;
}

/* Links that the paper's numbers of a two-level tree imply. */
static double
implied_links(const struct paper_cost *paper,
              const struct sf_candidate *candidate)
{
    double n_leaf = candidate->n_endpoints / (double)candidate->concentration;
    return n_leaf * (paper->n_switches - n_leaf);
}

static void
explain_count(const struct paper_cost *paper,
              const struct sf_candidate *candidate, struct sf_paper_cell *cell)
{
    uint32_t q = paper_q(paper->n_switches);

    if (!strcmp(paper->network, "SF") && !sf_is_prime_power(q, NULL, NULL)) {
        explain(cell,
                "q = %u is not a prime power, so that Slim Fly does not "
                "exist; the largest that does is %s",
                q, paper->spec);
    } else if (!strcmp(paper->network, "FT3")) {
        uint32_t half = paper->ports / 2;
        explain(cell,
                "%.0f endpoints are %.1f pods of %u, and its %.0f links are "
                "%.1f pods of %u; ours are the 7 whole pods that hold them",
                paper->n_endpoints, paper->n_endpoints / (half * half),
                half * half, paper->n_links,
                paper->n_links / (2.0 * half * half), 2 * half * half);
    } else if (!strcmp(cell->item, "links")) {
        double n_leaf =
            candidate->n_endpoints / (double)candidate->concentration;
        explain(cell,
                "a link count that does not add up: %.0f leaves joined to "
                "each of the other %.0f switches have %.0f links",
                n_leaf, paper->n_switches - n_leaf,
                implied_links(paper, candidate));
    } else if (!strcmp(cell->item, "endpoints")) {
        explain(cell,
                "%.0f leaves of %u hosts carry %u; leave out %.0f of them",
                candidate->n_endpoints / (double)candidate->concentration,
                candidate->concentration, candidate->n_endpoints,
                candidate->n_endpoints - paper->n_endpoints);
    }
}

/* Whether 'ours' is 'paper' as printed, rounded or cut off after 'digit', but
 * for the error of the fit. */
static bool
is_close(double ours, double paper, double digit)
{
    return ours * (1 + FIT_ERROR) >= paper - digit / 2 &&
           ours * (1 - FIT_ERROR) <= paper + digit;
}

/* Says why a cost differs, given how far 'off' it is. */
static void
explain_cost(const struct paper_cost *paper, bool counts_agree, double off,
             struct sf_paper_cell *cell)
{
    const struct paper_cost *twin = find_twin(paper);
    uint32_t q = paper_q(paper->n_switches);

    if (twin) {
        explain(cell,
                "%+.1f %%: a price of another column; the same network costs "
                "%g M$ under '%s' and %g M$ here",
                100 * off, twin->cost, twin->column, paper->cost);
    } else if (!strcmp(paper->network, "SF") &&
               !sf_is_prime_power(q, NULL, NULL)) {
        explain(cell,
                "%+.1f %%: q = %u is not a prime power; this is the cost of "
                "%s, which is smaller",
                100 * off, q, paper->spec);
    } else if (!counts_agree && paper->ports == 64) {
        explain(cell,
                "%+.1f %%: a link count that does not add up, and a price of "
                "another column as for its FT2",
                100 * off);
    } else if (!counts_agree) {
        explain(cell, "%+.1f %%: other numbers of switches and links, as said",
                100 * off);
    } else {
        explain(cell,
                "%+.1f %%: a price of another column; prices that meet the "
                "%u-port columns within %.1f %% do not meet this one",
                100 * off, paper->ports, 100 * FIT_ERROR);
    }
}

static void
judge_cost(const struct paper_cost *paper, bool counts_agree,
           struct sf_paper_cell *cell)
{
    double off = cell->ours / cell->paper - 1;

    cell->agrees =
        is_close(cell->ours, cell->paper, paper->cost < 100 ? 0.1 : 1);
    if (cell->agrees) {
        explain(cell, "%+.1f %%", 100 * off);
    } else {
        explain_cost(paper, counts_agree, off, cell);
    }
}

static void
judge_cost_per_endpoint(const struct paper_cost *paper, bool counts_agree,
                        struct sf_paper_cell *cell)
{
    double off = cell->ours / cell->paper - 1;
    double by_question = 1000 * paper->cost / FIXED_ENDPOINTS;
    bool is_fixed = !strcmp(paper->column, FIXED);

    cell->agrees = is_close(cell->ours, cell->paper, 0.1);
    if (cell->agrees) {
        explain(cell, "%+.1f %%", 100 * off);
    } else if (is_fixed && counts_agree &&
               paper->n_endpoints > FIXED_ENDPOINTS) {
        explain(cell,
                "%+.1f %%: it divides by the %u endpoints asked for (%.2f), "
                "not by the %.0f there are",
                100 * off, FIXED_ENDPOINTS, by_question, paper->n_endpoints);
    } else {
        explain_cost(paper, counts_agree, off, cell);
    }
}

static enum sf_status
fill_cost(const struct paper_cost *paper, const struct sf_prices *prices,
          struct sf_paper_row *row, struct sf_error *err)
{
    struct sf_candidate candidate = {
        .ports = paper->ports,
        .generation = sf_prices_for(prices, paper->ports),
        .backend = &sf_backend_any, /* Addresses do not matter here. */
    };

    if (!candidate.generation) {
        return sf_fail(err, SF_EINVAL,
                       "the paper's table needs prices of switches of %u "
                       "ports, and there are none",
                       paper->ports);
    }
    snprintf(candidate.spec, sizeof candidate.spec, "%s", paper->spec);
    enum sf_status status = sf_evaluate_cost(&candidate, err);
    if (status != SF_OK) {
        return status;
    }
    row->table = "costs";
    snprintf(row->column, sizeof row->column, "%s", paper->column);
    snprintf(row->network, sizeof row->network, "%s", paper->network);
    snprintf(row->spec, sizeof row->spec, "%s", paper->spec);
    add_cell(row, "endpoints", paper->n_endpoints, candidate.n_endpoints);
    add_cell(row, "switches", paper->n_switches, candidate.n_switches);
    add_cell(row, "links", paper->n_links, candidate.n_links);
    bool counts_agree = true;
    for (uint32_t i = 0; i < row->n_cells; i++) {
        counts_agree = counts_agree && row->cells[i].agrees;
        if (!row->cells[i].agrees) {
            explain_count(paper, &candidate, &row->cells[i]);
        }
    }
    judge_cost(paper, counts_agree,
               add_cell(row, "M$", paper->cost, candidate.cost / 1e6));
    judge_cost_per_endpoint(paper, counts_agree,
                            add_cell(row, "k$/endpoint",
                                     paper->cost_per_endpoint,
                                     candidate.cost_per_endpoint / 1e3));
    return SF_OK;
}

enum sf_status
sf_paper_build(const struct sf_prices *prices,
               const struct sf_backend *backend, struct sf_paper **paperp,
               struct sf_error *err)
{
    size_t n_sizes = N_PAPER_LMCS * 3;
    enum sf_status status = SF_OK;

    *paperp = NULL;
    struct sf_paper *paper = sf_calloc(1, sizeof *paper);
    struct sf_paper_row *rows = sf_calloc(n_sizes + N_COSTS, sizeof *rows);
    if (!paper || !rows) {
        free(rows);
        free(paper);
        return sf_fail(err, SF_ENOMEM, "out of memory for the tables");
    }
    paper->rows = rows;
    for (uint32_t column = 0; column < 3; column++) {
        for (uint32_t lmc = 0; lmc < N_PAPER_LMCS; lmc++) {
            fill_size(backend, lmc, column, &rows[paper->n_rows++]);
        }
    }
    for (size_t i = 0; i < N_COSTS && status == SF_OK; i++) {
        status =
            fill_cost(&paper_costs[i], prices, &rows[paper->n_rows++], err);
    }
    for (uint32_t i = 0; i < paper->n_rows; i++) {
        for (uint32_t j = 0; j < rows[i].n_cells; j++) {
            paper->n_cells++;
            paper->n_agree += rows[i].cells[j].agrees;
        }
    }
    if (status == SF_OK) {
        *paperp = paper;
    } else {
        sf_paper_free(paper);
    }
    return status;
}

void
sf_paper_free(struct sf_paper *paper)
{
    if (paper) {
        free(paper->rows);
        free(paper);
    }
}
