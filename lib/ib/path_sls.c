/* path_sls.c -- the service level of each path:
 *
 *     source switch GUID,dlid,sl
 *     0x02534c4600000000,51,0
 *     0x02534c4600000000,52-55,3
 *
 * A range of LIDs stands for a line each. */
#include "slimfly/sl2vl.h"

#include "ib/table_reader.h"
#include "slimfly/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TITLE "source switch GUID,dlid,sl"

void
sf_path_sls_write(const struct sf_path_sls *path_sls,
                  const struct sf_fabric *fabric, FILE *stream)
{
    fputs(TITLE "\n", stream);
    for (uint32_t s = 0; s < path_sls->n_switches; s++) {
        const uint8_t *sls = sf_path_sls_of(path_sls, s);
        uint32_t last;
        sf_progress_report("writing the SLs of paths", s,
                           path_sls->n_switches);
        for (uint32_t lid = 1; lid <= path_sls->max_lid; lid = last + 1) {
            last = lid;
            while (last < path_sls->max_lid && sls[last + 1] == sls[lid]) {
                last++;
            }
            if (sls[lid] == SF_NO_SL) {
                continue;
            }
            fprintf(stream, "0x%016" PRIx64 ",%u", fabric->nodes[s].guid, lid);
            if (last > lid) {
                fprintf(stream, "-%u", last);
            }
            fprintf(stream, ",%u\n", sls[lid]);
        }
    }
}

/* Reads a number, decimal or hexadecimal, that ends with 'end'. */
static bool
read_number(char **textp, char end, unsigned long *numberp)
{
    char *text = *textp, *rest;

    if (*text < '0' || *text > '9') {
        return false;
    }
    *numberp = strtoul(text, &rest, strncmp(text, "0x", 2) ? 10 : 16);
    *textp = rest + (*rest != '\0');
    return *rest == end;
}

/* "51," or "52-55,". */
static bool
read_lids(char **textp, unsigned long *firstp, unsigned long *lastp)
{
    bool is_range = memchr(*textp, '-', strcspn(*textp, ",")) != NULL;

    if (!read_number(textp, is_range ? '-' : ',', firstp)) {
        return false;
    }
    *lastp = *firstp;
    return !is_range || read_number(textp, ',', lastp);
}

static enum sf_status
read_line(struct sf_table_reader *reader, char *text)
{
    const struct sf_path_sls *path_sls = reader->aux;
    unsigned long first, last, sl;
    char *rest = text;

    text[strcspn(text, "\r")] = '\0';
    if (!*text || *text == '#' ||
        (reader->line == 1 && !strcmp(text, TITLE))) {
        return SF_OK;
    }
    if (strncmp(text, "0x", 2) != 0 || !strchr(text, ',')) {
        return sf_table_reader_fail(reader, "0xGUID,dlid,sl", text);
    }
    enum sf_status status = sf_table_reader_switch(reader, &rest);
    if (status != SF_OK) {
        return status;
    }
    if (*rest++ != ',') {
        return sf_table_reader_fail(reader, "0xGUID,dlid,sl", text);
    }
    if (!read_lids(&rest, &first, &last) || first < 1 || last < first ||
        last > path_sls->max_lid) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected a LID from 1 to %u or a range of "
                       "them, found '%.60s'",
                       reader->path, reader->line, path_sls->max_lid, text);
    }
    if (!read_number(&rest, '\0', &sl) || sl >= SF_N_SLS) {
        return sf_table_reader_fail(reader, "an SL from 0 to 15 at the end",
                                    text);
    }
    memset(sf_path_sls_of(path_sls, reader->s) + first, (int)sl,
           last - first + 1);
    return SF_OK;
}

enum sf_status
sf_path_sls_parse(char *text, size_t length, const char *path,
                  const struct sf_fabric *fabric, uint32_t max_lid,
                  struct sf_path_sls **path_slsp, struct sf_error *err)
{
    struct sf_table_reader reader = {
        .path = path,
        .fabric = fabric,
        .take = read_line,
        .first = "0xGUID,dlid,sl",
        .err = err,
    };

    enum sf_status status = sf_path_sls_make(fabric, max_lid, path_slsp, err);
    if (status == SF_OK) {
        reader.aux = *path_slsp;
        status = sf_table_reader_run(&reader, text, length);
    }
    if (status != SF_OK) {
        sf_path_sls_free(*path_slsp);
        *path_slsp = NULL;
    }
    return status;
}

enum sf_status
sf_path_sls_read(const char *path, const struct sf_fabric *fabric,
                 uint32_t max_lid, struct sf_path_sls **path_slsp,
                 struct sf_error *err)
{
    return sf_path_sls_parse(NULL, 0, path, fabric, max_lid, path_slsp, err);
}
