/* design.h -- what to build, and for how much: candidates of every family for
 * a number of endpoints, ports or a budget, and the tables of [Blach24] beside
 * our own. */
#ifndef SLIMFLY_DESIGN_H
#define SLIMFLY_DESIGN_H

#include "slimfly/backend.h"
#include "slimfly/prices.h"
#include "slimfly/progress.h"
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
                      * are copper of 3 m, all others optical of 30 m. */
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
    uint32_t radix;                 /* Ports used at a switch, most. */
    uint32_t diameter;              /* Between switches with hosts, */
    double average_distance;        /* and the mean over pairs of them. */
    uint32_t bisection_at_most;     /* Links across a cut, see below. */
    double bisection_at_least;      /* NAN if not known. */
    double full_bandwidth_p;        /* As in properties.h. */
    double load;                    /* concentration / full_bandwidth_p. */
    double cost, cost_per_endpoint; /* NAN if no price is known. */
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

/* Whether uniform traffic fits onto the links, as far as sf_properties can
 * tell.  Half a percent is forgiven. */
bool sf_candidate_is_full_bandwidth(const struct sf_candidate *candidate);

struct sf_design {
    struct sf_design_params params; /* Without the families. */
    const struct sf_prices *prices; /* As given. */
    uint32_t n_candidates;
    struct sf_candidate *candidates; /* Those that answer the question first,
                                      * each part in the order asked for. */
};

/* Answers 'params'.  'prices' must live as long as '*designp'; 'progress' may
 * be NULL.
 *
 * Bisection: the switches with hosts are put in order by each number of their
 * place in turn (by rack, by row, ...) and halved; switches without hosts go
 * to the side where they cost fewer links.  The best of these cuts is
 * bisection_at_most.  Every fair cut crosses bisection_at_least: the spectral
 * bound lambda_2 |A| |B| / n with lambda_2 of the Laplacian [Fiedler73], for
 * networks with hosts on every switch; for two-level trees, whose cores each
 * lose their links to the smaller half, the cut itself. */
enum sf_status sf_design_build(const struct sf_design_params *params,
                               const struct sf_prices *prices,
                               const struct sf_progress *progress,
                               struct sf_design **designp,
                               struct sf_error *err);

/* The same families at a series of sizes up to the largest, for a chart; of
 * 'params', only ports (which must be given), families, layers and overload
 * count. */
enum sf_status sf_design_series(const struct sf_design_params *params,
                                const struct sf_prices *prices,
                                const struct sf_progress *progress,
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
