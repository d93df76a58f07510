/* commands.h -- shell commands, several at once, each with something to read
 * and something that it prints. */
#ifndef SF_IP_CONTROL_COMMANDS_H
#define SF_IP_CONTROL_COMMANDS_H

#include "base/mem.h"
#include "slimfly/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sf_command {
    char *line;  /* For the shell. */
    char *input; /* What it gets to read; NULL: nothing. */
    size_t n_input;
    struct sf_error *err; /* What went wrong; status SF_OK before. */

    SF_VEC(char) output, complaints; /* What it printed, where it failed. */

    /* Of no concern to the caller: */
    pid_t pid;
    int fds[3];
    size_t n_written;
    double deadline;
};

#define SF_COMMAND_OUTPUT (64u << 20) /* Longer output is a failure. */

/* Runs 'commands' [n], 'n_at_once' of them at the same time.  Each gets
 * 'timeout' seconds; what takes longer is killed with all that it started.
 * Failures are noted in each; a signal that is caught ends nothing. */
void sf_commands_run(struct sf_command *commands, size_t n, uint32_t n_at_once,
                     double timeout);
void sf_command_clear(struct sf_command *command);

#endif
