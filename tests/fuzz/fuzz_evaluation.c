/* fuzz_evaluation.c -- any bytes as a piece of an evaluation that was kept: no
 * crash; what is read is written and read back the same. */
#include "eval/eval.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_eval_run runs[2] = { { .size = 1 }, { .size = 64 } };
    struct sf_eval_piece piece = { .n_runs = 2, .runs = runs };
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    if (sf_eval_piece_read(&piece, "s", text)) {
        char *first = sf_eval_piece_write(&piece, "s");
        if (!first || !sf_eval_piece_read(&piece, "s", first)) {
            abort();
        }
        char *second = sf_eval_piece_write(&piece, "s");
        if (!second || strcmp(first, second) != 0) {
            abort();
        }
        free(second);
        free(first);
    }
    free(text);
    return 0;
}
