/* fuzz_spec.c -- any bytes as a spec of a topology, of layers and of lanes: no
 * crash, an error says something, and a spec has one spelling.  Files are left
 * out, since a fuzzer would open whatever it thinks of. */
#include "slimfly/lanes.h"
#include "slimfly/topology.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The canonical text of a spec is one that stays as it is. */
static void
check_layers(const char *text)
{
    struct sf_layer_spec spec, again;
    struct sf_error err = { 0 };

    if (sf_layer_spec_parse(text, 0, &spec, &err) != SF_OK) {
        if (spec.scheme || !err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
    } else if (!spec.scheme || !spec.n_sets ||
               sf_layer_spec_parse(spec.text, 0, &again, NULL) != SF_OK ||
               again.scheme != spec.scheme || again.n_sets != spec.n_sets ||
               strcmp(again.text, spec.text) != 0) {
        abort();
    }
}

static void
check_lanes(const char *text)
{
    struct sf_lane_spec spec, again;
    struct sf_error err = { 0 };

    if (sf_lane_spec_parse(text, &spec, &err) != SF_OK) {
        if (spec.scheme || !err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
    } else if (!spec.scheme ||
               sf_lane_spec_parse(spec.text, &again, NULL) != SF_OK ||
               again.scheme != spec.scheme ||
               strcmp(again.text, spec.text) != 0) {
        abort();
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char spec[128];
    struct sf_topology *topo;
    struct sf_error err = { 0 };

    if (size >= sizeof spec) {
        return 0;
    }
    memcpy(spec, data, size);
    spec[size] = '\0';
    check_layers(spec);
    check_lanes(spec);
    if (!strncmp(spec, "edges:", 6)) {
        return 0;
    }
    if (sf_topology_build(spec, &topo, &err) != SF_OK) {
        if (topo || !err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
        return 0;
    }
    char name[SF_MAX_NAME];
    if (!sf_topology_switch_name(topo, topo->graph->n_nodes - 1, name)[0]) {
        abort();
    }
    sf_topology_free(topo);
    return 0;
}
