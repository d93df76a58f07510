/* discover.c -- fabrics from libibnetdisc or from a command, always through a
 * child process that prints text as ibnetdiscover does: libibnetdisc waits for
 * ever where nobody answers and aborts on damaged caches, and so there is one
 * reader. */
#include "base/child.h"
#include "ib/ibnetdisc.h"
#include "ib/live_port.h"
#include "slimfly/discovery.h"

#include <string.h>

/* The questions that nobody answered, each a line of libibnetdisc. */
static uint32_t
count_unanswered(const char *errors)
{
    uint32_t n = 0;
    for (const char *c = errors; (c = strstr(c, "bad status")); c++) {
        n++;
    }
    return n;
}

/* Reads what a child that ended with 'status' has printed, and clears it. */
static enum sf_status
read_printed(struct sf_printed *printed, enum sf_status status,
             const char *source, struct sf_fabric **fabricp,
             uint32_t *n_unansweredp, struct sf_error *err)
{
    *fabricp = NULL;
    if (status == SF_OK) {
        if (n_unansweredp) {
            *n_unansweredp = count_unanswered(printed->text[1].items);
        }
        status = sf_ibnetdiscover_parse(
            printed->text[0].items, printed->text[0].n, source, fabricp, err);
    }
    sf_printed_clear(printed);
    return status;
}

/* Runs 'job' and reads what it prints. */
static enum sf_status
discover(const struct sf_child_job *job, unsigned timeout,
         struct sf_fabric **fabricp, uint32_t *n_unansweredp,
         struct sf_error *err)
{
    struct sf_printed printed = { 0 };

    return read_printed(&printed, sf_child_run(job, timeout, &printed, err),
                        job->source, fabricp, n_unansweredp, err);
}

/* The first bytes of the file 'path', as many as are in 'start'. */
static void
peek(const char *path, unsigned char *start, size_t size)
{
    FILE *stream = strcmp(path, "-") ? fopen(path, "rb") : NULL;

    memset(start, 0, size);
    if (stream) {
        size_t n = fread(start, 1, size, stream);
        memset(start + n, 0, size - n);
        fclose(stream);
    }
}

static bool
is_cache(const unsigned char start[4])
{
    static const unsigned char magic[4] = { 0x2b, 0x83, 0xe7, 0x8f };
    return !memcmp(start, magic, sizeof magic);
}

/* "{ SW ..." and the like. */
static bool
is_subnet_lst(const unsigned char start[4])
{
    return !memcmp(start, "{ SW", 4) || !memcmp(start, "{ CA", 4) ||
           !memcmp(start, "{ Rt", 4);
}

enum sf_status
sf_fabric_discover(const char *source, unsigned timeout,
                   struct sf_fabric **fabricp, uint32_t *n_unansweredp,
                   struct sf_error *err)
{
    unsigned char start[4];

    if (n_unansweredp) {
        *n_unansweredp = 0;
    }
    if (sf_is_live(source)) {
        struct sf_live_port port;
        struct sf_child_job job = { sf_ibnetdisc_print_live, &port, source,
                                    "discovery", SF_LIVE_NO_DEVICE };
        *fabricp = NULL;
        enum sf_status status = sf_live_port_parse(source, &port, err);
        return status == SF_OK
                   ? discover(&job, timeout, fabricp, n_unansweredp, err)
                   : status;
    }
    peek(source, start, sizeof start);
    if (is_subnet_lst(start)) {
        return sf_subnet_lst_read(source, fabricp, err);
    }
    if (is_cache(start)) {
        struct sf_child_job job = { sf_ibnetdisc_print_cache, source, source,
                                    "discovery", 0 };
        enum sf_status status =
            discover(&job, timeout, fabricp, n_unansweredp, err);
        return status == SF_EIO
                   ? sf_fail(err, SF_EPARSE,
                             "%s: expected a cache of ibnetdiscover; this one "
                             "is damaged or of another version",
                             source)
                   : status;
    }
    return sf_ibnetdiscover_read(source, fabricp, err);
}

enum sf_status
sf_fabric_discover_by(const char *command, unsigned timeout,
                      struct sf_fabric **fabricp, uint32_t *n_unansweredp,
                      struct sf_error *err)
{
    struct sf_printed printed = { 0 };

    if (n_unansweredp) {
        *n_unansweredp = 0;
    }
    return read_printed(
        &printed, sf_child_shell(command, "discovery", timeout, &printed, err),
        command, fabricp, n_unansweredp, err);
}
