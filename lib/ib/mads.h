/* mads.h -- questions to the nodes of a live fabric (management datagrams),
 * several under way at once; for the child processes of live.c and of
 * live_counters.c. */
#ifndef SF_IB_MADS_H
#define SF_IB_MADS_H

#include "ib/live_port.h"

#include <infiniband/mad.h>
#include <infiniband/umad.h>

#include <stdbool.h>
#include <stdint.h>

#define SF_MADS_UNDER_WAY 16

struct sf_mad {
    ib_portid_t to;
    unsigned attribute, modifier;
    uint64_t mask; /* To the subnet manager: which members of 'data' count. */
    uint8_t data[IB_SA_DATA_SIZE]; /* Not by the ports on the way. */
    uint32_t tags[3];              /* For who asks. */
};

/* Who asks.  'next' makes one more question, false if there is none; 'take'
 * gets its answer in 'data', or NULL if it was refused, and says whether to go
 * on; 'lose' gets a question that nobody answered, which is the end unless the
 * asker 'goes_on'. */
struct sf_mads_asker {
    bool (*next)(void *aux, struct sf_mad *mad);
    bool (*take)(void *aux, const struct sf_mad *mad, uint8_t *data);
    void (*lose)(void *aux, const struct sf_mad *mad);
    void *aux;
    bool goes_on;
};

/* The way into the fabric for questions of one class: to switches by the
 * ports on the way (IB_SMI_DIRECT_CLASS), to the subnet manager (IB_SA_CLASS)
 * or for counters (IB_PERFORMANCE_CLASS). */
struct sf_mads {
    int class, port, agent;
    umad_port_t own;
    /* May be changed after opening. */
    unsigned timeout_ms; /* For an answer, */
    unsigned n_tries;    /* before the question is asked again, or lost. */
    double deadline;     /* On sf_mads_now(): nothing is asked later; 0: there
                          * is none. */
};

/* Seconds since some moment in the past, the same for all processes. */
double sf_mads_now(void);

/* Opens 'port'.  Returns 0, or, having said on standard error why there is no
 * way, an exit code: SF_LIVE_NO_DEVICE if there is no point in trying again,
 * else 1. */
int sf_mads_open(struct sf_mads *mads, const struct sf_live_port *port,
                 int class);
void sf_mads_close(struct sf_mads *mads);

/* Asks all that 'asker' wants to know.  Returns false if 'take' does, if a
 * question is lost and that matters, or, having said so on standard error, if
 * none can be asked. */
bool sf_mads_ask(struct sf_mads *mads, const struct sf_mads_asker *asker);

#endif
