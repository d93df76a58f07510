/* counters_oracle.h -- slow and obvious counterparts for counters: a device
 * that counts event by event, a port whose whole past is kept, and loads by
 * every pair of hosts. */
#ifndef SF_COUNTERS_ORACLE_H
#define SF_COUNTERS_ORACLE_H

#include "slimfly/counter_findings.h"

/* A counter as hardware has it: it stops at its limit, and somebody may clear
 * it.  'n_events' is the truth, which nobody clears. */
struct oracle_device {
    uint64_t limit, value, n_events;
};

void oracle_count(struct oracle_device *device, uint64_t n_events);
void oracle_clear(struct oracle_device *device);

/* What a port is after the sweeps in 'past', the oldest first: 'A' answered,
 * 'S' silent, 'D' down, '?' not seen. */
enum sf_silence_state oracle_silence(const char *past, uint32_t n_silent,
                                     uint32_t n_sweeps);

/* The loads of sf_table_loads(), by following each packet. */
void oracle_loads(const struct sf_fabric *fabric,
                  const struct sf_tables *tables, double *loads);

#endif
