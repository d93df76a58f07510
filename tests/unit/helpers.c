/* helpers.c -- see helpers.h. */
#define _POSIX_C_SOURCE 200809L
#include "helpers.h"
#include "test.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

char unset;

/* Lets the address sanitizer answer absurd sizes with NULL, as malloc() does,
 * instead of ending the program. */
const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

struct sf_topology *
build(const char *format, ...)
{
    struct sf_topology *topo = NULL;
    struct sf_error err = { 0 };
    char spec[256];
    va_list args;

    va_start(args, format);
    vsnprintf(spec, sizeof spec, format, args);
    va_end(args);
    enum sf_status status = sf_topology_build(spec, &topo, &err);
    CHECK_FOR(status == SF_OK, "%s: status %d: %s", spec, (int)status,
              err.text);
    CHECK_FOR(topo != NULL, "%s: no topology", spec);
    return topo;
}

const char *
refusal(const char *spec, enum sf_status status)
{
    static struct sf_error err;
    struct sf_topology *topo = UNSET(struct sf_topology);

    memset(&err, 0, sizeof err);
    enum sf_status actual = sf_topology_build(spec, &topo, &err);
    CHECK_FOR(actual == status, "%s: status %d, expected %d: %s", spec,
              (int)actual, (int)status, err.text);
    CHECK_FOR(topo == NULL, "%s: refused, but not NULL", spec);
    CHECK_FOR(err.status == status, "%s: err says %d", spec, (int)err.status);
    CHECK_FOR(err.text[0], "%s: no sentence", spec);
    CHECK_FOR(memchr(err.text, '\0', sizeof err.text) != NULL,
              "%s: an endless sentence", spec);
    for (const char *c = err.text; *c; c++) {
        CHECK_FOR((unsigned char)*c >= 0x20 && *c != 0x7f,
                  "%s: byte 0x%02x in the sentence", spec,
                  (unsigned)(unsigned char)*c);
    }
    return err.text;
}

static bool
is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool
has_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        if ((at == text || !is_word_byte(at[-1])) &&
            !is_word_byte(at[length])) {
            return true;
        }
    }
    return false;
}

struct temporary
temporary_write(const char *text)
{
    struct temporary file = { "/tmp/slimfly-unit-XXXXXX" };
    int fd = mkstemp(file.name);
    CHECK(fd >= 0);

    FILE *stream = fdopen(fd, "w");
    CHECK(stream != NULL);
    CHECK(fputs(text, stream) >= 0);
    CHECK(fclose(stream) == 0);
    return file;
}

void
temporary_remove(const struct temporary *file)
{
    unlink(file->name);
}

struct sf_network *
network_of(const struct sf_graph *graph, const uint32_t *n_hosts)
{
    struct sf_network *network;

    CHECK_EQ(sf_network_from_graph(graph, n_hosts, &network, NULL), SF_OK);
    return network;
}

enum sf_status
build_layers(const struct sf_graph *graph, const uint32_t *n_hosts,
             const struct sf_layers_params *params, struct sf_layers **layersp,
             struct sf_error *err)
{
    struct sf_network *network;

    *layersp = NULL;
    enum sf_status status =
        sf_network_from_graph(graph, n_hosts, &network, err);
    if (status == SF_OK) {
        status = sf_layers_build(network, params, layersp, err);
        sf_network_free(network);
    }
    return status;
}

void
append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);

    CHECK(length + strlen(more) < size);
    snprintf(text + length, size - length, "%s", more);
}

bool
same_numbers(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}
