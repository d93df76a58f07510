/* mixture.h -- is a change of tables sound while it is made?  A subnet manager
 * writes tables switch by switch and block by block.  Until it is done, each
 * switch holds the old or the new entry for each LID, and packets take paths
 * that are in neither table.
 *
 * A mixture lets each switch use its old or its new entry for each LID, at
 * each moment anew, and its old or its new SL-to-VL table.  Senders use the
 * old or the new SL of a path.  What no mixture can do cannot happen during
 * the change, whatever the order of writing.  Like an audit (audit.h), this
 * trusts nothing that made the tables. */
#ifndef SLIMFLY_MIXTURE_H
#define SLIMFLY_MIXTURE_H

#include "slimfly/audit.h"

#pragma GCC visibility push(default)

/* Tables as they are before a change, or after it. */
struct sf_mixture_side {
    const struct sf_tables *tables;
    const struct sf_sl2vl *sl2vl;       /* NULL: VL 0 for all. */
    const struct sf_path_sls *path_sls; /* NULL: SL 0 for all. */
};

/* Which of the two a switch uses. */
enum sf_mixture_origin {
    SF_MIXTURE_SAME, /* Both say the same. */
    SF_MIXTURE_OLD,
    SF_MIXTURE_NEW,
};

/* A packet leaves a switch. */
struct sf_mixture_hop {
    uint32_t at;  /* The switch, */
    uint8_t port; /* the out port, SF_NO_PORT if it has no entry, */
    uint8_t vl;   /* the VL there; SF_NO_VL where it does not matter. */
    enum sf_mixture_origin entry; /* Of the forwarding table. */
    enum sf_mixture_origin lane;  /* Of the SL-to-VL table. */
};

/* A path in a mixture. */
struct sf_mixture_path {
    uint32_t source; /* Switch; the packet comes from a host of it */
    bool is_port_0;  /* or from the switch itself. */
    uint32_t lid;
    uint8_t sl;
    uint32_t n_hops;
    struct sf_mixture_hop *hops; /* [n_hops] */
};

/* One step of a cycle of dependencies: a channel, and a path whose last two
 * hops are this channel and that of the next step. */
struct sf_mixture_step {
    uint32_t at; /* The channel: switch, out port, VL. */
    uint8_t port, vl;
    struct sf_mixture_path path;
};

struct sf_mixture_deadlock {
    bool is_checked;     /* Only then the rest means anything. */
    bool is_free;        /* Of cycles, in every mixture. */
    uint8_t sl;          /* SF_AUDIT_ONE_SL: which. */
    uint32_t n_channels; /* That packets can be on in some mixture, */
    uint64_t n_dependencies;
    uint32_t n_steps;
    struct sf_mixture_step *steps; /* A shortest cycle, unless free. */
};

/* A path that does not arrive in some mixture.  Its last hop is the entry that
 * leads nowhere, or the one that closes the loop. */
struct sf_mixture_example {
    enum sf_audit_fault fault;
    struct sf_mixture_path path;
};

#define SF_MIXTURE_MAX_EXAMPLES 4

struct sf_mixture {
    uint32_t n_switches, n_hosts;
    uint32_t n_lids;          /* That something plugged in has. */
    uint32_t n_vls;           /* Highest VL that tables name, plus 1. */
    uint64_t n_entries;       /* Switches times LIDs. */
    uint64_t n_changed;       /* Of these, different in old and new. */
    uint64_t n_lanes_changed; /* Likewise, of entries of SL-to-VL tables
                               * that both sides have. */
    bool has_path_sls, has_port_0;

    /* Pairs of switch and LID, n_entries of them, that can meet a fault on
     * the way in some mixture: */
    uint64_t n_loops;      /* a loop, */
    uint64_t n_dead_ends;  /* an entry that leads nowhere, or none, */
    uint64_t n_faulty;     /* one of both. */
    uint64_t n_faulty_old; /* Of n_faulty, those that do not arrive with the
                            * old tables alone, */
    uint64_t n_faulty_new; /* with the new tables alone, */
    uint64_t n_mixed;      /* and those that arrive with either. */
    uint32_t n_examples;   /* Of n_mixed first. */
    struct sf_mixture_example examples[SF_MIXTURE_MAX_EXAMPLES];

    struct sf_mixture_deadlock deadlock[SF_AUDIT_N_BEHAVIOURS];
    bool is_free; /* No cycles, whatever was checked. */
    bool is_safe; /* And no faults but those of the old tables alone. */
};

struct sf_mixture_params {
    bool has_one_sl; /* As in struct sf_audit_params. */
    uint8_t one_sl;
    bool has_port_0;
};

/* Judges all mixtures of 'before' and 'after' on 'fabric', which has LIDs:
 * the fabric as it is while tables are written.  'params' may be NULL.  A VL
 * that one side does not say is that of the other side.  Errors are those of
 * sf_audit_build().
 *
 * A packet is wherever some mixture can bring it; so the channels and
 * dependencies are those of all mixtures together.  LIDs of one switch with
 * the same entries everywhere are followed once: O(switches * columns * SLs *
 * VLs) time. */
enum sf_status sf_mixture_build(const struct sf_fabric *fabric,
                                const struct sf_mixture_side *before,
                                const struct sf_mixture_side *after,
                                const struct sf_mixture_params *params,
                                struct sf_mixture **mixturep,
                                struct sf_error *err);
void sf_mixture_free(struct sf_mixture *mixture);

#pragma GCC visibility pop
#endif
