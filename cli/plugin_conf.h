/* plugin_conf.h -- the options of the plugin for OpenSM, as far as commands
 * need them: which files it goes by. */
#ifndef SF_CLI_PLUGIN_CONF_H
#define SF_CLI_PLUGIN_CONF_H

#include "cli.h"

#define CLI_CONF_SIZE 1024

/* Paths; "" where nothing is said. */
struct cli_plugin_conf {
    bool is_there; /* There is such a file. */
    char plan[CLI_CONF_SIZE], guids[CLI_CONF_SIZE], base[CLI_CONF_SIZE],
        drained[CLI_CONF_SIZE], status[CLI_CONF_SIZE];
};

/* Reads the file 'path'.  NULL: that of CLI_PLUGIN_FILE, if it is there.  On
 * failure says so and returns false. */
bool cli_plugin_conf_load(const char *path, struct cli_plugin_conf *conf);

#endif
