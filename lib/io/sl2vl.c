/* sl2vl.c -- SL-to-VL tables as OpenSM dumps them:
 *
 *     Switch 0x02534c4600000000, base LID 1, "sf-0-0-0"
 *     #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
 *     #--------------------------------------------------------
 *     1   5   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
 *     #--------------------------------------------------------
 *
 * Sections of channel adapters say how hosts choose the VL to their switch,
 * which no switch waits for: they are passed over. */
#include "slimfly/sl2vl.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RULE "#--------------------------------------------------------\n"

void
sf_sl2vl_write(const struct sf_sl2vl *sl2vl, const struct sf_fabric *fabric,
               FILE *stream)
{
    for (uint32_t s = 0; s < sl2vl->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        fprintf(stream,
                "Switch 0x%016" PRIx64 ", base LID %u, \"%s\"\n"
                "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n"
                "%s",
                node->guid, node->lid, node->name, RULE);
        for (uint32_t out = 1; out <= sl2vl->n_ports[s]; out++) {
            for (uint32_t in = 0; in <= sl2vl->n_ports[s]; in++) {
                const uint8_t *vls = sf_sl2vl_of(sl2vl, s, in, out);
                if (vls[0] == SF_NO_VL) {
                    continue;
                }
                fprintf(stream, "%-3u %-3u :", in, out);
                for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
                    fprintf(stream, " %-2u", vls[sl]);
                }
                fputc('\n', stream);
            }
        }
        fprintf(stream, "%s\n", RULE);
    }
}

struct reader {
    const char *path;
    uint32_t line;
    const struct sf_fabric *fabric;
    struct sf_sl2vl *sl2vl;
    uint32_t s;      /* The switch that is being read; SF_NONE before. */
    bool is_adapter; /* A section to be passed over. */
    struct sf_error *err;
};

static enum sf_status
fail_line(struct reader *reader, const char *expected, const char *found)
{
    return sf_fail(reader->err, SF_EPARSE, "%s:%u: expected %s, found '%.60s'",
                   reader->path, reader->line, expected, found);
}

/* "Switch 0x..., base LID ...". */
static enum sf_status
read_switch(struct reader *reader, const char *text)
{
    const char *digits = text + strlen("Switch ");
    char *end;

    if (strncmp(digits, "0x", 2) != 0) {
        return fail_line(reader, "the GUID of a switch", text);
    }
    uint64_t guid = strtoull(digits, &end, 16);
    for (uint32_t s = 0; s < reader->fabric->n_switches; s++) {
        if (reader->fabric->nodes[s].guid == guid) {
            reader->s = s;
            reader->is_adapter = false;
            return SF_OK;
        }
    }
    return sf_fail(reader->err, SF_EPARSE,
                   "%s:%u: the fabric has no switch with GUID 0x%016" PRIx64,
                   reader->path, reader->line, guid);
}

/* Reads a number of digits only, up to 'max'. */
static bool
read_number(char **textp, unsigned long max, uint32_t *numberp)
{
    char *text = *textp + strspn(*textp, " \t");

    if (*text < '0' || *text > '9') {
        return false;
    }
    unsigned long number = strtoul(text, textp, 10);
    *numberp = (uint32_t)number;
    return number <= max;
}

/* "in out : vl ...". */
static enum sf_status
read_row(struct reader *reader, char *text)
{
    char *rest = text;
    uint32_t in, out, vl;

    if (reader->s == SF_NONE) {
        return fail_line(reader, "'Switch' and its GUID first", text);
    }
    uint32_t n_ports = reader->sl2vl->n_ports[reader->s];
    if (!read_number(&rest, n_ports, &in) ||
        !read_number(&rest, n_ports, &out)) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected an in port and an out port from 0 to "
                       "%u, found '%.60s'",
                       reader->path, reader->line, n_ports, text);
    }
    rest += strspn(rest, " \t");
    if (*rest++ != ':') {
        return fail_line(reader, "a colon after the ports", text);
    }
    uint8_t *vls = sf_sl2vl_of(reader->sl2vl, reader->s, in, out);
    for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
        if (!read_number(&rest, SF_DROP_VL, &vl)) {
            return fail_line(reader, "16 VLs from 0 to 15", text);
        }
        vls[sl] = (uint8_t)vl;
    }
    if (rest[strspn(rest, " \t\r")]) {
        return fail_line(reader, "nothing after 16 VLs", text);
    }
    return SF_OK;
}

static enum sf_status
read_line(void *aux, uint32_t line, char *text)
{
    struct reader *reader = aux;

    reader->line = line;
    text += strspn(text, " \t\r");
    if (!strncmp(text, "Switch ", 7)) {
        return read_switch(reader, text);
    }
    if (!strncmp(text, "Channel Adapter ", 16) ||
        !strncmp(text, "Router ", 7)) {
        reader->is_adapter = true;
    }
    if (!*text || *text == '#' || reader->is_adapter) {
        return SF_OK;
    }
    if (*text >= '0' && *text <= '9') {
        return read_row(reader, text);
    }
    return fail_line(reader, "'Switch' or a row of VLs", text);
}

static enum sf_status
finish(struct reader *reader, enum sf_status status, struct sf_sl2vl **sl2vlp)
{
    if (status == SF_OK && reader->s == SF_NONE) {
        status = sf_fail(reader->err, SF_EPARSE,
                         "%s:%u: expected 'Switch' and its GUID; found none",
                         reader->path, reader->line ? reader->line : 1);
    }
    if (status == SF_OK) {
        *sl2vlp = reader->sl2vl;
    } else {
        sf_sl2vl_free(reader->sl2vl);
    }
    return status;
}

enum sf_status
sf_sl2vl_parse(char *text, size_t length, const char *path,
               const struct sf_fabric *fabric, struct sf_sl2vl **sl2vlp,
               struct sf_error *err)
{
    struct reader reader = {
        .path = path, .fabric = fabric, .s = SF_NONE, .err = err
    };

    *sl2vlp = NULL;
    enum sf_status status = sf_sl2vl_make(fabric, &reader.sl2vl, err);
    if (status == SF_OK) {
        status = sf_text_lines(text, length, path, read_line, &reader, err);
    }
    return finish(&reader, status, sl2vlp);
}

enum sf_status
sf_sl2vl_read(const char *path, const struct sf_fabric *fabric,
              struct sf_sl2vl **sl2vlp, struct sf_error *err)
{
    struct reader reader = {
        .path = path, .fabric = fabric, .s = SF_NONE, .err = err
    };

    *sl2vlp = NULL;
    enum sf_status status = sf_sl2vl_make(fabric, &reader.sl2vl, err);
    if (status == SF_OK) {
        status = sf_file_lines(path, read_line, &reader, err);
    }
    return finish(&reader, status, sl2vlp);
}
