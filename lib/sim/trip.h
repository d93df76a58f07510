/* trip.h -- what all sources of paths share: who sends to whom, the words when
 * no path leads there, and the lane of the sender's own link. */
#ifndef SF_SIM_TRIP_H
#define SF_SIM_TRIP_H

#include "slimfly/path_source.h"

/* A hash of the switches, links and hosts of 'network'. */
uint64_t sf_trip_hash(const struct sf_network *network);

/* From a host to an address of another. */
struct sf_trip {
    const struct sf_network *network;
    uint32_t from, to, address;
};

/* The switch of 'host'. */
uint32_t sf_trip_switch(const struct sf_network *network, uint32_t host);

/* Says what became of the packets of 'trip' at switch 'at': "node0003 to
 * address 1 of node0007: no entry at switch sf-0-1-2".  Returns 'status'. */
enum sf_status sf_trip_fail(const struct sf_trip *trip, enum sf_status status,
                            uint32_t at, const char *what,
                            struct sf_error *err);

/* Appends an arc to 'path', which may be too long by then. */
static inline void
sf_trip_add(struct sf_path *path, uint32_t arc)
{
    if (path->n_arcs < SF_MAX_PATH_ARCS) {
        path->arcs[path->n_arcs] = arc;
    }
    path->n_arcs++;
}

/* Whether a packet that has crossed 'n_arcs' links must have passed a switch
 * twice: then it goes round for ever, since next hops depend on switch and
 * address only. */
static inline bool
sf_trip_is_circle(const struct sf_trip *trip, uint32_t n_arcs)
{
    return n_arcs >= trip->network->graph->n_nodes;
}

/* SF_ELIMIT if 'path', which arrives at switch 'at', is too long. */
enum sf_status sf_trip_check_length(const struct sf_trip *trip, uint32_t at,
                                    const struct sf_path *path,
                                    struct sf_error *err);

/* SF_EINVAL unless 'one_sl' is a service level or SF_SL_OF_PATH. */
enum sf_status sf_trip_check_sl(int one_sl, struct sf_error *err);

/* The VL on the link of a sender.
 *
 * OpenSM writes one SL-to-VL table into each adapter, if its option "qos" is
 * on.  By itself it writes VL = SL (qos_ca_sl2vl).  The plugin writes VL = SL
 * too for the SLs and VLs that the routing has, and VL 0 for all others
 * (opensm/subnet.c).  Without "qos" there is one VL, as far as anybody knows.
 * SLs beyond the VLs differ: OpenSM by itself cuts off their upper bits, which
 * only traffic with one such SL for all can meet.  No packet of another host
 * waits for this link, so its VL plays no part in deadlocks. */
static inline uint8_t
sf_trip_first_vl(uint32_t sl, uint32_t n_vls, uint32_t n_sls)
{
    return (uint8_t)(sl < n_vls && sl < n_sls ? sl : 0);
}

#endif
