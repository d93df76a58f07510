#include "sim/workload.h"

#include "sim/message_sizes.h"
#include "sim/workloads/goal.h"
#include "sim/workloads/kind.h"
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
    const struct sf_workload_kind *kind = sf_workload_kinds[i - n_traffic];
    if (kind) {
        *head =
            (struct sf_spec_head){ kind->name, kind->example, kind->params };
    }
    return kind != NULL;
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

/* The kind of workload that 'spec' names; NULL if it is a kind of traffic. */
static const struct sf_workload_kind *
kind_of(const struct sf_spec *spec)
{
    size_t n_traffic = count_traffic_kinds();

    return spec->index < n_traffic
               ? NULL
               : sf_workload_kinds[spec->index - n_traffic];
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

    job->has_size = sf_sim_find_size(text, text + strlen(text), &from, &to);
    if (!job->has_size) {
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

/* What goes together with job 'j', a workload of 'spec'. */
static enum sf_status
check_spec(const struct sf_workload *workload, uint32_t j,
           const struct sf_spec *spec, struct sf_error *err)
{
    const struct sf_traffic_kind *kind = traffic_of(spec);

    if (!kind && workload->jobs[j].has_size && !kind_of(spec)->has_size) {
        return sf_fail(err, SF_EINVAL,
                       "%s has no size: it says itself how "
                       "large messages are",
                       spec->head.name);
    }
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

/* Notes how many rounds and ranks job 'j' has, if it says so. */
static enum sf_status
note_kind(struct sf_workload *workload, uint32_t j, const struct sf_spec *spec,
          struct sf_error *err)
{
    const struct sf_workload_ops *job_ops = kind_of(spec)->ops;
    uint32_t n_rounds =
        job_ops->n_rounds ? job_ops->n_rounds(spec->values) : 1;

    workload->n_rounds =
        n_rounds > workload->n_rounds ? n_rounds : workload->n_rounds;
    return job_ops->count
               ? job_ops->count(spec->values, &workload->jobs[j].n_fixed, err)
               : SF_OK;
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
            status = check_spec(workload, i, &spec, err);
        }
        if (status == SF_OK && kind_of(&spec)) {
            status = note_kind(workload, i, &spec, err);
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
                           "%u node%s for %.40s, of the %u hosts of this "
                           "network: a job needs 2 or more",
                           workload->jobs[i].n_hosts,
                           workload->jobs[i].n_hosts == 1 ? "" : "s",
                           workload->jobs[i].workload, n_hosts);
        }
    }
    return n <= n_hosts ? SF_OK
                        : sf_fail(err, SF_EINVAL,
                                  "%llu nodes%s: this network has %u hosts",
                                  (unsigned long long)n, jobs, n_hosts);
}

static const char *
placement_of(const struct sf_workload *workload)
{
    const char *placement = workload->asked->placement;
    return placement ? placement : "switches";
}

/* Shares the hosts of the placement out among jobs that do not say how many
 * they have. */
static enum sf_status
share_nodes(struct sf_workload *workload, struct sf_error *err)
{
    uint32_t n_hosts = 0, n_open = 0;
    enum sf_status status = sf_placement_count(
        workload->network, placement_of(workload), &n_hosts, err);

    for (uint32_t i = 0; i < workload->n_jobs; i++) {
        uint32_t n = workload->jobs[i].n_fixed;
        n_hosts -= n < n_hosts ? n : n_hosts;
        n_open += n == 0;
    }
    for (uint32_t i = 0; i < workload->n_jobs; i++) {
        uint32_t n = workload->jobs[i].n_fixed;
        workload->jobs[i].n_hosts = n ? n : n_hosts / n_open;
    }
    return status;
}

/* Whether jobs that say how many ranks they have get as many hosts. */
static enum sf_status
check_fixed(const struct sf_workload *workload, struct sf_error *err)
{
    for (uint32_t i = 0; i < workload->n_jobs; i++) {
        const struct sf_sim_job *job = &workload->jobs[i];
        if (job->n_fixed && job->n_fixed != job->n_hosts) {
            return sf_fail(err, SF_EINVAL,
                           "%u nodes for %.80s, which has %u ranks: expected "
                           "as many",
                           job->n_hosts, job->workload, job->n_fixed);
        }
    }
    return SF_OK;
}

static enum sf_status
count_nodes(struct sf_workload *workload, struct sf_error *err)
{
    enum sf_status status =
        workload->asked->nodes
            ? read_nodes(workload, workload->asked->nodes, err)
            : share_nodes(workload, err);

    if (status == SF_OK) {
        status = check_fixed(workload, err);
    }
    return status == SF_OK ? check_nodes(workload, err) : status;
}

/* Chooses the hosts of each job. */
static enum sf_status
place_jobs(struct sf_workload *workload, struct sf_error *err)
{
    uint32_t n_hosts = sf_network_count_hosts(workload->network);
    bool *is_taken = sf_calloc(n_hosts, sizeof *is_taken);
    enum sf_status status = is_taken ? SF_OK : fail_memory(err);

    for (uint32_t i = 0; status == SF_OK && i < workload->n_jobs; i++) {
        struct sf_sim_job *job = &workload->jobs[i];
        job->hosts = sf_calloc(job->n_hosts, sizeof *job->hosts);
        status = job->hosts ? sf_placement_take(workload->network,
                                                placement_of(workload),
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

/* Job 'j' as its kind wants it. */
static struct sf_work
work_of(const struct sf_workload *workload, uint32_t j,
        const struct sf_spec *spec, uint32_t number)
{
    const struct sf_sim_job *job = &workload->jobs[j];

    return (struct sf_work){
        .hosts = job->hosts,
        .n_ranks = job->n_hosts,
        .size = job->size,
        .values = spec->values,
        .seed = seed_of(workload, j),
        .round = number,
    };
}

/* Whether all jobs can be: those in which everybody sends to everybody must
 * not be too large, before anything is listed. */
static enum sf_status
check_jobs(const struct sf_workload *workload, struct sf_error *err)
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
        if (status == SF_OK && kind_of(&spec) && kind_of(&spec)->ops->check) {
            struct sf_work work = work_of(workload, j, &spec, 0);
            status = kind_of(&spec)->ops->check(&work, err);
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
        status = check_jobs(workload, err);
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

/* Adds a message of the size that is asked for, times the amount of the flow
 * over the largest. */
static bool
send_flow(const struct sf_sim_job *job, const struct sf_flow *flow,
          double largest, struct sf_program *program)
{
    double bytes = job->size * (flow->amount / largest);

    return !(flow->amount > 0) ||
           sf_program_send(program, flow->from, flow->to,
                           (uint64_t)fmax(round(bytes), 1), 0);
}

/* Adds the messages of a sender, which has the 'n' flows from 'flows' on,
 * sorted by receivers.  It begins with the receiver behind it, as MPI does in
 * an all-to-all: else all would send to the same one first. */
static bool
send_around(const struct sf_sim_job *job, const struct sf_flow *flows,
            size_t n, double largest, struct sf_program *program)
{
    size_t first = 0;
    bool is_fine = true;

    while (first < n && flows[first].to < flows[first].from) {
        first++;
    }
    for (size_t i = 0; is_fine && i < n; i++) {
        is_fine = send_flow(job, &flows[(first + i) % n], largest, program);
    }
    return is_fine;
}

/* Adds the messages of all flows: sender by sender if these send to all, else
 * as they are listed. */
static enum sf_status
send_flows(const struct sf_sim_job *job, const struct sf_flows *flows,
           bool is_even, struct sf_program *program, struct sf_error *err)
{
    const struct sf_flow *flow = flows->flows;
    double largest = 0;
    bool is_fine = true;

    for (size_t i = 0; i < flows->n_flows; i++) {
        largest = fmax(largest, flow[i].amount);
    }
    for (size_t i = 0, end; is_fine && i < flows->n_flows; i = end) {
        for (end = i + 1;
             is_even && end < flows->n_flows && flow[end].from == flow[i].from;
             end++) {
        }
        is_fine = send_around(job, flow + i, end - i, largest, program);
    }
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
            status = send_flows(&workload->jobs[j], flows,
                                traffic_of(&spec)->ops->is_even, program, err);
        }
        sf_flows_free(flows);
    } else if (status == SF_OK) {
        struct sf_work work = work_of(workload, j, &spec, number);
        status = kind_of(&spec)->ops->send(&work, program, err);
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
    size_t n = 0;
    double n_sent = 0;

    for (uint32_t j = 0; status == SF_OK && j < workload->n_jobs; j++) {
        status = send_job(workload, j, number, program, err);
        for (size_t i = n; i < program->messages.n; i++) {
            n_sent += sf_message_is_sent(&program->messages.items[i]);
        }
        ends[j] = n = program->messages.n;
        if (status == SF_OK) {
            status = check_count(workload, j, n_sent, err);
        }
    }
    return status;
}

/* Says where the message of a circle comes from, if its kind knows.  The
 * program is cleared, since that may take as much memory. */
static enum sf_status
fail_circle(const struct sf_workload *workload, uint32_t number,
            struct sf_program *program, const size_t *ends,
            enum sf_status otherwise, struct sf_error *err)
{
    uint32_t m = program->in_circle, j = 0;
    struct sf_spec spec;

    sf_program_clear(program);
    while (m >= ends[j]) {
        j++;
    }
    enum sf_status status =
        sf_spec_parse(&specs, workload->jobs[j].workload, &spec, err);
    if (status != SF_OK) {
        return status;
    }
    status = otherwise;
    if (!traffic_of(&spec) && kind_of(&spec)->ops->fail_circle) {
        struct sf_work work = work_of(workload, j, &spec, number);
        status = kind_of(&spec)->ops->fail_circle(
            &work, m - (uint32_t)(j ? ends[j - 1] : 0), err);
    }
    sf_spec_clear(&spec);
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
    if (program->has_circle) {
        status = fail_circle(workload, number, program, ends, status, err);
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

/* The hosts of all jobs, one job after the other. */
static uint32_t *
list_hosts(const struct sf_workload *workload, uint32_t *n_hostsp)
{
    uint32_t n = 0;

    for (uint32_t j = 0; j < workload->n_jobs; j++) {
        n += workload->jobs[j].n_hosts;
    }
    uint32_t *hosts = sf_calloc(n, sizeof *hosts);
    *n_hostsp = n;
    n = 0;
    for (uint32_t j = 0; hosts && j < workload->n_jobs; j++) {
        const struct sf_sim_job *job = &workload->jobs[j];
        memcpy(hosts + n, job->hosts, job->n_hosts * sizeof *hosts);
        n += job->n_hosts;
    }
    return hosts;
}

enum sf_status
sf_sim_jobs_write_goal(const struct sf_network *network,
                       const struct sf_sim_jobs *jobs, uint64_t seed,
                       FILE *stream, struct sf_error *err)
{
    struct sf_workload *workload;
    struct sf_program program = { 0 };
    uint32_t *job_of = NULL, *hosts = NULL, n_hosts = 0;
    enum sf_status status =
        sf_workload_build(network, jobs, seed, &workload, err);

    if (status == SF_OK) {
        status = sf_workload_program(workload, 0, &program, &job_of, err);
    }
    if (status == SF_OK) {
        hosts = list_hosts(workload, &n_hosts);
        status = hosts ? sf_goal_write(&program, hosts, n_hosts, stream, err)
                       : fail_memory(err);
    }
    free(hosts);
    free(job_of);
    sf_program_clear(&program);
    sf_workload_free(workload);
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
