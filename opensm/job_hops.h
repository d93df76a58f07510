/* job_hops.h -- the next hops that jobs have changed: as GUIDs and ports, so
 * that they can be found again in a fabric after faults, and be kept over a
 * restart of OpenSM. */
#ifndef SF_OPENSM_JOB_HOPS_H
#define SF_OPENSM_JOB_HOPS_H

#include "slimfly/routing.h"

/* One of them: what is for 'destination' in 'layer' of a path set leaves the
 * switch 'at' by 'port'. */
struct sf_job_hop {
    uint64_t destination, at; /* GUIDs. */
    uint32_t set, layer, port;
};

/* All of them, grouped by set, layer and destination. */
struct sf_job_hops {
    uint64_t plain; /* sf_job_hops_hash() of the routing without jobs. */
    uint64_t jobs;  /* A hash of the jobs that they are for; 0: none. */
    size_t n;
    struct sf_job_hop *items;
};

void sf_job_hops_clear(struct sf_job_hops *hops);

/* A short name of the routes to all hosts, and of the switches and hosts that
 * they are for.  It does not depend on which hosts share a path set. */
uint64_t sf_job_hops_hash(const struct sf_routing *routing);

/* Lists where 'fitted' differs from 'plain', routings of the same network. */
enum sf_status sf_job_hops_list(const struct sf_routing *plain,
                                const struct sf_routing *fitted,
                                struct sf_job_hops *hops,
                                struct sf_error *err);

/* Puts the hops into 'routing', which has routes without jobs.  A column is
 * left as it is if its hops are not all there, if they go round, or if they do
 * not obey the turns.  Without turns nothing tells whether hops are safe but
 * that the routes are the same that they were made for. */
enum sf_status sf_job_hops_apply(const struct sf_job_hops *hops,
                                 struct sf_routing *routing,
                                 struct sf_error *err);

/* Writes them to the file 'path', and reads them: if it is not there, there
 * are none.  SF_EPARSE: 'err' has the line and what was expected there. */
enum sf_status sf_job_hops_save(const struct sf_job_hops *hops,
                                const char *path, struct sf_error *err);
enum sf_status sf_job_hops_load(const char *path, struct sf_job_hops *hops,
                                struct sf_error *err);

/* The same from 'length' bytes of 'text', which are changed and after which
 * there is room for one more. */
enum sf_status sf_job_hops_parse(char *text, size_t length, const char *path,
                                 struct sf_job_hops *hops,
                                 struct sf_error *err);

#endif
