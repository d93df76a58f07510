#include "slimfly/prices.h"

#include <stdlib.h>

const struct sf_generation *
sf_prices_for(const struct sf_prices *prices, uint32_t ports)
{
    for (uint32_t i = 0; i < prices->n_generations; i++) {
        if (prices->generations[i].ports == ports) {
            return &prices->generations[i];
        }
    }
    return NULL;
}

const struct sf_generation *
sf_prices_at_least(const struct sf_prices *prices, uint32_t ports)
{
    const struct sf_generation *least = NULL;

    for (uint32_t i = 0; i < prices->n_generations; i++) {
        const struct sf_generation *generation = &prices->generations[i];
        if (generation->ports >= ports &&
            (!least || generation->ports < least->ports)) {
            least = generation;
        }
    }
    return least;
}

double
sf_cable_price(const struct sf_cable_prices *prices, enum sf_medium medium,
               double length)
{
    double price = 0;

    for (uint32_t i = 0; i < prices->n_classes; i++) {
        const struct sf_cable_class *class = &prices->classes[i];
        if (class->medium == medium) {
            price = class->price + class->per_metre * length;
            if (length <= class->up_to) {
                break;
            }
        }
    }
    return price;
}

void
sf_prices_free(struct sf_prices *prices)
{
    if (prices) {
        free(prices->generations);
        free(prices->source);
        free(prices->currency);
        free(prices);
    }
}
