/* path_sls.c -- the service level of each path:
 *
 *     source switch GUID,dlid,sl
 *     0x02534c4600000000,51,0
 *     0x02534c4600000000,52-55,3
 *
 * A range of LIDs stands for a line each. */
#include "slimfly/sl2vl.h"

#include "base/file.h"

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

struct reader {
    const char *path;
    uint32_t line;
    const struct sf_fabric *fabric;
    struct sf_path_sls *path_sls;
    uint32_t s;      /* The source of the last line. */
    uint32_t n_read; /* Lines that say something. */
    struct sf_error *err;
};

static enum sf_status
fail_line(struct reader *reader, const char *expected, const char *found)
{
    return sf_fail(reader->err, SF_EPARSE, "%s:%u: expected %s, found '%.60s'",
                   reader->path, reader->line, expected, found);
}

/* Finds the switch with 'guid', mostly that of the line before or the next
 * one. */
static bool
find_switch(struct reader *reader, uint64_t guid)
{
    uint32_t n = reader->fabric->n_switches;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = (reader->s + i) % n;
        if (reader->fabric->nodes[s].guid == guid) {
            reader->s = s;
            return true;
        }
    }
    return false;
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
read_line(void *aux, uint32_t line, char *text)
{
    struct reader *reader = aux;
    unsigned long first, last, sl;
    char *rest;

    reader->line = line;
    text[strcspn(text, "\r")] = '\0';
    if (!*text || *text == '#' || (line == 1 && !strcmp(text, TITLE))) {
        return SF_OK;
    }
    uint64_t guid = strtoull(text, &rest, 16);
    if (strncmp(text, "0x", 2) != 0 || *rest++ != ',') {
        return fail_line(reader, "0xGUID,dlid,sl", text);
    }
    if (!find_switch(reader, guid)) {
        return sf_fail(
            reader->err, SF_EPARSE,
            "%s:%u: the fabric has no switch with GUID 0x%016" PRIx64,
            reader->path, line, guid);
    }
    uint32_t max_lid = reader->path_sls->max_lid;
    if (!read_lids(&rest, &first, &last) || first < 1 || last < first ||
        last > max_lid) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected a LID from 1 to %u or a range of "
                       "them, found '%.60s'",
                       reader->path, line, max_lid, text);
    }
    if (!read_number(&rest, '\0', &sl) || sl >= SF_N_SLS) {
        return fail_line(reader, "an SL from 0 to 15 at the end", text);
    }
    memset(sf_path_sls_of(reader->path_sls, reader->s) + first, (int)sl,
           last - first + 1);
    reader->n_read++;
    return SF_OK;
}

static enum sf_status
finish(struct reader *reader, enum sf_status status,
       struct sf_path_sls **path_slsp)
{
    if (status == SF_OK && !reader->n_read) {
        status = sf_fail(reader->err, SF_EPARSE,
                         "%s:%u: expected 0xGUID,dlid,sl; found none",
                         reader->path, reader->line ? reader->line : 1);
    }
    if (status == SF_OK) {
        *path_slsp = reader->path_sls;
    } else {
        sf_path_sls_free(reader->path_sls);
    }
    return status;
}

enum sf_status
sf_path_sls_parse(char *text, size_t length, const char *path,
                  const struct sf_fabric *fabric, uint32_t max_lid,
                  struct sf_path_sls **path_slsp, struct sf_error *err)
{
    struct reader reader = { .path = path, .fabric = fabric, .err = err };

    *path_slsp = NULL;
    enum sf_status status =
        sf_path_sls_make(fabric, max_lid, &reader.path_sls, err);
    if (status == SF_OK) {
        status = sf_text_lines(text, length, path, read_line, &reader, err);
    }
    return finish(&reader, status, path_slsp);
}

enum sf_status
sf_path_sls_read(const char *path, const struct sf_fabric *fabric,
                 uint32_t max_lid, struct sf_path_sls **path_slsp,
                 struct sf_error *err)
{
    struct reader reader = { .path = path, .fabric = fabric, .err = err };

    *path_slsp = NULL;
    enum sf_status status =
        sf_path_sls_make(fabric, max_lid, &reader.path_sls, err);
    if (status == SF_OK) {
        status = sf_file_lines(path, read_line, &reader, err);
    }
    return finish(&reader, status, path_slsp);
}
