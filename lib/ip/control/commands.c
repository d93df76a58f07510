#define _GNU_SOURCE
#include "ip/control/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_AT_ONCE 256
#define CHUNK       65536

static double
now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void
close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

void
sf_command_clear(struct sf_command *command)
{
    free(command->line);
    free(command->input);
    free(command->output.items);
    free(command->complaints.items);
    *command = (struct sf_command){ 0 };
}

/* The child: a group of its own, so that all of it can be killed; the pipes as
 * standard files. */
static void
become(const struct sf_command *command, int pipes[3][2])
{
    static const int ends[] = { 0, 1, 1 };
    sigset_t none;

    (void)setpgid(0, 0);
    for (int i = 0; i < 3; i++) {
        (void)dup2(pipes[i][ends[i]], i);
    }
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execl("/bin/sh", "sh", "-c", command->line, (char *)NULL);
    _exit(127);
}

static void
start(struct sf_command *command, double timeout)
{
    int pipes[3][2] = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
    bool made = true;

    command->fds[0] = command->fds[1] = command->fds[2] = -1;
    for (int i = 0; made && i < 3; i++) {
        made = pipe2(pipes[i], O_CLOEXEC) == 0;
    }
    command->pid = made ? fork() : -1;
    if (command->pid == 0) {
        become(command, pipes);
    }
    if (command->pid < 0) {
        (void)sf_fail(command->err, SF_EIO, "no process: %s", strerror(errno));
    } else {
        command->fds[0] = dup(pipes[0][1]);
        command->fds[1] = dup(pipes[1][0]);
        command->fds[2] = dup(pipes[2][0]);
        for (int i = 0; i < 3; i++) {
            (void)fcntl(command->fds[i], F_SETFL, O_NONBLOCK);
            (void)fcntl(command->fds[i], F_SETFD, FD_CLOEXEC);
        }
    }
    for (int i = 0; i < 3; i++) {
        close_fd(&pipes[i][0]);
        close_fd(&pipes[i][1]);
    }
    command->n_written = 0;
    command->deadline = now() + timeout;
}

/* Gives the command more of what it reads. */
static void
feed(struct sf_command *command)
{
    size_t left = command->n_input - command->n_written;
    ssize_t n = left ? write(command->fds[0],
                             command->input + command->n_written, left)
                     : 0;

    if (n > 0) {
        command->n_written += (size_t)n;
    }
    if (command->n_written == command->n_input ||
        (n < 0 && errno != EAGAIN && errno != EINTR)) {
        close_fd(&command->fds[0]);
    }
}

/* Adds a byte array to what was printed; false if there is too much. */
static bool
add(struct sf_command *command, int which, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool is_added = which == 1
                            ? sf_vec_push(&command->output, bytes[i])
                            : sf_vec_push(&command->complaints, bytes[i]);
        if (!is_added) {
            return false;
        }
    }
    return command->output.n <= SF_COMMAND_OUTPUT &&
           command->complaints.n <= SF_COMMAND_OUTPUT;
}

static void
take(struct sf_command *command, int which)
{
    char bytes[CHUNK];
    ssize_t n = read(command->fds[which], bytes, sizeof bytes);

    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n <= 0) {
        close_fd(&command->fds[which]);
    } else if (!add(command, which, bytes, (size_t)n)) {
        (void)sf_fail(command->err, SF_ELIMIT, "it prints too much");
        command->deadline = 0;
    }
}

/* The last line of what a command complained of. */
static const char *
last_line(struct sf_command *command)
{
    while (command->complaints.n > 0 &&
           strchr(" \r\n",
                  command->complaints.items[command->complaints.n - 1])) {
        command->complaints.n--;
    }
    if (command->complaints.n == 0 ||
        !sf_vec_push(&command->complaints, '\0')) {
        return "";
    }
    char *text = command->complaints.items;
    char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* Waits for a command that has ended or is to end. */
static void
finish(struct sf_command *command, bool is_late)
{
    int code = 0;

    for (int i = 0; i < 3; i++) {
        close_fd(&command->fds[i]);
    }
    if (is_late) {
        (void)kill(-command->pid, SIGKILL);
        (void)kill(command->pid, SIGKILL);
    }
    while (waitpid(command->pid, &code, 0) < 0 && errno == EINTR) {
    }
    if (command->err->status != SF_OK) {
        return;
    }
    const char *line = last_line(command);
    const char *colon = line[0] ? ": " : "";
    if (is_late) {
        (void)sf_fail(command->err, SF_EIO, "no answer in time");
    } else if (WIFSIGNALED(code)) {
        (void)sf_fail(command->err, SF_EIO, "signal %d ended the command%s%s",
                      WTERMSIG(code), colon, line);
    } else if (WEXITSTATUS(code) != 0) {
        (void)sf_fail(command->err, SF_EIO,
                      "the command failed with exit code %d%s%s",
                      WEXITSTATUS(code), colon, line);
    }
}

static bool
has_ended(const struct sf_command *command)
{
    return command->fds[1] < 0 && command->fds[2] < 0;
}

/* What is under way. */
struct crowd {
    struct sf_command *members[MAX_AT_ONCE];
    uint32_t n;
};

/* Waits until something happens to one of the crowd. */
static void
step(struct crowd *crowd)
{
    struct pollfd fds[3 * MAX_AT_ONCE];
    double first = 1e300, time = now();

    for (uint32_t i = 0; i < 3 * crowd->n; i++) {
        const struct sf_command *command = crowd->members[i / 3];
        fds[i] = (struct pollfd){ command->fds[i % 3],
                                  (short)(i % 3 ? POLLIN : POLLOUT), 0 };
        first = command->deadline < first ? command->deadline : first;
    }
    double wait = first > time ? first - time : 0;
    if (poll(fds, 3 * crowd->n, (int)(wait * 1000) + 1) < 0) {
        return;
    }
    for (uint32_t i = 0; i < 3 * crowd->n; i++) {
        if (fds[i].fd >= 0 && fds[i].revents) {
            if (i % 3 == 0) {
                feed(crowd->members[i / 3]);
            } else {
                take(crowd->members[i / 3], (int)(i % 3));
            }
        }
    }
}

void
sf_commands_run(struct sf_command *commands, size_t n, uint32_t n_at_once,
                double timeout)
{
    struct crowd crowd = { .n = 0 };
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    size_t next = 0;

    n_at_once = n_at_once < MAX_AT_ONCE ? n_at_once : MAX_AT_ONCE;
    while (next < n || crowd.n > 0) {
        while (next < n && crowd.n < n_at_once) {
            start(&commands[next], timeout);
            if (commands[next].pid > 0) {
                crowd.members[crowd.n++] = &commands[next];
            }
            next++;
        }
        step(&crowd);
        for (uint32_t i = 0; i < crowd.n;) {
            bool is_late = now() >= crowd.members[i]->deadline;
            if (is_late || has_ended(crowd.members[i])) {
                finish(crowd.members[i], is_late);
                crowd.members[i] = crowd.members[--crowd.n];
            } else {
                i++;
            }
        }
    }
    signal(SIGPIPE, before);
}
