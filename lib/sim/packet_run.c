/* packet_run.c -- a program from its first packet to its last. */
#include "sim/carrier.h"
#include "sim/hosts.h"

#include "base/mem.h"
#include "slimfly/progress.h"

/* Packet times between two looks at how far it is; more while hosts only
 * compute. */
#define STRIDE      256
#define LONG_STRIDE 4096

static enum sf_status
run_all(struct sf_carrier *carrier, struct sf_hosts *hosts, struct sf_run *run,
        struct sf_error *err)
{
    enum sf_status status = SF_OK;
    struct sf_hosts_state state = sf_hosts_state(hosts);
    uint64_t stride = STRIDE;

    while (status == SF_OK && state.n_left > 0 && run->n_cycle == 0) {
        sf_progress_report("simulating packets", state.n_delivered,
                           state.n_packets);
        status = sf_carrier_advance(carrier, stride, run, err);
        bool is_empty = carrier->ops->n_in_flight(carrier->sim) == 0;
        stride = is_empty ? LONG_STRIDE : STRIDE;
        if (status == SF_OK) {
            status = sf_hosts_status(hosts, err);
        }
        state = sf_hosts_state(hosts);
        if (status == SF_OK && state.n_left > 0 && state.n_active == 0) {
            status = sf_fail(err, SF_EINVAL,
                             "%u messages wait for others that never come",
                             state.n_left);
        }
    }
    run->is_finished = status == SF_OK && state.n_left == 0;
    return status;
}

/* Until the last message, or now if some did not come. */
static double
time_of(const struct sf_carrier *carrier, const struct sf_run *run, size_t n)
{
    double time = 0;

    if (!run->is_finished) {
        return (double)carrier->ops->now(carrier->sim) * carrier->tick;
    }
    for (size_t i = 0; i < n; i++) {
        time = run->ends[i] > time ? run->ends[i] : time;
    }
    return time;
}

static enum sf_status
collect_links(const struct sf_carrier *carrier, struct sf_run *run,
              struct sf_error *err)
{
    size_t n = (size_t)carrier->n_links * carrier->n_vls;
    double scale = run->time > 0 ? carrier->tick / run->time : 0;

    run->n_switch_hops = carrier->ops->n_switch_hops(carrier->sim);
    run->n_links = carrier->n_links;
    run->n_vls = carrier->n_vls;
    run->loads = sf_calloc(n, sizeof *run->loads);
    run->blocked = sf_calloc(carrier->n_links, sizeof *run->blocked);
    if (!run->loads || !run->blocked) {
        return sf_fail(err, SF_ENOMEM, "out of memory for the loads of links");
    }
    sf_carrier_count(carrier, run->loads, run->blocked);
    for (size_t i = 0; i < n; i++) {
        run->loads[i] *= scale;
    }
    for (uint32_t i = 0; i < carrier->n_links; i++) {
        run->blocked[i] *= scale;
    }
    return SF_OK;
}

enum sf_status
sf_run_packets(const struct sf_run_setup *setup,
               const struct sf_program *program, struct sf_run *run,
               struct sf_error *err)
{
    struct sf_carrier carrier;
    struct sf_hosts *hosts = NULL;

    *run = (struct sf_run){ 0 };
    enum sf_status status = sf_carrier_build(setup, &carrier, err);
    if (status == SF_OK) {
        status = sf_hosts_build(&carrier, setup, program, &hosts, err);
    }
    if (status == SF_OK) {
        status = run_all(&carrier, hosts, run, err);
    }
    if (status == SF_OK) {
        sf_hosts_finish(hosts, run);
        run->time = time_of(&carrier, run, program->messages.n);
        status = collect_links(&carrier, run, err);
    }
    sf_hosts_free(hosts);
    sf_carrier_clear(&carrier);
    if (status != SF_OK) {
        sf_run_clear(run);
    }
    return status;
}
