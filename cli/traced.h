/* traced.h -- a command whose MPI calls are written down: the folder for the
 * traces, the library that writes them, and the process. */
#ifndef CLI_TRACED_H
#define CLI_TRACED_H

#include <stdbool.h>

/* How a command ended. */
struct cli_ended {
    int code;   /* Its exit code; 127 if it could not be started. */
    int signal; /* What ended it, 0 if it ended itself. */
};

/* The library that is loaded into the processes; NULL if there is none, which
 * is said.  The caller frees it. */
char *cli_find_recorder(void);

/* Makes a folder for traces where TMPDIR says, or in /tmp; NULL if that
 * failed, which is said.  The caller frees the path, and removes the folder
 * and all traces in it. */
char *cli_make_traces(void);
void cli_remove_traces(const char *folder);

/* Runs 'words', ended by NULL, and waits for the end.  Signals that would end
 * this program are for the command alone meanwhile.  False if it could not be
 * started, which is said. */
bool cli_run_traced(char *const *words, const char *library,
                    const char *folder, struct cli_ended *ended);

/* Ends this program by the signal 'number', if it can. */
void cli_die_of(int number);

#endif
