/* share.c -- see share.h. */
#include "share.h"

#include <stdlib.h>
#include <string.h>

bool
cli_share_check(const struct cli_args *args)
{
    if (cli_has(args, OPT_SHARE) && !cli_has(args, OPT_OUTPUT)) {
        cli_fail("%s: --share: expected --output DIR too, a folder that all "
                 "processes see",
                 args->command->name);
        return false;
    }
    return true;
}

bool
cli_share_tells(const struct cli_args *args)
{
    /* What starts processes tells each its number: Open MPI, others with PMIx,
     * MPICH and its kin, Slurm.  The innermost comes first: mpirun may run
     * below Slurm. */
    static const char *const numbers[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                           "PMI_RANK", "SLURM_PROCID" };

    bool is_shared =
        args->values[OPT_SHARE].option && cli_has(args, OPT_SHARE);

    for (size_t i = 0; is_shared && i < sizeof numbers / sizeof *numbers;
         i++) {
        const char *number = getenv(numbers[i]);
        if (number && *number) {
            return !strcmp(number, "0");
        }
    }
    return true;
}
