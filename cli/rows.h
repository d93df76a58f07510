/* rows.h -- the routings that 'slimfly analyze' compares, one a row: tables,
 * schemes, and references that no routing can exceed. */
#ifndef SF_CLI_ROWS_H
#define SF_CLI_ROWS_H

#include "cli.h"

struct cli_rows {
    const struct cli_list *layers;    /* A scheme is made with each number. */
    struct sf_routing_params routing; /* Path sets, lanes and limits, unless a
                                       * scheme says so itself. */
    struct sf_comparison_row *rows;   /* NULL before the first. */
    uint32_t n;
};

/* The names of references, then "none", which is no reference. */
const char *cli_reference_choice(size_t i);

/* These add rows; on failure they say so and return false.  'max_hops' may be
 * 0 for a scheme, which then has its own limit.  Where the scheme 'is_default'
 * and has too few lanes, another takes its place, as in 'route'. */
bool cli_rows_add_tables(struct cli_rows *rows, const struct sf_routes *given);
bool cli_rows_add_scheme(struct cli_rows *rows, const char *scheme,
                         bool is_default, uint32_t max_hops);
bool cli_rows_add_reference(struct cli_rows *rows, const char *name,
                            uint32_t max_hops);

void cli_rows_clear(struct cli_rows *rows);

#endif
