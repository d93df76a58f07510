/* lane_waits.c -- which channels packets hold and which they wait for: free of
 * deadlock if there is no circle. */
#include "ip/audit/held.h"

#include <string.h>

bool
sf_ip_waits_make(struct sf_ip_waits *waits, const struct sf_ip_held *held)
{
    const struct sf_fabric *fabric = held->fabric;

    *waits = (struct sf_ip_waits){ .held = held };
    for (uint32_t mark = 0; mark < SF_IP_MARKS; mark++) {
        bool is_used = false;
        for (uint32_t s = 0; s < fabric->n_switches; s++) {
            is_used |= held->marks[s].is_there && held->marks[s].is_lane[mark];
        }
        waits->number[mark] = (uint8_t)waits->n_marks;
        waits->n_marks += is_used && waits->n_marks < 15;
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        if (fabric->nodes[s].n_ports + 1 > waits->side) {
            waits->side = fabric->nodes[s].n_ports + 1;
        }
    }
    waits->next = sf_calloc((size_t)fabric->n_ports * waits->n_marks,
                            waits->side * sizeof *waits->next);
    return waits->next;
}

void
sf_ip_waits_clear(struct sf_ip_waits *waits)
{
    free(waits->next);
    waits->next = NULL;
}

void
sf_ip_waits_add(struct sf_ip_waits *waits, uint32_t from, uint8_t mark,
                uint32_t out, uint8_t next)
{
    size_t channel = (size_t)from * waits->n_marks + waits->number[mark];

    waits->next[channel * waits->side + out] |=
        (uint16_t)(1u << waits->number[next]);
}

/* What is done with the channels after one. */
struct judge {
    const struct sf_ip_waits *waits;
    uint32_t *n_before; /* [channels] That are left. */
    uint32_t *ready;
    size_t n_ready;
};

/* The channel that leaves switch 's' by 'out' with mark number 'mark'. */
static size_t
channel_of(const struct sf_ip_waits *waits, uint32_t s, uint32_t out,
           uint32_t mark)
{
    return ((size_t)waits->held->fabric->nodes[s].first_port + out - 1) *
               waits->n_marks +
           mark;
}

/* Counts the channels after 'channel' up, or down again, in which case those
 * that nothing is before any more become ready. */
static void
count(struct judge *judge, size_t channel, bool is_down)
{
    const struct sf_ip_waits *waits = judge->waits;
    const struct sf_fabric *fabric = waits->held->fabric;
    uint32_t peer = fabric->ports[channel / waits->n_marks].peer;

    if (peer == SF_NONE || fabric->ports[peer].node >= fabric->n_switches) {
        return;
    }
    uint32_t s = fabric->ports[peer].node;
    for (uint32_t out = 1; out <= fabric->nodes[s].n_ports; out++) {
        uint16_t marks = waits->next[channel * waits->side + out];
        for (uint32_t mark = 0; marks >> mark; mark++) {
            if (!(marks >> mark & 1)) {
                continue;
            }
            size_t after = channel_of(waits, s, out, mark);
            if (!is_down) {
                judge->n_before[after]++;
            } else if (--judge->n_before[after] == 0) {
                judge->ready[judge->n_ready++] = (uint32_t)after;
            }
        }
    }
}

/* A channel after 'channel' of which something is before; SF_NONE: none. */
static uint32_t
follow(const struct judge *judge, size_t channel)
{
    const struct sf_ip_waits *waits = judge->waits;
    const struct sf_fabric *fabric = waits->held->fabric;
    uint32_t peer = fabric->ports[channel / waits->n_marks].peer;

    if (peer == SF_NONE || fabric->ports[peer].node >= fabric->n_switches) {
        return SF_NONE;
    }
    uint32_t s = fabric->ports[peer].node;
    for (uint32_t out = 1; out <= fabric->nodes[s].n_ports; out++) {
        uint16_t marks = waits->next[channel * waits->side + out];
        for (uint32_t mark = 0; marks >> mark; mark++) {
            size_t after = channel_of(waits, s, out, mark);
            if (marks >> mark & 1 && judge->n_before[after]) {
                return (uint32_t)after;
            }
        }
    }
    return SF_NONE;
}

/* Writes a circle among the channels that are left. */
static void
write_cycle(struct judge *judge, size_t n_channels, char *cycle)
{
    const struct sf_ip_waits *waits = judge->waits;
    const struct sf_ip_held *held = waits->held;
    bool is_changed = true;
    size_t at = 0, n = 0;

    /* What leads out of all circles goes, too. */
    while (is_changed) {
        is_changed = false;
        for (size_t i = 0; i < n_channels; i++) {
            if (judge->n_before[i] && follow(judge, i) == SF_NONE) {
                judge->n_before[i] = 0;
                is_changed = true;
            }
        }
    }
    while (at < n_channels && !judge->n_before[at]) {
        at++;
    }
    /* After so many steps it is on a circle. */
    for (size_t i = 0; i < n_channels && at < n_channels; i++) {
        at = follow(judge, at);
    }
    for (size_t i = at; at < n_channels && (n == 0 || i != at);
         i = follow(judge, i)) {
        const struct sf_port *port = &held->fabric->ports[i / waits->n_marks];
        char name[SF_PORT_NAME_SIZE];
        size_t used = strlen(cycle);
        n++;
        (void)snprintf(cycle + used, 512 - used, "%s%s %s lane %zu",
                       n > 1 ? ", " : "", held->names->names[port->node],
                       sf_port_name(&held->switch_ports, port->number, name),
                       i % waits->n_marks);
    }
}

enum sf_status
sf_ip_waits_judge(const struct sf_ip_waits *waits,
                  enum sf_ip_verdict *verdictp, char *cycle,
                  struct sf_error *err)
{
    size_t n = (size_t)waits->held->fabric->n_ports * waits->n_marks;
    struct judge judge = { .waits = waits };

    judge.n_before = sf_calloc(n, sizeof *judge.n_before);
    judge.ready = sf_calloc(n, sizeof *judge.ready);
    if (!judge.n_before || !judge.ready) {
        free(judge.n_before);
        free(judge.ready);
        return sf_fail(err, SF_ENOMEM, "out of memory for lanes");
    }
    for (size_t i = 0; i < n; i++) {
        count(&judge, i, false);
    }
    for (size_t i = 0; i < n; i++) {
        if (judge.n_before[i] == 0) {
            judge.ready[judge.n_ready++] = (uint32_t)i;
        }
    }
    for (size_t i = 0; i < judge.n_ready; i++) {
        count(&judge, judge.ready[i], true);
    }
    *verdictp = judge.n_ready == n ? SF_IP_SAFE : SF_IP_DEADLOCK;
    if (*verdictp == SF_IP_DEADLOCK) {
        write_cycle(&judge, n, cycle);
    }
    free(judge.n_before);
    free(judge.ready);
    return SF_OK;
}
