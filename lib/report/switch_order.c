#include "report/switch_order.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* Where a switch stands, to sort by. */
struct stand {
    uint32_t group, rack, unit;
    uint32_t node;
};

static int
compare_stands(const void *a, const void *b)
{
    const struct stand *x = a, *y = b;

    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    if (x->rack != y->rack) {
        return x->rack < y->rack ? -1 : 1;
    }
    if (x->unit != y->unit) {
        return x->unit > y->unit ? -1 : 1; /* Units count from the floor. */
    }
    return x->node < y->node ? -1 : x->node > y->node;
}

enum sf_status
sf_switch_order_build(const struct sf_plan *plan,
                      struct sf_switch_order *order, struct sf_error *err)
{
    const struct sf_fabric *fabric = plan->fabric;
    uint32_t n = fabric->n_switches;
    struct stand *stands = sf_calloc(n, sizeof *stands);

    order->starts = sf_calloc((size_t)plan->n_groups + 1, sizeof(uint32_t));
    order->switches = sf_calloc(n, sizeof(uint32_t));
    order->positions = sf_calloc(n, sizeof(uint32_t));
    if (!stands || !order->starts || !order->switches || !order->positions) {
        free(stands);
        return sf_fail(err, SF_ENOMEM, "out of memory for %u switches", n);
    }
    for (uint32_t s = 0; s < n; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        uint32_t group = sf_plan_group(plan, s);
        stands[s] = (struct stand){ group, node->rack, node->unit, s };
        order->starts[group + 1]++;
    }
    for (uint32_t g = 0; g < plan->n_groups; g++) {
        order->starts[g + 1] += order->starts[g];
    }
    qsort(stands, n, sizeof *stands, compare_stands);
    for (uint32_t i = 0; i < n; i++) {
        order->switches[i] = stands[i].node;
        order->positions[stands[i].node] = i - order->starts[stands[i].group];
    }
    free(stands);
    return SF_OK;
}

void
sf_switch_order_clear(struct sf_switch_order *order)
{
    free(order->positions);
    free(order->switches);
    free(order->starts);
}
