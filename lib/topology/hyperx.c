/* hyperx.c -- two-dimensional HyperX [Ahn09]: a grid of switches in which
 * every row and every column is completely joined.  Diameter 2 (1 if one side
 * is 1), degree (rows - 1) + (columns - 1), times the parallel links. */
#include "topology/family.h"

static enum sf_status
draw(const struct sf_value *values, struct sf_sketch *sketch,
     struct sf_error *err)
{
    uint32_t rows = values[0].rows, columns = values[0].columns;
    uint32_t n_parallel = sf_value_or(&values[2], 1);
    uint32_t degree = (rows + columns - 2) * n_parallel;
    uint32_t p = sf_value_or(&values[1], degree ? (degree + 1) / 2 : 1);
    uint64_t n_switches = (uint64_t)rows * columns;

    enum sf_status status =
        sf_sketch_begin(sketch, n_switches, n_switches * degree / 2, err);
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t s = row * columns + column;
            sf_sketch_switch(sketch, s, (uint32_t[]){ row, column }, p);
            for (uint32_t other = column + 1; other < columns; other++) {
                sf_sketch_link(sketch, s, row * columns + other, n_parallel);
            }
            for (uint32_t other = row + 1; other < rows; other++) {
                sf_sketch_link(sketch, s, other * columns + column,
                               n_parallel);
            }
        }
    }
    return SF_OK;
}

static const struct sf_family_ops ops = { .draw = draw };

const struct sf_family sf_family_hyperx = {
    .name = "hx2",
    .title = "two-dimensional HyperX, diameter 2",
    .example = "hx2:13x13,p=12",
    .reference = "Ahn09",
    .params = {
        { .key = "size", SF_PARAM_SHAPE, 1, 1024, true, NULL, "ROWSxCOLUMNS" },
        { .key = "p", SF_PARAM_NUMBER, 1, SF_MAX_P, false, "half the degree, up",
          "hosts a switch" },
        { .key = "links", SF_PARAM_NUMBER, 1, 64, false, "1",
          "parallel links between two switches" },
    },
    .coords = { "row", "column" },
    .level_coord = SF_NONE,
    .group_coord = 0,
    .ops = &ops,
};
