/* traps.h -- the latest traps, for the status file.  Many may come at once, so
 * that one costs a look at a short list, and nothing is written for it: the
 * next status tells of it.  Knows nothing of OpenSM. */
#ifndef SF_OPENSM_TRAPS_H
#define SF_OPENSM_TRAPS_H

#include <jansson.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* So many are kept, each with how often it came. */
#define SF_MAX_TRAPS 32

#define SF_TRAP_NODE_SIZE 128

/* What a device said.  Two are the same if number, vendor, device, GUID and
 * changes are. */
struct sf_trap {
    uint32_t number;  /* 128, as the InfiniBand specification has it; 0 for */
    uint32_t vendor;  /* a notice of this vendor, if that is not 0, */
    uint32_t device;  /* from a device with this id. */
    uint64_t guid;    /* Of the port that sent it, or 0. */
    uint32_t changes; /* Flags of trap 144, or 0. */
    uint32_t lid;     /* Of the port, or 0. */
    char node[SF_TRAP_NODE_SIZE]; /* The name of its node, or "". */
};

struct sf_kept_trap {
    struct sf_trap trap;
    uint64_t last; /* Its number among all, from 1, when it came last. */
    uint64_t count;
    time_t first_at, last_at;
};

struct sf_traps {
    pthread_mutex_t lock; /* Of all that follows. */
    uint64_t n_seen;
    uint32_t n;
    struct sf_kept_trap kept[SF_MAX_TRAPS]; /* The latest first. */
};

void sf_traps_init(struct sf_traps *traps);
void sf_traps_clear(struct sf_traps *traps);

/* Finds LID and name of the node that sent 'trap', by its GUID. */
typedef void sf_trap_namer(void *aux, struct sf_trap *trap);

/* Takes in 'trap', which came at 'moment'.  Only one that is not kept yet gets
 * its name, from 'name', so that a storm of the same one is cheap. */
void sf_traps_add(struct sf_traps *traps, const struct sf_trap *trap,
                  time_t moment, sf_trap_namer *name, void *aux);

/* What is kept, as the status file has it; NULL if memory ran out. */
json_t *sf_traps_pack(struct sf_traps *traps);

#endif
