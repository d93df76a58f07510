/* fuzz_timeline.c -- any bytes as the state of a time line: no crash; what is
 * read is written the same again, and the time line goes on with it. */
#include "monitor/event_json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Observations after which nothing is open any more. */
static void
go_on(struct sf_timeline *timeline)
{
    for (int64_t look = 0; look < 4; look++) {
        for (int source = 0; source < SF_MONITOR_N_SOURCES; source++) {
            sf_timeline_begin(timeline, (enum sf_monitor_source)source,
                              INT64_C(9000000000000) + look);
            sf_timeline_end(timeline);
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_timeline *timeline;
    struct sf_error err = { 0 };

    if (sf_timeline_new(NULL, &timeline, &err) != SF_OK) {
        abort();
    }
    if (sf_timeline_parse((const char *)data, size, "fuzz", timeline, &err) ==
        SF_OK) {
        json_t *root = sf_timeline_json(timeline);
        if (!root) {
            abort();
        }
        json_decref(root);
        go_on(timeline);
    } else if (!err.text[0] || strchr(err.text, '\n')) {
        abort();
    }
    sf_timeline_free(timeline);
    return 0;
}
