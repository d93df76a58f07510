#define _GNU_SOURCE
#include "monitor/journal.h"

#include "base/file.h"
#include "base/mem.h"
#include "monitor/event_json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Opens the file of events to add to it. */
static enum sf_status
open_file(struct sf_journal *journal, struct sf_error *err)
{
    int fd =
        open(journal->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);

    if (fd < 0) {
        return sf_fail(err, SF_EIO, "cannot write events to %s: %s",
                       journal->path, strerror(errno));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        return sf_fail(err, SF_EIO, "another monitor writes its events to %s",
                       journal->path);
    }
    journal->fd = fd;
    return SF_OK;
}

/* The last number in the file of events, whose end has it; 0: none. */
static uint64_t
last_number(const char *path)
{
    static const char key[] = "\"id\":";
    char end[65536];
    uint64_t last = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat state;

    if (fd < 0 || fstat(fd, &state) != 0) {
        if (fd >= 0) {
            close(fd);
        }
        return 0;
    }
    off_t start = state.st_size > (off_t)sizeof end - 1
                      ? state.st_size - ((off_t)sizeof end - 1)
                      : 0;
    ssize_t length = pread(fd, end, sizeof end - 1, start);
    close(fd);
    end[length > 0 ? length : 0] = '\0';
    for (const char *at = end; (at = strstr(at, key)); at++) {
        last = strtoull(at + sizeof key - 1, NULL, 10);
    }
    return last;
}

/* A state that cannot be read, as after a crash of the machine, would keep the
 * monitor from starting for ever: it is moved aside, and all begins anew. */
static enum sf_status
begin_anew(const struct sf_journal *journal, struct sf_timeline *timeline,
           struct sf_error *err)
{
    int64_t now = (int64_t)time(NULL) * 1000;
    char *aside, *text;

    if (asprintf(&aside, "%s.broken", journal->state_path) < 0) {
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    int failed = rename(journal->state_path, aside);
    int n = asprintf(&text,
                     "The state of the time line cannot be read: %s.  It is "
                     "now %s, and what is wrong is told anew.",
                     err->text, aside);
    free(aside);
    if (n < 0 || failed) {
        free(n < 0 ? NULL : text);
        return err->status; /* With its text. */
    }
    struct sf_condition condition = {
        .key = "state_broken",
        .kind = "state_broken",
        .text = text,
        .severity = SF_SEVERITY_WARNING,
        .cable = SF_NONE,
        .node = SF_NONE,
    };
    sf_timeline_continue(timeline, last_number(journal->path), now);
    sf_timeline_note(timeline, SF_MONITOR_SERVICE, &condition, now);
    free(text);
    return SF_OK;
}

static enum sf_status
read_state(struct sf_journal *journal, struct sf_timeline *timeline,
           struct sf_error *err)
{
    char *text = NULL;
    size_t length = 0;

    if (access(journal->state_path, F_OK) != 0 && errno == ENOENT) {
        return SF_OK;
    }
    enum sf_status status =
        sf_file_read(journal->state_path, &text, &length, err);
    if (status == SF_OK) {
        status = sf_timeline_parse(text, length, journal->state_path, timeline,
                                   err);
    }
    free(text);
    return status == SF_EPARSE ? begin_anew(journal, timeline, err) : status;
}

enum sf_status
sf_journal_open(struct sf_journal *journal, const char *path,
                struct sf_timeline *timeline, struct sf_error *err)
{
    *journal = (struct sf_journal){ .path = path, .fd = -1 };
    if (!path) {
        journal->fd = STDOUT_FILENO;
        return SF_OK;
    }
    if (asprintf(&journal->state_path, "%s.state", path) < 0) {
        journal->state_path = NULL;
        return sf_fail(err, SF_ENOMEM, "out of memory");
    }
    enum sf_status status = open_file(journal, err);
    if (status == SF_OK) {
        status = read_state(journal, timeline, err);
    }
    /* What is noted already is yet to be written. */
    journal->written_id = journal->saved_id = sf_timeline_first(timeline) - 1;
    if (status != SF_OK) {
        if (journal->fd >= 0) {
            close(journal->fd);
        }
        free(journal->state_path);
        *journal = (struct sf_journal){ .fd = -1 };
    }
    return status;
}

void
sf_journal_reopen(struct sf_journal *journal)
{
    if (!journal->path) {
        return;
    }
    if (journal->fd >= 0) {
        close(journal->fd);
        journal->fd = -1;
    }
    journal->has_failed = open_file(journal, &journal->failure) != SF_OK;
}

static void
note_failure(struct sf_journal *journal, const char *path, int number)
{
    journal->has_failed = true;
    sf_fail(&journal->failure, SF_EIO, "cannot write events to %s: %s", path,
            strerror(number));
}

/* Writes a line as a whole; what was written of it in part is taken back. */
static bool
write_line(struct sf_journal *journal, const char *line, size_t length)
{
    size_t done = 0;

    while (done < length) {
        ssize_t n = write(journal->fd, line + done, length - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            int number = n < 0 ? errno : ENOSPC;
            struct stat state;
            if (done && journal->path && fstat(journal->fd, &state) == 0 &&
                ftruncate(journal->fd, state.st_size - (off_t)done) != 0) {
                number = errno;
            }
            note_failure(journal,
                         journal->path ? journal->path : "standard output",
                         number);
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

/* The line of an event, with its end; NULL if memory ran out. */
static char *
make_line(const struct sf_event *event, const struct sf_plan *plan)
{
    json_t *object = sf_event_json(event, plan);
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    char *line = NULL;

    if (text && asprintf(&line, "%s\n", text) < 0) {
        line = NULL;
    }
    free(text);
    json_decref(object);
    return line;
}

static bool
write_events(struct sf_journal *journal, const struct sf_timeline *timeline,
             const struct sf_plan *plan)
{
    uint64_t first = sf_timeline_first(timeline);

    if (journal->written_id + 1 < first) {
        journal->n_lost += first - 1 - journal->written_id;
        journal->written_id = first - 1;
    }
    while (journal->written_id < sf_timeline_last(timeline)) {
        char *line = make_line(
            sf_timeline_event(timeline, journal->written_id + 1), plan);
        bool is_written = line && write_line(journal, line, strlen(line));
        free(line);
        if (!is_written) {
            return false;
        }
        journal->written_id++;
    }
    return true;
}

/* Writes the state to a file of its own, which then takes the place. */
static bool
write_state(const struct sf_journal *journal,
            const struct sf_timeline *timeline)
{
    json_t *root = sf_timeline_json(timeline);
    char *path = NULL;
    bool is_done = false;

    if (root && asprintf(&path, "%s.new", journal->state_path) >= 0) {
        /* Whoever starts again must not number events twice. */
        json_object_set_new(root, "last_id",
                            json_integer((json_int_t)journal->written_id));
        is_done = json_dump_file(root, path, JSON_COMPACT) == 0 &&
                  rename(path, journal->state_path) == 0;
        if (!is_done) {
            int number = errno;
            unlink(path);
            errno = number;
        }
        free(path);
    }
    json_decref(root);
    return is_done;
}

void
sf_journal_write(struct sf_journal *journal,
                 const struct sf_timeline *timeline,
                 const struct sf_plan *plan)
{
    if (journal->fd < 0) {
        sf_journal_reopen(journal);
        if (journal->fd < 0) {
            return;
        }
    }
    journal->has_failed = false;
    if (!write_events(journal, timeline, plan) || !journal->state_path ||
        journal->saved_id == journal->written_id) {
        return;
    }
    if (write_state(journal, timeline)) {
        journal->saved_id = journal->written_id;
    } else {
        note_failure(journal, journal->state_path, errno);
    }
}

void
sf_journal_close(struct sf_journal *journal,
                 const struct sf_timeline *timeline)
{
    if (journal->state_path && timeline) {
        write_state(journal, timeline);
    }
    if (journal->path && journal->fd >= 0) {
        close(journal->fd);
    }
    free(journal->state_path);
    *journal = (struct sf_journal){ .fd = -1 };
}
