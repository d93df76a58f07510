/* discover.c -- fabrics from libibnetdisc or from a command, always through a
 * child process that prints text as ibnetdiscover does: the parent keeps a
 * time limit, survives what the child does not, and has one reader. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "io/ibnetdisc.h"
#include "slimfly/discovery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_TEXT ((size_t)1 << 30)

/* What the child is to do: print to 'stream'; its exit code. */
struct job {
    int (*run)(const char *argument, FILE *stream);
    const char *argument;
};

/* What a child printed. */
struct printed {
    SF_VEC(char) text[2]; /* On standard output and standard error. */
};

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static _Noreturn void
be_child(const struct job *job, int output, int errors)
{
    /* A group of its own, so that a command's children end with it. */
    setpgid(0, 0);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close(output);
    close(errors);
    int code = job->run(job->argument, stdout);
    /* Not _exit(): libraries below, such as the one that joins ibsim, give
     * back what they hold only if they are told about the end. */
    exit(fflush(stdout) == 0 ? code : 1);
}

/* Reads what is there from 'fd'; false at the end. */
static bool
read_some(int fd, struct printed *printed, int which, bool *is_too_muchp)
{
    char buffer[65536];
    ssize_t n = read(fd, buffer, sizeof buffer);

    if (n < 0) {
        return errno == EINTR || errno == EAGAIN;
    }
    if (printed->text[which].n + (size_t)n > MAX_TEXT) {
        *is_too_muchp = true;
        return false;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (!sf_vec_push(&printed->text[which], buffer[i])) {
            *is_too_muchp = true;
            return false;
        }
    }
    return n > 0;
}

/* Collects the output of the child until it has closed both pipes; false if
 * that takes too long or is too much. */
static bool
collect(const int fds[2], unsigned timeout, struct printed *printed)
{
    double deadline = now() + timeout;
    bool is_open[2] = { true, true };
    bool is_too_much = false;

    while ((is_open[0] || is_open[1]) && !is_too_much) {
        struct pollfd polled[2] = {
            { is_open[0] ? fds[0] : -1, POLLIN, 0 },
            { is_open[1] ? fds[1] : -1, POLLIN, 0 },
        };
        double left = deadline - now();
        if (left <= 0) {
            return false;
        }
        if (poll(polled, 2, (int)(left * 1000) + 1) < 0 && errno != EINTR) {
            return false;
        }
        for (int i = 0; i < 2; i++) {
            if (polled[i].revents) {
                is_open[i] = read_some(fds[i], printed, i, &is_too_much);
            }
        }
    }
    return !is_too_much;
}

/* Runs 'job' in a child; sets '*codep' to its exit code, -1 if it was ended
 * by a signal. */
static enum sf_status
run_job(const struct job *job, unsigned timeout, struct printed *printed,
        int *codep, struct sf_error *err)
{
    int output[2], errors[2], wait_status;

    if (pipe2(output, O_CLOEXEC) != 0) {
        return sf_fail(err, SF_EIO, "cannot make a pipe: %s", strerror(errno));
    }
    if (pipe2(errors, O_CLOEXEC) != 0) {
        close(output[0]);
        close(output[1]);
        return sf_fail(err, SF_EIO, "cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        be_child(job, output[1], errors[1]);
    }
    close(output[1]);
    close(errors[1]);
    bool is_done = child > 0 &&
                   collect((int[]){ output[0], errors[0] }, timeout, printed);
    close(output[0]);
    close(errors[0]);
    if (child < 0) {
        return sf_fail(err, SF_EIO, "cannot start a process: %s",
                       strerror(errno));
    }
    if (!is_done) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
    }
    if (!is_done) {
        return sf_fail(err, SF_EIO, "discovery did not end within %u seconds",
                       timeout);
    }
    *codep = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    return SF_OK;
}

/* The questions that nobody answered, each a line of libibnetdisc. */
static uint32_t
count_unanswered(const char *errors)
{
    uint32_t n = 0;
    for (const char *c = errors; (c = strstr(c, "bad status")); c++) {
        n++;
    }
    return n;
}

/* The last line of 'text', where programs say why they gave up. */
static const char *
last_line(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1])) {
        text[--length] = '\0';
    }
    const char *newline = strrchr(text, '\n');
    text = newline ? text + (newline + 1 - text) : text;
    return *text ? text : "it said nothing";
}

/* Runs 'job' and reads what it prints. */
static enum sf_status
discover(const struct job *job, const char *source, unsigned timeout,
         struct sf_fabric **fabricp, uint32_t *n_unansweredp,
         struct sf_error *err)
{
    struct printed printed = { 0 };
    int code = 0;

    *fabricp = NULL;
    enum sf_status status = run_job(job, timeout, &printed, &code, err);
    /* Both texts end with a NUL, which does not count. */
    if (status == SF_OK && (!sf_vec_push(&printed.text[0], '\0') ||
                            !sf_vec_push(&printed.text[1], '\0'))) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for discovery");
    }
    if (status == SF_OK && code != 0) {
        status = sf_fail(err, SF_EIO, "%s: discovery failed: %s", source,
                         code < 0 ? "the library behind it crashed"
                                  : last_line(printed.text[1].items));
    } else if (status == SF_OK) {
        if (n_unansweredp) {
            *n_unansweredp = count_unanswered(printed.text[1].items);
        }
        status = sf_ibnetdiscover_parse(printed.text[0].items,
                                        printed.text[0].n - 1, source, fabricp,
                                        err);
    }
    free(printed.text[1].items);
    free(printed.text[0].items);
    return status;
}

static bool
is_cache(const char *path)
{
    static const unsigned char magic[4] = { 0x2b, 0x83, 0xe7, 0x8f };
    unsigned char start[4] = { 0 };
    FILE *stream = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    bool is_one = stream && fread(start, 1, 4, stream) == 4 &&
                  !memcmp(start, magic, sizeof magic);

    if (stream) {
        fclose(stream);
    }
    return is_one;
}

enum sf_status
sf_fabric_discover(const char *source, unsigned timeout,
                   struct sf_fabric **fabricp, uint32_t *n_unansweredp,
                   struct sf_error *err)
{
    if (n_unansweredp) {
        *n_unansweredp = 0;
    }
    if (!strcmp(source, "live")) {
        struct job job = { sf_ibnetdisc_print_live, NULL };
        return discover(&job, source, timeout, fabricp, n_unansweredp, err);
    }
    if (is_cache(source)) {
        struct job job = { sf_ibnetdisc_print_cache, source };
        enum sf_status status =
            discover(&job, source, timeout, fabricp, n_unansweredp, err);
        return status == SF_EIO
                   ? sf_fail(err, SF_EPARSE,
                             "%s: expected a cache of ibnetdiscover; this one "
                             "is damaged or of another version",
                             source)
                   : status;
    }
    return sf_ibnetdiscover_read(source, fabricp, err);
}

static int
run_shell(const char *command, FILE *stream)
{
    (void)stream;
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    return 127;
}

enum sf_status
sf_fabric_discover_by(const char *command, unsigned timeout,
                      struct sf_fabric **fabricp, uint32_t *n_unansweredp,
                      struct sf_error *err)
{
    struct job job = { run_shell, command };

    if (n_unansweredp) {
        *n_unansweredp = 0;
    }
    return discover(&job, command, timeout, fabricp, n_unansweredp, err);
}
