/* lab_measure.c -- slimfly lab measure: real flows beside predicted ones. */
#include "lab_verbs.h"

#include <string.h>

int
cli_lab_measure(const struct cli_lab *lab)
{
    const struct cli_args *args = lab->args;
    const struct cli_list *modes = cli_list(args, OPT_LAB_MODES);
    struct sf_lab_measure_params params = {
        .traffic = cli_text(args, OPT_LAB_TRAFFIC),
        .seed = cli_seed(args, OPT_SEED),
        .warmup = cli_real(args, OPT_LAB_WARMUP),
        .seconds = cli_real(args, OPT_LAB_SECONDS),
    };
    struct sf_lab_measurement measurement;
    struct sf_error err;

    for (size_t m = 0; m < SF_LAB_N_MODES; m++) {
        for (uint32_t i = 0; i < modes->n; i++) {
            params.modes[m] |= !strcmp(modes->items[i], sf_lab_mode_name(m));
        }
    }
    struct sf_lab *opened = cli_lab_open(lab, SF_LAB_LOOK);
    if (!opened) {
        return CLI_ERROR;
    }
    int code = cli_lab_told(
        sf_lab_measure(opened, &params, &measurement, &err), &err);
    if (code == CLI_FINE) {
        cli_progress_end();
        if (cli_is(args, OPT_FORMAT, "json")) {
            code =
                cli_lab_told(sf_lab_measurement_write_json(
                                 opened, &params, &measurement, stdout, &err),
                             &err);
        } else {
            sf_lab_measurement_write_text(opened, &params, &measurement,
                                          stdout);
        }
        sf_lab_measurement_clear(&measurement);
    }
    sf_lab_close(opened);
    return code;
}
