/* guide_progress.c -- the table of what is to be wired and what is done, for
 * each rack and step.  guide.js fills in what is done. */
#include "report/guide_parts.h"

#include "io/xml.h"

/* Counts the cables of each part and step.  A cable between two parts counts
 * for both. */
static void
count_cables(const struct guide *guide, uint32_t (*counts)[SF_N_STEPS])
{
    for (size_t i = 0; i < guide->runs.list.n; i++) {
        const struct cable_run *run = &guide->runs.list.items[i];
        counts[run->left][run->step] += run->n;
        if (run->right != run->left) {
            counts[run->right][run->step] += run->n;
        }
    }
}

/* Writes a row: a number for each step, and for all of them. */
static void
write_counts(const uint32_t counts[SF_N_STEPS], FILE *stream)
{
    uint32_t sum = 0;

    for (int step = 0; step < SF_N_STEPS; step++) {
        fprintf(stream, "<td>%u</td>", counts[step]);
        sum += counts[step];
    }
    fprintf(stream, "<td>%u</td></tr>\n", sum);
}

/* Starts the row of a part, with the racks that it stands in if these have
 * names of their own. */
static void
write_part(const struct sf_plan *plan, uint32_t group, FILE *stream)
{
    uint32_t n = 0;

    fprintf(stream, "<tr data-rack=\"%u\" data-cabinets=\"", group);
    for (uint32_t i = 0; i < plan->n_racks; i++) {
        if (plan->racks[i].group == group) {
            fputs(n++ ? ", " : "", stream);
            sf_xml_write(plan->racks[i].name, stream);
        }
    }
    fprintf(stream, "\"><th>R%u</th>", group);
}

enum sf_status
sf_guide_write_progress(const struct guide *guide, struct sf_error *err)
{
    const struct sf_plan *plan = guide->plan;
    FILE *stream = guide->stream;
    uint32_t all[SF_N_STEPS] = { 0 };
    uint32_t(*counts)[SF_N_STEPS] = sf_calloc(plan->n_groups, sizeof *counts);

    if (!counts) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %u racks",
                       plan->n_groups);
    }
    count_cables(guide, counts);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        all[plan->cables[i].step]++;
    }
    fputs("<table id=\"counts\"><thead><tr><th>Rack</th><th>Step 0</th>"
          "<th>Step 1</th><th>Step 2</th><th>Step 3</th><th>Together</th>"
          "</tr></thead>\n<tbody>\n",
          stream);
    for (uint32_t group = 0; group < plan->n_groups; group++) {
        write_part(plan, group, stream);
        write_counts(counts[group], stream);
    }
    fputs("</tbody>\n<tfoot><tr><th>All</th>", stream);
    write_counts(all, stream);
    fputs("</tfoot></table>\n", stream);
    free(counts);
    return SF_OK;
}
