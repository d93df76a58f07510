/* people.c -- see people.h. */
#define _GNU_SOURCE
#include "people.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* People have user numbers from here on. */
#define FIRST_PERSON 1000
#define NOBODY       65534

static bool
add_person(struct cli_people *people, const char *name)
{
    if (!name || !*name || !strcmp(name, "root")) {
        return true;
    }
    char **names = realloc(people->names, (people->n + 1) * sizeof *names);
    if (!names) {
        return false;
    }
    people->names = names;
    names[people->n] = strdup(name);
    return names[people->n++] != NULL;
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool
cli_people_find(struct cli_people *people)
{
    static const char *const variables[] = { "USER", "LOGNAME", "SUDO_USER" };
    bool is_fine = true;
    struct passwd *person;

    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        is_fine = is_fine && add_person(people, getenv(variables[i]));
    }
    setpwent();
    while (is_fine && (person = getpwent())) {
        if (person->pw_uid == getuid() ||
            (person->pw_uid >= FIRST_PERSON && person->pw_uid != NOBODY)) {
            is_fine = add_person(people, person->pw_name);
        }
    }
    endpwent();
    if (people->n) {
        qsort(people->names, people->n, sizeof *people->names, compare_names);
    }
    return is_fine;
}

void
cli_people_clear(struct cli_people *people)
{
    for (size_t i = 0; i < people->n; i++) {
        free(people->names[i]);
    }
    free(people->names);
}
