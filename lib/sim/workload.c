#include "sim/workload.h"

#include "sim/sizes.h"
#include "slimfly/random.h"
#include "traffic/flows.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define MAX_SIZE 1e15

/* The flow model needs about 430 bytes for a message, and 210 more for each
 * further stripe: 2 GB for so many, 4.5 GB in 4 stripes. */
#define MAX_MESSAGES (1u << 22)

/* A flow of a load is some 50 bytes. */
#define MAX_FLOWS (1u << 25)

/* The random stream of the first matching; kinds of traffic and placements
 * draw from others. */
#define STREAM_MATCHINGS ((uint64_t)1 << 32)

/* Netgauge's pattern of this name cuts the hosts into two halves
 * at random and pairs them across the cut; both of a pair send at once.  It
 * does so in rounds, each with another cut. */
const struct sf_workload_kind sf_workload_kinds[] = {
    {
        .name = "ebb",
        .title = "effective bisection bandwidth: hosts in random pairs, each "
                 "sends to its partner",
        .example = "ebb:matchings=100",
        .params = { { .key = "matchings",
                      .kind = SF_PARAM_NUMBER,
                      .min = 1,
                      .max = 1000000,
                      .by_default = "100",
                      .meaning = "how often pairs are drawn anew" } },
    },
    { 0 },
};

static size_t
count_traffic_kinds(void)
{
    size_t n = 0;
    while (sf_traffic_kinds[n].name) {
        n++;
    }
    return n;
}

/* Kinds of traffic, then the others. */
static bool
head_of(size_t i, struct sf_spec_head *head)
{
    size_t n_traffic = count_traffic_kinds();

    if (i < n_traffic) {
        const struct sf_traffic_kind *kind = &sf_traffic_kinds[i];
        *head =
            (struct sf_spec_head){ kind->name, kind->example, kind->params };
        return true;
    }
    const struct sf_workload_kind *kind = &sf_workload_kinds[i - n_traffic];
    *head = (struct sf_spec_head){ kind->name, kind->example, kind->params };
    return kind->name != NULL;
}

static const struct sf_spec_sort specs = {
    .what = "a workload",
    .head = head_of,
    .keeps_given = true,
};

/* The kind of traffic that 'spec' names; NULL if it is another workload. */
static const struct sf_traffic_kind *
traffic_of(const struct sf_spec *spec)
{
    return spec->index < count_traffic_kinds() ? &sf_traffic_kinds[spec->index]
                                               : NULL;
}

static enum sf_status
fail_memory(struct sf_error *err)
{
    return sf_fail(err, SF_ENOMEM, "out of memory for a workload");
}

/* Takes the size out of the text of 'job'; false if it is none. */
static bool
take_size(const struct sf_sim_jobs *asked, struct sf_sim_job *job)
{
    char *text = job->workload;
    const char *from, *to;

    if (!sf_sim_find_size(text, text + strlen(text), &from, &to)) {
        struct sf_sim_jobs plain = { .size = asked->size };
        job->size = sf_sim_jobs_size(&plain);
        return true;
    }
    job->size = sf_sim_size_read(from, to);
    if (job->size > 0) {
        /* With the comma behind it, or the comma or colon before it. */
        size_t begin = (size_t)(from - text) - strlen("size=");
        size_t end = (size_t)(to - text);
        begin -= !text[end];
        end += text[end] == ',';
        memmove(text + begin, text + end, strlen(text + end) + 1);
    }
    return job->size > 0;
}

/* Splits the text into jobs, which have no hosts yet. */
static enum sf_status
split_jobs(struct sf_workload *workload, struct sf_error *err)
{
    const char *text = workload->asked->workload;
    uint32_t n_jobs = 1;

    for (const char *at = sf_sim_find_plus(text); *at;
         at = sf_sim_find_plus(at + 1)) {
        n_jobs++;
    }
    workload->jobs = sf_calloc(n_jobs, sizeof *workload->jobs);
    if (!workload->jobs) {
        return fail_memory(err);
    }
    while (workload->n_jobs < n_jobs) {
        struct sf_sim_job *job = &workload->jobs[workload->n_jobs++];
        const char *end = sf_sim_find_plus(text);
        size_t length = (size_t)(end - text);
        job->workload = sf_calloc(length + 1, 1);
        if (!job->workload) {
            return fail_memory(err);
        }
        memcpy(job->workload, text, length);
        if (!take_size(workload->asked, job)) {
            return sf_fail(err, SF_EINVAL,
                           "workload '%.60s': expected bytes behind size=, as "
                           "4096, 64K or 1M",
                           job->workload);
        }
        text = end + 1;
    }
    return SF_OK;
}

/* What goes together with a workload of 'spec'. */
static enum sf_status
check_spec(const struct sf_workload *workload, const struct sf_spec *spec,
           struct sf_error *err)
{
    const struct sf_traffic_kind *kind = traffic_of(spec);

    if (!kind && workload->asked->load > 0) {
        return sf_fail(err, SF_EINVAL,
                       "%s has messages and no load; loads are for kinds of "
                       "traffic, such as permutation",
                       spec->head.name);
    }
    if (kind && kind->takes_path &&
        (workload->asked->nodes || workload->n_jobs > 1)) {
        return sf_fail(err, SF_EINVAL,
                       "%s names its hosts itself: it runs alone and without "
                       "a number of nodes",
                       spec->head.name);
    }
    return SF_OK;
}

static enum sf_status
parse_jobs(struct sf_workload *workload, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    workload->n_rounds = 1;
    for (uint32_t i = 0; status == SF_OK && i < workload->n_jobs; i++) {
        struct sf_spec spec;
        status = sf_spec_parse(&specs, workload->jobs[i].workload, &spec, err);
        if (status == SF_OK) {
            status = check_spec(workload, &spec, err);
        }
        if (status == SF_OK && !traffic_of(&spec) &&
            spec.values[0].number > workload->n_rounds) {
            workload->n_rounds = (uint32_t)spec.values[0].number;
        }
        sf_spec_clear(&spec);
    }
    return status;
}

/* Reads the number at '*textp' and goes to what is behind it. */
static enum sf_status
read_number(const char *all, const char **textp, uint32_t *numberp,
            struct sf_error *err)
{
    const char *text = *textp;
    uint64_t number = 0;

    for (; isdigit((unsigned char)*text) && number < UINT32_MAX; text++) {
        number = 10 * number + (uint64_t)(*text - '0');
    }
    if (text == *textp || number > UINT32_MAX || (*text && *text != '+')) {
        return sf_fail(err, SF_EINVAL,
                       "nodes '%.40s': expected a number, such as 32, or one "
                       "for each job, such as 32+64",
                       all);
    }
    *numberp = (uint32_t)number;
    *textp = *text ? text + 1 : NULL;
    return SF_OK;
}

/* Reads how many hosts each job has. */
static enum sf_status
read_nodes(struct sf_workload *workload, const char *nodes,
           struct sf_error *err)
{
    const char *text = nodes;
    uint32_t n = 0, number = 0;

    for (; text; n++) {
        enum sf_status status = read_number(nodes, &text, &number, err);
        if (status != SF_OK) {
            return status;
        }
        if (n < workload->n_jobs) {
            workload->jobs[n].n_hosts = number;
        }
    }
    if (n != 1 && n != workload->n_jobs) {
        return sf_fail(err, SF_EINVAL,
                       "nodes '%.40s' are for %u jobs, and there are %u",
                       nodes, n, workload->n_jobs);
    }
    for (uint32_t i = n; i < workload->n_jobs; i++) {
        workload->jobs[i].n_hosts = number;
    }
    return SF_OK;
}

/* Whether the network has hosts for all jobs. */
static enum sf_status
check_nodes(const struct sf_workload *workload, struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(workload->network);
    uint64_t n = 0;
    char jobs[32] = "";

    if (workload->n_jobs > 1) {
        snprintf(jobs, sizeof jobs, " in %u jobs", workload->n_jobs);
    }
    for (uint32_t i = 0; i < workload->n_jobs; i++) {
        n += workload->jobs[i].n_hosts;
        if (workload->jobs[i].n_hosts < 2) {
            return sf_fail(err, SF_EINVAL,
                           "%u nodes for %.40s, of the %u hosts of this "
                           "network: a job needs 2 or more",
                           workload->jobs[i].n_hosts,
                           workload->jobs[i].workload, n_hosts);
        }
    }
    return n <= n_hosts ? SF_OK
                        : sf_fail(err, SF_EINVAL,
                                  "%llu nodes%s: this network has %u hosts",
                                  (unsigned long long)n, jobs, n_hosts);
}

static enum sf_status
count_nodes(struct sf_workload *workload, struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(workload->network);
    enum sf_status status = SF_OK;

    for (uint32_t i = 0; i < workload->n_jobs; i++) {
        workload->jobs[i].n_hosts = n_hosts / workload->n_jobs;
    }
    if (workload->asked->nodes) {
        status = read_nodes(workload, workload->asked->nodes, err);
    }
    return status == SF_OK ? check_nodes(workload, err) : status;
}

/* Chooses the hosts of each job. */
static enum sf_status
place_jobs(struct sf_workload *workload, struct sf_error *err)
{
    const char *placement = workload->asked->placement;
    uint32_t n_hosts = sf_network_count_hosts(workload->network);
    bool *is_taken = sf_calloc(n_hosts, sizeof *is_taken);
    enum sf_status status = is_taken ? SF_OK : fail_memory(err);

    for (uint32_t i = 0; status == SF_OK && i < workload->n_jobs; i++) {
        struct sf_sim_job *job = &workload->jobs[i];
        job->hosts = sf_calloc(job->n_hosts, sizeof *job->hosts);
        status = job->hosts
                     ? sf_placement_take(workload->network,
                                         placement ? placement : "switches",
                                         job->n_hosts, workload->seed,
                                         is_taken, job->hosts, err)
                     : fail_memory(err);
    }
    free(is_taken);
    return status;
}

/* Another seed for each job: two permutations differ. */
static uint64_t
seed_of(const struct sf_workload *workload, uint32_t job)
{
    return workload->seed + job * UINT64_C(0x9e3779b97f4a7c15);
}

static int
compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The hosts of 'job' in ascending order. */
static uint32_t *
sort_hosts(const struct sf_sim_job *job)
{
    uint32_t *sorted = sf_calloc(job->n_hosts, sizeof *sorted);

    if (sorted) {
        memcpy(sorted, job->hosts, job->n_hosts * sizeof *sorted);
        qsort(sorted, job->n_hosts, sizeof *sorted, compare_numbers);
    }
    return sorted;
}

/* Makes a network with the hosts of a job alone.  Both networks number hosts
 * switch by switch, so host i there is the i-th of 'sorted' here. */
static enum sf_status
build_bare(const struct sf_network *network, const uint32_t *sorted,
           uint32_t n_hosts, struct sf_network **barep, struct sf_error *err)
{
    uint32_t n_switches = network->graph->n_nodes;
    uint32_t *counts = sf_calloc(n_switches, sizeof *counts);

    *barep = NULL;
    if (!counts) {
        return fail_memory(err);
    }
    for (uint32_t s = 0, i = 0; s < n_switches; s++) {
        while (i < n_hosts && sorted[i] < network->first_host[s + 1]) {
            counts[s]++;
            i++;
        }
    }
    enum sf_status status =
        sf_network_from_graph(network->graph, counts, barep, err);
    free(counts);
    return status;
}

static enum sf_status
check_count(const struct sf_workload *workload, uint32_t j, double n,
            struct sf_error *err)
{
    const struct sf_sim_job *job = &workload->jobs[j];
    bool has_load = workload->asked->load > 0;
    uint32_t most = has_load ? MAX_FLOWS : MAX_MESSAGES;

    return n <= most ? SF_OK
                     : sf_fail(err, SF_ELIMIT,
                               "%.40s of %u hosts: %.0f %s, and %u are the "
                               "most that can be simulated; ask for fewer "
                               "nodes",
                               job->workload, job->n_hosts, n,
                               has_load ? "pairs" : "messages", most);
}

/* The flows of a job that is a kind of traffic, between hosts of the
 * network. */
static enum sf_status
build_flows(const struct sf_workload *workload, uint32_t j,
            struct sf_flows **flowsp, struct sf_error *err)
{
    const struct sf_network *network = workload->network;
    const struct sf_sim_job *job = &workload->jobs[j];
    uint32_t *sorted = sort_hosts(job);
    struct sf_network *bare = NULL;
    enum sf_status status = sorted ? SF_OK : fail_memory(err);

    *flowsp = NULL;
    if (status == SF_OK && job->n_hosts < sf_network_count_hosts(network)) {
        status = build_bare(network, sorted, job->n_hosts, &bare, err);
    }
    if (status == SF_OK) {
        status = sf_flows_build(job->workload, bare ? bare : network,
                                seed_of(workload, j), flowsp, err);
    }
    for (size_t i = 0; status == SF_OK && i < (*flowsp)->n_flows; i++) {
        (*flowsp)->flows[i].from = sorted[(*flowsp)->flows[i].from];
        (*flowsp)->flows[i].to = sorted[(*flowsp)->flows[i].to];
    }
    sf_network_free(bare);
    free(sorted);
    return status;
}

/* Whether 'kind' reads the flows of a job, names of hosts and all, from a
 * file. */
static bool
is_file(const struct sf_traffic_kind *kind)
{
    return kind && kind->takes_path;
}

/* Lists the flows of job 'j', a kind of traffic. */
static enum sf_status
list_flows(const struct sf_workload *workload, uint32_t j,
           const struct sf_traffic_kind *kind, struct sf_flows **flowsp,
           struct sf_error *err)
{
    const struct sf_sim_job *job = &workload->jobs[j];
    enum sf_status status = SF_OK;

    *flowsp = NULL;
    if (is_file(kind)) {
        status = sf_flows_build(job->workload, workload->network,
                                workload->seed, flowsp, err);
    } else {
        status = build_flows(workload, j, flowsp, err);
    }
    if (status == SF_OK) {
        status = check_count(workload, j, (double)(*flowsp)->n_flows, err);
    }
    if (status != SF_OK) {
        sf_flows_free(*flowsp);
        *flowsp = NULL;
    }
    return status;
}

/* The hosts of a job that names them itself: all that send or receive. */
static enum sf_status
take_named(struct sf_workload *workload, const struct sf_traffic_kind *kind,
           struct sf_error *err)
{
    struct sf_sim_job *job = &workload->jobs[0];
    uint32_t n_hosts = sf_network_count_hosts(workload->network);
    struct sf_flows *flows;
    enum sf_status status = list_flows(workload, 0, kind, &flows, err);
    bool *is_named = sf_calloc(n_hosts, sizeof *is_named);

    job->hosts = sf_calloc(n_hosts, sizeof *job->hosts);
    if (status == SF_OK && (!is_named || !job->hosts)) {
        status = fail_memory(err);
    }
    for (size_t i = 0; status == SF_OK && i < flows->n_flows; i++) {
        is_named[flows->flows[i].from] = is_named[flows->flows[i].to] = true;
    }
    for (uint32_t h = 0; status == SF_OK && h < n_hosts; h++) {
        if (is_named[h]) {
            job->hosts[job->n_hosts++] = h;
        }
    }
    free(is_named);
    sf_flows_free(flows);
    return status;
}

/* Gives hosts to all jobs. */
static enum sf_status
find_hosts(struct sf_workload *workload, struct sf_error *err)
{
    struct sf_spec spec;
    enum sf_status status =
        sf_spec_parse(&specs, workload->jobs[0].workload, &spec, err);

    if (status == SF_OK && is_file(traffic_of(&spec))) {
        status = take_named(workload, traffic_of(&spec), err);
    } else if (status == SF_OK) {
        status = count_nodes(workload, err);
        if (status == SF_OK) {
            status = place_jobs(workload, err);
        }
    }
    sf_spec_clear(&spec);
    return status;
}

/* Whether jobs in which everybody sends to everybody are not too large, before
 * anything is listed. */
static enum sf_status
check_even(const struct sf_workload *workload, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t j = 0; status == SF_OK && j < workload->n_jobs; j++) {
        double n = workload->jobs[j].n_hosts;
        struct sf_spec spec;
        status = sf_spec_parse(&specs, workload->jobs[j].workload, &spec, err);
        if (status == SF_OK && traffic_of(&spec) &&
            traffic_of(&spec)->ops->is_even) {
            status = check_count(workload, j, n * (n - 1), err);
        }
        sf_spec_clear(&spec);
    }
    return status;
}

static enum sf_status
check_asked(const struct sf_sim_jobs *asked, struct sf_error *err)
{
    if (!asked->workload) {
        return sf_fail(err, SF_EINVAL, "expected a workload");
    }
    if (asked->size != 0 && !(asked->size >= 1 && asked->size <= MAX_SIZE)) {
        return sf_fail(err, SF_EINVAL,
                       "messages of %g bytes; expected 1 to %g", asked->size,
                       MAX_SIZE);
    }
    return SF_OK;
}

enum sf_status
sf_workload_build(const struct sf_network *network,
                  const struct sf_sim_jobs *asked, uint64_t seed,
                  struct sf_workload **workloadp, struct sf_error *err)
{
    enum sf_status status = check_asked(asked, err);

    *workloadp = NULL;
    if (status != SF_OK) {
        return status;
    }
    struct sf_workload *workload = sf_calloc(1, sizeof *workload);
    if (!workload) {
        return fail_memory(err);
    }
    *workload = (struct sf_workload){ .network = network,
                                      .asked = asked,
                                      .seed = seed };
    status = split_jobs(workload, err);
    if (status == SF_OK) {
        status = parse_jobs(workload, err);
    }
    if (status == SF_OK) {
        status = find_hosts(workload, err);
    }
    if (status == SF_OK) {
        status = check_even(workload, err);
    }
    if (status != SF_OK) {
        sf_workload_free(workload);
        return status;
    }
    *workloadp = workload;
    return SF_OK;
}

enum sf_status
sf_sim_jobs_check(const struct sf_network *network,
                  const struct sf_sim_jobs *jobs, uint64_t seed,
                  struct sf_error *err)
{
    struct sf_workload *workload;
    enum sf_status status =
        sf_workload_build(network, jobs, seed, &workload, err);

    sf_workload_free(workload);
    return status;
}

void
sf_workload_free(struct sf_workload *workload)
{
    if (!workload) {
        return;
    }
    for (uint32_t i = 0; i < workload->n_jobs; i++) {
        free(workload->jobs[i].workload);
        free(workload->jobs[i].hosts);
    }
    free(workload->jobs);
    free(workload);
}

/* Adds messages of the size that is asked for, times the amount of each flow
 * over the largest. */
static enum sf_status
send_flows(const struct sf_sim_job *job, const struct sf_flows *flows,
           struct sf_program *program, struct sf_error *err)
{
    double largest = 0;

    for (size_t i = 0; i < flows->n_flows; i++) {
        largest = fmax(largest, flows->flows[i].amount);
    }
    for (size_t i = 0; i < flows->n_flows; i++) {
        const struct sf_flow *flow = &flows->flows[i];
        double bytes = job->size * (flow->amount / largest);
        if (flow->amount > 0 &&
            !sf_program_send(program, flow->from, flow->to,
                             (uint64_t)fmax(round(bytes), 1), 0)) {
            return fail_memory(err);
        }
    }
    return SF_OK;
}

/* Adds matching 'number'.  With an odd number of hosts one is left
 * out. */
static enum sf_status
send_matching(const struct sf_workload *workload, uint32_t j, uint32_t number,
              struct sf_program *program, struct sf_error *err)
{
    uint32_t half = workload->jobs[j].n_hosts / 2;
    uint64_t bytes = (uint64_t)fmax(round(workload->jobs[j].size), 1);
    uint32_t *mixed = sort_hosts(&workload->jobs[j]);
    struct sf_random random;
    bool is_fine = mixed != NULL;

    sf_random_init(&random, seed_of(workload, j), STREAM_MATCHINGS + number);
    if (mixed) {
        sf_random_shuffle(&random, mixed, workload->jobs[j].n_hosts);
    }
    for (uint32_t i = 0; is_fine && i < half; i++) {
        uint32_t a = mixed[i], b = mixed[half + i];
        is_fine = sf_program_send(program, a, b, bytes, 0) &&
                  sf_program_send(program, b, a, bytes, 0);
    }
    free(mixed);
    return is_fine ? SF_OK : fail_memory(err);
}

/* Adds what job 'j' sends in round 'number'; one with fewer rounds starts
 * again. */
static enum sf_status
send_job(const struct sf_workload *workload, uint32_t j, uint32_t number,
         struct sf_program *program, struct sf_error *err)
{
    struct sf_flows *flows = NULL;
    struct sf_spec spec;
    enum sf_status status =
        sf_spec_parse(&specs, workload->jobs[j].workload, &spec, err);

    if (status == SF_OK && traffic_of(&spec)) {
        status = list_flows(workload, j, traffic_of(&spec), &flows, err);
        if (status == SF_OK) {
            status = send_flows(&workload->jobs[j], flows, program, err);
        }
        sf_flows_free(flows);
    } else if (status == SF_OK) {
        uint32_t n_rounds = (uint32_t)spec.values[0].number;
        status = send_matching(workload, j, number % n_rounds, program, err);
    }
    sf_spec_clear(&spec);
    return status;
}

/* Says which job each message belongs to; the jobs follow one another and
 * 'ends' [n_jobs] says where. */
static uint32_t *
number_jobs(uint32_t n_jobs, const size_t *ends)
{
    uint32_t *job_of =
        sf_calloc(n_jobs ? ends[n_jobs - 1] : 0, sizeof *job_of);
    size_t i = 0;

    for (uint32_t j = 0; job_of && j < n_jobs; j++) {
        while (i < ends[j]) {
            job_of[i++] = j;
        }
    }
    return job_of;
}

static enum sf_status
send_jobs(const struct sf_workload *workload, uint32_t number,
          struct sf_program *program, size_t *ends, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    for (uint32_t j = 0; status == SF_OK && j < workload->n_jobs; j++) {
        status = send_job(workload, j, number, program, err);
        ends[j] = program->messages.n;
        if (status == SF_OK) {
            status = check_count(workload, j, (double)ends[j], err);
        }
    }
    return status;
}

enum sf_status
sf_workload_program(const struct sf_workload *workload, uint32_t number,
                    struct sf_program *program, uint32_t **job_ofp,
                    struct sf_error *err)
{
    size_t *ends = sf_calloc(workload->n_jobs, sizeof *ends);
    enum sf_status status = ends ? SF_OK : fail_memory(err);

    *program = (struct sf_program){ 0 };
    *job_ofp = NULL;
    if (status == SF_OK) {
        status = send_jobs(workload, number, program, ends, err);
    }
    if (status == SF_OK) {
        status = sf_program_end(
            program, sf_network_count_hosts(workload->network), err);
    }
    if (status == SF_OK) {
        *job_ofp = number_jobs(workload->n_jobs, ends);
        status = *job_ofp ? SF_OK : fail_memory(err);
    }
    if (status != SF_OK) {
        sf_program_clear(program);
    }
    free(ends);
    return status;
}

/* Appends the flows of job 'j'. */
static enum sf_status
append_flows(const struct sf_workload *workload, uint32_t j,
             struct sf_flow **flowsp, size_t *n_flowsp, struct sf_error *err)
{
    struct sf_flows *more = NULL;
    struct sf_spec spec;
    enum sf_status status =
        sf_spec_parse(&specs, workload->jobs[j].workload, &spec, err);

    if (status == SF_OK) {
        status = list_flows(workload, j, traffic_of(&spec), &more, err);
    }
    if (status == SF_OK) {
        struct sf_flow *flows =
            sf_realloc(*flowsp, *n_flowsp + more->n_flows, sizeof *flows);
        status = flows ? SF_OK : fail_memory(err);
        if (flows) {
            memcpy(flows + *n_flowsp, more->flows,
                   more->n_flows * sizeof *flows);
            *flowsp = flows;
            *n_flowsp += more->n_flows;
        }
    }
    sf_flows_free(more);
    sf_spec_clear(&spec);
    return status;
}

enum sf_status
sf_workload_flows(const struct sf_workload *workload, struct sf_flow **flowsp,
                  size_t *n_flowsp, struct sf_error *err)
{
    enum sf_status status = SF_OK;

    *flowsp = NULL;
    *n_flowsp = 0;
    for (uint32_t j = 0; status == SF_OK && j < workload->n_jobs; j++) {
        status = append_flows(workload, j, flowsp, n_flowsp, err);
    }
    if (status != SF_OK) {
        free(*flowsp);
        *flowsp = NULL;
        *n_flowsp = 0;
    }
    return status;
}
