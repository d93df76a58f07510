/* measure.h -- real flows, and what a model predicts for them. */
#ifndef SF_IP_LAB_MEASURE_H
#define SF_IP_LAB_MEASURE_H

#include "ip/lab/ways.h"

/* The size of a full packet on the wire, as rates count it, and of the payload
 * in it: TCP with time stamps at an MTU of 1500. */
#define SF_LAB_FRAME    1514.
#define SF_LAB_PAYLOAD  1448.
#define SF_LAB_PAYLOAD6 1428.

/* A flow between two hosts, in one or in all layers. */
struct sf_lab_flows {
    uint32_t n;
    const uint32_t *from, *to; /* Hosts. */
    uint32_t n_layers;         /* That each uses, from layer 0 on. */
    bool is_mptcp;             /* In one connection; else in one each. */
};

/* model.c: the rates of 'flows', bits of wire a second, if each subflow has
 * its max-min fair share.  SF_EINVAL: a path does not arrive. */
enum sf_status sf_lab_predict(const struct sf_lab *lab,
                              const struct sf_lab_down *down,
                              const struct sf_lab_flows *flows, double *rates,
                              struct sf_error *err);

/* sockets.c: sends 'flows' and tells the payload of each, bits a second.  The
 * namespaces of 'lab' are open. */
enum sf_status sf_lab_send_flows(struct sf_lab *lab,
                                 const struct sf_lab_flows *flows,
                                 const struct sf_lab_measure_params *params,
                                 struct sf_lab_rates *result,
                                 struct sf_error *err);

#endif
