/* file.h -- whole files into memory, for the readers. */
#ifndef SF_BASE_FILE_H
#define SF_BASE_FILE_H

#include "slimfly/error.h"

#include <stddef.h>

/* Reads the file 'path' ("-": standard input) as text into '*textp', ended by
 * a NUL that does not count in '*lengthp'.  Files larger than 1 GiB are
 * refused.  The caller frees '*textp'. */
enum sf_status sf_file_read(const char *path, char **textp, size_t *lengthp,
                            struct sf_error *err);

#endif
