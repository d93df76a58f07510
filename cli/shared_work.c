/* shared_work.c -- see shared_work.h.
 *
 * What starts processes tells each its number by its environment.  Nothing
 * else of a launcher is used, so an environment that lies costs nothing but
 * the order in which processes come to tell. */
#define _GNU_SOURCE
#include "shared_work.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What a launcher calls its things. */
struct launcher {
    const char *name; /* What people call it. */
    const char *rank, *n_ranks;
    const char *n_here; /* How many are on this machine; or NULL. */
    const char *ids[2]; /* What is the same in one launch only; or NULL. */
};

/* The innermost comes first: mpirun may run below Slurm.  Slurm counts the
 * tasks of a job also where no srun started several: in a batch script. */
static const struct launcher launchers[] = {
    { "mpirun",
      "OMPI_COMM_WORLD_RANK",
      "OMPI_COMM_WORLD_SIZE",
      "OMPI_COMM_WORLD_LOCAL_SIZE",
      { "PMIX_NAMESPACE" } },
    { "mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", { "PMI_JOBID" } },
    { "srun",
      "SLURM_PROCID",
      "SLURM_STEP_NUM_TASKS",
      NULL,
      { "SLURM_JOB_ID", "SLURM_STEP_ID" } },
};

/* This process among those of its launch. */
struct place {
    const struct launcher *launcher;
    uint32_t rank, n_ranks;
};

/* Reads a whole number of the environment. */
static bool
read_number(const char *name, uint32_t *numberp)
{
    const char *text = name ? getenv(name) : NULL;
    char *end = NULL;

    errno = 0;
    unsigned long number = text ? strtoul(text, &end, 10) : 0;
    if (!text || *text < '0' || *text > '9' || *end || errno ||
        number > INT_MAX) {
        return false;
    }
    *numberp = (uint32_t)number;
    return true;
}

/* Whether a launcher started this process and others. */
static bool
find_place(struct place *place)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        place->launcher = &launchers[i];
        if (read_number(launchers[i].rank, &place->rank) &&
            read_number(launchers[i].n_ranks, &place->n_ranks)) {
            return place->n_ranks > 1 && place->rank < place->n_ranks;
        }
    }
    return false;
}

/* The same, unless this command is to take no notice of that. */
static bool
is_shared(const struct cli_args *args, struct place *place)
{
    bool is_alone = args->values[OPT_ALONE].option && cli_has(args, OPT_ALONE);
    return !is_alone && find_place(place);
}

bool
cli_share_check(const struct cli_args *args)
{
    const char *command = args->command->name;
    struct place place;

    if (cli_has(args, OPT_OUTPUT)) {
        return true;
    }
    if (cli_has(args, OPT_SHARE)) {
        cli_fail("%s: --share: expected --output DIR too, a folder that all "
                 "processes see",
                 command);
        return false;
    }
    if (is_shared(args, &place)) {
        cli_fail("%s: one of %u processes of %s: expected --output DIR, a "
                 "folder by which they share the work out, or --alone, with "
                 "which each does all of it",
                 command, place.n_ranks, place.launcher->name);
        return false;
    }
    return true;
}

bool
cli_share_shows_progress(const struct cli_args *args)
{
    struct place place;
    bool can_share = args->values[OPT_SHARE].option != NULL;

    return !can_share || !is_shared(args, &place) || place.rank == 0;
}

void
cli_share_note(const struct cli_args *args, const char *text)
{
    if (*text && cli_share_shows_progress(args)) {
        cli_progress_hide();
        fprintf(stderr, "slimfly: %s: %s\n", args->command->name, text);
    }
}

uint32_t
cli_share_n_here(void)
{
    struct place place;
    uint32_t n = 1;

    return find_place(&place) && read_number(place.launcher->n_here, &n) && n
               ? n
               : 1;
}

/* A line of text that is the same in all processes that have this launch and
 * this command line in common; NULL if memory ran out. */
static char *
write_meeting(const struct cli_args *args, const struct place *place)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    if (!stream) {
        return NULL;
    }
    fprintf(stream, "%s %u", place->launcher->rank, place->n_ranks);
    for (size_t i = 0; i < 2; i++) {
        const char *name = place->launcher->ids[i];
        const char *id = name ? getenv(name) : NULL;
        fprintf(stream, " %s", id ? id : "-");
    }
    fprintf(stream, " %s", args->line ? args->line : "");
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

bool
cli_share_begin_telling(const struct cli_args *args, struct cli_kept *kept)
{
    struct place place;

    if (!kept || !is_shared(args, &place)) {
        return true;
    }
    char *meeting = write_meeting(args, &place);
    bool is_mine =
        !meeting || cli_kept_begin_telling(kept, meeting, place.rank);
    free(meeting);
    return is_mine;
}

void
cli_share_end_telling(const struct cli_args *args, struct cli_kept *kept,
                      bool is_told)
{
    struct place place;

    if (kept && is_shared(args, &place)) {
        char *meeting = is_told ? write_meeting(args, &place) : NULL;
        cli_kept_end_telling(kept, meeting, place.rank);
        free(meeting);
    }
}
