/* traffic.h -- who sends how much to whom: flows between hosts, and demands
 * between switches as a view of them.  What throughput is measured against.
 *
 * Traffic is spoken of as text, "KIND:KEY=VALUE,KEY=VALUE..."; the kinds stand
 * in sf_traffic_kinds[]:
 *
 *     all-to-all                     every host to every other, evenly
 *     permutation                    every host to one other, at random
 *     switch-permutation:distance=2  all hosts of a switch to those of another
 *     longest-matching               the same, the switches far apart
 *     adversarial:load=0.5,elephants=1,ratio=10
 *     file:PATH                      CSV, "source,destination,amount"
 *
 * Demands are kept between switches: the hosts of a switch share its links,
 * and each has a link of its own.  All kinds but "file" are scaled so that the
 * host that sends or receives the most does so with 1 in total, the rate of
 * its link: a throughput of 1 is then full speed.  Under all-to-all and
 * permutations with as many hosts on every switch, all hosts are such. */
#ifndef SLIMFLY_TRAFFIC_H
#define SLIMFLY_TRAFFIC_H

#include "slimfly/network.h"
#include "slimfly/spec.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* What one host sends to another; hosts are numbered as in the network. */
struct sf_flow {
    uint32_t from, to;
    double amount; /* 1 is the rate of a link. */
};

/* All flows of a traffic, by source. */
struct sf_flows {
    uint32_t n_hosts;
    size_t n_flows;
    struct sf_flow *flows;
    double max_host, unit; /* As in struct sf_traffic. */
};

/* What hosts of one switch send to hosts of another. */
struct sf_demand {
    uint32_t source, destination; /* Switches, never the same. */
    uint32_t set;  /* The path set of the receiving hosts (routes.h). */
    double amount; /* Above 0; 1 is the rate of a link. */
};

/* The demands of a traffic: a view of its flows by switches. */
struct sf_traffic {
    uint32_t n_switches, n_sets;
    size_t n_demands;
    struct sf_demand *demands; /* Sorted by source, destination, set; none
                                * twice. */
    double max_host; /* The largest sum of what a host sends, or of what one
                      * receives, traffic within its switch included. */
    double unit;     /* What an amount of 1 was before scaling; 1 for files. */
};

struct sf_traffic_ops; /* lib/traffic/flows.h */
struct sf_traffic_kind {
    const char *name, *title, *example; /* For people. */
    struct sf_param params[SF_MAX_PARAMS];
    bool is_random;  /* Whether the seed matters. */
    bool takes_path; /* PATH stands after the colon; amounts stay as given. */
    const struct sf_traffic_ops *ops;
};

/* All kinds, ended by one without a name. */
extern const struct sf_traffic_kind sf_traffic_kinds[];

/* Whether the traffic 'text' is of a kind that reads a file, whose lines name
 * hosts. */
bool sf_traffic_takes_path(const char *text);

/* Where the traffic runs. */
struct sf_traffic_params {
    const struct sf_network *network; /* "file:" needs one with a fabric, which
                                       * names the hosts. */
    const uint32_t *host_sets;        /* [hosts] Their path sets, */
    uint32_t n_sets; /* of so many; NULL and 0: one for all. */
    uint64_t seed;
};

/* Makes the traffic that 'text' describes.  SF_EINVAL: a text that is not as
 * above, or fewer than two hosts; files fail with SF_EPARSE and their line.
 * On success the caller owns '*trafficp'; on failure it is NULL.
 *
 * - Permutations have no fixed point.  Those of switches are over switches
 *   with hosts; as many as possible go over exactly 'distance' hops.
 * - longest-matching has the largest sum of distances; on a Slim Fly, where
 *   most switches are two hops apart, chance decides between many.  A fraction
 *   'elephants' of its flows has 'ratio' times the demand (as in TopoBench
 * [Jyothi16]).
 * - adversarial: a fraction 'load' of the ordered pairs of hosts on different
 *   switches has demand 1; on top of it, a matching of hosts on switches at
 *   least two hops apart, where possible, has demand 'ratio' on a fraction
 *   'elephants' of its pairs.  [Blach24] does not define its own further. */
enum sf_status sf_traffic_build(const char *text,
                                const struct sf_traffic_params *params,
                                struct sf_traffic **trafficp,
                                struct sf_error *err);
void sf_traffic_free(struct sf_traffic *traffic);

/* Lists the flows of the traffic that 'text' describes; likewise.  SF_ELIMIT:
 * there are too many to list. */
enum sf_status sf_flows_build(const char *text,
                              const struct sf_network *network, uint64_t seed,
                              struct sf_flows **flowsp, struct sf_error *err);
void sf_flows_free(struct sf_flows *flows);

/* The demands from the bytes of a CSV file: "source,destination,amount", names
 * of hosts and a decimal number; a first line of just these words, blank lines
 * and lines that start with # are passed over; pairs that come again add up.
 * 'path' is for messages; 'text' is changed and has room for one more byte. */
enum sf_status sf_traffic_parse(char *text, size_t length, const char *path,
                                const struct sf_traffic_params *params,
                                struct sf_traffic **trafficp,
                                struct sf_error *err);

#pragma GCC visibility pop
#endif
