/* sweep.c -- many runs, on all cores, of which the finished ones are kept. */
#include "base/hash.h"
#include "base/parallel.h"
#include "base/results_number.h"
#include "sim/workload.h"
#include "slimfly/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SETTINGS_SIZE 2048
#define STEPS         UINT64_C(1000) /* Of a run, to be reported. */

struct sweep {
    struct sf_simulation_task *tasks;
    uint32_t n_tasks;
    const struct sf_simulation_store *store;
    const struct sf_progress *listener; /* Of the caller; may be NULL. */
    bool *is_put_off;     /* [n_tasks] Another process was at it. */
    bool is_last;         /* What was put off is to be done. */
    pthread_mutex_t lock; /* Of all that follows. */
    uint32_t n_done;
    uint64_t n_partly;     /* Thousandths of runs that are under way. */
    struct sf_error error; /* That of the task 'failed'. */
    atomic_uint failed;    /* The first task by number that failed; SF_NONE:
                            * none. */
};

/* A run that says how far it is. */
struct part {
    struct sweep *sweep;
    const struct sf_simulation_task *task;
    uint64_t done; /* Thousandths. */
};

static double
seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t
hash_message(uint64_t hash, const struct sf_message *message)
{
    hash = sf_hash_bytes(hash, &message->from, sizeof message->from);
    hash = sf_hash_bytes(hash, &message->to, sizeof message->to);
    hash = sf_hash_bytes(hash, &message->bytes, sizeof message->bytes);
    hash = sf_hash_bytes(hash, &message->cpu, sizeof message->cpu);
    return sf_hash_bytes(hash, &message->delay, sizeof message->delay);
}

/* Hashes which jobs there are and where they run. */
static uint64_t
hash_jobs(const struct sf_workload *workload)
{
    uint64_t hash = SF_HASH_START;

    for (uint32_t i = 0; i < workload->n_jobs; i++) {
        const struct sf_sim_job *job = &workload->jobs[i];
        hash = sf_hash_bytes(hash, job->workload, strlen(job->workload) + 1);
        hash = sf_hash_bytes(hash, &job->size, sizeof job->size);
        hash =
            sf_hash_bytes(hash, job->hosts, job->n_hosts * sizeof *job->hosts);
    }
    return hash;
}

/* Hashes what is sent, since files may change below their names. */
static enum sf_status
hash_sent(const struct sf_workload *workload, uint64_t *hashp,
          struct sf_error *err)
{
    struct sf_program program = { 0 };
    struct sf_flow *flows = NULL;
    uint32_t *job_of = NULL;
    size_t n_flows = 0;
    uint64_t hash = hash_jobs(workload);
    enum sf_status status =
        workload->asked->load > 0
            ? sf_workload_flows(workload, &flows, &n_flows, err)
            : sf_workload_program(workload, 0, &program, &job_of, err);

    for (size_t i = 0; status == SF_OK && i < n_flows; i++) {
        hash = sf_hash_bytes(hash, &flows[i].from, sizeof flows[i].from);
        hash = sf_hash_bytes(hash, &flows[i].to, sizeof flows[i].to);
        hash = sf_hash_bytes(hash, &flows[i].amount, sizeof flows[i].amount);
    }
    for (size_t i = 0; status == SF_OK && i < program.messages.n; i++) {
        hash = hash_message(hash, &program.messages.items[i]);
    }
    for (size_t i = 0; status == SF_OK && i < program.waits.n; i++) {
        hash = sf_hash_bytes(hash, &program.waits.items[i],
                             sizeof program.waits.items[i]);
    }
    *hashp = hash;
    free(flows);
    free(job_of);
    sf_program_clear(&program);
    return status;
}

/* Hashes the lengths of cables, where they matter. */
static uint64_t
hash_lengths(const struct sf_simulation_task *task)
{
    const struct sf_simulation_params *params = &task->params;
    const struct sf_fabric *fabric = task->source->network->fabric;
    uint64_t hash =
        sf_hash_bytes(SF_HASH_START, &params->length, sizeof params->length);

    return params->lengths && fabric
               ? sf_hash_bytes(hash, params->lengths,
                               fabric->n_ports * sizeof *params->lengths)
               : hash;
}

/* Writes all that a result depends on.  Texts are cut: what they say is in the
 * hash of what is sent, too. */
static void
write_settings(const struct sf_simulation_task *task, uint32_t n_rounds,
               uint64_t sent, char text[SETTINGS_SIZE])
{
    const struct sf_simulation_params *params = &task->params;
    const struct sf_sim_jobs *jobs = &params->jobs;
    const struct sf_sim_net *net = &params->net;

    snprintf(text, SETTINGS_SIZE,
             "%s simulation paths=%016" PRIx64 " sl=%d sent=%016" PRIx64
             " rounds=%u model=%d timing=%d queues=%d select=%d rate=%.17g "
             "mtu=%u header=%u buffer=%u switch=%.17g host=%.17g "
             "cable=%.17g lengths=%016" PRIx64 " window=%u eager=%" PRIu64
             " overhead=%.17g load=%.17g size=%.17g seed=%" PRIu64
             " nodes=%.200s placement=%.200s workload=%.400s",
             SF_RESULTS_OF, task->source->identity, task->source->one_sl, sent,
             n_rounds, (int)params->model, (int)params->timing,
             (int)params->queues, (int)params->select, net->rate, net->mtu,
             net->header, net->buffer, net->switch_delay, net->host_delay,
             net->cable_delay, hash_lengths(task), params->window,
             params->eager, params->overhead, jobs->load, jobs->size,
             params->seed, jobs->nodes ? jobs->nodes : "all",
             jobs->placement ? jobs->placement : "default", jobs->workload);
}

static enum sf_status
describe(const struct sf_simulation_task *task, char text[SETTINGS_SIZE],
         struct sf_error *err)
{
    const struct sf_simulation_params *params = &task->params;
    struct sf_workload *workload;
    uint64_t sent;
    enum sf_status status = sf_workload_build(
        task->source->network, &params->jobs, params->seed, &workload, err);

    if (status == SF_OK) {
        status = hash_sent(workload, &sent, err);
    }
    if (status == SF_OK) {
        write_settings(task, workload->n_rounds, sent, text);
    }
    sf_workload_free(workload);
    return status;
}

/* Says how far all are, and what is being done; the lock is held. */
static void
tell(const struct sweep *sweep, const char *label)
{
    char what[512];

    if (!sweep->listener || !sweep->listener->report) {
        return;
    }
    snprintf(what, sizeof what, "%u of %u runs done, now %.400s",
             sweep->n_done, sweep->n_tasks, label);
    sweep->listener->report(sweep->listener->aux, what,
                            STEPS * sweep->n_done + sweep->n_partly,
                            STEPS * sweep->n_tasks);
}

/* Hears how far a run is. */
static void
advance(void *aux, const char *what, uint64_t done, uint64_t total)
{
    struct part *part = aux;
    struct sweep *sweep = part->sweep;
    uint64_t now = total ? (STEPS - 1) * done / total : 0;

    (void)what;
    if (now > part->done) {
        pthread_mutex_lock(&sweep->lock);
        sweep->n_partly += now - part->done;
        part->done = now;
        tell(sweep, part->task->label);
        pthread_mutex_unlock(&sweep->lock);
    }
}

static bool
look_up(struct sweep *sweep, const char *settings,
        struct sf_simulation *result)
{
    pthread_mutex_lock(&sweep->lock);
    bool is_known = sweep->store->load(sweep->store->aux, settings, result);
    pthread_mutex_unlock(&sweep->lock);
    return is_known;
}

static enum sf_status
keep(struct sweep *sweep, const char *settings,
     const struct sf_simulation *result, struct sf_error *err)
{
    pthread_mutex_lock(&sweep->lock);
    enum sf_status status =
        sweep->store->save(sweep->store->aux, settings, result, err);
    pthread_mutex_unlock(&sweep->lock);
    return status;
}

/* Runs one task and keeps the result of 'settings'. */
static enum sf_status
run_and_keep(struct sweep *sweep, struct sf_simulation_task *task,
             struct part *part, const char *settings, struct sf_error *err)
{
    struct sf_progress progress = { advance, part };
    enum sf_status status;

    double begin = seconds();
    const struct sf_progress *before = sf_progress_listen(&progress);
    status =
        sf_simulation_run(task->source, &task->params, &task->result, err);
    sf_progress_listen(before);
    task->wall = seconds() - begin;
    if (status == SF_OK && sweep->store) {
        status = keep(sweep, settings, &task->result, err);
    }
    return status;
}

/* Runs one task, or finds what an earlier sweep or another process has kept.
 * A task that another process is at is put off. */
static enum sf_status
work_on(struct sweep *sweep, uint32_t number, struct part *part,
        struct sf_error *err)
{
    struct sf_simulation_task *task = &sweep->tasks[number];
    char settings[SETTINGS_SIZE] = "";

    if (!sweep->store) {
        return run_and_keep(sweep, task, part, settings, err);
    }
    const struct sf_claims *claims = sweep->store->claims;
    enum sf_status status = describe(task, settings, err);
    if (status != SF_OK || look_up(sweep, settings, &task->result)) {
        return status;
    }
    if (!claims) {
        return run_and_keep(sweep, task, part, settings, err);
    }
    if (!claims->claim(claims->aux, settings, sweep->is_last)) {
        sweep->is_put_off[number] = true;
        return SF_OK;
    }
    /* It may have been finished just before it was ours. */
    if (!look_up(sweep, settings, &task->result)) {
        status = run_and_keep(sweep, task, part, settings, err);
    }
    claims->release(claims->aux, settings);
    return status;
}

static void
run_task(void *aux, uint32_t number, uint32_t worker)
{
    struct sweep *sweep = aux;
    struct sf_simulation_task *task = &sweep->tasks[number];
    struct part part = { .sweep = sweep, .task = task };
    struct sf_error err = { 0 };

    (void)worker;
    /* Those before a failure go on: the first is the same for any number of
     * threads. */
    if (number > atomic_load(&sweep->failed) ||
        sweep->is_last != sweep->is_put_off[number]) {
        return;
    }
    enum sf_status status = work_on(sweep, number, &part, &err);
    if (sweep->is_put_off[number] && !sweep->is_last) {
        return;
    }
    pthread_mutex_lock(&sweep->lock);
    if (status != SF_OK && number < atomic_load(&sweep->failed)) {
        sf_error_add_context(&err, task->label);
        sweep->error = err;
        atomic_store(&sweep->failed, number);
    }
    sweep->n_partly -= part.done;
    sweep->n_done++;
    tell(sweep, task->label);
    pthread_mutex_unlock(&sweep->lock);
}

enum sf_status
sf_simulation_sweep(struct sf_simulation_task *tasks, uint32_t n_tasks,
                    uint32_t n_threads,
                    const struct sf_simulation_store *store,
                    struct sf_error *err)
{
    struct sweep sweep = {
        .tasks = tasks,
        .n_tasks = n_tasks,
        .store = store,
        .listener = sf_progress_listen(NULL),
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .failed = SF_NONE,
    };

    for (uint32_t i = 0; i < n_tasks; i++) {
        tasks[i].result = (struct sf_simulation){ 0 };
        tasks[i].wall = 0;
    }
    sweep.is_put_off = sf_calloc(n_tasks, sizeof *sweep.is_put_off);
    if (!sweep.is_put_off) {
        sf_progress_listen(sweep.listener);
        return sf_fail(err, SF_ENOMEM, "out of memory for simulations");
    }
    for (int i = 0; i < 2; i++) {
        sweep.is_last = i == 1;
        sf_parallel_for(sf_parallel_limit(n_threads), n_tasks, run_task,
                        &sweep);
    }
    free(sweep.is_put_off);
    sf_progress_listen(sweep.listener);
    pthread_mutex_destroy(&sweep.lock);
    if (atomic_load(&sweep.failed) != SF_NONE) {
        for (uint32_t i = 0; i < n_tasks; i++) {
            sf_simulation_clear(&tasks[i].result);
        }
        if (err) {
            *err = sweep.error;
        }
        return sweep.error.status;
    }
    return SF_OK;
}
