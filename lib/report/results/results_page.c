/* results_page.c -- the page: what all results say together, then each for
 * itself. */
#define _GNU_SOURCE
#include "report/page.h"

#include "io/xml.h"
#include "report/results/parts.h"
#include "slimfly/progress.h"

#include <string.h>
#include <sys/stat.h>

/* Larger figures are named and not shown; so are those of one result beyond
 * so many bytes. */
#define MAX_FIGURE  (4l << 20)
#define MAX_FIGURES (8l << 20)

/* From so many figures on they stand in columns. */
#define MANY_FIGURES 7

/* Puts the results in the order of the page: by kind, then as given. */
static bool
order(const struct sf_results *results, struct results_page *page)
{
    page->results = sf_calloc(results->list.n, sizeof *page->results);
    for (const struct results_kind *kind = sf_results_kinds;
         page->results && kind->about.schema; kind++) {
        for (size_t i = 0; i < results->list.n; i++) {
            if (results->list.items[i]->kind == kind) {
                page->results[page->n_results++] = results->list.items[i];
            }
        }
    }
    return page->results != NULL;
}

/* Turns to result 'i', and returns it. */
static const struct result *
turn_to(struct results_page *page, uint32_t i)
{
    page->number = i;
    page->reader.path = page->results[i]->path;
    return page->results[i];
}

void
sf_results_write_name(const struct result *result, bool is_unique,
                      FILE *stream)
{
    const char *subject =
        result->kind->subject
            ? sf_results_text(result->root, result->kind->subject, NULL)
            : NULL;

    sf_xml_write(result->kind->about.title, stream);
    if (subject || is_unique) {
        sf_results_write(stream, ": ", subject ? subject : result->path, "");
    }
}

static void
write_head(const struct results_page *page, const struct sf_origin *origin)
{
    FILE *stream = page->stream;
    const char *program = origin->program ? origin->program : "slimfly";

    sf_page_begin("Report",
                  page->n_results == 1 ? page->results[0]->path
                                       : "results of slimfly",
                  stream);
    fputs("<style>\n", stream);
    sf_page_write_part(SF_EVALUATION_CSS, stream);
    sf_page_write_part(SF_RESULTS_CSS, stream);
    fputs("</style></head><body>\n<header><h1>Report</h1>"
          "<button id=\"scheme\" class=\"scripted\" type=\"button\" hidden>"
          "Colours</button></header>\n",
          stream);
    fprintf(stream, "<p class=\"made\">%u result%s, put together by ",
            page->n_results, page->n_results == 1 ? "" : "s");
    if (origin->command) {
        sf_results_write(stream, "<code>", origin->command, "</code>, ");
    }
    sf_results_write(stream, "", program, ".</p>\n");
}

static void
write_summary(const struct results_page *page)
{
    static const char *const headings[RESULTS_N_TOPICS] = {
        [RESULTS_PLANNED] = "What is planned",
        [RESULTS_WRONG] = "Is anything wrong?",
        [RESULTS_CARRIES] = "What it carries",
        [RESULTS_COMPARED] = "What it was compared with",
    };

    fputs("<section id=\"summary\"><h2>Summary</h2>\n", page->stream);
    for (enum results_topic topic = 0; topic < RESULTS_N_TOPICS; topic++) {
        sf_results_write_topic(page, topic, headings[topic]);
    }
    fputs("</section>\n", page->stream);
}

static void
write_contents(const struct results_page *page)
{
    fputs("<nav aria-label=\"Contents\"><h2>Contents</h2>\n<ol>\n",
          page->stream);
    for (uint32_t i = 0; i < page->n_results; i++) {
        const struct result *result = page->results[i];
        fprintf(page->stream, "<li><a href=\"#r%u\">", i + 1);
        sf_results_write_name(result, false, page->stream);
        sf_results_write(page->stream, "</a> <span class=\"why\">",
                         result->path, "</span></li>\n");
    }
    fputs("</ol></nav>\n", page->stream);
}

/* Says which files of the folder are not on the page. */
static void
write_files(const struct results_page *page, const struct result *result)
{
    bool is_begun = false;

    for (const struct results_file *file = result->kind->files;
         result->folder && file && file->name; file++) {
        char path[4096], size[RESULTS_VALUE_SIZE];
        struct stat about;
        int length =
            snprintf(path, sizeof path, "%s/%s", result->folder, file->name);
        if (length < 0 || (size_t)length >= sizeof path ||
            stat(path, &about) != 0) {
            continue;
        }
        if (!is_begun) {
            fputs("<h3>Files that are not on this page</h3>\n<ul>\n",
                  page->stream);
            is_begun = true;
        }
        sf_results_write(page->stream, "<li><b>", path, "</b>: ");
        fprintf(page->stream, "%s, %s</li>\n", file->what,
                sf_results_format((double)about.st_size, RESULTS_BYTES, size));
    }
    fputs(is_begun ? "</ul>\n" : "", page->stream);
}

static void
write_figures(struct results_page *page, const struct result *result)
{
    size_t n = result->figures.n, most = result->kind->max_figures;
    size_t n_shown = most && most < n ? most : n;
    off_t room = MAX_FIGURES;
    bool are_many = n_shown >= MANY_FIGURES;

    if (!n) {
        return;
    }
    fputs("<h3>Figures</h3>\n", page->stream);
    if (are_many) {
        fprintf(page->stream,
                "<details open><summary>%zu figures</summary>\n"
                "<div class=\"many\">\n",
                n_shown);
    }
    for (size_t i = 0; i < n_shown && sf_results_fine(page); i++) {
        const struct results_figure *figure = &result->figures.items[i];
        const char *path = figure->path;
        struct stat about;
        if (stat(path, &about) != 0 || about.st_size > MAX_FIGURE ||
            about.st_size > room) {
            sf_results_write(page->stream,
                             "<p class=\"more\">Too large for this page: <b>",
                             path, "</b>.</p>\n");
            continue;
        }
        room -= about.st_size;
        sf_results_write_figure(page, figure);
    }
    fputs(are_many ? "</div></details>\n" : "", page->stream);
    if (n_shown < n) {
        fprintf(page->stream,
                "<p class=\"more\">These are the first %zu of %zu figures. "
                "The others are in the same folder, the last of them is <b>",
                n_shown, n);
        sf_results_write(page->stream, "", result->figures.items[n - 1].path,
                         "</b>.</p>\n");
    }
}

static void
write_section(struct results_page *page, uint32_t i)
{
    const struct result *result = turn_to(page, i);
    const struct results_kind *kind = result->kind;

    fprintf(page->stream, "<section class=\"result\" id=\"r%u\"><h2>", i + 1);
    sf_results_write_name(result, false, page->stream);
    fputs("</h2>\n", page->stream);
    sf_results_write_origin(result->root, result->path, page->stream);
    if (kind->facts) {
        sf_results_write_facts(page, result->root, kind->facts);
    }
    if (kind->has_figures_first && sf_results_fine(page)) {
        write_figures(page, result);
    }
    for (const struct results_table *table = kind->tables;
         table && table->title && sf_results_fine(page); table++) {
        sf_results_write_table(page, result->root, table);
    }
    if (kind->show && sf_results_fine(page)) {
        kind->show(page, result);
    }
    if (!kind->has_figures_first && sf_results_fine(page)) {
        write_figures(page, result);
    }
    write_files(page, result);
    fputs("<p class=\"up\"><a href=\"#summary\">Summary</a></p></section>\n",
          page->stream);
}

static void
write_page(struct results_page *page, const struct sf_origin *origin)
{
    for (uint32_t i = 0; sf_results_fine(page) && i < page->n_results; i++) {
        const struct result *result = turn_to(page, i);
        result->kind->tell(page, result);
    }
    write_head(page, origin);
    write_summary(page);
    write_contents(page);
    for (uint32_t i = 0; sf_results_fine(page) && i < page->n_results; i++) {
        sf_progress_report("writing the page", i, page->n_results);
        write_section(page, i);
    }
    fputs("<script>\n", page->stream);
    sf_page_write_part(SF_RESULTS_JS, page->stream);
    fputs("</script>\n</body></html>\n", page->stream);
}

enum sf_status
sf_results_write_html(const struct sf_results *results,
                      const struct sf_origin *origin, FILE *stream,
                      struct sf_error *err)
{
    struct results_page page = { .reader = { .err = err } };
    char *text = NULL;
    size_t length = 0;

    if (!results->list.n) {
        return sf_fail(err, SF_EINVAL, "expected results for the page");
    }
    page.stream = open_memstream(&text, &length);
    if (page.stream && order(results, &page)) {
        write_page(&page, origin);
    } else {
        sf_json_fail_memory(&page.reader);
    }
    if (page.stream && fclose(page.stream) != 0) {
        sf_json_fail_memory(&page.reader);
    }
    if (sf_results_fine(&page)) {
        fwrite(text, 1, length, stream);
    }
    free(text);
    for (size_t i = 0; i < page.sentences.n; i++) {
        free(page.sentences.items[i].text);
    }
    free(page.sentences.items);
    for (size_t i = 0; i < page.styles.n; i++) {
        free(page.styles.items[i]);
    }
    free(page.styles.items);
    free(page.results);
    return page.reader.status;
}
