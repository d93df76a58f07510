/* nets.c -- see nets.h. */
#include "nets.h"

#include <string.h>

static const struct sf_sim_net *
net_of_name(const char *name)
{
    size_t i = 0;
    while (strcmp(sf_sim_nets[i].name, name) != 0) {
        i++;
    }
    return &sf_sim_nets[i];
}

bool
cli_net_find(const struct cli_subject *subject,
             const struct cli_net_params *params, struct sf_sim_net *net)
{
    const struct sf_sim_net *found =
        params->name ? net_of_name(params->name) : NULL;
    struct sf_error err;

    if (!found &&
        sf_sim_net_of_fabric(subject->fabric, &found, &err) != SF_OK) {
        cli_fail("simulate: %s: %s", subject->name, err.text);
        return false;
    }
    *net = *found;
    const char *text = params->buffer;
    double buffer = text ? sf_sim_size_read(text, NULL) : net->buffer;
    if (!(buffer >= 1 && buffer <= 1e9)) {
        cli_fail("simulate: --buffer: expected bytes, as 65536 or 64K, found "
                 "'%s'",
                 text);
        return false;
    }
    net->buffer = (uint32_t)buffer;
    return true;
}
