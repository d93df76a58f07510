/* prices.h -- what switches and cables cost and how much power they draw, by
 * generation of switches, from a file that its user can edit. */
#ifndef SLIMFLY_PRICES_H
#define SLIMFLY_PRICES_H

#include "slimfly/plan.h"

#pragma GCC visibility push(default)

#define SF_MAX_CABLE_CLASSES 32

/* Cables of one medium up to some length. */
struct sf_cable_class {
    enum sf_medium medium;
    double up_to;     /* Metres; infinite if there is no limit. */
    double price;     /* Of one, and */
    double per_metre; /* what each metre adds to it. */
};

/* The cables for one use, by medium and then by length; the last of each
 * medium has no limit, so every cable has a price. */
struct sf_cable_prices {
    uint32_t n_classes;
    struct sf_cable_class classes[SF_MAX_CABLE_CLASSES];
};

/* A generation of switches with what is plugged into them. */
struct sf_generation {
    char name[32];
    char rate[SF_RATE_SIZE]; /* Of its links, as a plan takes it. */
    uint32_t ports;          /* Different in each generation. */
    double switch_price;
    double switch_watts;          /* Without optical cables. */
    double optical_end_watts;     /* Of each end of such a cable. */
    double copper_max;            /* Metres: longer cables are optical. */
    struct sf_cable_prices links; /* Between switches */
    struct sf_cable_prices host_cables; /* and to hosts. */
};

struct sf_prices {
    char *currency; /* "USD" */
    char *source;   /* Where the numbers come from. */
    uint32_t year;  /* Of the prices. */
    uint32_t n_generations;
    struct sf_generation *generations; /* By ports. */
};

/* Reads the price file at 'path'.  SF_EPARSE says what is wrong where. */
enum sf_status sf_prices_read(const char *path, struct sf_prices **pricesp,
                              struct sf_error *err);

/* The same from 'length' bytes of 'text'; 'path' is for messages. */
enum sf_status sf_prices_parse(const char *text, size_t length,
                               const char *path, struct sf_prices **pricesp,
                               struct sf_error *err);

/* The prices that come with the library, data/prices.json; and those fitted to
 * the costs of [Blach24], data/paper-prices.json. */
enum sf_status sf_prices_default(struct sf_prices **pricesp,
                                 struct sf_error *err);
enum sf_status sf_prices_paper(struct sf_prices **pricesp,
                               struct sf_error *err);
void sf_prices_free(struct sf_prices *prices);

/* The generation with exactly 'ports' ports, or NULL. */
const struct sf_generation *sf_prices_for(const struct sf_prices *prices,
                                          uint32_t ports);

/* The generation with the fewest ports that are at least 'ports', or NULL. */
const struct sf_generation *sf_prices_at_least(const struct sf_prices *prices,
                                               uint32_t ports);

/* The price of a cable of 'medium' and 'length'. */
double sf_cable_price(const struct sf_cable_prices *prices,
                      enum sf_medium medium, double length);

#pragma GCC visibility pop
#endif
