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

/* Reads the file that is kept for 'settings'; NULL if there is none.  The
 * caller frees the text and '*pathp'. */
static char *
read_kept(const struct cli_kept *kept, const char *settings, char **pathp,
          size_t *sizep)
{
    char name[NAME_SIZE], *text = NULL;
    struct stat status;

    name_kept(settings, name);
    *pathp = cli_join(kept->folder, name);
    FILE *stream = *pathp ? fopen(*pathp, "r") : NULL;
    if (!stream) {
        return NULL;
    }
    if (fstat(fileno(stream), &status) == 0 && status.st_size <= MAX_KEPT) {
        *sizep = (size_t)status.st_size;
        text = malloc(*sizep + 1);
        if (text && fread(text, 1, *sizep, stream) != *sizep) {
            free(text);
            text = NULL;
        }
    }
    fclose(stream);
    return text;
}

/* A file that cannot be read or says something else is as good as none. */
static bool
load_measurement(void *aux, const char *settings,
                 struct sf_measurement *measurement)
{
    char *path;
    size_t size;
    char *text = read_kept(aux, settings, &path, &size);
    bool is_known = text && sf_measurement_parse(text, size, path, settings,
                                                 measurement, NULL) == SF_OK;
    free(text);
    free(path);
    return is_known;
}

static bool
load_simulation(void *aux, const char *settings, struct sf_simulation *result)
{
    char *path;
    size_t size;
    char *text = read_kept(aux, settings, &path, &size);
    bool is_known = text && sf_simulation_parse(text, size, path, settings,
                                                result, NULL) == SF_OK;
    free(text);
    free(path);
    return is_known;
}

/* What to keep, for a writer. */
struct keeping {
    const char *settings;
    const void *result;
};

static enum sf_status
write_measurement(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct keeping *keeping = aux;
    return sf_measurement_write(keeping->settings, keeping->result, stream,
                                err);
}

static enum sf_status
write_simulation(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct keeping *keeping = aux;
    return sf_simulation_write(keeping->settings, keeping->result, stream,
                               err);
}

static enum sf_status
save(const struct cli_kept *kept, const struct keeping *keeping,
     cli_writer *write, struct sf_error *err)
{
    char name[NAME_SIZE];

    name_kept(keeping->settings, name);
    return cli_write_file(kept->folder, name, write, keeping) == CLI_FINE
               ? SF_OK
               : sf_fail(err, SF_EIO, "what is finished cannot be kept");
}

static enum sf_status
save_measurement(void *aux, const char *settings,
                 const struct sf_measurement *measurement,
                 struct sf_error *err)
{
    struct keeping keeping = { settings, measurement };
    return save(aux, &keeping, write_measurement, err);
}

static enum sf_status
save_simulation(void *aux, const char *settings,
                const struct sf_simulation *result, struct sf_error *err)
{
    struct keeping keeping = { settings, result };
    return save(aux, &keeping, write_simulation, err);
}

bool
cli_kept_open(struct cli_kept *kept, const char *folder)
{
    kept->folder = cli_join(folder, CLI_KEPT_FOLDER);
    kept->store = (struct sf_measurement_store){ load_measurement,
                                                 save_measurement, kept };
    kept->simulations =
        (struct sf_simulation_store){ load_simulation, save_simulation, kept };
    return kept->folder && cli_make_folder(kept->folder) == CLI_FINE;
}

void
cli_kept_clear(struct cli_kept *kept)
{
    free(kept->folder);
}
