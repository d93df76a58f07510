/* traffic.h -- hosts by number, and flows between them added up to demands
 * between switches.  Hosts are numbered through, switch by switch. */
#ifndef SF_TRAFFIC_TRAFFIC_H
#define SF_TRAFFIC_TRAFFIC_H

#include "base/mem.h"
#include "slimfly/traffic.h"

struct sf_flow_sum {
    const struct sf_traffic_params *params;
    const struct sf_network *network;
    uint32_t n_hosts, n_sets;
    uint32_t *switch_of;     /* [n_hosts] */
    double *sent, *received; /* [n_hosts] */

    uint32_t source; /* The switch whose demands are being added up. */
    double *row;     /* [V * n_sets] */
    SF_VEC(struct sf_demand) demands;
    bool out_of_memory;
};

/* Prepares to add flows.  SF_EINVAL if there are fewer than two hosts. */
enum sf_status sf_flow_sum_begin(struct sf_flow_sum *sum,
                                 const struct sf_traffic_params *params,
                                 struct sf_error *err);

/* Adds what host 'from' sends to host 'to'; 'from' never goes back to a switch
 * before the last one. */
void sf_flow_sum_add(struct sf_flow_sum *sum, uint32_t from, uint32_t to,
                     double amount);

/* Hands the traffic over, scaled to a largest host of 1 if 'scaled', and
 * clears 'sum'.  SF_EINVAL if there is none. */
enum sf_status sf_flow_sum_end(struct sf_flow_sum *sum, bool scaled,
                               struct sf_traffic **trafficp,
                               struct sf_error *err);
void sf_flow_sum_clear(struct sf_flow_sum *sum);

/* Reads the CSV file at 'path' and adds its flows. */
enum sf_status sf_traffic_read(const char *path, struct sf_flow_sum *sum,
                               struct sf_error *err);

#endif
