/* status_file.h -- the status file: what was routed, how and when, for people
 * who watch over a fabric and for their programs.  doc/formats.md describes
 * it. */
#ifndef SF_OPENSM_STATUS_FILE_H
#define SF_OPENSM_STATUS_FILE_H

#include "drained_links.h"
#include "engine.h"
#include "routed_jobs.h"
#include "sweep_steps.h"

#include <jansson.h>
#include <time.h>

enum sf_plugin_state {
    SF_STATE_STARTED, /* Nothing was routed yet. */
    SF_STATE_ROUTED,  /* The tables are made, and are being sent. */
    SF_STATE_UP,      /* OpenSM has said that the subnet is up. */
    SF_STATE_FAILED,  /* No tables could be made or sent, now or ever. */
    SF_STATE_STANDBY, /* Another subnet manager is in charge. */
    SF_STATE_ENDED,   /* OpenSM has ended. */
};

#define SF_MAX_WARNINGS 8

struct sf_plugin_status {
    enum sf_plugin_state state;
    const char *opensm;               /* The version of OpenSM, */
    uint64_t port_guid;               /* and its port; 0: not known yet. */
    uint64_t n_routings;              /* Since the start. */
    time_t routed_at, up_at;          /* up_at: 0 if it is not up. */
    const struct sf_routing *routing; /* NULL if there is none. */
    struct sf_engine_result result;
    struct sf_change_state change;           /* How what changed is written. */
    const struct sf_plugin_jobs *jobs;       /* NULL if there are none. */
    const struct sf_plugin_drained *drained; /* Likewise. */
    const struct sf_engine_replaced *replaced; /* Nodes that took the place */
    uint32_t n_replaced;                       /* of others. */
    uint32_t lmc, n_vls; /* What OpenSM and the links offer. */
    uint64_t n_entries, n_changed;
    double read_seconds, route_seconds, write_seconds, lane_seconds;
    uint32_t n_warnings;
    char warnings[SF_MAX_WARNINGS][SF_ERROR_TEXT_SIZE];
};

/* Adds a warning, unless it is there already or there are too many. */
void sf_plugin_warn(struct sf_plugin_status *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Nothing could be routed, for 'reason'. */
void sf_plugin_status_fail(struct sf_plugin_status *status,
                           const char *reason);

/* All of 'status' as JSON; NULL if memory ran out. */
json_t *sf_status_pack(const struct sf_plugin_status *status);

/* A moment as RFC 3339 has it, or null for 0; a text, which may hold any
 * bytes. */
json_t *sf_status_time(time_t moment);
json_t *sf_status_text(const char *text);

/* Writes 'status', JSON, to 'path', which at any moment holds an old or a new
 * one as a whole. */
enum sf_status sf_status_write(const json_t *status, const char *path,
                               struct sf_error *err);

#endif
