/* base.c -- see base.h. */
#include "base.h"

#include "slimfly/discovery.h"
#include "whole_file.h"

#include <unistd.h>

enum sf_status
sf_base_load(const char *path, struct sf_fabric **fabricp,
             struct sf_error *err)
{
    *fabricp = NULL;
    return access(path, F_OK) == 0 ? sf_ibnetdiscover_read(path, fabricp, err)
                                   : SF_OK;
}

static void
write_fabric(const void *aux, FILE *stream)
{
    sf_ibnetdiscover_write(aux, "what the slimfly plugin routes from", stream);
}

enum sf_status
sf_base_save(const struct sf_fabric *fabric, const char *path,
             struct sf_error *err)
{
    return sf_whole_file_write(path, write_fabric, fabric, err);
}
