/* run_pieces.c -- runs all pieces, on all cores and perhaps in several
 * processes, the longest first; what is finished is kept. */
#include "base/mem.h"
#include "base/parallel.h"
#include "eval/eval.h"
#include "slimfly/progress.h"

#include <stdatomic.h>
#include <stdio.h>

struct sweep {
    struct sf_evaluation *ev;
    const struct sf_evaluation_store *store;
    const struct sf_progress *listener; /* Of the caller; may be NULL. */
    uint32_t *order;                    /* [n_pieces] */
    bool *is_put_off;                   /* [n_pieces] By place in the order. */
    bool is_last;
    pthread_mutex_t lock; /* Of saving, and of all that follows. */
    uint32_t n_done;
    uint64_t done, total; /* Weights. */
    struct sf_error error;
    atomic_uint failed; /* The first in the order; SF_NONE: none. */
};

/* Says how far all are; the lock is held. */
static void
tell(const struct sweep *sweep, const struct sf_eval_piece *piece)
{
    char what[256];

    if (!sweep->listener || !sweep->listener->report) {
        return;
    }
    snprintf(what, sizeof what, "%u of %u done, now %.80s, %s on %u nodes",
             sweep->n_done, sweep->ev->n_pieces,
             sweep->ev->series[piece->series].label,
             sf_eval_kinds[piece->kind].name, piece->n_nodes);
    sweep->listener->report(sweep->listener->aux, what, sweep->done,
                            sweep->total);
}

static bool
look_up(const struct sweep *sweep, struct sf_eval_piece *piece,
        const char *settings)
{
    char *text = sweep->store->load(sweep->store->aux, settings);
    bool is_known = text && sf_eval_piece_read(piece, settings, text);

    free(text);
    return is_known;
}

/* One thread saves at a time. */
static enum sf_status
save(struct sweep *sweep, const char *settings, const char *text,
     struct sf_error *err)
{
    pthread_mutex_lock(&sweep->lock);
    /* Who saves may report what it writes; tell() alone reports here. */
    const struct sf_progress *listener = sf_progress_listen(NULL);
    enum sf_status status =
        sweep->store->save(sweep->store->aux, settings, text, err);
    sf_progress_listen(listener);
    pthread_mutex_unlock(&sweep->lock);
    return status;
}

static enum sf_status
run_and_keep(struct sweep *sweep, struct sf_eval_piece *piece,
             const char *settings, struct sf_error *err)
{
    enum sf_status status = sf_eval_piece_run(sweep->ev, piece, err);

    if (status == SF_OK && sweep->store) {
        char *text = sf_eval_piece_write(piece, settings);
        status = text ? save(sweep, settings, text, err)
                      : sf_fail(err, SF_ENOMEM, "out of memory for results");
        free(text);
    }
    return status;
}

/* Runs a piece, or finds what an earlier sweep or another process has kept.  A
 * piece that another process is at is put off. */
static enum sf_status
work_on(struct sweep *sweep, uint32_t place, struct sf_eval_piece *piece,
        struct sf_error *err)
{
    char settings[SF_EVAL_SETTINGS_SIZE] = "";
    enum sf_status status = SF_OK;

    if (!sweep->store) {
        return run_and_keep(sweep, piece, settings, err);
    }
    const struct sf_claims *claims = sweep->store->claims;
    sf_eval_piece_describe(sweep->ev, piece, settings);
    if (look_up(sweep, piece, settings)) {
        return SF_OK;
    }
    if (claims && !claims->claim(claims->aux, settings, sweep->is_last)) {
        sweep->is_put_off[place] = true;
        return SF_OK;
    }
    /* It may have been finished just before it was ours. */
    if (!claims || !look_up(sweep, piece, settings)) {
        status = run_and_keep(sweep, piece, settings, err);
    }
    if (claims) {
        claims->release(claims->aux, settings);
    }
    return status;
}

static void
run_piece(void *aux, uint32_t place, uint32_t worker)
{
    struct sweep *sweep = aux;
    struct sf_eval_piece *piece = &sweep->ev->pieces[sweep->order[place]];
    struct sf_error err = { 0 };

    (void)worker;
    if (place > atomic_load(&sweep->failed) ||
        sweep->is_last != sweep->is_put_off[place]) {
        return;
    }
    enum sf_status status = work_on(sweep, place, piece, &err);
    if (sweep->is_put_off[place] && !sweep->is_last) {
        return;
    }
    pthread_mutex_lock(&sweep->lock);
    if (status != SF_OK && place < atomic_load(&sweep->failed)) {
        sf_error_add_context(&err, sweep->ev->series[piece->series].label);
        sweep->error = err;
        atomic_store(&sweep->failed, place);
    }
    sweep->n_done++;
    sweep->done += piece->weight;
    tell(sweep, piece);
    pthread_mutex_unlock(&sweep->lock);
}

/* Of a piece, for qsort(), which has no place for more. */
struct place {
    uint64_t weight;
    uint32_t number;
};

static int
compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->weight != y->weight
               ? (x->weight < y->weight ? 1 : -1)
               : (x->number > y->number) - (x->number < y->number);
}

/* Puts the longest first, so that no core waits for one at the end. */
static bool
sort_pieces(struct sweep *sweep)
{
    const struct sf_evaluation *ev = sweep->ev;
    struct place *places = sf_calloc(ev->n_pieces, sizeof *places);

    for (uint32_t i = 0; places && i < ev->n_pieces; i++) {
        places[i] = (struct place){ ev->pieces[i].weight, i };
        sweep->total += ev->pieces[i].weight;
    }
    if (places) {
        qsort(places, ev->n_pieces, sizeof *places, compare_places);
    }
    for (uint32_t i = 0; places && i < ev->n_pieces; i++) {
        sweep->order[i] = places[i].number;
    }
    free(places);
    return places != NULL;
}

enum sf_status
sf_evaluation_run(struct sf_evaluation *ev,
                  const struct sf_evaluation_store *store,
                  struct sf_error *err)
{
    struct sweep sweep = {
        .ev = ev,
        .store = store,
        .order = sf_calloc(ev->n_pieces, sizeof *sweep.order),
        .is_put_off = sf_calloc(ev->n_pieces, sizeof *sweep.is_put_off),
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .failed = SF_NONE,
    };
    enum sf_status status = SF_OK;

    if (!sweep.order || !sweep.is_put_off || !sort_pieces(&sweep)) {
        status = sf_fail(err, SF_ENOMEM, "out of memory for an evaluation");
    } else {
        sweep.listener = sf_progress_listen(NULL);
        for (int i = 0; i < 2; i++) {
            sweep.is_last = i == 1;
            sf_parallel_for(sf_parallel_limit(ev->params.n_threads),
                            ev->n_pieces, run_piece, &sweep);
        }
        sf_progress_listen(sweep.listener);
    }
    free(sweep.order);
    free(sweep.is_put_off);
    pthread_mutex_destroy(&sweep.lock);
    if (atomic_load(&sweep.failed) != SF_NONE) {
        if (err) {
            *err = sweep.error;
        }
        status = sweep.error.status;
    }
    return status;
}
