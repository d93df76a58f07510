/* fuzz_jobs.c -- any bytes as a file of jobs: no crash, an error says
 * something, each host is in one job at most, and nobody sends more than
 * everything. */
#include "fuzz.h"
#include "slimfly/jobs.h"

#include <math.h>

#define N_MAX 64

static double sent[N_MAX], received[N_MAX];

static void
add(void *aux, uint32_t from, uint32_t to, double amount)
{
    (void)aux;
    if (from >= N_MAX || to >= N_MAX || from == to || !(amount > 0)) {
        abort();
    }
    sent[from] += amount;
    received[to] += amount;
}

static void
check(const struct sf_jobs *jobs, uint32_t n_hosts)
{
    bool is_taken[N_MAX] = { false };

    memset(sent, 0, sizeof sent);
    memset(received, 0, sizeof received);
    for (uint32_t j = 0; j < jobs->n_jobs; j++) {
        const struct sf_job *job = &jobs->jobs[j];
        for (uint32_t i = 0; i < job->n_hosts; i++) {
            if (job->hosts[i] >= n_hosts || is_taken[job->hosts[i]]) {
                abort();
            }
            is_taken[job->hosts[i]] = true;
        }
        sf_job_each_flow(job, add, NULL);
    }
    for (uint32_t h = 0; h < N_MAX; h++) {
        if (fmax(sent[h], received[h]) > 1 + 1e-9) {
            abort();
        }
    }
}

/* The same with jobs left out: what is read without leaving out any is as
 * before. */
static void
check_some(const uint8_t *data, size_t size, const struct sf_network *network,
           bool is_fine)
{
    struct sf_strays strays = { 0 };
    struct sf_jobs *jobs;
    char *text = fuzz_text(data, size);
    enum sf_status status =
        sf_jobs_parse_some(text, size, "fuzz", network, &strays, &jobs, NULL);

    if (is_fine ? status != SF_OK || strays.n : status == SF_OK && !strays.n) {
        abort();
    }
    if (jobs) {
        check(jobs, sf_network_count_hosts(network));
    }
    sf_jobs_free(jobs);
    free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct sf_network *network;
    struct sf_error err = { 0 };
    struct sf_jobs *jobs;
    char *text = fuzz_text(data, size);

    if (!network && sf_network_build(fuzz_fabric(), &network, NULL) != SF_OK) {
        abort();
    }
    /* Files that others named would be read. */
    if (!strstr(text, "file=") && !memchr(data, '\0', size)) {
        enum sf_status status =
            sf_jobs_parse(text, size, "fuzz", network, &jobs, &err);
        if ((status == SF_OK) != (jobs != NULL) ||
            (status != SF_OK && !err.text[0])) {
            abort();
        }
        if (jobs) {
            check(jobs, sf_network_count_hosts(network));
        }
        sf_jobs_free(jobs);
        check_some(data, size, network, status == SF_OK);
    }
    free(text);
    return 0;
}
