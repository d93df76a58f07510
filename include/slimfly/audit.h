/* audit.h -- is a routing sound?  Works on what the switches hold and trusts
 * nothing that made it: every LID reached from every switch, no loops, and no
 * deadlock whatever the senders do with service levels.
 *
 * A channel is one direction of a cable between two switches on one VL.  A
 * path that holds a channel waits for the next one; if the graph of these
 * dependencies has a cycle, packets can wait for each other for ever
 * [DallySeitz87]. */
#ifndef SLIMFLY_AUDIT_H
#define SLIMFLY_AUDIT_H

#include "slimfly/origin.h"
#include "slimfly/sl2vl.h"
#include "slimfly/tables.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* What senders do with SLs.  Packets start at hosts, and, if that is asked
 * for, at port 0 of switches, which is the switch itself; each may send to
 * every LID. */
enum sf_audit_behaviour {
    SF_AUDIT_PATH_SLS, /* They use the SL of the path. */
    SF_AUDIT_REPLIES,  /* And replies use the SL of the request. */
    SF_AUDIT_ONE_SL,   /* All use one SL. */
    SF_AUDIT_N_BEHAVIOURS,
};

/* Why a LID is not reached. */
enum sf_audit_fault {
    SF_AUDIT_NO_ENTRY, /* A switch has no entry for it. */
    SF_AUDIT_DEAD_END, /* An entry leads to nothing or to somebody else. */
    SF_AUDIT_LOOP,     /* Round and round. */
    SF_AUDIT_N_FAULTS,
};

/* One path that does not arrive. */
struct sf_audit_example {
    enum sf_audit_fault fault;
    uint32_t source; /* Switch. */
    uint32_t lid;
    uint32_t at;  /* The switch where it ends, or one that it passes twice. */
    uint8_t port; /* The entry there; SF_NO_PORT if there is none. */
};

#define SF_AUDIT_MAX_EXAMPLES 8

/* One step of a cycle of dependencies: a channel, and a path that holds it
 * and then needs the channel of the next step. */
struct sf_audit_step {
    uint32_t at; /* The channel: switch, out port, VL. */
    uint8_t port, vl;
    uint8_t sl;      /* The path: SL, */
    uint32_t source; /* source switch, */
    bool is_port_0;  /* whether it starts at the switch or at a host of it, */
    uint32_t lid;    /* destination LID. */
};

struct sf_audit_deadlock {
    bool is_checked;     /* Only then the rest means anything. */
    bool is_free;        /* Of cycles. */
    uint8_t sl;          /* SF_AUDIT_ONE_SL: which. */
    uint32_t n_channels; /* In use. */
    uint64_t n_dependencies;
    uint64_t n_dropped; /* Paths thrown away on their way: VL 15. */
    uint32_t n_steps;
    struct sf_audit_step *steps; /* A shortest cycle, unless free. */
};

/* One direction of a cable between switches. */
struct sf_audit_link {
    uint32_t port;    /* Out port, a number in the fabric. */
    uint64_t n_paths; /* From switches with hosts to LIDs of hosts. */
};

struct sf_audit {
    uint32_t n_switches, n_hosts;
    uint32_t n_lids; /* That something plugged in has. */
    uint32_t n_vls;  /* Highest VL that the tables name, plus 1. */
    bool has_sl2vl, has_path_sls;
    uint64_t n_pairs;                     /* Switches times LIDs. */
    uint64_t n_faults[SF_AUDIT_N_FAULTS]; /* Of these. */
    uint32_t n_examples;
    struct sf_audit_example examples[SF_AUDIT_MAX_EXAMPLES];
    uint64_t n_without_sl;     /* Paths whose SL is not said: taken as 0. */
    bool has_port_0;           /* Whether packets start at port 0 too, */
    uint32_t n_port_0_unknown; /* and switches that do not say their VL. */

    /* Paths from switches with hosts to LIDs of hosts on other switches. */
    uint64_t n_paths;
    uint64_t *n_by_hops; /* [most_hops + 1] Links between switches. */
    uint32_t most_hops;
    uint32_t n_links;            /* Directions of cables between switches. */
    struct sf_audit_link *links; /* [n_links] Most paths first. */
    uint32_t n_unused;           /* Of these, without paths; the last ones. */

    struct sf_audit_deadlock deadlock[SF_AUDIT_N_BEHAVIOURS];
    bool is_sound; /* No faults, no cycles, nothing dropped. */
};

struct sf_audit_params {
    const struct sf_sl2vl *sl2vl;       /* NULL: VL 0 for all. */
    const struct sf_path_sls *path_sls; /* NULL: SL 0 for all. */
    bool has_one_sl;                    /* Whether to see what happens */
    uint8_t one_sl;                     /* with all on this SL, below 16. */
    bool has_port_0; /* Whether packets start at port 0 of switches too.
                      * Where 'sl2vl' does not say their VLs, they are taken to
                      * be those of packets from any host of the switch; if it
                      * has none, from any of its ports. */
};

/* Audits 'tables' for 'fabric', which has LIDs.  'params' may be NULL.
 * SF_EINVAL if they do not fit together, if two ports have the same LID, or
 * if 'sl2vl' does not say the VL of a step that a path takes.
 *
 * LIDs of one switch with the same entries everywhere are followed once, so
 * the time is O(switches * columns * hops * SLs), not in LIDs; the memory is
 * O(sum of squared switch degrees * VLs).  Finding a shortest cycle searches
 * from each channel on a cycle, no deeper than the best found. */
enum sf_status sf_audit_build(const struct sf_fabric *fabric,
                              const struct sf_tables *tables,
                              const struct sf_audit_params *params,
                              struct sf_audit **auditp, struct sf_error *err);
void sf_audit_free(struct sf_audit *audit);

/* For people, and for programs: schema "slimfly.audit".  'origin' may be
 * NULL. */
void sf_audit_write_text(const struct sf_audit *audit,
                         const struct sf_fabric *fabric, FILE *stream);
enum sf_status sf_audit_write_json(const struct sf_audit *audit,
                                   const struct sf_fabric *fabric,
                                   const struct sf_origin *origin,
                                   FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
