/* locked_file.h -- files that several processes change: a lock beside the
 * file, and a new file in place of the old one all at once. */
#ifndef SF_BASE_LOCKED_FILE_H
#define SF_BASE_LOCKED_FILE_H

#include "slimfly/error.h"

#include <stdio.h>

/* Waits until nobody else changes the file 'path': the lock is that of the
 * file PATH.lock, which stays.  '*lockp' is a descriptor to be closed. */
enum sf_status sf_locked_file_take(const char *path, int *lockp,
                                   struct sf_error *err);

/* Replaces the file 'path' by what 'write' writes of 'aux', with the mode of
 * the present file. */
enum sf_status sf_locked_file_replace(const char *path,
                                      void (*write)(const void *aux,
                                                    FILE *stream),
                                      const void *aux, struct sf_error *err);

#endif
