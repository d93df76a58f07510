/* live_counters.c -- counters and silent ports of a running fabric.  Child
 * processes ask, see child.h, and write answers to memory that they share with
 * their parent. */
#include "base/child.h"
#include "ib/counters_child.h"
#include "ib/live_port.h"
#include "ib/shared_copy.h"

/* Seconds that a child may take beyond its own limits. */
#define GRACE 10

static struct sf_counters_params
complete(const struct sf_counters_params *params)
{
    struct sf_counters_params all =
        params ? *params : (struct sf_counters_params){ 0 };

    all.timeout_ms = all.timeout_ms ? all.timeout_ms : 500;
    all.n_tries = all.n_tries ? all.n_tries : 3;
    all.timeout = all.timeout ? all.timeout : 60;
    return all;
}

static enum sf_status
run(const struct sf_child_job *job, const struct sf_counters_params *params,
    struct sf_error *err)
{
    struct sf_printed printed = { 0 };
    unsigned tries = params->timeout_ms * params->n_tries / 1000;
    enum sf_status status =
        sf_child_run(job, params->timeout + tries + GRACE, &printed, err);

    sf_printed_clear(&printed);
    return status;
}

enum sf_status
sf_counters_read(const char *source, const struct sf_fabric *fabric,
                 const struct sf_counters_params *params,
                 struct sf_counters **countersp, struct sf_error *err)
{
    struct sf_live_port port;
    struct sf_counters_job aims = { &port, fabric, complete(params), NULL };
    struct sf_child_job job = { sf_counters_child, &aims, source,
                                "reading of counters", SF_LIVE_NO_DEVICE };
    struct sf_shared_copy copy = { 0 };

    *countersp = NULL;
    enum sf_status status = sf_live_port_parse(source, &port, err);
    if (status == SF_OK) {
        status = sf_counters_make(fabric, countersp, err);
    }
    if (status != SF_OK) {
        return status;
    }
    aims.counters = sf_share(&copy, (*countersp)->ports,
                             fabric->n_ports * sizeof *aims.counters);
    status = aims.counters
                 ? run(&job, &aims.params, err)
                 : sf_fail(err, SF_ENOMEM, "out of memory for counters");
    sf_unshare(&copy, status == SF_OK);
    if (status == SF_OK) {
        sf_counters_tally(*countersp);
    } else {
        sf_counters_free(*countersp);
        *countersp = NULL;
    }
    return status;
}

enum sf_status
sf_live_probe(const char *source, const struct sf_fabric *fabric,
              const bool *is_wanted, const struct sf_counters_params *params,
              struct sf_probes **probesp, struct sf_error *err)
{
    struct sf_live_port port;
    struct sf_probe_job aims = { &port, fabric, complete(params), is_wanted,
                                 NULL };
    struct sf_child_job job = { sf_probe_child, &aims, source,
                                "looking through ports", SF_LIVE_NO_DEVICE };
    struct sf_shared_copy copy = { 0 };

    *probesp = NULL;
    enum sf_status status = sf_live_port_parse(source, &port, err);
    if (status == SF_OK) {
        status = sf_probes_make(fabric, probesp, err);
    }
    if (status != SF_OK) {
        return status;
    }
    aims.ports = sf_share(&copy, (*probesp)->ports,
                          (*probesp)->n_ports * sizeof *aims.ports);
    status = aims.ports ? run(&job, &aims.params, err)
                        : sf_fail(err, SF_ENOMEM, "out of memory for ports");
    sf_unshare(&copy, status == SF_OK);
    if (status != SF_OK) {
        sf_probes_free(*probesp);
        *probesp = NULL;
    }
    return status;
}
