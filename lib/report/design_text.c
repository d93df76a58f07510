/* design_text.c -- candidates and the paper's tables for people. */
#include "report/design_writers.h"

#include <math.h>
#include <string.h>

#define N_NAMED 4 /* Hosts to leave out that are named. */

static void
write_real(double number, int width, int digits, FILE *stream)
{
    if (isfinite(number)) {
        fprintf(stream, "  %*.*f", width, digits, number);
    } else {
        fprintf(stream, "  %*s", width, "-");
    }
}

static void
write_bandwidth(const struct sf_candidate *candidate, FILE *stream)
{
    if (sf_candidate_is_full_bandwidth(candidate)) {
        fprintf(stream, "  %9s", "full");
    } else if (isfinite(candidate->load)) {
        fprintf(stream, "  %7.2f:1", candidate->load);
    } else {
        fprintf(stream, "  %9s", "-");
    }
}

/* Between which bounds the bisection is, against one link for each endpoint of
 * a half. */
static void
write_bisection(const struct sf_candidate *candidate, FILE *stream)
{
    double half = candidate->n_endpoints / 2.0;
    double at_most = 100 * candidate->bisection_at_most / half;
    double at_least = 100 * candidate->bisection_at_least / half;
    char text[40];

    if (isfinite(at_least) && at_most - at_least >= 1) {
        snprintf(text, sizeof text, "%.0f-%.0f %%", at_least, at_most);
    } else {
        snprintf(text, sizeof text, "%.0f %%", at_most);
    }
    fprintf(stream, "  %9s", text);
}

/* What is special about a candidate. */
static void
write_note(const struct sf_candidate *candidate, FILE *stream)
{
    const char *separator = "  ";

    if (candidate->concentration != candidate->recommended) {
        fprintf(stream, "%sp = %u %s %u", separator, candidate->concentration,
                candidate->concentration < candidate->recommended
                    ? "of"
                    : "instead of",
                candidate->recommended);
        separator = ", ";
    }
    if (candidate->n_missing) {
        fprintf(stream, "%s%u short", separator, candidate->n_missing);
        separator = ", ";
    }
    if (candidate->n_left_out) {
        fprintf(stream, "%sleave out %u", separator, candidate->n_left_out);
        separator = ", ";
    }
    if (candidate->most_addresses == 0) {
        fprintf(stream, "%smore than a subnet", separator);
        separator = ", ";
    }
    if (candidate->lengths == SF_LENGTHS_RULE) {
        fprintf(stream, "%slengths by rule", separator);
    }
    fputc('\n', stream);
}

/* How many layers there are addresses for: the LMC, where these come in powers
 * of two. */
static uint32_t
count_layers(const struct sf_candidate *candidate)
{
    return candidate->backend->in_powers_of_two
               ? sf_design_lmc(candidate->most_addresses)
               : candidate->most_addresses;
}

static void
write_candidate(const struct sf_candidate *candidate, int width, FILE *stream)
{
    fprintf(stream, "%-*s  %5u  %8u  %9u  %6u  %7u  %6llu  %6llu  %8u", width,
            candidate->spec, candidate->ports, candidate->n_switches,
            candidate->n_endpoints, candidate->n_links,
            candidate->n_links_by[SF_OPTICAL],
            (unsigned long long)candidate->ports_used,
            (unsigned long long)candidate->ports_free, candidate->diameter);
    write_real(candidate->average_distance, 8, 3, stream);
    write_bisection(candidate, stream);
    write_bandwidth(candidate, stream);
    write_real(candidate->cost / 1e6, 8, 3, stream);
    write_real(candidate->cost_per_endpoint / 1e3, 6, 3, stream);
    write_real(candidate->watts / 1e3, 7, 1, stream);
    fprintf(stream, "  %6llu", (unsigned long long)candidate->n_addresses);
    if (candidate->most_addresses == 0) {
        fprintf(stream, "  %3s", "-");
    } else {
        fprintf(stream, "  %3u", count_layers(candidate));
    }
    write_note(candidate, stream);
}

/* Which hosts to leave out of the first candidate. */
static void
write_left_out(const struct sf_candidate *candidate, FILE *stream)
{
    fprintf(stream,
            "%s has %u host%s more than asked for. Leave out the last one of "
            "%u of its %u switches with hosts, evenly:",
            candidate->spec, candidate->n_left_out,
            candidate->n_left_out == 1 ? "" : "s", candidate->n_left_out,
            candidate->n_endpoints / candidate->concentration);
    for (uint32_t i = 0; i < candidate->n_left_out && i < N_NAMED; i++) {
        fprintf(stream, "%s node%04u", i ? "," : "",
                sf_candidate_left_out(candidate, i));
    }
    fputs(candidate->n_left_out > N_NAMED
              ? ", and so on (all of them: --format json).\n"
              : ".\n",
          stream);
}

/* The command that goes on from here. */
static void
write_next(const struct sf_candidate *first, uint32_t n_endpoints,
           FILE *stream)
{
    if (first->n_missing) {
        fprintf(stream,
                "No network of these families and ports holds %u endpoints.\n",
                n_endpoints);
        return;
    }
    fprintf(stream, "Next: slimfly plan %s -o plan --switch-ports %u",
            first->spec, first->ports);
    if (first->n_left_out) {
        fprintf(stream, " --hosts %u", n_endpoints);
    }
    if (first->generation) {
        fprintf(stream, " --rate %s", first->generation->rate);
    }
    fputc('\n', stream);
}

static void
write_closing(const struct sf_design *design, FILE *stream)
{
    const struct sf_candidate *first = design->candidates;
    uint32_t n = design->params.n_endpoints;

    fputc('\n', stream);
    if (n) {
        struct sf_slimfly_size size = sf_slimfly_nearest(n);
        fprintf(
            stream,
            "Slim Fly nearest to %u in endpoints: sf:q=%u, %u switches, %u "
            "endpoints, %u ports.\n",
            n, size.q, size.n_switches, size.n_endpoints,
            size.network_radix + size.concentration);
    }
    if (first->n_left_out) {
        write_left_out(first, stream);
    }
    fprintf(stream,
            "Prices in %s of %u; cost and power are of switches and cables. "
            "Bisection: lower and upper bound, 100 %% is a link for each "
            "endpoint of "
            "a half. ",
            design->prices->currency, design->prices->year);
    if (first->backend->in_powers_of_two) {
        fprintf(stream, "LIDs at LMC %u; LMC: the largest that fits.\n",
                sf_design_lmc(first->n_host_addresses));
    } else {
        fprintf(stream,
                "Addresses with %u a host; most: the largest number a host "
                "that fits.\n",
                first->n_host_addresses);
    }
    write_next(first, n, stream);
}

enum sf_status
sf_design_write_text(const struct sf_design *design,
                     const struct sf_design_view *view, FILE *stream,
                     struct sf_error *err)
{
    uint32_t n = sf_design_count(design, view);
    int width = (int)strlen("topology");

    (void)err;
    if (design->n_candidates == 0) {
        fputs("nothing fits: no network of these families has the ports, "
              "addresses or cost asked for\n",
              stream);
        return SF_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        int length = (int)strlen(design->candidates[i].spec);
        width = length > width ? length : width;
    }
    fprintf(
        stream,
        "%-*s  ports  switches  endpoints   links  optical    used    free  "
        "diameter  distance  bisection  bandwidth    cost M  k/host       "
        "kW  %s\n",
        width, "topology",
        design->params.backend->in_powers_of_two ? "  LIDs  LMC"
                                                 : " addrs  most");
    for (uint32_t i = 0; i < n; i++) {
        write_candidate(&design->candidates[i], width, stream);
    }
    if (n < design->n_candidates) {
        fprintf(stream, "... and %u more; --limit 0 shows all\n",
                design->n_candidates - n);
    }
    write_closing(design, stream);
    return SF_OK;
}

static void
write_paper_row(const struct sf_paper_row *row, FILE *stream)
{
    bool is_alike = true;

    fprintf(stream, "%-6s %-28s", row->network, row->spec);
    for (uint32_t i = 0; i < row->n_cells; i++) {
        const struct sf_paper_cell *cell = &row->cells[i];
        char text[40];
        if (cell->agrees && !cell->why[0]) {
            snprintf(text, sizeof text, "%g", cell->paper);
        } else {
            snprintf(text, sizeof text, "%g%s%.5g", cell->paper,
                     cell->agrees ? " ~ " : " | ", cell->ours);
        }
        fprintf(stream, "  %-15s", text);
        is_alike = is_alike && cell->agrees;
    }
    fputs(is_alike ? "  agrees\n" : "  differs\n", stream);
    const char *last = "";
    for (uint32_t i = 0; i < row->n_cells; i++) {
        const struct sf_paper_cell *cell = &row->cells[i];
        if (!cell->agrees && strcmp(cell->why, last) != 0) {
            fprintf(stream, "         %s: %s\n", cell->item, cell->why);
            last = cell->why;
        }
    }
    if (row->n_larger) {
        fprintf(
            stream,
            "         larger with fewer hosts a switch: %s, %u endpoints\n",
            row->larger, row->n_larger);
    }
}

enum sf_status
sf_paper_write_text(const struct sf_paper *paper, FILE *stream,
                    struct sf_error *err)
{
    const char *table = "", *column = "";

    (void)err;
    fputs("The tables of Blach et al., NSDI 2024, beside ours. A number alone "
          "is the paper's and ours;\n\"a ~ b\": the paper's and ours, equal "
          "within its digits or the error of the fitted prices;\n\"a | b\": "
          "they differ, and the line below says why.\n",
          stream);
    for (uint32_t i = 0; i < paper->n_rows; i++) {
        const struct sf_paper_row *row = &paper->rows[i];
        if (strcmp(row->table, table) != 0) {
            fprintf(stream, "\n== %s\n",
                    strcmp(row->table, "sizes") == 0
                        ? "Largest Slim Flies by ports and LMC (tab:uff)"
                        : "Costs (tab:costs)");
        }
        if (strcmp(row->column, column) != 0) {
            fprintf(stream, "\n%-35s", row->column);
            for (uint32_t j = 0; j < row->n_cells; j++) {
                fprintf(stream, "  %-15s", row->cells[j].item);
            }
            fputc('\n', stream);
        }
        write_paper_row(row, stream);
        table = row->table;
        column = row->column;
    }
    fprintf(stream, "\n%u of %u numbers agree\n", paper->n_agree,
            paper->n_cells);
    return SF_OK;
}
