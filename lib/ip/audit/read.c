/* read.c -- reading the files of a folder and comparing them with each other
 * and with the cables. */
#include "base/file.h"
#include "ip/audit/held.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <unistd.h>

void
sf_ip_held_free(struct sf_ip_held *held)
{
    if (!held) {
        return;
    }
    for (uint32_t i = 0; held->entries && i < held->fabric->n_switches; i++) {
        free(held->entries[i].items);
    }
    for (uint32_t i = 0; held->owns && i < held->fabric->n_nodes; i++) {
        free(held->owns[i].items);
    }
    for (uint32_t i = 0; held->marks && i < held->fabric->n_switches; i++) {
        free(held->marks[i].marks);
    }
    sf_ip_names_free(held->names);
    free(held->entries);
    free(held->owns);
    free(held->marks);
    free(held);
}

/* Says in one sentence that the plan is of another fabric, by the numbers of
 * nodes in its inventory. */
static enum sf_status
check_numbers(const struct sf_ip_held *held, const json_t *root,
              const char *path, struct sf_error *err)
{
    const struct sf_fabric *fabric = held->fabric;
    const json_t *switches = json_object_get(root, "switches"),
                 *hosts = json_object_get(root, "hosts");
    size_t n_switches = json_array_size(switches),
           n_hosts = json_array_size(hosts);
    size_t n_own_hosts = fabric->n_nodes - fabric->n_switches;

    if (!json_is_array(switches) || !json_is_array(hosts) ||
        (n_switches == fabric->n_switches && n_hosts == n_own_hosts)) {
        return SF_OK;
    }
    return sf_fail(err, SF_EINVAL,
                   "%s: the plan is of %zu switches and %zu hosts, and the "
                   "fabric has %u and %zu",
                   path, n_switches, n_hosts, fabric->n_switches, n_own_hosts);
}

/* Reads the inventory: what ports are called, and how many layers there are.
 */
static enum sf_status
read_inventory(struct sf_ip_held *held, const char *folder,
               struct sf_error *err)
{
    static const char *const keys[] = { "switch_ports", "host_ports" };
    struct sf_port_names *rules[] = { &held->switch_ports, &held->host_ports };
    char path[4096];
    json_error_t error;

    (void)snprintf(path, sizeof path, "%s/inventory.json", folder);
    json_t *root = json_load_file(path, 0, &error);
    enum sf_status status = SF_OK;
    if (!root) {
        if (access(path, R_OK) == 0) {
            return sf_fail(err, SF_EPARSE, "%s:%d: %s", path, error.line,
                           error.text);
        }
        return errno == EACCES
                   ? sf_fail(err, SF_EIO, "%s: %s", path, strerror(errno))
                   : sf_fail(err, SF_EIO,
                             "%s: expected a folder that 'slimfly ip plan' "
                             "wrote, with a file inventory.json",
                             folder);
    }
    held->audit->n_files++;
    for (size_t i = 0; status == SF_OK && i < 2; i++) {
        const char *rule = json_string_value(json_object_get(root, keys[i]));
        status = sf_port_names_parse(rule ? rule : "", rules[i], err);
        if (status != SF_OK) {
            status = sf_fail(err, SF_EPARSE,
                             "%s: %s: expected a rule for names of ports",
                             path, keys[i]);
        }
    }
    if (status == SF_OK) {
        status = check_numbers(held, root, path, err);
    }
    held->n_layers =
        (uint32_t)json_integer_value(json_object_get(root, "layers"));
    const char *prefix = json_string_value(json_object_get(root, "prefix"));
    if (status == SF_OK && held->dumps &&
        sf_ip_prefix_parse(prefix ? prefix : "", &held->prefix, NULL) !=
            SF_OK) {
        status =
            sf_fail(err, SF_EPARSE, "%s: prefix: expected a prefix", path);
    }
    json_decref(root);
    return status;
}

/* Reads the file 'path' of a node into 'aux'. */
static enum sf_status
read_path(struct sf_ip_held *held, const char *path, uint32_t node,
          sf_ip_parse *parse, void *aux, struct sf_error *err)
{
    char *text;
    size_t length;
    struct sf_ip_reader reader = {
        .path = path,
        .ports = node < held->fabric->n_switches ? &held->switch_ports
                                                 : &held->host_ports,
        .n_ports = held->fabric->nodes[node].n_ports,
        .err = err,
        .aux = aux,
    };
    enum sf_status status = sf_file_read(path, &text, &length, err);

    if (status == SF_OK) {
        held->audit->n_files++;
        status = parse(&reader, text, length);
        free(text);
    }
    return status;
}

/* Reads one file of a node into 'aux'.  A file that is not there is an error,
 * or, if it may be missing, '*is_therep' is false. */
static enum sf_status
read_file(struct sf_ip_held *held, const char *folder, uint32_t node,
          const char *ending, sf_ip_parse *parse, void *aux, bool *is_therep,
          struct sf_error *err)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s/%s%s", folder,
                   node < held->fabric->n_switches ? "switches" : "hosts",
                   held->names->names[node], ending);
    if (is_therep) {
        *is_therep = access(path, F_OK) == 0;
        if (!*is_therep) {
            return SF_OK;
        }
    }
    return read_path(held, path, node, parse, aux, err);
}

/* Reads the routes of a switch: those that it holds, or is to hold. */
static enum sf_status
read_routes(struct sf_ip_held *held, const char *folder, uint32_t s,
            struct sf_error *err)
{
    struct sf_ip_dump dump = { held->prefix, held->audit, &held->entries[s] };
    char path[4096];

    if (!held->dumps) {
        return read_file(held, folder, s, ".routes.batch", sf_ip_parse_routes,
                         &held->entries[s], NULL, err);
    }
    (void)snprintf(path, sizeof path, "%s/%s.json", held->dumps,
                   held->names->names[s]);
    return read_path(held, path, s, sf_ip_parse_dump, &dump, err);
}

/* Whether a route leads to the loopback of a neighbour, over a port that leads
 * there: SONiC has such routes besides. */
static bool
is_to_neighbour(const struct sf_ip_held *held, uint32_t s,
                const struct sf_ip_entry *entry)
{
    const struct sf_fabric *fabric = held->fabric;
    uint32_t peer =
        entry->out && !entry->has_via
            ? fabric->ports[fabric->nodes[s].first_port + entry->out - 1].peer
            : SF_NONE;
    uint32_t node = peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;

    for (size_t i = 0; node < fabric->n_switches && i < held->owns[node].n;
         i++) {
        const struct sf_ip_own *own = &held->owns[node].items[i];
        if (own->port == 0 && entry->to.length == 32 &&
            sf_ip_address_equal(own->address, entry->to.address)) {
            return true;
        }
    }
    return false;
}

/* Compares the routes of another format with those of the batch. */
static enum sf_status
compare_format(struct sf_ip_held *held, const char *folder, uint32_t s,
               const char *ending, sf_ip_parse *parse, struct sf_error *err)
{
    struct sf_ip_entries other = { 0 };
    const struct sf_ip_entries *own = &held->entries[s];
    bool is_there;
    enum sf_status status =
        read_file(held, folder, s, ending, parse, &other, &is_there, err);

    size_t n_kept = 0;
    for (size_t i = 0; status == SF_OK && i < other.n; i++) {
        if (!is_to_neighbour(held, s, &other.items[i])) {
            other.items[n_kept++] = other.items[i];
        }
    }
    other.n = n_kept;
    sf_ip_entries_sort(&other);
    for (size_t i = 0;
         status == SF_OK && is_there && (i < own->n || i < other.n); i++) {
        const struct sf_ip_entry *a = &own->items[i], *b = &other.items[i];
        if (own->n == other.n && sf_ip_entry_compare(a, b) == 0 &&
            a->out == b->out && a->has_via == b->has_via &&
            (!a->has_via || sf_ip_address_equal(a->via, b->via))) {
            continue;
        }
        sf_ip_find_fault(
            held->audit,
            "switches/%s%s: has not the routes of %s.routes.batch",
            held->names->names[s], ending, held->names->names[s]);
        break;
    }
    free(other.items);
    return status;
}

static enum sf_status
read_switch(struct sf_ip_held *held, const char *folder, uint32_t s,
            struct sf_error *err)
{
    size_t side = (size_t)held->fabric->nodes[s].n_ports + 1;
    bool has_lanes;

    held->marks[s].marks = sf_calloc(side * side, 1);
    if (!held->marks[s].marks) {
        return sf_fail(err, SF_ENOMEM, "out of memory for lanes");
    }
    memset(held->marks[s].marks, SF_IP_NO_MARK, side * side);
    enum sf_status status = read_routes(held, folder, s, err);
    sf_ip_entries_sort(&held->entries[s]);
    held->audit->n_routes += held->entries[s].n;
    if (status == SF_OK) {
        status = read_file(held, folder, s, ".links.batch", sf_ip_parse_owns,
                           &held->owns[s], NULL, err);
    }
    if (status == SF_OK) {
        status = read_file(held, folder, s, ".lanes.nft", sf_ip_parse_nft,
                           &held->marks[s], &has_lanes, err);
    }
    return status;
}

/* Compares all other formats, which may be missing. */
static enum sf_status
compare_switch(struct sf_ip_held *held, const char *folder, uint32_t s,
               struct sf_error *err)
{
    enum sf_status status = compare_format(held, folder, s, ".staticd.conf",
                                           sf_ip_parse_staticd, err);

    return status == SF_OK ? compare_format(held, folder, s, ".sonic.json",
                                            sf_ip_parse_sonic, err)
                           : status;
}

enum sf_status
sf_ip_held_read(const struct sf_fabric *fabric, const char *folder,
                const char *dumps, struct sf_ip_audit *audit,
                struct sf_ip_held **heldp, struct sf_error *err)
{
    struct sf_ip_held *held = sf_calloc(1, sizeof *held);

    *heldp = held;
    if (!held) {
        return sf_fail(err, SF_ENOMEM, "out of memory for an audit");
    }
    held->fabric = fabric;
    held->dumps = dumps;
    held->audit = audit;
    held->entries = sf_calloc(fabric->n_switches, sizeof *held->entries);
    held->owns = sf_calloc(fabric->n_nodes, sizeof *held->owns);
    held->marks = sf_calloc(fabric->n_switches, sizeof *held->marks);
    if (!held->entries || !held->owns || !held->marks) {
        return sf_fail(err, SF_ENOMEM, "out of memory for an audit");
    }
    enum sf_status status = sf_ip_names_build(fabric, &held->names, err);
    if (status == SF_OK) {
        status = read_inventory(held, folder, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < fabric->n_nodes; i++) {
        status = i < fabric->n_switches
                     ? read_switch(held, folder, i, err)
                     : read_file(held, folder, i, ".host.batch",
                                 sf_ip_parse_owns, &held->owns[i], NULL, err);
    }
    for (uint32_t s = 0; status == SF_OK && !dumps && s < fabric->n_switches;
         s++) {
        status = compare_switch(held, folder, s, err);
    }
    return status == SF_OK && !dumps ? sf_ip_compare_csv(held, folder, err)
                                     : status;
}
