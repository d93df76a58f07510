/* chart_heat.c -- heat maps: a matrix as colours, and what the colours mean.
 *
 * The colours are those of viridis: they grow lighter evenly, for any colour
 * vision and in grey print. */
#include "report/chart_parts.h"

#include <math.h>
#include <stdlib.h>

#define N_SHADES  64
#define GAP       14.0 /* From the map to the bar of its colours. */
#define BAR       14.0
#define MAX_NOTED 4096 /* Cells of larger maps have no notes. */

#define MIN_NUMBER 5.5 /* Smaller numbers in cells are left out. */

/* Shades of diverging maps that are so far from the middle are dark. */
#define DARK 22

static void
write_shade(const struct sf_chart_heat *heat, int shade, FILE *stream)
{
    static const unsigned char even[][3] = {
        { 68, 1, 84 },    { 71, 45, 123 },  { 59, 82, 139 },
        { 44, 114, 142 }, { 33, 145, 140 }, { 40, 174, 128 },
        { 94, 201, 98 },  { 173, 220, 48 }, { 253, 231, 37 },
    };
    static const unsigned char parting[][3] = {
        { 127, 59, 8 },    { 179, 88, 6 },    { 224, 130, 20 },
        { 253, 196, 120 }, { 247, 247, 247 }, { 178, 210, 235 },
        { 103, 163, 212 }, { 44, 110, 176 },  { 8, 58, 120 },
    };
    const unsigned char(*stops)[3] = heat->is_diverging ? parting : even;
    int place = shade * 8, stop = place / (N_SHADES - 1);
    int part = place % (N_SHADES - 1);
    const unsigned char *from = stops[stop];
    const unsigned char *to = stops[stop < 8 ? stop + 1 : 8];

    fputc('#', stream);
    for (int i = 0; i < 3; i++) {
        fprintf(
            stream, "%02x",
            (unsigned)(from[i] + (to[i] - from[i]) * part / (N_SHADES - 1)));
    }
}

/* The ruler of the colours, upright beside the map. */
static void
set_ruler(const struct sf_chart_frame *frame, struct sf_chart_ruler *ruler)
{
    const struct sf_chart_heat *heat = frame->panel->heat;
    struct sf_chart_range range = { .min = (double)INFINITY,
                                    .max = -(double)INFINITY,
                                    .least = (double)INFINITY };
    struct sf_chart_axis axis = heat->scale;

    for (size_t i = 0; i < (size_t)heat->n_rows * heat->n_columns; i++) {
        sf_chart_range_add(&range, heat->values[i]);
    }
    axis.is_tight = true;
    ruler->from = frame->top + frame->height;
    ruler->to = frame->top;
    sf_chart_ruler_set(ruler, &axis, &range, true);
}

double
sf_chart_heat_room(const struct sf_chart_frame *frame)
{
    struct sf_chart_ruler ruler;

    set_ruler(frame, &ruler);
    return GAP + BAR + 10 + sf_chart_ticks_width(&ruler) +
           (frame->panel->heat->scale.label ? 22 : 0);
}

/* The shade of a value; -1 for none. */
static int
shade_of(const struct sf_chart_ruler *ruler, double value)
{
    if (!sf_chart_has_place(ruler, value)) {
        return -1;
    }
    double share = (sf_chart_clamp(ruler, value) - ruler->from) /
                   (ruler->to - ruler->from);
    return (int)fmin(floor(share * N_SHADES), N_SHADES - 1);
}

static void
write_place(const struct sf_chart_axis *axis, uint32_t i, FILE *stream)
{
    if (axis->scale == SF_CHART_NAMES && i < axis->n_ticks) {
        sf_chart_print(stream, "%s", axis->names[i]);
    } else {
        sf_chart_print(stream, "%u", i);
    }
}

static void
write_cell_note(const struct sf_chart_panel *panel, uint32_t row,
                uint32_t column, FILE *stream)
{
    const struct sf_chart_heat *heat = panel->heat;
    char text[32];

    sf_chart_format(heat->values[(size_t)row * heat->n_columns + column], text,
                    sizeof text);
    fputs("<title>", stream);
    write_place(&panel->y, row, stream);
    fputs(", ", stream);
    write_place(&panel->x, column, stream);
    sf_chart_print(stream, ": %s%s", text,
                   heat->scale.unit ? heat->scale.unit : "");
    if (heat->notes) {
        sf_chart_print(stream, " %s",
                       heat->notes[(size_t)row * heat->n_columns + column]);
    }
    fputs("</title>", stream);
}

/* As large as usual, or less where cells are narrow on paper: the number of a
 * cell has three digits and perhaps a sign. */
static double
number_size(const struct sf_chart_frame *frame)
{
    double cell = frame->width / frame->panel->heat->n_columns;

    return frame->paper ? fmin(10, cell / 2.6) : 10;
}

/* Cells on paper reach below the next ones: otherwise programs that smooth
 * edges show what is behind between them. */
static double
overlap(const struct sf_chart_frame *frame, bool is_last)
{
    return frame->paper && !is_last ? 0.5 : 0;
}

/* Writes the number of a cell into it. */
static void
write_number(const struct sf_chart_frame *frame, int shade, uint32_t row,
             uint32_t column, FILE *stream)
{
    const struct sf_chart_heat *heat = frame->panel->heat;
    size_t cell = (size_t)row * heat->n_columns + column;
    double width = frame->width / heat->n_columns;
    double height = frame->height / heat->n_rows;
    bool is_dark = heat->is_diverging
                       ? abs(2 * shade - N_SHADES + 1) > 2 * DARK
                       : shade < N_SHADES / 2;

    if (shade >= 0 && number_size(frame) >= MIN_NUMBER) {
        sf_chart_print(
            stream,
            "<text x=\"%f\" y=\"%f\" text-anchor=\"middle\" "
            "pointer-events=\"none\" style=\"font:%s %fpx %s;"
            "fill:%s\">%f</text>\n",
            frame->left + (column + 0.5) * width,
            frame->top + (row + 0.5) * height + 3.5,
            heat->is_slanted && heat->is_slanted[cell] ? "italic" : "normal",
            number_size(frame),
            frame->paper ? frame->paper->family : "sans-serif",
            is_dark ? "#fff" : "#222", (double)lround(heat->values[cell]));
    }
}

/* Cells 'column' to before 'end' of a row, which share a shade. */
static void
draw_cells(const struct sf_chart_frame *frame, int shade, uint32_t row,
           uint32_t column, uint32_t end, FILE *stream)
{
    const struct sf_chart_heat *heat = frame->panel->heat;
    bool has_note = (size_t)heat->n_rows * heat->n_columns <= MAX_NOTED;
    double width = frame->width / heat->n_columns;
    double height = frame->height / heat->n_rows;

    sf_chart_print(stream,
                   "<rect x=\"%f\" y=\"%f\" width=\"%f\" "
                   "height=\"%f\"",
                   frame->left + column * width, frame->top + row * height,
                   (end - column) * width +
                       overlap(frame, end == heat->n_columns),
                   height + overlap(frame, row + 1 == heat->n_rows));
    if (shade < 0) {
        fputs(" class=\"void\"", stream);
    } else {
        fputs(" fill=\"", stream);
        write_shade(heat, shade, stream);
        fputc('"', stream);
    }
    if (has_note) {
        fputc('>', stream);
        write_cell_note(frame->panel, row, column, stream);
        fputs("</rect>\n", stream);
    } else {
        fputs("/>\n", stream);
    }
}

static void
draw_map(const struct sf_chart_frame *frame,
         const struct sf_chart_ruler *ruler, FILE *stream)
{
    const struct sf_chart_heat *heat = frame->panel->heat;
    bool has_note = (size_t)heat->n_rows * heat->n_columns <= MAX_NOTED;

    fputs("<g shape-rendering=\"crispEdges\">\n", stream);
    for (uint32_t row = 0; row < heat->n_rows; row++) {
        const double *values = heat->values + (size_t)row * heat->n_columns;
        for (uint32_t i = 0, end; i < heat->n_columns; i = end) {
            int shade = shade_of(ruler, values[i]);
            end = i + 1;
            while (!has_note && end < heat->n_columns &&
                   shade_of(ruler, values[end]) == shade) {
                end++;
            }
            draw_cells(frame, shade, row, i, end, stream);
            if (heat->has_numbers && has_note) {
                write_number(frame, shade, row, i, stream);
            }
        }
    }
    fputs("</g>\n", stream);
}

static void
draw_colors(const struct sf_chart_frame *frame,
            const struct sf_chart_ruler *ruler, FILE *stream)
{
    double left = frame->left + frame->width + GAP;
    double step = frame->height / N_SHADES;

    fputs("<g shape-rendering=\"crispEdges\">\n", stream);
    for (int i = 0; i < N_SHADES; i++) {
        sf_chart_print(stream,
                       "<rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" "
                       "fill=\"",
                       left, ruler->from - (i + 1) * step, BAR,
                       step + overlap(frame, i == 0));
        write_shade(frame->panel->heat, i, stream);
        fputs("\"/>\n", stream);
    }
    fputs("</g>\n", stream);
    for (uint32_t i = 0; i < ruler->n_ticks; i++) {
        double y = sf_chart_at(ruler, ruler->ticks[i].at);
        sf_chart_print(stream, "<path class=\"axis\" d=\"M%f %fh4\"/>\n",
                       left + BAR, y);
        sf_chart_write(stream, left + BAR + 7, y + 4, "start", "small",
                       ruler->ticks[i].text);
    }
}

void
sf_chart_draw_heat(const struct sf_chart_frame *frame, FILE *stream)
{
    struct sf_chart_ruler ruler;
    const char *label = frame->panel->heat->scale.label;
    double x = frame->left + frame->width + sf_chart_heat_room(frame) - 6;

    set_ruler(frame, &ruler);
    draw_map(frame, &ruler, stream);
    draw_colors(frame, &ruler, stream);
    if (label) {
        sf_chart_write_upright(stream, x, frame->top + frame->height / 2,
                               label, frame->height);
    }
}
