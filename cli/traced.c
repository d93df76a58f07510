#define _GNU_SOURCE
#include "traced.h"

#include "cli.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libslimfly-record.so"

static const int passed_on[] = { SIGINT,  SIGTERM, SIGHUP,
                                 SIGQUIT, SIGUSR1, SIGUSR2 };
#define N_PASSED_ON (sizeof passed_on / sizeof *passed_on)

static volatile pid_t child;

/* The folder of this program; NULL if it is not known. */
static char *
find_own_folder(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    char *slash = path ? strrchr(path, '/') : NULL;

    if (slash) {
        *slash = '\0';
    }
    return path;
}

char *
cli_find_recorder(void)
{
    char *folder = find_own_folder();
    char *path = NULL;

    /* Beside a program that is not installed, else where it would be. */
    if (!folder || asprintf(&path, "%s/record/" LIBRARY, folder) < 0) {
        path = NULL;
    }
    free(folder);
    if (path && !cli_is_file(path)) {
        free(path);
        path = strdup(CLI_RECORD_FOLDER "/" LIBRARY);
    }
    if (path && !cli_is_file(path)) {
        cli_fail("record: %s is not there: expected the package "
                 "slimfly-record, or a build with MPI (-Dmpi=enabled)",
                 path);
        free(path);
        return NULL;
    }
    return path;
}

char *
cli_make_traces(void)
{
    const char *place = getenv("TMPDIR");
    char *folder = NULL;

    if (asprintf(&folder, "%s/slimfly-record-XXXXXX",
                 place && *place ? place : "/tmp") < 0) {
        cli_fail("record: out of memory");
        return NULL;
    }
    if (!mkdtemp(folder)) {
        cli_fail("%s: %s", folder, strerror(errno));
        free(folder);
        return NULL;
    }
    return folder;
}

void
cli_remove_traces(const char *folder)
{
    DIR *listing = opendir(folder);

    for (const struct dirent *entry; listing && (entry = readdir(listing));) {
        unsigned rank;
        char end;
        if (sscanf(entry->d_name, "rank-%u.trac%c", &rank, &end) == 2) {
            unlinkat(dirfd(listing), entry->d_name, 0);
        }
    }
    if (listing) {
        closedir(listing);
    }
    rmdir(folder);
}

/* A terminal sends Ctrl-C to the command too; others send to us only. */
static void
pass_on(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0 && child > 0) {
        kill(child, number);
    }
}

/* Puts 'value' before what the variable 'name' has. */
static bool
prepend(const char *name, const char *value)
{
    const char *before = getenv(name);
    char *text = NULL;

    if (!before || !*before) {
        return setenv(name, value, 1) == 0;
    }
    bool is_set = asprintf(&text, "%s:%s", value, before) >= 0 &&
                  setenv(name, text, 1) == 0;
    free(text);
    return is_set;
}

static _Noreturn void
be_command(char *const *words, const char *library, const char *folder,
           const sigset_t *mask)
{
    for (size_t i = 0; i < N_PASSED_ON; i++) {
        signal(passed_on[i], SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (prepend("LD_PRELOAD", library) &&
        setenv(sf_recording_variable, folder, 1) == 0) {
        execvp(words[0], words);
    }
    cli_fail("record: %s: %s", words[0], strerror(errno));
    _exit(127);
}

/* Waits for the child. */
static void
wait_for_end(struct cli_ended *ended)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    *ended = (struct cli_ended){
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
    };
}

bool
cli_run_traced(char *const *words, const char *library, const char *folder,
               struct cli_ended *ended)
{
    struct sigaction action = { .sa_sigaction = pass_on,
                                .sa_flags = SA_SIGINFO | SA_RESTART };
    struct sigaction before[N_PASSED_ON];
    sigset_t blocked, mask;

    fflush(NULL);
    /* None is lost between the handlers and the child. */
    sigfillset(&blocked);
    sigprocmask(SIG_BLOCK, &blocked, &mask);
    for (size_t i = 0; i < N_PASSED_ON; i++) {
        sigaction(passed_on[i], &action, &before[i]);
    }
    child = fork();
    if (child == 0) {
        be_command(words, library, folder, &mask);
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
    bool is_started = child > 0;
    if (is_started) {
        wait_for_end(ended);
    } else {
        cli_fail("record: cannot start a process: %s", strerror(errno));
    }
    child = 0;
    for (size_t i = 0; i < N_PASSED_ON; i++) {
        sigaction(passed_on[i], &before[i], NULL);
    }
    return is_started;
}

void
cli_die_of(int number)
{
    fflush(NULL);
    signal(number, SIG_DFL);
    raise(number);
}
