/* bundle.h -- what to send with a bug report: texts from many places in one
 * archive, without secrets, and an account of what is in it and what is not.
 */
#ifndef SLIMFLY_BUNDLE_H
#define SLIMFLY_BUNDLE_H

#include "slimfly/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

/* What is taken out of texts. */
enum sf_secret {
    SF_SECRET_KEY,      /* Numbers in a line after M_Key, SM_Key, SA_Key... */
    SF_SECRET_PASSWORD, /* What follows password, secret, token...; web tokens;
                         * user and password in an address. */
    SF_SECRET_BLOCK,    /* Blocks of PEM: keys and certificates. */
    SF_SECRET_HOME,     /* Home folders. */
    SF_SECRET_USER,     /* User names, and what is before an at sign. */
    SF_N_SECRETS,
};

/* The kind in plain words, for one and for several: "key", "keys". */
const char *sf_secret_name(enum sf_secret secret, uint32_t n);

/* Whose names and home folder are secrets. */
struct sf_scrub {
    const char *const *users; /* Sorted by strcmp(). */
    size_t n_users;
    const char *home; /* NULL if there is none to remove. */
};

/* Copies 'length' bytes of 'text' to '*cleanp' with "[removed]", "[user]" or
 * "[home]" in place of secrets, and adds to 'n_removed' how many of each kind
 * there were.  In doubt more is removed: the rest of a line behind the word
 * password.  '*cleanp' is ended by a NUL that does not count in '*lengthp';
 * the caller frees it.  O(length * log(users)). */
enum sf_status sf_scrub_text(const struct sf_scrub *scrub, const char *text,
                             size_t length, char **cleanp, size_t *lengthp,
                             uint32_t n_removed[SF_N_SECRETS],
                             struct sf_error *err);

struct sf_bundle; /* Opaque. */

/* Starts an empty bundle, which keeps a pointer to 'scrub'. */
enum sf_status sf_bundle_create(const struct sf_scrub *scrub,
                                struct sf_bundle **bundlep,
                                struct sf_error *err);
void sf_bundle_free(struct sf_bundle *bundle);

/* Add 'length' bytes of 'text', or the last 'max_size' bytes of the file
 * 'path', from the start of a line on, as 'name', which is shorter than 80
 * bytes.  'what' says for people what it is.  The texts are scrubbed.  A file
 * that cannot be read is left out, with the reason.  Errors are kept until
 * sf_bundle_write(). */
void sf_bundle_add_text(struct sf_bundle *bundle, const char *name,
                        const char *what, const char *text, size_t length);
void sf_bundle_add_file(struct sf_bundle *bundle, const char *name,
                        const char *what, const char *path, size_t max_size);

/* Notes that 'name' is not there, and why. */
void sf_bundle_leave_out(struct sf_bundle *bundle, const char *name,
                         const char *what, const char *why);

/* Writes the bundle as a tar archive (ustar), compressed by gzip, with the
 * account CONTENTS.txt as its first file, all in the folder slimfly-bundle.
 * 'moment', in seconds since 1970, is the time of all files.  The same bundle
 * gives the same bytes. */
enum sf_status sf_bundle_write(const struct sf_bundle *bundle, int64_t moment,
                               FILE *stream, struct sf_error *err);

/* The account: what was collected, what was left out and why, how much was
 * removed; for people, and for programs, schema "slimfly.bundle". */
void sf_bundle_write_account(const struct sf_bundle *bundle, FILE *stream);
enum sf_status sf_bundle_write_json(const struct sf_bundle *bundle,
                                    const char *path, FILE *stream,
                                    struct sf_error *err);

#pragma GCC visibility pop
#endif
