/* kept.c -- measurements that are kept in a folder, each in a file that is
 * named by a hash of its settings. */
#define _GNU_SOURCE
#include "kept.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#define NAME_SIZE 32
#define MAX_KEPT  (64u << 20)

/* The file in which the measurement of 'settings' is kept. */
static void
name_kept(const char *settings, char name[NAME_SIZE])
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

    for (; *settings; settings++) {
        hash = (hash ^ (unsigned char)*settings) * UINT64_C(0x100000001b3);
    }
    snprintf(name, NAME_SIZE, "%016" PRIx64 ".json", hash);
}

/* A file that cannot be read or says something else is as good as none. */
static bool
load_kept(void *aux, const char *settings, struct sf_measurement *measurement)
{
    const struct cli_kept *kept = aux;
    char name[NAME_SIZE];
    bool is_known = false;

    name_kept(settings, name);
    char *path = cli_join(kept->folder, name);
    FILE *stream = path ? fopen(path, "r") : NULL;
    struct stat status;
    if (stream && fstat(fileno(stream), &status) == 0 &&
        status.st_size <= MAX_KEPT) {
        size_t size = (size_t)status.st_size;
        char *text = malloc(size + 1);
        is_known = text && fread(text, 1, size, stream) == size &&
                   sf_measurement_parse(text, size, path, settings,
                                        measurement, NULL) == SF_OK;
        free(text);
    }
    if (stream) {
        fclose(stream);
    }
    free(path);
    return is_known;
}

/* What to keep, for a writer. */
struct keeping {
    const char *settings;
    const struct sf_measurement *measurement;
};

static enum sf_status
write_kept(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct keeping *keeping = aux;
    return sf_measurement_write(keeping->settings, keeping->measurement,
                                stream, err);
}

static enum sf_status
save_kept(void *aux, const char *settings,
          const struct sf_measurement *measurement, struct sf_error *err)
{
    const struct cli_kept *kept = aux;
    struct keeping keeping = { settings, measurement };
    char name[NAME_SIZE];

    name_kept(settings, name);
    return cli_write_file(kept->folder, name, write_kept, &keeping) == CLI_FINE
               ? SF_OK
               : sf_fail(err, SF_EIO, "what is finished cannot be kept");
}

bool
cli_kept_open(struct cli_kept *kept, const char *folder)
{
    kept->folder = cli_join(folder, CLI_KEPT_FOLDER);
    kept->store = (struct sf_measurement_store){ load_kept, save_kept, kept };
    return kept->folder && cli_make_folder(kept->folder) == CLI_FINE;
}

void
cli_kept_clear(struct cli_kept *kept)
{
    free(kept->folder);
}
