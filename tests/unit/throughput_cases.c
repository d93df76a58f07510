#include "throughput_cases.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_SETS  2
#define MAX_NODES 12

/* A tree and some more links, so that all is connected. */
static struct sf_graph *
make_graph(struct sf_random *random)
{
    struct sf_link links[64];
    uint32_t n = 3 + sf_random_below(random, MAX_NODES - 2), n_links = 0;
    struct sf_graph *graph = NULL;

    for (uint32_t s = 1; s < n; s++) {
        links[n_links++] = (struct sf_link){ s, sf_random_below(random, s) };
    }
    for (uint32_t more = sf_random_below(random, 2 * n); more > 0; more--) {
        uint32_t a = sf_random_below(random, n);
        uint32_t b = (a + 1 + sf_random_below(random, n - 1)) % n;
        links[n_links++] = (struct sf_link){ a, b };
    }
    if (sf_graph_build(n, links, n_links, &graph, NULL) != SF_OK) {
        abort();
    }
    return graph;
}

bool
throughput_case_make(struct throughput_case *made, uint64_t number)
{
    static const char *const texts[] = {
        "all-to-all",
        "permutation",
        "switch-permutation",
        "switch-permutation:distance=1",
        "longest-matching:elephants=0.5",
        "adversarial:load=0.1,elephants=1",
        "adversarial:load=0.9,elephants=0.3,ratio=5",
    };
    static const char *const schemes[] = { "gates", "minimal", "rues",
                                           "fatpaths", "updown" };
    struct sf_random random;

    sf_random_init(&random, 20260101, number);
    *made = (struct throughput_case){ 0 };
    struct sf_graph *graph = make_graph(&random);
    uint32_t n_hosts[MAX_NODES];
    for (uint32_t s = 0; s < graph->n_nodes; s++) {
        n_hosts[s] = sf_random_below(&random, 4);
    }
    uint32_t n_sets = 1 + sf_random_below(&random, MAX_SETS);
    if (sf_network_from_graph(graph, n_hosts, &made->network, NULL) != SF_OK ||
        sf_routes_make(made->network, n_sets, &made->routes, NULL) != SF_OK) {
        abort();
    }
    sf_graph_free(graph);
    struct sf_layers_params layers = {
        .scheme = schemes[sf_random_below(&random,
                                          sizeof schemes / sizeof *schemes)],
        .n_layers = 1 + sf_random_below(&random, 5),
        .n_sets = n_sets,
    };
    for (uint32_t i = 0; i < n_sets; i++) {
        layers.set = i;
        layers.seed = number + i;
        if (sf_layers_build(made->network, &layers, &made->routes->sets[i],
                            NULL) != SF_OK) {
            abort();
        }
    }
    struct sf_traffic_params traffic = {
        .network = made->network,
        .host_sets = made->routes->host_sets,
        .n_sets = n_sets,
        .seed = number,
    };
    snprintf(made->text, sizeof made->text, "%s",
             texts[sf_random_below(&random, sizeof texts / sizeof *texts)]);
    return sf_traffic_build(made->text, &traffic, &made->traffic, NULL) ==
           SF_OK;
}

void
throughput_case_clear(struct throughput_case *made)
{
    sf_traffic_free(made->traffic);
    sf_routes_free(made->routes);
    sf_network_free(made->network);
    *made = (struct throughput_case){ 0 };
}
