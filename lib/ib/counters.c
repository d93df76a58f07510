/* counters.c -- readings of counters, and what two of them tell. */
#include "slimfly/counters.h"

#include "base/mem.h"

#include <string.h>

const struct sf_counter_kind sf_counter_kinds[SF_N_COUNTERS] = {
    [SF_COUNTER_XMIT_DATA] = { "PortXmitBytes", "transmit_data_bytes", 34 },
    [SF_COUNTER_RCV_DATA] = { "PortRcvBytes", "receive_data_bytes", 34 },
    [SF_COUNTER_XMIT_PACKETS] = { "PortXmitPkts", "transmit_packets", 32 },
    [SF_COUNTER_RCV_PACKETS] = { "PortRcvPkts", "receive_packets", 32 },
    [SF_COUNTER_UNICAST_XMIT_PACKETS] = { "PortUnicastXmitPkts",
                                          "unicast_transmit_packets", 64 },
    [SF_COUNTER_UNICAST_RCV_PACKETS] = { "PortUnicastRcvPkts",
                                         "unicast_receive_packets", 64 },
    [SF_COUNTER_MULTICAST_XMIT_PACKETS] = { "PortMulticastXmitPkts",
                                            "multicast_transmit_packets", 64 },
    [SF_COUNTER_MULTICAST_RCV_PACKETS] = { "PortMulticastRcvPkts",
                                           "multicast_receive_packets", 64 },
    [SF_COUNTER_XMIT_WAIT] = { "PortXmitWait", "transmit_wait", 32 },
    [SF_COUNTER_SYMBOL_ERRORS] = { "SymbolErrorCounter", "symbol_error", 16 },
    [SF_COUNTER_LINK_RECOVERIES] = { "LinkErrorRecoveryCounter",
                                     "link_error_recovery", 8 },
    [SF_COUNTER_LINK_DOWNED] = { "LinkDownedCounter", "link_downed", 8 },
    [SF_COUNTER_RCV_ERRORS] = { "PortRcvErrors", "receive_errors", 16 },
    [SF_COUNTER_RCV_REMOTE_ERRORS] = { "PortRcvRemotePhysicalErrors",
                                       "receive_remote_physical_errors", 16 },
    [SF_COUNTER_RCV_RELAY_ERRORS] = { "PortRcvSwitchRelayErrors",
                                      "receive_switch_relay_errors", 16 },
    [SF_COUNTER_XMIT_DISCARDS] = { "PortXmitDiscards", "transmit_discards",
                                   16 },
    [SF_COUNTER_XMIT_CONSTRAINT_ERRORS] = { "PortXmitConstraintErrors",
                                            "transmit_constraint_errors", 8 },
    [SF_COUNTER_RCV_CONSTRAINT_ERRORS] = { "PortRcvConstraintErrors",
                                           "receive_constraint_errors", 8 },
    [SF_COUNTER_INTEGRITY_ERRORS] = { "LocalLinkIntegrityErrors",
                                      "local_link_integrity_errors", 4 },
    [SF_COUNTER_OVERRUN_ERRORS] = { "ExcessiveBufferOverrunErrors",
                                    "excessive_buffer_overrun_errors", 4 },
    [SF_COUNTER_VL15_DROPPED] = { "VL15Dropped", "vl15_dropped", 16 },
};

enum sf_counter
sf_counter_find(const char *name)
{
    uint32_t i = 0;

    while (i < SF_N_COUNTERS && strcmp(name, sf_counter_kinds[i].name) != 0) {
        i++;
    }
    return (enum sf_counter)i;
}

enum sf_status
sf_counters_make(const struct sf_fabric *fabric,
                 struct sf_counters **countersp, struct sf_error *err)
{
    struct sf_counters *counters = sf_calloc(1, sizeof *counters);

    *countersp = NULL;
    if (counters) {
        counters->ports = sf_calloc(fabric->n_ports, sizeof *counters->ports);
    }
    if (!counters || !counters->ports) {
        sf_counters_free(counters);
        return sf_fail(err, SF_ENOMEM, "out of memory for counters");
    }
    counters->n_ports = fabric->n_ports;
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        counters->ports[i].guid = fabric->nodes[fabric->ports[i].node].guid;
        counters->ports[i].number = fabric->ports[i].number;
    }
    sf_counters_tally(counters);
    *countersp = counters;
    return SF_OK;
}

void
sf_counters_tally(struct sf_counters *counters)
{
    memset(counters->n_by_answer, 0, sizeof counters->n_by_answer);
    for (uint32_t i = 0; i < counters->n_ports; i++) {
        counters->n_by_answer[counters->ports[i].answer]++;
    }
}

void
sf_counters_free(struct sf_counters *counters)
{
    if (counters) {
        free(counters->ports);
        free(counters);
    }
}

static int
compare_ports(const struct sf_port_counters *a,
              const struct sf_port_counters *b)
{
    return a->guid != b->guid
               ? (a->guid > b->guid) - (a->guid < b->guid)
               : (a->number > b->number) - (a->number < b->number);
}

static int
compare_port_pointers(const void *a, const void *b)
{
    return compare_ports(*(const struct sf_port_counters *const *)a,
                         *(const struct sf_port_counters *const *)b);
}

/* The ports of 'counters' in the order of GUIDs and numbers; NULL if memory
 * ran out. */
static const struct sf_port_counters **
sort_ports(const struct sf_counters *counters)
{
    const struct sf_port_counters **sorted =
        sf_calloc(counters->n_ports, sizeof *sorted);

    if (!sorted) {
        return NULL;
    }
    for (uint32_t i = 0; i < counters->n_ports; i++) {
        sorted[i] = &counters->ports[i];
    }
    qsort((void *)sorted, counters->n_ports, sizeof *sorted,
          compare_port_pointers);
    return sorted;
}

static void
compare_values(const struct sf_port_counters *before,
               const struct sf_port_counters *after,
               struct sf_port_growth *growth)
{
    if (before->answer != SF_ANSWER_GIVEN ||
        after->answer != SF_ANSWER_GIVEN || !(after->at > before->at)) {
        return;
    }
    growth->seconds = after->at - before->at;
    growth->known = before->known & after->known;
    growth->at_least = after->saturated & growth->known;
    for (uint32_t i = 0; i < SF_N_COUNTERS; i++) {
        uint64_t was = before->values[i], is = after->values[i];
        uint32_t bit = 1u << i;
        if (!(growth->known & bit)) {
            continue;
        }
        if (is < was) {
            growth->reset |= bit;
            growth->at_least |= bit;
        }
        growth->grown[i] = is < was ? is : is - was;
    }
}

enum sf_status
sf_counters_compare(const struct sf_counters *before,
                    const struct sf_counters *after,
                    struct sf_growths **growthsp, struct sf_error *err)
{
    const struct sf_port_counters **sorted = sort_ports(before);
    struct sf_growths *growths = sf_calloc(1, sizeof *growths);

    *growthsp = NULL;
    if (growths) {
        growths->ports = sf_calloc(after->n_ports, sizeof *growths->ports);
    }
    if (!sorted || !growths || !growths->ports) {
        free((void *)sorted);
        sf_growths_free(growths);
        return sf_fail(err, SF_ENOMEM, "out of memory for counters");
    }
    growths->n_ports = after->n_ports;
    for (uint32_t i = 0; i < after->n_ports; i++) {
        const struct sf_port_counters *key = &after->ports[i];
        const struct sf_port_counters **was =
            bsearch((void *)&key, (void *)sorted, before->n_ports,
                    sizeof *sorted, compare_port_pointers);
        if (was) {
            compare_values(*was, key, &growths->ports[i]);
        }
        growths->n_resets += growths->ports[i].reset != 0;
    }
    free((void *)sorted);
    *growthsp = growths;
    return SF_OK;
}

void
sf_growths_free(struct sf_growths *growths)
{
    if (growths) {
        free(growths->ports);
        free(growths);
    }
}

double
sf_growth_rate(const struct sf_port_growth *growth, enum sf_counter counter)
{
    return growth->seconds > 0 && growth->known >> counter & 1
               ? (double)growth->grown[counter] / growth->seconds
               : 0;
}

double
sf_rate_bytes(const char *rate)
{
    /* Gigabits a second of one lane, after the line code. */
    static const struct {
        const char *name;
        double gigabits;
    } speeds[] = {
        { "SDR", 2 },    { "DDR", 4 },     { "QDR", 8 },
        { "FDR10", 10 }, { "FDR", 13.64 }, { "EDR", 25 },
        { "HDR", 50 },   { "NDR", 100 },   { "XDR", 200 },
    };
    const char *x = strchr(rate, 'x');
    int lanes = 0;

    for (const char *c = rate; x && c < x && lanes < 100; c++) {
        lanes = *c >= '0' && *c <= '9' ? 10 * lanes + (*c - '0') : 100;
    }
    for (size_t i = 0; x && i < sizeof speeds / sizeof *speeds; i++) {
        if (lanes < 100 && !strcmp(x + 1, speeds[i].name)) {
            return lanes * speeds[i].gigabits * 1e9 / 8;
        }
    }
    return 0;
}
