/* counters_child.c -- asks ports for their counters.
 *
 * Each node is asked first what it can count; one that does not answer is not
 * asked again.  Then come the ports in rounds, each round one port of every
 * node, so that the questions under way at once go to different nodes. */
#include "ib/counters_child.h"

#ifdef HAVE_IBNETDISC

#include "base/mem.h"
#include "ib/mads.h"
#include "slimfly/ib_addresses.h"
#include "slimfly/progress.h"

/* Bits of what an agent for counters says that it can. */
#define CAN_EXTENDED         (1u << 9)
#define CAN_EXTENDED_DATA    (1u << 10) /* Without unicast and multicast. */
#define CAN_XMIT_WAIT        (1u << 12)
#define CAN2_EXTENDED_ERRORS (1u << 1)

enum stage {
    ABILITIES,
    COUNTERS,
    N_STAGES,
};

/* Where a counter stands in the two attributes; 0 if it does not. */
static const struct {
    enum MAD_FIELDS plain, extended;
} fields[SF_N_COUNTERS] = {
    [SF_COUNTER_XMIT_DATA] = { IB_PC_XMT_BYTES_F, IB_PC_EXT_XMT_BYTES_F },
    [SF_COUNTER_RCV_DATA] = { IB_PC_RCV_BYTES_F, IB_PC_EXT_RCV_BYTES_F },
    [SF_COUNTER_XMIT_PACKETS] = { IB_PC_XMT_PKTS_F, IB_PC_EXT_XMT_PKTS_F },
    [SF_COUNTER_RCV_PACKETS] = { IB_PC_RCV_PKTS_F, IB_PC_EXT_RCV_PKTS_F },
    [SF_COUNTER_UNICAST_XMIT_PACKETS] = { 0, IB_PC_EXT_XMT_UPKTS_F },
    [SF_COUNTER_UNICAST_RCV_PACKETS] = { 0, IB_PC_EXT_RCV_UPKTS_F },
    [SF_COUNTER_MULTICAST_XMIT_PACKETS] = { 0, IB_PC_EXT_XMT_MPKTS_F },
    [SF_COUNTER_MULTICAST_RCV_PACKETS] = { 0, IB_PC_EXT_RCV_MPKTS_F },
    [SF_COUNTER_XMIT_WAIT] = { IB_PC_XMT_WAIT_F, IB_PC_EXT_XMT_WAIT_F },
    [SF_COUNTER_SYMBOL_ERRORS] = { IB_PC_ERR_SYM_F, IB_PC_EXT_ERR_SYM_F },
    [SF_COUNTER_LINK_RECOVERIES] = { IB_PC_LINK_RECOVERS_F,
                                     IB_PC_EXT_LINK_RECOVERS_F },
    [SF_COUNTER_LINK_DOWNED] = { IB_PC_LINK_DOWNED_F,
                                 IB_PC_EXT_LINK_DOWNED_F },
    [SF_COUNTER_RCV_ERRORS] = { IB_PC_ERR_RCV_F, IB_PC_EXT_ERR_RCV_F },
    [SF_COUNTER_RCV_REMOTE_ERRORS] = { IB_PC_ERR_PHYSRCV_F,
                                       IB_PC_EXT_ERR_PHYSRCV_F },
    [SF_COUNTER_RCV_RELAY_ERRORS] = { IB_PC_ERR_SWITCH_REL_F,
                                      IB_PC_EXT_ERR_SWITCH_REL_F },
    [SF_COUNTER_XMIT_DISCARDS] = { IB_PC_XMT_DISCARDS_F,
                                   IB_PC_EXT_XMT_DISCARDS_F },
    [SF_COUNTER_XMIT_CONSTRAINT_ERRORS] = { IB_PC_ERR_XMTCONSTR_F,
                                            IB_PC_EXT_ERR_XMTCONSTR_F },
    [SF_COUNTER_RCV_CONSTRAINT_ERRORS] = { IB_PC_ERR_RCVCONSTR_F,
                                           IB_PC_EXT_ERR_RCVCONSTR_F },
    [SF_COUNTER_INTEGRITY_ERRORS] = { IB_PC_ERR_LOCALINTEG_F,
                                      IB_PC_EXT_ERR_LOCALINTEG_F },
    [SF_COUNTER_OVERRUN_ERRORS] = { IB_PC_ERR_EXCESS_OVR_F,
                                    IB_PC_EXT_ERR_EXCESS_OVR_F },
    [SF_COUNTER_VL15_DROPPED] = { IB_PC_VL15_DROPPED_F,
                                  IB_PC_EXT_VL15_DROPPED_F },
};

/* What is known of a node. */
struct node_state {
    bool is_lost; /* It does not answer. */
    bool is_told; /* It has said what it can. */
    uint32_t can, can2;
};

struct reading {
    const struct sf_counters_job *job;
    enum stage stage;
    uint32_t round, n_rounds; /* Of ports and attributes. */
    uint32_t node;            /* The next in this round. */
    struct node_state *nodes; /* [n_nodes] */
    uint32_t *wide;           /* [n_ports] Set of counters that were read with
                               * 64 bits. */
};

/* The LID by which a port is asked; 0 if there is none. */
static uint16_t
lid_of(const struct sf_fabric *fabric, uint32_t port)
{
    uint32_t node = fabric->ports[port].node;
    return node < fabric->n_switches ? sf_ib_node(fabric, node)->lid
                                     : sf_ib_port(fabric, port)->lid;
}

/* The first port of 'node' that can be asked, or SF_NONE. */
static uint32_t
find_port(const struct sf_fabric *fabric, uint32_t node)
{
    const struct sf_node *of = &fabric->nodes[node];

    for (uint32_t i = 0; i < of->n_ports; i++) {
        if (lid_of(fabric, of->first_port + i)) {
            return of->first_port + i;
        }
    }
    return SF_NONE;
}

static bool
has_extended(const struct node_state *node)
{
    return !node->is_told || node->can & (CAN_EXTENDED | CAN_EXTENDED_DATA);
}

/* The port that 'node' is asked for in this round, or SF_NONE. */
static uint32_t
asked_port(const struct reading *reading, uint32_t node)
{
    const struct sf_fabric *fabric = reading->job->fabric;

    if (reading->nodes[node].is_lost) {
        return SF_NONE;
    }
    if (reading->stage == ABILITIES) {
        return find_port(fabric, node);
    }
    uint32_t port = sf_fabric_port(fabric, node, reading->round / 2 + 1);
    bool is_extended = reading->round % 2;
    return port != SF_NONE && lid_of(fabric, port) &&
                   (!is_extended || has_extended(&reading->nodes[node]))
               ? port
               : SF_NONE;
}

static bool
next_question(void *aux, struct sf_mad *mad)
{
    struct reading *reading = aux;
    const struct sf_fabric *fabric = reading->job->fabric;

    for (; reading->round < reading->n_rounds;
         reading->round++, reading->node = 0) {
        if (reading->node == 0) {
            sf_progress_report("reading counters", reading->round,
                               reading->n_rounds);
        }
        while (reading->node < fabric->n_nodes) {
            uint32_t port = asked_port(reading, reading->node++);
            if (port == SF_NONE) {
                continue;
            }
            ib_portid_set(&mad->to, lid_of(fabric, port), 1,
                          (int)IB_DEFAULT_QP1_QKEY);
            mad->attribute = reading->stage == ABILITIES ? CLASS_PORT_INFO
                             : reading->round % 2 ? IB_GSI_PORT_COUNTERS_EXT
                                                  : IB_GSI_PORT_COUNTERS;
            mad_set_field(mad->data, 0, IB_PC_PORT_SELECT_F,
                          fabric->ports[port].number);
            mad->tags[0] = port;
            return true;
        }
    }
    return false;
}

static void
take_abilities(struct node_state *node, uint8_t *data)
{
    node->is_told = true;
    node->can = mad_get_field(data, 0, IB_CPI_CAPMASK_F);
    node->can2 = mad_get_field(data, 0, IB_CPI_CAPMASK2_F);
}

static bool
is_data(uint32_t counter)
{
    return counter == SF_COUNTER_XMIT_DATA || counter == SF_COUNTER_RCV_DATA;
}

static void
note(struct sf_port_counters *port, uint32_t counter, uint64_t value,
     uint64_t limit)
{
    uint32_t bit = 1u << counter;

    port->known |= bit;
    port->saturated = (port->saturated & ~bit) | (value >= limit ? bit : 0);
    /* Words of four bytes; what does not fit is at its limit anyway. */
    port->values[counter] = !is_data(counter)        ? value
                            : value > UINT64_MAX / 4 ? UINT64_MAX
                                                     : 4 * value;
}

static void
take_plain(const struct reading *reading, uint32_t i, uint8_t *data)
{
    struct sf_port_counters *port = &reading->job->counters[i];
    const struct node_state *node =
        &reading->nodes[reading->job->fabric->ports[i].node];

    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        bool is_there =
            fields[c].plain && !(reading->wide[i] >> c & 1) &&
            (c != SF_COUNTER_XMIT_WAIT || node->can & CAN_XMIT_WAIT);
        /* Bits of the field, not of what we make of it. */
        unsigned bits = is_data(c) ? 32 : sf_counter_kinds[c].bits;
        if (is_there) {
            note(port, c, mad_get_field(data, 0, fields[c].plain),
                 ((uint64_t)1 << bits) - 1);
        }
    }
    port->answer = SF_ANSWER_GIVEN;
}

static bool
is_extended(const struct node_state *node, uint32_t counter)
{
    switch (counter) {
    case SF_COUNTER_XMIT_DATA:
    case SF_COUNTER_RCV_DATA:
    case SF_COUNTER_XMIT_PACKETS:
    case SF_COUNTER_RCV_PACKETS:
        return true;
    case SF_COUNTER_UNICAST_XMIT_PACKETS:
    case SF_COUNTER_UNICAST_RCV_PACKETS:
    case SF_COUNTER_MULTICAST_XMIT_PACKETS:
    case SF_COUNTER_MULTICAST_RCV_PACKETS:
        return !(node->can & CAN_EXTENDED_DATA);
    default:
        return node->can2 & CAN2_EXTENDED_ERRORS;
    }
}

static void
take_extended(const struct reading *reading, uint32_t i, uint8_t *data)
{
    struct sf_port_counters *port = &reading->job->counters[i];
    const struct node_state *node =
        &reading->nodes[reading->job->fabric->ports[i].node];

    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        if (is_extended(node, c)) {
            reading->wide[i] |= 1u << c;
            note(port, c, mad_get_field64(data, 0, fields[c].extended),
                 UINT64_MAX);
        }
    }
}

static bool
take_answer(void *aux, const struct sf_mad *mad, uint8_t *data)
{
    struct reading *reading = aux;
    uint32_t i = mad->tags[0];
    struct sf_port_counters *port = &reading->job->counters[i];

    if (mad->attribute == CLASS_PORT_INFO) {
        if (data) {
            take_abilities(
                &reading->nodes[reading->job->fabric->ports[i].node], data);
        }
        return true;
    }
    if (data && mad->attribute == IB_GSI_PORT_COUNTERS_EXT) {
        take_extended(reading, i, data);
        port->at = sf_mads_now();
    } else if (data) {
        take_plain(reading, i, data);
        port->at = port->at > 0 ? port->at : sf_mads_now();
    } else if (mad->attribute == IB_GSI_PORT_COUNTERS) {
        port->answer = SF_ANSWER_REFUSED;
    }
    return true;
}

/* Gives up the node: whoever does not answer costs time. */
static void
lose_question(void *aux, const struct sf_mad *mad)
{
    struct reading *reading = aux;
    const struct sf_fabric *fabric = reading->job->fabric;
    const struct sf_node *node =
        &fabric->nodes[fabric->ports[mad->tags[0]].node];

    reading->nodes[fabric->ports[mad->tags[0]].node].is_lost = true;
    for (uint32_t i = 0; i < node->n_ports; i++) {
        struct sf_port_counters *port =
            &reading->job->counters[node->first_port + i];
        if (port->answer == SF_ANSWER_NOT_ASKED &&
            lid_of(fabric, node->first_port + i)) {
            port->answer = SF_ANSWER_NONE;
        }
    }
}

static uint32_t
most_ports(const struct sf_fabric *fabric)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        n = fabric->nodes[i].n_ports > n ? fabric->nodes[i].n_ports : n;
    }
    return n;
}

static bool
read_stages(struct reading *reading, struct sf_mads *mads)
{
    struct sf_mads_asker asker = { next_question, take_answer, lose_question,
                                   reading, true };
    const uint32_t n_rounds[N_STAGES] = {
        [ABILITIES] = 1,
        [COUNTERS] = 2 * most_ports(reading->job->fabric),
    };

    mads->timeout_ms = reading->job->params.timeout_ms;
    mads->n_tries = reading->job->params.n_tries;
    mads->deadline = sf_mads_now() + reading->job->params.timeout;
    for (reading->stage = ABILITIES; reading->stage < N_STAGES;
         reading->stage++) {
        reading->round = reading->node = 0;
        reading->n_rounds = n_rounds[reading->stage];
        if (!sf_mads_ask(mads, &asker)) {
            return false;
        }
    }
    return true;
}

int
sf_counters_child(const void *counters_job, FILE *unused)
{
    struct reading reading = { .job = counters_job };
    struct sf_mads mads;

    (void)unused;
    reading.nodes =
        sf_calloc(reading.job->fabric->n_nodes, sizeof *reading.nodes);
    reading.wide =
        sf_calloc(reading.job->fabric->n_ports, sizeof *reading.wide);
    int code =
        reading.nodes && reading.wide
            ? sf_mads_open(&mads, reading.job->port, IB_PERFORMANCE_CLASS)
            : 1;
    if (code == 0) {
        code = read_stages(&reading, &mads) ? 0 : 1;
        sf_mads_close(&mads);
    }
    free(reading.wide);
    free(reading.nodes);
    return code;
}

#else

int
sf_counters_child(const void *counters_job, FILE *unused)
{
    (void)counters_job;
    (void)unused;
    fputs("this slimfly was built without libibumad\n", stderr);
    return SF_LIVE_NO_DEVICE;
}

#endif
