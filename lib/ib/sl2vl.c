/* sl2vl.c -- memory for SL-to-VL tables and path SLs. */
#include "slimfly/sl2vl.h"

#include "base/mem.h"

#include <string.h>

enum sf_status
sf_sl2vl_make(const struct sf_fabric *fabric, struct sf_sl2vl **sl2vlp,
              struct sf_error *err)
{
    struct sf_sl2vl *sl2vl = sf_calloc(1, sizeof *sl2vl);
    size_t size = 0;

    *sl2vlp = NULL;
    if (!sl2vl) {
        goto no_memory;
    }
    sl2vl->n_switches = fabric->n_switches;
    sl2vl->n_ports = sf_calloc(fabric->n_switches, sizeof *sl2vl->n_ports);
    sl2vl->first = sf_calloc(fabric->n_switches, sizeof *sl2vl->first);
    if (!sl2vl->n_ports || !sl2vl->first) {
        goto no_memory;
    }
    for (uint32_t s = 0; s < fabric->n_switches; s++) {
        size_t n = fabric->nodes[s].n_ports;
        sl2vl->n_ports[s] = fabric->nodes[s].n_ports;
        sl2vl->first[s] = size;
        size += (n + 1) * (n + 1) * SF_N_SLS;
    }
    sl2vl->vls = sf_calloc(size, 1);
    if (!sl2vl->vls) {
        goto no_memory;
    }
    memset(sl2vl->vls, SF_NO_VL, size);
    *sl2vlp = sl2vl;
    return SF_OK;

no_memory:
    sf_sl2vl_free(sl2vl);
    return sf_fail(err, SF_ENOMEM, "out of memory for SL-to-VL tables");
}

void
sf_sl2vl_free(struct sf_sl2vl *sl2vl)
{
    if (sl2vl) {
        free(sl2vl->vls);
        free(sl2vl->first);
        free(sl2vl->n_ports);
        free(sl2vl);
    }
}

enum sf_status
sf_path_sls_make(const struct sf_fabric *fabric, uint32_t max_lid,
                 struct sf_path_sls **path_slsp, struct sf_error *err)
{
    struct sf_path_sls *path_sls = sf_calloc(1, sizeof *path_sls);
    size_t size = (size_t)fabric->n_switches * ((size_t)max_lid + 1);

    *path_slsp = NULL;
    if (path_sls) {
        path_sls->n_switches = fabric->n_switches;
        path_sls->max_lid = max_lid;
        path_sls->sls = sf_calloc(size, 1);
    }
    if (!path_sls || !path_sls->sls) {
        sf_path_sls_free(path_sls);
        return sf_fail(err, SF_ENOMEM, "out of memory for path SLs");
    }
    memset(path_sls->sls, SF_NO_SL, size);
    *path_slsp = path_sls;
    return SF_OK;
}

void
sf_path_sls_free(struct sf_path_sls *path_sls)
{
    if (path_sls) {
        free(path_sls->sls);
        free(path_sls);
    }
}
