/* fuzz_thresholds.c -- any bytes as a file of thresholds: no crash; what is
 * read is in range. */
#include "slimfly/counter_findings.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_thresholds thresholds;
    struct sf_silence *silence;
    struct sf_error err = { 0 };

    if (sf_thresholds_parse((const char *)data, size, "fuzz", &thresholds,
                            &err) != SF_OK) {
        if (!err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
        return 0;
    }
    if (!(thresholds.busy >= 0 && thresholds.busy <= 1) ||
        !(thresholds.hot_least >= 0 && thresholds.hot_least <= 1) ||
        !(thresholds.hot_times >= 0) ||
        !(thresholds.hot_traffic >= 0 && thresholds.hot_traffic <= 1) ||
        sf_silence_new(thresholds.n_silent, thresholds.n_sweeps, &silence,
                       NULL) != SF_OK) {
        abort();
    }
    sf_silence_free(silence);
    for (uint32_t i = 0; i < SF_N_COUNTERS; i++) {
        if ((unsigned)thresholds.counters[i].severity >= SF_N_SEVERITIES) {
            abort();
        }
    }
    return 0;
}
