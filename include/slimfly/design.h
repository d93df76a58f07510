/* design.h -- what to build, and for how much: candidates of every family for
 * a number of endpoints, ports or a budget, and the tables of [Blach24] beside
 * our own. */
#ifndef SLIMFLY_DESIGN_H
#define SLIMFLY_DESIGN_H

#include "slimfly/backend.h"
#include "slimfly/prices.h"
#include "slimfly/properties.h"

#pragma GCC visibility push(default)

#define SF_MIN_DESIGN_PORTS     4
#define SF_MAX_DESIGN_ENDPOINTS UINT32_C(1000000)
#define SF_SPEC_SIZE            96

/* The sizes of the Slim Fly with a number q, whether or not q is a prime power
 * and the network exists. */
struct sf_slimfly_size {
    uint32_t q;
    uint32_t n_switches;    /* 2 q^2 */
    uint32_t network_radix; /* k' */
    uint32_t concentration; /* p = k' / 2, up. */
    uint32_t n_endpoints;
};

struct sf_slimfly_size sf_slimfly_size(uint32_t q);

/* The Slim Fly whose number of endpoints is nearest to 'n_endpoints', by the
 * four steps of [Blach24]; of two equally near ones the larger. */
struct sf_slimfly_size sf_slimfly_nearest(uint32_t n_endpoints);

enum sf_design_sort {
    SF_SORT_COST,
    SF_SORT_COST_PER_ENDPOINT,
    SF_SORT_ENDPOINTS,
    SF_SORT_SWITCHES,
    SF_SORT_DISTANCE,
    SF_SORT_POWER,
    SF_N_SORTS,
};

/* Their names for people: "cost", "cost-per-endpoint"... */
extern const char *const sf_design_sorts[SF_N_SORTS];

/* The question.  What is 0 or NULL was not asked. */
struct sf_design_params {
    const char *families; /* "sf,ft2"; NULL: all that can be sized. */
    const struct sf_backend *backend; /* Whose limits hold; NULL: none. */
    double budget;                    /* In the currency of the prices. */
    double overload;      /* How many times the hosts that a family recommends
                           * a switch may carry; below 1: 1. */
    uint32_t n_endpoints; /* At least this many. */
    uint32_t ports;       /* Of a switch; 0: each generation with a price. */
    uint32_t n_layers;    /* So many addresses must fit for each host. */
    bool non_blocking;    /* Only networks that are known to be. */
    enum sf_design_sort sort;
};

/* Why a candidate is on the list. */
enum sf_fit {
    SF_FIT_WANTED,  /* The smallest of its family that holds the endpoints. */
    SF_FIT_FILLED,  /* The same with all the hosts that it can carry. */
    SF_FIT_BELOW,   /* The largest that does not hold them. */
    SF_FIT_LARGEST, /* The largest that ports, layers and budget allow, */
    SF_FIT_RECOMMENDED, /* and the largest with the recommended hosts. */
    SF_FIT_SERIES,      /* One of a series of sizes, for a chart. */
};

/* Where the lengths of cables come from. */
enum sf_lengths {
    SF_LENGTHS_PLAN, /* From a plan on the default floor. */
    SF_LENGTHS_RULE, /* Too large to plan: cables inside a group and to hosts
                      * have 3 m, and are copper if that reaches so far; all
                      * others are optical of 30 m. */
};

struct sf_candidate {
    char spec[SF_SPEC_SIZE]; /* As 'topology' and 'plan' take it. */
    const char *family;
    enum sf_fit fit;
    uint32_t ports;                         /* Of each switch. */
    const struct sf_generation *generation; /* NULL: no price is known. */
    uint32_t n_switches, n_endpoints, n_links;
    uint32_t concentration; /* Hosts on a switch that carries any */
    uint32_t recommended;   /* and how many the family recommends. */
    uint32_t n_left_out; /* Hosts more than were asked for: these to leave out,
                          * see sf_candidate_left_out(); */
    uint32_t n_missing;  /* or fewer than were asked for. */
    enum sf_lengths lengths;
    uint32_t n_links_by[2], n_host_cables_by[2]; /* By enum sf_medium. */
    uint64_t ports_used, ports_free;             /* Over all switches. */
    uint32_t radix;             /* Ports used at a switch, most. */
    uint32_t diameter;          /* Between switches with hosts, */
    double average_distance;    /* and the mean over pairs of them. */
    uint32_t bisection_at_most; /* Links across a cut, see below. */
    double bisection_at_least;  /* NAN if not known. */
    uint32_t n_half;            /* Hosts on the smaller side of the cut. */
    double full_bandwidth_p;    /* As in properties.h. */

    /* What hosts get of their rate, at most, see below; NAN if not known. */
    double uniform_at_most;     /* If all send to all, on shortest paths; */
    double permutation_at_most; /* if each sends to one other, the worst, on
                                 * any paths. */
    bool is_non_blocking; /* Every permutation is known to get full rate. */

    double cost, cost_per_endpoint; /* Of n_endpoints; NAN if no price is
                                     * known. */
    double cost_per_asked; /* Of those asked for; NAN if none were, or if there
                            * are fewer. */
    double watts;
    const struct sf_backend *backend; /* Whose limits hold. */
    uint32_t n_host_addresses;        /* That the layers need, */
    uint64_t n_addresses;             /* those of the network with it, */
    uint32_t most_addresses; /* and the most of a host that fit; 0: not even
                              * one does. */
};

/* The number of the 'i'th host to leave out, i < n_left_out: the last one of
 * every so many switches.  Hosts are numbered as in a plan ("node0042"). */
uint32_t sf_candidate_left_out(const struct sf_candidate *candidate,
                               uint32_t i);

/* The longest copper cable, in metres: that of the generation, else that of
 * the default floor. */
double sf_candidate_copper_max(const struct sf_candidate *candidate);

/* Cables: of links and to hosts. */
static inline uint32_t
sf_candidate_cables(const struct sf_candidate *candidate)
{
    return candidate->n_links + candidate->n_endpoints;
}

/* Links across the cut for each host of its smaller side, at most; and at
 * least, NAN if not known. */
double sf_candidate_bisection_at_most(const struct sf_candidate *candidate);
double sf_candidate_bisection_at_least(const struct sf_candidate *candidate);

struct sf_design {
    struct sf_design_params params; /* Without the families. */
    const struct sf_prices *prices; /* As given. */
    uint32_t n_candidates;
    struct sf_candidate *candidates; /* Those that answer the question first,
                                      * each part in the order asked for. */
};

/* Answers 'params'.  'prices' must live as long as '*designp'.
 *
 * Uniform traffic: full_bandwidth_p / concentration, at most 1.
 *
 * Bisection: the switches with hosts are put in order by each number of their
 * place in turn (by rack, by row, ...) and halved; switches without hosts go
 * to the side where they cost fewer links; where all have hosts, and are not
 * too many, swaps make the cut smaller [Kernighan70].  The best of these cuts
 * is bisection_at_most.  Every fair cut crosses bisection_at_least: the
 * spectral bound lambda_2 |A| |B| / n with lambda_2 of the Laplacian
 * [Fiedler73], for networks with hosts on every switch; for two-level trees,
 * whose cores each lose their links to the smaller half, the cut itself.
 *
 * Permutations: the hosts of each switch send to those of another, as far away
 * as a search finds one.  Paths of h hops take h links, and only some are
 * shortest; all together take no more links than there are.  Where there are
 * more than 2048 switches, the mean distance stands for these.  The bisection
 * is another bound, as all hosts of a half may send to the other.  No routing
 * passes permutation_at_most, and what a routing reaches is less.
 *
 * A network is known to be non-blocking if it is a Fat Tree whose switches
 * have as many links up as hosts and links down. */
enum sf_status sf_design_build(const struct sf_design_params *params,
                               const struct sf_prices *prices,
                               struct sf_design **designp,
                               struct sf_error *err);

/* The same families at a series of sizes up to the largest, for a chart; of
 * 'params', only ports (which must be given), families, layers and overload
 * count. */
enum sf_status sf_design_series(const struct sf_design_params *params,
                                const struct sf_prices *prices,
                                struct sf_design **designp,
                                struct sf_error *err);
void sf_design_free(struct sf_design *design);

/* One number of a table of [Blach24] and ours. */
struct sf_paper_cell {
    char item[16]; /* "endpoints", "N_r", ... */
    double paper, ours;
    bool agrees;
    char why[240]; /* Why not; or how closely, where that is worth saying. */
};

#define SF_MAX_PAPER_CELLS 5

/* A row for one network: of the table of sizes (tab:uff), or of costs
 * (tab:costs). */
struct sf_paper_row {
    const char *table;         /* "sizes" or "costs" */
    char column[40];           /* "36-port switches, LMC 3" */
    char network[16];          /* "SF", "FT2-B" */
    char spec[SF_SPEC_SIZE];   /* What we would build. */
    char larger[SF_SPEC_SIZE]; /* Sizes: a larger Slim Fly that fits with fewer
                                * hosts a switch, "" if none; */
    uint32_t n_larger;         /* its endpoints. */
    uint32_t n_cells;
    struct sf_paper_cell cells[SF_MAX_PAPER_CELLS];
};

struct sf_paper {
    uint32_t n_rows;
    struct sf_paper_row *rows;
    uint32_t n_cells, n_agree;
};

/* Computes our side of the paper's tables with 'prices'. */
enum sf_status sf_paper_build(const struct sf_prices *prices,
                              const struct sf_backend *backend,
                              struct sf_paper **paperp, struct sf_error *err);
void sf_paper_free(struct sf_paper *paper);

#pragma GCC visibility pop
#endif
