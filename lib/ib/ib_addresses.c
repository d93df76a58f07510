/* ib_addresses.c -- see slimfly/ib_addresses.h. */
#include "slimfly/ib_addresses.h"

const struct sf_side_kind sf_ib_side = {
    .name = "InfiniBand",
    .node_size = sizeof(struct sf_ib_node),
    .port_size = sizeof(struct sf_ib_port),
};

const struct sf_ib_node sf_ib_no_node = { 0 };
const struct sf_ib_port sf_ib_no_port = { 0 };

enum sf_status
sf_ib_add_side(struct sf_fabric *fabric, struct sf_error *err)
{
    if (sf_ib_has_side(fabric)) {
        return SF_OK;
    }
    enum sf_status status = sf_fabric_add_side(fabric, &sf_ib_side, err);
    for (uint32_t i = 0; status == SF_OK && i < fabric->n_nodes; i++) {
        sf_ib_change_node(fabric, i)->system_guid = fabric->nodes[i].guid;
    }
    return status;
}
