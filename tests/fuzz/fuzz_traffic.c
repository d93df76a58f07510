/* fuzz_traffic.c -- any bytes as a CSV file of traffic, and as the text of
 * one: no crash, an error says something, and what is read is in order. */
#include "slimfly/routes.h"
#include "slimfly/traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sf_traffic_params
make_place(void)
{
    static struct sf_network *network;
    static struct sf_routes *routes;
    struct sf_topology *topo;
    struct sf_fabric *fabric;

    if (sf_topology_build("sf:q=3,p=2", &topo, NULL) != SF_OK ||
        sf_fabric_from_topology(topo, NULL, &fabric, NULL) != SF_OK ||
        sf_network_build(fabric, &network, NULL) != SF_OK ||
        sf_routes_make(network, 2, &routes, NULL) != SF_OK) {
        abort();
    }
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return (struct sf_traffic_params){ .network = network,
                                       .host_sets = routes->host_sets,
                                       .n_sets = routes->n_sets };
}

static void
check(enum sf_status status, struct sf_traffic *traffic,
      const struct sf_error *err)
{
    if (status != SF_OK) {
        if (traffic || !err->text[0]) {
            abort();
        }
        return;
    }
    for (size_t k = 0; k < traffic->n_demands; k++) {
        const struct sf_demand *demand = &traffic->demands[k];
        if (demand->source == demand->destination ||
            demand->source >= traffic->n_switches ||
            demand->destination >= traffic->n_switches ||
            demand->set >= traffic->n_sets || !(demand->amount > 0) ||
            !isfinite(demand->amount)) {
            abort();
        }
    }
    sf_traffic_free(traffic);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sf_traffic_params params;
    struct sf_traffic *traffic;
    struct sf_error err = { 0 };
    char *text = malloc(size + 1);

    if (!text) {
        abort();
    }
    if (!params.network) {
        params = make_place();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (strncmp(text, "file:", 5) != 0) {
        enum sf_status status =
            sf_traffic_build(text, &params, &traffic, &err);
        check(status, traffic, &err);
    }
    err = (struct sf_error){ 0 };
    enum sf_status status =
        sf_traffic_parse(text, size, "fuzz", &params, &traffic, &err);
    check(status, traffic, &err);
    free(text);
    return 0;
}
