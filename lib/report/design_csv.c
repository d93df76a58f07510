/* design_csv.c -- candidates and the paper's tables for spreadsheets. */
#include "io/csv.h"
#include "report/design_writers.h"

#include <math.h>

static void
write_real(double number, FILE *stream)
{
    fputc(',', stream);
    if (isfinite(number)) {
        fprintf(stream, "%.10g", number);
    }
}

enum sf_status
sf_design_write_csv(const struct sf_design *design,
                    const struct sf_design_view *view, FILE *stream,
                    struct sf_error *err)
{
    (void)err;
    fputs("spec,family,fit,ports,n_switches,n_endpoints,n_links,"
          "copper_links,optical_links,copper_host_cables,"
          "optical_host_cables,lengths,concentration,"
          "recommended_concentration,n_left_out,n_missing,ports_used,"
          "ports_free,radix,diameter,n_lids,largest_lmc,average_distance,"
          "bisection_at_most,bisection_at_least,"
          "full_bandwidth_concentration,oversubscription,cost,"
          "cost_per_endpoint,watts\n",
          stream);
    for (uint32_t i = 0; i < sf_design_count(design, view); i++) {
        const struct sf_candidate *candidate = &design->candidates[i];
        sf_csv_write(candidate->spec, stream);
        fprintf(
            stream,
            ",%s,%s,%u,%u,%u,%u,%u,%u,%u,%u,%s,%u,%u,%u,%u,%llu,"
            "%llu,%u,%u,%llu,",
            candidate->family, sf_fit_name(candidate->fit), candidate->ports,
            candidate->n_switches, candidate->n_endpoints, candidate->n_links,
            candidate->n_links_by[SF_COPPER],
            candidate->n_links_by[SF_OPTICAL],
            candidate->n_host_cables_by[SF_COPPER],
            candidate->n_host_cables_by[SF_OPTICAL],
            candidate->lengths == SF_LENGTHS_PLAN ? "plan" : "rule",
            candidate->concentration, candidate->recommended,
            candidate->n_left_out, candidate->n_missing,
            (unsigned long long)candidate->ports_used,
            (unsigned long long)candidate->ports_free, candidate->radix,
            candidate->diameter, (unsigned long long)candidate->n_addresses);
        if (candidate->most_addresses) {
            fprintf(stream, "%u", sf_design_lmc(candidate->most_addresses));
        }
        write_real(candidate->average_distance, stream);
        write_real(candidate->bisection_at_most, stream);
        write_real(candidate->bisection_at_least, stream);
        write_real(candidate->full_bandwidth_p, stream);
        write_real(candidate->load, stream);
        write_real(candidate->cost, stream);
        write_real(candidate->cost_per_endpoint, stream);
        write_real(candidate->watts, stream);
        fputc('\n', stream);
    }
    return SF_OK;
}

enum sf_status
sf_paper_write_csv(const struct sf_paper *paper, FILE *stream,
                   struct sf_error *err)
{
    (void)err;
    fputs("table,column,network,spec,item,paper,ours,agrees,why\n", stream);
    for (uint32_t i = 0; i < paper->n_rows; i++) {
        const struct sf_paper_row *row = &paper->rows[i];
        for (uint32_t j = 0; j < row->n_cells; j++) {
            const struct sf_paper_cell *cell = &row->cells[j];
            fprintf(stream, "%s,", row->table);
            sf_csv_write(row->column, stream);
            fprintf(stream, ",%s,", row->network);
            sf_csv_write(row->spec, stream);
            fprintf(stream, ",%s", cell->item);
            write_real(cell->paper, stream);
            write_real(cell->ours, stream);
            fprintf(stream, ",%s,", cell->agrees ? "true" : "false");
            sf_csv_write(cell->why, stream);
            fputc('\n', stream);
        }
    }
    return SF_OK;
}
