/* fuzz_subnet_lst.c -- any bytes as opensm-subnet.lst: no crash, and what is
 * read is a fabric whose cables have two ends. */
#include "slimfly/discovery.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_fabric *fabric;
    struct sf_error err = { 0 };
    uint32_t n_ends = 0;
    char *text = malloc(size + 1);

    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    enum sf_status status =
        sf_subnet_lst_parse(text, size, "fuzz", &fabric, &err);
    free(text);
    if (status != SF_OK) {
        if (fabric || !err.text[0]) {
            abort();
        }
        return 0;
    }
    for (uint32_t i = 0; i < fabric->n_ports; i++) {
        const struct sf_port *port = &fabric->ports[i];
        if (port->peer != SF_NONE && fabric->ports[port->peer].peer != i) {
            abort();
        }
        n_ends += port->peer != SF_NONE;
    }
    if (n_ends != 2 * fabric->n_cables || n_ends == 0) {
        abort();
    }
    FILE *sink = fopen("/dev/null", "w");
    if (sink) {
        sf_ibnetdiscover_write(fabric, "fuzz", sink);
        fclose(sink);
    }
    sf_fabric_free(fabric);
    return 0;
}
