/* held_tables.c -- loads what switches hold. */
#include "held_tables.h"

#include <stdlib.h>
#include <sys/stat.h>

static bool
is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

/* Reads what OpenSM dumps, or 'slimfly route' writes, into 'folder'. */
static enum sf_status
load_folder(struct cli_held *held, const char *folder,
            const struct sf_fabric *fabric, struct sf_error *err)
{
    char *lfts = cli_join(folder, CLI_TABLES_FILE);
    char *sl2vl = cli_join(folder, "opensm-sl2vl.dump");
    char *path_sls = cli_join(folder, "path-sl.csv");
    enum sf_status status = SF_OK;

    if (!lfts || !sl2vl || !path_sls) {
        status = sf_fail(err, SF_ENOMEM, "out of memory");
        goto done;
    }
    if (!is_there(lfts)) {
        status = sf_fail(err, SF_EIO,
                         "%s: No such file; OpenSM writes it with log_flags "
                         "0x43 in opensm.conf",
                         lfts);
        goto done;
    }
    status = sf_tables_read(lfts, fabric, &held->tables, err);
    if (status == SF_OK && is_there(sl2vl)) {
        status = sf_sl2vl_read(sl2vl, fabric, &held->sl2vl, err);
    }
    if (status == SF_OK && is_there(path_sls)) {
        status = sf_path_sls_read(path_sls, fabric, held->tables->max_lid,
                                  &held->path_sls, err);
    }

done:
    free(path_sls);
    free(sl2vl);
    free(lfts);
    return status;
}

enum sf_status
cli_held_load(struct cli_held *held, const char *word,
              const struct sf_fabric *fabric, uint32_t timeout,
              struct sf_error *err)
{
    if (sf_is_live(word)) {
        return sf_live_tables(word, fabric, timeout, &held->tables,
                              &held->sl2vl, err);
    }
    return cli_is_folder(word)
               ? load_folder(held, word, fabric, err)
               : sf_tables_read(word, fabric, &held->tables, err);
}

enum sf_status
cli_held_carry(struct cli_held *held, const struct sf_fabric *from,
               const struct sf_fabric *to, struct sf_error *err)
{
    struct cli_held carried = { 0 };
    enum sf_status status =
        sf_tables_carry(held->tables, from, to, &carried.tables, err);

    if (status == SF_OK && held->sl2vl) {
        status = sf_sl2vl_carry(held->sl2vl, from, to, &carried.sl2vl, err);
    }
    if (status == SF_OK && held->path_sls) {
        status =
            sf_path_sls_carry(held->path_sls, from, to,
                              carried.tables->max_lid, &carried.path_sls, err);
    }
    cli_held_clear(held);
    *held = carried;
    return status;
}

void
cli_held_clear(struct cli_held *held)
{
    sf_path_sls_free(held->path_sls);
    sf_sl2vl_free(held->sl2vl);
    sf_tables_free(held->tables);
    *held = (struct cli_held){ 0 };
}
