/* placement.c -- which hosts a job runs on.  Each placement puts the hosts
 * into an order; a job gets the first ones that no other job has. */
#include "sim/placement.h"

#include "base/file.h"
#include "base/mem.h"
#include "fabric/host_names.h"
#include "sim/workload.h"
#include "slimfly/random.h"

#include <string.h>

/* Of the seed; other uses of it have lower numbers. */
#define STREAM_PLACEMENT (UINT64_MAX - 1)

#define FILE_PREFIX "file:"

/* Hosts in the order in which they are to be taken. */
struct order {
    const struct sf_network *network;
    uint32_t *hosts; /* [n] */
    uint32_t n;
};

/* Gives the first 'n_hosts' hosts of 'order' that are free to a job; 'origin'
 * says in messages where the order is from. */
static enum sf_status
take(const struct order *order, const char *origin, uint32_t n_hosts,
     bool *is_taken, uint32_t *hosts, struct sf_error *err)
{
    uint32_t n_free = 0;

    for (uint32_t i = 0; i < order->n; i++) {
        n_free += !is_taken[order->hosts[i]];
    }
    if (n_hosts > n_free) {
        return sf_fail(err, SF_EINVAL,
                       "placement '%.256s': %u nodes are asked for, and %u "
                       "hosts are free",
                       origin, n_hosts, n_free);
    }
    for (uint32_t i = 0, n = 0; n < n_hosts; i++) {
        if (!is_taken[order->hosts[i]]) {
            is_taken[order->hosts[i]] = true;
            hosts[n++] = order->hosts[i];
        }
    }
    return SF_OK;
}

/* The node of a host of a network with a fabric. */
static const struct sf_node *
node_of(const struct sf_network *network, uint32_t host)
{
    const struct sf_fabric *fabric = network->fabric;
    return &fabric->nodes[fabric->ports[network->host_ports[host]].node];
}

static enum sf_status
order_by_switches(struct order *order, uint64_t seed, struct sf_error *err)
{
    (void)seed;
    (void)err;
    for (uint32_t h = 0; h < order->n; h++) {
        order->hosts[h] = h;
    }
    return SF_OK;
}

static enum sf_status
order_at_random(struct order *order, uint64_t seed, struct sf_error *err)
{
    struct sf_random random;

    order_by_switches(order, seed, err);
    sf_random_init(&random, seed, STREAM_PLACEMENT);
    sf_random_shuffle(&random, order->hosts, order->n);
    return SF_OK;
}

/* A host and what it is sorted by. */
struct placed {
    uint32_t rack, host;
};

static int
compare_racks(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->rack != y->rack ? (x->rack < y->rack ? -1 : 1)
                              : (x->host > y->host) - (x->host < y->host);
}

static enum sf_status
order_by_racks(struct order *order, uint64_t seed, struct sf_error *err)
{
    const struct sf_network *network = order->network;
    enum sf_status status = SF_OK;
    struct placed *placed = sf_calloc(order->n, sizeof *placed);

    (void)seed;
    if (!placed) {
        return sf_fail(err, SF_ENOMEM, "out of memory for a placement");
    }
    for (uint32_t h = 0; status == SF_OK && h < order->n; h++) {
        uint32_t rack = network->fabric ? node_of(network, h)->rack : SF_NONE;
        placed[h] = (struct placed){ rack, h };
        if (rack == SF_NONE) {
            status = sf_fail(err, SF_EINVAL,
                             "placement 'racks': the racks of this fabric are "
                             "not known; give a plan, or place by 'switches'");
        }
    }
    qsort(placed, order->n, sizeof *placed, compare_racks);
    for (uint32_t i = 0; i < order->n; i++) {
        order->hosts[i] = placed[i].host;
    }
    free(placed);
    return status;
}

struct reader {
    const char *path;
    struct sf_host_names names;
    uint32_t *lines; /* [hosts] The line that names it; 0: none. */
    struct order order;
    struct sf_error *err;
};

static enum sf_status
take_line(void *aux, uint32_t line, char *text)
{
    struct reader *reader = aux;

    text = sf_text_trim(text);
    if (*text == '\0' || *text == '#') {
        return SF_OK;
    }
    uint32_t host = sf_host_names_find(&reader->names, text);
    if (host == SF_NONE) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%.256s:%u: '%.64s': expected a host of this fabric",
                       reader->path, line, text);
    }
    if (reader->lines[host]) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%.256s:%u: '%.64s': expected each host once, and line "
                       "%u has it",
                       reader->path, line, text, reader->lines[host]);
    }
    reader->lines[host] = line;
    reader->order.hosts[reader->order.n++] = host;
    return SF_OK;
}

/* Reads the file at 'path', or 'text' if nonnull. */
static enum sf_status
read_file(const char *path, char *text, size_t length,
          const struct sf_network *network, struct order *order,
          struct sf_error *err)
{
    struct reader reader = {
        .path = path,
        .lines = sf_calloc(order->n, sizeof *reader.lines),
        .order = { network, order->hosts, 0 },
        .err = err,
    };
    enum sf_status status = sf_host_names_build(network, &reader.names, err);

    if (status == SF_OK && !reader.lines) {
        status = sf_fail(err, SF_ENOMEM, "%.256s: out of memory", path);
    }
    if (status == SF_OK) {
        status =
            text ? sf_text_lines(text, length, path, take_line, &reader, err)
                 : sf_file_lines(path, take_line, &reader, err);
    }
    order->n = reader.order.n;
    free(reader.lines);
    sf_host_names_clear(&reader.names);
    return status;
}

static enum sf_status
make_order(const struct sf_network *network, struct order *order,
           struct sf_error *err)
{
    uint32_t n = sf_network_count_hosts(network);

    *order = (struct order){ network, sf_calloc(n, sizeof *order->hosts), n };
    return order->hosts
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for a placement");
}

/* As a file says: 'text' if nonnull, else what stands at 'path'. */
static enum sf_status
take_from_file(const char *path, char *text, size_t length,
               const struct sf_network *network, uint32_t n_hosts,
               bool *is_taken, uint32_t *hosts, struct sf_error *err)
{
    struct order order;

    if (!network->fabric) {
        return sf_fail(err, SF_EINVAL,
                       "%.256s: a placement from a file needs a fabric, whose "
                       "hosts have names",
                       path);
    }
    enum sf_status status = make_order(network, &order, err);
    if (status == SF_OK) {
        status = read_file(path, text, length, network, &order, err);
    }
    if (status == SF_OK) {
        status = take(&order, path, n_hosts, is_taken, hosts, err);
    }
    free(order.hosts);
    return status;
}

enum sf_status
sf_placement_parse(char *text, size_t length, const char *path,
                   const struct sf_network *network, uint32_t n_hosts,
                   bool *is_taken, uint32_t *hosts, struct sf_error *err)
{
    return take_from_file(path, text, length, network, n_hosts, is_taken,
                          hosts, err);
}

typedef enum sf_status put_in_order(struct order *order, uint64_t seed,
                                    struct sf_error *err);

/* The placement called 'name'; NULL if there is none. */
static put_in_order *
find_placement(const char *name)
{
    static const struct {
        const char *name;
        put_in_order *put;
    } placements[] = {
        { "racks", order_by_racks },
        { "switches", order_by_switches },
        { "random", order_at_random },
    };

    for (size_t i = 0; i < sizeof placements / sizeof *placements; i++) {
        if (!strcmp(placements[i].name, name)) {
            return placements[i].put;
        }
    }
    return NULL;
}

enum sf_status
sf_placement_take(const struct sf_network *network, const char *placement,
                  uint32_t n_hosts, uint64_t seed, bool *is_taken,
                  uint32_t *hosts, struct sf_error *err)
{
    size_t prefix = strlen(FILE_PREFIX);
    struct order order;

    if (!strncmp(placement, FILE_PREFIX, prefix) && placement[prefix]) {
        return take_from_file(placement + prefix, NULL, 0, network, n_hosts,
                              is_taken, hosts, err);
    }
    put_in_order *put = find_placement(placement);
    if (!put) {
        return sf_fail(err, SF_EINVAL,
                       "placement '%.64s': expected racks, switches, random "
                       "or file:PATH",
                       placement);
    }
    enum sf_status status = make_order(network, &order, err);
    if (status == SF_OK) {
        status = put(&order, seed, err);
    }
    if (status == SF_OK) {
        status = take(&order, placement, n_hosts, is_taken, hosts, err);
    }
    free(order.hosts);
    return status;
}
