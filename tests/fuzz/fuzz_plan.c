/* fuzz_plan.c -- any bytes as a plan.json: no crash; what is read can be
 * written, in every form, and read again. */
#include "slimfly/plan_files.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_plan *plan, *again;
    struct sf_error err = { 0 };

    if (sf_plan_parse((const char *)data, size, "fuzz", &plan, &err)) {
        if (plan || !err.text[0]) {
            abort();
        }
        return 0;
    }
    for (const struct sf_plan_file *file = sf_plan_files; file->name; file++) {
        char *text = NULL;
        size_t length = 0;
        FILE *stream = open_memstream(&text, &length);
        if (!stream || file->write(plan, stream, &err) != SF_OK ||
            fclose(stream) != 0) {
            abort();
        }
        if (file == sf_plan_files) { /* plan.json itself. */
            if (sf_plan_parse(text, length, "again", &again, &err) ||
                again->n_cables != plan->n_cables) {
                abort();
            }
            sf_plan_free(again);
        }
        free(text);
    }
    sf_plan_free(plan);
    return 0;
}
