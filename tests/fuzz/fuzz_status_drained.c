/* fuzz_status_drained.c -- any bytes as a status file of which the monitor
 * shows the drained links: no crash. */
#include "monitor/plugin_status.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small plan, made once. */
static const struct sf_plan *
make_plan(void)
{
    static struct sf_plan *plan;
    struct sf_topology *topo;

    if (!plan) {
        if (sf_topology_build("hx2:2x2,p=1", &topo, NULL) != SF_OK ||
            sf_plan_build(topo, NULL, NULL, &plan, NULL) != SF_OK) {
            abort();
        }
        sf_topology_free(topo);
    }
    return plan;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sf_plan *plan = make_plan();
    struct sf_status_more more;
    bool *is_drained = calloc(plan->n_cables, sizeof *is_drained);

    if (is_drained) {
        sf_status_parse_more((const char *)data, size, plan, is_drained,
                             &more);
    }
    free(is_drained);
    return 0;
}
