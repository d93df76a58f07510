/* bundle_places.h -- where on this machine the files stand that a bug report
 * needs. */
#ifndef SF_CLI_BUNDLE_PLACES_H
#define SF_CLI_BUNDLE_PLACES_H

#include "cli.h"

/* Paths; NULL where nothing names one.  The caller clears them. */
struct cli_bundle_places {
    char *conf;    /* opensm.conf. */
    char *options; /* slimfly.conf, which opensm.conf names. */
    char *log;     /* What OpenSM writes. */
    char *status;  /* What the plugin writes. */
    char *plan;    /* The plan and the map of GUIDs that slimfly.conf */
    char *guids;   /* names. */
    char *drained; /* The lists of what is drained and of jobs, likewise. */
    char *jobs;
    char *events; /* What the monitor writes. */
};

/* Where things are if nobody says so. */
#define CLI_OPENSM_CONF "/etc/opensm/opensm.conf"
#define CLI_LOG_FOLDER  "/var/log"
#define CLI_EVENTS_FILE "/var/log/slimfly/events.jsonl"
#define CLI_DRAIN_LIST  "/var/lib/slimfly/drained"

/* Fills 'places', which may name some of them already, from the rest and from
 * the files that they name; false, having said so, if memory ran out. */
bool cli_bundle_places_find(struct cli_bundle_places *places);
void cli_bundle_places_clear(struct cli_bundle_places *places);

/* Writes the lines of opensm.conf that concern routing and the plugin.  False
 * if there is no such file. */
bool cli_bundle_write_conf(const char *path, FILE *stream);

#endif
