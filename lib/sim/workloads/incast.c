/* incast.c -- many send to few at once. */
#include "sim/workloads/kind.h"
#include "sim/workloads/script.h"

static enum sf_status
check_receivers(const struct sf_work *work, struct sf_error *err)
{
    uint64_t n = work->values[0].number;

    return n < work->n_ranks
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "incast of %u nodes with %llu receivers: expected "
                         "fewer receivers than nodes",
                         work->n_ranks, (unsigned long long)n);
}

/* The first ranks receive; the others send to them in turn. */
static enum sf_status
send_incast(const struct sf_work *work, struct sf_program *program,
            struct sf_error *err)
{
    uint32_t n = (uint32_t)work->values[0].number;
    uint64_t bytes = sf_work_bytes(work->size);
    struct sf_script script;

    sf_script_init(&script, program, work->hosts, work->n_ranks);
    for (uint32_t r = n; r < work->n_ranks; r++) {
        sf_script_send(&script, r, r % n, bytes, (struct sf_part){ 0, 1 });
    }
    enum sf_status status = sf_script_status(&script, err);
    sf_script_clear(&script);
    return status;
}

static const struct sf_workload_ops ops = {
    .send = send_incast,
    .check = check_receivers,
};

const struct sf_workload_kind sf_workload_incast = {
    .name = "incast",
    .title = "all others send a message to the first ranks at once",
    .example = "incast:receivers=2",
    .source = "here",
    .has_size = true,
    .params = { { .key = "receivers",
                  .kind = SF_PARAM_NUMBER,
                  .min = 1,
                  .max = 1000000,
                  .by_default = "1",
                  .meaning = "how many ranks receive" } },
    .ops = &ops,
};
