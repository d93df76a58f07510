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

static enum sf_status
write_plain(const struct sf_plan *plan, FILE *stream, struct sf_error *err)
{
    return sf_labels_write_html(plan, NULL, stream, err);
}

static enum sf_status
write_wrap(const struct sf_plan *plan, FILE *stream, struct sf_error *err)
{
    return sf_labels_write_wrap(plan, NULL, stream, err);
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
        if (!is_end && strncmp(name, "script>", 7) == 0) {
            at = find(at, "</script>"); /* Which no entity can stand in. */
            CHECK(at != NULL);
        }
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

#define BOX "<input type=\"checkbox\"/>"

/* Writes the cells of a table for one end of a cable. */
static void
cells_of(const struct sf_plan *plan, uint32_t port, char *cells, size_t size)
{
    const struct sf_port *at = &plan->fabric->ports[port];
    const struct sf_node *node = &plan->fabric->nodes[at->node];
    char name[256];

    escape(node->name, name, sizeof name);
    snprintf(cells, size,
             "<td><label>" BOX "%s</label></td><td>U%u</td><td>%s</td>"
             "<td>%u</td>",
             plan->racks[node->rack].name, node->unit, name, at->number);
}

/* Every cable has one row, with both ends, its length and its medium, and a
 * box for each end and for both. */
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
                         "<tr><th><label>" BOX "%s</label></th>%s%s"
                         "<td>%g m</td><td>%s</td></tr>",
                         cable->label, a, b, cable->length,
                         cable->medium == SF_COPPER ? "copper" : "optical");
        /* Mostly the rows follow each other. */
        at = find(at, row);
        at = at ? at : find(text, row);
        CHECK_FOR(at != NULL, "%s: no row %s", plan->spec, row);
        at += n;
    }
    CHECK_EQ(count(text, BOX), 3 * plan->n_cables);
}

/* Every link leads somewhere, and to one place. */
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
    CHECK_EQ(count(text, "://"), 0); /* Nothing is loaded. */
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

/* At q = 5 all racks are wired alike in step 1; in step 2 racks r and -r
 * are. */
TEST(guide_names_racks_that_are_wired_alike)
{
    struct sf_plan *plan = plan_of("sf:q=5");
    char *text = text_of(plan, sf_guide_write_html);

    CHECK_EQ(count(text, "<h3>Step 1: R3</h3>\n<p>10 cables. Wired as R0, "
                         "unit by unit and port by port.</p>"),
             1);
    CHECK_EQ(count(text, "<h3>Step 2: R0</h3>\n<p>5 cables.</p>"), 1);
    CHECK_EQ(count(text, "<h3>Step 2: R4</h3>\n<p>5 cables. Wired as R1,"), 1);
    CHECK_EQ(count(text, "Wired as "), 4 + 2);
    CHECK_EQ(count(text, "<svg "), 1 + 5 + 5 + 10);
    free(text);
    sf_plan_free(plan);
}

/* One rack that differs by one cable's port is not alike. */
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
    CHECK_EQ(count(text, "<h3>Step 1: R3</h3>\n<p>10 cables.</p>"), 1);
    CHECK_EQ(count(text, "Wired as "), 3 + 2);
    free(text);
    sf_plan_free(plan);
}

/* Units count too. */
TEST(guide_compares_racks_unit_by_unit)
{
    struct sf_plan *plan = plan_of("sf:q=5");
    uint32_t s = sf_fabric_find(plan->fabric, "sf-1-2-4");

    CHECK(s != SF_NONE);
    plan->fabric->nodes[s].unit--;
    char *text = text_of(plan, sf_guide_write_html);
    CHECK_EQ(count(text, "<h3>Step 1: R2</h3>\n<p>10 cables.</p>"), 1);
    free(text);
    sf_plan_free(plan);
}

/* The plan's identity, as the guide has it. */
static void
identity_of(const struct sf_plan *plan, char identity[64])
{
    char *text = text_of(plan, sf_guide_write_html);

    attribute(find(text, "<body "), "data-plan", identity, 64);
    CHECK_EQ(strlen(identity), 16);
    free(text);
}

/* Ticks are kept by it: it changes with the cables and with nothing else. */
TEST(guide_knows_its_plan)
{
    struct sf_plan *plan = plan_of("sf:q=4"), *again = plan_of("sf:q=4");
    char first[64], other[64];

    identity_of(plan, first);
    again->cables[7].length += 1;
    identity_of(again, other);
    CHECK_STR(first, other);
    again->cables[7].label[5]++;
    identity_of(again, other);
    CHECK(strcmp(first, other) != 0);
    again->cables[7].label[5]--;
    again->cables[7].b = again->cables[8].b;
    identity_of(again, other);
    CHECK(strcmp(first, other) != 0);
    again->cables[7].b = plan->cables[7].b;
    again->fabric->nodes[3].unit++;
    identity_of(again, other);
    CHECK(strcmp(first, other) != 0);
    sf_plan_free(again);
    sf_plan_free(plan);
}

/* 64 cables in a pod are too many for a page: the sheets have each once, and
 * the table of a sheet has the cables of its drawing. */
TEST(guide_cuts_into_sheets)
{
    struct sf_plan *plan = plan_of("ft3:ports=16");
    char *text = text_of(plan, sf_guide_write_html);
    uint32_t n_sheets = 0, n_cables = 0;

    CHECK_EQ(count(text, "<h3>Step 2: R3, sheet 2 of 4</h3>"), 1);
    for (const char *at = find(text, "<div class=\"sheet\">"); at;
         at = find(at + 1, "<div class=\"sheet\">")) {
        const char *row = find(at, "<tbody>");
        struct picture picture = read_picture(find(at, "<svg "));
        CHECK(picture.lines.n <= 24);
        for (size_t i = 0; i < picture.lines.n; i++) {
            char label[32];
            row = find(row + 1, "<tr>");
            content(find(row, "<input"), label, sizeof label);
            CHECK_STR(label, picture.lines.items[i].label);
        }
        CHECK(find(row + 1, "<tr>") == NULL ||
              find(row, "</table>") < find(row + 1, "<tr>"));
        n_sheets++;
        n_cables += (uint32_t)picture.lines.n;
        clear_picture(&picture);
    }
    CHECK(n_sheets > 64);
    CHECK_EQ(n_cables, 2 * 16 * 64);
    free(text);
    check_guide(plan);
    sf_plan_free(plan);
}

TEST(guide_of_a_large_network)
{
    struct sf_plan *plan = plan_of("sf:q=19");
    char *text = text_of(plan, sf_guide_write_html);

    check_well_formed(text);
    CHECK_EQ(count(text, "<tr><th><label>"), plan->n_cables);
    CHECK_EQ(count(text, " id=\"pair-"), 171);
    free(text);
    sf_plan_free(plan);
}

/* Writes what a plain label and a wrap-around one say of an end. */
static void
label_of(const struct sf_plan *plan, uint32_t port, bool is_wrap, char *words,
         size_t size)
{
    const struct sf_port *at = &plan->fabric->ports[port];
    char place[SF_PLACE_SIZE], name[256] = "";
    int n = snprintf(words, size, "<span>%s port %u</span>",
                     sf_plan_place(plan, at->node, place), at->number);

    if (!is_wrap) {
        escape(plan->fabric->nodes[at->node].name, name, sizeof name);
        snprintf(words + n, size - (size_t)n, "<br/>%s", name);
    }
}

/* Every cable has two labels, each with its own end first, and one code. */
static void
check_labels(const struct sf_plan *plan, bool is_wrap, uint32_t n_a_sheet)
{
    char *text = text_of(plan, is_wrap ? write_wrap : write_plain);
    const char *at = text;

    check_well_formed(text);
    CHECK_EQ(count(text, "<article>"), 2 * plan->n_cables);
    CHECK_EQ(count(text, "<section>"),
             (2 * plan->n_cables + n_a_sheet - 1) / n_a_sheet);
    CHECK_EQ(count(text, "://"), 0);
    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        char ends[2][512], code[64];
        label_of(plan, cable->a, is_wrap, ends[0], sizeof ends[0]);
        label_of(plan, cable->b, is_wrap, ends[1], sizeof ends[1]);
        for (int e = 0; e < 2; e++) {
            char label[2200];
            snprintf(code, sizeof code,
                     e ? "<use href=\"#%s\"/>" : "<path id=\"%s\" d=\"M",
                     cable->label);
            at = find(at, code);
            CHECK_FOR(at != NULL, "no code %s", code);
            snprintf(label, sizeof label,
                     is_wrap ? "<b>%s</b><div>%s<br/>to<br/>%s</div><b>%s</b>"
                             : "<b>%s</b><p>this end %s</p><p>far end %s</p>",
                     cable->label, ends[e], ends[1 - e], cable->label);
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
        check_labels(plan, false, 3 * 9);
        check_labels(plan, true, 8 * 5);
        sf_plan_free(plan);
    }
}

/* As many as fit go on a sheet, and marks stand at their corners. */
TEST(guide_labels_of_other_sizes)
{
    static const struct {
        double width, height;
        uint32_t n; /* On a sheet; 0: refused. */
    } cases[] = {
        { 70, 32, 27 }, { 105, 99, 6 },         { 210, 297, 1 },
        { 211, 32, 0 }, { 70, 298, 0 },         { 4, 32, 0 },
        { 70, 4, 0 },   { (double)NAN, 32, 0 }, { 70, (double)NAN, 0 },
        { -1, -1, 0 },
    };
    struct sf_plan *plan = plan_of("sf:q=3");

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct sf_label_sizes sizes = { cases[i].width, cases[i].height,
                                        cases[i].width, cases[i].height,
                                        cases[i].height };
        for (int is_wrap = 0; is_wrap < 2; is_wrap++) {
            char *text = NULL;
            size_t size = 0;
            struct sf_error err = { 0 };
            FILE *stream = open_memstream(&text, &size);
            CHECK(stream != NULL);
            enum sf_status status =
                (is_wrap ? sf_labels_write_wrap
                         : sf_labels_write_html)(plan, &sizes, stream, &err);
            CHECK_EQ(fclose(stream), 0);
            CHECK_EQ(status, cases[i].n ? SF_OK : SF_EINVAL);
            CHECK(cases[i].n || find(err.text, "expected at least 5 x 5 mm"));
            CHECK(!cases[i].n ||
                  count(text, "<section>") ==
                      (2 * plan->n_cables + cases[i].n - 1) / cases[i].n);
            free(text);
        }
    }
    char *text = text_of(plan, write_plain);
    char cuts[8192];
    attribute(find(text, " id=\"cuts\"") - 5, "d", cuts, sizeof cuts);
    CHECK_EQ(count(cuts, "h4"), 4 * 10);
    CHECK(find(cuts, "M68 4.5h4M70 2.5v4") != NULL);
    free(text);
    sf_plan_free(plan);
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
    check_labels(plan, false, 3 * 9);
    check_labels(plan, true, 8 * 5);
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
