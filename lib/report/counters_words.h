/* counters_words.h -- what the reports about counters share. */
#ifndef SF_REPORT_COUNTERS_WORDS_H
#define SF_REPORT_COUNTERS_WORDS_H

#include "slimfly/counter_findings.h"

/* "sf-0-0-1 port 5 (R0 U3)". */
void sf_counters_write_end(const struct sf_counters_view *view,
                           const struct sf_end *end, FILE *stream);

/* Whether the cable of 'finding' leads to a host, without which there is no
 * way to it. */
bool sf_counters_leads_to_host(const struct sf_counters_view *view,
                               const struct sf_counter_finding *finding);

/* The command that routes around the cable of 'finding'. */
void sf_counters_write_drain(const struct sf_counters_view *view,
                             const struct sf_counter_finding *finding,
                             FILE *stream);

/* The node 'found' of the fabric, or its port 'number'. */
static inline struct sf_end
sf_counters_end(const struct sf_counters_view *view, uint32_t found,
                uint32_t number)
{
    return (struct sf_end){ view->verification
                                ? view->verification->identities[found].node
                                : SF_NONE,
                            found, number };
}

#endif
