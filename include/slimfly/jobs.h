/* jobs.h -- jobs that run on a network: which hosts, and what they do.  A
 * scheduler knows that, and routes can be made for it (job_routes.h).
 *
 * A file of jobs has a line for each, "NAME PATTERN NODES"; # starts a
 * comment. NODES is a list of hosts as Slurm writes it,
 * "node[0000-0031,0040],login". Its order is the order of ranks.  PATTERN is
 * one of
 *
 *     all-to-all             every rank to every other, evenly
 *     ring                   every rank to the next, the last to the first
 *     shift:by=40            every rank to that 40 further on, round and round
 *     stencil:dims=4x4x2     every rank to its neighbours on a torus of ranks,
 *                            of which the last dimension counts fastest
 *     pairs:file=PATH        CSV, "source,destination,amount", names of hosts
 *     ranks:file=PATH        the same with ranks, from 0 on, as
 *                            sf_goal_write_ranks() makes it of a recording
 *     unknown                taken as all-to-all
 *
 * PATH is seen from the folder of the file of jobs. */
#ifndef SLIMFLY_JOBS_H
#define SLIMFLY_JOBS_H

#include "slimfly/traffic.h"

#pragma GCC visibility push(default)

#define SF_MAX_DIMS 8 /* Of a stencil. */

enum sf_pattern_kind {
    SF_PATTERN_ALL_TO_ALL,
    SF_PATTERN_RING,
    SF_PATTERN_SHIFT,
    SF_PATTERN_STENCIL,
    SF_PATTERN_PAIRS,
    SF_PATTERN_UNKNOWN,
};

struct sf_job {
    char *name, *pattern; /* As the file has them. */
    uint32_t line;        /* Of the file. */
    enum sf_pattern_kind kind;
    uint32_t by;                /* Of a shift. */
    uint32_t n_dims;            /* Of a stencil. */
    uint32_t dims[SF_MAX_DIMS]; /* Their product is n_hosts. */
    uint32_t n_hosts;           /* At least 1. */
    uint32_t *hosts;            /* [n_hosts] By rank, numbered as in the
                                 * network. */
    size_t n_pairs;             /* Of SF_PATTERN_PAIRS. */
    struct sf_flow *pairs;      /* [n_pairs] Amounts as given. */
    double unit; /* What the host that sends or receives most does so with,
                  * before scaling; 0 if nobody sends. */
};

struct sf_jobs {
    uint32_t n_jobs;
    struct sf_job *jobs; /* [n_jobs] No host is in two. */
};

/* Reads the file 'path' ("-": standard input).  SF_EPARSE: 'err' has the line
 * and what was expected there: also if a host is not in 'network', which needs
 * a fabric, or is named twice.  On success the caller owns '*jobsp'; on
 * failure it is NULL. */
enum sf_status sf_jobs_load(const char *path, const struct sf_network *network,
                            struct sf_jobs **jobsp, struct sf_error *err);

/* The same from 'length' bytes of 'text', which are changed and after which
 * there is room for one more; 'path' is for messages. */
enum sf_status sf_jobs_parse(char *text, size_t length, const char *path,
                             const struct sf_network *network,
                             struct sf_jobs **jobsp, struct sf_error *err);

/* Jobs that were left out: one of their hosts is not in the network, or is
 * that of a job above, or their name is. */
struct sf_strays {
    uint32_t n;
    struct sf_error first; /* What is wrong with the first, if any. */
};

/* The same, but such jobs are no error: those who write a file of jobs see
 * neither faults nor hosts that are elsewhere.  'strays', zeros before, counts
 * them. */
enum sf_status sf_jobs_parse_some(char *text, size_t length, const char *path,
                                  const struct sf_network *network,
                                  struct sf_strays *strays,
                                  struct sf_jobs **jobsp,
                                  struct sf_error *err);
enum sf_status sf_jobs_load_some(const char *path,
                                 const struct sf_network *network,
                                 struct sf_strays *strays,
                                 struct sf_jobs **jobsp, struct sf_error *err);
void sf_jobs_free(struct sf_jobs *jobs);

#define SF_MAX_JOB_HOSTS 1000000u

/* Whether a job is one without a network to see it on, and how many hosts it
 * has.  Files of pairs are not looked into. */
enum sf_status sf_job_check(const char *name, const char *pattern,
                            const char *nodes, uint32_t *n_hostsp,
                            struct sf_error *err);

/* Hands each flow of 'job' to 'take', scaled so that the host that sends or
 * receives most does so with 1, the rate of its link. */
typedef void sf_take_flow(void *aux, uint32_t from, uint32_t to,
                          double amount);
void sf_job_each_flow(const struct sf_job *job, sf_take_flow *take, void *aux);

#pragma GCC visibility pop
#endif
