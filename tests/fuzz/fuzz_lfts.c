/* fuzz_lfts.c -- any bytes as a dump of forwarding tables: no crash, and an
 * error says something. */
#include "slimfly/tables.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small fabric with LIDs, made once. */
static struct sf_fabric *
make_fabric(void)
{
    struct sf_topology *topo;
    struct sf_fabric *fabric;

    if (sf_topology_build("ft2:leaf=2,core=1,up=1,p=1", &topo, NULL) ||
        sf_fabric_from_topology(topo, NULL, &fabric, NULL) ||
        sf_fabric_assign_lids(fabric, 1, NULL, NULL)) {
        abort();
    }
    sf_topology_free(topo);
    return fabric;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sf_fabric *fabric;
    struct sf_tables *tables;
    struct sf_error err = { 0 };
    char *text = malloc(size + 1);

    if (!fabric) {
        fabric = make_fabric();
    }
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (sf_tables_parse(text, size, "fuzz", fabric, &tables, &err)) {
        if (tables || !err.text[0]) {
            abort();
        }
    }
    sf_tables_free(tables);
    free(text);
    return 0;
}
