/* settings_writers.h -- the writers behind the table of an administrator's
 * files. */
#ifndef SF_SETTINGS_SETTINGS_WRITERS_H
#define SF_SETTINGS_SETTINGS_WRITERS_H

#include "slimfly/settings.h"

#include <jansson.h>

/* The file of jobs, if none is named. */
#define SF_SETTINGS_JOBS    "/var/lib/slimfly/jobs"
#define SF_SETTINGS_DRAINED "/var/lib/slimfly/drained"

#define SF_SETTINGS_WRITER(name)                                          \
    enum sf_status name(const struct sf_settings *settings, FILE *stream, \
                        struct sf_error *err)

SF_SETTINGS_WRITER(sf_settings_write_opensm);
SF_SETTINGS_WRITER(sf_settings_write_plugin);
SF_SETTINGS_WRITER(sf_settings_write_file_engine);
SF_SETTINGS_WRITER(sf_settings_write_ucx);
SF_SETTINGS_WRITER(sf_settings_write_openmpi);
SF_SETTINGS_WRITER(sf_settings_write_openib);
SF_SETTINGS_WRITER(sf_settings_write_mvapich2);
SF_SETTINGS_WRITER(sf_settings_write_nccl);
SF_SETTINGS_WRITER(sf_settings_write_all_to_all);
SF_SETTINGS_WRITER(sf_settings_write_small);
SF_SETTINGS_WRITER(sf_settings_write_pairs);
SF_SETTINGS_WRITER(sf_settings_write_switches);
SF_SETTINGS_WRITER(sf_settings_write_jobs);
SF_SETTINGS_WRITER(sf_settings_write_topology_conf);
SF_SETTINGS_WRITER(sf_settings_write_topology_yaml);
SF_SETTINGS_WRITER(sf_settings_write_slurm_jobs);
SF_SETTINGS_WRITER(sf_settings_write_linear);
SF_SETTINGS_WRITER(sf_settings_write_random);
SF_SETTINGS_WRITER(sf_settings_write_spread);

/* The advice about addresses, for people and for programs: an array, or NULL
 * without memory. */
void sf_settings_write_advice(const struct sf_settings *settings,
                              FILE *stream);
json_t *sf_settings_advice_to_json(const struct sf_settings *settings);

/* How an environment gets into effect. */
void sf_settings_write_head(const char *text, const char *file, FILE *stream);

/* Whether the lanes protect only if each path has its service level. */
bool sf_settings_need_path_sls(const struct sf_settings *settings);

/* Writes 'text' as lines of comments. */
void sf_settings_comment(const char *text, FILE *stream);

/* The warning of 'part' as a comment, if there is one. */
void sf_settings_comment_warning(const struct sf_settings *settings,
                                 const char *part, FILE *stream);

#endif
