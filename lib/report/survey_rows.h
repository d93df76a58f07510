/* survey_rows.h -- what the two files share that make the table of figures:
 * survey_rows.c has the networks as they are, survey_failures.c what is left
 * of them when parts fail. */
#ifndef SF_REPORT_SURVEY_ROWS_H
#define SF_REPORT_SURVEY_ROWS_H

#include "report/survey_writers.h"

/* Rows in the making. */
struct sf_survey_table {
    const struct sf_survey *survey;
    struct sf_survey_rows *rows;
    char section[SF_SURVEY_TEXT_SIZE];
};

/* The heading of the rows that are added from now on. */
void sf_survey_begin_section(struct sf_survey_table *table, const char *format,
                             ...) __attribute__((format(printf, 2, 3)));

/* Adds a row without values.  'key' and 'of' are for programs, 'title',
 * 'scale' and 'digits' for people.  NULL if memory ran out. */
struct sf_survey_row *sf_survey_add_row(struct sf_survey_table *table,
                                        const char *key, const char *of,
                                        const char *title, double scale,
                                        int digits);

/* The same, with what is known of each network by itself. */
typedef double sf_survey_value(const struct sf_survey_network *network);
struct sf_survey_row *sf_survey_add_values(struct sf_survey_table *table,
                                           const char *key, const char *title,
                                           double scale, int digits,
                                           sf_survey_value *value);

/* Adds all rows of failures. */
void sf_survey_add_failures(struct sf_survey_table *table);

#endif
