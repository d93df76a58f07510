#include "sim/messages.h"

#include "base/mem.h"

struct flow {
    struct sf_message message;
    struct sf_message_state state;
    uint32_t route; /* The next one. */
    uint32_t next;  /* In the ring of those of its host that may send. */
};

struct sf_messages {
    struct sf_packet_sim *sim;
    uint32_t n_flows, n_left;
    struct flow *flows; /* [n_flows] */
    uint32_t *last;     /* [hosts] The last of the ring, whose next is the
                         * first; SF_NONE if it is empty. */
};

static bool
may_send(const struct flow *flow)
{
    return flow->state.n_sent < flow->message.n_packets &&
           flow->state.n_sent - flow->state.n_delivered < flow->message.window;
}

static void
ring_append(struct sf_messages *messages, uint32_t number)
{
    struct flow *flow = &messages->flows[number];
    uint32_t *last = &messages->last[flow->message.host];

    if (*last == SF_NONE) {
        flow->next = number;
    } else {
        flow->next = messages->flows[*last].next;
        messages->flows[*last].next = number;
    }
    *last = number;
}

/* Takes the flow after 'before' out of its ring. */
static void
ring_remove_after(struct sf_messages *messages, uint32_t before)
{
    uint32_t number = messages->flows[before].next;
    struct flow *flow = &messages->flows[number];
    uint32_t *last = &messages->last[flow->message.host];

    messages->flows[before].next = flow->next;
    if (*last == number) {
        *last = number == before ? SF_NONE : before;
    }
}

static void
send_of(struct flow *flow, uint64_t now, struct sf_sim_offer *offer)
{
    offer->route = flow->message.routes[flow->route];
    offer->born = now;
    flow->state.n_sent++;
    if (++flow->route == flow->message.n_routes) {
        flow->route = 0;
    }
}

/* The feeder's next(): packet.h. */
static bool
next_packet(void *context, uint32_t host, uint64_t now, uint32_t vls,
            struct sf_sim_offer *offer)
{
    struct sf_messages *messages = context;
    uint32_t last = messages->last[host];

    if (last == SF_NONE) {
        return false;
    }
    uint32_t before = last;
    do {
        uint32_t number = messages->flows[before].next;
        struct flow *flow = &messages->flows[number];
        if (vls >> sf_sim_first_vl(&flow->message.routes[flow->route]) & 1) {
            send_of(flow, now, offer);
            offer->tag = number;
            ring_remove_after(messages, before);
            if (may_send(flow)) {
                ring_append(messages, number);
            }
            return true;
        }
        before = number;
    } while (before != last);
    return false;
}

/* The feeder's delivered(): packet.h. */
static void
note_delivery(void *context, uint32_t tag, uint64_t latency)
{
    struct sf_messages *messages = context;
    struct flow *flow = &messages->flows[tag];
    bool could_send = may_send(flow);

    (void)latency;
    flow->state.n_delivered++;
    if (flow->state.n_delivered == flow->message.n_packets) {
        flow->state.finished = sf_packet_sim_slot(messages->sim);
        messages->n_left--;
    }
    if (!could_send && may_send(flow)) {
        ring_append(messages, tag);
        sf_packet_sim_wake(messages->sim, flow->message.host);
    }
}

static void
set_up_flows(struct sf_messages *messages, const struct sf_message *given,
             uint32_t n_hosts)
{
    for (uint32_t i = 0; i < n_hosts; i++) {
        messages->last[i] = SF_NONE;
    }
    for (uint32_t i = 0; i < messages->n_flows; i++) {
        struct flow *flow = &messages->flows[i];
        flow->message = given[i];
        flow->state.finished = SF_NONE;
        if (may_send(flow)) {
            ring_append(messages, i);
            messages->n_left++;
        }
    }
}

static enum sf_status
check_messages(const struct sf_message *given, uint32_t n, uint32_t n_hosts,
               struct sf_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        if (given[i].host >= n_hosts || given[i].n_routes == 0 ||
            given[i].window == 0) {
            return sf_fail(err, SF_EINVAL,
                           "message %u from host %u of %u with %u routes and "
                           "a window of %u",
                           i, given[i].host, n_hosts, given[i].n_routes,
                           given[i].window);
        }
    }
    return SF_OK;
}

enum sf_status
sf_messages_build(struct sf_packet_sim *sim, const struct sf_message *given,
                  uint32_t n_messages, struct sf_messages **messagesp,
                  struct sf_error *err)
{
    uint32_t n_hosts = sf_packet_sim_n_hosts(sim);

    *messagesp = NULL;
    enum sf_status status = check_messages(given, n_messages, n_hosts, err);
    if (status != SF_OK) {
        return status;
    }
    struct sf_messages *messages = sf_calloc(1, sizeof *messages);
    if (messages) {
        messages->sim = sim;
        messages->n_flows = n_messages;
        messages->flows = sf_calloc(n_messages, sizeof *messages->flows);
        messages->last = sf_calloc(n_hosts, sizeof *messages->last);
    }
    if (!messages || !messages->flows || !messages->last) {
        sf_messages_free(messages);
        return sf_fail(err, SF_ENOMEM, "%u messages", n_messages);
    }
    set_up_flows(messages, given, n_hosts);
    struct sf_sim_feeder feeder = { messages, next_packet, note_delivery };
    status = sf_packet_sim_feed(sim, &feeder, err);
    if (status != SF_OK) {
        sf_messages_free(messages);
        return status;
    }
    *messagesp = messages;
    return SF_OK;
}

void
sf_messages_free(struct sf_messages *messages)
{
    if (messages) {
        free(messages->last);
        free(messages->flows);
        free(messages);
    }
}

struct sf_message_state
sf_messages_state(const struct sf_messages *messages, uint32_t message)
{
    return messages->flows[message].state;
}

uint32_t
sf_messages_n_left(const struct sf_messages *messages)
{
    return messages->n_left;
}
