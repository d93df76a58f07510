/* fuzz_options.c -- any bytes as options of the plugin, in a file and as
 * words: no crash, and an error says something. */
#include "plugin_options.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_plugin_options options;
    struct sf_error err = { 0 };
    char *text = malloc(size + 1);

    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (text[0] != '/' &&
        sf_plugin_options_load(text, &options, &err) != SF_OK &&
        !err.text[0]) {
        abort();
    }
    err = (struct sf_error){ 0 };
    memcpy(text, data, size);
    if (sf_plugin_options_parse(text, size, "fuzz", &options, &err) != SF_OK) {
        if (!err.text[0]) {
            abort();
        }
    } else if (!options.scheme.scheme != !options.scheme.text[0] ||
               options.n_layers > SF_MAX_LAYERS) {
        abort();
    }
    free(text);
    return 0;
}
