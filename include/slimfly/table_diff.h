/* table_diff.h -- how two sets of tables differ: entries, paths, the hosts
 * that these lead to, the load of links, lanes.  The tables may be of two
 * states of a fabric: switches are the same by GUID, ports by number, hosts by
 * LID. */
#ifndef SLIMFLY_TABLE_DIFF_H
#define SLIMFLY_TABLE_DIFF_H

#include "slimfly/ib.h"
#include "slimfly/mixture.h"
#include "slimfly/replace.h"
#include "slimfly/steps.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* Tables and their fabric. */
struct sf_diff_side {
    const struct sf_fabric *fabric; /* With LIDs. */
    const struct sf_tables *tables;
    const struct sf_sl2vl *sl2vl;       /* NULL if not known. */
    const struct sf_path_sls *path_sls; /* Likewise. */
};

/* What the paths of one side are like: from switches with hosts to LIDs of
 * hosts on other switches. */
struct sf_diff_paths {
    uint64_t n_paths;
    uint64_t n_broken; /* That do not arrive. */
    double mean_hops;  /* Links between switches, of those that arrive. */
    uint32_t most_hops;
    uint32_t n_links;               /* Directions of links between switches, */
    uint32_t n_unused;              /* of these, without paths; */
    uint64_t least_load, most_load; /* paths over a direction; */
    double mean_load;
    uint32_t busiest; /* the one with most, an out port of the fabric, or
                       * SF_NONE. */
    uint32_t n_vls;   /* Highest VL of the SL-to-VL tables plus 1; 0 if not
                       * known. */
};

struct sf_diff_switch {
    uint32_t number; /* In the fabric after. */
    uint64_t n_changed;
};

struct sf_table_diff {
    bool is_same; /* Fabric, entries, and lanes as far as both are known. */
    struct sf_difference fabric;     /* What was lost, and what is new. */
    uint64_t n_entries;              /* Of switches and LIDs that both have, */
    uint64_t n_changed;              /* and of these, different. */
    uint32_t n_switches;             /* With entries that change: */
    struct sf_diff_switch *switches; /* [n_switches] most entries first. */
    uint64_t n_paths;                /* That both have, */
    uint64_t n_changed_paths;     /* of these, over other links; of these, */
    uint64_t n_longer, n_shorter; /* in hops; */
    uint64_t n_lost, n_mended;    /* not arriving now, or not before. */
    uint32_t n_hosts;             /* That both have; */
    uint32_t n_receivers;         /* reached over changed paths, */
    uint32_t n_senders;           /* or sending over them. */
    bool knows_lanes, knows_path_sls; /* Both sides do. */
    uint64_t n_lanes_changed;         /* Entries of SL-to-VL tables. */
    uint64_t n_path_sls_changed;      /* SLs of paths. */
    struct sf_diff_paths before, after;
};

/* Compares two sets of tables.  SF_EINVAL if tables are not those of their
 * fabric.  O(LIDs * switches * hops). */
enum sf_status sf_table_diff_build(const struct sf_diff_side *before,
                                   const struct sf_diff_side *after,
                                   struct sf_table_diff **diffp,
                                   struct sf_error *err);
void sf_table_diff_free(struct sf_table_diff *diff);

/* What is told of a difference; the last three may be NULL. */
struct sf_diff_report {
    const struct sf_table_diff *diff;
    const struct sf_fabric *before, *after;
    const struct sf_replacements *replaced; /* Nodes of 'after' that count as
                                             * those whose places they took. */
    const struct sf_mixture *mixture;
    const struct sf_steps *steps;
};

/* For people, and for programs: schema "slimfly.diff". */
void sf_diff_write_text(const struct sf_diff_report *report, FILE *stream);
enum sf_status sf_diff_write_json(const struct sf_diff_report *report,
                                  FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
