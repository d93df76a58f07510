/* dump_throughput.c -- random cases and what the library says about them, as
 * JSON, for the judge in tests/oracle/throughput.py. */
#include "throughput_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N_CASES 120

static void
dump_links(const struct sf_graph *graph)
{
    printf("{\"n\": %u, \"links\": [", graph->n_nodes);
    for (uint32_t i = 0; i < graph->n_links; i++) {
        printf("%s[%u, %u]", i ? ", " : "", graph->links[i].a,
               graph->links[i].b);
    }
    printf("],\n");
}

/* The paths of each demand as [link, whether from its end a] for each hop. */
static void
dump_demands(const struct throughput_case *made)
{
    const struct sf_graph *graph = made->network->graph;

    printf(" \"demands\": [");
    for (size_t k = 0; k < made->traffic->n_demands; k++) {
        const struct sf_demand *demand = &made->traffic->demands[k];
        const struct sf_layers *layers = made->routes->sets[demand->set];
        printf("%s[%u, %u, %.17g, [", k ? ", " : "", demand->source,
               demand->destination, demand->amount);
        for (uint32_t l = 0; l < layers->n_layers; l++) {
            printf("%s[", l ? ", " : "");
            for (uint32_t at = demand->source; at != demand->destination;) {
                uint32_t arc =
                    sf_layers_arc(layers, graph, l, at, demand->destination);
                uint32_t link = graph->arcs[arc].link;
                printf("%s[%u, %d]", at == demand->source ? "" : ", ", link,
                       graph->links[link].a == at);
                at = graph->arcs[arc].to;
            }
            printf("]");
        }
        printf("]]");
    }
    printf("]");
}

static void
dump_result(const struct throughput_case *made, const char *name,
            struct sf_throughput_params params)
{
    struct sf_throughput found;
    struct sf_error err;

    params.routes = made->routes;
    if (sf_throughput_measure(made->network->graph, made->traffic, &params,
                              &found, &err) != SF_OK) {
        fprintf(stderr, "%s: %s\n", made->text, err.text);
        exit(EXIT_FAILURE);
    }
    printf(",\n \"%s\": [%.17g, %.17g]", name, found.net_lower,
           found.net_upper);
}

int
main(void)
{
    bool is_first = true;

    for (uint64_t number = 1000; number < 1000 + N_CASES; number++) {
        struct throughput_case made;
        if (throughput_case_make(&made, number) &&
            made.traffic->n_demands > 0) {
            printf("%s", is_first ? "[" : ",\n");
            is_first = false;
            dump_links(made.network->graph);
            printf(" \"traffic\": \"%s\",\n", made.text);
            dump_demands(&made);
            dump_result(
                &made, "layers",
                (struct sf_throughput_params){ .effort = SF_EFFORT_EXACT });
            dump_result(&made, "layers bounds",
                        (struct sf_throughput_params){
                            .effort = SF_EFFORT_APPROXIMATE });
            dump_result(
                &made, "equal",
                (struct sf_throughput_params){ .mode = SF_THROUGHPUT_EQUAL });
            dump_result(&made, "any",
                        (struct sf_throughput_params){
                            .mode = SF_THROUGHPUT_ANY, .gap = 1e-3 });
            printf("}");
        }
        throughput_case_clear(&made);
    }
    puts("]");
    return EXIT_SUCCESS;
}
