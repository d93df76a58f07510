/* routed_jobs.h -- the jobs that the plugin routes for: a file that somebody
 * else writes, and what was made of it.  Knows nothing of OpenSM.
 *
 * The routes are fitted when jobs or routes without them have changed, from
 * where they are.  A file that is wrong or gone changes nothing: the jobs
 * before stay. */
#ifndef SF_OPENSM_ROUTED_JOBS_H
#define SF_OPENSM_ROUTED_JOBS_H

#include "engine.h"
#include "plugin_options.h"
#include "slimfly/job_routes.h"
#include "watcher.h"

#include <jansson.h>
#include <time.h>

enum sf_jobs_state {
    SF_JOBS_NONE,   /* No file is named. */
    SF_JOBS_FITTED, /* The routes are for the jobs of the file. */
    SF_JOBS_HELD,   /* It is wrong or gone: they are as before. */
    SF_JOBS_FAILED, /* No routes could be made for the jobs. */
};

/* All zeros to begin with. */
struct sf_plugin_jobs {
    enum sf_jobs_state state;
    char path[SF_OPTION_SIZE];
    char problem[SF_ERROR_TEXT_SIZE]; /* Why not fitted, or "". */
    struct sf_file_stamp stamp;       /* Of the file when it was read. */
    char *text;                       /* Of the jobs that are routed for; NULL
                                       * if these are not known. */
    size_t length;
    struct sf_jobs *jobs; /* These; NULL likewise, */
    uint64_t plain;       /* in the network of these routes: a hash. */
    struct sf_strays strays;
    struct sf_job_routes routes; /* What they get. */
    struct sf_job_hops hops;     /* Where the routes differ by them. */
    bool keeps_minimal;          /* Layer 0 is as it is without jobs. */
    bool has_loaded;             /* Hops were read after the start. */
    bool is_new;                 /* Something was changed the last time. */
    double seconds;              /* That it took. */
    time_t fitted_at;
};

void sf_plugin_jobs_clear(struct sf_plugin_jobs *jobs);

/* Where the hops of jobs are kept over a restart, beside 'base'. */
void sf_plugin_jobs_kept_path(const char *base, char path[SF_OPTION_SIZE + 8]);

/* Room for a sentence around an error. */
#define SF_KEPT_SIZE (SF_ERROR_TEXT_SIZE + 64)

/* Reads the file that 'options' name, and makes the current routes of 'engine'
 * fit it.  Nothing that happens here is an error: 'problem' says what the jobs
 * do not get.  'kept' says what a restart would forget, or "". */
void sf_plugin_jobs_update(struct sf_plugin_jobs *jobs,
                           struct sf_engine *engine,
                           const struct sf_plugin_options *options,
                           char kept[SF_KEPT_SIZE]);

/* Forgets what the routes before were, if others led meanwhile. */
void sf_plugin_jobs_forget(struct sf_plugin_jobs *jobs);

/* All of it as JSON; null if no file is named. */
json_t *sf_plugin_jobs_pack(const struct sf_plugin_jobs *jobs);

#endif
