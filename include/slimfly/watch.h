/* watch.h -- the wiring while it goes on: how far it is, by step and by rack,
 * what was just plugged right, what is wrong and the move that mends it. */
#ifndef SLIMFLY_WATCH_H
#define SLIMFLY_WATCH_H

#include "slimfly/verify.h"

#include <stdio.h>

#pragma GCC visibility push(default)

struct sf_tally {
    uint32_t n_planned, n_right; /* Cables. */
};

struct sf_watch {
    const struct sf_plan *plan; /* Not owned; must outlive this. */
    struct sf_verify_params params;
    uint32_t n_updates;                   /* Discoveries so far. */
    struct sf_fabric *found;              /* Of the last one; NULL before. */
    struct sf_verification *verification; /* Likewise. */
    uint32_t n_unanswered;                /* Questions of the last one. */
    bool *is_right;                       /* [n_cables] */
    struct sf_tally all;
    struct sf_tally by_step[SF_N_STEPS];
    struct sf_tally *by_rack; /* [n_racks] Cables with an end in the rack. */
    uint32_t n_changes;       /* Discoveries that changed anything, the first
                               * one counted in any case. */
    bool is_news;          /* Whether the last discovery changed anything. */
    uint32_t n_new;        /* Of the last one that did: cables that became */
    uint32_t *new_cables;  /* [n_cables] right, */
    uint32_t n_lost;       /* and cables that were right before. */
    uint32_t *lost_cables; /* [n_cables] */
};

enum sf_status sf_watch_new(const struct sf_plan *plan,
                            const struct sf_verify_params *params,
                            struct sf_watch **watchp, struct sf_error *err);
void sf_watch_free(struct sf_watch *watch);

/* Takes over 'found' as what was discovered now, also if it fails. */
enum sf_status sf_watch_update(struct sf_watch *watch, struct sf_fabric *found,
                               uint32_t n_unanswered, struct sf_error *err);

/* The state after a discovery, for a terminal of any width. */
void sf_watch_write_text(const struct sf_watch *watch, FILE *stream);

/* The same as one line of JSON, schema "slimfly.watch"; if 'failure' is
 * nonnull, that the discovery failed and why. */
enum sf_status sf_watch_write_json(const struct sf_watch *watch,
                                   const char *failure, FILE *stream,
                                   struct sf_error *err);

#pragma GCC visibility pop
#endif
