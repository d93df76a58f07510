/* json_reader.h -- members of JSON documents, each checked as it is read.  A
 * failure says where in the document it is: "cables[3].a.port". */
#ifndef SF_BASE_JSON_READER_H
#define SF_BASE_JSON_READER_H

#include "slimfly/error.h"

#include <jansson.h>
#include <stdint.h>

#define SF_JSON_PLACE_SIZE 128

struct sf_json_reader {
    const char *path; /* Of the file. */
    struct sf_error *err;
    enum sf_status status; /* The first failure; later ones say nothing. */
};

/* Notes that the document is wrong, or that memory ran out. */
void sf_json_refuse(struct sf_json_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sf_json_fail_memory(struct sf_json_reader *reader);

/* The member 'key' of 'object', which is at 'where' ("" at the top): a whole
 * number from min to max; a number from 0 to max, named 'what' in messages; a
 * text of at most max_length characters; an array.  If it is something else,
 * notes that and returns something harmless. */
uint32_t sf_json_number(struct sf_json_reader *reader, const json_t *object,
                        const char *where, const char *key, uint32_t min,
                        uint32_t max);
double sf_json_amount(struct sf_json_reader *reader, const json_t *object,
                      const char *where, const char *key, const char *what,
                      double max);
const char *sf_json_text(struct sf_json_reader *reader, const json_t *object,
                         const char *where, const char *key,
                         size_t max_length);
const json_t *sf_json_array(struct sf_json_reader *reader,
                            const json_t *object, const char *key);

#endif
