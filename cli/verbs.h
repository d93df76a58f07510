/* verbs.h -- commands whose first word says what to do: 'slimfly jobs add'. */
#ifndef SLIMFLY_CLI_VERBS_H
#define SLIMFLY_CLI_VERBS_H

#include "cli.h"

struct cli_verb {
    const char *name;
    const char *words;  /* What follows, for messages. */
    size_t least, most; /* So many words. */
};

/* An option that is of one verb alone. */
struct cli_verb_option {
    int id;
    const char *verb;
};

/* Finds the verb that the first word names: its number in 'verbs', an array of
 * 'n' structs of 'size' bytes that begin with a struct cli_verb.  SIZE_MAX,
 * having said why, if there is none or other words follow than it expects. */
size_t cli_find_verb(const struct cli_args *args, const void *verbs, size_t n,
                     size_t size);

/* Whether options that are of one verb alone, 'own', are given to that verb;
 * says so otherwise. */
bool cli_check_verb_options(const struct cli_args *args,
                            const struct cli_verb *verb,
                            const struct cli_verb_option *own, size_t n);

#endif
