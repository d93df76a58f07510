/* sl2vl_dump.c -- SL-to-VL tables as OpenSM dumps them:
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

#include "ib/table_reader.h"
#include "slimfly/ib_addresses.h"
#include "slimfly/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RULE "#--------------------------------------------------------\n"

/* Writes a blank and the number of a VL, 0 to 15, as "%-2u" would.  Large
 * fabrics have millions of them, and printf() takes longer than their routes.
 */
static void
write_vl(uint8_t vl, FILE *stream)
{
    char text[3] = { ' ', (char)('0' + vl), ' ' };

    if (vl >= 10) {
        text[1] = '1';
        text[2] = (char)('0' + vl - 10);
    }
    fwrite(text, 1, sizeof text, stream);
}

void
sf_sl2vl_write(const struct sf_sl2vl *sl2vl, const struct sf_fabric *fabric,
               FILE *stream)
{
    for (uint32_t s = 0; s < sl2vl->n_switches; s++) {
        const struct sf_node *node = &fabric->nodes[s];
        sf_progress_report("writing SL-to-VL tables", s, sl2vl->n_switches);
        fprintf(stream,
                "Switch 0x%016" PRIx64 ", base LID %u, \"%s\"\n"
                "#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n"
                "%s",
                node->guid, sf_ib_node(fabric, s)->lid, node->name, RULE);
        for (uint32_t out = 1; out <= sl2vl->n_ports[s]; out++) {
            for (uint32_t in = 0; in <= sl2vl->n_ports[s]; in++) {
                const uint8_t *vls = sf_sl2vl_of(sl2vl, s, in, out);
                if (vls[0] == SF_NO_VL) {
                    continue;
                }
                fprintf(stream, "%-3u %-3u :", in, out);
                for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
                    write_vl(vls[sl], stream);
                }
                fputc('\n', stream);
            }
        }
        fprintf(stream, "%s\n", RULE);
    }
}

/* What is read. */
struct rows {
    struct sf_sl2vl *sl2vl;
    bool is_adapter; /* In a section to be passed over. */
};

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
read_row(struct sf_table_reader *reader, char *text)
{
    const struct sf_sl2vl *sl2vl = ((struct rows *)reader->aux)->sl2vl;
    char *rest = text;
    uint32_t in, out, vl;

    if (reader->s == SF_NONE) {
        return sf_table_reader_fail(reader, "'Switch' and its GUID first",
                                    text);
    }
    uint32_t n_ports = sl2vl->n_ports[reader->s];
    if (!read_number(&rest, n_ports, &in) ||
        !read_number(&rest, n_ports, &out)) {
        return sf_fail(reader->err, SF_EPARSE,
                       "%s:%u: expected an in port and an out port from 0 to "
                       "%u, found '%.60s'",
                       reader->path, reader->line, n_ports, text);
    }
    rest += strspn(rest, " \t");
    if (*rest++ != ':') {
        return sf_table_reader_fail(reader, "a colon after the ports", text);
    }
    uint8_t *vls = sf_sl2vl_of(sl2vl, reader->s, in, out);
    for (uint32_t sl = 0; sl < SF_N_SLS; sl++) {
        if (!read_number(&rest, SF_DROP_VL, &vl)) {
            return sf_table_reader_fail(reader, "16 VLs from 0 to 15", text);
        }
        vls[sl] = (uint8_t)vl;
    }
    if (rest[strspn(rest, " \t\r")]) {
        return sf_table_reader_fail(reader, "nothing after 16 VLs", text);
    }
    return SF_OK;
}

static enum sf_status
read_line(struct sf_table_reader *reader, char *text)
{
    struct rows *rows = reader->aux;

    if (!strncmp(text, "Switch ", 7)) {
        rows->is_adapter = false;
        text += strlen("Switch ");
        return sf_table_reader_switch(reader, &text);
    }
    if (!strncmp(text, "Channel Adapter ", 16) ||
        !strncmp(text, "Router ", 7)) {
        rows->is_adapter = true;
    }
    if (!*text || *text == '#' || rows->is_adapter) {
        return SF_OK;
    }
    if (*text >= '0' && *text <= '9') {
        return read_row(reader, text);
    }
    return sf_table_reader_fail(reader, "'Switch' or a row of VLs", text);
}

enum sf_status
sf_sl2vl_parse(char *text, size_t length, const char *path,
               const struct sf_fabric *fabric, struct sf_sl2vl **sl2vlp,
               struct sf_error *err)
{
    struct rows rows = { 0 };
    struct sf_table_reader reader = {
        .path = path,
        .fabric = fabric,
        .take = read_line,
        .aux = &rows,
        .first = "'Switch' and its GUID",
        .err = err,
    };

    enum sf_status status = sf_sl2vl_make(fabric, sl2vlp, err);
    if (status == SF_OK) {
        rows.sl2vl = *sl2vlp;
        status = sf_table_reader_run(&reader, text, length);
    }
    if (status != SF_OK) {
        sf_sl2vl_free(*sl2vlp);
        *sl2vlp = NULL;
    }
    return status;
}

enum sf_status
sf_sl2vl_read(const char *path, const struct sf_fabric *fabric,
              struct sf_sl2vl **sl2vlp, struct sf_error *err)
{
    return sf_sl2vl_parse(NULL, 0, path, fabric, sl2vlp, err);
}
