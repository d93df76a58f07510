/* lane_files.c -- lanes as marks of packets: a switch rewrites the DSCP of
 * what it forwards by the ports that the packet comes in and leaves by.
 * Packets that carry the mark of no lane are left alone.  A packet that turns
 * where no path does, as on the way over an alternate, gets DSCP 0 and has no
 * lane from there on: it may be lost, but nobody waits for it. */
#include "ip/writers.h"

/* Whether packets may pass from port 'in' to port 'out' of a switch. */
static bool
is_turn(const struct sf_fabric *fabric, const struct sf_node *node,
        uint32_t in, uint32_t out)
{
    return in != out &&
           fabric->ports[node->first_port + in - 1].peer != SF_NONE &&
           fabric->ports[node->first_port + out - 1].peer != SF_NONE;
}

static void
write_chain(const char *name, uint32_t dscp, FILE *stream)
{
    fprintf(stream,
            "    chain %s {\n"
            "        ip dscp set %u\n"
            "        ip6 dscp set %u\n"
            "    }\n",
            name, dscp, dscp);
}

/* Writes the set of all marks of lanes. */
static void
write_marks(const struct sf_ip_plan *plan, FILE *stream)
{
    for (uint32_t i = 0; i < plan->tables->lanes->n_lanes; i++) {
        fprintf(stream, "%s%u", i ? ", " : "{ ", plan->classes->dscps[i]);
    }
    fputs(" }", stream);
}

static void
write_turns(const struct sf_ip_plan *plan, uint32_t node, FILE *stream)
{
    const struct sf_fabric *fabric = plan->network->fabric;
    const struct sf_node *self = &fabric->nodes[node];
    const char *comma = "";

    for (uint32_t in = 1; in <= self->n_ports; in++) {
        for (uint32_t out = 1; out <= self->n_ports; out++) {
            uint8_t lane =
                sf_ip_lane(plan->tables, node, self->n_ports, in, out);
            if (!is_turn(fabric, self, in, out) || lane == SF_IP_NO_LANE) {
                continue;
            }
            fprintf(stream, "%s\n            \"%s\" . ", comma,
                    sf_ip_port(plan, node, in).text);
            fprintf(stream, "\"%s\" : goto lane%u",
                    sf_ip_port(plan, node, out).text, lane);
            comma = ",";
        }
    }
}

enum sf_status
sf_ip_write_nft(const struct sf_ip_plan *plan, uint32_t node, FILE *stream,
                struct sf_error *err)
{
    (void)err;
    fprintf(stream,
            "# %s: load with nft -f\n"
            "table inet slimfly_lanes\n"
            "delete table inet slimfly_lanes\n"
            "table inet slimfly_lanes {\n",
            sf_ip_name(plan, node));
    for (uint32_t i = 0; i < plan->tables->lanes->n_lanes; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "lane%u", i);
        write_chain(name, plan->classes->dscps[i], stream);
    }
    write_chain("lossy", 0, stream);
    fputs("    chain turns {\n"
          "        iifname . oifname vmap {",
          stream);
    write_turns(plan, node, stream);
    fputs("\n        }\n"
          "        goto lossy\n"
          "    }\n"
          "    chain forward {\n"
          "        type filter hook forward priority mangle\n"
          "        ip dscp ",
          stream);
    write_marks(plan, stream);
    fputs(" goto turns\n        ip6 dscp ", stream);
    write_marks(plan, stream);
    fputs(" goto turns\n    }\n}\n", stream);
    return SF_OK;
}

enum sf_status
sf_ip_write_lanes(const struct sf_ip_plan *plan, uint32_t node, FILE *stream,
                  struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->network->fabric;

    (void)err;
    (void)node;
    fputs("switch,in_port,out_port,lane,dscp,pfc_priority\n", stream);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const struct sf_node *self = &fabric->nodes[s];
        for (uint32_t i = 0; i < self->n_ports * self->n_ports; i++) {
            uint32_t in = i / self->n_ports + 1, out = i % self->n_ports + 1;
            uint8_t lane = sf_ip_lane(plan->tables, s, self->n_ports, in, out);
            if (!is_turn(fabric, self, in, out) || lane == SF_IP_NO_LANE) {
                continue;
            }
            fprintf(stream, "%s,%s,", sf_ip_name(plan, s),
                    sf_ip_port(plan, s, in).text);
            fprintf(stream, "%s,%u,%u,%u\n", sf_ip_port(plan, s, out).text,
                    lane, plan->classes->dscps[lane],
                    plan->classes->priorities[lane]);
        }
    }
    return SF_OK;
}
