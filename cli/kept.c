/* kept.c -- measurements that are kept in a folder, each in a file that is
 * named by a hash of its settings.
 *
 * Processes that work in the folder at once see each other by locks on bytes
 * of one file, the file of claims.  One byte stands for a piece of work, and
 * another for the name of a kept file: who writes that file holds the second
 * one.  So what a lost process left there is known while others go on: nobody
 * holds the byte of its name.
 *
 * Of launches of several processes the file of claims has a line for each that
 * came to tell the results: one has told them, the others only came.  Where a
 * launcher gives launches no names of their own, a later launch of the same
 * command finds the lines of an earlier one.  It knows them by their time, and
 * by a number that comes for the second time. */
#define _GNU_SOURCE
#include "kept.h"
#include "leftovers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME_SIZE 32
/* How names of kept files end: those in JSON, and others. */
#define JSON_ENDING "json"
#define TEXT_ENDING "txt"
#define MAX_KEPT    (64u << 20)

/* The bytes of pieces are below this one, those of names from there on. */
#define FIRST_NAME (INT64_C(1) << 62)

/* The piece of work that a process has while it tells results. */
#define TELLING "telling"

/* A line of the file of claims: the hash of a meeting, who came, when, and
 * whether it told. */
#define CAME_LINE  "%016" PRIx64 " %" PRIu32 " %" PRId64 " %d\n"
#define LINE_ITEMS 4

/* Results of the same launch may have been printed this many seconds before a
 * process of it began.  Clocks of machines differ by less, and launchers start
 * all processes within less.  A process that starts later prints the results
 * once more. */
#define MAX_LATE 10

/* The hash FNV-1a.  The library has it in base/hash.h, but the program
 * includes public headers only. */
static uint64_t
hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The file in which the measurement with the hash 'hash' is kept. */
static void
name_kept(uint64_t hash, const char *ending, char name[NAME_SIZE])
{
    snprintf(name, NAME_SIZE, "%016" PRIx64 ".%s", hash, ending);
}

/* The bytes of a piece of work, and of the name of a kept file. */
static off_t
byte_of_piece(const char *piece)
{
    return (off_t)(hash_text(piece) >> 2);
}

static off_t
byte_of_name(uint64_t hash)
{
    return (off_t)(FIRST_NAME + (int64_t)(hash >> 2));
}

/* Locks or unlocks a byte of the file of claims, and returns 0 or an error
 * number.  The system unlocks what a process leaves behind, on network file
 * systems too.  Locks belong to the open file, so that threads do not lose
 * each other's. */
static int
lock_byte(const struct cli_kept *kept, off_t byte, short type, bool may_wait)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1
    };
    int done;

    do {
        done =
            fcntl(kept->claimed, may_wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
    } while (done < 0 && errno == EINTR);
    return done == 0 ? 0 : errno;
}

static bool
claim(void *aux, const char *piece, bool may_wait)
{
    int code = lock_byte(aux, byte_of_piece(piece), F_WRLCK, may_wait);

    /* Where there are no locks, each does all of it. */
    return code != EAGAIN && code != EACCES;
}

static void
release(void *aux, const char *piece)
{
    lock_byte(aux, byte_of_piece(piece), F_UNLCK, false);
}

/* Reads the file that is kept for 'settings'; NULL if there is none.  The
 * caller frees the text and '*pathp'. */
static char *
read_kept(const struct cli_kept *kept, const char *settings,
          const char *ending, char **pathp, size_t *sizep)
{
    char name[NAME_SIZE], *text = NULL;
    struct stat status;

    name_kept(hash_text(settings), ending, name);
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
    char *text = read_kept(aux, settings, JSON_ENDING, &path, &size);
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
    char *text = read_kept(aux, settings, JSON_ENDING, &path, &size);
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
    char *text = read_kept(aux, settings, TEXT_ENDING, &path, &size);

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

/* Keeps a result.  The caller lets one thread save at a time. */
static enum sf_status
save(const struct cli_kept *kept, const struct keeping *keeping,
     cli_writer *write, struct sf_error *err)
{
    uint64_t hash = hash_text(keeping->settings);
    char name[NAME_SIZE];

    name_kept(hash, keeping->ending, name);
    /* Two processes may keep the same, as a rule in different commands. */
    lock_byte(kept, byte_of_name(hash), F_RDLCK, true);
    int code = cli_write_file(kept->folder, name, write, keeping);
    lock_byte(kept, byte_of_name(hash), F_UNLCK, false);
    return code == CLI_FINE
               ? SF_OK
               : sf_fail(err, SF_EIO, "what is finished cannot be kept");
}

static enum sf_status
save_measurement(void *aux, const char *settings,
                 const struct sf_measurement *measurement,
                 struct sf_error *err)
{
    struct keeping keeping = { settings, measurement, JSON_ENDING };
    return save(aux, &keeping, write_measurement, err);
}

static enum sf_status
save_simulation(void *aux, const char *settings,
                const struct sf_simulation *result, struct sf_error *err)
{
    struct keeping keeping = { settings, result, JSON_ENDING };
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
    struct keeping keeping = { settings, text, TEXT_ENDING };
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
    kept->claimed = -1;
    kept->opened = kept->opened ? kept->opened : time(NULL);
    kept->claims = (struct sf_claims){ claim, release, kept };
    kept->store =
        (struct sf_measurement_store){ load_measurement, save_measurement,
                                       kept, &kept->claims };
    kept->simulations =
        (struct sf_simulation_store){ load_simulation, save_simulation, kept,
                                      &kept->claims };
    kept->evaluations = (struct sf_evaluation_store){ load_piece, save_piece,
                                                      kept, &kept->claims };
    kept->failures = (struct sf_failure_store){ load_piece, save_piece, kept,
                                                &kept->claims };
    return kept->folder && cli_make_folder(kept->folder) == CLI_FINE &&
           open_claims(kept);
}

/* Whether results were told at 'when' by a process of this one's launch, as
 * far as times show that. */
static bool
is_of_this_launch(const struct cli_kept *kept, int64_t when)
{
    return when >= kept->opened - MAX_LATE &&
           when <= (int64_t)time(NULL) + MAX_LATE;
}

/* Whether the file of claims says that another process of this one's launch
 * has told at the meeting with the hash 'hash'.  A process comes once: if
 * number 'rank' came since, that was in an earlier launch. */
static bool
find_told(const struct cli_kept *kept, uint64_t hash, uint32_t rank)
{
    int fd = fcntl(kept->claimed, F_DUPFD_CLOEXEC, 0);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
    char line[64];
    uint64_t found;
    uint32_t who;
    int64_t when;
    int has_told;
    bool is_told = false;

    if (!stream) {
        return false;
    }
    rewind(stream);
    while (fgets(line, sizeof line, stream)) {
        if (sscanf(line, CAME_LINE, &found, &who, &when, &has_told) !=
                LINE_ITEMS ||
            found != hash) {
            continue;
        }
        if (has_told) {
            is_told = is_of_this_launch(kept, when);
        }
        is_told = is_told && who != rank;
    }
    fclose(stream);
    return is_told;
}

/* Notes that process number 'rank' came, and whether it told. */
static void
note_came(const struct cli_kept *kept, uint64_t hash, uint32_t rank,
          bool has_told)
{
    if (lseek(kept->claimed, 0, SEEK_END) >= 0) {
        dprintf(kept->claimed, CAME_LINE, hash, rank, (int64_t)time(NULL),
                has_told);
    }
}

bool
cli_kept_begin_telling(struct cli_kept *kept, const char *meeting,
                       uint32_t rank)
{
    uint64_t hash = hash_text(meeting);

    if (lock_byte(kept, byte_of_piece(TELLING), F_WRLCK, true) != 0) {
        return rank == 0; /* Where there are no locks. */
    }
    if (find_told(kept, hash, rank)) {
        note_came(kept, hash, rank, false);
        lock_byte(kept, byte_of_piece(TELLING), F_UNLCK, false);
        return false;
    }
    return true;
}

void
cli_kept_end_telling(struct cli_kept *kept, const char *meeting, uint32_t rank)
{
    if (meeting) {
        note_came(kept, hash_text(meeting), rank, true);
    }
    lock_byte(kept, byte_of_piece(TELLING), F_UNLCK, false);
}

/* Whether 'name' begins with that of the kept file with the hash 'hash'. */
static bool
begins_as_kept(const char *name, uint64_t hash, const char *ending)
{
    char expected[NAME_SIZE];

    name_kept(hash, ending, expected);
    return !strncmp(name, expected, strlen(expected));
}

/* Whether nobody who lives writes the temporary file 'name'.  The lock that
 * tells is held until the file of claims is closed. */
static bool
is_lost(void *aux, const char *name, const struct stat *file)
{
    uint64_t hash = strtoull(name, NULL, 16);

    (void)file;
    return (begins_as_kept(name, hash, JSON_ENDING) ||
            begins_as_kept(name, hash, TEXT_ENDING)) &&
           lock_byte(aux, byte_of_name(hash), F_WRLCK, false) == 0;
}

/* Removes what processes left that were lost while they kept something. */
static void
remove_lost(struct cli_kept *kept)
{
    int fd = open(kept->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        cli_sweep_folder(fd, is_lost, kept);
        close(fd);
    }
}

void
cli_kept_clear(struct cli_kept *kept)
{
    if (kept->claims.claim && kept->claimed >= 0) {
        remove_lost(kept);
        close(kept->claimed);
    }
    free(kept->folder);
}
