/* subnet.c -- see subnet.h. */
#include "subnet.h"

#include "base/mem.h"

#include <stdlib.h>

/* A node of the subnet, and its number in the fabric builder. */
struct found {
    uint64_t guid;
    osm_node_t *node;
    uint32_t number;
};

struct reader {
    osm_opensm_t *osm;
    const struct sf_plan *plan;
    const struct sf_guid_map *map;
    uint32_t *planned; /* Nodes of the plan, by GUID. */
    size_t n_found;
    struct found *found; /* By GUID, so that the same fabric is always the
                          * same. */
    struct sf_fabric_builder *builder;
    struct sf_subnet_reading *reading;
    bool is_early; /* What this sweep did not find is not dropped yet. */
};

static int
compare_found(const void *a, const void *b)
{
    uint64_t x = ((const struct found *)a)->guid;
    uint64_t y = ((const struct found *)b)->guid;
    return (x > y) - (x < y);
}

static bool
find_nodes(struct reader *reader)
{
    cl_qmap_t *map = &reader->osm->subn.node_guid_tbl;
    size_t n = cl_qmap_count(map), i = 0;

    reader->found = sf_calloc(n, sizeof *reader->found);
    if (!reader->found) {
        return false;
    }
    for (cl_map_item_t *item = cl_qmap_head(map);
         item != cl_qmap_end(map) && i < n; item = cl_qmap_next(item)) {
        osm_node_t *node = (osm_node_t *)item;
        if (reader->is_early && node->discovery_count == 0) {
            continue;
        }
        reader->found[i++] =
            (struct found){ .guid = cl_ntoh64(osm_node_get_node_guid(node)),
                            .node = node };
    }
    reader->n_found = i;
    qsort(reader->found, i, sizeof *reader->found, compare_found);
    return true;
}

/* The number in the builder of 'node'. */
static uint32_t
number_of(const struct reader *reader, osm_node_t *node)
{
    struct found wanted = { .guid = cl_ntoh64(osm_node_get_node_guid(node)) };
    const struct found *found =
        bsearch(&wanted, reader->found, reader->n_found, sizeof *reader->found,
                compare_found);
    return found ? found->number : SF_NONE;
}

static int
compare_planned(const void *a, const void *b, void *aux)
{
    const struct sf_node *nodes = aux;
    uint64_t x = nodes[*(const uint32_t *)a].guid;
    uint64_t y = nodes[*(const uint32_t *)b].guid;
    return (x > y) - (x < y);
}

static bool
sort_plan(struct reader *reader)
{
    if (!reader->plan) {
        return true;
    }
    uint32_t n = reader->plan->fabric->n_nodes;
    reader->planned = sf_calloc(n, sizeof *reader->planned);
    if (!reader->planned) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        reader->planned[i] = i;
    }
    qsort_r(reader->planned, n, sizeof *reader->planned, compare_planned,
            reader->plan->fabric->nodes);
    return true;
}

/* The name that map or plan have for the node with 'guid', or 'otherwise'. */
static char *
name_for(const struct reader *reader, uint64_t guid, char *otherwise)
{
    uint32_t low = 0, high = reader->plan ? reader->plan->fabric->n_nodes : 0;
    const struct sf_guid_name *entry =
        reader->map ? sf_guid_map_find(reader->map, guid) : NULL;

    if (entry) {
        reader->reading->n_named++;
        return entry->name;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct sf_node *node =
            &reader->plan->fabric->nodes[reader->planned[middle]];
        if (node->guid == guid) {
            reader->reading->n_named++;
            return node->name;
        }
        if (node->guid < guid) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return otherwise;
}

/* Adds the node 'found'. */
static void
add_node(struct reader *reader, struct found *found)
{
    static char nameless[] = "";
    osm_node_t *node = found->node;
    const ib_node_info_t *info = &node->node_info;
    bool is_switch = node->sw != NULL;
    osm_physp_t *port0 = is_switch ? osm_node_get_physp_ptr(node, 0) : NULL;
    struct sf_node added = {
        .kind = is_switch ? SF_NODE_SWITCH : SF_NODE_HOST,
        .name = name_for(reader, found->guid,
                         node->print_desc ? node->print_desc : nameless),
        .guid = found->guid,
        .n_ports = osm_node_get_num_physp(node) - 1u,
        .origin = SF_NONE,
        .rack = SF_NONE,
    };
    struct sf_ib_node ib = {
        .system_guid = cl_ntoh64(info->sys_guid),
        .vendor = cl_ntoh32(ib_node_info_get_vendor_id(info)),
        .device = cl_ntoh16(info->device_id),
    };

    if (port0) {
        ib.lid = cl_ntoh16(osm_physp_get_base_lid(port0));
        ib.enhanced_port0 =
            ib_switch_info_is_enhanced_port0(&node->sw->switch_info) != 0;
        ib.lmc =
            ib.enhanced_port0 ? ib_port_info_get_lmc(&port0->port_info) : 0;
        reader->reading->n_without_lid += ib.lid == 0;
        if (!(port0->port_info.capability_mask & IB_PORT_CAP_HAS_SL_MAP)) {
            reader->reading->n_without_map++;
            reader->reading->n_vls = 1;
        }
    }
    found->number = sf_fabric_builder_node(reader->builder, &added);
    struct sf_ib_node *record =
        sf_fabric_builder_node_side(reader->builder, found->number);
    if (record) {
        *record = ib;
    }
}

static bool
is_up(const osm_physp_t *physp)
{
    return ib_port_info_get_port_state(&physp->port_info) != IB_LINK_DOWN;
}

/* Gives the port at a host's end of a link its LIDs. */
static void
set_lids(struct reader *reader, uint32_t number, osm_physp_t *physp)
{
    uint32_t port_number = osm_physp_get_port_num(physp);
    struct sf_port *port =
        sf_fabric_builder_port(reader->builder, number, port_number);
    struct sf_ib_port *ib =
        sf_fabric_builder_port_side(reader->builder, number, port_number);

    if (port && ib) {
        port->guid = cl_ntoh64(osm_physp_get_port_guid(physp));
        ib->lid = cl_ntoh16(osm_physp_get_base_lid(physp));
        ib->lmc = ib_port_info_get_lmc(&physp->port_info);
        reader->reading->n_without_lid += ib->lid == 0;
    }
}

/* How many data VLs a code of PortInfo (VLCap, OperVLs) stands for. */
static uint32_t
vls_of_code(uint8_t code)
{
    static const uint8_t n_vls[] = { 1, 1, 2, 4, 8, 15 };
    return code < sizeof n_vls ? n_vls[code] : 15;
}

/* Counts the VLs that a link between switches can have. */
static void
count_vls(struct reader *reader, const osm_physp_t *physp)
{
    uint32_t n_vls = vls_of_code(osm_physp_calc_link_op_vls(
        &reader->osm->log, &reader->osm->subn, physp,
        ib_port_info_get_op_vls(&physp->port_info)));

    if (n_vls < reader->reading->n_vls) {
        reader->reading->n_vls = n_vls;
    }
}

/* Adds the links at the switch 'found'. */
static void
add_links(struct reader *reader, const struct found *found)
{
    osm_node_t *node = found->node;

    for (uint32_t i = 1; i < osm_node_get_num_physp(node); i++) {
        osm_physp_t *physp = osm_node_get_physp_ptr(node, i);
        osm_physp_t *remote = physp ? physp->p_remote_physp : NULL;
        if (!remote || remote->p_node == node || !is_up(physp) ||
            !is_up(remote) || !osm_link_is_healthy(physp)) {
            continue;
        }
        uint32_t other = number_of(reader, remote->p_node);
        if (other == SF_NONE ||
            !sf_fabric_builder_cable(reader->builder, found->number, i, other,
                                     osm_physp_get_port_num(remote))) {
            continue;
        }
        if (remote->p_node->sw) {
            count_vls(reader, physp);
        } else {
            set_lids(reader, other, remote);
        }
    }
}

/* Reads the subnet with what is given in '*start'. */
static enum sf_status
read_subnet(const struct reader *start, struct sf_fabric **fabricp,
            struct sf_subnet_reading *reading, struct sf_error *err)
{
    struct reader reader = *start;
    enum sf_status status =
        sf_fabric_builder_new(&sf_ib_side, &reader.builder, err);

    reader.reading = reading;

    *fabricp = NULL;
    *reading = (struct sf_subnet_reading){ .n_vls = SF_MAX_VLS };
    if (status == SF_OK && (!find_nodes(&reader) || !sort_plan(&reader))) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for the subnet");
    }
    for (size_t i = 0; status == SF_OK && i < reader.n_found; i++) {
        add_node(&reader, &reader.found[i]);
    }
    for (size_t i = 0; status == SF_OK && i < reader.n_found; i++) {
        if (reader.found[i].node->sw) {
            add_links(&reader, &reader.found[i]);
        }
    }
    if (status == SF_OK) {
        status = sf_fabric_builder_end(reader.builder, fabricp, err);
        reader.builder = NULL;
    }
    sf_fabric_builder_free(reader.builder);
    free(reader.planned);
    free(reader.found);
    return status;
}

enum sf_status
sf_subnet_read(osm_opensm_t *osm, const struct sf_plan *plan,
               const struct sf_guid_map *map, struct sf_fabric **fabricp,
               struct sf_subnet_reading *reading, struct sf_error *err)
{
    struct reader start = { .osm = osm, .plan = plan, .map = map };
    return read_subnet(&start, fabricp, reading, err);
}

enum sf_status
sf_subnet_read_found(osm_opensm_t *osm, struct sf_fabric **fabricp,
                     struct sf_subnet_reading *reading, struct sf_error *err)
{
    struct reader start = { .osm = osm, .is_early = true };
    return read_subnet(&start, fabricp, reading, err);
}

void
sf_subnet_write(osm_opensm_t *osm, struct sf_engine *engine,
                const struct sf_tables *tables, uint64_t *n_entriesp,
                uint64_t *n_changedp)
{
    cl_qmap_t *map = &osm->subn.sw_guid_tbl;

    *n_entriesp = *n_changedp = 0;
    for (cl_map_item_t *item = cl_qmap_head(map); item != cl_qmap_end(map);
         item = cl_qmap_next(item)) {
        osm_switch_t *sw = (osm_switch_t *)item;
        uint32_t s = sf_engine_switch(
            engine, cl_ntoh64(osm_node_get_node_guid(sw->p_node)));
        uint32_t last = tables->max_lid < sw->max_lid_ho ? tables->max_lid
                                                         : sw->max_lid_ho;
        if (s == SF_NONE) {
            continue;
        }
        const uint8_t *ports = sf_tables_of(tables, s);
        for (uint32_t lid = 1; lid <= last; lid++) {
            *n_entriesp += ports[lid] != SF_NO_PORT;
            *n_changedp += ports[lid] != sw->lft[lid];
            sw->new_lft[lid] = ports[lid];
        }
    }
}

/* A VL in an SL-to-VL table; OpenSM lets it be at most what OperVLs allow. */
static void
set_vl(ib_slvl_table_t *table, uint32_t sl, uint32_t vl)
{
    ib_slvl_table_set(table, (uint8_t)sl, (uint8_t)vl);
}

void
sf_subnet_fill_sl2vl(struct sf_engine *engine, const struct sf_sl2vl *sl2vl,
                     const osm_physp_t *physp, uint32_t in, uint32_t out,
                     ib_slvl_table_t *table)
{
    const struct sf_lanes *lanes = sf_engine_routing(engine)->routes->lanes;
    const osm_node_t *node = physp->p_node;
    uint32_t s = SF_NONE;

    if (node->sw) {
        s = sf_engine_switch(engine, cl_ntoh64(osm_node_get_node_guid(node)));
    }
    if (s != SF_NONE && in <= sl2vl->n_ports[s] && out <= sl2vl->n_ports[s]) {
        const uint8_t *vls = sf_sl2vl_of(sl2vl, s, in, out);
        for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
            set_vl(table, sl, vls[sl] < SF_DROP_VL ? vls[sl] : 0);
        }
        return;
    }
    /* A host's link is nobody's second: any VL will do.  Keep SLs apart. */
    for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
        set_vl(table, sl, sl < lanes->n_vls && sl < lanes->n_sls ? sl : 0);
    }
}

void
sf_subnet_fill_vlarb(uint32_t n_vls, ib_vl_arb_table_t *block,
                     uint32_t block_length, uint32_t block_num)
{
    /* Blocks 0 and 1 are the low table, 2 and 3 the high one. */
    for (uint32_t i = 0; i < block_length; i++) {
        bool is_used = block_num == 0 && i < n_vls;
        block->vl_entry[i].vl = (uint8_t)(is_used ? i : 0);
        block->vl_entry[i].weight = is_used ? 64 : 0;
    }
}
