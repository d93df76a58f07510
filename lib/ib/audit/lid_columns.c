/* lid_columns.c -- the LIDs of the fabric, by the switches where they live,
 * and the columns of the forwarding tables.
 *
 * A column is all entries for a LID, one for each switch.  The LIDs of one
 * switch, its own and those of its hosts, mostly have the same entries at all
 * other switches.  Such LIDs are one column, which is followed once. */
#include "ib/audit/auditor.h"
#include "slimfly/ib_addresses.h"

#include <string.h>

static enum sf_status
add_home(struct auditor *auditor, uint32_t lid, struct home home)
{
    if (lid > auditor->tables->max_lid) {
        return sf_fail(auditor->err, SF_EINVAL,
                       "the tables end before LID %u of the fabric", lid);
    }
    if (auditor->homes[lid].s != SF_NONE) {
        return sf_fail(auditor->err, SF_EINVAL,
                       "LID %u belongs to two ports of the fabric", lid);
    }
    auditor->homes[lid] = home;
    auditor->audit->n_lids++;
    return SF_OK;
}

/* Adds the LIDs of switch 's' and of its hosts. */
static enum sf_status
find_homes_on(struct auditor *auditor, uint32_t s)
{
    const struct sf_fabric *fabric = auditor->fabric;
    const struct sf_node *node = &fabric->nodes[s];
    const struct sf_ib_node *own = sf_ib_node(fabric, s);
    enum sf_status status = SF_OK;

    for (uint32_t k = 0; own->lid && status == SF_OK && k < 1u << own->lmc;
         k++) {
        status = add_home(auditor, own->lid + k, (struct home){ s, 0, false });
    }
    for (uint32_t i = 0; status == SF_OK && i < node->n_ports; i++) {
        uint32_t peer = fabric->ports[node->first_port + i].peer;
        if (peer == SF_NONE || fabric->ports[peer].node < fabric->n_switches) {
            continue;
        }
        const struct sf_ib_port *port = sf_ib_port(fabric, peer);
        auditor->n_hosts[s]++;
        for (uint32_t k = 0;
             port->lid && status == SF_OK && k < 1u << port->lmc; k++) {
            status = add_home(auditor, port->lid + k,
                              (struct home){ s, (uint8_t)(i + 1), true });
        }
    }
    return status;
}

enum sf_status
sf_auditor_find_homes(struct auditor *auditor, uint32_t *mostp)
{
    uint32_t n = auditor->fabric->n_switches,
             n_lids = auditor->tables->max_lid + 1;
    enum sf_status status = SF_OK;

    for (uint32_t lid = 0; lid < n_lids; lid++) {
        auditor->homes[lid].s = SF_NONE;
    }
    for (uint32_t s = 0; status == SF_OK && s < n; s++) {
        status = find_homes_on(auditor, s);
    }
    for (uint32_t lid = 0; status == SF_OK && lid < n_lids; lid++) {
        if (auditor->homes[lid].s != SF_NONE) {
            auditor->first_lid[auditor->homes[lid].s]++;
        }
    }
    uint32_t sum = 0;
    *mostp = 0;
    for (uint32_t s = 0; s < n; s++) {
        uint32_t count = auditor->first_lid[s];
        *mostp = count > *mostp ? count : *mostp;
        auditor->first_lid[s] = sum;
        sum += count;
    }
    auditor->first_lid[n] = sum;
    /* Filling moves the start of each switch to its end, which is the start
     * of the next switch. */
    for (uint32_t lid = 0; status == SF_OK && lid < n_lids; lid++) {
        if (auditor->homes[lid].s != SF_NONE) {
            auditor->lids[auditor->first_lid[auditor->homes[lid].s]++] = lid;
        }
    }
    for (uint32_t s = n; s > 0; s--) {
        auditor->first_lid[s] = auditor->first_lid[s - 1];
    }
    auditor->first_lid[0] = 0;
    return status;
}

void
sf_auditor_make_columns(struct auditor *auditor, uint32_t s)
{
    uint32_t n = auditor->fabric->n_switches;

    auditor->n_columns = 0;
    for (uint32_t i = auditor->first_lid[s]; i < auditor->first_lid[s + 1];
         i++) {
        uint32_t lid = auditor->lids[i], k = 0;
        uint8_t *entries =
            auditor->entry_buffer + (size_t)auditor->n_columns * n;
        for (uint32_t at = 0; at < n; at++) {
            entries[at] = sf_tables_of(auditor->tables, at)[lid];
        }
        bool is_right = entries[s] == auditor->homes[lid].port;
        if (is_right) {
            entries[s] = 0;
        }
        while (k < auditor->n_columns &&
               (auditor->columns[k].is_right != is_right ||
                memcmp(auditor->columns[k].entries, entries, n) != 0)) {
            k++;
        }
        struct column *column = &auditor->columns[k];
        if (k == auditor->n_columns) {
            *column =
                (struct column){ .entries = entries,
                                 .sls = auditor->sl_buffer + (size_t)k * n,
                                 .is_right = is_right,
                                 .lid = lid };
            auditor->n_columns++;
        }
        column->n_lids++;
        if (auditor->homes[lid].is_host && column->n_host_lids++ == 0) {
            column->lid = lid;
        }
        auditor->column_of[i - auditor->first_lid[s]] = k;
    }
}
