/* fuzz_job_hops.c -- any bytes as hops that jobs have changed: no crash, an
 * error says something, and routes that they are put into stay sound. */
#include "fuzz.h"
#include "job_hops.h"

static struct sf_routing *
make_routing(void)
{
    struct sf_routing_params params = { .layers = { .n_layers = 2,
                                                    .within_parts = true } };
    struct sf_network *network;
    struct sf_routing *routing;

    if (sf_network_build(fuzz_fabric(), &network, NULL) != SF_OK ||
        sf_routing_build(network, &params, &routing, NULL) != SF_OK) {
        abort();
    }
    sf_network_free(network);
    return routing;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sf_routing *plain;
    struct sf_job_hops hops;
    struct sf_routing *copy;
    struct sf_error err = { 0 };
    char *text = fuzz_text(data, size);

    if (!plain) {
        plain = make_routing();
    }
    enum sf_status status = sf_job_hops_parse(text, size, "fuzz", &hops, &err);
    if ((status == SF_OK) != !err.text[0] || (status != SF_OK && hops.n)) {
        abort();
    }
    if (sf_routing_copy(plain, &copy, NULL) != SF_OK ||
        sf_job_hops_apply(&hops, copy, NULL) != SF_OK) {
        abort();
    }
    struct sf_layers_claims claims = { .within_parts = true,
                                       .turns = copy->routes->turns };
    if (sf_layers_check(copy->routes->sets[0], copy->network->graph, &claims,
                        NULL) != SF_OK) {
        abort();
    }
    sf_routing_free(copy);
    sf_job_hops_clear(&hops);
    free(text);
    return 0;
}
