/* goal_labels.c -- a hash table with open addressing. */
#include "sim/workloads/goal_labels.h"

#include <string.h>

#define FIRST_PLACES 64

/* FNV-1a. */
static uint32_t
hash_of(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    }
    return hash ^ hash >> 15;
}

/* The place of a name, or the free one where it would be. */
static struct sf_label *
find_place(const struct sf_labels *labels, const char *name, size_t length,
           uint32_t hash)
{
    size_t i = hash & (labels->n_places - 1);

    for (;; i = (i + 1) & (labels->n_places - 1)) {
        struct sf_label *label = &labels->places[i];
        if (label->round != labels->round + 1 ||
            (label->hash == hash && label->length == length &&
             memcmp(labels->names.items + label->at, name, length) == 0)) {
            return label;
        }
    }
}

const uint32_t *
sf_labels_find(const struct sf_labels *labels, const char *name, size_t length)
{
    if (labels->n == 0) {
        return NULL;
    }
    const struct sf_label *label =
        find_place(labels, name, length, hash_of(name, length));
    return label->round == labels->round + 1 ? &label->number : NULL;
}

/* Makes the table twice as large. */
static bool
grow(struct sf_labels *labels)
{
    struct sf_labels larger = *labels;

    larger.n_places = labels->n_places ? 2 * labels->n_places : FIRST_PLACES;
    larger.places = sf_calloc(larger.n_places, sizeof *larger.places);
    if (!larger.places) {
        return false;
    }
    for (size_t i = 0; i < labels->n_places; i++) {
        const struct sf_label *label = &labels->places[i];
        if (label->round == labels->round + 1) {
            *find_place(&larger, labels->names.items + label->at,
                        label->length, label->hash) = *label;
        }
    }
    free(labels->places);
    *labels = larger;
    return true;
}

bool
sf_labels_add(struct sf_labels *labels, const char *name, size_t length,
              uint32_t number)
{
    size_t at = labels->names.n;

    if (2 * labels->n >= labels->n_places && !grow(labels)) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!sf_vec_push(&labels->names, name[i])) {
            return false;
        }
    }
    uint32_t hash = hash_of(name, length);
    *find_place(labels, name, length, hash) = (struct sf_label){
        .hash = hash,
        .round = labels->round + 1,
        .at = (uint32_t)at,
        .length = (uint32_t)length,
        .number = number,
    };
    labels->n++;
    return true;
}

void
sf_labels_forget(struct sf_labels *labels)
{
    labels->round++;
    labels->n = 0;
    labels->names.n = 0;
}

void
sf_labels_clear(struct sf_labels *labels)
{
    free(labels->places);
    free(labels->names.items);
    *labels = (struct sf_labels){ 0 };
}
