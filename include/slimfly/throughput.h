/* throughput.h -- maximum achievable throughput: the largest factor by which
 * all demands of a traffic can be multiplied so that they still fit, all at
 * once, with every link direction of capacity 1.
 *
 * The factor theta is the smaller of two: what the links between switches
 * carry, and the rate of a host's link over the largest demand of a host.
 * Every answer is certified: 'lower' comes with a flow that fits, 'upper' with
 * link prices that prove that no more does. */
#ifndef SLIMFLY_THROUGHPUT_H
#define SLIMFLY_THROUGHPUT_H

#include "slimfly/routes.h"
#include "slimfly/traffic.h"

#pragma GCC visibility push(default)

/* Which paths a demand may take, and how it is shared out over them. */
enum sf_throughput_mode {
    SF_THROUGHPUT_LAYERS, /* Those of the layers, shares at will. */
    SF_THROUGHPUT_EQUAL,  /* Those of the layers, each layer the same share:
                           * what round robin does. */
    SF_THROUGHPUT_FREE,   /* 'n_paths' paths that share no link, of at most
                           * 'max_hops', the shortest first and at random among
                           * equals, chosen for each pair by itself: what
                           * layers could do if next hops were free. */
    SF_THROUGHPUT_TREES,  /* The same, but pairs have no more paths than
                           * 'n_paths' layers can have at best, being trees;
                           * which have fewer is drawn.  For 'max_hops' of 3
                           * and switches within two hops of each other. */
    SF_THROUGHPUT_HOPS,   /* All of at most 'max_hops'. */
    SF_THROUGHPUT_ANY,    /* All: the limit of the topology. */
};

/* How the answer was found. */
enum sf_throughput_method {
    SF_METHOD_CLOSED_FORM,   /* Adding up loads: there is no choice, or sharing
                              * out evenly is shown to be as good as any. */
    SF_METHOD_SIMPLEX,       /* Linear program, dual simplex. */
    SF_METHOD_BARRIER,       /* Linear program, interior point. */
    SF_METHOD_APPROXIMATION, /* First-order method, to the gap asked for. */
};

/* Whether to look for the optimum or for bounds. */
enum sf_throughput_effort {
    SF_EFFORT_AUTO,  /* The optimum where it takes seconds, else bounds. */
    SF_EFFORT_EXACT, /* The optimum, however long it takes. */
    SF_EFFORT_APPROXIMATE, /* Bounds. */
};

/* What to measure; zero stands for a default everywhere. */
struct sf_throughput_params {
    enum sf_throughput_mode mode;
    const struct sf_routes *routes; /* LAYERS, EQUAL: with as many path sets as
                                     * the traffic has. */
    uint32_t n_used;                /* EQUAL: so many addresses of a host are
                                     * used, from the first on; 0: all. */
    uint32_t n_paths;               /* FREE, TREES */
    uint32_t max_hops;              /* FREE, TREES, HOPS; 0: diameter + 1. */
    uint64_t seed;                  /* FREE, TREES */
    bool without_host_links;        /* Let hosts send as fast as they like,
                                     * as TopoBench [Jyothi16] does. */
    bool stop_at_host; /* Stop once the links of hosts are known to be the
                        * limit: net_lower and net_upper may then be far
                        * apart. */
    enum sf_throughput_effort effort;
    double gap;          /* Of bounds: stop when upper <= (1 + gap) lower;
                          * 0: 0.005. */
    uint32_t max_rounds; /* Of bounds: stop after so many passes over all
                          * paths, whatever the gap; 0: 20,000.  Also of the
                          * simplex method; 0: as many as it takes. */
    uint32_t n_threads;  /* Changes nothing but the time. */
};

/* Infinite where nothing limits: no demand between switches, no host links. */
struct sf_throughput {
    double lower, upper;         /* Theta; equal if found exactly. */
    double net_lower, net_upper; /* What links between switches allow alone. */
    double host;                 /* What links of hosts allow alone. */
    double even;                 /* EQUAL: what links between switches would
                                  * allow if all were loaded alike: no choice
                                  * of paths of the same lengths has more.
                                  * Infinite for other modes. */
    enum sf_throughput_method method;
    uint64_t n_paths;  /* Different paths that were considered. */
    uint32_t n_rounds; /* Passes of the approximation. */
};

/* Measures 'traffic' on 'graph', which it was made for.  Parallel links are
 * links.  SF_EUNREACHABLE: a demand has no path ('err' names the switches).
 * SF_EINVAL: parameters that do not fit each other.  SF_ELIMIT: more paths
 * than the solvers can number, or a linear program that CLP gave up although
 * 'effort' allows nothing else. */
enum sf_status sf_throughput_measure(const struct sf_graph *graph,
                                     const struct sf_traffic *traffic,
                                     const struct sf_throughput_params *params,
                                     struct sf_throughput *result,
                                     struct sf_error *err);

/* Whether 'mode' asks for 'n_paths'. */
static inline bool
sf_throughput_counts_paths(enum sf_throughput_mode mode)
{
    return mode == SF_THROUGHPUT_FREE || mode == SF_THROUGHPUT_TREES;
}

/* The names of modes and methods, for people: "layers", "simplex". */
const char *sf_throughput_mode_name(enum sf_throughput_mode mode);
const char *sf_throughput_method_name(enum sf_throughput_method method);

#pragma GCC visibility pop
#endif
