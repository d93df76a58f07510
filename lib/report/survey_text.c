/* survey_text.c -- surveys for people: what answers the question, and the
 * table, with networks as columns. */
#define _GNU_SOURCE
#include "report/survey_writers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_WIDTH  40
#define COLUMN_WIDTH 14
#define MAX_COLUMNS  4 /* In a line of 100 letters. */
#define MAX_LINES    8
#define MAX_WIDTH    98

/* Cuts a name into lines of a column, behind a comma or colon if there is
 * one.  Returns where the line ends. */
static size_t
line_end(const char *name)
{
    size_t length = strlen(name), end = COLUMN_WIDTH - 1;

    if (length <= end) {
        return length;
    }
    for (size_t i = end; i > 0; i--) {
        if (strchr(",:/+", name[i - 1])) {
            return i;
        }
    }
    return end;
}

/* Writes the names of networks above their columns. */
static void
write_names(const struct sf_survey *survey, uint32_t first, uint32_t n,
            FILE *stream)
{
    const char *left[MAX_COLUMNS];
    bool is_done = false;

    for (uint32_t i = 0; i < n; i++) {
        left[i] = survey->networks[first + i].name;
    }
    for (int line = 0; !is_done && line < MAX_LINES; line++) {
        int n_blanks = TITLE_WIDTH;
        is_done = true;
        for (uint32_t i = 0; i < n; i++) {
            size_t end = line_end(left[i]);
            n_blanks += COLUMN_WIDTH - (int)end;
            if (end) {
                fprintf(stream, "%*s%.*s", n_blanks, "", (int)end, left[i]);
                n_blanks = 0;
            }
            left[i] += end;
            is_done = is_done && !*left[i];
        }
        fputc('\n', stream);
    }
}

static void
write_row(const struct sf_survey_row *row, uint32_t first, uint32_t n,
          FILE *stream)
{
    fprintf(stream, "  %-*.*s", TITLE_WIDTH - 2, TITLE_WIDTH - 2, row->title);
    for (uint32_t i = first; i < first + n; i++) {
        if (row->texts[i]) {
            fprintf(stream, " %*.*s", COLUMN_WIDTH - 1, COLUMN_WIDTH - 1,
                    row->texts[i]);
        } else if (isnan(row->values[i])) {
            fprintf(stream, " %*s", COLUMN_WIDTH - 1, "-");
        } else {
            fprintf(stream, " %*.*f", COLUMN_WIDTH - 1, row->digits,
                    row->scale * row->values[i]);
        }
    }
    fputc('\n', stream);
}

static void
write_table(const struct sf_survey *survey, const struct sf_survey_rows *rows,
            uint32_t first, FILE *stream)
{
    uint32_t left = survey->n_networks - first;
    uint32_t n = left < MAX_COLUMNS ? left : MAX_COLUMNS;
    const char *section = "";

    fputc('\n', stream);
    write_names(survey, first, n, stream);
    for (size_t i = 0; i < rows->n; i++) {
        const struct sf_survey_row *row = &rows->items[i];
        if (row->is_detail) {
            continue;
        }
        if (strcmp(section, row->section) != 0) {
            section = row->section;
            fprintf(stream, "%s\n", section);
        }
        write_row(row, first, n, stream);
    }
}

/* Writes the first 'n' letters of sentences in lines that are not too long. */
static void
write_lines(const char *text, size_t n, FILE *stream)
{
    for (const char *at = text; at < text + n;) {
        size_t column = 0;
        while (at < text + n && *at != '\n') {
            size_t length = strcspn(at, " \n");
            if (column && column + 1 + length > MAX_WIDTH) {
                fputs("\n  ", stream);
                column = 2;
            } else if (column) {
                fputc(' ', stream);
                column++;
            }
            fwrite(at, 1, length, stream);
            column += length;
            at += length;
            at += *at == ' ';
        }
        fputc('\n', stream);
        at += *at == '\n';
    }
}

/* Writes what 'write' writes in such lines. */
static enum sf_status
write_wrapped(const struct sf_survey *survey,
              void (*write)(const struct sf_survey *survey, FILE *stream),
              FILE *stream, struct sf_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    if (!memory) {
        return sf_fail(err, SF_ENOMEM, "out of memory for sentences");
    }
    write(survey, memory);
    if (fclose(memory) != 0) {
        free(text);
        return sf_fail(err, SF_ENOMEM, "out of memory for sentences");
    }
    write_lines(text, strlen(text), stream);
    free(text);
    return SF_OK;
}

static void
write_head(const struct sf_survey *survey, FILE *stream)
{
    char hosts[SF_SURVEY_TEXT_SIZE];

    sf_survey_hosts_text(survey, hosts);
    fprintf(stream, "%u network%s with %s%s%s\n", survey->n_networks,
            survey->n_networks > 1 ? "s" : "", hosts,
            survey->n_hosts ? ", evenly spread" : "",
            survey->params.equal == SF_SURVEY_EQUAL_COST
                ? "; at equal cost: what they carry is told for each million"
                : "");
}

/* Writes the first line of a note, or those behind it; NULL has none. */
static void
write_note(const char *note, bool is_first, FILE *stream)
{
    size_t length = note ? strcspn(note, "\n") : 0;

    if (note && is_first) {
        write_lines(note, length, stream);
    } else if (note && note[length]) {
        fputc('\n', stream);
        write_lines(note + length + 1, strlen(note + length + 1), stream);
    }
}

/* Says what each kind of traffic is. */
static void
write_traffics(const struct sf_survey *survey, FILE *stream)
{
    const struct sf_survey_params *params = &survey->params;

    for (uint32_t i = 0; i < params->n_traffics; i++) {
        const char *text = params->traffics[i];
        size_t length = strcspn(text, ":");
        const struct sf_traffic_kind *kind = sf_traffic_kinds;
        while (kind->name && (strlen(kind->name) != length ||
                              strncmp(kind->name, text, length) != 0)) {
            kind++;
        }
        if (kind->name) {
            fprintf(stream, "%s: %s.\n", text, kind->title);
        }
    }
}

/* What the links of all networks are like in simulations. */
static const char *
net_title(const struct sf_survey *survey)
{
    const struct sf_survey_network *networks = survey->networks;

    for (uint32_t i = 1; i < survey->n_networks; i++) {
        if (strcmp(networks[i].net.name, networks[0].net.name) != 0) {
            return "each network at the rate of its links";
        }
    }
    return networks[0].net.title;
}

/* Whether some network has fewer racks or bundles than draws. */
static bool
has_fewer_runs(const struct sf_survey *survey)
{
    for (uint32_t i = 0; i < survey->n_networks; i++) {
        const struct sf_failures *failures = survey->networks[i].failures;
        for (uint32_t k = 0; failures && k < failures->n_points; k++) {
            enum sf_failure_kind kind = failures->points[k].kind;
            if ((kind == SF_FAILURE_RACK || kind == SF_FAILURE_BUNDLE) &&
                failures->points[k].n_runs < survey->params.n_draws) {
                return true;
            }
        }
    }
    return false;
}

static void
write_foot(const struct sf_survey *survey, FILE *stream)
{
    const struct sf_survey_params *params = &survey->params;
    const struct sf_prices *prices = params->prices;

    write_traffics(survey, stream);
    fputs("equal: each layer carries the same share of a demand, as hosts do "
          "that take addresses in turn.\n"
          "best: as the traffic needs it, which no routing of these paths "
          "exceeds.\n",
          stream);
    fprintf(stream, "Throughput within %.2g %%",
            100 * (params->gap > 0 ? params->gap : 0.01));
    if (prices) {
        fprintf(stream, "; cost and power of switches and cables, %s of %u",
                prices->currency, prices->year);
    }
    fputs(".\n", stream);
    if (params->equal == SF_SURVEY_EQUAL_COST) {
        fprintf(stream,
                "For each million %s: hosts times their share of the rate, "
                "over the cost.%s\n",
                prices->currency,
                survey->n_hosts
                    ? ""
                    : " Each network has its own number of hosts.");
    }
    if (!params->without_simulation) {
        fprintf(stream,
                "Simulated: %s, all to all, in equal parts over the layers. "
                "The latency at 10 %% load has all delays of switches, hosts "
                "and cables; the load and the figure of latency over load are "
                "in packet times. The load is searched to %.0f %%.\n",
                net_title(survey), 100 * SF_SURVEY_LOAD_STEP);
    }
    if (sf_survey_has_kind(survey, SF_FAILURE_NONE)) {
        fprintf(stream,
                "Failures: means of %u draw%s of failures and of traffic%s. "
                "Throughput is in %% of the hosts' rate, with equal shares, "
                "of hosts that are left and of traffic that still has a path. "
                "The busiest link is that under all-to-all. Entries are those "
                "of forwarding tables. Links fail until two hosts are cut off "
                "in %u random orders.\n",
                params->n_draws ? params->n_draws : 1,
                params->n_draws > 1 ? "s" : "",
                has_fewer_runs(survey)
                    ? ", or of all racks and bundles where a network has fewer"
                    : "",
                params->n_draws > SF_FAILURE_LEAST_ORDERS
                    ? params->n_draws
                    : SF_FAILURE_LEAST_ORDERS);
    }
}

enum sf_status
sf_survey_write_text(const struct sf_survey_report *report, FILE *stream,
                     struct sf_error *err)
{
    const struct sf_survey *survey = report->survey;
    struct sf_survey_rows rows;
    enum sf_status status = sf_survey_rows_make(survey, &rows, err);

    if (status == SF_OK) {
        write_head(survey, stream);
        write_note(report->note, true, stream);
        fputc('\n', stream);
        status = write_wrapped(survey, sf_survey_write_answers, stream, err);
    }
    if (status == SF_OK) {
        for (uint32_t i = 0; i < survey->n_networks; i += MAX_COLUMNS) {
            write_table(survey, &rows, i, stream);
        }
        fputc('\n', stream);
        status = write_wrapped(survey, write_foot, stream, err);
        write_note(report->note, false, stream);
    }
    free(rows.items);
    return status;
}
