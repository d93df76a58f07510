/* gpt3.c -- training of GPT-3: models in stages, each on 4 ranks; batches go
 * through the stages and back, and then as many models as there are ranks for
 * add up their gradients.
 *
 * Of a model, rank s + k * stages has shard k of stage s. */
#include "sim/workloads/training.h"
#include "slimfly/graph.h"

#define N_SHARDS  4
#define FORWARD   15915 /* Microseconds. */
#define BACKWARD  31830
#define PASSED_ON 25165824  /* Floats from stage to stage, */
#define ADDED_UP  25165824  /* twice among the shards of a stage, */
#define GRADIENTS 452984832 /* and among models. */

/* Values behind those of all proxies. */
enum {
    STAGES = SF_TRAINING_RULES + 1,
    BATCHES
};

struct model {
    struct sf_training *training;
    uint32_t n_stages, n_ranks; /* Of a model. */
    uint32_t *came; /* [all ranks] What is on its way to a rank, and what it
                     * sent last; SF_NONE. */
    uint32_t *sent;
};

/* A rank waits for its batch, and until the last one is sent; computes; sends
 * it to the rank 'step' on, unless it is the last. */
static void
work_on(struct model *model, uint32_t rank, int step, double microseconds)
{
    struct sf_script *script = &model->training->script;
    uint32_t stage = rank % model->n_stages;
    bool is_last = step > 0 ? stage + 1 == model->n_stages : stage == 0;

    sf_script_await(script, rank, model->came[rank]);
    if (!is_last) {
        sf_script_await(script, rank, model->sent[rank]);
    }
    sf_script_step(script, rank);
    sf_training_compute_one(model->training, rank, microseconds);
    if (!is_last) {
        uint32_t to = step > 0 ? rank + 1 : rank - 1;
        model->sent[rank] = model->came[to] =
            sf_script_isend(script, rank, to, (uint64_t)4 * PASSED_ON);
    }
}

/* All shards of stage 's' of all models work on a batch. */
static void
work_stage(struct model *model, uint32_t s, int step, double microseconds)
{
    struct sf_script *script = &model->training->script;

    for (uint32_t m = 0; m < script->n; m += model->n_ranks) {
        struct sf_group shards = { script, m + s, model->n_stages, N_SHARDS };
        for (uint32_t k = 0; k < N_SHARDS; k++) {
            work_on(model, m + s + k * model->n_stages, step, microseconds);
        }
        for (uint32_t k = 0; k < 2; k++) {
            sf_training_allreduce(model->training, &shards, ADDED_UP);
        }
    }
}

/* All batches go through all stages, forward or back. */
static void
pass_batches(struct model *model, uint64_t n_batches, int step)
{
    struct sf_script *script = &model->training->script;

    for (uint32_t r = 0; r < script->n; r++) {
        model->came[r] = model->sent[r] = SF_NONE;
    }
    for (uint64_t i = 0; i < n_batches; i++) {
        for (uint32_t k = 0; k < model->n_stages; k++) {
            uint32_t s = step > 0 ? k : model->n_stages - 1 - k;
            work_stage(model, s, step, step > 0 ? FORWARD : BACKWARD);
        }
    }
}

static void
iterate(struct sf_training *training, const struct sf_work *work)
{
    struct sf_script *script = &training->script;
    uint32_t n_stages = (uint32_t)work->values[STAGES].number;
    uint64_t n_batches = work->values[BATCHES].given
                             ? work->values[BATCHES].number
                             : 2 * n_stages;
    struct model model = {
        .training = training,
        .n_stages = n_stages,
        .n_ranks = n_stages * N_SHARDS,
        .came = sf_calloc(script->n, sizeof *model.came),
        .sent = sf_calloc(script->n, sizeof *model.sent),
    };

    if (!model.came || !model.sent) {
        script->has_failed = true;
    } else {
        pass_batches(&model, n_batches, 1);
        pass_batches(&model, n_batches, -1);
    }
    for (uint32_t i = 0; i < model.n_ranks; i++) {
        struct sf_group same = { script, i, model.n_ranks,
                                 script->n / model.n_ranks };
        sf_training_allreduce(training, &same, GRADIENTS);
    }
    free(model.came);
    free(model.sent);
}

static enum sf_status
check_gpt3(const struct sf_work *work, struct sf_error *err)
{
    uint32_t n_stages = (uint32_t)work->values[STAGES].number;
    return sf_training_check(work, n_stages * N_SHARDS, "gpt3", err);
}

static enum sf_status
send_gpt3(const struct sf_work *work, struct sf_program *program,
          struct sf_error *err)
{
    return sf_training_run(work, program, iterate, err);
}

static const struct sf_workload_ops ops = {
    .send = send_gpt3,
    .check = check_gpt3,
};

const struct sf_workload_kind sf_workload_gpt3 = {
    .name = "gpt3",
    .title =
        "training of GPT-3: stages on 4 nodes each, through which batches "
        "go, and gradients of all models",
    .example = "gpt3:stages=10",
    .source = "spcl/DNN-cpp-proxies, gpt3.cpp",
    .params = { SF_TRAINING_PARAMS,
                { .key = "stages",
                  .kind = SF_PARAM_NUMBER,
                  .min = 2,
                  .max = 96,
                  .by_default = "10",
                  .meaning = "stages of a model" },
                { .key = "batches",
                  .kind = SF_PARAM_NUMBER,
                  .min = 1,
                  .max = 10000,
                  .by_default = "twice the stages",
                  .meaning = "batches that go through the stages" } },
    .ops = &ops,
};
