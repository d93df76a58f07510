/* heartbeat.c -- see heartbeat.h. */
#define _GNU_SOURCE
#include "heartbeat.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct sf_heartbeat {
    sf_pulse_taker *take;
    void *aux;
    pthread_t thread;
    pthread_mutex_t lock; /* Of all that follows. */
    pthread_cond_t end;   /* 'is_ending' was set. */
    bool is_ending;
    json_t *status; /* What was written last, or NULL. */
    char *path;     /* And where. */
    uint32_t n_sent;
    time_t active_at;
};

/* Notes in the status what the pulse says. */
static void
note_pulse(struct sf_heartbeat *heartbeat)
{
    struct sf_pulse pulse = heartbeat->take(heartbeat->aux);
    json_t *status = heartbeat->status;
    time_t moment = time(NULL);

    if (pulse.is_busy || pulse.n_sent != heartbeat->n_sent) {
        heartbeat->n_sent = pulse.n_sent;
        heartbeat->active_at = moment;
    }
    const char *state = json_string_value(json_object_get(status, "state"));
    if (pulse.is_standby && state && strcmp(state, "failed") != 0 &&
        strcmp(state, "ended") != 0) {
        /* OpenSM tells nobody when it hands over to another manager. */
        json_object_set_new(status, "state", json_string("standby"));
        json_object_set_new(status, "up_at", json_null());
    }
    json_object_set_new(status, "heartbeat_at", sf_status_time(moment));
    json_object_set_new(status, "active_at",
                        sf_status_time(heartbeat->active_at));
    json_object_set_new(status, "sweep_seconds",
                        json_integer(pulse.sweep_seconds));
    json_object_set_new(status, "traps",
                        pulse.traps ? pulse.traps : json_null());
}

/* Writes the status as it is now.  The lock is held. */
static enum sf_status
write_now(struct sf_heartbeat *heartbeat, struct sf_error *err)
{
    note_pulse(heartbeat);
    return sf_status_write(heartbeat->status, heartbeat->path, err);
}

/* When the next beat is due. */
static struct timespec
next_beat(void)
{
    struct timespec moment;

    clock_gettime(CLOCK_MONOTONIC, &moment);
    moment.tv_sec += SF_HEARTBEAT_SECONDS;
    return moment;
}

static void *
beat(void *aux)
{
    struct sf_heartbeat *heartbeat = aux;
    struct timespec due = next_beat();

    pthread_mutex_lock(&heartbeat->lock);
    while (!heartbeat->is_ending) {
        if (pthread_cond_timedwait(&heartbeat->end, &heartbeat->lock, &due) !=
            0) {
            if (heartbeat->status) {
                write_now(heartbeat, NULL);
            }
            due = next_beat();
        }
    }
    pthread_mutex_unlock(&heartbeat->lock);
    return NULL;
}

/* Starts the thread, which leaves all signals to those of OpenSM. */
static bool
start_thread(struct sf_heartbeat *heartbeat)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&heartbeat->thread, NULL, beat, heartbeat);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0;
}

static void
free_heartbeat(struct sf_heartbeat *heartbeat)
{
    pthread_cond_destroy(&heartbeat->end);
    pthread_mutex_destroy(&heartbeat->lock);
    json_decref(heartbeat->status);
    free(heartbeat->path);
    free(heartbeat);
}

enum sf_status
sf_heartbeat_start(sf_pulse_taker *take, void *aux,
                   struct sf_heartbeat **heartbeatp, struct sf_error *err)
{
    struct sf_heartbeat *heartbeat = sf_calloc(1, sizeof *heartbeat);
    pthread_condattr_t by_clock;

    *heartbeatp = NULL;
    if (!heartbeat) {
        return sf_fail(err, SF_ENOMEM, "out of memory for the status");
    }
    heartbeat->take = take;
    heartbeat->aux = aux;
    heartbeat->active_at = time(NULL);
    pthread_mutex_init(&heartbeat->lock, NULL);
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&heartbeat->end, &by_clock);
    pthread_condattr_destroy(&by_clock);
    if (!start_thread(heartbeat)) {
        free_heartbeat(heartbeat);
        return sf_fail(err, SF_ENOMEM, "no thread for the status");
    }
    *heartbeatp = heartbeat;
    return SF_OK;
}

void
sf_heartbeat_stop(struct sf_heartbeat *heartbeat)
{
    if (!heartbeat) {
        return;
    }
    pthread_mutex_lock(&heartbeat->lock);
    heartbeat->is_ending = true;
    pthread_cond_signal(&heartbeat->end);
    pthread_mutex_unlock(&heartbeat->lock);
    pthread_join(heartbeat->thread, NULL);
    free_heartbeat(heartbeat);
}

/* Notes who writes. */
static void
note_writer(json_t *status)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    json_object_set_new(status, "host", sf_status_text(host));
    json_object_set_new(status, "pid", json_integer(getpid()));
    json_object_set_new(status, "heartbeat_seconds",
                        json_integer(SF_HEARTBEAT_SECONDS));
}

enum sf_status
sf_heartbeat_write(struct sf_heartbeat *heartbeat,
                   const struct sf_plugin_status *status, const char *path,
                   struct sf_error *err)
{
    json_t *packed = sf_status_pack(status);
    char *copy = sf_strdup(path);
    enum sf_status code = SF_OK;

    if (!packed || !copy) {
        json_decref(packed);
        free(copy);
        return sf_fail(err, SF_ENOMEM, "out of memory for the status file");
    }
    note_writer(packed);
    pthread_mutex_lock(&heartbeat->lock);
    json_decref(heartbeat->status);
    free(heartbeat->path);
    heartbeat->status = packed;
    heartbeat->path = copy;
    code = write_now(heartbeat, err);
    pthread_mutex_unlock(&heartbeat->lock);
    return code;
}
