/* eval.h -- what the parts of an evaluation share.
 *
 *   benchmarks.c       benchmarks: what they run with how many nodes
 *   simulated_sizes.c  which sizes of messages are run, and which are reckoned
 *   networks.c         networks, their prices and routings; routes for jobs
 *   series.c           networks with routings and placements
 *   pieces.c           what is run as a whole and kept; one piece
 *   run_pieces.c       all pieces, on all cores
 *   cells.c            means over seeds; the best of a group
 *   paper_claims.c     what the paper says
 *   judge_claims.c     whether it holds here */
#ifndef SF_EVAL_EVAL_H
#define SF_EVAL_EVAL_H

#include "slimfly/evaluation.h"
#include "slimfly/job_routes.h"
#include "slimfly/routing.h"

#include <pthread.h>

#define SF_EVAL_SPEC_SIZE 96

/* What a kind of benchmark does. */
struct sf_eval_kind_ops {
    /* Writes the workload for so many nodes and runs of so many packets. */
    void (*spec)(uint32_t n_nodes, uint64_t max_packets,
                 char text[SF_EVAL_SPEC_SIZE]);

    /* For those with sizes: the packets of a run; and a number that is the
     * same for sizes that are sent in the same way, where messages of at most
     * 'eager' bytes are not split. */
    double (*packets)(uint32_t n_nodes, double size, uint32_t mtu);
    uint64_t (*way)(uint32_t n_nodes, double size, uint64_t eager);
    double part; /* Of the most packets of a run that suffices. */

    /* For SF_EVAL_BY_SCALE: what its times are to be multiplied by. */
    double (*multiple)(uint32_t n_nodes, uint64_t max_packets);

    double seconds; /* Of flows: how long 200 nodes take, about. */
};

/* A routing of a network with one seed. */
struct sf_eval_routing {
    uint32_t network;
    enum sf_eval_group group; /* SF_EVAL_OURS also serves jobs. */
    uint32_t n_layers;
    uint32_t seed; /* From 0. */
    struct sf_routing *made;
    struct sf_path_source source;
    char scheme[SF_SCHEME_SIZE], lanes[SF_SCHEME_SIZE];
    char left_out[240]; /* As in struct sf_eval_series. */
};

/* Routes for the nodes of a job, made when they are first asked for. */
struct sf_eval_fit {
    const struct sf_eval_routing *base;
    enum sf_eval_placement placement;
    uint32_t n_nodes;
    pthread_mutex_t lock;
    struct sf_routing *made; /* NULL: not yet. */
    struct sf_path_source source;
};

/* How the sizes of a kind with some nodes are found. */
struct sf_eval_sizes {
    uint32_t n;
    double sizes[SF_EVAL_MAX_SIZES];
    enum sf_eval_how hows[SF_EVAL_MAX_SIZES];
    uint64_t ways[SF_EVAL_MAX_SIZES];    /* As in the kind's way(). */
    uint32_t from[SF_EVAL_MAX_SIZES][2]; /* For those that are reckoned: the
                                          * two sizes, the smaller first. */
};

struct sf_eval_piece {
    uint32_t series, kind, seed, node; /* Numbers. */
    enum sf_sim_queues queues;
    uint32_t n_nodes;
    char spec[SF_EVAL_SPEC_SIZE], nodes_text[16];
    const struct sf_eval_routing *routing;
    struct sf_eval_fit *fit; /* NULL: the routing as it is. */
    uint64_t weight;         /* How long it takes, about. */
    double multiple;         /* Of times, see above; 1. */
    uint32_t n_runs;
    struct sf_eval_run *runs; /* [n_runs] */
};

struct sf_evaluation {
    struct sf_eval_params params;
    struct sf_eval_network networks[SF_EVAL_MAX_NETWORKS];
    uint32_t n_networks;
    struct sf_eval_routing *routings;
    uint32_t n_routings;
    struct sf_eval_series *series;
    uint32_t n_series;
    struct sf_eval_fit *fits;
    uint32_t n_fits;
    struct sf_eval_piece *pieces;
    uint32_t n_pieces;

    /* [kinds][nodes] What each has here. */
    uint32_t nodes[SF_EVAL_MAX_KINDS][SF_EVAL_MAX_NODES];
    uint32_t n_nodes[SF_EVAL_MAX_KINDS];
    char left_out[SF_EVAL_MAX_KINDS][240]; /* About those with none. */
    struct sf_eval_sizes sizes[SF_EVAL_MAX_KINDS][SF_EVAL_MAX_NODES];

    /* The piece of each series, kind, node, queues and seed; SF_NONE: there
     * is none. */
    uint32_t *piece_at;
};

/* Lists the sizes of 'kind' with 'n_nodes' nodes. */
void sf_eval_sizes_plan(const struct sf_eval_params *params,
                        const struct sf_eval_kind *kind, uint32_t n_nodes,
                        struct sf_eval_sizes *sizes);

/* Builds the networks and what they cost. */
enum sf_status sf_eval_networks_build(struct sf_evaluation *ev,
                                      struct sf_error *err);

/* Routes all networks for all groups and seeds. */
enum sf_status sf_eval_routings_build(struct sf_evaluation *ev,
                                      struct sf_error *err);
const struct sf_eval_routing *
sf_eval_routing_find(const struct sf_evaluation *ev,
                     const struct sf_eval_series *series, uint32_t seed);

/* The paths of 'fit', made now if nobody has yet. */
enum sf_status sf_eval_fit_source(const struct sf_evaluation *ev,
                                  struct sf_eval_fit *fit,
                                  const struct sf_path_source **sourcep,
                                  struct sf_error *err);

enum sf_status sf_eval_series_build(struct sf_evaluation *ev,
                                    struct sf_error *err);

/* Lists the pieces. */
enum sf_status sf_eval_pieces_build(struct sf_evaluation *ev,
                                    struct sf_error *err);

/* The number of a piece in piece_at. */
size_t sf_eval_piece_slot(const struct sf_evaluation *ev, uint32_t series,
                          struct sf_eval_at at, uint32_t seed);

/* How run number 'i' of a piece is simulated. */
void sf_eval_piece_params(const struct sf_evaluation *ev,
                          const struct sf_eval_piece *piece, uint32_t i,
                          struct sf_simulation_params *params);

/* One line: all that the runs of a piece depend on. */
#define SF_EVAL_SETTINGS_SIZE 2048
void sf_eval_piece_describe(const struct sf_evaluation *ev,
                            const struct sf_eval_piece *piece,
                            char text[SF_EVAL_SETTINGS_SIZE]);

/* Runs a piece. */
enum sf_status sf_eval_piece_run(const struct sf_evaluation *ev,
                                 struct sf_eval_piece *piece,
                                 struct sf_error *err);

/* The runs of a piece as text, which the caller frees; NULL: out of memory.
 * Reading it back gives the same to the last bit; false, and nothing changed
 * but the runs, if it is of other settings or damaged. */
char *sf_eval_piece_write(const struct sf_eval_piece *piece,
                          const char *settings);
bool sf_eval_piece_read(struct sf_eval_piece *piece, const char *settings,
                        const char *text);

#endif
