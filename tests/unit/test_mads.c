/* Questions to a fabric, over a network that this test plays: answers that are
 * lost, late, doubled or refused, and devices that ibsim does not have.  The
 * functions of libibumad below take the place of the real ones. */
#include "base/mem.h"
#include "helpers.h"
#include "ib/counters_child.h"
#include "ib/mads.h"
#include "slimfly/ib_addresses.h"
#include "slimfly/lids.h"
#include "slimfly/random.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

/* What becomes of a packet. */
enum fate {
    ANSWERED,
    TWICE,   /* Answered twice. */
    LATE,    /* Answered after the next packet was sent. */
    DROPPED, /* Nobody says so. */
    EXPIRED, /* The kernel says so. */
    REFUSED,
    N_FATES,
};

/* A packet that is to be received. */
struct waiting {
    uint8_t mad[IB_MAD_SIZE];
    int status;
};

/* The network. */
static struct {
    enum fate (*find_fate)(uint32_t lid, uint32_t n_sent);
    void (*answer)(uint8_t *mad, uint32_t lid);
    uint32_t n_sent_to[512]; /* By LID. */
    struct waiting queue[256], late[256];
    size_t n_queued, n_late;
    uint32_t n_under_way, most_under_way;
} network;

int
umad_init(void)
{
    return 0;
}

int
umad_done(void)
{
    return 0;
}

int
umad_get_port(const char *name, int number, umad_port_t *port)
{
    (void)name;
    (void)number;
    memset(port, 0, sizeof *port);
    return 0;
}

int
umad_release_port(umad_port_t *port)
{
    (void)port;
    return 0;
}

int
umad_open_port(const char *name, int number)
{
    (void)name;
    (void)number;
    return 1;
}

int
umad_close_port(int port)
{
    (void)port;
    return 0;
}

int
umad_register(int port, int class, int version, uint8_t rmpp_version,
              long mask[16 / sizeof(long)])
{
    (void)port;
    (void)class;
    (void)version;
    (void)rmpp_version;
    (void)mask;
    return 1;
}

int
umad_unregister(int port, int agent)
{
    (void)port;
    (void)agent;
    return 0;
}

static void
queue(const struct waiting *packet)
{
    CHECK(network.n_queued < ARRAY_SIZE(network.queue));
    network.queue[network.n_queued++] = *packet;
}

int
umad_send(int port, int agent, void *umad, int length, int timeout,
          int retries)
{
    const struct ib_user_mad *sent = umad;
    uint32_t lid = be16toh(sent->addr.lid);
    struct waiting packet = { .status = 0 };

    (void)port;
    (void)agent;
    (void)timeout;
    CHECK_EQ(length, IB_MAD_SIZE);
    CHECK_EQ(retries, 0);
    CHECK(lid < ARRAY_SIZE(network.n_sent_to));
    memcpy(packet.mad, umad_get_mad(umad), IB_MAD_SIZE);
    enum fate fate = network.find_fate(lid, network.n_sent_to[lid]++);
    for (size_t i = 0; i < network.n_late; i++) {
        queue(&network.late[i]);
    }
    network.n_late = 0;
    if (fate == EXPIRED) {
        packet.status = ETIMEDOUT;
    } else if (fate == REFUSED) {
        mad_set_field(packet.mad, 0, IB_MAD_STATUS_F,
                      IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED);
    } else if (network.answer) {
        network.answer(packet.mad, lid);
    }
    if (fate == LATE) {
        CHECK(network.n_late < ARRAY_SIZE(network.late));
        network.late[network.n_late++] = packet;
    } else if (fate != DROPPED) {
        queue(&packet);
    }
    if (fate == TWICE) {
        queue(&packet);
    }
    return 0;
}

/* Never waits: who asks again soon will find that time has passed. */
int
umad_recv(int port, void *umad, int *length, int timeout)
{
    struct ib_user_mad *received = umad;

    (void)port;
    (void)timeout;
    CHECK_EQ(*length, IB_MAD_SIZE);
    if (!network.n_queued) {
        return -ETIMEDOUT;
    }
    received->status = (uint32_t)network.queue[0].status;
    memcpy(umad_get_mad(umad), network.queue[0].mad, IB_MAD_SIZE);
    memmove(network.queue, network.queue + 1,
            --network.n_queued * sizeof *network.queue);
    return 1;
}

/* Who asks each LID up to 'n' once. */
struct asking {
    uint32_t n, next;
    uint32_t n_taken[512], n_refused[512], n_lost[512];
    uint32_t stop_at; /* A LID whose answer is the end; 0: none. */
};

static bool
next_question(void *aux, struct sf_mad *mad)
{
    struct asking *asking = aux;

    if (asking->next == asking->n) {
        return false;
    }
    ib_portid_set(&mad->to, (int)++asking->next, 1, (int)IB_DEFAULT_QP1_QKEY);
    mad->attribute = IB_GSI_PORT_COUNTERS;
    mad->tags[0] = asking->next;
    network.n_under_way++;
    if (network.n_under_way > network.most_under_way) {
        network.most_under_way = network.n_under_way;
    }
    return true;
}

static bool
take_answer(void *aux, const struct sf_mad *mad, uint8_t *data)
{
    struct asking *asking = aux;

    network.n_under_way--;
    asking->n_taken[mad->tags[0]]++;
    asking->n_refused[mad->tags[0]] += !data;
    return mad->tags[0] != asking->stop_at;
}

static void
lose_question(void *aux, const struct sf_mad *mad)
{
    struct asking *asking = aux;

    network.n_under_way--;
    asking->n_lost[mad->tags[0]]++;
}

/* Fates that depend on LID and try alone. */
static enum fate
mixed_fate(uint32_t lid, uint32_t n_sent)
{
    struct sf_random random;
    sf_random_init(&random, lid, n_sent);
    return (enum fate)sf_random_below(&random, N_FATES);
}

static enum fate
always_dropped(uint32_t lid, uint32_t n_sent)
{
    (void)lid;
    (void)n_sent;
    return DROPPED;
}

static enum fate
always_answered(uint32_t lid, uint32_t n_sent)
{
    (void)lid;
    (void)n_sent;
    return ANSWERED;
}

static bool
ask(struct asking *asking, enum fate (*find_fate)(uint32_t, uint32_t),
    unsigned n_tries, bool goes_on, double deadline)
{
    struct sf_live_port port = { 0 };
    struct sf_mads mads;
    struct sf_mads_asker asker = { next_question, take_answer, lose_question,
                                   asking, goes_on };

    memset(&network, 0, sizeof network);
    network.find_fate = find_fate;
    CHECK_EQ(sf_mads_open(&mads, &port, IB_PERFORMANCE_CLASS), 0);
    mads.timeout_ms = 1;
    mads.n_tries = n_tries;
    mads.deadline = deadline;
    bool is_done = sf_mads_ask(&mads, &asker);
    sf_mads_close(&mads);
    return is_done;
}

/* Whether the answer to 'lid' comes in one of its tries; '*is_latep' whether
 * one may come late. */
static bool
is_answered(uint32_t lid, uint32_t n_tries, bool *is_latep)
{
    *is_latep = false;
    for (uint32_t i = 0; i < n_tries; i++) {
        enum fate fate = mixed_fate(lid, i);
        *is_latep = *is_latep || fate == LATE;
        if (fate != DROPPED && fate != EXPIRED && fate != LATE) {
            return true;
        }
    }
    return false;
}

TEST(mads_each_question_ends_once)
{
    struct asking asking = { .n = 400 };
    uint32_t n_lost = 0, n_refused = 0;

    CHECK(ask(&asking, mixed_fate, 3, true, 0));
    for (uint32_t lid = 1; lid <= asking.n; lid++) {
        bool is_late;
        bool is_expected = is_answered(lid, 3, &is_late);
        CHECK_EQ(asking.n_taken[lid] + asking.n_lost[lid], 1);
        CHECK(!is_expected || asking.n_taken[lid]);
        CHECK(is_expected || is_late || asking.n_lost[lid]);
        CHECK(network.n_sent_to[lid] <= 3);
        n_lost += asking.n_lost[lid];
        n_refused += asking.n_refused[lid];
    }
    CHECK(n_lost > 5 && n_refused > 30);
    CHECK_EQ(network.most_under_way, SF_MADS_UNDER_WAY);
}

TEST(mads_nobody_answers)
{
    struct asking asking = { .n = 40 };

    CHECK(ask(&asking, always_dropped, 2, true, 0));
    for (uint32_t lid = 1; lid <= asking.n; lid++) {
        CHECK_EQ(asking.n_lost[lid], 1);
        CHECK_EQ(network.n_sent_to[lid], 2);
    }
}

TEST(mads_a_loss_may_be_the_end)
{
    struct asking asking = { .n = 40 };
    uint32_t n_lost = 0;

    CHECK(!ask(&asking, always_dropped, 2, false, 0));
    for (uint32_t lid = 1; lid <= asking.n; lid++) {
        n_lost += asking.n_lost[lid];
    }
    CHECK_EQ(n_lost, 1);
    CHECK_EQ(asking.next, SF_MADS_UNDER_WAY);
}

TEST(mads_who_asks_may_end_it)
{
    struct asking asking = { .n = 400, .stop_at = 30 };

    CHECK(!ask(&asking, always_answered, 1, true, 0));
    CHECK(asking.next < 60);
}

TEST(mads_end_in_time)
{
    struct asking asking = { .n = 400 };

    CHECK(ask(&asking, always_dropped, 1, true, sf_mads_now() - 1));
    CHECK_EQ(asking.next, 0);
}

/* Devices: what they can, by LID. */
static uint32_t abilities[512];
#define OLD         0u /* 32 bits only. */
#define EXTENDED    (1u << 9)
#define NO_UNICAST  (1u << 10)
#define XMIT_WAIT   (1u << 12)
#define WIDE_ERRORS (1u << 31) /* Stands for the other mask. */

static void
answer_counters(uint8_t *mad, uint32_t lid)
{
    uint8_t *data = mad + IB_PC_DATA_OFFS;

    switch (mad_get_field(mad, 0, IB_MAD_ATTRID_F)) {
    case CLASS_PORT_INFO:
        mad_set_field(data, 0, IB_CPI_CAPMASK_F, abilities[lid] & 0xffff);
        mad_set_field(data, 0, IB_CPI_CAPMASK2_F,
                      abilities[lid] & WIDE_ERRORS ? 2 : 0);
        break;
    case IB_GSI_PORT_COUNTERS:
        mad_set_field(data, 0, IB_PC_ERR_SYM_F, 65535);
        mad_set_field(data, 0, IB_PC_LINK_DOWNED_F, 7);
        mad_set_field(data, 0, IB_PC_XMT_BYTES_F, 0xffffffff);
        mad_set_field(data, 0, IB_PC_RCV_BYTES_F, 100);
        mad_set_field(data, 0, IB_PC_XMT_WAIT_F, 5);
        break;
    default:
        mad_set_field64(data, 0, IB_PC_EXT_XMT_BYTES_F, 1ull << 40);
        mad_set_field64(data, 0, IB_PC_EXT_RCV_BYTES_F, UINT64_MAX);
        mad_set_field64(data, 0, IB_PC_EXT_XMT_UPKTS_F, 9);
        mad_set_field64(data, 0, IB_PC_EXT_ERR_SYM_F, 70000);
        mad_set_field64(data, 0, IB_PC_EXT_LINK_DOWNED_F, 7);
    }
}

/* Reads the counters of 'fabric'. */
static struct sf_counters *
read_counters(const struct sf_fabric *fabric,
              enum fate (*find_fate)(uint32_t, uint32_t))
{
    struct sf_live_port port = { 0 };
    struct sf_counters_job job = { &port, fabric, { 1, 2, 60 }, NULL };
    struct sf_counters *counters;

    memset(&network, 0, sizeof network);
    network.find_fate = find_fate;
    network.answer = answer_counters;
    CHECK_EQ(sf_counters_make(fabric, &counters, NULL), SF_OK);
    job.counters = counters->ports;
    CHECK_EQ(sf_counters_child(&job, NULL), 0);
    sf_counters_tally(counters);
    return counters;
}

static struct sf_fabric *
small_fabric(void)
{
    struct sf_topology *topo = build("hx2:2x3,p=1");
    struct sf_fabric *fabric;
    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_fabric_assign_lids(fabric, 0, NULL, NULL), SF_OK);
    sf_topology_free(topo);
    return fabric;
}

/* The LID by which port 'i' is asked. */
static uint32_t
lid_of(const struct sf_fabric *fabric, uint32_t i)
{
    uint32_t node = fabric->ports[i].node;
    return node < fabric->n_switches ? sf_ib_node(fabric, node)->lid
                                     : sf_ib_port(fabric, i)->lid;
}

TEST(counters_of_devices_of_all_kinds)
{
    static const uint32_t kinds[] = { OLD, EXTENDED, NO_UNICAST | XMIT_WAIT,
                                      EXTENDED | XMIT_WAIT | WIDE_ERRORS };
    struct sf_fabric *fabric = small_fabric();

    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        uint32_t lid = lid_of(fabric, fabric->nodes[i].first_port);
        abilities[lid] = kinds[i % ARRAY_SIZE(kinds)];
    }
    struct sf_counters *counters = read_counters(fabric, always_answered);
    CHECK_EQ(counters->n_by_answer[SF_ANSWER_GIVEN], fabric->n_ports);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port_counters *port = &counters->ports[i];
        uint32_t can = abilities[lid_of(fabric, i)];
        bool is_wide = can & (EXTENDED | NO_UNICAST);
        CHECK_EQ(port->values[SF_COUNTER_XMIT_DATA],
                 is_wide ? 4ull << 40 : 4ull * 0xffffffff);
        CHECK_EQ(port->saturated >> SF_COUNTER_XMIT_DATA & 1, !is_wide);
        CHECK_EQ(port->values[SF_COUNTER_RCV_DATA],
                 is_wide ? UINT64_MAX : 400);
        CHECK_EQ(port->saturated >> SF_COUNTER_RCV_DATA & 1, is_wide);
        CHECK_EQ(port->known >> SF_COUNTER_UNICAST_XMIT_PACKETS & 1,
                 (can & EXTENDED) != 0);
        bool has_wide_errors = can & WIDE_ERRORS;
        CHECK_EQ(port->values[SF_COUNTER_SYMBOL_ERRORS],
                 has_wide_errors ? 70000 : 65535);
        CHECK_EQ(port->saturated >> SF_COUNTER_SYMBOL_ERRORS & 1,
                 !has_wide_errors);
        CHECK_EQ(port->known >> SF_COUNTER_XMIT_WAIT & 1,
                 (can & XMIT_WAIT) != 0);
        CHECK_EQ(port->values[SF_COUNTER_LINK_DOWNED], 7);
        CHECK(port->at > 0);
    }
    sf_counters_free(counters);
    sf_fabric_free(fabric);
}

static uint32_t dead_lid;

static enum fate
one_is_dead(uint32_t lid, uint32_t n_sent)
{
    (void)n_sent;
    return lid == dead_lid ? DROPPED : ANSWERED;
}

TEST(counters_of_a_dead_node_cost_two_questions)
{
    struct sf_fabric *fabric = small_fabric();

    dead_lid = sf_ib_node(fabric, 2)->lid;
    struct sf_counters *counters = read_counters(fabric, one_is_dead);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        CHECK_EQ(counters->ports[i].answer, fabric->ports[i].node == 2
                                                ? SF_ANSWER_NONE
                                                : SF_ANSWER_GIVEN);
    }
    /* One question, asked twice. */
    CHECK_EQ(network.n_sent_to[dead_lid], 2);
    sf_counters_free(counters);
    sf_fabric_free(fabric);
}

static enum fate
one_refuses(uint32_t lid, uint32_t n_sent)
{
    (void)n_sent;
    return lid == dead_lid ? REFUSED : ANSWERED;
}

TEST(counters_that_are_refused)
{
    struct sf_fabric *fabric = small_fabric();

    dead_lid = sf_ib_node(fabric, 1)->lid;
    struct sf_counters *counters = read_counters(fabric, one_refuses);
    CHECK_EQ(counters->n_by_answer[SF_ANSWER_REFUSED],
             fabric->nodes[1].n_ports);
    sf_counters_free(counters);
    sf_fabric_free(fabric);
}
