/* goal.c -- programs of files as a workload. */
#include "sim/workloads/goal.h"
#include "sim/workloads/kind.h"

static enum sf_status
count_ranks(const struct sf_value *values, uint32_t *n_ranksp,
            struct sf_error *err)
{
    return sf_goal_count(values[0].text, n_ranksp, err);
}

static enum sf_status
send_file(const struct sf_work *work, struct sf_program *program,
          struct sf_error *err)
{
    return sf_goal_read(work->values[0].text, work->hosts, work->n_ranks,
                        program, err);
}

static enum sf_status
fail_circle(const struct sf_work *work, uint32_t number, struct sf_error *err)
{
    const char *path = work->values[0].text;
    uint32_t line = 0;
    enum sf_status status =
        sf_goal_find(path, work->hosts, work->n_ranks, number, &line, err);

    return status == SF_OK
               ? sf_fail(err, SF_EPARSE,
                         "%s:%u: this operation waits for others that wait "
                         "for it",
                         path, line)
               : status;
}

static const struct sf_workload_ops ops = {
    .send = send_file,
    .fail_circle = fail_circle,
    .count = count_ranks,
};

const struct sf_workload_kind sf_workload_goal = {
    .name = "goal",
    .title = "a program in GOAL: sends, receives and computations that wait "
             "for each other",
    .example = "goal:program.goal",
    .source = "LogGOPSim, txt2bin",
    .params = { { .key = "path",
                  .kind = SF_PARAM_FILE,
                  .positional = true,
                  .meaning = "a file in GOAL" } },
    .ops = &ops,
};
