/* ib_addresses.h -- what only InfiniBand knows of the nodes and ports of a
 * fabric: LIDs, and what devices say of themselves.  It stands in the side
 * table of the fabric (fabric.h).  Fabrics that were read from InfiniBand have
 * it; planned ones get it with their LIDs (lids.h). */
#ifndef SLIMFLY_IB_ADDRESSES_H
#define SLIMFLY_IB_ADDRESSES_H

#include "slimfly/fabric.h"

#pragma GCC visibility push(default)

struct sf_ib_node {
    uint64_t system_guid; /* Of the chassis; 0 if not known. */
    uint32_t vendor, device;
    uint16_t lid; /* Of a switch's port 0; 0 if none was given. */
    uint8_t lmc;
    bool enhanced_port0; /* Whether a switch's port 0 is an enhanced one. */
};

/* Hosts only: those of switches are zeros. */
struct sf_ib_port {
    uint16_t lid; /* 0 if none was given. */
    uint8_t lmc;
};

/* The kind of the side table. */
extern const struct sf_side_kind sf_ib_side;

/* What is known where there is no such table. */
extern const struct sf_ib_node sf_ib_no_node;
extern const struct sf_ib_port sf_ib_no_port;

/* Gives 'fabric' the table if it has none: no LIDs, and each node is a system
 * of its own.  SF_EINVAL if 'fabric' belongs to another back end. */
enum sf_status sf_ib_add_side(struct sf_fabric *fabric, struct sf_error *err);

static inline bool
sf_ib_has_side(const struct sf_fabric *fabric)
{
    return fabric->side.kind == &sf_ib_side;
}

/* Node and port number 'i' of 'fabric': zeros if it has no such table. */
static inline const struct sf_ib_node *
sf_ib_node(const struct sf_fabric *fabric, uint32_t i)
{
    return sf_ib_has_side(fabric)
               ? (const struct sf_ib_node *)fabric->side.nodes + i
               : &sf_ib_no_node;
}

static inline const struct sf_ib_port *
sf_ib_port(const struct sf_fabric *fabric, uint32_t i)
{
    return sf_ib_has_side(fabric)
               ? (const struct sf_ib_port *)fabric->side.ports + i
               : &sf_ib_no_port;
}

/* The same to be changed, of a fabric that has the table. */
static inline struct sf_ib_node *
sf_ib_change_node(struct sf_fabric *fabric, uint32_t i)
{
    return (struct sf_ib_node *)fabric->side.nodes + i;
}

static inline struct sf_ib_port *
sf_ib_change_port(struct sf_fabric *fabric, uint32_t i)
{
    return (struct sf_ib_port *)fabric->side.ports + i;
}

#pragma GCC visibility pop
#endif
