/* design_text.c -- candidates and the paper's tables for people. */
#include "report/design_writers.h"

#include <stdarg.h>
#include <string.h>

#define N_NAMED 4 /* Hosts to leave out that are named. */

/* A paragraph of lines that are no longer than those of the table. */
__attribute__((format(printf, 2, 3))) static void
write_paragraph(FILE *stream, const char *format, ...)
{
    char text[1024];
    va_list args;
    size_t at = 0;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *save, *word = strtok_r(text, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        bool fits = at + 1 + strlen(word) <= SF_DESIGN_WIDTH;
        fprintf(stream, "%s%s", at == 0 ? "" : fits ? " " : "\n", word);
        at = (at > 0 && fits ? at + 1 : 0) + strlen(word);
    }
    fputc('\n', stream);
}

/* Which hosts to leave out of the first candidate. */
static void
write_left_out(const struct sf_candidate *candidate, FILE *stream)
{
    char names[N_NAMED * 24] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < candidate->n_left_out && i < N_NAMED; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used,
                                 "%s node%04u", i ? "," : "",
                                 sf_candidate_left_out(candidate, i));
    }
    write_paragraph(stream,
                    "%s has %u host%s more than asked for. Leave out the last "
                    "one of %u of its %u switches with hosts, evenly:%s%s",
                    candidate->spec, candidate->n_left_out,
                    candidate->n_left_out == 1 ? "" : "s",
                    candidate->n_left_out,
                    candidate->n_endpoints / candidate->concentration, names,
                    candidate->n_left_out > N_NAMED
                        ? ", and so on (all of them: --format json)."
                        : ".");
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
    double copper_max = sf_candidate_copper_max(first);
    if (copper_max < sf_floor_default.copper_max ||
        copper_max > sf_floor_default.copper_max) {
        fprintf(stream, " --copper-max %g", copper_max);
    }
    fputs("\nOr before that, the best of each family side by side, with what "
          "they carry and what failures do: --compare -o DIR\n",
          stream);
}

typedef bool is_special(const struct sf_candidate *candidate);

static bool
has_no_price(const struct sf_candidate *candidate)
{
    return !candidate->generation;
}

static bool
has_too_few_addresses(const struct sf_candidate *candidate)
{
    return candidate->most_addresses == 0;
}

static bool
has_lengths_by_rule(const struct sf_candidate *candidate)
{
    return candidate->lengths == SF_LENGTHS_RULE;
}

/* Says 'what' of the listed candidates for which it holds, if there are
 * any. */
static void
write_special(const struct sf_design *design,
              const struct sf_design_view *view, is_special *holds,
              const char *what, FILE *stream)
{
    uint32_t n = sf_design_count(design, view), n_special = 0;
    char specs[512] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (holds(&design->candidates[i]) &&
            used + SF_SPEC_SIZE + 2 < sizeof specs) {
            used += (size_t)snprintf(specs + used, sizeof specs - used,
                                     "%s %s", n_special ? "," : "",
                                     design->candidates[i].spec);
        }
        n_special += holds(&design->candidates[i]);
    }
    if (n_special == n) {
        write_paragraph(stream, "%s.", what);
    } else if (n_special) {
        write_paragraph(stream, "%s:%s.", what, specs);
    }
}

/* What the columns mean. */
static void
write_legend(const struct sf_design *design, const struct sf_design_view *view,
             FILE *stream)
{
    const struct sf_candidate *first = design->candidates;

    fputs("Shares are upper bounds of what all hosts get of their rate at "
          "once. A routing may reach less: see\n"
          "'slimfly analyze SPEC --traffic all-to-all,longest-matching'.\n"
          "  uniform: all send to all, on shortest paths\n"
          "  bisect:  links across a cut that halves the hosts, for each host "
          "of a half\n"
          "  permut:  each sends to one other, the worst found, on any paths; "
          "=1.00: non-blocking, all permutations get full rate\n",
          stream);
    write_paragraph(
        stream,
        "used/free: ports of the switch that uses the most. cables: between "
        "switches and to hosts. Cost and power are of switches and cables, in "
        "%s of %u, with all hosts of the topology. k/host: the cost for each "
        "host of the topology (built)%s.",
        design->prices->currency, design->prices->year,
        design->params.n_endpoints ? ", or for each host asked for (asked)"
                                   : "");
    write_special(design, view, has_no_price,
                  "No prices are known for these ports, see --prices", stream);
    write_special(design, view, has_too_few_addresses,
                  "More hosts than one subnet has addresses for", stream);
    write_special(design, view, has_lengths_by_rule,
                  "Too large to plan, lengths of cables by a rule", stream);
    if (!view->is_wide) {
        return;
    }
    if (first->backend->in_powers_of_two) {
        write_paragraph(stream, "LIDs at LMC %u; LMC: the largest that fits.",
                        sf_design_lmc(first->n_host_addresses));
    } else {
        write_paragraph(stream,
                        "Addresses with %u a host; most: the largest number a "
                        "host that fits.",
                        first->n_host_addresses);
    }
}

static void
write_closing(const struct sf_design *design,
              const struct sf_design_view *view, FILE *stream)
{
    const struct sf_candidate *first = design->candidates;
    uint32_t n = design->params.n_endpoints;

    fputc('\n', stream);
    write_legend(design, view, stream);
    if (n) {
        struct sf_slimfly_size size = sf_slimfly_nearest(n);
        write_paragraph(
            stream,
            "Slim Fly nearest to %u in endpoints: sf:q=%u, %u switches, %u "
            "endpoints, %u ports.",
            n, size.q, size.n_switches, size.n_endpoints,
            size.network_radix + size.concentration);
    }
    if (first->n_left_out) {
        write_left_out(first, stream);
    }
    write_next(first, n, stream);
}

enum sf_status
sf_design_write_text(const struct sf_design *design,
                     const struct sf_design_view *view, FILE *stream,
                     struct sf_error *err)
{
    uint32_t n = sf_design_count(design, view);

    (void)err;
    if (design->n_candidates == 0) {
        fputs("nothing fits: no network of these families has the ports, "
              "addresses, cost or bandwidth asked for\n",
              stream);
        return SF_OK;
    }
    sf_design_write_table(design, view, stream);
    if (n < design->n_candidates) {
        fprintf(stream, "... and %u more; --limit 0 shows all\n",
                design->n_candidates - n);
    }
    write_closing(design, view, stream);
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
