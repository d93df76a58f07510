/* matching.c -- the Hungarian method with potentials [Kuhn55].
 *
 * Rows are matched one after the other along shortest augmenting paths.  A
 * search ends at the first column that is free, and of columns equally near a
 * free one is taken first, so that with few different costs most searches look
 * at a handful of rows.  Rows and columns are shuffled first: that is where
 * chance comes in. */
#include "traffic/matching.h"

#include "base/mem.h"
#include "slimfly/graph.h"

struct matcher {
    const int16_t *costs;
    uint32_t n;
    uint32_t *rows, *columns; /* [n] In which order. */
    uint32_t *row_of;         /* [n] Of a column, by places; or SF_NONE. */
    uint32_t *before;         /* [n] The column before it in the search. */
    int32_t *row_potential, *column_potential; /* [n] */
    int32_t *slack;                            /* [n] */
    bool *is_done;                             /* [n] Columns searched. */
};

static int32_t
reduced_cost(const struct matcher *matcher, uint32_t row, uint32_t column)
{
    size_t i = matcher->rows[row], j = matcher->columns[column];
    return matcher->costs[i * matcher->n + j] - matcher->row_potential[row] -
           matcher->column_potential[column];
}

/* Searches from 'row', which is free, to the nearest free column. */
static uint32_t
search_column(struct matcher *matcher, uint32_t row)
{
    uint32_t n = matcher->n, last = SF_NONE, at = row;

    for (uint32_t j = 0; j < n; j++) {
        matcher->slack[j] = INT32_MAX;
        matcher->is_done[j] = false;
    }
    for (;;) {
        uint32_t nearest = SF_NONE;
        for (uint32_t j = 0; j < n; j++) {
            if (matcher->is_done[j]) {
                continue;
            }
            int32_t cost = reduced_cost(matcher, at, j);
            if (cost < matcher->slack[j]) {
                matcher->slack[j] = cost;
                matcher->before[j] = last;
            }
            if (nearest == SF_NONE ||
                matcher->slack[j] < matcher->slack[nearest] ||
                (matcher->slack[j] == matcher->slack[nearest] &&
                 matcher->row_of[j] == SF_NONE &&
                 matcher->row_of[nearest] != SF_NONE)) {
                nearest = j;
            }
        }
        int32_t step = matcher->slack[nearest];
        matcher->row_potential[row] += step;
        for (uint32_t j = 0; j < n; j++) {
            if (matcher->is_done[j]) {
                matcher->row_potential[matcher->row_of[j]] += step;
                matcher->column_potential[j] -= step;
            } else {
                matcher->slack[j] -= step;
            }
        }
        if (matcher->row_of[nearest] == SF_NONE) {
            return nearest;
        }
        matcher->is_done[nearest] = true;
        last = nearest;
        at = matcher->row_of[nearest];
    }
}

static void
match_row(struct matcher *matcher, uint32_t row)
{
    uint32_t column = search_column(matcher, row);

    while (matcher->before[column] != SF_NONE) {
        matcher->row_of[column] = matcher->row_of[matcher->before[column]];
        column = matcher->before[column];
    }
    matcher->row_of[column] = row;
}

enum sf_status
sf_matching_find(const int16_t *costs, uint32_t n, struct sf_random *random,
                 uint32_t *to, struct sf_error *err)
{
    enum sf_status status = SF_OK;
    struct matcher matcher = { .costs = costs, .n = n };

    matcher.rows = sf_calloc(n, sizeof *matcher.rows);
    matcher.columns = sf_calloc(n, sizeof *matcher.columns);
    matcher.row_of = sf_calloc(n, sizeof *matcher.row_of);
    matcher.before = sf_calloc(n, sizeof *matcher.before);
    matcher.row_potential = sf_calloc(n, sizeof *matcher.row_potential);
    matcher.column_potential = sf_calloc(n, sizeof *matcher.column_potential);
    matcher.slack = sf_calloc(n, sizeof *matcher.slack);
    matcher.is_done = sf_calloc(n, sizeof *matcher.is_done);
    if (!matcher.rows || !matcher.columns || !matcher.row_of ||
        !matcher.before || !matcher.row_potential ||
        !matcher.column_potential || !matcher.slack || !matcher.is_done) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a matching");
        goto done;
    }
    for (uint32_t i = 0; i < n; i++) {
        matcher.rows[i] = matcher.columns[i] = i;
        matcher.row_of[i] = SF_NONE;
    }
    sf_random_shuffle(random, matcher.rows, n);
    sf_random_shuffle(random, matcher.columns, n);
    for (uint32_t i = 0; i < n; i++) {
        match_row(&matcher, i);
    }
    for (uint32_t j = 0; j < n; j++) {
        to[matcher.rows[matcher.row_of[j]]] = matcher.columns[j];
    }

done:
    free(matcher.is_done);
    free(matcher.slack);
    free(matcher.column_potential);
    free(matcher.row_potential);
    free(matcher.before);
    free(matcher.row_of);
    free(matcher.columns);
    free(matcher.rows);
    return status;
}
