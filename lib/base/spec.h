/* spec.h -- reads NAME:KEY=VALUE,KEY=VALUE... by a table of names, each with
 * its parameters (slimfly/spec.h). */
#ifndef SF_BASE_SPEC_H
#define SF_BASE_SPEC_H

#include "slimfly/error.h"
#include "slimfly/spec.h"

#include <stddef.h>

/* The value of one parameter: the one given, or else the default if that is a
 * value and not a phrase, or else zero. */
struct sf_value {
    bool given;
    uint64_t number;        /* SF_PARAM_NUMBER, SF_PARAM_SEED; which word of
                             * an SF_PARAM_CHOICE. */
    uint32_t rows, columns; /* SF_PARAM_SHAPE. */
    double real;            /* SF_PARAM_REAL. */
    const char *text;       /* SF_PARAM_FILE; lives as long as the spec. */
};

/* The number of 'value' if given, else 'otherwise'. */
static inline uint32_t
sf_value_or(const struct sf_value *value, uint32_t otherwise)
{
    return value->given ? (uint32_t)value->number : otherwise;
}

/* A name that a spec can start with. */
struct sf_spec_head {
    const char *name;
    const char *example;           /* For messages; may be NULL. */
    const struct sf_param *params; /* [SF_MAX_PARAMS] */
};

/* What specs of one sort can name. */
struct sf_spec_sort {
    const char *what; /* For messages: "a family of topologies". */

    /* Fills 'head' with the i-th name; false after the last. */
    bool (*head)(size_t i, struct sf_spec_head *head);

    /* How the canonical text spells values: with every one that was given
     * and a positional one without its key, or only those that differ from
     * the default, each with its key. */
    bool keeps_given;
};

/* A spec that was read. */
struct sf_spec {
    const struct sf_spec_sort *sort;
    size_t index; /* Which name it is. */
    struct sf_spec_head head;
    struct sf_value values[SF_MAX_PARAMS]; /* In the order of the params. */
    char *text;                            /* The values point into it. */
    char *canonical; /* Keys in the order of the params, one spelling of each
                      * value. */
};

/* Reads 'text'.  SF_EINVAL: 'err' names the key, what was found and what was
 * expected.  sf_spec_clear() is due in any case. */
enum sf_status sf_spec_parse(const struct sf_spec_sort *sort, const char *text,
                             struct sf_spec *parsed, struct sf_error *err);
void sf_spec_clear(struct sf_spec *parsed);

/* Spells parsed->canonical anew, after values were changed. */
enum sf_status sf_spec_spell(struct sf_spec *parsed, struct sf_error *err);

/* Copies parsed->canonical, the spec of a scheme.  SF_EINVAL if it is longer
 * than there is room for. */
enum sf_status sf_spec_copy_text(const struct sf_spec *parsed,
                                 char text[SF_SCHEME_SIZE],
                                 struct sf_error *err);

/* The value of 'key'; NULL if there is no such parameter. */
struct sf_value *sf_spec_value(struct sf_spec *parsed, const char *key);

/* The number of the name that 'text' starts with, up to its colon; SF_NO_HEAD
 * if there is none. */
#define SF_NO_HEAD SIZE_MAX
size_t sf_spec_find(const struct sf_spec_sort *sort, const char *text);

#endif
