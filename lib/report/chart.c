/* chart.c -- a figure from its description: the one call. */
#include "report/chart.h"

#include "report/chart_parts.h"

/* Okabe and Ito's colours [OkabeIto08], darker on white and lighter in the
 * dark, since thin lines need more contrast than areas.  Renderers that know
 * no media queries, and paper, get the light scheme.  Colours are passed on by
 * currentColor, as some renderers know no variables. */
static const char *const style_sheet =
    "svg{color:#222;fill:currentColor}"
    "text{font:12px sans-serif}.title{font:bold 16px sans-serif}"
    ".head{font:bold 13px sans-serif}.small{font:11px sans-serif}"
    ".void{fill:#d5d8dc}"
    ".grid{fill:none;stroke:#e3e6ea}.axis{fill:none;stroke:#555}"
    ".line{fill:none;stroke:currentColor}.bar{fill:currentColor}"
    ".mark{fill:currentColor;stroke:currentColor;stroke-width:1.6}"
    ".paper,.hollow{fill:#fff}"
    ".box{fill:currentColor;fill-opacity:.3;"
    "stroke:currentColor}"
    ".lead{stroke-width:.8;stroke-dasharray:1 3}.pale{opacity:.42}"
    ".c1{color:#005f9e}.c2{color:#b84400}.c3{color:#008a63}"
    ".c4{color:#c0649a}.c5{color:#d99500}.c6{color:#45a6e2}"
    ".c7{color:#000}.c8{color:#767676}";

static const char *const dark_sheet =
    "svg{color:#e4e6e8}.paper,.hollow{fill:#16181b}.void{fill:#3a3e43}"
    ".grid{stroke:#2f343a}.axis{stroke:#9aa0a6}"
    ".c1{color:#4c9fe0}.c2{color:#ea6d2a}.c3{color:#2fc39a}"
    ".c4{color:#e39ac6}.c5{color:#f5c242}.c6{color:#a9dcfa}"
    ".c7{color:#f6f6f6}.c8{color:#9a9ea3}";

static void
begin(const struct sf_chart_layout *layout, FILE *stream)
{
    const struct sf_chart *chart = layout->chart;

    sf_chart_print(stream,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%f\" "
                   "height=\"%f\" viewBox=\"0 0 %f %f\" role=\"img\" "
                   "aria-label=\"%s\">\n<style>",
                   layout->width, layout->height, layout->width,
                   layout->height, chart->title);
    fputs(style_sheet, stream);
    fprintf(stream, "\n@media screen and (prefers-color-scheme:dark){%s}",
            dark_sheet);
    fputs("</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
          stream);
    if (*chart->title) {
        sf_chart_write_within(stream, SF_CHART_MARGIN, 28, "start", "title",
                              chart->title, SF_CHART_TITLE * SF_CHART_BOLD,
                              layout->width - 2 * SF_CHART_MARGIN);
    }
}

static void
write_row_names(const struct sf_chart_layout *layout, FILE *stream)
{
    for (uint32_t i = 0; layout->chart->row_names && i < layout->n_rows; i++) {
        const struct sf_chart_frame *frame =
            &layout->frames[i * layout->n_columns];
        double room = frame->left - sf_chart_left_room(frame) - 8;
        sf_chart_write_within(
            stream, SF_CHART_MARGIN, frame->top + frame->height / 2 + 4,
            "start", "head", layout->chart->row_names[i],
            SF_CHART_HEAD * SF_CHART_BOLD, room - SF_CHART_MARGIN);
    }
}

static void
draw_panel(const struct sf_chart_layout *layout,
           const struct sf_chart_frame *frame, FILE *stream)
{
    const struct sf_chart_heat *heat = frame->panel->heat;

    sf_chart_draw_frame(layout, frame, stream);
    if (heat && heat->n_rows && heat->n_columns) {
        sf_chart_draw_heat(frame, stream);
    }
    sf_chart_draw_series(layout, frame, stream);
    sf_chart_draw_axes(frame, stream);
}

void
sf_chart_draw_content(const struct sf_chart_layout *layout, FILE *stream)
{
    for (uint32_t i = 0; i < layout->chart->n_panels; i++) {
        draw_panel(layout, &layout->frames[i], stream);
    }
    sf_chart_draw_shared(layout, stream);
    write_row_names(layout, stream);
    sf_chart_draw_legend(layout, stream);
}

enum sf_status
sf_chart_draw(const struct sf_chart *chart, FILE *stream, struct sf_error *err)
{
    struct sf_chart_layout layout;
    enum sf_status status = sf_chart_layout_build(chart, &layout, err);

    if (!status) {
        begin(&layout, stream);
        sf_chart_draw_content(&layout, stream);
        if (*chart->note) {
            sf_chart_write_within(stream, SF_CHART_MARGIN, layout.height - 14,
                                  "start", "small", chart->note,
                                  SF_CHART_SMALL,
                                  layout.width - 2 * SF_CHART_MARGIN);
        }
        fputs("</svg>\n", stream);
    }
    sf_chart_layout_clear(&layout);
    return status;
}
