/* monitor_loop.c -- the service: it looks at the fabric, the counters and the
 * subnet manager, each at its own pace, and hands on what it sees.
 *
 * One thread does that.  Another one, of the web server, only hands out what
 * was published, and finds the links of jobs in 'paths', which a lock
 * protects. */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/mem.h"
#include "monitor/conditions.h"
#include "monitor/documents.h"
#include "monitor/event_json.h"
#include "monitor/http.h"
#include "monitor/job.h"
#include "monitor/journal.h"
#include "monitor/monitor_page.h"
#include "monitor/plugin_status.h"
#include "slimfly/live.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Seconds: the longest wait, between two looks at the status file, between
 * signs of life, before a second look at what has just changed, and between
 * readings of tables that nothing asks for. */
#define SLICE         0.25
#define STATUS_EVERY  1.0
#define BEAT_EVERY    10.0
#define CONFIRM_AFTER 1.0
#define TABLES_EVERY  600.0

#define MIN_TOKEN 16
#define MAX_TOKEN 256

struct monitor {
    struct sf_plan *plan;
    const struct sf_monitor_params *params;
    struct sf_timeline *timeline;
    struct sf_journal journal;
    struct sf_watch *watch;
    bool has_counting;
    struct sf_counting counting;
    struct sf_http *http; /* NULL: no page. */
    uint64_t emitted_id;  /* The last event that streams were told. */

    struct sf_manager manager;
    struct sf_manager_health health;
    struct sf_error manager_failure;  /* Text "" if it could be read. */
    char routed_at[64];               /* Of the status file, as it says. */
    struct sf_noted_traps traps;      /* Likewise. */
    struct sf_drained_cables drained; /* Likewise. */

    pthread_mutex_t lock; /* Of 'paths'. */
    struct sf_job_paths *paths;
    double *predicted; /* [ports of the network of paths], or NULL. */

    int64_t started, discovered;
    double discovery_seconds;
    struct sf_error failure, counting_failure; /* "" if it worked. */
    uint64_t n_discoveries, n_failures;
    /* When what is due next, by the clock that does not jump. */
    double next_discovery, next_counting, next_status, next_beat, next_tables;
    bool is_changed; /* Something is to be published. */
};

static double
now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int64_t
now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool
is_cancelled(const struct monitor *monitor)
{
    return monitor->params->is_cancelled();
}

static void
say(const struct monitor *monitor, const char *text)
{
    if (monitor->params->say) {
        monitor->params->say(monitor->params->aux, text);
    }
}

/* The text of an error, or NULL if there is none. */
static const char *
text_of(const struct sf_error *err)
{
    return err->text[0] ? err->text : NULL;
}

/* Keeps why something failed, or that it did not. */
static void
set_failure(struct sf_error *kept, enum sf_status status,
            const struct sf_error *err)
{
    *kept = *err;
    if (status == SF_OK) {
        kept->text[0] = '\0';
    }
}

static void
note(struct monitor *monitor, enum sf_monitor_source source, const char *kind,
     const char *text)
{
    struct sf_condition condition = {
        .key = kind,
        .kind = kind,
        .text = text,
        .severity = SF_SEVERITY_NOTE,
        .cable = SF_NONE,
        .node = SF_NONE,
    };
    sf_timeline_note(monitor->timeline, source, &condition, now_ms());
    monitor->is_changed = true;
}

/* Reads forwarding tables for the paths of jobs and for what counters are
 * compared with.  Without them there are shortest paths. */
static void
renew_tables(struct monitor *monitor, struct sf_job_paths *paths)
{
    const struct sf_fabric *found = monitor->watch->found;
    struct sf_tables *tables;
    struct sf_sl2vl *sl2vl;

    free(monitor->predicted);
    monitor->predicted = NULL;
    if (!monitor->params->live ||
        sf_live_tables(monitor->params->live, found, monitor->params->timeout,
                       &tables, &sl2vl, NULL) != SF_OK) {
        return;
    }
    monitor->predicted = sf_calloc(found->n_ports, sizeof(double));
    if (monitor->predicted &&
        sf_table_loads(found, tables, monitor->predicted, NULL) != SF_OK) {
        free(monitor->predicted);
        monitor->predicted = NULL;
    }
    sf_job_paths_use_tables(paths, monitor->watch->verification, tables, sl2vl,
                            NULL);
}

static void
renew_paths(struct monitor *monitor)
{
    struct sf_job_paths *paths;

    if (sf_job_paths_new(monitor->plan, monitor->watch->is_right, &paths,
                         NULL) != SF_OK) {
        return;
    }
    renew_tables(monitor, paths);
    pthread_mutex_lock(&monitor->lock);
    struct sf_job_paths *old = monitor->paths;
    monitor->paths = paths;
    pthread_mutex_unlock(&monitor->lock);
    sf_job_paths_free(old);
    monitor->next_tables = now_seconds() + TABLES_EVERY;
}

/* Whether two fabrics have the same nodes and ports in the same order, so that
 * what is known by port holds for both. */
static bool
is_same_fabric(const struct sf_fabric *a, const struct sf_fabric *b)
{
    if (a->n_nodes != b->n_nodes || a->n_ports != b->n_ports) {
        return false;
    }
    for (uint32_t i = 0; i < a->n_nodes; i++) {
        if (a->nodes[i].guid != b->nodes[i].guid ||
            a->nodes[i].first_port != b->nodes[i].first_port) {
            return false;
        }
    }
    for (uint32_t i = 0; i < a->n_ports; i++) {
        if (a->ports[i].peer != b->ports[i].peer) {
            return false;
        }
    }
    return true;
}

/* Takes in what was found. */
static enum sf_status
take_found(struct monitor *monitor, struct sf_fabric *found,
           uint32_t n_unanswered, struct sf_error *err)
{
    struct sf_fabric *old = monitor->watch->found;
    bool is_same = old && is_same_fabric(old, found);
    enum sf_status status =
        sf_watch_update(monitor->watch, found, n_unanswered, err);

    if (status != SF_OK) {
        return status;
    }
    monitor->discovered = now_ms();
    sf_conditions_of_cabling(monitor->watch->verification, monitor->discovered,
                             monitor->timeline);
    if (!is_same || !monitor->paths || now_seconds() >= monitor->next_tables) {
        renew_paths(monitor);
    }
    return SF_OK;
}

/* Looks at the fabric.  Fails only if there is no point in going on. */
static enum sf_status
discover(struct monitor *monitor, struct sf_error *err)
{
    struct sf_fabric *found = NULL;
    struct sf_error failure = { 0 };
    uint32_t n_unanswered = 0;
    double start = now_seconds();

    enum sf_status status = monitor->params->discover(
        monitor->params->aux, &found, &n_unanswered, &failure);
    if (is_cancelled(monitor)) {
        sf_fabric_free(found);
        return SF_OK;
    }
    monitor->n_discoveries++;
    monitor->discovery_seconds = now_seconds() - start;
    if (status == SF_OK) {
        status = take_found(monitor, found, n_unanswered, &failure);
    }
    bool is_hopeless = status == SF_ENODEVICE || status == SF_EINVAL;
    if (is_hopeless && !monitor->discovered) {
        *err = failure;
        return status;
    }
    monitor->n_failures += status != SF_OK;
    set_failure(&monitor->failure, status, &failure);
    monitor->next_discovery =
        now_seconds() +
        (sf_timeline_is_unsure(monitor->timeline, SF_MONITOR_CABLING)
             ? fmin(CONFIRM_AFTER, monitor->params->interval)
             : monitor->params->interval);
    monitor->is_changed = true;
    return SF_OK;
}

static void
count(struct monitor *monitor)
{
    const struct sf_verification *verification = monitor->watch->verification;
    struct sf_error failure = { 0 };

    monitor->next_counting = now_seconds() + monitor->params->counters;
    if (!verification) {
        return;
    }
    enum sf_status status = sf_counting_read(
        &monitor->counting, monitor->params->live, verification,
        monitor->predicted, monitor->params->timeout, now_ms(),
        monitor->timeline, &failure);
    if (!is_cancelled(monitor)) {
        set_failure(&monitor->counting_failure, status, &failure);
        monitor->is_changed = true;
    }
}

/* If OpenSM has routed again, it has got a trap or made a sweep that found
 * something else.  That is noted, and the fabric is looked at at once. */
static void
note_routing(struct monitor *monitor, const char *routed_at)
{
    char text[2 * SF_ERROR_TEXT_SIZE];

    if (monitor->routed_at[0] && routed_at[0]) {
        snprintf(
            text, sizeof text, "OpenSM has routed again%s%s%s%s",
            monitor->manager.outcome[0] ? ": " : "", monitor->manager.outcome,
            monitor->manager.reason[0] ? ", " : "", monitor->manager.reason);
        note(monitor, SF_MONITOR_MANAGER, "manager_routed", text);
    }
    snprintf(monitor->routed_at, sizeof monitor->routed_at, "%s", routed_at);
    monitor->next_discovery = monitor->next_tables = now_seconds();
}

/* Reads the status file. */
static void
look_at_manager(struct monitor *monitor)
{
    struct sf_status_more more;

    uint64_t last = sf_timeline_last(monitor->timeline);

    monitor->next_status = now_seconds() + STATUS_EVERY;
    monitor->manager_failure = (struct sf_error){ 0 };
    if (sf_manager_read(monitor->params->status, &monitor->manager,
                        &monitor->manager_failure) == SF_OK) {
        sf_manager_judge(&monitor->manager, time(NULL), 0,
                         sf_manager_find_process(&monitor->manager),
                         &monitor->health);
        sf_conditions_note_traps(&monitor->manager, monitor->plan, now_ms(),
                                 &monitor->traps, monitor->timeline);
        sf_status_read_more(monitor->params->status, monitor->plan,
                            monitor->drained.now, &more);
        monitor->drained.is_safe =
            more.is_safe && !monitor->manager.n_drain_changes;
        if (strcmp(more.routed_at, monitor->routed_at) != 0) {
            note_routing(monitor, more.routed_at);
        }
        monitor->is_changed |= more.is_changed;
    }
    sf_conditions_of_manager(&monitor->health,
                             text_of(&monitor->manager_failure),
                             &monitor->drained, now_ms(), monitor->timeline);
    monitor->is_changed |= last != sf_timeline_last(monitor->timeline);
}

static void
emit_events(struct monitor *monitor)
{
    uint64_t last = sf_timeline_last(monitor->timeline);
    uint64_t first = sf_timeline_first(monitor->timeline);

    if (monitor->emitted_id + 1 < first) {
        monitor->emitted_id = first - 1;
    }
    while (monitor->emitted_id < last) {
        const struct sf_event *event =
            sf_timeline_event(monitor->timeline, ++monitor->emitted_id);
        json_t *object = sf_event_json(event, monitor->plan);
        char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
        if (text) {
            sf_http_emit(monitor->http, "event", text, event->id);
        }
        free(text);
        json_decref(object);
    }
}

static void
publish_text(struct monitor *monitor, enum sf_http_document document,
             char *text)
{
    sf_http_publish(monitor->http, document, text, text ? strlen(text) : 0);
}

/* Hands all that is known to the web server. */
static void
publish(struct monitor *monitor)
{
    struct sf_monitor_view view = {
        .plan = monitor->plan,
        .watch = monitor->watch,
        .timeline = monitor->timeline,
        .counting = monitor->has_counting ? &monitor->counting : NULL,
        .is_drained = monitor->drained.now,
        .has_manager = monitor->params->status != NULL,
        .manager_failure = text_of(&monitor->manager_failure),
        .manager = &monitor->manager,
        .health = &monitor->health,
        .started = monitor->started,
        .time = now_ms(),
        .discovered = monitor->discovered,
        .discovery_seconds = monitor->discovery_seconds,
        .failure = text_of(&monitor->failure),
        .n_discoveries = monitor->n_discoveries,
        .n_failures = monitor->n_failures,
        .n_events_lost = monitor->journal.n_lost,
        .n_streams = sf_http_n_streams(monitor->http),
        .n_requests = sf_http_n_requests(monitor->http),
        .interval = monitor->params->interval,
    };

    publish_text(monitor, SF_HTTP_STATE, sf_document_state(&view));
    publish_text(monitor, SF_HTTP_METRICS, sf_document_metrics(&view));
    publish_text(monitor, SF_HTTP_EVENTS,
                 sf_document_events(monitor->timeline, monitor->plan));
    emit_events(monitor);
    sf_http_emit(monitor->http, "state", "{}", 0);
}

/* The monitor's own health, then files, then the page. */
static void
hand_on(struct monitor *monitor)
{
    bool failed_before = monitor->journal.has_failed;
    struct sf_service_health health = {
        .discovery = text_of(&monitor->failure),
        .counters = text_of(&monitor->counting_failure),
        .events = failed_before ? monitor->journal.failure.text : NULL,
    };

    sf_conditions_of_service(&health, now_ms(), monitor->timeline);
    sf_timeline_tick(monitor->timeline, now_ms());
    sf_journal_write(&monitor->journal, monitor->timeline, monitor->plan);
    if (monitor->journal.has_failed && !failed_before) {
        say(monitor, monitor->journal.failure.text);
    }
    if (monitor->http) {
        publish(monitor);
    }
    /* That writing fails or works again is an event by itself. */
    monitor->is_changed = monitor->journal.has_failed != failed_before;
}

static void
wait_a_little(const struct monitor *monitor)
{
    double left = monitor->next_discovery - now_seconds();
    double pause = fmax(0.001, fmin(SLICE, left));
    struct timespec time = { 0, (long)(pause * 1e9) };

    if (!is_cancelled(monitor)) {
        nanosleep(&time, NULL);
    }
}

static enum sf_status
run(struct monitor *monitor, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    while (!is_cancelled(monitor) && status == SF_OK) {
        double now = now_seconds();
        if (monitor->params->is_hung_up()) {
            sf_journal_reopen(&monitor->journal);
        }
        if (monitor->params->status && now >= monitor->next_status) {
            look_at_manager(monitor);
        }
        if (now >= monitor->next_discovery) {
            status = discover(monitor, err);
        }
        if (monitor->has_counting && now >= monitor->next_counting &&
            !is_cancelled(monitor)) {
            count(monitor);
        }
        if (monitor->http && now >= monitor->next_beat) {
            monitor->next_beat = now + BEAT_EVERY;
            sf_http_beat(monitor->http);
            monitor->is_changed |= monitor->journal.has_failed;
        }
        if (monitor->is_changed) {
            hand_on(monitor);
        }
        wait_a_little(monitor);
    }
    return status;
}

/* Answers from the thread of the web server. */
static char *
find_job(void *aux, const char *nodes)
{
    struct monitor *monitor = aux;

    pthread_mutex_lock(&monitor->lock);
    char *text = monitor->paths
                     ? sf_job_find(monitor->paths, nodes)
                     : strdup("{\"schema\":\"slimfly.job\",\"failure\":"
                              "\"the fabric is not known yet\"}");
    pthread_mutex_unlock(&monitor->lock);
    return text;
}

/* Reads the token: one word, long enough not to be guessed. */
static enum sf_status
read_token(const char *path, char **tokenp, struct sf_error *err)
{
    size_t length;
    struct stat state;

    enum sf_status status = sf_file_read(path, tokenp, &length, err);
    if (status != SF_OK) {
        return status;
    }
    while (length && strchr(" \t\r\n", (*tokenp)[length - 1])) {
        (*tokenp)[--length] = '\0';
    }
    size_t n_good = strspn(*tokenp, "abcdefghijklmnopqrstuvwxyz"
                                    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "0123456789-._~+/");
    if (length < MIN_TOKEN || length > MAX_TOKEN || n_good != length) {
        return sf_fail(err, SF_EINVAL,
                       "%s: expected a token of %d to %d letters, digits, or "
                       "- . _ ~ + /",
                       path, MIN_TOKEN, MAX_TOKEN);
    }
    if (stat(path, &state) == 0 && S_ISREG(state.st_mode) &&
        state.st_mode & S_IROTH) {
        return sf_fail(err, SF_EINVAL,
                       "%s: everybody can read this token; take that right "
                       "away with chmod o-r",
                       path);
    }
    return SF_OK;
}

static enum sf_status
check_listen(const struct sf_monitor_params *params, struct sf_error *err)
{
    if (!params->certificate != !params->key) {
        return sf_fail(err, SF_EINVAL,
                       "TLS needs a certificate and a key, both");
    }
    if (!params->listen->is_loopback &&
        (!params->certificate || !params->token)) {
        return sf_fail(err, SF_EINVAL,
                       "%s can be reached from elsewhere, which needs TLS and "
                       "a token (--tls-cert, --tls-key, --token)",
                       params->listen->address);
    }
    return SF_OK;
}

static void
say_address(const struct monitor *monitor)
{
    const struct sf_monitor_listen *listen = monitor->params->listen;
    bool is_v6 = strchr(listen->address, ':') != NULL;
    char text[160];

    snprintf(text, sizeof text, "the page is at %s://%s%s%s:%u/",
             monitor->params->certificate ? "https" : "http", is_v6 ? "[" : "",
             listen->address, is_v6 ? "]" : "", sf_http_port(monitor->http));
    say(monitor, text);
}

static enum sf_status
start_page(struct monitor *monitor, struct sf_error *err)
{
    const struct sf_monitor_params *params = monitor->params;
    struct sf_http_params http = { .listen = params->listen,
                                   .find_job = find_job,
                                   .aux = monitor };
    char *certificate = NULL, *key = NULL, *token = NULL;
    size_t length;

    enum sf_status status = check_listen(params, err);
    if (status == SF_OK && params->certificate) {
        status = sf_file_read(params->certificate, &certificate, &length, err);
    }
    if (status == SF_OK && params->key) {
        status = sf_file_read(params->key, &key, &length, err);
    }
    if (status == SF_OK && params->token) {
        status = read_token(params->token, &token, err);
    }
    if (status == SF_OK) {
        http.certificate = certificate;
        http.key = key;
        http.token = token;
        status = sf_http_start(&http, &monitor->http, err);
    }
    free(certificate);
    free(key);
    free(token);
    if (status == SF_OK) {
        publish_text(monitor, SF_HTTP_PAGE, sf_monitor_page(SF_MONITOR_HTML));
        publish_text(monitor, SF_HTTP_SCRIPT, sf_monitor_page(SF_MONITOR_JS));
        publish_text(monitor, SF_HTTP_STYLE, sf_monitor_page(SF_MONITOR_CSS));
        publish_text(monitor, SF_HTTP_PLAN, sf_document_plan(monitor->plan));
    }
    return status;
}

static enum sf_status
start(struct monitor *monitor, struct sf_error *err)
{
    const struct sf_monitor_params *params = monitor->params;

    enum sf_status status = sf_timeline_new(NULL, &monitor->timeline, err);
    if (status == SF_OK) {
        status = sf_journal_open(&monitor->journal, params->events,
                                 monitor->timeline, err);
    }
    if (status == SF_OK) {
        status =
            sf_watch_new(monitor->plan, &params->verify, &monitor->watch, err);
    }
    if (status == SF_OK) {
        uint32_t n = monitor->plan->n_cables;
        monitor->drained = (struct sf_drained_cables){
            .plan = monitor->plan,
            .now = sf_calloc(n, sizeof(bool)),
            .freed = sf_calloc(n, sizeof(bool)),
        };
        status = monitor->drained.now && monitor->drained.freed
                     ? SF_OK
                     : sf_fail(err, SF_ENOMEM, "out of memory");
    }
    if (status == SF_OK && params->live && params->counters > 0) {
        monitor->has_counting = true;
        status = sf_counting_init(&monitor->counting, monitor->plan,
                                  params->thresholds, err);
    }
    if (status == SF_OK && params->listen) {
        monitor->emitted_id = sf_timeline_last(monitor->timeline);
        status = start_page(monitor, err);
    }
    return status;
}

enum sf_status
sf_monitor_run(struct sf_plan *plan, const struct sf_monitor_params *params,
               struct sf_error *err)
{
    struct monitor monitor = {
        .plan = plan,
        .params = params,
        .journal = { .fd = -1 },
        .started = now_ms(),
    };

    pthread_mutex_init(&monitor.lock, NULL);
    enum sf_status status = start(&monitor, err);
    bool is_started = status == SF_OK;
    if (is_started) {
        note(&monitor, SF_MONITOR_SERVICE, "monitor_started",
             "The monitor has started.");
        if (params->status) {
            look_at_manager(&monitor);
        }
        hand_on(&monitor);
        if (monitor.http) {
            say_address(&monitor);
        }
        status = run(&monitor, err);
        note(&monitor, SF_MONITOR_SERVICE, "monitor_stopped",
             "The monitor has stopped.");
        hand_on(&monitor);
    }
    sf_http_stop(monitor.http);
    sf_journal_close(&monitor.journal, is_started ? monitor.timeline : NULL);
    if (monitor.has_counting) {
        sf_counting_clear(&monitor.counting);
    }
    sf_watch_free(monitor.watch);
    sf_job_paths_free(monitor.paths);
    free(monitor.predicted);
    free(monitor.drained.now);
    free(monitor.drained.freed);
    sf_timeline_free(monitor.timeline);
    pthread_mutex_destroy(&monitor.lock);
    return status;
}
