/* carry.c -- tables of one state of a fabric, as tables of another: switches
 * are the same by GUID, ports by their numbers, LIDs as they are. */
#include "base/mem.h"
#include "fabric/guids.h"
#include "ib/tables.h"
#include "slimfly/ib_addresses.h"
#include "slimfly/lids.h"
#include "slimfly/sl2vl.h"

#include <string.h>

/* For each switch of 'to', its number in 'from' or SF_NONE; NULL if memory
 * ran out. */
static uint32_t *
find_switches(const struct sf_fabric *from, const struct sf_fabric *to,
              struct sf_error *err)
{
    uint32_t *found = sf_calloc(to->n_switches, sizeof *found);
    struct sf_ids ids;

    if (!found || !sf_fabric_sort_guids(from, from->n_switches, &ids)) {
        free(found);
        sf_fail(err, SF_ENOMEM, "out of memory to compare switches");
        return NULL;
    }
    for (uint32_t s = 0; s < to->n_switches; s++) {
        found[s] = sf_ids_find(&ids, to->nodes[s].guid);
    }
    sf_ids_clear(&ids);
    return found;
}

enum sf_status
sf_tables_carry(const struct sf_tables *tables, const struct sf_fabric *from,
                const struct sf_fabric *to, struct sf_tables **carriedp,
                struct sf_error *err)
{
    *carriedp = NULL;
    uint32_t *there = find_switches(from, to, err);
    if (!there) {
        return SF_ENOMEM;
    }
    enum sf_status status = sf_tables_make(to, carriedp, err);
    for (uint32_t s = 0; status == SF_OK && s < to->n_switches; s++) {
        uint32_t last = tables->max_lid < (*carriedp)->max_lid
                            ? tables->max_lid
                            : (*carriedp)->max_lid;
        if (there[s] != SF_NONE) {
            memcpy(sf_tables_of(*carriedp, s), sf_tables_of(tables, there[s]),
                   last + 1);
        }
    }
    free(there);
    return status;
}

enum sf_status
sf_sl2vl_carry(const struct sf_sl2vl *sl2vl, const struct sf_fabric *from,
               const struct sf_fabric *to, struct sf_sl2vl **carriedp,
               struct sf_error *err)
{
    *carriedp = NULL;
    uint32_t *there = find_switches(from, to, err);
    if (!there) {
        return SF_ENOMEM;
    }
    enum sf_status status = sf_sl2vl_make(to, carriedp, err);
    for (uint32_t s = 0; status == SF_OK && s < to->n_switches; s++) {
        uint32_t n = there[s] == SF_NONE ? 0 : sl2vl->n_ports[there[s]] + 1;
        for (uint32_t in = 0; in < n && in <= (*carriedp)->n_ports[s]; in++) {
            for (uint32_t out = 0; out < n && out <= (*carriedp)->n_ports[s];
                 out++) {
                memcpy(sf_sl2vl_of(*carriedp, s, in, out),
                       sf_sl2vl_of(sl2vl, there[s], in, out), SF_N_SLS);
            }
        }
    }
    free(there);
    return status;
}

enum sf_status
sf_path_sls_carry(const struct sf_path_sls *path_sls,
                  const struct sf_fabric *from, const struct sf_fabric *to,
                  uint32_t max_lid, struct sf_path_sls **carriedp,
                  struct sf_error *err)
{
    *carriedp = NULL;
    uint32_t *there = find_switches(from, to, err);
    if (!there) {
        return SF_ENOMEM;
    }
    enum sf_status status = sf_path_sls_make(to, max_lid, carriedp, err);
    for (uint32_t s = 0; status == SF_OK && s < to->n_switches; s++) {
        uint32_t last =
            path_sls->max_lid < max_lid ? path_sls->max_lid : max_lid;
        if (there[s] != SF_NONE) {
            memcpy(sf_path_sls_of(*carriedp, s),
                   sf_path_sls_of(path_sls, there[s]), last + 1);
        }
    }
    free(there);
    return status;
}

/* Names the first port of node 'i' of 'to' whose LID 'from' has otherwise. */
static enum sf_status
check_node_lids(const struct sf_fabric *from, uint32_t there,
                const struct sf_fabric *to, uint32_t i, struct sf_error *err)
{
    const struct sf_node *node = &to->nodes[i];
    uint16_t a = sf_ib_node(from, there)->lid, b = sf_ib_node(to, i)->lid;

    for (uint32_t k = 0; (!a || !b || a == b) && k < node->n_ports; k++) {
        uint32_t port = sf_fabric_port(from, there, k + 1);
        a = port == SF_NONE ? 0 : sf_ib_port(from, port)->lid;
        b = sf_ib_port(to, node->first_port + k)->lid;
    }
    return !a || !b || a == b
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "%s has LID %u in one and LID %u in the other; "
                         "expected tables of one subnet",
                         node->name, a, b);
}

enum sf_status
sf_lids_check_same(const struct sf_fabric *from, const struct sf_fabric *to,
                   struct sf_error *err)
{
    struct sf_ids ids;
    uint32_t n_same = 0;

    if (!sf_fabric_sort_guids(from, from->n_nodes, &ids)) {
        return sf_fail(err, SF_ENOMEM, "out of memory to compare LIDs");
    }
    enum sf_status status = SF_OK;
    for (uint32_t i = 0; status == SF_OK && i < to->n_nodes; i++) {
        uint32_t there = sf_ids_find(&ids, to->nodes[i].guid);
        n_same += there != SF_NONE;
        if (there != SF_NONE) {
            status = check_node_lids(from, there, to, i, err);
        }
    }
    sf_ids_clear(&ids);
    return status == SF_OK && !n_same
               ? sf_fail(err, SF_EINVAL,
                         "no GUID is in both; expected tables of one subnet")
               : status;
}
