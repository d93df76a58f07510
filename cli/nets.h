/* nets.h -- what the links of a network are like, for simulations. */
#ifndef SF_CLI_NETS_H
#define SF_CLI_NETS_H

#include "subjects.h"

/* What the user says of links; NULL: nothing. */
struct cli_net_params {
    const char *name;   /* Of a preset. */
    const char *buffer; /* Bytes. */
};

/* Finds what the links of 'subject' are like: as the user says, else as the
 * fabric says, else EDR.  On failure says so and returns false. */
bool cli_net_find(const struct cli_subject *subject,
                  const struct cli_net_params *params, struct sf_sim_net *net);

#endif
