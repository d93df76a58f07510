#define _GNU_SOURCE
#include "ip/lab/ways.h"

#include "base/mem.h"

#include <stdlib.h>

static void
mark(const struct sf_fabric *fabric, const bool *runs,
     struct sf_lab_down *down)
{
    for (uint32_t p = 0; p < fabric->n_ports; p++) {
        const struct sf_port *port = &fabric->ports[p];
        if (port->node < fabric->n_switches && port->peer != SF_NONE) {
            bool is_down = !runs[p] || !runs[port->peer];
            down->is_down[port->node * SF_LAB_N_NUMBERS + port->number] =
                is_down;
            down->n_links += is_down && port->peer > p;
        }
    }
}

enum sf_status
sf_lab_look_down(struct sf_lab *lab, struct sf_lab_down *down,
                 struct sf_error *err)
{
    const struct sf_fabric *fabric = lab->network->fabric;
    bool *runs = sf_calloc(fabric->n_ports, sizeof *runs);

    *down = (struct sf_lab_down){
        .is_down = sf_calloc((size_t)fabric->n_switches * SF_LAB_N_NUMBERS,
                             sizeof *down->is_down)
    };
    enum sf_status status =
        runs && down->is_down ? sf_lab_look_all_links(lab, runs, err)
                              : sf_fail(err, SF_ENOMEM, "the ports of a lab");
    if (status == SF_OK) {
        mark(fabric, runs, down);
    } else {
        sf_lab_down_clear(down);
    }
    free(runs);
    return status;
}

void
sf_lab_down_clear(struct sf_lab_down *down)
{
    free(down->is_down);
    *down = (struct sf_lab_down){ 0 };
}

bool
sf_lab_has_link(const struct sf_lab *lab, const struct sf_lab_down *down,
                uint32_t host)
{
    struct sf_ip_place place = sf_ip_host_place(lab->network, host);

    return !down->is_down[place.s * SF_LAB_N_NUMBERS + place.port];
}

/* Whether a way has come over 's' before.  Packets remember nothing, so then
 * it goes round. */
static bool
has_been_at(const struct sf_lab_way *way, uint32_t s)
{
    for (uint32_t i = 0; i < way->n; i++) {
        if (way->switches[i] == s) {
            return true;
        }
    }
    return false;
}

void
sf_lab_follow(const struct sf_lab *lab, const struct sf_lab_down *down,
              uint32_t sender, uint32_t target, uint32_t layer,
              struct sf_lab_way *way)
{
    struct sf_ip_place to = sf_ip_host_place(lab->network, target);
    uint32_t s = sf_lab_has_link(lab, down, sender)
                     ? sf_ip_host_place(lab->network, sender).s
                     : SF_NONE;

    to.layer = layer;
    way->n = 0;
    way->arrives = false;
    way->circle = SF_NONE;
    while (s != SF_NONE && way->n < SF_MAX_PATH_ARCS) {
        if (has_been_at(way, s)) {
            way->circle = s;
            break;
        }
        const struct sf_ip_route *route = sf_ip_look_up(
            lab->tables, s, to, down->is_down + (size_t)s * SF_LAB_N_NUMBERS);
        way->switches[way->n] = s;
        way->ports[way->n++] =
            route && route->out
                ? sf_fabric_port(lab->network->fabric, s, route->out)
                : SF_NONE;
        way->arrives = route && route->kind == SF_IP_LOCAL;
        s = route && !way->arrives ? route->neighbour : SF_NONE;
    }
}
