#define _GNU_SOURCE
#include "base/child.h"

#include "slimfly/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_TEXT     ((size_t)1 << 30)
#define REPORT_EVERY 200 /* Milliseconds. */

/* How far a child is, in memory that it shares with its parent.  A text that
 * is read while it changes is wrong for a moment only. */
struct child_progress {
    char what[128]; /* The last byte stays 0. */
    _Atomic uint64_t done, total;
};

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void
note_progress(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct child_progress *progress = aux;

    if (strncmp(progress->what, what, sizeof progress->what - 1) != 0) {
        strncpy(progress->what, what, sizeof progress->what - 1);
    }
    progress->done = done;
    progress->total = total;
}

/* Reports what the child of 'job' noted. */
static void
report(const struct sf_child_job *job, const struct child_progress *progress)
{
    char what[2 * sizeof progress->what];

    snprintf(what, sizeof what, "%.100s: %.127s", job->source,
             progress->what[0] ? progress->what : job->name);
    sf_progress_report(what, progress->done, progress->total);
}

static _Noreturn void
be_child(const struct sf_child_job *job, struct child_progress *noted,
         pid_t parent, int output, int errors)
{
    struct sf_progress progress = { note_progress, noted };

    /* A group of its own, so that a command's children end with it.  Ctrl-C
     * does not reach that, so the child ends when its parent does. */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1); /* Which was before the line above. */
    }
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    close(output);
    close(errors);
    sf_progress_listen(&progress);
    int code = job->run(job->argument, stdout);
    /* Not _exit(): libraries below, such as the one that joins ibsim, give
     * back what they hold only if they are told about the end. */
    exit(fflush(stdout) == 0 ? code : 1);
}

/* Reads what is there from 'fd'; false at the end. */
static bool
read_some(int fd, struct sf_printed *printed, int which, bool *is_too_muchp)
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
 * that takes too long, is too much, or a signal was caught. */
static bool
collect(const int fds[2], const struct sf_child_job *job,
        const struct child_progress *progress, unsigned timeout,
        struct sf_printed *printed, bool *is_interruptedp)
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
        report(job, progress);
        double pause = left * 1000 + 1;
        pause = pause < REPORT_EVERY ? pause : REPORT_EVERY;
        if (poll(polled, 2, (int)pause) < 0) {
            *is_interruptedp = errno == EINTR;
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
run_job(const struct sf_child_job *job, unsigned timeout,
        struct sf_printed *printed, int *codep, struct sf_error *err)
{
    int output[2], errors[2], wait_status;
    bool is_interrupted = false;

    struct child_progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED) {
        return sf_fail(err, SF_ENOMEM, "out of memory for %s", job->name);
    }
    if (pipe2(output, O_CLOEXEC) != 0) {
        munmap(progress, sizeof *progress);
        return sf_fail(err, SF_EIO, "cannot make a pipe: %s", strerror(errno));
    }
    if (pipe2(errors, O_CLOEXEC) != 0) {
        close(output[0]);
        close(output[1]);
        munmap(progress, sizeof *progress);
        return sf_fail(err, SF_EIO, "cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        be_child(job, progress, parent, output[1], errors[1]);
    }
    close(output[1]);
    close(errors[1]);
    bool is_done =
        child > 0 && collect((int[]){ output[0], errors[0] }, job, progress,
                             timeout, printed, &is_interrupted);
    munmap(progress, sizeof *progress);
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
    if (is_interrupted) {
        return sf_fail(err, SF_EIO, "%s was interrupted", job->name);
    }
    if (!is_done) {
        return sf_fail(err, SF_EIO, "%s did not end within %u seconds",
                       job->name, timeout);
    }
    *codep = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    return SF_OK;
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

enum sf_status
sf_child_run(const struct sf_child_job *job, unsigned timeout,
             struct sf_printed *printed, struct sf_error *err)
{
    int code = 0;

    enum sf_status status = run_job(job, timeout, printed, &code, err);
    for (int i = 0; status == SF_OK && i < 2; i++) {
        if (!sf_vec_push(&printed->text[i], '\0')) {
            return sf_fail(err, SF_ENOMEM, "out of memory for %s", job->name);
        }
        printed->text[i].n--;
    }
    if (status == SF_OK && code != 0) {
        status =
            sf_fail(err, code == job->no_device_code ? SF_ENODEVICE : SF_EIO,
                    "%s: %s failed: %s", job->source, job->name,
                    code < 0 ? "the library behind it crashed"
                             : last_line(printed->text[1].items));
    }
    return status;
}

static int
run_shell(const void *command, FILE *stream)
{
    (void)stream;
    execl("/bin/sh", "sh", "-c", (const char *)command, (char *)NULL);
    return 127;
}

enum sf_status
sf_child_shell(const char *command, const char *name, unsigned timeout,
               struct sf_printed *printed, struct sf_error *err)
{
    struct sf_child_job job = { run_shell, command, command, name, 0 };

    return sf_child_run(&job, timeout, printed, err);
}

void
sf_printed_clear(struct sf_printed *printed)
{
    free(printed->text[1].items);
    free(printed->text[0].items);
    *printed = (struct sf_printed){ 0 };
}
