#include "oracle/counters_oracle.h"

#include "slimfly/ib_addresses.h"

#include <string.h>

void
oracle_count(struct oracle_device *device, uint64_t n_events)
{
    for (uint64_t i = 0; i < n_events; i++) {
        device->n_events++;
        if (device->value < device->limit) {
            device->value++;
        }
    }
}

void
oracle_clear(struct oracle_device *device)
{
    device->value = 0;
}

enum sf_silence_state
oracle_silence(const char *past, uint32_t n_silent, uint32_t n_sweeps)
{
    char seen[256] = "";
    bool is_hole = false;
    uint32_t silent = 0;

    for (size_t i = 0; past[i]; i++) {
        if (past[i] == '?') {
            continue;
        }
        if (past[i] == 'D') {
            seen[0] = '\0';
            is_hole = false;
            silent = 0;
            continue;
        }
        size_t length = strlen(seen);
        seen[length] = past[i];
        seen[length + 1] = '\0';
        silent = 0;
        uint32_t answered = 0;
        for (size_t k = 0; k < n_sweeps && k <= length; k++) {
            silent += seen[length - k] == 'S';
            answered += seen[length - k] == 'A';
        }
        if (silent >= n_silent) {
            is_hole = true;
        } else if (answered >= n_silent) {
            is_hole = false;
        }
    }
    return is_hole  ? SF_SILENCE_BLACK_HOLE
           : silent ? SF_SILENCE_SUSPECT
                    : SF_SILENCE_FINE;
}

/* Whether 'port' is of a host that sends and receives. */
static bool
is_endpoint(const struct sf_fabric *fabric, uint32_t port)
{
    return fabric->ports[port].node >= fabric->n_switches &&
           fabric->ports[port].peer != SF_NONE &&
           sf_ib_port(fabric, port)->lid;
}

/* One packet from the host port 'from' to 'lid'. */
static void
send(const struct sf_fabric *fabric, const struct sf_tables *tables,
     uint32_t from, uint32_t lid, double size, double *loads)
{
    uint32_t port = from, n_hops = 0;

    while (port != SF_NONE && fabric->ports[port].peer != SF_NONE) {
        loads[port] += size;
        uint32_t at = fabric->ports[fabric->ports[port].peer].node;
        if (at >= fabric->n_switches || n_hops++ == fabric->n_switches) {
            return;
        }
        port = sf_fabric_port(fabric, at, sf_tables_of(tables, at)[lid]);
    }
}

void
oracle_loads(const struct sf_fabric *fabric, const struct sf_tables *tables,
             double *loads)
{
    double n_hosts = 0;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        loads[i] = 0;
        n_hosts += is_endpoint(fabric, i);
    }
    for (uint32_t from = 0; from < fabric->n_ports; from++) {
        for (uint32_t to = 0; to < fabric->n_ports; to++) {
            if (from == to || !is_endpoint(fabric, from) ||
                !is_endpoint(fabric, to)) {
                continue;
            }
            const struct sf_ib_port *address = sf_ib_port(fabric, to);
            uint32_t n_lids = 1u << address->lmc;
            for (uint32_t k = 0; k < n_lids; k++) {
                send(fabric, tables, from, address->lid + k,
                     1 / ((n_hosts - 1) * n_lids), loads);
            }
        }
    }
}
