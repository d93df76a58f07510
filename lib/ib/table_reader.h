/* table_reader.h -- what the readers of tables share: lines that say something
 * about one switch of a known fabric after the other. */
#ifndef SF_IB_TABLE_READER_H
#define SF_IB_TABLE_READER_H

#include "slimfly/fabric.h"

struct sf_table_reader {
    const char *path; /* For messages. */
    const struct sf_fabric *fabric;
    enum sf_status (*take)(struct sf_table_reader *reader, char *text);
    void *aux;         /* For 'take'. */
    const char *first; /* What must stand there at least once. */
    struct sf_error *err;
    uint32_t line;
    uint32_t s; /* The switch at hand; SF_NONE before the first. */
};

/* Hands the lines of 'length' bytes of 'text', or of the file 'path' if 'text'
 * is NULL, to 'take' until one fails.  SF_EPARSE if none was about a switch.
 */
enum sf_status sf_table_reader_run(struct sf_table_reader *reader, char *text,
                                   size_t length);

/* Reads a GUID such as 0x02534c4600000000 off '*textp' and makes its switch
 * the one at hand. */
enum sf_status sf_table_reader_switch(struct sf_table_reader *reader,
                                      char **textp);

/* SF_EPARSE: "PATH:LINE: expected EXPECTED, found 'FOUND'". */
enum sf_status sf_table_reader_fail(const struct sf_table_reader *reader,
                                    const char *expected, const char *found);

#endif
