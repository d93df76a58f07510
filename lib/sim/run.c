#include "sim/run.h"

void
sf_run_clear(struct sf_run *run)
{
    free(run->starts);
    free(run->ends);
    free(run->sent);
    free(run->received);
    sf_samples_clear(&run->latency);
    free(run->loads);
    free(run->blocked);
    free(run->cycle);
    *run = (struct sf_run){ 0 };
}

enum sf_status
sf_run_sizes(const struct sf_run_setup *setup, struct sf_run_sizes *sizes,
             struct sf_error *err)
{
    const struct sf_sim_net *net = &setup->params->net;
    uint32_t packet = net->mtu + net->header;
    uint32_t n_vls = setup->source->n_vls;
    uint32_t buffer = net->buffer / n_vls / packet;

    *sizes = (struct sf_run_sizes){
        .packet_bytes = packet,
        .buffer = buffer < SF_SIM_MAX_BUFFER ? buffer : SF_SIM_MAX_BUFFER,
        .slot = packet / net->rate,
    };
    if (buffer == 0) {
        return sf_fail(err, SF_EINVAL,
                       "a buffer of %u bytes for %u VLs has no room for a "
                       "packet of %u bytes on each; expected at least %u",
                       net->buffer, n_vls, packet, n_vls * packet);
    }
    return SF_OK;
}
