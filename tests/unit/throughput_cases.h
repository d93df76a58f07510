/* throughput_cases.h -- small random networks with layers and traffic, for the
 * tests of throughput and for the judge in Python. */
#ifndef SF_THROUGHPUT_CASES_H
#define SF_THROUGHPUT_CASES_H

#include "slimfly/slimfly.h"

struct throughput_case {
    struct sf_network *network;
    struct sf_routes *routes; /* Of one or two path sets. */
    struct sf_traffic *traffic;
    char text[64]; /* What traffic. */
};

/* Case number 'number': a connected graph of 3 to 12 switches, some links
 * parallel, some switches without hosts.  False if there is no such traffic on
 * it, as with all hosts on one switch; clear it all the same. */
bool throughput_case_make(struct throughput_case *made, uint64_t number);
void throughput_case_clear(struct throughput_case *made);

#endif
