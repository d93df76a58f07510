/* probe_child.c -- looks through the ports of switches: which of them are up,
 * and whether anybody behind them answers. */
#include "ib/counters_child.h"

#ifdef HAVE_IBNETDISC

#include "base/mem.h"
#include "ib/direct_paths.h"
#include "ib/mads.h"
#include "slimfly/progress.h"

#define STATE_INIT 2 /* Of a port: below, it is down. */

enum stage {
    SELF,   /* Where this machine is. */
    STATES, /* Which ports are up. */
    BEHIND, /* Who is behind them. */
    N_STAGES,
};

struct probing {
    const struct sf_probe_job *job;
    enum stage stage;
    uint32_t n_ports;         /* Of the switches. */
    uint32_t round, n_rounds; /* Port numbers, from 0. */
    uint32_t s;               /* The next switch in this round. */
    ib_dr_path_t *paths;      /* [n_switches] */
    bool *is_found;           /* [n_switches] Whether there is a way to it. */
    uint32_t self;            /* Node, and */
    uint8_t self_port;        /* its port that we use, for a host. */
};

/* Makes the question about port 'i' of switch 's'; false if there is none. */
static bool
make_question(const struct probing *probing, uint32_t s, uint32_t i,
              struct sf_mad *mad)
{
    const struct sf_probe_job *job = probing->job;
    uint32_t number = job->fabric->ports[i].number;
    bool is_wanted = !job->is_wanted || job->is_wanted[i];

    if (!is_wanted || !probing->is_found[s]) {
        return false;
    }
    mad->to.drpath = probing->paths[s];
    mad->tags[0] = i;
    if (probing->stage == STATES) {
        mad->attribute = IB_ATTR_PORT_INFO;
        mad->modifier = number;
        return true;
    }
    mad->attribute = IB_ATTR_NODE_INFO;
    return job->ports[i].probe == SF_PROBE_SILENT &&
           sf_direct_path_extend(&mad->to.drpath, number);
}

static bool
next_question(void *aux, struct sf_mad *mad)
{
    struct probing *probing = aux;
    const struct sf_fabric *fabric = probing->job->fabric;

    if (probing->stage == SELF) {
        mad->attribute = IB_ATTR_NODE_INFO;
        return probing->round++ == 0;
    }
    for (; probing->round < probing->n_rounds;
         probing->round++, probing->s = 0) {
        if (probing->s == 0) {
            sf_progress_report("looking through ports", probing->round,
                               probing->n_rounds);
        }
        while (probing->s < fabric->n_switches) {
            uint32_t s = probing->s++;
            uint32_t port = sf_fabric_port(fabric, s, probing->round + 1);
            if (port != SF_NONE && make_question(probing, s, port, mad)) {
                return true;
            }
        }
    }
    return false;
}

static bool
take_answer(void *aux, const struct sf_mad *mad, uint8_t *data)
{
    struct probing *probing = aux;
    struct sf_port_probe *port = &probing->job->ports[mad->tags[0]];

    switch (probing->stage) {
    case SELF:
        if (!data) {
            fputs("this machine's own port refuses to answer\n", stderr);
            return false;
        }
        probing->self_port =
            (uint8_t)mad_get_field(data, 0, IB_NODE_LOCAL_PORT_F);
        probing->self = sf_direct_paths_self(
            probing->job->fabric, mad_get_field64(data, 0, IB_NODE_GUID_F));
        return probing->self != SF_NONE;
    case STATES:
        if (data) {
            /* Silent until somebody answers. */
            port->probe = mad_get_field(data, 0, IB_PORT_STATE_F) < STATE_INIT
                              ? SF_PROBE_DOWN
                              : SF_PROBE_SILENT;
        }
        return true;
    case BEHIND:
    case N_STAGES:
        /* Who refuses is there, too. */
        port->probe = SF_PROBE_ANSWERS;
    }
    return true;
}

/* A switch that does not answer itself is not asked again; a port behind which
 * nobody answers is silent, as was assumed. */
static void
lose_question(void *aux, const struct sf_mad *mad)
{
    const struct probing *probing = aux;

    if (probing->stage == SELF) {
        fputs("this machine's own port does not answer\n", stderr);
    } else if (probing->stage == STATES) {
        probing->is_found[probing->job->fabric->ports[mad->tags[0]].node] =
            false;
    }
}

/* What nobody had time to ask for is not known. */
static void
forget_unasked(const struct probing *probing)
{
    for (uint32_t r = probing->round; r < probing->n_rounds; r++) {
        uint32_t s = r == probing->round ? probing->s : 0;
        for (; s < probing->job->fabric->n_switches; s++) {
            uint32_t port = sf_fabric_port(probing->job->fabric, s, r + 1);
            if (port != SF_NONE &&
                probing->job->ports[port].probe == SF_PROBE_SILENT) {
                probing->job->ports[port].probe = SF_PROBE_UNKNOWN;
            }
        }
    }
}

static bool
ask_stages(struct probing *probing, struct sf_mads *mads)
{
    struct sf_mads_asker asker = { next_question, take_answer, lose_question,
                                   probing, false };

    /* The first question is important, and answered by this machine. */
    if (!sf_mads_ask(mads, &asker) ||
        !sf_direct_paths_find(probing->job->fabric, probing->self,
                              probing->self_port, probing->paths,
                              probing->is_found)) {
        return false;
    }
    asker.goes_on = true;
    mads->timeout_ms = probing->job->params.timeout_ms;
    mads->n_tries = 1;
    mads->deadline = sf_mads_now() + probing->job->params.timeout;
    for (probing->stage = STATES; probing->stage < N_STAGES;
         probing->stage++) {
        probing->round = probing->s = 0;
        if (!sf_mads_ask(mads, &asker)) {
            return false;
        }
    }
    forget_unasked(probing);
    return true;
}

int
sf_probe_child(const void *probe_job, FILE *unused)
{
    struct probing probing = { .job = probe_job };
    const struct sf_fabric *fabric = probing.job->fabric;
    uint32_t n = fabric->n_switches;
    struct sf_mads mads;

    (void)unused;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t n_ports = fabric->nodes[s].n_ports;
        probing.n_ports += n_ports;
        probing.n_rounds =
            n_ports > probing.n_rounds ? n_ports : probing.n_rounds;
    }
    probing.paths = sf_calloc(n, sizeof *probing.paths);
    probing.is_found = sf_calloc(n, sizeof *probing.is_found);
    int code =
        probing.paths && probing.is_found
            ? sf_mads_open(&mads, probing.job->port, IB_SMI_DIRECT_CLASS)
            : 1;
    if (code == 0) {
        code = ask_stages(&probing, &mads) ? 0 : 1;
        sf_mads_close(&mads);
    }
    free(probing.is_found);
    free(probing.paths);
    return code;
}

#else

int
sf_probe_child(const void *probe_job, FILE *unused)
{
    (void)probe_job;
    (void)unused;
    fputs("this slimfly was built without libibumad\n", stderr);
    return SF_LIVE_NO_DEVICE;
}

#endif
