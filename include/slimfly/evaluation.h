/* evaluation.h -- networks side by side under the benchmarks of [Blach24]:
 * jobs of many sizes, placements, routings, queues and seeds; and what the
 * paper says beside what comes out.
 *
 * A series is a network with a routing and a placement.  A piece is what one
 * series does in one kind of benchmark with one number of nodes, one kind of
 * queues and one seed, for all sizes of messages: it is run as a whole, and
 * kept.  A cell is the mean over seeds for one size. */
#ifndef SLIMFLY_EVALUATION_H
#define SLIMFLY_EVALUATION_H

#include "slimfly/prices.h"
#include "slimfly/simulation.h"

#pragma GCC visibility push(default)

#define SF_EVAL_MAX_NODES    16
#define SF_EVAL_MAX_SIZES    64
#define SF_EVAL_MAX_LAYERS   8
#define SF_EVAL_MAX_NETWORKS 8
#define SF_EVAL_MAX_SEEDS    100

/* How a figure came about. */
enum sf_eval_how {
    SF_EVAL_NONE,    /* There is none. */
    SF_EVAL_EVENTS,  /* Packets with exact delays. */
    SF_EVAL_SLOTS,   /* Packets in steps of a packet time. */
    SF_EVAL_FLOW,    /* Fair shares of flows; the same for all queues. */
    SF_EVAL_BETWEEN, /* A straight line between the sizes below and above,
                      * which were simulated. */
    SF_EVAL_BEYOND,  /* A straight line through the two largest sizes that
                      * were simulated. */
    SF_N_EVAL_HOWS,
};

/* "events", "slots", "flow", "between", "beyond"; "" for none. */
const char *sf_eval_how_name(enum sf_eval_how how);

/* How a kind of benchmark is simulated. */
enum sf_eval_method {
    SF_EVAL_BY_SIZE,  /* Packets, one run for each size. */
    SF_EVAL_BY_RATE,  /* Packets, messages long enough for their rate. */
    SF_EVAL_BY_SCALE, /* Packets, a smaller problem without delays. */
    SF_EVAL_BY_FLOW,  /* Flows. */
};

/* A benchmark of the paper, or what stands for it. */
struct sf_eval_kind {
    const char *name, *title; /* "alltoall", "Alltoall" */
    const char *means;        /* What is run, for people. */
    const char *lines;        /* Of the paper, "1306, 2019". */
    enum sf_eval_method method;
    double min_size, max_size; /* Bytes; 0: it has no sizes. */
    const uint32_t *nodes;     /* Ended by 0. */
    uint32_t max_seeds;        /* Run at most; 0: as many as asked for. */
    bool is_random;            /* The seed matters to it. */
    bool has_one_count;        /* Only one number of layers is run. */
    bool is_proxy;             /* Simplified, or another program. */
    const struct sf_eval_kind_ops *ops;
};

/* All, ended by one without a name. */
extern const struct sf_eval_kind sf_eval_kinds[];
#define SF_EVAL_MAX_KINDS 16

/* Routings of a network that are judged together. */
enum sf_eval_group {
    SF_EVAL_DEFAULT, /* What 'slimfly route' makes of a tree. */
    SF_EVAL_MINIMAL, /* One layer of shortest paths. */
    SF_EVAL_PAPER,   /* The paper's layers; each message on one at random. */
    SF_EVAL_OURS,    /* Those of 'gates'; messages in equal parts over all. */
    SF_EVAL_JOBS,    /* The same, with routes for the nodes of the job. */
    SF_N_EVAL_GROUPS,
};

/* "default", "minimal", "paper", "gates", "jobs"; NULL behind the last. */
const char *sf_eval_group_name(uint32_t group);

enum sf_eval_placement {
    SF_EVAL_LINEAR, /* By racks. */
    SF_EVAL_RANDOM,
    SF_N_EVAL_PLACEMENTS,
};

const char *sf_eval_placement_name(uint32_t placement); /* "linear" */

/* What networks have in common. */
enum sf_eval_equal {
    SF_EVAL_EQUAL_HOSTS, /* The number of hosts. */
    SF_EVAL_EQUAL_COST,  /* Also the money: figures are divided by cost. */
};

struct sf_eval_params {
    const char *const *networks; /* [n_networks] Specs; the first is what the
                                  * others are compared with. */
    uint32_t n_networks;
    uint32_t n_hosts; /* Of each network, evenly spread; 0: those of the
                       * network that has the fewest. */
    enum sf_eval_equal equal;
    const struct sf_prices *prices; /* Needed for equal cost; or NULL. */
    bool is_paper;                  /* Claims are judged: the networks are
                                     * those of the paper. */

    bool has_kind[SF_EVAL_MAX_KINDS];    /* Which are run. */
    bool has_group[SF_N_EVAL_GROUPS];    /* That of trees is always there. */
    bool has_queues[SF_N_SIM_QUEUES];    /* At least one. */
    uint32_t layers[SF_EVAL_MAX_LAYERS]; /* More than 1 each. */
    uint32_t n_layers;
    uint32_t nodes[SF_EVAL_MAX_NODES]; /* In place of those of each kind; */
    uint32_t n_nodes;                  /* 0: all of these. */
    double sizes[SF_EVAL_MAX_SIZES];   /* Growing; in place of powers of 2; */
    uint32_t n_sizes;                  /* 0: all of these. */
    uint32_t n_seeds;
    uint64_t seed;
    uint64_t max_packets; /* Of a run; larger sizes are reckoned. */
    double overhead;      /* Seconds of a host for each message. */
    uint64_t eager;       /* Bytes up to which messages are not split. */
    struct sf_sim_net net;
    uint32_t n_threads;
};

/* The paper's evaluation; the caller may change what it wants. */
void sf_eval_params_paper(struct sf_eval_params *params);

struct sf_eval_network {
    char *name; /* Its spec. */
    bool is_tree;
    struct sf_plan *plan;
    struct sf_network *network;
    double *lengths; /* [n_ports] */
    uint32_t n_hosts, n_switches, n_links;
    double cost; /* NAN: not known. */
};

/* A network with a routing and a placement. */
struct sf_eval_series {
    uint32_t network;
    enum sf_eval_group group;
    uint32_t n_layers;
    enum sf_select select;
    enum sf_eval_placement placement;
    char label[80];     /* "sf:q=5 paper 4, random" */
    char left_out[240]; /* Why it could not be; "": it is there. */
};

/* One run. */
struct sf_eval_run {
    double size;
    double time, throughput, host_rate, deadlock_time;
    uint32_t n_cycle, n_hosts, buffer;
    bool is_finished;
    uint64_t n_packets, n_switch_hops;
    struct sf_sim_spread rate, latency;
};

struct sf_eval_cell {
    enum sf_eval_how how;
    uint32_t n;      /* Seeds. */
    double mean, sd; /* Higher is better: runs a second, or what a host got
                      * of its link; sd is 0 for one seed. */
    double time;     /* Mean seconds; 0 where rates are measured. */
    uint32_t series; /* That it is of; the best of several. */
};

struct sf_evaluation; /* Opaque. */

/* Where finished pieces are kept.  'settings' is one line, all that a piece
 * depends on.  load() returns a text that the caller frees, or NULL.  Only one
 * thread at a time calls save().  Several threads may call load() at once,
 * also while one calls save(). */
struct sf_evaluation_store {
    char *(*load)(void *aux, const char *settings);
    enum sf_status (*save)(void *aux, const char *settings, const char *text,
                           struct sf_error *err);
    void *aux;
    const struct sf_claims *claims; /* As in simulation.h. */
};

/* Checks 'params', loads and routes the networks and lists the pieces.  The
 * caller owns '*evp' after success.  SF_EINVAL: what cannot be, or gains alone
 * are asked for and there is nothing to compare. */
enum sf_status sf_evaluation_build(const struct sf_eval_params *params,
                                   struct sf_evaluation **evp,
                                   struct sf_error *err);
void sf_evaluation_free(struct sf_evaluation *ev);

/* Runs all pieces that 'store', which may be NULL, does not have.  Results are
 * the same for any number of threads and processes. */
enum sf_status sf_evaluation_run(struct sf_evaluation *ev,
                                 const struct sf_evaluation_store *store,
                                 struct sf_error *err);

const struct sf_eval_params *
sf_evaluation_params(const struct sf_evaluation *ev);
uint32_t sf_evaluation_n_series(const struct sf_evaluation *ev);
const struct sf_eval_series *
sf_evaluation_series(const struct sf_evaluation *ev, uint32_t i);
const struct sf_eval_network *
sf_evaluation_network(const struct sf_evaluation *ev, uint32_t i);

/* A sentence about a kind that was asked for and is not run, since no number
 * of nodes fits it: "gpt3 is left out: ..."; else "". */
const char *sf_evaluation_kind_left_out(const struct sf_evaluation *ev,
                                        uint32_t kind);

/* How many numbers of nodes and sizes a kind has here, and which.  Without
 * sizes there is one, 0. */
uint32_t sf_evaluation_n_nodes(const struct sf_evaluation *ev, uint32_t kind);
uint32_t sf_evaluation_nodes(const struct sf_evaluation *ev, uint32_t kind,
                             uint32_t i);
uint32_t sf_evaluation_n_sizes(const struct sf_evaluation *ev, uint32_t kind);
double sf_evaluation_size(const struct sf_evaluation *ev, uint32_t kind,
                          uint32_t i);

/* Where a cell is: numbers of kind, queues, nodes and size. */
struct sf_eval_at {
    uint32_t kind;
    enum sf_sim_queues queues;
    uint32_t node, size;
};

/* The cell of a series; how is SF_EVAL_NONE if there is none. */
struct sf_eval_cell sf_evaluation_cell(const struct sf_evaluation *ev,
                                       uint32_t series, struct sf_eval_at at);

/* The best of a group with a placement on a network.  The layers of
 * SF_EVAL_PAPER and SF_EVAL_OURS may be one: then they are minimal. */
struct sf_eval_cell sf_evaluation_best(const struct sf_evaluation *ev,
                                       uint32_t network,
                                       enum sf_eval_group group,
                                       enum sf_eval_placement placement,
                                       struct sf_eval_at at);

/* What cells with 'placement' are compared with: that of the first network
 * with its first routing under the same placement, but linear for all with
 * is_paper, as in the paper. */
struct sf_eval_cell sf_evaluation_reference(const struct sf_evaluation *ev,
                                            enum sf_eval_placement placement,
                                            struct sf_eval_at at);

/* How much better 'cell' is than 'than', 0.1 for 10 %; NAN if one is not
 * there.  With equal cost, for the same money; 'than' is of the first network
 * then. */
double sf_evaluation_gain(const struct sf_evaluation *ev,
                          const struct sf_eval_cell *cell,
                          const struct sf_eval_cell *than);

/* A run, and what it ran on. */
struct sf_eval_run_facts {
    const struct sf_eval_network *network;
    const struct sf_eval_series *series;
    const char *routing, *lanes;
    uint32_t n_vls;
    struct sf_simulation_params params;
    const struct sf_eval_run *run;
};

/* How many runs there are, in how many of them packets waited for each other
 * for ever, and run number 'i'. */
uint32_t sf_evaluation_n_runs(const struct sf_evaluation *ev);
uint32_t sf_evaluation_n_deadlocks(const struct sf_evaluation *ev);
void sf_evaluation_run_facts(const struct sf_evaluation *ev, uint32_t i,
                             struct sf_eval_run_facts *facts);

/* What the paper says. */
enum sf_claim_of {
    SF_CLAIM_RELATIVE, /* A gain over the Fat Tree. */
    SF_CLAIM_GAIN,     /* A gain of the layers over minimal paths. */
    SF_CLAIM_VALUE,    /* A figure itself. */
    SF_CLAIM_TREND,    /* By how much a gain over the Fat Tree grows from the
                        * fewest nodes to the most. */
    SF_CLAIM_SCALING,  /* Nodes times as fast, compared with the fewest. */
};

enum sf_claim_over {
    SF_CLAIM_MEAN,
    SF_CLAIM_LEAST,
    SF_CLAIM_MOST,
    SF_CLAIM_FARTHEST, /* From 0. */
};

struct sf_claim {
    const char *id;         /* "ebb-full-linear" */
    uint32_t line;          /* Of the paper. */
    bool is_reason_of_ours; /* 'reason' speaks of our layers, too. */
    const char *says;
    const char *measured; /* What we look at, for people. */
    const char *kinds;    /* "bcast,allreduce" */
    enum sf_claim_of of;
    enum sf_claim_over over;
    enum sf_eval_group group; /* Of the Slim Fly; SF_EVAL_DEFAULT: the Fat
                               * Tree itself. */
    enum sf_eval_placement placement;
    uint32_t nodes[8];         /* Ended by 0; none: all. */
    double min_size, max_size; /* 0: no bound. */
    double low, high;          /* It agrees within; INFINITY: no bound. */
    const char *rule;          /* The same for people. */
    const char *reason;        /* Why it differs, or may; NULL: not known. */
    const char *reason_kinds;  /* All that the reason speaks of; NULL: what was
                                * run of 'kinds'. */
};

/* All, ended by one without an id. */
extern const struct sf_claim sf_claims_of_paper[];

enum sf_claim_verdict {
    SF_CLAIM_NOT_RUN, /* What it needs was not run. */
    SF_CLAIM_AGREES,
    SF_CLAIM_DIFFERS,
};

const char *sf_claim_verdict_name(enum sf_claim_verdict verdict);

/* Whether 'figure' is within the bounds of 'claim'; unknown if it is NAN. */
enum sf_claim_verdict sf_claim_judge(const struct sf_claim *claim,
                                     double figure);

/* The figure of 'claim' under 'queues'; and that with our layers in place of
 * the paper's.  NAN if what it needs was not run. */
double sf_claim_measure(const struct sf_evaluation *ev,
                        const struct sf_claim *claim,
                        enum sf_sim_queues queues);
double sf_claim_measure_ours(const struct sf_evaluation *ev,
                             const struct sf_claim *claim,
                             enum sf_sim_queues queues);

/* The reason of 'claim', as far as all that it speaks of was run; or NULL. */
const char *sf_claim_reason(const struct sf_evaluation *ev,
                            const struct sf_claim *claim);

/* Whether the figure comes, in part, from sizes that were not simulated or
 * from flows: '*counts' [SF_N_EVAL_HOWS] of its cells. */
void sf_claim_hows(const struct sf_evaluation *ev,
                   const struct sf_claim *claim, enum sf_sim_queues queues,
                   uint32_t counts[SF_N_EVAL_HOWS]);

#pragma GCC visibility pop
#endif
