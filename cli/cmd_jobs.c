/* cmd_jobs.c -- slimfly jobs: the file of jobs that the plugin for OpenSM
 * routes for. */
#define _GNU_SOURCE
#include "cli.h"
#include "jobs_check.h"
#include "jobs_ranks.h"
#include "verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN_SIZE 256

/* Asks for jobs that run, or are about to, in the form that
 * sf_jobs_file_sync() reads. */
#define SQUEUE "squeue -h -t CF,R,S -o '%A %N %k'"

enum {
    OPT_FILE = CLI_OWN,
    OPT_PATTERN,
    OPT_COMMENT,
    OPT_FROM,
    OPT_PER_NODE,
};

static const struct cli_option options[] = {
    { OPT_FILE, "file", 0, CLI_FILE, "FILE", .help = "the file of jobs",
      .otherwise = "what SLIMFLY_JOBS says, else " CLI_JOBS_FILE },
    { OPT_PATTERN, "pattern", 0, CLI_TEXT, "PATTERN",
      .help = "add: what the job does: all-to-all, ring, shift:by=N, "
              "stencil:dims=AxB, pairs:file=PATH, ranks:file=PATH or unknown",
      .otherwise = "unknown" },
    { OPT_COMMENT, "comment", 0, CLI_TEXT, "TEXT",
      .help = "add: take the pattern from TEXT, where slimfly:PATTERN is a "
              "word" },
    { OPT_FROM, "from", 0, CLI_FILE, "LIST",
      .help = "sync: read lines of ID, NODES and COMMENT from LIST (-: "
              "standard input)",
      .otherwise = "what squeue says" },
    { OPT_PER_NODE, "per-node", 0, CLI_NUMBER, "N",
      .help = "ranks: N ranks run on each node, one node after the other",
      .min = 1, .max = 100000, .value = "1" },
    { OPT_OUTPUT, "output", 'o', CLI_FILE, "FILE",
      .help = "ranks: write to FILE", .otherwise = "standard output" },
    CLI_FORMAT(cli_text_or_json),
    { 0 },
};

/* What a verb works on. */
struct work {
    const struct cli_args *args;
    const char *path; /* Of the file of jobs. */
    struct sf_jobs_file *file;
    const char *const *words; /* After the verb. */
    size_t n_words;
};

/* The pattern of the job to add, which has 'nodes'.  Users write comments, and
 * what is wrong there must not keep their job out. */
static const char *
choose_pattern(const struct work *work, const char *name, const char *nodes,
               char from_comment[PATTERN_SIZE])
{
    const char *comment = cli_text(work->args, OPT_COMMENT);
    struct sf_error err;
    uint32_t n_hosts;

    if (!comment) {
        const char *given = cli_text(work->args, OPT_PATTERN);
        return given ? given : "unknown";
    }
    if (!sf_pattern_of_comment(comment, from_comment, PATTERN_SIZE)) {
        return "unknown";
    }
    if (sf_job_check(name, from_comment, nodes, &n_hosts, &err) != SF_OK) {
        fprintf(stderr, "slimfly: %s; taken as unknown\n", err.text);
        return "unknown";
    }
    return from_comment;
}

static int
add(struct work *work)
{
    const char *name = work->words[0], *nodes = work->words[1];
    char from_comment[PATTERN_SIZE];
    const char *pattern = choose_pattern(work, name, nodes, from_comment);
    struct sf_error err;
    bool is_left = false;

    if (sf_jobs_file_add(work->file, name, pattern, nodes, &is_left, &err) !=
        SF_OK) {
        return cli_fail("%s", err.text);
    }
    if (is_left) {
        printf("job %s has one host: there is nothing to route for\n", name);
    }
    return CLI_FINE;
}

static int
remove_jobs(struct work *work)
{
    int code = CLI_FINE;

    for (size_t i = 0; i < work->n_words; i++) {
        if (!sf_jobs_file_remove(work->file, work->words[i])) {
            fprintf(stderr, "slimfly: %s: no job '%s'\n", work->path,
                    work->words[i]);
            code = CLI_FINDINGS;
        }
    }
    return code;
}

static int
list(struct work *work)
{
    struct sf_error err;

    if (!cli_is(work->args, OPT_FORMAT, "json")) {
        sf_jobs_file_write_text(work->file, stdout);
    } else if (sf_jobs_file_write_json(work->file, work->path, stdout, &err) !=
               SF_OK) {
        return cli_fail("%s", err.text);
    }
    if (sf_jobs_file_check(work->file, work->path, &err)) {
        fprintf(stderr, "slimfly: %s\n", err.text);
        return CLI_FINDINGS;
    }
    return CLI_FINE;
}

/* Reads all of 'stream'; NULL if memory runs out.  The caller frees it. */
static char *
read_all(FILE *stream, size_t *lengthp)
{
    char *text = NULL;
    size_t size = 0;

    *lengthp = 0;
    do {
        if (*lengthp + 1 >= size) {
            size = 2 * size + 4096;
            char *longer = realloc(text, size);
            if (!longer) {
                free(text);
                return NULL;
            }
            text = longer;
        }
        *lengthp += fread(text + *lengthp, 1, size - 1 - *lengthp, stream);
    } while (!feof(stream) && !ferror(stream));
    return text;
}

/* Reads the list of jobs that run: from --from, or from squeue, which is asked
 * while nobody else can change the file.  NULL, having said why. */
static char *
read_list(const struct work *work, size_t *lengthp)
{
    const char *from = cli_text(work->args, OPT_FROM);
    bool is_stdin = from && !strcmp(from, "-");
    FILE *stream = is_stdin ? stdin
                   : from   ? fopen(from, "r")
                            : popen(SQUEUE, "r");
    if (!stream) {
        cli_fail("%s: %s", from ? from : "squeue", strerror(errno));
        return NULL;
    }
    char *text = read_all(stream, lengthp);
    bool is_read = text && !ferror(stream);
    bool is_done = from || pclose(stream) == 0;
    if (from && !is_stdin) {
        fclose(stream);
    }
    if (!is_read || !is_done) {
        cli_fail(is_read ? "squeue failed: the file of jobs stays as it is"
                         : "the list of jobs cannot be read");
        free(text);
        return NULL;
    }
    return text;
}

static int
sync_jobs(struct work *work)
{
    const char *from = cli_text(work->args, OPT_FROM);
    struct sf_error err;
    size_t length;
    char *text = read_list(work, &length);

    if (!text) {
        return CLI_ERROR;
    }
    enum sf_status status = sf_jobs_file_sync(work->file, text, length,
                                              from ? from : "squeue", &err);
    free(text);
    return status == SF_OK ? CLI_FINE : cli_fail("%s", err.text);
}

/* Takes no file of jobs. */
static int
write_ranks(const struct cli_args *args, const char *word, const char *path)
{
    (void)path;
    return cli_write_ranks(word, cli_number(args, OPT_PER_NODE),
                           cli_text(args, OPT_OUTPUT));
}

static const struct verb {
    struct cli_verb is;
    bool changes;                  /* The file, */
    int (*run)(struct work *work); /* by this.  NULL: without it, by */
    int (*run_apart)(const struct cli_args *args, const char *word,
                     const char *path); /* this. */
} verbs[] = {
    { { "list", "nothing more", 0, 0 }, false, list, NULL },
    { { "add", "NAME NODES", 2, 2 }, true, add, NULL },
    { { "remove", "NAME...", 1, SIZE_MAX }, true, remove_jobs, NULL },
    { { "sync", "nothing more", 0, 0 }, true, sync_jobs, NULL },
    { { "check", "FABRIC", 1, 1 }, false, NULL, cli_check_jobs },
    { { "ranks", "PROGRAM", 1, 1 }, false, NULL, write_ranks },
};

/* Whether the options are of the verb. */
static bool
check_options(const struct cli_args *args, const struct cli_verb *verb)
{
    static const struct cli_verb_option own[] = { { OPT_PATTERN, "add" },
                                                  { OPT_COMMENT, "add" },
                                                  { OPT_FROM, "sync" },
                                                  { OPT_PER_NODE, "ranks" },
                                                  { OPT_OUTPUT, "ranks" } };

    if (!cli_check_verb_options(args, verb, own, sizeof own / sizeof *own)) {
        return false;
    }
    if (cli_has(args, OPT_PATTERN) && cli_has(args, OPT_COMMENT)) {
        cli_fail("jobs add: expected --pattern or --comment, found both");
        return false;
    }
    return true;
}

static int
run(const struct cli_args *args)
{
    const char *home = getenv("SLIMFLY_JOBS");
    const char *path = cli_has(args, OPT_FILE) ? cli_text(args, OPT_FILE)
                       : home && *home         ? home
                                               : CLI_JOBS_FILE;
    size_t found = cli_find_verb(args, verbs, sizeof verbs / sizeof *verbs,
                                 sizeof *verbs);
    struct sf_error err;

    if (found == SIZE_MAX || !check_options(args, &verbs[found].is)) {
        return CLI_ERROR;
    }
    const struct verb *verb = &verbs[found];
    if (!verb->run) {
        return verb->run_apart(args, args->words[1], path);
    }
    struct work work = { .args = args,
                         .path = path,
                         .words = args->words + 1,
                         .n_words = args->n_words - 1 };
    if (sf_jobs_file_open(path, verb->changes, &work.file, &err) != SF_OK) {
        return cli_fail("%s", err.text);
    }
    int code = verb->run(&work);
    if (code != CLI_ERROR && verb->changes &&
        sf_jobs_file_save(work.file, &err) != SF_OK) {
        code = cli_fail("%s", err.text);
    }
    sf_jobs_file_close(work.file);
    return code;
}

const struct cli_command cli_command_jobs = {
    .name = "jobs",
    .group = CLI_RUN,
    .arguments = "list|add|remove|sync|check|ranks [WORD...]",
    .summary = "jobs that the plugin for OpenSM routes for",
    .words = "list add remove sync check ranks",
    .description =
        "The plugin for OpenSM watches a file of jobs (the option jobs of "
        "slimfly.conf) and fits the forwarding tables to the jobs that run. "
        "This command changes that file, shows it and checks it. Schedulers "
        "call it when a job starts and when it ends. Many may do so at a "
        "time: each waits for the others, and whoever reads the file sees all "
        "of a change or nothing. Comments and all lines of other jobs stay as "
        "they are.\n"
        "\n"
        "With add NAME NODES it adds a job, or replaces that of the same "
        "name. NODES is a list of hosts as Slurm writes it, "
        "node[0000-0031,0040]. The pattern is unknown unless --pattern or "
        "--comment says otherwise; unknown is treated as all-to-all. A wrong "
        "pattern in --comment is reported and taken as unknown; pairs:file= "
        "and ranks:file= are not accepted there. A job of one host has "
        "nothing to route for and is not added.\n"
        "\n"
        "With remove NAME... it removes jobs. If one is not there, the exit "
        "code is 1.\n"
        "\n"
        "With list it shows the jobs of the file: name, pattern, number of "
        "hosts, hosts. If a line is wrong, the command names it, and the exit "
        "code is 1.\n"
        "\n"
        "With sync it makes the file anew from the jobs that Slurm runs. It "
        "asks squeue while the file is locked, so jobs that start or end at "
        "the same time are not lost. Run it after a crash.\n"
        "\n"
        "With check FABRIC it fits the routes of a fabric to the jobs of the "
        "file and shows what each job gets. " CLI_FABRIC_IS " A folder of "
        "'slimfly route' is taken with its routes; any other fabric is routed "
        "first. Jobs with a host that the fabric does not have, or that "
        "another job has, would be left out by the plugin: the command names "
        "the first, and the exit code is 1. A wrong line is an error.\n"
        "\n"
        "With ranks PROGRAM it reads a program in GOAL, as 'slimfly record' "
        "writes it, and writes how many bytes each rank sends to each other. "
        "That is the pattern of a job: ranks:file=PATH, where rank 0 is the "
        "first of its nodes. PATH is seen from the folder of the file of "
        "jobs.",
    .examples =
        "slimfly jobs add 1234 'node[0000-0031]' --pattern ring\tAdd a job.\n"
        "slimfly jobs remove 1234\tRemove it.\n"
        "slimfly jobs ranks run.goal --per-node 8 -o run.csv\tMake a pattern "
        "of a recording with 8 ranks on each node.\n"
        "slimfly jobs check plan --file jobs\tShow what the jobs of a file "
        "get on a planned network.\n",
    .options = { options, cli_scheme_options, cli_lane_options,
                 cli_path_options, cli_work_options, cli_thread_options,
                 cli_live_options, cli_progress_options },
    .run = run,
};
