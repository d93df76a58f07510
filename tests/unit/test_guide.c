/* test_guide.c -- what people see of a plan: diagrams, the guide, labels.
 *
 * Everything is read back from what was written: the markup is parsed, the
 * diagrams are followed from the text at one end of a cable to the other. */
#define _POSIX_C_SOURCE 200809L
#include "slimfly/guide.h"

#include "base/mem.h"
#include "helpers.h"
#include "report/layout.h"
#include "test.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static const char *const specs[] = {
    "sf:q=3",
    "sf:q=4",
    "sf:q=5",
    "sf:q=9",
    "ft2:leaf=12,core=6,up=3",
    "ft2b:ports=12,over=3",
    "ft3:ports=8",
    "hx2:6x6",
    "hx2:3x4,links=3",
    "hx2:1x1,p=1",
    "df:a=4,h=2,p=2",
    "xpander:k=5,lift=6,seed=2",
    "jellyfish:n=50,k=7,seed=1",
    "pf:q=5",
};

static struct sf_plan *
plan_of(const char *spec)
{
    struct sf_topology *topo = build("%s", spec);
    struct sf_plan *plan = NULL;
    struct sf_error err = { 0 };
    enum sf_status status = sf_plan_build(topo, NULL, NULL, &plan, &err);

    sf_topology_free(topo);
    CHECK_FOR(status == SF_OK, "%s: %s", spec, err.text);
    return plan;
}

/* What a function writes, as a string that the caller frees. */
static char *
text_of(const struct sf_plan *plan,
        enum sf_status (*write)(const struct sf_plan *, FILE *,
                                struct sf_error *))
{
    char *text = NULL;
    size_t size = 0;
    struct sf_error err = { 0 };
    FILE *stream = open_memstream(&text, &size);

    CHECK(stream != NULL);
    enum sf_status status = write(plan, stream, &err);
    CHECK_EQ(fclose(stream), 0);
    CHECK_FOR(status == SF_OK, "%s: %s", plan->spec, err.text);
    return text;
}

/* The diagram of 'step' between two parts, or inside one. */
static char *
diagram_of(const struct sf_plan *plan, enum sf_step step, uint32_t a,
           uint32_t b)
{
    char *text = NULL;
    size_t size = 0;
    struct sf_error err = { 0 };
    FILE *stream = open_memstream(&text, &size);

    CHECK(stream != NULL);
    enum sf_status status =
        a == b ? sf_diagram_write_step(plan, step, a, stream, &err)
               : sf_diagram_write_pair(plan, a, b, stream, &err);
    CHECK_EQ(fclose(stream), 0);
    CHECK_FOR(status == SF_OK, "%s: %s", plan->spec, err.text);
    return text;
}

/* strstr(), which under the address sanitizer looks at all of the text each
 * time. */
static const char *
find(const char *text, const char *part)
{
    size_t length = strlen(part);

    while (*text && (*text != *part || strncmp(text, part, length) != 0)) {
        text++;
    }
    return *text ? text : NULL;
}

static uint32_t
count(const char *text, const char *part)
{
    uint32_t n = 0;

    for (const char *at = find(text, part); at; at = find(at + 1, part)) {
        n++;
    }
    return n;
}

/* Checks what stands between tags: entities, nothing raw. */
static const char *
skip_content(const char *at)
{
    static const char *const entities[] = { "&amp;", "&lt;", "&gt;",
                                            "&quot;" };

    for (; *at && *at != '<'; at++) {
        bool is_known = *at != '&';
        for (size_t i = 0; i < ARRAY_SIZE(entities); i++) {
            is_known |= strncmp(at, entities[i], strlen(entities[i])) == 0;
        }
        CHECK_FOR(is_known, "raw & at: %.40s", at);
        CHECK_FOR((unsigned char)*at >= 0x20 || *at == '\n',
                  "a control character at: %.40s", at);
    }
    return at;
}

/* Checks the attributes of a tag and returns where it ends. */
static const char *
skip_attributes(const char *at)
{
    while (*at == ' ') {
        at++;
        size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN"
                                 "OPQRSTUVWXYZ0123456789-:");
        CHECK_FOR(name > 0 && at[name] == '=' && at[name + 1] == '"',
                  "no attribute: %.40s", at);
        for (at += name + 2; *at != '"'; at++) {
            CHECK_FOR(*at && *at != '<', "no end of attribute: %.40s", at);
        }
        at++;
    }
    return at;
}

/* Checks that every tag is closed by its own end, in order. */
static void
check_well_formed(const char *text)
{
    const char *open[32];
    size_t lengths[32];
    size_t depth = 0;
    const char *at = text;

    if (strncmp(at, "<!DOCTYPE html>", 15) == 0) {
        at += 15;
    }
    for (at = skip_content(at); *at; at = skip_content(at)) {
        bool is_end = at[1] == '/';
        const char *name = at + 1 + is_end;
        size_t length = 0;
        while (isalnum((unsigned char)name[length])) {
            length++;
        }
        CHECK_FOR(length > 0, "no tag: %.40s", at);
        at = skip_attributes(name + length);
        if (is_end) {
            CHECK_FOR(depth > 0 && lengths[depth - 1] == length &&
                          memcmp(open[depth - 1], name, length) == 0,
                      "not open: %.40s", name);
            depth--;
        } else if (*at != '/') {
            CHECK(depth < ARRAY_SIZE(open));
            open[depth] = name;
            lengths[depth++] = length;
        }
        at += *at == '/';
        CHECK_FOR(*at == '>', "no end of tag: %.40s", at);
        at++;
    }
    CHECK_EQ(depth, 0);
}

/* A piece of text in a diagram and the room it takes. */
struct words {
    char class[8], text[128];
    double x, y; /* Its anchor. */
    double left, right, top, bottom;
};

struct rect {
    char class[8];
    double left, right, top, bottom;
};

/* A cable as drawn. */
struct line {
    char label[32];
    double x[2], y[2]; /* Its ends, */
    double left, right, top, bottom;
};

struct picture {
    double width, height;
    SF_VEC(struct words) words;
    SF_VEC(struct rect) rects;
    SF_VEC(struct line) lines;
};

static void
clear_picture(struct picture *picture)
{
    free(picture->words.items);
    free(picture->rects.items);
    free(picture->lines.items);
}

/* Copies the value of an attribute of the tag at 'tag', "" if it is not
 * there. */
static void
attribute(const char *tag, const char *name, char *value, size_t size)
{
    char key[32];
    const char *end = strchr(tag, '>');
    size_t n = (size_t)snprintf(key, sizeof key, " %s=\"", name);
    const char *at = find(tag, key);

    value[0] = '\0';
    if (at && at < end) {
        size_t length = strcspn(at + n, "\"");
        CHECK(length < size);
        memcpy(value, at + n, length);
        value[length] = '\0';
    }
}

static double
number(const char *tag, const char *name)
{
    char value[32];
    attribute(tag, name, value, sizeof value);
    return strtod(value, NULL);
}

/* The text up to the next tag, without entities. */
static void
content(const char *tag, char *text, size_t size)
{
    static const struct {
        const char *entity;
        char c;
    } entities[] = {
        { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }
    };
    size_t n = 0;

    for (const char *at = strchr(tag, '>') + 1; *at != '<'; n++) {
        CHECK(n + 1 < size);
        text[n] = *at;
        size_t length = 1;
        for (size_t i = 0; i < ARRAY_SIZE(entities); i++) {
            if (strncmp(at, entities[i].entity, strlen(entities[i].entity)) ==
                0) {
                text[n] = entities[i].c;
                length = strlen(entities[i].entity);
            }
        }
        at += length;
    }
    text[n] = '\0';
}

/* The sizes that the style sheet gives to classes of text. */
static double
font_size(const char *class)
{
    switch (class[0]) {
    case 't':
        return 15;
    case 'r':
        return 13;
    case 'n':
        return 11;
    case 'u':
        return 9;
    default:
        return 8.5;
    }
}

static void
read_words(const char *tag, struct picture *picture)
{
    struct words words;

    attribute(tag, "class", words.class, sizeof words.class);
    content(tag, words.text, sizeof words.text);
    words.x = number(tag, "x");
    words.y = number(tag, "y");
    double size = font_size(words.class);
    double width = 0.6 * size * sf_layout_cells(words.text);
    words.left = strcmp(words.class, "p") == 0 ? words.x - width / 2
                 : strchr(words.class, 'e')    ? words.x - width
                                               : words.x;
    words.right = words.left + width;
    words.top = words.y - 0.8 * size;
    words.bottom = words.y + 0.2 * size;
    CHECK(sf_vec_push(&picture->words, words));
}

static void
read_rect(const char *tag, struct picture *picture)
{
    struct rect rect;

    attribute(tag, "class", rect.class, sizeof rect.class);
    rect.left = number(tag, "x");
    rect.top = number(tag, "y");
    rect.right = rect.left + number(tag, "width");
    rect.bottom = rect.top + number(tag, "height");
    CHECK(sf_vec_push(&picture->rects, rect));
}

static void
reach(struct line *line, double x, double y)
{
    line->left = fmin(line->left, x);
    line->right = fmax(line->right, x);
    line->top = fmin(line->top, y);
    line->bottom = fmax(line->bottom, y);
    line->x[1] = x;
    line->y[1] = y;
}

/* Follows a path of M, H, V, C and q. */
static void
read_path(const char *tag, struct picture *picture)
{
    static const char commands[] = "MHVCq";
    static const int n_numbers[] = { 2, 1, 1, 6, 4 };
    struct line line = { .left = HUGE_VAL,
                         .right = -HUGE_VAL,
                         .top = HUGE_VAL,
                         .bottom = -HUGE_VAL };
    char way[256];

    attribute(tag, "d", way, sizeof way);
    for (char *at = way; *at;) {
        const char *found = strchr(commands, *at);
        CHECK_FOR(found != NULL, "path %s", way);
        double v[6] = { 0 };
        double x = line.x[1], y = line.y[1];
        at++;
        for (int i = 0; i < n_numbers[found - commands]; i++) {
            v[i] = strtod(at, &at);
        }
        switch (*found) {
        case 'M':
            reach(&line, v[0], v[1]);
            line.x[0] = v[0];
            line.y[0] = v[1];
            break;
        case 'H':
            reach(&line, v[0], y);
            break;
        case 'V':
            reach(&line, x, v[0]);
            break;
        case 'C':
            /* A curve stays inside its control points. */
            reach(&line, v[0], v[1]);
            reach(&line, v[2], v[3]);
            reach(&line, v[4], v[5]);
            break;
        default:
            reach(&line, x + v[0], y + v[1]);
            reach(&line, x + v[2], y + v[3]);
        }
    }
    content(find(tag, "<title>"), line.label, sizeof line.label);
    CHECK(sf_vec_push(&picture->lines, line));
}

static struct picture
read_picture(const char *svg)
{
    struct picture picture = { 0 };
    char view[64];

    CHECK(strncmp(svg, "<svg ", 5) == 0);
    attribute(svg, "viewBox", view, sizeof view);
    CHECK_EQ(sscanf(view, "0 0 %lf %lf", &picture.width, &picture.height), 2);
    const char *end = find(svg, "</svg>");
    for (const char *at = svg; at < end; at = strchr(at + 1, '<')) {
        if (strncmp(at, "<text ", 6) == 0) {
            read_words(at, &picture);
        } else if (strncmp(at, "<rect class", 11) == 0 ||
                   strncmp(at, "<rect x", 7) == 0) {
            read_rect(at, &picture);
        } else if (strncmp(at, "<path class=\"c", 14) == 0) {
            read_path(at, &picture);
        }
    }
    return picture;
}

/* Nothing lies on a text: no other text, no cable. */
static void
check_clear(const struct picture *picture)
{
    for (size_t i = 0; i < picture->words.n; i++) {
        const struct words *a = &picture->words.items[i];
        CHECK_FOR(a->left >= 0 && a->right <= picture->width && a->top >= 0 &&
                      a->bottom <= picture->height,
                  "%s is outside", a->text);
        for (size_t j = 0; j < i; j++) {
            const struct words *b = &picture->words.items[j];
            CHECK_FOR(a->left >= b->right || b->left >= a->right ||
                          a->top >= b->bottom || b->top >= a->bottom,
                      "%s lies on %s", a->text, b->text);
        }
        for (size_t j = 0; j < picture->lines.n; j++) {
            const struct line *b = &picture->lines.items[j];
            CHECK_FOR(a->left >= b->right || b->left >= a->right ||
                          a->top >= b->bottom || b->top >= a->bottom,
                      "cable %s passes through %s", b->label, a->text);
        }
    }
}

/* No two brackets share a line, no two cables an end. */
static void
check_apart(const struct picture *picture, bool is_inside)
{
    for (size_t i = 0; i < picture->lines.n; i++) {
        const struct line *a = &picture->lines.items[i];
        CHECK(a->left >= 0 && a->right <= picture->width);
        for (size_t j = 0; j < i; j++) {
            const struct line *b = &picture->lines.items[j];
            for (int e = 0; e < 4; e++) {
                CHECK_FOR(fabs(a->x[e / 2] - b->x[e % 2]) > 1 ||
                              fabs(a->y[e / 2] - b->y[e % 2]) > 10,
                          "%s and %s end together", a->label, b->label);
            }
            bool is_left = a->x[0] > a->left + 1;
            bool same_lane = is_left == (b->x[0] > b->left + 1) &&
                             (is_left ? fabs(a->left - b->left) < 3
                                      : fabs(a->right - b->right) < 3);
            CHECK_FOR(!is_inside || !same_lane || a->top >= b->bottom ||
                          b->top >= a->bottom,
                      "%s and %s share a line", a->label, b->label);
        }
    }
}

/* The name of the switch whose box has its edge at an end of a line, and the
 * number of the port drawn there. */
static void
read_end(const struct picture *picture, const struct line *line, int e,
         const char **namep, uint32_t *numberp)
{
    const struct rect *box = NULL;

    *namep = "";
    *numberp = 0;
    for (size_t i = 0; i < picture->rects.n; i++) {
        const struct rect *rect = &picture->rects.items[i];
        bool is_here = fabs(rect->left - line->x[e]) < 0.2 ||
                       fabs(rect->right - line->x[e]) < 0.2;
        if (is_here && !rect->class[0] && rect->top < line->y[e] &&
            line->y[e] < rect->bottom) {
            box = rect;
        }
    }
    CHECK_FOR(box != NULL, "%s ends nowhere", line->label);
    for (size_t i = 0; i < picture->words.n; i++) {
        const struct words *words = &picture->words.items[i];
        if (words->left < box->left || words->right > box->right + 0.1 ||
            words->y < box->top || words->y > box->bottom) {
            continue;
        }
        if (words->class[0] == 'n') {
            *namep = words->text;
        } else if (strcmp(words->class, "p") == 0 &&
                   fabs(words->x - line->x[e]) < 20 &&
                   fabs(words->y - line->y[e]) < 5) {
            *numberp = (uint32_t)strtoul(words->text, NULL, 10);
        } else if (words->class[0] == 'l' &&
                   fabs(words->x - line->x[e]) < 30 &&
                   fabs(words->y - line->y[e]) < 5) {
            CHECK_STR(words->text, line->label);
        }
    }
}

static bool
is_at(const struct sf_plan *plan, uint32_t port, const char *name,
      uint32_t port_number)
{
    const struct sf_port *at = &plan->fabric->ports[port];
    return at->number == port_number &&
           strcmp(plan->fabric->nodes[at->node].name, name) == 0;
}

/* Each line joins the ports that the plan says, and the lines are those of
 * the plan. */
static void
check_joined(const struct sf_plan *plan, const struct picture *picture,
             enum sf_step step, uint32_t a, uint32_t b)
{
    size_t n = 0;

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        uint32_t at_a =
            sf_plan_group(plan, plan->fabric->ports[cable->a].node);
        uint32_t at_b =
            sf_plan_group(plan, plan->fabric->ports[cable->b].node);
        if (cable->step != step ||
            !((at_a == a && at_b == b) || (at_a == b && at_b == a))) {
            continue;
        }
        CHECK(n < picture->lines.n);
        const struct line *line = &picture->lines.items[n++];
        const char *names[2];
        uint32_t numbers[2];
        CHECK_STR(line->label, cable->label);
        for (int e = 0; e < 2; e++) {
            read_end(picture, line, e, &names[e], &numbers[e]);
        }
        CHECK_FOR(is_at(plan, cable->a, names[0], numbers[0]) &&
                      is_at(plan, cable->b, names[1], numbers[1]),
                  "%s goes from %s port %u to %s port %u", line->label,
                  names[0], numbers[0], names[1], numbers[1]);
    }
    CHECK_EQ(picture->lines.n, n);
}

/* The switches of each column are those of the part, from the top down. */
static void
check_order(const struct sf_plan *plan, const struct picture *picture)
{
    const struct words *last = NULL;
    const struct sf_node *above = NULL;

    for (size_t i = 0; i < picture->words.n; i++) {
        const struct words *words = &picture->words.items[i];
        if (words->class[0] != 'n') {
            continue;
        }
        const struct sf_node *node =
            &plan->fabric->nodes[sf_fabric_find(plan->fabric, words->text)];
        if (last && fabs(last->x - words->x) < 1) {
            CHECK(words->y > last->y);
            CHECK(node->rack > above->rack ||
                  (node->rack == above->rack && node->unit < above->unit));
        }
        last = words;
        above = node;
    }
}

/* The ports on a side of a switch are in the order of their numbers. */
static void
check_ports(const struct picture *picture)
{
    for (size_t i = 0; i < picture->rects.n; i++) {
        const struct rect *box = &picture->rects.items[i];
        unsigned long last[2] = { 0, 0 };
        double y[2] = { 0, 0 };
        for (size_t j = 0; !box->class[0] && j < picture->words.n; j++) {
            const struct words *words = &picture->words.items[j];
            if (strcmp(words->class, "p") != 0 || words->y < box->top ||
                words->y > box->bottom || words->x < box->left ||
                words->x > box->right) {
                continue;
            }
            bool is_right = words->x > (box->left + box->right) / 2;
            unsigned long port = strtoul(words->text, NULL, 10);
            CHECK_FOR(!last[is_right] ||
                          (port > last[is_right]) == (words->y > y[is_right]),
                      "port %lu is out of order", port);
            last[is_right] = port;
            y[is_right] = words->y;
        }
    }
}

static void
check_diagram(const struct sf_plan *plan, enum sf_step step, uint32_t a,
              uint32_t b)
{
    char *text = diagram_of(plan, step, a, b);
    struct picture picture = read_picture(text);

    check_well_formed(text);
    check_clear(&picture);
    check_apart(&picture, a == b);
    check_joined(plan, &picture, step, a, b);
    check_order(plan, &picture);
    check_ports(&picture);
    clear_picture(&picture);
    free(text);
}

TEST(guide_diagrams_of_all_families)
{
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_plan *plan = plan_of(specs[i]);
        uint32_t n = plan->n_groups < 6 ? plan->n_groups : 6;
        for (uint32_t a = 0; a < n; a++) {
            check_diagram(plan, SF_STEP_SUBGROUP, a, a);
            check_diagram(plan, SF_STEP_RACK, a, a);
            for (uint32_t b = 0; b < n; b++) {
                if (a != b) {
                    check_diagram(plan, SF_STEP_RACKS, a, b);
                }
            }
        }
        sf_plan_free(plan);
    }
}

/* 38 and 50 switches a rack; 50 do not fit into one cabinet. */
TEST(guide_diagrams_of_large_racks)
{
    static const char *const large[] = { "sf:q=19", "sf:q=25,p=2" };

    for (size_t i = 0; i < ARRAY_SIZE(large); i++) {
        struct sf_plan *plan = plan_of(large[i]);
        check_diagram(plan, SF_STEP_SUBGROUP, 3, 3);
        check_diagram(plan, SF_STEP_RACK, 3, 3);
        check_diagram(plan, SF_STEP_RACKS, 2, 18);
        sf_plan_free(plan);
    }
}

static void
escape(const char *text, char *escaped, size_t size)
{
    FILE *stream = fmemopen(escaped, size, "w");

    CHECK(stream != NULL);
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        default:
            fputc(*text, stream);
        }
    }
    CHECK_EQ(fclose(stream), 0);
}

/* Writes the cells of a table for one end of a cable. */
static void
cells_of(const struct sf_plan *plan, uint32_t port, char *cells, size_t size)
{
    const struct sf_port *at = &plan->fabric->ports[port];
    const struct sf_node *node = &plan->fabric->nodes[at->node];
    char name[256];

    escape(node->name, name, sizeof name);
    snprintf(cells, size,
             "<td class=\"w\">%s</td><td>U%u</td><td class=\"x\">%s</td>"
             "<td>%u</td>",
             plan->racks[node->rack].name, node->unit, name, at->number);
}

/* Every cable has one row, with both ends, its length and its medium. */
static void
check_rows(const struct sf_plan *plan, const char *text)
{
    const char *at = text;

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        char a[512], b[512], row[1200];
        cells_of(plan, cable->a, a, sizeof a);
        cells_of(plan, cable->b, b, sizeof b);
        int n = snprintf(row, sizeof row,
                         "<td class=\"x\">%s</td>%s%s<td>%g m</td>"
                         "<td class=\"w\">%s</td></tr>",
                         cable->label, a, b, cable->length,
                         cable->medium == SF_COPPER ? "copper" : "optical");
        /* Mostly the rows follow each other. */
        at = find(at, row);
        at = at ? at : find(text, row);
        CHECK_FOR(at != NULL, "%s: no row %s", plan->spec, row);
        at += n;
    }
    CHECK_EQ(count(text, "<td class=\"t\">\u2610</td>"), plan->n_cables);
}

/* Every link of the navigation leads somewhere, and to one place. */
static void
check_links(const char *text)
{
    for (const char *at = find(text, " href=\"#"); at;
         at = find(at + 1, " href=\"#")) {
        char id[64], key[80];
        attribute(at, "href", id, sizeof id);
        snprintf(key, sizeof key, " id=\"%s\"", id + 1);
        CHECK_FOR(count(text, key) == 1, "%u places: %s", count(text, key),
                  key);
    }
}

static void
check_guide(const struct sf_plan *plan)
{
    char *text = text_of(plan, sf_guide_write_html);

    check_well_formed(text);
    check_rows(plan, text);
    check_links(text);
    CHECK_EQ(count(text, "<script"), 0);
    if (strcmp(plan->family, "sf") != 0) {
        CHECK_EQ(count(text, "subgroup"), 0);
    }
    for (const char *at = find(text, "<svg "); at;
         at = find(at + 1, "<svg ")) {
        struct picture picture = read_picture(at);
        check_clear(&picture);
        clear_picture(&picture);
    }
    free(text);
}

TEST(guide_of_all_families)
{
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_plan *plan = plan_of(specs[i]);
        check_guide(plan);
        sf_plan_free(plan);
    }
}

/* Titles say R0 where tables say R0.1 and R0.2. */
TEST(guide_explains_names_that_racks_share)
{
    static const struct {
        const char *spec, *sentence; /* NULL: none. */
    } cases[] = {
        { "sf:q=5", NULL },
        { "sf:q=7", "racks share: R0 is R0.1 and R0.2.</li>" },
        { "sf:q=13", "racks share: R0 is R0.1 to R0.4.</li>" },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_plan *plan = plan_of(cases[i].spec);
        char *text = text_of(plan, sf_guide_write_html);
        const char *found = strstr(text, "racks share: ");
        CHECK_EQ(found != NULL, cases[i].sentence != NULL);
        if (found && cases[i].sentence) {
            CHECK_FOR(
                !strncmp(found, cases[i].sentence, strlen(cases[i].sentence)),
                "%s: %.60s", cases[i].spec, found);
        }
        free(text);
        sf_plan_free(plan);
    }
}

/* At q = 5 all racks are wired alike in step 1; in step 2 racks r and -r are,
 * so that there are 3 kinds of them. */
TEST(guide_draws_equal_racks_once)
{
    struct sf_plan *plan = plan_of("sf:q=5");
    char *text = text_of(plan, sf_guide_write_html);

    CHECK_EQ(count(text, "<h3>Step 1: R0 to R4</h3>"), 1);
    CHECK_EQ(count(text, "<h3>Step 2: R0</h3>"), 1);
    CHECK_EQ(count(text, "<h3>Step 2: R1 and R4</h3>"), 1);
    CHECK_EQ(count(text, "<h3>Step 2: R2 and R3</h3>"), 1);
    CHECK_EQ(count(text, "<svg "), 1 + 1 + 3 + 10);
    CHECK_EQ(count(text, ">sf-1-*-2</text>"), 3);
    CHECK_EQ(count(text, ">sf-1-0-2</text>"), 1 + 4);
    free(text);
    sf_plan_free(plan);
}

/* One rack that differs by one cable's port has a drawing of its own. */
TEST(guide_compares_racks_port_by_port)
{
    struct sf_plan *plan = plan_of("sf:q=5");
    struct sf_cable *found[2] = { NULL, NULL };
    uint32_t n = 0;

    for (uint32_t i = 0; n < 2; i++) {
        struct sf_cable *cable = &plan->cables[i];
        if (cable->step == SF_STEP_SUBGROUP &&
            sf_plan_group(plan, plan->fabric->ports[cable->a].node) == 3) {
            found[n++] = cable;
        }
    }
    uint32_t b = found[0]->b;
    found[0]->b = found[1]->b;
    found[1]->b = b;
    char *text = text_of(plan, sf_guide_write_html);
    CHECK_EQ(count(text, "<h3>Step 1: R0, R1, R2 and R4</h3>"), 1);
    CHECK_EQ(count(text, "<h3>Step 1: R3</h3>"), 1);
    CHECK_EQ(count(text, "<svg "), 1 + 2 + 3 + 10);
    free(text);
    sf_plan_free(plan);
}

/* Units count too: a switch that stands elsewhere makes another drawing. */
TEST(guide_compares_racks_unit_by_unit)
{
    struct sf_plan *plan = plan_of("sf:q=5");
    uint32_t s = sf_fabric_find(plan->fabric, "sf-1-2-4");

    CHECK(s != SF_NONE);
    plan->fabric->nodes[s].unit--;
    char *text = text_of(plan, sf_guide_write_html);
    CHECK_EQ(count(text, "<h3>Step 1: R0, R1, R3 and R4</h3>"), 1);
    CHECK_EQ(count(text, "<h3>Step 1: R2</h3>"), 1);
    free(text);
    sf_plan_free(plan);
}

/* 64 cables in a pod are too many for a page: the sheets have each once. */
TEST(guide_cuts_into_sheets)
{
    struct sf_plan *plan = plan_of("ft3:ports=16");
    char *text = text_of(plan, sf_guide_write_html);

    CHECK_EQ(count(text, "Sheet 1 of 2"), 1);
    CHECK_EQ(count(text, "Sheet 2 of 2"), 1);
    for (unsigned i = 1; i <= 64; i++) {
        char label[32];
        snprintf(label, sizeof label, ">#%u</text>", i);
        CHECK_FOR(count(text, label) == 2, "%s", label);
    }
    free(text);
    check_guide(plan);
    sf_plan_free(plan);
}

TEST(guide_of_a_large_network)
{
    struct sf_plan *plan = plan_of("sf:q=19");
    char *text = text_of(plan, sf_guide_write_html);

    check_well_formed(text);
    CHECK_EQ(count(text, "<td class=\"t\">"), plan->n_cables);
    CHECK_EQ(count(text, " id=\"pair-"), 171);
    free(text);
    sf_plan_free(plan);
}

static void
check_labels(const struct sf_plan *plan)
{
    char *text = text_of(plan, sf_labels_write_html);
    const char *at = text;

    check_well_formed(text);
    CHECK_EQ(count(text, "<div>"), 2 * plan->n_cables);
    CHECK_EQ(count(text, "<section>"), (2 * plan->n_cables + 26) / 27);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        char ends[2][512];
        for (int e = 0; e < 2; e++) {
            const struct sf_port *port =
                &plan->fabric->ports[e ? cable->b : cable->a];
            char place[SF_PLACE_SIZE], name[256];
            escape(plan->fabric->nodes[port->node].name, name, sizeof name);
            snprintf(ends[e], sizeof ends[e], "<span>%s %s port %u</span>",
                     sf_plan_place(plan, port->node, place), name,
                     port->number);
        }
        for (int e = 0; e < 2; e++) {
            char label[2200];
            snprintf(label, sizeof label,
                     "<b>%s</b><p>this end:%s</p><p>far end:%s</p></div>",
                     cable->label, ends[e], ends[1 - e]);
            at = find(at, label);
            CHECK_FOR(at != NULL, "no label %s", label);
        }
    }
    free(text);
}

TEST(guide_labels_of_all_families)
{
    for (size_t i = 0; i < ARRAY_SIZE(specs); i++) {
        struct sf_plan *plan = plan_of(specs[i]);
        check_labels(plan);
        sf_plan_free(plan);
    }
}

/* Planned names have no quotes, but names that were found may. */
TEST(guide_escapes_names)
{
    struct temporary file =
        temporary_write("a<b&c>d </text>\na<b&c>d <script>\n"
                        "</text> &amp;\n<script> x\n");
    char spec[128];

    snprintf(spec, sizeof spec, "edges:%s", file.name);
    struct sf_plan *plan = plan_of(spec);
    temporary_remove(&file);
    uint32_t s = sf_fabric_find(plan->fabric, "a<b&c>d");
    CHECK(s != SF_NONE);
    free(plan->fabric->nodes[s].name);
    plan->fabric->nodes[s].name = sf_strdup("a\"b<c&d'e");
    check_diagram(plan, SF_STEP_RACK, 0, 0);
    check_guide(plan);
    check_labels(plan);
    sf_plan_free(plan);
}

TEST(guide_refuses_what_is_not_in_the_plan)
{
    struct sf_plan *plan = plan_of("sf:q=3");
    struct sf_error err = { 0 };

    CHECK_EQ(sf_diagram_write_step(plan, SF_STEP_HOSTS, 0, stdout, &err),
             SF_EINVAL);
    CHECK_EQ(sf_diagram_write_step(plan, SF_STEP_RACKS, 0, stdout, &err),
             SF_EINVAL);
    CHECK_EQ(sf_diagram_write_step(plan, SF_STEP_RACK, 3, stdout, &err),
             SF_EINVAL);
    CHECK_STR(err.text, "no rack R3; the plan has R0 to R2");
    CHECK_EQ(sf_diagram_write_pair(plan, 0, 3, stdout, &err), SF_EINVAL);
    CHECK_EQ(sf_diagram_write_pair(plan, 1, 1, stdout, NULL), SF_EINVAL);
    sf_plan_free(plan);
}

/* Writes a diagram or the guide while the nth allocation fails. */
static enum sf_status
write_poorly(const struct sf_plan *plan, int what, unsigned long nth,
             struct sf_error *err)
{
    FILE *stream = fopen("/dev/null", "w");
    enum sf_status status = SF_OK;

    CHECK(stream != NULL);
    sf_mem_fail_at(nth);
    switch (what) {
    case 0:
        status = sf_diagram_write_step(plan, SF_STEP_SUBGROUP, 0, stream, err);
        break;
    case 1:
        status = sf_diagram_write_pair(plan, 0, 1, stream, err);
        break;
    default:
        status = sf_guide_write_html(plan, stream, err);
    }
    sf_mem_fail_at(0);
    fclose(stream);
    return status;
}

TEST(guide_without_memory)
{
    struct sf_plan *plan = plan_of("sf:q=3");

    for (int what = 0; what < 3; what++) {
        enum sf_status status = SF_ENOMEM;
        for (unsigned long nth = 1; status != SF_OK; nth++) {
            struct sf_error err = { 0 };
            status = write_poorly(plan, what, nth, &err);
            CHECK_FOR(status == SF_OK || (status == SF_ENOMEM && err.text[0]),
                      "status %d at allocation %lu", (int)status, nth);
            CHECK(nth < 1000);
            CHECK(status == SF_ENOMEM || nth > 5);
        }
    }
    sf_plan_free(plan);
}
