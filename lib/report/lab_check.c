/* lab_check.c -- where packets of a lab go, as text and as JSON. */
#include "slimfly/lab_report.h"

#include <inttypes.h>
#include <jansson.h>

static const char *
name_of(const struct sf_lab *lab, uint32_t node)
{
    return node == SF_NONE ? "nobody" : sf_lab_node(lab, node);
}

static uint32_t
target_node(const struct sf_lab *lab, const struct sf_lab_finding *finding)
{
    const struct sf_network *network = sf_lab_network(lab);

    return network->fabric->ports[network->host_ports[finding->target]].node;
}

/* The prefix of the switch that the finding is about. */
static struct sf_ip_text
prefix_of(const struct sf_lab *lab, const struct sf_lab_finding *finding)
{
    struct sf_ip_place place =
        sf_ip_host_place(sf_lab_network(lab), finding->target);

    return sf_ip_prefix_text(sf_ip_switch_prefix(
        &sf_lab_tables(lab)->addresses, finding->layer, place.s));
}

static void
write_finding(const struct sf_lab *lab, const struct sf_lab_finding *finding,
              FILE *stream)
{
    const char *node = sf_lab_node(lab, finding->node);
    const char *expected = name_of(lab, finding->expected);
    const char *target = sf_lab_node(lab, target_node(lab, finding));
    struct sf_ip_text prefix = prefix_of(lab, finding);

    fprintf(stream, "  layer %u, to %s (%s): ", finding->layer, target,
            prefix.text);
    switch (finding->fault) {
    case SF_LAB_WRONG_HOP:
        fprintf(stream, "%s sends to %s, expected %s", node,
                name_of(lab, finding->found), expected);
        break;
    case SF_LAB_NO_ROUTE:
        fprintf(stream, "%s has no route, expected %s", node, expected);
        break;
    case SF_LAB_LOST:
        fprintf(stream, "no answer from %s behind %s, whose route is right",
                expected, node);
        break;
    case SF_LAB_CUT:
        fprintf(stream, "a link is down and %s has no alternate", node);
        break;
    case SF_LAB_CIRCLE:
        fprintf(stream,
                "packets go round in a circle over %s, as the tables say",
                node);
        break;
    }
    fprintf(stream, "; paths: %" PRIu64 "\n", finding->n_paths);
}

void
sf_lab_check_write_text(const struct sf_lab *lab,
                        const struct sf_lab_check *check, double seconds,
                        uint32_t most, FILE *stream)
{
    fprintf(stream,
            "lab '%s': %" PRIu64 " of %" PRIu64
            " paths between switches are as in the tables, hop by hop\n"
            "  paths to the other hosts: %" PRIu64 " of %" PRIu64 "\n",
            sf_lab_name(lab), check->n_right, check->n_paths,
            check->n_host_right, check->n_host_paths);
    if (check->n_down) {
        fprintf(stream,
                "  links that are down: %u; paths that they cut, as the "
                "tables say: %" PRIu64 "\n",
                check->n_down, check->n_cut);
    }
    fprintf(stream,
            "  packets: %" PRIu64 ", sent again: %" PRIu64 ", in %.1f s\n",
            check->n_probes, check->n_lost, seconds);
    for (uint32_t i = 0; i < check->n_findings && i < most; i++) {
        write_finding(lab, &check->findings[i], stream);
    }
    if (check->n_findings > most) {
        fprintf(stream, "  and %u more\n", check->n_findings - most);
    }
}

static json_t *
make_finding(const struct sf_lab *lab, const struct sf_lab_finding *finding)
{
    static const char *const names[] = {
        [SF_LAB_WRONG_HOP] = "wrong-hop", [SF_LAB_NO_ROUTE] = "no-route",
        [SF_LAB_LOST] = "lost",           [SF_LAB_CUT] = "cut",
        [SF_LAB_CIRCLE] = "circle",
    };
    struct sf_ip_text prefix = prefix_of(lab, finding);

    return json_pack(
        "{s:s, s:s, s:I, s:s, s:s, s:s?, s:s?, s:I}", "fault",
        names[finding->fault], "node", sf_lab_node(lab, finding->node),
        "layer", (json_int_t)finding->layer, "target",
        sf_lab_node(lab, target_node(lab, finding)), "prefix", prefix.text,
        "expected",
        finding->expected == SF_NONE ? NULL
                                     : sf_lab_node(lab, finding->expected),
        "found",
        finding->found == SF_NONE ? NULL : sf_lab_node(lab, finding->found),
        "paths", (json_int_t)finding->n_paths);
}

enum sf_status
sf_lab_check_write_json(const struct sf_lab *lab,
                        const struct sf_lab_check *check, FILE *stream,
                        struct sf_error *err)
{
    json_t *findings = json_array();

    for (uint32_t i = 0; i < check->n_findings; i++) {
        json_array_append_new(findings,
                              make_finding(lab, &check->findings[i]));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
        "schema", "slimfly.lab-check", "schema_version", 1, "name",
        sf_lab_name(lab), "paths", (json_int_t)check->n_paths, "right",
        (json_int_t)check->n_right, "host_paths",
        (json_int_t)check->n_host_paths, "host_right",
        (json_int_t)check->n_host_right, "cut", (json_int_t)check->n_cut,
        "links_down", (json_int_t)check->n_down, "packets",
        (json_int_t)check->n_probes, "sent_again", (json_int_t)check->n_lost,
        "findings", findings);
    if (!root) {
        return sf_fail(err, SF_ENOMEM, "out of memory for JSON");
    }
    json_dumpf(root, stream, JSON_INDENT(2));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}
