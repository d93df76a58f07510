/* ip.h -- a routing in the terms of Ethernet and IP: what each switch routes
 * where, what it does when a link is down, and which class a packet goes on
 * in.
 *
 * A switch has one route for each other switch and layer, whose destination is
 * the prefix of that switch in that layer (ip_addresses.h).  Where hosts of
 * one switch are on different path sets, those whose next hop differs from
 * that of path set 0 have routes of their own, which are longer prefixes and
 * so come first.  Links have no addresses: a route names the port and the next
 * hop. */
#ifndef SLIMFLY_IP_H
#define SLIMFLY_IP_H

#include "slimfly/ip_addresses.h"
#include "slimfly/routing.h"

#pragma GCC visibility push(default)

/* What a route is for.  Of the routes of one destination, the one of the least
 * metric counts whose port has a link (in Linux with the setting
 * ignore_routes_with_linkdown). */
enum sf_ip_kind {
    SF_IP_ROUTE,            /* Towards another switch. */
    SF_IP_LOCAL,            /* To a host on this switch. */
    SF_IP_ALTERNATE,        /* In place of a route whose link is down. */
    SF_IP_ALTERNATE_SWITCH, /* The same, and also if the next switch is. */
    SF_IP_UNREACHABLE,      /* Says that the destination is unreachable: on the
                             * prefixes of the switch itself, so that packets
                             * to hosts that are not there do not leave by a
                             * default route; and for a host with a route of
                             * its own that has no alternate in case the next
                             * switch is down, so that its packets do not take
                             * the route of the switch prefix, which might
                             * lead round in a circle. */
};

#define SF_IP_METRIC             10 /* Routes and local routes. */
#define SF_IP_ALTERNATE_METRIC   100
#define SF_IP_UNREACHABLE_METRIC 200

struct sf_ip_route {
    uint32_t destination; /* A switch. */
    uint32_t neighbour;   /* The switch at the other end of 'out'; SF_NONE with
                           * a local route or an unreachable one. */
    uint16_t layer;
    uint8_t port; /* Of the destination, for a single host; 0: all of the
                   * switch. */
    uint8_t out;  /* The port by which packets leave; 0: they do not. */
    uint8_t kind; /* An enum sf_ip_kind. */
};

/* The metric of a kind. */
uint32_t sf_ip_metric(enum sf_ip_kind kind);

static inline bool
sf_ip_is_alternate(const struct sf_ip_route *route)
{
    return route->kind == SF_IP_ALTERNATE ||
           route->kind == SF_IP_ALTERNATE_SWITCH;
}

/* Lanes by turns: a switch puts a packet into a class by the port that it came
 * in by and the one that it leaves by, whatever class it came in. */
struct sf_ip_lanes {
    uint32_t n_lanes;
    size_t *first;  /* [n_switches] Where a switch starts in 'lanes'. */
    uint8_t *lanes; /* [(n_ports + 1)^2 each] By in port and out port, of which
                     * 0 is the switch itself; SF_IP_NO_LANE: no path turns
                     * here, and the packet goes in the lossy class. */
};
#define SF_IP_NO_LANE UINT8_MAX

/* All that switches need. */
struct sf_ip_tables {
    struct sf_ip_addresses addresses;
    uint32_t n_switches;
    size_t *first; /* [n_switches + 1] Where the routes of a switch start. */
    struct sf_ip_route *routes;   /* Of each switch by layer, destination, port
                                   * and metric. */
    struct sf_ip_lanes *lanes;    /* NULL: the routing has none, or some that
                                   * need service levels. */
    uint64_t n_without_alternate; /* Of the routes towards other switches. */
};

/* Which alternates are wanted. */
enum sf_ip_alternates {
    SF_IP_ALTERNATES_LINKS, /* All that are loop-free. */
    SF_IP_ALTERNATES_LANES, /* Of these, the ones that keep the lanes free of
                             * deadlock. */
    SF_IP_ALTERNATES_NONE,
};

/* Encodes 'routes' of 'network', which has a fabric, with 'addresses', planned
 * for that fabric and for as many layers as 'routes' have addresses; a fabric
 * that has lost cables since may keep its plan.
 *
 * An alternate of switch s for a destination is a port with a link to a switch
 * m whose path to that destination does not lead through s.  What that gives:
 *  - If one link is down and only the two switches at its ends take
 * alternates, each packet that comes to one of them and finds an alternate
 * arrives, and no packet goes round in a circle.  A packet that finds none is
 * dropped at that switch.
 *  - The same if one switch is down and its neighbours take alternates of the
 *    kind SF_IP_ALTERNATE_SWITCH, for packets to other switches.  Those that
 *    take alternates of the other kind may go round in a circle.
 *  - Nothing is said of two links or switches that are down at once.
 * Among several, a parallel link comes first, then those of the second kind,
 * then the shorter path, then the port that is the alternate of fewest. */
enum sf_status sf_ip_encode(const struct sf_network *network,
                            const struct sf_routes *routes,
                            const struct sf_ip_addresses *addresses,
                            enum sf_ip_alternates alternates,
                            struct sf_ip_tables **tablesp,
                            struct sf_error *err);
void sf_ip_tables_free(struct sf_ip_tables *tables);

/* The prefix of the destination of 'route'. */
struct sf_ip_prefix sf_ip_destination(const struct sf_ip_tables *tables,
                                      const struct sf_ip_route *route);

/* The lane of packets that come to switch 's' by port 'in' and leave by 'out',
 * which has 'n_ports' ports; SF_IP_NO_LANE also if there are no lanes. */
uint8_t sf_ip_lane(const struct sf_ip_tables *tables, uint32_t s,
                   uint32_t n_ports, uint32_t in, uint32_t out);

/* What changes on a switch from one table to another.  The destination, layer,
 * port and metric of 'before' and 'after' are the same if there are both. */
struct sf_ip_change {
    uint32_t s;
    bool is_new;  /* 'after' is added; */
    bool is_gone; /* 'before' is deleted; neither: it is replaced. */
    struct sf_ip_route before, after;
};

struct sf_ip_changes {
    size_t n;
    struct sf_ip_change *changes; /* [n] By switch; of a switch, those that are
                                   * replaced or added come first. */
};

/* Compares two tables with the same addresses, switch by switch.  SF_EINVAL if
 * the addresses or the number of switches differ. */
enum sf_status sf_ip_compare(const struct sf_ip_tables *before,
                             const struct sf_ip_tables *after,
                             struct sf_ip_changes **changesp,
                             struct sf_error *err);
void sf_ip_changes_free(struct sf_ip_changes *changes);

/* What switch 's' does with a packet for 'to', which is not itself, while the
 * ports that 'is_down' [256] marks have no link; NULL: all have one.  The
 * route that counts, or NULL if there is none. */
const struct sf_ip_route *sf_ip_look_up(const struct sf_ip_tables *tables,
                                        uint32_t s, struct sf_ip_place to,
                                        const bool *is_down);

#pragma GCC visibility pop
#endif
