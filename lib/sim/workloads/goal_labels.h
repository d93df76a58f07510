/* goal_labels.h -- numbers by name, for one rank of a file after the other. */
#ifndef SF_SIM_WORKLOADS_GOAL_LABELS_H
#define SF_SIM_WORKLOADS_GOAL_LABELS_H

#include "base/mem.h"

#include <stdint.h>

struct sf_label {
    uint32_t hash, round; /* Of another round: the place is free. */
    uint32_t at, length;  /* In 'names'. */
    uint32_t number;
};

/* Zeros are an empty table. */
struct sf_labels {
    struct sf_label *places; /* [n_places], a power of two, or none */
    size_t n_places, n;
    uint32_t round;
    SF_VEC(char) names;
};

/* Finds a name; NULL if it is not there. */
const uint32_t *sf_labels_find(const struct sf_labels *labels,
                               const char *name, size_t length);

/* Adds a name that is not there; false if out of memory. */
bool sf_labels_add(struct sf_labels *labels, const char *name, size_t length,
                   uint32_t number);

/* Forgets all names, in a time that does not depend on how many there are. */
void sf_labels_forget(struct sf_labels *labels);
void sf_labels_clear(struct sf_labels *labels);

#endif
