/* traps.c -- see traps.h. */
#include "traps.h"

#include "status_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void
sf_traps_init(struct sf_traps *traps)
{
    *traps = (struct sf_traps){ 0 };
    pthread_mutex_init(&traps->lock, NULL);
}

void
sf_traps_clear(struct sf_traps *traps)
{
    pthread_mutex_destroy(&traps->lock);
}

static bool
is_same(const struct sf_trap *a, const struct sf_trap *b)
{
    return a->number == b->number && a->vendor == b->vendor &&
           a->device == b->device && a->guid == b->guid &&
           a->changes == b->changes;
}

/* Where 'trap' is kept, or the number of those that are. */
static uint32_t
find(const struct sf_traps *traps, const struct sf_trap *trap)
{
    uint32_t i = 0;

    while (i < traps->n && !is_same(&traps->kept[i].trap, trap)) {
        i++;
    }
    return i;
}

void
sf_traps_add(struct sf_traps *traps, const struct sf_trap *trap, time_t moment,
             sf_trap_namer *name, void *aux)
{
    pthread_mutex_lock(&traps->lock);
    uint32_t i = find(traps, trap);
    struct sf_kept_trap kept = { .trap = *trap, .first_at = moment };
    if (i < traps->n) {
        kept = traps->kept[i];
    } else {
        name(aux, &kept.trap);
        traps->n += traps->n < SF_MAX_TRAPS;
        i = traps->n - 1; /* The oldest goes. */
    }
    kept.last = ++traps->n_seen;
    kept.last_at = moment;
    kept.count++;
    memmove(traps->kept + 1, traps->kept, i * sizeof *traps->kept);
    traps->kept[0] = kept;
    pthread_mutex_unlock(&traps->lock);
}

static json_t *
pack_trap(const struct sf_kept_trap *kept)
{
    const struct sf_trap *trap = &kept->trap;
    char guid[20];

    snprintf(guid, sizeof guid, "0x%016" PRIx64, trap->guid);
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "number",
        (json_int_t)trap->number, "vendor", (json_int_t)trap->vendor, "device",
        (json_int_t)trap->device, "changes", (json_int_t)trap->changes, "node",
        trap->node[0] ? sf_status_text(trap->node) : json_null(), "guid",
        trap->guid ? json_string(guid) : json_null(), "lid",
        (json_int_t)trap->lid, "last", (json_int_t)kept->last, "count",
        (json_int_t)kept->count, "first_at", sf_status_time(kept->first_at),
        "last_at", sf_status_time(kept->last_at));
}

json_t *
sf_traps_pack(struct sf_traps *traps)
{
    json_t *latest = json_array();

    pthread_mutex_lock(&traps->lock);
    for (uint32_t i = 0; i < traps->n; i++) {
        json_array_append_new(latest, pack_trap(&traps->kept[i]));
    }
    json_t *packed = json_pack("{s:I, s:o}", "seen", (json_int_t)traps->n_seen,
                               "latest", latest);
    pthread_mutex_unlock(&traps->lock);
    return packed;
}
