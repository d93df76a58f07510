/* whole_file.h -- files that at any moment are an old one or a new one as a
 * whole.  A new one is NAME.plugin-XXXXXX until it is complete. */
#ifndef SF_OPENSM_WHOLE_FILE_H
#define SF_OPENSM_WHOLE_FILE_H

#include "slimfly/error.h"

#include <stdio.h>

/* Replaces the file at 'path' by what 'write' writes of 'aux'. */
enum sf_status sf_whole_file_write(const char *path,
                                   void (*write)(const void *aux,
                                                 FILE *stream),
                                   const void *aux, struct sf_error *err);

/* Removes what those left beside 'path' who were killed while they wrote it.
 * What is younger than a minute stays: somebody may be writing it. */
void sf_whole_file_sweep(const char *path);

#endif
