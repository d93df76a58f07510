/* chart_legend.c -- which line is which: entries in rows below the panels, or
 * names in a column at the right, each joined to the end of its line. */
#include "base/mem.h"
#include "report/chart_parts.h"

#include <math.h>
#include <string.h>

#define SWATCH     41.0 /* From the start of an entry to its text. */
#define ENTRY_GAP  24.0
#define LEAD       26.0  /* From the frame to a label at an end. */
#define MAX_LABEL  360.0 /* Longer ones are cut. */
#define LINE_WIDTH 1.6
#define PAPER_STEP 16.0 /* From line to line, on paper. */

/* Seven colours and marks; then the same dashed and hollow, then dotted. */
static struct sf_chart_style
automatic_style(uint32_t number)
{
    static const char marks[][8] = { "ostdxv+", "OSTDxV+" };
    static const char *const dashes[] = { NULL, "6 3", "2 3" };
    uint32_t round = number / 7;

    return (struct sf_chart_style){
        .color = (enum sf_chart_color)(1 + number % 7),
        .mark = marks[round ? 1 : 0][number % 7],
        .dash = dashes[round < 2 ? round : 2],
    };
}

static uint32_t
find_entry(const struct sf_chart_layout *layout, const char *name)
{
    uint32_t i = 0;

    while (i < layout->n_entries &&
           strcmp(layout->entries[i].series->name, name) != 0) {
        i++;
    }
    return i;
}

static struct sf_chart_style
complete_style(const struct sf_chart_layout *layout,
               const struct sf_chart_series *series, uint32_t number)
{
    const struct sf_chart_style *style = &series->style;
    struct sf_chart_style settled = *style;

    if (settled.color == SF_CHART_AUTO) {
        settled = automatic_style(number);
        if (style->mark) {
            settled.mark = style->mark;
        }
        settled.dash = style->dash ? style->dash : settled.dash;
        settled.width = style->width;
        settled.is_pale = style->is_pale;
    }
    settled.width = settled.width > 0 ? settled.width : LINE_WIDTH;
    if (layout->paper) {
        sf_chart_style_for_paper(series->kind, number, &settled);
    }
    return settled;
}

struct sf_chart_style
sf_chart_style_of(const struct sf_chart_layout *layout,
                  const struct sf_chart_panel *panel, uint32_t series)
{
    const struct sf_chart_series *shown = &panel->series[series];

    return shown->name ? layout->entries[find_entry(layout, shown->name)].style
                       : complete_style(layout, shown, series);
}

/* Adds the names of a panel that are new; those of rules stand behind the
 * others, so they are added in a second round. */
static void
add_entries(struct sf_chart_layout *layout, const struct sf_chart_panel *panel,
            bool are_rules)
{
    for (uint32_t i = 0; i < panel->n_series; i++) {
        const struct sf_chart_series *series = &panel->series[i];
        if (series->name && are_rules == (series->kind == SF_CHART_RULE) &&
            find_entry(layout, series->name) == layout->n_entries) {
            uint32_t number = layout->n_entries++;
            layout->entries[number] = (struct sf_chart_entry){
                .series = series,
                .style = complete_style(layout, series, number),
            };
        }
    }
}

enum sf_status
sf_chart_gather_entries(struct sf_chart_layout *layout, struct sf_error *err)
{
    const struct sf_chart *chart = layout->chart;
    size_t n = 0;

    for (uint32_t i = 0; i < chart->n_panels; i++) {
        n += chart->panels[i].n_series;
    }
    layout->entries = sf_calloc(n, sizeof *layout->entries);
    if (!layout->entries) {
        return sf_fail(err, SF_ENOMEM, "chart of %zu series", n);
    }
    for (uint32_t i = 0; i < 2 * chart->n_panels; i++) {
        add_entries(layout, &chart->panels[i % chart->n_panels],
                    i >= chart->n_panels);
    }
    return SF_OK;
}

static double
most_width(const struct sf_chart_layout *layout)
{
    return layout->paper ? layout->paper->room - SWATCH : MAX_LABEL;
}

static double
label_width(const struct sf_chart_layout *layout,
            const struct sf_chart_entry *entry)
{
    return fmin(sf_chart_text_width(entry->series->name, SF_CHART_TEXT),
                most_width(layout));
}

double
sf_chart_legend_width(const struct sf_chart_layout *layout)
{
    double width = 0;

    for (uint32_t i = 0; i < layout->n_entries; i++) {
        width = fmax(width, SWATCH + label_width(layout, &layout->entries[i]));
    }
    return width;
}

/* One row, each entry as wide as it is; or else columns of one width. */
double
sf_chart_place_legend(struct sf_chart_layout *layout)
{
    double column = sf_chart_legend_width(layout) + ENTRY_GAP;
    double room = layout->width - 2 * SF_CHART_MARGIN + ENTRY_GAP;
    double step = layout->paper ? PAPER_STEP : SF_CHART_STEP;
    double all = 0, x = 0, y = layout->legend_y;

    for (uint32_t i = 0; i < layout->n_entries; i++) {
        all += SWATCH + label_width(layout, &layout->entries[i]) + ENTRY_GAP;
    }
    for (uint32_t i = 0; i < layout->n_entries; i++) {
        struct sf_chart_entry *entry = &layout->entries[i];
        double width = all <= room
                           ? SWATCH + label_width(layout, entry) + ENTRY_GAP
                           : column;
        if (x > 0 && x + width > room + 1e-6) {
            x = 0;
            y += step;
        }
        entry->x = SF_CHART_MARGIN + x;
        entry->y = y;
        x += width;
    }
    return layout->n_entries ? y + step - layout->legend_y : 0;
}

double
sf_chart_end_labels_room(const struct sf_chart_layout *layout)
{
    return LEAD + sf_chart_legend_width(layout);
}

/* Finds the end of the line of 'entry'; where there is none, the label stands
 * at the middle without a line to it. */
static void
find_end(const struct sf_chart_frame *frame, struct sf_chart_entry *entry)
{
    const struct sf_chart_series *series = entry->series;

    entry->from_x = frame->left + frame->width;
    entry->from_y = frame->top + frame->height / 2;
    for (uint32_t i = 0; i < series->n_points; i++) {
        const struct sf_chart_point *point = &series->points[i];
        if (sf_chart_is_inside(&frame->x, point->x) &&
            sf_chart_is_inside(&frame->y, point->y)) {
            entry->from_x = sf_chart_at(&frame->x, point->x);
            entry->from_y = sf_chart_at(&frame->y, point->y);
        }
    }
}

/* From the top down; stays as it is where lines end at the same place. */
static void
sort_by_end(struct sf_chart_entry *entries, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        struct sf_chart_entry entry = entries[i];
        uint32_t j = i;
        for (; j > 0 && entries[j - 1].from_y > entry.from_y; j--) {
            entries[j] = entries[j - 1];
        }
        entries[j] = entry;
    }
}

/* Labels next to each other, from 'first' on. */
struct block {
    uint32_t first, n;
    double sum; /* Of the places that they would like. */
    double top;
};

static double
top_of(const struct sf_chart_frame *frame, const struct block *block)
{
    double height = (block->n - 1) * SF_CHART_STEP;
    double top = block->sum / block->n - height / 2;

    top = fmin(top, frame->top + frame->height - height);
    return fmax(top, frame->top);
}

/* Labels that would touch form a block around the middle of their lines'
 * ends; a block that touches the one above joins it. */
static void
spread_labels(const struct sf_chart_frame *frame,
              struct sf_chart_entry *entries, uint32_t n, struct block *blocks)
{
    uint32_t n_blocks = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct block block = { i, 1, entries[i].from_y, 0 };
        block.top = top_of(frame, &block);
        while (n_blocks > 0 && blocks[n_blocks - 1].top +
                                       blocks[n_blocks - 1].n * SF_CHART_STEP >
                                   block.top) {
            const struct block *above = &blocks[--n_blocks];
            block.first = above->first;
            block.n += above->n;
            block.sum += above->sum;
            block.top = top_of(frame, &block);
        }
        blocks[n_blocks++] = block;
    }
    for (uint32_t i = 0; i < n_blocks; i++) {
        for (uint32_t j = 0; j < blocks[i].n; j++) {
            struct sf_chart_entry *entry = &entries[blocks[i].first + j];
            entry->x = frame->left + frame->width + LEAD;
            entry->y = blocks[i].top + j * SF_CHART_STEP;
        }
    }
}

enum sf_status
sf_chart_place_end_labels(struct sf_chart_layout *layout, struct sf_error *err)
{
    const struct sf_chart_frame *frame = &layout->frames[0];
    struct block *blocks = sf_calloc(layout->n_entries, sizeof *blocks);

    if (!blocks) {
        return sf_fail(err, SF_ENOMEM, "labels of %u series",
                       layout->n_entries);
    }
    for (uint32_t i = 0; i < layout->n_entries; i++) {
        find_end(frame, &layout->entries[i]);
    }
    sort_by_end(layout->entries, layout->n_entries);
    spread_labels(frame, layout->entries, layout->n_entries, blocks);
    free(blocks);
    return SF_OK;
}

static void
draw_lead(const struct sf_chart_frame *frame,
          const struct sf_chart_entry *entry, FILE *stream)
{
    double right = frame->left + frame->width;

    sf_chart_print(stream,
                   "<path class=\"line lead c%u\" d=\"M%f %fL%f %fL%f "
                   "%f\"/>\n",
                   (unsigned)entry->style.color,
                   fmin(entry->from_x + 6, right), entry->from_y, right + 4,
                   entry->from_y, entry->x - 3, entry->y);
}

void
sf_chart_draw_legend(const struct sf_chart_layout *layout, FILE *stream)
{
    for (uint32_t i = 0; i < layout->n_entries; i++) {
        const struct sf_chart_entry *entry = &layout->entries[i];
        char name[SF_CHART_NOTE_SIZE];
        if (layout->chart->has_end_labels) {
            draw_lead(&layout->frames[0], entry, stream);
        }
        sf_chart_draw_swatch(layout, entry, stream);
        sf_chart_shorten(entry->series->name, SF_CHART_TEXT,
                         most_width(layout), name, sizeof name);
        sf_chart_print(stream,
                       "<text fill=\"currentColor\" x=\"%f\" y=\"%f\">%s"
                       "</text>\n",
                       entry->x + SWATCH, entry->y + 4, name);
    }
}
