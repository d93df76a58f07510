/* share.h -- processes of one command that share its work out: started by
 * mpirun or srun, or by hand. */
#ifndef SF_CLI_SHARE_H
#define SF_CLI_SHARE_H

#include "cli.h"

/* Whether --share can be: it needs the folder in which the processes meet.  On
 * failure says so and returns false. */
bool cli_share_check(const struct cli_args *args);

/* Whether this process tells the results, which all of them have. */
bool cli_share_tells(const struct cli_args *args);

#endif
