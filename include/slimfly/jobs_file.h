/* jobs_file.h -- changes a file of jobs (jobs.h) as those do who start and end
 * jobs, many at a time.  Nothing is known of the network here, and lines that
 * are none of one's business stay as they are, comments and errors too. */
#ifndef SLIMFLY_JOBS_FILE_H
#define SLIMFLY_JOBS_FILE_H

#include "slimfly/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct sf_jobs_file; /* Opaque. */

/* Reads the file 'path'.  If it is to be changed, it may be missing, and this
 * waits until nobody else changes it: the lock is that of the file PATH.lock,
 * which stays.  The caller calls sf_jobs_file_close(), which changes nothing.
 */
enum sf_status sf_jobs_file_open(const char *path, bool changes,
                                 struct sf_jobs_file **filep,
                                 struct sf_error *err);
void sf_jobs_file_close(struct sf_jobs_file *file);

/* Adds a job, in place of the one of the same name if there is one.  Jobs of a
 * single host have nothing to route for, so their line is left out: then
 * '*is_leftp' is true. */
enum sf_status sf_jobs_file_add(struct sf_jobs_file *file, const char *name,
                                const char *pattern, const char *nodes,
                                bool *is_leftp, struct sf_error *err);

/* Removes a job; whether it was there. */
bool sf_jobs_file_remove(struct sf_jobs_file *file, const char *name);

/* The job of line 'i', from 0 on, in words that live as long as the line;
 * false if it has none, and then only 'text' is there. */
struct sf_jobs_line {
    const char *name, *pattern, *nodes;
    const char *text; /* All of the line. */
};
size_t sf_jobs_file_n_lines(const struct sf_jobs_file *file);
bool sf_jobs_file_line(const struct sf_jobs_file *file, size_t i,
                       struct sf_jobs_line *line);

/* Puts what was changed into the place of the file, all at once.  If nothing
 * was, the file stays as it is. */
enum sf_status sf_jobs_file_save(struct sf_jobs_file *file,
                                 struct sf_error *err);

/* Makes the file hold the jobs that 'text' lists, 'length' bytes that are
 * changed and after which there is room for one more: lines of ID, NODES and
 * perhaps a comment, as "squeue -h -o '%A %N %k'" prints them.  Lines without
 * nodes are passed over.  The pattern is that of the comment; a job whose
 * pattern cannot be has an unknown one.  'path' is for messages. */
enum sf_status sf_jobs_file_sync(struct sf_jobs_file *file, char *text,
                                 size_t length, const char *path,
                                 struct sf_error *err);

/* The pattern that the comment of a job asks for: what follows "slimfly:" at
 * the start of a word, up to a blank, comma or semicolon.  False if it asks
 * for none, or for one that does not fit in 'size', or for a file, which
 * users must not have read for them. */
bool sf_pattern_of_comment(const char *comment, char *pattern, size_t size);

#pragma GCC visibility pop
#endif
