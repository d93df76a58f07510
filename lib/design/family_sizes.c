/* family_sizes.c -- which sizes each family comes in.
 *
 * Of Slim Fly, PolarFly and HyperX all sizes are listed.  Trees, Dragonfly,
 * Xpander and Jellyfish grow in steps: leaves, pods, groups, lifts, switches.
 * Of these only the two sizes next to the wanted number of endpoints are
 * listed, for each choice of the other numbers. */
#include "design/family_sizes.h"

#include "slimfly/field.h"
#include "topology/fattree.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MAX_Q              128 /* As in the families themselves. */
#define MAX_HX_SIDE        256
#define MAX_PARALLEL_LINKS 4
#define MAX_OVER           3 /* [Blach24] has 3 hosts for each link up. */

/* The hosts that a switch with 'link_ports' links could carry. */
static uint32_t
hosts_for(const struct size_query *query, uint32_t link_ports, uint32_t p)
{
    if (link_ports >= query->ports) {
        return 0;
    }
    double most = p * (query->overload > 1 ? query->overload : 1);
    uint32_t free_ports = query->ports - link_ports;
    uint32_t n = most < free_ports ? (uint32_t)most : free_ports;
    return query->non_blocking && n > link_ports ? link_ports : n;
}

/* Appends 'network' if enough hosts find a port and the limits are kept. */
static bool
add(const struct size_query *query, struct network_size network,
    network_size_list *list)
{
    network.ports = query->ports;
    network.p_max = hosts_for(query, network.link_ports, network.p);
    if (network.p_max == 0 ||
        !network_size_is_worthwhile(&network, network.p_max) ||
        network.n_switches > SF_MAX_SWITCHES ||
        network.n_links > SF_MAX_LINKS) {
        return true;
    }
    return sf_vec_push(list, network);
}

/* How many steps of 'unit' endpoints hold the wanted ones, from min to max. */
static uint32_t
steps_for(const struct size_query *query, uint32_t unit, uint32_t min,
          uint32_t max)
{
    uint64_t n = ((uint64_t)query->n_endpoints + unit - 1) / (unit ? unit : 1);
    return n < min ? min : n > max ? max : (uint32_t)n;
}

/* Appends ",p=P" to a spec where that is not what the family recommends. */
static void
add_hosts(const struct network_size *network, uint32_t p,
          char spec[SF_SPEC_SIZE])
{
    size_t used = strlen(spec);
    if (p != network->p) {
        snprintf(spec + used, SF_SPEC_SIZE - used, ",p=%u", p);
    }
}

struct sf_slimfly_size
sf_slimfly_size(uint32_t q)
{
    /* q = 4w + delta; for q = 4w + 2, which is never a prime power above 2,
     * [Blach24] rounds as for delta = 0. */
    uint32_t network_radix = (3 * q + (q % 4 == 3)) / 2;
    uint32_t p = (network_radix + 1) / 2;
    return (struct sf_slimfly_size){ q, 2 * q * q, network_radix, p,
                                     2 * q * q * p };
}

static bool
list_slimfly(const struct size_query *query, network_size_list *list)
{
    bool is_ok = true;

    for (uint32_t q = 3; q <= MAX_Q && is_ok; q = sf_prime_power_above(q)) {
        struct sf_slimfly_size size = sf_slimfly_size(q);
        is_ok = add(query,
                    (struct network_size){
                        .numbers = { q },
                        .n_hosting = size.n_switches,
                        .n_switches = size.n_switches,
                        .n_links = (uint64_t)q * q * size.network_radix,
                        .link_ports = size.network_radix,
                        .p = size.concentration,
                    },
                    list);
    }
    return is_ok;
}

static void
write_slimfly_spec(const struct network_size *network, uint32_t p,
                   char spec[SF_SPEC_SIZE])
{
    snprintf(spec, SF_SPEC_SIZE, "sf:q=%u", network->numbers[0]);
    add_hosts(network, p, spec);
}

static void
write_ft2_spec(const struct network_size *network, uint32_t p,
               char spec[SF_SPEC_SIZE])
{
    size_t used =
        (size_t)snprintf(spec, SF_SPEC_SIZE, "ft2:ports=%u", network->ports);
    if (network->numbers[0] < network->ports) {
        snprintf(spec + used, SF_SPEC_SIZE - used, ",leaf=%u",
                 network->numbers[0]);
    }
    add_hosts(network, p, spec);
}

static void
write_ft2b_spec(const struct network_size *network, uint32_t p,
                char spec[SF_SPEC_SIZE])
{
    size_t used = (size_t)snprintf(spec, SF_SPEC_SIZE, "ft2b:ports=%u,over=%u",
                                   network->ports, network->numbers[1]);
    if (network->numbers[0] < network->ports) {
        snprintf(spec + used, SF_SPEC_SIZE - used, ",leaf=%u",
                 network->numbers[0]);
    }
    add_hosts(network, p, spec);
}

static void
write_ft3_spec(const struct network_size *network, uint32_t p,
               char spec[SF_SPEC_SIZE])
{
    size_t used = (size_t)snprintf(spec, SF_SPEC_SIZE, "ft3:ports=%u",
                                   network->numbers[1]);
    if (network->numbers[0] < network->numbers[1]) {
        snprintf(spec + used, SF_SPEC_SIZE - used, ",pods=%u",
                 network->numbers[0]);
    }
    add_hosts(network, p, spec);
}

static void
write_hyperx_spec(const struct network_size *network, uint32_t p,
                  char spec[SF_SPEC_SIZE])
{
    snprintf(spec, SF_SPEC_SIZE, "hx2:%ux%u", network->numbers[0],
             network->numbers[1]);
    add_hosts(network, p, spec);
    size_t used = strlen(spec);
    if (network->numbers[2] > 1) {
        snprintf(spec + used, SF_SPEC_SIZE - used, ",links=%u",
                 network->numbers[2]);
    }
}

static void
write_dragonfly_spec(const struct network_size *network, uint32_t p,
                     char spec[SF_SPEC_SIZE])
{
    snprintf(spec, SF_SPEC_SIZE, "df:a=%u,h=%u", network->numbers[0],
             network->numbers[1]);
    add_hosts(network, p, spec);
    size_t used = strlen(spec);
    if (network->numbers[2] < network->numbers[0] * network->numbers[1] + 1) {
        snprintf(spec + used, SF_SPEC_SIZE - used, ",g=%u",
                 network->numbers[2]);
    }
}

static void
write_polarfly_spec(const struct network_size *network, uint32_t p,
                    char spec[SF_SPEC_SIZE])
{
    snprintf(spec, SF_SPEC_SIZE, "pf:q=%u", network->numbers[0]);
    add_hosts(network, p, spec);
}

static void
write_xpander_spec(const struct network_size *network, uint32_t p,
                   char spec[SF_SPEC_SIZE])
{
    snprintf(spec, SF_SPEC_SIZE, "xpander:k=%u,lift=%u", network->numbers[0],
             network->numbers[1]);
    add_hosts(network, p, spec);
}

static void
write_jellyfish_spec(const struct network_size *network, uint32_t p,
                     char spec[SF_SPEC_SIZE])
{
    snprintf(spec, SF_SPEC_SIZE, "jellyfish:n=%u,k=%u", network->numbers[2],
             network->numbers[0]);
    add_hosts(network, p, spec);
}

/* A two-level tree of 'n_leaf' leaves with 'n_up' links up each. */
static bool
add_two_levels(const struct size_query *query, uint32_t n_leaf, uint32_t n_up,
               uint32_t over, network_size_list *list)
{
    uint32_t n_core = sf_fat_tree_cores(n_up, query->ports, n_leaf);
    return add(query,
               (struct network_size){
                   .numbers = { n_leaf, over },
                   .n_hosting = n_leaf,
                   .n_switches = n_leaf + n_core,
                   .n_links = (uint64_t)n_leaf * n_up,
                   .link_ports = n_up,
                   .p = n_up * over,
               },
               list);
}

/* Trees with 'over' hosts for each link up, of the next number of leaves that
 * holds the endpoints and of one leaf less. */
static bool
add_trees(const struct size_query *query, uint32_t over,
          network_size_list *list)
{
    uint32_t n_up = query->ports / (over + 1);
    uint32_t n_leaf =
        steps_for(query, hosts_for(query, n_up, n_up * over), 2, query->ports);

    if (n_up == 0) {
        return true;
    }
    return add_two_levels(query, n_leaf, n_up, over, list) &&
           (n_leaf == 2 ||
            add_two_levels(query, n_leaf - 1, n_up, over, list));
}

static bool
list_ft2(const struct size_query *query, network_size_list *list)
{
    return add_trees(query, 1, list);
}

static bool
list_ft2b(const struct size_query *query, network_size_list *list)
{
    bool is_ok = true;
    for (uint32_t over = 2; over <= MAX_OVER && is_ok; over++) {
        is_ok = add_trees(query, over, list);
    }
    return is_ok;
}

static bool
add_pods(const struct size_query *query, uint32_t n_pods,
         network_size_list *list)
{
    uint32_t half = query->ports / 2; /* Of an odd number one stays free. */
    uint32_t n_edge = n_pods * half;
    uint32_t n_core = sf_fat_tree_cores(half, 2 * half, n_pods);
    return add(query,
               (struct network_size){
                   .numbers = { n_pods, 2 * half },
                   .n_hosting = n_edge,
                   .n_switches = 2 * n_edge + half * n_core,
                   .n_links = 2 * (uint64_t)n_edge * half,
                   .link_ports = half,
                   .p = half,
               },
               list);
}

static bool
list_ft3(const struct size_query *query, network_size_list *list)
{
    struct size_query even = *query;
    even.ports -= query->ports % 2;
    even.overload = 1;
    uint32_t half = even.ports / 2;
    uint32_t n_pods = steps_for(&even, half * half, 2, even.ports);
    size_t first = list->n;

    bool is_ok = add_pods(&even, n_pods, list) &&
                 (n_pods == 2 || add_pods(&even, n_pods - 1, list));
    for (size_t i = first; i < list->n; i++) {
        list->items[i].ports = query->ports;
    }
    return is_ok;
}

/* Squares and those with one column more, with parallel links where ports are
 * left: longer sides would make the short ones a bottleneck. */
static bool
list_hyperx(const struct size_query *query, network_size_list *list)
{
    bool is_ok = true;

    for (uint32_t rows = 2; rows <= MAX_HX_SIDE && is_ok; rows++) {
        for (uint32_t i = 0; i < 2 * MAX_PARALLEL_LINKS && is_ok; i++) {
            uint32_t columns = rows + i % 2, n_parallel = i / 2 + 1;
            uint32_t degree = (rows + columns - 2) * n_parallel;
            is_ok = add(query,
                        (struct network_size){
                            .numbers = { rows, columns, n_parallel },
                            .n_hosting = rows * columns,
                            .n_switches = rows * columns,
                            .n_links = (uint64_t)rows * columns * degree / 2,
                            .link_ports = degree,
                            .p = (degree + 1) / 2,
                        },
                        list);
        }
    }
    return is_ok;
}

static bool
add_dragonfly(const struct size_query *query, uint32_t h, uint32_t g,
              network_size_list *list)
{
    assert(g > 1);
    uint32_t a = 2 * h;
    uint32_t n_global = a * h;
    uint32_t n_left = n_global % (g - 1); /* After the last full round. */
    /* An odd link out stays free where it has no partner. */
    bool is_one_free = g % 2 == 1 && n_left % 2 == 1;
    uint64_t n_local = (uint64_t)g * a * (a - 1) / 2;
    return add(
        query,
        (struct network_size){
            .numbers = { a, h, g },
            .n_hosting = a * g,
            .n_switches = a * g,
            .n_links = n_local + (uint64_t)g * (n_global - is_one_free) / 2,
            .link_ports = a - 1 + h,
            .p = h,
        },
        list);
}

/* Balanced ones, a = 2h = 2p [Kim08]. */
static bool
list_dragonfly(const struct size_query *query, network_size_list *list)
{
    bool is_ok = true;

    for (uint32_t h = 1; 3 * h - 1 < query->ports && is_ok; h++) {
        uint32_t p = hosts_for(query, 3 * h - 1, h);
        uint32_t g = steps_for(query, 2 * h * p, 2, 2 * h * h + 1);
        is_ok = add_dragonfly(query, h, g, list) &&
                (g == 2 || add_dragonfly(query, h, g - 1, list));
    }
    return is_ok;
}

static bool
list_polarfly(const struct size_query *query, network_size_list *list)
{
    bool is_ok = true;

    for (uint32_t q = 2; q <= MAX_Q && is_ok; q = sf_prime_power_above(q)) {
        uint32_t n = q * q + q + 1;
        is_ok = add(query,
                    (struct network_size){
                        .numbers = { q },
                        .n_hosting = n,
                        .n_switches = n,
                        .n_links = (uint64_t)q * (q + 1) * (q + 1) / 2,
                        .link_ports = q + 1,
                        .p = (q + 2) / 2,
                    },
                    list);
    }
    return is_ok;
}

/* How many switches with 'p' hosts each there are addresses for. */
static uint32_t
most_switches(const struct size_query *query, uint32_t p)
{
    return query->max_addresses / (p + 1);
}

static bool
add_random(const struct size_query *query, uint32_t k, uint32_t lift,
           uint32_t n, network_size_list *list)
{
    return add(query,
               (struct network_size){
                   .numbers = { k, lift, n },
                   .n_hosting = n,
                   .n_switches = n,
                   .n_links = (uint64_t)n * k / 2,
                   .link_ports = k,
                   .p = k / 2,
               },
               list);
}

/* Random graphs have no largest size but what the addresses allow; an even
 * degree k makes p = k / 2 exact and the number of link ends even. */
static bool
list_xpander(const struct size_query *query, network_size_list *list)
{
    bool is_ok = true;

    for (uint32_t k = 4; k < query->ports && is_ok; k += 2) {
        uint32_t p = hosts_for(query, k, k / 2);
        uint32_t most = most_switches(query, p) / (k + 1);
        uint32_t lift = steps_for(query, (k + 1) * p, 2, most < 2 ? 2 : most);
        is_ok = add_random(query, k, lift, lift * (k + 1), list) &&
                (lift == 2 ||
                 add_random(query, k, lift - 1, (lift - 1) * (k + 1), list));
    }
    return is_ok;
}

static bool
list_jellyfish(const struct size_query *query, network_size_list *list)
{
    bool is_ok = true;

    for (uint32_t k = 4; k < query->ports && is_ok; k += 2) {
        uint32_t p = hosts_for(query, k, k / 2);
        uint32_t n = steps_for(query, p, k + 1, most_switches(query, p));
        is_ok = add_random(query, k, 0, n, list) &&
                (n == k + 1 || add_random(query, k, 0, n - 1, list));
    }
    return is_ok;
}

static const struct family_sizes slimfly = { "sf", list_slimfly,
                                             write_slimfly_spec };
static const struct family_sizes ft2 = { "ft2", list_ft2, write_ft2_spec };
static const struct family_sizes ft2b = { "ft2b", list_ft2b, write_ft2b_spec };
static const struct family_sizes ft3 = { "ft3", list_ft3, write_ft3_spec };
static const struct family_sizes hyperx = { "hx2", list_hyperx,
                                            write_hyperx_spec };
static const struct family_sizes dragonfly = { "df", list_dragonfly,
                                               write_dragonfly_spec };
static const struct family_sizes polarfly = { "pf", list_polarfly,
                                              write_polarfly_spec };
static const struct family_sizes xpander = { "xpander", list_xpander,
                                             write_xpander_spec };
static const struct family_sizes jellyfish = { "jellyfish", list_jellyfish,
                                               write_jellyfish_spec };

const struct family_sizes *const sf_all_family_sizes[] = {
    &slimfly,   &ft2,      &ft2b,    &ft3,       &hyperx,
    &dragonfly, &polarfly, &xpander, &jellyfish, NULL,
};

const struct family_sizes *
sf_family_sizes_find(const char *name, size_t length)
{
    for (size_t i = 0; sf_all_family_sizes[i]; i++) {
        if (strlen(sf_all_family_sizes[i]->name) == length &&
            !strncmp(sf_all_family_sizes[i]->name, name, length)) {
            return sf_all_family_sizes[i];
        }
    }
    return NULL;
}

bool
sf_family_sizes_near(const struct family_sizes *family,
                     const struct size_query *query, network_size_list *list)
{
    size_t first = list->n;
    uint32_t number = sf_family_find(family->name);

    if (query->non_blocking && sf_families[number]->level_coord == SF_NONE) {
        return true;
    }
    bool is_ok = family->list(query, list);
    for (size_t i = first; i < list->n; i++) {
        list->items[i].family = family;
    }
    return is_ok;
}
