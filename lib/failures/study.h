/* study.h -- what the files of this folder share: the network before anything
 * fails, what is drawn to fail, and what is left.
 *
 *     draw.c             which parts fail in a run
 *     left.c             the network without them
 *     reach.c            which switches the routes lead to which hosts
 *     changed_entries.c  entries of forwarding tables that changed
 *     traffic_left.c     traffic of the hosts that are left
 *     failing_run.c      one run: repair and measure
 *     flow.c             disjoint paths, for the bounds of cuts
 *     cuts.c             how many faults until two hosts are cut off
 *     kept_runs.c        runs and cuts as texts that are kept
 *     failure_sweep.c    all of them, on all cores
 *     failures.c         from the question to the answer */
#ifndef SF_FAILURES_STUDY_H
#define SF_FAILURES_STUDY_H

#include "slimfly/failures.h"

/* Two racks with cables between their switches. */
struct sf_failure_bundle {
    uint32_t racks[2];
};

struct sf_failure_study {
    struct sf_failures *failures;
    const struct sf_failures_params *params; /* Its own. */
    struct sf_network *network;              /* The healthy one. */
    struct sf_routing *base;                 /* Its routing. */
    struct sf_routing_params asked;          /* As that was made. */
    uint32_t *host_of_port; /* [n_ports] The host whose port it is, or
                             * SF_NONE. */
    uint32_t *link_of_port; /* [n_ports] Likewise. */
    uint32_t *racks;        /* [n_racks] In the order in which they fail. */
    struct sf_failure_bundle *bundles; /* [n_bundles] Likewise. */
    uint64_t key;                      /* A hash of network and routing. */
};

/* What fails in a run. */
struct sf_failure_dead {
    bool *links; /* [n_links of the healthy network] */
    bool *nodes; /* [n_nodes of its fabric] */
};

/* Puts the racks and bundles of the plan into the order in which they
 * fail. */
enum sf_status sf_failure_list_racks(struct sf_failure_study *study,
                                     struct sf_error *err);

/* The order in which links fail, by number of seed: 'order' [n_links]. */
void sf_failure_order_links(const struct sf_failure_study *study,
                            uint32_t seed, uint32_t *order);

/* How many links or switches, whichever 'kind' says, a share of them is. */
uint32_t sf_failure_count(const struct sf_failure_study *study,
                          enum sf_failure_kind kind, double share);

/* Draws what fails in run 'run' of 'point'. */
enum sf_status sf_failure_draw(const struct sf_failure_study *study,
                               const struct sf_failure_point *point,
                               uint32_t run, struct sf_failure_dead *dead,
                               struct sf_error *err);
void sf_failure_dead_clear(struct sf_failure_dead *dead);

/* What is left.  A host is a port, as in networks. */
struct sf_failure_left {
    struct sf_network *network; /* NULL if no switch is left. */
    uint32_t *switches;         /* [V] The number that each had. */
    uint32_t *hosts;            /* [hosts] Likewise. */
    uint32_t n_hosts;
    uint32_t n_carriers; /* Switches with hosts. */
    uint32_t *parts;     /* [V] The first switch of the part that each is
                          * in. */
};

enum sf_status sf_failure_left_build(const struct sf_failure_study *study,
                                     const struct sf_failure_dead *dead,
                                     struct sf_failure_left *left,
                                     struct sf_error *err);
void sf_failure_left_clear(struct sf_failure_left *left);

/* Which switches reach which destinations: whether from switch s all layers of
 * a set lead to d, at [(set * V + d) * V + s]. */
struct sf_failure_reach {
    uint32_t n_switches;
    bool *leads;
    uint64_t n_pairs; /* Ordered pairs of hosts that are joined so. */
};

static inline bool
sf_failure_leads(const struct sf_failure_reach *reach, uint32_t set,
                 uint32_t s, uint32_t d)
{
    size_t n = reach->n_switches;
    return reach->leads[(set * n + d) * n + s];
}

enum sf_status sf_failure_reach_build(const struct sf_network *network,
                                      const struct sf_routes *routes,
                                      struct sf_failure_reach *reach,
                                      struct sf_error *err);
void sf_failure_reach_clear(struct sf_failure_reach *reach);

/* Counts the entries of forwarding tables of what is left: a switch and an
 * address that 'before' had there; and of these, those that lead out of
 * another port after, or nowhere now or then. */
struct sf_failure_entries {
    uint64_t n, n_changed;
};

enum sf_status sf_failure_entries_count(const struct sf_failure_left *left,
                                        const struct sf_routing *before,
                                        const struct sf_routing *after,
                                        struct sf_failure_entries *entries,
                                        struct sf_error *err);

/* Draws the traffic 'text' for the hosts that are left and takes out what has
 * no path: '*left_outp' is the share of it.  '*trafficp' is NULL if all
 * switches with hosts are apart. */
enum sf_status sf_failure_traffic(const struct sf_failure_left *left,
                                  const struct sf_routes *routes,
                                  const struct sf_failure_reach *reach,
                                  const char *text, uint64_t seed,
                                  struct sf_traffic **trafficp,
                                  double *left_outp, struct sf_error *err);

/* Removes the failed parts 'dead' from the network, repairs and measures. */
enum sf_status sf_failure_run(const struct sf_failure_study *study,
                              const struct sf_failure_point *point,
                              const struct sf_failure_dead *dead,
                              uint32_t number, struct sf_failure_run *run,
                              struct sf_error *err);

/* A graph of directed arcs, each of which carries one path at most. */
struct sf_flow_net; /* Opaque. */

/* From a graph: each link carries one path.  'through_switches': each switch
 * but the two ends carries one path instead. */
enum sf_status sf_flow_net_build(const struct sf_graph *graph,
                                 bool through_switches,
                                 struct sf_flow_net **netp,
                                 struct sf_error *err);
void sf_flow_net_free(struct sf_flow_net *net);

/* How many paths there are from 'from' to 'to' at once, but no more than
 * 'limit'.  O(limit * links). */
uint32_t sf_flow_net_count(struct sf_flow_net *net, uint32_t from, uint32_t to,
                           uint32_t limit);

/* Fills the cuts of the healthy network; 'until_cut' is there. */
enum sf_status sf_failure_cuts_measure(const struct sf_failure_study *study,
                                       struct sf_failure_cuts *cuts,
                                       struct sf_error *err);

/* A run or the cuts, as the line that it is known by and as a text; the text
 * is NULL if memory runs out.  Reading is false if it is something else. */
#define SF_FAILURE_SETTINGS_SIZE 2048
void sf_failure_describe(const struct sf_failure_study *study,
                         const struct sf_failure_point *point,
                         const struct sf_failure_dead *dead, uint32_t run,
                         char text[SF_FAILURE_SETTINGS_SIZE]);
void sf_failure_describe_cuts(const struct sf_failure_study *study,
                              char text[SF_FAILURE_SETTINGS_SIZE]);
char *sf_failure_write(const struct sf_failure_study *study,
                       const struct sf_failure_run *run, const char *settings);
bool sf_failure_read(const struct sf_failure_study *study,
                     struct sf_failure_run *run, const char *settings,
                     const char *text);
char *sf_failure_write_cuts(const struct sf_failure_cuts *cuts,
                            const char *settings);
bool sf_failure_read_cuts(struct sf_failure_cuts *cuts, const char *settings,
                          const char *text);

/* A hash of network and routing of 'study'. */
uint64_t sf_failure_key(const struct sf_failure_study *study);

/* Runs all that is not kept. */
enum sf_status sf_failure_sweep(const struct sf_failure_study *study,
                                struct sf_error *err);

#endif
