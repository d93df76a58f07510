/* lab_report.c -- labs that come and go, as text and as JSON. */
#include "slimfly/lab_report.h"

#include "base/plural.h"

#include <inttypes.h>
#include <jansson.h>

/* Writes 'root' and drops it. */
static enum sf_status
dump(json_t *root, FILE *stream, struct sf_error *err)
{
    if (!root) {
        return sf_fail(err, SF_ENOMEM, "out of memory for JSON");
    }
    json_dumpf(root, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', stream);
    json_decref(root);
    return SF_OK;
}

static void
write_sizes(const struct sf_lab_sizes *sizes, FILE *stream)
{
    fprintf(stream,
            "%u %s, %u %s, %u %s; layers: %u, routes of switches: %" PRIu64,
            sizes->n_switches,
            sf_plural(sizes->n_switches, "switch", "switches"), sizes->n_hosts,
            sf_plural(sizes->n_hosts, "host", "hosts"), sizes->n_links,
            sf_plural(sizes->n_links, "link", "links"), sizes->n_layers,
            sizes->n_routes);
}

static json_t *
make_sizes(const struct sf_lab_sizes *sizes)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I}", "switches",
        (json_int_t)sizes->n_switches, "hosts", (json_int_t)sizes->n_hosts,
        "links", (json_int_t)sizes->n_links, "layers",
        (json_int_t)sizes->n_layers, "path_sets", (json_int_t)sizes->n_sets,
        "routes", (json_int_t)sizes->n_routes);
}

void
sf_lab_write_up_text(const char *name, const struct sf_lab_sizes *sizes,
                     double seconds, FILE *stream)
{
    fprintf(stream, "lab '%s' is up: ", name);
    write_sizes(sizes, stream);
    fprintf(stream,
            "\n  it came up in %.1f s\n"
            "  each node is a network namespace: 'ip netns list', 'ip -n "
            "%s.NODE route'\n",
            seconds, name);
}

enum sf_status
sf_lab_write_up_json(const char *name, const struct sf_lab_sizes *sizes,
                     FILE *stream, struct sf_error *err)
{
    return dump(json_pack("{s:s, s:i, s:s, s:o}", "schema", "slimfly.lab",
                          "schema_version", 1, "name", name, "sizes",
                          make_sizes(sizes)),
                stream, err);
}

void
sf_lab_write_down_text(const char *name, const struct sf_lab_removed *removed,
                       FILE *stream)
{
    fprintf(stream, "lab '%s' is down: %u namespaces removed", name,
            removed->n_namespaces);
    if (removed->n_processes) {
        fprintf(stream, ", %u processes in them ended", removed->n_processes);
    }
    fputc('\n', stream);
    if (removed->n_foreign) {
        fprintf(stream,
                "  %u namespaces have the name of one of this lab, but it did "
                "not make them: they were left alone\n",
                removed->n_foreign);
    }
}

enum sf_status
sf_lab_write_down_json(const char *name, const struct sf_lab_removed *removed,
                       FILE *stream, struct sf_error *err)
{
    return dump(json_pack("{s:s, s:i, s:s, s:I, s:I, s:I}", "schema",
                          "slimfly.lab-down", "schema_version", 1, "name",
                          name, "namespaces",
                          (json_int_t)removed->n_namespaces, "processes",
                          (json_int_t)removed->n_processes, "foreign",
                          (json_int_t)removed->n_foreign),
                stream, err);
}

static const char *
state_of(const struct sf_lab_entry *entry)
{
    return entry->is_complete ? "up"
           : entry->is_busy   ? "busy"
           : entry->is_lost   ? "lost"
                              : "incomplete";
}

void
sf_labs_write_text(const struct sf_lab_list *list, FILE *stream)
{
    if (!list->n) {
        fputs("no labs\n", stream);
    }
    for (uint32_t i = 0; i < list->n; i++) {
        const struct sf_lab_entry *entry = &list->entries[i];
        fprintf(stream, "%-15s  %s", entry->name, state_of(entry));
        if (entry->is_complete) {
            fputs("  ", stream);
            write_sizes(&entry->sizes, stream);
        }
        if (entry->is_lost) {
            fprintf(stream,
                    ": its folder is gone; 'slimfly lab down --name %s' "
                    "removes what is left of it",
                    entry->name);
        }
        fputc('\n', stream);
    }
}

enum sf_status
sf_labs_write_json(const struct sf_lab_list *list, FILE *stream,
                   struct sf_error *err)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < list->n; i++) {
        const struct sf_lab_entry *entry = &list->entries[i];
        json_array_append_new(
            array, json_pack("{s:s, s:s, s:o}", "name", entry->name, "state",
                             state_of(entry), "sizes",
                             entry->is_complete ? make_sizes(&entry->sizes)
                                                : json_null()));
    }
    return dump(json_pack("{s:s, s:i, s:o}", "schema", "slimfly.labs",
                          "schema_version", 1, "labs", array),
                stream, err);
}

static void
write_end(const struct sf_lab *lab, uint32_t port, FILE *stream)
{
    const struct sf_port *of = &sf_lab_network(lab)->fabric->ports[port];

    fprintf(stream, "%s:%u", sf_lab_node(lab, of->node), of->number);
}

static void
write_link(const struct sf_lab *lab, uint32_t port, FILE *stream)
{
    fputs("  ", stream);
    write_end(lab, port, stream);
    fputs(" to ", stream);
    write_end(lab, sf_lab_network(lab)->fabric->ports[port].peer, stream);
    fputc('\n', stream);
}

void
sf_lab_links_write_text(const struct sf_lab *lab, const char *what,
                        const struct sf_lab_links *links, FILE *stream)
{
    fprintf(stream, "lab '%s': links %s: %u\n", sf_lab_name(lab), what,
            links->n);
    for (uint32_t i = 0; i < links->n; i++) {
        write_link(lab, links->ports[i], stream);
    }
}

static json_t *
make_end(const struct sf_lab *lab, uint32_t port)
{
    const struct sf_port *of = &sf_lab_network(lab)->fabric->ports[port];

    return json_pack("{s:s, s:I}", "node", sf_lab_node(lab, of->node), "port",
                     (json_int_t)of->number);
}

static json_t *
make_links(const struct sf_lab *lab, const struct sf_lab_links *links)
{
    const struct sf_port *ports = sf_lab_network(lab)->fabric->ports;
    json_t *array = json_array();

    for (uint32_t i = 0; i < links->n; i++) {
        uint32_t port = links->ports[i];
        json_array_append_new(array,
                              json_pack("{s:o, s:o}", "a", make_end(lab, port),
                                        "b", make_end(lab, ports[port].peer)));
    }
    return array;
}

enum sf_status
sf_lab_links_write_json(const struct sf_lab *lab, const char *what,
                        const struct sf_lab_links *links, FILE *stream,
                        struct sf_error *err)
{
    return dump(json_pack("{s:s, s:i, s:s, s:s, s:o}", "schema",
                          "slimfly.lab-links", "schema_version", 1, "name",
                          sf_lab_name(lab), "state", what, "links",
                          make_links(lab, links)),
                stream, err);
}

static void
write_rate(const char *what, double rate, FILE *stream)
{
    if (rate > 0) {
        fprintf(stream, "  rate of %s: %g Mbit/s\n", what, rate / 1e6);
    }
}

void
sf_lab_status_write_text(const struct sf_lab *lab,
                         const struct sf_lab_links *down, FILE *stream)
{
    struct sf_ip_text prefix =
        sf_ip_prefix_text(sf_lab_tables(lab)->addresses.prefix);
    struct sf_lab_sizes sizes;

    sf_lab_sizes(lab, &sizes);
    fprintf(stream, "lab '%s' is up: ", sf_lab_name(lab));
    write_sizes(&sizes, stream);
    fprintf(stream, "\n  addresses: %s\n", prefix.text);
    write_rate("links", sf_lab_link_rate(lab), stream);
    write_rate("host links", sf_lab_host_rate(lab), stream);
    fprintf(stream, "  links that are down: %u\n", down->n);
    for (uint32_t i = 0; i < down->n; i++) {
        fputs("  ", stream);
        write_link(lab, down->ports[i], stream);
    }
}

enum sf_status
sf_lab_status_write_json(const struct sf_lab *lab,
                         const struct sf_lab_links *down, FILE *stream,
                         struct sf_error *err)
{
    struct sf_ip_text prefix =
        sf_ip_prefix_text(sf_lab_tables(lab)->addresses.prefix);
    struct sf_lab_sizes sizes;

    sf_lab_sizes(lab, &sizes);
    return dump(
        json_pack("{s:s, s:i, s:s, s:o, s:s, s:f, s:f, s:o}", "schema",
                  "slimfly.lab-status", "schema_version", 1, "name",
                  sf_lab_name(lab), "sizes", make_sizes(&sizes), "prefix",
                  prefix.text, "link_rate", sf_lab_link_rate(lab), "host_rate",
                  sf_lab_host_rate(lab), "down", make_links(lab, down)),
        stream, err);
}
