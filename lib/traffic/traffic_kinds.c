/* traffic_kinds.c -- the kinds of traffic: each adds flows between hosts.  A
 * new kind is one function and one entry of the table. */
#include "traffic/flows.h"

#include "base/distances.h"
#include "base/mem.h"
#include "slimfly/random.h"
#include "traffic/matching.h"

#include <math.h>
#include <string.h>

/* Random streams, one for each thing that is drawn. */
enum stream {
    STREAM_PERMUTATION,
    STREAM_MATCHING,
    STREAM_ELEPHANTS,
    STREAM_LOAD,
};

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for traffic");
}

/* Every host sends 1 to every other. */
static enum sf_status
add_all_to_all(struct sf_flow_job *job, const struct sf_value *values,
               struct sf_error *err)
{
    (void)values;
    (void)err;
    for (uint32_t from = 0; from < job->n_hosts; from++) {
        for (uint32_t to = 0; to < job->n_hosts; to++) {
            if (to != from) {
                sf_flow_add(job, from, to, 1);
            }
        }
    }
    return SF_OK;
}

/* A random permutation of hosts without fixed points: one that falls on itself
 * changes with another drawn at random, which cannot make a new one. */
static enum sf_status
add_permutation(struct sf_flow_job *job, const struct sf_value *values,
                struct sf_error *err)
{
    struct sf_random random;
    uint32_t n = job->n_hosts;
    uint32_t *to = sf_calloc(n, sizeof *to);
    (void)values;

    if (!to) {
        return fail_memory(err);
    }
    sf_random_init(&random, job->seed, STREAM_PERMUTATION);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = i;
    }
    sf_random_shuffle(&random, to, n);
    for (uint32_t i = 0; i < n; i++) {
        if (to[i] == i) {
            uint32_t j = (i + 1 + sf_random_below(&random, n - 1)) % n;
            to[i] = to[j];
            to[j] = i;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        sf_flow_add(job, i, to[i], 1);
    }
    free(to);
    return SF_OK;
}

/* What it costs to pair two switches that many hops apart, for
 * match_switches(); match_never only if nothing else is left. */
typedef int16_t pair_cost(uint32_t distance, double wanted);
static const int16_t match_never = 10000;

static int16_t
cost_of_exact(uint32_t distance, double wanted)
{
    return distance == (uint32_t)wanted ? 0 : 1;
}

static int16_t
cost_of_far(uint32_t distance, double wanted)
{
    (void)wanted;
    return (int16_t) - (int32_t)(distance < 1000 ? distance : 1000);
}

static int16_t
cost_of_apart(uint32_t distance, double wanted)
{
    return distance >= (uint32_t)wanted ? 0 : 1;
}

/* The costs of pairing any two of the 'n' switches 'carriers'. */
static enum sf_status
fill_costs(const struct sf_graph *graph, const uint32_t *carriers, uint32_t n,
           pair_cost *cost_of, double wanted, int16_t *costs,
           struct sf_error *err)
{
    uint16_t *distances = sf_graph_distances(graph);

    if (!distances) {
        return fail_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) {
            uint16_t distance =
                distances[(size_t)carriers[i] * graph->n_nodes + carriers[j]];
            costs[(size_t)i * n + j] = match_never;
            if (i != j && distance != SF_OUT_OF_REACH) {
                costs[(size_t)i * n + j] = cost_of(distance, wanted);
            }
        }
    }
    free(distances);
    return SF_OK;
}

/* Finds the cheapest permutation of the switches with hosts and fills 'to'
 * [V]. */
static enum sf_status
match_switches(struct sf_flow_job *job, pair_cost *cost_of, double wanted,
               uint32_t *to, struct sf_error *err)
{
    const struct sf_graph *graph = job->network->graph;
    enum sf_status status = SF_OK;
    struct sf_random random;
    uint32_t n = 0;
    uint32_t *carriers = sf_calloc(graph->n_nodes, sizeof *carriers);
    uint32_t *matched = sf_calloc(graph->n_nodes, sizeof *matched);
    int16_t *costs = NULL;

    for (uint32_t s = 0; carriers && s < graph->n_nodes; s++) {
        if (job->network->n_hosts[s]) {
            carriers[n++] = s;
        }
    }
    costs = sf_calloc((size_t)n * n, sizeof *costs);
    if (!carriers || !matched || !costs) {
        status = fail_memory(err);
        goto done;
    }
    if (n < 2) {
        status =
            sf_fail(err, SF_EINVAL, "expected hosts on two switches or more");
        goto done;
    }
    status = fill_costs(graph, carriers, n, cost_of, wanted, costs, err);
    if (status != SF_OK) {
        goto done;
    }
    sf_random_init(&random, job->seed, STREAM_MATCHING);
    status = sf_matching_find(costs, n, &random, matched, err);
    for (uint32_t i = 0; status == SF_OK && i < n; i++) {
        if (costs[(size_t)i * n + matched[i]] == match_never) {
            status = sf_fail(err, SF_EUNREACHABLE,
                             "switch %s cannot be paired with another: it is "
                             "in a part of its own",
                             sf_graph_name(graph, carriers[i]).text);
        }
        to[carriers[i]] = carriers[matched[i]];
    }

done:
    free(costs);
    free(matched);
    free(carriers);
    return status;
}

/* Draws 'wanted' of 'left' things, one decision after the other, every choice
 * as likely as the next. */
struct lottery {
    struct sf_random random;
    double left, wanted;
};

static struct lottery
lottery_of(const struct sf_flow_job *job, enum stream stream, double n,
           double fraction)
{
    struct lottery lottery = { .left = n, .wanted = round(n * fraction) };
    sf_random_init(&lottery.random, job->seed, stream);
    return lottery;
}

static bool
draw(struct lottery *lottery)
{
    double at = (double)(sf_random_next(&lottery->random) >> 11) * 0x1p-53;
    bool is_drawn = at * lottery->left < lottery->wanted;

    lottery->left -= 1;
    lottery->wanted -= is_drawn;
    return is_drawn;
}

/* The host that 'from' sends to if its switch sends to 'd'. */
static uint32_t
host_opposite(const struct sf_flow_job *job, uint32_t from, uint32_t d)
{
    uint32_t i = from - job->network->first_host[job->switch_of[from]];
    return job->network->first_host[d] + i % job->network->n_hosts[d];
}

/* Every host sends 1, or 'ratio' where it is one of the fraction 'elephants',
 * to its opposite on the switch that its own is matched with. */
static enum sf_status
add_matching(struct sf_flow_job *job, pair_cost *cost_of, double wanted,
             double elephants, double ratio, struct sf_error *err)
{
    struct lottery lottery =
        lottery_of(job, STREAM_ELEPHANTS, job->n_hosts, elephants);
    uint32_t *to = sf_calloc(job->network->graph->n_nodes, sizeof *to);

    if (!to) {
        return fail_memory(err);
    }
    enum sf_status status = match_switches(job, cost_of, wanted, to, err);
    for (uint32_t h = 0; status == SF_OK && h < job->n_hosts; h++) {
        sf_flow_add(job, h, host_opposite(job, h, to[job->switch_of[h]]),
                    draw(&lottery) ? ratio : 1);
    }
    free(to);
    return status;
}

static enum sf_status
add_switch_permutation(struct sf_flow_job *job, const struct sf_value *values,
                       struct sf_error *err)
{
    return add_matching(job, cost_of_exact, (double)values[0].number, 0, 1,
                        err);
}

static enum sf_status
add_longest_matching(struct sf_flow_job *job, const struct sf_value *values,
                     struct sf_error *err)
{
    return add_matching(job, cost_of_far, 0, values[0].real, values[1].real,
                        err);
}

/* The number of ordered pairs of hosts on different switches. */
static double
count_pairs(const struct sf_flow_job *job)
{
    double n_pairs = 0;
    for (uint32_t s = 0; s < job->network->graph->n_nodes; s++) {
        double n = job->network->n_hosts[s];
        n_pairs += n * (job->n_hosts - n);
    }
    return n_pairs;
}

static enum sf_status
add_adversarial(struct sf_flow_job *job, const struct sf_value *values,
                struct sf_error *err)
{
    double load = values[0].real, elephants = values[1].real,
           ratio = values[2].real;
    struct lottery loads =
        lottery_of(job, STREAM_LOAD, count_pairs(job), load);
    struct lottery lottery =
        lottery_of(job, STREAM_ELEPHANTS, job->n_hosts, elephants);
    uint32_t *to = sf_calloc(job->network->graph->n_nodes, sizeof *to);

    if (!to) {
        return fail_memory(err);
    }
    enum sf_status status = match_switches(job, cost_of_apart, 2, to, err);
    for (uint32_t h = 0; status == SF_OK && h < job->n_hosts; h++) {
        uint32_t s = job->switch_of[h];
        for (uint32_t other = 0; other < job->n_hosts; other++) {
            if (job->switch_of[other] != s && draw(&loads)) {
                sf_flow_add(job, h, other, 1);
            }
        }
        if (draw(&lottery)) {
            sf_flow_add(job, h, host_opposite(job, h, to[s]), ratio);
        }
    }
    free(to);
    return status;
}

static enum sf_status
add_file(struct sf_flow_job *job, const struct sf_value *values,
         struct sf_error *err)
{
    return sf_traffic_read(values[0].text, job, err);
}

static const struct sf_traffic_ops all_to_all = { add_all_to_all, true };
static const struct sf_traffic_ops permutation = { add_permutation, false };
static const struct sf_traffic_ops switch_permutation = {
    add_switch_permutation, false
};
static const struct sf_traffic_ops longest_matching = { add_longest_matching,
                                                        false };
static const struct sf_traffic_ops adversarial = { add_adversarial, false };
static const struct sf_traffic_ops from_file = { add_file, false };

const struct sf_traffic_kind sf_traffic_kinds[] = {
    {
        .name = "all-to-all",
        .title = "every host to every other, evenly",
        .example = "all-to-all",
        .ops = &all_to_all,
    },
    {
        .name = "permutation",
        .title = "every host to one other, at random",
        .example = "permutation",
        .is_random = true,
        .ops = &permutation,
    },
    {
        .name = "switch-permutation",
        .title = "all hosts of a switch to those of one other, at random",
        .example = "switch-permutation:distance=2",
        .params = { { .key = "distance",
                      SF_PARAM_NUMBER,
                      1,
                      1000,
                      false,
                      "2",
                      "hops between the two, where possible" } },
        .is_random = true,
        .ops = &switch_permutation,
    },
    {
        .name = "longest-matching",
        .title = "all hosts of a switch to those of one other, as far apart "
                 "as can be",
        .example = "longest-matching:elephants=0.2,ratio=10",
        .params = { { .key = "elephants",
                      .kind = SF_PARAM_REAL,
                      .range = { .min = 0, .max = 1 },
                      .by_default = "0",
                      .meaning = "fraction of hosts that send more" },
                    { .key = "ratio",
                      .kind = SF_PARAM_REAL,
                      .range = { .min = 1, .max = 1e6 },
                      .by_default = "10",
                      .meaning = "how much more they send" } },
        .is_random = true,
        .ops = &longest_matching,
    },
    {
        .name = "adversarial",
        .title = "a random part of all pairs of hosts, and large flows "
                 "between far switches",
        .example = "adversarial:load=0.5,elephants=1,ratio=10",
        .params = { { .key = "load",
                      .kind = SF_PARAM_REAL,
                      .range = { .min = 0, .max = 1 },
                      .by_default = "0.5",
                      .meaning = "fraction of pairs that talk" },
                    { .key = "elephants",
                      .kind = SF_PARAM_REAL,
                      .range = { .min = 0, .max = 1 },
                      .by_default = "1",
                      .meaning = "fraction of hosts with a large flow" },
                    { .key = "ratio",
                      .kind = SF_PARAM_REAL,
                      .range = { .min = 0, .max = 1e6 },
                      .by_default = "10",
                      .meaning = "how large that flow is" } },
        .is_random = true,
        .ops = &adversarial,
    },
    {
        .name = "file",
        .title = "from a CSV file: source,destination,amount",
        .example = "file:traffic.csv",
        .params = { { .key = "path",
                      SF_PARAM_FILE,
                      0,
                      0,
                      true,
                      NULL,
                      "a CSV file" } },
        .takes_path = true,
        .ops = &from_file,
    },
    { 0 },
};
