#include "base/origin_json.h"

#include "base/mem.h"

/* A command line may have any bytes. */
static json_t *
make_text(const char *text)
{
    json_t *value = json_string(text);
    char *clean = value ? NULL : sf_strdup(text);

    if (clean) {
        for (char *c = clean; *c; c++) {
            if (*c < 0x20 || *c > 0x7e) {
                *c = '?';
            }
        }
        value = json_string(clean);
        free(clean);
    }
    return value;
}

bool
sf_origin_add_json(json_t *root, const struct sf_origin *origin)
{
    const char *keys[] = { "program", "command" };
    const char *texts[] = { origin ? origin->program : NULL,
                            origin ? origin->command : NULL };

    for (int i = 0; i < 2; i++) {
        if (texts[i] &&
            json_object_set_new(root, keys[i], make_text(texts[i])) != 0) {
            return false;
        }
    }
    return true;
}
