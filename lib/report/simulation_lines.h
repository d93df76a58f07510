/* simulation_lines.h -- which runs a figure of simulations shows, one line a
 * configuration, and how the lines are named and drawn. */
#ifndef SF_REPORT_SIMULATION_LINES_H
#define SF_REPORT_SIMULATION_LINES_H

#include "report/chart.h"
#include "report/simulation_facts.h"

/* More cannot be told apart. */
#define SF_SIM_MAX_LINES 21

struct sf_sim_lines {
    struct sf_sim_facts facts;
    uint32_t n;                      /* Configurations that are shown, */
    uint32_t n_found;                /* of so many. */
    uint32_t rows[SF_SIM_MAX_LINES]; /* Of each: the run with the highest load,
                                      * an index into facts.rows. */
    char names[SF_SIM_MAX_LINES][SF_FACT_NAME_SIZE];
};

/* Finds the configurations with runs for which 'has' is true.  SF_EINVAL:
 * there are none.  The caller clears 'lines' after success. */
enum sf_status
sf_sim_lines_build(const struct sf_simulation_table *table,
                   bool has(const struct sf_simulation_row *row),
                   struct sf_sim_lines *lines, struct sf_error *err);
void sf_sim_lines_clear(struct sf_sim_lines *lines);

/* The run that stands for line 'i'. */
const struct sf_simulation_row *
sf_sim_lines_row(const struct sf_sim_lines *lines, uint32_t i);

/* Whether runs of different loads are shown by the highest one. */
bool sf_sim_lines_have_loads(const struct sf_sim_lines *lines);

/* A line without marks, of a colour and dashes of its own. */
struct sf_chart_style sf_sim_lines_style(uint32_t i);

/* Writes the title, and below the figure what all runs share and how many
 * configurations are not shown. */
void sf_sim_lines_title(const struct sf_sim_lines *lines, const char *title,
                        struct sf_chart *chart);

/* An axis from 0 to 100 %, or further if 'most' is beyond. */
struct sf_chart_axis sf_sim_percent_axis(const char *label, double most);

/* The unit in which 'seconds' is 1 or more. */
struct sf_sim_unit {
    const char *name;
    double scale; /* What seconds are multiplied by. */
};
struct sf_sim_unit sf_sim_unit_of(double seconds);

#endif
