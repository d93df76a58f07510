/* lab_verbs.h -- the verbs of 'slimfly lab'. */
#ifndef SF_CLI_LAB_VERBS_H
#define SF_CLI_LAB_VERBS_H

#include "cli.h"

enum {
    OPT_LAB_NAME = CLI_OWN,
    OPT_LAB_FOLDER,
    OPT_LAB_RATE,
    OPT_LAB_HOST_RATE,
    OPT_LAB_PREFIX,
    OPT_LAB_IPV6,
    OPT_LAB_PORTS,
    OPT_LAB_HOST_PORTS,
    OPT_LAB_NO_ALTERNATES,
    OPT_LAB_WITHOUT_LANES,
    OPT_LAB_TRAFFIC,
    OPT_LAB_MODES,
    OPT_LAB_WARMUP,
    OPT_LAB_SECONDS,
};

/* What a verb works on. */
struct cli_lab {
    const struct cli_args *args;
    const char *name, *folder;
    const char *const *words; /* After the verb. */
    size_t n_words;
};

/* Opens the lab of 'lab'; NULL, having said why. */
struct sf_lab *cli_lab_open(const struct cli_lab *lab, enum sf_lab_use use);

/* The exit code after JSON was written, or not. */
int cli_lab_told(enum sf_status status, const struct sf_error *err);

/* The verbs; they return exit codes. */
int cli_lab_up(const struct cli_lab *lab);
int cli_lab_down(const struct cli_lab *lab);
int cli_lab_list(const struct cli_lab *lab);
int cli_lab_check(const struct cli_lab *lab);
int cli_lab_exec(const struct cli_lab *lab);
int cli_lab_fail(const struct cli_lab *lab);
int cli_lab_restore(const struct cli_lab *lab);
int cli_lab_status(const struct cli_lab *lab);
int cli_lab_measure(const struct cli_lab *lab);

#endif
