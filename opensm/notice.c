/* notice.c -- see notice.h. */
#include "notice.h"

#include <stdio.h>

/* Made by OpenSM: hosts and multicast groups that come and go, and paths. */
#define FIRST_OWN 64
#define LAST_OWN  69

#define LOCAL_CHANGES 144

/* Which of its settings the sender of a trap 144 has changed; 0: its
 * capabilities. */
static uint32_t
read_changes(const ib_mad_notice_attr_t *notice)
{
    return notice->data_details.ntc_144.local_changes &
                   TRAP_144_MASK_OTHER_LOCAL_CHANGES
               ? cl_ntoh16(notice->data_details.ntc_144.change_flgs)
               : 0;
}

bool
sf_notice_read(const ib_mad_notice_attr_t *notice, struct sf_trap *trap)
{
    *trap = (struct sf_trap){
        .guid = cl_ntoh64(notice->issuer_gid.unicast.interface_id),
    };
    if (!ib_notice_is_generic(notice)) {
        trap->vendor = cl_ntoh32(ib_notice_get_vend_id(notice));
        trap->device = cl_ntoh16(notice->g_or_v.vend.dev_id);
        return true;
    }
    trap->number = cl_ntoh16(notice->g_or_v.generic.trap_num);
    if (trap->number == LOCAL_CHANGES) {
        trap->changes = read_changes(notice);
    }
    return trap->number < FIRST_OWN || trap->number > LAST_OWN;
}

void
sf_notice_name(const osm_opensm_t *osm, struct sf_engine *engine,
               struct sf_trap *trap)
{
    const osm_port_t *port =
        osm_get_port_by_guid(&osm->subn, cl_hton64(trap->guid));

    if (!port) {
        return;
    }
    trap->lid = cl_ntoh16(osm_port_get_base_lid(port));
    if (!sf_engine_find_name(engine,
                             cl_ntoh64(osm_node_get_node_guid(port->p_node)),
                             trap->node, sizeof trap->node) &&
        port->p_node->print_desc) {
        snprintf(trap->node, sizeof trap->node, "%s",
                 port->p_node->print_desc);
    }
}
