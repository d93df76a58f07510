/* sl2vl.h -- service levels (SLs) and virtual lanes (VLs): the tables by which
 * switches turn one into the other, and the SLs that senders use. */
#ifndef SLIMFLY_SL2VL_H
#define SLIMFLY_SL2VL_H

#include "slimfly/fabric.h"
#include "slimfly/service.h"

#include <stdio.h>

#pragma GCC visibility push(default)

#define SF_DROP_VL 15  /* A packet whose SL means this VL is thrown away. */
#define SF_NO_VL   255 /* Nothing is known. */
#define SF_NO_SL   255

/* The SL-to-VL tables of all switches: a switch chooses the VL by the port a
 * packet comes in, the port it goes out, and its SL. */
struct sf_sl2vl {
    uint32_t n_switches;
    uint32_t *n_ports; /* [n_switches] */
    size_t *first;     /* [n_switches] Where a switch's rows start in 'vls'. */
    uint8_t *vls;      /* VLs by in port (0 is the switch itself), out port
                        * and SL; SF_NO_VL where nothing was said. */
};

/* The VLs of switch 's' from port 'in' to port 'out', by SL. */
static inline uint8_t *
sf_sl2vl_of(const struct sf_sl2vl *sl2vl, uint32_t s, uint32_t in,
            uint32_t out)
{
    size_t row = (size_t)in * (sl2vl->n_ports[s] + 1) + out;
    return sl2vl->vls + sl2vl->first[s] + row * SF_N_SLS;
}

/* The SL of each path, by source switch and destination LID. */
struct sf_path_sls {
    uint32_t n_switches;
    uint32_t max_lid;
    uint8_t *sls; /* [n_switches * (max_lid + 1)] SF_NO_SL if not said. */
};

/* The SLs of the paths from switch 's', by LID. */
static inline uint8_t *
sf_path_sls_of(const struct sf_path_sls *path_sls, uint32_t s)
{
    return path_sls->sls + (size_t)s * (path_sls->max_lid + 1);
}

/* Makes tables for the switches of 'fabric' that say nothing yet. */
enum sf_status sf_sl2vl_make(const struct sf_fabric *fabric,
                             struct sf_sl2vl **sl2vlp, struct sf_error *err);
void sf_sl2vl_free(struct sf_sl2vl *sl2vl);

/* Makes path SLs for LIDs up to 'max_lid' that say nothing yet. */
enum sf_status sf_path_sls_make(const struct sf_fabric *fabric,
                                uint32_t max_lid,
                                struct sf_path_sls **path_slsp,
                                struct sf_error *err);
void sf_path_sls_free(struct sf_path_sls *path_sls);

/* SL-to-VL tables as OpenSM dumps them (opensm-sl2vl.dump).  Switches are
 * found by GUID; SF_EPARSE says file, line and what was expected. */
void sf_sl2vl_write(const struct sf_sl2vl *sl2vl,
                    const struct sf_fabric *fabric, FILE *stream);
enum sf_status sf_sl2vl_read(const char *path, const struct sf_fabric *fabric,
                             struct sf_sl2vl **sl2vlp, struct sf_error *err);
enum sf_status sf_sl2vl_parse(char *text, size_t length, const char *path,
                              const struct sf_fabric *fabric,
                              struct sf_sl2vl **sl2vlp, struct sf_error *err);

/* Path SLs (path-sl.csv): lines 'source switch GUID,dlid,sl' where dlid is a
 * LID or a range FIRST-LAST. */
void sf_path_sls_write(const struct sf_path_sls *path_sls,
                       const struct sf_fabric *fabric, FILE *stream);
enum sf_status sf_path_sls_read(const char *path,
                                const struct sf_fabric *fabric,
                                uint32_t max_lid,
                                struct sf_path_sls **path_slsp,
                                struct sf_error *err);
enum sf_status sf_path_sls_parse(char *text, size_t length, const char *path,
                                 const struct sf_fabric *fabric,
                                 uint32_t max_lid,
                                 struct sf_path_sls **path_slsp,
                                 struct sf_error *err);

/* Tables and path SLs of the fabric 'from' as those of 'to', another state of
 * it: switches are the same by GUID, ports by number.  What 'from' does not
 * have is not said. */
enum sf_status sf_sl2vl_carry(const struct sf_sl2vl *sl2vl,
                              const struct sf_fabric *from,
                              const struct sf_fabric *to,
                              struct sf_sl2vl **carriedp,
                              struct sf_error *err);
enum sf_status sf_path_sls_carry(const struct sf_path_sls *path_sls,
                                 const struct sf_fabric *from,
                                 const struct sf_fabric *to, uint32_t max_lid,
                                 struct sf_path_sls **carriedp,
                                 struct sf_error *err);

#pragma GCC visibility pop
#endif
