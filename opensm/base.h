/* base.h -- the fabric of the base (engine.h) in a file, so that a restart of
 * OpenSM does not forget it: with the same fabric, options and seed, base can
 * be made again.  The file is as ibnetdiscover prints. */
#ifndef SF_OPENSM_BASE_H
#define SF_OPENSM_BASE_H

#include "slimfly/fabric.h"

/* Reads the fabric at 'path'; '*fabricp' is NULL, and that is fine, if there
 * is no such file. */
enum sf_status sf_base_load(const char *path, struct sf_fabric **fabricp,
                            struct sf_error *err);

/* Writes 'fabric' to 'path'. */
enum sf_status sf_base_save(const struct sf_fabric *fabric, const char *path,
                            struct sf_error *err);

#endif
