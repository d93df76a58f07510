/* labels.c -- labels for both ends of each cable, on sheets of A4: plain ones,
 * and ones that wrap around the cable.
 *
 * By default plain labels are 70 x 32 mm, 3 x 9 on a sheet that they cover
 * from side to side; such sheets are sold under many names.
 *
 * A wrap-around label is laid around the cable: its upper part is printed, the
 * rest is clear and covers the print.  Its lines run along the cable.  The
 * label stands on the first line and on the last, which meet again on the
 * other side of the cable, so that it is seen from everywhere. */
#include "slimfly/guide.h"

#include "io/xml.h"
#include "report/page.h"
#include "report/qr.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define PAPER_WIDTH  210.0
#define PAPER_HEIGHT 297.0
#define SMALLEST     5.0 /* Of anything in mm. */
#define CUT          2.0 /* Half the length of a mark. */
#define WRAP_CELLS   10  /* Letters on a line of a wrap-around label. */

const struct sf_label_sizes sf_label_sizes_default = {
    .width = 70,
    .height = 32,
    .wrap_width = 25,
    .wrap_print = 19,
    .wrap_length = 57,
};

/* Labels that are written, in mm. */
struct labels {
    const struct sf_plan *plan;
    FILE *stream;
    bool is_wrap;
    double width, height; /* Of one, with what is clear. */
    uint32_t n_columns, n_rows;
    double left, top; /* Margins of the sheet. */
};

/* One end of a cable and what its label says. */
struct tag {
    const struct sf_cable *cable;
    uint32_t this_end, far_end;
};

/* Writes the name of a port where there is little room: on a line of its own,
 * and smaller if it is long. */
static void
write_short_of_room(const char *name, FILE *stream)
{
    size_t length = strlen(name);

    if (length > WRAP_CELLS) {
        fprintf(stream, "<br/><small style=\"font-size:%zu%%\">%s</small>",
                100 * (size_t)WRAP_CELLS / length, name);
    } else {
        fprintf(stream, "<br/>%s", name);
    }
}

static void
write_place(const struct labels *labels, uint32_t port)
{
    const struct sf_fabric *fabric = labels->plan->fabric;
    const struct sf_port *at = &fabric->ports[port];
    char place[SF_PLACE_SIZE], name[SF_PORT_NAME_SIZE];

    sf_xml_write(sf_plan_place(labels->plan, at->node, place), labels->stream);
    sf_fabric_port_name(fabric, at->node, at->number, name);
    if (labels->is_wrap &&
        sf_port_names_exist(
            &fabric->port_names[fabric->nodes[at->node].kind])) {
        write_short_of_room(name, labels->stream);
    } else {
        fprintf(labels->stream, " port %s", name);
    }
}

static void
write_end(const struct labels *labels, const char *which, uint32_t port)
{
    const struct sf_fabric *fabric = labels->plan->fabric;

    fprintf(labels->stream, "<p>%s end <span>", which);
    write_place(labels, port);
    fputs("</span><br/>", labels->stream);
    sf_xml_write(fabric->nodes[fabric->ports[port].node].name, labels->stream);
    fputs("</p>", labels->stream);
}

static void
write_name(const struct tag *tag, FILE *stream)
{
    fputs("<b>", stream);
    sf_xml_write(tag->cable->label, stream);
    fputs("</b>", stream);
}

/* Writes what stands beside the code of a plain label. */
static void
write_plain(const struct labels *labels, const struct tag *tag)
{
    fputs("<div>", labels->stream);
    write_name(tag, labels->stream);
    write_end(labels, "this", tag->this_end);
    write_end(labels, "far", tag->far_end);
    fprintf(labels->stream, "</div><i>%g m %s<br/>step %d</i>",
            tag->cable->length, sf_medium_name(tag->cable->medium),
            (int)tag->cable->step);
}

/* The same for a wrap-around label. */
static void
write_wrap(const struct labels *labels, const struct tag *tag)
{
    write_name(tag, labels->stream);
    fputs("<div><span>", labels->stream);
    write_place(labels, tag->this_end);
    fputs("</span><br/>to<br/><span>", labels->stream);
    write_place(labels, tag->far_end);
    fputs("</span></div>", labels->stream);
    write_name(tag, labels->stream);
}

/* Writes the labels of cable 'i', which may stand on two sheets. */
static enum sf_status
write_cable(const struct labels *labels, uint32_t i, struct sf_error *err)
{
    const struct sf_cable *cable = &labels->plan->cables[i];
    const struct tag tags[] = { { cable, cable->a, cable->b },
                                { cable, cable->b, cable->a } };
    uint32_t n_a_sheet = labels->n_columns * labels->n_rows;
    enum sf_status status = SF_OK;
    struct sf_qr qr;

    assert(n_a_sheet > 0); /* sf_label_sizes_check() saw that one fits. */
    for (uint32_t e = 0; status == SF_OK && e < 2; e++) {
        uint32_t place = (2 * i + e) % n_a_sheet;
        if (place == 0) {
            fputs(2 * i + e ? "</section>\n<section>" : "<section>",
                  labels->stream);
            fputs("<svg class=\"cuts\"><use href=\"#cuts\"/></svg>\n",
                  labels->stream);
        }
        fputs("<article>", labels->stream);
        if (e == 0) {
            status = sf_qr_draw(&qr, cable->label, labels->stream, err);
        } else {
            sf_qr_draw_again(&qr, labels->stream);
        }
        if (labels->is_wrap) {
            write_wrap(labels, &tags[e]);
        } else {
            write_plain(labels, &tags[e]);
        }
        fputs("</article>\n", labels->stream);
    }
    return status;
}

/* Draws the marks along which sheets are cut: a cross at each corner of a
 * label. */
static void
draw_cuts(const struct labels *labels)
{
    fputs(
        "<svg width=\"0\" height=\"0\" class=\"once\"><path id=\"cuts\" d=\"",
        labels->stream);
    for (uint32_t row = 0; row <= labels->n_rows; row++) {
        for (uint32_t column = 0; column <= labels->n_columns; column++) {
            double x = labels->left + column * labels->width;
            double y = labels->top + row * labels->height;
            fprintf(labels->stream, "M%g %gh%gM%g %gv%g", x - CUT, y, 2 * CUT,
                    x, y - CUT, 2 * CUT);
        }
    }
    fputs("\"/></svg>\n", labels->stream);
}

/* Says, on the screen alone, what to print on. */
static void
write_note(const struct labels *labels, double print)
{
    fprintf(labels->stream,
            "<p class=\"note\">%u labels of %g x %g mm, %u on a sheet of A4. "
            "Print at 100 %%, without margins of the printer's own. ",
            2 * labels->plan->n_cables, labels->width, labels->height,
            labels->n_columns * labels->n_rows);
    if (labels->is_wrap) {
        fprintf(labels->stream,
                "The upper %g mm are printed and go around the cable first; "
                "the other %g mm are clear and cover them. ",
                print, labels->height - print);
    }
    fputs("Crosses are corners, to cut along.</p>\n", labels->stream);
}

static enum sf_status
write_page(struct labels *labels, double print, double scale,
           struct sf_error *err)
{
    FILE *stream = labels->stream;
    enum sf_status status = SF_OK;

    labels->n_columns = (uint32_t)floor(PAPER_WIDTH / labels->width);
    labels->n_rows = (uint32_t)floor(PAPER_HEIGHT / labels->height);
    labels->left = (PAPER_WIDTH - labels->n_columns * labels->width) / 2;
    labels->top = (PAPER_HEIGHT - labels->n_rows * labels->height) / 2;
    sf_page_begin(labels->is_wrap ? "Wrap-around labels" : "Cable labels",
                  labels->plan->spec, stream);
    fprintf(stream,
            "<style>\n:root { --columns: %u; --width: %gmm; --height: %gmm; "
            "--print: %gmm; --scale: %g; --left: %gmm; --top: %gmm; }\n",
            labels->n_columns, labels->width, labels->height, print, scale,
            labels->left, labels->top);
    sf_page_write_part(SF_LABELS_CSS, stream);
    fprintf(stream, "</style></head><body class=\"%s\">\n",
            labels->is_wrap ? "wrap" : "plain");
    write_note(labels, print);
    draw_cuts(labels);
    for (uint32_t i = 0; status == SF_OK && i < labels->plan->n_cables; i++) {
        status = write_cable(labels, i, err);
    }
    fprintf(stream, "%s</body></html>\n",
            labels->plan->n_cables ? "</section>\n" : "");
    return status;
}

/* Whether labels of this size are on paper at all. */
static bool
is_size(double width, double height)
{
    return width >= SMALLEST && height >= SMALLEST && width <= PAPER_WIDTH &&
           height <= PAPER_HEIGHT;
}

enum sf_status
sf_label_sizes_check(const struct sf_label_sizes *size, struct sf_error *err)
{
    if (!is_size(size->width, size->height)) {
        return sf_fail(err, SF_EINVAL,
                       "labels of %g x %g mm: expected at least 5 x 5 mm and "
                       "at most A4, 210 x 297 mm",
                       size->width, size->height);
    }
    if (!is_size(size->wrap_width, size->wrap_length) ||
        !is_size(size->wrap_width, size->wrap_print) ||
        size->wrap_print > size->wrap_length) {
        return sf_fail(err, SF_EINVAL,
                       "wrap-around labels of %g x %g mm, %g mm of them "
                       "printed: expected at least 5 x 5 mm, at most A4, 210 "
                       "x 297 mm, and no more print than label",
                       size->wrap_width, size->wrap_length, size->wrap_print);
    }
    return SF_OK;
}

enum sf_status
sf_labels_write_html(const struct sf_plan *plan,
                     const struct sf_label_sizes *sizes, FILE *stream,
                     struct sf_error *err)
{
    const struct sf_label_sizes *normal = &sf_label_sizes_default;
    const struct sf_label_sizes *size = sizes ? sizes : normal;
    struct labels labels = { .plan = plan,
                             .stream = stream,
                             .width = size->width,
                             .height = size->height };

    enum sf_status status = sf_label_sizes_check(size, err);
    if (status != SF_OK) {
        return status;
    }
    return write_page(
        &labels, size->height,
        fmin(size->width / normal->width, size->height / normal->height), err);
}

enum sf_status
sf_labels_write_wrap(const struct sf_plan *plan,
                     const struct sf_label_sizes *sizes, FILE *stream,
                     struct sf_error *err)
{
    const struct sf_label_sizes *normal = &sf_label_sizes_default;
    const struct sf_label_sizes *size = sizes ? sizes : normal;
    struct labels labels = { .plan = plan,
                             .stream = stream,
                             .is_wrap = true,
                             .width = size->wrap_width,
                             .height = size->wrap_length };

    enum sf_status status = sf_label_sizes_check(size, err);
    if (status != SF_OK) {
        return status;
    }
    return write_page(&labels, size->wrap_print,
                      fmin(size->wrap_width / normal->wrap_width,
                           size->wrap_print / normal->wrap_print),
                      err);
}
