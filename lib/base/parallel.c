#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct team {
    void (*run)(void *aux, uint32_t task, uint32_t worker);
    void *aux;
    uint32_t n_tasks;
    atomic_uint next_task;
};

struct member {
    struct team *team;
    uint32_t worker;
    pthread_t thread;
};

static void *
work(void *aux)
{
    struct member *member = aux;
    struct team *team = member->team;

    for (;;) {
        uint32_t task = atomic_fetch_add(&team->next_task, 1);
        if (task >= team->n_tasks) {
            return NULL;
        }
        team->run(team->aux, task, member->worker);
    }
}

uint32_t
sf_parallel_limit(uint32_t n_threads)
{
    if (n_threads == 0) {
        return 1;
    }
    return n_threads < SF_MAX_THREADS ? n_threads : SF_MAX_THREADS;
}

void
sf_parallel_for(uint32_t n_threads, uint32_t n_tasks,
                void (*run)(void *aux, uint32_t task, uint32_t worker),
                void *aux)
{
    struct member members[SF_MAX_THREADS];
    struct team team = { .run = run, .aux = aux, .n_tasks = n_tasks };
    uint32_t n_members = 1;

    n_threads = sf_parallel_limit(n_threads);
    n_threads = n_threads < n_tasks ? n_threads : n_tasks;
    members[0] = (struct member){ .team = &team };
    while (n_members < n_threads) {
        struct member *member = &members[n_members];
        *member = (struct member){ .team = &team, .worker = n_members };
        if (pthread_create(&member->thread, NULL, work, member) != 0) {
            break;
        }
        n_members++;
    }
    work(&members[0]);
    for (uint32_t i = 1; i < n_members; i++) {
        pthread_join(members[i].thread, NULL);
    }
}
