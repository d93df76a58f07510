/* fuzz_measurement.c -- any bytes as a measurement that was kept: no crash;
 * what is read is written and read back the same. */
#include "slimfly/comparison_files.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes 'measurement'; the caller frees the text. */
static char *
write_down(const struct sf_measurement *measurement, size_t *sizep)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, sizep);

    if (!stream || sf_measurement_write("s", measurement, stream, NULL)) {
        abort();
    }
    fclose(stream);
    return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_measurement once, twice;
    struct sf_error err = { 0 };
    size_t first_size, second_size;

    if (sf_measurement_parse((const char *)data, size, "fuzz", "s", &once,
                             &err)) {
        if (once.metrics || !err.text[0] || strchr(err.text, '\n')) {
            abort();
        }
        return 0;
    }
    char *first = write_down(&once, &first_size);
    if (sf_measurement_parse(first, first_size, "fuzz", "s", &twice, &err)) {
        abort();
    }
    char *second = write_down(&twice, &second_size);
    if (strcmp(first, second) != 0) {
        abort();
    }
    free(second);
    free(first);
    sf_path_metrics_free(twice.metrics);
    sf_path_metrics_free(once.metrics);
    return 0;
}
