/* service_levels.c -- the service levels (SLs) that senders give their
 * packets, and the virtual lanes (VLs) on which switches pass these on. */
#include "ib/audit/auditor.h"

#include <string.h>

uint32_t
sf_auditor_count_vls(const struct sf_sl2vl *sl2vl)
{
    uint32_t n_vls = 1;

    for (uint32_t s = 0; sl2vl && s < sl2vl->n_switches; s++) {
        size_t n = sl2vl->n_ports[s] + 1;
        const uint8_t *vls = sl2vl->vls + sl2vl->first[s];
        for (size_t i = 0; i < n * n * SF_N_SLS; i++) {
            if (vls[i] < SF_DROP_VL && vls[i] >= n_vls) {
                n_vls = vls[i] + 1u;
            }
        }
    }
    return n_vls;
}

static bool
is_host_port(const struct auditor *auditor, uint32_t port)
{
    uint32_t peer = auditor->fabric->ports[port].peer;
    return peer != SF_NONE &&
           auditor->fabric->ports[peer].node >= auditor->fabric->n_switches;
}

void
sf_auditor_find_drops(struct auditor *auditor)
{
    for (uint32_t arc = 0;
         auditor->params->sl2vl && arc < auditor->cdg->n_arcs; arc++) {
        uint32_t s = auditor->cdg->arcs[arc].to;
        const struct sf_node *node = &auditor->fabric->nodes[s];
        for (uint32_t i = 0; i < node->n_ports; i++) {
            for (uint32_t sl = 0;
                 is_host_port(auditor, node->first_port + i) && sl < SF_N_SLS;
                 sl++) {
                auditor->drops[(size_t)arc * SF_N_SLS + sl] |=
                    auditor_vl(auditor, s, auditor_in_port(auditor, arc),
                               i + 1, sl) == SF_DROP_VL;
            }
        }
    }
}

/* The set of VLs on which packets from hosts of a switch take 'arc' or, with
 * 'is_any', packets from all that is plugged into the switch.  It is empty if
 * the VL of one of them is not known. */
static unsigned
start_vls_of(const struct auditor *auditor, uint32_t arc, uint32_t sl,
             bool is_any)
{
    uint32_t s = auditor->cdg->arcs[arc].from,
             out = auditor_out_port(auditor, arc);
    const struct sf_node *node = &auditor->fabric->nodes[s];
    unsigned vls = 0;

    for (uint32_t i = 0; i < node->n_ports; i++) {
        uint32_t port = node->first_port + i;
        if (!is_host_port(auditor, port) &&
            (!is_any || auditor->fabric->ports[port].peer == SF_NONE ||
             i + 1 == out)) {
            continue;
        }
        uint8_t vl = auditor_vl(auditor, s, i + 1, out, sl);
        if (vl > SF_DROP_VL) {
            return 0;
        }
        vls |= 1u << vl;
    }
    return vls;
}

void
sf_auditor_find_start_vls(struct auditor *auditor)
{
    uint32_t last_unknown = SF_NONE;

    for (uint32_t arc = 0; arc < auditor->cdg->n_arcs; arc++) {
        uint32_t s = auditor->cdg->arcs[arc].from;
        for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
            size_t i = (size_t)arc * SF_N_SLS + sl;
            unsigned vls = start_vls_of(auditor, arc, sl, false);
            uint8_t vl =
                auditor_vl(auditor, s, 0, auditor_out_port(auditor, arc), sl);
            auditor->start_vls[HOSTS][i] = (uint16_t)vls;
            if (vl <= SF_DROP_VL) {
                auditor->start_vls[PORT_0][i] = (uint16_t)(1u << vl);
                continue;
            }
            auditor->start_vls[PORT_0][i] =
                (uint16_t)(auditor->n_hosts[s]
                               ? vls
                               : start_vls_of(auditor, arc, sl, true));
            auditor->audit->n_port_0_unknown +=
                auditor->params->has_port_0 && s != last_unknown;
            last_unknown = s;
        }
    }
}

bool
sf_auditor_is_source(const struct auditor *auditor, uint32_t s,
                     enum endpoint endpoint)
{
    return endpoint == HOSTS ? auditor->n_hosts[s] > 0
                             : auditor->params->has_port_0;
}

unsigned
sf_auditor_sl_set(const struct auditor *auditor, uint32_t s, uint32_t lid)
{
    if (!auditor->params->path_sls) {
        return 1;
    }
    uint8_t sl = sf_path_sls_of(auditor->params->path_sls, s)[lid];
    return sl == SF_NO_SL ? 1 : 1u << sl;
}

void
sf_auditor_find_sls(struct auditor *auditor)
{
    uint32_t n = auditor->fabric->n_switches;

    for (uint32_t s = 0; auditor->params->path_sls && s < n; s++) {
        bool sends = sf_auditor_is_source(auditor, s, HOSTS) ||
                     sf_auditor_is_source(auditor, s, PORT_0);
        for (uint32_t lid = 1; lid <= auditor->tables->max_lid; lid++) {
            struct home home = auditor->homes[lid];
            if (home.s == SF_NONE) {
                continue;
            }
            auditor->audit->n_without_sl +=
                home.s != s && sends &&
                sf_path_sls_of(auditor->params->path_sls, s)[lid] == SF_NO_SL;
            auditor->sls_to[home.is_host ? HOSTS : PORT_0]
                           [(size_t)s * n + home.s] |=
                (uint16_t)sf_auditor_sl_set(auditor, s, lid);
        }
    }
}

void
sf_auditor_find_column_sls(struct auditor *auditor, uint32_t home)
{
    uint32_t n = auditor->fabric->n_switches, first = auditor->first_lid[home];

    memset(auditor->sl_buffer, 0,
           (size_t)auditor->n_columns * n * sizeof *auditor->sl_buffer);
    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t i = first; i < auditor->first_lid[home + 1]; i++) {
            auditor
                ->sl_buffer[(size_t)auditor->column_of[i - first] * n + s] |=
                (uint16_t)sf_auditor_sl_set(auditor, s, auditor->lids[i]);
        }
    }
}
