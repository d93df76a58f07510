/* verify_json.h -- what the JSON of verifications and of watching share. */
#ifndef SF_REPORT_VERIFY_JSON_H
#define SF_REPORT_VERIFY_JSON_H

#include "slimfly/verify.h"

#include <jansson.h>

/* A string; bytes that are not UTF-8 become '?'. */
json_t *sf_json_string(const char *text);

/* What a writer of sentences says about item 'i'; NULL if memory ran out. */
json_t *sf_json_sentence(const struct sf_verification *verification,
                         uint32_t i,
                         void (*write)(const struct sf_verification *,
                                       uint32_t, FILE *));

/* What mends finding 'i' if that is no move; null if there is no such thing.
 */
json_t *sf_json_remedy(const struct sf_verification *verification, uint32_t i);

/* The warnings of a verification, an array of sentences. */
json_t *sf_json_warnings(const struct sf_verification *verification);

/* What its discovery had to say, an array of objects with kind and text. */
json_t *sf_json_notes(const struct sf_verification *verification);

#endif
