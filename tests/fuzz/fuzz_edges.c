/* fuzz_edges.c -- any bytes as an edge list: no crash; what is read can be
 * written and read again with the same result. */
#include "slimfly/formats.h"
#include "topology/edges.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads 'size' bytes as an edge list into a sketch; the caller clears it. */
static enum sf_status
read_bytes(const void *data, size_t size, struct sf_sketch *sketch)
{
    struct sf_error err = { 0 };
    char *text = malloc(size + 1);
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    *sketch = (struct sf_sketch){ .n_coords = 1 };
    enum sf_status status = sf_edges_read(text, size, "fuzz", 1, sketch, &err);
    if (status != SF_OK && !err.text[0]) {
        abort();
    }
    free(text);
    return status;
}

static void
clear(struct sf_sketch *sketch)
{
    for (uint32_t s = 0; sketch->names && s < sketch->n_switches; s++) {
        free(sketch->names[s]);
    }
    free(sketch->names);
    free(sketch->places);
    free(sketch->n_hosts);
    free(sketch->links.items);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_sketch first, again;

    if (read_bytes(data, size, &first) == SF_OK) {
        struct sf_topology topo = { .spec = (char[]){ "fuzz" } };
        char *written = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&written, &length);
        if (sf_graph_build(first.n_switches, first.links.items,
                           (uint32_t)first.links.n, &topo.graph, NULL)) {
            abort();
        }
        sf_edges_write(&topo, stream);
        fclose(stream);
        if (read_bytes(written, length, &again) != SF_OK ||
            again.n_switches != first.n_switches ||
            again.links.n != first.links.n) {
            abort();
        }
        clear(&again);
        free(written);
        sf_graph_free(topo.graph);
    }
    clear(&first);
    return 0;
}
