/* leftovers.h -- temporary files that earlier runs left behind. */
#ifndef CLI_LEFTOVERS_H
#define CLI_LEFTOVERS_H

#include <stdbool.h>

/* What the names of temporary files end in, for mkstemp().  Files of such
 * names belong to slimfly and are removed. */
#define CLI_TEMPORARY ".slimfly-XXXXXX"

/* To be called before a temporary file is made beside 'path': removes what
 * earlier runs left in that folder, unless another run writes there too, and
 * keeps others from doing so until this run ends. */
void cli_enter_folder(const char *path);

/* Removes those temporary files of this user from a folder of which
 * may_remove(aux, name, file) is true: nobody who lives may need them. */
struct stat;
void cli_sweep_folder(int fd,
                      bool (*may_remove)(void *aux, const char *name,
                                         const struct stat *file),
                      void *aux);

#endif
