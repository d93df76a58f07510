/* progress_line.c -- how far the work is, for who waits: on standard error,
 * and only if it takes long.
 *
 * A terminal sees one line, which is written over and erased at the end.
 * Elsewhere there are whole lines, fewer and fewer of them.  A thread of its
 * own draws, so that the time goes on also while the work has nothing to
 * report.  It uses write() alone: a child that is forked meanwhile must not
 * inherit a locked stream. */
#define _GNU_SOURCE
#include "cli.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Seconds.  Quick work shows nothing, and slow work does not flicker. */
#define TERMINAL_FIRST 1.0
#define TERMINAL_EVERY 0.25
#define LOG_FIRST      10.0
#define LOG_SECOND     30.0
#define LOG_EVERY      60.0
#define LOG_OFTEN      10.0 /* With --progress always. */

#define SHORT     0.5 /* Not worth a word. */
#define MAX_GUESS 1e7 /* More is not known. */

#define MIN_SHARE 0.005 /* Below, the time left is not known. */

#define ERASE       "\r\033[K"
#define MAX_WHAT    400
#define MAX_NUMBERS 128
#define MAX_LINE    (MAX_WHAT + MAX_NUMBERS + 32)

static struct {
    pthread_mutex_t lock; /* Of all that follows. */
    bool is_on;           /* Something may be shown. */
    bool is_terminal;
    bool is_eager;        /* --progress always. */
    double start;         /* Of the command. */
    double next;          /* When to show something. */
    char what[MAX_WHAT];  /* "" if nothing is under way. */
    uint64_t done, total; /* Of a step, which has one or several of these. */
    double step_start;
    bool is_drawing; /* The thread runs, which is then told. */
    pthread_cond_t has_begun;
} work = { .lock = PTHREAD_MUTEX_INITIALIZER,
           .has_begun = PTHREAD_COND_INITIALIZER };

/* Whether a line stands on the terminal, and whether the program is dying, for
 * whoever interrupts. */
static atomic_bool is_drawn, is_dying;

double
cli_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void
put(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(STDERR_FILENO, text, length);
        if (n <= 0) {
            return;
        }
        text += n;
        length -= (size_t)n;
    }
}

void
cli_progress_drop(void)
{
    atomic_store(&is_dying, true);
    if (atomic_load(&is_drawn)) {
        put(ERASE, strlen(ERASE));
    }
}

static void
erase(void)
{
    if (atomic_exchange(&is_drawn, false)) {
        put(ERASE, strlen(ERASE));
    }
}

/* Writes a time such as "42 s", "12 min" or "3 h 20 min". */
static void
format_time(double seconds, char *text, size_t size)
{
    unsigned long s = (unsigned long)(seconds + 0.5), min = (s + 30) / 60;

    if (s < 100) {
        snprintf(text, size, "%lu s", s);
    } else if (min < 100) {
        snprintf(text, size, "%lu min", min);
    } else {
        snprintf(text, size, "%lu h %lu min", min / 60, min % 60);
    }
}

/* Writes the share that is done, the time gone and the time left. */
static size_t
format_numbers(double now, char text[MAX_NUMBERS])
{
    double gone = now - work.start, in_step = now - work.step_start;
    double share = work.total ? (double)work.done / (double)work.total : 0;
    double left = share > MIN_SHARE ? in_step / share - in_step : MAX_GUESS;
    char time[32];
    size_t used = 0;

    text[0] = '\0';
    if (work.total) {
        used +=
            (size_t)snprintf(text, MAX_NUMBERS, ": %d %%", (int)(100 * share));
    }
    if (gone >= SHORT) {
        format_time(gone, time, sizeof time);
        used += (size_t)snprintf(text + used, MAX_NUMBERS - used,
                                 "%s%s so far", used ? ", " : ": ", time);
    }
    if (in_step >= SHORT && left < MAX_GUESS) {
        format_time(left + 0.5, time, sizeof time);
        used += (size_t)snprintf(
            text + used, MAX_NUMBERS - used, ", about %s left%s", time,
            gone - in_step >= SHORT ? " in this step" : "");
    }
    return used;
}

static size_t
terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col
               ? size.ws_col
               : 80;
}

/* Writes what is under way and how far it is, without a newline.  What is
 * under way is cut where the line would be longer than a terminal is wide:
 * then it could not be written over. */
static size_t
format_line(double now, char line[MAX_LINE])
{
    char numbers[MAX_NUMBERS];
    size_t n_numbers = format_numbers(now, numbers);
    size_t n_what = strlen(work.what);

    if (work.is_terminal) {
        size_t width = terminal_width(), n_others = n_numbers + 1;
        size_t room = width > n_others ? width - n_others : 0;
        n_what = n_what < room ? n_what : room;
    }
    while (n_what > 0 && ((unsigned char)work.what[n_what] & 0xc0) == 0x80) {
        n_what--; /* Not within a character. */
    }
    return (size_t)snprintf(line, MAX_LINE, "%s%.*s%s",
                            work.is_terminal ? "" : "slimfly: ", (int)n_what,
                            work.what, numbers);
}

/* Whether nobody else has the terminal, such as a shell that started us in the
 * background. */
static bool
is_in_front(void)
{
    pid_t front = tcgetpgrp(STDERR_FILENO);
    return front < 0 || front == getpgrp();
}

static void
draw(double now)
{
    static bool is_guarded;
    char line[MAX_LINE];
    size_t length = format_line(now, line);

    if (!work.is_terminal) {
        line[length++] = '\n';
        put(line, length);
    } else if (is_in_front()) {
        char text[sizeof ERASE + MAX_LINE] = ERASE;
        memcpy(text + strlen(ERASE), line, length);
        if (!is_guarded) {
            cli_guard_signals();
            is_guarded = true;
        }
        atomic_store(&is_drawn, true);
        put(text, strlen(ERASE) + length);
        if (atomic_load(&is_dying)) {
            put(ERASE, strlen(ERASE));
        }
    }
}

/* When to show something again. */
static double
find_next(double now)
{
    double gone = now - work.start;

    return work.is_terminal    ? now + TERMINAL_EVERY
           : work.is_eager     ? now + LOG_OFTEN
           : gone < LOG_SECOND ? work.start + LOG_SECOND
           : gone < LOG_EVERY  ? work.start + LOG_EVERY
                               : now + LOG_EVERY;
}

/* Shows how far the work is, if it is time; the lock is held. */
static void
show(double now)
{
    if (!*work.what) {
        erase();
    } else if (now >= work.next) {
        draw(now);
        work.next = find_next(now);
    }
}

static void *
draw_for_ever(void *aux)
{
    struct timespec pause = { 0, (long)(TERMINAL_EVERY * 1e9) };

    (void)aux;
    pthread_mutex_lock(&work.lock);
    work.is_drawing = true;
    pthread_cond_signal(&work.has_begun);
    pthread_mutex_unlock(&work.lock);
    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&work.lock);
        if (work.is_on) {
            show(cli_seconds());
        }
        pthread_mutex_unlock(&work.lock);
    }
    return NULL;
}

/* Copies what is under way; characters that a terminal might act on become
 * '?'. */
static void
copy_what(const char *what, char copy[MAX_WHAT])
{
    snprintf(copy, MAX_WHAT, "%s", what);
    for (char *c = copy; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
}

/* Notes what is under way, and when it is the beginning of another step; the
 * lock is held. */
static void
note(const char *what, uint64_t done, uint64_t total)
{
    char copy[MAX_WHAT];

    copy_what(what, copy);
    bool is_new = strcmp(copy, work.what) != 0;
    bool goes_on = total
                       ? *work.what && total == work.total && done >= work.done
                       : !is_new;
    double now = is_new || !goes_on ? cli_seconds() : 0;
    work.done = done;
    work.total = total;
    if (!goes_on) {
        work.step_start = now;
    }
    if (is_new) {
        memcpy(work.what, copy, sizeof copy);
    }
    if (is_new && work.is_eager) {
        work.next = now;
        show(now);
    }
}

static void
hear(void *aux, const char *what, uint64_t done, uint64_t total)
{
    bool is_over = total && done >= total;

    (void)aux;
    pthread_mutex_lock(&work.lock);
    if (work.is_on && is_over) {
        *work.what = '\0';
    } else if (work.is_on) {
        note(what, done, total);
    }
    pthread_mutex_unlock(&work.lock);
}

/* Starts the thread that draws, which no signal interrupts, and waits until it
 * runs.  A thread that begins allocates, and a child that is forked meanwhile
 * waits for ever under allocators that do not mind fork(), such as that of the
 * address sanitizer. */
static bool
start_drawing(void)
{
    pthread_t thread;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool is_started = pthread_create(&thread, NULL, draw_for_ever, NULL) == 0;
    if (is_started) {
        pthread_detach(thread);
        pthread_mutex_lock(&work.lock);
        while (!work.is_drawing) {
            pthread_cond_wait(&work.has_begun, &work.lock);
        }
        pthread_mutex_unlock(&work.lock);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

/* Lets time count from now on. */
static void
start_clock(void)
{
    work.start = cli_seconds();
    work.next = work.start + (work.is_eager      ? 0
                              : work.is_terminal ? TERMINAL_FIRST
                                                 : LOG_FIRST);
}

void
cli_progress_restart(void)
{
    pthread_mutex_lock(&work.lock);
    start_clock();
    pthread_mutex_unlock(&work.lock);
}

void
cli_progress_begin(const char *when)
{
    static const struct sf_progress progress = { hear, NULL };

    const char *terminal = getenv("TERM");

    work.is_terminal =
        isatty(STDERR_FILENO) && (!terminal || strcmp(terminal, "dumb") != 0);
    work.is_eager = !strcmp(when, "always");
    start_clock();
    work.is_on = strcmp(when, "never") != 0;
    if (work.is_on && start_drawing()) {
        sf_progress_listen(&progress);
    }
}

void
cli_progress_hide(void)
{
    pthread_mutex_lock(&work.lock);
    erase();
    pthread_mutex_unlock(&work.lock);
}

void
cli_progress_end(void)
{
    pthread_mutex_lock(&work.lock);
    work.is_on = false;
    erase();
    pthread_mutex_unlock(&work.lock);
}
