/* settings.h -- files for an administrator: what to tell OpenSM, MPI and
 * collectives libraries and Slurm, so that a fabric's layers are used and its
 * lanes protect; and the hosts in orders to place jobs by. */
#ifndef SLIMFLY_SETTINGS_H
#define SLIMFLY_SETTINGS_H

#include "slimfly/advice.h"
#include "slimfly/plan.h"
#include "slimfly/routing.h"

#include <stdio.h>

#pragma GCC visibility push(default)

/* What the settings are for; nothing is owned.  Paths end up in OpenSM's
 * configuration, so they are absolute and have no blanks, ',', '=' or '#'. */
struct sf_settings {
    const struct sf_fabric *fabric;
    const struct sf_plan *plan; /* Tells the racks of the switches, by their
                                 * names; may be NULL. */
    const struct sf_routing *routing; /* What came of the settings below when
                                       * the fabric was routed; NULL if only
                                       * parts without it are wanted. */
    const struct sf_advice *advice; /* About addresses; NULL: not measured. */
    bool knows_jobs;                /* The advice is about jobs, too. */
    const struct sf_layer_spec *layers; /* NULL: the best that is possible. */
    uint32_t n_layers;                  /* 1 to SF_MAX_LAYERS. */
    uint32_t n_path_sets; /* Sets of paths for the hosts of a switch; goes
                           * before what 'layers' says. */
    uint32_t max_hops;    /* 0: as the scheme likes. */
    const struct sf_lane_spec *lanes; /* Likewise. */
    enum sf_guarantee guarantee;
    uint32_t max_vls;      /* 1 to SF_MAX_VLS. */
    uint32_t max_sls;      /* 0: SF_N_SLS. */
    uint64_t seed;         /* Of the layers and of the random order. */
    bool is_standby;       /* Another machine is to lead while it lives. */
    const char *options;   /* Path of the plugin's options, slimfly.conf, */
    const char *status;    /* of the status that it writes, */
    const char *base;      /* of what it keeps over a restart, */
    const char *jobs;      /* of the jobs that it may route for, or NULL, */
    bool has_jobs;         /* and does; */
    const char *drained;   /* of the list of drained links, or NULL; */
    const char *plan_path; /* paths of the plan, or NULL, */
    const char *guids;     /* of a GUID map, or NULL, */
    const char *tables; /* and of the tables for the file engine, or NULL. */
    const char *only;   /* Parts that are wanted, with commas between;
                         * NULL: all, but "file" only with tables and "jobs"
                         * only with advice about jobs. */
};

struct sf_settings_file {
    const char *name;    /* Of the file. */
    const char *part;    /* To which it belongs; several can share one. */
    const char *summary; /* For people. */
    /* What is in it, but for the mark; see sf_settings_write_file(). */
    enum sf_status (*write)(const struct sf_settings *settings, FILE *stream,
                            struct sf_error *err);
};

/* All files, those of a part together, ended by one without a name. */
extern const struct sf_settings_file sf_settings_files[];

/* Whether 'settings' ask for 'part'. */
bool sf_settings_wants(const struct sf_settings *settings, const char *part);

/* Writes 'file': a first line by which sf_settings_is_own() knows it, except
 * for hostfiles, which are bare lists, and what is in it. */
enum sf_status sf_settings_write_file(const struct sf_settings *settings,
                                      const struct sf_settings_file *file,
                                      FILE *stream, struct sf_error *err);

/* Whether 'stream', which is read, may be replaced by 'file': it was written
 * by sf_settings_write_file(), or nothing is in it.  Hostfiles are known by
 * holding names only. */
bool sf_settings_is_own(const struct sf_settings_file *file, FILE *stream);

/* Whether a part is wanted that depends on the routing. */
bool sf_settings_want_routing(const struct sf_settings *settings);

/* Whether such settings can be had: SF_EINVAL for a part or a path that
 * cannot be, or, for the parts "slurm" and "hosts", for a node description
 * that does not tell its host; SF_ELIMIT for more layers than there are
 * addresses for.  After that, writing fails for lack of memory only. */
enum sf_status sf_settings_check(const struct sf_settings *settings,
                                 struct sf_error *err);

/* Writes into 'text' what is dangerous about 'part' with these lanes, and
 * returns true; false if nothing is. */
#define SF_SETTINGS_WARNING_SIZE 512
bool sf_settings_warning(const struct sf_settings *settings, const char *part,
                         char text[SF_SETTINGS_WARNING_SIZE]);

/* For people: what the settings are for and the warnings; then, for _text(),
 * all files that are wanted, long ones shortened. */
void sf_settings_write_summary(const struct sf_settings *settings,
                               FILE *stream);
enum sf_status sf_settings_write_text(const struct sf_settings *settings,
                                      FILE *stream, struct sf_error *err);

/* For programs: schema "slimfly.settings". */
enum sf_status sf_settings_write_json(const struct sf_settings *settings,
                                      FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
