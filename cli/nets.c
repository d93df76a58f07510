/* nets.c -- see nets.h. */
#define _GNU_SOURCE
#include "nets.h"

#include <string.h>

/* The preset for links of 'rate', as "4xFDR"; NULL if there is none. */
static const struct sf_sim_net *
net_of_rate(const char *rate)
{
    for (size_t i = 0; sf_sim_nets[i].name; i++) {
        if (!strncmp(rate, "4x", 2) &&
            !strcasecmp(rate + 2, sf_sim_nets[i].name)) {
            return &sf_sim_nets[i];
        }
    }
    return NULL;
}

static const struct sf_sim_net *
net_of_name(const char *name)
{
    size_t i = 0;
    while (strcmp(sf_sim_nets[i].name, name) != 0) {
        i++;
    }
    return &sf_sim_nets[i];
}

/* The preset that the links of 'subject' have in common; that of edr if
 * nothing is known of them.  NULL, having said why, if there is none: all
 * links of a simulation have one rate. */
static const struct sf_sim_net *
find_common(const struct cli_subject *subject)
{
    const struct sf_fabric *fabric = subject->fabric;
    const char *first = "";

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->peer == SF_NONE || !*port->rate) {
            continue;
        }
        if (*first && strcmp(first, port->rate) != 0) {
            cli_fail("simulate: %s: links of %s and of %s, and all links of a "
                     "simulation have one rate: expected --net",
                     subject->name, first, port->rate);
            return NULL;
        }
        first = port->rate;
    }
    const struct sf_sim_net *net =
        *first ? net_of_rate(first) : net_of_name("edr");
    if (!net) {
        cli_fail("simulate: %s: links of %s, for which there is no preset: "
                 "expected --net",
                 subject->name, first);
    }
    return net;
}

bool
cli_net_find(const struct cli_subject *subject,
             const struct cli_net_params *params, struct sf_sim_net *net)
{
    const struct sf_sim_net *found =
        params->name ? net_of_name(params->name) : find_common(subject);

    if (!found) {
        return false;
    }
    *net = *found;
    const char *text = params->buffer;
    double buffer = text ? sf_sim_size_read(text, NULL) : net->buffer;
    if (!(buffer >= 1 && buffer <= 1e9)) {
        cli_fail("simulate: --buffer: expected bytes, as 65536 or 64K, found "
                 "'%s'",
                 text);
        return false;
    }
    net->buffer = (uint32_t)buffer;
    return true;
}
