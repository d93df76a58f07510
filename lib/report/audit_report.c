/* audit_report.c -- the outcome of an audit, as text and as JSON;
 * doc/formats.md describes the members. */
#include "slimfly/audit.h"

#include "base/origin_json.h"
#include "base/plural.h"

#include <jansson.h>

/* How many links are named. */
#define MAX_NAMED 8

static const char *const fault_names[SF_AUDIT_N_FAULTS] = {
    [SF_AUDIT_NO_ENTRY] = "no entry",
    [SF_AUDIT_DEAD_END] = "dead end",
    [SF_AUDIT_LOOP] = "loop",
};

static const char *
name_of(const struct sf_fabric *fabric, uint32_t node)
{
    return fabric->nodes[node].name;
}

static double
mean_hops(const struct sf_audit *audit)
{
    uint64_t n = 0, sum = 0;

    for (uint32_t i = 0; i <= audit->most_hops; i++) {
        n += audit->n_by_hops[i];
        sum += i * audit->n_by_hops[i];
    }
    return n ? (double)sum / (double)n : 0;
}

static double
mean_load(const struct sf_audit *audit)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < audit->n_links; i++) {
        sum += audit->links[i].n_paths;
    }
    return audit->n_links ? (double)sum / audit->n_links : 0;
}

static uint64_t
count_faults(const struct sf_audit *audit)
{
    uint64_t n = 0;

    for (int i = 0; i < SF_AUDIT_N_FAULTS; i++) {
        n += audit->n_faults[i];
    }
    return n;
}

static void
write_example(const struct sf_audit_example *example,
              const struct sf_fabric *fabric, FILE *stream)
{
    fprintf(stream, "  LID %u from %s: ", example->lid,
            name_of(fabric, example->source));
    switch (example->fault) {
    case SF_AUDIT_NO_ENTRY:
        fprintf(stream, "%s has no entry for it\n",
                name_of(fabric, example->at));
        break;
    case SF_AUDIT_LOOP:
        fprintf(stream, "loops for ever through %s, port %u\n",
                name_of(fabric, example->at), example->port);
        break;
    case SF_AUDIT_DEAD_END:
    case SF_AUDIT_N_FAULTS:
        fprintf(stream,
                "%s sends it out of port %u, which does not lead to it\n",
                name_of(fabric, example->at), example->port);
    }
}

static void
write_reachability(const struct sf_audit *audit,
                   const struct sf_fabric *fabric, FILE *stream)
{
    uint64_t n_faults = count_faults(audit);

    if (!n_faults) {
        fprintf(stream,
                "ok    every LID is reached from every switch, without "
                "loops\n");
        return;
    }
    fprintf(stream,
            "WRONG %llu of %llu pairs of switch and LID do not work: %llu "
            "without an entry, %llu dead ends, %llu loops\n",
            (unsigned long long)n_faults, (unsigned long long)audit->n_pairs,
            (unsigned long long)audit->n_faults[SF_AUDIT_NO_ENTRY],
            (unsigned long long)audit->n_faults[SF_AUDIT_DEAD_END],
            (unsigned long long)audit->n_faults[SF_AUDIT_LOOP]);
    for (uint32_t i = 0; i < audit->n_examples; i++) {
        fputs("    ", stream);
        write_example(&audit->examples[i], fabric, stream);
    }
}

static void
write_behaviour(const struct sf_audit *audit, int behaviour, FILE *stream)
{
    switch (behaviour) {
    case SF_AUDIT_PATH_SLS:
        fputs(audit->has_path_sls ? "with the SL of each path"
                                  : "with all on SL 0",
              stream);
        break;
    case SF_AUDIT_REPLIES:
        fputs("with replies on the SL of the request", stream);
        break;
    default:
        fprintf(stream, "with all on SL %u", audit->deadlock[behaviour].sl);
    }
}

static void
write_deadlock(const struct sf_audit *audit, int behaviour,
               const struct sf_fabric *fabric, FILE *stream)
{
    const struct sf_audit_deadlock *deadlock = &audit->deadlock[behaviour];

    fputs(deadlock->is_free ? "ok    no deadlock " : "WRONG deadlock ",
          stream);
    write_behaviour(audit, behaviour, stream);
    fprintf(stream, ": %u %s, %llu %s", deadlock->n_channels,
            sf_plural(deadlock->n_channels, "channel", "channels"),
            (unsigned long long)deadlock->n_dependencies,
            sf_plural(deadlock->n_dependencies, "dependency", "dependencies"));
    if (!deadlock->is_free) {
        fprintf(stream, ", a cycle of %u:", deadlock->n_steps);
    }
    fputc('\n', stream);
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        const struct sf_audit_step *step = &deadlock->steps[i];
        fprintf(stream,
                "      %s port %u VL %u, held by %s%s to LID %u on SL %u, "
                "which waits for\n",
                name_of(fabric, step->at), step->port, step->vl,
                name_of(fabric, step->source),
                step->is_port_0 ? " port 0" : "", step->lid, step->sl);
    }
    if (!deadlock->is_free) {
        fprintf(stream, "      the first again\n");
    }
    if (deadlock->n_dropped) {
        fprintf(stream, "WRONG %llu paths are dropped ",
                (unsigned long long)deadlock->n_dropped);
        write_behaviour(audit, behaviour, stream);
        fprintf(stream,
                ": their SL leads to VL 15, on which switches drop packets\n");
    }
}

static void
write_links(const struct sf_audit *audit, const struct sf_fabric *fabric,
            FILE *stream)
{
    double mean = mean_load(audit);

    if (!audit->n_links) {
        return;
    }
    const struct sf_audit_link *most = &audit->links[0];
    const struct sf_port *port = &fabric->ports[most->port];
    fprintf(stream,
            "      paths over a link: %llu to %llu, the most, %.2f times the "
            "mean, at %s port %u\n",
            (unsigned long long)audit->links[audit->n_links - 1].n_paths,
            (unsigned long long)most->n_paths,
            mean > 0 ? (double)most->n_paths / mean : 0,
            name_of(fabric, port->node), port->number);
    if (!audit->n_unused) {
        return;
    }
    fprintf(stream,
            "      %u of %u directions of links are unused:", audit->n_unused,
            audit->n_links);
    for (uint32_t i = 0; i < audit->n_unused && i < MAX_NAMED; i++) {
        port =
            &fabric->ports[audit->links[audit->n_links - audit->n_unused + i]
                               .port];
        fprintf(stream, "%s %s port %u", i ? "," : "",
                name_of(fabric, port->node), port->number);
    }
    fputs(audit->n_unused > MAX_NAMED ? ", ...\n" : "\n", stream);
}

void
sf_audit_write_text(const struct sf_audit *audit,
                    const struct sf_fabric *fabric, FILE *stream)
{
    fprintf(stream, "%s: %u %s, %u %s, %u LIDs, %u %s\n",
            audit->is_sound ? "SOUND" : "NOT SOUND", audit->n_switches,
            sf_plural(audit->n_switches, "switch", "switches"), audit->n_hosts,
            sf_plural(audit->n_hosts, "host", "hosts"), audit->n_lids,
            audit->n_vls, sf_plural(audit->n_vls, "VL", "VLs"));
    write_reachability(audit, fabric, stream);
    for (int i = 0; i < SF_AUDIT_N_BEHAVIOURS; i++) {
        /* Without path SLs, replies are nothing new. */
        if (audit->deadlock[i].is_checked &&
            (i != SF_AUDIT_REPLIES || audit->has_path_sls)) {
            write_deadlock(audit, i, fabric, stream);
        }
    }
    if (!audit->has_sl2vl) {
        fprintf(stream, "      the SL-to-VL tables are not known: all packets "
                        "are taken to be on VL 0; opensm-sl2vl.dump has "
                        "them\n");
    }
    if (!audit->has_path_sls) {
        fprintf(stream, "      the SLs of paths are not known: all are taken "
                        "to be 0; path-sl.csv has them, or --path-sls ask\n");
    }
    if (audit->n_without_sl) {
        fprintf(stream, "      %llu paths have no SL and are taken to use 0\n",
                (unsigned long long)audit->n_without_sl);
    }
    if (audit->has_port_0) {
        fprintf(stream, "      packets start at port 0 of switches too\n");
    }
    if (audit->n_port_0_unknown) {
        fprintf(stream,
                "      %u switches do not say the VL of packets from port 0: "
                "it is taken to be that of packets from their hosts or, "
                "without hosts, from any port\n",
                audit->n_port_0_unknown);
    }
    fprintf(stream,
            "      hops between switches: %.3f on average, %u at most\n",
            mean_hops(audit), audit->most_hops);
    write_links(audit, fabric, stream);
}

static json_t *
json_of_link(const struct sf_audit_link *link, const struct sf_fabric *fabric)
{
    const struct sf_port *port = &fabric->ports[link->port];
    return json_pack("{s:s, s:I, s:I}", "switch", name_of(fabric, port->node),
                     "port", (json_int_t)port->number, "paths",
                     (json_int_t)link->n_paths);
}

/* At most MAX_NAMED of 'n' links. */
static json_t *
json_of_links(const struct sf_audit_link *links, uint32_t n,
              const struct sf_fabric *fabric)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < n && i < MAX_NAMED; i++) {
        json_array_append_new(list, json_of_link(&links[i], fabric));
    }
    return list;
}

static json_t *
json_of_deadlock(const struct sf_audit_deadlock *deadlock,
                 const struct sf_fabric *fabric)
{
    if (!deadlock->is_checked) {
        return json_null();
    }
    json_t *witness = deadlock->is_free ? json_null() : json_array();
    for (uint32_t i = 0; i < deadlock->n_steps; i++) {
        const struct sf_audit_step *step = &deadlock->steps[i];
        json_array_append_new(
            witness, json_pack("{s:s, s:i, s:i, s:{s:s, s:b, s:I, s:i}}",
                               "switch", name_of(fabric, step->at), "port",
                               (int)step->port, "vl", (int)step->vl, "path",
                               "source", name_of(fabric, step->source),
                               "from_port_0", (int)step->is_port_0, "lid",
                               (json_int_t)step->lid, "sl", (int)step->sl));
    }
    return json_pack("{s:b, s:I, s:I, s:I, s:o}", "free",
                     (int)deadlock->is_free, "n_channels",
                     (json_int_t)deadlock->n_channels, "n_dependencies",
                     (json_int_t)deadlock->n_dependencies, "n_dropped",
                     (json_int_t)deadlock->n_dropped, "witness", witness);
}

static json_t *
json_of_faults(const struct sf_audit *audit, const struct sf_fabric *fabric)
{
    json_t *examples = json_array();

    for (uint32_t i = 0; i < audit->n_examples; i++) {
        const struct sf_audit_example *example = &audit->examples[i];
        json_array_append_new(examples,
                              json_pack("{s:s, s:s, s:I, s:s, s:i}", "fault",
                                        fault_names[example->fault], "source",
                                        name_of(fabric, example->source),
                                        "lid", (json_int_t)example->lid,
                                        "switch", name_of(fabric, example->at),
                                        "port", (int)example->port));
    }
    return json_pack(
        "{s:I, s:I, s:I, s:o}", "no_entry",
        (json_int_t)audit->n_faults[SF_AUDIT_NO_ENTRY], "dead_end",
        (json_int_t)audit->n_faults[SF_AUDIT_DEAD_END], "loop",
        (json_int_t)audit->n_faults[SF_AUDIT_LOOP], "examples", examples);
}

static json_t *
json_of_hops(const struct sf_audit *audit)
{
    json_t *counts = json_array();

    for (uint32_t i = 0; i <= audit->most_hops; i++) {
        json_array_append_new(counts,
                              json_integer((json_int_t)audit->n_by_hops[i]));
    }
    return json_pack("{s:I, s:f, s:I, s:o}", "n_paths",
                     (json_int_t)audit->n_paths, "mean", mean_hops(audit),
                     "most", (json_int_t)audit->most_hops, "paths_by_hops",
                     counts);
}

static json_t *
json_of_loads(const struct sf_audit *audit, const struct sf_fabric *fabric)
{
    uint32_t n = audit->n_links, n_unused = audit->n_unused;

    return json_pack(
        "{s:I, s:I, s:I, s:I, s:f, s:o, s:o}", "n", (json_int_t)n, "n_unused",
        (json_int_t)n_unused, "min",
        (json_int_t)(n ? audit->links[n - 1].n_paths : 0), "max",
        (json_int_t)(n ? audit->links[0].n_paths : 0), "mean",
        mean_load(audit), "most_loaded",
        json_of_links(audit->links, n - n_unused, fabric), "unused",
        json_of_links(audit->links + (n - n_unused), n_unused, fabric));
}

enum sf_status
sf_audit_write_json(const struct sf_audit *audit,
                    const struct sf_fabric *fabric,
                    const struct sf_origin *origin, FILE *stream,
                    struct sf_error *err)
{
    const struct sf_audit_deadlock *deadlock = audit->deadlock;
    const struct sf_audit_deadlock *one = &deadlock[SF_AUDIT_ONE_SL];

    json_t *root = json_pack(
        "{s:s, s:i, s:b, s:I, s:I, s:I, s:I, s:b, s:b, s:I, s:b, s:I, s:I, "
        "s:o, s:o, s:o, s:{s:o, s:o, s:o}}",
        "schema", "slimfly.audit", "schema_version", 1, "sound",
        (int)audit->is_sound, "n_switches", (json_int_t)audit->n_switches,
        "n_hosts", (json_int_t)audit->n_hosts, "n_lids",
        (json_int_t)audit->n_lids, "n_vls", (json_int_t)audit->n_vls,
        "has_sl2vl", (int)audit->has_sl2vl, "has_path_sls",
        (int)audit->has_path_sls, "n_without_sl",
        (json_int_t)audit->n_without_sl, "has_port_0", (int)audit->has_port_0,
        "n_port_0_unknown", (json_int_t)audit->n_port_0_unknown, "n_pairs",
        (json_int_t)audit->n_pairs, "faults", json_of_faults(audit, fabric),
        "hops", json_of_hops(audit), "links", json_of_loads(audit, fabric),
        "deadlock", "path_sls",
        json_of_deadlock(&deadlock[SF_AUDIT_PATH_SLS], fabric), "replies",
        json_of_deadlock(&deadlock[SF_AUDIT_REPLIES], fabric), "all_on_sl",
        json_of_deadlock(one, fabric));
    if (!root || !sf_origin_add_json(root, origin) ||
        json_object_set_new(root, "all_on_sl",
                            one->is_checked ? json_integer(one->sl)
                                            : json_null()) != 0) {
        json_decref(root);
        return sf_fail(err, SF_ENOMEM, "cannot make JSON: out of memory");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
