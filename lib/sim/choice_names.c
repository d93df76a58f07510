/* choice_names.c -- what users call the choices of simulation.h. */
#include "slimfly/simulation.h"

static const char *
name_of(const char *const *names, uint32_t n_names, uint32_t i)
{
    return i < n_names ? names[i] : NULL;
}

const char *
sf_sim_model_name(uint32_t i)
{
    static const char *const names[SF_N_SIM_MODELS] = {
        [SF_SIM_FLOW] = "flow",
        [SF_SIM_PACKET] = "packet",
    };
    return name_of(names, SF_N_SIM_MODELS, i);
}

const char *
sf_sim_timing_name(uint32_t i)
{
    static const char *const names[SF_N_SIM_TIMINGS] = {
        [SF_SIM_SLOTS] = "slots",
        [SF_SIM_EXACT] = "exact",
    };
    return name_of(names, SF_N_SIM_TIMINGS, i);
}

const char *
sf_sim_queues_name(uint32_t i)
{
    static const char *const names[SF_N_SIM_QUEUES] = {
        [SF_SIM_VOQ] = "voq",
        [SF_SIM_FIFO] = "fifo",
    };
    return name_of(names, SF_N_SIM_QUEUES, i);
}

const char *
sf_select_name(uint32_t i)
{
    static const char *const names[SF_N_SELECTS] = {
        [SF_SELECT_FIRST] = "first",       [SF_SELECT_STRIPE] = "stripe",
        [SF_SELECT_MESSAGE] = "message",   [SF_SELECT_RANDOM] = "random",
        [SF_SELECT_ADAPTIVE] = "adaptive", [SF_SELECT_SENDER] = "sender",
    };
    return name_of(names, SF_N_SELECTS, i);
}
