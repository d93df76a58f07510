/* machines.c -- host names from node descriptions, in linear order; and
 * hostfiles in the orders to place jobs by. */
#include "settings/machines.h"

#include "base/mem.h"
#include "plan/identify.h"
#include "settings/settings_writers.h"
#include "slimfly/random.h"

#include <string.h>

/* What is in the adapters that some switches have for reductions inside of
 * the network; they are no hosts. */
#define AGGREGATION "Aggregation Node"

bool
sf_is_host_character(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

/* The first word of 'description' if it can be a host name; SF_EINVAL and
 * what to do if not. */
static enum sf_status
take_name(const char *description, char **namep, struct sf_error *err)
{
    size_t length = 0;

    while (sf_is_host_character(description[length])) {
        length++;
    }
    if (!length || description[0] == '-' ||
        (description[length] && description[length] != ' ')) {
        return sf_fail(err, SF_EINVAL,
                       "node description '%s' does not start with a host "
                       "name; set it on the host (rdma-ndd does), or leave "
                       "out slurm and hosts (--only)",
                       description);
    }
    *namep = sf_calloc(length + 1, 1);
    if (!*namep) {
        return sf_fail(err, SF_ENOMEM, "out of memory for host names");
    }
    memcpy(*namep, description, length);
    return SF_OK;
}

/* A name and what it is the name of. */
struct named {
    const char *name;
    uint32_t index;
};

static int
compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Finds the racks of the switches of 'fabric', as the switches of the same
 * names stand in 'plan'. */
static enum sf_status
find_racks(const struct sf_fabric *fabric, const struct sf_plan *plan,
           uint32_t *racks, struct sf_error *err)
{
    struct sf_name_index *planned;
    uint32_t n_found = 0;

    if (!plan) {
        return SF_OK;
    }
    enum sf_status status = sf_name_index_build(plan->fabric, &planned, err);
    if (status != SF_OK) {
        return status;
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        uint32_t found =
            sf_name_index_find(planned, SF_NODE_SWITCH, fabric->nodes[s].name);
        racks[s] =
            found != SF_NONE ? plan->fabric->nodes[found].rack : SF_NONE;
        n_found += found != SF_NONE;
    }
    sf_name_index_free(planned);
    return n_found ? SF_OK
                   : sf_fail(err, SF_EINVAL,
                             "no switch of the fabric has the name of one in "
                             "the plan %s; --guids FILE names them by GUID",
                             plan->spec);
}

static int
compare_hosts(const void *a, const void *b)
{
    const struct sf_host *x = a, *y = b;

    if (x->rack != y->rack) {
        return x->rack < y->rack ? -1 : 1;
    }
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return (x->port > y->port) - (x->port < y->port);
}

/* Where 'node' is plugged into a switch first; false if nowhere. */
static bool
find_switch(const struct sf_fabric *fabric, uint32_t node,
            struct sf_host *host)
{
    const struct sf_node *adapter = &fabric->nodes[node];

    for (uint32_t i = 0; i < adapter->n_ports; i++) {
        uint32_t peer = fabric->ports[adapter->first_port + i].peer;
        if (peer != SF_NONE && fabric->ports[peer].node < fabric->n_switches) {
            host->node = node;
            host->at = fabric->ports[peer].node;
            host->port = fabric->ports[peer].number;
            return true;
        }
    }
    return false;
}

/* Adds all adapters that are plugged into switches. */
static enum sf_status
add_adapters(const struct sf_fabric *fabric, const struct sf_plan *plan,
             struct sf_hosts *hosts, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t i = fabric->n_switches;
         status == SF_OK && i < fabric->n_nodes; i++) {
        struct sf_host *host = &hosts->items[hosts->n];
        if (strstr(fabric->nodes[i].name, AGGREGATION) ||
            !find_switch(fabric, i, host)) {
            continue;
        }
        host->rack = hosts->racks[host->at];
        host->part = plan && host->rack != SF_NONE
                         ? plan->racks[host->rack].group
                         : host->rack;
        status = take_name(fabric->nodes[i].name, &host->name, err);
        hosts->n += status == SF_OK;
    }
    if (status == SF_OK && !hosts->n) {
        status = sf_fail(err, SF_EINVAL, "no host is plugged into a switch");
    }
    return status;
}

/* Leaves one of the adapters of each name, the first in linear order. */
static enum sf_status
join_adapters(const struct sf_fabric *fabric, struct sf_hosts *hosts,
              struct sf_error *err)
{
    struct named *names = sf_calloc(hosts->n, sizeof *names);
    enum sf_status status = SF_OK;
    uint32_t n = 0;

    if (!names) {
        return sf_fail(err, SF_ENOMEM, "out of memory for host names");
    }
    for (uint32_t i = 0; i < hosts->n; i++) {
        names[i] = (struct named){ hosts->items[i].name, i };
    }
    qsort(names, hosts->n, sizeof *names, compare_named);
    uint32_t first = 0; /* The first entry of the same name. */
    for (uint32_t i = 1; status == SF_OK && i < hosts->n; i++) {
        if (strcmp(names[i].name, names[first].name) != 0) {
            first = i;
            continue;
        }
        const char *description =
            fabric->nodes[hosts->items[names[i].index].node].name;
        for (uint32_t k = first; status == SF_OK && k < i; k++) {
            uint32_t other = hosts->items[names[k].index].node;
            if (!strcmp(description, fabric->nodes[other].name)) {
                status = sf_fail(
                    err, SF_EINVAL,
                    "two adapters have the node description '%s', so hosts "
                    "cannot be told apart; set it on each host (rdma-ndd "
                    "does), or leave out slurm and hosts (--only)",
                    description);
            }
        }
        hosts->items[names[i].index].at = SF_NONE;
    }
    free(names);
    for (uint32_t i = 0; status == SF_OK && i < hosts->n; i++) {
        if (hosts->items[i].at == SF_NONE) {
            free(hosts->items[i].name);
        } else {
            hosts->items[n++] = hosts->items[i];
        }
    }
    hosts->n = status == SF_OK ? n : hosts->n;
    return status;
}

enum sf_status
sf_hosts_list(const struct sf_fabric *fabric, const struct sf_plan *plan,
              struct sf_hosts *hosts, struct sf_error *err)
{
    uint32_t n_adapters = fabric->n_nodes - fabric->n_switches;

    *hosts = (struct sf_hosts){ 0 };
    hosts->racks = sf_calloc(fabric->n_switches, sizeof *hosts->racks);
    hosts->items = sf_calloc(n_adapters + 1, sizeof *hosts->items);
    if (!hosts->racks || !hosts->items) {
        sf_hosts_clear(hosts);
        return sf_fail(err, SF_ENOMEM, "out of memory for host names");
    }
    enum sf_status status = find_racks(fabric, plan, hosts->racks, err);
    if (status == SF_OK) {
        status = add_adapters(fabric, plan, hosts, err);
    }
    if (status == SF_OK) {
        qsort(hosts->items, hosts->n, sizeof *hosts->items, compare_hosts);
        status = join_adapters(fabric, hosts, err);
    }
    if (status != SF_OK) {
        sf_hosts_clear(hosts);
    }
    return status;
}

void
sf_hosts_clear(struct sf_hosts *hosts)
{
    for (uint32_t i = 0; i < hosts->n; i++) {
        free(hosts->items[i].name);
    }
    free(hosts->items);
    free(hosts->racks);
    *hosts = (struct sf_hosts){ 0 };
}

/* Orders 'hosts', which are in linear order, into 'order'. */
typedef bool put_in_order(const struct sf_hosts *hosts, uint64_t seed,
                          uint32_t *order);

static bool
put_linear(const struct sf_hosts *hosts, uint64_t seed, uint32_t *order)
{
    (void)seed;
    for (uint32_t i = 0; i < hosts->n; i++) {
        order[i] = i;
    }
    return true;
}

static bool
put_random(const struct sf_hosts *hosts, uint64_t seed, uint32_t *order)
{
    struct sf_random random;

    put_linear(hosts, seed, order);
    sf_random_init(&random, seed, 0);
    sf_random_shuffle(&random, order, hosts->n);
    return true;
}

/* When the turn of a host comes: in a rack, first hosts of its switches go
 * before second ones; then the k-th hosts of all racks go before the next.
 * A group that stands in several racks counts as one. */
struct turn {
    uint32_t of_switch; /* Its number among the hosts of its switch, */
    uint32_t of_rack;   /* and among those of its rack in that order. */
    uint32_t rack, host;
};

static int
compare_in_rack(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->rack != y->rack) {
        return x->rack < y->rack ? -1 : 1;
    }
    if (x->of_switch != y->of_switch) {
        return x->of_switch < y->of_switch ? -1 : 1;
    }
    return (x->host > y->host) - (x->host < y->host);
}

static int
compare_turns(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->of_rack != y->of_rack) {
        return x->of_rack < y->of_rack ? -1 : 1;
    }
    return (x->rack > y->rack) - (x->rack < y->rack);
}

static bool
put_spread(const struct sf_hosts *hosts, uint64_t seed, uint32_t *order)
{
    struct turn *turns = sf_calloc(hosts->n, sizeof *turns);

    (void)seed;
    if (!turns) {
        return false;
    }
    for (uint32_t i = 0; i < hosts->n; i++) {
        bool goes_on = i && hosts->items[i].at == hosts->items[i - 1].at;
        turns[i].of_switch = goes_on ? turns[i - 1].of_switch + 1 : 0;
        turns[i].rack = hosts->items[i].part;
        turns[i].host = i;
    }
    qsort(turns, hosts->n, sizeof *turns, compare_in_rack);
    for (uint32_t i = 1; i < hosts->n; i++) {
        bool goes_on = turns[i].rack == turns[i - 1].rack;
        turns[i].of_rack = goes_on ? turns[i - 1].of_rack + 1 : 0;
    }
    qsort(turns, hosts->n, sizeof *turns, compare_turns);
    for (uint32_t i = 0; i < hosts->n; i++) {
        order[i] = turns[i].host;
    }
    free(turns);
    return true;
}

/* A host name a line and nothing else: every launcher reads that. */
static enum sf_status
write_hostfile(const struct sf_settings *settings, put_in_order *put,
               FILE *stream, struct sf_error *err)
{
    struct sf_hosts hosts;
    enum sf_status status =
        sf_hosts_list(settings->fabric, settings->plan, &hosts, err);

    if (status != SF_OK) {
        return status;
    }
    uint32_t *order = sf_calloc(hosts.n, sizeof *order);
    bool is_made = order && put(&hosts, settings->seed, order);
    if (!is_made) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a hostfile");
    }
    for (uint32_t i = 0; is_made && i < hosts.n; i++) {
        fprintf(stream, "%s\n", hosts.items[order[i]].name);
    }
    free(order);
    sf_hosts_clear(&hosts);
    return status;
}

enum sf_status
sf_settings_write_linear(const struct sf_settings *settings, FILE *stream,
                         struct sf_error *err)
{
    return write_hostfile(settings, put_linear, stream, err);
}

enum sf_status
sf_settings_write_random(const struct sf_settings *settings, FILE *stream,
                         struct sf_error *err)
{
    return write_hostfile(settings, put_random, stream, err);
}

enum sf_status
sf_settings_write_spread(const struct sf_settings *settings, FILE *stream,
                         struct sf_error *err)
{
    return write_hostfile(settings, put_spread, stream, err);
}
