/* job_columns.h -- grows a column anew for the demands of jobs.
 *
 * A link of load x costs exp(beta x): the higher beta is, the more the most
 * loaded links decide.  The potential of all loads is the sum of these prices.
 *
 * A column gives its load back and is grown source by source.  Each source
 * takes the cheapest path of few hops that obeys the turns and ends at the
 * destination or at a switch that has its place already.  A link that other
 * layers of the source use to the same destination costs more, so that a large
 * message between two hosts has ways that share little.  The new column stays
 * if the potential does not rise and all other switches find their way into
 * it. */
#ifndef SF_ROUTING_JOB_COLUMNS_H
#define SF_ROUTING_JOB_COLUMNS_H

#include "slimfly/random.h"
#include "slimfly/routing.h"

#define SF_JOB_MAX_HOPS 16

/* A switch that sends to the destination of a column. */
struct sf_job_source {
    uint32_t s;
    double amount;
};

/* A column that may change. */
struct sf_job_column {
    uint32_t set, layer, d;
    const struct sf_job_source *sources;
    uint32_t n_sources;
    double share;               /* Of each amount that comes this way. */
    double uniform_share;       /* What each host sends this way under uniform
                                 * traffic. */
    const uint8_t *distance;    /* [V] To 'd'. */
    const uint32_t *first_near; /* [V + 1] Where the arcs of a switch start */
    const uint32_t *near;       /* among those that lead to 'd' or beside. */
    uint16_t *hops;             /* [V] In the routes. */
};

/* What an arc carries and costs. */
struct sf_job_arc {
    double load, price;
};

/* Loads and prices of arcs, and what growing needs. */
struct sf_job_grower {
    const struct sf_network *network;
    const struct sf_routes *routes; /* All columns. */
    const struct sf_turns *turns;   /* NULL: any turn. */
    bool only_hosts; /* Paths that start at switches without hosts need not
                      * obey the turns. */
    uint32_t search_hops; /* Of paths that are searched for sources, */
    uint32_t max_hops;    /* and of all others. */
    double beta, offset;
    double old_factor;      /* Times the price of arcs that the column had. */
    double overlap_price;   /* What an arc costs more for each other layer that
                             * uses it, as a part of its price. */
    double *loads, *prices; /* [2E] */
    uint32_t *sorted;       /* [2E] The arcs of each switch by price. */
    double most;            /* The load of the most loaded arc, */
    bool is_most_stale;     /* unless this. */
    double *uniform;        /* [2E] Loads of uniform traffic, */
    double floor;           /* and above what none may get by a change. */
    double ceiling;         /* Above what no load may get by a change. */
    struct sf_random random;

    /* The column at hand. */
    const struct sf_job_column *column;
    uint16_t *old, *hops; /* [V] */
    uint32_t *depths;     /* [V] Hops to go; SF_NONE: has no place yet. */
    uint32_t *ranks;      /* [V] Of the channel after the first turn. */
    bool *is_passed;      /* [V] By the path that is being searched. */
    uint32_t *order;      /* [V] */
    uint32_t *direct; /* [V] The arc to the destination, where there is one. */
    double rise;      /* Of the potential, so far. */
    double most_before;
    uint32_t *touched;         /* [2E] Arcs whose loads changed, */
    struct sf_job_arc *before; /* [2E] and what they were, by arc. */
    bool *is_touched;          /* [2E] */
    double *uniform_before;    /* [2E] */
    uint32_t n_touched;
    uint32_t path[SF_JOB_MAX_HOPS], best[SF_JOB_MAX_HOPS], n_best;
    double best_cost;
    double last_price; /* Of the cheapest arc to the destination. */
    uint16_t *n_uses;  /* [2E] Other layers whose paths go over an arc, from
                        * the source that is being placed. */
};

/* Makes room; the caller sets the rest.  False if out of memory.
 * sf_job_grower_clear() is due in any case. */
bool sf_job_grower_make(struct sf_job_grower *grower,
                        const struct sf_network *network);
void sf_job_grower_clear(struct sf_job_grower *grower);

/* Sets beta, and all prices by it. */
void sf_job_grower_heat(struct sf_job_grower *grower, double beta);

/* The load of the most loaded arc. */
double sf_job_grower_most(struct sf_job_grower *grower);

/* Grows 'column' anew; false if it stayed as it was. */
bool sf_job_grower_regrow(struct sf_job_grower *grower,
                          const struct sf_job_column *column);

#endif
