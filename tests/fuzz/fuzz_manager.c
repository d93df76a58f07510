/* fuzz_manager.c -- any bytes as a status file: no crash; what is read can be
 * judged and written. */
#include "slimfly/manager.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_manager manager;
    struct sf_manager_health health;
    struct sf_error err = { 0 };

    if (sf_manager_parse((const char *)data, size, "fuzz", &manager, &err)) {
        if (!err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
        return 0;
    }
    sf_manager_judge(&manager, 1800000000, 0, SF_PROCESS_UNKNOWN, &health);
    if ((health.verdict == SF_MANAGER_FINE) != (health.n_reasons == 0)) {
        abort();
    }
    FILE *stream = fopen("/dev/null", "w");
    if (!stream ||
        sf_manager_write_json(&manager, &health, "fuzz", stream, &err)) {
        abort();
    }
    sf_manager_write_text(&manager, &health, stream);
    fclose(stream);
    return 0;
}
