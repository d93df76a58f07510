/* jobs_ranks.h -- patterns of jobs from programs that were recorded. */
#ifndef SF_CLI_JOBS_RANKS_H
#define SF_CLI_JOBS_RANKS_H

#include "cli.h"

/* Writes what ranks of the program in GOAL of the file 'word' send to each
 * other to the file 'path' (NULL: standard output), for nodes of 'per_node'
 * ranks each.  Returns an exit code. */
int cli_write_ranks(const char *word, uint32_t per_node, const char *path);

#endif
