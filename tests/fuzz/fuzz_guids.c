/* fuzz_guids.c -- any bytes as a GUID map: no crash, and an error says
 * something. */
#include "slimfly/verify.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sf_guid_map *map;
    struct sf_error err = { 0 };
    char *text = malloc(size + 1);

    if (!text) {
        abort();
    }
    memcpy(text, data, size);
    text[size] = '\0';
    if (sf_guid_map_parse(text, "fuzz", &map, &err) != SF_OK) {
        if (map || !err.text[0]) {
            abort();
        }
    } else {
        for (uint32_t i = 1; i < map->n_entries; i++) {
            if (map->entries[i - 1].guid >= map->entries[i].guid) {
                abort();
            }
        }
    }
    sf_guid_map_free(map);
    free(text);
    return 0;
}
