/* ip_addresses.c -- the address plan: see slimfly/ip_addresses.h. */
#include "slimfly/ip_addresses.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct sf_backend sf_backend_ip = {
    .name = "ip",
    .title = "Ethernet and IP",
    .address = "IP address",
    .max_addresses = UINT32_C(1) << 24,
    .max_host_addresses = 128,
    .max_ports = SF_MAX_PORTS,
};

static uint32_t
width(struct sf_ip_address address)
{
    return address.is_v6 ? 128 : 32;
}

/* Writes 'value' into the 'n_bits' bits from number 'first' on. */
static void
put_bits(struct sf_ip_address *address, uint32_t first, uint32_t n_bits,
         uint64_t value)
{
    for (uint32_t i = first + n_bits; i-- > first; value >>= 1) {
        uint8_t bit = (uint8_t)(0x80 >> i % 8);
        if (value & 1) {
            address->bytes[i / 8] |= bit;
        } else {
            address->bytes[i / 8] &= (uint8_t)~bit;
        }
    }
}

static uint64_t
get_bits(const struct sf_ip_address *address, uint32_t first, uint32_t n_bits)
{
    uint64_t value = 0;

    for (uint32_t i = first; i < first + n_bits; i++) {
        value = value << 1 | (address->bytes[i / 8] >> (7 - i % 8) & 1);
    }
    return value;
}

struct sf_ip_text
sf_ip_address_text(struct sf_ip_address address)
{
    struct sf_ip_text text = { "" };

    inet_ntop(address.is_v6 ? AF_INET6 : AF_INET, address.bytes, text.text,
              sizeof text.text);
    return text;
}

struct sf_ip_text
sf_ip_prefix_text(struct sf_ip_prefix prefix)
{
    struct sf_ip_text text = sf_ip_address_text(prefix.address);
    size_t end = strlen(text.text);

    (void)snprintf(text.text + end, sizeof text.text - end, "/%u",
                   prefix.length);
    return text;
}

enum sf_status
sf_ip_address_parse(const char *text, struct sf_ip_address *address,
                    struct sf_error *err)
{
    *address = (struct sf_ip_address){ .is_v6 = strchr(text, ':') };
    if (inet_pton(address->is_v6 ? AF_INET6 : AF_INET, text, address->bytes) !=
        1) {
        return sf_fail(err, SF_EINVAL,
                       "'%.60s' is no IP address: expected one such as "
                       "10.0.5.1 or fd00::5:1",
                       text);
    }
    return SF_OK;
}

/* Whether all bits of 'address' from number 'first' on are 0. */
static bool
ends_in_zeros(const struct sf_ip_address *address, uint32_t first)
{
    for (uint32_t i = first; i < width(*address); i++) {
        if (get_bits(address, i, 1)) {
            return false;
        }
    }
    return true;
}

enum sf_status
sf_ip_prefix_parse(const char *text, struct sf_ip_prefix *prefix,
                   struct sf_error *err)
{
    const char *slash = strchr(text, '/');
    size_t n = slash ? (size_t)(slash - text) : strlen(text);
    char address[64] = "";

    *prefix = (struct sf_ip_prefix){ 0 };
    if (n < sizeof address) {
        (void)snprintf(address, sizeof address, "%.*s", (int)n, text);
    }
    if (sf_ip_address_parse(address, &prefix->address, NULL) != SF_OK) {
        return sf_fail(err, SF_EINVAL,
                       "'%.60s' is no prefix: expected one such as %s or %s",
                       text, SF_IP_PREFIX, SF_IP6_PREFIX);
    }
    uint32_t most = width(prefix->address);
    uint32_t length = slash ? 0 : most;
    const char *digit = slash ? slash + 1 : "";
    for (; *digit >= '0' && *digit <= '9' && length <= most; digit++) {
        length = 10 * length + (uint32_t)(*digit - '0');
    }
    if (*digit || length > most || (slash && !slash[1])) {
        return sf_fail(err, SF_EINVAL,
                       "'%.60s' is no prefix: expected a length of 0 to %u "
                       "behind the '/'",
                       text, most);
    }
    prefix->length = (uint8_t)length;
    if (!ends_in_zeros(&prefix->address, length)) {
        return sf_fail(err, SF_EINVAL,
                       "'%.60s' is no prefix: bits behind the first %u are "
                       "not 0",
                       text, length);
    }
    return SF_OK;
}

bool
sf_ip_address_equal(struct sf_ip_address a, struct sf_ip_address b)
{
    return a.is_v6 == b.is_v6 && memcmp(a.bytes, b.bytes, width(a) / 8) == 0;
}

bool
sf_ip_prefix_holds(struct sf_ip_prefix prefix, struct sf_ip_address address)
{
    for (uint32_t i = 0; i < prefix.length; i++) {
        if (get_bits(&address, i, 1) != get_bits(&prefix.address, i, 1)) {
            return false;
        }
    }
    return prefix.address.is_v6 == address.is_v6;
}

/* Whether two prefixes have an address in common. */
static bool
overlap(struct sf_ip_prefix a, struct sf_ip_prefix b)
{
    return a.length <= b.length ? sf_ip_prefix_holds(a, b.address)
                                : sf_ip_prefix_holds(b, a.address);
}

/* Refuses prefixes with addresses that are not for hosts. */
static enum sf_status
check_prefix(const struct sf_ip_prefix *prefix, struct sf_error *err)
{
    static const struct {
        const char *prefix, *what;
    } reserved[] = {
        { "0.0.0.0/8", "stands for this network" },
        { "127.0.0.0/8", "is for loopback" },
        { "169.254.0.0/16", "is for addresses of one link" },
        { "224.0.0.0/4", "is for multicast" },
        { "240.0.0.0/4", "is reserved" },
        { "::/128", "stands for no address" },
        { "::1/128", "is for loopback" },
        { "fe80::/10", "is for addresses of one link" },
        { "ff00::/8", "is for multicast" },
    };

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++) {
        struct sf_ip_prefix other;
        if (sf_ip_prefix_parse(reserved[i].prefix, &other, NULL) == SF_OK &&
            overlap(*prefix, other)) {
            return sf_fail(err, SF_EINVAL,
                           "%s is not for hosts, as %s %s: expected "
                           "one such as %s or %s",
                           sf_ip_prefix_text(*prefix).text, reserved[i].prefix,
                           reserved[i].what, SF_IP_PREFIX, SF_IP6_PREFIX);
        }
    }
    return SF_OK;
}

/* How many bits the numbers below 'n' need. */
static uint32_t
count_bits(uint32_t n)
{
    uint32_t bits = 0;

    while (bits < 32 && (UINT64_C(1) << bits) < n) {
        bits++;
    }
    return bits;
}

/* Bits of layer, switch and port. */
struct fields {
    uint32_t layer, s, port;
};

/* Fields of whole 'unit's, for as many of port, switch and layer as
 * 'n_whole' says. */
static struct fields
round_fields(struct fields need, uint32_t unit, uint32_t n_whole)
{
    if (n_whole > 0) {
        need.port = (need.port + unit - 1) / unit * unit;
    }
    if (n_whole > 1) {
        need.s = (need.s + unit - 1) / unit * unit;
    }
    if (n_whole > 2) {
        need.layer = (need.layer + unit - 1) / unit * unit;
    }
    return need;
}

/* Chooses fields within 'n_free' bits for what is needed, which fits. */
static struct fields
choose_fields(struct fields need, bool is_v6, uint32_t n_free)
{
    struct fields fields = need;
    bool fits = false;

    for (uint32_t i = is_v6 ? 0 : 4; !fits && i < 8; i++) {
        fields = round_fields(need, is_v6 ? 4 : 8, 3 - i % 4);
        if (i < 4) {
            fields.port = 64;
        }
        fits = fields.layer + fields.s + fields.port <= n_free;
    }
    fields.layer = n_free - fields.s - fields.port;
    return fields;
}

static enum sf_status
share_bits(struct sf_ip_addresses *addresses, struct sf_error *err)
{
    struct fields need = {
        .layer = count_bits(addresses->n_layers),
        .s = count_bits(addresses->n_switches),
        .port = count_bits(addresses->max_port + 1),
    };
    uint32_t all = width(addresses->prefix.address);
    uint32_t n_free = all - addresses->prefix.length;
    uint32_t n_needed = need.layer + need.s + need.port;

    if (n_needed > n_free) {
        return sf_fail(
            err, SF_ELIMIT,
            "%s is too long: %u layer%s, %u switches and ports up to %u need "
            "%u + %u + %u bits, and it leaves %u: choose a prefix of at most "
            "%u bits",
            sf_ip_prefix_text(addresses->prefix).text, addresses->n_layers,
            addresses->n_layers == 1 ? "" : "s", addresses->n_switches,
            addresses->max_port, need.layer, need.s, need.port, n_free,
            all - n_needed);
    }
    struct fields fields =
        choose_fields(need, addresses->prefix.address.is_v6, n_free);
    addresses->layer_bits = (uint8_t)fields.layer;
    addresses->switch_bits = (uint8_t)fields.s;
    addresses->port_bits = (uint8_t)fields.port;
    return SF_OK;
}

enum sf_status
sf_ip_plan_addresses(const struct sf_fabric *fabric,
                     const struct sf_ip_params *params,
                     struct sf_ip_addresses *addresses, struct sf_error *err)
{
    const char *prefix = params->prefix  ? params->prefix
                         : params->is_v6 ? SF_IP6_PREFIX
                                         : SF_IP_PREFIX;

    *addresses = (struct sf_ip_addresses){
        .n_layers = params->n_layers ? params->n_layers : 1,
        .n_switches = fabric->n_switches,
    };
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        if (fabric->nodes[s].n_ports > addresses->max_port) {
            addresses->max_port = fabric->nodes[s].n_ports;
        }
    }
    enum sf_status status =
        sf_ip_prefix_parse(prefix, &addresses->prefix, err);
    if (status == SF_OK) {
        status = check_prefix(&addresses->prefix, err);
    }
    return status == SF_OK ? share_bits(addresses, err) : status;
}

struct sf_ip_address
sf_ip_port_address(const struct sf_ip_addresses *addresses, uint32_t layer,
                   uint32_t s, uint32_t port)
{
    struct sf_ip_address address = addresses->prefix.address;
    uint32_t at = addresses->prefix.length;

    put_bits(&address, at, addresses->layer_bits, layer);
    at += addresses->layer_bits;
    put_bits(&address, at, addresses->switch_bits, s);
    at += addresses->switch_bits;
    put_bits(&address, at, addresses->port_bits, port);
    return address;
}

struct sf_ip_address
sf_ip_loopback(const struct sf_ip_addresses *addresses, uint32_t s)
{
    return sf_ip_port_address(addresses, 0, s, 0);
}

struct sf_ip_address
sf_ip_next_hop(const struct sf_ip_addresses *addresses, uint32_t s)
{
    if (!addresses->prefix.address.is_v6) {
        return sf_ip_loopback(addresses, s);
    }
    struct sf_ip_address address = { .is_v6 = true, .bytes = { 0xfe, 0x80 } };
    put_bits(&address, 96, 32, (uint64_t)s + 1);
    return address;
}

struct sf_ip_prefix
sf_ip_port_prefix(const struct sf_ip_addresses *addresses, uint32_t layer,
                  uint32_t s, uint32_t port)
{
    return (struct sf_ip_prefix){
        .address = sf_ip_port_address(addresses, layer, s, port),
        .length = addresses->prefix.address.is_v6 ? 128 : 32,
    };
}

struct sf_ip_prefix
sf_ip_switch_prefix(const struct sf_ip_addresses *addresses, uint32_t layer,
                    uint32_t s)
{
    struct sf_ip_prefix prefix = sf_ip_port_prefix(addresses, layer, s, 0);

    prefix.length = (uint8_t)(prefix.length - addresses->port_bits);
    return prefix;
}

struct sf_ip_prefix
sf_ip_layer_prefix(const struct sf_ip_addresses *addresses, uint32_t layer)
{
    struct sf_ip_prefix prefix = sf_ip_switch_prefix(addresses, layer, 0);

    prefix.length = (uint8_t)(prefix.length - addresses->switch_bits);
    return prefix;
}

bool
sf_ip_find(const struct sf_ip_addresses *addresses,
           struct sf_ip_address address, struct sf_ip_place *place)
{
    uint32_t at = addresses->prefix.length;

    if (!sf_ip_prefix_holds(addresses->prefix, address)) {
        return false;
    }
    uint64_t layer = get_bits(&address, at, addresses->layer_bits);
    at += addresses->layer_bits;
    uint64_t s = get_bits(&address, at, addresses->switch_bits);
    at += addresses->switch_bits;
    uint64_t port = get_bits(&address, at, addresses->port_bits);
    *place = (struct sf_ip_place){
        .layer = (uint32_t)layer,
        .s = (uint32_t)s,
        .port = (uint32_t)port,
    };
    return layer < addresses->n_layers && s < addresses->n_switches &&
           port <= addresses->max_port;
}

uint32_t
sf_ip_find_node(const struct sf_ip_addresses *addresses,
                const struct sf_fabric *fabric, struct sf_ip_address address,
                uint32_t *layerp)
{
    struct sf_ip_place place;

    if (!sf_ip_find(addresses, address, &place) ||
        place.s >= fabric->n_switches) {
        return SF_NONE;
    }
    *layerp = place.layer;
    if (place.port == 0) {
        return place.s;
    }
    uint32_t port = sf_fabric_port(fabric, place.s, place.port);
    uint32_t peer = port == SF_NONE ? SF_NONE : fabric->ports[port].peer;
    uint32_t node = peer == SF_NONE ? SF_NONE : fabric->ports[peer].node;
    return node != SF_NONE && node >= fabric->n_switches ? node : SF_NONE;
}

struct sf_ip_place
sf_ip_host_place(const struct sf_network *network, uint32_t host)
{
    const struct sf_fabric *fabric = network->fabric;
    const struct sf_port *port =
        &fabric->ports[fabric->ports[network->host_ports[host]].peer];

    return (struct sf_ip_place){ .s = port->node, .port = port->number };
}

struct sf_ip_text
sf_ip_mac_text(struct sf_ip_place place, uint32_t side)
{
    struct sf_ip_text text;

    (void)snprintf(text.text, sizeof text.text, "02:%02x:%02x:%02x:%02x:%02x",
                   place.layer & 0xff, place.s >> 8 & 0xff, place.s & 0xff,
                   place.port & 0xff, side & 0xff);
    return text;
}
