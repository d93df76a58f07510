/* ip_plan.h -- routes a fabric for IP and writes the files of a plan. */
#ifndef SF_CLI_IP_PLAN_H
#define SF_CLI_IP_PLAN_H

#include "cli.h"

/* A fabric with its tables for IP. */
struct cli_ip {
    struct sf_routing *routing;
    struct sf_ip_addresses addresses;
    struct sf_ip_tables *tables;
    struct sf_ip_names *names;
    double seconds; /* That making the tables took. */
};

/* What the command line says of addresses and names. */
struct cli_ip_params {
    struct sf_ip_params addresses;
    enum sf_ip_alternates alternates;
    struct sf_port_names switch_ports, host_ports;
};

/* Loads or makes the routing of 'word' and its tables; on failure says why and
 * returns false.  The caller calls cli_ip_clear() in any case. */
bool cli_ip_load(struct cli_ip *ip, const struct cli_args *args,
                 const char *word, const struct cli_ip_params *params);
void cli_ip_clear(struct cli_ip *ip);

/* Whether a plan can be written into 'folder', as far as can be told before:
 * it can be made or written, and has nothing of others in the places of ours.
 * If not, says why. */
bool cli_ip_check_folder(const char *folder);

/* Writes all files of 'plan' into 'folder', and removes those of the plan that
 * is there; returns an exit code. */
int cli_ip_write(const struct sf_ip_plan *plan, const char *folder);

#endif
