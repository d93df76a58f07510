/* lldp_reports.h -- what lldpcli prints, read as it is: who says which
 * neighbour is on which of its ports.  What it means is for lldp.c. */
#ifndef SF_IP_LLDP_REPORTS_H
#define SF_IP_LLDP_REPORTS_H

#include "base/mem.h"
#include "slimfly/error.h"

#include <stdint.h>

/* Room for any name or id that is kept, with its NUL. */
#define LLDP_NAME_SIZE 256

/* A switch, a host or anything else that speaks LLDP. */
struct lldp_system {
    char *name;    /* What it calls itself; NULL if it does not say. */
    char *id;      /* Its chassis id with the type: "mac 06:c9:38:11:cc:d1";
                    * NULL if that is not told. */
    uint64_t mac;  /* The same as a number, if it is a MAC address; else 0. */
    bool forwards; /* It is a bridge or a router. */
};

/* A neighbour on a port of who reports. */
struct lldp_neighbour {
    char *local; /* The port here. */
    struct lldp_system system;
    char *port;  /* The port there, its id; NULL if that is a MAC address. */
    char *descr; /* What is said of the port there; may be NULL. */
};

struct lldp_report {
    char *place;             /* Where it is from, for messages. */
    char *given;             /* The name that the file or a key gives to the
                              * reporter; may be NULL. */
    struct lldp_system self; /* What it tells of itself: nothing, or all. */
    SF_VEC(struct lldp_neighbour) neighbours;
    uint32_t ttl;    /* Seconds that what it says may be believed. */
    uint64_t second; /* When it was written; 0 if that is not known. */
};

struct lldp_reports {
    SF_VEC(struct lldp_report) list;
};

/* Adds the reports in 'text': documents of JSON one after the other, each what
 * 'show neighbors' or 'show chassis' prints as json0 or json, an array of
 * such, or an object {"NAME": any of these, ...}.  'given', if nonnull, is the
 * name of the only reporter. */
enum sf_status sf_lldp_reports_parse(struct lldp_reports *reports,
                                     const char *text, size_t length,
                                     const char *path, const char *given,
                                     struct sf_error *err);

/* Adds those of a file, or of all files *.json in a folder, each named as its
 * reporter.  A file without anything in it is no report. */
enum sf_status sf_lldp_reports_read(struct lldp_reports *reports,
                                    const char *path, struct sf_error *err);

void sf_lldp_reports_clear(struct lldp_reports *reports);

#endif
