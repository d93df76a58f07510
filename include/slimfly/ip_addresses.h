/* ip_addresses.h -- the address plan of a network on Ethernet and IP.
 *
 * An address is a prefix that all share, then three fields: the layer, the
 * switch and the port of that switch.  By default it
 * reads 10.LAYER.SWITCH.PORT or fd53:4c49:4d46:LLSS::PORT.  Each host has one
 * address a layer, named by the port that it is plugged into; a sender chooses
 * the layer by the address. Port 0 is the switch itself.  So all of a switch
 * in a layer is one prefix, and all of a layer is one prefix.
 *
 * The plan is arithmetic: it holds no list, and neither do those who use it.
 * Layers, switches and ports are numbered as in the fabric: layers and
 * switches from 0, ports from 1. */
#ifndef SLIMFLY_IP_ADDRESSES_H
#define SLIMFLY_IP_ADDRESSES_H

#include "slimfly/backend.h"
#include "slimfly/network.h"

#pragma GCC visibility push(default)

#define SF_IP_PREFIX  "10.0.0.0/8"
#define SF_IP6_PREFIX "fd53:4c49:4d46::/48"

/* The limits of this back end with the default prefix, for design. */
extern const struct sf_backend sf_backend_ip;

struct sf_ip_address {
    bool is_v6;
    uint8_t bytes[16]; /* In the order of the network; IPv4 has the first 4. */
};

struct sf_ip_prefix {
    struct sf_ip_address address; /* Bits behind the prefix are 0. */
    uint8_t length;               /* In bits. */
};

/* A text for the length of an expression: sf_ip_address_text(address).text. */
struct sf_ip_text {
    char text[64];
};
struct sf_ip_text sf_ip_address_text(struct sf_ip_address address);
struct sf_ip_text sf_ip_prefix_text(struct sf_ip_prefix prefix);

/* Reads "10.0.5.1"; or "10.0.5.0/24", where a missing length means a single
 * address and bits behind the prefix must be 0.  SF_EINVAL: 'err' says what
 * was found and what was expected. */
enum sf_status sf_ip_address_parse(const char *text,
                                   struct sf_ip_address *address,
                                   struct sf_error *err);
enum sf_status sf_ip_prefix_parse(const char *text,
                                  struct sf_ip_prefix *prefix,
                                  struct sf_error *err);

/* Whether two are the same; whether 'prefix' holds 'address'. */
bool sf_ip_address_equal(struct sf_ip_address a, struct sf_ip_address b);
bool sf_ip_prefix_holds(struct sf_ip_prefix prefix,
                        struct sf_ip_address address);

struct sf_ip_params {
    const char *prefix; /* That all share; NULL: SF_IP_PREFIX, or */
    bool is_v6;         /* SF_IP6_PREFIX.  A prefix says itself what it is. */
    uint32_t n_layers;  /* Addresses of a host; 0: one. */
};

struct sf_ip_addresses {
    struct sf_ip_prefix prefix; /* Its bits and those of the fields are 32, */
    uint8_t layer_bits, switch_bits, port_bits; /* or 128. */
    uint32_t n_layers, n_switches, max_port;    /* What is planned for. */
};

/* Shares out the bits behind the prefix for all switches and ports of
 * 'fabric'. Each field gets whole bytes if that fits.  If not, the layer gets
 * as many bits as it needs; if that is not enough, so does the switch, and at
 * last the port.  Bits that are left over go to the layer.  With IPv6 whole
 * hex digits take the place of bytes, and the port has 64 bits as long as that
 * fits. SF_EINVAL: the prefix is none, or not for hosts.  SF_ELIMIT: it is too
 * long, and 'err' says how long it may be. */
enum sf_status sf_ip_plan_addresses(const struct sf_fabric *fabric,
                                    const struct sf_ip_params *params,
                                    struct sf_ip_addresses *addresses,
                                    struct sf_error *err);

/* The address of port 'port' of switch 's' in 'layer': of the host there, or
 * with port 0 of the switch itself. */
struct sf_ip_address
sf_ip_port_address(const struct sf_ip_addresses *addresses, uint32_t layer,
                   uint32_t s, uint32_t port);

/* The loopback address of switch 's': that of its port 0 in layer 0. */
struct sf_ip_address sf_ip_loopback(const struct sf_ip_addresses *addresses,
                                    uint32_t s);

/* What others name as next hop to reach switch 's' over a link that has no
 * addresses of its own: with IPv4 its loopback, which must be said to be on
 * the link ("onlink"); with IPv6 fe80::N, N = s + 1, a link-local address that
 * each port of the switch has, as nobody answers for other addresses there. */
struct sf_ip_address sf_ip_next_hop(const struct sf_ip_addresses *addresses,
                                    uint32_t s);

/* All addresses of switch 's' and its hosts in 'layer'; all of 'layer'; the
 * one address of a port. */
struct sf_ip_prefix
sf_ip_switch_prefix(const struct sf_ip_addresses *addresses, uint32_t layer,
                    uint32_t s);
struct sf_ip_prefix sf_ip_layer_prefix(const struct sf_ip_addresses *addresses,
                                       uint32_t layer);
struct sf_ip_prefix sf_ip_port_prefix(const struct sf_ip_addresses *addresses,
                                      uint32_t layer, uint32_t s,
                                      uint32_t port);

/* Where an address leads: its three fields. */
struct sf_ip_place {
    uint32_t layer, s, port;
};

/* Finds the place of 'address'; false if the plan has no such layer, switch or
 * port. */
bool sf_ip_find(const struct sf_ip_addresses *addresses,
                struct sf_ip_address address, struct sf_ip_place *place);

/* The node of 'fabric' with 'address', which is a switch or the host that is
 * plugged in there, and the layer; SF_NONE if there is none. */
uint32_t sf_ip_find_node(const struct sf_ip_addresses *addresses,
                         const struct sf_fabric *fabric,
                         struct sf_ip_address address, uint32_t *layerp);

/* The place in layer 0 of host number 'host' of 'network' (network.h): its
 * switch and the port of that switch. */
struct sf_ip_place sf_ip_host_place(const struct sf_network *network,
                                    uint32_t host);

/* A MAC address that nobody else has: 'place' as a locally administered one,
 * 02:LAYER:SWITCH:SWITCH:PORT:SIDE, where side 0 is the port of the switch and
 * 1 what is plugged in there.  For networks that are not made of hardware. */
struct sf_ip_text sf_ip_mac_text(struct sf_ip_place place, uint32_t side);

/* The names of nodes where Linux names interfaces, hosts and containers: at
 * most 15 letters, digits and '-', neither first nor last a '-', all
 * different. A name that is so already is kept; if another becomes the same,
 * or none is left, a number is added. */
#define SF_IP_NAME_SIZE 16

struct sf_ip_names {
    uint32_t n_nodes;
    char (*names)[SF_IP_NAME_SIZE]; /* [n_nodes] In the order of the fabric. */
};

enum sf_status sf_ip_names_build(const struct sf_fabric *fabric,
                                 struct sf_ip_names **namesp,
                                 struct sf_error *err);
void sf_ip_names_free(struct sf_ip_names *names);

#pragma GCC visibility pop
#endif
