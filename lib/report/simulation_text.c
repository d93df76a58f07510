/* simulation_text.c -- simulations as a table for people.  What all runs share
 * stands above it, and columns are what they differ in, then the results.
 * Columns that no run has anything for are left out. */
#include "base/mem.h"
#include "report/simulation_facts.h"
#include "report/simulation_writers.h"

#include <math.h>
#include <string.h>

#define LINE_SIZE 1024

/* Kinds of numbers, each with a unit of its own. */
enum unit {
    PERCENT,
    TIME,
    LATENCY,
    N_UNITS,
};

typedef double value_fn(const struct sf_simulation_row *row);

/* A column of results.  'group' stands above those that share it, before the
 * unit. */
struct column {
    const char *group, *name;
    enum unit unit;
    value_fn *value; /* NAN: nothing to say. */
};

static double
value_if(bool is_known, double value)
{
    return is_known ? value : (double)NAN;
}

static double
time_of(const struct sf_simulation_row *row)
{
    return value_if(row->result.time > 0 && !(row->params.jobs.load > 0),
                    row->result.time);
}

static double
throughput_of(const struct sf_simulation_row *row)
{
    return row->result.throughput;
}

/* Netgauge's figure. */
static double
host_rate_of(const struct sf_simulation_row *row)
{
    const char *workload = row->params.jobs.workload;
    bool is_ebb = workload && strncmp(workload, "ebb", 3) == 0;

    return value_if(is_ebb && row->result.host_rate > 0,
                    row->result.host_rate);
}

static double
share_of(const struct sf_simulation_row *row)
{
    return value_if(row->job_shares,
                    row->job_shares ? row->job_shares->after : 0);
}

static double
rate_mean(const struct sf_simulation_row *row)
{
    return value_if(row->result.rate.n, row->result.rate.mean);
}

static double
rate_min(const struct sf_simulation_row *row)
{
    return value_if(row->result.rate.n, row->result.rate.min);
}

static double
rate_p1(const struct sf_simulation_row *row)
{
    return value_if(row->result.rate.n, row->result.rate.p1);
}

static double
rate_p50(const struct sf_simulation_row *row)
{
    return value_if(row->result.rate.n, row->result.rate.p50);
}

static double
rate_p99(const struct sf_simulation_row *row)
{
    return value_if(row->result.rate.n, row->result.rate.p99);
}

static double
latency_mean(const struct sf_simulation_row *row)
{
    return value_if(row->result.latency.n, row->result.latency.mean);
}

static double
latency_error(const struct sf_simulation_row *row)
{
    return value_if(row->result.latency.n && row->params.jobs.load > 0,
                    row->result.latency_error);
}

static double
latency_p50(const struct sf_simulation_row *row)
{
    return value_if(row->result.latency.n, row->result.latency.p50);
}

static double
latency_p99(const struct sf_simulation_row *row)
{
    return value_if(row->result.latency.n, row->result.latency.p99);
}

static double
latency_max(const struct sf_simulation_row *row)
{
    return value_if(row->result.latency.n, row->result.latency.max);
}

static double
load_mean(const struct sf_simulation_row *row)
{
    struct sf_simulation_links links = sf_simulation_links_of(&row->result);
    return value_if(links.busiest != SF_NONE, links.mean);
}

static double
load_max(const struct sf_simulation_row *row)
{
    struct sf_simulation_links links = sf_simulation_links_of(&row->result);
    return value_if(links.busiest != SF_NONE, links.max);
}

static double
blocked_mean(const struct sf_simulation_row *row)
{
    struct sf_simulation_links links = sf_simulation_links_of(&row->result);
    return value_if(links.busiest != SF_NONE &&
                        row->params.model == SF_SIM_PACKET,
                    links.blocked_mean);
}

static const struct column columns[] = {
    { "time", "", TIME, time_of },
    { "throughput", "", PERCENT, throughput_of },
    { "ebb", "", PERCENT, host_rate_of },
    { "share", "", PERCENT, share_of },
    { "rate", "mean", PERCENT, rate_mean },
    { "rate", "least", PERCENT, rate_min },
    { "rate", "p1", PERCENT, rate_p1 },
    { "rate", "p50", PERCENT, rate_p50 },
    { "rate", "p99", PERCENT, rate_p99 },
    { "latency", "mean", LATENCY, latency_mean },
    { "latency", "+-", LATENCY, latency_error },
    { "latency", "p50", LATENCY, latency_p50 },
    { "latency", "p99", LATENCY, latency_p99 },
    { "latency", "most", LATENCY, latency_max },
    { "links", "mean", PERCENT, load_mean },
    { "links", "most", PERCENT, load_max },
    { "links", "blocked", PERCENT, blocked_mean },
};

#define N_COLUMNS (sizeof columns / sizeof *columns)

/* The table as it will be written. */
struct table {
    struct sf_sim_facts facts;
    int fact_width[SF_N_FACTS]; /* 0 for columns that it lacks. */
    int width[N_COLUMNS];
    double scale[N_UNITS]; /* What numbers are multiplied by. */
    const char *units[N_UNITS];
};

/* The unit of times in which the least is at least 1. */
static void
choose_unit(struct table *table, enum unit unit, value_fn *value)
{
    static const struct {
        double scale;
        const char *name;
    } units[] = { { 1, "s" }, { 1e3, "ms" }, { 1e6, "us" }, { 1e9, "ns" } };
    double least = (double)INFINITY;
    size_t i = 0;

    for (uint32_t row = 0; row < table->facts.n_rows; row++) {
        least = fmin(least, value(table->facts.rows[row]));
    }
    while (i < 3 && isfinite(least) && least * units[i].scale < 1) {
        i++;
    }
    table->scale[unit] = units[i].scale;
    table->units[unit] = units[i].name;
}

static void
write_cell(const struct table *table, const struct column *column,
           const struct sf_simulation_row *row,
           char cell[SF_FACT_SIZE_OF_CELL])
{
    double number = column->value(row) * table->scale[column->unit];
    int digits = column->unit == PERCENT ? 1
                 : number < 10           ? 3
                 : number < 100          ? 2
                 : number < 1000         ? 1
                                         : 0;

    if (isfinite(number) && number < 1e12) {
        snprintf(cell, SF_FACT_SIZE_OF_CELL, "%.*f", digits, number);
    } else {
        snprintf(cell, SF_FACT_SIZE_OF_CELL, "-");
    }
}

/* "rate, %" */
static int
write_group(const struct table *table, const struct column *column,
            char cell[SF_FACT_SIZE_OF_CELL])
{
    return snprintf(cell, SF_FACT_SIZE_OF_CELL, "%s, %s", column->group,
                    table->units[column->unit]);
}

/* The column after the last one of the group of 'i'; sets '*widthp' to how
 * wide they are together. */
static size_t
group_end(const struct table *table, size_t i, int *widthp)
{
    const char *group = columns[i].group;

    *widthp = -1;
    do {
        *widthp += table->width[i] ? table->width[i] + 1 : 0;
        i++;
    } while (i < N_COLUMNS && !strcmp(columns[i].group, group));
    return i;
}

static int
longer(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

/* What a row has of a fact, fit for a line of text; returns how many letters
 * that is. */
static int
write_fact(const struct sf_simulation_row *row, enum sf_sim_fact fact,
           char text[SF_FACT_NAME_SIZE])
{
    char cell[SF_FACT_SIZE_OF_CELL];
    const char *what = sf_fact_of(row, fact, cell);
    int n = 0;

    sf_sim_clean(*what ? what : "-", text, SF_FACT_NAME_SIZE);
    for (const char *byte = text; *byte; byte++) {
        n += ((unsigned char)*byte & 0xc0) != 0x80;
    }
    return n;
}

static void
measure_facts(struct table *table)
{
    char text[SF_FACT_NAME_SIZE];

    for (uint32_t i = 0; i < SF_N_FACTS; i++) {
        enum sf_sim_fact fact = (enum sf_sim_fact)i;
        if (!table->facts.varies[i]) {
            continue;
        }
        table->fact_width[i] = (int)strlen(sf_fact_title(fact));
        for (uint32_t k = 0; k < table->facts.n_rows; k++) {
            int n = write_fact(table->facts.rows[k], fact, text);
            table->fact_width[i] =
                n > table->fact_width[i] ? n : table->fact_width[i];
        }
    }
}

static void
measure_columns(struct table *table)
{
    char cell[SF_FACT_SIZE_OF_CELL];

    for (size_t i = 0; i < N_COLUMNS; i++) {
        for (uint32_t k = 0; k < table->facts.n_rows; k++) {
            const struct sf_simulation_row *row = table->facts.rows[k];
            if (isfinite(columns[i].value(row))) {
                write_cell(table, &columns[i], row, cell);
                table->width[i] = longer(table->width[i], cell);
            }
        }
        if (table->width[i]) {
            table->width[i] = longer(table->width[i], columns[i].name);
        }
    }
    for (size_t i = 0, end; i < N_COLUMNS; i = end) {
        int width, title = write_group(table, &columns[i], cell);
        end = group_end(table, i, &width);
        if (width > 0 && width < title) {
            table->width[i] += title - width;
        }
    }
}

/* The blanks before column 'i': one inside a group, two between groups, none
 * behind those of facts, which end with theirs. */
static const char *
gap_before(const struct table *table, size_t i)
{
    for (size_t k = i; k-- > 0;) {
        if (table->width[k]) {
            return strcmp(columns[k].group, columns[i].group) ? "  " : " ";
        }
    }
    return "";
}

/* Writes "--- TITLE ---", as wide as that gets without being wider than
 * 'width'; returns how many blanks are missing. */
static int
write_centred(const char *title, int width, FILE *stream)
{
    int room = width - (int)strlen(title), n = (room - 2) / 2;

    for (int i = 0; i < n; i++) {
        fputc('-', stream);
    }
    fprintf(stream, "%s%s%s", n > 0 ? " " : "", title, n > 0 ? " " : "");
    for (int i = 0; i < n; i++) {
        fputc('-', stream);
    }
    return n > 0 ? room - 2 * n - 2 : room;
}

/* The line of the titles of groups.  A group of one column without a name has
 * its title in the next line. */
static void
write_groups(const struct table *table, FILE *stream)
{
    char cell[SF_FACT_SIZE_OF_CELL];
    int blanks = 0;

    for (uint32_t i = 0; i < SF_N_FACTS; i++) {
        blanks += table->fact_width[i] ? table->fact_width[i] + 2 : 0;
    }
    for (size_t i = 0, end; i < N_COLUMNS; i = end) {
        int width;
        end = group_end(table, i, &width);
        if (width > 0 && *columns[i].name) {
            write_group(table, &columns[i], cell);
            fprintf(stream, "%*s", blanks, "");
            blanks = 2 + write_centred(cell, width, stream);
        } else if (width > 0) {
            blanks += width + 2;
        }
    }
    fputc('\n', stream);
}

static void
write_titles(const struct table *table, FILE *stream)
{
    char cell[SF_FACT_SIZE_OF_CELL];

    for (uint32_t i = 0; i < SF_N_FACTS; i++) {
        if (table->fact_width[i]) {
            fprintf(stream, "%-*s  ", table->fact_width[i],
                    sf_fact_title((enum sf_sim_fact)i));
        }
    }
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (table->width[i]) {
            write_group(table, &columns[i], cell);
            fprintf(stream, "%s%*s", gap_before(table, i), table->width[i],
                    *columns[i].name ? columns[i].name : cell);
        }
    }
    fputc('\n', stream);
}

/* What is special about a run. */
static const char *
note_of(const struct sf_simulation_row *row)
{
    return row->result.n_cycle               ? "DEADLOCK"
           : sf_simulation_is_saturated(row) ? "saturated"
           : !row->result.is_finished        ? "not finished"
                                             : "";
}

static void
write_row(const struct table *table, const struct sf_simulation_row *row,
          FILE *stream)
{
    char cell[SF_FACT_SIZE_OF_CELL], text[SF_FACT_NAME_SIZE];
    const char *note = note_of(row);

    for (uint32_t i = 0; i < SF_N_FACTS; i++) {
        if (table->fact_width[i]) {
            int n = write_fact(row, (enum sf_sim_fact)i, text);
            fprintf(stream, "%s%*s  ", text, table->fact_width[i] - n, "");
        }
    }
    for (size_t i = 0; i < N_COLUMNS; i++) {
        if (table->width[i]) {
            write_cell(table, &columns[i], row, cell);
            fprintf(stream, "%s%*s", gap_before(table, i), table->width[i],
                    cell);
        }
    }
    fprintf(stream, "%s%s\n", *note ? "  " : "", note);
}

static void
write_shared(const struct sf_sim_facts *facts, FILE *stream)
{
    static const enum sf_sim_fact lines[][2] = {
        { SF_FACT_NETWORK, SF_FACT_FOR },
        { SF_FACT_MODEL, SF_FACT_CABLES },
        { SF_FACT_WORKLOAD, SF_FACT_LOAD },
    };
    char line[LINE_SIZE], clean[LINE_SIZE];

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (sf_sim_facts_shared(facts, lines[i][0], lines[i][1], line,
                                sizeof line)) {
            sf_sim_clean(line, clean, sizeof clean);
            fprintf(stream, "%s\n", clean);
        }
    }
    fputc('\n', stream);
}

/* A cycle of waiting, in the words of an audit. */
static void
write_deadlock(const struct sf_sim_facts *facts, uint32_t number, FILE *stream)
{
    const struct sf_simulation_row *row = facts->rows[number];
    const struct sf_simulation *result = &row->result;
    char name[SF_FACT_NAME_SIZE], scratch[SF_SIM_NAME_SIZE];

    sf_sim_facts_name(facts, number, name);
    fprintf(stream, "\nWRONG deadlock after %.6g us",
            1e6 * result->deadlock_time);
    if (facts->n_rows > 1) {
        fprintf(stream, ", %s", name);
        if (row->params.jobs.load > 0) {
            fprintf(stream, ", load %.4g %%", 100 * row->params.jobs.load);
        }
    }
    fprintf(stream, ": a cycle of %u:\n", result->n_cycle);
    for (uint32_t i = 0; i < result->n_cycle; i++) {
        const struct sf_sim_channel *channel = &result->cycle[i];
        uint32_t port = sf_simulation_port(row, channel->arc);
        fprintf(stream, "      %s",
                sf_simulation_switch(row, channel->s, scratch));
        if (port) {
            fprintf(stream, " port %u", port);
        }
        fprintf(stream, " VL %u, which waits for\n", channel->vl);
    }
    fprintf(stream, "      the first again\n");
}

/* The number of a job and its workload, as far as that has room. */
static void
write_job_name(const struct sf_simulation_row *row, uint32_t job, FILE *stream)
{
    char name[SF_FACT_NAME_SIZE], clean[SF_FACT_NAME_SIZE];
    const char *from;
    size_t length = sf_sim_jobs_part(&row->params.jobs, job, &from);

    snprintf(name, sizeof name, "%.*s", (int)length, from);
    sf_sim_clean(name, clean, sizeof clean);
    fprintf(stream, "  %u: %s%s", job + 1, clean, *clean ? ", " : "");
}

/* Jobs that ran side by side. */
static void
write_jobs(const struct table *table, uint32_t number, FILE *stream)
{
    const struct sf_simulation_row *row = table->facts.rows[number];
    char name[SF_FACT_NAME_SIZE];

    if (row->result.n_jobs < 2) {
        return;
    }
    sf_sim_facts_name(&table->facts, number, name);
    fprintf(stream, "\n%s, jobs:\n", name);
    for (uint32_t i = 0; i < row->result.n_jobs; i++) {
        const struct sf_sim_job_result *job = &row->result.jobs[i];
        write_job_name(row, i, stream);
        fprintf(stream, "%u node%s", job->n_nodes,
                job->n_nodes == 1 ? "" : "s");
        if (job->time > 0) {
            fprintf(stream, ", %.4g %s", job->time * table->scale[TIME],
                    table->units[TIME]);
        }
        if (job->rate.n) {
            fprintf(stream, ", rate %.1f %% (least %.1f %%)",
                    100 * job->rate.mean, 100 * job->rate.min);
        }
        fputc('\n', stream);
    }
}

static bool
any_row(const struct sf_sim_facts *facts,
        bool is_such(const struct sf_simulation_row *row))
{
    for (uint32_t i = 0; i < facts->n_rows; i++) {
        if (is_such(facts->rows[i])) {
            return true;
        }
    }
    return false;
}

static bool
has_load(const struct sf_simulation_row *row)
{
    return row->params.jobs.load > 0;
}

static bool
is_for_jobs(const struct sf_simulation_row *row)
{
    return row->job_shares != NULL;
}

static bool
has_messages(const struct sf_simulation_row *row)
{
    return !has_load(row);
}

static bool
has_latency(const struct sf_simulation_row *row)
{
    return row->result.latency.n > 0;
}

static bool
is_flow(const struct sf_simulation_row *row)
{
    return row->params.model == SF_SIM_FLOW;
}

static bool
is_packet(const struct sf_simulation_row *row)
{
    return !is_flow(row);
}

static bool
has_ebb(const struct sf_simulation_row *row)
{
    return !isnan(host_rate_of(row));
}

/* What the columns mean. */
static void
write_legend(const struct sf_sim_facts *facts, FILE *stream)
{
    bool is_loaded = any_row(facts, has_load);
    bool is_sent = any_row(facts, has_messages);

    fprintf(stream,
            "\nthroughput: all data that came, over time and hosts that %s, "
            "in %% of what the link of a host carries\n",
            is_loaded && is_sent ? "take part (with a load: that send)"
            : is_loaded          ? "send"
                                 : "take part");
    if (any_row(facts, has_ebb)) {
        fputs("ebb: what hosts sent, over their mean time, in % of the same, "
              "as Netgauge has it\n",
              stream);
    }
    if (any_row(facts, is_for_jobs)) {
        fprintf(stream, "share: what routes for the jobs give the slowest of "
                        "them under all-to-all, at equal shares over the "
                        "addresses\n");
    }
    fprintf(stream, "rate: of %s, in %% of the same\n",
            is_loaded && is_sent ? "each message, or with a load what each "
                                   "receiver got"
            : is_loaded          ? "what each receiver got"
                                 : "each message, from its start until it has "
                                   "come");
    if (any_row(facts, has_latency)) {
        fprintf(stream, "latency: of packets%s\n",
                is_loaded ? "; +- is half of the 95 % interval of the mean"
                          : "");
    }
    fprintf(stream,
            "links: part of the time in which links between switches "
            "carried data%s\n",
            any_row(facts, is_packet)
                ? "; blocked: packets waited and no VL had room, on average"
                : "");
    if (any_row(facts, is_flow)) {
        fprintf(stream, "the flow model has no packets, queues or buffers: "
                        "flows share links by max-min fairness\n");
    }
    if (any_row(facts, sf_simulation_is_saturated)) {
        fprintf(stream, "saturated: the network takes less than is offered, "
                        "and latencies grow for as long as it runs\n");
    }
}

static void
write_table(struct table *table, FILE *stream)
{
    const struct sf_sim_facts *facts = &table->facts;

    measure_facts(table);
    measure_columns(table);
    write_shared(facts, stream);
    write_groups(table, stream);
    write_titles(table, stream);
    for (uint32_t i = 0; i < facts->n_rows; i++) {
        write_row(table, facts->rows[i], stream);
    }
    for (uint32_t i = 0; i < facts->n_rows; i++) {
        write_jobs(table, i, stream);
    }
    write_legend(facts, stream);
    for (uint32_t i = 0; i < facts->n_rows; i++) {
        if (facts->rows[i]->result.n_cycle) {
            write_deadlock(facts, i, stream);
        }
    }
}

enum sf_status
sf_simulation_write_text(const struct sf_simulation_table *table, FILE *stream,
                         struct sf_error *err)
{
    struct table text = { .scale = { [PERCENT] = 100 },
                          .units = { [PERCENT] = "%" } };
    enum sf_status status = sf_sim_facts_build(table, &text.facts, err);

    if (status) {
        return status;
    }
    choose_unit(&text, TIME, time_of);
    choose_unit(&text, LATENCY, latency_mean);
    if (text.facts.n_rows) {
        write_table(&text, stream);
    }
    if (text.facts.n_rows < table->n_rows) {
        fprintf(stream, "%s%u of %u runs are done\n",
                text.facts.n_rows ? "\n" : "", text.facts.n_rows,
                table->n_rows);
    }
    sf_sim_facts_clear(&text.facts);
    return SF_OK;
}
