/* lids.c -- the addresses of a subnet: counted, and given to the ports of a
 * fabric. */
#include "slimfly/lids.h"

#include "base/mem.h"
#include "fabric/guids.h"
#include "slimfly/ib_addresses.h"

const struct sf_backend sf_ib_backend = {
    .name = "ib",
    .title = "InfiniBand",
    .address = "LID",
    .max_addresses = SF_MAX_LID,
    .max_host_addresses = 1 << SF_MAX_LMC,
    .max_ports = SF_MAX_PORTS,
    .in_powers_of_two = true,
};

uint32_t
sf_lmc_for_layers(uint32_t n_layers)
{
    uint32_t lmc = 0;
    while ((UINT32_C(1) << lmc) < n_layers) {
        lmc++;
    }
    return lmc;
}

/* Host ports that are plugged into something get addresses. */
static uint32_t
count_host_ports(const struct sf_fabric *fabric)
{
    uint32_t n = 0;
    for (uint32_t i = fabric->n_switches; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        for (uint32_t j = 0; j < node->n_ports; j++) {
            n += fabric->ports[node->first_port + j].peer != SF_NONE;
        }
    }
    return n;
}

static enum sf_status
fail_no_lids(const struct sf_fabric *fabric, uint32_t lmc,
             struct sf_error *err)
{
    uint32_t n_host_ports = count_host_ports(fabric);
    uint32_t fits = SF_NONE;

    for (uint32_t i = 0; i <= SF_MAX_LMC; i++) {
        /* The first block of hosts starts at a multiple of its size. */
        uint64_t size = 1u << i;
        uint64_t first = (fabric->n_switches + size) / size * size;
        if (first + n_host_ports * size - 1 <= SF_MAX_LID) {
            fits = i;
        }
    }
    if (fits == SF_NONE) {
        return sf_fail(err, SF_ELIMIT,
                       "%u switches and %u host ports are more than the %u "
                       "LIDs of a subnet",
                       fabric->n_switches, n_host_ports, SF_MAX_LID);
    }
    if (fits >= lmc) {
        return sf_fail(err, SF_ELIMIT,
                       "the LIDs that are kept leave no room for those of new "
                       "hosts, with LMC %u; new LIDs for all would fit",
                       lmc);
    }
    return sf_fail(err, SF_ELIMIT,
                   "%u layers need LMC %u, and %u switches with %u host ports "
                   "would then need more than the %u LIDs of a subnet; at "
                   "most %u layer%s",
                   1u << lmc, lmc, fabric->n_switches, n_host_ports,
                   SF_MAX_LID, 1u << fits, fits == 0 ? " fits" : "s fit");
}

/* Marks 'n' LIDs from 'lid' on as used; false, and nothing done, if there are
 * no such LIDs or one is used already. */
static bool
claim_lids(bool *is_used, uint32_t lid, uint32_t n)
{
    if (lid == 0 || lid + n - 1 > SF_MAX_LID) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (is_used[lid + i]) {
            return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        is_used[lid + i] = true;
    }
    return true;
}

/* Takes over the LIDs of 'previous' for nodes that were there, marking them
 * in 'is_used'. */
static enum sf_status
keep_lids(struct sf_fabric *fabric, uint32_t lmc,
          const struct sf_fabric *previous, bool *is_used,
          struct sf_error *err)
{
    struct sf_ids ids;

    if (!sf_fabric_sort_guids(previous, previous->n_nodes, &ids)) {
        sf_ids_clear(&ids);
        return sf_fail(err, SF_ENOMEM, "out of memory for LIDs");
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        uint32_t before = sf_ids_find(&ids, node->guid);
        if (before == SF_NONE || previous->nodes[before].kind != node->kind) {
            continue;
        }
        const struct sf_node *old = &previous->nodes[before];
        if (node->kind == SF_NODE_SWITCH) {
            uint16_t lid = sf_ib_node(previous, before)->lid;
            sf_ib_change_node(fabric, i)->lid =
                claim_lids(is_used, lid, 1) ? lid : 0;
            continue;
        }
        for (uint32_t j = 0; j < node->n_ports && j < old->n_ports; j++) {
            const struct sf_ib_port *from =
                sf_ib_port(previous, old->first_port + j);
            uint32_t to = node->first_port + j;
            if (fabric->ports[to].peer != SF_NONE && from->lmc == lmc &&
                from->lid % (1u << lmc) == 0 &&
                claim_lids(is_used, from->lid, 1u << lmc)) {
                sf_ib_change_port(fabric, to)->lid = from->lid;
            }
        }
    }
    sf_ids_clear(&ids);
    return SF_OK;
}

/* The first multiple of 'size' from '*nextp' on whose 'size' LIDs are free; 0
 * if there is none. */
static uint32_t
take_lids(const bool *is_used, uint32_t size, uint32_t *nextp)
{
    for (uint32_t lid = (*nextp + size - 1) / size * size;
         lid + size - 1 <= SF_MAX_LID; lid += size) {
        uint32_t n_free = 0;
        while (n_free < size && !is_used[lid + n_free]) {
            n_free++;
        }
        if (n_free == size && lid > 0) {
            *nextp = lid + size;
            return lid;
        }
    }
    return 0;
}

enum sf_status
sf_fabric_assign_lids(struct sf_fabric *fabric, uint32_t lmc,
                      const struct sf_fabric *previous, struct sf_error *err)
{
    if (lmc > SF_MAX_LMC) {
        return sf_fail(err, SF_ELIMIT,
                       "LMC %u: InfiniBand has at most LMC %d, 128 layers",
                       lmc, SF_MAX_LMC);
    }
    enum sf_status status = sf_ib_add_side(fabric, err);
    if (status != SF_OK) {
        return status;
    }
    uint32_t size = 1u << lmc, next = 1;
    bool *is_used = sf_calloc(SF_MAX_LID + 1, sizeof *is_used);
    if (!is_used) {
        return sf_fail(err, SF_ENOMEM, "out of memory for LIDs");
    }
    for (uint32_t i = 0; i < fabric->n_nodes; i++) {
        sf_ib_change_node(fabric, i)->lid = 0;
        sf_ib_change_node(fabric, i)->lmc = 0;
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        *sf_ib_change_port(fabric, i) = (struct sf_ib_port){ 0 };
    }
    if (previous) {
        status = keep_lids(fabric, lmc, previous, is_used, err);
    }
    for (uint32_t i = 0; status == SF_OK && i < fabric->n_switches; i++) {
        struct sf_ib_node *node = sf_ib_change_node(fabric, i);
        if (!node->lid) {
            node->lid = (uint16_t)take_lids(is_used, 1, &next);
        }
        if (!node->lid) {
            status = fail_no_lids(fabric, lmc, err);
        }
    }
    for (uint32_t i = fabric->n_switches;
         status == SF_OK && i < fabric->n_nodes; i++) {
        const struct sf_node *node = &fabric->nodes[i];
        for (uint32_t j = 0; status == SF_OK && j < node->n_ports; j++) {
            uint32_t index = node->first_port + j;
            struct sf_ib_port *port = sf_ib_change_port(fabric, index);
            if (fabric->ports[index].peer == SF_NONE) {
                continue;
            }
            port->lmc = (uint8_t)lmc;
            if (!port->lid) {
                port->lid = (uint16_t)take_lids(is_used, size, &next);
            }
            if (!port->lid) {
                status = fail_no_lids(fabric, lmc, err);
            }
        }
    }
    free(is_used);
    return status;
}
