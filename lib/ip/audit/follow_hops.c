/* follow_hops.c -- where packets go: from every switch to every address of a
 * host, hop by hop over the cables, with all links up and with one down. */
#include "ip/audit/held.h"
#include "slimfly/progress.h"

#include <string.h>

#define UNKNOWN UINT32_MAX /* Of hops. */
#define ASTRAY  (UINT32_MAX - 1)
#define VISITED (UINT32_MAX - 2)

/* All about packets to one address. */
struct walker {
    const struct sf_ip_held *held;
    struct sf_ip_address address;
    uint32_t target;        /* The port of the host that has it. */
    uint32_t d;             /* The switch that it is plugged into. */
    uint8_t *outs, *asides; /* [V] Ports: with all links up; with that one
                             * down.  0: none. */
    uint32_t *hops, *trail; /* [V] */
    uint16_t *arrived;      /* [V * side] Marks, by switch and in port. */
    struct sf_ip_waits waits, diverted;
    bool has_lanes;
    uint8_t *known; /* [n_known * 2V] 'outs' and 'asides' of addresses on this
                     * switch that were looked at already. */
    size_t n_known, capacity;
};

/* The port at the other end of port 'out' of 's'; SF_NONE if there is none. */
static uint32_t
peer_of(const struct walker *walker, uint32_t s, uint32_t out)
{
    const struct sf_fabric *fabric = walker->held->fabric;
    return out ? fabric->ports[fabric->nodes[s].first_port + out - 1].peer
               : SF_NONE;
}

/* Tells that packets from 's' to the address go astray. */
static void
tell(struct walker *walker, uint32_t s, const char *what)
{
    const struct sf_ip_held *held = walker->held;

    sf_ip_find_fault(
        held->audit, "packets from %s to %s, an address of %s: %s",
        held->names->names[s], sf_ip_address_text(walker->address).text,
        held->names->names[held->fabric->ports[walker->target].node], what);
}

/* Finds the way from 's', along which hops[] becomes known. */
static void
follow(struct walker *walker, uint32_t s)
{
    const struct sf_fabric *fabric = walker->held->fabric;
    uint32_t n = 0, hops = UNKNOWN, start = s;
    const char *why = NULL;

    while (hops == UNKNOWN) {
        uint32_t peer = peer_of(walker, s, walker->outs[s]);
        if (walker->hops[s] != UNKNOWN) {
            hops = walker->hops[s] == VISITED ? ASTRAY : walker->hops[s];
            why = walker->hops[s] == VISITED ? "they go round in a circle"
                                             : "as from a switch on the way";
            break;
        }
        walker->hops[s] = VISITED;
        walker->trail[n++] = s;
        if (peer == walker->target) {
            hops = 0;
        } else if (!walker->outs[s]) {
            hops = ASTRAY;
            why = "no route";
        } else if (peer == SF_NONE ||
                   fabric->ports[peer].node >= fabric->n_switches) {
            hops = ASTRAY;
            why = "they leave by a port where nothing or another host is";
        } else {
            s = fabric->ports[peer].node;
            continue;
        }
        walker->hops[s] = hops;
        n--;
    }
    while (n-- > 0) {
        hops = hops == ASTRAY ? ASTRAY : hops + 1;
        walker->hops[walker->trail[n]] = hops;
    }
    if (hops == ASTRAY) {
        tell(walker, start, why);
    }
}

/* Follows the paths of all switches and counts them. */
static void
follow_paths(struct walker *walker)
{
    struct sf_ip_audit *audit = walker->held->audit;
    uint32_t n = walker->held->fabric->n_switches;

    for (uint32_t s = 0; s < n; s++) {
        const struct sf_ip_entry *entry =
            sf_ip_entries_find(&walker->held->entries[s], walker->address, 0);
        walker->outs[s] = (uint8_t)(entry ? entry->out : 0);
        walker->asides[s] = 0;
        if (walker->outs[s]) {
            entry = sf_ip_entries_find(&walker->held->entries[s],
                                       walker->address, walker->outs[s]);
            walker->asides[s] = (uint8_t)(entry ? entry->out : 0);
        }
        walker->hops[s] = UNKNOWN;
    }
    for (uint32_t s = 0; s < n; s++) {
        if (walker->hops[s] == UNKNOWN) {
            follow(walker, s);
        }
        audit->n_paths++;
        if (walker->hops[s] == ASTRAY) {
            continue;
        }
        audit->n_good++;
        audit->n_hops += walker->hops[s];
        if (walker->hops[s] > audit->max_hops) {
            audit->max_hops = walker->hops[s];
        }
    }
}

/* Sends from 's' by its alternate, while the link of its route is down: the
 * packet must arrive and not come back. */
static void
follow_aside(struct walker *walker, uint32_t s)
{
    const struct sf_fabric *fabric = walker->held->fabric;
    struct sf_ip_audit *audit = walker->held->audit;
    uint32_t out = walker->asides[s], at = s;

    if (out == 0) {
        audit->n_unprotected++;
        return;
    }
    for (uint32_t i = 0; i <= fabric->n_switches; i++) {
        uint32_t peer = peer_of(walker, at, out);
        if (peer == walker->target) {
            audit->n_protected++;
            return;
        }
        if (peer == SF_NONE ||
            fabric->ports[peer].node >= fabric->n_switches ||
            fabric->ports[peer].node == s) {
            break;
        }
        at = fabric->ports[peer].node;
        out = walker->outs[at];
    }
    audit->n_astray++;
    tell(walker, s,
         "while the link of their route is down, they do not arrive "
         "by the alternate");
}

/* The mark of packets that come to 's' by 'in' and leave by 'out'. */
static uint8_t
mark_of(const struct walker *walker, uint32_t s, uint32_t in, uint32_t out)
{
    uint32_t side = walker->held->fabric->nodes[s].n_ports + 1;
    return walker->held->marks[s].marks[in * side + out];
}

/* Notes what a packet waits for that comes to 's' by 'in', with 'mark' if that
 * is a link, and leaves by 'out', then along its path.  False if it leaves the
 * lanes. */
static bool
add_waits(struct walker *walker, uint32_t s, uint32_t in, uint8_t mark,
          uint32_t out, bool is_diverted)
{
    const struct sf_fabric *fabric = walker->held->fabric;
    uint32_t from = peer_of(walker, s, in);
    bool is_first = fabric->ports[from].node >= fabric->n_switches;

    for (uint32_t i = 0; i <= fabric->n_switches; i++) {
        uint32_t peer = peer_of(walker, s, out);
        uint8_t next = mark_of(walker, s, in, out);
        if (peer == SF_NONE ||
            fabric->ports[peer].node >= fabric->n_switches) {
            return true; /* It arrives. */
        }
        if (next == SF_IP_NO_MARK || next == 0) {
            return false;
        }
        if (!is_first) {
            sf_ip_waits_add(&walker->diverted, from, mark, out, next);
            if (!is_diverted) {
                sf_ip_waits_add(&walker->waits, from, mark, out, next);
            }
        }
        from = fabric->nodes[s].first_port + out - 1;
        s = fabric->ports[peer].node;
        in = fabric->ports[peer].number;
        mark = next;
        is_first = false;
        out = walker->outs[s];
        if (!is_diverted) {
            walker->arrived[s * walker->waits.side + in] |=
                (uint16_t)(1u << walker->waits.number[mark]);
        }
    }
    return true;
}

/* The lanes of all paths from hosts to the address. */
static void
follow_lanes(struct walker *walker)
{
    const struct sf_fabric *fabric = walker->held->fabric;
    uint32_t side = walker->waits.side;

    memset(walker->arrived, 0,
           (size_t)fabric->n_switches * side * sizeof *walker->arrived);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        for (uint32_t in = 1; in <= fabric->nodes[s].n_ports; in++) {
            uint32_t peer = peer_of(walker, s, in);
            if (s != walker->d && peer != SF_NONE && walker->outs[s] &&
                fabric->ports[peer].node >= fabric->n_switches &&
                !add_waits(walker, s, in, 0, walker->outs[s], false)) {
                tell(walker, s, "the path leaves the lanes");
            }
        }
    }
}

/* The lanes of packets that take alternates. */
static void
follow_lanes_aside(struct walker *walker)
{
    const struct sf_fabric *fabric = walker->held->fabric;
    const struct sf_ip_waits *waits = &walker->waits;

    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        for (uint32_t in = 1;
             walker->asides[s] && in <= fabric->nodes[s].n_ports; in++) {
            uint32_t peer = peer_of(walker, s, in);
            if (peer == SF_NONE || s == walker->d || in == walker->asides[s]) {
                continue;
            }
            if (fabric->ports[peer].node >= fabric->n_switches) {
                add_waits(walker, s, in, 0, walker->asides[s], true);
                continue;
            }
            for (uint8_t mark = 0; mark < SF_IP_MARKS; mark++) {
                if (walker->held->marks[s].is_lane[mark] &&
                    walker->arrived[s * waits->side + in] >>
                            waits->number[mark] &
                        1) {
                    add_waits(walker, s, in, mark, walker->asides[s], true);
                }
            }
        }
    }
}

/* Whether an address of this switch went the same ways; if not, it is kept. */
static enum sf_status
is_known(struct walker *walker, bool *is_knownp, struct sf_error *err)
{
    size_t n = walker->held->fabric->n_switches;
    uint8_t own = walker->outs[walker->d];

    walker->outs[walker->d] = 0; /* There they differ, for each host. */
    *is_knownp = false;
    for (size_t i = 0; !*is_knownp && i < walker->n_known; i++) {
        const uint8_t *other = walker->known + 2 * n * i;
        *is_knownp = memcmp(other, walker->outs, n) == 0 &&
                     memcmp(other + n, walker->asides, n) == 0;
    }
    enum sf_status status = SF_OK;
    if (!*is_knownp && walker->n_known == walker->capacity &&
        !sf_vec_grow((void **)&walker->known, &walker->capacity, 2 * n)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for paths");
    } else if (!*is_knownp) {
        uint8_t *place = walker->known + 2 * n * walker->n_known++;
        memcpy(place, walker->outs, n);
        memcpy(place + n, walker->asides, n);
    }
    walker->outs[walker->d] = own;
    return status;
}

/* Looks at one address of the host that is plugged into port 'target'. */
static enum sf_status
look_at(struct walker *walker, uint32_t target, uint32_t d,
        struct sf_ip_address address, struct sf_error *err)
{
    const struct sf_fabric *fabric = walker->held->fabric;
    bool is_done = false;

    walker->address = address;
    walker->target = target;
    walker->d = d;
    walker->held->audit->n_addresses++;
    follow_paths(walker);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        if (s != d && walker->hops[s] != ASTRAY) {
            follow_aside(walker, s);
        }
    }
    enum sf_status status =
        walker->has_lanes ? is_known(walker, &is_done, err) : SF_OK;
    if (status == SF_OK && walker->has_lanes && !is_done) {
        follow_lanes(walker);
        follow_lanes_aside(walker);
    }
    return status;
}

/* Looks at all addresses of hosts on switch 'd'. */
static enum sf_status
look_at_switch(struct walker *walker, uint32_t d, struct sf_error *err)
{
    const struct sf_fabric *fabric = walker->held->fabric;
    enum sf_status status = SF_OK;

    walker->n_known = 0;
    for (uint32_t i = 0; i < fabric->nodes[d].n_ports; i++) {
        uint32_t target = peer_of(walker, d, i + 1);
        if (target == SF_NONE ||
            fabric->ports[target].node < fabric->n_switches) {
            continue;
        }
        const struct sf_ip_owns *owns =
            &walker->held->owns[fabric->ports[target].node];
        uint32_t n = 0;
        for (size_t k = 0; status == SF_OK && k < owns->n; k++) {
            if (owns->items[k].port == fabric->ports[target].number) {
                status =
                    look_at(walker, target, d, owns->items[k].address, err);
                n++;
            }
        }
        if (status == SF_OK && n != walker->held->n_layers) {
            sf_ip_find_fault(
                walker->held->audit,
                "hosts/%s.host.batch: port %u has %u addresses, expected %u",
                walker->held->names->names[fabric->ports[target].node],
                fabric->ports[target].number, n, walker->held->n_layers);
        }
    }
    return status;
}

/* Looks at lanes, of which waits are known. */
static enum sf_status
judge_lanes(const struct walker *walker, struct sf_error *err)
{
    struct sf_ip_audit *audit = walker->held->audit;
    enum sf_status status =
        sf_ip_waits_judge(&walker->waits, &audit->lanes, audit->cycle, err);

    audit->n_classes = walker->waits.n_marks;
    if (status == SF_OK) {
        status = sf_ip_waits_judge(&walker->diverted, &audit->lanes_diverted,
                                   audit->cycle_diverted, err);
    }
    if (status == SF_OK && audit->n_protected == 0) {
        audit->lanes_diverted = SF_IP_NOT_ASKED;
    }
    if (status == SF_OK && audit->lanes == SF_IP_DEADLOCK) {
        sf_ip_find_fault(audit, "packets can wait for each other: %s",
                         audit->cycle);
    }
    return status;
}

static bool
make(struct walker *walker)
{
    size_t n = walker->held->fabric->n_switches;

    walker->outs = sf_calloc(n, 1);
    walker->asides = sf_calloc(n, 1);
    walker->hops = sf_calloc(n, sizeof *walker->hops);
    walker->trail = sf_calloc(n, sizeof *walker->trail);
    if (!walker->outs || !walker->asides || !walker->hops || !walker->trail ||
        !sf_ip_waits_make(&walker->waits, walker->held) ||
        !sf_ip_waits_make(&walker->diverted, walker->held)) {
        return false;
    }
    walker->has_lanes = walker->waits.n_marks > 0;
    walker->arrived =
        sf_calloc(n * walker->waits.side, sizeof *walker->arrived);
    return walker->arrived;
}

enum sf_status
sf_ip_follow_all(const struct sf_ip_held *held, struct sf_error *err)
{
    struct walker walker = { .held = held };
    enum sf_status status =
        make(&walker) ? SF_OK : sf_fail(err, SF_ENOMEM, "out of memory");

    for (uint32_t d = 0; status == SF_OK && d < held->fabric->n_switches;
         d++) {
        sf_progress_report("following packets", d, held->fabric->n_switches);
        status = look_at_switch(&walker, d, err);
    }
    if (status == SF_OK && walker.has_lanes) {
        status = judge_lanes(&walker, err);
    }
    sf_ip_waits_clear(&walker.waits);
    sf_ip_waits_clear(&walker.diverted);
    free(walker.outs);
    free(walker.asides);
    free(walker.hops);
    free(walker.trail);
    free(walker.arrived);
    free(walker.known);
    return status;
}
