/* waits.c -- see waits.h.  Each switch has a row for each arc in, arc out and
 * VL in: the set of VLs out that packets on (arc in, VL in) wait for. */
#include "ib/waits.h"

#include <string.h>

static bool
is_between_switches(const struct sf_fabric *fabric, uint32_t port)
{
    uint32_t peer = fabric->ports[port].peer;
    return fabric->ports[port].node < fabric->n_switches && peer != SF_NONE &&
           fabric->ports[peer].node < fabric->n_switches;
}

static uint32_t
count_arcs(const struct sf_fabric *fabric)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        n += is_between_switches(fabric, i);
    }
    return n;
}

static void
number_arcs(struct sf_waits *waits, const struct sf_fabric *fabric)
{
    uint32_t n = 0;

    memset(waits->arc_of_port, 0xff,
           fabric->n_ports * sizeof *waits->arc_of_port);
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        waits->first[s] = n;
        for (uint32_t i = 0; i < node->n_ports; i++) {
            uint32_t port = node->first_port + i;
            if (is_between_switches(fabric, port)) {
                const struct sf_port *peer =
                    &fabric->ports[fabric->ports[port].peer];
                waits->arcs[n] =
                    (struct sf_waits_arc){ s, peer->node, (uint8_t)(i + 1),
                                           (uint8_t)peer->number, SF_NONE };
                waits->arc_of_port[port] = n++;
            }
        }
        size_t degree = n - waits->first[s];
        waits->table[s] = waits->n_rows;
        waits->n_rows += degree * degree * waits->n_vls;
    }
    waits->first[fabric->n_switches] = n;
    for (uint32_t i = 0; i < n; i++) {
        const struct sf_waits_arc *arc = &waits->arcs[i];
        waits->arcs[i].reverse =
            waits->arc_of_port[sf_fabric_port(fabric, arc->to, arc->in)];
    }
}

enum sf_status
sf_waits_build(const struct sf_fabric *fabric, uint32_t n_vls,
               struct sf_waits **waitsp, struct sf_error *err)
{
    struct sf_waits *waits = sf_calloc(1, sizeof *waits);

    *waitsp = NULL;
    if (!waits) {
        goto no_memory;
    }
    waits->n_switches = fabric->n_switches;
    waits->n_arcs = count_arcs(fabric);
    waits->n_vls = n_vls;
    waits->n_channels = waits->n_arcs * n_vls;
    waits->arcs = sf_calloc(waits->n_arcs, sizeof *waits->arcs);
    waits->first =
        sf_calloc((size_t)waits->n_switches + 1, sizeof *waits->first);
    waits->arc_of_port =
        sf_calloc(fabric->n_ports, sizeof *waits->arc_of_port);
    waits->table = sf_calloc(waits->n_switches, sizeof *waits->table);
    waits->order = sf_calloc(waits->n_channels, sizeof *waits->order);
    waits->at = sf_calloc(waits->n_channels, sizeof *waits->at);
    waits->is_seen = sf_calloc(waits->n_channels, sizeof *waits->is_seen);
    waits->ahead = sf_calloc(waits->n_channels, sizeof *waits->ahead);
    waits->behind = sf_calloc(waits->n_channels, sizeof *waits->behind);
    if (!waits->arcs || !waits->first || !waits->arc_of_port ||
        !waits->table || !waits->order || !waits->at || !waits->is_seen ||
        !waits->ahead || !waits->behind) {
        goto no_memory;
    }
    number_arcs(waits, fabric);
    waits->rows = sf_calloc(waits->n_rows, sizeof *waits->rows);
    if (!waits->rows) {
        goto no_memory;
    }
    *waitsp = waits;
    return SF_OK;

no_memory:
    sf_waits_free(waits);
    return sf_fail(err, SF_ENOMEM, "out of memory for channels");
}

void
sf_waits_free(struct sf_waits *waits)
{
    if (waits) {
        free(waits->rows);
        free(waits->behind);
        free(waits->ahead);
        free(waits->is_seen);
        free(waits->added.items);
        free(waits->at);
        free(waits->order);
        free(waits->table);
        free(waits->arc_of_port);
        free(waits->first);
        free(waits->arcs);
        free(waits);
    }
}

void
sf_waits_clear(struct sf_waits *waits)
{
    memset(waits->rows, 0, waits->n_rows * sizeof *waits->rows);
    waits->added.n = 0;
}

static size_t
row_of(const struct sf_waits *waits, uint32_t in, uint32_t vl, uint32_t out)
{
    uint32_t s = waits->arcs[in].to;
    size_t degree = waits->first[s + 1] - waits->first[s];
    size_t from = waits->arcs[in].reverse - waits->first[s];
    return waits->table[s] +
           (from * degree + (out - waits->first[s])) * waits->n_vls + vl;
}

void
sf_waits_note(struct sf_waits *waits, uint32_t in, uint32_t vl, uint32_t out,
              uint32_t vl_out)
{
    waits->rows[row_of(waits, in, vl, out)] |= (uint16_t)(1u << vl_out);
}

/* Calls 'visit' for each channel that 'c' waits for, until it returns
 * false. */
typedef bool visitor(struct sf_waits *waits, uint32_t c, void *aux);

static bool
visit_next(struct sf_waits *waits, uint32_t c, visitor *visit, void *aux)
{
    uint32_t in = c / waits->n_vls, vl = c % waits->n_vls;
    uint32_t s = waits->arcs[in].to;

    for (uint32_t out = waits->first[s]; out < waits->first[s + 1]; out++) {
        unsigned vls = waits->rows[row_of(waits, in, vl, out)];
        for (; vls; vls &= vls - 1) {
            uint32_t d = out * waits->n_vls + (uint32_t)__builtin_ctz(vls);
            if (!visit(waits, d, aux)) {
                return false;
            }
        }
    }
    return true;
}

/* The same for each channel that waits for 'c'. */
static bool
visit_previous(struct sf_waits *waits, uint32_t c, visitor *visit, void *aux)
{
    uint32_t out = c / waits->n_vls, vl_out = c % waits->n_vls;
    uint32_t s = waits->arcs[out].from;

    for (uint32_t arc = waits->first[s]; arc < waits->first[s + 1]; arc++) {
        uint32_t in = waits->arcs[arc].reverse;
        for (uint32_t vl = 0; vl < waits->n_vls; vl++) {
            if ((waits->rows[row_of(waits, in, vl, out)] >> vl_out & 1) &&
                !visit(waits, in * waits->n_vls + vl, aux)) {
                return false;
            }
        }
    }
    return true;
}

static bool
count_waiting(struct sf_waits *waits, uint32_t c, void *aux)
{
    (void)aux;
    waits->ahead[c]++;
    return true;
}

/* One that waited for 'c' is in order now. */
static bool
release_one(struct sf_waits *waits, uint32_t c, void *aux)
{
    uint32_t *n_sortedp = aux;

    if (--waits->ahead[c] == 0) {
        waits->at[(*n_sortedp)++] = c;
    }
    return true;
}

bool
sf_waits_sort(struct sf_waits *waits)
{
    uint32_t n = waits->n_channels, n_sorted = 0;

    waits->added.n = 0;
    memset(waits->ahead, 0, n * sizeof *waits->ahead);
    for (uint32_t c = 0; c < n; c++) {
        visit_next(waits, c, count_waiting, NULL);
    }
    for (uint32_t c = 0; c < n; c++) {
        if (!waits->ahead[c]) {
            waits->at[n_sorted++] = c;
        }
    }
    for (uint32_t i = 0; i < n_sorted; i++) {
        waits->order[waits->at[i]] = i;
        visit_next(waits, waits->at[i], release_one, &n_sorted);
    }
    return n_sorted == n;
}

/* A search from one end of a new dependency, no further than the place of the
 * other end. */
struct reach {
    uint32_t *places; /* [n] Found so far. */
    uint32_t n, limit;
    uint32_t wanted; /* A channel that must not be found. */
    bool is_forward;
};

static bool
note_reached(struct sf_waits *waits, uint32_t c, void *aux)
{
    struct reach *reach = aux;
    uint32_t place = waits->order[c];

    if (c == reach->wanted) {
        return false;
    }
    bool is_near =
        reach->is_forward ? place < reach->limit : place > reach->limit;
    if (is_near && !waits->is_seen[c]) {
        waits->is_seen[c] = true;
        reach->places[reach->n++] = place;
    }
    return true;
}

/* Searches from 'start'; false if it gets to reach->wanted. */
static bool
search(struct sf_waits *waits, struct reach *reach, uint32_t start)
{
    bool is_fine = true;

    reach->places[reach->n++] = waits->order[start];
    waits->is_seen[start] = true;
    for (uint32_t i = 0; is_fine && i < reach->n; i++) {
        uint32_t c = waits->at[reach->places[i]];
        is_fine = reach->is_forward
                      ? visit_next(waits, c, note_reached, reach)
                      : visit_previous(waits, c, note_reached, reach);
    }
    for (uint32_t i = 0; i < reach->n; i++) {
        waits->is_seen[waits->at[reach->places[i]]] = false;
    }
    return is_fine;
}

static int
compare_places(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Puts the channels behind the tail of a dependency before those ahead of its
 * head, into the places that they have together.  The room behind each list is
 * enough for both: a place is in one of them only. */
static enum sf_status
move(struct sf_waits *waits, struct reach *behind, struct reach *ahead)
{
    uint32_t n = behind->n + ahead->n;
    uint32_t *channels = sf_calloc(n, sizeof *channels);

    if (!channels) {
        return SF_ENOMEM;
    }
    qsort(behind->places, behind->n, sizeof *behind->places, compare_places);
    qsort(ahead->places, ahead->n, sizeof *ahead->places, compare_places);
    for (uint32_t i = 0; i < n; i++) {
        channels[i] = waits->at[i < behind->n ? behind->places[i]
                                              : ahead->places[i - behind->n]];
    }
    memcpy(behind->places + behind->n, ahead->places,
           ahead->n * sizeof *ahead->places);
    qsort(behind->places, n, sizeof *behind->places, compare_places);
    for (uint32_t i = 0; i < n; i++) {
        waits->at[behind->places[i]] = channels[i];
        waits->order[channels[i]] = behind->places[i];
    }
    free(channels);
    return SF_OK;
}

enum sf_status
sf_waits_add(struct sf_waits *waits, uint32_t in, uint32_t vl, uint32_t out,
             uint32_t vl_out)
{
    struct sf_wait wait = { row_of(waits, in, vl, out),
                            (uint16_t)(1u << vl_out) };
    uint32_t tail = in * waits->n_vls + vl;
    uint32_t head = out * waits->n_vls + vl_out;

    if (waits->rows[wait.row] & wait.bit) {
        return SF_OK;
    }
    if (waits->order[tail] > waits->order[head]) {
        struct reach ahead = { waits->ahead, 0, waits->order[tail], tail,
                               true };
        struct reach behind = { waits->behind, 0, waits->order[head], SF_NONE,
                                false };
        if (!search(waits, &ahead, head)) {
            return SF_ELANES;
        }
        search(waits, &behind, tail);
        if (move(waits, &behind, &ahead) != SF_OK) {
            return SF_ENOMEM;
        }
    }
    if (!sf_vec_push(&waits->added, wait)) {
        return SF_ENOMEM;
    }
    waits->rows[wait.row] |= wait.bit;
    return SF_OK;
}

void
sf_waits_undo(struct sf_waits *waits, size_t n_added)
{
    while (waits->added.n > n_added) {
        const struct sf_wait *wait = &waits->added.items[--waits->added.n];
        waits->rows[wait->row] &= (uint16_t)~wait->bit;
    }
}
