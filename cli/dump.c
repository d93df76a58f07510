/* dump.c -- the files that OpenSM dumps of a subnet. */
#include "cli.h"

static enum sf_status
write_fabric(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct cli_dump *dump = aux;
    (void)err;
    sf_ibnetdiscover_write(dump->fabric, dump->title, stream);
    return SF_OK;
}

static enum sf_status
write_tables(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct cli_dump *dump = aux;
    return sf_tables_write(dump->tables, dump->fabric, stream, err);
}

static enum sf_status
write_sl2vl(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct cli_dump *dump = aux;
    (void)err;
    sf_sl2vl_write(dump->sl2vl, dump->fabric, stream);
    return SF_OK;
}

static enum sf_status
write_path_sls(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct cli_dump *dump = aux;
    (void)err;
    sf_path_sls_write(dump->path_sls, dump->fabric, stream);
    return SF_OK;
}

int
cli_write_dump(const struct cli_dump *dump, const char *folder)
{
    const struct {
        bool is_there;
        const char *name;
        cli_writer *write;
    } files[] = {
        { true, "fabric.ibnetdiscover", write_fabric },
        { true, CLI_TABLES_FILE, write_tables },
        { dump->sl2vl, "opensm-sl2vl.dump", write_sl2vl },
        { dump->path_sls, "path-sl.csv", write_path_sls },
    };
    int code = CLI_FINE;

    for (size_t i = 0; code == CLI_FINE && i < sizeof files / sizeof *files;
         i++) {
        if (files[i].is_there) {
            code = cli_write_file(folder, files[i].name, files[i].write, dump);
        }
    }
    return code;
}
