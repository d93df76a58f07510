#include "ib/ibnetdisc.h"

#include "slimfly/discovery.h"

#ifdef HAVE_IBNETDISC

#include "base/mem.h"
#include "ib/mads.h"
#include "slimfly/ib_addresses.h"

#include <infiniband/mad.h>
#include <infiniband/umad.h>

#include <infiniband/ibnetdisc.h>

#include <string.h>

/* libibnetdisc loses memory for every LID, which the leak checker of a test
 * build would report at the end of the child. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define IGNORE_LEAKS() __lsan_disable()
#endif
#endif
#ifndef IGNORE_LEAKS
#define IGNORE_LEAKS() ((void)0)
#endif

/* Bits of a port's capability mask and of its extended information. */
#define HAS_EXTENDED_SPEEDS 0x4000
#define IS_FDR10            0x1

#define TIMEOUT_MS 1000
#define RETRIES    3
#define MAX_SMPS   16 /* Questions under way at once. */

/* The nodes of the fabric and their numbers in the builder, by GUID. */
struct entry {
    uint64_t guid;
    uint32_t index;
};

struct walk {
    SF_VEC(ibnd_node_t *) nodes; /* In the order that they are printed in. */
    struct sf_fabric_builder *builder;
    SF_VEC(struct entry) entries;
    bool is_sound;
};

static const char *
width_of(ibnd_port_t *port)
{
    switch (mad_get_field(port->info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F)) {
    case 1:
        return "1x";
    case 2:
        return "4x";
    case 4:
        return "8x";
    case 8:
        return "12x";
    case 16:
        return "2x";
    default:
        return "";
    }
}

static const char *
extended_speed_of(ibnd_port_t *port)
{
    /* A switch tells what it can in its port 0. */
    ibnd_port_t *teller =
        port->node->type == IB_NODE_SWITCH ? port->node->ports[0] : port;
    if (!teller || !(mad_get_field(teller->info, 0, IB_PORT_CAPMASK_F) &
                     HAS_EXTENDED_SPEEDS)) {
        return NULL;
    }
    switch (mad_get_field(port->info, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F)) {
    case 1:
        return "FDR";
    case 2:
        return "EDR";
    case 4:
        return "HDR";
    case 8:
        return "NDR";
    default:
        return NULL;
    }
}

static const char *
speed_of(ibnd_port_t *port)
{
    const char *extended = extended_speed_of(port);
    if (extended) {
        return extended;
    }
    switch (mad_get_field(port->info, 0, IB_PORT_LINK_SPEED_ACTIVE_F)) {
    case 1:
        return "SDR";
    case 2:
        return "DDR";
    case 4:
        return mad_get_field(port->ext_info, 0,
                             IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F) &
                       IS_FDR10
                   ? "FDR10"
                   : "QDR";
    default:
        return "";
    }
}

/* Makes a name of a node description, which need not end with a NUL: bytes
 * that are not printable become blanks, as ibnetdiscover has it. */
static void
copy_name(const char *description, char name[SF_MAX_NAME + 1])
{
    memcpy(name, description, SF_MAX_NAME);
    name[SF_MAX_NAME] = '\0';
    for (char *c = name; *c; c++) {
        if (*c < 0x20 || *c > 0x7e) {
            *c = ' ';
        }
    }
}

static void
add_node(struct walk *walk, ibnd_node_t *found)
{
    char name[SF_MAX_NAME + 1];
    bool is_switch = found->type == IB_NODE_SWITCH;

    copy_name(found->nodedesc, name);
    if (found->numports < 1 || found->numports > SF_MAX_PORTS) {
        return;
    }
    struct sf_node node = {
        .kind = is_switch ? SF_NODE_SWITCH : SF_NODE_HOST,
        .name = name,
        .guid = found->guid,
        .n_ports = (uint32_t)found->numports,
        .origin = SF_NONE,
        .rack = SF_NONE,
        .unit = SF_NONE,
    };
    struct entry entry = { found->guid,
                           sf_fabric_builder_node(walk->builder, &node) };
    if (!sf_vec_push(&walk->entries, entry)) {
        walk->is_sound = false;
        return;
    }
    struct sf_ib_node *ib =
        sf_fabric_builder_node_side(walk->builder, entry.index);
    if (ib) {
        *ib = (struct sf_ib_node){
            .system_guid =
                mad_get_field64(found->info, 0, IB_NODE_SYSTEM_GUID_F),
            .vendor = mad_get_field(found->info, 0, IB_NODE_VENDORID_F),
            .device = mad_get_field(found->info, 0, IB_NODE_DEVID_F),
            .lid = is_switch ? found->smalid : 0,
            .lmc = is_switch ? found->smalmc : 0,
            .enhanced_port0 = is_switch && found->smaenhsp0,
        };
    }
    for (int i = 1; i <= found->numports; i++) {
        ibnd_port_t *from = found->ports[i];
        struct sf_port *port =
            sf_fabric_builder_port(walk->builder, entry.index, (uint32_t)i);
        struct sf_ib_port *lids = sf_fabric_builder_port_side(
            walk->builder, entry.index, (uint32_t)i);
        if (!from || !port || !lids) {
            continue;
        }
        const char *width = width_of(from), *speed = speed_of(from);
        port->guid = is_switch ? 0 : from->guid;
        lids->lid = is_switch ? 0 : from->base_lid;
        lids->lmc = is_switch ? 0 : from->lmc;
        if (from->remoteport && *width && *speed) {
            snprintf(port->rate, sizeof port->rate, "%s%s", width, speed);
        }
    }
}

static int
compare_entries(const void *a, const void *b)
{
    uint64_t x = ((const struct entry *)a)->guid;
    uint64_t y = ((const struct entry *)b)->guid;
    return (x > y) - (x < y);
}

static const struct entry *
find_entry(const struct walk *walk, uint64_t guid)
{
    struct entry wanted = { guid, 0 };
    return bsearch(&wanted, walk->entries.items, walk->entries.n,
                   sizeof wanted, compare_entries);
}

static void
add_cables(struct walk *walk, ibnd_node_t *found)
{
    const struct entry *own = find_entry(walk, found->guid);

    for (int i = 1; own && i <= found->numports; i++) {
        ibnd_port_t *port = found->ports[i];
        ibnd_port_t *peer = port ? port->remoteport : NULL;
        const struct entry *other =
            peer ? find_entry(walk, peer->node->guid) : NULL;
        if (other) {
            sf_fabric_builder_cable(walk->builder, own->index, (uint32_t)i,
                                    other->index, (uint32_t)peer->portnum);
        }
    }
}

static void
collect(ibnd_node_t *node, void *aux)
{
    struct walk *walk = aux;

    if (!sf_vec_push(&walk->nodes, node)) {
        walk->is_sound = false;
    }
}

static int
compare_nodes(const void *a, const void *b)
{
    const ibnd_node_t *x = *(ibnd_node_t *const *)a;
    const ibnd_node_t *y = *(ibnd_node_t *const *)b;
    return (x->guid > y->guid) - (x->guid < y->guid);
}

/* Adds the nodes of a type to the walk, by GUID.  libibnetdisc has them in the
 * order in which they were found, which depends on where one stands.  The
 * plugin for OpenSM routes by GUID, and so do all who start from here. */
static void
collect_type(ibnd_fabric_t *fabric, int type, struct walk *walk)
{
    size_t first = walk->nodes.n;

    ibnd_iter_nodes_type(fabric, collect, type, walk);
    if (walk->nodes.n > first) {
        qsort(walk->nodes.items + first, walk->nodes.n - first,
              sizeof *walk->nodes.items, compare_nodes);
    }
}

/* Prints 'found'.  It and what is made of it are left to the end of the
 * process, which is near; being static, they do not look lost. */
static int
print(ibnd_fabric_t *found, FILE *stream)
{
    static ibnd_fabric_t *kept;
    static struct walk walk = { .is_sound = true };
    static struct sf_fabric *fabric;

    kept = found;
    if (!kept ||
        sf_fabric_builder_new(&sf_ib_side, &walk.builder, NULL) != SF_OK) {
        return 1;
    }
    collect_type(found, IB_NODE_SWITCH, &walk);
    collect_type(found, IB_NODE_CA, &walk);
    collect_type(found, IB_NODE_ROUTER, &walk);
    for (size_t i = 0; i < walk.nodes.n; i++) {
        add_node(&walk, walk.nodes.items[i]);
    }
    if (!walk.is_sound || walk.entries.n == 0) {
        return 1;
    }
    qsort(walk.entries.items, walk.entries.n, sizeof *walk.entries.items,
          compare_entries);
    for (size_t i = 0; i < walk.nodes.n; i++) {
        add_cables(&walk, walk.nodes.items[i]);
    }
    if (sf_fabric_builder_end(walk.builder, &fabric, NULL) != SF_OK) {
        return 1;
    }
    sf_ibnetdiscover_write(fabric, "discovered", stream);
    return 0;
}

int
sf_ibnetdisc_print_live(const void *port, FILE *stream)
{
    struct sf_live_port chosen = *(const struct sf_live_port *)port;
    struct sf_mads mads;
    ibnd_config_t config = {
        .max_smps = MAX_SMPS,
        .flags = IBND_CONFIG_MLX_EPI, /* Or FDR10 would look like QDR. */
        .timeout_ms = TIMEOUT_MS,
        .retries = RETRIES,
    };

    /* The library would only say that it cannot, not why. */
    int code = sf_mads_open(&mads, &chosen, IB_SMI_DIRECT_CLASS);
    if (code != 0) {
        return code;
    }
    sf_mads_close(&mads);
    IGNORE_LEAKS();
    return print(ibnd_discover_fabric(chosen.device[0] ? chosen.device : NULL,
                                      chosen.number, NULL, &config),
                 stream);
}

int
sf_ibnetdisc_print_cache(const void *path, FILE *stream)
{
    IGNORE_LEAKS();
    return print(ibnd_load_fabric(path, 0), stream);
}

#else

static int
say_missing(void)
{
    fputs("this slimfly was built without libibnetdisc; give it what "
          "ibnetdiscover prints\n",
          stderr);
    return 1;
}

int
sf_ibnetdisc_print_live(const void *port, FILE *stream)
{
    (void)port;
    (void)stream;
    say_missing();
    return SF_LIVE_NO_DEVICE;
}

int
sf_ibnetdisc_print_cache(const void *path, FILE *stream)
{
    (void)path;
    (void)stream;
    return say_missing();
}

#endif
