/* fuzz_manager.c -- any bytes as a status file: no crash; what is read can be
 * judged and written; so with what it tells of drained links. */
#include "slimfly/drain_status.h"
#include "slimfly/manager.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
try_drained(const uint8_t *data, size_t size)
{
    struct sf_drain_told told;
    struct sf_drain_list *list;
    struct sf_error err = { 0 };

    if (sf_drain_told_parse((const char *)data, size, "fuzz", &told, &err) !=
        SF_OK) {
        if (!err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
        return;
    }
    if (sf_drain_list_parse("", 0, "empty", &list, &err) == SF_OK) {
        if (sf_drain_told_compare(&told, list) > told.n) {
            abort();
        }
        sf_drain_list_free(list);
    }
    sf_drain_told_clear(&told);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_manager manager;
    struct sf_manager_health health;
    struct sf_error err = { 0 };

    try_drained(data, size);
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
