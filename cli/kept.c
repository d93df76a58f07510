/* kept.c -- measurements that are kept in a folder, each in a file that is
 * named by a hash of its settings. */
#define _GNU_SOURCE
#include "kept.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 32
#define MAX_KEPT  (64u << 20)

/* The hash FNV-1a. */
static uint64_t
hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The file in which the measurement of 'settings' is kept. */
static void
name_kept(const char *settings, const char *ending, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%016" PRIx64 ".%s", hash_text(settings),
             ending);
}

/* Locks or unlocks the byte of a piece of work in the file of claims.  The
 * system unlocks what a process leaves behind, on network file systems too.
 * Locks belong to the open file, so that threads do not lose each other's. */
static bool
lock_piece(const struct cli_kept *kept, const char *piece, short type,
           bool may_wait)
{
    struct flock lock = { .l_type = type,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(hash_text(piece) >> 2),
                          .l_len = 1 };
    int done;

    do {
        done =
            fcntl(kept->claimed, may_wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
    } while (done < 0 && errno == EINTR);
    /* Where there are no locks, each does all of it. */
    return done == 0 || (errno != EAGAIN && errno != EACCES);
}

static bool
claim(void *aux, const char *piece, bool may_wait)
{
    return lock_piece(aux, piece, F_WRLCK, may_wait);
}

static void
release(void *aux, const char *piece)
{
    lock_piece(aux, piece, F_UNLCK, false);
}

/* Reads the file that is kept for 'settings'; NULL if there is none.  The
 * caller frees the text and '*pathp'. */
static char *
read_kept(const struct cli_kept *kept, const char *settings,
          const char *ending, char **pathp, size_t *sizep)
{
    char name[NAME_SIZE], *text = NULL;
    struct stat status;

    name_kept(settings, ending, name);
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
        if (text) {
            text[*sizep] = '\0';
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
    char *text = read_kept(aux, settings, "json", &path, &size);
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
    char *text = read_kept(aux, settings, "json", &path, &size);
    bool is_known = text && sf_simulation_parse(text, size, path, settings,
                                                result, NULL) == SF_OK;
    free(text);
    free(path);
    return is_known;
}

static char *
load_piece(void *aux, const char *settings)
{
    char *path;
    size_t size;
    char *text = read_kept(aux, settings, "txt", &path, &size);

    free(path);
    return text;
}

/* What to keep, for a writer. */
struct keeping {
    const char *settings;
    const void *result;
    const char *ending;
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

    name_kept(keeping->settings, keeping->ending, name);
    return cli_write_file(kept->folder, name, write, keeping) == CLI_FINE
               ? SF_OK
               : sf_fail(err, SF_EIO, "what is finished cannot be kept");
}

static enum sf_status
save_measurement(void *aux, const char *settings,
                 const struct sf_measurement *measurement,
                 struct sf_error *err)
{
    struct keeping keeping = { settings, measurement, "json" };
    return save(aux, &keeping, write_measurement, err);
}

static enum sf_status
save_simulation(void *aux, const char *settings,
                const struct sf_simulation *result, struct sf_error *err)
{
    struct keeping keeping = { settings, result, "json" };
    return save(aux, &keeping, write_simulation, err);
}

static enum sf_status
write_piece(const void *aux, FILE *stream, struct sf_error *err)
{
    const struct keeping *keeping = aux;

    (void)err; /* A full disk is found when the file is closed. */
    fputs(keeping->result, stream);
    return SF_OK;
}

static enum sf_status
save_piece(void *aux, const char *settings, const char *text,
           struct sf_error *err)
{
    struct keeping keeping = { settings, text, "txt" };
    return save(aux, &keeping, write_piece, err);
}

static bool
open_claims(struct cli_kept *kept)
{
    char *path = cli_join(kept->folder, CLI_CLAIMS_FILE);

    kept->claimed = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (path && kept->claimed < 0) {
        cli_fail("%s: %s", path, strerror(errno));
    }
    free(path);
    return kept->claimed >= 0;
}

bool
cli_kept_open(struct cli_kept *kept, const char *folder)
{
    kept->folder = cli_join(folder, CLI_KEPT_FOLDER);
    kept->claims = (struct sf_claims){ claim, release, kept };
    kept->store =
        (struct sf_measurement_store){ load_measurement, save_measurement,
                                       kept, &kept->claims };
    kept->simulations =
        (struct sf_simulation_store){ load_simulation, save_simulation, kept,
                                      &kept->claims };
    kept->evaluations = (struct sf_evaluation_store){ load_piece, save_piece,
                                                      kept, &kept->claims };
    return kept->folder && cli_make_folder(kept->folder) == CLI_FINE &&
           open_claims(kept);
}

void
cli_kept_clear(struct cli_kept *kept)
{
    if (kept->claims.claim && kept->claimed >= 0) {
        close(kept->claimed);
    }
    free(kept->folder);
}
