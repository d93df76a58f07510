/* ip_files.h -- the tables of an IP network as files that switches and hosts
 * load: batches of ip(8), FRR, SONiC, nftables; and of all of them together:
 * an inventory, a file of containerlab, the rules for lanes. */
#ifndef SLIMFLY_IP_FILES_H
#define SLIMFLY_IP_FILES_H

#include "slimfly/ip.h"
#include "slimfly/port_names.h"

#include <stdio.h>

#pragma GCC visibility push(default)

#define SF_IP_SWITCH_PORTS "swp%d"
#define SF_IP_HOST_PORTS   "eth%d"

#define SF_IP_MAX_CLASSES 8 /* Priorities of Ethernet. */

/* What a lane is on Ethernet: the mark that packets carry, and the priority
 * that is paused.  Lane i has number i. */
struct sf_ip_classes {
    uint32_t n;
    uint8_t dscps[SF_IP_MAX_CLASSES], priorities[SF_IP_MAX_CLASSES];
};

/* The classes of lanes 0, 1, ... by default: DSCP and priority 3 and 4, as
 * SONiC has them without loss, then 5, 6, 2, 1, 7, 0.  DSCP 0 is for packets
 * that may be lost, so the last has 56. */
extern const struct sf_ip_classes sf_ip_default_classes;

/* What the files are of; nothing is owned. */
struct sf_ip_plan {
    const struct sf_network *network;
    const struct sf_ip_tables *tables;
    const struct sf_ip_names *names;
    const struct sf_ip_classes *classes;
    struct sf_port_names switch_ports, host_ports;
};

/* Whether names and lanes are such that files can be written.  SF_EINVAL: a
 * name is none that Linux takes.  SF_ELANES: there are more lanes than
 * classes. */
enum sf_status sf_ip_plan_check(const struct sf_ip_plan *plan,
                                struct sf_error *err);

enum sf_ip_subject {
    SF_IP_OF_SWITCHES, /* One for each switch, */
    SF_IP_OF_HOSTS,    /* for each host, */
    SF_IP_OF_ALL,      /* for the whole network. */
};

struct sf_ip_file {
    const char *name;    /* Of the file; of a switch or host, what follows
                          * after the name of that: ".routes.batch". */
    const char *summary; /* For people. */
    enum sf_status (*write)(const struct sf_ip_plan *plan, uint32_t node,
                            FILE *stream, struct sf_error *err);
    enum sf_ip_subject subject;
    bool needs_lanes; /* Only where there are lanes. */
    bool is_not_run;  /* Nobody has loaded it: it was only compared with what
                       * its reader publishes. */
};

/* All files, ended by one without a name. */
extern const struct sf_ip_file sf_ip_files[];

#pragma GCC visibility pop
#endif
