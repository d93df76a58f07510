#include "throughput_cases.h"

#include <stdio.h>
#include <stdlib.h>

/* A tree and some more links, so that all is connected. */
static struct sf_graph *
make_graph(struct sf_random *random)
{
    struct sf_link links[64];
    uint32_t n = 3 + sf_random_below(random, 10), n_links = 0;
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
    *made = (struct throughput_case){ .graph = make_graph(&random) };
    uint32_t n = made->graph->n_nodes;
    made->n_hosts = calloc(n, sizeof *made->n_hosts);
    if (!made->n_hosts) {
        abort();
    }
    for (uint32_t s = 0; s < n; s++) {
        made->n_hosts[s] = sf_random_below(&random, 4);
    }
    made->n_variants = 1 + sf_random_below(&random, MAX_VARIANTS);
    struct sf_layers_params layers = {
        .scheme = schemes[sf_random_below(&random,
                                          sizeof schemes / sizeof *schemes)],
        .n_layers = 1 + sf_random_below(&random, 5),
        .n_variants = made->n_variants,
    };
    for (uint32_t v = 0; v < made->n_variants; v++) {
        layers.variant = v;
        layers.seed = number + v;
        if (sf_layers_build(made->graph, made->n_hosts, &layers,
                            &made->variants[v], NULL) != SF_OK) {
            abort();
        }
    }
    struct sf_traffic_params traffic = {
        .graph = made->graph,
        .n_hosts = made->n_hosts,
        .n_variants = made->n_variants,
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
    for (uint32_t v = 0; v < MAX_VARIANTS; v++) {
        sf_layers_free(made->variants[v]);
    }
    free(made->n_hosts);
    sf_graph_free(made->graph);
    *made = (struct throughput_case){ 0 };
}
