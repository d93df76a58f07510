/* switch_order.h -- the switches of each part of a plan in the order in which
 * they stand, from the top down. */
#ifndef SF_REPORT_SWITCH_ORDER_H
#define SF_REPORT_SWITCH_ORDER_H

#include "slimfly/plan.h"

struct sf_switch_order {
    uint32_t *starts;   /* [n_groups + 1] Where in 'switches' a part starts. */
    uint32_t *switches; /* [n_switches] Part by part, from the top down. */
    uint32_t *positions; /* [n_switches] Of a switch in its part, from 0. */
};

/* Fills 'order'; clear it with sf_switch_order_clear(), also after a failure.
 */
enum sf_status sf_switch_order_build(const struct sf_plan *plan,
                                     struct sf_switch_order *order,
                                     struct sf_error *err);
void sf_switch_order_clear(struct sf_switch_order *order);

/* How many switches a part has. */
static inline uint32_t
sf_switch_order_size(const struct sf_switch_order *order, uint32_t group)
{
    return order->starts[group + 1] - order->starts[group];
}

/* Switch 'i' of a part, from 0. */
static inline uint32_t
sf_switch_order_at(const struct sf_switch_order *order, uint32_t group,
                   uint32_t i)
{
    return order->switches[order->starts[group] + i];
}

#endif
