/* hostlist_text.h -- names as Slurm folds them: node[0000-0005,0007],login. */
#ifndef SF_SETTINGS_HOSTLIST_TEXT_H
#define SF_SETTINGS_HOSTLIST_TEXT_H

#include <stdbool.h>
#include <stdio.h>

/* Of a name, what stands before its number at the end, and the number's
 * digits.  Longer ones are not folded. */
#define SF_HOSTLIST_PREFIX 128
#define SF_HOSTLIST_DIGITS 9

/* A list that is being written; zeros but for the stream at the start. */
struct sf_hostlist {
    FILE *stream;
    bool has_names;                      /* Any were written. */
    bool has_range;                      /* One waits to be written: */
    bool is_open;                        /* behind others in brackets, */
    char prefix[SF_HOSTLIST_PREFIX + 1]; /* with this before it, */
    char first[SF_HOSTLIST_DIGITS + 1];  /* from here */
    char last[SF_HOSTLIST_DIGITS + 1];   /* to here. */
};

/* Adds 'name' to the list.  Names keep their order: those with the same prefix
 * are folded where they follow each other. */
void sf_hostlist_add(struct sf_hostlist *list, const char *name);

/* Writes what waits. */
void sf_hostlist_end(struct sf_hostlist *list);

#endif
