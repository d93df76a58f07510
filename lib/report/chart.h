/* chart.h -- what drawings of numbers share. */
#ifndef SF_REPORT_CHART_H
#define SF_REPORT_CHART_H

#include <stdbool.h>
#include <stdio.h>

/* 1, 2 or 5 times a power of ten, at most 'x' if 'is_below', else at least;
 * x > 0. */
double sf_chart_round(double x, bool is_below);

/* Draws a mark: o circle, s square, t triangle, d diamond, x and + crosses.
 * Those of capital letters are hollow. */
void sf_chart_mark(char mark, const char *color, double x, double y,
                   FILE *stream);

#endif
