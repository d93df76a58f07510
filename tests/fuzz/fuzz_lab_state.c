/* fuzz_lab_state.c -- any bytes as what a lab is: no crash; what is read has
 * tables for all of its switches. */
#include "ip/lab/lab.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_lab lab = { .folder = { .fd = -1 } };
    struct sf_error err = { 0 };
    struct sf_lab_sizes sizes;

    if (sf_lab_state_parse(&lab, (const char *)data, size, "fuzz", &err)) {
        if (!err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
    } else {
        sf_lab_sizes(&lab, &sizes);
        if (sizes.n_switches != lab.tables->n_switches) {
            abort();
        }
    }
    sf_lab_clear(&lab);
    return 0;
}
