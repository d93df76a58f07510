/* ip_run.h -- slimfly ip run: a controller. */
#ifndef SF_CLI_IP_RUN_H
#define SF_CLI_IP_RUN_H

#include "ip_plan.h"

/* Its options, which count from behind those of cmd_ip.c. */
enum {
    OPT_RUN_LAB = CLI_OWN + 12,
    OPT_RUN_LAB_FOLDER,
    OPT_RUN_EXEC,
    OPT_RUN_STATE,
    OPT_RUN_STANDBY,
    OPT_RUN_INTERVAL,
    OPT_RUN_CHECK,
    OPT_RUN_ONCE,
    OPT_RUN_AT_ONCE,
    OPT_RUN_LIMIT,
};
extern const struct cli_option cli_ip_run_options[];

/* Runs the controller of the words after "run"; returns an exit code. */
int cli_ip_run(const struct cli_args *args,
               const struct cli_ip_params *params);

#endif
