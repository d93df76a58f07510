#include "report/comparison_grid.h"

#include <string.h>

static void
add_label(struct sf_comparison_grid *grid, const char *label)
{
    for (uint32_t i = 0; i < grid->n_labels; i++) {
        if (!strcmp(grid->labels[i], label)) {
            return;
        }
    }
    if (grid->n_labels < SF_COMPARISON_MAX_LINES) {
        grid->labels[grid->n_labels++] = label;
    }
}

static void
add_layers(struct sf_comparison_grid *grid, uint32_t n_layers)
{
    uint32_t place = 0;

    while (place < grid->n_layers && grid->layers[place] < n_layers) {
        place++;
    }
    if (grid->n_layers == SF_COMPARISON_MAX_LINES ||
        (place < grid->n_layers && grid->layers[place] == n_layers)) {
        return;
    }
    memmove(grid->layers + place + 1, grid->layers + place,
            (grid->n_layers - place) * sizeof *grid->layers);
    grid->layers[place] = n_layers;
    grid->n_layers++;
}

struct sf_comparison_grid
sf_comparison_grid_of(const struct sf_comparison *comparison, bool with_paths)
{
    struct sf_comparison_grid grid = { .comparison = comparison };

    for (uint32_t i = 0; i < comparison->params.n_rows; i++) {
        const struct sf_comparison_row *row = &comparison->params.rows[i];
        if (row->n_layers && (!with_paths || comparison->results[i].metrics)) {
            add_label(&grid, row->label);
            add_layers(&grid, row->n_layers);
        }
    }
    return grid;
}

uint32_t
sf_comparison_grid_row(const struct sf_comparison_grid *grid, uint32_t label,
                       uint32_t column)
{
    const struct sf_comparison_params *params = &grid->comparison->params;

    for (uint32_t i = 0; i < params->n_rows; i++) {
        if (params->rows[i].n_layers == grid->layers[column] &&
            !strcmp(params->rows[i].label, grid->labels[label])) {
            return i;
        }
    }
    return SF_NONE;
}

void
sf_comparison_title(const struct sf_comparison *comparison, const char *title,
                    struct sf_chart *chart)
{
    char seeds[32] = "";

    if (comparison->params.n_seeds > 1) {
        snprintf(seeds, sizeof seeds, ", %u seeds",
                 comparison->params.n_seeds);
    }
    snprintf(chart->title, sizeof chart->title, "%s, %s%s", title,
             comparison->params.name, seeds);
}
