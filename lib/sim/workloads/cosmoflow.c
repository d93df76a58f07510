/* cosmoflow.c -- training of CosmoFlow: 4 ranks share a model, cut 2 by 2, and
 * as many models as there are ranks for add up their gradients. */
#include "sim/workloads/training.h"

#define N_SHARDS 4
#define N_LAYERS 8
#define N_CONV   5 /* Layers of convolutions, before dense ones. */
#define N_DENSE  3

static const double forward[N_LAYERS] = { 6567, 13135, 6567, 3283,
                                          1641, 5,     3,    1 };
static const double backward[N_LAYERS] = { 2,    6,     10,    3283,
                                           6567, 13135, 26270, 13135 };

/* Floats: what neighbours exchange, what is gathered and scattered, and
 * gradients, those of all dense layers at once. */
static const uint32_t forward_halos[N_CONV - 1] = { 2097152, 1048576, 524288,
                                                    262144 };
static const uint32_t backward_halos[N_CONV - 1] = { 131072, 262144, 524288,
                                                     1048576 };
static const uint32_t gathered[N_DENSE] = { 65536, 256, 128 };
static const uint32_t scattered[N_DENSE] = { 128, 256, 65536 };
static const uint32_t gradients[N_CONV + 1] = { 1050737, 3539456, 884992,
                                                221312,  55360,   3488 };

/* The ranks of model 'i'. */
static struct sf_group
model_of(struct sf_script *script, uint32_t i)
{
    return (struct sf_group){ script, N_SHARDS * i, 1, N_SHARDS };
}

/* All ranks send to both neighbours in their model, and wait. */
static void
exchange_halos(struct sf_script *script, uint64_t n_floats)
{
    struct sf_group all = sf_group_all(script);

    for (uint32_t r = 0; r < script->n; r++) {
        for (uint32_t bit = 1; bit <= 2; bit++) {
            sf_script_send(script, r, r ^ bit, 4 * n_floats,
                           (struct sf_part){ 0, 1 });
        }
    }
    sf_group_step(&all);
}

static void
go_forward(struct sf_training *training)
{
    struct sf_script *script = &training->script;

    for (uint32_t i = 0; i < N_LAYERS; i++) {
        if (i >= 1 && i < N_CONV) {
            exchange_halos(script, forward_halos[i - 1]);
        }
        for (uint32_t m = 0; i >= N_CONV && m < script->n / N_SHARDS; m++) {
            struct sf_group model = model_of(script, m);
            sf_training_allgather(training, &model, gathered[i - N_CONV]);
        }
        sf_training_compute(training, forward[i]);
    }
}

/* Adds up gradients beside what follows.  Those of dense layers are of a
 * shard: rank by rank, those of other models. */
static void
add_up(struct sf_training *training, uint32_t n_floats, bool is_dense,
       struct sf_script *branch)
{
    struct sf_script *script = &training->script;

    sf_script_fork(script, branch);
    if (!is_dense) {
        struct sf_group all = sf_group_all(branch);
        sf_training_allreduce(training, &all, n_floats);
        return;
    }
    for (uint32_t shard = 0; shard < N_SHARDS; shard++) {
        struct sf_group same = { branch, shard, N_SHARDS,
                                 script->n / N_SHARDS };
        sf_training_allreduce(training, &same, n_floats);
    }
}

static void
go_backward(struct sf_training *training)
{
    struct sf_script *script = &training->script;
    struct sf_script branches[N_CONV + 1];

    for (uint32_t i = 0; i < N_LAYERS; i++) {
        sf_training_compute(training, backward[i]);
        for (uint32_t m = 0; i < N_DENSE && m < script->n / N_SHARDS; m++) {
            struct sf_group model = model_of(script, m);
            sf_training_reduce_scatter(training, &model, scattered[i]);
        }
        if (i >= N_DENSE && i < N_LAYERS - 1) {
            exchange_halos(script, backward_halos[i - N_DENSE]);
        }
        if (i + 1 >= N_DENSE) {
            uint32_t number = i + 1 - N_DENSE;
            add_up(training, gradients[number], number == 0,
                   &branches[number]);
        }
    }
    for (uint32_t i = 0; i <= N_CONV; i++) {
        sf_script_join(script, &branches[i]);
    }
}

static void
iterate(struct sf_training *training, const struct sf_work *work)
{
    (void)work;
    go_forward(training);
    go_backward(training);
}

static enum sf_status
check_cosmoflow(const struct sf_work *work, struct sf_error *err)
{
    return sf_training_check(work, N_SHARDS, "cosmoflow", err);
}

static enum sf_status
send_cosmoflow(const struct sf_work *work, struct sf_program *program,
               struct sf_error *err)
{
    return sf_training_run(work, program, iterate, err);
}

static const struct sf_workload_ops ops = {
    .send = send_cosmoflow,
    .check = check_cosmoflow,
};

const struct sf_workload_kind sf_workload_cosmoflow = {
    .name = "cosmoflow",
    .title = "training of CosmoFlow: models on 4 nodes each, and gradients of "
             "all",
    .example = "cosmoflow:iterations=2",
    .source = "spcl/DNN-cpp-proxies, cosmoflow.cpp",
    .params = { SF_TRAINING_PARAMS },
    .ops = &ops,
};
