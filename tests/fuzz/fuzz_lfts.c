/* fuzz_lfts.c -- any bytes as forwarding tables: no crash, an error says
 * something, and what is read can be audited. */
#include "slimfly/audit.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sf_fabric *
make_fabric(void)
{
    struct sf_topology *topo;
    struct sf_fabric *fabric;

    if (sf_topology_build("sf:q=3", &topo, NULL) != SF_OK ||
        sf_fabric_from_topology(topo, NULL, &fabric, NULL) != SF_OK ||
        sf_fabric_assign_lids(fabric, 1, NULL, NULL) != SF_OK) {
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
    struct sf_audit *audit;
    struct sf_error err = { 0 };
    char *text = malloc(size + 1);

    fabric = fabric ? fabric : make_fabric();
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (sf_tables_parse(text, size, "fuzz", fabric, &tables, &err) != SF_OK) {
        if (tables || !err.text[0]) {
            abort();
        }
    } else {
        if (sf_audit_build(fabric, tables, NULL, &audit, NULL) != SF_OK) {
            abort();
        }
        sf_audit_free(audit);
    }
    sf_tables_free(tables);
    free(text);
    return 0;
}
