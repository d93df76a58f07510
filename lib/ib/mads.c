/* mads.c -- see mads.h.  Questions are repeated and given up here, since the
 * kernel would do it by itself and a simulator does not at all. */
#include "ib/mads.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define TIMEOUT_MS 1000
#define N_TRIES    4

/* The kernel says that time is up; this is when nobody has said so. */
#define GRACE_MS 50

/* The number of a question: its serial number, which try it is, and its
 * slot. */
#define SLOT_BITS   4
#define TRY_BITS    4
#define SERIAL_BITS (32 - SLOT_BITS - TRY_BITS)
#define MAX_TRIES   (1u << TRY_BITS)

_Static_assert(SF_MADS_UNDER_WAY <= 1 << SLOT_BITS, "slots have numbers");

/* Room for one question under way. */
struct slot {
    bool is_busy;
    uint32_t serial, n_sent;
    double sent_at;
    struct sf_mad mad;
};

/* Questions and answers between an asker and the fabric. */
struct exchange {
    struct sf_mads *mads;
    const struct sf_mads_asker *asker;
    struct slot slots[SF_MADS_UNDER_WAY];
    uint32_t n_asked, n_under_way;
    bool has_more, is_failed;
    void *packet; /* What is sent or received at the moment. */
};

/* Says that 'port' is not there, and which devices are; the exit code. */
static int
say_no_port(const struct sf_live_port *port)
{
    char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
    int n_names = umad_get_cas_names(names, UMAD_MAX_DEVICES), n_devices = 0;
    umad_ca_t device;

    /* Where there is none, the library makes a name up. */
    for (int i = 0; i < n_names; i++) {
        if (umad_get_ca(names[i], &device) >= 0) {
            fprintf(stderr, "%s%s",
                    n_devices++ ? ", " : "InfiniBand devices: ", names[i]);
            umad_release_ca(&device);
        }
    }
    if (!n_devices) {
        fputs("this machine has no InfiniBand device\n", stderr);
    } else if (port->device[0]) {
        fprintf(stderr, "; expected one of them and one of its ports\n");
    } else {
        fputs("; none of their ports can be used\n", stderr);
        return 1; /* They may come up. */
    }
    return SF_LIVE_NO_DEVICE;
}

int
sf_mads_open(struct sf_mads *mads, const struct sf_live_port *port, int class)
{
    bool is_sa = class == IB_SA_CLASS;
    const char *device = port->device[0] ? port->device : NULL;

    mads->class = class;
    mads->timeout_ms = TIMEOUT_MS;
    mads->n_tries = N_TRIES;
    mads->deadline = 0;
    if (umad_init() < 0 ||
        umad_get_port(device, port->number, &mads->own) < 0) {
        return say_no_port(port);
    }
    mads->port = umad_open_port(device, port->number);
    mads->agent = mads->port < 0 ? -1
                                 : umad_register(mads->port, class,
                                                 is_sa ? 2 : 1, is_sa, NULL);
    if (mads->agent < 0) {
        fprintf(stderr,
                "the InfiniBand port %s:%d cannot be opened for questions; "
                "are you root?\n",
                mads->own.ca_name, mads->own.portnum);
        sf_mads_close(mads);
        return SF_LIVE_NO_DEVICE;
    }
    return 0;
}

void
sf_mads_close(struct sf_mads *mads)
{
    if (mads->agent >= 0) {
        umad_unregister(mads->port, mads->agent);
    }
    if (mads->port >= 0) {
        umad_close_port(mads->port);
    }
    umad_release_port(&mads->own);
    umad_done();
}

double
sf_mads_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int
data_offset(const struct exchange *exchange)
{
    _Static_assert(IB_PC_DATA_OFFS == IB_SMP_DATA_OFFS, "the same for both");
    return exchange->mads->class == IB_SA_CLASS ? IB_SA_DATA_OFFS
                                                : IB_SMP_DATA_OFFS;
}

static int
data_size(const struct exchange *exchange)
{
    switch (exchange->mads->class) {
    case IB_SA_CLASS:
        return IB_SA_DATA_SIZE;
    case IB_PERFORMANCE_CLASS:
        return IB_PC_DATA_SZ;
    default:
        return IB_SMP_DATA_SIZE;
    }
}

/* Sends the question of 'slot', for the first time or again. */
static bool
send_slot(struct exchange *exchange, struct slot *slot)
{
    bool has_data = exchange->mads->class != IB_SMI_DIRECT_CLASS;
    uint32_t place = (uint32_t)(slot - exchange->slots);
    unsigned timeout = exchange->mads->timeout_ms;
    ib_rpc_t rpc = {
        .mgtclass = exchange->mads->class,
        .method = IB_MAD_METHOD_GET,
        .attr = { slot->mad.attribute, slot->mad.modifier },
        .dataoffs = data_offset(exchange),
        .datasz = data_size(exchange),
        .mask = slot->mad.mask,
        .timeout = (int)timeout,
    };

    rpc.trid = slot->serial << (SLOT_BITS + TRY_BITS) |
               slot->n_sent << SLOT_BITS | place;
    memset(exchange->packet, 0, umad_size() + IB_MAD_SIZE);
    if (mad_build_pkt(exchange->packet, &rpc, &slot->mad.to, NULL,
                      has_data ? slot->mad.data : NULL) < 0 ||
        umad_send(exchange->mads->port, exchange->mads->agent,
                  exchange->packet, IB_MAD_SIZE, (int)timeout, 0) < 0) {
        fputs("a question to the fabric cannot be sent\n", stderr);
        return false;
    }
    slot->n_sent++;
    slot->sent_at = sf_mads_now();
    return true;
}

/* Sends the question that stands in 'slot' as a new one. */
static bool
begin_slot(struct exchange *exchange, struct slot *slot)
{
    slot->serial = ++exchange->n_asked & ((1u << SERIAL_BITS) - 1);
    slot->n_sent = 0;
    if (!send_slot(exchange, slot)) {
        return false;
    }
    slot->is_busy = true;
    exchange->n_under_way++;
    return true;
}

/* The slot whose question what was received belongs to; '*tryp' is which try
 * of it, from 0. */
static struct slot *
find_slot(struct exchange *exchange, uint8_t *mad, uint32_t *tryp)
{
    /* The upper half of the number is the kernel's. */
    uint32_t id = (uint32_t)mad_get_field64(mad, 0, IB_MAD_TRID_F);
    struct slot *slot = &exchange->slots[id % SF_MADS_UNDER_WAY];

    *tryp = id >> SLOT_BITS & (MAX_TRIES - 1);
    return slot->is_busy && slot->serial == id >> (SLOT_BITS + TRY_BITS)
               ? slot
               : NULL;
}

static bool
is_refused(const struct exchange *exchange, uint8_t *mad)
{
    return mad_get_field(mad, 0,
                         exchange->mads->class == IB_SMI_DIRECT_CLASS
                             ? IB_DRSMP_STATUS_F
                             : IB_MAD_STATUS_F);
}

static void
end_slot(struct exchange *exchange, struct slot *slot)
{
    slot->is_busy = false;
    exchange->n_under_way--;
}

/* The answer to 'slot' did not come in time: asks again, or gives up. */
static void
miss(struct exchange *exchange, struct slot *slot)
{
    unsigned n_tries = exchange->mads->n_tries;

    n_tries = n_tries < MAX_TRIES ? n_tries : MAX_TRIES;
    if (!exchange->is_failed && slot->n_sent < n_tries) {
        exchange->is_failed = !send_slot(exchange, slot);
        if (!exchange->is_failed) {
            return;
        }
    } else if (!exchange->is_failed) {
        exchange->asker->lose(exchange->asker->aux, &slot->mad);
        exchange->is_failed = !exchange->asker->goes_on;
    }
    end_slot(exchange, slot);
}

/* Milliseconds until an answer is overdue, at least 0. */
static int
find_wait(const struct exchange *exchange)
{
    double now = sf_mads_now(), first = now + 1e6;

    for (uint32_t i = 0; i < SF_MADS_UNDER_WAY; i++) {
        const struct slot *slot = &exchange->slots[i];
        if (slot->is_busy && slot->sent_at < first) {
            first = slot->sent_at;
        }
    }
    double left = first - now;
    left = left * 1000 + exchange->mads->timeout_ms + GRACE_MS;
    return left > 0 ? (int)left + 1 : 0;
}

/* Deals with answers that are overdue. */
static void
miss_overdue(struct exchange *exchange)
{
    double now = sf_mads_now();
    double patience = (exchange->mads->timeout_ms + GRACE_MS) / 1000.;

    for (uint32_t i = 0; i < SF_MADS_UNDER_WAY; i++) {
        struct slot *slot = &exchange->slots[i];
        if (slot->is_busy && now - slot->sent_at >= patience) {
            miss(exchange, slot);
        }
    }
}

/* Waits for an answer and hands it over. */
static void
receive(struct exchange *exchange)
{
    const struct sf_mads_asker *asker = exchange->asker;
    int length = IB_MAD_SIZE;
    uint32_t try;

    if (umad_recv(exchange->mads->port, exchange->packet, &length,
                  find_wait(exchange)) < 0) {
        miss_overdue(exchange);
        return;
    }
    uint8_t *mad = umad_get_mad(exchange->packet);
    struct slot *slot = find_slot(exchange, mad, &try);
    if (!slot) {
        return; /* An answer that came twice. */
    }
    if (umad_status(exchange->packet) != 0) {
        if (try + 1 == slot->n_sent) {
            miss(exchange, slot);
        }
        return;
    }
    end_slot(exchange, slot);
    if (!exchange->is_failed) {
        exchange->is_failed = !asker->take(
            asker->aux, &slot->mad,
            is_refused(exchange, mad) ? NULL : mad + data_offset(exchange));
    }
}

/* Whether there is one more question, and time for it. */
static bool
get_next(struct exchange *exchange, struct sf_mad *mad)
{
    double deadline = exchange->mads->deadline;

    if (deadline > 0 && sf_mads_now() > deadline) {
        return false;
    }
    *mad = (struct sf_mad){ 0 };
    return exchange->asker->next(exchange->asker->aux, mad);
}

/* Sends questions until there are no more of them or enough under way. */
static void
send_all(struct exchange *exchange)
{
    for (uint32_t i = 0; exchange->has_more && i < SF_MADS_UNDER_WAY; i++) {
        struct slot *slot = &exchange->slots[i];
        if (slot->is_busy) {
            continue;
        }
        exchange->has_more = get_next(exchange, &slot->mad);
        if (exchange->has_more && !begin_slot(exchange, slot)) {
            exchange->is_failed = true;
            return;
        }
    }
}

bool
sf_mads_ask(struct sf_mads *mads, const struct sf_mads_asker *asker)
{
    struct exchange exchange = { .mads = mads,
                                 .asker = asker,
                                 .has_more = true };

    exchange.packet = umad_alloc(1, umad_size() + IB_MAD_SIZE);
    if (!exchange.packet) {
        fputs("out of memory\n", stderr);
        return false;
    }
    /* What is under way comes in after a failure too: the library that joins
     * a simulator does not end before that. */
    do {
        if (!exchange.is_failed) {
            send_all(&exchange);
        }
        if (exchange.n_under_way) {
            receive(&exchange);
        }
    } while (exchange.n_under_way ||
             (exchange.has_more && !exchange.is_failed));
    umad_free(exchange.packet);
    return !exchange.is_failed;
}
