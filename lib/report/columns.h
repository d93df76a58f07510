/* columns.h -- the switches of each part in the order in which they stand,
 * and the words for parts and steps. */
#ifndef SF_REPORT_COLUMNS_H
#define SF_REPORT_COLUMNS_H

#include "slimfly/plan.h"

struct sf_columns {
    uint32_t *starts;    /* [n_groups + 1] Where in 'order' a part starts. */
    uint32_t *order;     /* [n_switches] Part by part, from the top down. */
    uint32_t *positions; /* [n_switches] Of a switch in its part, from 0. */
};

/* Fills 'columns'; clear it with sf_columns_clear(), also after a failure. */
enum sf_status sf_columns_build(const struct sf_plan *plan,
                                struct sf_columns *columns,
                                struct sf_error *err);
void sf_columns_clear(struct sf_columns *columns);

static inline uint32_t
sf_columns_size(const struct sf_columns *columns, uint32_t group)
{
    return columns->starts[group + 1] - columns->starts[group];
}

static inline uint32_t
sf_columns_at(const struct sf_columns *columns, uint32_t group, uint32_t i)
{
    return columns->order[columns->starts[group] + i];
}

/* What stands on a cable: "3 m copper". */
const char *sf_columns_medium(enum sf_medium medium);

#endif
