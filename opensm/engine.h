/* engine.h -- what the plugin remembers from one sweep to the next, and how it
 * decides what to route how.  Knows nothing of OpenSM.
 *
 * 'base' is the last routing that was made in full.  A fabric that lacks parts
 * of the one that base was made for gets base, repaired: so few entries
 * change, and what comes back is routed as before.  A fabric with parts that
 * base does not know is routed anew, and that becomes base.  What cannot be
 * routed as asked is routed as if nothing had been asked for; and if even that
 * fails, what was there before stays.
 *
 * Links may be drained (slimfly/drain.h): 'fabric' lacks them, 'whole' has
 * them.  Base is of the whole fabric, and is repaired as if they were gone; so
 * nothing else changes, and what is drained no more is routed as before.
 *
 * A node that took the place of another (slimfly/replace.h) does so in base.
 *
 * What comes of that is the plain routing.  The current one is the same, or a
 * copy that was fitted to jobs (routed_jobs.h). */
#ifndef SF_OPENSM_ENGINE_H
#define SF_OPENSM_ENGINE_H

#include "job_hops.h"
#include "slimfly/ib.h"
#include "slimfly/job_routes.h"

#include <time.h>

struct sf_engine; /* Opaque. */

enum sf_outcome {
    SF_OUTCOME_NONE,     /* Nothing was routed. */
    SF_OUTCOME_KEPT,     /* The same fabric as before: nothing to do. */
    SF_OUTCOME_REPAIRED, /* Base, as far as its links are there. */
    SF_OUTCOME_ANEW,
    SF_OUTCOME_FALLBACK, /* The best that is possible, not what was
                          * asked for. */
    SF_OUTCOME_HELD,     /* Nothing could be done; the tables of before. */
    SF_N_OUTCOMES,
};

/* The name of an outcome: "repaired"; NULL if nothing was routed. */
const char *sf_outcome_name(enum sf_outcome outcome);

struct sf_engine_result {
    enum sf_outcome outcome;
    char reason[SF_ERROR_TEXT_SIZE]; /* Why not repaired, why a fallback, why
                                      * held; or "". */
    struct sf_difference difference; /* Of the whole fabric to base. */
    uint32_t n_replaced; /* Nodes that took the place of others just now. */
    bool is_safe;        /* Nothing can deadlock, if senders use path SLs. */
    bool has_moved;      /* Cables were moved since the last time. */
};

/* Makes '*result', of a routing that was kept while a change goes on in steps,
 * tell how the change came about: that is 'began'.  What was found of the
 * fabric stays, since drained links may come and go between two steps. */
void sf_engine_result_go_on(struct sf_engine_result *result,
                            const struct sf_engine_result *began);

enum sf_status sf_engine_new(struct sf_engine **enginep, struct sf_error *err);
void sf_engine_free(struct sf_engine *engine);

/* Takes over 'fabric', the one that base was made for before a restart, or by
 * a manager that led meanwhile (base.h); NULL if that is not known.  With it,
 * base is made again when something is routed next, in place of the one that
 * there is. */
void sf_engine_set_base_fabric(struct sf_engine *engine,
                               struct sf_fabric *fabric);

/* Lets nodes of 'found', the whole fabric, take the places of those of base
 * that are gone; sf_engine_route() does so, too, and counts both. */
void sf_engine_adopt(struct sf_engine *engine, const struct sf_fabric *found);

/* Routes 'fabric' as 'params' ask, on links that have 'n_vls' lanes; fewer are
 * used if params->max_vls says so.  'whole' is the same fabric with links that
 * are drained; NULL if none are.  Fails only if there is nothing that could be
 * held. */
enum sf_status sf_engine_route(struct sf_engine *engine,
                               const struct sf_fabric *fabric,
                               const struct sf_fabric *whole,
                               const struct sf_routing_params *params,
                               uint32_t n_vls, struct sf_engine_result *result,
                               struct sf_error *err);

/* Fits what was routed to 'jobs', of its network: from 'hops' on, where jobs
 * before have changed the routes, which then says where these do.  On failure
 * all stays as it is.  The caller clears '*result' in any case. */
enum sf_status sf_engine_fit(struct sf_engine *engine,
                             const struct sf_jobs *jobs,
                             const struct sf_job_routes_params *params,
                             struct sf_job_hops *hops,
                             struct sf_job_routes *result,
                             struct sf_error *err);

/* Puts 'hops' into what was routed; none: it is as without jobs. */
enum sf_status sf_engine_restore(struct sf_engine *engine,
                                 const struct sf_job_hops *hops,
                                 struct sf_error *err);

/* What was routed last; NULL if nothing was.  For the thread that routes. */
const struct sf_routing *sf_engine_routing(const struct sf_engine *engine);

/* The same without jobs. */
const struct sf_routing *sf_engine_plain(const struct sf_engine *engine);

/* The fabric that base was made for, to be kept; NULL if there is none. */
const struct sf_fabric *sf_engine_base(const struct sf_engine *engine);

/* The fabric of sf_engine_routing(), with its numbers, and with the links that
 * are drained. */
const struct sf_fabric *sf_engine_whole(const struct sf_engine *engine);

/* A node that took the place of another since the start. */
struct sf_engine_replaced {
    char name[SF_ERROR_TEXT_SIZE / 4]; /* As base has it. */
    bool is_switch;
    uint64_t old_guid, new_guid;
    time_t at;
};

/* The last of these, at most SF_MAX_REPLACED; '*np' are there. */
#define SF_MAX_REPLACED 64
const struct sf_engine_replaced *
sf_engine_replaced(const struct sf_engine *engine, uint32_t *np);

/* The tables of sf_engine_routing(); likewise. */
const struct sf_ib_tables *sf_engine_tables(const struct sf_engine *engine);

/* The number in sf_engine_routing() of the switch with 'guid', or SF_NONE;
 * likewise.  Asking for the same switch many times in a row is fast. */
uint32_t sf_engine_switch(struct sf_engine *engine, uint64_t guid);

/* The SL for packets from 'slid' to 'dlid'; SF_NO_SL if there is no such path.
 * From any thread. */
uint8_t sf_engine_path_sl(struct sf_engine *engine, uint32_t slid,
                          uint32_t dlid);

/* Finds the name of the node with 'guid' in what was routed; false, and 'name'
 * [size] as it was, if it is not there.  From any thread. */
bool sf_engine_find_name(struct sf_engine *engine, uint64_t guid, char *name,
                         size_t size);

#endif
