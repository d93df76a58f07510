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

/* What it is, and how many of what. */
static void
write_names(const struct sf_candidate *candidate, FILE *stream)
{
    const struct sf_generation *generation = candidate->generation;

    sf_csv_write(candidate->spec, stream);
    fprintf(stream, ",%s,%s,%u,", candidate->family,
            sf_fit_name(candidate->fit), candidate->ports);
    sf_csv_write(generation ? generation->name : "", stream);
    fputc(',', stream);
    sf_csv_write(generation ? generation->rate : "", stream);
}

static void
write_counts(const struct sf_candidate *candidate, FILE *stream)
{
    fprintf(stream, ",%u,%u,%u,%u,%u,%u,%u,%u,%s,%u,%u,%u,%u",
            candidate->n_switches, candidate->n_endpoints, candidate->n_links,
            sf_candidate_cables(candidate), candidate->n_links_by[SF_COPPER],
            candidate->n_links_by[SF_OPTICAL],
            candidate->n_host_cables_by[SF_COPPER],
            candidate->n_host_cables_by[SF_OPTICAL],
            candidate->lengths == SF_LENGTHS_PLAN ? "plan" : "rule",
            candidate->concentration, candidate->recommended,
            candidate->n_left_out, candidate->n_missing);
    fprintf(stream, ",%llu,%llu,%u,%u,",
            (unsigned long long)candidate->ports_used,
            (unsigned long long)candidate->ports_free, candidate->radix,
            candidate->ports - candidate->radix);
    if (candidate->diameter != SF_NONE) {
        fprintf(stream, "%u", candidate->diameter);
    }
    fprintf(stream, ",%u,%llu,", sf_design_lmc(candidate->n_host_addresses),
            (unsigned long long)candidate->n_addresses);
    if (candidate->most_addresses) {
        fprintf(stream, "%u", sf_design_lmc(candidate->most_addresses));
    }
}

static void
write_measures(const struct sf_candidate *candidate, FILE *stream)
{
    write_real(candidate->average_distance, stream);
    write_real(candidate->bisection_at_most, stream);
    write_real(candidate->bisection_at_least, stream);
    write_real(sf_candidate_bisection_at_most(candidate), stream);
    write_real(sf_candidate_bisection_at_least(candidate), stream);
    write_real(candidate->full_bandwidth_p, stream);
    write_real(candidate->uniform_at_most, stream);
    write_real(candidate->permutation_at_most, stream);
    fputs(candidate->is_non_blocking ? ",true" : ",false", stream);
    write_real(candidate->cost, stream);
    write_real(candidate->cost_per_endpoint, stream);
    write_real(candidate->cost_per_asked, stream);
    write_real(candidate->watts, stream);
}

enum sf_status
sf_design_write_csv(const struct sf_design *design,
                    const struct sf_design_view *view, FILE *stream,
                    struct sf_error *err)
{
    (void)err;
    fputs("spec,family,fit,ports,generation,rate,n_switches,n_endpoints,"
          "n_links,n_cables,copper_links,optical_links,copper_host_cables,"
          "optical_host_cables,lengths,concentration,"
          "recommended_concentration,n_left_out,n_missing,ports_used,"
          "ports_free,radix,radix_free,diameter,lmc,n_lids,largest_lmc,"
          "average_distance,bisection_at_most,bisection_at_least,"
          "bisection_share_at_most,bisection_share_at_least,"
          "full_bandwidth_concentration,uniform_at_most,permutation_at_most,"
          "non_blocking,cost,cost_per_endpoint,cost_per_asked_endpoint,"
          "watts\n",
          stream);
    for (uint32_t i = 0; i < sf_design_count(design, view); i++) {
        const struct sf_candidate *candidate = &design->candidates[i];
        write_names(candidate, stream);
        write_counts(candidate, stream);
        write_measures(candidate, stream);
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
