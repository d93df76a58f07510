/* helpers.h -- what several suites need. */
#ifndef SF_TEST_HELPERS_H
#define SF_TEST_HELPERS_H

#include "slimfly/layers.h"

#include <stddef.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof *(array))

/* What an output pointer holds before a call, to see whether it was set. */
#define UNSET(type) ((type *)(void *)&unset)
extern char unset;

/* Builds the topology of a spec, printf style, or fails the test. */
struct sf_topology *build(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* Fails the test unless 'spec' is refused as it should be: with a status, a
 * sentence, and no topology.  Returns the sentence, which lives until the
 * next call. */
const char *refusal(const char *spec, enum sf_status status);

/* The network of a graph whose switches carry 'n_hosts' hosts each, or fails
 * the test. */
struct sf_network *network_of(const struct sf_graph *graph,
                              const uint32_t *n_hosts);

/* sf_layers_build() for the network of a graph. */
enum sf_status build_layers(const struct sf_graph *graph,
                            const uint32_t *n_hosts,
                            const struct sf_layers_params *params,
                            struct sf_layers **layersp, struct sf_error *err);

/* Whether 'text' contains 'word' between other characters than letters,
 * digits and underscores. */
bool has_word(const char *text, const char *word);

/* Adds 'more' to the 'size' bytes of 'text', which have room for it. */
void append(char *text, size_t size, const char *more);

/* Whether 'n' numbers are the same. */
bool same_numbers(const double *a, const double *b, size_t n);

/* A file with 'text' in it; remove it with temporary_remove(). */
struct temporary {
    char name[64];
};
struct temporary temporary_write(const char *text);
void temporary_remove(const struct temporary *file);

#endif
