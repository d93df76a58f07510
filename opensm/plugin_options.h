/* plugin_options.h -- what an administrator asks of the plugin: OpenSM's
 * event_plugin_options, either 'key=value' words or the path of a file with a
 * line 'key = value' for each. */
#ifndef SF_OPENSM_PLUGIN_OPTIONS_H
#define SF_OPENSM_PLUGIN_OPTIONS_H

#include "slimfly/routing.h"

#define SF_OPTION_SIZE 1024 /* Of a path, with the NUL. */

struct sf_plugin_options {
    struct sf_layer_spec scheme; /* How to choose paths; */
    struct sf_lane_spec lanes;   /* how to keep deadlock away.  No scheme: the
                                  * best that is possible. */
    enum sf_guarantee guarantee;
    uint32_t n_layers;    /* 0: as many as addresses. */
    uint32_t n_path_sets; /* 0: as 'scheme' says. */
    uint32_t max_vls;     /* 0: as many as the fabric has. */
    uint32_t max_sls;     /* 0: SF_N_SLS. */
    uint32_t max_hops;    /* 0: the scheme's default. */
    uint64_t seed;
    char plan[SF_OPTION_SIZE];    /* For names; "" if none. */
    char guids[SF_OPTION_SIZE];   /* GUID map, for names; "" if none. */
    char base[SF_OPTION_SIZE];    /* Where to keep the fabric of base over a
                                   * restart; "" if nowhere. */
    char status[SF_OPTION_SIZE];  /* Where to write it; "" if nowhere. */
    char jobs[SF_OPTION_SIZE];    /* The jobs to route for; "" if none. */
    bool jobs_keep_minimal;       /* Jobs leave layer 0 as it is. */
    char drained[SF_OPTION_SIZE]; /* The list of drained links; "" if none. */
};

/* Reads 'text', what event_plugin_options says; NULL and "" stand for all
 * defaults.  SF_EPARSE, SF_EIO: 'err' says where and what was expected;
 * 'options' then still has what could be read, such as 'status'. */
enum sf_status sf_plugin_options_load(const char *text,
                                      struct sf_plugin_options *options,
                                      struct sf_error *err);

/* Reads what a file at 'path' holds: 'length' bytes of 'text', which are
 * changed and after which there is room for one more. */
enum sf_status sf_plugin_options_parse(char *text, size_t length,
                                       const char *path,
                                       struct sf_plugin_options *options,
                                       struct sf_error *err);

/* Whether 'options' can be had with OpenSM's own settings: 'lmc', and 'qos'
 * without which switches get no SL-to-VL tables. */
enum sf_status sf_plugin_options_check(const struct sf_plugin_options *options,
                                       uint32_t lmc, bool qos,
                                       struct sf_error *err);

#endif
