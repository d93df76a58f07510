/* test_flow_nomem.c -- every allocation of workloads and of the flow model
 * fails once.  That nothing leaks is for the sanitizer to say. */
#include "base/mem.h"
#include "helpers.h"
#include "sim/run.h"
#include "sim/workload.h"
#include "slimfly/topology.h"
#include "test.h"

#include <stdlib.h>

#define MAX_ALLOCATIONS 5000

/* What fails, and on what. */
struct job {
    enum sf_status (*work)(const struct job *job, struct sf_error *err);
    const struct sf_network *network;
    struct sf_sim_jobs asked;
    enum sf_select select;
    double overhead;
};

/* Four switches in a row; the second address leads the same way. */
static enum sf_status
follow_row(const struct sf_path_source *source, uint32_t from, uint32_t to,
           uint32_t address, struct sf_path *path, struct sf_error *err)
{
    const struct sf_graph *graph = source->network->graph;
    uint32_t s = from / 2, end = to / 2;
    (void)address;
    (void)err;

    *path = (struct sf_path){ 0 };
    while (s != end) {
        uint32_t next = s < end ? s + 1 : s - 1, arc = graph->first[s];
        while (graph->arcs[arc].to != next) {
            arc++;
        }
        path->arcs[path->n_arcs++] = arc;
        s = next;
    }
    return SF_OK;
}

static enum sf_status
run_flows(const struct job *job, const struct sf_program *program,
          struct sf_error *err)
{
    struct sf_simulation_params params = {
        .select = job->select,
        .overhead = job->overhead,
        .net = { .rate = 1, .mtu = 1 },
    };
    struct sf_path_source source = { .network = job->network,
                                     .n_addresses = 2,
                                     .n_vls = 1,
                                     .follow = follow_row };
    struct sf_wires *wires = NULL;
    struct sf_run run = { 0 };
    enum sf_status status = sf_wires_build(job->network, &wires, err);

    if (status == SF_OK) {
        struct sf_run_setup setup = { &source, wires, &params, 1 };
        status = sf_run_flows(&setup, program, &run, err);
        CHECK((status == SF_OK) == (run.ends != NULL));
    }
    sf_run_clear(&run);
    sf_wires_free(wires);
    return status;
}

static enum sf_status
make_and_run(const struct job *job, struct sf_error *err)
{
    struct sf_workload *workload = NULL;
    struct sf_program program = { 0 };
    uint32_t *job_of = NULL;
    enum sf_status status =
        sf_workload_build(job->network, &job->asked, 1, &workload, err);

    CHECK((status == SF_OK) == (workload != NULL));
    if (status == SF_OK) {
        status = sf_workload_program(workload, 0, &program, &job_of, err);
    }
    if (status == SF_OK) {
        status = run_flows(job, &program, err);
    }
    sf_program_clear(&program);
    free(job_of);
    sf_workload_free(workload);
    return status;
}

static enum sf_status
make_flows(const struct job *job, struct sf_error *err)
{
    struct sf_workload *workload = NULL;
    struct sf_flow *flows = NULL;
    size_t n_flows;
    enum sf_status status =
        sf_workload_build(job->network, &job->asked, 1, &workload, err);

    if (status == SF_OK) {
        status = sf_workload_flows(workload, &flows, &n_flows, err);
        CHECK((status == SF_OK) == (flows != NULL));
    }
    free(flows);
    sf_workload_free(workload);
    return status;
}

static void
fail_each(const struct job *job)
{
    for (unsigned long nth = 1; nth <= MAX_ALLOCATIONS; nth++) {
        struct sf_error err = { 0 };
        sf_mem_fail_at(nth);
        enum sf_status status = job->work(job, &err);
        void *memory = sf_calloc(1, 1);
        bool is_still_to_come = memory == NULL;
        free(memory);
        sf_mem_fail_at(0);
        if (status == SF_OK) {
            CHECK_FOR(is_still_to_come, "failure %lu went unnoticed", nth);
            CHECK(nth > 1);
            return;
        }
        CHECK_FOR(status == SF_ENOMEM && err.status == SF_ENOMEM,
                  "failure %lu: %s", nth, err.text);
    }
    test_fail(__FILE__, __LINE__, "never succeeds");
}

TEST(flow_run_without_memory)
{
    static const struct sf_link links[] = { { 0, 1 }, { 1, 2 }, { 2, 3 } };
    static const uint32_t n_hosts[] = { 2, 2, 2, 2 };
    struct sf_graph *graph;

    CHECK_EQ(sf_graph_build(4, links, 3, &graph, NULL), SF_OK);
    struct sf_network *network = network_of(graph, n_hosts);
    struct job job = { .network = network };
    for (uint32_t select = 0; select < SF_N_SELECTS; select++) {
        job.select = select;
        job.work = make_and_run;
        job.overhead = select % 2;
        job.asked = (struct sf_sim_jobs){
            .workload = "ebb+switch-permutation",
            .nodes = "3+5",
            .placement = "random",
        };
        fail_each(&job);
        job.work = make_flows;
        job.asked.workload = "adversarial+all-to-all";
        fail_each(&job);
    }
    sf_network_free(network);
    sf_graph_free(graph);
}

TEST(workload_of_a_file_without_memory)
{
    struct temporary file = temporary_write("node0003,node0001,2\n");
    struct sf_topology *topo = build("sf:q=4");
    struct sf_fabric *fabric;
    struct sf_network *network;
    char text[80];

    CHECK_EQ(sf_fabric_from_topology(topo, NULL, &fabric, NULL), SF_OK);
    CHECK_EQ(sf_network_build(fabric, &network, NULL), SF_OK);
    snprintf(text, sizeof text, "file:%s", file.name);
    struct job job = { .work = make_flows,
                       .network = network,
                       .asked = { .workload = text } };
    fail_each(&job);
    sf_network_free(network);
    sf_fabric_free(fabric);
    sf_topology_free(topo);
    temporary_remove(&file);
}
