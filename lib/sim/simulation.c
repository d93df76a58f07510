/* simulation.c -- one run: what a workload gets, by any of the models. */
#include "sim/run.h"
#include "sim/workload.h"

#include <math.h>
#include <string.h>

#define MAX_PACKET (1u << 30) /* Bytes of data, and around them. */

/* What is pooled over the rounds of a workload. */
struct pool {
    const struct sf_run_setup *setup;
    const struct sf_workload *workload;
    struct sf_simulation *result;
    double data_rate; /* Of a link, bytes a second. */
    double bytes;     /* Of all messages that came. */
    double host_time; /* Until hosts had sent and received all of a round; the
                       * sum over hosts and rounds. */
    struct sf_samples rates, latencies;
    struct sf_samples *job_rates; /* [n_jobs] */
};

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for a simulation");
}

static void
free_pool(struct pool *pool)
{
    for (uint32_t i = 0; pool->job_rates && i < pool->workload->n_jobs; i++) {
        sf_samples_clear(&pool->job_rates[i]);
    }
    free(pool->job_rates);
    sf_samples_clear(&pool->rates);
    sf_samples_clear(&pool->latencies);
}

/* Makes room for the results of 'workload'. */
static enum sf_status
begin_result(struct pool *pool, struct sf_error *err)
{
    struct sf_simulation *result = pool->result;
    uint32_t n_jobs = pool->workload->n_jobs;

    result->is_finished = true;
    result->n_arcs = 2 * pool->setup->source->network->graph->n_links;
    result->n_vls = pool->setup->source->n_vls;
    result->n_jobs = n_jobs;
    result->jobs = sf_calloc(n_jobs, sizeof *result->jobs);
    result->loads = sf_calloc((size_t)result->n_arcs * result->n_vls,
                              sizeof *result->loads);
    result->blocked = sf_calloc(result->n_arcs, sizeof *result->blocked);
    pool->job_rates = sf_calloc(n_jobs, sizeof *pool->job_rates);
    if (!result->jobs || !result->loads || !result->blocked ||
        !pool->job_rates) {
        return fail_memory(err);
    }
    for (uint32_t i = 0; i < n_jobs; i++) {
        result->jobs[i].n_nodes = pool->workload->jobs[i].n_hosts;
        result->n_hosts += pool->workload->jobs[i].n_hosts;
    }
    return SF_OK;
}

/* Adds a rate, a part of what a link carries, of job 'job'. */
static bool
add_rate(struct pool *pool, uint32_t job, double rate)
{
    double bin = rate * SF_SIM_N_BINS;
    uint32_t i = bin < SF_SIM_N_BINS ? (uint32_t)bin : SF_SIM_N_BINS - 1;

    pool->result->rates[i]++;
    return sf_samples_add(&pool->rates, rate, 1) &&
           sf_samples_add(&pool->job_rates[job], rate, 1);
}

/* Adds what links did in 'run', for its share of the time. */
static void
add_loads(struct pool *pool, const struct sf_run *run)
{
    struct sf_simulation *result = pool->result;
    const struct sf_wires *wires = pool->setup->wires;

    for (uint32_t arc = 0; arc < result->n_arcs; arc++) {
        uint32_t link = sf_wires_of_arc(wires, arc);
        for (uint32_t vl = 0; vl < result->n_vls && vl < run->n_vls; vl++) {
            result->loads[(size_t)arc * result->n_vls + vl] +=
                run->time * run->loads[(size_t)link * run->n_vls + vl];
        }
        if (run->blocked) {
            result->blocked[arc] += run->time * run->blocked[link];
        }
    }
}

/* Notes a cycle of waiting, if there is one.  Its links are all between
 * switches: hosts take whatever comes. */
static bool
add_deadlock(struct pool *pool, const struct sf_run *run)
{
    struct sf_simulation *result = pool->result;
    const struct sf_wires *wires = pool->setup->wires;

    if (run->n_cycle == 0) {
        return true;
    }
    result->deadlock_time = result->time + run->deadlock_time;
    result->n_cycle = run->n_cycle;
    result->cycle = sf_calloc(run->n_cycle, sizeof *result->cycle);
    for (uint32_t i = 0; result->cycle && i < run->n_cycle; i++) {
        uint32_t link = run->cycle[i].link;
        result->cycle[i] = (struct sf_sim_channel){
            .s = wires->links[link].from - wires->n_hosts,
            .arc = sf_wires_arc_of(wires, link),
            .vl = run->cycle[i].vl,
        };
    }
    return result->cycle != NULL;
}

/* Adds all of 'run' but the rates. */
static bool
add_run(struct pool *pool, const struct sf_run *run)
{
    struct sf_simulation *result = pool->result;

    if (!add_deadlock(pool, run) ||
        !sf_samples_merge(&pool->latencies, &run->latency)) {
        return false;
    }
    add_loads(pool, run);
    result->time += run->time;
    result->is_finished = result->is_finished && run->is_finished;
    result->n_packets += run->n_packets;
    result->n_switch_hops += run->n_switch_hops;
    result->latency_error = run->latency_error;
    return true;
}

/* Adds the rates of all messages of a round; one that did not come has 0. */
static bool
add_messages(struct pool *pool, const struct sf_program *program,
             const uint32_t *job_of, const struct sf_run *run)
{
    bool is_fine = true;

    for (uint32_t j = 0; j < pool->workload->n_jobs; j++) {
        double last = 0;
        for (uint32_t i = 0; i < program->messages.n; i++) {
            if (job_of[i] == j && isfinite(run->ends[i])) {
                last = fmax(last, run->ends[i]);
            }
        }
        pool->result->jobs[j].time += last;
    }
    for (uint32_t i = 0; is_fine && i < program->messages.n; i++) {
        double rate = 0;
        if (!sf_message_is_sent(&program->messages.items[i])) {
            continue;
        }
        if (isfinite(run->ends[i]) && run->ends[i] > run->starts[i]) {
            rate = (double)program->messages.items[i].bytes /
                   (run->ends[i] - run->starts[i]) / pool->data_rate;
        }
        if (isfinite(run->ends[i])) {
            pool->bytes += (double)program->messages.items[i].bytes;
        }
        is_fine = add_rate(pool, job_of[i], rate);
    }
    return is_fine;
}

/* Adds the times until hosts had sent and received all. */
static bool
add_host_times(struct pool *pool, const struct sf_program *program,
               const struct sf_run *run)
{
    uint32_t n_hosts = pool->setup->wires->n_hosts;
    double *until = sf_calloc(n_hosts, sizeof *until);

    if (!until) {
        return false;
    }
    for (uint32_t i = 0; i < program->messages.n; i++) {
        const struct sf_message *message = &program->messages.items[i];
        if (sf_message_is_sent(message) && isfinite(run->ends[i])) {
            until[message->from] = fmax(until[message->from], run->ends[i]);
            until[message->to] = fmax(until[message->to], run->ends[i]);
        }
    }
    for (uint32_t h = 0; h < n_hosts; h++) {
        pool->host_time += until[h];
    }
    free(until);
    return true;
}

/* How much had come when, of a program that ran alone. */
static void
note_progress(struct pool *pool, const struct sf_program *program,
              const struct sf_run *run)
{
    double *arrived = pool->result->arrived, total = 0;

    for (uint32_t i = 0; i < program->messages.n; i++) {
        double bytes = (double)program->messages.items[i].bytes;
        total += bytes;
        if (bytes > 0 && isfinite(run->ends[i]) && run->time > 0) {
            double step = ceil(run->ends[i] / run->time * SF_SIM_N_STEPS) - 1;
            arrived[(uint32_t)fmin(fmax(step, 0), SF_SIM_N_STEPS - 1)] +=
                bytes;
        }
    }
    for (uint32_t i = 0; total > 0 && i < SF_SIM_N_STEPS; i++) {
        arrived[i] = arrived[i] / total + (i ? arrived[i - 1] : 0);
    }
}

static enum sf_status
run_round(struct pool *pool, uint32_t round, struct sf_error *err)
{
    const struct sf_simulation_params *params = pool->setup->params;
    struct sf_run_setup setup = *pool->setup;
    struct sf_program program = { 0 };
    struct sf_run run = { 0 };
    uint32_t *job_of = NULL;

    setup.seed = params->seed + round;
    enum sf_status status =
        sf_workload_program(pool->workload, round, &program, &job_of, err);
    if (status == SF_OK) {
        status = params->model == SF_SIM_FLOW
                     ? sf_run_flows(&setup, &program, &run, err)
                     : sf_run_packets(&setup, &program, &run, err);
    }
    if (status == SF_OK &&
        (!add_messages(pool, &program, job_of, &run) ||
         !add_host_times(pool, &program, &run) || !add_run(pool, &run))) {
        status = fail_memory(err);
    }
    if (status == SF_OK && pool->workload->n_rounds == 1) {
        note_progress(pool, &program, &run);
    }
    sf_run_clear(&run);
    sf_program_clear(&program);
    free(job_of);
    return status;
}

/* Who takes part in flows. */
struct ends {
    bool *sends, *receives; /* [hosts] */
};

static bool
find_ends(const struct sf_flow *flows, size_t n_flows, uint32_t n_hosts,
          struct ends *ends)
{
    ends->sends = sf_calloc(n_hosts, sizeof *ends->sends);
    ends->receives = sf_calloc(n_hosts, sizeof *ends->receives);
    if (!ends->sends || !ends->receives) {
        return false;
    }
    for (size_t i = 0; i < n_flows; i++) {
        if (flows[i].amount > 0) {
            ends->sends[flows[i].from] = ends->receives[flows[i].to] = true;
        }
    }
    return true;
}

/* Adds the rates of hosts: what each received to which something is sent. */
static bool
add_received(struct pool *pool, const struct ends *ends,
             const struct sf_run *run)
{
    double sum = 0, n_senders = 0;

    for (uint32_t j = 0; j < pool->workload->n_jobs; j++) {
        const struct sf_sim_job *job = &pool->workload->jobs[j];
        for (uint32_t i = 0; i < job->n_hosts; i++) {
            uint32_t h = job->hosts[i];
            if (ends->receives[h] && !add_rate(pool, j, run->received[h])) {
                return false;
            }
            sum += run->received[h];
            n_senders += ends->sends[h];
        }
    }
    pool->result->throughput = n_senders > 0 ? sum / n_senders : 0;
    return true;
}

/* Offers a load. */
static enum sf_status
run_load(struct pool *pool, struct sf_error *err)
{
    const struct sf_simulation_params *params = pool->setup->params;
    struct sf_flow *flows = NULL;
    struct sf_run run = { 0 };
    struct ends ends = { 0 };
    size_t n_flows;

    enum sf_status status =
        sf_workload_flows(pool->workload, &flows, &n_flows, err);
    if (status == SF_OK) {
        status = sf_run_load(pool->setup, flows, n_flows, params->jobs.load,
                             &run, err);
    }
    if (status == SF_OK &&
        (!add_run(pool, &run) ||
         !find_ends(flows, n_flows, pool->setup->wires->n_hosts, &ends) ||
         !add_received(pool, &ends, &run))) {
        status = fail_memory(err);
    }
    free(ends.sends);
    free(ends.receives);
    sf_run_clear(&run);
    free(flows);
    return status;
}

/* Turns sums into what the result promises. */
static void
end_result(struct pool *pool)
{
    struct sf_simulation *result = pool->result;
    double time = result->time > 0 ? result->time : 1;

    for (size_t i = 0; i < (size_t)result->n_arcs * result->n_vls; i++) {
        result->loads[i] /= time;
    }
    for (uint32_t i = 0; i < result->n_arcs; i++) {
        result->blocked[i] /= time;
    }
    for (uint32_t i = 0; i < result->n_jobs; i++) {
        result->jobs[i].rate = sf_samples_spread(&pool->job_rates[i]);
    }
    if (!(pool->setup->params->jobs.load > 0) && result->n_hosts > 0) {
        result->throughput =
            pool->bytes / (time * result->n_hosts * pool->data_rate);
    }
    if (pool->host_time > 0) {
        result->host_rate = pool->bytes / (pool->host_time * pool->data_rate);
    }
    result->rate = sf_samples_spread(&pool->rates);
    result->latency = sf_samples_spread(&pool->latencies);
}

/* Runs all rounds, or until packets wait for each other for ever. */
static enum sf_status
run_all(struct pool *pool, struct sf_error *err)
{
    enum sf_status status = begin_result(pool, err);

    if (status == SF_OK && pool->setup->params->jobs.load > 0) {
        status = run_load(pool, err);
    } else {
        for (uint32_t i = 0; status == SF_OK && i < pool->workload->n_rounds &&
                             !pool->result->n_cycle;
             i++) {
            status = run_round(pool, i, err);
        }
    }
    if (status == SF_OK) {
        end_result(pool);
    }
    return status;
}

static bool
is_time(double seconds)
{
    return seconds >= 0 && seconds < HUGE_VAL;
}

/* Whether links, switches and adapters can be like that. */
static enum sf_status
check_net(const struct sf_sim_net *net, struct sf_error *err)
{
    if (!(net->rate > 0 && net->rate < HUGE_VAL)) {
        return sf_fail(err, SF_EINVAL,
                       "links with a rate of %g bytes a second; expected more "
                       "than 0",
                       net->rate);
    }
    if (net->mtu == 0 || net->mtu > MAX_PACKET || net->header > MAX_PACKET) {
        return sf_fail(err, SF_EINVAL,
                       "an MTU of %u bytes and headers of %u; expected 1 to "
                       "%u and up to as many",
                       net->mtu, net->header, MAX_PACKET);
    }
    if (!is_time(net->switch_delay) || !is_time(net->host_delay) ||
        !is_time(net->cable_delay)) {
        return sf_fail(err, SF_EINVAL,
                       "a delay of %g s for switches, %g s for hosts and %g s "
                       "a metre; expected 0 or more",
                       net->switch_delay, net->host_delay, net->cable_delay);
    }
    return SF_OK;
}

static enum sf_status
check_load(const struct sf_simulation_params *params, struct sf_error *err)
{
    double load = params->jobs.load;

    if (!(load >= 0 && load <= 1)) {
        return sf_fail(err, SF_EINVAL, "a load of %g; expected up to 1", load);
    }
    return load == 0 || params->model != SF_SIM_FLOW
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "an offered load is for the packet model; the flow "
                         "model has no latencies");
}

/* What cannot be, or does not go together. */
static enum sf_status
check(const struct sf_simulation_params *params, struct sf_error *err)
{
    if (params->model >= SF_N_SIM_MODELS ||
        params->timing >= SF_N_SIM_TIMINGS ||
        params->queues >= SF_N_SIM_QUEUES) {
        return sf_fail(err, SF_EINVAL,
                       "model %d, timing %d and queues %d: one of them does "
                       "not exist",
                       (int)params->model, (int)params->timing,
                       (int)params->queues);
    }
    if (params->select >= SF_N_SELECTS) {
        return sf_fail(err, SF_EINVAL, "no way %d to choose an address",
                       (int)params->select);
    }
    if (!is_time(params->overhead)) {
        return sf_fail(err, SF_EINVAL,
                       "an overhead of %g s for a message; expected 0 or more",
                       params->overhead);
    }
    if (!(params->length >= 0 && params->length < HUGE_VAL)) {
        return sf_fail(err, SF_EINVAL,
                       "a cable of %g metres; expected 0 or more",
                       params->length);
    }
    enum sf_status status = check_net(&params->net, err);
    return status == SF_OK ? check_load(params, err) : status;
}

enum sf_status
sf_simulation_run(const struct sf_path_source *source,
                  const struct sf_simulation_params *params,
                  struct sf_simulation *result, struct sf_error *err)
{
    struct sf_workload *workload = NULL;
    struct sf_wires *wires = NULL;
    struct sf_run_sizes sizes = { 0 };

    *result = (struct sf_simulation){ 0 };
    enum sf_status status = check(params, err);
    if (status == SF_OK) {
        status = sf_workload_build(source->network, &params->jobs,
                                   params->seed, &workload, err);
    }
    if (status == SF_OK) {
        status = sf_wires_build(source->network, &wires, err);
    }
    struct sf_run_setup setup = { source, wires, params, params->seed };
    if (status == SF_OK && params->model == SF_SIM_PACKET) {
        status = sf_run_sizes(&setup, &sizes, err);
    }
    if (status == SF_OK) {
        struct pool pool = { .setup = &setup,
                             .workload = workload,
                             .result = result,
                             .data_rate = sf_sim_net_data_rate(&params->net) };
        result->buffer = sizes.buffer;
        status = run_all(&pool, err);
        free_pool(&pool);
    }
    if (status != SF_OK) {
        sf_simulation_clear(result);
    }
    sf_wires_free(wires);
    sf_workload_free(workload);
    return status;
}

void
sf_simulation_clear(struct sf_simulation *result)
{
    free(result->cycle);
    free(result->jobs);
    free(result->loads);
    free(result->blocked);
    *result = (struct sf_simulation){ 0 };
}
