/* materials.c -- the bill of materials: racks, switches, hosts, and cables by
 * medium, length and use. */
#include "base/mem.h"
#include "io/plan_writers.h"

/* Cables that are bought alike. */
struct kind {
    enum sf_medium medium;
    double length;
    uint32_t n_between_switches, n_to_hosts;
};

static int
compare_kinds(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;

    if (x->medium != y->medium) {
        return x->medium < y->medium ? -1 : 1;
    }
    return (x->length > y->length) - (x->length < y->length);
}

/* Counts the cables of each kind into 'kinds', of which there are few. */
static bool
count_kinds(const struct sf_plan *plan, struct kind **kindsp, size_t *np)
{
    SF_VEC(struct kind) kinds = { 0 };

    for (uint32_t i = 0; i < plan->n_cables; i++) {
        const struct sf_cable *cable = &plan->cables[i];
        size_t k = 0;
        while (k < kinds.n && (kinds.items[k].medium != cable->medium ||
                               kinds.items[k].length < cable->length ||
                               kinds.items[k].length > cable->length)) {
            k++;
        }
        if (k == kinds.n &&
            !sf_vec_push(&kinds, ((struct kind){ cable->medium, cable->length,
                                                 0, 0 }))) {
            free(kinds.items);
            return false;
        }
        if (cable->step == SF_STEP_HOSTS) {
            kinds.items[k].n_to_hosts++;
        } else {
            kinds.items[k].n_between_switches++;
        }
    }
    if (kinds.n) {
        qsort(kinds.items, kinds.n, sizeof *kinds.items, compare_kinds);
    }
    *kindsp = kinds.items;
    *np = kinds.n;
    return true;
}

enum sf_status
sf_plan_write_materials(const struct sf_plan *plan, FILE *stream,
                        struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->fabric;
    struct kind *kinds;
    size_t n_kinds;

    if (!count_kinds(plan, &kinds, &n_kinds)) {
        return sf_fail(err, SF_ENOMEM, "out of memory for the materials");
    }
    fputs("item,details,quantity\n", stream);
    fprintf(stream, "rack,%u units,%u\n", plan->floor.rack_units,
            plan->n_racks);
    for (uint32_t ports = 1; ports <= SF_MAX_PORTS; ports++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < fabric->n_switches; i++) {
            n += fabric->nodes[i].n_ports == ports;
        }
        if (n) {
            fprintf(stream, "switch,%u ports,%u\n", ports, n);
        }
    }
    fprintf(stream, "host,,%u\n", fabric->n_nodes - fabric->n_switches);
    for (size_t i = 0; i < n_kinds; i++) {
        const char *medium = sf_medium_name(kinds[i].medium);
        if (kinds[i].n_between_switches) {
            fprintf(stream, "%s cable between switches,%g m,%u\n", medium,
                    kinds[i].length, kinds[i].n_between_switches);
        }
        if (kinds[i].n_to_hosts) {
            fprintf(stream, "%s cable to hosts,%g m,%u\n", medium,
                    kinds[i].length, kinds[i].n_to_hosts);
        }
    }
    fprintf(stream, "label,two for each cable,%u\n", 2 * plan->n_cables);
    free(kinds);
    return SF_OK;
}
