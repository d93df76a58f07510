/* jobs.c -- how good routes for jobs are, beside the linear program over all
 * paths: one job, a full network, permutations, and random mixes of jobs that
 * start and end one by one.  Racks in order, 4 addresses, lanes by turns.
 *
 * Each is measured with one column for all hosts of a switch ("set") and with
 * one for each ("host").
 *
 * Takes q (0: 5, 7 and 11), the number of mixes (default 10; a third at q =
 * 11) and words: "host" for only that, "mixes" for only these, "once" to fit
 * routes to the last state of each mix alone, "stay" to leave the columns of
 * jobs that have ended as they are. */
#include "base/mem.h"
#include "slimfly/slimfly.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N_LAYERS 4
#define MAX_JOBS 512
#define N_DRAWS  12 /* Of jobs that fill the network in the end. */

/* A Slim Fly as planned, its routes without jobs and its hosts by rack. */
struct net {
    char spec[16];
    uint32_t q, n_hosts;
    bool is_split; /* Each host has columns of its own. */
    bool stays;    /* Columns of jobs that have ended stay. */
    struct sf_fabric *fabric;
    struct sf_routing *base, *routing;
    uint32_t *order;   /* [n_hosts] Hosts by rack. */
    char *text, *work; /* Lines of jobs. */
    size_t size;
};

/* Jobs that run; hosts by their place in the order of racks. */
struct mix {
    struct net *net;
    uint32_t n_jobs, n_started;
    struct mix_job {
        uint32_t number, n_hosts;
        char pattern[40];
        uint32_t *places; /* [n_hosts] */
    } jobs[MAX_JOBS];
    bool *is_taken; /* [n_hosts] */
    struct sf_random random;
};

/* Means and extremes. */
struct figure {
    double sum, least, most;
    uint32_t n;
};

static void
note(struct figure *figure, double value)
{
    figure->least = figure->n == 0 ? value : fmin(figure->least, value);
    figure->most = figure->n == 0 ? value : fmax(figure->most, value);
    figure->sum += value;
    figure->n++;
}

static double
mean(const struct figure *figure)
{
    return figure->n ? figure->sum / figure->n : 0;
}

static void
check(enum sf_status status, const struct sf_error *err)
{
    if (status != SF_OK) {
        fprintf(stderr, "%s\n", err->text);
        exit(EXIT_FAILURE);
    }
}

static void *
allocate(size_t n, size_t size)
{
    void *memory = sf_calloc(n, size);

    if (!memory) {
        fprintf(stderr, "out of memory\n");
        exit(EXIT_FAILURE);
    }
    return memory;
}

static double
seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static const struct sf_node *
node_of(const struct net *net, uint32_t host)
{
    const struct sf_network *network = net->routing->network;
    return &net->fabric
                ->nodes[net->fabric->ports[network->host_ports[host]].node];
}

/* Lists hosts rack by rack. */
static void
order_hosts(struct net *net)
{
    uint32_t n = 0;

    net->order = allocate(net->n_hosts, sizeof *net->order);
    for (uint32_t rack = 0; n < net->n_hosts; rack++) {
        for (uint32_t h = 0; h < net->n_hosts; h++) {
            if (node_of(net, h)->rack == rack) {
                net->order[n++] = h;
            }
        }
    }
}

static struct sf_routing *
route(const struct net *net, const struct sf_network *network, uint64_t seed)
{
    struct sf_routing_params params = { .layers = { .n_layers = N_LAYERS,
                                                    .seed = seed } };
    struct sf_routing *routing;
    struct sf_error err;

    sf_ib_count_addresses(net->fabric, &params);
    check(sf_routing_build(network, &params, &routing, &err), &err);
    if (net->is_split) {
        check(sf_routing_split_sets(routing, &err), &err);
    }
    return routing;
}

static void
make_net(struct net *net, uint32_t q, bool is_split)
{
    struct sf_topology *topo;
    struct sf_network *network;
    struct sf_plan *plan;
    struct sf_error err;

    *net = (struct net){ .q = q, .is_split = is_split };
    snprintf(net->spec, sizeof net->spec, "sf:q=%u", q);
    check(sf_topology_build(net->spec, &topo, &err), &err);
    check(sf_plan_build(topo, NULL, NULL, &plan, &err), &err);
    check(sf_fabric_copy(plan->fabric, &net->fabric, &err), &err);
    check(sf_fabric_assign_lids(net->fabric, 2, NULL, &err), &err);
    check(sf_network_build(net->fabric, &network, &err), &err);
    net->base = route(net, network, 1);
    net->routing = route(net, network, 1);
    net->n_hosts = sf_network_count_hosts(network);
    order_hosts(net);
    net->size = 64 * (size_t)net->n_hosts + MAX_JOBS * 64;
    net->text = allocate(net->size, 1);
    net->work = allocate(net->size, 1);
    sf_network_free(network);
    sf_plan_free(plan);
    sf_topology_free(topo);
}

static void
free_net(struct net *net)
{
    free(net->work);
    free(net->text);
    free(net->order);
    sf_routing_free(net->routing);
    sf_routing_free(net->base);
    sf_fabric_free(net->fabric);
}

/* Makes the routes those without jobs. */
static void
reset(struct net *net)
{
    const struct sf_routes *base = net->base->routes;
    size_t n = base->sets[0]->n_switches;

    for (uint32_t i = 0; i < base->n_sets; i++) {
        memcpy(net->routing->routes->sets[i]->hops, base->sets[i]->hops,
               sf_routes_n_layers(base) * n * n * sizeof(uint16_t));
    }
}

/* What hosts send, for the bound. */
struct demand_sum {
    uint32_t n_switches;
    uint32_t *switch_of;
    double *amounts; /* [V * V] */
};

static void
add_flow(void *aux, uint32_t from, uint32_t to, double amount)
{
    const struct demand_sum *sum = aux;
    uint32_t s = sum->switch_of[from], d = sum->switch_of[to];

    if (s != d) {
        sum->amounts[(size_t)s * sum->n_switches + d] += amount;
    }
}

/* What the linear program over all paths gives 'jobs', at most 1. */
static double
find_bound(const struct net *net, const struct sf_jobs *jobs)
{
    const struct sf_network *network = net->routing->network;
    uint32_t n = network->graph->n_nodes;
    struct demand_sum sum = { n, allocate(net->n_hosts, sizeof *sum.switch_of),
                              allocate((size_t)n * n, sizeof *sum.amounts) };
    struct sf_traffic traffic = {
        .n_switches = n, .n_sets = 1, .max_host = 1, .unit = 1
    };
    struct sf_throughput_params params = { .mode = SF_THROUGHPUT_ANY,
                                           .n_threads = 1 };
    struct sf_throughput result;
    struct sf_error err;

    for (uint32_t s = 0; s < n; s++) {
        for (uint32_t h = network->first_host[s];
             h < network->first_host[s + 1]; h++) {
            sum.switch_of[h] = s;
        }
    }
    for (uint32_t i = 0; i < jobs->n_jobs; i++) {
        sf_job_each_flow(&jobs->jobs[i], add_flow, &sum);
    }
    traffic.demands = allocate((size_t)n * n, sizeof *traffic.demands);
    for (size_t i = 0; i < (size_t)n * n; i++) {
        if (sum.amounts[i] > 0) {
            traffic.demands[traffic.n_demands++] =
                (struct sf_demand){ (uint32_t)(i / n), (uint32_t)(i % n), 0,
                                    sum.amounts[i] };
        }
    }
    result.upper = 1;
    if (traffic.n_demands > 0) {
        check(sf_throughput_measure(network->graph, &traffic, &params, &result,
                                    &err),
              &err);
    }
    free(traffic.demands);
    free(sum.amounts);
    free(sum.switch_of);
    return fmin(1, result.upper);
}

static struct sf_jobs *
parse(struct net *net)
{
    struct sf_jobs *jobs;
    struct sf_error err;

    memcpy(net->work, net->text, net->size);
    check(sf_jobs_parse(net->work, strlen(net->work), "jobs",
                        net->routing->network, &jobs, &err),
          &err);
    return jobs;
}

static struct sf_job_routes
fit(struct net *net, const struct sf_jobs *jobs, uint64_t seed, double *timep)
{
    struct sf_job_routes_params params = {
        .seed = seed, .base = net->stays ? NULL : net->base->routes
    };
    struct sf_job_routes result;
    struct sf_error err;
    double start = seconds();

    check(sf_routing_fit_jobs(net->routing, jobs, &params, &result, &err),
          &err);
    *timep = seconds() - start;
    return result;
}

static size_t
add_host(struct net *net, size_t length, uint32_t place, bool is_first)
{
    return length + (size_t)snprintf(net->text + length, net->size - length,
                                     "%s%s", is_first ? "" : ",",
                                     node_of(net, net->order[place])->name);
}

/* Writes lines of jobs of 'n_hosts' each, racks in order. */
static void
write_jobs(struct net *net, const char *pattern, uint32_t n_jobs,
           uint32_t n_hosts)
{
    size_t length = 0;

    net->text[0] = '\0';
    for (uint32_t i = 0; i < n_jobs; i++) {
        length += (size_t)snprintf(net->text + length, net->size - length,
                                   "j%u %s ", i, pattern);
        for (uint32_t k = 0; k < n_hosts; k++) {
            length = add_host(net, length, i * n_hosts + k, k == 0);
        }
        length +=
            (size_t)snprintf(net->text + length, net->size - length, "\n");
    }
}

/* Fits jobs to a network without any, for several seeds. */
static void
measure_still(struct net *net, const char *title, const char *pattern,
              uint32_t n_jobs, uint32_t n_hosts, uint32_t n_seeds)
{
    struct figure speed = { 0 }, uniform = { 0 }, time = { 0 };
    struct figure changed = { 0 };

    write_jobs(net, pattern, n_jobs, n_hosts);
    struct sf_jobs *jobs = parse(net);
    for (uint32_t seed = 1; seed <= n_seeds; seed++) {
        double spent;
        reset(net);
        struct sf_job_routes result = fit(net, jobs, seed, &spent);
        note(&speed, result.slowest.after);
        note(&uniform, result.uniform.after);
        note(&time, spent);
        note(&changed, (double)result.n_changed);
        sf_job_routes_clear(&result);
    }
    printf("%-7s %-5s %-26s least %.3f mean %.3f of %.3f  uniform least "
           "%.3f mean %.3f  %.3f s (most %.3f)  %.0f entries\n",
           net->spec, net->is_split ? "host" : "set", title, speed.least,
           mean(&speed), find_bound(net, jobs), uniform.least, mean(&uniform),
           mean(&time), time.most, mean(&changed));
    fflush(stdout);
    sf_jobs_free(jobs);
}

/* A kind of traffic of all hosts as a job, for several seeds. */
static void
measure_traffic(struct net *net, const char *kind, uint32_t n_seeds)
{
    struct figure speed = { 0 }, time = { 0 }, bound = { 0 };
    struct sf_job job = { .kind = SF_PATTERN_PAIRS,
                          .unit = 1,
                          .n_hosts = net->n_hosts,
                          .hosts = net->order };
    struct sf_jobs jobs = { .n_jobs = 1, .jobs = &job };

    for (uint32_t seed = 1; seed <= n_seeds; seed++) {
        struct sf_flows *flows;
        struct sf_error err;
        double spent;
        check(sf_flows_build(kind, net->routing->network, seed, &flows, &err),
              &err);
        job.n_pairs = flows->n_flows;
        job.pairs = flows->flows;
        reset(net);
        struct sf_job_routes result = fit(net, &jobs, seed, &spent);
        note(&speed, result.slowest.after);
        note(&time, spent);
        note(&bound, find_bound(net, &jobs));
        sf_job_routes_clear(&result);
        sf_flows_free(flows);
    }
    printf("%-7s %-5s %-26s least %.3f mean %.3f of %.3f  %.3f s (most "
           "%.3f)\n",
           net->spec, net->is_split ? "host" : "set", kind, speed.least,
           mean(&speed), mean(&bound), mean(&time), time.most);
    fflush(stdout);
}

/* Takes the first free hosts in the order of racks. */
static bool
start_job(struct mix *mix, uint32_t n_hosts, const char *pattern)
{
    struct mix_job *job = &mix->jobs[mix->n_jobs];
    uint32_t n = 0;

    for (uint32_t i = 0; i < mix->net->n_hosts; i++) {
        n += !mix->is_taken[i];
    }
    if (n < n_hosts || mix->n_jobs == MAX_JOBS) {
        return false;
    }
    job->number = mix->n_started++;
    job->n_hosts = n_hosts;
    job->places = allocate(n_hosts, sizeof *job->places);
    snprintf(job->pattern, sizeof job->pattern, "%s", pattern);
    n = 0;
    for (uint32_t i = 0; n < n_hosts; i++) {
        if (!mix->is_taken[i]) {
            mix->is_taken[i] = true;
            job->places[n++] = i;
        }
    }
    mix->n_jobs++;
    return true;
}

static void
end_job(struct mix *mix, uint32_t k)
{
    struct mix_job *job = &mix->jobs[k];

    for (uint32_t i = 0; i < job->n_hosts; i++) {
        mix->is_taken[job->places[i]] = false;
    }
    free(job->places);
    memmove(job, job + 1, (--mix->n_jobs - k) * sizeof *job);
}

static void
write_mix(const struct mix *mix)
{
    struct net *net = mix->net;
    size_t length = 0;

    net->text[0] = '\0';
    for (uint32_t i = 0; i < mix->n_jobs; i++) {
        const struct mix_job *job = &mix->jobs[i];
        length += (size_t)snprintf(net->text + length, net->size - length,
                                   "j%u %s ", job->number, job->pattern);
        for (uint32_t k = 0; k < job->n_hosts; k++) {
            length = add_host(net, length, job->places[k], k == 0);
        }
        length +=
            (size_t)snprintf(net->text + length, net->size - length, "\n");
    }
}

/* Draws a job of 8 to 64 hosts. */
static bool
start_any(struct mix *mix)
{
    static const uint32_t sides[][3] = {
        { 2, 2, 2 }, { 4, 2, 2 }, { 3, 4, 2 },
        { 4, 4, 2 }, { 4, 4, 3 }, { 4, 4, 4 }
    };
    const uint32_t *side = sides[sf_random_below(&mix->random, 6)];
    uint32_t n_hosts = side[0] * side[1] * side[2];
    char pattern[40];

    switch (sf_random_below(&mix->random, 4)) {
    case 0:
        snprintf(pattern, sizeof pattern, "all-to-all");
        break;
    case 1:
        snprintf(pattern, sizeof pattern, "ring");
        break;
    case 2:
        snprintf(pattern, sizeof pattern, "shift:by=%u",
                 1 + sf_random_below(&mix->random, n_hosts - 1));
        break;
    default:
        snprintf(pattern, sizeof pattern, "stencil:dims=%ux%ux%u", side[0],
                 side[1], side[2]);
    }
    return start_job(mix, n_hosts, pattern);
}

/* What mixes come to. */
struct mix_figures {
    struct figure ratio, speed, bound, uniform, start_time, end_time;
    struct figure start_changed, end_changed, jobs;
};

/* Fits the routes after a job started or ended. */
static double
follow_mix(struct mix *mix, bool is_start, struct mix_figures *figures)
{
    double spent;

    write_mix(mix);
    struct sf_jobs *jobs = parse(mix->net);
    struct sf_job_routes result = fit(mix->net, jobs, mix->n_started, &spent);
    sf_jobs_free(jobs);
    double speed = result.slowest.after;
    note(is_start ? &figures->start_time : &figures->end_time, spent);
    note(is_start ? &figures->start_changed : &figures->end_changed,
         (double)result.n_changed);
    note(&figures->uniform, result.uniform.after);
    sf_job_routes_clear(&result);
    return speed;
}

/* Fills the network, and then lets some jobs end and others start.  Unless
 * 'follows', the routes are fitted to the last state alone. */
static void
run_mix(struct net *net, uint64_t seed, bool follows,
        struct mix_figures *figures)
{
    struct mix mix = { .net = net,
                       .is_taken = allocate(net->n_hosts, sizeof(bool)) };
    double speed = 1;

    reset(net);
    sf_random_init(&mix.random, seed, 7);
    for (uint32_t n_refused = 0; n_refused < 4;) {
        if (start_any(&mix)) {
            speed = follows ? follow_mix(&mix, true, figures) : 1;
            continue;
        }
        n_refused++;
        for (uint32_t k = 0; k < 2 && mix.n_jobs > 0; k++) {
            end_job(&mix, sf_random_below(&mix.random, mix.n_jobs));
            speed = follows ? follow_mix(&mix, false, figures) : 1;
        }
    }
    for (uint32_t i = 0; i < N_DRAWS; i++) {
        if (start_any(&mix) && follows) {
            speed = follow_mix(&mix, true, figures);
        }
    }
    if (!follows) {
        speed = follow_mix(&mix, true, figures);
    }
    struct sf_jobs *jobs = parse(net);
    double bound = find_bound(net, jobs);
    sf_jobs_free(jobs);
    note(&figures->ratio, speed / bound);
    note(&figures->speed, speed);
    note(&figures->bound, bound);
    note(&figures->jobs, mix.n_jobs);
    while (mix.n_jobs > 0) {
        end_job(&mix, 0);
    }
    free(mix.is_taken);
}

static void
measure_mixes(struct net *net, uint32_t n_mixes, bool follows)
{
    struct mix_figures figures = { 0 };

    for (uint32_t i = 0; i < n_mixes; i++) {
        run_mix(net, i + 1, follows, &figures);
    }
    printf("%-7s %-5s %u mixes of %.0f jobs%s: %.3f of the bound in the "
           "mean, "
           "least %.3f; %.3f and %.3f of %.3f; uniform %.3f, least %.3f\n",
           net->spec, net->is_split ? "host" : "set", n_mixes,
           mean(&figures.jobs), follows ? "" : " at once",
           mean(&figures.ratio), figures.ratio.least, mean(&figures.speed),
           figures.speed.least, mean(&figures.bound), mean(&figures.uniform),
           figures.uniform.least);
    printf("        a start: %.3f s, most %.3f, %.0f entries, most %.0f; an "
           "end: %.3f s, most %.3f, %.0f entries, most %.0f\n",
           mean(&figures.start_time), figures.start_time.most,
           mean(&figures.start_changed), figures.start_changed.most,
           mean(&figures.end_time), figures.end_time.most,
           mean(&figures.end_changed), figures.end_changed.most);
    fflush(stdout);
}

/* What to measure. */
struct choice {
    uint32_t n_mixes;
    bool only_split, only_mixes, at_once, stays;
};

static void
measure_still_jobs(struct net *net)
{
    static const uint32_t sizes[] = { 8, 16, 32, 64, 128 };
    uint32_t n_seeds = net->q < 11 ? 15 : 3, n_jobs = net->n_hosts / 32;
    char title[40];

    for (size_t i = net->q < 11 ? 0 : 2; i < sizeof sizes / sizeof *sizes;
         i++) {
        snprintf(title, sizeof title, "all-to-all of %u", sizes[i]);
        measure_still(net, title, "all-to-all", 1, sizes[i], n_seeds);
        snprintf(title, sizeof title, "unknown of %u", sizes[i]);
        measure_still(net, title, "unknown", 1, sizes[i], n_seeds);
    }
    snprintf(title, sizeof title, "%u times all-to-all of 32", n_jobs);
    measure_still(net, title, "all-to-all", n_jobs, 32, net->q < 11 ? 5 : 1);
    measure_still(net, "shift of all by 40", "shift:by=40", 1, net->n_hosts,
                  n_seeds);
    measure_traffic(net, "permutation", net->q < 11 ? 10 : 1);
    measure_traffic(net, "switch-permutation", net->q < 11 ? 10 : 1);
}

static void
measure(const struct choice *choice, uint32_t q)
{
    struct net net;

    for (uint32_t i = choice->only_split ? 1 : 0; i < 2; i++) {
        make_net(&net, q, i > 0);
        net.stays = choice->stays;
        if (!choice->only_mixes) {
            measure_still_jobs(&net);
        }
        if (choice->n_mixes > 0) {
            measure_mixes(&net,
                          q < 11 ? choice->n_mixes : (choice->n_mixes + 2) / 3,
                          !choice->at_once);
        }
        free_net(&net);
    }
}

static uint32_t
number(int argc, char **argv, int i, uint32_t usual)
{
    return i < argc ? (uint32_t)strtoul(argv[i], NULL, 10) : usual;
}

/* Whether 'word' is among the arguments. */
static bool
has(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], word)) {
            return true;
        }
    }
    return false;
}

int
main(int argc, char **argv)
{
    uint32_t q = number(argc, argv, 1, 0);
    struct choice choice = { .n_mixes = number(argc, argv, 2, 10),
                             .only_split = has(argc, argv, "host"),
                             .only_mixes = has(argc, argv, "mixes"),
                             .at_once = has(argc, argv, "once"),
                             .stays = has(argc, argv, "stay") };

    for (uint32_t i = 5; i <= 11; i += i == 5 ? 2 : 4) {
        if (q == 0 || q == i) {
            measure(&choice, i);
        }
    }
    return EXIT_SUCCESS;
}
