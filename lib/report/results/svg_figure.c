/* svg_figure.c -- an SVG file as a part of the page.
 *
 * The file was written by slimfly, or by somebody who says so.  So it is not
 * copied but read and written anew: only elements and attributes that draw
 * pass, and nothing that runs, or that leads out of the file.  Ids and
 * references get a prefix of the figure's own, and the selectors of its style
 * sheet a class, since the page has many figures.  Figures with the same style
 * sheet share the class. */
#include "base/file.h"
#include "report/results/parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH      64
#define MAX_STYLE      65536
#define MAX_STYLE_NEST 2

/* What figures are made of. */
static const char *const elements[] = {
    "svg",      "style",          "g",     "defs",    "title",    "desc",
    "rect",     "circle",         "path",  "line",    "polyline", "polygon",
    "ellipse",  "text",           "tspan", "use",     "symbol",   "marker",
    "clipPath", "linearGradient", "stop",  "pattern", NULL,
};

static const char *const attributes[] = {
    "aria-label",
    "class",
    "clip-path",
    "cx",
    "cy",
    "d",
    "dominant-baseline",
    "dx",
    "dy",
    "fill",
    "fill-opacity",
    "font-family",
    "font-size",
    "font-weight",
    "gradientUnits",
    "height",
    "href",
    "id",
    "marker-end",
    "marker-start",
    "markerHeight",
    "markerWidth",
    "offset",
    "opacity",
    "orient",
    "paint-order",
    "patternUnits",
    "pointer-events",
    "points",
    "preserveAspectRatio",
    "r",
    "refX",
    "refY",
    "role",
    "rx",
    "ry",
    "shape-rendering",
    "stop-color",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-opacity",
    "stroke-width",
    "style",
    "text-anchor",
    "textLength",
    "transform",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "xmlns",
    "y",
    "y1",
    "y2",
    NULL,
};

struct svg {
    struct results_page *page;
    const char *path;
    const char *start, *at, *end;
    uint32_t number; /* Of the figure: the prefix of its ids. */
    uint32_t depth;
    int open[MAX_DEPTH]; /* The elements that are open. */
    enum sf_status status;
};

static void
refuse(struct svg *svg, const char *expected)
{
    uint32_t line = 1;

    if (svg->status != SF_OK) {
        return;
    }
    for (const char *c = svg->start; c < svg->at; c++) {
        line += *c == '\n';
    }
    svg->status = sf_fail(svg->page->reader.err, SF_EPARSE,
                          "%s:%u: expected a figure as slimfly draws them, "
                          "with %s",
                          svg->path, line, expected);
    svg->page->reader.status = svg->status;
}

static bool
begins(const struct svg *svg, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(svg->end - svg->at) >= length &&
           !memcmp(svg->at, text, length);
}

/* Moves behind the next 'text', and returns where it begins; NULL, at the end,
 * if there is none. */
static const char *
pass(struct svg *svg, const char *text)
{
    for (; svg->at < svg->end; svg->at++) {
        if (begins(svg, text)) {
            const char *found = svg->at;
            svg->at += strlen(text);
            return found;
        }
    }
    return NULL;
}

static void
pass_blanks(struct svg *svg)
{
    while (svg->at < svg->end && strchr(" \t\r\n", *svg->at) && *svg->at) {
        svg->at++;
    }
}

/* Reads a name; its number in 'names', or -1. */
static int
read_name(struct svg *svg, const char *const *names)
{
    const char *begin = svg->at;

    while (svg->at < svg->end &&
           (isalnum((unsigned char)*svg->at) || strchr("-:_", *svg->at)) &&
           *svg->at) {
        svg->at++;
    }
    size_t length = (size_t)(svg->at - begin);
    for (int i = 0; names[i]; i++) {
        if (strlen(names[i]) == length && !memcmp(names[i], begin, length)) {
            return i;
        }
    }
    svg->at = begin;
    return -1;
}

/* Whether a function that is called 'name' in a style may lead out of the
 * figure: url() but to an id, which 'is_id' says, src(), and image(),
 * image-set() and all others that take images, with prefixes of browsers or
 * without. */
static bool
leads_out(const char *name, size_t length, bool is_id)
{
    if ((length == 3 && !strncasecmp(name, "src", 3)) ||
        (length == 3 && !strncasecmp(name, "url", 3) && !is_id)) {
        return true;
    }
    for (size_t i = 0; i + 5 <= length; i++) {
        if (!strncasecmp(name + i, "image", 5)) {
            return true;
        }
    }
    return false;
}

/* Whether the text has what could lead out of the figure: a backslash, which
 * hides what follows, a comment, or a function that takes an address. */
static bool
is_harmless(const char *text, size_t length)
{
    size_t name = 0; /* Where that before a '(' begins. */

    for (size_t i = 0; i < length; i++) {
        char c = text[i], next = '\0';
        if (i + 1 < length) {
            next = text[i + 1];
        }
        if (c == '\\' || c == '<' || c == '\0' || (c == '/' && next == '*') ||
            (c == '(' && leads_out(text + name, i - name, next == '#'))) {
            return false;
        }
        if (!isalnum((unsigned char)c) && c != '-' && c != '_') {
            name = i + 1;
        }
    }
    return true;
}

/* Whether entities in 'text' are of those that XML has itself. */
static bool
has_good_entities(const char *text, size_t length)
{
    static const char *const known[] = { "&amp;",  "&lt;",   "&gt;",
                                         "&quot;", "&apos;", NULL };

    for (size_t i = 0; i < length; i++) {
        bool is_known = text[i] != '&';
        for (int k = 0; !is_known && known[k]; k++) {
            size_t n = strlen(known[k]);
            is_known = length - i >= n && !memcmp(text + i, known[k], n);
        }
        if (!is_known && length - i > 3 && text[i + 1] == '#') {
            size_t n = i + 2 + (text[i + 2] == 'x');
            while (n < length && isxdigit((unsigned char)text[n])) {
                n++;
            }
            is_known = n < length && text[n] == ';';
        }
        if (!is_known) {
            return false;
        }
    }
    return true;
}

/* Writes 'text' with the prefix before each id that it refers to. */
static void
write_references(const struct svg *svg, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        fputc(text[i], svg->page->stream);
        if (text[i] == '#' && i >= 4 &&
            !strncasecmp(text + i - 4, "url(", 4)) {
            fprintf(svg->page->stream, "f%u-", svg->number);
        }
    }
}

/* Reads an attribute and writes it. */
static void
copy_attribute(struct svg *svg)
{
    FILE *stream = svg->page->stream;
    int name = read_name(svg, attributes);

    if (name < 0) {
        refuse(svg, "attributes that only draw");
        return;
    }
    pass_blanks(svg);
    if (!begins(svg, "=")) {
        refuse(svg, "a value for each attribute");
        return;
    }
    svg->at++;
    pass_blanks(svg);
    char quote[2] = "";
    if (svg->at < svg->end) {
        *quote = *svg->at;
    }
    if (*quote != '"' && *quote != '\'') {
        refuse(svg, "quotes around values");
        return;
    }
    const char *value = ++svg->at, *end = pass(svg, quote);
    size_t length = end ? (size_t)(end - value) : 0;
    if (!end || memchr(value, '<', length) ||
        !has_good_entities(value, length)) {
        refuse(svg, "values that end");
        return;
    }
    bool is_href = !strcmp(attributes[name], "href");
    bool is_words = !strcmp(attributes[name], "aria-label");
    /* An entity could hide what stands there. */
    if (!is_words &&
        (!is_harmless(value, length) || memchr(value, '&', length) ||
         (is_href && (!length || *value != '#')))) {
        refuse(svg, "no address but ids of its own");
        return;
    }
    fprintf(stream, " %s=%s", attributes[name], quote);
    if (!strcmp(attributes[name], "id") || is_href) {
        fprintf(stream, "%sf%u-", is_href ? "#" : "", svg->number);
        fwrite(value + is_href, 1, length - is_href, stream);
    } else if (is_words) {
        fwrite(value, 1, length, stream);
    } else {
        write_references(svg, value, length);
    }
    fputs(quote, stream);
}

/* Writes the selectors of a rule, "a,b", each below the class; false if one is
 * about what stands beside the figure. */
static bool
write_selectors(const char *text, size_t length, size_t number, FILE *stream)
{
    size_t i = 0;

    while (i < length) {
        while (i < length && isspace((unsigned char)text[i])) {
            i++;
        }
        size_t n = 0;
        while (i + n < length && text[i + n] != ',') {
            n++;
        }
        if (n > 0 && strchr("+~|", text[i])) {
            return false;
        }
        fprintf(stream, ".s%zu %.*s", number, (int)n, text + i);
        i += n + 1;
        fputs(i < length ? "," : "", stream);
    }
    return true;
}

/* Writes the rules of a style sheet, which hold below the class 'number'
 * alone; those in a media query too.  False if it is none. */
static bool
write_rules(const char **textp, const char *end, uint32_t depth, size_t number,
            FILE *stream)
{
    const char *text = *textp;

    for (;;) {
        while (text < end && isspace((unsigned char)*text)) {
            text++;
        }
        if (text == end || *text == '}') {
            *textp = text;
            return (depth == 0) == (text == end);
        }
        const char *brace = memchr(text, '{', (size_t)(end - text));
        bool is_media =
            brace && brace - text > 7 && !memcmp(text, "@media ", 7);
        if (!brace || memchr(text, ';', (size_t)(brace - text)) ||
            memchr(text, '}', (size_t)(brace - text)) ||
            (*text == '@' && (!is_media || depth + 1 >= MAX_STYLE_NEST))) {
            return false;
        }
        if (is_media) {
            fprintf(stream, "%.*s{", (int)(brace - text), text);
            text = brace + 1;
            if (!write_rules(&text, end, depth + 1, number, stream)) {
                return false;
            }
            fputs("}\n", stream);
            text++;
            continue;
        }
        const char *close = memchr(brace, '}', (size_t)(end - brace));
        if (!close || memchr(brace + 1, '{', (size_t)(close - brace - 1)) ||
            !write_selectors(text, (size_t)(brace - text), number, stream)) {
            return false;
        }
        fprintf(stream, "%.*s}\n", (int)(close - brace), brace);
        text = close + 1;
    }
}

/* The number of a style sheet; it is new if that is page->styles.n - 1. */
static size_t
find_style(struct results_page *page, const char *text, size_t length,
           bool *is_newp)
{
    *is_newp = false;
    for (size_t i = 0; i < page->styles.n; i++) {
        if (strlen(page->styles.items[i]) == length &&
            !memcmp(page->styles.items[i], text, length)) {
            return i;
        }
    }
    char *copy = sf_calloc(length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    if (!copy || !sf_vec_push(&page->styles, copy)) {
        free(copy);
        sf_json_fail_memory(&page->reader);
        return 0;
    }
    *is_newp = true;
    return page->styles.n - 1;
}

/* Finds the style sheet, which stands behind the first tag if anywhere, and
 * starts an element with its class; writes it if it is new. */
static void
begin_styled(struct svg *svg)
{
    struct svg look = *svg;
    bool is_new;
    const char *text = pass(&look, "<style>") ? look.at : NULL;
    const char *end = text ? pass(&look, "</style>") : NULL;
    size_t length = end ? (size_t)(end - text) : 0;

    if (text && (!end || length > MAX_STYLE || !is_harmless(text, length))) {
        svg->at = text;
        refuse(svg, "a style sheet without addresses");
        return;
    }
    size_t number = find_style(svg->page, text ? text : "", length, &is_new);
    fprintf(svg->page->stream, "<div class=\"figure s%zu\">\n", number);
    if (is_new && length) {
        const char *rest = text;
        fputs("<style>", svg->page->stream);
        if (!write_rules(&rest, end, 0, number, svg->page->stream)) {
            svg->at = text;
            refuse(svg, "a style sheet of rules and media queries");
        }
        fputs("</style>\n", svg->page->stream);
    }
}

/* Reads a tag that opens an element, and writes it. */
static void
copy_tag(struct svg *svg)
{
    svg->at++;
    int element = read_name(svg, elements);
    if (element < 0 || svg->depth == MAX_DEPTH ||
        (svg->depth == 0) != (element == 0)) {
        refuse(svg, "elements that only draw, in one element svg");
        return;
    }
    if (!strcmp(elements[element], "style")) {
        /* Written before the figure. */
        if (!begins(svg, ">") || !pass(svg, "</style>")) {
            refuse(svg, "a style sheet that ends");
        }
        return;
    }
    fprintf(svg->page->stream, "<%s", elements[element]);
    for (;;) {
        pass_blanks(svg);
        if (begins(svg, "/>") || begins(svg, ">") || svg->status != SF_OK) {
            break;
        }
        copy_attribute(svg);
    }
    if (begins(svg, "/>")) {
        fputs("/>", svg->page->stream);
        svg->at += 2;
    } else {
        fputc('>', svg->page->stream);
        svg->at++;
        svg->open[svg->depth++] = element;
    }
}

/* The same for one that closes an element. */
static void
copy_end(struct svg *svg)
{
    svg->at += 2;
    int element = read_name(svg, elements);
    if (!svg->depth || element != svg->open[svg->depth - 1] ||
        !begins(svg, ">")) {
        refuse(svg, "elements that end where they should");
        return;
    }
    svg->at++;
    svg->depth--;
    fprintf(svg->page->stream, "</%s>", elements[element]);
}

static void
copy_text(struct svg *svg)
{
    const char *text = svg->at;

    while (svg->at < svg->end && *svg->at != '<') {
        svg->at++;
    }
    size_t length = (size_t)(svg->at - text);
    if (memchr(text, '\0', length) || !has_good_entities(text, length)) {
        svg->at = text;
        refuse(svg, "text that is escaped");
    } else {
        fwrite(text, 1, length, svg->page->stream);
    }
}

/* Passes over what stands before the figure, or behind it. */
static void
pass_around(struct svg *svg)
{
    for (;;) {
        pass_blanks(svg);
        if (begins(svg, "<?") ? !pass(svg, "?>")
                              : !begins(svg, "<!--") || !pass(svg, "-->")) {
            return;
        }
    }
}

enum sf_status
sf_results_write_svg(struct results_page *page, const char *path,
                     const char *text, size_t length)
{
    struct svg svg = { .page = page,
                       .path = path,
                       .start = text,
                       .at = text,
                       .end = text + length,
                       .number = ++page->n_figures };

    begin_styled(&svg);
    pass_around(&svg);
    if (!begins(&svg, "<svg")) {
        refuse(&svg, "one element svg");
    }
    do {
        if (svg.status != SF_OK) {
            break;
        }
        if (svg.at == svg.end) {
            refuse(&svg, "its end");
        } else if (begins(&svg, "</")) {
            copy_end(&svg);
        } else if (begins(&svg, "<!--")) {
            pass(&svg, "-->");
        } else if (*svg.at == '<') {
            copy_tag(&svg);
        } else {
            copy_text(&svg);
        }
    } while (svg.depth);
    if (svg.status == SF_OK) {
        pass_around(&svg);
        if (svg.at != svg.end) {
            refuse(&svg, "nothing behind it");
        }
    }
    fputs("\n</div>\n", page->stream);
    return page->reader.status;
}

void
sf_results_write_figure(struct results_page *page,
                        const struct results_figure *figure)
{
    const json_t *root = page->results[page->number]->root;
    const char *path = figure->path;
    char *text;
    size_t length;

    if (!sf_results_fine(page)) {
        return;
    }
    page->reader.status = sf_file_read(path, &text, &length, page->reader.err);
    if (sf_results_fine(page)) {
        fputs("<figure>\n", page->stream);
        sf_results_write_svg(page, path, text, length);
        fputs("<figcaption>", page->stream);
        sf_results_write_origin(figure->is_stray ? NULL : root, path,
                                page->stream);
        fputs("</figcaption></figure>\n", page->stream);
    }
    free(text);
}
