/* resnet152.c -- training of ResNet-152, data parallel: while the gradients of
 * a part of the layers are added up, those of the next are computed. */
#include "sim/workloads/training.h"

#define FORWARD  119000 /* Microseconds. */
#define BACKWARD 23800  /* Of each part. */
#define N_PARTS  10

static const uint32_t gradients[N_PARTS] = { /* Floats. */
                                             6511592, 6567936, 5905920,
                                             6113280, 6176256, 6112768,
                                             6176256, 6112768, 5321216,
                                             5194816
};

static void
iterate(struct sf_training *training, const struct sf_work *work)
{
    struct sf_script *script = &training->script;
    struct sf_script branches[N_PARTS];

    (void)work;
    sf_training_compute(training, FORWARD);
    for (uint32_t i = 0; i < N_PARTS; i++) {
        sf_training_compute(training, BACKWARD);
        sf_script_fork(script, &branches[i]);
        struct sf_group all = sf_group_all(&branches[i]);
        sf_training_allreduce(training, &all, gradients[i]);
    }
    for (uint32_t i = 0; i < N_PARTS; i++) {
        sf_script_join(script, &branches[i]);
    }
}

static enum sf_status
send_resnet(const struct sf_work *work, struct sf_program *program,
            struct sf_error *err)
{
    return sf_training_run(work, program, iterate, err);
}

static const struct sf_workload_ops ops = { .send = send_resnet };

const struct sf_workload_kind sf_workload_resnet152 = {
    .name = "resnet152",
    .title = "training of ResNet-152: gradients are added up while others are "
             "computed",
    .example = "resnet152:compute=0.5",
    .source = "spcl/DNN-cpp-proxies, resnet152.cpp",
    .params = { SF_TRAINING_PARAMS },
    .ops = &ops,
};
