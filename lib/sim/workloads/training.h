/* training.h -- what the proxies of training share.
 *
 * They do what programs of spcl/DNN-cpp-proxies do (proxies/ there), which
 * sleep in place of computing: the same sizes, layouts and times.  Floats have
 * 4 bytes.  Collectives that do not block are taken to go on by themselves
 * while ranks compute, by the algorithms of those that do. */
#ifndef SF_SIM_WORKLOADS_TRAINING_H
#define SF_SIM_WORKLOADS_TRAINING_H

#include "sim/workloads/kind.h"
#include "sim/workloads/rules.h"

/* The params that all have, in this order. */
enum {
    SF_TRAINING_ITERATIONS,
    SF_TRAINING_COMPUTE,
    SF_TRAINING_RULES
};

#define SF_TRAINING_PARAMS                                                 \
    { .key = "iterations",                                                 \
      .kind = SF_PARAM_NUMBER,                                             \
      .min = 1,                                                            \
      .max = 1000,                                                         \
      .by_default = "1",                                                   \
      .meaning = "how many steps of training" },                           \
        { .key = "compute",                                                \
          .kind = SF_PARAM_REAL,                                           \
          .range = { .min = 0, .max = 1000 },                              \
          .by_default = "1",                                               \
          .meaning = "computing takes so many times as long" },            \
    {                                                                      \
        .key = "rules", .kind = SF_PARAM_CHOICE, .by_default = "ompi-5.0", \
        .meaning = "whose rules choose the algorithms of collectives",     \
        .words = {                                                         \
            "ompi-5.0",                                                    \
            "ompi-1.10"                                                    \
        }                                                                  \
    }

/* A script, and what it is asked for. */
struct sf_training {
    struct sf_script script;
    double compute;
    const struct sf_rules *rules;
};

/* Adds the steps of training; 'iterate' adds one. */
enum sf_status sf_training_run(const struct sf_work *work,
                               struct sf_program *program,
                               void (*iterate)(struct sf_training *training,
                                               const struct sf_work *work),
                               struct sf_error *err);

/* All ranks, or one, compute for so many microseconds. */
void sf_training_compute(struct sf_training *training, double microseconds);
void sf_training_compute_one(struct sf_training *training, uint32_t rank,
                             double microseconds);

/* Collectives of so many floats, as the rules want them. */
void sf_training_allreduce(const struct sf_training *training,
                           const struct sf_group *group, uint64_t n_floats);
void sf_training_allgather(const struct sf_training *training,
                           const struct sf_group *group, uint64_t n_floats);
void sf_training_reduce_scatter(const struct sf_training *training,
                                const struct sf_group *group,
                                uint64_t n_floats);

/* SF_EINVAL unless the ranks of 'work' are a multiple of 'n'. */
enum sf_status sf_training_check(const struct sf_work *work, uint32_t n,
                                 const char *name, struct sf_error *err);

#endif
