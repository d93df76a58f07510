/* counter_loads.c -- what tables lead over each link if traffic is uniform. */
#include "base/mem.h"
#include "slimfly/counter_findings.h"
#include "slimfly/ib_addresses.h"

#include <string.h>

/* Who sends, and what was sent so far. */
struct flood {
    const struct sf_fabric *fabric;
    const struct sf_tables *tables;
    uint32_t *n_senders; /* [n_switches] Ports of hosts on each. */
    double *loads;
};

/* Whether 'port' is one of a host, has a LID and is plugged into a switch. */
static bool
is_host_port(const struct sf_fabric *fabric, uint32_t port)
{
    uint32_t peer = fabric->ports[port].peer;
    return fabric->ports[port].node >= fabric->n_switches && peer != SF_NONE &&
           fabric->ports[peer].node < fabric->n_switches &&
           sf_ib_port(fabric, port)->lid;
}

static uint32_t
home_of(const struct sf_fabric *fabric, uint32_t port)
{
    return fabric->ports[fabric->ports[port].peer].node;
}

/* Lets 'amount' flow from switch 's' to 'lid', as far as it gets. */
static void
follow(const struct flood *flood, uint32_t s, uint32_t lid, double amount)
{
    const struct sf_fabric *fabric = flood->fabric;

    /* Nothing sound passes a switch twice. */
    for (uint32_t n = 0; s < fabric->n_switches && n < fabric->n_switches;
         n++) {
        uint32_t port =
            sf_fabric_port(fabric, s, sf_tables_of(flood->tables, s)[lid]);
        if (port == SF_NONE || fabric->ports[port].peer == SF_NONE) {
            return;
        }
        flood->loads[port] += amount;
        s = fabric->ports[fabric->ports[port].peer].node;
    }
}

/* Lets all others send to the addresses of the host port 'port', of which
 * there are 'n_hosts'. */
static void
flood_host(const struct flood *flood, uint32_t port, uint32_t n_hosts)
{
    const struct sf_ib_port *address = sf_ib_port(flood->fabric, port);
    uint32_t n_lids = 1u << address->lmc;
    uint32_t home = home_of(flood->fabric, port);

    for (uint32_t k = 0; k < n_lids; k++) {
        uint32_t lid = address->lid + k;
        for (uint32_t s = 0;
             lid <= flood->tables->max_lid && s < flood->fabric->n_switches;
             s++) {
            uint32_t n = flood->n_senders[s] - (s == home);
            if (n) {
                follow(flood, s, lid,
                       (double)n / ((double)n_lids * (n_hosts - 1)));
            }
        }
    }
}

enum sf_status
sf_table_loads(const struct sf_fabric *fabric, const struct sf_tables *tables,
               double *loads, struct sf_error *err)
{
    struct flood flood = { fabric, tables, NULL, loads };
    uint32_t n_hosts = 0;

    if (tables->n_switches != fabric->n_switches) {
        return sf_fail(err, SF_EINVAL,
                       "the tables are of %u switches, and the fabric has %u",
                       tables->n_switches, fabric->n_switches);
    }
    flood.n_senders = sf_calloc(fabric->n_switches, sizeof *flood.n_senders);
    if (!flood.n_senders) {
        return sf_fail(err, SF_ENOMEM, "out of memory for loads");
    }
    memset(loads, 0, fabric->n_ports * sizeof *loads);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        if (is_host_port(fabric, i)) {
            flood.n_senders[home_of(fabric, i)]++;
            loads[i] = 1;
            n_hosts++;
        }
    }
    for (uint32_t i = 0; n_hosts > 1 && i < fabric->n_ports; i++) {
        if (is_host_port(fabric, i)) {
            flood_host(&flood, i, n_hosts);
        }
    }
    free(flood.n_senders);
    return SF_OK;
}
