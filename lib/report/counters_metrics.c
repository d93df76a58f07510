/* counters_metrics.c -- counters in the text format of Prometheus, under the
 * names that infiniband_exporter made customary. */
#define _GNU_SOURCE
#include "report/counters_words.h"
#include "slimfly/ib_addresses.h"

#include <inttypes.h>
#include <stdlib.h>

/* The two kinds of nodes, as metrics call them. */
static const struct {
    const char *word, *title, *type;
} kinds[SF_N_NODE_KINDS] = {
    [SF_NODE_SWITCH] = { "switch", "switch", "SW" },
    [SF_NODE_HOST] = { "hca", "HCA", "CA" },
};

/* Writes a label's value, between quotes. */
static void
write_value(const char *text, FILE *stream)
{
    fputc('"', stream);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fputc('\\', stream);
        }
        /* The format is UTF-8; names may hold any bytes. */
        fputc((unsigned char)*c < 0x20 || (unsigned char)*c > 0x7e ? '?' : *c,
              stream);
    }
    fputc('"', stream);
}

static void
write_head(const char *name, const char *type, const char *help, FILE *stream)
{
    fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* The labels that say which port 'i' is, without what closes them. */
static void
write_port(const struct sf_counters_view *view, uint32_t i, FILE *stream)
{
    const struct sf_port *port = &view->fabric->ports[i];

    fprintf(stream, "{guid=\"0x%016" PRIx64 "\",port=\"%" PRIu32 "\"",
            view->fabric->nodes[port->node].guid, port->number);
}

static enum sf_node_kind
kind_of(const struct sf_counters_view *view, uint32_t port)
{
    return view->fabric->nodes[view->fabric->ports[port].node].kind;
}

static const char *
name_of(const struct sf_counters_view *view, uint32_t node)
{
    struct sf_end end = sf_counters_end(view, node, 0);
    return sf_counters_view_name(view, &end);
}

static uint32_t
lid_of(const struct sf_fabric *fabric, uint32_t port)
{
    uint32_t node = fabric->ports[port].node;
    return node < fabric->n_switches ? sf_ib_node(fabric, node)->lid
                                     : sf_ib_port(fabric, port)->lid;
}

static bool
is_told(const struct sf_counters_view *view, uint32_t i,
        enum sf_node_kind kind, uint32_t counter)
{
    const struct sf_port_counters *port = &view->counters->ports[i];
    return kind_of(view, i) == kind && port->answer == SF_ANSWER_GIVEN &&
           port->known >> counter & 1;
}

static void
write_counter(const struct sf_counters_view *view, enum sf_node_kind kind,
              uint32_t counter, FILE *stream)
{
    char name[96], help[96];
    bool has_head = false;

    snprintf(name, sizeof name, "infiniband_%s_port_%s_total",
             kinds[kind].word, sf_counter_kinds[counter].metric);
    snprintf(help, sizeof help, "InfiniBand %s port %s", kinds[kind].title,
             sf_counter_kinds[counter].name);
    for (uint32_t i = 0; i < view->counters->n_ports; i++) {
        if (!is_told(view, i, kind, counter)) {
            continue;
        }
        if (!has_head) {
            write_head(name, "counter", help, stream);
            has_head = true;
        }
        fputs(name, stream);
        write_port(view, i, stream);
        fprintf(stream, "} %" PRIu64 "\n",
                view->counters->ports[i].values[counter]);
    }
}

static void
write_rates(const struct sf_counters_view *view, enum sf_node_kind kind,
            FILE *stream)
{
    char name[64];
    bool has_head = false;

    snprintf(name, sizeof name, "infiniband_%s_port_rate_bytes_per_second",
             kinds[kind].word);
    for (uint32_t i = 0; i < view->fabric->n_ports; i++) {
        double rate = sf_rate_bytes(view->fabric->ports[i].rate);
        if (kind_of(view, i) != kind || !(rate > 0)) {
            continue;
        }
        if (!has_head) {
            write_head(name, "gauge", "Bytes a second that the link carries",
                       stream);
            has_head = true;
        }
        fputs(name, stream);
        write_port(view, i, stream);
        fprintf(stream, "} %.10g\n", rate);
    }
}

/* Who each port is connected to. */
static void
write_uplinks(const struct sf_counters_view *view, enum sf_node_kind kind,
              FILE *stream)
{
    const struct sf_fabric *fabric = view->fabric;
    char name[64];
    bool has_head = false;

    snprintf(name, sizeof name, "infiniband_%s_uplink_info", kinds[kind].word);
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        uint32_t peer = fabric->ports[i].peer;
        if (kind_of(view, i) != kind || peer == SF_NONE) {
            continue;
        }
        if (!has_head) {
            write_head(name, "gauge", "What the port is connected to", stream);
            has_head = true;
        }
        uint32_t other = fabric->ports[peer].node;
        fputs(name, stream);
        write_port(view, i, stream);
        fprintf(stream, ",%s=", kinds[kind].word);
        write_value(name_of(view, fabric->ports[i].node), stream);
        fputs(",uplink=", stream);
        write_value(name_of(view, other), stream);
        fprintf(stream,
                ",uplink_guid=\"0x%016" PRIx64
                "\",uplink_type=\"%s\",uplink_port=\"%" PRIu32
                "\",uplink_lid=\"%" PRIu32 "\"} 1\n",
                fabric->nodes[other].guid,
                kinds[fabric->nodes[other].kind].type,
                fabric->ports[peer].number, lid_of(fabric, peer));
    }
}

static void
write_infos(const struct sf_counters_view *view, enum sf_node_kind kind,
            FILE *stream)
{
    const struct sf_fabric *fabric = view->fabric;
    char name[64];
    bool has_head = false;

    snprintf(name, sizeof name, "infiniband_%s_info", kinds[kind].word);
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        if (node->kind != kind || !node->n_ports) {
            continue;
        }
        if (!has_head) {
            write_head(name, "gauge", "Name and LID of the node", stream);
            has_head = true;
        }
        fprintf(stream, "%s{guid=\"0x%016" PRIx64 "\",%s=", name, node->guid,
                kinds[kind].word);
        write_value(name_of(view, i), stream);
        fprintf(stream, ",lid=\"%" PRIu32 "\"} 1\n",
                lid_of(fabric, node->first_port));
    }
}

static void
write_kind(const struct sf_counters_view *view, enum sf_node_kind kind,
           FILE *stream)
{
    for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
        write_counter(view, kind, c, stream);
    }
    write_rates(view, kind, stream);
    write_infos(view, kind, stream);
    write_uplinks(view, kind, stream);
}

/* Counters that stand at their limit. */
static void
write_saturated(const struct sf_counters_view *view, FILE *stream)
{
    static const char name[] = "slimfly_port_saturated";

    write_head(name, "gauge",
               "1 for a counter that stands at its limit and counts no more",
               stream);
    for (uint32_t i = 0; i < view->counters->n_ports; i++) {
        uint32_t set = view->counters->ports[i].saturated;
        for (uint32_t c = 0; c < SF_N_COUNTERS; c++) {
            if (set >> c & 1) {
                fputs(name, stream);
                write_port(view, i, stream);
                fprintf(stream, ",counter=\"%s\"} 1\n",
                        sf_counter_kinds[c].name);
            }
        }
    }
}

static void
write_answers(const struct sf_counters_view *view, FILE *stream)
{
    static const char *const answers[] = {
        [SF_ANSWER_NOT_ASKED] = "not_asked",
        [SF_ANSWER_NONE] = "none",
        [SF_ANSWER_REFUSED] = "refused",
        [SF_ANSWER_GIVEN] = "given",
    };

    write_head("slimfly_ports_by_answer", "gauge",
               "Ports by how they answered the question for their counters",
               stream);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        fprintf(stream, "slimfly_ports_by_answer{answer=\"%s\"} %" PRIu32 "\n",
                answers[i], view->counters->n_by_answer[i]);
    }
}

static void
write_findings(const struct sf_counter_findings *findings, FILE *stream)
{
    write_head("slimfly_findings", "gauge", "Findings about ports by kind",
               stream);
    for (int i = 0; i < SF_N_COUNTER_FINDING_KINDS; i++) {
        fprintf(stream, "slimfly_findings{kind=\"%s\"} %" PRIu32 "\n",
                sf_counter_finding_kind_name((enum sf_counter_finding_kind)i),
                findings->n_by_kind[i]);
    }
}

/* Ports that were silent lately: 1 if they are black holes. */
static void
write_silence(const struct sf_counters_view *view, FILE *stream)
{
    static const char name[] = "slimfly_port_black_hole";

    if (!view->silence) {
        return;
    }
    write_head(
        name, "gauge",
        "1 for a port that is up while nothing behind it answers, 0 for "
        "one that was silent lately",
        stream);
    for (uint32_t i = 0; i < view->silence->n_ports; i++) {
        const struct sf_silence_port *port = &view->silence->ports[i];
        if (port->state != SF_SILENCE_FINE) {
            fprintf(stream,
                    "%s{guid=\"0x%016" PRIx64 "\",port=\"%" PRIu32 "\"} %d\n",
                    name, port->guid, port->number,
                    port->state == SF_SILENCE_BLACK_HOLE);
        }
    }
}

static void
write_loads(const struct sf_counters_view *view,
            const struct sf_counter_findings *findings, FILE *stream)
{
    static const char share[] = "slimfly_link_load_ratio";
    static const char predicted[] = "slimfly_link_predicted_bytes_per_second";

    if (!findings->n_loads) {
        return;
    }
    write_head(share, "gauge",
               "What leaves the port between the last two readings, of what "
               "the link carries",
               stream);
    for (uint32_t i = 0; i < findings->n_loads; i++) {
        fputs(share, stream);
        write_port(view, findings->loads[i].port, stream);
        fprintf(stream, "} %.6g\n", findings->loads[i].share);
    }
    if (!view->predicted) {
        return;
    }
    write_head(predicted, "gauge",
               "What the routing would lead out of the port if the same hosts "
               "sent evenly to all",
               stream);
    for (uint32_t i = 0; i < findings->n_loads; i++) {
        fputs(predicted, stream);
        write_port(view, findings->loads[i].port, stream);
        fprintf(stream, "} %.6g\n", findings->loads[i].predicted);
    }
}

/* Where planned nodes stand. */
static void
write_places(const struct sf_counters_view *view, FILE *stream)
{
    static const char name[] = "slimfly_node_place_info";

    if (!view->verification) {
        return;
    }
    write_head(name, "gauge", "Rack and unit of the node", stream);
    for (uint32_t i = 0; i < view->fabric->n_nodes; i++) {
        const struct sf_plan *plan = view->verification->plan;
        uint32_t planned = view->verification->identities[i].node;
        const struct sf_node *node =
            planned == SF_NONE ? NULL : &plan->fabric->nodes[planned];
        if (!node || node->rack == SF_NONE) {
            continue;
        }
        fprintf(stream, "%s{guid=\"0x%016" PRIx64 "\",node=", name,
                view->fabric->nodes[i].guid);
        write_value(node->name, stream);
        fputs(",rack=", stream);
        write_value(plan->racks[node->rack].name, stream);
        fprintf(stream, ",unit=\"%" PRIu32 "\"} 1\n", node->unit);
    }
}

static void
write_number(const char *name, const char *help, double number, FILE *stream)
{
    if (number > 0) {
        write_head(name, "gauge", help, stream);
        fprintf(stream, "%s %.3f\n", name, number);
    }
}

void
sf_counters_write_metrics(const struct sf_counters_view *view,
                          const struct sf_counter_findings *findings,
                          FILE *stream)
{
    for (int kind = 0; kind < SF_N_NODE_KINDS; kind++) {
        write_kind(view, (enum sf_node_kind)kind, stream);
    }
    write_saturated(view, stream);
    write_answers(view, stream);
    write_findings(findings, stream);
    write_silence(view, stream);
    write_loads(view, findings, stream);
    write_places(view, stream);
    write_number("slimfly_counters_read_duration_seconds",
                 "How long the last reading took", view->read_seconds, stream);
    write_number("slimfly_counters_read_timestamp_seconds",
                 "When the last reading was, in seconds since 1970",
                 view->read_at, stream);
}

enum sf_status
sf_counters_metrics_text(const struct sf_counters_view *view,
                         const struct sf_counter_findings *findings,
                         char **textp, size_t *lengthp, struct sf_error *err)
{
    *textp = NULL;
    *lengthp = 0;
    FILE *stream = open_memstream(textp, lengthp);
    if (stream) {
        sf_counters_write_metrics(view, findings, stream);
        bool is_whole = !ferror(stream);
        if (fclose(stream) == 0 && is_whole) {
            return SF_OK;
        }
    }
    free(*textp);
    *textp = NULL;
    return sf_fail(err, SF_ENOMEM, "out of memory for metrics");
}
