/* difference.c -- how a fabric differs from the one that a routing was made
 * for. */
#include "base/mem.h"
#include "fabric/guids.h"
#include "slimfly/ib.h"

/* Where a LID is: a switch, and the port there; 0 is the switch itself. */
struct place {
    uint32_t s, number;
    uint8_t lmc;
};

/* Two fabrics, and where in each the LIDs are; 'there' is another fabric's
 * number of each switch. */
struct side {
    const struct sf_fabric *fabric;
    struct place *places; /* [SF_MAX_LID + 1] By first LID. */
    uint32_t *there;      /* [n_switches] */
};

static void
find_places(struct side *side)
{
    const struct sf_fabric *fabric = side->fabric;

    for (uint32_t lid = 0; lid <= SF_MAX_LID; lid++) {
        side->places[lid].s = SF_NONE;
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        const struct sf_ib_node *own = sf_ib_node(fabric, s);
        if (own->lid && own->lid <= SF_MAX_LID) {
            side->places[own->lid] = (struct place){ s, 0, own->lmc };
        }
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t peer = fabric->ports[node->first_port + i].peer;
            if (peer != SF_NONE &&
                fabric->ports[peer].node >= fabric->n_switches &&
                sf_ib_port(fabric, peer)->lid <= SF_MAX_LID) {
                const struct sf_ib_port *port = sf_ib_port(fabric, peer);
                side->places[port->lid] =
                    (struct place){ s, i + 1, port->lmc };
            }
        }
    }
    side->places[0].s = SF_NONE; /* Not a LID. */
}

/* Counts links of 'side' that 'other' does not have. */
static uint32_t
count_links(const struct side *side, const struct side *other)
{
    const struct sf_fabric *fabric = side->fabric;
    uint32_t n = 0;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->node >= fabric->n_switches || port->peer == SF_NONE ||
            port->peer < i ||
            fabric->ports[port->peer].node >= fabric->n_switches) {
            continue;
        }
        const struct sf_port *peer = &fabric->ports[port->peer];
        uint32_t a = side->there[port->node], b = side->there[peer->node];
        uint32_t a_port = a == SF_NONE
                              ? SF_NONE
                              : sf_fabric_port(other->fabric, a, port->number);
        uint32_t b_port = b == SF_NONE
                              ? SF_NONE
                              : sf_fabric_port(other->fabric, b, peer->number);
        n += a_port == SF_NONE || b_port == SF_NONE ||
             other->fabric->ports[a_port].peer != b_port;
    }
    return n;
}

/* Counts switches of 'side' that 'other' does not have. */
static uint32_t
count_switches(const struct side *side)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < side->fabric->n_switches; s++) {
        n += side->there[s] == SF_NONE;
    }
    return n;
}

/* Whether what 'other' has at 'lid' is the same as 'place' of 'side'. */
static bool
is_same(const struct side *side, const struct place *place,
        const struct side *other, uint32_t lid)
{
    const struct place *found = &other->places[lid];
    return found->s != SF_NONE && side->there[place->s] == found->s &&
           found->number == place->number && found->lmc == place->lmc;
}

/* Counts hosts of 'side' that 'other' does not have. */
static uint32_t
count_hosts(const struct side *side, const struct side *other)
{
    uint32_t n = 0;
    for (uint32_t lid = 1; lid <= SF_MAX_LID; lid++) {
        const struct place *place = &side->places[lid];
        n += place->s != SF_NONE && place->number != 0 &&
             !is_same(side, place, other, lid);
    }
    return n;
}

/* Whether 'lid' is one of the addresses of somebody on 'side'. */
static bool
is_taken(const struct side *side, uint32_t lid)
{
    for (uint32_t lmc = 0; lmc <= SF_MAX_LMC; lmc++) {
        uint32_t first = lid >> lmc << lmc;
        const struct place *place = &side->places[first];
        if (place->s != SF_NONE && lid < first + (1u << place->lmc)) {
            return true;
        }
    }
    return false;
}

/* Whether 'base' has paths to 'place' with 'lid', or such that lead to a host
 * beside it. */
static bool
has_paths(const struct side *side, const struct place *place, uint32_t lid,
          const struct side *base, const bool *has_hosts)
{
    uint32_t s = side->there[place->s];
    const struct place *found = &base->places[lid];

    if (s == SF_NONE) {
        return false;
    }
    if (found->s != SF_NONE) {
        return found->s == s && (found->number == 0) == (place->number == 0) &&
               found->lmc == place->lmc;
    }
    for (uint32_t k = 0; k < 1u << place->lmc; k++) {
        if (is_taken(base, lid + k)) {
            return false;
        }
    }
    return place->number != 0 && has_hosts[s];
}

static uint32_t
count_without_paths(const struct side *side, const struct side *base,
                    bool *has_hosts)
{
    uint32_t n = 0;

    for (uint32_t lid = 1; lid <= SF_MAX_LID; lid++) {
        const struct place *place = &base->places[lid];
        if (place->s != SF_NONE && place->number != 0) {
            has_hosts[place->s] = true;
        }
    }
    for (uint32_t lid = 1; lid <= SF_MAX_LID; lid++) {
        const struct place *place = &side->places[lid];
        n += place->s != SF_NONE &&
             !has_paths(side, place, lid, base, has_hosts);
    }
    return n;
}

/* Makes one side of a comparison. */
static bool
make_side(const struct sf_fabric *fabric, const struct sf_fabric *other,
          struct side *side)
{
    struct sf_ids ids;
    bool made = sf_fabric_sort_guids(other, other->n_switches, &ids);

    *side = (struct side){
        .fabric = fabric,
        .places = sf_calloc(SF_MAX_LID + 1, sizeof *side->places),
        .there = sf_calloc(fabric->n_switches, sizeof *side->there),
    };
    made = made && side->places && side->there;
    for (uint32_t s = 0; made && s < fabric->n_switches; s++) {
        side->there[s] = sf_ids_find(&ids, fabric->nodes[s].guid);
    }
    if (made) {
        find_places(side);
    }
    sf_ids_clear(&ids);
    return made;
}

static void
clear_side(struct side *side)
{
    free(side->there);
    free(side->places);
}

enum sf_status
sf_ib_compare(const struct sf_routing *routing, const struct sf_fabric *fabric,
              struct sf_difference *difference, struct sf_error *err)
{
    return sf_ib_compare_fabrics(routing->network->fabric, fabric, difference,
                                 err);
}

enum sf_status
sf_ib_compare_fabrics(const struct sf_fabric *routed,
                      const struct sf_fabric *fabric,
                      struct sf_difference *difference, struct sf_error *err)
{
    struct side now, base;
    bool made = make_side(fabric, routed, &now);
    made = make_side(routed, fabric, &base) && made;
    bool *has_hosts = sf_calloc(routed->n_switches, sizeof *has_hosts);
    enum sf_status status = SF_OK;

    if (made && has_hosts) {
        *difference = (struct sf_difference){
            .n_lost_switches = count_switches(&base),
            .n_lost_links = count_links(&base, &now),
            .n_lost_hosts = count_hosts(&base, &now),
            .n_new_switches = count_switches(&now),
            .n_new_links = count_links(&now, &base),
            .n_new_hosts = count_hosts(&now, &base),
            .n_without_paths = count_without_paths(&now, &base, has_hosts),
        };
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory to compare fabrics");
    }
    free(has_hosts);
    clear_side(&base);
    clear_side(&now);
    return status;
}
