/* fuzz_ibnetdiscover.c -- any bytes as the output of ibnetdiscover: no crash,
 * and what is read is a sound fabric that can be written. */
#include "slimfly/discovery.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct sf_fabric *fabric)
{
    uint32_t n_ends = 0;

    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->node >= fabric->n_nodes ||
            sf_fabric_port(fabric, port->node, port->number) != i ||
            (port->peer != SF_NONE && (port->peer >= fabric->n_ports ||
                                       fabric->ports[port->peer].peer != i))) {
            abort();
        }
        n_ends += port->peer != SF_NONE;
    }
    if (n_ends != 2 * fabric->n_cables) {
        abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_fabric *fabric;
    struct sf_error err = { 0 };
    struct sf_graph *graph;
    uint32_t *link_ports;
    char *text = malloc(size + 1);

    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    enum sf_status status =
        sf_ibnetdiscover_parse(text, size, "fuzz", &fabric, &err);
    free(text);
    if (status != SF_OK) {
        if (fabric || !err.text[0]) {
            abort();
        }
        return 0;
    }
    check(fabric);
    if (sf_fabric_graph(fabric, &graph, &link_ports, NULL) != SF_OK) {
        abort();
    }
    for (uint32_t i = 0; i < graph->n_links; i++) {
        uint32_t a = link_ports[2 * i], b = link_ports[2 * i + 1];
        if (fabric->ports[a].peer != b ||
            fabric->ports[a].node != graph->links[i].a ||
            fabric->ports[b].node != graph->links[i].b) {
            abort();
        }
    }
    free(link_ports);
    sf_graph_free(graph);
    FILE *sink = fopen("/dev/null", "w");
    if (sink) {
        sf_ibnetdiscover_write(fabric, "fuzz", sink);
        sf_ibsim_write(fabric, "fuzz", sink);
        fclose(sink);
    }
    sf_fabric_free(fabric);
    return 0;
}
