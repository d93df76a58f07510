/* fuzz_path_sls.c -- any bytes as path SLs: no crash, an error says something,
 * and what is read is in range. */
#include "slimfly/sl2vl.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LID 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sf_fabric *
make_fabric(void)
{
    struct sf_topology *topo;
    struct sf_fabric *fabric;

    if (sf_topology_build("sf:q=3", &topo, NULL) != SF_OK ||
        sf_fabric_from_topology(topo, NULL, &fabric, NULL) != SF_OK) {
        abort();
    }
    sf_topology_free(topo);
    return fabric;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sf_fabric *fabric;
    struct sf_path_sls *path_sls;
    struct sf_error err = { 0 };
    char *text = malloc(size + 1);

    fabric = fabric ? fabric : make_fabric();
    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (sf_path_sls_parse(text, size, "fuzz", fabric, MAX_LID, &path_sls,
                          &err) != SF_OK) {
        if (path_sls || !err.text[0]) {
            abort();
        }
    } else {
        for (size_t i = 0; i < (size_t)fabric->n_switches * (MAX_LID + 1);
             i++) {
            if (path_sls->sls[i] >= SF_N_SLS && path_sls->sls[i] != SF_NO_SL) {
                abort();
            }
        }
    }
    sf_path_sls_free(path_sls);
    free(text);
    return 0;
}
