/* bundle_parts.h -- what goes into a bug report, part by part. */
#ifndef SF_CLI_BUNDLE_PARTS_H
#define SF_CLI_BUNDLE_PARTS_H

#include "bundle_places.h"

/* What is asked for. */
struct cli_bundle_wish {
    struct cli_bundle_places places;
    const char *routed; /* A folder of 'slimfly route', or NULL. */
    const char *source; /* Where to discover from; NULL: nowhere. */
    unsigned timeout;   /* Seconds for that. */
};

/* Whether 'word' is the spec of a plan rather than a file. */
bool cli_bundle_is_spec(const char *word);

/* Adds all of it to 'bundle', or why it is not there. */
void cli_bundle_collect(const struct cli_bundle_wish *wish,
                        struct sf_bundle *bundle);

#endif
