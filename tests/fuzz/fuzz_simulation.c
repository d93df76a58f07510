/* fuzz_simulation.c -- any bytes as a result of a simulation that was kept: no
 * crash; what is read is written and read back the same, and reports of it
 * can be written. */
#include "slimfly/simulation_files.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes 'result'; the caller frees the text. */
static char *
write_down(const struct sf_simulation *result, size_t *sizep)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, sizep);

    if (!stream || sf_simulation_write("s", result, stream, NULL)) {
        abort();
    }
    fclose(stream);
    return text;
}

/* A network of four switches, the same every time. */
static const struct sf_network *
small_network(void)
{
    static struct sf_network *network;
    struct sf_topology *topo;
    struct sf_fabric *fabric;

    if (network) {
        return network;
    }
    if (sf_topology_build("hx2:2x2,p=1", &topo, NULL) != SF_OK ||
        sf_fabric_from_topology(topo, NULL, &fabric, NULL) != SF_OK ||
        sf_network_build(fabric, &network, NULL) != SF_OK) {
        abort();
    }
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    return network;
}

/* Writes every file of a table with 'result', which may not fit the
 * network. */
static void
report(const struct sf_simulation *result, double load)
{
    struct sf_simulation_row row = {
        .name = "hx2:2x2,p=1",
        .network = small_network(),
        .params = { .model = SF_SIM_PACKET, .jobs.load = load },
        .result = *result,
        .is_done = true,
    };
    struct sf_simulation_table table = {
        .program = "p", .command = "c", .rows = &row, .n_rows = 1
    };

    for (const struct sf_simulation_file *file = sf_simulation_files;
         file->name; file++) {
        char *text = NULL;
        size_t size;
        FILE *stream = open_memstream(&text, &size);
        if (!stream || ((!file->has || file->has(&table)) &&
                        file->write(&table, stream, NULL) != SF_OK)) {
            abort();
        }
        fclose(stream);
        free(text);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_simulation once, twice;
    struct sf_error err = { 0 };
    size_t first_size, second_size;

    if (sf_simulation_parse((const char *)data, size, "fuzz", "s", &once,
                            &err)) {
        if (once.loads || once.cycle || !err.text[0] ||
            strchr(err.text, '\n')) {
            abort();
        }
        return 0;
    }
    char *first = write_down(&once, &first_size);
    if (sf_simulation_parse(first, first_size, "fuzz", "s", &twice, &err)) {
        abort();
    }
    char *second = write_down(&twice, &second_size);
    if (strcmp(first, second) != 0) {
        abort();
    }
    report(&once, 0);
    report(&once, 0.5);
    free(second);
    free(first);
    sf_simulation_clear(&twice);
    sf_simulation_clear(&once);
    return 0;
}
