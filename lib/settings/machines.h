/* machines.h -- the machines of a fabric by their host names, and where they
 * are plugged in. */
#ifndef SF_SETTINGS_MACHINES_H
#define SF_SETTINGS_MACHINES_H

#include "slimfly/plan.h"

struct sf_host {
    char *name;    /* Its host name. */
    uint32_t node; /* Its first adapter: node of the fabric, */
    uint32_t at;   /* plugged into this switch, */
    uint32_t port; /* at this port, */
    uint32_t rack; /* which stands in this rack of the plan; SF_NONE if
                    * it is not in the plan, 0 without one; */
    uint32_t part; /* likewise the part of the plan, several racks perhaps. */
};

/* In linear order: by rack, switch and port, so that neighbours in the list
 * are neighbours in the machine hall. */
struct sf_hosts {
    uint32_t n;
    struct sf_host *items;
    uint32_t *racks; /* [n_switches] Of every switch. */
};

/* Whether 'c' may stand in a host name. */
bool sf_is_host_character(int c);

/* Lists the hosts of 'fabric' that are plugged into switches.  A host name is
 * the first word of the node description, as the drivers set it ("node01
 * HCA-1"); adapters of the same name are one host, which stands where the
 * first of them is.  The aggregation nodes inside of switches are left out.
 * 'plan', if nonnull, tells the racks of switches by their names.  SF_EINVAL
 * if a name cannot be that of a host, if two descriptions are the same, or
 * if the plan has none of the switches. */
enum sf_status sf_hosts_list(const struct sf_fabric *fabric,
                             const struct sf_plan *plan,
                             struct sf_hosts *hosts, struct sf_error *err);
void sf_hosts_clear(struct sf_hosts *hosts);

#endif
