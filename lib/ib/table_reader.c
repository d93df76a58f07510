#include "ib/table_reader.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum sf_status
sf_table_reader_fail(const struct sf_table_reader *reader,
                     const char *expected, const char *found)
{
    return sf_fail(reader->err, SF_EPARSE, "%s:%u: expected %s, found '%.60s'",
                   reader->path, reader->line, expected, found);
}

enum sf_status
sf_table_reader_switch(struct sf_table_reader *reader, char **textp)
{
    uint32_t n = reader->fabric->n_switches;
    char *text = *textp;

    if (strncmp(text, "0x", 2) != 0) {
        return sf_table_reader_fail(reader, "the GUID of a switch", text);
    }
    uint64_t guid = strtoull(text, textp, 16);
    /* Mostly it is that of the line before or the next one. */
    for (uint32_t i = 0; i < n; i++) {
        uint32_t s = (i + (reader->s == SF_NONE ? 0 : reader->s)) % n;
        if (reader->fabric->nodes[s].guid == guid) {
            reader->s = s;
            return SF_OK;
        }
    }
    return sf_fail(reader->err, SF_EPARSE,
                   "%s:%u: the fabric has no switch with GUID 0x%016" PRIx64,
                   reader->path, reader->line, guid);
}

static enum sf_status
take_line(void *aux, uint32_t line, char *text)
{
    struct sf_table_reader *reader = aux;

    reader->line = line;
    return reader->take(reader, text + strspn(text, " \t\r"));
}

enum sf_status
sf_table_reader_run(struct sf_table_reader *reader, char *text, size_t length)
{
    reader->s = SF_NONE;
    enum sf_status status =
        text ? sf_text_lines(text, length, reader->path, take_line, reader,
                             reader->err)
             : sf_file_lines(reader->path, take_line, reader, reader->err);
    if (status == SF_OK && reader->s == SF_NONE) {
        status = sf_fail(reader->err, SF_EPARSE,
                         "%s:%u: expected %s; found none", reader->path,
                         reader->line ? reader->line : 1, reader->first);
    }
    return status;
}
