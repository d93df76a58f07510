/* design_table.c -- the table of candidates for people.  Columns are as wide
 * as what stands in them.  Without view->is_wide there are only those that
 * architects ask for first, and no line is longer than SF_DESIGN_WIDTH: where
 * a spec leaves too little room, its numbers stand on the next line. */
#include "report/design_writers.h"

#include <math.h>
#include <string.h>

#define CELL_SIZE (SF_SPEC_SIZE + 32)

typedef void cell_fn(const struct sf_candidate *candidate, char *cell);

/* When there is such a column. */
enum presence {
    ALWAYS,
    IF_ASKED, /* For a number of endpoints. */
    IF_WIDE,
    IF_LIDS,      /* Wide, and addresses come in powers of two, */
    IF_ADDRESSES, /* or do not. */
};

/* 'group' stands above the columns that share it. */
struct column {
    const char *group, *name;
    enum presence presence;
    cell_fn *write;
};

static void
write_number(double number, char *cell)
{
    int digits = number < 10 ? 3 : number < 100 ? 2 : number < 1000 ? 1 : 0;

    if (isfinite(number)) {
        snprintf(cell, CELL_SIZE, "%.*f", digits, number);
    } else {
        snprintf(cell, CELL_SIZE, "-");
    }
}

static void
write_share(double share, const char *mark, char *cell)
{
    if (isfinite(share)) {
        snprintf(cell, CELL_SIZE, "%s%.2f", mark, share);
    } else {
        snprintf(cell, CELL_SIZE, "-");
    }
}

static void
write_count(uint64_t count, char *cell)
{
    snprintf(cell, CELL_SIZE, "%llu", (unsigned long long)count);
}

static void
write_rate(const struct sf_candidate *candidate, char *cell)
{
    snprintf(cell, CELL_SIZE, "%s",
             candidate->generation ? candidate->generation->rate : "-");
}

static void
write_ports(const struct sf_candidate *candidate, char *cell)
{
    snprintf(cell, CELL_SIZE, "%u/%u", candidate->radix,
             candidate->ports - candidate->radix);
}

static void
write_switches(const struct sf_candidate *candidate, char *cell)
{
    write_count(candidate->n_switches, cell);
}

static void
write_hosts(const struct sf_candidate *candidate, char *cell)
{
    write_count(candidate->n_endpoints, cell);
}

static void
write_cables(const struct sf_candidate *candidate, char *cell)
{
    write_count(sf_candidate_cables(candidate), cell);
}

static void
write_hops(const struct sf_candidate *candidate, char *cell)
{
    if (candidate->diameter == SF_NONE) {
        snprintf(cell, CELL_SIZE, "-");
    } else {
        write_count(candidate->diameter, cell);
    }
}

static void
write_uniform(const struct sf_candidate *candidate, char *cell)
{
    write_share(candidate->uniform_at_most, "", cell);
}

static void
write_bisection(const struct sf_candidate *candidate, char *cell)
{
    write_share(sf_candidate_bisection_at_most(candidate), "", cell);
}

static void
write_permutation(const struct sf_candidate *candidate, char *cell)
{
    write_share(candidate->permutation_at_most,
                candidate->is_non_blocking ? "=" : "", cell);
}

static void
write_cost(const struct sf_candidate *candidate, char *cell)
{
    write_number(candidate->cost / 1e6, cell);
}

static void
write_built(const struct sf_candidate *candidate, char *cell)
{
    write_number(candidate->cost_per_endpoint / 1e3, cell);
}

static void
write_asked(const struct sf_candidate *candidate, char *cell)
{
    write_number(candidate->cost_per_asked / 1e3, cell);
}

static void
write_power(const struct sf_candidate *candidate, char *cell)
{
    if (isfinite(candidate->watts)) {
        snprintf(cell, CELL_SIZE, "%.1f", candidate->watts / 1e3);
    } else {
        snprintf(cell, CELL_SIZE, "-");
    }
}

static void
write_links(const struct sf_candidate *candidate, char *cell)
{
    write_count(candidate->n_links, cell);
}

static void
write_copper(const struct sf_candidate *candidate, char *cell)
{
    write_count((uint64_t)candidate->n_links_by[SF_COPPER] +
                    candidate->n_host_cables_by[SF_COPPER],
                cell);
}

static void
write_optical(const struct sf_candidate *candidate, char *cell)
{
    write_count((uint64_t)candidate->n_links_by[SF_OPTICAL] +
                    candidate->n_host_cables_by[SF_OPTICAL],
                cell);
}

static void
write_used(const struct sf_candidate *candidate, char *cell)
{
    write_count(candidate->ports_used, cell);
}

static void
write_free(const struct sf_candidate *candidate, char *cell)
{
    write_count(candidate->ports_free, cell);
}

static void
write_distance(const struct sf_candidate *candidate, char *cell)
{
    write_number(candidate->average_distance, cell);
}

static void
write_least_bisection(const struct sf_candidate *candidate, char *cell)
{
    write_share(sf_candidate_bisection_at_least(candidate), "", cell);
}

static void
write_addresses(const struct sf_candidate *candidate, char *cell)
{
    write_count(candidate->n_addresses, cell);
}

/* For how many layers there are addresses: the LMC, where these come in
 * powers of two. */
static void
write_most(const struct sf_candidate *candidate, char *cell)
{
    if (candidate->most_addresses == 0) {
        snprintf(cell, CELL_SIZE, "-");
    } else {
        write_count(candidate->backend->in_powers_of_two
                        ? sf_design_lmc(candidate->most_addresses)
                        : candidate->most_addresses,
                    cell);
    }
}

/* What is special about a candidate. */
static void
write_note(const struct sf_candidate *candidate, char *cell)
{
    size_t used = 0;

    cell[0] = '\0';
    if (candidate->concentration != candidate->recommended) {
        used += (size_t)snprintf(
            cell + used, CELL_SIZE - used, ", p = %u %s %u",
            candidate->concentration,
            candidate->concentration < candidate->recommended ? "of"
                                                              : "instead of",
            candidate->recommended);
    }
    if (candidate->n_missing) {
        used += (size_t)snprintf(cell + used, CELL_SIZE - used, ", %u short",
                                 candidate->n_missing);
    }
    if (candidate->n_left_out) {
        used += (size_t)snprintf(cell + used, CELL_SIZE - used,
                                 ", leave out %u", candidate->n_left_out);
    }
    if (candidate->most_addresses == 0) {
        used += (size_t)snprintf(cell + used, CELL_SIZE - used,
                                 ", more than a subnet");
    }
    if (candidate->lengths == SF_LENGTHS_RULE) {
        used += (size_t)snprintf(cell + used, CELL_SIZE - used,
                                 ", lengths by rule");
    }
    if (used) {
        memmove(cell, cell + 2, used - 1);
    }
}

static const struct column columns[] = {
    { "", "rate", ALWAYS, write_rate },
    { "ports", "used/free", ALWAYS, write_ports },
    { "", "switches", ALWAYS, write_switches },
    { "", "hosts", ALWAYS, write_hosts },
    { "", "cables", ALWAYS, write_cables },
    { "", "hops", ALWAYS, write_hops },
    { "-- share, at most --", "uniform", ALWAYS, write_uniform },
    { "-- share, at most --", "bisect", ALWAYS, write_bisection },
    { "-- share, at most --", "permut", ALWAYS, write_permutation },
    { "cost", "M", ALWAYS, write_cost },
    { "k/host", "built", ALWAYS, write_built },
    { "k/host", "asked", IF_ASKED, write_asked },
    { "", "kW", ALWAYS, write_power },
    { "- of the cables -", "links", IF_WIDE, write_links },
    { "- of the cables -", "copper", IF_WIDE, write_copper },
    { "- of the cables -", "optical", IF_WIDE, write_optical },
    { "- all ports -", "used", IF_WIDE, write_used },
    { "- all ports -", "free", IF_WIDE, write_free },
    { "mean", "hops", IF_WIDE, write_distance },
    { "at least", "bisect", IF_WIDE, write_least_bisection },
    { "", "LIDs", IF_LIDS, write_addresses },
    { "", "LMC", IF_LIDS, write_most },
    { "", "addrs", IF_ADDRESSES, write_addresses },
    { "", "most", IF_ADDRESSES, write_most },
};

#define N_COLUMNS (sizeof columns / sizeof *columns)

/* The table as it will be written. */
struct table {
    const struct sf_design *design;
    uint32_t n;           /* Candidates. */
    int width[N_COLUMNS]; /* 0 for columns that it lacks. */
    int numbers;          /* All columns with the blanks before them. */
    int specs;            /* Room for specs. */
    bool is_wide;
};

static bool
has_column(const struct table *table, const struct column *column)
{
    const struct sf_design_params *params = &table->design->params;

    switch (column->presence) {
    case ALWAYS:
        return true;
    case IF_ASKED:
        return params->n_endpoints > 0;
    case IF_WIDE:
        return table->is_wide;
    case IF_LIDS:
        return table->is_wide && params->backend->in_powers_of_two;
    case IF_ADDRESSES:
        return table->is_wide && !params->backend->in_powers_of_two;
    }
    return false;
}

/* The column after the last one that stands below the same group as 'i'; sets
 * '*widthp' to how wide they are together. */
static size_t
group_end(const struct table *table, size_t i, int *widthp)
{
    const char *group = columns[i].group;

    *widthp = -1;
    do {
        *widthp += table->width[i] ? table->width[i] + 1 : 0;
        i++;
    } while (i < N_COLUMNS && *group && !strcmp(columns[i].group, group));
    return i;
}

static void
measure_columns(struct table *table)
{
    char cell[CELL_SIZE];

    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (!has_column(table, &columns[i])) {
            continue;
        }
        table->width[i] = (int)strlen(columns[i].name);
        for (uint32_t k = 0; k < table->n; k++) {
            columns[i].write(&table->design->candidates[k], cell);
            int length = (int)strlen(cell);
            table->width[i] =
                length > table->width[i] ? length : table->width[i];
        }
    }
    for (size_t i = 0, end; i < N_COLUMNS; i = end) {
        int width, title = (int)strlen(columns[i].group);
        end = group_end(table, i, &width);
        if (width > 0 && width < title) {
            table->width[i] += title - width;
        }
    }
}

/* Makes room for the specs: all of them, if lines may be of any length. */
static void
measure_specs(struct table *table)
{
    int longest = (int)strlen("topology");

    for (size_t i = 0; i < N_COLUMNS; i++) {
        table->numbers += table->width[i] ? table->width[i] + 1 : 0;
    }
    for (uint32_t i = 0; i < table->n; i++) {
        int length = (int)strlen(table->design->candidates[i].spec);
        longest = length > longest ? length : longest;
    }
    int room = SF_DESIGN_WIDTH - table->numbers;
    table->specs = table->is_wide || longest < room ? longest : room;
}

static void
write_header(const struct table *table, FILE *stream)
{
    int blanks = table->specs;

    for (size_t i = 0, end; i < N_COLUMNS; i = end) {
        int width, title = (int)strlen(columns[i].group);
        end = group_end(table, i, &width);
        if (width > 0 && title) {
            int before = blanks + 1 + (width - title + 1) / 2;
            fprintf(stream, "%*s%s", before, "", columns[i].group);
            blanks = (width - title) / 2;
        } else if (width > 0) {
            blanks += 1 + width;
        }
    }
    fprintf(stream, "\n%-*s", table->specs, "topology");
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (table->width[i]) {
            fprintf(stream, " %*s", table->width[i], columns[i].name);
        }
    }
    fputc('\n', stream);
}

static void
write_row(const struct table *table, const struct sf_candidate *candidate,
          FILE *stream)
{
    char cell[CELL_SIZE];

    fprintf(stream, "%-*s", table->specs, candidate->spec);
    if ((int)strlen(candidate->spec) > table->specs) {
        fprintf(stream, "\n%*s", table->specs, "");
    }
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (table->width[i]) {
            columns[i].write(candidate, cell);
            fprintf(stream, " %*s", table->width[i], cell);
        }
    }
    if (table->is_wide) {
        write_note(candidate, cell);
        fprintf(stream, "%s%s", cell[0] ? "  " : "", cell);
    }
    fputc('\n', stream);
}

void
sf_design_write_table(const struct sf_design *design,
                      const struct sf_design_view *view, FILE *stream)
{
    struct table table = { .design = design,
                           .n = sf_design_count(design, view),
                           .is_wide = view->is_wide };

    measure_columns(&table);
    measure_specs(&table);
    write_header(&table, stream);
    for (uint32_t i = 0; i < table.n; i++) {
        const struct sf_candidate *candidate = &design->candidates[i];
        if (i > 0 && candidate->n_missing && !candidate[-1].n_missing) {
            fprintf(stream, "too small for %u hosts:\n",
                    design->params.n_endpoints);
        }
        write_row(&table, candidate, stream);
    }
}
