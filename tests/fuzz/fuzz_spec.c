/* fuzz_spec.c -- any bytes as a spec: no crash, and an error says something.
 * Files are left out, since a fuzzer would open whatever it thinks of. */
#include "slimfly/topology.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
