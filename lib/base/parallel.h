/* parallel.h -- the same work on several cores. */
#ifndef SF_BASE_PARALLEL_H
#define SF_BASE_PARALLEL_H

#include <stdint.h>

/* More threads than this are not started. */
#define SF_MAX_THREADS 64

/* Runs tasks 0..n_tasks-1, each once and in any order, on 'n_threads' threads
 * of which the caller's is one; returns when all are done.  'worker' is below
 * 'n_threads' and never the same for two tasks that run at once, so that each
 * may have a workspace of its own.  Threads that the system refuses are done
 * without: this cannot fail. */
void sf_parallel_for(uint32_t n_threads, uint32_t n_tasks,
                     void (*run)(void *aux, uint32_t task, uint32_t worker),
                     void *aux);

/* 'n_threads' within 1..SF_MAX_THREADS. */
uint32_t sf_parallel_limit(uint32_t n_threads);

#endif
