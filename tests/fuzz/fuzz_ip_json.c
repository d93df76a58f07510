/* fuzz_ip_json.c -- any bytes as what 'ip -j' prints of links and routes: no
 * crash, an error says something, and routes are of the plan. */
#include "fuzz.h"
#include "ip/control/ip_text.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct sf_fabric *fabric = fuzz_fabric();
    struct sf_ip_params params = { .n_layers = 2 };
    struct sf_ip_addresses addresses;
    struct sf_port_names names;
    struct sf_route_list list = { 0 };
    struct sf_error err = { 0 };
    bool runs[4096] = { false };
    char *text = fuzz_text(data, size);

    if (fabric->n_ports > sizeof runs ||
        sf_ip_plan_addresses(fabric, &params, &addresses, NULL) != SF_OK ||
        sf_port_names_parse("swp%d", &names, NULL) != SF_OK) {
        abort();
    }
    if (sf_ip_read_links(text, size, "fuzz", fabric, &names, 1, runs, &err) !=
            SF_OK &&
        !err.text[0]) {
        abort();
    }
    err.text[0] = '\0';
    if (sf_ip_read_routes(text, size, "fuzz", fabric, &addresses, &names, 1,
                          &list, &err) != SF_OK &&
        !err.text[0]) {
        abort();
    }
    for (size_t i = 0; i < list.routes.n; i++) {
        const struct sf_ip_route *route = &list.routes.items[i];
        if (route->destination >= fabric->n_switches || route->layer >= 2 ||
            route->kind > SF_IP_UNREACHABLE) {
            abort();
        }
    }
    free(list.routes.items);
    free(text);
    return 0;
}
