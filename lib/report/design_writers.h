/* design_writers.h -- one writer a file; design_formats.c lists them. */
#ifndef SF_REPORT_DESIGN_WRITERS_H
#define SF_REPORT_DESIGN_WRITERS_H

#include "slimfly/design_formats.h"

enum sf_status sf_design_write_text(const struct sf_design *design,
                                    const struct sf_design_view *view,
                                    FILE *stream, struct sf_error *err);
enum sf_status sf_design_write_json(const struct sf_design *design,
                                    const struct sf_design_view *view,
                                    FILE *stream, struct sf_error *err);
enum sf_status sf_design_write_csv(const struct sf_design *design,
                                   const struct sf_design_view *view,
                                   FILE *stream, struct sf_error *err);
enum sf_status sf_design_write_svg(const struct sf_design *design,
                                   const struct sf_design_view *view,
                                   FILE *stream, struct sf_error *err);

enum sf_status sf_paper_write_text(const struct sf_paper *paper, FILE *stream,
                                   struct sf_error *err);
enum sf_status sf_paper_write_json(const struct sf_paper *paper, FILE *stream,
                                   struct sf_error *err);
enum sf_status sf_paper_write_csv(const struct sf_paper *paper, FILE *stream,
                                  struct sf_error *err);

/* The longest line for people, unless they ask for wide ones. */
#define SF_DESIGN_WIDTH 120

/* Writes the table of candidates; there is at least one. */
void sf_design_write_table(const struct sf_design *design,
                           const struct sf_design_view *view, FILE *stream);

/* How many candidates to write. */
static inline uint32_t
sf_design_count(const struct sf_design *design,
                const struct sf_design_view *view)
{
    return view->limit && view->limit < design->n_candidates
               ? view->limit
               : design->n_candidates;
}

/* The LMC of so many addresses of a host; SF_NONE for none. */
static inline uint32_t
sf_design_lmc(uint32_t n_addresses)
{
    uint32_t lmc = 0;

    while (n_addresses >> (lmc + 1)) {
        lmc++;
    }
    return n_addresses ? lmc : SF_NONE;
}

/* Why a candidate is on the list, as one word. */
const char *sf_fit_name(enum sf_fit fit);

#endif
