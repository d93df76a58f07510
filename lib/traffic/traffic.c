/* traffic.c -- from the text of a traffic to flows, and on to a list of them
 * or to demands between switches. */
#include "slimfly/traffic.h"

#include "base/mem.h"
#include "traffic/flows.h"

#include <math.h>
#include <string.h>

/* A list of more flows than this fits into no memory that is there. */
#define MOST_FLOWS ((size_t)1 << 30)

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for traffic");
}

bool
sf_traffic_takes_path(const char *text)
{
    size_t length = strcspn(text, ":");

    for (uint32_t i = 0; sf_traffic_kinds[i].name; i++) {
        const struct sf_traffic_kind *kind = &sf_traffic_kinds[i];
        if (kind->takes_path && strlen(kind->name) == length &&
            !strncmp(kind->name, text, length)) {
            return true;
        }
    }
    return false;
}

enum sf_status
sf_flow_job_begin(struct sf_flow_job *job, const struct sf_network *network,
                  uint64_t seed, struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(network);

    *job = (struct sf_flow_job){ .network = network,
                                 .n_hosts = n_hosts,
                                 .seed = seed };
    if (n_hosts < 2) {
        return sf_fail(err, SF_EINVAL,
                       "expected two hosts or more for traffic, found %u",
                       n_hosts);
    }
    job->switch_of = sf_calloc(n_hosts, sizeof *job->switch_of);
    job->sent = sf_calloc(n_hosts, sizeof *job->sent);
    job->received = sf_calloc(n_hosts, sizeof *job->received);
    if (!job->switch_of || !job->sent || !job->received) {
        sf_flow_job_clear(job);
        return fail_memory(err);
    }
    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        for (uint32_t h = network->first_host[s];
             h < network->first_host[s + 1]; h++) {
            job->switch_of[h] = s;
        }
    }
    return SF_OK;
}

void
sf_flow_job_clear(struct sf_flow_job *job)
{
    free(job->received);
    free(job->sent);
    free(job->switch_of);
    *job = (struct sf_flow_job){ 0 };
}

enum sf_status
sf_flow_job_largest(const struct sf_flow_job *job, double *largestp,
                    struct sf_error *err)
{
    *largestp = 0;
    for (uint32_t h = 0; h < job->n_hosts; h++) {
        *largestp = fmax(*largestp, fmax(job->sent[h], job->received[h]));
    }
    return *largestp > 0 && isfinite(*largestp)
               ? SF_OK
               : sf_fail(err, SF_EINVAL,
                         "expected traffic, found no demand above 0 that can "
                         "be added up");
}

/* Flows that are added up, one source switch after the other. */
struct demand_sum {
    const struct sf_traffic_params *params;
    struct sf_flow_job job;
    uint32_t n_sets;
    uint32_t source; /* The switch whose demands are being added up. */
    double *row;     /* [V * n_sets] */
    SF_VEC(struct sf_demand) demands;
    bool out_of_memory;
};

/* Turns the sums of the current source into demands. */
static void
flush_row(struct demand_sum *sum)
{
    for (uint32_t d = 0; d < sum->job.network->graph->n_nodes; d++) {
        for (uint32_t set = 0; set < sum->n_sets; set++) {
            double *cell = &sum->row[(size_t)d * sum->n_sets + set];
            struct sf_demand demand = { sum->source, d, set, *cell };
            if (*cell > 0 && !sf_vec_push(&sum->demands, demand)) {
                sum->out_of_memory = true;
            }
            *cell = 0;
        }
    }
}

/* Makes 'source' the switch whose demands are added up. */
static void
turn_to(struct demand_sum *sum, uint32_t source)
{
    if (source != sum->source) {
        flush_row(sum);
        sum->source = source;
    }
}

/* Where in the row a flow to 'host' is added. */
static double *
cell_of(const struct demand_sum *sum, uint32_t host)
{
    const uint32_t *host_sets = sum->params->host_sets;
    return &sum->row[(size_t)sum->job.switch_of[host] * sum->n_sets +
                     (host_sets ? host_sets[host] : 0)];
}

static void
add_up(void *aux, uint32_t from, uint32_t to, double amount)
{
    struct demand_sum *sum = aux;

    turn_to(sum, sum->job.switch_of[from]);
    if (sum->job.switch_of[to] != sum->source) {
        *cell_of(sum, to) += amount;
    }
}

/* What all hosts send to all, by switches. */
static void
add_up_evenly(struct demand_sum *sum)
{
    const struct sf_network *network = sum->job.network;

    for (uint32_t s = 0; s < network->graph->n_nodes; s++) {
        turn_to(sum, s);
        for (uint32_t h = 0; network->n_hosts[s] && h < sum->job.n_hosts;
             h++) {
            if (sum->job.switch_of[h] != s) {
                *cell_of(sum, h) += network->n_hosts[s];
            }
        }
    }
    for (uint32_t h = 0; h < sum->job.n_hosts; h++) {
        sum->job.sent[h] = sum->job.received[h] = sum->job.n_hosts - 1;
    }
}

static enum sf_status
begin_sum(struct demand_sum *sum, const struct sf_traffic_params *params,
          struct sf_error *err)
{
    *sum =
        (struct demand_sum){ .params = params,
                             .n_sets = params->n_sets ? params->n_sets : 1 };
    enum sf_status status =
        sf_flow_job_begin(&sum->job, params->network, params->seed, err);
    if (status != SF_OK) {
        return status;
    }
    sum->job.take = add_up;
    sum->job.aux = sum;
    sum->row = sf_calloc((size_t)params->network->graph->n_nodes * sum->n_sets,
                         sizeof *sum->row);
    return sum->row ? SF_OK : fail_memory(err);
}

/* Hands the traffic over, scaled to a largest host of 1 if 'scaled'. */
static enum sf_status
end_sum(struct demand_sum *sum, bool scaled, struct sf_traffic **trafficp,
        struct sf_error *err)
{
    double largest;

    flush_row(sum);
    enum sf_status status = sf_flow_job_largest(&sum->job, &largest, err);
    if (status != SF_OK) {
        return status;
    }
    struct sf_traffic *traffic =
        sum->out_of_memory ? NULL : sf_calloc(1, sizeof *traffic);
    if (!traffic) {
        return fail_memory(err);
    }
    *traffic = (struct sf_traffic){
        .n_switches = sum->job.network->graph->n_nodes,
        .n_sets = sum->n_sets,
        .n_demands = sum->demands.n,
        .demands = sum->demands.items,
        .unit = scaled ? largest : 1,
    };
    traffic->max_host = largest / traffic->unit;
    for (size_t k = 0; k < traffic->n_demands; k++) {
        traffic->demands[k].amount /= traffic->unit;
    }
    sum->demands.items = NULL;
    *trafficp = traffic;
    return SF_OK;
}

static void
clear_sum(struct demand_sum *sum)
{
    free(sum->demands.items);
    free(sum->row);
    sf_flow_job_clear(&sum->job);
}

void
sf_traffic_free(struct sf_traffic *traffic)
{
    if (traffic) {
        free(traffic->demands);
        free(traffic);
    }
}

static bool
head_of(size_t i, struct sf_spec_head *head)
{
    const struct sf_traffic_kind *kind = &sf_traffic_kinds[i];

    *head = (struct sf_spec_head){ kind->name, kind->example, kind->params };
    return kind->name != NULL;
}

static const struct sf_spec_sort specs = {
    .what = "a kind of traffic",
    .head = head_of,
    .keeps_given = true,
};

enum sf_status
sf_traffic_build(const char *text, const struct sf_traffic_params *params,
                 struct sf_traffic **trafficp, struct sf_error *err)
{
    struct demand_sum sum = { 0 };
    struct sf_spec parsed;

    *trafficp = NULL;
    enum sf_status status = sf_spec_parse(&specs, text, &parsed, err);
    if (status == SF_OK) {
        status = begin_sum(&sum, params, err);
    }
    if (status == SF_OK) {
        const struct sf_traffic_kind *kind = &sf_traffic_kinds[parsed.index];
        if (kind->ops->is_even) {
            add_up_evenly(&sum);
        } else {
            status = kind->ops->add(&sum.job, parsed.values, err);
        }
        if (status == SF_OK) {
            status = end_sum(&sum, !kind->takes_path, trafficp, err);
        }
    }
    clear_sum(&sum);
    sf_spec_clear(&parsed);
    return status;
}

enum sf_status
sf_traffic_parse(char *text, size_t length, const char *path,
                 const struct sf_traffic_params *params,
                 struct sf_traffic **trafficp, struct sf_error *err)
{
    struct demand_sum sum = { 0 };

    *trafficp = NULL;
    enum sf_status status = begin_sum(&sum, params, err);
    if (status == SF_OK) {
        status = sf_traffic_read_text(text, length, path, &sum.job, err);
    }
    if (status == SF_OK) {
        status = end_sum(&sum, false, trafficp, err);
    }
    clear_sum(&sum);
    return status;
}

/* Flows that are listed. */
struct flow_list {
    SF_VEC(struct sf_flow) flows;
    bool is_too_long, out_of_memory;
};

static void
list_flow(void *aux, uint32_t from, uint32_t to, double amount)
{
    struct flow_list *list = aux;
    struct sf_flow flow = { from, to, amount };

    list->is_too_long |= list->flows.n == MOST_FLOWS;
    if (!list->is_too_long && !list->out_of_memory &&
        !sf_vec_push(&list->flows, flow)) {
        list->out_of_memory = true;
    }
}

/* Makes the flows of a list, scaled to a largest host of 1 if 'scaled'. */
static enum sf_status
end_list(const struct sf_flow_job *job, bool scaled, struct flow_list *list,
         struct sf_flows **flowsp, struct sf_error *err)
{
    double largest;
    enum sf_status status = sf_flow_job_largest(job, &largest, err);

    if (status == SF_OK && list->is_too_long) {
        status =
            sf_fail(err, SF_ELIMIT, "more than %zu flows are too many to list",
                    MOST_FLOWS);
    }
    struct sf_flows *flows = status == SF_OK && !list->out_of_memory
                                 ? sf_calloc(1, sizeof *flows)
                                 : NULL;
    if (!flows) {
        return status == SF_OK ? fail_memory(err) : status;
    }
    *flows = (struct sf_flows){ .n_hosts = job->n_hosts,
                                .n_flows = list->flows.n,
                                .flows = list->flows.items,
                                .unit = scaled ? largest : 1 };
    flows->max_host = largest / flows->unit;
    for (size_t i = 0; i < flows->n_flows; i++) {
        flows->flows[i].amount /= flows->unit;
    }
    list->flows.items = NULL;
    *flowsp = flows;
    return SF_OK;
}

enum sf_status
sf_flows_build(const char *text, const struct sf_network *network,
               uint64_t seed, struct sf_flows **flowsp, struct sf_error *err)
{
    struct flow_list list = { 0 };
    struct sf_flow_job job = { 0 };
    struct sf_spec parsed;

    *flowsp = NULL;
    enum sf_status status = sf_spec_parse(&specs, text, &parsed, err);
    if (status == SF_OK) {
        status = sf_flow_job_begin(&job, network, seed, err);
    }
    if (status == SF_OK) {
        const struct sf_traffic_kind *kind = &sf_traffic_kinds[parsed.index];
        job.take = list_flow;
        job.aux = &list;
        status = kind->ops->add(&job, parsed.values, err);
        if (status == SF_OK) {
            status = end_list(&job, !kind->takes_path, &list, flowsp, err);
        }
    }
    free(list.flows.items);
    sf_flow_job_clear(&job);
    sf_spec_clear(&parsed);
    return status;
}

void
sf_flows_free(struct sf_flows *flows)
{
    if (flows) {
        free(flows->flows);
        free(flows);
    }
}
