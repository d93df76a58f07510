/* csv.h -- fields of comma-separated values. */
#ifndef SF_IO_CSV_H
#define SF_IO_CSV_H

#include <stdio.h>

/* Writes 'text' as one field, in quotes where it needs them. */
void sf_csv_write(const char *text, FILE *stream);

#endif
