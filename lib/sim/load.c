#include "sim/load.h"

#include "base/mem.h"
#include "slimfly/random.h"

/* How far ahead births are drawn. */
#define HORIZON 256

/* A host: the packets that it gets, one after another. */
struct births {
    struct sf_random random;
    uint32_t slot;   /* The first that is not drawn. */
    bool has_packet; /* Born in the slot before that one. */
    uint32_t route;  /* Of that packet. */
};

struct sf_load {
    struct sf_packet_sim *sim;
    struct sf_load_params params;
    uint64_t threshold; /* A packet is born if 53 random bits are below. */
    uint32_t n_hosts;
    struct births *births; /* [hosts] */
};

/* Draws slots before 'end' until a packet is born. */
static void
draw(const struct sf_load *load, uint32_t host, struct births *births,
     uint32_t end)
{
    uint32_t first = load->params.first[host];
    uint32_t n_routes = load->params.first[host + 1] - first;

    while (!births->has_packet && births->slot < end) {
        births->slot++;
        if (sf_random_next(&births->random) >> 11 < load->threshold) {
            births->has_packet = true;
            births->route = first + sf_random_below(&births->random, n_routes);
        }
    }
}

/* The feeder's next(): packet.h. */
static bool
next_packet(void *context, uint32_t host, uint64_t now, uint32_t vls,
            struct sf_sim_offer *offer)
{
    struct sf_load *load = context;
    struct births *births = &load->births[host];
    uint32_t slot = (uint32_t)now;

    if (load->params.first[host] == load->params.first[host + 1]) {
        return false;
    }
    draw(load, host, births,
         slot < SF_NONE - HORIZON ? slot + HORIZON : SF_NONE);
    uint32_t born = births->slot - 1;
    if (!births->has_packet || born > slot) {
        offer->wake = births->slot - births->has_packet;
        return false;
    }
    offer->route = load->params.routes[births->route];
    if (!(vls >> sf_sim_first_vl(&offer->route) & 1)) {
        return false;
    }
    offer->born = born;
    offer->tag = births->route;
    births->has_packet = false;
    return true;
}

/* The feeder's delivered(): packet.h. */
static void
pass_delivery(void *context, uint32_t tag, uint64_t latency)
{
    struct sf_load *load = context;
    if (load->params.delivered) {
        load->params.delivered(load->params.context, tag, (uint32_t)latency);
    }
}

enum sf_status
sf_load_build(struct sf_packet_sim *sim, const struct sf_load_params *params,
              struct sf_load **loadp, struct sf_error *err)
{
    *loadp = NULL;
    if (!(params->rate >= 0 && params->rate <= 1)) {
        return sf_fail(err, SF_EINVAL, "an offered load of %g; 0 to 1 can be",
                       params->rate);
    }
    struct sf_load *load = sf_calloc(1, sizeof *load);
    if (load) {
        load->sim = sim;
        load->params = *params;
        load->threshold = (uint64_t)(params->rate * 0x1p53);
        load->n_hosts = sf_packet_sim_n_hosts(sim);
        load->births = sf_calloc(load->n_hosts, sizeof *load->births);
    }
    if (!load || !load->births) {
        sf_load_free(load);
        return sf_fail(err, SF_ENOMEM, "offered load");
    }
    for (uint32_t i = 0; i < load->n_hosts; i++) {
        sf_random_init(&load->births[i].random, params->seed, i);
        load->births[i].slot = sf_packet_sim_slot(sim);
    }
    struct sf_sim_feeder feeder = { load, next_packet, pass_delivery };
    enum sf_status status = sf_packet_sim_feed(sim, &feeder, err);
    if (status != SF_OK) {
        sf_load_free(load);
        return status;
    }
    *loadp = load;
    return SF_OK;
}

void
sf_load_free(struct sf_load *load)
{
    if (load) {
        free(load->births);
        free(load);
    }
}

uint32_t
sf_load_n_waiting(const struct sf_load *load, uint32_t host)
{
    struct births births = load->births[host]; /* Drawn ahead, on a copy. */
    uint32_t end = sf_packet_sim_slot(load->sim), n = 0;

    if (load->params.first[host] == load->params.first[host + 1]) {
        return 0;
    }
    while (true) {
        draw(load, host, &births, end);
        if (!births.has_packet || births.slot > end) {
            return n;
        }
        births.has_packet = false;
        n++;
    }
}
