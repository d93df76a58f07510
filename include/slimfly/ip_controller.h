/* ip_controller.h -- a controller of an IP network: it watches links, repairs
 * the routes when one goes or comes back, and writes to each switch only what
 * changes.
 *
 * It starts from the routing of the whole network, its base.  Whenever links
 * change, what switches are to hold is made from the base again, so that all
 * is as before when all links are back.  It keeps no tables on disk: after a
 * start it reads what switches hold and writes what differs. */
#ifndef SLIMFLY_IP_CONTROLLER_H
#define SLIMFLY_IP_CONTROLLER_H

#include "slimfly/ip.h"
#include "slimfly/port_names.h"

#include <stdio.h>

#pragma GCC visibility push(default)

#define SF_CONTROLLER_FOLDER "/run/slimfly-controller"

/* What happened. */
enum sf_control_kind {
    SF_CONTROL_STARTED,   /* Links and tables have been read. */
    SF_CONTROL_STANDBY,   /* Another controller is at work; 'text' says who. */
    SF_CONTROL_LINK_DOWN, /* 'port' has no link any more; */
    SF_CONTROL_LINK_UP,   /* it has one again. */
    SF_CONTROL_REPAIRED,  /* All switches hold what they are to. */
    SF_CONTROL_MENDED,    /* Switches held something else than was written,
                           * and hold what they are to again. */
    SF_CONTROL_SILENT,    /* Switch 'node' does not answer, or refuses what is
                           * written: 'text' says why; it is tried again. */
    SF_CONTROL_ANSWERS,   /* It does again. */
    SF_CONTROL_NOTED,     /* Others know of what switches hold: a lab does. */
    SF_CONTROL_UNSAVED,   /* What is to outlive a restart could not be written,
                           * for the reason in 'text'; it is tried again. */
    SF_CONTROL_SAVED,     /* It could be again. */
    SF_CONTROL_STOPPED, /* 'text', if there is one, says why, or what was left
                         * undone. */
};

struct sf_control_event {
    enum sf_control_kind kind;
    const struct sf_fabric *fabric; /* NULL: not known yet. */
    uint32_t port, node;            /* SF_NONE: none. */
    uint32_t n_down;                /* Links that are down, */
    uint32_t n_silent;              /* as far as known: so many switches do not
                                     * answer. */
    bool is_incomplete;             /* Of SF_CONTROL_STOPPED: switches may hold
                                     * something else than they are to. */
    uint32_t n_switches;            /* Changed, */
    uint64_t n_routes;              /* and routes on them. */
    uint64_t n_unreachable;         /* Pairs of switches that nothing joins. */
    double after;     /* Seconds since the first event that this answers; */
    double repair;    /* of these, for new tables, */
    double write;     /* and for writing them. */
    const char *text; /* More for people; NULL: nothing. */
};

/* Writes an event that happened now as a line: for people, and as JSON for
 * programs. */
void sf_control_event_write_text(const struct sf_control_event *event,
                                 FILE *stream);
enum sf_status
sf_control_event_write_json(const struct sf_control_event *event, FILE *stream,
                            struct sf_error *err);

/* "link-down" and the like. */
const char *sf_control_kind_name(enum sf_control_kind kind);

struct sf_control_params {
    const char *folder; /* Where state and lock are; not NULL. */
    bool stands_by;     /* Wait for the lock instead of giving up. */
    double interval;    /* Seconds between two looks at links where
                         * nobody tells of changes; */
    double check;       /* between two looks at all tables; 0: never. */
    bool once;          /* End when all switches hold what they are
                         * to. */
    bool (*is_cancelled)(void); /* Asked after each wait; NULL: never. */
    void (*tell)(void *aux, const struct sf_control_event *event);
    void *aux;
};

/* Switches that are namespaces of the lab 'name' (lab.h) in 'lab_folder'.
 * 'base', if nonnull, is the routing to start from, of the same network;
 * otherwise the routes of the lab are.  Runs until it is cancelled or the lab
 * is gone.  SF_EIO: another controller holds the lock. */
enum sf_status sf_control_lab(const char *lab_folder, const char *name,
                              const struct sf_routing *base,
                              const struct sf_control_params *params,
                              struct sf_error *err);

/* How switches are reached by a command. */
struct sf_control_exec {
    const char *command; /* For the shell; {switch} stands for the name of a
                          * switch (sf_ip_names), and what is to be run there
                          * is added at the end: "ssh {switch}". */
    struct sf_port_names ports; /* What ports are called. */
    uint32_t n_at_once;         /* Commands at once; 0: 16. */
    double timeout;             /* Seconds for a command; 0: 10. */
};

/* Switches on which 'ip' can be run by a command. */
enum sf_status sf_control_exec(const struct sf_control_exec *exec,
                               const struct sf_routing *base,
                               const struct sf_ip_addresses *addresses,
                               enum sf_ip_alternates alternates,
                               const struct sf_control_params *params,
                               struct sf_error *err);

#pragma GCC visibility pop
#endif
