/* rows.c -- the routings that 'slimfly analyze' compares. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ROWS 400

static const struct {
    const char *name;
    enum sf_throughput_mode mode;
} references[] = {
    { "free", SF_THROUGHPUT_FREE },
    { "trees", SF_THROUGHPUT_TREES },
    { "hops", SF_THROUGHPUT_HOPS },
    { "any", SF_THROUGHPUT_ANY },
};
#define N_REFERENCES (sizeof references / sizeof *references)

const char *
cli_reference_choice(size_t i)
{
    if (i < N_REFERENCES) {
        return references[i].name;
    }
    return i == N_REFERENCES ? "none" : NULL;
}

static bool
add_row(struct cli_rows *rows, const struct sf_comparison_row *row)
{
    if (!rows->rows) {
        rows->rows = calloc(MAX_ROWS, sizeof *rows->rows);
    }
    if (!rows->rows) {
        cli_fail("out of memory");
        return false;
    }
    if (rows->n == MAX_ROWS) {
        cli_fail("analyze: expected at most %d routings, found more",
                 MAX_ROWS);
        return false;
    }
    rows->rows[rows->n++] = *row;
    return true;
}

bool
cli_rows_add_tables(struct cli_rows *rows, const struct sf_routes *given)
{
    struct sf_comparison_row row = { .label = "tables",
                                     .n_layers = sf_routes_n_layers(given),
                                     .given = given };
    return add_row(rows, &row);
}

bool
cli_rows_add_scheme(struct cli_rows *rows, const char *scheme, bool is_default,
                    uint32_t max_hops)
{
    struct sf_error err;
    bool is_fine = true;

    for (uint32_t k = 0; is_fine && k < rows->layers->n; k++) {
        struct sf_comparison_row row;
        if (sf_comparison_row_parse(scheme, rows->layers->numbers[k], &row,
                                    &err) != SF_OK) {
            cli_fail("analyze: --schemes: %s", err.text);
            return false;
        }
        const char *spec = row.routing.layers.scheme;
        row.routing = rows->routing;
        row.routing.layers.scheme = is_default ? NULL : spec;
        row.routing.layers.max_hops = max_hops;
        row.routing.n_addresses =
            sf_backend_host_addresses(&sf_ib_backend, row.n_layers);
        is_fine = add_row(rows, &row);
    }
    return is_fine;
}

bool
cli_rows_add_reference(struct cli_rows *rows, const char *name,
                       uint32_t max_hops)
{
    struct sf_comparison_row row;
    size_t i = 0;

    while (i < N_REFERENCES && strcmp(references[i].name, name) != 0) {
        i++;
    }
    if (i == N_REFERENCES) {
        cli_fail("analyze: --references: expected 'none' alone, or no 'none'");
        return false;
    }
    if (references[i].mode == SF_THROUGHPUT_TREES && max_hops != 3) {
        cli_fail("analyze: --references trees: this bound is known for "
                 "diameter 2 and paths of at most 3 hops, not %u",
                 max_hops);
        return false;
    }
    bool by_layers = sf_throughput_counts_paths(references[i].mode);
    bool is_fine = true;
    for (uint32_t k = 0; is_fine && k < (by_layers ? rows->layers->n : 1);
         k++) {
        sf_comparison_row_reference(references[i].mode,
                                    rows->layers->numbers[k], max_hops, &row);
        is_fine = add_row(rows, &row);
    }
    return is_fine;
}

void
cli_rows_clear(struct cli_rows *rows)
{
    free(rows->rows);
}
