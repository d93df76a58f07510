/* simulation_names.c -- the words for the choices of simulations. */
#include "slimfly/simulation.h"

#define NAME_OF(names, i) \
    ((i) < sizeof(names) / sizeof *(names) ? (names)[i] : NULL)

const char *
sf_sim_model_name(uint32_t i)
{
    static const char *const names[] = { "flow", "packet" };
    return NAME_OF(names, i);
}

const char *
sf_sim_timing_name(uint32_t i)
{
    static const char *const names[] = { "slots", "exact" };
    return NAME_OF(names, i);
}

const char *
sf_sim_queues_name(uint32_t i)
{
    static const char *const names[] = { "voq", "fifo" };
    return NAME_OF(names, i);
}

const char *
sf_select_name(uint32_t i)
{
    static const char *const names[] = { "first", "stripe", "message",
                                         "random", "adaptive" };
    return NAME_OF(names, i);
}
