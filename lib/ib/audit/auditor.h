/* auditor.h -- what the files of the audit share.
 *
 *     audit.c           arguments, memory, the verdict
 *     lid_columns.c     where LIDs live; LIDs with the same entries
 *     follow_columns.c  where entries lead: faults, hops, loads of links
 *     service_levels.c  SLs of packets and the VLs that they travel on
 *     deadlock.c        channels that wait for each other
 *     cdg.c             the graph of these, and its shortest cycle
 *
 * mixer.h says which files judge mixtures of tables.
 *
 * An audit trusts nothing that makes tables, so it includes nothing from
 * there: lib/base, the fabric, and the tables as plain data. */
#ifndef SF_IB_AUDIT_AUDITOR_H
#define SF_IB_AUDIT_AUDITOR_H

#include "ib/audit/cdg.h"
#include "slimfly/audit.h"

/* Where a LID lives: its switch, and the port that leads to it from there, 0
 * for the switch itself. */
struct home {
    uint32_t s; /* SF_NONE if nothing plugged in has this LID. */
    uint8_t port;
    bool is_host;
};

/* LIDs of one switch, their home, that have the same entries everywhere. */
struct column {
    const uint8_t *entries; /* [n_switches] The entry at home is written as 0
                             * if it is right, so that it is the same for all
                             * LIDs. */
    const uint16_t *sls;    /* [n_switches] The SLs from a switch to them: a
                             * set. */
    bool is_right;          /* The entry at home leads to the LID. */
    uint32_t lid;           /* One of them; a host's if there are any. */
    uint32_t n_lids;
    uint32_t n_host_lids;
};

/* Where packets start and end: at hosts, or at port 0 of a switch, which is
 * the switch itself. */
enum endpoint {
    HOSTS,
    PORT_0,
    N_ENDPOINTS,
};

/* A path from a switch to a column of another, with an SL. */
struct path {
    uint32_t source, home;
    enum endpoint endpoint; /* Where at the source it starts. */
    const struct column *column;
    uint8_t sl;
};

/* What following a column from a switch came to. */
enum outcome {
    UNKNOWN,
    ON_THE_WAY,
    ARRIVES,
    FAULT, /* Plus one of enum sf_audit_fault. */
};

/* An audit in progress. */
struct auditor {
    const struct sf_fabric *fabric;
    const struct sf_tables *tables;
    const struct sf_audit_params *params;
    struct sf_audit *audit;
    struct sf_error *err;
    struct sf_cdg *cdg;

    struct home *homes;  /* [max_lid + 1] */
    uint32_t *lids;      /* [n_lids] By switch. */
    uint32_t *first_lid; /* [n_switches + 1] Where a switch's LIDs start. */
    uint16_t *n_hosts;   /* [n_switches] Host ports. */

    /* [n_arcs * SF_N_SLS] The VLs on which packets that start at the switch
     * of an arc take it: a set, empty if one of them is not known. */
    uint16_t *start_vls[N_ENDPOINTS];
    /* [n_arcs * SF_N_SLS] Whether the switch at the end of an arc throws
     * packets away that came over it and are for one of its hosts. */
    bool *drops;
    /* [n_switches^2] The SLs from a switch to the hosts, or to port 0, of
     * another: a set.  NULL without path SLs. */
    uint16_t *sls_to[N_ENDPOINTS];

    uint64_t *n_by_hops; /* [n_switches + 1] Paths. */
    uint64_t *loads;     /* [n_arcs] Paths. */

    /* The columns of the switch that is looked at. */
    uint8_t *entry_buffer;  /* [most LIDs of a switch * n_switches] */
    uint16_t *sl_buffer;    /* [most LIDs of a switch * n_switches] */
    struct column *columns; /* [most LIDs of a switch] */
    uint32_t *column_of;    /* [most LIDs of a switch] */
    uint32_t n_columns;

    /* Where the column that is followed leads from each switch. */
    uint8_t *outcomes; /* [n_switches] Of enum outcome. */
    uint32_t *hops;    /* [n_switches] */
    uint32_t *ends;    /* [n_switches] The switch where a fault is. */
    uint32_t *next;    /* [n_switches] The arc that it takes, or SF_NONE. */
    uint32_t *trail;   /* [n_switches] Switches that were just passed. */

    /* The behaviour of senders that is checked for deadlock. */
    struct sf_audit_deadlock *deadlock;
    bool is_explaining;    /* Whether paths are looked for that cause the */
    const uint32_t *cycle; /* [n_steps] dependencies of this cycle. */
};

/* Reports that memory ran out; SF_ENOMEM. */
enum sf_status sf_auditor_fail_memory(struct auditor *auditor);

/* Whether fabric, tables and parameters fit together. */
enum sf_status sf_auditor_check_arguments(const struct auditor *auditor);

/* Reserves memory, and reads what the fabric and the tables say, except for
 * the paths; for at least 'least_vls' VLs.  The caller calls sf_auditor_end()
 * in any case. */
enum sf_status sf_auditor_begin(struct auditor *auditor, uint32_t least_vls);
void sf_auditor_end(struct auditor *auditor);

/* Finds out where all LIDs live, and puts them in the order of their switches.
 * '*mostp' is the largest number of LIDs at one switch. */
enum sf_status sf_auditor_find_homes(struct auditor *auditor, uint32_t *mostp);

/* Sorts the LIDs of switch 's' into columns. */
void sf_auditor_make_columns(struct auditor *auditor, uint32_t s);

/* Finds out where 'column' leads from every switch. */
void sf_auditor_follow(struct auditor *auditor, const struct column *column,
                       uint32_t home);

/* Follows all columns: reachability, hops, loads. */
enum sf_status sf_auditor_check_paths(struct auditor *auditor);

/* The highest VL that 'sl2vl' (may be NULL) names, plus 1. */
uint32_t sf_auditor_count_vls(const struct sf_sl2vl *sl2vl);

/* The VL on which switch 's' sends out at port 'out' what came in at port
 * 'in' with SL 'sl'. */
static inline uint8_t
auditor_vl(const struct auditor *auditor, uint32_t s, uint32_t in,
           uint32_t out, uint32_t sl)
{
    const struct sf_sl2vl *sl2vl = auditor->params->sl2vl;
    return sl2vl ? sf_sl2vl_of(sl2vl, s, in, out)[sl] : 0;
}

/* The number of the port at which an arc leaves its switch. */
static inline uint32_t
auditor_out_port(const struct auditor *auditor, uint32_t arc)
{
    return auditor->fabric->ports[auditor->cdg->arcs[arc].port].number;
}

/* The number of the port at which an arc enters the next switch. */
static inline uint32_t
auditor_in_port(const struct auditor *auditor, uint32_t arc)
{
    return auditor_out_port(auditor, auditor->cdg->arcs[arc].reverse);
}

/* Fills drops, start_vls and sls_to.  The last counts the paths whose SL is
 * not said. */
void sf_auditor_find_drops(struct auditor *auditor);
void sf_auditor_find_start_vls(struct auditor *auditor);
void sf_auditor_find_sls(struct auditor *auditor);

/* Whether packets start at this endpoint of switch 's'. */
bool sf_auditor_is_source(const struct auditor *auditor, uint32_t s,
                          enum endpoint endpoint);

/* The SL from switch 's' to 'lid' as a set; SL 0 if it is not said. */
unsigned sf_auditor_sl_set(const struct auditor *auditor, uint32_t s,
                           uint32_t lid);

/* Fills the SLs of the columns that were made for switch 'home'. */
void sf_auditor_find_column_sls(struct auditor *auditor, uint32_t home);

/* The SL-to-VL tables do not say the VL of arc 'arc' of switch 's'. */
enum sf_status sf_auditor_fail_no_vl(const struct auditor *auditor, uint32_t s,
                                     uint32_t arc, uint32_t sl);

/* Whether senders at 'home' have LIDs among 'n_lids', 'n_host_lids' of which
 * are those of hosts, to which replies to their requests go. */
bool sf_auditor_has_replies(const struct auditor *auditor, uint32_t n_lids,
                            uint32_t n_host_lids, uint32_t home);

/* Adds all paths to the channel dependency graph as senders with 'behaviour'
 * make them, and looks for a cycle. */
enum sf_status sf_auditor_check_deadlock(struct auditor *auditor,
                                         enum sf_audit_behaviour behaviour);

#endif
