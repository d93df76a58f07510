/* throughput_cases.h -- small random networks with layers and traffic, for the
 * tests of throughput and for the judge in Python. */
#ifndef SF_THROUGHPUT_CASES_H
#define SF_THROUGHPUT_CASES_H

#include "slimfly/slimfly.h"

#define MAX_VARIANTS 2

struct throughput_case {
    struct sf_graph *graph;
    uint32_t *n_hosts; /* [V] */
    struct sf_layers *variants[MAX_VARIANTS];
    uint32_t n_variants;
    struct sf_traffic *traffic;
    char text[64]; /* What traffic. */
};

/* Case number 'number': a connected graph of 3 to 12 switches, some links
 * parallel, some switches without hosts.  False if there is no such traffic on
 * it, as with all hosts on one switch; clear it all the same. */
bool throughput_case_make(struct throughput_case *made, uint64_t number);
void throughput_case_clear(struct throughput_case *made);

#endif
