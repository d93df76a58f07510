/* survey_writers.h -- what the writers of surveys share: the table of figures,
 * which survey_rows.c and survey_failures.c make, and the sentences that
 * survey_answers.c makes of them. */
#ifndef SF_REPORT_SURVEY_WRITERS_H
#define SF_REPORT_SURVEY_WRITERS_H

#include "slimfly/survey_files.h"

typedef enum sf_status sf_survey_writer(const struct sf_survey_report *report,
                                        FILE *stream, struct sf_error *err);

sf_survey_writer sf_survey_write_text;
sf_survey_writer sf_survey_write_json;
sf_survey_writer sf_survey_write_csv;
sf_survey_writer sf_survey_write_runs_json;
sf_survey_writer sf_survey_draw_costs;
sf_survey_writer sf_survey_draw_throughput;
sf_survey_writer sf_survey_draw_latency;
sf_survey_writer sf_survey_draw_links;
sf_survey_writer sf_survey_draw_switches;
sf_survey_writer sf_survey_draw_parts;

#define SF_SURVEY_TEXT_SIZE 96

/* A figure of all networks. */
struct sf_survey_row {
    char section[SF_SURVEY_TEXT_SIZE]; /* Its heading, for people; */
    char title[SF_SURVEY_TEXT_SIZE];   /* and what it is, there. */
    char key[SF_SURVEY_TEXT_SIZE];     /* What programs call it, */
    char of[SF_SURVEY_TEXT_SIZE];      /* and of what: a traffic, a failure;
                                        * may be "". */
    bool is_detail;                    /* Not for people. */
    int digits;                        /* Behind the point, for people, */
    double scale;                      /* who see it times this. */
    double values[SF_SURVEY_MAX_NETWORKS];     /* NAN: not known. */
    const char *texts[SF_SURVEY_MAX_NETWORKS]; /* In place of numbers. */
};

struct sf_survey_rows {
    struct sf_survey_row *items;
    size_t n, capacity;
    bool is_out_of_memory;
};

/* Makes the table; the caller frees 'rows->items' in any case. */
enum sf_status sf_survey_rows_make(const struct sf_survey *survey,
                                   struct sf_survey_rows *rows,
                                   struct sf_error *err);

/* The sentences that answer the question; each ends with a newline. */
void sf_survey_write_answers(const struct sf_survey *survey, FILE *stream);

/* How many hosts the networks have: "1500 hosts each", "54 to 192 hosts". */
void sf_survey_hosts_text(const struct sf_survey *survey,
                          char text[SF_SURVEY_TEXT_SIZE]);

/* The rate of its links, "4xEDR"; NULL: its switches are none that the prices
 * know. */
const char *sf_survey_rate(const struct sf_survey_network *network);

/* The point of a network with a kind of failure and share; NULL: none. */
const struct sf_failure_point *
sf_survey_point(const struct sf_survey_network *network,
                enum sf_failure_kind kind, double share);

/* Whether some network has points of a kind. */
bool sf_survey_has_kind(const struct sf_survey *survey,
                        enum sf_failure_kind kind);

/* The first traffic that was measured after failures, which leave out those
 * from files; NULL: none was. */
const char *sf_survey_failed_traffic(const struct sf_survey *survey);

/* "5 % of links", "a rack". */
void sf_survey_point_text(enum sf_failure_kind kind, double share,
                          char text[SF_SURVEY_TEXT_SIZE]);

/* The mean of a figure, or of what equal shares carry; NAN if no run has
 * it. */
double sf_survey_failed(const struct sf_failure_point *point,
                        enum sf_failure_figure figure);
double sf_survey_left(const struct sf_survey_network *network,
                      const struct sf_failure_point *point, uint32_t traffic);

#endif
