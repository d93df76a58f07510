#include "ib/mads.h"

#include <stdio.h>
#include <string.h>

#define TIMEOUT_MS 1000
#define RETRIES    3

/* The kernel gives up in good time by itself; a simulator does not. */
#define PATIENCE_MS (TIMEOUT_MS * (RETRIES + 2))

/* Room for one question under way. */
struct slot {
    bool is_busy;
    uint32_t id;
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

static int
data_offset(const struct exchange *exchange)
{
    return exchange->mads->class == IB_SA_CLASS ? IB_SA_DATA_OFFS
                                                : IB_SMP_DATA_OFFS;
}

/* Sends the question of 'slot'; its place is part of its number. */
static bool
send_slot(struct exchange *exchange, struct slot *slot)
{
    bool is_sa = exchange->mads->class == IB_SA_CLASS;
    size_t place = (size_t)(slot - exchange->slots);
    ib_rpc_t rpc = {
        .mgtclass = exchange->mads->class,
        .method = IB_MAD_METHOD_GET,
        .attr = { slot->mad.attribute, slot->mad.modifier },
        .dataoffs = data_offset(exchange),
        .datasz = is_sa ? IB_SA_DATA_SIZE : IB_SMP_DATA_SIZE,
        .mask = slot->mad.mask,
        .timeout = TIMEOUT_MS,
    };

    slot->id = ++exchange->n_asked * SF_MADS_UNDER_WAY + (uint32_t)place;
    rpc.trid = slot->id;
    memset(exchange->packet, 0, umad_size() + IB_MAD_SIZE);
    if (mad_build_pkt(exchange->packet, &rpc, &slot->mad.to, NULL,
                      is_sa ? slot->mad.data : NULL) < 0 ||
        umad_send(exchange->mads->port, exchange->mads->agent,
                  exchange->packet, IB_MAD_SIZE, TIMEOUT_MS, RETRIES) < 0) {
        return false;
    }
    slot->is_busy = true;
    exchange->n_under_way++;
    return true;
}

/* The slot whose question was answered by what was received. */
static struct slot *
find_slot(struct exchange *exchange, uint8_t *mad)
{
    /* The upper half of the number is the kernel's. */
    uint32_t id = (uint32_t)mad_get_field64(mad, 0, IB_MAD_TRID_F);
    struct slot *slot = &exchange->slots[id % SF_MADS_UNDER_WAY];

    return slot->is_busy && slot->id == id ? slot : NULL;
}

static bool
is_refused(const struct exchange *exchange, uint8_t *mad)
{
    return mad_get_field(mad, 0,
                         exchange->mads->class == IB_SA_CLASS
                             ? IB_MAD_STATUS_F
                             : IB_DRSMP_STATUS_F);
}

/* Gives up: 'slot' is lost, or whatever is under way if it is NULL. */
static void
lose(struct exchange *exchange, struct slot *slot)
{
    if (!slot) {
        for (slot = exchange->slots; !slot->is_busy;) {
            slot++;
        }
        exchange->n_under_way = 0; /* Nobody will answer the others either. */
    }
    if (!exchange->is_failed) {
        exchange->asker->lose(exchange->asker->aux, &slot->mad);
    }
    exchange->is_failed = true;
}

/* Waits for an answer and hands it over. */
static void
receive(struct exchange *exchange)
{
    const struct sf_mads_asker *asker = exchange->asker;
    int length = IB_MAD_SIZE;

    if (umad_recv(exchange->mads->port, exchange->packet, &length,
                  PATIENCE_MS) < 0) {
        lose(exchange, NULL);
        return;
    }
    uint8_t *mad = umad_get_mad(exchange->packet);
    struct slot *slot = find_slot(exchange, mad);
    if (!slot) {
        return; /* An answer that came twice. */
    }
    slot->is_busy = false;
    exchange->n_under_way--;
    if (umad_status(exchange->packet) != 0) {
        lose(exchange, slot);
    } else if (!exchange->is_failed) {
        exchange->is_failed = !asker->take(
            asker->aux, &slot->mad,
            is_refused(exchange, mad) ? NULL : mad + data_offset(exchange));
    }
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
        slot->mad = (struct sf_mad){ 0 };
        exchange->has_more =
            exchange->asker->next(exchange->asker->aux, &slot->mad);
        if (exchange->has_more && !send_slot(exchange, slot)) {
            fputs("a question to the fabric cannot be sent\n", stderr);
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
    } while (exchange.n_under_way);
    umad_free(exchange.packet);
    return !exchange.is_failed;
}
