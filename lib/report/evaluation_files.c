/* evaluation_files.c -- the files of an evaluation, and what their writers
 * share. */
#include "report/evaluation_parts.h"

#include <math.h>
#include <string.h>

uint32_t
sf_evaluation_kind(const char *name)
{
    uint32_t i = 0;
    while (sf_eval_kinds[i].name && strcmp(sf_eval_kinds[i].name, name) != 0) {
        i++;
    }
    return i;
}

bool
sf_evaluation_has_kind(const struct sf_evaluation *ev, uint32_t kind)
{
    return sf_evaluation_n_nodes(ev, kind) > 0;
}

static const char *
group_title(enum sf_eval_group group)
{
    static const char *const titles[SF_N_EVAL_GROUPS] = {
        "", "minimal paths", "the paper's layers", "our layers",
        "routes for the job"
    };
    return titles[group];
}

static bool
has_group(const struct sf_evaluation *ev, uint32_t network,
          enum sf_eval_group group)
{
    for (uint32_t i = 0; i < sf_evaluation_n_series(ev); i++) {
        const struct sf_eval_series *series = sf_evaluation_series(ev, i);
        if (series->network == network && series->group == group &&
            !*series->left_out) {
            return true;
        }
    }
    return false;
}

uint32_t
sf_evaluation_lines(const struct sf_evaluation *ev,
                    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES])
{
    const struct sf_eval_params *params = sf_evaluation_params(ev);
    uint32_t n = 0;

    for (uint32_t i = 0; i < params->n_networks; i++) {
        for (uint32_t g = 0; g < SF_N_EVAL_GROUPS; g++) {
            if (!has_group(ev, i, g)) {
                continue;
            }
            struct sf_evaluation_line *line = &lines[n++];
            line->network = i;
            line->group = g;
            snprintf(line->name, sizeof line->name, "%.36s%s%s",
                     params->is_paper && i < 2
                         ? (i ? "Slim Fly" : "Fat Tree")
                         : sf_evaluation_network(ev, i)->name,
                     *group_title(g) ? ", " : "", group_title(g));
        }
    }
    return n;
}

struct sf_eval_cell
sf_evaluation_line_cell(const struct sf_evaluation *ev,
                        const struct sf_evaluation_line *line,
                        enum sf_eval_placement placement, struct sf_eval_at at)
{
    return line->network == 0 && line->group <= SF_EVAL_MINIMAL
               ? sf_evaluation_reference(ev, placement, at)
               : sf_evaluation_best(ev, line->network, line->group, placement,
                                    at);
}

void
sf_evaluation_reference_name(const struct sf_evaluation *ev,
                             char text[SF_EVAL_REFERENCE_SIZE])
{
    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES];

    sf_evaluation_lines(ev, lines);
    snprintf(text, SF_EVAL_REFERENCE_SIZE, "%s%s", lines[0].name,
             sf_evaluation_params(ev)->is_paper ? ", linear placement" : "");
}

void
sf_evaluation_reference_means(const struct sf_evaluation *ev,
                              char text[SF_EVAL_REFERENCE_SIZE])
{
    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES];

    sf_evaluation_lines(ev, lines);
    snprintf(text, SF_EVAL_REFERENCE_SIZE, "Reference: %s, %s", lines[0].name,
             sf_evaluation_params(ev)->is_paper
                 ? "under linear placement everywhere, as in the paper"
                 : "under the same placement as what is compared with it");
}

static void
write_size(double size, const char *const units[4], char text[16])
{
    uint32_t unit = 0;

    while (size >= 1024 && unit < 3) {
        size /= 1024;
        unit++;
    }
    snprintf(text, 16, "%.4g%s", size, units[unit]);
}

void
sf_evaluation_size_short(double size, char text[16])
{
    static const char *const units[4] = { "", "K", "M", "G" };
    write_size(size, units, text);
}

void
sf_evaluation_claim_text(const struct sf_claim *claim, double figure,
                         char text[24])
{
    bool is_plain =
        claim->of == SF_CLAIM_VALUE || claim->of == SF_CLAIM_SCALING;

    if (isnan(figure)) {
        snprintf(text, 24, "-");
    } else {
        snprintf(text, 24, is_plain ? "%.1f %%" : "%+.1f %%", 100 * figure);
    }
}

void
sf_evaluation_hows_text(const uint32_t counts[SF_N_EVAL_HOWS], char text[96])
{
    int at = 0;

    text[0] = '\0';
    for (uint32_t i = 1; i < SF_N_EVAL_HOWS; i++) {
        if (counts[i]) {
            at += snprintf(text + at, (size_t)(96 - at), "%s%s %u",
                           at ? ", " : "", sf_eval_how_name(i), counts[i]);
        }
    }
}

const char *
sf_evaluation_how_means(enum sf_eval_how how)
{
    static const char *const means[SF_N_EVAL_HOWS] = {
        "",
        "packets with exact delays of switches, hosts and cables",
        "packets in steps of one packet time, without delays",
        "flows that share links fairly: no packets, so the same for both "
        "kinds of queues",
        "not simulated: on a straight line between the sizes below and above",
        "not simulated, since it has too many packets: on the straight line "
        "through the two largest sizes that were",
    };
    return means[how];
}

const struct sf_evaluation_figure sf_evaluation_figures[] = {
    { "ebb.svg", "ebb",
      "Effective bisection bandwidth, in % of the link of a host. Of layers, "
      "the best number of each cell. Error bars: standard deviation over "
      "seeds.",
      sf_evaluation_draw_ebb },
    { "ebb-layers.svg", "ebb",
      "What layers gain over minimal paths in eBB, in %.",
      sf_evaluation_draw_layers },
    { "alltoall.svg", "alltoall",
      "Alltoall, gain over the reference in %. Italics: not simulated, but "
      "on a straight line with other sizes; the pointer shows how.",
      sf_evaluation_draw_alltoall },
    { "bcast.svg", "bcast", "Bcast, likewise.", sf_evaluation_draw_bcast },
    { "allreduce.svg", "allreduce", "Allreduce, likewise.",
      sf_evaluation_draw_allreduce },
    { "training.svg", "resnet152,cosmoflow,gpt3",
      "Training of neural networks: speed in % of the reference, flows.",
      sf_evaluation_draw_training },
    { "science.svg", "hpl,bfs,halo",
      "Proxies of Linpack and Graph500, and a halo exchange that stands for "
      "scientific codes: speed in % of the reference, flows.",
      sf_evaluation_draw_science },
    { 0 },
};

bool
sf_evaluation_has_figure(const struct sf_evaluation_report *report,
                         const struct sf_evaluation_figure *figure)
{
    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES];

    for (uint32_t k = 0; sf_eval_kinds[k].name; k++) {
        if (strstr(figure->kinds, sf_eval_kinds[k].name) &&
            sf_evaluation_has_kind(report->ev, k)) {
            return figure->draw == sf_evaluation_draw_layers
                       ? sf_evaluation_params(report->ev)->n_layers > 0
                       : sf_eval_kinds[k].method != SF_EVAL_BY_SIZE ||
                             sf_evaluation_lines(report->ev, lines) > 1;
        }
    }
    return false;
}

#define HAS_FIGURE(number)                                               \
    static bool has_figure_##number(                                     \
        const struct sf_evaluation_report *report)                       \
    {                                                                    \
        return sf_evaluation_has_figure(report,                          \
                                        &sf_evaluation_figures[number]); \
    }

HAS_FIGURE(0)
HAS_FIGURE(1)
HAS_FIGURE(2)
HAS_FIGURE(3)
HAS_FIGURE(4)
HAS_FIGURE(5)
HAS_FIGURE(6)

const struct sf_evaluation_file sf_evaluation_files[] = {
    { "evaluation.txt", "text", "a summary for people", NULL,
      sf_evaluation_write_text },
    { "evaluation.md", "markdown", "the same as Markdown", NULL,
      sf_evaluation_write_markdown },
    { "evaluation.json", "json", "claims and cells", NULL,
      sf_evaluation_write_json },
    { "evaluation.csv", "csv", "a line for each cell", NULL,
      sf_evaluation_write_csv },
    { "simulation.json", NULL, "every run, as 'simulate' writes it", NULL,
      sf_evaluation_write_runs_json },
    { "simulation.csv", NULL, "the same as CSV", NULL,
      sf_evaluation_write_runs_csv },
    { "evaluation.html", NULL, "all of it as one page", NULL,
      sf_evaluation_write_html },
    { "ebb.svg", NULL, "bars of eBB", has_figure_0, sf_evaluation_draw_ebb },
    { "ebb-layers.svg", NULL, "gains by layers", has_figure_1,
      sf_evaluation_draw_layers },
    { "alltoall.svg", NULL, "nodes by sizes", has_figure_2,
      sf_evaluation_draw_alltoall },
    { "bcast.svg", NULL, "nodes by sizes", has_figure_3,
      sf_evaluation_draw_bcast },
    { "allreduce.svg", NULL, "nodes by sizes", has_figure_4,
      sf_evaluation_draw_allreduce },
    { "training.svg", NULL, "bars of training", has_figure_5,
      sf_evaluation_draw_training },
    { "science.svg", NULL, "bars of proxies", has_figure_6,
      sf_evaluation_draw_science },
    { 0 },
};
