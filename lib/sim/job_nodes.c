/* job_nodes.c -- the jobs of a workload as routes see them: by their hosts
 * alone. */
#include "base/mem.h"
#include "sim/workload.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 16

/* Takes the hosts of job number 'i' over. */
static bool
take_hosts(struct sf_workload *workload, uint32_t i, struct sf_job *job)
{
    struct sf_sim_job *from = &workload->jobs[i];
    char name[NAME_SIZE];

    snprintf(name, sizeof name, "%u", i + 1);
    *job = (struct sf_job){
        .name = sf_strdup(name),
        .pattern = sf_strdup("unknown"),
        .kind = SF_PATTERN_UNKNOWN,
        .n_hosts = from->n_hosts,
        .hosts = from->hosts,
        .unit = from->n_hosts - 1,
    };
    from->hosts = NULL;
    return job->name && job->pattern;
}

enum sf_status
sf_sim_jobs_nodes(const struct sf_network *network,
                  const struct sf_sim_jobs *asked, uint64_t seed,
                  struct sf_jobs **jobsp, struct sf_error *err)
{
    struct sf_workload *workload;
    enum sf_status status =
        sf_workload_build(network, asked, seed, &workload, err);

    *jobsp = NULL;
    if (status != SF_OK) {
        return status;
    }
    struct sf_jobs *jobs = sf_calloc(1, sizeof *jobs);
    bool made = jobs != NULL;
    if (made) {
        jobs->jobs = sf_calloc(workload->n_jobs, sizeof *jobs->jobs);
        made = jobs->jobs != NULL;
    }
    for (uint32_t i = 0; made && i < workload->n_jobs; i++) {
        made = take_hosts(workload, i, &jobs->jobs[jobs->n_jobs++]);
    }
    sf_workload_free(workload);
    if (!made) {
        sf_jobs_free(jobs);
        return sf_fail(err, SF_ENOMEM, "out of memory for jobs");
    }
    *jobsp = jobs;
    return SF_OK;
}
