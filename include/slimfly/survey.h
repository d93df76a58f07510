/* survey.h -- several networks side by side: what each costs, what it carries,
 * how long packets take, and what is left when parts fail.
 *
 * Each network gets the same number of hosts, or with equal cost its own, the
 * routing that 'slimfly route' would deploy, and the same questions.
 * Everything is measured by what stands elsewhere: design.h, comparison.h,
 * simulation.h, failures.h.  What these keep makes interrupted work go on. */
#ifndef SLIMFLY_SURVEY_H
#define SLIMFLY_SURVEY_H

#include "slimfly/comparison.h"
#include "slimfly/design.h"
#include "slimfly/failures.h"
#include "slimfly/simulation.h"

#pragma GCC visibility push(default)

#define SF_SURVEY_MAX_NETWORKS 12
#define SF_SURVEY_MAX_LOADS    24 /* Of a network, with those of the search. */

/* The load at which latency without queues is measured, and how close the
 * search comes to the load that a network takes. */
#define SF_SURVEY_LOW_LOAD  0.1
#define SF_SURVEY_LOAD_STEP 0.04

/* What networks have in common. */
enum sf_survey_equal {
    SF_SURVEY_EQUAL_HOSTS, /* The number of hosts. */
    SF_SURVEY_EQUAL_COST,  /* The money: each has its own number of hosts, and
                            * what these carry is told for each million of the
                            * currency. */
    SF_N_SURVEY_EQUALS,
};

const char *sf_survey_equal_name(uint32_t equal); /* "hosts"; NULL behind. */

/* A network that is asked about. */
struct sf_survey_subject {
    const char *name;               /* For people, as it was asked for. */
    const char *spec;               /* NULL: not known, */
    const struct sf_fabric *fabric; /* then this is it, with all its hosts. */
    uint32_t n_hosts;               /* That it may have; 0: all of the spec. */
    uint32_t ports;                 /* Of each switch; 0: as the params say. */
};

/* The question.  Zero stands for a default where it says so. */
struct sf_survey_params {
    const struct sf_survey_subject *subjects; /* [n_subjects] */
    uint32_t n_subjects;                      /* At least 1. */
    uint32_t n_hosts; /* Of each; 0: with equal hosts those of the network
                       * that has the fewest, with equal cost all that a
                       * network has. */
    enum sf_survey_equal equal;
    const struct sf_prices *prices; /* NULL: no costs. */
    uint32_t ports; /* Of each switch; 0: for each network the fewest that are
                     * for sale and enough. */
    struct sf_routing_params routing; /* But for the seed. */
    uint32_t n_seeds;                 /* Of traffic; 0: 1. */
    uint64_t seed; /* Of routing and simulation, and the first of traffic and
                    * failures. */

    uint32_t n_traffics;
    const char *const *traffics; /* As sf_traffic_build() takes them. */
    double gap;                  /* Of throughputs; 0: 0.01. */

    bool without_simulation;
    struct sf_sim_net net; /* Without a name: for each network what its links
                            * are, EDR where that is not known. */

    bool without_failures;
    bool without_kinds[SF_N_FAILURE_KINDS];
    const double *shares; /* [n_shares] Of links and switches. */
    uint32_t n_shares;
    uint32_t n_draws;   /* Of failures; 0: 1. */
    bool without_times; /* Do not measure seconds of repairs, so that the same
                         * question has the same answer to the last byte. */

    uint32_t n_threads; /* Changes nothing but the time. */

    /* Is called when the question was found to have an answer, before anything
     * is kept or looked up: networks are built and routed then.  False ends
     * the survey with SF_EIO.  May be NULL. */
    bool (*begin)(void *aux);
    void *aux;

    /* Where what is finished is kept; may be NULL. */
    const struct sf_measurement_store *measurements;
    const struct sf_simulation_store *simulations;
    const struct sf_failure_store *failures;
};

/* A run of a network under uniform load. */
struct sf_survey_run {
    double load;
    struct sf_simulation_params params;
    struct sf_simulation result;
};

/* The answer for a network. */
struct sf_survey_network {
    const char *name, *spec; /* As asked. */
    bool is_planned;         /* By its spec: costs, bounds and failures are
                              * known; else it was discovered. */
    bool is_priced;
    uint32_t n_hosts, n_switches, n_links;
    struct sf_candidate figures; /* Of these hosts; if it was discovered only
                                  * distances and bisection. */
    double cable_metres;         /* Of all cables. */

    const struct sf_fabric *fabric;
    struct sf_plan *plan; /* NULL unless planned. */
    struct sf_network *network;
    double *lengths;            /* [fabric->n_ports] NULL unless planned. */
    struct sf_routing *routing; /* As it would be deployed, */
    char scheme[SF_SCHEME_SIZE], lanes[SF_SCHEME_SIZE]; /* for people. */
    uint32_t n_layers, n_vls;
    struct sf_sim_net net; /* As it is simulated, if it is. */

    /* Paths, and throughput of the traffics. */
    struct sf_comparison_row row;
    struct sf_comparison *comparison; /* Of this one row. */

    /* Uniform traffic, packet by packet; nothing without simulation. */
    struct sf_survey_run slow; /* At SF_SURVEY_LOW_LOAD, with the delays of
                                * switches, hosts and cables. */
    struct sf_survey_run runs[SF_SURVEY_MAX_LOADS]; /* In packet times, by
                                                     * growing load. */
    uint32_t n_runs;

    struct sf_failures *failures; /* NULL: not asked for, or not planned. */
    const char **failed_traffics; /* Of the traffics, those that it has. */
};

struct sf_survey {
    struct sf_survey_params params; /* As asked, with what they point to. */
    uint32_t n_hosts;               /* Of each network; 0: they differ. */
    uint32_t n_networks;
    struct sf_survey_network *networks; /* [n_networks] As asked. */
};

/* Surveys.  On success the caller owns '*surveyp', which points to what
 * 'params' points to; on failure it is NULL.  SF_EINVAL: networks that are
 * equal, have too few hosts or no price where it is needed; traffic that
 * cannot be.  SF_EIO: params->begin said no.  Others: a network that cannot be
 * built or routed. */
enum sf_status sf_survey_build(const struct sf_survey_params *params,
                               struct sf_survey **surveyp,
                               struct sf_error *err);
void sf_survey_free(struct sf_survey *survey);

/* What hosts get on average in traffic number 'traffic', as a share of their
 * rate; NAN if it was not measured. */
double sf_survey_throughput(const struct sf_survey_network *network,
                            enum sf_comparison_split split, uint32_t traffic);

/* What uniform load a network takes in full.  Loads above a refused one count
 * as refused, also if a run of one was seen to take it. */
struct sf_survey_saturation {
    double taken;    /* The highest below 'refused'; 0: none. */
    double refused;  /* The lowest that was not taken in full; NAN: none. */
    double accepted; /* What arrived at the highest load that was offered; NAN:
                      * none was. */
};
struct sf_survey_saturation
sf_survey_saturation(const struct sf_survey_network *network);

/* What is to be shown of a share 'carried' of the hosts' rate: that share, or
 * with equal cost the hosts at full rate for each million of the currency. */
double sf_survey_worth(const struct sf_survey *survey,
                       const struct sf_survey_network *network,
                       double carried);

#pragma GCC visibility pop
#endif
