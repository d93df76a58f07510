/* json_tables.c -- members of JSON documents as facts and tables. */
#include "io/xml.h"
#include "report/results/parts.h"

/* Rows beyond are left to the file: nobody reads them on a page, and browsers
 * become slow. */
#define MAX_ROWS    2000
#define MAX_COLUMNS 40

/* Facts of more letters have a line of their own. */
#define LONG_FACT 60

/* The rows of a table. */
struct rows {
    SF_VEC(const json_t *) outer; /* The row that each inner row is in. */
    SF_VEC(const json_t *) list;
};

/* The value of a column in row 'i': of the inner row, or else of the outer. */
static const json_t *
get(const struct rows *rows, size_t i, const struct results_column *column)
{
    const json_t *value = sf_results_find(rows->list.items[i], column->member);
    return value ? value
                 : sf_results_find(rows->outer.items[i], column->member);
}

static bool
is_empty(const json_t *value)
{
    return !value || json_is_null(value);
}

/* Writes a value as people read it. */
static void
write_value(struct results_page *page, const json_t *value,
            const struct results_column *column)
{
    char text[RESULTS_VALUE_SIZE];

    if (is_empty(value)) {
        fputs("\u2013", page->stream);
    } else if (json_is_string(value)) {
        sf_xml_write(json_string_value(value), page->stream);
    } else if (json_is_boolean(value)) {
        fputs(json_is_true(value) ? "yes" : "no", page->stream);
    } else if (json_is_number(value)) {
        fputs(sf_results_format(json_number_value(value), column->unit, text),
              page->stream);
    } else {
        sf_json_refuse(&page->reader,
                       "%s: expected a number, a text, true or false",
                       column->member);
    }
}

static void
write_cell(struct results_page *page, const json_t *value,
           const struct results_column *column)
{
    if (json_is_number(value)) {
        fprintf(page->stream, "<td class=\"n\" data-v=\"%.9g\">",
                json_number_value(value));
    } else {
        fputs(is_empty(value)                 ? "<td class=\"n\" data-v=\"\">"
              : column->unit == RESULTS_MIXED ? "<td class=\"n\">"
                                              : "<td>",
              page->stream);
    }
    write_value(page, value, column);
    fputs("</td>", page->stream);
}

void
sf_results_write_facts(struct results_page *page, const json_t *root,
                       const struct results_column *facts)
{
    fputs("<dl class=\"facts\">\n", page->stream);
    for (const struct results_column *fact = facts; fact->title; fact++) {
        const json_t *value = sf_results_find(root, fact->member);
        if (!is_empty(value)) {
            bool is_long =
                json_is_string(value) && json_string_length(value) > LONG_FACT;
            sf_results_write(page->stream,
                             is_long ? "<div class=\"long\"><dt>"
                                     : "<div><dt>",
                             fact->title, "</dt><dd>");
            write_value(page, value, fact);
            fputs("</dd></div>\n", page->stream);
        }
    }
    fputs("</dl>\n", page->stream);
}

/* Gathers the rows of 'table'; false, having noted why, if that failed. */
static bool
gather(struct results_page *page, const json_t *root,
       const struct results_table *table, struct rows *rows)
{
    const json_t *outer = sf_results_array(page, root, table->rows), *row;
    size_t i, k;

    json_array_foreach(outer, i, row)
    {
        const json_t *inner =
            table->inner ? sf_results_array(page, row, table->inner) : NULL;
        const json_t *item;
        bool is_kept = true;
        if (!table->inner) {
            is_kept = sf_vec_push(&rows->outer, row) &&
                      sf_vec_push(&rows->list, row);
        }
        json_array_foreach(inner, k, item)
        {
            is_kept = is_kept && sf_vec_push(&rows->outer, row) &&
                      sf_vec_push(&rows->list, item);
        }
        if (!is_kept) {
            sf_json_fail_memory(&page->reader);
        }
    }
    return sf_results_fine(page);
}

/* What is done with a column. */
enum use {
    LEFT_OUT, /* It has no value anywhere. */
    SHARED,   /* All rows have the same. */
    SHOWN,
};

static enum use
use_of(const struct rows *rows, const struct results_column *column)
{
    const json_t *first = rows->list.n ? get(rows, 0, column) : NULL;
    bool is_shared = true, has_value = false;

    for (size_t i = 0; i < rows->list.n && (is_shared || !has_value); i++) {
        const json_t *value = get(rows, i, column);
        has_value |= !is_empty(value);
        is_shared &= i == 0 || value == first ||
                     (is_empty(value) && is_empty(first)) ||
                     json_equal(value, first);
    }
    return !has_value                        ? LEFT_OUT
           : is_shared && column->is_setting ? SHARED
                                             : SHOWN;
}

/* Says what all rows share. */
static void
write_shared(struct results_page *page, const struct rows *rows,
             const struct results_table *table, const enum use *uses)
{
    const char *between = rows->list.n > 1
                              ? "<p class=\"shared\">In all rows: "
                              : "<p class=\"shared\">Settings: ";
    bool is_begun = false;

    for (size_t c = 0; table->columns[c].title; c++) {
        if (uses[c] == SHARED) {
            sf_results_write(page->stream, between, table->columns[c].title,
                             " <b>");
            write_value(page, get(rows, 0, &table->columns[c]),
                        &table->columns[c]);
            fputs("</b>", page->stream);
            between = ", ";
            is_begun = true;
        }
    }
    fputs(is_begun ? ".</p>\n" : "", page->stream);
}

static void
write_head(struct results_page *page, const struct results_table *table,
           const enum use *uses)
{
    fputs("<div class=\"wide\"><table class=\"sorts\"><thead><tr>",
          page->stream);
    for (size_t c = 0; table->columns[c].title; c++) {
        const struct results_column *column = &table->columns[c];
        if (uses[c] == SHOWN) {
            fputs("<th scope=\"col\"", page->stream);
            if (column->hint) {
                sf_results_write(page->stream, " title=\"", column->hint,
                                 "\"");
            }
            sf_results_write(page->stream, ">", column->title, "</th>");
        }
    }
    fputs("</tr></thead>\n<tbody>\n", page->stream);
}

static void
write_rows(struct results_page *page, const struct rows *rows,
           const struct results_table *table)
{
    const struct result *result = page->results[page->number];
    enum use uses[MAX_COLUMNS] = { LEFT_OUT };
    size_t n = rows->list.n < MAX_ROWS ? rows->list.n : MAX_ROWS;

    for (size_t c = 0; c < MAX_COLUMNS && table->columns[c].title; c++) {
        uses[c] = use_of(rows, &table->columns[c]);
    }
    write_shared(page, rows, table, uses);
    write_head(page, table, uses);
    for (size_t i = 0; i < n; i++) {
        fputs("<tr>", page->stream);
        for (size_t c = 0; table->columns[c].title; c++) {
            if (uses[c] == SHOWN) {
                write_cell(page, get(rows, i, &table->columns[c]),
                           &table->columns[c]);
            }
        }
        fputs("</tr>\n", page->stream);
    }
    fputs("</tbody></table></div>\n", page->stream);
    if (n < rows->list.n) {
        fprintf(page->stream,
                "<p class=\"more\">These are the first %zu of %zu rows. All "
                "are in <b>",
                n, rows->list.n);
        if (table->file && result->folder) {
            sf_results_write(page->stream, "", result->folder, "/");
            sf_results_write(page->stream, "", table->file, "</b>.</p>\n");
        } else {
            sf_results_write(page->stream, "", result->path, "</b>.</p>\n");
        }
    }
}

void
sf_results_write_table(struct results_page *page, const json_t *root,
                       const struct results_table *table)
{
    struct rows rows = { 0 };

    if (table->is_silent && !sf_results_find(root, table->rows)) {
        return;
    }
    if (gather(page, root, table, &rows) &&
        (rows.list.n || !table->is_silent)) {
        sf_results_write(page->stream, "<h3>", table->title, "</h3>\n");
        if (rows.list.n) {
            write_rows(page, &rows, table);
        } else {
            fputs("<p>None.</p>\n", page->stream);
        }
        const struct result *result = page->results[page->number];
        sf_results_write_origin(result->root, result->path, page->stream);
    }
    free(rows.outer.items);
    free(rows.list.items);
}
