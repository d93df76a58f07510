/* verbs.c -- see verbs.h. */
#include "verbs.h"

#include <stdio.h>
#include <string.h>

static const struct cli_verb *
verb_at(const void *verbs, size_t i, size_t size)
{
    const void *verb = (const char *)verbs + i * size;

    return verb;
}

/* Says that none of the verbs is there. */
static void
tell_verbs(const struct cli_args *args, const void *verbs, size_t n,
           size_t size)
{
    const char *quote = args->n_words ? "'" : "";
    char names[256] = "";
    size_t length = 0;

    for (size_t i = 0; i < n && length < sizeof names; i++) {
        length +=
            (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                             i == 0       ? ""
                             : i == n - 1 ? " or "
                                          : ", ",
                             verb_at(verbs, i, size)->name);
    }
    cli_fail("%s: expected %s, found %s%s%s", args->command->name, names,
             quote, args->n_words ? args->words[0] : "none", quote);
}

size_t
cli_find_verb(const struct cli_args *args, const void *verbs, size_t n,
              size_t size)
{
    for (size_t i = 0; args->n_words && i < n; i++) {
        const struct cli_verb *verb = verb_at(verbs, i, size);
        size_t n_words = args->n_words - 1;
        if (strcmp(verb->name, args->words[0]) != 0) {
            continue;
        }
        if (n_words < verb->least || n_words > verb->most) {
            cli_fail("%s %s: expected %s, found %zu word%s",
                     args->command->name, verb->name, verb->words, n_words,
                     n_words == 1 ? "" : "s");
            return SIZE_MAX;
        }
        return i;
    }
    tell_verbs(args, verbs, n, size);
    return SIZE_MAX;
}

bool
cli_check_verb_options(const struct cli_args *args,
                       const struct cli_verb *verb,
                       const struct cli_verb_option *own, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (cli_has(args, own[i].id) && strcmp(own[i].verb, verb->name) != 0) {
            cli_fail("%s %s: --%s is for %s %s", args->command->name,
                     verb->name, cli_name(args, own[i].id),
                     args->command->name, own[i].verb);
            return false;
        }
    }
    return true;
}
