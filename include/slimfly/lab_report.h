/* lab_report.h -- labs, told to people and to programs; doc/formats.md
 * describes the members of the JSON. */
#ifndef SLIMFLY_LAB_REPORT_H
#define SLIMFLY_LAB_REPORT_H

#include "slimfly/lab.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* A lab that came up in 'seconds'; one that was taken down; all labs of a
 * folder. */
void sf_lab_write_up_text(const char *name, const struct sf_lab_sizes *sizes,
                          double seconds, FILE *stream);
enum sf_status sf_lab_write_up_json(const char *name,
                                    const struct sf_lab_sizes *sizes,
                                    FILE *stream, struct sf_error *err);
void sf_lab_write_down_text(const char *name,
                            const struct sf_lab_removed *removed,
                            FILE *stream);
enum sf_status sf_lab_write_down_json(const char *name,
                                      const struct sf_lab_removed *removed,
                                      FILE *stream, struct sf_error *err);

/* What a check of 'lab' found: at most 'most' findings as text, all of them as
 * JSON. */
void sf_lab_check_write_text(const struct sf_lab *lab,
                             const struct sf_lab_check *check, double seconds,
                             uint32_t most, FILE *stream);
enum sf_status sf_lab_check_write_json(const struct sf_lab *lab,
                                       const struct sf_lab_check *check,
                                       FILE *stream, struct sf_error *err);

/* Links that are down or were 'what', "down" or "restored"; a lab with those
 * that are down. */
void sf_lab_links_write_text(const struct sf_lab *lab, const char *what,
                             const struct sf_lab_links *links, FILE *stream);
enum sf_status sf_lab_links_write_json(const struct sf_lab *lab,
                                       const char *what,
                                       const struct sf_lab_links *links,
                                       FILE *stream, struct sf_error *err);
void sf_lab_status_write_text(const struct sf_lab *lab,
                              const struct sf_lab_links *down, FILE *stream);
enum sf_status sf_lab_status_write_json(const struct sf_lab *lab,
                                        const struct sf_lab_links *down,
                                        FILE *stream, struct sf_error *err);

/* What flows got and should have got: a line a mode; and each flow, for
 * programs. */
void sf_lab_measurement_write_text(
    const struct sf_lab *lab, const struct sf_lab_measure_params *params,
    const struct sf_lab_measurement *measurement, FILE *stream);
enum sf_status
sf_lab_measurement_write_json(const struct sf_lab *lab,
                              const struct sf_lab_measure_params *params,
                              const struct sf_lab_measurement *measurement,
                              FILE *stream, struct sf_error *err);

void sf_labs_write_text(const struct sf_lab_list *list, FILE *stream);
enum sf_status sf_labs_write_json(const struct sf_lab_list *list, FILE *stream,
                                  struct sf_error *err);

#pragma GCC visibility pop
#endif
