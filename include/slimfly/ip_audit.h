/* ip_audit.h -- an independent look at the files of an IP network: what the
 * switches and hosts would do that load them, or at the routes that switches
 * really hold.  It trusts the cables of the
 * fabric and nothing else, and shares nothing with what makes routes. */
#ifndef SLIMFLY_IP_AUDIT_H
#define SLIMFLY_IP_AUDIT_H

#include "slimfly/fabric.h"

#include <stdio.h>

#pragma GCC visibility push(default)

#define SF_IP_MAX_FINDINGS 20 /* That are kept; the others are counted. */

enum sf_ip_verdict {
    SF_IP_NOT_ASKED, /* There are no lanes, or no alternates. */
    SF_IP_SAFE,
    SF_IP_DEADLOCK,
};

struct sf_ip_audit {
    bool are_held; /* Routes are those that switches hold, not of files. */
    uint32_t n_switches, n_hosts, n_layers;
    uint64_t n_addresses; /* Of hosts. */
    uint64_t n_routes;    /* Of switches. */
    uint64_t n_files;     /* That were read. */

    /* From every switch to every address of a host. */
    uint64_t n_paths, n_good;
    uint64_t n_hops; /* Of all good paths together. */
    uint32_t max_hops;

    /* Of these, where the first hop is a link to another switch: if that link
     * is down, the packet arrives, is dropped, or goes astray. */
    uint64_t n_protected, n_unprotected, n_astray;

    /* Lanes while all links are up, and while one is down. */
    enum sf_ip_verdict lanes, lanes_diverted;
    uint32_t n_classes; /* Marks of lanes. */
    char cycle[512];    /* Channels that wait for each other; "". */
    char cycle_diverted[512];

    uint64_t n_findings;
    char *findings[SF_IP_MAX_FINDINGS]; /* Sentences, without an end. */
};

/* Reads the files of 'folder', which 'slimfly ip plan' wrote for 'fabric', and
 * follows everything.  With 'dumps', the routes of switches are those that
 * 'ip -j route' printed on them: 'dumps'/NAME.json for each.  SF_EIO,
 * SF_EPARSE: a file is missing or is not what it should be; 'err' names file,
 * line and what was expected.  What can be read but is wrong is a finding. */
enum sf_status sf_ip_audit(const struct sf_fabric *fabric, const char *folder,
                           const char *dumps, struct sf_ip_audit **auditp,
                           struct sf_error *err);
void sf_ip_audit_free(struct sf_ip_audit *audit);

/* Whether anything is wrong.  A deadlock while a link is down is, if the lanes
 * are safe otherwise, no finding but something to know. */
bool sf_ip_audit_is_clean(const struct sf_ip_audit *audit);

void sf_ip_audit_write_text(const struct sf_ip_audit *audit, FILE *stream);
enum sf_status sf_ip_audit_write_json(const struct sf_ip_audit *audit,
                                      FILE *stream, struct sf_error *err);

#pragma GCC visibility pop
#endif
