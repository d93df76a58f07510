/* simulation.h -- what applications get of a network: workloads that run over
 * the links and virtual lanes of a routing, with hosts that choose addresses
 * as real ones do.
 *
 * A run is one workload on one routing with one set of choices; a sweep is
 * many of them side by side, on all cores, of which the finished ones can be
 * kept. */
#ifndef SLIMFLY_SIMULATION_H
#define SLIMFLY_SIMULATION_H

#include "slimfly/claims.h"
#include "slimfly/jobs.h"
#include "slimfly/path_source.h"
#include "slimfly/spec.h"

#pragma GCC visibility push(default)

/* How traffic shares links. */
enum sf_sim_model {
    SF_SIM_FLOW,   /* Max-min fair rates; no packets, no buffers. */
    SF_SIM_PACKET, /* Packets, credits per VL, finite buffers. */
    SF_N_SIM_MODELS,
};

/* How packets keep time. */
enum sf_sim_timing {
    SF_SIM_SLOTS, /* In steps of one packet. */
    SF_SIM_EXACT, /* By events: latencies, cable lengths, packet sizes. */
    SF_N_SIM_TIMINGS,
};

/* How packets wait in a switch. */
enum sf_sim_queues {
    SF_SIM_VOQ,  /* For each output on their own. */
    SF_SIM_FIFO, /* In one queue an input and VL. */
    SF_N_SIM_QUEUES,
};

/* How a sender chooses among the addresses of the receiver. */
enum sf_select {
    SF_SELECT_FIRST,    /* Always the first. */
    SF_SELECT_STRIPE,   /* All in turn, packet by packet: equal parts. */
    SF_SELECT_MESSAGE,  /* All in turn, message by message. */
    SF_SELECT_RANDOM,   /* One at random for each message. */
    SF_SELECT_ADAPTIVE, /* That with the fewest packets under way, packet by
                         * packet. */
    SF_SELECT_SENDER,   /* All in turn, message by message, whoever receives
                         * them. */
    SF_N_SELECTS,
};

/* Their names, for options and reports: "flow", "slots", "voq", "stripe";
 * NULL behind the last. */
const char *sf_sim_model_name(uint32_t i);
const char *sf_sim_timing_name(uint32_t i);
const char *sf_sim_queues_name(uint32_t i);
const char *sf_select_name(uint32_t i);

/* What links, switches and adapters are like. */
struct sf_sim_net {
    const char *name, *title; /* "fdr", "InfiniBand FDR, 4x" */
    double rate;              /* Bytes a second on the wire. */
    uint32_t mtu;             /* Bytes of data in a full packet. */
    uint32_t header;          /* Bytes around them. */
    uint32_t buffer;          /* Bytes at the end of each link, for all VLs. */
    double switch_delay; /* Seconds from the head of a packet in to out. */
    double host_delay;   /* Seconds at each end of a message. */
    double cable_delay;  /* Seconds a metre. */
    const char *sources; /* Where each figure is from, or that it is
                          * assumed; for people. */
};

/* All presets, ended by one without a name. */
extern const struct sf_sim_net sf_sim_nets[];

/* The preset for links of 'rate', as "4xFDR"; NULL if there is none. */
const struct sf_sim_net *sf_sim_net_of_rate(const char *rate);

/* Sets '*netp' to the preset for links of 'rate', EDR if that is "".
 * SF_EINVAL says that there is none. */
enum sf_status sf_sim_net_find(const char *rate,
                               const struct sf_sim_net **netp,
                               struct sf_error *err);

/* The same for the rate that the links of 'fabric' have in common.  Links
 * whose rate is not known may have any.  SF_EINVAL says which differ: all
 * links of a simulation have one rate. */
enum sf_status sf_sim_net_of_fabric(const struct sf_fabric *fabric,
                                    const struct sf_sim_net **netp,
                                    struct sf_error *err);

/* The data that a link carries in a second at best. */
static inline double
sf_sim_net_data_rate(const struct sf_sim_net *net)
{
    return net->rate * net->mtu / (net->mtu + net->header);
}

/* A kind of workload beside those of traffic (traffic.h). */
struct sf_workload_ops; /* lib/sim/workloads/kind.h */
struct sf_workload_kind {
    const char *name, *title, *example; /* For people. */
    const char *source;                 /* Where it is defined. */
    bool has_size;                      /* Whether a size means something. */
    struct sf_param params[SF_MAX_PARAMS];
    const struct sf_workload_ops *ops;
};

/* All kinds, ended by NULL. */
extern const struct sf_workload_kind *const sf_workload_kinds[];

/* Jobs that run at once, and where their hosts are.
 *
 * 'workload' is one workload, or several with "+" between them.  A workload is
 * a kind of traffic (traffic.h), whose flows are messages of 'size' bytes
 * times their amount over the largest, all sent at once; with a load, they are
 * offered as packets without end instead.  Or it is one of
 * sf_workload_kinds[].
 *
 * 'nodes' says how many hosts each has, "32" or "32+64"; NULL: all, or those
 * of the file, in equal parts, but for workloads that say it themselves.
 * 'placement' says which:
 *
 *     racks      in the order of racks, switches and ports
 *     switches   in the order of switches and ports
 *     random     drawn with the seed
 *     file:PATH  as the names of hosts stand there, one a line */
struct sf_sim_jobs {
    const char *workload, *nodes, *placement;
    double size; /* Bytes; 0: 1 MiB.  A workload may say its own, as in
                  * "ebb:size=64K". */
    double load; /* Part of what host links carry, above 0; 0: messages. */
};

/* Reads a number of bytes, "4096", "64K", "1M" or "2G", up to 'end' or, if
 * that is NULL, the end of 'text'; 0 if it is none, or not 1 to 1e15. */
double sf_sim_size_read(const char *text, const char *end);

/* Whether 'jobs' can be on 'network': names, numbers of nodes, placement, and
 * not more messages than can be simulated.  Takes no routing, so that what
 * cannot be is refused before one is made. */
enum sf_status sf_sim_jobs_check(const struct sf_network *network,
                                 const struct sf_sim_jobs *jobs, uint64_t seed,
                                 struct sf_error *err);

/* The hosts of 'jobs', for routes that are made for them (job_routes.h): each
 * a job of unknown pattern, whatever it sends.  On success the caller owns
 * '*jobsp'; on failure it is NULL. */
enum sf_status sf_sim_jobs_nodes(const struct sf_network *network,
                                 const struct sf_sim_jobs *jobs, uint64_t seed,
                                 struct sf_jobs **jobsp, struct sf_error *err);

/* Writes what 'jobs' do in their first round as a program in GOAL, the form of
 * LogGOPSim.  The ranks are those of the first job, then those of the next.
 * SF_EINVAL: 'jobs' cannot be, or GOAL cannot say it. */
enum sf_status sf_sim_jobs_write_goal(const struct sf_network *network,
                                      const struct sf_sim_jobs *jobs,
                                      uint64_t seed, FILE *stream,
                                      struct sf_error *err);

/* Reads the program in GOAL of the file 'path', such as recording.h makes, and
 * writes what its ranks send to each other as CSV, "source,destination,amount"
 * in bytes: what jobs take as "ranks:file=" (jobs.h).  Ranks stand for nodes
 * of 'per_node' ranks each (0: 1), which are filled one after the other.
 * SF_EINVAL: nothing is sent between nodes. */
enum sf_status sf_goal_write_ranks(const char *path, uint32_t per_node,
                                   FILE *stream, uint32_t *n_nodesp,
                                   struct sf_error *err);

/* Whether a size means something to the first of 'jobs', and how large its
 * largest message is then. */
bool sf_sim_jobs_has_size(const struct sf_sim_jobs *jobs);
double sf_sim_jobs_size(const struct sf_sim_jobs *jobs);

/* Sets '*fromp' to where the workload of job 'i' stands in that of 'jobs', and
 * returns its length; 0 if there are not so many. */
size_t sf_sim_jobs_part(const struct sf_sim_jobs *jobs, uint32_t i,
                        const char **fromp);

struct sf_simulation_params {
    struct sf_sim_jobs jobs;
    enum sf_sim_model model;
    enum sf_sim_timing timing;
    enum sf_sim_queues queues;
    enum sf_select select;
    struct sf_sim_net net; /* A preset, perhaps with changes. */
    uint32_t window;       /* Packets of a message under way; 0: no limit. */
    uint64_t eager;        /* Bytes: messages of at most so many are not
                            * striped but go to the first address; 0: all are
                            * striped. */
    double overhead;       /* Seconds that a host needs for each message
                            * before the next can start. */
    const double *lengths; /* [fabric->n_ports] Metres of the cable in each
                            * port; NULL: 'length' for all. */
    double length;
    uint64_t seed;
};

/* What many numbers are like. */
struct sf_sim_spread {
    uint64_t n; /* How many there are; 0: nothing else means anything. */
    double mean, min, p1, p50, p99, max;
};

/* A channel of a cycle of waiting: a link out of a switch, and its VL. */
struct sf_sim_channel {
    uint32_t s;   /* The switch, */
    uint32_t arc; /* the link out of it, an index into graph->arcs, */
    uint32_t vl;
};

#define SF_SIM_N_STEPS 64 /* Of progress in time. */
#define SF_SIM_N_BINS  50 /* Of distributions of rates, 0.02 each. */

/* Shares of one job. */
struct sf_sim_job_result {
    uint32_t n_nodes;
    double time; /* Seconds until its last message; 0 with a load. */
    struct sf_sim_spread rate;
};

struct sf_simulation {
    double time;      /* Simulated seconds: until the last message came;
                       * of all rounds, if the workload has several. */
    uint32_t n_hosts; /* Of all jobs. */
    uint32_t buffer;  /* Packets that a VL of a link has room for; 0 in the
                       * flow model. */

    /* Parts of the data rate of a host's link.  Without a load: of each
     * message, from its start until it has come.  With a load: of each host
     * that a flow leads to, what it received. */
    struct sf_sim_spread rate;

    /* A part of that rate, too: what hosts got on average.  Without a load:
     * the bytes of all messages that came, over 'time' and all hosts of all
     * jobs.  With a load: all that was received, over all hosts that send. */
    double throughput;

    /* A part of it, too, without a load: what a host sent on average in a
     * round, over the mean time until a host had sent and received all of its
     * own.  Of ebb this is the figure of Netgauge, which divides by the mean
     * time of ranks; the mean of 'rate' is larger, unless all are alike. */
    double host_rate;

    /* Seconds.  Of packets, from their start (with a load: from their birth)
     * until they have come; n is 0 in the flow model. */
    struct sf_sim_spread latency;
    double latency_error; /* With a load: half of the 95 % interval of the
                           * mean, from batches; above 5 % of it only if the
                           * run was long enough all the same. */

    /* Packet model only, else 0. */
    uint64_t n_packets, n_switch_hops;

    /* A cycle in which each waits for the next; n_cycle 0: there is none. */
    double deadlock_time;
    struct sf_sim_channel *cycle;
    uint32_t n_cycle;

    uint32_t n_jobs;
    struct sf_sim_job_result *jobs;

    /* Links between switches, by arc.  Part of the time in which each VL of it
     * carried packets (the flow model knows VL 0 only), and in which packets
     * waited for it and no VL had room. */
    uint32_t n_arcs, n_vls;
    double *loads;   /* [n_arcs * n_vls] */
    double *blocked; /* [n_arcs] */

    uint64_t rates[SF_SIM_N_BINS];  /* How many have which rate. */
    double arrived[SF_SIM_N_STEPS]; /* Part of all bytes that had come after
                                     * each part of 'time', where those of a
                                     * message count when it has come as a
                                     * whole; without a load and with one
                                     * round only, else 0. */
    bool is_finished; /* All messages came; with a load: the network takes
                       * what is offered, so that no queue grows for ever. */
};

/* Runs 'params' on 'source'.  SF_EINVAL: a workload, placement or number of
 * nodes that cannot be.  A deadlock is a result, not a failure.  The caller
 * calls sf_simulation_clear() after success. */
enum sf_status sf_simulation_run(const struct sf_path_source *source,
                                 const struct sf_simulation_params *params,
                                 struct sf_simulation *result,
                                 struct sf_error *err);
void sf_simulation_clear(struct sf_simulation *result);

/* One run of a sweep. */
struct sf_simulation_task {
    const struct sf_path_source *source;
    struct sf_simulation_params params;
    const char *label;           /* For reports of progress. */
    struct sf_simulation result; /* The caller clears it. */
    double wall;                 /* Seconds that it took; 0 if it was kept. */
};

/* Where results are kept.  'settings' is one line, all that a result depends
 * on.  Only one thread at a time calls save().  Several threads may call
 * load() at once, also while one calls save(). */
struct sf_simulation_store {
    bool (*load)(void *aux, const char *settings,
                 struct sf_simulation *result);
    enum sf_status (*save)(void *aux, const char *settings,
                           const struct sf_simulation *result,
                           struct sf_error *err);
    void *aux;
    const struct sf_claims *claims; /* Of processes with the same store; NULL:
                                     * there is no other. */
};

/* Runs all 'tasks' on 'n_threads' threads, but for those that 'store', which
 * may be NULL, has already; what finishes is kept there at once.  Runs that
 * another process has claimed come last, and are found in the store then,
 * unless that process was lost.  A failure
 * ends it; the text is that of the first task that failed and begins with its
 * label.  Results and failures are the same for any number of threads. */
enum sf_status sf_simulation_sweep(struct sf_simulation_task *tasks,
                                   uint32_t n_tasks, uint32_t n_threads,
                                   const struct sf_simulation_store *store,
                                   struct sf_error *err);

#pragma GCC visibility pop
#endif
