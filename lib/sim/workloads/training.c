/* training.c -- see training.h. */
#include "sim/workloads/training.h"

enum sf_status
sf_training_run(const struct sf_work *work, struct sf_program *program,
                void (*iterate)(struct sf_training *training,
                                const struct sf_work *work),
                struct sf_error *err)
{
    const struct sf_value *values = work->values;
    struct sf_training training = {
        .compute = values[SF_TRAINING_COMPUTE].real,
        .rules = &sf_rules[values[SF_TRAINING_RULES].number],
    };

    sf_script_init(&training.script, program, work->hosts, work->n_ranks);
    for (uint64_t i = 0; i < values[SF_TRAINING_ITERATIONS].number; i++) {
        iterate(&training, work);
    }
    enum sf_status status = sf_script_status(&training.script, err);
    sf_script_clear(&training.script);
    return status;
}

void
sf_training_compute_one(struct sf_training *training, uint32_t rank,
                        double microseconds)
{
    sf_script_compute(&training->script, rank,
                      1e-6 * microseconds * training->compute);
    sf_script_step(&training->script, rank);
}

void
sf_training_compute(struct sf_training *training, double microseconds)
{
    for (uint32_t r = 0; r < training->script.n; r++) {
        sf_training_compute_one(training, r, microseconds);
    }
}

void
sf_training_allreduce(const struct sf_training *training,
                      const struct sf_group *group, uint64_t n_floats)
{
    if (group->n > 1) {
        sf_allreduce(group, 4 * n_floats,
                     sf_rules_choose(training->rules, SF_ALLREDUCE, group->n,
                                     4 * n_floats));
    }
}

void
sf_training_allgather(const struct sf_training *training,
                      const struct sf_group *group, uint64_t n_floats)
{
    sf_allgather(group, 4 * n_floats,
                 sf_rules_choose(training->rules, SF_ALLGATHER, group->n,
                                 4 * n_floats));
}

void
sf_training_reduce_scatter(const struct sf_training *training,
                           const struct sf_group *group, uint64_t n_floats)
{
    sf_reduce_scatter(group, 4 * n_floats,
                      sf_rules_choose(training->rules, SF_REDUCE_SCATTER,
                                      group->n, 4 * n_floats));
}

enum sf_status
sf_training_check(const struct sf_work *work, uint32_t n, const char *name,
                  struct sf_error *err)
{
    return work->n_ranks % n == 0
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "%u nodes for %s: expected a multiple of %u",
                         work->n_ranks, name, n);
}
