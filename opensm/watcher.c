/* watcher.c -- see watcher.h. */
#define _GNU_SOURCE
#include "watcher.h"

#include "base/mem.h"
#include "plugin_options.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define LOOK_NANOSECONDS 500000000
#define SECOND           1000000000
#define LOOKS_TO_REPEAT  10 /* Between two calls for the same change. */

struct sf_watcher {
    sf_watcher_act *act;
    void *aux;
    pthread_t thread;
    pthread_mutex_t lock; /* Of all that follows. */
    pthread_cond_t end;   /* 'is_ending' was set. */
    bool is_ending;
    char path[SF_OPTION_SIZE];
    struct sf_file_stamp known, asked; /* What act() was called for last, */
    uint32_t n_looks;                  /* looks ago. */
};

struct sf_file_stamp
sf_file_stamp_take(const char *path)
{
    struct stat found;

    if (stat(path, &found) != 0) {
        return (struct sf_file_stamp){ 0 };
    }
    return (struct sf_file_stamp){
        .is_there = true,
        .device = (uint64_t)found.st_dev,
        .number = (uint64_t)found.st_ino,
        .size = (uint64_t)found.st_size,
        .written = { found.st_mtim.tv_sec, found.st_mtim.tv_nsec },
        .changed = { found.st_ctim.tv_sec, found.st_ctim.tv_nsec },
    };
}

static bool
is_same(const struct sf_file_stamp *a, const struct sf_file_stamp *b)
{
    return a->is_there == b->is_there && a->device == b->device &&
           a->number == b->number && a->size == b->size &&
           a->written[0] == b->written[0] && a->written[1] == b->written[1] &&
           a->changed[0] == b->changed[0] && a->changed[1] == b->changed[1];
}

/* Whether act() is to be called now.  The lock is held. */
static bool
look(struct sf_watcher *watcher)
{
    if (!watcher->path[0]) {
        return false;
    }
    struct sf_file_stamp now = sf_file_stamp_take(watcher->path);
    watcher->n_looks++;
    if (is_same(&now, &watcher->known) ||
        (is_same(&now, &watcher->asked) &&
         watcher->n_looks < LOOKS_TO_REPEAT)) {
        return false;
    }
    watcher->asked = now;
    watcher->n_looks = 0;
    return true;
}

/* When the next look is due. */
static struct timespec
next_look(void)
{
    struct timespec moment;

    clock_gettime(CLOCK_MONOTONIC, &moment);
    moment.tv_nsec += LOOK_NANOSECONDS;
    moment.tv_sec += moment.tv_nsec / SECOND;
    moment.tv_nsec %= SECOND;
    return moment;
}

static void *
watch(void *aux)
{
    struct sf_watcher *watcher = aux;

    pthread_mutex_lock(&watcher->lock);
    while (!watcher->is_ending) {
        struct timespec due = next_look();
        while (!watcher->is_ending &&
               pthread_cond_timedwait(&watcher->end, &watcher->lock, &due) ==
                   0) {
        }
        if (!watcher->is_ending && look(watcher)) {
            pthread_mutex_unlock(&watcher->lock);
            watcher->act(watcher->aux);
            pthread_mutex_lock(&watcher->lock);
        }
    }
    pthread_mutex_unlock(&watcher->lock);
    return NULL;
}

/* Starts the thread, which leaves all signals to those of OpenSM. */
static bool
start_thread(struct sf_watcher *watcher)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&watcher->thread, NULL, watch, watcher);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0;
}

static void
free_watcher(struct sf_watcher *watcher)
{
    pthread_cond_destroy(&watcher->end);
    pthread_mutex_destroy(&watcher->lock);
    free(watcher);
}

enum sf_status
sf_watcher_start(sf_watcher_act *act, void *aux, struct sf_watcher **watcherp,
                 struct sf_error *err)
{
    struct sf_watcher *watcher = sf_calloc(1, sizeof *watcher);
    pthread_condattr_t by_clock;

    *watcherp = NULL;
    if (!watcher) {
        return sf_fail(err, SF_ENOMEM, "out of memory to watch a file");
    }
    watcher->act = act;
    watcher->aux = aux;
    pthread_mutex_init(&watcher->lock, NULL);
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&watcher->end, &by_clock);
    pthread_condattr_destroy(&by_clock);
    if (!start_thread(watcher)) {
        free_watcher(watcher);
        return sf_fail(err, SF_ENOMEM, "no thread to watch a file");
    }
    *watcherp = watcher;
    return SF_OK;
}

void
sf_watcher_stop(struct sf_watcher *watcher)
{
    if (!watcher) {
        return;
    }
    pthread_mutex_lock(&watcher->lock);
    watcher->is_ending = true;
    pthread_cond_signal(&watcher->end);
    pthread_mutex_unlock(&watcher->lock);
    pthread_join(watcher->thread, NULL);
    free_watcher(watcher);
}

void
sf_watcher_set(struct sf_watcher *watcher, const char *path,
               const struct sf_file_stamp *known)
{
    pthread_mutex_lock(&watcher->lock);
    snprintf(watcher->path, sizeof watcher->path, "%s", path);
    watcher->known = watcher->asked = *known;
    pthread_mutex_unlock(&watcher->lock);
}
