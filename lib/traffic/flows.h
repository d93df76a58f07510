/* flows.h -- flows between hosts, one after the other: kinds of traffic add
 * them, and what takes them adds them up to demands or lists them. */
#ifndef SF_TRAFFIC_FLOWS_H
#define SF_TRAFFIC_FLOWS_H

#include "base/spec.h"
#include "slimfly/traffic.h"

/* What a kind works with. */
struct sf_flow_job {
    const struct sf_network *network;
    uint32_t n_hosts;    /* At least 2, */
    uint32_t *switch_of; /* [n_hosts] on these switches. */
    uint64_t seed;
    double *sent, *received; /* [n_hosts] So far. */
    const uint32_t *ranks; /* [n_ranks] Hosts by rank, if files name ranks; */
    uint32_t n_ranks;      /* NULL: they name hosts. */

    /* Takes a flow; 'from' never goes back to a switch before the last one. */
    void (*take)(void *aux, uint32_t from, uint32_t to, double amount);
    void *aux;
};

/* Prepares to add flows; the caller sets 'take'.  SF_EINVAL if there are fewer
 * than two hosts. */
enum sf_status sf_flow_job_begin(struct sf_flow_job *job,
                                 const struct sf_network *network,
                                 uint64_t seed, struct sf_error *err);
void sf_flow_job_clear(struct sf_flow_job *job);

/* Adds what host 'from' sends to host 'to'. */
static inline void
sf_flow_add(struct sf_flow_job *job, uint32_t from, uint32_t to, double amount)
{
    job->sent[from] += amount;
    job->received[to] += amount;
    job->take(job->aux, from, to, amount);
}

/* The most that a host sends or receives.  SF_EINVAL if that is nothing, or
 * more than can be added up. */
enum sf_status sf_flow_job_largest(const struct sf_flow_job *job,
                                   double *largestp, struct sf_error *err);

struct sf_traffic_ops {
    /* Adds the flows; 'values' are those of the kind's params. */
    enum sf_status (*add)(struct sf_flow_job *job,
                          const struct sf_value *values, struct sf_error *err);
    bool is_even; /* Every host sends 1 to every other, so that demands follow
                   * from the numbers of hosts: there may be 10^10 flows. */
};

/* Reads the CSV file at 'path', or 'text' unless NULL, and adds its flows. */
enum sf_status sf_traffic_read(const char *path, struct sf_flow_job *job,
                               struct sf_error *err);
enum sf_status sf_traffic_read_text(char *text, size_t length,
                                    const char *path, struct sf_flow_job *job,
                                    struct sf_error *err);

#endif
