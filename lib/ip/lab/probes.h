/* probes.h -- many packets with a limit of hops each, and who answers them. */
#ifndef SF_IP_LAB_PROBES_H
#define SF_IP_LAB_PROBES_H

#include "ip/lab/lab.h"

enum sf_lab_answer {
    SF_LAB_NO_ANSWER,
    SF_LAB_EXPIRED,     /* A switch says that the hops are used up. */
    SF_LAB_UNREACHABLE, /* A switch or the sender's kernel says that there is
                         * no way. */
    SF_LAB_ARRIVED,     /* The receiver answers. */
};

/* An echo request from one host to an address of another. */
struct sf_lab_probe {
    uint32_t sender, target; /* Hosts of the network (network.h). */
    uint16_t layer;
    uint8_t ttl;      /* Hops: switches up to the one that answers. */
    uint8_t answer;   /* An enum sf_lab_answer. */
    bool is_optional; /* Nobody waits long for the answer. */
    uint32_t from;    /* The node that answered; SF_NONE. */
};

/* Sends all 'probes' and fills in their answers.  What is lost is sent again,
 * a few times, from other addresses of the sender, so that the answer comes
 * back by another layer.  'lostp' gets how many had to be.  The namespaces of
 * 'lab' are open. */
enum sf_status sf_lab_send_probes(struct sf_lab *lab,
                                  struct sf_lab_probe *probes, size_t n,
                                  uint64_t *lostp, struct sf_error *err);

#endif
