/* people.h -- user names of this machine. */
#ifndef SF_CLI_PEOPLE_H
#define SF_CLI_PEOPLE_H

#include <stdbool.h>
#include <stddef.h>

struct cli_people {
    char **names; /* Sorted. */
    size_t n;
};

/* Finds the names of all people that this machine knows, and of who runs the
 * program; false if memory ran out.  The caller clears them in any case. */
bool cli_people_find(struct cli_people *people);
void cli_people_clear(struct cli_people *people);

#endif
