/* child.h -- work that may hang or crash is done by a child process: the
 * parent keeps a time limit and survives what the child does not. */
#ifndef SF_BASE_CHILD_H
#define SF_BASE_CHILD_H

#include "base/mem.h"
#include "slimfly/error.h"

#include <stdio.h>

/* What the child is to do: print to 'stream', or write to memory that it
 * shares with its parent; its exit code.  What it reports (progress.h), its
 * parent reports. */
struct sf_child_job {
    int (*run)(const void *argument, FILE *stream);
    const void *argument;
    const char *source; /* For messages: where, such as "live", and what, */
    const char *name;   /* such as "discovery". */
    int no_device_code; /* The exit code that means SF_ENODEVICE; 0: none. */
};

/* What a child printed on standard output and standard error, each ended by a
 * NUL that does not count. */
struct sf_printed {
    SF_VEC(char) text[2];
};

/* Runs 'job' in a child.  SF_EIO if it takes longer than 'timeout' seconds, if
 * a signal is caught meanwhile, if it crashes, or fails: the last line that it
 * printed on standard error, where programs say why they gave up, is part of
 * the message.  SF_ENODEVICE: see above. */
enum sf_status sf_child_run(const struct sf_child_job *job, unsigned timeout,
                            struct sf_printed *printed, struct sf_error *err);

/* The same for 'command', run by the shell, which 'name' calls in messages. */
enum sf_status sf_child_shell(const char *command, const char *name,
                              unsigned timeout, struct sf_printed *printed,
                              struct sf_error *err);
void sf_printed_clear(struct sf_printed *printed);

#endif
