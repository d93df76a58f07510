/* workloads.c -- see workloads.h. */
#include "workloads.h"

static void
list_params(const struct sf_param *params)
{
    for (uint32_t i = 0; i < sf_params_count(params); i++) {
        printf("      %s%s  ", params[i].positional ? "" : params[i].key,
               params[i].positional ? "VALUE" : "=VALUE");
        sf_param_write_text(&params[i], stdout);
    }
}

int
cli_list_workloads(void)
{
    puts("workloads, --workload NAME or NAME:KEY=VALUE,KEY=VALUE...:");
    for (size_t i = 0; sf_workload_kinds[i]; i++) {
        const struct sf_workload_kind *kind = sf_workload_kinds[i];
        printf("  %s\n      %s\n      source: %s\n", kind->name, kind->title,
               kind->source);
        if (kind->has_size) {
            puts("      size=BYTES  in place of --size");
        }
        list_params(kind->params);
    }
    puts("traffic, each flow of which is a message, likewise:");
    for (size_t i = 0; sf_traffic_kinds[i].name; i++) {
        const struct sf_traffic_kind *kind = &sf_traffic_kinds[i];
        printf("  %s\n      %s\n", kind->name, kind->title);
        if (!kind->takes_path) {
            puts("      size=BYTES  in place of --size");
        }
        list_params(kind->params);
    }
    return CLI_FINE;
}

int
cli_write_goal(const char *path, const struct cli_runs_params *params,
               const struct cli_subjects *subjects)
{
    static const int of_jobs[] = { CLI_AXIS_PLACEMENT, CLI_AXIS_NODES,
                                   CLI_AXIS_WORKLOAD, CLI_AXIS_SIZE };
    const char *words[CLI_N_AXES] = { NULL };
    struct cli_output output;
    struct sf_error err = { 0 };

    for (size_t i = 0; i < sizeof of_jobs / sizeof *of_jobs; i++) {
        const struct cli_list *axis = params->axes[of_jobs[i]];
        if (axis && axis->n != 1) {
            return cli_fail("simulate: --goal: expected one workload, size, "
                            "number of nodes and placement, found several");
        }
        words[of_jobs[i]] = axis ? axis->items[0] : NULL;
    }
    if (params->loads[0] > 0) {
        return cli_fail("simulate: --goal: expected messages, found --load");
    }
    struct sf_sim_jobs jobs = {
        .workload = words[CLI_AXIS_WORKLOAD],
        .nodes = words[CLI_AXIS_NODES],
        .placement = words[CLI_AXIS_PLACEMENT],
        .size = sf_sim_size_read(words[CLI_AXIS_SIZE], NULL),
    };
    if (!cli_output_open(&output, path)) {
        return CLI_ERROR;
    }
    enum sf_status status =
        sf_sim_jobs_write_goal(subjects->subjects[0].network, &jobs,
                               params->seed, output.stream, &err);
    return cli_output_close(&output, status, &err);
}
