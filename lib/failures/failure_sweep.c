/* failure_sweep.c -- does all runs, on all cores and perhaps in several
 * processes; what is finished is kept. */
#include "base/mem.h"
#include "base/parallel.h"
#include "failures/study.h"
#include "slimfly/progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A run of a point, or the cuts. */
struct piece {
    struct sf_failure_point *point; /* NULL: the cuts. */
    uint32_t run;
    bool is_put_off;
};

struct sweep {
    const struct sf_failure_study *study;
    const struct sf_failure_store *store; /* May be NULL. */
    const struct sf_progress *listener;   /* Of the caller; may be NULL. */
    uint32_t n_pieces;
    struct piece *pieces; /* [n_pieces] */
    bool is_last;         /* Now for what was put off. */
    atomic_uint failed;   /* The first that did; SF_NONE: none. */
    pthread_mutex_t lock; /* Of all that follows. */
    uint32_t n_done;
    struct sf_error error;
};

/* Says how far all are; the lock is held. */
static void
tell(const struct sweep *sweep, const struct piece *piece)
{
    const struct sf_failures_params *params = sweep->study->params;
    char what[256];

    if (!sweep->listener || !sweep->listener->report) {
        return;
    }
    snprintf(what, sizeof what, "failing parts of %.80s, %s",
             params->name ? params->name : params->plan->spec,
             !piece->point ? "until hosts are cut off"
             : piece->point->kind == SF_FAILURE_NONE
                 ? "nothing gone"
                 : sf_failure_kind_name(piece->point->kind));
    sweep->listener->report(sweep->listener->aux, what, sweep->n_done,
                            sweep->n_pieces);
}

/* Takes the result of 'piece' from the store, if it is there. */
static bool
look_up(const struct sweep *sweep, const struct piece *piece,
        const char *settings)
{
    const struct sf_failure_study *study = sweep->study;
    char *text = sweep->store->load(sweep->store->aux, settings);
    bool is_known =
        text &&
        (piece->point
             ? sf_failure_read(study, &piece->point->runs[piece->run],
                               settings, text)
             : sf_failure_read_cuts(&study->failures->cuts, settings, text));

    free(text);
    return is_known;
}

/* Keeps the result of 'settings'.  One thread at a time does so. */
static enum sf_status
keep(struct sweep *sweep, const char *settings, const char *text,
     struct sf_error *err)
{
    const struct sf_failure_store *store = sweep->store;

    pthread_mutex_lock(&sweep->lock);
    /* Who saves may report what it writes, and a listener may wait for the
     * lock that is held here. */
    const struct sf_progress *listener = sf_progress_listen(NULL);
    enum sf_status status = store->save(store->aux, settings, text, err);
    sf_progress_listen(listener);
    pthread_mutex_unlock(&sweep->lock);
    return status;
}

static enum sf_status
run_and_keep(struct sweep *sweep, const struct piece *piece,
             const struct sf_failure_dead *dead, const char *settings,
             struct sf_error *err)
{
    const struct sf_failure_study *study = sweep->study;
    struct sf_failure_cuts *cuts = &study->failures->cuts;
    struct sf_failure_run *run =
        piece->point ? &piece->point->runs[piece->run] : NULL;
    enum sf_status status =
        run ? sf_failure_run(study, piece->point, dead, piece->run, run, err)
            : sf_failure_cuts_measure(study, cuts, err);

    if (status != SF_OK || !sweep->store) {
        return status;
    }
    char *text = run ? sf_failure_write(study, run, settings)
                     : sf_failure_write_cuts(cuts, settings);
    status = text ? keep(sweep, settings, text, err)
                  : sf_fail(err, SF_ENOMEM, "out of memory for results");
    free(text);
    return status;
}

/* Does a piece, or finds what an earlier study or another process has kept.  A
 * piece that another process is at is put off. */
static enum sf_status
find_or_run(struct sweep *sweep, struct piece *piece,
            const struct sf_failure_dead *dead, const char *settings,
            struct sf_error *err)
{
    enum sf_status status = SF_OK;

    if (!sweep->store) {
        return run_and_keep(sweep, piece, dead, settings, err);
    }
    const struct sf_claims *claims = sweep->store->claims;
    if (look_up(sweep, piece, settings)) {
        return SF_OK;
    }
    if (claims && !claims->claim(claims->aux, settings, sweep->is_last)) {
        piece->is_put_off = true;
        return SF_OK;
    }
    /* It may have been finished just before it was ours. */
    if (!claims || !look_up(sweep, piece, settings)) {
        status = run_and_keep(sweep, piece, dead, settings, err);
    }
    if (claims) {
        claims->release(claims->aux, settings);
    }
    return status;
}

static enum sf_status
work_on(struct sweep *sweep, struct piece *piece, struct sf_error *err)
{
    char settings[SF_FAILURE_SETTINGS_SIZE];
    struct sf_failure_dead dead = { 0 };
    enum sf_status status = SF_OK;

    if (piece->point) {
        status = sf_failure_draw(sweep->study, piece->point, piece->run, &dead,
                                 err);
    }
    if (status == SF_OK && piece->point) {
        sf_failure_describe(sweep->study, piece->point, &dead, piece->run,
                            settings);
    } else if (status == SF_OK) {
        sf_failure_describe_cuts(sweep->study, settings);
    }
    if (status == SF_OK) {
        status = find_or_run(sweep, piece, &dead, settings, err);
    }
    sf_failure_dead_clear(&dead);
    return status;
}

static void
run_piece(void *aux, uint32_t place, uint32_t worker)
{
    struct sweep *sweep = aux;
    struct piece *piece = &sweep->pieces[place];
    struct sf_error err = { 0 };

    (void)worker;
    if (place > atomic_load(&sweep->failed) ||
        sweep->is_last != piece->is_put_off) {
        return;
    }
    enum sf_status status = work_on(sweep, piece, &err);
    if (piece->is_put_off && !sweep->is_last) {
        return;
    }
    pthread_mutex_lock(&sweep->lock);
    if (status != SF_OK && place < atomic_load(&sweep->failed)) {
        sweep->error = err;
        atomic_store(&sweep->failed, place);
    }
    sweep->n_done++;
    tell(sweep, piece);
    pthread_mutex_unlock(&sweep->lock);
}

/* The first point where the same parts fail as at 'point': its own, or one
 * whose share comes to as many. */
static struct sf_failure_point *
find_twin(const struct sf_failure_study *study, struct sf_failure_point *point)
{
    struct sf_failure_point *twin = study->failures->points;

    while (twin != point &&
           (twin->kind != point->kind ||
            sf_failure_count(study, twin->kind, twin->share) !=
                sf_failure_count(study, point->kind, point->share))) {
        twin++;
    }
    return twin;
}

/* Lists all that is to do: the cuts, which may take longest, then runs. */
static bool
list_pieces(struct sweep *sweep)
{
    struct sf_failures *failures = sweep->study->failures;
    size_t most = 1;

    for (uint32_t i = 0; i < failures->n_points; i++) {
        most += failures->points[i].n_runs;
    }
    sweep->pieces = sf_calloc(most, sizeof *sweep->pieces);
    if (!sweep->pieces) {
        return false;
    }
    sweep->n_pieces = failures->has_cuts;
    for (uint32_t i = 0; i < failures->n_points; i++) {
        struct sf_failure_point *point = &failures->points[i];
        uint32_t n =
            find_twin(sweep->study, point) == point ? point->n_runs : 0;
        for (uint32_t k = 0; k < n; k++) {
            sweep->pieces[sweep->n_pieces++] =
                (struct piece){ .point = point, .run = k };
        }
    }
    return true;
}

/* Copies the runs of points where the same parts fail. */
static void
copy_twins(const struct sf_failure_study *study)
{
    struct sf_failures *failures = study->failures;
    size_t n_traffics = failures->params.n_traffics;

    for (uint32_t i = 0; i < failures->n_points; i++) {
        struct sf_failure_point *point = &failures->points[i];
        const struct sf_failure_point *twin = find_twin(study, point);
        for (uint32_t k = 0; twin != point && k < point->n_runs; k++) {
            struct sf_failure_run *to = &point->runs[k];
            struct sf_failure_run from = twin->runs[k];
            memcpy(to->throughputs, from.throughputs,
                   failures->n_splits * n_traffics * sizeof(double));
            memcpy(to->left_out, from.left_out, n_traffics * sizeof(double));
            from.throughputs = to->throughputs;
            from.left_out = to->left_out;
            *to = from;
        }
    }
}

enum sf_status
sf_failure_sweep(const struct sf_failure_study *study, struct sf_error *err)
{
    struct sweep sweep = {
        .study = study,
        .store = study->params->store,
        .failed = SF_NONE,
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    enum sf_status status = SF_OK;

    if (list_pieces(&sweep)) {
        sweep.listener = sf_progress_listen(NULL);
        for (int i = 0; i < 2; i++) {
            sweep.is_last = i == 1;
            sf_parallel_for(sf_parallel_limit(study->params->n_threads),
                            sweep.n_pieces, run_piece, &sweep);
        }
        sf_progress_listen(sweep.listener);
        copy_twins(study);
    } else {
        status = sf_fail(err, SF_ENOMEM, "out of memory for a study");
    }
    free(sweep.pieces);
    pthread_mutex_destroy(&sweep.lock);
    if (atomic_load(&sweep.failed) != SF_NONE) {
        if (err) {
            *err = sweep.error;
        }
        status = sweep.error.status;
    }
    return status;
}
