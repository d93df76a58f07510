#include "report/simulation_lines.h"

#include <math.h>
#include <string.h>

/* The run of configuration 'config' with the highest load; SF_NONE if it has
 * nothing to show. */
static uint32_t
find_row(const struct sf_sim_facts *facts, uint32_t config,
         bool has(const struct sf_simulation_row *row))
{
    uint32_t best = SF_NONE;

    for (uint32_t i = facts->firsts[config]; i < facts->n_rows; i++) {
        if (facts->config_of[i] == config && has(facts->rows[i]) &&
            (best == SF_NONE || facts->rows[i]->params.jobs.load >
                                    facts->rows[best]->params.jobs.load)) {
            best = i;
        }
    }
    return best;
}

enum sf_status
sf_sim_lines_build(const struct sf_simulation_table *table,
                   bool has(const struct sf_simulation_row *row),
                   struct sf_sim_lines *lines, struct sf_error *err)
{
    memset(lines, 0, sizeof *lines);
    enum sf_status status = sf_sim_facts_build(table, &lines->facts, err);

    if (status) {
        return status;
    }
    for (uint32_t i = 0; i < lines->facts.n_configs; i++) {
        uint32_t row = find_row(&lines->facts, i, has);
        if (row == SF_NONE) {
            continue;
        }
        if (lines->n < SF_SIM_MAX_LINES) {
            sf_sim_facts_name(&lines->facts, row, lines->names[lines->n]);
            lines->rows[lines->n++] = row;
        }
        lines->n_found++;
    }
    if (!lines->n) {
        sf_sim_lines_clear(lines);
        return sf_fail(err, SF_EINVAL, "nothing to draw: no run has it");
    }
    return SF_OK;
}

void
sf_sim_lines_clear(struct sf_sim_lines *lines)
{
    sf_sim_facts_clear(&lines->facts);
}

const struct sf_simulation_row *
sf_sim_lines_row(const struct sf_sim_lines *lines, uint32_t i)
{
    return lines->facts.rows[lines->rows[i]];
}

bool
sf_sim_lines_have_loads(const struct sf_sim_lines *lines)
{
    return lines->facts.varies[SF_FACT_LOAD];
}

struct sf_chart_style
sf_sim_lines_style(uint32_t i)
{
    static const char *const dashes[] = { NULL, "6 3", "2 3" };

    return (struct sf_chart_style){
        .color = (enum sf_chart_color)(1 + i % 7),
        .dash = dashes[i / 7 % 3],
    };
}

/* Appends what all runs share of some facts behind 'before', as far as it
 * fits. */
static void
append_shared(const struct sf_sim_lines *lines, enum sf_sim_fact first,
              enum sf_sim_fact last, const char *before, char *text,
              size_t size)
{
    char shared[SF_CHART_NOTE_SIZE];
    size_t n = strlen(text), n_before = strlen(before);

    if (n + n_before + 1 < size &&
        sf_sim_facts_shared(&lines->facts, first, last, shared,
                            size - n - n_before)) {
        snprintf(text + n, size - n, "%s", before);
        sf_sim_clean(shared, text + n + n_before, size - n - n_before);
    }
}

void
sf_sim_lines_title(const struct sf_sim_lines *lines, const char *title,
                   struct sf_chart *chart)
{
    size_t size = sizeof chart->note;

    snprintf(chart->title, sizeof chart->title, "%s", title);
    append_shared(lines, SF_FACT_WORKLOAD, SF_FACT_SIZE, ": ", chart->title,
                  sizeof chart->title);
    if (lines->n_found > lines->n) {
        snprintf(chart->note, size, "the first %u of %u configurations; ",
                 lines->n, lines->n_found);
    }
    append_shared(lines, SF_FACT_NETWORK, SF_FACT_CABLES, "", chart->note,
                  size);
    append_shared(lines, SF_FACT_NODES, SF_FACT_SELECT, ", ", chart->note,
                  size);
}

struct sf_chart_axis
sf_sim_percent_axis(const char *label, double most)
{
    return (struct sf_chart_axis){ .label = label,
                                   .has_zero = true,
                                   .max = most <= 100 ? 100 : 0 };
}

struct sf_sim_unit
sf_sim_unit_of(double seconds)
{
    static const struct sf_sim_unit units[] = {
        { "s", 1 }, { "ms", 1e3 }, { "us", 1e6 }, { "ns", 1e9 }
    };
    size_t i = 0;

    while (i < 3 && seconds * units[i].scale < 1) {
        i++;
    }
    return units[i];
}
