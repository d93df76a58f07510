/* archive.h -- files in a tar archive (ustar), compressed by gzip. */
#ifndef SF_IO_ARCHIVE_H
#define SF_IO_ARCHIVE_H

#include "slimfly/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sf_archive; /* Opaque. */

/* Starts an archive on 'stream', all of whose files have the time 'moment', in
 * seconds since 1970. */
enum sf_status sf_archive_begin(FILE *stream, int64_t moment,
                                struct sf_archive **archivep,
                                struct sf_error *err);

/* Adds a file; 'name' is shorter than 100 bytes. */
enum sf_status sf_archive_add(struct sf_archive *archive, const char *name,
                              const char *text, size_t length,
                              struct sf_error *err);

/* Writes the end.  The caller calls sf_archive_free() in any case. */
enum sf_status sf_archive_end(struct sf_archive *archive,
                              struct sf_error *err);
void sf_archive_free(struct sf_archive *archive);

#endif
