/* error.h -- how the library says that something went wrong.
 *
 * The library never prints and never exits.  A function that can fail returns
 * an enum sf_status and takes an optional struct sf_error as its last
 * parameter, which it fills with a sentence for people. */
#ifndef SLIMFLY_ERROR_H
#define SLIMFLY_ERROR_H

#pragma GCC visibility push(default)

enum sf_status {
    SF_OK = 0,
    SF_EINVAL,       /* An argument or a spec that cannot be. */
    SF_EPARSE,       /* A file that is not what it should be. */
    SF_EIO,          /* The operating system refused to read or write. */
    SF_ENOMEM,       /* Out of memory. */
    SF_ELIMIT,       /* Well formed, but beyond what is supported. */
    SF_EUNREACHABLE, /* No path, or none as short as asked. */
    SF_ELANES,       /* Too few virtual lanes to be safe from deadlock. */
    SF_ENODEVICE,    /* No InfiniBand device, or none that we may use. */
};

#define SF_ERROR_TEXT_SIZE 512

struct sf_error {
    enum sf_status status;
    char text[SF_ERROR_TEXT_SIZE]; /* One sentence, no newline. */
};

/* Fills 'err', if nonnull, and returns 'status', so that a caller can write
 * "return sf_fail(err, SF_EINVAL, ...)".  Characters that a terminal might
 * act on, and bytes that are not UTF-8, are replaced by '?'. */
enum sf_status sf_fail(struct sf_error *err, enum sf_status status,
                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __clang_analyzer__
/* It sees one file at a time, and would try what happens after SF_OK. */
#define sf_fail(err, status, ...) \
    (sf_fail((err), (status), __VA_ARGS__), (status))
#endif

/* Puts "CONTEXT: " before the text of 'err', if nonnull and set.  A context
 * that is too long to read is shortened. */
void sf_error_add_context(struct sf_error *err, const char *context);

#pragma GCC visibility pop
#endif
