/* manager.h -- is the subnet manager alive, and does it route as asked?  Reads
 * the status file that the plugin for OpenSM writes (doc/formats.md). */
#ifndef SLIMFLY_MANAGER_H
#define SLIMFLY_MANAGER_H

#include "slimfly/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

enum sf_manager_state {
    SF_MANAGER_STARTED,
    SF_MANAGER_ROUTED,
    SF_MANAGER_UP,
    SF_MANAGER_FAILED,
    SF_MANAGER_STANDBY,
    SF_MANAGER_ENDED,
    SF_MANAGER_N_STATES,
};

#define SF_MANAGER_MAX_WARNINGS 16
#define SF_MANAGER_MAX_TRAPS    32

/* A trap that devices of the fabric sent to the subnet manager, and how often
 * the same one came from the same port. */
struct sf_manager_trap {
    uint32_t number; /* As the InfiniBand specification has it, such as 128; */
    uint32_t vendor; /* 0 for a notice of this vendor, if that is not 0, */
    uint32_t device; /* from a device with this id. */
    uint32_t changes; /* Flags of trap 144. */
    uint64_t guid;    /* Of the port that sent it, or 0; */
    uint32_t lid;     /* its LID, or 0; */
    char node[128];   /* and the name of its node, or "". */
    uint64_t last;    /* Its number among all when it came last, from 1. */
    uint64_t count;
    int64_t first_at, last_at; /* In seconds since 1970. */
};

/* What a status file says.  Texts hold printable characters only. */
struct sf_manager {
    enum sf_manager_state state;
    char host[256];     /* Where OpenSM runs, */
    uint32_t pid;       /* as which process, */
    uint64_t port_guid; /* and by which port; 0: that is not told. */
    /* In seconds since 1970: the last heartbeat, and when OpenSM was last seen
     * at work. */
    int64_t heartbeat_at, active_at;
    uint32_t heartbeat_seconds; /* Between two beats. */
    uint32_t sweep_seconds;     /* OpenSM is at work at least that often; 0 if
                                 * that is not known. */
    char outcome[32];           /* Of the last routing, or "". */
    char reason[SF_ERROR_TEXT_SIZE]; /* Why it is such, or "". */
    uint32_t n_missing_switches, n_missing_links, n_missing_hosts;
    uint32_t n_drained;       /* Links that are drained; */
    bool is_safe_to_unplug;   /* whether no packet uses them by now; */
    bool has_drain_problem;   /* whether their list cannot be read; and, if the
                               * file was read where OpenSM runs, */
    uint32_t n_drain_changes; /* entries that were added to the list or taken
                               * off, and that it has not taken up yet. */
    uint32_t n_replaced;      /* Nodes that took the places of others. */
    uint32_t n_warnings;
    char warnings[SF_MANAGER_MAX_WARNINGS][SF_ERROR_TEXT_SIZE];
    uint64_t n_traps_seen; /* Since OpenSM has started; */
    uint32_t n_traps;      /* the latest of them, the latest first. */
    struct sf_manager_trap traps[SF_MANAGER_MAX_TRAPS];
};

/* Reads 'length' bytes of 'text', a status file from 'path'; and the file at
 * 'path' itself. */
enum sf_status sf_manager_parse(const char *text, size_t length,
                                const char *path, struct sf_manager *manager,
                                struct sf_error *err);
enum sf_status sf_manager_read(const char *path, struct sf_manager *manager,
                               struct sf_error *err);

/* The word for a state, as it stands in the file. */
const char *sf_manager_state_name(enum sf_manager_state state);

enum sf_manager_verdict {
    SF_MANAGER_FINE,     /* It leads and routes as asked, or stands by. */
    SF_MANAGER_DEGRADED, /* It lives, but something is to be mended. */
    SF_MANAGER_DEAD,     /* It has ended, was killed, or hangs. */
};

/* What is known of a process. */
enum sf_process {
    SF_PROCESS_UNKNOWN, /* It is of another machine. */
    SF_PROCESS_RUNS,
    SF_PROCESS_GONE,
};

struct sf_manager_health {
    enum sf_manager_verdict verdict;
    int64_t heartbeat_age; /* In seconds; below 0 if clocks differ. */
    int64_t idle;          /* Seconds at the last heartbeat since OpenSM was
                            * seen at work. */
    uint32_t n_reasons;    /* Why not fine. */
    char reasons[SF_MANAGER_MAX_WARNINGS + 4][SF_ERROR_TEXT_SIZE];
};

/* Looks for the process of 'manager' on this machine. */
enum sf_process sf_manager_find_process(const struct sf_manager *manager);

/* Judges 'manager' at the moment 'now', in seconds since 1970.  Heartbeats may
 * be 'max_age' seconds old; 0 stands for three beats. */
void sf_manager_judge(const struct sf_manager *manager, int64_t now,
                      uint32_t max_age, enum sf_process process,
                      struct sf_manager_health *health);

/* What 'trap' says, and of whom: "link state changed at sf-0-0-1".  Whether a
 * device violated keys or has errors; else it is only to be known. */
#define SF_TRAP_TEXT_SIZE 256
void sf_manager_trap_text(const struct sf_manager_trap *trap,
                          char text[SF_TRAP_TEXT_SIZE]);
bool sf_manager_trap_is_bad(const struct sf_manager_trap *trap);

/* For people, the verdict in the first line; and for programs, schema
 * "slimfly.manager".  'path' is that of the status file. */
void sf_manager_write_text(const struct sf_manager *manager,
                           const struct sf_manager_health *health,
                           FILE *stream);
enum sf_status sf_manager_write_json(const struct sf_manager *manager,
                                     const struct sf_manager_health *health,
                                     const char *path, FILE *stream,
                                     struct sf_error *err);

#pragma GCC visibility pop
#endif
