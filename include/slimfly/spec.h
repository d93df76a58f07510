/* spec.h -- parameters of what is named by a spec, NAME:KEY=VALUE,KEY=VALUE...
 *
 * Families of topologies, layer schemes, lane schemes and kinds of traffic are
 * all named so: "sf:q=5", "rues:fraction=0.6", "adversarial:load=0.5".  Each
 * has a table of its parameters, from which reading, messages and help
 * follow. */
#ifndef SLIMFLY_SPEC_H
#define SLIMFLY_SPEC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

#define SF_MAX_PARAMS  8
#define SF_MAX_WORDS   8
#define SF_SCHEME_SIZE 512 /* Of the spec of a scheme, with its NUL. */

enum sf_param_kind {
    SF_PARAM_NUMBER, /* A whole number from min to max. */
    SF_PARAM_SEED,   /* Any whole number of 64 bits. */
    SF_PARAM_SHAPE,  /* ROWSxCOLUMNS, each from min to max. */
    SF_PARAM_FILE,   /* The name of a file, "-" for standard input. */
    SF_PARAM_REAL,   /* A decimal number in a range. */
    SF_PARAM_CHOICE, /* One of some words. */
};

/* From 'min' to 'max', which are in it unless excluded. */
struct sf_range {
    double min, max;
    bool above_min, below_max;
};

/* One KEY.  A default that can be read as a value is that value; any other
 * is a phrase for people, and whoever uses the parameter knows what it
 * means. */
struct sf_param {
    const char *key;
    enum sf_param_kind kind;
    uint32_t min, max;      /* Of numbers and of each side of a shape. */
    bool positional;        /* May stand first without "KEY=". */
    const char *by_default; /* NULL if it must be given. */
    const char *meaning;    /* For people. */
    struct sf_range range;  /* Of a real number. */
    const char *words[SF_MAX_WORDS]; /* Of a choice, ended by NULL. */
};

/* How many of 'params' [SF_MAX_PARAMS] there are. */
uint32_t sf_params_count(const struct sf_param *params);

/* Writes a line for people: meaning, range, default. */
void sf_param_write_text(const struct sf_param *param, FILE *stream);

#pragma GCC visibility pop
#endif
