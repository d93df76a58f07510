#include "sim/flow_paths.h"

#include <string.h>

#define MIN_SLOTS 64

void
sf_flow_paths_init(struct sf_flow_paths *paths,
                   const struct sf_path_source *source,
                   const struct sf_wires *wires, uint32_t n_addresses)
{
    *paths = (struct sf_flow_paths){
        .source = source,
        .wires = wires,
        .n_addresses = n_addresses,
    };
}

void
sf_flow_paths_clear(struct sf_flow_paths *paths)
{
    free(paths->pairs.items);
    free(paths->numbers.items);
    free(paths->paths.items);
    free(paths->links.items);
    free(paths->table);
    *paths = (struct sf_flow_paths){ 0 };
}

/* Where the pair stands in the table, or would stand. */
static uint32_t
find_slot(const struct sf_flow_paths *paths, uint32_t from, uint32_t to)
{
    uint64_t key = (uint64_t)from << 32 | to;
    uint32_t slot = (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);

    for (;; slot++) {
        slot &= paths->n_slots - 1;
        uint32_t p = paths->table[slot];
        if (p == SF_NONE || (paths->pairs.items[p].from == from &&
                             paths->pairs.items[p].to == to)) {
            return slot;
        }
    }
}

/* Keeps half of the table free. */
static bool
reserve_slot(struct sf_flow_paths *paths)
{
    if (2 * (paths->pairs.n + 1) <= paths->n_slots) {
        return true;
    }
    uint32_t n_slots = paths->n_slots ? 2 * paths->n_slots : MIN_SLOTS;
    uint32_t *table = sf_calloc(n_slots, sizeof *table);
    if (!table) {
        return false;
    }
    memset(table, 0xff, n_slots * sizeof *table);
    free(paths->table);
    paths->table = table;
    paths->n_slots = n_slots;
    for (uint32_t p = 0; p < paths->pairs.n; p++) {
        const struct sf_flow_pair *pair = &paths->pairs.items[p];
        table[find_slot(paths, pair->from, pair->to)] = p;
    }
    return true;
}

uint32_t
sf_flow_paths_pair(struct sf_flow_paths *paths, uint32_t from, uint32_t to)
{
    struct sf_flow_pair pair = { .from = from, .to = to };
    uint32_t number = (uint32_t)paths->pairs.n;

    if (!reserve_slot(paths)) {
        return SF_NONE;
    }
    uint32_t slot = find_slot(paths, from, to);
    if (paths->table[slot] != SF_NONE) {
        return paths->table[slot];
    }
    for (uint32_t i = 0; i < paths->n_addresses; i++) {
        if (!sf_vec_push(&paths->numbers, SF_NONE)) {
            return SF_NONE;
        }
    }
    if (!sf_vec_push(&paths->pairs, pair)) {
        return SF_NONE;
    }
    paths->table[slot] = number;
    return number;
}

/* Another path of the pair over the same links; SF_NONE if there is none. */
static uint32_t
find_same(const struct sf_flow_paths *paths, uint32_t pair,
          const struct sf_sim_hop *hops, uint32_t n_hops)
{
    const uint32_t *numbers =
        paths->numbers.items + (size_t)pair * paths->n_addresses;

    for (uint32_t i = 0; i < paths->n_addresses; i++) {
        if (numbers[i] == SF_NONE ||
            paths->paths.items[numbers[i]].n_links != n_hops) {
            continue;
        }
        const uint32_t *links =
            paths->links.items + paths->paths.items[numbers[i]].first;
        uint32_t n_same = 0;
        while (n_same < n_hops && links[n_same] == hops[n_same].link) {
            n_same++;
        }
        if (n_same == n_hops) {
            return numbers[i];
        }
    }
    return SF_NONE;
}

/* Keeps a path; SF_NONE if out of memory. */
static uint32_t
keep_path(struct sf_flow_paths *paths, const struct sf_sim_hop *hops,
          uint32_t n_hops)
{
    struct sf_flow_path path = { (uint32_t)paths->links.n, n_hops };

    for (uint32_t i = 0; i < n_hops; i++) {
        if (!sf_vec_push(&paths->links, hops[i].link)) {
            return SF_NONE;
        }
    }
    return sf_vec_push(&paths->paths, path) ? (uint32_t)paths->paths.n - 1
                                            : SF_NONE;
}

enum sf_status
sf_flow_paths_find(struct sf_flow_paths *paths, uint32_t pair,
                   uint32_t address, uint32_t *numberp, struct sf_error *err)
{
    uint32_t from = paths->pairs.items[pair].from;
    uint32_t to = paths->pairs.items[pair].to;
    size_t place = (size_t)pair * paths->n_addresses + address;
    struct sf_sim_hop hops[SF_MAX_PATH_LINKS];
    struct sf_path path;

    *numberp = paths->numbers.items[place];
    if (*numberp != SF_NONE) {
        return SF_OK;
    }
    enum sf_status status =
        paths->source->follow(paths->source, from, to, address, &path, err);
    if (status != SF_OK) {
        return status;
    }
    uint32_t n_hops = sf_wires_hops(paths->wires, &path, from, to, hops);
    *numberp = find_same(paths, pair, hops, n_hops);
    if (*numberp == SF_NONE) {
        *numberp = keep_path(paths, hops, n_hops);
    }
    paths->numbers.items[place] = *numberp;
    return *numberp != SF_NONE
               ? SF_OK
               : sf_fail(err, SF_ENOMEM, "out of memory for paths");
}
