/* silence.c -- ports that are up while nothing behind them answers, over
 * several sweeps. */
#include "base/mem.h"
#include "slimfly/counters.h"

#include <string.h>

#define MAX_SWEEPS 32 /* Bits of a history. */

enum sf_status
sf_probes_make(const struct sf_fabric *fabric, struct sf_probes **probesp,
               struct sf_error *err)
{
    struct sf_probes *probes = sf_calloc(1, sizeof *probes);
    uint32_t n = 0;

    *probesp = NULL;
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        n += fabric->nodes[s].n_ports;
    }
    if (probes) {
        probes->ports = sf_calloc(n, sizeof *probes->ports);
    }
    if (!probes || !probes->ports) {
        sf_probes_free(probes);
        return sf_fail(err, SF_ENOMEM, "out of memory for ports");
    }
    probes->n_ports = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct sf_port *port = &fabric->ports[i];
        probes->ports[i] =
            (struct sf_port_probe){ fabric->nodes[port->node].guid,
                                    port->number, SF_PROBE_UNKNOWN };
    }
    *probesp = probes;
    return SF_OK;
}

void
sf_probes_free(struct sf_probes *probes)
{
    if (probes) {
        free(probes->ports);
        free(probes);
    }
}

enum sf_status
sf_silence_new(uint32_t n_silent, uint32_t n_sweeps,
               struct sf_silence **silencep, struct sf_error *err)
{
    *silencep = NULL;
    if (n_silent < 1 || n_silent > n_sweeps || n_sweeps > MAX_SWEEPS) {
        return sf_fail(err, SF_EINVAL,
                       "silent in %u of %u sweeps: expected 1 to %d sweeps, "
                       "and not more silent ones",
                       n_silent, n_sweeps, MAX_SWEEPS);
    }
    struct sf_silence *silence = sf_calloc(1, sizeof *silence);
    if (!silence) {
        return sf_fail(err, SF_ENOMEM, "out of memory for ports");
    }
    silence->n_silent = n_silent;
    silence->n_sweeps = n_sweeps;
    *silencep = silence;
    return SF_OK;
}

void
sf_silence_free(struct sf_silence *silence)
{
    if (silence) {
        free(silence->ports);
        free(silence);
    }
}

static int
compare_places(uint64_t guid_a, uint32_t number_a, uint64_t guid_b,
               uint32_t number_b)
{
    return guid_a != guid_b ? (guid_a > guid_b) - (guid_a < guid_b)
                            : (number_a > number_b) - (number_a < number_b);
}

static int
compare_ports(const void *a, const void *b)
{
    const struct sf_silence_port *x = a, *y = b;
    return compare_places(x->guid, x->number, y->guid, y->number);
}

static struct sf_silence_port *
find(const struct sf_silence *silence, uint64_t guid, uint32_t number)
{
    struct sf_silence_port key = { .guid = guid, .number = number };

    return silence->n_ports ? bsearch(&key, silence->ports, silence->n_ports,
                                      sizeof key, compare_ports)
                            : NULL;
}

const struct sf_silence_port *
sf_silence_find(const struct sf_silence *silence, uint64_t guid,
                uint32_t number)
{
    return find(silence, guid, number);
}

static bool
is_up(const struct sf_port_probe *port)
{
    return port->probe == SF_PROBE_ANSWERS || port->probe == SF_PROBE_SILENT;
}

/* Makes room for the ports of 'probes' that are up and new. */
static enum sf_status
add_ports(struct sf_silence *silence, const struct sf_probes *probes,
          struct sf_error *err)
{
    uint32_t n = silence->n_ports, n_new = 0;

    for (uint32_t i = 0; i < probes->n_ports; i++) {
        const struct sf_port_probe *port = &probes->ports[i];
        n_new += is_up(port) && !find(silence, port->guid, port->number);
    }
    if (!n_new) {
        return SF_OK;
    }
    struct sf_silence_port *ports =
        sf_realloc(silence->ports, (size_t)n + n_new, sizeof *ports);
    if (!ports) {
        return sf_fail(err, SF_ENOMEM, "out of memory for ports");
    }
    silence->ports = ports;
    for (uint32_t i = 0; i < probes->n_ports; i++) {
        const struct sf_port_probe *port = &probes->ports[i];
        if (is_up(port) && !find(silence, port->guid, port->number)) {
            ports[n++] = (struct sf_silence_port){ .guid = port->guid,
                                                   .number = port->number };
        }
    }
    silence->n_ports = n;
    qsort(ports, n, sizeof *ports, compare_ports);
    return SF_OK;
}

static uint32_t
count_bits(uint32_t bits)
{
    uint32_t n = 0;

    for (; bits; bits &= bits - 1) {
        n++;
    }
    return n;
}

static void
note(const struct sf_silence *silence, struct sf_silence_port *port,
     bool is_silent)
{
    uint32_t mask = silence->n_sweeps < MAX_SWEEPS
                        ? (1u << silence->n_sweeps) - 1
                        : UINT32_MAX;

    port->history = (port->history << 1 | is_silent) & mask;
    port->n_seen += port->n_seen < silence->n_sweeps;
    uint32_t n_silent = count_bits(port->history);
    if (n_silent >= silence->n_silent) {
        port->state = SF_SILENCE_BLACK_HOLE;
    } else if (port->state != SF_SILENCE_BLACK_HOLE ||
               port->n_seen - n_silent >= silence->n_silent) {
        port->state = n_silent ? SF_SILENCE_SUSPECT : SF_SILENCE_FINE;
    }
}

enum sf_status
sf_silence_update(struct sf_silence *silence, const struct sf_probes *probes,
                  struct sf_error *err)
{
    enum sf_status status = add_ports(silence, probes, err);

    if (status != SF_OK) {
        return status;
    }
    for (uint32_t i = 0; i < probes->n_ports; i++) {
        const struct sf_port_probe *probe = &probes->ports[i];
        struct sf_silence_port *port =
            find(silence, probe->guid, probe->number);
        if (port && is_up(probe)) {
            note(silence, port, probe->probe == SF_PROBE_SILENT);
        } else if (port && probe->probe == SF_PROBE_DOWN) {
            port->history = port->n_seen = 0;
            port->state = SF_SILENCE_FINE;
        }
    }
    silence->n_black_holes = 0;
    for (uint32_t i = 0; i < silence->n_ports; i++) {
        silence->n_black_holes +=
            silence->ports[i].state == SF_SILENCE_BLACK_HOLE;
    }
    return SF_OK;
}
