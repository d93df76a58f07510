/* evaluation_parts.h -- what the writers of evaluations share. */
#ifndef SF_REPORT_EVALUATION_PARTS_H
#define SF_REPORT_EVALUATION_PARTS_H

#include "slimfly/evaluation_files.h"

typedef enum sf_status
sf_evaluation_writer(const struct sf_evaluation_report *report, FILE *stream,
                     struct sf_error *err);

sf_evaluation_writer sf_evaluation_write_text;
sf_evaluation_writer sf_evaluation_write_markdown;
sf_evaluation_writer sf_evaluation_write_json;
sf_evaluation_writer sf_evaluation_write_csv;
sf_evaluation_writer sf_evaluation_write_html;
sf_evaluation_writer sf_evaluation_write_runs_json;
sf_evaluation_writer sf_evaluation_write_runs_csv;
sf_evaluation_writer sf_evaluation_draw_ebb;
sf_evaluation_writer sf_evaluation_draw_layers;
sf_evaluation_writer sf_evaluation_draw_training;
sf_evaluation_writer sf_evaluation_draw_science;
sf_evaluation_writer sf_evaluation_draw_alltoall;
sf_evaluation_writer sf_evaluation_draw_bcast;
sf_evaluation_writer sf_evaluation_draw_allreduce;

/* Figures, in the order in which pages have them; ended by one without a
 * name. */
struct sf_evaluation_figure {
    const char *name;    /* Of the file. */
    const char *kinds;   /* That it shows, "alltoall" or "hpl,halo". */
    const char *caption; /* For people. */
    sf_evaluation_writer *draw;
};
extern const struct sf_evaluation_figure sf_evaluation_figures[];

/* Whether a report has what a figure shows. */
bool sf_evaluation_has_figure(const struct sf_evaluation_report *report,
                              const struct sf_evaluation_figure *figure);

/* The number of a kind; whether it was run, with how many nodes at least. */
uint32_t sf_evaluation_kind(const char *name);
bool sf_evaluation_has_kind(const struct sf_evaluation *ev, uint32_t kind);

/* A line of results: a network, and a group of its routings. */
struct sf_evaluation_line {
    uint32_t network;
    enum sf_eval_group group;
    char name[64]; /* For people. */
};
#define SF_EVAL_MAX_LINES (SF_EVAL_MAX_NETWORKS * SF_N_EVAL_GROUPS)

/* Lists them, the reference first; returns how many there are. */
uint32_t
sf_evaluation_lines(const struct sf_evaluation *ev,
                    struct sf_evaluation_line lines[SF_EVAL_MAX_LINES]);

/* The cell of a line beside others with 'placement'.  The first line is the
 * reference, which has a placement of its own with the paper's networks. */
struct sf_eval_cell sf_evaluation_line_cell(
    const struct sf_evaluation *ev, const struct sf_evaluation_line *line,
    enum sf_eval_placement placement, struct sf_eval_at at);

/* What gains are relative to, "sf:q=5, minimal paths"; and a sentence about
 * it, for figures and pages. */
#define SF_EVAL_REFERENCE_SIZE 160
void sf_evaluation_reference_name(const struct sf_evaluation *ev,
                                  char text[SF_EVAL_REFERENCE_SIZE]);
void sf_evaluation_reference_means(const struct sf_evaluation *ev,
                                   char text[SF_EVAL_REFERENCE_SIZE]);

/* "1", "64K", "4M". */
void sf_evaluation_size_short(double size, char text[16]);

/* A figure of a claim, as people read it: "+12 %" or "54.5 %". */
void sf_evaluation_claim_text(const struct sf_claim *claim, double figure,
                              char text[24]);

/* "events 12, beyond 3": how the cells of a claim were found. */
void sf_evaluation_hows_text(const uint32_t counts[SF_N_EVAL_HOWS],
                             char text[96]);

/* One sentence for each way in which figures come about. */
const char *sf_evaluation_how_means(enum sf_eval_how how);

#endif
