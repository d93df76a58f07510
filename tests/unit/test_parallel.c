/* test_parallel.c -- tasks on several threads. */
#include "base/parallel.h"
#include "helpers.h"
#include "test.h"

#include <stdatomic.h>

enum {
    MOST_TASKS = 1000
};

struct work {
    uint32_t n_workers;
    uint32_t n_runs[MOST_TASKS];          /* Of each task. */
    uint32_t n_by_worker[SF_MAX_THREADS]; /* Tasks, without any lock. */
    atomic_bool is_at_work[SF_MAX_THREADS];
    atomic_bool is_wrong;
};

static void
run(void *aux, uint32_t task, uint32_t worker)
{
    struct work *work = aux;

    if (worker >= work->n_workers ||
        atomic_exchange(&work->is_at_work[worker], true)) {
        work->is_wrong = true;
        return;
    }
    work->n_runs[task]++;
    work->n_by_worker[worker]++;
    work->is_at_work[worker] = false;
}

/* Plain counters, so that a thread sanitizer sees two tasks that share a
 * worker's place, or a task that runs twice. */
TEST(parallel_runs_each_task_once)
{
    static const uint32_t n_tasks[] = { 0, 1, 2, 3, 63, 64, 65, MOST_TASKS };

    for (uint32_t n_threads = 0; n_threads < 70; n_threads += 3) {
        for (size_t i = 0; i < ARRAY_SIZE(n_tasks); i++) {
            struct work work = { .n_workers = sf_parallel_limit(n_threads) };
            uint32_t n_run = 0;
            sf_parallel_for(n_threads, n_tasks[i], run, &work);
            CHECK(!work.is_wrong);
            for (uint32_t task = 0; task < MOST_TASKS; task++) {
                CHECK_EQ(work.n_runs[task], task < n_tasks[i]);
            }
            for (uint32_t worker = 0; worker < SF_MAX_THREADS; worker++) {
                n_run += work.n_by_worker[worker];
            }
            CHECK_EQ(n_run, n_tasks[i]);
        }
    }
}

TEST(parallel_limits_threads)
{
    CHECK_EQ(sf_parallel_limit(0), 1);
    CHECK_EQ(sf_parallel_limit(1), 1);
    CHECK_EQ(sf_parallel_limit(SF_MAX_THREADS), SF_MAX_THREADS);
    CHECK_EQ(sf_parallel_limit(UINT32_MAX), SF_MAX_THREADS);
}
