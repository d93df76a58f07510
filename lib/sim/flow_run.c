/* flow_run.c -- runs a program by max-min fair sharing.
 *
 * A message is one flow, over the address that its sender chooses.  With
 * stripes, it has a flow for each address, all of the same size; eager
 * messages are not striped.  Adaptive, it has flows that share its bytes.
 * Addresses whose paths cross the same links are one flow.
 *
 * A message that is several flows weighs as much as one that is one.  Stripes
 * share its weight by their bytes.  Flows that share its bytes have equal
 * parts of it: a host that has one queue of packets for a message does not
 * send more of it because there are more ways.
 *
 * All links carry the data rate, hosts need their delay at both ends, and
 * nothing else takes time. */
#include "sim/flow_paths.h"
#include "sim/fluid.h"
#include "sim/heap.h"
#include "sim/run.h"
#include "slimfly/progress.h"
#include "slimfly/random.h"

#include <math.h>

/* What a message of the fluid stands for. */
struct owner {
    uint32_t message;
    bool is_alarm; /* It carries nothing, and ends when the message is ready
                    * to be sent. */
};

struct runner {
    const struct sf_run_setup *setup;
    const struct sf_program *program;
    struct sf_run *run; /* 'starts' are when messages are ready until they
                         * start. */
    struct sf_fluid *fluid;
    struct sf_flow_paths paths;
    SF_VEC(struct owner) owners; /* By message of the fluid. */
    struct sf_heap due;          /* Messages that are ready now. */
    SF_VEC(uint32_t) started;    /* Of which others are not told yet. */
    uint32_t *n_waits; /* [messages] For how many each still waits. */
    double *free_at;   /* [hosts * n_cpus] When each CPU is done with its last
                        * message or computation. */
    uint8_t *drawn;    /* [messages] Random addresses; NULL: others. */
    struct sf_fluid_flow *flows; /* [n_addresses] Of one message, */
    uint32_t *numbers;           /* [n_addresses] and their paths. */
    uint32_t n_done;
};

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for a simulation of flows");
}

static void
clear_runner(struct runner *runner)
{
    sf_fluid_free(runner->fluid);
    sf_flow_paths_clear(&runner->paths);
    free(runner->owners.items);
    sf_heap_clear(&runner->due);
    free(runner->started.items);
    free(runner->n_waits);
    free(runner->free_at);
    free(runner->drawn);
    free(runner->flows);
    free(runner->numbers);
}

/* Builds a fluid in which all links carry the data rate. */
static enum sf_status
build_fluid(struct runner *runner, struct sf_error *err)
{
    uint32_t n_links = runner->setup->wires->n_links;
    double *capacities = sf_calloc(n_links, sizeof *capacities);

    if (!capacities) {
        return fail_memory(err);
    }
    for (uint32_t l = 0; l < n_links; l++) {
        capacities[l] = sf_sim_net_data_rate(&runner->setup->params->net);
    }
    enum sf_status status =
        sf_fluid_build(n_links, capacities, &runner->fluid, err);
    free(capacities);
    return status;
}

/* Makes room for results. */
static bool
begin_run(struct sf_run *run, size_t n_messages, uint32_t n_links)
{
    *run = (struct sf_run){
        .n_links = n_links,
        .n_vls = 1,
        .starts = sf_calloc(n_messages, sizeof *run->starts),
        .ends = sf_calloc(n_messages, sizeof *run->ends),
        .loads = sf_calloc(n_links, sizeof *run->loads),
        .blocked = sf_calloc(n_links, sizeof *run->blocked),
    };
    return run->starts && run->ends && run->loads && run->blocked;
}

/* Draws the addresses of messages, in the order in which hosts of the packet
 * model do (hosts.c): both models then choose the same. */
static bool
draw_addresses(struct runner *runner)
{
    size_t n_messages = runner->program->messages.n;
    struct sf_random random;

    if (runner->setup->params->select != SF_SELECT_RANDOM) {
        return true;
    }
    sf_random_init(&random, runner->setup->seed, 0);
    runner->drawn = sf_calloc(n_messages, sizeof *runner->drawn);
    for (size_t i = 0; runner->drawn && i < n_messages; i++) {
        if (sf_message_is_sent(&runner->program->messages.items[i])) {
            runner->drawn[i] =
                (uint8_t)sf_random_below(&random, runner->paths.n_addresses);
        }
    }
    return runner->drawn != NULL;
}

static enum sf_status
begin(struct runner *runner, struct sf_error *err)
{
    const struct sf_run_setup *setup = runner->setup;
    const struct sf_program *program = runner->program;
    uint32_t n_addresses = setup->params->select == SF_SELECT_FIRST
                               ? 1
                               : setup->source->n_addresses;

    sf_flow_paths_init(&runner->paths, setup->source, setup->wires,
                       n_addresses);
    runner->n_waits = sf_calloc(program->messages.n, sizeof *runner->n_waits);
    runner->free_at =
        sf_calloc((size_t)setup->wires->n_hosts * program->n_cpus,
                  sizeof *runner->free_at);
    runner->flows = sf_calloc(n_addresses, sizeof *runner->flows);
    runner->numbers = sf_calloc(n_addresses, sizeof *runner->numbers);
    if (!begin_run(runner->run, program->messages.n, setup->wires->n_links) ||
        !sf_heap_reserve(&runner->due, (uint32_t)program->messages.n) ||
        !runner->n_waits || !runner->free_at || !runner->flows ||
        !runner->numbers || !draw_addresses(runner)) {
        return fail_memory(err);
    }
    for (size_t i = 0; i < program->messages.n; i++) {
        runner->n_waits[i] = program->messages.items[i].n_waits;
    }
    return build_fluid(runner, err);
}

/* The address for message 'm', unless it goes to all. */
static uint32_t
choose_address(struct runner *runner, uint32_t m, uint32_t pair)
{
    uint32_t n_addresses = runner->paths.n_addresses;

    if (runner->setup->params->select == SF_SELECT_MESSAGE) {
        return runner->paths.pairs.items[pair].n_messages++ % n_addresses;
    }
    return runner->drawn ? runner->drawn[m] : 0;
}

/* Adds the path to 'address' of 'pair' to the 'n_flows' flows of a message, as
 * a flow or as more weight of one. */
static enum sf_status
add_address(struct runner *runner, uint32_t pair, uint32_t address,
            uint32_t *n_flows, struct sf_error *err)
{
    uint32_t number, i = 0;
    enum sf_status status =
        sf_flow_paths_find(&runner->paths, pair, address, &number, err);

    if (status != SF_OK) {
        return status;
    }
    while (i < *n_flows && runner->numbers[i] != number) {
        i++;
    }
    if (i == *n_flows) {
        runner->numbers[i] = number;
        runner->flows[i].weight = 0;
        (*n_flows)++;
    }
    runner->flows[i].weight += 1;
    return SF_OK;
}

/* Finds the flows of message 'm'; their weights are numbers of addresses. */
static enum sf_status
find_flows(struct runner *runner, uint32_t m, uint32_t *n_flows,
           struct sf_error *err)
{
    const struct sf_message *message = &runner->program->messages.items[m];
    const struct sf_simulation_params *params = runner->setup->params;
    bool is_split =
        params->select == SF_SELECT_ADAPTIVE ||
        (params->select == SF_SELECT_STRIPE && message->bytes > params->eager);
    enum sf_status status = SF_OK;
    uint32_t pair =
        sf_flow_paths_pair(&runner->paths, message->from, message->to);

    *n_flows = 0;
    if (pair == SF_NONE) {
        return fail_memory(err);
    }
    if (!is_split) {
        return add_address(runner, pair, choose_address(runner, m, pair),
                           n_flows, err);
    }
    for (uint32_t a = 0; status == SF_OK && a < runner->paths.n_addresses;
         a++) {
        status = add_address(runner, pair, a, n_flows, err);
    }
    return status;
}

/* Shares 'bytes' out among flows; adaptive flows have them together. */
static void
share_bytes(struct runner *runner, double bytes, uint32_t n_flows)
{
    bool is_pooled = runner->setup->params->select == SF_SELECT_ADAPTIVE;
    double sum = 0;

    for (uint32_t i = 0; i < n_flows; i++) {
        sum += runner->flows[i].weight;
    }
    for (uint32_t i = 0; i < n_flows; i++) {
        const struct sf_flow_path *path =
            &runner->paths.paths.items[runner->numbers[i]];
        double part =
            is_pooled ? 1.0 / n_flows : runner->flows[i].weight / sum;
        runner->flows[i] = (struct sf_fluid_flow){
            .links = runner->paths.links.items + path->first,
            .n_links = path->n_links,
            .bytes = is_pooled ? bytes : bytes * part,
            .weight = part,
        };
    }
}

static enum sf_status
note_owner(struct runner *runner, uint32_t m, bool is_alarm,
           struct sf_error *err)
{
    struct owner owner = { m, is_alarm };
    return sf_vec_push(&runner->owners, owner) ? SF_OK : fail_memory(err);
}

/* When the CPU of 'message' is free. */
static double *
free_at(struct runner *runner, const struct sf_message *message)
{
    return &runner->free_at[(size_t)message->from * runner->program->n_cpus +
                            message->cpu];
}

/* Hands the flows of 'm', which starts at 'start', to the fluid. */
static enum sf_status
add_message(struct runner *runner, uint32_t m, double start,
            struct sf_error *err)
{
    const struct sf_simulation_params *params = runner->setup->params;
    uint32_t n_flows;
    enum sf_status status = find_flows(runner, m, &n_flows, err);

    if (status != SF_OK) {
        return status;
    }
    share_bytes(runner, (double)runner->program->messages.items[m].bytes,
                n_flows);
    start += params->net.host_delay;
    status = params->select == SF_SELECT_ADAPTIVE
                 ? sf_fluid_add_pooled(runner->fluid, start, runner->flows,
                                       n_flows, NULL, err)
                 : sf_fluid_add(runner->fluid, start, runner->flows, n_flows,
                                NULL, err);
    return status == SF_OK ? note_owner(runner, m, false, err) : status;
}

/* Others may wait for 'm'.  They are told later: chains of them may be long,
 * and calls are not to nest as deep. */
static enum sf_status
note_start(struct runner *runner, uint32_t m, struct sf_error *err)
{
    return sf_vec_push(&runner->started, m) ? SF_OK : fail_memory(err);
}

/* Message 'm' has been ready since 'ready': its sender sends it, after those
 * before it. */
static enum sf_status
send(struct runner *runner, uint32_t m, double ready, struct sf_error *err)
{
    const struct sf_simulation_params *params = runner->setup->params;
    const struct sf_message *message = &runner->program->messages.items[m];
    double start = ready;

    if (params->overhead > 0 && message->cpu != SF_NO_CPU) {
        double *cpu = free_at(runner, message);
        start = *cpu = fmax(ready, *cpu) + params->overhead;
    }
    runner->run->starts[m] = start;
    enum sf_status status = add_message(runner, m, start, err);
    return status == SF_OK ? note_start(runner, m, err) : status;
}

/* Computation 'm' has been ready since 'ready': its CPU does it after those
 * before it. */
static enum sf_status
compute(struct runner *runner, uint32_t m, double ready, struct sf_error *err)
{
    const struct sf_message *message = &runner->program->messages.items[m];
    struct sf_run *run = runner->run;

    run->starts[m] = ready;
    if (message->cpu != SF_NO_CPU) {
        double *cpu = free_at(runner, message);
        run->starts[m] = fmax(ready, *cpu);
        *cpu = run->starts[m] + message->delay;
    }
    run->ends[m] = run->starts[m] + message->delay;
    run->time = fmax(run->time, run->ends[m]);
    runner->n_done++;
    return note_start(runner, m, err);
}

/* Whether it matters in which order a host takes 'message' on: it takes time
 * of a CPU, or addresses in turn. */
static bool
is_ordered(const struct runner *runner, const struct sf_message *message)
{
    return sf_message_is_sent(message)
               ? runner->setup->params->overhead > 0 ||
                     runner->setup->params->select == SF_SELECT_MESSAGE
               : message->cpu != SF_NO_CPU;
}

/* The host of 'm' takes it on. */
static enum sf_status
take_on(struct runner *runner, uint32_t m, double ready, struct sf_error *err)
{
    return sf_message_is_sent(&runner->program->messages.items[m])
               ? send(runner, m, ready, err)
               : compute(runner, m, ready, err);
}

/* All that message 'm' waited for has come, and its delay begins.  Where the
 * order matters, an alarm says when it is over; what is ready at once waits
 * until all that is ready now is known. */
static enum sf_status
release(struct runner *runner, uint32_t m, struct sf_error *err)
{
    const struct sf_message *message = &runner->program->messages.items[m];
    double ready = runner->run->starts[m];
    struct sf_fluid_flow nothing = { 0 };

    if (sf_message_is_sent(message)) {
        ready += message->delay;
    }
    if (!is_ordered(runner, message)) {
        return take_on(runner, m, ready, err);
    }
    if (ready <= sf_fluid_now(runner->fluid)) {
        sf_heap_set(&runner->due, m, 0);
        return SF_OK;
    }
    enum sf_status status =
        sf_fluid_add(runner->fluid, ready, &nothing, 1, NULL, err);
    return status == SF_OK ? note_owner(runner, m, true, err) : status;
}

/* What waits for the start of 'm', or for its end, need not do so after
 * 'time'. */
static enum sf_status
let_go(struct runner *runner, uint32_t m, bool is_start, double time,
       struct sf_error *err)
{
    const struct sf_program *program = runner->program;
    enum sf_status status = SF_OK;

    for (uint32_t i = program->first[m];
         status == SF_OK && i < program->first[m + 1]; i++) {
        const struct sf_wait *wait = &program->waits.items[i];
        if (wait->is_start != is_start) {
            continue;
        }
        double *ready = &runner->run->starts[wait->after];
        *ready = fmax(*ready, time);
        if (--runner->n_waits[wait->after] == 0) {
            status = release(runner, wait->after, err);
        }
    }
    return status;
}

/* Tells those who wait when things start, and when computations end. */
static enum sf_status
tell_started(struct runner *runner, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    while (status == SF_OK && runner->started.n > 0) {
        uint32_t m = runner->started.items[--runner->started.n];
        status = let_go(runner, m, true, runner->run->starts[m], err);
        if (status == SF_OK &&
            !sf_message_is_sent(&runner->program->messages.items[m])) {
            status = let_go(runner, m, false, runner->run->ends[m], err);
        }
    }
    return status;
}

/* Takes on what is ready now, by numbers. */
static enum sf_status
take_due(struct runner *runner, struct sf_error *err)
{
    enum sf_status status = tell_started(runner, err);

    while (status == SF_OK && runner->due.n > 0) {
        uint32_t m = sf_heap_first(&runner->due);
        sf_heap_remove(&runner->due, m);
        status = take_on(runner, m, sf_fluid_now(runner->fluid), err);
        if (status == SF_OK) {
            status = tell_started(runner, err);
        }
    }
    return status;
}

/* Message 'm' has crossed the network at 'time'. */
static enum sf_status
arrive(struct runner *runner, uint32_t m, double time, struct sf_error *err)
{
    double end = time + runner->setup->params->net.host_delay;

    runner->run->ends[m] = end;
    runner->run->time = fmax(runner->run->time, end);
    runner->n_done++;
    return let_go(runner, m, false, end, err);
}

/* Goes on to the next moment; '*isp' says whether there is one. */
static enum sf_status
step(struct runner *runner, bool *isp, struct sf_error *err)
{
    struct sf_fluid_ended ended;
    enum sf_status status = sf_fluid_next(runner->fluid, &ended, err);

    *isp = status == SF_OK && ended.n > 0;
    for (uint32_t i = 0; status == SF_OK && i < ended.n; i++) {
        struct owner owner = runner->owners.items[ended.messages[i]];
        if (owner.is_alarm) {
            sf_heap_set(&runner->due, owner.message, 0);
        } else {
            status = arrive(runner, owner.message, ended.time, err);
        }
    }
    return status == SF_OK ? take_due(runner, err) : status;
}

/* Sends everything. */
static enum sf_status
run_all(struct runner *runner, struct sf_error *err)
{
    size_t n_messages = runner->program->messages.n;
    enum sf_status status = SF_OK;
    bool is_more = true;

    for (uint32_t m = 0; status == SF_OK && m < n_messages; m++) {
        if (runner->program->messages.items[m].n_waits == 0) {
            status = release(runner, m, err);
        }
    }
    if (status == SF_OK) {
        status = take_due(runner, err);
    }
    while (status == SF_OK && is_more) {
        sf_progress_report("simulating flows", runner->n_done, n_messages);
        status = step(runner, &is_more, err);
    }
    return status;
}

/* What each link carried, as a part of what it could have. */
static void
note_loads(struct runner *runner)
{
    struct sf_run *run = runner->run;
    double most =
        run->time * sf_sim_net_data_rate(&runner->setup->params->net);

    for (uint32_t l = 0; most > 0 && l < run->n_links; l++) {
        run->loads[l] = sf_fluid_carried(runner->fluid, l) / most;
    }
}

enum sf_status
sf_run_flows(const struct sf_run_setup *setup,
             const struct sf_program *program, struct sf_run *run,
             struct sf_error *err)
{
    struct runner runner = { .setup = setup, .program = program, .run = run };
    enum sf_status status = begin(&runner, err);

    if (status == SF_OK) {
        status = run_all(&runner, err);
    }
    if (status == SF_OK) {
        run->is_finished = true;
        note_loads(&runner);
    } else {
        sf_run_clear(run);
    }
    clear_runner(&runner);
    return status;
}
