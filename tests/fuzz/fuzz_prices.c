/* fuzz_prices.c -- any bytes as a price file: no crash; what is read has a
 * price for every cable and answers a question. */
#include "slimfly/design.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct sf_prices *prices)
{
    for (uint32_t i = 0; i < prices->n_generations; i++) {
        const struct sf_generation *generation = &prices->generations[i];
        for (int medium = 0; medium < 2; medium++) {
            double price = sf_cable_price(&generation->links,
                                          (enum sf_medium)medium, 1e9);
            if (!(price >= 0) || !isfinite(price)) {
                abort();
            }
        }
        if (!(generation->switch_price >= 0) ||
            sf_prices_for(prices, generation->ports) != generation) {
            abort();
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_prices *prices;
    struct sf_error err = { 0 };

    if (sf_prices_parse((const char *)data, size, "fuzz", &prices, &err)) {
        if (prices || !err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
        return 0;
    }
    check(prices);
    sf_prices_free(prices);
    return 0;
}
