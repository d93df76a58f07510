/* versions.h -- what runs on this machine: programs, libraries, kernel,
 * drivers and adapters. */
#ifndef SF_CLI_VERSIONS_H
#define SF_CLI_VERSIONS_H

#include <stdio.h>

/* Writes them as lines for people. */
void cli_write_versions(FILE *stream);

#endif
