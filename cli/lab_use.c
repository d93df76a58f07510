/* lab_use.c -- slimfly lab check, exec, fail, restore and status. */
#define _GNU_SOURCE
#include "lab.h"

/* Findings that are shown as text; JSON has all. */
#define MOST_FINDINGS 20

int
cli_lab_check(const struct cli_lab *lab)
{
    struct sf_lab *opened = cli_lab_open(lab, SF_LAB_LOOK);
    struct sf_lab_check check;
    struct sf_error err;
    double start = cli_seconds();

    if (!opened) {
        return CLI_ERROR;
    }
    int code = cli_lab_told(sf_lab_check(opened, &check, &err), &err);
    if (code == CLI_FINE) {
        cli_progress_end();
        if (cli_is(lab->args, OPT_FORMAT, "json")) {
            code = cli_lab_told(
                sf_lab_check_write_json(opened, &check, stdout, &err), &err);
        } else {
            sf_lab_check_write_text(opened, &check, cli_seconds() - start,
                                    MOST_FINDINGS, stdout);
        }
        code = code == CLI_FINE && check.n_findings ? CLI_FINDINGS : code;
        sf_lab_check_clear(&check);
    }
    sf_lab_close(opened);
    return code;
}
